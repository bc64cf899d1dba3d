"""What is in a file: its columns with a few values, and a guess at which is which and what measure fits.

A wrong guess would give a confident wrong answer. So a truth must be called like one and share its values with the
models, there must be exactly two columns that could be models, and in any doubt nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clearwin.data.files.columns import INDEX, FilesAtHand, at_hand, name_of, read_columns
from clearwin.data.files.predictions import broken_numbers, is_counts_file
from clearwin.data.files.sources import LONGEST_LABEL, OpenFiles, TextColumns, is_number
from clearwin.data.marks import mark_of
from clearwin.data.model_columns import IDS, LOOKED_AT, TRUTHS, written_plainly
from clearwin.data.preferences import many_models_in_battles
from clearwin.errors import first_few
from clearwin.measures import find
from clearwin.text import one_line, shell_word

SHOWN = 4
MOST_CLASSES = 60
LONGEST = 60
Column = dict[str, Any]  # as _describe makes one, with all its different values
File = dict[str, Any]
NO_COLUMN: Column = {"of": 0, "different": 0}
SAYS_RIGHT = re.compile(r"(?i)correct|right|pass|resolved|solved|success|accura|(^|[._ -])(acc|hit|exact_match|em)$")
RIGHT_OR_WRONG = "   # if they say whether each model was right"
ONE_ROUND = "   # if each row is a fold of one round of cross-validation"
MOST_READINGS = 3
SEPARATORS = "|;,"
NEGATIVE = {
    "other",
    "no",
    "false",
    "negative",
    "neg",
    "ham",
    "none",
    "0",
    "-1",
    "normal",
    "benign",
    "not",
    "healthy",
    "n",
    "f",
}
FILE_OF_TRUTH = re.compile(r"(?i)truth|gold|label|key|ref|target")


def look(files: list[str]) -> dict[str, Any]:
    """Return the columns of each file, and what the comparison probably is."""
    found: list[dict[str, Any]] = [
        {"file": file, "columns": [] if is_counts_file(file) else _columns_of(file)} for file in files
    ]
    guess = guess_roles(found)
    for column in (column for file in found for column in file["columns"]):
        del column["all"], column["rows"]  # only to guess from
    return {"files": found, "guess": guess, "shown": _written_out(found)}


def columns_and_values(file: str, home: OpenFiles | None = None) -> dict[str, list[str]]:
    """Return the different values of each column among the first rows."""
    return {column["name"]: column["all"] for column in _columns_of(file, home)}


def _written_out(files: list[dict[str, Any]]) -> dict[str, str]:
    """Return how to show the names in which something cannot be seen; they are asked for as they are."""
    columns = [column for file in files for column in file["columns"]]
    names = [file["file"] for file in files] + [column["name"] for column in columns]
    names += [name for column in columns for name in column["classes"]]
    return {name: shown for name in names if (shown := one_line(name)) != name}


def _columns_of(file: str, home: OpenFiles | None = None) -> list[dict[str, Any]]:
    with at_hand(file if home is None else FilesAtHand(home, file)) as files, files.home.asked() as db:
        table = files.home.table(file)
        names = list(table.texts)
        roles = {f"c{i}": name for i, name in enumerate(names)}
        wanted = ", ".join(f"left({name_of(role)}, {LONGEST_LABEL + 1})" for role in roles)
        rows = read_columns(db, _to_look_at(table), roles, f"SELECT {wanted} FROM items LIMIT {LOOKED_AT}", (), roles)
    return [_describe(name, [as_label(table, row[i]) for row in rows]) for i, name in enumerate(names)]


def _to_look_at(table: TextColumns) -> TextColumns:
    """Show a list as its JSON: as a label it would be refused, but here it is only looked at."""
    plain = {name: "'(nested)'" if text.startswith("error(") else text for name, text in table.texts.items()}
    return dataclasses.replace(table, texts=plain | table.lists)


def as_label(table: TextColumns, value: str | None) -> str | None:
    """Return the text that a label has: in JSON that without quotes, and 1 for 1.0."""
    if not table.source.is_json or value is None:
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):  # cut off, nested too deeply or a number of thousands of digits
        return value
    if isinstance(found, str):
        return found
    return str(int(found)) if isinstance(found, float) and found.is_integer() else value


def _describe(name: str, values: list[str | None]) -> dict[str, Any]:
    different = list(dict.fromkeys(value for value in values if value is not None))
    return {
        "name": name,
        "values": [one_line(value[:LONGEST]) for value in different[:SHOWN]],
        "different": len(different),
        "of": len(values),
        "more": len(values) == LOOKED_AT,
        "classes": sorted(different) if len(different) <= MOST_CLASSES else [],
        "scores": len(broken_numbers(different)) > 10,
        "all": different,
        "rows": values,
    }


def guess_roles(files: list[File]) -> dict[str, Any]:
    """Return the likely column of each role, the role of each of several files, and the measure.

    Where more than one reading is possible there are no roles: ``doubt`` says why, and ``commands`` what the files
    could answer.
    """
    if not files or not all(file["columns"] for file in files):
        return {"roles": ["truth", "a", "b"][-len(files) :], "measure": "f1"}
    reader = {1: _of_one, 2: _of_two, 3: _of_three}.get(len(files), _of_many)
    reading = reader(files)
    if isinstance(reading, Doubt):
        return {"roles": ["truth", "a", "b"][-len(files) :], "measure": "", **vars(reading)}
    columns = {role: column for role, column in vars(reading.columns).items() if column is not None}
    measure = measure_of(columns.get("truth"), [columns["a"], columns["b"]])
    return {role: column["name"] for role, column in columns.items()} | {"roles": list(reading.roles)} | measure


@dataclass(frozen=True)
class Columns:
    """The column of each role."""

    truth: Column | None
    id: Column | None
    a: Column
    b: Column


@dataclass(frozen=True)
class Guess:
    """The only reading of the columns that was plausible, and the role of each of several files."""

    columns: Columns
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Doubt:
    """Why nothing was guessed, and the commands for what the files could answer."""

    doubt: str
    commands: tuple[str, ...] = ()


def _of_one(files: list[File]) -> Guess | Doubt:
    [file] = files
    columns = besides(file, None)
    battles = _battles(file["file"], columns)
    if battles is not None:
        return battles
    id = _id([column for column in columns if not _is_called(column, TRUTHS)])
    columns = [column for column in columns if column is not id]
    models_of = {column["name"]: models_beside(column, columns) for column in columns if _is_called(column, TRUTHS)}
    truths = [column for column in columns if models_of.get(column["name"])]
    if len(truths) != 1:
        return _without_truth(file["file"], columns, id, truths)
    [truth] = truths
    models = models_of[truth["name"]]
    if len(models) == 2 and not _doubtful(truth, models):
        return Guess(Columns(truth, id, *models))
    return asked_with_truth(file["file"], truth, models)


def _battles(file: str, columns: list[Column]) -> Doubt | None:
    """Return what to do with a table of battles, which names the two models of each row."""
    called = {column["name"].lower(): column for column in columns}
    if not {"winner", "model_a", "model_b"} <= called.keys():
        return None
    models = {str(name) for role in ("model_a", "model_b") for name in called[role]["all"]}
    if len(models) > 2:
        return Doubt(many_models_in_battles(models))
    winner = called["winner"]["name"]
    return Doubt(
        f"The columns model_a, model_b and {winner} hold battles.",
        (command("compare", file, truth=winner, measure="win_rate"),),
    )


def _without_truth(file: str, columns: list[Column], id: Column | None, truths: list[Column]) -> Guess | Doubt:
    """Return what can be asked where no column, or more than one, may be the truth."""
    marks = [column for column in columns if _is_marked(column)]
    numbers = [column for column in columns if _numeric(column) and column not in marks]
    if len(marks) == 2 and not truths and not numbers and all(SAYS_RIGHT.search(c["name"]) for c in marks):
        return Guess(Columns(None, id, *marks))
    if truths:
        what = f"More than one column may be the truth: {names_of(truths)}."
    elif not any(_is_called(column, TRUTHS) for column in columns):
        what = f"No column of {file} is called like a truth (truth, label, gold, target, y, …)."
    else:
        called = [column for column in columns if _is_called(column, TRUTHS)]
        what = f"No other column of {file} shares the values of {names_of(called)}."
    return Doubt(what, tuple(_readings(file, columns, marks, numbers, truths)))


def _readings(
    file: str, columns: list[Column], marks: list[Column], numbers: list[Column], truths: list[Column]
) -> Iterator[str]:
    """Yield a command for each thing that the columns could mean."""
    if len(marks) == 2:
        yield command("compare", file, a=marks[0], b=marks[1], measure="accuracy") + RIGHT_OR_WRONG
    elif len(marks) > 2:
        yield command("rank", file, models=marks, measure="accuracy") + RIGHT_OR_WRONG
    likely = truths or [column for column in columns if _is_class(column)]
    for truth in likely[:MOST_READINGS]:
        models = models_beside(truth, columns)
        if len(models) >= 2 and (truths or not (len(marks) > 2 and truth in marks)):
            for line in asked_with_truth(file, truth, models).commands[:1]:
                yield line + f"   # if {truth['name']} is the truth"
    if len(numbers) == 2 and not likely:
        a, b = numbers
        yield command("compare", file, a=a, b=b, measure="mean") + "   # if higher numbers are better"
        yield command("compare", file, a=a, b=b, measure="mean_loss") + "   # if lower numbers are better"
        yield command("folds", file, a=a, b=b, design="k-fold") + ONE_ROUND
    elif len(numbers) > 2 and not likely:
        yield command("rank", file, models=numbers, measure="mean") + "   # if higher numbers are better"
        yield command("rank", file, models=numbers, measure="mean_loss") + "   # if lower numbers are better"
        yield command("folds", file, a=numbers[0], b=numbers[1], design="k-fold") + ONE_ROUND


def asked_with_truth(file: str, truth: Column, models: list[Column]) -> Doubt:
    """Return what can be asked of these columns if this one is the truth."""
    measure = measure_of(truth, models[:2])
    measure["measure"] = _defined(measure)
    if len(models) == 1:
        what = f"{truth['name']} looks like the truth, and only {models[0]['name']} looks like a model's answers."
        return Doubt(what, (command("estimate", file, truth=truth, a=models[0], **measure),))
    if len(models) == 2:
        what = (
            f"{_doubtful(truth, models)} agrees with {truth['name']} no better than chance, so it may not be a model."
        )
        return Doubt(what, (command("compare", file, truth=truth, a=models[0], b=models[1], **measure),))
    what = f"{truth['name']} looks like the truth, and {len(models)} columns could be models: {names_of(models)}."
    scores = [model for model in models if _is_score(model, truth)]
    decisions = [model for model in models if model not in scores]
    return Doubt(what, tuple(line for some in (decisions, scores) for line in _among(file, truth, some)))


def _among(file: str, truth: Column, models: list[Column]) -> Iterator[str]:
    """Yield a command for these models, which are of one kind: two of them, or a board of more."""
    if len(models) < 2:
        return
    measure = measure_of(truth, models)
    measure["measure"] = _defined(measure)
    if len(models) > 2 and "separator" not in measure:
        yield command("rank", file, truth=truth, models=models, **measure)
    yield command("compare", file, truth=truth, a=models[-2], b=models[-1], **measure)


def _defined(measure: dict[str, str]) -> str:
    """Return the measure, or one that needs no positive class where it is not known which that is."""
    unknown = measure.get("positive") == "" and not find(measure["measure"]).needs_scores
    return "accuracy" if unknown else measure["measure"]


def _of_two(files: list[File]) -> Guess | Doubt:
    """Two files, one of each model; the truth may be in both."""
    id = _common_id(files)
    if id is None:
        return _no_common_id(files)
    columns = [besides(file, id) for file in files]
    truth = next((c for own in columns for c in own if len(own) > 1 and _is_called(c, TRUTHS)), None)
    own = [[c for c in some if truth is None or c["name"] != truth["name"]] for some in columns]
    own = [some if len(some) == 1 or truth is None else models_beside(truth, some) for some in own]
    if any(len(some) != 1 for some in own):
        return _unclear_models(files, own)
    [[a], [b]] = own
    if truth is None and not (_is_marked(a) and _is_marked(b)):
        joined = {"id": id, "a": a, "b": b}
        names = [file["file"] for file in files]
        if not (_numeric(a) and _numeric(b)):
            return Doubt("Neither file has a column that is called like a truth (truth, label, gold, …).")
        return Doubt(
            "Neither file has a column that is called like a truth (truth, label, gold, …), and both have numbers.",
            (
                command("compare", *names, **joined, measure="mean") + "   # if higher numbers are better",
                command("compare", *names, **joined, measure="mean_loss") + "   # if lower numbers are better",
            ),
        )
    if truth is None and not all(SAYS_RIGHT.search(model["name"]) for model in (a, b)):
        names = [file["file"] for file in files]
        right = command("compare", *names, id=id, a=a, b=b, measure="accuracy") + RIGHT_OR_WRONG
        return Doubt("Neither file has a column that is called like a truth (truth, label, gold, …).", (right,))
    if truth is not None and not (models_beside(truth, [a]) and models_beside(truth, [b])):
        return Doubt(f"{truth['name']} shares no values with {names_of([a, b])}.")
    return Guess(Columns(truth, id, a, b), ("a", "b"))


def _of_three(files: list[File]) -> Guess | Doubt:
    """One file each: the truth is in the one that is called so, else in the first."""
    place = next((i for i, file in enumerate(files) if FILE_OF_TRUTH.search(file["file"])), 0)
    id = _common_id(files)
    if id is None:
        return _no_common_id(files)
    own = besides(files[place], id)
    truth = own[0] if len(own) == 1 else next((c for c in own if _is_called(c, TRUTHS)), None)
    if truth is None:
        return Doubt(f"Several columns of {files[place]['file']} could be the truth: {names_of(own)}.")
    models = [besides(file, id) for i, file in enumerate(files) if i != place]
    answers = [some if len(some) == 1 else models_beside(truth, some) for some in models]
    if any(len(some) != 1 for some in answers):
        return _unclear_models([file for i, file in enumerate(files) if i != place], answers)
    [[a], [b]] = answers
    if not (models_beside(truth, [a]) and models_beside(truth, [b])):
        return Doubt(f"{truth['name']} of {files[place]['file']} shares no values with {names_of([a, b])}.")
    roles = ["a", "b"]
    roles.insert(place, "truth")
    return Guess(Columns(truth, id, a, b), tuple(roles))


def _of_many(files: list[File]) -> Doubt:
    names = [file["file"] for file in files]
    id = _common_id(files)
    if id is None:
        return _no_common_id(files)
    example = command("rank", *names, id=id, truth="COLUMN") + "   # the first file has the truth"
    return Doubt(f"{len(files)} files are not two models and their truth.", (example,))


def _no_common_id(files: list[File]) -> Doubt:
    return Doubt(f"No single column looks like the id that joins {' and '.join(file['file'] for file in files)}.")


def _unclear_models(files: list[File], answers: list[list[Column]]) -> Doubt:
    unclear = next(i for i, some in enumerate(answers) if len(some) != 1)
    if not answers[unclear]:
        return Doubt(f"No column of {files[unclear]['file']} looks like the answers of a model.")
    what = (
        f"Several columns of {files[unclear]['file']} could be the answers of the model: {names_of(answers[unclear])}."
    )
    return Doubt(what)


def command(verb: str, *files: str, **settings: Any) -> str:
    """Return a command as it is typed; a setting may be a column, or several."""
    words = ["clearwin", verb, *files]
    for name, value in settings.items():
        if value:
            several = value if isinstance(value, list) else [value]
            text = ",".join(str(x["name"] if isinstance(x, dict) else x) for x in several)
            words += [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
    return " ".join(map(shell_word, words))


def names_of(columns: list[Column]) -> str:
    """Return the names of columns, the first few of many."""
    return first_few([str(column["name"]) for column in columns], len(columns))


def besides(file: File, id: Column | None) -> list[Column]:
    """Return the columns that are neither the id nor an index that pandas wrote without a name."""
    names = (*INDEX, *([] if id is None else [id["name"]]))
    return [column for column in file["columns"] if column["name"] not in names]


def models_beside(truth: Column, columns: list[Column]) -> list[Column]:
    """Return the columns that could hold a model's answers if this one is the truth."""
    return [column for column in columns if column is not truth and _could_answer(column, truth)]


