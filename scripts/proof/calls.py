"""Calls of the Python functions: columns of every kind, those that fit together and those that do not, and settings.

A call is written as words, so that it can be kept: the function, then its columns as `name:kind:items:seed`, then its
settings as `name=value` in Python.
"""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Callable
from decimal import Decimal
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

import clearwin as cw
from clearwin.measures import find

Column = Callable[[random.Random, int], Any]
NEVER_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def _each(*values: Any) -> Column:
    return lambda rng, n: [rng.choice(values) for _ in range(n)]


# what people have in hand; the others are what they give by mistake
PLAIN: dict[str, Column] = {
    "binary": _each(0, 1),
    "texts": _each("cat", "dog", "eel"),
    "scores": lambda rng, n: np.array([rng.choice([rng.random(), rng.gauss(0, 1), 0.5]) for _ in range(n)]),
    "extreme": lambda rng, n: np.array([rng.choice([rng.random(), 0.0, 0.5, 1e-300, 1e60]) for _ in range(n)]),
}
ODD: dict[str, Column] = {
    "signs": _each(-1, 1),
    "mixed": _each(0, 1, "1", True, None, 2.5),
    "missing": _each(0.1, 0.9, math.nan),
    "infinite": _each(0.5, math.inf, -math.inf),
    "large": _each(10**30, -(10**30), 2**64),
    "decimals": _each(Decimal("0.1"), Decimal(1), Decimal("NaN"), Decimal("Infinity")),
    "numbers as texts": _each("0.1", "1", "1e400", "x"),
    "bytes": _each(b"a", b"b"),
    "lists": _each((0,), (1,)),
    "sets": _each({"a"}, {"b"}, {"a", "b"}),
    "truth values": lambda rng, n: np.array([rng.random() < 0.5 for _ in range(n)]),
    "small": lambda rng, n: np.array([rng.randrange(-128, 128) for _ in range(n)], dtype=np.int8),
    "complex": lambda rng, n: np.full(n, 1j),
    "objects": lambda rng, n: np.array([object() for _ in range(n)], dtype=object),
    "table": lambda rng, n: np.array([[rng.randrange(2), rng.randrange(2)] for _ in range(n)]),
    "categories": lambda rng, n: pd.Series(_each("x", "y")(rng, n), dtype="category"),
    "nullable": lambda rng, n: pd.array(_each(0, 1, None)(rng, n), dtype="Int64"),
    "dates": lambda rng, n: pd.date_range("2020-01-01", periods=n),
    "generator": lambda rng, n: (rng.randrange(2) for _ in range(n)),
    "mapping": lambda rng, n: {"a": 1},
    "none": lambda rng, n: None,
    "empty": lambda rng, n: [],
    "number": lambda rng, n: 1.5,
    "text": lambda rng, n: "a",
}
KINDS = PLAIN | ODD
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "compare": ("truth", "a", "b"),
    "gate": ("truth", "a", "b"),
    "plan": ("truth", "a", "b"),
    "study": ("truth", "a", "b"),
    "estimate": ("truth", "a"),
    "against_chance": ("truth", "a"),
    "rank": ("truth", "a", "b", "c"),
    "curve": ("truth", "a", "b"),
    "compare_unpaired": ("truth_a", "a", "truth_b", "b"),
    "compare_folds": ("a", "b"),
    "rank_data_sets": ("a", "b", "c"),
}
MODELS_IN_A_MAPPING = ("rank", "curve", "rank_data_sets")
FITTING: dict[str, list[str]] = {
    "test": [repr(name) for name in cw.list_tests()],
    "claim": ["'better'", "'not_worse'", "'equivalent'"],
    "margin": ["0.05", "'5%'"],
    "confidence_level": ["0.5", "0.9"],
    "rng": ["1"],
    "interval": ["'percentile'", "'bca'"],
    "method": ["'exact'", "'monte_carlo'"],
    "positive": ["0", "1", "'cat'"],
    "labels": ["['cat']", "[0, 1]"],
    "missing": ["'drop'"],
    "threshold": ["0.5", "'best'", "(0.4, 0.6)"],
    "correction": ["'holm'"],
    "names": ["('old', 'new')"],
    "bins": ["10"],
    "rank_infinite": ["True"],
    "lower_is_positive": ["True"],
    "design": ["'resampled'", "'k-fold'"],
}
ANY = [
    "None",
    "0",
    "1",
    "-1",
    "0.5",
    "nan",
    "inf",
    "-inf",
    "''",
    "'x'",
    "True",
    "[]",
    "{}",
    "(1, 2)",
    "'auto'",
    "10**30",
]
ANY += ["b'x'", "'5%'", "'best'"]


