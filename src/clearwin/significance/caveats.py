"""The doubts that tests attach to their findings: one rule, one wording, one source each."""

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
from clearwin.errors import first_few, setting
from clearwin.measures import Measure
from clearwin.numerics.intervals import BOOTSTRAP, DIRICHLET, INVERTED, Interval, alpha_of
from clearwin.numerics.pvalues import Claim, PValue, of_student
from clearwin.numerics.rank_sum import ChanceLevel
from clearwin.resampling.bootstrap import Drawn
from clearwin.resampling.by_class import has_few_of_a_class
from clearwin.results.base import Caveat, Sampling
from clearwin.significance import chance
from clearwin.significance.base import Finding, Test, able, choose, smallest_by_coins
from clearwin.significance.unseen import HARMLESS, Unseen
from clearwin.text import capital, counted, percent

FEWEST_DISAGREEMENTS = 6
FEW_OF_A_CLASS = 20
FEWEST_BY_CLASS = 8
FEWEST_GROUPS = 40  # Cameron and Miller call 20 to 50 few; docs/scorecard.md, "What few items cannot show"
FEWEST_FOR_T = 20  # the same for the studentised test, which allows for few; by what they hold, docs/scorecard.md
OF_AN_ERROR = 0.1  # uncertainty that bins may leave in a difference, as a share of its standard error
LOST_IN_STRATA = 0.06  # of the variance: intervals are 3 % too narrow
FEWEST_BEYOND = 20  # replicates beyond an end of an interval: their share is then known to about a fifth (1/√20)
TOO_NARROW = "This interval can be far too narrow, because it treats what was not observed as impossible"
TOO_WIDE = "The interval is conservative"
ASSUMED = "The interval leans on its prior"
SCORECARD = "docs/scorecard.md"
ALL_REPLICATES_ALIKE = (
    "all replicates agree, so these items cannot show how much the difference would vary. Use a larger test set, or "
    "coarser strata."
)
ALL_ITEMS_ALIKE = (
    "the items all say the same, so they cannot show how far off the estimate may be. Use a larger test set."
)
MOST_NAMED = 3  # of the parts that share a doubt
# the text for several classes, labels or slices with the same doubt
IN_COMMON = {
    "few_of_a_class": f"fewer than {FEW_OF_A_CLASS} items of a class",
    "few_disagreements": f"the models disagree on fewer than {FEWEST_DISAGREEMENTS} items",
    "few_groups": f"fewer than {FEWEST_FOR_T} or {FEWEST_GROUPS} groups in effect",
    "unseen_failures": "a rare kind of item that was missed could explain the result",
    "unseen_assumed": "rare failures that were missed are assumed away",
    "undefined_estimate": "the measure is undefined (0/0) for a model, and was set by convention",
    "undefined_replicates": "in some replicates the measure was undefined, and was set by convention",
    "sampled_near_level": "the p-value is sampled and near the level, so more replicates could change the decision",
    "few_replicates": "the ends of the interval depend on the seed, so raise n_resamples",
    "no_width": "the interval has zero width",
}
FEWEST_WRONGLY_RANKED = 3.0  # n(1 − AUC) of the smaller class
BELOW_CHANCE = 0.025  # p-value at which an area is below 1/2 by more than chance
RANK_SUM = "Wilcoxon 1945"
# p-values of a model that clearly beats chance, and of one that may not
SURELY_ABOVE_CHANCE, NOT_ABOVE_CHANCE = 0.001, 0.05
FEWEST_FOR_THE_BOOTSTRAP = 40  # from here on a bootstrap interval of a mean is within a point of its level


def against_others(positive: object, others: tuple[object, ...]) -> tuple[Caveat, ...]:
    """More than two classes were folded into two."""
    if not others:
        return ()
    text = f"Class {positive} was judged against the {len(others)} others taken together."
    return (Caveat("against_others", text, "keller2004 section 4, one against the others"),)


def labels_not_in_truth(
    strange: Sequence[Strange], names: Sequence[str], n: int, averaged: bool, folded: bool
) -> tuple[Caveat, ...]:
    """Predicted labels that never occur in the truth: a class too rare for it, or another spelling."""
    told = [
        f"{name} predicts {first_few(map(repr, found.labels), len(found.labels))} on {found.items:,} of {n:,} items"
        for name, found in zip(names, strange, strict=False)
        if found.items
    ]
    if not told:
        return ()
    text = f"Some predicted labels never occur in the truth: {' and '.join(told)}. "
    if folded:
        text += "They count as one of the other classes."
    elif averaged:
        text += "They are always wrong, and the average counts each of them as a class, for all models."
    else:
        text += "They are always wrong."
    return (Caveat("labels_not_in_truth", text),)


