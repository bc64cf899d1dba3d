"""The verb ``compare_folds``: is learner B better than learner A, by their scores over folds?"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from clearwin.data.arrays import refuse_shuffled_indexes
from clearwin.data.questions import Options
from clearwin.errors import DataError, OptionError, setting
from clearwin.execution import RngLike, Seed
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import alpha_of
from clearwin.numerics.pvalues import Claim
from clearwin.results.base import Caveat, Signature
from clearwin.results.claims import with_side
from clearwin.results.folds import FoldComparison
from clearwin.significance import caveats
from clearwin.significance.folds import caveats as fold_caveats
from clearwin.significance.folds import fold_tests
from clearwin.significance.folds.base import FoldFinding, FoldQuestion, FoldTest, choose
from clearwin.significance.folds.designs import read_design

MOST_FOLDS = 5_000
MOST_DRAWN = 1_000_000
LARGEST_SCORE = 1e150  # squares of larger ones are above any float
HAVE_A_LARGEST_CONFIDENCE = ("paired_t", "corrected_t", "5x2cv_t")


def compare_folds(
    a: Any,
    b: Any,
    *,
    test: str = "auto",
    design: str | None = None,
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
    """Compare the scores ``a`` and ``b`` of two learning algorithms, trained and tested on the same folds.

    Parameters
    ----------
    a, b
        One score for each fold, in the same order. Of 5x2 cross-validation ten of them (round 1 fold 1, round 1 fold 2,
        …) or an array of 5 × 2; of repeated cross-validation repeats × folds, or one row and ``repeats``.
    test
        ``"auto"``, which goes by the design and never takes folds with overlapping training sets as independent, or a
        name that :func:`list_tests` lists with "folds".
    design, repeats, test_train_ratio
        How the folds came about: ``"k-fold"``, ``"repeated k-fold"``, ``"resampled"``, ``"5x2"`` or ``"independent"``
        (a data set of its own for every score). The ratio of test to training size follows from k; for resamples it
        must be given.
    claim
        What is to be shown: B is ``"different"`` from A, ``"better"`` or ``"worse"``.
    higher_is_better
        False for errors, losses and costs.
    margin
        For ``test="bayes_t"``: differences up to this size, in units of the scores, are practically none.
    n_resamples, confidence_level, rng
        Arrangements to draw where there are too many to count, level of the interval, and seed.
    names, measure_label
        What to call the two learners and their scores.

    Examples
    --------
    >>> import clearwin as cw
    >>> svm = [0.81, 0.84, 0.79, 0.86, 0.82, 0.80, 0.85, 0.83, 0.78, 0.84]
    >>> tree = [0.78, 0.82, 0.79, 0.83, 0.81, 0.77, 0.82, 0.82, 0.76, 0.80]
    >>> r = cw.compare_folds(tree, svm, design="k-fold", names=("tree", "svm"), measure_label="accuracy")
    >>> print(r.verdict())
    svm is better than tree in accuracy over 10 folds: 0.8220 against 0.8000, a mean difference of +0.0220 (95 %
    interval +0.0092 to +0.0348, p = 0.00365). Tested against the null hypothesis: the learning algorithms tree and svm
    have the same expected accuracy on new data, trained on sets of this size.
    """
    given = {"claim": claim, "n_resamples": n_resamples, "confidence_level": confidence_level, "names": names}
    options = Options.of("compare_folds", given)
    check_fold_settings(n_resamples, margin)
    _check_scale(higher_is_better, measure_label)
    refuse_shuffled_indexes({"a": a, "b": b})
    scores_a, scores_b = read_scores("a", a), read_scores("b", b)
    if scores_a.shape != scores_b.shape:
        raise DataError(
            f"a has {_shape(scores_a)} scores and b has {_shape(scores_b)}.",
            "a score of both learners for every fold, in the same order",
            "run both on the same splits: cross_compare(learner_a, learner_b, X, y) does",
        )
    question = FoldQuestion(
        scores_a.ravel(),
        scores_b.ravel(),
        read_design(design, scores_a.shape, repeats, test_train_ratio),
        claim,
        bool(higher_is_better),
        confidence_level,
        int(n_resamples),
        Seed.of(rng),
        float(margin),
    )
    return judge_folds(question, test, (options.names[0], options.names[1]), measure_label)


def judge_folds(
    question: FoldQuestion,
    test: str,
    names: tuple[str, str],
    measure_label: str,
    doubts: tuple[Caveat, ...] = (),
    note: str = "",
    splits_drawn: bool = False,
) -> FoldComparison:
    """Choose the test, run it and write the record; ``note`` says what else is to be known of the folds."""
    fold_tests()  # registers them all
    chosen, why = choose(test, question.design, question.claim)
    finding = chosen.answer(question)
    doubts += fold_caveats.leads_elsewhere(question, finding, names, measure_label)
    return FoldComparison(
        name_a=names[0],
        name_b=names[1],
        measure_label=measure_label,
        higher_is_better=question.higher_is_better,
        n=question.n,
        estimate_a=_mean(question.a),
        estimate_b=_mean(question.b),
        deviation_a=_deviation(question.a),
        deviation_b=_deviation(question.b),
        difference=question.mean,
        differences=tuple(question.differences.tolist()),
        design=str(question.design),
        test_train_ratio=question.design.ratio,
        test=chosen.name,
        test_label=chosen.label,
        method=finding.method,
        why="; ".join(part for part in (why, finding.why, note) if part),
        claim=question.claim,
        judged=finding.judged,
        lead=question.sign * question.mean if finding.lead is None else finding.lead,
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
        interval=finding.interval,
        caveats=doubts + _caveats(question, chosen, finding),
        signature=_signature(question, chosen, finding, measure_label),
        splits_drawn=splits_drawn,
    )


def check_fold_settings(n_resamples: int, margin: Any) -> None:
    """Raise unless the settings that only folds have are in their ranges."""
    if n_resamples > MOST_DRAWN:
        what = f"n_resamples is {n_resamples:,}."
        raise OptionError(what, f"at most {MOST_DRAWN:,} over folds", setting("n_resamples", 100000))
    number = isinstance(margin, int | float | np.number) and not isinstance(margin, bool)
    if not number or not 0 <= margin < math.inf:
        raise OptionError(
            f"margin is {margin!r}.", "the largest difference that does not matter, 0 or more", setting("margin", 0.01)
        )


def _check_scale(higher_is_better: Any, measure_label: Any) -> None:
    if not isinstance(higher_is_better, bool | np.bool_):
        what = f"higher_is_better is {higher_is_better!r}."
        raise OptionError(what, "True, or False for errors, losses and costs", "higher_is_better=False")
    if not isinstance(measure_label, str) or not measure_label.strip():
        raise OptionError(
            f"measure_label is {measure_label!r}.", "what to call the scores", setting("measure_label", "accuracy")
        )


def read_scores(name: str, given: Any) -> Floats:
    """Return one learner's scores as finite numbers, in one row or in rows."""
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} does not hold numbers.", "a score for each fold", f"{name}=[0.91, 0.88, …]") from None
    if found.ndim not in (1, 2) or found.size == 0:
        raise DataError(
            f"{name} has {'no scores' if found.size == 0 else f'{found.ndim} dimensions'}.",
            "a score for each fold in one row, or repeats × folds",
        )
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found.ravel()))[0])
        raise DataError(
            f"{name} holds {found.ravel()[place]} for fold {place + 1}.",
            "a finite score for every fold",
            "find out why the learner failed there; leaving the fold out would favour it",
        )
    if np.abs(found).max() > LARGEST_SCORE:
        raise DataError(
            f"{name} holds a score of {found.ravel()[np.abs(found).argmax()]:g}.",
            f"scores of at most {LARGEST_SCORE:g} in size",
            "divide the scores of both learners by the same number",
        )
    if found.size > MOST_FOLDS:
        raise DataError(
            f"{name} has {found.size:,} scores, too many for folds.",
            f"at most {MOST_FOLDS:,}",
            'compare(None, a, b, measure="mean") for a score of every test item',
        )
    return found


