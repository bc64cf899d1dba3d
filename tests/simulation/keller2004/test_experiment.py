"""clearwin reproduce keller2004: from texts to Table 3, without a leak, in the paper's form."""

import csv
import gzip
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from clearwin.errors import DataError, FileError, OptionError
from clearwin.execution import Seed
from clearwin.measures import find
from clearwin.plots import pictures
from clearwin.reports.html import as_html
from clearwin.results.keller2004 import NAMES, PAPER, Decisions
from clearwin.simulation.keller2004 import experiment as keller2004
from clearwin.simulation.keller2004.corpora import Corpus, documentation, rcv1, read_corpus
from clearwin.simulation.keller2004.table_3 import columns_of, table_3
from clearwin.simulation.keller2004.text_models import (
    GaussianMachines,
    LinearMachines,
    _best,
    decide,
    fit_tfidf,
    stem,
    train_gaussian,
    train_linear,
    words_of,
)

ROOT = Path(__file__).parents[3]
TOPICS = {
    "grain": "wheat corn barley harvest bushels",
    "metal": "gold copper ounces smelter mine",
    "money": "rates bank dollar yields treasury",
    "ships": "vessel port tanker cargo strike",
    "sport": "match goal referee league striker",
    "wine": "vineyard bottle grape cellar vintage",
}
WORK = {"n_jobs": 1, "progress": False}


def made_up(n, seed=0, categories=TOPICS):
    """Return a corpus of short texts, each about one or two topics, with words of all others strewn in."""
    rng = np.random.default_rng(seed)
    names = list(categories)
    everything = " ".join(categories.values()).split()
    texts, is_in = [], np.zeros((n, len(names)), dtype=bool)
    for i in range(n):
        topics = rng.choice(len(names), size=1 + (rng.random() < 0.3), replace=False)
        is_in[i, topics] = True
        own = " ".join(categories[names[t]] for t in topics).split()
        texts.append(" ".join([*rng.choice(own, 4), *rng.choice(everything, 4)]))
    return Corpus("made up", "made up", tuple(names), is_in, texts)


@pytest.fixture(scope="module")
def small():
    return keller2004.run(made_up(600), train_size=120, test_size=100, n_resamples=500, n_sets=100, rng=4, **WORK)


# --- text models ------------------------------------------------------------------------------------------------


def test_words_are_lower_case_stems_without_stop_words():
    assert words_of("The Categories of SVMs, and a bus.") == ["category", "svm", "bus"]
    # Harman's exceptions
    assert [stem(w) for w in ("toes", "trees", "glass", "status", "houses")] == [
        "toe",
        "tree",
        "glass",
        "status",
        "house",
    ]


@pytest.mark.parametrize(("train", "kernel"), [(train_linear, "linear"), (train_gaussian, "rbf")])
def test_machines_are_scikit_learns_and_their_settings_the_best_by_cross_validation(train, kernel):
    from sklearn.metrics import f1_score
    from sklearn.svm import SVC

    corpus = made_up(200, seed=3)
    X, Y = fit_tfidf(corpus.texts[:120]).transform(corpus.texts), corpus.is_in[:, :3]
    folds = keller2004.folds_of(120, Seed(2))
    ours = train(X[:120], Y[:120], folds, **WORK)
    gammas = (0.1, 0.3, 1.0) if kernel == "rbf" else (1.0,)
    for j, chosen in enumerate(ours.settings):
        theirs = SVC(kernel=kernel, **chosen).fit(X[:120], Y[:120, j])
        np.testing.assert_allclose(ours.scores(X[120:])[:, j], theirs.decision_function(X[120:]), atol=5e-3)
        pooled = {}
        for C in (100.0, 10.0, 1.0):
            for gamma in gammas:
                decided = np.zeros(120, dtype=bool)
                for inside, held in folds:
                    machine = SVC(kernel=kernel, C=C, gamma=gamma).fit(X[inside], Y[inside, j])
                    decided[held] = machine.predict(X[held])
                pooled[C, gamma] = f1_score(Y[:120, j], decided)
        assert pooled[chosen["C"], chosen.get("gamma", 1.0)] == max(pooled.values())


