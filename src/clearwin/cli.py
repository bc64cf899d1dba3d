"""The command: words and bytes only. Everything heavy is imported where it is used, so that --help is quick."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clearwin import __version__
from clearwin.errors import ClearwinError

if TYPE_CHECKING:
    from clearwin.files import FileScores
    from clearwin.result import Record

DEMO = "digits_eight.csv"
DEMO_COLUMNS = {"truth": "truth", "a": "linear", "b": "gaussian"}
Command = Callable[..., Any]


class Group(click.Group):
    """Turns our errors into three plain lines and exit code 2; anything else is a bug and keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except ClearwinError as error:
            from clearwin.verdict import printable

            click.secho(printable(f"error: {error.what}"), fg="red", err=True)
            if error.expected:
                click.echo(printable(f"  expected: {error.expected}"), err=True)
            if error.next:
                click.echo(printable(f"  next: {_as_options(error.next)}"), err=True)
            ctx.exit(2)


def _as_options(text: str) -> str:
    """Spell a hint for the command line: ``alpha=0.05`` is ``--alpha 0.05`` here, and ``rng=7`` is ``--seed 7``."""
    import re

    text = text.replace("rank_infinite=True", "--rank-infinite")
    names = "alpha|n_resamples|confidence_level|method|test|interval|measure|positive|claim|rng|threshold"
    return re.sub(rf"(?<![\w(-])({names})=", lambda m: "--" + m[1].replace("rng", "seed").replace("_", "-") + " ", text)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="clearwin")
def main() -> None:
    """Is classifier B really better than classifier A, or is the difference luck?"""


