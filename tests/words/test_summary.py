"""Names in text: what cannot be seen is written out, so that different names never look alike."""

import dataclasses
import json
import unicodedata

import numpy as np
import pytest

import clearwin as cw
from clearwin.errors import setting
from clearwin.plots import picture_svg, pictures
from clearwin.reports.html import as_html, as_markdown
from clearwin.results.caveats import Caveat
from clearwin.words import STYLES
from tests import one_of_each as results
from tests.one_of_each import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_result_tells_such_names_apart(kind):
    names = ("m\u200b", "m\u202e")
    found = getattr(results, kind)(names)
    texts = [str(found), as_html(found, drawn=[]), as_markdown(found).replace("\\\\", "\\")]
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


def test_labels_that_nobody_sees_are_written_out():
    truth = np.array(["x\u200b", "z\u200c", "y"] * 10)
    found = cw.compare_by_class(truth, np.roll(truth, 1), truth, rng=1, n_resamples=100)
    assert r"x\u200b" in str(found)
    assert r"z\u200c" in str(found)


def test_shares_near_the_ends_in_results():
    found = results.comparison()
    assert found.undefined_replicates == 0
    told = str(dataclasses.replace(found, confidence=0.9995))
    assert "scored higher in 99.95 % of resampled test sets" in told
    told = str(dataclasses.replace(found, confidence=0.0005))
    assert "scored higher in 0.05 % of resampled test sets" in told
    chance = results.against_chance()
    assert "right (99.99 %)" in str(dataclasses.replace(chance, efficiency=0.9999))
    assert "F1 of new" in str(found)
    assert "0.99998 " in str(dataclasses.replace(found, estimate_b=0.99998))
    assert "1.0000" not in str(dataclasses.replace(found, estimate_b=0.99998))
    estimate = dataclasses.replace(results.estimate().interval, level=0.995)
    assert "99.5% interval" in repr(dataclasses.replace(results.estimate(), interval=estimate))


@pytest.mark.parametrize("kind", results.MAKERS)
def test_a_caveat_that_could_reverse_the_decision_stands_above_the_verdict_of_every_kind(kind):
    result = results.MAKERS[kind]()
    question = Caveat("wrong_way_round", "Do higher scores mean the other class?", changes="the decision")
    result = dataclasses.replace(result, caveats=(*result.caveats, question))
    headline = result.summary().headline
    for text in (str(result), as_html(result, drawn=[]).partition("<body>")[2], result._repr_html_()):
        assert 0 <= text.index("Warning:") < text.index(question.text) < text.index(headline.split()[0])
        assert text.count(question.text) == 1
    assert as_markdown(result).removeprefix(f"{result.marker}\n\n").startswith(f"> **Warning:** {question.text}")
    for style in ("full", "brief", "paper"):
        assert result.verdict(style=style).startswith(f"Warning: {question.text} ")


UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn"}  # control, format, surrogates, private use, unassigned


def unseen(text):
    return {letter for letter in text if letter != "\n" and unicodedata.category(letter) in UNSEEN}


def all_texts(value):
    """Return every text inside a record, a summary or what JSON has."""
    if isinstance(value, str):
        return [value]
    if dataclasses.is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    return [text for inside in value for text in all_texts(inside)] if isinstance(value, list | tuple) else []


@pytest.mark.parametrize("names", [results.PAIR, ("old\x1b[2J", "new\ue000\u202e")], ids=["plain", "hostile"])
@pytest.mark.parametrize("kind", results.MAKERS)
def test_no_text_of_any_kind_has_letters_that_nobody_sees(kind, names, tmp_path):
    result = results.MAKERS[kind](names=names)
    advice = "Use " + setting("test", "sign") + "."
    result = dataclasses.replace(result, caveats=(*result.caveats, Caveat("guessed", advice, changes="the decision")))
    texts = [result.verdict(style=style) for style in STYLES] + all_texts(result.summary())
    texts += [str(result), result.to_markdown(), result._repr_html_(), result.to_latex()]
    texts += [result.to_html(tmp_path / "report.html").read_text(encoding="utf-8")]
    assert set().union(*map(unseen, texts)) == set()
    assert all('test="sign"' in result.verdict(style=style) for style in STYLES)
    if names == results.PAIR:
        assert set().union(*map(unseen, all_texts(json.loads(result.to_json())))) == set()
        assert 'Use test="sign".' in all_texts(json.loads(result.to_json()))
