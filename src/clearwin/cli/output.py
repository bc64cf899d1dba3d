"""What the commands share on the way out: words for people, JSON for machines, files never written over by accident.

The command line that gives the same result again is what was typed, in the shell's quotes, and the seed.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from clearwin.cli.options import PRINTED, STANDARD_OUTPUT, as_typed, json_took_it

if TYPE_CHECKING:
    from clearwin.results.base import Result
    from clearwin.wording import Summary


# where to write it, not what to do
LEFT_OUT = {"json", "as_markdown", "html", "plot", "save", "force", "resume"}


def command_line(seed: str) -> str:
    """Return the command that is running as it can be typed again; a seed that was drawn at random is added."""
    context = click.get_current_context()
    words = ["clearwin", str(context.info_name)]
    arguments: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name)
        if isinstance(parameter, click.Argument):
            arguments += [str(v) for v in (value if isinstance(value, tuple) else (value,))]
        elif name == "rng" and value is None and re.fullmatch(r"\d+", seed):
            words += [parameter.opts[0], seed]
        elif name not in LEFT_OUT and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += _option(parameter, value)
    if any(text.startswith("-") and text != "-" for text in arguments):
        words += ["--", *arguments]  # what begins with a dash is a file only after two of them
    else:
        words[2:2] = arguments
    return " ".join(map(quoted, words))


def _option(parameter: click.Parameter, value: Any) -> list[str]:
    name = parameter.opts[0]
    if value is True:
        return [name]
    several = value if isinstance(value, tuple) else (value,)
    return [part for v in several for part in ([f"{name}={v}"] if str(v).startswith("-") else [name, str(v)])]


def quoted(text: str) -> str:
    r"""Return a word in the shell's quotes; what nobody sees is written as bash and zsh read it.

    >>> quoted("my file.csv"), quoted("a\nb"), quoted("a\u202eb'c"), quoted("\xa0")
    ("'my file.csv'", "$'a\\nb'", "$'a\\u202eb\\'c'", "$'\\u00a0'")
    """
    from clearwin.text import one_line

    if one_line(text) == text:
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(c if one_line(c) == c else _escape(c) for c in escaped) + "'"


def _escape(c: str) -> str:
    """Return what bash reads as this character; from \\x80 on, \\x is a byte to it."""
    code = ord(c)
    if code < 0x80:
        return repr(c)[1:-1]
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a path that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


@dataclass(frozen=True)
class Wanted:
    """How to print a result, and which files to write."""

    json: str | None = None  # a file, or PRINTED
    as_markdown: bool = False
    html: str | None = None
    plot: str | None = None
    save: str | None = None
    margin: float | None = None

    @property
    def stands_alone(self) -> bool:
        """Whether what is printed is read by something else than people at a terminal."""
        return self.json == PRINTED or self.as_markdown


AS_TEXT = Wanted()
WRITTEN = ("json", "html", "plot", "save")  # the options that name a file to write


def wanted(settings: dict[str, Any], reads: Iterable[str | None]) -> Wanted:
    """Take from the settings what is about showing and writing, and refuse what would lose a file or cannot be done.

    ``reads`` are all files that the command reads.
    """
    from clearwin.errors import OptionError

    files: dict[str, str | None] = {name: settings.pop(name) for name in WRITTEN if name in settings}
    force, as_markdown = settings.pop("force"), settings.pop("as_markdown", False)
    if files["json"] == PRINTED and as_markdown:
        raise OptionError(
            "--json and --markdown were given.", "one of them to print", "--json FILE.json, and --markdown"
        )
    named = {name: path for name, path in files.items() if path not in (None, PRINTED)}
    _refuse_losses(named | {name: settings[name] for name in ("keep",) if name in settings}, reads)
    if not named.get("json", ".json").lower().endswith(".json"):
        raise json_took_it(str(click.get_current_context().info_name), named["json"])
    for name, path in named.items():
        (_check_picture if name == "plot" else _check_file)(path, force)
    margin = settings.pop("margin", None)
    if margin is not None:
        from clearwin.wording.margins import check_margin

        check_margin(margin, settings.get("measure"))  # before any work is done
    return Wanted(as_markdown=as_markdown, margin=margin, **files)


def _refuse_losses(named: dict[str, str], reads: Iterable[str | None]) -> None:
    """Raise where two options name one file, or one names a file that is read; --force does not change that."""
    from itertools import combinations

    from clearwin.errors import OptionError

    for (name, path), (other, second) in combinations(named.items(), 2):
        if _same(path, second):
            spelled = path if path == second else f"the same file, {path} and {second}"
            raise OptionError(f"--{name} and --{other} both name {spelled}.", "different files")
    for read in reads:
        for name, path in named.items():
            if read is not None and _is_read(path, read):
                spelled = "" if path == read else f" as {'standard input' if read == '-' else read}"
                raise OptionError(
                    f"--{name} names {path}, which is read{spelled}.",
                    "a file of its own: no input is ever written over",
                    f"another name for --{name}",
                )


def _same(path: str, other: str) -> bool:
    """Whether one file is meant; of --keep FOLDER any of the names that the finished blocks may get there."""
    from pathlib import Path

    from clearwin.results.writing import same_file
    from clearwin.simulation.checkpoints import NAMED

    for file, folder in ((path, other), (other, path)):
        if Path(folder).is_dir() and Path(file).name.startswith(NAMED):
            return same_file(Path(file).parent, folder)
    return same_file(path, other)


def _is_read(path: str, read: str) -> bool:
    from pathlib import Path

    from clearwin.results.writing import same_file

    if not Path(path).is_file():
        return False  # nothing to lose: a terminal, say, can be read and written
    if read != "-":
        return same_file(path, read)
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(0))
    except OSError:
        return False  # there is no standard input


def show(result: Result, alpha: float | None = None, how: Wanted = AS_TEXT) -> None:
    """Print a result as asked for, then write the files: whatever goes wrong with one, the other is not lost."""
    try:
        _print(result, alpha, how)
    finally:
        _write(result, alpha, how)


def _write(result: Result, alpha: float | None, how: Wanted) -> None:
    from clearwin.results.writing import write_text

    if how.json not in (None, PRINTED):
        write_text(how.json, result.to_json() + "\n")
    if how.html is not None:
        from clearwin.reports.html import as_html

        command = command_line(result.signature.seed)
        write_text(how.html, as_html(result, alpha=alpha, margin=how.margin, command=command))
    if how.plot is not None:
        from clearwin.plots.drawing import save

        save(result.plot(margin=how.margin, alpha=alpha).figure.get_figure(root=True), how.plot)


def _print(result: Result, alpha: float | None, how: Wanted) -> None:
    """Rich on a terminal, plain text in a pipe."""
    if how.json == PRINTED:
        echo(result.to_json())
    elif how.as_markdown:
        from clearwin.reports.html import as_markdown

        command = command_line(result.signature.seed)
        echo(as_markdown(result, alpha=alpha, margin=how.margin, command=command).rstrip("\n"))
    elif sys.stdout is not None and sys.stdout.isatty():
        from clearwin.reports.terminal import show

        show(_for_the_command(result, alpha, how.margin))
    else:
        echo(str(_for_the_command(result, alpha, how.margin)))


def _for_the_command(result: Result, alpha: float | None, margin: float | None) -> Summary:
    """Return the summary with caveats that say which option to use; those of a result are spelled as in Python."""
    summary, command = result.summary(alpha, margin), click.get_current_context().command
    return replace(summary, caveats=tuple(as_typed(caveat, command) for caveat in summary.caveats))


def echo(text: str) -> None:
    """Print what an old encoding cannot carry in plain letters instead of failing."""
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
    except OSError as error:  # which says nothing of where it happened
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
    """Raise before any work is done when a file cannot be written there, or one would be lost."""
    from pathlib import Path

    from clearwin.errors import FileError
    from clearwin.results.writing import refuse_unwritable

    if path and Path(path).exists() and not force:
        raise FileError(f"{path} exists already.", "a new file", "another name, or --force to write over it")
    refuse_unwritable(path)


def _check_picture(path: str, force: bool) -> None:
    """Raise before any work is done when no picture can be written there, or a file would be lost."""
    from clearwin.plots.drawing import picture_format

    picture_format(path)
    _check_file(path, force)
