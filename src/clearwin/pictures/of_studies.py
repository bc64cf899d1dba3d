"""Pictures of a study of tests: power, calibration, coverage, size, and the confidence beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clearwin.pictures.drawing import Picture, short_name, short_names
from clearwin.pictures.forest import MOST_ROWS, Key, Row, draw_forest, forest_size
from clearwin.pictures.studies import BARS, ERRORS_SHOWN, MOST_LINES, Line, draw_confidence, draw_lines
from clearwin.result import Interval
from clearwin.story import one_line
from clearwin.study_record import ConfidenceRow, Study
from clearwin.verdict import few

# the truth is one fixed difference: with a large one the winner is right nearly always, whatever is stated
NOT_ON_THE_DIAGONAL = " These shares need not be as large as the confidence stated."
BARS_IN_WORDS = f" Bars reach {ERRORS_SHOWN:g} Monte-Carlo standard errors to either side."
LEVEL = 0.05  # the alpha that is drawn, or the nearest one that was studied


def of_study(r: Study) -> list[Picture]:
    """All of these that the study has rows for."""
    alpha = min(r.alphas, key=lambda alpha: abs(alpha - LEVEL))
    power = [row for row in r.power if row.alpha == alpha]
    winner = [point for point in r.calibration if point.kind == "winner"]
    level = [point for point in r.calibration if point.kind == "level"]
    made = []
    if power:
        title = f"Power at {alpha:g} by the size of the test set"
        axes = ("items in a test set", f"share that finds the difference at {alpha:g}")
        if r.unit == "group":
            axes = ("items in a test set of whole groups, on average", axes[1])
        made.append(_curves("power", title, _lines(r, power, "test_size"), axes))
    if winner:
        title = "How often the named winner is the true one, by the confidence stated"
        axes = ("confidence in the named winner (mean of a bin)", "share in which it is the true winner")
        made.append(_curves("calibration", title, _lines(r, winner, "stated"), axes, note=NOT_ON_THE_DIAGONAL))
    if level:
        title = "How often intervals hold the true difference, by their level"
        axes = ("level of the interval", "share that holds the true difference")
        made.append(_curves("coverage", title, _lines(r, level, "stated"), axes, diagonal=True))
    return [*made, *_size(r, alpha), *confidence_picture(r.confidence)]


def _lines(r: Study, rows: Sequence[Any], x: str) -> list[Line]:
    """Return a line for each test and category set; it looks the same in every picture of the study."""
    several = len(r.confidence) > 1
    keys = [(one.category_set, test.name) for one in r.confidence for test in r.tests]
    made = []
    for number, (category_set, test) in enumerate(keys):
        mine = [row for row in rows if (row.category_set, row.test) == (category_set, test)]
        if mine:
            mine.sort(key=lambda row: getattr(row, x))
            at, values, errors = zip(*((float(getattr(row, x)), row.value, row.error) for row in mine), strict=True)
            label = f"{test}, {category_set}" if several else test
            made.append(Line(label, at, values, errors, number % MOST_LINES))
    return made


def _curves(
    name: str, title: str, lines: list[Line], axes: tuple[str, str], *, diagonal: bool = False, note: str = ""
) -> Picture:
    words = []
    for line in lines:
        points = ", ".join(f"{value:.3f} at {at:.4g}" for at, value in zip(line.x, line.y, strict=True))
        words.append(f"{one_line(line.label)}: {points}")
    alt = f"{title}. {'; '.join(words[:MOST_LINES])}.{note}{BARS_IN_WORDS}"
    if len(lines) > MOST_LINES:
        title += f", the first {MOST_LINES} of {len(lines)} lines"
        alt += f" Drawn are the first {MOST_LINES} of {len(lines)}."
    x, y = axes
    return Picture(name, title, alt, lambda ax: draw_lines(lines, ax, x=x, y=y, diagonal=diagonal), (5.2, 4.4))


def _size(r: Study, alpha: float) -> list[Picture]:
    rows = []
    several = len({row.category_set for row in r.size}) > 1
    sets = list(dict.fromkeys(row.category_set for row in r.size))
    short = dict(zip(sets, short_names(sets, 12), strict=True))
    for row in r.size:
        if row.alpha != alpha:
            continue
        # a Monte-Carlo error, not a confidence interval of the data
        half = ERRORS_SHOWN * row.error
        interval = Interval(max(0.0, row.value - half), row.value + half, 0.95, "two Monte-Carlo errors")
        where = f"{row.test}, {row.null}" + (f", {row.category_set}" if several else "")
        drawn = f"{short_name(row.test)}, {row.null}" + (f", {short[row.category_set]}" if several else "")
        rows.append(Row(where, row.value, interval, row.above, f"{row.value:.3f} ± {row.error:.3f}", drawn))
    if not rows:
        return []
    title = f"How often a difference is found at {alpha:g} where there is none"
    alt = f"{title}: " + few([f"{one_line(row.label)} {row.note}" for row in rows], 12)
    alt += f", ± one Monte-Carlo standard error.{BARS_IN_WORDS}"
    first = rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        title += f", the first {MOST_ROWS} of {len(rows):,}"
        alt += f" Drawn are the first {MOST_ROWS}."
    key = Key("above by more than Monte-Carlo error", "not above", BARS)
    x = (f"share that finds a difference (dotted: {alpha:g}, as stated)", "numbers: ± 1 standard error")
    size = forest_size(len(first))
    return [Picture("size", title, alt, lambda ax: draw_forest(first, ax, x=x, zero=alpha, key=key), size)]


def confidence_picture(table: Sequence[ConfidenceRow]) -> list[Picture]:
    """Return keller2004's Table 3 as a picture, unless no row of it has both columns."""
    known = [row for row in table if row.confidence is not None and row.value is not None]
    rows = known[:MOST_ROWS]
    if not rows:
        return []
    title = "The confidence on one test set beside how often its winner wins"
    if len(known) > MOST_ROWS:
        title += f", the first {MOST_ROWS} of {len(known):,}"
    alt = (
        f"{title}: "
        + few([f"{one_line(row.category_set)} {row.confidence:.3f}, {row.value:.3f}" for row in rows])
        + f".{BARS_IN_WORDS}"
    )
    return [Picture("confidence", title, alt, lambda ax: draw_confidence(rows, ax), (5.6, 1.4 + 0.3 * len(rows)))]
