"""Every class against the others, and the corrections for many tests."""

import numpy as np
import pytest
from sklearn import metrics

import clearwin as cw
from clearwin.numerics.corrections import holm


def sample(seed=1, n=600, k=4):
    rng = np.random.default_rng(seed)
    y = np.array(list("abcdefgh"))[rng.integers(0, k, n)]
    noise = np.array(list("abcdefgh"))[rng.integers(0, k, (2, n))]
    a, b = np.where(rng.random(n) < 0.4, noise[0], y), np.where(rng.random(n) < 0.2, noise[1], y)
    return y, a, b


def test_the_seed_of_the_signature_gives_every_class_again():
    y, a, b = sample(k=3)
    settings = {"test": "bootstrap", "n_resamples": 200}
    for rng in (None, np.random.default_rng(4), np.random.SeedSequence(5)):
        drawn = cw.compare_by_class(y, a, b, rng=rng, **settings)
        again = cw.compare_by_class(y, a, b, rng=int(drawn.signature.seed), **settings)
        assert again.to_json() == drawn.to_json()


def test_every_class_is_its_own_comparison():
    y, a, b = sample()
    found = cw.compare_by_class(y, a, b, measure="f1", rng=1, names=("old", "new"))
    assert [c.label for c in found.classes] == list("abcd")
    for one in found.classes:
        alone = cw.compare(y, a, b, measure="f1", positive=one.label, rng=1)
        assert (one.p_value, one.difference, one.interval) == (alone.p_value, alone.difference, alone.interval)
        assert one.estimate_a == pytest.approx(metrics.f1_score(y == one.label, a == one.label))
        assert one.n == (y == one.label).sum()
    assert [c.adjusted_p for c in found.classes] == pytest.approx(holm([c.p_value for c in found.classes]))
    assert "new is better than old in" in found.verdict()
    assert "The p-values of 4 tests are corrected by Holm." in found.verdict()
    assert "class a" in str(found)
    assert found.to_dict()["classes"][0]["label"] == "a"
    by_discovery = cw.compare_by_class(
        y, a, b, measure="recall", correction="benjamini-hochberg", n_resamples=99, rng=1
    )
    assert by_discovery.correction == "benjamini-hochberg"


def test_identical_models_differ_in_no_class():
    y, a, _ = sample(2)
    found = cw.compare_by_class(y, a, a, n_resamples=99, rng=1)
    assert {c.adjusted_p for c in found.classes} == {1.0}
    assert "No clear evidence that B differs from A in any class" in found.verdict()


@pytest.mark.parametrize("sets", [50, pytest.param(150, marks=pytest.mark.study)])
def test_the_family_keeps_its_level(sets):
    """Interchangeable models, 4 classes: Holm finds anything in at most 5 % of test sets, and 3 standard errors.

    Each class is judged by the exact permutation test, which keeps its level here, so the family's is Holm's alone.
    """
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(sets):
        y, a, b = sample(int(rng.integers(1 << 30)), n=200)
        coin = rng.integers(0, 2, 200).astype(bool)
        a, b = np.where(coin, b, a), np.where(coin, a, b)
        found = cw.compare_by_class(y, a, b, test="permutation", n_resamples=1, rng=1)
        wrong += min(c.adjusted_p for c in found.classes) <= 0.05
    assert 0 < wrong / sets <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)


def test_what_cannot_be_done_is_explained():
    y, a, b = sample(4)
    with pytest.raises(cw.errors.OptionError, match="all classes together"):
        cw.compare_by_class(y, a, b, measure="macro_f1")
    with pytest.raises(cw.errors.DataError, match="one class"):
        cw.compare_by_class(["a"] * 9, ["a"] * 9, ["b"] * 9)


def test_the_command(tmp_path):
    from click.testing import CliRunner

    from clearwin.cli import main

    y, a, b = sample(5)
    path = tmp_path / "preds.csv"
    path.write_text("y,old,new\n" + "".join(f"{t},{p},{q}\n" for t, p, q in zip(y, a, b, strict=True)))
    base = ["compare", str(path), "--truth", "y", "--a", "old", "--b", "new", "--seed", "1"]
    run = CliRunner().invoke(main, [*base, "--per-class"])
    assert run.exit_code == 0
    assert "corrected by holm" in run.stdout
    as_json = CliRunner().invoke(main, [*base, "--per-class", "--json"])
    assert as_json.stdout.strip() == cw.compare_by_class(y, a, b, rng=1, names=("old", "new")).to_json()
    for words in (["--positive", "a"], ["--correction", "bonferroni"], ["--measure", "auc"]):
        wrong = CliRunner().invoke(main, [*base, "--per-class", *words])
        assert (wrong.exit_code, wrong.stdout) == (2, "")


def test_per_class_results_take_groups_labels_and_no_positive():
    data = list("xyz") * 6, list("xyy") * 6, list("xxz") * 6
    groups = [i // 3 for i in range(18)]
    for how in ({"groups": groups}, {"strata": [i // 9 for i in range(18)]}):
        found = cw.compare_by_class(*data, n_resamples=50, rng=1, **how)
        assert [c.label for c in found.classes] == ["x", "y", "z"]
        assert [c.n for c in found.classes] == [6, 6, 6]
    with pytest.raises(TypeError, match=r"compare_by_class.*positive"):
        cw.compare_by_class(*data, positive="x")
    for labels, message in (([], "empty"), (["x", "x"], "more than once"), ("q", "no class named 'q'")):
        with pytest.raises(cw.ClearwinError, match=message):
            cw.compare_by_class(*data, labels=labels)
    assert [c.label for c in cw.compare_by_class(*data, labels="x", n_resamples=50).classes] == ["x"]


def test_a_label_without_a_value_is_left_out_and_named():
    truth = [{"joy"}, {"joy", "fear"}, {"fear"}, set()] * 10
    a, b = [{"joy"}, {"joy"}, {"fear"}, {"anger"}] * 10, [{"joy"}, {"joy"}, {"fear"}, set()] * 10
    found = cw.compare_by_class(truth, a, b, n_resamples=50, rng=1)
    assert [c.label for c in found.classes] == ["fear", "joy"]
    assert any("Label anger was left out" in c.text for c in found.caveats)
