"""Measures on decisions, scores, losses and values: one decorated function each. ``base.py`` says how they are made."""

from clearwin.measures import (
    accuracy,
    agreement,
    averages,
    detection_cost,
    f_measure,
    label_sets,
    losses,
    ranking,
    values,
)
from clearwin.measures.base import REGISTRY, Decomposition, Measure, Values
from clearwin.measures.custom import custom_measure
from clearwin.measures.naming import find

__all__ = [
    "REGISTRY",
    "Decomposition",
    "Measure",
    "Values",
    "accuracy",
    "agreement",
    "averages",
    "custom_measure",
    "detection_cost",
    "f_measure",
    "find",
    "label_sets",
    "losses",
    "ranking",
    "values",
]
