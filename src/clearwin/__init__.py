"""clearwin: is classifier B really better than classifier A, or is the difference luck?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "1.0.0rc1"

if TYPE_CHECKING:
    from clearwin import curves, errors, results
    from clearwin.analyses.chance import against_chance
    from clearwin.analyses.compare import compare
    from clearwin.analyses.cross_validation import cross_compare
    from clearwin.analyses.curve import curve
    from clearwin.analyses.data_sets import rank_data_sets
    from clearwin.analyses.estimate import estimate
    from clearwin.analyses.folds import compare_folds
    from clearwin.analyses.gate import assert_not_worse, gate
    from clearwin.analyses.listing import list_measures, list_tests
    from clearwin.analyses.per_class import compare_by_class
    from clearwin.analyses.plan import plan
    from clearwin.analyses.rank import rank
    from clearwin.analyses.unpaired import compare_unpaired
    from clearwin.counts import ConfusionMatrix, JointCounts
    from clearwin.data import logs
    from clearwin.data.frames import join_frames
    from clearwin.errors import ClearwinError
    from clearwin.measures.custom import custom_measure
    from clearwin.simulation.study import study

# names are fetched on first use: `clearwin --help` must not pay for numpy
_HOME = {
    "ClearwinError": "errors",
    "ConfusionMatrix": "counts",
    "JointCounts": "counts",
    "against_chance": "analyses.chance",
    "assert_not_worse": "analyses.gate",
    "compare": "analyses.compare",
    "compare_by_class": "analyses.per_class",
    "compare_folds": "analyses.folds",
    "compare_unpaired": "analyses.unpaired",
    "cross_compare": "analyses.cross_validation",
    "curve": "analyses.curve",
    "custom_measure": "measures.custom",
    "estimate": "analyses.estimate",
    "gate": "analyses.gate",
    "join_frames": "data.frames",
    "list_measures": "analyses.listing",
    "list_tests": "analyses.listing",
    "plan": "analyses.plan",
    "rank": "analyses.rank",
    "rank_data_sets": "analyses.data_sets",
    "study": "simulation.study",
}
_NAMESPACES = {"curves": "curves", "errors": "errors", "logs": "data.logs", "results": "results"}

__all__ = [
    "ClearwinError",
    "ConfusionMatrix",
    "JointCounts",
    "against_chance",
    "assert_not_worse",
    "compare",
    "compare_by_class",
    "compare_folds",
    "compare_unpaired",
    "cross_compare",
    "curve",
    "curves",
    "custom_measure",
    "errors",
    "estimate",
    "gate",
    "join_frames",
    "list_measures",
    "list_tests",
    "logs",
    "plan",
    "rank",
    "rank_data_sets",
    "results",
    "study",
]


def __getattr__(name: str) -> Any:
    if name in _NAMESPACES:
        return import_module(f"clearwin.{_NAMESPACES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'clearwin' has no attribute {name!r}")
    return getattr(import_module(f"clearwin.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
