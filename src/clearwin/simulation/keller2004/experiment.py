"""The experiment of keller2004 section 5, from the texts to Table 3.

D_tr trains two sets of one-against-the-others SVMs, linear (A) and Gaussian (B). D_te, as small as test sets usually
are, shows which is better and with what confidence; the much larger D_true shows how often that holds on test sets of
that size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearwin import __version__
from clearwin.analyses.repeating import repeatable
from clearwin.data.questions import check_resamples
from clearwin.errors import DataError, OptionError, setting
from clearwin.measures import Measure, find
from clearwin.numerics.arrays import Ints
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.keller2004 import Decisions, Experiment
from clearwin.results.study import StudySignature
from clearwin.simulation.keller2004.corpora import PARTS, Corpus, documentation, need_scikit_learn
from clearwin.simulation.keller2004.table_3 import beyond_table_3, table_3
from clearwin.simulation.keller2004.text_models import Fold, decide, fit_tfidf, train_gaussian, train_linear
from clearwin.streams import Purpose, RngLike, Seed
from clearwin.text import counted

SETS = ("X", "Y", "Z")
PAPER_SIZES = {"train": 7_982, "test": 7_909}  # of 806,791
PAPER_CATEGORIES = 21  # in each set
FOLDS = 3
FEWEST = 5  # training documents of a category: with fewer, tuning by three folds makes no sense
PAPER_RATIO = 100  # D_true to D_te


@repeatable("keller2004", "from clearwin.simulation.keller2004 import experiment as keller2004")
def run(
    corpus: Corpus | None = None,
    *,
    train_size: int | None = None,
    test_size: int | None = None,
    categories_per_set: int | None = None,
    measure: str = "micro_f1",
    n_resamples: int = 10_000,
    n_sets: int = 1_000,
    rng: RngLike = None,
    study: bool = False,
    n_jobs: int = -1,
    progress: bool | None = None,
) -> Experiment:
    """Run the experiment and return what it found.

    Parameters
    ----------
    corpus
        Documents and their categories; by default the documentation inside scikit-learn.
    train_size, test_size
        Documents for training (D_tr) and for the test (D_te), drawn at random; the rest is D_true. By default a tenth
        of the corpus each, at most the paper's 7,982 and 7,909. Not for a corpus that says itself which is which.
    categories_per_set
        Categories in each of X, Y and Z: of those most frequent in D_tr, dealt out at random. By default 21, as in the
        paper, or as many as there are.
    measure
        A measure of label sets. The paper does not say how F1 is averaged over 21 categories; micro F1 is its equation
        (11) with the counts of all of them added up.
    n_resamples, n_sets
        Bootstrap replicates on D_te, and test sets drawn from D_true.
    rng, study, n_jobs, progress
        Seed; whether to report the size and coverage of the tests as well; threads (−1: all cores); progress bar.
    """
    need_scikit_learn()
    chosen = find(measure)
    _check(chosen, n_resamples, n_sets)
    settings = {
        "train_size": train_size,
        "test_size": test_size,
        "categories_per_set": categories_per_set,
        "measure": str(chosen),
        "n_resamples": n_resamples,
        "n_sets": n_sets,
        "study": study,
    }
    seed = Seed.of(rng).by_data(repr(settings))
    corpus = documentation() if corpus is None else corpus
    parts = split(corpus, train_size, test_size, seed)
    sets = deal(corpus, parts["train"], categories_per_set, seed)
    columns = np.concatenate(list(sets.values()))
    truth = {part: corpus.is_in[np.ix_(rows, columns)] for part, rows in parts.items()}
    features = features_of(corpus, parts)
    folds = folds_of(len(parts["train"]), seed)
    work: dict[str, Any] = {"n_jobs": n_jobs, "progress": progress}
    a = train_linear(features["train"], truth["train"], folds, **work)
    b = train_gaussian(features["train"], truth["train"], folds, **work)
    decisions = {
        part: Decisions(
            truth[part],
            decide(a, features[part], what=f"Linear machines on D_{_short(part)}", **work),
            decide(b, features[part], what=f"Gaussian machines on D_{_short(part)}", **work),
        )
        for part in ("test", "true")
    }
    names = {name: tuple(corpus.categories[j] for j in members) for name, members in sets.items()}
    called = [category for members in names.values() for category in members]
    drawing: dict[str, Any] = {"measure": chosen, "n_sets": n_sets, "seed": seed}
    table, replicates = table_3(decisions["test"], decisions["true"], names, n_resamples=n_resamples, **drawing)
    more = beyond_table_3(decisions["test"], decisions["true"], names, progress=progress, **drawing) if study else None
    return Experiment(
        corpus=corpus.name,
        origin=corpus.origin,
        sizes={part: len(rows) for part, rows in parts.items()},
        n_categories=len(corpus.categories),
        n_terms=features["train"].shape[1],
        tfidf_by_corpus=corpus.texts is None,
        sets=names,
        settings={
            "a": dict(zip(called, a.settings, strict=True)),
            "b": dict(zip(called, b.settings, strict=True)),
        },
        measure=str(chosen),
        measure_label=chosen.label,
        table=table,
        n_resamples=n_resamples,
        n_sets=n_sets,
        caveats=_caveats(corpus, parts),
        study=more,
        signature=StudySignature(__version__, str(seed), settings, {"corpus": corpus.fingerprint}, {}),
        replicates=replicates,
        decisions=decisions,
    )


def _check(measure: Measure, n_resamples: int, n_sets: int) -> None:
    """Refuse at once what would otherwise fail after hours of training."""
    if not measure.of_label_sets:
        what = f"{measure.label} is not a measure of label sets, and documents have several categories."
        raise OptionError(what, "a measure of label sets", setting("measure", "micro_f1", "macro_f1"))
    check_resamples(n_resamples)
    if not isinstance(n_sets, int | np.integer) or n_sets < 2:
        raise OptionError(f"The number of test sets to draw is {n_sets!r}.", "2 or more", "--sets 1000")


def _short(part: str) -> str:
    return {"train": "tr", "test": "te"}.get(part, part)


def split(corpus: Corpus, train_size: int | None, test_size: int | None, seed: Seed) -> dict[str, Ints]:
    """Return the documents of D_tr, D_te and D_true: as the corpus says, or at random."""
    if corpus.parts is not None:
        if train_size is not None or test_size is not None:
            what = f"A size was given, but {corpus.name} already says which documents to train and test on."
            raise OptionError(what, "one of them", "leave --train-size and --test-size out, or rename the column split")
        said = np.array(corpus.parts)
        return {part: np.flatnonzero(said == part) for part in PARTS}
    given = {"train": train_size, "test": test_size}
    sizes = {part: min(corpus.size // 10, PAPER_SIZES[part]) if n is None else n for part, n in given.items()}
    rest = corpus.size - sum(sizes.values())
    if min(sizes.values()) < 1 or rest < sizes["test"]:
        raise DataError(
            f"{corpus.name} has {counted(corpus.size, 'document')}: {sizes['train']:,} for training and "
            f"{sizes['test']:,} for the test leave {max(rest, 0):,}.",
            "at least 1 for each, and as many left as are in the test set; the paper had 100 times as many",
            "smaller --train-size and --test-size, or a larger corpus",
        )
    order = seed.stream(Purpose.TRAINING_SPLITS, 0).permutation(corpus.size)
    ends = np.cumsum(list(sizes.values()))
    return dict(zip(PARTS, np.split(order, ends), strict=True))


def deal(corpus: Corpus, train: Ints, per_set: int | None, seed: Seed) -> dict[str, Ints]:
    """Return three disjoint sets of categories, X, Y and Z: the most frequent in D_tr, dealt out at random."""
    often = corpus.is_in[train].sum(axis=0)
    # a category that contains every training document teaches nothing either
    usable = np.flatnonzero((often >= FEWEST) & (often < len(train)))
    most = len(usable) // len(SETS)
    size = min(most, PAPER_CATEGORIES) if per_set is None else per_set
    if not 2 <= size <= most:
        raise OptionError(
            f"Three sets of {'' if per_set is None else f'{per_set:,} '}categories cannot be made of {corpus.name}: of "
            f"its {len(corpus.categories):,} categories {len(usable):,} have at least {FEWEST} documents among the "
            f"{len(train):,} for training.",
            f"2 to {most:,} in each"
            if most > 1
            else f"at least {len(SETS) * max(2, per_set or 0):,} categories with {FEWEST} training documents",
            f"--categories-per-set {most}" if most > 1 else "a larger --train-size, or another corpus",
        )
    frequent = usable[np.argsort(-often[usable], kind="stable")][: len(SETS) * size]
    dealt = seed.stream(Purpose.CATEGORIES_DEALT, 0).permutation(frequent).reshape(len(SETS), size)
    return {name: np.sort(members) for name, members in zip(SETS, dealt, strict=True)}


def features_of(corpus: Corpus, parts: dict[str, Ints]) -> dict[str, Any]:
    """Return the tf-idf of each part; the dictionary and its weights are those of the training part."""
    if corpus.texts is None:
        return {part: corpus.features[rows] for part, rows in parts.items()}
    texts = {part: [corpus.texts[i] for i in rows.tolist()] for part, rows in parts.items()}
    try:
        tfidf = fit_tfidf(texts["train"])
    except ValueError:  # scikit-learn's "empty vocabulary"
        raise DataError(
            f"The {len(texts['train']):,} training texts of {corpus.name} contain only stop words.",
            "texts in words",
            "--text COLUMN for the column that holds them",
        ) from None
    return {part: tfidf.transform(documents) for part, documents in texts.items()}


def folds_of(n: int, seed: Seed) -> list[Fold]:
    """Return the folds of cross-validation, the same for every category and both models."""
    held = np.array_split(seed.stream(Purpose.TRAINING_FOLDS, 0).permutation(n), FOLDS)
    return [(np.concatenate([*held[:i], *held[i + 1 :]]), held[i]) for i in range(FOLDS)]


def _caveats(corpus: Corpus, parts: dict[str, Ints]) -> tuple[Caveat, ...]:
    caveats = [caveat("table_3")]
    ratio = len(parts["true"]) / len(parts["test"])
    if ratio < PAPER_RATIO / 2:
        caveats.append(caveat("small_true", ratio=ratio, in_the_paper=PAPER_RATIO))
    if corpus.documents_belong_together:
        caveats.append(caveat("not_independent", text=corpus.documents_belong_together))
    return tuple(caveats)
