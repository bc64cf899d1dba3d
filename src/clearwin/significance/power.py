"""How often the studentised test would show a claim: test sets are drawn from a population with a named difference.

The population is the likeliest one, given a pilot, that has the difference (``Functional.tilted``). Test sets drawn
from it are judged as the test judges: by Student's t where the standard error has many degrees of freedom, and
otherwise by test sets from the likeliest population under the null hypothesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from clearwin.errors import OptionError, UndefinedError, setting
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import student_quantile
from clearwin.numerics.power import NormalPower
from clearwin.numerics.pvalues import AnyClaim
from clearwin.resampling.by_class import fewest_of_a_class, is_for, moments_of
from clearwin.resampling.contributions import MANY, Contributions, OfCrossedGroups
from clearwin.resampling.functionals import SMALLEST, Functional, OfScores, spread
from clearwin.significance.by_class import PValuesByClass
from clearwin.significance.claims import TAILS
from clearwin.significance.studentised import FEWEST_DRAWN, exceeded
from clearwin.streams import Seed, Stream

REACHED = 0.02  # of the difference: a population further away than this counts as not found
NEARBY = 0.25  # of ln n: draws at a size this far away count half


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

    found: Functional
    difference: float
    sample: str = "pilot"  # where it comes from, for the error message

    @cached_property
    def shares(self) -> Floats:
        """The likeliest shares that have the difference."""
        if self.found.recentred:
            return np.asarray(self.found.times / self.found.times.sum())
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
        shares = self.found.tilted(difference)
        return shares, float(self.found.values(shares[:, None])[0])

    def _reaches(self, difference: float, reached: float) -> bool:
        return abs(reached - difference) <= REACHED * max(abs(difference), self.found.error)

    def _possible(self) -> float | None:
        """Return a difference to name that is possible, on the way to the one that is not; None if none was found."""
        here = self.found.observed
        for share in (0.9, 0.75, 0.5, 0.25, 0.1):
            near = float(f"{here + share * (self.difference - here):.2g}")
            if near * self.difference > 0.0 and self._reaches(near, self._tilted(near)[1]):
                return abs(near)
        return None

    @cached_property
    def moved(self) -> float:
        """How far the values were moved."""
        return self.difference - self.found.observed if self.found.recentred else 0.0

    @cached_property
    def deviation(self) -> float:
        """The standard error of the difference times √units."""
        influence = self.found.influence(self.shares[:, None])[:, 0]
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
        return PlannedPopulation(self.found.redrawn(stream), self.difference)

    def simulated(self, claimed: Claimed, n: int, replicates: int, seed: Seed) -> float:
        """Return in which share of test sets of n units the claim is shown."""
        values, errors, _ = self.found.test_sets(self.shares, n, replicates, seed.child(0))
        shown = ~np.isnan(values)
        for number, (null, side) in enumerate(claimed.tests(self.difference), 1):
            critical = self._critical(claimed, null, side, n, replicates, seed.child(number))
            with np.errstate(invalid="ignore"):
                shown &= side * (values + self.moved - null) > critical * errors
        return float(shown.mean())

    def _critical(self, claimed: Claimed, null: float, side: float, n: int, replicates: int, seed: Seed) -> float:
        """Return what t must exceed, as the test has it: see ``significance/studentised.py``."""
        found, two_sided, alpha = self.found, claimed.claim == "different", claimed.alpha
        if isinstance(found, OfUnitMeans):  # of few groups a one-sided p-value is twice the tail
            return student_quantile(claimed.tail if two_sided or n >= MANY else alpha / 2.0, n - 1.0)
        weights = self.shares * n
        if isinstance(found, OfScores) and is_for(found.measure, fewest_of_a_class(found, weights)):
            # one-sided p-values are twice the tail, too; the skewness of few items is less than the population's
            judged = PValuesByClass(moments_of(found, weights))
            drawn = float(found.errors(weights[:, None])[0])  # which leaves out what the judged error allows for
            return student_quantile(alpha / 2.0, judged.degrees) * judged.error / drawn
        degrees = min(spread(found.influence(weights[:, None])[:, 0], weights)[1], n - 1.0)
        student = student_quantile(claimed.tail, degrees)
        if degrees >= found.enough_degrees:
            return student
        shares = self.shares if found.recentred else self._at(null)
        value = found.observed if found.recentred else found.reached(shares, null)
        values, errors, _ = found.test_sets(shares, n, replicates, seed)
        t = np.where(np.isnan(values), 0.0, (values - value) / errors)
        critical = [exceeded(np.abs(t) if two_sided else side * t, alpha)]
        if found.stepped:
            critical.append(student)
        if found.recentred:
            critical.append(exceeded(side * t, alpha / 2.0) if two_sided else exceeded(np.abs(t), 2.0 * alpha))
        return max(critical)

    def _at(self, null: float) -> Floats:
        """Return the likeliest shares under the null hypothesis, which are the same for every size."""
        if null not in self._nulls:
            self._nulls[null] = self.found.tilted(null)
        return self._nulls[null]

    @cached_property
    def _nulls(self) -> dict[float, Floats]:
        return {}


def of_units(added: Contributions, difference: float) -> PlannedPopulation:
    """Return the population of whole groups, or of the items of strata, that has the difference."""
    if isinstance(added, OfCrossedGroups):
        raise OptionError(
            "The pilot's groups are crossed, so a plan cannot say how many of each are needed.",
            "one column of groups",
            "the column with the fewest groups",
        )
    return PlannedPopulation(OfUnitMeans(added, difference), difference)


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
        return min(self.replicates, self.population.found.most_replicates) >= FEWEST_DRAWN

    @property
    def n_drawn(self) -> int:
        """How many test sets are drawn at each size."""
        return min(self.replicates, self.population.found.most_replicates)

    def draw(self, n: float) -> None:
        """Draw test sets of n units, unless they were drawn already."""
        size = max(round(n), 2)
        if self.simulates and size not in self.drawn:
            seed = self.seed.child(size)
            self.drawn[size] = self.population.simulated(self.claimed, size, self.n_drawn, seed)

    def power(self, n: float) -> float:
        """Return how often n units show the claim."""
        return self.normal.power(n * self.ratio(n))

    def units(self, power: float) -> float:
        """Return how many units have the power."""
        wanted = found = self.normal.units(power)
        for _ in range(4):
            found = wanted / self.ratio(found)
        return found

    def ratio(self, n: float) -> float:
        """Return how many units of the approximation a unit is worth, among n."""
        logs, weights = [0.0], [1e-9]
        for size, share in self.drawn.items():
            power = (share * self.n_drawn + 0.5) / (self.n_drawn + 1.0)
            same = self.normal.units(power)
            if same > 0.0:
                slope = (self.normal.power(1.01 * same) - self.normal.power(0.99 * same)) / 0.02
                logs.append(math.log(same / size))
                near = 1.0 + (math.log(size / n) / NEARBY) ** 2
                weights.append(slope**2 / (power * (1.0 - power)) / near)
        return math.exp(float(np.average(logs, weights=weights)))

    def error(self, n: int) -> float | None:
        """Return the Monte-Carlo standard error of what was drawn at the nearest size, None if nothing was."""
        if not self.drawn:
            return None
        share = self.drawn[min(self.drawn, key=lambda size: abs(size - n))]
        return math.sqrt(share * (1.0 - share) / self.n_drawn)
