"""From a study to words: can each test be trusted on data like these? Then the paper's table and the others."""

from __future__ import annotations

from typing import Literal

from clearwin.results.study import CoverageRow, PowerRow, SizeRow, Study
from clearwin.significance import REGISTRY as TESTS
from clearwin.simulation.caveats import FEW_SETS, smallest_p
from clearwin.simulation.rates import smallest_shown
from clearwin.text import percent, printable
from clearwin.wording.base import Block, Story, Table, Words, table
from clearwin.wording.methods import Name, call, spelled, study_rows
from clearwin.wording.verdict import number, signed

Trust = Literal["yes", "no", "no and blind", "blind", "too few sets", "refused"]
MANY_REFUSED = 0.01  # of the sets: enough to be told in one line
NULLS = {
    "swapped": "where {a} and {b} are interchangeable",
    "recentred": "where the difference is 0 but the models are not interchangeable",
}


def trust(study: Study, test: str) -> Trust:
    """Judge one test: what was seen against it counts, and what could not have been seen."""
    rows: list[SizeRow | CoverageRow] = [*_sizes(study, test), *_coverages(study, test)]
    if max(row.refused / row.sets for row in rows) >= 0.5:
        return "refused"
    blind = smallest_p(study, test)[0] > main_alpha(study)
    if _faults(study, test):
        return "no and blind" if blind else "no"
    if blind:
        return "blind"
    return "too few sets" if study.n_sets < FEW_SETS else "yes"


def headline(study: Study) -> str:
    """Say it in one line: of one test with its reasons, of several which can be trusted."""
    if len(study.tests) == 1:
        return f"{_about_one(study, study.tests[0].name)}."
    by_trust: dict[Trust, list[str]] = {}
    for test in study.tests:
        by_trust.setdefault(trust(study, test.name), []).append(test.name)
    parts = [_about_several(study, *item) for item in by_trust.items()]
    return f"On {sets_of(study)} like these {'; '.join(parts)}."


def _about_one(study: Study, test: str) -> str:
    name, where = _label(study, test), f"on {sets_of(study)} like these"
    found = trust(study, test)
    if found == "yes":
        return (
            f"{name} can be trusted {where}: it keeps its level and its interval covers"
            f"{_refused_in_short(study, test)}{_power_in_short(study, test)}"
        )
    if found in ("no", "no and blind"):
        faults = "; ".join([*_faults(study, test), *_blindness(study, test)])
        return f"{name} cannot be trusted {where}: {faults}{_refused_in_short(study, test)}"
    if found == "refused":
        return f"Nothing can be said of {name[0].lower()}{name[1:]} {where}: {_refused(study, test)}"
    if found == "blind":
        return f"{name} can find nothing {where}: {_blindness(study, test)[0]}"
    return f"{study.n_sets:,} sets are not enough to tell whether {name[0].lower()}{name[1:]} can be trusted {where}"


def _about_several(study: Study, found: Trust, tests: list[str]) -> str:
    names = " and ".join(filter(None, [", ".join(tests[:-1]), tests[-1]]))
    words = {
        "yes": f"{names} can be trusted",
        "no": f"{names} cannot be trusted",
        "refused": f"nothing can be said of {names}: refused on most sets",
        "no and blind": f"{names} cannot be trusted, and can find nothing: {_few(study, tests)} are too few",
        "blind": f"{names} can find nothing: {_few(study, tests)} are too few",
        "too few sets": f"{study.n_sets:,} sets are not enough to tell whether {names} can be trusted",
    }
    return words[found]


def _few(study: Study, tests: list[str]) -> str:
    return " and ".join(dict.fromkeys(smallest_p(study, test)[1] for test in tests))


def _blindness(study: Study, test: str) -> list[str]:
    """Say that no p-value can be small enough, where that is so."""
    (p, why), alpha = smallest_p(study, test), main_alpha(study)
    return [f"with {why} no p-value is below {p:g}, so it finds nothing at {alpha:g}"] if p > alpha else []


def sets_of(study: Study) -> str:
    """Say how large a test set is, in what was drawn."""
    if study.unit == "group":
        return f"test sets of {study.units:,} groups (about {study.test_size:,} items)"
    return f"test sets of {study.test_size:,}"


def _label(study: Study, test: str) -> str:
    """Call the test by its name in full, if one test ran."""
    names = _names(study, test)
    if len(names) != 1:
        return f"The test chosen on each set ({', '.join(names)})" if names else "The test"
    form = f" ({', '.join(test.split('/')[1:])})" if "/" in test else ""
    return f"The {TESTS[names[0]].label}{form}"


def _names(study: Study, test: str) -> list[str]:
    """Return which tests ran: one unless the test was chosen on each set."""
    ran = next(one.ran for one in study.tests if one.name == test)
    return list(dict.fromkeys(what.split("/")[0] for what in ran)) if test == "auto" else [test.split("/")[0]]


