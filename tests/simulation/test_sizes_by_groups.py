"""Studies of the tests themselves, beside the scorecard (`make study`): do they keep their level?"""

import numpy as np
import pytest

import clearwin as cw
from clearwin.streams import Stream
from scorecard.samples import GROUPS, OF, grouped_null


@pytest.mark.parametrize("sets", [40, pytest.param(400, marks=pytest.mark.study)])
def test_groups_keep_the_level_in_short(sets):
    """The scorecard's groups and two of its questions: 4 standard errors (of 3.4 or 1.1 points) about 5 %."""
    rng = Stream(np.random.PCG64(42))
    group = np.repeat(np.arange(GROUPS), OF)
    found = np.zeros((2, 2))
    for i in range(sets):
        y, a, b, *_ = grouped_null(rng)
        for j, groups in enumerate((group, None)):
            how = {"groups": groups, "test": "permutation", "n_resamples": 199, "rng": i}
            found[j] += [
                cw.compare(y, a, b, measure="accuracy", **how).p_value <= 0.05,
                cw.compare(y == 0, a == 0, b == 0, measure="f1", **how).p_value <= 0.05,
            ]
    by_groups, naive = found / sets
    assert (np.abs(by_groups - 0.05) <= 4 * np.sqrt(0.05 * 0.95 / sets)).all()
    assert (naive > 0.15).all()


@pytest.mark.study
def test_the_t_test_by_groups_bears_unequal_sizes():
    """Why it takes the jackknife's error on N²/Σn² − 1 degrees: equal models, the usual form beside it; printed."""
    from scipy import stats

    rng = np.random.default_rng(69)
    trials = 1_000
    for name, sizes in (
        ("one of 300, 30 of 5", [300] + [5] * 30),
        ("40 of 3 to 80", [80, 60, 40, 30, 20] + [8] * 10 + [3] * 25),
    ):
        n = np.array(sizes)
        group = np.repeat(np.arange(n.size), n)
        usual = ours = 0
        for _ in range(trials):
            d = rng.normal(size=n.size)[group] + rng.normal(size=group.size)
            gaps = np.bincount(group, weights=d) - n * d.mean()
            error = np.sqrt(n.size / (n.size - 1) * (gaps**2).sum()) / n.sum()
            usual += abs(d.mean()) / error > stats.t.ppf(0.975, n.size - 1)
            r = cw.compare(None, np.zeros(d.size), d, measure="mean", test="paired_t", groups=group)
            ours += r.p_value <= 0.05
        print(f"t by groups, {name}: {ours / trials:.1%} at 5 %, the usual form {usual / trials:.1%}")  # noqa: T201
        assert ours / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)
        assert usual / trials > 0.08
