"""Every measure against an implementation that nobody here wrote, and the contracts that all must keep."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

import clearwin as cw
from clearwin.counts import ClassCounts, ConfusionMatrix
from clearwin.measures import find

DCF = "dcf(cost_fn=10, cost_fp=1, prior=0.01)"
EVERY = [
    *(m.name for m in cw.list_measures().values() if m.takes == "decisions"),
    "f_beta(beta=0.5)",
    "f_beta(beta=2)",
    DCF,
]


def error_rates(y, p):
    tn, fp, fn, tp = metrics.confusion_matrix(y, p, labels=[0, 1]).ravel()
    return fn / (fn + tp), fp / (fp + tn)


# scikit-learn's functions, or its confusion matrix where it has no function of its own
ORACLE = {
    "accuracy": metrics.accuracy_score,
    "error_rate": metrics.zero_one_loss,
    "recall": metrics.recall_score,
    "specificity": lambda y, p: metrics.recall_score(y, p, pos_label=0),
    "precision": metrics.precision_score,
    "false_acceptance_rate": lambda y, p: error_rates(y, p)[1],
    "false_rejection_rate": lambda y, p: error_rates(y, p)[0],
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f1": metrics.f1_score,
    "f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1.0),
    "f_beta(beta=0.5)": lambda y, p: metrics.fbeta_score(y, p, beta=0.5),
    "f_beta(beta=2)": lambda y, p: metrics.fbeta_score(y, p, beta=2.0),
    "jaccard": metrics.jaccard_score,
    "dcf": lambda y, p: sum(error_rates(y, p)) / 2,
    DCF: lambda y, p: 10 * 0.01 * error_rates(y, p)[0] + 0.99 * error_rates(y, p)[1],
    "hter": lambda y, p: sum(error_rates(y, p)) / 2,
    "macro_precision": lambda y, p: metrics.precision_score(y, p, average="macro", zero_division=0),
    "macro_f1": lambda y, p: metrics.f1_score(y, p, average="macro"),
    "macro_f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1, average="macro"),
    "weighted_precision": lambda y, p: metrics.precision_score(y, p, average="weighted", zero_division=0),
    "weighted_f1": lambda y, p: metrics.f1_score(y, p, average="weighted"),
    "weighted_f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1, average="weighted"),
    "subset_accuracy": metrics.accuracy_score,
    "macro_recall": lambda y, p: metrics.recall_score(y, p, average="macro", zero_division=0),
    "micro_precision": lambda y, p: metrics.precision_score(y, p, average="micro"),
    "micro_recall": lambda y, p: metrics.recall_score(y, p, average="micro"),
    "micro_f1": lambda y, p: metrics.f1_score(y, p, average="micro"),
    "micro_f_beta": lambda y, p: metrics.fbeta_score(y, p, beta=1, average="micro"),
    "f1_of_macro": lambda y, p: stats.hmean(
        [f(y, p, average="macro", zero_division=0) for f in (metrics.precision_score, metrics.recall_score)]
    ),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
}


def random_matrices(seed, n, high=50):
    tp, fn, fp, tn = np.random.default_rng(seed).integers(1, high, size=(4, n))
    return ConfusionMatrix.of_two_classes(tp=tp, fn=fn, fp=fp, tn=tn)


def test_every_measure_has_an_oracle():
    assert set(EVERY) == set(ORACLE)


def value_of(name, truth, answers):
    """Return the measure's value as estimate gives it, with the interval that is made most quickly."""
    return cw.estimate(truth, answers, measure=name, interval="percentile", n_resamples=1).estimate


@pytest.mark.parametrize("name", EVERY)
def test_equals_scikit_learn(name):
    rng = np.random.default_rng(1)
    for prevalence in (0.5, 0.1, 0.02):
        y = (rng.random(300) < prevalence).astype(int)
        y[:2] = 0, 1
        p = np.where(rng.random(300) < 0.2, 1 - y, y)
        assert value_of(name, y, p) == pytest.approx(ORACLE[name](y, p), rel=1e-13)


@pytest.mark.parametrize("name", EVERY)
def test_arrays_equal_scalars_and_stay_in_range(name):
    measure = find(name)
    many = random_matrices(2, 200)
    values = measure.evaluate(many).values
    low, high = measure.bounds
    assert ((values >= low - 1e-15) & (values <= high + 1e-15)).all()
    for i in range(0, 200, 17):
        assert measure.evaluate(ConfusionMatrix(many.cells[:, :, i])).values == values[i]