def details(study: Study, test: str) -> str:
    """Say what was seen of one test: its size, its coverage, its power."""
    ran = ", ".join(_names(study, test))
    name = f"{test} ({ran})" if test == "auto" and ran else test
    if trust(study, test) == "refused":
        return f"{name}: {_refused(study, test)}, so nothing can be said of it."
    blind = [f"{text[0].upper()}{text[1:]}." for text in _blindness(study, test)]
    refused = [f"It{_refused(study, test)[2:]}."] if _most_refused(study, test).refused else []
    parts = [*blind, *refused, _size_words(study, test), _coverage_words(study, test), *_power_words(study, test)]
    return f"{name}: {' '.join(parts)}"


def _sizes(study: Study, test: str) -> list[SizeRow]:
    return [row for row in study.size if row.test == test]


def _coverages(study: Study, test: str) -> list[CoverageRow]:
    return [row for row in study.coverage if row.test == test]


def _faults(study: Study, test: str) -> list[str]:
    """Return what was seen against the test, at its worst."""
    found = []
    above = [row for row in _sizes(study, test) if row.above]
    if above:
        worst = max(above, key=lambda row: row.value / row.alpha)
        null = NULLS[worst.null].format(a=study.name_a, b=study.name_b)
        found.append(
            f"it finds differences too often {null}, {share(worst.value)} ± {share(worst.error)} of the time at "
            f"{worst.alpha:g}{of_set(study, worst.category_set)}"
        )
    short = [row for row in _coverages(study, test) if row.short]
    if short:
        least = min(short, key=_covered)
        found.append(
            f"its {100 * least.level:g} % interval holds the truth too seldom, {share(_covered(least))} ± "
            f"{share(least.error or 0.0)} of the time{_where_answered(least)}{of_set(study, least.category_set)}"
        )
    return found


def _covered(row: CoverageRow) -> float:
    return 1.0 if row.value is None else row.value  # nothing was answered, and nothing missed


def _where_answered(row: CoverageRow) -> str:
    return " where it answered" if row.refused else ""


def _most_refused(study: Study, test: str) -> SizeRow | CoverageRow:
    rows: list[SizeRow | CoverageRow] = [*_sizes(study, test), *_coverages(study, test)]
    return max(rows, key=lambda row: row.refused)


def _refused(study: Study, test: str) -> str:
    worst = _most_refused(study, test)
    return f"it refused on {worst.refused:,} of {worst.sets:,} sets{of_set(study, worst.category_set)}"


def _refused_in_short(study: Study, test: str) -> str:
    worst = _most_refused(study, test)
    return f"; {_refused(study, test)}" if worst.refused >= MANY_REFUSED * worst.sets else ""


def _size_words(study: Study, test: str) -> str:
    faults = [fault for fault in _faults(study, test) if fault.startswith("it finds")]
    if faults:
        return f"{faults[0][0].upper()}{faults[0][1:]}."
    alpha, n = main_alpha(study), study.n_sets
    least = smallest_shown(n, max(row.tolerated for row in _sizes(study, test) if row.alpha == alpha))
    most = [max(row.value for row in _sizes(study, test) if row.alpha == level) for level in study.alphas]
    seen = (
        f"No excess over {', '.join(f'{x:g}' for x in study.alphas)} beyond what chance explains was seen where there "
        f"is no difference (at most {', '.join(map(share, most))} of the sets)"
    )
    if least is None:
        return f"{seen}, but with {n:,} sets none could have shown at {alpha:g}."
    return f"{seen}; with {n:,} sets a share of {share(least)} or more would have shown at {alpha:g}."


def _coverage_words(study: Study, test: str) -> str:
    least = min(_coverages(study, test), key=_covered)
    error = share(least.error or 0.0)
    covered = f"({share(_covered(least))} ± {error}{_where_answered(least)}{of_set(study, least.category_set)})"
    if least.short:
        return f"Its {100 * least.level:g} % interval holds the truth too seldom {covered}."
    missed = smallest_shown(least.sets - least.refused, 1.0 - least.tolerated)
    shown = "none could have shown" if missed is None else f"{share(1.0 - missed)} or less would have shown"
    return f"No shortfall of its {100 * least.level:g} % interval was seen {covered}; {shown}."


def main_alpha(study: Study) -> float:
    """Return the level that goes with the intervals, or the nearest one that was studied."""
    return min(study.alphas, key=lambda x: abs(x - (1 - study.confidence_level)))


def _least_power(study: Study, test: str) -> PowerRow | None:
    key = (test, study.test_size, main_alpha(study))
    rows = [row for row in study.power if (row.test, row.test_size, row.alpha) == key]
    return min(rows, key=lambda row: row.value, default=None)


def _power_in_short(study: Study, test: str) -> str:
    row = _least_power(study, test)
    if row is None:
        return ""
    return f"; it finds the true difference {percent(row.value, 0)} % of the time{of_set(study, row.category_set)}"


