"""The unconditional test against every table, a dense grid and published values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from scorecard import enumerated


def tables_as_far_out(wins, losses, n, claim):
    """Return every table (b, c) of n items with z as far out, by fractions: z·|z| = (b − c)·|b − c|/(b + c)."""
    signed = lambda b, c: Fraction((b - c) * abs(b - c), b + c) if b + c else Fraction(0)  # noqa: E731
    seen = signed(wins, losses)
    reaches = {
        "different": lambda z: abs(z) >= abs(seen),
        "better": lambda z: z >= seen,
        "worse": lambda z: z <= seen,
    }[claim]
    return [(b, c) for b in range(n + 1) for c in range(n + 1 - b) if reaches(signed(b, c))]


def slow_unconditional(wins, losses, n, claim, shares):
    """Return the trinomial probability of such tables for each of the shares, item by item and without a formula."""
    tables = np.array(tables_as_far_out(wins, losses, n, claim))
    counts = np.column_stack([tables, n - tables.sum(axis=1)])
    return np.array([stats.multinomial.pmf(counts, n, [share / 2, share / 2, 1 - share]).sum() for share in shares])


def unconditional_p(wins, losses, n, claim="different"):
    joint = cw.JointCounts(e1=0, e2=wins, e3=losses, e4=0, e5=0, e6=0, e7=0, e8=n - wins - losses)
    return cw.compare(joint, measure="accuracy", test="mcnemar", method="unconditional", claim=claim).p_value


@pytest.mark.parametrize(
    ("wins", "losses", "n"), [(5, 0, 100), (1, 7, 21), (3, 1, 9), (0, 4, 4), (9, 3, 40), (2, 1, 12)]
)
@pytest.mark.parametrize("claim", ["different", "better", "worse"])
def test_unconditional_against_every_table(wins, losses, n, claim):
    grid = np.linspace(0, 1, 401)
    found = slow_unconditional(wins, losses, n, claim, grid)
    ours = unconditional_p(wins, losses, n, claim)
    assert ours >= found.max() * (1 - 1e-10)
    if found.max() < 1:  # and once more about the best share
        best = grid[found.argmax()]
        fine = np.clip(np.linspace(best - 0.005, best + 0.005, 401), 0, 1)
        assert ours == pytest.approx(slow_unconditional(wins, losses, n, claim, fine).max(), rel=1e-6)


def test_unconditional_as_published():
    # Suissa and Shuster (1991)
    assert unconditional_p(5, 0, 100) == pytest.approx(0.0259, abs=5e-5)
    # R's contingencytables (its tests of chapter 8) adds .0001 to the largest within the exact 99.99 % interval of the
    # share (Berger and Boos 1994)
    assert unconditional_p(0, 1, 14) + 0.0001 == pytest.approx(0.542071, abs=1e-6)
    # and here the largest lies outside of that interval
    low, high = stats.binomtest(22, 161).proportion_ci(0.9999, method="exact")
    restricted = slow_unconditional(6, 16, 161, "different", np.linspace(low, high, 200)).max()
    assert restricted + 0.0001 == pytest.approx(0.034053, abs=1e-6)
    assert restricted < unconditional_p(6, 16, 161) < 0.0345


@pytest.mark.parametrize(("n", "wins"), [(300, 5), (300, 140), (3_000, 40)])
def test_unconditional_supremum_over_a_dense_grid(n, wins):
    lead, apart = wins - 2, wins + 2
    m = np.arange(1, n + 1)
    least = np.ceil(np.sqrt(lead**2 * m / apart) - 1e-9)
    tails = stats.binom.sf(np.ceil((m + least) / 2) - 1, m, 0.5)
    sums = [
        2 * (stats.binom.pmf(m, n, share) * tails).sum() for share in np.sin(np.linspace(0, math.pi / 2, 2_001)) ** 2
    ]
    ours = unconditional_p(wins, 2, n)
    assert max(sums) * (1 - 1e-9) <= ours <= max(sums) * 1.001


def test_unconditional_keeps_its_level_and_may_reach_it_with_five():
    sizes = {n: enumerated._rejects(n, "unconditional", 0.05) for n in (10, 40)}
    shares = np.linspace(0, 1, 1_001)
    for n, rejects in sizes.items():
        size = rejects @ stats.binom.pmf(np.arange(n + 1)[:, None], n, shares)
        assert size.max() <= 0.05
        assert size.max() > 0.03  # the exact conditional test wastes more
    assert sizes[40][5] > 0


def test_unconditional_in_deep_tails_and_beyond_what_is_feasible():
    joint = cw.JointCounts(e1=0, e2=3_000, e3=0, e4=0, e5=0, e6=0, e7=0, e8=0)
    r = cw.compare(joint, measure="accuracy", test="mcnemar", method="unconditional")
    assert r.log10_p == pytest.approx((1 - 3_000) * math.log10(2), rel=1e-12)  # at a share of 1, all wins
    many = cw.JointCounts(e1=30_000, e2=30, e3=10, e4=0, e5=0, e6=0, e7=0, e8=0)
    with pytest.raises(cw.errors.OptionError, match="would take too long for 30,040 items"):
        cw.compare(many, measure="accuracy", test="mcnemar", method="unconditional")