def random_call(rng: random.Random) -> tuple[str, ...]:
    """Return the words of a call, of which most have columns and a measure that fit together."""
    function = rng.choice(["compare"] * 4 + list(FUNCTIONS))
    known = {
        *signature(getattr(cw, function)).parameters,
        *(signature(cw.compare).parameters if function == "gate" else ()),
    }
    settings: dict[str, str] = {"n_resamples": "20"} if "n_resamples" in known else {}
    for name in rng.sample(sorted(known & {*FITTING}), rng.choice([0, 0, 0, 1, 1, 2])):
        settings[name] = rng.choice(FITTING[name] if rng.random() < 0.7 else ANY)
    if settings.get("claim") in ("'not_worse'", "'equivalent'") and "margin" in known:
        settings.setdefault("margin", "0.2")
    own = {"gate": {"margin": "0.1"}, "plan": {"difference": "0.1"}, "study": {"test_size": "10", "n_sets": "2"}}
    own["compare_folds"] = {"design": "'resampled'", "test_train_ratio": "0.25"}
    settings = own.get(function, {}) | settings
    n = rng.choice([1, 3, 12, 12, 30, 30])
    kinds = {name: rng.choice([*PLAIN, *ODD]) for name in FUNCTIONS[function]}
    if rng.random() < 0.9:
        kind = rng.choice(
            ["scores", "extreme"] if function in ("curve", "compare_folds", "rank_data_sets") else [*PLAIN]
        )
        of_scores = kind in ("scores", "extreme")
        takes = rng.choice(["scores", "values", "losses"]) if of_scores else "decisions"
        kinds = {name: "binary" if of_scores and name.startswith("truth") else kind for name in kinds}
        if takes == "values":
            kinds = {name: "none" if name.startswith("truth") else kind for name, kind in kinds.items()}
        if "measure" in known:
            settings["measure"] = repr(rng.choice([name for name in cw.list_measures() if find(name).takes == takes]))
    for name, chance in (("groups", 0.2), ("strata", 0.1), ("by", 0.1)):
        if name in known and rng.random() < chance:
            kinds[name] = rng.choice(["binary", "texts", "dates", *ODD])
    columns = [f"{name}:{kind}:{n}:{rng.randrange(10**6)}" for name, kind in kinds.items()]
    return (function, *columns, *(f"{name}={value}" for name, value in settings.items()))


def called(words: tuple[str, ...]) -> Any:
    """Return what comes of a call."""
    function, *rest = words
    given: dict[str, Any] = {}
    for word in rest:
        name, mark, value = word.partition("=")
        if mark:
            given[name] = _value(value)
        else:
            name, kind, n, seed = word.split(":")
            given[name] = KINDS[kind](random.Random(seed), int(n))
    columns = {name: given.pop(name) for name in FUNCTIONS[function]}
    if function not in MODELS_IN_A_MAPPING:
        return getattr(cw, function)(*columns.values(), **given)
    truth = [columns.pop("truth")] if "truth" in columns else []
    return getattr(cw, function)(*truth, columns, **given)


def _value(text: str) -> Any:
    if text in NEVER_NUMBERS:
        return NEVER_NUMBERS[text]
    return 10**30 if text == "10**30" else ast.literal_eval(text)
