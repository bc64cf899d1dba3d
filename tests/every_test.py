"""Every test with the measures that it can judge, asked of joint counts."""

import itertools

import pytest

import clearwin as cw

MEASURES = ("accuracy", "error_rate", "dcf(cost_fn=10, cost_fp=1, prior=0.01)", "recall", "precision", "f1", "mcc")
SCORES = (
    [0.81, 0.79, 0.84, 0.80, 0.78, 0.82, 0.77, 0.83, 0.79, 0.80],
    [0.85, 0.80, 0.88, 0.84, 0.79, 0.84, 0.79, 0.82, 0.83, 0.81],
)
JUDGED = [
    (test, measure, method)
    for test, measure in itertools.product(cw.list_tests().values(), MEASURES)
    for method in test.methods
    if test.can_judge(cw.list_measures()[measure.split("(")[0]])
]
judged = pytest.mark.parametrize(("test", "measure", "method"), JUDGED, ids=lambda x: getattr(x, "name", x))
OF_FOLDS = list(cw.list_tests("folds").values())
of_decisions = [t for t in cw.list_tests().values() if "decisions" in t.takes]
every_test_of_decisions = pytest.mark.parametrize("test", of_decisions, ids=lambda t: t.name)


def ask(joint, test, measure, method="auto", **settings):
    settings = {"n_resamples": 500, "rng": 1, **settings}
    return cw.compare(joint, measure=measure, test=test.name, method=method, **settings)


def a_measure_of(test):
    return test.only[0] if test.only else "accuracy"
