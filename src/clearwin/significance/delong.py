"""DeLong's test: two areas under the ROC curve on the same items, with their covariance."""

from __future__ import annotations

import math

from clearwin.data.binned_scores import BinnedScores
from clearwin.data.questions import Question
from clearwin.data.scores import ScoreSample
from clearwin.errors import NotApplicableError
from clearwin.numerics import pvalues
from clearwin.numerics.auc_covariance import AucCovariance, BinnedAreas
from clearwin.numerics.intervals import Coverage, student, student_quantile
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.significance import caveats
from clearwin.significance.base import Finding, able, instead, test
from clearwin.significance.claims import JudgedDifference, PValueFunction, judged_with_margin


def refuse_one_item(areas: AucCovariance | BinnedAreas, advice: str) -> None:
    """Raise if a class has one item: its part of the variance is unknown, and p-values become absurd."""
    if areas.degenerate:
        raise NotApplicableError(
            "A class has only one item, so DeLong's variance cannot be estimated.",
            "at least two items of each class, ideally twenty",
            advice,
        )


def _degrees(question: Question[ScoreSample | BinnedScores]) -> float | None:
    """Return the degrees of freedom by groups: one less than the effective number of those that hold the rarer class.

    The normal distribution would reject equal models too often; with 40 groups of 10 this does so 5.5 % of the time at
    5 % (`make study`, seed 40).
    """
    if question.sample.groups_of_classes is None:
        return None
    held, effective = question.sample.groups_of_classes
    if held < 2:
        raise NotApplicableError(
            "All items of a class are in one group, so the variance by groups cannot be estimated.",
            "items of each class in at least two groups, ideally twenty",
            instead(question, "permutation", "bootstrap"),
        )
    return effective - 1.0


class ShiftedAreas(PValueFunction):
    """p(δ) of a difference of two areas: (difference − δ)/deviation, by the normal distribution or Student's t."""

    method, interval_method = "asymptotic", "wald"

    def __init__(self, question: Question[ScoreSample | BinnedScores], deviation: float, degrees: float | None) -> None:
        if deviation == 0.0:
            raise NotApplicableError(
                "DeLong's variance of the difference is 0, so its distance from the margin cannot be judged.",
                "models that rank some items differently",
                instead(question, "studentised"),
            )
        self.observed, self.error, self._degrees = question.difference, deviation, degrees

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        return "the difference is compared with the margin"

    @property
    def degrees(self) -> float:
        """The degrees of freedom by groups, or infinitely many."""
        return math.inf if self._degrees is None else self._degrees

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Return whether it asks if the models differ at all; at a margin it does not."""
        return False

    def t(self, delta: float) -> float:
        """Return z, or t."""
        return (self.observed - delta) / self.error

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        if self._degrees is None:
            return pvalues.of_normal(self.t(delta), 1.0, claim)
        return pvalues.of_student(self.t(delta), self._degrees, claim)

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return how far from the observed value an end of the interval lies."""
        inside, outside = self._reach(direction, coverage, known)
        quantile = coverage.z if self._degrees is None else student_quantile(coverage.tail, self._degrees)
        return min(max(quantile * self.error, inside), outside)


@test(
    label="DeLong test",
    question="Do the two models rank the items equally well?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the items were drawn from",
    judges=("none",),
    methods=("asymptotic",),
    intervals=("wald",),
    formula="z = (AUC_b − AUC_a)/√(var_a + var_b − 2 cov), from the structural components of each class",
    source="DeLong, DeLong, Clarke-Pearson 1988; by midranks: Sun and Xu 2014; by groups: Obuchowski 1997",
    assumes="independent items, enough of each class",
    takes=("scores",),
    only=("auc",),
    whole_units=("scores",),
    takes_bins=True,
    takes_margin=True,
)
def delong(question: Question[ScoreSample | BinnedScores]) -> Finding:
    """Test two correlated areas under the ROC curve.

    Null hypothesis: both have the same AUC in the population. Formula: z = (AUC_b − AUC_a)/√(var_a + var_b − 2 cov),
    where variances and covariance come from the structural components: for every positive the share of negatives that
    it beats, for every negative the share of positives that beat it. In O(n log n) by midranks.

    With groups the components are added up in every group (Obuchowski, Biometrics 53, 1997), and z is compared with
    Student's t with one degree of freedom less than the effective number of groups that hold the rarer class. With a
    margin the difference is compared with the margin instead of 0, by the same standard error. Scores counted in bins
    are treated as tied within their bins, and a caveat gives the bounds of the error.

    Source: DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988). It is conservative where n(1 − AUC) is under 3, and
    its level is off for fewer than 20 items of a class; use the permutation test there.

    >>> import clearwin as cw
    >>> truth = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [0.9, 0.4, 0.8, 0.1, 0.5, 0.2, 0.6, 0.7], [0.8, 0.7, 0.9, 0.2, 0.3, 0.1, 0.6, 0.5]
    >>> r = cw.compare(truth, a, b, measure="auc", test="delong")
    >>> f"{r.estimate_a:.4f}, {r.estimate_b:.4f}, p = {r.p_value:.4f}"
    '0.8125, 1.0000, p = 0.2679'
    """
    refuse_one_item(question.sample.areas, instead(question, "permutation", "bootstrap"))
    degrees = _degrees(question)
    variance = question.sample.area_variance or 0.0
    if variance == 0.0 and question.difference != 0.0:
        raise NotApplicableError(
            "DeLong's variance of the difference is 0 although the areas differ: each model "
            "separates the classes perfectly, or perfectly the wrong way.",
            "models that make some mistakes",
            instead(question, "permutation"),
        )
    deviation = math.sqrt(variance)
    smallest = min(n for _, n in question.class_sizes)
    raised = caveats.delong_out_of_range(question.estimates, smallest, able(question, "permutation"))
    strata = None if question.sample.stratified else question.sampling  # the class sizes are held fixed by the variance
    raised += caveats.ignores_strata("DeLong test", question, strata) + caveats.few_groups_of_a_class(question)
    if question.margin is not None:
        return judged_with_margin(question, ShiftedAreas(question, deviation, degrees), raised)
    statistic = question.difference / deviation if deviation else 0.0
    if degrees is not None and deviation:
        p = pvalues.of_student(question.gain / deviation, degrees, question.claim)
        interval = student(question.difference, deviation, degrees, question.coverage)
    else:
        p = pvalues.of_normal(question.gain, deviation, question.claim)
        half = question.coverage.z * deviation
        interval = question.coverage.interval(question.difference - half, question.difference + half, "wald")
    return Finding("asymptotic", statistic, p, interval, caveats=raised)
