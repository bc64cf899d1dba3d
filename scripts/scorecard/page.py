"""From the data file to docs/scorecard.md: the defaults first, then tests by name, then how it was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from scorecard import hard_nulls, serial, words
from scorecard.contradictions import OF_RESULTS, OF_VERBS
from scorecard.rows import DOCS, Row, Section
from scorecard.trials import DUAL, IN_ONE_ROW

PAGE = DOCS / "scorecard.md"
OFTEN_TOLD = 0.9
COVERAGES = ("coverage", "interval", "estimate", "ranks")
PAGE_KINDS = (("size", 0.05), ("claim", 0.05), ("coverage", 0.95), ("interval", 0.95), ("ranks", 0.95), ("power", 0.05))
BY_TEST = ("powers", "unpaired", "slices")  # a row for each cell, a column for each test
ONE_FORM = ("multinomial", "student")  # tests with one method
LEVELS = (0.05, 0.01)


def text(sections: dict[str, Section]) -> str:
    """Return the whole page."""
    rows = {name: section.rows for name, section in sections.items()}
    parts = [
        words.HEAD,
        *_defaults(rows),
        *_unseen(rows.get("unseen", ())),
        *_serial(rows.get("serial", ())),
        *_parts(rows, words.OF_DEFAULTS),
        *_contradictions(rows),
    ]
    parts += [*_by_name(rows), *_parts(rows, words.OF_TESTS), *_measured(sections)]
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
        return f"*{shown}*" if row.carries_caveats else shown
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


def _unseen(rows: Sequence[Row]) -> list[str]:
    """Return what rare failures that were missed do, and what allowing for them costs on ordinary data."""
    if not rows:
        return []
    rare = [row for row in rows if row.null in ("hard", "alone")]
    lines = ["| data | measure | units | false alarms | coverage | warned |", "|---|---|---:|---:|---:|---:|"]
    for row in rare:
        alarms, covered = ("", figure(row)) if row.kind == "estimate" else (figure(row), "")
        name = (row.cell, f"`{row.measure}`", f"{row.n:,}")
        lines.append("| " + " | ".join([*name, alarms, covered, f"{100 * row.told:.0f}"]) + " |")
    heads = ("data", "items", "size", "by name", "power", "by name", "warned")
    ordinary = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    others = [row for row in rows if row not in rare]
    for cell, n in dict.fromkeys((row.cell, row.n) for row in others):
        mine = [row for row in others if (row.cell, row.n) == (cell, n)]
        told = max(row.told for row in mine)
        figures = [figure(row) for row in mine] if len(mine) == 4 else [""] * 4
        rival = next(row.test for row in mine if row.test != "auto")
        ordinary.append("| " + " | ".join([f"{cell}, `{rival}`", f"{n:,}", *figures, f"{100 * told:.0f}"]) + " |")
    return [words.UNSEEN, "\n".join(lines), words.ORDINARY, "\n".join(ordinary)]


def _serial(rows: Sequence[Row]) -> list[str]:
    """Return what an order in time does, with and without ``order=``, and how often rows are asked about in vain."""
    if not rows:
        return []
    lines = ["| data | items | default | warned | `order=` |", "|---|---:|---:|---:|---:|"]
    in_vain = ["| rows | items | asked |", "|---|---:|---:|"]
    for cell, n in dict.fromkeys((row.cell, row.n) for row in rows):
        mine = {row.test: row for row in rows if (row.cell, row.n) == (cell, n)}
        if "auto" in mine:
            alarms = mine["auto"]
            shown = (figure(alarms), f"{100 * alarms.told:.0f}", figure(mine[serial.IN_ORDER]))
            lines.append("| " + " | ".join([cell, f"{n:,}", *shown]) + " |")
        if "auto" not in mine or "ρ = 0," in f"{cell},":
            name = f"independent, {mine[serial.QUESTION].measure}" if "auto" in mine else f"sorted {cell}"
            in_vain.append("| " + " | ".join([name, f"{n:,}", figure(mine[serial.QUESTION])]) + " |")
    return [words.SERIAL, "\n".join(lines), words.ASKED_IN_VAIN, "\n".join(in_vain)]


def _furthest(rows: Iterable[Row]) -> Row:
    """Return the row that missed its band the furthest, or is nearest to an end of it, chance left aside.

    Cells have different numbers of test sets, and what is allowed to chance would decide which of them is shown.
    """
    return max(rows, key=lambda row: (row.missed, _beyond(replace(row, trials=0))))


def _at_levels(rows: Sequence[Row]) -> str:
    levels = sorted({row.level for row in rows}, reverse=True)
    return " / ".join(figure(_furthest(row for row in rows if row.level == level)) for level in levels)


# --- tests by name -----------------------------------------------------------------------------------------------


def _by_name(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    """Return the tests of decisions of two classes: the default and every test by name, on the same test sets."""
    parts = [words.BY_NAME]
    if "mcnemar" in rows:
        label = lambda r: (r.method,)  # noqa: E731
        across = lambda r: f"largest size at {100 * r.level:g} %"  # noqa: E731
        parts += [words.MCNEMAR, table(rows["mcnemar"], ("form",), label, across)]
    by_test = lambda r: (_test(r), f"`{r.measure}`")  # noqa: E731
    sizes = [row for row in rows.get("size", ()) if row.level == LEVELS[0]]
    if sizes:
        parts += [words.SIZE, table(sizes, ("test", "measure"), by_test, lambda r: f"{r.null}, {r.n:,}")]
    found = rows.get("coverage", ())
    covered = [row for row in found if row.kind == "coverage"]
    if covered:
        by_interval = lambda r: (_interval(r), f"`{r.measure}`")  # noqa: E731
        power = [row for row in found if row.kind == "power" and row.cell == words.POWER_CELL]
        parts += [
            words.COVERAGE,
            table(covered, ("interval", "measure"), by_interval, lambda r: r.n),
            words.POWER,
            table(power, ("test", "measure"), by_test, lambda r: r.n),
        ]
    return parts


def _test(row: Row) -> str:
    form = row.method and row.test not in ("auto", *IN_ONE_ROW) and row.method not in ONE_FORM
    return f"`{row.test}`" + (f", {row.method}" if form else " (default)" if row.test == DUAL else "")


def _interval(row: Row) -> str:
    return f"{row.interval} (`{row.test}`)"


def who(row: Row) -> str:
    """Return what a figure is of: an interval, or a test by one of its methods."""
    return _interval(row) if row.kind == "coverage" else _test(row)


# --- other data -----------------------------------------------------------------------------------------------


def _parts(rows: dict[str, tuple[Row, ...]], told_of: dict[str, str]) -> list[str]:
    """Return sections that have a text and tables of one form."""
    parts = []
    for name, told in told_of.items():
        if name not in rows:
            continue
        if name == "rank":
            parts += [told.format(boards=_numbers_of_boards(rows[name])), _boards(rows[name])]
            continue
        parts.append(told)
        if name == "ledger":  # whose level is another one at every use
            parts.append(table(rows[name], ("F1 of B, and what the gate does",), lambda r: (r.cell,), lambda r: r.test))
            continue
        for kind, level in PAGE_KINDS:
            found = [row for row in rows[name] if row.kind == kind and row.level == level]
            if found and name in BY_TEST:
                by_test = table(found, ("data",), lambda r: (r.cell,), lambda r: f"`{r.test}`")
                parts += [words.KINDS[kind], by_test]
            elif found and name == "unstable":
                by_learner = table(found, ("folds", "test"), lambda r: (r.cell, _test(r)), lambda r: r.n)
                parts += [words.KINDS[kind], by_learner]
            elif found and name == "learners":  # the worst of the learners and feature sets
                by_design = table(
                    found, ("folds", "test"), lambda r: (r.cell.rpartition(": ")[0], _test(r)), lambda r: r.n
                )
                parts += [words.KINDS[kind], by_design]
            elif found:
                parts += [words.KINDS[kind], _by_cells("interval" if kind in COVERAGES else "test", found)]
    return parts


def _numbers_of_boards(rows: Sequence[Row]) -> str:
    """Say how many boards of each size were drawn."""
    found = {row.cell.partition(" models")[0]: row.trials for row in rows}
    told = [f"{found[m]:,} boards of {m} models" for m in sorted(found, key=int)]
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _boards(rows: Sequence[Row]) -> str:
    """Return a table of the boards: false findings and ranks of each correction."""
    heads = {"size": "false findings", "ranks": "ranks"}
    return table(
        rows,
        ("board", "measure", "items"),
        lambda r: (r.cell, f"`{r.measure}`", f"{r.n:,}"),
        lambda r: f"{words.CORRECTIONS[r.test]}: {heads[r.kind]}",
    )


def _contradictions(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    """Return how many data sets of each kind there were, and how many results contradicted each other."""
    found = rows.get("contradictions", ())
    head = ("data", "measures", "data sets", OF_RESULTS, "ranked, too", OF_VERBS)
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "---:|" * 4]
    total = [0, 0, 0, 0]
    for data in dict.fromkeys(row.cell.partition(": ")[0] for row in found):
        mine = [row for row in found if row.cell.startswith(f"{data}: ")]
        counts = []
        for what in (OF_RESULTS, OF_VERBS):
            these = [row for row in mine if row.cell.endswith(what)]
            counts += [sum(row.trials for row in these), sum(round(row.value * row.trials) for row in these)]
        total = [sum(pair) for pair in zip(total, counts, strict=True)]
        measures = ", ".join(f"`{measure}`" for measure in dict.fromkeys(row.measure for row in mine))
        lines.append(f"| {data} | {measures} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    lines.append("| all | | " + " | ".join(f"{count:,}" for count in total) + " |")
    return [words.CONTRADICTIONS, "\n".join(lines)] if found else []


def _by_cells(head: str, rows: Sequence[Row]) -> str:
    """Return a table with a column for each cell, or for each number of items where that would be too many."""
    cells = dict.fromkeys(row.cell for row in rows)
    if len({(row.cell, row.n) for row in rows}) == len(cells):
        return table(rows, (head, "measure"), lambda r: (who(r), f"`{r.measure}`"), lambda r: r.cell)
    ordered = sorted(rows, key=lambda row: (list(cells).index(row.cell), row.measure))
    return table(ordered, ("data", "measure", head), lambda r: (r.cell, f"`{r.measure}`", who(r)), lambda r: r.n)


# --- making ---------------------------------------------------------------------------------------------------


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
