"""When tests attach a caveat to their findings; words and sources stand in ``results/caveats.py``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from clearwin.data.binned_scores import BinnedScores
from clearwin.data.labels import Strange
from clearwin.data.questions import Question
from clearwin.data.samples import CountSample, Sample
from clearwin.data.scores import ScoreSample
from clearwin.data.values import ValueSample
from clearwin.measures import Measure
from clearwin.numerics.intervals import BOOTSTRAP, INVERTED, Interval, alpha_of
from clearwin.numerics.pvalues import Claim, PValue, of_student
from clearwin.numerics.rank_sum import ChanceLevel
from clearwin.resampling.bootstrap import Drawn
from clearwin.resampling.by_class import has_few_of_a_class
from clearwin.results.base import Sampling
from clearwin.results.caveats import (
    FEW_OF_A_CLASS,
    FEWEST_DISAGREEMENTS,
    FEWEST_FOR_T,
    FEWEST_GROUPS,
    Caveat,
    caveat,
)
from clearwin.significance import chance
from clearwin.significance.base import Finding, Test, able, choose, smallest_by_coins
from clearwin.significance.unseen import HARMLESS, Unseen

FEWEST_BY_CLASS = 8
OF_AN_ERROR = 0.1  # uncertainty that bins may leave in a difference, as a share of its standard error
LOST_IN_STRATA = 0.06  # of the variance: intervals are 3 % too narrow
FEWEST_BEYOND = 20  # replicates beyond an end of an interval: their share is then known to about a fifth (1/√20)
FEWEST_WRONGLY_RANKED = 3.0  # n(1 − AUC) of the smaller class
BELOW_CHANCE = 0.025  # p-value at which an area is below 1/2 by more than chance
# p-values of a model that clearly beats chance, and of one that may not
SURELY_ABOVE_CHANCE, NOT_ABOVE_CHANCE = 0.001, 0.05
FEWEST_FOR_THE_BOOTSTRAP = 40  # from here on a bootstrap interval of a mean is within a point of its level


def against_others(positive: object, others: tuple[object, ...]) -> tuple[Caveat, ...]:
    """More than two classes were folded into two."""
    if not others:
        return ()
    return (caveat("against_others", positive=positive, others=len(others)),)


def labels_not_in_truth(
    strange: Sequence[Strange], names: Sequence[str], n: int, averaged: bool, folded: bool
) -> tuple[Caveat, ...]:
    """Predicted labels that never occur in the truth: a class too rare for it, or another spelling."""
    by_model = [(name, own.labels, own.items) for name, own in zip(names, strange, strict=False) if own.items]
    if not by_model:
        return ()
    return (caveat("labels_not_in_truth", by_model=by_model, n=n, averaged=averaged, folded=folded),)


def normal_approximation(what: str, n: float, share: float) -> tuple[Caveat, ...]:
    """n p(1 − p) ≥ 5 is the textbook condition for treating a binomial as normal."""
    spread = n * share * (1.0 - share)
    return () if spread >= 5.0 else (caveat("normal_approximation", what=what, spread=spread),)


def no_width(interval: Interval, difference: float, slack: float | None = None, of: str = "") -> tuple[Caveat, ...]:
    """An interval that ends at the estimate itself, up to ``slack``, does not show how far off it may be."""
    return (caveat("no_width", of),) if interval.ends_at(difference, slack) else ()


def few_disagreements(question: Question[CountSample], interval: Interval) -> tuple[Caveat, ...]:
    """A handful of disagreements is little to rest a result on, and with fewer than 6 many tests can show nothing.

    With fewer than 6 fair coins both tails of the most extreme outcome hold more than .05. Replicates of so few vary
    too little: 95 % bootstrap intervals of F1, MCC and DCF covered the truth one time in six
    to twelve where one item in fifty is positive and there are 50 (docs/scorecard.md).
    """
    return _few_coins(question, *_telling(question), interval)


def few_differences(question: Question[ValueSample], interval: Interval) -> tuple[Caveat, ...]:
    """The same for values: units without a difference do not count."""
    n, noun = question.sample.n_differing_units(question.measure), question.sample.noun
    return _few_coins(question, n, noun, interval)


def _few_coins(question: Question[Any], n: int, noun: str, interval: Interval) -> tuple[Caveat, ...]:
    if n >= FEWEST_DISAGREEMENTS:
        return ()
    if n == 0:
        return (caveat("few_disagreements", "never", noun=noun, interval=interval.method),)
    out_of_reach = _level_out_of_reach(question, n)
    return (caveat("few_disagreements", n=n, noun=noun, interval=interval.method, out_of_reach=out_of_reach),)


def _level_out_of_reach(question: Question[Any], n: int) -> float | None:
    """Return the level if this test could show nothing on so few units even if all of them favoured one model."""
    test, _ = choose(question.options.test, question)
    method = test.methods[0] if question.method == "auto" else question.method
    alpha = alpha_of(question.confidence_level)
    if question.margin is not None or smallest_by_coins(f"{test.name}/{method}", n, question.claim) <= alpha:
        return None
    return alpha


def _telling(question: Question[CountSample]) -> tuple[int, str]:
    """Return on how many units the models differ, and what the units are."""
    sample = question.sample
    joint = sample.joint_outcomes
    if joint is None or sample.units is not None:
        return sample.n_differing_units(question.measure), sample.sampling.unit if sample.sampling else "item"
    if question.measure.decomposition == "items":
        return joint.only_a_wrong + joint.only_b_wrong, "item"
    if question.measure.decomposition == "classes":  # a class without weight does not count
        weighted = [i for i, weight in enumerate(question.measure.weights(joint.k)) if weight]
        return sum(sum(joint.of_class(i)[3:]) for i in weighted), "item"
    return joint.disagreements, "item"


def few_of_a_class(question: Question[Any], interval: Interval | None, *, one_model: bool) -> tuple[Caveat, ...]:
    """Rates over a handful of items move in big steps, and so does a p-value; intervals miss that."""
    if question.measure.is_mean or not question.measure.kind.classes:
        return ()
    sizes = question.class_sizes
    if len(sizes) > 2 and not _hangs_on_every_class(question.measure):
        return ()
    if (
        question.measure.decomposition == "classes" and question.sample.joint_outcomes is not None
    ):  # one without weight does not count
        sizes = [size for size, weight in zip(sizes, question.measure.weights(len(sizes)), strict=True) if weight]
    fewest = FEW_OF_A_CLASS if one_model else _fewest_of_a_class(question, interval)
    few = [(label, n) for label, n in sizes if n < fewest]
    if not few:
        return ()
    facts = {"few": few, "measure": question.measure.label, "interval": interval.method if interval else None}
    if one_model:  # the scorecard is about differences
        return (caveat("few_of_a_class", "one model", **facts),)
    return (caveat("few_of_a_class", fewest=fewest, **facts),)


def _fewest_of_a_class(question: Question[Any], interval: Interval | None) -> int:
    """Return from how many items of a class the test needs no caveat: the variance class by class is made for few."""
    by_class = question.method != "drawn" and interval is not None and interval.method == INVERTED
    return FEWEST_BY_CLASS if by_class and has_few_of_a_class(question.sample, question.measure) else FEW_OF_A_CLASS


def _hangs_on_every_class(measure: Measure) -> bool:
    """Return whether a rare class among many weighs as much as the others.

    It does in a mean over classes; in micro and weighted averages, MCC and kappa each class weighs by its items.
    """
    return (measure.in_parts and not measure.name.startswith("weighted")) or measure.decomposition == "classes"


def undefined_for(question: Question[Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the models for which the measure, or a part of it, is 0/0."""
    models = zip(names, question.sample.counts(question.measure), strict=False)  # a single model has one name
    return tuple(name for name, counts in models if question.measure.evaluate(counts).undefined)


