"""The difference of two models: its replicates (keller2004, Figure 1), what chance makes, and every fold's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.numerics.arrays import Floats
from clearwin.plots.drawing import (
    BLUE,
    GREY,
    LIGHT,
    SKY,
    VERMILLION,
    better_side,
    few_ticks,
    legend,
    new_axes,
    quiet_frame,
    say,
    short_name,
    short_names,
    value_axis,
    whole_numbers,
)
from clearwin.plots.forest import draw_interval, draw_references, ends_of, limits
from clearwin.results.base import Distribution
from clearwin.results.comparison import Comparison, Estimate
from clearwin.results.folds import FoldComparison
from clearwin.wording.folds import OF, empty_interval
from clearwin.wording.verdict import interval_name, interval_text, number, p_text, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_BARS = 60
REPLICATES = {"bootstrap": "bootstrap replicates", "posterior": "draws of what the counts leave possible"}
MOST_EXACT_BARS = 240  # an exact distribution is known to every detail
HEADROOM = 0.66  # of the height is for bars, the rest for the legend
LEAST_SEEN = 1e-3  # of the highest bar; lower ones cannot be seen
TIE = 1e-9  # of the largest difference: rounding


def bars(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return heights and edges of at most 60 bars that hold all weight; 240 where weights are exact.

    Measures of few items take values on a lattice. Bars that each hold as many lattice points are even; others would
    show a comb that is not in the data.
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
    """Return the distance of neighbouring values if all values lie on a lattice that is not much finer than they."""
    known = np.unique(values)
    gaps = np.diff(known)
    gaps = gaps[gaps > tie]
    if known.size > 20 * MOST_BARS or not gaps.size:
        return None
    step = float(gaps.min())
    off = np.abs(gaps / step - np.rint(gaps / step))
    return step if off.max() < 1e-3 and gaps.sum() / step <= 20 * MOST_BARS else None


def draw_replicates(record: Comparison | Estimate, ax: Axes | None = None, *, margin: float | None = None) -> Axes:
    """Draw how often the bootstrap gave which value, with the interval under it, and zero for a difference."""
    ax = new_axes((5.6, 3.6)) if ax is None else ax
    found = _distribution(record)
    of_two = isinstance(record, Comparison)
    value = record.difference if isinstance(record, Comparison) else record.estimate
    write = signed if of_two else number
    heights, edges = bars(found.values, found.weights)
    zero = [0.0] if of_two else []
    beyond = [] if margin is None else [-margin, margin]
    ax.set_xlim(*limits([*_room(edges), value, *zero, *beyond, *ends_of(record.interval)]))
    bars_drawn = ax.stairs(heights, edges, fill=True, facecolor=SKY, edgecolor=BLUE, linewidth=0.6, alpha=0.75)
    under = -0.07 * float(heights.max())
    draw_interval(ax, record.interval, under, BLUE, width=3.0)
    [mark] = ax.plot([value], [under], "D", color="white", markeredgecolor=BLUE, mew=1.6, markersize=6.5, zorder=6)
    bottom, top = 2 * under, float(heights.max()) / HEADROOM
    ax.set_ylim(bottom, top)
    draw_references(ax, 0.0 if of_two else None, margin, (float(heights.max()) - bottom) / (top - bottom))
    _ticks_for_bars(ax, heights)
    told = f"observed {write(value)}, {interval_name(record.interval)} {interval_text(record.interval, write)}"
    labels = [f"{found.values.size:,} {REPLICATES[found.kind]}", told]
    handles: list[Any] = [bars_drawn, mark]
    if of_two:
        handles.append(_line(":", "black"))
        labels.append("no difference")
    if margin is not None:
        handles.append(_line((0, (5, 1.5)), VERMILLION))
        labels.append(f"margin of {number(margin)}")
    legend(ax, handles, labels, "upper left", frameon=False, handlelength=1.8)
    say(ax, x=_axis(record), y="replicates")
    quiet_frame(ax, None)
    return ax


def draw_null(record: Comparison, ax: Axes | None = None) -> Axes:
    """Draw which differences chance makes if the null hypothesis holds, and the observed one among them."""
    ax = new_axes((5.6, 3.6)) if ax is None else ax
    found = _distribution(record)
    heights, edges = bars(found.values, found.weights)
    outside, _ = np.histogram(found.values, bins=edges, weights=as_far_out(record, found))
    seen = np.flatnonzero(heights >= LEAST_SEEN * heights.max())
    ax.set_xlim(*limits([*_room(edges[seen[0] : seen[-1] + 2]), record.difference, 0.0]))
    everything = ax.stairs(heights, edges, fill=True, facecolor=LIGHT, edgecolor=GREY, linewidth=0.6)
    tails = ax.stairs(outside, edges, fill=True, facecolor="#F6C8A8", edgecolor=VERMILLION, hatch="////", linewidth=0.6)
    observed = ax.axvline(record.difference, color=BLUE, linewidth=2.0, ymax=HEADROOM, zorder=4)
    handles: list[Any] = [everything, tails, observed]
    labels = [
        "differences if the null hypothesis holds",
        f"as far out as observed: {p_text(record)}",
        f"observed {signed(record.difference)}",
    ]
    ax.set_ylim(0, float(heights.max()) / HEADROOM)
    _ticks_for_bars(ax, heights)
    legend(ax, handles, labels, "upper left", frameon=False, handlelength=1.8)
    say(ax, x=_axis(record), y="arrangements" if found.weights is None else "probability")
    quiet_frame(ax, None)
    return ax


def _room(edges: Floats) -> tuple[float, float]:
    """Return between which values to draw: a single bar gets room around it."""
    beside = 4.0 * float(edges[1] - edges[0]) if edges.size == 2 else 0.0
    return float(edges[0]) - beside, float(edges[-1]) + beside


def _distribution(record: Comparison | Estimate) -> Distribution:
    assert record.distribution is not None  # the caller looks first
    return record.distribution


def as_far_out(record: Comparison, found: Distribution) -> Floats:
    """Return how much of each value's weight speaks as much against the null hypothesis as what was observed.

    Draws do or do not, rounding forgiven. An exact distribution of very many values is kept in bins, and the border may
    run through one; but p is known, and is the weight of what lies furthest out: so bins are taken from the outside
    inwards until they weigh p, the last one in part.
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
    """Return how much each difference speaks against the null hypothesis."""
    if record.claim == "different":
        return np.abs(values)
    upwards = (record.claim == "better") == record.higher_is_better
    return values if upwards else -values


