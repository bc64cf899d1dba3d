"""What a finished job leaves for the page: words, pictures, the report, the points of the slider."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clearwin.data.scores import ScoreSample
from clearwin.numerics.thresholds import in_type, written
from clearwin.results.base import Result
from clearwin.results.comparison import Comparison
from clearwin.text import one_line, printable
from clearwin.web.folder import write_json
from clearwin.web.refusals import MIB, TooLargeError, size
from clearwin.words.summary import Block, Facts, Grid

if TYPE_CHECKING:
    from clearwin.cli.compare import FileComparison
    from clearwin.reports.html import DrawnPicture

WIDE = 1.9  # width over height from which a picture takes a whole row
MOST_WRITTEN = 20 * MIB  # bytes of everything that a job writes
POINTS_EACH = 1_000  # of each model's own scores


def points_of(asked: FileComparison, data: Any, result: Result) -> dict[str, Any] | None:
    """Return the points of the slider where scores separate two classes, else None."""
    from clearwin.data.arrays import drop_missing
    from clearwin.data.reading import Reading
    from clearwin.data.scores import scored_items
    from clearwin.reading.reading import fetched

    given, measure = asked.settings, asked.measure
    of_scores = bool({"threshold", "dev"} & given.keys()) or (measure.needs_scores and not measure.any_truth)
    if not isinstance(result, Comparison) or not of_scores:
        return None
    if len(result.lower_is_positive) == 1:
        return None  # one slider cannot run both ways
    how = Reading(missing=given.get("missing", "refuse"), rank_infinite=given.get("rank_infinite", False))
    models = {role: given.get(role) for role in ("a", "b")}
    truth, scores, _ = fetched(
        data, given.get("truth"), models, measure, replace(how, threshold=given.get("threshold"))
    )
    kept = {"truth": truth, **scores}
    if how.missing == "drop":
        kept, _ = drop_missing(kept)
    turned = "ab" if result.lower_is_positive else ""
    read_as: dict[str, Any] = {
        "positive": given.get("positive"),
        "rank_infinite": how.rank_infinite,
        "lower_is_positive": turned,
    }
    items = scored_items(kept["truth"], kept["a"], kept["b"], **read_as)
    return operating_points(items, (result.name_a, result.name_b), result.thresholds)


def write_answer(
    folder: Path,
    result: Result,
    command: str,
    points: dict[str, Any] | None,
    renamed: list[dict[str, str]],
    stage: Callable[[str], None],
    margin: float | None = None,
) -> None:
    """Write everything into the folder; ``margin`` is what the interval is read against."""
    from clearwin.reports.html import as_html, pictures_of

    stage("drawing the pictures")
    drawn = pictures_of(result, margin)
    shown = _words(result, margin) | {"command": command, "pictures": _write_pictures(folder, drawn)}
    shown["renamed"] = [{key: one_line(name) for key, name in names.items()} for names in renamed]
    stage("writing the report")
    report = as_html(result, margin=margin, command=command, drawn=drawn)
    (folder / "report.html").write_text(report, encoding="utf-8")
    if points is not None:
        write_json(folder / "thresholds.json", points)
    write_json(folder / "shown.json", shown | {"thresholds": points is not None})
    write_result(folder, result, margin)


def write_result(folder: Path, result: Result, margin: float | None = None) -> None:
    """Write the result as the command prints it, and refuse if the output is too large."""
    (folder / "result.json").write_text(result.to_json(margin=margin) + "\n", encoding="utf-8")
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


def _words(result: Result, margin: float | None) -> dict[str, Any]:
    summary = result.summary(margin=margin)
    return {
        "warnings": summary.warnings,
        "opening": summary.opening,
        "paper": one_line(result.verdict(style="paper")),
        "blocks": [_block(block) for block in summary.blocks],
        "null": summary.null_hypothesis,
        "caveats": summary.caveats,
    }


def _block(block: Block) -> dict[str, Any]:
    """Return a part of the summary as the template lays it out: a sentence, or a table with or without a head."""
    if not isinstance(block, Facts | Grid):
        return {"text": block.text}
    if isinstance(block, Facts):
        return {"rows": block.rows, "head": [], "title": ""}
    return {"rows": block.rows, "head": block.head, "title": block.title}


def _write_pictures(folder: Path, drawn: Sequence[DrawnPicture]) -> list[dict[str, Any]]:
    told = []
    for place, (picture, svg, narrow) in enumerate(drawn):
        (folder / f"{place}.svg").write_text(svg, encoding="utf-8")
        if narrow:
            (folder / f"{place}-narrow.svg").write_text(narrow, encoding="utf-8")
        wide = picture.size[0] > WIDE * picture.size[1]
        told.append(
            {"title": printable(picture.title), "alt": printable(picture.alt), "wide": wide, "narrow": bool(narrow)}
        )
    return told


def operating_points(
    items: ScoreSample, names: tuple[str, ...], given: tuple[float, ...] | None = None
) -> dict[str, Any]:
    """Return thresholds from above all scores to the lowest, with each model's true and false positives at them.

    The thresholds are scores of the models, evenly thinned, and those ``given``, where the slider starts; the counts at
    each are exact. Where lower scores mean the positive class, they run from below all scores to the highest.
    """
    sign = -1.0 if any(items.about.lower_is_positive) else 1.0
    given = None if given is None else tuple(sign * t for t in given)
    typed = list(zip(items.scores, items.types, strict=True))
    own = [written(_thinned(np.unique(scores)).astype(kind)) for scores, kind in typed]
    grid = np.unique(np.concatenate([given or (), *own]))[::-1]
    models = []
    for name, (scores, kind) in zip(names, typed, strict=True):
        accepted, hits = (_at_least(values, in_type(grid, kind)) for values in (scores, scores[items.truth]))
        models.append({"name": printable(name), "tp": [0, *hits.tolist()], "fp": [0, *(accepted - hits).tolist()]})
    thresholds = [str(t) if np.isinf(t) else float(t) for t in sign * grid + 0.0]
    return {
        "thresholds": [f"{'below' if sign < 0 else 'above'} all scores", *thresholds],
        "models": models,
        "positives": items.positives,
        "negatives": items.n - items.positives,
        "positive": printable(str(items.positive)),
        "negative": printable(str(items.negative)),
        "start": None if given is None else [1 + int(np.flatnonzero(grid == t)[0]) for t in given],
    }


def _thinned(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    if distinct.size <= POINTS_EACH:
        return distinct
    return distinct[np.linspace(0, distinct.size - 1, POINTS_EACH).round().astype(np.int64)]


def _at_least(scores: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the scores that reach each threshold."""
    return np.asarray(scores.size - np.searchsorted(np.sort(scores), grid, side="left"), dtype=np.int64)
