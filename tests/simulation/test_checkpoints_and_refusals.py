"""What a study must not do: break off, blame the wrong one, trust what can find nothing, or be silent about a limit."""

import os
import signal
import warnings
from dataclasses import replace
from functools import cache
from itertools import islice

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import clearwin as cw
from clearwin.cli import main
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.execution import Seed, Stream, run_jobs
from clearwin.measures import find
from clearwin.results.study import StudiedTest
from clearwin.significance import choose
from clearwin.simulation.populations import population
from clearwin.simulation.rates import LEVELS, Outcomes, coverage_row, detectable_row, largest_size, reach, size_rows
from clearwin.simulation.summary import FEW_SETS, smallest_p
from scorecard import bands


def decisions(n=2_000, seed=1, rates=(0.25, 0.20), prevalence=0.4):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < prevalence).astype(int)
    return truth, *(np.where(rng.random(n) < rate, 1 - truth, truth) for rate in rates)


FEW = {"test_size": 100, "n_sets": 20, "sizes": [100], "n_resamples": 39, "rng": 1}


# --- refused sets -------------------------------------------------------------------------------------------------


def scores(n=4_000, seed=4, positive=0.02):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < positive).astype(int)
    return truth, truth + rng.normal(size=n), truth + rng.normal(0, 0.9, n)


def test_a_set_that_delong_refuses_is_a_refused_set():
    """One positive among 60 items of 2 % occurs in 37 % of the sets; the bootstrap still answers there."""
    how = {**FEW, "test_size": 60, "sizes": [60], "tests": ["delong", "bootstrap"], "n_sets": 40}
    s = cw.study(*scores(), measure="auc", **how)
    delong, bootstrap = s.coverage
    assert delong.refused > bootstrap.refused > 0
    assert any("one item only" in why for why in s.refusals)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert cw.study(*scores(), measure="auc", **how).to_json() == s.to_json()


def test_a_set_that_the_t_test_refuses_is_a_refused_set():
    rng = np.random.default_rng(2)
    grades = rng.integers(0, 2, (2, 500)).astype(float)
    s = cw.study(None, *grades, measure="mean", tests=["paired_t"], **{**FEW, "test_size": 2, "sizes": [2]})
    assert 0 < s.coverage[0].refused < 20
    assert all("the same difference" in why for why in s.refusals)


def refusing(refused=130, missed=2, n=1_000):
    """What a test found on n sets: so many refused, so many intervals beside the truth of 0.1."""
    answered = n - refused
    low = [0.2] * missed + [0.0] * (answered - missed) + [None] * refused
    high = [0.3] * answered + [None] * refused
    p = [0.5] * answered + [None] * refused
    return Outcomes("all", "t", 40, 0.1, 1, 1.0, {"p": p, "low": low, "high": high})


def test_coverage_is_of_the_sets_that_were_answered():
    row = coverage_row(refusing(), 0.95)
    assert (row.value, row.refused, row.short) == (868 / 870, 130, False)
    assert row.above == 2 / 870
    assert coverage_row(refusing(missed=200), 0.95).short
    nothing = coverage_row(refusing(refused=10, missed=0, n=10), 0.95)
    assert (nothing.value, nothing.short) == (None, False)


def test_the_verdict_names_the_refusals_and_not_the_interval():
    rng = np.random.default_rng(3)
    truth = (rng.random(5_000) < 0.05).astype(int)
    a, b = (np.where(rng.random(5_000) < rate, 1 - truth, truth) for rate in (0.3, 0.25))
    s = cw.study(
        truth, a, b, measure="recall", tests=["paired_proportion"], test_size=40, sizes=[40], n_sets=700, rng=1
    )
    refused = s.coverage[0].refused
    assert refused / 700 == pytest.approx(0.95**40, abs=0.05)
    assert s.coverage[0].value > 0.94
    assert "too seldom" not in s.summary().headline
    assert f"It refused on {max(row.refused for row in (*s.size, *s.coverage)):,} of 700 sets" in s.verdict()
    assert "where it answered" in s.verdict()
    assert f"it refused on {max(row.refused for row in (*s.size, *s.coverage)):,} of 700 sets" in s.summary().headline
    assert {point.refused for point in s.calibration} == {refused}
    levels = [point for point in s.calibration if point.kind == "level"]
    assert {point.sets for point in levels} == {700 - refused}


# --- the smallest difference --------------------------------------------------------------------------------------


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
    [(-0.01, 0.01, "too seldom"), (-1.0, 1.0, "too often"), (0.0156, 0.0156, "have no width")],
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
        truth, a, b, measure="accuracy", tests=[test], **{**FEW, "test_size": 50, "sizes": [50], "n_sets": 300}
    )
    assert max(row.value for row in s.power) < 0.05
    [found], true = s.detectable, s.confidence[0].true_difference
    assert found.value is None or found.value > 2 * true + 3 * found.error > 2 * true
    assert ("cannot be told: " in s.verdict()) == (found.value is None)
    assert (found.value is None) == (test != "permutation")  # whose Dirichlet interval is neither at 0 nor short


# --- one standard -------------------------------------------------------------------------------------------------


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


# --- what can find nothing ----------------------------------------------------------------------------------------


def test_too_few_replicates_can_find_nothing():
    s = cw.study(*decisions(), measure="f1", tests=["bootstrap"], **{**FEW, "n_resamples": 9})
    assert all(row.value == 0 for row in s.power if row.alpha == 0.05)
    assert "with 9 replicates no p-value is below 0.2, so it finds nothing at 0.05" in s.summary().headline
    assert "few_replicates" in {caveat.code for caveat in s.caveats}


