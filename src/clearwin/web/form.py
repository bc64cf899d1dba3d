"""What the form offers: measures, tests and claims from the registries, with one line of help each."""

from __future__ import annotations

from typing import Any, Literal

from clearwin.analyses.listing import list_measures, list_tests
from clearwin.measures.base import Measure, shortest
from clearwin.numerics.corrections import CORRECTIONS
from clearwin.numerics.pvalues import CLAIMS
from clearwin.web.settings import SETTINGS

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
    "threshold",
    "alpha",
    "seed",
    "n_resamples",
    "confidence_level",
    "method",
    "interval",
    "labels",
    "separator",
    "per_class",
    "correction",
    "rank_infinite",
)
OF_COLUMNS = ("groups", "strata")


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
        found[KINDS[m.takes]].append(
            {
                "name": m.name,
                "label": m.label,
                "help": f"{_in_words(m)} {better} Formula: {m.formula}",
                "takes": m.takes,
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
