"""One confusion matrix against chance."""

from __future__ import annotations

from dataclasses import dataclass

from clearwin.numerics.intervals import Interval
from clearwin.results.base import Result, Signature
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Decision


@dataclass(frozen=True)
class ClassRecall:
    """How many items of one class are right; ``recall`` and ``interval`` are None for a class that never occurs."""

    label: str
    n: int
    right: int
    recall: float | None
    interval: Interval | None


@dataclass(frozen=True, kw_only=True, repr=False)
class AgainstChance(Result):
    """One confusion matrix against a random classifier with the same margins (nyssen1998).

    ``efficiency`` is the share of right items, ``interval`` its interval, ``expected_efficiency`` what chance gets;
    ``kappa`` is how much of the way from there to 1 it covers. ``p_error`` is the standard error of a sampled p-value,
    ``p_bound`` the certified relative error of an exact one. ``decision`` is "better" (than chance) or "not shown",
    judged at 1 − confidence level. ``seconds`` says what each method was predicted to cost.
    """

    name: str
    matrix: tuple[tuple[int, ...], ...]
    right: int
    efficiency: float
    expected_efficiency: float
    kappa: float | None
    recalls: tuple[ClassRecall, ...]
    method: str
    why: str
    seconds: dict[str, float]
    null_hypothesis: str
    statistic: float
    p_value: float
    log10_p: float
    p_error: float | None
    p_bound: float | None
    decision: Decision
    n: int
    interval: Interval
    caveats: tuple[Caveat, ...]
    signature: Signature
    labels: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"AgainstChance({self.right} of {self.n} right, {self.efficiency:.4g} against "
            f"{self.expected_efficiency:.4g} by chance, p={self.p_value:.4g}, {self.method})"
        )
