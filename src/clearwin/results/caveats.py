"""Every caveat once: what it says, the source of its rule, its place among others and what it changes.

A rule stays beside its facts and raises ``caveat("too_skewed", skewness=…)``; the function of that name below puts the
facts into words, and its docstring says what the caveat is about. A second text for the same code, where several parts
or pairs share it or another question is asked, is registered with ``said_of``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from clearwin.errors import first_few, setting
from clearwin.numerics.intervals import BOOTSTRAP, DIRICHLET
from clearwin.text import capital, counted, percent

Severity = Literal["the decision", "how sure", "nothing"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the first stands above the verdict
Text = TypeVar("Text", bound=Callable[..., str])

# The places of caveats in the order of reading.
DATA, LEFT_OUT, FEW, TEST, INTERVAL, REPLICATES, BY_THE_WAY = range(10, 80, 10)
PLACES = {
    DATA: "The data may not be what they seem",
    LEFT_OUT: "What was left out, or taken together",
    FEW: "Few items, groups, folds or data sets",
    TEST: "What the test assumes, and what it was not made for",
    INTERVAL: "The interval and the decision",
    REPLICATES: "Replicates and conventions",
    BY_THE_WAY: "By the way",
}

SCORECARD = "docs/scorecard.md"
# Thresholds of rules that the texts for several parts name as well.
FEWEST_DISAGREEMENTS = 6
FEW_OF_A_CLASS = 20
FEWEST_GROUPS = 40  # Cameron and Miller call 20 to 50 clusters few; docs/scorecard.md, "What few items cannot show"
FEWEST_FOR_T = 20  # the same for the studentised test, which copes with fewer; docs/scorecard.md


@dataclass(frozen=True)
class Caveat:
    """A warning in words, with the source of its rule.

    ``changes`` says what it puts in question: "the decision" itself, which could be another one (scores of the other
    class, rows in another order, a test that does not keep its level), "how sure" the result is, or "nothing". Readers
    show the first above the verdict.
    """

    code: str
    text: str
    source: str = ""
    changes: Severity = "how sure"

    def __str__(self) -> str:
        return self.text + f" ({self.source})" if self.source else self.text  # + keeps the settings that it names


@dataclass(frozen=True)
class Wording:
    """A text made of facts, with its source, which may also have facts in braces."""

    text: Callable[..., str]
    source: str
    changes: Severity


@dataclass(frozen=True)
class CaveatKind:
    """A kind of caveat, before there are facts.

    ``said_once_of`` names the kinds of parts (class, label, slice) that share it, so that it is said once for all of
    them; ``in_common`` is the text for several parts that have it each. ``source_in_docs`` is the source for the docs,
    where there are no facts. ``wordings`` has the usual text under "" and others under what they are said of.
    """

    code: str
    about: str
    order: int
    said_once_of: tuple[str, ...]
    in_common: str
    source_in_docs: str
    wordings: dict[str, Wording]


CAVEATS: dict[str, CaveatKind] = {}


def caveat(code: str, of: str = "", /, **facts: Any) -> Caveat:
    """Return the caveat of a code with its facts in words.

    ``of`` picks another text than the usual one.
    """
    kind = CAVEATS[code]
    wording = kind.wordings[of]
    return Caveat(code, wording.text(**facts), wording.source.format_map(facts), wording.changes)


def in_order(caveats: Iterable[Caveat]) -> list[Caveat]:
    """Return caveats in the order of reading, the most severe first."""
    return sorted(caveats, key=lambda item: (SEVERITIES.index(item.changes), CAVEATS[item.code].order))


def kind_of_caveat(
    order: int,
    source: str = "",
    *,
    changes: Severity = "how sure",
    said_once_of: tuple[str, ...] = (),
    in_common: str = "",
    source_in_docs: str = "",
) -> Callable[[Text], Text]:
    """Register a caveat under the name of the function that words it.

    ``in_common`` is the text for several classes, labels or slices with the same caveat. ``source_in_docs`` replaces
    the sources of all its wordings in the table of the docs.
    """

    def register(text: Text) -> Text:
        code, about = text.__name__, (text.__doc__ or "").partition("\n")[0]
        usual = Wording(text, source, changes)
        CAVEATS[code] = CaveatKind(code, about, order, said_once_of, in_common, source_in_docs, {"": usual})
        return text

    return register


def said_of(code: str, of: str, source: str = "", *, changes: Severity | None = None) -> Callable[[Text], Text]:
    """Register another text for a caveat.

    It changes what the usual one does, unless it says otherwise.
    """

    def register(text: Text) -> Text:
        wordings = CAVEATS[code].wordings
        wordings[of] = Wording(text, source, changes or wordings[""].changes)
        return text

    return register


# --- the data may not be what they seem -----------------------------------------------------------------------


@kind_of_caveat(DATA, changes="the decision")
def guessed(columns: Sequence[str], measure: str | None, command: str) -> str:
    """The command guessed columns that nobody named."""
    judged_by = f" and the measure {measure}" if measure else ""
    return f"Is this what you mean? clearwin guessed {', '.join(columns)}{judged_by}. To name them: {command}"


@kind_of_caveat(DATA, "Wilcoxon 1945", changes="the decision")
def wrong_way_round(areas: Sequence[tuple[str, float]], which: Any) -> str:
    """Higher scores seem to mean the negative class."""
    text = f"{_below_chance(areas)} If lower scores mean the positive class, use "
    return text + setting("lower_is_positive", which) + "."


@said_of("wrong_way_round", "probabilities", "Wilcoxon 1945")
def _probabilities_of_the_other_class(areas: Sequence[tuple[str, float]]) -> str:
    return f"{_below_chance(areas)} If they are probabilities of the other class, use 1 − p."


def _below_chance(areas: Sequence[tuple[str, float]]) -> str:
    aucs = " and ".join(f"{name} has {area:.3f}" for name, area in areas)
    return (
        f"Do higher scores mean the negative class? By AUC {aucs}, which is further below 1/2 than chance explains. "
        "The scores were used as given."
    )


@said_of("at_chance", "decisions", "nyssen1998, exact test of the number right")
@kind_of_caveat(DATA, "Wilcoxon 1945", changes="the decision")
def at_chance(lost: Sequence[tuple[str, float]], knowing: Sequence[str]) -> str:
    """A model does not beat chance although another one clearly does."""
    who = first_few([f"{name} (p = {p:.2g})" for name, p in lost], len(lost))
    better_model = knowing[0] if len(knowing) == 1 else "others"
    return (
        f"{who} {'does' if len(lost) == 1 else 'do'} not clearly beat chance, although {better_model} "
        f"{'does' if len(knowing) == 1 else 'do'}. Are {'its' if len(lost) == 1 else 'their'} rows in the same order "
        "as the truth?"
    )


@kind_of_caveat(
    DATA,
    "lags 1 to 10 at 1 %; Dalla, Giraitis and Phillips 2022",
    changes="the decision",
    source_in_docs="test of the autocorrelation at lags 1 to 10, at 1 %; Dalla, Giraitis and Phillips 2022",
)
def time_order(what: str, column: str | None) -> str:
    """Rows resemble those before them, and the test treats them as independent."""
    text = (
        f"Are these rows in time order? What each row adds to the {what} resembles the rows just before it, and this "
        "result treats them as independent. If they follow one another in time, the interval is too narrow and a "
        "p-value too small: name the times with "
    )
    return text + setting("order", *(() if column is None else (column,))) + "."


@kind_of_caveat(DATA, changes="the decision")
def truth_itself(name: str) -> str:
    """A model agrees with the truth on every item."""
    return f"{name} agrees with the truth on every item. Is it a copy of the truth?"


@kind_of_caveat(DATA, said_once_of=("class", "label", "slice"))
def labels_not_in_truth(
    by_model: Sequence[tuple[str, Sequence[Any], int]], n: int, averaged: bool, folded: bool
) -> str:
    """Models predict labels that the truth does not have."""
    predictions = [
        f"{name} predicts {first_few(map(repr, labels), len(labels))} on {items:,} of {n:,} items"
        for name, labels, items in by_model
    ]
    text = f"Some predicted labels never occur in the truth: {' and '.join(predictions)}. "
    if folded:
        return text + "They count as one of the other classes."
    if averaged:
        return text + "They are always wrong, and the average counts each of them as a class, for all models."
    return text + "They are always wrong."


@kind_of_caveat(DATA)
def position_bias(worth: tuple[float, float] | None, name_b: str, unbalanced: tuple[float, float, float] | None) -> str:
    """The position matters in battles, or one model came first more often."""
    sentences = []
    if worth is not None:
        points, half = worth
        sentences.append(
            f"Position matters: being shown first is worth {points:+.1f} points of win rate (± {half:.1f})."
        )
    if unbalanced is not None:
        share, balanced, plain = unbalanced
        sentences.append(
            f"{name_b} was shown first in {share:.0f} % of the battles. With both orders weighted equally its win rate "
            f"is {balanced:.3f}, not {plain:.3f}."
        )
    return " ".join(sentences)


@kind_of_caveat(DATA)
def prompts_differ(differ: int, n: int) -> str:
    """The runs were given other prompts."""
    return f"The prompts differ on {differ:,} of {n:,} items (examples or template), which counts as well."


@kind_of_caveat(DATA)
def versions_differ(task: str, name: str, values: Mapping[str, str]) -> str:
    """The runs are by different versions of the tool or the task."""
    versions = ", ".join(f"{value} ({system})" for system, value in values.items())
    return f"The runs of {task} differ in {name}: {versions}."


@kind_of_caveat(DATA, changes="the decision")
def not_as_reported(metric: str, reported: float, system: str, estimate: float) -> str:
    """The tool reports another value than the samples in its log give."""
    return f"The tool reports {metric} = {reported:.4g} for {system}, and from its samples it is {estimate:.4g}."


@kind_of_caveat(DATA)
def of_the_log(text: str) -> str:
    """The reader of a log noticed something, such as repeated items."""
    return text


@kind_of_caveat(
    DATA,
    "F test of the rounds' means, which looks at no mean difference",
    changes="the decision",
    source_in_docs="F test that the rounds have the same mean",
)
def rounds_differ(repeats: int, p: float) -> str:
    """The rounds of a repeated cross-validation differ more than their folds."""
    return (
        f"The means of the {repeats} rounds vary more than the folds within them explain (p = {p:.2g}), and the test "
        "assumes that all folds correlate alike. Is each row one round? If something else changed from round to round, "
        "such as the data, the p-value is too small."
    )


@kind_of_caveat(DATA, "margin", changes="the decision", source_in_docs="the setting `margin`")
def tiny_margin(margin: float, largest: float) -> str:
    """The margin is tiny beside the scores, which may be per cent."""
    return (
        f"The margin of {margin:g} is tiny beside scores of up to {largest:g}. Give margin in the units of the scores."
    )


@kind_of_caveat(DATA, changes="the decision")
def margin(margin: float, largest: float) -> str:
    """The region of practical equivalence seems to have other units than the scores."""
    text = f"The region of practical equivalence is ±{margin:g} on scores up to {largest:g}. If "
    return text + "they are per cent, one point is " + setting("margin", 1) + "."


@kind_of_caveat(DATA)
def not_independent(text: str) -> str:
    """The documents of a shipped corpus belong together."""
    return text


@kind_of_caveat(DATA, "keller2004 section 5")
def small_true(ratio: float, in_the_paper: int) -> str:
    """The set that stands for the truth is small."""
    return (
        f"D_true is {ratio:.3g} times as large as D_te (in the paper {in_the_paper} times), so the sub-samples "
        "share many documents, and D_true itself is a sample."
    )


# --- what was left out, or taken together ---------------------------------------------------------------------


@kind_of_caveat(LEFT_OUT)
def dropped(items: int, of: int, lacking: str) -> str:
    """Items were left out because a value is missing."""
    return (
        f"{items:,} of {of:,} items were left out because a value is missing: {lacking}. The answer is about the rest."
    )


@kind_of_caveat(LEFT_OUT)
def columns_left_out(answers: str, columns: Sequence[str]) -> str:
    """Columns were not taken as models."""
    text = f"The models are all columns that hold {answers}. Left out: {first_few(columns, len(columns))}; "
    return text + "if that is wrong, use " + setting("models", ["svm", "rbf"])


@kind_of_caveat(LEFT_OUT)
def items_left_out(what: str) -> str:
    """Items of a log that a run lacks, or that cannot be judged."""
    return what


@said_of("items_left_out", "shared")
def _only_shared_items(shared: int, what: str) -> str:
    return f"Compared on the {shared:,} answers that all runs have. {what}"


@said_of("items_left_out", "metric")
def _items_without_a_metric(without: int, metric: str, tasks: Sequence[str]) -> str:
    text = f"{counted(without, 'item')} without a finite {metric} are left out."
    if tasks:
        text += f" So are all items of tasks that lack this metric: {first_few(tasks, len(tasks))}."
    return text


@kind_of_caveat(LEFT_OUT)
def left_out(part: str, why: str) -> str:
    """A part of the test set or study has no answer."""
    return f"{capital(part)} was left out: {why}"


@said_of("left_out", "study")
def _left_out_of_a_study(category_set: int | None, what: str, why: str) -> str:
    where = "" if category_set is None else f", category set {category_set}"
    return f"Left out{where}: {what}: {why}."


@kind_of_caveat(LEFT_OUT)
def refused_sets(most: int, n_sets: int, reasons: Sequence[str]) -> str:
    """A test refused some of the sets of a study."""
    quoted = [f"“{why}”" for why in reasons]
    return (
        f"No answer: a test refused up to {most:,} of {n_sets:,} sets of one size: "
        f"{first_few(quoted, len(quoted))} Such a set counts as finding nothing and has no interval, so "
        "coverage and calibration are those of the other sets."
    )


@kind_of_caveat(LEFT_OUT)
def groups_cross(groups: Sequence[str]) -> str:
    """A ranking takes only one of several crossed groupings."""
    return f"Groups by {' and '.join(groups)} cross; the ranking takes those by {groups[0]} only."


@kind_of_caveat(LEFT_OUT)
def tasks_pooled(tasks: int) -> str:
    """The items of several tasks are pooled."""
    text = f"{tasks} tasks are pooled, and every item has the same weight. Use " + setting("by", "task")
    return text + " to see each task, and " + setting("groups", "task") + " if they represent other tasks as well."


@kind_of_caveat(LEFT_OUT, "Dietterich 1998")
def pooled(folds: int, units: str, ranked: bool) -> str:
    """The predictions of all folds were pooled."""
    together = " Scores of different trained models are ranked together." if ranked else ""
    return (
        f"The items are pooled from {folds} folds and the {units} treated as independent. The result is about "
        f"these {folds} pairs of trained models, whose training sets overlap, and not about the learning "
        f"algorithms. It ignores how much they vary with the training set.{together} Leave pool out to compare the "
        "learners."
    )


# --- few items, groups, folds or data sets --------------------------------------------------------------------

TOO_NARROW = "This interval can be far too narrow, because it treats what was not observed as impossible"
TOO_WIDE = "The interval is conservative"
ASSUMED = "The interval leans on its prior"


def _with_so_few(interval: str | None) -> str:
    """Say what few items do to an interval of this method (docs/scorecard.md)."""
    if interval is None or interval in BOOTSTRAP or interval == "wald":
        return TOO_NARROW  # replicates and variances treat unseen outcomes as impossible
    by_method = {"tango": TOO_WIDE, "mover": TOO_WIDE, DIRICHLET: ASSUMED}
    return by_method.get(interval, "The interval is only a rough guide")


@kind_of_caveat(FEW, SCORECARD, in_common=f"the models disagree on fewer than {FEWEST_DISAGREEMENTS} items")
def few_disagreements(n: int, noun: str, interval: str, out_of_reach: float | None) -> str:
    """The models disagree on a handful of items."""
    so = "and the result rests on so few"
    if out_of_reach is not None:
        so = f"so this test cannot reach p < {out_of_reach:g}, whichever model they favour"
    return f"The models disagree on only {counted(n, noun)}, {so}. {_with_so_few(interval)}; collect more {noun}s."


@said_of("few_disagreements", "never")
def _never_apart(noun: str, interval: str) -> str:
    text = "The models never disagree here."
    if _with_so_few(interval) == TOO_NARROW:
        text += f" The interval has zero width, which says nothing about other {noun}s."
    return text


@said_of("few_disagreements", "pairs")
def _few_disagreements_of_pairs(few: Sequence[str], pairs: int, unit: str) -> str:
    return (
        f"{len(few):,} of {pairs:,} pairs of models disagree on fewer than 6 {unit}s "
        f"({first_few(few, len(few))}). Their results rest on those few."
    )


@kind_of_caveat(
    FEW,
    "fewer than {fewest} items of a class; " + SCORECARD,
    in_common=f"fewer than {FEW_OF_A_CLASS} items of a class",
    source_in_docs=f"fewer than {FEW_OF_A_CLASS} items of a class, or 8 for tests class by class; {SCORECARD}",
)
def few_of_a_class(few: Sequence[tuple[str, int]], measure: str, interval: str | None, fewest: int) -> str:
    """A measure by classes rests on a class with very few items."""
    consequence = (
        "the p-value moves in big steps" if fewest == FEW_OF_A_CLASS else "only a large difference can be shown"
    )
    return f"{_rests_on_few(few, measure)} and {consequence}. {_with_so_few(interval)}."


@said_of("few_of_a_class", "one model", f"fewer than {FEW_OF_A_CLASS} items of a class")
def _few_of_a_class_for_one_model(few: Sequence[tuple[str, int]], measure: str, interval: str | None) -> str:
    return f"{_rests_on_few(few, measure)}. {_with_so_few(interval)}."


@said_of("few_of_a_class", "curve", f"fewer than {FEW_OF_A_CLASS} items of a class")
def _few_of_a_class_for_a_curve(n: int) -> str:
    return f"The smaller class has {n} item{'s' if n > 1 else ''}: the curve rests on very few."


def _rests_on_few(few: Sequence[tuple[str, int]], measure: str) -> str:
    sizes = [(label, f"only {counted(n, 'item')}" if n else "no items") for label, n in few[:3]]
    classes = " and ".join(f"class {label} has {size}" for label, size in sizes)
    if len(few) > 3:
        classes += f", and {counted(len(few) - 3, 'more class', 'more classes')} as few"
    return f"{capital(classes)}, so {measure} rests on very few items"


@kind_of_caveat(FEW, f"fewer than {FEW_OF_A_CLASS} items of a class")
def delong_few_items(smallest: int, check: Sequence[str]) -> str:
    """DeLong's test is asked about few items of a class."""
    return f"The smaller class has {smallest} items; under 20 DeLong's test does not keep its level." + _check_with(
        check
    )


