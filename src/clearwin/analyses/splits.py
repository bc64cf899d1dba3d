"""Splits of a data set into training and test items: made once, so that two learners get the same ones, and read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.data.folds import Design, rounds_and_folds
from clearwin.errors import ClearwinError, DataError, OptionError
from clearwin.numerics.arrays import Ints
from clearwin.results.caveats import Caveat, caveat
from clearwin.streams import Purpose, Seed

Split = tuple[Ints, Ints]
MOST_ITEMS = 10**9  # dictionaries of scores do not tell how many items there were


@dataclass(frozen=True, eq=False)
class MadeSplits:
    """The splits that ``cv`` makes; ``note`` says how they were shuffled where we did that."""

    splits: list[Split]
    note: str = ""
    doubts: tuple[Caveat, ...] = ()


def make_splits(
    cv: Any, X: Any, y: Any, groups: Any, *, classifier: bool, seed: Seed, pool: bool = False
) -> MadeSplits:
    """Return the splits that ``cv`` makes.

    ``cv`` is what scikit-learn takes, or words: "5x2cv", "10x10" are rounds × folds, shuffled anew for each round.
    """
    from sklearn.model_selection import check_cv
    from sklearn.utils import check_consistent_length

    shuffled = isinstance(cv, str)
    try:
        check_consistent_length(X, y, groups)
        splitter = check_cv(_rounds_of(cv, classifier, seed) if shuffled else cv, y, classifier=classifier)
        used = _uses_groups(splitter)
        if groups is not None and not used and not pool:
            raise OptionError(
                "groups was given, and cv does not keep groups together.",
                "a splitter that uses groups, or pool=True to compare by whole groups",
                "cv=GroupKFold(10), or leave groups out",
            )
        pairs = [(train, test) for train, test in splitter.split(X, y, groups if used else None)]
    except ClearwinError:
        raise
    except (ValueError, TypeError, IndexError, KeyError) as error:
        hints = {
            "inconsistent": "X, y and groups with a row for each item",
            "groups": "groups= with a group for each item",
        }
        hint = next((hint for word, hint in hints.items() if word in str(error)), "cv=10")
        raise OptionError(
            f"The splits cannot be made: {error}",
            "X, y and groups of one length, and as cv a number of folds, a splitter of scikit-learn, a list of "
            'splits, or rounds × folds such as "10x10"',
            hint,
        ) from error
    if not pairs:
        raise DataError("cv makes no splits.", "one split or more", "cv=10")
    n = len(np.asarray(y))
    splits = [
        (_indices(train, n, f"The training set of fold {fold}"), _indices(test, n, f"The test set of fold {fold}"))
        for fold, (train, test) in enumerate(pairs, 1)
    ]
    refuse_unsound(splits, n)
    if shuffled:
        return MadeSplits(splits, f"the rounds were shuffled with seed {seed}")
    return MadeSplits(splits, doubts=_unseeded(splitter))


def _rounds_of(cv: str, classifier: bool, seed: Seed) -> Any:
    """Return the splitter that words such as "5x2cv" ask for."""
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    found = rounds_and_folds(cv)
    if found is None:
        raise OptionError(
            f"cv is {cv!r}.",
            'rounds and folds such as "5x2cv" or "10x10", a number of folds, or a splitter of scikit-learn',
            'cv="10x10"',
        )
    kind = RepeatedStratifiedKFold if classifier else RepeatedKFold
    state = int(seed.stream(Purpose.FOLD_SHUFFLES, 0).randint(0, 2**32, dtype=np.int64))
    return kind(n_repeats=found[0], n_splits=found[1], random_state=state)


def _uses_groups(splitter: Any) -> bool:
    """Return whether a splitter keeps groups together; scikit-learn's say so by name, others cannot be known."""
    kind = type(splitter)
    return not kind.__module__.startswith("sklearn.") or "Group" in kind.__name__


def _unseeded(splitter: Any) -> tuple[Caveat, ...]:
    """A splitter that shuffles without a seed makes different splits the next time."""
    if getattr(splitter, "random_state", 0) is not None or not getattr(splitter, "shuffle", True):
        return ()
    return (caveat("unseeded_splits", splitter=type(splitter).__name__),)


