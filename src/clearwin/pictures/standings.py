"""Many models on one test set: the places they may have, and the letters of those that are not told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearwin.leaderboard import Leaderboard
from clearwin.pictures.drawing import (
    BLUE,
    GREY,
    PLAIN,
    SMALL,
    name_ticks,
    new_axes,
    quiet_frame,
    say,
    short_name,
    short_names,
    whole_numbers,
)
from clearwin.pictures.forest import MOST_ROWS, forest_size
from clearwin.verdict import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
            [x, x], [rows[0] - 0.3, rows[-1] + 0.3], transform=ax.get_yaxis_transform(), color="#C8C8C8",
            linewidth=6.5, clip_on=False, solid_capstyle="round", zorder=1,
        )  # fmt: skip
        for row in rows:
            ax.text(x, row, letter, transform=ax.get_yaxis_transform(), ha="center", va="center", fontsize=SMALL,
                    bbox={"facecolor": "none", "edgecolor": "none", "pad": 3.5}, **PLAIN)  # fmt: skip
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
