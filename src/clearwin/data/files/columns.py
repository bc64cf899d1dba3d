"""The columns of prediction files: found by name, held by DuckDB as text, checked, and joined by id.

A role is what a column is for: ``truth``, ``a`` or ``b``, and perhaps ``group`` or ``stratum``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.data.arrays import EXTRA_ROLES, check_missing
from clearwin.data.files.sources import (
    LONGEST_LABEL,
    AnyPath,
    OpenFiles,
    Source,
    TextColumns,
    csv_rows,
    no_rows,
    open_files,
    quoted,
    run,
    sql_number,
)
from clearwin.errors import FileError, UnknownNameError, first_few, nearest, setting
from clearwin.text import composed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Database


# what a column with the truth is called beyond doubt, also in a file that is asked for something else
CALLED_TRUTH = ("truth", "gold", "ground_truth", "groundtruth", "y_true", "true_label", "gold_label")
# what pandas calls an index without a name, in CSV, read from CSV and written again, and in Parquet
INDEX = ("", "Unnamed: 0", "__index_level_0__")
KEYS = ("hash(id)", "id")  # what stands for an id: 64 bits, or its text where two ids have the same
MOST_PARTS, PART = 16, 2**17  # ids are compared in parts of this size, unless there would be too many parts


def roles_asked_for(columns: Mapping[str, str | None]) -> dict[str, str | None]:
    """Put group and stratum last, and leave them out where no column is named for them."""
    labels = {role: column for role, column in columns.items() if role not in EXTRA_ROLES}
    return labels | {role: columns[role] for role in EXTRA_ROLES if columns.get(role) is not None}


def find_column(table: TextColumns, role: str, column: str | None, besides: Collection[str] = ()) -> str:
    """Return the column for a role: the one asked for, or the only one ``besides`` the id and others."""
    name = table.source.name
    if column in table.texts:
        return column
    alike = [other for other in table.texts if column is not None and composed(other) == composed(column)]
    if len(alike) == 1:
        return alike[0]
    if column is not None:
        hint = "" if nearest(column, table.texts) else "give one of these names"
        raise UnknownNameError(f"column of {name}", column, table.texts, hint)
    others = [other for other in table.texts if other not in besides and other not in INDEX]
    if besides and len(others) == 1:
        return others[0]
    choice = f"one of {', '.join(others)}" if others else f"a column besides {' and '.join(besides)}"
    without = "; for columns that say right or wrong, `--measure accuracy` without a truth" if role == "truth" else ""
    raise FileError(f"The column of {name} for {role} was not given.", choice, f"give `{option_of(role)}`{without}")


def holds(table: TextColumns, column: str) -> bool:
    """Whether a file has a column of this name, or columns that match a pattern with a star."""
    names = list(table.texts)
    return column in names or ("*" in column and any(fnmatchcase(name, column) for name in names))


def option_of(role: str) -> str:
    """Return the option that names the column of a role; those of many models are named together."""
    return "--models COLUMN,COLUMN,…" if role.startswith("model_") else f"--{role} COLUMN"


def names_that_differ(columns: Iterable[str], files: Sequence[str]) -> tuple[str, ...]:
    """Prefer the names of the columns, but three called "label" would tell the reader nothing."""
    stems = [Path(re.sub(r"(?i)\.gz$", "", file)).stem for file in files]
    return next((n for n in (tuple(columns), tuple(stems)) if len(set(n)) == len(n)), tuple(files))


def refuse_truth_against_itself(labels: Mapping[str, str]) -> None:
    """Refuse predictions from the column of the truth or of another model; the strata may well be the classes."""
    for role, label in labels.items():
        if role not in ("truth", *EXTRA_ROLES) and label == labels.get("truth"):
            what = f"The truth and {role} are both {label}."
            raise FileError(what, "predictions in a column of their own", f"give another `{option_of(role)}`")
    taken: dict[str, str] = {}
    for role, label in labels.items():
        if role in ("a", "b") or role.startswith("model_"):
            if label in taken:
                what = f"Two models are both {label}."
                raise FileError(what, "a column of its own for each model", f"give another `{option_of(role)}`")
            taken[label] = role


def read_columns(
    db: Database,
    table: TextColumns,
    columns: Mapping[str, str],
    query: str,
    may_be_empty: Collection[str] = (),
    may_be_long: Collection[str] = (),
    view: str = "items",
    *,
    counted: bool = False,
) -> list[Any]:
    """Run a query on the view ``items``, or as it is called: the text of the columns, under the names of their roles.

    Where rows are only ``counted``, those that are the same in the file are put together before anything becomes text,
    and the column ``n_rows`` says how many they are.

    Several threads can take a line break inside quotes for the end of a row; DuckDB notices and complains.
    One thread does not, but it silently stops at a quote that is never closed, so its rows are counted.
    Labels and ids are short; lists, what may be empty (several labels in a text) and ``may_be_long`` need not be.
    """
    texts = {role: table.texts[column] for role, column in columns.items()}
    # outside, because it would write its text twice
    known = {role: f"nullif(nfc_normalize({name_of(role)}), '')" for role in columns}
    if "item" in columns:  # which is only shown
        known["item"] = f"nullif({name_of('item')}, '')"
    for role in may_be_empty:
        text = table.texts[columns[role]]
        texts[role] = f"coalesce({text}, '')" if table.delimiter else text  # CSV cannot tell missing from empty
        known[role] = f"nfc_normalize({name_of(role)})"
    selected = ", ".join(f"{text} AS {name_of(role)}" for role, text in texts.items())
    long = {role for role, name in columns.items() if table.texts[name] == table.lists.get(name)}
    long |= {*may_be_empty, *may_be_long}
    checked = ", ".join(
        f"{known[role] if role in long else _short(role, columns[role], known[role])} AS {name_of(role)}"
        for role in columns
    )
    number = ", n_rows" if counted else ""
    texts_of = f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT {checked}{number} FROM (SELECT {selected}{number} FROM"

    def read(rows: str) -> list[Any]:
        if counted:
            places = sorted({table.places[column] for column in columns.values()})
            rows = f"(SELECT {', '.join(places)}, count(*) AS n_rows FROM {rows} GROUP BY ALL)"
        return run(db, table.source, f"{texts_of} {rows}); {query}")

    try:
        return read(table.rows)
    except FileError:
        if not table.delimiter:
            raise
        rows = f"{table.rows.removesuffix(')')}, parallel=false)"
        if run(db, table.source, f"SELECT count(*) FROM {rows}") != [(csv_rows(table),)]:
            raise
        return read(rows)


def _short(role: str, column: str, known: str) -> str:
    """Write the SQL of a text that is refused where it is too long to be a label."""
    name = name_of(role)
    refusal = f"error({quoted(f'long label in {column}: ')} || length({name}) || ' ' || left({name}, 60))"
    return f"CASE WHEN length({name}) > {LONGEST_LABEL} THEN {refusal} ELSE {known} END"


def hold(
    db: Database,
    table: TextColumns,
    columns: Mapping[str, str],
    held: str,
    may_be_empty: Collection[str] = (),
    may_be_long: Collection[str] = (),
    *,
    key: str | None = None,
    with_ids: bool = False,
    missing: str = "refuse",
    may_lack: Collection[str] = (),
) -> int:
    """Keep the columns in a table of DuckDB's own, check them, and return the number of items.

    Only the hash of an id is kept: enough to join by and to suspect a repetition, where millions of texts would fill
    the memory. The texts, which have the last word, are read from the file again; ``with_ids`` also keeps them as
    ``id_text``, to sort by. Values may be ``missing`` where whoever asks will drop their items; ids may not. Roles that
    ``may_lack`` values are only there to be compared with others.
    """
    kept, key = "*", key or KEYS[0]
    if "id" in columns:
        kept = f"* REPLACE (CASE WHEN id IS NOT NULL THEN {key} END AS id)"
        kept += ", id AS id_text" if with_ids else ""
    view = view_of(held)
    query = f"CREATE OR REPLACE TEMP TABLE {held} AS SELECT {kept} FROM {view}"
    [(size,)] = read_columns(db, table, columns, query, may_be_empty, may_be_long, view)
    filled = {role: name for role, name in columns.items() if role not in may_lack or role == "truth"}
    if missing != "refuse":
        filled = {role: name for role, name in filled.items() if role == "id"}
    refuse_unusable(db, table.source, held, filled)
    if "id" in columns:
        _refuse_repeated_ids(db, table.source, held, columns["id"], size, key)
    return int(size)


def view_of(held: str) -> str:
    """Name the view of the texts in the file from which a table was made."""
    return f"texts_of_{held}"


def parts_of(size: int, key: str) -> list[str]:
    """Return the conditions that part the ids of a table by their hash, so that few are compared at a time."""
    if key != KEYS[0]:
        return ["true"]
    parts = min(MOST_PARTS, 1 + size // PART)
    ends = [f"{2**64 * part // parts}::UBIGINT" for part in range(1, parts)]
    return [
        " AND ".join([f"id >= {start}"] * bool(start) + [f"id < {end}"] * bool(end)) or "true"
        for start, end in zip(["", *ends], [*ends, ""], strict=True)
    ]


@dataclass(frozen=True)
class Taken:
    """What a role takes from a file: the columns under names of our own, and how they are to be read."""

    source: Source
    column: str  # as the user gave it
    columns: dict[str, str]
    labels: tuple[str, ...] = ()  # of 0/1 columns
    lists: bool = False  # as JSON
    may_be_empty: bool = False


Paths = AnyPath | Mapping[str, AnyPath]  # one file, or one for each role, joined by id


@dataclass(frozen=True, eq=False)
class FilesAtHand:
    """Files that are open already, and which of them is asked about."""

    home: OpenFiles
    paths: Paths


Files = Paths | FilesAtHand
Pick = Callable[[str, TextColumns, str | None, Sequence[str]], tuple[TextColumns, Taken]]
Further = Callable[["Database", TextColumns], Mapping[str, str]]


def one_column(role: str, table: TextColumns, column: str | None, besides: Sequence[str]) -> tuple[TextColumns, Taken]:
    """Take the column of a role: the one asked for, or the only one ``besides`` the id and others."""
    name = find_column(table, role, column, besides)
    return table, Taken(table.source, name, {role: name})


@dataclass(frozen=True, eq=False)
class Opened:
    """Columns that were found: what truth and models take, the columns of group and stratum, and of the ids.

    The items are in the table ``held``; those of one file that is only counted are read where they lie, in ``table``.
    """

    db: Database
    taken: dict[str, Taken]
    extra: dict[str, str]
    ids: dict[str, str]
    table: TextColumns | None = None
    joined: bool = False

    @property
    def source(self) -> Source:
        """The file of the first role."""
        return next(iter(self.taken.values())).source

    @property
    def name(self) -> str:
        """What to call the file, or the files."""
        return "the joined files" if self.joined else self.source.name

    @property
    def columns(self) -> dict[str, str]:
        """The column of each role that takes one, group and stratum last."""
        return {role: take.column for role, take in self.taken.items()} | self.extra

    def names(self, shown: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a name to show for truth and each model: their columns, or their files where those tell them apart."""
        shown = [take.column for take in self.taken.values()] if shown is None else shown
        files = [take.source.name for take in self.taken.values()]
        if not self.joined:
            return tuple(shown)
        if "truth" in self.taken and files[0] in files[1:]:  # the truth is in the file of a model
            return (shown[0], *names_that_differ(shown[1:], files[1:]))
        return names_that_differ(shown, files)

    def run(self, query: str) -> list[Any]:
        """Run a query on the items, which it calls ``{items}``."""
        if self.table is None:
            return run(self.db, self.source, query.format(items="held"))
        return read_columns(self.db, self.table, self.columns, query.format(items="items"))

    def combinations(self, most: int) -> list[Any]:
        """Return the combinations of texts with the number of items of each; one more than ``most`` at most."""
        roles = ", ".join(name_of(role) for role in self.columns)
        # of JSON, lines as a whole are hardly ever the same
        if self.table is None or not self.table.places.keys() >= set(self.columns.values()):
            return self.run(f"SELECT {roles}, count(*) FROM {{items}} GROUP BY ALL LIMIT {most + 1}")
        query = f"SELECT {roles}, sum(n_rows)::BIGINT FROM items GROUP BY ALL LIMIT {most + 1}"
        return read_columns(self.db, self.table, self.columns, query, counted=True)


