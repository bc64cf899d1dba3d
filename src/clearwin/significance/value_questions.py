"""Two models' values on the same items, and what is asked of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from clearwin.execution import Seed
from clearwin.measures import Measure
from clearwin.result import Claim, Sampling
from clearwin.significance.questions import AnyQuestion
from clearwin.values import PairedValues


@dataclass(frozen=True, eq=False)
class ValueQuestion(AnyQuestion):
    """Two models' values on the same items: values as such, or losses of scores, which then know their classes."""

    values: PairedValues
    measure: Measure
    claim: Claim
    method: str
    interval: str
    confidence_level: float
    n_resamples: int
    seed: Seed
    classes: tuple[tuple[object, int], ...] = ()

    @cached_property
    def sampling(self) -> Sampling | None:  # type: ignore[override]
        """What is drawn whole and held fixed."""
        return self.values.grouping.sampling(self.n)

    def ungrouped(self) -> ValueQuestion:
        """Return the same question as if every item stood for itself."""
        return replace(self, values=replace(self.values, grouping=self.values.grouping.without_groups()))

    @property
    def n(self) -> int:
        """All items."""
        return self.values.n

    @property
    def is_mean(self) -> bool:
        """Whether the measure is a mean or a sum of the items' values; a trimmed mean is neither."""
        return self.measure.decomposition == "items"

    @property
    def factor(self) -> float:
        """What the mean is multiplied by: a sum is that of as many items as there are, in every replicate."""
        return float(self.n) if self.measure.is_sum else 1.0

    @cached_property
    def estimates(self) -> tuple[float, float]:
        """The measure's values for A and B; sums are rounded once, whatever the order of the items."""
        if self.is_mean:
            a, b = (self.factor * math.fsum(x) / self.n for x in (self.values.a, self.values.b))
            return a, b
        from clearwin import value_kernels

        once = np.ones(self.n, dtype=np.uint16)
        trimmed = [
            value_kernels.trimmed_mean(np.sort(x), once, self.measure.trimmed) for x in (self.values.a, self.values.b)
        ]
        return float(trimmed[0]), float(trimmed[1])

    @cached_property
    def difference(self) -> float:
        """Return b − a; of means by the items' own differences, which do not drown in large values that both share."""
        if self.is_mean:
            return self.factor * math.fsum(self.values.differences) / self.n
        return self.estimates[1] - self.estimates[0]

    @property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes of the truth behind losses and how many items each has."""
        return list(self.classes)

    @property
    def fingerprint(self) -> str:
        """A hash of values, groups and strata."""
        return self.values.fingerprint

    @property
    def outcomes(self) -> dict[str, int]:
        """Who has the higher value on how many items."""
        higher, lower = int((self.values.differences > 0).sum()), int((self.values.differences < 0).sum())
        return {"b_higher": higher, "a_higher": lower, "equal": self.n - higher - lower}
