"""From two models on one test set, one model's value, or every class to words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import cast

from clearwin.numerics.intervals import DRAWN, INVERTED
from clearwin.numerics.power import NormalPower
from clearwin.numerics.pvalues import MARGIN_CLAIMS, Claim
from clearwin.results.base import MeasureResult, Result
from clearwin.results.comparison import (
    Comparison,
    Contrary,
    ErrorReduction,
    Estimate,
    Interaction,
    PartDifference,
    PerClass,
    Slicing,
)
from clearwin.text import called, capital, counted, percent
from clearwin.wording import methods
from clearwin.wording.base import FactRows, Facts, Grid, Summary, words_of
from clearwin.wording.margins import held_against, of_many, of_one
from clearwin.wording.phrases import (
    CORRECTED,
    NO_EVIDENCE,
    Digits,
    Effect,
    at_least,
    by_chance,
    direction,
    every_digit,
    few,
    finding,
    interval_name,
    interval_row,
    interval_text,
    judged_at,
    level,
    margin_of,
    one_sided_row,
    p_number,
    p_row,
    p_text,
    repeat_row,
)

LONGEST_LABEL = 24


@singledispatch
def headline(result: Result) -> str:
    """Say who won, if anyone did."""
    raise TypeError(f"no headline for a {type(result).__name__}")


# --- two models on one test set -------------------------------------------------------------------------------


@words_of.register
def _(result: Comparison) -> Summary:
    slicing = result.slicing
    by_slice = [] if slicing is None else [_by_slice(result, slicing)]
    opening = (f"{_effect(result)}.", f"{_uncertainty(result)}.", f"{_what_would_change(result)}.", *by_slice)
    return Summary(
        opening=opening,
        verdict=" ".join([*opening, f"The null hypothesis is that {_null_hypothesis(result)}."]),
        blocks=(*([] if slicing is None else [_slices(result, slicing)]), Facts(_rows(result))),
        method=(
            *methods.named_test_rows(result.test, result.test_label, result.claim),
            ("form of the test", result.method),
            methods.interval_row(result.interval.method),
            *methods.measure_rows(result.measure, result.measure_label),
            *([] if slicing is None else methods.correction_rows(slicing.correction, len(result.slices))),
            *(
                [("do slices differ?", "Brown and Forsythe's F test of equal differences, Technometrics 16 (1974)")]
                if slicing
                else []
            ),
        ),
    )


def _effect(result: Comparison) -> str:
    """Say who won, by how much in the measure's units, and the p-value."""
    write, size = Digits.of(result), Effect.of(result, result.measure).size(result.difference)
    plain = result.decision in ("better", "worse") and result.judged == "measure" and result.margin is None
    by = f" by {size}" if plain else ""
    value = "" if result.judged == "measure" else f"{result.measure_label} "
    numbers = f"{value}{write.number(result.estimate_b)} against {write.number(result.estimate_a)}"
    return f"{headline(result)}{by} ({numbers}, {p_text(result.contrary or result)}{judged_at(result)})"


def _uncertainty(result: Comparison) -> str:
    """Say what the interval rules out, and the p-value in natural frequencies."""
    if result.contrary is not None:
        return _least_difference(result, result.contrary)
    excluded = Effect.of(result, result.measure).excluded(result.interval)
    if result.outcomes.get("only_a_wrong") == 0 == result.outcomes.get("only_b_wrong"):
        return excluded
    if result.margin is None and result.judged == "measure" and _is_borderline(result):
        ends = Effect.of(result, result.measure)
        interval = interval_text(result.interval, ends.signed)
        includes = "includes" if 0.0 in result.interval else "excludes"
        return f"This is borderline, because the {interval_name(result.interval)}, {interval}{ends.unit}, {includes} 0"
    if result.decision == "not decided":
        return excluded
    if result.margin is None:
        return f"{excluded}, and {by_chance(result)}"
    if result.claim == "equivalent":
        return f"{excluded}, and {by_chance(result, 'models that differ by the margin', 'look this much alike')}"
    looks = {"not_worse": "worse", "better": "better", "worse": "worse"}[result.claim]
    does = "look this bad" if result.claim == "worse" else "look this good"
    return f"{excluded}, and {by_chance(result, f'a {result.name_b} that is {looks} by the margin', does)}"


