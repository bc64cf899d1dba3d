"""Values with intervals, one under the other: estimates, differences against zero or a margin, ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clearwin.numerics.intervals import Interval
from clearwin.plots.drawing import (
    BLUE,
    GREY,
    LIGHT,
    PLAIN,
    SMALL,
    VERMILLION,
    few_ticks,
    legend,
    name_ticks,
    new_axes,
    quiet_frame,
    say,
    short_name,
    short_names,
    whole_numbers,
)
from clearwin.results.leaderboard import Leaderboard
from clearwin.wording.verdict import number, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_ROWS = 60
ROW_HEIGHT = 0.25  # inches
WIDTH = 6.8
PAIRED_NAME = 16  # letters
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Row:
    """A value with its interval, if it has one; a ``strong`` row is filled, the others are hollow.

    ``drawn`` is how the label is drawn, shortened unless given; ``pair`` are the two names that the label is made of.
    """

    label: str
    value: float
    interval: Interval | None
    strong: bool = True
    note: str = ""
    drawn: str = ""
    pair: tuple[str, str] | None = None


@dataclass(frozen=True)
class Key:
    """What is said above the rows of a forest: what a filled mark means, a hollow one if any, and the line through."""

    filled: str
    hollow: str
    line: str


def pair_row(name_a: str, name_b: str, difference: float, interval: Interval, strong: bool, p: str) -> Row:
    """Return the row of one pair of models."""
    note = f"{signed(difference)}, {p}"
    return Row(f"{name_b} − {name_a}", difference, interval, strong, note, pair=(name_b, name_a))


def forest_size(rows: int) -> tuple[float, float]:
    """Return width and height in inches, with a key of two lines above the rows."""
    return WIDTH, 1.2 + ROW_HEIGHT * (rows + 1)


def ends_of(interval: Interval) -> Ends:
    """Return the ends that say something; None where the interval is open to that side."""
    low = None if interval.side == "upper" or not math.isfinite(interval.low) else interval.low
    high = None if interval.side == "lower" or not math.isfinite(interval.high) else interval.high
    return low, high


def limits(values: Iterable[float | None]) -> tuple[float, float]:
    """Return where an axis should begin and end to show these values, with some room."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    room = 0.08 * (high - low) or 0.1 * abs(high) or 0.01
    return low - room, high + room


def draw_interval(ax: Axes, interval: Interval, y: float, colour: str, width: float = 2.0) -> None:
    """Draw an interval as a line with caps; an open side ends in an arrow at the edge of the axes."""
    left, right = ax.get_xlim()
    low, high = ends_of(interval)
    ax.plot(
        [left if low is None else low, right if high is None else high],
        [y, y],
        color=colour,
        linewidth=width,
        solid_capstyle="butt",
        zorder=4,
        gid="interval",
    )
    for end, edge, arrow in ((low, left, "<"), (high, right, ">")):
        marker: dict[str, Any] = {"marker": arrow, "markersize": 6} if end is None else {"marker": "|", "markersize": 9}
        ax.plot(
            [edge if end is None else end],
            [y],
            color=colour,
            linestyle="none",
            mew=1.6,
            zorder=4,
            clip_on=False,
            **marker,
        )


