"""From files and columns to what the verbs take: decisions, label sets, counts per item, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from clearwin.cli.command import wrong_number_of_files
from clearwin.errors import OptionError
from clearwin.text import listed

if TYPE_CHECKING:
    from clearwin.data.clusters import Grouping
    from clearwin.data.files.label_sets import FileLabelSets
    from clearwin.data.files.predictions import FileBins, FileScores, FileTally
    from clearwin.measures import Measure


Kind = Literal["decisions", "label sets", "sums", "numbers"]
TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
FEWEST_BYTES = 4  # bytes of an item in a text file: two characters, a separator and a line break
# what the columns hold, if the measure alone decides that; otherwise the way they were named does, too
KINDS: dict[str, Kind] = {
    "label sets": "label sets",
    "sums": "sums",
    "scores": "numbers",
    "losses": "numbers",
    "values": "numbers",
}


@dataclass(frozen=True)
class Request:
    """The files, the column of each role, and what the columns hold."""

    files: tuple[str, ...]
    columns: dict[str, str | None]
    id_column: str | None
    measure: Measure
    extra: dict[str, str | None] = field(default_factory=dict)
    separator: str | None = None
    labels: str | None = None
    numbers: bool = False  # thresholds turn scores into decisions
    rank_infinite: bool = False
    names: tuple[str, str] | None = None  # the models' names, if given
    missing: str = "refuse"
    bins: str | None = "auto"
    memory_limit: str = "2GB"

    @property
    def kind(self) -> Kind:
        """What the columns hold, from the measure and the way they were named."""
        known = KINDS.get(self.measure.takes)
        if known is not None:
            return known
        if self.numbers:
            return "numbers"
        starred = any(column is not None and "*" in column for column in self.columns.values())
        return "label sets" if starred or self.separator is not None else "decisions"

    def names_of(self, found: tuple[str, ...]) -> tuple[str, str]:
        """Return the two models' names: those given, or their columns or files."""
        return self.names or names_of(found)

    @property
    def by(self) -> str | None:
        """The column of slices, if there is one."""
        return self.extra.get("slice")

    @property
    def grouped(self) -> tuple[str, ...]:
        """The items' other columns: group, stratum, slice."""
        return tuple(role for role, column in self.extra.items() if column is not None)

    @property
    def sources(self) -> str | dict[str, str]:
        """The only file, or the file of each role."""
        if len(self.files) == 1:
            return self.files[0]
        files = self.files
        if len(files) == 2 and len(self.columns) == 3 and self.columns["truth"] and self.id_column:
            files = (self._with_truth(), *files)
        if len(files) != len(self.columns) or not self.id_column:
            raise wrong_number_of_files(files, self.id_column, tuple(self.columns))
        return dict(zip(self.columns, files, strict=True))

    def _with_truth(self) -> str:
        """Return the file of A or B that has the column of the truth: A's, if both have it."""
        from clearwin.data.files.columns import has_column

        truth, files = str(self.columns["truth"]), [file for file in self.files if file != "-"]  # read once
        return next((file for file in files if has_column(file, truth)), self.files[0])

    def tally(self) -> FileTally:
        """Count the combinations of labels, by group and stratum."""
        from clearwin.data.files.predictions import tally_file

        columns = {**self.columns, **self.extra}
        read = tally_file(self.sources, columns, id_column=self.id_column, missing=self.missing)
        if "truth" in self.columns:
            return read
        from clearwin.data.marks import marked_tally

        refuse_decisions_without_truth(self.files, [*self.columns.values(), *self.extra.values()])
        shown = dict(zip(self.columns, read.names, strict=True))
        return replace(read, counts=marked_tally(read.counts, shown))

    def first_items(self) -> dict[str, Any] | None:
        """Return the columns of the first rows of a single file, by role; joined items have no order of rows."""
        from clearwin.data.files.predictions import first_items

        [file, *others] = self.files
        if others or not Path(file).is_file() or "truth" not in self.columns or self.extra["order"] is not None:
            return None
        return first_items(file, {**self.columns, **self.extra})

    def label_sets(self) -> FileLabelSets:
        """Read several labels for each item."""
        from clearwin.data.files.label_sets import label_sets_file
        from clearwin.data.files.predictions import is_counts_file

        if any(is_counts_file(file) for file in self.files):
            raise OptionError("A file of counts has no label sets.", "a file with the labels of every item")
        columns = {**self.columns, **self.extra}
        how: dict[str, Any] = {"separator": self.separator, "labels": self.labels}
        return label_sets_file(self.sources, columns, id_column=self.id_column, **how)

    @cached_property
    def scores(self) -> FileScores:
        """The numbers, with the truth as text; read only once."""
        from clearwin.data.files.predictions import is_counts_file, scores_file, sides_of_battles

        if any(is_counts_file(file) for file in self.files):
            what, next_step = "A file of counts has no scores.", "clearwin compare scores.csv --a sys1 --b sys2"
            raise OptionError(what, "a file with a score for every item", next_step)
        columns = {**self.columns, **self.extra}
        ranked = self.measure.needs_scores and not self.measure.is_mean
        how: dict[str, Any] = {"rank_infinite": self.rank_infinite, "own_types": self.numbers or ranked}
        how["missing"] = self.missing
        if self.measure.of_winners and len(self.files) == 1:
            how["further"] = sides_of_battles
        return scores_file(self.sources, columns, id_column=self.id_column, **how)

    def binned(self, settings: dict[str, Any]) -> FileBins | None:
        """Count scores in bins, if asked for or if there are too many; None if they should be read."""
        from clearwin.data.files.predictions import bin_file, is_counts_file
        from clearwin.data.reading import Reading, can_bin

        how = Reading(
            groups=self.grouped or None,  # or strata, or slices
            threshold=self.numbers or None,
            rank_infinite=self.rank_infinite,
            bins=self.bins,
            memory_limit=self.memory_limit,
            missing=self.missing,
            positive=settings["positive"],
        )
        if not can_bin(self.measure, how) or self.bins is None or any(is_counts_file(file) for file in self.files):
            return None
        if self.bins == "auto" and self._is_small():
            return None
        return bin_file(self.sources, self.columns, how, settings["lower_is_positive"], id_column=self.id_column)

    def _is_small(self) -> bool:
        """Return whether the files are so small that their scores surely fit, so they are opened only once."""
        from clearwin.data.binned_scores import number_of_bins

        if not all(file.lower().endswith(TEXTS) and Path(file).is_file() for file in self.files):
            return False
        rows = sum(Path(file).stat().st_size for file in self.files) // FEWEST_BYTES
        return number_of_bins("auto", self.memory_limit, rows, len(self.columns)) is None

    def sums(self) -> tuple[list[Any], dict[str, list[str]]]:
        """Read the true counts and each model's (right, predicted) counts from one file."""
        from clearwin.data.files.predictions import scores_file

        if len(self.files) != 1:
            raise OptionError("Counts per item are read from one file.", "one file with all columns")
        models = [role for role in self.columns if role != "truth"]
        if len(models) > 1 and self.columns["a"] == self.columns["b"]:
            raise OptionError("--a and --b name the same columns.", "columns of their own for each model")
        columns = {"truth": self.columns["truth"]}
        for role in models:
            pair = (self.columns[role] or "").split(",")
            if len(pair) != 2:
                raise OptionError(
                    f"--{role} is {self.columns[role]!r}.",
                    "two columns, the right and the predicted ones",
                    f"--{role} right_{role},predicted_{role}",
                )
            columns |= {f"right of {role}": pair[0].strip(), f"predicted of {role}": pair[1].strip()}
        found = scores_file(self.files[0], {**columns, **self.extra}, id_column=self.id_column)
        pairs = [found.scores[2 * i : 2 * i + 2] for i in range(len(models))]
        return [found.truth, *(tuple(pair) for pair in pairs)], found.extra


