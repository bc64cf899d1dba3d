"""A result in one sentence: for a paper, with what it takes to check it, or for a chat; and its table.

The sentence for a paper says what was compared, by which test, on how many items, and names the software.
"""

from __future__ import annotations

import math
from functools import singledispatch

from clearwin.errors import NotApplicableError
from clearwin.numerics.intervals import DRAWN, INVERTED
from clearwin.numerics.pvalues import at_the_floor
from clearwin.results.base import Result
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import NAMELESS, Comparison, Estimate, PerClass
from clearwin.results.curves import ScoreCurves
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.folds import FoldComparison
from clearwin.results.gate import Gate, GateCheck
from clearwin.results.keller2004 import PAPER, Experiment
from clearwin.results.leaderboard import Leaderboard, OverallTest
from clearwin.results.plan import Plan
from clearwin.results.study import Study
from clearwin.significance import REGISTRY as TESTS
from clearwin.text import capital, counted, degrees_of_freedom, percent
from clearwin.wording.base import Grid, Summary
from clearwin.wording.folds import posterior_words
from clearwin.wording.gate import MARKS
from clearwin.wording.keller2004 import told
from clearwin.wording.leaderboard import kind_of_test
from clearwin.wording.phrases import (
    CORRECTED,
    Digits,
    few,
    finding,
    gain,
    interval_name,
    interval_text,
    level,
    margin_of,
    number,
    p_equals,
    p_number,
    p_text,
)
from clearwin.wording.plan import found_with
from clearwin.wording.study import OneTest, sets_of

MOST_NAMED = 3  # classes with their numbers in a sentence; the table has them all
# test → what its statistic is called; for the other tests it is the difference, which the sentence has anyway
LETTERS = {
    "studentised": "t",
    "studentised_unpaired": "t",
    "paired_t": "t",
    "delong": "z",
    "delong_unpaired": "t",
    "kosinski": "z",
    "proportion": "z",
    "paired_proportion": "z",
    "wilcoxon": "W",
    "mcnemar/asymptotic": "χ²",
    "mcnemar/corrected": "χ²",
    "mcnemar/unconditional": "χ²",
    "corrected_t": "t",
    "5x2cv_t": "t",
    "5x2cv_f": "F",
}


# the form that a test took, because the same data give another p-value by another; the others have one form
FORMS = {
    "mid-p": "mid-p {test}",
    "exact": "exact {test}",
    "asymptotic": "asymptotic {test}",
    "corrected": "continuity-corrected {test}",
    "unconditional": "unconditional exact {test}",
    "pratt": "asymptotic {test} with Pratt's zeros",
    "pratt-corrected": "continuity-corrected {test} with Pratt's zeros",
    "monte_carlo": "{test} with {n:,} sampled permutations",
    "drawn": "{test} with {n:,} drawn test sets",
    "student": "{test} by Student's t",
    "mover": "{test} by MOVER",
    "newey_west": "{test} with Newey–West standard errors",
}
CHANCE_TESTS = {"exact": "exact test", "monte_carlo": "Monte-Carlo test", "chi2": "χ² test"}
CHOSEN_BY_THE_DATA = ("studentised", "permutation", "wilcoxon")  # tests whose form depends on the size of the data


def in_a_paper(result: Result, summary: Summary) -> str:
    """Return the sentence for a paper; a kind without one gets its verdict and the software.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> r = cw.compare(joint, measure="accuracy", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
    >>> print(r.verdict(style="paper").partition(", clearwin")[0])
    On 161 items, rbf had a lower accuracy than svm (0.404 against 0.466, difference -0.062, 95 % interval -0.124 to
    -0.005, asymptotic McNemar test, χ² = 4.55, p = 0.0330
    """
    return sentence(result) or f"{summary.verdict} ({software(result)}.)"


def software(result: Result) -> str:
    """Return what gave the result, to be cited."""
    return f"clearwin {result.signature.version}"


