"""The verb ``curve``: ROC, DET or precision–recall curves of one or more models, with the points that matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from clearwin.analyses.estimate import estimated
from clearwin.analyses.rank import named_models
from clearwin.analyses.repeating import repeatable
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
from clearwin.data.arrays import check_missing, drop_missing, names_of
from clearwin.data.questions import Options, check_confidence_level, check_resamples
from clearwin.data.reading import Reading
from clearwin.data.scores import ScoreSample, models_with_lower_positive, scored_items
from clearwin.errors import OptionError, UnknownNameError
from clearwin.measures import find
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Interval
from clearwin.reading.opening import refuse_id_of_arrays, takes_table
from clearwin.reading.reading import fetched
from clearwin.reading.table import Table
from clearwin.results.base import Signature
from clearwin.results.caveats import FEW_OF_A_CLASS, Caveat, caveat
from clearwin.results.curves import ModelCurve, ScoreCurves
from clearwin.significance.caveats import against_chance, against_others, chance_levels
from clearwin.streams import Purpose, RngLike, Seed
from clearwin.text import refuse_alike

CURVES = {"roc": roc_curve, "det": det_curve, "pr": pr_curve}
RECALL_AT = (0.01, 0.05, 0.1)  # false positive rates


@repeatable()
@matched_by_position()
@takes_table
def curve(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
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
    fpr: float | None = None,
    rng: RngLike = None,
    names: tuple[str, ...] | None = None,
) -> ScoreCurves:
    """Return ROC, DET or precision–recall curves with their key points.

    There is one for the scores ``a``, for ``a`` and ``b``, or for each of many models on the same items.

    Parameters
    ----------
    truth, a, b
        One label, and one score of each model, for every item; higher scores mean the positive class. For many models
        ``a`` is a mapping from names to scores, as in :func:`rank`.
    data
        A file or frame, whose columns the others then name, as in :func:`compare`; for many models ``a`` is a list of
        columns or of patterns such as "bert*".
    id
        The column of files with the items' ids.
    kind
        "roc" (recall against false positives), "det" (both error rates as normal deviates) or "pr" (precision
        against recall).
    positive, rank_infinite, lower_is_positive
        The positive class, unless 0/1, False/True or -1/1; rank infinite scores highest or lowest; lower scores
        mean the positive class (True, or the names of the models for which that holds).
    missing
        What to do with items that lack a value: "refuse" or "drop" them.
    bands, confidence_level, n_resamples, rng
        Whether to add pointwise confidence bands by the bootstrap over items, their level, the number of replicates,
        and the seed (int, SeedSequence or Generator). Level and seed are also those of the intervals of AUC and EER,
        which are what :func:`estimate` gives.
    cost_fn, cost_fp, prior
        The cost whose lowest value is reported: cost_fn · prior · fnr + cost_fp · (1 − prior) · fpr. The prior is the
        share of positive items unless given.
    fpr
        A further false positive rate at which recall is listed.
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
    refuse_id_of_arrays(data, id)
    check_missing(missing)
    how_given = Reading(missing=missing, rank_infinite=rank_infinite)
    called, truth, scores, columns = _given(data, truth, a, b, names, how_given)
    roles = ("a", "b")[: len(called)] if len(called) <= 2 else tuple(called)
    left_out: tuple[Caveat, ...] = ()
    if missing == "drop":
        kept, left_out = drop_missing({"truth": truth, **dict(zip(roles, scores, strict=True))}, columns)
        truth, scores = kept["truth"], tuple(kept[role] for role in roles)
    lower = models_with_lower_positive(lower_is_positive, dict(zip(roles, called, strict=True)))
    how_read = {"positive": positive, "rank_infinite": rank_infinite, "roles": roles, "lower_is_positive": lower}
    items = scored_items(truth, *scores, **how_read)
    seed = Seed.of(rng).by_data(items.fingerprint)
    all_points = [
        operating_points(items.truth, column.astype(kind))
        for column, kind in zip(items.scores, items.types, strict=True)
    ]
    models = []
    for i, (name, points) in enumerate(zip(called, all_points, strict=True)):
        best = lowest_cost(points, cost_fn=cost_fn, cost_fp=cost_fp, prior=prior)
        drawn = _bands(items, i, kind, confidence_level, int(n_resamples), seed) if bands else None
        how = Options(confidence_level=confidence_level, seed=seed, names=(name,))
        intervals = [estimated((items.of_model(i), find(of)), how).interval for of in ("auc", "eer")]
        model = _model(name, points, kind, best, drawn, intervals)
        if fpr is not None:
            model = replace(model, recall_at=(*model.recall_at, roc_at(points, fpr=fpr)))
        models.append(_at_given_scores(model) if items.about.lower_is_positive[i] else model)
    return ScoreCurves(
        kind=models[0].curve.kind,
        models=tuple(models),
        dominance=dominance(*all_points) if len(all_points) == 2 else None,
        n=items.n,
        positives=items.positives,
        negatives=items.n - items.positives,
        positive=str(items.positive),
        positive_inferred=items.about.inferred,
        lower_is_positive=tuple(m.name for m, low in zip(models, items.about.lower_is_positive, strict=True) if low),
        caveats=_caveats(items, models, left_out),
        signature=_signature(items, kind, bands, confidence_level, int(n_resamples), seed),
    )


