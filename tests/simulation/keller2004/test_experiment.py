"""clearwin reproduce keller2004: from texts to Table 3, without a leak, in the paper's form."""

import importlib.util
import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from clearwin.cli import main
from clearwin.errors import OptionError
from clearwin.simulation.keller2004 import experiment as keller2004
from clearwin.simulation.keller2004.corpora import Corpus
from clearwin.streams import Seed
from tests.simulation.keller2004.texts import ROOT, TOPICS, WORK, made_up

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


# --- the default and the example --------------------------------------------------------------------------------


def test_the_example_finds_what_the_command_finds():
    spec = importlib.util.spec_from_file_location("example_keller2004", ROOT / "examples" / "keller2004.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = keller2004.run(made_up(900), n_resamples=300, n_sets=40, rng=2004, **WORK)
    expected = [(row.category_set, row.leader, row.confidence, row.value) for row in found.table]
    assert example.main(made_up(900), Seed(2004), n_resamples=300, n_sets=40) == expected


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
