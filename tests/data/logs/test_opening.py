"""Paths become systems: by content, from files, folders and patterns, with names that can be told apart."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clearwin as cw
from clearwin.data.logs import opening
from clearwin.data.logs.base import Format, LogFile
from clearwin.data.logs.opening import FORMATS, are_logs
from clearwin.errors import ClearwinError, FileError
from tests.data.logs.made import (
    helm_record,
    helm_run,
    inspect_eval,
    inspect_json,
    inspect_sample,
    lm_eval_line,
    lm_eval_run,
    promptfoo_answer,
    promptfoo_output,
)

LINES = [lm_eval_line(i, {"acc": float(i % 2)}) for i in range(6)]


def test_the_ending_does_not_matter(tmp_path):
    folder = lm_eval_run(tmp_path / "x", LINES, results=False)
    (file,) = folder.iterdir()
    other = file.rename(folder / "preds.csv")
    assert are_logs([str(other)])
    assert cw.logs.read(other).format == "lm-evaluation-harness samples"


def test_tables_are_not_logs(tmp_path):
    for name, content in {
        "a.csv": "truth,a,b\n1,0,1\n",
        "a.tsv": "truth\ta\tb\tscore\n1\t0\t1\t0.5\n",
        "a.jsonl": '{"truth": 1, "a": 0, "b": 1}\n',
        "counts.json": '{"e1": 1, "e2": 2}',
        "words.txt": "one word after another\n",
        "empty": "",
    }.items():
        (tmp_path / name).write_text(content)
        assert not are_logs([str(tmp_path / name)]), name
    assert not are_logs(["-"])
    assert not are_logs([str(tmp_path / "nowhere")])


def test_a_folder_is_one_of_logs_unless_there_are_parquet_files_in_it(tmp_path):
    (tmp_path / "notes.txt").write_text("what the logs are is said later, when they are read")
    assert are_logs([str(tmp_path)])
    (tmp_path / "parts").mkdir()
    pq.write_table(pa.table({"truth": ["yes", "no"]}), tmp_path / "parts" / "0.parquet")
    assert not are_logs([str(tmp_path)])
    lm_eval_run(tmp_path / "x", LINES)
    assert are_logs([str(tmp_path)])


def test_a_pattern_and_a_folder_of_folders(tmp_path):
    for name in ("one", "two", "three"):
        lm_eval_run(tmp_path / name, LINES)
    assert set(cw.logs.read(str(tmp_path / "t*")).names) == {"two", "three"}
    assert set(cw.logs.read(tmp_path).names) == {"one", "two", "three"}


def test_a_model_with_two_settings_is_called_by_its_folders(tmp_path):
    shots = [lm_eval_run(tmp_path / name, LINES, model="org/same") for name in ("zero", "five")]
    assert cw.logs.read(*shots).names == ("zero", "five")
    assert set(cw.logs.read(tmp_path).names) == {"zero", "five"}


def test_a_model_against_itself(tmp_path):
    folder = lm_eval_run(tmp_path / "x", LINES)
    r = cw.compare(data=cw.logs.read(folder, folder), test="mcnemar")
    assert (r.name_a, r.name_b, r.p_value) == ("x (1)", "x (2)", 1.0)


def test_what_is_not_a_log_is_named(tmp_path):
    folder = lm_eval_run(tmp_path / "x", LINES)
    (tmp_path / "a.csv").write_text("truth,a\n1,0\n")
    with pytest.raises(FileError, match=r"a.csv is not a log of a format that clearwin knows") as error:
        cw.logs.read(folder, tmp_path / "a.csv")
    assert all(form.name in error.value.expected for form in FORMATS)
    with pytest.raises(FileError, match="There is nothing at"):
        cw.logs.read(folder, tmp_path / "nowhere")
    other = tmp_path / "other"
    other.mkdir()
    for name in "xy":
        (other / name).write_text("notes")
    with pytest.raises(FileError, match="logs of 0 formats"):
        cw.logs.read(other)


def test_formats_are_not_mixed(tmp_path):
    lm_eval_run(tmp_path / "x", LINES)
    inspect_json(tmp_path / "y.json", [inspect_sample(1, "C")])
    with pytest.raises(FileError, match="2 formats: Inspect log, lm-evaluation-harness samples"):
        cw.logs.read(tmp_path)


def test_two_logs_of_one_task_that_are_not_reruns_are_refused(tmp_path):
    for name, task_id, day in (("1", "t", "1"), ("2", "t", "2"), ("3", "other", "3")):
        about = {"model": "m", "task_id": task_id, "created": f"2026-01-0{day}"}
        inspect_json(tmp_path / f"{name}.json", [inspect_sample(1, "C" if name == "2" else "I")], eval=about)
    with pytest.raises(FileError, match="There are two logs of arc by m"):
        cw.logs.read(tmp_path)
    (tmp_path / "3.json").unlink()
    runs = cw.logs.read(tmp_path)
    assert runs.rows["m"][0].metrics == {"choice": 1.0}
    assert "the newest counts" in runs.caveats[0].text


def test_logs_that_were_cut_or_edited_are_refused_in_words(tmp_path):
    """Whatever is missing: an error of ours, never a bare KeyError."""
    helm = helm_run(tmp_path, "m", [helm_record("1", {"exact_match": 1.0})]) / "per_instance_stats.json"
    foo = promptfoo_output(tmp_path / "foo.json", [promptfoo_answer(0, 0, True, {"x": 1})])
    log = inspect_json(tmp_path / "log.json", [inspect_sample(1, "C")])
    (lm,) = lm_eval_run(tmp_path / "lm", LINES, results=False).iterdir()
    for path, parts in (
        (helm, ["instance_id", "stats", "name", "sum"]),
        (foo, ["testIdx", "promptIdx", "success", "score", "vars"]),
        (log, ["model", "task", "id", "scores", "samples", "status"]),
        (lm, ["doc_id", "metrics", "acc"]),
    ):
        whole = path.read_text()
        for part in parts:
            for other in (whole.replace(f'"{part}":', '"gone":'), whole[: whole.index(f'"{part}"')]):
                path.write_text(other)
                with contextlib.suppress(ClearwinError):
                    cw.estimate(data=cw.logs.read(path), n_resamples=9, rng=1)
    zipped = inspect_eval(tmp_path / "log.eval", [inspect_sample(1, "C")])
    zipped.write_bytes(zipped.read_bytes().replace(b"summaries", b"summarise", 1))
    with pytest.raises(FileError, match=r"summaries.json cannot be unpacked: .* differ\.\n"):
        cw.logs.read(zipped)


def test_logs_without_a_run_are_refused_whatever_their_format():
    form = Format("logs of a kind", lambda file: True, lambda files, companions, metric: iter(()))
    with pytest.raises(FileError, match=r"no answers in old.json, new.json"):
        opening._read(form, [LogFile(Path(name), name) for name in ("old.json", "new.json")], [], None)
