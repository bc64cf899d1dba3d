"""Refusals: in the words of the command, in three parts, with the field that they are about."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from clearwin.cli import main
from clearwin.web.settings import arguments
from tests.web.asking import EIGHTS, asking, form, until, words_of


def test_the_same_words_as_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("y,a,b\n1,0\n")
    cases = [
        ({"truth": "y", "a": "a", "b": "b"}, b"y,a,b\n1,0\n"),
        ({"truth": "z", "a": "a", "b": "b"}, b"y,a,b\n1,0,1\n"),
        ({"truth": "y", "a": "a", "b": "b", "confidence_level": "2"}, b"y,a,b\n1,0,1\n"),
    ]

    async def work(client, _):
        asked = (client.post("/api/compare", files=[("files", ("p.csv", d)), *form(s)]) for s, d in cases)
        return await asyncio.gather(*asked)

    for (settings, data), answer in zip(cases, asking(work, in_process=True), strict=True):
        words_of(answer, 422)
        Path("p.csv").write_bytes(data)
        said = CliRunner().invoke(main, ["compare", *arguments(["p.csv"], settings)]).stderr
        for part in ("what", "expected", "next"):
            assert answer.json()["error"][part].replace("\n", "") in said.replace("\n", "")


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"files": form({"example": "fives"})}, 422, "eights"),
        ({"files": form({"example": "eights", "positiv": "eight"})}, 422, "'positive'"),
        ({"files": form({"truth": "y"})}, 422, "no file"),
        ({"files": [("files", ("setup.py", b"raise SystemExit"))]}, 422, "does not name a format"),
        ({"files": [("file", ("p.csv", b"y"))]}, 422, "files"),
        ({"files": [("files", ("p.csv", b"y"))] * 4}, 422, "at most 3 files"),
        ({"files": [*form({"seed": "1"}), *form({"seed": "2"})]}, 422, "twice"),
        ({"content": b"y", "headers": {"content-type": "text/plain"}}, 422, "multipart/form-data"),
        ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, 422, "boundary"),
        (
            {"content": b"--x--", "headers": {"content-type": "multipart/form-data; boundary=x; charset=undefined"}},
            422,
            "UTF-8",
        ),
        (
            {"content": b"--x--", "headers": {"content-type": "multipart/form-data; boundary=x; charset=idna"}},
            422,
            "UTF-8",
        ),
        ({"json": {"columns": {"a": [1], "b": [1, 2]}}}, 422, "lengths"),
        ({"json": [1]}, 422, "not a JSON object"),
        ({"json": {"columns": {"truth": [1]}, "measure": ["f1"]}}, 422, "a text, a number"),
        ({"files": form({**EIGHTS, "example": "eights", "per_class": "maybe"})}, 422, "per_class is 'maybe'"),
        (
            {"json": {"columns": {"truth": ["x", None], "a": ["x", "y"], "b": ["x", "y"]}}},
            422,
            "Column 'truth' of the body is empty in 1 row (2)",
        ),
        (
            {"files": form({**EIGHTS, "example": "eights", "n_resamples": "abc"})},
            422,
            "a whole number --n-resamples 10000",
        ),
        (
            {"files": form({**EIGHTS, "example": "eights", "confidence_level": "abc"})},
            422,
            "a number --confidence-level 0.95",
        ),
        (
            {"files": form({**EIGHTS, "example": "eights", "seed": "-1"})},
            422,
            "neither a whole number, 0 or more, nor random",
        ),
    ],
)
def test_refusals(sent, status, words, shared):
    assert words in words_of(shared(lambda client: client.post("/api/compare", **sent)), status)


def test_what_the_page_does_not_have_is_not_advised(shared):
    sent = {"files": [("files", ("notes.docx", b"x"))]}
    answer = shared(lambda client: client.post("/api/columns", **sent))
    assert words_of(answer, 422).startswith("The ending of notes.docx does not name a format.")
    assert answer.json()["error"]["next"] == "rename it or save it as one of these"


def test_the_field_that_a_refusal_is_about(shared):
    wrong = {
        "confidence_level": "2",
        "positive": "",
        "n_resamples": "many",
        "b": "nobody",
        "measure": "f7",
        "test": "mcnemer",
        "claim": "bettr",
        "correction": "hom",
        "method": "exakt",
        "interval": "bda",
    }
    for name, value in [*wrong.items(), ("positive", "eigth"), ("measure", "f_beta(gamma=2)"), ("labels", "nine")]:
        own = {"measure": "macro_f1", "positive": ""} if name == "labels" else {}
        settings = form({**EIGHTS, "example": "eights", **own, name: value})
        answer = shared(lambda c, settings=settings: c.post("/api/compare", files=settings))
        words_of(answer, 422)
        assert answer.json()["error"].get("field") == name, answer.text
    assert "no file" in words_of(shared(lambda c: c.post("/api/columns", files=form({"truth": "y"}))), 422)
    assert "banana" in words_of(shared(lambda c: c.post("/api/compare?wait=banana", files=form(EIGHTS))), 422)


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    """Mount a disk of 8 MiB as the folder for temporary files."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk can be mounted by root only")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_is_said_and_is_no_bug(small_disk, capfd):
    """At whatever step it is full, from nothing free to nearly enough; with room the same requests are answered."""
    rows = b"y,a,b\n" + b"1,1,1\n0,1,0\n" * 130_000  # 1.5 MB, of which Starlette keeps one in memory
    settings = {"truth": "y", "a": "a", "b": "b", "test": "mcnemar", "measure": "accuracy"}
    large = [("files", ("p.csv", rows)), *form(settings)]
    small = [("files", ("p.csv", rows[:6_006])), *form(settings)]  # whose report takes most of the room
    ballast = small_disk / "ballast"

    async def with_room_for(kibibytes, request):
        held = os.statvfs(small_disk)
        ballast.write_bytes(bytes(max(0, held.f_bavail * held.f_frsize - 1024 * kibibytes)))
        answer = await request
        ballast.unlink()
        return answer

    async def job(client):
        begun = await client.post("/api/compare?wait=false", files=small)
        if begun.status_code != 202:
            return begun
        await until(client, begun.json()["id"], "done", "refused", "failed")
        return await client.get(f"/api/jobs/{begun.json()['id']}/result")

    async def work(client, _):
        steps = (0, 4, 8, 12, 16, 20, 24, 32, 48, 64, 128, 256, 512, 1_600, 2_000, 8_000)
        looked = [await with_room_for(free, client.post("/api/columns", files=large[:1])) for free in steps]
        compared = [await with_room_for(free, client.post("/api/compare", files=large)) for free in steps]
        return looked, compared, [await with_room_for(free, job(client)) for free in steps]

    for answers in asking(work):
        codes = [answer.status_code for answer in answers]
        assert (codes[0], codes[-1], set(codes)) == (507, 200, {200, 507})
        for answer in (answer for answer in answers if answer.status_code == 507):
            assert "no room left on the disk of the server" in words_of(answer, 507)
            assert "TMPDIR=/folder clearwin serve" in words_of(answer, 507)
    assert capfd.readouterr().err == ""  # where a fault would be logged


@pytest.mark.parametrize("step", ["uploads", "jobs", "comparing", "worker"])
def test_whoever_finds_the_disk_full_says_so(monkeypatch, step):
    """Without a disk to fill: receiving, starting the job, its progress and its outcome."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(f"clearwin.web.{step}.write_json", full)
    sent = form({**EIGHTS, "example": "eights", "measure": "accuracy", "test": "mcnemar"})
    answer = asking(lambda client, _: client.post("/api/compare", files=sent), in_process=True)
    assert "no room left on the disk of the server" in words_of(answer, 507)


def test_another_error_of_the_system_is_not_called_a_full_disk(monkeypatch, capfd):
    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("clearwin.web.jobs.write_json", broken)
    answer = asking(lambda client, _: client.post("/api/compare", files=form({**EIGHTS, "example": "eights"})))
    assert "a bug in clearwin" in words_of(answer, 422)
    assert "Input/output error" in capfd.readouterr().err
