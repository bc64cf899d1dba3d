"""clearwin gate: may the candidate replace the model in use? Exit 0 pass, 1 fail, 2 wrong use, 3 undecided."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from clearwin.cli.command import Subcommand, show, wanted
from clearwin.cli.compare import FileComparison
from clearwin.cli.options import options
from clearwin.cli.typed import data_of
from clearwin.errors import FileError, OptionError, UnknownNameError, shortened
from clearwin.settings import ALSO_OF_CHECKS, OF_CHECKS, Option, at_door, names_in
from clearwin.text import as_listed, printable

if TYPE_CHECKING:
    from clearwin.analyses.gate import Check, Rules
    from clearwin.data.arrays import Tally
    from clearwin.data.files.predictions import ItemsOfFile
    from clearwin.results.comparison import Comparison
    from clearwin.results.gate import Gate
    from clearwin.results.writing import LineFile

UNDECIDED = {"pass": 0, "fail": 1, "3": 3}
TABLE = ("tool", "clearwin", "gate")
A_USE = b'{"test_set": '  # how every line of a ledger begins
LEDGER_SECONDS = 60.0  # to wait for another run that counts a use
STEP_SUMMARY = 1_000_000  # bytes; GitHub drops the whole of a longer one


@click.command(cls=Subcommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options("gate")
@click.pass_context
def gate(context: click.Context, /, files: tuple[str, ...], **settings: Any) -> None:
    """Decide whether a candidate can replace the model in use.

    FILE... is what `clearwin compare` takes. The gate passes if every claim is shown, fails if the candidate is shown
    to be worse by more than a margin, corrected for the number of checks, and is undecided otherwise. Exit codes: 0
    pass, 1 fail, 2 wrong use, 3 undecided; interrupts and errors in clearwin itself have codes above 3.

    Several measures and slices go into a TOML file as checks:

    \b
    [tool.clearwin.gate]
    checks = [
      {measure = "f1", margin = 0.005},
      {measure = "accuracy", margin = 0.01, by = "language"},
    ]
    """
    claim, margin, config = settings.pop("claim"), settings.pop("margin"), settings.pop("config")
    how = wanted(settings, reads=(*files, config, settings["dev"]))
    ledger = settings.pop("ledger")
    given = {name for name in settings if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    checks = _checks(context, settings, given, config, claim, margin)
    undecided = str(settings.pop("undecided"))
    if undecided not in UNDECIDED:
        raise UnknownNameError("value of undecided", undecided, UNDECIDED)
    with data_of(files, settings) as data:
        asked = FileGate.of(data, files, checks, settings)
        if asked.self_test:
            click.echo(asked.tried())
            return
        result = asked.result() if ledger is None else asked.counted(ledger)
    show(result, how)
    if how.junit is not None:
        from clearwin.reports.junit import junit_xml
        from clearwin.results.writing import write_text

        write_text(how.junit, junit_xml(result, undecided))
    _append_to_summary(result)
    code = result.exit_code
    context.exit(UNDECIDED[undecided] if code == 3 else code)


def _checks(
    context: click.Context,
    settings: dict[str, Any],
    given: set[str],
    config: str | None,
    claim: str,
    margin: float | str | None,
) -> list[Check]:
    """Return the checks of the options, or those of a table, whose other keys replace options."""
    from clearwin.analyses.gate import Check

    if config is None and margin is None and Path("pyproject.toml").is_file() and _table("pyproject.toml"):
        config = "pyproject.toml"
    if config is None:
        one = {"measure": settings.pop("measure"), "claim": claim, "by": settings.pop("by")}
        if margin is None:
            raise OptionError(
                "There is no margin, and no table of checks.",
                "the largest difference that does not matter",
                "--margin 0.005, or --config gate.toml",
            )
        return [Check.of({**one, "margin": margin})]
    if margin is not None:
        raise OptionError("--margin and --config were both given.", "one of them", "write the check into the table")
    table, keys = _table(config), {key: row for key, row in at_door("gate", "toml").items() if key not in OF_CHECKS}
    for key, value in table.items():
        if key not in keys:
            raise _unknown_key(key, config, keys)
        if key != "checks" and keys[key].name not in given:
            settings[keys[key].name] = _as_option(keys[key], value, config, context)
    settings.pop("measure"), settings.pop("by")
    checks = table.get("checks", [])
    if not isinstance(checks, list):
        raise _wrong_value("checks", checks, config, "a list of checks", 'checks = [{measure = "f1", margin = 0.005}]')
    return [Check.of(_as_options(check, config, context) if isinstance(check, dict) else check) for check in checks]


def _as_options(check: dict[str, Any], config: str, context: click.Context) -> dict[str, Any]:
    """Return a check with its own settings for reading as options would give them."""
    if not isinstance(check.get("by", ""), str):
        raise _wrong_value("by", check["by"], config, "the name of a column", 'by = "language"')
    rows = at_door("gate", "toml")
    return check | {key: _as_option(rows[key], check[key], config, context) for key in ALSO_OF_CHECKS if key in check}


def _unknown_key(name: str, config: str, keys: dict[str, Option]) -> UnknownNameError:
    """Say where a name belongs that the table does not take as a key."""
    rows = at_door("gate", "command")
    in_python = {row.name: key for key, row in keys.items() if key != row.name}
    instead = ""
    if name in OF_CHECKS:
        instead = 'write it into a check: checks = [{measure = "f1", margin = 0.005}]'
    elif name in names_in("Test") and name in at_door("compare", "command") and name not in rows:
        instead = "leave it out: every check takes the default test and its interval"
    elif name in in_python:
        instead = f"{in_python[name]} = …"
    elif name in rows:
        instead = f"leave it out, and type {rows[name].typed}"
    return UnknownNameError(f"key of {config}", name, keys, instead)


def _as_option(row: Option, value: Any, config: str, context: click.Context) -> Any:
    """Return what a key of the table holds as its option would give it."""
    reads, option = row.reads, next(option for option in context.command.params if option.name == row.name)
    if reads.kind == "flag":
        if not isinstance(value, bool):
            raise _wrong_value(row.key, value, config, "true or false")
        return value
    if reads.alone and isinstance(value, bool):
        return reads.alone if value else None
    several = value if isinstance(value, list) and reads.takes_a_list else [value]
    whole = reads.kind == "whole number" or (reads.kind == "seed" and value != "random")
    if not all(isinstance(one, int if whole else str | int | float) and not isinstance(one, bool) for one in several):
        what = "a whole number" if whole else "a text or a number"
        raise _wrong_value(row.key, value, config, what + (", or several in a list" if reads.takes_a_list else ""))
    try:
        converted = [option.type.convert(one, option, context) for one in several]
    except click.BadParameter as error:
        raise _wrong_value(row.key, value, config, error.message) from None
    return tuple(converted) if reads.several else as_listed(converted) if isinstance(value, list) else converted[0]


def _wrong_value(name: str, value: Any, config: str, expected: str, next: str = "") -> OptionError:
    return OptionError(f"{name} of {config} is {shortened(repr(value))}.", expected, next)


def _table(path: str) -> dict[str, Any]:
    """Read the table of a gate: that of pyproject.toml, or a whole file of its own."""
    import tomllib

    try:
        found: Any = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(f"{path} cannot be read: {error}.", "a TOML file with checks", "correct the file") from None
    for depth, key in enumerate(TABLE, 1):
        if key not in found:
            return {} if Path(path).name == "pyproject.toml" else found
        found = found[key]
        if not isinstance(found, dict):
            name = ".".join(TABLE[:depth])
            raise FileError(f"{name} of {path} is not a table.", f"[{'.'.join(TABLE)}], once", "correct the file")
    return dict(found)


@dataclass(frozen=True)
class FileGate:
    """The files, the checks, and how they are read and judged."""

    data: Any  # an open table, or the path of a file of counts
    files: tuple[str, ...]
    checks: list[Check]
    settings: dict[str, Any]
    rules: Rules
    baseline_sha256: str | None
    self_test: bool

    @classmethod
    def of(cls, data: Any, files: tuple[str, ...], checks: list[Check], settings: dict[str, Any]) -> FileGate:
        """Take the settings of the gate; the rest is for the comparisons."""
        from clearwin.analyses.gate import Rules

        rules = Rules(settings.pop("correction"), settings.pop("min_slice"), 1.0 - settings["confidence_level"])
        own = {name: settings.pop(name) for name in ("baseline_sha256", "self_test")}
        found = cls(data, files, checks, settings, rules, **own)
        return found._with_groups_of_repeats()

    def _with_groups_of_repeats(self) -> FileGate:
        """Return the gate with repeats of an item as one group, because they are not independent."""
        settings = self.settings
        if len(self.files) != 1 or settings["id"] is None or settings["groups"]:
            return self
        items = self._items("id")
        if items is None or items.different == items.rows:
            return self
        settings = {**settings, "groups": (settings["id"],), "id": None}
        return replace(self, data=self.data.without_id(), settings=settings)

    def _items(self, role: str) -> ItemsOfFile | None:
        """Look at the column of this setting in the first file; None if it was not given."""
        column = self.settings[role]
        return None if column is None else self.data.items_in([column])

    @cached_property
    def digests(self) -> dict[str, str]:
        """What tells a test set from others, whatever the models: a digest of its truth, and one of its ids."""
        columns = {"truth": self._items("truth"), "ids": self._items("id")}
        return {name: items.digest for name, items in columns.items() if items is not None}

    @property
    def test_set(self) -> str | None:
        """The digest of the truth, or else of the ids; None where neither has a column."""
        return next(iter(self.digests.values()), None)

    def ask(self, **check: Any) -> Comparison:
        """Compare the files by one measure and claim."""
        by, level = check.pop("by", None), check.pop("confidence_level")
        given = {**self.settings, "confidence_level": level, "test": "auto", "method": "auto", "interval": "auto"}
        given |= {"per_class": False, "correction": self.rules.correction}
        return cast("Comparison", FileComparison.of(self.files, **{**given, "by": by, **check}).result(self.data))

    def result(self) -> Gate:
        """Check everything."""
        from clearwin.analyses.gate import gated, refuse_other_data

        digest = None
        if len(self.files) > 1 or self.baseline_sha256 is not None:
            digest = self.data.sha256() if self.files[0] == "-" else _sha256(self.files[0])
            refuse_other_data(digest, self.baseline_sha256)
        found = gated(self.ask, self.checks, self.rules)
        return replace(found, baseline=digest and f"sha256:{digest}", test_set=self.test_set)

    def counted(self, ledger: str) -> Gate:
        """Check everything at the level that earlier uses of the test set have left, and count this use.

        It is counted before anyone sees the verdict. Other runs wait meanwhile, so each has its own number.
        """
        from clearwin.results.writing import LineFile

        if self.test_set is None:
            raise OptionError(
                "A ledger identifies the test set by its truth or ids, and neither was given.", "--truth or --id"
            )
        with LineFile(ledger, patience=LEDGER_SECONDS, instead="wait for it, and ask again") as file:
            use = 1 + sum(_are_of_one_test_set(line["test_set"], self.digests) for line in _uses(file))
            result = replace(self, rules=replace(self.rules, uses=use)).result()
            line = {"test_set": self.digests, "use": use, "alpha": result.alpha, "outcome": result.outcome}
            try:
                file.add(json.dumps(line).encode())
            except OSError as error:
                raise FileError(
                    f"This use cannot be counted in {ledger} ({error.strerror}), so the verdict is not shown.",
                    "room on the disk",
                    "make room, and ask again",
                ) from None
        return result

    def tried(self) -> str:
        """Try the gate on equal models and on a planted drop, made of these items."""
        from clearwin.simulation.gate_trials import tried

        counts = self._tally()
        if counts is None or any(check.reading for check in self.checks):
            raise OptionError(
                "--self-test needs decisions, one label for each item, without groups and read alike by all checks.",
                "a file of decisions",
                "leave --self-test out",
            )
        return tried(counts, self.checks, self.rules, self.settings)

    def _tally(self) -> Tally | None:
        """Count the decisions of single items; None where these are other data."""
        from clearwin.data.reading import Reading
        from clearwin.measures import find
        from clearwin.reading.reading import counted, settled

        given, measure = self.settings, find(self.checks[0].measure)
        if isinstance(self.data, str) or given["groups"] or given["strata"]:
            return None
        names = ("positive", "separator", "threshold", "dev", "missing")
        how = Reading(**{name: given[name] for name in names if given[name] is not None})
        models = {role: given[role] for role in ("a", "b")}
        how = settled(self.data, given["truth"], models, measure, how)
        if not self.data.counts(given["truth"], models, measure, how):
            return None
        return counted(self.data, given["truth"], models, measure, how).counts


def _sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _are_of_one_test_set(earlier: dict[str, str], now: dict[str, str]) -> bool:
    """Return whether two uses agree in all that is known of both: naming a further column makes no new test set."""
    known = earlier.keys() & now.keys()
    return bool(known) and all(earlier[name] == now[name] for name in known)


def _uses(ledger: LineFile) -> list[dict[str, Any]]:
    """Read the uses so far; a line that was cut off was never shown, so it does not count."""
    try:
        uses = [json.loads(line) for line in ledger.found if line.strip()]
    except ValueError as error:
        raise FileError(f"{ledger.path} is not a ledger: {error}.", "a line of JSON for every use") from None
    cut_off = ledger.cut_off[: len(A_USE)]
    if not (
        all(isinstance(use, dict) and isinstance(use.get("test_set"), dict) for use in uses)
        and A_USE.startswith(cut_off)
    ):
        raise FileError(f"{ledger.path} is not a ledger, and nothing is added to it.", "a line of JSON for every use")
    return uses


def _append_to_summary(result: Gate) -> None:
    """Append the report to the summary of the step where GitHub runs it; never more than it takes."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = result.to_markdown()
    file = Path(path)
    try:
        if (file.stat().st_size if file.exists() else 0) + len(text.encode()) + 1 <= STEP_SUMMARY:
            with file.open("a", encoding="utf-8") as summary:
                summary.write(text + "\n")
    except OSError as error:  # without it the verdict is the same
        click.echo(printable(f"The report is not in the step's summary, {path}: {error.strerror}."), err=True)
