"""Which pictures suit a result, the best first, and which it is too large for."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from clearwin.analyses.judging import MOST_CLASSES
from clearwin.errors import UnknownNameError
from clearwin.plots import of_models, of_pairs, of_studies  # noqa: F401  # every kind registers its pictures
from clearwin.plots.confusion import MOST_DRAWN
from clearwin.plots.drawing import HeldAgainst, Picture, new_axes, pictures_of
from clearwin.results.base import Result
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import Comparison, Estimate
from clearwin.wording.margins import margin_for
from clearwin.wording.verdict import level_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pictures(result: Result, *, margin: float | None = None, alpha: float | None = None) -> tuple[Picture, ...]:
    """Return all pictures that suit the result, the best first.

    ``margin`` is the largest difference that does not matter, to be drawn where a picture shows differences. ``alpha``
    is the level that p-values are held against, by default the one that goes with the interval: 0.05 with 95 %.
    Leaderboards and comparisons over data sets have been judged at a level of their own and take no other.

    >>> import clearwin as cw
    >>> r = cw.compare([1, 0, 1, 0, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 0], measure="f1", rng=1)
    >>> [picture.name for picture in pictures(r)]
    ['null', 'interval', 'mosaic', 'confusion_a', 'confusion_b']
    """
    margin = None if margin is None else margin_for(result, margin)
    alpha = None if alpha is None else float(level_of(result, alpha))
    return tuple(pictures_of(result, HeldAgainst(margin, alpha)))


def plot(
    result: Result,
    ax: Axes | None = None,
    kind: str | None = None,
    *,
    margin: float | None = None,
    alpha: float | None = None,
) -> Axes:
    """Draw the best picture of a result, or the one that ``kind`` names, and return its axes."""
    known = {picture.name: picture for picture in pictures(result, margin=margin, alpha=alpha)}
    kind = next(iter(known)) if kind is None else kind
    if kind not in known:
        raise UnknownNameError("kind of picture", kind, known)
    picture = known[kind]
    return picture.draw(new_axes(picture.size, bare=picture.bare) if ax is None else ax)


@singledispatch
def not_drawn(result: Result) -> str:
    """Say which picture a result is too large for; nothing when there is none.

    >>> import clearwin as cw
    >>> not_drawn(cw.compare(range(40), range(40), range(40), measure="accuracy"))
    'Confusion matrices are not drawn: there are 40 classes, and a record carries those of up to 30.'
    """
    return ""


@not_drawn.register
def _(result: Comparison) -> str:
    return _not_carried("Confusion matrices are", result.n_classes) if result.joint is None else ""


@not_drawn.register
def _(result: Estimate) -> str:
    return _not_carried("The confusion matrix is", result.n_classes) if result.confusion is None else ""


@not_drawn.register
def _(result: AgainstChance) -> str:
    k = len(result.labels)
    words = f"The confusion matrix is not drawn: there are {k:,} classes, and up to {MOST_DRAWN} can be read."
    return words if k > MOST_DRAWN else ""


def _not_carried(what: str, classes: int | None) -> str:
    if classes is None:  # no decisions
        return ""
    return f"{what} not drawn: there are {classes:,} classes, and a record carries those of up to {MOST_CLASSES}."
