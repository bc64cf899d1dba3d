"""A study says what its numbers carry, can be repeated from its own words, and loses nobody's file."""

import csv
import errno
import io
import json
import math
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import clearwin as cw
from clearwin.cli import main
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, source_of_arrays
from clearwin.execution import STREAMS, Seed
from clearwin.measures import find
from clearwin.plots import pictures
from clearwin.results.study import PowerRow
from clearwin.significance import choose
from clearwin.simulation.blocks import _stated
from clearwin.simulation.checkpoints import Keeping, forget
from clearwin.simulation.plan import Asking
from clearwin.simulation.rates import Outcomes, detectable_row, needed_row, smallest_shown
from clearwin.simulation.study import study_sources


def decisions(n=2_000, seed=1, rates=(0.25, 0.20)):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return truth, *(np.where(rng.random(n) < rate, 1 - truth, truth) for rate in rates)


FEW = {"test_size": 100, "n_sets": 20, "sizes": [100], "n_resamples": 19, "rng": 1}
QUICK = {**FEW, "tests": ["permutation"]}  # where the test does not matter
SMALL = {"tests": ["permutation"], "test_size": 50, "n_sets": 3, "sizes": [50], "n_resamples": 19}  # without a seed


@cache
def by_default():
    return cw.study(*decisions(), **FEW)


# --- numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_the_confidence_in_the_leader_is_the_same_whoever_is_called_a(test):
    """Replicates in which both are level speak for neither: 12 items that differ, so ties are frequent."""
    truth = np.array([0, 1] * 30)
    first, second = truth.copy(), truth.copy()
    first[:7], second[10:15] = 1 - first[:7], 1 - second[10:15]
    stated = []
    for a, b in ((first, second), (second, first)):
        read = source_of_arrays(truth, a, b, find("accuracy"), Reading())(None)
        question = Question(*read, Options(n_resamples=4_000, seed=Seed(1)))
        stated.append(_stated(question, choose(test, question)[0].answer(question)))
    rng = np.random.default_rng(2)
    gains = ((second == truth) * 1 - (first == truth))[rng.integers(0, 60, (20_000, 60))].sum(axis=1)
    assert np.mean(gains == 0) > 0.05
    error = 4 * np.sqrt(0.25 / 4_000)
    assert stated == pytest.approx([np.mean(gains > 0)] * 2, abs=error)


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
    assert headline.startswith("Nothing can be said of")
    assert "of 40 sets" in headline
    assert "()" not in str(s)
    assert "keeps its level" not in str(s)


def grouped(n_groups, size, seed=3):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    return rng.normal(size=groups.size), rng.normal(0.1, 1, groups.size), groups


def test_sizes_of_whole_groups_are_those_that_are_drawn():
    a, b, groups = grouped(30, 100)
    s = cw.study(None, a, b, measure="mean", groups=groups, test_size=200, n_sets=4, n_resamples=19, rng=1)
    assert s.sizes == (200,)  # 25, 50, 100 and 200 items are two groups, all of them
    assert {row.test_size for row in s.power} == {200}
    a, b, groups = grouped(2, 200)
    s = cw.study(None, a, b, measure="mean", groups=groups, test_size=100, n_sets=4, n_resamples=19, rng=1)
    assert (s.test_size, s.units, s.items_per_unit) == (400, 2, 200)
    assert "2 groups (about 400 items)" in str(s)
    assert "100 items were asked for" in str(s)
    assert "of 100" not in s.summary().headline
    whole = cw.study(None, a, b, measure="mean", groups=groups, test_size=400, n_sets=4, n_resamples=19, rng=1)
    assert s.power == whole.power
    assert {caveat.code for caveat in s.caveats} - {caveat.code for caveat in whole.caveats} == {"whole_groups"}


