"""Labels that the truth never has: misspelt ones are refused, rare ones are told, 0/1 are known without being seen."""

from __future__ import annotations

import datetime
import unicodedata
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics

import clearwin as cw
from clearwin.data.labels import _unused_label, infer_positive, label_counts
from tests.data.labelled import EXPECTED, K_A, K_TRUTH, TRUTH, A, B, compare, events, joint, recoded
from tests.two_models import two

CHURN = ["churn", "stay", "stay", "churn", "stay"] * 12
RIGHT = ["churn", "stay", "churn", "churn", "stay"] * 12


def codes(result: Any) -> list[str]:
    return [caveat.code for caveat in result.caveats]


def text_of(result: Any) -> str:
    [text] = [caveat.text for caveat in result.caveats if caveat.code == "labels_not_in_truth"]
    return str(text)


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ("churn", "Churn"),
        ("churn", "churn "),
        ("churn", "\u00a0CHURN"),
        ("1", "1.0"),
        ("1", "01"),
        ("1.50", "1.5"),
        ("churn", "\u200bchurn"),
        ("churn", "churn\ufeff"),
        ("churn", "\uff43\uff48\uff55\uff52\uff4e"),
        ("\u00e9", "E\u0301"),
    ],
)
def test_another_spelling_is_refused(truth: str, said: str) -> None:
    gold, a = ([word if x == "churn" else x for x in CHURN] for word in (truth, said))
    b = [truth if x == "churn" else x for x in RIGHT]
    for verb in (
        lambda: cw.compare(gold, a, b, measure="accuracy"),
        lambda: cw.compare(gold, b, a, measure="macro_f1"),
        lambda: cw.compare(gold, a, b, positive=truth),
        lambda: cw.compare_by_class(gold, a, b),
        lambda: cw.estimate(gold, a, measure="accuracy"),
        lambda: cw.rank(gold, {"one": a, "two": b}, measure="accuracy"),
        lambda: cw.compare([[x] for x in gold], [[x] for x in a], [[x] for x in b], measure="macro_f1"),
    ):
        with pytest.raises(cw.errors.DataError, match="where the truth has") as caught:
            verb()
        assert repr(unicodedata.normalize("NFC", said)) in caught.value.what
        assert repr(truth) in caught.value.what


def spelled(form: str, labels: list[str]) -> list[str]:
    return [unicodedata.normalize(form, label) for label in labels]


@pytest.mark.parametrize("form", ["NFD", "NFC"])
def test_accents_in_one_piece_or_two_are_one_label(form: str) -> None:
    """The labels of the Unicode standard's own example are the same labels, however a model writes them."""
    truth = ["S\u00e3o Paulo", "Gda\u0144sk", "Rio"] * 20
    b = ["S\u00e3o Paulo", "Gda\u0144sk", "Gda\u0144sk"] * 20
    a = spelled(form, b)
    frame = {"y": spelled("NFD", truth), "a": a, "b": b}
    asked = {"truth": "y", "a": "a", "b": "b", "measure": "accuracy", "rng": 1}
    results = [cw.compare(data=data, **asked) for data in (pd.DataFrame(frame), pl.DataFrame(frame))]
    results += [
        cw.compare(truth, a, b, measure="accuracy", rng=1),
        cw.compare(np.array(truth), np.array(a), pd.Series(b), measure="accuracy", rng=1),
        cw.compare(truth, a, b, positive=spelled(form, truth[:1])[0], rng=1),
        cw.compare([[x] for x in truth], [{x} for x in a], [[x] for x in b], measure="micro_f1", rng=1),
    ]
    for r in results:
        assert r.difference == 0.0
        assert r.estimate_a > 0.6
        assert r.disagreements() == []
    assert [model.estimate for model in cw.rank(truth, {"a": a, "b": b}, measure="accuracy", rng=1).models] == [
        2 / 3
    ] * 2


def test_the_truth_of_scores_may_be_spelled_in_two_ways() -> None:
    truth = ["S\u00e3o Paulo", "Sa\u0303o Paulo", "Rio"] * 20
    scores = np.random.default_rng(3).random(60)
    is_positive = np.array([x != "Rio" for x in truth])
    r = cw.estimate(truth, scores, measure="auc", positive="Sa\u0303o Paulo", rng=1)
    assert r.estimate == pytest.approx(metrics.roc_auc_score(is_positive, scores))


