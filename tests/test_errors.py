"""What is said when something is wrong, and what is said of a result: reviewed texts, kept as snapshots.

``CLEARWIN_UPDATE_SNAPSHOTS=1 pytest tests/test_errors.py`` writes tests/snapshots/ anew; read the difference before
you commit it.
"""

from __future__ import annotations

import ast
import copy
import inspect
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clearwin as cw
from clearwin import errors
from clearwin.cli import main
from clearwin.cli.command import as_typed
from clearwin.data.files.predictions import read_joint_counts, tally_file
from clearwin.errors import OptionError, first_few, nearest, setting, settings_in
from clearwin.results import Caveat

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = bool(os.environ.get("CLEARWIN_UPDATE_SNAPSHOTS"))

TRUTH = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0] * 6
A = [1, 1, 0, 0, 1, 1, 0, 0, 1, 0] * 6
B = [1, 1, 1, 0, 1, 0, 0, 0, 1, 0] * 6
ANIMALS = ["cat", "dog", "eel"] * 20
COUNTS = {"e1": 40, "e2": 9, "e3": 3, "e4": 8, "e5": 5, "e6": 2, "e7": 4, "e8": 129}


def compare(**options: Any) -> cw.results.Comparison:
    return cw.compare(TRUTH, A, B, **{"rng": 7, **options})


def counts(**events: Any) -> cw.JointCounts:
    return cw.JointCounts(**{**COUNTS, **events})


def words(values: list[int]) -> list[str]:
    return ["spam" if x else "ham" for x in values]


def gaps() -> pd.DataFrame:
    frame = pd.DataFrame({"y": TRUTH, "svm": A, "rbf": B}, dtype="Int64")
    frame.loc[[3, 4, 8, 50], "svm"] = pd.NA
    return frame


# --- errors ---------------------------------------------------------------------------------------------------

