"""clearwin rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.logs import ask_logs, refuse_log_settings, runs_of
from clearwin.cli.options import options
from clearwin.cli.reading import refuse_decisions_without_truth, together_of
from clearwin.errors import OptionError
from clearwin.text import listed

if TYPE_CHECKING:
    from clearwin.measures import Measure
    from clearwin.results.leaderboard import Leaderboard


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("rank")
def rank(
    files: tuple[str, ...],
    truth: str | None,
    models: str | None,
    id_column: str | None,
    groups: str | None,
    strata: str | None,
    **settings: Any,
) -> None:
    """Rank many models: which of them are really ahead?

    FILE... is one file with a column for the truth and one for each model; or a file with the truth and one for each
    model, joined by --id. A measure of values, such as mean, needs no truth. Files are CSV, TSV, Parquet, JSON or
    JSONL, by their endings. FILE... may also be evaluation logs, one path for each system or a folder of them.
    """
    from clearwin.measures import find

    how = wanted(settings, reads=files)
    runs = runs_of(files, {"truth": truth, "id_column": id_column, "models": models, **settings})
    if runs is not None:
        from clearwin.analyses.rank import rank as rank_arrays

        show(ask_logs(rank_arrays, runs), how=how)
        return
    refuse_log_settings(files, settings)
    measure = find(settings.pop("measure"))
    if click.get_current_context().get_parameter_source("n_resamples") is ParameterSource.DEFAULT:
        settings["n_resamples"] = None  # as many as the number of tests asks for
    names = listed(models) if models else []
    marked = truth is None and measure.judges_marks
    columns: dict[str, str | None] = {"truth": truth} if measure.needs_truth and not marked else {}
    if marked:
        refuse_decisions_without_truth(files, [groups, strata, *names])
    if truth is not None and not measure.needs_truth:
        raise OptionError(f"{measure.label} is a mean of per-item values and does not use a truth.", "no --truth")
    if len(files) > 1:
        columns |= _columns(files, names, id_column, own_files=len(files) - len(columns))
    extra = {"group": groups, "stratum": strata}
    show(_rank(files, {**columns, **extra}, names, id_column, measure, settings), how=how)


def _columns(
    files: tuple[str, ...], models: list[str], id_column: str | None, *, own_files: int
) -> dict[str, str | None]:
    """Return the column of every model that has its own file, where it need not be named."""
    if not id_column:
        raise OptionError(
            f"{len(files)} files were given without --id.",
            "one file with all columns, or a file for the truth and for each model and the column that joins them",
            "clearwin rank gold.csv svm.csv rbf.csv tree.csv --id doc",
        )
    names: list[str | None] = list(models) or [None]
    names = names * own_files if len(names) == 1 else names
    if len(names) != own_files:
        raise OptionError(
            f"--models names {len(names)} columns, and {own_files} files of models were given.",
            "one column for all files, or one for each of them",
        )
    return {f"model_{i}": name for i, name in enumerate(names, 1)}


def _paths(files: tuple[str, ...], columns: dict[str, str | None]) -> dict[str, str]:
    return dict(zip(columns, files, strict=False))  # groups and strata come last and have no file


def _by_name(names: tuple[str, ...], answers: tuple[Any, ...]) -> dict[str, Any]:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise OptionError(
            f"Two models would be called {twice[0]}.", "files with different names", "rename one of the files"
        )
    return dict(zip(names, answers, strict=True))


def _rank(
    files: tuple[str, ...],
    columns: dict[str, str | None],
    models: list[str],
    id_column: str | None,
    measure: Measure,
    settings: dict[str, Any],
) -> Leaderboard:
    from clearwin.analyses.rank import Contest, named_models, ranked
    from clearwin.data.files.predictions import read_models
    from clearwin.data.reading import Reading, read_sample, with_doubts
    from clearwin.data.scores import models_with_lower_positive

    contest = Contest(settings.pop("baseline"), settings.pop("correction"))
    how = {name: settings.pop(name) for name in ("positive", "rank_infinite", "lower_is_positive", "missing")}
    paths = files[0] if len(files) == 1 else _paths(files, columns)
    as_read = {name: how[name] for name in ("rank_infinite", "missing")}
    found = read_models(paths, columns, measure, wanted=models, id_column=id_column, **as_read)
    answers = named_models(_by_name(found.names, found.models))
    options = contest.options(tuple(answers), **settings)
    how["lower_is_positive"] = models_with_lower_positive(how["lower_is_positive"], {name: name for name in answers})
    if found.items is not None:
        how["missing"] = "refuse"  # what was missing has been dropped
    reading = Reading(**how, **together_of(found.extra), items=found.items, ranked=True)
    read = with_doubts(read_sample(found.truth, answers, measure, reading), found.doubts)
    return ranked(read, contest, options)
