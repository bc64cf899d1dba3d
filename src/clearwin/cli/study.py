"""clearwin study."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, Wanted, show, wanted
from clearwin.cli.options import options
from clearwin.cli.reading import Request, grouping, read_threshold, refuse_score_settings, request, together_of
from clearwin.errors import ClearwinError, OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from clearwin.data.reading import ReadByLabels
    from clearwin.results.study import Study


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("study")
def study(
    files: tuple[str, ...],
    truth: str | None,
    a: str | None,
    b: str | None,
    id_column: str | None,
    test_set: str | None,
    workers: int,
    **settings: Any,
) -> None:
    """Can this test be trusted on data like mine?

    Draws many test sets from one large labelled set, and counts.

    FILE... is a large set, as for compare. Reports the bootstrap confidence on one test set and how often the same
    model wins (keller2004, Table 3); how often each test finds a difference where there is none; coverage; power; and
    calibration. Ctrl-C keeps what is finished, and --resume continues.
    """
    force = settings["force"]
    told = wanted(settings, reads=(*files, test_set))
    columns = {"truth": truth, "models": {"a": a, "b": b}, "id_column": id_column}
    try:
        found, kept = _studied(files, test_set, columns, workers, settings | {"force": force})
    except KeyboardInterrupt as stop:
        kept_in = hasattr(stop, "__notes__")
        stop.add_note("The same command with --resume continues." if kept_in else "Nothing was finished.")
        raise
    _show(found, told, kept)


def _studied(
    files: tuple[str, ...], test_set: str | None, columns: dict[str, Any], workers: int, settings: dict[str, Any]
) -> tuple[Study, Path | None]:
    """Read the files and study them."""
    from clearwin.simulation.plan import StudyOptions
    from clearwin.simulation.study import study_sources

    for name, read in (("sizes", int), ("alphas", float)):
        settings[name] = _numbers(name, settings[name], read)
    settings["category_sets"] = _category_sets(settings["category_sets"])
    settings["tests"] = settings["tests"] or ("auto",)
    labels = settings.pop("labels")  # chosen later, so that category sets can be
    how = {name: settings.pop(name) for name in ("positive", "threshold", "rank_infinite", "lower_is_positive")}
    several = [files] if test_set is None else [files, (test_set,)]
    asked = [request(some, **columns, settings={**settings, **how}) for some in several]
    (large, names), *others = [_source(one, settings, how) for one in asked]
    small = others[0][0] if others else None
    reading = how | {"separator": settings["separator"]}
    if how["threshold"] is not None:
        reading["threshold"] = read_threshold(how["threshold"])
    reading["lower_is_positive"] = _lower(how, names)
    for read_already in ("measure", "groups", "strata", "separator"):
        settings.pop(read_already)
    asking = StudyOptions(labels=labels, names=names, reading=reading, **settings)
    with _workers(workers):
        return study_sources(large, small, asking)


def _show(found: Study, told: Wanted, kept: Path | None) -> None:
    """Show the study, and only then delete its finished blocks."""
    from clearwin.simulation.checkpoints import forget

    try:
        show(found, how=told)
    except (ClearwinError, OSError, KeyboardInterrupt):
        if kept is not None:
            click.echo(f"The study is finished and kept in {kept}: --resume shows it without new work.", err=True)
        raise
    forget(kept)


@contextmanager
def _workers(n: int) -> Iterator[None]:
    """Work with that many processes, started while Ctrl-C is ignored so that they inherit that from the beginning."""
    if n == 1:
        yield
        return
    import signal

    import joblib

    from clearwin.execution import begin_as_worker

    with joblib.parallel_config(backend="loky", n_jobs=n, initializer=begin_as_worker, initargs=(os.getpid(),)):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        begun = joblib.Parallel(return_as="generator")(joblib.delayed(int)() for _ in range(n))
        signal.signal(signal.SIGINT, before)
        list(begun)
        yield


def _numbers(name: str, text: str | None, read: type) -> list[Any] | None:
    if text is None:
        return None
    try:
        return [read(part) for part in text.split(",")]
    except ValueError:
        example = "500,1000" if read is int else "0.1,0.05"
        raise OptionError(f"--{name} is {text!r}.", "numbers separated by commas", f"--{name} {example}") from None


def _category_sets(given: tuple[str, ...]) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, labels = text.partition("=")
        if not equals or not name or name in found:
            what = f"--category-set {name} was given twice." if name in found else f"--category-set is {text!r}."
            raise OptionError(what, "a name of its own and the labels", "--category-set X=joy,anger")
        found[name] = [label.strip() for label in labels.split(",")]
    return found or None


def _lower(how: dict[str, Any], names: tuple[str, str]) -> tuple[str, ...]:
    from clearwin.data.scores import models_with_lower_positive

    return models_with_lower_positive(how["lower_is_positive"], dict(zip("ab", names, strict=True)))


def _source(asked: Request, settings: dict[str, Any], how: dict[str, Any]) -> tuple[ReadByLabels, tuple[str, str]]:
    """Read the files; return what a study asks, and the models' names."""
    from clearwin.data.files.predictions import is_counts_file
    from clearwin.data.reading import Reading, source_of_arrays, source_of_label_sets, source_of_tally
    from clearwin.data.values import refuse_winners

    measure = asked.measure
    refuse_winners(measure)
    if asked.kind == "numbers":
        found = asked.scores
        threshold = None if how["threshold"] is None else read_threshold(how["threshold"])
        a, b = found.scores
        names = asked.names_of(found.names)
        read_as = {"threshold": threshold, "lower_is_positive": _lower(how, names)}
        reading = Reading(**how | together_of(found.extra) | read_as)
        source = source_of_arrays(found.truth, a, b, measure, reading, stratified=settings["stratified"])
        return source, names
    refuse_score_settings({name: how[name] for name in ("rank_infinite", "lower_is_positive")})
    if asked.kind == "sums":
        columns, extra = asked.sums()
        gold, a, b = columns
        reading = Reading(positive=how["positive"], **together_of(extra))
        return source_of_arrays(gold, a, b, measure, reading), asked.names_of(("A", "B"))
    if asked.kind == "label sets":
        if how["positive"] is not None:
            raise OptionError("--positive is for items with one label each.", "--labels to choose among labels")
        sets = asked.label_sets()
        by = grouping(sets.sets.n, sets.extra)
        return source_of_label_sets(sets.sets, measure, by), asked.names_of(sets.names)
    if any(is_counts_file(file) for file in asked.files):
        raise OptionError(
            "A file of counts has no items to draw from.",
            "a file with the decisions on every item",
            "clearwin study preds.csv --truth y --a svm --b rbf --test-size 1000",
        )
    tallied = asked.tally()
    source = source_of_tally(tallied.counts, measure, positive=how["positive"], extra=asked.grouped, by_outcomes=True)
    return source, asked.names_of(tallied.names)
