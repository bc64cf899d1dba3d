"""A study says what its numbers carry, can be repeated from its own words, and loses nobody's file."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.simulation.rates import smallest_shown
from clearwin.words.study import StudyWords
from clearwin.words.summary import Grid
from tests.one_of_each import study
from tests.simulation.asked import ASKED, FEW, QUICK, by_default, decisions, of_one_test


@pytest.fixture
def a_hundred_sets_are_enough(monkeypatch):
    """Where the words about a study of enough sets are looked at, it need not be long."""
    monkeypatch.setattr("clearwin.simulation.summary.FEW_SETS", 100)
    monkeypatch.setattr("clearwin.words.study.FEW_SETS", 100)


def test_an_undefined_measure_is_refused_as_compare_refuses_it():
    zeros = np.zeros(400, dtype=int)
    with pytest.raises(cw.errors.UndefinedError):
        cw.compare(zeros, zeros, zeros)
    with pytest.raises(cw.errors.UndefinedError):
        cw.study(zeros, zeros, zeros, **FEW)


def test_a_test_that_refused_on_most_sets_is_not_trusted():
    truth = np.zeros(1_000, dtype=int)
    truth[0] = 1
    a, b = truth.copy(), truth.copy()
    a[5], b[[7, 9]] = 1, 1
    s = cw.study(truth, a, b, **{**QUICK, "n_sets": 40})
    assert s.coverage[0].refused > 30
    headline = s.summary().headline
    assert headline.startswith("It is not known whether")
    assert "of 40 sets" in headline
    assert "()" not in str(s)
    assert "keeps its level" not in str(s)


def test_a_range_of_sizes_is_told_in_words():
    rng = np.random.default_rng(1)
    truth = np.arange(2_000) % 2
    a, b = (np.where(rng.random(2_000) < wrong, 1 - truth, truth) for wrong in (0.25, 0.1))
    s = cw.study(truth, a, b, measure="accuracy", **{**QUICK, "test_size": 60, "sizes": [60, 2_000], "n_sets": 40})
    assert "To find it four times in five takes between 60 and 2,000 items." in str(s).replace("\n", " ")


def test_an_excess_that_chance_explains_is_not_called_none():
    s = by_default()
    seen = {0.1: 0.25, 0.05: 0.05, 0.01: 0.0}
    rows = tuple(replace(row, value=seen[row.alpha], error=0.07, above=False) for row in s.size)
    told = " ".join(str(replace(s, size=rows)).split())
    # 1 of 20 sets leaves true sizes up to this possible: P(X ≤ 1) = 0.00135 for Bin(20, size)
    left = stats.beta.ppf(1 - 0.00135, 2, 19)
    assert f"At most {100 * left:.1f} % false alarms at the 5 % level. Where the models do not differ" in told
    assert "it found a difference on at most 25.0 %, 5.0 %, 0.0 % of the sets at 0.1, 0.05, 0.01" in told


def test_the_table_of_sizes_has_a_row_for_each_null_and_a_cell_for_each_level():
    """Every row with its own numbers: the table is read back cell by cell."""
    s = by_default()
    some = s.size[0]
    told = [
        (kind, test, null) for kind in ("X", "Y") for test in ("sign", "bootstrap") for null in ("swapped", "recentred")
    ]
    rows, expected = [], []
    for i, (kind, test, null) in enumerate(told):
        cells = []
        for j, alpha in enumerate(s.alphas):
            value, above = (3 * i + j) / 100, (i + j) % 3 == 0
            new = {"category_set": kind, "test": test, "null": null, "alpha": alpha, "value": value, "above": above}
            rows.append(replace(some, **new, error=value / 10, refused=i))
            cells.append(f"{100 * value:.1f} % ± {10 * value:.1f} %{' above' if above else ''}")
        expected.append((kind, test, null, *cells, str(i)))
    table = StudyWords(replace(s, size=tuple(rows)))._size_table()
    assert table.title == "True size: how often a difference is found although the models do not differ"
    assert table.head == ("category set", "test", "null", *(f"at {alpha:g}" for alpha in s.alphas), "refused")
    assert table.rows == tuple(expected)
    shown = [block.title for block in s.summary().blocks if isinstance(block, Grid)]
    assert shown.count(table.title) == 1


# --- words --------------------------------------------------------------------------------------------------------


def test_few_sets_are_not_enough_to_trust_a_test():
    few = by_default()
    assert few.summary().headline.startswith("20 sets are not enough to tell whether the studentised test")
    assert f"20 sets would have shown {100 * smallest_shown(20, 0.06):.1f} % or more at 0.05" in few.verdict()
    assert "few_sets" in {caveat.code for caveat in few.caveats}
    assert "keeps its level" not in str(few)
    two = cw.study(*decisions(), **{**FEW, "n_sets": 2, "tests": ["bootstrap"]})
    assert "2 sets are too few to show an excess at 0.05" in two.verdict()


@pytest.mark.usefixtures("a_hundred_sets_are_enough")
def test_the_headline_is_the_verdict():
    how = {**FEW, "n_sets": 100, "measure": "accuracy", "tests": ["mcnemar/exact"]}
    s = cw.study(*decisions(), **how)
    # what 100 sets leave possible of the largest size and of the coverage: P(X ≤ k) = 0.00135 of a binomial
    most = max(round(row.value * 100) for row in s.size if row.alpha == 0.05)
    held = round(s.coverage[0].value * 100)
    left, least = stats.beta.ppf(1 - 0.00135, most + 1, 100 - most), stats.beta.ppf(0.00135, held, 101 - held)
    assert s.summary().headline.startswith(
        f"The McNemar test (exact) can be trusted on test sets of 100 like these: at most {100 * left:.1f} % false "
        "alarms at the 5 % level, and its 95 % interval covers at least "
        f"{100 * least:.1f} % of the time; it finds the true "
    )
    assert "few_sets" not in {caveat.code for caveat in s.caveats}
    bad = replace(s, coverage=tuple(replace(row, short=True, value=0.8) for row in s.coverage))
    assert bad.summary().headline.startswith("The McNemar test (exact) cannot be trusted on test sets of 100")
    assert "its 95 % interval covers the true difference too rarely, 80.0 %" in bad.summary().headline
    worse = replace(s, size=tuple(replace(row, above=row.null == "swapped") for row in s.size))
    assert "it finds differences too often where A and B are exchangeable" in worse.summary().headline
    both = cw.study(*decisions(), **{**how, "tests": ["mcnemar/exact", "paired_proportion"]})
    short = replace(both, coverage=tuple(replace(row, short=row.test != "mcnemar/exact") for row in both.coverage))
    assert short.summary().headline == (
        "On test sets of 100 like these mcnemar/exact can be trusted; paired_proportion cannot be trusted"
    )


# --- what may not be said, and one-sided claims -------------------------------------------------------------------

PRECISION = {"measure": "precision", "test_size": 200, "sizes": [200], "n_resamples": 99, "rng": 1}


def precise(*rates, n=20_000, seed=5):
    """Return the truth, three items in ten positive, and models that call so many of the positives and negatives so."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, *((rng.random(n) < np.where(truth == 1, *shares)).astype(int) for shares in rates)


