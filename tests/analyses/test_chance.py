"""One confusion matrix against chance: published numbers, enumeration of all tables, three methods compared."""

import itertools
import math
import tomllib
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.data.matrices import read_matrix
from clearwin.execution import Seed, Stream, run_apart
from clearwin.numerics import rook
from clearwin.significance.chance import (
    Margins,
    chi2,
    exact,
    hits_by_shuffling,
    hits_by_tables,
    monte_carlo,
    predicted_seconds,
    tables_needed,
)

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "chance.toml").read_text())
ULCER = [[9, 7, 3], [15, 17, 13], [3, 7, 28]]


def with_margins(k, each, right):
    return Margins((each,) * k, (each,) * k, right)


@pytest.mark.parametrize("case", REFERENCE["table"], ids=lambda case: case["origin"][-20:])
def test_published_tables(case):
    found = cw.against_chance(case["matrix"], method="exact")
    assert found.p_value == pytest.approx(case["exact"], abs=0.51 * 10 ** -case["exact_digits"])
    found = cw.against_chance(case["matrix"], method="chi2")
    assert found.p_value == pytest.approx(case["chi2"], abs=0.51 * 10 ** -case["chi2_digits"])


@pytest.mark.parametrize("case", REFERENCE["margins"], ids=lambda case: case["origin"][-20:])
def test_published_margins(case):
    margins = with_margins(case["k"], case["each"], case["right"])
    assert exact(margins).value == pytest.approx(case["exact"], abs=0.51 * 10 ** -case["exact_digits"])
    assert chi2(margins)[0].value == pytest.approx(case["chi2"], abs=0.51 * 10 ** -case["chi2_digits"])


@pytest.mark.parametrize("case", REFERENCE["uniform"], ids=lambda case: f"k={case['k']} n={case['n']}")
def test_published_uniform_tables(case):
    k, n = case["k"], case["n"]
    assert exact(with_margins(k, k * n, k * n)).value == pytest.approx(case["p"], abs=5.1e-7)


# --- enumeration: every table with the margins, as the paper does it ---------------------------------------------


def splits(total, limits):
    """Yield every way to share a total among columns with limits."""
    if len(limits) == 1:
        if total <= limits[0]:
            yield (total,)
        return
    for first in range(min(total, limits[0]) + 1):
        for rest in splits(total - first, limits[1:]):
            yield (first, *rest)


def enumerate_tables(rows, columns):
    """Yield (right items, probability) of every table with these margins: nyssen1998 (4), as factorials."""
    constant = Fraction(math.prod(map(math.factorial, (*rows, *columns))), math.factorial(sum(rows)))

    def walk(i, left):
        if i == len(rows):
            yield 0, 1
            return
        for row in splits(rows[i], left):
            product = math.prod(map(math.factorial, row))
            for right, below in walk(i + 1, tuple(c - x for c, x in zip(left, row, strict=True))):
                yield right + row[i], product * below

    for right, product in walk(0, tuple(columns)):
        yield right, constant / product


def rational(p):
    assert isinstance(p, fmpq)
    return Fraction(int(p.p), int(p.q))


@pytest.mark.parametrize("case", REFERENCE["uniform"][:4], ids=lambda case: f"k={case['k']} n={case['n']}")
def test_enumeration_reproduces_the_papers_term_counts(case):
    k, n = case["k"], case["n"]
    far = [probability for right, probability in enumerate_tables([k * n] * k, [k * n] * k) if right >= k * n]
    assert len(far) == case["terms"]
    assert sum(far) == rational(rook.tail(rook.Rectangles.of_margins([k * n] * k, [k * n] * k), k * n))


def test_exact_equals_enumeration_on_500_random_tables_in_rationals():
    rng = np.random.default_rng(1)
    for trial in range(500):
        k = int(rng.integers(2, 5))
        matrix = rng.integers(0, 4 if k < 4 else 2, size=(k, k))
        rows, columns = matrix.sum(axis=1).tolist(), matrix.sum(axis=0).tolist()
        if sum(rows) == 0:
            continue
        right = int(np.trace(matrix))
        slow = sum((p for hits, p in enumerate_tables(rows, columns) if hits >= right), Fraction(0))
        assert rational(rook.tail(rook.Rectangles.of_margins(rows, columns), right)) == slow, trial


# --- the three arithmetics agree --------------------------------------------------------------------------------


