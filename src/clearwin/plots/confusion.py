"""Tables of counts as pictures: a confusion matrix, and who is right where as a mosaic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.numerics.arrays import Floats
from clearwin.plots.drawing import (
    BLUE,
    GREY,
    LIGHT,
    VERMILLION,
    Picture,
    label_axes,
    legend,
    name_ticks,
    new_axes,
    points_across,
    short_name,
    short_names,
    text_width,
)
from clearwin.results.comparison import ClassOutcomes, Confusion
from clearwin.text import counted, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# The parts of a column from bottom to top, with colour and hatch; their darkness differs, too, for print.
PARTS = (
    ("both_right", "#F0F0F0", ""),
    ("only_b_wrong", BLUE, ""),  # A's colour: only A is right
    ("only_a_wrong", "#F3B27A", "////"),  # B's
    ("both_wrong", "#1F1F1F", ""),
)
MOST_DRAWN = 40  # larger confusion matrices cannot be read
LEAST_WITH_NUMBER = 0.012  # share of all items; a smaller part has no room for its number
SHORT_LABEL = 14
LINE_HEIGHT = 1.25  # of the letters' size
LEADER = 0.035  # of the height: how far lines go down from columns to names that were moved
LEADER_PAD = 9.0  # points; about the same


def confusion_picture(kind: str, matrix: Confusion, name: str) -> Picture:
    """Return the picture of one model's confusion matrix."""
    cells = [(count, i, j) for i, row in enumerate(matrix.cells) for j, count in enumerate(row)]
    n, right = sum(count for count, *_ in cells), sum(count for count, i, j in cells if i == j)
    alt = f"Confusion matrix of {one_line(name)}: {right:,} of {counted(n, 'item')} right"
    count, i, j = max((cell for cell in cells if cell[1] != cell[2]), default=(0, 0, 0))
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        alt += f"; most often {one_line(matrix.labels[i])} is taken for {one_line(matrix.labels[j])}, {times}"
    title = f"Confusion matrix of {one_line(name)}"
    return Picture(kind, title, f"{alt}.", lambda ax: draw_confusion(matrix, name, ax), matrix_size(len(matrix.labels)))


def matrix_size(classes: int) -> tuple[float, float]:
    """Return width and height in inches."""
    side = min(9.5, 2.4 + 0.3 * max(classes, 4))
    return side + 0.4, side


