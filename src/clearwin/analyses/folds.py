"""The verb ``compare_folds``: is learner B better than learner A, by their scores over folds?"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin.analyses.judging import decision_of, signature_of
from clearwin.analyses.repeating import repeatable
from clearwin.data.folds import FoldOptions, FoldSample, read_folds, score_over_folds
from clearwin.data.questions import Question
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import alpha_of
from clearwin.numerics.pvalues import Claim
from clearwin.results.base import with_side
from clearwin.results.caveats import Caveat
from clearwin.results.folds import FoldComparison, FoldDecision
from clearwin.significance import Finding, Test, caveats, choose
from clearwin.significance.folds import caveats as fold_caveats
from clearwin.significance.folds.student import rejects_every_difference
from clearwin.streams import RngLike

HAVE_A_LARGEST_CONFIDENCE = ("paired_t", "corrected_t", "5x2cv_t")


@repeatable()
@matched_by_position()
def compare_folds(
    a: Any,
    b: Any,
    *,
    test: str = "auto",
    design: str | int | None = None,
    repeats: int | None = None,
    test_train_ratio: float | None = None,
    claim: Claim = "different",
    higher_is_better: bool = True,
    margin: float = 0.01,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] = ("A", "B"),
    measure_label: str = "score",
) -> FoldComparison:
    """Return which of two learning algorithms is better over folds.

    ``a`` and ``b`` are their scores, trained and tested on the same folds.

    Parameters
    ----------
    a, b
        One score for each fold, in the same order. For 5x2 cross-validation give ten (round 1 fold 1, round 1 fold 2,
        …) or an array of 5 × 2; for repeated cross-validation an array of repeats × folds, or one row and ``repeats``.
    test
        ``"auto"``, which depends on the design and never treats folds with overlapping training sets as independent, or
        a name that :func:`list_tests` lists with "folds".
    design, repeats, test_train_ratio
        How the folds were made: ``"k-fold"``, ``"repeated k-fold"``, ``"resampled"``, ``"5x2"`` or ``"independent"``
        (a data set of its own for every score); or as :func:`cross_compare` takes them, ``"10x10"`` for rounds × folds
        or 10 for one round. The ratio of test to training size follows from k; for resamples it
        must be given.
    claim
        What you want to show: B is ``"different"`` from A, ``"better"`` or ``"worse"``.
    higher_is_better
        False for errors, losses and costs.
    margin
        For ``test="bayes_t"``: differences up to this size, in units of the scores, are practically none.
    n_resamples, confidence_level, rng
        Arrangements to draw where there are too many to count; level of the interval (the verdict is at 1 − this
        level); and seed.
    names, measure_label
        What to call the two learners and their scores.

    Examples
    --------
    >>> import clearwin as cw
    >>> svm = [0.81, 0.84, 0.79, 0.86, 0.82, 0.80, 0.85, 0.83, 0.78, 0.84]
    >>> tree = [0.78, 0.82, 0.79, 0.83, 0.81, 0.77, 0.82, 0.82, 0.76, 0.80]
    >>> r = cw.compare_folds(tree, svm, design="k-fold", names=("tree", "svm"), measure_label="accuracy")
    >>> print(r.verdict())
    svm is better than tree in accuracy over 10 folds by 0.022 (0.822 against 0.800, p = 0.00365). Differences
    beyond +0.009 to +0.035 are ruled out (95 % interval), and chance alone would go this far in about 4 of 1,000
    experiments. Count on at least 0.009; the rest could be luck. The null hypothesis is that the learning algorithms
    tree and svm have the same expected accuracy on new data, trained on sets of this size.
    """
    given = {"test": test, "claim": claim, "margin": margin, "n_resamples": n_resamples, "rng": rng, "names": names}
    options = FoldOptions.of("compare_folds", given | {"confidence_level": confidence_level})
    measure = score_over_folds(measure_label, higher_is_better)
    return judge_folds(Question(read_folds(a, b, design, repeats, test_train_ratio), measure, options))


def judge_folds(
    question: Question[FoldSample],
    doubts: tuple[Caveat, ...] = (),
    note: str = "",
    splits_drawn: bool = False,
) -> FoldComparison:
    """Choose the test, run it and write the record; ``note`` says what else is known about the folds."""
    sample, names, measure_label = question.sample, question.options.names, question.measure.label
    chosen, why = choose(question.options.test, question)
    finding = chosen.answer(question)
    doubts += fold_caveats.leads_elsewhere(question, finding)
    return FoldComparison(
        name_a=names[0],
        name_b=names[1],
        measure_label=measure_label,
        higher_is_better=question.measure.higher_is_better,
        n=question.n,
        estimate_a=question.estimates[0],
        estimate_b=question.estimates[1],
        deviation_a=_deviation(sample.a),
        deviation_b=_deviation(sample.b),
        difference=question.difference,
        differences=tuple(sample.differences.tolist()),
        design=str(sample.design),
        test_train_ratio=sample.design.ratio,
        test=chosen.name,
        test_label=chosen.label,
        method=finding.method,
        why="; ".join(part for part in (why, finding.why, note) if part),
        claim=question.claim,
        judged="mean" if finding.judged == "measure" else finding.judged,
        lead=finding.lead_in(question),
        null_hypothesis=with_side(
            chosen.null_hypothesis.format(a=names[0], b=names[1], measure=measure_label), question.claim, names[1]
        ),
        statistic=finding.statistic,
        degrees=finding.degrees,
        p_value=finding.p.value if finding.p else None,
        log10_p=finding.p.log10 if finding.p else None,
        p_error=finding.p.error if finding.p else None,
        largest_confidence=_largest_confidence(chosen, finding),
        hits=finding.hits,
        arrangements=finding.arrangements if finding.hits is not None else None,
        posterior=finding.posterior,
        decision=_decision(question, chosen, finding),
        interval=finding.interval,
        caveats=doubts + _caveats(question, chosen, finding),
        signature=signature_of(question, chosen.name, finding.method, finding.interval.method),
        splits_drawn=splits_drawn,
    )


def _decision(question: Question[FoldSample], test: Test, finding: Finding) -> FoldDecision:
    """Decide at 1 − confidence level; a posterior must give a claim at least the confidence level as probability."""
    level, found = question.confidence_level, finding.posterior
    if finding.p is None:
        if found is None:
            return "not shown"
        if found.better >= level:
            return "better"
        if found.worse >= level:
            return "worse"
        return "equivalent" if found.practically_equivalent >= level else "not shown"
    rounds_compared = test.name == "5x2cv_f" and finding.statistic is not None
    if rounds_compared and rejects_every_difference(question.sample.differences, alpha_of(level)):
        return "different"
    return decision_of(question, finding)


def _deviation(scores: Floats) -> float | None:
    return float(np.std(scores, ddof=1)) if scores.size > 1 else None


def _largest_confidence(test: Test, finding: Finding) -> float | None:
    """Return 1 − p: lecture-measures finds the t that equals d̄/σ to obtain the best confidence value."""
    if test.name not in HAVE_A_LARGEST_CONFIDENCE or finding.p is None or finding.statistic is None:
        return None
    return 1.0 - finding.p.value


def _caveats(question: Question[FoldSample], test: Test, finding: Finding) -> tuple[Caveat, ...]:
    doubts = finding.caveats + fold_caveats.of_folds(question, test, finding)
    if not finding.caveats:  # an interval without width has its caveat already
        doubts += caveats.borderline(finding.p, finding.interval)
    return doubts + caveats.sampled_near_level(finding.p, alpha_of(question.confidence_level))
