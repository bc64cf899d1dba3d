"""From average ranks to axes: the diagram of Demšar 2006 (figure 1).

The best rank is at the left. Bars join models that are not told apart, with a dot for each of them: by the verdict's
test of pairs, or by Nemenyi's, whose ruler shows the critical difference of two average ranks. The words above say
which. ``layout`` computes, ``draw_diagram`` draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clearwin.plots.drawing import GREY, PLAIN, POINTS, STYLES, new_axes, short_names, text_width
from clearwin.results.data_sets import DataSetComparison
from clearwin.words.data_sets import pairs_judged_by, ranking
from clearwin.words.phrases import level

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WIDTH = 6.8  # inches
LARGEST_FONT, SMALLEST_FONT = 9.0, 4.0  # points
LEAST_SCALE = 0.34  # share of the width that the scale of ranks keeps, however long the names are
SCALE_TITLE = "average rank, 1 is best"
GAP = 6.0  # points between a line and its name
RULER, TITLE = 1.35, 1.75  # rows above the scale
BARS_FROM, BAR_STEP = 0.55, 0.42  # rows below it
MOST_BARS = 25


@dataclass(frozen=True)
class RankLabel:
    """A model's name, its average rank, its row (down from the scale) and its side."""

    text: str
    rank: float
    row: float
    side: str


@dataclass(frozen=True)
class Bar:
    """Models not told apart: their average ranks, the best first, and the row of the bar."""

    ranks: tuple[float, ...]
    row: float

    @property
    def start(self) -> float:
        """The best average rank."""
        return self.ranks[0]

    @property
    def end(self) -> float:
        """The worst."""
        return self.ranks[-1]


@dataclass(frozen=True)
class Layout:
    """Everything to draw, in ranks across and rows down."""

    lowest: int
    highest: int
    labels: tuple[RankLabel, ...]
    bars: tuple[Bar, ...]
    critical_difference: float | None
    words: str
    rows: float


def layout(record: DataSetComparison, *, by_nemenyi: bool = False) -> Layout:
    """Place names and bars: the better half at the left, each name in its own row, bars that do not touch."""
    ranks = dict(zip(record.names, record.mean_ranks, strict=True))
    groups = record.nemenyi_groups if by_nemenyi else record.groups
    drawn = groups if len(groups) <= MOST_BARS else ()
    spans = [tuple(sorted(ranks[name] for name in group)) for group in drawn]
    bars: list[Bar] = []
    ends: list[float] = []
    room = 0.02 * (len(ranks) - 1)
    for span in spans:
        at = next((i for i, last in enumerate(ends) if span[0] > last + room), len(ends))
        ends[at:] = [span[-1]] if at == len(ends) else [span[-1], *ends[at + 1 :]]
        bars.append(Bar(span, BARS_FROM + BAR_STEP * at))
    first = BARS_FROM + BAR_STEP * len(ends) + 0.45
    ordered = ranking(record)
    n_left = (len(ordered) + 1) // 2
    labels = []
    names = short_names([name for name, _ in ordered])
    for i, (name, (_, rank)) in enumerate(zip(names, ordered, strict=True)):
        row = first + (i if i < n_left else len(ordered) - 1 - i)
        labels.append(RankLabel(f"{name}  {rank:.2f}", rank, row, "left" if i < n_left else "right"))
    difference, test = (record.critical_difference, "Nemenyi's test") if by_nemenyi else (None, pairs_judged_by(record))
    words = f"joined: not told apart at {level(record):g} by {test}"
    if groups and not drawn:
        words = f"{len(groups)} groups, too many to draw, are not told apart at {level(record):g} by {test}"
    if difference is not None:
        words = f"critical difference {difference:.3g}; {words}"
    return Layout(1, len(ordered), tuple(labels), tuple(bars), difference, words, first + n_left - 0.4)


