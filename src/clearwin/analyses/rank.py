"""The verb ``rank``: which of these models are really ahead? Many models, one test set, replicates shared by all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearwin.analyses.judging import data_caveats, signature_of, strange_answers, turned
from clearwin.analyses.model_pairs import (
    MAX_T,
    Board,
    assumed_of_pairs,
    caveats_of_pairs,
    check_correction,
    judge_pairs,
    missed_of_pairs,
    no_jackknife,
    skewness_of_pairs,
    too_skewed,
    truth_itself,
)
from clearwin.analyses.repeating import repeatable
from clearwin.data.marks import are_marks
from clearwin.data.questions import Options, Question, check_confidence_level
from clearwin.data.reading import Read, Reading
from clearwin.data.scores import models_with_lower_positive
from clearwin.data.values import check_truth
from clearwin.errors import DataError, OptionError, UnknownNameError, setting
from clearwin.measures import Measure, find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.compact_letters import groups_that_hold_together, letters
from clearwin.numerics.intervals import Coverage, Replicates, alpha_of, percentile
from clearwin.reading.opening import refuse_id_of_arrays, takes_data
from clearwin.reading.reading import read_data
from clearwin.resampling.bootstrap import draw
from clearwin.resampling.on_device import on_processor
from clearwin.results.caveats import Caveat
from clearwin.results.leaderboard import Leaderboard, PairDifference, Standing
from clearwin.significance import caveats
from clearwin.significance.all_equal import all_equal
from clearwin.significance.base import refuse_undefined
from clearwin.streams import RngLike, Seed
from clearwin.text import refuse_alike

MOST_IN_ALL_PAIRS = 500  # 124,750 pairs
MOST_BY_HOLM = 50  # pairs; up to here they are tested as ``compare`` tests them
FEWEST_REPLICATES, MOST_REPLICATES = 10_000, 100_000


@dataclass(frozen=True)
class Contest:
    """Which models are compared with each other, and the correction for the number of pairs."""

    baseline: str | None = None
    correction: str | None = None  # by the number of pairs

    def __post_init__(self) -> None:
        if self.correction is not None:
            check_correction(self.correction)

    def tests(self, models: int) -> int:
        """Return how many pairs of that many models are compared."""
        return models - 1 if self.baseline is not None else models * (models - 1) // 2

    def corrected_by(self, models: int) -> str:
        """Return the correction that was asked for; else Holm's for a few pairs, and max-t for more.

        Holm multiplies the smallest p-value by the number of pairs, and no p-value of replicates is smaller than
        1/(replicates + 1): with thousands of pairs, all that differ would end up close to the level.
        """
        if self.correction is not None:
            return self.correction
        return "holm" if self.tests(models) <= MOST_BY_HOLM else MAX_T

    def options(
        self,
        names: tuple[str, ...],
        n_resamples: int | None = None,
        confidence_level: float = 0.95,
        rng: RngLike = None,
        device: str = "cpu",
    ) -> Options:
        """Return how the question about models of these names is asked, or raise if it cannot be."""
        refuse_alike(names)
        check_confidence_level(confidence_level)
        if self.baseline is not None and self.baseline not in names:
            raise UnknownNameError("model", self.baseline, names)
        if self.baseline is None and len(names) > MOST_IN_ALL_PAIRS:
            raise OptionError(
                f"{len(names):,} models make {self.tests(len(names)):,} pairs.",
                f"at most {MOST_IN_ALL_PAIRS} models, or one to compare the others with",
                setting("baseline", names[0]),
            )
        return Options(
            interval="percentile",
            confidence_level=confidence_level,
            n_resamples=self._replicates(len(names), confidence_level) if n_resamples is None else n_resamples,
            seed=Seed.of(rng),
            device=device,
            names=names,
        )

    def _replicates(self, models: int, confidence_level: float) -> int:
        """Return how many replicates a corrected p-value needs to reach the level with some to spare.

        max-t needs no more for more pairs; Holm and Benjamini-Hochberg multiply the smallest p-value by their number.
        """
        by_max_t = self.corrected_by(models) == MAX_T
        needed = 0 if by_max_t else math.ceil(2 * self.tests(models) / alpha_of(confidence_level))
        return min(max(FEWEST_REPLICATES, needed), MOST_REPLICATES)


@repeatable()
@matched_by_position()
@takes_data
def rank(
    truth: Any = None,
    models: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
    measure: MeasureLike = "f1",
    baseline: str | None = None,
    correction: str | None = None,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    missing: str = "refuse",
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    device: str = "cpu",
) -> Leaderboard:
    """Return which of many models are ahead on the same items.

    Models have decisions, scores or values, and every rank has an interval.

    Parameters
    ----------
    truth, models
        The true label of each item, and a mapping from names to decisions (or scores), or a frame with a column for
        each model, all matched by position. For values that need no truth (``measure="mean"``) ``truth`` is None.
    data
        A frame; ``truth``, ``groups`` and ``strata`` are then columns of it, and ``models`` is a list of columns or of
        patterns such as "bert*". Without ``models`` all columns are used that hold labels of the truth, for a measure
        of decisions, or numbers, for one of scores or values.
    measure
        A measure of decisions, scores, losses or values, as in :func:`compare`.
    baseline
        A model's name: compare only with it. By default all pairs are compared.
    correction
        For the number of tests: "holm" (the default up to 50 pairs) and "max-t" (the default for more) control the
        chance of any false finding, and max-t uses how the models vary together; "benjamini-hochberg" controls the
        share of false ones among the findings.
    confidence_level
        Level of the intervals. A corrected p-value of at most 1 − this level shows a difference, also for the groups
        and the rank intervals.
    n_resamples
        Replicates that all models share: 10,000, or more where Holm's correction or that of Benjamini and Hochberg for
        many pairs needs them.
    positive, groups, strata, rank_infinite, lower_is_positive, missing, rng, device
        As in :func:`compare`.

    Examples
    --------
    >>> import clearwin as cw
    >>> truth = [1] * 60 + [0] * 140
    >>> svm = [1] * 43 + [0] * 17 + [1] * 9 + [0] * 131
    >>> rbf = [1] * 55 + [0] * 5 + [1] * 3 + [0] * 137
    >>> r = cw.rank(truth, {"svm": svm, "rbf": rbf, "copy": rbf}, rng=7)
    >>> [(m.name, round(m.estimate, 4), m.rank, m.letters) for m in r.models]
    [('copy', 0.9322, 1, 'a'), ('rbf', 0.9322, 1, 'a'), ('svm', 0.7679, 3, 'b')]
    """
    judged_by = find(measure)
    refuse_id_of_arrays(data, id)
    told: tuple[Caveat, ...] = ()
    if data is not None:
        besides = [*(groups if isinstance(groups, list) else [groups]), strata]
        if not are_marks(truth, judged_by) and (truth is not None or not data.labels_are_text):
            check_truth(judged_by, truth)
        columns = data.model_columns(models, truth, besides, judged_by)
        models, told = columns.by_name, columns.caveats(judged_by, truth)
    named = named_models(models)
    how = Reading(
        positive=positive,
        groups=groups,
        strata=strata,
        rank_infinite=rank_infinite,
        lower_is_positive=models_with_lower_positive(lower_is_positive, {name: name for name in named}),
        missing=missing,
        ranked=True,
    )
    contest = Contest(None if baseline is None else str(baseline), correction)
    options = contest.options(tuple(named), n_resamples, confidence_level, rng, device)
    board = ranked(read_data(data, truth, named, judged_by, how), contest, options)
    return replace(board, caveats=(*told, *board.caveats))


def named_models(models: Any) -> dict[str, Any]:
    """Return the models sorted by name, so that the order in which they were given does not matter."""
    if hasattr(type(models), "columns") and not isinstance(models, Mapping):  # a frame
        models = _columns_of(models)
    elif isinstance(models, Mapping):
        models = list(models.items())
    else:
        raise DataError(
            f"models is a {type(models).__name__}.", "a mapping from names to answers", '{"svm": …, "rbf": …}'
        )
    names = [str(name) for name, _ in models]
    if len(names) < 2:
        raise DataError(
            f"{'There is only 1 model' if names else 'There are no models'} to rank.",
            "two models or more",
            "estimate(truth, a) for one model's value with its interval",
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"More than one model is called {twice[0]!r}.", "a different name for each model")
    return {str(name): answers for name, answers in sorted(models, key=lambda pair: str(pair[0]))}


def _columns_of(frame: Any) -> list[tuple[Any, Any]]:
    """Return the columns of a frame of any engine, eager or lazy; pandas' own keep their indexes."""
    if hasattr(frame, "iloc"):
        return [(name, frame[name]) for name in frame.columns]
    import narwhals as nw

    table = nw.from_native(frame)
    eager = table.collect() if isinstance(table, nw.LazyFrame) else table
    return [(name, eager.get_column(name).to_list()) for name in eager.columns]


