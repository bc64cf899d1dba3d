"""Settings of the page are options of the command."""

from __future__ import annotations

import pytest

from clearwin.errors import ClearwinError, OptionError, UnknownNameError
from clearwin.web.settings import SETTINGS, arguments, command_line, parsed
from tests.web.asking import EIGHTS, form, words_of


def test_yes_and_no_in_any_case():
    assert [arguments(["p.csv"], {"per_class": text})[1:] for text in ("True", "YES", "on", "1", True)] == [
        ["--per-class"]
    ] * 5
    assert [arguments(["p.csv"], {"per_class": text})[1:] for text in ("False", "no", "OFF", "0", "", False)] == [
        []
    ] * 6


@pytest.mark.parametrize("name", ["margin", "dev", "html"])
def test_a_setting_that_only_the_command_has_is_refused_with_the_command(name, shared):
    answer = shared(lambda c: c.post("/api/compare", files=form({**EIGHTS, "example": "eights", name: "0.1"})))
    assert f"clearwin compare … --{name}" in words_of(answer, 422)
    nonsense = shared(lambda c: c.post("/api/compare", files=form({**EIGHTS, "example": "eights", "mrgin": "0.1"})))
    assert "use the command" not in words_of(nonsense, 422)


def test_the_endpoint_takes_patterns_and_counts_which_the_form_lacks(shared):
    """docs/page.md says so."""
    text = "g_x,g_y,s_x,s_y,r_x,r_y,one\n" + "1,0,1,0,1,0,1\n0,1,0,1,1,1,1\n" * 9
    counts = {"truth": "one", "a": "s_x,r_x", "b": "g_x,r_x"}
    asked = {"micro_f1": {"truth": "g_*", "a": "s_*", "b": "r_*"}, "f1_of_sums": counts}
    for measure, columns in asked.items():
        sent = [("files", ("m.csv", text.encode())), *form({**columns, "measure": measure, "seed": "1"})]
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
    assert "json" not in SETTINGS
    assert "dev" not in SETTINGS
    with pytest.raises(UnknownNameError, match="measure"):
        arguments(["x.csv"], {"mesure": "1"})
    with pytest.raises(OptionError, match="characters"):
        arguments(["x.csv"], {"truth": "x" * 2_000})
    with pytest.raises(ClearwinError, match="--seed"):
        parsed(["x.csv", "--seed", "-1"])
