"""Areas under correlated ROC curves and their covariance: DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988).

Numbers in, numbers out; p-values are made in pvalues.py. Every positive is compared with every negative, and
ψ = 1, ½ or 0 when the positive scores higher, the same or lower. The mean of ψ over all P·N pairs is the AUC; its
row means V10 (one for each positive) and column means V01 (one for each negative) give the covariance S10/P + S01/N.
Nobody needs the pairs: ranks give the means after one sort for each model (Sun and Xu, IEEE Signal Processing
Letters 21, 2014), V10 = (rank among all − rank among positives)/N and V01 = 1 − (rank among all − rank among
negatives)/P, with midranks for ties.

Here everything is kept in whole numbers. An item's *net wins* are its pairs won minus its pairs lost; so N(2·V10 − 1)
for a positive and P(2·V01 − 1) for a negative. They, their sums and their products are integers, and every result is
one division of two exact integers, rounded once. So equal ranks give equal bits whatever the scores, identical
models differ with variance exactly 0, and the variance of the difference of two models that rank a million items
alike but for one pair is also right: var + var − 2 cov in float64 would have lost it altogether.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clearwin.errors import DataError
from clearwin.numerics.arrays import Bools, Floats, Ints

T = TypeVar("T")
# whole numbers of any size: Python's own, in an array
BigInts = NDArray[np.object_]
# with fewer items starting threads costs as much as it saves
THREADS_FROM = 50_000
NO_VARIANCE = 1e-20


@dataclass(frozen=True, eq=False)
class AucCovariance:
    """AUCs of m models on the same items, and how they vary together.

    ``covariance`` is S10/P + S01/N, with P − 1 and N − 1 below the sums of squares.
    A class of one item has no such sum: its term is 0, the variance is too small, and ``degenerate`` says so.

    The last three are the same numbers before the division, exactly: AUC = ½ + net_wins/(2·P·N) and
    covariance = numerators/denominator.
    """

    aucs: Floats
    covariance: Floats
    positives: int
    negatives: int
    net_wins: BigInts
    numerators: BigInts
    denominator: int

    @property
    def degenerate(self) -> bool:
        """Whether a class has one item only, so that its part of the variance is unknown and counted as 0."""
        return min(self.positives, self.negatives) == 1


def auc_covariance(
    truth: ArrayLike, scores: Sequence[ArrayLike], orders: Sequence[NDArray[np.integer]] | None = None
) -> AucCovariance:
    """Return the AUCs of models that scored the same items, and their covariance.

    ``truth`` is True for positives; a higher score means positive. Infinite scores are ranked like any other;
    nan cannot be ranked and is refused. O(n log n) for each model, O(n) for each pair of models. ``orders`` are the
    items by rising score, where they are known: then nothing is sorted.

    >>> c = auc_covariance([True, True, True, False, False], [[0.9, 0.8, 0.4, 0.6, 0.1], [0.7, 0.3, 0.6, 0.5, 0.3]])
    >>> c.aucs.round(4).tolist()
    [0.8333, 0.75]
    >>> c.covariance.round(4).tolist()
    [[0.0556, -0.0069], [-0.0069, 0.0694]]
    """
    if len(scores) == 0:
        raise DataError("There are no scores.", "one model or more", "give scores=[scores_of_a, scores_of_b]")
    labels = _labels(truth)
    models = [_scores(labels, s) for s in scores]
    classes = (np.flatnonzero(labels), np.flatnonzero(~labels))
    known = [None] * len(models) if orders is None else orders
    nets = side_by_side(lambda s, order: _net_wins(labels, classes, s, order), list(zip(models, known, strict=True)))
    p, n = (members.size for members in classes)
    # S10/P = C10/(P²(P − 1)(2N)²), where C10 = P Σxy − Σx Σy of the positives' net wins and C01 of the negatives'
    # alike, so that S10/P + S01/N has one denominator. With P = 1 C10 is 0, whatever stands below it.
    c10, sums = _centred_products([positives for positives, _ in nets], bound=n)
    c01, _ = _centred_products([negatives for _, negatives in nets], bound=p)
    p_free, n_free = max(p - 1, 1), max(n - 1, 1)
    numerators = c10 * n_free + c01 * p_free
    denominator = 4 * p**2 * n**2 * p_free * n_free
    # Python divides whole numbers of any size and rounds once
    aucs = np.asarray((p * n + sums) / (2 * p * n), dtype=np.float64)
    covariance = np.asarray(numerators / denominator, dtype=np.float64)
    return AucCovariance(aucs, covariance, p, n, sums, numerators, denominator)


def side_by_side(sort: Callable[..., T], models: Sequence[tuple[Any, ...]]) -> list[T]:
    """Return what ``sort`` makes of each model's numbers, of many numbers on all cores.

    numpy's sort lets go of the interpreter: two models take the time of one (1e6 items: 0.11 s, not 0.20).
    """
    workers = min(len(models), os.cpu_count() or 1)
    if workers == 1 or models[0][0].size < THREADS_FROM:
        return [sort(*model) for model in models]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda model: sort(*model), models))


def auc(truth: ArrayLike, scores: ArrayLike) -> float:
    """Return the area under one ROC curve, ties counted half: the Mann-Whitney U over P·N, rounded once.

    >>> auc([True, True, False, False], [0.9, 0.4, 0.4, 0.1])
    0.875
    """
    labels = _labels(truth)
    ranking = _Ranking.of(labels, _scores(labels, scores))
    # in a tie group every positive has the same net wins; the sum is at most P·N
    total = int(np.dot(np.diff(ranking.positives), ranking.net_wins_of_positives()))
    p = int(ranking.positives[-1])
    n = int(ranking.negatives[-1])
    return (p * n + total) / (2 * p * n)


def difference_variance(c: AucCovariance, i: int = 0, j: int = 1) -> float:
    """Return the variance of AUC j − AUC i: var_i + var_j − 2 cov_ij, never below 0.

    >>> c = auc_covariance([True, True, True, False, False], [[0.9, 0.8, 0.4, 0.6, 0.1], [0.7, 0.3, 0.6, 0.5, 0.3]])
    >>> round(difference_variance(c), 4), difference_variance(c, 1, 1)
    (0.1389, 0.0)
    """
    k = c.numerators
    return float((k[i, i] + k[j, j] - 2 * k[i, j]) / c.denominator)


def clustered_variance(truth: ArrayLike, scores: Sequence[ArrayLike], groups: Ints) -> float:
    """Return the variance of AUC_last − AUC_first (of one model: of its AUC) when whole groups of items were sampled.

    Obuchowski (Biometrics 53, 1997): the structural components are added up in every group, less what they should be,
    and squared; a group with items of both classes adds twice their product. Where every item is a group of its own
    this is DeLong's variance. A group that holds much of a class pulls the mean towards itself, so its sum is divided
    by 1 − its share, as the jackknife does; for groups of one size that changes nothing.

    Both classes must lie in at least two groups.

    >>> truth, scores = [True, True, True, False, False], [[0.9, 0.8, 0.4, 0.6, 0.1], [0.7, 0.3, 0.6, 0.5, 0.3]]
    >>> round(clustered_variance(truth, scores, np.arange(5)), 4)
    0.1389
    """
    labels = _labels(truth)
    classes = (np.flatnonzero(labels), np.flatnonzero(~labels))
    nets = [_net_wins(labels, classes, _scores(labels, s)) for s in scores]
    sums, held = [], []
    for which, members in enumerate(classes):
        other = classes[1 - which].size
        last = nets[-1][which] - nets[0][which] if len(nets) > 1 else nets[0][which]
        components = last / (2.0 * other)
        gaps = components - components.mean()
        sizes = np.bincount(groups[members], minlength=int(groups.max()) + 1)
        held.append(int((sizes > 0).sum()))
        leverage = (1.0 - 1.0 / held[-1]) / (1.0 - sizes / members.size)
        sums.append(np.bincount(groups[members], weights=gaps, minlength=sizes.size) / members.size * leverage)
    n = int(np.unique(groups).size)
    variance = sum(k / (k - 1) * float((x * x).sum()) for k, x in zip(held, sums, strict=True))
    variance += 2.0 * n / (n - 1) * float((sums[0] * sums[1]).sum())
    return variance if variance > NO_VARIANCE else 0.0  # groups that are all alike leave nothing but rounding errors


def contrast_chi2(c: AucCovariance) -> tuple[float, int]:
    """Return the statistic of "all AUCs are equal" and its degrees of freedom (DeLong et al. 1988).

    (Lθ)ᵀ (L S Lᵀ)⁻¹ (Lθ), where L takes the differences of neighbours; any other contrasts would give the same. The
    degrees of freedom are the rank of L S Lᵀ. It is found by elimination in whole numbers, so the tolerance is 0: a
    model that is there twice, or that follows from the others, adds nothing, and a model that differs from another
    in one pair of items adds 1. All identical: (0.0, 0).

    When AUCs differ by something that has no variance (a perfect ranking against a reversed one) the statistic is
    infinite: a pseudo-inverse would silently leave that difference out.

    >>> truth = [True, True, True, False, False]
    >>> a, b = [0.9, 0.8, 0.4, 0.6, 0.1], [0.7, 0.3, 0.6, 0.5, 0.3]
    >>> statistic, df = contrast_chi2(auc_covariance(truth, [a, b, a]))
    >>> round(statistic, 4), df
    (0.05, 1)
    """
    from flint import fmpz_mat

    variances = np.diff(np.diff(c.numerators, axis=0), axis=1)
    differences = np.diff(c.net_wins)
    # every entry is a whole number over ``pivot``: by hand, in numbers that grow with every model, elimination would
    # take longer than all the rest (150 models: 49 s, flint 0.04)
    rows, pivot, rank = fmpz_mat(np.column_stack([variances, differences]).tolist()).rref()
    table = np.array(rows.tolist(), dtype=object)[:rank]
    leading = [int(np.flatnonzero(row)[0]) for row in table]
    if leading and leading[-1] == len(differences):
        return math.inf, rank - 1
    total = sum(int(differences[place]) * int(row[-1]) for place, row in zip(leading, table, strict=True))
    # θ = ½ + net_wins/(2PN) and S = numerators/denominator
    scale = c.denominator // (2 * c.positives * c.negatives) ** 2
    return total * scale / int(pivot), rank


# --- from bins ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BinnedAreas:
    """Areas of models whose scores are known by their bins, and how far off that may be.

    ``variance`` is that of the difference of two areas, or of one area. No order of the items within the bins would
    move an area by more than its ``errors``, nor the standard error out of ``deviations``.
    """

    aucs: Floats
    variance: float
    positives: int
    negatives: int
    errors: Floats
    deviations: tuple[float, float]

    @property
    def degenerate(self) -> bool:
        """Whether a class has one item only, so that its part of the variance is unknown and counted as 0."""
        return min(self.positives, self.negatives) == 1


def binned_auc_covariance(
    margins: Sequence[tuple[Ints, Ints, Bools]], coarse: Sequence[Ints], cells: Ints, positives: Ints, negatives: Ints
) -> BinnedAreas:
    """Return what DeLong's test needs of one model or two whose scores were counted in bins.

    ``margins`` are each model's positives and negatives in its bins, lowest first, and which bins hold one score only.
    ``coarse`` says to which row of a coarser grid each bin belongs; ``cells`` are the places in that grid (models ×
    cells) that hold ``positives`` and ``negatives``.

    An area is that of items tied within their bins, and Σ pos·neg/(2PN) over the bins bounds its error. Variances also
    come from the bins. The covariance comes from the grid, of the components' means in its rows and columns. It lacks
    what deviates from them: the covariance of both deviations, and of each with the other model's means as far as these
    vary within its own rows. Products of standard deviations bound all three (Cauchy and Schwarz). Components of items
    within a bin may be off by half its share of the other class, which shifts a deviation by no more than their root
    mean square (Minkowski).

    >>> one = np.array([0, 1, 1]), np.array([2, 1, 0]), np.array([True, True, True])
    >>> found = binned_auc_covariance([one], [np.arange(3)], np.array([[0, 1, 2]]), one[0], one[1])
    >>> found.aucs.tolist(), found.errors.tolist()
    ([0.9166666666666666], [0.0])
    """
    p, n = int(positives.sum()), int(negatives.sum())
    nets = [_net_wins_of_bins(pos, neg) for pos, neg, _ in margins]
    aucs = np.array(
        [(p * n + int(np.dot(pos, net))) / (2 * p * n) for (pos, _, _), (net, _) in zip(margins, nets, strict=True)]
    )
    shares = [np.where(one_score, 0.0, pos / p * (neg / n)) for pos, neg, one_score in margins]
    errors = np.array([float(share.sum()) / 2.0 for share in shares])
    low, middle, high = 0.0, 0.0, 0.0
    for which, (size, other, held) in enumerate(((p, n, positives), (n, p, negatives))):
        free = max(size - 1, 1)
        own, within, between, loose = [], [], [], []
        for model, margin in enumerate(margins):
            mine, others, one_score = margin[which], margin[1 - which], margin[2]
            components = nets[model][which] / (2.0 * other)
            gaps = components - float(np.dot(mine, components)) / size
            rows = int(max(coarse[model].max(), cells[model].max())) + 1
            sizes = np.bincount(coarse[model], weights=mine, minlength=rows)
            sums = np.bincount(coarse[model], weights=mine * gaps, minlength=rows)
            means = np.divide(sums, sizes, out=np.zeros(rows), where=sizes > 0)
            own.append(float(np.dot(mine, gaps**2)) / free)
            within.append(float(np.dot(mine, (gaps - means[coarse[model]]) ** 2)) / free)
            between.append(means[cells[model]])
            off = np.where(one_score, 0.0, others / (2.0 * other))
            loose.append(math.sqrt(float(np.dot(mine, off**2)) / free))
        if len(margins) == 1:
            observed, unknown = own[0], 0.0
        else:
            observed = own[0] + own[1] - 2.0 * float(np.dot(held, between[0] * between[1])) / free
            free_of_b, free_of_a = (
                math.sqrt(float(np.dot(held, _gaps_given(between[i], cells[1 - i], held) ** 2)) / free) for i in (0, 1)
            )
            inside_a, inside_b = (math.sqrt(variance) for variance in within)
            unknown = 2.0 * (free_of_b * inside_b + free_of_a * inside_a + inside_a * inside_b)
        shift = sum(loose)
        low += max(math.sqrt(max(observed - unknown, 0.0)) - shift, 0.0) ** 2 / size
        middle += max(observed, 0.0) / size
        high += (math.sqrt(max(observed + unknown, 0.0)) + shift) ** 2 / size
    return BinnedAreas(aucs, middle, p, n, errors, (math.sqrt(low), math.sqrt(high)))


def _gaps_given(values: Floats, places: Ints, weights: Ints) -> Floats:
    """Return how far each value is from the weighted mean of those at the same place."""
    sizes = np.bincount(places, weights=weights)
    means = np.bincount(places, weights=weights * values) / np.where(sizes > 0, sizes, 1.0)
    return np.asarray(values - means[places])


def _net_wins_of_bins(positives: Ints, negatives: Ints) -> tuple[Ints, Ints]:
    """Return the net wins of a positive and of a negative item in each bin, lowest bins first."""
    p, n = np.concatenate(([0], np.cumsum(positives))), np.concatenate(([0], np.cumsum(negatives)))
    return n[:-1] + n[1:] - n[-1], p[-1] - p[:-1] - p[1:]


# --- ranks and net wins ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Ranking:
    """Items in the order of their scores, cut into tie groups."""

    order: NDArray[np.integer]
    edges: Ints  # where the groups begin, and n at the end
    positives: Ints  # how many positives lie before each edge
    negatives: Ints

    @classmethod
    def of(cls, truth: Bools, scores: Floats, order: NDArray[np.integer] | None = None) -> _Ranking:
        # the order within a tie group does not matter, so the sort need not be stable (1e6 items: 75 ms for 124)
        order = np.argsort(scores) if order is None else order
        ranked = scores[order]
        if np.isnan(ranked[-1]):
            rows = np.flatnonzero(np.isnan(scores))
            raise DataError(
                f"{rows.size:,} scores are nan, the first is item {rows[0]} (counted from 0).",
                "a number for every item",
                "drop these items for all models, or score them",
            )
        edges = np.concatenate(([0], np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, [scores.size]))
        del ranked
        before = np.concatenate(([0], np.cumsum(truth[order])))
        positives = before[edges]
        return cls(order, edges, positives, edges - positives)

    def net_wins_of_positives(self) -> Ints:
        """Negatives below minus negatives above, for each tie group."""
        net: Ints = self.negatives[:-1] + self.negatives[1:] - self.negatives[-1]
        return net

    def net_wins_of_negatives(self) -> Ints:
        """Positives above minus positives below, for each tie group."""
        net: Ints = self.positives[-1] - self.positives[:-1] - self.positives[1:]
        return net


def _net_wins(
    truth: Bools, classes: tuple[Ints, Ints], scores: Floats, order: NDArray[np.integer] | None = None
) -> tuple[Ints, Ints]:
    """Return the net wins of each positive and of each negative, in the order of the items."""
    ranking = _Ranking.of(truth, scores, order)
    sizes = np.diff(ranking.edges)
    by_item = np.empty(truth.size, dtype=np.int64)

    def of_members(of_groups: Ints, members: Ints) -> Ints:
        by_item[ranking.order] = np.repeat(of_groups, sizes)
        return by_item[members]

    positives, negatives = classes
    return (
        of_members(ranking.net_wins_of_positives(), positives),
        of_members(ranking.net_wins_of_negatives(), negatives),
    )


def _centred_products(nets: list[Ints], bound: int) -> tuple[BigInts, BigInts]:
    """Return n Σxy − Σx Σy for every pair of models, and Σx for every model, exactly; no |x| exceeds ``bound``."""
    size = nets[0].size
    # as many products as surely fit into 63 bits: one block up to millions of items
    block = max(1, (2**63 - 1) // bound**2)
    sums = np.array([int(x.sum()) for x in nets], dtype=object)
    products = np.empty((len(nets), len(nets)), dtype=object)
    for i, x in enumerate(nets):
        for j, y in enumerate(nets[: i + 1]):
            total = sum(int(np.dot(x[k : k + block], y[k : k + block])) for k in range(0, size, block))
            products[i, j] = products[j, i] = size * total
    return products - np.outer(sums, sums), sums


# --- what comes in --------------------------------------------------------------------------------------------


def _labels(truth: ArrayLike) -> Bools:
    labels = np.asarray(truth, dtype=np.bool_)
    positives = int(np.count_nonzero(labels))
    if positives in (0, labels.size):
        raise DataError(
            f"There are {positives:,} positives and {labels.size - positives:,} negatives, which cannot be ranked.",
            "at least one item of each class",
            "check which label is the positive one",
        )
    return labels


def _scores(labels: Bools, scores: ArrayLike) -> Floats:
    floats = np.asarray(scores, dtype=np.float64)
    if floats.ndim != 1 or floats.shape != labels.shape:
        raise DataError(
            f"The scores have shape {floats.shape}, the truth {labels.shape}.",
            "one score for every item",
            "give both in the same order and length",
        )
    return floats