def ranked(read: Read, contest: Contest, options: Options) -> Leaderboard:
    """Rank what was read; the models are in the order of their names."""
    options = options.with_seed_of(read[0].fingerprint)
    question: Question[Any] = Question(*read, options)
    measure, names = question.measure, options.names
    alone = [replace(question, sample=question.sample.of_model(j)) for j in range(len(names))]
    for one in alone:
        refuse_undefined(one)
    drawn = draw(question)
    board = Board(names, np.array(question.estimates), drawn.values)
    levels = [level for one in alone for level in caveats.chance_levels(one.sample)[:1]]
    found = caveats.against_chance(levels, names, probabilities=measure.takes == "losses")
    found += question.sample.about.caveats + data_caveats(alone[0], (), None) + strange_answers(question, names)
    for one, name in zip(alone, names, strict=True):
        found += caveats.undefined_estimates(one, (name,)) + truth_itself(one.sample.joint_outcomes, name)
    pairs = _pairs(board, measure, contest)
    return _record(board, pairs, question, found, drawn.undefined, contest)


def _order(board: Board, measure: Measure) -> list[int]:
    """Return the models, the best first; tied ones by name."""
    return sorted(range(len(board.names)), key=lambda i: (-measure.sign * board.estimates[i], board.names[i]))


