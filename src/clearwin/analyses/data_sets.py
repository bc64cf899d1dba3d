"""The verb ``rank_data_sets``: which of these models are really ahead, over many data sets?"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearwin.analyses.judging import decided
from clearwin.analyses.repeating import repeatable
from clearwin.data.questions import check_confidence_level, check_resamples
from clearwin.data.score_tables import ScoreTable, read_long, read_scores
from clearwin.errors import OptionError, UnknownNameError, setting
from clearwin.numerics import pvalues
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.arrays import Floats
from clearwin.numerics.compact_letters import groups_that_hold_together
from clearwin.numerics.corrections import adjust, check_known
from clearwin.numerics.hodges_lehmann import critical_sum, walsh
from clearwin.numerics.intervals import Coverage, alpha_of
from clearwin.numerics.pvalues import PValue
from clearwin.results.base import Signature
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.data_sets import DataSetComparison, ModelPair, RankPosterior, RankTest
from clearwin.significance.bayesian_signed_rank import posterior
from clearwin.significance.friedman import (
    Friedman,
    critical_difference,
    critical_value,
    friedman,
    friedman_permutation,
    groups_not_told_apart,
    midranks,
    nemenyi,
)
from clearwin.significance.wilcoxon import SignedRanks, signed_ranks
from clearwin.streams import RngLike, Seed

NULL = (
    "the models are exchangeable: on every data set all rankings of them are equally likely. For a pair, the "
    "differences over the data sets are symmetric about 0. This is not the hypothesis of equal mean scores, because "
    "models with equal means and differently shaped scores can have unequal ranks"
)
SHARES_END = 1.0  # scores above this are not shares but perhaps per cent
SMALL_MARGIN = 0.01
SMALLEST_SLACK = 1e-290  # below this nothing is left to round


@repeatable()
@matched_by_position()
def rank_data_sets(
    scores: Any,
    *,
    higher_is_better: bool = True,
    baseline: str | None = None,
    correction: str = "holm",
    names: Any = None,
    long: Any = None,
    confidence_level: float = 0.95,
    margin: float = 0.01,
    n_resamples: int = 50_000,
    rng: RngLike = None,
) -> DataSetComparison:
    """Return which models are ahead over many data sets (Demšar 2006).

    Each model has one score on every data set.

    All models together are judged by Friedman's test, by permutation (with χ² and Iman and Davenport's F). Every pair,
    or every model against the ``baseline``, is judged by Nemenyi's test, by Wilcoxon's signed-rank test with its
    p-values corrected, and by the Bayesian signed-rank test.

    Parameters
    ----------
    scores
        One row for each data set and one column for each model: a two-dimensional array, a mapping from model to
        column, or a frame whose numeric columns are the models; a column of texts names the data sets.
    higher_is_better
        False for losses and error rates.
    baseline
        The model that the others are compared with; by default all pairs are compared.
    correction
        The correction of Wilcoxon's p-values: "holm" or "benjamini-hochberg".
    names
        What to call the models, in the order of the columns.
    long
        Where ``scores`` has one row for each score: its columns with the data set, the model and the score.
    confidence_level
        Level of the interval of each pair's difference; the critical difference, the groups and the verdict are at 1 −
        this level.
    margin
        Two models whose scores differ by no more than this are practically equivalent.
    n_resamples, rng
        Draws from the posterior of the Bayesian test, and their seed (int, SeedSequence or Generator).

    Examples
    --------
    Ten data sets, three models:

    >>> import clearwin as cw
    >>> a = [0.71, 0.80, 0.65, 0.90, 0.55, 0.77, 0.82, 0.60, 0.93, 0.70]
    >>> scores = {"a": a, "b": [x + 0.02 + 0.001 * i for i, x in enumerate(a)], "c": [x + 0.005 for x in a]}
    >>> r = cw.rank_data_sets(scores, rng=1)
    >>> r.mean_ranks, round(r.critical_difference, 3), r.groups
    ((3.0, 1.0, 2.0), 1.048, ())
    >>> r.nemenyi_groups
    (('b', 'c'), ('c', 'a'))
    """
    _check(confidence_level, n_resamples, margin, correction)
    alpha = alpha_of(confidence_level)
    if isinstance(scores, ScoreTable):
        table = scores
    else:
        table = read_scores(scores, names) if long is None else read_long(scores, long, names)
    if not isinstance(higher_is_better, bool):
        raise OptionError(f"higher_is_better is {higher_is_better!r}.", "True or False", "higher_is_better=False")
    baseline = None if baseline is None else str(baseline)
    n, k = table.scores.shape
    slack = pvalues.TIE * np.abs(table.scores).max(axis=1)  # each data set can have a scale of its own
    ranks = midranks(table.scores if higher_is_better else -table.scores, slack)
    mean_ranks = ranks.mean(axis=0)
    overall, by_range = friedman(ranks), nemenyi(mean_ranks, n)
    seed = Seed.of(rng).by_data(_fingerprint(table, higher_is_better=higher_is_better))
    method, p = friedman_permutation(ranks, int(n_resamples), seed) or ("F", overall.f_p)
    asked = _Pairs(table, _pairs(table.models, baseline), higher_is_better, slack)
    pairs = _compare_pairs(asked, by_range, correction, Coverage(confidence_level), margin, int(n_resamples), seed)
    return DataSetComparison(
        names=table.models,
        data_sets=table.data_sets,
        n=n,
        higher_is_better=higher_is_better,
        mean_ranks=tuple(mean_ranks.tolist()),
        tie_correction=overall.tie_correction,
        friedman=RankTest(overall.statistic, (overall.degrees,), overall.p.value, overall.p.log10),
        iman_davenport=RankTest(overall.f, overall.f_degrees, overall.f_p.value, overall.f_p.log10),
        permutation=RankTest(overall.statistic, (overall.degrees,), p.value, p.log10),
        permutation_method=method,
        permutation_error=p.error,
        decision="different" if p.value <= alpha else "not shown",
        critical_value=critical_value(k, alpha),
        critical_difference=critical_difference(k, n, alpha),
        groups=_groups(table.models, mean_ranks, pairs, baseline),
        nemenyi_groups=tuple(
            tuple(table.models[i] for i in group) for group in groups_not_told_apart(mean_ranks, by_range, alpha)
        ),
        nemenyi=tuple(tuple(p.value for p in row) for row in by_range),
        baseline=baseline,
        pairs=pairs,
        correction=correction,
        margin=float(margin),
        posterior_error=0.5 / math.sqrt(n_resamples),
        null_hypothesis=NULL,
        caveats=_caveats(table, ranks, overall, pairs, correction, float(margin), confidence_level)
        + _overall_and_pairs(p.value, pairs, alpha),
        signature=_signature(table, correction, higher_is_better, confidence_level, int(n_resamples), seed),
    )


def _check(confidence_level: float, n_resamples: int, margin: float, correction: str) -> None:
    check_confidence_level(confidence_level)
    check_resamples(n_resamples)
    if isinstance(margin, bool) or not isinstance(margin, int | float | np.number) or not 0 <= margin < math.inf:
        raise OptionError(f"margin is {margin!r}.", "a difference of scores, 0 or more", setting("margin", 0.01))
    check_known(correction)


# --- pairs ----------------------------------------------------------------------------------------------------


def _pairs(models: tuple[str, ...], baseline: str | None) -> list[tuple[int, int]]:
    if baseline is None:
        return [(i, j) for i in range(len(models)) for j in range(i + 1, len(models))]
    if baseline not in models:
        raise UnknownNameError("model", baseline, models)
    reference = models.index(baseline)
    return [(reference, j) for j in range(len(models)) if j != reference]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs to compare; a difference up to the data set's ``slack`` is a rounding error of 0."""

    table: ScoreTable
    places: list[tuple[int, int]]
    higher_is_better: bool
    slack: Floats

    def gains(self) -> Floats:
        """Return a row for each pair: b − a, signed so that more is better, without rounding errors.

        0.81 − 0.80 and 0.61 − 0.60 are tied in Wilcoxon's test, so differences are rounded to where their digits end.
        """
        a, b = np.array(self.places).T
        differences = (self.table.scores[:, b] - self.table.scores[:, a]).T
        for i, slack in enumerate(self.slack.tolist()):
            if slack > SMALLEST_SLACK:
                differences[:, i] = np.round(differences[:, i], -math.ceil(math.log10(slack)))
        differences = np.where(np.abs(differences) <= self.slack, 0.0, differences)
        return differences if self.higher_is_better else 0.0 - differences


