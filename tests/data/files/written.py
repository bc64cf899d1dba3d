"""A small file of predictions, and what is said when it is spoilt."""

from __future__ import annotations

import re

import pytest

from clearwin.data.files.predictions import (
    tally_file,
)
from clearwin.errors import FileError

ROLES = {"truth": "y", "a": "svm", "b": "rbf"}
TWO = {"truth": "y", "a": "svm"}
CSV = b"id,y,svm,rbf\n1,cat,cat,dog\n2,dog,dog,dog\n3,cat,cat,dog\n"
TALLY = {("cat", "cat", "dog"): 2, ("dog", "dog", "dog"): 1}
JSONL = b'{"y":"cat","svm":"cat"}\n{"y":"dog","svm":"cat"}\n'


def message(error: type[Exception], *args, call=tally_file, **kwargs) -> str:
    """Return the message of the refusal, which never shows DuckDB's own advice."""
    with pytest.raises(error) as caught:
        call(*args, **kwargs)
    text = str(caught.value)
    assert caught.value.what
    assert caught.value.expected
    assert caught.value.next
    assert not re.search(r"strict_mode|ignore_errors|Possible|read_csv|read_json|LINE 1", text)
    return text


def refused(write, content: bytes | str, name: str = "preds.csv", columns=TWO) -> str:
    return message(FileError, write(content, name), columns)


def join(paths, columns=None, id_column="id"):
    return tally_file(paths, columns or dict.fromkeys(ROLES), id_column=id_column)
