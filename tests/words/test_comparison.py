"""A comparison in words: numbers as in the record, who is wrong where, and a claim that points the other way."""

import re

import numpy as np
import pytest

import clearwin as cw
from tests.one_of_each import comparison, folds
from tests.two_models import two

HOW = {"test": "mcnemar", "method": "exact", "names": ("old", "new")}


@pytest.fixture(scope="module")
def compared():
    return cw.compare(*two(200), measure="accuracy", **HOW)


def test_the_rows_have_the_numbers_of_the_record(compared):
    told = " ".join(str(compared).split())
    for value in (compared.estimate_a, compared.estimate_b):
        assert f"{value:.3f}" in told
    assert f"{compared.difference:+.3f} (new − old)" in told
    assert f"{compared.interval.low:+.3f} to {compared.interval.high:+.3f}" in told


def test_items_are_split_by_who_is_wrong(compared):
    y, a, b = two(200)
    told = " ".join(str(compared).split())
    assert f"only old wrong {((a != y) & (b == y)).sum()}, only new wrong {((a == y) & (b != y)).sum()}" in told


def test_the_error_reduction_is_the_share_of_errors_that_went(compared):
    y, a, b = two(200)
    wrong_a, wrong_b = (a != y).sum(), (b != y).sum()
    told = " ".join(str(compared).split())
    points, share = 100 * (wrong_a - wrong_b) / 200, 100 * (wrong_a - wrong_b) / wrong_a
    assert f"{abs(share):.1f} % {'fewer' if points > 0 else 'more'} ({abs(points):.2f} points)" in told


def test_a_claim_that_the_difference_speaks_against_says_so():
    y, a, b = two(200)
    told = cw.compare(y, b, a, measure="accuracy", claim="better", **HOW).verdict()
    assert "The difference points the other way" in told
    assert "the other way" not in cw.compare(y, a, b, measure="accuracy", claim="better", **HOW).verdict()


def test_a_model_without_errors_has_no_relative_reduction():
    y = np.array([0, 1] * 20)
    told = str(cw.compare(y, y, 1 - y, measure="accuracy", **HOW))
    assert "100.00 points more; old makes none" in " ".join(told.split())


def test_what_shows_nothing_says_what_more_items_would_do():
    """With a margin as many as a plan says, whose way is another: test sets are drawn from the tilted counts."""
    joint = cw.JointCounts(e1=40, e2=5, e3=6, e4=8, e5=5, e6=4, e7=3, e8=129)
    open_question = cw.compare(joint, measure="accuracy", rng=1)
    assert "With four times as many items the interval would be about half as wide" in str(open_question)
    for claim in ("not_worse", "equivalent"):
        how = {"measure": "accuracy", "claim": claim, "margin": 0.02, "rng": 1}
        told = str(cw.compare(joint, **how))
        needed = float(re.search(r"About ([\d,]+) items would show it four times in five", told)[1].replace(",", ""))
        assert needed == pytest.approx(cw.plan(joint, **how).items, rel=0.15)
    shown = cw.compare(cw.JointCounts(e1=40, e2=30, e3=1, e4=8, e5=5, e6=4, e7=3, e8=129), measure="accuracy", rng=1)
    assert "four times as many" not in str(shown)
    assert "four times as many" not in str(cw.compare([0, 1, 1], [0, 1, 0], [0, 1, 0], measure="accuracy", rng=1))


def test_the_person_who_decides_reads_three_sentences():
    """Effect, uncertainty and what would change the decision, computed here from the counts and the record."""
    joint = cw.JointCounts(e1=40, e2=30, e3=4, e4=8, e5=5, e6=4, e7=3, e8=106)
    r = cw.compare(joint, measure="accuracy", test="mcnemar", method="exact", names=("old", "new"))
    effect, uncertainty, change = r.summary().opening
    points = 100 * (30 + 3 - 4 - 4) / 200  # items that only old has wrong less those that only new has
    assert effect.startswith(f"new is better than old in accuracy by {points:.1f} points (")
    low, high = 100 * r.interval.low, 100 * r.interval.high
    assert f"Differences beyond {low:+.1f} to {high:+.1f} points are ruled out (95 % interval)" in uncertainty
    of_sets, sets = (
        int(n.replace(",", "")) for n in re.search(r"about ([\d,]+) of ([\d,]+) test sets", uncertainty).groups()
    )
    assert of_sets / sets == pytest.approx(r.p_value, rel=0.5)  # one digit of it
    assert change == f"Count on at least {low:.1f} points; the rest could be luck."
    assert r.verdict().startswith(" ".join([effect, uncertainty, change]))


