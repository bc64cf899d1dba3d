"""A comparison in words: numbers as in the record, who is wrong where, and a claim that points the other way."""

import re

import numpy as np
import pytest

import clearwin as cw
from tests.two_models import two

HOW = {"test": "mcnemar", "method": "exact", "names": ("old", "new")}


@pytest.fixture(scope="module")
def compared():
    return cw.compare(*two(200), measure="accuracy", **HOW)


def test_the_rows_have_the_numbers_of_the_record(compared):
    told = " ".join(str(compared).split())
    for value in (compared.estimate_a, compared.estimate_b):
        assert f"{value:.3f}" in told
    assert f"{compared.difference:+.3f} (new − old)" in told
    assert f"{compared.interval.low:+.3f} to {compared.interval.high:+.3f}" in told


def test_items_are_split_by_who_is_wrong(compared):
    y, a, b = two(200)
    told = " ".join(str(compared).split())
    assert f"only old wrong {((a != y) & (b == y)).sum()}, only new wrong {((a == y) & (b != y)).sum()}" in told


def test_the_error_reduction_is_the_share_of_errors_that_went(compared):
    y, a, b = two(200)
    wrong_a, wrong_b = (a != y).sum(), (b != y).sum()
    told = " ".join(str(compared).split())
    assert f"{100 * (wrong_a - wrong_b) / 200:+.2f} points absolute" in told
    assert f"{100 * (wrong_a - wrong_b) / wrong_a:+.1f}% relative" in told


def test_a_claim_that_the_difference_speaks_against_says_so():
    y, a, b = two(200)
    told = cw.compare(y, b, a, measure="accuracy", claim="better", **HOW).summary().headline
    assert "the difference points the other way" in told
    assert "the other way" not in cw.compare(y, a, b, measure="accuracy", claim="better", **HOW).summary().headline


def test_a_model_without_errors_has_no_relative_reduction():
    y = np.array([0, 1] * 20)
    told = str(cw.compare(y, y, 1 - y, measure="accuracy", **HOW))
    assert "relative undefined: old makes no error" in " ".join(told.split())


def test_what_shows_nothing_says_what_more_items_would_do():
    """With a margin as many as a plan says, whose way is another: test sets are drawn from the tilted counts."""
    joint = cw.JointCounts(e1=40, e2=5, e3=6, e4=8, e5=5, e6=4, e7=3, e8=129)
    open_question = cw.compare(joint, measure="accuracy", rng=1)
    assert "with four times as many the interval would be about half as wide" in str(open_question)
    for claim in ("not_worse", "equivalent"):
        how = {"measure": "accuracy", "claim": claim, "margin": 0.02, "rng": 1}
        told = str(cw.compare(joint, **how))
        needed = float(
            re.search(r"items needed +about ([\d,]+), to show it four times in five", told)[1].replace(",", "")
        )
        assert needed == pytest.approx(cw.plan(joint, **how).items, rel=0.15)
    shown = cw.compare(cw.JointCounts(e1=40, e2=30, e3=1, e4=8, e5=5, e6=4, e7=3, e8=129), measure="accuracy", rng=1)
    assert "more items" not in str(shown)
    assert "more items" not in str(cw.compare([0, 1, 1], [0, 1, 0], [0, 1, 0], measure="accuracy", rng=1))
