"""clearwin --install-completion: the shell completes commands and options."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from clearwin.errors import FileError

VARIABLE = "_CLEARWIN_COMPLETE"
# a file of its own for each shell, below the home folder: files that people write themselves are never changed
PLACES = {
    "bash": ".local/share/bash-completion/completions/clearwin",
    "zsh": ".zfunc/_clearwin",
    "fish": ".config/fish/completions/clearwin.fish",
}
THEN = {
    "bash": "Open a new shell. It needs the package bash-completion.",
    "zsh": "Put `fpath+=~/.zfunc; autoload -Uz compinit; compinit` into ~/.zshrc, and open a new shell.",
    "fish": "Open a new shell.",
}


def install(ctx: click.Context, _parameter: click.Parameter, shell: str | None) -> None:
    """Write the completion script of a shell, say where it is, and end.

    It runs while the words are read, before any command, so its refusals are click's.
    """
    if shell is None or ctx.resilient_parsing:
        return
    shell = Path(os.environ.get("SHELL", "")).name if shell == "mine" else shell
    if shell not in PLACES:
        raise click.UsageError(
            f"There is no completion for the shell {shell!r}. Name one of {', '.join(PLACES)}: "
            "clearwin --install-completion bash",
            ctx,
        )
    from click.shell_completion import get_completion_class

    from clearwin.results.writing import write_text

    kind = get_completion_class(shell)
    assert kind is not None  # click has had these for long
    path = Path.home() / PLACES[shell]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, kind(ctx.command, {}, "clearwin", VARIABLE).source())
    except (OSError, FileError) as error:
        raise click.FileError(str(path), str(error)) from None
    click.echo(f"The completion for {shell} is in {path}. {THEN[shell]}")
    ctx.exit()


def completion_option(command: Any) -> Any:
    """Put the option on the command; without a word behind it the shell is the one in use."""
    return click.option(
        "--install-completion",
        metavar="[SHELL]",
        is_flag=False,
        flag_value="mine",
        is_eager=True,
        expose_value=False,
        callback=install,
        help=f"Complete commands and options in the shell: {', '.join(PLACES)}.",
    )(command)
