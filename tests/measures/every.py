"""Every measure of decisions with an implementation that nobody here wrote."""

from scipy import stats
from sklearn import metrics

import clearwin as cw

DCF = "dcf(cost_fn=10, cost_fp=1, prior=0.01)"


def error_rates(y, p):
    tn, fp, fn, tp = metrics.confusion_matrix(y, p, labels=[0, 1]).ravel()
    return fn / (fn + tp), fp / (fp + tn)


# scikit-learn's functions, or its confusion matrix where it has no function of its own
ORACLE = {
    "accuracy": metrics.accuracy_score,
    "error_rate": metrics.zero_one_loss,
    "recall": metrics.recall_score,
    "specificity": lambda y, p: metrics.recall_score(y, p, pos_label=0),
    "precision": metrics.precision_score,
    "false_acceptance_rate": lambda y, p: error_rates(y, p)[1],
    "false_rejection_rate": lambda y, p: error_rates(y, p)[0],
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1": metrics.f1_score,
    "f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1.0),
    "f_beta(beta=0.5)": lambda y, p: metrics.fbeta_score(y, p, beta=0.5),
    "f_beta(beta=2)": lambda y, p: metrics.fbeta_score(y, p, beta=2.0),
    "jaccard": metrics.jaccard_score,
    "dcf": lambda y, p: sum(error_rates(y, p)) / 2,
    DCF: lambda y, p: 10 * 0.01 * error_rates(y, p)[0] + 0.99 * error_rates(y, p)[1],
    "hter": lambda y, p: sum(error_rates(y, p)) / 2,
    "macro_precision": lambda y, p: metrics.precision_score(y, p, average="macro", zero_division=0),
    "macro_f1": lambda y, p: metrics.f1_score(y, p, average="macro"),
    "macro_f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1, average="macro"),
    "weighted_precision": lambda y, p: metrics.precision_score(y, p, average="weighted", zero_division=0),
    "weighted_f1": lambda y, p: metrics.f1_score(y, p, average="weighted"),
    "weighted_f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1, average="weighted"),
    "subset_accuracy": metrics.accuracy_score,
    "macro_recall": lambda y, p: metrics.recall_score(y, p, average="macro", zero_division=0),
    "micro_precision": lambda y, p: metrics.precision_score(y, p, average="micro"),
    "micro_recall": lambda y, p: metrics.recall_score(y, p, average="micro"),
    "micro_f1": lambda y, p: metrics.f1_score(y, p, average="micro"),
    "micro_f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1, average="micro"),
    "f1_of_macro": lambda y, p: stats.hmean(
        [f(y, p, average="macro", zero_division=0) for f in (metrics.precision_score, metrics.recall_score)]
    ),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
}


def value_of(name, truth, answers):
    """Return the measure's value as estimate gives it, with the interval that is made most quickly."""
    return cw.estimate(truth, answers, measure=name, interval="percentile", n_resamples=1).estimate


MANY = [m.name for m in cw.list_measures().values() if m.any_number_of_classes and m.takes == "decisions"]
