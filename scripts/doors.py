"""The same questions about the same data, asked through every door: the command, files, frames and the page.

``freeze.py`` keeps their whole answers, with names, caveats, digests and refusals; ``tests/test_doors.py`` wants the
same JSON from all doors. There are few items and few draws, because there are many questions.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

N, SEED = 72, 7
LABELS = ("joy", "anger", "fear")
# options that are called otherwise than in Python
OPTIONS = {"rng": "--seed", "n_sets": "--sets", "tests": "--test"}
COMMANDS = {
    "compare_by_class": ("compare", "--per-class"),
    "against_chance": ("chance",),
    "compare_folds": ("folds",),
    "rank_data_sets": ("datasets",),
}
SMALL: dict[str, dict[str, Any]] = {
    "compare": {"n_resamples": 60},
    "compare_by_class": {"n_resamples": 60},
    "estimate": {"n_resamples": 60},
    "rank": {"n_resamples": 60},
    "gate": {"n_resamples": 60},
    "plan": {"n_resamples": 60},
    "study": {"n_sets": 2, "test_size": 30, "n_resamples": 20, "alphas": (0.05,)},
}


@dataclass(frozen=True)
class DoorQuestion:
    """A verb, the table that it is asked about, and its settings as Python has them, with columns by their names."""

    name: str
    verb: str
    table: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Any]:
        """The settings with few draws and a seed."""
        return {**SMALL.get(self.verb, {}), **self.settings, "rng": SEED}

    def words(self, *files: object) -> list[str]:
        """Return what to type."""
        command, *more = COMMANDS.get(self.verb, (self.verb,))
        found = [command, *more]
        found += [f"--pilot={file}" for file in files] if command == "plan" else [str(file) for file in files]
        for name, value in self.asked.items():
            option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
            if self.verb == "curve" and name == "kind":
                option, value = f"--{value}", True
            several = value if isinstance(value, list) and name == "groups" else [value]
            for one in several:
                text = ",".join(map(str, one)) if isinstance(one, list | tuple) else str(one)
                found += [option] if one is True else [] if one is False else [f"{option}={text}"]
        return [*found, "--json"]


def tables() -> dict[str, dict[str, list[Any]]]:
    """Return the tables: everything that items may have, the same with holes, folds, and models over data sets."""
    rng = np.random.RandomState(SEED)
    items: dict[str, Any] = {"id": np.arange(1000, 1000 + N), "y": (rng.rand(N) < 0.4).astype(int)}
    for name, rate in (("a", 0.25), ("b", 0.15), ("c", 0.3)):
        items[name] = np.where(rng.rand(N) < rate, 1 - items["y"], items["y"])
        items[f"score_{name}"] = np.round(items["y"] + (1 + rate) * rng.randn(N), 3)
        items[f"chance_{name}"] = np.round(1 / (1 + np.exp(-items[f"score_{name}"])), 4)
        items[f"narrow_{name}"] = items[f"chance_{name}"].astype(np.float32)
        items[f"value_{name}"] = np.round(rng.randn(N) + rate, 3)
        items[f"right_{name}"] = items[name] == items["y"]
    for kind, classes in (("class", np.array(["ham", "spam", "eggs"])), ("digit", np.arange(1, 13))):
        items[kind] = classes[np.concatenate([np.arange(len(classes)), rng.randint(0, len(classes), N - len(classes))])]
        for name, rate in (("a", 0.3), ("b", 0.2), ("c", 0.4)):
            said = np.where(rng.rand(N) < rate, rng.randint(0, len(classes), N), -1)
            items[f"{kind}_{name}"] = np.where(said < 0, items[kind], classes[said])
    items["gold"] = rng.randint(1, 6, N)
    for name, p in (("a", 0.7), ("b", 0.8)):
        items[f"hits_{name}"] = rng.binomial(items["gold"], p)
        items[f"found_{name}"] = items[f"hits_{name}"] + rng.randint(0, 3, N)
    marks = rng.rand(N, len(LABELS)) < 0.4
    for name, rate in (("true", 0.0), ("svm", 0.2), ("rbf", 0.1)):
        said = marks ^ (rng.rand(N, len(LABELS)) < rate)
        items |= {f"{name}_{label}": said[:, i].astype(int) for i, label in enumerate(LABELS)}
        items[f"tags_{name}"] = [",".join(label for label, has in zip(LABELS, row, strict=True) if has) for row in said]
    items["winner"] = np.array(["old", "new", "tie"])[rng.choice(3, N, p=[0.35, 0.5, 0.15])]
    items["first"] = np.array(["old", "new"])[rng.randint(0, 2, N)]
    items["group"] = [f"g{i}" for i in rng.randint(0, 12, N)]
    items["other group"] = [f"h{i}" for i in rng.randint(0, 9, N)]
    items["stratum"] = [f"s{i}" for i in rng.randint(0, 3, N)]
    items["task"] = [("read", "write", "speak")[i] for i in rng.randint(0, 3, N)]
    items["part"] = np.concatenate([np.arange(1, 13), rng.randint(1, 13, N - 12)])
    plain = {name: list(values) if isinstance(values, list) else values.tolist() for name, values in items.items()}
    holes = {name: list(values) for name, values in plain.items()}
    for column, rows in (("y", (3,)), ("b", (5, 9)), ("group", (9,)), ("score_b", (4,)), ("value_a", (7, 8))):
        for row in rows:
            holes[column][row] = None
    narrow: dict[str, Any] = {name: values for name, values in items.items() if name.startswith("narrow")}
    return {
        "items": plain | narrow,
        "marks": {name: values for name, values in plain.items() if name.startswith("right")},
        "holes": holes | narrow,
        "folds": {"fold": list(range(10)), **{name: np.round(rng.rand(10), 3).tolist() for name in "ab"}},
        "data sets": {
            "set": [f"d{i}" for i in range(8)],
            **{f"m{i}": np.round(rng.rand(8), 3).tolist() for i in range(3)},
        },
    }


def questions() -> Iterator[DoorQuestion]:
    """Yield every verb × kind of data × setting of reading."""
    yield from decisions()
    yield from numbers()
    yield from label_sets()
    yield from other_verbs()
    yield from refusals()


TWO = {"truth": "y", "a": "a", "b": "b"}
CLASSES = {"truth": "class", "a": "class_a", "b": "class_b", "measure": "macro_f1"}
DIGITS = {"truth": "digit", "a": "digit_a", "b": "digit_b", "measure": "macro_f1"}


def decisions() -> Iterator[DoorQuestion]:
    """Two classes and many, in all designs."""
    designs: dict[str, dict[str, Any]] = {
        "": {},
        "groups": {"groups": "group"},
        "crossed groups": {"groups": ["group", "other group"]},
        "strata": {"strata": "stratum"},
        "truth as strata": {"strata": "y"},
        "id": {"id": "id"},
        "by": {"by": "task"},
        "by numbers": {"by": "part"},
        "names": {"names": ["old", "new"]},
        "claim": {"claim": "not_worse", "margin": 0.1},
        "bootstrap": {"test": "bootstrap", "method": "auto"},
    }
    for name, design in designs.items():
        yield DoorQuestion(f"compare decisions {name}".strip(), "compare", "items", {**TWO, **design})
    yield DoorQuestion("compare marks", "compare", "marks", {"a": "right_a", "b": "right_b", "measure": "accuracy"})
    yield DoorQuestion("estimate marks", "estimate", "marks", {"a": "right_a", "measure": "accuracy"})
    yield DoorQuestion(
        "rank marks", "rank", "marks", {"models": ["right_a", "right_b", "right_c"], "measure": "accuracy"}
    )
    yield DoorQuestion("compare decisions drop", "compare", "holes", {**TWO, "missing": "drop"})
    yield DoorQuestion(
        "compare decisions drop groups", "compare", "holes", {**TWO, "missing": "drop", "groups": "group"}
    )
    yield DoorQuestion("compare decisions drop by", "compare", "holes", {**TWO, "missing": "drop", "by": "task"})
    for kind, roles in (("classes", CLASSES), ("digits", DIGITS)):
        yield DoorQuestion(f"compare {kind}", "compare", "items", roles)
        yield DoorQuestion(f"compare {kind} groups", "compare", "items", {**roles, "groups": "group"})
        yield DoorQuestion(f"by class {kind}", "compare_by_class", "items", {**roles, "measure": "f1"})
        yield DoorQuestion(
            f"by class {kind} groups", "compare_by_class", "items", {**roles, "measure": "f1", "groups": "group"}
        )
        yield DoorQuestion(f"estimate {kind}", "estimate", "items", {k: v for k, v in roles.items() if k != "b"})
        yield DoorQuestion(
            f"rank {kind}",
            "rank",
            "items",
            {"truth": roles["truth"], "models": [f"{roles['truth']}_{m}" for m in "abc"], "measure": "macro_f1"},
        )
    yield DoorQuestion(
        "compare one class of three", "compare", "items", {**CLASSES, "measure": "f1", "positive": "spam"}
    )
    yield DoorQuestion("compare some classes", "compare", "items", {**CLASSES, "labels": ["ham", "spam"]})
    yield DoorQuestion("compare some digits", "compare", "items", {**DIGITS, "labels": ["2", "11"]})
    yield DoorQuestion("estimate decisions", "estimate", "items", {"truth": "y", "a": "a"})
    yield DoorQuestion("estimate decisions drop", "estimate", "holes", {"truth": "y", "a": "b", "missing": "drop"})
    yield DoorQuestion("estimate decisions groups", "estimate", "items", {"truth": "y", "a": "a", "groups": "group"})
    yield DoorQuestion("rank decisions", "rank", "items", {"truth": "y", "models": list("abc")})
    yield DoorQuestion(
        "rank decisions groups", "rank", "items", {"truth": "y", "models": list("abc"), "groups": "group"}
    )
    yield DoorQuestion("rank decisions drop", "rank", "holes", {"truth": "y", "models": list("abc"), "missing": "drop"})
    yield DoorQuestion(
        "rank decisions baseline", "rank", "items", {"truth": "y", "models": list("abc"), "baseline": "a"}
    )


def numbers() -> Iterator[DoorQuestion]:
    """Scores, thresholds, values, losses, sums of counts, and battles."""
    scores: dict[str, Any] = {"truth": "y", "a": "score_a", "b": "score_b"}
    chances: dict[str, Any] = {"truth": "y", "a": "chance_a", "b": "chance_b"}
    narrow: dict[str, Any] = {"truth": "y", "a": "narrow_a", "b": "narrow_b"}
    values: dict[str, Any] = {"a": "value_a", "b": "value_b", "measure": "mean"}
    sums: dict[str, Any] = {
        "truth": "gold",
        "a": ["hits_a", "found_a"],
        "b": ["hits_b", "found_b"],
        "measure": "span_f1",
    }
    for measure in ("auc", "average_precision", "eer"):
        yield DoorQuestion(f"compare scores {measure}", "compare", "items", {**scores, "measure": measure})
    varied: dict[str, dict[str, Any]] = {
        "groups": {"groups": "group"},
        "strata": {"strata": "stratum"},
        "classes as strata": {"strata": "y"},
        "by": {"by": "task"},
        "bins": {"bins": 50},
        "lower": {"lower_is_positive": "score_a"},
    }
    for name, more in varied.items():
        yield DoorQuestion(f"compare scores {name}", "compare", "items", {**scores, "measure": "auc", **more})
    yield DoorQuestion("compare scores drop", "compare", "holes", {**scores, "measure": "auc", "missing": "drop"})
    yield DoorQuestion(
        "compare scores bins drop", "compare", "holes", {**scores, "measure": "auc", "bins": 50, "missing": "drop"}
    )
    for name, threshold in (("one", 0.5), ("two", [0.5, 0.6]), ("best", "best")):
        yield DoorQuestion(f"compare threshold {name}", "compare", "items", {**chances, "threshold": threshold})
        yield DoorQuestion(f"compare narrow threshold {name}", "compare", "items", {**narrow, "threshold": threshold})
    yield DoorQuestion("compare threshold by", "compare", "items", {**chances, "threshold": 0.5, "by": "task"})
    for measure in ("brier", "log_loss"):
        yield DoorQuestion(f"compare {measure}", "compare", "items", {**chances, "measure": measure})
        yield DoorQuestion(f"compare narrow {measure}", "compare", "items", {**narrow, "measure": measure})
    for name, more in {
        "": {},
        "groups": {"groups": "group"},
        "strata": {"strata": "stratum"},
        "by": {"by": "task"},
    }.items():
        yield DoorQuestion(f"compare values {name}".strip(), "compare", "items", {**values, **more})
        yield DoorQuestion(f"compare sums {name}".strip(), "compare", "items", {**sums, **more})
    yield DoorQuestion("compare values drop", "compare", "holes", {**values, "missing": "drop"})
    yield DoorQuestion(
        "compare mae", "compare", "items", {"truth": "value_c", "a": "value_a", "b": "value_b", "measure": "mae"}
    )
    yield DoorQuestion("compare narrow mean", "compare", "items", {"a": "narrow_a", "b": "narrow_b", "measure": "mean"})
    for name, roles in (
        ("scores", {**scores, "measure": "auc"}),
        ("narrow", {**narrow, "measure": "auc"}),
        ("values", values),
        ("sums", sums),
    ):
        yield DoorQuestion(f"estimate {name}", "estimate", "items", {k: v for k, v in roles.items() if k != "b"})
    yield DoorQuestion(
        "rank scores", "rank", "items", {"truth": "y", "models": ["score_a", "score_b", "score_c"], "measure": "auc"}
    )
    yield DoorQuestion(
        "rank narrow", "rank", "items", {"truth": "y", "models": ["narrow_a", "narrow_b", "narrow_c"], "measure": "auc"}
    )
    yield DoorQuestion("rank values", "rank", "items", {"models": ["value_a", "value_b", "value_c"], "measure": "mean"})
    battles: dict[str, Any] = {"truth": "winner", "a": "old", "b": "new", "measure": "win_rate"}
    for name, more in {"": {}, "first": {"strata": "first"}, "groups": {"groups": "group"}}.items():
        yield DoorQuestion(f"compare battles {name}".strip(), "compare", "items", {**battles, **more})


def label_sets() -> Iterator[DoorQuestion]:
    """Several labels for each item: columns of 0 and 1, and texts."""
    columns: dict[str, Any] = {"truth": "true_*", "a": "svm_*", "b": "rbf_*"}
    texts: dict[str, Any] = {"truth": "tags_true", "a": "tags_svm", "b": "tags_rbf", "separator": ","}
    varied: dict[str, dict[str, Any]] = {
        "": {},
        "accuracy": {"measure": "accuracy"},
        "groups": {"groups": "group"},
        "strata": {"strata": "stratum"},
        "by": {"by": "task"},
        "labels": {"labels": ["joy", "fear"]},
    }
    for kind, roles in (("columns", columns), ("texts", texts)):
        for name, more in varied.items():
            yield DoorQuestion(
                f"compare {kind} {name}".strip(), "compare", "items", {**roles, "measure": "micro_f1", **more}
            )
        yield DoorQuestion(f"by class {kind}", "compare_by_class", "items", {**roles, "measure": "f1"})
        yield DoorQuestion(
            f"estimate {kind}",
            "estimate",
            "items",
            {**{k: v for k, v in roles.items() if k != "b"}, "measure": "micro_f1"},
        )


def other_verbs() -> Iterator[DoorQuestion]:
    """Plan, study, curve, gate, chance, folds and data sets."""
    scores: dict[str, Any] = {"truth": "y", "a": "score_a", "b": "score_b"}
    texts: dict[str, Any] = {
        "truth": "tags_true",
        "a": "tags_svm",
        "b": "tags_rbf",
        "separator": ",",
        "measure": "micro_f1",
    }
    sums: dict[str, Any] = {
        "truth": "gold",
        "a": ["hits_a", "found_a"],
        "b": ["hits_b", "found_b"],
        "measure": "span_f1",
    }
    values: dict[str, Any] = {"a": "value_a", "b": "value_b", "measure": "mean"}
    kinds: dict[str, dict[str, Any]] = {
        "decisions": TWO,
        "classes": CLASSES,
        "scores": {**scores, "measure": "auc"},
        "values": values,
        "texts": texts,
    }
    for name, roles in (kinds | {"sums": sums}).items():
        yield DoorQuestion(f"plan {name}", "plan", "items", {**roles, "difference": 0.05, "power": 0.8})
    yield DoorQuestion("plan groups", "plan", "items", {**TWO, "groups": "group", "difference": 0.05, "power": 0.8})
    for name, roles in (kinds | {"sums": sums, "threshold": {**scores, "threshold": 0.5}}).items():
        yield DoorQuestion(f"study {name}", "study", "items", roles)
    yield DoorQuestion("study groups", "study", "items", {**TWO, "groups": "group"})
    for kind in ("roc", "det", "pr"):
        yield DoorQuestion(f"curve {kind}", "curve", "items", {**scores, "kind": kind})
    yield DoorQuestion("curve of one", "curve", "items", {"truth": "y", "a": "score_a"})
    yield DoorQuestion("curve narrow", "curve", "items", {"truth": "y", "a": "narrow_a", "b": "narrow_b"})
    yield DoorQuestion("gate", "gate", "items", {**TWO, "margin": 0.2})
    yield DoorQuestion("gate by", "gate", "items", {**TWO, "margin": 0.2, "by": "task", "min_slice": 10})
    yield DoorQuestion("gate scores", "gate", "items", {**scores, "measure": "auc", "margin": 0.1})
    yield DoorQuestion("chance", "against_chance", "items", {"truth": "class", "a": "class_a"})
    yield DoorQuestion("folds", "compare_folds", "folds", {"a": "a", "b": "b", "design": "k-fold"})
    yield DoorQuestion("data sets", "rank_data_sets", "data sets", {"n_resamples": 500})


def refusals() -> Iterator[DoorQuestion]:
    """What every reader refuses."""
    for name, settings in {
        "no such column": {**TWO, "b": "bb"},
        "truth against itself": {**TWO, "b": "y"},
        "scores as decisions": {**TWO, "a": "score_a"},
        "ids as decisions": {**TWO, "a": "id"},
        "decisions as scores": {**TWO, "a": "class_a", "measure": "auc"},
        "separator with scores": {**TWO, "measure": "auc", "separator": ","},
        "sums without pairs": {"truth": "gold", "a": "hits_a", "b": "hits_b", "measure": "span_f1"},
        "unknown group": {**TWO, "groups": "author"},
    }.items():
        yield DoorQuestion(f"refused {name}", "compare", "items", settings)
    for name, settings in {
        "missing decisions": TWO,
        "missing scores": {"truth": "y", "a": "score_a", "b": "score_b", "measure": "auc"},
        "missing values": {"a": "value_a", "b": "value_b", "measure": "mean"},
        "missing groups": {"truth": "class", "a": "class_a", "b": "class_b", "measure": "accuracy", "groups": "group"},
    }.items():
        yield DoorQuestion(f"refused {name}", "compare", "holes", settings)


# --- the doors ----------------------------------------------------------------------------------------------------


def write_files(folder: Path) -> None:
    """Write every table as CSV, JSONL and Parquet, and some others."""
    import pandas as pd

    for name, columns in tables().items():
        frame = pd.DataFrame(columns)
        whole = {column: "Int64" for column, values in columns.items() if _are_whole(values)}
        frame = frame.astype(whole)
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
        frame.to_json(folder / f"{name}.jsonl", orient="records", lines=True)
    text = (folder / "items.csv").read_bytes()
    (folder / "items.csv.gz").write_bytes(gzip.compress(text))
    (folder / "items.tsv").write_text(
        pd.read_csv(folder / "items.csv", dtype=str, keep_default_na=False).to_csv(sep="\t", index=False)
    )
    frame = pd.read_csv(folder / "items.csv", dtype=str, keep_default_na=False)
    for file, column in (
        ("gold", "y"),
        ("svm", "a"),
        ("rbf", "b"),
        ("tree", "c"),
        ("scores_svm", "score_a"),
        ("scores_rbf", "score_b"),
    ):
        frame[["id", column]].iloc[::-1].to_csv(folder / f"{file}.csv", index=False)
    lists = [
        {"id": i, **{name: [x for x in frame[f"tags_{name}"][i].split(",") if x] for name in ("true", "svm", "rbf")}}
        for i in range(N)
    ]
    (folder / "lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lists))


def _are_whole(values: Any) -> bool:
    return all(type(value) is int or value is None for value in values) and None in values


def command(*words: str) -> Any:
    """Return what the command prints as JSON; raise what it says instead."""
    from click.testing import CliRunner

    from clearwin.cli import main

    answer = CliRunner().invoke(main, list(words))
    if answer.exit_code not in (0, 1, 3) or not answer.stdout:
        raise RuntimeError(answer.output)
    return json.loads(answer.stdout)


def asked_of(question: DoorQuestion, data: Any) -> Any:
    """Ask the verb about a frame, or about whatever it takes as data, by the names of the columns."""
    import clearwin as cw

    settings = {name: value for name, value in question.asked.items() if value is not False}
    return json.loads(getattr(cw, question.verb)(data=data, **settings).to_json())


def files_asked(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the questions that are asked by the command, of one file in three formats and of several."""
    for question in questions():
        for ending in ("csv", "parquet", "jsonl"):
            file = folder / f"{question.table}.{ending}"
            yield f"door {ending} {question.name}", partial(command, *question.words(file))
    two = DoorQuestion("", "compare", "items", TWO)
    for ending in ("csv.gz", "tsv"):
        yield f"door {ending}", partial(command, *two.words(folder / f"items.{ending}"))
    joined = DoorQuestion("", "compare", "", {"id": "id"})
    for name, verb, files, settings in (
        ("three files", "compare", "gold svm rbf", {}),
        ("three files of scores", "compare", "gold scores_svm scores_rbf", {"measure": "auc"}),
        ("three files at a threshold", "compare", "gold scores_svm scores_rbf", {"threshold": 0.5}),
        ("two files of values", "compare", "scores_svm scores_rbf", {"measure": "mean"}),
        ("four files", "rank", "gold svm rbf tree", {}),
        ("three files of a curve", "curve", "gold scores_svm scores_rbf", {}),
        ("a gate of three files", "gate", "gold svm rbf", {"margin": 0.2}),
    ):
        asked = DoorQuestion(name, verb, "", {**joined.settings, **settings})
        paths = [folder / f"{file}.csv" for file in files.split()]
        yield f"door {name}", partial(command, *asked.words(*paths))
    lists = DoorQuestion(
        "", "compare", "", {"truth": "true", "a": "svm", "b": "rbf", "separator": ",", "measure": "micro_f1"}
    )
    yield "door lists", partial(command, *lists.words(folder / "lists.jsonl"))