def test_too_few_groups_for_any_small_p_are_told():
    """With g groups the smallest two-sided p of all 2^g swaps is 2 / 2^g."""
    a, b, groups = grouped(40, 5)
    b += 1.0
    how = {"tests": ["permutation"], "n_sets": 200, "n_resamples": 19, "rng": 1}
    s = cw.study(None, a, b, measure="mean", groups=groups, test_size=15, sizes=[15], **how)
    assert s.units == 3
    assert all(row.value == 0 for row in s.power)  # however large the difference is
    assert "can find nothing" in s.summary().headline
    [told] = [caveat.text for caveat in s.caveats if caveat.code == "few_groups"]
    assert (
        "with 3 groups in a set no p-value of permutation is below 0.25, so nothing can be found at 0.1, 0.05, 0.01"
        in told
    )
    t = cw.study(
        None, a, b, measure="mean", groups=groups, test_size=15, sizes=[15], n_sets=20, tests=["paired_t"], rng=1
    )
    assert not [caveat for caveat in t.caveats if caveat.code == "few_groups"]


def power_row(size, value):
    return PowerRow("all", "t", size, 0.05, value, 0.01, 0.0, 100, 0)


@pytest.mark.parametrize("powers", [(0.5, 0.7, 0.9), (0.9, 0.5, 0.9)])
def test_the_size_needed_is_one_from_which_power_stays(powers):
    found = needed_row([power_row(size, power) for size, power in zip((100, 200, 400), powers, strict=True)])
    part = (0.8 - powers[1]) / (powers[2] - powers[1])
    assert found.value == math.ceil((200**0.5 + part * (400**0.5 - 200**0.5)) ** 2)


@pytest.mark.parametrize(
    ("powers", "why"),
    [((0.9, 0.9, 0.5), "falls again"), ((0.1, 0.2, 0.3), "more than 400"), ((0.8, 0.9, 1.0), "at most 100")],
)
def test_a_size_that_was_not_met_is_not_made_up(powers, why):
    found = needed_row([power_row(size, power) for size, power in zip((100, 200, 400), powers, strict=True)])
    assert found.value is None
    assert why in found.why


@pytest.mark.parametrize(
    ("sizes", "powers", "range_told"),
    [
        ((120, 2_000), (0.67, 1.0), "between 120 and 2,000 items"),  # by a line 589; the truth is about 150
        ((100, 201), (0.5, 0.9), "between 100 and 201 items"),
        ((100, 200), (0.5, 0.99), "between 100 and 200 items"),
    ],
)
def test_no_line_is_drawn_between_sizes_far_apart_or_to_a_saturated_power(sizes, powers, range_told):
    found = needed_row([power_row(size, power) for size, power in zip(sizes, powers, strict=True)])
    assert (found.value, found.why) == (None, range_told)


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
    assert f"No excess above {100 * left:.1f} % was seen at 0.05 where there is no difference" in told
    assert "it found a difference on at most 25.0 %, 5.0 %, 0.0 % of the sets at 0.1, 0.05, 0.01" in told


def test_a_detectable_difference_is_one_that_the_measure_can_have():
    s = cw.study(*decisions(), **{**QUICK, "n_resamples": 1, "test_size": 4, "sizes": [4]})
    for row in s.detectable:
        assert row.value is None or 0 < row.value <= 1
    columns = {"p": [0.5] * 10, "low": [-1.2 + i / 1_000 for i in range(10)], "high": [0.3] * 10}
    found = detectable_row(Outcomes("all", "t", 10, 0.05, 1, 1.0, columns), 0.95)
    assert (found.value, found.error) == (None, None)
    assert "even the largest" in found.why
    assert detectable_row(Outcomes("all", "t", 10, 0.05, 1, 2.0, columns), 0.95).value == pytest.approx(1.248)


def test_models_that_do_not_differ_have_no_difference_to_find():
    truth, a, _ = decisions()
    s = cw.study(truth, a, a, **QUICK)
    assert s.power == ()
    assert s.needed == ()
    assert "finds the true difference" not in str(s)
    assert "no true difference to find" in str(s)
    level = cw.study(
        [1, 0] * 50, [1, 0, 0, 0] * 25, [0, 0, 1, 0] * 25, measure="accuracy", **{**QUICK, "test_size": 50}
    )
    assert level.confidence[0].true_difference == 0.0
    assert not [point for point in level.calibration if point.kind == "winner"]
    assert [picture.name for picture in pictures(s)][:1] != ["power"]


