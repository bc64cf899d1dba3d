"""The main verb: is B better than A on this test set?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clearwin.counts import JointCounts
from clearwin.data import Tally, tally_arrays, tally_frame
from clearwin.errors import DataError, OptionError
from clearwin.execution import RngLike, Seed
from clearwin.intervals import alpha_of
from clearwin.labels import LabelledCounts, label_counts
from clearwin.measures import Measure, find
from clearwin.measures.base import shortest
from clearwin.result import CLAIMS, Caveat, Claim, Comparison, ErrorReduction, Signature
from clearwin.significance import Finding, Question, Test, caveats, choose
from clearwin.significance.base import check_settings, refuse_undefined

MeasureLike = str | Measure | Callable[..., Any]


def compare(
    truth: Any,
    a: Any,
    b: Any,
    *,
    measure: MeasureLike = "f1",
    test: str = "auto",
    method: str = "auto",
    interval: str = "auto",
    claim: Claim = "different",
    positive: Any = None,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Compare the decisions ``a`` and ``b`` of two classifiers on the same items.

    Parameters
    ----------
    truth, a, b
        The true label and the two decisions for each item: arrays, lists or series, matched by position.
    measure
        A name, with options where it has some (``"dcf(cost_fn=10, cost_fp=1, prior=0.01)"``), a record from
        :func:`measures`, or any function on counts or on (truth, prediction).
    test, method, interval
        ``"auto"``, or names that :func:`tests` lists. ``method`` is the form inside the test.
    claim
        What is to be shown: B is ``"different"`` from A, ``"better"`` or ``"worse"``.
    positive
        The positive class. Inferred only for 0/1, False/True and −1/1.
    n_resamples, confidence_level, rng
        Replicates, level of the interval, and seed (int, SeedSequence or Generator).
    names
        What to call the two in the verdict.

    Examples
    --------
    >>> import clearwin as cw
    >>> truth = [1] * 60 + [0] * 140
    >>> a = [1] * 43 + [0] * 17 + [1] * 9 + [0] * 131
    >>> b = [1] * 55 + [0] * 5 + [1] * 3 + [0] * 137
    >>> r = cw.compare(truth, a, b, measure="f1", rng=7)
    >>> print(r.verdict())
    B is better than A in F1: 0.9322 against 0.7679, a difference of +0.1643 (95 % interval +0.0962 to +0.2474, p =
    7.63e-06). Tested against the null hypothesis: A and B are interchangeable: swapping their decisions on any item
    would be as likely as what was seen (the statistic is the difference in F1).
    """
    return compare_tally(
        tally_arrays(truth=truth, a=a, b=b),
        measure=measure, test=test, method=method, interval=interval, claim=claim, positive=positive,
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng, names=names,
    )  # fmt: skip


def compare_frame(frame: Any, *, truth: str, a: str, b: str, **settings: Any) -> Comparison:
    """Compare two columns of decisions in a frame: pandas, polars, pyarrow, DuckDB, Dask, Spark, eager or lazy.

    The frame is counted by one group-by on its own engine. ``settings`` are those of :func:`compare`; the columns
    name the models unless ``names`` says otherwise.

    >>> import clearwin as cw, polars as pl
    >>> frame = pl.LazyFrame({"y": [1, 1, 0, 0], "svm": [1, 0, 0, 1], "rbf": [1, 1, 0, 0]})
    >>> cw.compare_frame(frame, truth="y", a="svm", b="rbf", measure="accuracy").difference
    0.5
    """
    settings.setdefault("names", (a, b) if a != b else ("A", "B"))
    return compare_tally(tally_frame(frame, truth=truth, a=a, b=b), **settings)


def compare_tally(tally: Tally, *, measure: MeasureLike = "f1", positive: Any = None, **settings: Any) -> Comparison:
    """Compare from a tally of (truth, a, b) label combinations, as files and frames give it."""
    chosen = find(measure)
    labelled = label_counts(
        tally, positive=positive, needs_positive=chosen.needs_positive,
        any_number_of_classes=chosen.any_number_of_classes, measure=chosen.label,
    )  # fmt: skip
    return _compare(labelled, chosen, **settings)


