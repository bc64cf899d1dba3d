"""The decisions of any number of models on one test set: the truth and every model's answer for each item.

The joint outcome of m models on an item is (truth, decision 1, …, decision m). Items with the same outcome, group and
stratum are one row with the number of them, so a few models have a handful of rows, however many items there are.
A row adds to the confusion counts of all models at once: one draw of rows is a test set that all models share.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import AnyCounts, ClassCounts, ConfusionMatrix, Counts, JointCounts
from clearwin.data.arrays import Coded, Label, label_codes, same_length, tally_codes
from clearwin.data.clusters import Grouping, read_grouping, sampling_of_rows
from clearwin.data.labels import (
    LabelledCounts,
    LabelsSaid,
    answers_of_tally,
    label_counts,
    plain_label,
    plain_labels,
    refuse_misspelt,
    strange_labels,
)
from clearwin.data.samples import DecisionSample, FeatureSample, ManyModels, ReadingNotes
from clearwin.data.units import Cells, Units, distinct, units_of_classes, units_of_outcomes
from clearwin.measures import Measure
from clearwin.numerics.fingerprints import mixed, sums
from clearwin.results.base import Sampling

MOST_KEYS = 2**62
MOST_PLACES = 2**20  # of a table of all outcomes that two models could have; with more, those that occur are sorted


@dataclass(frozen=True, eq=False)
class AnswerSample(FeatureSample, ManyModels):
    """Rows of equal outcomes: ``items`` have this truth and these decisions (models × rows), as label places."""

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    truth: Counts
    decisions: Counts
    items: Counts
    grouping: Grouping
    about: ReadingNotes

    @property
    def n(self) -> int:
        """All items."""
        return int(self.items.sum())

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which model has which row right."""
        return np.asarray(self.decisions == self.truth)

    @cached_property
    def sampling(self) -> Sampling | None:
        """What is drawn whole and held fixed; None where items are drawn and nothing is."""
        return sampling_of_rows(self.items, self.grouping) if self.grouping else None

    def table(self, measure: Measure) -> Units:
        """Return the units that are drawn, with what they add to the counts of every model."""
        return self._by_matrices if len(self.labels) <= 2 or measure.needs_matrix else self._by_classes

    @cached_property
    def _by_matrices(self) -> Units:
        """Features: the items of each class; for each model its matrix without one column, which follows."""
        k, y, said = len(self.labels), self.truth, self.decisions
        return self._units(np.where(said > 0, y * (k - 1) + said - 1, -1), k * (k - 1), _matrix)

    @cached_property
    def _by_classes(self) -> Units:
        """Features: the items of each class; for each model every class's hits, and how often it is called wrongly."""
        k, y, said = len(self.labels), self.truth, self.decisions
        return self._units(np.where(said == y, y, k + said), 2 * k, _classes)

    def _units(self, own: Counts, width: int, read_model: Callable[[Counts, Counts], AnyCounts]) -> Units:
        """Put together what rows add to each model's ``width`` features: to which one (models × rows), −1 for none."""
        k, m, y, grouping = len(self.labels), len(self.names), self.truth, self.grouping
        counted = own >= 0
        row = np.concatenate([np.arange(y.size), np.broadcast_to(np.arange(y.size), own.shape)[counted]])
        feature = np.concatenate([y, (k + width * np.arange(m)[:, None] + own)[counted]])
        strata = grouping.strata_of_units(y.size)
        if grouping.groups is None:
            value, times = np.ones_like(row), self.items
        else:
            value, times = self.items[row], np.ones_like(strata)
        starts = k + width * np.arange(m + 1)
        rows, strata = distinct(grouping.units(y.size)[row], feature, value, times, int(starts[-1]), strata)

        def read(totals: Counts) -> tuple[AnyCounts, ...]:
            return tuple(read_model(totals[:k], totals[start:end]) for start, end in pairwise(starts.tolist()))

        # nothing is swapped among many models: every feature stays what it is
        return Units(rows, strata, np.arange(starts[-1]), read)

    def ungrouped(self) -> AnswerSample:
        """Return the same sample as if every item stood for itself."""
        return replace(self, grouping=self.grouping.without_groups())

    def of_model(self, model: int) -> DecisionSample:
        """Return the decisions of one model, which stands for both A and B."""
        k = len(self.labels)
        cells = np.bincount(self.truth * k + self.decisions[model], weights=self.items, minlength=k * k)
        found = {(p // k, p % k, p % k): int(cells[p]) for p in np.flatnonzero(cells).tolist()}
        return DecisionSample(JointCounts.of_outcomes(self.labels, found), self.about, sampling=self.sampling)

    def of_pair(self, a: int, b: int) -> DecisionSample:
        """Return the decisions of two models, as ``compare`` reads them."""
        k = len(self.labels)
        outcome = (self.truth * k + self.decisions[a]) * k + self.decisions[b]
        found = {(p // k**2, p // k % k, p % k): count for p, count in _counted(outcome, self.items, k**3)}
        joint = JointCounts.of_outcomes(self.labels, found)
        if not self.grouping:
            return DecisionSample(joint, self.about)
        known = (joint.truth * k + joint.a) * k + joint.b
        rising = np.argsort(known)
        # a row without items is nowhere among them, and it does not matter where it goes
        place = rising[np.minimum(np.searchsorted(known, outcome, sorter=rising), known.size - 1)]
        in_units = Cells.of(place, self.items, self.grouping)
        units = units_of_outcomes(joint, in_units) if k <= 2 else units_of_classes(joint, in_units)
        return DecisionSample(joint, self.about, units, sampling=self.sampling)

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the classes and how many items each has."""
        sizes = np.bincount(self.truth, weights=self.items, minlength=len(self.labels)).astype(np.int64)
        return list(zip(self.labels, sizes.tolist(), strict=True))

    @property
    def outcomes(self) -> dict[str, int]:
        """How many items every model has right, and how many none has."""
        right = self.right
        every, none = (int(self.items[rows].sum()) for rows in (right.all(axis=0), ~right.any(axis=0)))
        return {"all_right": every, "all_wrong": none}

    def units_that_differ(self, measure: Measure, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """Return on how many items, or groups, the models of each pair disagree: by being right or not, or at all."""
        what = self.right if measure.is_mean else self.decisions
        groups, found = self.grouping.groups, []
        for a, b in pairs:
            differ = what[a] != what[b]
            found.append(self.items[differ].sum() if groups is None else np.unique(groups[differ]).size)
        return [int(units) for units in found]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of labels, names, answers, groups and strata: the same whatever the order of the items."""
        rows = self.items.astype(np.uint64)
        for column in (self.truth, *self.decisions):
            rows = mixed(rows * np.uint64(3) + column.astype(np.uint64))
        found = sums(rows) + (sums(self.grouping.hashes(rows)) if self.grouping else [])
        return hashlib.sha256(repr(([str(x) for x in self.labels], self.names, found)).encode()).hexdigest()[:16]


def _classes(truths: Counts, own: Counts) -> ClassCounts:
    hits, wrongly = np.split(own, 2)
    return ClassCounts(truths, hits + wrongly, hits, truths.sum(axis=0))


def _matrix(truths: Counts, own: Counts) -> ConfusionMatrix:
    k = len(truths)
    cells = np.empty((k, k, *truths.shape[1:]), dtype=truths.dtype)
    cells[:, 1:] = own.reshape(k, k - 1, *truths.shape[1:])
    cells[:, 0] = truths - cells[:, 1:].sum(axis=1)
    return ConfusionMatrix(cells)


def read_answers(
    truth: Any,
    models: Mapping[str, Any],
    measure: Measure,
    *,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    items: Counts | None = None,
) -> AnswerSample:
    """Check labels of the truth and of every model that were matched by position, and put equal rows together.

    ``items`` says how many items each row is, 1 unless given.
    """
    coded_truth = label_codes("truth", truth)
    coded = {name: label_codes(name, values) for name, values in models.items()}
    n = len(coded_truth[0])
    same_length({"truth": n, **{name: len(codes) for name, (codes, _) in coded.items()}})
    grouping = read_grouping(n, groups, strata, items)
    items = np.ones(n, dtype=np.int64) if items is None else items
    every = [("truth", coded_truth), *coded.items()]
    plain = [[plain_label(label, name) for label in found] for name, (_, found) in every]
    labelled, answers = _labelled(coded_truth, coded, items, measure, positive)
    place = {label: i for i, label in enumerate(labelled.joint.labels)}
    # labels that are folded into the others are at place 0
    columns = [
        np.array([place.get(label, 0) for label in found], dtype=np.int64)[codes]
        for found, (_, (codes, _)) in zip(plain, every, strict=True)
    ]
    first, items = _equal_rows([*columns, *(x for x in (grouping.groups, grouping.strata) if x is not None)], items)
    return AnswerSample(
        tuple(models),
        labelled.joint.labels,
        columns[0][first],
        np.stack([c[first] for c in columns[1:]]),
        items,
        grouping.take(first),
        ReadingNotes(labelled.positive, labelled.inferred, labelled.against_others, strange=strange_labels(*answers)),
    )


def _labelled(
    truth: Coded, models: Mapping[str, Coded], items: Counts, measure: Measure, positive: Any
) -> tuple[LabelledCounts, tuple[set[Label], LabelsSaid]]:
    """Decide about the classes from what every model says of every class."""
    seen: Counter[tuple[Any, ...]] = Counter()
    true: set[Label] = set()
    said: dict[str, Mapping[Label, int]] = {}
    for name, coded in models.items():
        tally = plain_labels(tally_codes([truth, coded], items))
        seen.update(tally)
        true, answers = answers_of_tally(tally, (name,))
        said |= answers
    refuse_misspelt(true, said)
    return label_counts(
        seen,
        positive=positive,
        needs_positive=measure.needs_positive,
        any_number_of_classes=measure.any_number_of_classes,
        measure=measure.label,
    ), (true, said)


def _equal_rows(columns: list[Counts], counts: Counts) -> tuple[Counts, Counts]:
    """Return one of each set of equal rows, and how many items are like it."""
    key, size = np.zeros(counts.size, dtype=np.int64), 1
    for column in columns:
        width = int(column.max()) + 1
        if size * width > MOST_KEYS:  # too many for one number each: number those that occur, and go on
            occurring, key = np.unique(key, return_inverse=True)
            size = occurring.size
        key, size = key * width + column, size * width
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first, np.bincount(number, weights=counts).astype(np.int64)


def _counted(codes: Counts, items: Counts, size: int) -> list[tuple[int, int]]:
    """Return the codes below ``size`` that occur, rising, and how many items have each."""
    held, places = (None, codes) if size <= MOST_PLACES else np.unique(codes, return_inverse=True)
    counts = np.bincount(places, weights=items)
    some = np.flatnonzero(counts)
    own = some if held is None else held[some]
    return [(code, int(count)) for code, count in zip(own.tolist(), counts[some].tolist(), strict=True)]
