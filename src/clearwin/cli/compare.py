"""clearwin compare and clearwin estimate."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from clearwin.cli.command import Subcommand, command_line, show, wanted, wrong_number_of_groups
from clearwin.cli.logs import ask_logs, refuse_log_settings, runs_of
from clearwin.cli.options import options
from clearwin.cli.typed import as_taken, data_of
from clearwin.errors import OptionError

if TYPE_CHECKING:
    from clearwin.cli.command import Wanted
    from clearwin.data.logs import Runs
    from clearwin.measures import Measure
    from clearwin.results.base import Result
    from clearwin.results.caveats import Caveat


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
    with asked.opened() as data:
        result = asked.result(data)
        result = replace(cast(Any, result), caveats=(*guessed, *result.caveats))
        show(result, how)
        if how.disagreements is not None:
            asked.write_disagreements(data, result, how.disagreements)


def _columns_are_known(files: list[dict[str, Any]], id: str | None) -> bool:
    """Return whether nothing needs guessing, because each of several files has one column besides the id."""
    from clearwin.data.files.columns import INDEX

    besides = [[c for c in file["columns"] if c["name"] not in (id, *INDEX)] for file in files]
    return len(files) > 1 and id is not None and all(len(columns) == 1 for columns in besides)


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
    if _columns_are_known(seen["files"], settings["id"]):
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
        wanted["id"] = guess.get("id")
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

    called = {"truth": "the truth", "a": "A", "b": "B", "id": "the id", "positive": "the positive class"}
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
    """What to compare, and how, as the verb takes it; the gate and the page also use this."""

    files: tuple[str, ...]
    settings: dict[str, Any]
    per_class: bool = False

    @classmethod
    def of(cls, files: tuple[str, ...], *, per_class: bool, correction: str, **settings: Any) -> FileComparison:
        """Check what the options say; no file is read yet."""
        from clearwin.analyses.compare import compare as compare_data
        from clearwin.data.arrays import GROUP_ROLES
        from clearwin.numerics.corrections import check_known

        check_known(correction)
        refuse_log_settings(files, settings)
        groups, most = settings.get("groups") or (), 1 if per_class else len(GROUP_ROLES)
        if len(groups) > most:
            raise wrong_number_of_groups(groups, most)
        if per_class and settings.get("by") is not None:
            raise OptionError("--per-class and --by were both given.", "one of them at a time", "--by alone")
        if per_class or settings.get("by") is not None:
            settings["correction"] = correction
        asked = cls(files, as_taken(compare_data, settings), per_class)
        if per_class:
            asked._refuse_per_class()
        return asked

    @property
    def measure(self) -> Measure:
        """The measure that was named, or the default one."""
        from clearwin.measures import find

        return find(self.settings.get("measure", "f1"))

    def _refuse_per_class(self) -> None:
        """Raise where there are no classes to take in turn."""
        given = self.settings
        if self.measure.of_winners:
            raise OptionError("Battles have neither slices nor classes.", "neither --by nor --per-class")
        if "order" in given:
            raise OptionError(
                "--per-class treats items as independent, and --order says that they are not.",
                "one of them at a time",
                "leave --order out",
            )
        of_numbers = self.measure.takes not in ("decisions", "label sets") or {"threshold", "dev"} & given.keys()
        if of_numbers or "positive" in given:
            raise OptionError("--per-class takes every class in turn.", "neither scores nor --positive with it")
        if self.measure.judges_marks and "truth" not in given and len(self.files) < 3:
            raise OptionError("--per-class needs the classes of the truth.", "the truth", "--truth COLUMN")

    def opened(self) -> AbstractContextManager[Any]:
        """Open the files."""
        return data_of(self.files, self.settings)

    def result(self, data: Any, **other: Any) -> Result:
        """Compare what the files hold; ``other`` settings replace those that were given."""
        settings = {name: value for name, value in self.settings.items() if name != "id"} | other
        if self.per_class:
            from clearwin.analyses.per_class import compare_by_class

            return compare_by_class(data=data, **settings)
        from clearwin.analyses.compare import compare as compare_data

        return compare_data(data=data, **settings)

    def write_disagreements(self, data: Any, result: Result, path: str) -> None:
        """Write the items on which the models differ as CSV, by id or by row; row 1 is the first item."""
        from clearwin.analyses.disagreements import disagreements
        from clearwin.data.reading import Reading
        from clearwin.reports.csv import csv_table
        from clearwin.results.comparison import Comparison, Disagreement
        from clearwin.results.writing import write_text

        if isinstance(data, str):
            raise OptionError("A file of counts does not list items.", "a file with the answers for every item")
        if isinstance(result, Comparison):
            found = result.disagreements()
        else:
            given = self.settings
            how = Reading(**{name: given[name] for name in ("labels", "separator", "missing") if name in given})
            truth, a, b = (given.get(role) for role in ("truth", "a", "b"))
            found = disagreements(data, truth, a, b, self.measure, how, None)
        write_text(path, csv_table(found, Disagreement))


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("estimate")
def estimate(files: tuple[str, ...], truth: str | None, a: str | None, id: str | None, **settings: Any) -> None:
    """Estimate a measure of one classifier, with its interval.

    FILE... is one file with the columns of truth and answers, or an evaluation log; with a TREC run its judgements.
    """
    how = wanted(settings, reads=(*files, settings["dev"]))
    runs = runs_of(files, {"truth": truth, "id": id, **settings})
    if runs is not None:
        from clearwin.analyses.estimate import estimate as estimate_arrays

        show(ask_logs(estimate_arrays, runs), how=how)
        return
    from clearwin.analyses.estimate import estimate as estimate_data

    refuse_log_settings(files, settings)
    if len(files) != 1:
        raise OptionError(f"{len(files)} files were given.", "one file for one model", f"clearwin estimate {files[0]}")
    given = as_taken(estimate_data, {"truth": truth, "a": a, "id": id, **settings})
    with data_of(files, given) as data:
        given.pop("id", None)
        show(estimate_data(data=data, **given), how=how)