def test_of_settings_that_are_equally_good_the_first_is_taken():
    counts = np.zeros((3, 2, 2, 2), dtype=int)
    counts[1, :, 1] = (4, 1)
    counts[2, :, 1] = (4, 1)
    assert _best(counts).tolist() == [0, 1]


def test_folds_hold_every_document_out_once():
    folds = keller2004.folds_of(100, Seed(5))
    assert sorted(np.concatenate([held for _, held in folds])) == list(range(100))
    assert all(not set(train) & set(held) and len(train) + len(held) == 100 for train, held in folds)


def test_decisions_come_in_order_whatever_the_chunks_and_workers(monkeypatch):
    rng = np.random.default_rng(0)
    X = scipy.sparse.random(250, 30, density=0.2, random_state=1, format="csr")
    linear = LinearMachines(rng.normal(size=(30, 3)), rng.normal(size=3), ())
    gaussian = GaussianMachines(X[:20], rng.normal(size=(20, 2)), rng.normal(size=2), ({"gamma": 0.3}, {"gamma": 1.0}))
    whole = [decide(machines, X, what="", **WORK) for machines in (linear, gaussian)]
    monkeypatch.setattr("clearwin.simulation.keller2004.text_models.CHUNK", 40)
    for machines, expected in zip((linear, gaussian), whole, strict=True):
        np.testing.assert_array_equal(decide(machines, X, what="", n_jobs=2, progress=False), expected)
    np.testing.assert_array_equal(whole[0], X.toarray() @ linear.weights + linear.intercepts > 0)


# --- the experiment ---------------------------------------------------------------------------------------------


def test_parts_do_not_overlap_and_category_sets_are_disjoint(small):
    corpus = made_up(600)
    parts = keller2004.split(corpus, 120, 100, Seed(4))
    assert [len(parts[part]) for part in ("train", "test", "true")] == [120, 100, 380]
    assert sorted(np.concatenate(list(parts.values()))) == list(range(600))
    members = [category for categories in small.sets.values() for category in categories]
    assert list(small.sets) == ["X", "Y", "Z"]
    assert sorted(members) == sorted(TOPICS)  # two in each, none twice


def test_the_categories_dealt_are_the_most_frequent_of_the_training_part():
    rng = np.random.default_rng(1)
    is_in = rng.random((400, 9)) < np.array([0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.002, 1.0])
    corpus = Corpus("c", "c", tuple("abcdefghi"), is_in, [""] * 400)
    sets = keller2004.deal(corpus, np.arange(200), 2, Seed(1))
    assert sorted(np.concatenate(list(sets.values()))) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(OptionError, match=r"of its 9 categories 7 have at least 5") as error:
        keller2004.deal(corpus, np.arange(200), 3, Seed(1))
    assert error.value.next == "--categories-per-set 2"
    few = Corpus("c", "c", tuple("abc"), is_in[:, :3], [""] * 400)
    for asked, needed, words in ((None, 6, "sets of categories"), (5, 15, "sets of 5 categories")):
        with pytest.raises(OptionError, match=words) as error:
            keller2004.deal(few, np.arange(200), asked, Seed(1))
        assert error.value.expected.startswith(f"at least {needed} categories")


def test_test_texts_change_nothing_that_was_learned():
    corpus = made_up(400)
    settings = {"train_size": 100, "test_size": 80, "n_resamples": 100, "n_sets": 20, "rng": 9, **WORK}
    parts = keller2004.split(corpus, 100, 80, Seed(9))
    before = keller2004.run(corpus, **settings)
    texts = list(corpus.texts)
    changed = np.concatenate([parts["test"][:40], parts["true"][:100]])
    for i in changed:
        texts[i] = "wheat wheat wheat unheard of words"
    # the categories of what was not trained on may change, too
    is_in = corpus.is_in.copy()
    is_in[changed] = ~is_in[changed]
    after = keller2004.run(Corpus("made up", "made up", corpus.categories, is_in, texts), **settings)
    assert after.n_terms == before.n_terms
    assert after.settings == before.settings
    assert after.sets == before.sets
    np.testing.assert_array_equal(after.decisions["test"].a[40:], before.decisions["test"].a[40:])
    np.testing.assert_array_equal(after.decisions["test"].b[40:], before.decisions["test"].b[40:])
    np.testing.assert_array_equal(after.decisions["true"].b[100:], before.decisions["true"].b[100:])
    assert (after.decisions["test"].a[:40] != before.decisions["test"].a[:40]).any()