def test_groups_and_slices_may_be_spelled_in_two_ways() -> None:
    rng = np.random.default_rng(5)
    truth, a, b = rng.integers(0, 2, (3, 120))
    names = ["S\u00e3o", "\u00c5rhus", "Rio", "K\u00f6ln"]
    plain = [names[i % 4] for i in range(120)]
    mixed = spelled("NFD", plain[:60]) + plain[60:]
    frame = {"y": truth, "a": a, "b": b, "who": plain}
    for what in ("groups", "strata", "by"):
        one, two = (cw.compare(truth, a, b, measure="accuracy", rng=1, **{what: x}) for x in (plain, mixed))
        asked = {"truth": "y", "a": "a", "b": "b", "measure": "accuracy", "rng": 1, what: "who"}
        three = cw.compare(data=pl.DataFrame({**frame, "who": mixed}), **asked)
        assert one.p_value == two.p_value == three.p_value
        assert one.sampling == two.sampling
        assert [part.label for part in one.slices] == [part.label for part in two.slices]
        assert [part.n for part in one.slices] == [part.n for part in three.slices]


def test_labels_of_the_truth_that_only_a_program_can_tell_apart() -> None:
    truth = ["churn", "churn\u200b", "stay"] * 10
    with pytest.raises(cw.errors.DataError, match="look alike") as caught:
        cw.compare(truth, truth, ["stay"] * 30, measure="accuracy")
    assert r"'churn\u200b'" in caught.value.what


def test_unseen_characters_are_refused_where_the_truth_tells_cases_apart() -> None:
    truth = ["A", "a"] * 10
    with pytest.raises(cw.errors.DataError, match=r"a predicts 'A\\u200b' where the truth has 'A'"):
        cw.compare(truth, ["A\u200b", "a"] * 10, truth, measure="accuracy")


def test_spelling_that_the_truth_itself_uses_is_kept() -> None:
    truth = ["A", "b", "B", "A"] * 10
    r = cw.compare(truth, ["a", "b", "B", "A"] * 10, truth, measure="accuracy", rng=1)
    assert r.estimate_a == 0.75
    assert text_of(r).startswith("Some predicted labels never occur in the truth: A predicts 'a' on 10 of 40 items.")


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(cw.errors.DataError, match="b never predicts a label of the truth") as caught:
        cw.compare(CHURN, RIGHT, ["ja", "nein"] * 30, measure="accuracy")
    assert "'ja', 'nein'" in caught.value.what
    assert "'churn', 'stay'" in caught.value.what
    assert "threshold" not in caught.value.next
    with pytest.raises(cw.errors.DataError, match="b never predicts") as caught:
        cw.compare(CHURN, RIGHT, ["0.5", "0.25"] * 30, measure="accuracy")
    assert "threshold=0.5" in caught.value.next
    few = CHURN[:9], RIGHT[:9], ["ja", "nein", "ja"] * 3  # of which all may be wrong
    assert cw.compare(*few, measure="accuracy", rng=1).estimate_b == 0
    with pytest.raises(cw.errors.DataError, match="b never predicts"):
        cw.compare(CHURN[:10], RIGHT[:10], ["ja", "nein"] * 5, measure="accuracy")
    with pytest.raises(cw.errors.DataError, match="two never predicts"):
        cw.rank(CHURN, {"one": RIGHT, "two": ["x", "y"] * 30}, measure="accuracy")


def test_a_rare_class_is_told() -> None:
    a = ["gone", *RIGHT[1:]]
    r = cw.compare(CHURN, a, RIGHT, measure="accuracy", rng=1)
    assert text_of(r) == (
        "Some predicted labels never occur in the truth: A predicts 'gone' on 1 of 60 items. They are always wrong."
    )
    assert "counts each of them as a class" in text_of(cw.compare(CHURN, a, RIGHT, measure="macro_f1", rng=1))
    assert "counts each of them as a class" not in text_of(cw.compare(CHURN, a, RIGHT, measure="weighted_f1", rng=1))
    assert "one of the other classes" in text_of(cw.compare(CHURN, a, RIGHT, positive="churn", rng=1))
    assert "svm predicts 'gone' on 1" in text_of(cw.estimate(CHURN, a, measure="accuracy", name="svm"))
    assert "one predicts 'gone' on 1" in text_of(cw.rank(CHURN, {"one": a, "two": RIGHT}, measure="accuracy", rng=1))
    assert codes(cw.compare_by_class(CHURN, a, RIGHT, rng=1)).count("labels_not_in_truth") == 1
    sets = [[[x] for x in column] for column in (CHURN, a, RIGHT)]
    assert "A predicts 'gone' on 1 of 60" in text_of(cw.compare(*sets, measure="macro_f1", rng=1))


