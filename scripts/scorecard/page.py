"""From the data file to docs/scorecard.md: the defaults first, then every test, then how it was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from scorecard import hard_nulls, words
from scorecard.cells import MEASURED
from scorecard.rows import DOCS, Row, Section

PAGE = DOCS / "scorecard.md"
OFTEN_TOLD = 0.9
COVERAGES = ("coverage", "interval", "estimate", "ranks")
PAGE_KINDS = (("size", 0.05), ("claim", 0.05), ("coverage", 0.95), ("interval", 0.95), ("ranks", 0.95), ("power", 0.05))
ONE_FORM = ("multinomial", "student")  # tests with one method
WIDTHS = (200, 1000)  # the numbers of items for which mean widths are shown


def text(sections: dict[str, Section]) -> str:
    """Return the whole page."""
    rows = {name: section.rows for name, section in sections.items()}
    parts = [words.HEAD, *_defaults(rows), *_by_items(rows), *_every_test(rows), *_others(rows)]
    parts += [*_misses(rows), *_measured(sections)]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


# --- figures --------------------------------------------------------------------------------------------------


def worst(rows: Iterable[Row]) -> Row:
    """Return the row that is furthest out of its band, or nearest to its end; no size is too small."""
    return max(rows, key=_beyond)


def _beyond(row: Row) -> float:
    above = row.value - row.band.high
    return max(above, row.band.low - row.value) if row.kind in COVERAGES else above


def figure(row: Row) -> str:
    """Write a figure in per cent: bold out of its band, with a dagger where results said so, italic if by chance."""
    digits = 1 if row.trials else 3
    shown = f"{100 * row.value:.{digits}f}"
    if not row.missed:
        return f"*{shown}*" if row.doubtful else shown
    return f"**{shown}**{'†' if row.told >= OFTEN_TOLD else ''}"


def table(
    rows: Sequence[Row],
    heads: Sequence[str],
    label: Callable[[Row], tuple[str, ...]],
    across: Callable[[Row], str | int],
) -> str:
    """Return a table of the worst figure for every label (one row each) and every value of ``across``."""
    columns = list(dict.fromkeys(across(row) for row in rows))
    columns = sorted(columns) if all(isinstance(c, int) for c in columns) else columns
    lines = [
        "| " + " | ".join([*heads, *(f"{c:,}" if isinstance(c, int) else c for c in columns)]) + " |",
        "|" + "---|" * len(heads) + "---:|" * len(columns),
    ]
    for name in dict.fromkeys(label(row) for row in rows):
        mine = [row for row in rows if label(row) == name]
        cells = []
        for column in columns:
            here = [row for row in mine if across(row) == column]
            cells.append(figure(worst(here)) if here else "")
        lines.append("| " + " | ".join([*name, *cells]) + " |")
    return "\n".join(lines)


def of(rows: Iterable[Row], kind: str, level: float, *, auto: bool) -> list[Row]:
    """Return the figures of one kind and level: of what ``auto`` takes, or of the tests by name."""
    return [row for row in rows if row.kind == kind and row.level == level and (row.test == "auto") == auto]


# --- the defaults ---------------------------------------------------------------------------------------------


SIZES = {"exchangeable": "exchangeable", "equal": "equal, mild", "hard": "equal, hard"}


def _defaults(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    """Return the table with a row for each default."""
    heads = ["data", "measure", *SIZES.values(), "one-sided", "difference", "estimate", "caveat"]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows.get("defaults", ()):
        groups.setdefault((row.cell.partition(": ")[0], row.measure), []).append(row)
    for (data, measure), mine in groups.items():
        sizes = [[r for r in mine if r.kind == "size" and r.null == null] for null in SIZES]
        cells = [_at_levels(found) for found in (*sizes, [r for r in mine if r.kind == "claim"])]
        cells += [figure(_furthest(r for r in mine if r.kind == kind)) for kind in ("interval", "estimate")]
        lines.append("| " + " | ".join([data, f"`{measure}`", *cells, f"{100 * _furthest(mine).told:.0f}"]) + " |")
    mirrored = ", ".join(f"`{one}` (`{other}`)" for one, other in hard_nulls.SAME_AS.items())
    return [words.DEFAULTS.format(mirrored=mirrored), "\n".join(lines)] if groups else []


def _furthest(rows: Iterable[Row]) -> Row:
    """Return the row that missed its band the furthest, or is nearest to an end of it, chance left aside.

    Cells have different numbers of test sets, and what is allowed to chance would decide which of them is shown.
    """
    return max(rows, key=lambda row: (row.missed, _beyond(replace(row, trials=0))))


def _at_levels(rows: Sequence[Row]) -> str:
    levels = sorted({row.level for row in rows}, reverse=True)
    return " / ".join(figure(_furthest(row for row in rows if row.level == level)) for level in levels)


def _by_items(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    decisions = of(rows.get("size", ()), "size", 0.05, auto=True)
    by_measure = sorted(rows.get("coverage", ()), key=lambda row: MEASURED.index(row.measure))
    covered = of(by_measure, "coverage", 0.95, auto=True)
    power = of(by_measure, "power", 0.05, auto=True)
    parts = [words.BY_ITEMS]
    if decisions:
        parts += [
            words.DEFAULT_SIZE,
            table(decisions, ("measure", "the models are"), lambda r: (_taken(r), words.NULL[r.null]), lambda r: r.n),
        ]
    if covered:
        parts += [
            words.DEFAULT_COVERAGE,
            table(covered, ("measure", "the models"), lambda r: (_taken(r), r.cell), lambda r: r.n),
            words.DEFAULT_POWER,
            table(power, ("measure", "the models"), lambda r: (f"`{r.measure}`", r.cell), lambda r: r.n),
        ]
    return parts


def _taken(row: Row) -> str:
    return f"`{row.measure}`: {row.method}"


# --- every test -----------------------------------------------------------------------------------------------


def _every_test(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    parts = []
    if "mcnemar" in rows:
        enumerated = rows["mcnemar"]
        label = lambda r: (r.method,)  # noqa: E731
        parts += [words.MCNEMAR, table(enumerated, ("form",), label, lambda r: f"largest size at {100 * r.level:g} %")]
    for level in (0.05, 0.01):
        found = of(rows.get("size", ()), "size", level, auto=False)
        if found:
            parts += [
                words.SIZE.format(level=f"{100 * level:g}"),
                table(found, ("test", "measure"), lambda r: (_test(r), f"`{r.measure}`"), lambda r: r.n),
            ]
    covered = of(rows.get("coverage", ()), "coverage", 0.95, auto=False)
    if covered:
        parts += [
            words.COVERAGE,
            table(covered, ("interval", "measure"), lambda r: (_interval(r), f"`{r.measure}`"), lambda r: r.n),
            words.WIDTHS,
            _widths(covered),
            words.POWER,
            table(
                [r for r in of(rows["coverage"], "power", 0.05, auto=False) if r.cell == words.POWER_CELL],
                ("test", "measure"),
                lambda r: (_test(r), f"`{r.measure}`"),
                lambda r: r.n,
            ),
        ]
    return parts


def _test(row: Row) -> str:
    form = row.method and row.test != "auto" and row.method not in ONE_FORM
    return f"`{row.test}`" + (f", {row.method}" if form else "")


def _interval(row: Row) -> str:
    return f"{row.interval} (`{row.test}`)"


def who(row: Row) -> str:
    """Return what a figure is of: an interval, or a test by one of its methods."""
    return _interval(row) if row.kind == "coverage" else _test(row)


def _widths(rows: Sequence[Row]) -> str:
    """Return the mean widths in the cell that stands for the others."""
    here = [row for row in rows if row.cell == words.POWER_CELL and row.n in WIDTHS]
    names = list(dict.fromkeys((_interval(row), row.measure, row.n) for row in here))
    measures = list(dict.fromkeys(row.measure for row in here))
    lines = [
        "| interval | " + " | ".join(f"`{m}`, {n:,}" for m in measures for n in WIDTHS) + " |",
        "|---|" + "---:|" * (2 * len(measures)),
    ]
    found = {(_interval(row), row.measure, row.n): row.width for row in here}
    for interval in dict.fromkeys(name[0] for name in names):
        cells = [found.get((interval, m, n)) for m in measures for n in WIDTHS]
        lines.append(f"| {interval} | " + " | ".join("" if w is None else f"{w:.3f}" for w in cells) + " |")
    return "\n".join(lines)


# --- other data -----------------------------------------------------------------------------------------------


def _others(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    parts = []
    for name, told in words.OTHERS.items():
        if name not in rows:
            continue
        parts.append(told)
        for kind, level in PAGE_KINDS:
            found = [row for row in rows[name] if row.kind == kind and row.level == level]
            if found and name == "powers":
                by_test = table(found, ("data",), lambda r: (r.cell,), lambda r: f"`{r.test}`")
                parts += [words.KINDS[kind], by_test]
            elif found:
                parts += [words.KINDS[kind], _by_cells("interval" if kind in COVERAGES else "test", found)]
    return parts


def _by_cells(head: str, rows: Sequence[Row]) -> str:
    """Return a table with a column for each cell, or for each number of items where that would be too many."""
    cells = dict.fromkeys(row.cell for row in rows)
    if len({(row.cell, row.n) for row in rows}) == len(cells):
        return table(rows, (head, "measure"), lambda r: (who(r), f"`{r.measure}`"), lambda r: r.cell)
    ordered = sorted(rows, key=lambda row: (list(cells).index(row.cell), row.measure))
    return table(ordered, ("data", "measure", head), lambda r: (r.cell, f"`{r.measure}`", who(r)), lambda r: r.n)


# --- misses and making ----------------------------------------------------------------------------------------


def _misses(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    lines = ["| data | figure | of | measure | missed cells | worst | where |", "|---|---|---|---|---:|---:|---|"]
    for name, found in rows.items():
        groups: dict[tuple[str, str, str, float], list[Row]] = {}
        for row in found:
            groups.setdefault((row.kind, who(row), row.measure, row.level), []).append(row)
        for (kind, what, measure, level), mine in groups.items():
            missed = [row for row in mine if row.missed]
            if missed:
                bad = worst(missed)
                where = f"{bad.cell}, {words.NULL[bad.null]}, N = {bad.n:,}"
                lines.append(
                    f"| {name} | {kind}, {100 * level:g} % | {what} | `{measure}` | {len(missed)} of {len(mine)} | "
                    f"{figure(bad)} | {where} |"
                )
    return [words.MISSES, "\n".join(lines)]


def _measured(sections: dict[str, Section]) -> list[str]:
    lines = [
        "| section | figures | test sets a cell | seconds | seed | version | commit |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for name, part in sections.items():
        trials = max((row.trials for row in part.rows), default=0)
        often = f"{trials:,}" if trials else "enumerated"
        lines.append(
            f"| {name} | {len(part.rows):,} | {often} | {part.seconds:.0f} | {part.seed} | {part.version} |"
            f" {part.commit} |"
        )
    return [words.MEASURED, "\n".join(lines)]