def options(*several: Command) -> Command:
    """Put several click options on a command, in the order written."""

    def decorate(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


truth_option = click.option("--truth", metavar="COLUMN", help="Column with the true labels.")
a_option = click.option("--a", "a", metavar="COLUMN", help="Column with the decisions of A, the reference.")
id_option = click.option("--id", "id_column", metavar="COLUMN", help="Column with the items' ids, to join files by.")
settings = options(
    click.option("--measure", default="f1", show_default=True, metavar="NAME",
                 help='A name from `clearwin measures`, with options: "dcf(cost_fn=10, cost_fp=1, prior=0.01)".'),
    click.option("--positive", metavar="LABEL", help="The positive class; inferred only for 0/1, False/True, -1/1."),
    click.option("--interval", default="auto", show_default=True, metavar="NAME", help="Kind of interval."),
    click.option("--confidence-level", type=float, default=0.95, show_default=True, help="Level of the interval."),
    click.option("--n-resamples", type=int, default=10_000, show_default=True, help="Replicates to draw."),
    click.option("--seed", "rng", type=click.IntRange(min=0), help="Seed; the same seed gives the same numbers."),
)  # fmt: skip
score_settings = options(
    click.option("--stratified", is_flag=True, help="Resample scores class by class."),
    click.option("--rank-infinite", is_flag=True, help="Take infinite scores as the highest or lowest."),
)
output = options(
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Also write the JSON to a file."),
    click.option("--force", is_flag=True, help="Let --output write over an existing file."),
)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@truth_option
@a_option
@click.option("--b", "b", metavar="COLUMN", help="Column with the decisions of B, the challenger.")
@id_option
@settings
@click.option("--test", default="auto", show_default=True, metavar="NAME", help="A name from `clearwin tests`.")
@click.option("--method", default="auto", show_default=True, metavar="NAME", help="The form inside the test.")
@click.option("--claim", default="different", show_default=True, metavar="CLAIM",
              help="What is to be shown of B: different, better or worse.")  # fmt: skip
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of the verdict.")
@click.option("--threshold", metavar="T[,T]", help="Make decisions of scores: one threshold, one each, or best.")
@click.option("--dev", metavar="FILE", help="File with the same columns to choose the thresholds on.")
@score_settings
@output
def compare(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None,
    alpha: float, as_json: bool, output: str | None, force: bool, **settings: Any,
) -> None:  # fmt: skip
    """Compare two classifiers on one test set.

    FILE... is one file with the columns truth, a and b; or three files (truth, A, B) joined by --id; or a .json file
    with the counts e1 to e8. CSV, TSV, Parquet and JSONL by their endings; - is standard input.
    """
    from clearwin.significance.base import check_probability

    check_probability("alpha", alpha)
    _refuse_overwriting(output, force)
    columns = {"truth": truth, "a": a, "b": b}
    if _wants_scores(settings):
        result = _compare_score_files(files, columns, id_column, settings)
    else:
        result = _compare_files(files, columns, id_column, settings)
    _show(result, alpha, as_json, output)


def _wants_scores(settings: dict[str, Any]) -> bool:
    """Whether the columns are to be read as numbers: by the measure, or to put a threshold to them."""
    from clearwin.measures import find

    return find(settings["measure"]).takes == "scores" or any(settings.get(x) is not None for x in ("threshold", "dev"))


def _compare_score_files(
    files: tuple[str, ...], columns: dict[str, str | None], id_column: str | None, settings: dict[str, Any]
) -> Record:
    from clearwin.compare import compare as compare_arrays
    from clearwin.files import scores_file, scores_joined_files

    if len(files) == 1:
        found = scores_file(files[0], columns, id_column=id_column)
    elif len(files) == 3 and id_column:
        found = scores_joined_files(dict(zip(columns, files, strict=True)), columns, id_column=id_column)
    else:
        raise _wrong_number_of_files(files, id_column)
    if settings["dev"] is not None:
        dev = scores_file(settings["dev"], columns)
        settings["dev"] = (dev.truth, *dev.scores)
    if settings["threshold"] is not None:
        settings["threshold"] = _read_threshold(settings["threshold"])
    _, name_a, name_b = found.names
    names = (name_a, name_b) if name_a != name_b else ("A", "B")
    return compare_arrays(found.truth, *found.scores, names=names, **settings)


def _read_threshold(text: str) -> Any:
    """Return "best", a number, or a number for each model, as written."""
    if text == "best":
        return text
    parts = text.split(",")
    return parts[0] if len(parts) == 1 else parts


def _wrong_number_of_files(files: tuple[str, ...], id_column: str | None) -> ClearwinError:
    from clearwin.errors import OptionError

    return OptionError(
        f"{len(files)} files were given" + ("" if id_column else " and no --id") + ".",
        "one file with all columns, or three files (truth, A, B) and the column that joins them",
        "clearwin compare gold.csv a.csv b.csv --id doc",
    )


def _compare_files(
    files: tuple[str, ...], columns: dict[str, str | None], id_column: str | None, settings: dict[str, Any]
) -> Record:
    from clearwin.compare import compare_counts, compare_tally
    from clearwin.counts import JointCounts
    from clearwin.errors import OptionError
    from clearwin.files import is_counts_file, read_joint_counts, tally_file, tally_joined_files

    for name in ("threshold", "dev", "stratified", "rank_infinite"):
        if settings.pop(name):
            raise OptionError(f"--{name.replace('_', '-')} is for scores.", "a measure of scores, such as auc")
    if len(files) == 1 and (is_counts_file(files[0]) or (files[0] == "-" and not any(columns.values()))):
        if settings.pop("positive") is not None or any(columns.values()) or id_column:
            raise OptionError(
                f"{files[0]} holds counts, which have no columns and no labels.",
                "neither --truth, --a, --b, --id nor --positive with a counts file",
            )
        return compare_counts(JointCounts(**read_joint_counts(files[0])), **settings)
    if len(files) == 1:
        found = tally_file(files[0], columns, id_column=id_column)
    elif len(files) == 3 and id_column:
        found = tally_joined_files(dict(zip(columns, files, strict=True)), columns, id_column=id_column)
    else:
        raise _wrong_number_of_files(files, id_column)
    _, name_a, name_b = found.names
    names = (name_a, name_b) if name_a != name_b else ("A", "B")
    return compare_tally(found.counts, names=names, **settings)


@main.command()
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

    _refuse_overwriting(output, force)
    columns = {"truth": truth, "a": a}
    if _wants_scores(settings):
        scored = scores_file(file, columns, id_column=id_column)
        result = estimate_arrays(scored.truth, *scored.scores, name=scored.names[1], **settings)
    else:
        for name in ("threshold", "stratified", "rank_infinite"):
            settings.pop(name)
        found = tally_file(file, columns, id_column=id_column)
        result = estimate_tally(found.counts, name=found.names[1], **settings)
    _show(result, 0.05, as_json, output)


@main.command()
@click.argument("file")
@truth_option
@a_option
@id_option
@click.option("--method", default="auto", show_default=True, metavar="NAME", help="exact, monte_carlo or chi2.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of the verdict.")
@click.option("--n-resamples", type=int, help="Random tables to draw; by default what the level asks for.")
@click.option("--confidence-level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--seed", "rng", type=click.IntRange(min=0), help="Seed; the same seed gives the same numbers.")
@output
def chance(
    file: str, truth: str | None, a: str | None, id_column: str | None, as_json: bool, output: str | None, force: bool,
    **settings: Any,
) -> None:  # fmt: skip
    """Test whether one classifier is better than chance with the same margins.

    FILE is a confusion matrix (CSV or TSV, rows = truth, with or without labels), or with --truth and --a a file of
    predictions.
    """
    from clearwin.chance import chance_of_matrix
    from clearwin.files import tally_file
    from clearwin.matrices import matrix_of_tally, read_matrix

    _refuse_overwriting(output, force)
    if truth is None and a is None:
        result = chance_of_matrix(read_matrix(file), **settings)
    else:
        found = tally_file(file, {"truth": truth, "a": a}, id_column=id_column)
        result = chance_of_matrix(matrix_of_tally(found.counts), name=found.names[1], **settings)
    _show(result, settings["alpha"], as_json, output)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@truth_option
@click.option("--a", "a", metavar="COLUMN", help="Column with the scores of A, the reference.")
@click.option("--b", "b", metavar="COLUMN", help="Column with the scores of B, the challenger, if there is one.")
@id_option
@click.option("--roc", is_flag=True, help="Recall against the false positive rate; this is the default.")
@click.option("--det", is_flag=True, help="Both error rates, on axes of normal deviates.")
@click.option("--pr", is_flag=True, help="Precision against recall.")
@click.option("--positive", metavar="LABEL", help="The positive class; inferred only for 0/1, False/True, -1/1.")
@click.option("--rank-infinite", is_flag=True, help="Take infinite scores as the highest or lowest.")
@click.option("--cost-fn", type=float, default=1.0, show_default=True, help="Cost of a false negative.")
@click.option("--cost-fp", type=float, default=1.0, show_default=True, help="Cost of a false positive.")
@click.option("--prior", type=float, help="Share of positives to expect; by default that in the file.")
@click.option("--bands", is_flag=True, help="Draw confidence bands, by the bootstrap.")
@click.option("--confidence-level", type=float, default=0.95, show_default=True, help="Level of the bands.")
@click.option("--n-resamples", type=int, default=1000, show_default=True, help="Replicates to draw for the bands.")
@click.option("--seed", "rng", type=click.IntRange(min=0), help="Seed; the same seed gives the same bands.")
@click.option("--json", "as_json", is_flag=True, help="Print the key points as JSON.")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Draw it: .png, .svg or .pdf.")
@click.option("--force", is_flag=True, help="Let --output write over an existing file.")
def curve(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None, as_json: bool,
    output: str | None, force: bool, roc: bool, det: bool, pr: bool, **settings: Any,
) -> None:  # fmt: skip
    """Draw the ROC, DET or precision-recall curve of one or two models' scores and print its key points.

    FILE... is one file with all columns, or files of their own for truth, A and perhaps B, joined by --id.
    """
    from clearwin.curve import curve as curve_of_arrays

    kind = _kind_of_curve({"roc": roc, "det": det, "pr": pr})
    if output is not None:
        from clearwin.plots import picture_format

        picture_format(output)
    _refuse_overwriting(output, force)
    found = _curve_files(files, {"truth": truth, "a": a, "b": b}, id_column)
    _, *names = found.names
    called = tuple(names) if len(set(names)) == len(names) else ("A", "B")
    result = curve_of_arrays(found.truth, *found.scores, kind=kind, names=called, **settings)
    if output is not None:
        from clearwin.plots import new_axes, save

        axes = result.plot(new_axes())
        save(axes.figure.get_figure(root=True), output)
    _echo(result.to_json() if as_json else str(result))


def _kind_of_curve(asked: dict[str, bool]) -> str:
    from clearwin.errors import OptionError

    kinds = [kind for kind, wanted in asked.items() if wanted] or ["roc"]
    if len(kinds) > 1:
        raise OptionError(f"{' and '.join(f'--{kind}' for kind in kinds)} were given.", "one kind of curve")
    return kinds[0]


def _curve_files(files: tuple[str, ...], columns: dict[str, str | None], id_column: str | None) -> FileScores:
    from clearwin.errors import OptionError
    from clearwin.files import scores_file, scores_joined_files

    if len(files) == 1:
        # without --b there is one model
        wanted = {role: column for role, column in columns.items() if role != "b" or column is not None}
        return scores_file(files[0], wanted, id_column=id_column)
    if len(files) in (2, 3) and id_column:
        paths = dict(zip(columns, files, strict=False))
        if columns["b"] is None or "b" in paths:
            return scores_joined_files(paths, columns, id_column=id_column)
    raise OptionError(
        f"{len(files)} files were given" + ("" if id_column else " and no --id") + ".",
        "one file with all columns, or a file each for truth, A and perhaps B and the column that joins them",
        "clearwin curve gold.csv a.csv b.csv --id doc",
    )


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def measures(as_json: bool) -> None:
    """List the measures."""
    from clearwin.registries import measures

    rows = [
        {
            "name": m.name + (f" ({', '.join(m.aliases)})" if m.aliases else ""), "label": m.label,
            "better": "higher" if m.higher_is_better else "lower", "decomposition": m.decomposition,
            "formula": m.formula, "options": ", ".join(f"{k}={v:g}" for k, v in m.defaults.items()),
        }
        for m in measures().values()
    ]  # fmt: skip
    _list(rows, as_json)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def tests(as_json: bool) -> None:
    """List the tests and what they can judge."""
    from clearwin.registries import tests

    rows = [
        {
            "name": t.name, "question": t.question, "judges": ", ".join(t.judges), "methods": ", ".join(t.methods),
            "intervals": ", ".join(t.intervals), "source": t.source,
        }
        for t in tests().values()
    ]  # fmt: skip
    _list(rows, as_json)


@main.command()
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE", help="Write the demo's data to a CSV file.")
@click.option("--force", is_flag=True, help="Let --save write over an existing file.")
def demo(save: str | None, force: bool) -> None:
    """Compare two real classifiers on data that comes with clearwin."""
    from importlib.resources import as_file, files

    from clearwin.compare import compare_tally
    from clearwin.files import tally_file

    source = files("clearwin") / "shipped" / DEMO
    if save is not None:
        _refuse_overwriting(save, force)
        _write(save, source.read_text(encoding="utf-8"))
    with as_file(source) as path:
        found = tally_file(path, DEMO_COLUMNS)
    click.echo(
        "A linear and a Gaussian support vector machine, each trained on 297 handwritten digits to tell the eights\n"
        "from the others, met the same 1,500 new digits. Is the Gaussian one really better?\n"
    )
    result = compare_tally(found.counts, names=found.names[1:], measure="f1", positive="eight", rng=2004)
    _show(result, 0.05, False, None)
    file = shlex.quote(save or "eights.csv")
    click.echo(
        f"\nThe same by hand:\n  clearwin demo --save {file}\n  clearwin compare {file} --truth truth --a linear "
        "--b gaussian --measure f1 --positive eight --seed 2004"
    )


def _refuse_overwriting(path: str | None, force: bool) -> None:
    from clearwin.errors import FileError

    if path is not None and Path(path).exists() and not force:
        raise FileError(f"{path} exists already.", "a new file", "another name, or --force to write over it")


def _write(path: str, text: str) -> None:
    from clearwin.errors import FileError

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}.", "a file in a folder that exists") from None


def _show(result: Record, alpha: float, as_json: bool, output: str | None) -> None:
    if output is not None:
        _write(output, result.to_json() + "\n")
    if as_json:
        _echo(result.to_json())
    elif sys.stdout.isatty():
        from clearwin.terminal import show

        show(result, alpha)
    else:
        from clearwin.verdict import as_text

        _echo(as_text(result, alpha))


def _echo(text: str) -> None:
    """Print what an old encoding cannot carry in plain letters instead of failing."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate({ord("−"): "-", ord("±"): "+/-", ord("·"): "*"})
        text = text.encode(encoding, "replace").decode(encoding)
    click.echo(text)


def _list(rows: list[dict[str, str]], as_json: bool) -> None:
    if as_json:
        import json

        _echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif sys.stdout.isatty():
        from clearwin.terminal import show_table

        show_table(rows)
    else:
        for row in rows:
            _echo("\t".join(row.values()))
