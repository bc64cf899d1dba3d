"""Every measure against an implementation that nobody here wrote, and the contracts that all must keep."""

import math

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw
from clearwin.counts import ClassCounts, ConfusionMatrix
from clearwin.measures import find
from tests.measures.every import DCF, ORACLE, value_of

EVERY = [
    *(m.name for m in cw.list_measures().values() if m.takes == "decisions"),
    "f_beta(beta=0.5)",
    "f_beta(beta=2)",
    DCF,
]


def random_matrices(seed, n, high=50):
    tp, fn, fp, tn = np.random.default_rng(seed).integers(1, high, size=(4, n))
    return ConfusionMatrix.of_two_classes(tp=tp, fn=fn, fp=fp, tn=tn)


def test_every_measure_has_an_oracle():
    assert set(EVERY) == set(ORACLE)


@pytest.mark.parametrize("name", EVERY)
def test_equals_scikit_learn(name):
    rng = np.random.default_rng(1)
    for prevalence in (0.5, 0.1, 0.02):
        y = (rng.random(300) < prevalence).astype(int)
        y[:2] = 0, 1
        p = np.where(rng.random(300) < 0.2, 1 - y, y)
        assert value_of(name, y, p) == pytest.approx(ORACLE[name](y, p), rel=1e-13)


@pytest.mark.parametrize("name", EVERY)
def test_arrays_equal_scalars_and_stay_in_range(name):
    measure = find(name)
    many = random_matrices(2, 200)
    values = measure.evaluate(many).values
    low, high = measure.bounds
    assert ((values >= low - 1e-15) & (values <= high + 1e-15)).all()
    for i in range(0, 200, 17):
        assert measure.evaluate(ConfusionMatrix(many.cells[:, :, i])).values == values[i]


@pytest.mark.parametrize("name", EVERY)
def test_perfect_is_best_and_always_wrong_is_worst(name):
    measure = find(name)
    perfect = ConfusionMatrix.of_two_classes(tp=7, fn=0, fp=0, tn=13)
    hopeless = ConfusionMatrix.of_two_classes(tp=0, fn=10, fp=10, tn=0)
    low, high = measure.bounds
    best, worst = (high, low) if measure.higher_is_better else (low, high)
    assert measure.evaluate(perfect).values == pytest.approx(best)
    assert measure.evaluate(hopeless).values == pytest.approx(worst)


@pytest.mark.parametrize("name", EVERY)
def test_every_item_twice_changes_nothing(name):
    once = random_matrices(3, 50)
    measure = find(name)
    np.testing.assert_allclose(measure.evaluate(ConfusionMatrix(2 * once.cells)).values, measure.evaluate(once).values)


@pytest.mark.parametrize("name", EVERY)
def test_needs_positive_is_told_truly(name):
    measure = find(name)
    matrices = random_matrices(4, 50)
    flipped = ConfusionMatrix(matrices.cells[::-1, ::-1])
    same = np.allclose(measure.evaluate(matrices).values, measure.evaluate(flipped).values)
    if not measure.needs_positive:
        assert same
    elif name != "dcf":  # with equal costs and prior 1/2 it is HTER
        assert not same


@pytest.mark.parametrize("name", EVERY)
def test_decomposition_is_told_truly(name):
    """A sum over items or classes is linear in the error rates, with exactly the declared weights; others are not."""
    measure = find(name)
    c = random_matrices(5, 300)
    rates = [c.fp / (c.fp + c.tn), c.fn / (c.fn + c.tp)]
    values = measure.sign * measure.evaluate(c).values
    if measure.decomposition == "classes":
        losses = sum(w * r for w, r in zip(measure.weights(2), rates, strict=True))
        np.testing.assert_allclose(values + losses, (values + losses)[0], rtol=1e-12, atol=1e-13)
    elif measure.decomposition == "items":
        np.testing.assert_allclose(values + (c.fp + c.fn) / c.n, (values + (c.fp + c.fn) / c.n)[0], rtol=1e-12)
    else:
        design = np.column_stack([np.ones(300), *rates, (c.fp + c.fn) / c.n])
        fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
        assert np.abs(fitted - values).max() > 1e-3


