"""The settings of a comparison, as the command has them: one table for the form, the endpoint and the command line.

They are click's options of `clearwin compare`, so page and command have the same settings under the same names, and
refuse with the same words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import click

from clearwin.analyses.listing import list_measures, list_tests
from clearwin.cli.command import LEFT_OUT
from clearwin.cli.compare import compare
from clearwin.cli.logs import LOG_OPTIONS
from clearwin.cli.plan import plan
from clearwin.data.arrays import MISSING
from clearwin.errors import OptionError, UnknownNameError
from clearwin.measures.base import Measure, shortest
from clearwin.numerics.corrections import CORRECTIONS
from clearwin.numerics.pvalues import ALL_CLAIMS, CLAIMS
from clearwin.settings import names_in
from clearwin.text import shell_word

# options for showing and writing a result
NOT_ASKED = {"margin", *LEFT_OUT}
# nor a development set, whose files would need their own fields, nor another device, nor how to read scores that
# exceed the memory, because an upload never does
NOT_OFFERED = {"dev", "device", "bins", "memory_limit", *NOT_ASKED}
LONGEST = 1_000
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0", "")
# click's names of numbers → what was expected
EXPECTED = {"integer": "a whole number", "integer range": "a whole number of at least 0", "float": "a number"}


def _name(option: click.Parameter) -> str:
    return option.opts[0].removeprefix("--").replace("-", "_")


@dataclass(frozen=True)
class Offered:
    """A command as the page offers it: its settings by name, and those that only the command has."""

    command: click.Command
    settings: dict[str, click.Option]
    only_the_commands: dict[str, str]
    before_a_file: tuple[str, ...] = ()

    @classmethod
    def of(cls, command: click.Command, not_offered: set[str], before_a_file: tuple[str, ...] = ()) -> Offered:
        """Take the options of a command, except some."""
        options = [option for option in command.params if isinstance(option, click.Option)]
        offered = {_name(option): option for option in options if option.name not in not_offered}
        others = {_name(option): option.opts[0] for option in options if option.name in not_offered}
        return cls(command, offered, others, before_a_file)


COMPARE = Offered.of(compare, NOT_OFFERED)
PLAN = Offered.of(plan, {"files", *LOG_OPTIONS, *LEFT_OUT}, ("--pilot",))
SETTINGS = COMPARE.settings
GOALS = ("difference", "items", "power", "margin", "design_effect")  # what a plan asks for besides a claim
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
}
MORE = (
    "groups",
    "strata",
    "order",
    "by",
    "threshold",
    "seed",
    "n_resamples",
    "confidence_level",
    "method",
    "interval",
    "labels",
    "separator",
    "missing",
    "per_class",
    "correction",
    "rank_infinite",
    "lower_is_positive",
)
OF_COLUMNS = ("groups", "strata", "order", "by")
MAY_BE_FLAGS = ("lower_is_positive",)  # true for all models, or names


def arguments(files: list[str], given: Mapping[str, Any], of: Offered = COMPARE) -> list[str]:
    """Write files and settings as the command takes them, without empty values and defaults."""
    words = [word for file in files for word in (*of.before_a_file, f"./{file}" if file.startswith("-") else file)]
    for name, value in given.items():
        if name not in of.settings:
            flag = of.only_the_commands.get(name)
            next = f"use the command, which has this option: clearwin {of.command.name} … {flag}" if flag else ""
            raise UnknownNameError("setting", name, of.settings, next)
        option, flag = of.settings[name], of.settings[name].opts[0]
        text = _text(name, value)
        if option.is_flag or (name in MAY_BE_FLAGS and text.strip().lower() in (*YES, *NO)):
            words += [flag] if is_yes(name, text) else []
        elif text and text != str(option.default):
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def is_yes(name: str, text: str) -> bool:
    """Read a setting that is on or off; anything but yes or no is refused.

    >>> is_yes("per_class", "True"), is_yes("per_class", "off")
    (True, False)
    """
    if text.strip().lower() not in (*YES, *NO):
        raise OptionError(f"{name} is {text[:60]!r}.", "true or false", f"{name}=true")
    return text.strip().lower() in YES


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
    found = context_of(words, of).params
    return {name: value for name, value in found.items() if name not in (NOT_ASKED if of is COMPARE else LEFT_OUT)}


def form() -> dict[str, Any]:
    """Return everything that the template lists."""
    return {
        "measures": _measures(),
        "tests": _tests(),
        "more": [_field(name) for name in MORE],
        "of_logs": [_field(name) for name in LOG_OPTIONS],
        "claims": [{"name": claim, "help": CLAIM_HELP[claim]} for claim in CLAIMS],
        "goals": [_field(name, PLAN) for name in GOALS],
        "rates": [_field(name, PLAN) for name in names_in("Without a pilot")],
        "planned_claims": ALL_CLAIMS,
        "of_the_pilot": " ".join(name for name in PLAN.settings if name in SETTINGS and name != "claim"),
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
            "methods": " ".join(_all_of("methods")),
            "intervals": " ".join(_all_of("intervals")),
        }
    ]
    for t in known:
        how = {"methods": " ".join(t.methods), "intervals": " ".join(t.intervals)}
        found.append({"name": t.name, "label": t.label, "help": t.question, **how})
    return found


def _all_of(what: Literal["methods", "intervals"]) -> list[str]:
    """Return the names that any test knows, in the order of the registry."""
    return list(dict.fromkeys(name for test in list_tests().values() for name in getattr(test, what)))


def choices_of(name: str, of: Offered = COMPARE) -> list[str]:
    """Return the names that a setting can have, where they are known."""
    known = {
        "missing": MISSING,
        "correction": CORRECTIONS,
        "claim": CLAIMS if of is COMPARE else ALL_CLAIMS,
        "test": ("auto", *list_tests()),
        "method": ("auto", *_all_of("methods")),
        "interval": ("auto", *_all_of("intervals")),
    }
    return list(known.get(name, ()))


def _called(name: str) -> str:
    """Return the title of a field.

    >>> _called("n_resamples"), _called("auc_a")
    ('Replicates', 'AUC of A')
    """
    words = name.replace("_", " ").replace("n resamples", "replicates").capitalize().replace("Auc", "AUC")
    return f"{words.removesuffix(' a')} of A" if words.endswith(" a") else words


def _field(name: str, of: Offered = COMPARE) -> dict[str, Any]:
    option = of.settings[name]
    numeric = option.type.name in ("float", "integer", "integer range")
    kind = "column" if name in OF_COLUMNS else "checkbox" if option.is_flag else "number" if numeric else "text"
    choices = choices_of(name)
    kind = "choice" if choices else kind
    default = option.default if isinstance(option.default, str | int | float) else ""
    help = (option.help or "").replace("--per-class", "Per class")
    return {
        "name": name,
        "kind": kind,
        "help": help,
        "default": default,
        "choices": choices,
        "label": _called(name),
        "step": "1" if option.type.name.startswith("integer") else "any",
    }
