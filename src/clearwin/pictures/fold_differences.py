"""The difference in every fold, their mean, and the interval that the test gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.fold_words import OF, empty_interval
from clearwin.folds import FoldComparison
from clearwin.pictures.differences import bars
from clearwin.pictures.drawing import (
    BLUE,
    SKY,
    VERMILLION,
    better_side,
    legend,
    new_axes,
    quiet_frame,
    say,
    short_name,
    short_names,
    whole_numbers,
)
from clearwin.pictures.forest import ends_of, limits
from clearwin.verdict import interval_name, interval_text, number, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        say(ax, x="fold", y=_axis(record))
    else:
        heights, edges = bars(values, None)
        dots = ax.stairs(
            heights, edges, orientation="horizontal", fill=True, facecolor=SKY, edgecolor=BLUE, linewidth=0.6
        )
        say(ax, x="folds", y=_axis(record))
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


def _axis(record: FoldComparison) -> str:
    b, a = short_names((record.name_b, record.name_a), 16)
    # the label is turned, so that an arrow to the right points up
    first, second = better_side(f"difference in {short_name(record.measure_label, 20)}\n({b} − {a})", b,
                                record.higher_is_better)  # fmt: skip
    return f"{first}\n{second}"
