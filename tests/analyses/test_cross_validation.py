"""Two scikit-learn learners on the same splits: the right numbers, the right design, refusals."""

import math

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import clearwin as cw
from tests.analyses.learners import TREE, X, Y, cross

IRIS, KINDS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[KINDS]
LINE = make_pipeline(StandardScaler(), LogisticRegression())


def test_scores_are_those_of_cross_val_score_and_p_is_corrected():
    r = cw.cross_compare(TREE, LINE, X, Y, cv=5, scoring="roc_auc")
    a, b = (cross_val_score(m, X, Y, cv=5, scoring="roc_auc") for m in (TREE, LINE))
    assert r.differences == pytest.approx(b - a, abs=1e-15)
    d = b - a
    t = d.mean() / math.sqrt((1 / 5 + 1 / 4) * d.var(ddof=1))
    assert (r.test, r.statistic) == ("corrected_t", pytest.approx(t))
    assert r.p_value == pytest.approx(2 * stats.t.sf(abs(t), 4))
    assert (r.design, r.test_train_ratio) == ("k-fold", pytest.approx(1 / 4))
    assert (r.name_a, r.name_b, r.measure_label) == ("DecisionTreeClassifier", "LogisticRegression", "roc_auc")


def dcf(truth, answer):
    fn = ((truth == 1) & (answer == 0)).sum() / (truth == 1).sum()
    fp = ((truth == 0) & (answer == 1)).sum() / (truth == 0).sum()
    return 10 * 0.5 * fn + 1 * 0.5 * fp


@pytest.mark.parametrize(
    ("measure", "theirs", "higher"),
    [
        ("f1", metrics.f1_score, True),
        ("dcf(cost_fn=10, cost_fp=1, prior=0.5)", dcf, False),
        ("mcc", metrics.matthews_corrcoef, True),
        ("balanced_accuracy", metrics.balanced_accuracy_score, True),
    ],
)
def test_any_measure_of_decisions_over_folds(measure, theirs, higher):
    """F1 and DCF over folds, as keller2004 section 3 suggests."""
    cv = StratifiedKFold(4)
    r = cw.cross_compare(TREE, LINE, X, Y, cv=cv, measure=measure)
    found = [
        theirs(Y[test], LINE.fit(X[train], Y[train]).predict(X[test]))
        - theirs(Y[test], TREE.fit(X[train], Y[train]).predict(X[test]))
        for train, test in cv.split(X, Y)
    ]
    assert r.differences == pytest.approx(found, abs=1e-12)
    assert r.higher_is_better == higher


def test_measures_of_scores_over_folds():
    for measure, scorer in (("auc", "roc_auc"), ("brier", "neg_brier_score"), ("log_loss", "neg_log_loss")):
        r = cw.cross_compare(GaussianNB(), LINE, X, Y, cv=2, measure=measure)
        theirs = cw.cross_compare(GaussianNB(), LINE, X, Y, cv=2, scoring=scorer)
        sign = 1 if r.higher_is_better else -1
        assert r.differences == pytest.approx(sign * np.array(theirs.differences), rel=1e-9)
        assert r.p_value == pytest.approx(theirs.p_value, rel=1e-9)
    flipped = cw.cross_compare(GaussianNB(), LINE, X, Y, cv=2, measure="auc", positive=0)
    assert flipped.estimate_b == pytest.approx(cw.cross_compare(TREE, LINE, X, Y, cv=2, measure="auc").estimate_b)
    with pytest.raises(cw.errors.OptionError, match="does not predict probabilities"):
        cw.cross_compare(RidgeClassifier(), LINE, X, Y, cv=2, measure="brier")


