"""From a study to words: the verdict on each test first, then the paper's table and the others."""

from __future__ import annotations

from clearwin.methods import Name, call, spelled, study_rows
from clearwin.story import Block, Story, Table, Words, printable, table
from clearwin.study_record import PowerRow, Study
from clearwin.study_verdicts import details, headline, sets_of
from clearwin.study_verdicts import share as _share
from clearwin.verdict import number


def sentence(study: Study) -> str:
    """Say of every test whether it can be trusted on data like these, and what was seen of it."""
    return printable(" ".join([headline(study), *_details(study)]))


def _details(study: Study) -> list[str]:
    return [details(study, test.name) for test in study.tests]


def story(study: Study) -> Story:
    """Return what the study tells, in parts: the verdict on each test, the tables, what it rests on."""
    blocks: list[Block] = [_table3(study), _size_table(study), _coverage_table(study)]
    blocks += [_power_table(study)] if study.power else []
    return Story(
        opening=(headline(study), *_details(study)), verdict=" ".join(_details(study)),
        blocks=(*blocks, _calibration_table(study), Words(_how(study))), null_hypothesis="",
        caveats=tuple(map(str, study.caveats)), method=study_rows(study.measure, study.measure_label),
        call=_call(study),
    )  # fmt: skip


def _call(study: Study) -> str:
    """Write the call in Python that gives the same; the data stand under the names of the parameters."""
    options = dict(study.options)
    columns = {"groups": study.unit == "group", "strata": options.pop("strata"), "test_set": study.own_test_set}
    return call(
        "study", "truth, a, b", measure=spelled(study.measure), tests=tuple(test.name for test in study.tests),
        test_size=study.test_size, n_sets=study.n_sets, sizes=study.sizes, alphas=study.alphas, **options,
        **{name: Name(name) for name, there in columns.items() if there},
        stratified=True if study.stratified else None, n_resamples=study.signature.settings["n_resamples"],
        confidence_level=study.confidence_level, rng=study.signature.seed, names=(study.name_a, study.name_b),
    )  # fmt: skip


def _title(study: Study) -> str:
    return (
        f"{study.name_a} and {study.name_b} in {study.measure_label}: {study.n_sets:,} {sets_of(study)} drawn from "
        f"{study.n:,} items. Beside the confidence on one of them, how often its winner wins"
    )


def _table3(study: Study) -> Table:
    """The table of keller2004: stated confidence beside how often it was right."""
    head = ["Category set", "Leader", "Bootstrap confidence", "Wins on sets drawn", "Ties", study.name_a, study.name_b]
    lines = [head]
    for row in study.confidence:
        confidence = "-" if row.confidence is None else _share(row.confidence)
        wins = "-" if row.value is None else f"{_share(row.value)} ± {_share(row.error or 0.0)}"
        leader = "none" if row.leader is None else row.leader
        values = (number(row.true_a), number(row.true_b))
        lines.append([row.category_set, leader, confidence, wins, _share(row.ties), *values])
    overlap = study.confidence[0].overlap
    which = "the test set given" if study.own_test_set else "one test set drawn"
    note = (
        f"Confidence by the bootstrap ({study.confidence[0].replicates:,} replicates) on {which}, beside how often the "
        f"same model wins on the sets drawn (keller2004, Table 3; two sets share {_share(overlap)} of their "
        f"{study.unit}s). The last columns are the values on all {study.n:,} items."
    )
    return table(lines, _title(study), note)


def _size_table(study: Study) -> Table:
    lines = [["category set", "test", "null", *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
    for key in dict.fromkeys((row.category_set, row.test, row.null) for row in study.size):
        rows = [row for row in study.size if (row.category_set, row.test, row.null) == key]
        cells = [f"{_share(row.value)} ± {_share(row.error)}{' above' if row.above else ''}" for row in rows]
        lines.append([*key, *cells, f"{rows[0].refused:,}"])
    return table(lines, "True size: how often a difference is found where there is none")


def _coverage_table(study: Study) -> Table:
    lines = [["category set", "test", "level", "covered", "mean width", "median width", "refused"]]
    for row in study.coverage:
        mean, median = ("-" if width is None else number(width) for width in (row.mean_width, row.median_width))
        mean += "" if row.width_error is None else f" ± {number(row.width_error)}"
        covered = "-"
        if row.value is not None and row.error is not None:
            covered = f"{_share(row.value)} ± {_share(row.error)}{' short' if row.short else ''}"
        lines.append([row.category_set, row.test, f"{100 * row.level:g} %", covered, mean, median, f"{row.refused:,}"])
    note = "Of the sets that were answered." if any(row.refused for row in study.coverage) else ""
    return table(lines, "Coverage of the interval for the true difference", note)


def _power_table(study: Study) -> Table:
    grouped = study.unit == "group"
    head = ["items on average", "groups"] if grouped else ["items"]
    lines = [["category set", "test", *head, *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
    for key in dict.fromkeys((row.category_set, row.test, row.test_size) for row in study.power):
        rows = [row for row in study.power if (row.category_set, row.test, row.test_size) == key]
        cells = [_power_cell(row) for row in rows]
        sizes = [f"{key[2]:,}", *([f"{round(key[2] / study.items_per_unit):,}"] if grouped else [])]
        lines.append([key[0], key[1], *sizes, *cells, f"{rows[0].refused:,}"])
    return table(lines, "Power: how often the true difference is found")


def _power_cell(row: PowerRow) -> str:
    wrong = f" ({_share(row.wrong)} wrong)" if row.wrong else ""
    return f"{_share(row.value)} ± {_share(row.error)}{wrong}"


def _calibration_table(study: Study) -> Table:
    lines = [["category set", "test", "of", "stated", "right", "sets", "refused"]]
    for point in study.calibration:
        what = {"winner": "the winner", "level": "intervals"}[point.kind]
        cells = [_share(point.stated), f"{_share(point.value)} ± {_share(point.error)}", f"{point.sets:,}"]
        cells.append(f"{point.refused:,}")
        lines.append([point.category_set, point.test, what, *cells])
    note = (
        "Of intervals the two should agree. Of the winner they need not: the truth is one fixed difference, so with a "
        "large one the winner is right nearly always, and with none half of the time, whatever is stated."
    )
    return table(lines, "Calibration: stated confidence against how often it was right", note)


def _how(study: Study) -> str:
    units = f", {study.units:,} {study.unit}s each" if study.unit == "group" else ""
    kept = ", keeping the shares of the strata" if study.stratified else ""
    return (
        f"Sets were drawn with replacement{units}{kept}. ± is the Monte-Carlo standard error. Repeat with seed "
        f"{study.signature.seed}, clearwin {study.signature.version}."
    )
