"""r.disagreements() and --disagreements: the items on which the models differ, counted by the slowest means."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import rankdata

import clearwin as cw
from clearwin.cli import main
from clearwin.errors import NotApplicableError

QUICK: dict[str, Any] = {"n_resamples": 200, "rng": 1}
RNG = np.random.default_rng(8)
TRUTH, A, B = (RNG.integers(0, 3, 120) for _ in range(3))
SCORES = RNG.normal(size=(2, 120)).round(1)  # with ties


def test_decisions_differ_where_their_labels_do() -> None:
    found = cw.compare(TRUTH, A, B, measure="accuracy", **QUICK).disagreements()
    assert [(one.item, one.truth, one.a, one.b) for one in found] == [
        (i, TRUTH[i], A[i], B[i]) for i in range(120) if A[i] != B[i]
    ]


def test_ranked_scores_come_by_their_shift_in_rank() -> None:
    truth = TRUTH > 0
    found = cw.compare(truth, *SCORES, measure="auc", **QUICK).disagreements()
    shift = (rankdata(SCORES[1]) - rankdata(SCORES[0])) / 120
    assert [abs(one.shift or 0.0) for one in found] == pytest.approx(sorted(abs(shift[shift != 0]), reverse=True))
    assert all(one.shift == pytest.approx(shift[one.item]) and one.a == SCORES[0][one.item] for one in found)


def test_values_come_by_their_difference() -> None:
    found = cw.compare(None, *SCORES, measure="mean", **QUICK).disagreements()
    assert [one.shift for one in found] == [one.b - one.a for one in found]
    assert len(found) == (SCORES[0] != SCORES[1]).sum()


def test_thresholds_make_decisions_that_differ() -> None:
    found = cw.compare(TRUTH > 0, *SCORES, measure="f1", threshold=0.3, **QUICK).disagreements()
    assert [one.item for one in found] == np.flatnonzero((SCORES[0] >= 0.3) != (SCORES[1] >= 0.3)).tolist()


def test_label_sets_differ_as_sets() -> None:
    truth, a, b = (RNG.random((40, 3)) < 0.5 for _ in range(3))
    found = cw.compare(truth, a, b, measure="micro_f1", **QUICK).disagreements()
    assert [one.item for one in found] == np.flatnonzero((a != b).any(axis=1)).tolist()
    assert found[0].a == ", ".join(map(str, np.flatnonzero(a[found[0].item])))


def test_items_are_called_by_index_or_id_and_make_a_frame() -> None:
    frame = pd.DataFrame({"y": TRUTH, "a": A, "b": B, "doc": [f"d{i}" for i in range(120)]})
    by_id = cw.compare("y", "a", "b", data=frame, measure="accuracy", **QUICK).disagreements(ids="doc")
    indexed = frame.set_index("doc")
    by_index = cw.compare(indexed["y"], indexed["a"], indexed["b"], measure="accuracy", **QUICK).disagreements()
    assert by_id == by_index
    assert pd.DataFrame(by_id)["item"].tolist() == frame["doc"][A != B].tolist()
    assert pl.DataFrame(by_id)["item"].to_list() == frame["doc"][A != B].tolist()


def test_counts_know_no_items() -> None:
    joint = cw.JointCounts(e1=3, e2=1, e3=1, e4=1, e5=1, e6=1, e7=1, e8=4)
    with pytest.raises(NotApplicableError, match="do not list items"):
        cw.compare(joint, **QUICK).disagreements()


@pytest.mark.parametrize("joined", [False, True])
def test_the_command_writes_them_by_row_or_id(tmp_path: Any, joined: bool) -> None:
    ids = [f"d{i:03d}" for i in range(120)]
    frame = pd.DataFrame({"id": ids, "y": TRUTH, "a": A, "b": B})
    frame.to_csv(tmp_path / "all.csv", index=False)
    words = [str(tmp_path / "all.csv"), "--truth", "y", "--a", "a", "--b", "b"]
    if joined:
        for name in "yab":
            frame[["id", name]].sample(frac=1.0, random_state=3).to_csv(tmp_path / f"{name}.csv", index=False)
        words = [*(str(tmp_path / f"{name}.csv") for name in "yab"), "--id", "id"]
    path = tmp_path / "differ.csv"
    found = CliRunner().invoke(
        main, ["compare", *words, "--measure", "accuracy", "--n-resamples", "200", "--disagreements", str(path)]
    )
    assert found.exit_code == 0, found.output
    rows = list(csv.DictReader(path.read_text().splitlines()))
    where = np.flatnonzero(A != B)
    assert [row["item"] for row in rows] == ([ids[i] for i in where] if joined else [str(i + 1) for i in where])
    assert [(row["truth"], row["a"], row["b"]) for row in rows] == [
        (str(TRUTH[i]), str(A[i]), str(B[i])) for i in where
    ]


def test_the_command_writes_scores_and_models_that_never_differ(tmp_path: Any) -> None:
    frame = pd.DataFrame({"id": range(120), "y": (TRUTH > 0) * 1, "a": SCORES[0], "b": SCORES[1], "same": SCORES[0]})
    frame.to_csv(tmp_path / "s.csv", index=False)
    for b, rows in (("b", int((rankdata(SCORES[0]) != rankdata(SCORES[1])).sum())), ("same", 0)):
        words = ["--truth", "y", "--a", "a", "--b", b, "--measure", "auc", "--id", "id", "--n-resamples", "200"]
        path = tmp_path / f"{b}.csv"
        found = CliRunner().invoke(main, ["compare", str(tmp_path / "s.csv"), *words, "--disagreements", str(path)])
        assert found.exit_code == 0, found.output
        assert len(path.read_text().splitlines()) == rows + 1
    found = CliRunner().invoke(main, ["compare", str(tmp_path / "s.csv"), *words, "--disagreements", "differ.txt"])
    assert "a file that ends in .csv" in found.output


@pytest.mark.parametrize("kind", ["decisions", "scores", "label sets"])
def test_disagreements_of_standard_input_and_of_what_was_left_out(tmp_path, kind):
    """The file is read once, and asked again for the items that differ."""
    columns = {
        "decisions": ("y,a,b\n" + "1,1,0\n0,0,0\n,1,0\n" * 8, ["--missing", "drop"], 8),
        "scores": ("y,a,b\n" + "1,0.9,0.2\n0,0.4,0.4\n,1,0\n" * 8, ["--missing", "drop", "--measure", "brier"], 8),
        "label sets": ("y,a,b\n" + '"p,q",p,q\np,p,p\n' * 8, ["--separator", ",", "--measure", "micro_f1"], 8),
    }
    text, words, differing = columns[kind]
    path = tmp_path / "differ.csv"
    roles = ["--truth", "y", "--a", "a", "--b", "b", "--n-resamples", "30", "--disagreements", str(path)]
    answer = CliRunner().invoke(main, ["compare", "-", *roles, *words], input=text)
    assert answer.exit_code == 0, answer.output
    assert len(path.read_text().splitlines()) == 1 + differing
