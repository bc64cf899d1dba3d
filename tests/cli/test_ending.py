"""How the command ends: a crash, an interrupt and a closed pipe are no verdict."""

import os
import signal
import subprocess
import sys
import threading
import time

import click
import pytest

from clearwin.cli import main
from clearwin.cli.ending import terminable

COMMAND = "from clearwin.cli import main; main()"
GATE = ("gate", "preds.csv", "--truth", "y", "--a", "a", "--b", "b", "--measure", "accuracy", "--margin", "0.1")
VERDICTS = {1, 3}


def python(program, *words, **how):
    return subprocess.Popen([sys.executable, "-c", program, *words], text=True, **how)


SIGNALS = pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


@SIGNALS
def test_a_gate_that_is_interrupted_has_not_failed(sent, code):
    program = "import time, clearwin.cli.gate as gate\n"
    program += f"gate.FileGate.of = lambda *_: (print('at work', flush=True), time.sleep(600))\n{COMMAND}"
    gate = python(program, *GATE, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert gate.stdout.readline() == "at work\n"
        gate.send_signal(sent)
        said, complaints = gate.communicate(timeout=60)
        assert (gate.returncode, said, complaints.strip()) == (code, "", "interrupted.")
    finally:
        gate.kill()
        gate.communicate()


@SIGNALS
def test_an_interrupted_command_leaves_no_copy_of_what_it_has_read(tmp_path, sent, code):
    """It stands in the middle of its work: it waits for the rest of its standard input."""
    pipe = subprocess.PIPE
    words = ("compare", "-", "--truth", "y", "--a", "a", "--b", "b")
    compare = python(COMMAND, *words, stdin=pipe, stdout=pipe, stderr=pipe, env=os.environ | {"TMPDIR": str(tmp_path)})
    try:
        compare.stdin.write("y,a,b\n1,1,1\n")
        compare.stdin.flush()
        while not list(tmp_path.glob("clearwin-*/*")):  # the copy
            assert compare.poll() is None
            time.sleep(0.02)
        compare.send_signal(sent)
        assert compare.wait(timeout=60) == code
        assert (compare.stdout.read(), compare.stderr.read().strip()) == ("", "interrupted.")
        assert list(tmp_path.iterdir()) == []
    finally:
        compare.kill()
        compare.communicate()


def test_a_gate_that_crashes_has_not_failed():
    program = f"import clearwin.cli.gate as gate; gate.FileGate.of = lambda *_: 1 // 0; {COMMAND}"
    gate = python(program, *GATE, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, complaints = gate.communicate(timeout=60)
    assert (gate.returncode, said) == (70, "")
    assert "ZeroDivisionError" in complaints
    assert complaints.splitlines()[-2:] == [
        "error: clearwin failed, which is a bug in clearwin and not your mistake.",
        "  next: report it with the lines above",
    ]


def ended(name):
    with pytest.raises(SystemExit) as stop:
        main([name])
    return stop.value.code


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (ZeroDivisionError("!"), 70),
        (RuntimeError("!"), 70),
        (EOFError("!"), 70),
        (SystemError("!"), 70),
        (RecursionError("!"), 70),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(32, "Broken pipe"), 141),
        (PermissionError(13, "Permission denied", "preds.csv"), 2),
        (MemoryError(), 2),
        (click.FileError("preds.csv"), 2),
        (click.ClickException("!"), 2),
        (click.UsageError("!"), 2),
    ],
)
def test_no_command_ends_as_a_verdict_does_unless_it_is_one(monkeypatch, capfd, raised, code):
    """Each command, with its work replaced by an error, as a process would run it."""

    def work():
        raise raised

    module = sys.modules["clearwin.cli.command"]
    monkeypatch.setattr(module, "_drop_output", lambda: None)  # which would be pytest's, too
    for name, command in main.commands.items():
        monkeypatch.setattr(command, "params", [])
        monkeypatch.setattr(command, "callback", work)
        assert ended(name) == code, name
    assert capfd.readouterr().out == ""


def test_a_reader_that_closed_the_pipe_is_not_a_failed_gate(tmp_path):
    (tmp_path / "preds.csv").write_text("y,a,b\n" + "1,1,1\n0,0,0\n" * 30)
    reader, writer = os.pipe()
    os.close(reader)
    gate = python(COMMAND, *GATE, stdout=writer, stderr=subprocess.PIPE, cwd=tmp_path)
    os.close(writer)
    _, complaints = gate.communicate(timeout=60)
    assert (gate.returncode, complaints) == (141, "")


def test_sigterm_is_an_interrupt_only_while_the_command_runs():
    before = signal.getsignal(signal.SIGTERM)
    with terminable():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_thread_may_run_the_command():
    """Only the main thread of a process may take signals."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(ended("--version")))
    thread.start()
    thread.join()
    assert codes == [0]
