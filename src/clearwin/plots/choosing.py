"""Which pictures suit which result, the best first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from clearwin.analyses.judging import MOST_CLASSES
from clearwin.errors import NotApplicableError, UnknownNameError
from clearwin.plots import of_models, of_pairs, of_studies
from clearwin.plots.confusion import MOST_DRAWN
from clearwin.plots.drawing import Picture, new_axes
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import Comparison, Estimate, PerClass
from clearwin.results.curves import ScoreCurves
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.folds import FoldComparison
from clearwin.results.keller2004 import Experiment
from clearwin.results.leaderboard import Areas, Leaderboard
from clearwin.results.study import Study
from clearwin.wording.margins import margin_for
from clearwin.wording.verdict import level_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAKERS: dict[type, Callable[..., list[Picture]]] = {
    Comparison: of_pairs.of_comparison,
    Estimate: of_models.of_estimate,
    AgainstChance: of_models.of_chance,
    Areas: of_models.of_areas,
    PerClass: of_pairs.of_classes,
    Leaderboard: of_models.of_board,
    FoldComparison: of_pairs.of_folds,
    ScoreCurves: of_models.of_curves,
    DataSetComparison: of_models.of_data_sets,
    Study: of_studies.of_study,
    Experiment: of_studies.of_experiment,
}
CARRIED = f"and a record carries those of up to {MOST_CLASSES}"
WITH_ALPHA = (Comparison, PerClass)  # marks are filled by p


def pictures(result: Any, *, margin: float | None = None, alpha: float | None = None) -> tuple[Picture, ...]:
    """Return all pictures that suit the result, the best first.

    ``margin`` is the largest difference that does not matter, to be drawn where a picture shows differences. ``alpha``
    is the level that p-values are held against, by default the one that goes with the interval: 0.05 with 95 %.
    Leaderboards and comparisons over data sets have been judged at a level of their own and take no other.

    >>> import clearwin as cw
    >>> r = cw.compare([1, 0, 1, 0, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 0], measure="f1", rng=1)
    >>> [picture.name for picture in pictures(r)]
    ['null', 'interval', 'mosaic', 'confusion_a', 'confusion_b']
    """
    make = MAKERS.get(type(result))
    if make is None:
        raise NotApplicableError(
            f"There are no pictures of a {type(result).__name__}.", "a result of one of the verbs", "compare(…).plot()"
        )
    how: dict[str, float] = {}
    if margin is not None:
        how["margin"] = margin_for(result, margin)
    if alpha is not None:
        alpha = level_of(result, alpha)
        if isinstance(result, WITH_ALPHA):
            how["alpha"] = float(alpha)
    return tuple(make(result, **how))


def not_drawn(result: Any) -> str:
    """Say which picture a result is too large for; nothing when there is none.

    >>> import clearwin as cw
    >>> not_drawn(cw.compare(range(40), range(40), range(40), measure="accuracy"))
    'Confusion matrices are not drawn: there are 40 classes, and a record carries those of up to 30.'
    """
    if isinstance(result, Comparison) and result.joint is None and result.n_classes is not None:
        return f"Confusion matrices are not drawn: there are {result.n_classes:,} classes, {CARRIED}."
    if isinstance(result, Estimate) and result.confusion is None and result.n_classes is not None:
        return f"The confusion matrix is not drawn: there are {result.n_classes:,} classes, {CARRIED}."
    if isinstance(result, AgainstChance) and len(result.labels) > MOST_DRAWN:
        k = len(result.labels)
        return f"The confusion matrix is not drawn: there are {k:,} classes, and up to {MOST_DRAWN} can be read."
    return ""


def plot(
    result: Any,
    ax: Axes | None = None,
    kind: str | None = None,
    *,
    margin: float | None = None,
    alpha: float | None = None,
) -> Axes:
    """Draw the best picture of a result, or the one that ``kind`` names, and return its axes."""
    known = {picture.name: picture for picture in pictures(result, margin=margin, alpha=alpha)}
    if kind is None:
        kind = next(iter(known))
    if kind not in known:
        raise UnknownNameError("kind of picture", kind, known)
    picture = known[kind]
    return picture.draw(new_axes(picture.size, bare=picture.bare) if ax is None else ax)
