"""What every result has: words by the one door, JSON and text in which no name is live, plain signatures."""

import json

import pytest

import clearwin as cw
import clearwin.plots
from clearwin.results.base import Result
from clearwin.words import words_about
from tests.reports.pages import every_kind


def test_every_kind_of_result_has_a_maker(results):
    def kinds(cls):
        return {cls} | {k for sub in cls.__subclasses__() for k in kinds(sub)}

    concrete = {k.__name__ for k in kinds(Result) if k.__module__.startswith("clearwin")}
    assert {type(r).__name__ for r in results.values()} == concrete - {"Result", "MeasureResult"}


@every_kind
def test_every_kind_is_told_by_the_one_door(results, kind):
    r = results[kind]
    assert r.summary() == words_about(r).summary()
    assert str(r) == str(r.summary())
    if not r.has_differences:
        with pytest.raises(
            cw.errors.OptionError, match=f"This {type(r).__name__} has no differences to compare with a margin"
        ):
            r.verdict(margin=0.01)


def test_no_name_is_live_in_text_and_json(hostile_results):
    for _, _, result in hostile_results:
        for character in str(result):
            assert character.isprintable() or character == "\n"
        assert result.to_json().isascii()
        assert json.loads(result.to_json())


def test_signatures_are_plain_words(results):
    for result in results.values():
        found = str(result.signature)
        assert not set("{}[]'") & set(found), found
        assert "None" not in found
