"""Pictures of results: ``pictures`` says which there are, ``plot`` draws one, ``picture_svg`` writes it for a page."""

from clearwin.pictures.choosing import not_drawn, pictures, plot
from clearwin.pictures.drawing import Picture
from clearwin.pictures.svg import picture_svg

__all__ = ["Picture", "not_drawn", "picture_svg", "pictures", "plot"]
