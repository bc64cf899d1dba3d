"""What the commands share on the way in: options spelled as in Python, and errors as three plain lines."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from clearwin.errors import ClearwinError

Command = Callable[..., Any]
STANDARD_OUTPUT = "standard output"  # in place of a file's name


class Group(click.Group):
    """Turns our errors into three plain lines and exit code 2; anything else is a bug and keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return self._within_memory(ctx)
        except BrokenPipeError:
            raise  # whoever reads has had enough; click ends quietly
        except OSError as error:
            if error.filename == STANDARD_OUTPUT:
                click.secho(f"error: the output cannot be written: {error.strerror}.", fg="red", err=True)
                # what is still in the buffer would fail once more when Python ends, and change the exit code
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
            else:
                from clearwin.data.files.sources import cannot_be_read

                _tell(cannot_be_read(str(error.filename), error) if error.filename else _said_of_nothing(error))
            ctx.exit(2)
        except ClearwinError as error:
            _tell(error)
            ctx.exit(2)

    def _within_memory(self, ctx: click.Context) -> Any:
        """Run the subcommand; what fails for want of memory or threads becomes an error of ours."""
        try:
            return super().invoke(ctx)
        except (MemoryError, RuntimeError, OSError, ImportError) as error:
            lacking = _lack_of_memory(error)
            if lacking is None:
                raise
            raise ClearwinError(
                f"The memory or the threads that this process may have are used up: {lacking}.",
                "room for the data and the libraries, which take about 2 GB of address space",
                "raise the limit (`ulimit -v unlimited`), free memory, or take fewer items or replicates",
            ) from None


def _lack_of_memory(error: BaseException | None) -> str | None:
    """Return what an error, or one behind it, says of memory or threads that cannot be had, in whatever words."""
    said = ("failed to map segment", "cannot allocate memory", "can't start new thread", "out of memory")
    while error is not None:
        text = str(error).partition("\n")[0].rstrip(".")
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return text or "no more memory"
        if any(words in text.lower() for words in said):
            return text
        error = error.__cause__ or error.__context__
    return None


def _tell(error: ClearwinError) -> None:
    from clearwin.text import printable

    click.secho(printable(f"error: {error.what}"), fg="red", err=True)
    if error.expected:
        click.echo(printable(f"  expected: {as_options(error.expected)}"), err=True)
    if error.next:
        click.echo(printable(f"  next: {_typed_column(error) or as_options(error.next)}"), err=True)


def _said_of_nothing(error: OSError) -> ClearwinError:
    """Tell what the system says where it does not say of which file."""
    import tempfile

    from clearwin.errors import FileError

    return FileError(
        f"The system says: {error.strerror or error}.",
        f"room for what is written and, in {tempfile.gettempdir()}, for temporary files",
        "make room, or take another folder for temporary files: `TMPDIR=/folder clearwin …`",
    )


def _typed_column(error: ClearwinError) -> str:
    """Say how to type a column whose name has something in it that nobody sees; nothing if that is not the trouble."""
    from clearwin.cli.output import quoted
    from clearwin.errors import UnknownNameError, first_few, nearest
    from clearwin.text import one_line

    if not isinstance(error, UnknownNameError) or not error.kind.startswith("column"):
        return ""
    meant = [name for name in error.known if one_line(name) == error.name] or nearest(str(error.name), error.known)
    hidden = [name for name in error.known if one_line(name) != name and (name in meant or not meant)]
    return f"type {first_few(map(quoted, hidden), len(hidden))}" if hidden else ""


def as_options(text: str) -> str:
    """Spell a hint for the command line: ``alpha=0.05`` is ``--alpha 0.05`` here, and ``rng=7`` is ``--seed 7``."""
    import re

    text = text.replace("rank_infinite=True", "--rank-infinite").replace("groups=", "--groups ")
    names = "alpha|n_resamples|confidence_level|method|test|interval|measure|positive|claim|rng|threshold|labels|strata"
    names += "|margin|separator|design|repeats|test_train_ratio|baseline|correction|test_size|sizes|alphas|keep"
    text = re.sub(r"\b(sizes|alphas)=\[([^]]*)\]", lambda m: f"--{m[1]} " + m[2].replace(" ", ""), text)
    text = re.sub(r'\btests=\["([^"]*)"\]', r"--test \1", text)
    text = text.replace('category_sets={"X": ["earn", "acq"]}', "--category-set X=earn,acq")
    text = text.replace("resume=True", "--resume").replace("n_sets=", "--sets ").replace("delete the file", "--force")
    return re.sub(rf"(?<![\w(-])({names})=", lambda m: "--" + m[1].replace("rng", "seed").replace("_", "-") + " ", text)


