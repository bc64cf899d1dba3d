"""clearwin compare and clearwin estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from clearwin.cli.command import Subcommand, command_line, show, wanted
from clearwin.cli.logs import ask_logs, refuse_log_settings, runs_of
from clearwin.cli.options import options
from clearwin.cli.reading import (
    Request,
    grouping,
    read_threshold,
    refuse_score_settings,
    request,
    together_of,
)
from clearwin.errors import OptionError

if TYPE_CHECKING:
    from clearwin.cli.command import Wanted
    from clearwin.data.logs import Runs
    from clearwin.results.base import Result
    from clearwin.results.caveats import Caveat
    from clearwin.results.comparison import Comparison


MOST_TO_READ_AGAIN = 100_000  # rows of a file that were counted, to look at their order
# settings for reading scores, which are not needed after that
OF_READING = ("measure", "positive", "labels", "threshold", "dev", "rank_infinite", "lower_is_positive")


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("compare")
def compare(files: tuple[str, ...], **settings: Any) -> None:
    """Compare two classifiers on one test set.

    FILE... is one file with the columns truth, a and b; or the files of A and B, one of which has the column --truth,
    or three files (truth, A, B), joined by --id; or a .json file with the counts e1 to e8. A measure of values, such as
    mean, needs no truth: two columns, or two files. Files are CSV, TSV, Parquet, JSON (an array of objects) or JSONL,
    by their endings; - is standard input. What lies in an object of JSON is the column outer.inner.

    Without --truth, --a and --b the columns and the measure are guessed, as on the page, and the guess is printed.

    FILE... may also be evaluation logs, one path for each system (`clearwin inspect` says what is in them).

    For items with several labels, give --separator "," for columns of lists such as "3,17", or a pattern for columns of
    0 and 1, one for each label: --truth "gold_*" --a "svm_*" --b "rbf_*".
    """
    how = wanted(settings, reads=(*files, settings["dev"]))
    if how.disagreements is not None and not how.disagreements.lower().endswith(".csv"):
        raise OptionError(
            f"--disagreements names {how.disagreements}.", "a file that ends in .csv", "--disagreements differ.csv"
        )
    runs = runs_of(files, settings)
    if runs is not None:
        _compare_logs(runs, how)
        return
    guessed: tuple[Caveat, ...] = ()
    if not any(settings[role] for role in ("truth", "a", "b")):
        files, settings, guessed = _guessed(files, settings)
    asked = FileComparison.of(files, **settings)
    result = asked.result()
    result = replace(cast(Any, result), caveats=(*guessed, *result.caveats))
    show(result, how)
    if how.disagreements is not None:
        asked.write_disagreements(result, how.disagreements)


def _columns_are_known(files: list[dict[str, Any]], id_column: str | None) -> bool:
    """Return whether nothing needs guessing, because each of several files has one column besides the id."""
    from clearwin.data.files.columns import INDEX

    besides = [[c for c in file["columns"] if c["name"] not in (id_column, *INDEX)] for file in files]
    return len(files) > 1 and id_column is not None and all(len(columns) == 1 for columns in besides)


def _guessed(
    files: tuple[str, ...], settings: dict[str, Any]
) -> tuple[tuple[str, ...], dict[str, Any], tuple[Caveat, ...]]:
    """Use the columns that the page would start from if none was named, and ask whether they are right.

    A file of counts has no columns, and standard input is read only once. Where more than one reading is possible, the
    commands for each of them are printed instead of an answer.
    """
    from clearwin.data.files.guessing import look
    from clearwin.data.files.predictions import is_counts_file
    from clearwin.measures import find

    if any(file == "-" or is_counts_file(file) for file in files):
        return files, settings, ()
    seen = look(list(files))
    if _columns_are_known(seen["files"], settings["id_column"]):
        return files, settings, ()
    guess = seen["guess"]
    if "doubt" in guess:
        raise unclear_columns(guess["doubt"], guess["commands"])
    context = click.get_current_context()
    given = [name for name in settings if context.get_parameter_source(name) is not ParameterSource.DEFAULT]
    wanted = {role: guess.get(role) for role in ("truth", "a", "b")}
    if "measure" in given:
        if not find(settings["measure"]).needs_truth:
            del wanted["truth"]
    else:
        wanted |= {name: guess.get(name) for name in ("measure", "positive", "separator")}
    if len(files) > 1:
        wanted["id_column"] = guess.get("id")
    roles = guess["roles"]
    if len(files) == 3:
        files = tuple(files[roles.index(role)] for role in ("truth", "a", "b"))
    taken = {name: value for name, value in wanted.items() if value and name not in given}
    for name, value in {**taken, "files": files}.items():
        context.params[name] = value
        context.set_parameter_source(name, ParameterSource.COMMANDLINE)
    return files, settings | taken, (_guess_to_confirm(taken),)


def _guess_to_confirm(taken: dict[str, str]) -> Caveat:
    """Ask whether the columns and the measure that nobody named are the right ones."""
    from clearwin.results.caveats import caveat

    called = {"truth": "the truth", "a": "A", "b": "B", "id_column": "the id", "positive": "the positive class"}
    named = [f"{taken[role]} as {name}" for role, name in called.items() if role in taken]
    if "truth" not in taken:
        named.append("1 and 0 (or True and False) as right and wrong")
    return caveat("guessed", columns=named, measure=taken.get("measure"), command=command_line(""))


def unclear_columns(doubt: str, commands: Sequence[str]) -> OptionError:
    """Say why nothing was guessed, and what to type for each thing that the files could answer."""
    return OptionError(
        f"{doubt} Nothing was compared.",
        "columns by name: --truth, --a and --b",
        "\n    ".join(["", *commands]) if commands else "clearwin compare FILE --truth COLUMN --a COLUMN --b COLUMN",
    )


def _compare_logs(runs: Runs, how: Wanted) -> None:
    from clearwin.analyses.compare import compare as compare_arrays
    from clearwin.reports.csv import csv_table
    from clearwin.results.comparison import Disagreement
    from clearwin.results.writing import write_text

    result = ask_logs(compare_arrays, runs)
    show(result, how)
    if how.disagreements is not None:
        write_text(how.disagreements, csv_table(result.disagreements(), Disagreement))


@dataclass(frozen=True)
class FileComparison:
    """What to compare, and how; the page also uses this."""

    request: Request
    settings: dict[str, Any]
    correction: str | None  # correction for the number of classes or slices
    labels: tuple[str | None, str | None] = (None, None)  # for battles: the models' names in the column of winners

    @classmethod
    def of(
        cls,
        files: tuple[str, ...],
        *,
        truth: str | None,
        a: str | None,
        b: str | None,
        id_column: str | None,
        per_class: bool,
        correction: str,
        by: str | None = None,
        **settings: Any,
    ) -> FileComparison:
        """Check what the options say; no file is read yet."""
        from clearwin.numerics.corrections import check_known

        check_known(correction)
        refuse_log_settings(files, settings)
        if per_class and by is not None:
            raise OptionError("--per-class and --by were both given.", "one of them at a time", "--by alone")
        found = request(files, truth, {"a": a, "b": b}, id_column, settings, crossed=not per_class, by=by)
        if per_class and (found.kind in ("numbers", "sums") or settings["positive"] is not None):
            raise OptionError("--per-class takes every class in turn.", "neither scores nor --positive with it")
        if per_class and found.extra["order"] is not None:
            raise OptionError(
                "--per-class treats items as independent, and --order says that they are not.",
                "one of them at a time",
                "leave --order out",
            )
        if per_class and "truth" not in found.columns:
            raise OptionError("--per-class needs the classes of the truth.", "the truth", "--truth COLUMN")
        if found.measure.of_winners and (per_class or by is not None):
            raise OptionError("Battles have neither slices nor classes.", "neither --by nor --per-class")
        return cls(found, settings, correction if per_class or by is not None else None, (a, b))

    def result(self, **other: Any) -> Result:
        """Read the files and compare; ``other`` settings replace those that were given."""
        compare_kind = {
            "numbers": _compare_numbers,
            "sums": _compare_sums,
            "label sets": _compare_label_sets,
            "decisions": _compare_decisions,
        }
        if self.request.measure.of_winners:
            return _compare_winners(self.request, self.settings | other, self.labels)
        return compare_kind[self.request.kind](self.request, self.settings | other, self.correction)

    def write_disagreements(self, result: Result, path: str) -> None:
        """Write the items on which the models differ as CSV, by id or by row; row 1 is the first item."""
        from clearwin.analyses.disagreements import of_label_sets
        from clearwin.data.files.predictions import disagreements_file, is_counts_file
        from clearwin.reports.csv import csv_table
        from clearwin.results.comparison import Comparison, Disagreement
        from clearwin.results.writing import write_text

        asked = self.request
        if any(is_counts_file(file) for file in asked.files):
            raise OptionError("A file of counts does not list items.", "a file with the answers for every item")
        if asked.kind == "decisions":
            found = disagreements_file(asked.sources, asked.columns, id_column=asked.id_column)
        else:
            read = replace(asked, extra={"item": asked.id_column})
            if asked.kind == "label sets":
                sets = read.label_sets()
                found = of_label_sets(sets.sets, sets.extra.get("item", range(1, sets.sets.n + 1)))
            else:
                assert isinstance(result, Comparison)  # only decisions and label sets are compared class by class
                extra = read.scores.extra if asked.kind == "numbers" else read.sums()[1]
                found = result.disagreements(ids=extra.get("item", range(1, result.n + 1)))
        write_text(path, csv_table(found, Disagreement))


def _compare_numbers(asked: Request, settings: dict[str, Any], correction: str | None) -> Result:
    from clearwin.analyses.compare import answer
    from clearwin.analyses.compare import compare as compare_arrays
    from clearwin.data.questions import Options

    binned = asked.binned(settings)
    if binned is not None:
        options = {name: value for name, value in settings.items() if name not in OF_READING}
        return answer(
            (binned.sample, asked.measure), Options.of("compare", {**options, "names": asked.names_of(binned.names)})
        )
    found = asked.scores
    _read_dev(asked, settings)
    if settings["threshold"] is not None:
        settings["threshold"] = read_threshold(settings["threshold"])
    a, b = found.scores
    settings |= together_of(found.extra) | {"missing": asked.missing, "names": asked.names_of(found.names)}
    settings |= _slices_of(asked, found.extra, correction)
    return _by_column(asked, compare_arrays(found.truth, a, b, **settings))


def _read_dev(asked: Request, settings: dict[str, Any]) -> None:
    """Read the file on which thresholds are to be chosen, if there is one."""
    from clearwin.data.files.predictions import scores_file

    if settings["dev"] is not None:
        dev = scores_file(settings["dev"], asked.columns, rank_infinite=asked.rank_infinite, own_types=True)
        settings["dev"] = (dev.truth, *dev.scores)


def _compare_winners(asked: Request, settings: dict[str, Any], labels: tuple[str | None, str | None]) -> Result:
    from clearwin.analyses.compare import compare as compare_arrays
    from clearwin.data.arrays import SIDES
    from clearwin.data.preferences import refuse_other_battles

    refuse_score_settings(settings)
    found = asked.scores
    if found.extra.keys() >= {*SIDES}:
        refuse_other_battles(found.truth or (), *(found.extra[side] for side in SIDES))
    settings |= together_of(found.extra) | {"missing": asked.missing, "names": asked.names}
    return compare_arrays(found.truth, *labels, **settings)


def _slices_of(asked: Request, extra: dict[str, list[str]], correction: str | None) -> dict[str, Any]:
    """Return the slices as the verb takes them, if there are some."""
    return {} if asked.by is None else {"by": extra["slice"], "correction": correction}


def _by_column(asked: Request, result: Comparison) -> Comparison:
    """Return the result with the name of the column of slices."""
    if result.slicing is None or asked.by is None:
        return result
    return replace(result, slicing=replace(result.slicing, by=asked.by))


def _compare_sums(asked: Request, settings: dict[str, Any], correction: str | None) -> Result:
    from clearwin.analyses.compare import compare as compare_arrays

    refuse_score_settings(settings)
    columns, extra = asked.sums()
    settings |= together_of(extra) | _slices_of(asked, extra, correction)
    return _by_column(asked, compare_arrays(*columns, **settings, names=asked.names))


def _compare_label_sets(asked: Request, settings: dict[str, Any], correction: str | None) -> Result:
    from clearwin.analyses.compare import answer
    from clearwin.analyses.per_class import classes_of_label_sets
    from clearwin.analyses.slices import Slices, slices_of_label_sets
    from clearwin.data.questions import Options
    from clearwin.data.reading import label_sets

    refuse_score_settings(settings)
    if settings.pop("positive") is not None:
        raise OptionError("--positive is for items with one label each.", "--labels to choose among labels")
    found = asked.label_sets()
    how, names = grouping(found.sets.n, found.extra), asked.names_of(found.names)
    labels = settings.pop("labels")
    if correction is not None and asked.by is None:
        return classes_of_label_sets(found.sets, how, names=names, correction=correction, **settings)
    settings.pop("measure")
    options = Options.of("compare", {**settings, "names": names})
    if correction is not None and asked.by is not None:
        by = Slices(asked.by, found.extra["slice"])
        return slices_of_label_sets(found.sets, how, by, asked.measure, options, correction, subset=labels is not None)
    read = label_sets(found.sets, asked.measure, how, subset=labels is not None)
    return answer(read, options)


def _compare_decisions(asked: Request, settings: dict[str, Any], correction: str | None) -> Result:
    from clearwin.analyses.compare import compare as compare_counts
    from clearwin.analyses.compare import compare_tally
    from clearwin.counts import JointCounts
    from clearwin.data.files.predictions import is_counts_file, read_joint_counts

    refuse_score_settings(settings)
    file, named = asked.files[0], any(asked.columns.values()) or asked.grouped or settings["labels"] is not None
    if len(asked.files) == 1 and (is_counts_file(file) or (file == "-" and not named)):
        settings.pop("labels")
        if settings.pop("positive") is not None or named or asked.id_column or correction:
            raise OptionError(
                f"{file} holds counts, without columns or labels.",
                "neither --truth, --a, --b, --id, --groups, --strata, --order, --labels, --positive, --by nor "
                "--per-class with a counts file",
            )
        return compare_counts(JointCounts(**read_joint_counts(file)), **settings, names=asked.names)
    found = asked.tally()
    names = asked.names_of(found.names)
    if correction is not None and asked.by is not None:
        from clearwin.analyses.slices import slices_of_tally
        from clearwin.data.questions import Options

        which = {name: settings.pop(name) for name in ("positive", "labels")}
        settings.pop("measure")
        options = Options.of("compare", {**settings, "names": names})
        which |= {"extra": asked.grouped, "doubts": found.doubts}
        return slices_of_tally(found.counts, asked.by, asked.measure, options, correction, **which)
    settings |= {"names": names, "extra": asked.grouped, "doubts": found.doubts}
    if correction is None and sum(found.counts.values()) <= MOST_TO_READ_AGAIN:
        settings["first_items"] = asked.first_items
    if correction is not None:
        from clearwin.analyses.per_class import classes_of_tally

        settings.pop("positive")
        return classes_of_tally(found.counts, correction=correction, **settings)
    return compare_tally(found.counts, **settings)


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("estimate")
def estimate(files: tuple[str, ...], truth: str | None, a: str | None, id_column: str | None, **settings: Any) -> None:
    """Estimate a measure of one classifier, with its interval.

    FILE... is one file with the columns of truth and answers, or an evaluation log; with a TREC run its judgements.
    """
    how = wanted(settings, reads=(*files, settings["dev"]))
    runs = runs_of(files, {"truth": truth, "id_column": id_column, **settings})
    if runs is not None:
        from clearwin.analyses.estimate import estimate as estimate_arrays

        show(ask_logs(estimate_arrays, runs), how=how)
        return
    refuse_log_settings(files, settings)
    if len(files) != 1:
        raise OptionError(f"{len(files)} files were given.", "one file for one model", f"clearwin estimate {files[0]}")
    asked = request(files, truth, {"a": a}, id_column, settings, crossed=True)
    show(_estimate(asked, settings), how=how)


def _estimate(asked: Request, settings: dict[str, Any]) -> Result:
    from clearwin.analyses.estimate import estimate as estimate_arrays
    from clearwin.analyses.estimate import estimate_tally, estimated, one_model
    from clearwin.data.reading import label_sets

    if asked.kind == "numbers":
        binned = asked.binned(settings)
        if binned is not None:
            options = {name: value for name, value in settings.items() if name not in OF_READING}
            return estimated((binned.sample, asked.measure), one_model(name=binned.names[-1], **options))
        scored = asked.scores
        _read_dev(asked, settings)
        settings |= together_of(scored.extra) | {"name": scored.names[-1], "missing": asked.missing}
        return estimate_arrays(scored.truth, *scored.scores, **settings)
    refuse_score_settings(settings)
    if asked.kind == "sums":
        columns, extra = asked.sums()
        settings |= together_of(extra)
        return estimate_arrays(*columns, **settings)
    if asked.kind == "label sets":
        if settings.pop("positive") is not None:
            raise OptionError("--positive is for items with one label each.", "--labels to choose among labels")
        found = asked.label_sets()
        subset = settings.pop("labels") is not None
        settings.pop("measure")
        read = label_sets(found.sets, asked.measure, grouping(found.sets.n, found.extra), subset=subset)
        return estimated(read, one_model(name=found.names[-1], **settings))
    tallied = asked.tally()
    settings |= {"name": tallied.names[-1], "extra": asked.grouped, "doubts": tallied.doubts}
    if sum(tallied.counts.values()) <= MOST_TO_READ_AGAIN:
        settings["first_items"] = asked.first_items
    return estimate_tally(tallied.counts, **settings)
