"""compare(by=…): one comparison for each slice, corrected, with the whole and a test of whether slices differ."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from statsmodels.stats.multitest import multipletests

import clearwin as cw
from clearwin.cli import main
from clearwin.errors import DataError, FileError

QUICK: dict[str, Any] = {"n_resamples": 500, "rng": 1}


def a_frame(n: int = 900, seed: int = 3) -> pd.DataFrame:
    """B is better in German and English and worse in French; Swahili has few items."""
    rng = np.random.default_rng(seed)
    language = rng.choice(["de", "en", "fr", "sw"], n, p=[0.3, 0.4, 0.27, 0.03])
    truth = rng.random(n) < 0.3
    a = np.where(rng.random(n) < 0.8, truth, ~truth)
    b = np.where(rng.random(n) < np.where(language == "fr", 0.65, 0.92), truth, ~truth)
    scores = rng.normal(truth * 1.0, 1.0, (2, n))
    columns = {"truth": truth * 1, "a": a * 1, "b": b * 1, "score_a": scores[0], "score_b": scores[1]}
    return pd.DataFrame({**columns, "language": language, "author": np.arange(n) // 3})


FRAME = a_frame()


@pytest.mark.parametrize("measure", ["f1", "accuracy", "auc", "mean"])
def test_each_slice_is_what_compare_says_of_its_items_alone(measure: str) -> None:
    a, b = ("score_a", "score_b") if measure in ("auc", "mean") else ("a", "b")
    truth = None if measure == "mean" else "truth"
    r = cw.compare(truth, a, b, data=FRAME, by="language", measure=measure, **QUICK)
    for one in r.slices:
        alone = cw.compare(truth, a, b, data=FRAME[FRAME["language"] == one.label], measure=measure, **QUICK)
        assert (one.n, one.difference, one.interval, one.p_value) == (
            alone.n,
            alone.difference,
            alone.interval,
            alone.p_value,
        )
    whole = cw.compare(truth, a, b, data=FRAME, measure=measure, **QUICK)
    assert (r.difference, r.p_value, r.interval) == (whole.difference, whole.p_value, whole.interval)


@pytest.mark.parametrize(("ours", "theirs"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_p_values_are_corrected_as_statsmodels_does(ours: str, theirs: str) -> None:
    r = cw.compare("truth", "a", "b", data=FRAME, by="language", correction=ours, **QUICK)
    expected = multipletests([one.p_value for one in r.slices], method=theirs)[1]
    assert np.allclose([one.adjusted_p for one in r.slices], expected)


def test_where_b_is_better_and_where_worse_is_said_and_drawn() -> None:
    r = cw.compare("truth", "a", "b", data=FRAME, by="language", **QUICK)
    assert {one.label: one.decision for one in r.slices} == {
        "de": "better",
        "en": "better",
        "fr": "worse",
        "sw": "not shown",
    }
    assert "By language, b is better than a in slices de, en and worse than a in slice fr" in r.verdict()
    assert "The difference is not the same in all slices (Brown and Forsythe's F(2." in r.verdict()
    assert r.slicing is not None
    assert r.to_csv().count("\n") == 5
    drawn = [text.get_text() for text in r.plot(kind="forest").get_yticklabels()]
    assert drawn[-1] == "all items"
    assert sorted(drawn[:-1]) == ["de", "en", "fr", "sw"]


def test_frames_arrays_and_files_have_the_same_slices(tmp_path: Any) -> None:
    expected = cw.compare("truth", "a", "b", data=FRAME, by="language", **QUICK).slices
    polars = pl.from_pandas(FRAME)
    for frame in (polars, polars.lazy(), polars.to_arrow()):
        assert cw.compare("truth", "a", "b", data=frame, by="language", **QUICK).slices == expected
    columns = [FRAME[name].tolist() for name in ("truth", "a", "b")]
    assert cw.compare(*columns, by=FRAME["language"].tolist(), **QUICK).slices == expected
    FRAME.to_csv(tmp_path / "f.csv", index=False)
    options = ["--truth", "truth", "--a", "a", "--b", "b", "--by", "language", "--seed", "1", "--n-resamples", "500"]
    found = CliRunner().invoke(main, ["compare", str(tmp_path / "f.csv"), *options, "--json"])
    slices = json.loads(found.stdout)["slices"]
    assert [one["p_value"] for one in slices] == [one.p_value for one in expected]


def test_label_sets_have_slices_too(tmp_path: Any) -> None:
    rng = np.random.default_rng(5)
    truth = rng.random((200, 3)) < 0.4
    a, b = (np.where(rng.random(truth.shape) < keep, truth, ~truth) for keep in (0.7, 0.9))
    half = np.repeat(["x", "y"], 100)
    r = cw.compare(truth, a, b, measure="macro_f1", by=half, **QUICK)
    for one, rows in zip(r.slices, (slice(0, 100), slice(100, 200)), strict=True):
        alone = cw.compare(truth[rows], a[rows], b[rows], measure="macro_f1", **QUICK)
        assert (one.difference, one.p_value) == (alone.difference, alone.p_value)
    table = {f"{name}_{j}": values[:, j] * 1 for name, values in (("t", truth), ("a", a), ("b", b)) for j in range(3)}
    pd.DataFrame({**table, "half": half}).to_csv(tmp_path / "sets.csv", index=False)
    options = ["--truth", "t_*", "--a", "a_*", "--b", "b_*", "--measure", "macro_f1", "--by", "half"]
    found = CliRunner().invoke(
        main, ["compare", str(tmp_path / "sets.csv"), *options, "--seed", "1", "--n-resamples", "500", "--json"]
    )
    assert [one["p_value"] for one in json.loads(found.stdout)["slices"]] == [one.p_value for one in r.slices]


def test_a_slice_without_a_value_is_reported_and_not_hidden() -> None:
    truth, by = [1, 0] * 20 + [0] * 3, ["both"] * 40 + ["one"] * 3
    scores = np.random.default_rng(1).random((2, 43))
    r = cw.compare(truth, *scores, measure="auc", by=by, **QUICK)
    assert r.slicing is not None
    assert r.slicing.without_value == {"one": 3}
    assert [one.label for one in r.slices] == ["both"]
    assert r.slicing.interaction is None
    assert "Slice one was left out" in str(r)
    assert "one        3      –" in str(r)


def test_groups_in_several_slices_are_not_taken_as_independent() -> None:
    apart = cw.compare("truth", "a", "b", data=FRAME, by="language", groups="author", **QUICK)
    assert apart.slicing is not None
    assert apart.slicing.interaction is None
    assert "slices_share_groups" in [caveat.code for caveat in apart.caveats]
    within = FRAME.assign(author=FRAME["language"] + (FRAME.groupby("language").cumcount() // 3).astype(str))
    together = cw.compare("truth", "a", "b", data=within, by="language", groups="author", **QUICK)
    assert together.slicing is not None
    assert together.slicing.interaction is not None


def test_slices_that_are_none_are_refused(tmp_path: Any) -> None:
    columns = [FRAME[name] for name in ("truth", "a", "b")]
    with pytest.raises(DataError, match="All items are in one slice"):
        cw.compare(*columns, by=["x"] * len(FRAME), **QUICK)
    with pytest.raises(DataError, match="by is 'language'"):
        cw.compare(*columns, by="language", **QUICK)
    with pytest.raises(DataError, match=r"by has 3 values for 900 items"):
        cw.compare(*columns, by=["x", "y", "z"], **QUICK)
    big = [[0, 1] * 600] * 3
    with pytest.raises(DataError, match="There are 1,200 slices"):
        cw.compare(*big, by=list(range(1200)), **QUICK)
    FRAME.to_csv(tmp_path / "f.csv", index=False)
    words = ["compare", str(tmp_path / "f.csv"), "--truth", "truth", "--a", "a", "--b", "b"]
    found = CliRunner().invoke(main, [*words, "--by", "langage"])
    assert isinstance(found.exception, SystemExit | FileError)
    assert "did you mean 'language'?" in found.output
    found = CliRunner().invoke(main, [*words, "--by", "language", "--per-class"])
    assert "--per-class and --by were both given" in found.output


def test_a_slice_beyond_its_margin_is_said_to_be():
    """Every slice of 200 loses about 17 points; "not worse" is not merely unproved there, its contrary is shown."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    a, b = (np.where(rng.random(400) < right, y, 1 - y) for right in (0.92, 0.75))
    how = {"measure": "accuracy", "claim": "not_worse", "margin": 0.02, "rng": 1}
    r = cw.compare(y, a, b, by=np.where(np.arange(400) % 2, "odd", "even"), **how)
    assert [part.decision for part in r.slices] == ["worse", "worse"]
    assert all(part.interval.low < -0.02 for part in r.slices)
    assert "B is worse than A by more than 0.02 in slices even, odd" in r.verdict()
    for part, rows in zip(r.slices, (slice(0, None, 2), slice(1, None, 2)), strict=True):
        alone = cw.compare(y[rows], a[rows], b[rows], **how)
        assert (alone.decision, alone.contrary is not None) == (part.decision, True)
