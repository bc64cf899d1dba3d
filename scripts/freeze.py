"""Freeze what every verb answers, and compare later answers to the last bit.

    python scripts/freeze.py write answers.json    # before a refactoring
    python scripts/freeze.py check answers.json    # after every step of it

Every verb is asked with fixed seeds over a broad grid: every measure × every test × every kind of data it takes, with
groups and strata, one, two and many models, as arrays, frames and files, in Python and on the command line. Numbers are
kept to the last bit, with the names of tests, methods and intervals; of a refusal the kind of error is kept, not its
words. The questions of ``doors.py`` are kept whole, with names, caveats, digests and the words of refusals.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clearwin as cw
import doors

SEED = 14
NAMES_KEPT = ("test", "method", "interval", "claim", "positive", "unit", "letters", "name", "a", "b", "label")
Case = tuple[str, Callable[[], Any]]


def flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the numbers of a record by their place, and the few texts that name a choice."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("signature", "version"):
                yield from flat(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            yield from flat(inner, f"{path}[{i}]")
    elif isinstance(value, float):
        yield path, value.hex()
    elif isinstance(value, bool | int) or value is None or path.rpartition(".")[2] in NAMES_KEPT:
        yield path, value


def whole(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield everything of a record by its place, but the versions of clearwin and of what it draws."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("version", "streams"):
                yield from whole(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from whole(inner, f"{path}[{i}]")
    else:
        yield path, value.hex() if isinstance(value, float) else value


def whole_answer_of(ask: Callable[[], Any], folder: Path) -> dict[str, Any]:
    """Return all of an answer, or the words that refuse it."""
    try:
        return dict(whole(ask()))
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}".replace(str(folder), "FOLDER")}


def answer_of(ask: Callable[[], Any]) -> dict[str, Any]:
    """Return the numbers of an answer, or the kind of error that refuses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = ask()
        except Exception as error:
            return {"refused": type(error).__name__}
    return dict(flat(found if isinstance(found, dict | list) else json.loads(found.to_json())))


class Data:
    """The same few hundred items as decisions, scores, values, label sets and sums, with groups and strata."""

    def __init__(self) -> None:
        rng = np.random.RandomState(SEED)
        n = 240
        self.truth = (rng.rand(n) < 0.4).astype(int)
        wrong = {name: rng.rand(n) < rate for name, rate in (("a", 0.22), ("b", 0.15), ("c", 0.3))}
        self.decisions = {name: np.where(flips, 1 - self.truth, self.truth) for name, flips in wrong.items()}
        self.scores = {name: self.truth + shift * rng.randn(n) for name, shift in (("a", 1.2), ("b", 0.9), ("c", 1.5))}
        self.chances = {name: 1 / (1 + np.exp(-scores)) for name, scores in self.scores.items()}
        self.values = {name: rng.randn(n) + shift for name, shift in (("a", 0.0), ("b", 0.15), ("c", -0.1))}
        self.classes = rng.randint(0, 4, n)
        self.in_classes = {
            name: np.where(rng.rand(n) < rate, rng.randint(0, 4, n), self.classes)
            for name, rate in (("a", 0.4), ("b", 0.3), ("c", 0.5))
        }
        self.sets = rng.rand(n, 5) < 0.3
        self.said = {name: self.sets ^ (rng.rand(n, 5) < rate) for name, rate in (("a", 0.15), ("b", 0.1))}
        self.gold = rng.randint(1, 6, n)
        self.sums = {}
        for name, p in (("a", 0.7), ("b", 0.8)):
            right = rng.binomial(self.gold, p)
            self.sums[name] = np.stack([right, right + rng.randint(0, 3, n)], axis=1)
        self.groups = np.array([f"g{i}" for i in rng.randint(0, 30, n)])
        self.strata = np.array([f"s{i}" for i in rng.randint(0, 3, n)])

    def designs(self) -> dict[str, dict[str, Any]]:
        """Return the ways in which items may belong together."""
        groups, strata = {"groups": self.groups}, {"strata": self.strata}
        return {
            "items": {},
            "groups": groups,
            "strata": strata,
            "both": {"groups": self.groups, "strata": self._coarse},
        }

    @property
    def _coarse(self) -> Any:
        """Strata that groups do not cross."""
        return np.array([f"s{int(g[1:]) % 3}" for g in self.groups])

    def of(self, takes: str) -> list[tuple[str, Any, dict[str, Any], dict[str, Any]]]:
        """Return (kind of data, truth, models, further settings) that measures of this kind take."""
        known: dict[str, list[tuple[str, Any, dict[str, Any], dict[str, Any]]]] = {
            "decisions": [
                ("decisions", self.truth, self.decisions, {}),
                ("classes", self.classes, self.in_classes, {}),
                ("label sets", self.sets, self.said, {}),
                ("thresholds", self.truth, self.chances, {"threshold": 0.6}),
            ],
            "label sets": [("label sets", self.sets, self.said, {})],
            "sums": [("sums", self.gold, self.sums, {})],
            "scores": [("scores", self.truth, self.scores, {})],
            "losses": [("chances", self.truth, self.chances, {})],
            "values": [("values", None, self.values, {})],
        }
        return known[takes]


