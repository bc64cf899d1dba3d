"""Pictures of results: ``pictures`` lists them, ``plot`` draws one, ``picture_svg`` writes it for a page."""

from clearwin.plots.choosing import not_drawn, pictures, plot
from clearwin.plots.drawing import Picture
from clearwin.plots.svg import picture_svg

__all__ = ["Picture", "not_drawn", "picture_svg", "pictures", "plot"]