def test_small_values_keep_their_digits_and_their_null():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=600), rng.normal(0.2, 1, 600)
    for scale in (1e-7, 1e-300):
        s = cw.study(None, a * scale, b * scale, measure="mean", **FEW)
        assert s.left_out == ()
        assert "0.0000" not in str(s)
    plain = cw.study(None, a, b, measure="mean", **FEW)
    assert [(row.null, row.value) for row in s.size] == [(row.null, row.value) for row in plain.size]


# --- words --------------------------------------------------------------------------------------------------------


def test_the_smallest_share_that_would_show_is_where_the_binomial_says_so():
    for n, level in ((40, 0.05), (1_000, 0.01), (200, 0.1)):
        share = smallest_shown(n, level)
        tails = [stats.binom.sf(round(share * n) - k, n, level) for k in (1, 2)]
        assert tails[0] < 0.00135 < tails[1]  # P(at least so many), and of one fewer


def test_few_sets_are_not_enough_to_trust_a_test():
    few = by_default()
    assert few.summary().headline.startswith("20 sets are not enough to tell whether the studentised test")
    assert f"a share of {100 * smallest_shown(20, 0.06):.1f} % or more would have shown at 0.05" in few.verdict()
    assert "few_sets" in {caveat.code for caveat in few.caveats}
    assert "keeps its level" not in str(few)
    two = cw.study(*decisions(), **{**FEW, "n_sets": 2, "tests": ["bootstrap"]})
    assert "no share could have shown at 0.05" in two.verdict()


def test_the_headline_is_the_verdict():
    how = {**FEW, "n_sets": 700, "n_resamples": 39, "tests": ["permutation/exact"]}
    s = cw.study(*decisions(), **how)
    assert s.summary().headline.startswith(
        "The paired permutation test (exact) can be trusted on test sets of 100 like these: no excess above 7.6 % was "
        "seen at 0.05, and no coverage of its 95 % interval below 91.9 %; it finds the true difference "
    )
    assert "few_sets" not in {caveat.code for caveat in s.caveats}
    bad = replace(s, coverage=tuple(replace(row, short=True, value=0.8) for row in s.coverage))
    assert bad.summary().headline.startswith(
        "The paired permutation test (exact) cannot be trusted on test sets of 100"
    )
    assert "its 95 % interval holds the truth too seldom, 80.0 %" in bad.summary().headline
    worse = replace(s, size=tuple(replace(row, above=row.null == "swapped") for row in s.size))
    assert "it finds differences too often where A and B are interchangeable" in worse.summary().headline
    both = cw.study(*decisions(), **{**how, "tests": ["permutation", "bootstrap"]})
    short = replace(both, coverage=tuple(replace(row, short=row.test == "bootstrap") for row in both.coverage))
    assert short.summary().headline == (
        "On test sets of 100 like these permutation can be trusted; bootstrap cannot be trusted"
    )


# --- what may not be said, and one-sided claims -------------------------------------------------------------------

PRECISION = {"measure": "precision", "test_size": 200, "sizes": [200], "n_resamples": 99, "rng": 1}


def precise(*rates, n=20_000, seed=5):
    """Return the truth, three items in ten positive, and models that call so many of the positives and negatives so."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, *((rng.random(n) < np.where(truth == 1, *shares)).astype(int) for shares in rates)


def test_a_null_that_could_not_be_built_is_no_ground_for_trust():
    """B never calls a negative item positive: no weights bring its precision of 1 down to A's 0.6."""
    s = cw.study(*precise((0.7, 0.2), (0.2, 0.0)), tests=["permutation"], n_sets=700, **PRECISION)
    assert {row.null for row in s.size} == {"swapped"}
    assert not any(row.above for row in s.size)
    assert s.summary().headline.startswith("It is not known whether the paired permutation test can be trusted")
    for told in (s.verdict(), str(s)):
        told = " ".join(told.split())
        assert "models with a difference of 0 that are not interchangeable could not be made of these data" in told
        assert "test can be trusted on" not in told.replace("not known whether the paired permutation test can be", "")
    both = cw.study(*precise((0.7, 0.2), (0.2, 0.0)), tests=["permutation", "bootstrap"], n_sets=700, **PRECISION)
    assert "it is not known whether permutation and bootstrap can be trusted" in both.summary().headline


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
    assert "On the large set B is not better, so there is nothing to find." in found["better"].verdict()
    assert found["better"].coverage[0].below == found["worse"].coverage[0].above == 0.0
    assert "claim='better'" in found["better"].summary().call
    assert min(point.stated for point in found["better"].calibration if point.kind == "level") == 0.6