def _least_difference(result: Comparison, contrary: Contrary) -> str:
    """Say how far beyond the margin B is at least."""
    size = Effect.of(result, result.measure).size(contrary.bound)
    what = "loss" if contrary.claim == "worse" else "gain"
    sure = f"{100.0 * contrary.level:.12g} % confidence, one-sided"
    return f"The true {what} is at least {size} ({sure})"


def _null_hypothesis(result: Comparison) -> str:
    """Return the null hypothesis that the verdict is about: that of the claim, or of its contrary."""
    if result.contrary is None:
        return result.null_hypothesis
    a, b, margin = result.name_a, result.name_b, margin_of(result)
    return f"{b} is not {result.contrary.claim} than {a} in {result.measure_label} by more than {margin}"


def _contrary_row(result: Comparison) -> FactRows:
    """Say how sure it is that the claim is wrong."""
    if result.contrary is None:
        return ()
    size = Effect.of(result, result.measure).size(result.contrary.bound)
    return (("the contrary", f"{result.contrary.claim} by at least {size}, {p_text(result.contrary)}"),)


def _is_borderline(result: Comparison) -> bool:
    """Return whether p-value and interval come from different approximations and disagree."""
    return (result.p_value <= level(result)) == (0.0 in result.interval)


def _what_would_change(result: Comparison) -> str:
    """Say what the decision can rest on, or what would change it: another margin, or more items."""
    write, interval, unit = Effect.of(result, result.measure), result.interval, _unit(result)
    if result.decision == "not decided":
        more = f"More {unit}s would decide it"
        unseen = any(caveat.code == "unseen_failures" for caveat in result.caveats)
        return more if unseen else f"{more}, or a measure that a few large values do not dominate"
    if result.decision == "not shown":
        return _more_items(result)
    if result.contrary is not None:
        return f"Any margin up to {write.size(result.contrary.bound)} would have failed, too"
    gains = (interval.low, interval.high) if result.higher_is_better else (-interval.high, -interval.low)
    if result.margin is not None and result.claim in MARGIN_CLAIMS:
        ends = {"equivalent": max(map(abs, gains))}
        smallest = ends.get(result.claim, -gains[0])
        if smallest <= 0.0:
            return "The decision holds for any margin"
        return f"Any margin above {write.size(smallest)} would have passed, too"
    near = gains[0] if result.decision == "better" else -gains[1]
    if near <= 0.0:
        return f"The {result.measure_label} itself could still be the same, as its interval includes 0"
    if interval.low == interval.high:
        return "How much of it is luck cannot be said, because the interval has zero width"
    return at_least(result.decision, write.size(near))


def _unit(result: Comparison) -> str:
    return "group" if result.sampling and result.sampling.unit == "group" else "item"


@headline.register
def _(result: Comparison) -> str:
    what = {"measure": f" in {result.measure_label}", "wins": "", "ranks": ", by signed ranks"}[result.judged]
    if result.margin is not None:
        return _headline_with_margin(result)
    if result.decision == "not decided":
        return f"It remains undecided whether {result.name_b} {_claimed(result.claim)} {result.name_a}{what}"
    claim = cast(Claim, result.claim)
    return f"{finding(result.judged, claim, result.decision, result.name_a, result.name_b)}{what}"


