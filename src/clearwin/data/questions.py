"""A question: a sample, a measure, and how the answer is to be found."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np

from clearwin.data.samples import Sample
from clearwin.errors import NotApplicableError, OptionError, UnknownNameError, nearest, setting
from clearwin.measures import Measure
from clearwin.numerics.devices import check_device
from clearwin.numerics.intervals import Coverage, Side
from clearwin.numerics.pvalues import ALL_CLAIMS, MARGIN_CLAIMS, AnyClaim, Claim
from clearwin.results.base import Sampling
from clearwin.streams import OF_DATA, Seed
from clearwin.text import as_number, refuse_alike, with_underscores

MOST_RESAMPLES = 100_000_000
S_co = TypeVar("S_co", bound=Sample, covariant=True)


@dataclass(frozen=True)
class Options:
    """How to answer; the defaults of every verb that compares."""

    test: str = "auto"
    method: str = "auto"
    interval: str = "auto"
    claim: AnyClaim = "different"
    margin: float | None = None  # or a text such as "5%": a share of A's value, which makes it relative
    relative: bool = False
    n_resamples: int = 10_000
    confidence_level: float = 0.95
    seed: Seed = field(default_factory=lambda: Seed.of(None))
    names: tuple[str, ...] = ("A", "B")
    device: str = "cpu"

    def __post_init__(self) -> None:
        if isinstance(self.test, str):
            object.__setattr__(self, "test", with_underscores(self.test))
        check_claim(self.claim, self.confidence_level)
        self._check_margin()
        check_resamples(self.n_resamples)
        object.__setattr__(self, "n_resamples", int(self.n_resamples))
        check_device(self.device)

    def _check_margin(self) -> None:
        """Better or worse by more than a margin, not worse by one, equivalent within one: a claim can have a margin."""
        if self.margin is not None or self.claim in MARGIN_CLAIMS:
            margin, relative = claimed_margin(self.claim, self.margin)
            object.__setattr__(self, "margin", margin)
            object.__setattr__(self, "relative", relative or self.relative)

    def with_seed_of(self, fingerprint: str) -> Self:
        """Return the options with a seed: that of these data, if none was given."""
        return replace(self, seed=self.seed.by_data(fingerprint))

    @property
    def claimed_margin(self) -> float | None:
        """The largest difference that does not matter, where the claim is about one."""
        return self.margin

    @classmethod
    def of(cls, verb: str, given: dict[str, Any]) -> Options:
        """Take keyword arguments of a verb, and name the verb and the nearest word when one is unknown."""
        known = ["rng" if option.name == "seed" else option.name for option in fields(cls)]
        for name in given:
            if name not in known:
                near = ["confidence_level"] if name == "alpha" else nearest(name, known)  # 1 − alpha
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}{hint}")
        others = {name: value for name, value in given.items() if name not in ("rng", "names")}
        names = two_names(given["names"]) if "names" in given else ("A", "B")
        return cls(**others, names=names, seed=Seed.of(given.get("rng")))


def two_names(names: Any) -> tuple[str, str]:
    """Return the names of two models as texts that can be told apart."""
    if not isinstance(names, tuple | list) or len(names) != 2 or str(names[0]) == str(names[1]):
        raise OptionError(f"names is {names!r}.", "two different names", setting("names", ("svm", "rbf")))
    refuse_alike([str(name) for name in names])
    return str(names[0]), str(names[1])


def check_claim(claim: str, confidence_level: float) -> None:
    """Raise unless the claim is known, and the level fits it."""
    if claim not in ALL_CLAIMS:
        raise UnknownNameError("claim", claim, ALL_CLAIMS)
    check_confidence_level(confidence_level)
    if claim != "different" and confidence_level <= 0.5:
        raise OptionError(
            f"confidence_level is {confidence_level!r}.",
            "a level above 0.5 for a one-sided claim",
            setting("confidence_level", 0.95),
        )


def claimed_margin(claim: str, margin: Any) -> tuple[float, bool]:
    """Return the margin of a claim and whether it is a share of A's value, or raise unless the claim has a margin.

    >>> claimed_margin("not_worse", 0.01), claimed_margin("not_worse", "5%")
    ((0.01, False), (0.05, True))
    """
    if claim == "different":
        raise OptionError(
            "A margin was given, and the claim is that the models are different.",
            "a claim with a side, or equivalence",
            setting("claim", *MARGIN_CLAIMS) + "; to read the interval against a margin: verdict(margin=…)",
        )
    if isinstance(margin, str):
        return _share(margin), True
    number = isinstance(margin, int | float | np.number) and not isinstance(margin, bool)
    if not number or not 0.0 < float(margin) < np.inf:
        what = "There is no margin." if margin is None else f"margin is {margin!r}."
        raise OptionError(what, "the largest difference that does not matter", setting("margin", 0.01))
    return float(margin), False


def _share(margin: str) -> float:
    """Return a margin in per cent of A's value as a share of it."""
    text = margin.strip()
    number = as_number(text.removesuffix("%")) if text.endswith("%") else None
    found = np.nan if number is None else number / 100.0
    if not 0.0 < found < 1.0:
        raise OptionError(
            f"margin is {margin!r}.",
            "the largest difference that does not matter: a number, or per cent of A's value, below 100 %",
            setting("margin", 0.01) + " or " + setting("margin", "5%"),
        )
    return found