# title: a call that must fail; the files stand in the folder in which it is made
ERRORS: dict[str, Callable[[], object]] = {
    "lengths differ": lambda: cw.compare(TRUTH, A[:-1], B),
    "no items": lambda: cw.compare([], [], []),
    "missing values": lambda: cw.compare([1, None, 0, None, None, None], *[[1] * 6] * 2),
    "missing values in a frame": lambda: cw.compare(data=gaps(), truth="y", a="svm", b="rbf"),
    "a table of one column": lambda: cw.compare(np.zeros((60, 1)), A, B),
    "an array of sets": lambda: cw.compare([{1, 2}, 3], [1, 2], [1, 2]),
    "scores": lambda: cw.compare(TRUTH, A, np.linspace(0, 1, 60) ** 0.5),
    "ids": lambda: cw.compare([0, 1] * 1000, np.arange(2000), [0, 1] * 1000),
    "texts against numbers": lambda: cw.compare(words(TRUTH), A, B),
    "the same index in another order": lambda: cw.compare(pd.Series(TRUTH), pd.Series(A)[::-1], B),
    "which class is positive": lambda: cw.compare(words(TRUTH), words(A), words(B)),
    "a class that is not there": lambda: cw.compare(words(TRUTH), words(A), words(B), positive="Spam"),
    "labels in another case": lambda: cw.compare(words(TRUTH), [x.title() for x in words(A)], words(B)),
    "labels of another language": lambda: cw.compare(words(TRUTH), ["ja" if x else "nein" for x in A], words(B)),
    "scores as texts": lambda: cw.compare(words(TRUTH), ["0.5", "0.25"] * 30, words(B)),
    "one column for both": lambda: cw.compare(data=gaps(), truth="y", a="svm", b="svm"),
    "three classes": lambda: cw.compare(ANIMALS, ANIMALS, ANIMALS[::-1]),
    "one class only": lambda: cw.compare([1] * 60, A, B, measure="mcc"),
    "not a frame": lambda: cw.compare(data=TRUTH, truth="y", a="svm", b="rbf"),
    "a column that is not there": lambda: cw.compare(data=gaps(), truth="y", a="smv", b="rbf"),
    "a frame without rows": lambda: cw.compare(data=gaps()[:0], truth="y", a="svm", b="rbf"),
    "a negative count": lambda: counts(e3=-3),
    "all counts 0": lambda: cw.JointCounts(**dict.fromkeys(COUNTS, 0)),
    "not joint counts": lambda: cw.compare(COUNTS),  # type: ignore[arg-type]
    "an unknown measure": lambda: compare(measure="acuracy"),
    "an unknown option of a measure": lambda: compare(measure="dcf(cost=10)"),
    "an unreadable measure": lambda: compare(measure="dcf(10, 1)"),
    "no measure at all": lambda: compare(measure=None),
    "a negative cost": lambda: compare(measure="dcf(cost_fn=-1)"),
    "a prior above 1": lambda: compare(measure="dcf(prior=1.5)"),
    "a beta of 0": lambda: compare(measure="f_beta(beta=0)"),
    "a function of three arguments": lambda: compare(measure=lambda x, y, z: 0),
    "an unknown test": lambda: compare(test="macnemar"),
    "an unknown method": lambda: compare(test="mcnemar", measure="accuracy", method="exakt"),
    "an unknown interval": lambda: compare(test="bootstrap", interval="percentil"),
    "an interval named much like one of another test": lambda: compare(interval="percentil"),
    "an unknown claim": lambda: compare(claim="beter"),
    "a test that cannot judge the measure": lambda: compare(measure="f1", test="mcnemar"),
    "a test that cannot judge the classes": lambda: compare(measure="recall", test="sign"),
    "an interval that cannot bound the measure": lambda: cw.estimate(TRUTH, A, measure="f1", interval="wilson"),
    "too many arrangements": lambda: cw.compare(
        counts(e2=9000, e3=9000, e6=9000, e7=9000), test="permutation", method="exact"
    ),
    "a level of 95": lambda: compare(confidence_level=95),
    "no replicates": lambda: compare(n_resamples=0),
    "a seed that is none": lambda: compare(rng="seven"),
    "one name for two": lambda: compare(names=("svm", "svm")),
    "a file that is not there": lambda: tally_file("pred.csv", {"truth": "y", "a": "svm", "b": "rbf"}),
    "a column that is not in the file": lambda: tally_file("preds.csv", {"truth": "y", "a": "smv", "b": "rbf"}),
    "a file without rows": lambda: tally_file("header.csv", {"truth": "y", "a": "svm", "b": "rbf"}),
    "a ragged file": lambda: tally_file("ragged.csv", {"truth": "y", "a": "svm", "b": "rbf"}),
    "a file with gaps": lambda: tally_file("gaps.csv", {"truth": "y", "a": "svm", "b": "rbf"}),
    "ids that differ": lambda: tally_file(
        {"truth": "gold.csv", "a": "same.csv", "b": "other.csv"}, {}, id_column="doc"
    ),
    "a negative count in a file": lambda: read_joint_counts("counts.json"),
}
FILES = {
    "preds.csv": "y,svm,rbf\n1,1,0\n0,1,0\n",
    "header.csv": "y,svm,rbf\n",
    "ragged.csv": "y,svm,rbf\n1,1,0\n0,1\n",
    "gaps.csv": "y,svm,rbf\n1,,0\n0,1,0\n0,,1\n",
    "gold.csv": "doc,label\n1,1\n2,0\n3,1\n",
    "same.csv": "doc,label\n3,1\n2,0\n1,1\n",
    "other.csv": "doc,label\n01,1\n2,0\n3,1\n",
    "counts.json": '{"e1": 40, "e2": -9, "e3": 3, "e4": 8, "e5": 5, "e6": 2, "e7": 4, "e8": 129}',
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)


def caught(title: str) -> errors.ClearwinError:
    with pytest.raises(errors.ClearwinError) as info:
        ERRORS[title]()
    return info.value


def write(texts: dict[str, str]) -> str:
    return "".join(f"=== {title}\n{text}\n\n" for title, text in texts.items())


