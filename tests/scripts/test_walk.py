"""The way from the typed words to the verdict is no longer than it was."""

from walk import comparison, told, walked


def test_one_comparison_passes_few_files_and_functions(tmp_path):
    """Whoever shortens the way lowers the ceiling; whoever needs a longer one says why."""
    steps = walked(comparison(tmp_path))
    assert ("cli/command.py", "echo") in steps  # after which the files are closed
    # five files and 38 functions read the first rows again and look whether they resemble those before them; eight
    # files and some 30 functions are those of the public verb, which the command now asks as everybody else does
    assert len({file for file, _ in steps}) <= 59, told(steps)
    assert len(steps) <= 469, told(steps)


def test_what_is_passed_is_told_by_rooms():
    steps = [("cli/compare.py", "compare"), ("text.py", "printable"), ("cli/command.py", "show")]
    assert told(steps).splitlines() == ["3 files, 3 functions", "cli              2", "text             1"]