def request(
    files: tuple[str, ...],
    truth: str | None,
    models: dict[str, str | None],
    id_column: str | None,
    settings: dict[str, Any],
    *,
    crossed: bool = False,
    by: str | None = None,
) -> Request:
    """Take the settings for reading; the rest is for the verb, which may take ``crossed`` groups.

    ``by`` is the column of slices.
    """
    from clearwin.data.arrays import GROUP_ROLES
    from clearwin.data.reading import refuse_classes
    from clearwin.measures import find

    measure = find(settings["measure"])
    columns = _columns_of(measure, truth, models, len(files))
    groups = settings.pop("groups")
    if len(groups) > (len(GROUP_ROLES) if crossed else 1):
        raise OptionError(
            f"--groups was given {len(groups)} times.",
            f"at most {len(GROUP_ROLES)} columns, crossed or nested"
            if crossed
            else "one column here; for nested groups, the coarser one. clearwin compare without --per-class also takes "
            "crossed groups (an enrolled speaker and a test speaker)",
            f"--groups {groups[0]}",
        )
    extra = dict.fromkeys(GROUP_ROLES[:1]) | dict(zip(GROUP_ROLES, groups, strict=False))
    extra |= {"order": settings.pop("order", None), "stratum": settings.pop("strata"), "slice": by}
    bins = settings.pop("bins", None)
    numbers = any(settings.get(name) is not None for name in ("threshold", "dev"))
    found = Request(
        files,
        columns,
        id_column,
        measure,
        extra,
        settings.pop("separator"),
        settings.get("labels"),
        numbers,
        bool(settings.get("rank_infinite")),
        names=read_names(settings.pop("names", None)),
        missing=settings.pop("missing", "refuse"),
        bins=None if str(bins).lower() == "none" else bins,
        memory_limit=settings.pop("memory_limit", "2GB"),
    )
    _refuse_what_does_not_fit(found)
    if found.kind == "decisions" and "truth" not in columns:
        refuse_classes(positive=settings.get("positive"), labels=found.labels)
    return found


