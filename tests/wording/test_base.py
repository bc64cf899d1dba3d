"""Names in text: what cannot be seen is written out, so that different names never look alike."""

import dataclasses
import unicodedata

import numpy as np
import pytest

import clearwin as cw
from clearwin.errors import DataError
from clearwin.plots import picture_svg, pictures
from clearwin.reports.html import as_html, as_markdown
from clearwin.text import alike, one_line, percent, printable, right_to_left
from tests import one_of_each as results
from tests.hostile import NAMES

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
KINDS = ["comparison", "folds", "leaderboard", "data_sets", "curves", "per_class"]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_different_names_look_different(one, other):
    shown = [" ".join(one_line(name).split()) for name in (one, other)]
    assert shown[0] != shown[1]
    for text in shown:
        assert text.isprintable()
        assert not any(unicodedata.category(c) in ("Cf", "Cc", "Mn", "Zl", "Zp") for c in text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_result_tells_such_names_apart(kind):
    names = ("m\u200b", "m\u202e")
    found = getattr(results, kind)(names)
    texts = [str(found), as_html(found), as_markdown(found).replace("\\\\", "\\")]
    texts.append(picture_svg(pictures(found)[0]))
    for text in texts:
        assert r"m\u200b" in text
        assert r"m\u202e" in text
        assert "\u200b" not in text
        assert "\u202e" not in text


def texts_of(part):
    if isinstance(part, str):
        return [part]
    inside = part if isinstance(part, tuple) else [getattr(part, f.name) for f in dataclasses.fields(part)]
    return [text for piece in inside for text in texts_of(piece)]


@pytest.mark.parametrize("kind", [*KINDS, "against_chance", "unpaired", "study"])
def test_verdicts_and_the_parts_of_a_story_tell_them_apart_too(kind):
    found = getattr(results, kind)(("m\u200b\n1", "m\u202e\n2"))
    texts = texts_of(found.summary())
    assert any(r"m\u200b\n1" in text for text in texts)
    for text in [*texts, *([found.verdict()] if kind != "curves" else [])]:
        assert not set(text) & set("\u200b\u202e\n")
    if kind in ("comparison", "folds", "leaderboard", "per_class", "unpaired"):
        assert not set(found.verdict(margin=0.01)) & set("\u200b\u202e\n")


@pytest.mark.parametrize("name", NAMES)
def test_cleaning_once_is_enough(name):
    """A text is cleaned on several of its ways, and the second time changes nothing."""
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


def test_columns_that_look_alike_are_a_and_b():
    from clearwin.cli.reading import names_of

    assert names_of(("truth", "m", "m ")) == ("A", "B")
    assert names_of(("truth", "m\u200b", "m\u200c")) == ("m\u200b", "m\u200c")


def test_labels_that_nobody_sees_are_written_out():
    truth = np.array(["x\u200b", "x\u200c", "y"] * 10)
    found = cw.compare_by_class(truth, np.roll(truth, 1), truth, rng=1, n_resamples=100)
    assert r"x\u200b" in str(found)
    assert r"x\u200c" in str(found)


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


def test_shares_near_the_ends_in_results():
    found = results.comparison()
    told = str(dataclasses.replace(found, confidence=0.9995))
    assert "better in 99.95% of the bootstrap replicates" in told
    told = str(dataclasses.replace(found, confidence=0.0005))
    assert "better in 0.05% of the bootstrap replicates" in told
    chance = results.against_chance()
    assert "right (99.99 %)" in str(dataclasses.replace(chance, efficiency=0.9999))
    folds = dataclasses.replace(results.folds(), largest_confidence=0.999998)
    assert "holds up to a level of 99.9998%" in str(folds)
    assert "F1 of new" in str(found)
    assert "0.99998 " in str(dataclasses.replace(found, estimate_b=0.99998))
    assert "1.0000" not in str(dataclasses.replace(found, estimate_b=0.99998))
    estimate = dataclasses.replace(results.estimate().interval, level=0.995)
    assert "99.5% interval" in repr(dataclasses.replace(results.estimate(), interval=estimate))
