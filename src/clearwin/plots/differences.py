"""The difference of two models: its replicates (keller2004, Figure 1), its null distribution, and every fold's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Interval
from clearwin.plots.drawing import (
    BLUE,
    GREY,
    LIGHT,
    SKY,
    VERMILLION,
    better_side,
    few_ticks,
    label_axes,
    legend,
    quiet_frame,
    short_name,
    short_names,
    whole_numbers,
)
from clearwin.plots.forest import MARGIN_LINE, ZERO_LINE, axis_limits, draw_interval, draw_references, ends_of
from clearwin.results.base import Distribution
from clearwin.results.comparison import Comparison
from clearwin.results.folds import FoldComparison
from clearwin.words.folds import OF, empty_interval
from clearwin.words.phrases import Digits, interval_name, interval_text, p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_BARS = 60
REPLICATES = {"bootstrap": "bootstrap replicates", "posterior": "draws from the posterior of the counts"}
MOST_EXACT_BARS = 240  # an exact distribution has no noise, so its details can be shown
HEADROOM = 0.66  # share of the height for the bars; the rest is for the legend
LEAST_SEEN = 1e-3  # share of the highest bar; lower bars cannot be seen
TIE = 1e-9  # share of the largest difference that may be rounding


def bars(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the heights and edges of at most 60 bars, or 240 where weights are exact.

    Measures of few items take values on a lattice. Bars must hold equally many lattice points, or they would show a
    comb that is not in the data.
    """
    most = MOST_BARS if weights is None else MOST_EXACT_BARS
    weights = np.ones(values.size) if weights is None else weights
    low, high = float(values.min()), float(values.max())
    tie = TIE * max(abs(low), abs(high))
    if high - low <= tie:
        half = 0.005 * abs(high) or 0.005
        return np.array([float(weights.sum())]), np.array([low - half, high + half])
    step = _lattice_step(values, tie)
    if step is None:
        count = min(most, max(10, round(math.sqrt(values.size))))
        edges = np.linspace(low, high, count + 1)
    else:
        points = round((high - low) / step) + 1
        together = math.ceil(points / most)
        count = math.ceil(points / together)
        edges = np.linspace(low - step / 2, low - step / 2 + step * together * count, count + 1)
    return np.histogram(values, bins=edges, weights=weights)[0], edges


def _lattice_step(values: Floats, tie: float) -> float | None:
    """Return the distance of neighbouring values if all values lie on a lattice that is not much finer."""
    distinct = np.unique(values)
    gaps = np.diff(distinct)
    gaps = gaps[gaps > tie]
    if distinct.size > 20 * MOST_BARS or not gaps.size:
        return None
    step = float(gaps.min())
    off = np.abs(gaps / step - np.rint(gaps / step))
    return step if off.max() < 1e-3 and gaps.sum() / step <= 20 * MOST_BARS else None


@dataclass(frozen=True)
class ObservedValue:
    """The observed value with its interval, the label of its axis, and the margin for a difference."""

    value: float
    interval: Interval
    x: str | tuple[str, str]
    zero: float | None = None
    margin: float | None = None


def draw_replicates(replicates: Distribution, observed: ObservedValue, ax: Axes) -> Axes:
    """Draw the histogram of bootstrap values, with the interval under it, and zero for a difference."""
    digits = Digits.of_interval(observed.interval, observed.value)
    write = digits.number if observed.zero is None else digits.signed
    heights, edges = bars(replicates.values, replicates.weights)
    beyond = [] if observed.margin is None else [-observed.margin, observed.margin]
    ax.set_xlim(*axis_limits([*_room(edges), observed.value, observed.zero, *beyond, *ends_of(observed.interval)]))
    bars_drawn = ax.stairs(heights, edges, fill=True, facecolor=SKY, edgecolor=BLUE, linewidth=0.6, alpha=0.75)
    under = -0.07 * float(heights.max())
    draw_interval(ax, observed.interval, under, BLUE, width=3.0)
    diamond: dict[str, Any] = {"color": "white", "markeredgecolor": BLUE, "mew": 1.6, "markersize": 6.5}
    [mark] = ax.plot([observed.value], [under], "D", zorder=6, **diamond)
    bottom, top = 2 * under, float(heights.max()) / HEADROOM
    ax.set_ylim(bottom, top)
    draw_references(ax, observed.zero, observed.margin, (float(heights.max()) - bottom) / (top - bottom))
    _ticks_for_bars(ax, heights)
    interval = f"{interval_name(observed.interval)} {interval_text(observed.interval, write)}"
    key: list[tuple[Any, str]] = [
        (bars_drawn, f"{replicates.values.size:,} {REPLICATES[replicates.kind]}"),
        (mark, f"observed {write(observed.value)}, {interval}"),
    ]
    if observed.zero is not None:
        key.append((_line(ZERO_LINE), "no difference"))
    if observed.margin is not None:
        key.append((_line(MARGIN_LINE), f"margin of {observed.margin:g}"))
    _finish(ax, key)
    label_axes(ax, x=observed.x, y="replicates")
    return ax