@pytest.mark.parametrize("name", EVERY)
def test_perfect_is_best_and_always_wrong_is_worst(name):
    measure = find(name)
    perfect = ConfusionMatrix.of_two_classes(tp=7, fn=0, fp=0, tn=13)
    hopeless = ConfusionMatrix.of_two_classes(tp=0, fn=10, fp=10, tn=0)
    low, high = measure.bounds
    best, worst = (high, low) if measure.higher_is_better else (low, high)
    assert measure.evaluate(perfect).values == pytest.approx(best)
    assert measure.evaluate(hopeless).values == pytest.approx(worst)


@pytest.mark.parametrize("name", EVERY)
def test_every_item_twice_changes_nothing(name):
    once = random_matrices(3, 50)
    measure = find(name)
    np.testing.assert_allclose(measure.evaluate(ConfusionMatrix(2 * once.cells)).values, measure.evaluate(once).values)


@pytest.mark.parametrize("name", EVERY)
def test_needs_positive_is_told_truly(name):
    measure = find(name)
    matrices = random_matrices(4, 50)
    flipped = ConfusionMatrix(matrices.cells[::-1, ::-1])
    same = np.allclose(measure.evaluate(matrices).values, measure.evaluate(flipped).values)
    if not measure.needs_positive:
        assert same
    elif name != "dcf":  # with equal costs and prior 1/2 it is HTER
        assert not same


@pytest.mark.parametrize("name", EVERY)
def test_decomposition_is_told_truly(name):
    """A sum over items or classes is linear in the error rates, with exactly the declared weights; others are not."""
    measure = find(name)
    c = random_matrices(5, 300)
    rates = [c.fp / (c.fp + c.tn), c.fn / (c.fn + c.tp)]
    values = measure.sign * measure.evaluate(c).values
    if measure.decomposition == "classes":
        losses = sum(w * r for w, r in zip(measure.weights(2), rates, strict=True))
        np.testing.assert_allclose(values + losses, (values + losses)[0], rtol=1e-12, atol=1e-13)
    elif measure.decomposition == "items":
        np.testing.assert_allclose(values + (c.fp + c.fn) / c.n, (values + (c.fp + c.fn) / c.n)[0], rtol=1e-12)
    else:
        design = np.column_stack([np.ones(300), *rates, (c.fp + c.fn) / c.n])
        fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
        assert np.abs(fitted - values).max() > 1e-3


@pytest.mark.parametrize("name", EVERY)
def test_undefined_is_counted_and_valued_by_the_convention(name):
    measure = find(name)
    empty_classes = [(0, 0, 0, 9), (0, 0, 9, 0), (9, 0, 0, 0), (0, 9, 0, 0), (0, 9, 0, 9), (0, 0, 4, 5), (4, 5, 0, 0)]
    seen = False
    for tp, fn, fp, tn in empty_classes:
        tables = [ConfusionMatrix.of_two_classes(tp=tp, fn=fn, fp=fp, tn=tn)]
        if measure.of_label_sets:  # one label that not every item has
            one = (np.array([x]) for x in (tp + fn, tp + fp, tp))
            tables.append(ClassCounts(*one, n=np.array(tp + fn + fp + tn)))
        for i, c in enumerate(tables):
            found = measure.evaluate(c)
            assert math.isfinite(found.values)
            if found.undefined:
                seen = True
                assert i or measure(zero_division=0.25).evaluate(c).values != found.values
    assert seen == (measure.undefined_when != "never")


@pytest.mark.parametrize("name", list(cw.list_measures()))
def test_every_measure_is_fully_declared(name):
    measure = cw.list_measures()[name]
    for text in (measure.label, measure.formula, measure.source, measure.undefined_when, measure.function.__doc__):
        assert text
        assert text.strip()
    assert str(measure) == name
    assert find(name.upper()).name == name


def test_the_kind_of_data_is_told_truly():
    for measure in cw.list_measures().values():
        assert measure.kind.over == "items"
        assert measure.needs_truth == (measure.takes != "values")
        assert measure.needs_scores == bool(measure.scan or measure.takes == "losses")
        assert measure.kind.decisions == (measure.takes == "decisions")
        assert measure.kind.predicted or measure.takes in ("values", "sums")


def test_zero_division_agrees_with_scikit_learn():
    y, p = [0, 0, 1, 1], [0, 0, 0, 0]
    for value in (0, 1):
        ours = cw.estimate(y, p, measure=f"precision(zero_division={value})")
        assert ours.estimate == metrics.precision_score(y, p, zero_division=value)
        assert any(c.code == "undefined_estimate" for c in ours.caveats)


