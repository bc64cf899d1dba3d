"""Words for the command and fields for the page: options that exist, with values that fit and values that do not."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import click

from clearwin.analyses.listing import list_measures, list_tests
from clearwin.cli import main
from clearwin.numerics.corrections import CORRECTIONS
from clearwin.numerics.pvalues import CLAIMS

if TYPE_CHECKING:
    from proof.inputs import Case

# those that begin servers, write into the home folder or take minutes by design are asked elsewhere
VERBS = ("compare", "compare", "compare", "estimate", "rank", "chance", "curve", "folds", "datasets", "gate", "inspect")
NEVER = {"--self-test", "--plot", "--html", "--ledger", "--config", "--force"}
COLUMNS = ["id", "truth", "a", "b", "score_a", "score_b", "text", "nowhere", "", "*", "A", "score_*", "a,b", "truth,a"]
NUMBERS = ["0", "1", "-1", "0.5", "1e-9", "nan", "inf", "0.95", "2", "1e400", "x", "", "1,2", "best", "0.9999999999"]
WORDS = [
    "",
    " ",
    "x",
    "auto",
    "exact",
    "drop",
    "refuse",
    "cat",
    "1",
    "yes",
    "0",
    "a,b",
    ",",
    ";",
    "|",
    "é",
    "\n",
    "-",
    "--",
    "=",
]


def random_words(table: Case, rng: random.Random) -> tuple[str, ...]:
    """Return a command with the files of a case, mostly with sensible columns, and a few options at random."""
    verb = rng.choice(VERBS)
    command: Any = main.get_command(click.Context(main), verb)
    options = {option.opts[0]: option for option in command.params if isinstance(option, click.Option)}
    files = list(table.files) if command.params[0].nargs == -1 else list(table.files)[:1]
    words = [verb, *files]
    if rng.random() < 0.8:
        scored = rng.random() < 0.3
        names = {"--truth": "truth", "--a": "score_a" if scored else "a", "--b": "score_b" if scored else "b"}
        for flag, column in names.items():
            words += [flag, column] if flag in options and rng.random() < 0.95 else []
    if "--n-resamples" in options:
        words += ["--n-resamples", rng.choice(["20", "50", "99"])]
    for flag in rng.sample(sorted(options), min(len(options), rng.choice([0, 1, 2, 3, 5]))):
        if flag in NEVER or flag == "--n-resamples":
            continue
        words += [flag] if options[flag].is_flag else [flag, value_for(flag, rng)]
    return tuple(words)


def value_for(flag: str, rng: random.Random) -> str:
    """Return a value for an option: mostly one of its kind, now and then anything."""
    known: dict[str, list[str]] = {
        "--measure": list(list_measures()),
        "--test": list(list_tests()),
        "--claim": list(CLAIMS),
        "--correction": list(CORRECTIONS),
        "--json": ["-", "out.json", "nowhere/out.json"],
        "--disagreements": ["-", "out.csv", "nowhere/out.csv"],
        "--junit": ["out.xml"],
        "--seed": ["0", "7", "-1", "x"],
    }
    columns = dict.fromkeys(
        ("--truth", "--a", "--b", "--id", "--groups", "--strata", "--by", "--models", "--name"), COLUMNS
    )
    pool = (known | columns).get(flag, [*NUMBERS, *WORDS])
    return rng.choice(pool if rng.random() < 0.9 else [*NUMBERS, *WORDS, *COLUMNS])


def random_fields(rng: random.Random) -> tuple[str, ...]:
    """Return the fields of a form, as name=value, after the path that they are sent to."""
    if rng.random() < 0.3:
        return ("/api/columns",)
    fields = {"truth": "truth", "a": "a", "b": "b", "n_resamples": "20"}
    if rng.random() < 0.3:
        fields |= {"a": "score_a", "b": "score_b", "measure": "auc"}
    for name in rng.sample(
        ("measure", "test", "claim", "correction", "seed", "groups", "by", "threshold", "id", "missing"), 2
    ):
        if rng.random() < 0.5:
            fields[name] = value_for(f"--{name}", rng)
    return ("/api/compare", *(f"{name}={value}" for name, value in fields.items()))
