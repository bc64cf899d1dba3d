"""Claims with a margin: not worse, equivalent, better or worse by more than it; one p-value function, one interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm, ttest_1samp
from sklearn.metrics import f1_score, roc_auc_score
from statsmodels.stats.weightstats import ttost_paired

import clearwin as cw
from clearwin.analyses.compare import compare_tally
from clearwin.cli import main
from clearwin.errors import NotApplicableError, OptionError, UndefinedError

QUICK: dict[str, Any] = {"n_resamples": 1_000, "rng": 1}


def test_equivalent_means_are_two_one_sided_t_tests() -> None:
    """statsmodels has them; with 2,000 normal differences the drawn t is Student's to a point."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=2_000)
    b = a + rng.normal(0.01, 0.5, 2_000)
    for margin in (0.02, 0.03, 0.05):
        p, *_ = ttost_paired(b, a, -margin, margin)
        r = cw.compare(None, a, b, measure="mean", claim="equivalent", margin=margin, rng=1)
        assert r.p_value == pytest.approx(p, abs=0.01)
        assert r.decision == ("equivalent" if r.p_value <= 0.05 else "not shown")


def test_many_items_are_judged_by_the_shifted_normal() -> None:
    joint = cw.JointCounts(e1=9_000, e2=300, e3=280, e4=700, e5=350, e6=400, e7=400, e8=9_000)
    r = cw.compare(joint, measure="accuracy", claim="not_worse", margin=0.005, rng=1)
    n = joint.n
    wins, losses = joint.only_a_wrong, joint.only_b_wrong
    d = (wins - losses) / n
    error = np.sqrt((wins + losses) / n - d * d) / np.sqrt(n)
    assert r.p_value == pytest.approx(norm.sf((d + 0.005) / error), rel=0.1)
    assert r.interval.low == pytest.approx(d - 1.645 * error, abs=0.02 * error)


MEASURES = ["accuracy", "f1", "dcf(cost_fn=10, cost_fp=1, prior=0.1)", "auc", "mean", "groups"]
CLAIMS = ("not_worse", "equivalent", "worse", "better")


def holds(r: Any) -> bool:
    """Whether the interval lies on the right side of the margin."""
    low, high, margin = r.interval.low, r.interval.high, r.margin
    if not r.higher_is_better:
        low, high = -high, -low
    return {
        "not_worse": low > -margin,
        "equivalent": low > -margin and high < margin,
        "worse": high < -margin,
        "better": low > margin,
    }[r.claim]


