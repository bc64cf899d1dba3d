"""From files and columns to what the verbs take: every form, standard input, and every way to get it wrong."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.cli.calling import COUNTS, PREDS, ran, refused, run, strict_json


def test_formats_by_ending_and_standard_input_give_the_same(folder: Path) -> None:
    expected = ran("compare", *PREDS, "--positive", "spam", "--seed", 1, "--json")
    frame = pd.read_csv("preds.csv", dtype=str)
    frame.to_csv("preds.tsv", sep="\t", index=False)
    frame.to_csv("preds.csv.gz", index=False)
    frame.to_parquet("preds.parquet")
    frame.to_json("preds.jsonl", orient="records", lines=True)
    for name in ("preds.tsv", "preds.csv.gz", "preds.parquet", "preds.jsonl"):
        assert ran("compare", name, *PREDS[1:], "--positive", "spam", "--seed", 1, "--json") == expected
        piped = ran(
            "compare", "-", *PREDS[1:], "--positive", "spam", "--seed", 1, "--json", input=Path(name).read_bytes()
        )
        assert piped == expected
    by_id = ran("compare", *PREDS, "--id", "doc", "--positive", "spam", "--seed", 1, "--json")
    assert by_id == expected


MODELS = ("svm", "rbf", "svm,rbf", "good", "better", "good,better")


@pytest.mark.parametrize(
    "command",
    [
        "compare",
        "compare --truth y --a svm --b rbf --measure accuracy",
        "compare --a good --b better --measure mean",
        "estimate --truth y --a svm --measure accuracy",
        "rank --truth y --models svm,rbf --measure accuracy --n-resamples 200",
        "plan --truth y --a svm --b rbf --measure accuracy --difference 0.05 --power 0.8",
        "study --truth y --a svm --b rbf --measure accuracy --test-size 50 --sets 20",
        "gate --truth y --a svm --b rbf --measure accuracy --margin 0.5",
        "curve --truth y --models good,better --positive spam",
        "folds --a good --b better --test paired_t",
        "datasets --models good,better --name doc",
        "chance --truth y --a svm",
    ],
)
def test_every_command_reads_an_array_of_objects_as_its_columns(folder: Path, command: str) -> None:
    rng = np.random.default_rng(2)
    frame = pd.read_csv("preds.csv", dtype=str)
    frame = frame.assign(good=rng.random(len(frame)).round(3).astype(str), better=rng.random(len(frame)).astype(str))
    frame.to_csv("items.csv", index=False)
    frame.to_json("items.json", orient="records")
    nested = [{"y": row["y"], "doc": row["doc"], "of": row} for row in frame.to_dict("records")]
    Path("nested.json").write_text(json.dumps(nested, indent=1))
    verb, *words = command.split()
    pilot = ["--pilot"] if verb == "plan" else []
    how = [*words, "--seed", "1", "--json"]
    by_csv, by_json = (run(verb, *pilot, file, *how) for file in ("items.csv", "items.json"))
    assert by_json.stderr.replace("items.json", "items.csv") == by_csv.stderr
    assert by_json.stdout == by_csv.stdout
    expected = by_csv.stdout
    assert expected.startswith("{") or not words  # what cannot be guessed is asked of both
    if words:
        models = {name: ",".join(f"of.{one}" for one in name.split(",")) for name in MODELS}
        inner = ran(verb, *pilot, "nested.json", *(models.get(word, word) for word in how)).replace("of.", "")
        digest = re.compile('"data": .*')  # of what is asked about, with the names of many models
        assert digest.sub("", inner) == digest.sub("", expected)


def test_an_object_that_is_no_counts_is_told_how_to_hold_items(folder: Path) -> None:
    Path("x.json").write_text(json.dumps({"truth": ["a"], "a": ["a"], "b": ["b"]}))
    told = refused("compare", "x.json")
    assert "an array with an object for each" in told
    Path("x.json").write_text(json.dumps([{"y": "a", "svm": "a", "rbf": "b"}] * 3))
    assert "0.000" in ran("compare", "x.json", *PREDS[1:], "--measure", "accuracy")
    Path("x.json").write_text("[1]")
    assert "it begins with 1" in refused("compare", "x.json", *PREDS[1:])


def test_labels_are_text(folder: Path) -> None:
    Path("text.csv").write_text("y,svm,rbf\n01,1,01\n1,1,1\nNA,NA,nan\nNA,01,NA\n")
    found = strict_json(ran("compare", "text.csv", *PREDS[1:], "--measure", "accuracy", "--json"))
    assert (found["estimate_a"], found["estimate_b"]) == (0.5, 0.75)


def test_standard_input_as_one_of_three(folder: Path) -> None:
    expected = ran(
        "compare", "gold.csv", "a.csv", "b.csv", "--id", "doc", "--measure", "accuracy", "--seed", 1, "--json"
    )
    columns = ("--truth", "label", "--a", "label", "--b", "label")
    out = ran(
        "compare",
        "gold.csv",
        "-",
        "b.csv",
        "--id",
        "doc",
        *columns,
        "--measure",
        "accuracy",
        "--seed",
        1,
        "--json",
        input=Path("a.csv").read_text(),
    )
    assert {**strict_json(out), "name_a": "", "null_hypothesis": ""} == {
        **strict_json(expected),
        "name_a": "",
        "null_hypothesis": "",
    }


def test_estimate_reads_standard_input(folder: Path) -> None:
    arguments = ("--truth", "y", "--a", "svm", "--measure", "accuracy", "--json", "--seed", 1)
    assert ran("estimate", "-", *arguments, input=Path("preds.csv").read_text()) == ran(
        "estimate", "preds.csv", *arguments
    )


GOOD = "y,svm,rbf\n1,1,0\n0,0,0\n1,0,1\n0,1,0\n"


COLUMNS = "--truth y --a svm --b rbf"


MIXED = "y,svm,rbf\n" + "".join(f"yes,0.{i},yes\nno,0.{i + 1},yes\n" for i in range(11, 51, 2))


# title: (files to make, command, what the error must mention)
BAD_INPUT: dict[str, tuple[dict[str, str | bytes], str, tuple[str, ...]]] = {
    "unknown column": (
        {},
        "compare preds.csv --truth y --a smv --b rbf",
        ("'smv'", "doc, y, svm, rbf", "did you mean 'svm'"),
    ),
    "unknown column, other case": ({}, "compare preds.csv --truth Y --a svm --b rbf", ("'Y'", "did you mean 'y'")),
    "unknown column in an estimate": ({}, "estimate preds.csv --truth y --a smv", ("'smv'", "'svm'")),
    "unknown id column": ({}, f"compare preds.csv {COLUMNS} --id dok", ("'dok'", "'doc'")),
    "no column named, and none to guess": ({"y.csv": "y\n0\n1\n"}, "compare y.csv", ("--truth",)),
    "no column for b named": ({}, "compare preds.csv --truth y --a svm", ("--b",)),
    "the truth as a prediction": ({}, "compare preds.csv --truth y --a y --b rbf", ("'y'", "--a")),
    "id sets that differ": (
        {"c.csv": "doc,label\n" + "".join(f"{i:03},1\n" for i in range(5, 121))},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "000, 001, 002", "5 ids", "120"),
    ),
    "ids that differ by a zero": (
        {"c.csv": "doc,label\n" + "".join(f"{i},1\n" for i in range(120))},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "000, 001, 002", "100 ids"),
    ),
    "lengths that differ": (
        {"c.csv": "doc,label\n000,1\n001,0\n"},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "118 ids"),
    ),
    "duplicate ids": (
        {"c.csv": "doc,label\n000,1\n001,0\n000,1\n"},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "'doc'", "000", "1 id"),
    ),
    "duplicate ids in one file": (
        {"x.csv": "doc,y,svm,rbf\n7,1,1,1\n7,0,0,0\n8,0,0,0\n"},
        f"compare x.csv {COLUMNS} --id doc",
        ("'doc'", "7"),
    ),
    "missing values": (
        {"x.csv": "y,svm,rbf\n1,1,0\n0,,0\n1,0,1\n0,,0\n"},
        f"compare x.csv {COLUMNS}",
        ("'svm'", "2 rows", "2, 4"),
    ),
    "missing ids": (
        {"c.csv": "doc,label\n000,1\n,0\n"},
        "compare gold.csv a.csv c.csv --id doc",
        ("c.csv", "'doc'", "2"),
    ),
    "null in JSONL": (
        {"x.jsonl": '{"y": 1, "svm": 1, "rbf": 0}\n{"y": 0, "svm": null, "rbf": 0}\n'},
        f"compare x.jsonl {COLUMNS}",
        ("'svm'", "1 row", "2"),
    ),
    "ragged rows, too short": ({"x.csv": "y,svm,rbf\n1,1,0\n0,0\n"}, f"compare x.csv {COLUMNS}", ("x.csv", "3", "2")),
    "ragged rows, too long": (
        {"x.csv": "y,svm,rbf\n1,1,0\n0,0,0,1\n"},
        f"compare x.csv {COLUMNS}",
        ("x.csv", "3", "4"),
    ),
    "not UTF-8": ({"x.csv": "y,svm,rbf\nça,ça,là\n".encode("latin1")}, f"compare x.csv {COLUMNS}", ("x.csv", "UTF-8")),
    "a spreadsheet": ({"x.xlsx": b"PK"}, f"compare x.xlsx {COLUMNS}", ("x.xlsx", "save it as CSV")),
    "labels in another case": (
        {"x.csv": "y,svm,rbf\n" + "churn,Churn ,churn\nstay,stay,churn\n" * 20},
        f"compare x.csv {COLUMNS} --positive churn",
        ("svm predicts 'Churn '", "truth has 'churn'", "20 item"),
    ),
    "labels of another kind": (
        {"x.csv": "y,svm,rbf\n" + "churn,0.7,churn\nstay,0.2,churn\n" * 20},
        f"compare x.csv {COLUMNS} --positive churn",
        ("svm never predicts", "'0.2', '0.7'", "'churn', 'stay'", "--threshold"),
    ),
    "decimal commas": (
        {"x.csv": "y;svm;rbf\n1;0,5;0,25\n0;0,1;1\n"},
        f"compare x.csv {COLUMNS} --measure auc",
        ("'svm'", "decimal commas", "0.5 instead of 0,5"),
    ),
    "one column for both": ({}, "compare preds01.csv --truth y --a svm --b svm", ("column 'svm'", "--b COLUMN")),
    "one column for both scores": (
        {},
        "compare preds01.csv --truth y --a svm --b svm --measure auc",
        ("column 'svm'", "--b COLUMN"),
    ),
    "one pattern for both": (
        {"x.csv": "y_1,y_2,s_1,s_2\n1,0,1,0\n0,1,1,0\n"},
        'compare x.csv --truth "y_*" --a "s_*" --b "s_*"',
        ("'s_*'", "--b COLUMN"),
    ),
    "one file for both": ({}, "compare gold.csv a.csv a.csv --id doc", ("column 'label' of a.csv", "--b COLUMN")),
    "scores beside decisions": (
        {"x.csv": MIXED},
        "compare x.csv --truth y --a svm --b rbf --positive yes",
        ("'svm' holds 0.", "column 'rbf' holds decisions", "turn the scores into decisions first"),
    ),
    "decisions beside scores": (
        {"x.csv": MIXED},
        "compare x.csv --truth y --a svm --b rbf --positive yes --threshold 0.5",
        ("'rbf'", "these are labels", "if svm has scores, turn them into decisions"),
    ),
    "infinite scores": (
        {"x.csv": "y,svm,rbf\n1,0.5,inf\n0,0.1,0\n1,0.2,-inf\n"},
        f"compare x.csv {COLUMNS} --measure auc",
        ("'rbf'", "2 rows (1, 3)", "row 1 is the first", "--rank-infinite"),
    ),
    "a misspelled correction": ({}, f"compare preds01.csv {COLUMNS} --correction hulm", ("'hulm'", "'holm'")),
    "binary": ({"x.csv": bytes(range(256)) * 9}, f"compare x.csv {COLUMNS}", ("x.csv",)),
    "not Parquet": ({"x.parquet": GOOD}, f"compare x.parquet {COLUMNS}", ("x.parquet",)),
    "not JSON lines": ({"x.jsonl": GOOD}, f"compare x.jsonl {COLUMNS}", ("x.jsonl",)),
    "empty file": ({"x.csv": ""}, f"compare x.csv {COLUMNS}", ("x.csv", "empty")),
    "header only": ({"x.csv": "y,svm,rbf\n"}, f"compare x.csv {COLUMNS}", ("x.csv", "no rows")),
    "no such file": ({}, f"compare pred.csv {COLUMNS}", ("pred.csv", "preds.csv")),
    "a folder": ({"sub/x.csv": GOOD}, f"compare sub {COLUMNS}", ("sub", "folder")),
    "an unknown ending": ({"x.txt": GOOD}, f"compare x.txt {COLUMNS}", ("x.txt", ".csv")),
    "one class only": (
        {"x.csv": "y,svm,rbf\n1,1,0\n1,0,1\n"},
        f"compare x.csv {COLUMNS} --measure mcc",
        ("class 0", "accuracy", "recall"),
    ),
    "one class only in an estimate": (
        {"x.csv": "y,svm,rbf\n1,1,0\n1,0,1\n"},
        "estimate x.csv --truth y --a svm --measure specificity",
        ("class 0", "accuracy", "recall"),
    ),
    "a class that is not there": (
        {},
        f"compare preds.csv {COLUMNS} --positive Spam",
        ("'Spam'", "ham, spam", "'spam'"),
    ),
    "no class named": ({}, f"compare preds.csv {COLUMNS}", ("positive", "--positive spam", "accuracy")),
    "three classes": (
        {"x.csv": "y,svm,rbf\na,b,c\nb,b,c\n"},
        f"compare x.csv {COLUMNS}",
        ("3 labels", "--positive a", "accuracy"),
    ),
    "nan counts": ({"x.json": json.dumps({**COUNTS, "e3": float("nan")})}, "compare x.json", ("e3", "NaN")),
    "infinite counts": ({"x.json": json.dumps({**COUNTS, "e3": float("inf")})}, "compare x.json", ("e3",)),
    "negative counts": ({"x.json": json.dumps({**COUNTS, "e2": -9})}, "compare x.json", ("e2", "-9")),
    "fractional counts": ({"x.json": json.dumps({**COUNTS, "e2": 0.5})}, "compare x.json", ("e2", "0.5")),
    "counts that are texts": ({"x.json": json.dumps({**COUNTS, "e2": "9"})}, "compare x.json", ("e2", "9")),
    "counts that are true": ({"x.json": json.dumps({**COUNTS, "e2": True})}, "compare x.json", ("e2", "true")),
    "huge counts": ({"x.json": json.dumps({**COUNTS, "e2": 2**63})}, "compare x.json", ("e2",)),
    "counts with a huge sum": (
        {"x.json": json.dumps({**COUNTS, "e1": 2**62, "e2": 2**62, "e4": 2**62})},
        "compare x.json",
        ("a count, which is a whole number",),
    ),
    "all counts 0": ({"x.json": json.dumps(dict.fromkeys(COUNTS, 0))}, "compare x.json", ("All counts are 0",)),
    "a count missing": (
        {"x.json": json.dumps({k: v for k, v in COUNTS.items() if k != "e5"})},
        "compare x.json",
        ("e5",),
    ),
    "a count too many": ({"x.json": json.dumps({**COUNTS, "e9": 1})}, "compare x.json", ("e9",)),
    "counts that are no object": ({"x.json": "[1, 2, 3]"}, "compare x.json", ("x.json",)),
    "counts that are no JSON": ({"x.json": "{e1: 4}"}, "compare x.json", ("x.json", "JSON")),
    "counts in an empty file": ({"x.json": ""}, "compare x.json", ("x.json",)),
    "columns of counts": ({}, "compare counts.json --truth y", ("counts.json", "--truth")),
    "counts in an estimate": ({}, "estimate counts.json --truth y --a svm", ("counts.json",)),
    "negative costs": (
        {},
        f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn=-1)"',
        ("cost_fn", "-1", "0 or more"),
    ),
    "infinite costs": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn=1e999)"', ("cost_fn", "finite")),
    "costs beyond any float": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn={"9" * 400})"', ("cost_fn",)),
    "costs that are texts": ({}, f"compare preds01.csv {COLUMNS} --measure \"dcf(cost_fn='x')\"", ("cost_fn", "'x'")),
    "a prior above 1": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(prior=1.5)"', ("prior", "1.5", "0 to 1")),
    "a prior below 0": ({}, 'estimate preds01.csv --truth y --a svm --measure "dcf(prior=-0.1)"', ("prior", "-0.1")),
    "beta of 0": ({}, f'compare preds01.csv {COLUMNS} --measure "f_beta(beta=0)"', ("beta", "above 0")),
    "a level of 1": ({}, f"compare preds01.csv {COLUMNS} --confidence-level 1", ("between 0 and 1",)),
    "a level that is no number": (
        {},
        f"compare preds01.csv {COLUMNS} --confidence-level x",
        ("--confidence-level", "'x'"),
    ),
    "a level of 95": ({}, f"compare preds01.csv {COLUMNS} --confidence-level 95", ("confidence_level", "95", "0.95")),
    "a level of 0": ({}, "estimate preds01.csv --truth y --a svm --confidence-level 0", ("confidence_level",)),
    "a level that is nan": ({}, f"compare preds01.csv {COLUMNS} --confidence-level nan", ("confidence_level", "nan")),
    "no replicates": ({}, f"compare preds01.csv {COLUMNS} --n-resamples 0", ("n_resamples", "1 or more")),
    "fewer than no replicates": ({}, f"compare preds01.csv {COLUMNS} --n-resamples -5", ("n_resamples", "-5")),
    "half a replicate": ({}, f"compare preds01.csv {COLUMNS} --n-resamples 0.5", ("--n-resamples", "0.5")),
    "a negative seed": ({}, f"compare preds01.csv {COLUMNS} --seed -1", ("--seed", "-1")),
    "a misspelled measure": ({}, f"compare preds01.csv {COLUMNS} --measure acuracy", ("'acuracy'", "'accuracy'")),
    "a misspelled option of a measure": (
        {},
        f'compare preds01.csv {COLUMNS} --measure "dcf(cost_nf=1)"',
        ("'cost_nf'", "'cost_fn'"),
    ),
    "an unreadable measure": ({}, f'compare preds01.csv {COLUMNS} --measure "dcf(cost_fn="', ("dcf(cost_fn=",)),
    "an option without a name": ({}, f'compare preds01.csv {COLUMNS} --measure "f_beta(2)"', ("f_beta(2)",)),
    "code instead of a measure": (
        {},
        f"compare preds01.csv {COLUMNS} --measure \"__import__('os').getcwd()\"",
        ("cannot be read",),
    ),
    "no measure": ({}, f'compare preds01.csv {COLUMNS} --measure ""', ("measure", "accuracy")),
    "a misspelled test": ({}, f"compare preds01.csv {COLUMNS} --test macnemar", ("'macnemar'", "'mcnemar'")),
    "a misspelled method": (
        {},
        f"compare preds01.csv {COLUMNS} --method exakt",
        ("'exakt'", "'exact'", "--test permutation"),
    ),
    "a method of another test": (
        {},
        f"compare preds01.csv {COLUMNS} --method mid-p",
        ("'mid-p'", "method of studentised"),
    ),
    "a misspelled interval": (
        {},
        f"compare preds01.csv {COLUMNS} --interval percentil",
        ("'percentile'", "--test bootstrap"),
    ),
    "a misspelled interval of the test": (
        {},
        f"compare preds01.csv {COLUMNS} --test bootstrap --interval percentil",
        ("of bootstrap", "did you mean 'percentile'?"),
    ),
    "a misspelled interval of an estimate": (
        {},
        "estimate preds01.csv --truth y --a svm --interval wilsen",
        ("'wilsen'", "'wilson'"),
    ),
    "a misspelled claim": ({}, f"compare preds01.csv {COLUMNS} --claim beter", ("'beter'", "'better'")),
    "a misspelled command": ({}, "compair preds.csv", ("compair", "compare")),
    "a misspelled option": ({}, f"compare preds01.csv {COLUMNS} --mesure f1", ("--mesure", "--measure")),
    "a test that cannot judge the measure": (
        {},
        f"compare preds01.csv {COLUMNS} --measure f1 --test mcnemar",
        ("F1 is not a sum over test items", "bootstrap", "permutation", "accuracy"),
    ),
    "a test that cannot judge the classes": (
        {},
        f"compare preds01.csv {COLUMNS} --measure recall --test sign",
        ("recall is not", "paired_proportion"),
    ),
    "an interval that cannot bound the measure": (
        {},
        "estimate preds01.csv --truth y --a svm --measure f1 --interval wilson",
        ("F1", "wilson", "percentile"),
    ),
    "no file": ({}, "compare", ("FILE",)),
    "no file to estimate": ({}, "estimate", ("FILE",)),
    "two files": ({}, "compare a.csv b.csv --id doc", ("2 files", "--truth")),
    "three files without an id": ({}, "compare gold.csv a.csv b.csv --truth label", ("--id",)),
    "a model that was not turned but a file": (
        {},
        f"compare {COLUMNS} --measure auc --lower-is-positive preds01.csv",
        ("--lower-is-positive read the next word, preds01.csv",),
    ),
    "a model to turn that is none": (
        {},
        f"compare preds01.csv {COLUMNS} --measure auc --lower-is-positive nobody",
        ("'nobody'", "svm, rbf"),
    ),
    "decisions to turn": ({}, f"compare preds01.csv {COLUMNS} --lower-is-positive", ("--lower-is-positive is for",)),
    "another way with what is missing": ({}, f"compare preds01.csv {COLUMNS} --missing keep", ("refuse, drop",)),
    "long and models": ({}, "datasets preds01.csv --long y,svm,rbf --models svm", ("--long names all columns",)),
    "three files and one file's worth of columns": (
        {},
        "compare gold.csv a.csv b.csv --id doc --a svm",
        ("'svm'", "a.csv", "label"),
    ),
    "standard input twice": ({}, "compare - - b.csv --id doc", ("-",)),
    "empty standard input": ({}, f"compare - {COLUMNS}", ("standard input", "empty")),
    "more to measures than a flag": ({}, "measures f1", ("f1",)),
}


@pytest.mark.parametrize("title", BAD_INPUT)
def test_bad_input_gets_a_clear_error(folder: Path, title: str) -> None:
    files, command, mentions = BAD_INPUT[title]
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    text = refused(*shlex.split(command))
    for mention in mentions:
        assert mention in text, text


LABELS = ("joy", "anger", "fear")


def units_folder(path: Path) -> None:
    """Write the same label sets as lists, as columns and as JSON; with authors and parts; and spans of sentences."""
    rng = np.random.default_rng(8)
    truth = rng.random((120, 3)) < 0.4
    models = [truth ^ (rng.random((120, 3)) < p) for p in (0.2, 0.12)]
    tables = dict(zip(("gold", "svm", "rbf"), (truth, *models), strict=True))
    texts = {
        name: [",".join(label for label, on in zip(LABELS, row, strict=True) if on) for row in x]
        for name, x in tables.items()
    }
    lines = ["id;author;part;gold;svm;rbf"]
    lines += [f"{i};w{i // 4};p{i // 60};{texts['gold'][i]};{texts['svm'][i]};{texts['rbf'][i]}" for i in range(120)]
    (path / "sets.csv").write_text("\n".join(lines) + "\n")
    names = [f"{name}_{label}" for name in tables for label in LABELS]
    rows = np.concatenate(list(tables.values()), axis=1).astype(int)
    (path / "columns.csv").write_text("\n".join([",".join(names), *(",".join(map(str, r)) for r in rows)]) + "\n")
    with (path / "sets.jsonl").open("w") as file:
        for i in range(120):
            row = {name: [t for t in texts[name][i].split(",") if t] for name in tables}
            file.write(json.dumps({"id": i, "author": f"w{i // 4}", **row}) + "\n")
    gold = rng.integers(0, 5, 40)
    right = [rng.integers(0, gold + 1) for _ in "ab"]
    spans = np.stack([np.arange(40) // 4, gold, right[0], right[0] + 1, right[1], right[1] + 1], axis=1)
    header = "page,gold,right_a,made_a,right_b,made_b"
    (path / "spans.csv").write_text("\n".join([header, *(",".join(map(str, r)) for r in spans)]) + "\n")


SETS = ("sets.csv", "--truth", "gold", "--a", "svm", "--b", "rbf", "--separator", ",")


def found_in(*arguments: str) -> Any:
    return strict_json(ran("compare", *arguments, "--seed", "1", "--n-resamples", "300", "--json"))


def test_label_sets_in_every_form(folder: Path) -> None:
    units_folder(folder)
    lists = found_in(*SETS, "--measure", "macro_f1")
    columns = found_in("columns.csv", "--truth", "gold_*", "--a", "svm_*", "--b", "rbf_*", "--measure", "macro_f1")
    nested = found_in("sets.jsonl", *SETS[1:], "--measure", "macro_f1")
    assert (lists["name_a"], lists["n"], lists["measure"]) == ("svm", 120, "macro_f1")
    assert columns["difference"] == pytest.approx(lists["difference"])
    assert nested["p_value"] == lists["p_value"]
    assert lists["sampling"]["unit"] == "document"
    some = found_in(*SETS, "--measure", "micro_f1", "--labels", "joy, fear")
    assert some["labels"] == ["joy", "fear"]
    each = found_in(*SETS, "--per-class")
    assert [one["label"] for one in each["classes"]] == sorted(LABELS)
    single = strict_json(ran("estimate", *SETS[:5], *SETS[7:], "--measure", "hamming_loss", "--seed", "1", "--json"))
    assert 0 < single["estimate"] < 1


def test_groups_and_strata_of_every_kind(folder: Path) -> None:
    units_folder(folder)
    grouped = found_in(*SETS, "--measure", "micro_f1", "--groups", "author", "--strata", "part")
    assert (grouped["sampling"]["n_units"], grouped["sampling"]["strata"]) == (30, {"p0": 15, "p1": 15})
    spans = (
        "spans.csv",
        "--truth",
        "gold",
        "--a",
        "right_a,made_a",
        "--b",
        "right_b,made_b",
        "--measure",
        "f1_of_sums",
    )
    assert found_in(*spans, "--groups", "page")["sampling"]["n_units"] == 10
    single = strict_json(ran("estimate", *spans[:5], *spans[7:], "--groups", "page", "--seed", "1", "--json"))
    assert single["sampling"]["smallest"] == 4
    values = ("spans.csv", "--a", "right_a", "--b", "right_b", "--measure", "mean", "--groups", "page")
    assert found_in(*values)["sampling"]["n_units"] == 10
    scores = ("spans.csv", "--truth", "page", "--a", "made_a", "--b", "made_b", "--measure", "auc", "--positive", "0")
    assert found_in(*scores, "--groups", "gold")["sampling"]["unit"] == "group"
    decisions = ("spans.csv", "--truth", "gold", "--a", "right_a", "--b", "right_b", "--measure", "macro_f1")
    assert found_in(*decisions, "--groups", "page", "--labels", "1,2")["sampling"]["n_units"] == 10
    assert found_in(*decisions[:-1], "accuracy", "--strata", "page")["sampling"]["unit"] == "item"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SETS, *4 * ("--groups", "author"), "--measure", "macro_f1"), "--groups was given 4 times"),
        ((*SETS, "--groups", "autor", "--measure", "macro_f1"), "did you mean 'author'"),
        ((*SETS, "--groups", "part", "--strata", "author", "--measure", "macro_f1"), "has items in several strata"),
        ((*SETS, "--labels", "joi", "--measure", "macro_f1"), "did you mean 'joy'"),
        ((*SETS, "--positive", "joy", "--measure", "macro_f1"), "--labels to choose"),
        ((*SETS, "--measure", "f1"), "--measure macro_f1"),
        ((*SETS, "--measure", "macro_f1", "--threshold", "0.5"), "no separator with scores"),
        (("sets.jsonl", "--truth", "gold", "--a", "svm", "--b", "rbf", "--measure", "macro_f1"), "--separator"),
        (("columns.csv", "--truth", "gold_*", "--a", "svn_*", "--b", "rbf_*"), "svm_joy"),
        (("spans.csv", "--truth", "gold", "--a", "right_a", "--b", "right_b", "--measure", "span_f1"), "two columns"),
        (
            ("spans.csv", "--truth", "gold", "--a", "made_a,right_a", "--b", "right_b,made_b", "--measure", "span_f1"),
            "more right spans",
        ),
        (("counts.json", "--groups", "author"), "--groups"),
        (("counts.json", "--separator", ","), "holds counts"),
        (("columns.csv", "--truth", "gold_*", "--a", "svm_*", "--b", "rbf_*", "--separator", ","), "one of them"),
    ],
)
def test_units_that_cannot_be_are_told(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    units_folder(folder)
    (folder / "counts.json").write_text(json.dumps({f"e{i}": 5 for i in range(1, 9)}))
    result = run("compare", *arguments)
    assert result.exit_code == 2
    assert message in result.output
