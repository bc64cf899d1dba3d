"""Whether a candidate may replace the model in use: every check, and their joint outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clearwin.numerics.intervals import Interval
from clearwin.numerics.pvalues import AnyClaim
from clearwin.results.base import Result, Signature
from clearwin.results.caveats import Caveat

Outcome = Literal["pass", "fail", "undecided", "not gating"]
EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 3}


@dataclass(frozen=True)
class GateCheck:
    """One measure, on all items or on a slice of them.

    ``p_pass`` is the p-value of the claim, ``p_fail`` that of its contrary, that B is worse by more than the margin
    (or differs by more, where equivalence is claimed), and ``adjusted_p_fail`` is corrected for the number of checks.
    ``items_needed`` is about how many items would decide an undecided check four times in five, if the two models are
    equally good. ``identical`` says that they gave the same answer to every item. Where the margin is ``relative``,
    given in per cent, it, the difference and its interval are shares of A's value. ``p_pass_is_bound`` and
    ``p_fail_is_bound`` say that no draw came as far, so that the p-value may be far smaller.
    """

    name: str
    measure: str
    measure_label: str
    higher_is_better: bool
    claim: AnyClaim
    margin: float
    n: int
    estimate_a: float
    estimate_b: float
    difference: float
    interval: Interval
    p_pass: float
    p_fail: float
    adjusted_p_fail: float
    outcome: Outcome
    identical: bool
    items_needed: int | None
    relative: bool = False
    p_pass_is_bound: bool = False
    p_fail_is_bound: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Gate(Result):
    """Checks of a candidate B against A, and their joint outcome.

    The outcome is "pass", "fail" or "undecided".

    It passes when every check passes, each at ``alpha``: all of them must hold, so none needs a correction (an
    intersection–union test). It fails when a check is shown to fail, with p-values corrected for the number of checks,
    so that equal models fail at most a share alpha of all gates, however many checks there are. ``uses`` is how often
    this test set has been used, this time included, where a ledger is kept; ``alpha`` is then the level left for this
    use.
    """

    tables = ("checks",)
    marker = "<!-- clearwin gate -->"

    name_a: str
    name_b: str
    checks: tuple[GateCheck, ...]
    outcome: Outcome
    correction: str
    alpha: float
    uses: int | None
    test_set: str | None
    baseline: str | None
    null_hypothesis: str
    n: int
    caveats: tuple[Caveat, ...]
    signature: Signature

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 for a failure, 3 if undecided."""
        return EXIT_CODES[self.outcome]

    def __repr__(self) -> str:
        return f"Gate({self.outcome}: {self.name_a}, {self.name_b}, {len(self.checks)} checks)"