def test_labels_that_the_truth_never_has_are_counted_for_each_model() -> None:
    tally = {("x", "x", "z"): 2, ("y", "x", "y"): 3, ("x", "w", "z"): 1}
    how = {"needs_positive": False, "any_number_of_classes": True, "measure": "accuracy"}
    assert [(one.labels, one.items) for one in label_counts(tally, **how).strange] == [(("w",), 1), (("z",), 3)]


def test_what_is_known_is_no_surprise() -> None:
    assert "labels_not_in_truth" not in codes(cw.compare(CHURN, RIGHT, CHURN, measure="accuracy", rng=1))
    for no, yes in ((0, 1), (False, True), ("0", "1"), (-1, 1)):
        r = cw.compare([yes] * 30, [no] * 30, [yes, no] * 15, measure="recall", rng=1)
        assert r.estimate_a == 0.0
        assert "labels_not_in_truth" not in codes(r)
    # True and 1.0 are 1, as ever
    assert cw.compare([0, 1] * 20, [False, True] * 20, [0.0, 1.0] * 20, measure="accuracy").estimate_a == 1.0


def test_few_replicates_are_told() -> None:
    def told(n: int, **more: Any) -> list[str]:
        r = cw.compare(CHURN, ["stay", *RIGHT[1:]], CHURN, positive="churn", n_resamples=n, rng=1, **more)
        return [c.text for c in r.caveats if c.code == "few_replicates"]

    assert "cannot bound" in told(5)[0]
    assert "n_resamples=800" in told(5)[0]
    assert "about 5 of 200 replicates" in told(200)[0]
    assert told(799)
    assert not told(800)
    assert not told(800, confidence_level=0.99)  # at rarer levels more are drawn


@pytest.mark.parametrize(
    ("negative", "positive", "shown"),
    [
        (0, 1, "1"),
        (0.0, 1.0, "1"),
        (False, True, "True"),
        (np.False_, np.True_, "True"),
        (-1, 1, "1"),
        (-1.0, 1.0, "1"),
        ("0", "1", "1"),
        ("-1", "1", "1"),
        ("false", "true", "true"),
        ("False", "True", "True"),
    ],
)
def test_the_positive_class_is_inferred_and_the_result_says_so(negative: Any, positive: Any, shown: str) -> None:
    truth, a, b = (recoded(x, negative, positive) for x in (TRUTH, A, B))
    r = compare(truth, a, b, measure="f1")
    assert (r.positive, r.positive_inferred) == (shown, True)
    # scikit-learn's f1_score on the original 0/1
    assert r.estimate_a == pytest.approx(metrics.f1_score(TRUTH, A), abs=1e-15)
    assert r.estimate_b == pytest.approx(metrics.f1_score(TRUTH, B), abs=1e-15)
    assert "(inferred)" in str(r)
    # naming what would be inferred anyway gives the same counts, and the result no longer calls it inferred
    named = compare(truth, a, b, measure="f1", positive=positive)
    assert (named.positive_inferred, named.signature.data) == (False, r.signature.data)
    assert "(inferred)" not in str(named)


@pytest.mark.parametrize(
    ("negative", "positive"),
    [("ham", "spam"), ("no", "yes"), (1, 2), (0, 2), (0, -1), ("n", "p"), ("01", "1"), ("0.0", "1.0"), ("NA", "1")],
)
def test_otherwise_the_positive_class_must_be_named(negative: Any, positive: Any) -> None:
    truth, a, b = (recoded(x, negative, positive) for x in (TRUTH, A, B))
    with pytest.raises(cw.errors.DataError, match="Which class is positive") as caught:
        compare(truth, a, b)
    assert repr(negative) in caught.value.what
    assert repr(positive) in caught.value.what
    assert "positive=" in caught.value.next
    assert "accuracy" in caught.value.next
    for named, other in ((positive, negative), (negative, positive)):
        r = compare(truth, a, b, positive=named)
        assert (r.positive, r.positive_inferred) == (str(named), False)
        expected = metrics.f1_score([x != other for x in truth], [x != other for x in a])
        assert r.estimate_a == pytest.approx(expected, abs=1e-15)


def test_a_measure_that_does_not_depend_on_the_positive_class_needs_none() -> None:
    truth, a, b = (recoded(x, "ham", "spam") for x in (TRUTH, A, B))
    for name, score in {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "mcc": metrics.matthews_corrcoef,
        "kappa": metrics.cohen_kappa_score,
    }.items():
        r = compare(truth, a, b, measure=name)
        assert (r.positive, r.positive_inferred) == (None, False)
        assert r.estimate_b == pytest.approx(score(truth, b), abs=1e-14)


