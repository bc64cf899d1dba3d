"""McNemar's forms over the 9,595 cells of Fagerland, Lydersen and Laake (2013): nothing is drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from clearwin.counts import JointCounts
from clearwin.data.questions import Options, Question
from clearwin.data.samples import DecisionSample
from clearwin.measures import REGISTRY as MEASURES
from clearwin.significance import REGISTRY
from clearwin.streams import Seed
from scorecard.rows import Row

Floats = NDArray[np.float64]
SIZES = range(10, 101, 5)
ODDS = (1.0, 2.0, 3.0, 5.0, 10.0)
MARGINS = np.linspace(0, 1, 101)


def mcnemar_sizes(method: str, alpha: float = 0.05) -> dict[int, Floats]:
    """Return the size in every cell, by N: 5 odds ratios × 101 marginal probabilities for each of 19 N."""
    # only the unconditional form looks at the pairs that agree
    by_size = method == "unconditional"
    rejects = {n: _rejects(n, method, alpha) for n in (SIZES if by_size else SIZES[-1:])}
    found: dict[int, list[Floats]] = {n: [] for n in SIZES}
    for odds in ODDS:
        # p12 = p21 = q with θ = p11 p22/(p12 p21): (θ − 1) q² + q − p(1 − p) = 0
        product = MARGINS * (1 - MARGINS)
        q = product if odds == 1 else (np.sqrt(1 + 4 * (odds - 1) * product) - 1) / (2 * (odds - 1))
        for n in SIZES:
            weights = _binomial(np.arange(n + 1)[:, None], n, 2 * q[None, :])
            found[n].append(rejects[n if by_size else SIZES[-1]][: n + 1] @ weights)
    return {n: np.concatenate(sizes) for n, sizes in found.items()}


def _binomial(k: NDArray[np.int64], n: int, p: Floats) -> Floats:
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlogy(n - k, 1 - p)
    return np.asarray(np.exp(logs))


def _rejects(pairs: int, method: str, alpha: float) -> Floats:
    """Return the chance that the test rejects, given n discordant pairs of which Bin(n, 1/2) are wins."""
    found = np.zeros(pairs + 1)
    for n in range(1, pairs + 1):
        wins = np.arange(n // 2 + 1, n + 1)
        p = np.array([_p_value(int(w), int(n - w), pairs, method) for w in wins])
        found[n] = 2.0 * _binomial(wins[p <= alpha], n, np.array(0.5)).sum()
    return found


def _p_value(wins: int, losses: int, pairs: int, method: str) -> float:
    joint = JointCounts(e1=pairs - wins - losses, e2=wins, e3=losses, e4=0, e5=0, e6=0, e7=0, e8=0)
    how = Options(method=method, interval="wald", n_resamples=1, seed=Seed(0))
    question = Question(DecisionSample(joint), MEASURES["accuracy"], how)
    return REGISTRY["items"]["mcnemar"].p_value(question)[0].value


def mcnemar_rows(seed: int) -> list[Row]:
    """Return the largest size over the cells of each N, for every form; nothing depends on the seed."""
    cell = "the largest of 505 enumerated cells"
    return [
        Row("size", "mcnemar", form, "", "accuracy", cell, "exchangeable", n, alpha, float(sizes.max()), trials=0)
        for form in REGISTRY["items"]["mcnemar"].methods
        for alpha in (0.05, 0.01)
        for n, sizes in mcnemar_sizes(form, alpha).items()
    ]
