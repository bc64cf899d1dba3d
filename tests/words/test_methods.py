"""A one-sided claim is told wherever its p-value is: a row, a null hypothesis and a formula with its side."""

import math
import re

import numpy as np
import pytest

import clearwin as cw
import clearwin.plots
from clearwin.errors import OptionError
from clearwin.reports.html import as_html, as_markdown
from clearwin.significance import REGISTRY

SIDED = pytest.mark.parametrize("claim", ["better", "worse"])
# what only a p-value of two sides is made of
TWO_SIDED = re.compile(r"2 min|2 P\(|\| ≥ \||χ²")


@pytest.fixture(autouse=True)
def _without_pictures(monkeypatch):
    """What is looked for is words, and most of the time of a report goes into its pictures."""
    monkeypatch.setattr(clearwin.plots, "pictures", lambda *_, **__: [])


def two_models(n=80, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, *(np.where(rng.random(n) < right, truth, 1 - truth) for right in (0.7, 0.85))


def compared(test, claim, **settings):
    truth, a, b = two_models()
    if "decisions" in REGISTRY["items"][test].takes:
        [measure, *_] = REGISTRY["items"][test].only or [
            "f1" if "none" in REGISTRY["items"][test].judges else "accuracy"
        ]
        return cw.compare(truth, a, b, measure=measure, test=test, claim=claim, n_resamples=200, rng=1, **settings)
    rng = np.random.default_rng(2)
    if "scores" in REGISTRY["items"][test].takes:
        scores = [truth * shift + rng.normal(size=truth.size) for shift in (0.8, 1.5)]
        return cw.compare(truth, *scores, measure="auc", test=test, claim=claim, rng=1, **settings)
    values = rng.normal(size=(2, 60))
    return cw.compare(None, *values, measure="mean", test=test, claim=claim, n_resamples=200, rng=1, **settings)


def check_told(result, claim, name_b="B"):
    assert result.null_hypothesis.endswith(f". The claim is that {name_b} is {claim}, so only evidence for that counts")
    method = dict(result.summary().method)
    assert method["claim"].startswith(f"{claim}, one-sided")
    assert not TWO_SIDED.search(method["formula"]), method["formula"]
    for text in (str(result), as_html(result), as_markdown(result)):
        assert f"{claim}, one-sided: that {name_b} is {claim} than" in " ".join(text.split())


@SIDED
@pytest.mark.parametrize("test", REGISTRY["items"])
def test_every_test_tells_its_side(test, claim):
    check_told(compared(test, claim), claim)


@pytest.mark.parametrize("test", REGISTRY["items"])
def test_two_sides_are_told_in_the_method(test):
    found = compared(test, "different")
    assert dict(found.summary().method)["claim"].startswith("different, two-sided")
    assert "claim is that" not in found.null_hypothesis
    assert "claim" not in dict(found.summary().blocks[0].rows)


@SIDED
@pytest.mark.parametrize("test", REGISTRY["folds"])
def test_every_test_of_folds_tells_its_side(test, claim):
    a = [0.81, 0.79, 0.84, 0.80, 0.78, 0.82, 0.77, 0.83, 0.79, 0.80]
    b = [0.85, 0.80, 0.88, 0.84, 0.79, 0.84, 0.79, 0.82, 0.83, 0.81]
    design = "5x2" if test.startswith("5x2") else "k-fold"
    asked = {"design": design, "test": test, "names": ("tree", "net"), "rng": 1}
    if claim not in REGISTRY["folds"][test].claims:
        with pytest.raises(OptionError):
            cw.compare_folds(a, b, claim=claim, **asked)
        return
    check_told(cw.compare_folds(a, b, claim=claim, **asked), claim, "net")


def test_a_test_against_chance_has_one_side():
    assert "one-sided" in dict(cw.against_chance([[9, 2], [3, 8]]).summary().method)["claim"]


def test_a_posterior_has_no_side():
    found = cw.compare_folds([0.8, 0.7, 0.9], [0.9, 0.8, 0.8], design="k-fold", test="bayes_t")
    assert "claim" not in dict(found.summary().method)


@SIDED
def test_classes_and_two_test_sets_tell_their_side(claim):
    truth, a, b = two_models()
    check_told(cw.compare_by_class(truth, a, b, claim=claim, rng=1), claim)
    check_told(cw.compare_unpaired(truth, a + 0.1 * truth, truth, b * 1.0, claim=claim), claim)


@SIDED
def test_the_formulas_that_are_printed_give_the_p_value(claim):
    """The error rate is better when lower: g is the difference turned so that above 0 speaks for the claim."""
    truth, a, b = two_models()
    sign = {"better": -1.0, "worse": 1.0}[claim]
    asked = {"measure": "error_rate", "claim": claim, "rng": 1}
    drawn = cw.compare(truth, a, b, test="bootstrap", n_resamples=999, **asked)
    g = sign * drawn.distribution.values
    assert drawn.p_value == pytest.approx((np.sum(g <= 0) + 1) / (g.size + 1))
    counted = cw.compare(truth, a, b, test="permutation", **asked)
    for_claim, against = counted.outcomes["only_a_wrong"], counted.outcomes["only_b_wrong"]
    for_claim = for_claim if claim == "better" else against
    n = counted.outcomes["only_a_wrong"] + against  # swaps of an item move the error rate by one step
    assert counted.p_value == pytest.approx(sum(math.comb(n, k) for k in range(for_claim, n + 1)) / 2**n)