def test_same_seed_same_result_for_any_number_of_threads(small):
    settings = {"train_size": 120, "test_size": 100, "n_resamples": 500, "n_sets": 100}
    again = keller2004.run(made_up(600), **settings, rng=4, n_jobs=2, progress=False)
    assert again.to_json() == small.to_json()
    other = keller2004.run(made_up(600), **settings, rng=5, **WORK)
    assert other.table != small.table


def test_both_models_learn_something(small):
    for row in small.table:
        assert min(row.true_a, row.true_b) > 0.6
    assert small.sizes == {"train": 120, "test": 100, "true": 380}


# --- Table 3 ----------------------------------------------------------------------------------------------------


def micro_f1(truth, decided):
    return 2 * (truth & decided).sum() / (truth.sum() + decided.sum())


def test_table_3_by_slow_obvious_code(small):
    """Redraw documents one by one: both columns agree within five standard errors."""
    rng = np.random.default_rng(8)
    for row, here in zip(small.table, columns_of(small.sets).values(), strict=True):
        found = {}
        for part, n in (("test", 2000), ("true", 2000)):
            truth, a, b = small.decisions[part].columns(here)
            drawn = [rng.integers(0, len(truth), row.test_size) for _ in range(n)]
            found[part] = np.array([micro_f1(truth[i], b[i]) - micro_f1(truth[i], a[i]) for i in drawn])
        truth, a, b = small.decisions["test"].columns(here)
        assert row.estimate_a == pytest.approx(micro_f1(truth, a))
        assert row.estimate_b == pytest.approx(micro_f1(truth, b))
        side = np.sign(row.difference)
        assert row.leader == NAMES[int(side > 0)]
        assert row.confidence == pytest.approx(
            np.mean(np.sign(found["test"]) == side), abs=5 * 0.5 * (1 / 500 + 1 / 2000) ** 0.5
        )
        assert row.value == pytest.approx(
            np.mean(np.sign(found["true"]) == side), abs=5 * 0.5 * (1 / 100 + 1 / 2000) ** 0.5
        )


def test_table_3_is_the_studys_own():
    """The same seed draws the same sets, so that --study adds to the table and does not change it."""
    rng = np.random.default_rng(3)
    truth = rng.random((900, 6)) < 0.2
    a, b = (np.where(rng.random(truth.shape) < 0.06, ~truth, truth) for _ in "ab")
    test, true = (Decisions(truth[rows], a[rows], b[rows]) for rows in (slice(100), slice(100, None)))
    sets = {"X": ("p", "q"), "Y": ("r", "s"), "Z": ("t", "u")}
    rows, replicates = table_3(test, true, sets, measure=find("micro_f1"), n_sets=30, seed=Seed(7))
    study = cw.study(
        *true.columns(slice(None)),
        measure="micro_f1",
        tests=("bootstrap",),
        test_set=test.columns(slice(None)),
        sizes=(100,),
        n_sets=30,
        n_resamples=99,
        category_sets=columns_of(sets),
        names=NAMES,
        rng=7,
        progress=False,
    )
    assert rows == study.confidence
    assert {len(values) for values in replicates.values()} == {10_000}


def test_two_models_alike_are_not_told_apart():
    truth = np.random.default_rng(0).random((300, 6)) < 0.3
    same = Decisions(truth, truth.copy(), truth.copy())
    sets = {"X": ("p", "q"), "Y": ("r", "s"), "Z": ("t", "u")}
    rows, _ = table_3(same, same, sets, measure=find("micro_f1"), n_resamples=100, n_sets=20, seed=Seed(1))
    assert {(row.leader, row.confidence, row.value, row.ties) for row in rows} == {(None, None, None, 1.0)}


