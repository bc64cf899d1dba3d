"""The command: words and bytes only. Everything heavy is imported where it is used, so that --help is quick."""

from __future__ import annotations

import os

import click

from clearwin import __version__
from clearwin.cli import (
    chance,
    compare,
    curve,
    data_sets,
    folds,
    gate,
    listing,
    logs,
    plan,
    rank,
    reproduce,
    serve,
    study,
)
from clearwin.cli.command import Group
from clearwin.cli.completion import completion_option


@click.group(
    cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True}
)
@click.version_option(__version__, prog_name="clearwin")
@completion_option
def main() -> None:
    """Is classifier B really better than classifier A, or is the difference luck?"""
    # numpy's linear algebra would start a thread for every core, which costs more than a comparison and gains nothing,
    # because replicates have their own workers
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


for command in (
    compare.compare,
    compare.estimate,
    gate.gate,
    rank.rank,
    logs.inspect,
    chance.chance,
    curve.curve,
    folds.folds,
    data_sets.datasets,
    study.study,
    plan.plan,
    reproduce.reproduce,
    listing.measures,
    listing.tests,
    listing.demo,
    serve.serve,
):
    main.add_command(command)
