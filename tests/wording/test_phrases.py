"""Numbers as words: digits follow the interval, and do not contradict each other."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics.intervals import Interval
from clearwin.wording.phrases import Digits


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


def test_a_rare_label_is_doubted_in_macro_and_not_in_micro_averages() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random((300, 3)) < [0.3, 0.02, 0.4]
    a, b = (truth ^ (rng.random(truth.shape) < share) for share in (0.1, 0.05))
    codes = {
        name: [c.code for c in cw.compare(truth, a, b, measure=name, rng=1, n_resamples=200).caveats]
        for name in ("macro_f1", "micro_f1", "weighted_f1")
    }
    assert "few_of_a_class" in codes["macro_f1"]
    assert "few_of_a_class" not in codes["micro_f1"] + codes["weighted_f1"]


def test_few_groups_are_doubted_alike_whatever_the_measure() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 540)
    a, b = (np.where(rng.random(540) < share, truth, 1 - truth) for share in (0.8, 0.85))
    how = {"groups": np.repeat(np.arange(27), 20), "test": "permutation", "n_resamples": 2_000, "rng": 1}
    accuracy = cw.compare(truth, a, b, measure="accuracy", **how)
    mean = cw.compare(None, (a == truth) * 1.0, (b == truth) * 1.0, measure="mean", **how)
    assert [c.text for c in accuracy.caveats] == [c.text for c in mean.caveats]
    assert "Bootstrap intervals of 27 groups are too narrow" in str(accuracy)


def test_a_label_is_called_by_its_name() -> None:
    truth = [{"joy"}] * 30 + [{"grief"}] * 4 + [set()] * 30
    a = [{"joy"}] * 25 + [set()] * 39
    found = str(cw.compare_by_class(truth, a, truth, rng=1, n_resamples=2_000))
    assert "only 4 of class grief" in found
    assert "class 1" not in found


def test_the_margin_verdict_is_in_the_json() -> None:
    import json

    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    found = json.loads(cw.compare(joint, measure="accuracy", rng=1).to_json(margin=0.05))["margin"]
    assert (found["margin"], found["shown"]) == (0.05, "equivalent")
    assert "equivalent up to the margin" in found["verdict"]
