"""Exact, Monte-Carlo and chi-square tests against chance, compared with each other, scipy and the paper."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.numerics import rook
from clearwin.significance.chance import (
    Margins,
    chi2,
    exact,
    hits_by_shuffling,
    hits_by_tables,
    level_of,
    monte_carlo,
    predicted_seconds,
    tables_needed,
)
from clearwin.streams import Seed, Stream
from clearwin.workers import run_apart
from tests.chance_tables import ULCER, random_margins, rational, with_margins


def test_f_min_is_the_papers_table_and_its_rule():
    for alpha, f in {0.05: 5024, 0.01: 26074, 0.005: 52386, 0.001: 262880}.items():
        assert tables_needed(alpha) == f
        # all four are a relative standard error of 6.16 %
        assert math.sqrt((1 - alpha) / (alpha * f)) == pytest.approx(0.0616, abs=2e-4)
        # and the rule reproduces the table within 0.4 %
        assert (1 - alpha) / (alpha * 0.0616**2) == pytest.approx(f, rel=4e-3)


def test_monte_carlo_within_five_standard_errors_of_exact_on_50_tables():
    rng = np.random.default_rng(2)
    for seed in range(50):
        k = int(rng.integers(2, 9))
        matrix = rng.integers(0, 8, size=(k, k)) + np.diag(rng.integers(0, 6, size=k))
        margins = Margins(tuple(matrix.sum(axis=1).tolist()), tuple(matrix.sum(axis=0).tolist()), int(np.trace(matrix)))
        p = exact(margins).value
        found = monte_carlo(margins, 5024, Seed(seed))
        assert abs(found.value - p) <= 5 * math.sqrt(p * (1 - p) / 5024) + 1 / 5025


@pytest.mark.parametrize(("k", "n"), [(2, 30), (4, 60), (9, 40), (2, 1_100)])
def test_tables_and_shuffles_draw_the_same_distribution(k, n):
    rows, columns = random_margins(5, k, n)
    margins = Margins(tuple(rows), tuple(columns), 0)
    rng, draws = Stream(np.random.PCG64(3)), 20_000 if n < 1_000 else 4_000
    tabled, shuffled = hits_by_tables(margins, rng, draws), hits_by_shuffling(margins, rng, draws)
    if k == 2:  # hits = 2x + n − r − c for a hypergeometric x
        x = np.arange(max(0, rows[0] + columns[0] - n), min(rows[0], columns[0]) + 1)
        expected = np.zeros(n + 1)
        expected[2 * x + n - rows[0] - columns[0]] = stats.hypergeom.pmf(x, n, rows[0], columns[0]) * draws
    else:
        board = rook.Rectangles.of_margins(rows, columns)
        expected = -np.diff([float(rational(rook.tail(board, t))) for t in range(board.most + 2)]) * draws
    for hits in (tabled, shuffled):
        counts = np.bincount(hits, minlength=len(expected))
        often = expected >= 5
        merged = (np.r_[counts[often], counts[~often].sum()], np.r_[expected[often], expected[~often].sum()])
        keep = merged[1] > 0
        # χ² of fit, p < .001 once in a thousand seeds
        assert stats.chisquare(merged[0][keep], merged[1][keep]).pvalue > 0.001


def test_many_classes_and_few_items_are_shuffled():
    few = Margins((2,) * 200, (2,) * 200, 3)
    found = monte_carlo(few, 3_000, Seed(1))
    assert found.value == pytest.approx(exact(few).value, abs=5 * found.error)


def test_monte_carlo_is_repeatable_and_never_0():
    first, second = (cw.against_chance(np.eye(4) * 50, method="monte_carlo", rng=3) for _ in range(2))
    assert first.to_json() == second.to_json()
    assert first.p_value == 1 / 5025
    assert first.signature.n_resamples == 5024
    assert cw.against_chance(ULCER, method="monte_carlo", confidence_level=0.99, rng=1).signature.n_resamples == 26074
    assert cw.against_chance(ULCER, method="monte_carlo", n_resamples=99, rng=1).signature.n_resamples == 99


def test_chi_square_needs_both_conditions():
    above, below = with_margins(3, 20, 30), with_margins(3, 20, 10)
    p, h, _ = chi2(above)
    # nyssen1998: h = (30 − 20)²/20 + (30 − 40)²/40, and the tabulated probability is halved
    assert h == pytest.approx(100 / 20 + 100 / 40)
    assert p.value == pytest.approx(stats.chi2.sf(h, 1) / 2, rel=1e-12)
    p, h, _ = chi2(below)
    assert h == pytest.approx(7.5)
    assert p.value == pytest.approx(1 - stats.chi2.sf(h, 1) / 2, rel=1e-12)  # condition 1 fails: never rejected


@pytest.mark.parametrize("k", [2, 3])
def test_chi_square_with_one_expected_right_or_wrong(k):
    """k items of k classes: one right item is expected, and k − 1 wrong ones, which for two classes is one, too."""
    p, h, _ = chi2(Margins((1,) * k, (1,) * k, k))
    assert h == pytest.approx((k - 1) ** 2 + (k - 1) ** 2 / (k - 1))
    assert p.value == pytest.approx(stats.chi2.sf(h, 1) / 2, rel=1e-12)


def test_more_than_a_million_items_are_shuffled_one_table_at_a_time():
    """Half of 1,000,002 items are right by chance, give or take 500 (one standard deviation)."""
    half = 500_001
    hits = hits_by_shuffling(Margins((half, half), (half, half), 0), Stream(np.random.PCG64(1)), 2)
    assert hits.shape == (2,)
    assert (np.abs(hits - half) < 5 * 500).all()


def test_chi_square_warns_where_the_paper_does():
    codes = [c.code for c in cw.against_chance(np.full((5, 5), 1) + np.eye(5, dtype=int), method="chi2").caveats]
    assert codes == ["chi2_approximation", "small_expected_counts"]
    codes = [c.code for c in cw.against_chance(np.full((3, 3), 10), method="chi2").caveats]
    assert codes == ["chi2_approximation"]


@pytest.mark.parametrize(
    ("rows", "columns"), [((3, 2), (4, 1)), ((2, 2, 2), (1, 2, 3)), ((5, 1, 1), (5, 1, 1)), ((1, 0), (0, 1))]
)
def test_the_deviation_of_right_items_by_all_permutations(rows, columns):
    truth, says = np.repeat(np.arange(len(rows)), rows), np.repeat(np.arange(len(columns)), columns)
    right = [sum(truth == np.array(dealt)) for dealt in itertools.permutations(says.tolist())]
    assert Margins(rows, columns, 0).deviation == pytest.approx(np.std(right), abs=1e-12)


@pytest.mark.parametrize(
    ("margins", "too_large"),
    [
        ((50, 50), False),
        ((10, 10), False),
        ((34, 33, 33), False),
        ((5, 5, 5, 5, 5), False),
        ((95, 5), True),
        ((90, 10), True),
        ((80, 20), True),
        ((80, 10, 10), True),
        ((60, 30, 10), True),
    ],
)
def test_the_chi_square_test_says_which_way_it_errs(margins, too_large):
    """Its p-values against the exact ones, for every number of right items that is neither usual nor all but sure."""
    found = [Margins(margins, margins, right) for right in range(sum(margins) + 1)]
    both = [(exact(one).value, chi2(one)[0].value) for one in found]
    ratios = [by_chi2 / p for (p, by_chi2), (after, _) in itertools.pairwise(both) if 1e-6 < p < 0.1 and after < p]
    assert len(ratios) >= 3
    assert all(ratio > 1 for ratio in ratios) if too_large else all(ratio < 1 for ratio in ratios)
    told = chi2(found[-1])[2][0].text
    assert ("p-values come out too large" in told) == too_large
    assert ("p-values mostly come out too small" in told) == (not too_large)


def test_the_chi_square_test_finds_next_to_nothing_with_unequal_margins():
    # truth 90 : 10, prediction 50 : 50: the exact test rejects 4.58 % at 5 %, χ² .06 %
    found = [Margins((90, 10), (50, 50), right) for right in range(101)]
    p = np.array([exact(one).value for one in found])
    chances, by_chi2 = p - np.append(p[1:], 0.0), np.array([chi2(one)[0].value for one in found])
    assert chances[p <= 0.05].sum() == pytest.approx(0.0458, abs=5e-5)
    assert chances[by_chi2 <= 0.05].sum() == pytest.approx(0.0006, abs=5e-5)


@pytest.mark.parametrize(
    ("matrix", "estimate", "next_step"),
    [
        (np.diag([33_333] * 3), "minutes and", "monte_carlo"),
        (np.diag([10**12] * 3), "years and", "chi2"),
        (np.diag([10**15] * 3), "years and", "chi2"),
        (np.full((2, 2), 2 * 10**15), "minutes and", "chi2"),
    ],
)
def test_an_exact_test_that_nobody_could_wait_for_is_refused_with_its_cost(matrix, estimate, next_step):
    with pytest.raises(cw.errors.OptionError) as refusal:
        cw.against_chance(matrix, method="exact")
    assert estimate in refusal.value.what
    assert "GB" in refusal.value.what
    assert next_step in refusal.value.next


def test_two_classes_of_hundreds_of_millions_are_exact_and_agree_with_scipy():
    half = 10**8
    right = 2 * half + 20_000  # two cells each half as many above what chance gets
    table = np.array([[half + 10_000, half - 10_000], [half - 10_000, half + 10_000]])
    assert np.trace(table) == right
    r = cw.against_chance(table)
    assert r.method == "exact"
    assert r.seconds["exact"] < 1
    mean, deviation = half, math.sqrt(half / 4)  # of a cell
    assert r.p_value == pytest.approx(stats.norm.sf((half + 10_000 - 0.5 - mean) / deviation), rel=1e-3)


def test_nothing_is_right_where_no_class_is_both_true_and_predicted():
    assert cw.against_chance([[0, 5_000], [0, 0]]).p_value == 1.0


def test_a_long_exact_test_runs_in_a_process_of_its_own_and_gives_the_same(monkeypatch):
    margins = with_margins(3, 1_000, 1_050)
    here = exact(margins)
    asked = []

    def apart(work, *arguments, **how):
        asked.append(how)
        return run_apart(work, *arguments, **how)

    monkeypatch.setattr("clearwin.significance.chance.EXACT_SECONDS", 0.0)
    monkeypatch.setattr("clearwin.significance.chance.run_apart", apart)
    assert exact(margins) == here
    assert asked[0]["what"].startswith("exact, about")


def test_auto_goes_by_the_predicted_work():
    assert cw.against_chance(np.full((3, 3), 400)).method == "exact"
    huge = np.full((3, 3), 20_000) + np.diag([50, 50, 50])
    r = cw.against_chance(huge, rng=1)
    assert r.method == "monte_carlo"
    assert "because exact takes about" in r.why
    assert r.seconds["exact"] > 2
    two = cw.against_chance(np.array([[300_000, 299_000], [298_000, 301_000]]))
    assert two.method == "exact"  # two classes are cheap at any size
    assert predicted_seconds(with_margins(10, 1000, 1050), 5024)["exact"] < 2


def test_sampling_takes_the_quicker_of_two_ways():
    """Tables of two classes take as long for any number of items, shuffling as long for any number of classes."""

    def seconds(classes, each):
        return predicted_seconds(Margins((each,) * classes, (each,) * classes, classes), 100)["monte_carlo"]

    assert seconds(2, 10**6) == seconds(2, 10**9)
    assert seconds(500, 2) == seconds(1_000, 1)


def test_levels_of_two_classes_are_hypergeometric():
    """Of two classes the right ones follow from the positives that are called so: n − rows − columns + 2 tp."""
    rows, columns, n = (9, 14), (12, 11), 23
    for tp in range(2, 12):
        found = level_of(Margins(rows, columns, n - rows[1] - columns[1] + 2 * tp))
        theirs = stats.hypergeom(n, rows[1], columns[1])
        assert found.below == pytest.approx(theirs.cdf(tp), abs=1e-12)
        assert found.above == pytest.approx(theirs.sf(tp - 1), abs=1e-12)
