"""How many items does a random classifier with given margins get right? Its exact tail, by rook polynomials.

Under random assignment the number X of right items is the number of hits of a random permutation on a board of
diagonal rectangles, r_i × c_i for class i. The board's rook polynomial is the product over classes of
Σ_j C(r_i, j) C(c_i, j) j! x^j. With ρ_j its coefficients, inclusion and exclusion gives

    P(X ≥ t) = Σ_{j ≥ t} (−1)^{j−t} C(j−1, t−1) ρ_j (N−j)!/N!

nyssen1998 enumerates tables instead, which takes 11,809,690 terms for 25 items in 5 classes. Here the work is a few
products of polynomials: in integers while they are small, in balls (numbers with certified error bounds) beyond.
Cutting the alternating sum at any term errs by less than the first term left out (Bonferroni); that goes into the ball.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flint import arb, fmpq


# up to here integers are as quick as balls, and the result is a rational number
MOST_IN_INTEGERS = 2_000
ACCURACY = 50  # bits of the result that must be certain: 15 digits
# measured on tables of 2 to 2,000 classes, diagonal, balanced, skewed and random: right within a factor 2 from 0.3 s on
SECONDS_PER_BIT = 2.8e-9  # of products of polynomials
SECONDS_PER_CUBE = 1.5e-11  # of the whole sum in integers, by N³
SECONDS_PER_TERM = 3e-6  # of a hypergeometric sum
COPIES = 22  # of the largest product, that flint holds while it multiplies


@dataclass(frozen=True)
class Rectangles:
    """Rectangles r × c, one for each class that is both present and predicted, among n items."""

    n: int
    rectangles: tuple[tuple[int, int], ...]

    @classmethod
    def of_margins(cls, rows: list[int], columns: list[int]) -> Rectangles:
        """Build from how often each class is true and how often it is predicted."""
        pairs = zip(rows, columns, strict=True)
        return cls(sum(rows), tuple(sorted((max(r, c), min(r, c)) for r, c in pairs if r * c > 0)))

    @property
    def expected(self) -> float:
        """λ, the expected number of right items."""
        return sum(r * c for r, c in self.rectangles) / self.n

    @property
    def most(self) -> int:
        """No arrangement has more right items, and no term of the sum goes further."""
        return sum(c for _, c in self.rectangles)

    @property
    def is_two_by_two(self) -> bool:
        """Two rectangles that use up the margins: the usual table of two classes."""
        return len(self.rectangles) == 2 and sum(map(sum, self.rectangles)) == 2 * self.n

    @property
    def is_one_draw(self) -> bool:
        """One cell settles how many are right, and it is hypergeometric."""
        return len(self.rectangles) == 1 or self.is_two_by_two


def tail(board: Rectangles, right: int) -> fmpq | arb:
    """Return P(X ≥ right): a rational number, or a ball that contains it."""
    from flint import fmpq

    if _is_settled(board, right):
        return fmpq(1 if right <= 0 else 0)
    if board.n <= MOST_IN_INTEGERS:
        return _in_integers(board, right)
    return _of_one_draw(board, right) if board.is_one_draw else _in_balls(board, right)


def predicted_seconds(board: Rectangles, right: int) -> float:
    """Say about how long ``tail`` will take."""
    if _is_settled(board, right):
        return 0.0
    if board.n <= MOST_IN_INTEGERS:
        return SECONDS_PER_CUBE * board.n**3
    if board.is_one_draw:
        return SECONDS_PER_TERM * _hypergeometric_terms(board, right)
    bits = _bits(board)
    return SECONDS_PER_BIT * sum(_work(a, b, bits) for a, b in _products(board, _terms(board, right)))


def predicted_bytes(board: Rectangles, right: int) -> float:
    """Say about how much memory ``tail`` will take."""
    if _is_settled(board, right) or board.n <= MOST_IN_INTEGERS or board.is_one_draw:
        return 0.0
    length, bits = _terms(board, right), _bits(board)
    factors = sum(min(c + 1, length) for _, c in set(board.rectangles))
    return (COPIES * length * (bits + 0.3 * min(length, 3 * bits + 512)) + factors * bits) / 8


def _is_settled(board: Rectangles, right: int) -> bool:
    return right <= 0 or right > board.most


def _work(a: int, b: int, bits: int) -> float:
    """Return how many bits flint handles when it multiplies polynomials with that many coefficients.

    Coefficients that differ too much in size go into blocks of their own, and each block meets each of the other's.
    """
    tall = 3 * bits + 512
    return (max(1.0, a / tall) * b + max(1.0, b / tall) * a) * (_width(a, bits) + _width(b, bits))


def _width(coefficients: int, bits: int) -> int:
    """Return how wide the numbers of a block are; sizes change by about a bit from each coefficient to the next."""
    return bits + min(coefficients, 3 * bits + 512)


def _products(board: Rectangles, length: int) -> Iterator[tuple[int, int]]:
    """Yield how many coefficients the two factors of each product have, following the steps of ``_sum_of_balls``."""
    sizes = []
    for (_, c), times in Counter(board.rectangles).items():
        size, made = min(c + 1, length), 0
        while times:
            if times & 1:
                if made:
                    yield made, size
                made = min(made + size, length)
            times >>= 1
            if times:
                yield size, size
                size = min(2 * size, length)
        sizes.append(made)
    while len(sizes) > 1:
        sizes.sort(reverse=True)
        a, b = sizes.pop(), sizes.pop()
        yield a, b
        sizes.append(min(a + b, length))


def _hypergeometric_terms(board: Rectangles, right: int) -> float:
    """Return about how many terms matter: they fall like a normal density, from where the sum starts."""
    r, c = board.rectangles[0]
    n = board.n
    deviation = math.sqrt(r / n * c * ((n - r) / n) * ((n - c) / n)) + 1.0
    from_the_middle = abs(_least(board, right) - r * c / n) / deviation
    fall = 4.0 * ACCURACY * math.log(2.0)
    return deviation * (math.sqrt(from_the_middle**2 + fall) - from_the_middle) + 1.0


def _in_integers(board: Rectangles, right: int) -> fmpq:
    from flint import fmpq, fmpz, fmpz_poly

    rook = fmpz_poly([1])
    for (r, c), times in Counter(board.rectangles).items():
        rook *= fmpz_poly(list(_factor(fmpz(1), r, c, c + 1))) ** times
    total, choose, factorial = fmpz(0), fmpz(1), fmpz(math.factorial(board.n - right))
    for j in range(right, board.most + 1):
        term = choose * rook[j] * factorial
        total = total - term if (j - right) % 2 else total + term
        choose = choose * j // (j - right + 1)
        factorial //= max(board.n - j, 1)
    return fmpq(total, fmpz(math.factorial(board.n)))


def _factor(one: Any, r: int, c: int, length: int) -> Iterator[Any]:
    """Yield C(r, j) C(c, j) j! for j = 0, 1, …, in the arithmetic of ``one``."""
    coefficient = one
    for j in range(min(c + 1, length)):
        yield coefficient
        numerator = coefficient * ((r - j) * (c - j))
        coefficient = numerator // (j + 1) if hasattr(one, "bit_length") else numerator / (j + 1)


def _terms(board: Rectangles, right: int) -> int:
    """Return how many coefficients are needed: beyond them λ^m/m! is under e^−λ by more than the accuracy asked for."""
    return min(board.most, right + math.ceil(3.6 * board.expected + 60.0)) + 1


def _bits(board: Rectangles) -> int:
    """Return the precision: the terms reach e^λ times the first and cancel to e^−λ of it."""
    return math.ceil(2.0 * board.expected / math.log(2.0)) + 2 * ACCURACY + 64


def _in_balls(board: Rectangles, right: int) -> arb:
    bits, length = _bits(board), _terms(board, right)
    while True:
        ball = _sum_of_balls(board, right, bits, length)
        if ball.rel_accuracy_bits() >= ACCURACY:
            return ball
        # the plan holds for every table tried; should one break it, take more of both
        bits, length = bits * 3 // 2, min(length * 3 // 2, board.most + 1)


def _sum_of_balls(board: Rectangles, right: int, bits: int, length: int) -> arb:
    from flint import arb, arb_series

    with _precision(bits, length):
        factors = []
        for (r, c), times in Counter(board.rectangles).items():
            factors.append(_power(arb_series(list(_factor(arb(1), r, c, length))), times))
        while len(factors) > 1:  # the shortest two first
            factors.sort(key=lambda series: -series.length())
            factors.append(factors.pop() * factors.pop())
        rook = factors[0].coeffs()
        weight = 1 / arb(math.perm(board.n, right))
        total = arb(0)
        for j in range(right, length):
            term = weight * rook[j]
            if j == length - 1 < board.most:
                # Bonferroni: what is left out is smaller than its first term, this one
                return total + arb(0, term.abs_upper())
            total = total - term if (j - right) % 2 else total + term
            weight = weight * j / ((j - right + 1) * max(board.n - j, 1))
        return total


def _of_one_draw(board: Rectangles, right: int) -> arb:
    """Return the tail of the hypergeometric cell that settles a table of two classes (Fisher's exact test)."""
    r, c = board.rectangles[0]
    least = _least(board, right)
    if least <= r * c / board.n:
        return 1 - _hypergeometric_sum(board.n, r, c, least - 1, -1)
    return _hypergeometric_sum(board.n, r, c, least, +1)


def _least(board: Rectangles, right: int) -> int:
    """Return n11 of the first class; with two classes the second gets n − r − c + n11 right."""
    r, c = board.rectangles[0]
    return -((board.n - r - c - right) // 2) if board.is_two_by_two else right


def _hypergeometric_sum(n: int, r: int, c: int, start: int, step: int) -> arb:
    """Return P(start) + P(start ± 1) + … of n11, whose terms fall faster than any geometric series."""
    from flint import arb

    def log_choose(n: int, k: int) -> arb:
        return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()

    with _precision(4 * ACCURACY + n.bit_length(), 1):
        if start < max(0, r + c - n):  # above c it never is: more right items than there can be are settled before
            return arb(0)
        term = (log_choose(r, start) + log_choose(n - r, c - start) - log_choose(n, c)).exp()
        total, x = arb(0), start
        while True:
            total += term
            ratio = (
                ((r - x) * (c - x), (x + 1) * (n - r - c + x + 1))
                if step > 0
                else (x * (n - r - c + x), (r - x + 1) * (c - x + 1))
            )
            term = term * ratio[0] / ratio[1]
            x += step
            if ratio[0] < ratio[1]:
                # the ratios fall, so what is left out is less than a geometric series
                left_out = term * ratio[1] / (ratio[1] - ratio[0])
                if left_out < total.mid() * arb(2) ** (-2 * ACCURACY):
                    return total + arb(0, left_out.abs_upper())


def _power(series: Any, times: int) -> Any:
    """Return the power by squaring; truncated products are what keeps it cheap."""
    result = None
    while times:
        if times & 1:
            result = series if result is None else result * series
        times >>= 1
        if times:
            series = series * series
    return result


@contextmanager
def _precision(bits: int, length: int) -> Iterator[None]:
    """Set flint's precision and series length, which are global, and put them back."""
    from flint import ctx

    before = ctx.prec, ctx.cap
    ctx.prec, ctx.cap = bits, length
    try:
        yield
    finally:
        ctx.prec, ctx.cap = before
