"""Finished blocks are kept: damaged, changed, foreign or cut short, and a study goes on from them."""

import errno
import json
import sys
from dataclasses import replace

import pytest

import clearwin as cw
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.measures import find
from clearwin.simulation.checkpoints import Keeping, forget
from clearwin.simulation.plan import StudyOptions
from clearwin.simulation.study import study_sources
from clearwin.streams import STREAMS
from tests.simulation.asked import decisions, large_file, study

SMALL = {"tests": ["permutation"], "test_size": 50, "n_sets": 3, "sizes": [50], "n_resamples": 19}  # without a seed


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return large_file(tmp_path)


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_no_file_of_somebody_elses_is_written_over(here, options):
    (here / "mine.csv").write_text("precious")
    run = study("--keep", "mine.csv", *options)
    assert run.exit_code == 2
    assert "is not a file of finished blocks" in run.stderr
    assert "--force" not in run.stderr
    assert (here / "mine.csv").read_text() == "precious"


def test_force_begins_anew_over_blocks_of_a_study(here):
    (here / "blocks").write_bytes(b'{"what": "clearwin study", "torn')
    assert "--force" in study("--keep", "blocks").stderr
    assert study("--keep", "blocks", "--force").exit_code == 0
    assert not (here / "blocks").exists()


def test_a_study_that_could_not_be_shown_is_kept(here, monkeypatch):
    import clearwin.cli.study as command

    def full(*_, **__):
        raise cw.errors.FileError("x.html cannot be written: No space left on device.")

    with monkeypatch.context() as patch:
        patch.setattr(command, "show", full)
        run = study("--json", "--keep", "blocks")
    assert run.exit_code == 2
    assert "kept in blocks: --resume" in run.stderr
    size = (here / "blocks").stat().st_size
    monkeypatch.setattr(sys.modules["clearwin.simulation.study"], "run_job", None)  # nothing is left to do
    resumed = study("--json", "--keep", "blocks", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert size > 0
    assert not (here / "blocks").exists()


def test_two_runs_do_not_share_a_file(here):
    header = {"what": "clearwin study", "settings": {}, "seed": "1"}
    with Keeping("blocks", header, append=False):
        for again in (["--force"], ["--resume"]):
            run = study("--keep", "blocks", *again)
            assert run.exit_code == 2
        assert "in use by another run" in study("--keep", "blocks", "--force").stderr
        assert (here / "blocks").read_text().count("\n") == 1
    (here / "blocks").unlink()
    forget(here / "blocks")  # whoever comes second finds it gone


def kept_lines(here):
    """The lines of a whole file of blocks."""
    truth, a, b = decisions(400)
    study_sources(source_of_arrays(truth, a, b, find("f1"), Reading()), None, ASKING)
    lines = (here / "blocks").read_text().splitlines()
    (here / "blocks").unlink()
    return lines


ASKING = StudyOptions(**SMALL, rng=1, keep="blocks")


@pytest.mark.parametrize(
    "damage",
    [
        lambda header, block: (header, {"key": block["key"]}),
        lambda header, block: (header, {**block, "result": 5}),
        lambda header, block: (header, {"key": ["drawn"], "result": {}}),
        lambda header, block: ({k: v for k, v in header.items() if k != "seed"}, block),
        lambda header, block: ({**header, "seed": "banana"}, block),
        lambda header, block: ({**header, "seed": "-5"}, block),
        lambda header, block: ({**header, "settings": 7}, block),
        lambda header, block: ([], block),
    ],
)
def test_a_damaged_file_of_blocks_is_mended_or_refused(here, damage):
    lines = kept_lines(here)
    header, last = damage(json.loads(lines[0]), json.loads(lines[-1]))
    (here / "blocks").write_text("\n".join([json.dumps(header), *lines[1:-1], json.dumps(last), ""]))
    data = decisions(400)
    how = {**SMALL, "rng": 1}
    if header == json.loads(lines[0]):
        assert cw.study(*data, **how, keep="blocks", resume=True).to_json() == cw.study(*data, **how).to_json()
    else:
        with pytest.raises(cw.errors.FileError, match="does not begin like"):
            cw.study(*data, **how, keep="blocks", resume=True)


def changed_value(lines):
    p = json.loads(lines[-1])["result"]["tests"][0]["p"]
    return [*lines[:-1], lines[-1].replace(repr(p[0]), repr(p[0] / 2), 1)]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (changed_value, -1),
        (lambda lines: [*lines[:-1], lines[-1].replace('"tests"', '"test"', 1)], -1),
        (lambda lines: [*lines[:-1], lines[-1].replace('"recentred/', '"swapped/', 1)], -1),
        (lambda lines: [*lines[:-1], lines[-1].split(', "checksum"')[0] + "}"], -1),
        (lambda lines: [lines[0].replace('"seed": "1"', '"seed": "2"'), *lines[1:]], 1),
    ],
    ids=["a value", "a name", "its key", "no checksum", "the seed in the first line"],
)
def test_a_changed_block_is_refused_by_its_line(here, change, line):
    """Nobody gives the seed here, so that one in the file would be believed, too."""
    lines = kept_lines(here)
    changed = change(lines)
    assert changed != lines
    (here / "blocks").write_text("\n".join([*changed, ""]))
    how = {**SMALL, "keep": "blocks"}
    at = line % len(lines) + 1
    with pytest.raises(
        cw.errors.FileError, match=f"Line {at} of blocks, the block .* was changed after it was written"
    ) as error:
        cw.study(*decisions(400), **how, resume=True)
    assert f"delete line {at}" in error.value.next
    # and what it says to type helps
    del changed[at - 1]
    (here / "blocks").write_text("\n".join([*changed, ""]))
    if at == len(lines):
        expected = cw.study(*decisions(400), **{**how, "keep": None}, rng=1)
        assert cw.study(*decisions(400), **how, resume=True).to_json() == expected.to_json()


