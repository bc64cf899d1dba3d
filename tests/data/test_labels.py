"""Labels that the truth never has: misspelt ones are refused, rare ones are told, 0/1 are known without being seen."""

from __future__ import annotations

from typing import Any

import pytest

import clearwin as cw

TRUTH = ["churn", "stay", "stay", "churn", "stay"] * 12
RIGHT = ["churn", "stay", "churn", "churn", "stay"] * 12


def codes(result: Any) -> list[str]:
    return [caveat.code for caveat in result.caveats]


def text_of(result: Any) -> str:
    [text] = [caveat.text for caveat in result.caveats if caveat.code == "labels_not_in_truth"]
    return str(text)


@pytest.mark.parametrize(
    ("truth", "said"),
    [("churn", "Churn"), ("churn", "churn "), ("churn", "\u00a0CHURN"), ("1", "1.0"), ("1", "01"), ("1.50", "1.5")],
)
def test_another_spelling_is_refused(truth: str, said: str) -> None:
    gold, a = ([word if x == "churn" else x for x in TRUTH] for word in (truth, said))
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
        assert repr(said) in caught.value.what
        assert repr(truth) in caught.value.what


def test_spelling_that_the_truth_itself_uses_is_kept() -> None:
    truth = ["A", "b", "B", "A"] * 10
    r = cw.compare(truth, ["a", "b", "B", "A"] * 10, truth, measure="accuracy", rng=1)
    assert r.estimate_a == 0.75
    assert text_of(r).startswith("Some answers are labels that the truth never has: A says 'a' on 10 of 40 items.")


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(cw.errors.DataError, match="b never says a label of the truth") as caught:
        cw.compare(TRUTH, RIGHT, ["ja", "nein"] * 30, measure="accuracy")
    assert "'ja', 'nein'" in caught.value.what
    assert "'churn', 'stay'" in caught.value.what
    assert "threshold" not in caught.value.next
    with pytest.raises(cw.errors.DataError, match="b never says") as caught:
        cw.compare(TRUTH, RIGHT, ["0.5", "0.25"] * 30, measure="accuracy")
    assert "threshold=0.5" in caught.value.next
    with pytest.raises(cw.errors.DataError, match="two never says"):
        cw.rank(TRUTH, {"one": RIGHT, "two": ["x", "y"] * 30}, measure="accuracy")


def test_a_rare_class_is_told() -> None:
    a = ["gone", *RIGHT[1:]]
    r = cw.compare(TRUTH, a, RIGHT, measure="accuracy", rng=1)
    assert text_of(r) == (
        "Some answers are labels that the truth never has: A says 'gone' on 1 of 60 items. They are always wrong."
    )
    assert "as a class of its own" in text_of(cw.compare(TRUTH, a, RIGHT, measure="macro_f1", rng=1))
    assert "as a class of its own" not in text_of(cw.compare(TRUTH, a, RIGHT, measure="weighted_f1", rng=1))
    assert "among the others" in text_of(cw.compare(TRUTH, a, RIGHT, positive="churn", rng=1))
    assert "svm says 'gone' on 1" in text_of(cw.estimate(TRUTH, a, measure="accuracy", name="svm"))
    assert "one says 'gone' on 1" in text_of(cw.rank(TRUTH, {"one": a, "two": RIGHT}, measure="accuracy", rng=1))
    assert codes(cw.compare_by_class(TRUTH, a, RIGHT, rng=1)).count("labels_not_in_truth") == 1
    sets = [[[x] for x in column] for column in (TRUTH, a, RIGHT)]
    assert "A says 'gone' on 1 of 60" in text_of(cw.compare(*sets, measure="macro_f1", rng=1))


def test_what_is_known_is_no_surprise() -> None:
    assert "labels_not_in_truth" not in codes(cw.compare(TRUTH, RIGHT, TRUTH, measure="accuracy", rng=1))
    for no, yes in ((0, 1), (False, True), ("0", "1"), (-1, 1)):
        r = cw.compare([yes] * 30, [no] * 30, [yes, no] * 15, measure="recall", rng=1)
        assert r.estimate_a == 0.0
        assert "labels_not_in_truth" not in codes(r)
    # True and 1.0 are 1, as ever
    assert cw.compare([0, 1] * 20, [False, True] * 20, [0.0, 1.0] * 20, measure="accuracy").estimate_a == 1.0


def test_few_replicates_are_told() -> None:
    def told(n: int, **more: Any) -> list[str]:
        r = cw.compare(TRUTH, ["stay", *RIGHT[1:]], TRUTH, positive="churn", n_resamples=n, rng=1, **more)
        return [c.text for c in r.caveats if c.code == "few_replicates"]

    assert "cannot bound" in told(5)[0]
    assert "800 or more" in told(5)[0]
    assert "about 5 of 200 replicates" in told(200)[0]
    assert told(799)
    assert not told(800)
    assert told(800, confidence_level=0.99)
