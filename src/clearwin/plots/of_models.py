"""Pictures of results about one model, or about many."""

from __future__ import annotations

from clearwin.numerics.intervals import Interval
from clearwin.plots.confusion import MOST_DRAWN, confusion_picture
from clearwin.plots.critical_difference import diagram_size, draw_diagram, layout
from clearwin.plots.differences import REPLICATES, Seen, draw_replicates
from clearwin.plots.drawing import HeldAgainst, Picture, better_side, pictures_of, short_name, value_axis
from clearwin.plots.forest import Marks, Row, draw_forest, draw_standings, first_rows, forest_size, listed, pair_row
from clearwin.plots.of_pairs import difference_picture
from clearwin.plots.score_curves import draw_curve
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import Confusion, Estimate
from clearwin.results.curves import ScoreCurves
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.leaderboard import Leaderboard
from clearwin.text import capital, one_line
from clearwin.wording.data_sets import not_told_apart, ranking
from clearwin.wording.numbers import few, interval_name, interval_text, number, p_number, signed

LOWER_IS_BETTER = " Lower is better."


@pictures_of.register
def _(r: Estimate, against: HeldAgainst) -> list[Picture]:
    """The replicates if there are some, the interval, the confusion matrix."""
    label, name = one_line(r.measure_label), one_line(r.name)
    told = f"{label} of {name}: {number(r.estimate)}, {interval_name(r.interval)} {interval_text(r.interval)}."
    rows = [Row(r.name, r.estimate, r.interval, True, number(r.estimate))]
    told += "" if r.higher_is_better else LOWER_IS_BETTER
    x = value_axis(short_name(label, 40), r.higher_is_better)
    title, key = f"{label} of {name} with its interval", _values_key(r.interval)
    made = [value_picture(rows, "interval", x, title, told, key)]
    found = r.distribution
    if found is not None:
        what = REPLICATES[found.kind]
        alt = f"Histogram of {found.values.size:,} {what}. {told}"
        title = f"{capital(what)} of the {label} of {name}"
        across = value_axis(f"{short_name(r.measure_label, 40)} of {short_name(r.name)}", r.higher_is_better)
        seen = Seen(r.estimate, r.interval, across)
        made.insert(0, Picture("replicates", title, alt, lambda ax: draw_replicates(found, seen, ax)))
    if r.confusion is not None:
        made.append(confusion_picture("confusion", r.confusion, r.name))
    return made


@pictures_of.register
def _(r: AgainstChance, against: HeldAgainst) -> list[Picture]:
    """The confusion matrix unless it is very large, and the recall of every class against what chance gets."""
    rows = [Row("all items", r.efficiency, r.interval, True, f"{r.right:,} of {r.n:,}")]
    for one in r.recalls:
        if one.recall is not None:  # a class that never occurs has none
            rows.append(Row(one.label, one.recall, one.interval, False, f"{one.right:,} of {one.n:,}"))
    chance = number(r.expected_efficiency)
    alt = f"Share of right items with {interval_name(r.interval)}: {listed(rows)}. By chance it would be {chance}."
    x = f"share of right items (dotted: {chance} by chance)"
    title = "Right items, of all and in every class"
    key = Marks("all items", "one class", interval_name(r.interval))
    recalls = value_picture(rows, "recalls", x, title, alt, key, r.expected_efficiency)
    if len(r.labels) > MOST_DRAWN:
        return [recalls]
    return [confusion_picture("confusion", Confusion(r.labels, r.matrix), r.name), recalls]


