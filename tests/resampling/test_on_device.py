"""What a device draws has the distribution of what the processor draws, and its scans have the same values.

Everything runs here by numpy, through the code that CuPy and torch run; on torch's processor where it is installed.
"""

import importlib.util

import numpy as np
import pytest

import clearwin as cw
from clearwin.data.scores import Ranking
from clearwin.data.units import Rows
from clearwin.measures import find
from clearwin.numerics import cuda_kernels, kernels
from clearwin.numerics.devices import device
from clearwin.resampling import on_device
from tests.two_scores import made

DEVICES = ["numpy", *(["torch:cpu"] if importlib.util.find_spec("torch") else [])]
MEASURES = ["auc", "partial_auc(max_fpr=0.3)", "average_precision", "eer", "min_dcf(cost_fp=2)", "break_even"]


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_scan_has_the_value_of_the_compiled_loop(measure, name):
    stream, place, judged = np.random.RandomState(5), device(name), find(measure)
    for decimals, each in ((1, 1.0), (8, 1.0), (1, 0.25), (8, 1.75)):
        truth = stream.random_sample(60) < 0.4
        ranking = Ranking.of(np.round(stream.normal(size=60) + truth, decimals), truth)
        weights = each * stream.poisson(1.0, size=(20, 60))
        scan = on_device.Scan(place, ranking)
        found = scan.values(place.put(weights), on_device.CURVES[judged.scan], judged.scan_options())
        options = np.array(judged.scan_options(), dtype=np.float64)
        which = getattr(kernels, judged.scan)
        expected = [kernels.scan(which, w[ranking.order], ranking.positive, ranking.last, options) for w in weights]
        np.testing.assert_allclose(place.fetch(found), expected, rtol=1e-13, atol=1e-14)


def test_a_test_set_without_a_class_has_no_value():
    place = device("numpy")
    ranking = Ranking.of(np.arange(6.0), np.arange(6) >= 3)
    for measure in map(find, MEASURES):
        scan = on_device.Scan(place, ranking)
        found = scan.values(np.eye(6), on_device.CURVES[measure.scan], measure.scan_options())
        assert np.isnan(found).all(), measure


