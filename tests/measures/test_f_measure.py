"""F measures: of sums, and the two definitions of the macro average."""

import numpy as np
import pytest

import clearwin as cw
from tests.data.grouped import SKLEARN, label_sets, question


def test_macro_f1_is_the_mean_of_f1s_and_the_other_definition_has_its_own_name():
    truth, a, b = label_sets(3)
    p, r = (SKLEARN[w](truth, a, average="macro", zero_division=0) for w in ("precision", "recall"))
    assert question(truth, a, b, "f1_of_macro").estimates[0] == pytest.approx(2 * p * r / (p + r))
    assert "mean over classes of F1" in cw.list_measures()["macro_f1"].formula


def test_f1_of_sums_is_the_f1_of_the_added_counts():
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 6, 50)
    right = [rng.integers(0, gold + 1) for _ in range(2)]
    made = [r + rng.integers(0, 3, 50) for r in right]
    found = cw.compare(
        gold, np.stack([right[0], made[0]], axis=1), (right[1], made[1]), measure="f1_of_sums", n_resamples=99, rng=1
    )
    expected = [2 * r.sum() / (gold.sum() + m.sum()) for r, m in zip(right, made, strict=True)]
    assert [found.estimate_a, found.estimate_b] == pytest.approx(expected)
    assert "higher" in str(found)
    for bad, words in (
        ((gold, (right[0], right[0] - 1), (right[1], made[1])), "b|a"),
        ((gold - 1, (right[0], made[0]), (right[1], made[1])), "truth"),
        ((gold, (right[0] + 9, made[0] + 9), (right[1], made[1])), "more right spans than true"),
        ((gold, right[0], right[1]), "shape"),
        ((gold, (right[0] + 0.5, made[0]), (right[1], made[1])), "a"),
    ):
        with pytest.raises(cw.errors.DataError, match=words):
            cw.compare(*bad, measure="f1_of_sums")