def test_a_measure_of_which_less_is_better_has_the_right_leader():
    rng = np.random.default_rng(0)
    truth = rng.random((400, 6)) < 0.3
    bad = np.where(rng.random(truth.shape) < 0.2, ~truth, truth)
    better_b = Decisions(truth, bad, truth.copy())
    sets = {"X": ("p", "q"), "Y": ("r", "s"), "Z": ("t", "u")}
    rows, _ = table_3(better_b, better_b, sets, measure=find("hamming_loss"), n_resamples=100, n_sets=20, seed=Seed(1))
    assert {(row.leader, row.confidence, row.value) for row in rows} == {("gaussian", 1.0, 1.0)}
    assert rows[0].difference < 0


def test_the_papers_own_table_is_shown_beside_ours(small):
    """The printed rows of keller2004, Table 3."""
    text = str(small)
    assert PAPER == {"X": ("gaussian", 0.956, 0.924), "Y": ("gaussian", 0.542, 0.691), "Z": ("linear", 0.965, 0.825)}
    lines = {line.split()[2]: line for line in text.splitlines() if line.startswith("  Experiment over")}
    assert lines["X"].endswith("95.6% (F1*_B > F1*_A)  92.4%")
    assert lines["Y"].endswith("54.2% (F1*_B > F1*_A)  69.1%")
    assert lines["Z"].endswith("96.5% (F1*_A > F1*_B)  82.5%")
    for row in small.table:
        ahead, behind = ("A", "B") if row.leader == "linear" else ("B", "A")
        here = f"{100 * row.confidence:.1f}% (F1*_{ahead} > F1*_{behind})"
        assert here in lines[row.category_set]
        assert f"{100 * row.value:.1f}%" in lines[row.category_set].split("F1*")[2]
    assert "Table 3: Confidence on |F1_B − F1_A| > 0" in text
    assert "made up: 600 documents, 6 categories" in text
    assert "D_tr 120, D_te 100, D_true 380" in text
    assert "no calibration" in text


def test_json_has_the_table_and_the_papers(small):
    found = json.loads(small.to_json())
    assert found["table"][2]["category_set"] == "Z"
    assert found["paper"]["Z"] == {"leader": "linear", "confidence": 0.965, "value": 0.825}
    assert found["study"] is None
    assert not {"decisions", "replicates"} & set(found)


def test_figure_1_shows_the_replicates_of_one_set(small):
    ax = small.plot(kind="figure_y")
    heights = [bar.get_height() for bar in ax.patches if bar.get_width() and bar.get_y() == 0 and bar.get_height() >= 1]
    assert sum(heights) in (500, 501)  # the shaded span is 1 high
    values = small.replicates["Y"]
    inside = abs(values.mean()) <= np.quantile(np.abs(values - values.mean()), 0.95)
    assert f"0 (dashed) is {'inside' if inside else 'outside'}" in ax.get_title()
    assert small.plot().get_title().splitlines()[0].endswith("category set X")
    with pytest.raises(OptionError, match="no kind of picture named 'figure_w'"):
        small.plot(kind="figure_w")


def test_decisions_are_saved_so_that_compare_reads_them(small, tmp_path):
    path = tmp_path / "decided.csv"
    small.save(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert sum(line.startswith("test,") for line in lines) == 100
    labels = ",".join(small.sets["X"])
    asked = [
        "--truth",
        "truth",
        "--a",
        "linear",
        "--b",
        "gaussian",
        "--separator",
        "|",
        "--measure",
        "micro_f1",
        "--json",
    ]
    only_true = tmp_path / "true.csv"
    only_true.write_text("".join(line for line in lines if not line.startswith("test,")), encoding="utf-8")
    run = CliRunner().invoke(main, ["compare", str(only_true), *asked, "--labels", labels, "--seed", "1"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.output)["estimate_a"] == pytest.approx(small.table[0].true_a)


# --- corpora ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped():
    return documentation()


def test_the_documentation_inside_scikit_learn_is_a_corpus(shipped):
    corpus = shipped
    assert corpus.size > 3_000
    assert {"cluster", "linear_model", "svm"} <= set(corpus.categories)
    assert "tests" not in corpus.categories
    assert corpus.is_in.any(axis=1).all()
    assert (corpus.is_in.sum(axis=1) > 1).any()  # some stand in several parts of the library
    assert len(set(corpus.texts)) == corpus.size
    assert not any(">>>" in text for text in corpus.texts)


def rows_of(corpus):
    return [
        (text, ",".join(c for c, yes in zip(corpus.categories, row, strict=True) if yes))
        for text, row in zip(corpus.texts, corpus.is_in, strict=True)
    ]


def write_csv(path, rows, header=("text", "labels")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([header, *rows])
    return path


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
    with pytest.raises(FileError, match="no name for the category 10"):
        read_corpus([path], label_names=names)


def test_a_corpus_may_say_itself_what_is_for_training(tmp_path):
    parts = ["train", "true", "test", "true"]
    path = write_csv(tmp_path / "c.csv", [("a", "x", part) for part in parts], ("text", "labels", "split"))
    corpus = read_corpus([path])
    found = keller2004.split(corpus, None, None, Seed(1))
    assert {part: rows.tolist() for part, rows in found.items()} == {"train": [0], "test": [2], "true": [1, 3]}
    with pytest.raises(OptionError, match="says itself which documents are for what"):
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
    with pytest.raises(DataError, match="no words besides stop words"):
        keller2004.run(silent, rng=1, **WORK)


# --- RCV1 -------------------------------------------------------------------------------------------------------


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


# --- the command ------------------------------------------------------------------------------------------------


def invoke(*arguments):
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)])


