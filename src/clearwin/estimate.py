"""How good is this one classifier? A measure with its interval."""

from __future__ import annotations

from typing import Any

from clearwin.compare import MeasureLike, label_of, signature_of
from clearwin.data import Tally, tally_arrays
from clearwin.errors import NotApplicableError, UnknownNameError
from clearwin.execution import RngLike, Seed
from clearwin.intervals import BOOTSTRAP, PROPORTION, Coverage, Replicates
from clearwin.labels import LabelledCounts, label_counts
from clearwin.measures import Measure, find
from clearwin.result import Caveat, Distribution, Estimate, Interval
from clearwin.significance import Question, caveats
from clearwin.significance.base import check_settings, refuse_undefined
from clearwin.significance.replicates import doubts, draw, leave_one_out


def estimate(
    truth: Any,
    a: Any,
    *,
    measure: MeasureLike = "f1",
    interval: str = "auto",
    positive: Any = None,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    name: str = "A",
) -> Estimate:
    """Estimate a measure of one classifier's decisions ``a``, with a confidence interval.

    Proportions (accuracy, recall, precision, …) take ``interval`` "wilson" (the default), "clopper-pearson" or
    "normal"; every measure takes "percentile" (the default for the rest), "centred", "basic" or "bca" from bootstrap
    replicates.

    >>> import clearwin as cw
    >>> r = cw.estimate([1] * 10, [1] * 8 + [0] * 2, measure="recall")
    >>> f"{r.estimate} from {r.interval.low:.4f} to {r.interval.high:.4f} ({r.interval.method})"
    '0.8 from 0.4902 to 0.9433 (wilson)'
    """
    return estimate_tally(
        tally_arrays(truth=truth, a=a), measure=measure, interval=interval, positive=positive,
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng, name=name,
    )  # fmt: skip


def estimate_tally(
    tally: Tally, *, measure: MeasureLike = "f1", interval: str = "auto", positive: Any = None,
    n_resamples: int = 10_000, confidence_level: float = 0.95, rng: RngLike = None, name: str = "A",
) -> Estimate:  # fmt: skip
    """Estimate from a tally of (truth, a) label combinations."""
    chosen = find(measure)
    check_settings("different", confidence_level, n_resamples, ("different",))
    labelled = label_counts(
        tally, positive=positive, needs_positive=chosen.needs_positive,
        any_number_of_classes=chosen.any_number_of_classes, measure=chosen.label,
    )  # fmt: skip
    # one classifier is compared with itself: the replicates of "A" are what is needed
    question = Question(
        labelled.joint,
        chosen,
        "different",
        "auto",
        interval,
        confidence_level,
        int(n_resamples),
        Seed.of(rng),
    )
    refuse_undefined(question)
    found, distribution, undefined, found_caveats = _interval(question)
    return Estimate(
        name=str(name), n=question.joint.n, measure=str(chosen), measure_label=label_of(chosen),
        higher_is_better=chosen.higher_is_better, estimate=question.estimates[0], interval=found,
        positive=None if labelled.positive is None else str(labelled.positive), positive_inferred=labelled.inferred,
        undefined_replicates=undefined, caveats=_caveats(labelled, question, found_caveats, str(name)),
        signature=signature_of(question, "none", "estimate", found.method), distribution=distribution,
    )  # fmt: skip


def _interval(question: Question) -> tuple[Interval, Distribution | None, int, tuple[Caveat, ...]]:
    measure, name = question.measure, question.interval
    known = (*PROPORTION, *BOOTSTRAP)
    if name not in ("auto", *known):
        raise UnknownNameError("interval", name, ("auto", *known))
    coverage = Coverage(question.confidence_level, "two-sided", *measure.bounds)
    if name == "auto":
        name = "wilson" if measure.is_proportion else "percentile"
    if name in PROPORTION:
        right, n = _proportion(measure, question, name)
        if n > 0:
            rule = caveats.normal_approximation(measure.label, n, right / n) if name == "normal" else ()
            return PROPORTION[name](right, n, coverage), None, 0, rule
        # a proportion of nothing: any value is possible
        return coverage.interval(*measure.bounds, name), None, 0, ()
    drawn = draw(question)

    def left_out() -> tuple[Any, Any]:
        a, _, times = leave_one_out(question.joint, measure)
        return a, times

    replicates = Replicates(drawn.a, question.estimates[0], left_out)
    found = BOOTSTRAP[name](replicates, coverage)
    return found, Distribution("bootstrap", drawn.a), drawn.undefined, doubts(question, drawn)


def _proportion(measure: Measure, question: Question, interval: str) -> tuple[int, int]:
    if measure.is_proportion:
        return measure.proportion(question.confusions[0])
    raise NotApplicableError(
        f"{measure.label} is not a proportion of items, so the {interval} interval cannot be applied to it.",
        f"one of the bootstrap intervals: {', '.join(BOOTSTRAP)}",
        'interval="percentile", or "auto"',
    )


def _caveats(labelled: LabelledCounts, question: Question, found: tuple[Caveat, ...], name: str) -> tuple[Caveat, ...]:
    return (
        *caveats.against_others(labelled.positive, labelled.against_others),
        *caveats.few_of_a_class(question),
        *caveats.undefined_estimates(question, (name,)),
        *found,
    )
