"""Size, coverage, power and what a test detects, against the binomial, scipy and slow loops."""

import math

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.measures import find
from clearwin.results.study import PowerRow
from clearwin.significance import choose
from clearwin.simulation.populations import population
from clearwin.simulation.rates import (
    LEVELS,
    Outcomes,
    coverage_row,
    detectable_row,
    largest_size,
    needed_row,
    position,
    reach,
    size_rows,
    smallest_shown,
)
from clearwin.simulation.summary import FEW_SETS
from clearwin.streams import Seed, Stream
from scorecard import bands
from tests.simulation.asked import ASKED, FEW, QUICK, correlated, decisions, refusing, within


def power_row(size, value):
    return PowerRow("all", "t", size, 0.05, value, 0.01, 0.0, 100, 0)


@pytest.mark.parametrize("powers", [(0.5, 0.7, 0.9), (0.9, 0.5, 0.9)])
def test_the_size_needed_is_one_from_which_power_stays(powers):
    found = needed_row([power_row(size, power) for size, power in zip((100, 200, 400), powers, strict=True)])
    part = (0.8 - powers[1]) / (powers[2] - powers[1])
    assert found.value == math.ceil((200**0.5 + part * (400**0.5 - 200**0.5)) ** 2)


@pytest.mark.parametrize(
    ("powers", "why"),
    [((0.9, 0.9, 0.5), "falls again"), ((0.1, 0.2, 0.3), "more than 400"), ((0.8, 0.9, 1.0), "at most 100")],
)
def test_a_size_that_was_not_met_is_not_made_up(powers, why):
    found = needed_row([power_row(size, power) for size, power in zip((100, 200, 400), powers, strict=True)])
    assert found.value is None
    assert why in found.why


@pytest.mark.parametrize(
    ("sizes", "powers", "range_told"),
    [
        ((120, 2_000), (0.67, 1.0), "between 120 and 2,000 items"),  # by a line 589; the truth is about 150
        ((100, 201), (0.5, 0.9), "between 100 and 201 items"),
        ((100, 200), (0.5, 0.99), "between 100 and 200 items"),
    ],
)
def test_no_line_is_drawn_between_sizes_far_apart_or_to_a_saturated_power(sizes, powers, range_told):
    found = needed_row([power_row(size, power) for size, power in zip(sizes, powers, strict=True)])
    assert (found.value, found.why) == (None, range_told)


def test_a_detectable_difference_is_one_that_the_measure_can_have():
    s = cw.study(*decisions(), **{**QUICK, "n_resamples": 1, "test_size": 4, "sizes": [4]})
    for row in s.detectable:
        assert row.value is None or 0 < row.value <= 1
    columns = {"p": [0.5] * 10, "low": [-1.2 + i / 1_000 for i in range(10)], "high": [0.3] * 10}
    found = detectable_row(Outcomes("all", "t", 10, 0.05, 1, 1.0, columns), 0.95)
    assert (found.value, found.error) == (None, None)
    assert "even the largest" in found.why
    assert detectable_row(Outcomes("all", "t", 10, 0.05, 1, 2.0, columns), 0.95).value == pytest.approx(1.248)


def test_the_smallest_share_that_would_show_is_where_the_binomial_says_so():
    for n, level in ((40, 0.05), (1_000, 0.01), (200, 0.1)):
        share = smallest_shown(n, level)
        tails = [stats.binom.sf(round(share * n) - k, n, level) for k in (1, 2)]
        assert tails[0] < 0.00135 < tails[1]  # P(at least so many), and of one fewer


def test_the_two_sides_of_a_study_are_the_two_sided_one_at_twice_the_level():
    """Exact McNemar doubles the smaller tail, and the same sets are drawn: it rejects where one of the sides does."""
    how = FEW | {"n_sets": 200, "measure": "accuracy", "tests": ["mcnemar/exact"]}
    found = {claim: cw.study(*decisions(), claim=claim, **how) for claim in ("different", "better", "worse")}
    sizes = {claim: {(row.null, row.alpha): row.value for row in s.size} for claim, s in found.items()}
    for null in ("swapped", "recentred"):
        both = sizes["better"][null, 0.05] + sizes["worse"][null, 0.05]
        assert both == pytest.approx(sizes["different"][null, 0.1], abs=1e-12)
        assert both > 0
    assert found["better"].signature.settings["claim"] == "better"
    with pytest.raises(cw.errors.UnknownNameError, match="no claim named 'greater'"):
        cw.study(*decisions(), claim="greater", **FEW)


