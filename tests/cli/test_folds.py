"""clearwin folds: what Python says, and what it refuses."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from tests.fold_scores import GOOD, TESTS


@pytest.fixture
def scores(tmp_path):
    file = tmp_path / "scores.csv"
    lines = ["fold,svm,tree"] + [f"{i},{x},{y}" for i, (x, y) in enumerate(zip(GOOD, GOOD[::-1], strict=True))]
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def test_the_command_says_what_python_says(scores):
    run = CliRunner().invoke(main, ["folds", scores, "--a", "svm", "--b", "tree", "--design", "k-fold"])
    assert run.exit_code == 0
    assert run.output.strip() == str(cw.compare_folds(GOOD, GOOD[::-1], design="k-fold", names=("svm", "tree")))
    line = ["folds", scores, "--a", "svm", "--b", "tree", "--test", "corrected_t", "--test-train-ratio", "0.5"]
    run = CliRunner().invoke(main, [*line, "--lower-is-better", "--claim", "better", "--json", "--seed", "1"])
    r = cw.compare_folds(
        GOOD,
        GOOD[::-1],
        test="corrected_t",
        test_train_ratio=0.5,
        higher_is_better=False,
        claim="better",
        rng=1,
        names=("svm", "tree"),
    )
    assert json.loads(run.output) == r.to_dict()


def test_the_command_refuses_in_three_lines(scores):
    run = CliRunner().invoke(main, ["folds", scores, "--a", "svm", "--b", "tree"])
    assert run.exit_code == 2
    assert "design of the folds was not given" in run.stderr
    assert "next: --design" in run.stderr


def test_the_command_does_not_pay_for_scipy_stats(scores):
    code = f"""
import sys
from clearwin.cli import main
main(["folds", {scores!r}, "--a", "svm", "--b", "tree", "--design", "k-fold"], standalone_mode=False)
assert "scipy.stats" not in sys.modules and "sklearn" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_settings_are_spelled_alike_in_python_and_on_the_command_line():
    import inspect

    in_python = set(inspect.signature(cw.compare_folds).parameters) - {"names", "higher_is_better"}
    assert in_python <= {p.name for p in main.commands["folds"].params}
    help_of_test = next(p.help for p in main.commands["folds"].params if p.name == "test")
    assert all(name in help_of_test for name in TESTS)
