"""What a finished job leaves for the page: words, pictures, the report, the points of the slider."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.results.base import Result
from clearwin.results.comparison import Comparison, PerClass
from clearwin.text import one_line, printable
from clearwin.web.folder import write_json
from clearwin.web.limits import MIB, TooLargeError, size
from clearwin.web.settings import command_line
from clearwin.wording.base import Block, Facts, Grid, Summary
from clearwin.wording.comparison import headline
from clearwin.wording.phrases import interval_name, interval_text, number, p_number, signed

if TYPE_CHECKING:
    from clearwin.plots.drawing import Picture


WIDE = 1.9  # times as wide as high: such a picture takes a whole row
MOST_WRITTEN = 20 * MIB  # bytes of all that a job leaves


def points_of(asked: dict[str, Any], result: Result) -> dict[str, Any] | None:
    """Return the points of the slider where two classes are told apart by scores, else None."""
    from clearwin.cli.reading import request
    from clearwin.data.scores import scored_items
    from clearwin.web.threshold import operating_points

    roles = ("files", "truth", "a", "b", "id_column")
    settings = {name: value for name, value in asked.items() if name not in roles}
    files, truth, a, b, id_column = (asked[role] for role in roles)
    found = request(files, truth, {"a": a, "b": b}, id_column, settings)
    measure = found.measure
    if not isinstance(result, Comparison) or not (
        measure.takes == "scores" or found.numbers or (measure.takes == "losses" and not measure.any_truth)
    ):
        return None
    read = found.scores()
    how = {"positive": settings["positive"], "rank_infinite": settings["rank_infinite"]}
    return operating_points(
        scored_items(read.truth, *read.scores, **how), (result.name_a, result.name_b), result.thresholds
    )


def write_answer(
    folder: Path,
    result: Result,
    alpha: float,
    words: list[str],
    points: dict[str, Any] | None,
    renamed: list[dict[str, str]],
    stage: Callable[[str], None],
) -> None:
    """Write everything into the folder."""
    from clearwin.reports.html import as_html, pictures_of

    command = command_line(words)
    stage("drawing the pictures")
    drawn = pictures_of(result, alpha=alpha)
    shown = _words(result, alpha) | {"command": command, "pictures": _write_pictures(folder, drawn)}
    shown["renamed"] = [{key: one_line(name) for key, name in names.items()} for names in renamed]
    stage("writing the report")
    report = as_html(result, alpha=alpha, command=command, drawn=drawn)
    (folder / "report.html").write_text(report, encoding="utf-8")
    if points is not None:
        write_json(folder / "thresholds.json", points)
    write_json(folder / "shown.json", shown | {"thresholds": points is not None})
    write_result(folder, result)


def write_result(folder: Path, result: Result) -> None:
    """Write the result as the command prints it, and refuse if all that was written is too much."""
    (folder / "result.json").write_text(result.to_json() + "\n", encoding="utf-8")
    _refuse_too_much(folder)


def _refuse_too_much(folder: Path) -> None:
    files = [
        path for path in folder.iterdir() if path.suffix in (".svg", ".html", ".json") and path.name != "body.json"
    ]
    written = sum(path.stat().st_size for path in files)
    if written > MOST_WRITTEN:
        for path in files:
            path.unlink()
        raise TooLargeError(
            f"The answer takes {size(written)}.",
            f"at most {size(MOST_WRITTEN)}",
            "fewer classes, shorter names of classes, or the command, which has no such limit",
        )


def _words(result: Result, alpha: float) -> dict[str, Any]:
    assert isinstance(result, Comparison | PerClass)  # what `clearwin compare` gives
    summary = result.summary(alpha)
    return {
        "opening": [printable(line) for line in summary.opening],
        "verdict": _without_repetition(summary, one_line(headline(result, alpha))),
        "blocks": [_block(block) for block in _blocks(summary, result)],
        "null": printable(summary.null_hypothesis),
        "caveats": [printable(caveat) for caveat in summary.caveats],
    }


def _without_repetition(summary: Summary, headline: str) -> str:
    """Return what the verdict says beyond its headline; the null hypothesis has its own place."""
    null = summary.null_hypothesis
    rest = summary.verdict.removesuffix(f" Tested against the null hypothesis: {null}.")
    rest = rest.removesuffix(f", each against the null hypothesis: {null}.").rstrip(".")
    rest = rest.removeprefix(headline).lstrip(":. ")
    return f"{rest[:1].upper()}{rest[1:]}." if rest else ""


def _blocks(summary: Summary, result: Result) -> tuple[Block, ...]:
    """Return the tables of the summary; of classes with a head, a column for each number."""
    if not isinstance(result, PerClass):
        return summary.blocks
    head = (
        result.kind,
        "items",
        result.name_a,
        result.name_b,
        "difference",
        interval_name(result.interval),
        "p",
        f"p, {result.correction}",
    )
    rows = tuple(
        (
            c.label,
            f"{c.n:,}",
            number(c.estimate_a),
            number(c.estimate_b),
            signed(c.difference),
            interval_text(c.interval, signed),
            p_number(c.p_value),
            p_number(c.adjusted_p),
        )
        for c in result.classes
    )
    told = [row for block in summary.blocks if isinstance(block, Facts) for row in block.rows[len(rows) :]]
    return Grid(head, rows, result.measure_label), Facts(tuple(told))


def _block(block: Block) -> dict[str, Any]:
    """Return a part of the summary as the template lays it out: a sentence, or a table with or without a head."""
    if not isinstance(block, Facts | Grid):
        return {"text": printable(block.text)}
    rows = [[printable(cell) for cell in row] for row in block.rows]
    if isinstance(block, Facts):
        return {"rows": rows, "head": [], "title": ""}
    return {"rows": rows, "head": [printable(cell) for cell in block.head], "title": printable(block.title)}


def _write_pictures(folder: Path, drawn: Sequence[tuple[Picture, str]]) -> list[dict[str, Any]]:
    told = []
    for place, (picture, svg) in enumerate(drawn):
        (folder / f"{place}.svg").write_text(svg, encoding="utf-8")
        wide = picture.size[0] > WIDE * picture.size[1]
        told.append({"title": printable(picture.title), "alt": printable(picture.alt), "wide": wide})
    return told