def undefined_estimates(question: Question[Any], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    """An estimate that is 0/0 was given a value by convention."""
    models = undefined_for(question, names)
    return (caveat("undefined_estimate", models=models, **_set_by_convention(question.measure)),) if models else ()


def _set_by_convention(measure: Measure) -> dict[str, Any]:
    return {
        "measure": measure.label,
        "in_parts": measure.in_parts,
        "undefined_when": measure.undefined_when,
        "value": measure.settings["zero_division"],
    }


def undefined_replicates(question: Question[Any], count: int) -> tuple[Caveat, ...]:
    """Replicates that are 0/0 were given a value by convention, not dropped."""
    if count == 0:
        return ()
    facts = _set_by_convention(question.measure)
    return (caveat("undefined_replicates", count=count, replicates=question.n_resamples, **facts),)


def few_replicates(question: Question[Any], interval: Interval) -> tuple[Caveat, ...]:
    """A percentile needs at least one replicate beyond it; BCa may need far more than the plain percentile."""
    needed = math.ceil(1.0 / question.coverage.tail - 1e-6) - 1
    open_ended = interval.method == "bca" and interval.side == "two-sided"
    open_ended = open_ended and (interval.low == question.coverage.lowest or interval.high == question.coverage.highest)
    if open_ended and question.n_resamples >= needed:
        needed = 10 * question.n_resamples
    enough = math.ceil(FEWEST_BEYOND / question.coverage.tail - 1e-6)
    if question.n_resamples >= max(needed, enough):
        return ()
    replicates = question.n_resamples
    if replicates >= needed:
        beyond = replicates * question.coverage.tail
        return (caveat("few_replicates", beyond=beyond, replicates=replicates, enough=enough, fewest=FEWEST_BEYOND),)
    enough, level = max(needed, enough), question.confidence_level
    return (caveat("few_replicates", "unbounded", replicates=replicates, level=level, enough=enough),)


def flat_replicates(question: Question[Any], count: int, interval: Interval) -> tuple[Caveat, ...]:
    """Replicates without any spread have no finite t*."""
    if interval.method != "studentised" or count in (0, question.n_resamples):  # if all are, nothing varies at all
        return ()
    return (caveat("flat_replicates", count=count, replicates=question.n_resamples),)


@singledispatch
def few_for_the_bootstrap(sample: Sample, question: Question[Any], interval: Interval) -> tuple[Caveat, ...]:
    """A bootstrap interval of a mean uses the normal quantile and n, not Student's and n − 1 (docs/scorecard.md)."""
    return ()


@few_for_the_bootstrap.register(CountSample)
def _few_groups_of_counts(sample: CountSample, question: Question[Any], interval: Interval) -> tuple[Caveat, ...]:
    if sample.sampling is None or sample.sampling.unit != "group":
        return ()
    return _few_units(sample.sampling.n_units, "group", question, interval)


@few_for_the_bootstrap.register(ValueSample)
def _few_values(sample: ValueSample, question: Question[Any], interval: Interval) -> tuple[Caveat, ...]:
    return _few_units(sample.units.differences.size, sample.noun, question, interval)


def _few_units(n: int, noun: str, question: Question[Any], interval: Interval) -> tuple[Caveat, ...]:
    plain = interval.method in BOOTSTRAP and interval.method != "studentised"
    if not plain or not question.measure.is_mean or not 2 <= n < FEWEST_FOR_THE_BOOTSTRAP:
        return ()
    side: Claim = "different" if interval.side == "two-sided" else "better"
    misses = of_student(question.coverage.z * math.sqrt((n - 1) / n), n - 1, side).value
    facts = {"n": n, "noun": noun, "covered": 1.0 - misses, "level": interval.level, "fewest": FEWEST_FOR_THE_BOOTSTRAP}
    if isinstance(question.sample, ValueSample):
        return (caveat("few_for_the_bootstrap", "values", **facts),)
    return (caveat("few_for_the_bootstrap", check=able(question, "studentised"), **facts),)


def too_skewed(skewness: float, most: float, of: str = "") -> tuple[Caveat, ...]:
    """The mean of few skewed values is not where its t puts it, because rare large values may be missing."""
    return () if skewness <= most else (caveat("too_skewed", of, skewness=skewness, most=most),)


def unseen_failures(question: Question[Any], unseen: Unseen, p: PValue, without: PValue) -> tuple[Caveat, ...]:
    """The result rests on the test set having missed no rare failures of the model that is ahead."""
    noun, names = _drawn(question), question.options.names
    b_is_ahead = question.gain > 0.0 if question.margin is None else question.options.claim != "worse"
    ahead, other = names[::-1] if b_is_ahead else names
    limits = question.sample.bounds_of(question.measure)
    least, most = limits if math.isfinite(limits[0]) and math.isfinite(limits[1]) else (0.0, 1.0)
    worst, best = (least, most)[:: question.measure.sign]
    return (
        caveat(
            "unseen_failures",
            units=unseen.units,
            noun=noun,
            most_missed=unseen.most_missed,
            values=((ahead, worst), (other, best)),
            p=p.value,
            without=without.value,
            needed=unseen.units_needed,
        ),
    )


def assumed_of_unseen(question: Question[Any], unseen: Unseen | None) -> tuple[Caveat, ...]:
    """No range bounds what a unit that is missing could change, or p does not allow for it: say what is assumed.

    This looks at how much units vary, and never at what was decided.
    """
    if unseen is None or unseen.decides or unseen.ratio <= HARMLESS:
        return ()
    facts = {"what": unseen.what, "units": unseen.units, "share": unseen.share, "most_missed": unseen.most_missed}
    unbounded = question.measure.name if question.measure.declares_range else None
    return (caveat("unseen_assumed", unbounded=unbounded, **facts),)


def _drawn(question: Question[Any]) -> str:
    return question.sampling.unit if question.sampling else "item"


def borderline(p: PValue | None, interval: Interval) -> tuple[Caveat, ...]:
    """The p-value and the interval come from different approximations and may disagree near the level."""
    alpha = alpha_of(interval.level)
    if p is None or (p.value <= alpha) == (0.0 not in interval):
        return ()
    return (caveat("borderline", alpha=alpha, significant=p.value <= alpha),)


def sampled_near_level(p: PValue | None, alpha: float) -> tuple[Caveat, ...]:
    """More replicates could change the decision."""
    if p is None or p.error is None or abs(p.value - alpha) > 3.0 * p.error:
        return ()
    return (caveat("sampled_near_level", error=p.error, alpha=alpha),)


@singledispatch
def chance_levels(sample: Sample) -> tuple[ChanceLevel, ...]:
    """Return how each model compares with chance; nothing where the data do not show it.

    Scores are judged by how they rank the items, also where they became decisions or losses, and decisions by how many
    are right.
    """
    return sample.about.chance


@chance_levels.register(ScoreSample)
def _chance_of_rankings(sample: ScoreSample) -> tuple[ChanceLevel, ...]:
    return tuple(ranking.chance for ranking in sample.rankings)


@chance_levels.register(BinnedScores)
def _chance_of_bins(sample: BinnedScores) -> tuple[ChanceLevel, ...]:
    return sample.chance


@chance_levels.register(CountSample)
def _chance_of_counts(sample: CountSample) -> tuple[ChanceLevel, ...]:
    if sample.about.chance or sample.joint_outcomes is None:
        return sample.about.chance
    levels = []
    for matrix in sample.joint_outcomes.confusions():
        rows, columns = (tuple(int(n) for n in matrix.cells.sum(axis=axis)) for axis in (1, 0))
        levels.append(chance.level_of(chance.Margins(rows, columns, int(matrix.cells.trace()))))
    return tuple(levels)


def against_chance(
    levels: Sequence[ChanceLevel], names: Sequence[str], *, probabilities: bool = False
) -> tuple[Caveat, ...]:
    """Return the first caveats: scores that seem to mean the other class, and a model at the level of chance."""
    return wrong_way_round(levels, names, probabilities=probabilities) + at_chance(levels, names)


def wrong_way_round(
    levels: Sequence[ChanceLevel], names: Sequence[str], *, probabilities: bool = False
) -> tuple[Caveat, ...]:
    """An area far below 1/2 suggests that higher scores mean the other class; they are never negated silently.

    Scores that are judged as ``probabilities`` of the positive class cannot be negated.
    """
    pairs = list(zip(names, levels, strict=False))
    turned = [(name, level.area) for name, level in pairs if level.area is not None and _is_below_chance(level)]
    if not turned:
        return ()
    if probabilities:
        return (caveat("wrong_way_round", "probabilities", areas=turned),)
    which = True if len(turned) == len(pairs) else turned[0][0] if len(turned) == 1 else [name for name, _ in turned]
    return (caveat("wrong_way_round", areas=turned, which=which),)


def _is_below_chance(level: ChanceLevel) -> bool:
    return level.below <= BELOW_CHANCE < level.above


def at_chance(levels: Sequence[ChanceLevel], names: Sequence[str]) -> tuple[Caveat, ...]:
    """A model that is right no more often than by chance beside one that is: its rows may be those of other items.

    A model that gives every item the same answer is at chance whatever the order of its rows.
    """
    pairs = list(zip(names, levels, strict=False))
    knowing = [name for name, level in pairs if level.above <= SURELY_ABOVE_CHANCE]
    lost = [
        (name, level.above)
        for name, level in pairs
        if level.above > NOT_ABOVE_CHANCE and not _is_below_chance(level) and min(level.below, level.above) < 1.0
    ]
    if not knowing or not lost:
        return ()
    return (caveat("at_chance", "decisions" if levels[0].area is None else "", lost=lost, knowing=knowing),)


def delong_out_of_range(areas: Sequence[float], smallest: int, check: Sequence[str] = ()) -> tuple[Caveat, ...]:
    """The normal approximation fails where hardly any item is ranked wrongly, and for few items of the smallest class.

    It is n(1 − AUC) that counts, n being the size of the smaller class. Below 3 the test is often too cautious.
    ``check`` has the tests that answer the question, too.
    """
    caveats = []
    wrong = smallest * max(min(area, 1.0 - area) for area in areas)
    if wrong < FEWEST_WRONGLY_RANKED:
        caveats.append(caveat("delong_near_1", wrong=wrong, fewest=FEWEST_WRONGLY_RANKED, check=check))
    if smallest < FEW_OF_A_CLASS:
        caveats.append(caveat("delong_few_items", smallest=smallest, check=check))
    return tuple(caveats)


def few_ranked_wrongly(areas: Sequence[float], smallest: int) -> tuple[Caveat, ...]:
    """Two areas on two test sets: a rare kind of item may be missing from either, so the test is cautious."""
    caveats = []
    wrong = smallest * max(min(area, 1.0 - area) for area in areas)
    if smallest < FEW_OF_A_CLASS:
        caveats.append(caveat("delong_few_items", "two sets", smallest=smallest))
    if wrong < FEWEST_WRONGLY_RANKED:
        facts = {"wrong": wrong, "fewest": FEWEST_WRONGLY_RANKED, "alone": not caveats}
        caveats.append(caveat("delong_near_1", "two sets", **facts))
    return tuple(caveats)


def missed_by_one_set(name: str, units: int, noun: str, p: PValue, without: PValue) -> tuple[Caveat, ...]:
    """The difference of two test sets rests on one of them having missed no rare kind of item."""
    share = -math.expm1(math.log(0.05) / units)
    facts = {"name": name, "units": units, "noun": noun, "most_missed": share, "p": p.value, "without": without.value}
    return (caveat("unseen_failures", "two sets", **facts),)


def holds_strata(sampling: Sampling | None) -> tuple[Caveat, ...]:
    """Stratified replicates are about test sets with exactly these strata."""
    if sampling is None or not sampling.strata:
        return ()
    return (caveat("stratified", unit=sampling.unit, strata=sampling.strata),)


def few_groups(
    test: Test | None, sampling: Sampling | None, question: Question[Any] | None = None
) -> tuple[Caveat, ...]:
    """A handful of groups, or a few large ones among many, show too little of how groups vary."""
    fewest = FEWEST_FOR_T if test is not None and test.takes_crossed else FEWEST_GROUPS
    if sampling is None or sampling.unit != "group" or sampling.effective >= fewest:
        return ()
    facts = {"groups": sampling.n_units, "effective": sampling.effective, "fewest": fewest}
    if test is None or test.takes_crossed:
        return (caveat("few_groups", **facts),)
    if test.name == "permutation":
        return (caveat("few_groups", "bootstrap interval", **facts),)
    instead = () if question is None else able(question, "studentised")
    return (caveat("few_groups", "bootstrap", test=test.label, instead=instead, **facts),)


def few_groups_of_a_class(question: Question[ScoreSample | BinnedScores]) -> tuple[Caveat, ...]:
    """A variance by groups rests on the groups that hold the rarer class."""
    if question.sample.groups_of_classes is None or question.sample.groups_of_classes[1] >= FEWEST_GROUPS:
        return ()
    held, effective = question.sample.groups_of_classes
    return (caveat("few_groups_of_a_class", held=held, effective=effective, check=able(question, "permutation")),)


def small_strata(measure: Measure, interval: Interval, sampling: Sampling | None) -> tuple[Caveat, ...]:
    """A stratum of one unit does not show how much it varies, nor do small strata whose units are drawn whole."""
    if sampling is None or not sampling.strata or interval.method not in BOOTSTRAP or interval.method == "studentised":
        return ()
    unit, lost = sampling.unit, len(sampling.strata) / sampling.n_units
    of, facts = "whole items", {"average": 1.0 / lost, "measure": measure.label}
    if not measure.whole_items:
        single = sum(size == 1 for size in sampling.strata.values())
        lost = single / sampling.n_units
        of, facts = "", {"single": single, "strata": len(sampling.strata)}
    if lost <= LOST_IN_STRATA:
        return ()
    return (caveat("small_strata", of, unit=unit, factor=math.sqrt(1.0 - lost), **facts),)


def leads_elsewhere(
    question: Question[Any], finding: Finding, names: tuple[str, ...] = ("A", "B"), units: str = "items", of: str = ""
) -> tuple[Caveat, ...]:
    """A test of wins, ranks or the first fold can contradict the measure."""
    if finding.lead is None or finding.lead * question.gain >= 0:
        return ()
    leader, other = names[::-1] if finding.lead > 0 else names
    measure = of + question.measure.label
    return (caveat("leads_elsewhere", lead=leader, judged=finding.judged, other=other, units=units, measure=measure),)


def not_whole_units(test: Test, question: Question[Any], sampling: Sampling | None) -> tuple[Caveat, ...]:
    """A test that treats items as independent was asked for on data with groups or strata."""
    if sampling is None or test.takes_whole_units(question.measure):
        return ()
    if sampling.unit != "group":
        return ignores_strata(test.label, question, sampling)
    effect = sampling.design_effect
    facts = {"groups": sampling.n_units, "design_effect": effect, "instead": _keeping(question)}
    of = "" if effect is not None and effect > 1.0 else "without harm"
    return (caveat("ignores_groups", of, test=test.label, n=question.n, **facts),)


def ignores_strata(label: str, question: Question[Any], sampling: Sampling | None) -> tuple[Caveat, ...]:
    """A test whose variance ignores the strata was asked for."""
    if sampling is None or not sampling.strata:
        return ()
    return (caveat("ignores_strata", test=label, instead=_keeping(question)),)


def _keeping(question: Question[Any]) -> tuple[str, ...]:
    """Return the tests that draw or swap whole groups, or keep the strata, and answer the question."""
    return able(question, "studentised", "permutation", "bootstrap")


def takes_items_as_independent(interval: str, sampling: Sampling | None) -> tuple[Caveat, ...]:
    """An interval of a proportion was asked for on data with groups."""
    if sampling is None or sampling.unit != "group":
        return ()
    return (caveat("ignores_groups", "interval", interval=interval, groups=sampling.n_units),)


@singledispatch
def of_sample(
    sample: Sample, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    """Return the caveats that data of this kind raise, whatever the test."""
    return ()


@of_sample.register(CountSample)
def _of_counts(
    sample: CountSample, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    # fair coins for the disagreements are about δ = 0 only
    few = few_disagreements(question, interval) if interval and len(names) == 2 and question.margin is None else ()
    return few + undefined_estimates(question, names) + holds_strata(sample.sampling)


@of_sample.register(ScoreSample)
def _of_scores(
    sample: ScoreSample, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    return holds_strata(sample.sampling)


@of_sample.register(BinnedScores)
def _of_bins(
    sample: BinnedScores, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    """Say what bins leave unknown about each model's value, their difference and the standard error."""
    measure = question.measure
    if measure.is_area:
        errors = sample.areas.errors.tolist()
    else:
        ends = zip(sample.bounds(measure), question.estimates, strict=True)
        errors = [max(high - value, value - low) for (low, high), value in ends]
    facts = {"bins": sample.bins, "measure": measure.label, "errors": list(zip(names, errors, strict=True))}
    if not measure.is_area:
        return (caveat("binned", **facts),)
    deviations = sample.areas.deviations
    too_few = sum(errors) > OF_AN_ERROR * deviations[1]
    return (caveat("binned", "auc", deviations=deviations, too_few=too_few, **facts),)


@of_sample.register(ValueSample)
def _of_values(
    sample: ValueSample, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    few = few_differences(question, interval) if interval and len(names) == 2 else ()
    return holds_strata(sample.sampling) + few


def of_replicates(question: Question[Any], drawn: Drawn, interval: Interval) -> tuple[Caveat, ...]:
    """Return the caveats about replicates, for every test that uses them."""
    more = () if drawn.errors is None else flat_replicates(question, int((drawn.errors == 0.0).sum()), interval)
    few = few_for_the_bootstrap(question.sample, question, interval)
    return undefined_replicates(question, drawn.undefined) + few_replicates(question, interval) + more + few
