"""ROC, DET and precision–recall curves, their key points, costs and crossings: arrays in, records out."""

from clearwin.curves.dominance import dominance
from clearwin.curves.key_points import cost_table, equal_error, lowest_cost, threshold_table
from clearwin.curves.one_vs_rest import multiclass_auc
from clearwin.curves.points import det_curve, operating_points, pr_curve, roc_curve

__all__ = [
    "cost_table",
    "det_curve",
    "dominance",
    "equal_error",
    "lowest_cost",
    "multiclass_auc",
    "operating_points",
    "pr_curve",
    "roc_curve",
    "threshold_table",
]
