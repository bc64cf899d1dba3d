"""The local page: every route, what it refuses, what its jobs may take, and that nothing from a file ever runs."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gzip
import html
import importlib
import json
import os
import re
import selectors
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uvicorn
from click.testing import CliRunner
from starlette.routing import Route

import clearwin as cw
from clearwin.cli import main
from clearwin.data.files.sources import each_table
from clearwin.data.scores import scored_items
from clearwin.errors import ClearwinError, FileError, OptionError, UnknownNameError
from clearwin.reports.html import as_html
from clearwin.text import one_line
from clearwin.web.app import TEMPLATES, make_app
from clearwin.web.columns import look
from clearwin.web.comparing import BYTES_EACH, MANY, REHEARSED, Progress, Task, refuse_columns, rehearse
from clearwin.web.comparing import compare as compare_job
from clearwin.web.folder import held_folder
from clearwin.web.jobs import Job, Pool
from clearwin.web.openapi import description
from clearwin.web.refusals import MIB, BusyError, Limits, TooLargeError, in_words
from clearwin.web.safety import POLICY, connections_with
from clearwin.web.settings import SETTINGS, arguments, command_line, parsed
from clearwin.web.showing import operating_points, write_answer
from clearwin.web.uploads import EXAMPLES, as_chosen, harmless
from clearwin.web.worker import Nursery
from clearwin.web.worker import work as do_job

SHIPPED = Path(str(files("clearwin"))) / "data" / "shipped"
EIGHTS = {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight", "seed": "2004"}
LONG = {**EIGHTS, "example": "scores", "measure": "average_precision", "test": "bootstrap", "n_resamples": "2000000"}

BASE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</table><iframe src=//evil>",
    "javascript:alert(1)",
    "{{ 7*7 }}",
    "{% raw %}",
    "${7*7}",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1-1",
    "@SUM(A1)",
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "/etc/shadow",
    "C:\\x",
    "a\u202eb",
    "\u2066x\u2069",
    "\ufeffx",
    "\x1b[2Jx",
    "x\r\nSet-Cookie: a=b",
    "\x00x",
    "$(reboot)",
    "`reboot`",
    "; rm x",
    "a' --json '/etc/x",
    "%s%n",
    "<style>*{display:none}</style>",
    "<a href=javascript:alert(1)>",
    "<base href=//evil>",
]
HOSTILE = [*BASE, *(f"x {name}" for name in BASE), *(f'"{name}' for name in BASE)]


def form(settings):
    """Return multipart fields: httpx sends them so even without files."""
    return [(name, (None, value)) for name, value in settings.items()]


@contextlib.asynccontextmanager
async def page(**limits):
    app = make_app(Limits(**limits))
    transport = httpx.ASGITransport(app)
    client = httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60)
    async with app.router.lifespan_context(app), client:
        yield client, app


def asking(work, *, in_process=False, **limits):
    """Run ``work(client, app)`` with a page of its own, whose jobs are processes or, much more quickly, are not."""

    async def run():
        async with page(**limits) as (client, app):
            if in_process:
                app.state.pool.processes = InProcess()
            return await work(client, app)

    return asyncio.run(run())


class InProcess:
    """Does the jobs in this process, without limits and one after the other, for they change its folder."""

    def __init__(self):
        self.free = asyncio.Lock()

    async def run(self, id, verb, folder, seconds):
        (folder / "scratch").mkdir()
        async with self.free:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("clearwin.web.worker._limit_myself", lambda limits: None)
                await asyncio.to_thread(do_job, verb, folder)
        return 0

    async def warm_up(self):
        """Nothing has to be loaded."""

    async def close(self):
        """No process is left."""


async def until(client, job, *states):
    for _ in range(600):
        now = (await client.get(f"/api/jobs/{job}")).json()
        if now["state"] in states:
            return now
        await asyncio.sleep(0.05)
    raise AssertionError(now)


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def jobs_of(app):
    """Return the processes of all jobs."""
    warm = app.state.pool.processes._warm
    return [] if warm is None else children_of(warm.pid)


def words_of(answer, status):
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) - {"field"} == {"what", "expected", "next"}
    return f"{error['what']} {error['expected']} {error['next']}"


def command(*words):
    answer = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


# --- one comparison, looked at from all sides --------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared():
    """Compare the shipped scores, sent as a file, and keep everything that the page then offers."""

    async def work(client, app):
        sent = [("files", ("eight scores.csv", (SHIPPED / "digits_eight_scores.csv").read_bytes()))]
        settings = {**EIGHTS, "threshold": "0", "n_resamples": "500", "confidence_level": "0.99"}
        begun = await client.post("/api/compare?wait=false", files=[*sent, *form(settings)])
        assert begun.status_code == 202
        job = begun.json()["id"]
        assert begun.headers["location"] == f"/api/jobs/{job}"
        folder = app.state.pool.root / job
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
        found = {"done": await until(client, job, "done"), "left": [p.name for p in (folder / "input").iterdir()]}
        assert stat.S_IMODE((folder / "result.json").stat().st_mode) == 0o600
        paths = ["shown", "report.html", "result.json", "pictures/0.svg", "pictures/1.svg"]
        found |= {path: await client.get(f"/jobs/{job}/{path}") for path in paths}
        found |= {path: await client.get(f"/api/jobs/{job}/{path}") for path in ("result", "thresholds")}
        found["no picture"] = await client.get(f"/jobs/{job}/pictures/99.svg")
        assert (await client.delete(f"/api/jobs/{job}")).json()["state"] == "done"
        found["gone"] = (folder.exists(), await client.get(f"/api/jobs/{job}"))
        return found

    return asking(work)


def test_the_answer_is_that_of_the_command(compared, tmp_path, monkeypatch):
    (tmp_path / "eight scores.csv").write_bytes((SHIPPED / "digits_eight_scores.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    shown = html.unescape(re.search(r'<pre id="command"[^>]*>(.*?)</pre>', compared["shown"].text, re.S)[1])
    program, *words = shlex.split(shown)
    assert program == "clearwin"
    assert command(*words, "--json") == compared["result"].text
    assert compared["result"].text == compared["result.json"].text


def test_the_verdict_is_shown_at_the_level_asked_for(compared):
    text = html.unescape(compared["shown"].text)
    # the README's example has p = 0.0408 of 10,000 draws; here there are 500, and either is above 1 %
    assert "gaussian is not shown to be different from linear in F1 (p = 0.0359, judged at 0.01)" in text
    assert 'data-thresholds="true"' in text
    for drawn in (compared["pictures/1.svg"].text, compared["report.html"].text):
        assert "shown at 0.01" in drawn
        assert "shown at 0.05" not in drawn


def test_downloads_are_files(compared):
    assert compared["report.html"].headers["content-disposition"].startswith("attachment")
    assert "gaussian is not shown to be different from linear" in html.unescape(compared["report.html"].text)
    assert compared["result.json"].headers["content-disposition"].startswith("attachment")
    picture = compared["pictures/0.svg"]
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "script" not in picture.headers["content-security-policy"]
    assert "xmlns=" in picture.text[:300]
    assert compared["no picture"].status_code == 404


def test_the_slider_has_exact_counts(compared):
    """Every stop against the slow obvious way: count the decisions of the file."""
    points = compared["thresholds"].json()
    lines = [line.split(",") for line in (SHIPPED / "digits_eight_scores.csv").read_text().splitlines()[1:]]
    eight = np.array([line[1] == "eight" for line in lines])
    assert (points["positives"], points["negatives"]) == (eight.sum(), (~eight).sum())
    assert len(points["thresholds"]) <= 2002
    assert [points["thresholds"][place] for place in points["start"]] == [0.0, 0.0]  # as the comparison was
    for place, model in enumerate(points["models"], 2):
        scores = np.array([float(line[place]) for line in lines])
        assert (model["tp"][0], model["fp"][0]) == (0, 0)
        for i in range(1, len(points["thresholds"]), 97):
            accepted = scores >= points["thresholds"][i]
            assert (model["tp"][i], model["fp"][i]) == ((accepted & eight).sum(), (accepted & ~eight).sum())


def test_what_was_sent_is_gone_when_the_job_is_over(compared):
    assert compared["left"] == []
    there, answer = compared["gone"]
    assert not there
    words_of(answer, 404)


def test_many_scores_are_thinned_and_still_exact():
    rng = np.random.default_rng(5)
    truth, scores = rng.integers(0, 2, 30_000), [rng.normal(size=30_000), 100 * rng.normal(size=30_000)]
    points = operating_points(scored_items(truth, *scores), ("a", "b"))
    assert 1_900 < len(points["thresholds"]) <= 2_001
    for model, column in zip(points["models"], scores, strict=True):
        for i in (1, 700, 1_500, len(points["thresholds"]) - 1):
            assert model["tp"][i] == int(((column >= points["thresholds"][i]) & (truth == 1)).sum())
        assert model["tp"][-1] <= truth.sum()


def test_the_slider_counts_float32_scores_as_numpy_does():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 300)
    scores = [(rng.integers(0, 11, 300) / 10).astype(kind) for kind in (np.float32, np.float64)]
    points = operating_points(scored_items(truth, *scores), ("a", "b"), (0.7, 0.3))
    assert points["thresholds"][1:] == [i / 10 for i in range(10, -1, -1)]
    assert [points["thresholds"][place] for place in points["start"]] == [0.7, 0.3]
    for model, column in zip(points["models"], scores, strict=True):
        assert model["tp"][1:] == [int(((column >= t) & (truth == 1)).sum()) for t in points["thresholds"][1:]]


# --- other ways to ask -------------------------------------------------------------------------------------------


def test_columns_inline_and_files_joined_by_id_and_labels_of_many_classes():
    rows = [line.split(",") for line in (SHIPPED / "digits.csv").read_text().splitlines()[1:]]
    ids, truth, a, b = (list(column) for column in zip(*rows, strict=True))
    three = [("gold.csv", truth), ("linear.csv", a), ("gaussian.csv", b)]

    async def work(client, _):
        body = {"columns": {"truth": truth, "a": a, "b": b}, "measure": "accuracy", "test": "mcnemar", "seed": 1}
        parts = [
            (
                "files",
                (name, gzip.compress("\n".join(["doc,label", *map(",".join, zip(ids, x, strict=True))]).encode())),
            )
            for name, x in [(f"{name}.gz", x) for name, x in three]
        ]
        settings = form({"id": "doc", "measure": "accuracy", "test": "mcnemar", "seed": "1"})
        inline, joined, looked = await asyncio.gather(
            client.post("/api/compare", json=body),
            client.post("/api/compare", files=[*parts, *settings]),
            client.post("/api/columns", files=form({"example": "digits"})),
        )
        return inline, joined, looked

    inline, joined, looked = asking(work, in_process=True)
    # 1,500 items, of which the models have 1,408 and 1,436 right (the shipped README's accuracies)
    assert [round(inline.json()[f"estimate_{x}"], 4) for x in "ab"] == [0.9387, 0.9573]
    assert (joined.json()["name_a"], joined.json()["name_b"]) == ("linear", "gaussian")
    assert joined.json()["p_value"] == inline.json()["p_value"]
    assert looked.json()["guess"]["measure"] == "macro_f1"
    assert looked.json()["files"][0]["columns"][1]["classes"] == list("0123456789")


def test_columns_are_shown_with_values_and_a_guess(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text('{"id": 1, "gold": "spam", "m1": 0.25, "tags": ["x"]}\n' * 3)
    [found] = look(["p.jsonl"])["files"]
    shown = {column["name"]: column["values"] for column in found["columns"]}
    assert shown == {"gold": ["spam"], "id": ["1"], "m1": ["0.25"], "tags": ['["x"]']}
    Path("s.csv").write_text("uid,y,new,old\n" + "".join(f"{i},{i % 2},0.{i:03d}1,0.{i:03d}7\n" for i in range(40)))
    guess = look(["s.csv"])["guess"]
    roles = {"truth": "y", "id": "uid", "a": "new", "b": "old", "roles": []}
    assert guess == {**roles, "measure": "auc", "positive": "1"}
    Path("v.csv").write_text("x,z\n" + "".join(f"0.{i:03d}1,0.{i:03d}7\n" for i in range(40)))
    assert look(["v.csv"])["guess"]["measure"] == "mean"
    assert look(["counts.json"])["files"][0]["columns"] == []


def columns_of(path, head, rows):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path.name


def test_roles_are_guessed_from_names_and_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    many, few = range(50), rng.integers(0, 2, (50, 3))

    def guess(head, row):
        found = look([columns_of(tmp_path / "f.csv", head, map(row, many))])["guess"]
        return [found.get(role) for role in ("truth", "id", "a", "b", "measure")]

    sick = ["healthy", "sick"]
    # ratings share no value with the truth: they are scores
    rated = guess("patient,diagnosis,r1,r2", lambda i: (f"p{i}", sick[few[i, 0]], i % 5, i * 7 % 5))
    assert rated == ["diagnosis", "patient", "r1", "r2", "auc"]
    # what is no model comes first; the id is not unique by its name alone
    meta = guess("age,fold,status,m1,m2", lambda i: (20 + i % 7, i % 5, *(sick[k] for k in few[i])))
    assert meta == ["status", None, "m1", "m2", "f1"]
    unnamed = guess("doc_id,x,m1,m2", lambda i: (i, *few[i]))
    assert unnamed == ["x", "doc_id", "m1", "m2", "f1"]
    assert guess("q,latency_old,latency_new", lambda i: (f"q{i}", i + 0.25, i + 0.5))[4] == "mean_loss"
    assert guess("id,y,m1,m2", lambda i: (i, i + 0.25, i + 0.5, i + 0.75))[0::4] == ["y", "mae"]
    sets = ["x|y", "x", "y|z", "z"]
    columns_of(tmp_path / "f.csv", "gold,a,b", ((sets[i % 4], sets[i % 3], sets[(i + 1) % 4]) for i in many))
    assert look(["f.csv"])["guess"]["separator"] == "|"
    for name, key in (("m1", "score"), ("m2", "score"), ("gold", "label")):
        lines = [json.dumps({"id": i, key: sick[few[i, 0]] if key == "label" else i / 7}) for i in many]
        Path(f"{name}.jsonl").write_text("\n".join(lines))
    several = look(["m1.jsonl", "gold.jsonl", "m2.jsonl"])["guess"]
    assert several["roles"] == ["a", "truth", "b"]
    assert (several["truth"], several["a"], several["measure"]) == ("label", "score", "auc")


def test_columns_of_jsonl_keep_the_order_of_the_file(tmp_path, monkeypatch):
    """Sorted by name, A and B would be guessed the other way round than from the same rows in CSV."""
    monkeypatch.chdir(tmp_path)
    rows = [{"id": i, "gold": "xy"[i % 2], "svm": "x", "rbf": "y"} for i in range(6)]
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"z": 1, **rows[0], "b": 2}]))
    Path("p.csv").write_text("id,gold,svm,rbf\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows))
    found, as_csv = look(["p.jsonl"]), look(["p.csv"])
    assert [column["name"] for column in found["files"][0]["columns"]] == ["id", "gold", "svm", "rbf", "z", "b"]
    assert (as_csv["guess"]["a"], as_csv["guess"]["b"]) == ("svm", "rbf")
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert look(["p.jsonl"])["guess"] == as_csv["guess"]


def test_names_in_which_something_cannot_be_seen_come_with_how_to_show_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("truth,a\u202eb,constructor\n" + "y\u200des,no,no\nno,no,no\n" * 9)
    found = look(["p.csv"])
    assert found["shown"] == {name: one_line(name) for name in ("a\u202eb", "y\u200des")}
    assert all(text.isprintable() for text in found["shown"].values())
    assert [column["name"] for column in found["files"][0]["columns"]] == ["truth", "a\u202eb", "constructor"]
    assert found["guess"]["positive"] == "y\u200des"


def test_two_files_that_both_have_the_truth():
    """As three files of which the first two are the same; truths that differ are refused."""
    truth = ["cat" if i % 2 else "dog" for i in range(40)]

    def export(name, k, truth=truth):
        lines = [f"{i},{t},{t if i % k else 'cat'}" for i, t in enumerate(truth)]
        return ("files", (name, "\n".join(["id,truth,said", *lines]).encode()))

    def settings(measure):
        return form({"truth": "truth", "a": "said", "b": "said", "id": "id", "measure": measure, "seed": "1"})

    async def work(client, _):
        other = ["cat", *truth[1:]]
        return await asyncio.gather(
            client.post("/api/compare", files=[export("p.csv", 2), export("q.csv", 6), *settings("accuracy")]),
            client.post("/api/compare", files=[export("p.csv", 2), export("q.csv", 6, other), *settings("accuracy")]),
            _shown(client, [export("p.csv", 2), export("p.csv", 6), *settings("accuracy")]),
        )

    both, differing, same_name = asking(work, in_process=True)
    right = [sum(t == (t if i % k else "cat") for i, t in enumerate(truth)) / 40 for k in (2, 6)]
    assert [both.json()["estimate_a"], both.json()["estimate_b"]] == right
    assert "differ for 1 items: 0 is 'dog' and 'cat'" in words_of(differing, 422)
    assert "compare p.csv p.csv p-2.csv" in same_name
    assert "the second one is called p-2.csv here" in same_name


async def _shown(client, sent):
    job = (await client.post("/api/compare?wait=false", files=sent)).json()["id"]
    await until(client, job, "done")
    return (await client.get(f"/jobs/{job}/shown")).text


# --- what is refused ---------------------------------------------------------------------------------------------


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
        ({"files": [("files", ("setup.py", b"raise SystemExit"))]}, 422, "does not tell its format"),
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
        ({"files": form({**EIGHTS, "example": "eights", "seed": "-1"})}, 422, "a whole number of at least 0 --seed 7"),
    ],
)
def test_refusals(sent, status, words, shared):
    assert words in words_of(shared(lambda client: client.post("/api/compare", **sent)), status)


def test_what_the_page_does_not_have_is_not_advised(shared):
    sent = {"files": [("files", ("notes.docx", b"x"))]}
    answer = shared(lambda client: client.post("/api/columns", **sent))
    assert words_of(answer, 422).startswith("The ending of notes.docx does not tell its format.")
    assert answer.json()["error"]["next"] == "rename it or save it as one of these"


@pytest.mark.parametrize(
    ("names", "settings", "field", "words"),
    [
        (("p.csv", "q.csv"), {"truth": "", "measure": "accuracy"}, "truth", "not said which column is the truth"),
        (("p.csv", "q.csv"), {"id": ""}, "id", "not said which column joins the 2 files"),
        (("g.csv", "p.csv", "q.csv"), {"id": ""}, "id", "not said which column joins the 3 files"),
        (("g.csv", "p.csv", "q.csv"), {"truth": "", "measure": "mean"}, "measure", "mean value takes no truth"),
    ],
)
def test_several_files_with_something_missing(names, settings, field, words, shared):
    sent = [("files", (name, b"id,y,said\n1,1,1\n2,0,0\n")) for name in names]
    asked = {"truth": "y", "a": "said", "b": "said", "id": "id"} | settings
    answer = shared(lambda client: client.post("/api/compare", files=[*sent, *form(asked)]))
    assert words in words_of(answer, 422)
    assert answer.json()["error"]["field"] == field
    assert "clearwin compare" not in words_of(answer, 422)


def test_yes_and_no_in_any_case():
    assert [arguments(["p.csv"], {"per_class": text})[1:] for text in ("True", "YES", "on", "1", True)] == [
        ["--per-class"]
    ] * 5
    assert [arguments(["p.csv"], {"per_class": text})[1:] for text in ("False", "no", "OFF", "0", "", False)] == [
        []
    ] * 6


def test_looking_at_the_columns_takes_no_settings(shared):
    sent = [
        {"files": form({"example": "eights", "bogus": "1"})},
        {"files": form({"example": "eights", "truth": "y"})},
        {"json": {"columns": {"truth": [1]}, "seed": 1}},
    ]
    for one, name in zip(sent, ("bogus", "truth", "seed"), strict=True):
        assert name in words_of(shared(lambda client, one=one: client.post("/api/columns", **one)), 422)
    inline = shared(lambda client: client.post("/api/columns", json={"columns": {"truth": [1, 0], "a": [1, 1]}}))
    assert [column["name"] for column in inline.json()["files"][0]["columns"]] == ["truth", "a"]


@pytest.fixture(scope="module")
def shared():
    """One page for many small requests."""
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        client, _ = runner.run(stack.enter_async_context(page(upload=MIB)))
        yield lambda ask: runner.run(_awaited(ask(client)))
        runner.run(stack.aclose())


async def _awaited(coroutine):
    return await coroutine


def test_too_large_by_the_header_while_streaming_and_when_unpacked(tmp_path, shared):
    async def endless():
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="p.csv"\r\n\r\n'
        for _ in range(100):
            yield b"y" * 100_000

    told = {"content": b"x" * (MIB + 1), "headers": {"content-type": "application/json"}}
    assert "1 MiB" in words_of(shared(lambda c: c.post("/api/compare", **told)), 413)
    kind = {"content-type": "multipart/form-data; boundary=x"}
    streamed = shared(lambda c: c.post("/api/compare", content=endless(), headers=kind))
    assert "content-length" not in streamed.request.headers
    assert "1 MiB" in words_of(streamed, 413)

    bomb = gzip.compress(b"y,a,b\n" + b"1,1,1\n" * 4_000_000)
    assert len(bomb) < 50_000
    pq.write_table(pa.table({"y": [1] * 50_000, "a": [1] * 50_000, "b": [0] * 50_000}), tmp_path / "p.parquet")
    rows = (tmp_path / "p.parquet").read_bytes()

    async def work(client, app):
        sent = [("bomb.csv.gz", bomb), ("p.parquet", rows)]
        answers = [await client.post("/api/compare", files=[("files", file)]) for file in sent]
        return answers, len(list(app.state.pool.root.rglob("*.gz")))

    (zipped, parquet), left = asking(work, in_process=True, unpacked=4 * MIB, rows=10_000)
    assert "bomb.csv.gz holds more than 4 MiB" in words_of(zipped, 413)
    assert "p.parquet declares 50,000 rows" in words_of(parquet, 413)
    assert left == 0


def test_a_broken_file_hides_no_bomb():
    rows = b"y,a,b\n" + b"1,1,1\n" * 20_000
    stored = gzip.compress(rows, 0)
    spoiled = stored[:100_000] + b"7" + stored[100_001:]
    bomb = gzip.compress(b"y,a,b\n" + b"1,1,1\n" * 4_000_000)

    async def work(client, _):
        sent = [
            [("p.csv.gz", spoiled)],
            [("p.csv.gz", spoiled + bomb)],
            [("p.csv.gz", spoiled), ("q.csv.gz", bomb)],
            [("p.csv.gz", stored), ("q.csv.gz", bomb)],
        ]
        return [await client.post("/api/columns", files=[("files", file) for file in files]) for files in sent]

    *broken, large = asking(work, in_process=True, unpacked=4 * MIB)
    for answer in broken:
        assert "p.csv.gz is a broken or cut off gzip file" in words_of(answer, 422)
    assert "q.csv.gz holds more than 4 MiB" in words_of(large, 413)


def test_looking_at_no_file_is_refused(shared):
    assert "no file" in words_of(shared(lambda c: c.post("/api/columns", files=form({"example": ""}))), 422)


def test_words_are_cut_to_what_anyone_would_read(shared):
    body = {"columns": {"truth": [1], "a" * 100_000: [1]}, "seed": 1}
    answer = shared(lambda client: client.post("/api/compare", json=body))
    assert len(words_of(answer, 422)) < 6_100
    body = {"columns": {f"{'a' * 900}{i}": [1] for i in range(90)}, "truth": "b" * 900}
    assert "b" * 200 in words_of(shared(lambda client: client.post("/api/compare", json=body)), 422)
    assert in_words(FileError("x" * 10_000, "y" * 10_000), {})["expected"] == "y" * 1_999 + "…"
    job = Job("compare", Path("nowhere"))
    job.end("refused", 422, {"what": "x" * 10_000, "expected": "", "next": "y"})
    assert job.error == {"what": "x" * 1_999 + "…", "expected": "", "next": "y"}
    error = UnknownNameError("column", "x" * 10_000, ["y" * 3_000] * 3_000)
    assert max(map(len, (error.what, error.expected, error.next))) <= 2_000


def test_too_many_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(",".join(f"c{i}" for i in range(30)) + "\n" + "1," * 29 + "1\n")
    Path("p.jsonl").write_text("".join(f'{{"c{i}": 1}}\n' for i in range(30)))
    pq.write_table(pa.table({f"c{i}": [1] for i in range(30)}), "p.parquet")
    for name in ("p.csv", "p.jsonl", "p.parquet"):
        with each_table(partial(refuse_columns, limits=Limits(columns=30))):
            look([name])
        with (
            each_table(partial(refuse_columns, limits=Limits(columns=29))),
            pytest.raises(TooLargeError, match=f"{name} has 30 columns"),
        ):
            look([name])
    rows = [("files", ("p.csv", Path("p.csv").read_bytes()))]

    async def work(client, _):
        return [await client.post(path, files=rows) for path in ("/api/columns", "/api/compare")]

    for answer in asking(work, in_process=True, columns=29):
        assert "at most 29" in words_of(answer, 413)


def test_a_fault_answers_in_the_same_form_with_the_headers(monkeypatch):
    def broken():
        raise RuntimeError("secret")

    monkeypatch.setattr("clearwin.web.app.description", broken)

    async def ask():
        transport = httpx.ASGITransport(make_app(), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/openapi.json")

    answer = asyncio.run(ask())
    assert "secret" not in words_of(answer, 500)
    assert answer.headers["content-security-policy"] == POLICY


def test_a_client_that_goes_away_is_no_fault():
    async def gone(scope_type):
        parts = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])

        async def receive():
            return next(parts)

        sent = []

        async def send(message):
            sent.append(message)

        app = make_app()
        async with app.router.lifespan_context(app):
            headers = [(b"host", b"localhost"), (b"content-type", scope_type)]
            scope = {"type": "http", "method": "POST", "path": "/api/compare", "query_string": b"", "headers": headers}
            await app(scope | {"http_version": "1.1", "scheme": "http", "root_path": ""}, receive, send)
            return sent[0]["status"], dict(app.state.pool.jobs)

    for kind in (b"application/json", b"multipart/form-data; boundary=x"):
        assert asyncio.run(gone(kind)) == (422, {})


@contextlib.asynccontextmanager
async def listening(**limits):
    """Serve the page to real connections; yield how to make one, and those that the server has."""
    chosen = Limits(**limits)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            make_app(chosen), http=connections_with(chosen), ws="none", log_level="warning", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        streams = []

        async def connect(head=b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            streams.append(writer)
            writer.write(head)
            return reader, writer

        try:
            yield connect, server.server_state.connections
        finally:
            for writer in streams:
                writer.close()
            server.should_exit = True
            await task


async def status_of_page(connect):
    reader, _ = await connect(b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
    return int((await asyncio.wait_for(reader.read(), 30)).split()[1])


PART_OF_A_HEAD = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: "


def test_many_connections_that_never_say_what_they_want_keep_nobody_out():
    """Slowloris: more of them than there are connections, and time enough for all of them to stay."""

    async def work():
        async with listening(connections=20) as (connect, held):
            for _ in range(50):
                await connect(PART_OF_A_HEAD)
            return [await status_of_page(connect) for _ in range(5)], len(held)

    found, held = asyncio.run(work())
    assert found == [200] * 5
    assert held <= 21


def test_a_head_that_trickles_is_dropped_in_time_and_told_so():
    async def work():
        async with listening(head_seconds=0.2) as (connect, _):
            silent, _ = await connect()
            trickling, writer = await connect(PART_OF_A_HEAD)
            answer = asyncio.create_task(trickling.read())
            while not answer.done():
                writer.write(b"y")
                await asyncio.wait([answer], timeout=0.05)
            # asked once and answered, then a second head that never ends, on the same connection
            again, _ = await connect(b"GET /nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" + PART_OF_A_HEAD)
            # a body that nobody reads: it is answered before it is complete
            unread, _ = await connect(b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99\r\n\r\nx")
            others = [await asyncio.wait_for(stream.read(), 30) for stream in (silent, again, unread)]
            return answer.result(), *others

    trickling, silent, again, unread = asyncio.run(asyncio.wait_for(work(), 30))
    assert silent == b""
    assert trickling.startswith(b"HTTP/1.1 408 ")
    assert json.loads(trickling.partition(b"\r\n\r\n")[2])["error"]["what"]
    assert re.findall(rb"HTTP/1.1 (\d+)", again) == [b"404", b"408"]
    assert unread.startswith(b"HTTP/1.1 405 ")


def test_a_client_that_does_not_take_its_answer_is_dropped():
    async def work():
        async with listening(head_seconds=0.2, stall_seconds=0.2) as (connect, held):
            _, writer = await connect()
            writer.transport.pause_reading()
            writer.write(b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * 1_000)
            while not held:
                await asyncio.sleep(0.01)
            while held:
                await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(work(), 30))


def test_slow_uploads_keep_nobody_from_the_jobs():
    async def trickle():
        yield b"--x\r\n"
        await asyncio.sleep(30)

    async def work(client, app):
        kind = {"content-type": "multipart/form-data; boundary=x"}
        slow = [asyncio.create_task(client.post("/api/compare", content=trickle(), headers=kind)) for _ in range(4)]
        while len(app.state.pool.jobs) < 4:
            await asyncio.sleep(0.01)
        fine = await client.post("/api/columns", files=form({"example": "eights"}))
        done, still = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
        dropped = [task.result() for task in done]
        for task in still:
            task.cancel()
        await asyncio.gather(*still, return_exceptions=True)
        return fine, dropped, len(still), dict(app.state.pool.jobs)

    fine, dropped, still, jobs = asking(work, in_process=True, workers=1, queue=0, receiving=4, slow_seconds=0.1)
    assert fine.status_code == 200
    assert still == 3
    assert "came slowly while others waited" in words_of(dropped[0], 408)
    assert jobs == {}


def test_uploads_that_come_quickly_are_not_dropped_for_others():
    async def steady():
        for _ in range(200):
            yield b"x" * 10_000
            await asyncio.sleep(0.01)

    async def work(client, app):
        kind = {"content-type": "application/json"}
        quick = asyncio.create_task(client.post("/api/compare", content=steady(), headers=kind))
        while not app.state.pool.jobs:
            await asyncio.sleep(0.01)
        full = await client.post("/api/columns", files=form({"example": "eights"}))
        received = quick.done()
        quick.cancel()
        await asyncio.gather(quick, return_exceptions=True)
        return full, received

    full, received = asking(work, receiving=1, slow_seconds=0.1)
    assert "1 requests are being received" in words_of(full, 429)
    assert not received


def test_an_answer_that_would_be_too_large(monkeypatch, tmp_path):
    monkeypatch.setattr("clearwin.web.showing.MOST_WRITTEN", 1_000)
    (tmp_path / "body.json").write_text("x" * 5_000)
    result = cw.compare(["x", "y"], ["x", "x"], ["x", "y"], measure="accuracy", rng=1)
    with pytest.raises(TooLargeError, match="at most 1 KiB"):
        write_answer(tmp_path, result, "clearwin compare p.csv", None, [], lambda _: None)
    assert [path.name for path in tmp_path.iterdir()] == ["body.json"]


def test_looking_at_what_cannot_be_a_label(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ['{"y": 1, "deep": ' + "[" * 50_000 + "]" * 50_000 + "}", '{"y": 2, "deep": ' + "9" * 5_000 + "}"]
    Path("p.jsonl").write_text("\n".join([*rows, json.dumps({"y": "z" * 5_000, "deep": 1})]))
    deep, y = look(["p.jsonl"])["files"][0]["columns"]
    assert deep["different"] == 3
    assert max(map(len, (*deep["classes"], *y["classes"], *deep["values"]))) < 1_100


def test_a_request_that_never_ends_is_dropped():
    async def trickle():
        yield b"--x\r\n"
        await asyncio.sleep(30)

    async def work(client, app):
        kind = {"content-type": "multipart/form-data; boundary=x"}
        return await client.post("/api/compare", content=trickle(), headers=kind), dict(app.state.pool.jobs)

    for limit, words in [("upload_seconds", "not complete after 0.2"), ("idle_seconds", "Nothing of the request came")]:
        answer, jobs = asking(work, **{limit: 0.2})
        assert words in words_of(answer, 408)
        assert jobs == {}


def test_a_full_queue_refuses_and_cancelling_kills_the_process():
    async def work(client, app):
        job = (await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"]
        full = await client.post("/api/compare", files=form(LONG))
        while "done" not in (now := await until(client, job, "running")):
            await asyncio.sleep(0.05)
        early = await client.get(f"/api/jobs/{job}/result")
        [process] = jobs_of(app)
        assert any((app.state.pool.root / job / "input").iterdir())
        after = (await client.delete(f"/api/jobs/{job}")).json()
        gone = not Path(f"/proc/{process}").exists()
        left = list((app.state.pool.root / job / "input").iterdir())
        result = await client.get(f"/api/jobs/{job}/result")
        next_one = await client.post("/api/columns", files=form({"example": "eights"}))
        return full, now, early, after, gone, left, result, next_one, app.state.pool.root

    full, now, early, after, gone, left, result, next_one, root = asking(work, workers=1, queue=0)
    assert "1 long jobs are under way" in words_of(full, 429)
    assert int(full.headers["retry-after"]) > 0
    assert now["stage"] == "drawing replicates"
    assert 0 < now["done"] < now["total"]
    assert now["estimate"] > 0
    assert "not finished" in words_of(early, 404)
    assert after["state"] == "cancelled"
    assert (gone, left) == (True, [])
    assert "cancelled" in words_of(result, 410)
    assert next_one.status_code == 200
    assert not root.exists()


def test_short_jobs_do_not_wait_behind_long_ones():
    async def work(client, app):
        long = [(await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"] for _ in range(2)]
        await until(client, long[0], "running")
        short = await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))
        states = [(await client.get(f"/api/jobs/{job}")).json()["state"] for job in long]
        return short.status_code, states

    assert asking(work, workers=1) == (200, ["running", "waiting"])


def test_a_comparison_that_turns_out_to_be_long_moves_over():
    """Sent as JSON, which the server does not read, its two million replicates are not seen before it works."""
    rows = [line.split(",") for line in (SHIPPED / "digits_eight_scores.csv").read_text().splitlines()[1:]]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("id", "truth", "a", "b"))}
    body = {"columns": columns, "positive": "eight", "seed": 1}
    body |= {name: LONG[name] for name in ("measure", "test", "n_resamples")}

    async def work(client, app):
        job = (await client.post("/api/compare?wait=false", json=body)).json()["id"]
        lanes = [app.state.pool.jobs[job].lane]
        short = await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))
        lanes.append(app.state.pool.jobs[job].lane)
        return short.status_code, lanes, (await client.get(f"/api/jobs/{job}")).json()["state"]

    assert asking(work, workers=1, short_seconds=0.05) == (200, ["short", "long"], "running")


def test_a_job_that_is_killed_harms_no_other_and_the_warm_process_can_be_lost():
    async def work(client, app):
        small = form({**EIGHTS, "example": "eights"})
        jobs = [(await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"]]
        await until(client, jobs[0], "running")
        while not jobs_of(app):
            await asyncio.sleep(0.05)
        [first] = jobs_of(app)
        jobs.append((await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"])
        while len(jobs_of(app)) < 2:
            await asyncio.sleep(0.05)
        os.kill(first, signal.SIGKILL)
        killed = await until(client, jobs[0], "refused")
        other = (await client.get(f"/api/jobs/{jobs[1]}")).json()["state"]
        warm = app.state.pool.processes._warm.pid
        threads = len(list(Path(f"/proc/{warm}/task").iterdir()))
        os.kill(warm, signal.SIGKILL)
        lost = await until(client, jobs[1], "refused")
        return killed["error"], other, threads, lost["state"], (await client.post("/api/compare", files=small)).json()

    killed, other, threads, lost, after = asking(work)
    assert "memory" in killed["what"]
    assert (other, lost) == ("running", "refused")
    assert threads == 1  # or copies of it could stand still for ever
    assert "p_value" in after


def test_a_copy_that_cannot_be_made_is_told_and_the_others_go_on(monkeypatch, tmp_path):
    def full():
        raise OSError(12, "Cannot allocate memory")

    told = []
    monkeypatch.setattr("clearwin.web.worker.os.fork", full)
    monkeypatch.setattr("clearwin.web.worker._tell", told.append)
    nursery = Nursery(selectors.DefaultSelector())
    nursery._start("x", "compare", tmp_path)
    nursery.selector.close()
    assert (told, nursery.jobs) == ([{"id": "x", "code": 1}], {})
    assert "Cannot allocate" in (tmp_path / "stderr").read_text()


def test_an_unknown_fault_of_a_job_is_told_calmly_and_logged(monkeypatch, capfd):
    async def broken(*_):
        raise RuntimeError("secret of the job's inside")

    async def work(client, app):
        pool = app.state.pool
        folder = pool.root / "x"
        folder.mkdir()
        (folder / "limits.json").write_text(json.dumps(dataclasses.asdict(pool.limits)))
        (folder / "task.json").write_text("{}")
        code = await pool.processes.run("x", "no such verb", folder, 60)
        job = Job("compare", folder)
        pool._read_outcome(job, code)
        monkeypatch.setattr(pool.processes, "run", broken)
        return code, job, await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))

    code, job, answer = asking(work)
    logged = capfd.readouterr().err
    assert code == 1
    told = [(job.status, job.error, "KeyError"), (answer.status_code, answer.json()["error"], "secret")]
    for status, error, secret in told:
        assert status == 422
        reference = re.search(r"reference (\w{8})", error["what"])[1]
        assert f"reference {reference}" in logged
        assert secret in logged
        assert "Traceback" in logged
        assert not re.search(r"KeyError|secret|Traceback|\.py", json.dumps(error))


def test_pictures_are_drawn_once_for_page_and_report(monkeypatch, tmp_path):
    from clearwin.plots import picture_svg, pictures

    drawn = []

    def draw(picture, narrow=False):
        drawn.append((picture.name, narrow))
        return picture_svg(picture, narrow=narrow)

    monkeypatch.setattr("clearwin.plots.picture_svg", draw)
    result = cw.compare(["x", "y"], ["x", "x"], ["x", "y"], measure="accuracy", rng=1)
    write_answer(tmp_path, result, "clearwin compare p.csv", None, [], lambda _: None)
    wanted = [(one.name, narrow) for one in pictures(result) for narrow in (False, True) if one.narrow or not narrow]
    assert drawn == wanted
    assert ("interval", True) in wanted
    assert (tmp_path / "report.html").read_text() == as_html(result, command="clearwin compare p.csv")


ONCE = {
    "settings": "clearwin.web.comparing.parsed",
    "request": "clearwin.cli.compare.request",
    "files": "clearwin.data.files.sources._csv_table",
    "pictures": "clearwin.plots.pictures",
}


@pytest.mark.parametrize(
    ("names", "settings", "opened"),
    [
        (["eights.csv"], {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight"}, 1),
        (["scores.csv"], {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight", "measure": "auc"}, 1),
        # B's truth has to be the same as A's, and both are joined as files of their own
        (["eights.csv", "b.csv"], {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight"}, 5),
    ],
)
def test_a_job_does_nothing_twice(names, settings, opened, monkeypatch, tmp_path):
    (tmp_path / "input").mkdir()
    for name, file in (("eights", "digits_eight"), ("scores", "digits_eight_scores"), ("b", "digits_eight")):
        (tmp_path / "input" / f"{name}.csv").write_bytes((SHIPPED / f"{file}.csv").read_bytes())
    done = []
    for what, place in ONCE.items():
        module, _, function = place.rpartition(".")
        real = getattr(importlib.import_module(module), function)
        monkeypatch.setattr(place, lambda *given, _real=real, _what=what, **n: done.append(_what) or _real(*given, **n))
    task = Task(names, settings | {"id": "id", "seed": 7, "n_resamples": 200})
    compare_job(tmp_path, Limits(), task)
    assert Counter(done) == {"settings": 1, "request": 1, "files": opened, "pictures": 1}
    assert (tmp_path / "thresholds.json").exists() == ("measure" in settings)


def test_a_result_that_was_waited_for_has_no_pictures_and_is_not_kept():
    async def work(client, app):
        left = []
        forget = app.state.pool.forget
        app.state.pool.forget = lambda job: (left.extend(path.name for path in job.folder.iterdir()), forget(job))
        answer = await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))
        return (
            answer.status_code,
            [name for name in left if name.endswith((".svg", ".html"))],
            dict(app.state.pool.jobs),
        )

    assert asking(work, in_process=True) == (200, [], {})


def test_work_that_would_take_too_long_is_refused_with_the_estimate():
    async def work(client, _):
        return await client.post("/api/compare", files=form(LONG | {"n_resamples": "20000000"}))

    before = asking(work, seconds=9.0)
    words = words_of(before, 422)
    assert re.search(r"20,000,000 replicates would take about \S+ (minutes|hours) and 2.\d+ GiB of memory here", words)
    assert "at most 9 seconds and 2 GiB" in words
    assert re.search(r"--n-resamples \d+,", words)
    assert before.json()["error"]["field"] == "n_resamples"


def test_work_that_turns_out_to_take_too_long_is_refused_while_it_is_drawn(tmp_path, monkeypatch):
    """The first block, which may have waited for a compiler, counts for nothing; then 1,000 replicates take 3 s."""
    clock = iter([0.0, 50.0, 53.0])
    monkeypatch.setattr("clearwin.web.comparing.time", SimpleNamespace(monotonic=lambda: next(clock)))
    progress = Progress(tmp_path / "progress.json", Limits(seconds=600.0))
    progress.replicates(1_000, MANY)
    with pytest.raises(OptionError, match=f"{MANY:,} replicates would take about 1. minutes"):
        progress.replicates(2_000, MANY)  # 53 s so far and 198 · 3 s to come


def test_replicates_that_would_not_fit_into_memory_are_refused_before_they_are_drawn():
    async def work(client, _):
        settings = {**EIGHTS, "example": "eights", "measure": "mcc", "test": "bootstrap", "n_resamples": "100000000"}
        answer = await client.post("/api/compare", files=form(settings))
        without = settings | {"measure": "accuracy", "test": "mcnemar"}
        return answer, (await client.post("/api/compare", files=form(without))).status_code

    answer, none_drawn = asking(work)
    words = words_of(answer, 422)
    assert re.search(r"100,000,000 replicates would take about .* and [5-9]\.\d+ GiB of memory here", words)
    assert "at most 10 minutes and 2 GiB" in words
    assert re.search("--n-resamples [23]0000000,", words)  # by what the libraries take themselves
    assert none_drawn == 200


def test_only_what_is_drawn_is_counted():
    asked = []
    rehearse(asked.append, MANY, BYTES_EACH, Limits())
    assert asked == []  # few enough
    rehearse(asked.append, 100_000_000, BYTES_EACH, Limits())
    assert asked == [REHEARSED]  # a test that draws nothing
    assert 20_000_000 * BYTES_EACH < Limits().memory < 100_000_000 * BYTES_EACH


def test_a_job_that_needs_too_much_memory_dies_alone():
    """Two columns of a million and a half numbers, held as texts of 18 letters, do not fit into 256 MiB."""
    table = pa.table({name: pa.array(np.arange(1_500_000) / 7) for name in ("a", "b")})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)

    async def work(client, _):
        hungry = [
            ("files", ("p.parquet", sink.getvalue().to_pybytes())),
            *form({"a": "a", "b": "b", "measure": "mean"}),
        ]
        return await client.post("/api/compare", files=hungry), await client.get("/openapi.json")

    hungry, after = asking(work, memory=256 * MIB)
    assert "more than the 256 MiB of memory" in words_of(hungry, 422)
    assert after.status_code == 200


def test_a_watched_job_ends_when_nobody_asks_and_columns_never_wait_for_comparisons():
    async def work(client, app):
        watched = (await client.post("/api/compare?wait=false&watched=true", files=form(LONG))).json()["id"]
        looked = await client.post("/api/columns", files=form({"example": "eights"}))
        pool = app.state.pool
        await until(client, watched, "running")
        pool.sweep()
        kept = pool.jobs[watched].state
        pool.jobs[watched].asked -= 100
        pool.sweep()
        ended = await until(client, watched, "cancelled")
        unwatched = (await client.post("/api/compare?wait=false", files=form(LONG))).json()["id"]
        asked = pool.jobs[unwatched].asked
        await pool.cancel(pool.jobs[unwatched])  # before it has begun
        return looked.status_code, kept, ended["state"], asked

    looked, kept, ended, unwatched = asking(work, workers=1, queue=0)
    assert (looked, kept, ended, unwatched) == (200, "running", "cancelled", None)


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


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("wiat=false", "did you mean 'wait'?"),
        ("wait=false&measure=f1", "send it in the body"),
        ("x=1", "wait, watched"),
    ],
)
@pytest.mark.parametrize("verb", ["compare", "columns"])
def test_an_unknown_query_parameter_is_refused(query, told, verb, shared):
    answer = shared(lambda c: c.post(f"/api/{verb}?{query}", files=form({"example": "eights"})))
    assert told in words_of(answer, 422)


@pytest.mark.parametrize("name", ["margin", "dev", "html"])
def test_a_setting_that_only_the_command_has_is_refused_with_the_command(name, shared):
    answer = shared(lambda c: c.post("/api/compare", files=form({**EIGHTS, "example": "eights", name: "0.1"})))
    assert f"clearwin compare … --{name}" in words_of(answer, 422)
    nonsense = shared(lambda c: c.post("/api/compare", files=form({**EIGHTS, "example": "eights", "mrgin": "0.1"})))
    assert "use the command" not in words_of(nonsense, 422)


def test_the_endpoint_takes_patterns_and_counts_which_the_form_lacks(shared):
    """docs/page.md says so."""
    text = "g_x,g_y,s_x,s_y,r_x,r_y,one\n" + "1,0,1,0,1,0,1\n0,1,0,1,1,1,1\n" * 9
    counts = {"truth": "one", "a": "s_x,r_x", "b": "g_x,r_x"}
    asked = {"micro_f1": {"truth": "g_*", "a": "s_*", "b": "r_*"}, "f1_of_sums": counts}
    for measure, columns in asked.items():
        sent = [("files", ("m.csv", text.encode())), *form({**columns, "measure": measure, "seed": "1"})]
        answer = shared(lambda c, sent=sent: c.post("/api/compare", files=sent))
        assert answer.status_code == 200, answer.text


def test_results_are_kept_for_a_while_and_not_too_many():
    async def work():
        pool = Pool(Limits(kept=2, kept_seconds=100.0))
        jobs = [pool.reserve("compare") for _ in range(4)]
        for job in jobs:
            job.end("done")
        pool.sweep()
        few = set(pool.jobs) == {job.id for job in jobs[2:]}
        jobs[2].ended = time.monotonic() - 101
        pool.sweep()
        folders = [path.name for path in pool.root.iterdir()]
        await pool.close()
        return few, folders == [jobs[3].id], pool.root.exists()

    assert asyncio.run(work()) == (True, True, False)


def test_what_ended_last_is_kept_and_looks_push_nothing_out():
    async def work():
        pool = Pool(Limits(kept=2))
        long, *short = [pool.reserve("compare") for _ in range(4)]
        looks = [pool.reserve("columns") for _ in range(3)]
        for i, job in enumerate((*short, long, *looks)):
            job.end("done")
            job.ended += i  # clocks may be coarse
        pool.sweep()
        kept = set(pool.jobs)
        await pool.close()
        return kept == {short[-1].id, long.id, looks[1].id, looks[2].id}

    assert asyncio.run(work())

    async def ask(client, app):
        answer = await client.post("/api/columns", files=form({"example": "eights"}))
        return answer.json()["files"], dict(app.state.pool.jobs)

    files, jobs = asking(ask, in_process=True)
    assert files
    assert jobs == {}


def test_a_place_that_was_taken_while_receiving():
    async def work():
        pool = Pool(Limits(workers=1, short_queue=0))
        first, second = pool.reserve("compare"), pool.reserve("compare")
        first.state = "running"
        with pytest.raises(BusyError, match="1 jobs are under way"):
            pool.start(second)
        first.end("done")
        await pool.close()

    asyncio.run(work())


def test_folders_of_servers_that_were_killed_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    living, lock = held_folder("clearwin-page-")
    left, fresh, other = (tmp_path / name for name in ("clearwin-page-left", "clearwin-page-fresh", "other"))
    elsewhere = tmp_path / "elsewhere"
    for folder in (left, fresh, other, elsewhere):
        folder.mkdir()
        (folder / "sent.csv").write_text("secret")
    (tmp_path / "clearwin-page-link").symlink_to(elsewhere)
    for folder in (living, left, other, elsewhere):
        os.utime(folder, (0, 0))
    new, second = held_folder("clearwin-page-")
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {living.name, new.name, fresh.name, "other", "elsewhere", "clearwin-page-link"}
    assert stat.S_IMODE(new.stat().st_mode) == 0o700
    assert (elsewhere / "sent.csv").exists()
    os.close(lock)
    os.close(second)


# --- safety ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/static/page.js", "/static/threshold.js", "/openapi.json", "/nowhere", "/static/../app.py"]
)
def test_every_answer_carries_the_headers(path, shared):
    answer = shared(lambda client: client.get(path))
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in answer.headers
    assert answer.status_code == (404 if path in ("/nowhere", "/static/../app.py") else 200)


def test_the_policy_lets_nothing_inline_run():
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"host": "localhost:8765"}, 200),
        ("GET", {"host": "[::1]:8765"}, 200),
        ("GET", {"host": "evil.example"}, 403),
        ("GET", {"host": "127.0.0.1.evil.example"}, 403),
        ("GET", {"host": "[::1"}, 403),
        ("GET", {"host": ""}, 403),
        ("POST", {"origin": "http://evil.example"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"origin": "http://["}, 403),
        ("POST", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", {"origin": "http://localhost", "sec-fetch-site": "same-origin"}, 405),
    ],
)
def test_foreign_names_and_foreign_pages_are_refused(method, headers, status, shared):
    assert shared(lambda client: client.request(method, "/", headers=headers)).status_code == status


def test_served_on_all_addresses_only_names_can_be_foreign():
    async def status(host):
        app = make_app(hosts=("localhost", "0.0.0.0"))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return (await client.get("/openapi.json", headers={"host": host})).status_code

    assert [asyncio.run(status(host)) for host in ("192.168.1.7:80", "localhost", "evil.example")] == [200, 200, 403]


class Tags(HTMLParser):
    """What a browser would make of a page: every tag with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_no_hostile_name_is_markup_in_any_template():
    for name in HOSTILE:
        told = {
            "job": "x",
            "opening": [name],
            "verdict": name,
            "null": name,
            "caveats": [name],
            "command": name,
            "blocks": [{"text": name}, {"rows": [[name, name]], "head": [name], "title": name}],
            "pictures": [{"title": name, "alt": name, "wide": False}],
            "thresholds": True,
            "renamed": [{"was": name, "now": name, "again": ""}],
        }
        harmless_one = json.loads(json.dumps(told).replace(json.dumps(name), '"x"'))
        plain = Tags(TEMPLATES.get_template("result.html").render(harmless_one))
        hostile = Tags(TEMPLATES.get_template("result.html").render(told))
        assert [tag for tag, _ in hostile.found] == [tag for tag, _ in plain.found]
        assert not any(key.startswith("on") or key == "style" for _, attributes in hostile.found for key in attributes)


