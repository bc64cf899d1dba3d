"""Values with intervals in rows, and in words: estimates, differences against zero or a margin, ranks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from clearwin.numerics.intervals import Interval
from clearwin.plots.drawing import (
    BLUE,
    GREY,
    LIGHT,
    PHONE,
    PLAIN,
    POINTS,
    SMALL,
    VERMILLION,
    Picture,
    few_ticks,
    is_narrow,
    legend,
    name_rows,
    new_axes,
    right_of,
    short_names,
    text_width,
    whole_numbers,
)
from clearwin.results.leaderboard import Standing
from clearwin.text import one_line
from clearwin.words.margins import interval_against_margin
from clearwin.words.phrases import Digits, interval_name, interval_text, name_list, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_ROWS = 60
ROW_HEIGHT = 0.25  # inches
WIDTH = 6.8
PAIRED_NAME = 16  # letters
ZERO_LINE: dict[str, Any] = {"color": "black", "linestyle": ":", "linewidth": 1.3}
MARGIN_LINE: dict[str, Any] = {"color": VERMILLION, "linestyle": (0, (5, 1.5)), "linewidth": 1.3}
LETTER_OR_NUMBER = re.compile(r"[a-zA-Z]|\(\d+\)")  # a group is a letter, or a number in parentheses
T = TypeVar("T")
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Row:
    """A value with its interval, if it has one; a ``strong`` row is filled, the others are hollow.

    ``drawn`` is the label as drawn, shortened by default; ``pair`` are the two names that make up the label.
    """

    label: str
    value: float
    interval: Interval | None
    strong: bool = True
    note: str = ""
    drawn: str = ""
    pair: tuple[str, str] | None = None


@dataclass(frozen=True)
class Marks:
    """The key above the rows of a forest: what filled and hollow marks and the line mean."""

    filled: str
    hollow: str
    line: str


def pair_row(name_a: str, name_b: str, difference: float, interval: Interval, strong: bool, p: str) -> Row:
    """Return the row of one pair of models."""
    note = f"{Digits.of_interval(interval, difference).signed(difference)}, {p}"
    return Row(f"{name_b} − {name_a}", difference, interval, strong, note, pair=(name_b, name_a))


def forest_size(rows: int) -> tuple[float, float]:
    """Return width and height in inches, with a key of two lines above the rows."""
    return WIDTH, 1.2 + ROW_HEIGHT * (rows + 1)


def narrow_size(rows: int) -> tuple[float, float]:
    """Return width and height in inches on a phone, with every name above its row."""
    return PHONE, 1.5 + 2.0 * ROW_HEIGHT * (rows + 1)


def first_rows(rows: Sequence[T], title: str, alt: str) -> tuple[Sequence[T], str, str]:
    """Return the rows to draw; if there are too many, the first ones, and title and words say so."""
    if len(rows) <= MOST_ROWS:
        return rows, title, alt
    more = f"the first {MOST_ROWS}"
    return rows[:MOST_ROWS], f"{title}, {more} of {len(rows):,}", f"{alt} Only {more} are drawn."


def ends_of(interval: Interval) -> Ends:
    """Return the finite ends of the interval; None for an open side."""
    low = None if interval.side == "upper" or not math.isfinite(interval.low) else interval.low
    high = None if interval.side == "lower" or not math.isfinite(interval.high) else interval.high
    return low, high


def axis_limits(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the limits of an axis that shows these values with some room."""
    finite = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    room = 0.08 * (high - low) or 0.1 * abs(high) or 0.01
    return low - room, high + room


def draw_interval(ax: Axes, interval: Interval, y: float, colour: str, width: float = 2.0) -> None:
    """Draw an interval as a line with caps; an open side ends in an arrow at the edge of the axes."""
    left, right = ax.get_xlim()
    low, high = ends_of(interval)
    ends = [left if low is None else low, right if high is None else high]
    ax.plot(ends, [y, y], color=colour, linewidth=width, solid_capstyle="butt", zorder=4, gid="interval")
    for end, edge, arrow in ((low, left, "<"), (high, right, ">")):
        at, marker, size = (edge, arrow, 6) if end is None else (end, "|", 9)
        look: dict[str, Any] = {"marker": marker, "markersize": size, "mew": 1.6, "zorder": 4}
        ax.plot([at], [y], color=colour, linestyle="none", clip_on=False, **look)


