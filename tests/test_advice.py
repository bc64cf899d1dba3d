"""Whatever an error or a caveat tells its reader to type is typed here, on the same data, and must work.

Advice is found mechanically: texts name settings with ``setting(…)``. Every test meets every kind of measure, design
and claim, and every setting that is advised on the way is taken.
"""

import numpy as np

import clearwin as cw
from clearwin.errors import ClearwinError, settings_in

N = 90
RNG = np.random.default_rng(12)
TRUTH = RNG.permutation(np.arange(N) % 2)
FAR = {name: TRUTH * shift + RNG.normal(size=N).round(2) for name, shift in (("a", 1.0), ("b", 1.6))}
CLASSES = RNG.permutation(np.arange(N) % 3)
AUTHORS, DOCUMENTS = RNG.integers(0, 24, N), RNG.integers(0, 20, N)
KINDS = {
    "decisions": (TRUTH, *(np.where(RNG.random(N) < wrong, 1 - TRUTH, TRUTH) for wrong in (0.3, 0.15))),
    "classes": (CLASSES, *(np.where(RNG.random(N) < wrong, RNG.permutation(CLASSES), CLASSES) for wrong in (0.5, 0.2))),
    "label sets": tuple(RNG.integers(0, 2, (N, 3)) for _ in range(3)),
    "sums": (
        RNG.integers(3, 6, N),
        *(np.stack([RNG.integers(0, 3, N), RNG.integers(3, 6, N)], axis=1).T for _ in "ab"),
    ),
    "scores": (TRUTH, FAR["a"], FAR["b"]),
    "probabilities": (TRUTH, *(1 / (1 + np.exp(-FAR[name])) for name in "ab")),
    "values": (None, FAR["a"], FAR["b"]),
    "numbers": (FAR["a"], FAR["a"] + RNG.normal(size=N), FAR["a"] + 0.5 * RNG.normal(size=N)),
}
# one measure of every kind of formula on data that it takes
OF_KIND = {
    "decisions": ["accuracy", "dcf", "precision", "f1", "mcc"],
    "classes": ["accuracy", "balanced_accuracy", "macro_f1"],
    "label sets": ["micro_f1", "macro_f1", "subset_accuracy", "hamming_loss"],
    "sums": ["f1_of_sums"],
    "scores": ["auc", "average_precision", "eer", "min_dcf"],
    "probabilities": ["brier", "log_loss"],
    "values": ["mean", "trimmed_mean"],
    "numbers": ["mae"],
}
DESIGNS = {
    "items": {},
    "groups": {"groups": AUTHORS},
    "strata": {"strata": np.arange(N) % 3},
    "crossed": {"groups": [AUTHORS, DOCUMENTS]},
}
CLAIMS = {
    "different": {},
    "better": {"claim": "better"},
    "a margin": {"claim": "not_worse", "margin": 0.05},
    "a share": {"claim": "equivalent", "margin": "20%"},
}
FEW = {"n_resamples": 60, "rng": 1}
SEEN = {}  # texts whose advice works, by the call


def typed(ask, settings, tried=()):
    """Return what is wrong with the advice of this call: the setting that was advised, and how it was refused."""
    try:
        result = ask(**settings)
    except ClearwinError as error:
        texts = [error.expected, error.next]
        where = str(error)
    else:
        texts = [caveat.text for caveat in result.caveats]
        where = None
    wrong = []
    for text in texts:
        wrong += wrong_in(text, ask, settings, where or text)
    return wrong


def wrong_in(text, ask, settings, where):
    advised = settings_in(text)
    if not advised:
        return []
    together = {one.name: one.values[0] for one in advised if one.values}
    alone = [{one.name: value} for one in advised for value in one.values]
    if together and works(ask, settings | together) is None:
        return []
    return [(where, one, refused) for one in alone if (refused := works(ask, settings | one)) is not None]


def works(ask, settings):
    try:
        ask(**settings)
    except ClearwinError as error:
        return str(error)
    return None


def asked(kind, measure, design):
    truth, a, b = KINDS[kind]

    def ask(**settings):
        return cw.compare(truth, a, b, **{"measure": measure, **DESIGNS[design], **FEW, **settings})

    return ask