@contextmanager
def opened(
    files: Files,
    columns: Mapping[str, str | None],
    id_column: str | None,
    pick: Pick = one_column,
    *,
    sort: bool = False,
    in_place: bool = False,
    found_only: bool = False,
    missing: str = "refuse",
    further: Further | None = None,
) -> Iterator[Opened]:
    """Open one file, or one for each role that are joined by id, and find the column of each role.

    A column may be None where the file has only one besides the id. Group and stratum are columns of the first file.
    With ``sort`` the joined rows stand in the order of the ids, whose texts are in the column ``id_text``; ``in_place``
    does not hold the items of a single file, and ``found_only`` none at all; ``further`` looks at a single file and
    finds columns of further roles. Values may be empty where ``missing`` is "drop": whoever asks drops these items.
    """
    check_missing(missing)
    with at_hand(files) as opened_files, opened_files.home.asked() as db:
        paths = opened_files.paths
        if isinstance(paths, Mapping):
            joined = _find_in_several(opened_files.home, paths, columns, str(id_column), pick)
            if found_only:
                yield Opened(db, joined.taken, joined.extra, {}, joined=True)
                return
            yield _held_together(db, joined, str(id_column), sort=sort, missing=missing)
            return
        table = opened_files.home.table(paths)
        asked = roles_asked_for({**columns, **(further(db, table) if further is not None else {})})
        extra = {role: find_column(table, role, asked.pop(role)) for role in EXTRA_ROLES if role in asked}
        ids = {"id": find_column(table, "id", id_column)} if id_column else {}
        taken: dict[str, Taken] = {}
        for role, column in asked.items():
            table, taken[role] = pick(role, table, column, [*ids.values(), *extra.values()])
        refuse_truth_against_itself({role: f"column {take.column!r}" for role, take in taken.items()})
        if not in_place and not found_only:
            held = {name: column for take in taken.values() for name, column in take.columns.items()}
            hold(db, table, {**held, **extra, **ids}, "held", _may_be_empty(taken.values()), missing=missing)
        yield Opened(db, taken, extra, ids, table if in_place else None)


