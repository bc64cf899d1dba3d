"""The work of a job: it answers as the command does, and what would take too much is refused beforehand."""

from __future__ import annotations

import asyncio
import gzip
import html
import importlib
import io
import json
import re
import shlex
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clearwin.data.files.guessing import look
from clearwin.data.files.sources import each_table
from clearwin.errors import OptionError
from clearwin.web.comparing import BYTES_EACH, MANY, REHEARSED, Progress, Task, refuse_columns, rehearse
from clearwin.web.comparing import compare as compare_job
from clearwin.web.refusals import MIB, Limits, TooLargeError
from tests.data.logs.made import inspect_header, inspect_sample
from tests.web.asking import EIGHTS, LONG, SHIPPED, _shown, asking, command, form, words_of


def test_the_answer_is_that_of_the_command(compared, tmp_path, monkeypatch):
    (tmp_path / "eight scores.csv").write_bytes((SHIPPED / "digits_eight_scores.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    shown = html.unescape(re.search(r'<pre id="command"[^>]*>(.*?)</pre>', compared["shown"].text, re.S)[1])
    program, *words = shlex.split(shown)
    assert program == "clearwin"
    assert command(*words, "--json") == compared["result"].text
    assert compared["result"].text == compared["result.json"].text


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


def test_an_array_of_objects_is_a_table():
    """The columns are those of the objects, and of the objects in them; label sets are lists there."""
    items = [{"id": i, "gold": ["x", "y"][: 1 + i % 2], "of": {"svm": ["x"], "rbf": ["x", "y"]}} for i in range(40)]
    sent = [("files", ("items.json", json.dumps(items).encode()))]
    asked = {"truth": "gold", "a": "of.svm", "b": "of.rbf", "measure": "micro_f1", "separator": ",", "seed": "1"}

    async def work(client, _):
        looked = await client.post("/api/columns", files=sent)
        return looked, await client.post("/api/compare", files=[*sent, *form(asked)])

    looked, compared = asking(work, in_process=True)
    names = [column["name"] for column in looked.json()["files"][0]["columns"]]
    assert names == ["id", "gold", "of", "of.svm", "of.rbf"]
    # 60 true labels: 40 of 40 that svm gives, 60 of 80 that rbf gives
    assert compared.json()["estimate_a"] == pytest.approx(2 * 40 / (60 + 40))
    assert compared.json()["estimate_b"] == pytest.approx(2 * 60 / (60 + 80))


def test_two_files_that_both_have_the_truth():
    """The truth is A's, and truths that differ are refused."""
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
    assert "differ on 1 of 40 items: 0 is 'dog' and 'cat'" in words_of(differing, 422)
    assert "compare p.csv p-2.csv" in same_name
    assert "the second one is called p-2.csv here" in same_name


@pytest.mark.parametrize(
    ("names", "settings", "field", "words"),
    [
        (("p.csv", "q.csv"), {"truth": "", "measure": "f1"}, "truth", "column of the truth was not given"),
        (("p.csv", "q.csv"), {"truth": "", "measure": "accuracy"}, "truth", "the column y is called like one"),
        (("p.csv", "q.csv"), {"id": ""}, "id", "column that joins the 2 files was not given"),
        (("g.csv", "p.csv", "q.csv"), {"id": ""}, "id", "column that joins the 3 files was not given"),
        (("g.csv", "p.csv", "q.csv"), {"truth": "", "measure": "mean"}, "measure", "mean value does not use a truth"),
    ],
)
def test_several_files_with_something_missing(names, settings, field, words, shared):
    sent = [("files", (name, b"id,y,said\n1,1,1\n2,0,0\n")) for name in names]
    asked = {"truth": "y", "a": "said", "b": "said", "id": "id"} | settings
    answer = shared(lambda client: client.post("/api/compare", files=[*sent, *form(asked)]))
    assert words in words_of(answer, 422)
    assert answer.json()["error"]["field"] == field
    assert "clearwin compare" not in words_of(answer, 422)


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


def eval_log(name, blanks):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps(inspect_header(name)))
        log.writestr("summaries.json", json.dumps([inspect_sample(i, "CI"[i % 3 == 0]) for i in range(9)]) + blanks)
        log.writestr("samples/1_epoch_1.json", " " * (32 * MIB))
    return "files", (f"{name}.eval", content.getvalue())


@pytest.mark.parametrize("verb", ["columns", "compare"])
def test_a_log_hides_no_bomb(verb):
    """Its samples are never unpacked, so only what is read of it counts."""
    small, large = eval_log("small", ""), eval_log("large", " " * (32 * MIB))
    assert len(large[1][1]) < 200_000

    async def work(client, _):
        return [await client.post(f"/api/{verb}", files=[small, other]) for other in (eval_log("other", ""), large)]

    fits, refused = asking(work, in_process=True, unpacked=4 * MIB)
    assert fits.status_code == 200
    assert "large.eval holds more than 4 MiB" in words_of(refused, 413)


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


ONCE = {
    "settings": "clearwin.web.comparing.parsed",
    "settings of the verb": "clearwin.cli.compare.as_taken",
    "files": "clearwin.data.files.sources._csv_table",
    "pictures": "clearwin.plots.pictures",
}


@pytest.mark.parametrize(
    ("names", "settings", "opened"),
    [
        (["eights.csv"], {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight"}, 1),
        (["scores.csv"], {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight", "measure": "auc"}, 1),
        # the truth is looked for in A's file
        (["eights.csv", "b.csv"], {"truth": "truth", "a": "linear", "b": "gaussian", "positive": "eight"}, 2),
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
    assert Counter(done) == {"settings": 1, "settings of the verb": 1, "files": opened, "pictures": 1}
    assert (tmp_path / "thresholds.json").exists() == ("measure" in settings)


def test_work_that_would_take_too_long_is_refused_with_the_estimate():
    async def work(client, _):
        return await client.post("/api/compare", files=form(LONG | {"n_resamples": "20000000"}))

    before = asking(work, in_process=True, seconds=9.0)
    words = words_of(before, 422)
    assert re.search(r"20,000,000 replicates would take about \S+ (minutes|hours) and [.\d]+ GiB of memory here", words)
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


def test_replicates_that_would_not_fit_into_memory_are_refused_before_they_are_drawn(shared):
    async def work(client):
        settings = {**EIGHTS, "example": "eights", "measure": "mcc", "test": "bootstrap", "n_resamples": "100000000"}
        answer = await client.post("/api/compare", files=form(settings))
        without = settings | {"measure": "accuracy", "test": "mcnemar"}
        return answer, (await client.post("/api/compare", files=form(without))).status_code

    answer, none_drawn = shared(work)
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


def test_a_plan_is_what_the_command_says(shared):
    given = {"measure": "accuracy", "difference": "0.05", "disagreement": "0.15", "seed": "1"}
    answer = shared(lambda client: client.post("/api/plan", files=form(given)))
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    assert answer.json() == json.loads(command("plan", *words, "--json"))
    refused = shared(lambda client: client.post("/api/plan", files=form({"measure": "accuracy", "items": "x"})))
    assert "a whole number" in words_of(refused, 422)
    assert refused.json()["error"]["field"] == "items"
    by_test = shared(lambda client: client.post("/api/plan", files=form({**given, "test": "mcnemar"})))
    assert "'test'" in words_of(by_test, 422)