def random_results(measure: str, rounds: int, seed: int, *, relative: bool = False, test: str = "auto") -> Any:
    """Yield comparisons of random models by random margins, four claims each."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        n = int(rng.integers(30, 300))
        truth = rng.random(n) < 0.4
        truth[:2] = [True, False]
        a, b = (rng.normal(size=n) + truth * rng.uniform(0.5, 2.0) for _ in "ab")
        share = float(rng.uniform(0.01, 0.2))
        name, groups = ("f1", np.arange(n) % 15) if measure == "groups" else (measure, None)
        if name not in ("auc", "mean"):
            a, b = a > 0.7, b > 0.7
        if name == "mean" and relative:
            a, b = a + 2.0, b + 2.0
        margin = f"{100 * share}%" if relative else share
        for claim in CLAIMS:
            how: dict[str, Any] = {"measure": name, "claim": claim, "margin": margin, "groups": groups, "test": test}
            yield cw.compare(None if name == "mean" else truth * 1, a * 1.0, b * 1.0, **how, n_resamples=199, rng=1)


@pytest.mark.parametrize("measure", MEASURES)
def test_p_value_and_interval_never_contradict_each_other(measure: str) -> None:
    for r in random_results(measure, 6, 5):
        assert (r.p_value <= 0.05) == holds(r)
        assert (r.decision in ("not shown", "not decided") or r.contrary is not None) == (not holds(r))


@pytest.mark.study
@pytest.mark.parametrize("measure", MEASURES)
def test_none_of_ten_thousand_results_contradicts_itself(measure: str) -> None:
    """400 models, four claims each, by six measures, and a quarter as many by relative margins: 12,000 results."""
    for relative, rounds in ((False, 400), (True, 100)):
        found = [(r.p_value <= 0.05) == holds(r) for r in random_results(measure, rounds, 50, relative=relative)]
        assert (len(found), found.count(False)) == (4 * rounds, 0)


def at_the_margin(measure: str, margin: float) -> dict[tuple[int, int, int], float]:
    """Make two models of which B is worse by just the margin: found by hand, without clearwin."""

    def outcomes(recall: float) -> dict[tuple[int, int, int], float]:
        found = {}
        for y, of_a, of_b, share in ((1, 0.8, recall, 0.3), (0, 0.1, 0.1 + 0.4 * (0.8 - recall), 0.7)):
            both = 0.6 * min(of_a, of_b) + 0.4 * of_a * of_b
            shares = {(1, 1): both, (1, 0): of_a - both, (0, 1): of_b - both, (0, 0): 1 - of_a - of_b + both}
            found |= {(y, *key): share * value for key, value in shares.items()}
        return found

    def value(found: dict[tuple[int, int, int], float], model: int) -> float:
        tp = sum(share for key, share in found.items() if key[0] == 1 == key[model])
        wrong = sum(share for key, share in found.items() if key[0] != key[model])
        return 1 - wrong if measure == "accuracy" else 2 * tp / (2 * tp + wrong)

    def gap(recall: float) -> float:
        found = outcomes(recall)
        return value(found, 2) - value(found, 1) + margin

    return outcomes(brentq(gap, 0.05, 0.8))


def shown(measure: str, n: int, sets: int, seed: int) -> float:
    population = at_the_margin(measure, 0.05)
    rng = np.random.default_rng(seed)
    found = 0
    for counts in rng.multinomial(n, list(population.values()), sets).tolist():
        tally = {key: count for key, count in zip(population, counts, strict=True) if count}
        how: dict[str, Any] = {"measure": measure, "positive": 1, "claim": "not_worse", "margin": 0.05}
        found += compare_tally(tally, **how, n_resamples=600, rng=1).p_value <= 0.05
    return found / sets


@pytest.mark.parametrize(("sets", "most"), [(50, 0.142), pytest.param(150, 0.103, marks=pytest.mark.study)])
@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_what_lies_on_the_margin_is_seldom_shown_to_be_better_than_it(measure: str, sets: int, most: float) -> None:
    """Test sets of 100 items: 5 % and three binomial standard errors are 14.2 % of 50 and 10.3 % of 150."""
    assert shown(measure, 100, sets, 3) <= most


@pytest.mark.study
@pytest.mark.parametrize("measure", ["accuracy", "f1"])
@pytest.mark.parametrize("n", [50, 200, 1_000, 5_000])
def test_the_level_at_the_margin(measure: str, n: int) -> None:
    """1,000 test sets: 6 % and three binomial standard errors are 8.2 %."""
    assert shown(measure, n, 1_000, n) <= 0.082


def test_a_claim_says_what_it_needs() -> None:
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    with pytest.raises(OptionError, match="There is no margin"):
        cw.compare(joint, claim="not_worse")
    with pytest.raises(OptionError, match="the claim is that the models are different"):
        cw.compare(joint, margin=0.01)
    for margin in (0, -0.1, "x", True, float("inf")):
        with pytest.raises(OptionError, match="margin is"):
            cw.compare(joint, claim="equivalent", margin=margin)
    with pytest.raises(NotApplicableError, match="tests for any difference at all") as refused:
        cw.compare(joint, measure="accuracy", claim="not_worse", margin=0.01, test="mcnemar")
    assert "paired_proportion" in str(refused.value)
    with pytest.raises(NotApplicableError, match="the margin is a share of A's value"):
        cw.compare(joint, measure="accuracy", claim="not_worse", margin="5%", test="paired_proportion")


def test_the_words_are_from_a_closed_list() -> None:
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    told = {
        (claim, margin): cw.compare(joint, measure="accuracy", claim=claim, margin=margin, rng=1).verdict()
        for claim in ("not_worse", "equivalent", "worse")
        for margin in (0.05, 0.005)
    }
    assert told["not_worse", 0.05].startswith("B is not worse than A in accuracy by 0.05 or more (")
    assert told["not_worse", 0.005].startswith(
        "It remains undecided whether B is worse than A in accuracy by 0.005 or "
    )
    assert told["equivalent", 0.05].startswith("B and A are equivalent in accuracy, as they differ by less than 0.05 (")
    assert told["worse", 0.05].startswith(
        "It remains undecided whether B is worse than A in accuracy by more than 0.05"
    )
    assert "null hypothesis is that B is worse than A in accuracy by 0.05 or more" in told["not_worse", 0.05]
    better = cw.compare(
        [1] * 60 + [0] * 60, [0] * 120, [1] * 60 + [0] * 60, measure="accuracy", claim="not_worse", margin=0.01, **QUICK
    )
    assert better.decision == "better"
    assert "B is better than A in accuracy, and so not worse by 0.01 or more" in better.verdict()


def test_the_command_claims_with_a_margin(tmp_path: Any) -> None:
    path = tmp_path / "p.csv"
    rows = ["y,old,new"] + ["1,1,1"] * 90 + ["1,1,0"] + ["1,0,1"] * 2 + ["0,0,0"] * 100 + ["0,1,0", "0,0,1"]
    path.write_text("\n".join(rows) + "\n")
    words = ["compare", str(path), "--truth", "y", "--a", "old", "--b", "new", "--measure", "accuracy", "--seed", "1"]
    found = CliRunner().invoke(main, [*words, "--claim", "not_worse", "--margin", "0.05", "--n-resamples", "500"])
    assert found.output.startswith(
        "new is not worse than old in accuracy by 0.05 or more (0.990 against 0.985, p ≤ "
    ), found.output
    found = CliRunner().invoke(main, [*words, "--claim", "not_worse"])
    assert "There is no margin" in found.output
    assert found.exit_code == 2


def test_a_relative_margin_of_a_mean_is_a_t_test_of_the_contrast() -> None:
    """B at least 95 % of A: scipy's t test of b − 0.95·a on each item."""
    rng = np.random.default_rng(2)
    a = rng.normal(3.0, 1.0, 2_000)
    b = 0.96 * a + rng.normal(0.0, 0.6, 2_000)
    r = cw.compare(None, a, b, measure="mean", claim="not_worse", margin="5%", rng=1)
    assert r.p_value == pytest.approx(ttest_1samp(b - 0.95 * a, 0.0, alternative="greater").pvalue, rel=0.15)
    assert r.difference == pytest.approx(b.mean() / a.mean() - 1.0)
    assert (r.relative, r.margin) == (True, 0.05)
    # Fieller's bound: the ratio at which the t test is at its level
    at = brentq(lambda w: ttest_1samp(b - w * a, 0.0, alternative="greater").pvalue - 0.05, 0.8, 0.96)
    assert r.interval.low == pytest.approx(at - 1.0, abs=0.0005)


