"""clearwin: is classifier B really better than classifier A, or is the difference luck?"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from clearwin.areas import compare_areas, compare_unpaired
    from clearwin.chance import against_chance
    from clearwin.classes import compare_classes
    from clearwin.compare import compare, compare_counts, compare_frame
    from clearwin.counts import ConfusionMatrix, JointCounts
    from clearwin.cross_validation import cross_compare
    from clearwin.curve import ScoreCurves, curve
    from clearwin.curves.base import det_curve, operating_points, pr_curve, roc_curve
    from clearwin.curves.classes import multiclass_auc
    from clearwin.curves.pairs import dominance
    from clearwin.curves.points import cost_table, equal_error, lowest_cost, threshold_table
    from clearwin.data_set_record import DataSetComparison
    from clearwin.data_sets import compare_data_sets
    from clearwin.errors import (
        ClearwinError,
        DataError,
        FileError,
        NotApplicableError,
        OptionError,
        UndefinedError,
        UnknownNameError,
    )
    from clearwin.estimate import estimate
    from clearwin.folds import FoldComparison, compare_folds
    from clearwin.leaderboard import Leaderboard
    from clearwin.measures.base import Measure
    from clearwin.measures.custom import custom_measure
    from clearwin.ranking import rank
    from clearwin.registries import measures, tests
    from clearwin.result import AgainstChance, Areas, Caveat, Comparison, Estimate, Interval, PerClass
    from clearwin.significance.base import Test
    from clearwin.significance.fold_tests import fold_tests
    from clearwin.study import study
    from clearwin.study_record import Study

# names are fetched on first use: `clearwin --help` must not pay for numpy
_HOME = {
    "AgainstChance": "result",
    "Areas": "result",
    "Caveat": "result",
    "ClearwinError": "errors",
    "Comparison": "result",
    "ConfusionMatrix": "counts",
    "DataError": "errors",
    "DataSetComparison": "data_set_record",
    "Estimate": "result",
    "FileError": "errors",
    "FoldComparison": "folds",
    "Interval": "result",
    "JointCounts": "counts",
    "Leaderboard": "leaderboard",
    "Measure": "measures.base",
    "NotApplicableError": "errors",
    "OptionError": "errors",
    "PerClass": "result",
    "ScoreCurves": "curve",
    "Study": "study_record",
    "Test": "significance.base",
    "UndefinedError": "errors",
    "UnknownNameError": "errors",
    "against_chance": "chance",
    "compare": "compare",
    "compare_areas": "areas",
    "compare_classes": "classes",
    "compare_counts": "compare",
    "compare_data_sets": "data_sets",
    "compare_folds": "folds",
    "compare_frame": "compare",
    "compare_unpaired": "areas",
    "cost_table": "curves.points",
    "cross_compare": "cross_validation",
    "curve": "curve",
    "custom_measure": "measures.custom",
    "det_curve": "curves.base",
    "dominance": "curves.pairs",
    "equal_error": "curves.points",
    "estimate": "estimate",
    "fold_tests": "significance.fold_tests",
    "lowest_cost": "curves.points",
    "measures": "registries",
    "multiclass_auc": "curves.classes",
    "operating_points": "curves.base",
    "pr_curve": "curves.base",
    "rank": "ranking",
    "roc_curve": "curves.base",
    "study": "study",
    "tests": "registries",
    "threshold_table": "curves.points",
}

__all__ = [
    "AgainstChance",
    "Areas",
    "Caveat",
    "ClearwinError",
    "Comparison",
    "ConfusionMatrix",
    "DataError",
    "DataSetComparison",
    "Estimate",
    "FileError",
    "FoldComparison",
    "Interval",
    "JointCounts",
    "Leaderboard",
    "Measure",
    "NotApplicableError",
    "OptionError",
    "PerClass",
    "ScoreCurves",
    "Study",
    "Test",
    "UndefinedError",
    "UnknownNameError",
    "against_chance",
    "compare",
    "compare_areas",
    "compare_classes",
    "compare_counts",
    "compare_data_sets",
    "compare_folds",
    "compare_frame",
    "compare_unpaired",
    "cost_table",
    "cross_compare",
    "curve",
    "custom_measure",
    "det_curve",
    "dominance",
    "equal_error",
    "estimate",
    "fold_tests",
    "lowest_cost",
    "measures",
    "multiclass_auc",
    "operating_points",
    "pr_curve",
    "rank",
    "roc_curve",
    "study",
    "tests",
    "threshold_table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'clearwin' has no attribute {name!r}")
    return getattr(import_module(f"clearwin.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _Door(ModuleType):
    """The package as users see it: ``clearwin.compare`` is the verb, although a module has the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        # importing clearwin.compare makes Python bind the module here, over the function
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Door
