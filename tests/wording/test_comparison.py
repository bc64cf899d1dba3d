"""A comparison in words: numbers as in the record, who is wrong where, and a claim that points the other way."""

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
