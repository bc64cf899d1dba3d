"""A corpus of made-up texts, and files of it."""

import csv
from pathlib import Path

import numpy as np

from clearwin.simulation.keller2004.corpora import Corpus

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


def rows_of(corpus):
    return [
        (text, ",".join(c for c, yes in zip(corpus.categories, row, strict=True) if yes))
        for text, row in zip(corpus.texts, corpus.is_in, strict=True)
    ]


def write_csv(path, rows, header=("text", "labels")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([header, *rows])
    return path
