"""Corpora for text categorisation: texts (or features made already), each filed under any number of categories.

Two are built in: scikit-learn's own documentation, which comes with scikit-learn, and RCV1, the corpus of keller2004,
which scikit-learn fetches when asked for by name. Users' own corpora come from files with a row for each document.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from clearwin.data.files.columns import find_column, hold
from clearwin.data.files.label_sets import read_cells
from clearwin.data.files.sources import AnyPath, Source, open_source, open_table, read_text, run, scratch_database
from clearwin.data.label_tables import LabelTable
from clearwin.errors import DataError, FileError, OptionError, first_few
from clearwin.numerics.arrays import Bools

PARTS = ("train", "test", "true")
DOCUMENTATION = "scikit-learn's documentation"
FEWEST_WORDS = 10  # of a paragraph long enough to be about something


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents and their categories: ``is_in[document, category]``.

    Either ``texts`` or ``features`` (documents × terms, sparse) is given. ``parts`` has "train", "test" or "true" for
    each document where the corpus says itself what is for training. ``origin`` is part of every result.
    """

    name: str
    origin: str
    categories: tuple[str, ...]
    is_in: Bools
    texts: list[str] | None = None
    features: Any = None
    parts: list[str] | None = None
    documents_belong_together: str = ""

    @property
    def size(self) -> int:
        return len(self.is_in)

    @property
    def fingerprint(self) -> str:
        """A hash of the documents and their categories."""
        digest = hashlib.sha256(repr((self.categories, self.is_in.shape, self.parts)).encode())
        digest.update(np.packbits(self.is_in).tobytes())
        if self.texts is not None:
            for text in self.texts:
                digest.update(f"{len(text)}:{text}".encode(errors="surrogatepass"))
        else:
            for part in (self.features.indptr, self.features.indices, self.features.data):
                digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]


def need_scikit_learn() -> None:
    """Raise unless scikit-learn is installed, which clearwin needs only here."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise OptionError(
            "scikit-learn is not installed, and it trains the models.",
            "scikit-learn 1.5 or later",
            "pip install 'scikit-learn>=1.5'",
        ) from None


# --- scikit-learn's documentation -------------------------------------------------------------------------------


def documentation() -> Corpus:
    """Return the paragraphs of scikit-learn's own documentation, labelled by the parts of the library they are in.

    The package has no text data set, but every function and class explains itself in text. A paragraph in several parts
    of the library is one document with several categories, as in RCV1. Code examples and paragraphs of fewer than ten
    words are left out.
    """
    need_scikit_learn()
    import sklearn

    root = Path(sklearn.__file__).parent
    filed: dict[str, set[str]] = defaultdict(set)
    for path in sorted(root.rglob("*.py")):
        category, *inside = path.relative_to(root).parts
        if inside and "tests" not in (category, *inside) and category != "externals" and not category.startswith("_"):
            for paragraph in _paragraphs(path.read_text(encoding="utf-8")):
                filed[paragraph].add(category)
    if not filed:
        raise DataError(
            "This installation of scikit-learn has no source files to read the documentation from.",
            "scikit-learn as it is usually installed",
            "name a corpus of your own: --corpus FILE",
        )
    origin = (
        f"the paragraphs of the documentation inside scikit-learn {sklearn.__version__}, labelled by the parts of the "
        "library they are in"
    )
    categories = tuple(sorted(set().union(*filed.values())))
    is_in = np.array([[category in own_categories for category in categories] for own_categories in filed.values()])
    related = (
        "Paragraphs about one function, and phrases that the documentation repeats, are not independent documents, "
        "although the bootstrap treats them as such."
    )
    return Corpus(DOCUMENTATION, origin, categories, is_in, list(filed), documents_belong_together=related)


def _paragraphs(source: str) -> Iterator[str]:
    """Yield the paragraphs of all documentation strings in a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                text = " ".join(re.sub(r"(?m)^\s*-{3,}\s*$", "", paragraph).split())
                if ">>>" not in text and len(re.findall(r"[A-Za-z]{2,}", text)) >= FEWEST_WORDS:
                    yield text


# --- RCV1 -------------------------------------------------------------------------------------------------------


def rcv1(fetch: Callable[[], Any] | None = None) -> Corpus:
    """Return RCV1, through scikit-learn's loader, which downloads it once (about 650 MB) and keeps it.

    ``fetch`` stands in for the loader: what it returns has ``data``, ``target`` (both sparse) and ``target_names``.
    """
    try:
        fetched = _fetch_rcv1() if fetch is None else fetch()
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
    categories = tuple(str(name) for name in fetched.target_names)
    is_in = np.asarray(fetched.target.toarray(), dtype=np.bool_)
    return Corpus("RCV1", origin, categories, is_in, features=fetched.data.tocsr())


def _fetch_rcv1() -> Any:
    need_scikit_learn()
    from sklearn.datasets import fetch_rcv1

    return fetch_rcv1()


@dataclass(frozen=True, eq=False)
class _Documents:
    """What one file holds; ``parts`` is empty where no column says it."""

    texts: list[str]
    labels: LabelTable
    parts: list[str]


