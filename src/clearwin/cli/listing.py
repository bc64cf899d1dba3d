"""clearwin measures, clearwin tests and clearwin demo."""

from __future__ import annotations

import shlex
from typing import Any

import click

from clearwin.cli.command import Subcommand, echo, show, show_list, wanted
from clearwin.cli.options import options

DEMO = "digits_eight.csv"
DEMO_COLUMNS = {"truth": "truth", "a": "linear", "b": "gaussian"}


@click.command(cls=Subcommand)
@options("measures")
def measures(**settings: Any) -> None:
    """List the measures."""
    from clearwin.analyses.listing import list_measures

    how = wanted(settings, reads=())
    rows = [
        {
            "name": m.name + (f" ({', '.join(m.aliases)})" if m.aliases else ""),
            "label": m.label,
            "better": "higher" if m.higher_is_better else "lower",
            "decomposition": m.decomposition,
            "formula": m.formula,
            "options": ", ".join(f"{k}={v:g}" for k, v in m.defaults.items()),
        }
        for m in list_measures().values()
    ]
    show_list(rows, how)


@click.command(cls=Subcommand)
@options("tests")
def tests(folds: bool, **settings: Any) -> None:
    """List the tests and what they can judge."""
    from clearwin.analyses.listing import list_tests

    how = wanted(settings, reads=())
    if folds:
        keys = ("name", "question", "formula", "source")
        show_list(
            [
                {**{key: getattr(t, key) for key in keys}, "designs": ", ".join(t.designs)}
                for t in list_tests("folds").values()
            ],
            how,
        )
        return
    rows = [
        {
            "name": t.name,
            "question": t.question,
            "judges": ", ".join(t.judges),
            "methods": ", ".join(t.methods),
            "intervals": ", ".join(t.intervals),
            "source": t.source,
        }
        for t in list_tests().values()
    ]
    show_list(rows, how)


@click.command(cls=Subcommand)
@options("demo")
def demo(**settings: Any) -> None:
    """Compare two real classifiers on data that comes with clearwin."""
    from importlib.resources import as_file, files

    from clearwin.analyses.compare import compare_tally
    from clearwin.data.files.predictions import tally_file

    source = files("clearwin.data") / "shipped" / DEMO
    how = wanted(settings, reads=(str(source),))
    if how.save is not None:
        from clearwin.results.writing import write_bytes

        write_bytes(how.save, source.read_bytes())
    with as_file(source) as path:
        found = tally_file(path, DEMO_COLUMNS)
    result = compare_tally(found.counts, names=found.names[1:], measure="f1", positive="eight", rng=2004)
    if how.stands_alone:
        show(result, how=how)
        return
    echo(
        "A linear and a Gaussian support vector machine, each trained on 297 handwritten digits to tell the eights\n"
        "from the others, classified the same 1,500 new digits. Is the Gaussian one really better?\n"
    )
    show(result, how=how)
    file = shlex.quote(how.save or "eights.csv")
    echo(
        f"\nTo run this yourself:\n  clearwin demo --save {file}\n  clearwin compare {file} --truth truth --a linear "
        "--b gaussian --measure f1 --positive eight --seed 2004"
    )