def normal_approximation(what: str, n: float, share: float) -> tuple[Caveat, ...]:
    """n p(1 − p) ≥ 5 is the textbook condition for treating a binomial as normal."""
    if n * share * (1.0 - share) >= 5.0:
        return ()
    text = f"The normal approximation is doubtful: n·p·(1−p) = {n * share * (1.0 - share):.3g} for {what}, under 5."
    return (Caveat("normal_approximation", text, "lecture-measures, Binomial Distribution"),)


def no_width(
    interval: Interval, difference: float, slack: float | None = None, because: str = ALL_REPLICATES_ALIKE
) -> tuple[Caveat, ...]:
    """An interval that ends at the estimate itself, up to ``slack``, does not show how far off it may be."""
    width = {"two-sided": interval.high - interval.low, "lower": difference - interval.low}
    slack = 1e-12 * max(1.0, abs(difference)) if slack is None else slack
    if width.get(interval.side, interval.high - difference) > slack:
        return ()
    return (Caveat("no_width", f"The interval has zero width: {because}"),)


def few_disagreements(question: Question[CountSample], interval: Interval) -> tuple[Caveat, ...]:
    """A handful of disagreements is little to rest a result on, and with fewer than 6 many tests can show nothing.

    With fewer than 6 fair coins both tails of the most extreme outcome hold more than .05. Replicates of so few vary
    too little: 95 % bootstrap intervals of F1, MCC and DCF covered the truth one time in six
    to twelve where one item in fifty is positive and there are 50 (docs/scorecard.md).
    """
    return _few_coins(question, *_telling(question), interval)


def few_differences(question: Question[ValueSample], interval: Interval) -> tuple[Caveat, ...]:
    """The same for values: units without a difference do not count."""
    n, noun = question.sample.telling(question.measure), question.sample.noun
    return _few_coins(question, n, noun, interval)


def _with_so_few(interval: Interval | None) -> str:
    """Say what few items do to the interval (docs/scorecard.md)."""
    if interval is None or interval.method in BOOTSTRAP or interval.method == "wald":
        return TOO_NARROW  # replicates and variances treat what was not seen as impossible
    known = {"tango": TOO_WIDE, "mover": TOO_WIDE, DIRICHLET: ASSUMED}
    return known.get(interval.method, "The interval is only a rough guide")


def _few_coins(question: Question[Any], n: int, noun: str, interval: Interval) -> tuple[Caveat, ...]:
    if n >= FEWEST_DISAGREEMENTS:
        return ()
    if n == 0:
        text = "The models never disagree here."
        if _with_so_few(interval) == TOO_NARROW:
            text += f" The interval has zero width, which says nothing about other {noun}s."
        return (Caveat("few_disagreements", text),)
    text = f"The models disagree on only {counted(n, noun)}, "
    text += _out_of_reach(question, n) or "and the result rests on so few"
    text += f". {_with_so_few(interval)}; collect more {noun}s."
    return (Caveat("few_disagreements", text, SCORECARD),)


def _out_of_reach(question: Question[Any], n: int) -> str:
    """Say that this test could show nothing on so few units even if all of them favoured one model."""
    test, _ = choose(question.options.test, question)
    method = test.methods[0] if question.method == "auto" else question.method
    alpha = alpha_of(question.confidence_level)
    if question.margin is not None or smallest_by_coins(f"{test.name}/{method}", n, question.claim) <= alpha:
        return ""
    return f"so this test cannot reach p < {alpha:g}, whichever model they favour"


