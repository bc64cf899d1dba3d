"""The registry of caveats: each code has one home, its facts fit its words, and its place is documented."""

import ast
import inspect
import re
import string
from pathlib import Path

import pytest

import clearwin
from clearwin.errors import settings_in
from clearwin.results.caveats import CAVEATS, PLACES, SEVERITIES, caveat, in_order
from clearwin.significance import caveats as rules

ROOT = Path(clearwin.__file__).parent
HOME = ROOT / "results" / "caveats.py"
DOCS = ROOT.parents[1] / "docs"


def calls(path, name):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


RAISED = [(path, call) for path in sorted(ROOT.rglob("*.py")) if path != HOME for call in calls(path, "caveat")]


def said_of(call):
    """Return the texts that a call picks from; None where a parameter names the text."""
    if len(call.args) < 2:
        return {""}
    texts = {node.value for node in ast.walk(call.args[1]) if isinstance(node, ast.Constant)}
    return {text for text in texts if isinstance(text, str)} or None


def test_caveats_are_made_in_one_place():
    elsewhere = [f"{path.name}:{call.lineno}" for path in ROOT.rglob("*.py") for call in calls(path, "Caveat")]
    assert [place for place in elsewhere if not place.startswith("caveats.py:")] == []
    assert len(list(calls(HOME, "Caveat"))) == 1
    assert not any(list(calls(path, "Caveat")) for path in ROOT.rglob("caveats.py") if path != HOME)


def test_every_code_is_raised_and_every_text_can_be():
    raised = {}
    for _, call in RAISED:
        code = call.args[0].value
        raised.setdefault(code, set()).update(said_of(call) or CAVEATS[code].wordings)
    assert raised == {code: set(kind.wordings) for code, kind in CAVEATS.items()}


@pytest.mark.parametrize(("path", "call"), RAISED, ids=lambda value: getattr(value, "name", None))
def test_the_facts_are_those_that_the_words_need(path, call):
    kind = CAVEATS[call.args[0].value]
    given = {keyword.arg for keyword in call.keywords}
    for of in said_of(call) or ():
        needed = set(inspect.signature(kind.wordings[of].text).parameters)
        assert given - {None} <= needed, f"{path.name}:{call.lineno}"
        assert None in given or given == needed, f"{path.name}:{call.lineno}"


@pytest.mark.parametrize("kind", CAVEATS.values(), ids=lambda kind: kind.code)
def test_a_source_names_only_facts_of_its_text(kind):
    for wording in kind.wordings.values():
        named = {name for _, name, _, _ in string.Formatter().parse(wording.source) if name}
        assert named <= set(inspect.signature(wording.text).parameters)


@pytest.mark.parametrize("kind", CAVEATS.values(), ids=lambda kind: kind.code)
def test_a_kind_is_complete(kind):
    assert re.fullmatch(r"[a-z][a-z0-9_]+", kind.code)
    assert kind.about.endswith(".")
    assert kind.order in PLACES
    assert set(kind.said_once_of) <= {"class", "label", "slice"}


def test_every_code_is_in_the_docs():
    page = (DOCS / "caveats.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == sorted(CAVEATS, key=lambda code: CAVEATS[code].order)


@pytest.mark.parametrize("kind", CAVEATS.values(), ids=lambda kind: kind.code)
def test_the_docs_give_every_source_once_and_without_blanks(kind):
    page = (DOCS / "caveats.md").read_text(encoding="utf-8")
    [cell] = re.findall(rf"^\| `{kind.code}` \|.*\| (.*?) ?\|$", page, re.M)
    assert not re.search(r"[{}…]", cell)
    parts = cell.split("; ")
    assert len(set(parts)) == len(parts)
    for wording in kind.wordings.values():
        for publication in re.findall(r"[^;:,]*? \d{4}\b|keller2004|nyssen1998|cs446|lecture-measures", wording.source):
            assert publication.strip() in cell


@pytest.mark.parametrize(
    ("code", "threshold"),
    [
        ("few_of_a_class", rules.FEWEST_BY_CLASS),
        ("few_groups", rules.FEWEST_FOR_T),
        ("few_groups", rules.FEWEST_GROUPS),
        ("few_for_the_bootstrap", rules.FEWEST_FOR_THE_BOOTSTRAP),
        ("few_replicates", rules.FEWEST_BEYOND),
    ],
)
def test_the_docs_give_the_thresholds_that_the_rules_use(code, threshold):
    assert re.search(rf"\b{threshold}\b", CAVEATS[code].source_in_docs)


def test_facts_become_words_and_a_source():
    found = caveat("few_of_a_class", few=[("spam", 3), ("ham", 0)], measure="F1", interval="tango", fewest=8)
    assert found.text == (
        "Class spam has only 3 items and class ham has no items, so F1 rests on very few items and only a large "
        "difference can be shown. The interval is conservative."
    )
    assert found.source == "fewer than 8 items of a class; docs/scorecard.md"
    assert str(found) == f"{found.text} ({found.source})"


def test_another_text_keeps_the_code():
    assert caveat("no_width", "folds").code == caveat("no_width").code == "no_width"
    assert caveat("no_width", "folds").text != caveat("no_width").text


def test_settings_stay_settings():
    """The command and the page spell them in their own way."""
    (named,) = settings_in(str(caveat("ignores_strata", test="sign test", instead=("bootstrap",))) + "")
    assert (named.name, named.values) == ("test", ("bootstrap",))


def test_an_unknown_code_is_a_mistake_of_ours():
    with pytest.raises(KeyError):
        caveat("no_such_code")


def test_what_could_change_the_decision_comes_first_and_by_the_way_last():
    by_the_way = caveat("stratified", unit="item", strata={"x": 5})
    few, dropped = caveat("few_units"), caveat("dropped", items=1, of=9, lacking="truth on 1")
    wrong_rows, wrong_units = caveat("truth_itself", name="A"), caveat("naive", level=0.2, alpha=0.05, paired_t=True)
    assert [c.changes for c in (wrong_rows, few, by_the_way)] == list(SEVERITIES)
    found = in_order([by_the_way, few, wrong_units, dropped, wrong_rows])
    assert found == [wrong_rows, wrong_units, dropped, few, by_the_way]


def test_groups_change_the_decision_only_where_they_widen():
    """A design effect above 1 makes p-values too small (Kish 1965), one below 1 too large."""
    facts = {"test": "sign test", "n": 40, "groups": 10, "instead": ()}
    assert caveat("ignores_groups", design_effect=1.3, **facts).changes == "the decision"
    assert caveat("ignores_groups", "without harm", design_effect=0.9, **facts).changes == "how sure"


def test_readers_follow_the_severity():
    """Overlapping training sets stand above the verdict, in text and in JSON; a few folds below it."""
    a = [0.8, 0.7, 0.75, 0.72, 0.78, 0.71, 0.74, 0.77, 0.73, 0.76]
    b = [x + 0.01 * (i % 3) for i, x in enumerate(a)]
    result = clearwin.compare_folds(a, b, design="k-fold", test="paired_t")
    summary = result.summary()
    assert [c["code"] for c in result.to_dict()["caveats"]] == ["naive", "few_folds"]
    assert [w.startswith("The training sets overlap") for w in summary.warnings] == [True]
    assert [c.startswith("There are 10 folds") for c in summary.caveats] == [True]