@kind_of_caveat(FEW, "simulation of normal scores", source_in_docs=f"simulation of normal scores; {SCORECARD}")
def delong_near_1(wrong: float, fewest: float, check: Sequence[str]) -> str:
    """DeLong's test is asked about areas close to 1."""
    text = (
        f"Almost every item is ranked correctly: n(1 − AUC) is {wrong:.2g} in the smaller class, and under "
        f"{fewest:g} DeLong's test has little power."
    )
    return text + _check_with(check)


def _check_with(tests: Sequence[str]) -> str:
    return " Check with " + setting("test", *tests) + "." if tests else ""


ONLY_LARGE = "so only a large difference can be shown. On one test set for both models a smaller one can."


@said_of("delong_few_items", "two sets", f"fewer than {FEW_OF_A_CLASS} items of a class; {SCORECARD}")
def _few_items_of_two_sets(smallest: int) -> str:
    return f"The smaller class has {counted(smallest, 'item')}, {ONLY_LARGE}"


@said_of("delong_near_1", "two sets", "below {fewest:g}; " + SCORECARD)
def _near_1_on_two_sets(wrong: float, fewest: float, alone: bool) -> str:
    text = f"Almost every item is ranked correctly: n(1 − AUC) is {wrong:.2g} in the smaller class"
    return text + (f", {ONLY_LARGE}" if alone else ".")