def test_our_own_pages_have_nothing_inline(shared):
    tags = Tags(shared(lambda client: client.get("/")).text).found
    assert [attributes.get("src") for tag, attributes in tags if tag == "script"] == ["/static/page.js"]
    assert not any(key.startswith("on") or key == "style" for _, attributes in tags for key in attributes)
    for path in (SHIPPED.parent.parent / "web" / "static").glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|https?://(?!www\.w3)", text
        )
    assert "url(" not in (SHIPPED.parent.parent / "web" / "static" / "page.css").read_text(encoding="utf-8")


def test_every_field_of_the_form_has_a_label(shared):
    tags = Tags(shared(lambda client: client.get("/")).text).found
    labelled = {attributes["for"] for tag, attributes in tags if tag == "label"}
    assert {attributes["id"] for tag, attributes in tags if tag in ("input", "select")} <= labelled
    described = {i for _, attributes in tags for i in (attributes.get("aria-describedby") or "").split()}
    assert described <= {attributes.get("id") for _, attributes in tags}


def test_a_hundred_hostile_names_go_through_a_job_as_text():
    """As labels of every class, as columns and as the file's name: in the page, the pictures and the report."""
    assert len(HOSTILE) > 100
    labels = [name for name in HOSTILE if "\x00" not in name]  # which no CSV can hold
    a, b = BASE[1], BASE[2]
    quote = lambda text: '"' + text.replace('"', '""') + '"'  # noqa: E731
    rows = [("<b>y</b>", a, b)]
    rows += [(name, other, name) for name, other in zip(labels, labels[1:] + labels[:1], strict=True)]
    rows += [(name, name, name) for name in labels]
    text = "\n".join(",".join(map(quote, row)) for row in rows)

    async def work(client, _):
        sent = [("files", ("../<i>&\u202e x.csv", text.encode()))]
        settings = form(
            {
                "truth": "<b>y</b>",
                "a": a,
                "b": b,
                "measure": "f1",
                "test": "permutation",
                "seed": "1",
                "per_class": "true",
                "n_resamples": "100",
            }
        )
        job = (await client.post("/api/compare?wait=false", files=[*sent, *settings])).json()["id"]
        await until(client, job, "done")
        shown = await client.get(f"/jobs/{job}/shown")
        pictures = [await client.get(f"/jobs/{job}/pictures/{i}.svg") for i in range(shown.text.count("<img"))]
        return shown.text, [picture.text for picture in pictures], (await client.get(f"/jobs/{job}/report.html")).text

    shown, pictures, report = asking(work, in_process=True)
    for page_text in (shown, report, *pictures):
        assert not re.search(r"<(script|iframe|b|i|base|img src=x|svg onload)[ >]", page_text)
        assert not re.search("[\u202e\u2066\x1b]", page_text)
        assert not any(key.startswith("on") for _, attributes in Tags(page_text).found for key in attributes)
    assert "&lt;base href=//evil&gt;" in shown
    assert pictures