def _indices(given: Any, n: int, what: str) -> Ints:
    """Return the positions of items; a mask has a truth value for each of the ``n`` items."""
    expected = f"positions from 0 to {n - 1}, or a mask with a truth value for each of the {n} items"
    try:
        found = np.asarray(given)
    except ValueError:
        raise DataError(f"{what} has rows of different lengths.", expected) from None
    if found.dtype == np.bool_:
        if found.shape != (n,):
            raise DataError(f"{what} is a mask of shape {found.shape}.", expected, "np.flatnonzero(mask)")
        found = np.flatnonzero(found)
    if found.size == 0:
        raise DataError(f"{what} is empty.", "one item or more to train on and to test on", "cv=10")
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise DataError(f"{what} does not hold whole numbers in one row.", expected, "cv=10")
    if found.min() < 0 or found.max() >= n:
        wrong = found[(found < 0) | (found >= n)]
        raise DataError(f"{what} holds the position {wrong[0]}, and there are {n} items.", expected)
    return found.astype(np.int64)


def refuse_unsound(splits: Sequence[Split], n: int) -> None:
    """Raise if test items were also trained on, or if a fold occurs twice and so adds nothing new."""
    known: dict[bytes, int] = {}
    for fold, (train, test) in enumerate(splits, 1):
        trained = np.zeros(n, dtype=bool)
        trained[train] = True
        both = int(trained[np.unique(test)].sum())
        if both:
            raise DataError(
                f"In fold {fold}, {both:,} item{' is' if both == 1 else 's are'} in both the test set and the training "
                "set.",
                "test items that the learner has not seen",
                "splits whose training set excludes the test set, as cv=10 makes them",
            )
        key = hashlib.sha256(np.sort(train).tobytes() + b"|" + np.sort(test).tobytes()).digest()
        first = known.setdefault(key, fold)
        if first != fold:
            raise DataError(
                f"Folds {first} and {fold} have the same training set and the same test set.",
                "every fold once, because a repeated fold is not new evidence",
                'shuffle the data anew for each round: cv="5x2cv", cv="10x10"',
            )


def splits_of(name: str, result: Any, key: str) -> list[Split]:
    """Return the splits in a dictionary from scikit-learn's cross_validate; ``key`` has its scores."""
    indices, again = result.get("indices"), "cross_validate(…, return_indices=True)"
    if indices is None:
        raise DataError(
            f"The dictionary {name} does not say which items were tested in which fold.",
            "the key 'indices' in what cross_validate returned, so that the two can be matched",
            again,
        )
    if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
        raise DataError(f"'indices' in the dictionary {name} is not a dictionary of train and test.", again, again)
    try:
        sizes = {what: len(part) for what, part in (("train", indices["train"]), ("test", indices["test"]))}
        scores = len(result[key])
    except TypeError:
        raise DataError(f"The dictionary {name} does not hold lists of folds.", again, again) from None
    if set(sizes.values()) != {scores}:
        raise DataError(
            f"The dictionary {name} has {scores} scores, {sizes['train']} training sets and {sizes['test']} test sets.",
            "one of each for every fold",
            again,
        )
    return [
        (
            _indices(train, MOST_ITEMS, f"In the dictionary {name} the training set of fold {fold}"),
            _indices(test, MOST_ITEMS, f"In the dictionary {name} the test set of fold {fold}"),
        )
        for fold, (train, test) in enumerate(zip(indices["train"], indices["test"], strict=True), 1)
    ]


def refuse_with_dictionaries(**given: Any) -> None:
    """Raise if something was given that dictionaries of scores have already fixed."""
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"{name} was given with dictionaries of scores.",
                "two dictionaries alone, which already hold the scores",
                f"leave {name} out, or give two estimators",
            )


def items_of(splits: Sequence[Split]) -> int:
    """Return how many items there are, as far as the splits show."""
    return 1 + max((int(max(train.max(), test.max())) for train, test in splits), default=-1)


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
    repeated one, five rounds of two swapped halves 5x2. Splits that share no item at all are independent. Everything
    else is resampled.
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
