"""Kosinski's weighted generalised score test: do two models have the same precision?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from clearwin.data.questions import Question
from clearwin.data.samples import DecisionSample
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import Coverage, Interval
from clearwin.numerics.paired_intervals import bisect
from clearwin.significance import caveats
from clearwin.significance.base import Finding, test


@dataclass(frozen=True)
class Predicted:
    """The items that A, B and both predict positive, and how many of each are right."""

    a: int
    b: int
    right_a: int
    right_b: int
    both_right: int
    both_wrong: int

    @property
    def difference(self) -> float:
        """Precision of B less that of A."""
        return self.right_b / self.b - self.right_a / self.a

    def deviation(self, difference: float) -> float:
        """Return the standard error of the difference if that were the true one: the weighted mean is kept."""
        n = self.a + self.b
        pooled = (self.right_a + self.right_b) / n
        p_a = min(max(pooled - difference * self.b / n, 0.0), 1.0)
        p_b = min(max(pooled + difference * self.a / n, 0.0), 1.0)
        shared = self.both_right * (1.0 - p_a) * (1.0 - p_b) + self.both_wrong * p_a * p_b
        alone = p_a * (1.0 - p_a) * self.b + p_b * (1.0 - p_b) * self.a
        return math.sqrt(max(alone - 2.0 * shared, 0.0) / (self.a * self.b))

    def interval(self, coverage: Coverage) -> Interval:
        """Return all differences not rejected; within ±1 the distance grows faster than the standard error."""

        def kept(difference: float) -> bool:
            return abs(self.difference - difference) <= coverage.z * self.deviation(difference)

        low = bisect(lambda at: not kept(at), -1.0, self.difference) if not kept(-1.0) else -1.0
        high = bisect(kept, self.difference, 1.0) if not kept(1.0) else 1.0
        return coverage.interval(low, high, "score")


@test(
    label="weighted generalised score test",
    question="Is the same share of each model's positive predictions right?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the items were drawn from",
    judges=("none",),
    methods=("asymptotic",),
    intervals=("score",),
    formula="z = (p_b − p_a)/√((p(1 − p) − 2c)(1/n_a + 1/n_b)) of the n_a and n_b items predicted positive, p = the "
    "share of them that is right, both together, c = (s(1 − p)² + t p²)/(n_a + n_b) for s right and t wrong ones that "
    "both predict",
    source="Kosinski 2013",
    assumes="independent items, and many that each model predicts positive",
    only=("precision",),
)
def kosinski(question: Question[DecisionSample]) -> Finding:
    """Test two precisions (positive predictive values) on the same items.

    Null hypothesis: the same precision in the population; the models may predict different numbers of positives, and
    need not be exchangeable. The items that both predict positive are the same items, and c subtracts what they have in
    common. The interval holds every difference δ that the same test does not reject, with p ∓ δ·n/(n_a + n_b), n the
    other model's number, in place of p.

    The negative predictive value is the precision of the other class: name that one as the positive class.

    A model that never predicts the class says nothing about its precision: p = 1, and the interval holds everything.

    Source: Kosinski, Statistics in Medicine 32, 2013; it corrects the score test of Leisenring, Alonzo and Pepe (2000).

    The data of R's DTComPair, whose ``pv.wgs`` prints 5.46588745 = z² and p = 0.01939120:

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=319, e2=22, e3=78, e4=32, e5=31, e6=22, e7=53, e8=155)
    >>> r = cw.compare(joint, measure="precision", test="kosinski")
    >>> print(f"z² = {r.statistic**2:.6f}, p = {r.p_value:.8f}")
    z² = 5.465887, p = 0.01939120
    """
    e1, e2, e3, _, e5, e6, e7, _ = question.sample.joint.events.values()
    predicted = Predicted(e1 + e3 + e5 + e7, e1 + e2 + e5 + e6, e1 + e3, e1 + e2, e1, e5)
    if not (predicted.a and predicted.b):
        return Finding("asymptotic", 0.0, pvalues.from_log(0.0), question.coverage.interval(-1.0, 1.0, "score"))
    deviation = predicted.deviation(0.0)
    p = pvalues.of_normal(question.gain, deviation, question.claim)
    statistic = predicted.difference / deviation if deviation else 0.0
    alone = predicted.a + predicted.b - 2 * (e1 + e5)
    pooled = (predicted.right_a + predicted.right_b) / (predicted.a + predicted.b)
    what = "the items that one model predicts positive, or one model only"
    raised = caveats.normal_approximation(what, min(predicted.a, predicted.b, alone), pooled)
    return Finding("asymptotic", statistic, p, predicted.interval(question.coverage), caveats=raised)
