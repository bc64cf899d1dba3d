"""cw.study and clearwin study: against enumeration, brute force, other workers, and a process that was killed."""

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import clearwin as cw
from clearwin.cli import main
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.execution import Seed, Stream
from clearwin.measures import find
from clearwin.simulation.populations import Urn, population, recentred
from clearwin.simulation.rates import position


def decisions(n=4_000, seed=1, rates=(0.25, 0.20), prevalence=0.4):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < prevalence).astype(int)
    hard = rng.random(n)
    said = [np.where(np.where(rng.random(n) < 0.6, hard, rng.random(n)) < rate, 1 - truth, truth) for rate in rates]
    return truth, *said


def label_sets(n=3_000, k=4, seed=2):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < [0.3, 0.2, 0.1, 0.05][:k]
    return truth, *(truth ^ (rng.random((n, k)) < rate) for rate in (0.06, 0.05))


def whole(*data, measure="f1", stratified=False, **how):
    """The population of a large set."""
    read = source_of_arrays(*data, find(measure), Reading(**how), stratified=stratified)(None)
    return population(Question(*read, Options(n_resamples=199, seed=Seed(1))), stratified=stratified)


def within(value, expected, n, errors=4.0):
    return abs(value - expected) <= errors * np.sqrt(max(expected * (1 - expected), 1 / n) / n)


# --- what is drawn ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kinds", "n"), [(5, 3_000), (400, 300)], ids=["multinomial", "unit by unit"])
def test_an_urn_draws_as_one_draws_items_by_their_numbers(kinds, n):
    """χ² of what is drawn in all against the weights; and the variance of one kind is binomial."""
    weights = np.random.default_rng(3).integers(1, 4, kinds)
    weights[[0, -1]] = 1  # where counting units through from 0 could go wrong by one
    urn, rng, sets = Urn(weights), Stream(np.random.PCG64(4)), 400
    drawn = np.zeros((sets, kinds), dtype=int)
    for row in drawn:
        which, times = urn.draw(rng, n)
        row[which] = times
    assert (drawn.sum(axis=1) == n).all()
    share = weights / weights.sum()
    assert stats.chisquare(drawn.sum(axis=0), sets * n * share).pvalue > 1e-4
    top = int(np.argmax(weights))
    expected = n * share[top] * (1 - share[top])
    assert abs(drawn[:, top].var(ddof=1) / expected - 1) < 4 * np.sqrt(2 / sets)


def test_strata_keep_their_shares():
    urn = Urn(np.array([70, 30, 100]), np.array([0, 0, 1]))
    rng = Stream(np.random.PCG64(5))
    for _ in range(20):
        which, times = urn.draw(rng, 51)
        of_second = times[which == 2].sum()
        assert of_second in (25, 26)
        assert times.sum() == 51


def test_many_small_strata_have_their_shares_on_average():
    """Half an item for each of 100 strata: chance gives out the leftover items, or sets are not like the whole."""
    urn = Urn(np.full(100, 200), np.arange(100))
    rng, sets = Stream(np.random.PCG64(8)), 2_000
    drawn = np.zeros(100)
    for _ in range(sets):
        which, times = urn.draw(rng, 50)
        assert times.max() == 1
        drawn[which] += times
    assert drawn.sum() == 50 * sets
    # each is in half of the sets, give or take 4 standard errors
    assert np.abs(drawn / sets - 0.5).max() < 4 * np.sqrt(0.25 / sets)


@pytest.mark.parametrize("kind", ["decisions", "label sets", "values", "scores"])
def test_drawn_sets_are_distributed_as_sets_of_drawn_indexes(kind):
    """Differences on 400 sets by counts against 400 sets by indexes, recounted by the verb itself."""
    rng, stream = np.random.default_rng(6), Stream(np.random.PCG64(6))
    if kind == "decisions":
        data, measure = decisions(), "f1"
    elif kind == "label sets":
        data, measure = label_sets(), "macro_f1"
    elif kind == "values":
        data, measure = (None, rng.normal(size=900), rng.normal(0.1, 1, 900)), "mean"
    else:
        truth = rng.integers(0, 2, 900)
        data, measure = (truth, truth + rng.normal(size=900), truth + rng.normal(0, 0.8, 900)), "auc"
    source = whole(*data, measure=measure)
    assert source.difference == pytest.approx(source.question.difference)
    n, sets = 150, 400
    by_counts = [source.ask(*source.urn.draw(stream, n), Seed(1)).difference for _ in range(sets)]
    by_index = []
    for _ in range(sets):
        index = rng.integers(0, len(data[1]), n)
        some = [None if column is None else column[index] for column in data]
        by_index.append(whole(*some, measure=measure).question.difference)
    assert stats.ks_2samp(by_counts, by_index).pvalue > 1e-3


