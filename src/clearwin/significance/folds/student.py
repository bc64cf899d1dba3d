"""Tests over folds by Student's t and Fisher's F: plain, corrected for overlapping training sets, 5x2cv, Bayesian."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from clearwin.data.folds import LIST, NOT_GIVEN, FoldSample, margin_of, wrong_number_for_5x2
from clearwin.data.questions import Question
from clearwin.errors import DataError, NotApplicableError, OptionError, setting
from clearwin.numerics import pvalues
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import Interval, alpha_of, f_quantile, student
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.folds import FoldPosterior
from clearwin.significance.base import Finding, test

SAME = "the learning algorithms {a} and {b} have the same expected {measure} on new data, trained on sets of this size"
OVERLAPPING = ("k-fold", "repeated k-fold", "resampled", "5x2")


@test(
    label="paired t test",
    question="Is the mean difference large against its standard error?",
    null_hypothesis=SAME,
    formula="t = d̄/√(s²/J) on J − 1 degrees of freedom; d̄ ± t·√(s²/J)",
    source="lecture-measures, Comparing two Algorithms; cs446; Student 1908",
    assumes="independent folds: a data set of its own for each; differences not far from normal",
    takes=("folds",),
    designs=("independent",),
)
def paired_t(question: Question[FoldSample]) -> Finding:
    """Return the paired t test over folds; on overlapping training sets it raises false alarms.

    The five folds of lecture-measures, algorithm 1 and 2:

    >>> import clearwin as cw
    >>> r = cw.compare_folds([92, 90, 91, 93, 91], [90, 90, 92, 90, 89], test="paired_t")
    >>> print(f"t = {r.statistic:.5f}, p = {r.p_value:.6f}, holds up to {r.largest_confidence:.1%}")
    t = -1.63299, p = 0.177808, holds up to 82.2%
    """
    return _student(question, 1.0 / question.n)


@test(
    label="corrected resampled t test",
    question="Is the mean difference large against its standard error, if training sets overlap?",
    null_hypothesis=SAME,
    formula="t = d̄/√((1/J + ratio)·s²) on J − 1 degrees of freedom; ratio = n_test/n_train, 1/(k − 1) for k folds",
    source="Nadeau and Bengio 2003; repeated k-fold: Bouckaert and Frank 2004",
    assumes="any two folds have the correlation ratio/(1 + ratio), which no data can show (Bengio and Grandvalet "
    "2004); differences not far from normal",
    takes=("folds",),
    designs=OVERLAPPING,
)
def corrected_t(question: Question[FoldSample]) -> Finding:
    """Return the corrected resampled t test of Nadeau and Bengio, for k folds, repeated or not, and for resamples.

    The correlation of the folds is an assumption: all of them share one data set, and no estimator of their variance
    is unbiased (Bengio and Grandvalet, JMLR 5, 2004). For learners that follow single items, such as 1-nearest
    neighbour, it is larger; with many rounds the test then finds differences too often (docs/scorecard.md).

    >>> import clearwin as cw
    >>> r = cw.compare_folds([92, 90, 91, 93, 91], [90, 90, 92, 90, 89], design="k-fold")
    >>> print(f"{r.test}: t = {r.statistic:.5f}, p = {r.p_value:.6f}")  # t = −1.63299/√(1 + 5 · 1/4)
    corrected_t: t = -1.08866, p = 0.337502
    """
    return _student(question, 1.0 / question.n + _ratio(question))


def _ratio(question: Question[FoldSample]) -> float:
    if question.n == 1 and question.sample.design.ratio is None:
        return 1.0  # one fold has no variance that could be corrected
    if question.sample.design.ratio is None:
        raise OptionError(
            "The ratio of test to training size is not known, and the correction needs it.",
            setting("test_train_ratio") + f", or a design that implies it. The designs are {LIST}",
            setting("design", "k-fold")
            + ", or "
            + setting("test_train_ratio", 0.5)
            + " for two thirds to train on and one third to test on",
        )
    return question.sample.design.ratio


def _student(question: Question[FoldSample], share: float) -> Finding:
    """Return d̄/√(share · s²) with its interval; without variance nothing is shown, and p = 1."""
    if question.sample.deviation == 0.0:
        return _no_variance(question, "t", (question.n - 1,))
    error, degrees = question.sample.deviation * math.sqrt(share), question.n - 1
    t = question.difference / error
    return Finding(
        "student",
        t,
        pvalues.of_student(question.measure.sign * t, degrees, question.claim),
        student(question.difference, error, degrees, question.coverage),
        degrees=(degrees,),
    )


def _no_variance(question: Question[FoldSample], method: str, degrees: tuple[int, ...]) -> Finding:
    """All folds agree, or there is only one: t is 0 or undefined, and nothing is shown."""
    same = question.n > 1 and not question.sample.differences.any()
    end = 0.0 if same else math.inf
    interval = question.coverage.interval(0.0 - end, end, method)
    known_degrees = degrees if question.n > 1 else ()
    return Finding(method, 0.0 if same else None, pvalues.from_log(0.0), interval, degrees=known_degrees)


def _rounds(question: Question[FoldSample]) -> tuple[Floats, Floats]:
    """Return the differences as five rounds of two, and s² of each round: (d₁ − d̄)² + (d₂ − d̄)²."""
    if question.n != 10:
        raise DataError(*wrong_number_for_5x2(question.n))
    design = question.sample.design
    if design.name not in ("5x2", NOT_GIVEN) and (design.repeats, design.folds) != (5, 2):
        raise NotApplicableError(
            f"The folds are {design}, and the 5x2cv tests take five rounds of two halves.",
            setting("design", "5x2"),
            setting("test", "auto") + " chooses a test for these folds",
        )
    rounds = question.sample.differences.reshape(5, 2)
    gaps = rounds[:, 0] - rounds[:, 1]
    gaps[np.abs(gaps) <= 2.0 * pvalues.TIE * question.sample.scale] = 0.0
    return rounds, gaps**2 / 2.0


@test(
    name="5x2cv_t",
    label="5x2cv paired t test",
    question="Is the first fold's difference large against how the rounds vary?",
    null_hypothesis=SAME,
    formula="t = d₁₁/√(Σ sᵢ²/5) on 5 degrees of freedom; sᵢ² = (dᵢ₁ − d̄ᵢ)² + (dᵢ₂ − d̄ᵢ)²",
    source="Dietterich 1998, section 3.5",
    assumes="the differences of the two halves of a round are independent, and not far from normal",
    takes=("folds",),
    designs=("5x2",),
)
def five_by_two_t(question: Question[FoldSample]) -> Finding:
    """Return Dietterich's 5x2cv t test; its interval is about the first difference, which is its numerator.

    The two differences of a round are treated as independent. Those of real learners are correlated, and then it raises
    false alarms (docs/scorecard.md), as does the F test below.
    """
    rounds, variances = _rounds(question)
    error, first = math.sqrt(float(variances.mean())), float(rounds[0, 0])
    if error == 0.0:
        flat = _no_variance(question, "t about the first fold", (5,))
        return replace(flat, judged="first", lead=question.measure.sign * first)
    interval = student(first, error, 5, question.coverage)
    return Finding(
        "student",
        first / error,
        pvalues.of_student(question.measure.sign * first / error, 5, question.claim),
        Interval(interval.low, interval.high, interval.level, "t about the first fold", interval.side),
        degrees=(5,),
        judged="first",
        lead=question.measure.sign * first,
    )


@test(
    name="5x2cv_f",
    label="combined 5x2cv F test",
    question="Are the ten differences large against how the rounds vary?",
    null_hypothesis=SAME,
    formula="F = Σ dᵢⱼ²/(2 Σ sᵢ²) on 10 and 5 degrees of freedom",
    source="Alpaydin 1999",
    assumes="the differences of the two halves of a round are independent, and not far from normal",
    takes=("folds",),
    designs=("5x2",),
    claims=("different",),
)
def five_by_two_f(question: Question[FoldSample]) -> Finding:
    """Return Alpaydin's combined F test; its interval holds all δ with Σ (dᵢⱼ − δ)²/(2 Σ sᵢ²) ≤ F."""
    _, variances = _rounds(question)
    within = 2.0 * float(variances.sum())
    if within == 0.0:
        return _no_variance(question, "F", (10, 5))
    d = question.sample.differences
    statistic = float((d**2).sum()) / within
    room = _room(d, within, alpha_of(question.confidence_level))
    caveats: tuple[Caveat, ...] = ()
    if room < 0.0:
        caveats = (caveat("empty_interval"),)
    half = math.sqrt(max(room, 0.0))
    interval = question.coverage.interval(question.difference - half, question.difference + half, "F")
    return Finding("f", statistic, pvalues.of_f(statistic, 10, 5), interval, degrees=(10, 5), caveats=caveats)


