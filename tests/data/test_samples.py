"""Samples of counts: what they say of two models, against counting the items."""

import numpy as np
import pytest
from sklearn import metrics

from clearwin.data.reading import Reading
from clearwin.measures import find
from clearwin.reading.reading import read_data
from tests.two_models import two

TRUTH, A, B = two(120)


def sample_of(measure, *data, **how):
    truth, a, b = data or (TRUTH, A, B)
    return read_data(None, truth, {"a": a, "b": b}, find(measure), Reading(**how))


def test_decisions_are_counted_by_who_is_wrong():
    sample, measure = sample_of("f1")
    right_a, right_b = A == TRUTH, B == TRUTH
    assert sample.n == 120
    assert sample.outcomes == {
        "both_right": (right_a & right_b).sum(),
        "only_a_wrong": (~right_a & right_b).sum(),
        "only_b_wrong": (right_a & ~right_b).sum(),
        "both_wrong": (~right_a & ~right_b).sum(),
        "disagreements": (A != B).sum(),
    }
    assert sample.class_sizes(measure) == [(0, (TRUTH == 0).sum()), (1, (TRUTH == 1).sum())]
    expected = [metrics.f1_score(TRUTH, said) for said in (A, B)]
    assert sample.estimates(measure) == pytest.approx(expected, abs=1e-15)
    assert sample.difference(measure) == pytest.approx(expected[1] - expected[0], abs=1e-15)


def test_items_in_groups_and_alone_have_the_same_values():
    grouped, measure = sample_of("f1", groups=np.arange(120) // 4)
    alone, _ = sample_of("f1")
    assert grouped.sampling.n_units == 30
    assert grouped.ungrouped().sampling is None
    assert grouped.estimates(measure) == grouped.ungrouped().estimates(measure) == alone.estimates(measure)
    assert grouped.fingerprint != alone.fingerprint


def test_label_sets_are_units_whose_counts_are_those_of_their_labels():
    rng = np.random.default_rng(2)
    truth = rng.random((60, 3)) < 0.4
    a, b = (truth ^ (rng.random((60, 3)) < rate) for rate in (0.2, 0.1))
    sample, measure = sample_of("micro_f1", truth, a, b)
    expected = [metrics.f1_score(truth, said, average="micro") for said in (a, b)]
    assert sample.estimates(measure) == pytest.approx(expected, abs=1e-15)
    assert [size for _, size in sample.class_sizes(measure)] == truth.sum(axis=0).tolist()