@kind_of_caveat(
    FEW,
    "fewer than {fewest} groups in effect; Carter et al. 2017",
    said_once_of=("class", "label"),
    in_common=f"fewer than {FEWEST_FOR_T} or {FEWEST_GROUPS} groups in effect",
    source_in_docs=f"fewer than {FEWEST_FOR_T} or {FEWEST_GROUPS} groups in effect, by the test; Carter et al. 2017",
)
def few_groups(groups: int, effective: float, fewest: int) -> str:
    """There are few groups, or a few large ones among many."""
    return f"{_only_so_many(groups, effective)} So few can hide how much groups differ."


@kind_of_caveat(
    FEW,
    "fewer than 30 times, or fewer than 5 as good as independent; docs/scorecard.md",
    in_common="the times are few",
)
def few_times(times: int, effective: float) -> str:
    """There are few times, or they resemble each other so much that they count as few."""
    return (
        f"{times:,} times, each like the one before, count as about {effective:.0f} independent ones. So few can hide "
        "how long they resemble each other, and the interval can be too narrow."
    )


@said_of("few_groups", "bootstrap interval", "fewer than {fewest} groups in effect; Carter et al. 2017")
def _few_groups_for_an_interval(groups: int, effective: float, fewest: int) -> str:
    return f"{_only_so_many(groups, effective)} Bootstrap intervals of so few are too narrow."


