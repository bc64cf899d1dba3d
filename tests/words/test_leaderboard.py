"""Leaderboards in words: the number of tests, the correction, the kind of interval."""

import json

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.words.summary import Grid
from tests.boards import two_classes
from tests.one_of_each import leaderboard
from tests.two_models import two


def test_the_report_tells_the_number_of_tests_and_the_correction():
    y, models = two_classes(m=5)
    r = cw.rank(y, models, rng=1)
    assert "10 studentised tests of all pairs, p corrected by Holm" in " ".join(str(r).split())
    many = cw.rank(*two_classes(m=12), n_resamples=999, rng=1)
    assert "66 studentised tests of all pairs" in " ".join(str(many).split())
    grouped = cw.rank(y, models | {"m9": y}, groups=np.arange(y.size) // 2, n_resamples=999, rng=1)
    assert "15 bootstrap tests of all pairs on 999 shared replicates, p corrected" in " ".join(str(grouped).split())
    assert "null hypothesis" in r.verdict()
    assert "10 tests, holm" in repr(r)
    plain = json.loads(r.to_json())
    assert len(plain["pairs"]) == 10
    assert plain["models"][0]["best_rank"] == 1
    hostile = cw.rank(y, {"<b>": models["m0"], "x\n\x1b[2J": models["m1"]}, rng=1, n_resamples=50)
    assert "<b>" not in hostile._repr_html_()
    assert "\x1b" not in str(hostile)


def test_intervals_are_told_with_their_kind():
    """`estimate` has Dirichlet intervals for the same models: the two may differ, and nobody should wonder why."""
    y, models = two_classes(m=13)
    for kind, how in (("inverted", {}), ("symmetric", {"groups": np.arange(y.size) // 2})):
        r = cw.rank(y, models, baseline="m2", n_resamples=199, rng=1, **how)
        tables = [block for block in r.summary().blocks if isinstance(block, Grid)]
        assert [next(h for h in table.head if h.startswith("95 %")) for table in tables] == [
            f"95 % interval ({told})" for told in (r.models[0].interval.method, r.pairs[0].interval.method)
        ]
        assert "95 % interval (percentile)" in str(r)
        assert f"95 % interval ({kind})" in str(r)


def test_many_models_still_fit_the_page():
    y, models = two_classes(m=20, n=200)
    text = str(cw.rank(y, models, n_resamples=50, rng=1))
    assert "All 190 differences" in text
    assert max(map(len, text.splitlines())) <= 110


def test_a_board_names_the_best_the_pairs_and_the_correction():
    board = leaderboard()
    told, best = board.verdict(style="paper"), board.models[0]
    assert told.startswith(
        f"On 200 items, {best.name} had the best F1 of 3 models ({best.estimate:.4f}, 95 % interval "
    )
    shown = sum(pair.shown for pair in board.pairs)
    assert f"{shown} of 3 pairs differed significantly at the 5 % level (studentised tests, Holm correction" in told
    against = leaderboard(baseline="old", confidence_level=0.5)
    better = [p.b for p in against.pairs if p.shown and p.difference > 0]
    assert f"{len(better)} of 2 models had a significantly better F1 than old" in against.verdict(style="paper")


def test_all_models_together_have_the_p_value_of_their_statistic():
    y, a, b = two(200)
    board = cw.rank(y, {"a": a, "b": b, "third": list(reversed(a))}, measure="accuracy", n_resamples=300, rng=1)
    q, p = board.overall.statistic, board.overall.p_value
    assert stats.chi2.sf(q, board.overall.degrees) == pytest.approx(p)
    assert f"all equal: Cochran's Q = {q:.3g} on 2 degrees of freedom, p = {p:#.3g}" in board.verdict(style="paper")
