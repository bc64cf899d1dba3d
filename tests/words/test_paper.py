"""The sentence and the table for a paper: numbers of the record and of scipy, and what a reader needs to check them."""

import pytest
from scipy import stats

import clearwin as cw
from clearwin.significance import REGISTRY
from clearwin.words.paper import LETTERS
from clearwin.words.phrases import FORMS
from tests.one_of_each import against_chance, data_sets, folds, gate, leaderboard, per_class, plan, study
from tests.reports.pages import every_kind
from tests.two_models import two


@every_kind
def test_every_kind_has_a_sentence_a_line_and_the_software(results, kind):
    result = results[kind]
    paper, brief = result.verdict(style="paper"), result.verdict(style="brief")
    assert f"clearwin {cw.__version__}" in paper
    assert paper != f"{result.summary().verdict} (clearwin {cw.__version__}.)"  # a sentence of its own
    assert "\n" not in paper + brief
    assert brief.endswith(".")
    assert len(brief) < 250
    assert result.verdict(style="full") == result.verdict()
    with pytest.raises(cw.errors.UnknownNameError, match="There is no style named 'papr'"):
        result.verdict(style="papr")


def test_the_sentence_has_test_statistic_p_interval_and_n():
    """McNemar's χ² and p against scipy, on the table of facts that statsmodels and R print, too."""
    joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    r = cw.compare(joint, measure="accuracy", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
    chi2 = (16 - 6) ** 2 / (16 + 6)
    told = r.verdict(style="paper")
    assert told.startswith("On 161 items, rbf had a lower accuracy than svm (")
    for part in (
        "McNemar test",
        f"χ² = {chi2:.3g}",
        f"p = {stats.chi2.sf(chi2, 1):#.3g}",
        "95 % interval -0.124 to -0.005",
    ):
        assert part in told
    lower = cw.compare(joint, measure="error_rate", test="mcnemar", method="asymptotic", names=("svm", "rbf"))
    assert "rbf had a higher error rate than svm" in lower.verdict(style="paper")


def test_what_is_not_significant_is_not_called_so():
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar", confidence_level=1 - 1e-9)
    assert "did not differ significantly in accuracy" in r.verdict(style="paper")


def test_folds_have_their_degrees_of_freedom():
    a, b = [92, 90, 91, 93, 91], [90, 90, 92, 90, 89]
    t = stats.ttest_rel(b, a)
    told = cw.compare_folds(a, b, test="paired_t", design="independent").verdict(style="paper")
    assert f"t = {t.statistic:.3g} on 4 degrees of freedom, p = {t.pvalue:#.3g}" in told


def test_a_margin_is_told_in_every_style():
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar")
    for style in cw.words.STYLES:
        assert "margin of ±0.5" in r.verdict(margin=0.5, style=style)


def test_letters_are_those_of_tests_that_exist():
    known = {*cw.list_tests(), *cw.list_tests("folds"), "studentised_unpaired", "delong_unpaired"}
    assert {name.partition("/")[0] for name in LETTERS} <= known


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


def test_a_gate_names_its_weakest_claim():
    """The p-value of an intersection–union test is the largest of its parts (Berger 1982)."""
    found = gate()
    weakest = max(found.checks, key=lambda one: one.p_pass)
    told = found.verdict(style="paper")
    assert "new kept 1 of 2 preset margins against old and broke none, so the gate was undecided" in told
    assert "intersection–union of 2 studentised tests at 0.05" in told
    assert f"largest p = {weakest.p_pass:#.3g} for “{weakest.name}”, margin 0.02" in told


def test_a_plan_says_power_level_pilot_and_test():
    found = plan()
    told = found.verdict(style="paper")
    assert f"with a power of 80 % at the 5 % level takes about {found.items} items (studentised test, simulated" in told
    assert "eight of ten pilots of 200 items would give" in told
    # Connor 1987: 10 % disagreement, a difference of 0.03
    plain = cw.plan(measure="accuracy", difference=0.03, disagreement=0.1).verdict(style="paper")
    assert "(McNemar test, Connor 1987, assuming disagreement 0.1, clearwin" in plain


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


def test_classes_have_their_corrected_p_values():
    found = per_class()
    shown = [one for one in found.classes if one.decision != "not shown"]
    told = found.verdict(style="paper")
    assert f"for {len(shown)} of 3 classes" in told
    assert all(f"corrected p = {one.adjusted_p:#.3g}" in told for one in shown)


def test_a_posterior_is_not_called_a_p_value():
    told = folds(test="bayes_t", margin=0.01).verdict(style="paper")
    assert told.startswith("Over 5 folds (k-fold), the posterior probabilities in score are ")
    assert "p =" not in told


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("auto", "mid-p McNemar test, p = "),
        ("mid-p", "mid-p McNemar test, p = "),
        ("exact", "exact McNemar test, p = "),
        ("asymptotic", "asymptotic McNemar test, χ² = "),
        ("corrected", "continuity-corrected McNemar test, χ² = "),
        ("unconditional", "unconditional exact McNemar test, χ² = "),
    ],
)
def test_the_form_of_mcnemars_test_is_named(method, told):
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar", method=method)
    assert told in r.verdict(style="paper")
    assert told.partition(",")[0] in r.to_latex()


def test_every_test_of_several_forms_names_the_one_it_took():
    """Two forms of a test have p-values of their own, so they need names of their own."""
    for test in REGISTRY["items"].values():
        if len(test.methods) > 1:
            assert len({FORMS[method] for method in test.methods}) == len(test.methods), test.name


def test_draws_are_counted_where_the_p_value_is_of_them():
    assert "paired permutation test with 500 sampled permutations, p" in _permuted("monte_carlo", 500)
    assert "exact paired permutation test, p" in _permuted("exact", 500)
    r = cw.compare(*two(200), measure="f1", n_resamples=400, rng=1)
    assert "studentised test with 400 drawn test sets, t = " in r.verdict(style="paper")
    assert "exact sign-flip permutation test" in folds(test="permutation").verdict(style="paper")
    assert "corrected resampled t test, t = " in folds().verdict(style="paper")
    assert "(exact test, p = " in against_chance(method="exact").verdict(style="paper")
    assert "(χ² test, p = " in against_chance(method="chi2").verdict(style="paper")


def _permuted(method, n_resamples):
    found = cw.compare(*two(60), test="permutation", method=method, n_resamples=n_resamples, rng=1)
    return found.verdict(style="paper")


def test_a_statistic_stands_with_the_p_value_that_it_has():
    """The verdict on ranks is the permutation's; χ² on its degrees of freedom has another p-value, scipy's."""
    found = data_sets()
    told = found.verdict(style="paper")
    statistic, asymptotic = found.friedman.statistic, found.friedman.p_value
    assert stats.chi2.sf(statistic, 2) == pytest.approx(asymptotic)
    assert found.permutation.p_value != pytest.approx(asymptotic, rel=0.01)
    assert f"Friedman's χ² = {statistic:.3g}, exact permutation test, p = {found.permutation.p_value:#.3g}" in told
    assert "degrees of freedom" not in told
    assert "(exact Wilcoxon signed-rank test, Holm correction" in told
    board = cw.rank(*_answers(), measure="accuracy", n_resamples=300, rng=1)
    q, p = board.overall.statistic, board.overall.p_value
    assert stats.chi2.sf(q, board.overall.degrees) == pytest.approx(p)
    assert f"all equal: Cochran's Q = {q:.3g} on 2 degrees of freedom, p = {p:#.3g}" in board.verdict(style="paper")


def _answers():
    truth, a, b = two(200)
    return truth, {"a": a, "b": b, "third": list(reversed(a))}
