"""clearwin reproduce."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, echo, file_option, output_to, seed_option, show, wanted

if TYPE_CHECKING:
    from clearwin.simulation.keller2004.corpora import Corpus


EXPERIMENTS = {"keller2004": "text categorisation by linear and Gaussian SVMs: Table 3 and Figure 1 of section 5"}


@click.command(cls=Subcommand)
@click.argument("experiment", required=False)
@click.option(
    "--corpus",
    multiple=True,
    metavar="FILE",
    help="Documents: CSV, TSV, JSON, JSONL or Parquet, can be repeated; or rcv1, which is downloaded. "
    "By default the documentation inside scikit-learn.",
)
@click.option("--text", default="text", metavar="COLUMN", help="Column with the texts.")
@click.option("--labels", default="labels", metavar="COLUMN", help="Column with the categories of each document.")
@click.option("--separator", default=",", metavar="TEXT", help="What separates several categories.")
@click.option("--columns", metavar="NAMES", help="Names of the columns of files without a header: text,labels,id.")
@click.option("--label-names", metavar="FILE", help="File with a name in each line; category 0 gets the first.")
@click.option(
    "--train-size", type=click.IntRange(min=1), help="Documents to train on; by default a tenth, at most 7982."
)
@click.option("--test-size", type=click.IntRange(min=1), help="Documents to test on; by default a tenth, at most 7909.")
@click.option(
    "--categories-per-set",
    type=click.IntRange(min=2),
    help="Categories in each of X, Y and Z; by default 21, or fewer.",
)
@click.option("--measure", default="micro_f1", metavar="NAME", help="A measure of label sets.")
@click.option("--n-resamples", type=int, default=10_000, help="Replicates on the test set.")
@click.option("--sets", "n_sets", type=int, default=1_000, help="Test sets to draw from the rest.")
@click.option("--study", is_flag=True, help="Report size and coverage as well, which Table 3 cannot show.")
@seed_option
@click.option("--jobs", "n_jobs", type=int, default=-1, help="Threads; -1 for all cores.")
@output_to(
    "Draw Figure 1 for X",
    file_option("--save", 'Write what both models decided to a CSV file; labels are separated by "|".'),
)
def reproduce(
    experiment: str | None,
    corpus: tuple[str, ...],
    text: str,
    labels: str,
    separator: str,
    columns: str | None,
    label_names: str | None,
    **settings: Any,
) -> None:
    """Run a published experiment again, from the texts to its table.

    EXPERIMENT is keller2004. Without it the experiments are listed.
    """
    told = wanted(settings, reads=(*corpus, label_names))
    if experiment is None:
        for name, what in EXPERIMENTS.items():
            echo(f"{name}\t{what}")
        return
    if experiment not in EXPERIMENTS:
        from clearwin.errors import UnknownNameError

        raise UnknownNameError("experiment to reproduce", experiment, EXPERIMENTS)
    from clearwin.simulation.keller2004 import experiment as keller2004
    from clearwin.simulation.keller2004.corpora import need_scikit_learn

    need_scikit_learn()
    documents = _corpus(corpus, columns, text=text, labels=labels, separator=separator, label_names=label_names)
    found = keller2004.run(documents, **settings)
    try:
        show(found, how=told)
    finally:
        if told.save is not None:
            found.save(told.save)


def _corpus(paths: tuple[str, ...], columns: str | None, **settings: Any) -> Corpus | None:
    from clearwin.errors import OptionError
    from clearwin.simulation.keller2004.corpora import rcv1, read_corpus

    if not paths:
        return None
    if "rcv1" in paths:
        if len(paths) > 1:
            raise OptionError("rcv1 was given together with files.", "rcv1 alone, or files", "--corpus rcv1")
        return rcv1()
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    return read_corpus(paths, columns=names, **settings)
