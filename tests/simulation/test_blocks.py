"""The work of a study: every test judges every drawn set, and a refused set is counted as such."""

import joblib
import numpy as np
import pytest

import clearwin as cw
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.measures import find
from clearwin.significance import choose
from clearwin.simulation import blocks
from clearwin.simulation.blocks import AskedTest, Category, StudyBlock, StudySetup, _stated, run_job
from clearwin.simulation.populations import population
from clearwin.simulation.rates import coverage_row
from clearwin.streams import Seed
from tests.simulation.asked import ASKED, correlated, refusing, within


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_confidence_in_the_leader_is_the_same_whoever_is_called_a(test):
    """Replicates in which both are level speak for neither: 12 items that differ, so ties are frequent."""
    truth = np.array([0, 1] * 30)
    first, second = truth.copy(), truth.copy()
    first[:7], second[10:15] = 1 - first[:7], 1 - second[10:15]
    stated = []
    for a, b in ((first, second), (second, first)):
        read = source_of_arrays(truth, a, b, find("accuracy"), Reading())(None)
        question = Question(*read, Options(n_resamples=4_000, seed=Seed(1)))
        stated.append(_stated(question, choose(test, question)[0].answer(question)))
    rng = np.random.default_rng(2)
    gains = ((second == truth) * 1 - (first == truth))[rng.integers(0, 60, (20_000, 60))].sum(axis=1)
    assert np.mean(gains == 0) > 0.05
    error = 4 * np.sqrt(0.25 / 4_000)
    assert stated == pytest.approx([np.mean(gains > 0)] * 2, abs=error)


def scores(n=4_000, seed=4, positive=0.02):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < positive).astype(int)
    return truth, truth + rng.normal(size=n), truth + rng.normal(0, 0.9, n)


def test_a_set_that_delong_refuses_is_a_refused_set():
    """One positive among 60 items of 2 % occurs in 37 % of the sets; the bootstrap still answers there."""
    how = {**ASKED, "test_size": 60, "sizes": [60], "tests": ["delong", "bootstrap"], "n_sets": 40}
    s = cw.study(*scores(), measure="auc", **how)
    delong, bootstrap = s.coverage
    assert delong.refused > bootstrap.refused > 0
    assert any("only one item" in why for why in s.refusals)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert cw.study(*scores(), measure="auc", **how).to_json() == s.to_json()


def test_a_set_that_the_t_test_refuses_is_a_refused_set():
    rng = np.random.default_rng(2)
    grades = rng.integers(0, 2, (2, 500)).astype(float)
    s = cw.study(None, *grades, measure="mean", tests=["paired_t"], **{**ASKED, "test_size": 2, "sizes": [2]})
    assert 0 < s.coverage[0].refused < 20
    assert all("the same difference" in why for why in s.refusals)


def test_coverage_is_of_the_sets_that_were_answered():
    row = coverage_row(refusing(), 0.95)
    assert (row.value, row.refused, row.short) == (868 / 870, 130, False)
    assert row.above == 2 / 870
    assert coverage_row(refusing(missed=200), 0.95).short
    nothing = coverage_row(refusing(refused=10, missed=0, n=10), 0.95)
    assert (nothing.value, nothing.short) == (None, False)


def test_a_test_set_given_apart_is_the_one_that_is_judged():
    big, small = correlated(), correlated(n=300, seed=99)
    s = cw.study(*big, test_set=small, tests=["permutation"], n_sets=20, rng=1, names=("svm", "rbf"))
    alone = cw.compare(*small, test="bootstrap", n_resamples=10_000, rng=1)
    row = s.confidence[0]
    assert s.test_size == 300
    assert s.own_test_set
    assert (row.estimate_a, row.estimate_b) == (alone.estimate_a, alone.estimate_b)
    assert row.leader == ("rbf" if alone.difference > 0 else "svm")
    expected = alone.confidence if alone.difference > 0 else 1 - alone.confidence
    assert row.confidence == pytest.approx(expected, abs=0.02)


def test_the_sets_of_a_study_on_a_device_are_compared_there():
    """Each set by itself, from its counts, its seed and the same device, has the p-value that the study has."""
    read = source_of_arrays(*correlated(), find("f1"), Reading())(None)
    whole = population(Question(*read, Options(n_resamples=99, device="numpy")), stratified=False)
    plan = StudySetup([Category("all", whole, None, None)], [AskedTest("bootstrap", "bootstrap")], Seed(1))
    job = StudyBlock("drawn", 0, 200, 0, 4)
    found = run_job(job, plan)["tests"][0]
    stream = blocks.set_stream(plan, job)
    for i, (p, low) in enumerate(zip(found["p"], found["low"], strict=True)):
        seed = blocks.test_seed(plan, blocks.PHASES.index("drawn"), job, i)
        joint = whole.ask(*whole.urn.draw(stream, 200), seed).sample.joint
        again = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
        how = {"measure": "f1", "test": "bootstrap", "n_resamples": 99, "rng": again}
        alone = cw.compare(joint, **how, device="numpy")
        assert (alone.p_value, alone.interval.low) == (p, low)
        assert cw.compare(joint, **how).interval != alone.interval


def test_a_study_on_a_device_says_so_and_needs_a_test_that_draws():
    how = {**ASKED, "tests": ["bootstrap"], "n_sets": 4, "device": "numpy"}
    s = cw.study(*correlated(), **how)
    assert s.signature.settings["device"] == "numpy"
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert cw.study(*correlated(), **how) == s
    here = cw.study(*correlated(), **how | {"device": "cpu"})
    assert "device" not in here.signature.settings
    assert [row.confidence for row in here.confidence] != [row.confidence for row in s.confidence]
    with pytest.raises(cw.errors.NotApplicableError, match="does not draw test sets on a device"):
        cw.study(*correlated(), **how | {"tests": ["bootstrap", "permutation"]})


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
    assert "undefined: class 1 never occurs in the truth" in s.refusals[0]
    assert "Caveat: No answer: a test refused up to" in str(s)


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
