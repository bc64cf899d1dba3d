"""How often the studentised test would show a claim: test sets are drawn from a population with a named difference.

The population is the likeliest one, given a pilot, that has the difference (``Functional.tilted``). Test sets drawn
from it are judged as the test judges: by Student's t where the standard error has many degrees of freedom, and
otherwise by test sets from the likeliest population under the null hypothesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from clearwin.errors import OptionError, UndefinedError, setting
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import student_quantile
from clearwin.numerics.power import NormalPower
from clearwin.numerics.pvalues import AnyClaim, Claim
from clearwin.resampling.by_class import fewest_of_a_class, is_for, moments_of
from clearwin.resampling.contributions import Contributions, OfCrossedGroups
from clearwin.resampling.functionals import SMALLEST, Functional, OfScores, OfValues, spread
from clearwin.significance.by_class import PValuesByClass, furthest
from clearwin.significance.claims import TAILS
from clearwin.significance.studentised import FEWEST_DRAWN, FEWEST_ONE_SIDED, doubling, exceeded
from clearwin.significance.unseen import Unseen
from clearwin.streams import Seed, Stream

REACHED = 0.02  # of the difference: a population further away than this counts as not found
NEARBY = 0.25  # of ln n: draws at a size this far away count half
BY_CHANCE = math.sqrt(12.0 / math.pi)  # over n: the skewness that a mean of n normal values seems to have, on average
FURTHEST, HALVINGS = 1e6, 20  # of t, and of the steps to what it must exceed
LEAST_WORTH = 1e-3  # of a unit, as a square root


@dataclass(frozen=True)
class Claimed:
    """What a plan wants to show about B, and at which level; ``sign`` is −1 where lower is better."""

    claim: AnyClaim
    margin: float | None
    sign: float
    alpha: float

    @property
    def tail(self) -> float:
        """The tail probability that each test may reject."""
        return self.alpha / 2.0 if self.claim == "different" else self.alpha

    def difference(self, named: float) -> float:
        """Return b − a where B is better by what was named, or worse if that is the claim."""
        return -self.sign * named if self.claim == "worse" else self.sign * named

    def tests(self, difference: float) -> list[tuple[float, float]]:
        """Return what each test assumes of b − a, and on which side of it the true difference must be found."""
        if self.margin is None:
            return [(0.0, math.copysign(1.0, difference))]
        return [
            (self.sign * part * self.margin, self.sign if gains == "above" else -self.sign)
            for gains, part in TAILS[self.claim]
        ]


class OfUnitMeans(Functional):
    """For whole groups, or the items of strata: the mean of what each adds to the difference.

    It is linear in the units, with the influence values of the population that has the difference. Strata keep their
    sizes, so only the variation within them counts.
    """

    recentred = True

    def __init__(self, added: Contributions, difference: float) -> None:
        each = added.at(difference)[0] * added.n
        inside = np.bincount(added.strata, added.times * each) / np.maximum(np.bincount(added.strata, added.times), 1)
        self.numbers = each - inside[added.strata] + added.observed
        self.times, self.extra = added.times.astype(np.float64), np.zeros(added.times.size)
        self.of_one = 1.0 / added.n
        self.degrees_of_pilot, self.effective_of_pilot = added.deviation(difference).degrees, added.effective

    def degrees_of(self, n: int) -> float:
        """Return the degrees of freedom of n units that hold as unequally much as those of the pilot."""
        return max((self.degrees_of_pilot + 1.0) * n * self.of_one - 1.0, 1.0)

    def effective_of(self, n: int) -> float:
        """Return how many of n units that hold equally much would be as good."""
        return float(self.effective_of_pilot * n * self.of_one)

    def errors(self, weights: Floats) -> Floats:
        """Return the standard error for every column of weights, with n − 1 in place of n as in the test."""
        n = weights.sum(axis=0)
        return np.asarray(super().errors(weights) * np.sqrt(n / np.maximum(n - 1.0, 1.0)))

    def skewness_of(self, n: int) -> float:
        """Return the skewness of what n units add, by that of the pilot's."""
        gaps = self.influence(self.times[:, None])[:, 0]
        variance = float(self.times @ gaps**2) / float(self.times.sum())
        third = float(self.times @ gaps**3) / float(self.times.sum())
        return float(third / max(variance, SMALLEST) ** 1.5 / math.sqrt(n))

    def values(self, weights: Floats) -> Floats:
        """Return the weighted mean."""
        return np.asarray(self.numbers @ weights / weights.sum(axis=0))

    def influence(self, weights: Floats) -> Floats:
        """Return what units add, about their mean."""
        return np.asarray(self.numbers[:, None] - self.values(weights))


