"""What all commands share: options spelled as in Python, errors in three lines, and results shown and written.

Words are for people, JSON is for machines, and no file is ever overwritten by accident. The command line that gives the
same result again is what was typed, in the shell's quotes, and the seed.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from clearwin.cli.ending import UNREAD, WRONG_USE, end_interrupted, end_with_fault, terminable
from clearwin.errors import (
    ClearwinError,
    FileError,
    OptionError,
    Setting,
    UnknownNameError,
    first_few,
    nearest,
    spelled,
)
from clearwin.settings import ROWS, SECTIONS, SHARE, at_door
from clearwin.text import as_listed, one_line, printable, shell_word

if TYPE_CHECKING:
    from clearwin.results.base import Result
    from clearwin.words import Summary


STANDARD_OUTPUT = "standard output"  # in place of a file's name
PRINTED = "-"  # in place of the file that --json writes


class Group(click.Group):
    """Turns our errors into three plain lines and exit code 2; anything else is a bug and keeps its traceback."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Be the whole process: whatever nobody has caught ends it with a code that no verdict has."""
        with terminable():
            try:
                return self.main(*given, **named)
            except Exception:
                end_with_fault()

    def main(self, *given: Any, standalone_mode: bool = True, **named: Any) -> Any:
        """Run the command as click does, and end with codes of ours where click's own would be a verdict."""
        run: Callable[..., Any] = super().main
        try:
            code = run(*given, standalone_mode=False, **named)
        except click.ClickException as error:
            if not standalone_mode:
                raise
            error.show()
            code = WRONG_USE
        except (click.Abort, KeyboardInterrupt) as stop:
            cause = stop.__cause__ or stop
            if not standalone_mode or not isinstance(cause, KeyboardInterrupt):
                raise
            end_interrupted(cause)
        if not standalone_mode:
            return code
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return self._within_memory(ctx)
        except BrokenPipeError:  # whoever read the output has read enough
            _drop_output()
            ctx.exit(UNREAD)
        except OSError as error:
            if error.filename == STANDARD_OUTPUT:
                click.secho(f"error: the output cannot be written: {error.strerror}.", fg="red", err=True)
                _drop_output()
            else:
                from clearwin.data.files.sources import cannot_be_read

                found = cannot_be_read(str(error.filename), error) if error.filename else _said_of_nothing(error)
                self._tell(found, ctx)
            ctx.exit(WRONG_USE)
        except ClearwinError as error:
            self._tell(error, ctx)
            ctx.exit(WRONG_USE)

    def _tell(self, error: ClearwinError, ctx: click.Context) -> None:
        command = self.get_command(ctx, ctx.invoked_subcommand or "") or self
        click.secho(printable(f"error: {as_typed(error.what, command)}"), fg="red", err=True)
        if error.expected:
            click.echo(printable(f"  expected: {as_typed(error.expected, command)}"), err=True)
        if error.next:
            click.echo(printable(f"  next: {_typed_column(error) or as_typed(error.next, command)}"), err=True)

    def _within_memory(self, ctx: click.Context) -> Any:
        """Run the subcommand; a lack of memory or threads becomes an error of ours."""
        try:
            return super().invoke(ctx)
        except (MemoryError, RuntimeError, OSError, ImportError) as error:
            lacking = _lack_of_memory(error)
            if lacking is None:
                raise
            raise ClearwinError(
                f"This process ran out of memory or threads: {lacking}.",
                "room for the data and the libraries, which take about 2 GB of address space",
                "raise the limit (`ulimit -v unlimited`), free memory, or use fewer items or replicates",
            ) from None