def _seeded(result: Result) -> list[str]:
    """Return software and seed, to end a list of numbers that were drawn."""
    return [software(result), f"seed {result.signature.seed}"]


@singledispatch
def in_a_chat(result: Result, summary: Summary) -> str:
    """Return one line for a chat: the first sentence of most kinds."""
    return summary.opening[0]


@in_a_chat.register
def _(result: ScoreCurves, summary: Summary) -> str:
    areas = [f"{model.name} {number(model.auc)}" for model in sorted(result.models, key=lambda model: -model.auc)]
    return f"AUC on {counted(result.n, 'item')}: {few(areas)}."


@in_a_chat.register
def _(result: Experiment, summary: Summary) -> str:
    return f"{summary.headline}: {told(result)}"


@singledispatch
def sentence(result: Result) -> str:
    """Return the sentence of a kind of result, or nothing."""
    return ""


def _statistic(test: str, method: str, statistic: float | None, degrees: tuple[float, ...] = ()) -> list[str]:
    letter = LETTERS.get(test) or LETTERS.get(f"{test}/{method}")
    if letter is None or statistic is None or not math.isfinite(statistic):
        return []
    on = f" on {degrees_of_freedom(*degrees)}" if degrees else ""
    return [f"{letter} = {statistic:.3g}{on}"]


def _named_test(result: Comparison | FoldComparison) -> str:
    """Name the test and its form, if it has several."""
    if isinstance(result, FoldComparison):
        several = result.method != "student"  # a t test of folds has no other form
    else:
        test = TESTS["items"].get(result.test)
        several = test is not None and len(test.methods) > 1
    form = FORMS.get(result.method, "{test}") if several else "{test}"
    return form.format(test=result.test_label, n=result.signature.n_resamples)


def _compared(result: Comparison | FoldComparison) -> str:
    """Say which had the higher value, and whether that is significant."""
    a, b, measure = result.name_a, result.name_b, result.measure_label
    if result.judged in ("wins", "ranks") and result.decision in ("better", "worse"):
        units = "folds" if isinstance(result, FoldComparison) else "items"
        return f"{finding(result.judged, 'different', result.decision, a, b, units)} in {measure}"
    if result.decision in ("better", "worse"):
        higher = (result.decision == "better") == result.higher_is_better
        return f"{b} had a {'higher' if higher else 'lower'} {measure} than {a}"
    if result.decision in ("not worse", "equivalent"):
        return f"{b} was {result.decision} {'than' if result.decision == 'not worse' else 'to'} {a} in {measure}"
    return f"{b} and {a} did not differ significantly in {measure}"


@sentence.register
def _(result: Comparison) -> str:
    write = Digits.of(result)
    margin = [] if result.margin is None else [f"margin {result.margin:g}"]
    claim = [] if result.claim == "different" else [f"claim {result.claim.replace('_', ' ')}", *margin]
    shown = (
        []
        if result.contrary is None
        else [f"{result.contrary.claim} by more than the margin: {p_text(result.contrary)}"]
    )
    drawn = [f"seed {result.signature.seed}"] if result.p_error is not None or result.confidence is not None else []
    clusters = ""
    if result.sampling is not None and result.sampling.unit == "group":
        clusters = f" in {result.sampling.n_units:,} clusters"
    if result.sampling is not None and result.sampling.unit == "time point":
        clusters = f" at {result.sampling.n_units:,} times"
    numbers = [
        f"{write.number(result.estimate_b)} against {write.number(result.estimate_a)}",
        f"difference {write.signed(result.difference)}",
        f"{interval_name(result.interval)} {interval_text(result.interval, write.signed)}",
        *claim,
        _named_test(result),
        *_statistic(result.test, result.method, result.statistic),
        p_text(result),
        *shown,
        software(result),
        *drawn,
    ]
    return f"On {counted(result.n, 'item')}{clusters}, {_compared(result)} ({', '.join(numbers)})."


