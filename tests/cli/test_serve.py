"""clearwin serve as a real process: how it starts, what it says, how it ends."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
import uvicorn
from click.testing import CliRunner

from clearwin.cli import main
from tests.web.asking import LONG, children_of, form


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
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests may run under nohup, which a server would inherit
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    signal.signal(signal.SIGHUP, before)
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
        with httpx.Client(base_url=url, timeout=60, verify=False) as client:
            job = client.post("api/compare?wait=false", files=form(LONG)).json()["id"]
            while client.get(f"api/jobs/{job}").json().get("stage", "starting") == "starting":
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
        assert process.returncode == {signal.SIGINT: 0, signal.SIGTERM: 0, signal.SIGHUP: 0, signal.SIGKILL: -9}[sent]


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


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    """An installation without the server still has the command `serve`."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "uvicorn" else name)
    said = CliRunner().invoke(main, ["serve"])
    assert said.exit_code == 2
    assert "The page needs uvicorn, which is not installed." in said.output
    assert "pip install '.[page]'" in said.output
