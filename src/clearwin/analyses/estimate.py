"""How good is this one classifier? A measure with its interval."""

from __future__ import annotations

from typing import Any

from clearwin.analyses.judging import classes_of, confusion_of, data_caveats, signature_of, with_design_effect
from clearwin.data.arrays import Tally
from clearwin.data.clusters import Grouping
from clearwin.data.label_sets import LabelSets
from clearwin.data.reading import (
    OF_COUNTS,
    Asked,
    ask_arrays,
    ask_decisions,
    ask_label_sets,
    refuse_labels,
    refuse_two_strata,
)
from clearwin.data.samples import About, AnyQuestion, Question
from clearwin.data.scores import ScoredItems, ScoreQuestion, scored_items
from clearwin.data.thresholds import decide, read_thresholds
from clearwin.data.values import OF_ITEMS, ValueQuestion, check_truth, read_values
from clearwin.errors import NotApplicableError, OptionError, UnknownNameError
from clearwin.execution import RngLike, Seed
from clearwin.measures import Measure, find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.intervals import BOOTSTRAP, DIRICHLET, DRAWN, PROPORTION, Coverage, Interval, Replicates
from clearwin.resampling import dirichlet
from clearwin.resampling.bootstrap import draw, left_out
from clearwin.resampling.of_values import standard_error
from clearwin.results.base import Caveat, Distribution
from clearwin.results.comparison import Estimate
from clearwin.significance import caveats
from clearwin.significance.base import check_settings, refuse_undefined
from clearwin.significance.caveats import doubts


def estimate(
    truth: Any,
    a: Any,
    *,
    measure: MeasureLike = "f1",
    interval: str = "auto",
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    labels: Any = None,
    separator: str | None = None,
    threshold: float | None = None,
    stratified: bool = False,
    rank_infinite: bool = False,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    name: str = "A",
) -> Estimate:
    """Estimate a measure of one model's decisions, scores or per-item values ``a``, with a confidence interval.

    Proportions (accuracy, recall, precision, …) take ``interval`` "wilson" (the default), "clopper-pearson" or
    "normal"; every other measure of two classes takes "dirichlet" (its default), and every measure "percentile" (the
    default for the rest), "centred", "basic" or "bca" from bootstrap replicates. Means of per-item values and losses
    take "studentised", too; for values that need no truth that is None. ``groups``, ``strata``, ``labels`` and
    ``separator`` are as in :func:`compare`.

    >>> import clearwin as cw
    >>> r = cw.estimate([1] * 10, [1] * 8 + [0] * 2, measure="recall")
    >>> f"{r.estimate} from {r.interval.low:.4f} to {r.interval.high:.4f} ({r.interval.method})"
    '0.8 from 0.4902 to 0.9433 (wilson)'
    """
    chosen = find(measure)
    settings: dict[str, Any] = {
        "interval": interval,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "rng": rng,
        "name": name,
    }
    check_truth(chosen, truth)
    if chosen.takes not in OF_COUNTS or threshold is not None:
        refuse_labels(labels, separator)
    if chosen.takes in OF_ITEMS:
        read = read_values(
            chosen,
            truth,
            a,
            positive=positive,
            stratified=stratified,
            rank_infinite=rank_infinite,
            groups=groups,
            strata=strata,
            threshold=threshold,
        )
        return _estimate(Asked(read.ask, read.about), **settings)
    if chosen.takes == "scores" and threshold is not None:
        raise OptionError(f"{chosen.label} is a measure of scores and takes no threshold.", "no threshold with it")
    if chosen.takes in OF_COUNTS and (stratified or (rank_infinite and threshold is None)):
        raise OptionError("stratified and rank_infinite are for scores.", "a measure of scores, such as auc")
    if chosen.takes in OF_COUNTS and threshold is None:
        return _estimate(ask_arrays(truth, a, None, chosen, positive, groups, strata, labels, separator), **settings)
    items = scored_items(truth, a, positive=positive, rank_infinite=rank_infinite, groups=groups, strata=strata)
    if chosen.takes == "scores":
        return estimate_scores(items, chosen, stratified=stratified, **settings)
    tally, extra = decide(items, read_thresholds(threshold, 1))
    return estimate_tally(tally, measure=chosen, positive=items.positive, extra=extra, **settings)


