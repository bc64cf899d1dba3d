"""Areas under ROC curves of two models that were judged on two test sets."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from typing import Any

from clearwin.analyses.judging import decided, signature_of
from clearwin.data.questions import Options, Question
from clearwin.data.scores import ScoreSample, scored_items
from clearwin.errors import NotApplicableError
from clearwin.execution import Seed
from clearwin.measures import find
from clearwin.numerics.auc_covariance import auc_covariance
from clearwin.numerics.intervals import Coverage, student
from clearwin.numerics.pvalues import Claim, from_log, of_student
from clearwin.results.base import Caveat, with_side
from clearwin.results.comparison import Comparison
from clearwin.significance import caveats
from clearwin.significance.delong import refuse_one_item


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

    Null hypothesis: both have the same AUC. The variances v add, for there is no covariance; the difference over its
    standard error is taken for a Student's t with Satterthwaite's degrees of freedom, (v_a + v_b)²/(v_a²/(n_a − 1) +
    v_b²/(n_b − 1)) for n_a and n_b items, as in Welch's test and in R's pROC. The interval is that of the same t.

    >>> import clearwin as cw
    >>> truth = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [0.9, 0.4, 0.8, 0.1, 0.5, 0.2, 0.6, 0.7], [0.8, 0.7, 0.9, 0.2, 0.3, 0.1, 0.6, 0.5]
    >>> r = cw.compare_unpaired(truth, a, truth, b)
    >>> f"{r.difference:.4f}, p = {r.p_value:.3f}"
    '0.1875, p = 0.305'
    """
    given = {"claim": claim, "confidence_level": confidence_level, "names": names}
    options = Options.of("compare_unpaired", given)
    sides = [
        scored_items(truth, scores, positive=positive, rank_infinite=rank_infinite)
        for truth, scores in ((truth_a, scores_a), (truth_b, scores_b))
    ]
    found = [auc_covariance(side.truth, side.scores) for side in sides]
    for one in found:
        refuse_one_item(one)
    a, b = (float(f.aucs[0]) for f in found)
    variances = [float(f.covariance[0, 0]) for f in found]
    deviation = math.sqrt(sum(variances))
    if deviation == 0.0 and a != b:
        raise NotApplicableError("The areas differ although their variance is 0.", "models that make some mistakes")
    side = {"different": "two-sided", "better": "lower", "worse": "upper"}[claim]
    coverage = Coverage(confidence_level, side)  # type: ignore[arg-type]
    statistic, p, interval = 0.0, from_log(0.0), coverage.interval(b - a, b - a, "t")
    if deviation:
        degrees = sum(variances) ** 2 / sum(v * v / (s.n - 1) for v, s in zip(variances, sides, strict=True))
        statistic = (b - a) / deviation
        p, interval = of_student(statistic, degrees, claim), student(b - a, deviation, degrees, coverage)
    question = _question(sides[0], confidence_level, claim)
    signature = signature_of(question, "delong_unpaired", "welch", "t")
    both = hashlib.sha256("".join(s.fingerprint for s in sides).encode()).hexdigest()[:16]
    name_a, name_b = options.names
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
        method="welch",
        why="the models were judged on different items",
        claim=claim,
        null_hypothesis=with_side(
            f"{name_a} and {name_b} have the same AUC, each on items like its own", claim, name_b
        ),
        statistic=statistic,
        p_value=p.value,
        log10_p=p.log10,
        p_error=None,
        interval=interval,
        confidence=None,
        positive=str(sides[0].positive),
        positive_inferred=sides[0].about.inferred,
        thresholds=None,
        outcomes={"positives": sum(s.positives for s in sides), "negatives": sum(s.n - s.positives for s in sides)},
        error_reduction=None,
        decision=decided(p.value, confidence_level, b - a),
        lead=b - a,
        undefined_replicates=0,
        caveats=_doubts(sides[0], (a,), (name_a,)) + _doubts(sides[1], (b,), (name_b,)),
        signature=dataclasses.replace(signature, n=sum(s.n for s in sides), data=both, n_resamples=0),
    )


def _question(items: ScoreSample, level: float, claim: Claim) -> Question[ScoreSample]:
    return Question(items, find("auc"), Options(claim=claim, confidence_level=level, n_resamples=1, seed=Seed(0)))


def _doubts(items: ScoreSample, areas: tuple[float, ...], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    return (
        *caveats.against_others(items.positive, items.about.against_others),
        *caveats.wrong_way_round(find("auc"), areas, names),
        *caveats.delong_out_of_range(areas, min(items.positives, items.n - items.positives)),
    )
