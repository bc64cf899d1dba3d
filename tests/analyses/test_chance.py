"""One confusion matrix against chance: published numbers, enumeration of all tables, three methods compared."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.significance.chance import (
    chi2,
    exact,
)
from tests.chance_tables import REFERENCE, ULCER, with_margins


@pytest.mark.parametrize("case", REFERENCE["table"], ids=lambda case: case["origin"][-20:])
def test_published_tables(case):
    found = cw.against_chance(case["matrix"], method="exact")
    assert found.p_value == pytest.approx(case["exact"], abs=0.51 * 10 ** -case["exact_digits"])
    found = cw.against_chance(case["matrix"], method="chi2")
    assert found.p_value == pytest.approx(case["chi2"], abs=0.51 * 10 ** -case["chi2_digits"])


@pytest.mark.parametrize("case", REFERENCE["margins"], ids=lambda case: case["origin"][-20:])
def test_published_margins(case):
    margins = with_margins(case["k"], case["each"], case["right"])
    assert exact(margins).value == pytest.approx(case["exact"], abs=0.51 * 10 ** -case["exact_digits"])
    assert chi2(margins)[0].value == pytest.approx(case["chi2"], abs=0.51 * 10 ** -case["chi2_digits"])


@pytest.mark.parametrize("case", REFERENCE["uniform"], ids=lambda case: f"k={case['k']} n={case['n']}")
def test_published_uniform_tables(case):
    k, n = case["k"], case["n"]
    assert exact(with_margins(k, k * n, k * n)).value == pytest.approx(case["p"], abs=5.1e-7)


# --- the verb ---------------------------------------------------------------------------------------------------


def test_the_result_tells_everything():
    r = cw.against_chance(ULCER, labels=["healed", "same", "worse"])
    truth = np.repeat([0, 1, 2], np.sum(ULCER, axis=1))
    prediction = np.concatenate([np.repeat([0, 1, 2], row) for row in ULCER])
    assert r.efficiency == pytest.approx(metrics.accuracy_score(truth, prediction))
    assert r.kappa == pytest.approx(metrics.cohen_kappa_score(truth, prediction))
    assert [c.recall for c in r.recalls] == pytest.approx(metrics.recall_score(truth, prediction, average=None))
    theirs = stats.binomtest(28, 38).proportion_ci(method="wilson")
    assert (r.recalls[2].interval.low, r.recalls[2].interval.high) == pytest.approx((theirs.low, theirs.high))
    assert r.expected_efficiency == pytest.approx(3580 / 102**2)
    assert (r.method, r.labels) == ("exact", ("healed", "same", "worse"))
    assert r.why == "chosen automatically"
    assert r.p_bound < 1e-12
    assert "better than chance" in r.verdict()
    assert "34.4 %" in r.verdict()
    strict = cw.against_chance(ULCER, confidence_level=1 - 1e-6)
    assert (r.decision, strict.decision) == ("better", "not shown")
    assert "No clear evidence" in strict.verdict()
    assert r.to_dict()["recalls"][0]["label"] == "healed"
    for text in ("healed", "Cohen's kappa", "right by chance"):
        assert text in str(r)
        assert text.replace("'", "&#39;") in r._repr_html_()


def test_labels_and_matrix_give_the_same_answer():
    truth = np.repeat(["a", "b", "c"], np.sum(ULCER, axis=1))
    prediction = np.concatenate([np.repeat(["a", "b", "c"], row) for row in ULCER])
    by_items = cw.against_chance(truth, prediction)
    by_matrix = cw.against_chance(ULCER, labels=["a", "b", "c"])
    assert by_items.p_value == by_matrix.p_value
    assert by_items.signature.data == by_matrix.signature.data
    crosstab = pd.crosstab(pd.Series(truth), pd.Series(prediction))
    assert cw.against_chance(crosstab).signature.data == by_matrix.signature.data
    assert cw.against_chance(crosstab[["c", "a", "b"]]).signature.data == by_matrix.signature.data
    assert cw.against_chance(crosstab.drop(columns="a")).labels == ("a", "b", "c")
    c = cw.ConfusionMatrix.of_two_classes(tp=5, fn=2, fp=1, tn=9)
    assert cw.against_chance(c).right == 14


def test_empty_classes_have_a_stated_behaviour():
    never_seen = cw.against_chance([[5, 1, 2], [1, 6, 0], [0, 0, 0]])
    assert never_seen.recalls[2].recall is None
    assert any("Class 2 never occurs" in c.text for c in never_seen.caveats)
    never_predicted = cw.against_chance([[5, 1, 0], [1, 6, 0], [2, 1, 0]])
    assert never_predicted.recalls[2].recall == 0
    assert any("Class 2 is never predicted" in c.text for c in never_predicted.caveats)
    for matrix in ([[5, 2], [0, 0]], [[5, 0], [2, 0]], [[7]]):
        for method in ("exact", "monte_carlo", "chi2"):
            r = cw.against_chance(matrix, method=method, rng=1)
            assert r.p_value == 1.0
            assert any(c.code == "one_class" for c in r.caveats)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "exakt"}, "'exact'"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"confidence_level": 2}, "confidence_level is 2"),
        ({"labels": ["a"]}, "1 labels for 3"),
    ],
)
def test_bad_settings_are_explained(settings, message):
    with pytest.raises(cw.ClearwinError) as raised:
        cw.against_chance(ULCER, **settings)
    assert message in str(raised.value)


# --- files ------------------------------------------------------------------------------------------------------


def test_what_a_hostile_user_found():
    with pytest.raises(cw.errors.DataError, match="same label"):
        cw.against_chance(ULCER, labels=["a", "a", "b"])
    huge = np.full((3, 3), 5 * 10**8)
    with pytest.raises(cw.errors.OptionError, match="cannot be drawn"):
        cw.against_chance(huge, method="monte_carlo")
    two = cw.against_chance([[5, 1, 1, 1], [1, 5, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert any("Classes 2, 3 never occur," in c.text for c in two.caveats)
