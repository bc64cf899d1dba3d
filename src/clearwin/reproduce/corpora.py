"""Corpora for text categorisation: texts (or features made already), each filed under any number of categories.

Three kinds: scikit-learn's own documentation, which is there wherever scikit-learn is; files of the user's; and RCV1,
the corpus of keller2004, which scikit-learn fetches when it is asked for by name.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import DataError, FileError, OptionError, first_few
from clearwin.file_columns import find_column, hold
from clearwin.formats import Table, open_table, run, workshop
from clearwin.label_tables import read_collections, read_texts
from clearwin.sources import AnyPath, Source, open_source, read_text

Bools = NDArray[np.bool_]
PARTS = ("train", "test", "true")
FEWEST_WORDS = 10  # of a paragraph that can be told to be about anything


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents and their categories: ``is_in[document, category]``.

    Either ``texts`` or ``features`` (documents × terms, sparse) is given. ``parts`` has "train", "test" or "true" for
    each document where the corpus says itself what is for training. ``origin`` is told with every result.
    """

    name: str
    origin: str
    categories: tuple[str, ...]
    is_in: Bools
    texts: list[str] | None = None
    features: Any = None
    parts: list[str] | None = None

    @property
    def size(self) -> int:
        return len(self.is_in)


def need_scikit_learn() -> None:
    """Raise unless scikit-learn is there, which clearwin does without elsewhere."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise OptionError(
            "scikit-learn is not installed, and it trains the models.",
            "scikit-learn 1.5 or later",
            'pip install "clearwin[sklearn]"',
        ) from None


# --- scikit-learn's documentation -------------------------------------------------------------------------------


def documentation() -> Corpus:
    """Return the paragraphs of scikit-learn's own documentation, filed under the parts of the library they are in.

    The package carries no text set, but it is full of text: every function and class explains itself. A paragraph
    that stands in several parts of the library is one document with several categories, as in RCV1. The examples
    in code are left out, and so are paragraphs of fewer than ten words.
    """
    need_scikit_learn()
    import sklearn

    root = Path(sklearn.__file__).parent
    filed: dict[str, set[str]] = defaultdict(set)
    for path in sorted(root.rglob("*.py")):
        category, *inside = path.relative_to(root).parts
        if inside and "tests" not in inside and category != "externals" and not category.startswith("_"):
            for paragraph in _paragraphs(path.read_text(encoding="utf-8")):
                filed[paragraph].add(category)
    if not filed:
        raise DataError(
            "This installation of scikit-learn has no source files to read the documentation from.",
            "scikit-learn as it is usually installed",
            "name a corpus of your own: --corpus FILE",
        )
    origin = (
        f"the paragraphs of the documentation inside scikit-learn {sklearn.__version__}, filed under the parts of the "
        "library they stand in"
    )
    categories = tuple(sorted(set().union(*filed.values())))
    is_in = np.array([[category in found for category in categories] for found in filed.values()])
    return Corpus("scikit-learn's documentation", origin, categories, is_in, texts=list(filed))


def _paragraphs(source: str) -> Iterator[str]:
    """Yield the paragraphs of all documentation strings in a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                text = " ".join(re.sub(r"(?m)^\s*-{3,}\s*$", "", paragraph).split())
                if ">>>" not in text and len(re.findall(r"[A-Za-z]{2,}", text)) >= FEWEST_WORDS:
                    yield text


# --- files ------------------------------------------------------------------------------------------------------


def read_corpus(
    paths: Sequence[AnyPath], *, text: str = "text", labels: str = "labels", separator: str = ",",
    columns: Sequence[str] | None = None, label_names: AnyPath | None = None,
) -> Corpus:  # fmt: skip
    """Read documents from CSV, TSV, JSONL or Parquet files, one after the other.

    A column holds the text, another the categories: "3,17" with a separator, or lists. A document may have none. A
    column called ``split``, if there is one, says train, test or true. ``columns`` names the columns of CSV and TSV
    files without a header. ``label_names`` is a file with a name in each line; the category 0 gets the first of them.
    """
    texts: list[str] = []
    filed: list[str] = []
    parts: list[str] = []
    where: list[str] = []
    as_lists: set[bool] = set()
    for path in paths:
        with workshop() as (db, scratch):
            source = open_source(path, scratch)
            table = open_table(db, source if columns is None else _with_header(source, columns, scratch))
            split = {"split": "split"} if "split" in table.texts else {}
            wanted = {"text": find_column(table, "text", text), "labels": find_column(table, "labels", labels), **split}
            table = _lists_as_text(table, labels)
            as_lists.add(bool(table.lists))
            hold(db, table, wanted, "held", ("labels",))
            rows = run(db, source, f"SELECT text, coalesce(labels, ''){', split' if split else ''} FROM held")
        texts += [row[0] for row in rows]
        filed += [row[1] for row in rows]
        parts += [row[2] for row in rows if split]
        where += [f"labels in row {i:,} of {source.name}" for i in range(1, len(rows) + 1)]
    if len(as_lists) > 1 or len(parts) not in (0, len(texts)):
        raise FileError("The files do not have the same form.", "the same columns, of the same kind, in every file")
    categories, is_in = _filed(filed, separator, where, lists=as_lists == {True})
    if label_names is not None:
        categories = _named(categories, label_names)
    _check_parts(parts)
    name = " and ".join(Path(path).name for path in paths)
    return Corpus(name, f"{len(paths)} file{'s' if len(paths) > 1 else ''} of yours", categories, is_in, texts,
                  parts=parts or None)  # fmt: skip


