"""Streams give the same numbers with every numpy, and what is made of them has the right distribution."""

import ast
import hashlib
import itertools
import json
import re

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.streams import (
    FEW_EACH,
    FEW_SHUFFLED,
    STREAMS,
    Purpose,
    Seed,
    Stream,
    hypergeometric,
    multinomial,
    shuffled,
)
from tests.tables import ORDINARY
from tests.test_layers import FILES, ROOT

N = np.arange(1, 5_000)
Y, GROUPS = np.repeat([0, 1], 40), np.arange(80) // 2
SCORES = np.random.RandomState(2).normal(size=(2, 80)) + Y
DATA = {"decisions": (Y, *(SCORES > 0.5) * 1), "scores": (Y, *SCORES), "values": (None, *SCORES)}
# the same with numpy 2.0.2, 2.2.6, 2.4.6, 2.5.0 and 2.5.4. If one fails with a newer numpy, then that has broken its
# promise (NEP 19): do not change the value, draw in another way and raise STREAMS
DRAWS = {
    "random": (lambda s: s.random(5_000), "9152520c45f3befb"),
    "randint": (lambda s: s.randint(0, 1_000_003, size=5_000, dtype=np.int64), "246773ce430ffc8a"),
    "randint of 64 bits": (lambda s: s.randint(0, 2**64, size=5_000, dtype=np.uint64), "8792689643d95208"),
    "binomial": (lambda s: s.binomial(300, 0.5, size=5_000), "aaeadfe502cfd6d6"),
    "binomial of arrays": (lambda s: s.binomial(N, (N % 97 / 97)), "f5ce93b405e338a4"),
    "binomial of 10¹²": (lambda s: s.binomial(N * 10**12, 0.3), "bb38d17412522c0f"),
    "standard_gamma": (lambda s: s.standard_gamma(N / 7), "00ea7dfbb99de7c7"),
    "standard_exponential": (lambda s: s.standard_exponential(5_000), "869c01e41d4f1eaa"),
    "hypergeometric": (lambda s: s.hypergeometric(N, N[::-1], 1 + N // 2), "996aed74c1ddaefd"),
    "hypergeometric, none or most": (lambda s: hypergeometric(s, N, N[::-1], N % 4 * 1_250), "7b676a7a1958d3c7"),
    "permutation": (lambda s: s.permutation(5_000), "3a963e35ac137069"),
    "bytes": (lambda s: np.frombuffer(s.bytes(16), dtype=np.uint8), "f831fd6a52ecd286"),
    "multinomial": (lambda s: multinomial(s, 3_000, np.arange(11), 500), "2a0ae9487ed5cfda"),
    "multinomial, one by one": (lambda s: multinomial(s, 30, np.arange(11), 500), "e4a291736b8694d6"),
    "shuffled": (lambda s: shuffled(s, np.arange(20), 500), "e16b5388049711eb"),
    "shuffled, many": (lambda s: shuffled(s, np.arange(FEW_SHUFFLED + 1), 5), "530801d78afdb238"),
}


def fingerprint(drawn):
    """Floats to nine digits: the mathematical functions of another C library may differ in the last bit."""
    kind = {"f": "<f8", "i": "<i8", "u": "<u8"}[drawn.dtype.kind]
    digits = np.round(drawn, 9) if kind == "<f8" else drawn
    return hashlib.sha256(digits.astype(kind).tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_seed_gives_the_same_numbers_with_every_numpy(name):
    draw, expected = DRAWS[name]
    assert fingerprint(draw(Seed(7, (3,)).stream(1, 2))) == expected


ANSWERS = {
    "items": ("decisions", {"test": "bootstrap"}, "e380bbb0ead4462f"),
    "groups": ("decisions", {"test": "bootstrap", "measure": "macro_f1", "groups": GROUPS}, "18d9fa6a65c5102a"),
    "rankings": ("scores", {"test": "bootstrap", "measure": "auc"}, "4aa467a3ae4f8edb"),
    "values": ("values", {"test": "bootstrap", "measure": "mean"}, "3c51bcccaabd3801"),
    "items swapped": (
        "decisions",
        {"test": "permutation", "method": "monte_carlo", "measure": "accuracy"},
        "fa7ea7ba2c69478f",
    ),
    "groups swapped": (
        "decisions",
        {"test": "permutation", "method": "monte_carlo", "groups": GROUPS},
        "8efec12f1945b031",
    ),
    "ranks swapped": ("scores", {"test": "permutation", "measure": "auc"}, "e00f971342da89af"),
    "values flipped": ("values", {"test": "permutation", "measure": "mean"}, "398133e8a6d47a29"),
    "few kinds of item without a difference": ("decisions", {"test": "studentised"}, "c5be6e3863eaccb6"),
    "many values without a difference": ("values", {"test": "studentised", "measure": "mean"}, "5c32edde0d33aa08"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_same_seed_gives_the_same_answer_until_the_streams_are_others(name):
    """If one is another on purpose, raise STREAMS and write the new value down."""
    kind, how, expected = ANSWERS[name]
    drawn = cw.compare(*DATA[kind], n_resamples=2_100, rng=7, **how).distribution
    assert fingerprint(drawn.values) == expected


def test_a_generator_is_read_by_its_bits():
    assert str(Seed.of(np.random.default_rng(1))) == "323426036258213350132837265928416847103"


def test_every_kind_of_seed_is_read():
    assert Seed.of(7) == Seed.of(np.int64(7)) == Seed.of(np.random.SeedSequence(7))
    assert Seed.of("random") != Seed.of("random")
    generator = np.random.default_rng(1)
    first, second = Seed.of(generator), Seed.of(generator)
    assert first != second  # a generator moves on, as SPEC 7 expects
    assert first == Seed.of(np.random.default_rng(1)) == Seed.of(np.random.PCG64(1))


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", True, [1, 2]])
def test_a_bad_seed_is_explained(bad):
    with pytest.raises(cw.errors.OptionError, match="rng is"):
        Seed.of(bad)


def test_a_seed_that_was_not_given_can_be_typed():
    """It comes from the data (SHA-256, as the standard library has it) or, if that is asked for, from the system."""
    drawn = {Seed.of("random") for _ in range(20)}
    assert len(drawn) > 15
    assert all(0 <= int(str(seed)) < 2**32 for seed in drawn)
    digest = hashlib.sha256(b"abc").hexdigest()[:8]
    assert Seed.of(None).by_data("abc") == Seed.of(int.from_bytes(bytes.fromhex(digest), "little"))
    assert Seed.of(7).by_data("abc") == Seed.of(7)


def test_no_number_has_two_owners():
    """Each purpose is drawn for in one module only, and nothing is drawn without one."""
    owners = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Purpose":
                owners.setdefault(node.attr, set()).add(path)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "run_blocks":
                assert re.fullmatch(r"Purpose\.\w+|purpose", ast.unparse(node.args[3])), path
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "stream" and node.args:
                assert re.fullmatch(r"Purpose\.\w+|purpose", ast.unparse(node.args[0])), path
    assert owners.keys() == Purpose.__members__.keys()
    assert not {purpose for purpose, files in owners.items() if len(files) > 1}
    assert len({int(purpose) for purpose in Purpose}) == len(owners)


def test_nothing_is_drawn_from_what_numpy_may_change():
    """Generators are read as seeds only; of RandomState itself, multinomial is not frozen and permuted not there."""
    allowed = {"streams.py": {"RandomState", "SeedSequence", "PCG64", "BitGenerator", "Generator"}}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Attribute):
                continue
            of_random = isinstance(node.value, ast.Attribute) and ast.unparse(node.value) in (
                "np.random",
                "numpy.random",
            )
            if of_random:
                assert node.attr in allowed.get(path.name, {"SeedSequence"}), f"{path.relative_to(ROOT)}: {node.attr}"
            drawing = node.attr in ("multinomial", "permuted", "integers", "default_rng")
            assert not drawing or ast.unparse(node.value) != "stream", f"{path.relative_to(ROOT)}: {node.attr}"


def test_results_and_studies_say_which_streams_they_were_drawn_from():
    r = cw.compare(ORDINARY, test="bootstrap", n_resamples=99, rng=1)
    assert json.loads(r.to_json())["signature"]["streams"] == r.signature.streams == STREAMS
    assert str(r.signature).endswith(f"|streams:{STREAMS}")
    truth = np.arange(200) % 2
    s = cw.study(truth, truth, 1 - truth, measure="accuracy", test_size=20, sizes=[20], n_sets=2, n_resamples=9, rng=1)
    assert json.loads(s.to_json())["signature"]["streams"] == STREAMS
    assert f"streams:{STREAMS}" in str(s.signature)


@pytest.mark.parametrize(
    ("n", "weights"),
    [
        (6, [1, 2, 3]),
        (FEW_EACH * 3, [1, 2, 3]),
        (FEW_EACH * 3 + 1, [1, 2, 3]),
        (60, [1, 0, 30, 7, 2]),
        (400, [3, 5, 9, 1, 1, 1, 1, 1, 80]),
        (50, [10**15, 3 * 10**15]),
        (9, [4]),
    ],
)
def test_multinomials_against_scipy(n, weights):
    """χ² of every count against its binomial, p < 1e-4 seldom; and covariances within 5 standard errors."""
    weights, size = np.array(weights), 20_000
    drawn = multinomial(Stream(np.random.PCG64(5)), n, weights, size)
    assert drawn.shape == (weights.size, size)
    assert (drawn.sum(axis=0) == n).all()
    shares = weights / weights.sum()
    assert (drawn[weights == 0] == 0).all()
    for counts, share in zip(drawn, shares, strict=True):
        if 0 < share < 1:
            expected = size * stats.binom.pmf(np.arange(n + 1), n, share)
            often = expected > 5
            seen = np.bincount(counts, minlength=n + 1)
            pairs = np.array([[*seen[often], seen[~often].sum()], [*expected[often], expected[~often].sum()]])
            pairs = pairs[:, pairs[1] > 1e-9]
            assert stats.chisquare(*pairs).pvalue > 1e-4
    true = stats.multinomial(n, shares).cov()
    error = np.sqrt((np.outer(np.diag(true), np.diag(true)) + true**2) / size)
    assert (np.abs(np.cov(drawn) - true) <= 5 * error + 1e-12).all()


@pytest.mark.parametrize(("good", "bad", "sample"), [(30, 70, 20), (30, 70, 90), (300, 20, 200), (5, 0, 3), (4, 4, 8)])
def test_hypergeometrics_against_scipy(good, bad, sample):
    size = 20_000
    stream, given = Stream(np.random.PCG64(8)), (np.full(size, x) for x in (good, bad, sample))
    seen = np.bincount(hypergeometric(stream, *given), minlength=sample + 1)
    expected = size * stats.hypergeom.pmf(np.arange(sample + 1), good + bad, good, sample)
    assert (seen[expected < 1e-9] == 0).all()
    often = expected > 5
    if often.sum() > 1:
        assert stats.chisquare(seen[often], expected[often] * seen[often].sum() / expected[often].sum()).pvalue > 1e-4
    none = np.zeros(3, dtype=np.int64)
    assert hypergeometric(stream, none + good, none + bad, none).tolist() == [0, 0, 0]


def test_every_order_is_as_likely():
    stream = Stream(np.random.PCG64(6))
    orders = list(itertools.permutations(range(4)))
    rows, counts = np.unique(shuffled(stream, np.arange(4), 24_000), axis=0, return_counts=True)
    assert sorted(map(tuple, rows.tolist())) == orders
    assert stats.chisquare(counts).pvalue > 1e-4
    each = shuffled(stream, np.array([[1, 2, 3], [4, 4, 5]]), 1_000)
    assert each.shape == (1_000, 2, 3)
    assert (np.sort(each, axis=2) == [[1, 2, 3], [4, 4, 5]]).all()
    firsts = each[:, 0, 0] * 10 + each[:, 1, 0]  # the two rows are shuffled apart from each other
    assert set(np.unique(firsts)) == {14, 15, 24, 25, 34, 35}
    many = np.arange(FEW_SHUFFLED + 1)
    found = shuffled(stream, many, 3)
    assert (np.sort(found, axis=1) == many).all()
    assert (found[0] != found[1]).any()