@dataclass(frozen=True, eq=False)
class PlannedPopulation:
    """A population that has the difference, as shares of the units of a functional.

    For means nothing is tilted: it is the pilot with all its values shifted by the same amount.
    """

    estimand: Functional
    difference: float
    sample: str = "pilot"  # where it comes from, for the error message
    unseen: Unseen | None = None  # what the test allows for

    @cached_property
    def shares(self) -> Floats:
        """The likeliest shares that have the difference."""
        if self.estimand.recentred:
            return np.asarray(self.estimand.times / self.estimand.times.sum())
        shares, reached = self._tilted(self.difference)
        if not self._reaches(self.difference, reached):
            possible = self._possible()
            raise OptionError(
                f"No population like the {self.sample} has a difference of {self.difference:+.4g}. "
                f"The nearest that was found is {reached:+.4g}.",
                "a difference that is possible where most items stay as they are",
                f"another {self.sample}" if possible is None else setting("difference", possible),
            )
        return shares

    def _tilted(self, difference: float) -> tuple[Floats, float]:
        shares = self.estimand.tilted(difference)
        return shares, float(self.estimand.values(shares[:, None])[0])

    def _reaches(self, difference: float, reached: float) -> bool:
        return abs(reached - difference) <= REACHED * max(abs(difference), self.estimand.error)

    def _possible(self) -> float | None:
        """Return a difference to name that is possible, on the way to the one that is not; None if none was found."""
        here = self.estimand.observed
        for share in (0.9, 0.75, 0.5, 0.25, 0.1):
            near = float(f"{here + share * (self.difference - here):.2g}")
            if near * self.difference > 0.0 and self._reaches(near, self._tilted(near)[1]):
                return abs(near)
        return None

    @cached_property
    def moved(self) -> float:
        """How far the values were moved."""
        return self.difference - self.estimand.observed if self.estimand.recentred else 0.0

    @cached_property
    def deviation(self) -> float:
        """The standard error of the difference times √units."""
        influence = self.estimand.influence(self.shares[:, None])[:, 0]
        variance = float(self.shares @ influence**2)
        if variance <= SMALLEST:
            raise UndefinedError(
                f"The {self.sample}'s models never disagree, so how much a difference would vary cannot be estimated.",
                "a pilot in which they do, or assumed rates",
                setting("disagreement", 0.05),
            )
        return math.sqrt(variance)

    def normal(self, claimed: Claimed) -> NormalPower:
        """Return the power by the normal approximation."""
        distances = tuple(side * (self.difference - null) for null, side in claimed.tests(self.difference))
        return NormalPower(distances, claimed.tail, self.deviation, self.deviation)

    def redrawn(self, stream: Stream) -> PlannedPopulation:
        """Return the population that another pilot of the same size could have led to."""
        return replace(self, estimand=self.estimand.redrawn(stream))

    def simulated(self, claimed: Claimed, n: int, replicates: int, seed: Seed) -> float:
        """Return in which share of test sets of n units the claim is shown."""
        values, errors, _ = self.estimand.test_sets(self.shares, n, replicates, seed.child(0))
        shown = ~np.isnan(values)
        for number, (null, side) in enumerate(claimed.tests(self.difference), 1):
            critical = self._critical(claimed, null, side, n, replicates, seed.child(number))
            critical = max(critical, self._critical_of_unseen(claimed.alpha, null, side, n))
            with np.errstate(invalid="ignore"):
                shown &= side * (values + self.moved - null) > critical * errors
        return float(shown.mean())

    def _critical(self, claimed: Claimed, null: float, side: float, n: int, replicates: int, seed: Seed) -> float:
        """Return what t must exceed, as the test has it: see ``significance/studentised.py``."""
        estimand, two_sided, alpha = self.estimand, claimed.claim == "different", claimed.alpha
        if isinstance(estimand, OfUnitMeans):
            return self._critical_of_units(estimand, alpha, n, side, two_sided=two_sided)
        weights = self.shares * n
        if isinstance(estimand, OfScores) and is_for(estimand.measure, fewest_of_a_class(estimand, weights)):
            # one-sided p-values are twice the tail, too; the skewness of few items is less than the population's
            judged = PValuesByClass(moments_of(estimand, weights))
            drawn = float(estimand.errors(weights[:, None])[0])  # which leaves out what the judged error allows for
            return student_quantile(alpha / 2.0, judged.degrees) * judged.error / drawn
        degrees = min(spread(estimand.influence(weights[:, None])[:, 0], weights)[1], n - 1.0)
        student = student_quantile(claimed.tail, degrees)
        if degrees >= estimand.enough_degrees:
            return student
        shares = self.shares if estimand.recentred else self._at(null)
        value = estimand.observed if estimand.recentred else estimand.reached(shares, null)
        values, errors, _ = estimand.test_sets(shares, n, replicates, seed)
        t = np.where(np.isnan(values), 0.0, (values - value) / errors)
        if isinstance(estimand, OfValues):
            skewness = math.hypot(estimand.skewness * math.sqrt(estimand.times.sum() / n), BY_CHANCE / n)
            times = doubling(skewness, n) if two_sided else 1.0
            return max(exceeded(side * t, alpha / times), student_quantile(claimed.tail, n - 1.0))
        critical = [exceeded(np.abs(t) if two_sided else side * t, alpha)]
        if estimand.stepped:
            critical.append(student)
        return max(critical)

    def worth(self, claimed: Claimed, n: float) -> float:
        """Return which share of n units would show as much if a test set could miss nothing."""
        if self.unseen is None or not self.unseen.decides:
            return 1.0
        normal, lost, n = self.normal(claimed), 0.0, max(n, 2.0)
        for null, side in claimed.tests(self.difference):
            further = self._critical_of_unseen(claimed.alpha, null, side, n) - normal.critical
            lost = max(lost, further * self.deviation / (side * (self.difference - null)))
        return max(1.0 - lost / math.sqrt(n), LEAST_WORTH) ** 2

    def _critical_of_unseen(self, alpha: float, null: float, side: float, n: float) -> float:
        """Return what t must exceed to show a difference whatever n units could have missed."""
        if self.unseen is None or not self.unseen.decides:
            return 0.0
        error = self.deviation / math.sqrt(n)
        missed = replace(self.unseen, units=max(round(n), 2), error=error, degrees=max(n - 1.0, 1.0))
        claim: Claim = "better" if side > 0.0 else "worse"

        def kept(t: float) -> bool:
            return missed.p_value(null + side * t * error, null, claim).value > alpha

        low, high = 0.0, 1.0
        while kept(high) and high < FURTHEST:
            low, high = high, 2.0 * high
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if kept(middle) else (low, middle)
        return high

    def _critical_of_units(self, estimand: OfUnitMeans, alpha: float, n: int, side: float, *, two_sided: bool) -> float:
        """Return what t of whole groups, or of the items of strata, must exceed: it and t less its skewness."""
        degrees, skewness = estimand.degrees_of(n), estimand.skewness_of(n)
        twice = two_sided or min(degrees + 1.0, estimand.effective_of(n)) < FEWEST_ONE_SIDED
        tail = alpha / (2.0 if twice else doubling(math.hypot(skewness, BY_CHANCE / n), estimand.effective_of(n)))
        return furthest(skewness, degrees, side, tail)

    def _at(self, null: float) -> Floats:
        """Return the likeliest shares under the null hypothesis, which are the same for every size."""
        if null not in self._nulls:
            self._nulls[null] = self.estimand.tilted(null)
        return self._nulls[null]

    @cached_property
    def _nulls(self) -> dict[float, Floats]:
        return {}


