"""From texts to decisions: tf-idf of the training part's dictionary, and one-against-the-others SVMs, tuned on it.

Nothing here sees a test document before it is asked for a decision on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clearwin.numerics.arrays import Bools, Floats
from clearwin.workers import with_progress

Fold = tuple[NDArray[np.int64], NDArray[np.int64]]
# among equals the first wins: where no setting finds a rare category, a large C comes closest
COSTS = (100.0, 10.0, 1.0)
GAMMAS = (0.1, 0.3, 1.0)  # documents have length 1, so squared distances lie between 0 and 2
CHUNK = 1_000  # documents decided at once: the kernel with 8,000 training documents takes 64 MB


# --- text → tf-idf ----------------------------------------------------------------------------------------------


def stem(word: str) -> str:
    """Remove the plural: the S stemmer of Harman 1991, *How effective is suffixing?*.

    keller2004 does not say how it stems. These three rules are the simplest stemmer.

    >>> [stem(word) for word in ("categories", "machines", "kernels", "class", "bus")]
    ['category', 'machine', 'kernel', 'class', 'bus']
    """
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def words_of(text: str) -> list[str]:
    """Return the stems of a text's words, without stop words (scikit-learn's list) and single letters."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = re.findall(r"(?u)\b\w\w+\b", text.lower())
    return [stem(word) for word in words if word not in ENGLISH_STOP_WORDS]