@sentence.register
def _(result: FoldComparison) -> str:
    write = Digits.of(result)
    design = "" if result.design == "not given" else f" ({result.design})"
    means = [
        f"mean {write.number(result.estimate_b)} against {write.number(result.estimate_a)}",
        f"difference {write.signed(result.difference)}",
    ]
    if result.p_value is None:
        beliefs = posterior_words(result).removeprefix("Posterior probabilities: ")
        where = f"the posterior probabilities in {result.measure_label} are " if result.posterior is not None else ""
        found = ", ".join([*means, result.test_label, software(result)])
        return f"Over {counted(result.n, 'fold')}{design}, {where}{beliefs} ({found})."
    numbers = [
        *means,
        f"{interval_name(result.interval)} {interval_text(result.interval, write.signed)}",
        _named_test(result),
        *_statistic(result.test, result.method, result.statistic, result.degrees),
        p_text(result),
        software(result),
    ]
    return f"Over {counted(result.n, 'fold')}{design}, {_compared(result)} ({', '.join(numbers)})."


@sentence.register
def _(result: Estimate) -> str:
    write = Digits.of_interval(result.interval, result.estimate)
    interval = f"{interval_name(result.interval)} {interval_text(result.interval, write.number)}"
    how = _seeded(result) if result.interval.method in (*DRAWN, INVERTED) else [software(result)]
    found = f"{write.number(result.estimate)} ({', '.join([interval, f'method {result.interval.method}', *how])})"
    return f"On {counted(result.n, 'item')}, {result.name} had {_article(result.measure_label)} of {found}."


def _article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' or noun[:2] in ('F1', 'F-', 'MC', 'MS', 'MA') else 'a'} {noun}"


@sentence.register
def _(result: AgainstChance) -> str:
    better = "more" if result.decision == "better" else "not significantly more"
    name = capital(result.name) if result.name == NAMELESS else result.name
    interval = f"{interval_name(result.interval)} {percent(result.interval.low)} to {percent(result.interval.high)} %"
    right = f"{result.right:,} of {result.n:,} items right ({percent(result.efficiency)} %, {interval})"
    return (
        f"{name} got {right}, {better} "
        f"than the {percent(result.expected_efficiency)} % expected by chance with the same margins "
        f"({CHANCE_TESTS[result.method]}, {p_text(result)}, {software(result)})."
    )


@sentence.register
def _(result: Leaderboard) -> str:
    best, shown = result.models[0], [pair for pair in result.pairs if pair.shown]
    corrected = [f"{CORRECTED[result.correction]} correction"] if result.n_tests > 1 else []
    overall = [] if result.overall is None else [f"all equal: {_of_all_models(result.overall)}"]
    how = ", ".join([f"{kind_of_test(result)}s", *corrected, *overall, *_seeded(result)])
    at = f"at the {100 * level(result):g} % level ({how})"
    if result.baseline is not None:
        ahead = sum(gain(pair.difference, result.higher_is_better) > 0 for pair in shown)
        others = counted(result.n_tests, "model")
        return (
            f"On {counted(result.n, 'item')}, {ahead:,} of {others} had a significantly better {result.measure_label} "
            f"than {result.baseline} and {len(shown) - ahead:,} a significantly worse one {at}."
        )
    interval = f"{interval_name(best.interval)} {interval_text(best.interval)}"
    return (
        f"On {counted(result.n, 'item')}, {best.name} had the best {result.measure_label} of {len(result.models):,} "
        f"models ({number(best.estimate)}, {interval}), and {len(shown):,} of {counted(result.n_tests, 'pair')} "
        f"differed significantly {at}."
    )


def _of_all_models(found: OverallTest) -> str:
    """Give the statistic of all models together with the p-value that its χ² has."""
    return f"{found.label} = {found.statistic:.3g} on {degrees_of_freedom(found.degrees)}, {p_text(found)}"