@contextmanager
def at_hand(files: Files) -> Iterator[FilesAtHand]:
    """Open files for one question, unless they are open already."""
    if isinstance(files, FilesAtHand):
        yield files
        return
    with open_files() as home:
        yield FilesAtHand(home, files)


def _may_be_empty(taken: Iterable[Taken]) -> list[str]:
    return [name for take in taken if take.may_be_empty for name in take.columns]


@dataclass(frozen=True, eq=False)
class FoundInSeveral:
    """What each role takes from its own file, and the columns of each file that are held to join them."""

    taken: dict[str, Taken]
    extra: dict[str, str]
    tables: dict[str, tuple[TextColumns, dict[str, str]]]
    truths: dict[str, tuple[str, str]]


def _find_in_several(
    home: OpenFiles, paths: Mapping[str, AnyPath], columns: Mapping[str, str | None], id_column: str, pick: Pick
) -> FoundInSeveral:
    """Find the columns of every role in its own file."""
    if [os.fspath(path) for path in paths.values()].count("-") > 1:
        raise FileError("Standard input (-) is given twice.", "at most one -", "save the others as files")
    asked = roles_asked_for(columns)
    taken: dict[str, Taken] = {}
    extra: dict[str, str] = {}
    tables: dict[str, tuple[TextColumns, dict[str, str]]] = {}
    for role, path in paths.items():
        table = home.table(path)
        id_name = find_column(table, "id", id_column)
        if not taken:  # the first file
            extra = {r: find_column(table, r, column) for r, column in asked.items() if r in EXTRA_ROLES}
        here = {} if taken else extra
        table, taken[role] = pick(role, table, asked.get(role), [id_name, *here.values()])
        tables[role] = table, {"id": id_name, **taken[role].columns, **here}
    return FoundInSeveral(taken, extra, tables, _add_other_truths(tables, taken, paths))


