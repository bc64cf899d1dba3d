"""Items in time order: every measure, by any door, in any order of rows; its level and what it refuses."""

import numpy as np
import pytest

import clearwin as cw
from clearwin.errors import NotApplicableError, OptionError
from clearwin.numerics import pvalues
from clearwin.numerics.long_run import long_run_variance
from tests.serial_data import TIMES, TRUTH, VALUES, A, B, N, series


def test_a_mean_has_the_long_run_variance_of_its_differences():
    r = cw.compare(None, *VALUES, measure="mean", order=TIMES)
    gaps = VALUES[1] - VALUES[0]
    found = long_run_variance(gaps / N)
    t = gaps.mean() / np.sqrt(found.variance)
    assert r.statistic == pytest.approx(t)
    assert r.p_value == pytest.approx(pvalues.of_squares(t, found.weights, "different").value)
    assert r.method == "newey_west"


@pytest.mark.parametrize("measure", ["f1", "accuracy", "mcc", "macro_f1", "precision"])
def test_decisions_have_the_long_run_variance_of_their_influence(measure):
    """The influence is differentiated numerically, item by item."""
    r = cw.compare(TRUTH, A, B, measure=measure, order=TIMES, rng=1)

    def difference(weights):
        cells = {}
        for y, a, b, weight in zip(TRUTH, A, B, weights, strict=True):
            cells[y, a, b] = cells.get((y, a, b), 0) + weight
        names = {
            f"e{i}": (y, a, b)
            for i, (y, a, b) in enumerate(
                [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)], 1
            )
        }
        joint = cw.JointCounts(**{name: round(cells.get(key, 0)) for name, key in names.items()})
        return cw.compare(joint, measure=measure, test="permutation", n_resamples=9, rng=1).difference

    times, influence, seen = 10**6, np.empty(N), {}
    base = np.full(N, times)
    for i, key in enumerate(zip(TRUTH, A, B, strict=True)):
        if key not in seen:
            more = base.copy()
            more[i] += times // 10
            seen[key] = (difference(more) - r.difference) * 10
        influence[i] = seen[key]
    error = np.sqrt(long_run_variance(influence).variance)
    assert abs(r.difference / r.statistic) == pytest.approx(error, rel=0.05)  # parts of items are added, too


@pytest.mark.parametrize("measure", ["f1", "accuracy", "macro_f1"])
def test_only_the_times_say_the_order(measure):
    import pandas as pd

    known = cw.compare(TRUTH, A, B, measure=measure, order=TIMES)
    mixed = np.random.default_rng(4).permutation(N)
    other = cw.compare(TRUTH[mixed], A[mixed], B[mixed], measure=measure, order=mixed)
    assert (other.p_value, other.interval, other.signature) == (known.p_value, known.interval, known.signature)
    frame = pd.DataFrame({"y": TRUTH, "a": A, "b": B, "day": pd.date_range("2026-01-01", periods=N)})
    of_frame = cw.compare(
        data=frame.sample(frac=1, random_state=1), truth="y", a="a", b="b", measure=measure, order="day"
    )
    assert (of_frame.p_value, of_frame.signature.data) == (known.p_value, known.signature.data)
    swapped = cw.compare(TRUTH, B, A, measure=measure, order=TIMES)
    assert swapped.p_value == known.p_value
    assert swapped.interval.low == pytest.approx(-known.interval.high)


def test_items_of_one_time_are_summed_and_so_are_groups_within_it():
    weeks = TIMES // 5
    known = cw.compare(None, *VALUES, measure="mean", order=weeks)
    summed = VALUES.reshape(2, -1, 5).sum(axis=2)
    assert known.p_value == pytest.approx(cw.compare(None, *summed, measure="mean", order=range(N // 5)).p_value)
    assert (
        cw.compare(None, *VALUES, measure="mean", order=weeks, groups=TIMES // 2 * 0 + weeks).p_value == known.p_value
    )


@pytest.mark.parametrize("claim", [{"claim": "better"}, {"claim": "not_worse", "margin": 0.1}, {"claim": "different"}])
def test_p_and_interval_agree(claim):
    for level in (0.6, 0.9, 0.95, 0.99):
        r = cw.compare(None, *VALUES, measure="mean", order=TIMES, confidence_level=level, **claim)
        margin = -claim.get("margin", 0.0)
        inside = r.interval.low <= margin <= r.interval.high
        assert inside == (r.p_value > 1 - level)


@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_it_keeps_its_level_where_the_default_does_not(rho):
    rng, sets, hits = np.random.default_rng(8), 120, np.zeros(2)
    for _ in range(sets):
        values = series(rng, 100, rho, 2)
        hits += [
            cw.compare(None, *values, measure="mean", **how).p_value <= 0.05
            for how in ({"order": range(100)}, {"test": "paired_t"})
        ]
    assert hits[0] / sets < 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)
    assert hits[1] / sets > 0.25 or rho == 0.0


def test_an_estimate_has_a_wider_interval():
    plain, in_order = (cw.estimate(TRUTH, A, measure="accuracy", **how) for how in ({}, {"order": TIMES}))
    assert in_order.estimate == plain.estimate
    assert in_order.interval.high - in_order.interval.low > 1.3 * (plain.interval.high - plain.interval.low)
    with pytest.raises(NotApplicableError, match="independent"):
        cw.estimate(TRUTH, A, measure="accuracy", order=TIMES, interval="wilson")


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "mcnemar"])
def test_tests_of_independent_items_are_refused(test):
    with pytest.raises(NotApplicableError, match="time order") as caught:
        cw.compare(TRUTH, A, B, measure="accuracy", order=TIMES, test=test)
    assert "studentised" in caught.value.next
    with pytest.raises(OptionError, match="one method"):
        cw.compare(TRUTH, A, B, measure="accuracy", order=TIMES, method="drawn")


def test_models_that_never_differ_do_not_differ():
    assert cw.compare(TRUTH, A, A, measure="f1", order=TIMES).p_value == 1.0
    assert cw.compare(None, VALUES[0], VALUES[0], measure="mean", order=TIMES).p_value == 1.0


@pytest.mark.parametrize("measure", ["auc", "brier"])
def test_scores(measure):
    rng = np.random.default_rng(6)
    scores = [1 / (1 + np.exp(-TRUTH - noise)) for noise in series(rng, N, 0.5, 2)]
    r = cw.compare(TRUTH, *scores, measure=measure, order=TIMES)
    assert 0.0 < r.p_value <= 1.0
    assert r.difference in r.interval


def test_few_times_are_doubted():
    def codes(n, rho):
        values = series(np.random.default_rng(4), n, rho, 2)
        return [caveat.code for caveat in cw.compare(None, *values, measure="mean", order=range(n)).caveats]

    assert "few_times" in codes(20, 0.0)
    assert "few_times" in codes(40, 0.95)
    assert "few_times" not in codes(40, 0.0)
