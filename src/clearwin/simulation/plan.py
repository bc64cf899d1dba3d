"""What a study is asked to do: settings checked, questions asked, and the work divided into blocks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np

from clearwin.data.questions import Options, Question
from clearwin.data.reading import ReadByLabels
from clearwin.errors import DataError, OptionError, UndefinedError, UnknownNameError, setting
from clearwin.numerics.pvalues import Claim
from clearwin.resampling.on_device import settings_of
from clearwin.results.study import NotStudied
from clearwin.significance.base import refuse_undefined
from clearwin.simulation.blocks import SETS, AskedTest, Category, Phase, StudyBlock, read_test
from clearwin.simulation.populations import population, recentred, units_of
from clearwin.streams import STREAMS, RngLike, Seed

PARTS = (8, 4, 2)  # of the test size, at which power is measured by default
MOST_SETS = 1_000_000
SMALLEST_SET = 2
MOST_TIMES = 10  # times the large set, which says little about sets far larger than itself


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """How to study; the defaults of ``study`` and of the command."""

    tests: Sequence[str] = ("auto",)
    test_size: int | None = None
    n_sets: int = 1_000
    sizes: Sequence[int] | None = None
    alphas: Sequence[float] = (0.1, 0.05, 0.01)
    category_sets: Mapping[str, Any] | None = None
    labels: Any = None
    stratified: bool = False
    claim: Claim = "different"
    n_resamples: int = 999
    confidence_level: float = 0.95
    rng: RngLike = None
    names: tuple[str, str] = ("A", "B")
    device: str = "cpu"
    keep: str | os.PathLike[str] | None = None
    resume: bool = False
    progress: bool | None = None
    force: bool = False  # overwrite blocks that another study has left
    reading: Mapping[str, Any] = field(default_factory=dict)  # how the data were read, to repeat it


def checked(asking: StudyOptions) -> StudyOptions:
    """Return the request with levels, sizes and tests as tuples, each once; raise if one is impossible."""
    tests, alphas = _several(asking.tests), _several(asking.alphas)
    twice = [test for i, test in enumerate(tests) if test in tests[:i]]
    if twice or not tests:
        what = f"The test {twice[0]} is asked for twice." if twice else "tests is empty."
        raise OptionError(what, "names of tests, each once", setting("tests", ["permutation"]))
    if not alphas:
        raise OptionError("alphas is empty.", "levels between 0 and 1", setting("alphas", [0.1, 0.05]))
    for alpha in alphas:
        if isinstance(alpha, bool) or not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
            raise OptionError(
                f"alphas has {alpha!r}.", "numbers between 0 and 1, both excluded", setting("alphas", [0.1, 0.05])
            )
    sizes = None if asking.sizes is None else _several(asking.sizes)
    levels = tuple(dict.fromkeys(map(float, alphas)))
    return replace(asking, tests=tests, alphas=levels, sizes=sizes)


def _several(given: Any) -> tuple[Any, ...]:
    """Wrap a single value in a tuple."""
    return (given,) if given is None or isinstance(given, str) or np.ndim(given) == 0 else tuple(given)


@dataclass(frozen=True, eq=False)
class Asked:
    """The checked request: questions about the large set and about the one test set, by category set."""

    questions: dict[str, Question[Any]]
    test_sets: dict[str, Question[Any]]
    tests: list[AskedTest]
    size: int
    sizes: tuple[int, ...]
    header: dict[str, Any]


def ask(large: ReadByLabels, small: ReadByLabels | None, asking: StudyOptions, seed: Seed) -> Asked:
    """Check what is asked of the data."""
    questions = _questions(large, asking, seed)
    test_sets = {} if small is None else _questions(small, asking, seed)
    first = next(iter(questions.values()))
    wanted = _test_size(asking, first, next(iter(test_sets.values()), None))
    size = _drawn_size(wanted, first)
    sizes = tuple(sorted({size, *(_drawn_size(items, first) for items in _sizes(asking, wanted, first.n))}))
    tests = [read_test(test, first) for test in asking.tests]
    return Asked(
        questions, test_sets, tests, size, sizes, _header(asking, questions, test_sets, tests, size, sizes, seed)
    )


def _drawn_size(items: int, question: Question[Any]) -> int:
    """Return how many items a set really has, on average, because at least two groups are drawn whole."""
    if question.sampling is None or question.sampling.unit != "group":
        return items
    return round(units_of(items, question.n / question.sampling.n_units) * question.n / question.sampling.n_units)


def _questions(source: ReadByLabels, asking: StudyOptions, seed: Seed) -> dict[str, Question[Any]]:
    """Ask about every category set."""
    given = {name: getattr(asking, name) for name in ("claim", "n_resamples", "confidence_level", "names", "device")}
    options = replace(Options.of("study", given), seed=seed)
    questions: dict[str, Question[Any]] = {}
    for name, labels in category_sets(asking).items():
        try:
            questions[name] = Question(*source(labels), options)
        except OptionError as error:
            if asking.category_sets is None or isinstance(error, UnknownNameError):
                raise
            example = setting("category_sets", {"X": ["earn", "acq"]})
            raise OptionError(f"In category set {name}: {error.what}", error.expected, example) from None
        refuse_undefined(questions[name])
    return questions


def category_sets(asking: StudyOptions) -> dict[str, Any]:
    """Return the labels of every category set; None stands for all."""
    sets = asking.category_sets
    if sets is None:
        return {"all": asking.labels}
    if asking.labels is not None:
        raise OptionError("labels and category_sets were both given.", "one of them", "leave labels out")
    if not isinstance(sets, Mapping) or not sets or len({str(name) for name in sets}) < len(sets):
        raise OptionError(
            f"category_sets is {sets!r}.", "names with their labels", setting("category_sets", {"X": ["earn", "acq"]})
        )
    return {str(name): labels for name, labels in sets.items()}


def _texts(labels: Any) -> list[str]:
    return [labels] if isinstance(labels, str) else [str(label) for label in labels]


def _test_size(asking: StudyOptions, question: Question[Any], test_set: Question[Any] | None) -> int:
    if question.n < SMALLEST_SET:
        raise DataError("The large set has one item.", f"{SMALLEST_SET} items or more, ideally thousands")
    size = asking.test_size if asking.test_size is not None or test_set is None else test_set.n
    if size is None:
        raise OptionError(
            "The size of a test set was not given.",
            f"the number of items in each, at most {question.n:,}",
            setting("test_size", max(SMALLEST_SET, question.n // 100)),
        )
    if not _is_count(size, SMALLEST_SET, question.n):
        raise OptionError(
            f"test_size is {size!r}.",
            f"a whole number from {SMALLEST_SET} to the {question.n:,} items of the large set",
            setting("test_size", max(SMALLEST_SET, question.n // 100)),
        )
    if not _is_count(asking.n_sets, 2, MOST_SETS):
        raise OptionError(
            f"n_sets is {asking.n_sets!r}.", f"a whole number from 2 to {MOST_SETS:,}", setting("n_sets", 1000)
        )
    return int(size)


def _is_count(value: Any, least: int, most: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most


def _sizes(asking: StudyOptions, test_size: int, n: int) -> tuple[int, ...]:
    if asking.sizes is None:
        parts = {test_size // part for part in PARTS if test_size // part >= SMALLEST_SET}
        return tuple(sorted({*parts, test_size}))
    for size in asking.sizes:
        if not _is_count(size, SMALLEST_SET, MOST_TIMES * n):
            raise OptionError(
                f"sizes has {size!r}.",
                f"whole numbers from {SMALLEST_SET} to {MOST_TIMES * n:,}, {MOST_TIMES} times the {n:,} items of the "
                "large set",
                setting("sizes", [max(SMALLEST_SET, test_size // 2), test_size]),
            )
    return tuple(sorted({*(int(size) for size in asking.sizes), test_size}))


def _header(
    asking: StudyOptions,
    questions: dict[str, Question[Any]],
    test_sets: dict[str, Question[Any]],
    tests: list[AskedTest],
    size: int,
    sizes: tuple[int, ...],
    seed: Seed,
) -> dict[str, Any]:
    """Return the header of a file of finished blocks."""
    from clearwin import __version__

    data = {name: question.sample.fingerprint for name, question in questions.items()}
    first = next(iter(questions.values()))
    settings: dict[str, Any] = {
        "measure": str(first.measure),
        "tests": [test.text for test in tests],
        "test_size": size,
        "n_sets": int(asking.n_sets),
        "sizes": list(sizes),
        "stratified": bool(asking.stratified),
        "claim": asking.claim,
        "n_resamples": first.n_resamples,
        "confidence_level": float(asking.confidence_level),
        "category_sets": {name: None if x is None else _texts(x) for name, x in category_sets(asking).items()},
        **settings_of(asking),
    }
    return {
        "what": "clearwin study",
        "version": __version__,
        "streams": STREAMS,
        "settings": settings,
        "data": data,
        "test_set": {name: question.sample.fingerprint for name, question in test_sets.items()},
        "seed": str(seed),
    }


def categories_of(work: Asked, stratified: bool) -> tuple[list[Category], tuple[NotStudied, ...]]:
    """Make a population of every category set, and the same with a difference of 0, if there is one."""
    categories, left_out = [], []
    for name, question in work.questions.items():
        whole = population(question, stratified=stratified)
        try:
            centred = recentred(whole)
        except UndefinedError as error:
            centred = None
            left_out.append(NotStudied(name, "the size under the recentred null", error.what))
        categories.append(Category(name, whole, centred, work.test_sets.get(name)))
    return categories, tuple(left_out)


def jobs_of(work: Asked, categories: list[Category], n_sets: int) -> list[StudyBlock]:
    """Return all blocks, in the order in which they are put together."""
    size, jobs = work.size, list[StudyBlock]()
    for i, category in enumerate(categories):
        jobs.append(StudyBlock("test set", i, size, 0, 1))
        phases: list[tuple[Phase, int]] = [*(("drawn", s) for s in reversed(work.sizes)), ("swapped", size)]
        phases += [("recentred", size)] if category.recentred is not None else []
        for phase, items in phases:
            blocks = range(0, n_sets, SETS)
            jobs += [
                StudyBlock(phase, i, items, number, min(SETS, n_sets - start), (phase, items) != ("drawn", size))
                for number, start in enumerate(blocks)
            ]
    return jobs
