"""The bootstrap against drawing items one by one, and its p-value against its interval."""

import itertools

import numpy as np
import pytest
from scipy import stats

import clearwin as cw
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import BOOTSTRAP, Coverage, Replicates
from clearwin.resampling.bootstrap import draw, left_out
from tests.tables import BALANCED, ORDINARY, RARE


def items_of(joint):
    """Expand counts to items (truth, a, b)."""
    return tuple(np.repeat(column, joint.counts) for column in (joint.truth, joint.a, joint.b))


def question_of(joint, measure="f1", **settings):
    from clearwin.data.questions import Options, Question
    from clearwin.data.samples import DecisionSample
    from clearwin.measures import find
    from clearwin.streams import Seed

    how = Options(n_resamples=settings.get("n", 4_000), seed=Seed(1))
    return Question(DecisionSample(joint), find(measure), how)


def f1(y, p):
    tp = (y & p).sum()
    return 2 * tp / max(y.sum() + p.sum(), 1)


@pytest.mark.parametrize("joint", [ORDINARY, BALANCED, RARE], ids=["ordinary", "balanced", "rare"])
def test_multinomial_equals_index_bootstrap_in_distribution(joint):
    y, a, b = items_of(joint)
    rng = np.random.default_rng(2)
    by_items = np.empty(4_000)
    for i in range(4_000):
        at = rng.integers(0, joint.n, joint.n)
        by_items[i] = f1(y[at], b[at]) - f1(y[at], a[at])
    by_counts = draw(question_of(joint)).differences
    # two samples of 4,000 from one distribution: p < .001 once in a thousand seeds
    assert stats.ks_2samp(by_items, by_counts).pvalue > 0.001
    assert by_counts.std() == pytest.approx(by_items.std(), rel=0.06)  # 5 standard errors of a ratio of deviations


def test_jackknife_over_outcomes_equals_over_items():
    y, a, b = items_of(ORDINARY)
    slow = []
    for i in range(ORDINARY.n):
        keep = np.arange(ORDINARY.n) != i
        slow.append(f1(y[keep], b[keep]) - f1(y[keep], a[keep]))
    found = left_out(question_of(ORDINARY))
    assert len(found.times) == 8
    np.testing.assert_allclose(np.sort(np.repeat(found.differences, found.times)), np.sort(slow), rtol=1e-12)


def never():
    raise AssertionError("only BCa needs the jackknife")


def test_p_value_and_percentile_interval_never_disagree():
    rng = np.random.default_rng(4)
    for trial, claim, level in itertools.product(range(60), ("different", "better", "worse"), (0.8, 0.9, 0.95, 0.99)):
        values = np.round(rng.normal(rng.normal(0, 1.5), 1, size=int(rng.integers(150, 1200))), 1)
        side = {"different": "two-sided", "better": "lower", "worse": "upper"}[claim]
        found = BOOTSTRAP["percentile"](Replicates(values, 0.0, never), Coverage(level, side, -9e9, 9e9))
        p = pvalues.of_bootstrap(values, claim).value
        assert (p <= round(1 - level, 12) + 1e-12) == (0.0 not in found), (trial, claim, level)


def test_confidence_is_13_as_printed():
    r = cw.compare(ORDINARY, measure="f1", test="bootstrap", rng=1)
    assert r.confidence == (r.distribution.values > 0).mean()
    lower_is_better = cw.compare(ORDINARY, measure="error_rate", test="bootstrap", rng=1)
    assert lower_is_better.confidence == (lower_is_better.distribution.values < 0).mean()


def test_ties_count_on_both_sides_and_p_is_never_0():
    assert pvalues.of_bootstrap(np.zeros(999), "different").value == 1.0
    assert pvalues.of_bootstrap(np.ones(999), "different").value == pytest.approx(2 / 1000)
    assert pvalues.of_bootstrap(np.ones(999), "better").value == pytest.approx(1 / 1000)
    assert pvalues.of_bootstrap(np.r_[np.zeros(500), np.ones(499)], "different").value == 1.0