def _headline_with_margin(result: Comparison) -> str:
    """Say whether B is not worse by the margin, or equivalent within it: one of a closed list."""
    a, b, margin = result.name_a, result.name_b, margin_of(result)
    by = f"by {margin} or more"
    if result.contrary is not None:
        return f"{b} is {result.contrary.claim} than {a} in {result.measure_label} by more than {margin}"
    if result.claim in ("better", "worse"):
        more = f"{result.claim} than {a} in {result.measure_label} by more than {margin}"
        return f"{b} is {more}" if result.decision == result.claim else f"It remains undecided whether {b} is {more}"
    if result.decision == "better":
        return f"{b} is better than {a} in {result.measure_label}, and so not worse {by}"
    if result.decision == "not worse":
        return f"{b} is not worse than {a} in {result.measure_label} {by}"
    if result.decision == "equivalent":
        return f"{b} and {a} are equivalent in {result.measure_label}, as they differ by less than {margin}"
    if result.claim == "not_worse":
        return f"It remains undecided whether {b} is worse than {a} in {result.measure_label} {by}"
    return f"It remains undecided whether {b} and {a} differ in {result.measure_label} {by}"


def _smallest_margin(result: Comparison) -> FactRows:
    """Say which margin these data could have shown: where the interval ends."""
    if result.margin is None or result.claim in ("better", "worse"):
        return ()
    low, high = result.interval.low, result.interval.high
    ends = {"equivalent": max(abs(low), abs(high))}
    smallest = ends.get(result.claim, -low if result.higher_is_better else high)
    write = Digits.of(result)
    bound = write.signed(smallest).removeprefix("+") if result.relative else write.number(smallest)
    told = "any" if smallest <= 0.0 else f"above {bound}"
    return (("margins that hold", f"{told}, at the level {level(result):g}"),)


def _more_items(result: Comparison) -> str:
    """Say what more items would do where nothing is shown.

    It does not say how many would show the observed difference, which is not the true one. A margin was named, and
    n·(z + z')²·se²/margin² items show that B is not worse by it, if neither is better. Without one the interval's
    width, which falls with √n, is all that is known.
    """
    interval, unit = result.interval, _unit(result)
    half = interval.reach(result.difference, *methods.bounds_of_difference(result.measure, relative=result.relative))
    # if the models never disagree, the interval leans on what was added and shrinks at another rate
    if result.outcomes.get("only_a_wrong") == 0 == result.outcomes.get("only_b_wrong"):
        return f"Only {unit}s on which the models disagree could change this"
    if result.undefined_for and not methods.in_parts(result.measure):
        who = " and ".join(result.undefined_for)
        return f"How many {unit}s it takes cannot be estimated, as {result.measure_label} is undefined (0/0) for {who}"
    if not 0.0 < half < math.inf:
        return f"Only more {unit}s could bound the difference"
    if result.margin is None or result.claim not in MARGIN_CLAIMS:
        if result.claim != "different" and _points_away(result):
            return f"The difference points the other way, so more {unit}s would have to reverse it"
        return f"With four times as many {unit}s the interval would be about half as wide"
    # each test of equivalence may miss half as often
    missed = 0.1 if result.claim == "equivalent" else 0.2
    wanted = NormalPower((result.margin,), level(result), 1.0, 1.0)
    needed = result.n * (half / wanted.critical) ** 2 * wanted.units(1.0 - missed)
    about = "A test set of this size" if needed <= result.n else f"About {float(f'{needed:.2g}'):,.0f} items"
    return f"{about} would show it four times in five if neither is better"


def _claimed(claim: str) -> str:
    return "differs from" if claim == "different" else f"is {claim} than"


def _points_away(result: Comparison) -> bool:
    """Return whether the difference contradicts a one-sided claim."""
    return result.lead < 0 if result.claim == "better" else result.lead > 0


def _rows(result: Comparison) -> FactRows:
    a, b, write = result.name_a, result.name_b, Digits.of(result)
    return (
        *_measure_row(result.measure_label),
        (_of(result.measure_label, a), write.number(result.estimate_a)),
        (_of(result.measure_label, b), f"{write.number(result.estimate_b)}  ({direction(result.higher_is_better)})"),
        ("difference", f"{write.signed(result.difference)}  ({f'{b}/{a} − 1' if result.relative else f'{b} − {a}'})"),
        interval_row(result.interval, write.signed),
        *one_sided_row(result.claim, a, b, margin_of(result)),
        *_smallest_margin(result),
        p_row(result, result.p_error),
        *_contrary_row(result),
        ("test", f"{result.test_label}, {result.method}"),
        ("why this test", result.why),
        *_extra_rows(result),
        *_win_rate(result),
        ("items", f"{result.n:,}: {_split(result)}"),
        *_sampling_rows(result),
    )