def _could_answer(column: Column, truth: Column) -> bool:
    """Whether a column holds decisions among the truth's classes, scores of two classes, or predicted numbers."""
    lists = [any(value.startswith("[") for value in each["all"][:5]) for each in (column, truth)]
    if _is_nested(column) or _is_nested(truth) or lists[0] != lists[1] or not column["all"]:
        return False
    if truth["scores"]:
        return _numeric(column) and not _unique_whole(column)
    return _decides(column, truth) or _is_score(column, truth)


def _is_score(column: Column, truth: Column) -> bool:
    """Whether numbers could be the scores of two classes."""
    return truth["different"] == 2 and _numeric(column) and not _decides(column, truth)


def _doubtful(truth: Column, models: list[Column]) -> str:
    """Return the name of a column that does not beat chance, or nothing if all could be models.

    A model that ships is better than that. Another column that happens to share the labels, or numbers on another
    scale than the truth's, are not.
    """
    several = any(map(_separator, (truth, *models)))
    for model in models:
        if not several and (_are_far_off if truth["scores"] else _agree_by_chance)(truth, model):
            return str(model["name"])
    return ""


def _agree_by_chance(truth: Column, model: Column) -> bool:
    """Whether decisions agree with the truth no more often than two standard errors above chance."""
    if not _decides(model, truth):
        return False
    n, true = len(truth["rows"]), Counter[str | None](truth["rows"])
    agreed = sum(x == y for x, y in zip(truth["rows"], model["rows"], strict=True))
    by_chance = sum(true[label] * count for label, count in Counter[str | None](model["rows"]).items()) / n
    return bool(agreed - by_chance <= 2.0 * math.sqrt(by_chance * (1.0 - by_chance / n)))