@pytest.mark.parametrize("measure", ["accuracy", "f1", "auc", "dcf(cost_fn=10, cost_fp=1, prior=0.1)"])
def test_a_relative_margin_takes_account_of_a_s_own_error(measure: str) -> None:
    """t of b − w·a, its standard error by leaving out one item after the other."""
    rng = np.random.default_rng(3)
    n = 300
    truth = rng.random(n) < 0.4
    a, b = (rng.normal(size=n) + 1.3 * truth for _ in "ab")
    if measure != "auc":
        a, b = (a > 0.6) * 1.0, (b > 0.6) * 1.0
    how: dict[str, Any] = {"measure": measure, "claim": "not_worse", "margin": "8%", "rng": 1}
    r = cw.compare(truth * 1, a, b, method="student", **how)
    weight = 1.0 - 0.08 if r.higher_is_better else 1.0 + 0.08

    def contrast(kept: Any) -> float:
        def value(x: Any) -> float:
            if measure == "auc":
                return float(roc_auc_score(truth[kept], x[kept]))
            if measure == "accuracy":
                return float((truth[kept] == x[kept]).mean())
            if measure == "f1":
                return float(f1_score(truth[kept], x[kept]))
            missed, alarmed = 1.0 - x[kept][truth[kept]].mean(), x[kept][~truth[kept]].mean()
            return float(10 * 0.1 * missed + 0.9 * alarmed)

        return value(b) - weight * value(a)

    left_out = np.array([contrast(np.arange(n) != i) for i in range(n)])
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    t = contrast(np.ones(n, dtype=bool)) / error
    assert abs(r.statistic) == pytest.approx(abs(t), rel=0.02)
    assert r.p_value == pytest.approx(norm.sf(t if r.higher_is_better else -t), abs=0.01)


