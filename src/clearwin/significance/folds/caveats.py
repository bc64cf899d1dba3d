"""When tests over folds attach a caveat; words and sources stand in ``results/caveats.py``."""

from __future__ import annotations

import math

from clearwin.data.folds import NOT_GIVEN, FoldSample, margin_of
from clearwin.data.questions import Question
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import alpha_of, student_quantile
from clearwin.results.caveats import Caveat, caveat
from clearwin.significance import caveats
from clearwin.significance.base import Finding, Test

FEW_FOLDS = 30
MOST_OF_5X2 = 13  # per cent: the largest size of the 5x2cv tests on learners of equivalent features in the scorecard
TOO_FAR_APART = 0.01  # p-value at which the rounds' means vary more than one correlation of all folds allows
BY_CORRELATION = ("corrected_t", "bayes_t")
BY_NORMAL_DIFFERENCES = ("paired_t", "corrected_t", "bayes_t")


def naive_level(folds: int, test_train_ratio: float, alpha: float = 0.05, *, two_sided: bool = True) -> float:
    """Return the true level of a plain paired t test on folds whose training sets overlap.

    In the model of Nadeau and Bengio (2003) all differences have the same correlation ρ = ratio/(1 + ratio). The
    variance of their mean is then 1/J + ρ/(1 − ρ) = 1/J + ratio times what s² estimates, and the test assumes 1/J, so
    its t is √(1 + J · ratio) times as large as a t should be.

    >>> [round(naive_level(*case), 4) for case in ((10, 1 / 9), (30, 1 / 2), (100, 1 / 9))]
    [0.1539, 0.613, 0.5699]
    """
    critical = student_quantile(alpha / 2.0 if two_sided else alpha, folds - 1)
    inflated = math.sqrt(1.0 + folds * test_train_ratio)
    return pvalues.of_student(critical / inflated, folds - 1, "different" if two_sided else "better").value


def of_folds(question: Question[FoldSample], test: Test, finding: Finding) -> tuple[Caveat, ...]:
    """Return the caveats that the folds raise about the test."""
    flat = _nothing_varies(question, test, finding)
    if flat:
        return flat + _no_width(question, finding)
    caveats = _naive(question, test) + _made_for_5x2(test) + _too_cautious(question, test)
    caveats += _rounds_differ(question, test)
    if test.name in BY_NORMAL_DIFFERENCES and question.n < FEW_FOLDS:
        caveats += (caveat("few_folds", folds=question.n, test=test.label, fewest=FEW_FOLDS),)
    return caveats + _smallest_p(question, finding) + _tiny_margin(question, test) + _no_width(question, finding)


def leads_elsewhere(question: Question[FoldSample], finding: Finding) -> tuple[Caveat, ...]:
    """A test of wins, ranks or the first fold can contradict the mean difference."""
    return caveats.leads_elsewhere(question, finding, question.options.names, "folds", "mean ")


def _no_width(question: Question[FoldSample], finding: Finding) -> tuple[Caveat, ...]:
    if question.sample.deviation > 0.0:
        return ()
    slack = 2.0 * pvalues.TIE * question.sample.scale
    return caveats.no_width(finding.interval, question.difference, slack, "folds")


def _nothing_varies(question: Question[FoldSample], test: Test, finding: Finding) -> tuple[Caveat, ...]:
    if question.n == 1:
        return (caveat("one_fold"),)
    if not question.sample.differences.any():
        return (caveat("no_difference"),)
    of_rounds = test.name.startswith("5x2")
    if (of_rounds and finding.statistic is None) or (
        question.sample.deviation == 0.0 and test.name in BY_NORMAL_DIFFERENCES
    ):
        only_rounds = question.sample.deviation != 0.0
        if finding.posterior is not None:
            return (caveat("no_variance", "posterior", only_rounds=only_rounds),)
        return (caveat("no_variance", only_rounds=only_rounds, test=test.label),)
    return ()


def _naive(question: Question[FoldSample], test: Test) -> tuple[Caveat, ...]:
    """A test that treats folds as independent does not keep its level; the caveat says how far off it is."""
    design, alpha, j = question.sample.design, alpha_of(question.confidence_level), question.n
    if "independent" not in test.designs or not design.overlaps:
        return ()
    if design.ratio is None and design.name != NOT_GIVEN:
        return (caveat("naive", "unknown ratio", alpha=alpha),)
    ratio = 1.0 / (j - 1) if design.ratio is None else design.ratio
    level = naive_level(j, ratio, alpha, two_sided=question.claim == "different")
    facts = {"level": level, "alpha": alpha, "paired_t": test.name == "paired_t"}
    if design.name == NOT_GIVEN:
        return (caveat("naive", "unknown design", ratio=design.ratio, **facts),)
    return (caveat("naive", **facts),)


def _made_for_5x2(test: Test) -> tuple[Caveat, ...]:
    """The tests made for 5x2 folds treat a round's differences as independent, and those of learners are not."""
    if not test.name.startswith("5x2"):
        return ()
    caveats: tuple[Caveat, ...] = (caveat("dependent_halves", test=test.label, most=MOST_OF_5X2),)
    return (*caveats, caveat("first_fold")) if test.name == "5x2cv_t" else caveats


def _too_cautious(question: Question[FoldSample], test: Test) -> tuple[Caveat, ...]:
    if test.name not in BY_CORRELATION or question.sample.design.overlaps:
        return ()
    return (caveat("too_cautious", test=test.label),)


def _rounds_differ(question: Question[FoldSample], test: Test) -> tuple[Caveat, ...]:
    """Under one correlation of all folds the rounds' means vary as the folds within rounds make them, and no more.

    Each difference is then one number that all share plus one of its own, and the shared one cancels: k times the
    variance of the rounds' means over the variance within rounds has the F distribution. The mean difference, which
    decides, cancels too. The rounds of one data set vary far less than that, because each tests every item once; they
    vary more if something changed from round to round. What is too small everywhere alike, ρ itself, cannot be seen.
    """
    design = question.sample.design
    repeats, folds = design.repeats, design.folds
    if test.name not in BY_CORRELATION or not design.overlaps or min(repeats, folds) < 2:
        return ()
    rounds = question.sample.differences.reshape(repeats, folds)
    between, within = folds * float(rounds.mean(axis=1).var(ddof=1)), float(rounds.var(axis=1, ddof=1).mean())
    if within * 1e12 <= between:
        return ()
    p = pvalues.of_f(between / within, repeats - 1, repeats * (folds - 1)).value
    return () if p >= TOO_FAR_APART else (caveat("rounds_differ", repeats=repeats, p=p),)


def _smallest_p(question: Question[FoldSample], finding: Finding) -> tuple[Caveat, ...]:
    """Few arrangements cannot give a small p-value."""
    alpha, both = alpha_of(question.confidence_level), 2 if question.claim == "different" else 1
    if finding.arrangements is None or both / finding.arrangements <= alpha:
        return ()
    return (caveat("few_arrangements", arrangements=finding.arrangements, smallest=both / finding.arrangements),)


def _tiny_margin(question: Question[FoldSample], test: Test) -> tuple[Caveat, ...]:
    """Scores in per cent need a region of practical equivalence in per cent."""
    if test.name != "bayes_t" or not 0.0 < margin_of(question) <= 1e-3 * question.sample.scale:
        return ()
    return (caveat("tiny_margin", margin=margin_of(question), largest=question.sample.scale),)