@said_of("few_groups", "bootstrap", "fewer than {fewest} groups in effect; Carter et al. 2017")
def _few_groups_for_a_test(groups: int, effective: float, fewest: int, test: str, instead: Sequence[str]) -> str:
    text = f"{_only_so_many(groups, effective)} Bootstrap intervals of so few are too narrow, and the {test} can find "
    text += "differences too often."
    return text + " Use " + setting("test", *instead) + "." if instead else text


def _only_so_many(groups: int, effective: float) -> str:
    if effective < 0.9 * groups:
        return f"There are only {groups:,} groups of very unequal weight, which count as {effective:.1f}."
    return f"There are only {groups:,} groups."


@kind_of_caveat(FEW)
def few_groups_of_a_class(held: int, effective: float, check: Sequence[str]) -> str:
    """Few groups hold the rarer class."""
    text = (
        f"One class occurs in only {held:,} groups, which count as {effective:.1f} of equal size, and the variance by "
        "groups rests on these."
    )
    return text + _check_with(check)


@kind_of_caveat(FEW, "fewer than {fewest}; Student 1908", source_in_docs="fewer than 40 units; Student 1908")
def few_for_the_bootstrap(n: int, noun: str, covered: float, level: float, check: Sequence[str], fewest: int) -> str:
    """A bootstrap interval of a mean rests on few units."""
    return _too_narrow_for(n, noun, covered, level) + _check_with(check)


@said_of("few_for_the_bootstrap", "values", "fewer than {fewest}; Student 1908")
def _few_values_for_the_bootstrap(n: int, noun: str, covered: float, level: float, fewest: int) -> str:
    return _too_narrow_for(n, noun, covered, level) + " " + setting("interval", "studentised") + " allows for that."


def _too_narrow_for(n: int, noun: str, covered: float, level: float) -> str:
    return (
        f"Bootstrap intervals of {n} {noun}s are too narrow: with normal differences this one covers the truth "
        f"{percent(covered, 0)} % of the time, not {level:.4g}."
    )


TRIMMED = "a measure that a few large values do not dominate, such as trimmed_mean"
NO_LEVEL = "no test here keeps its level, so the result is undecided"


@kind_of_caveat(FEW, SCORECARD)
def too_skewed(skewness: float, most: float) -> str:
    """The values are too skewed for a mean of so few."""
    return f"{_skewed(skewness, most)}, and {NO_LEVEL}. Use more items, or {TRIMMED}."


@said_of("too_skewed", "two sets", SCORECARD)
def _too_skewed_on_two_sets(skewness: float, most: float) -> str:
    return (
        f"{_skewed(skewness, most)}, and {NO_LEVEL}. Use more items, or one test set for both models, on which trimmed "
        "means can be compared."
    )


@said_of("too_skewed", "one model", SCORECARD)
def _too_skewed_for_one_model(skewness: float, most: float) -> str:
    return f"{_skewed(skewness, most)}, and the interval can miss the true mean. Use more items, or {TRIMMED}."


def _skewed(skewness: float, most: float) -> str:
    return f"The values are too skewed for so few items (the skewness of their mean is {skewness:.2f}, above {most:g})"


@said_of("too_skewed", "pairs", SCORECARD)
def _too_skewed_pairs(
    undecided: Sequence[str] | None, pair: tuple[str, str], skewness: float, most: float, most_of_all: float
) -> str:
    a, b = pair
    undecided_pairs = f"{first_few(undecided, len(undecided))} are not decided" if undecided else "nothing is decided"
    return (
        f"The values are too skewed for so few items, so {undecided_pairs}. The skewness of the mean difference of "
        f"{a} and {b} is {skewness:.2f}. Above {most:g} a pair is not decided, and above "
        f"{most_of_all:g} none is. Use more items, or {TRIMMED}."
    )


@kind_of_caveat(
    FEW,
    f"chance (1 − q)^n of missing a share q; {SCORECARD}",
    in_common="a rare kind of item that was missed could explain the result",
)
def unseen_failures(
    units: int,
    noun: str,
    most_missed: float,
    values: tuple[tuple[str, float], tuple[str, float]],
    p: float,
    without: float,
    needed: float,
) -> str:
    """Rare items missing from the test set could explain the difference."""
    (ahead, worst), (other, best) = values
    return (
        f"Not decided: a kind of {noun} that {counted(units, noun)} would miss (up to "
        f"{percent(most_missed, 1)} % of all), on which {ahead} gets {worst:g} and {other} {best:g}, could "
        f"explain this difference (p = {p:.2g} allowing for it, {without:.2g} without). About "
        f"{float(f'{needed:.2g}'):,.0f} {noun}s would settle it."
    )