def test_uploaded_names_stay_in_their_folder():
    taken = []
    for name in [*HOSTILE, *HOSTILE, "-", "x" * 3000]:
        kept = harmless(f"{name}.csv", taken)
        taken.append(kept)
        assert Path(kept).name == kept
        assert kept.isprintable()
        assert not kept.startswith(".")
        assert len(kept.encode()) < 150
    assert len(set(taken)) == len(taken)
    for name in ("matplotlibrc", "numpy.py", ".csv", "", "x.csv/..", "a.csv\x00.py", ".numba_config.yaml"):
        with pytest.raises(FileError):
            harmless(name, [])
    assert harmless("gold.v2.csv.gz", ["gold.v2.csv.gz"]) == "gold.v2-2.csv.gz"


def test_a_file_is_called_as_its_owner_does_or_it_is_said():
    """A browser sends a double quote as %22; the command has to find the file all the same."""
    name = "<b>x'%22&.csv"
    assert as_chosen(name) == "<b>x'\"&.csv"

    async def work(client, _):
        rows = b"truth,a,b\n" + b"1,0,1\n0,0,0\n" * 9
        settings = form({"truth": "truth", "a": "a", "b": "b", "seed": "1", "positive": "1"})
        return [await _shown(client, [("files", (n, rows)), *settings]) for n in (name, "a\u202eb.csv")]

    quoted, turned = (html.unescape(text) for text in asking(work, in_process=True))
    command = re.search(r"<pre[^>]*>(.*?)</pre>", quoted, re.DOTALL)[1]
    assert shlex.split(command)[2] == as_chosen(name)
    assert "is called" not in quoted
    assert "b.csv is called a_b.csv here. Rename or copy it" in turned


