"""TREC runs: values of every topic as trec_eval has them."""

from __future__ import annotations

import gzip

import pytest

import clearwin as cw
from clearwin.errors import DataError, FileError, UnknownNameError

# topic 1 has a tie; topic 2 one between numbers that are equal as 32-bit floats only; topic 3 has nothing relevant;
# topic 4 is not answered; topic 9 has no judgements
RUN = """\
1 Q0 d1 1 3.0 x
1 Q0 d2 2 2.0 x
1 Q0 d3 3 2.0 x
1 Q0 d4 4 1.0 x
2 Q0 d9 1 0.1 x
2 Q0 d1 2 0.5 x
2 Q0 d7 3 16777217 x
2 Q0 d8 4 16777216 x
3 Q0 d5 1 1.0 x
9 Q0 d5 1 1.0 x
"""
QRELS = """\
1 0 d2 2
1 0 d3 0
1 0 d4 1
1 0 d6 1
2 0 d7 1
2 0 d8 0
2 0 d1 3
2 0 d2 -1
3 0 d5 0
4 0 d5 1
"""
# trec_eval by pytrec_eval-terrier 0.5.11: map, ndcg, ndcg_cut_2, recip_rank, P_2, recall_2 of topics 1, 2, 3
REFERENCE = {
    "ap": (0.27777777777777773, 0.5833333333333333, 0.0),
    "ndcg": (0.4569494273838043, 0.58688267143572, 0.0),
    "ndcg@2": (0.0, 0.17376534287144002, 0.0),
    "rr": (0.3333333333333333, 0.5, 0.0),
    "p@2": (0.0, 0.5, 0.0),
    "recall@2": (0.0, 0.5, 0.0),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.run").write_text(RUN)
    (tmp_path / "qrels").write_bytes(gzip.compress(QRELS.encode()))
    return tmp_path


@pytest.mark.parametrize("metric", REFERENCE)
def test_topics_have_the_values_of_trec_eval(folder, metric):
    runs = cw.logs.read(folder / "x.run", folder / "qrels", metric=metric)
    (rows,) = runs.rows.values()
    assert list(runs.columns["item"]) == ["1", "2", "3", "4"]
    assert [row.metrics[metric] for row in rows] == pytest.approx([*REFERENCE[metric], 0.0], abs=1e-15)
    assert "1 of 4 topics that x does not answer count 0" in runs.caveats[0].text


def test_two_runs_are_compared_by_their_topics(folder):
    better = RUN.replace("d2 2 2.0 x", "d2 2 9.0 y").replace(" x\n", " y\n")
    (folder / "y.run").write_text(better)
    runs = cw.logs.read(folder / "x.run", folder / "y.run", folder / "qrels", metric="ap")
    r = cw.compare(data=runs, n_resamples=99, rng=1)
    assert (r.name_a, r.name_b, r.n, r.measure_label) == ("x", "y", 4, "ap")
    assert r.estimate_a == pytest.approx(sum(REFERENCE["ap"]) / 4)
    assert r.estimate_b > r.estimate_a


def test_judgements_are_asked_for(folder):
    with pytest.raises(FileError, match="0 files of judgements") as error:
        cw.logs.read(folder / "x.run")
    assert error.value.next.endswith('qrels.txt metric="ndcg@10"')


@pytest.mark.parametrize("metric", ["foo", "p", "ndcg@0", "recall"])
def test_metrics_that_there_are_not(folder, metric):
    with pytest.raises(UnknownNameError, match="metric of TREC runs"):
        cw.logs.read(folder / "x.run", folder / "qrels", metric=metric)


def test_a_document_twice_and_judgements_of_other_topics_are_refused(folder):
    (folder / "x.run").write_text(RUN + "1 Q0 d1 9 0.0 x\n")
    with pytest.raises(FileError, match="line 11: d1 occurs twice in topic 1"):
        cw.logs.read(folder / "x.run", folder / "qrels")
    (folder / "x.run").write_text("77 Q0 d1 1 1.0 x\n77 Q0 d2 2 0.5 x\n")
    with pytest.raises(DataError, match="answers none of 4 topics"):
        cw.logs.read(folder / "x.run", folder / "qrels")


def test_other_spellings(folder):
    runs = cw.logs.read(folder / "x.run", folder / "qrels", metric="map")
    assert cw.estimate(data=runs, n_resamples=9, rng=1).estimate == pytest.approx(sum(REFERENCE["ap"]) / 4)


def test_lines_that_are_odd_far_down_are_named(folder):
    """A file is recognised by its first fifty lines; what comes later may still be broken."""
    many = "".join(f"1 Q0 e{i} {i} {i}.5 x\n" for i in range(60))
    for line, words in (("1 Q0 d1 9 0.5\n", "line 61 has 5 columns"), ("1 Q0 d1 9 high x\n", "the score is 'high'")):
        (folder / "x.run").write_text(many + line)
        with pytest.raises(FileError, match=words):
            cw.logs.read(folder / "x.run", folder / "qrels")
    (folder / "x.run").write_text(many)
    (folder / "qrels").write_text("".join(f"1 0 e{i} 1\n" for i in range(60)) + "1 0 e61 good\n")
    with pytest.raises(FileError, match="line 61 is '1 0 e61 good'"):
        cw.logs.read(folder / "x.run", folder / "qrels")
