"""Every command has the options of the table: its help is a reviewed text, kept as a snapshot.

``CLEARWIN_UPDATE_SNAPSHOTS=1 pytest tests/cli/test_options.py`` writes tests/snapshots/help.txt anew.
"""

import os
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from clearwin.cli import main
from clearwin.cli.options import NumberOrShare, SeedText
from clearwin.settings import DOORS, at_door
from tests.cli.calling import run

SNAPSHOT = Path(__file__).parents[1] / "snapshots" / "help.txt"


@pytest.mark.skipif(not version("click").startswith("8.5."), reason="another click sets the help in another way")
def test_the_help_of_every_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = "".join(f"===== {name}\n{run(name, '--help').stdout}" for name in main.commands)
    if os.environ.get("CLEARWIN_UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert text == SNAPSHOT.read_text(encoding="utf-8")


def test_commands_have_the_options_of_the_table_and_no_others():
    assert set(main.commands) == {verb for verb, doors in DOORS.items() if "command" in doors}
    for name, command in main.commands.items():
        options = {str(option.name): option for option in command.params if isinstance(option, click.Option)}
        rows = at_door(name, "command")
        assert options.keys() == rows.keys()
        for called, row in rows.items():
            assert options[called].opts[0] == row.typed.partition("/")[0]


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("Random", "random"), (" 12 ", 12)])
def test_a_seed_is_a_number_or_random(text, value):
    assert SeedText().convert(text, None, None) == value


@pytest.mark.parametrize("text", ["-1", "1.5", "٣", "seven"])
def test_other_seeds_are_refused(text):
    with pytest.raises(click.BadParameter, match="neither a whole number"):
        SeedText().convert(text, None, None)


def test_a_margin_is_a_number_or_per_cent():
    margin = NumberOrShare()
    assert [margin.convert(text, None, None) for text in ("0.01", "5%", " 5 % ")] == [0.01, "5%", " 5 % "]
    with pytest.raises(click.BadParameter, match="neither a number nor per cent"):
        margin.convert("five", None, None)
