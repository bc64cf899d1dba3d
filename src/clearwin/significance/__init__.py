"""Significance tests: one decorated function each. ``base.py`` says how they are made."""

from clearwin.significance import bootstrap, caveats, mcnemar, permutation, proportion
from clearwin.significance.base import AUTO, REGISTRY, Finding, Question, Test, choose

__all__ = [
    "AUTO",
    "REGISTRY",
    "Finding",
    "Question",
    "Test",
    "bootstrap",
    "caveats",
    "choose",
    "mcnemar",
    "permutation",
    "proportion",
]
