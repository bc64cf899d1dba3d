"""Every kind of result has words of its own, and only they are imported."""

import dataclasses
import subprocess
import sys

import pytest

import clearwin as cw
from clearwin.errors import NotApplicableError
from clearwin.results.base import Result
from clearwin.results.chance import AgainstChance
from clearwin.words import words_about
from clearwin.words.base import HOMES
from tests.reports.pages import every_kind


@every_kind
def test_an_opening_begins_with_its_headline(results, kind):
    words = words_about(results[kind])
    assert words.opening()[0].startswith(words.headline())
    assert words.opening() == results[kind].summary().opening


def test_words_about_one_kind_import_no_other():
    code = """
import sys, clearwin as cw
from clearwin.words.base import HOMES
cw.against_chance([[9, 2], [3, 8]]).verdict()
print(*{home for home in HOMES.values() if f"clearwin.words.{home}" in sys.modules})
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["chance"]


def test_a_kind_of_its_own_has_the_words_of_what_it_extends():
    class Chance(AgainstChance):
        pass

    found = cw.against_chance([[9, 2], [3, 8]])
    values = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    assert Chance(**values).verdict() == found.verdict()


def test_what_is_no_kind_has_no_words():
    class Unheard(Result):
        pass

    with pytest.raises(NotApplicableError, match="no words for a Unheard"):
        words_about(Unheard())


def test_every_kind_has_its_class():
    for kind, home in HOMES.items():
        assert getattr(__import__(f"clearwin.words.{home}", fromlist=["x"]), f"{kind}Words")


@every_kind
def test_every_kind_has_a_sentence_a_line_and_the_software(results, kind):
    result = results[kind]
    paper, brief = result.verdict(style="paper"), result.verdict(style="brief")
    assert f"clearwin {cw.__version__}" in paper
    assert paper != f"{result.summary().verdict} (clearwin {cw.__version__}.)"  # a sentence of its own
    assert "\n" not in paper + brief
    assert brief.endswith(".")
    assert len(brief) < 250
    assert result.verdict(style="full") == result.verdict()
    with pytest.raises(cw.errors.UnknownNameError, match="There is no style named 'papr'"):
        result.verdict(style="papr")


@every_kind
def test_every_kind_has_two_or_three_lines(results, kind):
    found = results[kind].summary().limits
    assert 2 <= len(found) <= 3
    assert len(set(found)) == len(found)
    assert all(line.endswith(".") for line in found)
