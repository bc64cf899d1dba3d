"""Two models judged on two test sets, by any measure whose standard error is known."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clearwin.analyses.judging import decided, signature_of, strange_answers, turned
from clearwin.analyses.repeating import repeatable
from clearwin.data.arrays import names_of
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.data.samples import Sample
from clearwin.data.scores import ScoreSample, models_with_lower_positive, read_thresholds
from clearwin.data.values import ValueSample
from clearwin.errors import DataError, NotApplicableError, setting
from clearwin.measures import Measure, find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.arrays import Floats
from clearwin.numerics.intervals import alpha_of
from clearwin.numerics.pvalues import Claim, from_log
from clearwin.resampling.functionals import HUNDREDTH, OfValues, functional
from clearwin.results.base import with_side
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Comparison
from clearwin.significance import caveats
from clearwin.significance.base import Finding, refuse_undefined
from clearwin.significance.delong import refuse_one_item
from clearwin.significance.studentised import MOST_SKEWED, OTHER_SIDE
from clearwin.significance.unpaired import Component, PValuesOfTwoSets, component_of
from clearwin.significance.unseen import AS_LARGE_AGAIN, Unseen
from clearwin.streams import Seed

DELONG = ("delong_unpaired", "unpaired DeLong test")
STUDENTISED = ("studentised_unpaired", "unpaired studentised test")
MISSED_LOSE = 1.25  # of an area's distance from 1/2: what an item of a kind that was missed loses (docs/scorecard.md)


@repeatable()
@matched_by_position("truth_b", "b")
def compare_unpaired(
    truth_a: Any,
    a: Any,
    truth_b: Any,
    b: Any,
    *,
    measure: MeasureLike = "auc",
    claim: Claim = "different",
    positive: Any = None,
    labels: Any = None,
    threshold: Any = None,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    missing: str = "refuse",
    confidence_level: float = 0.95,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Return whether B is better than A, each on its own items.

    The two test sets are independent, with decisions, scores or per-item values.

    Null hypothesis: both have the same value of the measure, each on items like its own. The variances v add, because
    there is no covariance. The difference over its standard error is compared with Student's t with Satterthwaite's
    degrees of freedom, (v_a + v_b)²/(v_a²/ν_a + v_b²/ν_b), as in Welch's test. The interval is that of the same t.

    The variance of an AUC is DeLong's, class by class, with ν = n − 1 for a class of n items; that of a mean is the
    usual one with ν = n − 1, which is Welch's t test. A tail is the larger of Student's of t and of t corrected for
    skewness (Hall 1992). For an AUC, and for values with a declared range, it also allows for a kind of item that one
    of the test sets is too small to hold (``significance/unpaired.py``); a difference that this or great skewness could
    explain is "not decided". Shares of right answers are judged by Agresti and Caffo (2000): one right and one wrong
    answer are added to each test set, and ν = ∞. The variance of every other measure comes from its influence values,
    with their own ν, at most n − 1, as in the studentised test of one test set. Settings are as in :func:`compare`; for
    values that need no truth (``measure="mean"``) both truths are None. Level and power are measured in
    docs/scorecard.md.

    >>> import clearwin as cw
    >>> truth = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [0.9, 0.4, 0.8, 0.1, 0.5, 0.2, 0.6, 0.7], [0.8, 0.7, 0.9, 0.2, 0.3, 0.1, 0.6, 0.5]
    >>> r = cw.compare_unpaired(truth, a, truth, b)
    >>> f"{r.difference:.4f}, p = {r.p_value:.3f}"
    '0.1875, p = 0.353'
    """
    chosen = find(measure)
    given = {"claim": claim, "confidence_level": confidence_level, "names": names_of(a, b) if names is None else names}
    options = Options.of("compare_unpaired", given)
    lower = models_with_lower_positive(lower_is_positive, dict(zip("ab", options.names, strict=True)))
    how = Reading(positive=positive, labels=labels, rank_infinite=rank_infinite, missing=missing)
    if isinstance(threshold, tuple | list):
        threshold = read_thresholds(threshold, 2)
    sides = []
    for place, (role, truth, values) in enumerate((("a", truth_a, a), ("b", truth_b, b))):
        if values is None:
            raise DataError(f"{role} is None.", "the answers of two models, each with its own truth")
        one = threshold[place] if isinstance(threshold, tuple | list) else threshold
        mine = replace(how, threshold=one, lower_is_positive=tuple(r for r in lower if r == role))
        asked = replace(options, names=(options.names[place],), n_resamples=1, seed=Seed(0))
        sides.append(OwnItems(Question(*read_sample(truth, {role: values}, chosen, mine), asked)))
    return _compared(sides, options)