@sentence.register
def _(result: DataSetComparison) -> str:
    pairs = sum(pair.decision != "not shown" for pair in result.pairs)
    differed = "differed" if result.decision == "different" else "did not differ significantly"
    forms = {pair.method for pair in result.pairs}
    wilcoxon = "Wilcoxon signed-rank test"
    return (
        f"Over {result.n:,} data sets, the ranks of {len(result.names):,} models {differed} ({_ranks(result)}), and "
        f"{pairs:,} of {counted(len(result.pairs), 'pair')} differed "
        f"({FORMS[forms.pop()].format(test=wilcoxon) if len(forms) == 1 else wilcoxon}, "
        f"{CORRECTED[result.correction]} correction, {software(result)})."
    )


def _ranks(result: DataSetComparison) -> str:
    """Give the statistic of all ranks together with the test that the p-value is of, which χ² alone is not."""
    p = p_text(result.permutation)
    if result.permutation_method == "F":
        found = result.iman_davenport
        return f"Iman and Davenport's F = {found.statistic:.3g} on {degrees_of_freedom(*found.degrees)}, {p}"
    how = "exact" if result.permutation_method == "exact" else "sampled"
    return f"Friedman's χ² = {result.friedman.statistic:.3g}, {how} permutation test, {p}"


@sentence.register
def _(result: PerClass) -> str:
    shown = [one for one in result.classes if one.decision not in ("not shown", "not decided")]
    found = []
    for one in shown[:MOST_NAMED]:
        write = Digits.of(one)
        numbers = f"{write.number(one.estimate_b)} against {write.number(one.estimate_a)}"
        found.append(
            f"{one.label}: {one.decision}, {numbers}, corrected {p_equals(one.adjusted_p, bound=one.p_is_bound)}"
        )
    claim = "different from" if result.claim == "different" else f"{result.claim.replace('_', ' ')} against"
    which = "classes" if result.kind == "class" else "labels"
    form = "{test}" if result.test in CHOSEN_BY_THE_DATA else FORMS.get(result.signature.method, "{test}")
    how = [form.format(test=result.test_label), f"{CORRECTED[result.correction]} correction", *_seeded(result)]
    return (
        f"On {counted(result.n, 'item')}, {result.name_b} was significantly {claim} {result.name_a} in "
        f"{result.measure_label} for {len(shown):,} of {len(result.classes):,} {which} "
        f"({'; '.join([*found, ', '.join(how)])})."
    )


@sentence.register
def _(result: ScoreCurves) -> str:
    areas = [
        f"{number(model.auc)} for {model.name} "
        f"({interval_name(model.auc_interval)} {interval_text(model.auc_interval)})"
        for model in result.models
    ]
    were = "area under the ROC curve was" if len(areas) == 1 else "areas under the ROC curves were"
    return (
        f"On {counted(result.n, 'item')} ({result.positives:,} positive), the {were} {few(areas)} "
        f"[{', '.join(_seeded(result))}]."
    )


@sentence.register
def _(result: Gate) -> str:
    counted_in = [one for one in result.checks if one.outcome != "not gating"]
    passed, failed = (sum(one.outcome == outcome for one in counted_in) for outcome in ("pass", "fail"))
    worst = max(counted_in, key=lambda one: (one.outcome != "pass", one.p_pass))
    test = TESTS["items"][result.signature.test].label
    write = Digits.of(worst)
    numbers = [
        f"margin {margin_of(worst)}",
        f"difference {write.signed(worst.difference)}",
        f"{interval_name(worst.interval)} {interval_text(worst.interval, write.signed)}",
    ]
    parts = [
        f"intersection–union of {counted(len(counted_in), test)} at {result.alpha:.3g}",
        f"largest {p_equals(worst.p_pass, bound=worst.p_pass_is_bound)} for “{worst.name}”, {', '.join(numbers)}",
        f"{CORRECTED[result.correction]} correction of failures",
        ", ".join(_seeded(result)),
    ]
    broken = f"{failed:,}" if failed else "none"
    outcome = {"pass": "passed", "fail": "failed", "undecided": "was undecided"}[result.outcome]
    margins = counted(len(counted_in), "preset margin")
    return (
        f"On {counted(result.n, 'item')}, {result.name_b} kept {passed:,} of {margins} "
        f"against {result.name_a} and broke {broken}, so the gate {outcome} ({'; '.join(parts)})."
    )


