"""The influence of items on measures of ranking: the derivative of scikit-learn's weighted measure; draws of units."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import metrics

from clearwin.data.scores import scored_items
from clearwin.measures import find
from clearwin.numerics import influence_kernels, kernels
from clearwin.resampling.functionals import functional
from tests.resampling.scored import scores


def partial_auc(y, scores, sample_weight):
    return metrics.roc_auc_score(y, scores, max_fpr=0.3, sample_weight=sample_weight)


def lowest_cost(y, scores, sample_weight):
    fpr, tpr, _ = metrics.roc_curve(y, scores, sample_weight=sample_weight)
    return (0.5 * (1 - tpr) + 0.5 * 0.6 * fpr).min()


def equal_error(y, scores, sample_weight):
    fpr, tpr, _ = metrics.roc_curve(y, scores, sample_weight=sample_weight, drop_intermediate=False)
    return np.interp(1.0, fpr + tpr, fpr)


def break_even(y, scores, sample_weight):
    fpr, tpr, _ = metrics.roc_curve(y, scores, sample_weight=sample_weight, drop_intermediate=False)
    positives, negatives = sample_weight[y == 1].sum(), sample_weight[y == 0].sum()
    return np.interp(positives, tpr * positives + fpr * negatives, tpr)


@pytest.mark.parametrize(
    ("measure", "reference", "digits"),
    [
        ("auc", metrics.roc_auc_score, 1),
        ("average_precision", metrics.average_precision_score, 1),
        ("partial_auc(max_fpr=0.3)", partial_auc, 1),
        ("min_dcf(cost_fp=0.6, prior=0.5)", lowest_cost, 1),
        ("eer", equal_error, 0),  # whose slope is taken over some way, on which many ties are a straight line
        ("break_even", break_even, 0),
    ],
)
def test_influence_of_scores_is_the_derivative_of_scikit_learns_weighted_measure(measure, reference, digits):
    y, a, b = scores()
    if digits == 0:
        a, b = np.clip(2 * np.round(a / 2), -2, 2), np.clip(4 * np.round(b / 4), -4, 4)
    found = functional(scored_items(y, a, b, positive=1), find(measure))
    weights = np.random.default_rng(1).uniform(0.5, 2.0, y.size)
    of_units = np.bincount(found.unit_of_item, weights, minlength=found.times.size)
    assert found.times.size < y.size  # items of a class in a row are one unit
    ours = found.influence(of_units[:, None])[found.unit_of_item, 0]
    assert found.values(of_units[:, None])[0] == pytest.approx(
        reference(y, b, sample_weight=weights) - reference(y, a, sample_weight=weights), abs=1e-12
    )
    if digits == 1:  # shares of units matter, not how many they are
        thin = found.influence(of_units[:, None] / 1_000)[found.unit_of_item, 0]
        np.testing.assert_allclose(thin, ours, rtol=1e-9, atol=1e-12)
    assert found.undefined(of_units[:, None]) == 0
    n, step = weights.sum(), 1e-6
    for item in range(0, y.size, 7):
        moved = weights.copy()
        moved[item] += step * n
        slope = (
            reference(y, b, sample_weight=moved)
            - reference(y, b, sample_weight=weights)
            - reference(y, a, sample_weight=moved)
            + reference(y, a, sample_weight=weights)
        ) / step
        assert ours[item] == pytest.approx(slope, abs=1e-3)


@pytest.mark.parametrize(
    ("measure", "reference"),
    [
        ("auc", metrics.roc_auc_score),
        ("average_precision", metrics.average_precision_score),
        ("partial_auc(max_fpr=0.3)", partial_auc),
        ("min_dcf(cost_fp=0.6, prior=0.5)", lowest_cost),
    ],
)
@pytest.mark.parametrize("highest", [[5, 5, 5], [6, 5, 5]], ids=["a tie first", "one first"])
def test_influence_on_a_single_model_is_right_to_the_digit_for_every_item(measure, reference, highest):
    """Nothing that is the same for two models drops out here."""
    scores = np.array([*highest, 4, 3, 3, 2, 1, 1, 0, -1, -2])
    y = np.array([1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0])
    asked, weights = find(measure), np.linspace(0.3, 1.9, y.size)
    values, moved = influence_kernels.values_and_influences(
        getattr(kernels, asked.scan),
        np.array(asked.scan_options()),
        weights[None],
        np.arange(y.size, dtype=np.int32),
        y.astype(np.uint8),
        np.append(np.diff(scores) < 0, True),
    )
    assert values[0] == pytest.approx(reference(y, scores, sample_weight=weights), abs=1e-12)
    n, step = weights.sum(), 1e-6
    for item in range(y.size):
        near = [weights + sign * step * n * (np.arange(y.size) == item) for sign in (1, -1)]
        up, down = (reference(y, scores, sample_weight=w) for w in near)
        assert moved[0, item] == pytest.approx((up - down) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("each", [0.5, 0.125])
def test_an_item_moves_the_break_even_point_by_the_precision_around_it(each):
    """Worked out by hand, for eight items; shares matter, and not how much all of them weigh.

    Four are positive, so four are accepted, and the stretch around the end of them is half as many to either side. Half
    of that is positive. A positive among the accepted adds 1 − 0.75, a negative there pushes out half a hit, and a
    positive below lets half a hit in and is one more to be found, −0.75; all times 8 items over 4.
    """
    values, moved = with_one_not_drawn(kernels.BREAK_EVEN, [1, 0, 1, 1, 0, 0, 1, 0], each)
    assert values == [0.75]
    assert moved == [[0.5, -1.0, 0.5, 0.5, 0.0, 0.0, -0.5, 0.0]]


@pytest.mark.parametrize("each", [1.0, 0.125])
def test_an_item_moves_the_equal_error_by_what_lies_around_it(each):
    """Worked out by hand, for eight items; shares matter, and not how much all of them weigh.

    Four are accepted, so a quarter of the positives is missed and a quarter of the negatives accepted. The stretch
    around that is half as long as all: one positive and three negatives. So a missed positive weighs three quarters and
    an accepted negative a quarter; both count by how far they are from the rate, times 8 items over 4 of the class.
    """
    values, moved = with_one_not_drawn(kernels.EER, [1, 1, 1, 0, 0, 0, 1, 0], each)
    assert values == [0.25]
    assert moved == [[-0.375, -0.375, -0.375, 0.375, -0.125, -0.125, 1.125, -0.125]]


def with_one_not_drawn(which, y, each):
    """Return value and influence of items that weigh the same, of which a ninth, in the middle, was not drawn."""
    order = np.array([0, 1, 2, 3, 8, 4, 5, 6, 7], dtype=np.int32)
    weights, positive = np.append(np.full(8, each), 0.0), np.append(y, 0)[order].astype(np.uint8)
    values, moved = influence_kernels.values_and_influences(
        which, np.empty(0), weights[None], order, positive, np.ones(9, bool)
    )
    return values.tolist(), moved[:, :8].tolist()


def test_the_error_of_drawn_rankings_is_the_root_of_their_squared_influence():
    """Values are scikit-learn's without the added parts, errors are √Σ w h²/Σ w with them."""
    rng = np.random.default_rng(8)
    y = np.array([1, 0, 1, 1, 0, 0, 1, 0])
    scores = rng.permuted(np.tile(np.arange(8), (2, 1)), axis=1)
    orders = np.argsort(-scores, axis=1).astype(np.int32)
    positive, last = y[orders].astype(np.uint8), np.ones((2, 8), bool)
    drawn, extra = rng.integers(1, 4, (3, 8)).astype(np.float64), np.repeat([0.0, 0.25], [6, 2])
    drawn[2, y == 1] = 0.0  # no positive was drawn, and one of those added is one
    signs, none = np.array([-1.0, 1.0]), np.empty(0)
    values, errors = influence_kernels.weighted_scans(kernels.AUC, none, drawn, extra, orders, positive, last, signs)
    h = np.zeros((3, 8))
    for sign, order, mine in zip(signs, orders, positive, strict=True):
        how = (order, mine, last[0])
        h += sign * influence_kernels.values_and_influences(kernels.AUC, none, drawn + extra, *how)[1]
    expected = [np.subtract(*(metrics.roc_auc_score(y, s, sample_weight=w) for s in scores[::-1])) for w in drawn[:2]]
    assert values == pytest.approx([*expected, np.nan], nan_ok=True)
    assert errors == pytest.approx(np.sqrt(((drawn + extra) * h**2).sum(axis=1)) / (drawn + extra).sum(axis=1))