def _held_together(db: Database, found: FoundInSeveral, id_column: str, *, sort: bool, missing: str) -> Opened:
    """Hold the items of all files, joined by id, in the table ``held``."""
    taken, truths, sources = (
        found.taken,
        found.truths,
        {role: table.source for role, (table, _) in found.tables.items()},
    )
    first, source = next(iter(sources)), next(iter(sources.values()))
    for key in KEYS:
        sizes = {
            role: hold(
                db,
                *of_file,
                f"file_{role}",
                _may_be_empty([taken[role]]),
                key=key,
                with_ids=(sort or len(truths) > 1) and role == first,
                missing=missing,
                may_lack=truths,
            )
            for role, of_file in found.tables.items()
        }
        if _join(db, sources, min(sizes.values()), key) == min(sizes.values()) == max(sizes.values()):
            break
        _refuse_unmatched_ids(db, sources, key)
    for role in sources:
        run(db, source, f"DROP TABLE file_{role}")
    _refuse_other_truths(db, sources, truths)
    if sort:
        run(db, source, "CREATE OR REPLACE TEMP TABLE held AS FROM held ORDER BY id_text")
    refuse_truth_against_itself({r: f"column {take.column!r} of {take.source.name}" for r, take in taken.items()})
    return Opened(db, taken, found.extra, {"id_text": id_column}, joined=True)


