"""The picture of a plan holds its curve, what was asked for, and the range that the pilot leaves."""

import clearwin as cw
from clearwin.plots import pictures


def test_power_against_items_with_the_range():
    pilot = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    found = cw.plan(pilot, difference=0.08, n_resamples=500, rng=1)
    ax = found.plot()
    line = ax.containers[0].lines[0]
    assert list(line.get_xdata()) == [one.items for one in found.curve]
    assert list(line.get_ydata()) == [one.power for one in found.curve]
    span = ax.patches[0]
    assert (span.get_x(), span.get_x() + span.get_width()) == (found.spread.low, found.spread.high)
    [picture] = pictures(found)
    assert f"{found.items:,} items" in picture.alt
    assert f"{found.spread.low:,} to {found.spread.high:,}" in picture.alt


def test_without_a_pilot_nothing_is_shaded():
    ax = cw.plan(measure="accuracy", difference=0.05, disagreement=0.2).plot()
    assert not ax.patches
