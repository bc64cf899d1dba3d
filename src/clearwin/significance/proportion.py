"""Proportion tests: the error rates of two models, of all items (4)(6) or summed over classes (8)(9)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from clearwin.data.questions import Question
from clearwin.data.samples import DecisionSample
from clearwin.errors import NotApplicableError, setting
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import Coverage, Interval
from clearwin.numerics.paired_intervals import Share, mover, mover_score, mover_z, tango
from clearwin.numerics.pvalues import Claim, PValue
from clearwin.results.caveats import Caveat, caveat
from clearwin.significance import caveats
from clearwin.significance.base import Finding, test
from clearwin.significance.claims import JudgedDifference, PValueFunction, judged_with_margin
from clearwin.text import called


@dataclass(frozen=True)
class Part:
    """A disjoint set of items with its weight in the measure: all items, or one class."""

    name: str
    weight: float
    n: int
    wrong_a: int
    wrong_b: int
    only_a_wrong: int
    only_b_wrong: int


def parts(question: Question[DecisionSample]) -> list[Part]:
    """Return what the measure is a weighted sum of error rates over."""
    joint = question.sample.joint
    if question.measure.decomposition == "items":
        only_a, only_b = joint.only_a_wrong, joint.only_b_wrong
        both = joint.both_wrong
        return [Part("all items", 1.0, joint.n, only_a + both, only_b + both, only_a, only_b)]
    weights = question.measure.weights(joint.k)
    named = [called("class", label) for label in joint.labels]
    of_classes = [Part(named[i], weight, *joint.of_class(i)) for i, weight in enumerate(weights) if weight]
    return [part for part in of_classes if part.n > 0]


@test(
    label="proportion test",
    question="Do the two models have the same error rate, as if on two independent test sets?",
    null_hypothesis="{a} and {b} have the same {measure}, as if each had been judged on its own items",
    judges=("items", "classes"),
    methods=("asymptotic",),
    intervals=("wald",),
    formula="z = D/σ, σ² = Σ w² 2 c̄(1 − c̄)/n over the classes, c̄ = (c_a + c_b)/2",
    source="keller2004 (4) and (8)",
    assumes="independent items, many of them, and (wrongly, on one test set) that the two models err independently",
)
def proportion(question: Question[DecisionSample]) -> Finding:
    """Test two proportions as if the models had been judged on different items.

    Null hypothesis: the same error rate. Formula, keller2004 (4): σ² = 2 C̄(1 − C̄)/N with C̄ = (C_A + C_B)/2 (the
    paper prints a minus); for sums over classes (8): σ² = Σ_c w_c² · 2 c̄(1 − c̄)/n_c.

    It ignores the fact that both models were judged on the same items. Use it only where just the two error rates are
    known; else ``paired_proportion``.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> round(cw.compare(joint, measure="accuracy", test="proportion").p_value, 4)
    0.2609
    """
    of_classes = parts(question)
    null_variance = free_variance = 0.0
    raised: list[Caveat] = []
    for part in of_classes:
        a, b = part.wrong_a / part.n, part.wrong_b / part.n
        mean = (a + b) / 2.0
        null_variance += part.weight**2 * 2.0 * mean * (1.0 - mean) / part.n
        free_variance += part.weight**2 * (a * (1.0 - a) + b * (1.0 - b)) / part.n
        raised.extend(caveats.normal_approximation(f"the errors in {part.name}", part.n, mean))
    raised.append(caveat("ignores_pairing"))
    return _finding(question, null_variance, _wald(question, free_variance), raised)


@test(
    label="paired proportion test",
    question="Do the two models have the same error rate on items like these?",
    null_hypothesis="{a} and {b} have the same {measure}",
    judges=("items", "classes"),
    methods=("asymptotic", "mover"),
    intervals=("wald", "tango", "mover"),
    formula="asymptotic: z = D/σ, σ² = Σ w² n_AB/n² over the classes, n_AB = items that only one model has wrong; "
    "mover: the z at which D ∓ √(Σ w²(dᵢ − limitᵢ)²) reaches 0, with Tango's limits of each class, or that of "
    "asymptotic if it is smaller",
    source="keller2004 (6) and (9); Zou and Donner 2008; Tango 1998",
    assumes="independent items, and for asymptotic many that only one model has wrong",
    takes_margin=True,
)
def paired_proportion(question: Question[DecisionSample]) -> Finding:
    """Test two proportions on the same items: only the items that one model alone has wrong count.

    Null hypothesis: the same error rate. Formula, keller2004 (6): σ = √N_AB/N, so that z² is McNemar's χ²; for sums
    over classes (9): σ² = Σ_c w_c² n_c,AB/n_c². The classes are disjoint samples, so variances add. The difference
    is (only_a_wrong − only_b_wrong)/n, not N_AB/N as (5) prints. That is ``asymptotic``, the default for one class or
    all items together.

    (9) gives a class in which the models never disagree a variance of 0: where such a class has a handful of items, the
    test raises up to 19 % false alarms at a level of 5 % (docs/scorecard.md). For sums over several classes ``mover``
    is the default: it adds up how far each class's score interval reaches, so a class of few items adds much. Its z is
    never above that of (9), and its p never below 2 · (1/2)^N_AB, the least that swapping could give.

    The interval is "mover" too, whose end reaches 0 where z says; for one class alone (recall, specificity, false
    acceptance and rejection) that is "tango". Wald's interval covers far too rarely near 0 and 1.

    Claims with a margin are judged by the score test that "tango" inverts (Tango 1998), or by "mover" at the margin.

    Source: keller2004 (6) and (9); Zou and Donner, Statistics in Medicine 27, 2008; Tango, Statistics in Medicine 17,
    1998.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> round(cw.compare(joint, measure="accuracy", test="paired_proportion").p_value, 6)
    0.033006
    """
    of_classes = parts(question)
    shares = [_share(question, part) for part in of_classes]
    if question.margin is not None:
        return judged_with_margin(question, PValuesOfShares(question, shares))
    method = question.method
    if method == "auto":
        method = "asymptotic" if len(of_classes) == 1 else "mover"
    interval = _paired_interval(question, of_classes, shares)
    if method == "mover":
        n_differing_units = sum(share.gains + share.losses for share in shares)
        z = question.measure.sign * mover_z(shares)
        p = pvalues.no_less_than_coins(pvalues.of_normal(z, 1.0, question.claim), n_differing_units, question.claim)
        return Finding(method, question.measure.sign * z, p, interval)
    raised: list[Caveat] = []
    null_variance = 0.0
    for part in of_classes:
        apart = part.only_a_wrong + part.only_b_wrong
        null_variance += part.weight**2 * apart / part.n**2
        what = f"the items of {part.name} that only one model has wrong"
        raised.extend(caveats.normal_approximation(what, apart, 0.5))
    return _finding(question, null_variance, interval, raised)


class PValuesOfShares(PValueFunction):
    """p(δ) of a paired difference of proportions, or of a sum of such differences over classes.

    For one class, or for all items, it is Tango's score test, and for several classes "mover" at δ.
    """

    def __init__(self, question: Question[DecisionSample], shares: list[Share]) -> None:
        self.shares, self.observed = shares, question.difference
        self.alone = len(shares) == 1 and shares[0].weight == 1.0
        self.method, self.interval_method = ("asymptotic", "tango") if self.alone else ("mover", "mover")
        for name, own in (("method", self.method), ("interval", self.interval_method)):
            if getattr(question, name) not in ("auto", own):
                raise NotApplicableError(
                    f"The {name} {getattr(question, name)!r} cannot judge a claim with a margin.",
                    f"{own!r}, whose p-value and interval come from one function",
                    setting(name, own),
                )
        self.error = 1e-9  # ends are found nearly exactly

    @property
    def why(self) -> str:
        """What the p-value rests on."""
        return "Tango's score test at the margin" if self.alone else "each class's score interval, added up"

    @property
    def degrees(self) -> float:
        """Infinitely many, because z is compared with the normal distribution."""
        return math.inf

    def bounded_by_sign_test(self, n_differing_units: int) -> bool:
        """Whether it asks whether the models differ at all: at a margin it does not."""
        return False

    def t(self, delta: float) -> float:
        """Return z."""
        return mover_score(self.shares, delta)

    def p_value(self, delta: float, claim: Claim) -> PValue:
        """Return p(δ)."""
        return pvalues.of_normal(self.t(delta), 1.0, claim)

    def _end(self, direction: int, coverage: Coverage, known: JudgedDifference | None) -> float:
        """Return how far from the observed value an end of the interval lies."""
        inside, outside = self._reach(direction, coverage, known)
        interval = mover(self.shares, replace(coverage, side="two-sided", level=1.0 - 2.0 * coverage.tail))
        limit = abs((interval.high if direction > 0 else interval.low) - self.observed)
        return min(max(limit, inside), outside)


def _share(question: Question[DecisionSample], part: Part) -> Share:
    """Return what the class adds to b − a: fewer errors make a measure larger where more is better."""
    sides = (part.only_a_wrong, part.only_b_wrong)
    return Share(part.weight, part.n, *(sides if question.measure.higher_is_better else sides[::-1]))


def _finding(
    question: Question[DecisionSample], null_variance: float, interval: Interval, caveats: list[Caveat]
) -> Finding:
    # (4) has a deviation even for identical models, which support no claim
    deviation = math.sqrt(null_variance) if question.sample.joint.disagreements else 0.0
    p = pvalues.of_normal(question.gain, deviation, question.claim)
    statistic = question.difference / deviation if deviation else 0.0
    return Finding("asymptotic", statistic, p, interval, caveats=tuple(caveats))


def _paired_interval(question: Question[DecisionSample], of_classes: list[Part], shares: list[Share]) -> Interval:
    alone = len(of_classes) == 1 and of_classes[0].weight == 1.0
    name = ("tango" if alone else "mover") if question.interval == "auto" else question.interval
    if name == "wald":
        # without the null restriction the mean gap is not 0 and its square comes off
        terms = [(s.weight / s.n) ** 2 * (s.gains + s.losses - (s.gains - s.losses) ** 2 / s.n) for s in shares]
        return _wald(question, sum(terms))
    if name == "mover":
        return mover(shares, question.coverage)
    if not alone:
        raise NotApplicableError(
            f"{question.measure.label} is a sum over several classes, so Tango's interval cannot be applied to it.",
            "a measure of one class, such as recall",
            setting("interval", "mover"),
        )
    [share] = shares
    return tango(share.gains, share.losses, (share.n - share.gains - share.losses, 0), question.coverage)


def _wald(question: Question[DecisionSample], variance: float) -> Interval:
    half = question.coverage.z * math.sqrt(max(variance, 0.0))
    return question.coverage.interval(question.difference - half, question.difference + half, "wald")