def _compare_pairs(
    asked: _Pairs,
    by_range: list[list[PValue]],
    correction: str,
    coverage: Coverage,
    margin: float,
    n_resamples: int,
    seed: Seed,
) -> tuple[ModelPair, ...]:
    gains = asked.gains()
    found = [signed_ranks(row, 0.0, "different") for row in gains]
    adjusted = adjust([one.p.value for one in found], correction)
    counts = posterior(gains, margin, n_resamples, seed)
    critical = critical_sum(gains.shape[1], coverage)
    sign = 1.0 if asked.higher_is_better else -1.0
    return tuple(
        _pair(asked, place, sign * row, one, p, by_range, tuple((count / n_resamples).tolist()), critical, coverage)
        for place, row, one, p, count in zip(asked.places, gains, found, adjusted, counts, strict=True)
    )


def _pair(
    asked: _Pairs,
    place: tuple[int, int],
    differences: Floats,
    one: SignedRanks,
    adjusted_p: float,
    by_range: list[list[PValue]],
    shares: tuple[float, float, float],
    critical: int,
    coverage: Coverage,
) -> ModelPair:
    a, b = place
    middle, interval = walsh(differences, critical, coverage.level)
    higher, lower = int((differences > 0).sum()), int((differences < 0).sum())
    wins, defeats = (higher, lower) if asked.higher_is_better else (lower, higher)
    ranked = higher + lower
    lead = one.statistic - ranked * (ranked + 1) / 4.0  # W⁺ beyond what is expected if neither is better
    return ModelPair(
        name_a=asked.table.models[a],
        name_b=asked.table.models[b],
        difference=middle,
        interval=interval,
        b_better=wins,
        a_better=defeats,
        equal=one.dropped,
        statistic=one.statistic,
        method=one.method,
        p_value=one.p.value,
        log10_p=one.p.log10,
        adjusted_p=adjusted_p,
        decision=decided(adjusted_p, coverage.level, lead),
        nemenyi_p=by_range[a][b].value,
        posterior=RankPosterior(*shares),
    )


