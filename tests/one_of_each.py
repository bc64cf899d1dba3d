"""One result of every kind, with names to choose: whoever adds a kind of result adds its maker here."""

import dataclasses
from functools import cache

import numpy as np

import clearwin as cw
from clearwin.simulation.keller2004 import experiment as keller2004
from tests.simulation.keller2004.texts import made_up

PAIR = ("old", "new")


def _arrays(n=200, k=2, seed=5):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    answers = [np.where(rng.random(n) < wrong, rng.integers(0, k, n), truth) for wrong in (0.4, 0.25, 0.3)]
    return truth, answers


def _scores(n=120, seed=6):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, [truth * shift + rng.normal(size=n) for shift in (0.8, 1.5, 1.2)]


def comparison(names=PAIR, **settings):
    truth, (a, b, _) = _arrays()
    return cw.compare(truth, a, b, names=names, **{"n_resamples": 500, "rng": 1, **settings})


def estimate(names=PAIR):
    truth, (a, *_) = _arrays()
    return cw.estimate(truth, a, name=names[0], n_resamples=500, rng=1)


def against_chance(names=PAIR, **settings):
    return cw.against_chance([[9, 2], [3, 8]], labels=list(names), name=names[0], rng=1, **settings)


def per_class(names=PAIR, **settings):
    truth, (a, b, _) = _arrays(k=3)
    # labels that look alike are refused, and names need not be
    labels = np.array([names[0], names[1] if names == PAIR else f"{names[1]} too", "third"])
    return cw.compare_by_class(labels[truth], labels[a], labels[b], names=names, n_resamples=200, rng=1, **settings)


def curves(names=PAIR):
    truth, (a, b, _) = _scores()
    return cw.curve(truth, a, b, names=names, bands=True, n_resamples=100, rng=1)


def folds(names=PAIR, **settings):
    a, b = [0.81, 0.79, 0.84, 0.80, 0.78], [0.85, 0.80, 0.88, 0.84, 0.79]
    return cw.compare_folds(a, b, design="k-fold", names=names, rng=1, **settings)


def leaderboard(names=PAIR, **settings):
    truth, answers = _arrays()
    return cw.rank(truth, dict(zip((*names, "third"), answers, strict=True)), n_resamples=500, rng=1, **settings)


def data_sets(names=PAIR, **settings):
    rng = np.random.default_rng(3)
    scores = rng.random((12, 3)) * 0.05 + np.array([0.7, 0.75, 0.72])
    by_model = {name: scores[:, i] for i, name in enumerate((*names, "third"))}
    return cw.rank_data_sets(by_model, rng=1, **settings)


def unpaired(names=PAIR, **settings):
    truth, (a, b, _) = _scores()
    return cw.compare_unpaired(truth, a, truth[::-1], b[::-1], names=names, **settings)


CHECKS = [{"measure": "f1", "margin": 0.05}, {"measure": "accuracy", "margin": 0.02, "claim": "equivalent"}]


def gate(names=PAIR, **settings):
    truth, (a, b, _) = _arrays()
    return cw.gate(truth, a, b, checks=CHECKS, names=names, **{"n_resamples": 300, "rng": 1, **settings})


def study(names=PAIR):
    truth, (a, b, _) = _arrays(n=400)
    # one test that needs few replicates: what is looked at is how a study is told
    asked = {"tests": ["permutation"], "test_size": 100, "n_sets": 12, "n_resamples": 99}
    return cw.study(truth, a, b, **asked, names=names, rng=1)


def plan(names=PAIR):
    truth, (a, b, _) = _arrays()
    return cw.plan(truth, a, b, difference=0.1, names=names, n_resamples=500, rng=1)


@cache
def _experiment():
    sizes = {"train_size": 80, "test_size": 60, "n_resamples": 300, "n_sets": 20}
    return keller2004.run(made_up(300), **sizes, rng=1, n_jobs=1, progress=False)


def experiment(names=PAIR):
    """Return an experiment in which the corpus and two categories are called so; with the usual names as it was."""
    found = _experiment()
    if names == PAIR:
        return found
    return dataclasses.replace(found, corpus=names[0], sets=found.sets | {"X": tuple(names)})


MAKERS = {
    "comparison": comparison,
    "estimate": estimate,
    "against_chance": against_chance,
    "per_class": per_class,
    "curves": curves,
    "folds": folds,
    "leaderboard": leaderboard,
    "data_sets": data_sets,
    "unpaired": unpaired,
    "gate": gate,
    "study": study,
    "plan": plan,
    "experiment": experiment,
}


def data_of(kind):
    """Return what the maker of this kind put in, under the names that a call shows."""
    if kind == "experiment":
        return {"keller2004": keller2004, "corpus": made_up(300)}
    truth, (a, b, c) = _arrays()
    labels = np.array([*PAIR, "third"])
    named = dict(zip(labels, (a, b, c), strict=True))
    if kind in ("curves", "unpaired"):
        truth, (a, b, c) = _scores()
    if kind == "unpaired":
        return {"truth_a": truth, "a": a, "truth_b": truth[::-1], "b": b[::-1]}
    if kind == "study":
        truth, (a, b, c) = _arrays(n=400)
    if kind == "folds":
        a, b = [0.81, 0.79, 0.84, 0.80, 0.78], [0.85, 0.80, 0.88, 0.84, 0.79]
    if kind == "per_class":
        truth, a, b = (labels[x] for x in (_arrays(k=3)[0], *_arrays(k=3)[1][:2]))
    scores = np.random.default_rng(3).random((12, 3)) * 0.05 + np.array([0.7, 0.75, 0.72])
    by_model = dict(zip(labels, scores.T if kind == "data_sets" else (a, b, c), strict=True))
    return {
        "truth": truth,
        "a": a,
        "b": b,
        "models": named,
        "scores": by_model,
        "matrix_or_truth": [[9, 2], [3, 8]],
        "checks": CHECKS,
    }


# made of the names of two models
KINDS = ["comparison", "folds", "leaderboard", "data_sets", "curves", "per_class"]
