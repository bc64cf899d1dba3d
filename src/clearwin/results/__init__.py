"""Frozen records: every reader starts here."""

from clearwin.numerics.intervals import Interval
from clearwin.results.base import Caveat
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import Comparison, Estimate, PerClass
from clearwin.results.curves import ScoreCurves
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.folds import FoldComparison
from clearwin.results.gate import Gate
from clearwin.results.leaderboard import Leaderboard
from clearwin.results.plan import Plan
from clearwin.results.study import Study

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
