"""Inputs that were wrong once stay right, new ones are tried, and the fuzzer finds what is planted."""

from __future__ import annotations

import os
import random

import pytest

from clearwin.data.files.predictions import FileTally
from proof import fuzz, oracles
from proof.fuzz import TARGETS, case_of, corpus, gist, judged, keep, smaller
from proof.inputs import Case, make_case
from proof.oracles import accepted, close_page, problem

PLAIN = Case(
    "csv", {"p.csv": b"id,truth,a,b\n" + b"".join(b"%d,x,x,y\n" % i for i in range(9))}, about={"delimiter": ","}
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    close_page()


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in corpus()])
def test_what_was_wrong_once_is_right(case):
    assert judged(case) == ""


def test_new_inputs_are_read_or_refused_in_words():
    """A few seconds of what `make fuzz` does for as long as it is given, where the command and the page are rare."""
    found = {number: judged(case_of(2026, number)) for number in range(300)}
    for target in ("command", "page"):
        found |= {(target, i): judged(case_of(2026, i, (target,))) for i in range(12)}
    assert {number: text for number, text in found.items() if text} == {}


@pytest.mark.parametrize("target", ["csv", "jsonl", "arrow", "matrix", "logs", "command", "calls"])
def test_many_inputs_are_read_and_not_refused(target):
    """A fuzzer all of whose inputs are refused would show nothing; of these, 5 to 16 of 24 are read."""
    cases = [make_case(target, random.Random(f"{target} {i}")) for i in range(24)]
    assert sum(map(accepted, cases)) >= 4


def test_the_same_number_gives_the_same_input():
    assert all(case_of(3, number) == case_of(3, number) for number in range(40))
    assert {case_of(3, number).target for number in range(300)} >= set(TARGETS) - {"page", "command"}
    assert {case_of(3, number, ("page", "command")).target for number in range(40)} == {"page", "command"}


def test_a_child_that_dies_or_hangs_is_a_finding_and_the_others_go_on(monkeypatch):
    """Numbers 0 to 5 for two children: one ends at 2 and is begun anew for 4, the other works on 3 without end."""
    monkeypatch.setattr(fuzz, "_work", dies_or_tells)
    monkeypatch.setattr(fuzz, "PATIENCE", 5.0)
    tally = fuzz.fuzz(1, 600.0, 6, ("counts",), workers=2)
    assert dict(tally.findings) == {
        2: "the process dies with 7, or hangs",
        3: "the process dies with -9, or hangs",
    }
    assert tally.tried == {"counts": 4}
    assert tally.work == 2.0


def dies_or_tells(numbers, told, seed, targets, until):
    for number in numbers:
        told.send((number, None, None))
        if number == 2:
            os._exit(7)
        while number == 3:
            pass
        told.send((number, "counts", ""))
    told.send((-1, 1, 1.0))


def test_lost_rows_other_labels_and_tracebacks_are_found(monkeypatch):
    assert problem(PLAIN) == ""
    for counts, words in (
        ({("x", "x", "y"): 8}, "wrong: 8 rows of labels, and there are 9"),
        ({("x", "x", "Y"): 9}, "wrong: labels: "),
    ):
        monkeypatch.setattr(oracles, "tally_file", lambda *_, found=counts: FileTally(found, ("t", "a", "b")))
        assert problem(PLAIN).startswith(words)

    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr(oracles, "tally_file", broken)
    assert problem(PLAIN).startswith("KeyError in outside")


@pytest.mark.parametrize("door", ["labels", "items", "scores", "columns"])
def test_each_thing_that_is_asked_of_a_file_is_compared(monkeypatch, door):
    """Every name that reads is broken in turn: only what is asked by that door can notice."""
    text = b"id,truth,a,b,score_a,score_b\n" + b"".join(b"%d,x,x,y,0.5,1\n" % i for i in range(9))
    case = Case("csv", {"p.csv": text}, about={"delimiter": ",", "door": door})
    assert problem(case) == ""
    readers = {"labels": "tally_file", "items": "disagreements_file", "scores": "scores_file", "columns": "look"}
    for other, name in readers.items():
        with monkeypatch.context() as patched:
            patched.setattr(oracles, name, lambda *_, **__: 1 / 0)
            assert bool(problem(case)) == (other == door)


def test_a_finding_is_made_small_and_kept_once(tmp_path):
    def wrong(case):
        return "wrong: 7 rows" if b"7,x" in case.files["p.csv"] else ""

    small = smaller(PLAIN, wrong)
    assert b"7,x" in small.files["p.csv"]
    assert len(small.files["p.csv"]) < 20
    assert keep(small, "wrong", tmp_path) == keep(small, "wrong", tmp_path)
    [(name, again)] = corpus(tmp_path)
    assert again == small
    assert name.startswith("csv-")
    assert gist("wrong: 7 rows") == gist("wrong: 8 rows")
