"""Pictures of results about two models: comparisons, classes, folds."""

from __future__ import annotations

from collections.abc import Sequence

from clearwin.numerics.intervals import alpha_of
from clearwin.plots.confusion import confusion_picture, draw_mosaic
from clearwin.plots.differences import Seen, draw_folds, draw_null, draw_replicates
from clearwin.plots.drawing import HeldAgainst, Picture, better_side, pictures_of, short_name, short_names
from clearwin.plots.forest import (
    MOST_ROWS,
    Marks,
    Row,
    against_margin,
    draw_forest,
    forest_size,
    listed,
    models,
    pair_row,
    side_in_words,
    with_interval,
)
from clearwin.results.comparison import ClassOutcomes, Comparison, Confusion, PerClass
from clearwin.results.folds import FoldComparison
from clearwin.text import counted, one_line
from clearwin.wording.folds import empty_interval
from clearwin.wording.numbers import interval_name, interval_text, number, p_number, p_text, signed


@pictures_of.register
def _(r: Comparison, against: HeldAgainst) -> list[Picture]:
    """The replicates or the null distribution, the interval, and the tables; with a margin the interval first."""
    alpha = alpha_of(r.interval.level) if against.alpha is None else against.alpha
    told = f"{models(r.name_a, r.name_b)}: {with_interval(r.difference, r.interval)}. {side_in_words(r)}"
    row = pair_row(r.name_a, r.name_b, r.difference, r.interval, r.p_value <= alpha, p_text(r))
    x = better_side(f"difference in {short_name(r.measure_label, 40)}", short_name(r.name_b), r.higher_is_better)
    judged = f"{told} {p_text(r)}, {'at most' if row.strong else 'more than'} {alpha:g}."
    interval = difference_picture([row], "interval", x, judged, against.margin, alpha)
    drawn = _distribution(r, told, against.margin)
    first = [*drawn, interval] if against.margin is None else [interval, *drawn]
    return [*first, *_tables(r)]


def _distribution(r: Comparison, told: str, margin: float | None) -> list[Picture]:
    """The replicates, or the differences under the null hypothesis."""
    found = r.distribution
    if found is None or found.kind == "posterior":
        return []
    label = one_line(r.measure_label)
    b, a = short_names((r.name_b, r.name_a))
    x = better_side(f"difference in {short_name(r.measure_label, 40)} ({b} − {a})", b, r.higher_is_better)
    if found.kind == "bootstrap":
        alt = f"Histogram of {found.values.size:,} bootstrap replicates of the difference in {label}. {told}"
        title = f"Bootstrap replicates of the difference in {label}"
        seen = Seen(r.difference, r.interval, x, zero=0.0, margin=margin)
        return [Picture("replicates", title, alt, lambda ax: draw_replicates(found, seen, ax))]
    alt = (
        f"The differences in {label} ({models(r.name_a, r.name_b)}) that chance makes if the null "
        f"hypothesis holds, and the observed one, {signed(r.difference)}: {p_text(r)}. {side_in_words(r)}"
    )
    title = "The observed difference among those that chance makes"
    return [Picture("null", title, alt, lambda ax: draw_null(r, found, ax, x))]


def _tables(r: Comparison) -> list[Picture]:
    names, found, joint = (r.name_a, r.name_b), r.outcomes, r.joint
    if "both_right" not in found:  # scores and values
        return []
    parts = ("both_right", "only_a_wrong", "only_b_wrong", "both_wrong")
    classes = [ClassOutcomes("all", *(found[part] for part in parts))] if joint is None else list(joint.classes)
    alt = (
        f"Mosaic of {counted(r.n, 'item')}: both right {found['both_right']:,}, only {one_line(r.name_b)} right "
        f"{found['only_a_wrong']:,}, only {one_line(r.name_a)} right {found['only_b_wrong']:,}, both wrong "
        f"{found['both_wrong']:,}."
    )
    title = "Who is right" if joint is None else "Who is right, class by class"
    size = (min(8.0, 5.4 + 0.08 * len(classes)), 4.2)
    made = [Picture("mosaic", title, alt, lambda ax: draw_mosaic(classes, names, ax, truths=joint is not None), size)]
    if joint is not None:
        a, b = (Confusion(joint.labels, cells) for cells in (joint.confusion_a, joint.confusion_b))
        made += [confusion_picture("confusion_a", a, r.name_a), confusion_picture("confusion_b", b, r.name_b)]
    return made