def draw_diagram(record: DataSetComparison, ax: Axes | None = None, *, by_nemenyi: bool = False) -> Axes:
    """Draw the diagram on the axes, or on those of a new figure, and return the axes.

    >>> import clearwin as cw
    >>> ax = draw_diagram(cw.rank_data_sets([[0.9, 0.8, 0.7]] * 12, rng=1))
    >>> [text.get_text() for text in ax.texts][-1]
    'C  3.00'
    """
    plan = layout(record, by_nemenyi=by_nemenyi)
    ax = new_axes(diagram_size(plan), bare=True) if ax is None else ax
    width = ax.get_window_extent().width / ax.figure.dpi * POINTS
    margins, size = _margins(plan, width)
    per_rank = (width - sum(margins)) / (plan.highest - plan.lowest)
    ends = plan.lowest - margins[0] / per_rank, plan.highest + margins[1] / per_rank
    ax.set(xlim=ends, ylim=(plan.rows, -TITLE - 0.55))
    ax.axis("off")
    _draw_scale(plan, ax, size, GAP / per_rank)
    _draw_words(plan, ax, size, ends, per_rank)
    if plan.critical_difference is not None:
        _draw_ruler(plan.lowest, plan.lowest + plan.critical_difference, ends[1], ax)
    for bar in plan.bars:
        beyond = GAP / 3.0 / per_rank  # a bar clearly crosses the lines of its models
        across = [bar.start - beyond, bar.end + beyond]
        ax.plot(across, [bar.row] * 2, color=STYLES[0][0], linewidth=2.5, solid_capstyle="butt", zorder=3)
        ax.plot(bar.ranks, [bar.row] * len(bar.ranks), "o", color=STYLES[0][0], markersize=4.5, zorder=3)
    for label in plan.labels:
        _draw_label(plan, label, ax, size, GAP / per_rank)
    return ax


def diagram_size(plan: Layout) -> tuple[float, float]:
    """Return width and height in inches: as high as the names need."""
    return WIDTH, 0.24 * (plan.rows + TITLE + 0.55) + 0.2


def _margins(plan: Layout, width: float) -> tuple[tuple[float, float], float]:
    """Return the widths of the names at both sides, in points, and a letter size that leaves room for a scale."""
    most = (1.0 - LEAST_SCALE) * width
    size = LARGEST_FONT
    while True:
        sides = [
            max(text_width(text, size) for text in (title, *(t.text for t in plan.labels if t.side == side))) + 3 * GAP
            for side, title in (("left", SCALE_TITLE), ("right", ""))
        ]
        if sum(sides) <= most or size <= SMALLEST_FONT:
            scaled = min(1.0, most / sum(sides))
            return (sides[0] * scaled, sides[1] * scaled), size
        size -= 0.5


def _draw_scale(plan: Layout, ax: Axes, size: float, gap: float) -> None:
    ax.text(plan.lowest - 2 * gap, 0, SCALE_TITLE, ha="right", va="center", fontsize=size, color=GREY, **PLAIN)
    ax.plot([plan.lowest, plan.highest], [0, 0], color="black", linewidth=1.2, solid_capstyle="butt", zorder=2)
    step = max(1, math.ceil((plan.highest - plan.lowest) / 12))
    for rank in np.arange(plan.lowest, plan.highest + 0.25, 0.5):
        whole = float(rank).is_integer()
        ax.plot([rank, rank], [0, -0.28 if whole else -0.15], color="black", linewidth=1.0, zorder=2)
        if whole and (int(rank) - 1) % step == 0:
            ax.text(float(rank), -0.38, f"{int(rank)}", ha="center", va="bottom", fontsize=size, **PLAIN)


def _draw_words(plan: Layout, ax: Axes, size: float, ends: tuple[float, float], per_rank: float) -> None:
    """Say above the scale, or above the ruler, what joins models; long texts begin further to the left."""
    size = min(size, LARGEST_FONT * (ends[1] - ends[0]) * per_rank / text_width(plan.words, LARGEST_FONT))
    at = max(ends[0], min(float(plan.lowest), ends[1] - text_width(plan.words, size) / per_rank))
    ax.text(at, -TITLE, plan.words, ha="left", va="bottom", fontsize=size, **PLAIN)


def _draw_ruler(start: float, end: float, right: float, ax: Axes) -> None:
    """The ruler starts at the best rank; one longer than the axes ends in an arrow."""
    inside = end <= right
    end = min(end, right)
    ax.plot([start, end], [-RULER, -RULER], color=STYLES[1][0], linewidth=1.6, solid_capstyle="butt")
    for x in (start, end) if inside else (start,):
        ax.plot([x, x], [-RULER - 0.16, -RULER + 0.16], color=STYLES[1][0], linewidth=1.6)
    if not inside:
        ax.plot([end], [-RULER], marker=">", markersize=6, color=STYLES[1][0], clip_on=False)


def _draw_label(plan: Layout, label: RankLabel, ax: Axes, size: float, gap: float) -> None:
    """Draw the line from the scale down to the row and out beyond the end of the scale, and the name there."""
    is_left = label.side == "left"
    x = plan.lowest - gap if is_left else plan.highest + gap
    ax.plot([label.rank, label.rank, x], [0, label.row, label.row], color="black", linewidth=0.9, zorder=1)
    at, side = (x - gap, "right") if is_left else (x + gap, "left")
    ax.text(at, label.row, label.text, ha=side, va="center", fontsize=size, **PLAIN)