@cache
def random_margins(seed, k, n):
    rng = np.random.default_rng(seed)
    rows = rng.multinomial(n, rng.dirichlet(np.full(k, 2.0)))
    columns = rng.multinomial(n, rng.dirichlet(np.full(k, 2.0)))
    return rows.tolist(), columns.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_balls_contain_what_integers_say(seed):
    rows, columns = random_margins(seed, 3 + seed % 5, 400 + 100 * seed)
    board = rook.Rectangles.of_margins(rows, columns)
    for right in {int(board.expected), int(board.expected * 1.3) + 5, board.most // 2 + 1}:
        whole = rook._in_integers(board, right)
        ball = rook._in_balls(board, right)
        assert ball.contains(arb(whole)) or ball.overlaps(arb(whole))
        assert abs(float((ball / arb(whole)).mid()) - 1) < 1e-14
        assert ball.rel_accuracy_bits() >= rook.ACCURACY


def test_a_sum_cut_short_still_contains_the_truth():
    board = rook.Rectangles.of_margins([40] * 5, [40] * 5)
    truth = rook._in_integers(board, 48)
    with ctx.workprec(600):
        whole = arb(truth)
    for length in (60, 80, 100, 120, 150):
        assert rook._sum_of_balls(board, 48, 400, length).overlaps(whole), length
    # the bound is needed: without it the short sums are far off
    assert rook._sum_of_balls(board, 48, 400, 60).rad() > 1
    assert rook._sum_of_balls(board, 48, 400, 201).rel_accuracy_bits() > 60


@pytest.mark.parametrize(
    ("rows", "columns"),
    [((5000, 7000), (4000, 8000)), ((9000, 300), (8000, 1300)), ((60000, 50000), (30000, 80000))],
)
def test_two_classes_are_hypergeometric(rows, columns):
    n = sum(rows)
    board = rook.Rectangles.of_margins(list(rows), list(columns))
    for extra in (-200, 0, 37, 150, 600):
        right = min(int(board.expected) + extra, board.most)
        least = math.ceil((right - n + rows[0] + columns[0]) / 2)
        theirs = stats.hypergeom.sf(least - 1, n, rows[0], columns[0])
        assert float(rook.tail(board, right).mid()) == pytest.approx(theirs, rel=1e-8)
    if n < 10_000:  # and the general sum agrees with the short cut to every certain digit
        assert rook._in_balls(board, right).overlaps(rook._of_one_draw(board, right))


def test_classes_that_never_meet_leave_one_draw():
    # class 1 is never predicted and class 2 never occurs: only class 0 can be right
    board = rook.Rectangles.of_margins([1500, 1200, 0], [900, 0, 1800])
    assert board.is_one_draw
    theirs = stats.hypergeom.sf(540 - 1, 2700, 1500, 900)
    assert float(rook.tail(board, 540).mid()) == pytest.approx(theirs, rel=1e-9)


def test_p_far_below_any_float_comes_out():
    found = exact(with_margins(10, 300, 2900))
    assert found.log10 < -2000
    assert found.value > 0
    assert found.bound < 1e-12
    # all 3,000 right has one chance in 3000!/(300!)^10
    everything = exact(with_margins(10, 300, 3000))
    assert everything.log10 == pytest.approx((10 * math.lgamma(301) - math.lgamma(3001)) / math.log(10), rel=1e-12)


@pytest.mark.parametrize("right", [0, 1])
def test_the_ends_of_the_range(right):
    board = rook.Rectangles.of_margins([3, 4], [5, 2])
    assert rational(rook.tail(board, 0)) == 1
    assert rational(rook.tail(board, board.most + 1)) == 0
    assert rational(rook.tail(rook.Rectangles.of_margins([3, 0], [0, 3]), right)) == 1 - right


# --- Monte-Carlo ------------------------------------------------------------------------------------------------


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


# --- chi-square -------------------------------------------------------------------------------------------------


def test_chi_square_needs_both_conditions():
    above, below = with_margins(3, 20, 30), with_margins(3, 20, 10)
    p, h, _ = chi2(above)
    # nyssen1998: h = (30 − 20)²/20 + (30 − 40)²/40, and the tabulated probability is halved
    assert h == pytest.approx(100 / 20 + 100 / 40)
    assert p.value == pytest.approx(stats.chi2.sf(h, 1) / 2, rel=1e-12)
    p, h, _ = chi2(below)
    assert h == pytest.approx(7.5)
    assert p.value == pytest.approx(1 - stats.chi2.sf(h, 1) / 2, rel=1e-12)  # condition 1 fails: never rejected


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


# --- the verb ---------------------------------------------------------------------------------------------------


def test_the_result_tells_everything():
    r = cw.against_chance(ULCER, labels=["healed", "same", "worse"])
    truth = np.repeat([0, 1, 2], np.sum(ULCER, axis=1))
    prediction = np.concatenate([np.repeat([0, 1, 2], row) for row in ULCER])
    assert r.efficiency == pytest.approx(metrics.accuracy_score(truth, prediction))
    assert r.kappa == pytest.approx(metrics.cohen_kappa_score(truth, prediction))
    assert [c.recall for c in r.recalls] == pytest.approx(metrics.recall_score(truth, prediction, average=None))
    theirs = stats.binomtest(28, 38).proportion_ci(method="wilson")
    assert (r.recalls[2].interval.low, r.recalls[2].interval.high) == pytest.approx((theirs.low, theirs.high))
    assert r.expected_efficiency == pytest.approx(3580 / 102**2)
    assert (r.method, r.labels) == ("exact", ("healed", "same", "worse"))
    assert "Monte-Carlo with 5,024 tables" in r.why
    assert r.p_bound < 1e-12
    assert "better than chance" in r.verdict()
    assert "34.4 %" in r.verdict()
    strict = cw.against_chance(ULCER, confidence_level=1 - 1e-6)
    assert (r.decision, strict.decision) == ("better", "not shown")
    assert "not shown to be better" in strict.verdict()
    assert r.to_dict()["recalls"][0]["label"] == "healed"
    for text in ("healed", "Cohen's kappa", "right by chance"):
        assert text in str(r)
        assert text.replace("'", "&#39;") in r._repr_html_()


def test_labels_and_matrix_give_the_same_answer():
    truth = np.repeat(["a", "b", "c"], np.sum(ULCER, axis=1))
    prediction = np.concatenate([np.repeat(["a", "b", "c"], row) for row in ULCER])
    by_items = cw.against_chance(truth, prediction)
    by_matrix = cw.against_chance(ULCER, labels=["a", "b", "c"])
    assert by_items.p_value == by_matrix.p_value
    assert by_items.signature.data == by_matrix.signature.data
    crosstab = pd.crosstab(pd.Series(truth), pd.Series(prediction))
    assert cw.against_chance(crosstab).signature.data == by_matrix.signature.data
    assert cw.against_chance(crosstab[["c", "a", "b"]]).signature.data == by_matrix.signature.data
    assert cw.against_chance(crosstab.drop(columns="a")).labels == ("a", "b", "c")
    c = cw.ConfusionMatrix.of_two_classes(tp=5, fn=2, fp=1, tn=9)
    assert cw.against_chance(c).right == 14


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
    assert "beyond 2 s" in r.why
    assert r.seconds["exact"] > 2
    two = cw.against_chance(np.array([[300_000, 299_000], [298_000, 301_000]]))
    assert two.method == "exact"  # two classes are cheap at any size
    assert predicted_seconds(with_margins(10, 1000, 1050), 5024)["exact"] < 2


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], "shape (2, 3)"),
        ([[1, 2], [3]], "different lengths"),
        ([1, 2, 3], "shape (3,)"),
        ([], "shape (0,)"),
        ([[]], "shape (1, 0)"),
        ([[0, 0], [0, 0]], "no items"),
        ([[1, -2], [3, 4]], "-2"),
        ([[1, 2.5], [3, 4]], "2.5"),
        ([[0.3, 0.2], [0.1, 0.4]], "multiply shares"),
        ([[1, float("nan")], [3, 4]], "nan"),
        ([[1, float("inf")], [3, 4]], "inf"),
        ([["a", "b"], ["c", "d"]], "not a number"),
        ([[True, False], [False, True]], "truth values"),
        ([[2**60, 1], [1, 2**60]], "overflow"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["x", "y"]), "no label in common"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"], columns=["a", "b"]), "two rows"),
    ],
)
def test_matrices_that_are_none(matrix, message):
    with pytest.raises(cw.errors.DataError) as raised:
        cw.against_chance(matrix)
    assert message in str(raised.value)
    assert raised.value.expected


