"""What was sent as the command takes it, and the fields of the form: both from the table of settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from clearwin.analyses.listing import list_measures, list_tests, names_of_intervals, names_of_methods
from clearwin.cli.command import LEFT_OUT
from clearwin.cli.compare import compare
from clearwin.cli.logs import LOG_OPTIONS
from clearwin.cli.plan import plan
from clearwin.errors import OptionError, UnknownNameError
from clearwin.measures.base import Measure, shortest
from clearwin.numerics.pvalues import ALL_CLAIMS
from clearwin.settings import Option, at_door, choices_of, names_in
from clearwin.text import as_listed, shell_word

LONGEST = 1_000
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0", "")
# click's names of numbers → what was expected
EXPECTED = {"integer": "a whole number", "integer range": "a whole number of at least 0", "float": "a number"}


@dataclass(frozen=True)
class Offered:
    """A command as the page offers it."""

    command: click.Command
    before_a_file: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Option]:
        """Its settings by name."""
        return at_door(str(self.command.name), "page")


COMPARE, PLAN = Offered(compare), Offered(plan, ("--pilot",))
SETTINGS = COMPARE.settings
KINDS = {
    "decisions": "of decisions",
    "scores": "of scores",
    "losses": "of predicted probabilities or numbers",
    "values": "of values that every item comes with",
    "label sets": "of several labels for each item",
    "sums": "of counts for each item",
}
CLAIM_HELP = {
    "different": "B is different from A, either way. The usual choice.",
    "better": "B is better than A. Choose it before you look at the results, not after.",
    "worse": "B is worse than A. Choose it before you look at the results, not after.",
    "not_worse": "B is not worse than A by the margin or more.",
    "equivalent": "B differs from A by less than the margin, either way.",
}
GOALS = (*names_in("Goal"), "claim", "margin")  # what a plan asks by itself, also with a pilot
# settings that the form asks for outside "more"
ASKED_FIRST = ("truth", "a", "b", "id", "positive", "measure", "test", "claim", *LOG_OPTIONS)


def arguments(files: list[str], given: Mapping[str, Any], of: Offered = COMPARE) -> list[str]:
    """Write files and settings as the command takes them, without empty values and defaults."""
    words = [word for file in files for word in (*of.before_a_file, f"./{file}" if file.startswith("-") else file)]
    for name, value in given.items():
        if name not in of.settings:
            flags = {row.key: row.typed for row in at_door(str(of.command.name), "command").values()}
            instead = f"use the command, which has this option: clearwin {of.command.name} … {flags.get(name)}"
            raise UnknownNameError("setting", name, of.settings, instead if name in flags else "")
        row = of.settings[name]
        for text in _texts(name, value, row):
            may_be_flag = row.reads.kind == "flag" or row.reads.alone
            if row.reads.kind == "flag" or (may_be_flag and text.strip().lower() in (*YES, *NO)):
                words += [row.typed] if is_yes(name, text) else []
            elif text and text != str(row.command_default):
                words += [f"{row.typed}={text}"] if text.startswith("-") else [row.typed, text]
    return words


def is_yes(name: str, text: str) -> bool:
    """Read a setting that is on or off; anything but yes or no is refused.

    >>> is_yes("per_class", "True"), is_yes("per_class", "off")
    (True, False)
    """
    if text.strip().lower() not in (*YES, *NO):
        raise OptionError(f"{name} is {text[:60]!r}.", "true or false", f"{name}=true")
    return text.strip().lower() in YES


def _texts(name: str, value: Any, row: Option) -> list[str]:
    """Return what was sent for a setting as the words that the command takes."""
    if isinstance(value, list) and row.reads.takes_a_list:
        several = [_text(name, one) for one in value]
        return several if row.reads.several else [as_listed(several)]
    return [_text(name, value)]


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise OptionError(f"{name} is {json.dumps(value)[:60]}.", "a text, a number, true or false")
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    if len(text) > LONGEST:
        raise OptionError(f"{name} is {len(text):,} characters long.", f"at most {LONGEST:,} characters")
    return text


def command_line(words: list[str], of: Offered = COMPARE) -> str:
    """Write the command that gives the same result, for a shell."""
    return " ".join(map(shell_word, ["clearwin", str(of.command.name), *words]))


def _not_a_number(error: click.BadParameter) -> OptionError:
    """Turn click's message into an error with what was expected and what to give."""
    option = error.param
    if option is None:
        return OptionError(error.format_message())
    example = option.default if isinstance(option.default, int | float) else 7
    return OptionError(error.format_message(), EXPECTED.get(option.type.name, ""), f"{option.opts[0]} {example}")