@said_of("unseen_failures", "two sets", f"chance (1 − q)^n of missing a share q; {SCORECARD}")
def _unseen_by_one_set(name: str, units: int, noun: str, most_missed: float, p: float, without: float) -> str:
    return (
        f"Not decided: the {counted(units, noun)} of {name} can miss a kind that makes up to {percent(most_missed, 1)} "
        f"% of all {noun}s, and that could explain this difference (p = {p:.2g} allowing for it, {without:.2g} "
        f"without). Use more {noun}s for {name}, or judge both models on one test set."
    )


@kind_of_caveat(
    FEW,
    f"chance (1 − q)^n of missing a share q; {SCORECARD}",
    in_common="rare failures that were missed are assumed away",
)
def unseen_assumed(what: str, units: int, share: float, most_missed: float, unbounded: str | None) -> str:
    """Rare failures missing from the test set are assumed away."""
    text = (
        f"The p-value and the interval hold only if {what} are rarer than {percent(share, 1)} %. "
        f"{units:,} {what.partition(' ')[0]} can miss a kind that makes up to {percent(most_missed, 1)} % of all."
    )
    if unbounded is None:
        return text
    text += " If the values have a range, declare it: for grades from 1 to 10, "
    return text + setting("measure", f"{unbounded}(lowest=1, highest=10)") + "."


@kind_of_caveat(FEW)
def few_telling(n_differing_units: int, n: int) -> str:
    """The models of a pilot differ on few items."""
    return (
        f"In the pilot the models differ on only {n_differing_units} of {n:,} items, so the variance "
        "of a difference is poorly known. Use a larger pilot."
    )


@kind_of_caveat(FEW)
def few_units() -> str:
    """A plan asks for fewer than 20 units."""
    return "So few units hardly represent a population, whatever the power."


@kind_of_caveat(FEW)
def few_sets(n_sets: int) -> str:
    """A study drew few sets."""
    return (
        f"Few sets: {n_sets:,} sets show only gross faults, so a test that passes here may still be wrong. Draw 1,000."
    )


@kind_of_caveat(FEW)
def level_out_of_reach(what: str, why: str, tests: Sequence[str], smallest: float, levels: str) -> str:
    """A test cannot give a p-value as small as the level."""
    return (
        f"Few {what}: with {why} no p-value of {' or '.join(tests)} is below {smallest:g}, so nothing can be found at "
        f"{levels}."
    )


@kind_of_caveat(FEW, "lecture-measures: best if k > 30; cs446: N should be at least 30")
def few_folds(folds: int, test: str, fewest: int) -> str:
    """There are few folds for a test that assumes normal differences."""
    return (
        f"There are {folds} folds. The {test} assumes that their differences are normally distributed, "
        f"which fewer than {fewest} cannot confirm."
    )


@kind_of_caveat(FEW)
def one_fold() -> str:
    """There is only one fold."""
    return "One fold cannot show how much the difference varies, so it cannot show whether the difference is luck."


@kind_of_caveat(FEW)
def few_arrangements(arrangements: int, smallest: float) -> str:
    """Few arrangements of the folds cannot give a small p-value."""
    return f"There are only {arrangements} arrangements, so p cannot fall below {smallest:.3g}."


@kind_of_caveat(
    FEW,
    "2 · 2⁻ᴺ, as all signs are alike",
    source_in_docs="smallest p-value of N data sets, 2 · 2⁻ᴺ, with all signs alike",
)
def too_few_data_sets(n: int, pairs: int, least: float, correction: str, corrected: float) -> str:
    """Wilcoxon's test cannot reach the level on so few data sets."""
    return (
        f"{n:,} data sets are too few for {pairs} pair{'s' if pairs > 1 else ''}: the smallest p-value "
        f"that Wilcoxon's test can give, {least:.3g}, is {min(1.0, corrected):.3g} after the correction by "
        f"{correction}."
    )


@kind_of_caveat(FEW)
def one_class() -> str:
    """The truth or the predictions have only one class."""
    return (
        "The truth or the predictions have only one class, so every arrangement has the same number right and "
        "nothing can be shown."
    )


@kind_of_caveat(FEW)
def empty_class(names: Sequence[str], predicted: bool) -> str:
    """A class never occurs, or is never predicted."""
    singular, plural = ("is never predicted", "are never predicted") if predicted else ("never occurs", "never occur")
    verb = singular if len(names) == 1 else plural
    return f"Class{'es' if len(names) > 1 else ''} {', '.join(names)} {verb}, so no item of it can be right."


# --- what the test assumes, and what it was not made for ------------------------------------------------------


@kind_of_caveat(TEST, "lecture-measures, Binomial Distribution")
def normal_approximation(what: str, spread: float) -> str:
    """n·p·(1−p) is too small to treat a binomial as normal."""
    return f"The normal approximation is doubtful: n·p·(1−p) = {spread:.3g} for {what}, under 5."


@kind_of_caveat(TEST, "keller2004 section 2")
def ignores_pairing() -> str:
    """The proportion test ignores that the items are the same."""
    return (
        "This test treats the two models' errors as independent although both were judged on the same items. "
        "paired_proportion does not."
    )


@kind_of_caveat(TEST, "Kish 1965", changes="the decision")
def ignores_groups(test: str, n: int, groups: int, design_effect: float, instead: Sequence[str]) -> str:
    """A test or an interval treats items of one group as independent."""
    text = (
        f"The {test} treats {n:,} items in {groups:,} groups as independent. By groups the variance of the difference "
        f"is {design_effect:.2f} times as large (the design effect), so this p-value is too small and the interval too "
        "narrow."
    )
    return text + _keeping_groups(instead)


@said_of("ignores_groups", "without harm", "Kish 1965", changes="how sure")
def _groups_without_effect(test: str, n: int, groups: int, design_effect: float | None, instead: Sequence[str]) -> str:
    text = f"The {test} treats {n:,} items in {groups:,} groups as independent."
    if design_effect is not None:
        text += f" By groups the variance of the difference is {design_effect:.2f} times as large (the design effect)."
    return text + _keeping_groups(instead)


def _keeping_groups(tests: Sequence[str]) -> str:
    return " Groups are kept whole by " + setting("test", *tests) + "." if tests else ""


@said_of("ignores_groups", "interval", changes="how sure")
def _interval_ignores_groups(interval: str, groups: int) -> str:
    text = f"The {interval} interval treats items as independent, although they come in {groups:,} groups. "
    return text + "They are kept whole by " + setting("interval", "auto") + "."


@kind_of_caveat(TEST)
def ignores_strata(test: str, instead: Sequence[str]) -> str:
    """A test ignores the strata."""
    text = f"The {test} ignores the strata."
    return text + " They are kept by " + setting("test", *instead) + "." if instead else text


