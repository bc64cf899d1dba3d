"""Whatever a report prints in Python runs, and gives the same record to the last digit."""

import ast
import re

import numpy as np
import pandas as pd
import pytest

import clearwin as cw
from clearwin.reports.html import as_markdown
from tests import one_of_each

RNG = np.random.default_rng(11)
N = 240
TRUTH = RNG.integers(0, 2, N)
A, B, C = (np.where(RNG.random(N) < wrong, 1 - TRUTH, TRUTH) for wrong in (0.3, 0.15, 0.2))
SCORES = {name: TRUTH * shift + RNG.normal(size=N) for name, shift in (("a", 0.8), ("b", 1.4), ("c", 1.1))}
DEV = RNG.integers(0, 2, N)
CLASSES = np.array(["cat", "dog", "eel"])[RNG.integers(0, 3, N)]
GUESSES = [np.where(RNG.random(N) < wrong, RNG.permutation(CLASSES), CLASSES) for wrong in (0.4, 0.2)]
LABEL_TEXTS = [[["x,y", "y", "x", "z"][i] for i in RNG.integers(0, 4, N)] for _ in range(3)]
GROUPS, ITEMS = RNG.integers(0, 60, N), RNG.integers(0, 50, N)
FEW = {"n_resamples": 200, "rng": 3}


def frame():
    return pd.DataFrame(
        {"y": TRUTH, "old": A, "new": B, "third": C, "author": GROUPS, "doc": ITEMS, "BasePolicy": CLASSES}
        | {f"score {name}": values for name, values in SCORES.items()}
    )


def gaps(values):
    values = np.asarray(values, dtype=float).copy()
    values[::40] = np.nan
    return values


def agreement(truth, prediction):
    return float(np.mean(np.asarray(truth) == np.asarray(prediction)))


# what is asked: the verb, its data by position, and its settings
ASKED = {
    "a class that was named": (
        "compare",
        (np.array(["ham", "spam"])[TRUTH], *np.array(["ham", "spam"])[[A, B]]),
        {"positive": "spam"},
    ),
    "by permutation": ("compare", (TRUTH, A, B), {"test": "permutation", "names": ("old", "new")}),
    "a test by another spelling": (
        "compare",
        (TRUTH, A, B),
        {"measure": "accuracy", "test": "mcnemar", "method": "mid_p"},
    ),
    "missing values": ("compare", (TRUTH, gaps(A), B), {"missing": "drop"}),
    "texts of labels": ("compare", LABEL_TEXTS, {"measure": "micro_f1", "separator": ","}),
    "some labels": ("compare", LABEL_TEXTS, {"measure": "macro_f1", "separator": ",", "labels": ["x", "z"]}),
    "thresholds": ("compare", (TRUTH, SCORES["a"], SCORES["b"]), {"threshold": (0.4, 0.7)}),
    "one threshold": ("compare", (TRUTH, SCORES["a"], SCORES["b"]), {"threshold": np.float64(0.5)}),
    "a threshold chosen here": ("compare", (TRUTH, SCORES["a"], SCORES["b"]), {"threshold": "best"}),
    "a development set": (
        "compare",
        (TRUTH, SCORES["a"], SCORES["b"]),
        {"dev": (DEV, DEV + RNG.normal(size=N), DEV + RNG.normal(size=N))},
    ),
    "infinite scores": (
        "compare",
        (TRUTH, np.append(SCORES["a"][:-1], np.inf), SCORES["b"]),
        {"measure": "auc", "rank_infinite": True},
    ),
    "lower is positive": (
        "compare",
        (TRUTH, -SCORES["a"], SCORES["b"]),
        {"measure": "auc", "lower_is_positive": "old", "names": ("old", "new")},
    ),
    "groups and strata": ("compare", (TRUTH, A, B), {"groups": GROUPS, "strata": GROUPS % 2}),
    "crossed groups": ("compare", (TRUTH, A, B), {"measure": "accuracy", "groups": [GROUPS, ITEMS]}),
    "slices": ("compare", (TRUTH, A, B), {"by": CLASSES, "correction": "benjamini-hochberg"}),
    "slices of a frame": (
        "compare",
        (),
        {"data": frame(), "truth": "y", "a": "old", "b": "new", "by": "BasePolicy", "groups": ["author", "doc"]},
    ),
    "scores of a frame in bins": (
        "compare",
        (),
        {"data": frame(), "truth": "y", "a": "score a", "b": "score b", "measure": "auc", "bins": 50},
    ),
    "winners": ("compare", (["old", "new", "new", "tie"] * 20, "old", "new"), {"measure": "win_rate"}),
    "values": ("compare", (None, SCORES["a"], SCORES["b"]), {"measure": "trimmed_mean(share=0.1)"}),
    "joint counts": ("compare", (cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129),), {}),
    "a record of a measure": ("compare", (TRUTH, A, B), {"measure": cw.list_measures()["f_beta"](beta=0.5)}),
    "a function": ("compare", (TRUTH, A, B), {"measure": agreement}),
    "a margin of a share": ("compare", (TRUTH, A, B), {"claim": "not_worse", "margin": "5%", "confidence_level": 0.9}),
    "an estimate of a frame": ("estimate", (), {"data": frame(), "truth": "y", "a": "old", "groups": "author"}),
    "an estimate at a threshold": ("estimate", (TRUTH, SCORES["a"]), {"threshold": 0.5, "interval": "percentile"}),
    "every class": ("compare_by_class", (CLASSES, *GUESSES), {"measure": "recall", "claim": "better"}),
    "every label": ("compare_by_class", LABEL_TEXTS, {"separator": ",", "labels": ["x", "z"]}),
    "two test sets": (
        "compare_unpaired",
        (TRUTH, SCORES["a"], TRUTH[::-1], SCORES["b"]),
        {"measure": "f1", "threshold": [0.5, 0.6]},
    ),
    "a gate with a class": (
        "gate",
        (np.array(["ham", "spam"])[TRUTH], *np.array(["ham", "spam"])[[A, B]]),
        {"margin": 0.05, "positive": "spam", "by": CLASSES, "min_slice": 20, "groups": GROUPS},
    ),
    "a gate of scores": (
        "gate",
        (TRUTH, SCORES["a"], SCORES["b"]),
        {
            "checks": [{"measure": "f1", "margin": 0.05, "claim": "equivalent"}],
            "threshold": 0.5,
            "confidence_level": 0.9,
        },
    ),
    "a gate of checks that read scores in their own way": (
        "gate",
        (TRUTH, SCORES["a"], SCORES["b"]),
        {"checks": [{"measure": "auc", "margin": 0.1}, {"measure": "f1", "margin": 0.1, "threshold": 0.4}]},
    ),
    "a ranking": ("rank", (TRUTH, {"old": A, "new": B, "third": C}), {"baseline": "old", "correction": "max-t"}),
    "a ranking of columns": (
        "rank",
        (),
        {"data": frame(), "truth": "y", "models": ["old", "new", "third"], "strata": "y"},
    ),
    "a ranking of scores": ("rank", (TRUTH, SCORES), {"measure": "auc", "lower_is_positive": ["c"], "missing": "drop"}),
    "data sets": (
        "rank_data_sets",
        (RNG.random((12, 3)),),
        {"names": ["nbc", "aode", "j48"], "higher_is_better": False, "baseline": "j48"},
    ),
    "folds": (
        "compare_folds",
        (SCORES["a"][:10], SCORES["b"][:10]),
        {"design": "5x2", "higher_is_better": False, "measure_label": "loss"},
    ),
    "folds of a ratio": (
        "compare_folds",
        (SCORES["a"][:8], SCORES["b"][:8]),
        {"test_train_ratio": 0.5, "test": "bayes_t", "margin": 0.02},
    ),
    "a plan": ("plan", (TRUTH, SCORES["a"], SCORES["b"]), {"difference": 0.1, "threshold": 0.5, "groups": GROUPS}),
    "a plan of rates": (
        "plan",
        (),
        {"measure": "accuracy", "difference": 0.02, "disagreement": 0.1, "design_effect": 1.5},
    ),
    "one curve": ("curve", (TRUTH, SCORES["a"]), {"kind": "det", "bands": True, "prior": 0.1, "cost_fn": 10.0}),
    "curves of many": ("curve", (TRUTH, SCORES), {"kind": "pr", "missing": "drop"}),
    "curves of a frame": ("curve", (), {"data": frame(), "truth": "y", "a": "score a", "b": "score b"}),
    "chance from answers": ("against_chance", (TRUTH, A), {"method": "monte_carlo", "name": "old"}),
}
SEEDLESS = ("compare_unpaired",)
NO_RESAMPLES = (*SEEDLESS, "rank_data_sets")


def made(verb, data, settings):
    few = {
        name: value
        for name, value in FEW.items()
        if verb not in SEEDLESS and verb + name != "rank_data_setsn_resamples"
    }
    return getattr(cw, verb)(*data, **few | settings)


def environment(verb, data, settings):
    """Return what was given, under the names of its parameters; the imports are the snippet's own."""
    import inspect

    names = inspect.signature(getattr(cw, verb)).parameters
    return dict(zip(names, data, strict=False)) | settings | {"agreement": agreement}


def snippet_of(result):
    return re.search(r"```python\n(.*?)\n```", as_markdown(result), re.DOTALL)[1]


def executed(snippet, known):
    *before, last = ast.parse(snippet).body
    exec(compile(ast.Module(before, []), "snippet", "exec"), known)
    return eval(compile(ast.Expression(last.value), "snippet", "eval"), known)


@pytest.mark.parametrize("title", ASKED)
def test_the_snippet_of_a_report_gives_the_same_record(title):
    verb, data, settings = ASKED[title]
    result = made(verb, data, settings)
    again = executed(snippet_of(result), environment(verb, data, settings))
    assert again.to_json() == result.to_json()


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("missing values", "missing='drop'"),
        ("texts of labels", "separator=','"),
        ("infinite scores", "rank_infinite=True"),
        ("a gate of checks that read scores in their own way", "'threshold': 0.4"),
    ],
)
def test_settings_for_reading_are_in_the_snippet(title, written):
    verb, data, settings = ASKED[title]
    assert written in snippet_of(made(verb, data, settings))


@pytest.mark.parametrize("kind", one_of_each.MAKERS)
def test_a_snippet_of_every_kind_of_result(kind):
    result = one_of_each.MAKERS[kind]()
    again = executed(snippet_of(result), one_of_each.data_of(kind))
    assert again.to_json() == result.to_json()


@pytest.mark.parametrize("rng", [None, np.random.default_rng(5), np.random.SeedSequence(7).spawn(2)[1]], ids=str)
@pytest.mark.parametrize("title", ["a margin of a share", "a gate of scores", "a ranking", "a plan"])
def test_the_snippet_has_the_seed_whatever_was_given(title, rng):
    """Checks of a gate without a seed each had a seed of their own, of which the record has one."""
    verb, data, settings = ASKED[title]
    settings = settings | {"rng": rng, "n_resamples": 100}
    result = made(verb, data, settings)
    again = executed(snippet_of(result), environment(verb, data, settings))
    assert again.to_json() == result.to_json()


def test_the_snippet_of_learners():
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    known = {"a": GaussianNB(), "b": LogisticRegression(), "X": np.column_stack(list(SCORES.values())), "y": TRUTH}
    result = cw.cross_compare(**known, cv=3, measure="f1", progress=False, rng=1)
    assert executed(snippet_of(result), known).to_json() == result.to_json()


def test_a_record_that_was_changed_or_made_elsewhere_has_no_snippet():
    import dataclasses

    result = cw.compare(TRUTH, A, B, **FEW)
    assert result.summary().call
    changed = dataclasses.replace(result, n=3)
    assert not changed.summary().call
    assert "```python" not in as_markdown(changed)
    assert "In Python" not in changed._repr_html_()


def test_a_snippet_names_what_has_no_text():
    texts = {
        "measure": cw.compare(TRUTH, A, B, measure=cw.custom_measure(agreement, name="f1"), **FEW),
        "labels": cw.compare(CLASSES, *GUESSES, measure="macro_f1", labels=np.array(["cat", "eel"]), **FEW),
    }
    for name, result in texts.items():
        assert f"{name}={name}" in result.summary().call