def _drop_output() -> None:
    """Give up standard output: its buffer would fail once more when Python ends, and change the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _lack_of_memory(error: BaseException | None) -> str | None:
    """Return what an error, or its cause, says about missing memory or threads."""
    said = ("failed to map segment", "cannot allocate memory", "can't start new thread", "out of memory")
    while error is not None:
        text = str(error).partition("\n")[0].rstrip(".")
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return text or "no more memory"
        if any(words in text.lower() for words in said):
            return text
        error = error.__cause__ or error.__context__
    return None


def _said_of_nothing(error: OSError) -> ClearwinError:
    """Report an error of the operating system that names no file."""
    return FileError(
        f"The operating system reported: {error.strerror or error}.",
        f"room for what is written and, in {tempfile.gettempdir()}, for temporary files",
        "make room, or use another folder for temporary files: `TMPDIR=/folder clearwin …`",
    )


def _typed_column(error: ClearwinError) -> str:
    """Say how to type a column whose name has invisible characters; nothing if it has none."""
    if not isinstance(error, UnknownNameError) or not error.kind.startswith("column"):
        return ""
    meant = [name for name in error.known if one_line(name) == error.name] or nearest(str(error.name), error.known)
    hidden = [name for name in error.known if one_line(name) != name and (name in meant or not meant)]
    return f"type {first_few(map(shell_word, hidden), len(hidden))}" if hidden else ""


def as_typed(text: str, command: click.Command) -> str:
    """Return a text with its settings spelled as options of a command: ``rng=7`` is ``--seed 7`` there."""
    known = {str(option.name): option.opts[0] for option in command.params}

    def typed(asked: Setting) -> str:
        values = [
            shell_word(_word(value)) for value in asked.values if value is not True
        ]  # a flag does not take a value
        option = known.get(asked.name) or f"--{asked.name.replace('_', '-')}"
        return f"{option} {' or '.join(values)}".rstrip()

    return spelled(text, typed)


def _word(value: Any) -> str:
    """Return a value as an option takes it: lists with commas, named lists behind their name."""
    if isinstance(value, dict):
        return " ".join(f"{name}={_word(inside)}" for name, inside in value.items())
    return as_listed(value) if isinstance(value, list | tuple) else str(value)


class Subcommand(click.Command):
    """A command whose ``--help`` groups its options, and whose ``--json`` takes no file that was meant to be read."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; if no file is left to read, ``--json`` might have taken it."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name != "--alpha" or "--alphas" in (error.possibilities or ()):
                raise
            raise click.UsageError("No such option '--alpha'. Did you mean --confidence-level?", ctx) from None
        except click.MissingParameter as error:
            taken = ctx.params.get("json")
            turned = ctx.params.get("lower_is_positive")
            if turned not in (None, "all") and isinstance(error.param, click.Argument):
                raise OptionError(
                    f"--lower-is-positive read the next word, {turned}, as the name of a model.",
                    "--lower-is-positive NAME, or --lower-is-positive as the last word for all models",
                    f"clearwin {ctx.info_name} {shell_word(turned)} … --lower-is-positive",
                ) from None
            if taken is None or not isinstance(error.param, click.Argument):
                raise
            raise json_took_it(str(ctx.info_name), taken) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section."""
        section_of = {row.name: title for title, rows in SECTIONS.items() for row in rows} | {"file": "Data"}
        found: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                found[section_of.get(str(parameter.name), "Options")].append(record)
        for title, records in found.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def json_took_it(command: str, file: str) -> ClearwinError:
    """Say that ``--json`` might have taken a file to read as the file to write."""
    to_read = file == PRINTED or Path(file).exists()
    return OptionError(
        f"--json read the next word, {'standard output' if file == PRINTED else file}, as the file to write.",
        "--json FILE.json to write it, or --json as the last word to print it",
        f"clearwin {command} {shell_word(file)} … --json" if to_read else "--json result.json",
    )


def wrong_number_of_groups(groups: Sequence[str], most: int) -> ClearwinError:
    """Say how many columns of groups there may be."""
    return OptionError(
        f"--groups was given {len(groups)} times.",
        f"at most {most} columns, crossed or nested"
        if most > 1
        else "one column here; for nested groups, the coarser one. clearwin compare without --per-class also takes "
        "crossed groups (an enrolled speaker and a test speaker)",
        f"--groups {groups[0]}",
    )


# where to write the result and whether to go on, not what to do
LEFT_OUT = {row.name for row in SECTIONS["Output"]} | {"resume"}


def command_line(seed: str) -> str:
    """Return the running command as it can be typed again, with the seed if that was drawn at random."""
    context = click.get_current_context()
    words = ["clearwin", str(context.info_name)]
    arguments: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name)
        if isinstance(parameter, click.Argument):
            arguments += [str(v) for v in (value if isinstance(value, tuple) else (value,))]
        elif name == "rng" and value in (None, "random") and re.fullmatch(r"\d+", seed):
            words += [parameter.opts[0], seed]
        elif name not in LEFT_OUT and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += _option(parameter, value)
    if any(text.startswith("-") and text != "-" for text in arguments):
        words += ["--", *arguments]  # a name that begins with a dash is a file only after "--"
    else:
        words[2:2] = arguments
    return " ".join(map(shell_word, words))


def _option(parameter: click.Parameter, value: Any) -> list[str]:
    name = parameter.opts[0]
    if value is True:
        return [name]
    several = value if isinstance(value, tuple) else (value,)
    return [part for v in several for part in ([f"{name}={v}"] if str(v).startswith("-") else [name, str(v)])]


@dataclass(frozen=True)
class Wanted:
    """How to print a result, and which files to write."""

    json: str | None = None  # a file, or PRINTED
    as_markdown: bool = False
    html: str | None = None
    latex: str | None = None
    style: str = "full"
    plot: str | None = None
    kind: str | None = None  # of picture
    save: str | None = None
    disagreements: str | None = None
    junit: str | None = None
    margin: float | None = None

    @property
    def stands_alone(self) -> bool:
        """Return whether the output is for a program and not for people at a terminal."""
        return self.json == PRINTED or self.as_markdown or self.style != "full"


AS_TEXT = Wanted()
WRITTEN = tuple(row.name for row in ROWS if row.reads.kind == "new file")


def wanted(settings: dict[str, Any], reads: Iterable[str | None]) -> Wanted:
    """Take the settings for showing and writing, and refuse what would lose a file or is impossible.

    ``reads`` are all files that the command reads.
    """

    files: dict[str, str | None] = {name: settings.pop(name) for name in WRITTEN if name in settings}
    force, as_markdown, kind = settings.pop("force"), settings.pop("as_markdown", False), settings.pop("picture", None)
    style = settings.pop("style", "full")
    if style != "full":
        from clearwin.words import STYLES

        if style not in STYLES:
            raise UnknownNameError("style", style, STYLES)
    if style != "full" and (files["json"] == PRINTED or as_markdown):
        raise OptionError(f"--style {style} and another form were given.", "one of them to print", f"--style {style}")
    if kind is not None and files.get("plot") is None:
        raise OptionError("--kind was given without --plot.", "a file for the picture", f"--plot {kind}.png")
    if files["json"] == PRINTED and as_markdown:
        raise OptionError(
            "--json and --markdown were given.", "one of them to print", "--json FILE.json, and --markdown"
        )
    named = {name: path for name, path in files.items() if path not in (None, PRINTED)}
    _refuse_losses(named | {name: settings[name] for name in ("keep", "ledger") if settings.get(name)}, reads)
    if not named.get("json", ".json").lower().endswith(".json"):
        raise json_took_it(str(click.get_current_context().info_name), named["json"])
    if not named.get("latex", ".tex").lower().endswith(".tex"):
        raise OptionError(f"--latex names {named['latex']}.", "a file that ends in .tex", "--latex table.tex")
    for name, path in named.items():
        (_check_picture if name == "plot" else _check_file)(path, force)
    margin = margin_to_show(settings, str(click.get_current_context().info_name))
    return Wanted(as_markdown=as_markdown, style=style, kind=kind, margin=margin, **files)


def margin_to_show(settings: dict[str, Any], verb: str) -> float | None:
    """Take the margin that the interval is read against out of the settings, and leave that of a claim in them."""
    margin = settings.pop("margin", None)
    if margin is None:
        return None
    from clearwin.words.margins import check_margin

    claims = at_door(verb, "command")["margin"].reads == SHARE and settings.get("claim", "different") != "different"
    if not (claims and isinstance(margin, str)):
        check_margin(margin, settings.get("measure"))  # before any work is done
    if claims:
        settings["margin"] = margin
        return None
    return float(margin)


def _refuse_losses(named: dict[str, str], reads: Iterable[str | None]) -> None:
    """Raise if two options name one file, or one names a file that is read, even with --force."""
    from itertools import combinations

    for (name, path), (other, second) in combinations(named.items(), 2):
        if _same(path, second):
            spelled = path if path == second else f"the same file, {path} and {second}"
            raise OptionError(f"--{name} and --{other} both name {spelled}.", "different files")
    for read in reads:
        for name, path in named.items():
            if read is not None and _is_read(path, read):
                spelled = "" if path == read else f" ({'standard input' if read == '-' else read})"
                raise OptionError(
                    f"--{name} names {path}, which is also an input{spelled}.",
                    "a different file, because inputs are never overwritten",
                    f"another name for --{name}",
                )


def _same(path: str, other: str) -> bool:
    """Return whether both mean one file; --keep FOLDER means any name that the finished blocks may get there."""
    from clearwin.results.writing import same_file
    from clearwin.simulation.checkpoints import NAMED

    for file, folder in ((path, other), (other, path)):
        if Path(folder).is_dir() and Path(file).name.startswith(NAMED):
            return same_file(Path(file).parent, folder)
    return same_file(path, other)


def _is_read(path: str, read: str) -> bool:
    from clearwin.results.writing import same_file

    if not Path(path).is_file():
        return False  # nothing to lose: a terminal, say, can be read and written
    if read != "-":
        return same_file(path, read)
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(0))
    except OSError:
        return False  # there is no standard input


def show(result: Result, how: Wanted = AS_TEXT) -> None:
    """Print a result as asked for, then write the files; a failure of one does not lose the others."""
    try:
        _print(result, how)
    finally:
        _write(result, how)


def _write(result: Result, how: Wanted) -> None:
    from clearwin.results.writing import write_text

    if how.html is not None or how.plot is not None:
        import logging

        # it warns where it finds no place to keep its list of fonts, which nobody asked for
        logging.getLogger("matplotlib").setLevel(logging.ERROR)
    if how.json not in (None, PRINTED):
        write_text(how.json, result.to_json(margin=how.margin) + "\n")
    if how.html is not None:
        from clearwin.reports.html import as_html

        command = command_line(result.signature.seed)
        write_text(how.html, as_html(result, margin=how.margin, command=command))
    if how.latex is not None:
        write_text(how.latex, result.to_latex(margin=how.margin))
    if how.plot is not None:
        from clearwin.plots.drawing import save

        save(result.plot(kind=how.kind, margin=how.margin).figure.get_figure(root=True), how.plot)


def _print(result: Result, how: Wanted) -> None:
    """Rich on a terminal, plain text in a pipe."""
    if how.json == PRINTED:
        echo(result.to_json(margin=how.margin))
    elif how.style != "full":
        command = click.get_current_context().command
        echo(printable(as_typed(result.verdict(margin=how.margin, style=how.style), command)))
    elif how.as_markdown:
        from clearwin.reports.html import as_markdown

        repeated = command_line(result.signature.seed)
        echo(as_markdown(result, margin=how.margin, command=repeated).rstrip("\n"))
    elif sys.stdout is not None and sys.stdout.isatty():
        from clearwin.reports.terminal import show

        show(_for_the_command(result, how.margin))
    else:
        echo(str(_for_the_command(result, how.margin)))


def _for_the_command(result: Result, margin: float | None) -> Summary:
    """Return the summary with caveats that name options; a result's own caveats are spelled as in Python."""
    summary, command = result.summary(margin=margin), click.get_current_context().command
    warnings, caveats = (
        tuple(as_typed(text, command) for text in texts) for texts in (summary.warnings, summary.caveats)
    )
    return replace(summary, warnings=warnings, caveats=caveats)