def test_groups_are_drawn_whole_and_swapped_whole():
    rng = Stream(np.random.PCG64(7))
    groups = np.repeat(np.arange(300), 5)
    values = rng.normal(size=(2, 300)).repeat(5, axis=1)  # constant within a group
    source = whole(None, *values, measure="mean", groups=groups)
    assert source.items_per_unit == 5
    assert source.units_of(100) == 20
    question = source.ask(*source.urn.draw(rng, 20), Seed(1), rng)
    of_group = question.sample.grouping.groups
    assert question.n == 100
    assert np.unique(of_group).size == 20
    for group in range(20):
        assert np.ptp(question.sample.a[of_group == group]) == 0
    swapped = np.isin(question.sample.a, values[1])
    assert 0 < swapped.mean() < 1


def test_swapped_sets_are_exchangeable_and_keep_what_is_not_swapped():
    source = whole(*label_sets(), measure="micro_f1")
    rng = Stream(np.random.PCG64(8))
    differences = np.array([source.ask(*source.urn.draw(rng, 2_000), Seed(1), rng).difference for _ in range(400)])
    assert abs(differences.mean()) < 4 * differences.std() / 20 < abs(source.difference) / 10
    assert abs(source.difference) > 0.01
    drawn = source.urn.draw(rng, 200)
    plain, swapped = source.ask(*drawn, Seed(1)), source.ask(*drawn, Seed(1), rng)
    assert plain.class_sizes == swapped.class_sizes
    total = [sum(counts.predicted.sum() for counts in q.sample.counts(q.measure)) for q in (plain, swapped)]
    assert total[0] == total[1]


@pytest.mark.parametrize("kind", ["f1", "macro_f1", "mean", "trimmed_mean", "auc", "eer"])
def test_a_recentred_population_has_no_difference_and_is_near_the_given_one(kind):
    rng, stream = np.random.default_rng(9), Stream(np.random.PCG64(9))
    if kind in ("f1", "macro_f1"):
        source = whole(*(decisions() if kind == "f1" else label_sets()), measure=kind)
    elif kind in ("mean", "trimmed_mean"):
        source = whole(None, rng.normal(size=900), rng.normal(0.1, 1, 900), measure=kind)
    else:
        truth = rng.integers(0, 2, 900)
        source = whole(truth, truth + rng.normal(size=900), truth + rng.normal(0, 0.8, 900), measure=kind)
    found = recentred(source)
    assert abs(found.difference) < 1e-4 < abs(source.difference)
    weights, before = found.urn.weights / found.urn.total, source.urn.weights / source.urn.total
    assert np.abs(weights - before).sum() / 2 < 0.25
    # and what is drawn from it is centred there
    drawn = np.array([found.ask(*found.urn.draw(stream, 300), Seed(1)).difference for _ in range(300)])
    assert abs(drawn.mean()) < 4 * drawn.std() / np.sqrt(300) + 2e-3  # F1 on a set is not quite unbiased


def test_tilting_moves_a_mean_as_the_textbook_says():
    """Of a mean w ∝ exp(λ d): with the λ that solves Σ w d = 0, found by scipy."""
    from scipy.optimize import brentq

    rng = np.random.default_rng(10)
    a, b = rng.normal(size=400), rng.normal(0.2, 1, 400)
    d = b - a
    factor = brentq(lambda x: (np.exp(x * d) * d).sum(), -5, 5)
    expected = np.exp(factor * d) / np.exp(factor * d).sum()
    found = recentred(whole(None, a, b, measure="mean")).urn
    assert np.abs(found.weights / found.total - expected).max() < 2e-5  # weights are whole numbers of 256 on average


# --- what comes out -----------------------------------------------------------------------------------------------