@pytest.mark.parametrize("name", EVERY)
def test_undefined_is_counted_and_valued_by_the_convention(name):
    measure = find(name)
    empty_classes = [(0, 0, 0, 9), (0, 0, 9, 0), (9, 0, 0, 0), (0, 9, 0, 0), (0, 9, 0, 9), (0, 0, 4, 5), (4, 5, 0, 0)]
    seen = False
    for tp, fn, fp, tn in empty_classes:
        tables = [ConfusionMatrix.of_two_classes(tp=tp, fn=fn, fp=fp, tn=tn)]
        if measure.of_label_sets:  # one label that not every item has
            one = (np.array([x]) for x in (tp + fn, tp + fp, tp))
            tables.append(ClassCounts(*one, n=np.array(tp + fn + fp + tn)))
        for i, c in enumerate(tables):
            found = measure.evaluate(c)
            assert math.isfinite(found.values)
            if found.undefined:
                seen = True
                assert i or measure(zero_division=0.25).evaluate(c).values != found.values
    assert seen == (measure.undefined_when != "never")


@pytest.mark.parametrize("name", list(cw.list_measures()))
def test_every_measure_is_fully_declared(name):
    measure = cw.list_measures()[name]
    for text in (measure.label, measure.formula, measure.source, measure.undefined_when, measure.function.__doc__):
        assert text
        assert text.strip()
    assert str(measure) == name
    assert find(name.upper()).name == name


def test_the_kind_of_data_is_told_truly():
    for measure in cw.list_measures().values():
        assert measure.kind.over == "items"
        assert measure.needs_truth == (measure.takes != "values")
        assert measure.needs_scores == bool(measure.scan or measure.takes == "losses")
        assert measure.kind.decisions == (measure.takes == "decisions")
        assert measure.kind.predicted or measure.takes in ("values", "sums")


def test_zero_division_agrees_with_scikit_learn():
    y, p = [0, 0, 1, 1], [0, 0, 0, 0]
    for value in (0, 1):
        ours = cw.estimate(y, p, measure=f"precision(zero_division={value})")
        assert ours.estimate == metrics.precision_score(y, p, zero_division=value)
        assert any(c.code == "undefined_estimate" for c in ours.caveats)


def test_names_are_found_under_what_others_call_them_and_however_they_are_hyphenated():
    assert find("auprc").name == find("AUPRC").name == find("average-precision").name == "average_precision"
    assert find("f‑beta(beta=2)").settings["beta"] == 2  # a hyphen that does not break
    assert find("trimmed-mean(share=0.2)").settings["share"] == 0.2


@pytest.mark.parametrize("name", EVERY)
def test_slopes_of_few_matrices_are_those_of_one_cell_at_a_time(name):
    """To the last bit, also where 0/0 and the end of a formula's range are near."""
    rng, measure = np.random.default_rng(5), find(name)
    for replicates in (1, 3, 40):
        cells = rng.integers(0, 9, (2, 2, replicates)) * rng.choice([0.0, 0.37, 1.0], (2, 2, replicates))
        one_by_one = measure._slopes(cells, ConfusionMatrix)
        assert measure.derivative(ConfusionMatrix(cells)).cells.tolist() == one_by_one.tolist()


@pytest.mark.parametrize("name", ["macro_f1", "weighted_f1", "micro_f1", "hamming_loss"])
def test_the_derivative_vanishes_along_the_counts_themselves(name):
    """Twice as many items of every kind have the same value, so by Euler's theorem Σ count · slope is 0."""
    rng = np.random.default_rng(6)
    hits = rng.integers(1, 20, (4, 3)).astype(float)
    counts = ClassCounts(hits + rng.integers(1, 9, (4, 3)), hits + rng.integers(1, 9, (4, 3)), hits, np.full(3, 200.0))
    slope, value = find(name).derivative(counts), find(name).evaluate(counts).values
    along = (counts.truths * slope.truths + counts.predicted * slope.predicted + counts.hits * slope.hits).sum(axis=0)
    np.testing.assert_allclose(along, -counts.n * slope.n, atol=1e-4)
    if name == "hamming_loss":  # the one that divides by the number of items
        np.testing.assert_allclose(slope.n, -value / counts.n, rtol=1e-4)
