"""Significance tests: one decorated function each. ``base.py`` says how they are made."""

from clearwin.significance import bootstrap, caveats, delong, mcnemar, paired_t, permutation, proportion, wilcoxon
from clearwin.significance.base import AUTO, REGISTRY, Finding, Test, choose
from clearwin.significance.questions import AnyQuestion, CountQuestion, Items, Question, UnitQuestion
from clearwin.significance.score_questions import ScoreQuestion
from clearwin.significance.value_questions import ValueQuestion

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