def test_the_size_of_mcnemars_exact_test_is_the_enumerated_one():
    """Swapped: every disagreement is a coin. n of them is binomial, and of each n the exact level is enumerated."""
    truth, a, b = decisions(n=2_000)
    size, alpha = 60, 0.1
    s = cw.study(
        truth,
        a,
        b,
        measure="accuracy",
        tests=["mcnemar/exact"],
        test_size=size,
        n_sets=600,
        sizes=[size],
        alphas=[alpha],
        rng=11,
    )
    rate = np.mean(a != b)
    level = 0.0
    for n in range(size + 1):
        k = np.arange(n + 1)
        p = np.minimum(1.0, 2 * np.minimum(stats.binom.cdf(k, n, 0.5), stats.binom.sf(k - 1, n, 0.5)))
        chance = stats.binom.pmf(k, n, 0.5)
        level += stats.binom.pmf(n, size, rate) * chance[p <= alpha].sum()
    row = next(r for r in s.size if r.null == "swapped")
    assert within(row.value, level, 600)
    assert not row.above
    assert 0.02 < level < 0.08


def test_power_and_coverage_are_those_of_slow_obvious_code():
    """McNemar by scipy on sets drawn by indexes; the paired interval by its own formula."""
    truth, a, b = decisions(n=2_000, rates=(0.30, 0.20))
    size, sets = 120, 400
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
        n_sets=400,
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
        assert within(point.value, point.stated, 400)


