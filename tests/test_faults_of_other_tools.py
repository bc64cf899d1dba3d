"""What breaks the tools that people use now. Each line must never happen here."""

import math
import tracemalloc

import numpy as np
import pytest

import clearwin as cw
from tests.tables import RARE


def test_equal_disagreement_gives_p_1_with_the_correction_too():
    joint = cw.JointCounts(e1=20, e2=5, e3=5, e4=0, e5=0, e6=0, e7=0, e8=20)
    assert cw.compare(joint, measure="accuracy", test="mcnemar", method="corrected").p_value == 1.0


def test_a_sampled_p_value_is_never_0():
    joint = cw.JointCounts(e1=300, e2=200, e3=0, e4=0, e5=0, e6=0, e7=200, e8=300)
    sampled = cw.compare(joint, test="permutation", method="monte_carlo", n_resamples=999, rng=1)
    assert sampled.p_value == 1 / 1000
    assert cw.compare(joint, test="bootstrap", n_resamples=999, rng=1).p_value == 2 / 1000


def test_an_exact_p_that_underflows_is_a_bound_and_keeps_its_logarithm():
    joint = cw.JointCounts(e1=300, e2=2000, e3=0, e4=0, e5=0, e6=0, e7=0, e8=300)
    for test in ("mcnemar", "permutation"):
        r = cw.compare(joint, measure="accuracy", test=test, method="exact", n_resamples=99, rng=1)
        assert r.log10_p == pytest.approx(-1999 * math.log10(2), rel=1e-12)
        assert r.p_value > 0
        assert "p < 1e-300" in r.verdict()


def test_the_bootstrap_holds_counts_and_not_index_matrices():
    # scipy.stats.bootstrap takes 2.8 GB for n = 20,000 and 2,000 replicates
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 20_000)
    a, b = (np.where(rng.random(20_000) < e, 1 - y, y) for e in (0.2, 0.19))
    cw.compare(y, a, b, test="bootstrap", n_resamples=10, rng=1)
    tracemalloc.start()
    cw.compare(y, a, b, test="bootstrap", n_resamples=10_000, rng=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6


def test_items_that_belong_together_are_not_taken_as_independent():
    """Every item five times: by group that is no more evidence than once; as independent items it would be."""
    y, a, b = [1] * 40 + [0] * 40, [1] * 30 + [0] * 50, [1] * 36 + [0] * 44
    for measure in ("f1", "accuracy", "recall"):
        once = cw.compare(y, a, b, measure=measure, test="permutation").p_value
        group = [i for i in range(80) for _ in range(5)]
        copies = [[x[i] for i in group] for x in (y, a, b)]
        swapped = cw.compare(*copies, measure=measure, groups=group, test="permutation")
        assert swapped.p_value == pytest.approx(once, rel=1e-9)
        whole, alone = (cw.compare(*copies, measure=measure, rng=1, groups=g).p_value for g in (group, None))
        assert alone < whole / 100
        assert 0.2 < whole / cw.compare(y, a, b, measure=measure, rng=1).p_value < 5
        assert cw.compare(*copies, measure=measure, test="permutation").p_value < once / 100


def test_a_resample_without_positives_is_kept_counted_and_reported():
    r = cw.compare(RARE, measure="recall", test="bootstrap", n_resamples=5_000, rng=1)
    assert r.undefined_replicates > 0
    assert np.isfinite(r.distribution.values).all()
    assert r.distribution.values.size == 5_000
    assert any(f"{r.undefined_replicates:,} of 5,000 replicates" in c.text for c in r.caveats)


def test_na_is_a_label_and_01_is_not_1(tmp_path):
    from clearwin.data.files.predictions import tally_file

    path = tmp_path / "preds.csv"
    path.write_text("y,a,b\nNA,NA,01\n1,01,1\n001,NA,null\n")
    assert tally_file(path, {"truth": "y", "a": "a", "b": "b"}).counts == {
        ("NA", "NA", "01"): 1,
        ("1", "01", "1"): 1,
        ("001", "NA", "null"): 1,
    }


def test_fewer_than_6_disagreements_are_said_before_the_verdict():
    joint = cw.JointCounts(e1=50, e2=5, e3=0, e4=0, e5=0, e6=0, e7=0, e8=50)
    r = cw.compare(joint, measure="accuracy", test="mcnemar", method="exact")
    assert r.p_value > 0.05
    assert any("this test cannot reach p < 0.05" in c.text for c in r.caveats)
    assert any(c.code == "few_disagreements" for c in cw.compare(joint, measure="accuracy", rng=1).caveats)
    enough = cw.JointCounts(e1=50, e2=6, e3=0, e4=0, e5=0, e6=0, e7=0, e8=50)
    r = cw.compare(enough, measure="accuracy", test="mcnemar", method="exact")
    assert r.p_value < 0.05
    for found in (r, cw.compare(enough, measure="accuracy", rng=1)):
        assert not any(c.code == "few_disagreements" for c in found.caveats)


def test_equal_f1_is_not_equal_accuracy():
    """Equal F1, unequal precision and recall: McNemar answers another question, and the verdict says which."""
    prevalence, f1, recalls = 0.2, 0.7, (0.9, 0.6)
    alarms = [(2 * prevalence * r / f1 - prevalence - prevalence * r) / (1 - prevalence) for r in recalls]
    shares = []
    for share, (a, b) in ((prevalence, recalls), (1 - prevalence, alarms)):
        shares += [share * a * b, share * (1 - a) * b, share * a * (1 - b), share * (1 - a) * (1 - b)]
    rng = np.random.default_rng(1)
    rejected = dict.fromkeys(("mcnemar", "permutation", "bootstrap"), 0)
    trials = 150
    for i in range(trials):
        joint = cw.JointCounts(**{f"e{k}": int(n) for k, n in enumerate(rng.multinomial(2000, shares), 1)})
        for test, measure in (("mcnemar", "accuracy"), ("permutation", "f1"), ("bootstrap", "f1")):
            r = cw.compare(joint, measure=measure, test=test, n_resamples=399, rng=i)
            rejected[test] += r.p_value <= 0.05
    assert rejected["mcnemar"] / trials > 0.99
    # 3 standard errors of a rate of 5 % over 150 trials are 5.3 points
    assert rejected["permutation"] / trials == pytest.approx(0.05, abs=0.053)
    assert rejected["bootstrap"] / trials == pytest.approx(0.05, abs=0.053)
    assert "same accuracy" in cw.compare(joint, measure="accuracy").verdict()
    assert "F1" in cw.compare(joint, measure="f1", n_resamples=99).null_hypothesis
