"""clearwin plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.logs import ask_logs, refuse_log_settings, runs_of
from clearwin.cli.options import options
from clearwin.cli.reading import (
    Request,
    grouping,
    read_names,
    read_threshold,
    refuse_score_settings,
    request,
    together_of,
)
from clearwin.errors import OptionError
from clearwin.settings import names_in

if TYPE_CHECKING:
    from clearwin.data.reading import Read
    from clearwin.results.plan import Plan


@click.command(cls=Subcommand)
@options("plan")
def plan(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None, **settings: Any
) -> None:
    """Plan how many items a test set needs.

    Or see how often a number of items shows a difference, or which difference they can show.

    Give two of --difference, --items and --power. A pilot shows how much test sets vary, never what the difference is.
    Without one, give assumed rates: --disagreement for accuracy, with --prevalence, --recall-a and
    --false-positive-rate-a for other measures of two classes, --auc-a, --prevalence and --correlation for measures of
    scores, --deviation for a mean.
    """
    margin = settings.pop("margin")  # part of the claim, because a plan has no interval to compare with it
    how = wanted(settings, reads=files)
    settings["margin"] = margin
    runs = runs_of(files, {"truth": truth, "a": a, "b": b, "id_column": id_column, **settings}) if files else None
    if runs is not None:
        from clearwin.analyses.plan import plan as plan_arrays

        show(ask_logs(plan_arrays, runs), how)
        return
    refuse_log_settings(files, settings)
    show(planned(files, truth, a, b, id_column, **settings), how)


def planned(
    files: tuple[str, ...], truth: str | None, a: str | None, b: str | None, id_column: str | None, **settings: Any
) -> Plan:
    """Plan by the columns of pilot files, or by assumed rates where there are none."""
    from clearwin.analyses.plan import plan as plan_arrays
    from clearwin.data.values import refuse_winners

    columns = {"truth": truth, "a": a, "b": b}
    if not files:
        for name, value in {**columns, "id": id_column, "groups": settings["groups"] or None}.items():
            if value is not None:
                raise OptionError(
                    f"--{name} was given without --pilot.", "a file with that column", "--pilot preds.csv"
                )
        return plan_arrays(**settings | {"groups": None, "names": read_names(settings["names"])})
    models = {role: columns[role] for role in ("a", "b")}
    asked = request(files, columns["truth"], models, id_column, settings, crossed=True)
    refuse_winners(asked.measure)
    if asked.kind == "numbers":
        found = asked.scores
        if settings["threshold"] is not None:
            settings["threshold"] = read_threshold(settings["threshold"])
        settings |= together_of(found.extra) | {"missing": asked.missing, "names": asked.names_of(found.names)}
        return plan_arrays(found.truth, *found.scores, **settings)
    refuse_score_settings(settings)
    if asked.kind == "sums":
        sums, extra = asked.sums()
        return plan_arrays(*sums, **settings | together_of(extra), names=asked.names)
    read, names = _pilot(asked, settings)
    return _by_pilot(read, names, asked, settings)


def _pilot(asked: Request, settings: dict[str, Any]) -> tuple[Read, tuple[str, str]]:
    """Read decisions, label sets or counts."""
    from clearwin.analyses.compare import counts_of
    from clearwin.counts import JointCounts
    from clearwin.data.files.predictions import is_counts_file, read_joint_counts
    from clearwin.data.reading import decisions_in_groups, label_sets, with_doubts

    positive, labels = settings.pop("positive"), settings.pop("labels")
    if asked.kind == "label sets":
        if positive is not None:
            raise OptionError("--positive is for items with one label each.", "--labels to choose among labels")
        sets = asked.label_sets()
        how = grouping(sets.sets.n, sets.extra)
        return label_sets(sets.sets, asked.measure, how, subset=labels is not None), asked.names_of(sets.names)
    if len(asked.files) == 1 and is_counts_file(asked.files[0]):
        if any((positive, labels, *asked.columns.values(), asked.id_column, asked.grouped)):
            raise OptionError(f"{asked.files[0]} holds counts, without columns or labels.", "a counts file alone")
        return counts_of(JointCounts(**read_joint_counts(asked.files[0])), asked.measure), asked.names or ("A", "B")
    found = asked.tally()
    names = asked.names_of(found.names)
    which = {"positive": positive, "labels": labels, "extra": asked.grouped, "models": names}
    return with_doubts(decisions_in_groups(found.counts, asked.measure, **which), found.doubts), names


def _by_pilot(read: Read, names: tuple[str, str], asked: Request, settings: dict[str, Any]) -> Plan:
    from clearwin.analyses.assumptions import Assumed
    from clearwin.analyses.plan import Goal, plan_by_pilot, refuse_rates
    from clearwin.data.questions import Options

    settings.pop("measure")
    refuse_rates(Assumed(**{name: settings.pop(name) for name in names_in("Without a pilot")}))
    goals = {name: settings.pop(name) for name in names_in("Goal")}
    chosen = Options.of("plan", {**settings, "names": names})
    return plan_by_pilot(read, Goal.of(**goals, options=chosen, measure=asked.measure), chosen)