def test_empty_classes_have_a_stated_behaviour():
    never_seen = cw.against_chance([[5, 1, 2], [1, 6, 0], [0, 0, 0]])
    assert never_seen.recalls[2].recall is None
    assert any("Class 2 never occurs" in c.text for c in never_seen.caveats)
    never_predicted = cw.against_chance([[5, 1, 0], [1, 6, 0], [2, 1, 0]])
    assert never_predicted.recalls[2].recall == 0
    assert any("Class 2 is never predicted" in c.text for c in never_predicted.caveats)
    for matrix in ([[5, 2], [0, 0]], [[5, 0], [2, 0]], [[7]]):
        for method in ("exact", "monte_carlo", "chi2"):
            r = cw.against_chance(matrix, method=method, rng=1)
            assert r.p_value == 1.0
            assert any(c.code == "one_class" for c in r.caveats)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "exakt"}, "'exact'"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"confidence_level": 2}, "confidence_level is 2"),
        ({"labels": ["a"]}, "1 labels for 3"),
    ],
)
def test_bad_settings_are_explained(settings, message):
    with pytest.raises(cw.ClearwinError) as raised:
        cw.against_chance(ULCER, **settings)
    assert message in str(raised.value)


# --- files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("9,7,3\n15,17,13\n3,7,28\n", ("0", "1", "2")),
        ("9;7;3\r\n15;17;13\r\n3;7;28", ("0", "1", "2")),
        ("9,7,3\r15,17,13\r3,7,28\r", ("0", "1", "2")),
        ("\ra;b;c\r9;7;3\r15;17;13\r3;7;28", ("a", "b", "c")),
        ("\ufeffa,b,c\n9,7,3\n15,17,13\n3,7,28\n\n", ("a", "b", "c")),
        (",a,b,c\na,9,7,3\nb,15,17,13\nc,3,7,28\n", ("a", "b", "c")),
        ("a,9,7,3\nb,15,17,13\nc,3,7,28\n", ("a", "b", "c")),
        ("truth\\pred\t1\t2\t3\n1\t9\t7\t3\n2\t15\t17\t13\n3\t3\t7\t28\n", ("1", "2", "3")),
        ("9.0,7,3\n15,17,13\n3,7,28\n", ("0", "1", "2")),
    ],
)
def test_matrix_files_with_and_without_labels(tmp_path, text, labels):
    path = tmp_path / "matrix.csv"
    path.write_text(text, encoding="utf-8", newline="")
    found = read_matrix(path)
    assert found.labels == labels
    assert found.cells.tolist() == ULCER


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("1,2,3\n4,5,6\n", "Row 1 of the matrix in matrix.csv has 3 columns, and there are 2 rows"),
        ("1,2\n3,4\n5,6\n", "2 columns, and there are 3 rows"),
        ("1,x\n3,4\n", "the columns x and the rows 3"),
        ("1,2\n3,x\n", "'x' in row 2, column 2"),
        (",a,b\nb,1,2\na,3,4\n", "the columns a, b and the rows b, a"),
        ("y,svm\nspam,ham\nham,ham\n", "--truth COLUMN --a COLUMN"),
        ("1,-2\n3,4\n", "matrix.csv: The matrix holds -2"),
        ("0.5,0.5\n0,1\n", "shares"),
        ("0,0\n0,0\n", "no items"),
        (f"{'9' * 200_000},2\n3,4\n", "field larger than field limit"),
    ],
)
def test_matrix_files_that_are_none(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    Path("matrix.csv").write_text(text, encoding="utf-8")
    with pytest.raises(cw.errors.FileError) as raised:
        read_matrix("matrix.csv")
    assert message in str(raised.value)


def test_the_command(tmp_path):
    from click.testing import CliRunner

    from clearwin.cli import main

    matrix = tmp_path / "matrix.csv"
    matrix.write_text(",a,b,c\na,9,7,3\nb,15,17,13\nc,3,7,28\n")
    run = CliRunner().invoke(main, ["chance", str(matrix)])
    assert run.exit_code == 0
    assert run.stdout.startswith("The classifier is better than chance: 54 of 102 right")
    predictions = tmp_path / "preds.csv"
    rows = "".join(f"{'abc'[i]},{'abc'[j]}\n" * ULCER[i][j] for i, j in itertools.product(range(3), repeat=2))
    predictions.write_text("y,model\n" + rows)
    run = CliRunner().invoke(main, ["chance", str(predictions), "--truth", "y", "--a", "model", "--json"])
    assert run.exit_code == 0
    assert '"right": 54' in run.stdout
    assert '"name": "model"' in run.stdout
    for arguments in (["--method", "exakt"], ["--confidence-level", "7"], ["--truth", "y"]):
        run = CliRunner().invoke(main, ["chance", str(predictions), *arguments])
        assert run.exit_code == 2
        assert run.stdout == ""
        assert "Traceback" not in run.stderr


def test_what_a_hostile_user_found():
    with pytest.raises(cw.errors.DataError, match="same label"):
        cw.against_chance(ULCER, labels=["a", "a", "b"])
    huge = np.full((3, 3), 5 * 10**8)
    with pytest.raises(cw.errors.OptionError, match="cannot be drawn"):
        cw.against_chance(huge, method="monte_carlo")
    two = cw.against_chance([[5, 1, 1, 1], [1, 5, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert any("Classes 2, 3 never occur," in c.text for c in two.caveats)