def _groups(
    models: tuple[str, ...], mean_ranks: Floats, pairs: tuple[ModelPair, ...], baseline: str | None
) -> tuple[tuple[str, ...], ...]:
    """Return the groups of models that the pairwise tests do not separate, the best first."""
    names = [models[i] for i in np.argsort(mean_ranks, kind="stable")]
    place = {name: i for i, name in enumerate(names)}
    at = [(*sorted((place[pair.name_a], place[pair.name_b])), pair.decision == "not shown") for pair in pairs]
    if baseline is not None:
        return tuple((names[i], names[j]) for i, j, tied in sorted(at) if tied)
    found = groups_that_hold_together(len(names), [(i, j) for i, j, tied in at if not tied])
    return tuple(tuple(names[i] for i in group) for group in found if len(group) > 1)


# --- caveats --------------------------------------------------------------------------------------------------


def _caveats(
    table: ScoreTable,
    ranks: Floats,
    overall: Friedman,
    pairs: tuple[ModelPair, ...],
    correction: str,
    margin: float,
    level: float,
) -> tuple[Caveat, ...]:
    caveats = _few_caveats(table, pairs, correction, level)
    n = len(ranks)
    if math.isinf(overall.f):
        caveats.append(caveat("all_alike"))
    tied = int((np.sort(ranks, axis=1)[:, 1:] == np.sort(ranks, axis=1)[:, :-1]).any(axis=1).sum())
    if tied:
        caveats.append(caveat("ties", tied=tied, n=n))
    dropped = [f"{pair.name_a} and {pair.name_b} on {pair.equal:,}" for pair in pairs if pair.equal]
    if dropped:
        caveats.append(caveat("zero_differences", pairs=dropped))
    largest = float(np.abs(table.scores).max())
    if margin <= SMALL_MARGIN and largest > SHARES_END:
        caveats.append(caveat("margin", margin=margin, largest=largest))
    return (*caveats, caveat("one_number_each"))


def _overall_and_pairs(p: float, pairs: tuple[ModelPair, ...], alpha: float) -> tuple[Caveat, ...]:
    """The test of all models together and those of pairs ask different questions and can disagree."""
    if p <= alpha or not any(pair.adjusted_p <= alpha for pair in pairs):
        return ()
    return (caveat("overall_and_pairs"),)


def _few_caveats(table: ScoreTable, pairs: tuple[ModelPair, ...], correction: str, level: float) -> list[Caveat]:
    caveats = []
    n, k = table.scores.shape
    if n <= 10 or k <= 5:
        caveats.append(caveat("chi2_approximation", "data sets", models=k, n=n))
    # with Holm's correction the smallest p-value is multiplied by all pairs, with the other one perhaps not at all
    least = 2.0 ** (1 - n) * (len(pairs) if correction == "holm" else 1)
    if least > alpha_of(level):
        facts = {"n": n, "pairs": len(pairs), "correction": correction, "corrected": least}
        caveats.append(caveat("too_few_data_sets", least=2.0 ** (1 - n), **facts))
    if any(math.isinf(pair.interval.low) for pair in pairs):
        caveats.append(caveat("unbounded_interval", n=n, level=level))
    return caveats


def _fingerprint(table: ScoreTable, *, higher_is_better: bool) -> str:
    """Return a hash of the models, their scores and what is better."""
    return hashlib.sha256(repr((table.models, higher_is_better, table.scores.tolist())).encode()).hexdigest()[:16]


def _signature(
    table: ScoreTable, correction: str, higher_is_better: bool, level: float, n_resamples: int, seed: Seed
) -> Signature:
    from clearwin import __version__

    return Signature(
        version=__version__,
        n=len(table.data_sets),
        measure="ranks",
        test="friedman",
        method=correction,
        interval="walsh",
        claim="different",
        confidence_level=level,
        n_resamples=n_resamples,
        seed=str(seed),
        data=_fingerprint(table, higher_is_better=higher_is_better),
    )
