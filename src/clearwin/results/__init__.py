"""Frozen records: every reader starts here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clearwin.numerics.intervals import Interval
    from clearwin.results.caveats import Caveat
    from clearwin.results.chance import AgainstChance
    from clearwin.results.comparison import Comparison, Estimate, PerClass
    from clearwin.results.curves import ScoreCurves
    from clearwin.results.data_sets import DataSetComparison
    from clearwin.results.folds import FoldComparison
    from clearwin.results.gate import Gate
    from clearwin.results.leaderboard import Leaderboard
    from clearwin.results.plan import Plan
    from clearwin.results.study import Study

# Names are imported on first use, so that a comparison does not pay for the records of a study.
_HOME = {
    "AgainstChance": "results.chance",
    "Caveat": "results.caveats",
    "Comparison": "results.comparison",
    "DataSetComparison": "results.data_sets",
    "Estimate": "results.comparison",
    "FoldComparison": "results.folds",
    "Gate": "results.gate",
    "Interval": "numerics.intervals",
    "Leaderboard": "results.leaderboard",
    "PerClass": "results.comparison",
    "Plan": "results.plan",
    "ScoreCurves": "results.curves",
    "Study": "results.study",
}

__all__ = [
    "AgainstChance",
    "Caveat",
    "Comparison",
    "DataSetComparison",
    "Estimate",
    "FoldComparison",
    "Gate",
    "Interval",
    "Leaderboard",
    "PerClass",
    "Plan",
    "ScoreCurves",
    "Study",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'clearwin.results' has no attribute {name!r}")
    return getattr(import_module(f"clearwin.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
