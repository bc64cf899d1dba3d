"""The same question about the same data has the same answer, whichever door it comes in by."""

from __future__ import annotations

import re

import pytest

import doors
from clearwin.errors import ClearwinError
from doors import DoorQuestion, questions

FRAMES = ("relation", "polars")
# what differs between the command and a frame: a pattern of "door question", and why
DIFFERENT = {
    r"\w+ compare decisions id": "id joins files, and join_frames joins frames",
    r"\w+ (chance|folds|data sets)": "these verbs take arrays",
    r"\w+ gate.*": "only the command makes the digest of the test set",
    r"polars compare decisions by numbers": "a caveat quotes the class 1, which is a text in a file",
    r"relation .* bins( drop)?": "an engine cannot count texts in bins",
    r"relation .*(columns|texts).*": "in a frame an empty text is missing, and texts are not 0 and 1",
}


def why_different(door: str, question: DoorQuestion) -> str | None:
    """Return why this answer is another than the command's, if it is."""
    return next((why for known, why in DIFFERENT.items() if re.fullmatch(known, f"{door} {question.name}")), None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doors")
    doors.write_files(folder)
    return folder


@pytest.fixture(scope="module")
def frames(folder):
    return {table: doors.frames_of(folder, table) for table in doors.tables()}


@pytest.fixture(scope="module")
def by_command(folder):
    """Ask the command, each question once; about narrow floats, which only Parquet has, where a door keeps them."""
    known = {}

    def ask(question, door="relation"):
        file = f"{question.table}.{'parquet' if 'narrow' in question.name and door == 'polars' else 'csv'}"
        if (question.name, file) not in known:
            known[question.name, file] = doors.command(*question.words(folder / file))
        return known[question.name, file]

    return ask


ASKED = [
    pytest.param(
        question,
        door,
        id=f"{door} {question.name}",
        marks=[pytest.mark.xfail(strict=True, reason=why)] if (why := why_different(door, question)) else [],
    )
    for question in questions()
    for door in FRAMES
    if not question.name.startswith("refused")
]


@pytest.mark.parametrize(("question", "door"), ASKED)
def test_a_frame_is_answered_as_a_file_is(question, door, by_command, frames):
    assert doors.asked_of(question, frames[question.table][door]) == by_command(question, door)


@pytest.mark.parametrize(
    "question", [one for one in questions() if one.name.startswith("refused")], ids=lambda q: q.name
)
def test_every_door_refuses_the_same(question, by_command, frames):
    with pytest.raises(RuntimeError, match="error: "):
        by_command(question)
    for frame in frames[question.table].values():
        with pytest.raises(ClearwinError):
            doors.asked_of(question, frame)
