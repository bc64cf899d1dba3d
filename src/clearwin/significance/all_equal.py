"""One test for all models at once, where there is a classical one: are they all the same?"""

from __future__ import annotations

import math
from functools import singledispatch

import numpy as np

from clearwin.data.decisions import AnswerSample
from clearwin.data.samples import Sample
from clearwin.data.scores import ScoreSample
from clearwin.measures import Measure
from clearwin.numerics.auc_covariance import auc_covariance, contrast_chi2
from clearwin.numerics.pvalues import of_chi2
from clearwin.results.leaderboard import OverallTest


def _record(name: str, label: str, statistic: float, degrees: int, null_hypothesis: str) -> OverallTest:
    p = of_chi2(statistic, degrees)
    return OverallTest(name, label, statistic, degrees, p.value, p.log10, null_hypothesis)


@singledispatch
def all_equal(sample: Sample, measure: Measure) -> OverallTest | None:
    """Return the test for all models at once; None if these data and this measure have none."""
    return None


@all_equal.register(AnswerSample)
def _of_answers(answers: AnswerSample, measure: Measure) -> OverallTest | None:
    """Return Cochran's Q (Biometrika 37, 1950) for a mean over items; None for other measures, and for groups.

    Q = (m − 1)(m Σ G² − T²)/(m T − Σ L²), with G a model's right items, L the models that have an item right and T the
    sum of either; χ² on m − 1 degrees of freedom. Null hypothesis: on every item all models are as likely to be right.
    """
    if not measure.is_mean or answers.grouping.groups is not None:
        return None
    right = answers.right
    m, items = len(answers.names), answers.items
    of_models = [int(items[mine].sum()) for mine in right]
    of_items = right.sum(axis=0)
    total = sum(of_models)
    spread = m * total - int((items * of_items**2).sum())
    statistic = (m - 1) * (m * sum(g * g for g in of_models) - total * total) / spread if spread else 0.0
    text = "on every item all models are equally likely to be right"
    return _record("cochran_q", "Cochran's Q", statistic, m - 1 if spread else 0, text)


@all_equal.register(ScoreSample)
def _of_scores(items: ScoreSample, measure: Measure) -> OverallTest | None:
    """Return DeLong's overall test (1988) for AUC; None for other measures, for groups, and where it is undefined."""
    if not measure.is_area or items.grouping.groups is not None:
        return None
    areas = auc_covariance(items.truth, items.scores)
    if areas.degenerate:
        return None
    statistic, degrees = contrast_chi2(areas)
    if math.isinf(statistic):
        return None
    return _record("delong", "DeLong's χ²", float(np.float64(statistic)), degrees, "all models have the same AUC")