def _axis(record: Comparison | Estimate) -> str | tuple[str, str]:
    label = short_name(record.measure_label, 40)
    if isinstance(record, Estimate):
        return value_axis(f"{label} of {short_name(record.name)}", record.higher_is_better)
    b, a = short_names((record.name_b, record.name_a))
    return better_side(f"difference in {label} ({b} − {a})", b, record.higher_is_better)


def _line(style: Any, colour: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linestyle=style, linewidth=1.3)


def _ticks_for_bars(ax: Axes, heights: Floats) -> None:
    """Put ticks where there are bars, not below zero or beside the legend; numbers across with room between."""
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.1 * heights.max()])
    few_ticks(ax.xaxis)


MOST_DOTS = 300


def draw_folds(record: FoldComparison, ax: Axes | None = None, *, margin: float | None = None) -> Axes:
    """Draw the differences fold by fold, or as bars from 300 folds on, with their mean, the interval and zero."""
    ax = new_axes((5.6, 3.6)) if ax is None else ax
    values = np.array(record.differences)
    drawn = () if empty_interval(record) else ends_of(record.interval)
    beyond = [] if margin is None else [-margin, margin]
    low, high = limits([*values, 0.0, *drawn, *beyond])
    ax.set_ylim(low, high + 0.45 * (high - low))  # the legend stands above
    dots: Any
    if values.size <= MOST_DOTS:
        [dots] = ax.plot(
            np.arange(values.size) + 1, values, "o", color=BLUE, markersize=4.5, linestyle="none", zorder=4
        )
        ax.set_xlim(0.4, values.size + 0.6)
        whole_numbers(ax.xaxis)
        say(ax, x="fold", y=_fold_axis(record))
    else:
        heights, edges = bars(values, None)
        dots = ax.stairs(
            heights, edges, orientation="horizontal", fill=True, facecolor=SKY, edgecolor=BLUE, linewidth=0.6
        )
        say(ax, x="folds", y=_fold_axis(record))
    handles = [dots, ax.axhline(record.difference, color=BLUE, linewidth=1.8, zorder=3)]
    labels = ["one fold" if values.size <= MOST_DOTS else "number of folds", f"mean {signed(record.difference)}"]
    _draw_band(record, ax, handles, labels)
    handles.append(ax.axhline(0.0, color="black", linestyle=":", linewidth=1.3, zorder=2))
    labels.append("no difference")
    for place in beyond:
        line = ax.axhline(place, color=VERMILLION, linestyle=(0, (5, 1.5)), linewidth=1.3, zorder=1)
    if margin is not None:
        handles.append(line)
        labels.append(f"margin of {number(margin)}")
    legend(ax, handles, labels, "upper left", frameon=False, handlelength=1.8, ncols=1)
    quiet_frame(ax, "y")
    return ax


def _draw_band(record: FoldComparison, ax: Axes, handles: list[Any], labels: list[str]) -> None:
    """Shade the interval; an open side reaches to the edge of the axes."""
    if empty_interval(record):
        return
    low, high = ends_of(record.interval)
    bottom, top = ax.get_ylim()
    ends = bottom if low is None else low, top if high is None else high
    handles.append(ax.axhspan(*ends, color=SKY, alpha=0.3, linewidth=0, zorder=1))
    words = interval_text(record.interval, signed) if (low, high) != (None, None) else "without bounds"
    labels.append(f"{interval_name(record.interval)}{OF.get(record.judged, '')} {words}")


def _fold_axis(record: FoldComparison) -> str:
    b, a = short_names((record.name_b, record.name_a), 16)
    # the label is turned, so that an arrow to the right points up
    first, second = better_side(
        f"difference in {short_name(record.measure_label, 20)}\n({b} − {a})", b, record.higher_is_better
    )
    return f"{first}\n{second}"
