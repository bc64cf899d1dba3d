"""Tables of counts as pictures: a confusion matrix, and who is right where as a mosaic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.outcomes import ClassOutcomes, Confusion
from clearwin.pictures.drawing import (
    BLUE,
    LIGHT,
    VERMILLION,
    Picture,
    legend,
    name_ticks,
    new_axes,
    say,
    short_name,
    short_names,
)
from clearwin.story import counted, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# what happens to an item, from the bottom of a column to its top: colour, hatch, and darkness for print
PARTS = (
    ("both_right", "#F0F0F0", ""),
    ("only_b_wrong", BLUE, ""),  # A's colour: only A is right
    ("only_a_wrong", "#F3B27A", "////"),  # B's
    ("both_wrong", "#1F1F1F", ""),
)
MOST_DRAWN = 40  # classes whose confusion matrix can be read
LEAST_WITH_NUMBER = 0.012  # of all items; a smaller part has no room for its number
SHORT_LABEL = 14


def confusion_picture(kind: str, found: Confusion, name: str) -> Picture:
    """Return the picture of one model's confusion matrix."""
    cells = [(count, i, j) for i, row in enumerate(found.cells) for j, count in enumerate(row)]
    n, right = sum(count for count, *_ in cells), sum(count for count, i, j in cells if i == j)
    alt = f"Confusion matrix of {one_line(name)}: {right:,} of {counted(n, 'item')} right"
    count, i, j = max((cell for cell in cells if cell[1] != cell[2]), default=(0, 0, 0))
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        alt += f"; most often {one_line(found.labels[i])} is taken for {one_line(found.labels[j])}, {times}"
    title = f"Confusion matrix of {one_line(name)}"
    return Picture(kind, title, f"{alt}.", lambda ax: draw_confusion(found, name, ax), matrix_size(len(found.labels)))


def matrix_size(classes: int) -> tuple[float, float]:
    """Return width and height in inches."""
    side = min(9.5, 2.4 + 0.3 * max(classes, 4))
    return side + 0.4, side


def draw_confusion(found: Confusion, name: str, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix: the shade is the share of the true class, the number is the count."""
    from matplotlib.collections import PolyCollection

    k = len(found.labels)
    ax = new_axes(matrix_size(k)) if ax is None else ax
    cells = np.array(found.cells, dtype=np.float64)
    rows, columns = np.nonzero(cells)  # what never occurs stays white and takes no ink
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1.0)
    places = list(zip(rows.tolist(), columns.tolist(), strict=True))
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    squares = [corners + np.array([x, y]) for y, x in places]
    shades = [_shade(shares[y, x]) for y, x in places]
    ax.add_collection(PolyCollection(squares, facecolors=shades, edgecolors="white", linewidths=0.8))
    width = max(len(f"{int(count):,}") for count in cells.ravel())
    room = 50.0 * matrix_size(k)[1] / k  # points for a number
    size = max(4.0, min(10.0, room / (0.7 * width), 0.6 * room))
    for y, x in places:
        colour = "white" if shares[y, x] > 0.5 else "black"
        ax.text(x, y, f"{int(cells[y, x]):,}", ha="center", va="center", fontsize=size, color=colour)
    ax.plot([-0.5, k - 0.5], [-0.5, k - 0.5], color=LIGHT, linewidth=0.8, zorder=0)
    ax.set(xlim=(-0.5, k - 0.5), ylim=(k - 0.5, -0.5))
    ax.set_aspect("equal")
    names = short_names(found.labels, SHORT_LABEL)
    letters = 9 if k <= 12 else 7
    name_ticks(ax.xaxis, range(k), names, fontsize=letters, **_turned(names, k))
    name_ticks(ax.yaxis, range(k), names, fontsize=letters)
    ax.tick_params(length=0)
    say(ax, x=f"decision of {short_name(name)}", y="truth")
    return ax


def _shade(share: float) -> tuple[float, float, float]:
    """From near white to dark blue; darker in grey print, too."""
    light, dark = np.array([0.93, 0.96, 0.98]), np.array([0.0, 0.25, 0.45])
    red, green, blue = light + (dark - light) * share
    return float(red), float(green), float(blue)


def _turned(names: Sequence[str], k: int) -> dict[str, Any]:
    """Turn names under an axis when they would run into each other."""
    if max(map(len, names)) * k <= 40:
        return {}
    return {"rotation": 90} if k > 12 else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}


def draw_mosaic(
    classes: Sequence[ClassOutcomes], names: tuple[str, str], ax: Axes | None = None, *, truths: bool = True
) -> Axes:
    """Draw the items of each true class as a column, as wide as the class is large, divided by who is right.

    Areas are shares of all items. Without ``truths`` there is one column that stands for all items.
    """
    ax = new_axes((5.6, 4.2)) if ax is None else ax
    total = sum(sum(_parts(one)) for one in classes)
    left, centres, handles = 0.0, [], {}
    for one in classes:
        counts = _parts(one)
        width, bottom = sum(counts) / total, 0.0
        for (part, colour, hatch), count in zip(PARTS, counts, strict=True):
            if count == 0:
                continue
            height = count / sum(counts)
            edge = VERMILLION if hatch else "white"
            [bar] = ax.bar(
                left, height, width, bottom, align="edge", color=colour, hatch=hatch, edgecolor=edge, linewidth=0.7
            )
            handles[part] = bar
            if count / total >= LEAST_WITH_NUMBER and width > 0.05 and height > 0.05:
                _write_count(ax, left + width / 2, bottom + height / 2, count, part)
            bottom += height
        centres.append(left + width / 2)
        left += width
    ax.set(xlim=(0, 1), ylim=(0, 1))
    _finish_mosaic(ax, classes, names, handles, centres, truths)
    return ax


def _write_count(ax: Axes, x: float, y: float, count: int, part: str) -> None:
    colour = "white" if part in ("only_b_wrong", "both_wrong") else "black"
    behind = {"facecolor": "#F3B27A", "edgecolor": "none", "pad": 1.0} if part == "only_a_wrong" else None
    ax.text(x, y, f"{count:,}", ha="center", va="center", fontsize=9, color=colour, bbox=behind)


def _finish_mosaic(
    ax: Axes, classes: Sequence[ClassOutcomes], names: tuple[str, str], handles: dict[str, Any],
    centres: list[float], truths: bool,
) -> None:  # fmt: skip
    a, b = short_names(names, 18)
    words = {"both_right": "both right", "only_a_wrong": f"only {b} right", "only_b_wrong": f"only {a} right",
             "both_wrong": "both wrong"}  # fmt: skip
    totals = {part: sum(getattr(one, part) for one in classes) for part in words}
    shown = [part for part, *_ in reversed(PARTS) if part in handles]
    labels = [f"{words[part]}: {totals[part]:,}" for part in shown]
    columns = 2 if max(map(len, labels)) < 28 else 1
    legend(ax, [handles[part] for part in shown], labels, "above", ncols=columns, handlelength=1.4)
    shorter = short_names([one.label for one in classes], SHORT_LABEL)
    if truths:
        name_ticks(
            ax.xaxis, centres, shorter, fontsize=9 if len(classes) <= 12 else 7, **_turned(shorter, len(classes))
        )
        say(ax, x="true class, as wide as it is large", y="share of the class")
    else:
        ax.set_xticks([])
        say(ax, x="all items", y="share of the items")
    ax.tick_params(axis="x", length=0)


def _parts(one: ClassOutcomes) -> tuple[int, int, int, int]:
    return one.both_right, one.only_b_wrong, one.only_a_wrong, one.both_wrong  # as in PARTS
