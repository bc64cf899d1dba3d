"""The main verb: joint counts and one class alone, as their items would be judged."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn import metrics

import clearwin as cw
from clearwin.cli import main
from tests.data.labelled import COLUMNS, EXPECTED, TRUTH, A, B, compare


def works(error: pytest.ExceptionInfo[cw.errors.UndefinedError]) -> set[str]:
    head, names = error.value.next.split(": ")
    assert head == "these measures still work on this data"
    return set(names.split(", "))


@pytest.mark.parametrize("measure", ["specificity", "false_acceptance_rate", "dcf", "hter", "balanced_accuracy", "mcc"])
def test_only_positive_items(measure: str) -> None:
    with pytest.raises(cw.errors.UndefinedError, match="undefined: class 0 never occurs in the truth") as caught:
        compare([1] * 30, A, B, measure=measure)
    still = works(caught)
    assert {"accuracy", "error_rate", "recall", "precision", "f1", "f_beta", "jaccard"} <= still
    assert still.isdisjoint({"specificity", "false_acceptance_rate", "dcf", "hter", "balanced_accuracy", "mcc"})


@pytest.mark.parametrize("test", ["auto", "permutation"])
def test_what_is_said_to_work_with_one_class_does(test: str) -> None:
    with pytest.raises(cw.errors.UndefinedError) as caught:
        compare([1] * 30, A, B, measure="specificity")
    for name in works(caught):
        r = compare([1] * 30, A, B, measure=name, test=test)
        assert 0 <= r.estimate_a <= 1
        assert 0 < r.p_value <= 1


@pytest.mark.parametrize("measure", ["recall", "false_rejection_rate", "dcf", "hter", "balanced_accuracy", "mcc"])
def test_only_negative_items(measure: str) -> None:
    with pytest.raises(cw.errors.UndefinedError, match="undefined: class 1 never occurs in the truth") as caught:
        compare([0] * 30, A, B, measure=measure)
    assert {"accuracy", "specificity", "false_acceptance_rate"} <= works(caught)
    assert "recall" not in works(caught)


def test_accuracy_works_with_one_class() -> None:
    r = compare([1] * 30, A, B, measure="accuracy")
    assert r.estimate_a == pytest.approx(metrics.accuracy_score([1] * 30, A), abs=1e-15)
    one = compare(["x"] * 9, ["x"] * 9, ["x"] * 9, measure="accuracy", test="auto")
    assert (one.estimate_a, one.estimate_b, one.p_value) == (1.0, 1.0, 1.0)


def test_one_class_of_three_is_missing() -> None:
    with pytest.raises(cw.errors.UndefinedError, match="undefined: class eel never occurs in the truth") as caught:
        compare(["cat", "dog"] * 20, ["cat", "eel"] * 20, ["cat", "dog"] * 20, measure="balanced_accuracy")
    assert works(caught) == {
        "accuracy",
        "subset_accuracy",
        "error_rate",
        "mcc",
        "kappa",
        "weighted_f1",
        "weighted_f_beta",
        "micro_precision",
        "micro_recall",
        "micro_f1",
        "micro_f_beta",
    }


def test_counts_are_all_there_is() -> None:
    for besides in ({"a": A}, {"data": pd.DataFrame(COLUMNS)}, {"positive": 1}, {"groups": A}, {"threshold": 0.5}):
        with pytest.raises(cw.errors.OptionError, match="Both the counts of the joint outcomes and"):
            cw.compare(EXPECTED, **besides)


def test_counts_give_what_their_items_give() -> None:
    r = cw.compare(EXPECTED, rng=1, test="permutation", n_resamples=50)
    assert r.signature.data == compare(TRUTH, A, B).signature.data
    assert (r.p_value, r.interval) == (compare(TRUTH, A, B).p_value, compare(TRUTH, A, B).interval)


def test_a_missing_model_is_no_comparison():
    for data in (([1, 0], [1, 0], None), (None, [1.0, 2.0], None), ([{1}, {2}], [{1}, {2}], None)):
        with pytest.raises(cw.errors.DataError, match="b is None"):
            cw.compare(*data, measure="mean" if data[0] is None else "accuracy")


def test_the_same_data_give_the_same_answer(tmp_path):
    """p-values of three runs used to be .0047, .0064 and .0052; the seed now comes from the data."""
    draws = np.random.RandomState(1)
    truth = draws.randint(0, 2, 200)
    a, b = (np.where(draws.uniform(size=200) < share, truth, 1 - truth) for share in (0.8, 0.87))
    first, again = (cw.compare(truth, a, b, n_resamples=499) for _ in range(2))
    assert first.to_json() == again.to_json()
    backwards = cw.compare(truth[::-1], a[::-1], b[::-1], n_resamples=499)
    assert (backwards.p_value, backwards.signature.seed) == (first.p_value, first.signature.seed)
    typed = cw.compare(truth, a, b, n_resamples=499, rng=int(first.signature.seed))
    assert typed.to_json() == first.to_json()
    other = {cw.compare(truth, a, b, n_resamples=499, rng="random").signature.seed for _ in range(3)}
    assert len(other | {first.signature.seed}) == 4
    sliced = cw.compare(truth, a, b, by=truth, n_resamples=499)
    assert cw.compare(truth, a, b, by=truth, n_resamples=499, rng=int(sliced.signature.seed)).slices == sliced.slices
    models = {"a": a, "b": b, "c": truth}
    assert cw.rank(truth, models, n_resamples=499).to_json() == cw.rank(truth, models, n_resamples=499).to_json()
    frame = pd.DataFrame({"y": truth, "a": a, "b": b})
    frame.to_csv(tmp_path / "p.csv", index=False)
    words = [
        "compare",
        str(tmp_path / "p.csv"),
        "--truth",
        "y",
        "--a",
        "a",
        "--b",
        "b",
        "--n-resamples",
        "499",
        "--json",
    ]
    from_file, repeated = (json.loads(CliRunner().invoke(main, words).stdout) for _ in range(2))
    assert from_file == repeated
    random = [json.loads(CliRunner().invoke(main, [*words, "--seed", "random"]).stdout) for _ in range(2)]
    assert random[0]["signature"]["seed"] != random[1]["signature"]["seed"]
    refused = CliRunner().invoke(main, [*words, "--seed", "lucky"])
    assert refused.exit_code == 2
    assert "neither a whole number, 0 or more, nor random" in refused.stderr