def test_undefined_replicates_are_counted_and_kept():
    r = cw.compare(RARE, measure="precision", test="bootstrap", rng=2, n_resamples=2_000)
    assert r.distribution.values.size == 2_000
    _, a, b = items_of(RARE)
    # a replicate is undefined when A or B predicts no positive at all: by inclusion-exclusion over the n draws
    share_a, share_b, either = a.mean(), b.mean(), (a | b).mean()
    chance = (1 - share_a) ** RARE.n + (1 - share_b) ** RARE.n - (1 - either) ** RARE.n
    assert stats.binomtest(r.undefined_replicates, 2_000, chance).pvalue > 1e-4
    assert any("replicates" in c.text for c in r.caveats if c.code == "undefined_replicates")


def test_too_few_replicates_say_so():
    r = cw.compare(ORDINARY, test="bootstrap", n_resamples=10, rng=1)
    assert (r.interval.low, r.interval.high) == (-1.0, 1.0)
    assert [c.code for c in r.caveats].count("few_replicates") == 1
    assert not any(c.code == "few_replicates" for c in cw.compare(ORDINARY, n_resamples=800, rng=1).caveats)
    assert cw.compare(ORDINARY, test="bootstrap", n_resamples=1, rng=1).p_value == 1.0


def test_only_what_occurred_is_drawn():
    joint = cw.JointCounts(e1=10, e2=0, e3=3, e4=0, e5=0, e6=2, e7=0, e8=7)
    totals = draw(question_of(joint, "accuracy"))
    # with e2 = e7 = 0 A is never the only one wrong
    assert (totals.b <= totals.a).all()


# --- confidence leaves out what is 0/0 -------------------------------------------------------------------------


def test_confidence_is_of_the_replicates_that_are_defined():
    # A has precision 0 and B 1 wherever they have one, but by the convention 0/0 is 0, and then nobody is better
    joint = cw.JointCounts(e1=0, e2=2, e3=0, e4=1, e5=0, e6=0, e7=2, e8=15)
    r = cw.compare(joint, measure="precision", test="bootstrap", rng=1)
    assert r.undefined_replicates > 0
    assert r.confidence == 1.0
    assert "resampled test sets that define the measure" in " ".join(str(r).split())
    swapped = cw.compare(joint, measure="precision", test="permutation", rng=1)
    assert swapped.confidence == 1.0


def test_confidence_against_every_test_set_that_could_be_drawn():
    events = {"e1": 0, "e2": 2, "e3": 1, "e4": 2, "e5": 0, "e6": 1, "e7": 1, "e8": 3}
    n, cells = sum(events.values()), [name for name, times in events.items() if times]
    shares = [events[name] / n for name in cells]
    better = defined = 0.0
    for cuts in itertools.combinations(range(n + len(cells) - 1), len(cells) - 1):
        counts = np.diff([-1, *cuts, n + len(cells) - 1]) - 1
        e = dict.fromkeys(events, 0) | dict(zip(cells, counts.tolist(), strict=True))
        said_a, said_b = e["e1"] + e["e3"] + e["e5"] + e["e7"], e["e1"] + e["e2"] + e["e5"] + e["e6"]
        if said_a and said_b:
            chance = stats.multinomial.pmf(counts, n, shares)
            defined += chance
            better += chance * ((e["e1"] + e["e2"]) / said_b > (e["e1"] + e["e3"]) / said_a + 1e-12)
    assert defined < 0.99
    r = cw.compare(cw.JointCounts(**events), measure="precision", test="bootstrap", n_resamples=40_000, rng=3)
    assert r.undefined_replicates / 40_000 == pytest.approx(1 - defined, abs=0.005)
    # four standard errors; of all replicates it would be further off
    assert r.confidence == pytest.approx(better / defined, abs=0.01)
    assert abs(better / defined - better) > 0.01


def test_no_defined_replicate_makes_no_confidence():
    joint = cw.JointCounts(e1=0, e2=8, e3=0, e4=4, e5=0, e6=3, e7=0, e8=15)  # A never says positive
    assert cw.compare(joint, measure="precision", test="bootstrap", rng=1).confidence is None
    # but of an average over classes only a part is 0/0
    assert cw.compare(joint, measure="macro_precision", test="bootstrap", rng=1).confidence is not None
