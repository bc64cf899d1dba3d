"""Doubts: told where they should be, and nowhere else."""

import numpy as np
import pytest

import clearwin as cw

ZEROS, ONE_DISASTER = np.zeros(31), np.r_[np.full(30, 0.01), -10]


@pytest.mark.parametrize(
    ("test", "words"), [("sign", "B wins more items than A"), ("wilcoxon", "B tends to be better")]
)
def test_a_test_of_wins_names_no_winner_in_the_mean(test, words):
    """30 small wins and one disaster: more items won, a worse mean."""
    for claim in ("different", "better"):
        r = cw.compare(None, ZEROS, ONE_DISASTER, measure="mean", test=test, claim=claim, rng=1, n_resamples=200)
        assert r.p_value < 0.001
        assert r.verdict().startswith(words)
        assert any(c.code == "leads_elsewhere" for c in r.caveats)
    assert not any(c.code == "leads_elsewhere" for c in cw.compare(None, ZEROS, -ONE_DISASTER, measure="mean").caveats)


def test_a_handful_of_units_proves_nothing():
    assert cw.compare([1], [0], [1], measure="accuracy", test="bootstrap", rng=1).p_value == 1.0
    for n, least in ((2, 0.5), (3, 0.25), (5, 0.0625)):
        values = cw.compare(None, np.zeros(n), np.arange(1.0, n + 1), measure="mean", test="bootstrap", rng=1)
        assert values.p_value == least
        one_sided = cw.compare(
            None, np.zeros(n), np.arange(1.0, n + 1), measure="mean", test="bootstrap", claim="better", rng=1
        )
        assert one_sided.p_value == least / 2
        y = [1] * n + [0] * n
        grouped = cw.compare(
            y * 4, [0] * 8 * n, y * 4, measure="f1", test="bootstrap", groups=list(range(2 * n)) * 4, rng=1
        )
        assert grouped.p_value >= least
    with pytest.raises(cw.errors.DataError, match="every replicate equals the data"):
        cw.compare(None, [0.0] * 8, [3, -1, 2, 5, -4, 1, 2, 6], measure="mean", strata=range(8))


def test_strata_that_hide_how_much_their_units_vary_are_doubted():
    rng = np.random.default_rng(1)
    b = rng.normal(0.15, 1, 200)
    pairs, some_alone = np.arange(200) // 2, np.where(np.arange(200) < 150, np.arange(200) // 2, np.arange(200))

    def told(**how):
        found = cw.compare(None, np.zeros(200), b, measure="mean", rng=1, **how)
        return [c.text for c in found.caveats if c.code == "small_strata"]

    assert told(test="bootstrap", strata=pairs) == told(test="paired_t", strata=pairs) == []
    [text] = told(test="bootstrap", strata=some_alone)
    assert text.startswith("50 of 125 strata have only one item")
    assert "0.87" in text  # √(1 − 50/200)
    y = np.arange(200) % 4 < 2
    own = cw.custom_measure(lambda truth, said: np.mean(truth == said), name="own")
    found = cw.compare(y, b > 0, b < 0.3, measure=own, test="bootstrap", strata=pairs, rng=1, n_resamples=200)
    assert any(c.code == "small_strata" and "0.71" in c.text and "whole items" in c.text for c in found.caveats)
