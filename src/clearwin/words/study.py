"""From a study to words: can each test be trusted on data like these? Then the paper's table and the other tables."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from clearwin.results.study import CoverageRow, PowerRow, SizeRow, StudiedTest, Study
from clearwin.significance import REGISTRY as TESTS
from clearwin.simulation.rates import largest_left, smallest_shown
from clearwin.simulation.summary import FEW_SETS, smallest_p
from clearwin.text import capital, counted, percent
from clearwin.words.base import ResultWords
from clearwin.words.methods import measure_rows
from clearwin.words.phrases import number, repeat_row, signed
from clearwin.words.summary import Block, FactRows, Grid, Sentences, grid

Trust = Literal["yes", "no", "no and blind", "blind", "too few sets", "not tried", "refused"]
NOT_TRIED = "models with a difference of 0 that are not exchangeable could not be made from these data"
MANY_REFUSED = 0.01  # from this share of the sets on, refusals get a line of their own
METHOD = {
    "study": "one large labelled set is taken as the population; test sets are drawn from it with replacement, and "
    "every test is run on each",
    "true size": "share of sets with p ≤ α although the models do not differ: predictions swapped on every unit by a "
    "fair coin, or units reweighted until the difference is 0",
    "coverage": "share of sets whose interval covers the difference on the large set",
    "power": "share of sets with p ≤ α and the right sign",
    "source": "keller2004 section 5 and Table 3",
}
NULLS = {
    "swapped": "where {a} and {b} are exchangeable",
    "recentred": "where the difference is 0 but the models are not exchangeable",
}


class StudyWords(ResultWords[Study]):
    """Can each test be trusted on data like these? Then the paper's table and the other tables."""

    @cached_property
    def tests(self) -> list[StudiedTestWords]:
        """The findings about each test."""
        return [StudiedTestWords(self.result, test) for test in self.result.tests]

    def headline(self) -> str:
        """Say it in one line: for one test with the reasons, for several which of them can be trusted."""
        if len(self.tests) == 1:
            return self.tests[0].in_short()
        by_trust: dict[Trust, list[StudiedTestWords]] = {}
        for test in self.tests:
            by_trust.setdefault(test.trust, []).append(test)
        parts = [self._tests_with_one_trust(*item) for item in by_trust.items()]
        claim = _claim(self.result)
        return f"On {sets_of(self.result)} like these{f'{claim},' if claim else ''} {'; '.join(parts)}"

    def opening(self) -> tuple[str, ...]:
        return (f"{self.headline()}.", *self._details)

    def verdict(self) -> str:
        return " ".join(self._details)

    def blocks(self) -> tuple[Block, ...]:
        power = [self._power_table()] if self.result.power else []
        tables = (self._table3(), self._size_table(), self._coverage_table(), *power, self._calibration_table())
        return (*tables, Sentences(self._drawing_note()))

    def method(self) -> FactRows:
        return (*METHOD.items(), *measure_rows(self.result.measure, self.result.measure_label))

    def paper(self) -> str:
        r = self.result
        judged = f"judged at {self.tests[0].alpha:g}"
        measured = f"{r.name_b} against {r.name_a} in {r.measure_label}, {judged}"
        errors = ", ".join(["± Monte-Carlo standard errors", *self.seeded()])
        return (
            f"On {r.n_sets:,} {sets_of(r)} drawn with replacement from {counted(r.n, 'item')} ({measured}), "
            f"{'; '.join(test.in_a_paper() for test in self.tests)} ({errors})."
        )

    def table(self) -> Grid:
        alpha, level = self.tests[0].alpha, self.result.confidence_level
        head = ("test", f"size at {alpha:g}", f"coverage at {100 * level:g} %", "power")
        rows = ((test.name, *(share or "–" for share in test.shares())) for test in self.tests)
        return Grid(head, tuple(rows))

    @cached_property
    def _details(self) -> list[str]:
        return [test.details() for test in self.tests]

    def _tests_with_one_trust(self, trust: Trust, tests: list[StudiedTestWords]) -> str:
        names = " and ".join(filter(None, [", ".join(test.name for test in tests[:-1]), tests[-1].name]))
        sizes = " and ".join(dict.fromkeys(test.smallest_p[1] for test in tests))
        words = {
            "yes": f"{names} can be trusted",
            "no": f"{names} cannot be trusted",
            "refused": f"{names} did not answer on most sets",
            "no and blind": f"{names} cannot be trusted and cannot find anything, as {sizes} are too few",
            "blind": f"{names} cannot find anything, as {sizes} are too few",
            "too few sets": f"{self.result.n_sets:,} sets are not enough to tell whether {names} can be trusted",
            "not tried": f"it is not known whether {names} can be trusted, because {NOT_TRIED}",
        }
        return words[trust]

    def _table3(self) -> Grid:
        """The table of keller2004: stated confidence beside how often it was right."""
        study = self.result
        head = [
            "Category set",
            "Leader",
            "Bootstrap confidence",
            "Wins on sets drawn",
            "Ties",
            study.name_a,
            study.name_b,
        ]
        lines = [head]
        for row in study.confidence:
            confidence = "-" if row.confidence is None else _share(row.confidence)
            wins = "-" if row.value is None else f"{_share(row.value)} ± {_share(row.error or 0.0)}"
            leader = "none" if row.leader is None else row.leader
            values = (number(row.true_a), number(row.true_b))
            lines.append([row.category_set, leader, confidence, wins, _share(row.ties), *values])
        overlap = study.confidence[0].overlap
        test_set = "the test set given" if study.own_test_set else "one test set drawn"
        note = (
            f"Confidence by the bootstrap ({study.confidence[0].replicates:,} replicates) on {test_set}, and how often "
            f"the same model wins on the sets drawn (keller2004, Table 3; two sets share {_share(overlap)} of their "
            f"{study.unit}s). The last columns are the values on all {study.n:,} items."
        )
        title = (
            f"{study.name_a} and {study.name_b} in {study.measure_label}: {study.n_sets:,} {sets_of(study)} drawn from "
            f"{study.n:,} items. Confidence on one of them, and how often its winner wins"
        )
        return grid(lines, title, note)

    def _size_table(self) -> Grid:
        study = self.result
        lines = [["category set", "test", "null", *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
        for key in dict.fromkeys((row.category_set, row.test, row.null) for row in study.size):
            rows = [row for row in study.size if (row.category_set, row.test, row.null) == key]
            cells = [f"{_share(row.value)} ± {_share(row.error)}{' above' if row.above else ''}" for row in rows]
            lines.append([*key, *cells, f"{rows[0].refused:,}"])
        return grid(
            lines, f"True size: how often a difference is found although the models do not differ{_claim(study)}"
        )

    def _coverage_table(self) -> Grid:
        study = self.result
        lines = [["category set", "test", "level", "covered", "mean width", "median width", "refused"]]
        for row in study.coverage:
            mean, median = ("-" if width is None else number(width) for width in (row.mean_width, row.median_width))
            mean += "" if row.width_error is None else f" ± {number(row.width_error)}"
            covered = "-"
            if row.value is not None and row.error is not None:
                covered = f"{_share(row.value)} ± {_share(row.error)}{' short' if row.short else ''}"
            lines.append(
                [row.category_set, row.test, f"{100 * row.level:g} %", covered, mean, median, f"{row.refused:,}"]
            )
        note = "Sets without an answer are left out." if any(row.refused for row in study.coverage) else ""
        return grid(lines, "Coverage of the interval for the true difference", note)

    def _power_table(self) -> Grid:
        study = self.result
        grouped = study.unit == "group"
        head = ["items on average", "groups"] if grouped else ["items"]
        lines = [["category set", "test", *head, *(f"at {alpha:g}" for alpha in study.alphas), "refused"]]
        for key in dict.fromkeys((row.category_set, row.test, row.test_size) for row in study.power):
            rows = [row for row in study.power if (row.category_set, row.test, row.test_size) == key]
            cells = [_power_cell(row) for row in rows]
            sizes = [f"{key[2]:,}", *([f"{round(key[2] / study.items_per_unit):,}"] if grouped else [])]
            lines.append([key[0], key[1], *sizes, *cells, f"{rows[0].refused:,}"])
        return grid(lines, f"Power: how often the true difference is found{_claim(study)}")

    def _calibration_table(self) -> Grid:
        study = self.result
        lines = [["category set", "test", "of", "stated", "right", "sets", "refused"]]
        for point in study.calibration:
            stated_about = {"winner": "the winner", "level": "intervals"}[point.kind]
            cells = [_share(point.stated), f"{_share(point.value)} ± {_share(point.error)}", f"{point.sets:,}"]
            cells.append(f"{point.refused:,}")
            lines.append([point.category_set, point.test, stated_about, *cells])
        note = (
            "For intervals the two should agree. For the winner they need not, because the true difference is fixed: "
            "the winner is nearly always right if it is large, and right half of the time if it is 0, whatever is "
            "stated."
        )
        return grid(lines, "Calibration: stated confidence against how often it was right", note)

    def _drawing_note(self) -> str:
        study = self.result
        units = f", {study.units:,} {study.unit}s each" if study.unit == "group" else ""
        strata = ", keeping the shares of the strata" if study.stratified else ""
        return (
            f"Sets were drawn with replacement{units}{strata}. ± is the Monte-Carlo standard error. "
            f"{capital(' '.join(repeat_row(study.signature)))}."
        )


def _claim(study: Study) -> str:
    """Name a one-sided claim."""
    return "" if study.claim == "different" else f", for the claim that {study.name_b} is {study.claim}"


def sets_of(study: Study) -> str:
    """Say how large a test set is, in the units drawn."""
    if study.unit == "group":
        return f"test sets of {study.units:,} groups (about {study.test_size:,} items)"
    return f"test sets of {study.test_size:,}"


def _of_set(study: Study, name: str) -> str:
    """Name the category set where there are several."""
    return f", category set {name}" if len(study.confidence) > 1 else ""


def _share(value: float) -> str:
    return f"{percent(value)} %"


def _rate(value: float, error: float) -> str:
    return f"{percent(value)} ± {percent(error)} %"


def _covered(row: CoverageRow) -> float:
    return 1.0 if row.value is None else row.value  # no set was answered, so no interval missed


class StudiedTestWords:
    """The findings about one test: its size, its coverage, and its power at the level of the intervals."""

    def __init__(self, study: Study, test: StudiedTest) -> None:
        self.study, self.name = study, test.name
        # "auto" chooses a test on each set, so several can have run
        forms = test.ran if test.name == "auto" else [test.name]
        self.ran = list(dict.fromkeys(form.split("/")[0] for form in forms))
        self.alpha = min(study.alphas, key=lambda x: abs(x - (1 - study.confidence_level)))
        self.sizes = [row for row in study.size if row.test == test.name]
        self.coverages = [row for row in study.coverage if row.test == test.name]
        key = (test.name, study.test_size, self.alpha)
        power = [row for row in study.power if (row.test, row.test_size, row.alpha) == key]
        self.power = min(power, key=lambda row: row.value, default=None)
        self.smallest_p = smallest_p(study, test.name)
        rows: list[SizeRow | CoverageRow] = [*self.sizes, *self.coverages]
        self.most_refused = max(rows, key=lambda row: row.refused)
        self.often_refused = max(row.refused / row.sets for row in rows) >= 0.5
        self.too_often, self.too_short = self._too_often(), self._too_short()
        tried = {row.category_set for row in self.sizes if row.null == "recentred"}
        self.not_tried = [row.category_set for row in study.confidence if row.category_set not in tried]

    @property
    def worst_size(self) -> SizeRow:
        """The largest size at the level that goes with the intervals."""
        return max((row for row in self.sizes if row.alpha == self.alpha), key=lambda row: row.value)

    @property
    def least_covered(self) -> CoverageRow:
        """The row whose interval covers the true difference least often."""
        return min(self.coverages, key=_covered)

    @property
    def trust(self) -> Trust:
        """Judge it by the faults that were seen, and by those that too few sets would have hidden."""
        if self.often_refused:
            return "refused"
        blind = self.smallest_p[0] > self.alpha
        if self.too_often or self.too_short:
            return "no and blind" if blind else "no"
        if blind:
            return "blind"
        if self.study.n_sets < FEW_SETS:
            return "too few sets"
        return "not tried" if self.not_tried else "yes"

    def in_short(self) -> str:
        """Say in one line whether it can be trusted, and why."""
        name, trust = self.label(), self.trust
        where = f"on {sets_of(self.study)} like these{_claim(self.study)}"
        within = f"{name[0].lower()}{name[1:]}"
        is_often_refused = self.most_refused.refused >= MANY_REFUSED * self.most_refused.sets
        refused = f"; {self._refused()}" if is_often_refused else ""
        if trust == "yes":
            return f"{name} can be trusted {where}: {self._evidence_in_short()}{refused}{self._power_in_short()}"
        if trust in ("no", "no and blind"):
            faults = "; ".join([*self.too_often, *self.too_short, *self._blindness()])
            return f"{name} cannot be trusted {where}: {faults}{refused}"
        if trust == "refused":
            return f"It is not known whether {within} can be trusted {where}, because {self._refused()}"
        if trust == "not tried":
            evidence = f"With exchangeable models, {self._evidence_in_short()}"
            return f"It is not known whether {within} can be trusted {where}, because {NOT_TRIED}. {evidence}{refused}"
        if trust == "blind":
            return f"{name} cannot find anything {where}, because {self._blindness()[0]}"
        return f"{self.study.n_sets:,} sets are not enough to tell whether {within} can be trusted {where}"

    def details(self) -> str:
        """Say its size, its coverage and its power."""
        name = f"{self.name} ({', '.join(self.ran)})" if self.name == "auto" and self.ran else self.name
        if self.trust == "refused":
            return f"{name}: {self._refused()}, which is too often to judge it."
        first = [*self._blindness(), *([self._refused()] if self.most_refused.refused else [])]
        first += [f"{NOT_TRIED}{_of_set(self.study, ' and '.join(self.not_tried))}"] if self.not_tried else []
        parts = [*(f"{capital(text)}." for text in first), self._size(), self._coverage(), *self._power()]
        return f"{name}: {' '.join(parts)}"

    def in_a_paper(self) -> str:
        """Say how often it was wrong, its interval covered, and the difference was found, at the worst."""
        label, (size, covered, power) = self.label(), self.shares()
        parts = [f"{label[0].lower()}{label[1:]} found a difference on {size} of the sets where there is none"]
        if covered is not None:
            level = 100 * self.least_covered.level
            parts.append(f"its {level:g} % interval covered the true difference on {covered}")
        if power is not None:
            parts.append(f"it found the true difference on {power}")
        *others, last = parts
        return f"{', '.join(others)}, and {last}" if others else last

    def shares(self) -> tuple[str, str | None, str | None]:
        """Return size, coverage and power at the worst, with their errors."""
        size, covered, power = self.worst_size, self.least_covered, self.power
        no_interval = covered.value is None or covered.error is None
        return (
            _rate(size.value, size.error),
            None if no_interval else _rate(covered.value or 0.0, covered.error or 0.0),
            None if power is None else _rate(power.value, power.error),
        )

    def label(self) -> str:
        """Return its full name, if one test ran."""
        if len(self.ran) != 1:
            return f"The test chosen on each set ({', '.join(self.ran)})" if self.ran else "The test"
        form = f" ({', '.join(self.name.split('/')[1:])})" if "/" in self.name else ""
        return f"The {TESTS['items'][self.ran[0]].label}{form}"

    def _blindness(self) -> list[str]:
        """Say that no p-value can be small enough, if so."""
        p, why = self.smallest_p
        reason = f"with {why} the p-value cannot fall below {p:g}, so it never finds a difference at {self.alpha:g}"
        return [reason] if p > self.alpha else []

    def _refused(self) -> str:
        worst = self.most_refused
        return f"it did not answer on {worst.refused:,} of {worst.sets:,} sets{_of_set(self.study, worst.category_set)}"

    def _too_often(self) -> list[str]:
        """Say where it finds too many differences, at its worst."""
        above = [row for row in self.sizes if row.above]
        if not above:
            return []
        worst = max(above, key=lambda row: row.value / row.alpha)
        null = NULLS[worst.null].format(a=self.study.name_a, b=self.study.name_b)
        often = f"{_share(worst.value)} ± {_share(worst.error)} of the time at {worst.alpha:g}"
        study = self.study
        finds = "finds differences" if study.claim == "different" else f"shows that {study.name_b} is {study.claim}"
        return [f"it {finds} too often {null}, {often}{_of_set(study, worst.category_set)}"]

    def _too_short(self) -> list[str]:
        """Say where its interval covers too rarely, at its worst."""
        short = [row for row in self.coverages if row.short]
        if not short:
            return []
        least = min(short, key=_covered)
        covered = self._covered_share(least, " of the time")
        return [f"its {100 * least.level:g} % interval covers the true difference too rarely, {covered}"]

    def _covered_share(self, row: CoverageRow, of: str = "") -> str:
        answered = " where it answered" if row.refused else ""
        share = f"{_share(_covered(row))} ± {_share(row.error or 0.0)}{of}"
        return f"{share}{answered}{_of_set(self.study, row.category_set)}"

    def _size(self) -> str:
        if self.too_often:
            return f"{capital(self.too_often[0])}."
        alpha, n, alphas = self.alpha, self.study.n_sets, self.study.alphas
        least = smallest_shown(n, max(row.tolerated for row in self.sizes if row.alpha == alpha))
        most = [max(row.value for row in self.sizes if row.alpha == level) for level in alphas]
        where = "the models are exchangeable" if self.not_tried else "the models do not differ"
        fine = " (fine)" if n >= FEW_SETS else ""
        summary = (
            f"{capital(self._false_alarms())}{fine}. Where {where}, it found a difference on at most "
            f"{', '.join(map(_share, most))} of the sets at {', '.join(f'{x:g}' for x in alphas)}"
        )
        if least is None:
            return f"{summary}, and {n:,} sets are too few to show an excess at {alpha:g}."
        return f"{summary}, and {n:,} sets would have shown {_share(least)} or more at {alpha:g}."

    def _false_alarms(self) -> str:
        """Say how large the true size can still be; "none was seen" would promise more than the sets can show."""
        largest = max(largest_left(round(r.value * r.sets), r.sets) for r in self.sizes if r.alpha == self.alpha)
        return f"at most {_share(largest)} false alarms at the {100 * self.alpha:g} % level"

    def _evidence_in_short(self) -> str:
        least = self.least_covered
        answered = max(1, least.sets - least.refused)
        missed = largest_left(round((1.0 - _covered(least)) * answered), answered)
        interval = f"and its {100 * least.level:g} % interval covers at least {_share(1.0 - missed)} of the time"
        return f"{self._false_alarms()}, {interval}"

    def _coverage(self) -> str:
        least = self.least_covered
        interval, covered = f"{100 * least.level:g} % interval", f"({self._covered_share(least)})"
        if least.short:
            return f"Its {interval} covers the true difference too rarely {covered}."
        missed = smallest_shown(least.sets - least.refused, 1.0 - least.tolerated)
        shortfall = (
            "too few sets for a shortfall to show" if missed is None else f"{_share(1.0 - missed)} or less would show"
        )
        if self.study.n_sets < FEW_SETS:
            share = self._covered_share(least, f" of {least.sets - least.refused:,} sets")
            return f"Its {interval} covered the true difference on {share}, and {shortfall}."
        return f"Its {interval} covers as it should {covered}, and {shortfall}."

    def _power_in_short(self) -> str:
        row = self.power
        if row is None:
            return ""
        share = f"{percent(row.value, 0)} % of the time{_of_set(self.study, row.category_set)}"
        return f"; it finds the true difference {share}"

    def _power(self) -> list[str]:
        study, least = self.study, self.power
        category = study.coverage[0].category_set if least is None else least.category_set
        finds = "The models do not differ on the large set, so a true difference cannot be found."
        if study.claim != "different":
            finds = f"On the large set {study.name_b} is not {study.claim}, so that cannot be found."
        if least is not None:
            truth = next(row for row in study.confidence if row.category_set == category).true_difference
            key = (category, self.name, least.alpha)
            needed = next(row for row in study.needed if (row.category_set, row.test, row.alpha) == key)
            size = needed.why if needed.value is None else f"about {needed.value:,} items"
            finds = (
                f"It finds the true difference of {signed(truth)} on {_share(least.value)} ± {_share(least.error)} of "
                f"the sets at {least.alpha:g}{_of_set(study, category)}. To find it four times in five takes {size}."
            )
        row = next(row for row in study.detectable if (row.category_set, row.test) == (category, self.name))
        error = "" if row.error is None else f" ± {number(row.error)}"
        detectable = f"is not known: {row.why}" if row.value is None else f"is {number(row.value)}{error}"
        return [finds, f"The smallest difference whose interval excludes 0 four times in five {detectable}."]


def _power_cell(row: PowerRow) -> str:
    wrong = f" ({_share(row.wrong)} wrong)" if row.wrong else ""
    return f"{_share(row.value)} ± {_share(row.error)}{wrong}"