def answers(folder: Path, only: str) -> dict[str, dict[str, Any]]:
    """Ask every question whose name contains this text."""
    found = {name: answer_of(ask) for name, ask in cases(folder) if only in name}
    doors.write_files(folder)
    several = (doors.files_asked(folder), doors.frames_asked(folder), doors.page_asked(folder))
    return found | {name: whole_answer_of(ask, folder) for asked in several for name, ask in asked if only in name}


def cases(folder: Path) -> Iterator[Case]:
    """Yield every question by name."""
    data = Data()
    yield from comparisons(data)
    yield from single_models(data)
    yield from boards(data)
    yield from learners()
    yield from the_rest(data)
    yield from studies(data)
    yield from frames(data)
    yield from commands(data, folder)


def comparisons(data: Data) -> Iterator[Case]:
    """Two models: every measure × every test × every kind of data × every design."""
    few: dict[str, Any] = {"n_resamples": 400, "rng": SEED}
    for measure in cw.list_measures().values():
        for kind, truth, models, how in data.of(measure.takes):
            ask = partial(cw.compare, truth, models["a"], models["b"], measure=measure.name, **how, **few)
            for design, units in data.designs().items():
                for test in ("auto", *cw.list_tests()):
                    yield f"compare {kind} {measure.name} {test} {design}", partial(ask, test=test, **units)
            for claim in ("better", "worse"):
                yield f"compare {kind} {measure.name} {claim}", partial(ask, claim=claim)
    ask = partial(cw.compare, data.truth, data.decisions["a"], data.decisions["b"], **few)
    for test in cw.list_tests().values():
        for measure_name in ("accuracy", "dcf", "f1", "auc", "mean", "brier"):
            kind, truth, models, _ = data.of(cw.list_measures()[measure_name].takes)[0]
            ask = partial(cw.compare, truth, models["a"], models["b"], measure=measure_name, test=test.name, **few)
            for method in test.methods:
                yield f"method {test.name} {measure_name} {method}", partial(ask, method=method)
            for interval in test.intervals:
                yield f"interval {test.name} {measure_name} {interval}", partial(ask, interval=interval)


def single_models(data: Data) -> Iterator[Case]:
    """One model, and every class."""
    for measure in cw.list_measures().values():
        for kind, truth, models, how in data.of(measure.takes):
            ask = partial(cw.estimate, truth, models["a"], measure=measure.name, n_resamples=400, rng=SEED, **how)
            for design, units in data.designs().items():
                yield f"estimate {kind} {measure.name} {design}", partial(ask, **units)
    for name, truth, models in (("classes", data.classes, data.in_classes), ("label sets", data.sets, data.said)):
        for design, units in data.designs().items():
            for measure_name in ("f1", "recall", "precision"):
                yield (
                    f"by class {name} {measure_name} {design}",
                    partial(
                        cw.compare_by_class,
                        truth,
                        models["a"],
                        models["b"],
                        measure=measure_name,
                        n_resamples=300,
                        rng=SEED,
                        **units,
                    ),
                )


