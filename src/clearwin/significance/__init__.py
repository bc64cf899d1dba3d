"""Significance tests: one decorated function each. ``base.py`` says how they are made."""

from clearwin.significance import bootstrap, caveats, delong, mcnemar, permutation, proportion
from clearwin.significance.base import AUTO, REGISTRY, Finding, Test, choose
from clearwin.significance.questions import AnyQuestion, CountQuestion, Items, Question, ScoreQuestion, UnitQuestion

__all__ = [
    "AUTO",
    "REGISTRY",
    "AnyQuestion",
    "CountQuestion",
    "Finding",
    "Items",
    "Question",
    "ScoreQuestion",
    "Test",
    "UnitQuestion",
    "bootstrap",
    "caveats",
    "choose",
    "delong",
    "mcnemar",
    "permutation",
    "proportion",
]
