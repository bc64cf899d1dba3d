"""The answers of many models on one test set: the truth and every model's decision for each item.

The joint outcome of m models on an item is (truth, decision 1, …, decision m). Items with the same outcome, group and
stratum are one row with the number of them, so a few models have a handful of rows, however many items there are.
A row adds to the confusion counts of all models at once: one draw of rows is a test set that all models share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import AnyCounts, ClassCounts, ConfusionMatrix, Counts, JointCounts
from clearwin.data.arrays import Label, label_codes, refuse_shuffled_indexes, same_length
from clearwin.data.clusters import Grouping, read_grouping, sampling_of
from clearwin.data.labels import LabelledCounts, label_counts, plain_label
from clearwin.data.samples import About
from clearwin.data.spelling import Strange, refuse_misspelt, strange_labels
from clearwin.data.units import Rows, distinct
from clearwin.measures import Measure
from clearwin.numerics.fingerprints import mixed, sums
from clearwin.results.base import Sampling

Coded = tuple[NDArray[Any], list[Label]]  # each item's place among the labels, and those labels
MOST_KEYS = 2**62


@dataclass(frozen=True, eq=False)
class Answers:
    """Rows of equal outcomes: ``counts`` items have this truth and these decisions (models × rows), as label places."""

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    truth: Counts
    decisions: Counts
    counts: Counts
    grouping: Grouping
    about: About

    @property
    def n(self) -> int:
        """All items."""
        return int(self.counts.sum())

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which model has which row right."""
        return np.asarray(self.decisions == self.truth)

    @property
    def sampling(self) -> Sampling | None:
        """What is drawn whole and held fixed; None where items are drawn and nothing is."""
        if not self.grouping:
            return None
        strata = self.grouping.strata_of_units(self.counts.size)
        if self.grouping.groups is None:
            return sampling_of("item", np.ones_like(self.counts), self.counts, strata, self.grouping)
        sizes = np.bincount(self.grouping.groups, weights=self.counts).astype(np.int64)
        return sampling_of("group", sizes, np.ones_like(sizes), strata, self.grouping)

    def joint_with_itself(self, model: int) -> JointCounts:
        """Return the counts of one model, taken as both A and B."""
        k = len(self.labels)
        cells = np.bincount(self.truth * k + self.decisions[model], weights=self.counts, minlength=k * k)
        found = {(p // k, p % k, p % k): int(cells[p]) for p in np.flatnonzero(cells).tolist()}
        return JointCounts.of_outcomes(self.labels, found)

    def units_that_differ(self, pairs: list[tuple[int, int]], *, by_right: bool) -> list[int]:
        """Return how many items, or groups, tell the models of each pair apart: by being right or not, or at all."""
        what = self.right if by_right else self.decisions
        groups, found = self.grouping.groups, []
        for a, b in pairs:
            differ = what[a] != what[b]
            found.append(self.counts[differ].sum() if groups is None else np.unique(groups[differ]).size)
        return [int(units) for units in found]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of labels, names, answers, groups and strata: the same whatever the order of the items."""
        rows = self.counts.astype(np.uint64)
        for column in (self.truth, *self.decisions):
            rows = mixed(rows * np.uint64(3) + column.astype(np.uint64))
        found = sums(rows) + (sums(self.grouping.hashes(rows)) if self.grouping else [])
        return hashlib.sha256(repr(([str(x) for x in self.labels], self.names, found)).encode()).hexdigest()[:16]


def read_answers(
    truth: Any,
    models: Mapping[str, Any],
    measure: Measure,
    *,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
) -> Answers:
    """Check labels of the truth and of every model that were matched by position."""
    refuse_shuffled_indexes({"truth": truth, **models})
    coded_truth = label_codes("truth", truth)
    coded = {name: label_codes(name, values) for name, values in models.items()}
    same_length({"truth": len(coded_truth[0]), **{name: len(codes) for name, (codes, _) in coded.items()}})
    grouping = read_grouping(len(coded_truth[0]), groups, strata)
    return answers_of_codes(coded_truth, coded, measure, positive=positive, grouping=grouping)


def answers_of_codes(
    truth: Coded,
    models: Mapping[str, Coded],
    measure: Measure,
    *,
    grouping: Grouping,
    positive: Any = None,
    counts: Counts | None = None,
) -> Answers:
    """Put equal rows together; ``counts`` says how many items each row is, 1 unless given."""
    counts = np.ones(len(truth[0]), dtype=np.int64) if counts is None else counts
    labelled, plain, strange = _labelled(truth, models, counts, measure, positive)
    place = {label: i for i, label in enumerate(labelled.joint.labels)}
    # labels that are folded into the others are at place 0
    columns = [
        np.array([place.get(label, 0) for label in plain[role]], dtype=np.int64)[codes]
        for role, (codes, _) in enumerate([truth, *models.values()])
    ]
    first, counts = _equal_rows([*columns, *(x for x in (grouping.groups, grouping.strata) if x is not None)], counts)
    return Answers(
        tuple(models),
        labelled.joint.labels,
        columns[0][first],
        np.stack([c[first] for c in columns[1:]]),
        counts,
        grouping.take(first),
        About(labelled.positive, labelled.inferred, labelled.against_others, strange=strange),
    )


def _labelled(
    truth: Coded, models: Mapping[str, Coded], counts: Counts, measure: Measure, positive: Any
) -> tuple[LabelledCounts, list[list[Label]], tuple[Strange, ...]]:
    """Decide about the classes from what every model says of every class, and give labels one spelling."""
    plain = [[plain_label(label, name) for label in found] for name, (_, found) in [("truth", truth), *models.items()]]
    seen: dict[tuple[Label, ...], int] = {}
    for role, (codes, found) in enumerate(models.values(), 1):
        together = np.bincount(truth[0] * len(found) + codes, weights=counts, minlength=len(truth[1]) * len(found))
        for where in np.flatnonzero(together).tolist():
            key = plain[0][where // len(found)], plain[role][where % len(found)]
            seen[key] = seen.get(key, 0) + int(together[where])
    said = {name: _said(codes, plain[role], counts) for role, (name, (codes, _)) in enumerate(models.items(), 1)}
    true = {label for label, count in _said(truth[0], plain[0], counts).items() if count}
    refuse_misspelt(true, said)
    labelled = label_counts(
        seen,
        positive=positive,
        needs_positive=measure.needs_positive,
        any_number_of_classes=measure.any_number_of_classes,
        measure=measure.label,
    )
    return labelled, plain, strange_labels(true, said)


def _said(codes: Counts, labels: list[Label], counts: Counts) -> dict[Label, int]:
    """Return how many items have each label."""
    found: dict[Label, int] = {}
    for label, count in zip(labels, np.bincount(codes, weights=counts, minlength=len(labels)).tolist(), strict=True):
        found[label] = found.get(label, 0) + int(count)
    return found


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


@dataclass(frozen=True, eq=False)
class ModelTable:
    """The distinct units (items or groups) as rows that add to features: the truth's, then those of each model.

    Of the truth: the items of each class. Of a model, for two classes or where the measure needs the whole matrix: its
    cells but for the first column, which is what is left of the class. Else of each class its hits, and how often it
    is called wrongly.
    """

    rows: Rows
    strata: Counts
    k: int
    models: int
    whole_matrix: bool

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return self.k + self.models * self.width

    @property
    def width(self) -> int:
        """The features of one model."""
        return _width(self.k, self.whole_matrix)

    def read(self, totals: Counts, model: int) -> AnyCounts:
        """Return one model's counts from the features' totals."""
        k, truths = self.k, totals[: self.k]
        own = totals[k + model * self.width : k + (model + 1) * self.width]
        if not self.whole_matrix:
            return ClassCounts(truths, own[:k] + own[k:], own[:k], truths.sum(axis=0))
        cells = np.empty((k, k, *totals.shape[1:]), dtype=np.int64)
        cells[:, 1:] = own.reshape(k, k - 1, *totals.shape[1:])
        cells[:, 0] = truths - cells[:, 1:].sum(axis=1)
        return ConfusionMatrix(cells)


def _width(k: int, whole_matrix: bool) -> int:
    return k * (k - 1) if whole_matrix else 2 * k


def table_of(answers: Answers, measure: Measure) -> ModelTable:
    """Return the units that are drawn, with what they add to the counts of every model."""
    k, m = len(answers.labels), len(answers.names)
    whole_matrix = k <= 2 or measure.needs_matrix
    width = _width(k, whole_matrix)
    y, said = answers.truth, answers.decisions
    cells, classes = np.where(said > 0, y * (k - 1) + said - 1, -1), np.where(said == y, y, k + said)
    own = cells if whole_matrix else classes
    row = np.broadcast_to(np.arange(y.size), own.shape)
    counted = own >= 0
    feature = (k + width * np.arange(m)[:, None] + own)[counted]
    row, feature = np.concatenate([np.arange(y.size), row[counted]]), np.concatenate([y, feature])
    grouping, counts = answers.grouping, answers.counts
    strata = grouping.strata_of_units(y.size)
    if grouping.groups is None:
        value, times = np.ones_like(row), counts
    else:
        value, times = counts[row], np.ones_like(strata)
    rows, strata = distinct(grouping.units(y.size)[row], feature, value, times, k + m * width, strata)
    return ModelTable(rows, strata, k, m, whole_matrix)
