"""From a leaderboard to words: who is shown to be ahead of whom, a table of places, a matrix of differences."""

from __future__ import annotations

import html
import textwrap

from clearwin.errors import first_few
from clearwin.leaderboard import Leaderboard
from clearwin.model_pairs import PairDifference
from clearwin.verdict import WIDTH, interval_name, interval_text, number, p_number, printable, signed

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


def as_text(board: Leaderboard) -> str:
    """Write the whole board for a person."""
    direction = "higher" if board.higher_is_better else "lower"
    parts = [f"{_line(headline(board))}.", "", *_columns(_standings(board)), ""]
    if board.groups:
        parts.append("Models that share a letter are not shown to be different.")
    parts += _comparisons(board)
    parts.append("")
    notes = [("tests", how_many_tests(board))]
    if board.overall is not None:
        o = board.overall
        found = f"{o.label} = {o.statistic:.4g} on {o.degrees} degrees of freedom, p = {p_number(o.p_value)}"
        notes.append(("all together", f"{found}, against: {o.null_hypothesis}"))
    notes.append(("items", _items(board)))
    if board.positive is not None:
        notes.append(("positive class", f"{board.positive}{'  (inferred)' if board.positive_inferred else ''}"))
    notes.append(("direction", f"{direction} {board.measure_label} is better"))
    notes.append(("repeat with", f"seed {board.signature.seed}, clearwin {board.signature.version}"))
    parts += [_wrapped(_line(value), f"  {name:<14}  ") for name, value in notes]
    parts += ["", _wrapped(f"{board.null_hypothesis}.", "Null hypothesis of each test: ")]
    parts += [_wrapped(_line(str(caveat)), "Caveat: ") for caveat in board.caveats]
    return printable("\n".join(parts))


def as_html(board: Leaderboard) -> str:
    """Write a small table for a notebook; every name is text, never markup."""
    head, *body = _standings(board)
    rows = "<tr>" + "".join(f"<th style='text-align:left'>{html.escape(cell)}</th>" for cell in head) + "</tr>"
    for line in body:
        rows += "<tr>" + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in line) + "</tr>"
    doubts = "".join(f"<li>{html.escape(str(caveat))}</li>" for caveat in board.caveats)
    told = f"<p><strong>{html.escape(headline(board))}</strong></p>"
    below = (
        f"<p>{html.escape(how_many_tests(board))} Null hypothesis of each: {html.escape(board.null_hypothesis)}.</p>"
    )
    return f"{told}<table>{rows}</table>{below}" + (f"<p>Caveats</p><ul>{doubts}</ul>" if doubts else "")


def _standings(board: Leaderboard) -> list[list[str]]:
    head = ["rank", "model", board.measure_label, interval_name(board.interval), "rank interval"]
    table = [[*head, *(["group"] if board.groups else [])]]
    for model in board.models:
        cells = [str(model.rank), _line(model.name), number(model.estimate), interval_text(model.interval)]
        cells.append(f"{model.best_rank} to {model.worst_rank}")
        table.append([*cells, *([model.letters] if board.groups else [])])
    return table


def _comparisons(board: Leaderboard) -> list[str]:
    """Return the differences from the baseline, or the matrix of all if it fits the page."""
    if board.baseline is not None:
        table = [["", f"difference from {_line(board.baseline)}", interval_name(board.interval), "p", "corrected p"]]
        for pair in board.pairs:
            texts = [signed(pair.difference), interval_text(pair.interval, signed)]
            table.append([_line(pair.b), *texts, p_number(pair.p_value), p_number(pair.adjusted_p)])
        return _columns(table)
    names = [_line(name) for name in board.names]
    lines = _columns([["", *names], *([name, *_matrix_row(board, i)] for i, name in enumerate(names))])
    if max(map(len, lines)) > WIDTH:
        text = f"All {board.n_tests:,} differences with their p-values are in the JSON (`--json`, `.to_json()`)."
        return [_wrapped(text, "")]
    return [
        "", "Differences (row − column) above the diagonal, corrected p-values below it:", "", *lines
    ]  # fmt: skip


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


def _line(text: str) -> str:
    """Return a name as it can stand inside a line."""
    return printable(" ".join(text.splitlines()))


def _columns(table: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]


def _wrapped(text: str, lead: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
