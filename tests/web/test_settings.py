"""Page, endpoint and form have the settings of the table, as the command takes them."""

from __future__ import annotations

import json
import re

import pytest

from clearwin.errors import ClearwinError, OptionError, UnknownNameError
from clearwin.settings import at_door, options_of
from clearwin.web.settings import PLAN, SETTINGS, arguments, command_line, form, parsed
from tests.web.asking import EIGHTS, command, words_of
from tests.web.asking import form as fields


def test_yes_and_no_in_any_case():
    assert [arguments(["p.csv"], {"per_class": text})[1:] for text in ("True", "YES", "on", "1", True)] == [
        ["--per-class"]
    ] * 5
    assert [arguments(["p.csv"], {"per_class": text})[1:] for text in ("False", "no", "OFF", "0", "", False)] == [
        []
    ] * 6


@pytest.mark.parametrize("name", ["dev", "device", "html"])
def test_a_setting_that_only_the_command_has_is_refused_with_the_command(name, shared):
    answer = shared(lambda c: c.post("/api/compare", files=fields({**EIGHTS, "example": "eights", name: "0.1"})))
    assert f"clearwin compare … --{name}" in words_of(answer, 422)
    nonsense = shared(lambda c: c.post("/api/compare", files=fields({**EIGHTS, "example": "eights", "mrgin": "0.1"})))
    assert "use the command" not in words_of(nonsense, 422)


def test_what_the_command_has_the_page_has_or_says_why_not():
    for verb, settings in (("compare", SETTINGS), ("plan", PLAN.settings)):
        on_the_command = {row.key for row in at_door(verb, "command").values()}
        lacking = {row.key for row in options_of(verb) if "page" in row.why_not}
        assert settings.keys() == on_the_command - lacking


def test_the_form_has_a_field_for_every_setting_of_a_comparison(shared):
    page = shared(lambda c: c.get("/")).text
    question = page[page.index('<form id="question"') : page.index('<form id="plan"')]
    assert set(re.findall(r' name="(\w+)"', question)) == set(SETTINGS)
    shown = {field["name"]: field["kind"] for field in form()["more"]}
    kinds = {"margin": "text", "names": "text", "threshold": "text", "groups": "column", "by": "column"}
    assert {name: shown[name] for name in kinds} == kinds


def asked(**settings):
    return {**EIGHTS, "example": "eights", **settings}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"margin": "0.02"}, ["--margin", "0.02"]),
        ({"margin": "5%", "claim": "not_worse"}, ["--margin", "5%", "--claim", "not_worse"]),
        ({"names": "old,new"}, ["--names", "old,new"]),
        ({"by": "truth", "measure": "accuracy"}, ["--by", "truth", "--measure", "accuracy"]),
    ],
)
def test_settings_of_the_form_give_the_answer_of_the_command(settings, words, shared, tmp_path):
    file = tmp_path / "eights.csv"
    file.write_bytes(shared(lambda c: c.get("/examples/digits_eight.csv")).content)
    answer = shared(lambda c: c.post("/api/compare", files=fields(asked(**settings))))
    eights = [word for name, value in EIGHTS.items() for word in (f"--{name}", value)]
    assert answer.text == command("compare", str(file), *eights, *words, "--json")


def test_a_margin_that_no_claim_is_about_is_refused_before_any_work(shared):
    answer = shared(lambda c: c.post("/api/compare", files=fields(asked(margin="5%"))))
    assert "no claim is made about it" in words_of(answer, 422)
    assert answer.json()["error"]["field"] == "margin"