def boards(data: Data) -> Iterator[Case]:
    """Many models."""
    for measure in cw.list_measures().values():
        for kind, truth, models, _ in data.of(measure.takes)[:2]:
            for design, units in data.designs().items():
                for correction in ("holm", "max-t", "benjamini-hochberg"):
                    yield (
                        f"rank {kind} {measure.name} {design} {correction}",
                        partial(
                            cw.rank,
                            truth,
                            dict(models),
                            measure=measure.name,
                            correction=correction,
                            rng=SEED,
                            n_resamples=300,
                            **units,
                        ),
                    )
    table = np.random.RandomState(3).rand(12, 4)
    named = {f"m{j}": table[:, j] for j in range(4)}
    for correction in ("holm", "benjamini-hochberg"):
        yield f"data sets {correction}", partial(cw.rank_data_sets, named, correction=correction, rng=SEED)


def learners() -> Iterator[Case]:
    """Learners over folds."""
    rng = np.random.RandomState(5)
    known: dict[str, dict[str, Any]] = {"repeated k-fold": {"repeats": 3}, "resampled": {"test_train_ratio": 0.3}}
    for design, n in (("k-fold", 10), ("repeated k-fold", 30), ("resampled", 15), ("5x2", 10), ("independent", 12)):
        a, b = rng.rand(n), rng.rand(n) + 0.05
        extra = known.get(design, {})
        for test in ("auto", *cw.list_tests("folds")):
            yield f"folds {design} {test}", partial(cw.compare_folds, a, b, design=design, test=test, rng=SEED, **extra)


def the_rest(data: Data) -> Iterator[Case]:
    """Counts, chance, areas on two test sets, curves."""
    joint = cw.JointCounts(e1=8, e2=0, e3=6, e4=0, e5=1, e6=1, e7=37, e8=147)
    for measure in ("f1", "accuracy", "dcf", "mcc"):
        yield f"counts {measure}", partial(cw.compare, joint, measure=measure, rng=SEED, n_resamples=300)
    table = np.array([[30, 5, 3], [4, 22, 8], [6, 7, 15]])
    for method in ("exact", "monte_carlo", "chi2", "auto"):
        yield f"chance {method}", partial(cw.against_chance, table, method=method, rng=SEED)
    halves = (slice(0, 120), slice(120, None))
    halves_of_both = [part[h] for h in halves for part in (data.truth, data.scores["a"])]
    yield "unpaired", partial(cw.compare_unpaired, *halves_of_both)
    for measure, models in (("auc", data.scores), ("average_precision", data.scores), ("brier", data.chances)):
        few: dict[str, Any] = {"measure": measure, "strata": data.truth, "n_resamples": 300, "rng": SEED}
        yield f"class by class compare {measure}", partial(cw.compare, data.truth, models["a"], models["b"], **few)
        yield f"class by class estimate {measure}", partial(cw.estimate, data.truth, models["a"], **few)
        yield f"class by class rank {measure}", partial(cw.rank, data.truth, dict(models), **few)
    for kind in ("roc", "det", "pr"):
        yield f"curve {kind}", partial(cw.curve, data.truth, data.scores["a"], data.scores["b"], kind=kind, rng=SEED)


def studies(data: Data) -> Iterator[Case]:
    """The study, for every kind of data."""
    for kind, measure, truth, models in (
        ("decisions", "f1", data.truth, data.decisions),
        ("classes", "macro_f1", data.classes, data.in_classes),
        ("label sets", "micro_f1", data.sets, data.said),
        ("scores", "auc", data.truth, data.scores),
        ("values", "mean", None, data.values),
    ):
        for design, units in list(data.designs().items())[:3]:
            ask = partial(cw.study, truth, models["a"], models["b"], measure=measure, test_size=60, n_sets=12)
            yield f"study {kind} {design}", partial(ask, n_resamples=100, rng=SEED, **units)