@pytest.mark.parametrize("measure", MEASURES)
def test_relative_margins_and_their_intervals_never_contradict_each_other(measure: str) -> None:
    for r in random_results(measure, 2, 6, relative=True):
        assert r.relative
        assert (r.p_value <= 0.05) == holds(r)


@pytest.mark.parametrize("groups", [None, np.arange(120) % 15])
def test_equal_values_have_an_interval_of_their_ratio(groups: Any) -> None:
    a = np.random.default_rng(6).normal(3.0, 1.0, 120)
    for margin, shown in (("20%", True), ("0.01%", False)):
        r = cw.compare(None, a, a, measure="mean", claim="equivalent", margin=margin, groups=groups, **QUICK)
        assert (r.p_value <= 0.05) == holds(r) == shown
        assert r.interval.low < 0.0 < r.interval.high


def test_a_relative_margin_where_half_of_b_is_right() -> None:
    """Then B's value by itself, at a ratio of 0, has no end of degrees of freedom."""
    r = cw.compare([1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0], measure="accuracy", claim="not_worse", margin="5%", rng=1)
    assert -1.0 < r.interval.low < 0.5 / 0.75 - 1 < 0.0
    assert 0.5 < r.p_value < 1.0


def test_a_relative_margin_needs_a_value_and_a_claim() -> None:
    with pytest.raises(UndefinedError, match="in per cent of it is undefined"):
        cw.compare(None, [-1.0, -2.0, -3.0], [1.0, 2.0, 4.0], measure="mean", claim="not_worse", margin="5%")
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    for margin in ("5", "x%", "-5%", "0%", "100%"):
        with pytest.raises(OptionError, match="per cent of A's value"):
            cw.compare(joint, claim="not_worse", margin=margin)
    with pytest.raises(OptionError, match="which a plan does not know"):
        cw.plan(joint, claim="not_worse", margin="5%")
    r = cw.compare(joint, claim="not_worse", margin="5%", **QUICK)
    with pytest.raises(OptionError, match="as the margin of the claim was"):
        r.verdict(margin=0.01)
    with pytest.raises(OptionError, match="no claim is made about it"):
        cw.compare(joint, **QUICK).verdict(margin="5%")  # type: ignore[arg-type]


def test_a_relative_margin_in_words_and_on_the_command(tmp_path: Any) -> None:
    joint = cw.JointCounts(e1=90, e2=1, e3=2, e4=7, e5=0, e6=1, e7=1, e8=98)
    r = cw.compare(joint, measure="accuracy", claim="not_worse", margin="5%", **QUICK)
    assert r.verdict().startswith("B is not worse than A in accuracy by 5 % (relative) or more (0.950 against 0.955, ")
    assert "% of A's value" in r.verdict()
    assert f"{100 * (r.estimate_b / r.estimate_a - 1):+.1f} %  (B/A − 1)" in str(r.summary())
    assert "'5%'" in r.summary().call or '"5%"' in r.summary().call
    path = tmp_path / "p.csv"
    rows = ["y,old,new"] + ["1,1,1"] * 90 + ["1,1,0"] + ["1,0,1"] * 2 + ["0,0,0"] * 100 + ["0,1,0", "0,0,1"]
    path.write_text("\n".join(rows) + "\n")
    words = [str(path), "--truth", "y", "--a", "old", "--b", "new", "--measure", "accuracy", "--seed", "1"]
    words += ["--margin", "5%", "--n-resamples", "500"]
    found = CliRunner().invoke(main, ["compare", *words, "--claim", "not_worse"])
    assert found.output.startswith("new is not worse than old in accuracy by 5 % (relative) or more (0."), found.output
    found = CliRunner().invoke(main, ["gate", *words])
    assert found.exit_code == 0, found.output
    assert "5 %" in found.output
    config = tmp_path / "gate.toml"
    config.write_text('truth = "y"\na = "old"\nb = "new"\nchecks = [{measure = "f1", margin = "5%"}]\n')
    found = CliRunner().invoke(main, ["gate", str(path), "--config", str(config), "--n-resamples", "500"])
    assert found.exit_code == 0, found.output
    assert "no claim is made" in CliRunner().invoke(main, ["compare", *words]).output