# what `--help` puts together; what is in none of them comes first, under "Options"
SECTIONS = {
    "Data": "truth a b models names id_column groups strata labels separator threshold dev test_set stratified "
    "rank_infinite lower_is_better name_column corpus label_names design repeats test_train_ratio",
    "Measure": "measure measure_label positive cost_fn cost_fp prior",
    "Test": "test tests method claim interval confidence_level alpha alphas margin per_class correction baseline",
    "Resampling": "n_resamples rng test_size n_sets sizes category_sets workers keep resume progress",
    "Output": "as_json as_markdown html output plot save force",
}


class Subcommand(click.Command):
    """A command whose ``--help`` groups its options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        section_of = {name: title for title, names in SECTIONS.items() for name in names.split()}
        found: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *SECTIONS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                found[section_of.get(str(parameter.name), "Options")].append(record)
        for title, records in found.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def options(*several: Command) -> Command:
    """Put several click options on a command, in the order written."""

    def decorate(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


truth_option = click.option("--truth", metavar="COLUMN", help="Column with the true labels.")
a_option = click.option(
    "--a", "a", metavar="COLUMN", help="Column with A's decisions, scores or values; A is the reference."
)
names_option = click.option("--names", metavar="A,B", help="What to call the two models; by default their columns.")
id_option = click.option("--id", "id_column", metavar="COLUMN", help="Column with the items' ids, to join files by.")
measure_settings = options(
    click.option(
        "--measure",
        default="f1",
        show_default=True,
        metavar="NAME",
        help='A name from `clearwin measures`, with options: "dcf(cost_fn=10, cost_fp=1, prior=0.01)".',
    ),
    click.option("--positive", metavar="LABEL", help="The positive class; inferred only for 0/1, False/True, -1/1."),
)
draw_settings = options(
    click.option("--confidence-level", type=float, default=0.95, show_default=True, help="Level of the interval."),
    click.option("--n-resamples", type=int, default=10_000, show_default=True, help="Replicates to draw."),
    click.option("--seed", "rng", type=click.IntRange(min=0), help="Seed; the same seed gives the same numbers."),
)
settings = options(
    measure_settings,
    click.option("--interval", default="auto", show_default=True, metavar="NAME", help="Kind of interval."),
    draw_settings,
)
unit_settings = options(
    click.option(
        "--groups",
        multiple=True,
        metavar="COLUMN",
        help="Column with what items belong to (author, passage, repeated runs), drawn and swapped whole; of "
        "several files in the first.",
    ),
    click.option(
        "--strata",
        metavar="COLUMN",
        help="Column whose sizes every replicate keeps; that of the truth: class by class.",
    ),
    click.option("--labels", metavar="NAMES", help="The classes or labels to average over: joy,anger."),
    click.option("--separator", metavar="TEXT", help='What parts several labels in one field: ",".'),
)
score_settings = options(
    click.option("--rank-infinite", is_flag=True, help="Take infinite scores as the highest or lowest."),
)
margin_option = click.option(
    "--margin",
    type=float,
    metavar="D",
    help="The largest difference that does not matter; says what the interval shows against it.",
)


def output_to(*files: Command) -> Command:
    """Return the options about showing and writing a result; ``files`` are those that the command has besides."""
    return options(
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
        click.option("--markdown", "as_markdown", is_flag=True, help="Print a short report for a pull request."),
        click.option(
            "--html",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Write a report to a file: one page that needs nothing else.",
        ),
        *files,
        click.option("--force", is_flag=True, help="Write over existing files."),
    )


def file_option(name: str, help: str) -> Command:
    """Return the option for a file to write."""
    return click.option(name, type=click.Path(dir_okay=False), metavar="FILE", help=help)


output = output_to(
    file_option("--output", "Also write the JSON to a file."), file_option("--plot", "Draw it: .png, .svg or .pdf.")
)


def wrong_number_of_files(
    files: tuple[str, ...], id_column: str | None, roles: tuple[str, ...] = ("truth", "a", "b")
) -> ClearwinError:
    """Say how many files go together."""
    from clearwin.errors import OptionError

    together = "three files (truth, A, B)" if "truth" in roles else "two files (A, B)"
    return OptionError(
        f"{len(files)} files were given" + ("" if id_column else " and no --id") + ".",
        f"one file with all columns, or {together} and the column that joins them",
        "clearwin compare gold.csv a.csv b.csv --id doc"
        if "truth" in roles
        else "clearwin compare a.csv b.csv --id doc --measure mean",
    )