def test_bools_beside_numbers_are_0_and_1() -> None:
    r = compare([bool(x) for x in TRUTH], A, np.array(B, dtype=float))
    assert (r.positive, r.positive_inferred, r.signature.data) == ("1", True, EXPECTED.fingerprint)
    mixed = [bool(x) if i % 2 else x for i, x in enumerate(TRUTH)]
    assert joint(np.array(mixed, dtype=object), A, B) == EXPECTED
    assert joint(TRUTH, A, B, positive=True) == EXPECTED


def test_bools_beside_numbers_are_0_and_1_even_where_all_agree() -> None:
    # True == 1 and both have the same hash, so whichever comes first must not decide
    r = compare([False, True] * 15, [0, 1] * 15, [0.0, 1.0] * 15)
    assert (r.positive, r.positive_inferred) == ("1", True)
    assert r.signature.data == compare([0, 1] * 15, [0, 1] * 15, [0, 1] * 15).signature.data


def test_the_order_of_inference() -> None:
    assert infer_positive([0]) == (0, 1)
    assert infer_positive([-1]) == (-1, 1)
    assert infer_positive([True]) == (False, True)
    assert infer_positive([-1, 0, 1]) is None
    assert infer_positive(["0", "01"]) is None


def test_the_negative_class_can_be_judged_too() -> None:
    r = compare(TRUTH, A, B, positive=0)
    assert r.estimate_a == pytest.approx(metrics.f1_score(TRUTH, A, pos_label=0), abs=1e-15)
    assert (r.positive, r.positive_inferred) == ("0", False)


def test_other_labels_are_taken_as_texts() -> None:
    day, night = datetime.date(2004, 7, 8), datetime.date(2004, 7, 9)
    r = compare(*(recoded(x, day, night) for x in (TRUTH, A, B)), measure="accuracy")
    assert r.estimate_a == pytest.approx(metrics.accuracy_score(TRUTH, A), abs=1e-15)


def test_categories_are_their_labels() -> None:
    truth, a, b = (recoded(x, "ham", "spam") for x in (TRUTH, A, B))
    # the codes of the three differ
    r = compare(
        pd.Series(truth, dtype="category"),
        pd.Categorical(a, categories=["spam", "ham", "unused"]),
        pl.Series(b, dtype=pl.Categorical),
        positive="spam",
    )
    assert r.signature.data == compare(truth, a, b, positive="spam").signature.data


def test_a_positive_class_that_is_not_there() -> None:
    truth, a, b = (recoded(x, "ham", "spam") for x in (TRUTH, A, B))
    with pytest.raises(cw.errors.UnknownNameError) as caught:
        compare(truth, a, b, positive="Spam")
    assert "'Spam'" in caught.value.what
    assert "ham, spam" in caught.value.expected
    assert "'spam'" in caught.value.next


@pytest.mark.parametrize("positive", [2, 0.5, float("nan"), [1], (1,), {}, object(), b"1"])
def test_a_positive_class_that_cannot_be_there(positive: Any) -> None:
    with pytest.raises(cw.errors.UnknownNameError, match="There is no class"):
        compare(TRUTH, A, B, positive=positive)


@pytest.mark.parametrize("positive", [np.array([0, 1]), pd.NA], ids=["array", "NA"])
def test_a_positive_class_that_cannot_even_be_compared(positive: Any) -> None:
    with pytest.raises(cw.ClearwinError):
        compare(TRUTH, A, B, positive=positive)


def test_text_and_number_are_told_apart_in_the_message() -> None:
    with pytest.raises(cw.errors.UnknownNameError) as caught:
        compare(TRUTH, A, B, positive="1")
    # "There is no class named '1', did you mean '1'?" helps nobody
    assert "'1'" not in caught.value.next


@pytest.mark.parametrize(
    ("negative", "positive"),
    [(b"ham", b"spam"), (datetime.date(2004, 1, 1), datetime.date(2004, 1, 2))],
    ids=["bytes", "dates"],
)
def test_labels_of_any_kind_can_be_named_positive(negative: Any, positive: Any) -> None:
    truth, a, b = (recoded(x, negative, positive) for x in (TRUTH, A, B))
    r = compare(truth, a, b, positive=positive)
    assert r.estimate_a == pytest.approx(metrics.f1_score(TRUTH, A), abs=1e-15)


