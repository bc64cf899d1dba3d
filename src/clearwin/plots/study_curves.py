"""Studies of tests: curves with their Monte-Carlo error, and the confidence of one test set beside what is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clearwin.plots.drawing import (
    BLUE,
    GREY,
    SERIES,
    VERMILLION,
    legend,
    name_ticks,
    new_axes,
    quiet_frame,
    say,
    short_names,
)
from clearwin.results.study import ConfidenceRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ERRORS_SHOWN = 2.0  # bars reach two standard errors to either side: about 95 %
BARS = f"± {ERRORS_SHOWN:g} Monte-Carlo standard errors"
MOST_LINES = len(SERIES)


@dataclass(frozen=True)
class Line:
    """What one test did: where, how often, and the Monte-Carlo standard errors."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    errors: tuple[float, ...]
    series: int = 0  # which colour, style and marker it has


def draw_lines(lines: Sequence[Line], ax: Axes | None = None, *, x: str, y: str, diagonal: bool = False) -> Axes:
    """Draw a line for each test, with bars of two Monte-Carlo errors; on the diagonal both axes are the same.

    The names stand above: the lines may go anywhere.
    """
    ax = new_axes((5.2, 4.4)) if ax is None else ax
    handles: list[Any] = []
    for line in lines[:MOST_LINES]:
        colour, style, marker = SERIES[line.series]
        bars = ax.errorbar(
            line.x,
            line.y,
            yerr=_reach(line.y, line.errors),
            color=colour,
            linestyle=style,
            marker=marker,
            markersize=5.5,
            linewidth=1.5,
            elinewidth=1.0,
            capsize=2.5,
            zorder=3,
        )
        handles.append(bars)
    labels = short_names([line.label for line in lines[:MOST_LINES]], 34)
    if diagonal:
        at = min(min(line.x) for line in lines)
        handles += ax.plot([at, 1], [at, 1], color=GREY, linestyle=":", linewidth=1.2, zorder=1)
        labels.append("as stated")
    else:
        ax.set_ylim(-0.02, 1.02)
    say(ax, x=(x, f"(bars: {BARS})"), y=y)
    quiet_frame(ax, "both")
    legend(ax, handles, labels, "above", ncols=2 if max(map(len, labels)) < 28 else 1)
    return ax


def _reach(shares: Sequence[float], errors: Sequence[float]) -> list[list[float]]:
    """Return how far the bars go down and up: two errors, but no share is below 0 or above 1."""
    both = list(zip(shares, errors, strict=True))
    down = [min(ERRORS_SHOWN * error, share) for share, error in both]
    return [down, [min(ERRORS_SHOWN * error, 1.0 - share) for share, error in both]]


def draw_confidence(rows: Sequence[ConfidenceRow], ax: Axes | None = None) -> Axes:
    """Draw keller2004's Table 3: the confidence on one test set beside how often its winner wins on other sets."""
    ax = new_axes((5.6, 1.4 + 0.3 * len(rows))) if ax is None else ax
    handles: list[Any] = []
    for place, row in enumerate(rows):
        assert row.value is not None
        assert row.confidence is not None  # rows without are not drawn
        ax.plot([row.confidence, row.value], [place, place], color=GREY, linewidth=1.0, zorder=1)
        reach = _reach([row.value], [row.error or 0.0])
        shown = ax.errorbar([row.value], [place], xerr=reach, color=BLUE, marker="s", capsize=2.5, zorder=3)
        told = ax.plot([row.confidence], [place], "o", color=VERMILLION, markerfacecolor="white", mew=1.6, zorder=4)
        handles = [*told, shown]
    ax.set_ylim(len(rows) - 0.5, -0.5)
    name_ticks(ax.yaxis, range(len(rows)), short_names([row.category_set for row in rows]), fontsize=9)
    ax.tick_params(axis="y", length=0)
    say(ax, x=("share in which the leader of the one test set is ahead", f"(bars: {BARS})"))
    quiet_frame(ax)
    labels = ["bootstrap confidence on the one test set", "sets drawn from the large set"]
    legend(ax, handles, labels, "above")
    return ax