@pytest.mark.parametrize("above", [True, False])
def test_the_only_item_of_a_class_may_be_the_last_one(above):
    """The highest and the lowest item are drawn: a perfect ranking or a reversed one."""
    place, ranking = device("numpy"), Ranking.of(np.arange(6.0), (np.arange(6) >= 3) == above)
    drawn = np.array([[1.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    for measure, perfect, reversed_ in (("auc", 1.0, 0.0), ("average_precision", 1.0, 0.5), ("eer", 0.0, 1.0)):
        found = on_device.Scan(place, ranking).values(drawn, on_device.CURVES[find(measure).scan], ())
        assert found.tolist() == [perfect if above else reversed_], measure


@pytest.mark.parametrize("name", DEVICES)
def test_units_are_drawn_uniformly_from_their_strata(name):
    places = on_device.DrawnPlaces(device(name), [3, 5, 1], [2, 4, 1])
    counts = places.device.fetch(places.counts(np.random.RandomState(1), 20_000))
    assert (counts[:, :3].sum(axis=1) == 2).all()
    assert (counts[:, 3:8].sum(axis=1) == 4).all()
    assert (counts[:, 8] == 1).all()
    # binomial: 2 of 3 and 4 of 5, and 4.5 standard errors of the mean of 20,000
    for column, n, p in [*((c, 2, 1 / 3) for c in range(3)), *((c, 4, 1 / 5) for c in range(3, 8))]:
        assert abs(counts[:, column].mean() - n * p) < 4.5 * np.sqrt(n * p * (1 - p) / 20_000)
        assert abs(counts[:, column].var() - n * p * (1 - p)) < 0.02


@pytest.mark.parametrize("name", DEVICES)
def test_features_are_added_up_as_rows_add_them(name):
    stream, place = np.random.RandomState(2), device(name)
    lengths = stream.randint(0, 4, size=30)  # a unit may add nothing, and a feature may never occur
    starts = np.concatenate([[0], np.cumsum(lengths)])
    features = np.concatenate([stream.choice(9, size=k, replace=False) for k in lengths]).astype(np.int64)
    rows = Rows(starts, features, stream.randint(1, 5, size=features.size), np.ones(30, dtype=np.int64))
    amounts = stream.poisson(1.0, size=(30, 8))
    found = on_device.RunningSums(place, rows, 10).totals(place.floats(place.put(amounts.T.copy())))
    assert (rows.add_up(amounts, 10) == place.fetch(found).T).all()


def answers(**options):
    truth, a, b = made(200, seed=3)
    return [cw.compare(truth, a, b, test="bootstrap", n_resamples=4_000, rng=1, device=d, **options) for d in WHERE]


WHERE = ["cpu", "numpy", "numpy"]


@pytest.mark.parametrize("besides", [{}, {"groups": np.arange(200) // 4}, {"strata": np.arange(200) % 3}])
@pytest.mark.parametrize("measure", ["auc", "min_dcf"])
def test_intervals_agree_with_those_of_the_processor(measure, besides):
    here, there, again = answers(measure=measure, **besides)
    width = here.interval.high - here.interval.low
    # an end of a 95 % interval of 4,000 replicates has a standard error of about 1 % of its width
    assert abs(here.interval.low - there.interval.low) < 0.06 * width
    assert abs(here.interval.high - there.interval.high) < 0.06 * width
    assert (there.interval, there.p_value) == (again.interval, again.p_value)
    assert (here.signature.device, there.signature.device) == ("cpu", "numpy")
    assert "device" not in str(here.signature)


@pytest.mark.parametrize("besides", [{}, {"groups": np.arange(150) // 3}, {"strata": np.arange(150) % 4}])
def test_label_sets_agree_with_those_of_the_processor(besides):
    stream = np.random.RandomState(7)
    truth = (stream.random_sample((150, 6)) < 0.3).astype(int)
    a, b = (np.where(stream.random_sample(truth.shape) < p, 1 - truth, truth) for p in (0.2, 0.15))
    asked = {"measure": "macro_f1", "test": "bootstrap", "n_resamples": 4_000, "rng": 1, **besides}
    here, there = (cw.compare(truth, a, b, **asked, device=d) for d in ("cpu", "numpy"))
    width = here.interval.high - here.interval.low
    assert abs(here.interval.low - there.interval.low) < 0.06 * width
    assert abs(here.interval.high - there.interval.high) < 0.06 * width


def test_rank_draws_there_and_judges_pairs_as_ever():
    truth, a, b = made(200, seed=3)
    here, there = (cw.rank(truth, {"a": a, "b": b}, measure="auc", n_resamples=300, rng=1, device=d) for d in WHERE[:2])
    assert here.pairs == there.pairs
    assert here.models[0].interval != there.models[0].interval


def test_what_draws_nothing_there_says_so():
    truth, a, b = made(60, seed=3)
    with pytest.raises(cw.errors.NotApplicableError, match='Next: test="bootstrap"'):
        cw.compare(truth, a, b, measure="auc", device="numpy")
    with pytest.raises(cw.errors.NotApplicableError, match='Next: interval="percentile"'):
        cw.estimate(truth, a, measure="auc", device="numpy")
    with pytest.raises(cw.errors.NotApplicableError, match="Means of values, and scores in bins, are not drawn"):
        cw.compare(None, a, b, measure="mean", test="bootstrap", device="numpy")


def draw_by_numpy(grid, threads, arguments):
    """What the CUDA kernel ``draw`` does: so many draws in each block of units, in every place alike."""
    weights, n_units, first, sizes, totals, n_blocks, *key = arguments
    assert grid == (n_blocks, len(weights)) == totals.shape[::-1]
    assert weights.shape[1] == n_units
    assert weights.size <= on_device.MOST_DRAWN
    assert len(weights) <= on_device.MOST_BLOCKS
    stream = np.random.default_rng([int(part) for part in key])
    for b, (start, size) in enumerate(zip(first, sizes, strict=True)):
        weights[:, start : start + size] = stream.multinomial(totals[:, b], np.full(size, 1 / size))


def scan_by_loops(grid, threads, arguments):
    """What the CUDA kernel ``scan`` does, by the compiled loop: a thread's column is a stretch of the ranking."""
    weights, _, entries, steps, each, has_each, which, *options, values = arguments
    assert (grid, entries.shape) == ((len(weights),), (steps, *threads))
    ranking = entries.T[entries.T != cuda_kernels.NOBODY]
    unit = ranking & np.uint32(cuda_kernels.MOST_UNITS)
    positive, last = ((ranking & bit) != 0 for bit in (cuda_kernels.POSITIVE, cuda_kernels.LAST))
    for r, drawn in enumerate(weights[:, unit] * (each[unit] if has_each else 1.0)):
        values[r] = kernels.scan(which, drawn, positive.astype(np.uint8), last, np.array(options))


@pytest.mark.parametrize("besides", [{}, {"groups": np.arange(200) // 4}, {"strata": np.arange(200) % 3}])
@pytest.mark.parametrize("measure", ["auc", "min_dcf(cost_fp=2)"])
def test_what_cuda_kernels_are_given_leads_to_the_intervals_of_the_processor(measure, besides, monkeypatch):
    """With kernels written out in Python, and room for few replicates: 250 of single items, 300 of groups."""
    monkeypatch.setattr(cuda_kernels, "FEWEST_SCORES", 1)
    monkeypatch.setattr(on_device, "MOST_DRAWN", 50_000)
    monkeypatch.setattr(on_device, "MOST_BLOCKS", 300)
    monkeypatch.setattr(on_device.device("numpy").__class__, "kernels", (draw_by_numpy, scan_by_loops))
    here, there, again = answers(measure=measure, **besides)
    width = here.interval.high - here.interval.low
    assert abs(here.interval.low - there.interval.low) < 0.06 * width
    assert abs(here.interval.high - there.interval.high) < 0.06 * width
    assert (there.interval, there.p_value) == (again.interval, again.p_value)


def test_more_units_than_an_entry_can_tell_apart_are_refused(monkeypatch):
    monkeypatch.setattr(cuda_kernels, "MOST_UNITS", 199)
    monkeypatch.setattr(cuda_kernels, "FEWEST_SCORES", 1)
    monkeypatch.setattr(on_device.device("numpy").__class__, "kernels", (None, None))
    with pytest.raises(
        cw.errors.NotApplicableError, match=r"200 items or groups to draw\.\n.*at most 199 on a CUDA device"
    ):
        cw.compare(*made(200, seed=3), measure="auc", test="bootstrap", device="numpy")
