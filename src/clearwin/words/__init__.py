"""Result → verdict and tables: ``words_about`` is the one door from results to words."""

from __future__ import annotations

from clearwin.words.base import STYLES, ResultWords, words_about
from clearwin.words.summary import Summary

__all__ = ["STYLES", "ResultWords", "Summary", "words_about"]