@kind_of_caveat(TEST)
def leads_elsewhere(lead: str, judged: str, other: str, units: str, measure: str) -> str:
    """A test of wins, ranks or the first fold contradicts the measure."""
    does = {"wins": f"wins more {units}", "ranks": "has the higher signed ranks", "first": "is ahead in the first fold"}
    return f"{lead} {does[judged]}, but {other} has the better {measure}. The p-value is about the former alone."


@kind_of_caveat(TEST, "nyssen1998 section 4")
def chi2_approximation() -> str:
    """A chi-square distribution is only an approximation here."""
    return (
        "The chi-square test treats h as χ² distributed, which is never quite true. With margins such as these its "
        "p-values mostly come out too small, most of all for small tables and small p."
    )


@said_of("chi2_approximation", "narrow margins", "variance of the hits of a random permutation")
def _chi2_of_narrow_margins(assumed: float, true: float) -> str:
    return (
        f"The chi-square test assumes that the number of right items varies by ±{assumed:.3g} (one standard "
        f"deviation). With these margins it varies by only ±{true:.3g}, so the p-values come out too large, and "
        "the test may miss what the exact test shows."
    )


@said_of("chi2_approximation", "data sets", "N > 10 and k > 5: Demšar 2006, section 3.2")
def _chi2_of_data_sets(models: int, n: int) -> str:
    return (
        f"With {models} models on {n:,} data sets Friedman's χ² and Iman and Davenport's F are rough approximations, "
        "so the verdict uses the permutation."
    )


@kind_of_caveat(TEST, "nyssen1998 section 4", changes="the decision")
def small_expected_counts(share: float, smallest: float) -> str:
    """Cells of the table expect too few items for a chi-square test."""
    return (
        f"The chi-square test should not be used here. It allows at most 20 % of the cells to expect fewer than 5 "
        f"items, and none to expect fewer than 1. Here {percent(share, 0)} % expect fewer than 5, and the smallest "
        f"expects {smallest:.2g}."
    )


@kind_of_caveat(TEST)
def no_variance(only_rounds: bool, test: str) -> str:
    """The differences do not vary, so a t test is undefined."""
    return (
        f"{_same(only_rounds)}, so its variance is estimated as 0 and the {test} is undefined and decides nothing. "
        "The sign test and the sign-flip permutation test still count folds."
    )


@said_of("no_variance", "posterior")
def _posterior_without_variance(only_rounds: bool) -> str:
    return (
        f"{_same(only_rounds)}, so its variance is estimated as 0 and the posterior is a single point, however few the "
        "folds."
    )


def _same(only_rounds: bool) -> str:
    return f"{'In every round both folds have' if only_rounds else 'Every fold has'} the same difference"


@kind_of_caveat(TEST, "Nadeau and Bengio 2003; Dietterich 1998", changes="the decision")
def naive(level: float, alpha: float, paired_t: bool) -> str:
    """Training sets overlap, and the test treats folds as independent."""
    text = f"The training sets overlap, so at {alpha:g} a paired t test has a true level of about {level:.3f} here"
    return f"{text}{_as_independent(paired_t)} Use " + setting("test", "corrected_t") + "."


@said_of("naive", "unknown design", "Nadeau and Bengio 2003; Dietterich 1998")
def _naive_by_an_unknown_design(level: float, alpha: float, paired_t: bool, ratio: float | None) -> str:
    lead = "The design of the folds was not given. If they come from a cross-validation"
    lead += "" if ratio is None else f" with a test/train ratio of {ratio:.3g}"
    text = f"{lead}, training sets overlap, and at {alpha:g} a paired t test has a true level of about {level:.3f}"
    return f"{text}{_as_independent(paired_t)} Use " + setting("test", "corrected_t") + "."


def _as_independent(paired_t: bool) -> str:
    return "." if paired_t else "; this test assumes the same independence."


@said_of("naive", "unknown ratio", "Nadeau and Bengio 2003; Dietterich 1998")
def _naive_by_an_unknown_ratio(alpha: float) -> str:
    return (
        "The training sets overlap, and this test treats folds as independent, so its true level is above "
        f"{alpha:g}. Give test_train_ratio to see by how much."
    )


@kind_of_caveat(TEST, SCORECARD)
def dependent_halves(test: str, most: int) -> str:
    """A 5x2cv test treats the halves of a round as independent."""
    return (
        f"The {test} treats the differences of the two halves of a round as independent, and those of learners "
        f"are not. For two equally good learners on different features it found a difference in up to {most} % "
        "of data sets of 100 items at 0.05. Use " + setting("test", "corrected_t") + "."
    )


@kind_of_caveat(TEST, "Alpaydin 1999")
def first_fold() -> str:
    """The order of the folds decides the 5x2cv t test."""
    return "The numerator of t is the first of the ten differences alone, so the order of the folds decides."


@kind_of_caveat(TEST)
def too_cautious(test: str) -> str:
    """A test allows for a correlation that independent folds do not have."""
    text = f"The folds are independent, so the {test} allows for a correlation that is absent and loses power."
    return f"{text} Use " + setting("test", "permutation", "paired_t") + "."


@kind_of_caveat(TEST)
def overall_and_pairs() -> str:
    """The test of a pair finds something, that of all models nothing."""
    return (
        "The test of all models together finds nothing, but the test of a pair does. The first looks at ranks among "
        "all models, the second at sizes of differences. Trust the pair only if you chose it beforehand."
    )


@kind_of_caveat(TEST)
def slices_share_times() -> str:
    """Items of several slices are near in time."""
    return (
        "Items of several slices resemble each other where they are near in time, so whether the difference varies "
        "between slices was not tested."
    )


@kind_of_caveat(TEST)
def slices_share_groups() -> str:
    """Groups lie in several slices."""
    return (
        "Some groups lie in several slices, so the slices are not independent. Whether the difference varies "
        "between them was not tested."
    )


@kind_of_caveat(TEST, "Benjamini and Hochberg 1995")
def not_family_wise() -> str:
    """The correction controls the share of false findings."""
    return (
        "Benjamini and Hochberg's correction controls the share of false findings, not the chance of any. The rank "
        "intervals and the groups therefore have no joint confidence level; Holm and max-t give one."
    )


@kind_of_caveat(
    TEST,
    "choose it on a development set",
    said_once_of=("slice",),
    source_in_docs="thresholds are to be chosen on a development set",
)
def threshold_on_test() -> str:
    """Thresholds were chosen on the items that are judged."""
    return "Each model's threshold was chosen on the same items that it is judged on, which flatters both."


@said_of("threshold_on_test", "curve", "choose them on a development set")
def _thresholds_of_a_curve() -> str:
    return (
        "The thresholds for EER and lowest cost were chosen on the items that they are judged on, so both look too "
        "good."
    )