def read_corpus(
    paths: Sequence[AnyPath],
    *,
    text: str = "text",
    labels: str = "labels",
    separator: str = ",",
    columns: Sequence[str] | None = None,
    label_names: AnyPath | None = None,
) -> Corpus:
    """Read documents from CSV, TSV, JSONL or Parquet files, one after the other.

    A column holds the text, another the categories: "3,17" with a separator, or lists. A document can have none. A
    column called ``split``, if there is one, says train, test or true. ``columns`` names the columns of CSV and TSV
    files without a header. ``label_names`` is a file with a name in each line; the category 0 gets the first of them.
    """
    files = [_read_file(path, text, labels, separator, columns) for path in paths]
    texts = [text for documents in files for text in documents.texts]
    parts = [part for documents in files for part in documents.parts]
    _check_parts(parts, len(texts))
    categories, is_in = _together([documents.labels for documents in files])
    if label_names is not None:
        categories = _named(categories, label_names)
    name = " and ".join(Path(path).name for path in paths)
    return Corpus(name, name, categories, is_in, texts, parts=parts or None)


def _read_file(path: AnyPath, text: str, labels: str, separator: str, columns: Sequence[str] | None) -> _Documents:
    with scratch_database() as (db, scratch):
        source = open_source(path, scratch)
        table = open_table(db, source if columns is None else _with_header(source, columns, scratch))
        wanted = {"text": find_column(table, "text", text), "labels": find_column(table, "labels", labels)}
        if "split" in table.texts:
            wanted["split"] = "split"
        lists = labels in table.lists
        if lists:
            table = replace(table, texts={**table.texts, labels: table.lists[labels]})
        hold(db, table, wanted, "held", () if lists else ("labels",), ("text",))
        held = dict(zip(wanted, zip(*run(db, source, "FROM held"), strict=True), strict=True))
    cells = list(held["labels"])

    def where(i: int) -> str:
        return f"Column {labels!r} of {source.name}, row {i + 1:,},"

    filed = read_cells("labels", cells, where, separator, as_lists=lists)
    return _Documents(list(held["text"]), filed, list(held.get("split", ())))


def _with_header(source: Source, columns: Sequence[str], scratch: Path) -> Source:
    """Write the names of the columns above the rows of a file that has no header."""
    if source.kind not in ("csv", "tsv"):
        what = f"{source.name} names its columns itself."
        raise OptionError(what, "names of columns for CSV and TSV files without a header", "leave --columns out")
    headed = scratch / f"headed.{source.kind}"
    with source.open() as rows, headed.open("wb") as copy:
        first = rows.readline()
        end = b"\r\n" if first.endswith(b"\r\n") else b"\n"  # as the rows end: a file must not mix them
        copy.write(("\t" if source.kind == "tsv" else ",").join(columns).encode() + end + first)
        shutil.copyfileobj(rows, copy)
    return Source(headed, source.name, source.kind, zipped=False)


def _together(tables: list[LabelTable]) -> tuple[tuple[str, ...], Bools]:
    """Return the categories of all files and which document is in which."""
    names = {str(name) for table in tables for name in table.names}
    if not names:
        raise FileError(
            "No document has a category: the column of labels is empty.",
            "the categories of each document, such as 3,17",
            "--labels COLUMN for the column that holds them",
        )
    # numbers by their size, other names by the alphabet
    categories = tuple(sorted(names, key=lambda name: (0, int(name), "") if name.isdecimal() else (1, 0, name)))
    is_in = np.zeros((sum(table.n for table in tables), len(categories)), dtype=np.bool_)
    first = 0
    for table in tables:
        places = np.array([categories.index(str(name)) for name in table.names], dtype=np.int64)
        rows, labels = np.divmod(table.codes, max(1, len(table.names)))
        is_in[first + rows, places[labels]] = True
        first += table.n
    return categories, is_in


def _named(categories: tuple[str, ...], path: AnyPath) -> tuple[str, ...]:
    name, text = read_text(path)
    names = [line.strip() for line in text.splitlines()]
    lost = [c for c in categories if not (c.isdecimal() and int(c) < len(names) and names[int(c)])]
    if lost:
        raise FileError(
            f"{name} lacks a name for the categor{'ies' if len(lost) > 1 else 'y'} {first_few(lost, len(lost))}.",
            "a name in each line, the first for the category 0, and numbers as categories",
            "leave --label-names out",
        )
    names_of_categories = tuple(names[int(c)] for c in categories)
    if len(set(names_of_categories)) < len(names_of_categories):
        raise FileError(f"{name} has a name twice.", "a different name for each category", "correct it")
    return names_of_categories


def _check_parts(parts: list[str], size: int) -> None:
    """Raise unless no document names its part, or every one does and all three parts occur."""
    if not parts:
        return
    wrong = sorted(set(parts) - set(PARTS))
    missing = [part for part in PARTS if part not in parts]
    if len(parts) < size:
        problem = "is in some of the files only"
    elif wrong:
        problem = f"has {first_few(map(repr, wrong), len(wrong))}"
    elif missing:
        problem = f"never has {' and '.join(missing)}"
    else:
        return
    what = f"The column 'split' {problem}."
    raise FileError(what, f"each of {', '.join(PARTS)}", "rename the column to split at random, or correct it")
