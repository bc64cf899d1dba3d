"""Significance tests: one decorated function each. ``base.py`` says how they are made."""

from clearwin.data.questions import Options, Question
from clearwin.significance import (
    bootstrap,
    caveats,
    delong,
    diebold_mariano,
    kosinski,
    mcnemar,
    paired_t,
    permutation,
    proportion,
    studentised,
    wilcoxon,
)
from clearwin.significance.base import AUTO, REGISTRY, Finding, Test, choose
from clearwin.significance.folds import permutation as permutation_of_folds
from clearwin.significance.folds import student

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
    "diebold_mariano",
    "kosinski",
    "mcnemar",
    "paired_t",
    "permutation",
    "permutation_of_folds",
    "proportion",
    "student",
    "studentised",
    "wilcoxon",
]