def context_of(words: list[str], of: Offered = COMPARE) -> click.Context:
    """Return the command as it would run with these words, or raise its error."""
    try:
        return of.command.make_context(of.command.name, list(words))
    except click.BadParameter as error:
        raise _not_a_number(error) from None
    except click.UsageError as error:
        raise OptionError(error.format_message()) from None


def parsed(words: list[str], of: Offered = COMPARE) -> dict[str, Any]:
    """Return the settings as the command parses them."""
    return {name: value for name, value in context_of(words, of).params.items() if name not in LEFT_OUT}


def form() -> dict[str, Any]:
    """Return everything that the template lists."""
    return {
        "measures": _measures(),
        "tests": _tests(),
        "more": [_field(row) for name, row in SETTINGS.items() if name not in ASKED_FIRST],
        "of_logs": [_field(SETTINGS[name]) for name in LOG_OPTIONS],
        "claims": [{"name": claim, "help": CLAIM_HELP[claim]} for claim in ALL_CLAIMS],
        "goals": [_field(PLAN.settings[name]) for name in GOALS if name != "claim"],
        "rates": [_field(PLAN.settings[name]) for name in names_in("Without a pilot")],
        "of_the_pilot": " ".join(name for name in PLAN.settings if name in SETTINGS and name not in GOALS),
    }


def _measures() -> dict[str, list[dict[str, str]]]:
    known = list_tests().values()
    found: dict[str, list[dict[str, str]]] = {words: [] for words in KINDS.values()}
    for m in list_measures().values():
        if m.of_winners:  # a and b are then not columns
            continue
        better = "Higher is better." if m.higher_is_better else "Lower is better."
        own = {name: value for name, value in m.defaults.items() if name != "zero_division"}
        kind = m.takes
        found[KINDS[kind]].append(
            {
                "name": m.name,
                "label": m.label,
                "help": f"{_in_words(m)} {better} Formula: {m.formula}",
                "kind": kind,
                "options": ", ".join(f"{name}={shortest(value)}" for name, value in own.items()),
                "tests": " ".join(test.name for test in known if test.can_judge(m)),
                "positive": "yes" if m.needs_positive else "",
            }
        )
    return found


def _in_words(measure: Measure) -> str:
    """Return the first line of the measure's docstring."""
    return (measure.function.__doc__ or "").partition("\n")[0].replace("``", "")


def _tests() -> list[dict[str, str]]:
    known = list(list_tests().values())
    found = [
        {
            "name": "auto",
            "label": "automatic",
            "help": "The test that fits the measure; the result says which.",
            "methods": " ".join(names_of_methods()),
            "intervals": " ".join(names_of_intervals()),
        }
    ]
    for t in known:
        how = {"methods": " ".join(t.methods), "intervals": " ".join(t.intervals)}
        found.append({"name": t.name, "label": t.label, "help": t.question, **how})
    return found


def _called(name: str) -> str:
    """Return the title of a field.

    >>> _called("n_resamples"), _called("auc_a")
    ('Replicates', 'AUC of A')
    """
    words = name.replace("_", " ").replace("n resamples", "replicates").capitalize().replace("Auc", "AUC")
    return f"{words.removesuffix(' a')} of A" if words.endswith(" a") else words


def _field(row: Option) -> dict[str, Any]:
    kinds = {"column": "column", "flag": "checkbox", "number": "number", "whole number": "number"}
    choices = choices_of(row)
    default = row.command_default
    return {
        "name": row.key,
        "kind": "choice" if choices else kinds.get(row.reads.kind, "text"),
        "several": row.reads.several,
        "help": row.help.replace("--per-class", "Per class").replace("--by", "By"),
        "default": default if isinstance(default, str | int | float) else "",
        "choices": choices,
        "label": _called(row.key),
        "step": "1" if row.reads.kind == "whole number" else "any",
    }