def test_points_are_for_shares_and_a_loss_is_turned():
    """A cost has no points; where lower is better, the gain that is sure is the upper end of the interval."""
    y, a, b = two(400)
    lower = cw.compare(
        y, a, b, measure="dcf(cost_fn=10, cost_fp=1, prior=0.5)", test="bootstrap", n_resamples=400, rng=1
    )
    assert "points" not in lower.verdict()
    if lower.decision == "better":
        assert f"Count on at least {-lower.interval.high:.3f};" in lower.verdict()
    wrong = cw.compare(y, y, b, measure="error_rate", test="mcnemar")
    assert wrong.decision == "worse"
    assert f"Expect to lose at least {100 * wrong.interval.low:.1f} points;" in wrong.verdict()


def test_what_is_promised_does_not_contradict_a_one_sided_claim():
    """A gain beyond the end of a two-sided interval can be shown one-sided, so no larger demand is said to fail."""
    joint = cw.JointCounts(e1=40, e2=30, e3=4, e4=8, e5=5, e6=4, e7=3, e8=106)
    r = cw.compare(joint, measure="accuracy", rng=1)
    more = r.interval.low + 0.002
    assert cw.compare(joint, measure="accuracy", claim="better", margin=more, rng=1).decision == "better"
    assert "would change" not in r.verdict()
    assert f"Count on at least {100 * r.interval.low:.1f} points; the rest could be luck." in r.verdict()


def test_few_disagreements_get_a_caveat_as_the_test_sees_them():
    """Five coins cannot give p < 0.05 two-sided in a test that swaps them; the default can, and says no such thing."""
    joint = cw.JointCounts(e1=50, e2=5, e3=0, e4=0, e5=0, e6=0, e7=0, e8=50)
    asked = [({}, False), ({"test": "mcnemar"}, False)]  # mid-p counts the observed outcome half: 1/32
    asked += [({"test": "mcnemar", "method": "exact"}, True), ({"test": "permutation"}, True)]
    asked += [({"test": "mcnemar", "method": "exact", "claim": "better"}, False)]
    for how, hopeless in asked:
        r = cw.compare(joint, measure="accuracy", rng=1, **how)
        (text,) = (c.text for c in r.caveats if c.code == "few_disagreements")
        assert ("cannot reach p < 0.05" in text) == hopeless == (r.p_value > 0.05)


def test_an_interval_of_zero_width_promises_no_coverage():
    r = cw.estimate(None, [0.7] * 100, measure="mean")
    assert "of 100 test sets" not in r.verdict()
    assert "The interval has zero width" in r.verdict()
    assert [c.code for c in r.caveats] == ["no_width"]
    assert "0.7000 (95 % interval 0.7000 to 0.7000)" in r.verdict()


def test_a_borderline_result_says_so():
    counts = {"e1": 40, "e2": 9, "e3": 3, "e4": 8, "e5": 5, "e6": 2, "e7": 4, "e8": 129}
    r = cw.compare(cw.JointCounts(**counts), test="permutation", method="monte_carlo", n_resamples=999, rng=7)
    assert (r.decision, 0.0 in r.interval) == ("not shown", False)
    assert "This is borderline" in r.verdict()
    assert "ruled out" not in r.verdict()


def test_no_number_of_items_follows_from_an_undefined_measure():
    """Precision of a model that never predicts the positive class is 0/0."""
    truth, a, b = [1] * 10 + [0] * 190, [0] * 200, ([0, 0, 0, 1] * 50)
    few = {"measure": "precision", "n_resamples": 300, "rng": 1}
    for settings in ({}, {"claim": "not_worse", "margin": 0.02}, {"claim": "better"}):
        r = cw.compare(truth, a, b, **few, **settings)
        assert r.undefined_for == ("A",)
        assert "four times" not in r.verdict()
        assert "cannot be estimated, as precision is undefined (0/0) for A" in r.verdict()
    assert "but precision is undefined (0/0) here" in cw.estimate(truth, a, **few).verdict()
    with pytest.raises(cw.errors.UndefinedError, match=r"precision is undefined \(0/0\) for A in this pilot"):
        cw.plan(truth, a, b, difference=0.01, **few)


def test_no_number_of_items_follows_from_an_interval_that_ends_where_the_measure_does():
    truth, a, b = [1] * 3 + [0] * 57, [1, 0, 0] + [0] * 57, [1, 1, 0, 1] + [0] * 56
    r = cw.compare(truth, a, b, measure="precision", n_resamples=300, rng=1)
    assert r.interval.low == -1
    assert "Only more items could bound the difference." in r.verdict()


def test_lines_depend_on_the_result():
    y, a, b = two(200)
    how = {"measure": "accuracy", "rng": 1, "n_resamples": 99}
    alone = cw.compare(y, a, b, **how).summary().limits
    grouped = cw.compare(y, a, b, groups=[i // 4 for i in range(200)], **how).summary().limits
    assert "items drawn like these 200" in alone[0]
    assert "groups drawn like these 50" in grouped[0]
    open_question = comparison()
    assert open_question.decision == "not shown"
    assert any("not show that the models are equally good" in line for line in open_question.summary().limits)
    assert "learners" in folds().summary().limits[0]
    assert not any("learners" in line for line in alone)