def draw_forest(
    rows: Sequence[Row],
    ax: Axes | None = None,
    *,
    x: str | Sequence[str],
    zero: float | None = None,
    margin: float | None = None,
    key: Marks | None = None,
) -> Axes:
    """Draw the rows from top to bottom on the axes, or on those of a new figure, and return the axes.

    ``zero`` is a value to compare with, ``margin`` how far from it is still practically the same; ``key`` says what
    filled and hollow marks mean, and the lines.
    """
    ax = new_axes(forest_size(len(rows))) if ax is None else ax
    marks = [] if zero is None else [zero] if margin is None else [zero - margin, zero, zero + margin]
    bounds = [end for row in rows if row.interval is not None for end in ends_of(row.interval)]
    ax.set_xlim(*axis_limits([*marks, *bounds, *(row.value for row in rows)]))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    draw_references(ax, zero, margin)
    for place, row in enumerate(rows):
        colour = BLUE if row.strong else GREY
        if row.interval is not None:
            draw_interval(ax, row.interval, place, colour)
        marker, inside = ("s", colour) if row.strong else ("o", "white")
        look: dict[str, Any] = {"color": colour, "markerfacecolor": inside, "mew": 1.4, "markersize": 6.5}
        ax.plot([row.value], [place], marker=marker, zorder=5, clip_on=False, **look)
    _name_and_note(ax, _labels(rows), [row.note for row in rows], x)
    few_ticks(ax.xaxis)
    if key is not None:
        _draw_key(ax, key)
    return ax


def _name_and_note(ax: Axes, names: Sequence[str], notes: Sequence[str], x: str | Sequence[str]) -> None:
    """Put names to the left of the rows and notes to the right.

    In a narrow figure names go above their rows, with notes at the other end, or below if both are too long.
    """
    narrow = is_narrow(ax)
    look: dict[str, Any] = {"fontsize": SMALL, **PLAIN}
    widest = max(text_width(f"{name}  {note}", SMALL) for name, note in zip(names, notes, strict=True))
    below = widest > POINTS * (PHONE - 0.3)
    for row, (name, note) in enumerate(zip(names, notes, strict=True)):
        if narrow:
            beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), **look}
            ax.text(0.0, row - 0.2, f" {name}", va="bottom", **beside)
            ax.text(1.0, row + (0.12 if below else -0.2), note, ha="right", va="top" if below else "bottom", **beside)
        else:
            ax.text(1.0, row, note, transform=right_of(ax, 2 * AFTER), va="center", **look)
    name_rows(ax, [""] * len(names) if narrow else names, x)
    ax.tick_params(axis="y", pad=0 if narrow else 9)
    if narrow:
        ax.set_ylim(len(names) - 0.6, -0.8)


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return the rows' names, different where their labels differ."""
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
        hatched: dict[str, Any] = {
            "facecolor": "#F2F2F2",
            "edgecolor": LIGHT,
            "hatch": "///",
            "linewidth": 0,
            "zorder": 0,
        }
        ax.axvspan(zero - margin, zero + margin, ymax=top, **hatched)
        for place in (zero - margin, zero + margin):
            ax.axvline(place, ymax=top, zorder=1, **MARGIN_LINE)
    ax.axvline(zero, ymax=top, zorder=1, **ZERO_LINE)


def _draw_key(ax: Axes, key: Marks) -> None:
    from matplotlib.lines import Line2D

    filled = Line2D([], [], marker="s", linestyle="none", color=BLUE, markersize=6.5)
    hollow = Line2D([], [], marker="o", linestyle="none", color=GREY, markerfacecolor="white", mew=1.4, markersize=6.5)
    line = Line2D([], [], color=GREY, linewidth=2.0)
    marks = [(filled, key.filled), (hollow, key.hollow), (line, key.line)]
    handles, labels = zip(*((handle, words) for handle, words in marks if words), strict=True)
    legend(ax, handles, labels, "above", ncols=2, handlelength=1.4)