def _telling(question: Question[CountSample]) -> tuple[int, str]:
    """Return on how many units the models differ, and what the units are."""
    sample = question.sample
    joint = sample.joint_outcomes
    if joint is None or sample.units is not None:
        return sample.telling(question.measure), sample.sampling.unit if sample.sampling else "item"
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
    few = [(n, label) for label, n in sizes if n < fewest]
    if not few:
        return ()
    sizes_told = [(label, f"only {counted(n, 'item')}" if n else "no items") for n, label in few[:3]]
    told = " and ".join(f"class {label} has {size}" for label, size in sizes_told)
    if len(few) > 3:
        told += f", and {counted(len(few) - 3, 'more class', 'more classes')} as few"
    text = f"{capital(told)}, so {question.measure.label} rests on very few items"
    width = _with_so_few(interval)
    if one_model:  # the scorecard is about differences
        return (Caveat("few_of_a_class", f"{text}. {width}.", "fewer than 20 items of a class"),)
    what = "the p-value moves in big steps" if fewest == FEW_OF_A_CLASS else "only a large difference can be shown"
    text += f" and {what}. {width}."
    return (Caveat("few_of_a_class", text, f"fewer than {fewest} items of a class; {SCORECARD}"),)


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
    measure, who = question.measure, " and ".join(undefined_for(question, names))
    if not who:
        return ()
    value = measure.settings["zero_division"]
    what = f"A part of {measure.label}" if measure.in_parts else measure.label
    text = f"{what} is undefined (0/0) for {who}, because {measure.undefined_when}; it was set to {value:g}."
    return (Caveat("undefined_estimate", text, "zero_division"),)


def undefined_replicates(question: Question[Any], count: int) -> tuple[Caveat, ...]:
    """Replicates that are 0/0 were given a value by convention, not dropped."""
    if count == 0:
        return ()
    measure = question.measure
    what = f"a part of {measure.label}" if measure.in_parts else measure.label
    text = (
        f"In {count:,} of {question.n_resamples:,} replicates {what} was undefined "
        f"({measure.undefined_when}) and set to {measure.settings['zero_division']:g}."
    )
    return (Caveat("undefined_replicates", text, "zero_division"),)


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
    if question.n_resamples >= needed:
        text = (
            f"Only about {question.n_resamples * question.coverage.tail:.0f} of {question.n_resamples:,} replicates "
            f"lie beyond an end of the interval, so its ends depend on the seed."
        )
        text = text + " Use at least " + setting("n_resamples", enough) + "."
        return (Caveat("few_replicates", text, f"fewer than {FEWEST_BEYOND} replicates beyond an end"),)
    text = (
        f"{question.n_resamples:,} replicates cannot bound a {question.confidence_level:.4g} interval, so an end "
        f"of it is the end of the measure's range."
    )
    text = text + " Use at least " + setting("n_resamples", max(needed, enough)) + "."
    return (Caveat("few_replicates", text),)


def flat_replicates(question: Question[Any], count: int, interval: Interval) -> tuple[Caveat, ...]:
    """Replicates without any spread have no finite t*."""
    if interval.method != "studentised" or count in (0, question.n_resamples):  # if all are, nothing varies at all
        return ()
    text = (
        f"In {count:,} of {question.n_resamples:,} replicates all units agreed, so the standard error was 0. They "
        "count as infinitely far out, which widens the studentised interval."
    )
    return (Caveat("flat_replicates", text),)


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
    text = (
        f"Bootstrap intervals of {n} {noun}s are too narrow: with normal differences this one covers the truth "
        f"{percent(1.0 - misses, 0)} % of the time, not {interval.level:.4g}."
    )
    if isinstance(question.sample, ValueSample):
        text = text + " " + setting("interval", "studentised") + " allows for that."
    else:
        text = text + check_with(question, "studentised")
    return (Caveat("few_for_the_bootstrap", text, f"fewer than {FEWEST_FOR_THE_BOOTSTRAP}; Student 1908"),)


TRIMMED = "a measure that a few large values do not dominate, such as trimmed_mean"
ONE_TEST_SET = "one test set for both models, on which trimmed means can be compared"


def too_skewed(skewness: float, most: float, *, of_one: bool = False, instead: str = TRIMMED) -> tuple[Caveat, ...]:
    """The mean of few skewed values is not where its t puts it, because rare large values may be missing."""
    if skewness <= most:
        return ()
    but = (
        "the interval can miss the true mean" if of_one else "no test here keeps its level, so the result is undecided"
    )
    text = (
        f"The values are too skewed for so few items (the skewness of their mean is {skewness:.2f}, above {most:g}), "
        f"and {but}. Use more items, or {instead}."
    )
    return (Caveat("too_skewed", text, SCORECARD),)