def test_the_command_without_a_name_lists_what_there_is():
    run = invoke()
    assert run.exit_code == 0
    assert run.output.startswith("keller2004\t")
    run = invoke("keler2004")
    assert run.exit_code == 2
    assert "no experiment to reproduce named 'keler2004'" in run.output
    assert "did you mean 'keller2004'" in run.output


@pytest.fixture
def corpus_file(tmp_path):
    return write_csv(tmp_path / "news.csv", rows_of(made_up(400)))


def test_the_command_on_a_file(corpus_file, tmp_path):
    tiny = ["--train-size", 80, "--test-size", 60, "--n-resamples", 200, "--sets", 20, "--seed", 1, "--jobs", 1]
    figure, output, saved = tmp_path / "figure.png", tmp_path / "found.json", tmp_path / "decided.csv"
    files = ["--plot", figure, "--json", output, "--save", saved]
    run = invoke("keller2004", "--corpus", corpus_file, *tiny, *files)
    assert run.exit_code == 0, run.output
    assert "keller2004, section 5, on news.csv" in run.output
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert len(saved.read_text().splitlines()) == 1 + 400 - 80
    again = invoke("keller2004", "--corpus", corpus_file, *tiny, "--json")
    assert json.loads(again.output) == json.loads(output.read_text(encoding="utf-8"))
    same = invoke("keller2004", "--corpus", corpus_file, *tiny, "--html", "x", "--save", "x")
    assert same.exit_code == 2
    assert "both name x" in same.output
    refused = invoke("keller2004", "--corpus", corpus_file, *tiny, "--json", output)
    assert refused.exit_code == 2
    assert "exists already" in refused.output


def test_the_command_adds_the_study_when_asked(corpus_file):
    tiny = ["--train-size", 80, "--test-size", 60, "--n-resamples", 10_000, "--sets", 20, "--seed", 1, "--jobs", 1]
    run = invoke("keller2004", "--corpus", corpus_file, *tiny, "--study", "--json")
    assert run.exit_code == 0, run.output
    found = json.loads(run.output)
    assert found["study"]["coverage"][0]["test"] == "bootstrap"
    assert found["study"]["confidence"] == found["table"]


def test_the_study_is_part_of_the_story_and_of_the_report():
    found = keller2004.run(made_up(400), train_size=80, test_size=60, n_sets=20, rng=1, study=True, **WORK)
    told, alone = found.summary(), found.study.summary()
    assert set(alone.blocks[1:]) < set(told.blocks)  # its first block is Table 3 again
    assert set(alone.caveats) <= set(told.caveats)
    assert "study=True" in told.call
    names = [picture.name for picture in pictures(found)]
    assert names[:4] == ["figure_x", "figure_y", "figure_z", "confidence"]
    assert {"study_power", "study_calibration", "study_coverage", "study_size"} <= set(names)
    assert len(set(names)) == len(names)
    page = as_html(found)
    assert len(page.encode()) < 500_000
    for part in ("What Table 3 cannot show", "Coverage of the interval", "in the paper, on RCV1 Test confidence"):
        assert part.replace("RCV1 Test", "RCV1 Bootstrap percentile Test") in page


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


