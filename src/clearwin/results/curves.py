"""The curves of one or two models, with their key points."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clearwin.curves.bands import Bands
from clearwin.curves.dominance import Dominance
from clearwin.curves.key_points import EqualError, LowestCost, RocPoint
from clearwin.curves.points import Curve
from clearwin.numerics.thresholds import written
from clearwin.results.base import Caveat, Signature, Told

if TYPE_CHECKING:
    from clearwin.wording.base import Story


@dataclass(frozen=True, eq=False)
class ModelCurve:
    """One model: its curve, and the points that are asked for most.

    ``recall_at`` has the recall at false positive rates of 1, 5 and 10 %; ``bands`` is None unless asked for.
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


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurves(Told):
    """Curves of one or two models on the same items; ``dominance`` says which ROC curve lies above where.

    ``print`` shows the key points, ``plot`` draws, ``to_json`` is for machines.
    """

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

    def to_dict(self, *, points: bool = False) -> dict[str, Any]:
        """Return plain Python values that JSON can carry, with every point of the curves only if asked for.

        An infinite number is the text "inf" or "-inf", which ``float`` reads.
        """
        found = {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}
        if self.dominance is not None:
            found["dominance"]["crossings"] = list(self.dominance.crossings)
        if not points:
            for model in found["models"]:
                del model["curve"]
        return found

    def to_json(self, *, points: bool = False, indent: int | None = 2) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.to_dict(points=points), indent=indent, allow_nan=False)

    def story(self, alpha: float = 0.05) -> Story:
        """Return what the curves tell, in parts; nothing is tested, so ``alpha`` changes nothing."""
        from clearwin.wording.curves import story

        return story(self)

    def __repr__(self) -> str:
        inside = ", ".join(f"{model.name!r} AUC {model.auc:.4g}" for model in self.models)
        return f"ScoreCurves({self.kind}: {inside}, n={self.n})"


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: records as dictionaries, arrays as lists, infinities as text."""
    if isinstance(value, np.ndarray):
        value = (written(value) if value.dtype.kind == "f" else value).tolist()
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return str(value) if isinstance(value, float) and math.isinf(value) else value
