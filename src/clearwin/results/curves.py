"""The curves of one or more models, with their key points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from clearwin.curves.bands import Bands
from clearwin.curves.dominance import Dominance
from clearwin.curves.key_points import EqualError, LowestCost, RocPoint
from clearwin.curves.points import Curve
from clearwin.numerics.intervals import Interval
from clearwin.results.base import Result, Signature
from clearwin.results.caveats import Caveat


@dataclass(frozen=True, eq=False)
class ModelCurve:
    """One model: its curve, and the points that are asked for most.

    ``recall_at`` has the recall at false positive rates of 1, 5 and 10 %; ``bands`` is None unless asked for.
    ``auc_interval`` and ``eer_interval`` are those that ``estimate`` gives.
    """

    name: str
    curve: Curve
    auc: float
    average_precision: float
    equal_error: EqualError
    lowest_cost: LowestCost
    break_even: float
    recall_at: tuple[RocPoint, ...]
    bands: Bands | None
    auc_interval: Interval
    eer_interval: Interval


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurves(Result):
    """Curves of one or more models on the same items.

    For two models ``dominance`` says which ROC curve lies above where.

    ``print`` shows the key points, ``plot`` draws, ``to_json`` is for machines.
    """

    infinite_as_text = True

    kind: Literal["roc", "det", "pr"]
    models: tuple[ModelCurve, ...]
    dominance: Dominance | None
    n: int
    positives: int
    negatives: int
    positive: str
    positive_inferred: bool
    caveats: tuple[Caveat, ...]
    signature: Signature
    lower_is_positive: tuple[str, ...] = ()

    def to_dict(self, *, points: bool = False) -> dict[str, Any]:
        """Return plain Python values that JSON can carry.

        Every point of the curves is among them only if asked for.
        """
        record = super().to_dict()
        if self.dominance is not None:
            record["dominance"]["crossings"] = list(self.dominance.crossings)
        if not points:
            for model in record["models"]:
                del model["curve"]
        return record

    def __repr__(self) -> str:
        inside = ", ".join(f"{model.name!r} AUC {model.auc:.4g}" for model in self.models)
        return f"ScoreCurves({self.kind}: {inside}, n={self.n})"