def unseen_failures(question: Question[Any], unseen: Unseen, p: PValue, without: PValue) -> tuple[Caveat, ...]:
    """The result rests on the test set having missed no rare failures of the model that is ahead."""
    noun, names = _drawn(question), question.options.names
    b_is_ahead = question.gain > 0.0 if question.margin is None else question.options.claim != "worse"
    ahead, other = names[::-1] if b_is_ahead else names
    limits = question.sample.bounds_of(question.measure)
    least, most = limits if math.isfinite(limits[0]) and math.isfinite(limits[1]) else (0.0, 1.0)
    worst, best = (least, most)[:: question.measure.sign]
    text = (
        f"Not decided: a kind of {noun} that {counted(unseen.units, noun)} would miss (up to "
        f"{percent(unseen.most_missed, 1)} % of all), on which {ahead} gets {worst:g} and {other} {best:g}, could "
        f"explain this difference (p = {p.value:.2g} allowing for it, {without.value:.2g} without). About "
        f"{float(f'{unseen.units_needed:.2g}'):,.0f} {noun}s would settle it."
    )
    return (Caveat("unseen_failures", text, f"chance (1 − q)^n of missing a share q; {SCORECARD}"),)


def assumed_of_unseen(question: Question[Any], unseen: Unseen | None) -> tuple[Caveat, ...]:
    """No range bounds what a unit that is missing could change, or p does not allow for it: say what is assumed.

    This looks at how much units vary, and never at what was decided.
    """
    if unseen is None or unseen.decides or unseen.ratio <= HARMLESS:
        return ()
    noun = unseen.what.partition(" ")[0]
    text = (
        f"The p-value and the interval hold only if {unseen.what} are rarer than {percent(unseen.share, 1)} %. "
        f"{unseen.units:,} {noun} can miss a kind that makes up to {percent(unseen.most_missed, 1)} % of all."
    )
    if question.measure.name in ("mean", "mean_loss"):
        text += " If the values have a range, declare it: for grades from 1 to 10, "
        text = text + setting("measure", f"{question.measure.name}(lowest=1, highest=10)") + "."
    return (Caveat("unseen_assumed", text, f"chance (1 − q)^n of missing a share q; {SCORECARD}"),)


def _drawn(question: Question[Any]) -> str:
    return question.sampling.unit if question.sampling else "item"


def borderline(p: PValue | None, interval: Interval) -> tuple[Caveat, ...]:
    """The p-value and the interval come from different approximations and may disagree near the level."""
    alpha = alpha_of(interval.level)
    if p is None or (p.value <= alpha) == (0.0 not in interval):
        return ()
    says = (
        "the p-value is below it and the interval includes 0"
        if p.value <= alpha
        else "the interval excludes 0 and the p-value is above it"
    )
    text = f"Borderline at {alpha:g}: {says}. The verdict follows the weaker of the two."
    return (Caveat("borderline", text),)


def sampled_near_level(p: PValue | None, alpha: float) -> tuple[Caveat, ...]:
    """More replicates could change the decision."""
    if p is None or p.error is None or abs(p.value - alpha) > 3.0 * p.error:
        return ()
    text = (
        f"The p-value is sampled and lies within three standard errors ({p.error:.2g} each) of the level {alpha:g}, so "
        "more replicates could change the decision."
    )
    return (Caveat("sampled_near_level", text),)


@singledispatch
def chance_levels(sample: Sample) -> tuple[ChanceLevel, ...]:
    """Return how each model compares with chance; nothing where the data do not show it.

    Scores are judged by how they rank the items, also where they became decisions or losses, and decisions by how many
    are right.
    """
    return sample.about.chance


@chance_levels.register(ScoreSample)
def _(sample: ScoreSample) -> tuple[ChanceLevel, ...]:
    return tuple(ranking.chance for ranking in sample.rankings)


@chance_levels.register(BinnedScores)
def _(sample: BinnedScores) -> tuple[ChanceLevel, ...]:
    return sample.chance


@chance_levels.register(CountSample)
def _(sample: CountSample) -> tuple[ChanceLevel, ...]:
    if sample.about.chance or sample.joint_outcomes is None:
        return sample.about.chance
    found = []
    for matrix in sample.joint_outcomes.confusions():
        rows, columns = (tuple(int(n) for n in matrix.cells.sum(axis=axis)) for axis in (1, 0))
        found.append(chance.level_of(chance.Margins(rows, columns, int(matrix.cells.trace()))))
    return tuple(found)


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
    turned = [(name, one.area) for name, one in pairs if one.area is not None and _is_below_chance(one)]
    if not turned:
        return ()
    told = " and ".join(f"{name} has {area:.3f}" for name, area in turned)
    text = (
        f"Do higher scores mean the negative class? By AUC {told}, which is further below 1/2 than chance explains. "
        "The scores were used as given. If "
    )
    if probabilities:
        text += "they are probabilities of the other class, use 1 − p."
    else:
        which = (
            True if len(turned) == len(pairs) else turned[0][0] if len(turned) == 1 else [name for name, _ in turned]
        )
        text = text + "lower scores mean the positive class, use " + setting("lower_is_positive", which) + "."
    return (Caveat("wrong_way_round", text, RANK_SUM, "the decision"),)


