"""What every result can be turned into for people: pictures, text, a notebook's table, a report, a comment.

All words are laid out from the same :class:`~clearwin.story.Story`; the methods only open the door to who does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from matplotlib.axes import Axes

    from clearwin.result import Signature
    from clearwin.story import Story
    from clearwin.study_record import StudySignature


class Told(ABC):
    """A result that tells a story."""

    if TYPE_CHECKING:
        signature: Signature | StudySignature

    @abstractmethod
    def story(self, alpha: float = 0.05) -> Story:
        """Return what the result tells, in parts, with a verdict at the level ``alpha``."""

    @abstractmethod
    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text."""

    def plot(
        self, ax: Axes | None = None, kind: str | None = None, *, margin: float | None = None,
        alpha: float | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the result on the axes, or on those of a new figure, and return the axes.

        ``kind`` picks among the pictures by name, the first one without; ``margin`` is the largest difference that does
        not matter, to be drawn where a picture shows differences; ``alpha`` is the level that p-values are held
        against, by default the one that goes with the interval: 0.05 with 95 %.
        """
        from clearwin.pictures import plot

        return plot(self, ax, kind, margin=margin, alpha=alpha)

    def to_html(self, path: str | os.PathLike[str], *, alpha: float | None = None, margin: float | None = None) -> Path:
        """Write a report, one HTML file that needs nothing else, over the path, and return where it is.

        ``alpha`` is the level of the verdict and of the pictures, by default 0.05. ``margin`` is the largest difference
        that does not matter: the report then says what the interval shows against it, and draws that first.
        Leaderboards and comparisons over data sets have been judged at a level of their own and take no other.
        """
        from clearwin.report import as_html
        from clearwin.writing import write_text

        return write_text(path, as_html(self, alpha=alpha, margin=margin))

    def to_markdown(self, *, alpha: float | None = None, margin: float | None = None) -> str:
        """Return a short report in Markdown, for a pull request; ``margin`` as for ``to_html``."""
        from clearwin.report import as_markdown

        return as_markdown(self, alpha=alpha, margin=margin)

    def __str__(self) -> str:
        from clearwin.story import as_text

        return as_text(self.story())

    def _repr_html_(self) -> str:
        from clearwin.report import as_fragment

        return as_fragment(self)