@pytest.mark.parametrize("rows", [1, 16, 37])
def test_totals_and_errors_of_units_are_those_of_matrices(rows):
    """Fewer rows than are added up together, as many, and more: Σ w x, and √Σ w (h − mean of h)² by numpy."""
    rng = np.random.default_rng(rows)
    table = sparse.random_array((50, 7), density=0.3, rng=rng, data_sampler=lambda size: rng.integers(1, 4, size))
    table = table.tocsr().astype(np.float64)
    weights, extra = rng.poisson(1.0, (rows, 50)).astype(np.float64), np.repeat([0.0, 0.5], [45, 5])
    entries = (table.indptr, table.indices, table.data)
    assert (influence_kernels.unit_totals(weights, *entries, 7) == weights @ table.toarray()).all()
    slopes = rng.normal(size=(rows, 7))
    found = influence_kernels.unit_errors(weights, extra, *entries, slopes)
    for w, slope, error in zip(weights + extra, slopes, found, strict=True):
        h = table @ slope
        assert error == pytest.approx(np.sqrt((w * (h - np.average(h, weights=w)) ** 2).sum()), rel=1e-10)
    none = influence_kernels.unit_errors(weights, extra, *entries, np.zeros((rows, 7)))
    assert (none > 0.0).all()  # it is divided by
    assert (none < 1e-100).all()


def test_units_are_drawn_by_their_shares():
    """χ² of 20 draws of 1,000 units each, with a share of 0: p < .001 once in a thousand seeds."""
    shares = np.array([0.0, 0.4, 0.1, 0.05, 0.45])
    states = np.random.default_rng(5).integers(0, 2**64, (20, 4), dtype=np.uint64)
    drawn = influence_kernels.drawn_weights(*influence_kernels.aliases(shares), 1_000, states)
    assert (drawn.sum(axis=1) == 1_000).all()
    seen = drawn.sum(axis=0)
    assert seen[0] == 0
    assert stats.chisquare(seen[1:], 20_000 * shares[1:]).pvalue > 0.001
