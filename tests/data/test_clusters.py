"""Groups and strata: read beside labels, nested, crossed, missing, and what they are told by."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clearwin as cw
from clearwin.data.arrays import tally_arrays
from clearwin.data.clusters import Grouping
from clearwin.data.frames import tally_frame
from tests.data.grouped import classes
from tests.data.labelled import COLUMNS, TRUTH, A, B, frames
from tests.two_models import two

GROUPS = [f"author {i % 7}" for i in range(30)]
STRATA = [i % 2 for i in range(30)]
GROUPED = Counter(zip(TRUTH, A, B, GROUPS, STRATA, strict=True))


def test_groups_and_strata_follow_the_labels() -> None:
    assert tally_arrays(truth=TRUTH, a=A, b=B, group=GROUPS, stratum=STRATA) == GROUPED
    assert tally_arrays(truth=TRUTH, a=A, b=B, stratum=np.array(STRATA)) == Counter(
        zip(TRUTH, A, B, STRATA, strict=True)
    )


@frames
def test_groups_and_strata_in_frames(frame: Any) -> None:
    table = frame({**COLUMNS, "who": GROUPS, "where": STRATA})
    assert tally_frame(table, truth="y", a="svm", b="rbf", group="who", stratum="where") == GROUPED
    # the classes may be the strata
    by_class = tally_frame(table, truth="y", a="svm", b="rbf", stratum="y")
    assert by_class == Counter(zip(TRUTH, A, B, TRUTH, strict=True))
    with pytest.raises(cw.errors.DataError, match="Column 'gap' has 1 missing value") as caught:
        tally_frame(frame({**COLUMNS, "gap": [None, *GROUPS[1:]]}), truth="y", a="svm", b="rbf", group="gap")
    assert caught.value.expected == "a group in every row"


def test_there_may_be_many_groups() -> None:
    n = 30_000
    truth, a, b = np.random.default_rng(5).integers(0, 2, size=(3, n))
    for group in (np.arange(n) / 3, [f"g{i}" for i in range(n)], np.arange(n) * 10**12):
        tally = tally_arrays(truth=truth, a=a, b=b, group=group)
        assert len(tally) == n
        assert tally_frame(pl.DataFrame({"y": truth, "a": a, "b": b, "g": group}), truth="y", a="a", b="b", group="g")
    with pytest.raises(cw.errors.DataError, match="b has 30,000 different values"):
        tally_arrays(truth=truth, a=a, b=np.arange(n))


def test_more_combinations_than_numbers() -> None:
    rng = np.random.default_rng(6)
    columns = {role: rng.integers(0, 1_000, size=5_000) for role in ("truth", "a", "b")}
    columns |= {role: rng.permutation(100_000)[:5_000] for role in ("group", "stratum")}
    columns = {role: [*values.tolist(), *range(-60_000, 0)] for role, values in columns.items()}
    for role in ("truth", "a", "b"):
        columns[role] = [value % 1_000 for value in columns[role]]
    assert tally_arrays(**columns) == Counter(zip(*columns.values(), strict=True))


def test_too_many_combinations_with_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clearwin.data.arrays.MOST_GROUPED", 10)
    with pytest.raises(cw.errors.DataError, match="There are 23 combinations of labels with group") as caught:
        tally_arrays(truth=TRUTH, a=A, b=B, group=GROUPS)
    assert "at most 10 combinations of truth, a, b and group" in caught.value.expected
    with pytest.raises(cw.errors.DataError, match="combinations of labels with stratum"):
        tally_frame(pl.DataFrame({**COLUMNS}), truth="y", a="svm", b="rbf", stratum="n")


def test_missing_groups() -> None:
    with pytest.raises(cw.errors.DataError, match=r"group has 1 missing value, at position 0") as caught:
        tally_arrays(truth=TRUTH, a=A, b=B, group=[None, *GROUPS[1:]])
    assert caught.value.expected == "a group for every item"


def test_naive_tests_on_groups_say_how_wrong_they_are():
    y, a, b = classes(101, n=100)
    item = np.repeat(np.arange(100), 4)
    found = cw.compare(y[item], a[item], b[item], measure="accuracy", test="mcnemar", groups=item)
    [caveat] = [c for c in found.caveats if c.code == "ignores_groups"]
    assert "4.0" in caveat.text or "3.9" in caveat.text
    assert "too small" in caveat.text
    whole = cw.compare(y[item], a[item], b[item], measure="accuracy", groups=item, rng=1)
    assert whole.test == "studentised"
    assert "that the groups were drawn from" in whole.null_hypothesis
    assert "groups" in str(whole)
    assert not any(c.code == "ignores_groups" for c in whole.caveats)
    single = cw.estimate(y[item], a[item], measure="accuracy", groups=item, rng=1)
    assert single.interval.method == "inverted"
    assert single.sampling.design_effect == pytest.approx(4, rel=0.05)
    wilson = cw.estimate(y[item], a[item], measure="accuracy", groups=item, interval="wilson")
    assert any(c.code == "ignores_groups" for c in wilson.caveats)


def test_nested_groups_are_taken_by_the_coarser_and_strange_ones_refused():
    y, a, b = classes(111, n=120)
    fine, coarse = np.arange(120) // 4, np.arange(120) // 12
    nested = cw.compare(y, a, b, measure="macro_f1", groups=[fine, coarse], n_resamples=200, rng=1)
    alone = cw.compare(y, a, b, measure="macro_f1", groups=coarse, n_resamples=200, rng=1)
    assert nested.to_json() == alone.to_json()
    crossed = cw.compare(
        y, a, b, measure="macro_f1", groups=np.stack([fine, np.arange(120) % 10], axis=1), n_resamples=99
    )
    assert "10 groups, crossed with 30" in crossed.why
    with pytest.raises(cw.errors.DataError, match="crossed"):
        cw.rank(y, {"a": a, "b": b}, measure="macro_f1", groups=np.stack([fine, np.arange(120) % 10], axis=1))
    with pytest.raises(cw.errors.DataError, match="several strata"):
        cw.compare(y, a, b, measure="macro_f1", groups=coarse, strata=np.arange(120) % 2)
    with pytest.raises(cw.errors.DataError, match="one group"):
        cw.compare(y, a, b, measure="macro_f1", groups=np.zeros(120))
    with pytest.raises(cw.errors.DataError, match="119 values for 120 items"):
        cw.compare(y, a, b, measure="macro_f1", groups=coarse[1:])
    with pytest.raises(cw.errors.DataError, match="missing"):
        cw.compare(y, a, b, measure="macro_f1", groups=[None, *coarse[1:].tolist()])


def test_strata_are_told_and_few_groups_doubted():
    y, a, b = classes(121)
    found = cw.compare(y, a, b, measure="macro_f1", strata=y, n_resamples=200, rng=1)
    assert found.sampling.strata == {str(i): int(n) for i, n in enumerate(np.bincount(y))}
    assert "held fixed" in str(found)
    naive = cw.compare(y, a, b, measure="accuracy", test="mcnemar", strata=y)
    assert any(c.code == "ignores_strata" for c in naive.caveats)
    few = cw.compare(y, a, b, measure="macro_f1", groups=np.arange(300) // 50, n_resamples=200, rng=1)
    assert any(c.code == "few_groups" for c in few.caveats)


def test_grouping_has_its_own_fingerprint():
    y, a, b = classes(131)
    prints = {
        cw.compare(y, a, b, measure="macro_f1", n_resamples=9, rng=1, **how).signature.data
        for how in (
            {},
            {"groups": np.arange(300) // 10},
            {"groups": np.arange(300) // 20},
            {"strata": np.arange(300) // 150},
        )
    }
    assert len(prints) == 4


def test_groups_in_another_order_are_refused():
    y, a, b = (pd.Series(x) for x in two(40))
    shuffled = pd.Series(np.arange(40) // 4).sample(frac=1, random_state=0)
    for how, verb in itertools.product(({"groups": shuffled}, {"strata": shuffled}), (cw.compare, cw.compare_by_class)):
        with pytest.raises(cw.errors.DataError, match="same index in a different order"):
            verb(y, a, b, **how)
    with pytest.raises(cw.errors.DataError, match="same index in a different order"):
        cw.compare(y, a * 0.5, b * 0.7, measure="auc", groups=shuffled)


@pytest.mark.parametrize("how", [{"groups": "author"}, {"groups": 3}, {"strata": 3}, {"groups": np.array(3)}])
def test_what_is_no_column_of_groups(how):
    y, a, b = two(6)
    [name] = how
    for data, measure in (((y, a, b), "f1"), ((None, a, b), "mean"), ((y, a * 0.5, b * 0.7), "auc")):
        with pytest.raises(cw.errors.DataError, match=f"{name} is"):
            cw.compare(*data, measure=measure, **how)


def test_tuples_name_groups():
    y, a, b = two(60)
    pairs = [(f"d{i // 10}", i // 5 % 2) for i in range(60)]
    r = cw.compare(y, a, b, groups=pairs, n_resamples=99, rng=1)
    assert r.sampling.n_units == 12
    assert r.to_json() == cw.compare(y, a, b, groups=np.arange(60) // 5, n_resamples=99, rng=1).to_json()


def test_nested_groups_come_as_a_frame_an_array_or_columns():
    coarse, fine = np.arange(40) // 10, np.arange(40) // 5
    y = np.arange(40) % 2
    a, b = np.arange(40) % 3 % 2, np.arange(40) % 5 % 2
    frame = pd.DataFrame({"coarse": coarse, "fine": fine})
    found = [
        cw.compare(y, a, b, measure="accuracy", groups=groups, n_resamples=50, rng=1)
        for groups in ([coarse, fine], frame, frame.to_numpy(), coarse)
    ]
    assert len({(r.p_value, r.interval, r.sampling.n_units) for r in found}) == 1
    assert found[0].sampling.n_units == 4


def test_units_are_known_by_their_items_and_their_stratum_whatever_the_order() -> None:
    items = np.array([1, 2, 1, 1, 1, 1], dtype=np.uint64) << np.uint64(62)  # which differ in two bits only
    groups, strata = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1])
    found = Grouping(groups, strata, ("x", "y")).hashes(items)
    order = np.array([5, 2, 0, 4, 3, 1])
    again = Grouping(groups[order], strata[order], ("x", "y")).hashes(items[order])
    assert sorted(found) == sorted(again)
    assert len(set(found.tolist())) == 3
    assert set(found.tolist()).isdisjoint(Grouping(groups, strata, ("x", "z")).hashes(items)[2:].tolist())
