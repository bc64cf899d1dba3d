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

    def ran(tests, tree, plain):
        seen = b"min(" in file.read_bytes()
        return "failed" if tests == "tests/broken.py" or seen else "passed"

    monkeypatch.setattr(mutants, "run_tests", ran)
    outcomes = {one.before: mutants.judge(one, tmp_path, {}) for one in mutants_of("f.py", SOURCE)}
    assert outcomes["max"] == ("killed", "tests/test_f.py")
    assert outcomes["or"] == ("survives", "")
    judges.append("tests/broken.py")  # what fails without a mutant, too, judges nothing
    (either,) = (one for one in mutants_of("f.py", SOURCE) if one.before == "or")
    assert mutants.judge(either, tmp_path, {}) == ("undecided", "")
    assert file.read_bytes() == SOURCE
