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
    legend,
    quiet_frame,
    say,
    short_name,
    short_names,
    whole_numbers,
)
from clearwin.plots.forest import MARGIN_LINE, ZERO_LINE, draw_interval, draw_references, ends_of, limits
from clearwin.results.base import Distribution
from clearwin.results.comparison import Comparison
from clearwin.results.folds import FoldComparison
from clearwin.words.folds import OF, empty_interval
from clearwin.words.phrases import Digits, interval_name, interval_text, p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_BARS = 60
REPLICATES = {"bootstrap": "bootstrap replicates", "posterior": "draws from the posterior of the counts"}
MOST_EXACT_BARS = 240  # an exact distribution can show every detail
HEADROOM = 0.66  # of the height is for bars, the rest for the legend
LEAST_SEEN = 1e-3  # of the highest bar; lower ones cannot be seen
TIE = 1e-9  # of the largest difference: rounding


def bars(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return heights and edges of at most 60 bars that hold all weight; 240 where weights are exact.

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
    known = np.unique(values)
    gaps = np.diff(known)
    gaps = gaps[gaps > tie]
    if known.size > 20 * MOST_BARS or not gaps.size:
        return None
    step = float(gaps.min())
    off = np.abs(gaps / step - np.rint(gaps / step))
    return step if off.max() < 1e-3 and gaps.sum() / step <= 20 * MOST_BARS else None


@dataclass(frozen=True)
class Seen:
    """The observed value with its interval, the label of its axis, and the margin for a difference."""

    value: float
    interval: Interval
    x: str | tuple[str, str]
    zero: float | None = None
    margin: float | None = None


def draw_replicates(found: Distribution, seen: Seen, ax: Axes) -> Axes:
    """Draw the histogram of bootstrap values, with the interval under it, and zero for a difference."""
    digits = Digits.of_interval(seen.interval, seen.value)
    write = digits.number if seen.zero is None else digits.signed
    heights, edges = bars(found.values, found.weights)
    beyond = [] if seen.margin is None else [-seen.margin, seen.margin]
    ax.set_xlim(*limits([*_room(edges), seen.value, seen.zero, *beyond, *ends_of(seen.interval)]))
    bars_drawn = ax.stairs(heights, edges, fill=True, facecolor=SKY, edgecolor=BLUE, linewidth=0.6, alpha=0.75)
    under = -0.07 * float(heights.max())
    draw_interval(ax, seen.interval, under, BLUE, width=3.0)
    [mark] = ax.plot([seen.value], [under], "D", color="white", markeredgecolor=BLUE, mew=1.6, markersize=6.5, zorder=6)
    bottom, top = 2 * under, float(heights.max()) / HEADROOM
    ax.set_ylim(bottom, top)
    draw_references(ax, seen.zero, seen.margin, (float(heights.max()) - bottom) / (top - bottom))
    _ticks_for_bars(ax, heights)
    told = f"observed {write(seen.value)}, {interval_name(seen.interval)} {interval_text(seen.interval, write)}"
    said: list[tuple[Any, str]] = [(bars_drawn, f"{found.values.size:,} {REPLICATES[found.kind]}"), (mark, told)]
    if seen.zero is not None:
        said.append((_line(ZERO_LINE), "no difference"))
    if seen.margin is not None:
        said.append((_line(MARGIN_LINE), f"margin of {seen.margin:g}"))
    _finish(ax, said)
    say(ax, x=seen.x, y="replicates")
    return ax


def draw_null(record: Comparison, found: Distribution, ax: Axes, x: tuple[str, str]) -> Axes:
    """Draw the differences under the null hypothesis, and the observed one among them."""
    heights, edges = bars(found.values, found.weights)
    outside, _ = np.histogram(found.values, bins=edges, weights=as_far_out(record, found))
    seen = np.flatnonzero(heights >= LEAST_SEEN * heights.max())
    ax.set_xlim(*limits([*_room(edges[seen[0] : seen[-1] + 2]), record.difference, 0.0]))
    everything = ax.stairs(heights, edges, fill=True, facecolor=LIGHT, edgecolor=GREY, linewidth=0.6)
    tails = ax.stairs(outside, edges, fill=True, facecolor="#F6C8A8", edgecolor=VERMILLION, hatch="////", linewidth=0.6)
    observed = ax.axvline(record.difference, color=BLUE, linewidth=2.0, ymax=HEADROOM, zorder=4)
    ax.set_ylim(0, float(heights.max()) / HEADROOM)
    _ticks_for_bars(ax, heights)
    said = [
        (everything, "differences if the null hypothesis holds"),
        (tails, f"as extreme as observed: {p_text(record)}"),
        (observed, f"observed {Digits.of(record).signed(record.difference)}"),
    ]
    _finish(ax, said)
    say(ax, x=x, y="draws" if found.weights is None else "probability")
    return ax


def _finish(ax: Axes, said: list[tuple[Any, str]], grid: str | None = None) -> None:
    handles, labels = zip(*said, strict=True)
    legend(ax, handles, labels, "upper left", frameon=False, handlelength=1.8)
    quiet_frame(ax, grid)


def _room(edges: Floats) -> tuple[float, float]:
    """Return between which values to draw: a single bar gets room around it."""
    beside = 4.0 * float(edges[1] - edges[0]) if edges.size == 2 else 0.0
    return float(edges[0]) - beside, float(edges[-1]) + beside


def as_far_out(record: Comparison, found: Distribution) -> Floats:
    """Return the share of each value's weight that is at least as extreme as the observed difference.

    A drawn value either is or is not, up to rounding. An exact distribution of very many values is kept in bins, one of
    which may be split. As p is known, bins are taken from the outside inwards until they weigh p, the last one in part.
    """
    out = _how_far_out(record, found.values)
    largest = float(np.abs(found.values).max(initial=abs(record.difference))) or 1.0
    if found.weights is None:
        [observed] = _how_far_out(record, np.array([record.difference]))
        return np.asarray(out >= observed - TIE * largest, dtype=np.float64)
    # both bins of a mirrored pair are equally far out, rounding forgiven
    _, level = np.unique(-np.rint(out / (TIE * largest)), return_inverse=True)
    weight = np.bincount(level, weights=found.weights)
    left = record.p_value * weight.sum() - (np.cumsum(weight) - weight)
    share = np.clip(left / np.where(weight > 0.0, weight, 1.0), 0.0, 1.0)
    return np.asarray(found.weights * share[level])


def _how_far_out(record: Comparison, values: Floats) -> Floats:
    """Return how extreme each difference is under the null hypothesis."""
    if record.claim == "different":
        return np.abs(values)
    upwards = (record.claim == "better") == record.higher_is_better
    return values if upwards else -values


def _line(how: dict[str, Any]) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **how)


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
    low, high = limits([*values, 0.0, *drawn, *beyond])
    ax.set_ylim(low, high + 0.45 * (high - low))  # the legend stands above
    dots: Any
    if one_by_one:
        folds = np.arange(values.size) + 1
        [dots] = ax.plot(folds, values, "o", color=BLUE, markersize=4.5, linestyle="none", zorder=4)
        ax.set_xlim(0.4, values.size + 0.6)
        whole_numbers(ax.xaxis)
    else:
        lying: dict[str, Any] = {"orientation": "horizontal", "fill": True}
        dots = ax.stairs(*bars(values, None), facecolor=SKY, edgecolor=BLUE, linewidth=0.6, **lying)
    say(ax, x="fold" if one_by_one else "folds", y=_fold_axis(record))
    said = [(dots, "one fold" if one_by_one else "number of folds")]
    mean = ax.axhline(record.difference, color=BLUE, linewidth=1.8, zorder=3)
    said.append((mean, f"mean {Digits.of(record).signed(record.difference)}"))
    said += _draw_band(record, ax)
    said.append((ax.axhline(0.0, zorder=2, **ZERO_LINE), "no difference"))
    margins = [ax.axhline(place, zorder=1, **MARGIN_LINE) for place in beyond]
    said += [(line, f"margin of {margin or 0.0:g}") for line in margins[1:]]
    _finish(ax, said, "y")
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
    what = f"difference in {short_name(record.measure_label, 20)}\n({b} − {a})"
    # the label is turned, so that an arrow to the right points up
    return "\n".join(better_side(what, b, record.higher_is_better))
