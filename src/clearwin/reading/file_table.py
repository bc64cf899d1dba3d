"""Prediction files as tables: one file, or several that are joined by id. Labels are text, and DuckDB reads."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from clearwin.data.arrays import EXTRA_ROLES, GROUP_ROLES
from clearwin.data.binned_scores import number_of_bins
from clearwin.data.files.columns import Files, FilesAtHand, find_column, holds, opened
from clearwin.data.files.guessing import columns_and_values
from clearwin.data.files.label_sets import label_sets_file, shown_name, star_or_column
from clearwin.data.files.predictions import (
    ItemsOfFile,
    bin_file,
    disagreements_file,
    first_items,
    first_rows,
    items_of_file,
    read_models,
    scores_file,
    tally_file,
)
from clearwin.data.files.sources import AnyPath, OpenFiles, is_read_once, open_files
from clearwin.data.marks import marked_tally
from clearwin.data.model_columns import ModelColumns, columns_with_answers, named_columns
from clearwin.data.reading import Read, Reading, can_bin, with_first_items
from clearwin.errors import FileError, OptionError, setting
from clearwin.measures import Measure
from clearwin.reading.table import AnsweredItems, LabelledItems, Table, Tallied, extra_columns
from clearwin.results.comparison import Disagreement
from clearwin.text import alike

TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
MOST_TO_READ_AGAIN = 100_000  # rows that were counted, to look at their order
FEWEST_BYTES = 4  # bytes of an item in a text file: two characters, a separator and a line break
ID = setting("id", python="id")
ROLES_OF_SETTINGS = {"strata": "stratum", "by": "slice", "ids": "item"}


@dataclass(frozen=True)
class FileColumn:
    """A column of one of several files; None where the file has only one besides the id."""

    path: str
    column: str | None


class FileTable(Table):
    """Files of predictions; those of several roles are joined by ``id``."""

    labels_are_text = True
    first_row = 1

    def __init__(self, paths: Sequence[AnyPath], id: str | None, home: OpenFiles) -> None:
        self.paths, self.id = tuple(os.fspath(path) for path in paths), id
        self._home: OpenFiles | None = home
        self._stamps = tuple(map(_stamp, self.paths))

    def __str__(self) -> str:
        return self.paths[0] if len(self.paths) == 1 else str(list(self.paths))

    @property
    def given(self) -> Any:
        """The path, or the paths."""
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)

    def close(self) -> None:
        """Let go of the files; a result can open them again."""
        self._home = None

    @contextmanager
    def again(self) -> Iterator[Table]:
        """Yield the table; once it was closed, the same files, if nobody has changed them."""
        if self._home is not None:
            yield self
            return
        for path, stamp in zip(self.paths, self._stamps, strict=True):
            if stamp is None:
                what = f"{'Standard input' if path == '-' else path} was read once, and cannot be read again."
                raise FileError(what, "a file", "save it first, and compare the file")
            if _stamp(path) != stamp:
                raise FileError(f"{path} has changed since it was read.", "the same file", "compare it again")
        with open_files() as home:
            yield FileTable(self.paths, self.id, home)

    def without_id(self) -> FileTable:
        """Return the same open file, whose items have no names."""
        return FileTable(self.paths, None, self._open)

    def sha256(self) -> str:
        """Return the digest of the bytes of the first file."""
        return hashlib.sha256(self._open.table(self.paths[0]).source.path.read_bytes()).hexdigest()

    def items_in(self, columns: Sequence[str]) -> ItemsOfFile:
        """Return how many rows the first file has, how many differ in some columns, and a digest of these."""
        return items_of_file(FilesAtHand(self._open, self.paths[0]), columns)

    # --- the columns ----------------------------------------------------------------------------------------------

    def known(self) -> list[Any]:
        """Return the names of the columns of the first file."""
        return list(self._open.table(self.paths[0]).texts)

    def has_truth(self, truth: Any, models: Mapping[str, Any], measure: Measure) -> bool:
        """Whether there is a truth; with a file more than there are models, the first one has it."""
        return truth is not None or (
            measure.needs_truth and not (measure.judges_marks and len(self.paths) <= len(models))
        )

    def has_both(self, b: Any) -> bool:
        """Whether there is a second model, named or in a third file."""
        return b is not None or len(self.paths) > 2

    def model_columns(self, models: Any, truth: Any, besides: Sequence[Any], measure: Measure) -> ModelColumns:
        """Return the columns of many models: of one file, or the only column of each file but that of the truth."""
        if len(self.paths) > 1:
            return self._models_of_files(models, truth, besides, measure)
        taken = [column for column in (truth, *besides, self.id) if column is not None]
        table = self._open.table(self.paths[0])
        if truth is None and measure.needs_truth and not measure.judges_marks:
            find_column(table, "truth", None)  # says that it was not given
        if models is not None:
            return named_columns(list(table.texts), _named(models), taken, f"column of {table.source.name}")
        with self._open.asked() as db:
            return columns_with_answers(first_rows(db, table, truth), truth, taken, measure)

    def _models_of_files(self, models: Any, truth: Any, besides: Sequence[Any], measure: Measure) -> ModelColumns:
        own = self.paths[1:] if truth is not None or (measure.needs_truth and not measure.judges_marks) else self.paths
        wanted: list[str | None] = [None] if models is None else [*_named(models)]
        wanted = wanted * len(own) if len(wanted) == 1 else wanted
        if not self.id:
            raise OptionError(
                f"{len(self.paths)} files were given without " + ID + ".",
                "one file with all columns, or a file for the truth and for each model and the column that joins them",
                setting("id", "doc"),
            )
        if len(wanted) != len(own):
            raise OptionError(
                setting("models", python="models")
                + f" names {len(wanted)} columns, and {len(own)} files of models were given.",
                "one column for all files, or one for each of them",
            )
        columns = {f"model_{i}": FileColumn(*of) for i, of in enumerate(zip(own, wanted, strict=True), 1)}
        names = self.names(truth, columns, Reading(groups=[name for name in besides if name is not None] or None))
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise OptionError(
                f"Two models would be called {twice}.", "files with different names", "rename one of the files"
            )
        return ModelColumns(names, columns=dict(zip(names, columns.values(), strict=True)))

    def answers(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> AnsweredItems | None:
        """Return the answers of many models: decisions as distinct rows, or numbers."""
        has_truth = self.has_truth(truth, models, measure)
        roles = {f"model_{i}": column for i, column in enumerate(models.values(), 1)}
        files, extra = self._files(truth, roles, has_truth=has_truth), extra_columns(how)
        with_truth = {"truth": truth} if has_truth else {}
        several = {role: one.column for role, one in roles.items() if isinstance(one, FileColumn)}
        found = read_models(
            files,
            {**with_truth, **several, **extra},
            measure,
            wanted=[] if several else [*models.values()],
            id_column=self.id,
            rank_infinite=how.rank_infinite,
            missing=how.missing,
        )
        answers = dict(zip(models, found.models, strict=True))
        groups = [found.extra[role] for role in GROUP_ROLES if role in found.extra]
        return AnsweredItems(found.truth, answers, found.items, groups, found.extra.get("stratum"), found.doubts)

    def label(self, value: Any) -> Any:
        """Return a label as files have it: a text."""
        if isinstance(value, bool):
            return str(value).lower()
        whole = isinstance(value, float) and value.is_integer()
        return value if value is None or isinstance(value, str) else str(int(value) if whole else value)

    def names(self, truth: Any, models: Mapping[str, Any], how: Reading) -> tuple[str, ...]:
        """Return the names of the models' columns, or of their files where the columns have the same."""
        upper = tuple(role.upper() for role in models)
        of_files = {role: one for role, one in models.items() if isinstance(one, FileColumn)}
        if any(isinstance(column, list | tuple) for column in models.values()):
            return upper
        has_truth = truth is not None or len(self.paths) > len(models)
        named = {role: of_files[role].column if role in of_files else column for role, column in models.items()}
        columns = {**({"truth": truth} if has_truth else {}), **named, **extra_columns(how)}
        files = self._files(truth, models, has_truth=has_truth)
        with opened(files, columns, self.id, star_or_column, found_only=True) as found:
            shown = found.names([shown_name(take) for take in found.taken.values()])[-len(models) :]
        return upper if not of_files and len(shown) > 1 and alike(shown) else shown

    def like_truth(self) -> Mapping[Any, Sequence[Any]]:
        """Return the first values of the columns."""
        found: dict[Any, Sequence[Any]] = {}
        for path in self.paths:
            found |= columns_and_values(path, self._open)
        return found

    # --- what they hold -------------------------------------------------------------------------------------------

    def counts(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> bool:
        """Whether these are single decisions of few models: DuckDB counts them."""
        several = _are_label_sets(_with_truth(truth, models), how)
        return measure.takes == "decisions" and not how.makes_decisions and not several and not how.ranked

    def tally(self, columns: Mapping[str, Any], missing: str) -> Tallied:
        """Count the combinations of labels; right/wrong columns as decisions, where there is no truth."""
        models = {role: name for role, name in columns.items() if role not in ("truth", *EXTRA_ROLES)}
        extra = tuple(role for role in columns if role in EXTRA_ROLES)
        files = self._files(columns.get("truth"), models, has_truth="truth" in columns)
        found = tally_file(files, columns, id_column=self.id, missing=missing)
        if "truth" in columns:
            return Tallied(found.counts, extra, found.doubts)
        shown = dict(zip(models, found.names, strict=True))
        return Tallied(marked_tally(found.counts, shown), extra, found.doubts)

    def fetched(self, columns: Mapping[str, Any], how: Reading) -> dict[str, Any]:
        """Return the models' columns as numbers, and all others as texts; two columns of counts as a pair."""
        extra = extra_columns(how)
        extra |= {ROLES_OF_SETTINGS.get(role, role): name for role, name in columns.items() if _is_extra(role)}
        models = {role: name for role, name in columns.items() if role != "truth" and not _is_extra(role)}
        several = {role: list(names) for role, names in models.items() if isinstance(names, list | tuple)}
        if several and len(self.paths) > 1:
            raise OptionError("Counts per item are read from one file.", "one file with all columns")
        single = {f"{role} {i}": name for role, names in several.items() for i, name in enumerate(names)}
        single |= {role: name for role, name in models.items() if role not in several}
        truth = columns.get("truth")
        with_truth = {"truth": truth} if "truth" in columns else {}
        files = self._files(truth, models, has_truth="truth" in columns)
        found = scores_file(
            files,
            {**with_truth, **single, **extra},
            id_column=self.id,
            rank_infinite=how.rank_infinite,
            missing=how.missing,
        )
        numbers = dict(zip(single, found.scores, strict=True))
        fetched = {role: numbers[role] for role in models if role not in several}
        fetched |= {role: tuple(numbers[f"{role} {i}"] for i in range(len(names))) for role, names in several.items()}
        settings = {role: setting for setting, role in ROLES_OF_SETTINGS.items()}
        fetched |= {settings.get(role, role): texts for role, texts in found.extra.items() if role not in GROUP_ROLES}
        groups = [found.extra[role] for role in GROUP_ROLES if role in found.extra]
        return fetched | ({"truth": found.truth} if with_truth else {}) | ({"groups": groups} if groups else {})

    def label_sets(
        self, roles: Mapping[str, Any], how: Reading, by: Any = None, *, with_ids: bool = False
    ) -> LabelledItems | None:
        """Read columns of 0 and 1 by a pattern, or columns of several labels."""
        if not _are_label_sets(roles, how):
            return None
        _refuse_dropping("label sets", how)
        starred = any(isinstance(column, str) and "*" in column for column in roles.values())
        if how.separator is not None and starred:
            raise OptionError(
                "A separator takes columns of lists, and a star takes columns of 0 and 1.",
                "one of them for truth, A and B alike",
                "leave out " + setting("separator", how.separator) + ", or name single columns",
            )
        models = {role: name for role, name in roles.items() if role != "truth"}
        extra = extra_columns(how, by)
        files = self._files(roles.get("truth"), models)
        extra |= {"item": self.id} if with_ids else {}
        found = label_sets_file(files, {**roles, **extra}, separator=how.separator, id_column=self.id)
        groups = [found.extra[role] for role in GROUP_ROLES if role in found.extra]
        ids = found.extra.get("item")
        order = found.extra.get("order")
        return LabelledItems(found.sets, groups, found.extra.get("stratum"), order, found.extra.get("slice"), ids)

    def with_rows(self, read: Read, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Read:
        """Look at the first rows of a single file whose decisions were counted; joined items have no order of rows."""
        if len(self.paths) > 1 or not self.counts(truth, models, measure, how) or read[0].n > MOST_TO_READ_AGAIN:
            return read
        with_truth = {"truth": truth} if self.has_truth(truth, models, measure) else {}
        columns = {**with_truth, **models, **extra_columns(how)}
        fetch = partial(first_items, FilesAtHand(self._open, self.paths[0]), columns)
        return with_first_items(read, fetch, how.labels, tuple(models))

    def binned(self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading) -> Any:
        """Count scores in bins where that was asked for, or where they would not fit."""
        if how.ranked or not can_bin(measure, how) or how.bins is None:
            return None
        if how.bins == "auto" and self._is_small(how, 1 + len(models)):
            return None
        found = bin_file(self._files(truth, models), _with_truth(truth, models), how, id_column=self.id)
        return None if found is None else found.sample

    def differing(
        self, truth: Any, models: Mapping[str, Any], measure: Measure, how: Reading, ids: Any
    ) -> list[Disagreement] | None:
        """Return the items with different decisions, by id or by row; row 1 is the first item."""
        if not self.counts(truth, models, measure, how):
            return None
        has_truth = self.has_truth(truth, models, measure)
        columns = {**({"truth": truth} if has_truth else {}), **models, **extra_columns(how)}
        files = self._files(truth, models, has_truth=has_truth)
        return disagreements_file(files, columns, id_column=ids or self.id, missing=how.missing)

    def _is_small(self, how: Reading, roles: int) -> bool:
        """Return whether the files are so small that their scores surely fit."""
        if not all(file.lower().endswith(TEXTS) and Path(file).is_file() for file in self.paths):
            return False
        rows = sum(Path(file).stat().st_size for file in self.paths) // FEWEST_BYTES
        return number_of_bins("auto", how.memory_limit, rows, roles) is None

    @property
    def _open(self) -> OpenFiles:
        if self._home is None:
            raise FileError(f"{self} was closed.", "an open table", "open it again")
        return self._home

    def _files(self, truth: Any, models: Mapping[str, Any], *, has_truth: bool = True) -> Files:
        """Return the only file, or the file of each role: that of the truth may be a model's."""
        paths, roles = self.paths, [*(["truth"] if has_truth else []), *models]
        if len(paths) == 1:
            return FilesAtHand(self._open, paths[0])
        if any(isinstance(column, FileColumn) for column in models.values()):
            return FilesAtHand(self._open, dict(zip(roles, paths, strict=True)))
        if has_truth and truth and self.id and len(paths) == len(models):
            own = next((path for path in paths if holds(self._open.table(path), str(truth))), paths[0])
            paths = (own, *paths)
        if len(paths) != len(roles) or not self.id:
            raise _wrong_number_of_files(len(self.paths), self.id, has_truth=has_truth)
        return FilesAtHand(self._open, dict(zip(roles, paths, strict=True)))


def _wrong_number_of_files(given: int, id: str | None, *, has_truth: bool) -> OptionError:
    """Say how many files go together."""
    together: str = "two files (A, B)"
    if has_truth:
        one_has_it = together + " of which one has the column " + setting("truth", python="truth")
        together = one_has_it + ", or three (truth, A, B),"
    return OptionError(
        f"{given} files were given" + ("." if id else " without " + ID + "."),
        "one file with all columns, or " + together + " and the column that joins them",
        setting("id", "doc"),
    )


def _stamp(path: str) -> tuple[int, int] | None:
    """Return what shows whether a file has changed; None for what can be read only once."""
    if is_read_once(path):
        return None
    place = Path(path)
    found = place.stat() if place.exists() else None
    return (0, 0) if found is None else (found.st_size, found.st_mtime_ns)


def _named(models: Any) -> list[str]:
    wanted = [models] if isinstance(models, str) else models
    if not isinstance(wanted, list | tuple) or not all(isinstance(name, str) for name in wanted):
        raise OptionError(
            f"models is {models!r}.", 'names of columns, or patterns such as "bert*"', setting("models", ["svm", "rbf"])
        )
    return list(wanted)


def _with_truth(truth: Any, models: Mapping[str, Any]) -> dict[str, Any]:
    return {"truth": truth, **models}


def _is_extra(role: str) -> bool:
    return role in ROLES_OF_SETTINGS or role in EXTRA_ROLES


def _are_label_sets(roles: Mapping[str, Any], how: Reading) -> bool:
    """Whether the columns are named as those of several labels are: by a star, or with a separator."""
    return how.separator is not None or any(isinstance(name, str) and "*" in name for name in roles.values())


def _refuse_dropping(kind: str, how: Reading) -> None:
    if how.missing == "drop":
        raise OptionError(
            setting("missing", "drop") + f" is not for {kind}.",
            "one label, score or value for each item: an item without labels has the empty set",
            "leave those items out of the file",
        )