def _add_other_truths(
    tables: dict[str, tuple[TextColumns, dict[str, str]]], taken: Mapping[str, Taken], paths: Mapping[str, AnyPath]
) -> dict[str, tuple[str, str]]:
    """Also hold the columns of all files that are called truth; return role → (file, column), the truth first.

    A file whose truth is another is that of other items, or its rows are in another order.
    """
    own = taken.get("truth")
    plain = own is not None and list(own.columns) == ["truth"] and not own.lists
    found = {"truth": (own.source.name, own.column)} if own is not None and plain else {}
    if own is not None and not plain:
        return {}
    for role, (table, columns) in tables.items():
        if own is not None and paths[role] == paths["truth"]:
            continue
        names = (*([own.column] if own else []), *CALLED_TRUTH)
        free = [name for name in table.texts if name not in columns.values() and name not in table.lists]
        name = next((name for wanted in names for name in free if name.lower() == wanted.lower()), None)
        if name is not None and not table.texts[name].startswith("error("):
            columns[f"truth in the file of {role}"] = name
            found[f"truth in the file of {role}"] = (table.source.name, name)
    return found


def _refuse_other_truths(db: Database, sources: Mapping[str, Source], truths: Mapping[str, tuple[str, str]]) -> None:
    """Refuse files that disagree about the truth, with how many items they do on and the first three of them."""
    first, *others = truths or [""]
    for other in others:
        one, two = (f"trim({name_of(role)}, '\"')" for role in (first, other))
        # what is missing in one of them says nothing, and 1.0 is 1
        same_number = f"coalesce({sql_number(one)} = {sql_number(two)}, false)"
        query = f"SELECT id_text, {one} AS one, {two} AS two FROM held WHERE {one} <> {two} AND NOT {same_number}"
        source = next(iter(sources.values()))
        [(count, size)] = run(db, source, f"SELECT (SELECT count(*) FROM ({query})), (SELECT count(*) FROM held)")
        if count:
            rows = run(db, source, f"{query} ORDER BY id_text LIMIT 3")
            told = first_few([f"{item} is {a!r} and {b!r}" for item, a, b in rows], count)
            (file, column), (other_file, other_column) = truths[first], truths[other]
            raise FileError(
                f"The truths of {file} (column {column!r}) and {other_file} (column {other_column!r}) differ on "
                f"{count:,} of {size:,} items: {told}.",
                "the same truth for every item in all files",
                "check that the ids mean the same items in both files, or leave out the column that is not the truth",
            )


