"""Areas under ROC curves beyond one pair on one test set: many models at once, and two test sets."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping
from typing import Any

from clearwin.analyses.judging import signature_of
from clearwin.data.scores import ScoredItems, ScoreQuestion, scored_items
from clearwin.errors import DataError, NotApplicableError
from clearwin.execution import Seed
from clearwin.measures import find
from clearwin.numerics.auc_covariance import auc_covariance, contrast_chi2
from clearwin.numerics.intervals import Coverage
from clearwin.numerics.pvalues import Claim, of_chi2, of_normal
from clearwin.results.base import Caveat
from clearwin.results.claims import with_side
from clearwin.results.comparison import Comparison
from clearwin.results.leaderboard import Areas
from clearwin.significance import caveats
from clearwin.significance.base import check_settings
from clearwin.significance.delong import refuse_one_item
from clearwin.significance.options import Settings
from clearwin.text import refuse_alike


def compare_areas(
    truth: Any,
    scores: Mapping[str, Any],
    *,
    positive: Any = None,
    rank_infinite: bool = False,
    confidence_level: float = 0.95,
) -> Areas:
    """Test whether several models have the same AUC on the same items (DeLong's overall test).

    Null hypothesis: all areas are equal. The statistic is (Lθ)ᵀ(LSLᵀ)⁻¹(Lθ) for the successive differences L of the
    areas θ with covariance S; χ² with as many degrees of freedom as the differences have (DeLong et al. 1988).

    >>> import clearwin as cw
    >>> truth = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [0.9, 0.4, 0.8, 0.1, 0.5, 0.2, 0.6, 0.7], [0.8, 0.7, 0.9, 0.2, 0.3, 0.1, 0.6, 0.5]
    >>> found = cw.compare_areas(truth, {"a": a, "b": b})
    >>> round(found.p_value, 4) == round(cw.compare(truth, a, b, measure="auc", test="delong").p_value, 4)
    True
    """
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise DataError("compare_areas needs the scores of two models or more.", 'a mapping: {"svm": …, "rbf": …}')
    check_settings("different", confidence_level, 1, ("different",))
    names = tuple(str(name) for name in scores)
    refuse_alike(names)
    items = scored_items(truth, *scores.values(), positive=positive, rank_infinite=rank_infinite)
    found = auc_covariance(items.truth, items.scores)
    refuse_one_item(found)
    statistic, degrees = contrast_chi2(found)
    if math.isinf(statistic):
        raise NotApplicableError("Areas differ although their variance is 0.", "models that make some mistakes")
    p = of_chi2(statistic, degrees)
    coverage = Coverage(confidence_level, "two-sided", 0.0, 1.0)
    half = [coverage.z * math.sqrt(variance) for variance in found.covariance.diagonal()]
    areas = tuple(float(x) for x in found.aucs)
    intervals = tuple(coverage.interval(x - h, x + h, "wald") for x, h in zip(areas, half, strict=True))
    question = _question(items, confidence_level)
    return Areas(
        n=items.n,
        interval=intervals[0],
        caveats=_doubts(items, areas, names),
        names=names,
        areas=areas,
        intervals=intervals,
        covariance=tuple(tuple(row) for row in found.covariance.tolist()),
        statistic=statistic,
        degrees=degrees,
        p_value=p.value,
        log10_p=p.log10,
        null_hypothesis=f"{', '.join(names)} all have the same AUC in the population that the items were drawn from",
        signature=signature_of(question, "delong", "asymptotic", "wald"),
    )


def compare_unpaired(
    truth_a: Any,
    scores_a: Any,
    truth_b: Any,
    scores_b: Any,
    *,
    claim: Claim = "different",
    positive: Any = None,
    rank_infinite: bool = False,
    confidence_level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Compare the AUCs of two models that were judged on different, independent items (unpaired DeLong).

    Null hypothesis: both have the same AUC. The variances add, for there is no covariance.

    >>> import clearwin as cw
    >>> truth = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [0.9, 0.4, 0.8, 0.1, 0.5, 0.2, 0.6, 0.7], [0.8, 0.7, 0.9, 0.2, 0.3, 0.1, 0.6, 0.5]
    >>> r = cw.compare_unpaired(truth, a, truth, b)
    >>> f"{r.difference:.4f}, p = {r.p_value:.3f}"
    '0.1875, p = 0.268'
    """
    settings = Settings(claim=claim, confidence_level=confidence_level, names=names)
    sides = [
        scored_items(truth, scores, positive=positive, rank_infinite=rank_infinite)
        for truth, scores in ((truth_a, scores_a), (truth_b, scores_b))
    ]
    found = [auc_covariance(side.truth, side.scores) for side in sides]
    for one in found:
        refuse_one_item(one)
    a, b = (float(f.aucs[0]) for f in found)
    variance = float(sum(f.covariance[0, 0] for f in found))
    if variance == 0.0 and a != b:
        raise NotApplicableError("The areas differ although their variance is 0.", "models that make some mistakes")
    p = of_normal(b - a, math.sqrt(variance), claim)
    side = {"different": "two-sided", "better": "lower", "worse": "upper"}[claim]
    coverage = Coverage(confidence_level, side)  # type: ignore[arg-type]
    half = coverage.z * math.sqrt(variance)
    question = _question(sides[0], confidence_level, claim)
    signature = signature_of(question, "delong_unpaired", "asymptotic", "wald")
    both = hashlib.sha256("".join(s.fingerprint for s in sides).encode()).hexdigest()[:16]
    name_a, name_b = (str(name) for name in settings.names)
    return Comparison(
        name_a=name_a,
        name_b=name_b,
        n=sum(s.n for s in sides),
        measure="auc",
        measure_label="AUC",
        higher_is_better=True,
        estimate_a=a,
        estimate_b=b,
        difference=b - a,
        test="delong_unpaired",
        test_label="unpaired DeLong test",
        method="asymptotic",
        why="the models were judged on different items",
        claim=claim,
        null_hypothesis=with_side(
            f"{name_a} and {name_b} have the same AUC, each on items like its own", claim, name_b
        ),
        statistic=(b - a) / math.sqrt(variance) if variance else 0.0,
        p_value=p.value,
        log10_p=p.log10,
        p_error=None,
        interval=coverage.interval(b - a - half, b - a + half, "wald"),
        confidence=None,
        positive=str(sides[0].positive),
        positive_inferred=sides[0].inferred,
        thresholds=None,
        outcomes={"positives": sum(s.positives for s in sides), "negatives": sum(s.n - s.positives for s in sides)},
        error_reduction=None,
        undefined_replicates=0,
        caveats=_doubts(sides[0], (a,), (name_a,)) + _doubts(sides[1], (b,), (name_b,)),
        signature=dataclasses.replace(signature, n=sum(s.n for s in sides), data=both),
    )


def _question(items: ScoredItems, level: float, claim: Claim = "different") -> ScoreQuestion:
    return ScoreQuestion(items, find("auc"), claim, "auto", "auto", level, 0, Seed(0))


def _doubts(items: ScoredItems, areas: tuple[float, ...], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    return (
        *caveats.against_others(items.positive, items.against_others),
        *caveats.wrong_way_round(find("auc"), areas, names),
        *caveats.delong_out_of_range(areas, min(items.positives, items.n - items.positives)),
    )
