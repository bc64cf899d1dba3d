"""A plan in words: whose the difference is, and how little a small pilot knows."""

import clearwin as cw
from tests.one_of_each import plan

PILOT = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
QUICK = {"n_resamples": 500, "rng": 1}


def test_a_pilot_leaves_a_range_and_the_difference_is_not_its_own():
    found = cw.plan(PILOT, difference=0.05, **QUICK)
    low, high = found.spread.low, found.spread.high
    assert found.verdict() == (
        f"To find a difference of 0.05 in F1 four times in five takes about {found.items:,} items ({low:,} to "
        f"{high:,}, as the pilot has only 200). You chose the 0.05; it does not come from the pilot."
    )


def test_every_question_has_its_sentence():
    how = {"measure": "accuracy", "disagreement": 0.2}
    told = {
        "find": cw.plan(difference=0.05, power=0.9, **how),
        "better": cw.plan(difference=0.05, claim="better", **how),
        "power": cw.plan(difference=0.05, items=300, **how),
        "smallest": cw.plan(items=300, **how),
        "not worse": cw.plan(claim="not_worse", margin=0.02, difference=0.01, power=0.85, **how),
        "equivalent": cw.plan(claim="equivalent", margin=0.02, **how),
    }
    first = {kind: plan.summary().headline for kind, plan in told.items()}
    assert first == {
        "find": "To find a difference of 0.05 in accuracy nine times in ten takes about 837 items",
        "better": "To show that B is better than A, if it really is by 0.05 in accuracy, four times in five takes "
        "about 493 items",
        "power": "300 items find a difference of 0.05 in accuracy about 49 % of the time",
        "smallest": "The smallest difference in accuracy that 300 items find four times in five is about 0.072",
        "not worse": "To show that B is not worse than A in accuracy by 0.02 or more, if it is 0.01 better, 85 % of "
        "the time takes about 1,597 items",
        "equivalent": "To show that A and B differ in accuracy by less than 0.02, if neither is better, four times "
        "in five takes about 4,282 items",
    }
    assert told["find"].verdict().endswith("You chose the 0.05 and the rates.")
    assert "0.2  (assumed)" in str(told["find"])


def test_the_call_gives_it_again():
    found = cw.plan(measure="accuracy", disagreement=0.2, difference=0.05, rng=1)
    again = eval(found.summary().call, {"cw": cw})
    assert again.to_json() == found.to_json()


def test_a_plan_says_power_level_pilot_and_test():
    found = plan()
    told = found.verdict(style="paper")
    assert f"with a power of 80 % at the 5 % level takes about {found.items} items (studentised test, simulated" in told
    assert "eight of ten pilots of 200 items would give" in told
    # Connor 1987: 10 % disagreement, a difference of 0.03
    plain = cw.plan(measure="accuracy", difference=0.03, disagreement=0.1).verdict(style="paper")
    assert "(McNemar test, Connor 1987, assuming disagreement 0.1, clearwin" in plain