def _power_words(study: Study, test: str) -> list[str]:
    found, least = [], _least_power(study, test)
    category = study.coverage[0].category_set if least is None else least.category_set
    if least is None:
        found.append("The models do not differ on the large set, so there is no true difference to find.")
    else:
        alpha = least.alpha
        truth = next(row for row in study.confidence if row.category_set == category).true_difference
        needed = next(r for r in study.needed if (r.category_set, r.test, r.alpha) == (category, test, alpha))
        size = needed.why if needed.value is None else f"about {needed.value:,} items"
        found.append(
            f"It finds the true difference of {signed(truth)} on {share(least.value)} ± {share(least.error)} of the "
            f"sets at {alpha:g}"
            f"{of_set(study, category)}. To find it four times in five takes {size}."
        )
    smallest = next(row for row in study.detectable if (row.category_set, row.test) == (category, test))
    error = "" if smallest.error is None else f" ± {number(smallest.error)}"
    told = f"cannot be told: {smallest.why}" if smallest.value is None else f"is {number(smallest.value)}{error}"
    return [*found, f"The smallest difference whose interval excludes 0 four times in five {told}."]


def of_set(study: Study, name: str) -> str:
    """Name the category set where there are several."""
    return f", category set {name}" if len(study.confidence) > 1 else ""


def share(value: float) -> str:
    """Write a share of sets."""
    return f"{percent(value)} %"


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
        opening=(headline(study), *_details(study)),
        verdict=" ".join(_details(study)),
        blocks=(*blocks, _calibration_table(study), Words(_how(study))),
        null_hypothesis="",
        caveats=tuple(map(str, study.caveats)),
        method=study_rows(study.measure, study.measure_label),
        call=_call(study),
    )


def _call(study: Study) -> str:
    """Write the call in Python that gives the same; the data stand under the names of the parameters."""
    options = dict(study.options)
    columns = {"groups": study.unit == "group", "strata": options.pop("strata"), "test_set": study.own_test_set}
    return call(
        "study",
        "truth, a, b",
        measure=spelled(study.measure),
        tests=tuple(test.name for test in study.tests),
        test_size=study.test_size,
        n_sets=study.n_sets,
        sizes=study.sizes,
        alphas=study.alphas,
        **options,
        **{name: Name(name) for name, there in columns.items() if there},
        stratified=True if study.stratified else None,
        n_resamples=study.signature.settings["n_resamples"],
        confidence_level=study.confidence_level,
        rng=study.signature.seed,
        names=(study.name_a, study.name_b),
    )


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
        confidence = "-" if row.confidence is None else share(row.confidence)
        wins = "-" if row.value is None else f"{share(row.value)} ± {share(row.error or 0.0)}"
        leader = "none" if row.leader is None else row.leader
        values = (number(row.true_a), number(row.true_b))
        lines.append([row.category_set, leader, confidence, wins, share(row.ties), *values])
    overlap = study.confidence[0].overlap
    which = "the test set given" if study.own_test_set else "one test set drawn"
    note = (
        f"Confidence by the bootstrap ({study.confidence[0].replicates:,} replicates) on {which}, beside how often the "
        f"same model wins on the sets drawn (keller2004, Table 3; two sets share {share(overlap)} of their "
        f"{study.unit}s). The last columns are the values on all {study.n:,} items."
    )
    return table(lines, _title(study), note)


def _size_table(study: Study) -> Table:
    lines = [["category set", "test", "null", *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
    for key in dict.fromkeys((row.category_set, row.test, row.null) for row in study.size):
        rows = [row for row in study.size if (row.category_set, row.test, row.null) == key]
        cells = [f"{share(row.value)} ± {share(row.error)}{' above' if row.above else ''}" for row in rows]
        lines.append([*key, *cells, f"{rows[0].refused:,}"])
    return table(lines, "True size: how often a difference is found where there is none")


def _coverage_table(study: Study) -> Table:
    lines = [["category set", "test", "level", "covered", "mean width", "median width", "refused"]]
    for row in study.coverage:
        mean, median = ("-" if width is None else number(width) for width in (row.mean_width, row.median_width))
        mean += "" if row.width_error is None else f" ± {number(row.width_error)}"
        covered = "-"
        if row.value is not None and row.error is not None:
            covered = f"{share(row.value)} ± {share(row.error)}{' short' if row.short else ''}"
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
    wrong = f" ({share(row.wrong)} wrong)" if row.wrong else ""
    return f"{share(row.value)} ± {share(row.error)}{wrong}"


def _calibration_table(study: Study) -> Table:
    lines = [["category set", "test", "of", "stated", "right", "sets", "refused"]]
    for point in study.calibration:
        what = {"winner": "the winner", "level": "intervals"}[point.kind]
        cells = [share(point.stated), f"{share(point.value)} ± {share(point.error)}", f"{point.sets:,}"]
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
