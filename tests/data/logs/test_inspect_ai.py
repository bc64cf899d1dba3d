"""Inspect: .eval and .json logs, epochs, scorers, and logs that say too little."""

from __future__ import annotations

import json
import struct
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
from scipy.stats import f_oneway

import clearwin as cw
from clearwin.data.logs import inspect_ai
from clearwin.errors import DataError, FileError, OptionError
from tests.data.logs.made import inspect_eval, inspect_header, inspect_json, inspect_sample

RIGHT = {"old": "CIICIICCIIIC", "new": "CCCCICCCCICC"}


def samples_of(name):
    return [inspect_sample(i, letter) for i, letter in enumerate(RIGHT[name], 1)]


def test_zip_and_json_are_the_same_whatever_the_order_of_samples(tmp_path):
    old = inspect_eval(tmp_path / "old.eval", samples_of("old")[::-1])
    new = inspect_json(tmp_path / "new.json", samples_of("new"))
    r = cw.compare(data=cw.logs.read(old, new), test="mcnemar", method="exact")
    assert (r.estimate_a, r.estimate_b, r.n) == (5 / 12, 10 / 12, 12)
    # only old wrong 5, only new wrong 0: 2 · (1/2)^5
    assert r.p_value == pytest.approx(0.0625)
    assert r.origin == "Inspect log, metric choice"


def zstd_zip(path, entries):
    """Write a zip whose entries are packed with zstd, method 93, as Inspect writes them.

    A log that inspect_ai 0.3.285 itself wrote (all entries of method 93) was read once: same accuracy as it says.
    """
    zstandard = pytest.importorskip("zstandard")
    body, directory = b"", b""
    for name, content in entries.items():
        packed, raw = zstandard.ZstdCompressor().compress(content), name.encode()
        fields = (0, 93, 0, 0x21, zlib.crc32(content), len(packed), len(content), len(raw), 0)
        directory += (
            struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 63, 63, *fields[:4], *fields[4:], 0, 0, 0, 0, len(body)) + raw
        )
        body += struct.pack("<4s5H3L2H", b"PK\x03\x04", 63, *fields) + raw + packed
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


def zstd_log(path, samples):
    entries = {"header.json": inspect_header(path.stem), "summaries.json": samples}
    return zstd_zip(path, {name: json.dumps(content).encode() for name, content in entries.items()})


def test_zstd_is_read(tmp_path):
    old, new = (zstd_log(tmp_path / f"{name}.eval", samples_of(name)) for name in RIGHT)
    r = cw.compare(data=cw.logs.read(old, new), test="mcnemar")
    assert (r.estimate_a, r.estimate_b) == (5 / 12, 10 / 12)


def test_without_the_package_zstd_says_what_to_install(tmp_path, monkeypatch):
    log = zstd_log(tmp_path / "old.eval", samples_of("old"))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(FileError, match="packed with zstd") as error:
        cw.logs.read(log)
    assert error.value.next == "pip install zstandard"


MIB = 1 << 20


def bomb(path, packing):
    """Write a log whose summaries are 64 MiB of blanks behind one sample: 65 KB deflated, 2 KB with zstd."""
    samples = json.dumps([inspect_sample(1, "C")]).encode() + b" " * (64 * MIB)
    header = json.dumps(inspect_header("old")).encode()
    if packing == inspect_ai.ZSTD:
        return zstd_zip(path, {"header.json": header, "summaries.json": samples})
    with zipfile.ZipFile(path, "w", packing) as log:
        log.writestr("header.json", header)
        log.writestr("summaries.json", samples)
    return path


def refusal_and_peak(path):
    """Return how reading a log is refused, and the most memory that it took."""
    tracemalloc.start()
    try:
        with pytest.raises(FileError) as error:
            cw.logs.read(path)
        return str(error.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, inspect_ai.ZSTD])
def test_a_zip_is_counted_while_it_is_unpacked(tmp_path, monkeypatch, packing):
    path = bomb(tmp_path / "x.eval", packing)
    assert path.stat().st_size < 100_000
    monkeypatch.setattr("clearwin.data.logs.inspect_ai.MOST_UNPACKED", 3 * MIB)
    said, peak = refusal_and_peak(path)
    assert f"{path} holds more than 1 GiB when it is unpacked" in said
    assert peak < 16 * MIB
    monkeypatch.undo()
    assert cw.logs.read(path).n == 1  # what the limit takes is read


