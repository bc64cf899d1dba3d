"""Names and numbers as text: what cannot be seen is written out, nothing is rounded to nothing."""

import unicodedata

import pytest

from clearwin.errors import DataError
from clearwin.text import alike, one_line, percent, printable, right_to_left
from tests import one_of_each as results
from tests.hostile import NAMES
from tests.one_of_each import KINDS

# pairs that differ in what nobody sees
PAIRS = [
    ("m\u200b", "m\u200c"),
    ("m", "m\u200b"),
    ("a\u202eb", "a\u202db"),
    ("m\ufe0e", "m\ufe0f"),
    ("m", "m\u034f"),
    ("m\u3164", "m\uffa0"),
    ("m\n1", "m 1"),
    ("m\u20281", "m 1"),
    ("m\xa01", "m 1"),
    ("m\x1b", "m\x07"),
    ("m\U000e0100", "m\U000e0101"),
    ("m\ud800", "m\udc80"),
    ("m\xad", "m"),
    ("m\u2800", "m"),
    ("m\t1", "m 1"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_different_names_look_different(one, other):
    shown = [" ".join(one_line(name).split()) for name in (one, other)]
    assert shown[0] != shown[1]
    for text in shown:
        assert text.isprintable()
        assert not any(unicodedata.category(c) in ("Cf", "Cc", "Mn", "Zl", "Zp") for c in text)


def test_cleaning_once_is_enough():
    """A text is cleaned on several of its ways, and the second time changes nothing."""
    for name in NAMES:
        assert printable(printable(name)) == printable(name)
        assert one_line(printable(name)) == one_line(one_line(name)) == one_line(name)
        assert "".join(piece for _, piece in right_to_left(one_line(name))) == one_line(name)


ALIKE = [("m", "m "), ("m  1", "m 1"), ("m\u200b", r"m\u200b"), ("m\n", r"m\n"), ("caf\u00e9", "cafe\u0301")]


@pytest.mark.parametrize("names", ALIKE)
@pytest.mark.parametrize("kind", KINDS)
def test_names_that_still_look_alike_are_refused(kind, names):
    with pytest.raises(DataError, match="look alike when printed"):
        getattr(results, kind)(names)


def test_the_first_two_that_look_alike():
    assert alike(["a", "b", "b ", "a "]) == ("b", "b ")
    assert alike(["a", "b", "c"]) is None


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_no_share_is_rounded_to_nothing_or_all(decimals):
    shares = [10.0**-k for k in range(1, 13)] + [1.0 - 10.0**-k for k in range(1, 13)]
    shares += [0.0005, 0.9995, 0.00049, 0.99951, 0.004, 0.9949999, 0.09999999, 0.99000000001]
    for share in shares:
        text = percent(share, decimals)
        assert 0.0 < float(text) < 100.0, text
        rest = 100.0 * min(share, 1.0 - share)
        wrong = abs(float(text) - 100.0 * share)
        assert wrong <= 0.5000001 * max(10.0**-decimals, 0.0) if rest >= 10.0**-decimals else wrong <= 0.051 * rest
    assert float(percent(0.0, decimals)) == 0.0
    assert float(percent(1.0, decimals)) == 100.0
