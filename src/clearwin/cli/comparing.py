"""clearwin compare and clearwin estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.options import (
    a_option,
    id_option,
    output,
    score_settings,
    settings,
    truth_option,
    wrong_number_of_files,
)
from clearwin.cli.output import refuse_overwriting, show
from clearwin.errors import OptionError

if TYPE_CHECKING:
    from clearwin.result import Record


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@truth_option
@a_option
@click.option("--b", "b", metavar="COLUMN", help="Column with B's decisions, scores or values; B is the challenger.")
@id_option
@settings
@click.option("--test", default="auto", show_default=True, metavar="NAME", help="A name from `clearwin tests`.")
@click.option("--method", default="auto", show_default=True, metavar="NAME", help="The form inside the test.")
@click.option("--claim", default="different", show_default=True, metavar="CLAIM",
              help="What is to be shown of B: different, better or worse.")  # fmt: skip
@click.option("--per-class", is_flag=True, help="Compare in every class, each against the others.")
@click.option("--correction", default="holm", show_default=True, metavar="NAME",
              help="For --per-class: holm or benjamini-hochberg.")  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of the verdict.")
@click.option("--threshold", metavar="T[,T]", help="Make decisions of scores: one threshold, one each, or best.")
@click.option("--dev", metavar="FILE", help="File with the same columns to choose the thresholds on.")
@score_settings
@output
def compare(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None,
    per_class: bool, correction: str, alpha: float, as_json: bool, output: str | None, force: bool, **settings: Any,
) -> None:  # fmt: skip
    """Compare two classifiers on one test set.

    FILE... is one file with the columns truth, a and b; or three files (truth, A, B) joined by --id; or a .json file
    with the counts e1 to e8. A measure of values, such as mean, needs no truth: two columns, or two files. CSV, TSV,
    Parquet and JSONL by their endings; - is standard input.
    """
    from clearwin.significance.base import check_probability

    check_probability("alpha", alpha)
    refuse_overwriting(output, force)
    columns = _roles(settings, truth, {"a": a, "b": b})
    scores = _wants_scores(settings)
    if per_class and (scores or settings["positive"] is not None):
        raise OptionError("--per-class takes every class in turn.", "neither scores nor --positive with it")
    if scores:
        result = _compare_score_files(files, columns, id_column, settings)
    else:
        result = _compare_files(files, columns, id_column, settings, correction if per_class else None)
    show(result, alpha, as_json, output)


def _wants_scores(settings: dict[str, Any]) -> bool:
    """Whether the columns are to be read as numbers: by the measure, or to put a threshold to them."""
    from clearwin.measures import find

    wanted = find(settings["measure"]).takes != "decisions"
    return wanted or any(settings.get(x) is not None for x in ("threshold", "dev"))


def _roles(settings: dict[str, Any], truth: str | None, models: dict[str, str | None]) -> dict[str, str | None]:
    """Return the column of each role; a measure of values has no truth."""
    from clearwin.measures import find

    measure = find(settings["measure"])
    if measure.takes != "values":
        return {"truth": truth, **models}
    if truth is not None:
        raise OptionError(
            f"{measure.label} is a mean of the items' own values and takes no truth.",
            "--a and --b with the values",
            "leave --truth out, or take --measure mae for predictions of a number",
        )
    return models


def _compare_score_files(
    files: tuple[str, ...], columns: dict[str, str | None], id_column: str | None, settings: dict[str, Any]
) -> Record:
    from clearwin.compare import compare as compare_arrays
    from clearwin.files import is_counts_file, scores_file, scores_joined_files

    if any(is_counts_file(file) for file in files):
        what = "A file of counts has no scores."
        raise OptionError(what, "a file with a score for every item", "clearwin compare scores.csv --a sys1 --b sys2")
    if len(files) == 1:
        found = scores_file(files[0], columns, id_column=id_column)
    elif len(files) == len(columns) and id_column:
        found = scores_joined_files(dict(zip(columns, files, strict=True)), columns, id_column=id_column)
    else:
        raise wrong_number_of_files(files, id_column, tuple(columns))
    if settings["dev"] is not None:
        dev = scores_file(settings["dev"], columns)
        settings["dev"] = (dev.truth, *dev.scores)
    if settings["threshold"] is not None:
        settings["threshold"] = _read_threshold(settings["threshold"])
    name_a, name_b = found.names[-2:]
    names = (name_a, name_b) if name_a != name_b else ("A", "B")
    return compare_arrays(found.truth, *found.scores, names=names, **settings)


def _read_threshold(text: str) -> Any:
    """Return "best", a number, or a number for each model, as written."""
    if text == "best":
        return text
    parts = text.split(",")
    return parts[0] if len(parts) == 1 else parts


def _compare_files(
    files: tuple[str, ...], columns: dict[str, str | None], id_column: str | None, settings: dict[str, Any],
    correction: str | None,
) -> Record:  # fmt: skip
    from clearwin.classes import classes_of_tally
    from clearwin.compare import compare_counts, compare_tally
    from clearwin.counts import JointCounts
    from clearwin.files import is_counts_file, read_joint_counts, tally_file, tally_joined_files

    for name in ("threshold", "dev", "stratified", "rank_infinite"):
        if settings.pop(name):
            raise OptionError(f"--{name.replace('_', '-')} is for scores.", "a measure of scores, such as auc")
    if len(files) == 1 and (is_counts_file(files[0]) or (files[0] == "-" and not any(columns.values()))):
        if settings.pop("positive") is not None or any(columns.values()) or id_column or correction:
            raise OptionError(
                f"{files[0]} holds counts, which have no columns and no labels.",
                "neither --truth, --a, --b, --id, --positive nor --per-class with a counts file",
            )
        return compare_counts(JointCounts(**read_joint_counts(files[0])), **settings)
    if len(files) == 1:
        found = tally_file(files[0], columns, id_column=id_column)
    elif len(files) == 3 and id_column:
        found = tally_joined_files(dict(zip(columns, files, strict=True)), columns, id_column=id_column)
    else:
        raise wrong_number_of_files(files, id_column)
    _, name_a, name_b = found.names
    names = (name_a, name_b) if name_a != name_b else ("A", "B")
    if correction is not None:
        settings.pop("positive")
        return classes_of_tally(found.counts, names=names, correction=correction, **settings)
    return compare_tally(found.counts, names=names, **settings)


@click.command()
@click.argument("file")
@truth_option
@a_option
@id_option
@settings
@click.option("--threshold", metavar="T", help="Make decisions of scores at this threshold.")
@score_settings
@output
def estimate(
    file: str, truth: str | None, a: str | None, id_column: str | None, as_json: bool, output: str | None,
    force: bool, **settings: Any,
) -> None:  # fmt: skip
    """Estimate a measure of one classifier, with its interval."""
    from clearwin.estimate import estimate as estimate_arrays
    from clearwin.estimate import estimate_tally
    from clearwin.files import scores_file, tally_file

    refuse_overwriting(output, force)
    columns = _roles(settings, truth, {"a": a})
    if _wants_scores(settings):
        scored = scores_file(file, columns, id_column=id_column)
        result = estimate_arrays(scored.truth, *scored.scores, name=scored.names[-1], **settings)
    else:
        settings.pop("threshold")
        for name in ("stratified", "rank_infinite"):
            if settings.pop(name):
                raise OptionError(f"--{name.replace('_', '-')} is for scores.", "a measure of scores, such as auc")
        found = tally_file(file, columns, id_column=id_column)
        result = estimate_tally(found.counts, name=found.names[1], **settings)
    show(result, 0.05, as_json, output)