def _extra_rows(result: Comparison) -> FactRows:
    extra = []
    if result.thresholds is not None:
        extra.append(("thresholds", ", ".join(map(every_digit, result.thresholds))))
    if result.error_reduction is not None:
        extra.append(("errors", _errors(result.error_reduction, result.name_a)))
    if result.confidence is not None:
        where = (
            "" if not result.undefined_replicates or methods.in_parts(result.measure) else " that define the measure"
        )
        scored = f"{result.name_b} scored {'higher' if result.higher_is_better else 'lower'}"
        extra.append(("confidence", f"{scored} in {percent(result.confidence)} % of resampled test sets{where}"))
    return tuple(extra)


def _win_rate(result: Comparison) -> FactRows:
    """Say the interval of B's win rate, which is half of 1 plus the difference."""
    if result.measure != "win_rate" or result.interval.side != "two-sided" or result.relative:
        return ()
    low, high = ((1.0 + end) / 2.0 for end in (result.interval.low, result.interval.high))
    write = Digits.of(result).number
    told = f"{write(result.estimate_b)}, {interval_name(result.interval)} {write(low)} to {write(high)}"
    return (("win rate", f"{result.name_b} {told}; 0.5 means that neither is better"),)


def _errors(found: ErrorReduction, name_a: str) -> str:
    """Say how many errors fewer or more B makes.

    >>> _errors(ErrorReduction(-0.007, -0.105), "A"), _errors(ErrorReduction(0.2, 0.5), "A")
    ('10.5 % more (0.70 points)', '50.0 % fewer (20.00 points)')
    """
    if found.absolute == 0.0:
        return "the same number"
    more, points = ("fewer" if found.absolute > 0 else "more"), f"{abs(found.absolute) * 100:.2f} points"
    if found.relative is None:
        return f"{points} {more}; {name_a} makes none"
    return f"{percent(abs(found.relative))} % {more} ({points})"


def _split(result: Comparison) -> str:
    a, b, o = result.name_a, result.name_b, result.outcomes
    if result.measure == "win_rate":
        return f"{b} wins {o['b_higher']:,}, {a} wins {o['a_higher']:,}, ties {o['equal']:,}"
    if "positives" in o:
        return f"{o['positives']:,} positive, {o['negatives']:,} negative"
    if "items_of_a" in o:
        return f"{o['items_of_a']:,} of {a}, {o['items_of_b']:,} of {b}"
    if "equal" in o:
        return f"{b} higher {o['b_higher']:,}, {a} higher {o['a_higher']:,}, equal {o['equal']:,}"
    return (
        f"both right {o['both_right']:,}, only {a} wrong {o['only_a_wrong']:,}, only {b} wrong {o['only_b_wrong']:,}, "
        f"both wrong {o['both_wrong']:,}"
    )


# --- one model's value ----------------------------------------------------------------------------------------


@words_of.register
def _(result: Estimate) -> Summary:
    label, write = result.measure_label, Digits.of_interval(result.interval, result.estimate)
    found = f"{interval_name(result.interval)} {interval_text(result.interval, write.number)}"
    opening = capital(f"{label} of {result.name}: {write.number(result.estimate)} ({found})")
    rows = (
        *_measure_row(label),
        (_of(label, result.name), f"{write.number(result.estimate)}  ({direction(result.higher_is_better)})"),
        interval_row(result.interval, write.number),
        ("items", f"{result.n:,}"),
        *_sampling_rows(result),
    )
    covers = _coverage(result)
    return Summary(
        opening=(f"{opening}.", covers),
        verdict=f"{opening}. {covers} This is an estimate on {counted(result.n, 'item')}, not a test.",
        blocks=(Facts(rows),),
        method=(*methods.measure_rows(result.measure, label), methods.interval_row(result.interval.method)),
    )


