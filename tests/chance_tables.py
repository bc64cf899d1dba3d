"""Confusion matrices with given margins, and the published ones."""

import tomllib
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from flint import fmpq

from clearwin.significance.chance import (
    Margins,
)

REFERENCE = tomllib.loads((Path(__file__).parent / "reference" / "chance.toml").read_text())
ULCER = [[9, 7, 3], [15, 17, 13], [3, 7, 28]]


def with_margins(k, each, right):
    return Margins((each,) * k, (each,) * k, right)


def rational(p):
    assert isinstance(p, fmpq)
    return Fraction(int(p.p), int(p.q))


@cache
def random_margins(seed, k, n):
    rng = np.random.default_rng(seed)
    rows = rng.multinomial(n, rng.dirichlet(np.full(k, 2.0)))
    columns = rng.multinomial(n, rng.dirichlet(np.full(k, 2.0)))
    return rows.tolist(), columns.tolist()
