"""Pictures of a study of tests, and of the experiment of keller2004: Figure 1, Table 3, power, size, calibration."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.measures import find
from clearwin.numerics.intervals import Interval
from clearwin.plots.drawing import (
    BLUE,
    GREY,
    SERIES,
    STYLES,
    VERMILLION,
    Picture,
    better_side,
    label_axes,
    legend,
    name_rows,
    pictures_of,
    quiet_frame,
    short_name,
    short_names,
)
from clearwin.plots.forest import Marks, Row, favours, first_rows, value_picture
from clearwin.results.keller2004 import Experiment
from clearwin.results.study import ConfidenceRow, Study
from clearwin.text import one_line
from clearwin.words.keller2004 import symbol
from clearwin.words.phrases import name_list, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ERRORS_SHOWN = 2.0  # error bars reach two standard errors to either side, about 95 %
BARS = f"± {ERRORS_SHOWN:g} Monte-Carlo standard errors"
MOST_LINES = len(SERIES)
# The true difference is fixed. If it is large, the winner is nearly always right, whatever the stated confidence.
NOT_ON_THE_DIAGONAL = " These shares need not match the stated confidence."
BARS_IN_WORDS = f" Bars reach {ERRORS_SHOWN:g} Monte-Carlo standard errors to either side."
LEVEL = 0.05  # the alpha to draw; if it was not studied, the nearest one


@pictures_of.register
def _pictures_of_study(r: Study, margin: float | None) -> list[Picture]:
    """Return power, calibration, coverage, size and confidence, where the study has rows for them."""
    alpha = min(r.alphas, key=lambda alpha: abs(alpha - LEVEL))
    power = [row for row in r.power if row.alpha == alpha]
    winner = [point for point in r.calibration if point.kind == "winner"]
    level = [point for point in r.calibration if point.kind == "level"]
    pictures = []
    if power:
        title = f"Power at {alpha:g} by the size of the test set"
        axes = ("items in a test set", f"share that finds the difference at {alpha:g}")
        if r.unit == "group":
            axes = ("items in a test set of whole groups, on average", axes[1])
        pictures.append(_curves("power", title, _lines(r, power, "test_size"), axes))
    if winner:
        title = "How often the named winner is the true one, by the confidence stated"
        axes = ("confidence in the named winner (mean of a bin)", "share in which it is the true winner")
        pictures.append(_curves("calibration", title, _lines(r, winner, "stated"), axes, note=NOT_ON_THE_DIAGONAL))
    if level:
        title = "How often intervals cover the true difference, by their level"
        axes = ("level of the interval", "share that covers the true difference")
        pictures.append(_curves("coverage", title, _lines(r, level, "stated"), axes, diagonal=True))
    return [*pictures, *_size(r, alpha), *confidence_picture(r.confidence)]


def _lines(r: Study, rows: Sequence[Any], x: str) -> list[Line]:
    """Return a line for each test and category set; it looks the same in every picture of the study."""
    several = len(r.confidence) > 1
    keys = [(row.category_set, test.name) for row in r.confidence for test in r.tests]
    lines = []
    for number, (category_set, test) in enumerate(keys):
        mine = [row for row in rows if (row.category_set, row.test) == (category_set, test)]
        if mine:
            mine.sort(key=lambda row: getattr(row, x))
            at, values, errors = zip(*((float(getattr(row, x)), row.value, row.error) for row in mine), strict=True)
            label = f"{test}, {category_set}" if several else test
            lines.append(Line(label, at, values, errors, number % MOST_LINES))
    return lines


def _curves(
    name: str, title: str, lines: list[Line], axes: tuple[str, str], *, diagonal: bool = False, note: str = ""
) -> Picture:
    words = []
    for line in lines:
        points = ", ".join(f"{value:.3f} at {at:.4g}" for at, value in zip(line.x, line.y, strict=True))
        words.append(f"{one_line(line.label)}: {points}")
    alt = f"{title}. {'; '.join(words[:MOST_LINES])}.{note}{BARS_IN_WORDS}"
    if len(lines) > MOST_LINES:
        title += f", the first {MOST_LINES} of {len(lines)} lines"
        alt += f" Only the first {MOST_LINES} of {len(lines)} are drawn."
    x, y = axes
    return Picture(name, title, alt, lambda ax: draw_lines(lines, ax, x=x, y=y, diagonal=diagonal), (5.2, 4.4))


def _size(r: Study, alpha: float) -> list[Picture]:
    rows = []
    several = len({row.category_set for row in r.size}) > 1
    sets = list(dict.fromkeys(row.category_set for row in r.size))
    short = dict(zip(sets, short_names(sets, 12), strict=True))
    for row in r.size:
        if row.alpha != alpha:
            continue
        # This is the Monte-Carlo error, not a confidence interval of the data.
        half = ERRORS_SHOWN * row.error
        interval = Interval(max(0.0, row.value - half), row.value + half, 0.95, "two Monte-Carlo errors")
        where = f"{row.test}, {row.null}" + (f", {row.category_set}" if several else "")
        drawn = f"{short_name(row.test)}, {row.null}" + (f", {short[row.category_set]}" if several else "")
        rows.append(Row(where, row.value, interval, row.above, f"{row.value:.3f} ± {row.error:.3f}", drawn))
    if not rows:
        return []
    title = f"How often a difference is found at {alpha:g} where there is none"
    alt = f"{title}: " + name_list([f"{one_line(row.label)} {row.note}" for row in rows], 12)
    alt += f", ± one Monte-Carlo standard error.{BARS_IN_WORDS}"
    key = Marks("above by more than Monte-Carlo error", "not above", BARS)
    x = (f"share that finds a difference (dotted: {alpha:g}, as stated)", "numbers: ± 1 standard error")
    return [value_picture(rows, "size", x, title, alt, key, alpha)]


def confidence_picture(table: Sequence[ConfidenceRow]) -> list[Picture]:
    """Return keller2004's Table 3 as a picture, unless no row of it has both columns."""
    complete = [row for row in table if row.confidence is not None and row.value is not None]
    if not complete:
        return []
    rows, title, _ = first_rows(complete, "The confidence on one test set beside how often its winner wins", "")
    words = name_list([f"{one_line(row.category_set)} {row.confidence:.3f}, {row.value:.3f}" for row in rows])
    alt = f"{title}: {words}.{BARS_IN_WORDS}"
    return [Picture("confidence", title, alt, lambda ax: draw_confidence(rows, ax), (5.6, 1.4 + 0.3 * len(rows)))]


