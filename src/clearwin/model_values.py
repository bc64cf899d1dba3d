"""Per-item values of many models: one number for each item and model, or the loss of each score against the truth."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data import refuse_shuffled_indexes, same_length
from clearwin.fingerprints import mixed, sums
from clearwin.grouping import Grouping
from clearwin.item_values import ItemValues, check_truth, read_values
from clearwin.measures import Measure
from clearwin.scores import numbers
from clearwin.values import without_rounding

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ModelUnits:
    """What is drawn whole, stratum by stratum: how many items each unit has, and every model's sum over them.

    ``of_item`` is the unit of every item; ``first`` has where each stratum starts, and the number of units last.
    """

    counts: Ints
    sums: Floats
    sizes: Floats
    of_item: Ints
    first: Ints


@dataclass(frozen=True, eq=False)
class ModelValues:
    """The values (models × items), which items belong together, and one model's own for what all share."""

    values: Floats
    grouping: Grouping
    one: ItemValues

    @property
    def n(self) -> int:
        """All items."""
        return int(self.values.shape[1])

    @cached_property
    def _item_hashes(self) -> NDArray[np.uint64]:
        items = np.zeros(self.n, dtype=np.uint64)
        for row in self.values:
            items = mixed(items * np.uint64(3) + (row + 0.0).view(np.uint64))  # −0.0 is 0.0
        return items

    @cached_property
    def units(self) -> ModelUnits:
        """The units in an order of their own, by stratum and by what they hold, so that none depends on the input's."""
        of_item = self.grouping.units(self.n)
        strata = self.grouping.strata_of_units(self.n)
        place = np.lexsort((self.grouping.hashes(self._item_hashes), strata))
        new_place = np.empty(place.size, dtype=np.int64)
        new_place[place] = np.arange(place.size)
        # items of a unit are added up in an order of their own, too, so that the sums are the same to the last bit
        order = np.argsort(self._item_hashes, kind="stable")
        moved = new_place[of_item]

        def added(row: Floats) -> Floats:
            return np.bincount(moved[order], weights=row[order], minlength=place.size).astype(np.float64)

        first = np.concatenate([[0], np.cumsum(np.bincount(strata))])
        sizes = np.stack([added(np.abs(row)) for row in self.values])
        return ModelUnits(np.bincount(moved), np.stack([added(row) for row in self.values]), sizes, moved, first)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of values, groups and strata: equal for equal data, whatever the order of the items."""
        units = self.grouping.hashes(self._item_hashes)
        return hashlib.sha256(repr([*sums(units), self.n, units.size]).encode()).hexdigest()[:16]

    def units_that_differ(self, pairs: list[tuple[int, int]]) -> list[int]:
        """Return how many units tell the models of each pair apart."""
        found = self.units
        return [
            int(np.count_nonzero(without_rounding(found.sums[b] - found.sums[a], found.sizes[a] + found.sizes[b])))
            for a, b in pairs
        ]

    def estimates(self, measure: Measure) -> Floats:
        """Return the measure of every model; sums are rounded once, whatever the order of the items."""
        if measure.decomposition == "items":
            factor = float(self.n) if measure.is_sum else 1.0
            return np.array([factor * math.fsum(row) / self.n for row in self.values])
        from clearwin import value_kernels

        once = np.ones(self.n, dtype=np.uint16)
        return np.array([value_kernels.trimmed_mean(np.sort(row), once, measure.trimmed) for row in self.values])


def read_model_values(measure: Measure, truth: Any, models: Mapping[str, Any], **how: Any) -> ModelValues:
    """Validate values, or make losses of truth and scores, model by model; ``how`` as in ``item_values``."""
    check_truth(measure, truth)
    refuse_shuffled_indexes(models if truth is None else {"truth": truth, **models})
    noun = "value" if measure.takes == "values" else "score"
    columns = {name: numbers(name, values, noun=noun) for name, values in models.items()}
    lengths = {} if truth is None else {"truth": len(truth)}
    same_length(lengths | {name: column.size for name, column in columns.items()}, noun)
    read = [read_values(measure, truth, column, **how) for column in columns.values()]
    return ModelValues(np.stack([one.values.a for one in read]), read[0].values.grouping, read[0])
