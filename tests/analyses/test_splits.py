"""Splits: the design is read off them, and those that mislead are refused."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

import clearwin as cw
from clearwin.analyses.splits import design_of
from tests.analyses.learners import TREE, X, Y, cross


def disjoint_blocks(n, blocks):
    for block in np.array_split(np.arange(n), blocks):
        yield block[: len(block) // 2], block[len(block) // 2 :]


@pytest.mark.parametrize(
    ("splits", "design", "ratio"),
    [
        (KFold(7).split(X), "k-fold", 1 / 6),
        (KFold(2).split(X), "k-fold", 1),
        (GroupKFold(4).split(X, Y, np.arange(200) % 11), "k-fold", 1 / 3),
        (LeaveOneOut().split(X[:20]), "k-fold", 1 / 19),
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=1).split(X), "repeated k-fold", 1 / 2),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=1).split(X, Y), "5x2", 1),
        (RepeatedKFold(n_splits=2, n_repeats=4, random_state=1).split(X), "repeated k-fold", 1),
        (ShuffleSplit(9, test_size=50, random_state=1).split(X), "resampled", 1 / 3),
        (TimeSeriesSplit(4).split(X), "resampled", 4 * 40 / (40 + 80 + 120 + 160)),
        (disjoint_blocks(200, 5), "independent", 1),
    ],
)
def test_the_design_is_read_off_the_splits(splits, design, ratio):
    splits = list(splits)
    found = design_of(splits, 1 + max(int(np.max(test)) for _, test in splits))
    assert (found.name, found.ratio) == (design, pytest.approx(ratio))
    assert found.repeats * found.folds == len(splits)


def masks(splits):
    for pair in splits:
        yield tuple(np.isin(np.arange(200), part) for part in pair)


def test_masks_are_splits_too():
    splits = list(KFold(4).split(X))
    assert cross(cv=list(masks(splits)), rng=1) == cross(cv=splits, rng=1)


TEST = np.arange(40)
REST = np.arange(40, 200)


@pytest.mark.parametrize(
    ("cv", "says"),
    [
        ([(np.ones(199, bool), TEST)], r"training set of fold 1 is a mask of shape \(199,\)"),
        ([(REST, TEST), (REST, TEST - 1)], "test set of fold 2 holds the position -1"),
        ([(REST + 1, TEST)], "training set of fold 1 holds the position 200, and there are 200 items"),
        ([(REST, TEST / 2)], "does not hold whole numbers"),
        ([(REST, [])], "test set of fold 1 is empty"),
        ([(REST, np.zeros(200, bool))], "test set of fold 1 is empty"),
        (list(KFold(2, shuffle=True, random_state=1).split(X)) * 5, "Folds 1 and 3 have the same training set"),
        ([(REST, TEST), (np.arange(200), TEST)], "In fold 2, 40 items are in both the test set and the training set"),
        ([], "cv makes no splits"),
    ],
)
def test_splits_that_mislead_are_refused(cv, says):
    with pytest.raises(cw.errors.DataError, match=says):
        cross(cv=cv)


def test_repeated_folds_in_dictionaries_are_refused():
    splits = list(KFold(2, shuffle=True, random_state=1).split(X)) * 5
    a, b = (cross_validate(m, X, Y, cv=splits, return_indices=True) for m in (TREE, GaussianNB()))
    with pytest.raises(cw.errors.DataError, match="Folds 1 and 3"):
        cw.cross_compare(a, b)


def test_groups_are_used_or_refused():
    groups = np.arange(200) // 5
    for cv in (5, KFold(5), list(KFold(5).split(X)), "2x2"):
        with pytest.raises(cw.errors.OptionError, match="does not keep groups together"):
            cross(cv=cv, groups=groups)
        with pytest.raises(cw.errors.OptionError, match="The splits cannot be made"):
            cross(cv=cv, groups=groups[:-1])
    r = cross(cv=5, groups=groups, pool=True, scoring=None)
    assert r.sampling.unit == "group"


@pytest.mark.parametrize("cv", [1, 0, True, 1000, 2.5, "5x1000", GroupKFold(3), [1, 2]])
def test_splits_that_cannot_be_made(cv):
    with pytest.raises(cw.errors.OptionError, match=r"The splits cannot be made(.|\n)*Next: (cv=10|groups=)"):
        cross(cv=cv)
    with pytest.raises(cw.errors.OptionError, match="inconsistent numbers"):
        cw.cross_compare(TREE, GaussianNB(), X, Y[:-1])


def test_splits_without_a_seed_are_doubted():
    for cv in (KFold(4, shuffle=True), ShuffleSplit(4)):
        assert "unseeded_splits" in [c.code for c in cross(cv=cv).caveats]
    for cv in (KFold(4), KFold(4, shuffle=True, random_state=1), "1x4"):
        assert "unseeded_splits" not in [c.code for c in cross(cv=cv).caveats]
    pooled = cross(cv="1x4", pool=True, scoring=None)
    assert f"shuffled with seed {pooled.signature.seed}" in pooled.why