def test_mcc_and_kappa_survive_a_billion_items():
    c = ConfusionMatrix.of_two_classes(tp=10**9, fn=10**8, fp=2 * 10**8, tn=3 * 10**9)
    tp, fn, fp, tn = 10**9, 10**8, 2 * 10**8, 3 * 10**9
    square = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)  # Python integers do not overflow
    assert find("mcc").evaluate(c).values == pytest.approx((tp * tn - fp * fn) / math.sqrt(square), rel=1e-14)
    n = tp + fn + fp + tn
    expected = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n**2
    assert find("kappa").evaluate(c).values == pytest.approx(((tp + tn) / n - expected) / (1 - expected), rel=1e-12)


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("f_one", "no measure named 'f_one'"),
        ("acuracy", "'accuracy'"),
        ("dcf(cost_fn=-1)", "cost_fn is -1"),
        ("dcf(prior=1.5)", "prior is 1.5"),
        ("dcf(cost=3)", "no option of dcf named 'cost'"),
        ("f_beta(beta=0)", "beta is 0"),
        ("f_beta(2)", "cannot be read"),
        ("f_beta(beta=", "cannot be read"),
        ("f_beta(beta=x)", "cannot be read"),
        ("f1(beta=1)", "no option of f1"),
        ("f1(zero_division='nan')", "finite number"),
        ("__import__('os').system('true')", "cannot be read"),
        ("f_beta(beta=1e999)", "finite number"),
        ("", "no measure named ''"),
    ],
)
def test_misspelled_measures_are_explained(spelled, message):
    with pytest.raises(cw.errors.OptionError) as raised:
        find(spelled)
    assert message in str(raised.value)


def test_aliases_and_calls_make_the_same_measure():
    assert find("sensitivity").name == "recall"
    assert find("FAR").name == "false_acceptance_rate"
    assert str(cw.list_measures()["dcf"](cost_fn=10, cost_fp=1, prior=0.01)) == DCF
    assert find(DCF).settings == {"cost_fn": 10, "cost_fp": 1, "prior": 0.01, "zero_division": 0.0}


def test_any_callable_is_a_measure():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 120)
    a, b = (np.where(rng.random(120) < e, 1 - y, y) for e in (0.3, 0.2))
    ours = {t: cw.compare(y, a, b, measure="f1", test=t, n_resamples=300, rng=1) for t in ("auto", "permutation")}
    for custom in (lambda c: 2 * c.tp / (2 * c.tp + c.fn + c.fp), lambda t, p: metrics.f1_score(t, p)):
        for test, built_in in ours.items():
            theirs = cw.compare(y, a, b, measure=custom, test=test, n_resamples=300, rng=1)
            expected = built_in if theirs.test == built_in.test else ours["permutation"]
            assert theirs.test == expected.test
            assert theirs.difference == pytest.approx(expected.difference, rel=1e-14)
            assert theirs.p_value == pytest.approx(expected.p_value, rel=1e-9)
    with pytest.raises(cw.errors.NotApplicableError):
        cw.compare(y, a, b, measure=lambda c: c.tp / c.n, test="mcnemar")
    with pytest.raises(cw.errors.OptionError, match="one number for each"):
        cw.compare(y, a, b, measure=lambda c: 0.5)
    loss = cw.custom_measure(lambda c: (c.fp + c.fn) / c.n, name="errors", higher_is_better=False, range=(0, 1))
    assert cw.compare(y, a, b, measure=loss, rng=1).verdict().startswith("B is")


def test_a_custom_nan_is_counted_not_silent():
    for test in ("permutation", "auto"):
        r = cw.compare(
            *([1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 1]),
            measure=lambda c: c.tp / (c.tp + c.fp),
            test=test,
            rng=1,
        )
        assert r.undefined_replicates > 0
        assert any(c.code == "undefined_replicates" for c in r.caveats)


MANY = [m.name for m in cw.list_measures().values() if m.any_number_of_classes and m.takes == "decisions"]


@pytest.mark.parametrize("name", [*MANY, "macro_f_beta(beta=2)", "weighted_f_beta(beta=0.5)"])
def test_many_classes_equal_scikit_learn(name):
    """Odd shapes included: a class that is never predicted, a label that only one model ever says."""
    rng = np.random.default_rng(9)
    oracle = {
        **ORACLE,
        "balanced_accuracy": lambda y, p: metrics.recall_score(y, p, average="macro", zero_division=0),
        "macro_f_beta(beta=2)": lambda y, p: metrics.fbeta_score(y, p, beta=2, average="macro"),
        "weighted_f_beta(beta=0.5)": lambda y, p: metrics.fbeta_score(y, p, beta=0.5, average="weighted"),
    }[name]
    for trial in range(25):
        k = 3 + trial % 4
        y = np.r_[np.arange(k), rng.integers(0, k, 80)]
        p = np.where(rng.random(y.size) < 0.4, rng.integers(0, k - trial % 2, y.size), y)
        assert value_of(name, y, p) == pytest.approx(oracle(y, p), rel=1e-10)


