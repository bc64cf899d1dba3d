"""The picture of a plan: power against the number of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearwin.plots.drawing import BLUE, GREY, VERMILLION, Picture, label_axes, pictures_of, quiet_frame
from clearwin.plots.study import ERRORS_SHOWN
from clearwin.results.plan import Plan
from clearwin.words.plan import PlanWords

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@pictures_of.register
def _pictures_of_plan(r: Plan, margin: float | None) -> list[Picture]:
    """Power against items, with the answer and the range that the pilot leaves."""
    title = f"How often test sets {PlanWords(r).aim().rstrip(',')}"
    points = ", ".join(f"{size.power:.2f} at {size.items:,} items" for size in r.curve)
    alt = f"{title}, by their size: {points}. The mark shows a power of {r.power:.2f} at {r.items:,} items."
    if r.spread is not None and r.asked == "items":
        alt += f" Pilots of this size say {r.spread.low:,.0f} to {r.spread.high:,.0f}."
    return [Picture("power", title, alt, lambda ax: draw_power(r, ax), (5.2, 4.0))]


def draw_power(r: Plan, ax: Axes) -> Axes:
    """Draw the curve, bars of two Monte-Carlo errors, and lines to the answer."""
    sizes, powers = [size.items for size in r.curve], [size.power for size in r.curve]
    errors = [ERRORS_SHOWN * (size.error or 0.0) for size in r.curve]
    if r.spread is not None and r.asked == "items":
        ax.axvspan(r.spread.low, r.spread.high, color=BLUE, alpha=0.12, linewidth=0, zorder=0)
    ax.errorbar(sizes, powers, yerr=errors, color=BLUE, marker="o", markersize=4.5, capsize=2.5, zorder=3)
    ax.plot([0, r.items, r.items], [r.power, r.power, 0], color=VERMILLION, linestyle="--", linewidth=1.2, zorder=2)
    ax.axhline(1.0, color=GREY, linewidth=0.6, zorder=1)
    ax.set_ylim(0.0, 1.04)
    ax.set_xlim(0.0, max(*sizes, r.items) * 1.05)
    shaded = r.spread is not None and r.asked == "items"
    x = ("items in a test set", "(shaded: eight of ten pilots)") if shaded else "items in a test set"
    label_axes(ax, x=x, y="power")
    quiet_frame(ax, "both")
    return ax
