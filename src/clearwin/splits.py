"""Splits of a data set into training and test items: made once, so that two learners meet the same ones, and read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import DataError, OptionError
from clearwin.execution import Seed
from clearwin.significance.fold_designs import Design

Indices = NDArray[np.int64]
Split = tuple[Indices, Indices]
SHUFFLES = 10  # the stream of the seed that "5x2cv" and "10x10" shuffle by
ROUNDS = re.compile(r"(\d+)\s*x\s*(\d+)\s*(cv)?")


def make_splits(cv: Any, X: Any, y: Any, groups: Any, *, classifier: bool, seed: Seed) -> tuple[list[Split], str]:
    """Return the splits that ``cv`` makes, and a note on how they were shuffled where we did that.

    ``cv`` is what scikit-learn takes, or words: "5x2cv", "10x10" are rounds × folds, shuffled anew for each round.
    """
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv

    note = ""
    if isinstance(cv, str):
        found = ROUNDS.fullmatch(cv.strip().lower())
        if found is None or int(found[1]) < 1 or int(found[2]) < 2:
            raise OptionError(
                f"cv is {cv!r}.",
                'rounds and folds such as "5x2cv" or "10x10", a number of folds, or a splitter of scikit-learn',
                'cv="10x10"',
            )
        kind = RepeatedStratifiedKFold if classifier else RepeatedKFold
        state = int(seed.stream(SHUFFLES, 0).integers(2**32))
        cv = kind(n_repeats=int(found[1]), n_splits=int(found[2]), random_state=state)
        note = f"the rounds were shuffled with seed {seed}"
    splitter = check_cv(cv, y, classifier=classifier)
    splits = [
        (np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64))
        for train, test in splitter.split(X, y, groups)
    ]
    if not splits:
        raise DataError("cv makes no splits.", "one split or more", "cv=10")
    return splits, note


def splits_of(name: str, result: Any) -> list[Split]:
    """Return the splits that a dictionary of scikit-learn's cross_validate tells of."""
    indices = result.get("indices")
    if indices is None:
        raise DataError(
            f"The dictionary {name} does not tell which items were tested in which fold.",
            "the key 'indices' in what cross_validate returned, so that the two can be matched",
            "cross_validate(…, return_indices=True)",
        )
    pairs = zip(indices["train"], indices["test"], strict=True)
    return [(np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)) for train, test in pairs]


def refuse_other_splits(a: Sequence[Split], b: Sequence[Split]) -> None:
    """Raise unless both learners were trained and tested on the same items, fold by fold."""
    same_splits = "cross_compare(learner_a, learner_b, X, y), or one list of splits as cv for both"
    if len(a) != len(b):
        raise DataError(f"a has {len(a)} folds and b has {len(b)}.", "the same splits for both", same_splits)
    for fold, (one, other) in enumerate(zip(a, b, strict=True), 1):
        for what, x, y in (("tested", one[1], other[1]), ("trained", one[0], other[0])):
            if not np.array_equal(np.sort(x), np.sort(y)):
                raise DataError(
                    f"In fold {fold} the two were {what} on different items.",
                    "the same splits for both, in the same order: the folds are compared pair by pair",
                    same_splits,
                )


def design_of(splits: Sequence[Split], n: int) -> Design:
    """Read the design off the splits themselves.

    Test sets that cover every one of ``n`` items once make a round of k-fold cross-validation, several such rounds a
    repeated one, five rounds of two swapped halves 5x2. Splits that share no item at all are independent. All else is
    resampled.
    """
    ratio = sum(test.size for _, test in splits) / max(sum(train.size for train, _ in splits), 1)
    used = [np.union1d(train, test) for train, test in splits]
    if len(splits) > 1 and sum(u.size for u in used) == np.unique(np.concatenate(used)).size:
        return Design("independent", 1, len(splits), ratio)
    rounds = _rounds(splits, n)
    if rounds is None:
        return Design("resampled", 1, len(splits), ratio)
    folds = len(splits) // rounds
    if (rounds, folds) == (5, 2) and _halves(splits, n):
        return Design("5x2", 5, 2, ratio)
    return Design("k-fold" if rounds == 1 else "repeated k-fold", rounds, folds, ratio)


def _rounds(splits: Sequence[Split], n: int) -> int | None:
    """Return how many times the test sets cover all items, always with as many folds; None if they do not."""
    sizes, covered, folds = [], np.zeros(n, dtype=np.int64), 0
    for _, test in splits:
        covered[test] += 1
        folds += 1
        if covered.max() > 1:
            return None
        if covered.min() == 1:
            sizes.append(folds)
            covered[:], folds = 0, 0
    return len(sizes) if folds == 0 and len(set(sizes)) == 1 and sizes[0] > 1 else None


def _halves(splits: Sequence[Split], n: int) -> bool:
    """Whether each set was once the training set of the other; halves may differ by a few items (by strata)."""
    swapped = all(
        np.array_equal(np.sort(splits[i][0]), np.sort(splits[i + 1][1]))
        and np.array_equal(np.sort(splits[i][1]), np.sort(splits[i + 1][0]))
        for i in range(0, len(splits), 2)
    )
    return swapped and all(abs(2 * test.size - n) <= max(0.1 * n, 1) for _, test in splits)