def _room(d: Floats, within: float, alpha: float) -> float:
    """Return how far, squared, δ may be from the mean difference until F rejects it; below 0 it rejects every δ."""
    return (f_quantile(alpha, 10, 5) * within - float(((d - d.mean()) ** 2).sum())) / 10.0


def rejects_every_difference(differences: Floats, alpha: float) -> bool:
    """Whether the combined F test separates the rounds, and so rejects every difference, also 0.

    >>> rejects_every_difference(np.array([0.3, 0.3, -0.3, -0.31, 0.2, 0.2, -0.2, -0.2, 0.1, 0.1]), 0.05)
    True
    """
    within = float(((differences[::2] - differences[1::2]) ** 2).sum())
    return _room(differences, within, alpha) < 0.0


@test(
    label="Bayesian correlated t test",
    question="How probable is it that the difference is practically relevant?",
    null_hypothesis="none: the result is the posterior of the expected difference between the learning algorithms {a} "
    "and {b} in {measure}, with a flat prior",
    formula="posterior: Student's t on J − 1 degrees of freedom about d̄ with scale √((1/J + ρ/(1 − ρ))·s²), "
    "ρ = ratio/(1 + ratio)",
    source="Corani and Benavoli 2015; Benavoli, Corani, Demšar and Zaffalon 2017",
    assumes="any two folds have the correlation ρ, which no data can show (Bengio and Grandvalet 2004); differences "
    "not far from normal",
    takes=("folds",),
    designs=OVERLAPPING,
    claims=("different",),
)
def bayes_t(question: Question[FoldSample]) -> Finding:
    """Return the posterior of the mean difference, cut at ± ``margin``, the region of practical equivalence.

    With the matching prior the scale is that of the corrected t test: ρ/(1 − ρ) = n_test/n_train. Where the folds do
    not vary the scale is 0, and the posterior is a point at d̄; of one fold there is none.
    """
    ratio = _ratio(question)
    if question.n > 1 and question.sample.deviation == 0.0:
        return _at_one_point(question)
    flat = _student(question, 1.0 / question.n + ratio)
    interval = Interval(flat.interval.low, flat.interval.high, flat.interval.level, "credible, t")
    posterior = None
    if question.sample.deviation > 0.0:
        degrees, gain = question.n - 1, question.gain
        scale = question.sample.deviation * math.sqrt(1.0 / question.n + ratio)
        better = pvalues.of_student((margin_of(question) - gain) / scale, degrees, "better").value
        worse = pvalues.of_student((-margin_of(question) - gain) / scale, degrees, "worse").value
        posterior = FoldPosterior(worse, max(0.0, 1.0 - worse - better), better, margin_of(question))
    return Finding("posterior", None, None, interval, degrees=flat.degrees, posterior=posterior)


def _at_one_point(question: Question[FoldSample]) -> Finding:
    gain, margin = question.gain, margin_of(question)
    slack = 2.0 * pvalues.TIE * question.sample.scale  # a difference equal to the margin is within it, however rounded
    better, worse = float(gain > margin + slack), float(gain < -margin - slack)
    interval = question.coverage.interval(question.difference, question.difference, "credible, t")
    posterior = FoldPosterior(worse, 1.0 - worse - better, better, margin)
    return Finding("posterior", None, None, interval, degrees=(question.n - 1,), posterior=posterior)
