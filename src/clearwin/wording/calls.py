"""The call in Python that gives a result again, printed from what the record knows; data stand under their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from clearwin.errors import ClearwinError
from clearwin.measures import find
from clearwin.results.base import Result

# kind of result → the verb, its data, and its settings in the order of the call
CALLS = {
    "Comparison": "compare(truth, a, b) measure test claim method interval threshold positive labels groups strata "
    "n_resamples confidence_level rng names",
    "Comparison on two test sets": "compare_unpaired(truth_a, a, truth_b, b) claim confidence_level names",
    "Estimate": "estimate(truth, a) measure interval positive labels groups strata n_resamples confidence_level rng "
    "name",
    "PerClass": "compare_by_class(truth, a, b) measure test claim correction n_resamples confidence_level rng names",
    "AgainstChance": "against_chance(matrix) method confidence_level rng n_resamples labels name",
    "Leaderboard": "rank(truth, models) measure baseline correction positive groups strata n_resamples "
    "confidence_level alpha rng",
    "DataSetComparison": "rank_data_sets(scores) higher_is_better baseline correction margin confidence_level "
    "n_resamples alpha rng",
    "FoldComparison": "compare_folds(a, b) design repeats test_train_ratio higher_is_better measure_label test claim "
    "margin n_resamples confidence_level rng names",
    "FoldComparison of learners": "cross_compare(learner_a, learner_b, X, y) cv measure test claim margin n_resamples "
    "confidence_level rng names",
    "ScoreCurves": "curve(truth, a, b) kind positive cost_fn cost_fp prior names bands confidence_level n_resamples "
    "rng",
    "Study": "study(truth, a, b) measure tests test_size n_sets sizes alphas options groups strata test_set stratified "
    "n_resamples confidence_level rng names",
    "Experiment": "keller2004.run(corpus) rng options",
}
# settings that a record has under another name, or not as a call takes them
READ: dict[str, Callable[[Any], Any]] = {
    "measure": lambda r: spelled(r.measure),
    "interval": lambda r: r.interval.method,
    "threshold": lambda r: r.thresholds,
    "positive": lambda r: None if r.positive_inferred else r.positive,
    "groups": lambda r: Name("groups") if r.sampling is not None and r.sampling.unit == "group" else None,
    "strata": lambda r: Name("strata") if r.sampling is not None and r.sampling.strata else None,
    "rng": lambda r: r.signature.seed,
    "names": lambda r: (r.name_a, r.name_b),
}


@dataclass(frozen=True)
class Name:
    """Something of the caller's that a call shows by its name."""

    name: str

    def __repr__(self) -> str:
        return self.name


def call_of(result: Result) -> str:
    """Write the call that gives the result again."""
    known = particulars(result)
    verb, _, settings = CALLS[known.get("kind of call", type(result).__name__)].partition(") ")
    given: dict[str, Any] = {}
    for name in settings.split():
        given |= (
            known["options"] if name == "options" else {name: known[name] if name in known else _read(result, name)}
        )
    verb, _, data = verb.partition("(")
    return written(verb if "." in verb else f"cw.{verb}", known.get("data", data), **given)


def _read(result: Any, name: str) -> Any:
    if name in READ:
        return READ[name](result)
    return getattr(result, name) if hasattr(result, name) else getattr(result.signature, name)


def written(verb: str, data: str = "", **settings: Any) -> str:
    """Write a call in Python: what is None was not asked for and is left out.

    >>> written("cw.compare", "truth, a, b", measure="f1", positive=None, rng="7")
    "cw.compare(truth, a, b, measure='f1', rng=7)"
    """
    if settings.get("rng") is not None:
        settings["rng"] = _seed(settings["rng"])
    given = [f"{name}={value!r}" for name, value in settings.items() if value is not None]
    return f"{verb}({', '.join([*filter(None, [data]), *given])})"


@singledispatch
def particulars(result: Result) -> dict[str, Any]:
    """Return what cannot simply be read off a record: settings, ``options``, ``data``, another call.

    The module with the words about a kind of result registers what is particular to it.
    """
    return {}


def spelled(measure: str) -> str | Name:
    """Return a measure as a call takes it: its name, or for a user's own function that function."""
    try:
        find(measure)
    except ClearwinError:
        return Name(measure if measure.isidentifier() else "measure")
    return measure


def _seed(text: str) -> Name:
    """Write a signature's seed as numpy takes it: a number, and after points the key of a spawned one.

    >>> _seed("7"), _seed("7.0.2")
    (7, numpy.random.SeedSequence(7, spawn_key=(0, 2)))
    """
    entropy, *key = text.split(".")
    return Name(f"numpy.random.SeedSequence({entropy}, spawn_key={tuple(map(int, key))})" if key else entropy)
