"""From a leaderboard to words: who is ahead of whom, a table of ranks, a matrix of differences."""

from __future__ import annotations

from clearwin.errors import first_few
from clearwin.numerics.intervals import INVERTED, Interval
from clearwin.results.leaderboard import Leaderboard, OverallTest, PairDifference
from clearwin.text import WIDTH, counted, degrees_of_freedom
from clearwin.words.base import ResultWords
from clearwin.words.margins import outcomes_of_intervals
from clearwin.words.methods import correction_rows, measure_rows
from clearwin.words.phrases import (
    CORRECTED,
    NO_EVIDENCE,
    ONE_MODEL_EACH,
    for_items_like,
    gain,
    interval_name,
    interval_text,
    level,
    number,
    p_number,
    p_text,
    repeat_row,
    signed,
)
from clearwin.words.summary import Block, FactRows, Facts, Grid, Sentences

METHOD = {
    "test": "studentised test of every pair; recentred bootstrap test on shared replicates where pairs are many",
    "question": "Do the two models have the same value in the population that the items were drawn from?",
    "formula": "p = P(|t*| ≥ |t|), t = d/se(d), as in compare; recentred: p = (#{|d* − d| ≥ |d|/√(1 + d²/(n·se²))} "
    "+ 1)/(replicates + 1), never below 2·(1/2)^u where two models disagree on u items",
    "assumes": "independent items (or groups), enough of them to stand for the population",
    "source": "recentring: Hall 1988; letters: Piepho 2004; intervals of ranks: Mogstad, Romano, Shaikh and Wilhelm "
    "2024",
}