@pytest.mark.usefixtures("a_hundred_sets_are_enough")
def test_a_null_that_could_not_be_built_is_no_ground_for_trust():
    """B never calls a negative item positive: no weights bring its precision of 1 down to A's 0.6."""
    data, how = precise((0.7, 0.2), (0.2, 0.0)), {**PRECISION, "n_sets": 100}
    s = cw.study(*data, tests=["kosinski"], **how)
    assert {row.null for row in s.size} == {"swapped"}
    assert not any(row.above for row in s.size)
    assert s.summary().headline.startswith("It is not known whether the weighted generalised score test can be trusted")
    for told in (s.verdict(), str(s)):
        told = " ".join(told.split())
        assert "models with a difference of 0 that are not exchangeable could not be made from these data" in told
        assert "test can be trusted on" not in told.replace(
            "not known whether the weighted generalised score test can be", ""
        )
    both = cw.study(*data, tests=["kosinski", "bootstrap"], **how)
    assert "it is not known whether kosinski and bootstrap can be trusted" in both.summary().headline


def test_a_test_of_another_null_hypothesis_is_caught_on_the_side_that_is_asked():
    """A and B have the same precision, B with a seventh of the predicted positives: permutation speaks of swapping."""
    data = precise((0.7, 0.2), (0.1, 0.025))
    found = {
        claim: cw.study(*data, tests=["permutation"], n_sets=300, claim=claim, **PRECISION)
        for claim in ("different", "better", "worse")
    }
    for claim, s in found.items():
        sizes = {(row.null, row.alpha): row for row in s.size}
        assert sizes["recentred", 0.05].above
        assert not sizes["swapped", 0.05].above
        assert "cannot be trusted" in s.summary().headline
        words = "it finds differences" if claim == "different" else f"the claim that B is {claim}: it shows that B is"
        assert words in s.summary().headline
    assert found["worse"].confidence[0].true_difference < 0
    assert found["worse"].power
    assert not found["better"].power
    assert "On the large set B is not better, so that cannot be found." in found["better"].verdict()
    assert found["better"].coverage[0].below == found["worse"].coverage[0].above == 0.0
    assert "claim='better'" in found["better"].summary().call
    assert min(point.stated for point in found["better"].calibration if point.kind == "level") == 0.6


