"""A family of comparisons: one kind of caveat is one line, with the parts that it is about."""

from __future__ import annotations

import numpy as np

import clearwin as cw


def test_one_kind_of_caveat_is_one_line_for_all_slices() -> None:
    n = 6 * 12
    rng = np.random.default_rng(2)
    truth, a, b = (rng.integers(0, 2, n) for _ in range(3))
    r = cw.compare(truth, a, b, by=np.repeat([f"s{i}" for i in range(6)], 12), n_resamples=500, rng=1)
    few = [caveat.text for caveat in r.caveats if caveat.code == "few_of_a_class" and "Slices" in caveat.text]
    assert few == ["Slices s0, s1 and 4 more: fewer than 20 items of a class."]