EXPERIMENT_LEVEL = 0.95


@pictures_of.register
def _pictures_of_experiment(r: Experiment, margin: float | None) -> list[Picture]:
    """Figure 1 of every category set, the confidence beside the wins, and what a study has besides."""
    pictures = [_figure_1(r, name) for name in r.replicates]
    pictures += confidence_picture(r.table)
    if r.study is not None:  # the confidence of the study is the same table
        besides = [picture for picture in pictures_of(r.study, margin) if picture.name != "confidence"]
        pictures += [dataclasses.replace(picture, name=f"study_{picture.name}") for picture in besides]
    return pictures


def _figure_1(r: Experiment, name: str) -> Picture:
    mean, reach, zero = _centred(r, name)
    row = next(row for row in r.table if row.category_set == name)
    observed = "unknown" if row.difference is None else signed(row.difference)
    alt = (
        f"Histogram of {r.n_resamples:,} bootstrap replicates of the difference in {r.measure_label} (B − A) on "
        f"D_te, category set {name}. Their mean is {signed(mean)}, and the difference observed on D_te was {observed}. "
        f"{100 * EXPERIMENT_LEVEL:.0f} % of the replicates lie within {reach:.4f} of the mean, and 0 lies {zero}. "
        f"{favours('B', _higher(r))}"
    )
    title = f"Figure 1: bootstrap replicates of the difference in {r.measure_label}, category set {name}"
    return Picture(f"figure_{name.lower()}", title, alt, lambda ax: draw_figure_1(r, name, ax))


def _higher(r: Experiment) -> bool:
    return find(r.measure).higher_is_better


def _centred(r: Experiment, name: str) -> tuple[float, float, str]:
    """Return the mean, how far 95 % of the replicates reach around it (14), and whether 0 is inside or outside."""
    values = r.replicates[name]
    mean = float(values.mean())
    reach = float(np.quantile(np.abs(values - mean), EXPERIMENT_LEVEL))
    return mean, reach, "inside" if abs(mean) <= reach else "outside"


