"""How good is this one classifier? A measure with its interval."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clearwin.analyses.judging import (
    against_chance,
    classes_of,
    confusion_of,
    data_caveats,
    signature_of,
    turned,
    with_design_effect,
)
from clearwin.analyses.repeating import repeatable
from clearwin.counts import JointCounts
from clearwin.data.questions import Options, Question, refuse_crossed
from clearwin.data.reading import Read, Reading
from clearwin.data.scores import models_with_lower_positive
from clearwin.data.values import ValueSample, refuse_winners
from clearwin.errors import NotApplicableError, UnknownNameError, setting
from clearwin.measures import find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.intervals import (
    BOOTSTRAP,
    DIRICHLET,
    DRAWN,
    INVERTED,
    PROPORTION,
    Coverage,
    Interval,
    Replicates,
)
from clearwin.reading.opening import refuse_id_of_arrays, takes_data
from clearwin.reading.reading import read_data
from clearwin.resampling import dirichlet
from clearwin.resampling.bootstrap import draw, left_out
from clearwin.resampling.functionals import has_functional, is_in_order
from clearwin.resampling.on_device import refuse_interval
from clearwin.results.base import Distribution
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Estimate
from clearwin.significance import caveats
from clearwin.significance.base import refuse_undefined
from clearwin.significance.row_order import in_time_order
from clearwin.significance.serial import few_times
from clearwin.significance.studentised import MOST_SKEWED, p_value_function, too_few_draws
from clearwin.streams import RngLike, Seed
from clearwin.text import with_hyphens


@repeatable()
@matched_by_position()
@takes_data
def estimate(
    truth: Any = None,
    a: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
    measure: MeasureLike = "f1",
    interval: str = "auto",
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    order: Any = None,
    labels: Any = None,
    separator: str | None = None,
    threshold: float | None = None,
    dev: tuple[Any, Any] | None = None,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    missing: str = "refuse",
    bins: Any = "auto",
    memory_limit: Any = "2GB",
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    device: str = "cpu",
    name: str | None = None,
) -> Estimate:
    """Return one model's value of a measure, with a confidence interval.

    ``a`` are its decisions, scores or per-item values.

    Proportions (accuracy, recall, precision, …) take ``interval`` "wilson" (the default), "clopper-pearson" or
    "normal"; every other measure of two classes takes "dirichlet" (its default). Every measure of single items takes
    "inverted" (the default for the rest): all values that the studentised test does not reject. Every measure takes
    "percentile" (the default with groups or strata), "centred", "basic" or "bca" from bootstrap replicates; means of
    per-item values and losses also take "studentised". For values that need no truth, ``truth`` is None.
    ``dev=(truth, scores)`` chooses the threshold on a development set. ``groups``, ``strata``, ``order``,
    ``labels``, ``separator``, ``rank_infinite``, ``lower_is_positive``, ``missing``, ``bins`` and ``memory_limit`` are
    as in :func:`compare`, and so are ``data``, a file or a frame whose columns are named, and ``id``. ``device="cuda"``
    draws the bootstrap's replicates there.

    >>> import clearwin as cw
    >>> r = cw.estimate([1] * 10, [1] * 8 + [0] * 2, measure="recall")
    >>> f"{r.estimate} from {r.interval.low:.4f} to {r.interval.high:.4f} ({r.interval.method})"
    '0.8 from 0.4902 to 0.9433 (wilson)'
    """
    refuse_id_of_arrays(data, id)
    how = Reading(
        positive=positive,
        groups=groups,
        strata=strata,
        order=order,
        labels=labels,
        separator=separator,
        threshold=threshold,
        dev=dev,
        rank_infinite=rank_infinite,
        missing=missing,
        bins=bins,
        memory_limit=memory_limit,
    )
    chosen = find(measure)
    refuse_winners(chosen)
    if name is None:
        name = getattr(a, "name", None) if data is None else data.names(truth, {"a": a}, how)[0]
    shown = str(name or "A")
    how = replace(how, lower_is_positive=models_with_lower_positive(lower_is_positive, {"a": shown}))
    options = Options(
        interval=interval,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=Seed.of(rng),
        names=(shown,),
        device=device,
    )
    return estimated(read_data(data, truth, {"a": a}, chosen, how), options)


def estimated(read: Read, options: Options) -> Estimate:
    """Estimate from what was read."""
    question = Question(*read, options)
    refuse_undefined(question)
    found, distribution, undefined, found_caveats = _interval(question)
    measure, about = question.measure, question.sample.about
    sampling = with_design_effect(question, of_difference=False)
    return Estimate(
        name=options.names[0],
        n=question.n,
        measure=str(measure),
        measure_label=label_of(measure),
        higher_is_better=measure.higher_is_better,
        estimate=question.estimates[0],
        interval=found,
        positive=None if about.positive is None else str(about.positive),
        positive_inferred=about.inferred,
        sampling=sampling,
        labels=about.labels,
        undefined_replicates=undefined,
        lower_is_positive=turned(question),
        caveats=against_chance(question, options.names)
        + in_time_order(question, single=True)
        + about.caveats
        + data_caveats(question, options.names, found)
        + found_caveats
        + caveats.no_width(found, question.estimates[0], of="one model")
        + caveats.few_groups(None, sampling)
        + caveats.small_strata(question.measure, found, question.sampling),
        signature=signature_of(question, "none", "estimate", found.method),
        distribution=distribution,
        confusion=confusion_of(question),
        n_classes=classes_of(question),
    )


def _interval(question: Question[Any]) -> tuple[Interval, Distribution | None, int, tuple[Caveat, ...]]:
    measure, name = question.measure, with_hyphens(str(question.interval))
    known = (*PROPORTION, *DRAWN, INVERTED)
    if name not in ("auto", *known):
        raise UnknownNameError("interval", name, ("auto", *known))
    if name not in BOOTSTRAP:
        refuse_interval(question.options, name)
    if is_in_order(question.sample):
        if name not in ("auto", INVERTED):
            raise NotApplicableError(
                f"The interval {name!r} treats items as independent, and these are in time order.",
                "an interval that allows for serial correlation",
                setting("interval", INVERTED),
            )
        name = INVERTED
    coverage = Coverage(question.confidence_level, "two-sided", *question.bounds)
    if name == "auto":
        plain = (measure.is_proportion or _decisions(question) is not None) and question.sampling is None
        name = "wilson" if plain else dirichlet.default(question)
        if name == "percentile" and has_functional(question.sample, measure):
            name = INVERTED
    if name in PROPORTION:
        right, n = _proportion(question, name)
        if n > 0:
            rule = caveats.normal_approximation(measure.label, n, right / n) if name == "normal" else ()
            rule += caveats.takes_items_as_independent(name, question.sampling)
            return PROPORTION[name](right, n, coverage), None, 0, rule
        # a proportion of nothing: any value is possible
        return coverage.interval(*measure.bounds, name), None, 0, ()
    if name == INVERTED:
        function = p_value_function(question, single=True)
        allowed = function.unseen is not None and function.unseen.decides
        raised = () if allowed else caveats.too_skewed(function.skewness, MOST_SKEWED, "one model")
        raised = raised or caveats.assumed_of_unseen(question, function.unseen)
        raised += few_times(function) + too_few_draws(question, coverage.interval(0, 0, name))
        return function.interval(coverage), None, 0, raised
    if name == DIRICHLET:
        found, draws = dirichlet.interval_of_one(question, coverage)
        return found, Distribution("posterior", draws), 0, caveats.few_replicates(question, found)
    if has_functional(question.sample, measure):
        refuse_crossed(question, f"The {name} interval", setting("interval", INVERTED))
    drawn = draw(question)

    def without() -> tuple[Any, Any]:
        found = left_out(question)
        return found.accelerating(found.a)

    replicates = Replicates(drawn.a, question.estimates[0], without, drawn.errors, drawn.error)
    found = BOOTSTRAP[name](replicates, coverage)
    return found, Distribution("bootstrap", drawn.a), drawn.undefined, caveats.of_replicates(question, drawn, found)


def _decisions(question: Question[Any]) -> JointCounts | None:
    """Return how many values are 1 and how many 0, where their mean is a proportion."""
    sample, measure = question.sample, question.measure
    if isinstance(sample, ValueSample) and sample.are_decisions and measure.is_mean and not measure.is_sum:
        return sample.right_and_wrong
    return None


def _proportion(question: Question[Any], interval: str) -> tuple[int, int]:
    values = _decisions(question)
    if values is not None:
        return values.n - values.both_wrong, values.n
    if question.sample.joint_outcomes is not None and question.measure.is_proportion:
        return question.measure.proportion(question.sample.confusions[0])
    raise NotApplicableError(
        f"{question.measure.label} is not a proportion of items, so the {interval} interval cannot be applied to it.",
        f"one of the bootstrap intervals: {', '.join(BOOTSTRAP)}",
        setting("interval", "percentile", "auto"),
    )
