"""Pictures of a difference: replicates, null distribution, folds; the numbers are in the picture."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics.intervals import Interval
from clearwin.plots import pictures
from clearwin.plots.differences import bars, weights_as_extreme
from clearwin.plots.forest import ends_of
from tests.plots.made import FEW, RNG, TRUTH, A, decisions, drawn, interval_line


def steps(ax, which=0):
    data = ax.patches[which].get_data()
    return data.values, data.edges


def test_bars_hold_all_replicates_and_the_interval_ends_where_it_should(made):
    for key, value in (("bootstrap", "difference"), ("estimate by bootstrap", "estimate")):
        r = made[key]
        ax = r.plot()
        heights, edges = steps(ax)
        assert heights.sum() == r.distribution.values.size == 300
        np.testing.assert_array_equal(heights, np.histogram(r.distribution.values, edges)[0])
        assert tuple(interval_line(ax).get_xdata()) == (r.interval.low, r.interval.high)
        mark = next(line for line in ax.get_lines() if line.get_marker() == "D")
        assert mark.get_xdata()[0] == getattr(r, value)
        zeros = [line for line in ax.get_lines() if list(line.get_xdata()) == [0, 0]]
        assert len(zeros) == (key == "bootstrap")


def test_an_open_side_reaches_the_edge_with_an_arrow(made):
    r = made["one-sided"]
    ax = r.plot()
    assert tuple(interval_line(ax).get_xdata()) == (r.interval.low, ax.get_xlim()[1])
    assert [line.get_marker() for line in ax.get_lines() if line.get_marker() in "<>"] == [">"]
    assert ends_of(Interval(-np.inf, 0.5, 0.95, "t")) == (None, 0.5)


def test_the_null_distribution_holds_all_probability_and_its_tails_are_the_p_value(made):
    for key in ("permutation", "sampled", "one-sided permutation"):
        r = made[key]
        ax = r.plot()
        (everything, _), (tails, _) = steps(ax, 0), steps(ax, 1)
        total = 1.0 if r.distribution.weights is not None else 300
        assert everything.sum() == pytest.approx(total)
        # of a sampled one the observed arrangement counts, too (+1 in numerator and denominator)
        expected = r.p_value if total == 1.0 else (r.p_value * 301 - 1) / 300
        assert tails.sum() / total == pytest.approx(expected, rel=1e-4)
        observed = [line for line in ax.get_lines() if list(line.get_xdata()) == [r.difference] * 2]
        assert len(observed) == 1


def test_the_shaded_part_of_an_exact_null_distribution_is_p():
    rng = np.random.default_rng(5)
    shown = 0
    for n in (20, 45, 140):
        truth = rng.integers(0, 2, n)
        a, b = (np.where(rng.random(n) < share, truth, 1 - truth) for share in (0.6, 0.85))
        for measure, claim in itertools.product(
            ("f1", "mcc", "accuracy", "error_rate"), ("different", "better", "worse")
        ):
            r = cw.compare(truth, a, b, measure=measure, claim=claim, test="permutation", n_resamples=50, rng=1)
            assert r.distribution.weights is not None
            ax = r.plot()
            (everything, _), (tails, _) = (steps(ax, which) for which in (0, 1))
            assert everything.sum() == pytest.approx(1.0)
            assert tails.sum() == pytest.approx(r.p_value, rel=1e-4), (n, measure, claim)
            assert (tails <= everything + 1e-9).all()
            shown += 1
    assert shown == 36


def test_the_shaded_part_lies_outside_the_observed_difference():
    values = cw.compare(
        None, *np.random.default_rng(1).integers(0, 500, (2, 60)) / 10, measure="mean", test="permutation"
    )
    for r in (decisions(test="permutation"), decisions(test="permutation", claim="better"), values):
        assert r.distribution.weights is not None
        bin_width = r.distribution.values[1] - r.distribution.values[0]
        shaded = weights_as_extreme(r, r.distribution)
        out = np.abs(r.distribution.values) if r.claim == "different" else r.distribution.values
        observed = abs(r.difference)
        assert (shaded[out < observed - bin_width] == 0).all()
        outside = out > observed + bin_width
        assert shaded[outside] == pytest.approx(r.distribution.weights[outside])


def test_bars_of_a_lattice_hold_equally_many_points():
    values = RNG.integers(-70, 71, 5000) / 1500
    heights, edges = bars(values, None)
    assert heights.sum() == 5000
    assert heights.size <= 60
    points = np.histogram(np.arange(-70, 71) / 1500, edges)[0]
    assert set(points[:-1]) == {3}
    assert bars(np.zeros(7), None)[0].tolist() == [7.0]
    heights, _ = bars(np.array([-1.0, 0.0, 1.0]), np.array([0.25, 0.5, 0.25]))
    assert heights[heights > 0].tolist() == [0.25, 0.5, 0.25]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_any_scale_is_drawn(scale):
    a, b = RNG.normal(size=(2, 30)) * scale
    for test in ("bootstrap", "permutation"):
        r = cw.compare(None, a, b, measure="mean", test=test, **FEW)
        heights, _ = steps(r.plot())
        assert heights.sum() == pytest.approx(300)
        [(box, _)] = [(text.get_window_extent(), text) for text in drawn(r.plot()).get_legend().get_texts()][1:2]
        assert box.x1 < r.plot().figure.bbox.x1 * 1.01


def test_identical_models_are_drawn():
    for test in ("bootstrap", "permutation", "mcnemar"):
        cw.compare(TRUTH, A, A, measure="accuracy", test=test, **FEW).plot().figure.draw_without_rendering()


def test_folds_are_dots_with_mean_and_interval(made):
    r = made["folds"]
    ax = r.plot(margin=0.03)
    dots = next(line for line in ax.get_lines() if line.get_marker() == "o")
    assert dots.get_ydata() == pytest.approx(r.differences)
    heights = [line.get_ydata()[0] for line in ax.get_lines() if line.get_marker() != "o"]
    assert heights == pytest.approx([r.difference, 0.0, -0.03, 0.03])
    [band] = ax.patches
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx((r.interval.low, r.interval.high))
    counts, _ = steps(made["many folds"].plot())
    assert counts.sum() == 400


def test_folds_without_an_interval_show_none():
    # the combined F test rejects every difference: all rounds far apart from each other in both folds
    a = np.zeros((5, 2))
    b = np.array([[1.0, 1.0001], [-1.0, -1.0001], [1.0, 1.0001], [-1.0, -1.0001], [1.0, 1.0001]])
    r = cw.compare_folds(a, b, design="5x2", test="5x2cv_f")
    assert "empty" in str(r)
    assert not r.plot().patches
    assert "interval" not in pictures(r)[0].alt