def frames_of(folder: Path, table: str) -> dict[str, Any]:
    """Return a table as frames: of texts, as DuckDB reads them, and of the types that Parquet has."""
    import duckdb
    import polars as pl

    texts = duckdb.read_csv(str(folder / f"{table}.csv"), all_varchar=True)
    return {"relation": texts, "polars": pl.read_parquet(folder / f"{table}.parquet")}


def frames_asked(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the questions that are asked of frames."""
    for table in tables():
        frames = frames_of(folder, table)
        for question in questions():
            for door, frame in frames.items():
                if question.table == table:
                    yield f"door {door} {question.name}", partial(asked_of, question, frame)


def page_asked(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the questions that are asked as the page asks them: a look at the columns, and comparisons."""
    few = {"seed": str(SEED), "n_resamples": "60"}
    scores: dict[str, Any] = {"truth": "y", "a": "score_a", "b": "score_b"}
    texts: dict[str, Any] = {
        "truth": "tags_true",
        "a": "tags_svm",
        "b": "tags_rbf",
        "separator": ",",
        "measure": "micro_f1",
    }
    for name, verb, files, settings in (
        ("columns", "columns", "items", {}),
        ("columns of three files", "columns", "gold svm rbf", {}),
        ("decisions", "result", "items", {**TWO, **few}),
        ("decisions by", "result", "items", {**TWO, "by": "task", **few}),
        ("classes", "result", "items", {**CLASSES, **few}),
        ("per class", "result", "items", {**CLASSES, "measure": "f1", "per_class": True, **few}),
        ("scores", "compare", "items", {**scores, "measure": "auc", **few}),
        ("threshold", "compare", "items", {**scores, "threshold": "0.5", **few}),
        ("texts", "result", "items", {**texts, **few}),
        ("three files", "result", "gold svm rbf", {"id": "id", **few}),
        ("plan", "plan", "items", {**TWO, "difference": "0.1", "power": "0.8", **few}),
        ("no such column", "result", "items", {**TWO, "b": "bb", **few}),
        ("missing", "result", "holes", {**TWO, **few}),
    ):
        yield f"page {name}", partial(_job, folder, verb, [f"{file}.csv" for file in files.split()], settings)


def _job(folder: Path, verb: str, files: list[str], settings: dict[str, Any]) -> Any:
    """Do a job of the page in a folder of its own, and return everything that it writes but pictures and the report."""
    import shutil
    import tempfile

    from clearwin.web.comparing import VERBS, Task
    from clearwin.web.refusals import Limits

    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "input").mkdir()
        for file in files:
            shutil.copy(folder / file, home / "input" / file)
        VERBS[verb](home, Limits(), Task(files, settings))
        written = {
            file.name: json.loads(file.read_text()) for file in home.glob("*.json") if file.name != "progress.json"
        }
    written.get("shown.json", {}).pop("pictures", None)
    return written
