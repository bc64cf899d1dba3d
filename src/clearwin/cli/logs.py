"""Evaluation logs on the command: the options that they have, and clearwin inspect, which says what is in them."""

from __future__ import annotations

import inspect as signatures
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from clearwin.cli.command import Subcommand, as_typed, echo
from clearwin.cli.options import options
from clearwin.cli.typed import read_names, read_threshold
from clearwin.errors import OptionError
from clearwin.settings import LOGS
from clearwin.text import listed

if TYPE_CHECKING:
    from clearwin.data.logs import Runs

LOG_OPTIONS = LOGS.split()
# options that say where in a table something is; logs know that themselves
OF_TABLES = ("truth", "id", "separator", "dev", "per_class", "models")


def runs_of(files: tuple[str, ...], settings: dict[str, Any]) -> Runs | None:
    """Return the runs if the files are evaluation logs; None if they are tables, or the options say so."""
    if any(settings.get(name) for name in ("truth", "id", "models")) or not _are_logs(files):
        refuse_log_settings(files, settings)
        return None
    from clearwin.data.logs import read

    for name in OF_TABLES:
        if settings.get(name):
            raise OptionError(f"--{name.replace('_', '-')} is for tables, and these are logs.", "logs without it")
    named = [settings[role] for role in ("a", "b") if settings.get(role)]  # other systems can lack these items
    return read(*files, **{name: settings[name] for name in LOG_OPTIONS}, systems=named if len(named) == 2 else None)


def _are_logs(files: tuple[str, ...]) -> bool:
    from clearwin.data.logs.opening import are_logs

    return are_logs(files)


def refuse_log_settings(files: tuple[str, ...], settings: dict[str, Any]) -> None:
    """Take the options for logs out of the settings; raise if one was given for something else."""
    for name in LOG_OPTIONS:
        if settings.pop(name, None):
            raise OptionError(
                f"--{name} is for evaluation logs, and {', '.join(files)} is not in a format that clearwin knows.",
                "a log, or columns of a table",
                "clearwin inspect PATH says what is in a file or folder",
            )


def ask_logs(verb: Callable[..., Any], runs: Runs) -> Any:
    """Ask a verb about runs with the options that were typed; the logs or the verb decide the others."""
    context = click.get_current_context()
    takes = signatures.signature(verb).parameters
    given = {
        name: value
        for name, value in context.params.items()
        if name in takes and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if context.info_name == "compare" and given.get("claim", "different") == "different":
        given.pop("margin", None)  # the interval is read against it when the result is shown
    if "names" in given:
        given["names"] = read_names(given["names"])
    if "threshold" in given:
        given["threshold"] = read_threshold(given["threshold"])
    if "labels" in given:
        given["labels"] = listed(given["labels"])
    if isinstance(given.get("groups"), tuple):
        given["groups"] = list(given["groups"])
    return verb(data=runs, **given)


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="PATH...")
@options("inspect")
def inspect(files: tuple[str, ...], as_json: bool, **settings: Any) -> None:
    """Say what is in evaluation logs.

    That is the format, items, metrics and groups, and what would be paired.

    PATH... are logs of lm-evaluation-harness, Inspect, HELM, SWE-bench, every_eval_ever or promptfoo, TREC runs with
    their judgements, or score files: files, folders, or patterns in quotes.
    """
    from clearwin.data.logs import contents, describe

    command = click.get_current_context().command
    if as_json:
        found = contents(*files, **settings)
        if found["error"] is not None:
            found["error"] = {part: as_typed(text, command) for part, text in found["error"].items()}
        echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    echo(as_typed(describe(*files, **settings), command))