def test_crossed_groups_as_a_field_sent_twice_and_as_a_list(shared):
    rows = [(i % 2, (i % 2) ^ (i % 7 == 0), (i % 2) ^ (i % 5 == 0), i % 9, i // 9) for i in range(81)]
    columns = dict(zip(("y", "a", "b", "who", "what"), map(list, zip(*rows, strict=True)), strict=True))
    text = "\n".join([",".join(columns), *(",".join(str(int(value)) for value in row) for row in rows)])
    one = {"truth": "y", "a": "a", "b": "b", "positive": "1", "measure": "accuracy", "seed": "1", "groups": "who"}
    sent = [("files", ("p.csv", text.encode())), *fields(one), ("groups", (None, "what"))]
    twice = shared(lambda c: c.post("/api/compare", files=sent)).json()
    once = shared(lambda c: c.post("/api/compare", files=sent[:-1])).json()
    assert twice["interval"] != once["interval"]
    body = {"columns": {name: [int(value) for value in column] for name, column in columns.items()}}
    listed = shared(lambda c: c.post("/api/compare", json=body | one | {"groups": ["who", "what"]}))
    assert listed.json()["p_value"] == twice["p_value"]
    repeated = [*sent, ("measure", (None, "f1"))]
    assert "measure was given twice" in words_of(shared(lambda c: c.post("/api/compare", files=repeated)), 422)


def test_the_endpoint_takes_patterns_and_counts_which_the_form_lacks(shared):
    """docs/page.md says so."""
    text = "g_x,g_y,s_x,s_y,r_x,r_y,one\n" + "1,0,1,0,1,0,1\n0,1,0,1,1,1,1\n" * 9
    counts = {"truth": "one", "a": "s_x,r_x", "b": "g_x,r_x"}
    measures = {"micro_f1": {"truth": "g_*", "a": "s_*", "b": "r_*"}, "f1_of_sums": counts}
    for measure, columns in measures.items():
        sent = [("files", ("m.csv", text.encode())), *fields({**columns, "measure": measure, "seed": "1"})]
        answer = shared(lambda c, sent=sent: c.post("/api/compare", files=sent))
        assert answer.status_code == 200, answer.text


def test_settings_are_the_commands_options():
    words = arguments(
        ["-x.csv"],
        {
            "truth": "-y",
            "measure": "dcf(prior=0.1)",
            "seed": 7,
            "confidence_level": "0.95",
            "b": "",
            "per_class": "true",
            "rank_infinite": False,
            "groups": None,
        },
    )
    assert words == ["./-x.csv", "--truth=-y", "--measure", "dcf(prior=0.1)", "--seed", "7", "--per-class"]
    found = parsed(words)
    assert (found["truth"], found["rng"], found["per_class"], found["dev"]) == ("-y", 7, True, None)
    assert command_line(["a b.csv"]) == "clearwin compare 'a b.csv'"
    words = arguments(["x.csv"], {"lower_is_positive": True, "missing": "drop"})
    assert words == ["x.csv", "--lower-is-positive", "--missing", "drop"]
    assert (parsed(words)["lower_is_positive"], parsed(words)["missing"]) == ("all", "drop")
    assert arguments(["x.csv"], {"lower_is_positive": False, "missing": "refuse"}) == ["x.csv"]
    assert arguments(["x.csv"], {"lower_is_positive": "svm"}) == ["x.csv", "--lower-is-positive", "svm"]
    lists = {"groups": ["g", "h"], "threshold": [0.3, 0.5], "names": ["gpt, v2", "new"]}
    assert arguments([], lists) == [
        *["--groups", "g", "--groups", "h", "--threshold", "0.3,0.5", "--names", '"gpt, v2",new']
    ]
    with pytest.raises(OptionError, match=re.escape(f"seed is {json.dumps([1, 2])}")):
        arguments(["x.csv"], {"seed": [1, 2]})
    with pytest.raises(UnknownNameError, match="measure"):
        arguments(["x.csv"], {"mesure": "1"})
    with pytest.raises(OptionError, match="characters"):
        arguments(["x.csv"], {"truth": "x" * 2_000})
    with pytest.raises(ClearwinError, match="--seed"):
        parsed(["x.csv", "--seed", "-1"])