def _pairs(board: Board, measure: Measure, contest: Contest) -> list[tuple[int, int]]:
    """Return the pairs (a, b): each model above each below it, or every model against the baseline."""
    order = _order(board, measure)
    if contest.baseline is not None:
        base = board.names.index(contest.baseline)
        return [(base, i) for i in order if i != base]
    return [(low, high) for place, high in enumerate(order) for low in order[place + 1 :]]


def _record(
    board: Board,
    pairs: list[tuple[int, int]],
    question: Question[Any],
    found: tuple[Caveat, ...],
    undefined: int,
    contest: Contest,
) -> Leaderboard:
    measure, about, correction = question.measure, question.sample.about, contest.corrected_by(len(board.names))
    skewed = skewness_of_pairs(question, pairs)
    judged = judge_pairs(board, pairs, on_processor(question), correction, skewed)
    groups, models = _standings(board, judged, measure, question.confidence_level, contest)
    unit = question.sampling.unit if question.sampling else "item"
    found += caveats.undefined_replicates(question, undefined) + caveats.few_replicates(question, models[0].interval)
    found += caveats.few_groups(None, question.sampling) + caveats.small_strata(
        measure, models[0].interval, question.sampling
    )
    alpha = alpha_of(question.confidence_level)
    found += too_skewed(skewed, pairs, board.names) + assumed_of_pairs(question, pairs)
    found += missed_of_pairs(question, pairs, judged)
    found += caveats_of_pairs(judged, correction, alpha, question.n_resamples, unit)
    return Leaderboard(
        n=question.n,
        interval=models[0].interval,
        caveats=found,
        measure=str(measure),
        measure_label=label_of(measure),
        higher_is_better=measure.higher_is_better,
        positive=None if about.positive is None else str(about.positive),
        positive_inferred=about.inferred,
        undefined_replicates=undefined,
        sampling=question.sampling,
        lower_is_positive=turned(question),
        models=models,
        pairs=judged,
        groups=groups,
        baseline=contest.baseline,
        correction=correction,
        overall=all_equal(question.sample, measure),
        signature=signature_of(question, "bootstrap", correction, "percentile"),
        null_hypothesis=f"both models have the same {label_of(measure)} in the population that the {unit}s were drawn "
        "from",
    )


def _standings(
    board: Board, judged: tuple[PairDifference, ...], measure: Measure, level: float, contest: Contest
) -> tuple[tuple[tuple[str, ...], ...], tuple[Standing, ...]]:
    """Return the groups of models that are not told apart, and every model's standing, the best first."""
    order = _order(board, measure)
    names = [board.names[i] for i in order]
    gains = measure.sign * board.estimates[order]
    place = {name: i for i, name in enumerate(names)}
    ahead: list[set[int]] = [set() for _ in names]  # of each model, those that are shown to be better
    for pair in judged:
        if pair.shown:
            a, b = place[pair.a], place[pair.b]
            better, worse = (b, a) if measure.sign * pair.difference > 0 else (a, b)
            ahead[worse].add(better)
    shown = [(better, worse) for worse, them in enumerate(ahead) for better in them]
    for them in ahead:  # the best first: whoever is ahead of a better model is ahead of this one, too
        them |= {further for better in them for further in ahead[better]}
    groups = [] if contest.baseline is not None else groups_that_hold_together(len(names), shown)
    coverage = Coverage(level, "two-sided", *measure.bounds)
    standings = [
        Standing(
            name,
            float(board.estimates[i]),
            percentile(Replicates(board.replicates[i], float(board.estimates[i]), no_jackknife), coverage),
            1 + int((gains > gains[at] + board.slack).sum()),
            1 + len(ahead[at]),
            len(names) - sum(at in them for them in ahead),
            letter,
        )
        for at, (name, i, letter) in enumerate(zip(names, order, letters(len(names), groups), strict=True))
    ]
    return tuple(tuple(names[i] for i in group) for group in groups), tuple(standings)