@sentence.register
def _(result: Plan) -> str:
    low_high = ""
    if result.spread is not None and result.pilot_items is not None:
        write = {"items": "{:,.0f}", "power": "{:.0%}", "difference": "{:.2g}"}[result.asked]
        low, high = (write.format(end).replace("%", " %") for end in (result.spread.low, result.spread.high))
        low_high = f"eight of ten pilots of {counted(result.pilot_items, 'item')} would give {low} to {high}"
    assumed = ", ".join(f"{name} {value:g}" for name, value in result.assumed.items())
    how = {
        "simulated": "studentised test, simulated",
        "normal approximation": "studentised test, normal approximation",
        "Connor 1987": "McNemar test, Connor 1987",
        "keller2004 (9)": "paired proportion test, variance of keller2004 (9)",
    }
    numbers = [
        how.get(result.method, result.method),
        *filter(None, [low_high, assumed and f"assuming {assumed}"]),
        *(_seeded(result) if result.method == "simulated" or result.spread is not None else [software(result)]),
    ]
    about = "about " if result.asked == "power" else ""
    power = f"with a power of {about}{percent(result.power, 0)} % at the {100 * level(result):g} % level"
    return f"{found_with(result, power)} ({', '.join(numbers)})."


@sentence.register
def _(result: Study) -> str:
    tests = [OneTest(result, test) for test in result.tests]
    judged = f"judged at {tests[0].alpha:g}"
    measured = f"{result.name_b} against {result.name_a} in {result.measure_label}, {judged}"
    errors = ", ".join(["± Monte-Carlo standard errors", *_seeded(result)])
    return (
        f"On {result.n_sets:,} {sets_of(result)} drawn with replacement from {counted(result.n, 'item')} ({measured}), "
        f"{'; '.join(map(_studied, tests))} ({errors})."
    )


def _studied(test: OneTest) -> str:
    """Say how often one test was wrong, its interval covered, and the difference was found, at the worst."""
    size, covered = test.worst_size, test.least_covered
    label, wrong = test.label(), _rate(size.value, size.error)
    parts = [f"{label[0].lower()}{label[1:]} found a difference on {wrong} of the sets where there is none"]
    if covered.value is not None and covered.error is not None:
        often = _rate(covered.value, covered.error)
        parts.append(f"its {100 * covered.level:g} % interval covered the true difference on {often}")
    if test.power is not None:
        parts.append(f"it found the true difference on {_rate(test.power.value, test.power.error)}")
    *others, last = parts
    return f"{', '.join(others)}, and {last}" if others else last


def _rate(value: float, error: float) -> str:
    return f"{percent(value)} ± {percent(error)} %"


@sentence.register
def _(result: Experiment) -> str:
    rows = [f"over {row.category_set} {_or_none(row.confidence)} against {_or_none(row.value)}" for row in result.table]
    sizes = result.sizes
    return (
        f"In the experiment of keller2004 section 5 on {result.corpus} ({sizes['train']:,} documents for training, "
        f"{sizes['test']:,} for the test), the bootstrap's confidence in the leader by {result.measure_label}, against "
        f"how often it led on {result.n_sets:,} sets from {sizes['true']:,} other documents, was {', '.join(rows)} "
        f"({result.n_resamples:,} replicates, {', '.join(_seeded(result))})."
    )


def _or_none(share: float | None) -> str:
    return "undefined" if share is None else f"{percent(share)} %"