AFTER = 6.0  # points between the axes and the notes to the right
LETTER = 11.0  # points from one letter to the next
SMALLEST_LETTER = 8.0  # points: in narrower columns only their bars are drawn
MOST_FOR_LETTERS = 0.3  # share of the width of the figure


def draw_standings(models: Sequence[Standing], ax: Axes, x: str) -> Axes:
    """Draw every model's rank and its range, the best on top; models that share a letter are tied."""
    values = [number(model.estimate) for model in models]
    for row, model in enumerate(models):
        places = [model.best_rank, model.worst_rank]
        ax.plot(places, [row, row], color=BLUE, linewidth=4.5, alpha=0.45, solid_capstyle="round", zorder=3)
        ax.plot([model.rank], [row], marker="s", color=BLUE, markersize=6.5, zorder=4)
    last = max(model.worst_rank for model in models)
    room = max(0.5, 0.03 * last)  # for half a mark
    ax.set(xlim=(1 - room, last + room), ylim=(len(models) - 0.4, -0.6))
    whole_numbers(ax.xaxis)
    names = short_names([model.name for model in models])
    if is_narrow(ax):
        _name_and_note(ax, names, [f"{v}  {model.letters}" for v, model in zip(values, models, strict=True)], x)
        return ax
    for row, value in enumerate(values):
        ax.text(1.0, row, value, va="center", fontsize=SMALL, transform=right_of(ax, AFTER))
    name_rows(ax, names, x)
    _draw_letters(models, ax, 2 * AFTER + max(text_width(value, SMALL) for value in values))
    return ax


def _draw_letters(models: Sequence[Standing], ax: Axes, start: float) -> None:
    """Draw the letters with a bar for each, this many points to the right of the axes.

    Groups that do not overlap share a column. If there are very many columns, only narrow bars are drawn, without
    letters.
    """
    columns = letter_columns([model.letters for model in models])
    if not columns:
        return
    step = min(
        LETTER, MOST_FOR_LETTERS * ax.figure.get_figure(root=True).bbox.width / ax.figure.dpi * POINTS / len(columns)
    )
    readable = step >= SMALLEST_LETTER
    bar: dict[str, Any] = {"color": "#C8C8C8", "linewidth": 0.6 * step, "solid_capstyle": "round", "zorder": 1}
    ax.text(1.0, -0.75, "group", va="bottom", fontsize=SMALL, color=GREY, transform=right_of(ax, start))
    for column, groups in enumerate(columns):
        at = right_of(ax, start + step * (column + 0.5))
        for letter, rows in groups.items():
            ends = [rows[0] - 0.3, rows[-1] + 0.3] if readable else [rows[0] - 0.15, rows[-1] + 0.15]
            ax.plot([1.0, 1.0], ends, transform=at, clip_on=False, gid="letter", **bar)
            for row in rows if readable else ():
                ax.text(1.0, row, letter, ha="center", va="center", fontsize=SMALL, transform=at, **PLAIN)


def letter_columns(letters: Sequence[str]) -> list[dict[str, list[int]]]:
    """Return columns of letters, each with its rows; letters in one column do not overlap.

    >>> letter_columns(["a", "ab", "b", "c"])
    [{'a': [0, 1], 'c': [3]}, {'b': [1, 2]}]
    """
    rows: dict[str, list[int]] = {}
    for row, word in enumerate(letters):
        for letter in LETTER_OR_NUMBER.findall(word):
            rows.setdefault(letter, []).append(row)
    columns: list[dict[str, list[int]]] = []
    for letter, mine in rows.items():
        free = (column for column in columns if max(rows[-1] for rows in column.values()) < mine[0])
        column = next(free, None)
        if column is None:
            columns.append(column := {})
        column[letter] = mine
    return columns