def _is_below_chance(level: ChanceLevel) -> bool:
    return level.below <= BELOW_CHANCE < level.above


def at_chance(levels: Sequence[ChanceLevel], names: Sequence[str]) -> tuple[Caveat, ...]:
    """A model that is right no more often than by chance beside one that is: its rows may be those of other items.

    A model that gives every item the same answer is at chance whatever the order of its rows.
    """
    pairs = list(zip(names, levels, strict=False))
    knowing = [name for name, one in pairs if one.above <= SURELY_ABOVE_CHANCE]
    lost = [
        (name, one.above)
        for name, one in pairs
        if one.above > NOT_ABOVE_CHANCE and not _is_below_chance(one) and min(one.below, one.above) < 1.0
    ]
    if not knowing or not lost:
        return ()
    who = first_few([f"{name} (p = {p:.2g})" for name, p in lost], len(lost))
    other = knowing[0] if len(knowing) == 1 else "others"
    text = (
        f"{who} {'does' if len(lost) == 1 else 'do'} not clearly beat chance, although {other} "
        f"{'does' if len(knowing) == 1 else 'do'}. Are {'its' if len(lost) == 1 else 'their'} rows in the same order "
        "as the truth?"
    )
    source = "nyssen1998, exact test of the number right" if levels[0].area is None else RANK_SUM
    return (Caveat("at_chance", text, source, "the decision"),)


def check_with(question: Question[Any], *names: str) -> str:
    """Return a sentence with those of these tests that answer the question; nothing if none does."""
    able_to = able(question, *names)
    return " Check with " + setting("test", *able_to) + "." if able_to else ""


def delong_out_of_range(areas: Sequence[float], smallest: int, check: str = "") -> tuple[Caveat, ...]:
    """The normal approximation fails where hardly any item is ranked wrongly, and for few items of the smallest class.

    It is n(1 − AUC) that counts, n being the size of the smaller class. Below 3 the test is often too cautious.
    ``check`` says what else to do.
    """
    doubts = []
    wrong = smallest * max(min(area, 1.0 - area) for area in areas)
    if wrong < FEWEST_WRONGLY_RANKED:
        text = (
            f"Almost every item is ranked correctly: n(1 − AUC) is {wrong:.2g} in the smaller class, and under "
            f"{FEWEST_WRONGLY_RANKED:g} DeLong's test has little power."
        )
        doubts.append(Caveat("delong_near_1", text + check, "simulation of normal scores"))
    if smallest < FEW_OF_A_CLASS:
        text = f"The smaller class has {smallest} items; under 20 DeLong's test does not keep its level."
        doubts.append(Caveat("delong_few_items", text + check, "fewer than 20 items of a class"))
    return tuple(doubts)


def few_ranked_wrongly(areas: Sequence[float], smallest: int) -> tuple[Caveat, ...]:
    """Two areas on two test sets: a rare kind of item may be missing from either, so the test is cautious."""
    doubts, only_large = (
        [],
        "so only a large difference can be shown. On one test set for both models a smaller one can.",
    )
    wrong = smallest * max(min(area, 1.0 - area) for area in areas)
    if smallest < FEW_OF_A_CLASS:
        text = f"The smaller class has {counted(smallest, 'item')}, {only_large}"
        doubts.append(Caveat("delong_few_items", text, f"fewer than {FEW_OF_A_CLASS} items of a class; {SCORECARD}"))
    if wrong < FEWEST_WRONGLY_RANKED:
        text = f"Almost every item is ranked correctly: n(1 − AUC) is {wrong:.2g} in the smaller class"
        text += "." if doubts else f", {only_large}"
        doubts.append(Caveat("delong_near_1", text, f"below {FEWEST_WRONGLY_RANKED:g}; {SCORECARD}"))
    return tuple(doubts)