@dataclass(frozen=True, eq=False)
class OwnItems:
    """One model on its own items: its value, its variance and the variance's degrees of freedom."""

    question: Question[Any]

    def __post_init__(self) -> None:
        refuse_undefined(self.question)

    @property
    def sample(self) -> Sample:
        """The items."""
        return self.question.sample  # type: ignore[no-any-return]

    @property
    def measure(self) -> Measure:
        """The measure as it judges these data."""
        return self.question.measure

    @property
    def value(self) -> float:
        """The measure's value."""
        return self.question.estimates[0]

    @cached_property
    def judged(self) -> tuple[float, tuple[Component, ...]]:
        """The value that is judged, and what its variance is made of."""
        if self.measure.is_area and isinstance(self.sample, ScoreSample):
            refuse_one_item(self.sample.areas, "collect more items of that class")
            return self.value, self._placements(self.sample)
        if self.sample.joint_outcomes is not None and self.measure.is_mean:
            # Agresti and Caffo 2000: one right and one wrong answer more keep the level with few items
            n = self.sample.n + 2.0
            share = (self.value * self.sample.n + 1.0) / n
            return share, (Component(self.sample.n, "item", share * (1.0 - share) / n, math.inf),)
        return self.value, (self._by_influence,)

    def _placements(self, sample: ScoreSample) -> tuple[Component, Component]:
        """Return what positives and negatives add: DeLong's placements, the share of the other class that each beats.

        Where all are alike a hundredth of an item that is ranked wrongly keeps the variance above 0. A kind of item
        that was missed may be ranked as far below chance as a quarter of what the model is above it.
        """
        positives, negatives = (np.sort(sample.scores[0][sample.truth == label]) for label in (1, 0))
        of_positives = _midranks(positives, negatives) / negatives.size
        of_negatives = 1.0 - _midranks(negatives, positives) / positives.size
        lost = MISSED_LOSE * max(self.value - 0.5, 0.0)
        return (
            component_of(of_positives, "positive", HUNDREDTH / positives.size**2, lost),
            component_of(of_negatives, "negative", HUNDREDTH / negatives.size**2, lost),
        )

    @cached_property
    def _by_influence(self) -> Component:
        """What the items add by their influence values, with parts of items for outcomes that did not occur."""
        n, joint = self.sample.n, self.sample.joint_outcomes
        if n == 1:
            raise NotApplicableError(f"{self.question.options.names[0]} has a single item.", "two items or more")
        one_class = joint is not None and joint.k == 1  # and every answer is right: nothing shows what could go wrong
        found = None if one_class else functional(self.sample, self.measure, single=True)
        if found is None:
            if self.measure.is_mean:
                return Component(n, "item", 0.0, n - 1.0)  # values that are all alike
            raise NotApplicableError(
                f"How much {label_of(self.measure)} of {self.question.options.names[0]} varies cannot be estimated.",
                "items that vary, and a measure that moves with each of them: neither a trimmed mean nor a function "
                "that needs whole items",
                setting("measure", "mean") + " for values",
            )
        if isinstance(found, OfValues) and isinstance(self.sample, ValueSample):
            low, high = self.limits or (self.value, self.value)
            numbers = self.sample.factor(self.measure) * self.sample.a
            return replace(
                component_of(numbers, "item", lost=self.value - low, gained=high - self.value), variance=found.error**2
            )
        # with few items the variance is never better known than that of a mean, even if half of the answers are right
        return Component(n, "item", found.error**2, min(found.degrees, n - 1.0))

    @property
    def limits(self) -> tuple[float, float] | None:
        """The range of the values, if it bounds what an item that was missed could change."""
        low, high = self.measure.bounds
        bounded = math.isfinite(low) and math.isfinite(high) and not self.measure.clipped
        return (low, high) if bounded else None

    def assumed(self, error: float) -> tuple[Caveat, ...]:
        """What is assumed of values without a range: no items much further out than any here."""
        sample = self.sample
        if not isinstance(sample, ValueSample) or sample.are_decisions or self.limits or self.measure.is_area:
            return ()
        furthest = AS_LARGE_AGAIN * sample.factor(self.measure) * float(np.abs(sample.a - sample.a.mean()).max())
        what = "items that lie three times as far from the mean as any here"
        unseen = Unseen(sample.n, error, sample.n - 1.0, -furthest, furthest, decides=False, what=what)
        return caveats.assumed_of_unseen(self.question, unseen)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """The caveats about this side's data."""
        question, about, names = self.question, self.sample.about, self.question.options.names
        found = (
            about.caveats
            + caveats.against_others(about.positive, about.against_others)
            + strange_answers(question, names)
        )
        found += caveats.undefined_estimates(question, names)
        if self.measure.is_area:
            return found
        return found + caveats.few_of_a_class(question, None, one_model=True)


def _midranks(of: Floats, among: Floats) -> Floats:
    """Return how many of the sorted numbers are below each of these, where an equal one counts half."""
    return np.asarray((np.searchsorted(among, of, "left") + np.searchsorted(among, of, "right")) / 2.0)


