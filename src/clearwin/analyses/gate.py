"""May B replace A? Several measures and slices, one decision, with few false alarms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from clearwin.analyses.compare import compare
from clearwin.analyses.repeating import repeatable
from clearwin.data.questions import check_confidence_level, claimed_margin
from clearwin.errors import DataError, OptionError, UnknownNameError, setting
from clearwin.measures import find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.corrections import adjust
from clearwin.numerics.power import NormalPower
from clearwin.numerics.pvalues import MARGIN_CLAIMS, AnyClaim
from clearwin.reading.opening import takes_table
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.comparison import Comparison, PartDifference
from clearwin.results.gate import Gate, GateCheck, Outcome
from clearwin.settings import ALSO_OF_CHECKS, OF_CHECKS
from clearwin.streams import Seed
from clearwin.text import called

MIN_SLICE = 50
POWER = 0.8
KEYS = (*OF_CHECKS, *ALSO_OF_CHECKS)
Ask = Callable[..., Comparison]  # measure, claim, margin, by → the comparison


@dataclass(frozen=True)
class Check:
    """One check: a measure, a claim with its margin, and the column of slices, if there is one."""

    measure: MeasureLike
    margin: float | str
    claim: AnyClaim = "not_worse"
    by: Any = None
    reading: Mapping[str, Any] = field(default_factory=dict)  # its own positive class, labels or threshold

    def __post_init__(self) -> None:
        if self.claim not in MARGIN_CLAIMS:
            raise UnknownNameError("claim of a gate", self.claim, MARGIN_CLAIMS)
        claimed_margin(self.claim, self.margin)
        find(self.measure)

    @property
    def size(self) -> float:
        """The margin in the measure's units, or as a share of A's value."""
        return claimed_margin(self.claim, self.margin)[0]

    @property
    def relative(self) -> bool:
        """Whether the margin is a share of A's value."""
        return claimed_margin(self.claim, self.margin)[1]

    @classmethod
    def of(cls, given: Any) -> Check:
        """Return the check that a mapping describes."""
        if not isinstance(given, Mapping):
            raise OptionError(f"A check is {given!r}.", "a mapping", 'checks=[{"measure": "f1", "margin": 0.005}]')
        for key in given:
            if key not in KEYS:
                raise UnknownNameError("key of a check", key, KEYS)
        if "margin" not in given:
            what = f"The check of {given.get('measure', 'f1')} has no margin."
            raise OptionError(what, "the largest difference that does not matter", "margin = 0.01")
        own = {key: given[key] for key in ALSO_OF_CHECKS if key in given}
        return cls(**{"measure": "f1", **{key: given[key] for key in OF_CHECKS if key in given}}, reading=own)


@dataclass(frozen=True)
class Rules:
    """How checks are put together: the correction of failures, the smallest slice that counts, the level.

    ``uses`` is how often the test set has been used, this time included; the level is then divided among all uses.
    """

    correction: str = "holm"
    min_slice: int = MIN_SLICE
    alpha: float = 0.05
    uses: int | None = None

    @property
    def level(self) -> float:
        """What is left of alpha for this use: α·6/(π²k²) at the k-th, which sums to α over all of them."""
        return self.alpha if self.uses is None else self.alpha * 6.0 / (math.pi * self.uses) ** 2


@repeatable()
@matched_by_position()
@takes_table
def gate(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    measure: MeasureLike = "f1",
    margin: float | str | None = None,
    claim: AnyClaim = "not_worse",
    by: Any = None,
    checks: Sequence[Mapping[str, Any]] | None = None,
    min_slice: int = MIN_SLICE,
    correction: str = "holm",
    confidence_level: float = 0.95,
    **settings: Any,
) -> Gate:
    """Return whether B can replace A: pass, fail, or undecided.

    One check is given by ``measure``, ``margin``, ``claim`` ("not_worse" or "equivalent") and ``by``, several by
    ``checks``, a list of mappings with these keys, and with ``positive``, ``labels`` or ``threshold`` where a check has
    its own. ``by`` also checks every slice; slices with fewer than ``min_slice``
    items are reported but do not count. The gate passes if every claim is shown at 1 − ``confidence_level``. It fails
    if B is shown to be worse by more than a margin, with p-values corrected for the number of checks (``correction``).
    Models that give the same answer to every item pass. Other ``settings`` are those of :func:`compare`.

    >>> import clearwin as cw
    >>> truth = [1] * 300 + [0] * 700
    >>> a = [1] * 280 + [0] * 20 + [1] * 30 + [0] * 670
    >>> b = [1] * 278 + [0] * 22 + [1] * 27 + [0] * 673
    >>> r = cw.gate(truth, a, b, measure="accuracy", margin=0.02, rng=1)
    >>> r.outcome, r.exit_code
    ('pass', 0)
    """
    if checks is None:
        if margin is None:
            raise OptionError(
                "There is no margin.", "the largest difference that does not matter", setting("margin", 0.01)
            )
        checks = [{"measure": measure, "margin": margin, "claim": claim, "by": by}]
    check_confidence_level(confidence_level)
    wanted = [Check.of(one) for one in checks]
    ask = partial(compare, truth, a, b, data=data, confidence_level=confidence_level, **settings)
    return gated(ask, wanted, Rules(correction, min_slice, 1.0 - confidence_level))


