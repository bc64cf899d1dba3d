"""Random sets against other tools, a few of them here; and a difference would be seen."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from proof import differential
from proof.differential import DOORS, KINDS, differences, differs, some


def test_a_few_sets_have_no_differences():
    found = [differences(2026, number) for number in range(60)]
    assert [wrong for _, wrong, _ in found if wrong] == []
    assert {kind for kind, _, _ in found} >= set(KINDS) - {"p-values"}
    assert sum(checks for _, _, checks in found) > 100


@pytest.mark.parametrize("door", DOORS)
def test_every_door_is_passed(door):
    rng = np.random.default_rng(5)
    columns = {name: rng.integers(0, 2, 20) for name in ("truth", "a", "b")}
    how = {"measure": "accuracy", "test": "mcnemar"}
    assert DOORS[door](columns, how).estimate_a == (columns["truth"] == columns["a"]).mean()


def test_blocks_of_sets_count_what_single_ones_find():
    alone = [differences(7, number) for number in range(4)]
    sets, wrong, checks, work = some(7, range(4), time.time() + 60)
    assert sets == Counter(kind for kind, _, _ in alone)
    assert (wrong, checks) == ([], sum(checks for _, _, checks in alone))
    assert work > 0
    assert some(7, range(4), time.time() - 1)[0] == {}


def test_a_difference_is_seen(monkeypatch):
    assert differs(0.5, 0.5 + 1e-8)
    assert not differs(0.5, 0.5 + 1e-12)
    monkeypatch.setattr(differential, "holm", lambda p: [0.0] * len(p))
    rng = np.random.default_rng(1)
    found = {what: differs(ours, theirs) for what, ours, theirs in differential.many(rng)}
    assert found == {"Holm against statsmodels": True, "Benjamini-Hochberg against statsmodels": False}
