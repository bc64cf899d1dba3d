"""From a study to words: the paper's table first, then whether each test can be trusted on data like these."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from clearwin.study_record import Study
from clearwin.verdict import WIDTH, printable

NULLS = {
    "swapped": "where A and B are interchangeable",
    "recentred": "where the difference is 0 but the models are not interchangeable",
}


def sentence(study: Study) -> str:
    """Say of every test whether it can be trusted on data like these."""
    return printable(" ".join(_trusted(study, test.name) for test in study.tests))


def _trusted(study: Study, test: str) -> str:
    """One test: its size, its coverage, its power."""
    n = study.test_size
    found = [_size_words(study, test), _coverage_words(study, test), _power_words(study, test)]
    return f"{_name(study, test)} on test sets of {n:,}: {'; '.join(found)}."


def _name(study: Study, test: str) -> str:
    ran = next(t.ran for t in study.tests if t.name == test)
    inside = ", ".join(ran)
    return f"{test} ({inside})" if test == "auto" or len(ran) > 1 else test


def _size_words(study: Study, test: str) -> str:
    rows = [row for row in study.size if row.test == test]
    above = [row for row in rows if row.above]
    if not above:
        return f"it keeps its level (within 3 standard errors of {_levels(study)}) under the null made of these data"
    worst = max(above, key=lambda row: row.value / row.alpha)
    return (
        f"it finds differences too often {_null(study, worst.null)}: {_share(worst.value)} ± {_share(worst.error)} of "
        f"the time at {worst.alpha:g}{_of_set(study, worst.category_set)}"
    )


def _levels(study: Study) -> str:
    return ", ".join(f"{alpha:g}" for alpha in study.alphas)


def _null(study: Study, null: str) -> str:
    return NULLS[null].replace("A and B", f"{study.name_a} and {study.name_b}")


def _of_set(study: Study, name: str) -> str:
    return f", category set {name}" if len(study.confidence) > 1 else ""


def _coverage_words(study: Study, test: str) -> str:
    rows = [row for row in study.coverage if row.test == test]
    worst = min(rows, key=lambda row: row.value)
    what = "holds the truth too seldom" if worst.short else "holds the truth as often as it says"
    return (
        f"its {100 * worst.level:g} % interval {what} ({_share(worst.value)} ± {_share(worst.error)}"
        f"{_of_set(study, worst.category_set)})"
    )


def _power_words(study: Study, test: str) -> str:
    alpha = min(study.alphas, key=lambda x: abs(x - (1 - study.confidence_level)))
    rows = [row for row in study.power if (row.test, row.test_size, row.alpha) == (test, study.test_size, alpha)]
    least = min(rows, key=lambda row: row.value)
    needed = next(
        row for row in study.needed
        if (row.category_set, row.test, row.alpha) == (least.category_set, test, alpha)
    )  # fmt: skip
    smallest = next(
        row for row in study.detectable
        if (row.category_set, row.test) == (least.category_set, test)
    )  # fmt: skip
    truth = next(row for row in study.confidence if row.category_set == least.category_set).true_difference
    size = needed.why if needed.value is None else f"about {needed.value:,} items"
    told = "none" if smallest.value is None else f"{smallest.value:.4f} ± {smallest.error or 0.0:.4f}"
    return (
        f"it finds the true difference of {truth:+.4f} {_share(least.value)} of the time at {alpha:g}"
        f"{_of_set(study, least.category_set)}, four times in five it would take {size}, and the smallest difference "
        f"found four times in five is {told}"
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def as_text(study: Study) -> str:
    """Write the whole study for a person."""
    parts = [_title(study), "", *_table3(study), "", "Can this test be trusted on data like these?", ""]
    for test in study.tests:
        parts += [_wrapped(_trusted(study, test.name)), ""]
    parts += ["True size: how often a difference is found where there is none", *_size_table(study), ""]
    parts += ["Coverage of the interval for the true difference", *_coverage_table(study), ""]
    parts += ["Power: how often the true difference is found", *_power_table(study), ""]
    parts += ["Calibration: stated confidence against how often it was right", *_calibration_table(study), ""]
    for gone in study.left_out:
        parts.append(_wrapped(f"Left out{_of_set(study, gone.category_set)}: {gone.what}: {gone.why}."))
    refused = max((row.refused for row in study.power), default=0)
    if study.refusals:
        parts.append(
            _wrapped(
                f"Refused: on up to {refused:,} of {study.n_sets:,} sets of one size a test gave no answer "
                f"({'; '.join(study.refusals)}). Such a set finds nothing and covers nothing."
            )
        )
    parts.append(_wrapped(_how(study)))
    return printable("\n".join(parts).rstrip())


def _title(study: Study) -> str:
    return _wrapped(
        f"{study.name_a} and {study.name_b} in {study.measure_label}: {study.n_sets:,} test sets of "
        f"{study.test_size:,} items drawn from {study.n:,}."
    )


def _table3(study: Study) -> list[str]:
    """The table of keller2004: stated confidence beside how often it was right."""
    head = ["Category set", "Leader", "Bootstrap confidence", "Wins on sets drawn", "Ties", study.name_a, study.name_b]
    lines = [head]
    for row in study.confidence:
        confidence = "-" if row.confidence is None else _share(row.confidence)
        wins = "-" if row.value is None else f"{_share(row.value)} ± {_share(row.error or 0.0)}"
        leader = "none" if row.leader is None else row.leader
        values = (f"{row.true_a:.4f}", f"{row.true_b:.4f}")
        lines.append([row.category_set, leader, confidence, wins, _share(row.ties), *values])
    overlap = study.confidence[0].overlap
    which = "the test set given" if study.own_test_set else "one test set drawn"
    note = (
        f"Confidence by the bootstrap ({study.confidence[0].replicates:,} replicates) on {which}, beside how often the "
        f"same model wins on the sets drawn (keller2004, Table 3; two sets share {_share(overlap)} of their "
        f"{study.unit}s). The last columns are the values on all {study.n:,} items."
    )
    return [*_columns(lines), _wrapped(note)]


def _size_table(study: Study) -> list[str]:
    lines = [["category set", "test", "null", *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
    for key in dict.fromkeys((row.category_set, row.test, row.null) for row in study.size):
        rows = [row for row in study.size if (row.category_set, row.test, row.null) == key]
        cells = [f"{_share(row.value)} ± {_share(row.error)}{' above' if row.above else ''}" for row in rows]
        lines.append([*key, *cells, f"{rows[0].refused:,}"])
    return _columns(lines)


def _coverage_table(study: Study) -> list[str]:
    lines = [["category set", "test", "level", "covered", "mean width", "median width", "refused"]]
    for row in study.coverage:
        widths = ["-" if width is None else f"{width:.4f}" for width in (row.mean_width, row.median_width)]
        covered = f"{_share(row.value)} ± {_share(row.error)}{' short' if row.short else ''}"
        lines.append([row.category_set, row.test, f"{100 * row.level:g} %", covered, *widths, f"{row.refused:,}"])
    return _columns(lines)


def _power_table(study: Study) -> list[str]:
    lines = [["category set", "test", "items", *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
    for key in dict.fromkeys((row.category_set, row.test, row.test_size) for row in study.power):
        rows = [row for row in study.power if (row.category_set, row.test, row.test_size) == key]
        cells = [f"{_share(row.value)}{f' ({_share(row.wrong)} wrong)' if row.wrong else ''}" for row in rows]
        lines.append([key[0], key[1], f"{key[2]:,}", *cells, f"{rows[0].refused:,}"])
    return _columns(lines)


def _calibration_table(study: Study) -> list[str]:
    lines = [["category set", "test", "of", "stated", "right", "sets"]]
    for point in study.calibration:
        what = {"winner": "the winner", "level": "intervals"}[point.kind]
        cells = [_share(point.stated), f"{_share(point.value)} ± {_share(point.error)}", f"{point.sets:,}"]
        lines.append([point.category_set, point.test, what, *cells])
    return _columns(lines)


def _how(study: Study) -> str:
    units = f", {study.units:,} {study.unit}s each" if study.unit == "group" else ""
    kept = ", keeping the shares of the strata" if study.stratified else ""
    return (
        f"Sets were drawn with replacement{units}{kept}. ± is the Monte-Carlo standard error. Repeat with seed "
        f"{study.signature.seed}, clearwin {study.signature.version}."
    )


def _columns(table: Sequence[Sequence[str]]) -> list[str]:
    clean = [[" ".join(printable(cell).split()) for cell in line] for line in table]
    widths = [max(len(line[i]) for line in clean) for i in range(len(clean[0]))]
    return ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() for line in clean]


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