def test_a_job_never_imports_from_what_was_sent(tmp_path):
    """The same flag that jobs are started with, in a folder with a module that must not be found."""
    (tmp_path / "clearwin_trap.py").write_text("raise SystemExit(7)")
    found = subprocess.run([sys.executable, "-P", "-c", "import clearwin_trap"], cwd=tmp_path, capture_output=True)
    assert b"ModuleNotFoundError" in found.stderr
    source = (SHIPPED.parent.parent / "web" / "jobs.py").read_text(encoding="utf-8")
    assert source.count("sys.executable") == source.count('sys.executable, "-P", "-m", "clearwin.web.') == 2


def test_no_pickle():
    for path in (SHIPPED.parent.parent / "web").glob("*.py"):
        assert "pickle" not in path.read_text(encoding="utf-8")


# --- the settings and their description --------------------------------------------------------------------------


def test_settings_are_the_commands_options():
    words = arguments(
        ["-x.csv"],
        {
            "truth": "-y",
            "measure": "dcf(prior=0.1)",
            "seed": 7,
            "confidence_level": "0.95",
            "b": "",
            "per_class": "true",
            "rank_infinite": False,
            "groups": None,
        },
    )
    assert words == ["./-x.csv", "--truth=-y", "--measure", "dcf(prior=0.1)", "--seed", "7", "--per-class"]
    found = parsed(words)
    assert (found["truth"], found["rng"], found["per_class"], found["dev"]) == ("-y", 7, True, None)
    assert command_line(["a b.csv"]) == "clearwin compare 'a b.csv'"
    assert "json" not in SETTINGS
    assert "dev" not in SETTINGS
    with pytest.raises(UnknownNameError, match="measure"):
        arguments(["x.csv"], {"mesure": "1"})
    with pytest.raises(OptionError, match="characters"):
        arguments(["x.csv"], {"truth": "x" * 2_000})
    with pytest.raises(ClearwinError, match="--seed"):
        parsed(["x.csv", "--seed", "-1"])