def test_searches_regressors_many_classes_and_workers():
    search = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=2)
    r = cw.cross_compare(search, TREE, IRIS, NAMES, cv=3, measure="macro_f1", n_jobs=2, progress=True)
    assert r.name_a == "GridSearchCV(DecisionTreeClassifier)"
    assert r.estimate_b == pytest.approx(cross_val_score(TREE, IRIS, NAMES, cv=3, scoring="f1_macro").mean())
    one = cw.cross_compare(TREE, GaussianNB(), IRIS, NAMES, cv=3, measure="f1", positive="virginica")
    assert "positive class is virginica" in one.why
    D, t = load_diabetes(return_X_y=True)
    r = cw.cross_compare(DecisionTreeRegressor(max_depth=2), Ridge(), D, t, cv=3, measure="mse")
    assert r.estimate_b == pytest.approx(-cross_val_score(Ridge(), D, t, cv=3, scoring="neg_mean_squared_error").mean())
    r = cw.cross_compare(DecisionTreeRegressor(max_depth=2), Ridge(), D, t, cv="2x2", rng=1)
    assert (r.measure_label, r.design) == ("score", "repeated k-fold, 2 × 2")


def test_label_sets_and_frames():
    rng = np.random.default_rng(1)
    labels = np.stack([Y, rng.permutation(Y), X[:, 0] > 15], axis=1).astype(int)
    tree, deeper = DecisionTreeClassifier(max_depth=1, random_state=0), DecisionTreeClassifier(random_state=0)
    r = cw.cross_compare(tree, deeper, X, labels, cv=KFold(3), measure="micro_f1", names=("shallow", "deep"))
    theirs = cross_val_score(deeper, X, labels, cv=KFold(3), scoring="f1_micro").mean()
    assert r.estimate_b == pytest.approx(theirs)
    frame, series = pd.DataFrame(X, index=np.arange(200)[::-1]), pd.Series(Y, index=np.arange(200)[::-1])
    r = cw.cross_compare(TREE, GaussianNB(), frame, series, cv=3, measure="f1")
    assert r.differences == cw.cross_compare(TREE, GaussianNB(), X, Y, cv=3, measure="f1").differences


def test_workers_that_hand_back_everything_at_the_end():
    class Slow(joblib.parallel.ThreadingBackend):
        supports_return_generator = False

    joblib.register_parallel_backend("slow", Slow)
    with joblib.parallel_config("slow", n_jobs=2):
        r = cw.cross_compare(TREE, GaussianNB(), IRIS, KINDS, cv=3, scoring="accuracy")
    assert r == cw.cross_compare(TREE, GaussianNB(), IRIS, KINDS, cv=3, scoring="accuracy", rng=int(r.signature.seed))


def test_rounds_are_one_argument():
    r = cw.cross_compare(TREE, GaussianNB(), IRIS, KINDS, cv="5x2cv", scoring="accuracy", rng=3)
    assert (r.design, r.test, r.n) == ("5x2", "corrected_t", 10)
    assert "shuffled with seed 3" in r.why
    assert (r.signature.seed, r.splits_drawn) == ("3", True)
    assert "seed 3, clearwin" in str(r)
    same = cw.cross_compare(TREE, GaussianNB(), IRIS, KINDS, cv="5x2cv", scoring="accuracy", rng=3)
    assert same == r
    r = cw.cross_compare(TREE, GaussianNB(), IRIS, KINDS, cv="3x4", scoring="accuracy", rng=3, test="bayes_t")
    assert (r.design, r.n, r.test_train_ratio) == ("repeated k-fold, 3 × 4", 12, pytest.approx(1 / 3))
    assert r.posterior is not None


# --- pooled --------------------------------------------------------------------------------------------------------


def test_pooled_items_are_compared_one_by_one_and_it_says_what_that_assumes():
    cv = KFold(5, shuffle=True, random_state=1)
    r = cw.cross_compare(TREE, LINE, X, Y, cv=cv, measure="f1", pool=True, rng=1)
    a, b = (cross_val_predict(m, X, Y, cv=cv) for m in (TREE, LINE))
    direct = cw.compare(Y, a, b, measure="f1", rng=1)
    assert (r.p_value, r.interval, r.positive_inferred) == (direct.p_value, direct.interval, True)
    assert r.caveats[-1].code == "pooled"
    assert "not about the learning algorithms" in r.caveats[-1].text
    with pytest.raises(cw.errors.OptionError, match="cannot be pooled"):
        cw.cross_compare(TREE, LINE, X, Y, cv="2x2", pool=True)
    ranked = cw.cross_compare(TREE, LINE, X, Y, cv=2, measure="auc", pool=True, rng=1)
    assert "ranked together" in ranked.caveats[-1].text


