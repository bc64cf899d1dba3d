"""What a test is. Read me first.

A test is one decorated function in one file, always in five steps: take counts → choose method → statistic →
p-value and interval → record. It takes a question (``questions.py``) and returns a :class:`Finding`. The decorator
declares what the docs, the command line, the verdict and the refusals need.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.data.binned_scores import BinnedScores
from clearwin.data.folds import LIST, NOT_GIVEN, FoldSample
from clearwin.data.questions import Question, refuse_crossed
from clearwin.data.samples import Sample
from clearwin.errors import NotApplicableError, OptionError, UndefinedError, UnknownNameError, nearest, setting
from clearwin.measures import REGISTRY as MEASURES
from clearwin.measures import Decomposition, Measure
from clearwin.numerics.intervals import DIRICHLET, Interval
from clearwin.numerics.pvalues import CLAIMS, Claim, PValue, least_by_swaps
from clearwin.resampling.functionals import has_functional, is_designed, is_in_order
from clearwin.resampling.on_device import on_accelerator, refuse_test
from clearwin.results.base import Distribution
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Contrary
from clearwin.results.folds import FoldPosterior
from clearwin.text import called, with_underscores


@dataclass(frozen=True, eq=False)
class Finding:
    """What a test found. ``statistic`` is None where it is undefined, ``p`` where a posterior is reported instead.

    ``judged`` is what the p-value is about: the "measure", the "wins", signed "ranks" or the "first" fold. ``lead`` is
    above 0 where B is ahead in that, and None for the measure. Over folds ``hits`` of ``arrangements`` were as extreme
    as observed: lecture-measures' p and n.
    """

    method: str
    statistic: float | None
    p: PValue | None
    interval: Interval
    why: str = ""
    degrees: tuple[int, ...] = ()
    confidence: float | None = None  # share of bootstrap replicates in which B is better
    confidence_in_a: float | None = None  # ... and A; replicates in which they tie count for neither
    distribution: Distribution | None = None
    replicates: NDArray[np.float64] | None = None  # of the bootstrap, where the test has another distribution
    undefined_replicates: int = 0
    hits: int | None = None
    arrangements: int | None = None
    posterior: FoldPosterior | None = None
    caveats: tuple[Caveat, ...] = ()
    judged: str = "measure"
    lead: float | None = None
    undecided: bool = False  # no test is known to keep its level on such data
    contrary: Contrary | None = None  # of a claim with a margin, where that is shown

    def lead_in(self, question: Question[Any]) -> float:
        """Return a number above 0 if B is ahead in what the p-value is about."""
        return question.gain if self.lead is None else self.lead


@dataclass(frozen=True, eq=False, kw_only=True)
class Test:
    """A significance test.

    ``judges`` lists the decompositions of the measures that it can judge. Tests of items have ``methods`` (the first is
    the default) and ``intervals``; tests of folds have the ``designs`` in which they keep their level.
    """

    __test__ = False  # pytest collects every class named Test…

    name: str
    label: str
    question: str
    null_hypothesis: str
    formula: str
    source: str
    assumes: str
    function: Callable[[Any], Finding]
    judges: tuple[Decomposition, ...] = ("items",)
    methods: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()
    designs: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = CLAIMS
    draws: Literal["nothing", "replicates"] = "nothing"
    takes: tuple[str, ...] = ("decisions",)
    only: tuple[str, ...] = ()
    whole_units: tuple[str, ...] = ()  # the kinds of data for which it keeps groups whole, and strata
    takes_crossed: bool = False  # groups that cross each other
    takes_order: bool = False  # items in time order, which resemble their neighbours
    takes_margin: bool = False  # claims about a margin
    takes_share: bool = False  # ... that is a share of A's value
    draws_test_sets: bool = False  # with replacement, on the processor or an accelerator
    takes_bins: bool = False  # scores of which only the bins are known
    needs_functional: bool = False  # measures and units of which the influence is known
    p_alone: Callable[[Any], PValue] | None = None  # the same p-value without the interval, where that is cheaper
    one_sided: str = ""  # the formula of a one-sided claim, where it differs

    @property
    def over(self) -> str:
        """What the test is about: "items", or learners over "folds"."""
        return "folds" if self.designs else "items"

    def can_judge(self, measure: Measure) -> bool:
        """Return whether the test can judge this kind of measure."""
        named = not self.only or measure.name in self.only
        return measure.decomposition in self.judges and measure.takes in self.takes and named

    def takes_question(self, question: Question[Any]) -> bool:
        """Return whether the test answers this question, as far as its declaration says."""
        question, sample = self._spelled(question), question.sample
        return (
            self.can_judge(question.measure)
            and (self.takes_bins or not isinstance(sample, BinnedScores))
            and (self.takes_crossed or not sample.about.crossed)
            and (self.takes_order or not is_in_order(sample))
            and (self.takes_margin or question.margin is None)
            and (self.takes_share or not question.options.relative)
            and (self.draws_test_sets or not on_accelerator(question.options))
            and question.claim in self.claims
            and question.method in ("auto", *self.methods)
            and question.interval in ("auto", *self.intervals)
            and (not self.needs_functional or has_functional(sample, question.measure))
        )

    def takes_whole_units(self, measure: Measure) -> bool:
        """Return whether it keeps groups whole, and strata, for the data that the measure judges."""
        return measure.takes in self.whole_units

    def answer(self, question: Question[Any]) -> Finding:
        """Run the test, or refuse with a reason."""
        return self.function(self._checked(question))

    def check_draws(self, question: Question[Any]) -> None:
        """Raise where test sets are to be drawn on an accelerator, and the test draws none."""
        if not self.draws_test_sets:
            refuse_test(question.options, self.label)

    def p_value(self, question: Question[Any]) -> tuple[PValue, float]:
        """Return the p-value of ``answer``, and a number above 0 if it favours B, at the least cost."""
        question = self._checked(question)
        if self.p_alone is not None:
            return self.p_alone(question), question.gain
        finding = self.function(question)
        assert finding.p is not None  # only a test of folds can lack one
        return finding.p, finding.lead_in(question)

    def _spelled(self, question: Question[Any]) -> Question[Any]:
        """Return the question with method and interval spelled as they are registered."""
        spelled: dict[str, str] = {}
        for name, known in (("method", self.methods), ("interval", self.intervals)):
            given = getattr(question, name)
            meant = [each for each in known if with_underscores(each) == with_underscores(str(given))]
            if meant and given not in known:
                spelled[name] = meant[0]
        return question.asking(**spelled) if spelled else question

    def _checked(self, question: Question[Any]) -> Question[Any]:
        question = self._spelled(question)
        if not self.can_judge(question.measure):
            raise self.refusal(question.measure, question)
        if isinstance(question.sample, BinnedScores) and not self.takes_bins:
            raise NotApplicableError(
                f"The scores are counted in bins, and the {self.label} needs each of them.",
                "DeLong's test for the AUC, or the bootstrap",
                instead(question) + ", or " + setting("bins", None) + " if the scores fit into memory",
            )
        if question.sample.about.crossed and not self.takes_crossed:
            refuse_crossed(question, f"The {self.label}", instead(question))
        if is_in_order(question.sample) and not self.takes_order:
            raise NotApplicableError(
                f"The {self.label} treats items as independent, and these are in time order.",
                "a test whose standard error allows for serial correlation",
                instead(question) or "leave the order out",
            )
        if question.margin is not None and not self.takes_margin:
            why = "tests for any difference at all, and the claim is about a margin"
            expected = "a test that takes a margin"
            raise NotApplicableError(f"The {self.label} {why}.", expected, instead(question))
        if question.options.relative and not self.takes_share:
            why = "asks about a difference in the measure's own units, and the margin is a share of A's value"
            expected = "a test that estimates both, or a number as margin"
            raise NotApplicableError(f"The {self.label} {why}.", expected, instead(question))
        self.check_draws(question)
        if question.claim not in self.claims:
            raise OptionError(
                f"The {self.label} is two-sided, so it cannot show that B is {question.claim}.",
                setting("claim", "different"),
                setting("test", "5x2cv_t", "corrected_t") + " for a one-sided claim"
                if self.name == "5x2cv_f"
                else "leave claim out: the posterior gives all three probabilities",
            )
        if question.method not in ("auto", *self.methods):
            elsewhere = self._offered_elsewhere("methods", question.method, question)
            raise UnknownNameError(f"method of {self.name}", question.method, ("auto", *self.methods), elsewhere)
        if question.interval not in ("auto", *self.intervals):
            elsewhere = self._offered_elsewhere("intervals", question.interval, question)
            raise UnknownNameError(f"interval of {self.name}", question.interval, ("auto", *self.intervals), elsewhere)
        return question

    def _offered_elsewhere(self, what: Literal["methods", "intervals"], name: object, question: Question[Any]) -> str:
        """Say which tests of the measure have this method or interval, or one spelled similarly."""
        measure = question.measure
        own = question.asking(**{what.removesuffix("s"): "auto"})
        tests = [test for test in REGISTRY[measure.kind.over].values() if test.takes_question(own)]
        offered = [each for test in tests for each in getattr(test, what)]
        if not measure.kind.decisions:
            offered = [each for each in offered if each != DIRICHLET]
        if name in offered:
            return "use " + setting("test", *(test.name for test in tests if name in getattr(test, what)))
        near = [] if nearest(str(name), getattr(self, what)) else nearest(str(name), offered)
        if not near:
            return ""
        having = [test.name for test in tests if near[0] in getattr(test, what)]
        return f"did you mean {near[0]!r}? It needs " + setting("test", *having)

    def refusal(self, measure: Measure, question: Question[Any] | None = None) -> NotApplicableError:
        """Say why the measure cannot be judged, and what can judge it, or the question if there is one."""
        others = [test.name for test in REGISTRY[self.over].values() if test.can_judge(measure)]
        advice = "use " + setting("test", *others) if question is None else instead(question)
        if measure.takes not in self.takes or self.only:
            data, known = measure.takes, " and ".join(self.takes)
            judged = [m.name for m in MEASURES.values() if self.can_judge(m)]
            return NotApplicableError(
                f"{measure.label} is a measure of {data}, and the {self.label} judges only "
                f"{known}{' by ' + ', '.join(self.only) if self.only else ''}.",
                "one of " + ", ".join(judged),
                advice,
            )
        return NotApplicableError(
            f"{measure.label} is not {WHAT_IT_SUMS[self.judges]}, so the {self.label} cannot be applied to it "
            f"(it is {WHAT_IT_IS[measure.decomposition]}).",
            f"a measure with the decomposition {' or '.join(repr(d) for d in self.judges)}: "
            + ", ".join(m.name for m in MEASURES.values() if self.can_judge(m)),
            advice,
        )


def able(question: Question[Any], *among: str) -> tuple[str, ...]:
    """Return the tests that answer the question as it was asked; if none does, by a form and an interval of theirs."""
    tests = [test for test in REGISTRY[question.measure.kind.over].values() if test.name in among or not among]
    for form in (question, question.asking(method="auto", interval="auto")):
        names = tuple(test.name for test in tests if test.takes_question(form))
        if names:
            return names
    return ()


def instead(question: Question[Any], *among: str) -> str:
    """Say which tests to use on the same data; if there is none, what stands in the way."""
    names = able(question, *among) or able(question)
    if names:
        return "use " + setting("test", *names)
    if question.sample.about.crossed:
        return "use one column of groups"
    return "ask without a margin: different, better or worse" if question.margin is not None else ""


WHAT_IT_IS = {
    "items": "a mean over test items",
    "classes": "a weighted sum of per-class error rates",
    "none": "a bizarre measure in the sense of keller2004",
}
WHAT_IT_SUMS = {
    ("items",): "a sum over test items",
    ("items", "classes"): "a sum over test items, of all or of each class",
}
# tests of items and of folds can have the same name, because they ask the same question about different data
REGISTRY: dict[str, dict[str, Test]] = {"items": {}, "folds": {}}
CORRECTED = "the training sets overlap, and the corrected t test allows for the correlation that this causes"


def test(*, name: str = "", **declared: Any) -> Callable[[Callable[[Any], Finding]], Callable[[Any], Finding]]:
    """Register a function ``Question → Finding`` as a test, under its own name unless another one is given.

    What is declared are the fields of :class:`Test`.
    """

    def register(function: Callable[[Any], Finding]) -> Callable[[Any], Finding]:
        made = Test(name=name or function.__name__, function=function, **declared)
        REGISTRY[made.over][made.name] = made
        return function

    return register


# of items by how they were drawn; of folds by their design, and never a test that takes folds with overlapping training
# sets as independent
AUTO: dict[str, dict[str, tuple[str, str]]] = {
    "items": {
        "any": (
            "studentised",
            "it asks whether the measure is the same for both, and its interval cannot contradict it",
        ),
        "in groups": (
            "studentised",
            "items of one group are not independent, so whole groups show how much the difference varies",
        ),
        "in order": (
            "studentised",
            "its standard error allows for items that resemble those before them",
        ),
        "in strata": (
            "studentised",
            "it asks whether the measure is the same for both, and counts what varies within the strata",
        ),
        "no functional": (
            "permutation",
            "the standard error of this measure is not known, so the models' answers are swapped",
        ),
        "few of a class": (
            "paired_proportion",
            "one of many classes has fewer than 5 items, and sums over classes are judged class by class",
        ),
        "AUC in bins": ("delong", "the scores are counted in bins, from which DeLong's variance can be computed"),
        "in bins": ("bootstrap", "the scores are counted in bins, from which test sets are drawn"),
        "trimmed": ("bootstrap", "a trimmed mean leaves out different items in every test set"),
    },
    "folds": {
        "k-fold": ("corrected_t", CORRECTED),
        "repeated k-fold": ("corrected_t", CORRECTED),
        "resampled": ("corrected_t", CORRECTED),
        "5x2": ("corrected_t", CORRECTED),
        "independent": (
            "permutation",
            "independent differences can swap signs, which tests the mean without assuming a normal distribution",
        ),
    },
}


# tests whose p-value is never below what fair coins could give if all units that differ favour one side
BY_COINS = (
    "permutation/exact",
    "permutation/monte_carlo",
    "bootstrap/multinomial",
    "mcnemar/exact",
    "mcnemar/mid-p",
    "sign/exact",
    "wilcoxon/exact",
    "paired_proportion/mover",
)


def smallest_by_coins(ran: str, units: int, claim: Claim) -> float:
    """Return the least p-value of a test and its method on so many units that differ; 0 where they do not limit it.

    >>> smallest_by_coins("sign/exact", 5, "different"), smallest_by_coins("sign/exact", 5, "better")
    (0.0625, 0.03125)
    >>> smallest_by_coins("mcnemar/mid-p", 5, "different"), smallest_by_coins("delong/asymptotic", 5, "different")
    (0.03125, 0.0)
    """
    if ran not in BY_COINS:
        return 0.0
    # mid-p counts the observed outcome half
    return least_by_swaps(units, claim) * (0.5 if ran == "mcnemar/mid-p" else 1.0)


# with 50 classes of one item each, drawn test sets lose a third of the classes, and a mean over classes shrinks
FEWEST_OF_MANY = 5


def choose(name: str, question: Question[Any]) -> tuple[Test, str]:
    """Return the test by name, or for "auto" the one that ``AUTO`` has for the question, and why."""
    tests = REGISTRY[question.measure.kind.over]
    if name == "auto":
        chosen, why = _automatic(question.sample, question)
        return tests[chosen], f"chosen automatically: {why}"
    if not isinstance(name, str) or name not in tests:
        what = "test" if question.measure.kind.over == "items" else "test of folds"
        raise UnknownNameError(what, name, ("auto", *tests))
    return tests[name], "asked for"


@singledispatch
def _automatic(sample: Sample, question: Question[Any]) -> tuple[str, str]:
    return AUTO["items"][_situation(sample, question.measure)]


def _situation(sample: Sample, measure: Measure) -> str:
    """Return the key of ``AUTO``: how the items were drawn, and whether the measure moves with each of them."""
    sampling = sample.sampling
    if is_in_order(sample):
        return "in order"
    if sampling is not None and is_designed(sample) and has_functional(sample, measure):
        return "in groups" if sampling.unit == "group" else "in strata"
    if measure.trimmed and sampling is None:
        return "trimmed"
    sizes = [n for _, n in sample.class_sizes(measure)]
    if measure.decomposition == "classes" and measure.kind.decisions and len(sizes) > 2 and min(sizes) < FEWEST_OF_MANY:
        return "few of a class"
    return "any" if has_functional(sample, measure) else "no functional"


@_automatic.register
def _automatic_of_bins(sample: BinnedScores, question: Question[Any]) -> tuple[str, str]:
    return AUTO["items"]["AUC in bins" if question.measure.is_area else "in bins"]


@_automatic.register
def _automatic_of_folds(sample: FoldSample, question: Question[Any]) -> tuple[str, str]:
    if sample.design.name == NOT_GIVEN:
        raise OptionError(
            "The design of the folds was not given, and the right test depends on it.",
            LIST,
            setting("design", "k-fold")
            + "; or a test by its name, such as "
            + setting("test", "corrected_t")
            + " with "
            + setting("test_train_ratio", 0.5),
        )
    return AUTO["folds"][sample.design.name]


def refuse_undefined(question: Question[Any]) -> None:
    """Raise if a class without items leaves the measure of decisions undefined for A or B."""
    sample, measure, joint = question.sample, question.measure, question.sample.joint_outcomes
    if joint is None:
        return
    truths = sample.confusions[0].truths
    if measure.decomposition == "none" and measure.any_number_of_classes and joint.k > 2:
        return  # an average over many classes allows a class that is only predicted, and counts it by the convention
    if joint.k == 1 and measure.decomposition == "classes":
        raise UndefinedError(
            f"{measure.label} is undefined: there is only one class.",
            "items of two classes or more",
            "accuracy and error_rate still work on this data",
        )
    if truths.all() or not any(measure.evaluate(c).undefined for c in sample.confusions):
        return
    missing = [str(x) for x, n in zip(joint.labels, truths.tolist(), strict=True) if n == 0]
    works = [
        m.name
        for m in MEASURES.values()
        if m.kind.decisions
        and (m.any_number_of_classes or joint.k == 2)
        and not any(m.evaluate(c).undefined for c in sample.confusions)
    ]
    which = " or ".join(called("class", label) for label in missing)
    raise UndefinedError(
        f"{measure.label} is undefined: {which} never occurs in the truth.",
        "items of every class",
        "these measures still work on this data: " + ", ".join(works),
    )