def gated(ask: Ask, checks: Sequence[Check], rules: Rules) -> Gate:
    """Ask all checks and decide."""
    if not checks:
        raise OptionError("There are no checks.", "at least one check", 'checks=[{"measure": "f1", "margin": 0.005}]')
    ask = _with_one_seed(ask)
    found: list[GateCheck] = []
    firsts: list[Comparison] = []
    for check in checks:
        asked = _asked(ask, check, rules)
        firsts.append(asked[0])
        found += _checked(check, asked, rules)
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError(f"The check {twice!r} occurs twice.", "each measure, claim and slice once")
    found = _decided(found, rules)
    first = firsts[0]
    outcome = _together([one.outcome for one in found])
    return Gate(
        name_a=first.name_a,
        name_b=first.name_b,
        checks=tuple(found),
        outcome=outcome,
        correction=rules.correction,
        alpha=rules.level,
        uses=rules.uses,
        test_set=None,
        baseline=None,
        null_hypothesis=f"{first.name_b} is worse than {first.name_a} by the margin of some check or more",
        n=first.n,
        caveats=_caveats(firsts, found, rules),
        signature=replace(
            first.signature, claim="gate", measure=", ".join(dict.fromkeys(one.measure for one in found))
        ),
    )


def _with_one_seed(ask: Ask) -> Ask:
    """Return a way to ask that draws everything from the seed of the first comparison, which the record has."""
    seed: dict[str, Any] = {}

    def again(**check: Any) -> Comparison:
        result = ask(**check, **seed)
        seed["rng"] = Seed.from_text(result.signature.seed).sequence
        return result

    return again


ClaimAndContrary = tuple[Comparison, Comparison, Comparison | None]  # the claim, that B is worse, and that B is better


def _asked(ask: Ask, check: Check, rules: Rules) -> ClaimAndContrary:
    """Ask the claim of a check and its contrary: that B is worse, or for equivalence also better, by more."""
    how = {"measure": check.measure, "margin": check.margin, "confidence_level": 1.0 - rules.level, **check.reading}
    how |= {} if check.by is None else {"by": check.by}
    better = ask(claim="better", **how) if check.claim == "equivalent" else None
    return ask(claim=check.claim, **how), ask(claim="worse", **how), better


def _checked(check: Check, asked: ClaimAndContrary, rules: Rules) -> Iterable[GateCheck]:
    """Return the checks of all items and of every slice; p-values of failures are not corrected yet."""
    claimed, *contrary = (one for one in asked if one is not None)
    label = f"{label_of(find(check.measure))}, {check.claim.replace('_', ' ')}"
    label += "".join(f", {name} {value}" for name, value in check.reading.items())
    yield _one(label, check, claimed, contrary, claimed, rules, gating=True)
    slices = [{part.label: part for part in one.slices} for one in (claimed, *contrary)]
    for name, part in slices[0].items():
        others = [found[name] for found in slices[1:]]
        column = claimed.slicing.by if claimed.slicing is not None else "slice"
        yield _one(
            f"{label}, {called(column, name)}", check, part, others, claimed, rules, gating=part.n >= rules.min_slice
        )


def _one(
    name: str,
    check: Check,
    claimed: Comparison | PartDifference,
    contrary: Sequence[Comparison | PartDifference],
    whole: Comparison,
    rules: Rules,
    *,
    gating: bool,
) -> GateCheck:
    # equivalence fails if either contrary claim holds
    p_fail = min(adjust([one.p_value for one in contrary], "holm"))
    return GateCheck(
        name=name,
        measure=whole.measure,
        measure_label=whole.measure_label,
        higher_is_better=whole.higher_is_better,
        claim=check.claim,
        margin=check.size,
        relative=check.relative,
        n=claimed.n,
        estimate_a=claimed.estimate_a,
        estimate_b=claimed.estimate_b,
        difference=claimed.difference,
        interval=claimed.interval,
        p_pass=claimed.p_value,
        p_fail=p_fail,
        adjusted_p_fail=p_fail,
        outcome="undecided" if gating else "not gating",
        identical=is_identical(whole),
        items_needed=_needed(claimed, check, rules.level),
        p_pass_is_bound=claimed.p_is_bound,
        p_fail_is_bound=min(contrary, key=lambda one: one.p_value).p_is_bound,
    )