def test_too_few_items_can_find_nothing():
    s = cw.study(*decisions(), measure="accuracy", tests=["mcnemar/exact"], **{**FEW, "test_size": 5, "sizes": [5]})
    assert s.summary().headline.startswith(
        "The McNemar test (exact) can find nothing on test sets of 5 like these: with 5 "
    )
    [told] = [caveat.text for caveat in s.caveats if caveat.code == "few_items"]
    assert "is below 0.0625, so nothing can be found at 0.05, 0.01" in told
    assert cw.compare([1] * 5, [0] * 5, [1] * 5, measure="accuracy", test="mcnemar", method="exact").p_value == 0.0625


@cache
def of_one_test():
    return cw.study(*decisions(), measure="f1", tests=["permutation"], **FEW)


@pytest.mark.parametrize(
    ("ran", "units", "replicates", "p"),
    [
        ("mcnemar/mid-p", 4, 999, 0.0625),
        ("permutation/exact", 4, 9, 0.125),
        ("permutation/monte_carlo", 100, 9, 0.1),
        ("bootstrap/multinomial", 4, 999, 0.125),
        ("wilcoxon/exact", 3, 999, 0.25),
        ("wilcoxon/asymptotic", 3, 999, 0.0),
        ("paired_t/t", 3, 999, 0.0),
    ],
)
def test_the_smallest_p_of_each(ran, units, replicates, p):
    s = of_one_test()
    settings = {**s.signature.settings, "n_resamples": replicates}
    signature = replace(s.signature, settings=settings)
    made = replace(s, tests=(StudiedTest("auto", {ran: 20}),), units=units, signature=signature)
    assert smallest_p(made, "auto")[0] == p


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_few_groups_are_told_of_every_test_by_swaps(test):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 5)
    a, b = rng.normal(size=200), rng.normal(1.0, 1, 200)
    how = {**FEW, "test_size": 15, "sizes": [15], "tests": [test]}
    s = cw.study(None, a, b, measure="mean", groups=groups, **how)
    assert all(row.value == 0 for row in s.power)
    assert "few_groups" in {caveat.code for caveat in s.caveats}


def test_what_cannot_be_trusted_and_finds_nothing_is_said_to_do_both():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 5)
    a, b = rng.normal(size=200), rng.normal(1.0, 1, 200)
    how = {**FEW, "test_size": 15, "sizes": [15]}
    s = cw.study(None, a, b, measure="mean", groups=groups, tests=["permutation"], **how)
    bad = replace(s, coverage=tuple(replace(row, short=True, value=0.7) for row in s.coverage))
    told = "ith 3 groups in a set no p-value is below 0.25, so it finds nothing at 0.05"
    assert "cannot be trusted" in bad.summary().headline
    assert f"; w{told}" in bad.summary().headline
    assert f"W{told}." in bad.verdict()
    two = cw.study(None, a, b, measure="mean", groups=groups, tests=["permutation", "paired_t"], **how)
    two = replace(two, coverage=tuple(replace(row, short=row.test == "permutation") for row in two.coverage))
    assert (
        "permutation cannot be trusted, and can find nothing: 3 groups in a set are too few" in two.summary().headline
    )


# --- intervals and levels -----------------------------------------------------------------------------------------


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
    s = cw.study(*decisions(), measure="accuracy", tests=["mcnemar", "permutation"], **{**FEW, "n_sets": 300})
    for test in ("mcnemar", "permutation"):
        points = {p.stated: p for p in s.calibration if (p.kind, p.test) == ("level", test)}
        assert tuple(points) == LEVELS
        [row] = [row for row in s.coverage if row.test == test]
        assert points[0.95].value == row.value
        for level, point in points.items():
            assert abs(point.value - level) < 4 * np.sqrt(0.25 / 300)


# --- workers, sizes, words ----------------------------------------------------------------------------------------


def killed_on(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_worker_is_told_with_what_to_type():
    with joblib.parallel_config(backend="loky", n_jobs=2), pytest.raises(cw.ClearwinError) as error:
        list(run_jobs(killed_on, [(i,) for i in range(8)], if_lost="resume=True goes on"))
    assert "ended from outside" in error.value.what
    assert error.value.next == "fewer workers; resume=True goes on"


def test_breaking_off_is_quiet():
    """joblib warns of cancelled jobs, with the path of its installation."""
    with joblib.parallel_config(backend="threading", n_jobs=2), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answers = run_jobs(abs, [(i,) for i in range(200)])
        assert len(list(islice(answers, 2))) == 2
        answers.close()
    assert not told


def test_sizes_beyond_the_data_are_told_or_refused():
    data = decisions(300)
    s = cw.study(*data, **{**FEW, "sizes": [600], "n_sets": 3})
    [told] = [caveat.text for caveat in s.caveats if caveat.code == "beyond_the_data"]
    assert "sets of 600 items are larger than the large set of 300" in told
    assert "beyond_the_data" not in {caveat.code for caveat in cw.study(*data, **{**FEW, "n_sets": 3}).caveats}
    for size in (3_001, 10**9):
        with pytest.raises(cw.errors.OptionError, match=f"sizes has {size}") as error:
            cw.study(*data, **{**FEW, "sizes": [size]})
        assert "10 times the 300 items" in error.value.expected


def test_power_and_widths_are_printed_with_their_errors():
    s = of_one_test()
    row = next(row for row in s.power if row.alpha == 0.05)
    _, _, table = str(s).partition("Power: ")
    assert f"{100 * row.value:.1f} % ± {100 * row.error:.1f} %" in table
    [row] = s.coverage
    assert f"{row.mean_width:.4f} ± {row.width_error:.4f}" in str(s)


def test_help_says_what_stratified_does_here():
    told = " ".join(CliRunner().invoke(main, ["study", "--help"]).stdout.split())
    assert "Draw sets that keep the shares of the strata" in told
