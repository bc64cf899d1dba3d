"""clearwin reproduce."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clearwin.cli.command import Subcommand, echo, show, wanted
from clearwin.cli.options import options

if TYPE_CHECKING:
    from clearwin.simulation.keller2004.corpora import Corpus


EXPERIMENTS = {"keller2004": "text categorisation by linear and Gaussian SVMs: Table 3 and Figure 1 of section 5"}


@click.command(cls=Subcommand)
@click.argument("experiment", required=False)
@options("reproduce")
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
