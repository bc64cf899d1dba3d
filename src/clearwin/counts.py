"""Counts are the currency: confusion matrices, and the joint outcomes of two classifiers.

For two classifiers on one test set every item falls into one of a few joint outcomes
(truth, decision of A, decision of B). Their counts are all that a confusion-matrix measure needs,
and both the bootstrap and the permutation test are draws over them:

* drawing items with replacement and recounting is one multinomial draw over the outcomes;
* swapping A and B on an item changes nothing unless they disagree, and then it moves one item
  between the outcomes (y, a, b) and (y, b, a): one binomial for each such pair.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import DataError

Counts = NDArray[np.int64]
MOST_ITEMS = 2**53  # a float holds every count up to here exactly
# The events of keller2004's Table 1 as (truth, a, b); 1 is the positive class.
EVENTS: dict[str, tuple[int, int, int]] = {
    "e1": (1, 1, 1),
    "e2": (1, 0, 1),
    "e3": (1, 1, 0),
    "e4": (1, 0, 0),
    "e5": (0, 1, 1),
    "e6": (0, 0, 1),
    "e7": (0, 1, 0),
    "e8": (0, 0, 0),
}


@dataclass(frozen=True)
class ConfusionMatrix:
    """A k × k table: rows are truth, columns are predictions.

    Further axes are replicates.

    For two classes the order is (negative, positive), as in scikit-learn.

    >>> c = ConfusionMatrix.of_two_classes(tp=5, fn=2, fp=1, tn=12)
    >>> c.cells.tolist()
    [[12, 1], [2, 5]]
    """

    cells: Counts

    @classmethod
    def of_two_classes(cls, *, tp: Any, fn: Any, fp: Any, tn: Any) -> ConfusionMatrix:
        """Build the table of a two-class problem; each argument is a count or an array of counts."""
        tp, fn, fp, tn = np.broadcast_arrays(tp, fn, fp, tn)
        return cls(np.array([[tn, fp], [fn, tp]], dtype=np.int64))

    @property
    def k(self) -> int:
        """The number of classes."""
        return int(self.cells.shape[0])

    @property
    def tp(self) -> Counts:
        """True positives (two classes)."""
        return np.asarray(self.cells[1, 1])

    @property
    def fn(self) -> Counts:
        """False negatives (two classes)."""
        return np.asarray(self.cells[1, 0])

    @property
    def fp(self) -> Counts:
        """False positives (two classes)."""
        return np.asarray(self.cells[0, 1])

    @property
    def tn(self) -> Counts:
        """True negatives (two classes)."""
        return np.asarray(self.cells[0, 0])

    @property
    def n(self) -> Counts:
        """All items."""
        return np.asarray(self.cells.sum(axis=(0, 1)))

    @property
    def right(self) -> Counts:
        """Items on the diagonal."""
        return np.asarray(np.trace(self.cells))

    @property
    def truths(self) -> Counts:
        """Items of each class, first axis = class."""
        return np.asarray(self.cells.sum(axis=1))

    @property
    def predicted(self) -> Counts:
        """Items called each class, first axis = class."""
        return np.asarray(self.cells.sum(axis=0))

    @property
    def hits(self) -> Counts:
        """Right items of each class, first axis = class."""
        return np.stack([self.cells[i, i] for i in range(self.k)])


@dataclass(frozen=True)
class ClassCounts:
    """What a measure of many classes or labels needs: for each its items, and how many were called it and rightly so.

    First axis = class or label, further axes are replicates. For label sets an item may be of several labels, or of
    none; ``n`` counts items in either case.
    """

    truths: Counts
    predicted: Counts
    hits: Counts
    n: Counts

    @property
    def k(self) -> int:
        """The number of classes or labels."""
        return int(self.truths.shape[0])

    @property
    def right(self) -> Counts:
        """Right decisions: items that are called what they are (for label sets: labels that are rightly given)."""
        return np.asarray(self.hits.sum(axis=0))


AnyCounts = ConfusionMatrix | ClassCounts


class JointCounts:
    """How often each joint outcome (truth, a, b) of two classifiers occurred.

    Two classes are given by the eight events of keller2004, Table 1:

    ============ ==== ====    ============ ==== ====
    class 1      TP_A FN_A    class −1     FP_A TN_A
    ============ ==== ====    ============ ==== ====
    **TP_B**     e1   e2      **FP_B**     e5   e6
    **FN_B**     e3   e4      **TN_B**     e7   e8
    ============ ==== ====    ============ ==== ====

    >>> joint = JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    >>> joint.n, joint.only_a_wrong, joint.only_b_wrong
    (200, 13, 5)
    """

    labels: tuple[Any, ...]
    truth: Counts
    a: Counts
    b: Counts
    counts: Counts

    def __init__(self, *, e1: int, e2: int, e3: int, e4: int, e5: int, e6: int, e7: int, e8: int) -> None:
        events = dict(zip(EVENTS, (e1, e2, e3, e4, e5, e6, e7, e8), strict=True))
        for name, value in events.items():
            check_count(name, value)
        self._set((0, 1), {EVENTS[name]: int(value) for name, value in events.items()})

    @classmethod
    def of_outcomes(cls, labels: tuple[Any, ...], outcomes: dict[tuple[int, int, int], int]) -> JointCounts:
        """Build from {(truth, a, b): count}, as positions in ``labels``; with two labels, position 1 is positive."""
        # Two classes always have all eight events, in the order of Table 1.
        tally: dict[tuple[int, int, int], int] = dict.fromkeys(EVENTS.values(), 0) if len(labels) == 2 else {}
        for (y, a, b), count in sorted(outcomes.items()):  # in whatever order rows came, the same data draw the same
            tally[y, a, b] = tally.get((y, a, b), 0) + count
            tally.setdefault((y, b, a), 0)  # swapping A and B needs this outcome
        self = cls.__new__(cls)
        self._set(labels, tally)
        return self

    def with_counts(self, counts: Counts) -> JointCounts:
        """Return the same outcomes with other counts.

        That is another test set from the same source.
        """
        joint = JointCounts.__new__(JointCounts)
        joint.labels, joint.truth, joint.a, joint.b, joint.counts = self.labels, self.truth, self.a, self.b, counts
        return joint

    def _set(self, labels: tuple[Any, ...], tally: dict[tuple[int, int, int], int]) -> None:
        if not 0 < sum(tally.values()) <= MOST_ITEMS:
            problem = (
                "All counts are 0: there is no item to judge." if not any(tally.values()) else "The counts overflow."
            )
            raise DataError(problem, f"at least one item and at most {MOST_ITEMS:,}")
        self.labels = labels
        self.truth, self.a, self.b = np.array(list(tally), dtype=np.int64).T.copy()
        self.counts = np.array(list(tally.values()), dtype=np.int64)
        for array in (self.truth, self.a, self.b, self.counts):
            array.setflags(write=False)

    def __repr__(self) -> str:
        if self.k == 2:
            inside = ", ".join(f"{e}={c}" for e, c in zip(EVENTS, self.counts.tolist(), strict=True))
        else:
            inside = f"{self.k} classes, {len(self.counts)} outcomes, {self.n} items"
        return f"JointCounts({inside})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JointCounts) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.labels)

    @property
    def n(self) -> int:
        """All items."""
        return int(self.counts.sum())

    @property
    def events(self) -> dict[str, int]:
        """e1 … e8 of keller2004 Table 1 (two classes)."""
        return dict(zip(EVENTS, self.counts.tolist(), strict=True))

    def _total(self, is_counted: NDArray[np.bool_]) -> int:
        return int(self.counts[is_counted].sum())

    @property
    def only_a_wrong(self) -> int:
        """Items that only A has wrong."""
        return self._total((self.a != self.truth) & (self.b == self.truth))

    @property
    def only_b_wrong(self) -> int:
        """Items that only B has wrong."""
        return self._total((self.a == self.truth) & (self.b != self.truth))

    @property
    def both_wrong(self) -> int:
        """Items that both have wrong."""
        return self._total((self.a != self.truth) & (self.b != self.truth))

    @property
    def both_right(self) -> int:
        """Items that both have right."""
        return self._total((self.a == self.truth) & (self.b == self.truth))

    @property
    def disagreements(self) -> int:
        """Items on which A and B decide differently."""
        return self._total(self.a != self.b)

    def of_class(self, position: int) -> tuple[int, int, int, int, int]:
        """Return the items of one class and who is wrong.

        In order: items, wrong by A, wrong by B, only A wrong, only B wrong.
        """
        in_class = self.truth == position
        a_wrong, b_wrong = self.a != self.truth, self.b != self.truth
        return (
            self._total(in_class),
            self._total(in_class & a_wrong),
            self._total(in_class & b_wrong),
            self._total(in_class & a_wrong & ~b_wrong),
            self._total(in_class & ~a_wrong & b_wrong),
        )

    def confusions(self, draws: Counts | None = None) -> tuple[ConfusionMatrix, ConfusionMatrix]:
        """Return the confusion matrices of A and B.

        They are as observed, or for ``draws`` of shape (outcomes, replicates).
        """
        draws = self.counts if draws is None else draws
        return self._confusion(self.a, draws), self._confusion(self.b, draws)

    def _confusion(self, decision: Counts, draws: Counts) -> ConfusionMatrix:
        cells = np.zeros((self.k, self.k, *draws.shape[1:]), dtype=draws.dtype)
        for y, d, count in zip(self.truth.tolist(), decision.tolist(), draws, strict=True):
            cells[y, d] += count
        return ConfusionMatrix(cells)

    @cached_property
    def swaps(self) -> list[tuple[int, int]]:
        """Positions of the outcomes (y, a, b) and (y, b, a) that turn into each other when A and B are swapped.

        Only pairs that occurred are listed; for two classes at most (e2, e3) and (e6, e7).
        """
        position = {outcome: p for p, outcome in enumerate(self.outcomes)}
        pairs = [(p, position[y, b, a]) for (y, a, b), p in position.items() if a < b]
        return [(p, q) for p, q in pairs if self.counts[p] + self.counts[q] > 0]

    def swapped(self) -> JointCounts:
        """Return the same items with A and B exchanged."""
        return JointCounts.of_outcomes(self.labels, {(y, b, a): n for (y, a, b), n in self.outcomes.items()})

    @property
    def outcomes(self) -> dict[tuple[int, int, int], int]:
        """{(truth, a, b): count}, as positions in ``labels``."""
        keys = zip(self.truth.tolist(), self.a.tolist(), self.b.tolist(), strict=True)
        return dict(zip(keys, self.counts.tolist(), strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of labels and counts: equal for equal data, whatever the order of the items."""
        rows = sorted((outcome, count) for outcome, count in self.outcomes.items() if count)
        return hashlib.sha256(repr(([str(x) for x in self.labels], rows)).encode()).hexdigest()[:16]


def check_count(name: str, value: Any) -> None:
    """Raise unless ``value`` is a whole number ≥ 0."""
    try:
        fine = (
            not isinstance(value, bool | np.bool_ | str | bytes)
            and 0 <= int(value) <= MOST_ITEMS
            and value == int(value)
        )
    except (TypeError, ValueError, ArithmeticError):
        fine = False
    if not fine:
        raise DataError(f"{name} is {value!r}.", f"a count, which is a whole number from 0 to {MOST_ITEMS:,}")