def _coverage(result: Estimate) -> str:
    """Say how often such an interval covers the true value, unless it shows nothing here."""
    codes = {caveat.code for caveat in result.caveats}
    if "no_width" in codes:
        return "The interval has zero width, so these items cannot show how far off the estimate may be."
    often = f"{result.interval.level * 100:.12g} of 100 test sets"
    covers = f"On {often} an interval made this way covers the true value"
    if "undefined_estimate" in codes and not methods.in_parts(result.measure):
        return f"{covers}, but {result.measure_label} is undefined (0/0) here."
    return f"{covers}, and with four times as many items it would be about half as wide."


def _measure_row(label: str) -> FactRows:
    """Give a long label a row of its own, because it would push the whole table to the right."""
    return (("measure", label),) if len(label) > LONGEST_LABEL else ()


def _of(label: str, name: str) -> str:
    return f"of {name}" if len(label) > LONGEST_LABEL else f"{label} of {name}"


def _sampling_rows(result: MeasureResult) -> FactRows:
    """Say what was drawn whole, what was held fixed, which labels count, and how to repeat it."""
    found = [] if result.origin is None else [("read from", result.origin)]
    sampling = result.sampling
    if sampling is not None and sampling.unit == "group":
        sizes = f"{sampling.smallest:,}" + (f" to {sampling.largest:,}" if sampling.largest > sampling.smallest else "")
        effect = "" if sampling.design_effect is None else f"; design effect {sampling.design_effect:.2f}"
        found.append(("groups", f"{sampling.n_units:,} of {sizes} items{effect}"))
    if sampling is not None and sampling.strata:
        named = [f"{name} {n:,}" for name, n in sampling.strata.items()]
        found.append(("strata", f"{len(named)}, sizes held fixed: {few(named)}"))
    if result.labels is not None:
        found.append(("labels", few(result.labels)))
    if result.positive is not None:
        found.append(("positive class", result.positive + ("  (inferred)" if result.positive_inferred else "")))
    if result.lower_is_positive:
        found.append(("lower is positive", few(result.lower_is_positive)))
    return (*found, repeat_row(result.signature, drawn=result.interval.method in (*DRAWN, INVERTED)))


# --- every class or label -------------------------------------------------------------------------------------


@words_of.register
def _(result: PerClass) -> Summary:
    found, at = headline(result), judged_at(result)
    tests = counted(len(result.classes), "test")
    rows = (
        *one_sided_row(result.claim, result.name_a, result.name_b),
        ("test", f"{result.test_label}; {tests}, p corrected by {result.correction}"),
        ("items", f"{result.n:,}"),
        repeat_row(result.signature, drawn=result.interval.method in (*DRAWN, INVERTED)),
    )
    opening = (f"{found}{at}.", f"The p-values of {tests} are corrected by {CORRECTED[result.correction]}.")
    return Summary(
        opening=opening,
        verdict=" ".join([*opening, f"The null hypothesis of each is that {result.null_hypothesis}."]),
        blocks=(_grid(result, result.classes, result.kind, result.correction), Facts(rows)),
        method=(
            *methods.named_test_rows(result.test, result.test_label, result.claim),
            *methods.correction_rows(result.correction, len(result.classes)),
            *methods.measure_rows(result.measure, result.measure_label),
        ),
    )


def digits_of_parts(result: Comparison | PerClass, parts: Sequence[PartDifference]) -> Digits:
    """Return how many decimals a table of parts has."""
    relative = isinstance(result, Comparison) and result.relative
    return Digits.of_table(((one.interval, one.difference) for one in parts), relative=relative)


def _grid(
    result: Comparison | PerClass,
    parts: Sequence[PartDifference],
    kind: str,
    correction: str,
    more: Iterable[tuple[str, ...]] = (),
) -> Grid:
    """Return the parts one under the other, a column for each number."""
    write = digits_of_parts(result, parts)
    head = (kind, "items", result.name_a, result.name_b, "difference", interval_name(result.interval), "p")
    rows = (
        (
            one.label,
            f"{one.n:,}",
            write.number(one.estimate_a),
            write.number(one.estimate_b),
            write.signed(one.difference),
            interval_text(one.interval, write.signed),
            p_number(one.p_value, bound=one.p_is_bound),
            p_number(one.adjusted_p, bound=one.p_is_bound),
        )
        for one in parts
    )
    return Grid((*head, f"p, {correction}"), (*rows, *more), result.measure_label)