def test_a_label_that_only_a_model_says_counts_by_the_convention():
    y = ["a", "b", "c"] * 20
    a, b = list(y), list(y)
    a[:5], b[:9] = ["never true"] * 5, ["a"] * 9
    r = cw.compare(y, a, b, measure="macro_f1", rng=1, n_resamples=99)
    labels = ["a", "b", "c", "never true"]
    for value, p in ((r.estimate_a, a), (r.estimate_b, b)):
        assert value == pytest.approx(metrics.f1_score(y, p, labels=labels, average="macro", zero_division=0))
    assert any(c.code == "undefined_estimate" for c in r.caveats)  # B never says it: 0/0 there


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_a_custom_infinity_is_undefined_and_not_the_largest_float(test):
    likelihood_ratio = cw.custom_measure(lambda c: (c.tp / (c.tp + c.fn)) / (c.fp / (c.fp + c.tn)), name="LR+")
    joint = cw.JointCounts(e1=30, e2=20, e3=2, e4=8, e5=0, e6=1, e7=12, e8=132)
    r = cw.compare(joint, measure=likelihood_ratio, test=test, n_resamples=500, rng=1)
    assert abs(r.interval.high) < 1e6
    assert r.undefined_replicates > 0


def test_ties_of_mcc_and_kappa_survive_many_classes_and_items():
    """Almost everything goes to one class and 6 of 9 million items disagree; 60 digits say p = .09375."""
    outcomes = {(y, 0, 0): 10**6 for y in range(9)}
    outcomes |= {(6, 0, 6): 1, (6, 6, 0): 1, (7, 7, 0): 1, (3, 3, 0): 1, (5, 5, 0): 1, (4, 4, 0): 1}
    joint = cw.JointCounts.of_outcomes(tuple(range(9)), outcomes)
    for name in ("mcc", "kappa"):
        r = cw.compare(joint, measure=name, test="permutation", method="exact", n_resamples=1, rng=1)
        by_hand = exact_p_in_decimals(outcomes, name)
        assert r.p_value == pytest.approx(by_hand, rel=1e-12)
    assert by_hand == pytest.approx(0.09375)


def exact_p_in_decimals(outcomes, name):
    """Every swap of the 6 disagreements, in 60 digits."""
    import itertools
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        fixed = {key: n for key, n in outcomes.items() if key[1] == key[2]}
        loose = [key for key in outcomes if key[1] != key[2]]

        def value(pairs):
            n = sum(pairs.values())
            right = sum(c for (y, p), c in pairs.items() if y == p)
            t = [sum(c for (y, _), c in pairs.items() if y == k) for k in range(9)]
            p = [sum(c for (_, q), c in pairs.items() if q == k) for k in range(9)]
            both = sum(x * z for x, z in zip(t, p, strict=True))
            if name == "kappa":
                return Decimal(n * right - both) / Decimal(n * n - both)
            spread = Decimal(n * n - sum(x * x for x in t)) * Decimal(n * n - sum(x * x for x in p))
            return Decimal(n * right - both) / spread.sqrt() if spread else Decimal(0)

        def difference(swaps):
            a = {(y, d): c for (y, d, _), c in fixed.items()}
            b = dict(a)
            for (y, d, e), swap in zip(loose, swaps, strict=True):
                d, e = (e, d) if swap else (d, e)
                a[y, d] = a.get((y, d), 0) + 1
                b[y, e] = b.get((y, e), 0) + 1
            return value(b) - value(a)

        observed = abs(difference([False] * len(loose)))
        all_swaps = list(itertools.product((False, True), repeat=len(loose)))
        return sum(abs(difference(s)) >= observed - Decimal("1e-45") for s in all_swaps) / len(all_swaps)


# of a single item there is one class only, which a mean over classes refuses
@pytest.mark.parametrize("name", [name for name in MANY if name not in ("balanced_accuracy", "macro_recall")])
def test_a_single_item_has_an_interval(name):
    """The jackknife leaves nothing of it, which must not warn or fail."""
    r = cw.estimate([1], [1], measure=name, interval="bca", n_resamples=20, rng=1)
    assert r.interval.low <= r.interval.high


def test_names_are_found_under_what_others_call_them_and_however_they_are_hyphenated():
    assert find("auprc").name == find("AUPRC").name == find("average-precision").name == "average_precision"
    assert find("f‑beta(beta=2)").settings["beta"] == 2  # a hyphen that does not break
    assert find("trimmed-mean(share=0.2)").settings["share"] == 0.2