def outcomes(low, high, truth=0.0156):
    return Outcomes("all", "t", 50, truth, 1, 1.0, {"p": [0.5] * len(low), "low": low, "high": high})


def test_intervals_that_end_at_0_have_no_smallest_difference():
    """Δ − low is Δ wherever low is 0: that the true difference is found four times in five would be nonsense."""
    rng = np.random.default_rng(5)
    low, high = np.where(rng.random(500) < 0.9, 0.0, -0.02), rng.uniform(0.05, 0.1, 500)
    low[:25] = 0.02  # or it would cover too often
    found = detectable_row(outcomes(low.tolist(), high.tolist()), 0.95)
    assert (found.value, found.error) == (None, None)
    assert "end on the same value" in found.why


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [(-0.01, 0.01, "too rarely"), (-1.0, 1.0, "too often"), (0.0156, 0.0156, "have no width")],
)
def test_intervals_that_do_not_move_along_have_none(low, high, why):
    low = low + np.linspace(0, 1e-4, 500) * (low != high)
    high = high + np.zeros(500)
    if why == "have no width":
        low[:25], high[:25] = 0.02, 0.03  # or it would cover too often
    found = detectable_row(outcomes(low.tolist(), high.tolist()), 0.95)
    assert found.value is None
    assert why in found.why


def test_ends_on_a_grid_have_the_grids_error():
    """The 80 % quantile and one standard deviation to either side, ranks 787 to 812 of 1,000, are one value."""
    gaps = np.concatenate([np.linspace(0.01, 0.05, 770), np.full(60, 0.055), np.linspace(0.06, 0.09, 170)])
    low = 0.1 - gaps
    low[-1:-51:-1] = 0.11  # one in twenty misses the truth
    low[:50] = 0.1 - np.linspace(0.061, 0.089, 50)
    found = detectable_row(outcomes(low.tolist(), [0.2] * 1_000, truth=0.1), 0.95)
    assert (found.value, found.error) == pytest.approx((0.055, 0.005))


@pytest.mark.parametrize("test", ["bootstrap", "mcnemar", "permutation"])
def test_a_difference_that_is_never_found_is_not_the_smallest_found(test):
    """Two in a hundred items decide, of 50: the interval often ends at 0, and no p-value is small."""
    rng = np.random.default_rng(3)
    truth, u = rng.integers(0, 2, 20_000), rng.random(20_000)
    a, b = np.where(u < 0.12, 1 - truth, truth), np.where((u < 0.1) | (u > 0.996), 1 - truth, truth)
    s = cw.study(
        truth, a, b, measure="accuracy", tests=[test], **{**ASKED, "test_size": 50, "sizes": [50], "n_sets": 150}
    )
    assert max(row.value for row in s.power) < 0.05
    [found], true = s.detectable, s.confidence[0].true_difference
    assert found.value is None or found.value > 2 * true + 3 * found.error > 2 * true
    assert ("is not known: " in s.verdict()) == (found.value is None)
    assert (found.value is None) == (test != "permutation")  # whose Dirichlet interval is neither at 0 nor short


def test_study_and_scorecard_tolerate_the_same():
    assert (largest_size(0.05), largest_size(0.01)) == (0.06, 0.015)
    for alpha in (0.05, 0.01):
        for n in (300, 1_000, 20_000):
            band = bands.band_of("size", "bootstrap", "multinomial", "equal", alpha, n)
            exact = bands.band_of("size", "permutation", "exact", "exchangeable", alpha, n)
            for null, ok, is_exact in (("recentred", band, False), ("swapped", exact, True), ("recentred", band, True)):
                for count in (round(ok.high * n), round(ok.high * n) + 1):
                    p = [0.0] * count + [1.0] * (n - count)
                    found = Outcomes("all", "t", 50, 0.1, 1, 1.0, {"p": p})
                    [row] = size_rows(found, null, [alpha], exact=is_exact)
                    assert row.above == (count / n > ok.high)
    for n in (300, 5_000):
        least = round(bands.band_of("coverage", "t", "t", "different", 0.95, n).low * n)
        for count in (least - 1, least):
            assert coverage_row(refusing(refused=0, missed=n - count, n=n), 0.95).short == (count < least)