@pictures_of.register
def _(r: Leaderboard, against: HeldAgainst) -> list[Picture]:
    """Places, values, and pairs."""
    label = one_line(r.measure_label)
    places = few([f"{one_line(one.name)} {one.rank} ({one.best_rank} to {one.worst_rank})" for one in r.models], 12)
    title, alt = f"Places by {label}, and how certain they are", f"Place, and the places it may have: {places}."
    models, title, alt = first_rows(r.models, title, alt)
    across = f"place by {short_name(r.measure_label, 40)}, and the places it may have"
    size = forest_size(len(models))
    standings = Picture("ranks", title, alt, lambda ax: draw_standings(models, ax, across), size)
    rows = [Row(one.name, one.estimate, one.interval, True, number(one.estimate)) for one in r.models]
    alt = f"{label} with {interval_name(r.interval)}: {listed(rows, most=12)}."
    alt += "" if r.higher_is_better else LOWER_IS_BETTER
    x = value_axis(short_name(label, 40), r.higher_is_better)
    title = f"{label} of every model with its interval"
    values = value_picture(rows, "values", x, title, alt, _values_key(r.interval))
    pairs = [
        pair_row(one.a, one.b, one.difference, one.interval, one.shown, f"p {p_number(one.adjusted_p)}")
        for one in sorted(r.pairs, key=lambda one: one.adjusted_p)
    ]
    shown = [row for row in pairs if row.strong]
    alt = f"{len(shown)} of {len(pairs)} pairs are shown to differ in {label} at {r.alpha:g}"
    alt += f": {listed(shown, signed)}." if shown else "."
    alt += _first_of_pairs(r.higher_is_better)
    axis = better_side(f"difference in {short_name(label, 40)}", "first of the two", r.higher_is_better)
    differences = difference_picture(pairs, "pairs", axis, alt, against.margin, r.alpha)
    return [standings, values, differences] if against.margin is None else [differences, standings, values]


@pictures_of.register
def _(r: ScoreCurves, against: HeldAgainst) -> list[Picture]:
    """The curve that was asked for."""
    told = "; ".join(
        f"{one_line(one.name)}: AUC {number(one.auc)}, average precision {number(one.average_precision)}, equal error "
        f"rate {100 * one.equal_error.eer:.3g} %"
        for one in r.models
    )
    kind = {"roc": "ROC", "det": "DET", "pr": "Precision–recall"}[r.kind]
    title = f"{kind} curve{'s' if len(r.models) > 1 else ''}{' with bands' if r.models[0].bands is not None else ''}"
    return [Picture(r.kind, title, f"{title}. {told}.", lambda ax: draw_curve(r, ax), (5.2, 5.2))]


@pictures_of.register
def _(r: DataSetComparison, against: HeldAgainst) -> list[Picture]:
    """The critical-difference diagram, and pairs."""
    ranks = few([f"{one_line(name)} {rank:.2f}" for name, rank in ranking(r)], 60)
    alt = f"Average ranks over {r.n} data sets, 1 is best: {ranks}."
    alt += f" Critical difference {r.critical_difference:.3g} at {r.alpha:g}."
    alt += f" Not told apart: {not_told_apart(r)}." if r.groups else ""
    title, size = "Critical-difference diagram", diagram_size(layout(r))
    diagram = Picture("critical_difference", title, alt, lambda ax: draw_diagram(r, ax), size, bare=True)
    pairs = []
    for one in sorted(r.pairs, key=lambda one: one.adjusted_p):
        strong, p = one.adjusted_p <= r.alpha, f"p {p_number(one.adjusted_p)}"
        pairs.append(pair_row(one.name_a, one.name_b, one.difference, one.interval, strong, p))
    alt = f"Middle difference over the data sets with its interval: {listed(pairs, signed)}."
    alt += _first_of_pairs(r.higher_is_better)
    axis = better_side("middle difference over the data sets", "first of the two", r.higher_is_better)
    return [diagram, difference_picture(pairs, "pairs", axis, alt, None, r.alpha)]


def _first_of_pairs(higher_is_better: bool) -> str:
    return f" Differences {'above' if higher_is_better else 'below'} 0 favour the first of the two."


def _values_key(interval: Interval) -> Marks:
    return Marks("estimate", "", interval_name(interval))


def value_picture(
    rows: list[Row], name: str, x: str, title: str, alt: str, key: Marks, reference: float | None = None
) -> Picture:
    """Return the picture of values with their intervals; of very many the first are drawn."""
    drawn, title, alt = first_rows(rows, title, alt)
    size = forest_size(len(drawn))
    return Picture(name, title, alt, lambda ax: draw_forest(drawn, ax, x=x, zero=reference, key=key), size)