def draw_forest(
    rows: Sequence[Row],
    ax: Axes | None = None,
    *,
    x: str | Sequence[str],
    zero: float | None = None,
    margin: float | None = None,
    key: Key | None = None,
) -> Axes:
    """Draw the rows from top to bottom on the axes, or on those of a new figure, and return the axes.

    ``zero`` is a value to compare with, ``margin`` how far from it is still practically the same; ``key`` says what
    filled and hollow marks mean, and the lines.
    """
    ax = new_axes(forest_size(len(rows))) if ax is None else ax
    marks = [] if zero is None else [zero] if margin is None else [zero - margin, zero, zero + margin]
    bounds = [end for row in rows if row.interval is not None for end in ends_of(row.interval)]
    ax.set_xlim(*limits([*marks, *bounds, *(row.value for row in rows)]))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    draw_references(ax, zero, margin)
    for place, row in enumerate(rows):
        colour = BLUE if row.strong else GREY
        if row.interval is not None:
            draw_interval(ax, row.interval, place, colour)
        ax.plot(
            [row.value],
            [place],
            marker="s" if row.strong else "o",
            markersize=6.5,
            zorder=5,
            clip_on=False,
            color=colour,
            markerfacecolor=colour if row.strong else "white",
            mew=1.4,
        )
        # after the right edge, in the axes' own width
        ax.text(1.02, place, row.note, transform=ax.get_yaxis_transform(), va="center", fontsize=SMALL, **PLAIN)
    name_ticks(ax.yaxis, range(len(rows)), _labels(rows), fontsize=9)
    ax.tick_params(axis="y", length=0, pad=9)
    few_ticks(ax.xaxis)
    say(ax, x=x)
    quiet_frame(ax)
    if key is not None:
        _draw_key(ax, key)
    return ax


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return how the rows are called, different where their labels differ."""
    names = list(dict.fromkeys(name for row in rows for name in row.pair or ()))
    paired = dict(zip(names, short_names(names, PAIRED_NAME), strict=True))
    single = short_names([row.label for row in rows])
    return [
        row.drawn or (" − ".join(paired[name] for name in row.pair) if row.pair else label)
        for row, label in zip(rows, single, strict=True)
    ]


def draw_references(ax: Axes, zero: float | None, margin: float | None, top: float = 1.0) -> None:
    """Draw the line of no difference, and the stretch within the margin, up to this share of the height."""
    if zero is None:
        return
    if margin is not None:
        ax.axvspan(
            zero - margin,
            zero + margin,
            facecolor="#F2F2F2",
            edgecolor=LIGHT,
            hatch="///",
            linewidth=0,
            ymax=top,
            zorder=0,
        )
        for place in (zero - margin, zero + margin):
            ax.axvline(place, color=VERMILLION, linestyle=(0, (5, 1.5)), linewidth=1.3, ymax=top, zorder=1)
    ax.axvline(zero, color="black", linestyle=":", linewidth=1.3, ymax=top, zorder=1)


def _draw_key(ax: Axes, key: Key) -> None:
    from matplotlib.lines import Line2D

    filled = Line2D([], [], marker="s", linestyle="none", color=BLUE, markersize=6.5)
    hollow = Line2D([], [], marker="o", linestyle="none", color=GREY, markerfacecolor="white", mew=1.4, markersize=6.5)
    line = Line2D([], [], color=GREY, linewidth=2.0)
    said = [(filled, key.filled), (hollow, key.hollow), (line, key.line)]
    handles, labels = zip(*((handle, words) for handle, words in said if words), strict=True)
    legend(ax, handles, labels, "above", ncols=2, handlelength=1.4)


LETTER_STEP = 0.035  # of the width of the axes


def draw_standings(record: Leaderboard, ax: Axes | None = None) -> Axes:
    """Draw every model's place and the places it may have, the best on top; models that share a letter are tied."""
    models = record.models[:MOST_ROWS]
    ax = new_axes(forest_size(len(models))) if ax is None else ax
    for row, model in enumerate(models):
        places = [model.best_rank, model.worst_rank]
        ax.plot(places, [row, row], color=BLUE, linewidth=4.5, alpha=0.45, solid_capstyle="round", zorder=3)
        ax.plot([model.rank], [row], marker="s", color=BLUE, markersize=6.5, zorder=4)
        ax.text(1.02, row, number(model.estimate), transform=ax.get_yaxis_transform(), va="center", fontsize=SMALL)
    letters = sorted({letter for model in models for letter in model.letters})
    for column, letter in enumerate(letters):
        x = 1.15 + LETTER_STEP * column
        rows = [row for row, model in enumerate(models) if letter in model.letters]
        ax.plot(
            [x, x],
            [rows[0] - 0.3, rows[-1] + 0.3],
            transform=ax.get_yaxis_transform(),
            color="#C8C8C8",
            linewidth=6.5,
            clip_on=False,
            solid_capstyle="round",
            zorder=1,
        )
        for row in rows:
            ax.text(
                x,
                row,
                letter,
                transform=ax.get_yaxis_transform(),
                ha="center",
                va="center",
                fontsize=SMALL,
                bbox={"facecolor": "none", "edgecolor": "none", "pad": 3.5},
                **PLAIN,
            )
    last = max(model.worst_rank for model in models)
    ax.set(xlim=(0.5, last + 0.5), ylim=(len(models) - 0.4, -0.6))
    whole_numbers(ax.xaxis)
    name_ticks(ax.yaxis, range(len(models)), short_names([model.name for model in models]), fontsize=9)
    ax.tick_params(axis="y", length=0)
    say(ax, x=f"place by {short_name(record.measure_label, 40)}, and the places it may have")
    quiet_frame(ax)
    if letters:
        ax.text(1.15, -0.75, "tied", transform=ax.get_yaxis_transform(), va="bottom", fontsize=SMALL, color=GREY)
    return ax