def test_the_two_sides_of_a_study_are_the_two_sided_one_at_twice_the_level():
    """Exact McNemar doubles the smaller tail, and the same sets are drawn: it rejects where one of the sides does."""
    how = FEW | {"n_sets": 200, "measure": "accuracy", "tests": ["mcnemar/exact"]}
    found = {claim: cw.study(*decisions(), claim=claim, **how) for claim in ("different", "better", "worse")}
    sizes = {claim: {(row.null, row.alpha): row.value for row in s.size} for claim, s in found.items()}
    for null in ("swapped", "recentred"):
        both = sizes["better"][null, 0.05] + sizes["worse"][null, 0.05]
        assert both == pytest.approx(sizes["different"][null, 0.1], abs=1e-12)
        assert both > 0
    assert found["better"].signature.settings["claim"] == "better"
    with pytest.raises(cw.errors.UnknownNameError, match="no claim named 'greater'"):
        cw.study(*decisions(), claim="greater", **FEW)


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


def test_colours_go_with_tests_in_every_picture():
    rng = np.random.default_rng(2)
    truth = rng.random((300, 4)) < 0.4
    a, b = (truth ^ (rng.random((300, 4)) < rate) for rate in (0.1, 0.05))
    s = cw.study(
        truth,
        a,
        b,
        measure="macro_f1",
        tests=["permutation", "bootstrap"],
        category_sets={"Y": [2, 3], "X": [0, 1]},
        **{**FEW, "sizes": [50, 100]},
    )
    colours = {}
    for kind in ("power", "calibration", "coverage"):
        ax = s.plot(kind=kind)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        colours[kind] = {label: line.lines[0].get_color() for label, line in zip(labels, ax.containers, strict=False)}
        assert ("as stated" in labels) == (kind == "coverage")
    assert list(colours["power"]) == ["permutation, Y", "bootstrap, Y", "permutation, X", "bootstrap, X"]
    assert colours["calibration"] == colours["power"]
    assert colours["coverage"] == colours["power"]
    assert "need not be as large" in next(p.alt for p in pictures(s) if p.name == "calibration")


def test_tables_are_csv():
    s = by_default()
    for table in ("confidence", "size", "coverage", "power", "detectable", "needed", "calibration"):
        rows = list(csv.DictReader(io.StringIO(s.to_csv(table))))
        assert len(rows) == len(getattr(s, table))
        assert rows[0]["category_set"] == "all"
    with pytest.raises(cw.errors.UnknownNameError, match="coverage"):
        s.to_csv("coverge")


# --- settings and files -------------------------------------------------------------------------------------------


def test_one_level_and_one_size_are_lists_of_one():
    data = decisions(300)
    how = {**FEW, "n_sets": 3}
    one = cw.study(*data, **{**how, "sizes": 50, "alphas": 0.05, "tests": "bootstrap"})
    assert one.sizes == (50, 100)
    assert one.alphas == (0.05,)
    several = cw.study(*data, **{**how, "sizes": np.array([50]), "alphas": [0.05, 0.05], "tests": ["bootstrap"]})
    assert several.to_json() == one.to_json()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [",".join(map(str, row)) for row in zip(*decisions(400), strict=True)]
    (tmp_path / "big.csv").write_text("\n".join(["y,svm,rbf", *lines, ""]), encoding="utf-8")
    return tmp_path


def study(*more, sets="3"):
    line = ["study", "big.csv", "--truth", "y", "--a", "svm", "--b", "rbf", "--n-resamples", "19", "--seed", "1"]
    return CliRunner().invoke(main, [*line, "--test-size", "50", "--sets", sets, *more])


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--sizes", "0"], "--sizes 25,50"),
        (["--sizes", "50,4001"], "--sizes 25,50"),  # ten times the 400 items are the most
        (["--alphas", "5"], "--alphas 0.1,0.05"),
        (["--test", "bootstrap/bcaa"], "--test bootstrap/bca"),
        (["--test", "auto/exact"], "--test studentised/drawn"),
        (["--test", "bootstrap", "--test", "bootstrap"], "--test permutation"),
        (["--measure", "macro_f1", "--category-set", "X=0,0"], "--category-set X=earn,acq"),
    ],
)
def test_what_to_type_next_can_be_typed(here, options, hint):
    run = study(*options)
    assert run.exit_code == 2
    assert run.stderr.splitlines()[-1] == f"  next: {hint}"