def test_pooled_groups_are_swapped_whole():
    groups = np.arange(200) // 5
    cv = GroupKFold(5)
    r = cw.cross_compare(TREE, LINE, X, Y, cv=cv, groups=groups, measure="accuracy", pool=True, rng=1)
    a, b = (cross_val_predict(m, X, Y, cv=cv, groups=groups) for m in (TREE, LINE))
    direct = cw.compare(Y, a, b, measure="accuracy", groups=groups, rng=1)
    assert (r.sampling.unit, r.sampling.n_units) == ("group", 40)
    assert (r.p_value, r.interval) == (direct.p_value, direct.interval)
    assert "the groups treated as independent" in r.caveats[-1].text


# --- small folds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [Y, Y.astype(bool), 2 * Y - 1], ids=["0/1", "bool", "-1/1"])
def test_folds_of_one_class_have_an_accuracy(labels):
    some = np.r_[0:15, 180:200]
    r = cw.cross_compare(TREE, GaussianNB(), X[some], labels[some], cv=LeaveOneOut(), measure="accuracy")
    theirs = cw.cross_compare(TREE, GaussianNB(), X[some], labels[some], cv=LeaveOneOut(), scoring="accuracy")
    assert (r.differences, r.p_value) == (theirs.differences, theirs.p_value)
    ordered = np.argsort(labels, kind="stable")
    r = cw.cross_compare(TREE, GaussianNB(), X[ordered], labels[ordered], cv=KFold(8), measure="error_rate")
    assert r.n == 8
    with pytest.raises(cw.errors.DataError, match="In fold 1: recall is undefined"):
        cw.cross_compare(TREE, GaussianNB(), X[ordered], labels[ordered], cv=KFold(8), measure="recall")


@pytest.mark.parametrize("measure", ["auc", "brier"])
def test_a_learner_that_never_saw_the_positive_class_has_no_score_of_it(measure):
    rest = np.flatnonzero(NAMES != "virginica")
    everything = np.arange(150)
    splits = [(everything[::2], everything[1::2]), (rest[::2], everything[1::2])]
    says = r"In fold 2 no training item is of class virginica(.|\n)*Next: (.|\n)*StratifiedKFold"
    with pytest.raises(cw.errors.DataError, match=says):
        cw.cross_compare(TREE, GaussianNB(), IRIS, NAMES, cv=splits, measure=measure, positive="virginica")


# --- dictionaries --------------------------------------------------------------------------------------------------


def test_dictionaries_of_cross_validate():
    how = {"cv": 4, "scoring": ("accuracy", "f1"), "return_indices": True}
    a, b = (cross_validate(m, X, Y, **how) for m in (TREE, LINE))
    r = cw.cross_compare(a, b, scoring="f1", names=("tree", "line"))
    direct = cw.cross_compare(TREE, LINE, X, Y, cv=4, scoring="f1")
    assert (r.p_value, r.design, r.measure_label) == (direct.p_value, "k-fold", "f1")
    with pytest.raises(cw.errors.DataError, match="scores of accuracy, f1"):
        cw.cross_compare(a, b)
    other = cross_validate(LINE, X, Y, **how | {"cv": KFold(4, shuffle=True, random_state=1)})
    with pytest.raises(cw.errors.DataError, match="In fold 1 the two were tested on different items"):
        cw.cross_compare(a, other, scoring="f1")
    with pytest.raises(cw.errors.DataError, match="a has 4 folds and b has 3"):
        cw.cross_compare(a, cross_validate(LINE, X, Y, **how | {"cv": 3}), scoring="f1")
    with pytest.raises(cw.errors.DataError, match="return_indices=True"):
        cw.cross_compare(a, cross_validate(LINE, X, Y, cv=4, scoring=("f1",)), scoring="f1")
    with pytest.raises(cw.errors.OptionError, match="measure was given with dictionaries"):
        cw.cross_compare(a, b, measure="f1")
    with pytest.raises(cw.errors.DataError, match="the other is not"):
        cw.cross_compare(a, LINE)


