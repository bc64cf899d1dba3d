"""Populations without a pilot: assumed rates become shares of joint outcomes, or scores.

An assumed population is a very large pilot that already has the difference, so everything that works with a pilot works
with it. Its size leaves no range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from clearwin.counts import EVENTS, ConfusionMatrix, JointCounts
from clearwin.data.reading import Reading, read_sample
from clearwin.data.samples import DecisionSample, ReadingNotes
from clearwin.errors import OptionError, setting
from clearwin.measures import Measure
from clearwin.numerics.arrays import Floats
from clearwin.numerics.power import NormalPower
from clearwin.resampling.functionals import functional
from clearwin.significance.power import Claimed, PlannedPopulation

WHOLE = 10**12  # items of an assumed population, so many that half an item more does not matter
LATTICE = 4_000  # scores that stand for the normal distribution
MOST_OF_DISAGREEMENT = 1.0 - 1e-9  # that can favour one model

PopulationWith = Callable[[float], PlannedPopulation]  # difference → a population that has it


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What is assumed without a pilot; None where nothing is.

    ``disagreement`` is the share of items on which exactly one model is right. ``correlation`` is that of the two
    models' scores among items of one class, ``deviation`` that of the values' differences between items.
    """

    disagreement: float | None = None
    accuracy_a: float | None = None
    prevalence: float | None = None
    recall_a: float | None = None
    false_positive_rate_a: float | None = None
    auc_a: float | None = None
    correlation: float | None = None
    deviation: float | None = None

    @property
    def given(self) -> dict[str, float]:
        """What was assumed."""
        return {name: value for name, value in vars(self).items() if value is not None}


# what a measure is planned by: in this order in messages
OF_RATES = {"disagreement": 0.1, "prevalence": 0.3, "recall_a": 0.8, "false_positive_rate_a": 0.1}
OF_SCORES = {"auc_a": 0.8, "prevalence": 0.3, "correlation": 0.5}
OF_ITEMS = {"disagreement": 0.1}
OF_VALUES = {"deviation": 1.0}


def needed(measure: Measure) -> dict[str, float]:
    """Return the rates that a plan for the measure needs, each with an example."""
    if measure.takes == "values" and measure.is_mean:
        return OF_VALUES
    if measure.takes == "scores":
        return OF_SCORES
    if measure.takes == "decisions" and measure.decomposition == "items":
        return OF_ITEMS
    if measure.takes == "decisions":
        return OF_RATES
    raise OptionError(
        f"There is no pilot, and rates alone are not enough to plan for {measure.label}.",
        "a pilot: the truth and the answers of two models on some items",
        "plan(truth, a, b, difference=…)",
    )


def check_assumed(assumed: Assumed, measure: Measure) -> None:
    """Raise unless exactly the rates that the measure needs were assumed, and are possible."""
    wanted = needed(measure)
    besides = ("accuracy_a",) if wanted is OF_ITEMS else ()
    for name, example in wanted.items():
        if getattr(assumed, name) is None:
            raise OptionError(
                f"There is no pilot, and {name} is not given.",
                f"what is assumed for {measure.label}: " + ", ".join(wanted),
                setting(name, example) + ", or a pilot",
            )
    for name, value in assumed.given.items():
        if name not in wanted and name not in besides:
            raise OptionError(
                f"{name} does not apply to {measure.label}.", "what it is planned by: " + ", ".join(wanted)
            )
        low = -1.0 if name == "correlation" else 0.5 if name == "auc_a" else 0.0
        high = math.inf if name == "deviation" else 1.0
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not low < float(value) < high:
            example = (wanted | {"accuracy_a": 0.8})[name]
            expected = f"a number above {low:g}" + f" and below {high:g}" * (high < math.inf)
            raise OptionError(f"{name} is {value!r}.", expected, setting(name, example))
    if assumed.accuracy_a is not None and assumed.disagreement is not None:
        _check_disagreement(assumed.disagreement, 1.0 - assumed.accuracy_a, assumed.accuracy_a)


def _check_disagreement(disagreement: float, wrong: float, right: float) -> None:
    most = 2.0 * min(wrong, right)
    if disagreement > most:
        raise OptionError(
            f"disagreement is {disagreement:g}, and A is wrong on {wrong:g} of all items.",
            f"at most {most:g}, because about half of the disagreements are errors of A",
            setting("disagreement", float(f"{most / 2.0:.2g}")),
        )


def closed_form(assumed: Assumed, measure: Measure, claimed: Claimed, difference: float) -> NormalPower | None:
    """Return the power by a formula where there is one.

    McNemar's test by the disagreement ψ alone: n = (z·√ψ + z'·√(ψ − d²))²/d² (Connor, Biometrics 43, 1987). A weighted
    sum of error rates by keller2004 (9): the variances of the classes add up. A mean of values by its deviation.
    """
    distances = tuple(side * (difference - null) for null, side in claimed.tests(difference))
    if assumed.deviation is not None:
        return NormalPower(distances, claimed.tail, assumed.deviation, assumed.deviation)
    if measure.decomposition == "items" and assumed.disagreement is not None:
        _refuse_beyond(assumed.disagreement, difference)
        deviation = math.sqrt(assumed.disagreement - difference**2)
        null = math.sqrt(assumed.disagreement) if claimed.margin is None else deviation
        return NormalPower(distances, claimed.tail, deviation, null)
    if measure.decomposition == "classes" and measure.takes == "decisions":
        found = of_rates(assumed, measure)(difference).deviation
        return NormalPower(distances, claimed.tail, found, found)
    return None


