"""Tests of learners over folds, all of them: name → record. ``base.py`` says how they are made."""

from __future__ import annotations

from clearwin.significance.folds import permutation, student  # noqa: F401 - they register their tests
from clearwin.significance.folds.base import REGISTRY, FoldTest


def fold_tests() -> dict[str, FoldTest]:
    """Return every test of learners over folds: name → record.

    >>> import clearwin as cw
    >>> [test.name for test in cw.list_tests("folds").values() if "k-fold" in test.designs]
    ['corrected_t', 'bayes_t']
    """
    order = ("paired_t", "corrected_t", "5x2cv_t", "5x2cv_f", "permutation", "partition", "wilcoxon", "sign", "bayes_t")
    return {name: REGISTRY[name] for name in order}