# --- designs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cv": "ten"}, 'cv="10x10"'),
        ({"cv": "3x1"}, "rounds and folds"),
        ({"scoring": "f1", "measure": "f1"}, "one of them"),
        ({"scoring": ["f1", "accuracy"]}, "one scorer"),
        ({"positive": 1}, "measure= with it"),
        ({"measure": "mean"}, "which learners do not predict"),
        ({"measure": "f1"}, 'positive="setosa"'),
        ({"names": ("x", "x"), "scoring": "accuracy"}, "two different names"),
        ({"measure": "recall", "positive": "setosa", "cv": KFold(3)}, "In fold 2"),
    ],
)
def test_refusals_say_what_to_type(change, says):
    with pytest.raises(cw.ClearwinError, match=says):
        cw.cross_compare(TREE, GaussianNB(), IRIS, NAMES, **change)


def test_what_is_no_learner_is_refused():
    with pytest.raises(cw.errors.DataError, match="a scikit-learn estimator"):
        cw.cross_compare(DecisionTreeClassifier, GaussianNB(), IRIS, KINDS)
    with pytest.raises(cw.errors.DataError, match="X or y is missing"):
        cw.cross_compare(TREE, GaussianNB(), IRIS)


# --- splits that mislead -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"indices": [1, 2]}, "not a dictionary of train and test"),
        ({"indices": {"train": 1, "test": 2}}, "does not hold lists"),
        ({"test_score": [0.5, 0.6]}, "has 2 scores, 3 training sets and 3 test sets"),
    ],
)
def test_odd_dictionaries_are_refused(change, says):
    a, b = (cross_validate(m, X, Y, cv=3, return_indices=True) for m in (TREE, GaussianNB()))
    with pytest.raises(cw.errors.DataError, match=says):
        cw.cross_compare(a, b | change)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scoring": lambda e, X, y: {"p": 1.0, "q": 2.0}}, r"several scores: p, q\.\nExpected: one number"),
        ({"scoring": "f11"}, "no scorer of scikit-learn named 'f11'(.|\n)*did you mean 'f1'"),
        ({"scoring": "mcc"}, 'Next: measure="mcc"'),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"n_jobs": "a"}, "n_jobs is 'a'"),
    ],
)
def test_scorers_and_workers_that_cannot_be_used(change, says):
    with pytest.raises(cw.errors.OptionError, match=says):
        cross(cv=3, **change)


@pytest.mark.parametrize("change", [{"scoring": "f1"}, {"measure": "f1"}, {"measure": "auc"}, {}])
def test_what_predicts_nothing_is_named(change):
    with pytest.raises(cw.errors.NotApplicableError, match="StandardScaler has no"):
        cw.cross_compare(TREE, StandardScaler(), X, Y, cv=3, **change)


class Broken(GaussianNB):
    def fit(self, X, y):
        raise KeyError("mine")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_errors_of_a_learner_say_which_and_where(n_jobs):
    with pytest.raises(KeyError, match="mine") as caught:
        cw.cross_compare(TREE, Broken(), X, Y, cv=3, n_jobs=n_jobs)
    assert any("b, Broken, was trained and tested in fold" in note for note in caught.value.__notes__)


def test_only_a_missing_class_asks_for_other_folds():
    class Strange(GaussianNB):
        def predict(self, X):
            return np.full(len(X), 7.5)

    with pytest.raises(cw.errors.DataError, match="In fold 1") as caught:
        cw.cross_compare(GaussianNB(), Strange(), X, Y, cv=3, measure="f1")
    assert "StratifiedKFold" not in caught.value.next
