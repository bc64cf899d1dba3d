"""Rankings in which a class has few items: the variance class by class, and what it leaves unknown.

The difference of two areas under the ROC curve is a mean over the positives plus a mean over the negatives: DeLong's
placements (Biometrics 44, 1988). Other measures of ranking are so to first order, by their influence values. With few
positives test sets drawn from the likeliest population are a poor guide: a positive that neither model has here, but
that is added to them, would make up a tenth of the positives of that population. Without any draws,

* the variance is s²/m of the positives' influence values plus that of the negatives', plus a floor: parts of an item
  that one model ranks first and the other last, in either class and both ways round;
* the degrees of freedom are one less than there are items of the smaller class;
* the skewness comes from the unbiased third cumulants of both classes (Hall 1992).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from clearwin.data.samples import Sample
from clearwin.data.scores import ScoreSample
from clearwin.measures import Measure
from clearwin.numerics.arrays import Bools, Floats
from clearwin.resampling.boards import Pairs
from clearwin.resampling.functionals import QUARTER, SMALLEST, OfScores
from clearwin.streams import Purpose, Seed, Stream
from clearwin.workers import run_blocks

FEWEST, MOST = 3, 50  # items of the smaller class: a third cumulant needs three; with more, test sets are drawn
SINGULAR = 1e-12  # of the models' variances together
PER_ITEM, MOST_ADDED = 1.0 / 500.0, 1.0 / 20.0  # parts of an item that are added, for each item of the smaller class
# a measure's scan → how many times as much is added; partial areas and precisions gain no power this way
FLOORS = {"AUC": 1.0, "EER": 4.0}
# the lowest cost is that of a threshold chosen among many, so that it is too low with few items
OF_CHOSEN = {"MIN_DCF": QUARTER}


@dataclass(frozen=True)
class Moments:
    """An observed difference with its variance, its skewness, and the degrees of freedom of the variance."""

    observed: float
    variance: float
    skewness: float
    degrees: float

    @property
    def is_known(self) -> bool:
        """Whether anything varies: the lowest cost does not where it is that of calling no item positive."""
        return self.variance > SMALLEST


def has_few_of_a_class(sample: Sample, measure: Measure) -> bool:
    """Whether these are scores with few items of a class, and a measure whose variance is known then."""
    if not isinstance(sample, ScoreSample) or sample.grouping:
        return False
    return is_for(measure, min(sample.positives, sample.n - sample.positives))


def is_for(measure: Measure, fewest: float) -> bool:
    """Whether the variance of a measure is taken class by class for this number of items of the smaller class."""
    return FEWEST <= fewest <= MOST and measure.scan in {**FLOORS, **OF_CHOSEN}


def _added_part(measure: Measure, fewest: float) -> float:
    """Return how much of an item is added to each class, each way round."""
    if measure.scan in OF_CHOSEN:
        return OF_CHOSEN[measure.scan]
    return FLOORS[measure.scan] * min(PER_ITEM * fewest, MOST_ADDED)


def moments_by_class(observed: float, added: Floats, times: Floats, positive: Bools, floor: float) -> Moments:
    """Return the moments of a sum to which each item adds a number; there are ``times`` items of each kind.

    What the classes' sizes add to the variance belongs to it, too: precision depends on how many positives there are.
    """
    variance, third, sizes = floor, 0.0, []
    for which in (positive, ~positive):
        weights, size = times[which], float(times[which].sum())
        mean = float(weights @ added[which]) / size
        gaps = added[which] - mean
        variance += size / (size - 1.0) * float(weights @ gaps**2) + size * mean**2
        third += size**2 / ((size - 1.0) * (size - 2.0)) * float(weights @ gaps**3)
        sizes.append(size)
    skewness = third / variance**1.5 if variance > SMALLEST else 0.0
    return Moments(observed, max(variance, SMALLEST), skewness, min(sizes) - 1.0)


def by_class(sample: ScoreSample, measure: Measure, *, swapped: bool = False, weight: float = 1.0) -> Moments:
    """Return the moments of b − weight · a; ``swapped`` exchanges A and B."""
    estimand = OfScores(sample, measure, single=False, swapped=swapped, weight=weight)
    return moments_of(estimand, estimand.times)


def moments_of(estimand: OfScores, times: Floats) -> Moments:
    """Return the moments where each unit occurs this many times."""
    weights = times[:, None]
    added = estimand.influence(weights)[:, 0] / float(times.sum())
    # the items that are added where test sets are drawn, but another part of each
    part = _added_part(estimand.measure, fewest_of_a_class(estimand, times)) / (float(estimand.extra.sum()) / 4.0)
    observed, floor = float(estimand.values(weights)[0]), part * float(estimand.extra @ added**2)
    return moments_by_class(observed, added, times, _positives(estimand), floor)


def fewest_of_a_class(estimand: OfScores, times: Floats) -> float:
    """Return how many items the smaller class has where each unit occurs this many times."""
    positives = float(times[_positives(estimand)].sum())
    return min(positives, float(times.sum()) - positives)


def _positives(estimand: OfScores) -> Bools:
    """Return which units are positive."""
    positive = np.empty(estimand.times.size, dtype=np.bool_)
    positive[estimand.orders[0]] = estimand.positive[0].astype(np.bool_)
    return positive


class MomentsOfPairs:
    """The moments of every pair of many models, and how far the models stray together, which max-t looks at."""

    def __init__(self, sample: ScoreSample, measure: Measure, pairs: Pairs) -> None:
        n, positive, once = sample.n, sample.truth, np.ones(sample.n)
        models = [OfScores(sample.of_model(i), measure, single=True, weight=1.0) for i in range(len(sample.scores))]
        moved = [estimand.influence(estimand.times[:, None])[:, 0] / n for estimand in models]
        items = np.stack([mine[estimand.unit_of_item] for mine, estimand in zip(moved, models, strict=True)])
        # of each class one that the model ranks on its own side of all others, and one that it ranks on the other side
        ends = np.stack([mine[estimand.unit_of_added] for mine, estimand in zip(moved, models, strict=True)])
        right, wrong = ends[:, [0, 2]], ends[:, [1, 3]]
        part = _added_part(measure, min(sample.positives, n - sample.positives))
        self.pairs, self.moments = pairs, []
        for a, b in pairs:
            floor = part * float(((right[b] - wrong[a]) ** 2).sum() + ((wrong[b] - right[a]) ** 2).sum())
            difference = models[b].observed - models[a].observed
            self.moments.append(moments_by_class(difference, items[b] - items[a], once, positive, floor))
        self._covariance = sum(np.cov(items[:, which]) * which.sum() for which in (positive, ~positive))

    def drawn(self, n: int, seed: Seed) -> Callable[[int], Floats]:
        """Return what has |t*| of a pair where no models differ: normal values over one standard error."""
        models, degrees = len(self._covariance), self.moments[0].degrees
        # models that rank alike, or more models than positives, leave it singular
        ridge = (SINGULAR * float(np.trace(self._covariance)) + SMALLEST) * np.eye(models)
        factor = np.linalg.cholesky(self._covariance + ridge)

        def block(stream: Stream, replicates: int) -> Floats:
            strayed = factor @ stream.normal(size=(models, replicates))
            return np.asarray(strayed / np.sqrt(stream.chisquare(degrees, replicates) / degrees))

        strayed = np.concatenate(run_blocks(block, n, seed, Purpose.BOARDS_BY_CLASS), axis=1)

        def of_pair(i: int) -> Floats:
            a, b = self.pairs[i]
            variance = float(self._covariance[a, a] + self._covariance[b, b] - 2.0 * self._covariance[a, b])
            gaps = np.abs(strayed[b] - strayed[a])
            return np.asarray(gaps / np.sqrt(variance) if variance > SMALLEST else np.zeros(n))

        return of_pair
