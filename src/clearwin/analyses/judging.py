"""From a question to its record: the test is chosen and run, and findings and caveats are recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from clearwin.data.questions import Options, Question
from clearwin.measures.base import label_of
from clearwin.numerics.intervals import Interval, alpha_of
from clearwin.resampling.contributions import contributions
from clearwin.resampling.functionals import has_functional
from clearwin.results.base import Sampling, Signature, margin_text, with_margin, with_side
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import (
    ClassOutcomes,
    Comparison,
    Confusion,
    Decision,
    ErrorReduction,
    JointOutcomes,
)
from clearwin.significance import Finding, Test, caveats, choose
from clearwin.significance.base import refuse_undefined
from clearwin.significance.row_order import in_time_order

MOST_CLASSES = 30  # classes, up to which a record carries confusion matrices


def judge(question: Question[Any]) -> Comparison:
    """Choose the test, run it and write the record."""
    test, why = choose(question.options.test, question)
    refuse_undefined(question)
    finding = test.answer(question)
    return _record(question, test, finding, f"{why}; {finding.why}" if finding.why else why)


def _record(question: Question[Any], test: Test, finding: Finding, why: str) -> Comparison:
    measure, about = question.measure, question.sample.about
    name_a, name_b = question.options.names
    estimate_a, estimate_b = question.estimates
    sampling = with_design_effect(question)
    assert finding.p is not None  # only tests of folds may lack it
    assert finding.statistic is not None
    return Comparison(
        name_a=name_a,
        name_b=name_b,
        n=question.n,
        measure=str(measure),
        measure_label=label_of(measure),
        higher_is_better=measure.higher_is_better,
        estimate_a=estimate_a,
        estimate_b=estimate_b,
        difference=_told_difference(question),
        test=test.name,
        test_label=test.label,
        method=finding.method,
        why=why,
        claim=question.options.claim,
        margin=question.margin,
        relative=question.options.relative,
        contrary=finding.contrary,
        null_hypothesis=_null_hypothesis(question, test, sampling),
        statistic=finding.statistic,
        p_value=finding.p.value,
        log10_p=finding.p.log10,
        p_error=finding.p.error,
        p_is_bound=finding.p.is_bound,
        interval=finding.interval,
        confidence=finding.confidence,
        positive=None if about.positive is None else str(about.positive),
        positive_inferred=about.inferred,
        thresholds=about.thresholds,
        outcomes=question.sample.outcomes,
        error_reduction=_error_reduction(question),
        undefined_replicates=finding.undefined_replicates,
        sampling=sampling,
        labels=about.labels,
        lower_is_positive=turned(question),
        caveats=_caveats(question, finding)
        + caveats.not_whole_units(test, question, sampling)
        + caveats.few_groups(test, sampling, question)
        + caveats.small_strata(question.measure, finding.interval, sampling)
        + caveats.leads_elsewhere(question, finding),
        decision=decision_of(question, finding),
        judged=finding.judged,
        lead=finding.lead_in(question),
        undefined_for=caveats.undefined_for(question, question.options.names),
        joint=_joint(question),
        n_classes=classes_of(question),
        distribution=finding.distribution,
        signature=signature_of(question, test.name, finding.method, finding.interval.method),
    )


def _null_hypothesis(question: Question[Any], test: Test, sampling: Sampling | None) -> str:
    """Return the null hypothesis of the test, or that of a claim with a margin."""
    (name_a, name_b), label = question.options.names, label_of(question.measure)
    if question.margin is not None:
        margin = margin_text(question.margin, relative=question.options.relative)
        return with_margin(label, question.options.claim, margin, name_a, name_b)
    unit = sampling.unit if sampling else "item"
    return with_side(test.null_hypothesis.format(a=name_a, b=name_b, measure=label, unit=unit), question.claim, name_b)


def _told_difference(question: Question[Any]) -> float:
    """Return b − a, or where the margin is relative b/a − 1."""
    if not question.options.relative:
        return question.difference
    return question.estimates[-1] / question.estimates[0] - 1.0


def decision_of(question: Question[Any], finding: Finding) -> Decision:
    """Decide at 1 − confidence level, once for everyone who reports it.

    Where a test by name has an interval that is not its own, both must say so: the weaker statement holds.
    """
    if finding.undecided:
        return "not decided"
    if question.margin is not None:
        return _decided_with_margin(question, finding)
    if finding.judged == "measure" and 0.0 in finding.interval:
        return "not shown"
    assert finding.p is not None
    return decided(finding.p.value, question.confidence_level, finding.lead_in(question))


def _decided_with_margin(question: Question[Any], finding: Finding) -> Decision:
    """Decide a claim with a margin; p and the interval agree because they come from one function.

    If B is shown to be not worse, whether it is better is tested next, which costs nothing (closed testing).
    """
    assert finding.p is not None
    if finding.p.value > alpha_of(question.confidence_level):
        return "not shown" if finding.contrary is None else cast(Decision, finding.contrary.claim)
    if question.options.claim != "not_worse":
        return cast(Decision, question.options.claim)
    low, high = finding.interval.low, finding.interval.high
    return "better" if (low > 0.0 if question.measure.higher_is_better else high < 0.0) else "not worse"


def decided(p: float, confidence_level: float, lead: float) -> Decision:
    """Return what a p-value shows about B, which is ahead where ``lead`` is above 0.

    >>> decided(0.03, 0.95, -1.0), decided(0.03, 0.99, -1.0)
    ('worse', 'not shown')
    """
    if p > alpha_of(confidence_level) or lead == 0.0:
        return "not shown"
    return "better" if lead > 0 else "worse"


def with_design_effect(question: Question[Any], *, of_difference: bool = True) -> Sampling | None:
    """Return how units were drawn, for groups with the design effect.

    It is the variance of the difference (or of one model's value) by groups divided by that by items.
    """
    sampling, sample, measure = question.sampling, question.sample, question.measure
    if sampling is None or sampling.unit != "group" or not has_functional(sample, measure):
        return sampling
    groups, items = (contributions(s, measure, single=not of_difference) for s in (sample, sample.ungrouped()))
    if groups is None or items is None:
        return sampling
    effective = min(sampling.effective, groups.effective)
    return replace(sampling, effective=effective, design_effect=(groups.error / items.error) ** 2)


def signature_of(question: Question[Any], test: str, method: str, interval: str) -> Signature:
    """Return what is needed to repeat the answer."""
    from clearwin import __version__

    return Signature(
        version=__version__,
        n=question.n,
        measure=str(question.measure),
        test=test,
        method=method,
        interval=interval,
        claim=signed_claim(question.options),
        confidence_level=question.confidence_level,
        n_resamples=question.n_resamples,
        seed=str(question.seed),
        data=question.sample.fingerprint,
        device=question.options.device,
    )


def signed_claim(options: Options) -> str:
    """Return the claim as a signature has it, with its margin.

    >>> signed_claim(Options(claim="not_worse", margin="5%"))
    'not_worse(5 % (relative))'
    """
    if options.claimed_margin is None:
        return options.claim
    return f"{options.claim}({margin_text(options.claimed_margin, relative=options.relative)})"


def classes_of(question: Question[Any]) -> int | None:
    """Return in how many classes decisions were made, if they were."""
    joint = question.sample.joint_outcomes
    # label sets judged as a whole have no classes to confuse
    return None if joint is None or question.measure.of_whole_sets else joint.k


def confusion_of(question: Question[Any], model: int = 0) -> Confusion | None:
    """Return the confusion matrix of A (0) or B (1), if there are decisions in few classes."""
    if not 0 < (classes_of(question) or 0) <= MOST_CLASSES:
        return None
    cells = question.sample.confusions[model].cells.tolist()
    return Confusion(tuple(str(x) for x in question.sample.joint.labels), tuple(tuple(row) for row in cells))


def _joint(question: Question[Any]) -> JointOutcomes | None:
    a, b = confusion_of(question, 0), confusion_of(question, 1)
    if a is None or b is None:
        return None
    classes = []
    for position, label in enumerate(a.labels):
        n, wrong_a, _, only_a, only_b = question.sample.joint.of_class(position)
        classes.append(ClassOutcomes(label, n - wrong_a - only_b, only_a, only_b, wrong_a - only_a))
    return JointOutcomes(a.labels, a.cells, b.cells, tuple(classes))


def _error_reduction(question: Question[Any]) -> ErrorReduction | None:
    joint = question.sample.joint_outcomes
    if joint is None or question.measure.decomposition != "items":
        return None
    errors = joint.only_a_wrong + joint.both_wrong
    fewer = joint.only_a_wrong - joint.only_b_wrong
    return ErrorReduction(fewer / joint.n, fewer / errors if errors else None)


def _caveats(question: Question[Any], finding: Finding) -> tuple[Caveat, ...]:
    # models that never disagree have their own caveat, but for measures of ranks
    never_apart = not question.measure.scan and not question.sample.n_differing_units(question.measure)
    return (
        *against_chance(question, question.options.names),
        *in_time_order(question),
        *question.sample.about.caveats,
        *data_caveats(question, question.options.names, finding.interval),
        *finding.caveats,
        *(() if never_apart else caveats.no_width(finding.interval, _told_difference(question))),
        *(caveats.borderline(finding.p, finding.interval) if question.margin is None else ()),
        *caveats.sampled_near_level(finding.p, alpha_of(question.confidence_level)),
    )


def against_chance(question: Question[Any], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    """Return the caveats that come first: the data may not be what they seem."""
    levels = caveats.chance_levels(question.sample)
    return caveats.against_chance(levels, names, probabilities=question.measure.takes == "losses")


def turned(question: Question[Any]) -> tuple[str, ...]:
    """Return the models whose lower scores mean the positive class."""
    lower = question.sample.about.lower_is_positive
    return tuple(name for name, is_lower in zip(question.options.names, lower, strict=False) if is_lower)


def data_caveats(question: Question[Any], names: tuple[str, ...], interval: Interval | None) -> tuple[Caveat, ...]:
    """Return the caveats that the data raise, whatever the test; few items also affect the interval."""
    about = question.sample.about
    raised = caveats.against_others(about.positive, about.against_others) + strange_answers(question, names)
    raised += caveats.of_sample(question.sample, question, names, interval)
    return raised + caveats.few_of_a_class(question, interval, one_model=len(names) == 1)


def strange_answers(question: Question[Any], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    """Return the caveat about predicted labels that never occur in the truth."""
    measure, about = question.measure, question.sample.about
    # a weighted average gives a class without items no weight
    averaged = measure.in_parts and measure.any_number_of_classes and not measure.name.startswith("weighted")
    averaged = averaged and about.labels is None
    return caveats.labels_not_in_truth(about.strange, names, question.n, averaged, bool(about.against_others))
