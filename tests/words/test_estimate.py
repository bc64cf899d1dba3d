"""One model's value in words: the numbers of the record, and that it is no test."""

import pytest

import clearwin as cw
from tests.one_of_each import estimate
from tests.two_models import two


def test_the_value_and_its_interval_are_those_of_the_record():
    y, a, _ = two(200)
    found = cw.estimate(y, a, measure="accuracy", name="svm", interval="wilson")
    share = f"{(a == y).mean():.3f}"
    interval = f"95 % interval {found.interval.low:.3f} to {found.interval.high:.3f}"
    assert found.verdict().startswith(f"Accuracy of svm: {share} ({interval}).")
    assert found.verdict().endswith("This is an estimate on 200 items, not a test.")
    told = found.verdict(style="paper")
    assert told.startswith(f"On 200 items, svm had an accuracy of {share} ({interval}, method wilson, clearwin ")
    assert "seed" not in told  # nothing was drawn
    assert "seed 1" in estimate().verdict(style="paper")


@pytest.mark.parametrize(("measure", "words"), [("f1", "an F1"), ("mcc", "an MCC"), ("kappa", "a Cohen's kappa")])
def test_the_article_is_that_of_the_spoken_name(measure, words):
    y, a, _ = two(60)
    told = cw.estimate(y, a, measure=measure, n_resamples=99, rng=1).verdict(style="paper")
    assert f"the model had {words} of" in told or f" had {words} of" in told
