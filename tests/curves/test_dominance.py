"""Where one curve lies above another, by fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from clearwin.curves.dominance import Stretch, crossings, dominance
from clearwin.curves.points import operating_points
from tests.curves.scored import exact_rates, heights, small_points


def exact_stretches(a, b):
    """Who is above where, from the vertical view and in fractions: between knots the difference is a line."""
    a, b = exact_rates(a), exact_rates(b)
    pieces = []
    for left, right in itertools.pairwise(sorted({x for x, _ in a + b})):
        # both heights are single-valued inside; a line through two inner points gives the ends
        inner = [left + (right - left) * Fraction(k, 3) for k in (1, 2)]
        one, two = (heights(a, x)[0] - heights(b, x)[0] for x in inner)
        start, end = 2 * one - two, 2 * two - one
        cuts = [left, left + (right - left) * start / (start - end), right] if start * end < 0 else [left, right]
        for x0, x1 in itertools.pairwise(cuts):
            middle = (x0 + x1) / 2
            lead = heights(a, middle)[0] - heights(b, middle)[0]
            who = "a" if lead > 0 else "b" if lead < 0 else "equal"
            if pieces and pieces[-1][2] == who:
                x0 = pieces.pop()[0]
            pieces.append((x0, x1, who))
    return pieces


def test_dominance_and_crossings_by_fractions():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth = rng.permutation(np.arange(n := int(rng.integers(2, 12))) < rng.integers(1, n))
        a = operating_points(truth, rng.integers(0, rng.integers(1, 9), n))
        # every second time another set of items, so that the steps are of other sizes
        b = small_points(seed) if seed % 2 else operating_points(truth, rng.integers(0, rng.integers(1, 9), n))
        found, expected = dominance(a, b), exact_stretches(a, b)
        assert [s.above for s in found.stretches] == [who for _, _, who in expected]
        for stretch, (start, end, _) in zip(found.stretches, expected, strict=True):
            assert (stretch.fpr_from, stretch.fpr_to) == pytest.approx((float(start), float(end)), abs=1e-13)
        sides = [(end, who) for _, end, who in expected if who != "equal"]
        crossed = [float(end) for (end, who), (_, other) in itertools.pairwise(sides) if who != other]
        assert crossings(a, b) == pytest.approx(crossed, abs=1e-13)
        winners = {who for _, who in sides}
        assert found.overall == ("neither" if len(winners) == 2 else "".join(winners) or "equal")
        assert (found.overall == "neither") == bool(crossed)
        back = dominance(b, a)
        assert [s.above for s in back.stretches] == [
            {"a": "b", "b": "a"}.get(s.above, s.above) for s in found.stretches
        ]
        assert crossings(b, a) == pytest.approx(crossings(a, b), abs=1e-13)


def points_through(*rates):
    """Operating points of 60 + 60 items through the given (fpr, tpr), one distinct score for each."""
    steps = np.diff(np.array([(0, 0), *rates, (1, 1)]), axis=0) * 60
    counts = np.rint(steps).astype(int)
    truth = np.concatenate([np.repeat([False, True], pair) for pair in counts])
    return operating_points(truth, -np.repeat(np.arange(len(counts)), counts.sum(axis=1)))


def test_dominance_of_hand_made_curves():
    diagonal, above = points_through(), points_through((0.5, 0.75))
    assert dominance(above, diagonal).stretches == (Stretch(0, 1, "a"),)
    assert dominance(above, above).stretches == (Stretch(0, 1, "equal"),)
    # touching the diagonal at (.5, .5) breaks nothing
    touching = points_through((0.25, 0.5), (0.5, 0.5), (0.75, 0.9))
    assert dominance(touching, diagonal).stretches == (Stretch(0, 1, "a"),)
    assert crossings(touching, diagonal) == ()
    # an S-shaped curve crosses the diagonal in the middle, at a knot or inside a step
    for middle in ([(0.5, 0.5)], []):
        s_shaped = points_through((0.25, 0.5), *middle, (0.75, 0.5))
        assert crossings(s_shaped, diagonal) == pytest.approx((0.5,), abs=1e-15)
        assert dominance(s_shaped, diagonal).overall == "neither"
    # together on a stretch, then one above: that one dominates
    partly = points_through((0.5, 0.5), (0.75, 0.9))
    assert [s.above for s in dominance(diagonal, partly).stretches] == ["equal", "b"]
    assert dominance(diagonal, partly).overall == "b"
    # sides changed over a common stretch: one crossing, where it begins
    common = points_through((0.1, 0.25), (0.25, 0.25), (0.75, 0.75), (0.9, 0.75))
    assert [s.above for s in dominance(common, diagonal).stretches] == ["a", "equal", "b"]
    assert crossings(common, diagonal) == pytest.approx((0.25,), abs=1e-15)


def test_overlapping_jumps_are_not_a_stretch():
    # at fpr .5 one jumps from .2 to .6, the other from .4 to .8: the second is above before and after
    low, high = points_through((0.5, 0.2), (0.5, 0.6)), points_through((0.5, 0.4), (0.5, 0.8))
    assert dominance(low, high).stretches == (Stretch(0, 1, "b"),)