def test_a_large_set_of_one_item_is_refused_as_such(here):
    (here / "big.csv").write_text("y,svm,rbf\n1,1,0\n", encoding="utf-8")
    assert "The large set has one item" in study().stderr


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_no_file_of_somebody_elses_is_written_over(here, options):
    (here / "mine.csv").write_text("precious")
    run = study("--keep", "mine.csv", *options)
    assert run.exit_code == 2
    assert "is not a file of finished blocks" in run.stderr
    assert "--force" not in run.stderr
    assert (here / "mine.csv").read_text() == "precious"


def test_force_begins_anew_over_blocks_of_a_study(here):
    (here / "blocks").write_bytes(b'{"what": "clearwin study", "torn')
    assert "--force" in study("--keep", "blocks").stderr
    assert study("--keep", "blocks", "--force").exit_code == 0
    assert not (here / "blocks").exists()


def test_a_study_that_could_not_be_shown_is_kept(here, monkeypatch):
    import clearwin.cli.study as command

    def full(*_, **__):
        raise cw.errors.FileError("x.html cannot be written: No space left on device.")

    with monkeypatch.context() as patch:
        patch.setattr(command, "show", full)
        run = study("--json", "--keep", "blocks")
    assert run.exit_code == 2
    assert "kept in blocks: --resume" in run.stderr
    size = (here / "blocks").stat().st_size
    monkeypatch.setattr(sys.modules["clearwin.simulation.study"], "run_job", None)  # nothing is left to do
    resumed = study("--json", "--keep", "blocks", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert size > 0
    assert not (here / "blocks").exists()


def test_two_runs_do_not_share_a_file(here):
    header = {"what": "clearwin study", "settings": {}, "seed": "1"}
    with Keeping("blocks", header, append=False):
        for again in (["--force"], ["--resume"]):
            run = study("--keep", "blocks", *again)
            assert run.exit_code == 2
        assert "in use by another run" in study("--keep", "blocks", "--force").stderr
        assert (here / "blocks").read_text().count("\n") == 1
    (here / "blocks").unlink()
    forget(here / "blocks")  # whoever comes second finds it gone


def kept_lines(here):
    """The lines of a whole file of blocks."""
    truth, a, b = decisions(400)
    study_sources(source_of_arrays(truth, a, b, find("f1"), Reading()), None, ASKING)
    lines = (here / "blocks").read_text().splitlines()
    (here / "blocks").unlink()
    return lines


ASKING = Asking(**SMALL, rng=1, keep="blocks")


@pytest.mark.parametrize(
    "damage",
    [
        lambda header, block: (header, {"key": block["key"]}),
        lambda header, block: (header, {**block, "result": 5}),
        lambda header, block: (header, {"key": ["drawn"], "result": {}}),
        lambda header, block: ({k: v for k, v in header.items() if k != "seed"}, block),
        lambda header, block: ({**header, "seed": "banana"}, block),
        lambda header, block: ({**header, "seed": "-5"}, block),
        lambda header, block: ({**header, "settings": 7}, block),
        lambda header, block: ([], block),
    ],
)
def test_a_damaged_file_of_blocks_is_mended_or_refused(here, damage):
    lines = kept_lines(here)
    header, last = damage(json.loads(lines[0]), json.loads(lines[-1]))
    (here / "blocks").write_text("\n".join([json.dumps(header), *lines[1:-1], json.dumps(last), ""]))
    data = decisions(400)
    how = {**SMALL, "rng": 1}
    if header == json.loads(lines[0]):
        assert cw.study(*data, **how, keep="blocks", resume=True).to_json() == cw.study(*data, **how).to_json()
    else:
        with pytest.raises(cw.errors.FileError, match="does not begin like"):
            cw.study(*data, **how, keep="blocks", resume=True)


def changed_value(lines):
    p = json.loads(lines[-1])["result"]["tests"][0]["p"]
    return [*lines[:-1], lines[-1].replace(repr(p[0]), repr(p[0] / 2), 1)]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (changed_value, -1),
        (lambda lines: [*lines[:-1], lines[-1].replace('"tests"', '"test"', 1)], -1),
        (lambda lines: [*lines[:-1], lines[-1].replace('"recentred/', '"swapped/', 1)], -1),
        (lambda lines: [*lines[:-1], lines[-1].split(', "checksum"')[0] + "}"], -1),
        (lambda lines: [lines[0].replace('"seed": "1"', '"seed": "2"'), *lines[1:]], 1),
    ],
    ids=["a value", "a name", "its key", "no checksum", "the seed in the first line"],
)
def test_a_changed_block_is_refused_by_its_line(here, change, line):
    """Nobody gives the seed here, so that one in the file would be believed, too."""
    lines = kept_lines(here)
    changed = change(lines)
    assert changed != lines
    (here / "blocks").write_text("\n".join([*changed, ""]))
    how = {**SMALL, "keep": "blocks"}
    at = line % len(lines) + 1
    with pytest.raises(
        cw.errors.FileError, match=f"Line {at} of blocks, the block .* is not as it was written"
    ) as error:
        cw.study(*decisions(400), **how, resume=True)
    assert f"delete line {at}" in error.value.next
    # and what it says to type helps
    del changed[at - 1]
    (here / "blocks").write_text("\n".join([*changed, ""]))
    if at == len(lines):
        expected = cw.study(*decisions(400), **{**how, "keep": None}, rng=1)
        assert cw.study(*decisions(400), **how, resume=True).to_json() == expected.to_json()