@singledispatch
def table(result: Result, summary: Summary) -> Grid:
    """Return the table for a paper, for most kinds the first one in the summary."""
    for block in summary.blocks:
        if isinstance(block, Grid):
            return block
    raise NotApplicableError(f"This {type(result).__name__} has no table.", "a result with one", "to_markdown()")


@table.register(Comparison)
@table.register(FoldComparison)
def _two_models(result: Comparison | FoldComparison, summary: Summary) -> Grid:
    if isinstance(result, Comparison) and result.slices:
        return next(block for block in summary.blocks if isinstance(block, Grid))
    write = Digits.of(result)
    p = "–"
    if result.p_value is not None:
        p = p_number(result.p_value, bound=at_the_floor(result.p_value, result.p_error))
    return Grid(
        ("model", result.measure_label, "difference", interval_name(result.interval), "p"),
        (
            (result.name_a, write.number(result.estimate_a), "", "", ""),
            (
                result.name_b,
                write.number(result.estimate_b),
                write.signed(result.difference),
                interval_text(result.interval, write.signed),
                p,
            ),
        ),
    )


@table.register
def _(result: Estimate, summary: Summary) -> Grid:
    write = Digits.of_interval(result.interval, result.estimate)
    row = (result.name, write.number(result.estimate), interval_text(result.interval, write.number))
    return Grid(("model", result.measure_label, interval_name(result.interval)), (row,))


@table.register
def _(result: AgainstChance, summary: Summary) -> Grid:
    shares = (result.efficiency, result.interval.low, result.interval.high, result.expected_efficiency)
    right, low, high, expected = (f"{percent(share)} %" for share in shares)
    head = ("classifier", "right", interval_name(result.interval), "by chance", "p")
    return Grid(head, ((result.name, right, f"{low} to {high}", expected, p_number(result.p_value)),))


@table.register
def _(result: Gate, summary: Summary) -> Grid:
    head = ("check", result.name_a, result.name_b, "difference", "interval", "margin", "p", "outcome")
    rows = tuple(_checked(one) for one in result.checks)
    if all(one.n == result.n for one in result.checks):
        return Grid(head, rows)
    sized = ((row[0], f"{one.n:,}", *row[1:]) for row, one in zip(rows, result.checks, strict=True))
    return Grid((head[0], "items", *head[1:]), tuple(sized))


def _checked(one: GateCheck) -> tuple[str, ...]:
    write = Digits.of(one)
    return (
        one.name,
        write.number(one.estimate_a),
        write.number(one.estimate_b),
        write.signed(one.difference),
        interval_text(one.interval, write.signed),
        str(margin_of(one)),
        p_number(one.p_pass, bound=one.p_pass_is_bound),
        MARKS[one.outcome].lower(),
    )


@table.register
def _(result: Study, summary: Summary) -> Grid:
    rows = []
    for test in (OneTest(result, test) for test in result.tests):
        size, covered, power = test.worst_size, test.least_covered, test.power
        no_interval = covered.value is None or covered.error is None
        rows.append(
            (
                test.name,
                _rate(size.value, size.error),
                "–" if no_interval else _rate(covered.value or 0.0, covered.error or 0.0),
                "–" if power is None else _rate(power.value, power.error),
            )
        )
    alpha = test.alpha
    head = ("test", f"size at {alpha:g}", f"coverage at {100 * result.confidence_level:g} %", "power")
    return Grid(head, tuple(rows))


@table.register
def _(result: Experiment, summary: Summary) -> Grid:
    head = ("set", "leader", "confidence", "right", "leader in the paper", "confidence", "right")
    rows = []
    for row in result.table:
        leader, confidence, right = PAPER[row.category_set]
        here = (row.leader or "none", _or_none(row.confidence), _or_none(row.value))
        rows.append((row.category_set, *here, leader, _or_none(confidence), _or_none(right)))
    return Grid(head, tuple(rows))
