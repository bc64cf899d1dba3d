"""The wheel in an empty environment, and what a user's mypy makes of it."""

import pytest

from check_wheel import PROGRAM, build, check


def test_the_program_of_the_wheel_runs(capsys):
    exec(compile(PROGRAM, "program.py", "exec"), {})
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.study
def test_the_wheel_works_in_an_empty_environment(tmp_path):
    """The marker py.typed makes mypy read our hints: the right program passes, and in the wrong one all is found."""
    version, demo, *complaints = check(build(tmp_path), tmp_path)
    assert version.startswith("clearwin, version ")
    assert "eights" in demo
    said = "\n".join(complaints)
    assert 'Argument "claim" to "compare" has incompatible type' in said
    assert 'Property "difference" defined in "Comparison" is read-only' in said
    assert 'expression has type "str", variable has type "int"' in said
    assert "Found 3 errors" in said
