"""Axes that a notebook shows as the value of a cell, without pyplot, which would show them twice."""

from __future__ import annotations

from matplotlib.axes import Axes

from clearwin.plots.drawing import rendered

CSS_PIXELS = 96  # in an inch


class ShownAxes(Axes):
    """Axes on a figure of their own, which a notebook shows."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the figure at twice the resolution of most screens, and its size on the screen."""
        figure = self.figure.get_figure(root=True)
        assert figure is not None
        width, height = figure.get_size_inches()
        return rendered(figure, "png"), {"width": round(CSS_PIXELS * width), "height": round(CSS_PIXELS * height)}
