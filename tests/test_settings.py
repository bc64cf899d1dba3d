"""One table of options: the verbs have what it says, and a door that lacks an option says why."""

import inspect
import subprocess
import sys

import pytest

import clearwin as cw
from clearwin.settings import DIFFERENT, DOORS, ROWS, VERBS, at_door, choices_of, options_of

# command → its verb in Python, if that is called otherwise
CALLED = {"chance": "against_chance", "folds": "compare_folds", "datasets": "rank_data_sets"}
IN_PYTHON = [verb for verb, doors in DOORS.items() if "python" in doors]
# verbs that hand other settings to another verb
HANDED_ON = {"gate": "compare", "assert_not_worse": "gate", "compare_by_class": "compare"}
# of functions that are verbs only in the table's sense
NO_VERBS = {"custom_measure", "join_frames", "list_measures", "list_tests"}


def parameters(verb):
    found = inspect.signature(getattr(cw, CALLED.get(verb, verb))).parameters.values()
    return {one.name: one for one in found if one.kind is one.KEYWORD_ONLY}


def test_every_public_verb_is_in_the_table():
    verbs = {name for name in cw.__all__ if inspect.isfunction(getattr(cw, name))} - NO_VERBS
    assert verbs == {CALLED.get(verb, verb) for verb in IN_PYTHON}


@pytest.mark.parametrize("verb", IN_PYTHON)
def test_signatures_have_the_settings_of_the_table(verb):
    own, rows = parameters(verb), at_door(verb, "python")
    assert own.keys() <= rows.keys()
    handed_on = at_door(HANDED_ON[verb], "python").keys() if verb in HANDED_ON else set()
    assert rows.keys() - own.keys() <= handed_on
    defaults = {name: one.default for name, one in own.items() if one.default is not inspect.Parameter.empty}
    assert defaults == {name: rows[name].default for name in defaults}


def test_a_door_that_lacks_an_option_says_why():
    for verb, doors in DOORS.items():
        for row in options_of(verb):
            assert all(row.why_not.values())
            assert set(doors) - row.why_not.keys(), f"{verb} has {row.name} at no door"


def test_names_and_keys_are_unique():
    assert len({row.name for row in ROWS}) == len(ROWS)
    for verb in DOORS:
        for door in DOORS[verb]:
            keys = [row.key for row in at_door(verb, door).values()]
            assert len(set(keys)) == len(keys)


def test_what_differs_by_verb_is_about_an_option_that_it_has():
    for verb, different in DIFFERENT.items():
        assert different.keys() <= {row.name for row in options_of(verb)}
    assert VERBS.keys() == DOORS.keys()
    assert {name for names in VERBS.values() for name in names.split()} == {row.name for row in ROWS}


def test_defaults_are_among_the_choices():
    for verb in DOORS:
        for row in options_of(verb):
            assert not row.choices or row.default in choices_of(row)


def test_the_table_costs_nothing_to_import():
    code = "import sys, clearwin.settings; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in loaded if name.startswith("clearwin.")} == {"clearwin.settings"}
    assert {"numpy", "click"}.isdisjoint(loaded)