def check_resamples(n_resamples: int) -> None:
    """Raise unless that many replicates can be drawn."""
    whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
    if not whole or not 1 <= n_resamples <= MOST_RESAMPLES:
        what = f"n_resamples is {n_resamples!r}."
        raise OptionError(
            what, f"a whole number, 1 or more and at most {MOST_RESAMPLES:,}", setting("n_resamples", 10000)
        )


def check_confidence_level(level: float) -> None:
    """Raise unless 0 < level < 1."""
    if not isinstance(level, int | float | np.number) or not 0 < level < 1:
        expected = "a number between 0 and 1, both excluded"
        raise OptionError(f"confidence_level is {level!r}.", expected, setting("confidence_level", 0.95))


@dataclass(frozen=True, eq=False)
class Question(Generic[S_co]):
    """A sample, a measure, and options. What is asked of two models is asked of the first, A, and the last, B."""

    sample: S_co
    measure: Measure
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        """Take the seed from the data if none was given."""
        if self.options.seed.entropy == OF_DATA:
            object.__setattr__(self, "options", self.options.with_seed_of(self.sample.fingerprint))

    def asking(self, **changes: Any) -> Question[S_co]:
        """Return the same question with other options, keeping what was worked out of the data already."""
        found = replace(self, options=replace(self.options, **changes))
        known = ("class_sizes", "estimates", "difference")
        found.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
        return found

    def ungrouped(self) -> Question[S_co]:
        """Return the same question as if every item stood for itself."""
        return replace(self, sample=self.sample.ungrouped())

    @property
    def claim(self) -> Claim:
        """Which tail favours the claim: "not worse" is a gain above −margin, "equivalent" has both."""
        asked = self.options.claim
        return "better" if asked == "not_worse" else "different" if asked == "equivalent" else asked

    @property
    def margin(self) -> float | None:
        """The largest difference that does not matter, where the claim is about one."""
        return self.options.claimed_margin

    @property
    def method(self) -> str:
        """The variant of the test."""
        return self.options.method

    @property
    def interval(self) -> str:
        """The kind of interval."""
        return self.options.interval

    @property
    def confidence_level(self) -> float:
        """The level of the interval."""
        return self.options.confidence_level

    @property
    def n_resamples(self) -> int:
        """How many replicates are drawn."""
        return self.options.n_resamples

    @property
    def seed(self) -> Seed:
        """The seed of everything that is drawn."""
        return self.options.seed

    @property
    def n(self) -> int:
        """All items."""
        return self.sample.n

    @property
    def sampling(self) -> Sampling | None:
        """What is drawn whole and held fixed."""
        return self.sample.sampling

    @cached_property
    def class_sizes(self) -> list[tuple[object, int]]:
        """The classes and how many items each has."""
        return self.sample.class_sizes(self.measure)

    @cached_property
    def estimates(self) -> tuple[float, ...]:
        """The measure's value for each model."""
        return self.sample.estimates(self.measure)

    @cached_property
    def difference(self) -> float:
        """Return b − a."""
        return self.sample.difference(self.measure)

    @property
    def gain(self) -> float:
        """The difference turned so that more is better."""
        return self.measure.sign * self.difference

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value that the measure can have on such data."""
        return self.sample.bounds_of(self.measure)

    @property
    def coverage(self) -> Coverage:
        """What is asked of the interval of the difference: a one-sided claim asks for one bound."""
        low, high = self.bounds
        wants_more = (self.claim == "better") == self.measure.higher_is_better
        side: Side = "two-sided" if self.claim == "different" else "lower" if wants_more else "upper"
        level = self.confidence_level
        if self.options.claim == "equivalent":
            level = round(2.0 * level - 1.0, 12)  # two one-sided tests, each at the rest to the confidence level
        if self.options.relative:  # b/a − 1 is at least −1 where the measure is never below 0
            return Coverage(level, side, -1.0 if low >= 0.0 else -np.inf, np.inf)
        return Coverage(level, side, low - high, high - low)


def refuse_crossed(question: Question[Any], who: str, instead: str) -> None:
    """Raise when groups cross each other, which ``who`` cannot take into account; ``instead`` is what to do."""
    if question.sample.about.crossed:
        raise NotApplicableError(
            f"{who} draws or swaps whole groups, and the groups here are crossed: doing so by one of them "
            "ignores the other.",
            "the studentised test and its interval, or one column of groups",
            instead,
        )
