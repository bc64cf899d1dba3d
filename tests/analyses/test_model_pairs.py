"""Pairs of models: p-values, corrections and intervals against plain loops."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.analyses import model_pairs
from clearwin.analyses.model_pairs import Board, PairScore, PairT, judge_pairs
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from clearwin.numerics.intervals import Coverage
from clearwin.resampling.functionals import functional
from tests.boards import CORRECTIONS, draw_all, two_classes


def random_board(seed, m=4, draws=199):
    rng = np.random.default_rng(seed)
    estimates = rng.normal(size=m).round(1)
    together = rng.normal(size=draws)
    return Board(tuple("abcdef"[:m]), estimates, estimates[:, None] + together + rng.normal(size=(m, draws)).round(1))


UNITS = 30


def slow_score(d, error):
    """The null hypothesis' variance of n units is se² + d²/n, not se²."""
    return abs(d) * error / np.sqrt(error**2 + d**2 / UNITS)


def slow_p_values(board, pairs):
    found = []
    for a, b in pairs:
        d = board.estimates[b] - board.estimates[a]
        strayed = [y - x - d for x, y in zip(board.replicates[a], board.replicates[b], strict=True)]
        score = slow_score(d, np.std(strayed, ddof=1))
        found.append((sum(abs(gap) >= score - 1e-9 for gap in strayed) + 1) / (len(strayed) + 1))
    return found


def slow_max_t(board, pairs):
    """Westfall and Young 1993, algorithm 4.1: successive maxima, by plain loops."""
    differences = [board.estimates[b] - board.estimates[a] for a, b in pairs]
    strayed = [board.replicates[b] - board.replicates[a] - d for (a, b), d in zip(pairs, differences, strict=True)]
    errors = [np.std(s, ddof=1) for s in strayed]
    t = [slow_score(d, e) / e for d, e in zip(differences, errors, strict=True)]
    order = sorted(range(len(pairs)), key=lambda i: -t[i])
    adjusted, before = [0.0] * len(pairs), 0.0
    for k, i in enumerate(order):
        count = 0
        for draw_number in range(board.replicates.shape[1]):
            count += max(abs(strayed[j][draw_number]) / errors[j] for j in order[k:]) >= t[i] - 1e-9
        before = adjusted[i] = max(before, (count + 1) / (board.replicates.shape[1] + 1))
    return adjusted


def recentred(board, pairs, correction, level=0.95):
    """Judge pairs as rank does where many of them come in groups or strata."""
    question = SimpleNamespace(
        sample=SimpleNamespace(units_that_differ=lambda _, pairs: [100] * len(pairs)),
        measure=None,
        sampling=SimpleNamespace(n_units=UNITS),
        n_resamples=board.replicates.shape[1],
        coverage=Coverage(level, lowest=-99, highest=99),
        confidence_level=level,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_pairs, "_can_be_compared", lambda *_: False)
        return judge_pairs(board, pairs, question, correction, np.zeros(len(pairs)))


@pytest.mark.parametrize("seed", range(5))
def test_p_values_and_max_t_are_those_of_plain_loops(seed):
    board = random_board(seed)
    pairs = list(itertools.combinations(range(4), 2))
    found = recentred(board, pairs, "max-t")
    assert [p.p_value for p in found] == pytest.approx(slow_p_values(board, pairs))
    assert [p.adjusted_p for p in found] == pytest.approx(slow_max_t(board, pairs))