K_B = ["cat", "dog", "eel", "cat", "dog", "cat", "cat", "dog", "dog", "eel", "eel", "dog"] * 3


@pytest.mark.parametrize("measure", ["f1", "precision", "dcf", "hter", "jaccard", "recall"])
def test_a_measure_of_two_classes_refuses_three_without_a_positive_one(measure: str) -> None:
    with pytest.raises(cw.errors.DataError, match="a measure of two classes, and there are 3 labels") as caught:
        compare(K_TRUTH, K_A, K_B, measure=measure)
    assert "'cat', 'dog', 'eel'" in caught.value.what
    assert 'positive="cat"' in caught.value.next
    assert "accuracy" in caught.value.next


@pytest.mark.parametrize("positive", ["cat", "dog", "eel"])
@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("f1", metrics.f1_score),
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("jaccard", metrics.jaccard_score),
        ("mcc", metrics.matthews_corrcoef),
        ("kappa", metrics.cohen_kappa_score),
    ],
)
def test_one_class_against_the_others(measure: str, score: Any, positive: str) -> None:
    truth, a, b = ([x == positive for x in labels] for labels in (K_TRUTH, K_A, K_B))
    r = compare(K_TRUTH, K_A, K_B, measure=measure, positive=positive)
    # scikit-learn on "is it the positive class?"
    assert r.estimate_a == pytest.approx(score(truth, a), abs=1e-14)
    assert r.estimate_b == pytest.approx(score(truth, b), abs=1e-14)
    assert (r.positive, r.positive_inferred) == (positive, False)
    assert "against_others" in [caveat.code for caveat in r.caveats]
    assert joint(K_TRUTH, K_A, K_B, positive=positive).events == events(K_TRUTH, K_A, K_B, positive).events


def test_two_classes_are_never_called_against_the_others() -> None:
    assert "against_others" not in [caveat.code for caveat in compare(TRUTH, A, B, positive=1).caveats]


def test_a_label_may_have_the_name_that_the_others_are_given() -> None:
    truth, a, b = (["(others)" if x == "cat" else x for x in labels] for labels in (K_TRUTH, K_A, K_B))
    r = compare(truth, a, b, positive="(others)")
    expected = metrics.f1_score([x == "cat" for x in K_TRUTH], [x == "cat" for x in K_A])
    assert r.estimate_a == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("accuracy", metrics.accuracy_score),
        ("error_rate", lambda y, p: 1 - metrics.accuracy_score(y, p)),
        ("balanced_accuracy", metrics.balanced_accuracy_score),
    ],
)
def test_measures_for_any_number_of_classes(measure: str, score: Any) -> None:
    r = compare(K_TRUTH, K_A, K_B, measure=measure)
    assert r.estimate_a == pytest.approx(score(K_TRUTH, K_A), abs=1e-14)
    assert r.estimate_b == pytest.approx(score(K_TRUTH, K_B), abs=1e-14)
    assert (r.positive, r.positive_inferred) == (None, False)


def test_three_classes_that_contain_0_and_1_infer_nothing() -> None:
    r = compare([0, 1, 2] * 8, [0, 1, 1] * 8, [0, 2, 2] * 8, measure="accuracy")
    assert (r.positive, r.positive_inferred) == (None, False)
    with pytest.raises(cw.errors.DataError, match="3 labels: 0, 1, 2"):
        compare([0, 1, 2] * 8, [0, 1, 1] * 8, [0, 2, 2] * 8, measure="f1")
    # a model that says -1 where the truth says 0
    with pytest.raises(cw.errors.DataError, match="3 labels: -1, 0, 1"):
        compare(TRUTH, recoded(A, -1, 1), B)


def test_labels_are_found_by_any_spelling():
    y, a, b = two()
    for labels in ([1.0], [True], ["1"], "1", 1):
        assert cw.compare(y, a, b, measure="macro_f1", labels=labels, n_resamples=50).labels == ("1",)
    texts = np.array(["a,b", " c"])[y], np.array(["a,b", " c"])[a], np.array(["a,b", " c"])[b]
    assert cw.compare(*texts, measure="macro_f1", labels="a,b", n_resamples=50).labels == ("a,b",)
    with pytest.raises(cw.errors.OptionError, match="one of them"):
        cw.compare(list("xyz") * 6, list("xyy") * 6, list("xxz") * 6, measure="macro_f1", labels=["x"], positive="y")


def test_the_others_are_called_by_a_name_that_is_no_label() -> None:
    assert _unused_label(["x"]) == "(others)"
    assert _unused_label(["(others)", "((others))"]) == "(((others)))"
