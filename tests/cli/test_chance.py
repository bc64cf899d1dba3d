"""clearwin chance."""

import itertools

from tests.chance_tables import ULCER


def test_the_command(tmp_path):
    from click.testing import CliRunner

    from clearwin.cli import main

    matrix = tmp_path / "matrix.csv"
    matrix.write_text(",a,b,c\na,9,7,3\nb,15,17,13\nc,3,7,28\n")
    run = CliRunner().invoke(main, ["chance", str(matrix)])
    assert run.exit_code == 0
    assert run.stdout.startswith("The classifier is better than chance: 54 of 102 right")
    predictions = tmp_path / "preds.csv"
    rows = "".join(f"{'abc'[i]},{'abc'[j]}\n" * ULCER[i][j] for i, j in itertools.product(range(3), repeat=2))
    predictions.write_text("y,model\n" + rows)
    run = CliRunner().invoke(main, ["chance", str(predictions), "--truth", "y", "--a", "model", "--json"])
    assert run.exit_code == 0
    assert '"right": 54' in run.stdout
    assert '"name": "model"' in run.stdout
    for arguments in (["--method", "exakt"], ["--confidence-level", "7"], ["--truth", "y"]):
        run = CliRunner().invoke(main, ["chance", str(predictions), *arguments])
        assert run.exit_code == 2
        assert run.stdout == ""
        assert "Traceback" not in run.stderr
