"""Scores in: truth and one score per item and model, validated and sorted once; and what thresholds make of them.

Higher scores mean the positive class; where lower ones do, the scores are negated. Items are put in an order of
their own (that of the first model's scores, or class by class when resampling is stratified), so that scanning them is
cheap; nothing depends on the order in which they came.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import ConfusionMatrix, Counts
from clearwin.data.arrays import (
    Label,
    Tally,
    label_codes,
    refuse_no_column,
    refuse_texts,
    same_length,
    tally_arrays,
    tally_codes,
)
from clearwin.data.clusters import Grouping, effective_number, read_grouping
from clearwin.data.labels import WHOLE, label_counts
from clearwin.data.samples import ItemSample, ReadingNotes
from clearwin.errors import (
    Advice,
    ClearwinError,
    DataError,
    OptionError,
    UndefinedError,
    UnknownNameError,
    at_positions,
    setting,
    settings_in,
)
from clearwin.measures import Measure
from clearwin.numerics.arrays import Bools, Floats
from clearwin.numerics.auc_covariance import (
    AucCovariance,
    auc_covariance,
    clustered_variance,
    difference_variance,
    side_by_side,
)
from clearwin.numerics.fingerprints import mixed, sums
from clearwin.numerics.rank_sum import ChanceLevel, against_chance
from clearwin.numerics.thresholds import Type, called_positive, own_type, written
from clearwin.results.base import Sampling
from clearwin.text import as_number, counted, listed


@dataclass(frozen=True, eq=False)
class Ranking:
    """Items by falling score: their positions, which are positive, and which end a group of equal scores."""

    order: NDArray[np.int32]
    positive: NDArray[np.uint8]
    last: Bools

    @classmethod
    def of(cls, scores: Floats, truth: Bools) -> Ranking:
        """Sort once."""
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        return cls(order.astype(np.int32), truth[order].astype(np.uint8), last)

    @cached_property
    def chance(self) -> ChanceLevel:
        """How the ranking stands against one that knows nothing of the classes."""
        ends = np.flatnonzero(self.last)
        positives = np.diff(np.cumsum(self.positive, dtype=np.int64)[ends], prepend=0)
        negatives = np.diff(ends + 1, prepend=0) - positives
        return against_chance(positives[::-1], negatives[::-1])


@dataclass(frozen=True, eq=False)
class ScoreSample(ItemSample):
    """The truth and the scores of one or more models on the same items; ``types`` are those the scores came in.

    ``stratified`` draws keep the class sizes.
    """

    truth: Bools
    scores: tuple[Floats, ...]
    types: tuple[Type, ...]
    positive: Label
    negative: Label
    about: ReadingNotes = field(default_factory=ReadingNotes)
    grouping: Grouping = field(default_factory=Grouping)
    stratified: bool = False

    @property
    def n(self) -> int:
        """All items."""
        return int(self.truth.size)

    @property
    def positives(self) -> int:
        """Items of the positive class."""
        return int(self.truth.sum())

    @cached_property
    def rankings(self) -> tuple[Ranking, ...]:
        """Each model's order."""
        return tuple(side_by_side(Ranking.of, [(scores, self.truth) for scores in self.scores]))

    @cached_property
    def arranged(self) -> ScoreSample:
        """The same items in the order in which they are drawn: the first model's, class by class or by stratum.

        Groups are numbered in the order in which they are drawn: stratum by stratum.
        """
        order = np.argsort(-self.scores[0], kind="stable")
        ordered = self.scores[0][order]
        if (ordered[1:] == ordered[:-1]).any():
            # equal scores are ordered by whatever else is known, so that the order of the input does not matter
            units = (self._unit_hashes,) if self.grouping else ()
            order = np.lexsort((*units, self.truth, *(-scores for scores in self.scores[:0:-1]), -self.scores[0]))
        if self.stratified:
            order = np.concatenate([order[self.truth[order]], order[~self.truth[order]]])
        grouping = self.grouping
        if grouping.groups is not None:
            grouping = grouping.take(order).numbered_by_stratum()
        elif grouping.strata is not None:
            order = order[np.argsort(grouping.strata[order], kind="stable")]
            grouping = grouping.take(order)
        return replace(
            self, truth=self.truth[order], scores=tuple(scores[order] for scores in self.scores), grouping=grouping
        )

    @cached_property
    def unit_of_item(self) -> NDArray[np.int64]:
        """Each item's group; empty where items stand for themselves."""
        return np.empty(0, dtype=np.int64) if self.grouping.groups is None else self.grouping.groups

    @property
    def stratum_sizes(self) -> list[int]:
        """How many items or groups each stratum has."""
        if self.stratified:
            return [self.positives, self.n - self.positives]
        return [int(size) for size in np.bincount(self.grouping.strata_of_units(self.n))]

    @cached_property
    def _item_hashes(self) -> NDArray[np.uint64]:
        """64 bits for each item by what it holds."""
        items = self.truth.astype(np.uint64)
        for scores in self.scores:
            items = mixed(items * np.uint64(3) + (scores + 0.0).view(np.uint64))  # −0.0 is 0.0
        return items

    @cached_property
    def _unit_hashes(self) -> NDArray[np.uint64]:
        """64 bits for the group and stratum of each item, by what they hold."""
        return self.grouping.hashes(self._item_hashes)[self.grouping.units(self.n)]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of truth, scores, groups and strata: equal for equal data, whatever the order of the items."""
        labels = repr((str(self.negative), str(self.positive))).encode()
        # each item is mixed to 64 bits (splitmix64) and the items are added up, so that their order does not matter
        found = [*sums(self._item_hashes), self.n]
        if self.grouping:
            found += sums(self.grouping.hashes(self._item_hashes))
        return hashlib.sha256(labels + repr(found).encode()).hexdigest()[:16]

    @cached_property
    def sampling(self) -> Sampling | None:
        """What is drawn whole and held fixed."""
        if self.stratified:
            sizes = {str(label): n for label, n in self._class_sizes}
            return Sampling("item", self.n, 1, 1, sizes, float(self.n))
        return self.grouping.sampling(self.n)

    def ungrouped(self) -> ScoreSample:
        """Return the same sample as if every item stood for itself."""
        return replace(self, grouping=self.grouping.without_groups())

    def of_model(self, model: int) -> ScoreSample:
        """Return the scores of one model alone."""
        return replace(self, scores=(self.scores[model],), types=(self.types[model],))

    def of_pair(self, a: int, b: int) -> ScoreSample:
        """Return the scores of two models."""
        return replace(self, scores=(self.scores[a], self.scores[b]), types=(self.types[a], self.types[b]))

    @cached_property
    def areas(self) -> AucCovariance:
        """The models' areas under the ROC curve, with their covariance."""
        return auc_covariance(self.truth, self.scores, [ranking.order[::-1] for ranking in self.rankings])

    @cached_property
    def groups_of_classes(self) -> tuple[int, float] | None:
        """How many groups hold items of the class that lies in fewer, and how many of one size would weigh as much."""
        groups = self.grouping.groups
        if groups is None:
            return None
        sizes = [np.bincount(groups[which]) for which in (self.truth, ~self.truth)]
        return min(int((s > 0).sum()) for s in sizes), min(effective_number(s) for s in sizes)

    @cached_property
    def area_variance(self) -> float | None:
        """The variance of the difference of two areas, or of one area: DeLong's, or Obuchowski's by groups.

        None where a class lies in one group.
        """
        if self.grouping.groups is not None:
            if self.groups_of_classes is not None and self.groups_of_classes[0] < 2:
                return None
            return clustered_variance(self.truth, self.scores, self.grouping.groups)
        single = len(self.scores) == 1
        return float(self.areas.covariance[0, 0]) if single else difference_variance(self.areas)

    def take(self, items: Counts, grouping: Grouping, swapped: Bools) -> ScoreSample:
        """Return the sample of these items, A and B swapped on some of them."""
        truth = self.truth[items]
        if truth.all() or not truth.any():
            raise UndefinedError("All items of the set are of one class.", "items of both classes")
        a, b = (scores[items] for scores in self.scores)
        scores = np.where(swapped, b, a), np.where(swapped, a, b)
        return replace(self, truth=truth, scores=scores, grouping=grouping)

    def weighted_difference(self, measure: Measure, weights: Counts) -> float:
        """Return b − a if every item had its weight."""
        a, b = (scan(measure, ranking, weights) for ranking in self.rankings)
        return b - a

    def influence(self, measure: Measure) -> Floats:
        """Return the items' placements, their influence on the ROC area."""
        a, b = (placements(self.truth, scores) for scores in self.scores)
        return measure.sign * (b - a)

    def estimates(self, measure: Measure) -> tuple[float, ...]:
        """Return the measure's value for each model."""
        if measure.is_area:
            return tuple(float(area) for area in self.areas.aucs)
        return tuple(scan(measure, ranking) for ranking in self.arranged.rankings)

    def class_sizes(self, measure: Measure) -> list[tuple[object, int]]:
        """Return the classes and how many items each has."""
        return self._class_sizes

    @property
    def _class_sizes(self) -> list[tuple[object, int]]:
        return [(self.negative, self.n - self.positives), (self.positive, self.positives)]

    @property
    def outcomes(self) -> dict[str, int]:
        """How many items each class has."""
        return {"positives": self.positives, "negatives": self.n - self.positives}

    def units_that_differ(self, measure: Measure, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """Return on how many items or groups the models of each pair disagree."""
        apart = (self.scores[a] != self.scores[b] for a, b in pairs)
        groups = self.grouping.groups
        return [int(differ.sum() if groups is None else np.unique(groups[differ]).size) for differ in apart]


def scored_items(
    truth: Any,
    *scores: Any,
    roles: Sequence[str] = ("a", "b"),
    positive: Any = None,
    rank_infinite: bool = False,
    groups: Any = None,
    strata: Any = None,
    lower_is_positive: Collection[str] = (),
) -> ScoreSample:
    """Validate labels and scores, and the groups and strata of the items, all matched by position.

    ``roles`` is what to call the models where their scores are refused; the scores of those in ``lower_is_positive``
    are negated.
    """
    columns = [numbers(role, values, rank_infinite) for role, values in zip(roles, scores, strict=False)]
    # the tally of the truth with itself checks the labels in the one place that does
    codes, labels = label_codes("truth", truth)
    same_length({"truth": codes.size})
    tally = tally_codes([(codes, labels)] * 2)
    for role, column in zip(roles, columns, strict=False):
        if column.size != codes.size:
            what = f"The lengths differ: truth has {codes.size:,}, {role} has {column.size:,}."
            raise DataError(what, "one score for each item, in the same order")
    try:
        counted = label_counts(
            tally, positive=positive, needs_positive=True, any_number_of_classes=False, measure="a measure of scores"
        )
    except UnknownNameError:
        raise
    except DataError as error:  # for scores there is no measure that does without a positive class
        raise DataError(error.what, error.expected, Advice(*settings_in(error.next)) or error.next) from None
    outcomes = list(counted.joint.outcomes)  # of the truth with itself; class 1 is the positive one
    of_label = {key[0]: outcomes[at][0] == 1 for key, at in zip(tally, counted.places, strict=True)}
    is_positive = np.array([of_label.get(label, False) for label in labels], dtype=np.bool_)[codes]
    if is_positive.all() or not is_positive.any():
        only = counted.positive if is_positive.all() else counted.joint.labels[0]
        raise DataError(
            f"All items are of class {only}.",
            "items of both classes: scores are judged by how well they separate the classes",
        )
    lower = tuple(role in lower_is_positive for role, _ in zip(roles, columns, strict=False))
    return ScoreSample(
        is_positive,
        tuple(0.0 - column if turned else column for column, turned in zip(columns, lower, strict=True)),
        tuple(own_type(values) for values in scores),
        counted.positive,
        counted.joint.labels[0],
        ReadingNotes(counted.positive, counted.inferred, counted.against_others, lower_is_positive=lower),
        read_grouping(codes.size, groups, strata),
    )


def models_with_lower_positive(given: Any, models: Mapping[str, str]) -> tuple[str, ...]:
    """Return the roles of the models whose lower scores mean the positive class.

    ``given`` is True for all, False for none, or the name of one model or several; ``models`` maps each role to the
    name that the model is shown under, and either will do. As a text, as the command and the page have it, "all" and
    "true" are all, "false" is none, and commas part several names.

    >>> models_with_lower_positive("distance", {"a": "distance", "b": "network"})
    ('a',)
    """
    if given is None or isinstance(given, bool | np.bool_):
        return tuple(models) if given else ()
    known = {**{role: role for role in models}, **{name: role for role, name in models.items()}}
    if isinstance(given, str) and given not in known:
        if given.lower() in ("all", "true", "false", ""):
            return tuple(models) if given.lower() in ("all", "true") else ()
        given = listed(given)
    named = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    for name in named:
        if name not in known:
            raise UnknownNameError("model", name, models.values(), setting("lower_is_positive", True) + " for all")
    return tuple(role for role in models if role in [known[name] for name in named])


def are_classes(strata: Any, truth: Any) -> bool:
    """Whether the strata are the truth itself: every item's own class."""
    if strata is None or truth is None:
        return False
    try:
        return strata is truth or np.array_equal(np.asarray(strata, dtype=object), np.asarray(truth, dtype=object))
    except TypeError:  # pandas.NA refuses to be a truth value: whoever reads the labels says what is missing
        return False


def _refuse_rounding(role: str, values: Any, column: Floats) -> None:
    """Whole numbers beyond 2⁵³ are not floats: neighbours would become one."""
    large = np.flatnonzero(np.abs(column.ravel()) >= 2.0**53)
    if not large.size or getattr(values, "dtype", np.dtype(object)).kind == "f":
        return
    listed = np.asarray(values, dtype=object).ravel()
    wrong = [
        i
        for i in large.tolist()
        if (isinstance(listed[i], int | np.integer) or WHOLE.fullmatch(str(listed[i])))
        and int(column.ravel()[i]) != int(listed[i])
    ]
    if wrong:
        raise DataError(
            f"{role}[{wrong[0]}] is {listed[wrong[0]]}, which a float cannot hold exactly.",
            f"whole numbers of at most {2**53:,} in size",
            "subtract what all have in common, for instance the smallest of them",
        )


def numbers(role: str, values: Any, rank_infinite: bool = False, *, noun: str = "score") -> Floats:
    """Return a column of numbers, or say which are not numbers; infinite ones only where they are to be ranked."""
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    refuse_no_column(role, values)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cmM":  # complex numbers and times would be cut down in silence
            raise TypeError
        refuse_texts(role, array)
        column = np.asarray(values, dtype=np.float64)
    except ClearwinError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"{role} holds something that is not a number.", f"a {noun} for every item", "check what the column holds"
        ) from None
    _refuse_rounding(role, values, column)
    if column.ndim != 1:
        raise DataError(
            f"{role} has shape {column.shape}.",
            f"one {noun} for each item: a one-dimensional array",
            f"{role}.ravel()" if column.ndim == 2 and 1 in column.shape else f"choose one column of {role}",
        )
    missing = np.flatnonzero(np.isnan(column))
    if missing.size:
        raise DataError(
            f"{role} has {counted(missing.size, f'{noun} that is', f'{noun}s that are')} nan or missing, "
            f"{at_positions(missing)} (the first item is at 0).",
            f"a {noun} for every item",
            f"decide what a missing {noun} means: "
            + setting("missing", "drop")
            + f" leaves those items out, or give them the lowest {noun}",
        )
    infinite = np.flatnonzero(np.isinf(column))
    if infinite.size and not rank_infinite:
        raise DataError(
            f"{role} has {counted(infinite.size, f'infinite {noun}')}, {at_positions(infinite)} (the first item is at "
            "0).",
            f"finite {noun}s",
            setting("rank_infinite", True) + " takes them as the highest or lowest of all"
            if noun == "score"
            else "leave these items out of all arrays, or give them a finite value",
        )
    return column