def test_calibration_by_levels_is_near_the_diagonal():
    s = cw.study(*decisions(), tests=["bootstrap"], test_size=500, n_sets=500, sizes=[500], n_resamples=299, rng=16)
    levels = [point for point in s.calibration if point.kind == "level"]
    assert [point.stated for point in levels] == [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
    for point in levels:
        assert abs(point.value - point.stated) < 4 * point.error + 0.02
    winners = [point for point in s.calibration if point.kind == "winner"]
    assert sum(point.sets for point in winners) == 500 - round(500 * s.confidence[0].ties)
    assert [point.stated for point in winners] == sorted(point.stated for point in winners)


@pytest.mark.parametrize("measure", ["f1", "accuracy"])
def test_exact_permutation_never_exceeds_its_level_where_models_are_interchangeable(measure):
    s = cw.study(
        *decisions(rates=(0.3, 0.1)),
        measure=measure,
        tests=["permutation/exact"],
        test_size=80,
        n_sets=400,
        sizes=[80],
        alphas=[0.2, 0.1, 0.05, 0.01],
        n_resamples=19,
        rng=17,
    )
    rows = [row for row in s.size if row.null == "swapped"]
    assert len(rows) == 4
    assert not any(row.above for row in rows)
    assert s.tests[0].ran == {"permutation/exact": 400}


def test_the_overlap_is_that_of_drawn_sets():
    rng = np.random.default_rng(18)
    n, size = 2_000, 200
    shared = [
        np.isin(first, second).mean()
        for first, second in ((rng.integers(0, n, size), rng.integers(0, n, size)) for _ in range(300))
    ]
    s = cw.study(*decisions(n=n), test_size=size, n_sets=2, sizes=[size], rng=1)
    assert s.confidence[0].overlap == pytest.approx(np.mean(shared), abs=4 * np.std(shared) / np.sqrt(300))
    # keller2004 section 5: a hundredth of the set
    assert pytest.approx(0.00995, abs=1e-6) == 1 - (1 - 1 / 790_900) ** 7_909


def test_a_test_set_given_apart_is_the_one_that_is_judged():
    big, small = decisions(), decisions(n=300, seed=99)
    s = cw.study(*big, test_set=small, tests=["permutation"], n_sets=20, rng=1, names=("svm", "rbf"))
    alone = cw.compare(*small, test="bootstrap", n_resamples=10_000, rng=1)
    row = s.confidence[0]
    assert s.test_size == 300
    assert s.own_test_set
    assert (row.estimate_a, row.estimate_b) == (alone.estimate_a, alone.estimate_b)
    assert row.leader == ("rbf" if alone.difference > 0 else "svm")
    expected = alone.confidence if alone.difference > 0 else 1 - alone.confidence
    assert row.confidence == pytest.approx(expected, abs=0.02)


def test_category_sets_are_rows():
    s = cw.study(
        *label_sets(),
        measure="macro_f1",
        category_sets={"X": [0, 1], "Y": [2, 3]},
        test_size=200,
        n_sets=20,
        sizes=[200],
        n_resamples=99,
        tests=["bootstrap"],
        rng=1,
    )
    assert [row.category_set for row in s.confidence] == ["X", "Y"]
    for name, labels in (("X", [0, 1]), ("Y", [2, 3])):
        whole = cw.compare(*label_sets(), measure="macro_f1", labels=labels, test="permutation", n_resamples=1, rng=1)
        row = next(r for r in s.confidence if r.category_set == name)
        assert row.true_difference == pytest.approx(whole.difference)
    truth, a, b = (np.argmax(x, axis=1) for x in label_sets())
    s = cw.study(
        truth,
        a,
        b,
        measure="macro_f1",
        category_sets={"X": [0, 1]},
        test_size=200,
        n_sets=4,
        sizes=[200],
        n_resamples=99,
        tests=["bootstrap"],
        rng=1,
    )
    alone = cw.compare(truth, a, b, measure="macro_f1", labels=[0, 1], test="permutation", n_resamples=1, rng=1)
    assert s.confidence[0].true_difference == pytest.approx(alone.difference)


def test_refused_sets_are_counted():
    truth = np.zeros(1_000, dtype=int)
    truth[:10] = 1
    a, b = truth * 0, truth.copy()
    a[[0, 20]], b[30] = 1, 1
    how = {"tests": ["permutation"], "test_size": 100, "n_sets": 100, "sizes": [100], "n_resamples": 19}
    s = cw.study(truth, a, b, **how, rng=1)
    expected = 0.99**100  # no positive in the set
    [row] = s.coverage
    assert within(row.refused / 100, expected, 100)
    assert {point.refused for point in s.calibration} == {row.refused}
    assert row.value + row.below + row.above == pytest.approx(1.0)  # of the sets that were answered
    assert round(row.value * (100 - row.refused), 9) % 1 == 0
    assert "no item truly is of class 1" in s.refusals[0]
    assert "Refused" in str(s)


def test_what_cannot_be_recentred_is_said():
    truth = np.array([0, 1] * 200)
    b = np.where(np.arange(400) < 40, 1 - truth, truth)
    s = cw.study(truth, np.where(np.arange(400) < 80, 1 - truth, truth), b, measure="accuracy", test_size=50, n_sets=4)
    assert [gone.what for gone in s.left_out] == ["the size under the recentred null"]
    assert {row.null for row in s.size} == {"swapped"}
    assert "Left out" in str(s)


def test_names_are_text_and_the_record_is_json():
    s = cw.study(*decisions(), test_size=50, n_sets=4, names=("a\x1b[2J", "<b>"), n_resamples=19, rng=1)
    assert "\x1b" not in str(s)
    found = json.loads(s.to_json())
    assert found["power"][0]["category_set"] == "all"
    assert set(found) >= {"confidence", "size", "coverage", "power", "calibration", "signature"}
    assert "auto" in s.verdict()


def test_settings_are_checked():
    data = decisions(n=200)
    for wrong, words in (
        ({}, "how large"),
        ({"test_size": 1}, "test_size is 1"),
        ({"test_size": 201}, "test_size is 201"),
        ({"test_size": 50, "n_sets": 1}, "n_sets is 1"),
        ({"test_size": 50, "sizes": [1.5]}, "sizes has 1.5"),
        ({"test_size": 50, "alphas": [0]}, "alphas has 0"),
        ({"test_size": 50, "tests": ["mcnemar"]}, "F1 is not a sum"),
        ({"test_size": 50, "tests": ["bootstrap/exact"]}, "'exact', which is no method"),
        ({"test_size": 50, "tests": []}, "tests is"),
        ({"test_size": 50, "category_sets": {}}, "category_sets is"),
        ({"test_size": 50, "resume": True}, "no file to resume"),
        ({"test_set": (1, 2)}, "not a test set"),
    ):
        with pytest.raises(cw.ClearwinError, match=words):
            cw.study(*data, **wrong)


# --- workers, interruptions ---------------------------------------------------------------------------------------


def test_equal_results_for_one_and_two_workers():
    how = {
        "measure": "macro_f1",
        "test_size": 200,
        "n_sets": 50,
        "n_resamples": 99,
        "tests": ["permutation/monte_carlo"],
    }
    alone = cw.study(*label_sets(), rng=21, **how)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        together = cw.study(*label_sets(), rng=21, **how)
    assert alone.to_json() == together.to_json()


@pytest.fixture
def big(tmp_path):
    rows = np.column_stack(decisions())
    file = tmp_path / "big.csv"
    file.write_text("\n".join(["y,svm,rbf", *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")
    return file


COLUMNS = ["--truth", "y", "--a", "svm", "--b", "rbf", "--test-size", "200", "--n-resamples", "99"]


def test_a_killed_study_goes_on_to_the_same_result(big, tmp_path):
    """kill -9 after some blocks; --resume gives what the study gives that nobody has killed."""

    def command(*more, before=""):
        line = ["study", str(big), *COLUMNS, "--test", "bootstrap", "--sets", "160", "--json", *more]
        return [sys.executable, "-c", f"{before}from clearwin.cli import main; main()", *line]

    # killed from within, so that it is neither early nor late however slow the machine is
    killed_after_four = (
        "import os; from clearwin.simulation.checkpoints import Keeping; add, left = Keeping.add, list(range(4))\n"
        "def fatal(*block): left.pop() if left else os.kill(os.getpid(), 9); add(*block)\n"
        "Keeping.add = fatal\n"
    )
    victim = subprocess.run(command("--seed", "5", before=killed_after_four), cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert victim.returncode == -signal.SIGKILL
    [kept] = tmp_path.glob("clearwin-study-*.jsonl")
    assert len(kept.read_bytes().splitlines()) == 1 + 4  # what it is a study of, and four blocks
    with kept.open("ab") as file:
        file.write(b'{"key": "drawn/0/200/99", "resu')  # a torn line
    refused = subprocess.run(command("--seed", "5"), cwd=tmp_path, capture_output=True, text=True)
    assert (refused.returncode, "--resume" in refused.stderr) == (2, True)
    resumed = subprocess.run(command("--resume"), cwd=tmp_path, capture_output=True, text=True)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert not list(tmp_path.glob("clearwin-study-*.jsonl"))
    uninterrupted = subprocess.run(command("--seed", "5"), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert resumed.stdout == uninterrupted.stdout


def test_ctrl_c_keeps_finished_blocks_and_says_how_to_go_on(big, tmp_path, monkeypatch):
    from clearwin.simulation import checkpoints

    monkeypatch.chdir(tmp_path)
    written = itertools.count()
    add = checkpoints.Keeping.add

    def interrupted(self, key, result):
        if next(written) == 3:
            raise KeyboardInterrupt
        add(self, key, result)

    line = ["study", str(big), *COLUMNS, "--test", "permutation", "--sets", "40", "--json"]
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints.Keeping, "add", interrupted)
        stopped = CliRunner().invoke(main, line)
    [kept] = tmp_path.glob("*.jsonl")
    assert stopped.exit_code == 130
    assert kept.name in stopped.stderr
    assert "--resume" in stopped.stderr
    seed = json.loads(kept.read_text().splitlines()[0])["seed"]
    resumed = CliRunner().invoke(main, [*line, "--resume"])
    assert resumed.exit_code == 0
    assert json.loads(resumed.stdout)["signature"]["seed"] == seed  # chosen at random, and kept
    assert resumed.stdout == CliRunner().invoke(main, [*line, "--seed", seed]).stdout


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)])
def test_a_study_that_is_ended_leaves_no_worker_and_no_open_pipe(big, tmp_path, sent, code):
    """Whoever reads what the study prints, as `| head` or a step of a pipeline does, must not wait for its workers."""
    line = ["study", str(big), *COLUMNS, "--test", "permutation", "--sets", "1000000", "--jobs", "2", "--json"]
    words = [sys.executable, "-c", "from clearwin.cli import main; main()", *line]
    study = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    workers = []
    try:
        while not any(file.read_bytes().count(b"\n") > 1 for file in tmp_path.glob("*.jsonl")):
            assert study.poll() is None
            time.sleep(0.05)
        workers = children_of(study.pid)
        assert len(workers) >= 2
        study.send_signal(sent)
        said, complaints = study.communicate(timeout=20)
        for _ in range(200):
            if not any(Path(f"/proc/{worker}").exists() for worker in workers):
                break
            time.sleep(0.05)
        assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
    finally:
        for process in (study.pid, *workers):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    assert (study.returncode, said) == (code, "")
    if sent == signal.SIGTERM:
        assert "Finished blocks are kept in" in complaints
        assert "--resume goes on" in complaints
        assert "Traceback" not in complaints


def test_resuming_another_study_is_refused(tmp_path):
    from clearwin.simulation.checkpoints import Keeping, read_kept

    file = tmp_path / "blocks.jsonl"
    header = {"what": "clearwin study", "version": "1", "streams": 2, "settings": {"n_sets": 10}}
    header |= {"data": {}, "test_set": {}}
    with Keeping(file, {**header, "seed": "5"}, append=False) as keeping:
        keeping.add("drawn/0/50/0", {"tests": [1.5, None]})
    kept, blocks = read_kept(file, {**header, "seed": None})
    assert kept == {**header, "seed": "5"}
    assert blocks == {"drawn/0/50/0": {"tests": [1.5, None]}}
    with pytest.raises(cw.errors.FileError, match="n_sets 10 instead of 20; seed 5 instead of 6"):
        read_kept(file, {**header, "settings": {"n_sets": 20}, "seed": "6"})
    with pytest.raises(cw.errors.FileError, match="nothing to resume"):
        cw.study(*decisions(n=200), test_size=50, keep=tmp_path / "none", resume=True)
    with pytest.raises(cw.errors.FileError, match="finished blocks of an interrupted study"):
        cw.study(*decisions(n=200), test_size=50, keep=file)
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(cw.errors.FileError, match="does not begin like a file of finished blocks"):
        cw.study(*decisions(n=200), test_size=50, keep=tmp_path / "other", resume=True)


def test_the_command_takes_what_compare_takes(big, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = tmp_path / "labels.csv"
    rows = np.column_stack([x.astype(int) for x in label_sets(n=400)])
    head = ",".join(f"{role}_{c}" for role in ("gold", "a", "b") for c in "wxyz")
    labels.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")
    scores = tmp_path / "scores.csv"
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    noise = rng.normal(size=(400, 2))
    lines = [f"{y},{y + noise[i, 0]:.4f},{y + noise[i, 1]:.4f},{i // 4}" for i, y in enumerate(truth)]
    scores.write_text("\n".join(["y,a,b,speaker", *lines, ""]), encoding="utf-8")
    few = ["--test-size", "80", "--sets", "4", "--sizes", "80", "--n-resamples", "19", "--seed", "1", "--json"]
    for line, unit in (
        (
            [
                "labels.csv",
                "--truth",
                "gold_*",
                "--a",
                "a_*",
                "--b",
                "b_*",
                "--measure",
                "macro_f1",
                "--category-set",
                "X=w,x",
                "--category-set",
                "Y=y,z",
                "--test",
                "permutation",
            ],
            "document",
        ),
        (["scores.csv", "--truth", "y", "--a", "a", "--b", "b", "--measure", "auc", "--groups", "speaker"], "group"),
        (["scores.csv", "--truth", "y", "--a", "a", "--b", "b", "--threshold", "0.5", "--stratified"], "item"),
        (["scores.csv", "--a", "a", "--b", "b", "--measure", "mean", "--test", "paired_t"], "item"),
        (["big.csv", "--truth", "y", "--a", "svm", "--b", "rbf", "--test-set", "big.csv", "--alphas", "0.2"], "item"),
    ):
        run = CliRunner().invoke(main, ["study", *line, *few])
        assert run.exit_code == 0, run.output
        assert json.loads(run.stdout)["unit"] == unit
    run = CliRunner().invoke(main, ["study", "big.csv", "--truth", "y", "--a", "svm", "--b", "rbf"])
    assert run.exit_code == 2
    assert "--test-size 40" in run.stderr
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_truth_among_the_replicates_is_a_tie_whatever_the_rounding():
    """Accuracy in steps of 1/50: a replicate that has the true difference may differ from it in the last place."""
    truth = 0.82 - 0.80
    values = np.array([0.0, 0.92 - 0.90, 0.92 - 0.90, 0.06])
    assert (values != truth).all()  # or there is nothing to see here
    assert position(values, truth, slack=1e-12) == 0.25 + 0.5 / 2


def test_a_test_of_ranks_states_no_confidence_in_the_other_models_win():
    rng = np.random.default_rng(31)
    gains = np.where(rng.random(4_000) < 0.7, -0.2, 1.5) + 0.01 * rng.normal(size=4_000)  # mean +, median −
    s = cw.study(
        None,
        np.zeros(4_000),
        gains,
        measure="mean",
        tests=["sign"],
        test_size=300,
        sizes=[300],
        n_sets=100,
        n_resamples=99,
        rng=1,
    )
    assert min(row.wrong for row in s.power if row.test_size == 300 and row.alpha == 0.05) > 0.9
    assert not [p for p in s.calibration if p.kind == "winner" and p.test == "sign" and p.sets > 10]
