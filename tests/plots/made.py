"""One result of every kind that has pictures."""

from __future__ import annotations

import numpy as np

import clearwin as cw
from clearwin.plots import pictures
from tests.one_of_each import experiment

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 200)
A = np.where(RNG.random(200) < 0.7, TRUTH, 1 - TRUTH)
B = np.where(RNG.random(200) < 0.8, TRUTH, 1 - TRUTH)
SCORES = [TRUTH + RNG.normal(size=200) for _ in range(3)]
CLASSES = RNG.integers(0, 3, 150)
GUESSES = [np.where(RNG.random(150) < share, CLASSES, RNG.integers(0, 3, 150)) for share in (0.5, 0.7, 0.8)]
FOLDS = [0.8 + 0.02 * RNG.normal(size=10) for _ in range(2)]
SETS = [RNG.random((60, 4)) < 0.5 for _ in range(3)]
FEW = {"n_resamples": 300, "rng": 1}


def decisions(names=("A", "B"), **settings):
    return cw.compare(TRUTH, A, B, names=names, **{"measure": "f1", **FEW, **settings})


# one for each kind of result, and more where a result may look different; all take the names of two models
MADE = {
    "bootstrap": lambda *n: decisions(n, test="bootstrap"),
    "permutation": lambda *n: decisions(n, test="permutation"),
    "sampled": lambda *n: decisions(n, test="permutation", method="monte_carlo"),
    "one-sided": lambda *n: decisions(n, test="bootstrap", claim="better"),
    "one-sided permutation": lambda *n: decisions(n, test="permutation", claim="worse"),
    "mcnemar": lambda *n: decisions(n, measure="accuracy", test="mcnemar"),
    "classes of one item each": lambda *n: cw.compare(range(40), range(40), range(40), measure="accuracy", names=n),
    "three classes": lambda *n: cw.compare(CLASSES, *GUESSES[:2], measure="macro_f1", names=n, **FEW),
    "scores": lambda *n: cw.compare(TRUTH, *SCORES[:2], measure="auc", names=n, **FEW),
    "values": lambda *n: cw.compare(None, *SCORES[:2], measure="mean", names=n, **FEW),
    "label sets": lambda *n: cw.compare(*SETS, measure="macro_f1", names=n, **FEW),
    "whole label sets": lambda *n: cw.compare(*SETS, measure="subset_accuracy", names=n, **FEW),
    "unpaired": lambda *n: cw.compare_unpaired(TRUTH, SCORES[0], TRUTH, SCORES[1], names=n),
    "estimate": lambda *n: cw.estimate(TRUTH, A, measure="accuracy", name=n[0]),
    "estimate by bootstrap": lambda *n: cw.estimate(TRUTH, A, measure="f1", name=n[0], **FEW),
    "estimate of scores": lambda *n: cw.estimate(TRUTH, SCORES[0], measure="auc", name=n[0], **FEW),
    "chance": lambda *n: cw.against_chance(CLASSES, GUESSES[0], name=n[0], rng=1),
    "per class": lambda *n: cw.compare_by_class(CLASSES, *GUESSES[:2], names=n, **FEW),
    "per label": lambda *n: cw.compare_by_class(*SETS, names=n, **FEW),
    "board": lambda *n: cw.rank(CLASSES, dict(zip((*n, "c"), GUESSES, strict=True)), measure="accuracy", **FEW),
    "board with baseline": lambda *n: cw.rank(
        CLASSES, dict(zip((*n, "c"), GUESSES, strict=True)), measure="accuracy", baseline="c", **FEW
    ),
    "not worse": lambda *n: decisions(n, claim="not_worse", margin=0.05),
    "equivalent": lambda *n: decisions(n, claim="equivalent", margin=0.05),
    "slices": lambda *n: cw.compare(TRUTH, A, B, by=np.arange(TRUTH.size) % 3, names=n, **FEW),
    "gate": lambda *n: cw.gate(TRUTH, A, B, measure="accuracy", margin=0.05, names=n, **FEW),
    "folds": lambda *n: cw.compare_folds(*FOLDS, design="k-fold", names=n),
    "folds, one-sided": lambda *n: cw.compare_folds(*FOLDS, design="k-fold", claim="better", names=n),
    "folds, posterior": lambda *n: cw.compare_folds(*FOLDS, design="k-fold", test="bayes_t", names=n),
    "many folds": lambda *n: cw.compare_folds(*RNG.random((2, 400)), design="independent", names=n),
    "roc": lambda *n: cw.curve(TRUTH, *SCORES[:2], bands=True, names=n, n_resamples=50, rng=1),
    "det": lambda *n: cw.curve(TRUTH, SCORES[0], kind="det", names=n),
    "pr": lambda *n: cw.curve(TRUTH, *SCORES[:2], kind="pr", names=n),
    "plan": lambda *n: cw.plan(TRUTH, A, B, difference=0.1, names=n, n_resamples=500, rng=1),
    "study": lambda *n: cw.study(
        TRUTH,
        A,
        B,
        measure="accuracy",
        tests=("mcnemar", "bootstrap"),
        test_size=60,
        n_sets=30,
        n_resamples=49,
        alphas=(0.1, 0.05),
        rng=1,
        names=n,
    ),
    "experiment": lambda *n: experiment(n),
    "data sets": lambda *n: cw.rank_data_sets({name: RNG.random(12) for name in (*n, "c")}, n_resamples=50, rng=1),
}


def named(result, name, **how):
    return next(picture for picture in pictures(result, **how) if picture.name == name)


def interval_line(ax):
    return next(line for line in ax.get_lines() if line.get_gid() == "interval")


def marks(ax):
    """Return which rows have filled marks."""
    return [line.get_markerfacecolor() != "white" for line in ax.get_lines() if line.get_marker() in ("s", "o")]


def key_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def drawn(ax):
    ax.figure.draw_without_rendering()
    return ax