@headline.register
def _(result: PerClass) -> str:
    how = "each class against the others" if result.kind == "class" else "each label by itself"
    return f"{_found_in(result, result.classes, result.kind)} ({result.measure_label}, {how})"


def _found_in(result: Comparison | PerClass, parts: Sequence[PartDifference], kind: str) -> str:
    shown = _shown_in(parts, kind, result.name_a)
    return f"{result.name_b} {shown}" if shown else _not_shown_in_any(result, kind)


def _shown_in(parts: Sequence[PartDifference], kind: str, name_a: str) -> str:
    """Say where B is better and where it is worse; nothing where neither is shown."""
    many = "classes" if kind == "class" else f"{kind}s"
    told = [
        f"{word} {'to' if word == 'equivalent' else 'than'} {name_a} in "
        + (called(kind, labels[0]) if len(labels) == 1 else f"{many} {few(labels)}")
        for word in ("better", "worse", "not worse", "equivalent")
        if (labels := [one.label for one in parts if one.decision == word])
    ]
    return f"is {' and '.join(told)}" if told else ""


def _not_shown_in_any(result: Comparison | PerClass, kind: str) -> str:
    if result.claim in MARGIN_CLAIMS:
        return f"{NO_EVIDENCE} {result.name_b} is {result.claim.replace('_', ' ')} in any {kind}"
    return f"{finding('measure', cast(Claim, result.claim), 'not shown', result.name_a, result.name_b)} in any {kind}"


# --- every slice ----------------------------------------------------------------------------------------------

NO_VALUE = "–"


def _by_slice(result: Comparison, slicing: Slicing) -> str:
    """Say where B is better and where worse, and whether the difference varies between slices."""
    found = _found_in(result, result.slices, "slice")
    found = found.replace(NO_EVIDENCE, NO_EVIDENCE.lower(), 1) if found.startswith(NO_EVIDENCE) else found
    tests = f"{counted(len(result.slices), 'slice')}, p corrected by {slicing.correction}"
    differs = f" {capital(_interaction(result, slicing.interaction))}." if slicing.interaction else ""
    return f"By {slicing.by}, {f'there is {found}' if found.startswith('no ') else found} ({tests}).{differs}"


def _interaction(result: Comparison, found: Interaction) -> str:
    above, below = found.degrees
    test = f"Brown and Forsythe's F({above:.1f}, {below:.1f}) = {found.statistic:.2f}, {p_text(found)}"
    if found.p_value <= level(result):
        return f"the difference is not the same in all slices ({test})"
    return f"there is {NO_EVIDENCE.lower()} the difference varies between slices ({test})"


def _slices(result: Comparison, slicing: Slicing) -> Grid:
    """Return the slices one under the other, those without a value too, and all items last."""
    hidden = [(label, f"{n:,}", *[NO_VALUE] * 6) for label, n in slicing.without_value.items()]
    write = digits_of_parts(result, result.slices)
    numbers = (write.number(result.estimate_a), write.number(result.estimate_b), write.signed(result.difference))
    overall = ("all items", f"{result.n:,}", *numbers, interval_text(result.interval, write.signed))
    more = [*hidden, (*overall, p_number(result.p_value, bound=result.p_is_bound), "")]
    return _grid(result, result.slices, slicing.by, slicing.correction, more)


@held_against.register
def _(result: Comparison, margin: float) -> str:
    return of_one(result, interval_name(result.interval), margin)


@held_against.register
def _(result: PerClass, margin: float) -> str:
    differences = [(called(result.kind, one.label), one.interval) for one in result.classes]
    return of_many(differences, result.higher_is_better, margin)
