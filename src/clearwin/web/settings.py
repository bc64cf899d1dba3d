"""The settings of a comparison, as the command has them: one table for the form, the endpoint and the command line.

They are click's options of `clearwin compare`, so the page can neither offer what the command does not know nor call
it otherwise, and both refuse with the same words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

import click

from clearwin.analyses.listing import list_measures, list_tests
from clearwin.cli.command import LEFT_OUT, quoted
from clearwin.cli.compare import compare
from clearwin.cli.logs import LOG_OPTIONS
from clearwin.data.arrays import MISSING
from clearwin.errors import OptionError, UnknownNameError
from clearwin.measures.base import Measure, shortest
from clearwin.numerics.corrections import CORRECTIONS
from clearwin.numerics.pvalues import CLAIMS

# what is about showing and writing a result
NOT_ASKED = {"margin", *LEFT_OUT}
# nor a development set, whose files would need fields of their own, nor evaluation logs, which may be folders
NOT_OFFERED = {"dev", *LOG_OPTIONS, *NOT_ASKED}
LONGEST = 1_000
YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0", "")
# what click calls a kind of number, for whoever did not give one
EXPECTED = {"integer": "a whole number", "integer range": "a whole number of at least 0", "float": "a number"}


def _name(option: click.Parameter) -> str:
    return option.opts[0].removeprefix("--").replace("-", "_")


OPTIONS = [option for option in compare.params if isinstance(option, click.Option)]
SETTINGS: dict[str, click.Option] = {_name(option): option for option in OPTIONS if option.name not in NOT_OFFERED}
ONLY_THE_COMMANDS = {_name(option): option.opts[0] for option in OPTIONS if option.name in NOT_OFFERED}
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
OF_COLUMNS = ("groups", "strata", "by")
MAY_BE_FLAGS = ("lower_is_positive",)  # true for all models, or names


def arguments(files: list[str], given: Mapping[str, Any]) -> list[str]:
    """Write files and settings as `clearwin compare` takes them; what is empty or the default is left out."""
    words = [f"./{file}" if file.startswith("-") else file for file in files]
    for name, value in given.items():
        if name not in SETTINGS:
            flag = ONLY_THE_COMMANDS.get(name)
            next = f"use the command, which has it: clearwin compare … {flag}" if flag else ""
            raise UnknownNameError("setting", name, SETTINGS, next)
        option, flag = SETTINGS[name], SETTINGS[name].opts[0]
        text = _text(name, value)
        if option.is_flag or (name in MAY_BE_FLAGS and text.strip().lower() in (*YES, *NO)):
            words += [flag] if is_yes(name, text) else []
        elif text and text != str(option.default):
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def is_yes(name: str, text: str) -> bool:
    """Read what a setting that is on or off was sent as; anything else than yes or no is refused.

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


def command_line(words: list[str]) -> str:
    """Write the command that gives the same result, for a shell."""
    return " ".join(map(quoted, ["clearwin", "compare", *words]))


def _not_a_number(error: click.BadParameter) -> OptionError:
    """Say what click says, and what it leaves out: what was expected and what to give."""
    option = error.param
    if option is None:
        return OptionError(error.format_message())
    example = option.default if isinstance(option.default, int | float) else 7
    return OptionError(error.format_message(), EXPECTED.get(option.type.name, ""), f"{option.opts[0]} {example}")


def parsed(words: list[str]) -> dict[str, Any]:
    """Return what `clearwin compare` understands, or raise what it would complain of."""
    try:
        found = compare.make_context("compare", list(words)).params
    except click.BadParameter as error:
        raise _not_a_number(error) from None
    except click.UsageError as error:
        raise OptionError(error.format_message()) from None
    return {name: value for name, value in found.items() if name not in NOT_ASKED}


def form() -> dict[str, Any]:
    """Return everything that the template lists."""
    return {
        "measures": _measures(),
        "tests": _tests(),
        "more": [_field(name) for name in MORE],
        "claims": [{"name": claim, "help": CLAIM_HELP[claim]} for claim in CLAIMS],
    }


def _measures() -> dict[str, list[dict[str, str]]]:
    known = list_tests().values()
    found: dict[str, list[dict[str, str]]] = {words: [] for words in KINDS.values()}
    for m in list_measures().values():
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
    """Return the first line of what the measure says of itself."""
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


def choices_of(name: str) -> list[str]:
    """Return the names that a setting can have, where they are known."""
    known = {
        "missing": MISSING,
        "correction": CORRECTIONS,
        "claim": CLAIMS,
        "test": ("auto", *list_tests()),
        "method": ("auto", *_all_of("methods")),
        "interval": ("auto", *_all_of("intervals")),
    }
    return list(known.get(name, ()))


def _field(name: str) -> dict[str, Any]:
    option = SETTINGS[name]
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
        "label": name.replace("_", " ").replace("n resamples", "replicates").capitalize(),
        "step": "1" if option.type.name.startswith("integer") else "any",
    }