def echo(text: str) -> None:
    """Replace what an old encoding cannot print, instead of failing."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # there may be no standard output at all
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate({ord("−"): "-", ord("±"): "+/-", ord("·"): "*"})
        text = text.encode(encoding, "replace").decode(encoding)
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:  # which does not say where it happened
        raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from None


def show_list(rows: list[dict[str, str]], how: Wanted) -> None:
    """Print what there is: a table on a terminal, tabs in a pipe, JSON where that is asked for."""
    if how.json is not None:
        import json

        from clearwin.results.writing import write_text

        text = json.dumps(rows, indent=2, ensure_ascii=False)
        if how.json == PRINTED:
            echo(text)
            return
        write_text(how.json, text + "\n")
    if sys.stdout is not None and sys.stdout.isatty():
        from clearwin.reports.terminal import show_table

        show_table(rows)
    else:
        for row in rows:
            echo("\t".join(row.values()))


def _check_file(path: str, force: bool) -> None:
    """Raise before any work is done if a file cannot be written there, or one would be lost."""
    from clearwin.results.writing import refuse_unwritable

    if path and Path(path).exists() and not force:
        raise FileError(f"{path} exists already.", "a new file", "another name, or --force to overwrite it")
    refuse_unwritable(path)


def _check_picture(path: str, force: bool) -> None:
    """Raise before any work is done if a picture cannot be written there, or a file would be lost."""
    from clearwin.plots.drawing import picture_format

    picture_format(path)
    _check_file(path, force)
