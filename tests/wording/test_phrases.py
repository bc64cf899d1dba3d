"""Numbers as words: nothing is rounded to 0 or 1 that is neither, and a p-value at the floor is a bound."""

import math
from types import SimpleNamespace

import pytest

from clearwin.numerics.intervals import Interval
from clearwin.wording.phrases import every_digit, few, interval_text, number, p_row, p_text, signed


def p_value_of(p, error=None, log10=None):
    return SimpleNamespace(p_value=p, p_error=error, log10_p=math.log10(p) if log10 is None else log10)


def test_a_p_value_below_any_float_keeps_its_logarithm():
    assert p_text(p_value_of(5e-324, log10=-1234.5)) == "p < 1e-300, log10 p = -1234.5"
    assert p_text(SimpleNamespace(p_value=None, log10_p=None)) == "no p-value"


def test_a_sampled_p_value_at_its_floor_is_a_bound():
    """None of 999 draws came as far: p = 1/1000 with a standard error as large; one did: p = 2/1000."""
    floor, above = p_value_of(0.001, (0.001 * 0.999 / 999) ** 0.5), p_value_of(0.002, (0.002 * 0.998 / 999) ** 0.5)
    assert p_text(floor).startswith("p ≤ ")
    assert p_text(above).startswith("p = ")
    assert "±" not in p_row(floor, floor.p_error)[1]
    assert "±" in p_row(above, above.p_error)[1]


@pytest.mark.parametrize("value", [0.99991, 0.9999999, 1e-9, 0.00012345, 123456.789])
def test_only_0_and_1_are_written_as_0_and_1(value):
    assert number(value) not in ("0.0000", "1.0000")
    assert float(number(value)) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("value", [-0.25, 0.00001234, -98765.4, 0.0])
def test_differences_have_their_sign(value):
    assert float(signed(value)) == pytest.approx(value, rel=1e-2)
    assert signed(value)[0] in ("0" if value == 0 else "+-")


def test_thresholds_are_written_whole():
    assert all(float(every_digit(x)) == x for x in (1 / 3, 0.1 + 0.2, 2.0, 1e-300))


def test_intervals_of_one_side_have_one_end():
    two, low, high = (Interval(0.1, 0.3, 0.95, "x", side=side) for side in ("two-sided", "lower", "upper"))
    assert [interval_text(x) for x in (two, low, high)] == ["0.1000 to 0.3000", "at least 0.1000", "at most 0.3000"]


def test_of_many_names_the_rest_are_counted():
    assert few(list("abc"), most=2) == "a, b and 1 more"
    assert few(list("ab"), most=2) == "a, b"
