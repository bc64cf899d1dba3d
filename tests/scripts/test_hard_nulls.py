"""Every population of the hard nulls has the values that it says: scikit-learn's of a large draw."""

import functools

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.measures import REGISTRY as MEASURES
from clearwin.streams import Seed
from scorecard import defaults, hard_nulls
from scorecard.hard_nulls import DIFFERENT, EXCHANGEABLE, HARD, MILD

cells = functools.cache(hard_nulls.cells)  # which take a second
DRAWN = {"two classes": 400_000, "many classes": 150_000, "label sets": 60_000, "in groups": 10_000}
CLOSE = 0.015  # about four standard errors of the value that is hardest to measure, of so many items


def f_beta(average, beta=1.0):
    return lambda y, a: metrics.fbeta_score(y, a, beta=beta, average=average, zero_division=0)


def f1_of_macro(y, a):
    p, r = (f(y, a, average="macro", zero_division=0) for f in (metrics.precision_score, metrics.recall_score))
    return 2 * p * r / (p + r)


def cost(y, a):
    (tn, fp), (fn, tp) = metrics.confusion_matrix(y, a)
    return 0.5 * fn / (fn + tp) + 2 * 0.5 * fp / (fp + tn)


def at_thresholds(best):
    def value(y, a):
        fpr, tpr, _ = metrics.roc_curve(y, a)
        return best(fpr, 1 - tpr)

    return value


def of_best(y, a):
    """Precision among as many items as are positive."""
    return float(y[np.argsort(-a)][: int(y.sum())].mean())


def averaged(score, average):
    return lambda y, a: score(y, a, average=average, zero_division=0)


SKLEARN = {
    "accuracy": metrics.accuracy_score,
    "subset_accuracy": metrics.accuracy_score,
    "recall": metrics.recall_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "dcf(cost_fp=2.0)": cost,
    "precision": metrics.precision_score,
    "f1": metrics.f1_score,
    "f_beta(beta=0.5)": f_beta("binary", 0.5),
    "jaccard": metrics.jaccard_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "f1_of_macro": f1_of_macro,
    "macro_f_beta(beta=0.5)": f_beta("macro", 0.5),
    "weighted_f_beta(beta=0.5)": f_beta("weighted", 0.5),
    "micro_f_beta(beta=2.0)": f_beta("micro", 2.0),
    "hamming_loss": metrics.hamming_loss,
    "f1_of_sums": lambda gold, a: 2 * a[0].sum() / (gold.sum() + a[1].sum()),
    "precision_of_sums": lambda gold, a: a[0].sum() / a[1].sum(),
    "recall_of_sums": lambda gold, a: a[0].sum() / gold.sum(),
    "auc": metrics.roc_auc_score,
    "partial_auc": lambda y, a: metrics.roc_auc_score(y, a, max_fpr=0.1),
    "average_precision": metrics.average_precision_score,
    "eer": at_thresholds(lambda fpr, fnr: fpr[np.argmin(np.abs(fpr - fnr))]),
    "min_dcf": at_thresholds(lambda fpr, fnr: (0.5 * (fpr + fnr)).min()),
    "break_even": of_best,
    "brier": metrics.brier_score_loss,
    "log_loss": metrics.log_loss,
    "mse": metrics.mean_squared_error,
    "mae": metrics.mean_absolute_error,
    "mean": lambda y, a: a.mean(),
    "trimmed_mean": lambda y, a: stats.trim_mean(a, 0.1),
} | {
    f"{average}_{name}": averaged(getattr(metrics, f"{name}_score"), average)
    for average in ("macro", "weighted", "micro")
    for name in ("precision", "recall", "f1")
    if (average, name) != ("weighted", "recall")  # which is the accuracy
}


# of a quarter of the items, a model predicts 900 positive: their precision has a standard error of .014
@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.study)])
@pytest.mark.parametrize("measure", SKLEARN)
def test_the_true_values_are_those_of_a_large_draw(measure, part):
    seen, close = set(), CLOSE if part == 1 else 3 * CLOSE
    for cell in cells():
        key = cell.data, cell.name, cell.null == DIFFERENT, cell.null == MILD
        if cell.measure != measure or cell.null == EXCHANGEABLE or key in seen:
            continue
        seen.add(key)
        truth, a, b, *_ = cell.population.draw(Seed(5).stream(1, len(seen)), DRAWN.get(cell.data, 200_000) // part)
        found = [float(SKLEARN[measure](truth, answer)) for answer in (a, b)]
        width = 3 * close if measure in ("mean", "mse") else close  # of long tails
        assert found == pytest.approx(cell.population.values(measure), abs=width), cell
        if cell.null != DIFFERENT:
            assert found[1] - found[0] == pytest.approx(0.0, abs=width), cell


def test_null_hypotheses_are_true_and_the_models_are_not_alike():
    for cell in cells():
        a, b = cell.population.values(cell.measure)
        if cell.null == DIFFERENT:
            assert abs(b - a) > 1e-3, cell
        else:
            assert b == pytest.approx(a, abs=1e-9), cell
            assert cell.difference == 0.0


def test_every_measure_of_the_registry_has_hard_nulls():
    assert {cell.measure for cell in cells()} == set(SKLEARN)
    asked = {}
    for cell in cells():
        asked.setdefault(cell.measure.partition("(")[0], set()).add(cell.null)
    for name in MEASURES:
        assert asked[hard_nulls.SAME_AS.get(name, name)] >= {EXCHANGEABLE, MILD, HARD}, name


def test_cells_have_names_of_their_own():
    names = [(cell.data, cell.measure, cell.name, cell.null, cell.n) for cell in cells()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("one", "other"), hard_nulls.SAME_AS.items())
def test_mirrored_measures_have_the_same_p_value(one, other):
    cell = next(c for c in cells() if c.measure == other and c.null == HARD)
    truth, a, b = cell.population.draw(Seed(3).stream(1, 2), 120)
    ask = lambda measure, *data: cw.compare(*data, measure=measure, n_resamples=199, rng=1).p_value  # noqa: E731
    if one == "win_rate":  # which is a mean of points
        winner = np.where(b > a, "B", "A")
        assert ask(one, winner) == pytest.approx(
            ask(other, None, 1.0 * (winner == "A"), 1.0 * (winner == "B")), rel=1e-9
        )
        return
    turned = (1 - truth, 1 - a, 1 - b) if one in ("specificity", "false_acceptance_rate") else (truth, a, b)
    assert ask(one, *turned) == pytest.approx(ask(other, truth, a, b), rel=1e-9)


def test_a_job_counts_the_same_twice_and_rejects_what_is_different():
    job = next(j for j in defaults.jobs(12) if (j.cell.measure, j.cell.null) == ("f1", HARD))
    rows = job(1)
    assert job(1) == rows
    assert {row.kind for row in rows} == {"size", "claim", "interval", "estimate"}
    assert all(0.0 <= row.value <= 1.0 and row.test == "auto" for row in rows)
