"""The verb ``curve``: ROC, DET or precision–recall of one or two models' scores, with the points that matter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearwin.curves.bands import Bands, bands
from clearwin.curves.dominance import dominance
from clearwin.curves.key_points import LowestCost, break_even, equal_error, lowest_cost, roc_at
from clearwin.curves.points import (
    OperatingPoints,
    average_precision,
    det_curve,
    operating_points,
    pr_curve,
    roc_area,
    roc_curve,
)
from clearwin.data.arrays import check_missing, drop_missing, given_or_fetched, names_of
from clearwin.data.questions import check_confidence_level, check_resamples
from clearwin.data.scores import ScoreSample, of_which_lower_is_positive, scored_items
from clearwin.errors import OptionError, UnknownNameError
from clearwin.execution import RngLike, Seed
from clearwin.numerics.arrays import Floats
from clearwin.results.base import Caveat, Signature
from clearwin.results.curves import ModelCurve, ScoreCurves
from clearwin.significance.caveats import FEW_OF_A_CLASS, against_chance, against_others, chance_levels
from clearwin.text import refuse_alike

CURVES = {"roc": roc_curve, "det": det_curve, "pr": pr_curve}
RECALL_AT = (0.01, 0.05, 0.1)  # false positive rates
BAND_DRAWS = 6  # the stream of the seed that bands draw from


def curve(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    kind: str = "roc",
    positive: Any = None,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    missing: str = "refuse",
    bands: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    cost_fn: float = 1.0,
    cost_fp: float = 1.0,
    prior: float | None = None,
    rng: RngLike = None,
    names: tuple[str, ...] | None = None,
) -> ScoreCurves:
    """Return the curve of the scores ``a``, or of ``a`` and ``b`` on the same items, with its key points.

    Parameters
    ----------
    truth, a, b
        One label, and one score of each model, for every item; higher scores speak for the positive class.
    data
        A frame, whose columns the others then name, as in :func:`compare`.
    kind
        "roc" (recall against false positives), "det" (both error rates as normal deviates) or "pr" (precision
        against recall).
    positive, rank_infinite, lower_is_positive
        The positive class, unless 0/1, False/True or -1/1; take infinite scores as the highest or lowest; lower scores
        speak for the positive class (True, or the names of the models of which that is so).
    missing
        Items of which something is missing: "refuse", or "drop".
    bands, confidence_level, n_resamples, rng
        Pointwise confidence bands by the bootstrap over items: whether, at which level, from how many replicates, and
        the seed (int, SeedSequence or Generator).
    cost_fn, cost_fp, prior
        What the lowest cost is of: cost_fn · prior · fnr + cost_fp · (1 − prior) · fpr. The prior is the share of
        positive items unless given.
    names
        What to call the models.

    Examples
    --------
    >>> import clearwin as cw
    >>> r = cw.curve([1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1], [0.9, 0.2, 0.8, 0.3], names=("old", "new"))
    >>> r.models[0].auc, r.models[1].auc, r.dominance.overall
    (0.75, 1.0, 'b')
    """
    if not isinstance(kind, str) or kind not in CURVES:
        raise UnknownNameError("kind of curve", kind, CURVES)
    check_confidence_level(confidence_level)
    check_resamples(n_resamples)
    called = _names(names_of(a, b, data) if names is None else names, 1 if b is None else 2)
    truth, a, b = given_or_fetched(data, truth=truth, a=a, b=b)
    check_missing(missing)
    left_out: tuple[Caveat, ...] = ()
    if missing == "drop":
        kept, left_out = drop_missing({"truth": truth, "a": a, "b": b})
        truth, a, b = kept.values()
    scores = (a,) if b is None else (a, b)
    lower = of_which_lower_is_positive(lower_is_positive, dict(zip("ab", called, strict=False)))
    items = scored_items(truth, *scores, positive=positive, rank_infinite=rank_infinite, lower_is_positive=lower)
    seed = Seed.of(rng)
    all_points = [
        operating_points(items.truth, column.astype(kind))
        for column, kind in zip(items.scores, items.types, strict=True)
    ]
    models = []
    for i, (name, points) in enumerate(zip(called, all_points, strict=True)):
        best = lowest_cost(points, cost_fn=cost_fn, cost_fp=cost_fp, prior=prior)
        drawn = _bands(items, i, kind, confidence_level, int(n_resamples), seed) if bands else None
        model = _model(name, points, kind, best, drawn)
        models.append(_at_given_scores(model) if items.about.lower_is_positive[i] else model)
    return ScoreCurves(
        kind=models[0].curve.kind,
        models=tuple(models),
        dominance=dominance(*all_points) if b is not None else None,
        n=items.n,
        positives=items.positives,
        negatives=items.n - items.positives,
        positive=str(items.positive),
        positive_inferred=items.about.inferred,
        lower_is_positive=tuple(m.name for m, low in zip(models, items.about.lower_is_positive, strict=True) if low),
        caveats=_caveats(items, models, left_out),
        signature=_signature(items, kind, bands, confidence_level, int(n_resamples), seed),
    )


def _names(names: Any, models: int) -> list[str]:
    """Return a name for each model; of two names the first is that of a single model."""
    given = [str(name) for name in names] if isinstance(names, tuple | list) else []
    if len(given) not in (models, 2) or len(set(given)) < len(given):
        example = 'names=("svm", "rbf")' if models == 2 else 'names=("svm",)'
        raise OptionError(f"names is {names!r}.", "two different names" if models == 2 else "one name", example)
    refuse_alike(given[:models])
    return given[:models]


def _model(name: str, points: OperatingPoints, kind: str, best: LowestCost, drawn: Bands | None) -> ModelCurve:
    areas = roc_area(points), average_precision(points)
    recalls = tuple(roc_at(points, fpr=rate) for rate in RECALL_AT)
    return ModelCurve(name, CURVES[kind](points), *areas, equal_error(points), best, break_even(points), recalls, drawn)


def _at_given_scores(model: ModelCurve) -> ModelCurve:
    """Return the same curve with thresholds of the scores that were given, which were turned to be ranked."""
    return replace(
        model,
        curve=replace(model.curve, thresholds=0.0 - model.curve.thresholds),
        equal_error=replace(model.equal_error, threshold=0.0 - model.equal_error.threshold),
        lowest_cost=replace(model.lowest_cost, threshold=0.0 - model.lowest_cost.threshold),
        recall_at=tuple(replace(point, threshold=0.0 - point.threshold) for point in model.recall_at),
    )


def _bands(items: ScoreSample, model: int, kind: str, level: float, n_resamples: int, seed: Seed) -> Bands:
    across = items.positives if kind == "pr" else items.n - items.positives
    return bands(
        items.truth,
        items.scores[model],
        kind=kind,
        level=level,
        n_resamples=n_resamples,
        rng=seed.stream(BAND_DRAWS, model),
        grid=_grid(kind, across),
    )


def _grid(kind: str, across: int) -> Floats:
    """Hundredths, and finer towards both ends, where good models have their bends, down to one item of ``across``."""
    rates = np.arange(101) / 100
    if across > 10:
        fine = np.geomspace(1 / across, 0.2, 100)
        rates = np.unique(np.concatenate([rates, fine, 1 - fine]))
    return rates[1:-1] if kind == "det" else rates


def _caveats(items: ScoreSample, models: list[ModelCurve], left_out: tuple[Caveat, ...]) -> tuple[Caveat, ...]:
    doubts = [*against_chance(chance_levels(items), [model.name for model in models]), *left_out]
    doubts += against_others(items.positive, items.about.against_others)
    fewest = min(items.positives, items.n - items.positives)
    if fewest < FEW_OF_A_CLASS:
        text = f"The smaller class has {fewest} item{'s' if fewest > 1 else ''}: the curve rests on very few."
        doubts.append(Caveat("few_of_a_class", text, "fewer than 20 items of a class"))
    text = (
        "The thresholds for EER and lowest cost were chosen on the same items that they are judged on, which flatters."
    )
    doubts.append(Caveat("threshold_on_test", text, "choose them on a development set"))
    undefined = max(model.bands.undefined_replicates if model.bands else 0 for model in models)
    if undefined:
        text = (
            f"In {undefined:,} replicates of the bands a class had no item. They were kept: without positive items "
            "recall and precision are 0, without negative ones recall is 1."
        )
        doubts.append(Caveat("undefined_replicates", text))
    return tuple(doubts)


def _signature(
    items: ScoreSample, kind: str, drawn: bool, confidence_level: float, n_resamples: int, seed: Seed
) -> Signature:
    from clearwin import __version__

    return Signature(
        version=__version__,
        n=items.n,
        measure=kind,
        test="none",
        method="curve",
        interval="pointwise percentile" if drawn else "none",
        claim="none",
        confidence_level=confidence_level,
        n_resamples=n_resamples if drawn else 0,
        seed=str(seed),
        data=items.fingerprint,
    )