def missed_by_one_set(name: str, units: int, noun: str, p: PValue, without: PValue) -> tuple[Caveat, ...]:
    """The difference of two test sets rests on one of them having missed no rare kind of item."""
    share = -math.expm1(math.log(0.05) / units)
    text = (
        f"Not decided: the {counted(units, noun)} of {name} can miss a kind that makes up to {percent(share, 1)} % of "
        f"all {noun}s, and that could explain this difference (p = {p.value:.2g} allowing for it, {without.value:.2g} "
        f"without). Use more {noun}s for {name}, or judge both models on one test set."
    )
    return (Caveat("unseen_failures", text, f"chance (1 − q)^n of missing a share q; {SCORECARD}"),)


def holds_strata(sampling: Sampling | None) -> tuple[Caveat, ...]:
    """Stratified replicates are about test sets with exactly these strata."""
    if sampling is None or not sampling.strata:
        return ()
    named = [f"{name} {n:,}" for name, n in sampling.strata.items()]
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    text = f"The strata are held fixed ({sampling.unit}s: {', '.join(named[:5])}{more}), so the interval is about test "
    return (Caveat("stratified", text + "sets divided like this one."),)


def few_groups(
    test: Test | None, sampling: Sampling | None, question: Question[Any] | None = None
) -> tuple[Caveat, ...]:
    """A handful of groups, or a few large ones among many, show too little of how groups vary."""
    fewest = FEWEST_FOR_T if test is not None and test.takes_crossed else FEWEST_GROUPS
    if sampling is None or sampling.unit != "group" or sampling.effective >= fewest:
        return ()
    as_many = f"{sampling.n_units:,} groups"
    if sampling.effective < 0.9 * sampling.n_units:
        as_many += f" of very unequal weight, which count as {sampling.effective:.1f}"
    text = f"There are only {as_many}. "
    if test is None or test.takes_crossed:
        text += "So few can hide how much groups differ."
    elif test.name == "permutation":
        text += "Bootstrap intervals of so few are too narrow."
    else:
        text += f"Bootstrap intervals of so few are too narrow, and the {test.label} can find differences too often."
        text += "" if question is None else check_with(question, "studentised").replace("Check with", "Use", 1)
    return (Caveat("few_groups", text, f"fewer than {fewest} groups in effect; Carter et al. 2017"),)


def few_groups_of_a_class(question: Question[ScoreSample | BinnedScores]) -> tuple[Caveat, ...]:
    """A variance by groups rests on the groups that hold the rarer class."""
    if question.sample.groups_of_classes is None or question.sample.groups_of_classes[1] >= FEWEST_GROUPS:
        return ()
    held, effective = question.sample.groups_of_classes
    text = (
        f"One class occurs in only {held:,} groups, which count as {effective:.1f} of equal size, and the variance by "
        "groups rests on these."
    )
    return (Caveat("few_groups_of_a_class", text + check_with(question, "permutation")),)


def small_strata(measure: Measure, interval: Interval, sampling: Sampling | None) -> tuple[Caveat, ...]:
    """A stratum of one unit does not show how much it varies, nor do small strata whose units are drawn whole."""
    if sampling is None or not sampling.strata or interval.method not in BOOTSTRAP or interval.method == "studentised":
        return ()
    unit, lost = sampling.unit, len(sampling.strata) / sampling.n_units
    if measure.whole_items:
        text = f"The strata are small, {1.0 / lost:.1f} {unit}s each on average, and {measure.label} needs whole items"
        source = "(n − 1)/n of the variance in a stratum of n; Rao and Wu 1988"
    else:
        single = sum(size == 1 for size in sampling.strata.values())
        lost = single / sampling.n_units
        text = f"{single:,} of {len(sampling.strata):,} strata have only one {unit}, which every replicate keeps"
        source = "a stratum of one unit has no variance; Rao and Wu 1988"
    if lost <= LOST_IN_STRATA:
        return ()
    text += (
        f", so bootstrap intervals are too narrow by a factor of about {math.sqrt(1.0 - lost):.2f}. Use coarser strata."
    )
    return (Caveat("small_strata", text, source),)


