"""clearwin folds."""

from __future__ import annotations

from typing import Any

import click

from clearwin.cli.command import LEVEL_HELP, Subcommand, id_option, margin_option, output, seed_option, show, wanted


@click.command(cls=Subcommand)
@click.argument("file")
@click.option("--a", "a", metavar="COLUMN", help="Column with the scores of learner A, the reference.")
@click.option("--b", "b", metavar="COLUMN", help="Column with the scores of learner B, the challenger.")
@id_option
@click.option(
    "--design",
    metavar="NAME",
    help='How the folds were made: k-fold, "repeated k-fold", 10x10 (rounds × folds), resampled, 5x2 or independent.',
)
@click.option("--repeats", type=int, metavar="N", help="Rounds of repeated k-fold cross-validation.")
@click.option("--test-train-ratio", type=float, metavar="R", help="Size of a test set over that of its training set.")
@click.option(
    "--test",
    default="auto",
    metavar="NAME",
    help="paired_t, corrected_t, 5x2cv_t, 5x2cv_f, permutation, partition, wilcoxon, sign or bayes_t.",
)
@click.option(
    "--claim",
    default="different",
    metavar="CLAIM",
    help="What you want to show about B: different, better or worse.",
)
@click.option("--lower-is-better", is_flag=True, help="The scores are errors, losses or costs.")
@margin_option
@click.option("--confidence-level", type=float, default=0.95, help=LEVEL_HELP)
@click.option("--n-resamples", type=int, default=10_000, help="Arrangements to draw where there are too many to count.")
@click.option("--measure-label", default="score", metavar="TEXT", help="What to call the scores.")
@seed_option
@output
def folds(
    file: str,
    a: str | None,
    b: str | None,
    id_column: str | None,
    lower_is_better: bool,
    **settings: Any,
) -> None:
    """Compare two learning algorithms by their scores over folds.

    FILE has a row for every fold and a column with the scores of each learner, both on the same folds in the same
    order; repeated cross-validation goes round by round. It is CSV, TSV, Parquet, JSON or JSONL, by its ending; - is
    standard input.
    """
    from clearwin.analyses.folds import compare_folds
    from clearwin.data.reading import Reading
    from clearwin.reading.opening import opened

    how = wanted(settings, reads=(file,))
    if how.margin is not None:
        settings["margin"] = how.margin  # of the posterior, too
    columns = {"a": a, "b": b}
    with opened(file, id_column) as table:
        scores, names = table.fetched(columns, Reading()), table.names(None, columns, Reading())
    both = (scores["a"], scores["b"])
    result = compare_folds(*both, names=names, higher_is_better=not lower_is_better, **settings)
    show(result, how)