def test_blocks_of_other_streams_are_refused(here):
    """Streams of another version give other numbers for the same seed; before there were versions, it was the first."""
    lines = kept_lines(here)
    header = json.loads(lines[0])
    assert header["streams"] == STREAMS
    how = {**SMALL, "rng": 1, "resume": True}
    for other, told in (({**header, "streams": 99}, 99), ({k: v for k, v in header.items() if k != "streams"}, 1)):
        (here / "blocks").write_text("\n".join([json.dumps(other), *lines[1:], ""]))
        with pytest.raises(cw.errors.FileError, match=f"begun with version {told} of the random streams") as error:
            cw.study(*decisions(400), **how, keep="blocks")
        assert "another file or folder" in error.value.next


def test_a_folder_finds_the_blocks_of_other_streams_to_refuse_them(here):
    data, how = decisions(400), SMALL
    study_sources(source_of_arrays(*data, find("f1"), Reading()), None, replace(ASKING, keep="."))
    [file] = here.glob("clearwin-study-*.jsonl")
    file.write_text(file.read_text().replace(f'"streams": {STREAMS}', '"streams": 99'))
    with pytest.raises(cw.errors.FileError, match="begun with version 99 of the random streams"):
        cw.study(*data, **how, keep=".", resume=True)


def test_other_data_and_other_files_are_named(here):
    lines = kept_lines(here)
    (here / "blocks").write_text("\n".join([*lines, ""]))
    how = {**SMALL, "rng": 1}
    with pytest.raises(cw.errors.FileError, match="it has other data\\."):
        cw.study(*decisions(400, seed=9), **how, keep="blocks", resume=True)
    (here / "clearwin-study-12345678.jsonl").write_text("")
    with pytest.raises(cw.errors.FileError, match=r"clearwin-study-12345678\.jsonl belongs to other data"):
        cw.study(*decisions(400), **how, keep=".", resume=True)


def test_a_full_disk_names_the_file_and_how_to_go_on(here, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    run = study("--keep", "blocks")
    assert run.exit_code == 2
    assert "kept in blocks: No space left on device" in run.stderr
    assert "--resume" in run.stderr


def test_an_interrupt_before_the_first_block_is_told_as_such(here, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("clearwin.cli.study.data_of", stopped)
    run = study()
    assert run.exit_code == 130
    assert "Nothing was finished" in run.stderr
