"""Scores in bins: the same on every engine, and never further from the exact values than they say."""

from itertools import permutations
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import average_precision_score

import clearwin as cw
from clearwin.data.binned_scores import Margin, bin_scores, bytes_of, number_of_bins
from clearwin.measures import find
from clearwin.numerics.auc_covariance import auc_covariance, difference_variance

ROLES = {"a": "svm", "b": "rbf"}
RANKED = ["auc", "partial_auc", "average_precision", "eer", "min_dcf(prior=0.1)", "break_even"]


def made(n: int = 4_000, seed: int = 5, prevalence: float = 0.3) -> pd.DataFrame:
    """Two models that mostly agree; one gives probabilities that crowd near 0, the other three digits."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < prevalence
    shared = rng.normal(size=n) + truth
    svm, rbf = (1 / (1 + np.exp(5 - 4 * (shared + rng.normal(scale=s, size=n)))) for s in (1.0, 0.8))
    return pd.DataFrame({"y": truth.astype(int), "svm": svm, "rbf": rbf.round(3)})


def of_dask(rows: pd.DataFrame) -> Any:
    frames = pytest.importorskip("dask.dataframe", reason="no Dask: pip install 'dask[dataframe]'")
    return frames.from_pandas(rows, npartitions=3)


ENGINES = {
    "polars": pl.from_pandas,
    "polars lazy": lambda rows: pl.from_pandas(rows).lazy(),
    "pyarrow": pa.Table.from_pandas,
    "duckdb": duckdb.from_df,
    "dask": of_dask,
}


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_every_engine_counts_the_same_bins(engine: Any) -> None:
    rows = made(1_000)
    expected = bin_scores(rows, "y", ROLES, 300)
    found = bin_scores(engine(rows), "y", ROLES, 300)
    assert found.fingerprint == expected.fingerprint
    assert found.areas.variance == expected.areas.variance


@pytest.mark.parametrize("bins", [2, 50, 1_000, 2**20])
@pytest.mark.parametrize("seed", [1, 2])
def test_exact_areas_and_errors_lie_within_what_is_said(bins: int, seed: int) -> None:
    """Against the exact integers of ``auc_covariance``, also where the first rows mislead about the others."""
    rows = made(seed=seed, prevalence=0.1).sort_values("svm")
    truth, scores = rows["y"].to_numpy(dtype=bool), [rows["svm"].to_numpy(), rows["rbf"].to_numpy()]
    exact = auc_covariance(truth, scores)
    found = bin_scores(rows, "y", ROLES, bins).areas
    assert (np.abs(found.aucs - exact.aucs) <= found.errors + 1e-15).all()
    low, high = found.deviations
    assert low <= np.sqrt(difference_variance(exact)) <= high
    assert low <= np.sqrt(found.variance) <= high


def test_bins_are_spread_by_the_data() -> None:
    """Bins that each held the same share of both classes would leave 1/(2·bins); a few times as much is allowed.

    The scores reach over ten decades, and equally wide bins would leave a hundred times as much.
    """
    rows = made(20_000)
    rows["svm"] = rows["svm"] ** 2
    found = bin_scores(rows, "y", ROLES, 1_000)
    assert found.areas.errors[0] < 10 / 2_000
    wide = np.floor(rows["svm"] * 1_000)
    sizes = [np.bincount(wide[rows["y"] == label].astype(int), minlength=1_001) for label in (0, 1)]
    assert found.areas.errors[0] < (sizes[0] / sizes[0].sum() * sizes[1] / sizes[1].sum()).sum() / 2


def test_bins_of_one_score_each_are_exact() -> None:
    rows = made().round({"svm": 2})
    exact = auc_covariance(rows["y"] == 1, [rows["svm"].to_numpy(), rows["rbf"].to_numpy()])
    found = bin_scores(rows, "y", ROLES, 2**20)
    assert found.areas.errors.tolist() == [0.0, 0.0]
    assert found.areas.aucs.tolist() == exact.aucs.tolist()


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("bins", [20, 500])
def test_every_ranking_measure_lies_within_its_bounds(name: str, bins: int) -> None:
    rows = made(prevalence=0.2)
    sample = bin_scores(rows, "y", ROLES, bins)
    for column, (low, high), value in zip(
        ROLES.values(), sample.bounds(find(name)), sample.estimates(find(name)), strict=True
    ):
        exact = cw.estimate(rows["y"], rows[column], measure=name, interval="percentile", n_resamples=2).estimate
        assert low - 1e-12 <= exact <= high + 1e-12
        assert low - 1e-12 <= value <= high + 1e-12


def test_the_bounds_of_average_precision_are_those_of_the_orders_within_a_bin() -> None:
    """All orders of three positives and three negatives in one bin, below one negative, by brute force."""
    margin = Margin(np.array([3, 0]), np.array([3, 1]), np.array([False, True]))
    orders = {average_precision_score([1, 1, 1, 0, 0, 0, 0], [*order, 9.0]) for order in permutations(range(6))}
    assert margin.least_precision <= min(orders)
    assert max(orders) <= margin.scanned(find("average_precision"), 1)


@pytest.mark.parametrize("name", [*RANKED, "min_dcf(prior=0.37)"])
def test_bins_of_one_class_each_leave_nothing_unknown(name: str) -> None:
    """No order within them changes anything, to the last digit: here the negatives are on top, so nothing is best."""
    for positives, negatives in ([3, 0], [0, 2]), ([3, 0, 1, 0], [0, 4, 0, 2]):
        margin = Margin(np.array(positives), np.array(negatives), np.zeros(len(positives), dtype=bool))
        assert len({margin.scanned(find(name), favour) for favour in (-1, 0, 1)}) == 1


def test_items_that_tell_models_apart_lie_in_different_bins() -> None:
    rows = pd.DataFrame({"y": [0, 1] * 6, "svm": [0, 1, 2] * 4, "rbf": [0, 1, 2] * 2 + [0, 2, 1, 2, 1, 0]})
    for roles, differ in ((ROLES, 4), ({"a": "svm"}, 0)):
        assert bin_scores(rows, "y", roles, 100).n_differing_units(find("auc")) == differ


def test_labels_missing_values_and_lower_scores() -> None:
    rows = made(500)
    texts = rows.assign(y=np.where(rows["y"] == 1, "spam", "ham"), svm=-rows["svm"])
    found = bin_scores(pl.from_pandas(texts), "y", ROLES, 400, positive="spam", lower_is_positive=("a",))
    expected = bin_scores(rows, "y", ROLES, 400)
    assert found.areas.aucs.tolist() == expected.areas.aucs.tolist()
    with pytest.raises(cw.errors.DataError, match="Which class is positive"):
        bin_scores(texts, "y", ROLES, 400)
    texts.loc[[1, 2], "rbf"] = np.nan
    with pytest.raises(cw.errors.DataError, match=r"Column 'rbf' has 2 missing values"):
        bin_scores(texts, "y", ROLES, 400, positive="spam")
    dropped = bin_scores(texts, "y", ROLES, 400, positive="spam", missing="drop")
    assert dropped.n == 498
    assert dropped.about.caveats[0].code == "dropped"


@pytest.mark.parametrize("score", [np.inf, -np.inf])
@pytest.mark.parametrize("label", [0, 1])
def test_one_infinite_score_is_refused_whatever_its_class(score: float, label: int) -> None:
    rows = made(500)
    rows.loc[rows.index[rows["y"] == label][0], "svm"] = score
    with pytest.raises(cw.errors.DataError, match="range from"):
        bin_scores(rows, "y", ROLES, 400)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"svm": "x"}, "not numbers"),
        ({"svm": np.inf}, "range from"),
        ({"y": 1}, "All items are of one class"),
        ({"y": np.arange(500)}, "labels"),
    ],
)
def test_what_cannot_be_binned(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(cw.errors.DataError, match=complaint):
        bin_scores(pl.from_pandas(made(500).assign(**change)), "y", ROLES, 100)
    with pytest.raises(cw.errors.DataError, match="no rows"):
        bin_scores(made(500)[:0], "y", ROLES, 100)


# --- when, and what is said -----------------------------------------------------------------------------------------


def test_auto_takes_bins_where_scores_exceed_the_memory_limit_and_says_so() -> None:
    rows, asked = made(), {"truth": "y", "a": "svm", "b": "rbf", "measure": "auc", "rng": 1}
    exact = cw.compare(data=rows, **asked)
    assert exact == cw.compare(rows["y"], rows["svm"], rows["rbf"], measure="auc", rng=1)
    binned = cw.compare(data=rows, **asked, memory_limit="100KB")
    assert (exact.test, binned.test) == ("studentised", "delong")
    assert binned.caveats[0].code == "binned"
    assert "at most 1,048,576 bins" in binned.caveats[0].text
    delong = cw.compare(data=rows, **asked, test="delong")
    assert binned.p_value == pytest.approx(delong.p_value, rel=1e-3)
    assert binned.difference == pytest.approx(delong.difference, abs=1e-6)
    assert cw.compare(data=rows, **asked, memory_limit="100KB", bins=None) == exact
    for bins, matters in ((20, True), (200, True), (1_000, False)):
        assert ("more than a tenth" in cw.compare(data=rows, **asked, bins=bins).caveats[0].text) == matters


@pytest.mark.parametrize("name", ["eer", "average_precision"])
def test_other_measures_are_drawn_by_cells(name: str) -> None:
    """Standard deviations of replicates against those of the exact scores: 400 of each vary by 3.5 % (1/√(2·400))."""
    rows, how = made(), {"measure": name, "test": "bootstrap", "n_resamples": 400}
    binned = cw.compare(data=rows, truth="y", a="svm", b="rbf", bins=2**16, rng=1, **how)
    exact = cw.compare(rows["y"], rows["svm"], rows["rbf"], rng=2, **how)
    ratio = np.std(binned.distribution.values) / np.std(exact.distribution.values)
    assert 0.8 < ratio < 1.2  # four standard errors of the ratio
    assert binned.difference == pytest.approx(exact.difference, abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"test": "permutation"}, "counted in bins"),
        ({"test": "bootstrap", "interval": "bca", "n_resamples": 50}, "leaves out items"),
        ({"groups": "y"}, "(?s)bins and groups were both given.*random sample of whole groups"),
        ({"strata": "y"}, "bins and strata were both given"),
        ({"measure": "f1"}, "bins are for measures of scores"),
        ({"bins": 1}, "bins is 1"),
        ({"bins": "many"}, "bins is 'many'"),
        ({"memory_limit": "much"}, "memory_limit is 'much'"),
    ],
)
def test_refusals(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(cw.ClearwinError, match=complaint):
        cw.compare(**{"data": made(), "truth": "y", "a": "svm", "b": "rbf", "measure": "auc", "bins": 99, **asked})


def test_arrays_are_never_binned() -> None:
    rows = made()
    with pytest.raises(cw.errors.OptionError, match="these are arrays"):
        cw.compare(rows["y"], rows["svm"], rows["rbf"], measure="auc", bins=100)


def test_sizes() -> None:
    assert [bytes_of(x) for x in ("2GB", "500 mb", "1.5kB", 7, "7")] == [2 * 10**9, 5 * 10**8, 1_500, 7, 7]
    assert number_of_bins("auto", "1GB", 5_000_000, 2) is None
    assert number_of_bins("auto", "1GB", 5_000_001, 2) == 2**20
    assert number_of_bins("4096", "1GB", 0, 2) == 4096
