"""Words for the command and fields for the page: options that exist, with values that fit and values that do not."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import click

from clearwin.analyses.listing import list_measures, list_tests
from clearwin.cli import main
from clearwin.data.folds import DESIGNS
from clearwin.measures import find
from clearwin.numerics.corrections import CORRECTIONS
from clearwin.numerics.pvalues import CLAIMS

if TYPE_CHECKING:
    from proof.inputs import Case

# those that begin servers or write into the home folder are asked elsewhere
VERBS = [*["compare"] * 3, "estimate", "rank", "chance", "curve", "folds", "datasets", "gate", "gate", "plan", "study"]
# most verbs refuse these files at once, so they are seldom asked
VERBS_OF = {
    "logs": ["compare", "estimate", "rank", "plan", "inspect"],
    "counts": ["compare", "estimate", "gate", "plan"],
    "matrix": ["chance"],
}
CONFIG = "gate.toml"
NEVER = {"--self-test", "--plot", "--kind", "--html", "--ledger", "--config", "--force", "--jobs", "--n-resamples"}
OF_LOGS = {"--metric", "--filter", "--partial"}  # refused with anything else
RATES = ["0.1", "0.3", "0.5", "0.9"]
COLUMNS = ["id", "truth", "a", "b", "score_a", "score_b", "text", "nowhere", "", "*", "A", "score_*", "a,b", "truth,a"]
NUMBERS = ["0", "1", "-1", "0.5", "1e-9", "nan", "inf", "0.95", "2", "1e400", "x", "", "1,2", "best", "0.9999999999"]
WORDS = ["", " ", "x", "auto", "exact", "drop", "refuse", "cat", "1", "yes", "0", "a,b", ",", ";", "|", "é", "\n"]
WORDS += ["-", "--", "="]
TOML = ["0.05", "-1", "nan", "inf", "1e400", "9223372036854775807", "true", "[]", "{}", "[1, 2]", '["text"]', "{a = 1}"]
TOML += ["1979-05-27", '""', '"x"', '"5%"', '"dcf(cost_fn=10)"', '"dcf("']
# values that fit where the file has nothing wrong in it
FITTING: dict[str, list[str]] = {
    "--truth": ["truth"],
    "--a": ["a", "score_a"],
    "--b": ["b", "score_b"],
    "--id": ["id"],
    "--name": ["id", "text"],
    "--names": ["old,new"],
    "--groups": ["text"],
    "--strata": ["truth", "text"],
    "--by": ["text", "truth"],
    "--models": ["a,b", "score_a,score_b", "score_*"],
    "--baseline": ["a", "score_a"],
    "--positive": ["0", "1"],
    "--labels": ["1", "0,1"],
    "--separator": [",", ";"],
    "--missing": ["drop", "refuse"],
    "--threshold": ["0.5", "0.4,0.6", "best"],
    "--measure": list(list_measures()),
    "--test": list(list_tests()),
    "--method": ["auto", "exact", "asymptotic", "monte_carlo"],
    "--interval": ["auto", "percentile", "bca", "basic", "wald", "tango"],
    "--claim": list(CLAIMS),
    "--correction": list(CORRECTIONS),
    "--margin": ["0.05", "0.2", "5%"],
    "--confidence-level": ["0.5", "0.9", "0.99"],
    "--seed": ["0", "7"],
    "--bins": ["100", "auto"],
    "--memory-limit": ["1KB", "1GB"],
    "--device": ["cpu"],
    "--design": list(DESIGNS),
    "--repeats": ["2", "5"],
    "--test-train-ratio": RATES,
    "--cost-fn": ["1", "10"],
    "--cost-fp": ["1", "10"],
    "--prior": RATES,
    "--min-slice": ["2", "30"],
    "--undecided": ["pass", "fail", "3"],
    "--sets": ["2", "5"],
    "--test-size": ["10", "30"],
    "--sizes": ["10,20"],
    "--alphas": ["0.1,0.05", "0.5"],
    "--difference": ["0.05", "0.2"],
    "--items": ["50", "2000"],
    "--power": RATES,
    "--design-effect": ["1", "2.5"],
    **dict.fromkeys(
        ("--disagreement", "--accuracy-a", "--prevalence", "--recall-a", "--auc-a", "--correlation"), RATES
    ),
    **dict.fromkeys(("--false-positive-rate-a", "--deviation"), RATES),
    "--style": ["full", "paper", "brief"],
    "--json": ["-", "out.json", "nowhere/out.json"],
    "--latex": ["out.tex"],
    "--disagreements": ["-", "out.csv", "nowhere/out.csv"],
    "--junit": ["out.xml"],
}


def random_words(table: Case, rng: random.Random) -> tuple[str, ...]:
    """Return a command with the files of a case, mostly with what it must have, and a few options at random."""
    verb = rng.choice(VERBS_OF.get(table.target, VERBS) if rng.random() < 0.95 else [*VERBS, "inspect"])
    command: Any = main.get_command(click.Context(main), verb)
    options = {option.opts[0]: option for option in command.params if isinstance(option, click.Option)}
    files = list(table.files)
    if verb == "plan":
        words = [verb, *(f"--pilot={file}" for file in files)]
    else:
        words = [verb, *(files if command.params[0].nargs == -1 else files[:1])]
    if rng.random() < 0.95:
        for flag, value in _needed(verb, table, rng).items():
            words += [flag, value] if flag in options and rng.random() < 0.97 else []
    if "--n-resamples" in options:
        words += ["--n-resamples", rng.choice(["20", "50", "99"])]
    if verb == "study":
        words += ["--sets", "3"]  # 1,000 would take half a minute
    free = sorted({*options} - NEVER - (OF_LOGS if table.target != "logs" else set()))
    for flag in rng.sample(free, min(len(free), rng.choice([0, 0, 1, 1, 2, 3, 5]))):
        words += [flag] if options[flag].is_flag else [flag, value_for(flag, rng)]
    return tuple(words)


def _needed(verb: str, table: Case, rng: random.Random) -> dict[str, str]:
    """Return the options without which this verb refuses such a file."""
    needed: dict[str, str] = {"--id": "id"} if len(table.files) > 1 and table.target != "logs" else {}
    if verb == "gate":
        needed |= {"--margin": "0.1"} if rng.random() < 0.5 else {"--config": CONFIG}
    if verb == "folds":
        needed["--design"] = rng.choice(list(DESIGNS))
    if verb == "plan":
        goals = {name: rng.choice(FITTING[name]) for name in ("--difference", "--items", "--power")}
        needed |= {name: goals[name] for name in rng.sample(list(goals), 2)}
    if verb == "study":
        needed["--test-size"] = "20"
    if table.target in ("logs", "counts", "matrix"):
        return needed
    if verb == "datasets":
        return needed | {"--models": "score_a,score_b", "--name": "id"}
    needed |= {"--truth": "truth", "--a": "a", "--b": "b"}
    if verb == "curve" or rng.random() < 0.3:
        asked = rng.choice([name for name in list_measures() if find(name).takes == "scores"])
        needed |= {"--a": "score_a", "--b": "score_b", "--measure": asked}
    return needed


def random_config(rng: random.Random) -> bytes:
    """Return a table of checks for the gate: mostly one that fits, some with other keys, values or bytes."""
    keys = ["truth", "a", "b", "id", "names", "groups", "strata", "positive", "n_resamples", "seed", "confidence_level"]
    keys += ["correction", "min_slice", "undecided", "baseline_sha256", "ledger", "'a key'"]
    lines = [rng.choice([*["[tool.clearwin.gate]"] * 8, "[tool.clearwin]", "[[tool.clearwin.gate]]", ""])]
    lines += [f"{key} = {_toml(key, rng)}" for key in rng.sample(keys, rng.choice([0, 0, 1, 2]))]
    checks = []
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        named = ["measure", "margin", *rng.sample(["claim", "by", rng.choice(keys)], rng.choice([0, 0, 1, 2]))]
        checks.append("{" + ", ".join(f"{key} = {_toml(key, rng)}" for key in named) + "}")
    text = "\n".join([*lines, f"checks = [{', '.join(checks)}]", ""]).encode()
    if rng.random() < 0.1:
        place = rng.randrange(len(text))
        text = text[:place] + bytes([rng.randrange(256)]) + text[place + rng.choice([0, 1, 5]) :]
    return text


def _toml(key: str, rng: random.Random) -> str:
    """Return a value as TOML writes it, of the kind that the key has or of another."""
    fits = FITTING.get(f"--{key.replace('_', '-')}")
    if fits and rng.random() < 0.8:
        value = rng.choice(fits)
        return value if value.replace(".", "").isdigit() and key != "positive" else json.dumps(value)
    return rng.choice(TOML)


def value_for(flag: str, rng: random.Random) -> str:
    """Return a value for an option: mostly one that fits, now and then anything."""
    pool = FITTING.get(flag, [*NUMBERS, *WORDS])
    return rng.choice(pool if rng.random() < 0.8 else [*NUMBERS, *WORDS, *COLUMNS])


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
