"""Rook numbers: exact chances against the enumeration of every table, in rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from clearwin.numerics import rook
from clearwin.significance.chance import (
    exact,
)
from tests.chance_tables import REFERENCE, random_margins, rational, with_margins


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


@pytest.mark.parametrize("case", REFERENCE["uniform"][:4], ids=lambda case: f"k={case['k']} n={case['n']}")
def test_enumeration_reproduces_the_papers_term_counts(case):
    k, n = case["k"], case["n"]
    far = [probability for right, probability in enumerate_tables([k * n] * k, [k * n] * k) if right >= k * n]
    assert len(far) == case["terms"]
    assert sum(far) == rational(rook.tail(rook.Rectangles.of_margins([k * n] * k, [k * n] * k), k * n))


def test_exact_equals_enumeration_on_200_random_tables_in_rationals():
    rng = np.random.default_rng(1)
    for trial in range(200):
        k = int(rng.integers(2, 5))
        matrix = rng.integers(0, 4 if k < 4 else 2, size=(k, k))
        rows, columns = matrix.sum(axis=1).tolist(), matrix.sum(axis=0).tolist()
        if sum(rows) == 0:
            continue
        right = int(np.trace(matrix))
        slow = sum((p for hits, p in enumerate_tables(rows, columns) if hits >= right), Fraction(0))
        assert rational(rook.tail(rook.Rectangles.of_margins(rows, columns), right)) == slow, trial


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


def test_balls_serve_small_boards_too():
    board = rook.Rectangles.of_margins([4] * 3, [4] * 3)
    for right in range(1, 12):
        assert rook._in_balls(board, right).overlaps(arb(rook._in_integers(board, right)))


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
    for extra in (1 - int(board.expected), -200, 0, 37, 150, 600):  # the first is one item right
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


@pytest.mark.parametrize(("classes", "size"), [(2_000, 1), (50, 20), (50, 200), (50, 300), (2_000, 300)])
def test_what_lies_beyond_the_coefficients_is_far_below_the_last_digit(classes, size):
    """λ^m/m! against e^−λ, for λ from 1 to 300: the first term left out against the whole; worst near λ = 200."""
    board = rook.Rectangles.of_margins([size] * classes, [size] * classes)
    m = rook._terms(board, 0) - 1
    assert m < board.most  # something is left out
    first_left_out = m * math.log(board.expected) - math.lgamma(m + 1)
    assert first_left_out < -board.expected - 1.5 * rook.ACCURACY


@pytest.mark.parametrize(
    ("rows", "columns", "right"),
    [([60, 2_940, 0], [60, 0, 2_940], 1)]  # from none right on
    + [([2_500, 200, 0], [2_400, 0, 300], right) for right in (100, 2_200, 2_201, 2_225)],  # at least 2,200 are
)
def test_the_tail_of_one_draw_at_the_least_that_can_be_right(rows, columns, right):
    board = rook.Rectangles.of_margins(rows, columns)
    theirs = stats.hypergeom.sf(right - 1, sum(rows), rows[0], columns[0])
    assert float(rook.tail(board, right).mid()) == pytest.approx(theirs, rel=1e-9)


def test_the_factors_of_all_classes_are_held_at_once():
    """Two thousand classes of many sizes: Σ (c + 1) coefficients, whose terms cancel from e^λ down to e^−λ."""
    sizes = [(100 + i % 40, 100 + i // 40) for i in range(1_000)]
    rows, columns = ([pair[which] for pair in (*sizes, *(pair[::-1] for pair in sizes))] for which in (0, 1))
    board = rook.Rectangles.of_margins(rows, columns)
    coefficients = sum(c + 1 for _, c in set(board.rectangles))
    least = coefficients * 2 * board.expected / math.log(2) / 8
    assert least < rook.predicted_bytes(board, 130) < 4 * least


@pytest.mark.parametrize(("a", "b"), [(3, 7), (20, 5_000), (3_000, 9_000)])
def test_a_product_is_as_much_work_whichever_factor_comes_first(a, b):
    assert rook._work(a, b, 200) == rook._work(b, a, 200)


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