def scan(measure: Measure, ranking: Ranking, weights: Counts | None = None) -> float:
    """Return a ranking measure of one model's items, each counted once or with its weight."""
    from clearwin.numerics import kernels

    times = np.ones(ranking.order.size) if weights is None else weights[ranking.order]
    options = np.array(measure.scan_options(), dtype=np.float64)
    which = getattr(kernels, measure.scan)
    return float(kernels.scan(which, times.astype(np.uint16), ranking.positive, ranking.last, options))


def midranks(values: Floats) -> Floats:
    """Return each value's place from below, equal ones in the middle of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[place])


def placements(truth: NDArray[np.bool_], scores: Floats) -> Floats:
    """Return each item's influence on the area under the ROC curve, up to the factor 1/n (DeLong et al. 1988)."""
    everyone, placements = midranks(scores), np.empty(truth.size)
    share = truth.mean()
    above = (everyone[truth] - midranks(scores[truth])) / (~truth).sum()
    below = 1.0 - (everyone[~truth] - midranks(scores[~truth])) / truth.sum()
    placements[truth] = (above - above.mean()) / share
    placements[~truth] = (below - below.mean()) / (1.0 - share)
    return placements


# --- from scores to decisions -----------------------------------------------------------------------------------


def read_thresholds(threshold: Any, models: int) -> tuple[float, ...]:
    """Return one threshold for each model from a number or one number each."""
    several = list(threshold) if np.ndim(threshold) == 1 else [threshold] * models
    try:
        found = tuple(float(t) for t in several if not isinstance(t, str) or as_number(t) is not None)
    except (TypeError, ValueError):
        found = ()
    if len(found) != models or any(np.isnan(t) for t in found):
        raise OptionError(
            f"threshold is {threshold!r}.",
            "a number" if models == 1 else f"a number, or {models} numbers, one for each model",
            setting("threshold", 0.5),
        )
    return found


