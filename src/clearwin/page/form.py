"""What the form offers: measures, tests and claims from the registries, with one line of help each."""

from __future__ import annotations

from typing import Any

from clearwin.measures.base import shortest
from clearwin.page.settings import SETTINGS
from clearwin.registries import measures, tests
from clearwin.result import CLAIMS

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
    "group", "strata", "threshold", "alpha", "seed", "n_resamples", "confidence_level", "method", "interval", "labels",
    "separator", "per_class", "correction", "stratified", "rank_infinite",
)  # fmt: skip
OF_COLUMNS = ("group", "strata")


def form() -> dict[str, Any]:
    """Return everything that the template lists."""
    return {
        "measures": _measures(), "tests": _tests(), "more": [_field(name) for name in MORE],
        "claims": [{"name": claim, "help": CLAIM_HELP[claim]} for claim in CLAIMS],
    }  # fmt: skip


def _measures() -> dict[str, list[dict[str, str]]]:
    known = tests().values()
    found: dict[str, list[dict[str, str]]] = {words: [] for words in KINDS.values()}
    for m in measures().values():
        better = "higher is better" if m.higher_is_better else "lower is better"
        own = {name: value for name, value in m.defaults.items() if name != "zero_division"}
        found[KINDS[m.takes]].append({
            "name": m.name, "label": m.label, "help": f"{m.formula}; {better}", "takes": m.takes,
            "options": ", ".join(f"{name}={shortest(value)}" for name, value in own.items()),
            "tests": " ".join(test.name for test in known if test.can_judge(m)),
            "positive": "yes" if m.needs_positive else "",
        })  # fmt: skip
    return found


def _tests() -> list[dict[str, str]]:
    automatic = {"name": "auto", "label": "automatic", "help": "The test that fits the measure; the result says which."}
    return [automatic, *({"name": t.name, "label": t.label, "help": t.question} for t in tests().values())]


def _field(name: str) -> dict[str, Any]:
    option = SETTINGS[name]
    numeric = option.type.name in ("float", "integer", "integer range")
    kind = "column" if name in OF_COLUMNS else "checkbox" if option.is_flag else "number" if numeric else "text"
    default = option.default if isinstance(option.default, str | int | float) else ""
    return {
        "name": name, "kind": kind, "help": option.help or "", "default": default,
        "label": name.replace("_", " ").replace("n resamples", "replicates").capitalize(),
        "step": "1" if option.type.name.startswith("integer") else "any",
    }  # fmt: skip
