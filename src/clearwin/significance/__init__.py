"""Significance tests: one decorated function each. ``base.py`` says how they are made."""

from clearwin.data.questions import Options, Question
from clearwin.significance import bootstrap, caveats, delong, mcnemar, paired_t, permutation, proportion, wilcoxon
from clearwin.significance.base import AUTO, REGISTRY, Finding, Test, choose

__all__ = [
    "AUTO",
    "REGISTRY",
    "Finding",
    "Options",
    "Question",
    "Test",
    "bootstrap",
    "caveats",
    "choose",
    "delong",
    "mcnemar",
    "paired_t",
    "permutation",
    "proportion",
    "wilcoxon",
]