def as_given(thresholds: tuple[float, ...], about: ReadingNotes) -> tuple[float, ...]:
    """Return thresholds of negated scores as those of the scores that were given, or the other way round."""
    return tuple(0.0 - t if turned else t for t, turned in zip(thresholds, about.lower_is_positive, strict=True))


def decide(items: ScoreSample, thresholds: tuple[float, ...]) -> tuple[Tally, tuple[str, ...]]:
    """Count the joint decisions at these thresholds, with the labels that the truth has, by group and stratum.

    Returns the tally and what its keys carry besides: group, stratum.
    """
    code = items.truth.astype(np.int64)
    for scores, threshold, kind in zip(items.scores, thresholds, items.types, strict=True):
        code = 2 * code + called_positive(scores, threshold, kind)
    width = 1 + len(thresholds)
    extra = items.grouping.columns()
    labels = (items.negative, items.positive)
    tally = {
        (*(labels[key[0] >> (width - 1 - place) & 1] for place in range(width)), *key[1:]): count
        for key, count in tally_arrays(code=code, **extra).items()
    }
    return tally, tuple(extra)


def best_thresholds(items: ScoreSample, measure: Measure) -> tuple[float, ...]:
    """Return for each model the threshold with the best value of the measure, in the middle between two scores.

    Among equally good ones the highest is used, which calls the fewest items positive.
    """
    found = []
    for scores, ranking, kind in zip(items.scores, items.rankings, items.types, strict=True):
        ends = np.flatnonzero(ranking.last)
        tp = np.concatenate([[0], np.cumsum(ranking.positive, dtype=np.int64)[ends]])
        accepted = np.concatenate([[0], ends + 1])
        fp = accepted - tp
        counts = ConfusionMatrix.of_two_classes(
            tp=tp, fn=items.positives - tp, fp=fp, tn=items.n - items.positives - fp
        )
        distinct = scores[ranking.order][ends].astype(kind)  # the middle is one of this type, too
        values = measure.sign * measure.evaluate(counts).values
        first = int(np.isposinf(distinct[0]))  # no threshold is above an infinite score
        best = first + int(np.argmax(values[first:]))
        above = distinct[best - 1] if best > 0 else kind.type(np.inf)
        below = distinct[best] if best < distinct.size else kind.type(-np.inf)
        # halves first: the sum of two scores near 1e308 would overflow
        middle = above / 2 + below / 2 if np.isfinite(above) and np.isfinite(below) else above
        found.append(float(written(middle if middle > below else above)))
    return tuple(found)
