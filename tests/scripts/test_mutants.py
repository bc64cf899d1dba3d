"""The mutator makes what it says, leaves words alone, and a mutant that a test sees is killed."""

from __future__ import annotations

import ast

from proof import mutants
from proof.mutants import all_mutants, judges_of, mutants_of
from proof.record import ROOT

SOURCE = b'''"""Words with 1 < 2."""
def f(x: "list[1]", limit=3):
    """More words."""
    if not x or limit <= 2:
        raise ValueError(f"only {1 + 1} words")
    return max(x[: limit], key=len) * 2
'''


def test_every_kind_of_change_is_made_and_words_are_left_alone():
    found = {(one.before, one.after) for one in mutants_of("f.py", SOURCE)}
    assert found == {
        ("3", "4"),
        ("not x", "x"),
        ("or", "and"),
        ("<=", "<"),
        ("2", "3"),
        ("return max(x[: limit], key=len) * 2", "return None"),
        ("*", "/"),
        ("max", "min"),
        ("limit", "(limit) + 1"),
    }


def test_every_mutant_of_the_house_can_be_compiled_and_has_a_name_of_its_own():
    every = all_mutants()
    assert len({one.id for one in every}) == len(every) > 4_000
    for one in every[::97]:
        source = (ROOT / "src" / "clearwin" / one.file).read_bytes()
        assert source[one.start : one.end].decode() == one.before
        ast.parse(source[: one.start] + one.after.encode() + source[one.end :])


def test_a_module_is_judged_by_its_doctests_and_the_tests_that_mirror_it():
    first, second, *_ = judges_of("numerics/corrections.py", ROOT)
    assert (first, second) == ("src/clearwin/numerics/corrections.py", "tests/numerics/test_corrections.py")


def test_a_mutant_that_a_test_sees_is_killed_and_the_tree_is_as_before(tmp_path, monkeypatch):
    file = tmp_path / "src" / "clearwin" / "f.py"
    file.parent.mkdir(parents=True)
    file.write_bytes(SOURCE)
    judges = ["tests/test_f.py"]
    monkeypatch.setattr(mutants, "judges_of", lambda file, tree: judges)

    asked = []

    def ran(tests, tree, plain):
        asked.append(tests)
        return "failed" if b"min(" in file.read_bytes() else "passed"

    lines = {"4": ["t::one", "t::slow"], "6": ["t::one", "t::two", ""]}
    reached = {"tests/test_f.py": {"f.py": lines, "": {"": ["t::slow"]}}, "tests/broken.py": None}
    reached["tests/test_v.py"] = {"f.py": {"4": ["v::slow", ""]}}
    monkeypatch.setattr(mutants, "far_judges", lambda tree: ["tests/test_v.py"])
    monkeypatch.setattr(mutants, "run_tests", ran)
    monkeypatch.setattr(mutants, "reach_of", lambda tests, tree, plain: reached[tests])
    outcomes = {one.before: mutants.judge(one, tmp_path) for one in mutants_of("f.py", SOURCE)}
    assert outcomes["max"] == ("killed", "tests/test_f.py")
    assert outcomes["or"] == ("survives", "")
    asked.clear()
    by_name = {one.before: one for one in mutants_of("f.py", SOURCE)}
    mutants.judge(by_name["or"], tmp_path)  # first what reaches the line, then all; of a line that nothing reaches none
    mutants.judge(by_name["3"], tmp_path)
    assert asked == [["t::one"], ["tests/test_f.py", "--deselect=t::slow"], ["v::slow"]]
    judges.append("tests/broken.py")  # what cannot be run without a mutant, too, judges nothing
    assert mutants.judge(by_name["or"], tmp_path) == ("undecided", "")
    assert file.read_bytes() == SOURCE


def test_lines_belong_to_their_statement():
    source = "x = [\n1,\n2]\nif (x and\n        y):\n    y = 1\nfor i in x:\n    pass\n"
    found = {line: mutants.lines_of(source, line) for line in (2, 5, 6, 7)}
    assert found == {2: range(1, 4), 5: range(4, 6), 6: range(6, 7), 7: range(7, 8)}


def test_tests_are_found_by_the_lines_that_they_reach(tmp_path, monkeypatch):
    """A package of two functions and its tests, judged as the house is; a fixture that tests share belongs to none."""
    source, tests = tmp_path / "src" / "clearwin" / "f.py", tmp_path / "tests" / "test_f.py"
    for file, text in (
        (source.with_name("__init__.py"), ""),
        (source, "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"),
        (tests.with_name("__init__.py"), ""),
        (
            tests,
            "import pytest\nfrom clearwin import f\n\n"
            "@pytest.fixture(scope='module')\ndef shared():\n    return f.three()\n"
            "\ndef test_one(shared):\n    assert f.one() == 1\n\ndef test_two():\n    assert f.two() == 2\n"
            "\ndef test_slow():\n    while f.one():\n        pass\n\ndef test_wrong():\n    assert f.two() == 1\n"
            "\ndef test_libraries_are_there():\n    import sys, sysconfig\n"
            "    assert sysconfig.get_paths()['purelib'] in sys.path\n",
        ),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(mutants, "STATE", tmp_path / "state")
    monkeypatch.setattr(mutants, "SLOW", 1.0)
    monkeypatch.setattr(mutants, "LONGEST", 60.0)
    reached = mutants.reach_of("tests/test_f.py", tmp_path, False)
    assert reached[mutants.LEFT_OUT] == {"": ["tests/test_f.py::test_slow", "tests/test_f.py::test_wrong"]}
    found = reached["f.py"]
    assert found["2"] == ["tests/test_f.py::test_one", "tests/test_f.py::test_slow"], "quick ones come first"
    assert {line: sorted(found[line]) for line in ("1", "6", "10")} == {
        "1": [""],
        "6": ["tests/test_f.py::test_two", "tests/test_f.py::test_wrong"],
        "10": [""],
    }
    outcomes = {}
    monkeypatch.setattr(mutants, "judges_of", lambda file, tree: ["tests/test_f.py"])
    monkeypatch.setattr(mutants, "far_judges", lambda tree: [])
    for one in mutants_of("f.py", source.read_bytes()):
        if one.before in "123":
            outcomes[one.before] = mutants.judge(one, tmp_path)[0]
    assert outcomes == {"1": "killed", "2": "killed", "3": "survives"}
