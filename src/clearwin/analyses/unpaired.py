"""Two models judged on two test sets, by any measure whose standard error is known."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from clearwin.analyses.judging import decided, signature_of, strange_answers, turned
from clearwin.analyses.repeating import repeatable
from clearwin.data.arrays import names_of
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.data.samples import Sample
from clearwin.data.scores import ScoreSample, of_which_lower_is_positive, read_thresholds
from clearwin.errors import DataError, NotApplicableError, setting
from clearwin.execution import Seed
from clearwin.measures import Measure, find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.intervals import student
from clearwin.numerics.pvalues import Claim, from_log, of_student
from clearwin.resampling.functionals import OfValues, functional
from clearwin.results.base import Caveat, with_side
from clearwin.results.comparison import Comparison
from clearwin.significance import caveats
from clearwin.significance.base import Finding, refuse_undefined
from clearwin.significance.delong import refuse_one_item
from clearwin.significance.studentised import MOST_SKEWED

DELONG = ("delong_unpaired", "unpaired DeLong test")
STUDENTISED = ("studentised_unpaired", "unpaired studentised test")


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

    The variance of an AUC is DeLong's with ν = n − 1, as in R's pROC; that of a mean is the usual one with ν = n − 1,
    which is Welch's t test. Shares of right answers are judged by Agresti and Caffo (2000): one right and one wrong
    answer are added to each test set, and ν = ∞. The variance of every other measure comes from its influence values,
    with their own ν, at most n − 1, as in the studentised test of one test set. Settings are as in :func:`compare`; for
    values that need no truth (``measure="mean"``) both truths are None.

    >>> import clearwin as cw
    >>> truth = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> a, b = [0.9, 0.4, 0.8, 0.1, 0.5, 0.2, 0.6, 0.7], [0.8, 0.7, 0.9, 0.2, 0.3, 0.1, 0.6, 0.5]
    >>> r = cw.compare_unpaired(truth, a, truth, b)
    >>> f"{r.difference:.4f}, p = {r.p_value:.3f}"
    '0.1875, p = 0.305'
    """
    chosen = find(measure)
    given = {"claim": claim, "confidence_level": confidence_level, "names": names_of(a, b) if names is None else names}
    options = Options.of("compare_unpaired", given)
    lower = of_which_lower_is_positive(lower_is_positive, dict(zip("ab", options.names, strict=True)))
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
    def judged(self) -> tuple[float, float, float]:
        """The value that is judged, its variance and the variance's degrees of freedom."""
        if self.measure.name == "auc" and isinstance(self.sample, ScoreSample):
            refuse_one_item(self.sample.areas, "collect more items of that class")
            return self.value, float(self.sample.areas.covariance[0, 0]), self.sample.n - 1.0
        if self.sample.joint_outcomes is not None and self.measure.is_mean:
            # Agresti and Caffo 2000: one right and one wrong answer more keep the level with few items
            n = self.sample.n + 2.0
            share = (self.value * self.sample.n + 1.0) / n
            return share, share * (1.0 - share) / n, math.inf
        return self.by_influence

    @cached_property
    def by_influence(self) -> tuple[float, float, float]:
        """The same from influence values, with fractions of items added for outcomes that did not occur."""
        n, joint = self.sample.n, self.sample.joint_outcomes
        if n == 1:
            raise NotApplicableError(f"{self.question.options.names[0]} has a single item.", "two items or more")
        one_class = joint is not None and joint.k == 1  # and every answer is right: nothing shows what could go wrong
        found = None if one_class else functional(self.sample, self.measure, single=True)
        if found is None:
            if self.measure.is_mean:
                return self.value, 0.0, n - 1.0  # values that are all alike
            raise NotApplicableError(
                f"How much {label_of(self.measure)} of {self.question.options.names[0]} varies cannot be estimated.",
                "items that vary, and a measure that moves with each of them: neither a trimmed mean nor a function "
                "that needs whole items",
                setting("measure", "mean") + " for values",
            )
        # of few items the variance is never better known than that of a mean, even if half of the answers are right
        degrees = n - 1.0 if isinstance(found, OfValues) else min(found.degrees, n - 1.0)
        return self.value, found.error**2, degrees

    @property
    def doubts(self) -> tuple[Caveat, ...]:
        """The doubts about this side's data."""
        question, about, names = self.question, self.sample.about, self.question.options.names
        found = (
            about.caveats
            + caveats.against_others(about.positive, about.against_others)
            + strange_answers(question, names)
        )
        found += caveats.undefined_estimates(question, names)
        if self.measure.name == "auc":
            return found
        values = functional(self.sample, self.measure, single=True)
        skewness = values.skewness if isinstance(values, OfValues) else 0.0
        found += caveats.too_skewed(skewness, MOST_SKEWED, of_one=True)
        return found + caveats.few_of_a_class(question, None, one_model=True)


def _judged(sides: list[OwnItems], question: Question[Any]) -> Finding:
    """Compare the difference over its standard error with Student's t, for p-value and interval alike."""
    measure, observed = question.measure, sides[1].value - sides[0].value
    found = [s.judged for s in sides]
    if observed and not any(variance for _, variance, _ in found):
        found = [s.by_influence for s in sides]  # areas of 1 and 0, whose variance by DeLong is 0
    difference, variance = found[1][0] - found[0][0], sum(v for _, v, _ in found)
    if variance == 0.0 and observed:
        raise NotApplicableError(
            f"The values of {label_of(measure)} differ although their variance is 0.", "models that make some mistakes"
        )
    if not variance:
        return Finding("welch", 0.0, from_log(0.0), question.coverage.interval(observed, observed, "t"))
    error, unknown = math.sqrt(variance), sum(v * v / own for _, v, own in found if v)
    degrees = variance**2 / unknown if unknown else math.inf
    p = of_student(measure.sign * difference / error, degrees, question.claim)
    return Finding("welch", difference / error, p, student(difference, error, degrees, question.coverage))


def _doubts(sides: list[OwnItems], names: tuple[str, ...]) -> tuple[Caveat, ...]:
    measure = sides[0].measure
    levels = [level for s in sides for level in caveats.chance_levels(s.sample)[:1]]
    found = caveats.against_chance(levels, names, probabilities=measure.takes == "losses")
    found += tuple(dict.fromkeys(doubt for s in sides for doubt in s.doubts))
    if measure.name != "auc":
        return found
    smallest = min(n for s in sides for _, n in s.question.class_sizes)
    return found + caveats.delong_out_of_range([s.value for s in sides], smallest)


def _compared(sides: list[OwnItems], options: Options) -> Comparison:
    first = sides[0]
    measure, (name_a, name_b), (a, b) = first.measure, options.names, (s.value for s in sides)
    question = replace(first.question, options=replace(options, n_resamples=1, seed=Seed(0)))
    finding, gain = _judged(sides, question), measure.sign * (b - a)
    assert finding.p is not None
    assert finding.statistic is not None
    test, test_label = DELONG if measure.name == "auc" else STUDENTISED
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
        decision=decided(finding.p.value, options.confidence_level, gain),
        lead=gain,
        undefined_replicates=0,
        caveats=_doubts(sides, options.names),
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