@kind_of_caveat(TEST)
def not_simulated() -> str:
    """The power of a plan comes from the normal approximation."""
    return "The pilot is too large to draw enough test sets like it, so the power comes from the normal approximation."


@kind_of_caveat(TEST)
def beyond_the_data(sizes: Sequence[str], n: int) -> str:
    """Sets of a study are larger than the large set."""
    return (
        f"Beyond the data: sets of {', '.join(sizes)} items are larger than the large set of {n:,}, so its "
        "items occur several times in each. The power there holds for new items only if the large set has all "
        "kinds of items in the right shares."
    )


@kind_of_caveat(TEST, "Σ pos·neg/(2PN) over the bins; Cauchy and Schwarz for the covariance")
def binned(bins: int, measure: str, errors: Sequence[tuple[str, float]]) -> str:
    """Scores were counted in bins."""
    return f"{_exact_to_within(bins, measure, errors)}; replicates are drawn from a coarser grid."


@said_of("binned", "auc", "Σ pos·neg/(2PN) over the bins; Cauchy and Schwarz for the covariance")
def _binned_areas(
    bins: int, measure: str, errors: Sequence[tuple[str, float]], deviations: tuple[float, float], too_few: bool
) -> str:
    whose, (low, high) = "of the difference " if len(errors) > 1 else "", deviations
    text = f"{_exact_to_within(bins, measure, errors)}, and the standard error {whose}lies between {low:.4g} and "
    text += f"{high:.4g}."
    if too_few:
        text += " The uncertainty in the areas is more than a tenth of it, so use more bins, or exact scores."
    return text


def _exact_to_within(bins: int, measure: str, errors: Sequence[tuple[str, float]]) -> str:
    text = f"The scores were counted in at most {bins:,} bins for each model. "
    if not any(error for _, error in errors):
        return f"{text}That leaves {measure} exact"
    return f"{text}{measure} is exact to within {', '.join(f'{error:.1g} for {name}' for name, error in errors)}"


@kind_of_caveat(TEST)
def ties(tied: int, n: int) -> str:
    """Models share a rank on some data sets."""
    return (
        f"On {tied:,} of {n:,} data sets some models are tied and share the average of their ranks. χ² and F are "
        "corrected for ties. The critical difference and Nemenyi's p-values are not, which makes them conservative."
    )


# --- the interval and the decision ----------------------------------------------------------------------------

ALL_REPLICATES_ALIKE = (
    "all replicates agree, so these items cannot show how much the difference would vary. Use a larger test set, or "
    "coarser strata."
)
ALL_ITEMS_ALIKE = (
    "the items all say the same, so they cannot show how far off the estimate may be. Use a larger test set."
)
ALL_FOLDS_ALIKE = "nothing varies over these folds, so they cannot show how much the difference would vary."


@kind_of_caveat(INTERVAL, in_common="the interval has zero width")
def no_width() -> str:
    """The interval ends at the estimate itself."""
    return f"The interval has zero width: {ALL_REPLICATES_ALIKE}"


@said_of("no_width", "folds")
def _no_width_of_folds() -> str:
    return f"The interval has zero width: {ALL_FOLDS_ALIKE}"


@said_of("no_width", "one model")
def _no_width_of_an_estimate() -> str:
    return f"The interval has zero width: {ALL_ITEMS_ALIKE}"


@said_of("no_width", "pairs")
def _no_width_of_pairs(flat: Sequence[str], unit: str) -> str:
    return (
        f"The interval of {first_few(flat, len(flat))} has zero width because every {unit} that counts agrees, so "
        "these cannot show how much the difference would vary."
    )


@kind_of_caveat(INTERVAL)
def empty_interval() -> str:
    """The 5x2cv F test rejects every difference."""
    return (
        "The rounds differ so much more than the folds within them that the F test rejects every difference. "
        "The interval is empty and says nothing."
    )


@kind_of_caveat(INTERVAL)
def unbounded_interval(n: int, level: float) -> str:
    """There are too few data sets for an interval at this level."""
    return f"{n:,} data sets are too few for an interval at {level * 100:.12g} %, so it has no bounds."


@kind_of_caveat(INTERVAL)
def borderline(alpha: float, significant: bool) -> str:
    """The p-value and the interval disagree near the level."""
    says = (
        "the p-value is below it and the interval includes 0"
        if significant
        else "the interval excludes 0 and the p-value is above it"
    )
    return f"Borderline at {alpha:g}: {says}. The verdict follows the weaker of the two."


@kind_of_caveat(
    INTERVAL,
    "a stratum of one unit has no variance; Rao and Wu 1988",
    source_in_docs="replicates of a stratum of n units have (n − 1)/n of its variance; Rao and Wu 1988",
)
def small_strata(single: int, strata: int, unit: str, factor: float) -> str:
    """Small strata make bootstrap intervals too narrow."""
    return (
        f"{single:,} of {strata:,} strata have only one {unit}, which every replicate keeps, so bootstrap intervals "
        f"are too narrow by a factor of about {factor:.2f}. Use coarser strata."
    )


@said_of("small_strata", "whole items", "(n − 1)/n of the variance in a stratum of n; Rao and Wu 1988")
def _small_strata_of_whole_items(average: float, unit: str, measure: str, factor: float) -> str:
    return (
        f"The strata are small, {average:.1f} {unit}s each on average, and {measure} needs whole items, so bootstrap "
        f"intervals are too narrow by a factor of about {factor:.2f}. Use coarser strata."
    )


# --- replicates and conventions -------------------------------------------------------------------------------

ZERO_DIVISION = "the measure's option `zero_division`"


@kind_of_caveat(
    REPLICATES,
    "zero_division",
    in_common="the measure is undefined (0/0) for a model, and was set by convention",
    source_in_docs=ZERO_DIVISION,
)
def undefined_estimate(measure: str, in_parts: bool, models: Sequence[str], undefined_when: str, value: float) -> str:
    """The measure is 0/0 for a model and was given a value."""
    subject = f"A part of {measure}" if in_parts else measure
    return (
        f"{subject} is undefined (0/0) for {' and '.join(models)}, because {undefined_when}; it was set to {value:g}."
    )


@kind_of_caveat(
    REPLICATES,
    "zero_division",
    in_common="in some replicates the measure was undefined, and was set by convention",
    source_in_docs=ZERO_DIVISION,
)
def undefined_replicates(
    count: int, replicates: int, measure: str, in_parts: bool, undefined_when: str, value: float
) -> str:
    """The measure is 0/0 in some replicates and was given a value."""
    subject = f"a part of {measure}" if in_parts else measure
    return f"In {count:,} of {replicates:,} replicates {subject} was undefined ({undefined_when}) and set to {value:g}."


