"""Corpora for text categorisation: texts (or features made already), each filed under any number of categories.

Two are here: scikit-learn's own documentation, which is there wherever scikit-learn is, and RCV1, the corpus of
keller2004, which scikit-learn fetches when it is asked for by name. ``corpus_files`` reads the user's own.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import DataError, OptionError

Bools = NDArray[np.bool_]
PARTS = ("train", "test", "true")
DOCUMENTATION = "scikit-learn's documentation"
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
    documents_belong_together: str = ""

    @property
    def size(self) -> int:
        return len(self.is_in)

    @property
    def fingerprint(self) -> str:
        """A hash of the documents and their categories."""
        found = hashlib.sha256(repr((self.categories, self.is_in.shape, self.parts)).encode())
        found.update(np.packbits(self.is_in).tobytes())
        if self.texts is not None:
            for text in self.texts:
                found.update(f"{len(text)}:{text}".encode(errors="surrogatepass"))
        else:
            for part in (self.features.indptr, self.features.indices, self.features.data):
                found.update(np.ascontiguousarray(part).tobytes())
        return found.hexdigest()[:16]


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
        f"the paragraphs of the documentation inside scikit-learn {sklearn.__version__}, filed under the parts of the "
        "library they stand in"
    )
    categories = tuple(sorted(set().union(*filed.values())))
    is_in = np.array([[category in found for category in categories] for found in filed.values()])
    related = (
        "Paragraphs about one function, and phrases that a documentation repeats, are not independent documents, as "
        "the bootstrap takes them to be."
    )
    return Corpus(DOCUMENTATION, origin, categories, is_in, list(filed),
                  documents_belong_together=related)  # fmt: skip


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
        found = _fetch_rcv1() if fetch is None else fetch()
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


def _fetch_rcv1() -> Any:
    need_scikit_learn()
    from sklearn.datasets import fetch_rcv1

    return fetch_rcv1()