def estimate_tally(
    tally: Tally,
    *,
    measure: MeasureLike = "f1",
    positive: Any = None,
    labels: Any = None,
    extra: tuple[str, ...] = (),
    **settings: Any,
) -> Estimate:
    """Estimate from a tally of (truth, a) label combinations; ``extra`` as group and stratum."""
    # one classifier is compared with itself: the replicates of "A" are what is needed
    called = (str(settings.get("name", "a")),)
    asked = ask_decisions(tally, find(measure), positive=positive, labels=labels, extra=extra, models=called)
    return _estimate(asked, **settings)


def estimate_label_sets(
    sets: LabelSets, grouping: Grouping, *, measure: MeasureLike = "macro_f1", subset: bool = False, **settings: Any
) -> Estimate:
    """Estimate from label sets that were read already."""
    return _estimate(ask_label_sets(sets, find(measure), grouping, subset=subset), **settings)


def estimate_scores(items: ScoredItems, measure: Measure, *, stratified: bool = False, **settings: Any) -> Estimate:
    """Estimate a measure of scores that were checked already."""
    refuse_two_strata(stratified, items.grouping)

    def ask(claim: Any, method: str, interval: str, level: float, n_resamples: int, seed: Seed) -> ScoreQuestion:
        return ScoreQuestion(items, measure, claim, method, interval, level, n_resamples, seed, stratified)

    return _estimate(Asked(ask, About(items.positive, items.inferred, items.against_others)), **settings)


def _estimate(
    asked: Asked,
    *,
    interval: str = "auto",
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    name: str = "A",
) -> Estimate:
    check_settings("different", confidence_level, n_resamples, ("different",))
    about = asked.about
    question = asked.ask("different", "auto", interval, confidence_level, int(n_resamples), Seed.of(rng))
    if isinstance(question, Question):
        refuse_undefined(question)
    found, distribution, undefined, found_caveats = _interval(question)
    measure = question.measure
    return Estimate(
        name=str(name),
        n=question.n,
        measure=str(measure),
        measure_label=label_of(measure),
        higher_is_better=measure.higher_is_better,
        estimate=question.estimates[0],
        interval=found,
        positive=None if about.positive is None else str(about.positive),
        positive_inferred=about.inferred,
        sampling=with_design_effect(question, of_difference=False),
        labels=about.labels,
        undefined_replicates=undefined,
        caveats=data_caveats(question, about, (str(name),), found)
        + found_caveats
        + caveats.few_groups(None, question.sampling)
        + caveats.small_strata(found, question.sampling),
        signature=signature_of(question, "none", "estimate", found.method),
        distribution=distribution,
        confusion=confusion_of(question),
        n_classes=classes_of(question),
    )


def _interval(question: AnyQuestion) -> tuple[Interval, Distribution | None, int, tuple[Caveat, ...]]:
    measure, name = question.measure, question.interval
    known = (*PROPORTION, *DRAWN)
    if name not in ("auto", *known):
        raise UnknownNameError("interval", name, ("auto", *known))
    coverage = Coverage(question.confidence_level, "two-sided", *measure.bounds)
    if name == "auto":
        plain = measure.is_proportion and question.sampling is None
        name = "wilson" if plain else dirichlet.default(question)
    if name in PROPORTION:
        right, n = _proportion(question, name)
        if n > 0:
            rule = caveats.normal_approximation(measure.label, n, right / n) if name == "normal" else ()
            rule += caveats.takes_items_as_independent(name, question.sampling)
            return PROPORTION[name](right, n, coverage), None, 0, rule
        # a proportion of nothing: any value is possible
        return coverage.interval(*measure.bounds, name), None, 0, ()
    if name == DIRICHLET:
        found, draws = dirichlet.interval_of_one(question, coverage)
        return found, Distribution("posterior", draws), 0, caveats.few_replicates(question, found)
    drawn = draw(question)

    def without() -> tuple[Any, Any]:
        found = left_out(question)
        return found.accelerating(found.a)

    error = standard_error(question) if isinstance(question, ValueQuestion) and drawn.errors is not None else None
    replicates = Replicates(drawn.a, question.estimates[0], without, drawn.errors, error)
    found = BOOTSTRAP[name](replicates, coverage)
    return found, Distribution("bootstrap", drawn.a), drawn.undefined, doubts(question, drawn, found)


def _proportion(question: AnyQuestion, interval: str) -> tuple[int, int]:
    if isinstance(question, Question) and question.measure.is_proportion:
        return question.measure.proportion(question.confusions[0])
    raise NotApplicableError(
        f"{question.measure.label} is not a proportion of items, so the {interval} interval cannot be applied to it.",
        f"one of the bootstrap intervals: {', '.join(BOOTSTRAP)}",
        'interval="percentile", or "auto"',
    )
