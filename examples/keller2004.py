"""The experiment of Keller, Mariéthoz and Bengio (2004), section 5, step by step.

Is a Gaussian SVM better than a linear one at filing texts, and can the bootstrap test that says so be trusted? The
same as ``clearwin reproduce keller2004 --seed 2004``; run it with ``python examples/keller2004.py``. It needs
scikit-learn: ``pip install "clearwin[sklearn]"``.
"""

import numpy as np

from clearwin.measures import find
from clearwin.results.keller2004 import Decisions
from clearwin.simulation.keller2004.corpora import Corpus, documentation
from clearwin.simulation.keller2004.experiment import deal, folds_of, split
from clearwin.simulation.keller2004.table_3 import table_3
from clearwin.simulation.keller2004.text_models import decide, fit_tfidf, train_gaussian, train_linear
from clearwin.streams import Seed


def main(corpus: Corpus, seed: Seed, n_resamples: int = 10_000, n_sets: int = 1_000) -> list[tuple]:
    """Return Table 3: the category set, who leads on D_te, how confidently, and how often it does on D_true."""
    # D_tr trains, D_te compares, D_true is the truth to compare with; X, Y and Z are disjoint sets of categories
    parts = split(corpus, None, None, seed)
    sets = deal(corpus, parts["train"], None, seed)
    categories = np.concatenate(list(sets.values()))

    # dictionary and weights are those of the training part
    texts = {part: [corpus.texts[i] for i in documents] for part, documents in parts.items()}
    truth = {part: corpus.is_in[documents][:, categories] for part, documents in parts.items()}
    tfidf = fit_tfidf(texts["train"])
    features = {part: tfidf.transform(found) for part, found in texts.items()}

    # one machine for each category, tuned by cross-validation on the training part
    folds = folds_of(len(texts["train"]), seed)
    work = {"n_jobs": -1, "progress": None}
    linear = train_linear(features["train"], truth["train"], folds, **work)
    gaussian = train_gaussian(features["train"], truth["train"], folds, **work)

    # what both decide on documents they have never seen
    test, true = (
        Decisions(
            truth[part],
            decide(linear, features[part], what=f"linear machines, {part}", **work),
            decide(gaussian, features[part], what=f"Gaussian machines, {part}", **work),
        )
        for part in ("test", "true")
    )

    # the bootstrap's confidence on D_te, beside how often that model wins on sets of that size from D_true
    names = {name: tuple(corpus.categories[j] for j in members) for name, members in sets.items()}
    rows, _ = table_3(test, true, names, measure=find("micro_f1"), n_resamples=n_resamples, n_sets=n_sets, seed=seed)
    return [(row.category_set, row.leader, row.confidence, row.value) for row in rows]


if __name__ == "__main__":
    # a real corpus that is there wherever scikit-learn is; read_corpus(["mine.csv"]) reads yours, rcv1() the paper's
    for name, leader, confidence, share in main(documentation(), Seed(2004)):
        print(f"Experiment over {name}: {confidence:.1%} for {leader} by the bootstrap, {share:.1%} on D_true")
