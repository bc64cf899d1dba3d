"""What several test files of this folder are given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import COUNTS, NAMES, TRUTH, A, B, table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with the files of the issue's interface."""
    monkeypatch.chdir(tmp_path)
    ids = [f"{i:03}" for i in range(len(TRUTH))]
    words = {name: [NAMES[x] for x in labels] for name, labels in (("y", TRUTH), ("svm", A), ("rbf", B))}
    Path("preds.csv").write_text(table({"doc": ids, **words}))
    Path("preds01.csv").write_text(table({"y": TRUTH, "svm": A, "rbf": B}))
    for name, labels, turn in (("gold", TRUTH, 0), ("a", A, 50), ("b", B, 77)):
        # each file in an order of its own
        columns = {"doc": ids[turn:] + ids[:turn], "label": labels[turn:] + labels[:turn]}
        Path(f"{name}.csv").write_text(table(columns))
    Path("counts.json").write_text(json.dumps(COUNTS))
    return tmp_path