@pytest.mark.parametrize(("correction", "theirs"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_corrections_are_those_of_statsmodels(correction, theirs):
    from statsmodels.stats.multitest import multipletests

    y, models = two_classes(m=6)
    r = cw.rank(y, models, correction=correction, n_resamples=999, rng=2)
    raw = [pair.p_value for pair in r.pairs]
    assert [p.adjusted_p for p in r.pairs] == pytest.approx(multipletests(raw, method=theirs)[1])


def test_max_t_is_never_weaker_than_one_test_and_never_stronger_than_holm_by_much():
    y, models = two_classes(m=6)
    board = {c: cw.rank(y, models, correction=c, n_resamples=999, rng=2) for c in CORRECTIONS}
    holm, joint = ([p.adjusted_p for p in board[c].pairs] for c in ("holm", "max-t"))
    assert all(p.adjusted_p >= p.p_value - 1e-12 for p in board["holm"].pairs)
    assert np.mean(joint) < np.mean(holm)  # it knows that the models share their test set


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_of_a_pair_leaves_out_0_just_when_its_p_value_is_small(seed):
    board = random_board(seed)
    for level in (0.5, 0.9, 0.95):
        for pair in recentred(board, [(0, 1), (2, 3)], "holm", level):
            assert (pair.p_value <= 1 - level + 1e-12) == (0.0 not in pair.interval)


def test_for_accuracy_the_statistic_is_that_of_mcnemar():
    """(b − c)/√(b + c), but for the n/(n − 1) of a sample's variance and for the replicates' noise."""
    y = np.ones(500, dtype=int)
    a, b = y.copy(), y.copy()
    a[:60], b[40:110] = 0, 0
    values = draw_all(y, {"a": a, "b": b}, "accuracy", 100_000, 1)
    one = PairScore.of(Board(("a", "b"), np.array([0.88, 0.86]), values), (0, 1), 500)
    assert abs(one.score) / one.error == pytest.approx(10 / np.sqrt(90), rel=0.01)


@pytest.mark.parametrize("degrees", [None, 3.5, 40.0])
@pytest.mark.parametrize("seed", range(20))
def test_the_interval_by_t_leaves_out_0_just_when_its_p_value_is_small(seed, degrees):
    rng = np.random.default_rng(seed)
    one = PairT(float(rng.normal()), 0.6, rng.gamma(2.0, size=499) - 2.0, degrees)
    for level in (0.5, 0.9, 0.95):
        assert (one.p_value().value <= 1 - level + 1e-12) == (
            0.0 not in one.interval(Coverage(level, lowest=-99, highest=99))
        )


def test_a_p_value_by_t_is_that_of_plain_loops():
    drawn = np.array([-3.0, -2.5, -1.0, 0.5, 0.6, 1.0, 1.1, 2.2, 0.1])
    assert PairT(2.0, 1.0, drawn).p_value().value == 2 * 2 / 10  # 2.2 and the +1, twice: more than 3 + 1 of both sides
    assert PairT(-2.0, 1.0, drawn).p_value().value == 2 * 3 / 10
    assert PairT(0.0, 1.0, drawn).p_value().value == 1.0
    assert PairT(2.0, 1.0, drawn, 2.0).p_value().value == 2 * 2 / 10  # Student's is 0.18
    assert PairT(9.0, 1.0, drawn, 1.0).p_value().value == 2 * 1 / 10  # and here 0.07
    many = np.tile(drawn, 100)
    assert PairT(9.0, 1.0, many).p_value().is_bound
    by_student = PairT(9.0, 1.0, many, 1.0).p_value()
    assert by_student.value == pytest.approx(2 * stats.t.sf(9.0, 1.0))
    assert not by_student.is_bound
    tested = [PairT(2.0, 1.0, drawn), PairT(-1.05, 1.0, drawn[::-1])]
    # both sides: the furthest of 2 and 1.05 in every draw; the observed sides: of drawn and of −reversed, twice
    both = np.maximum(np.abs(drawn), np.abs(drawn[::-1]))
    sides = np.maximum(drawn, -drawn[::-1])
    expected = max(((both >= 2.0).sum() + 1) / 10, 2 * ((sides >= 2.0).sum() + 1) / 10)
    assert model_pairs._by_max_of_t(tested)[0] == min(1.0, expected)


@pytest.mark.parametrize("correction", ["holm", "max-t"])
def test_a_p_value_of_scores_is_never_below_students(correction):
    """A separation that no draw reaches; with at most 50 positives pairs are judged class by class, without draws."""
    rng = np.random.default_rng(3)
    y = np.arange(200) < 60
    models = {f"m{j}": rng.normal(size=200) + y * (6.0 if j == 0 else 0.3) for j in range(10)}
    found = cw.rank(y.astype(int), models, measure="auc", correction=correction, n_resamples=1_999, rng=1)
    sample, _ = read_sample(y.astype(int), models, find("auc"), Reading(ranked=True))
    names = list(models)
    for pair in found.pairs:
        two = functional(sample.of_pair(names.index(pair.a), names.index(pair.b)), find("auc"))
        student = 2 * stats.t.sf(abs(pair.difference) / two.error, two.degrees)
        assert pair.p_value >= student * (1 - 1e-6)
        assert pair.adjusted_p >= pair.p_value
    assert all(pair.shown for pair in found.pairs if "m0" in (pair.a, pair.b))