class LeaderboardWords(ResultWords[Leaderboard]):
    """Who is ahead of whom, a table of ranks, a matrix of differences."""

    null_title = "Null hypothesis of each test"

    def headline(self) -> str:
        """Say who is ahead, if anyone is shown to be."""
        board, label = self.result, self.result.measure_label
        if board.baseline is not None:
            return self._against_baseline(board.baseline)
        first, significant = board.names[0], self._significant_pairs()
        if not significant and board.has_too_few_resamples:
            replicates = f"{board.signature.n_resamples:,} replicates are too few"
            return f"{replicates} to separate any of {len(board.pairs):,} pairs"
        if not significant:
            return f"{NO_EVIDENCE} any two models differ in {label}"
        beaten = {pair.a for pair in significant if pair.b == first}
        open_ones = [name for name in board.names[1:] if name not in beaten]
        if not open_ones:
            return f"{first} is better than {'every other model' if len(beaten) > 1 else board.names[1]} in {label}"
        return f"{first} has the best {label}, with {NO_EVIDENCE.lower()} it differs from {_name_list(open_ones)}"

    def opening(self) -> tuple[str, ...]:
        return (f"{self.headline()}.",)

    def verdict(self) -> str:
        null = f"The null hypothesis of each is that {self.result.null_hypothesis}."
        return " ".join([*self.opening(), self._how_many_tests(), null])

    def blocks(self) -> tuple[Block, ...]:
        letters = [Sentences("Models that share a letter are not told apart.")] if self.result.groups else []
        return (self._standings(), *letters, self._differences(), Facts(self._rows()))

    def method(self) -> FactRows:
        board = self.result
        return (
            *METHOD.items(),
            *correction_rows(board.correction, board.n_tests),
            *measure_rows(board.measure, board.measure_label),
        )

    def limits(self) -> tuple[str, ...]:
        together = "Models that are not told apart need not be equally good, as more items could separate them."
        return (for_items_like(self.result.n, self.result.sampling), ONE_MODEL_EACH, together)

    def paper(self) -> str:
        board, best, significant = self.result, self.result.models[0], self._significant_pairs()
        label = board.measure_label
        corrected = [f"{CORRECTED[board.correction]} correction"] if board.n_tests > 1 else []
        overall = [] if board.overall is None else [f"all equal: {_statistic(board.overall, '.3g')}"]
        procedure = ", ".join([f"{self._kind_of_test()}s", *corrected, *overall, *self.seeded()])
        at = f"at the {100 * level(board):g} % level ({procedure})"
        if board.baseline is not None:
            ahead = sum(gain(pair.difference, board.higher_is_better) > 0 for pair in significant)
            others = counted(board.n_tests, "model")
            return (
                f"On {counted(board.n, 'item')}, {ahead:,} of {others} had a significantly better {label} "
                f"than {board.baseline} and {len(significant) - ahead:,} a significantly worse one {at}."
            )
        interval = f"{interval_name(best.interval)} {interval_text(best.interval)}"
        return (
            f"On {counted(board.n, 'item')}, {best.name} had the best {label} of {len(board.models):,} "
            f"models ({number(best.estimate)}, {interval}), and {len(significant):,} of "
            f"{counted(board.n_tests, 'pair')} differed significantly {at}."
        )

    def against(self, margin: float) -> str:
        differences = [(f"{pair.b} against {pair.a}", pair.interval) for pair in self.result.pairs]
        return outcomes_of_intervals(differences, self.result.higher_is_better, margin)

    def _significant_pairs(self) -> list[PairDifference]:
        return [pair for pair in self.result.pairs if pair.shown]

    def _against_baseline(self, baseline: str) -> str:
        """Say who is shown to be better or worse than the baseline."""
        gains = [(pair.b, gain(pair.difference, self.result.higher_is_better)) for pair in self._significant_pairs()]
        better, worse = [b for b, lead in gains if lead > 0], [b for b, lead in gains if lead < 0]
        groups = ((better, "better"), (worse, "worse"))
        differences = [f"{_name_list(names)} {_verb(names)} {word}" for names, word in groups if names]
        if not differences:
            return f"{NO_EVIDENCE} any model differs from {baseline} in {self.result.measure_label}"
        return f"{' and '.join(differences)} than {baseline} in {self.result.measure_label}"

    def _how_many_tests(self) -> str:
        """Say how many tests were made and how their p-values were corrected."""
        board, test = self.result, self._kind_of_test()
        correction = f", p corrected by {CORRECTED[board.correction]}" if board.n_tests > 1 else ""
        pairs = "against the baseline" if board.baseline is not None else "of all pairs"
        drawn = f" on {board.signature.n_resamples:,} shared replicates" if test == "bootstrap test" else ""
        return f"{counted(board.n_tests, test)} {pairs}{drawn}{correction}, judged at {level(board):g}."

    def _kind_of_test(self) -> str:
        """Say by which test the pairs were compared."""
        studentised = all(pair.interval.method == INVERTED for pair in self.result.pairs)
        return "studentised test" if studentised else "bootstrap test"

    def _rows(self) -> FactRows:
        board = self.result
        rows = [("tests", self._how_many_tests())]
        if board.overall is not None:
            rows.append(("all together", f"{_statistic(board.overall)}, against: {board.overall.null_hypothesis}"))
        rows.append(("items", self._items()))
        if board.origin is not None:
            rows.append(("read from", board.origin))
        if board.positive is not None:
            rows.append(("positive class", f"{board.positive}{'  (inferred)' if board.positive_inferred else ''}"))
        rows.append(("direction", f"{'higher' if board.higher_is_better else 'lower'} {board.measure_label} is better"))
        return (*rows, repeat_row(board.signature))

    def _standings(self) -> Grid:
        board = self.result
        rank = f"rank ({board.interval.level * 100:.12g} % range)"
        head = (rank, "model", board.measure_label, _interval_head(board.interval))
        table = []
        for model in board.models:
            place = f"{model.rank} ({model.best_rank} to {model.worst_rank})"
            cells = (place, model.name, number(model.estimate), interval_text(model.interval))
            table.append((*cells, *([model.letters] if board.groups else [])))
        return Grid((*head, *(["group"] if board.groups else [])), tuple(table))

    def _differences(self) -> Block:
        """Return the differences from the baseline, or the matrix of all if it fits the page."""
        board = self.result
        if board.baseline is not None:
            interval = _interval_head(board.pairs[0].interval)
            head = ("", f"difference from {board.baseline}", interval, "p", "corrected p")
            lines = []
            for pair in board.pairs:
                p_values = (p_number(p, bound=pair.p_is_bound) for p in (pair.p_value, pair.adjusted_p))
                lines.append((pair.b, signed(pair.difference), interval_text(pair.interval, signed), *p_values))
            return Grid(head, tuple(lines))
        title = "Differences (row − column) above the diagonal, corrected p-values below it:"
        matrix = tuple((name, *self._matrix_row(i)) for i, name in enumerate(board.names))
        table = Grid(("", *board.names), matrix, title)
        if max(map(len, table.lines)) <= WIDTH:
            return table
        return Sentences(
            f"All {board.n_tests:,} differences with their p-values are in the JSON (`--json`, `.to_json()`)."
        )

    def _matrix_row(self, i: int) -> list[str]:
        board, names = self.result, self.result.names
        p = {(pair.a, pair.b): p_number(pair.adjusted_p, bound=pair.p_is_bound) for pair in board.pairs}
        below = [p.get((names[i], column)) or p[column, names[i]] for column in names[:i]]
        return [*below, "·", *(signed(float(d)) for d in board.differences[i][i + 1 :])]

    def _items(self) -> str:
        text, sampling = f"{self.result.n:,}", self.result.sampling
        if sampling is not None and sampling.unit == "group":
            text += f" in {sampling.n_units:,} groups, drawn whole"
        return text + (f", in {len(sampling.strata):,} strata" if sampling is not None and sampling.strata else "")


def _statistic(overall: OverallTest, digits: str = ".4g") -> str:
    """Give the statistic of all models together with the p-value that its χ² has."""
    statistic = f"{overall.label} = {overall.statistic:{digits}}"
    return f"{statistic} on {degrees_of_freedom(overall.degrees)}, {p_text(overall)}"


def _interval_head(interval: Interval) -> str:
    """Name level and kind, because the values' intervals differ in kind from the differences' and from `estimate`'s."""
    return f"{interval_name(interval)} ({interval.method})"


def _name_list(names: list[str]) -> str:
    if len(names) <= 4:
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return first_few(names, len(names))


def _verb(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