def _with_header(source: Source, columns: Sequence[str], scratch: Path) -> Source:
    """Write the names of the columns above the rows of a file that has no header."""
    if source.kind not in ("csv", "tsv"):
        what = f"{source.name} names its columns itself."
        raise OptionError(what, "names of columns for CSV and TSV files without a header", "leave --columns out")
    delimiter = "\t" if source.kind == "tsv" else ","
    headed = scratch / f"headed.{source.kind}"
    with source.open() as rows, headed.open("wb") as copy:
        copy.write(delimiter.join(columns).encode() + b"\n")
        shutil.copyfileobj(rows, copy)
    return Source(headed, source.name, source.kind, zipped=False)


def _lists_as_text(table: Table, labels: str) -> Table:
    """Take a column of lists as JSON; any other column has no lists."""
    if labels not in table.lists:
        return Table(table.source, table.texts, table.rows, table.delimiter)
    as_json = {labels: table.lists[labels]}
    if table.source.kind == "jsonl":  # a text is JSON, too, but no list
        return Table(table.source, table.texts, table.rows) if not _holds_lists(table, labels) else Table(
            table.source, {**table.texts, **as_json}, table.rows, lists=as_json
        )  # fmt: skip
    return Table(table.source, {**table.texts, **as_json}, table.rows, lists=as_json)


def _holds_lists(table: Table, labels: str) -> bool:
    from clearwin.sources import json_object

    with table.source.open() as lines:
        first = next((line for line in lines if line.strip()), b"{}")
    return isinstance(json_object(first.decode("utf-8")).get(labels), list)


def _filed(filed: list[str], separator: str, where: list[str], *, lists: bool) -> tuple[tuple[str, ...], Bools]:
    """Return the categories in their order and which document is in which."""
    if lists:
        import json

        table = read_collections("labels", [json.loads(cell or "[]") for cell in filed], where.__getitem__, text=True)
    else:
        table = read_texts("labels", filed, separator, where.__getitem__)
    if not table.names:
        raise FileError(
            "No document has a category: the column of labels is empty.",
            "the categories of each document, such as 3,17",
            "--labels COLUMN for the column that holds them",
        )
    names = [str(name) for name in table.names]
    is_in = np.zeros((table.n, len(names)), dtype=np.bool_)
    is_in[np.divmod(table.codes, len(names))] = True
    # numbers by their size, other names by the alphabet
    order = sorted(range(len(names)), key=lambda i: (0, int(names[i]), "") if names[i].isdecimal() else (1, 0, names[i]))
    return tuple(names[i] for i in order), is_in[:, order]


def _named(categories: tuple[str, ...], path: AnyPath) -> tuple[str, ...]:
    name, text = read_text(path)
    names = text.split("\n")
    lost = [c for c in categories if not (c.isdecimal() and int(c) < len(names) and names[int(c)].strip())]
    if lost:
        raise FileError(
            f"{name} has no name for {first_few(lost, len(lost))}.",
            "a name in each line, the first for the category 0, and numbers as categories",
            "leave --label-names out",
        )
    return tuple(names[int(c)].strip() for c in categories)


def _check_parts(parts: list[str]) -> None:
    wrong = sorted(set(parts) - set(PARTS))
    missing = [part for part in PARTS if parts and part not in parts]
    if wrong or missing:
        what = f"has {first_few(map(repr, wrong), len(wrong))}" if wrong else f"never has {' and '.join(missing)}"
        raise FileError(f"The column 'split' {what}.", f"each of {', '.join(PARTS)}", "rename the column, or the parts")


# --- RCV1 -------------------------------------------------------------------------------------------------------


def rcv1(fetch: Callable[[], Any] | None = None) -> Corpus:
    """Return RCV1, through scikit-learn's loader, which downloads it once (about 650 MB) and keeps it.

    ``fetch`` stands in for the loader: what it returns has ``data``, ``target`` (both sparse) and ``target_names``.
    """
    if fetch is None:
        need_scikit_learn()
        from sklearn.datasets import fetch_rcv1 as fetch
    try:
        found = fetch()
    except OSError as problem:  # URLError and its kin are OSErrors
        raise DataError(
            f"RCV1 cannot be fetched: {problem}.",
            "a connection to the network, or RCV1 in scikit-learn's data folder from an earlier time",
            "leave --corpus out for a corpus that is here, or name a file of your own",
        ) from None
    origin = (
        "RCV1-v2 as scikit-learn hands it out: 103 topics, stop words removed, stemmed and weighted by tf-idf already, "
        "with a dictionary and weights of that corpus's own 23,149 training documents"
    )
    categories = tuple(str(name) for name in found.target_names)
    is_in = np.asarray(found.target.toarray(), dtype=np.bool_)
    return Corpus("RCV1", origin, categories, is_in, features=found.data.tocsr())