Given = tuple[list[str], Any, tuple[Any, ...], dict[str, str]]


def _given(data: Table | None, truth: Any, a: Any, b: Any, names: Any, how: Reading) -> Given:
    """Return the models' names, the truth, the scores of one, two or many models, and what their columns are called."""
    many = isinstance(a, Mapping) or (hasattr(type(a), "columns") and data is None)
    patterns = isinstance(a, str) and any(sign in a for sign in "*?")
    if data is not None and b is None and (isinstance(a, list | tuple) or patterns):
        columns = data.model_columns(a, truth, [], find("auc")).by_name
        truth, a, how = fetched(data, truth, columns, find("auc"), how)
        many = True
    if not many:
        models = {"a": a} if b is None and not (data is not None and data.has_both(b)) else {"a": a, "b": b}
        if names is None:
            names = names_of(a, b) if data is None else data.names(truth, models, how)
        called = _names(names, len(models))
        if data is not None:
            truth, models, how = fetched(data, truth, models, find("auc"), how)
        return called, truth, tuple(models.values()), dict(how.columns)
    if b is not None or names is not None:
        raise OptionError(
            f"Both many models and {'b' if b is not None else 'names'} were given.",
            "a mapping from names to scores, and nothing else",
            'curve(truth, {"svm": …, "rbf": …})',
        )
    models = named_models(a)
    refuse_alike(tuple(models))
    return list(models), truth, tuple(models.values()), dict(how.columns)


def _names(names: Any, models: int) -> list[str]:
    """Return a name for each model; a single model gets the first of two names."""
    given = [str(name) for name in names] if isinstance(names, tuple | list) else []
    if len(given) not in (models, 2) or len(set(given)) < len(given):
        example = 'names=("svm", "rbf")' if models == 2 else 'names=("svm",)'
        raise OptionError(f"names is {names!r}.", "two different names" if models == 2 else "one name", example)
    refuse_alike(given[:models])
    return given[:models]


def _model(
    name: str, points: OperatingPoints, kind: str, best: LowestCost, drawn: Bands | None, intervals: list[Interval]
) -> ModelCurve:
    areas = roc_area(points), average_precision(points)
    recalls = tuple(roc_at(points, fpr=rate) for rate in RECALL_AT)
    curve, even = CURVES[kind](points), break_even(points)
    return ModelCurve(name, curve, *areas, equal_error(points), best, even, recalls, drawn, *intervals)


def _at_given_scores(model: ModelCurve) -> ModelCurve:
    """Return the same curve with thresholds on the scores as given; they were negated for ranking."""
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
        rng=seed.stream(Purpose.CURVE_BANDS, model),
        grid=_grid(kind, across),
    )


def _grid(kind: str, across: int) -> Floats:
    """Return hundredths, and finer steps towards both ends, where good models bend, down to one item of ``across``."""
    rates = np.arange(101) / 100
    if across > 10:
        fine = np.geomspace(1 / across, 0.2, 100)
        rates = np.unique(np.concatenate([rates, fine, 1 - fine]))
    return rates[1:-1] if kind == "det" else rates


def _caveats(items: ScoreSample, models: list[ModelCurve], left_out: tuple[Caveat, ...]) -> tuple[Caveat, ...]:
    caveats = [*against_chance(chance_levels(items), [model.name for model in models]), *left_out]
    caveats += against_others(items.positive, items.about.against_others)
    fewest = min(items.positives, items.n - items.positives)
    if fewest < FEW_OF_A_CLASS:
        caveats.append(caveat("few_of_a_class", "curve", n=fewest))
    caveats.append(caveat("threshold_on_test", "curve"))
    undefined = max(model.bands.undefined_replicates if model.bands else 0 for model in models)
    if undefined:
        caveats.append(caveat("class_lost_in_bands", undefined=undefined))
    return tuple(caveats)


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
