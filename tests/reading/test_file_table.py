"""Files as tables: opened once, asked often, and opened again by a result."""

import io
import json
from types import SimpleNamespace

import pandas as pd
import pytest

import clearwin as cw
from clearwin.data.reading import Reading
from clearwin.errors import FileError, OptionError
from clearwin.reading.opening import opened

ROWS = [("cat", "cat", "dog"), ("dog", "dog", "dog"), ("cat", "dog", "cat"), ("dog", "cat", "dog")] * 8
FEW = {"measure": "accuracy", "n_resamples": 30, "rng": 1}


def csv(rows, header="id,y,svm,rbf"):
    return "\n".join([header, *(f"{i},{','.join(map(str, row))}" for i, row in enumerate(rows))])


@pytest.fixture
def preds(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text(csv(ROWS))
    return path


def answer(data, **settings):
    return json.loads(cw.compare(data=data, truth="y", a="svm", b="rbf", **FEW, **settings).to_json())


def test_a_path_is_asked_as_an_open_table_is(preds):
    with opened(preds) as table:
        first, again = answer(table), answer(table)
    assert first == again == answer(str(preds)) == answer(preds)


def test_files_joined_by_id_are_those_of_one_file(preds, tmp_path):
    for name, place in (("gold", 0), ("svm", 1), ("rbf", 2)):
        (tmp_path / f"{name}.csv").write_text(csv([(row[place],) for row in reversed(ROWS)], "id,label"))
    paths = [tmp_path / f"{name}.csv" for name in ("gold", "svm", "rbf")]
    joined = json.loads(cw.compare(data=paths, id="id", **FEW).to_json())
    # rows are matched by id, and every file stands in the other order
    assert [joined[f"estimate_{x}"] for x in "ab"] == [0.5, 0.75]
    with pytest.raises(OptionError, match="3 files were given without id"):
        cw.compare(data=paths, **FEW)


def test_labels_are_text_and_so_are_those_that_settings_name(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text(csv([(i % 2, i % 3 % 2, i % 5 % 2) for i in range(40)]))
    for positive in (1, 1.0, "1"):
        r = cw.compare(data=path, truth="y", a="svm", b="rbf", positive=positive, n_resamples=30, rng=1)
        assert r.positive == "1"


def test_a_result_opens_its_files_again_unless_they_have_changed(preds):
    r = cw.compare(data=preds, truth="y", a="svm", b="rbf", **FEW)
    assert [(one.item, one.a, one.b) for one in r.disagreements()][:2] == [(1, "cat", "dog"), (3, "dog", "cat")]
    preds.write_text(csv(ROWS[:8]))
    with pytest.raises(FileError, match="has changed since"):
        r.disagreements()


def test_standard_input_is_read_once_and_asked_often(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(csv(ROWS).encode())))
    with opened("-") as table:
        r = cw.compare(data=table, truth="y", a="svm", b="rbf", **FEW)
        assert len(r.disagreements()) == 24
    with pytest.raises(FileError, match="cannot be read again"):
        r.disagreements()


def test_columns_that_look_alike_are_a_and_b(tmp_path):
    path = tmp_path / "alike.csv"
    path.write_text(csv(ROWS, "id,y,m,m "))
    with opened(path) as table:
        assert table.names("y", {"a": "m", "b": "m "}, Reading()) == ("A", "B")


def test_arrays_have_no_id():
    with pytest.raises(OptionError, match="id is a column of files"):
        cw.compare([0, 1], [0, 1], [0, 1], id="doc")


def test_the_call_that_repeats_an_answer_reads_the_data_alike(tmp_path):
    """What is missing, how labels are separated and that infinite scores are ranked change the answer."""
    path = tmp_path / "sets.csv"
    path.write_text("y;svm;rbf\n" + "a,b;a;b\na;a,b;a\nb;b;a\n" * 8)
    r = cw.compare(data=path, truth="y", a="svm", b="rbf", separator=",", measure="micro_f1", n_resamples=30)
    again = eval(r.call.written(r.signature.seed), {"cw": cw})
    assert again.to_json() == r.to_json()
    holes = tmp_path / "holes.csv"
    holes.write_text(csv([*ROWS, ("", "cat", "dog")]))
    with opened(holes) as table:
        r = cw.compare(data=table, truth="y", a="svm", b="rbf", missing="drop", measure="accuracy", n_resamples=30)
    assert "missing='drop'" in r.call.written(r.signature.seed)
    assert eval(r.call.written(r.signature.seed), {"cw": cw}).to_json() == r.to_json()


@pytest.mark.parametrize("measure", ["accuracy", "auc", "mean"])
def test_items_that_were_left_out_differ_in_nothing(tmp_path, measure):
    """Their ids are not listed, in files, frames and arrays alike."""
    columns = {"y": [1, 0, None, 1, 0] * 4, "svm": [0, 1, 1, 1, 0] * 4, "rbf": [1, 0, 0, None, 0] * 4}
    frame = pd.DataFrame({"id": range(20), **columns}).astype("Int64")
    path = tmp_path / "holes.csv"
    frame.to_csv(path, index=False)
    truth = {} if measure == "mean" else {"truth": "y"}
    how = {"a": "svm", "b": "rbf", "missing": "drop", "measure": measure, "n_resamples": 30}
    of_file = cw.compare(data=path, id="id", **truth, **how).disagreements()
    of_frame = cw.compare(data=frame, **truth, **how).disagreements(ids="id")
    left_out = (2, 3) if measure != "mean" else (3,)
    places = [int(one.item) for one in of_file]
    assert sorted(places) == sorted(int(one.item) for one in of_frame)
    assert sorted(places) == [i for i in range(20) if i % 5 not in (*left_out, 4)]