def test_blocks_of_other_streams_are_refused(here):
    """Streams of another version give other numbers for the same seed; before there were versions, it was the first."""
    lines = kept_lines(here)
    header = json.loads(lines[0])
    assert header["streams"] == STREAMS
    how = {**SMALL, "rng": 1, "resume": True}
    for other, told in (({**header, "streams": 99}, 99), ({k: v for k, v in header.items() if k != "streams"}, 1)):
        (here / "blocks").write_text("\n".join([json.dumps(other), *lines[1:], ""]))
        with pytest.raises(cw.errors.FileError, match=f"begun with version {told} of the random streams") as error:
            cw.study(*decisions(400), **how, keep="blocks")
        assert "another file or folder" in error.value.next


def test_a_folder_finds_the_blocks_of_other_streams_to_refuse_them(here):
    data, how = decisions(400), SMALL
    study_sources(source_of_arrays(*data, find("f1"), Reading()), None, replace(ASKING, keep="."))
    [file] = here.glob("clearwin-study-*.jsonl")
    file.write_text(file.read_text().replace(f'"streams": {STREAMS}', '"streams": 99'))
    with pytest.raises(cw.errors.FileError, match="begun with version 99 of the random streams"):
        cw.study(*data, **how, keep=".", resume=True)


def test_other_data_and_other_files_are_named(here):
    lines = kept_lines(here)
    (here / "blocks").write_text("\n".join([*lines, ""]))
    how = {**SMALL, "rng": 1}
    with pytest.raises(cw.errors.FileError, match="it has other data\\."):
        cw.study(*decisions(400, seed=9), **how, keep="blocks", resume=True)
    (here / "clearwin-study-12345678.jsonl").write_text("")
    with pytest.raises(cw.errors.FileError, match=r"There is clearwin-study-12345678\.jsonl"):
        cw.study(*decisions(400), **how, keep=".", resume=True)


def test_a_full_disk_names_the_file_and_how_to_go_on(here, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    run = study("--keep", "blocks")
    assert run.exit_code == 2
    assert "kept in blocks: No space left on device" in run.stderr
    assert "--resume" in run.stderr


def test_an_interrupt_before_the_first_block_is_told_as_such(here, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("clearwin.cli.study.request", stopped)
    run = study()
    assert run.exit_code == 130
    assert "Nothing was finished" in run.stderr


def test_the_command_studies_a_claim(here):
    done = study("--claim", "better")
    assert done.exit_code == 0, done.output
    assert "for the claim that rbf is better" in " ".join(done.output.split())
    assert json.loads(study("--claim", "better", "--json").output)["claim"] == "better"
