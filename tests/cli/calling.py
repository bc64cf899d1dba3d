"""Calls of the command in this process, and the files that they read."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from clearwin.cli import main

ANSI = re.compile(r"\x1b\[")


def made(n: int, seed: int) -> tuple[list[int], list[int], list[int]]:
    """Make a truth and two models of it, one with about 30 % and one with about 8 % errors."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < rate, 1 - truth, truth) for rate in (0.30, 0.08))
    return truth.tolist(), a.tolist(), b.tolist()


TRUTH, A, B = made(120, seed=1)


NAMES = {0: "ham", 1: "spam"}
COUNTS = {"e1": 40, "e2": 9, "e3": 3, "e4": 8, "e5": 5, "e6": 2, "e7": 4, "e8": 129}


def table(columns: dict[str, list[Any]], separator: str = ",") -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(separator.join(map(str, row)) + "\n" for row in [columns.keys(), *rows])


def run(*arguments: object, input: str | bytes | None = None) -> Result:
    """Run the command in this process; whatever it does not handle itself is raised here."""
    result = CliRunner().invoke(main, [str(x) for x in arguments], input=input, catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def line(command: str) -> list[str]:
    program, *arguments = shlex.split(command)
    assert program == "clearwin"
    return arguments


def ran(*arguments: object, input: str | bytes | None = None) -> str:
    result = run(*arguments, input=input)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def spaced(text: str) -> str:
    """Take any run of spaces and line breaks as one space: how lines are wrapped and aligned is not the point."""
    return " ".join(text.split())


def refused(*arguments: object, input: str | bytes | None = None) -> str:
    result = run(*arguments, input=input)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert not ANSI.search(result.stderr)
    assert "error:" in result.stderr.lower()
    return result.stderr


PREDS = ("preds.csv", "--truth", "y", "--a", "svm", "--b", "rbf")
PREDS01 = ("preds01.csv", "--truth", "y", "--a", "svm", "--b", "rbf")


def strict_json(text: str) -> Any:
    def no(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=no)


def unwrapped(text: str) -> str:
    return spaced(re.sub(r"\x1b\[[0-9;]*m", "", text))
