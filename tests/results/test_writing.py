"""Files are written whole or not at all, where there is a place for them, and the words fit what went wrong."""

import errno
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clearwin.errors import FileError
from clearwin.results import writing
from clearwin.results.writing import LineFile, refuse_unwritable, same_file, write_bytes, write_text


def refused(call):
    with pytest.raises(FileError) as caught:
        call()
    return str(caught.value)


def test_a_file_is_written_over_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "page.html"
    assert write_text(path, "first ä\n") == path
    assert write_text(path, "second\n") == path
    assert path.read_bytes() == b"second\n"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.skipif(os.name != "posix", reason="modes as POSIX has them")
def test_the_mode_is_kept_and_a_new_file_gets_what_the_umask_leaves(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write_text(old, "changed")
        write_text(new, "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    old.chmod(0o604)
    write_text(old, "again")
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "page.html", tmp_path / "link.html"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("other", ["page.HTML", "PAGE.html", "Page.html"])
@pytest.mark.parametrize("ignores", [True, False])
def test_names_that_differ_in_case_are_one_file_where_case_is_ignored(tmp_path, monkeypatch, other, ignores):
    monkeypatch.setattr(writing, "_ignores_case", lambda folder: ignores)
    assert same_file(tmp_path / "page.html", tmp_path / other) is ignores
    assert not same_file(tmp_path / "page.html", tmp_path / "pages.html")
    assert not same_file(tmp_path / "page.html", tmp_path.parent / other)
    monkeypatch.undo()
    (tmp_path / "page.html").write_text("x")  # the file system itself is asked, and nothing is left behind
    seen = (tmp_path / "PAGE.HTML").exists()
    assert same_file(tmp_path / "new.html", tmp_path / "NEW.html") is seen
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_one_file_by_two_names(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "linked").symlink_to("folder")
    (tmp_path / "link").symlink_to("folder/x")
    for there in (False, True):
        assert same_file(tmp_path / "folder" / "x", tmp_path / "linked" / "x")
        assert same_file(tmp_path / "folder" / "x", tmp_path / "link")
        assert not same_file(tmp_path / "folder" / "x", tmp_path / "x")
        assert there or write_text(tmp_path / "folder" / "x", "x")
    assert not same_file(tmp_path / "no" / "x", tmp_path / "nor" / "x")


LIMITED = """
import resource, signal, sys
from clearwin.errors import FileError
from clearwin.results.writing import write_bytes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    write_bytes(sys.argv[1], b"x" * 100_000)
except FileError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files")
def test_a_disk_that_fills_up_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("precious")
    run = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True)
    assert "there is no room for it" in run.stdout
    assert path.read_text() == "precious"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_device_is_written_and_never_exchanged():
    text = refused(lambda: write_text("/dev/full", "x"))
    assert "/dev/full cannot be written: there is no room for it." in text
    assert "folder that exists" not in text
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    write_bytes(os.devnull, b"x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("call", [refuse_unwritable, lambda path: write_text(path, "x")], ids=["before", "writing"])
def test_the_words_fit_what_is_wrong(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("x")
    text = refused(lambda: call("no/such/x.html"))
    assert "no/such/x.html cannot be written: there is no folder no/such." in text
    assert "there is no folder file" in refused(lambda: call("file/x.html"))
    assert ". is a folder." in refused(lambda: call("."))
    assert "empty" in refused(lambda: call(""))
    monkeypatch.setattr(os, "access", lambda *_: False)
    text = refused(lambda: call("file"))
    assert os.strerror(errno.EACCES) in text
    assert "a file that you may write" in text
    assert "permissions" in text
    assert Path("file").read_text() == "x"


@pytest.mark.parametrize("way", ["to_html", "savefig", "experiment"])
def test_all_writers_leave_the_old_file_when_they_fail(tmp_path, monkeypatch, way):
    import clearwin as cw
    from clearwin.plots.drawing import save

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "x.png"
    path.write_text("precious")
    result = cw.compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], rng=7)
    figure = result.plot().figure
    monkeypatch.setattr(Path, "replace", full)
    if way == "to_html":
        text = refused(lambda: result.to_html(path))
    elif way == "savefig":
        text = refused(lambda: save(figure, path))
    else:
        from clearwin.results.keller2004 import Experiment

        found = object.__new__(Experiment)
        object.__setattr__(found, "sets", {"X": ("a",)})
        object.__setattr__(found, "decisions", {})
        text = refused(lambda: found.save(path))
    assert "there is no room for it" in text
    assert [each.name for each in tmp_path.iterdir()] == ["x.png"]
    assert path.read_text() == "precious"


def test_what_is_exchanged_is_on_disk_before(tmp_path, monkeypatch):
    """Power that fails after the exchange must not leave an empty file in the place of a whole one."""
    called = []
    for owner, name in ((os, "fsync"), (Path, "replace")):
        done = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, name=name, done=done: (called.append(name), done(*given))[1])
    write_text(tmp_path / "x", "x")
    assert called == ["fsync", "replace"]


def test_a_line_that_was_cut_off_goes_when_the_next_comes(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    with LineFile(path) as file:
        assert (file.found, file.cut_off) == ([b"one"], b"tw")
        assert path.read_bytes() == b"one\ntw"  # it may be somebody else's
        file.add(b"2")
        file.add(b"3")
    assert path.read_bytes() == b"one\n2\n3\n"
    with LineFile(path, anew=True) as file:
        assert file.found == []
    assert path.read_bytes() == b""


def test_one_run_at_a_time_adds_lines(tmp_path):
    path = tmp_path / "lines"
    with LineFile(path):
        assert "in use by another run" in refused(lambda: LineFile(path, instead="come back"))
        began = time.monotonic()
        assert "come back" in refused(lambda: LineFile(path, patience=0.2, instead="come back"))
        assert time.monotonic() - began >= 0.2
    LineFile(path).close()


def test_whoever_waited_for_a_file_that_was_removed_makes_a_new_one(tmp_path):
    path = tmp_path / "lines"
    first = LineFile(path)
    first.add(b"old")

    def wait():
        with LineFile(path, patience=30.0) as file:
            file.add(b"new")

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.2)  # it has opened the file; if not, the test is only easier
    path.unlink()
    first.close()
    waiting.join()
    assert path.read_bytes() == b"new\n"


def test_lines_that_cannot_be_written_are_refused_in_words(tmp_path):
    assert "there is no folder" in refused(lambda: LineFile(tmp_path / "no" / "lines"))
    assert "is a folder" in refused(lambda: LineFile(tmp_path))