def leads_elsewhere(
    question: Question[Any], finding: Finding, names: tuple[str, ...] = ("A", "B"), units: str = "items", of: str = ""
) -> tuple[Caveat, ...]:
    """A test of wins, ranks or the first fold can contradict the measure."""
    if finding.lead is None or finding.lead * question.gain >= 0:
        return ()
    does = {"wins": f"wins more {units}", "ranks": "has the higher signed ranks", "first": "is ahead in the first fold"}
    one, other = names[::-1] if finding.lead > 0 else names
    text = f"{one} {does[finding.judged]}, but {other} has the better {of}{question.measure.label}. The p-value "
    return (Caveat("leads_elsewhere", f"{text}is about the former alone."),)


def not_whole_units(test: Test, question: Question[Any], sampling: Sampling | None) -> tuple[Caveat, ...]:
    """A test that treats items as independent was asked for on data with groups or strata."""
    if sampling is None or test.takes_whole_units(question.measure):
        return ()
    if sampling.unit != "group":
        return ignores_strata(test.label, question, sampling)
    effect = sampling.design_effect
    told = "" if effect is None else f" By groups the variance of the difference is {effect:.2f} times as large"
    if effect is not None:
        told += " (the design effect), so this p-value is too small and the interval too narrow."
        told = told if effect > 1 else told.partition(", so")[0] + "."
    text = f"The {test.label} treats {question.n:,} items in {sampling.n_units:,} groups as independent.{told}"
    keep = " Groups are kept whole by " + setting("test", *keeping) + "." if (keeping := _keeping(question)) else ""
    return (Caveat("ignores_groups", text + keep, "Kish 1965"),)


def ignores_strata(label: str, question: Question[Any], sampling: Sampling | None) -> tuple[Caveat, ...]:
    """A test whose variance ignores the strata was asked for."""
    if sampling is None or not sampling.strata:
        return ()
    keep = " They are kept by " + setting("test", *keeping) + "." if (keeping := _keeping(question)) else ""
    return (Caveat("ignores_strata", f"The {label} ignores the strata." + keep),)


def _keeping(question: Question[Any]) -> tuple[str, ...]:
    """Return the tests that draw or swap whole groups, or keep the strata, and answer the question."""
    return able(question, "studentised", "permutation", "bootstrap")


def takes_items_as_independent(interval: str, sampling: Sampling | None) -> tuple[Caveat, ...]:
    """An interval of a proportion was asked for on data with groups."""
    if sampling is None or sampling.unit != "group":
        return ()
    text = f"The {interval} interval treats items as independent, although they come in {sampling.n_units:,} groups. "
    return (Caveat("ignores_groups", text + "They are kept whole by " + setting("interval", "auto") + "."),)


@singledispatch
def of_sample(
    sample: Sample, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    """Return the doubts that data of this kind raise, whatever the test."""
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
    if measure.name == "auc":
        errors = sample.areas.errors.tolist()
    else:
        ends = zip(sample.bounds(measure), question.estimates, strict=True)
        errors = [max(high - value, value - low) for (low, high), value in ends]
    told = ", ".join(f"{error:.1g} for {name}" for name, error in zip(names, errors, strict=True))
    text = f"The scores were counted in at most {sample.bins:,} bins for each model. "
    if not any(errors):
        text += f"That leaves {measure.label} exact"
    else:
        text += f"{measure.label} is exact to within {told}"
    if measure.name == "auc":
        low, high = sample.areas.deviations
        text += f", and the standard error {'of the difference ' if len(names) > 1 else ''}"
        text += f"lies between {low:.4g} and {high:.4g}."
        if sum(errors) > OF_AN_ERROR * high:
            text += " The uncertainty in the areas is more than a tenth of it, so use more bins, or exact scores."
    else:
        text += "; replicates are drawn from a coarser grid."
    return (Caveat("binned", text, "Σ pos·neg/(2PN) over the bins; Cauchy and Schwarz for the covariance"),)


@of_sample.register(ValueSample)
def _of_values(
    sample: ValueSample, question: Question[Any], names: tuple[str, ...], interval: Interval | None
) -> tuple[Caveat, ...]:
    few = few_differences(question, interval) if interval and len(names) == 2 else ()
    return holds_strata(sample.sampling) + few


def doubts(question: Question[Any], drawn: Drawn, interval: Interval) -> tuple[Caveat, ...]:
    """Return the doubts about replicates, for every test that uses them."""
    more = () if drawn.errors is None else flat_replicates(question, int((drawn.errors == 0.0).sum()), interval)
    few = few_for_the_bootstrap(question.sample, question, interval)
    return undefined_replicates(question, drawn.undefined) + few_replicates(question, interval) + more + few
