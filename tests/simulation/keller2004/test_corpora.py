"""Corpora: files of every form, RCV1, the documentation of scikit-learn, and what cannot be used."""

import gzip
import json
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
import scipy.sparse

import clearwin as cw
from clearwin.errors import DataError, FileError, OptionError
from clearwin.simulation.keller2004 import experiment as keller2004
from clearwin.simulation.keller2004.corpora import Corpus, rcv1, read_corpus
from clearwin.simulation.keller2004.text_models import (
    fit_tfidf,
)
from clearwin.streams import Seed
from tests.simulation.keller2004.texts import TOPICS, WORK, made_up, rows_of, write_csv


def test_the_documentation_inside_scikit_learn_is_a_corpus(shipped):
    corpus = shipped
    assert corpus.size > 3_000
    assert {"cluster", "linear_model", "svm"} <= set(corpus.categories)
    assert "tests" not in corpus.categories
    assert corpus.is_in.any(axis=1).all()
    assert (corpus.is_in.sum(axis=1) > 1).any()  # some stand in several parts of the library
    assert len(set(corpus.texts)) == corpus.size
    assert not any(">>>" in text for text in corpus.texts)


def test_every_form_of_file_gives_the_same_corpus(tmp_path):
    corpus = made_up(40)
    rows = [(f'{text} "quoted", \tand NA', labels) for text, labels in rows_of(corpus)]
    csv_file, tsv_file = (write_csv(tmp_path / name, rows) for name in ("c.csv", "c.tsv"))
    bare = tmp_path / "bare.tsv.gz"
    bare.write_bytes(gzip.compress(tsv_file.read_bytes().split(b"\n", 1)[1]))
    lists, texts = tmp_path / "lists.jsonl", tmp_path / "texts.jsonl"
    lists.write_text("\n".join(json.dumps({"text": t, "labels": c.split(",")}) for t, c in rows), encoding="utf-8")
    texts.write_text("\n".join(json.dumps({"text": t, "labels": c}) for t, c in rows), encoding="utf-8")
    first = read_corpus([csv_file])
    assert first.texts == [text for text, _ in rows]
    for found in (
        read_corpus([tsv_file]),
        read_corpus([bare], columns=["text", "labels"]),
        read_corpus([lists]),
        read_corpus([texts]),
    ):
        assert found.categories == first.categories == tuple(sorted(TOPICS))
        assert found.texts == first.texts
        np.testing.assert_array_equal(found.is_in, corpus.is_in)
    both = read_corpus([csv_file, lists])
    assert both.size == 80
    np.testing.assert_array_equal(both.is_in, np.concatenate([corpus.is_in, corpus.is_in]))


def test_numbers_are_categories_in_their_order_and_get_names(tmp_path):
    path = write_csv(tmp_path / "c.csv", [("a b", "10,2"), ("c d", "0"), ("e f", "")])
    corpus = read_corpus([path])
    assert corpus.categories == ("0", "2", "10")
    assert corpus.is_in.tolist() == [[False, True, True], [True, False, False], [False, False, False]]
    names = tmp_path / "names.txt"
    names.write_text("\n".join("abcdefghijk"), encoding="utf-8")
    assert read_corpus([path], label_names=names).categories == ("a", "c", "k")
    names.write_text("a\nb\nc", encoding="utf-8")
    with pytest.raises(FileError, match="lacks a name for the category 10"):
        read_corpus([path], label_names=names)


def test_a_corpus_may_say_itself_what_is_for_training(tmp_path):
    parts = ["train", "true", "test", "true"]
    path = write_csv(tmp_path / "c.csv", [("a", "x", part) for part in parts], ("text", "labels", "split"))
    corpus = read_corpus([path])
    found = keller2004.split(corpus, None, None, Seed(1))
    assert {part: rows.tolist() for part, rows in found.items()} == {"train": [0], "test": [2], "true": [1, 3]}
    with pytest.raises(OptionError, match="already says which documents to train and test on"):
        keller2004.split(corpus, 2, None, Seed(1))