def test_the_description_matches_the_routes():
    told = description()
    assert told["openapi"].startswith("3.1")
    routes = {r.path: r.methods - {"HEAD"} for r in make_app().routes if isinstance(r, Route) and "/api/" in r.path}
    assert {path: {method.upper() for method in methods} for path, methods in told["paths"].items()} == routes
    for path, methods in told["paths"].items():
        for method in methods.values():
            assert method["summary"]
            assert method["responses"]
            named = {p["name"] for p in method.get("parameters", []) if p["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))
    for name in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(told)):
        assert name in told["components"]["schemas"]
    body = told["paths"]["/api/compare"]["post"]["requestBody"]["content"]
    for kind, own in (("multipart/form-data", {"files", "example"}), ("application/json", {"columns"})):
        properties = body[kind]["schema"]["properties"]
        assert set(properties) == own | set(SETTINGS)
        assert all(
            p.get("type") in ("string", "number", "integer", "boolean", "array", "object") for p in properties.values()
        )
        assert properties["n_resamples"] == {"type": "integer", "description": "Replicates to draw.", "default": 10_000}


def fits(value, schema, told):
    """Whether a value is what a schema of ours says."""
    if "$ref" in schema:
        return fits(value, told["components"]["schemas"][schema["$ref"].rpartition("/")[2]], told)
    if several := schema.get("anyOf") or schema.get("oneOf"):
        found = sum(fits(value, one, told) for one in several)
        return found == 1 if "oneOf" in schema else found > 0
    if "enum" in schema:
        return value in schema["enum"]
    kinds = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "array": list,
        "object": dict,
    }
    named = schema.get("type", list(kinds))
    if not any(isinstance(value, kinds[kind]) for kind in ([named] if isinstance(named, str) else named)):
        return False
    if isinstance(value, list):
        return all(fits(one, schema["items"], told) for one in value)
    if not isinstance(value, dict):
        return True
    own, more = schema.get("properties", {}), schema.get("additionalProperties")
    if not set(schema.get("required", ())) <= set(value) or (more is None and not set(value) <= set(own)):
        return False
    return all(fits(one, own.get(name, more), told) for name, one in value.items())


