"""A threshold is compared in the type of the scores."""

import json

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sklearn import metrics

import clearwin as cw
from clearwin.cli import main

NARROW = [np.float64, np.float32, np.float16]


def tenths(seed, kind, n=300):
    """Scores of one decimal in a type of their own, which only float64 holds as Python writes them."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, *(np.clip(y * s + rng.integers(0, 9, n) / 10, 0, 1).round(1).astype(kind) for s in (0.1, 0.2))


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.7])
def test_a_threshold_is_compared_in_the_type_of_the_scores_wherever_they_come_from(kind, threshold, tmp_path):
    y, a, b = tenths(51, kind)
    expected = tuple(metrics.f1_score(y, scores >= threshold) for scores in (a, b))
    table = pa.table({"y": y, "a": a, "b": b})
    frame = table.to_pandas()
    frame.to_csv(tmp_path / "scores.csv", index=False)
    pq.write_table(table, tmp_path / "scores.parquet")
    how = {"threshold": threshold, "test": "bootstrap", "n_resamples": 9, "rng": 1}
    found = {
        "arrays": cw.compare(y, a, b, **how),
        "lists": cw.compare(y, list(a), list(b), **how),
        "objects": cw.compare(y, *(np.array(list(scores), dtype=object) for scores in (a, b)), **how),
        "series": cw.compare(frame.y, frame.a, frame.b, **how),
        **{
            type(data).__module__: cw.compare(data=data, truth="y", a="a", b="b", **how)
            for data in (frame, table, pl.from_arrow(table), pl.from_arrow(table).lazy())
        },
    }
    for name, result in found.items():
        assert (result.estimate_a, result.estimate_b) == pytest.approx(expected, abs=1e-12), name
    for file in ("scores.csv", "scores.parquet"):
        options = [
            "--truth",
            "y",
            "--a",
            "a",
            "--b",
            "b",
            "--threshold",
            str(threshold),
            "--n-resamples",
            "9",
            "--json",
        ]
        said = CliRunner().invoke(main, ["compare", str(tmp_path / file), *options])
        result = json.loads(said.output)
        assert (result["estimate_a"], result["estimate_b"]) == pytest.approx(expected, abs=1e-12), file
    assert cw.estimate(y, a, threshold=threshold, n_resamples=9).estimate == pytest.approx(expected[0], abs=1e-12)


def test_models_of_different_types_are_each_compared_in_their_own():
    y, a, b = tenths(52, np.float32)
    r = cw.compare(y, a, b.astype(str).astype(float), threshold=0.7, test="bootstrap", n_resamples=9)
    assert r.estimate_a == pytest.approx(metrics.f1_score(y, a >= 0.7))
    assert r.estimate_b == pytest.approx(metrics.f1_score(y, b >= 0.7))


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("threshold", [1e300, -1e300, 1e-300, 0.0])
def test_a_threshold_beyond_the_type_of_the_scores_is_what_numpy_takes_it_for(kind, threshold):
    y, a, b = tenths(53, kind)
    with np.errstate(over="ignore", under="ignore"):
        limit = np.float64(threshold).astype(kind)
    r = cw.compare(y, a, b, measure="accuracy", threshold=threshold, test="mcnemar")
    assert r.estimate_a == pytest.approx(((a >= limit) == y).mean())


@pytest.mark.parametrize("kind", NARROW)
def test_a_threshold_chosen_between_neighbouring_floats_parts_them(kind):
    low = kind(0.7)
    scores = np.array([low, np.nextafter(low, kind(1))] * 20, dtype=kind)
    y = np.array([0, 1] * 20)
    for how in ({"threshold": "best"}, {"dev": (y, scores, scores)}):
        r = cw.compare(y, scores, scores, measure="accuracy", test="mcnemar", **how)
        assert r.estimate_a == r.estimate_b == 1.0


@pytest.mark.parametrize("chosen_in", NARROW)
@pytest.mark.parametrize("used_in", NARROW)
def test_a_threshold_of_a_development_set_of_another_type_is_rounded_to_the_scores(chosen_in, used_in):
    dev, (y, a, b) = tenths(54, chosen_in), tenths(55, used_in)
    r = cw.compare(y, a, b, dev=dev, test="bootstrap", n_resamples=9)
    for scores, found in zip(dev[1:], r.thresholds, strict=True):
        best = max(metrics.f1_score(dev[0], scores >= t) for t in set(scores.tolist()))
        assert metrics.f1_score(dev[0], scores >= found) == pytest.approx(best)
    assert r.estimate_a == pytest.approx(metrics.f1_score(y, a >= r.thresholds[0]))
