"""Pictures of the experiment of keller2004: Figure 1 for each category set, Table 3, and those of the study."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from clearwin.measures import find
from clearwin.pictures.drawing import STYLES, Picture, better_side, new_axes, quiet_frame, say
from clearwin.pictures.of_studies import confidence_picture, of_study
from clearwin.reproduce.record import Experiment
from clearwin.reproduce.words import symbol
from clearwin.verdict import signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.95


def of_experiment(r: Experiment) -> list[Picture]:
    """Figure 1 of every category set, the confidence beside the wins, and what a study has besides."""
    made = [_figure_1(r, name) for name in r.replicates]
    made += confidence_picture(r.table)
    if r.study is not None:  # its confidence is the same table again
        made += [
            dataclasses.replace(picture, name=f"study_{picture.name}")
            for picture in of_study(r.study)
            if picture.name != "confidence"
        ]
    return made


def _figure_1(r: Experiment, name: str) -> Picture:
    mean, reach, zero = _centred(r, name)
    row = next(row for row in r.table if row.category_set == name)
    seen = "unknown" if row.difference is None else signed(row.difference)
    alt = (
        f"Histogram of {r.n_resamples:,} bootstrap replicates of the difference in {r.measure_label} (B − A) on D_te, "
        f"category set {name}. Their mean is {signed(mean)}, seen on D_te was {seen}; {100 * LEVEL:.0f} % of them lie "
        f"within {reach:.4f} of the mean, and 0 lies {zero}. "
        f"Differences {'above' if _higher(r) else 'below'} 0 favour B."
    )
    title = f"Figure 1: bootstrap replicates of the difference in {r.measure_label}, category set {name}"
    return Picture(f"figure_{name.lower()}", title, alt, lambda ax: draw_figure_1(r, name, ax))


def _higher(r: Experiment) -> bool:
    return find(r.measure).higher_is_better


def _centred(r: Experiment, name: str) -> tuple[float, float, str]:
    """Return the mean, how far 95 % of the replicates reach around it (14), and whether 0 is inside or outside."""
    values = r.replicates[name]
    mean = float(values.mean())
    reach = float(np.quantile(np.abs(values - mean), LEVEL))
    return mean, reach, "inside" if abs(mean) <= reach else "outside"


def draw_figure_1(r: Experiment, name: str, ax: Axes | None = None) -> Axes:
    """Draw the replicates of one category set, 0, their mean, and the interval (14) around it."""
    ax = new_axes((5.6, 3.6)) if ax is None else ax
    values, (mean, reach, zero) = r.replicates[name], _centred(r, name)
    ax.axvspan(mean - reach, mean + reach, color=STYLES[0][0], alpha=0.12, linewidth=0, zorder=0)
    # few documents make few distinct differences: more bars than those would leave gaps
    bars = min(50, np.unique(values).size)
    ax.hist(values, bins=bars, color=STYLES[0][0], edgecolor="white", linewidth=0.4, zorder=2)
    ax.axvline(mean, color=STYLES[0][0], linewidth=1.2, zorder=3)
    ax.axvline(0.0, color=STYLES[1][0], linestyle="--", linewidth=1.4, zorder=3)
    row = next(row for row in r.table if row.category_set == name)
    title = f"Histogram of d{symbol(r)}* on D_te, category set {name}"
    ax.set_title(f"{title}\nshaded: {100 * LEVEL:.0f} % around the mean; 0 (dashed) is {zero}", fontsize=10)
    x = better_side(f"difference in {r.measure_label}, B − A (seen on D_te: {row.difference:+.4f})", "B", _higher(r))
    say(ax, x=x, y=f"of {r.n_resamples:,} replicates")
    quiet_frame(ax, "y")
    return ax
