"""clearwin study."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, Wanted, show, wanted, wrong_number_of_groups
from clearwin.cli.options import options
from clearwin.cli.typed import as_taken, data_of
from clearwin.errors import ClearwinError, OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from clearwin.results.study import Study


OF_THE_STUDY = (
    *("tests", "test_size", "n_sets", "sizes", "alphas", "category_sets", "labels", "stratified", "claim"),
    *("n_resamples", "confidence_level", "rng", "device", "keep", "resume", "force"),
)


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("study")
def study(
    files: tuple[str, ...],
    truth: str | None,
    a: str | None,
    b: str | None,
    id: str | None,
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
    columns = {"truth": truth, "a": a, "b": b, "id": id}
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
    from clearwin.data.reading import Reading
    from clearwin.data.scores import models_with_lower_positive
    from clearwin.data.values import refuse_winners
    from clearwin.measures import find
    from clearwin.simulation.plan import StudyOptions
    from clearwin.simulation.study import study as study_data
    from clearwin.simulation.study import study_sources, study_sources_of

    for name, read in (("sizes", int), ("alphas", float)):
        settings[name] = _numbers(name, settings[name], read)
    settings["category_sets"] = _category_sets(settings["category_sets"])
    settings["tests"] = settings["tests"] or ("auto",)
    if len(settings["groups"]) > 1:
        raise wrong_number_of_groups(settings["groups"], 1)
    given = as_taken(study_data, {**columns, **settings})
    measure, models = find(settings["measure"]), {role: given.get(role) for role in ("a", "b")}
    refuse_winners(measure)
    how: dict[str, Any] = {name: given.get(name) for name in ("positive", "separator", "threshold")}
    how["rank_infinite"] = settings["rank_infinite"]
    units: dict[str, Any] = {name: given.get(name) for name in ("groups", "strata")}
    with data_of(files, given) as data, _workers(workers):
        if isinstance(data, str):
            raise OptionError(
                "A file of counts has no items to draw from.",
                "a file with the decisions on every item",
                "clearwin study preds.csv --truth y --a svm --b rbf --test-size 1000",
            )
        names = data.names(given.get("truth"), models, Reading(**units))
        named = dict(zip("ab", names, strict=True))
        how["lower_is_positive"] = models_with_lower_positive(settings["lower_is_positive"], named)
        reading = Reading(**units, **how)
        sources = study_sources_of(
            data, given.get("truth"), models, measure, reading, test_set, stratified=settings["stratified"]
        )
        asked = {name: settings[name] for name in OF_THE_STUDY}
        return study_sources(*sources, StudyOptions(names=names, reading=how, **asked))


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

    from clearwin.workers import begin_as_worker

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
