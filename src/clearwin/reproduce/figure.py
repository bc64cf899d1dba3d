"""Figure 1 of keller2004: the histogram of the bootstrap differences, with 95 % centred around their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clearwin.errors import UnknownNameError
from clearwin.pictures.drawing import STYLES, new_axes
from clearwin.reproduce.record import Experiment
from clearwin.reproduce.words import symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.95


def draw_figure_1(found: Experiment, name: str = "X", ax: Axes | None = None) -> Axes:
    """Draw the replicates of one category set, 0, their mean, and the interval (14) around it."""
    if name not in found.replicates:
        raise UnknownNameError("category set", name, found.replicates)
    ax = new_axes() if ax is None else ax
    values = found.replicates[name]
    mean = float(values.mean())
    reach = float(np.quantile(np.abs(values - mean), LEVEL))  # "95 %, centered around the mean": (14)
    ax.axvspan(mean - reach, mean + reach, color=STYLES[0][0], alpha=0.12, linewidth=0, zorder=0)
    # few documents make few distinct differences: more bars than those would leave gaps
    bars = min(50, np.unique(values).size)
    ax.hist(values, bins=bars, color=STYLES[0][0], edgecolor="white", linewidth=0.4, zorder=2)
    ax.axvline(mean, color=STYLES[0][0], linewidth=1.2, zorder=3)
    ax.axvline(0.0, color=STYLES[1][0], linestyle="--", linewidth=1.4, zorder=3)
    row = next(row for row in found.table if row.category_set == name)
    inside = "inside" if abs(mean) <= reach else "outside"
    title = f"Histogram of d{symbol(found)}* on D_te, category set {name}"
    ax.set_title(f"{title}\nshaded: {100 * LEVEL:.0f} % around the mean; 0 (dashed) is {inside}", fontsize=10)
    ax.set_xlabel(f"difference in {found.measure_label}, B − A (seen on D_te: {row.difference:+.4f})")
    ax.set_ylabel(f"of {found.n_resamples:,} replicates")
    ax.grid(True, axis="y", color="#E3E3E3", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax
