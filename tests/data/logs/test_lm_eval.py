"""lm-evaluation-harness: every trap of its samples, on small files in its layout."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

import clearwin as cw
from clearwin.data.logs.base import Answer
from clearwin.data.logs.lm_eval import count_spans, right_choice
from clearwin.errors import DataError, FileError, OptionError, UnknownNameError
from tests.data.logs.made import TIME, lm_eval_line, lm_eval_run, write_lines

N = 60
RNG = np.random.default_rng(20)
GOLD = RNG.integers(0, 2, N)
PREDICTED = {name: np.where(RNG.random(N) < wrong, 1 - GOLD, GOLD) for name, wrong in (("old", 0.4), ("new", 0.1))}


def lines_of(name, **other):
    return [
        lm_eval_line(i, {"acc": float(GOLD[i] == p), "f1": [int(GOLD[i]), int(p)]}, **other)
        for i, p in enumerate(PREDICTED[name])
    ]


@pytest.fixture
def two(tmp_path):
    return [lm_eval_run(tmp_path / name, lines_of(name)) for name in PREDICTED]


def codes(result):
    return {caveat.code for caveat in result.caveats}


def test_pairs_of_gold_and_predicted_are_decisions(two):
    r = cw.compare(data=cw.logs.read(*two, metric="f1"), test="permutation", n_resamples=99, rng=1)
    assert (r.name_a, r.name_b, r.measure) == ("old", "new", "f1")
    assert r.estimate_a == pytest.approx(f1_score(GOLD, PREDICTED["old"]))
    assert r.estimate_b == pytest.approx(f1_score(GOLD, PREDICTED["new"]))
    assert r.origin == "lm-evaluation-harness samples, metric f1"


def test_numbers_of_0_and_1_are_right_or_wrong_answers(two):
    r = cw.compare(data=cw.logs.read(*two, metric="acc"), test="mcnemar", method="mid-p")
    direct = cw.compare(GOLD, *PREDICTED.values(), measure="accuracy", test="mcnemar", method="mid-p")
    assert (r.p_value, r.difference, r.measure_label) == (direct.p_value, direct.difference, "accuracy")


def test_several_metrics_are_not_chosen_among(two):
    with pytest.raises(OptionError, match="2 metrics: acc, f1") as error:
        cw.compare(data=cw.logs.read(*two))
    assert error.value.next == 'metric="acc"'
    with pytest.raises(UnknownNameError, match="acc_norm"):
        cw.compare(data=cw.logs.read(*two, metric="acc_norm"))


def test_a_measure_finds_the_metric_of_its_name(two):
    r = cw.compare(data=cw.logs.read(*two), measure="f1", test="permutation", n_resamples=99, rng=1)
    assert r.origin.endswith("metric f1")


def test_logs_of_2024_have_neither_filter_nor_metrics_and_another_ending(tmp_path):
    paths = []
    for name in PREDICTED:
        old = [{k: v for k, v in line.items() if k not in ("filter", "metrics")} for line in lines_of(name)]
        paths.append(write_lines(tmp_path / name / f"samples_quiz_{TIME}.json", old))
    r = cw.compare(data=cw.logs.read(*paths, metric="f1"), test="permutation", n_resamples=99, rng=1)
    assert r.estimate_a == pytest.approx(f1_score(GOLD, PREDICTED["old"]))


def test_the_results_may_have_another_name(tmp_path):
    folder = lm_eval_run(tmp_path / "x", lines_of("old"), model="org/model")
    (folder / f"results_{TIME}.json").rename(folder / f"mine_0shot_{TIME}.json")
    assert cw.logs.read(folder, metric="f1").names == ("org/model",)


@pytest.mark.parametrize(
    ("arguments", "model"),
    [
        ("pretrained=org/one,dtype=auto", "org/one"),
        ("model=gpt,base_url=https://x.org/?a=1", "gpt"),
        ("pretrained=org/one,model=gpt", "org/one"),
        ({"pretrained": "org/one", "dtype": "auto"}, "org/one"),
        ({"model": "gpt"}, "gpt"),
        ("dtype=auto", "folder"),
        ({}, "folder"),
        (None, "folder"),
    ],
)
def test_a_model_without_a_name_is_called_by_the_arguments_or_the_folder(tmp_path, arguments, model):
    said = {"model_name": None, "config": {"model_args": arguments}}
    folder = lm_eval_run(tmp_path / "folder", lines_of("old"), said=said)
    assert cw.logs.read(folder).names == (model,)


def test_a_document_that_occurs_twice_is_two_items(tmp_path):
    paths = [
        lm_eval_run(tmp_path / name, [{**line, "doc_hash": "same"} for line in lines_of(name)]) for name in PREDICTED
    ]
    assert cw.logs.read(*paths, metric="f1").n == N


def test_the_same_document_twice_in_a_log_is_refused(tmp_path):
    lines = lines_of("old")
    folder = lm_eval_run(tmp_path / "x", [*lines, lines[3]])
    with pytest.raises(DataError, match="the item 3 of quiz twice"):
        cw.logs.read(folder)


def test_filters_are_chosen_by_name(tmp_path):
    paths = []
    for name in PREDICTED:
        strict = lines_of(name, filter="strict-match")
        loose = [{**line, "filter": "flexible-extract", "acc": 1.0} for line in strict]
        paths.append(lm_eval_run(tmp_path / name, [*strict, *loose]))
    with pytest.raises(OptionError, match="has 2 filters: flexible-extract, strict-match"):
        cw.logs.read(*paths)
    r = cw.compare(data=cw.logs.read(*paths, metric="acc", filter="flexible-extract"), test="mcnemar")
    assert (r.estimate_a, r.estimate_b) == (1.0, 1.0)
    with pytest.raises(UnknownNameError, match="lose"):
        cw.logs.read(*paths, filter="lose")


def test_other_targets_are_refused_and_other_prompts_doubted(tmp_path, two):
    prompts = lm_eval_run(tmp_path / "shots", [{**line, "prompt_hash": "other"} for line in lines_of("new")])
    r = cw.compare(data=cw.logs.read(two[0], prompts, metric="acc"), test="mcnemar")
    assert "prompts_differ" in codes(r)
    lines = lines_of("new")
    lines[7]["target_hash"] = "other"
    with pytest.raises(DataError, match="targets of 1 items differ between old and other: 7"):
        cw.logs.read(two[0], lm_eval_run(tmp_path / "other", lines))


def test_samples_that_were_cut_are_refused(tmp_path, two):
    cut = lm_eval_run(
        tmp_path / "cut", lines_of("new")[:50], said={"n-samples": {"quiz": {"original": N, "effective": N}}}
    )
    with pytest.raises(DataError, match="50 of the 60 answers"):
        cw.logs.read(two[0], cut)
    r = cw.compare(data=cw.logs.read(two[0], cut, metric="acc", partial=True), test="mcnemar")
    assert r.n == 50
    assert "items_left_out" in codes(r)


def test_without_results_the_missing_items_are_still_noticed(tmp_path, two):
    cut = lm_eval_run(tmp_path / "cut", lines_of("new")[:50], results=False)
    with pytest.raises(DataError, match="10 answers are not in all runs") as error:
        cw.logs.read(two[0], cut)
    assert error.value.next == "partial=True to compare on the 50 that all have"


def test_of_several_runs_in_one_folder_the_newest_counts(tmp_path, two):
    lm_eval_run(two[1], lines_of("old"), time="2025-12-31T00-00-00.000000")
    r = cw.compare(data=cw.logs.read(*two, metric="f1"), test="permutation", n_resamples=99, rng=1)
    assert r.estimate_b == pytest.approx(f1_score(GOLD, PREDICTED["new"]))
    assert any("the newest counts" in caveat.text for caveat in r.caveats)


def test_subtasks_are_numbered_from_0_and_kept_apart(tmp_path):
    for name in PREDICTED:
        for task in ("law", "math"):
            lm_eval_run(tmp_path / name, lines_of(name), task=task, results=False)
    runs = cw.logs.read(*(tmp_path / name for name in PREDICTED), metric="acc")
    assert (runs.n, len(set(runs.columns["item"]))) == (2 * N, 2 * N)
    pooled = cw.compare(data=runs, test="mcnemar")
    assert "tasks_pooled" in codes(pooled)
    by_task = cw.compare(data=runs, by="task", test="mcnemar")
    assert [part.label for part in by_task.slices] == ["law", "math"]
    assert (by_task.slicing.by, "tasks_pooled" in codes(by_task)) == ("task", False)


def test_tasks_without_samples_are_told(tmp_path):
    sizes = {task: {"original": N, "effective": N} for task in ("quiz", "law", "math")}
    folder = lm_eval_run(tmp_path / "x", lines_of("old"), said={"n-samples": sizes})
    (doubt,) = cw.logs.read(folder).caveats
    assert doubt.text == "The results in x include 2 tasks without samples (law, math)."


def test_a_value_that_is_not_finite_is_refused_or_left_out(tmp_path):
    paths = []
    for name, shift in (("old", 0.0), ("new", 1.0)):
        values = [float("inf") if i % 5 == 0 else i + shift for i in range(20)]
        paths.append(lm_eval_run(tmp_path / name, [lm_eval_line(i, {"mae": v}) for i, v in enumerate(values)]))
    with pytest.raises(DataError, match="mae is not a finite number for 4 of 20 items"):
        cw.compare(data=cw.logs.read(*paths))
    r = cw.compare(data=cw.logs.read(*paths, partial=True), n_resamples=99, rng=1)
    assert (r.n, r.higher_is_better, r.measure_label) == (16, False, "mae")
    assert r.difference == pytest.approx(1.0)


def test_tasks_that_lack_the_metric_are_named(tmp_path):
    """They are not averaged over, and not called infinite; what every task has is offered."""
    paths = []
    for name, shift in (("old", 0), ("new", 1)):
        for task, has in (("quiz", ("acc", "f1")), ("law", ("acc", "exact")), ("math", ("acc",))):
            lines = [lm_eval_line(i, {metric: float((i + shift) % 3 > 0) for metric in has}) for i in range(20)]
            lm_eval_run(tmp_path / name, lines, task=task, results=False)
        paths.append(tmp_path / name)
    with pytest.raises(DataError) as caught:
        cw.compare(data=cw.logs.read(*paths, metric="f1"))
    assert caught.value.what == (
        "2 of 3 tasks have no metric f1, with 40 of 60 items: law (it has acc, exact), math (it has acc)."
    )
    assert str(caught.value.next) == (
        'use metric="acc", which every task has; name only the logs of the tasks that have f1 (quiz), or partial=True '
        "to leave the other tasks out"
    )
    assert cw.compare(data=cw.logs.read(*paths, metric="acc"), rng=1).n == 60
    left = cw.compare(data=cw.logs.read(*paths, metric="f1", partial=True), rng=1)
    assert left.n == 20
    assert any("So are all items of tasks that lack this metric: law, math." in caveat.text for caveat in left.caveats)
    only = [str(path / "samples_quiz_*") for path in paths]
    assert cw.compare(data=cw.logs.read(*only, metric="f1"), rng=1).n == 20


def test_targets_of_labels_in_another_order_are_the_same(tmp_path):
    for name, target in (("old", ["X", "Y"]), ("new", ["Y", "X"])):
        lines = [lm_eval_line(i, {"acc": 1.0}, target=target, target_hash=None) for i in range(5)]
        lm_eval_run(tmp_path / name, lines)
    assert cw.logs.read(tmp_path / "old", tmp_path / "new").n == 5


def test_a_text_beside_the_metrics_is_none_of_them(tmp_path):
    lines = [lm_eval_line(i, {"rougeL_max": float(i), "verdict": "truthful"}) for i in range(12)]
    r = cw.estimate(data=cw.logs.read(lm_eval_run(tmp_path / "x", lines)), n_resamples=99, rng=1)
    assert r.estimate == pytest.approx(5.5)


def test_the_tools_own_direction_decides_and_without_it_nothing_is_guessed(tmp_path):
    def run(name, said):
        return lm_eval_run(tmp_path / name, [lm_eval_line(i, {"goodness": i / 7}) for i in range(12)], said=said)

    with pytest.raises(OptionError, match="does not say whether a higher or a lower goodness"):
        cw.estimate(data=cw.logs.read(run("x", {})))
    down = cw.logs.read(run("y", {"higher_is_better": {"quiz": {"goodness": False}}}))
    assert not cw.estimate(data=down, n_resamples=99, rng=1).higher_is_better


def test_another_value_than_the_tool_reports_is_doubted(tmp_path):
    said = {"results": {"quiz": {"acc,none": 0.25}}}
    paths = [lm_eval_run(tmp_path / name, lines_of(name), said=said) for name in PREDICTED]
    r = cw.compare(data=cw.logs.read(*paths, metric="acc"), test="mcnemar")
    assert "The tool reports acc = 0.25 for old" in next(c.text for c in r.caveats if c.code == "not_as_reported")


def test_another_version_of_the_harness_is_doubted(tmp_path, two):
    other = lm_eval_run(tmp_path / "x", lines_of("new"), said={"lm_eval_version": "0.5.0"})
    assert "versions_differ" in {c.code for c in cw.logs.read(two[0], other).caveats}


def test_log_likelihoods_of_two_choices_are_scores(tmp_path):
    likelihoods = {name: RNG.normal(size=(N, 2)) for name in PREDICTED}
    paths = []
    for name, table in likelihoods.items():
        lines = [
            lm_eval_line(i, {"acc": float(np.argmax(row) == GOLD[i])}, target="AB"[GOLD[i]])
            | {"filtered_resps": [[str(value), "False"] for value in row]}
            for i, row in enumerate(table)
        ]
        paths.append(lm_eval_run(tmp_path / name, lines))
    runs = cw.logs.read(*paths)
    ahead = {name: table[:, 1] - table[:, 0] for name, table in likelihoods.items()}
    r = cw.compare(data=runs, measure="auc", test="delong")
    assert r.estimate_a == pytest.approx(roc_auc_score(GOLD, ahead["old"]))
    brier = cw.compare(data=runs, measure="brier", test="paired_t")
    assert brier.estimate_b == pytest.approx(brier_score_loss(GOLD, 1 / (1 + np.exp(-ahead["new"]))))


def test_which_choice_is_right():
    assert right_choice(Answer("1", {"f1": [1, 0]})) == 1
    assert right_choice(Answer("1", {}, truth=2)) == 2
    assert right_choice(Answer("1", {}, truth=" (C)")) == 2
    assert right_choice(Answer("1", {}, truth="a text")) is None


def test_label_sets_are_tested_as_such(tmp_path):
    labels = ["x", "y", "z"]
    gold = [[label for label in labels if RNG.random() < 0.5] for _ in range(40)]
    paths, tables = [], {}
    for name in PREDICTED:
        tables[name] = [[label for label in labels if (label in own) != (RNG.random() < 0.2)] for own in gold]
        lines = [
            lm_eval_line(i, {"micro_f1": [own, answer]})
            for i, (own, answer) in enumerate(zip(gold, tables[name], strict=True))
        ]
        paths.append(lm_eval_run(tmp_path / name, lines))
    r = cw.compare(data=cw.logs.read(*paths), n_resamples=99, rng=1)
    indicator = lambda sets: [[int(label in own) for label in labels] for own in sets]  # noqa: E731
    assert r.estimate_a == pytest.approx(f1_score(indicator(gold), indicator(tables["old"]), average="micro"))


def test_spans_are_counted_as_the_harness_counts_them(tmp_path):
    # by hand, from the rules of the harness's tasks: case, articles and punctuation do not count
    assert count_spans("PER: The Onyango $$ LOC: Kenya", ["per: Onyango $ loc: kenya $ date: 1990"]) == (2, 1, 3)
    assert count_spans("", ["nothing"]) == (0, 0, 0)
    assert count_spans("LOC: Kenya", ["loc: kenya, loc: kenya"]) == (1, 1, 2)
    paths = []
    for name, answer in (("old", "LOC: Uganda"), ("new", "LOC: Kenya")):
        lines = [lm_eval_line(i, {"f1": ["LOC: Kenya", [answer if i % 2 else "LOC: Kenya"]]}) for i in range(20)]
        paths.append(lm_eval_run(tmp_path / name, lines))
    r = cw.compare(data=cw.logs.read(*paths), n_resamples=99, rng=1)
    assert (r.estimate_a, r.estimate_b, r.measure_label) == (0.5, 1.0, "span F1")


def test_a_measure_of_whole_corpora_is_refused(tmp_path):
    folder = lm_eval_run(tmp_path / "x", [lm_eval_line(i, {"bleu": ["ein Satz", "ein Wort"]}) for i in range(9)])
    with pytest.raises(OptionError, match="bleu is computed from all items together"):
        cw.estimate(data=cw.logs.read(folder))


def test_a_broken_last_line_is_refused(tmp_path):
    folder = lm_eval_run(tmp_path / "x", lines_of("old"), results=False)
    (file,) = folder.iterdir()
    file.write_text(file.read_text()[:-30])
    with pytest.raises(FileError, match="line 60"):
        cw.logs.read(folder)


def test_the_prompt_is_a_group_that_may_be_named(tmp_path):
    paths = [
        lm_eval_run(tmp_path / name, [{**line, "prompt_hash": str(line["doc_id"] // 3)} for line in lines_of(name)])
        for name in PREDICTED
    ]
    r = cw.compare(data=cw.logs.read(*paths, metric="acc"), groups="prompt", n_resamples=99, rng=1)
    assert r.sampling.n_units == 20


def test_results_are_json_as_the_harness_writes_it(two):
    assert json.loads(next(two[0].glob("results*")).read_text())["model_name"] == "old"


def test_repeats_inside_one_document_are_repeats_if_each_is_judged(tmp_path):
    """Four answers a document: pass@1 is their mean, pass@4 whether any is right (Chen et al. 2021)."""
    right = RNG.random((20, 4)) < 0.4
    lines = [
        lm_eval_line(i, {"exact_match": [int(x) for x in own]}, resps=[["a", "b", "c", "d"]])
        for i, own in enumerate(right)
    ]
    run = lm_eval_run(tmp_path / "old", lines)
    for metric, value in (("pass@1", right.mean()), ("pass@4", right.any(axis=1).mean())):
        runs = cw.logs.read(run, metric=metric)
        assert cw.estimate(data=runs, n_resamples=9, rng=1).estimate == pytest.approx(value)
    plain = cw.estimate(data=cw.logs.read(run), n_resamples=99, rng=1)
    assert plain.sampling.n_units == 20
    cut = lm_eval_run(tmp_path / "cut", lines[:15], said={"n-samples": {"quiz": {"original": 20, "effective": 20}}})
    with pytest.raises(DataError):
        cw.estimate(data=cw.logs.read(cut))


def test_repeats_that_were_judged_together_are_told(tmp_path):
    lines = [lm_eval_line(i, {"exact_match": i % 2}, resps=[["a", "b", "c"]], filter="maj@3") for i in range(12)]
    r = cw.estimate(data=cw.logs.read(lm_eval_run(tmp_path / "old", lines)), n_resamples=9, rng=1)
    assert any("was answered 3 times" in c.text and "maj@3" in c.text for c in r.caveats)
    pairs = [lm_eval_line(i, {"f1": [1, i % 2]}, resps=[["a", "b"]]) for i in range(12)]  # gold and predicted
    assert cw.logs.read(lm_eval_run(tmp_path / "f1", pairs)).n == 12
