"""From a leaderboard to words: who is ahead of whom, a table of ranks, a matrix of differences."""

from __future__ import annotations

from clearwin.errors import first_few
from clearwin.numerics.intervals import INVERTED, Interval
from clearwin.results.leaderboard import Leaderboard
from clearwin.text import WIDTH, counted, degrees_of_freedom
from clearwin.words.base import Block, FactRows, Facts, Grid, Summary, Words, words_of
from clearwin.words.margins import held_against, of_many
from clearwin.words.methods import board_rows
from clearwin.words.phrases import (
    CORRECTED,
    NO_EVIDENCE,
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


@words_of.register
def _(board: Leaderboard) -> Summary:
    found, tests = _headline(board), _how_many_tests(board)
    letters = [Words("Models that share a letter are not told apart.")] if board.groups else []
    return Summary(
        opening=(f"{found}.",),
        verdict=f"{found}. {tests} The null hypothesis of each is that {board.null_hypothesis}.",
        blocks=(_standings(board), *letters, _comparisons(board), Facts(_rows(board))),
        null_title="Null hypothesis of each test",
        method=board_rows(board.measure, board.measure_label, board.correction, board.n_tests),
    )


def _headline(board: Leaderboard) -> str:
    """Say who is ahead, if anyone is shown to be."""
    label, shown = board.measure_label, [pair for pair in board.pairs if pair.shown]
    if board.baseline is not None:
        gains = [(pair.b, gain(pair.difference, board.higher_is_better)) for pair in shown]
        better, worse = [b for b, lead in gains if lead > 0], [b for b, lead in gains if lead < 0]
        told = [f"{_few(who)} {_is(who)} {word}" for who, word in ((better, "better"), (worse, "worse")) if who]
        if not told:
            return f"{NO_EVIDENCE} any model differs from {board.baseline} in {label}"
        return f"{' and '.join(told)} than {board.baseline} in {label}"
    first = board.names[0]
    if not shown and any(c.code == "few_resamples" for c in board.caveats):
        return f"{board.signature.n_resamples:,} replicates are too few to separate any of {len(board.pairs):,} pairs"
    if not shown:
        return f"{NO_EVIDENCE} any two models differ in {label}"
    beaten = {pair.a for pair in shown if pair.b == first}
    open_ones = [name for name in board.names[1:] if name not in beaten]
    if not open_ones:
        return f"{first} is better than {'every other model' if len(beaten) > 1 else board.names[1]} in {label}"
    return f"{first} has the best {label}, with {NO_EVIDENCE.lower()} it differs from {_few(open_ones)}"


def _how_many_tests(board: Leaderboard) -> str:
    """Say how many tests were made and how their p-values were corrected."""
    how = f", p corrected by {CORRECTED[board.correction]}" if board.n_tests > 1 else ""
    which = "against the baseline" if board.baseline is not None else "of all pairs"
    test = kind_of_test(board)
    drawn = f" on {board.signature.n_resamples:,} shared replicates" if test == "bootstrap test" else ""
    return f"{counted(board.n_tests, test)} {which}{drawn}{how}, judged at {level(board):g}."


def kind_of_test(board: Leaderboard) -> str:
    """Say by which test the pairs were compared."""
    return "studentised test" if all(pair.interval.method == INVERTED for pair in board.pairs) else "bootstrap test"


def _rows(board: Leaderboard) -> FactRows:
    rows = [("tests", _how_many_tests(board))]
    if board.overall is not None:
        o = board.overall
        found = f"{o.label} = {o.statistic:.4g} on {degrees_of_freedom(o.degrees)}, {p_text(o)}"
        rows.append(("all together", f"{found}, against: {o.null_hypothesis}"))
    rows.append(("items", _items(board)))
    if board.origin is not None:
        rows.append(("read from", board.origin))
    if board.positive is not None:
        rows.append(("positive class", f"{board.positive}{'  (inferred)' if board.positive_inferred else ''}"))
    rows.append(("direction", f"{'higher' if board.higher_is_better else 'lower'} {board.measure_label} is better"))
    return (*rows, repeat_row(board.signature))


def _standings(board: Leaderboard) -> Grid:
    rank = f"rank ({board.interval.level * 100:.12g} % range)"
    head = (rank, "model", board.measure_label, _interval_head(board.interval))
    table = []
    for model in board.models:
        place = f"{model.rank} ({model.best_rank} to {model.worst_rank})"
        cells = (place, model.name, number(model.estimate), interval_text(model.interval))
        table.append((*cells, *([model.letters] if board.groups else [])))
    return Grid((*head, *(["group"] if board.groups else [])), tuple(table))


def _interval_head(interval: Interval) -> str:
    """Name level and kind, because the values' intervals differ in kind from the differences' and from `estimate`'s."""
    return f"{interval_name(interval)} ({interval.method})"


def _comparisons(board: Leaderboard) -> Block:
    """Return the differences from the baseline, or the matrix of all if it fits the page."""
    if board.baseline is not None:
        interval = _interval_head(board.pairs[0].interval)
        head = ("", f"difference from {board.baseline}", interval, "p", "corrected p")
        lines = []
        for pair in board.pairs:
            p_values = (p_number(p, bound=pair.p_is_bound) for p in (pair.p_value, pair.adjusted_p))
            lines.append((pair.b, signed(pair.difference), interval_text(pair.interval, signed), *p_values))
        return Grid(head, tuple(lines))
    title = "Differences (row − column) above the diagonal, corrected p-values below it:"
    matrix = tuple((name, *_matrix_row(board, i)) for i, name in enumerate(board.names))
    found = Grid(("", *board.names), matrix, title)
    if max(map(len, found.lines)) <= WIDTH:
        return found
    return Words(f"All {board.n_tests:,} differences with their p-values are in the JSON (`--json`, `.to_json()`).")


def _matrix_row(board: Leaderboard, i: int) -> list[str]:
    p = {(pair.a, pair.b): p_number(pair.adjusted_p, bound=pair.p_is_bound) for pair in board.pairs}
    me, names = board.names[i], board.names
    below = [p.get((me, other)) or p[other, me] for other in names[:i]]
    return [*below, "·", *(signed(float(d)) for d in board.differences[i][i + 1 :])]


def _items(board: Leaderboard) -> str:
    text, sampling = f"{board.n:,}", board.sampling
    if sampling is not None and sampling.unit == "group":
        text += f" in {sampling.n_units:,} groups, drawn whole"
    return text + (f", in {len(sampling.strata):,} strata" if sampling is not None and sampling.strata else "")


def _few(names: list[str]) -> str:
    if len(names) <= 4:
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return first_few(names, len(names))


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


@held_against.register
def _(result: Leaderboard, margin: float) -> str:
    differences = [(f"{pair.b} against {pair.a}", pair.interval) for pair in result.pairs]
    return of_many(differences, result.higher_is_better, margin)