def read(path: Path) -> dict[str, str]:
    pieces = re.split(r"^=== (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title: text.strip("\n") for title, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def check(name: str, texts: dict[str, str]) -> None:
    path = SNAPSHOTS / name
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(write(texts), encoding="utf-8")
    stored = read(path)
    assert {title: text.strip("\n") for title, text in texts.items()} == stored
    assert list(texts) == list(stored)


@pytest.mark.usefixtures("files")
def test_error_texts_are_as_reviewed() -> None:
    found = {title: caught(title) for title in ERRORS}
    check("errors.txt", {title: f"{type(error).__name__}\n{error}" for title, error in found.items()})


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("title", ERRORS)
def test_every_error_says_what_and_what_now(title: str) -> None:
    error = caught(title)
    assert isinstance(error, ValueError)
    assert error.what.strip() == error.what != ""
    # what was expected or what to do next: the reader must be helped on
    assert error.expected or error.next
    # parts of a sentence, not sentences: they follow "Expected:" and "Next:"
    assert not error.expected.endswith(".")
    assert not error.next.endswith(".")
    for leak in ("Traceback", "DuckDB says", "object at 0x", "<function", "<lambda>", "np.int64(", "np.float64("):
        assert leak not in str(error)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("title", ERRORS)
def test_errors_survive_pickle_and_copy(title: str) -> None:
    error = caught(title)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        same(pickle.loads(pickle.dumps(error, protocol)), error)
    same(copy.copy(error), error)
    same(copy.deepcopy(error), error)


def same(copied: errors.ClearwinError, error: errors.ClearwinError) -> None:
    assert type(copied) is type(error)
    assert str(copied) == str(error)
    assert (copied.what, copied.expected, copied.next) == (error.what, error.expected, error.next)


# --- the tree -------------------------------------------------------------------------------------------------

TREE = {
    "ClearwinError": ValueError,
    "DataError": errors.ClearwinError,
    "FileError": errors.DataError,
    "OptionError": errors.ClearwinError,
    "UnknownNameError": errors.OptionError,
    "NotApplicableError": errors.ClearwinError,
    "UndefinedError": errors.ClearwinError,
}


def test_the_tree_is_the_one_that_is_drawn() -> None:
    classes = {
        name: each
        for name, each in vars(errors).items()
        if inspect.isclass(each) and issubclass(each, Exception) and each.__module__ == errors.__name__
    }
    assert classes.keys() == TREE.keys()
    for name, parent in TREE.items():
        assert classes[name].__bases__ == (parent,)
        assert issubclass(classes[name], errors.ClearwinError)
        assert issubclass(classes[name], ValueError)
        assert getattr(cw.errors, name) is classes[name]
        assert name in (errors.__doc__ or "")


def test_every_class_is_among_the_snapshots() -> None:
    seen = {text.partition("\n")[0] for text in read(SNAPSHOTS / "errors.txt").values()}
    assert seen == set(TREE) - {"ClearwinError"}


def test_the_three_parts() -> None:
    error = errors.DataError("It is wrong.", "right", "put it right")
    assert str(error) == "It is wrong.\nExpected: right\nNext: put it right"
    assert str(errors.DataError("It is wrong.")) == "It is wrong."
    assert error.args == ("It is wrong.", "right", "put it right")


# how the parts of an error begin: what was expected is a thing, what to do next is a step or something to type
THINGS = (
    "a",
    "an",
    "at",
    "one",
    "two",
    "three",
    "no",
    "each",
    "every",
    "items",
    "names",
    "numbers",
    "finite",
    "columns",
)
STEPS = (
    *("use", "leave", "check", "give", "name", "correct", "make", "rename", "save", "add", "write", "remove", "choose"),
    *("send", "run", "convert", "drop", "wait", "look", "put", "start", "rescale", "group", "decide", "wrap", "raise"),
    *("find", "divide", "bring", "reshape", "subtract", "sort", "turn", "spell", "fill", "delete", "shuffle", "try"),
)
STEPS_WITH_A_NOUN = ("a function that returns", "a classifier or a regressor")


def literal(node: ast.expr) -> str:
    """Return how the text of an argument begins, as far as the source says."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "…" for part in parts)
        case ast.BinOp(left=left) | ast.IfExp(body=left):
            return literal(left)
        case ast.Call(func=ast.Name(id="setting")):
            return "--setting"
    return ""


def test_the_parts_of_every_error_are_not_swapped() -> None:
    wrong, seen = [], 0
    for path in sorted(Path(cw.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error")):
                continue
            _, expected, next, *_ = (*map(literal, node.args), "", "", "")
            seen += bool(expected and next)
            thing = next.split(" ")[0] in THINGS and not next.startswith(STEPS_WITH_A_NOUN)
            step = expected.split(" ")[0] in STEPS
            if thing or step or expected.endswith((".", "?")):
                wrong.append(f"{path.name}:{node.lineno}: {expected!r}, {next!r}")
    assert seen > 200
    assert wrong == []


def test_the_nearest_names() -> None:
    known = ["accuracy", "balanced_accuracy", "recall", "Spam"]
    assert nearest("acuracy", known) == ["accuracy", "balanced_accuracy"]
    assert nearest("RECALL", known) == ["recall"]
    assert nearest("spam", known) == ["Spam"]
    assert nearest("", known) == nearest("zzz", known) == nearest("x", []) == []


def test_an_unknown_name_where_there_are_none_to_list() -> None:
    with pytest.raises(errors.UnknownNameError) as info:
        cw.compare(data=pd.DataFrame(), truth="y", a="svm", b="rbf")
    assert info.value.expected or info.value.next


def test_the_first_few() -> None:
    assert first_few([1, 2], 2) == "1, 2"
    assert first_few(range(2000), 2000) == "0, 1, 2 and 1,997 more"
    assert first_few(iter("abc"), 3) == "a, b, c"


# --- settings that are not even of the right type -------------------------------------------------------------


@pytest.mark.parametrize(
    "setting",
    [
        {"method": None},
        {"method": 3},
        {"interval": None},
        {"interval": ["tango"]},
        {"test": None},
        {"test": 3},
        {"claim": None},
        {"claim": ["better"]},
        {"measure": 3},
        {"measure": ["f1"]},
        {"confidence_level": None},
        {"confidence_level": "0.95"},
        {"confidence_level": [0.95]},
        {"n_resamples": None},
        {"n_resamples": "many"},
        {"n_resamples": [10]},
        {"n_resamples": 1.5},
        {"n_resamples": True},
        {"rng": 1.5},
        {"rng": -1},
        {"rng": [1]},
        {"names": 5},
        {"names": ("svm",)},
    ],
    ids=str,
)
def test_settings_of_the_wrong_type_get_a_clear_error(setting: dict[str, Any]) -> None:
    with pytest.raises(errors.OptionError):
        compare(**setting)


# --- verdicts -------------------------------------------------------------------------------------------------


def rare(test: str = "auto") -> cw.results.Comparison:
    truth = [1] * 3 + [0] * 57
    return cw.compare(truth, [1, 0, 0] + [0] * 57, [1, 1, 0, 1] + [0] * 56, measure="precision", test=test, rng=7)


def misnamed(test: str = "auto") -> cw.results.Comparison:
    a, b = ["cow", *ANIMALS[1:]], ANIMALS[1:] + ANIMALS[:1]
    return cw.compare(ANIMALS, a, b, measure="macro_f1", test=test, n_resamples=500, rng=7)


RESULTS: dict[str, Callable[[], cw.results.Comparison | cw.results.Estimate]] = {
    "B is better in accuracy": lambda: cw.compare(counts(e2=19), measure="accuracy", rng=7),
    "no clear evidence": lambda: cw.compare(counts(), measure="accuracy", rng=7),
    "B is worse, named": lambda: cw.compare(TRUTH, B, A, measure="accuracy", names=("old", "new"), rng=7),
    "claim better": lambda: cw.compare(counts(), measure="accuracy", claim="better", rng=7),
    "claim better, not shown": lambda: cw.compare(TRUTH, B, A, measure="accuracy", claim="better", rng=7),
    "claim worse": lambda: cw.compare(TRUTH, B, A, measure="accuracy", claim="worse", rng=7),
    "lower is better": lambda: compare(measure="dcf(cost_fn=10, cost_fp=1, prior=0.01)"),
    "F1": lambda: compare(measure="f1"),
    "not worse, not shown": lambda: cw.compare(counts(e2=3), claim="not_worse", margin=0.02, rng=7),
    "F1 by permutation": lambda: compare(measure="f1", test="permutation"),
    "F1 by bootstrap": lambda: cw.compare(counts(), measure="f1", test="bootstrap", rng=7),
    "a sampled p-value near the level": lambda: cw.compare(
        counts(), measure="f1", test="permutation", method="monte_carlo", n_resamples=999, rng=7
    ),
    "a sampled p-value at its floor": lambda: cw.compare(counts(e2=19, e5=0), measure="f1", n_resamples=999, rng=7),
    "McNemar's test": lambda: cw.compare(counts(), measure="accuracy", test="mcnemar", rng=7),
    "McNemar's test, claim better": lambda: cw.compare(
        counts(), measure="accuracy", test="mcnemar", claim="better", rng=7
    ),
    "two proportions of paired items": lambda: compare(
        measure="dcf(cost_fn=10, cost_fp=1, prior=0.01)", test="paired_proportion"
    ),
    "pairing ignored": lambda: cw.compare(counts(), measure="accuracy", test="proportion", rng=7),
    "two identical models": lambda: cw.compare(TRUTH, A, A, measure="accuracy", rng=7),
    "a p-value below any float": lambda: cw.compare(counts(e2=5000), measure="accuracy", test="mcnemar", rng=7),
    "A makes no error": lambda: cw.compare(TRUTH, TRUTH, B, measure="error_rate", rng=7),
    "few positives": rare,
    "few positives, undefined replicates": lambda: rare("permutation"),
    "one class against the others": lambda: cw.compare(
        ANIMALS, ANIMALS[1:] + ANIMALS[:1], ANIMALS, measure="recall", positive="eel", rng=7
    ),
    "labels that the truth never has": misnamed,
    "labels that the truth never has, by permutation": lambda: misnamed("permutation"),
    "an estimate": lambda: cw.estimate(TRUTH, A, measure="recall", name="svm", rng=7),
    "an estimate of a bizarre measure": lambda: cw.estimate(TRUTH, A, measure="mcc", name="svm", rng=7),
    "a normal interval of few": lambda: cw.estimate(TRUTH[:10], A[:10], measure="recall", interval="normal", rng=7),
}


COMPARISONS = [title for title in RESULTS if "an estimate" not in title and "interval" not in title]


def shown(result: cw.results.Comparison | cw.results.Estimate) -> str:
    verdict = f"\n\n{result.verdict()}" if isinstance(result, cw.results.Comparison) else ""
    return f"{result}{verdict}".replace(f"clearwin {cw.__version__}", "clearwin VERSION")


def test_verdicts_are_as_reviewed() -> None:
    check("verdicts.txt", {title: shown(result()) for title, result in RESULTS.items()})


@pytest.mark.parametrize("title", RESULTS)
def test_words_that_no_verdict_may_use(title: str) -> None:
    text = shown(RESULTS[title]())
    for never in ("equal", "probability that", "prove", "significant", "nan", "None", "inf ", "-0.0000", "  \n"):
        assert never not in text, never


@pytest.mark.parametrize("title", COMPARISONS)
def test_every_verdict_names_the_null_hypothesis(title: str) -> None:
    r = RESULTS[title]()
    assert isinstance(r, cw.results.Comparison)
    text = " ".join(str(r).split())  # the text is wrapped
    assert r.null_hypothesis in text
    assert r.null_hypothesis in r.verdict()
    assert r.name_a in r.null_hypothesis
    assert r.name_b in r.null_hypothesis
    for caveat in r.caveats:
        assert str(caveat) in text


def test_html_shows_names_as_text() -> None:
    r = compare(measure="accuracy", names=("<script>alert(1)</script>", "b&b"))
    page = r._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "b&amp;b" in page


def test_a_setting_is_spelled_by_each_door():
    text = "use " + setting("rng", 7) + ", or " + setting("tests", ["mcnemar/exact"]) + " and " + setting("groups")
    assert text == 'use rng=7, or tests=["mcnemar/exact"] and groups='
    assert as_typed(text, main.commands["study"]) == "use --seed 7, or --test mcnemar/exact and --groups"
    assert [one.name for one in settings_in(text)] == ["rng", "tests", "groups"]
    choice = setting("positive", "it's", "b c") + "."
    assert choice == 'positive="it\'s" or "b c".'
    assert as_typed(choice, main.commands["compare"]) == """--positive 'it'"'"'s' or 'b c'."""
    forced = setting("resume", True) + " or " + setting("force", True, python="delete the file")
    assert forced == "resume=True or delete the file"
    assert as_typed(forced, main.commands["study"]) == "--resume or --force"
    several = setting("category_sets", {"X": ["earn", "acq"]}) + ", " + setting("sizes", [5, 9])
    assert as_typed(several, main.commands["study"]) == "--category-set X=earn,acq, --sizes 5,9"


def test_settings_outlive_the_way_from_a_worker():
    error = OptionError("no", "yes", "wait, or " + setting("n_sets", 500))
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert copied.next == "wait, or n_sets=500"
        assert as_typed(copied.next, main.commands["study"]) == "wait, or --sets 500"
    caveat = str(Caveat("x", "Use " + setting("test", "sign") + ".", "Somebody 2004"))
    assert as_typed(caveat, main.commands["compare"]) == "Use --test sign. (Somebody 2004)"


PYTHON_ONLY = ("analyses/cross_validation.py", "analyses/curve.py", "analyses/learners.py", "analyses/splits.py")
SETTING = re.compile(r"(?<![\w(])(?<!, )([a-z_]+)=(?=$|[\s\"'\d\[{;,]|True)")


def test_no_message_spells_a_setting_for_one_door_alone():
    """Literals such as "rng=7" would be told to whoever types --seed; docstrings and calls are written for Python."""
    names = {str(option.name) for command in main.commands.values() for option in command.params}
    folder, found = Path(cw.__file__).parent, []
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                found += [(path, match[0]) for match in SETTING.finditer(node.value) if match[1] in names]
    assert [(path, text) for path, text in found if str(path.relative_to(folder)) not in PYTHON_ONLY] == []