def frames(data: Data) -> Iterator[Case]:
    """Frames of three engines."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {
        "y": data.truth,
        "group": data.groups,
        "stratum": data.strata,
        **data.decisions,
    }
    columns |= {f"score_{k}": v for k, v in data.scores.items()} | {f"value_{k}": v for k, v in data.values.items()}
    for engine, frame in (
        ("pandas", pd.DataFrame(columns)),
        ("polars", pl.DataFrame(columns)),
        ("lazy", pl.LazyFrame(columns)),
        ("arrow", pa.table(columns)),
    ):
        for measure, prefix, truth in (("f1", "", "y"), ("auc", "score_", "y"), ("mean", "value_", None)):
            named: dict[str, Any] = {"a": f"{prefix}a", "b": f"{prefix}b"}
            ask = partial(cw.compare, data=frame, truth=truth, **named, measure=measure, n_resamples=300, rng=SEED)
            yield f"frame {engine} {measure}", ask
            yield f"frame {engine} {measure} groups", partial(ask, groups="group")
            yield f"frame {engine} {measure} strata", partial(ask, strata="stratum")


def commands(data: Data, folder: Path) -> Iterator[Case]:
    """The command's JSON, from CSV, JSONL and Parquet, from one file and from several."""
    import pandas as pd

    table = pd.DataFrame(
        {
            "id": np.arange(data.truth.size),
            "y": data.truth,
            **data.decisions,
            "group": data.groups,
            "stratum": data.strata,
        }
        | {f"score_{k}": v for k, v in data.scores.items()}
    )
    table.to_csv(folder / "all.csv", index=False)
    table.to_parquet(folder / "all.parquet", index=False)
    table.to_json(folder / "all.jsonl", orient="records", lines=True)
    table[["id", "y"]].to_csv(folder / "gold.csv", index=False)
    for name in "abc":
        table[["id", name]].iloc[::-1].to_csv(folder / f"{name}.csv", index=False)
    few = ["--seed", str(SEED), "--n-resamples", "300", "--json"]
    for ending in ("csv", "parquet", "jsonl"):
        file = str(folder / f"all.{ending}")
        roles = ["--truth", "y", "--a", "a", "--b", "b"]
        yield f"command {ending}", partial(command, "compare", file, *roles, *few)
        yield f"command {ending} id", partial(command, "compare", file, *roles, "--id", "id", *few)
        yield f"command {ending} groups", partial(command, "compare", file, *roles, "--groups", "group", *few)
        yield f"command {ending} strata", partial(command, "compare", file, *roles, "--strata", "stratum", *few)
        scores = ["--truth", "y", "--a", "score_a", "--b", "score_b", "--measure"]
        for measure in ("auc", "eer", "average_precision"):
            yield f"command {ending} {measure}", partial(command, "compare", file, *scores, measure, *few)
        yield (
            f"command {ending} threshold",
            partial(command, "compare", file, *scores, "f1", "--threshold", "0.5", *few),
        )
        yield f"command {ending} rank", partial(command, "rank", file, "--truth", "y", "--models", "a,b,c", *few)
        yield f"command {ending} estimate", partial(command, "estimate", file, "--truth", "y", "--a", "a", *few)
    files = [str(folder / f"{name}.csv") for name in ("gold", "a", "b")]
    yield "command joined", partial(command, "compare", *files, "--id", "id", *few)
    yield "command joined rank", partial(command, "rank", *files, str(folder / "c.csv"), "--id", "id", *few)


def command(*words: str) -> Any:
    """Return what the command prints as JSON."""
    from click.testing import CliRunner

    from clearwin.cli import main

    found = CliRunner().invoke(main, list(words))
    if found.exit_code:
        raise RuntimeError(found.output)
    return json.loads(found.stdout)


def main() -> None:
    """Write the answers, or compare them with those written before."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("write", "check"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="questions whose names contain this")
    asked = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = answers(Path(folder), asked.only)
    refused = sum("refused" in answer for answer in found.values())
    print(f"{len(found):,} questions, {refused:,} of them refused, {time.perf_counter() - start:.0f} s")
    if asked.what == "write":
        asked.file.write_text(json.dumps(found, indent=0))
        return
    before = {name: answer for name, answer in json.loads(asked.file.read_text()).items() if asked.only in name}
    missing, new = sorted(before.keys() - found.keys()), sorted(found.keys() - before.keys())
    changed = [name for name in found.keys() & before.keys() if found[name] != before[name]]
    for name in sorted(changed)[:20]:
        old, now = before[name], found[name]
        places = [p for p in {**old, **now} if old.get(p) != now.get(p)]
        print(f"changed: {name}: " + "; ".join(f"{p} {old.get(p)} → {now.get(p)}" for p in places[:3]))
    print(f"{len(changed)} changed, {len(missing)} missing {missing[:3]}, {len(new)} new {new[:3]}")
    sys.exit(bool(changed or missing))


if __name__ == "__main__":
    main()
