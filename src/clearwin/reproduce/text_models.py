"""From texts to decisions: tf-idf of the training part's dictionary, and one-against-the-others SVMs, tuned on it.

Nothing here sees a test document before it is asked for a decision on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clearwin.execution import with_progress

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]

# of equals the first is taken: where no setting finds a rare category, a large C comes nearest to finding it
COSTS_LINEAR = (100.0, 10.0, 1.0, 0.1)
COSTS_GAUSSIAN = (100.0, 10.0, 1.0)
GAMMAS = (0.1, 0.3, 1.0)  # documents have length 1, so squared distances lie between 0 and 2
CHUNK = 1_000  # documents decided at once: the kernel with 8,000 training documents takes 64 MB


# --- text → tf-idf ----------------------------------------------------------------------------------------------


def stem(word: str) -> str:
    """Take off the plural: the S stemmer of Harman 1991, *How effective is suffixing?*.

    keller2004 stems without saying how. These three rules are the plainest stemmer there is.

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
        found = np.tile(self.intercepts, (X.shape[0], 1))
        apart = squared_distances(X, self.documents)
        gammas = np.array([chosen["gamma"] for chosen in self.settings])
        for gamma in np.unique(gammas):  # one kernel serves all categories with the same gamma
            here = gammas == gamma
            found[:, here] += np.exp(-gamma * apart) @ self.duals[:, here]
        return found


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
    """Do the jobs on so many threads and yield what they return in order; the libraries below release the GIL."""
    import joblib

    yield from joblib.Parallel(n_jobs=n_jobs, backend="threading", return_as="generator")(
        joblib.delayed(job)() for job in jobs
    )


# --- training ---------------------------------------------------------------------------------------------------


def train_linear(X: Any, Y: Bools, folds: list[Fold], *, n_jobs: int, progress: bool | None) -> LinearMachines:
    """Tune C for each category by cross-validated F1 and train the linear machines."""
    k = Y.shape[1]

    def tuning() -> Iterator[Callable[[], Any]]:
        for C in COSTS_LINEAR:
            for train, held in folds:
                for j in range(k):
                    yield partial(_try_linear, X[train], Y[train, j], X[held], Y[held, j], C)

    total = len(COSTS_LINEAR) * len(folds) * k
    found = list(with_progress(_at_work(tuning(), n_jobs), total, "Tuning the linear machines", progress))
    best = _best(np.array(found).reshape(len(COSTS_LINEAR), len(folds), k, 2))
    settings = tuple({"C": COSTS_LINEAR[i]} for i in best)
    jobs = (partial(_fit_linear, X, Y[:, j], settings[j]["C"]) for j in range(k))
    fitted = list(with_progress(_at_work(jobs, n_jobs), k, "Training the linear machines", progress))
    weights = np.stack([machine.coef_.ravel() for machine in fitted], axis=1)
    return LinearMachines(weights, np.array([machine.intercept_[0] for machine in fitted]), settings)


def train_gaussian(X: Any, Y: Bools, folds: list[Fold], *, n_jobs: int, progress: bool | None) -> GaussianMachines:
    """Tune C and gamma for each category by cross-validated F1 and train the Gaussian machines.

    The kernel is computed once for each gamma and shared by all categories; a machine trained on it is the one that
    scikit-learn's ``SVC(kernel="rbf")`` trains.
    """
    k = Y.shape[1]
    apart = squared_distances(X, X)

    def tuning() -> Iterator[Any]:
        for gamma in GAMMAS:
            kernel = np.exp(-gamma * apart)
            for train, held in folds:
                inside, outside = kernel[np.ix_(train, train)], kernel[np.ix_(held, train)]
                yield from _at_work(
                    (
                        partial(_try_kernel, inside, Y[train, j], outside, Y[held, j], C)
                        for C in COSTS_GAUSSIAN for j in range(k)
                    ),
                    n_jobs,
                )  # fmt: skip

    total = len(GAMMAS) * len(folds) * len(COSTS_GAUSSIAN) * k
    found = list(with_progress(tuning(), total, "Tuning the Gaussian machines", progress))
    counts = np.array(found).reshape(len(GAMMAS), len(folds), len(COSTS_GAUSSIAN), k, 2).swapaxes(1, 2)
    grid = [{"C": C, "gamma": gamma} for gamma in GAMMAS for C in COSTS_GAUSSIAN]
    settings = tuple(grid[i] for i in _best(counts.reshape(len(grid), len(folds), k, 2)))

    def training() -> Iterator[Any]:
        for gamma in GAMMAS:
            kernel = np.exp(-gamma * apart)
            chosen = [j for j in range(k) if settings[j]["gamma"] == gamma]
            fitted = _at_work((partial(_fit_kernel, kernel, Y[:, j], settings[j]["C"]) for j in chosen), n_jobs)
            yield from zip(chosen, fitted, strict=True)

    duals, intercepts = np.zeros((X.shape[0], k)), np.zeros(k)
    for j, machine in with_progress(training(), k, "Training the Gaussian machines", progress):
        duals[machine.support_, j] = machine.dual_coef_.ravel()
        intercepts[j] = machine.intercept_[0]
    used = duals.any(axis=1)
    return GaussianMachines(X[used], duals[used], intercepts, settings)


def _best(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each category the setting with the highest F1 (11), its counts added up over the folds.

    ``counts`` is settings × folds × categories × (2 tp, fn + fp).
    """
    twice_right, wrong = np.moveaxis(counts.sum(axis=1), -1, 0)
    return np.asarray(np.argmax(twice_right / np.maximum(twice_right + wrong, 1), axis=0))


def _outcome(truth: Bools, decided: Bools) -> tuple[int, int]:
    return 2 * int(np.sum(truth & decided)), int(np.sum(truth != decided))


def _try_linear(X: Any, y: Bools, X_held: Any, y_held: Bools, C: float) -> tuple[int, int]:
    if not y.any():  # a rare category, all of it held out: nothing can be learned of it here
        return _outcome(y_held, np.zeros_like(y_held))
    return _outcome(y_held, _fit_linear(X, y, C).predict(X_held))


def _fit_linear(X: Any, y: Bools, C: float) -> Any:
    from sklearn.svm import LinearSVC

    # the primal form needs no random numbers, so threads cannot disturb each other
    return LinearSVC(C=C, dual=False).fit(X, y)


def _try_kernel(inside: Floats, y: Bools, outside: Floats, y_held: Bools, C: float) -> tuple[int, int]:
    if not y.any():
        return _outcome(y_held, np.zeros_like(y_held))
    return _outcome(y_held, _fit_kernel(inside, y, C).predict(outside))


def _fit_kernel(kernel: Floats, y: Bools, C: float) -> Any:
    from sklearn.svm import SVC

    return SVC(kernel="precomputed", C=C).fit(kernel, y)