def _are_far_off(truth: Column, model: Column) -> bool:
    """Whether numbers are further from the truth than twice those of a model that always predicts its mean."""
    pairs = zip(truth["rows"], model["rows"], strict=True)
    known = [(float(x), float(y)) for x, y in pairs if x is not None and y is not None]
    mean = sum(x for x, _ in known) / max(len(known), 1)
    return sum(abs(x - y) for x, y in known) > 2.0 * sum(abs(x - mean) for x, _ in known)


def _is_marked(column: Column) -> bool:
    """Whether a column holds nothing but right and wrong."""
    return bool(column["all"]) and all(map(mark_of, column["all"]))


def _is_class(column: Column) -> bool:
    """Whether a column holds a few classes, each of them again and again."""
    few = 2 <= column["different"] <= min(MOST_CLASSES, column["of"] // 2)
    return few and not column["scores"] and not _is_nested(column)


def _is_called(column: Column, names: tuple[str, ...]) -> bool:
    return written_plainly(column["name"]) in names


def _unique_whole(column: Column) -> bool:
    """Whether whole numbers never repeat, as those of ids."""
    return _unique(column) and not column["scores"]


def _is_nested(column: Column) -> bool:
    """Whether it holds objects, or lists of something else than labels."""
    return column["all"] == ["(nested)"] or any(value.startswith("{") for value in column["all"][:5])


def _numeric(column: Column) -> bool:
    return bool(column["all"]) and all(map(is_number, column["all"]))


def _called(columns: list[Column], names: tuple[str, ...]) -> Column | None:
    lower = {written_plainly(column["name"]): column for column in reversed(columns)}
    return next((lower[name] for name in names if name in lower), None)


def _unique(column: Column) -> bool:
    return bool(column["of"] > 1 and column["different"] == column["of"])


def _id(columns: list[Column]) -> Column | None:
    """Return a column without repetitions that is called so, or stands first before those of two models."""
    unique = [column for column in columns if _unique(column) and not _is_nested(column)]
    named = _called_id(unique)
    if named is not None:
        return named
    first = columns[0] if len(columns) > 2 else None
    return first if first in unique and first is not None and not first["scores"] else None


def _called_id(columns: list[Column]) -> Column | None:
    ending = (column for column in columns if column["name"].lower().endswith(("_id", " id", "-id")))
    return _called(columns, IDS) or next(ending, None)


def _common_id(files: list[File]) -> Column | None:
    """Return the column without repetitions that all files have: the one that is called so, or the only one."""
    others = [{column["name"]: column for column in file["columns"]} for file in files[1:]]
    unique = [
        column
        for column in besides(files[0], None)
        if _unique(column) and all(_unique(names.get(column["name"], NO_COLUMN)) for names in others)
    ]
    return _called_id(unique) or (unique[0] if len(unique) == 1 else None)


def _decides(column: Column, truth: Column) -> bool:
    """Whether most of the column's labels are the truth's."""
    if column["scores"] and not truth["scores"]:
        return False
    labels = _labels_in(column) or set(column["all"])
    shared = labels & (set(truth["all"]) | _labels_in(truth))
    return 2 * len(shared) >= len(labels) > 0


def _separator(column: Column) -> str:
    """Return what parts several labels in one field: then there are fewer labels than combinations of them."""
    for separator in SEPARATORS:
        several = [value for value in column["all"] if separator in value]
        labels = {label.strip() for value in column["all"] for label in value.split(separator)}
        if several and len(labels) < max(len(column["all"]), 3) and not _numeric(column):
            return separator
    return ""


def _labels_in(column: Column) -> set[str]:
    separator = _separator(column)
    return {label.strip() for value in column["all"] for label in value.split(separator)} if separator else set()


def measure_of(truth: Column | None, models: list[Column]) -> dict[str, str]:
    """Return the measure that fits the columns, and the positive class or the separator that it needs."""
    if truth is None:
        return {"measure": "accuracy"}
    if any(value.startswith("[") for value in truth["all"][:5]):
        return {"measure": "micro_f1", "separator": ","}  # which any will do for lists
    separator = next(filter(None, map(_separator, [truth, *models])), "")
    if separator:
        return {"measure": "micro_f1", "separator": separator}
    if truth["scores"]:
        return {"measure": "mae"}
    if truth["different"] == 2:
        scores = all(_is_score(column, truth) for column in models)
        return {"measure": "auc" if scores else "f1", "positive": likely_positive(truth["all"])}
    return {"measure": "macro_f1" if 2 < truth["different"] <= MOST_CLASSES else "accuracy"}


def likely_positive(classes: list[str]) -> str:
    """Return the one that is not called something like no; clearwin infers 0/1 and the like itself.

    >>> likely_positive(["ham", "spam"]), likely_positive(["cat", "dog"])
    ('spam', '')
    """
    left = [name for name in classes if name.lower() not in NEGATIVE]
    return left[0] if len(left) == 1 else ""