def test_wrong_use_is_told_before_anything_is_trained(corpus_file, tmp_path):
    run = invoke("keller2004", "--corpus", "rcv1", "--corpus", corpus_file)
    assert run.exit_code == 2
    assert "rcv1 alone, or files" in run.output
    run = invoke("keller2004", "--plot", tmp_path / "figure.gif")
    assert run.exit_code == 2
    assert ".png, .svg or .pdf" in run.output
    run = invoke("keller2004", "--corpus", corpus_file, "--measure", "auc")
    assert run.exit_code == 2
    assert "label sets" in run.output
    run = invoke("keller2004", "--corpus", corpus_file, "--sets", 0)
    assert run.exit_code == 2


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    run = invoke("keller2004")
    assert run.exit_code == 2
    assert 'pip install "clearwin[sklearn]"' in run.output


def test_names_from_files_are_text_and_nothing_else(tmp_path):
    topics = {f"[bold]{name}\x1b[31m": words for name, words in TOPICS.items()}
    rows = rows_of(made_up(300, categories=topics))
    path = write_csv(tmp_path / "news.csv", rows)
    tiny = ["--train-size", 80, "--test-size", 60, "--n-resamples", 100, "--sets", 10, "--seed", 1, "--jobs", 1]
    run = invoke("keller2004", "--corpus", path, *tiny)
    assert run.exit_code == 0, run.output
    assert "\x1b" not in run.output
    assert "[bold]grain" in run.output


# --- the default and the example --------------------------------------------------------------------------------


def test_the_default_corpus_from_end_to_end(shipped, monkeypatch):
    monkeypatch.setattr(
        "clearwin.simulation.keller2004.experiment.documentation", lambda: shipped
    )  # read once for all tests
    run = invoke(
        "keller2004",
        "--train-size",
        300,
        "--test-size",
        200,
        "--categories-per-set",
        3,
        "--n-resamples",
        200,
        "--sets",
        20,
        "--seed",
        2004,
    )
    assert run.exit_code == 0, run.output
    assert run.output.startswith("keller2004, section 5, on scikit-learn's documentation\n")
    assert "D_tr 300, D_te 200" in run.output
    assert "are not independent" in run.output
    assert run.output.count("Experiment over") == 3


def test_the_example_finds_what_the_command_finds():
    spec = importlib.util.spec_from_file_location("example_keller2004", ROOT / "examples" / "keller2004.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = keller2004.run(made_up(900), n_resamples=300, n_sets=40, rng=2004, **WORK)
    expected = [(row.category_set, row.leader, row.confidence, row.value) for row in found.table]
    assert example.main(made_up(900), Seed(2004), n_resamples=300, n_sets=40) == expected


@pytest.mark.study
def test_the_page_shows_what_the_command_prints():
    """docs/reproduce.md, for the version of scikit-learn that it names."""
    import re

    import sklearn

    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    [(arguments, shown)] = re.findall(r"```console\n\$ clearwin reproduce ([^\n]*)\n(.*?)```", page, flags=re.S)
    if f"scikit-learn {sklearn.__version__}," not in " ".join(shown.split()):
        pytest.skip("the page was made with another version of scikit-learn")
    assert invoke(*arguments.split()).output.strip() == shown.strip()


@pytest.mark.study
def test_the_bootstrap_is_as_wide_as_test_sets_differ(shipped):
    """D_te and D_true are random parts, so (dF1 on D_te − dF1 on D_true)/sd has the variance 1 + |D_te|/|D_true|.

    36 values, of which three at a time share documents: the standard error of the root mean square is about 0.13.
    """
    found = []
    for seed in range(12):
        run = keller2004.run(shipped, n_resamples=2_000, n_sets=2, rng=seed, progress=False)
        found += [(row.difference - row.true_difference) / run.replicates[row.category_set].std() for row in run.table]
    rms = float(np.sqrt(np.mean(np.square(found))))
    sys.stdout.write(f"root mean square of {len(found)} standardised differences: {rms:.2f}\n")
    assert rms == pytest.approx((1 + 1 / 8) ** 0.5, abs=4 * 0.13)