def fit_tfidf(texts: list[str]) -> Any:
    """Return scikit-learn's vectoriser with the dictionary and the weights of these texts; documents have length 1."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer=words_of).fit(texts)


# --- tf-idf → decisions -----------------------------------------------------------------------------------------


class Machines(Protocol):
    """One machine for each category."""

    @property
    def settings(self) -> tuple[dict[str, float], ...]:
        """What was chosen for each category."""

    def scores(self, X: Any) -> Floats:
        """Return the score of every document in every category: above 0 it belongs there."""


@dataclass(frozen=True, eq=False)
class LinearMachines:
    """Model A of keller2004: score = w · x + c."""

    weights: Floats  # terms × categories
    intercepts: Floats
    settings: tuple[dict[str, float], ...]

    def scores(self, X: Any) -> Floats:
        return np.asarray(X @ self.weights + self.intercepts)


@dataclass(frozen=True, eq=False)
class GaussianMachines:
    """Model B of keller2004: score = Σ d_i exp(−gamma |x − x_i|²) + c over the training documents x_i."""

    documents: Any
    duals: Floats  # training documents × categories
    intercepts: Floats
    settings: tuple[dict[str, float], ...]

    def scores(self, X: Any) -> Floats:
        values = np.tile(self.intercepts, (X.shape[0], 1))
        apart = squared_distances(X, self.documents)
        gammas = np.array([chosen["gamma"] for chosen in self.settings])
        for gamma in np.unique(gammas):  # one kernel serves all categories with the same gamma
            here = gammas == gamma
            values[:, here] += np.exp(-gamma * apart) @ self.duals[:, here]
        return values


def squared_distances(X: Any, Z: Any) -> Floats:
    """Return |x − z|² for all pairs of rows of two sparse matrices."""
    lengths = [np.asarray(M.multiply(M).sum(axis=1)).ravel() for M in (X, Z)]
    apart = -2 * (X @ Z.T).toarray()
    apart += lengths[0][:, None]
    apart += lengths[1]
    return np.asarray(np.maximum(apart, 0.0, out=apart))


def decide(machines: Machines, X: Any, *, what: str, n_jobs: int, progress: bool | None) -> Bools:
    """Return documents × categories, chunk by chunk on all workers."""
    starts = range(0, X.shape[0], CHUNK)
    jobs = (partial(_decide_chunk, machines, X[start : start + CHUNK]) for start in starts)
    return np.concatenate(list(with_progress(_at_work(jobs, n_jobs), len(starts), what, progress)))


def _decide_chunk(machines: Machines, X: Any) -> Bools:
    return machines.scores(X) > 0


def _at_work(jobs: Iterator[Callable[[], Any]], n_jobs: int) -> Iterator[Any]:
    """Do the jobs on several threads and yield what they return in order; the libraries below release the GIL."""
    import joblib

    yield from joblib.Parallel(n_jobs=n_jobs, backend="threading", return_as="generator")(
        joblib.delayed(job)() for job in jobs
    )


# --- training ---------------------------------------------------------------------------------------------------


def train_linear(X: Any, Y: Bools, folds: list[Fold], *, n_jobs: int, progress: bool | None) -> LinearMachines:
    """Tune C for each category by cross-validated F1 and train the linear machines."""
    products = (X @ X.T).toarray()
    trained = _train([({}, lambda: products)], Y, folds, "linear machines", n_jobs, progress)
    return LinearMachines(X.T @ trained.duals, trained.intercepts, trained.settings)


def train_gaussian(X: Any, Y: Bools, folds: list[Fold], *, n_jobs: int, progress: bool | None) -> GaussianMachines:
    """Tune C and gamma for each category by cross-validated F1 and train the Gaussian machines."""
    apart = squared_distances(X, X)
    kernels = [({"gamma": gamma}, partial(_gaussian, apart, gamma)) for gamma in GAMMAS]
    trained = _train(kernels, Y, folds, "Gaussian machines", n_jobs, progress)
    used = trained.duals.any(axis=1)
    return GaussianMachines(X[used], trained.duals[used], trained.intercepts, trained.settings)


def _gaussian(apart: Floats, gamma: float) -> Floats:
    return np.asarray(np.exp(-gamma * apart))


@dataclass(frozen=True, eq=False)
class _Trained:
    """Σ duals_i k(x, x_i) + intercept, for each category."""

    duals: Floats
    intercepts: Floats
    settings: tuple[dict[str, float], ...]


def _train(
    kernels: Sequence[tuple[dict[str, float], Callable[[], Floats]]],
    Y: Bools,
    folds: list[Fold],
    what: str,
    n_jobs: int,
    progress: bool | None,
) -> _Trained:
    """Try every kernel with every C, take the best for each category, and train it on all documents.

    A and B differ in their kernels only. Each kernel is computed once and shared by all categories; what is trained on
    it is what scikit-learn's ``SVC`` trains with a kernel of that name.
    """
    k = Y.shape[1]

    def tuning() -> Iterator[Any]:
        for _, computed in kernels:
            kernel = computed()
            for train, held in folds:
                inside, outside = kernel[np.ix_(train, train)], kernel[np.ix_(held, train)]
                tries = (partial(_try, inside, Y[train, j], outside, Y[held, j], C) for C in COSTS for j in range(k))
                yield from _at_work(tries, n_jobs)

    total = len(kernels) * len(folds) * len(COSTS) * k
    tried = np.array(list(with_progress(tuning(), total, f"Tuning the {what}", progress)))
    counts = tried.reshape(len(kernels), len(folds), len(COSTS), k, 2).swapaxes(1, 2)
    best = _best(counts.reshape(len(kernels) * len(COSTS), len(folds), k, 2))
    chosen = [divmod(int(i), len(COSTS)) for i in best]
    settings = tuple({"C": COSTS[cost], **kernels[kernel][0]} for kernel, cost in chosen)

    def training() -> Iterator[Any]:
        for number, (_, computed) in enumerate(kernels):
            here = [j for j in range(k) if chosen[j][0] == number]
            if here:
                kernel = computed()
                fits = (partial(_fit, kernel, Y[:, j], settings[j]["C"]) for j in here)
                yield from zip(here, _at_work(fits, n_jobs), strict=True)

    duals, intercepts = np.zeros(Y.shape), np.zeros(k)
    for j, machine in with_progress(training(), k, f"Training the {what}", progress):
        duals[machine.support_, j] = machine.dual_coef_.ravel()
        intercepts[j] = machine.intercept_[0]
    return _Trained(duals, intercepts, settings)


def _best(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each category the setting with the highest F1 (11), its counts added up over the folds.

    ``counts`` is settings × folds × categories × (2 tp, fn + fp).
    """
    twice_right, wrong = np.moveaxis(counts.sum(axis=1), -1, 0)
    return np.asarray(np.argmax(twice_right / np.maximum(twice_right + wrong, 1), axis=0))


def _try(inside: Floats, y: Bools, outside: Floats, y_held: Bools, C: float) -> tuple[int, int]:
    """Return 2 tp and fn + fp on the documents held out."""
    # a rare category that is entirely held out, so nothing can be learned about it here
    decided = _fit(inside, y, C).predict(outside) if y.any() else np.zeros_like(y_held)
    return 2 * int(np.sum(y_held & decided)), int(np.sum(y_held != decided))


def _fit(kernel: Floats, y: Bools, C: float) -> Any:
    from sklearn.svm import SVC

    return SVC(kernel="precomputed", C=C).fit(kernel, y)
