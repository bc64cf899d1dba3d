"""Files that may be logs: what they are is found by their content."""

from __future__ import annotations

import gzip

import pytest

from clearwin.data.logs.base import Answer, LogFile, Run, text_of, without_copy
from clearwin.errors import FileError


def opened(path, content):
    path.write_bytes(content)
    return LogFile(path, path.name)


def test_json_lines_are_not_a_document(tmp_path):
    file = opened(tmp_path / "x.json", b'{"a": 1}\n{"a": 2}\n')
    assert file.document is None
    assert file.first_object == {"a": 1}
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


def test_what_is_nested_too_deeply_is_not_a_document_and_named_as_a_line(tmp_path):
    deep = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    file = opened(tmp_path / "x.json", deep)
    assert file.document is None
    assert file.first_object == {}
    with pytest.raises(FileError, match="line 2: it is nested too deeply"):
        list(opened(tmp_path / "y.jsonl", b'{"a": 1}\n' + deep + b"\n").objects())


@pytest.mark.parametrize("read", [LogFile.bytes, lambda file: file.first_line, lambda file: file.document])
def test_a_packed_file_is_counted_while_it_is_unpacked(tmp_path, monkeypatch, read):
    monkeypatch.setattr("clearwin.data.logs.base.MOST_UNPACKED", 1 << 20)
    content = b'{"a": 1' + b" " * (4 << 20) + b"}"
    with pytest.raises(FileError, match=r"x\.json\.gz holds more than"):
        read(opened(tmp_path / "x.json.gz", gzip.compress(content)))
    read(opened(tmp_path / "x.json", content))  # it is as large as it looks


def test_a_gzip_file_that_is_cut_is_refused_in_words(tmp_path):
    lines = b"".join(b'{"a": %d}\n' % i for i in range(40_000))
    for content in (gzip.compress(lines)[:-20_000], gzip.compress(lines)[:-8] + bytes(8)):
        file = opened(tmp_path / "x.jsonl.gz", content)
        for read in (lambda f: list(f.lines()), lambda f: f.bytes()):
            with pytest.raises(FileError, match=r"x\.jsonl\.gz is a broken gzip file"):
                read(file)
    assert opened(tmp_path / "y.gz", gzip.compress(lines)[:12]).start == b""


def test_keys_do_not_depend_on_order():
    assert text_of({"x": 1, "y": 2}) == text_of({"y": 2, "x": 1})


@pytest.mark.parametrize(("expected", "cut"), [(None, False), (2, False), (3, False), (4, True)])
def test_a_log_is_cut_if_it_has_fewer_answers_than_its_tool_reports(expected, cut):
    """Items without a verdict were answered, too."""
    rows, left_out = [Answer("1", {"a": 1.0}), Answer("2", {"a": 0.0})], {"3": "no verdict"}
    assert Run("format", "file", "model", "task", rows, expected=expected, left_out=left_out).is_cut == cut


def test_a_metric_that_says_the_same_is_left_out():
    same = [Answer("1", {"a": 1.0, "b": 1.0}), Answer("2", {"a": 0.0, "b": 0.0})]
    assert without_copy(same, "b", "a")[0].metrics == {"a": 1.0}
    assert without_copy([*same, Answer("3", {"a": 1.0, "b": 0.5})], "b", "a")[0].metrics == {"a": 1.0, "b": 1.0}