def pair_label(name_a: str, name_b: str) -> str:
    """Name the difference of two models."""
    return f"{one_line(name_b)} − {one_line(name_a)}"


def favours(name: str, higher_is_better: bool) -> str:
    """Say on which side of zero a model is better."""
    return f"Differences {'above' if higher_is_better else 'below'} 0 favour {one_line(name)}."


def with_interval(difference: float, interval: Interval) -> str:
    """Write a difference with its interval, and whether the interval includes 0."""
    zero = "includes 0" if 0.0 in interval else "excludes 0"
    write = Digits.of_interval(interval, difference).signed
    return f"{write(difference)}, {interval_name(interval)} {interval_text(interval, write)}, which {zero}"


def listed(rows: Sequence[Row], *, differences: bool = False, most: int = 8) -> str:
    """Write the first rows: label, value, interval."""
    words = []
    for row in rows:
        digits = Digits() if row.interval is None else Digits.of_interval(row.interval, row.value)
        write = digits.signed if differences else digits.number
        interval = "" if row.interval is None else f" ({interval_text(row.interval, write)})"
        words.append(f"{one_line(row.label)} {write(row.value)}{interval}")
    return name_list(words, most)


def against_margin(rows: Sequence[Row], margin: float) -> str:
    """Say where intervals of differences lie.

    >>> row = Row("B − A", 0.01, Interval(-0.005, 0.025, 0.95, "wald"))
    >>> against_margin([row], 0.02)
    'The interval lies above -0.02.'
    """
    intervals = [row.interval for row in rows if row.interval is not None]
    inside = [interval for interval in intervals if -margin < interval.low and interval.high < margin]
    if len(rows) > 1:
        return f"Within the margin of ±{margin:g} lie {len(inside)} of {len(rows)} intervals."
    [interval] = intervals
    return f"The interval {interval_against_margin(interval, margin)}."


def difference_picture(
    rows: Sequence[Row],
    name: str,
    x: tuple[str, ...],
    alt: str,
    margin: float | None,
    alpha: float,
    below: Row | None = None,
) -> Picture:
    """Return the picture of differences against zero, and against a margin if there is one; the largest on top.

    Marks say which are shown at ``alpha``, by a corrected p where there are several; intervals are not corrected. If
    there are very many rows, the first are drawn; ``below`` is the row for all items together.
    """
    several = len(rows) > 1
    interval = next(interval_name(row.interval) for row in rows if row.interval is not None)
    filled, line = f"shown at {alpha:g}", interval
    if several:
        filled, line = f"{filled}, p corrected", f"{line}, not corrected"
    key = Marks(filled, "not shown", line)
    alt += " The intervals are not corrected." if several else ""
    title = "Differences with their intervals" if several else "The difference with its interval"
    if margin is not None:
        title += " and the margin"
        x = (*x, f"[hatched: margin of ±{margin:g}]")
        alt += f" {against_margin(rows, margin)}"
    if len(rows) > MOST_ROWS:
        title += f", the {MOST_ROWS} of {len(rows):,} with the smallest p"
        alt += f" Only the {MOST_ROWS} with the smallest p are drawn."
    drawn = [*sorted(rows[:MOST_ROWS], key=lambda row: -row.value), *([below] if below else [])]
    return Picture(
        name,
        title,
        alt,
        lambda ax: draw_forest(drawn, ax, x=x, zero=0.0, margin=margin, key=key),
        forest_size(len(drawn)),
        narrow=narrow_size(len(drawn)),
    )


def value_picture(
    rows: list[Row], name: str, x: str | Sequence[str], title: str, alt: str, key: Marks, reference: float | None = None
) -> Picture:
    """Return the picture of values with their intervals; if there are very many, the first are drawn."""
    drawn, title, alt = first_rows(rows, title, alt)
    return Picture(
        name,
        title,
        alt,
        lambda ax: draw_forest(drawn, ax, x=x, zero=reference, key=key),
        forest_size(len(drawn)),
        narrow=narrow_size(len(drawn)),
    )