def test_tango_s_score_test_judges_a_margin_of_accuracy() -> None:
    """z(δ) = (wins − losses − nδ)/√(n(2q + δ(1 − δ))), q by maximum likelihood with scipy; fixed tables."""
    for wins, losses, n, margin in ((12, 5, 100, 0.05), (0, 1, 44, 0.1), (3, 9, 60, 0.2), (0, 0, 30, 0.1)):

        def against(q: float, wins: int = wins, losses: int = losses, n: int = n, margin: float = margin) -> float:
            rest = 1.0 - (2.0 * q - margin)  # of probabilities q of a loss and q − margin of a win
            return -(losses * np.log(q) + wins * np.log(q - margin) + (n - wins - losses) * np.log(rest))

        ends = (margin + 1e-12, (1.0 + margin) / 2.0 - 1e-12)
        q = minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
        z = (wins - losses + n * margin) / np.sqrt(n * (2.0 * q - margin - margin**2))
        how: dict[str, Any] = {"measure": "accuracy", "test": "paired_proportion", "claim": "not_worse"}
        joint = cw.JointCounts(e1=n - wins - losses, e2=wins, e3=losses, e4=0, e5=0, e6=0, e7=0, e8=0)
        assert (joint.only_a_wrong, joint.only_b_wrong) == (wins, losses)
        r = cw.compare(joint, margin=margin, **how)
        assert r.statistic == pytest.approx(z, abs=1e-4)
        assert r.p_value == pytest.approx(norm.sf(z), rel=1e-3)
        assert r.interval.method == "tango"


def test_tango_s_interval_as_published() -> None:
    """Fagerland, Lydersen and Laake 2014 (Statistics in Medicine 33), airway hyper-responsiveness of Bentur 2009."""
    joint = cw.JointCounts(e1=1, e2=7, e3=1, e4=12, e5=0, e6=0, e7=0, e8=0)
    how: dict[str, Any] = {"measure": "accuracy", "test": "paired_proportion", "interval": "tango"}
    two_sided = cw.compare(joint, **how).interval
    assert (round(two_sided.low, 3), round(two_sided.high, 3)) == (0.026, 0.517)
    # the same end by margins: 2.5 % on one side
    for margin, shown in ((0.025, True), (0.027, False)):
        r = cw.compare(joint, claim="better", margin=margin, confidence_level=0.975, **how)
        assert (r.p_value <= 0.025) is shown
        assert r.interval.low == pytest.approx(two_sided.low, abs=1e-9)


