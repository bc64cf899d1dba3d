"""Words and machines: scikit-learn's, with the best settings by cross-validation."""

import numpy as np
import pytest
import scipy.sparse

from clearwin.simulation.keller2004 import experiment as keller2004
from clearwin.simulation.keller2004.text_models import (
    GaussianMachines,
    LinearMachines,
    _best,
    decide,
    fit_tfidf,
    stem,
    train_gaussian,
    train_linear,
    words_of,
)
from clearwin.streams import Seed
from tests.simulation.keller2004.texts import WORK, made_up


def test_words_are_lower_case_stems_without_stop_words():
    assert words_of("The Categories of SVMs, and a bus.") == ["category", "svm", "bus"]
    # Harman's exceptions
    assert [stem(w) for w in ("toes", "trees", "glass", "status", "houses")] == [
        "toe",
        "tree",
        "glass",
        "status",
        "house",
    ]


@pytest.mark.parametrize(("train", "kernel"), [(train_linear, "linear"), (train_gaussian, "rbf")])
def test_machines_are_scikit_learns_and_their_settings_the_best_by_cross_validation(train, kernel):
    from sklearn.metrics import f1_score
    from sklearn.svm import SVC

    corpus = made_up(200, seed=3)
    X, Y = fit_tfidf(corpus.texts[:120]).transform(corpus.texts), corpus.is_in[:, :3]
    folds = keller2004.folds_of(120, Seed(2))
    ours = train(X[:120], Y[:120], folds, **WORK)
    gammas = (0.1, 0.3, 1.0) if kernel == "rbf" else (1.0,)
    for j, chosen in enumerate(ours.settings):
        theirs = SVC(kernel=kernel, **chosen).fit(X[:120], Y[:120, j])
        np.testing.assert_allclose(ours.scores(X[120:])[:, j], theirs.decision_function(X[120:]), atol=5e-3)
        pooled = {}
        for C in (100.0, 10.0, 1.0):
            for gamma in gammas:
                decided = np.zeros(120, dtype=bool)
                for inside, held in folds:
                    machine = SVC(kernel=kernel, C=C, gamma=gamma).fit(X[inside], Y[inside, j])
                    decided[held] = machine.predict(X[held])
                pooled[C, gamma] = f1_score(Y[:120, j], decided)
        assert pooled[chosen["C"], chosen.get("gamma", 1.0)] == max(pooled.values())


def test_of_settings_that_are_equally_good_the_first_is_taken():
    counts = np.zeros((3, 2, 2, 2), dtype=int)
    counts[1, :, 1] = (4, 1)
    counts[2, :, 1] = (4, 1)
    assert _best(counts).tolist() == [0, 1]


def test_folds_hold_every_document_out_once():
    folds = keller2004.folds_of(100, Seed(5))
    assert sorted(np.concatenate([held for _, held in folds])) == list(range(100))
    assert all(not set(train) & set(held) and len(train) + len(held) == 100 for train, held in folds)


def test_decisions_come_in_order_whatever_the_chunks_and_workers(monkeypatch):
    rng = np.random.default_rng(0)
    X = scipy.sparse.random(250, 30, density=0.2, random_state=1, format="csr")
    linear = LinearMachines(rng.normal(size=(30, 3)), rng.normal(size=3), ())
    gaussian = GaussianMachines(X[:20], rng.normal(size=(20, 2)), rng.normal(size=2), ({"gamma": 0.3}, {"gamma": 1.0}))
    whole = [decide(machines, X, what="", **WORK) for machines in (linear, gaussian)]
    monkeypatch.setattr("clearwin.simulation.keller2004.text_models.CHUNK", 40)
    for machines, expected in zip((linear, gaussian), whole, strict=True):
        np.testing.assert_array_equal(decide(machines, X, what="", n_jobs=2, progress=False), expected)
    np.testing.assert_array_equal(whole[0], X.toarray() @ linear.weights + linear.intercepts > 0)
