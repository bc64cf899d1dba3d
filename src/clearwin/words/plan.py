"""From a plan to words: who named the difference, what it takes, and how little the pilot knows."""

from __future__ import annotations

from clearwin.numerics.pvalues import MARGIN_CLAIMS
from clearwin.results.plan import Plan
from clearwin.text import capital, counted, percent
from clearwin.words.base import FactRows, Facts, Grid, Summary, words_of
from clearwin.words.methods import measure_rows
from clearwin.words.phrases import judged_at, margin_of, one_sided_row, repeat_row

OFTEN = {0.5: "every second time", 0.75: "three times in four", 0.8: "four times in five", 0.9: "nine times in ten"}
ASSUMED = {
    "disagreement": "items on which one model is right",
    "accuracy_a": "accuracy of A",
    "prevalence": "positive items",
    "recall_a": "recall of A",
    "false_positive_rate_a": "false positive rate of A",
    "auc_a": "AUC of A",
    "correlation": "correlation of the scores",
    "deviation": "deviation of the differences",
}


@words_of.register
def _(result: Plan) -> Summary:
    power = f"about {percent(result.power, 0)} % of the time" if result.asked == "power" else often(result.power)
    opening = f"{found_with(result, power)}{_range(result)}."
    return Summary(
        opening=(opening, *_whose(result)),
        verdict=" ".join([opening, *_whose(result)]),
        blocks=(_table(result), Facts(_rows(result))),
        method=(("power", how_found(result)), *measure_rows(result.measure, result.measure_label)),
    )


def often(power: float) -> str:
    """Say how often.

    >>> often(0.8), often(0.85)
    ('four times in five', '85 % of the time')
    """
    return OFTEN.get(power) or f"{percent(power, 0)} % of the time"


def aim(result: Plan) -> str:
    """Say what is to be shown, after "to".

    >>> import clearwin as cw
    >>> aim(cw.plan(measure="accuracy", claim="not_worse", margin=0.02, disagreement=0.1))
    'show that B is not worse than A in accuracy by 0.02 or more, if neither is better,'
    """
    a, b, measure = result.name_a, result.name_b, result.measure_label
    if result.claim in MARGIN_CLAIMS:
        true = f"{abs(result.difference):g} {'better' if result.difference > 0 else 'worse'}"
        really = "if neither is better" if result.difference == 0 else f"if it is {true}"
        if result.claim == "not_worse":
            return f"show that {b} is not worse than {a} in {measure} by {result.margin:g} or more, {really},"
        really = really if result.difference == 0 else f"if {b} is {true}"
        return f"show that {a} and {b} differ in {measure} by less than {result.margin:g}, {really},"
    if result.claim == "different":
        return f"find a difference of {_size(result)} in {measure}"
    by = "" if result.margin is None else f" in {measure} by more than {result.margin:g}"
    true = f"{_size(result)}{f' in {measure}' * (not by)}"
    return f"show that {b} is {result.claim} than {a}{by}, if it really is by {true},"


def _size(result: Plan) -> str:
    return f"{result.difference:g}" if result.asked != "difference" else f"{result.difference:.2g}"


def _items(result: Plan) -> str:
    groups = "" if result.units is None else f" in {counted(result.units, 'group')}"
    return f"{counted(result.items, 'item')}{groups}"


def found_with(result: Plan, power: str) -> str:
    """Say what was asked for; ``power`` says how often the difference is found."""
    if result.asked == "items":
        return f"To {aim(result)} {power} takes about {_items(result)}"
    if result.asked == "power":
        return f"{capital(_items(result))} {aim(result)} {power}"
    if result.margin is not None:
        return (
            f"The smallest difference in {result.measure_label} that {_items(result)} show {power} to be "
            f"above {result.margin:g} is about {_size(result)}"
        )
    return (
        f"The smallest difference in {result.measure_label} that {_items(result)} find {power} is about {_size(result)}"
    )


def _range(result: Plan) -> str:
    """Say what eight of ten other pilots of the same size would have given."""
    if result.spread is None:
        return ""
    write = {"items": "{:,.0f}", "power": "{:.0%}", "difference": "{:.2g}"}[result.asked]
    low, high = write.format(result.spread.low), write.format(result.spread.high)
    pilot = f"{result.pilot_items:,}"
    if result.units is not None and result.sampling is not None:
        pilot = counted(result.sampling.n_units, "group")
    return f" ({low} to {high}, as the pilot has only {pilot})".replace("%", " %")


def _whose(result: Plan) -> tuple[str, ...]:
    if result.asked == "difference":
        return ()
    named = f"{result.margin if result.claim in MARGIN_CLAIMS else result.difference:g}"
    if result.pilot_items is None:
        return (f"You chose the {named} and the rates.",)
    return (f"You chose the {named}; it does not come from the pilot.",)


def how_found(result: Plan) -> str:
    """Say where the power comes from."""
    known = {
        "simulated": "of the studentised test, by test sets from the likeliest population that has the difference",
        "normal approximation": "of the studentised test, by the normal approximation with the standard error of the "
        "likeliest population that has the difference",
        "Connor 1987": "of McNemar's test, n = (z√ψ + z'√(ψ − d²))²/d², ψ the disagreement (Connor, Biometrics 43)",
        "keller2004 (9)": "of the paired proportion test, n = (z + z')²·V/d², V the variance of keller2004 (9)",
    }
    return known.get(result.method, f"by the {result.method}")


def _table(result: Plan) -> Grid:
    rows = tuple(
        (f"{one.items:,}", f"{percent(one.power)} %" + (f" ± {one.error * 100:.1f}" if one.error else ""))
        for one in result.curve
    )
    note = "± is the Monte-Carlo error of the draws" if any(one.error for one in result.curve) else ""
    return Grid(("items", "power"), rows, f"How often test sets {_table_aim(result)}", note)


def _table_aim(result: Plan) -> str:
    return aim(result).rstrip(",")


def _rows(result: Plan) -> FactRows:
    effect = result.design_effect
    pilot = () if result.pilot_items is None else (("pilot", counted(result.pilot_items, "item")),)
    rates = tuple((ASSUMED[name], f"{value:g}  (assumed)") for name, value in result.assumed.items())
    return (
        ("measure", f"{result.measure_label}{judged_at(result)}"),
        *one_sided_row(result.claim, result.name_a, result.name_b, margin_of(result)),
        *pilot,
        *rates,
        *(() if result.origin is None else (("read from", result.origin),)),
        *(() if effect is None else (("design effect", f"{effect:.2f}"),)),
        ("power", how_found(result)),
        repeat_row(result.signature, drawn=result.method == "simulated" or result.spread is not None),
    )
