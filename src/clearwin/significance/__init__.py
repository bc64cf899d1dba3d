"""Significance tests: one decorated function each. ``base.py`` says how they are made."""

from clearwin.data.samples import AnyQuestion, CountQuestion, Items, Question, UnitQuestion
from clearwin.data.scores import ScoreQuestion
from clearwin.data.values import ValueQuestion
from clearwin.significance import bootstrap, caveats, delong, mcnemar, paired_t, permutation, proportion, wilcoxon
from clearwin.significance.base import AUTO, REGISTRY, Finding, Test, choose

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
    "ValueQuestion",
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