def _join(db: Database, sources: Mapping[str, Source], size: int, key: str) -> int:
    """Join the tables of the files part by part, because DuckDB holds all but one of them; return the rows."""
    matched = 0
    for i, part in enumerate(parts_of(size, key)):
        joined = " JOIN ".join(
            f"(FROM file_{role} WHERE {part}) AS {name_of(role)}{' USING (id)' if j else ''}"
            for j, role in enumerate(sources)
        )
        into = "INSERT INTO held" if i else "CREATE OR REPLACE TEMP TABLE held AS"
        [(rows,)] = run(db, next(iter(sources.values())), f"{into} SELECT * EXCLUDE (id) FROM {joined}")
        matched += rows
    return matched


def refuse_unusable(db: Database, source: Source, relation: str, columns: Mapping[str, str]) -> None:
    """Refuse a file without rows or with missing values."""
    filled = ", ".join(["count(*)", *(f"count({name_of(role)})" for role in columns)])
    [(size, *sizes)] = run(db, source, f"SELECT {filled} FROM {relation}")
    if not size:
        raise no_rows(source)
    for role in [role for role, count in zip(columns, sizes, strict=True) if count < size]:
        column = columns[role]
        rows = f"SELECT row_number() OVER () AS row, {name_of(role)} AS value FROM {relation}"
        empty = offenders(db, source, "row", f"SELECT row FROM ({rows}) WHERE value IS NULL")
        raise FileError(
            f"Column {column!r} of {source.name} is empty in {empty}; row 1 is the first item.",
            f"a {role} in every row"
            if role in EXTRA_ROLES
            else "a value in every row; if an empty value is a label, write it as a word: none",
            "fill in the values, or leave these items out: " + setting("missing", "drop"),
        )


def _refuse_repeated_ids(db: Database, source: Source, held: str, column: str, size: int, key: str) -> None:
    """Ids that are the same have the same hash, so only those whose hash comes twice are read again, as texts."""
    twice = f"SELECT id FROM {held} WHERE {{}} GROUP BY id HAVING count(*) > 1"
    if not any(run(db, source, f"{twice.format(part)} LIMIT 1") for part in parts_of(size, key)):
        return
    suspects = f"SELECT id FROM {view_of(held)} WHERE {key} IN ({twice.format('true')})"
    repeated = offenders(db, source, "id", f"SELECT id FROM ({suspects}) GROUP BY id HAVING count(*) > 1")
    if repeated:
        what = f"Column {column!r} of {source.name} repeats {repeated}."
        raise FileError(what, "every id once", "remove the repeated items, or name another id column")


def _refuse_unmatched_ids(db: Database, sources: Mapping[str, Source], key: str) -> None:
    """Name the ids that a file lacks; where none is lacking, two ids have the same hash, and nothing is refused."""
    first, *others = sources
    wrong = []
    for other in others:
        for here, there in ((first, other), (other, first)):
            lonely = f"SELECT id FROM file_{here} ANTI JOIN file_{there} USING (id)"
            texts = f"SELECT id FROM {view_of(f'file_{here}')} WHERE {key} IN ({lonely})"
            ids = offenders(db, sources[here], "id", texts)
            if ids:
                wrong.append(f"{sources[there].name} lacks {ids} of {sources[here].name}")
    if wrong:
        raise FileError(
            f"The files do not hold the same items: {'; '.join(wrong)}.",
            "the same ids in every file, written alike: ids are text, so 1 and 01 differ",
            "add or remove these items",
        )


def offenders(db: Database, source: Source, noun: str, query: str) -> str:
    """Show the first three things that the query finds and how many there are: 2 rows (4, 7)."""
    [(count, found)] = run(db, source, f"SELECT count(*), min(COLUMNS(*), 3) FROM ({query})")
    return f"{count:,} {noun}{'s' if count > 1 else ''} ({first_few(found, count)})" if count else ""


def name_of(role: str) -> str:
    """Write a role as SQL has names."""
    return f'"{role}"'