def draw_confusion(matrix: Confusion, name: str, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix: the shade is the share of the true class, the number is the count."""
    from matplotlib.collections import PolyCollection

    k = len(matrix.labels)
    ax = new_axes(matrix_size(k)) if ax is None else ax
    cells = np.array(matrix.cells, dtype=np.float64)
    rows, columns = np.nonzero(cells)  # empty cells stay white
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
        ink = ink_on(_shade(shares[y, x]))
        ax.text(x, y, f"{int(cells[y, x]):,}", ha="center", va="center", fontsize=size, color=ink)
    ax.plot([-0.5, k - 0.5], [-0.5, k - 0.5], color=LIGHT, linewidth=0.8, zorder=0)
    ax.set(xlim=(-0.5, k - 0.5), ylim=(k - 0.5, -0.5))
    ax.set_aspect("equal")
    names = short_names(matrix.labels, SHORT_LABEL)
    letters = 9 if k <= 12 else 7
    name_ticks(ax.xaxis, range(k), names, fontsize=letters, **_turned(names, k))
    name_ticks(ax.yaxis, range(k), names, fontsize=letters)
    ax.tick_params(length=0)
    label_axes(ax, x=f"decision of {short_name(name)}", y="truth")
    return ax


def _shade(share: float) -> tuple[float, float, float]:
    """From near white to dark blue; also darker in grey print."""
    light, dark = np.array([0.93, 0.96, 0.98]), np.array([0.0, 0.25, 0.45])
    red, green, blue = light + (dark - light) * share
    return float(red), float(green), float(blue)


def ink_on(ground: Any) -> str:
    """Return black or white, whichever has the larger contrast (WCAG 2.2): that is at least 4.58 : 1, enough for AA.

    >>> ink_on("#0072B2"), ink_on("#56B4E9")
    ('white', 'black')
    """
    return "white" if contrast(ground, "white") > contrast(ground, "black") else "black"


def contrast(colour: Any, background: Any) -> float:
    """Return the contrast of two colours by WCAG 2.2, from 1 (the same) to 21 (black on white)."""
    dark, light = sorted(map(_luminance, (colour, background)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Any) -> float:
    from matplotlib.colors import to_rgb

    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def _turned(names: Sequence[str], k: int) -> dict[str, Any]:
    """Rotate names under an axis if they would overlap."""
    if max(map(len, names)) * k <= 40:
        return {}
    return {"rotation": 90} if k > 12 else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}


def draw_mosaic(
    classes: Sequence[ClassOutcomes], names: tuple[str, str], ax: Axes | None = None, *, truths: bool = True
) -> Axes:
    """Draw the items of each true class as a column, as wide as the class is large, divided by who is right.

    Areas are shares of all items. Without ``truths`` there is one column for all items.
    """
    ax = new_axes((5.6, 4.2)) if ax is None else ax
    total = sum(sum(_parts(outcomes)) for outcomes in classes)
    left, centres, handles = 0.0, [], {}
    for outcomes in classes:
        counts = _parts(outcomes)
        width, bottom = sum(counts) / total, 0.0
        for (part, colour, hatch), count in zip(PARTS, counts, strict=True):
            if count == 0:
                continue
            height = count / sum(counts)
            edge = VERMILLION if hatch else "white"
            look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": edge, "linewidth": 0.7}
            [handles[part]] = ax.bar(left, height, width, bottom, align="edge", **look)
            if count / total >= LEAST_WITH_NUMBER and width > 0.05 and height > 0.05:
                _write_count(ax, left + width / 2, bottom + height / 2, count, part)
            bottom += height
        centres.append(left + width / 2)
        left += width
    ax.set(xlim=(0, 1), ylim=(0, 1))
    parts = [part for part, *_ in reversed(PARTS) if part in handles]
    labels = _mosaic_labels(classes, names, parts)
    columns = 2 if max(map(len, labels)) < 28 else 1
    legend(ax, [handles[part] for part in parts], labels, "above", ncols=columns, handlelength=1.4)
    if truths:
        _name_columns(ax, centres, short_names([outcomes.label for outcomes in classes], SHORT_LABEL))
        label_axes(ax, x="true class (the width shows its size)", y="share of the class")
    else:
        ax.set_xticks([])
        label_axes(ax, x="all items", y="share of the items")
    return ax


def _write_count(ax: Axes, x: float, y: float, count: int, part: str) -> None:
    [(ground, hatch)] = [(colour, hatch) for name, colour, hatch in PARTS if name == part]
    behind = {"facecolor": ground, "edgecolor": "none", "pad": 1.0} if hatch else None
    ax.text(x, y, f"{count:,}", ha="center", va="center", fontsize=9, color=ink_on(ground), bbox=behind)


def _mosaic_labels(classes: Sequence[ClassOutcomes], names: tuple[str, str], parts: Sequence[str]) -> list[str]:
    a, b = short_names(names, 18)
    words = {"both_right": "both right", "only_a_wrong": f"only {b} right", "only_b_wrong": f"only {a} right"}
    totals = {part: sum(getattr(outcomes, part) for outcomes in classes) for part in parts}
    return [f"{words.get(part, 'both wrong')}: {totals[part]:,}" for part in parts]


def _name_columns(ax: Axes, centres: Sequence[float], names: Sequence[str]) -> None:
    """Write names under columns; names of narrow columns are moved apart and joined to them by lines."""
    letters = 9 if len(names) <= 12 else 7
    turned = _turned(names, len(names))
    gaps = _gaps(names, letters, turned) / points_across(ax)
    if gaps.sum() > 1.0:
        turned = {"rotation": 90}
        gaps = _gaps(names, letters, turned) / points_across(ax)
    places = spread(np.array(centres), gaps)
    name_ticks(ax.xaxis, places.tolist(), names, fontsize=letters, **turned)
    moved = np.abs(places - centres).max() > 0.005
    if moved:
        leader: dict[str, Any] = {"color": GREY, "linewidth": 0.7, "clip_on": False, "gid": "leader"}
        leader["transform"] = ax.get_xaxis_transform()
        for centre, place in zip(centres, places, strict=True):
            ax.plot([centre, place], [0.0, -LEADER], **leader)
    ax.tick_params(axis="x", length=0, pad=LEADER_PAD if moved else 3.5)


def _gaps(names: Sequence[str], letters: float, turned: dict[str, Any]) -> Floats:
    """Return how far neighbouring names must be apart, in points."""
    if turned:
        height = LINE_HEIGHT * letters / math.sin(math.radians(turned["rotation"]))
        return np.full(len(names) - 1, height)
    widths = np.array([text_width(name, letters) for name in names])
    return np.asarray((widths[:-1] + widths[1:]) / 2.0 + letters)


def spread(centres: Floats, gaps: Floats) -> Floats:
    """Return the places from 0 to 1 nearest to the centres that keep the gaps, or smaller ones if there is no room.

    The places minus the gaps before them must not decrease, so least squares pools neighbours that would (isotonic
    regression).

    >>> spread(np.array([0.2, 0.5, 0.52]), np.array([0.1, 0.1])).round(2).tolist()
    [0.2, 0.46, 0.56]
    """
    steps = np.concatenate([[0.0], np.cumsum(gaps)])
    steps *= min(1.0, 1.0 / max(float(steps[-1]), 1e-9))
    pools: list[tuple[float, int]] = []
    for target in (centres - steps).tolist():
        pools.append((target, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (mean, n), (last_mean, m) = pools.pop(), pools.pop()
            pools.append(((n * mean + m * last_mean) / (n + m), n + m))
    means = np.repeat([mean for mean, _ in pools], [n for _, n in pools])
    return np.asarray(np.clip(means, 0.0, 1.0 - steps[-1]) + steps)


def _parts(outcomes: ClassOutcomes) -> tuple[int, int, int, int]:
    return outcomes.both_right, outcomes.only_b_wrong, outcomes.only_a_wrong, outcomes.both_wrong  # as in PARTS
