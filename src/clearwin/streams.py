"""A seed → named streams → draws: the same seed gives the same bits with every numpy.

Each block of replicates has its own stream, keyed by the seed, by what is drawn and by the block's number.

numpy may change what a ``Generator`` makes of the same bits, and 2.5 changed its binomials and multinomials. What
``RandomState`` makes of bits stays as it is for good, and so do the bits of PCG64 and how a SeedSequence seeds it
(NEP 19). One method is not used: ``RandomState.multinomial`` did change in 2.5 (numpy issue 32299), so multinomials are
made of binomials here.

>>> import numpy as np
>>> stream = Stream(np.random.PCG64(7))
>>> multinomial(stream, 1_000, np.array([1, 2, 7]), 2).tolist()
[[95, 86], [206, 209], [699, 705]]
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum, unique
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import Counts
from clearwin.errors import OptionError, setting

# On PCG64 it draws binomials as quickly as a Generator does. Philox is not safer here, as every block has a seed of its
# own, and a seventh slower for binomials, twice as slow for plain numbers
Stream = np.random.RandomState
# The version of all that is drawn. Raise it when the same seed gives other numbers than before: another stream, other
# blocks, another order of draws, another kernel. Results show it, and a study refuses to go on with blocks of another.
STREAMS = 4
Entry = TypeVar("Entry", bound=np.generic)
FEW_EACH = 8  # up to here drawing one by one is quicker than binomials
FEW_SHUFFLED = 1_000  # up to here sorting all rows at once is quicker than shuffling each


def multinomial(stream: Stream, n: int, weights: Counts, size: int) -> Counts:
    """Return how many of ``n`` draws fall to each weight (rows), ``size`` times over (columns).

    By halving: how many fall to the first half of the weights is binomial, and so on inside each half. Every level of
    halves is one call. If there are few for each weight, they are drawn one by one. Both are exact.
    """
    if max(n, weights.sum()) <= FEW_EACH * weights.size:
        return _one_by_one(stream, n, weights, size)
    found = np.zeros((weights.size, size), dtype=np.int64)
    found[0] = n
    step = 1 << (weights.size - 1).bit_length()
    padded = np.zeros(step, dtype=np.int64)
    padded[: weights.size] = weights
    while step > 1:
        halves = padded.reshape(-1, 2, step // 2).sum(axis=2)
        divided = np.flatnonzero(halves[:, 1])
        whole = found[divided * step]
        first = stream.binomial(whole, (halves[divided, 0] / halves[divided].sum(axis=1))[:, None])
        found[divided * step] = first
        found[divided * step + step // 2] = whole - first
        step //= 2
    return found


def _one_by_one(stream: Stream, n: int, weights: Counts, size: int) -> Counts:
    owner = np.repeat(np.arange(weights.size), weights)
    places = owner[stream.randint(0, owner.size, size=(size, n), dtype=np.int64)]
    places += weights.size * np.arange(size)[:, None]
    return np.bincount(places.ravel(), minlength=size * weights.size).reshape(size, -1).T


def hypergeometric(stream: Stream, good: Counts, bad: Counts, sample: Counts) -> Counts:
    """Return how many of each sample are good.

    RandomState refuses to draw none, and is slow where most are drawn: then those that stay are drawn instead.
    """
    rest = good + bad - sample
    fewer = np.minimum(sample, rest)
    found = np.zeros(fewer.shape, dtype=np.int64)
    some = fewer > 0
    found[some] = stream.hypergeometric(good[some], bad[some], fewer[some])
    return np.where(sample <= rest, found, good - found)


def shuffled(stream: Stream, values: NDArray[Entry], times: int) -> NDArray[Entry]:
    """Return copies of the values, each in its own random order along the last axis.

    Few are sorted by random words. The place of each stands in its word's last bits, so no two words are equal and it
    does not matter how numpy sorts.
    """
    n = values.shape[-1]
    if values.ndim == 1 and n > FEW_SHUFFLED:
        return np.stack([stream.permutation(values) for _ in range(times)])
    bits = (n - 1).bit_length()
    words = stream.randint(0, 2**64, size=(times, *values.shape), dtype=np.uint64)
    words >>= np.uint64(bits)
    words <<= np.uint64(bits)
    words |= np.arange(n, dtype=np.uint64)
    words.sort(axis=-1)
    words &= np.uint64((1 << bits) - 1)
    return np.take_along_axis(np.broadcast_to(values, words.shape), words.view(np.int64), axis=-1)


@unique
class Purpose(IntEnum):
    """What a stream is drawn for; what one call draws for different ends has different numbers."""

    PROCESSOR_AS_DEVICE = 0
    COUNTS_BOOTSTRAP = 1
    COUNTS_SWAPS = 2
    CHANCE_TABLES = 3
    SCORES_BOOTSTRAP = 4
    SCORES_SWAPS = 5
    VALUES_BOOTSTRAP = 6
    VALUES_FLIPS = 7
    DIRICHLET = 8
    SIGNED_RANKS = 9
    FUNCTIONALS = 10
    BOARDS = 11
    ON_DEVICE = 12
    OTHER_PILOTS = 14
    BINS_BOOTSTRAP = 15
    CURVE_BANDS = 16
    FOLD_ARRANGEMENTS = 17
    FOLD_SHUFFLES = 18
    FRIEDMAN_RANKS = 19
    BOARDS_BY_CLASS = 20
    STUDY_SETS = 21
    STUDY_TESTS = 22
    ROW_ORDER = 23
    GATE_TRIALS = 31
    TRAINING_SPLITS = 40
    CATEGORIES_DEALT = 41
    TRAINING_FOLDS = 42


# int, SeedSequence, BitGenerator or Generator (Scientific Python SPEC 7), "random" for fresh entropy, or None for a
# seed that the data give
RngLike = int | str | np.integer | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
OF_DATA = -1  # in place of a seed that nobody gave, until the data are known


@dataclass(frozen=True)
class Seed:
    """The one seed of a call; ``str`` of it is what a signature shows and ``--seed`` takes back."""

    entropy: int
    spawn_key: tuple[int, ...] = ()

    @classmethod
    def of(cls, rng: RngLike) -> Seed:
        """Read a seed from anything that numpy's ``default_rng`` takes; a Generator is advanced by one draw."""
        if isinstance(rng, np.random.Generator):
            rng = rng.bit_generator
        if isinstance(rng, np.random.BitGenerator):
            return cls(int.from_bytes(Stream(rng).bytes(16), "little"))
        if rng is None:
            return cls(OF_DATA)
        if isinstance(rng, str) and rng == "random":  # 32 bits, so that a person can type it again
            return cls(int(np.random.SeedSequence().generate_state(1)[0]))
        if isinstance(rng, np.random.SeedSequence):
            entropy = rng.entropy
            if not isinstance(entropy, int):
                entropy = int.from_bytes(np.asarray(rng.generate_state(4)).tobytes(), "little")
                return cls(entropy)
            return cls(entropy, tuple(int(k) for k in rng.spawn_key))
        if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
            return cls(int(rng))
        raise OptionError(
            f"rng is {rng!r}.",
            'an integer ≥ 0, "random", a numpy SeedSequence or Generator, or None for a seed that the data give',
            setting("rng", 7),
        )

    def by_data(self, fingerprint: str) -> Seed:
        """Return the seed, or where none was given that of the data: the same data always give the same answer.

        Nobody can then ask again until a p-value is small enough. It has 32 bits, so that a person can type it.
        """
        if self.entropy != OF_DATA:
            return self
        return Seed(int.from_bytes(hashlib.sha256(fingerprint.encode()).digest()[:4], "little"))

    @classmethod
    def from_text(cls, text: str) -> Seed:
        """Read what ``str`` of a seed has written."""
        entropy, *key = (int(part) for part in text.split("."))
        return cls(entropy, tuple(key))

    @property
    def sequence(self) -> np.random.SeedSequence:
        """The same seed as numpy has it, and as any call takes it."""
        return np.random.SeedSequence(self.entropy, spawn_key=self.spawn_key)

    def child(self, *key: int) -> Seed:
        """Return another seed that follows from this one."""
        return Seed(self.entropy, (*self.spawn_key, *map(int, key)))

    def stream(self, purpose: int, *block: int) -> Stream:
        """Return the stream of one block; ``purpose`` keeps apart what one call draws for different ends."""
        key = (*self.spawn_key, int(purpose), *block)
        return Stream(np.random.PCG64(np.random.SeedSequence(self.entropy, spawn_key=key)))

    def __str__(self) -> str:
        return str(self.entropy) + "".join(f".{k}" for k in self.spawn_key)