def test_delong_is_shifted_to_the_margin() -> None:
    rng = np.random.default_rng(4)
    truth = rng.random(200) < 0.4
    a, b = (rng.normal(size=200) + truth for _ in "ab")
    for groups in (None, np.arange(200) // 5):
        how: dict[str, Any] = {"measure": "auc", "test": "delong", "groups": groups}
        plain = cw.compare(truth * 1, a, b, **how)
        r = cw.compare(truth * 1, a, b, claim="not_worse", margin=0.05, **how)
        error = plain.difference / plain.statistic
        assert r.statistic == pytest.approx((plain.difference + 0.05) / error)
        if groups is None:
            assert r.p_value == pytest.approx(norm.sf(r.statistic))
            assert r.interval.low == pytest.approx(plain.difference - norm.isf(0.05) * error)
        assert (r.p_value <= 0.05) == (r.interval.low > -0.05)
    with pytest.raises(NotApplicableError, match="its distance from the margin cannot be judged"):
        cw.compare(truth * 1, a, a, measure="auc", test="delong", claim="not_worse", margin=0.05)


@pytest.mark.parametrize("measure", ["accuracy", "recall", "dcf(cost_fn=10, cost_fp=1, prior=0.1)"])
def test_paired_proportions_and_their_intervals_never_contradict_each_other(measure: str) -> None:
    for r in random_results(measure, 10, 8, test="paired_proportion"):
        assert (r.p_value <= 0.05) == holds(r)


@pytest.mark.parametrize("groups", [None, np.arange(60)])
def test_one_sided_ends_are_mirrored_if_the_models_are_swapped(groups):
    """Groups of one item each are as good as items, where they are not few and look normal."""
    rng = np.random.default_rng(12)
    a, b = rng.normal(size=(2, 60))
    asked = {"measure": "mean", "n_resamples": 200, "rng": 1, "groups": groups}
    for worse, better in (((a, b), (b, a)), ((b, a), (a, b))):
        upper = cw.compare(None, *worse, claim="worse", **asked).interval.high
        assert upper == pytest.approx(-cw.compare(None, *better, claim="better", **asked).interval.low, abs=1e-9)
        # Student's t, one-sided: what is added for skewness is small
        d = worse[1] - worse[0]
        assert upper == pytest.approx(d.mean() + stats.t.isf(0.05, 59) * stats.sem(d), abs=0.2 * stats.sem(d))


@pytest.mark.parametrize(("claim", "margin"), [("not_worse", 0.08), ("equivalent", 0.15)])
def test_a_p_value_at_the_level_itself_shows_the_claim(claim: str, margin: float) -> None:
    """Of 999 draws p is a whole number of thousandths, and so can the level be."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    a, b = (np.where(rng.random(80) < 0.2, 1 - y, y) for _ in "ab")
    asked: dict[str, Any] = {"measure": "f1", "claim": claim, "margin": margin, "n_resamples": 999, "rng": 1}
    p = cw.compare(y, a, b, **asked).p_value
    found = cw.compare(y, a, b, **asked, confidence_level=1.0 - p)
    assert 0.001 < found.p_value == p < 0.2
    assert f"differ by less than {margin}" in found.verdict() or f"by {margin} or more" in found.verdict()
    assert -margin < found.interval.low
    assert found.interval.high < (margin if claim == "equivalent" else 2.0)


@pytest.mark.parametrize("measure", ["accuracy", "f1", "error_rate", "auc", "mean"])
def test_a_claim_that_is_wrong_is_shown_to_be_wrong(measure):
    """B is 15 points worse: no margin of 2 points holds, and more items would not change that."""
    draws = np.random.RandomState(2)
    truth = draws.randint(0, 2, 400)
    a, b = (np.where(draws.uniform(size=400) < share, truth, 1 - truth) for share in (0.92, 0.77))
    if measure in ("auc", "mean"):
        a, b = truth + draws.normal(size=400) * 0.5, truth - 0.3 * (measure == "mean") + draws.normal(size=400) * 1.5
    given = None if measure == "mean" else truth
    how = {"measure": measure, "margin": 0.02, "rng": 1, "n_resamples": 999}
    r = cw.compare(given, a, b, claim="not_worse", **how)
    worse = cw.compare(given, a, b, claim="worse", **how)
    assert (r.decision, r.contrary.claim) == ("worse", "worse")
    assert (r.contrary.p_value, worse.decision) == (worse.p_value, "worse")
    sign = 1 if r.higher_is_better else -1
    assert sign * r.contrary.bound <= -0.02
    assert r.contrary.bound == pytest.approx(worse.interval.high if sign > 0 else worse.interval.low)
    assert r.verdict().startswith("B is worse than A")
    assert "by more than 0.02" in r.verdict()
    assert "would show it" not in r.verdict()
    assert cw.gate(given, a, b, **how).outcome == "fail"
    for first, second, word in ((a, b, "worse"), (b, a, "better")):
        differ = cw.compare(given, first, second, claim="equivalent", **how)
        assert (differ.decision, differ.contrary.level) == (word, 0.975)
        assert differ.contrary.p_value == pytest.approx(min(1.0, 2 * worse.p_value), rel=0.5)
        assert f"is {word} than" in differ.verdict()


def test_a_claim_that_is_neither_shown_nor_wrong_stays_undecided():
    r = cw.compare(
        [1, 0] * 50,
        [1, 0] * 48 + [0, 1] * 2,
        [1, 0] * 49 + [0, 1],
        measure="accuracy",
        claim="not_worse",
        margin=0.001,
        rng=1,
        n_resamples=999,
    )
    assert (r.decision, r.contrary) == ("not shown", None)
    assert "remains undecided" in r.verdict()
