"""From a leaderboard to words: who is shown to be ahead of whom, a table of places, a matrix of differences."""

from __future__ import annotations

from clearwin.errors import first_few
from clearwin.numerics.intervals import Interval
from clearwin.results.leaderboard import Leaderboard, PairDifference
from clearwin.text import WIDTH
from clearwin.wording.base import Block, Facts, Story, Table, Words, aligned
from clearwin.wording.methods import Name, board_rows, call, spelled
from clearwin.wording.verdict import interval_name, interval_text, number, p_number, signed

CORRECTED = {"holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg", "max-t": "max-T"}


def headline(board: Leaderboard) -> str:
    """Say who is ahead, if that is shown."""
    label = board.measure_label
    if board.baseline is not None:
        better = [pair.b for pair in board.pairs if pair.shown and _gain(board, pair) > 0]
        worse = [pair.b for pair in board.pairs if pair.shown and _gain(board, pair) < 0]
        told = [f"{_few(who)} {_is(who)} {word}" for who, word in ((better, "better"), (worse, "worse")) if who]
        if not told:
            return f"No model is shown to be different from {board.baseline} in {label}"
        return f"{' and '.join(told)} than {board.baseline} in {label}"
    first = board.names[0]
    if not any(pair.shown for pair in board.pairs) and any(c.code == "few_resamples" for c in board.caveats):
        return f"{board.signature.n_resamples:,} replicates are too few to tell any of {len(board.pairs):,} pairs apart"
    if not any(pair.shown for pair in board.pairs):
        return f"No model is shown to be different from another in {label}"
    beaten = {pair.a for pair in board.pairs if pair.b == first and pair.shown}
    open_ones = [name for name in board.names[1:] if name not in beaten]
    if not open_ones:
        return f"{first} is better than {'every other model' if len(beaten) > 1 else board.names[1]} in {label}"
    return f"{first} has the best {label} and is not shown to be different from {_few(open_ones)}"


def sentence(board: Leaderboard) -> str:
    """Say what was shown, by how many tests, and against which null hypothesis."""
    return f"{headline(board)}. {how_many_tests(board)} Null hypothesis of each: {board.null_hypothesis}."


def how_many_tests(board: Leaderboard) -> str:
    """Say how many tests were made and how their p-values were corrected."""
    n = board.n_tests
    how = f", p corrected by {CORRECTED[board.correction]}" if n > 1 else ""
    which = "against the baseline" if board.baseline is not None else "of all pairs"
    return (
        f"{n:,} bootstrap test{'s' if n > 1 else ''} {which} on {board.signature.n_resamples:,} shared "
        f"replicates{how}, judged at {board.alpha:g}."
    )


def story(board: Leaderboard) -> Story:
    """Return what the board tells, in parts: places, differences, what was tested."""
    letters = [Words("Models that share a letter are not shown to be different.")] if board.groups else []
    return Story(
        opening=(f"{headline(board)}.",),
        verdict=sentence(board),
        blocks=(_standings(board), *letters, _comparisons(board), Facts(tuple(rows(board)))),
        null_hypothesis=board.null_hypothesis,
        null_title="Null hypothesis of each test",
        caveats=tuple(map(str, board.caveats)),
        call=_call(board),
        method=board_rows(board.measure, board.measure_label, board.correction, board.n_tests),
    )


def rows(board: Leaderboard) -> list[tuple[str, str]]:
    """Return what holds for all models: what is called what."""
    notes = [("tests", how_many_tests(board))]
    if board.overall is not None:
        o = board.overall
        found = f"{o.label} = {o.statistic:.4g} on {o.degrees} degrees of freedom, p = {p_number(o.p_value)}"
        notes.append(("all together", f"{found}, against: {o.null_hypothesis}"))
    notes.append(("items", _items(board)))
    if board.positive is not None:
        notes.append(("positive class", f"{board.positive}{'  (inferred)' if board.positive_inferred else ''}"))
    notes.append(("direction", f"{'higher' if board.higher_is_better else 'lower'} {board.measure_label} is better"))
    notes.append(("repeat with", f"seed {board.signature.seed}, clearwin {board.signature.version}"))
    return notes


def _call(board: Leaderboard) -> str:
    signature, sampling = board.signature, board.sampling
    together = {
        "groups": Name("groups") if sampling is not None and sampling.unit == "group" else None,
        "strata": Name("strata") if sampling is not None and sampling.strata else None,
    }
    return call(
        "rank",
        "truth, models",
        measure=spelled(board.measure),
        baseline=board.baseline,
        correction=board.correction,
        positive=None if board.positive_inferred else board.positive,
        **together,
        n_resamples=signature.n_resamples,
        confidence_level=signature.confidence_level,
        alpha=board.alpha,
        rng=signature.seed,
    )


def _standings(board: Leaderboard) -> Table:
    head = ("rank", "model", board.measure_label, _interval_head(board.interval), "rank interval")
    table = []
    for model in board.models:
        cells = (str(model.rank), model.name, number(model.estimate), interval_text(model.interval))
        table.append((*cells, f"{model.best_rank} to {model.worst_rank}", *([model.letters] if board.groups else [])))
    return Table((*head, *(["group"] if board.groups else [])), tuple(table))


def _interval_head(interval: Interval) -> str:
    """Name level and kind: the values' intervals are of another kind than the differences', and than `estimate`'s."""
    return f"{interval_name(interval)} ({interval.method})"


def _comparisons(board: Leaderboard) -> Block:
    """Return the differences from the baseline, or the matrix of all if it fits the page."""
    if board.baseline is not None:
        interval = _interval_head(board.pairs[0].interval)
        head = ("", f"difference from {board.baseline}", interval, "p", "corrected p")
        lines = [
            (
                pair.b,
                signed(pair.difference),
                interval_text(pair.interval, signed),
                p_number(pair.p_value),
                p_number(pair.adjusted_p),
            )
            for pair in board.pairs
        ]
        return Table(head, tuple(lines))
    title = "Differences (row − column) above the diagonal, corrected p-values below it:"
    matrix = tuple((name, *_matrix_row(board, i)) for i, name in enumerate(board.names))
    found = Table(("", *board.names), matrix, title)
    if max(map(len, aligned(found))) <= WIDTH:
        return found
    return Words(f"All {board.n_tests:,} differences with their p-values are in the JSON (`--json`, `.to_json()`).")


def _matrix_row(board: Leaderboard, i: int) -> list[str]:
    differences, p = board.differences[i], board.adjusted_p[i]
    return ["·" if i == j else p_number(float(p[j])) if j < i else signed(float(d)) for j, d in enumerate(differences)]


def _items(board: Leaderboard) -> str:
    text, sampling = f"{board.n:,}", board.sampling
    if sampling is not None and sampling.unit == "group":
        text += f" in {sampling.n_units:,} groups, which are drawn whole"
    return text + (f", in {len(sampling.strata):,} strata" if sampling is not None and sampling.strata else "")


def _gain(board: Leaderboard, pair: PairDifference) -> float:
    return pair.difference if board.higher_is_better else -pair.difference


def _few(names: list[str]) -> str:
    if len(names) <= 4:
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return first_few(names, len(names))


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