def compare_counts(joint: JointCounts, *, measure: MeasureLike = "f1", **settings: Any) -> Comparison:
    """Compare from the counts of the joint outcomes alone (keller2004, Table 1).

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> round(cw.compare_counts(joint, measure="accuracy").p_value, 5)
    0.03469
    """
    if not isinstance(joint, JointCounts):
        raise DataError(
            f"compare_counts was given a {type(joint).__name__}.",
            "a JointCounts",
            "compare_counts(JointCounts(e1=…, …, e8=…)), or compare(truth, a, b) for arrays",
        )
    positive = joint.labels[1] if joint.k == 2 else None
    return _compare(LabelledCounts(joint, positive, inferred=False), find(measure), **settings)


def _compare(
    labelled: LabelledCounts, measure: Measure, *,
    test: str = "auto", method: str = "auto", interval: str = "auto", claim: Claim = "different",
    n_resamples: int = 10_000, confidence_level: float = 0.95, rng: RngLike = None,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:  # fmt: skip
    check_settings(claim, confidence_level, n_resamples, CLAIMS)
    if not isinstance(names, tuple | list) or len(names) != 2 or str(names[0]) == str(names[1]):
        raise OptionError(f"names is {names!r}.", "two different names", 'names=("svm", "rbf")')
    chosen, why = choose(test, measure)
    question = Question(
        labelled.joint, measure, claim, method, interval, confidence_level, int(n_resamples), Seed.of(rng)
    )
    refuse_undefined(question)
    finding = chosen.answer(question)
    why = f"{why}; {finding.why}" if finding.why else why
    return _record(labelled, question, chosen, finding, why, (str(names[0]), str(names[1])))


def _record(
    labelled: LabelledCounts,
    question: Question,
    test: Test,
    finding: Finding,
    why: str,
    names: tuple[str, str],
) -> Comparison:
    joint, measure = question.joint, question.measure
    name_a, name_b = names
    estimate_a, estimate_b = question.estimates
    return Comparison(
        name_a=name_a, name_b=name_b, n=joint.n, measure=str(measure), measure_label=label_of(measure),
        higher_is_better=measure.higher_is_better, estimate_a=estimate_a, estimate_b=estimate_b,
        difference=question.difference, test=test.name, test_label=test.label, method=finding.method, why=why,
        claim=question.claim,
        null_hypothesis=test.null_hypothesis.format(a=name_a, b=name_b, measure=label_of(measure)),
        statistic=finding.statistic, p_value=finding.p.value, log10_p=finding.p.log10, p_error=finding.p.error,
        interval=finding.interval, confidence=finding.confidence,
        positive=None if labelled.positive is None else str(labelled.positive), positive_inferred=labelled.inferred,
        outcomes={
            "both_right": joint.both_right, "only_a_wrong": joint.only_a_wrong, "only_b_wrong": joint.only_b_wrong,
            "both_wrong": joint.both_wrong, "disagreements": joint.disagreements,
        },
        error_reduction=_error_reduction(question), undefined_replicates=finding.undefined_replicates,
        caveats=_caveats(labelled, question, finding, names), distribution=finding.distribution,
        signature=signature_of(question, test.name, finding.method, finding.interval.method),
    )  # fmt: skip


def label_of(measure: Measure) -> str:
    """Return the measure's label, with the options that were given."""
    given = ", ".join(f"{name} {shortest(value)}" for name, value in measure.options.items())
    return f"{measure.label} ({given})" if given else measure.label


def signature_of(question: Question, test: str, method: str, interval: str) -> Signature:
    """Return what is needed to repeat the answer."""
    from clearwin import __version__

    return Signature(
        version=__version__, n=question.joint.n, measure=str(question.measure), test=test, method=method,
        interval=interval, claim=question.claim, confidence_level=question.confidence_level,
        n_resamples=question.n_resamples, seed=str(question.seed), data=question.joint.fingerprint,
    )  # fmt: skip


def _error_reduction(question: Question) -> ErrorReduction | None:
    if question.measure.decomposition != "items":
        return None
    joint = question.joint
    errors = joint.only_a_wrong + joint.both_wrong
    fewer = joint.only_a_wrong - joint.only_b_wrong
    return ErrorReduction(fewer / joint.n, fewer / errors if errors else None)


def _caveats(
    labelled: LabelledCounts, question: Question, finding: Finding, names: tuple[str, ...]
) -> tuple[Caveat, ...]:
    return (
        *caveats.against_others(labelled.positive, labelled.against_others),
        *caveats.few_disagreements(question),
        *caveats.few_of_a_class(question),
        *caveats.undefined_estimates(question, names),
        *finding.caveats,
        *caveats.borderline(finding.p, finding.interval),
        *caveats.sampled_near_level(finding.p, alpha_of(question.confidence_level)),
    )