def is_identical(result: Comparison) -> bool:
    """Return whether both models gave the same answer to every item."""
    found = result.outcomes
    if "disagreements" in found:
        return found["disagreements"] == 0
    if result.difference != 0.0:
        return False
    if "equal" in found:
        return found["equal"] == result.n
    return result.look_up is not None and not result.disagreements()


def _needed(found: Comparison | PartDifference, check: Check, alpha: float) -> int | None:
    """Return about how many items would show the claim four times in five if the models are equally good.

    The deviation of one item is read off the interval; equivalence must be shown on both sides. A value that was set
    by convention has none, so the number is then not known.
    """
    measure = find(check.measure)
    lowest, highest = measure.bounds
    widest = highest - lowest
    half = found.interval.reach(found.difference, -1.0 if check.relative else -widest, widest)
    if not 0.0 < half < math.inf or (found.undefined_for and not measure.in_parts):
        return None
    sides = 2 if check.claim == "equivalent" else 1
    once = NormalPower((check.size,) * sides, alpha, 1.0, 1.0)
    deviation = half / once.critical * math.sqrt(found.n)
    return math.ceil(replace(once, deviation=deviation, null_deviation=deviation).units(POWER))


def _decided(found: list[GateCheck], rules: Rules) -> list[GateCheck]:
    """Correct the p-values of failures, and decide every check that counts."""
    gating = [one for one in found if one.outcome != "not gating"]
    adjusted = dict(
        zip((one.name for one in gating), adjust([o.p_fail for o in gating], rules.correction), strict=True)
    )
    decided = []
    for one in found:
        if one.outcome == "not gating":
            decided.append(replace(one, items_needed=None))
            continue
        p = adjusted[one.name]
        outcome: Outcome = "undecided"
        if one.identical or one.p_pass <= rules.level:
            outcome = "pass"
        elif p <= rules.level:
            outcome = "fail"
        needed = one.items_needed if outcome == "undecided" else None
        decided.append(replace(one, adjusted_p_fail=p, outcome=outcome, items_needed=needed))
    return decided


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    counted = [outcome for outcome in outcomes if outcome != "not gating"]
    if "fail" in counted:
        return "fail"
    return "pass" if all(outcome == "pass" for outcome in counted) else "undecided"


def _caveats(firsts: Sequence[Comparison], found: Sequence[GateCheck], rules: Rules) -> tuple[Caveat, ...]:
    """Return the caveats of the comparisons, each once, and which slices did not count."""
    told = dict.fromkeys(its for first in firsts for its in first.caveats)
    small = [one.name for one in found if one.outcome == "not gating"]
    if not small:
        return tuple(told)
    return (*told, caveat("small_slices", slices=len(small), fewest=rules.min_slice))


@matched_by_position()
def assert_not_worse(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    margin: float | str,
    undecided: Literal["pass", "fail"] = "fail",
    record_property: Callable[[str, Any], None] | None = None,
    **settings: Any,
) -> Gate:
    """Raise an AssertionError with the verdict unless B is not worse.

    B must be shown to be not worse than A by the margin or more.

    For tests with pytest: ``record_property`` is its fixture, which puts the figures into the JUnit file. ``undecided``
    says how to treat a gate that neither passes nor fails. Returns the gate; ``settings`` are those of :func:`gate`.
    """
    if undecided not in ("pass", "fail"):
        raise UnknownNameError("value of undecided", undecided, ("pass", "fail"))
    found = gate(truth, a, b, margin=margin, **settings)
    if record_property is not None:
        for check in found.checks:
            for name in ("difference", "p_pass", "p_fail", "outcome"):
                record_property(f"clearwin.{check.name}.{name}", getattr(check, name))
    if found.outcome == "fail" or (found.outcome == "undecided" and undecided == "fail"):
        raise AssertionError(str(found))
    return found


def refuse_other_data(given: str, expected: str | None) -> None:
    """Raise if the baseline does not have the digest that was asked for."""
    if expected is not None and given != expected.removeprefix("sha256:"):
        raise DataError(
            f"The baseline has the digest sha256:{given}.",
            f"sha256:{expected.removeprefix('sha256:')}, the digest that you gave",
            "use the file that the gate was set up with, or " + setting("baseline_sha256", given),
        )