def score_data(seed=4, n=300):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    a, b = truth + rng.normal(size=n), truth + rng.normal(0, 0.8, n)
    return {"truth": truth, "a": a, "b": b, "groups": np.arange(n) // 3, "strata": np.arange(n) % 2}


def word_data():
    truth, a, b = decisions(300)
    return {name: np.array(["other", "eight"])[x] for name, x in {"truth": truth, "a": a, "b": b}.items()}


def text_data():
    rng = np.random.default_rng(8)
    texts = np.array(["joy", "joy|fear", "fear|anger", "anger", "joy|fear|anger"])
    return {name: texts[rng.integers(0, 5, 300)] for name in ("truth", "a", "b")}


def with_infinity():
    data = score_data()
    data["a"][[3, 9]] = np.inf
    return data


@pytest.mark.parametrize(
    ("data", "how"),
    [
        (word_data, {"positive": "eight", "tests": ["auto"]}),
        (score_data, {"threshold": (0.4, 0.6), "measure": "f1"}),
        (score_data, {"threshold": "best", "positive": np.int64(1)}),
        (score_data, {"measure": "auc", "groups": True}),
        (score_data, {"measure": "auc", "strata": True, "stratified": True}),
        (with_infinity, {"measure": "auc", "rank_infinite": True}),
        (text_data, {"measure": "macro_f1", "separator": "|"}),
        (text_data, {"measure": "macro_f1", "separator": "|", "labels": "joy,fear"}),
        (text_data, {"measure": "macro_f1", "separator": "|", "category_sets": {"X": ["joy", "fear"]}}),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else x.__name__,
)
def test_a_study_is_repeated_by_its_own_call(data, how):
    data = data()
    given = {name: data[name] if name in ("groups", "strata") else value for name, value in how.items()}
    s = cw.study(data["truth"], data["a"], data["b"], **{**QUICK, "n_sets": 3, **given})
    again = eval(s.summary().call, {"cw": cw, **data})
    assert again.to_json() == s.to_json()


@pytest.mark.usefixtures("a_hundred_sets_are_enough")
def test_the_verdict_names_the_refusals_and_not_the_interval():
    rng = np.random.default_rng(3)
    truth = (rng.random(5_000) < 0.05).astype(int)
    a, b = (np.where(rng.random(5_000) < rate, 1 - truth, truth) for rate in (0.3, 0.25))
    s = cw.study(
        truth, a, b, measure="recall", tests=["paired_proportion"], test_size=40, sizes=[40], n_sets=200, rng=1
    )
    refused = s.coverage[0].refused
    assert refused / 200 == pytest.approx(0.95**40, abs=0.1)  # four standard errors
    assert s.coverage[0].value > 0.94
    assert "too rarely" not in s.summary().headline
    assert f"It did not answer on {max(row.refused for row in (*s.size, *s.coverage)):,} of 200 sets" in s.verdict()
    assert "where it answered" in s.verdict()
    assert (
        f"it did not answer on {max(row.refused for row in (*s.size, *s.coverage)):,} of 200 sets"
        in s.summary().headline
    )
    assert {point.refused for point in s.calibration} == {refused}
    levels = [point for point in s.calibration if point.kind == "level"]
    assert {point.sets for point in levels} == {200 - refused}


def test_what_cannot_be_trusted_and_finds_nothing_is_said_to_do_both():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 5)
    a, b = rng.normal(size=200), rng.normal(1.0, 1, 200)
    how = {**ASKED, "test_size": 15, "sizes": [15]}
    s = cw.study(None, a, b, measure="mean", groups=groups, tests=["permutation"], **how)
    bad = replace(s, coverage=tuple(replace(row, short=True, value=0.7) for row in s.coverage))
    told = "ith 3 groups in a set the p-value cannot fall below 0.25, so it never finds a difference at 0.05"
    assert "cannot be trusted" in bad.summary().headline
    assert f"; w{told}" in bad.summary().headline
    assert f"W{told}." in bad.verdict()
    two = cw.study(None, a, b, measure="mean", groups=groups, tests=["permutation", "paired_t"], **how)
    two = replace(two, coverage=tuple(replace(row, short=row.test == "permutation") for row in two.coverage))
    assert (
        "permutation cannot be trusted and cannot find anything, as 3 groups in a set are too few"
        in two.summary().headline
    )


def test_power_and_widths_are_printed_with_their_errors():
    s = of_one_test()
    row = next(row for row in s.power if row.alpha == 0.05)
    _, _, table = str(s).partition("Power: ")
    assert f"{100 * row.value:.1f} % ± {100 * row.error:.1f} %" in table
    [row] = s.coverage
    assert f"{row.mean_width:.4f} ± {row.width_error:.4f}" in str(s)


def test_a_study_has_size_coverage_and_power():
    found = study()
    told = found.verdict(style="paper")
    size = max(row.value for row in found.size if row.alpha == 0.05)
    power = next(row.value for row in found.power if (row.alpha, row.test_size) == (0.05, 100))
    for part in (
        "On 12 test sets of 100 drawn with replacement from 400 items (new against old in F1, judged at 0.05)",
        f"found a difference on {100 * size:.1f} ±",
        f"interval covered the true difference on {100 * found.coverage[0].value:.1f} ±",
        f"found the true difference on {100 * power:.1f} ±",
    ):
        assert part in told


def test_few_sets_do_not_certify_an_interval():
    """Where too few sets were drawn to judge a test, its coverage is reported, not called as it should be."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3_000)
    a, b = (np.where(rng.random(3_000) < right, y, 1 - y) for right in (0.8, 0.85))
    r = cw.study(y, a, b, measure="accuracy", tests=["mcnemar"], n_sets=60, test_size=200, rng=1)
    assert "60 sets are not enough" in r.summary().opening[0]
    assert "as it should" not in r.verdict()
    assert re.search(r"Its 95 % interval covered the true difference on [\d.]+ % ± [\d.]+ % of 60 sets", r.verdict())
