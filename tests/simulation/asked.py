"""Large sets to study, and settings that ask little of them."""

from functools import cache

import numpy as np
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.measures import find
from clearwin.simulation.populations import population
from clearwin.simulation.rates import Outcomes
from clearwin.streams import Seed


def decisions(n=2_000, seed=1, rates=(0.25, 0.20), prevalence=0.4):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < prevalence).astype(int)
    return truth, *(np.where(rng.random(n) < rate, 1 - truth, truth) for rate in rates)


FEW = {"test_size": 100, "n_sets": 20, "sizes": [100], "n_resamples": 19, "rng": 1}
QUICK = {**FEW, "tests": ["permutation"]}  # where the test does not matter


@cache
def by_default():
    return cw.study(*decisions(), **FEW)


def grouped(n_groups, size, seed=3):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    return rng.normal(size=groups.size), rng.normal(0.1, 1, groups.size), groups


def large_file(folder):
    """Write four hundred of them to ``big.csv`` in the folder, and return the folder."""
    lines = [",".join(map(str, row)) for row in zip(*decisions(400), strict=True)]
    (folder / "big.csv").write_text("\n".join(["y,svm,rbf", *lines, ""]), encoding="utf-8")
    return folder


def study(*more, sets="3"):
    """Ask the command about them, in the folder where they are."""
    line = ["study", "big.csv", "--truth", "y", "--a", "svm", "--b", "rbf", "--n-resamples", "19", "--seed", "1"]
    return CliRunner().invoke(main, [*line, "--test-size", "50", "--sets", sets, *more])


ASKED = {"test_size": 100, "n_sets": 20, "sizes": [100], "n_resamples": 39, "rng": 1}


def refusing(refused=130, missed=2, n=1_000):
    """What a test found on n sets: so many refused, so many intervals beside the truth of 0.1."""
    answered = n - refused
    low = [0.2] * missed + [0.0] * (answered - missed) + [None] * refused
    high = [0.3] * answered + [None] * refused
    p = [0.5] * answered + [None] * refused
    return Outcomes("all", "t", 40, 0.1, 1, 1.0, {"p": p, "low": low, "high": high})


@cache
def of_one_test():
    return cw.study(*decisions(), measure="f1", tests=["permutation"], **ASKED)


def correlated(n=4_000, seed=1, rates=(0.25, 0.20), prevalence=0.4):
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
