"""The record of a leaderboard: its matrices hold its models and pairs."""

import json

import numpy as np

import clearwin as cw
from tests.boards import two_classes


def test_matrices_are_those_of_models_and_pairs():
    y, models = two_classes(n=200, m=4)
    board = cw.rank(y, models, n_resamples=99, rng=1)
    values = {model.name: model.estimate for model in board.models}
    assert board.names == tuple(sorted(models, key=lambda name: -values[name]))
    for i, row in enumerate(board.names):
        for j, column in enumerate(board.names):
            assert board.differences[i, j] == values[row] - values[column]
    assert board.n_tests == 6
    assert (board.adjusted_p == board.adjusted_p.T).all()
    found = {(pair.a, pair.b): pair.adjusted_p for pair in board.pairs}
    assert len(found) == 6
    for (a, b), p in found.items():
        assert board.adjusted_p[board.names.index(a), board.names.index(b)] == p


def test_pairs_that_were_not_tested_have_no_p_value():
    y, models = two_classes(n=200, m=3)
    board = cw.rank(y, models, baseline="m0", n_resamples=99, rng=1)
    others = [i for i, name in enumerate(board.names) if name != "m0"]
    assert np.isnan(board.adjusted_p[others[0], others[1]])
    assert not np.isnan(board.adjusted_p[board.names.index("m0")]).any()
    assert "NaN" not in board.to_json()
    assert len(json.loads(board.to_json())["pairs"]) == 2
