"""ROC, DET and precision–recall curves of one or more models, with bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearwin.plots.drawing import GREY, GRID, LIGHT, SERIES, legend, new_axes, short_name, short_names
from clearwin.results.curves import ModelCurve, ScoreCurves
from clearwin.words.phrases import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


# Ticks of a DET curve, as rates; the second row is used only where there is room for its labels.
DET_TICKS = (1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 0.999)
DET_MORE_TICKS = (0.005, 0.02, 0.1, 0.3)
ROOM_FOR_MORE = 4.0  # normal deviates across the axis
SIDE, LEGEND_LINE = 5.2, 0.2  # inches
INSIDE = 3  # with more models, the legend goes above the axes


def draw_curve(record: ScoreCurves, ax: Axes | None = None, *, equal_error_line: bool | None = None) -> Axes:
    """Draw the models' curves on the axes, or on those of a new figure, and return the axes.

    With many models, the best by area have colours and the others are thin lines.

    ``equal_error_line`` draws where both error rates are the same, and marks each EER; by default a DET curve has it.

    >>> import clearwin as cw
    >>> ax = draw_curve(cw.curve([1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1]))
    >>> ax.get_xlabel()
    'false positive rate'
    """
    ax = new_axes(curve_size(record)) if ax is None else ax
    highlighted = highlighted_models(record)
    others = [_draw_other(model, ax) for model in record.models if model not in highlighted]
    handles = [_draw_model(record.kind, model, i, ax) for i, model in enumerate(highlighted)]
    names = short_names([model.name for model in highlighted])
    labels = [f"{name} ({_area(record.kind, model)})" for name, model in zip(names, highlighted, strict=True)]
    if others:
        handles.append(others[0])
        labels.append(f"{len(others)} more")
    if record.kind == "pr":
        share = record.positives / record.n
        handles.append(ax.axhline(share, color=GREY, linestyle=":", linewidth=1.2, zorder=1))
        labels.append(f"prevalence {100 * share:.3g} %")
    (_finish_det if record.kind == "det" else _finish_square)(record, ax)
    if equal_error_line if equal_error_line is not None else record.kind == "det":
        _draw_equal_error(record, ax)
    ax.grid(True, color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    legend(ax, handles, labels, _free_corner(record) if len(highlighted) <= INSIDE else "above")
    return ax


def highlighted_models(record: ScoreCurves) -> list[ModelCurve]:
    """Return the models with a line of their own: all if there are few, else the best by area, the best first."""
    if len(record.models) <= len(SERIES):
        return list(record.models)
    area = "average_precision" if record.kind == "pr" else "auc"
    return sorted(record.models, key=lambda model: -getattr(model, area))[: len(SERIES)]


def curve_size(record: ScoreCurves) -> tuple[float, float]:
    """Return width and height in inches: a square, with a line above it for each of many models."""
    lines = len(highlighted_models(record)) + (len(record.models) > len(SERIES))
    return SIDE, SIDE + (LEGEND_LINE * lines if len(record.models) > INSIDE else 0.0)


def _draw_other(model: ModelCurve, ax: Axes) -> Line2D:
    [line] = ax.plot(model.curve.x, model.curve.y, color=LIGHT, linewidth=0.8, zorder=2)
    return line


def _draw_model(kind: str, model: ModelCurve, i: int, ax: Axes) -> Line2D:
    colour, style, _ = SERIES[i]
    # Drawn as steps, the area under the curve is the average precision.
    steps = "steps-pre" if kind == "pr" else "default"
    look: dict[str, Any] = {"color": colour, "linestyle": style, "linewidth": 1.6, "drawstyle": steps}
    label = short_name(model.name).replace("$", r"\$")
    [line] = ax.plot(model.curve.x, model.curve.y, zorder=3 + i, label=label, **look)
    bands = model.bands
    if bands is not None:
        far = 40.0  # normal deviates, in place of the infinite ones of 0 and 1
        low, high = np.clip(bands.low, -far, far), np.clip(bands.high, -far, far)
        ax.fill_between(bands.x, low, high, color=colour, alpha=0.2, linewidth=0, zorder=2)
    return line


def _area(kind: str, model: ModelCurve) -> str:
    if kind == "det":
        return f"EER {100 * model.equal_error.eer:.3g} %"
    return f"AUC {number(model.auc)}" if kind == "roc" else f"AP {number(model.average_precision)}"


def _free_corner(record: ScoreCurves) -> str:
    """Return the corner that the curves stay away from."""
    if record.kind == "roc":
        return "lower right" if np.mean([model.auc for model in record.models]) >= 0.5 else "upper left"
    if record.kind == "pr":
        return "lower left" if min(model.average_precision for model in record.models) >= 0.5 else "upper right"
    from scipy.special import ndtri

    lowest, highest = _det_window(record)
    met = [ndtri(model.equal_error.eer) for model in record.models if model.curve.x.size]
    return "lower left" if met and np.mean(met) > (ndtri(lowest) + ndtri(highest)) / 2 else "upper right"


def _finish_square(record: ScoreCurves, ax: Axes) -> None:
    if record.kind == "roc":
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1.2, zorder=1)
    curve = record.models[0].curve
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=curve.x_label, ylabel=curve.y_label)
    ax.set_aspect("equal")


def _finish_det(record: ScoreCurves, ax: Axes) -> None:
    from scipy.special import ndtri

    lowest, highest = _det_window(record)
    ticks = [rate for rate in DET_TICKS if lowest <= rate <= highest]
    if ndtri(highest) - ndtri(lowest) < ROOM_FOR_MORE:
        ticks = sorted([*ticks, *(rate for rate in DET_MORE_TICKS if lowest <= rate <= highest)])
    labels = [f"{100 * rate:g}" for rate in ticks]
    ax.set_xticks(ndtri(ticks), labels)
    ax.set_yticks(ndtri(ticks), labels)
    limits = ndtri(lowest) - 0.03, ndtri(highest) + 0.03
    ax.set(xlim=limits, ylim=limits, xlabel="false positive rate (%)", ylabel="false negative rate (%)")
    ax.set_aspect("equal")
    if not any(model.curve.x.size for model in record.models):
        words = "no threshold makes errors of both kinds:\nthe curve lies beyond the axes"
        ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", color=GREY, backgroundcolor="white")


def _det_window(record: ScoreCurves) -> tuple[float, float]:
    """Return the ticks between which to draw: room above every EER, and down to the lowest rates met there."""
    from scipy.special import ndtri

    worst = max(model.equal_error.eer for model in record.models)
    highest = next((rate for rate in DET_TICKS if rate >= max(0.4, 1.5 * worst)), DET_TICKS[-1])
    least = ndtri(0.01)
    for curve in (model.curve for model in record.models):
        inside = (curve.x <= ndtri(highest)) & (curve.y <= ndtri(highest))
        least = min(least, curve.x[inside].min(initial=0.0), curve.y[inside].min(initial=0.0))
    return max((rate for rate in DET_TICKS if ndtri(rate) <= least), default=DET_TICKS[0]), highest


def _draw_equal_error(record: ScoreCurves, ax: Axes) -> None:
    from scipy.special import ndtri

    ends = {"roc": ([0, 1], [1, 0]), "det": ([-9, 9], [-9, 9]), "pr": ([], [])}[record.kind]
    ax.plot(*ends, color=GREY, linestyle="-", linewidth=0.8, zorder=1, scalex=False, scaley=False)
    for i, model in enumerate(highlighted_models(record)):
        eer = model.equal_error.eer
        x, y = (eer, 1 - eer) if record.kind == "roc" else (ndtri(eer), ndtri(eer))
        if record.kind != "pr" and np.isfinite(x):
            ax.plot([x], [y], marker=SERIES[i][2], markersize=6, color=SERIES[i][0], markeredgecolor="white", zorder=6)