@pictures_of.register
def _(r: PerClass, against: HeldAgainst) -> list[Picture]:
    """All classes, the largest difference on top."""
    alpha = alpha_of(r.interval.level) if against.alpha is None else against.alpha
    rows = []
    for one in sorted(r.classes, key=lambda one: one.adjusted_p):
        strong, note = one.adjusted_p <= alpha and one.difference != 0.0, p_number(one.adjusted_p)
        rows.append(Row(one.label, one.difference, one.interval, strong, f"{signed(one.difference)}, p {note}"))
    shown = sorted((row for row in rows if row.strong), key=lambda row: -row.value)
    label, many = one_line(r.measure_label), "classes" if r.kind == "class" else "labels"
    alt = (
        f"Differences in {label} ({models(r.name_a, r.name_b)}) in {len(rows)} {many}, {len(shown)} of them with a "
        f"corrected p of at most {alpha:g}"
    )
    alt += f": {listed(shown, signed)}. " if shown else ". "
    b, a = short_names((r.name_b, r.name_a))
    x = better_side(f"difference in {short_name(r.measure_label, 40)} ({b} − {a})", b, r.higher_is_better)
    return [difference_picture(rows, "forest", x, alt + side_in_words(r), against.margin, alpha)]


@pictures_of.register
def _(r: FoldComparison, against: HeldAgainst) -> list[Picture]:
    """Every fold."""
    sign = 1 if r.higher_is_better else -1
    better = sum(sign * difference > 0 for difference in r.differences)
    interval = "" if empty_interval(r) else f", {interval_name(r.interval)} {interval_text(r.interval, signed)}"
    alt = (
        f"Differences in {one_line(r.measure_label)} ({models(r.name_a, r.name_b)}) over {r.n:,} folds: mean "
        f"{signed(r.difference)}{interval}; {one_line(r.name_b)} is better in {better:,} of them. "
        f"{side_in_words(r)}"
    )
    return [Picture("folds", "Differences fold by fold", alt, lambda ax: draw_folds(r, ax, against.margin))]


def difference_picture(
    rows: Sequence[Row], name: str, x: tuple[str, ...], alt: str, margin: float | None, alpha: float
) -> Picture:
    """Return the picture of differences against zero, and against a margin if there is one; the largest on top.

    Marks say which p is at most ``alpha``; it is corrected where there are several, unlike intervals. Of very many rows
    the first are drawn.
    """
    several = len(rows) > 1
    p = "corrected p" if several else "p"
    interval = next(interval_name(row.interval) for row in rows if row.interval is not None)
    key = Marks(f"{p} ≤ {alpha:g}", f"{p} > {alpha:g}", f"{interval}{', not corrected' if several else ''}")
    alt += " The intervals are not corrected." if several else ""
    title = "Differences with their intervals" if several else "The difference with its interval"
    if margin is not None:
        title += " and the margin"
        x = (*x, f"[hatched: margin of ±{number(margin)}]")
        alt += f" {against_margin(rows, margin)}"
    if len(rows) > MOST_ROWS:
        title += f", the {MOST_ROWS} of {len(rows):,} with the smallest p"
        alt += f" Drawn are the {MOST_ROWS} with the smallest p."
    drawn = sorted(rows[:MOST_ROWS], key=lambda row: -row.value)
    size = forest_size(len(drawn))
    return Picture(name, title, alt, lambda ax: draw_forest(drawn, ax, x=x, zero=0.0, margin=margin, key=key), size)