def draw_null(record: Comparison, null: Distribution, ax: Axes, x: tuple[str, str]) -> Axes:
    """Draw the differences under the null hypothesis, and the observed one among them."""
    heights, edges = bars(null.values, null.weights)
    outside, _ = np.histogram(null.values, bins=edges, weights=weights_as_extreme(record, null))
    visible = np.flatnonzero(heights >= LEAST_SEEN * heights.max())
    ax.set_xlim(*axis_limits([*_room(edges[visible[0] : visible[-1] + 2]), record.difference, 0.0]))
    everything = ax.stairs(heights, edges, fill=True, facecolor=LIGHT, edgecolor=GREY, linewidth=0.6)
    tails = ax.stairs(outside, edges, fill=True, facecolor="#F6C8A8", edgecolor=VERMILLION, hatch="////", linewidth=0.6)
    line = ax.axvline(record.difference, color=BLUE, linewidth=2.0, ymax=HEADROOM, zorder=4)
    ax.set_ylim(0, float(heights.max()) / HEADROOM)
    _ticks_for_bars(ax, heights)
    key = [
        (everything, "differences if the null hypothesis holds"),
        (tails, f"as extreme as observed: {p_text(record)}"),
        (line, f"observed {Digits.of(record).signed(record.difference)}"),
    ]
    _finish(ax, key)
    label_axes(ax, x=x, y="draws" if null.weights is None else "probability")
    return ax


def _finish(ax: Axes, key: list[tuple[Any, str]], grid: str | None = None) -> None:
    handles, labels = zip(*key, strict=True)
    legend(ax, handles, labels, "upper left", frameon=False, handlelength=1.8)
    quiet_frame(ax, grid)


def _room(edges: Floats) -> tuple[float, float]:
    """Return between which values to draw: a single bar gets room around it."""
    beside = 4.0 * float(edges[1] - edges[0]) if edges.size == 2 else 0.0
    return float(edges[0]) - beside, float(edges[-1]) + beside


def weights_as_extreme(record: Comparison, null: Distribution) -> Floats:
    """Return the share of each value's weight that is at least as extreme as the observed difference.

    A drawn value counts whole or not at all, up to rounding. An exact distribution of very many values is binned, and
    the observed value may lie inside a bin. Because p is known, bins are taken from the outside inwards until their
    weights sum to p, and the last one counts in part.
    """
    out = _extremeness(record, null.values)
    largest = float(np.abs(null.values).max(initial=abs(record.difference))) or 1.0
    if null.weights is None:
        [observed] = _extremeness(record, np.array([record.difference]))
        return np.asarray(out >= observed - TIE * largest, dtype=np.float64)
    # The two bins of a mirrored pair are equally extreme, up to rounding.
    _, level = np.unique(-np.rint(out / (TIE * largest)), return_inverse=True)
    weight = np.bincount(level, weights=null.weights)
    unassigned = record.p_value * weight.sum() - (np.cumsum(weight) - weight)
    share = np.clip(unassigned / np.where(weight > 0.0, weight, 1.0), 0.0, 1.0)
    return np.asarray(null.weights * share[level])


def _extremeness(record: Comparison, values: Floats) -> Floats:
    """Return how far each difference lies in the direction of the claim."""
    if record.claim == "different":
        return np.abs(values)
    upwards = (record.claim == "better") == record.higher_is_better
    return values if upwards else -values


def _line(style: dict[str, Any]) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def _ticks_for_bars(ax: Axes, heights: Floats) -> None:
    """Put ticks where there are bars, not below zero or beside the legend, with room between the numbers."""
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.1 * heights.max()])
    few_ticks(ax.xaxis)


MOST_DOTS = 300


def draw_folds(record: FoldComparison, ax: Axes, margin: float | None) -> Axes:
    """Draw the differences fold by fold, or as bars from 300 folds on, with their mean, the interval and zero."""
    values, one_by_one = np.array(record.differences), len(record.differences) <= MOST_DOTS
    drawn = () if empty_interval(record) else ends_of(record.interval)
    beyond = [] if margin is None else [-margin, margin]
    low, high = axis_limits([*values, 0.0, *drawn, *beyond])
    ax.set_ylim(low, high + 0.45 * (high - low))  # room for the legend
    dots: Any
    if one_by_one:
        folds = np.arange(values.size) + 1
        [dots] = ax.plot(folds, values, "o", color=BLUE, markersize=4.5, linestyle="none", zorder=4)
        ax.set_xlim(0.4, values.size + 0.6)
        whole_numbers(ax.xaxis)
    else:
        lying: dict[str, Any] = {"orientation": "horizontal", "fill": True}
        dots = ax.stairs(*bars(values, None), facecolor=SKY, edgecolor=BLUE, linewidth=0.6, **lying)
    label_axes(ax, x="fold" if one_by_one else "folds", y=_fold_axis(record))
    key = [(dots, "one fold" if one_by_one else "number of folds")]
    mean = ax.axhline(record.difference, color=BLUE, linewidth=1.8, zorder=3)
    key.append((mean, f"mean {Digits.of(record).signed(record.difference)}"))
    key += _draw_band(record, ax)
    key.append((ax.axhline(0.0, zorder=2, **ZERO_LINE), "no difference"))
    margins = [ax.axhline(place, zorder=1, **MARGIN_LINE) for place in beyond]
    key += [(line, f"margin of {margin or 0.0:g}") for line in margins[1:]]
    _finish(ax, key, "y")
    return ax


def _draw_band(record: FoldComparison, ax: Axes) -> list[tuple[Any, str]]:
    """Shade the interval; an open side reaches to the edge of the axes."""
    if empty_interval(record):
        return []
    low, high = ends_of(record.interval)
    bottom, top = ax.get_ylim()
    ends = bottom if low is None else low, top if high is None else high
    words = (
        interval_text(record.interval, Digits.of(record).signed) if (low, high) != (None, None) else "without bounds"
    )
    band = ax.axhspan(*ends, color=SKY, alpha=0.3, linewidth=0, zorder=1)
    return [(band, f"{interval_name(record.interval)}{OF.get(record.judged, '')} {words}")]


def _fold_axis(record: FoldComparison) -> str:
    b, a = short_names((record.name_b, record.name_a), 16)
    difference = f"difference in {short_name(record.measure_label, 20)}\n({b} − {a})"
    # The label is rotated, so an arrow to the right points up.
    return "\n".join(better_side(difference, b, record.higher_is_better))