def _refuse_beyond(disagreement: float, difference: float) -> None:
    if abs(difference) >= disagreement:
        raise OptionError(
            f"The difference of {abs(difference):g} is as large as the disagreement, {disagreement:g}.",
            "a smaller difference, because it comes only from items on which exactly one model is right",
            setting("disagreement", float(f"{min(2.0 * abs(difference), 0.99):.2g}")),
        )


def of_rates(assumed: Assumed, measure: Measure) -> PopulationWith:
    """Return populations of two classes: the classes share the disagreements as they share A's errors.

    In each class, the number of them that are B's errors gives the measure the difference.
    """
    prevalence, disagreement = float(assumed.prevalence or 0.0), float(assumed.disagreement or 0.0)
    sizes = np.array([1.0 - prevalence, prevalence])
    wrong = np.array([float(assumed.false_positive_rate_a or 0.0), 1.0 - float(assumed.recall_a or 0.0)])
    errors = float(sizes @ wrong)
    _check_disagreement(disagreement, errors, 1.0 - errors)
    apart = wrong * disagreement / errors  # within each class
    # no share is negative: at most B is right on all of A's errors and wrong on everything that A has right
    highest = min(MOST_OF_DISAGREEMENT, 2.0 * errors / disagreement - 1.0)
    lowest = -min(MOST_OF_DISAGREEMENT, float((2.0 * (1.0 - wrong) / apart - 1.0).min()))

    def shares(lead: float) -> Floats:
        """Return the shares of (truth, a, b) where B is right in (1 + lead)/2 of the disagreements."""
        found = np.zeros((2, 2, 2))
        for y in (0, 1):
            z = 1 - y
            found[y, z, y], found[y, y, z] = apart[y] * (1.0 + lead) / 2.0, apart[y] * (1.0 - lead) / 2.0
            # A's rate is what was assumed, whoever leads
            found[y, z, z] = wrong[y] - found[y, z, y]
            found[y, y, y] = 1.0 - found[y].sum()
            found[y] *= sizes[y]
        return found

    def gap(lead: float) -> float:
        cells = shares(lead)
        a, b = (
            float(measure.evaluate(ConfusionMatrix(table)).values) for table in (cells.sum(axis=2), cells.sum(axis=1))
        )
        return b - a

    def population(difference: float) -> PlannedPopulation:
        from scipy.optimize import brentq

        ends = sorted((gap(lowest), gap(highest)))
        if not ends[0] < difference < ends[1]:
            raise OptionError(
                f"With a disagreement of {disagreement:g} the models differ by less than {abs(difference):g} in "
                f"{measure.label}: from {ends[0]:+.3g} to {ends[1]:+.3g}.",
                "a smaller difference, or more disagreement",
                setting("difference", float(f"{max(abs(end) for end in ends) / 2.0:.2g}")),
            )
        lead = brentq(lambda x: gap(x) - difference, lowest, highest, xtol=1e-14)
        counts = np.rint(shares(lead) * WHOLE).astype(np.int64)
        joint = JointCounts(**{name: int(counts[outcome]) for name, outcome in EVENTS.items()})
        found = functional(DecisionSample(joint, ReadingNotes(joint.labels[1])), measure)
        assert found is not None  # a formula on shares
        return PlannedPopulation(found, difference, "assumed rates")

    return population


def of_scores(assumed: Assumed, measure: Measure) -> PopulationWith:
    """Return populations of normal scores, of equal deviation in both classes, which are then tilted.

    The scores lie on a lattice, Roberts' R2 sequence, every part of which fills the unit square evenly.
    """
    truth, a, b = binormal(assumed)
    sample, read = read_sample(truth, {"a": a, "b": b}, measure, Reading())
    found = functional(sample, read)
    assert found is not None  # both classes occur
    return lambda difference: PlannedPopulation(found, difference, "assumed scores")


def binormal(assumed: Assumed) -> tuple[Any, Any, Any]:
    """Return truth and scores of both models: positives are √2·Φ⁻¹(AUC) higher."""
    prevalence, correlation = float(assumed.prevalence or 0.0), float(assumed.correlation or 0.0)
    shift = math.sqrt(2.0) * NormalDist().inv_cdf(float(assumed.auc_a or 0.5))
    inverse = np.vectorize(NormalDist().inv_cdf)
    truths, columns = [], []
    for truth, n in ((1, round(LATTICE * prevalence)), (0, LATTICE - round(LATTICE * prevalence))):
        place = np.arange(1, max(n, 2) + 1)
        step = 1.324717957244746  # the root of x³ = x + 1
        first, second = (inverse((0.5 + place / step**power) % 1.0) for power in (1, 2))
        other = correlation * first + math.sqrt(1.0 - correlation**2) * second
        truths.append(np.full(place.size, truth))
        columns.append(np.stack([first, other]) + truth * shift)
    a, b = np.concatenate(columns, axis=1)
    return np.concatenate(truths), a, b
