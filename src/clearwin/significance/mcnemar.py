"""McNemar's test and the sign test: of the items that only one model has wrong, how many favour each?"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

from clearwin.counts import JointCounts
from clearwin.data.questions import Question
from clearwin.data.samples import DecisionSample
from clearwin.data.values import ValueSample
from clearwin.errors import NotApplicableError, OptionError, setting
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import BOOTSTRAP, Interval
from clearwin.numerics.paired_intervals import PAIRED
from clearwin.numerics.unconditional import MOST_ITEMS, unconditional
from clearwin.resampling.bootstrap import draw, interval_of
from clearwin.results.caveats import Caveat
from clearwin.significance import caveats
from clearwin.significance.base import Finding, test
from clearwin.significance.caveats import of_replicates


def _judged(question: Question[DecisionSample]) -> tuple[str, float, pvalues.PValue]:
    """Return method, statistic and p-value."""
    joint = question.sample.joint
    method = "mid-p" if question.method == "auto" else question.method
    judge = _unconditional if method == "unconditional" else partial(_judge, method)
    return method, *judge(joint.only_a_wrong, joint.only_b_wrong, question)


def _p_alone(question: Question[DecisionSample]) -> pvalues.PValue:
    return _judged(question)[2]


@test(
    label="McNemar test",
    question="Do the two models have the same accuracy on items like these?",
    null_hypothesis="{a} and {b} have the same {measure}: an item that only one of them has wrong is as likely to be "
    "{a}'s error as {b}'s",
    judges=("items",),
    methods=("mid-p", "exact", "asymptotic", "corrected", "unconditional"),
    intervals=("tango", "newcombe", "bonett-price", "wald"),
    formula="χ² = (only_a_wrong − only_b_wrong)² / (only_a_wrong + only_b_wrong); exact and mid-p by Bin(n, 1/2); "
    "unconditional: the largest P(χ² ≥ observed) over all shares of items that only one model has wrong",
    one_sided="p = P(Z ≥ z), z = (only_a_wrong − only_b_wrong)/√(only_a_wrong + only_b_wrong), with the other sign "
    "where the claim is worse; exact and mid-p by that tail of Bin(n, 1/2); unconditional: the largest "
    "P(Z ≥ z) over all shares of items that only one model has wrong",
    source="McNemar 1947; cs446 lecture 9; mid-p: Fagerland, Lydersen, Laake 2013; unconditional: Suissa and "
    "Shuster 1991; interval: Tango 1998",
    assumes="items are independent",
    p_alone=_p_alone,
)
def mcnemar(question: Question[DecisionSample]) -> Finding:
    """McNemar's test, asymptotic, continuity-corrected, exact, mid-p or unconditional.

    Question: do the two models have the same accuracy on items like these?

    Null hypothesis: an item that only one of them has wrong is as likely to be A's error as B's.

    Formula: with w = only_a_wrong and l = only_b_wrong, asymptotic z = (w − l)/√(w + l); corrected subtracts 1 from |w
    − l|, but never goes below 0 (cs446 prints (|w − l| − 1)², which gives p < 1 for w = l); exact is the binomial tail
    of w among w + l; mid-p counts the observed atom half. These four condition on w + l: where it is below 6, the
    exact p cannot be below .05. ``unconditional`` does not: the models differ on Bin(N, π) of N items, and p is the
    largest probability over all π of a z as extreme. It is also exact, and 5 : 0 at N = 100 has p = .0259.

    Source: McNemar 1947, cs446; Suissa and Shuster, Biometrics 47, 1991; the size of the first four over 9,595 cells is
    in Fagerland, Lydersen and Laake (2013): of these only mid-p keeps to the level without wasting power, so it is the
    default.

    Do not use it for F1, precision or MCC: models with equal F1 may well differ in accuracy.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> for method in ("asymptotic", "corrected", "exact", "mid-p"):
    ...     print(f"{cw.compare(joint, measure='accuracy', test='mcnemar', method=method).p_value:.6f}")
    0.033006
    0.055009
    0.052479
    0.034690
    >>> few = cw.JointCounts(e1=50, e2=5, e3=0, e4=0, e5=0, e6=0, e7=0, e8=45)
    >>> round(cw.compare(few, measure="accuracy", test="mcnemar", method="unconditional").p_value, 4)
    0.0259
    """
    method, statistic, p = _judged(question)
    joint = question.sample.joint
    return Finding(
        method,
        statistic,
        p,
        _interval(question, joint),
        caveats=_caveats(method, joint.only_a_wrong + joint.only_b_wrong),
    )


def _unconditional(wins: int, losses: int, question: Question[DecisionSample]) -> tuple[float, pvalues.PValue]:
    n = question.sample.joint.n
    if n > MOST_ITEMS:
        raise OptionError(
            f"The unconditional McNemar test would take too long for {n:,} items.",
            f"at most {MOST_ITEMS:,} items; with more it hardly differs from mid-p",
            setting("method", "mid-p"),
        )
    z = (wins - losses) / math.sqrt(wins + losses) if wins + losses else 0.0
    return z * z, unconditional(wins, losses, n, question.claim)


@test(
    label="sign test",
    question="Does one model win more items than the other?",
    null_hypothesis="an item that only one of {a} and {b} wins is as likely to be won by {a} as by {b}",
    judges=("items",),
    methods=("exact",),
    intervals=(*PAIRED, *BOOTSTRAP),
    formula="2 P(X ≥ the larger of items won and lost) for X ~ Bin(items won or lost, 1/2)",
    one_sided="P(X ≥ items that favour the claim) for X ~ Bin(items won or lost, 1/2)",
    source="keller2004 section 4, on other non-parametric tests; equals McNemar's exact form",
    assumes="items are independent",
    draws="replicates",
    takes=("decisions", "losses", "values"),
    whole_units=("losses", "values"),
)
def sign(question: Question[DecisionSample | ValueSample]) -> Finding:
    """Return the exact sign test on items won and lost: McNemar's exact form under its other name.

    With per-item values and losses, a unit (an item, or a group of items) is won by the model with the better mean on
    it, by however much. The interval is then the bootstrap's.

    Null hypothesis: an item won by only one model is as likely won by A as by B. The statistic is the number of
    items that B wins. keller2004 (section 4) warns that it says nothing about a difference of F1.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> round(cw.compare(joint, measure="accuracy", test="sign").p_value, 6)
    0.052479
    """
    wins, losses = question.sample.won_and_lost(question.measure)
    statistic, p = _judge("exact", wins, losses, question)
    name = question.interval
    joint = question.sample.joint_outcomes
    if joint is not None and name not in BOOTSTRAP:
        return Finding("exact", statistic, p, _interval(question, joint))
    if name in PAIRED:
        raise NotApplicableError(
            f"The {name} interval is for shares of right items, and {question.measure.label} is a mean of numbers.",
            f"one of the bootstrap intervals: {', '.join(BOOTSTRAP)}",
            setting("interval", "percentile", "auto"),
        )
    drawn = draw(question)
    interval = interval_of(question, drawn)
    finding = Finding("exact", statistic, p, interval, caveats=of_replicates(question, drawn, interval))
    return finding if joint is not None else replace(finding, judged="wins", lead=float(wins - losses))


def _judge(
    method: str, wins: int, losses: int, question: Question[DecisionSample | ValueSample]
) -> tuple[float, pvalues.PValue]:
    n, claim = wins + losses, question.claim
    if method in ("exact", "mid-p"):
        return float(wins), pvalues.of_coin(wins, losses, claim, mid=method == "mid-p")
    gain = float(wins - losses)
    if method == "corrected":
        # one step towards the null hypothesis: two-sided never past it, one-sided as P(X ≥ wins) requires
        toward = {"different": math.copysign(min(abs(gain), 1.0), gain), "better": 1.0, "worse": -1.0}[claim]
        gain -= toward
    return gain * gain / n if n else 0.0, pvalues.of_normal(gain, math.sqrt(n), claim)


def _interval(question: Question[Any], joint: JointCounts) -> Interval:
    # the interval is of the measure's own difference: for the error rate a win is a loss
    wins, losses = joint.only_a_wrong, joint.only_b_wrong
    gains, against = (wins, losses) if question.measure.higher_is_better else (losses, wins)
    rest = (joint.both_right, joint.both_wrong)
    name = "tango" if question.interval == "auto" else question.interval
    return PAIRED[name](gains, against, rest, question.coverage)


def _caveats(method: str, n: int) -> tuple[Caveat, ...]:
    if method in ("exact", "mid-p", "unconditional"):
        return ()
    return caveats.normal_approximation("the items that only one model has wrong", n, 0.5)