def test_the_parts_of_a_journal_are_counted_together(tmp_path, monkeypatch):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps(inspect_header("old")))
        for part in range(9):
            log.writestr(f"_journal/summaries/{part}.json", b"[]" + b" " * MIB)
    monkeypatch.setattr("clearwin.data.logs.inspect_ai.MOST_UNPACKED", 3 * MIB)
    assert "holds more than" in refusal_and_peak(path)[0]


def test_what_a_zip_declares_is_not_believed(tmp_path):
    """Both headers of the entry claim 100 bytes; only so many are unpacked, and their checksum is wrong."""
    path = bomb(tmp_path / "x.eval", zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(path) as log:
        size = log.getinfo("summaries.json").file_size
    content = path.read_bytes()
    assert content.count(struct.pack("<L", size)) == 2
    path.write_bytes(content.replace(struct.pack("<L", size), struct.pack("<L", 100)))
    said, peak = refusal_and_peak(path)
    assert "summaries.json cannot be unpacked" in said
    assert peak < 16 * MIB


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_inspect_does_not_use_are_not_tried(tmp_path, packing):
    """zipfile unpacks them in one piece, however little is asked for."""
    said, peak = refusal_and_peak(bomb(tmp_path / "x.eval", packing))
    assert f"packed by method {packing}, which Inspect does not use" in said
    assert peak < 16 * MIB


def test_summaries_of_the_journal_do_where_there_are_no_others(tmp_path):
    path = tmp_path / "old.eval"
    with zipfile.ZipFile(path, "w") as log:
        log.writestr("header.json", json.dumps(inspect_header("old")))
        for part in (10, 9):
            log.writestr(f"_journal/summaries/{part}.json", json.dumps([inspect_sample(part, "C")]))
    assert list(cw.logs.read(path).columns["item"]) == ["9", "10"]


def test_epochs_are_repeats_of_an_item(tmp_path):
    logs = []
    for name, letters in RIGHT.items():
        samples = [inspect_sample(i // 2, letter, epoch=i % 2 + 1) for i, letter in enumerate(letters)]
        logs.append(inspect_json(tmp_path / f"{name}.json", samples))
    r = cw.compare(data=cw.logs.read(*logs), n_resamples=99, rng=1)
    assert (r.n, r.sampling.unit, r.sampling.n_units) == (12, "group", 6)
    # pairs of old: CI IC II CC II IC; of new: CC CC IC CC CI CC
    r = cw.compare(data=cw.logs.read(*logs, metric="pass@2"), n_resamples=99, rng=1)
    assert (r.n, r.estimate_a, r.estimate_b, r.measure_label) == (6, 4 / 6, 1.0, "pass@2")
    r = cw.compare(data=cw.logs.read(*logs, metric="pass^2(choice)"), n_resamples=99, rng=1)
    assert (r.estimate_a, r.estimate_b) == (1 / 6, 4 / 6)
    with pytest.raises(OptionError, match="pass@3 needs 3 repeats of every item, and there are 2"):
        cw.compare(data=cw.logs.read(*logs, metric="pass@3"))


def test_other_epochs_are_refused(tmp_path):
    old = inspect_json(tmp_path / "old.json", samples_of("old"))
    new = inspect_json(tmp_path / "new.json", [*samples_of("new"), inspect_sample(1, "C", epoch=2)])
    with pytest.raises(DataError, match="1 answers are not in all runs"):
        cw.logs.read(old, new)


def test_of_a_sample_that_occurs_twice_the_last_counts(tmp_path):
    log = inspect_json(tmp_path / "old.json", [*samples_of("old"), inspect_sample(2, "C")])
    runs = cw.logs.read(log)
    assert cw.estimate(data=runs).estimate == 0.5
    assert "occur twice" in runs.caveats[0].text


def test_several_scorers_and_scores_by_name(tmp_path):
    sample = inspect_sample(1, "C") | {
        "scores": {"match": {"value": "P"}, "judge": {"value": {"tone": 0.5, "facts": 1}}}
    }
    log = inspect_json(tmp_path / "x.json", [sample, sample | {"id": 2}, sample | {"id": "3"}])
    with pytest.raises(OptionError, match="3 metrics: judge/facts, judge/tone, match"):
        cw.estimate(data=cw.logs.read(log))
    assert cw.estimate(data=cw.logs.read(log, metric="match"), measure="mean", n_resamples=9, rng=1).estimate == 0.5


@pytest.mark.parametrize("status", ["cancelled", "error", "started"])
def test_runs_that_did_not_end_are_refused(tmp_path, status):
    log = inspect_json(tmp_path / "x.json", samples_of("old"), status=status)
    with pytest.raises(FileError, match=f"not finished: its status is '{status}'") as error:
        cw.logs.read(log)
    assert error.value.next.startswith("inspect eval-retry")


def test_logs_without_scores_or_samples_are_refused(tmp_path):
    unscored = inspect_eval(tmp_path / "x.eval", [inspect_sample(i, None) for i in range(10)])
    with pytest.raises(FileError, match="10 samples, and none of them is scored") as error:
        cw.logs.read(unscored)
    assert error.value.next.startswith("inspect score")
    header = inspect_json(tmp_path / "y.json", [], results={"total_samples": 1000})
    with pytest.raises(FileError, match="only a header: it lists 1,000 samples"):
        cw.logs.read(header)
    with zipfile.ZipFile(tmp_path / "z.eval", "w") as log:
        log.writestr("_journal/start.json", "{}")
    with pytest.raises(FileError, match="has no header"):
        cw.logs.read(tmp_path / "z.eval")


def test_a_sample_without_a_score_is_not_a_wrong_answer(tmp_path):
    old = inspect_json(tmp_path / "old.json", samples_of("old"))
    new = inspect_json(tmp_path / "new.json", [*samples_of("new")[:-1], inspect_sample(12, None) | {"error": "time"}])
    with pytest.raises(DataError, match="1 item of new cannot be judged: 12 has no score: it ended with an error"):
        cw.logs.read(old, new)
    assert cw.logs.read(old, new, partial=True).n == 11


def test_a_log_that_was_cut_is_refused(tmp_path):
    log = inspect_json(tmp_path / "old.json", samples_of("old"), results={"total_samples": 20})
    with pytest.raises(DataError, match="12 of the 20 answers that its results report"):
        cw.logs.read(log)


def test_targets_must_agree_unless_summaries_cut_them(tmp_path):
    old = inspect_json(tmp_path / "old.json", samples_of("old"))
    other = [inspect_sample(i, "C", target="B") for i in range(1, 13)]
    with pytest.raises(DataError, match="targets of 12 items differ"):
        cw.logs.read(old, inspect_json(tmp_path / "other.json", other))
    long = [inspect_sample(i, "C", target="B" * 1_000) for i in range(1, 13)]
    assert cw.logs.read(old, inspect_json(tmp_path / "long.json", long)).n == 12


def test_other_versions_are_doubted(tmp_path):
    old = inspect_json(tmp_path / "old.json", samples_of("old"))
    new = inspect_json(tmp_path / "new.json", samples_of("new"), eval={"task_version": 1})
    assert [c.code for c in cw.logs.read(old, new).caveats] == ["versions_differ"]


def test_letters_are_those_of_inspect():
    assert inspect_ai.LETTERS == {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def test_the_variance_between_repeats_is_told_apart(tmp_path):
    """A one-way analysis of variance by hand: F = MS between/MS within from scipy gives the same components."""
    rng = np.random.default_rng(4)
    ease = rng.random(40)
    values = (rng.random((40, 3)) < ease[:, None]).astype(float)
    samples = [
        inspect_sample(i, "C" if right else "I", epoch=epoch + 1)
        for i, own in enumerate(values)
        for epoch, right in enumerate(own)
    ]
    r = cw.estimate(data=cw.logs.read(inspect_json(tmp_path / "old.json", samples)), n_resamples=99, rng=1)
    within = values.var(axis=1, ddof=1).mean()
    f = f_oneway(*values).statistic
    between = within * (f - 1) / 3
    assert f"; {100 * within / (within + between):.0f} % of the variance lies between repeats" in r.origin
    once = [inspect_sample(i, "C") for i in range(5)] + [inspect_sample(9, "I")]
    single = cw.estimate(data=cw.logs.read(inspect_json(tmp_path / "one.json", once)), n_resamples=99, rng=1)
    assert "variance" not in single.origin
