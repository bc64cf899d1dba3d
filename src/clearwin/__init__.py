"""clearwin: is classifier B really better than classifier A, or is the difference luck?"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from clearwin.analyses.chance import against_chance
    from clearwin.analyses.compare import compare, compare_counts, compare_frame
    from clearwin.analyses.cross_validation import cross_compare
    from clearwin.analyses.curve import curve
    from clearwin.analyses.data_sets import compare_data_sets
    from clearwin.analyses.estimate import estimate
    from clearwin.analyses.folds import compare_folds
    from clearwin.analyses.listing import measures, tests
    from clearwin.analyses.per_class import compare_classes
    from clearwin.analyses.rank import rank
    from clearwin.analyses.unpaired import compare_areas, compare_unpaired
    from clearwin.counts import ConfusionMatrix, JointCounts
    from clearwin.curves.dominance import dominance
    from clearwin.curves.key_points import cost_table, equal_error, lowest_cost, threshold_table
    from clearwin.curves.one_vs_rest import multiclass_auc
    from clearwin.curves.points import det_curve, operating_points, pr_curve, roc_curve
    from clearwin.errors import (
        ClearwinError,
        DataError,
        FileError,
        NotApplicableError,
        OptionError,
        UndefinedError,
        UnknownNameError,
    )
    from clearwin.measures.base import Measure
    from clearwin.measures.custom import custom_measure
    from clearwin.numerics.intervals import Interval
    from clearwin.results.base import Caveat
    from clearwin.results.chance import AgainstChance
    from clearwin.results.comparison import Comparison, Estimate, PerClass
    from clearwin.results.curves import ScoreCurves
    from clearwin.results.data_sets import DataSetComparison
    from clearwin.results.folds import FoldComparison
    from clearwin.results.leaderboard import Areas, Leaderboard
    from clearwin.results.study import Study
    from clearwin.significance.base import Test
    from clearwin.significance.folds import fold_tests
    from clearwin.simulation.study import study

# names are fetched on first use: `clearwin --help` must not pay for numpy
_HOME = {
    "AgainstChance": "results.chance",
    "Areas": "results.leaderboard",
    "Caveat": "results.base",
    "ClearwinError": "errors",
    "Comparison": "results.comparison",
    "ConfusionMatrix": "counts",
    "DataError": "errors",
    "DataSetComparison": "results.data_sets",
    "Estimate": "results.comparison",
    "FileError": "errors",
    "FoldComparison": "results.folds",
    "Interval": "numerics.intervals",
    "JointCounts": "counts",
    "Leaderboard": "results.leaderboard",
    "Measure": "measures.base",
    "NotApplicableError": "errors",
    "OptionError": "errors",
    "PerClass": "results.comparison",
    "ScoreCurves": "results.curves",
    "Study": "results.study",
    "Test": "significance.base",
    "UndefinedError": "errors",
    "UnknownNameError": "errors",
    "against_chance": "analyses.chance",
    "compare": "analyses.compare",
    "compare_areas": "analyses.unpaired",
    "compare_classes": "analyses.per_class",
    "compare_counts": "analyses.compare",
    "compare_data_sets": "analyses.data_sets",
    "compare_folds": "analyses.folds",
    "compare_frame": "analyses.compare",
    "compare_unpaired": "analyses.unpaired",
    "cost_table": "curves.key_points",
    "cross_compare": "analyses.cross_validation",
    "curve": "analyses.curve",
    "custom_measure": "measures.custom",
    "det_curve": "curves.points",
    "dominance": "curves.dominance",
    "equal_error": "curves.key_points",
    "estimate": "analyses.estimate",
    "fold_tests": "significance.folds",
    "lowest_cost": "curves.key_points",
    "measures": "analyses.listing",
    "multiclass_auc": "curves.one_vs_rest",
    "operating_points": "curves.points",
    "pr_curve": "curves.points",
    "rank": "analyses.rank",
    "roc_curve": "curves.points",
    "study": "simulation.study",
    "tests": "analyses.listing",
    "threshold_table": "curves.key_points",
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