def of_units(added: Contributions, difference: float, missed: Unseen | None = None) -> PlannedPopulation:
    """Return the population of whole groups, or of the items of strata, that has the difference."""
    if isinstance(added, OfCrossedGroups):
        raise OptionError(
            "The pilot's groups are crossed, so a plan cannot say how many of each are needed.",
            "one column of groups",
            "the column with the fewest groups",
        )
    return PlannedPopulation(OfUnitMeans(added, difference), difference, unseen=missed)


@dataclass(eq=False)
class PowerCurve:
    """Power against the number of units: the normal approximation, corrected by what was drawn at a few sizes.

    At each such size the approximation has the power that was drawn at ``ratio`` times as many units. The ratio changes
    slowly with n, so it is averaged over nearby sizes, each weighted by how well it is known.
    """

    population: PlannedPopulation
    claimed: Claimed
    replicates: int
    seed: Seed
    drawn: dict[int, float] = field(default_factory=dict)

    @cached_property
    def normal(self) -> NormalPower:
        """The approximation."""
        return self.population.normal(self.claimed)

    @cached_property
    def simulates(self) -> bool:
        """Return whether enough test sets can be drawn for them to be the better guide."""
        return min(self.replicates, self.population.estimand.most_replicates) >= FEWEST_DRAWN

    @property
    def n_drawn(self) -> int:
        """How many test sets are drawn at each size."""
        return min(self.replicates, self.population.estimand.most_replicates)

    def draw(self, n: float) -> None:
        """Draw test sets of n units, unless they were drawn already."""
        size = max(round(n), 2)
        if self.simulates and size not in self.drawn:
            seed = self.seed.child(size)
            self.drawn[size] = self.population.simulated(self.claimed, size, self.n_drawn, seed)

    def power(self, n: float) -> float:
        """Return how often n units show the claim."""
        return self.normal.power(n * self.worth(n))

    def units(self, power: float) -> float:
        """Return how many units have the power."""
        wanted = needed = self.normal.units(power)
        for _ in range(4):
            needed = self._units_worth(wanted / self.ratio(needed))
        return needed

    def worth(self, n: float) -> float:
        """Return how many units of the approximation a unit is worth, among n."""
        return self.population.worth(self.claimed, n) * self.ratio(n)

    def _units_worth(self, units: float) -> float:
        """Return how many units show as much as these would if a test set could miss nothing."""
        if units <= 0.0 or self.population.worth(self.claimed, units) == 1.0:
            return units
        low = high = units
        while high * self.population.worth(self.claimed, high) < units:
            low, high = high, 2.0 * high
        for _ in range(HALVINGS):
            middle = math.sqrt(low * high)
            enough = middle * self.population.worth(self.claimed, middle) >= units
            low, high = (low, middle) if enough else (middle, high)
        return high

    def ratio(self, n: float) -> float:
        """Return how the power that was drawn near n corrects what a unit is worth."""
        logs, weights = [0.0], [1e-9]
        for size, share in self.drawn.items():
            power = (share * self.n_drawn + 0.5) / (self.n_drawn + 1.0)
            same = self.normal.units(power)
            if same > 0.0:
                slope = (self.normal.power(1.01 * same) - self.normal.power(0.99 * same)) / 0.02
                logs.append(math.log(same / (size * self.population.worth(self.claimed, size))))
                near = 1.0 + (math.log(size / n) / NEARBY) ** 2
                weights.append(slope**2 / (power * (1.0 - power)) / near)
        return math.exp(float(np.average(logs, weights=weights)))

    def error(self, n: int) -> float | None:
        """Return the Monte-Carlo standard error of what was drawn at the nearest size, None if nothing was."""
        if not self.drawn:
            return None
        share = self.drawn[min(self.drawn, key=lambda size: abs(size - n))]
        return math.sqrt(share * (1.0 - share) / self.n_drawn)
