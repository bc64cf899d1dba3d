"""The verb ``plan``: how many items does it take to show a difference that matters?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np

from clearwin.analyses.assumptions import (
    Assumed,
    PopulationWith,
    check_assumed,
    closed_form,
    of_rates,
    of_scores,
)
from clearwin.analyses.compare import counts_of, refuse_besides_counts
from clearwin.analyses.judging import against_chance, with_design_effect
from clearwin.analyses.repeating import repeatable
from clearwin.counts import JointCounts
from clearwin.data.arrays import names_of
from clearwin.data.questions import Options, Question, two_names
from clearwin.data.reading import Read, Reading
from clearwin.data.scores import models_with_lower_positive
from clearwin.data.values import refuse_winners
from clearwin.errors import DataError, NotApplicableError, OptionError, UndefinedError, setting
from clearwin.measures import Measure, find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.intervals import alpha_of
from clearwin.numerics.power import NormalPower
from clearwin.numerics.pvalues import MARGIN_CLAIMS, AnyClaim
from clearwin.reading.opening import refuse_id_of_arrays, takes_data
from clearwin.reading.reading import read_data
from clearwin.resampling.contributions import contributions
from clearwin.resampling.functionals import functional, is_designed
from clearwin.results.base import Signature
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.plan import Plan, PlannedPower, Spread
from clearwin.significance import unseen
from clearwin.significance.caveats import undefined_for
from clearwin.significance.power import Claimed, PlannedPopulation, PowerCurve, of_units
from clearwin.streams import Purpose, RngLike, Seed

OTHER_PILOTS = 200
UNITS_OF_OTHERS = 200_000  # units times pilots that are drawn anew in a second or two
EDGES = (0.1, 0.9)  # of what other pilots would say
POWERS = (0.25, 0.5, 0.8, 0.9, 0.95)  # of the table
FEWEST_DIFFERING = 10  # units on which the pilot's models differ
SAME_SIZE = 0.05  # of ln n: two sizes this close need only one
STEPS = 3  # towards the smallest difference


@repeatable()
@matched_by_position()
@takes_data
def plan(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
    measure: MeasureLike = "f1",
    difference: float | None = None,
    items: int | None = None,
    power: float | None = None,
    claim: AnyClaim = "different",
    margin: float | str | None = None,
    design_effect: float | None = None,
    disagreement: float | None = None,
    accuracy_a: float | None = None,
    prevalence: float | None = None,
    recall_a: float | None = None,
    false_positive_rate_a: float | None = None,
    auc_a: float | None = None,
    correlation: float | None = None,
    deviation: float | None = None,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    labels: Any = None,
    separator: str | None = None,
    threshold: Any = None,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    missing: str = "refuse",
    n_resamples: int = 4_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] | None = None,
) -> Plan:
    """Return how many items it takes to show a difference.

    It can also return how often a number of items shows it, or which difference they can show.

    Give two of ``difference``, ``items`` and ``power``; ``power`` is 0.8 unless the other two are given.

    Parameters
    ----------
    truth, a, b, data, id, measure, positive, groups, strata, labels, separator, threshold, rank_infinite,
    lower_is_positive, missing
        A pilot, as :func:`compare` takes it. It shows how much test sets vary, never what the difference is: its items
        are reweighted to the likeliest population in which the models differ by the difference you name.
    difference
        The difference worth finding, which you name: how much better B would be (worse, if that is the claim). For
        claims with a margin it is B's true gain, by default 0.
    items, power
        The size of the test set, and how often it should show the claim.
    claim, margin
        What you want to show, as for :func:`compare`.
    design_effect
        The variance divided by that of independent items. A pilot with ``groups`` has its own.
    disagreement, accuracy_a
        Without a pilot: the share of items on which exactly one model is right, for accuracy and the like (Connor
        1987). A's accuracy is only checked against it.
    prevalence, recall_a, false_positive_rate_a
        Besides the disagreement, for other measures of two classes: the share of positive items, and A's rates.
    auc_a, correlation
        Besides the prevalence, for measures of scores: A's AUC, and how the models' normal scores are correlated among
        items of one class.
    deviation
        For a mean of values: the standard deviation of b − a between items.
    n_resamples, confidence_level, rng, names
        The number of test sets drawn at each size, the level at which they are judged, the seed, and what to call the
        two.

    Examples
    --------
    >>> import clearwin as cw
    >>> pilot = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    >>> p = cw.plan(pilot, measure="f1", difference=0.05, rng=1)
    >>> 800 < p.items < 1_300, p.spread.low < p.items < p.spread.high
    (True, True)
    >>> print(cw.plan(measure="accuracy", difference=0.4, disagreement=0.5).verdict())
    To find a difference of 0.4 in accuracy four times in five takes about 23 items. You chose the 0.4 and the rates.
    """
    chosen = find(measure)
    refuse_id_of_arrays(data, id)
    how = Reading(
        positive=positive,
        groups=groups,
        strata=strata,
        labels=labels,
        separator=separator,
        threshold=threshold,
        rank_infinite=rank_infinite,
        missing=missing,
    )
    refuse_winners(chosen)
    if names is None:
        names = names_of(a, b) if data is None else data.names(truth, {"a": a, "b": b}, how)
    options = Options(
        claim=claim,
        margin=cast(Any, margin),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=Seed.of(rng),
        names=two_names(names),
    )
    if options.relative:
        raise OptionError(
            f"margin is {margin!r}, a share of A's value, which a plan does not know.",
            "the margin in the measure's own units",
            setting("margin", 0.01),
        )
    assumed = Assumed(
        disagreement=disagreement,
        accuracy_a=accuracy_a,
        prevalence=prevalence,
        recall_a=recall_a,
        false_positive_rate_a=false_positive_rate_a,
        auc_a=auc_a,
        correlation=correlation,
        deviation=deviation,
    )
    wanted = Goal.of(difference, items, power, design_effect, options, chosen)
    if all(given is None for given in (truth, a, b, data)):
        return plan_by_rates(assumed, chosen, wanted, options)
    refuse_rates(assumed)
    lower = models_with_lower_positive(lower_is_positive, dict(zip("ab", options.names, strict=True)))
    how = replace(how, lower_is_positive=lower)
    if isinstance(truth, JointCounts):
        refuse_besides_counts({"a": a, "b": b, "data": data, **vars(how), "lower_is_positive": lower_is_positive})
        return plan_by_pilot(counts_of(truth, chosen), wanted, options)
    for role, values in (("a", a), ("b", b)):
        if values is None and (data is None or not data.labels_are_text):
            raise DataError(f"{role} is None.", "the answers of two models", "plan(truth, a, b, difference=0.02)")
    return plan_by_pilot(read_data(data, truth, {"a": a, "b": b}, chosen, how), wanted, options)


def refuse_rates(assumed: Assumed) -> None:
    """Raise if rates were assumed although there is a pilot, which has its own."""
    for name in assumed.given:
        raise OptionError(
            f"Both a pilot and {name} were given.",
            "one of them: the pilot has its own rates",
            f"leave {name} out",
        )


@dataclass(frozen=True)
class Goal:
    """What a plan was given: two of difference, items and power; the third is asked for."""

    difference: float | None
    items: int | None
    power: float
    design_effect: float | None
    claimed: Claimed

    @classmethod
    def of(
        cls,
        difference: float | None,
        items: int | None,
        power: float | None,
        design_effect: float | None,
        options: Options,
        measure: Measure,
    ) -> Goal:
        """Check what was given."""
        if measure.is_sum:
            raise OptionError(
                f"{measure.label} grows with the number of items, so a difference in it depends on how many there are.",
                "a mean",
                setting("measure", "mean"),
            )
        claimed = Claimed(options.claim, options.margin, measure.sign, alpha_of(options.confidence_level))
        if options.claim in MARGIN_CLAIMS and difference is None:
            difference = 0.0  # both are as good
        _check_three(difference, items, power)
        if difference is not None:
            difference = _checked_difference(difference, claimed, measure)
        if items is not None:
            whole = isinstance(items, int | np.integer) and not isinstance(items, bool)
            if not whole or items < 2:
                raise OptionError(f"items is {items!r}.", "a whole number, 2 or more", setting("items", 1000))
        if power is not None and not (_is_number(power) and claimed.alpha < power < 1.0):
            raise OptionError(
                f"power is {power!r}.",
                f"a number above {claimed.alpha:g}, the level of the test, and below 1",
                setting("power", 0.8),
            )
        if design_effect is not None and not (_is_number(design_effect) and 0.0 < design_effect < math.inf):
            raise OptionError(
                f"design_effect is {design_effect!r}.",
                "the variance divided by that of independent items",
                setting("design_effect", 1.5),
            )
        size = None if items is None else int(items)
        return cls(difference, size, 0.8 if power is None else float(power), design_effect, claimed)

    @property
    def asked(self) -> Literal["items", "power", "difference"]:
        """What was not given."""
        return "items" if self.items is None else "difference" if self.difference is None else "power"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _check_three(difference: Any, items: Any, power: Any) -> None:
    if difference is None and items is None:
        raise OptionError(
            "No difference worth finding was given.",
            "a difference that would matter to you, or the items that you have",
            setting("difference", 0.02) + ", or " + setting("items", 1000),
        )
    if difference is not None and items is not None and power is not None:
        raise OptionError(
            "Items, power and the difference were all given (claims with a margin have the difference 0).",
            "two of them, because a plan computes the third",
            "leave power out",
        )


def _checked_difference(difference: Any, claimed: Claimed, measure: Measure) -> float:
    """Return the difference, or raise if the claim cannot be about it."""
    low, high = measure.bounds
    if claimed.margin is not None and claimed.claim in MARGIN_CLAIMS:
        least, most = -claimed.margin, claimed.margin if claimed.claim == "equivalent" else math.inf
        expected = f"B's true gain, above {least:g}" + (f" and below {most:g}" if most < math.inf else "")
        example = setting("difference", 0.0)
    else:
        least, most = claimed.margin or 0.0, high - low
        example = setting("difference", 2.0 * least or 0.02)
        expected = f"the size of the difference worth finding, above {least:g}" + f" and below {most:g}" * (
            most < math.inf
        )
    if not _is_number(difference) or not least < float(difference) < most:
        raise OptionError(f"difference is {difference!r}.", expected, example)
    return float(difference)


@dataclass(frozen=True, eq=False)
class Outlook:
    """What test sets of units would show if the difference were the ``named`` one."""

    named: float
    curve: PowerCurve | NormalPower

    def units(self, power: float) -> float:
        """Return how many units have the power, by test sets of about that size."""
        if isinstance(self.curve, PowerCurve):
            for _ in range(2):
                self.curve.draw(self.curve.units(power))
        return self.curve.units(power)

    def smallest(self, n: float, power: float) -> float:
        """Return how far from the null hypothesis n units show it with the power, if they vary as much as here."""
        if isinstance(self.curve, NormalPower):
            return self.curve.smallest(n, power)
        self.curve.draw(n)
        return self.curve.normal.smallest(n * self.curve.worth(n), power)

    @cached_property
    def population(self) -> PlannedPopulation | None:
        """The population that test sets are drawn from."""
        return self.curve.population if isinstance(self.curve, PowerCurve) else None


Looking = Callable[[float], Outlook]  # a named difference → what would be shown


def plan_by_rates(assumed: Assumed, measure: Measure, wanted: Goal, options: Options) -> Plan:
    """Plan without a pilot."""
    check_assumed(assumed, measure)
    claimed, source = wanted.claimed, _assumed_population(assumed, measure)
    options = options.with_seed_of(repr(assumed))

    def look(named: float) -> Outlook:
        difference = claimed.difference(named)
        formula = closed_form(assumed, measure, claimed, difference)
        if formula is not None:
            return Outlook(named, formula)
        assert source is not None
        return Outlook(named, PowerCurve(source(difference), claimed, options.n_resamples, options.seed))

    return _Planning(look, wanted, options, measure, assumed=assumed).record()


def _assumed_population(assumed: Assumed, measure: Measure) -> PopulationWith | None:
    if assumed.prevalence is None:
        return None
    return (of_scores if measure.takes == "scores" else of_rates)(assumed, measure)


def _refuse_undefined(question: Question[Any]) -> None:
    """Raise if a value of the pilot is 0/0, because how much it varies is then not known either."""
    measure, who = question.measure, " and ".join(undefined_for(question, question.options.names))
    if who and not measure.in_parts:
        raise UndefinedError(
            f"{measure.label} is undefined (0/0) for {who} in this pilot, because {measure.undefined_when}.",
            "a pilot in which both models have a value",
            "use a larger pilot",
        )


def plan_by_pilot(read: Read, wanted: Goal, options: Options) -> Plan:
    """Plan by a pilot, however it was read."""
    sample, measure = read
    options = options.with_seed_of(sample.fingerprint)
    question = Question(sample, measure, options)
    _refuse_undefined(question)
    if is_designed(sample) and wanted.design_effect is not None:
        raise OptionError(
            "The pilot has groups or strata, and a design effect was given as well.",
            "one of them: the pilot has its own",
            "leave design_effect out",
        )

    def look(named: float) -> Outlook:
        difference = wanted.claimed.difference(named)
        if is_designed(sample):
            added = contributions(sample, measure)
            missed = None if added is None else unseen.of_units(question, added, single=False, weight=1.0)
            found = None if added is None else of_units(added, difference, missed)
        else:
            items = functional(sample, measure)
            missed = None if items is None else unseen.of_items(question, items, single=False, weight=1.0)
            found = None if items is None else PlannedPopulation(items, difference, unseen=missed)
        if found is None:
            raise NotApplicableError(
                f"How much {label_of(measure)} varies between test sets cannot be estimated from this pilot.",
                "a pilot with items of every class, and a measure that moves with each item",
            )
        return Outlook(named, PowerCurve(found, wanted.claimed, options.n_resamples, options.seed))

    return _Planning(look, wanted, options, measure, question=question).record()


@dataclass(frozen=True, eq=False)
class _Planning:
    """Everything that a plan is made of."""

    look: Looking
    wanted: Goal
    options: Options
    measure: Measure
    question: Question[Any] | None = None  # about the pilot
    assumed: Assumed = field(default_factory=Assumed)

    @cached_property
    def design_effect(self) -> float | None:
        """The design effect of the pilot's groups, or as given."""
        if self.question is None or self.wanted.design_effect is not None:
            return self.wanted.design_effect
        sampling = with_design_effect(self.question)
        return None if sampling is None else sampling.design_effect

    @cached_property
    def items_per_unit(self) -> float:
        """The items in a unit; with a design effect, as many items as make one independent item."""
        sampling = None if self.question is None else self.question.sampling
        if self.question is not None and sampling is not None and sampling.unit == "group":
            return self.question.n / sampling.n_units
        return self.wanted.design_effect or 1.0

    @cached_property
    def outlook(self) -> Outlook:
        """What would be shown with the named difference, or with the smallest detectable one."""
        wanted = self.wanted
        if wanted.difference is not None:
            return self.look(wanted.difference)
        assert wanted.items is not None
        n = wanted.items / self.items_per_unit
        margin = self.options.margin or 0.0
        equal = self.look(margin).curve
        named = margin + (equal.normal if isinstance(equal, PowerCurve) else equal).smallest(n, wanted.power)
        for _ in range(STEPS):  # each by what varies with the difference before
            named = margin + self.look(named).smallest(n, wanted.power)
        return self.look(named)

    def record(self) -> Plan:
        """Find what was asked for, and the curve around it."""
        wanted, outlook = self.wanted, self.outlook
        if wanted.items is None:
            sizes = self._sizes(outlook.units(wanted.power))
            units = outlook.curve.units(wanted.power)
        else:
            units = wanted.items / self.items_per_unit
            sizes = self._sizes(units)
        power = outlook.curve.power(units) if wanted.asked == "power" else wanted.power
        spread = self._spread(units, power)
        about = None if self.question is None else self.question.sample.about
        sampling = None if self.question is None else self.question.sampling
        groups = sampling is not None and sampling.unit == "group"
        items = wanted.items or _whole(math.ceil(units - 1e-9) if groups else units, self.items_per_unit)
        return Plan(
            asked=wanted.asked,
            name_a=self.options.names[0],
            name_b=self.options.names[1],
            measure=str(self.measure),
            measure_label=label_of(self.measure),
            higher_is_better=self.measure.higher_is_better,
            claim=self.options.claim,
            margin=self.options.margin,
            difference=outlook.named,
            power=power,
            items=items,
            units=math.ceil(units - 1e-9) if groups else None,
            spread=spread,
            curve=self._curve([units, *sizes]),
            method=self._method,
            design_effect=self.design_effect,
            pilot_items=None if self.question is None else self.question.n,
            assumed=self.assumed.given,
            caveats=self._caveats(units),
            signature=self._signature(),
            positive=None if about is None or about.positive is None else str(about.positive),
            positive_inferred=about is not None and about.inferred,
            thresholds=None if about is None else about.thresholds,
            sampling=sampling,
            labels=None if about is None else about.labels,
            lower_is_positive=()
            if about is None
            else tuple(n for n, low in zip(self.options.names, about.lower_is_positive, strict=False) if low),
        )

    @property
    def _method(self) -> str:
        curve = self.outlook.curve
        if isinstance(curve, NormalPower):
            if self.assumed.deviation is not None:
                return "normal approximation, z = d/(s/√n)"
            return "Connor 1987" if self.measure.decomposition == "items" else "keller2004 (9)"
        return "simulated" if curve.simulates else "normal approximation"

    def _spread(self, units: float, power: float) -> Spread | None:
        """Return what other pilots of the same size would give, by how much test sets vary in their populations."""
        population = self.outlook.population
        if population is None or self.question is None:
            return None
        stream = self.options.seed.stream(Purpose.OTHER_PILOTS, 0)
        others = min(OTHER_PILOTS, max(UNITS_OF_OTHERS // population.estimand.times.size, OTHER_PILOTS // 5))
        ratios = []
        for _ in range(others):
            try:
                ratios.append((population.redrawn(stream).deviation / population.deviation) ** 2)
            except (OptionError, ArithmeticError):  # a pilot in whose population no such difference is possible
                continue
        low, high = (float(x) for x in np.quantile(ratios, EDGES))
        if self.wanted.asked == "items":
            return Spread(_whole(units * low, self.items_per_unit), _whole(units * high, self.items_per_unit))
        if self.wanted.asked == "difference":
            margin = self.options.margin or 0.0
            beyond = self.outlook.named - margin
            return Spread(margin + beyond * math.sqrt(low), margin + beyond * math.sqrt(high))
        return Spread(self.outlook.curve.power(units / high), self.outlook.curve.power(units / low))

    def _sizes(self, units: float) -> list[float]:
        """Return the sizes that have one of the usual powers other than the one asked about; draw at each of them."""
        curve, sizes = self.outlook.curve, [max(units, 2.0)]
        for power in POWERS:
            size = max(curve.units(power), 2.0)
            if all(abs(math.log(size / other)) > SAME_SIZE for other in sizes):
                sizes.append(size)
        if isinstance(curve, PowerCurve):
            for size in sizes:
                curve.draw(size)
        return sizes[1:]

    def _curve(self, sizes: list[float]) -> tuple[PlannedPower, ...]:
        curve = self.outlook.curve
        whole = sorted(math.ceil(size - 1e-9) for size in sizes)
        errors = [curve.error(size) if isinstance(curve, PowerCurve) else None for size in whole]
        return tuple(
            PlannedPower(_whole(size, self.items_per_unit), curve.power(size), error)
            for size, error in zip(whole, errors, strict=True)
        )

    def _caveats(self, units: float) -> tuple[Caveat, ...]:
        found: list[Caveat] = []
        question = self.question
        if question is not None:
            found += against_chance(question, question.options.names) + question.sample.about.caveats
            n_differing_units = question.sample.n_differing_units(question.measure)
            if n_differing_units < FEWEST_DIFFERING:
                found.append(caveat("few_telling", n_differing_units=n_differing_units, n=question.n))
            if question.sampling is not None and question.sampling.strata:
                found.append(caveat("strata_kept"))
        if isinstance(self.outlook.curve, PowerCurve) and not self.outlook.curve.simulates:
            found.append(caveat("not_simulated"))
        if units < 20:
            found.append(caveat("few_units"))
        return tuple(found)

    def _signature(self) -> Signature:
        from clearwin import __version__

        claim, margin = self.options.claim, self.options.margin
        return Signature(
            version=__version__,
            n=0 if self.question is None else self.question.n,
            measure=str(self.measure),
            test="studentised" if isinstance(self.outlook.curve, PowerCurve) else self._method,
            method=self._method,
            interval="none",
            claim=claim if margin is None else f"{claim}({margin:g})",
            confidence_level=self.options.confidence_level,
            n_resamples=self.options.n_resamples,
            seed=str(self.options.seed),
            data="none" if self.question is None else self.question.sample.fingerprint,
        )


def _whole(units: float, items_per_unit: float) -> int:
    """Return the number of items in ``units`` units, rounded up."""
    return max(math.ceil(units * items_per_unit - 1e-9), 2)