def _shape(scores: Floats) -> str:
    return " × ".join(map(str, scores.shape))


def _mean(scores: Floats) -> float:
    return math.fsum(scores.tolist()) / scores.size


def _deviation(scores: Floats) -> float | None:
    return float(np.std(scores, ddof=1)) if scores.size > 1 else None


def _largest_confidence(test: FoldTest, finding: FoldFinding) -> float | None:
    """Return 1 − p: lecture-measures finds the t that equals d̄/σ to obtain the best confidence value."""
    if test.name not in HAVE_A_LARGEST_CONFIDENCE or finding.p is None or finding.statistic is None:
        return None
    return 1.0 - finding.p.value


def _caveats(question: FoldQuestion, test: FoldTest, finding: FoldFinding) -> tuple[Caveat, ...]:
    doubts = finding.caveats + fold_caveats.of_folds(question, test, finding)
    if finding.p is None:
        return doubts
    if not finding.caveats:  # an interval without width has been told of
        doubts += caveats.borderline(finding.p, finding.interval)
    return doubts + caveats.sampled_near_level(finding.p, alpha_of(question.confidence_level))


def _signature(question: FoldQuestion, test: FoldTest, finding: FoldFinding, measure_label: str) -> Signature:
    from clearwin import __version__

    data = hashlib.sha256(question.a.tobytes() + question.b.tobytes()).hexdigest()[:16]
    return Signature(
        version=__version__,
        n=question.n,
        measure=measure_label,
        test=test.name,
        method=finding.method,
        interval=finding.interval.method,
        claim=question.claim,
        confidence_level=question.confidence_level,
        n_resamples=question.n_resamples,
        seed=str(question.seed),
        data=data,
    )
