"""Files that may be logs: what they are is found by their content."""

from __future__ import annotations

import gzip

import pytest

from clearwin.data.logs.base import Answer, LogFile, text_of, without_copy
from clearwin.errors import FileError


def opened(path, content):
    path.write_bytes(content)
    return LogFile(path, path.name)


def test_json_lines_are_not_a_document(tmp_path):
    file = opened(tmp_path / "x.json", b'{"a": 1}\n{"a": 2}\n')
    assert file.document is None
    assert [found for _, found in file.objects()] == [{"a": 1}, {"a": 2}]


def test_a_document_in_one_line_and_in_many(tmp_path):
    assert opened(tmp_path / "x", b'{"a": 1}').document == {"a": 1}
    assert opened(tmp_path / "y", b'{\n "a": 1\n}\n').document == {"a": 1}
    assert opened(tmp_path / "z", b"[1, 2").document is None


def test_gzip_is_found_by_its_bytes(tmp_path):
    file = opened(tmp_path / "x.txt", gzip.compress(b"1 2 3\n4 5 6\n"))
    assert file.columns == [["1", "2", "3"]]  # the last line may be cut
    assert [line.split() for _, line in file.lines()] == [["1", "2", "3"], ["4", "5", "6"]]


def test_a_broken_line_is_named(tmp_path):
    file = opened(tmp_path / "x.jsonl", b'{"a": 1}\n{"a": \n')
    with pytest.raises(FileError, match="line 2"):
        list(file.objects())
    with pytest.raises(FileError, match="line 1 is not an object"):
        list(opened(tmp_path / "y.jsonl", b"3\n").objects())


def test_keys_do_not_depend_on_order():
    assert text_of({"x": 1, "y": 2}) == text_of({"y": 2, "x": 1})


def test_a_metric_that_says_the_same_is_left_out():
    same = [Answer("1", {"a": 1.0, "b": 1.0}), Answer("2", {"a": 0.0, "b": 0.0})]
    assert without_copy(same, "b", "a")[0].metrics == {"a": 1.0}
    assert without_copy([*same, Answer("3", {"a": 1.0, "b": 0.5})], "b", "a")[0].metrics == {"a": 1.0, "b": 1.0}
