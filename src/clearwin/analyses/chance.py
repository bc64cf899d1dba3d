"""Is this one classifier better than chance?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from clearwin.analyses.judging import decided
from clearwin.analyses.repeating import repeatable
from clearwin.data.arrays import tally_arrays
from clearwin.data.matrices import LabelledMatrix, matrix_of, matrix_of_tally
from clearwin.data.questions import MOST_RESAMPLES, check_confidence_level, check_resamples
from clearwin.errors import UnknownNameError
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.intervals import Coverage, alpha_of, wilson
from clearwin.numerics.pvalues import PValue
from clearwin.results.base import Signature
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.chance import AgainstChance, ClassRecall
from clearwin.results.comparison import NAMELESS
from clearwin.significance import chance
from clearwin.streams import RngLike, Seed

NULL = (
    "{name} assigns its predictions to the items at random, each class as often as it did, so which items are "
    "right is luck"
)


@repeatable()
@matched_by_position()
def against_chance(
    matrix_or_truth: Any,
    prediction: Any = None,
    *,
    method: str = "auto",
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    labels: Sequence[Any] | None = None,
    rng: RngLike = None,
    name: str = NAMELESS,
) -> AgainstChance:
    """Return whether one classifier is better than chance.

    The classes can be any number, and chance has the same margins.

    Parameters
    ----------
    matrix_or_truth, prediction
        A confusion matrix (rows = truth) alone, or the true labels and the predictions.
    method
        ``"exact"``, ``"monte_carlo"``, ``"chi2"``, or ``"auto"``: exact when that is predicted to take under two
        seconds, else Monte-Carlo (nyssen1998's advice, at today's costs). The chi-square test runs only when asked for.
    confidence_level
        Level of the intervals; the decision is made at 1 − this level. It also sets the number of random tables of the
        Monte-Carlo test by nyssen1998, Table 1, unless ``n_resamples`` is given.
    labels
        Names of the classes of a matrix.

    Examples
    --------
    >>> import clearwin as cw
    >>> ulcer = [[9, 7, 3], [15, 17, 13], [3, 7, 28]]  # nyssen1998, Fig. 1
    >>> r = cw.against_chance(ulcer)
    >>> print(r.verdict())
    The classifier is better than chance: 54 of 102 right (52.9 %), where chance with the same margins gets 34.4 %
    (p = 5.85e-05). Shares beyond 43.3 to 62.3 % right are ruled out (95 % interval), and chance alone would get as
    many right in about 6 of 100,000 test sets. The null hypothesis is that the classifier assigns its predictions
    to the items at random, each class as often as it did, so which items are right is luck.
    >>> f"{cw.against_chance(ulcer, method='chi2').p_value:.4e}"
    '4.0818e-05'
    """
    if isinstance(matrix_or_truth, LabelledMatrix):  # read and checked already
        matrix = matrix_or_truth
    elif prediction is None:
        matrix = matrix_of(matrix_or_truth, labels)
    else:
        matrix = matrix_of_tally(tally_arrays(truth=matrix_or_truth, a=prediction))
    check_confidence_level(confidence_level)
    needed = min(chance.tables_needed(alpha_of(confidence_level)), MOST_RESAMPLES)
    draws = needed if n_resamples is None else n_resamples
    check_resamples(draws)
    if method not in ("auto", *chance.METHODS):
        raise UnknownNameError("method", method, ("auto", *chance.METHODS))
    cells = matrix.cells
    rows, columns = (tuple(int(x) for x in cells.sum(axis=axis)) for axis in (1, 0))
    margins = chance.Margins(rows, columns, int(np.trace(cells)))
    seconds = chance.predicted_seconds(margins, draws)
    chosen, why = _choose(method, margins, seconds)
    seed = Seed.of(rng).by_data(_fingerprint(matrix))
    p, statistic, caveats = _judge(chosen, margins, draws, seed)
    coverage = Coverage(confidence_level, "two-sided", 0.0, 1.0)
    interval = wilson(margins.right, margins.n, coverage)
    expected = margins.expected / margins.n
    efficiency = margins.right / margins.n
    return AgainstChance(
        name=name,
        n=margins.n,
        labels=matrix.labels,
        matrix=tuple(tuple(row) for row in cells.tolist()),
        right=margins.right,
        efficiency=efficiency,
        expected_efficiency=expected,
        kappa=(efficiency - expected) / (1 - expected) if expected < 1 else None,
        interval=interval,
        recalls=_recalls(matrix, coverage),
        method=chosen,
        why=why,
        seconds=seconds,
        null_hypothesis=NULL.format(name=name),
        statistic=statistic,
        p_value=p.value,
        log10_p=p.log10,
        p_error=p.error,
        p_bound=p.bound,
        decision=decided(p.value, confidence_level, 1.0),  # the claim is that it is better
        caveats=caveats + _caveats(matrix),
        signature=_signature(matrix, chosen, confidence_level, draws if chosen == "monte_carlo" else 0, seed),
    )


def _choose(method: str, margins: chance.Margins, seconds: dict[str, float]) -> tuple[str, str]:
    if method != "auto":
        return method, "asked for"
    if seconds["exact"] <= chance.EXACT_SECONDS:
        return "exact", "chosen automatically"
    drawn = margins.n < chance.MOST_DRAWN or not chance.is_affordable(margins)
    why = f"chosen automatically, although exact takes about {seconds['exact']:.2g} s"
    return ("monte_carlo", why.replace("although", "because")) if drawn else ("exact", why)


def _judge(method: str, margins: chance.Margins, draws: int, seed: Seed) -> tuple[PValue, float, tuple[Caveat, ...]]:
    if method == "exact":
        return chance.exact(margins), float(margins.right), ()
    if method == "monte_carlo":
        return chance.monte_carlo(margins, draws, seed), float(margins.right), ()
    return chance.chi2(margins)


def _recalls(matrix: LabelledMatrix, coverage: Coverage) -> tuple[ClassRecall, ...]:
    found = []
    for i, label in enumerate(matrix.labels):
        n, right = int(matrix.cells[i].sum()), int(matrix.cells[i, i])
        interval = wilson(right, n, coverage) if n else None
        found.append(ClassRecall(label, n, right, right / n if n else None, interval))
    return tuple(found)


def _caveats(matrix: LabelledMatrix) -> tuple[Caveat, ...]:
    caveats = []
    rows, columns = matrix.cells.sum(axis=1), matrix.cells.sum(axis=0)
    for totals, predicted in ((rows, False), (columns, True)):
        names = [label for label, total in zip(matrix.labels, totals.tolist(), strict=True) if total == 0]
        if names and (rows > 0).sum() > 1:
            caveats.append(caveat("empty_class", names=names, predicted=predicted))
    if (rows > 0).sum() == 1 or (columns > 0).sum() == 1:
        caveats.append(caveat("one_class"))
    return tuple(caveats)


def _fingerprint(matrix: LabelledMatrix) -> str:
    """Return a hash of the matrix and its labels."""
    return hashlib.sha256(repr((matrix.labels, matrix.cells.tolist())).encode()).hexdigest()[:16]


def _signature(matrix: LabelledMatrix, method: str, level: float, draws: int, seed: Seed) -> Signature:
    from clearwin import __version__

    return Signature(
        version=__version__,
        n=int(matrix.cells.sum()),
        measure="efficiency",
        test="chance",
        method=method,
        interval="wilson",
        claim="better",
        confidence_level=level,
        n_resamples=draws,
        seed=str(seed),
        data=_fingerprint(matrix),
    )