def _judged(sides: list[OwnItems], question: Question[Any]) -> Finding:
    """Compare the difference with what both test sets leave unknown, for p-value and interval alike."""
    measure, observed = question.measure, sides[1].value - sides[0].value
    (a, of_a), (b, of_b) = (s.judged for s in sides)
    function = PValuesOfTwoSets(b - a, of_a, of_b)
    if function.error == 0.0 and observed:
        raise NotApplicableError(
            f"The values of {label_of(measure)} differ although their variance is 0.", "models that make some mistakes"
        )
    if function.error == 0.0:
        return Finding("welch", 0.0, from_log(0.0), question.coverage.interval(observed, observed, "t"))
    claim = question.claim if measure.sign > 0 else OTHER_SIDE[question.claim]
    p = function.p_value(0.0, claim)
    skewness = function.skewness if not measure.is_area else 0.0
    raised = caveats.too_skewed(skewness, MOST_SKEWED, "two sets") or _hidden(question, function, claim)
    return Finding(
        "welch",
        function.t(0.0),
        p,
        replace(function.interval(question.coverage, p), method="t"),
        caveats=raised + tuple(dict.fromkeys(one for s in sides for one in s.assumed(function.error))),
        undecided=bool(raised),
    )


def _hidden(question: Question[Any], function: PValuesOfTwoSets, claim: Claim) -> tuple[Caveat, ...]:
    """Return the caveat that a difference would be shown, but for units that a test set could have missed."""
    alpha, without = alpha_of(question.confidence_level), function.seen(0.0, claim)
    missed = [(function.if_missed(part, loss, 0.0, claim), part) for part, loss in function.could_miss(0.0, claim)]
    if not missed or without.value > alpha or max(p.value for p, _ in missed) <= alpha:
        return ()
    p, part = max(missed, key=lambda one: one[0].log10)
    return caveats.missed_by_one_set(question.options.names[part in function.b], part.units, part.noun, p, without)


def _caveats(sides: list[OwnItems], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    measure = sides[0].measure
    levels = [level for s in sides for level in caveats.chance_levels(s.sample)[:1]]
    found = caveats.against_chance(levels, names, probabilities=measure.takes == "losses")
    found += tuple(dict.fromkeys(one for s in sides for one in s.caveats))
    if not measure.is_area:
        return found
    smallest = min(n for s in sides for _, n in s.question.class_sizes)
    return found + caveats.few_ranked_wrongly([s.value for s in sides], smallest)


def _compared(sides: list[OwnItems], options: Options) -> Comparison:
    first = sides[0]
    measure, (name_a, name_b), (a, b) = first.measure, options.names, (s.value for s in sides)
    question = replace(first.question, options=replace(options, n_resamples=1, seed=Seed(0)))
    finding, gain = _judged(sides, question), measure.sign * (b - a)
    assert finding.p is not None
    assert finding.statistic is not None
    test, test_label = DELONG if measure.is_area else STUDENTISED
    signature = signature_of(question, test, "welch", "t")
    n, both = sum(s.sample.n for s in sides), "".join(s.sample.fingerprint for s in sides)
    return Comparison(
        name_a=name_a,
        name_b=name_b,
        n=n,
        measure=str(measure),
        measure_label=label_of(measure),
        higher_is_better=measure.higher_is_better,
        estimate_a=a,
        estimate_b=b,
        difference=b - a,
        test=test,
        test_label=test_label,
        method="welch",
        why="the models were judged on different items",
        claim=options.claim,
        null_hypothesis=with_side(
            f"{name_a} and {name_b} have the same {label_of(measure)}, each on items like its own",
            options.claim,
            name_b,
        ),
        statistic=finding.statistic,
        p_value=finding.p.value,
        log10_p=finding.p.log10,
        p_error=None,
        interval=finding.interval,
        confidence=None,
        positive=None if first.sample.about.positive is None else str(first.sample.about.positive),
        positive_inferred=first.sample.about.inferred,
        thresholds=_thresholds(sides),
        outcomes=_outcomes(sides),
        error_reduction=None,
        labels=first.sample.about.labels,
        lower_is_positive=tuple(name for s in sides for name in turned(s.question)),
        decision="not decided" if finding.undecided else decided(finding.p.value, options.confidence_level, gain),
        lead=gain,
        undefined_replicates=0,
        caveats=(*finding.caveats, *_caveats(sides, options.names)),
        signature=replace(signature, n=n, data=hashlib.sha256(both.encode()).hexdigest()[:16], n_resamples=0),
    )


def _thresholds(sides: list[OwnItems]) -> tuple[float, ...] | None:
    found = [s.sample.about.thresholds for s in sides]
    return None if None in found else tuple(t for one in found if one is not None for t in one)


def _outcomes(sides: list[OwnItems]) -> dict[str, int]:
    """Return the number of items in each class; for other data, the number that each model was judged on."""
    if all(isinstance(s.sample, ScoreSample) for s in sides):
        found = [s.sample.outcomes for s in sides]
        return {name: sum(one[name] for one in found) for name in found[0]}
    return {"items_of_a": sides[0].sample.n, "items_of_b": sides[1].sample.n}
