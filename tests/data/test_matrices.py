"""Confusion matrices in arrays and files, and what is not one."""

from pathlib import Path

import pandas as pd
import pytest

import clearwin as cw
from clearwin.data.matrices import matrix_of, matrix_of_tally, read_matrix
from tests.chance_tables import ULCER


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], "shape (2, 3)"),
        ([[1, 2], [3]], "different lengths"),
        ([1, 2, 3], "shape (3,)"),
        ([], "shape (0,)"),
        ([[]], "shape (1, 0)"),
        ([[0, 0], [0, 0]], "no items"),
        ([[1, -2], [3, 4]], "-2"),
        ([[1, 2.5], [3, 4]], "2.5"),
        ([[0.3, 0.2], [0.1, 0.4]], "multiply shares"),
        ([[1, float("nan")], [3, 4]], "nan"),
        ([[1, float("inf")], [3, 4]], "inf"),
        ([["a", "b"], ["c", "d"]], "not a number"),
        ([[True, False], [False, True]], "truth values"),
        ([[2**60, 1], [1, 2**60]], "overflow"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["x", "y"]), "no label in common"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"], columns=["a", "b"]), "two rows"),
    ],
)
def test_matrices_that_are_none(matrix, message):
    with pytest.raises(cw.errors.DataError) as raised:
        cw.against_chance(matrix)
    assert message in str(raised.value)
    assert raised.value.expected


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("9,7,3\n15,17,13\n3,7,28\n", ("0", "1", "2")),
        ("9;7;3\r\n15;17;13\r\n3;7;28", ("0", "1", "2")),
        ("9,7,3\r15,17,13\r3,7,28\r", ("0", "1", "2")),
        ("\ra;b;c\r9;7;3\r15;17;13\r3;7;28", ("a", "b", "c")),
        ("\ufeffa,b,c\n9,7,3\n15,17,13\n3,7,28\n\n", ("a", "b", "c")),
        (",a,b,c\na,9,7,3\nb,15,17,13\nc,3,7,28\n", ("a", "b", "c")),
        ("a,9,7,3\nb,15,17,13\nc,3,7,28\n", ("a", "b", "c")),
        ("truth\\pred\t1\t2\t3\n1\t9\t7\t3\n2\t15\t17\t13\n3\t3\t7\t28\n", ("1", "2", "3")),
        ("9.0,7,3\n15,17,13\n3,7,28\n", ("0", "1", "2")),
    ],
)
def test_matrix_files_with_and_without_labels(tmp_path, text, labels):
    path = tmp_path / "matrix.csv"
    path.write_text(text, encoding="utf-8", newline="")
    found = read_matrix(path)
    assert found.labels == labels
    assert found.cells.tolist() == ULCER


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("1,2,3\n4,5,6\n", "Row 1 of the matrix in matrix.csv has 3 columns, and there are 2 rows"),
        ("1,2\n3,4\n5,6\n", "2 columns, and there are 3 rows"),
        ("1,x\n3,4\n", "the columns x and the rows 3"),
        ("1,2\n3,x\n", "'x' in row 2, column 2"),
        (",a,b\nb,1,2\na,3,4\n", "the columns a, b and the rows b, a"),
        ("y,svm\nspam,ham\nham,ham\n", "--truth COLUMN --a COLUMN"),
        ("1,-2\n3,4\n", "matrix.csv: The matrix holds -2"),
        ("0.5,0.5\n0,1\n", "shares"),
        ("0,0\n0,0\n", "no items"),
        (f"{'9' * 200_000},2\n3,4\n", "field larger than field limit"),
    ],
)
def test_matrix_files_that_are_none(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    Path("matrix.csv").write_text(text, encoding="utf-8")
    with pytest.raises(cw.errors.FileError) as raised:
        read_matrix("matrix.csv")
    assert message in str(raised.value)


def test_a_matrix_of_counted_labels_and_one_of_ours():
    found = matrix_of_tally({("dog", "cat"): 2, ("cat", "cat"): 3, ("dog", "eel"): 4})
    assert found.labels == ("cat", "dog", "eel")
    assert found.cells.tolist() == [[3, 0, 0], [2, 0, 4], [0, 0, 0]]
    ours = cw.ConfusionMatrix.of_two_classes(tp=5, fn=2, fp=1, tn=12)
    assert matrix_of(ours).cells.tolist() == [[12, 1], [2, 5]]


@pytest.mark.parametrize(("labels", "message"), [(("x", "x"), "the same label"), (("x",), "1 labels for 2 classes")])
def test_labels_that_do_not_fit_a_matrix(labels, message):
    with pytest.raises(cw.errors.DataError, match=message):
        matrix_of([[1, 2], [3, 4]], labels)


def test_a_cross_table_with_a_class_twice_is_refused():
    with pytest.raises(cw.errors.DataError, match="two rows or two columns"):
        matrix_of(pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"], columns=["a", "b"]))


def test_margins_are_no_class(tmp_path):
    """As pandas.crosstab has them with margins=True."""
    truth, said = ["x", "y", "y", "z"] * 5, ["x", "y", "x", "z"] * 5
    table = pd.crosstab(pd.Series(truth), pd.Series(said), margins=True)
    with pytest.raises(cw.errors.DataError, match="last column of the matrix, 'All', are the sums of the others"):
        cw.against_chance(table)
    path = tmp_path / "m.csv"
    table.rename(index={"All": "Total"}, columns={"All": "Total"}).to_csv(path)
    with pytest.raises(cw.errors.DataError, match="'Total', are the sums"):
        read_matrix(path)
    assert matrix_of([[1, 0, 1], [0, 1, 1], [1, 1, 3]], ["x", "y", "all"]).labels == ("x", "y", "all")