def test_more_sets_make_no_fault_of_what_is_tolerated():
    for n in (1_000, 10_000, 1_000_000):
        p = [0.0] * round(0.0595 * n) + [1.0] * (n - round(0.0595 * n))
        [row] = size_rows(Outcomes("all", "t", 50, 0.1, 1, 1.0, {"p": p}), "recentred", [0.05], exact=False)
        assert not row.above


def test_so_many_sets_catch_a_test_that_errs_twice_as_often():
    def caught(n):
        count = next(k for k in range(n) if stats.binom.sf(k - 1, n, largest_size(0.05)) < 0.00135)
        return stats.binom.sf(count - 1, n, 0.1)

    assert min(caught(n) for n in range(FEW_SETS, FEW_SETS + 100)) >= 0.8
    assert caught(200) < 0.25


def drawn_question(measure, test_size=80, labels=None, **data):
    truth, a, b = data.get("data", decisions())
    read = source_of_arrays(truth, a, b, find(measure), Reading())(labels)
    source = population(Question(*read, Options(n_resamples=399, seed=Seed(1))), stratified=False)
    return source, source.ask(*source.urn.draw(Stream(np.random.PCG64(2)), test_size), Seed(5))


@pytest.mark.parametrize("measure", ["f1", "accuracy", "macro_f1"])
def test_a_set_has_the_interval_that_compare_gives_it(measure):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 900)
    three = truth, *(np.where(rng.random(900) < 0.2, rng.integers(0, 3, 900), truth) for _ in range(2))
    _, question = drawn_question(measure, data=three if measure == "macro_f1" else decisions())
    found = choose("permutation", question)[0].answer(question).interval
    joint, seed = question.sample.joint, np.random.SeedSequence(5)
    columns = [np.repeat([joint.labels[i] for i in x], joint.counts) for x in (joint.truth, joint.a, joint.b)]
    alone = cw.compare(*columns, measure=measure, test="permutation", n_resamples=399, rng=seed).interval
    assert found.method == alone.method == ("percentile" if measure == "macro_f1" else "dirichlet")
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.02)


@pytest.mark.parametrize("test", ["mcnemar", "permutation", "permutation/bca", "sign", "bootstrap"])
def test_the_level_that_reaches_the_truth_is_the_first_that_does(test):
    """Against asking for the interval at every level."""
    source, question = drawn_question("accuracy")
    name, *interval = test.split("/")
    question = question.asking(interval=interval[0] if interval else "auto")
    chosen = choose(name, question)[0]
    finding = chosen.answer(question)
    for truth in np.linspace(-0.1, 0.2, 7) + 1e-4:
        found = reach(chosen, question, finding, float(truth), 1e-12)
        asked = [chosen.answer(question.asking(confidence_level=level)).interval for level in LEVELS]
        holding = [level for level, x in zip(LEVELS, asked, strict=True) if x.low <= truth <= x.high]
        assert [level for level in LEVELS if found <= level] == holding
    assert source.difference != 0


def test_every_test_has_a_calibration_of_its_intervals():
    s = cw.study(*decisions(), measure="accuracy", tests=["mcnemar", "permutation"], **{**ASKED, "n_sets": 120})
    for test in ("mcnemar", "permutation"):
        points = {p.stated: p for p in s.calibration if (p.kind, p.test) == ("level", test)}
        assert tuple(points) == LEVELS
        [row] = [row for row in s.coverage if row.test == test]
        assert points[0.95].value == row.value
        for level, point in points.items():
            assert abs(point.value - level) < 4 * np.sqrt(0.25 / 120)