def draw_figure_1(r: Experiment, name: str, ax: Axes) -> Axes:
    """Draw the replicates of one category set, 0, their mean, and the interval (14) around it."""
    values, (mean, reach, zero) = r.replicates[name], _centred(r, name)
    ax.axvspan(mean - reach, mean + reach, color=STYLES[0][0], alpha=0.12, linewidth=0, zorder=0)
    # With few documents the differences take few values, and more bars than values would leave gaps.
    bars = min(50, np.unique(values).size)
    ax.hist(values, bins=bars, color=STYLES[0][0], edgecolor="white", linewidth=0.4, zorder=2)
    ax.axvline(mean, color=STYLES[0][0], linewidth=1.2, zorder=3)
    ax.axvline(0.0, color=STYLES[1][0], linestyle="--", linewidth=1.4, zorder=3)
    row = next(row for row in r.table if row.category_set == name)
    title = f"Histogram of d{symbol(r)}* on D_te, category set {name}"
    ax.set_title(f"{title}\nshaded: {100 * EXPERIMENT_LEVEL:.0f} % around the mean; 0 (dashed) is {zero}", fontsize=10)
    axis = f"difference in {r.measure_label}, B − A (observed on D_te: {row.difference:+.4f})"
    x = better_side(axis, "B", _higher(r))
    label_axes(ax, x=x, y=f"of {r.n_resamples:,} replicates")
    quiet_frame(ax, "y")
    return ax


@dataclass(frozen=True)
class Line:
    """A line of a plot: x, y and the Monte-Carlo standard errors of y, for one test."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    errors: tuple[float, ...]
    series: int = 0  # which colour, style and marker it has


def draw_lines(lines: Sequence[Line], ax: Axes, *, x: str, y: str, diagonal: bool = False) -> Axes:
    """Draw a line for each test, with bars of two Monte-Carlo errors; on the diagonal both axes are the same.

    The names go above, because the lines may go anywhere.
    """
    handles: list[Any] = []
    for line in lines[:MOST_LINES]:
        colour, style, marker = SERIES[line.series]
        look: dict[str, Any] = {"color": colour, "linestyle": style, "marker": marker, "markersize": 5.5}
        thin: dict[str, Any] = {"linewidth": 1.5, "elinewidth": 1.0, "capsize": 2.5}
        bars = ax.errorbar(line.x, line.y, yerr=_reach(line.y, line.errors), zorder=3, **look, **thin)
        handles.append(bars)
    labels = short_names([line.label for line in lines[:MOST_LINES]], 34)
    if diagonal:
        at = min(min(line.x) for line in lines)
        handles += ax.plot([at, 1], [at, 1], color=GREY, linestyle=":", linewidth=1.2, zorder=1)
        labels.append("as stated")
    else:
        ax.set_ylim(-0.02, 1.02)
    label_axes(ax, x=(x, f"(bars: {BARS})"), y=y)
    quiet_frame(ax, "both")
    legend(ax, handles, labels, "above", ncols=2 if max(map(len, labels)) < 28 else 1)
    return ax


def _reach(shares: Sequence[float], errors: Sequence[float]) -> list[list[float]]:
    """Return how far the bars go down and up: two errors, but no share is below 0 or above 1."""
    both = list(zip(shares, errors, strict=True))
    down = [min(ERRORS_SHOWN * error, share) for share, error in both]
    return [down, [min(ERRORS_SHOWN * error, 1.0 - share) for share, error in both]]


def draw_confidence(rows: Sequence[ConfidenceRow], ax: Axes) -> Axes:
    """Draw keller2004's Table 3: the confidence on one test set beside how often its winner wins on other sets."""
    handles: list[Any] = []
    for place, row in enumerate(rows):
        assert row.value is not None
        assert row.confidence is not None  # rows without either are not drawn
        ax.plot([row.confidence, row.value], [place, place], color=GREY, linewidth=1.0, zorder=1)
        reach = _reach([row.value], [row.error or 0.0])
        wins = ax.errorbar([row.value], [place], xerr=reach, color=BLUE, marker="s", capsize=2.5, zorder=3)
        hollow: dict[str, Any] = {"color": VERMILLION, "markerfacecolor": "white", "mew": 1.6}
        confidence = ax.plot([row.confidence], [place], "o", zorder=4, **hollow)
        handles = [*confidence, wins]
    ax.set_ylim(len(rows) - 0.5, -0.5)
    x = ("share in which the leader of the one test set is ahead", f"(bars: {BARS})")
    name_rows(ax, short_names([row.category_set for row in rows]), x)
    labels = ["bootstrap confidence on the one test set", "sets drawn from the large set"]
    legend(ax, handles, labels, "above")
    return ax
