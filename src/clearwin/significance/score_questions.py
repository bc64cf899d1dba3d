"""Two models' scores on the same items, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from clearwin.auc_covariance import AucCovariance, auc_covariance, clustered_variance, difference_variance
from clearwin.counts import Counts
from clearwin.execution import Seed
from clearwin.grouping import effective_number
from clearwin.measures import Measure
from clearwin.result import Claim, Sampling
from clearwin.scores import Ranking, ScoredItems
from clearwin.significance.questions import AnyQuestion

# DeLong by groups finds differences between equal models 5.5 % of the time at 5 % with 40 groups (`make study`)
FEWEST_GROUPS_FOR_DELONG = 40


@dataclass(frozen=True, eq=False)
class ScoreQuestion(AnyQuestion):
    """Two models' scores on the same items; ``stratified`` resampling keeps the class sizes."""

    items: ScoredItems
    measure: Measure
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed
    stratified: bool = False

    @cached_property
    def sampling(self) -> Sampling | None:  # type: ignore[override]
        """What is drawn whole and held fixed."""
        return self.items.grouping.sampling(self.items.n)

    def ungrouped(self) -> ScoreQuestion:
        """Return the same question as if every item stood for itself."""
        return replace(self, items=replace(self.items, grouping=self.items.grouping.without_groups()))

    @cached_property
    def arranged(self) -> ScoredItems:
        """The items in the order in which they are drawn."""
        return self.items.arranged(by_class=self.stratified)

    @cached_property
    def areas(self) -> AucCovariance:
        """The models' areas under the ROC curve, with their covariance."""
        return auc_covariance(self.items.truth, self.items.scores)

    @cached_property
    def groups_of_classes(self) -> tuple[int, float] | None:
        """How many groups hold items of the class that lies in fewer, and how many of one size would weigh as much."""
        groups = self.items.grouping.groups
        if groups is None:
            return None
        sizes = [np.bincount(groups[which]) for which in (self.items.truth, ~self.items.truth)]
        return min(int((s > 0).sum()) for s in sizes), min(effective_number(s) for s in sizes)

    @property
    def groups_for_delong(self) -> bool:
        """Whether there are groups, and enough of them for a variance by groups."""
        found = self.groups_of_classes
        return found is not None and found[1] >= FEWEST_GROUPS_FOR_DELONG and not self.items.grouping.stratum_names

    @cached_property
    def area_variance(self) -> float | None:
        """The variance of the difference of two areas, or of one area: DeLong's, or Obuchowski's by groups.

        None where a class lies in one group.
        """
        if self.items.grouping.groups is not None:
            if self.groups_of_classes is not None and self.groups_of_classes[0] < 2:
                return None
            return clustered_variance(self.items.truth, self.items.scores, self.items.grouping.groups)
        single = len(self.items.scores) == 1
        return float(self.areas.covariance[0, 0]) if single else difference_variance(self.areas)

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The measure's values for the first and the last model; one model is compared with itself."""
        if self.measure.name == "auc":
            values = [float(area) for area in self.areas.aucs]
        else:
            values = [scan(self.measure, ranking) for ranking in self.arranged.rankings]
        return values[0], values[-1]

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes and how many items each has."""
        positives = self.items.positives
        return [(self.items.negative, self.items.n - positives), (self.items.positive, positives)]

    @property
    def fingerprint(self) -> str:
        """A hash of truth and scores."""
        return self.items.fingerprint

    @property
    def outcomes(self) -> dict[str, int]:
        """How many items each class has."""
        (_, negatives), (_, positives) = self.class_sizes
        return {"positives": positives, "negatives": negatives}


def scan(measure: Measure, ranking: Ranking, weights: Counts | None = None) -> float:
    """Return a ranking measure of one model's items, each counted once or with its weight."""
    from clearwin import kernels

    times = np.ones(ranking.order.size) if weights is None else weights[ranking.order]
    options = np.array(measure.scan_options(), dtype=np.float64)
    which = getattr(kernels, measure.scan)
    return float(kernels.scan(which, times.astype(np.uint16), ranking.positive, ranking.last, options))