def test_power_and_coverage_are_those_of_slow_obvious_code():
    """McNemar by scipy on sets drawn by indexes; the paired interval by its own formula."""
    truth, a, b = correlated(n=2_000, rates=(0.30, 0.20))
    size, sets = 120, 200
    s = cw.study(
        truth,
        a,
        b,
        measure="accuracy",
        tests=["mcnemar/exact", "bootstrap"],
        test_size=size,
        n_sets=sets,
        sizes=[60, size],
        alphas=[0.05],
        n_resamples=199,
        rng=15,
    )
    rng = np.random.default_rng(13)
    found = wrong = 0
    gaps, true_difference = [], np.mean(b == truth) - np.mean(a == truth)
    for _ in range(sets):
        i = rng.integers(0, truth.size, size)
        right_a, right_b = a[i] == truth[i], b[i] == truth[i]
        for_b, for_a = (right_b & ~right_a).sum(), (right_a & ~right_b).sum()
        p = stats.binomtest(int(for_b), int(for_a + for_b)).pvalue if for_a + for_b else 1.0
        found, wrong = found + (p <= 0.05 and for_b > for_a), wrong + (p <= 0.05 and for_b < for_a)
        gaps.append((right_b * 1.0 - right_a).mean() - true_difference)
    row = next(r for r in s.power if (r.test, r.test_size) == ("mcnemar/exact", size))
    assert abs(row.value - found / sets) < 4 * np.sqrt(2) * row.error
    assert row.wrong <= 0.01
    confidence = s.confidence[0]
    assert confidence.true_difference == pytest.approx(true_difference)
    wins = np.mean(np.array(gaps) + true_difference > 0)
    assert confidence.leader == "B"
    assert abs(confidence.value - wins) < 4 * np.sqrt(2) * confidence.error
    for row in s.coverage:
        assert within(row.value, 0.95, sets, errors=5)
        assert row.value + row.below + row.above == pytest.approx(1.0)
    # the bootstrap's width is 2 · 1.96 standard errors of the mean
    width = 2 * 1.96 * np.std(gaps)
    assert next(r for r in s.coverage if r.test == "bootstrap").mean_width == pytest.approx(width, rel=0.1)


def test_the_smallest_difference_found_is_that_of_a_normal_test():
    """δ80 of a mean's t interval is (1.96 + 0.84) standard errors; and power there is four in five."""
    rng = np.random.default_rng(14)
    a, b = rng.normal(size=5_000), rng.normal(0.15, 1, 5_000)
    s = cw.study(
        None,
        a,
        b,
        measure="mean",
        tests=["paired_t"],
        test_size=400,
        n_sets=200,
        sizes=[400, 600, 1_000],
        alphas=[0.05],
        rng=15,
    )
    error = np.std(b - a) / 20
    [row] = s.detectable
    assert abs(row.value - (1.96 + 0.8416) * error) < 4 * row.error
    [needed] = s.needed
    theory = ((1.96 + 0.8416) * np.std(b - a) / np.mean(b - a)) ** 2
    assert needed.value == pytest.approx(theory, rel=0.15)
    levels = [point for point in s.calibration if point.kind == "level"]
    assert [point.stated for point in levels] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    for point in levels:  # of a t interval, which has no replicates: asked for at every level
        assert within(point.value, point.stated, 200)


def test_calibration_by_levels_is_near_the_diagonal():
    s = cw.study(*correlated(), tests=["bootstrap"], test_size=500, n_sets=200, sizes=[500], n_resamples=199, rng=16)
    levels = [point for point in s.calibration if point.kind == "level"]
    assert [point.stated for point in levels] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    for point in levels:
        assert abs(point.value - point.stated) < 4 * point.error + 0.02
    winners = [point for point in s.calibration if point.kind == "winner"]
    assert sum(point.sets for point in winners) == 200 - round(200 * s.confidence[0].ties)
    assert [point.stated for point in winners] == sorted(point.stated for point in winners)


def test_a_truth_among_the_replicates_is_a_tie_whatever_the_rounding():
    """Accuracy in steps of 1/50: a replicate that has the true difference may differ from it in the last place."""
    truth = 0.82 - 0.80
    values = np.array([0.0, 0.92 - 0.90, 0.92 - 0.90, 0.06])
    assert (values != truth).all()  # or there is nothing to see here
    assert position(values, truth, slack=1e-12) == 0.25 + 0.5 / 2
