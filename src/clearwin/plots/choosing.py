"""Which pictures suit a result, the best first, and for which it is too large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING

from clearwin.analyses.judging import MOST_CLASSES
from clearwin.errors import UnknownNameError
from clearwin.numerics.intervals import Interval, Side
from clearwin.plots import plan, study  # noqa: F401  # these modules register their pictures
from clearwin.plots.confusion import MOST_DRAWN, confusion_picture, draw_mosaic
from clearwin.plots.critical_difference import diagram_size, draw_diagram, layout
from clearwin.plots.differences import REPLICATES, ObservedValue, draw_folds, draw_null, draw_replicates
from clearwin.plots.drawing import (
    PHONE,
    Picture,
    better_side,
    new_axes,
    pictures_of,
    short_name,
    short_names,
    value_axis,
)
from clearwin.plots.forest import (
    Marks,
    Row,
    difference_picture,
    draw_forest,
    draw_standings,
    favours,
    first_rows,
    forest_size,
    listed,
    narrow_size,
    pair_label,
    pair_row,
    value_picture,
    with_interval,
)
from clearwin.plots.score_curves import curve_size, draw_curve
from clearwin.results.base import Distribution, Result
from clearwin.results.chance import AgainstChance
from clearwin.results.comparison import ClassOutcomes, Comparison, Confusion, Estimate, PartDifference, PerClass
from clearwin.results.curves import ScoreCurves
from clearwin.results.data_sets import DataSetComparison
from clearwin.results.folds import FoldComparison
from clearwin.results.gate import Gate
from clearwin.results.leaderboard import Leaderboard
from clearwin.text import capital, counted, one_line
from clearwin.words.data_sets import indistinct_groups, pairs_judged_by, ranking
from clearwin.words.folds import empty_interval
from clearwin.words.margins import margin_for
from clearwin.words.parts import digits_of_parts
from clearwin.words.phrases import Digits, interval_name, interval_text, level, name_list, number, p_number, p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NARROW = (PHONE, 3.2)  # inches
SHOWN = ("better", "worse")  # decisions that get a filled mark


def pictures(result: Result, *, margin: float | None = None) -> tuple[Picture, ...]:
    """Return all pictures that suit the result, the best first.

    ``margin`` is the largest difference that does not matter, to be drawn where a picture shows differences.

    >>> import clearwin as cw
    >>> r = cw.compare([1, 0, 1, 0, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 0], measure="f1", rng=1)
    >>> [picture.name for picture in pictures(r)]
    ['null', 'interval', 'mosaic', 'confusion_a', 'confusion_b']
    """
    return tuple(pictures_of(result, None if margin is None else margin_for(result, margin)))


def plot(result: Result, ax: Axes | None = None, kind: str | None = None, *, margin: float | None = None) -> Axes:
    """Draw the best picture of a result, or the one that ``kind`` names, and return its axes."""
    by_name = {picture.name: picture for picture in pictures(result, margin=margin)}
    kind = next(iter(by_name)) if kind is None else kind
    if kind not in by_name:
        raise UnknownNameError("kind of picture", kind, by_name)
    picture = by_name[kind]
    return picture.draw(new_axes(picture.size, bare=picture.bare) if ax is None else ax)


@singledispatch
def not_drawn(result: Result) -> str:
    """Say which pictures are left out because the result is too large.

    >>> import clearwin as cw
    >>> not_drawn(cw.compare(range(40), range(40), range(40), measure="accuracy"))
    'Confusion matrices are not drawn: there are 40 classes, and a record carries those of up to 30.'
    """
    return ""


@not_drawn.register
def _not_drawn_of_comparison(result: Comparison) -> str:
    return _not_carried("Confusion matrices are", result.n_classes) if result.joint is None else ""


@not_drawn.register
def _not_drawn_of_estimate(result: Estimate) -> str:
    return _not_carried("The confusion matrix is", result.n_classes) if result.confusion is None else ""


@not_drawn.register
def _not_drawn_of_against_chance(result: AgainstChance) -> str:
    k = len(result.labels)
    words = f"The confusion matrix is not drawn: there are {k:,} classes, and at most {MOST_DRAWN} are readable."
    return words if k > MOST_DRAWN else ""


def _not_carried(matrices: str, classes: int | None) -> str:
    if classes is None:  # scores and values have no decisions
        return ""
    return f"{matrices} not drawn: there are {classes:,} classes, and a record carries those of up to {MOST_CLASSES}."


@pictures_of.register
def _pictures_of_comparison(r: Comparison, margin: float | None) -> list[Picture]:
    """The replicates or the null distribution, the interval, and the tables; with a margin the interval first."""
    difference = f"{pair_label(r.name_a, r.name_b)}: {with_interval(r.difference, r.interval)}. "
    difference += favours(r.name_b, r.higher_is_better)
    row = pair_row(r.name_a, r.name_b, r.difference, r.interval, r.decision in SHOWN, p_text(r))
    kind = "relative difference" if r.relative else "difference"
    x = better_side(f"{kind} in {short_name(r.measure_label, 40)}", short_name(r.name_b), r.higher_is_better)
    judged = f"{difference} {p_text(r)}: {'shown' if row.strong else r.decision} at {level(r):g}."
    interval = difference_picture([row], "interval", x, judged, margin, level(r))
    drawn = _distribution(r, difference, margin)
    first = [*drawn, interval] if margin is None else [interval, *drawn]
    if r.slices:
        write = digits_of_parts(r, r.slices).signed
        below = replace(
            row,
            label="all items",
            pair=None,
            note=f"{write(r.difference)}, p {p_number(r.p_value, bound=r.p_is_bound)}",
        )
        first.insert(0, _forest_of_parts(r, r.slices, "slices", margin, below))
    return [*first, *_tables(r)]


def _distribution(r: Comparison, difference: str, margin: float | None) -> list[Picture]:
    """Return the picture of the replicates, or of the differences under the null hypothesis."""
    distribution = r.distribution
    if distribution is None or distribution.kind == "posterior":
        return []
    label = one_line(r.measure_label)
    x = _difference_axis(r)
    if distribution.kind == "bootstrap":
        n = distribution.values.size
        alt = f"Histogram of {n:,} bootstrap replicates of the difference in {label}. {difference}"
        title = f"Bootstrap replicates of the difference in {label}"
        observed = ObservedValue(r.difference, r.interval, x, zero=0.0, margin=margin)
        return [_replicates(title, alt, distribution, observed)]
    alt = (
        f"The differences in {label} ({pair_label(r.name_a, r.name_b)}) that chance produces if the null hypothesis "
        f"holds, and the observed one, {Digits.of(r).signed(r.difference)}: {p_text(r)}. "
        f"{favours(r.name_b, r.higher_is_better)}"
    )
    title = "The observed difference among those that chance produces"
    return [Picture("null", title, alt, lambda ax: draw_null(r, distribution, ax, x), narrow=NARROW)]


def _replicates(title: str, alt: str, distribution: Distribution, observed: ObservedValue) -> Picture:
    return Picture("replicates", title, alt, lambda ax: draw_replicates(distribution, observed, ax), narrow=NARROW)


def _difference_axis(r: Comparison | PerClass) -> tuple[str, str]:
    b, a = short_names((r.name_b, r.name_a))
    of = f"{b}/{a} − 1" if isinstance(r, Comparison) and r.relative else f"{b} − {a}"
    return better_side(f"difference in {short_name(r.measure_label, 40)} ({of})", b, r.higher_is_better)


def _tables(r: Comparison) -> list[Picture]:
    names, outcomes, joint = (r.name_a, r.name_b), r.outcomes, r.joint
    if "both_right" not in outcomes:  # scores and values have no tables
        return []
    parts = ("both_right", "only_a_wrong", "only_b_wrong", "both_wrong")
    classes = [ClassOutcomes("all", *(outcomes[part] for part in parts))] if joint is None else list(joint.classes)
    alt = (
        f"Mosaic of {counted(r.n, 'item')}: both right {outcomes['both_right']:,}, only {one_line(r.name_b)} right "
        f"{outcomes['only_a_wrong']:,}, only {one_line(r.name_a)} right {outcomes['only_b_wrong']:,}, both wrong "
        f"{outcomes['both_wrong']:,}."
    )
    title = "Who is right" if joint is None else "Who is right, class by class"
    size = (min(8.0, 5.4 + 0.08 * len(classes)), 4.2)
    tables = [Picture("mosaic", title, alt, lambda ax: draw_mosaic(classes, names, ax, truths=joint is not None), size)]
    if joint is not None:
        a, b = (Confusion(joint.labels, cells) for cells in (joint.confusion_a, joint.confusion_b))
        tables += [confusion_picture("confusion_a", a, r.name_a), confusion_picture("confusion_b", b, r.name_b)]
    return tables


@pictures_of.register
def _pictures_of_per_class(r: PerClass, margin: float | None) -> list[Picture]:
    """All classes, the largest difference on top."""
    return [_forest_of_parts(r, r.classes, "classes" if r.kind == "class" else "labels", margin)]


def _forest_of_parts(
    r: Comparison | PerClass,
    parts: Sequence[PartDifference],
    plural: str,
    margin: float | None,
    below: Row | None = None,
) -> Picture:
    """Return the picture of the differences in all parts, the largest on top, with an optional last row."""
    rows, write = [], digits_of_parts(r, parts).signed
    for part in sorted(parts, key=lambda part: part.adjusted_p):
        note = f"{write(part.difference)}, p {p_number(part.adjusted_p, bound=part.p_is_bound)}"
        rows.append(Row(part.label, part.difference, part.interval, part.decision in SHOWN, note))
    significant = sorted((row for row in rows if row.strong), key=lambda row: -row.value)
    alt = (
        f"Differences in {one_line(r.measure_label)} ({pair_label(r.name_a, r.name_b)}) in {len(rows)} {plural}, shown "
        f"in {len(significant)} of them at {level(r):g} with p corrected"
    )
    alt += f": {listed(significant, differences=True)}. " if significant else ". "
    alt += favours(r.name_b, r.higher_is_better)
    return difference_picture(rows, "forest", _difference_axis(r), alt, margin, level(r), below)


@pictures_of.register
def _pictures_of_gate(r: Gate, margin: float | None) -> list[Picture]:
    """Every check against its margin, with gains in margins so that measures share one axis."""
    rows = []
    for check in r.checks:
        sign = (1.0 if check.higher_is_better else -1.0) / check.margin
        ends = sorted((sign * check.interval.low, sign * check.interval.high))
        mirrored: dict[Side, Side] = {"lower": "upper", "upper": "lower"} if sign < 0 else {}
        interval = replace(
            check.interval, low=ends[0], high=ends[1], side=mirrored.get(check.interval.side, check.interval.side)
        )
        decided = check.outcome in ("pass", "fail")
        rows.append(Row(check.name, sign * check.difference, interval, decided, check.outcome))
    outcomes = "; ".join(f"{one_line(row.label)} {row.value:+.2f} margins, {row.note}" for row in rows)
    alt = f"Gains of {one_line(r.name_b)} over {one_line(r.name_a)} in units of each check's margin. {outcomes}."
    x = ("gain in margins", "[hatched: within the margin]")
    key = Marks("decided", "not decided", "interval")
    drawn, title, alt = first_rows(rows, "Every check against its margin", alt)

    def draw(ax: Axes) -> Axes:
        return draw_forest(drawn, ax, x=x, zero=0.0, margin=1.0, key=key)

    return [Picture("checks", title, alt, draw, forest_size(len(drawn)), narrow=narrow_size(len(drawn)))]


@pictures_of.register
def _pictures_of_folds(r: FoldComparison, margin: float | None) -> list[Picture]:
    """Every fold."""
    sign = 1 if r.higher_is_better else -1
    better = sum(sign * difference > 0 for difference in r.differences)
    write = Digits.of(r).signed
    interval = "" if empty_interval(r) else f", {interval_name(r.interval)} {interval_text(r.interval, write)}"
    alt = (
        f"Differences in {one_line(r.measure_label)} ({pair_label(r.name_a, r.name_b)}) over {r.n:,} folds: mean "
        f"{write(r.difference)}{interval}; {one_line(r.name_b)} is better in {better:,} of them. "
        f"{favours(r.name_b, r.higher_is_better)}"
    )
    title = "Differences fold by fold"
    return [Picture("folds", title, alt, lambda ax: draw_folds(r, ax, margin), narrow=NARROW)]


LOWER_IS_BETTER = " Lower is better."


@pictures_of.register
def _pictures_of_estimate(r: Estimate, margin: float | None) -> list[Picture]:
    """The replicates if there are some, the interval, the confusion matrix."""
    label, name = one_line(r.measure_label), one_line(r.name)
    write = Digits.of_interval(r.interval, r.estimate).number
    value = f"{label} of {name}: {write(r.estimate)}, {interval_name(r.interval)} {interval_text(r.interval, write)}."
    rows = [Row(r.name, r.estimate, r.interval, True, write(r.estimate))]
    value += "" if r.higher_is_better else LOWER_IS_BETTER
    x = value_axis(short_name(label, 40), r.higher_is_better)
    title, key = capital(f"{label} of {name} with its interval"), _values_key(r.interval)
    drawn = [value_picture(rows, "interval", x, title, value, key)]
    distribution = r.distribution
    if distribution is not None:
        replicates = REPLICATES[distribution.kind]
        alt = f"Histogram of {distribution.values.size:,} {replicates}. {value}"
        title = f"{capital(replicates)} of the {label} of {name}"
        across = value_axis(f"{short_name(r.measure_label, 40)} of {short_name(r.name)}", r.higher_is_better)
        observed = ObservedValue(r.estimate, r.interval, across)
        drawn.insert(0, _replicates(title, alt, distribution, observed))
    if r.confusion is not None:
        drawn.append(confusion_picture("confusion", r.confusion, r.name))
    return drawn


@pictures_of.register
def _pictures_of_against_chance(r: AgainstChance, margin: float | None) -> list[Picture]:
    """The confusion matrix unless it is very large, and the recall of every class against chance."""
    rows = [Row("all items", r.efficiency, r.interval, True, f"{r.right:,} of {r.n:,}")]
    for recall in r.recalls:
        if recall.recall is not None:  # a class that never occurs has no recall
            rows.append(Row(recall.label, recall.recall, recall.interval, False, f"{recall.right:,} of {recall.n:,}"))
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
def _pictures_of_leaderboard(r: Leaderboard, margin: float | None) -> list[Picture]:
    """Places, values, and pairs."""
    label = one_line(r.measure_label)
    ranges = [f"{one_line(m.name)} {m.rank} ({m.best_rank} to {m.worst_rank})" for m in r.models]
    places = name_list(ranges, 12)
    title, alt = f"Ranks by {label}, and how certain they are", f"Rank, and its range: {places}."
    models, title, alt = first_rows(r.models, title, alt)
    across = f"rank by {short_name(r.measure_label, 40)}, and its range"
    size, narrow = forest_size(len(models)), narrow_size(len(models))
    standings = Picture("ranks", title, alt, lambda ax: draw_standings(models, ax, across), size, narrow=narrow)
    rows = [Row(m.name, m.estimate, m.interval, True, number(m.estimate)) for m in r.models]
    alt = f"{label} with {interval_name(r.interval)}: {listed(rows, most=12)}."
    alt += "" if r.higher_is_better else LOWER_IS_BETTER
    x = value_axis(short_name(label, 40), r.higher_is_better)
    title = capital(f"{label} of every model with its interval")
    values = value_picture(rows, "values", x, title, alt, _values_key(r.interval))
    pairs = []
    for pair in sorted(r.pairs, key=lambda pair: pair.adjusted_p):
        p = f"p {p_number(pair.adjusted_p, bound=pair.p_is_bound)}"
        pairs.append(pair_row(pair.a, pair.b, pair.difference, pair.interval, pair.shown, p))
    significant = [row for row in pairs if row.strong]
    alt = f"{len(significant)} of {len(pairs)} pairs are shown to differ in {label} at {level(r):g}"
    alt += f": {listed(significant, differences=True)}." if significant else "."
    alt += f" {favours('the first of the two', r.higher_is_better)}"
    axis = better_side(f"difference in {short_name(label, 40)}", "first of the two", r.higher_is_better)
    differences = difference_picture(pairs, "pairs", axis, alt, margin, level(r))
    return [standings, values, differences] if margin is None else [differences, standings, values]


@pictures_of.register
def _pictures_of_curves(r: ScoreCurves, margin: float | None) -> list[Picture]:
    """The curve that was asked for."""
    areas = name_list(
        [
            f"{one_line(model.name)}: AUC {number(model.auc)} ({interval_text(model.auc_interval)}), average precision "
            f"{number(model.average_precision)}, equal error rate {100 * model.equal_error.eer:.3g} % "
            f"({interval_text(model.eer_interval)})"
            for model in r.models
        ],
        12,
    )
    kind = {"roc": "ROC", "det": "DET", "pr": "Precision–recall"}[r.kind]
    title = f"{kind} curve{'s' if len(r.models) > 1 else ''}{' with bands' if r.models[0].bands is not None else ''}"
    return [Picture(r.kind, title, f"{title}. {areas}.", lambda ax: draw_curve(r, ax), curve_size(r))]


@pictures_of.register
def _pictures_of_data_sets(r: DataSetComparison, margin: float | None) -> list[Picture]:
    """The average ranks, joined by the verdict's test and by Nemenyi's, and the pairs."""
    ranks = name_list([f"{one_line(name)} {rank:.2f}" for name, rank in ranking(r)], 60)
    alt = f"Average ranks over {r.n} data sets, 1 is best: {ranks}."
    joined = f"{alt} Not told apart by {pairs_judged_by(r)} at {level(r):g}: {indistinct_groups(r.groups)}."
    size = diagram_size(layout(r))
    diagram = Picture("average_ranks", "Average ranks", joined, lambda ax: draw_diagram(r, ax), size, bare=True)
    joined = (
        f"{alt} Critical difference {r.critical_difference:.3g} at {level(r):g}. Not told apart by Nemenyi's test: "
    )
    joined += f"{indistinct_groups(r.nemenyi_groups)}."
    title, size = "Critical-difference diagram", diagram_size(layout(r, by_nemenyi=True))
    nemenyi = Picture(
        "critical_difference", title, joined, lambda ax: draw_diagram(r, ax, by_nemenyi=True), size, bare=True
    )
    pairs = []
    for pair in sorted(r.pairs, key=lambda pair: pair.adjusted_p):
        p = f"p {p_number(pair.adjusted_p)}"
        pairs.append(pair_row(pair.name_a, pair.name_b, pair.difference, pair.interval, pair.decision in SHOWN, p))
    alt = f"Middle difference over the data sets with its interval: {listed(pairs, differences=True)}."
    alt += f" {favours('the first of the two', r.higher_is_better)}"
    axis = better_side("middle difference over the data sets", "first of the two", r.higher_is_better)
    return [diagram, nemenyi, difference_picture(pairs, "pairs", axis, alt, None, level(r))]


def _values_key(interval: Interval) -> Marks:
    return Marks("estimate", "", interval_name(interval))