@pytest.mark.parametrize(
    ("rows", "header", "settings", "message"),
    [
        ([("a", "x")], ("words", "labels"), {}, "no column of .*c.csv named 'text'"),
        ([("a", "x")], ("text", "topic"), {}, "no column of .*c.csv named 'labels'"),
        ([("a", ""), ("b", "")], ("text", "labels"), {}, "No document has a category"),
        ([("a", "x"), ("", "x")], ("text", "labels"), {}, r"'text' of .*c.csv is empty in 1 row \(2\)"),
        ([("a", "x,,y")], ("text", "labels"), {}, "row 1, is 'x,,y', where a label is empty"),
        ([("a", "x", "dev")], ("text", "labels", "split"), {}, "'split' has 'dev'"),
        ([("a", "x", "train")], ("text", "labels", "split"), {}, "'split' never has test and true"),
        ([], ("text", "labels"), {}, "has no rows"),
    ],
)
def test_files_that_cannot_be_used_are_refused_in_words(tmp_path, rows, header, settings, message):
    path = write_csv(tmp_path / "c.csv", rows, header)
    with pytest.raises(cw.ClearwinError, match=message):
        read_corpus([path], **settings)


def test_columns_are_for_files_without_a_header(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text('{"text": "a", "labels": "x"}', encoding="utf-8")
    with pytest.raises(OptionError, match="names its columns itself"):
        read_corpus([path], columns=["text", "labels"])


def test_too_few_documents_or_words_are_refused():
    with pytest.raises(DataError, match=r"8 documents: 0 for training and 0 for the test leave 8"):
        keller2004.run(made_up(8), rng=1, **WORK)
    with pytest.raises(DataError, match="300 for training and 200 for the test leave 100"):
        keller2004.run(made_up(600), train_size=300, test_size=200, rng=1, **WORK)
    empty = made_up(600)
    silent = Corpus("silent", "silent", empty.categories, empty.is_in, ["the and of"] * 600)
    with pytest.raises(DataError, match="contain only stop words"):
        keller2004.run(silent, rng=1, **WORK)


def fake_rcv1(n=700):
    """Return what fetch_rcv1 returns, in its shape: sparse data and target, names of topics."""
    corpus = made_up(n)
    data = fit_tfidf(corpus.texts).transform(corpus.texts)
    target = scipy.sparse.csr_matrix(corpus.is_in.astype(np.uint8))
    return SimpleNamespace(data=data, target=target, target_names=np.array(corpus.categories, dtype=object))


def test_rcv1_runs_on_what_scikit_learns_loader_returns():
    corpus = rcv1(fake_rcv1)
    assert corpus.texts is None
    found = keller2004.run(corpus, train_size=100, test_size=70, n_resamples=200, n_sets=20, rng=1, **WORK)
    assert min(row.true_b for row in found.table) > 0.6
    assert "tf-idf as the corpus came" in str(found)
    assert "RCV1-v2 as scikit-learn hands it out" in " ".join(str(found).split())


def test_rcv1_has_the_papers_sizes_by_default():
    """7,982 and 7,909 documents, three sets of 21; 804,414 are what scikit-learn hands out of 806,791."""
    documents = np.arange(804_414)
    is_in = np.zeros((804_414, 103), dtype=bool)
    is_in[documents, documents % 103] = True
    corpus = Corpus("RCV1", "", tuple(map(str, range(103))), is_in)
    parts = keller2004.split(corpus, None, None, Seed(1))
    assert [len(rows) for rows in parts.values()] == [7_982, 7_909, 788_523]
    assert [len(s) for s in keller2004.deal(corpus, parts["train"], None, Seed(1)).values()] == [21, 21, 21]


def test_without_a_network_the_error_says_what_to_do():
    def offline():
        raise URLError("no route to host")

    with pytest.raises(DataError, match=r"RCV1 cannot be fetched: .*no route to host") as error:
        rcv1(offline)
    assert "leave --corpus out" in error.value.next


def test_the_hash_of_a_corpus_tells_it_from_others():
    corpus, same, other = made_up(40), made_up(40), made_up(40, seed=1)
    assert corpus.fingerprint == same.fingerprint != other.fingerprint
    moved = corpus.is_in.copy()
    moved[0] = ~moved[0]
    assert Corpus("made up", "", corpus.categories, moved, corpus.texts).fingerprint != corpus.fingerprint
    features = rcv1(lambda: fake_rcv1(40)).features
    prints = {
        Corpus("c", "", corpus.categories, corpus.is_in, features=f).fingerprint for f in (features, features * 2)
    }
    assert len(prints) == 2