def test_the_description_fits_what_is_answered(compared):
    told = description()

    async def work(client, _):
        eights = {**EIGHTS, "example": "eights"}
        digits = {"truth": "truth", "a": "linear", "b": "gaussian", "seed": "1"}
        digits |= {"example": "digits", "measure": "f1"}
        sent = [eights, eights | {"measure": "accuracy"}, digits | {"per_class": "true"}, {"example": "scores"}]
        paths = ["/api/compare"] * 3 + ["/api/columns"]
        return [await client.post(path, files=form(one)) for path, one in zip(paths, sent, strict=True)]

    *results, columns = asking(work, in_process=True)
    for answer in (*results, compared["result"]):
        assert answer.status_code == 200, answer.text
        assert fits(answer.json(), {"$ref": "#/components/schemas/Result"}, told)
    assert fits(columns.json(), {"$ref": "#/components/schemas/Columns"}, told)
    assert fits(compared["thresholds"].json(), {"$ref": "#/components/schemas/Thresholds"}, told)
    assert fits(compared["done"], {"$ref": "#/components/schemas/Job"}, told)
    assert fits(compared["no picture"].json(), {"$ref": "#/components/schemas/Error"}, told)
    assert not fits(results[0].json() | {"news": 1}, {"$ref": "#/components/schemas/Result"}, told)
    body = told["paths"]["/api/compare"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert body["properties"]["claim"]["enum"] == ["different", "better", "worse"]
    assert body["properties"]["test"]["enum"] == ["auto", *cw.list_tests()]
    assert body["properties"]["correction"]["enum"] == ["holm", "benjamini-hochberg"]
    assert "f1" in body["properties"]["measure"]["examples"]
    looked = told["paths"]["/api/columns"]["post"]["requestBody"]["content"]
    assert set(looked["multipart/form-data"]["schema"]["properties"]) == {"files", "example"}
    assert set(looked["application/json"]["schema"]["properties"]) == {"columns"}


def test_examples_can_be_downloaded(shared):
    for file, _ in EXAMPLES.values():
        assert shared(lambda c, file=file: c.get(f"/examples/{file}")).content == (SHIPPED / file).read_bytes()
    assert shared(lambda c: c.get("/examples/README.csv")).status_code == 404


def test_the_shipped_scores_make_the_shipped_decisions():
    scores, labels = (
        [line.split(",") for line in (SHIPPED / name).read_text().splitlines()[1:]]
        for name in ("digits_eight_scores.csv", "digits_eight.csv")
    )
    decided = [[i, t, *("eight" if float(x) > 0 else "other" for x in models)] for i, t, *models in scores]
    assert decided == labels


# --- the command -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def served(tmp_path, *options):
    """Run `clearwin serve` and yield its process and address."""
    words = [
        sys.executable,
        "-c",
        "from clearwin.cli import main; main()",
        "serve",
        "--no-browser",
        "--port",
        "0",
        *options,
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        url = re.search(r"http://\S+", process.stdout.readline())[0]
        httpx.get(f"{url.replace('0.0.0.0', '127.0.0.1')}openapi.json", timeout=60)  # it serves, and takes signals
        yield process, url
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_server_ends_with_all_its_jobs_and_files(tmp_path, sent):
    with served(tmp_path) as (process, url):
        job = httpx.post(f"{url}api/compare?wait=false", files=form(LONG), timeout=60).json()["id"]
        while httpx.get(f"{url}api/jobs/{job}", timeout=60).json().get("stage", "starting") == "starting":
            time.sleep(0.05)
        [warm] = children_of(process.pid)
        [child] = children_of(warm)
        process.send_signal(sent)
        _, said = process.communicate(timeout=60)
        for _ in range(100):
            if all(map(is_gone, (warm, child))):
                break
            time.sleep(0.05)
        else:
            raise AssertionError("the job outlived its server")
        assert said == ""
        if sent != signal.SIGKILL:
            assert list(tmp_path.iterdir()) == []
        assert process.returncode == {signal.SIGINT: 0, signal.SIGTERM: -15, signal.SIGHUP: 0, signal.SIGKILL: -9}[sent]


def is_gone(pid):
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def test_a_job_that_nobody_waits_for_is_ended(tmp_path):
    with served(tmp_path) as (process, url):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{url}api/compare", files=form(LONG), timeout=httpx.Timeout(30, read=1.0))
        [warm] = children_of(process.pid)
        for _ in range(200):
            if not children_of(warm):
                break
            time.sleep(0.05)
        assert children_of(warm) == []


def test_ctrl_c_is_heeded_before_the_address_is_told(monkeypatch):
    import click
    import uvicorn

    heeding, before = [], signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(click, "echo", lambda *_, **__: heeding.append(signal.getsignal(signal.SIGINT)))
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    try:
        CliRunner().invoke(main, ["serve", "--no-browser", "--port", "0"], catch_exceptions=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [getattr(handler, "__func__", None) for handler in heeding] == [uvicorn.Server.handle_exit]


def test_other_addresses_only_when_asked_for_and_then_it_says_so(tmp_path):
    with served(tmp_path) as (process, url):
        assert url.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == ""
    with served(tmp_path, "--host", "0.0.0.0") as (process, url):
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert "anyone who can reach 0.0.0.0:" in said
    assert "no password and no encryption" in said


def test_the_command_bounds_its_connections(monkeypatch):
    class Made(Exception):
        pass

    def config(app, *, http, **_):
        raise Made(http)

    monkeypatch.setattr("uvicorn.Config", config)
    answer = CliRunner().invoke(main, ["serve", "--no-browser", "--port", "0"])
    assert isinstance(answer.exception, Made)
    assert answer.exception.args[0].limits.connections == 200


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        answer = CliRunner().invoke(main, ["serve", "--no-browser", "--port", str(taken.getsockname()[1])])
    assert answer.exit_code == 2
    assert "--port 0" in answer.stderr


@pytest.mark.study
def test_many_clients_get_answers_or_are_told_to_wait():
    """The short form of `python scripts/load_page.py`, whose full form is 50 clients for a minute."""
    script = Path(__file__).parents[2] / "scripts" / "load_page.py"
    said = subprocess.run(
        [sys.executable, script, "--clients", "50", "--seconds", "1"], capture_output=True, text=True, check=True
    ).stdout
    statuses = {int(status): int(count) for status, count in re.findall(r"^  (\d{3}): (\d+)$", said, re.M)}
    assert set(statuses) == {200}  # there is a place for each of so many
    assert int(re.search(r"at most (\d+) MiB", said)[1]) < 1024
