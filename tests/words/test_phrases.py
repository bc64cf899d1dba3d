"""Numbers as words: nothing is rounded to 0 or 1 that is neither, digits follow the interval, a floor is a bound."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics.intervals import Interval
from clearwin.words.phrases import Digits, every_digit, interval_text, name_list, number, p_row, p_text, signed


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
    assert name_list(list("abc"), most=2) == "a, b and 1 more"
    assert name_list(list("ab"), most=2) == "a, b"


@pytest.mark.parametrize(
    ("half", "decimals"), [(0.11, 3), (0.08, 3), (0.004, 4), (0.0003, 5), (7.0, 1), (70.0, 0), (0.0, 4), (np.inf, 4)]
)
def test_two_digits_of_half_the_interval_are_shown(half: float, decimals: int) -> None:
    assert Digits.of_interval(Interval(0.5 - half, 0.5 + half, 0.95, "wald"), 0.5).decimals == decimals


def test_a_bound_is_as_far_away_as_it_is() -> None:
    assert Digits.of_interval(Interval(0.49, np.inf, 0.95, "wald", "lower"), 0.5).decimals == 3


def test_estimates_and_their_difference_do_not_contradict_each_other() -> None:
    """Wherever more digits can help: what is printed of B less what is printed of A is what is printed between them."""
    rng = np.random.default_rng(3)
    agree = 0
    for _ in range(2_000):
        a, difference = rng.random(), rng.normal(0.0, 0.01)
        half = 10.0 ** rng.uniform(-4, -1)
        interval = Interval(difference - half, difference + half, 0.95, "wald")
        write = Digits.of(
            SimpleNamespace(estimate_a=a, estimate_b=a + difference, difference=difference, interval=interval)
        )
        shown = [float(write.number(a + difference)), float(write.number(a)), float(write.signed(difference))]
        agree += abs(shown[0] - shown[1] - shown[2]) < 0.5 * 10.0**-write.decimals
    assert agree >= 0.97 * 2_000  # of four numbers of decimals, each contradicts itself a quarter of the time


def test_a_number_that_is_not_0_or_1_is_not_written_as_one() -> None:
    write = Digits(3)
    assert (write.number(0.00004), write.number(0.99996), write.number(1.0)) == ("4e-05", "0.99996", "1.000")
    assert (write.signed(0.00004), write.signed(0.0)) == ("+4e-05", "0")


def test_a_rare_label_gets_a_caveat_in_macro_and_not_in_micro_averages() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random((300, 3)) < [0.3, 0.02, 0.4]
    a, b = (truth ^ (rng.random(truth.shape) < share) for share in (0.1, 0.05))
    codes = {
        name: [c.code for c in cw.compare(truth, a, b, measure=name, rng=1, n_resamples=200).caveats]
        for name in ("macro_f1", "micro_f1", "weighted_f1")
    }
    assert "few_of_a_class" in codes["macro_f1"]
    assert "few_of_a_class" not in codes["micro_f1"] + codes["weighted_f1"]


def test_few_groups_get_the_same_caveat_whatever_the_measure() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 540)
    a, b = (np.where(rng.random(540) < share, truth, 1 - truth) for share in (0.8, 0.85))
    how = {"groups": np.repeat(np.arange(27), 20), "test": "permutation", "n_resamples": 2_000, "rng": 1}
    accuracy = cw.compare(truth, a, b, measure="accuracy", **how)
    mean = cw.compare(None, (a == truth) * 1.0, (b == truth) * 1.0, measure="mean", **how)
    first, second = ([c.text.partition(", not 0.95.")[0] for c in r.caveats] for r in (accuracy, mean))
    assert first == second
    assert "Bootstrap intervals of 27 groups are too narrow" in str(accuracy)


def test_a_label_is_called_by_its_name() -> None:
    truth = [{"joy"}] * 30 + [{"grief"}] * 4 + [set()] * 30
    a = [{"joy"}] * 25 + [set()] * 39
    found = str(cw.compare_by_class(truth, a, truth, rng=1, n_resamples=2_000))
    assert "Class grief has only 4 items" in found
    assert "class 1" not in found


def test_the_margin_verdict_is_in_the_json() -> None:
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    found = json.loads(cw.compare(joint, measure="accuracy", rng=1).to_json(margin=0.05))["margin"]
    assert (found["margin"], found["shown"]) == (0.05, "equivalent")
    assert "equivalent up to the margin" in found["verdict"]