def _refuse_what_does_not_fit(found: Request) -> None:
    """Raise if a setting does not fit what the columns hold."""
    from clearwin.data.arrays import check_missing
    from clearwin.data.reading import Reading, can_bin, refuse_labels

    check_missing(found.missing)
    can_bin(found.measure, Reading(bins=found.bins))
    if found.missing == "drop" and found.kind in ("label sets", "sums"):
        raise OptionError(
            f"--missing drop is not for {found.kind}.",
            "one label, score or value for each item: an item without labels has the empty set",
            "leave those items out of the file",
        )
    if found.separator is not None and any(column and "*" in column for column in found.columns.values()):
        raise OptionError(
            "--separator takes columns of lists, and a star takes columns of 0 and 1.",
            "one of them for truth, A and B alike",
            "leave --separator out, or name single columns: --truth gold --a svm --b rbf",
        )
    if found.kind in ("numbers", "sums"):
        refuse_labels(found.labels, found.separator)


def _columns_of(
    measure: Measure, truth: str | None, models: dict[str, str | None], files: int
) -> dict[str, str | None]:
    """Return the columns that the measure reads: truth and models, the models alone, or who won.

    With a file more than there are models, the first one has the truth, whose column need not be named.
    """
    if measure.of_winners:
        if truth is None:
            raise OptionError("The column with the winners was not given.", "a column", "--truth winner")
        return {"truth": truth}
    if measure.needs_truth and not (truth is None and measure.judges_marks and files <= len(models)):
        return {"truth": truth, **models}
    if truth is not None:
        raise OptionError(
            f"{measure.label} is a mean of per-item values and does not use a truth.",
            "--a and --b with the values",
            "leave --truth out, or use --measure mae for predictions of a number",
        )
    return models


def refuse_decisions_without_truth(files: Sequence[str], used: Sequence[str | None]) -> None:
    """Raise if a column of a file is called like the truth that nobody named; standard input is read only once."""
    from clearwin.data.files.guessing import columns_and_values
    from clearwin.data.model_columns import refuse_forgotten_truth

    for file in files:
        if file != "-":
            refuse_forgotten_truth(columns_and_values(file), used)


def read_names(text: str | None) -> tuple[str, str] | None:
    """Read "old,new"."""
    if text is None:
        return None
    first, *more = listed(text)
    if len(more) != 1 or not first or not more[0]:
        raise OptionError(
            f"--names is {text!r}.",
            "two names separated by a comma, in double quotes where a name holds a comma itself",
            "--names old,new",
        )
    return first, more[0]


def names_of(names: tuple[str, ...]) -> tuple[str, str]:
    """Return the two models' names: their columns or files, if those differ."""
    from clearwin.text import alike

    name_a, name_b = names[-2:]
    return ("A", "B") if alike((name_a, name_b)) else (name_a, name_b)


def read_threshold(text: str) -> Any:
    """Return "best", a number, or a number for each model, as written."""
    if text == "best":
        return text
    parts = text.split(",")
    return parts[0] if len(parts) == 1 else parts


def together_of(extra: dict[str, list[str]]) -> dict[str, Any]:
    """Return groups and strata as the verbs take them."""
    from clearwin.data.arrays import GROUP_ROLES

    groups = [extra[role] for role in GROUP_ROLES if role in extra]
    together = {"groups": groups if len(groups) > 1 else extra.get("group"), "strata": extra.get("stratum")}
    return together | ({"order": extra["order"]} if "order" in extra else {})


def grouping(n: int, extra: dict[str, list[str]]) -> Grouping:
    """Read the groups and strata, or the times, that came with the items."""
    from clearwin.data.clusters import read_grouping
    from clearwin.data.time_order import time_points

    together = together_of(extra)
    if "order" in together:
        return read_grouping(n, time_points(together["order"], together["groups"], together["strata"]))
    return read_grouping(n, **together)


def refuse_score_settings(settings: dict[str, Any]) -> None:
    """Raise when a setting for scores was given with decisions."""
    for name in ("threshold", "dev", "rank_infinite", "lower_is_positive"):
        if settings.pop(name, None):
            raise OptionError(f"--{name.replace('_', '-')} is for scores.", "a measure of scores, such as auc")