@kind_of_caveat(REPLICATES, "zero_division", source_in_docs=ZERO_DIVISION)
def undefined_folds(undefined: int, folds: int, measure: str, value: float) -> str:
    """The measure is 0/0 in some folds and was given a value."""
    return f"In {undefined} of {folds} folds {measure} was undefined (0/0) and set to {value:g}."


@kind_of_caveat(REPLICATES)
def class_lost_in_bands(undefined: int) -> str:
    """Replicates of a curve's bands lack a class."""
    return (
        f"In {undefined:,} replicates of the bands a class had no item. They were kept, with recall and precision "
        "0 without positive items and recall 1 without negative ones."
    )


@kind_of_caveat(
    REPLICATES,
    "fewer than {fewest} replicates beyond an end",
    in_common="the ends of the interval depend on the seed, so raise n_resamples",
    source_in_docs="fewer than 20 replicates beyond an end of the interval",
)
def few_replicates(beyond: float, replicates: int, enough: int, fewest: int) -> str:
    """Few replicates lie beyond an end of the interval."""
    text = (
        f"Only about {beyond:.0f} of {replicates:,} replicates "
        f"lie beyond an end of the interval, so its ends depend on the seed."
    )
    return text + " Use at least " + setting("n_resamples", enough) + "."


@said_of("few_replicates", "unbounded")
def _too_few_replicates(replicates: int, level: float, enough: int) -> str:
    text = (
        f"{replicates:,} replicates cannot bound a {level:.4g} interval, so an end of it is the end of the measure's "
        "range."
    )
    return text + " Use at least " + setting("n_resamples", enough) + "."


@kind_of_caveat(REPLICATES)
def few_resamples(replicates: int, smallest: float, needed: int, instead: str) -> str:
    """A corrected p-value cannot reach the level with so few replicates."""
    text = f"With {replicates:,} replicates a corrected p-value cannot be below {smallest:.2g}. "
    return text + "Use at least " + setting("n_resamples", needed) + ", or " + setting("correction", instead) + "."


@kind_of_caveat(REPLICATES)
def flat_replicates(count: int, replicates: int) -> str:
    """Replicates without any spread have no finite t."""
    return (
        f"In {count:,} of {replicates:,} replicates all units agreed, so the standard error was 0. They "
        "count as infinitely far out, which widens the studentised interval."
    )


@kind_of_caveat(
    REPLICATES,
    in_common="the p-value is sampled and near the level, so more replicates could change the decision",
)
def sampled_near_level(error: float, alpha: float) -> str:
    """A sampled p-value is near the level."""
    return (
        f"The p-value is sampled and lies within three standard errors ({error:.2g} each) of the level {alpha:g}, so "
        "more replicates could change the decision."
    )


@said_of("sampled_near_level", "pairs")
def _pairs_near_level(near: Sequence[str], alpha: float) -> str:
    return (
        f"The corrected p-value of {first_few(near, len(near))} is within three standard errors of the level "
        f"{alpha:g}, so more replicates could change the decision."
    )


@kind_of_caveat(REPLICATES, "random_state", source_in_docs="the splitter's setting `random_state`")
def unseeded_splits(splitter: str) -> str:
    """A splitter shuffles without a seed."""
    return f"{splitter} shuffles without a seed, so these splits cannot be repeated. Give it random_state."


# --- by the way -----------------------------------------------------------------------------------------------


@kind_of_caveat(BY_THE_WAY, "keller2004 section 4, one against the others", said_once_of=("slice",), changes="nothing")
def against_others(positive: object, others: int) -> str:
    """One class is judged against all others."""
    return f"Class {positive} was judged against the {others} others taken together."


@kind_of_caveat(BY_THE_WAY, said_once_of=("class", "label"), changes="nothing")
def stratified(unit: str, strata: Mapping[str, int]) -> str:
    """The strata are held fixed."""
    sizes = [f"{name} {n:,}" for name, n in strata.items()]
    more = f" and {len(sizes) - 5} more" if len(sizes) > 5 else ""
    return (
        f"The strata are held fixed ({unit}s: {', '.join(sizes[:5])}{more}), so the interval is about test "
        "sets divided like this one."
    )


@kind_of_caveat(BY_THE_WAY, changes="nothing")
def strata_kept() -> str:
    """A plan keeps the shares of the strata."""
    return "The strata are assumed to have the same shares as in the pilot."


@kind_of_caveat(BY_THE_WAY, changes="nothing")
def whole_groups(asked: int, items_per_unit: float, units: int, size: int) -> str:
    """The sets of a study have other sizes, because groups stay whole."""
    return (
        f"Sets of {asked:,} items were asked for. At least two groups are drawn whole, with "
        f"{items_per_unit:,.4g} items on average, so a set has {units:,} groups and about "
        f"{size:,} items."
    )


@kind_of_caveat(BY_THE_WAY, changes="nothing")
def all_alike() -> str:
    """All data sets rank the models alike."""
    return (
        "All data sets rank the models alike, so F is infinite. Its p-value is the exact probability of such an "
        "agreement."
    )


@kind_of_caveat(BY_THE_WAY, "Wilcoxon 1945; Demšar 2006 divides them between the models", changes="nothing")
def zero_differences(pairs: Sequence[str]) -> str:
    """Data sets without a difference were dropped from Wilcoxon's test."""
    more = f" and {len(pairs) - 5} more pairs" if len(pairs) > 5 else ""
    return f"Data sets without a difference were dropped from Wilcoxon's test: {', '.join(pairs[:5])}{more}."


@kind_of_caveat(BY_THE_WAY, "docs/errata.md", changes="nothing")
def table_3() -> str:
    """The columns of keller2004's Table 3 do not calibrate each other."""
    return (
        "The two columns do not calibrate each other. The bootstrap's is centred at the difference on one test "
        "set, the other at the true difference, so they differ even for a perfect bootstrap."
    )


@kind_of_caveat(BY_THE_WAY, changes="nothing")
def small_slices(slices: int, fewest: int) -> str:
    """Small slices did not count for the gate."""
    subject = "One slice" if slices == 1 else f"{slices:,} slices"
    return f"{subject} with fewer than {fewest} items did not count (see the table)."


@kind_of_caveat(BY_THE_WAY, changes="nothing")
def no_difference() -> str:
    """Both learners have the same score in every fold."""
    return "Both learners have the same score in every fold."


@kind_of_caveat(BY_THE_WAY, "Demšar 2006, section 3", changes="nothing")
def one_number_each() -> str:
    """Each score of a table counts as one number."""
    return (
        "Each score counts as one number. The spread over the overlapping folds of a data set is not used, and the "
        "data sets are treated as independent."
    )
