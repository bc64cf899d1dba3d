"""What a test is. Read me first.

A test is one decorated function in one file, always in five movements: take counts → choose method → statistic →
p-value and interval → record. It is handed a question (``questions.py``) and returns a :class:`Finding`; the decorator
declares what the docs, the command line, the verdict and the refusals need to know.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clearwin.data.questions import Question
from clearwin.errors import NotApplicableError, UndefinedError, UnknownNameError, setting
from clearwin.measures import REGISTRY as MEASURES
from clearwin.measures import Decomposition, Measure
from clearwin.numerics.intervals import DIRICHLET, Interval
from clearwin.numerics.pvalues import PValue
from clearwin.results.base import Caveat, Distribution
from clearwin.text import called


@dataclass(frozen=True, eq=False)
class Finding:
    """What a test found."""

    method: str
    statistic: float
    p: PValue
    interval: Interval
    why: str = ""
    confidence: float | None = None  # share of bootstrap replicates in which B is better
    confidence_in_a: float | None = None  # ... and A; those where both are level speak for neither
    distribution: Distribution | None = None
    replicates: NDArray[np.float64] | None = None  # of the bootstrap, where the distribution is another
    undefined_replicates: int = 0
    caveats: tuple[Caveat, ...] = ()
    judged: str = "measure"  # what the p-value speaks of: the measure, the items won, or signed ranks
    lead: float | None = None  # above 0 when that speaks for B; None when it is the measure


@dataclass(frozen=True, eq=False)
class Test:
    """A significance test. ``judges`` are the decompositions of the measures that it can judge."""

    __test__ = False  # pytest takes every class named Test… for its own

    name: str
    label: str
    question: str
    null_hypothesis: str
    judges: tuple[Decomposition, ...]
    methods: tuple[str, ...]
    intervals: tuple[str, ...]
    formula: str
    source: str
    assumes: str
    function: Callable[[Any], Finding]
    draws: Literal["nothing", "replicates"] = "nothing"
    takes: tuple[str, ...] = ("decisions",)
    only: tuple[str, ...] = ()
    whole_units: tuple[str, ...] = ()  # the data of which it takes whole groups, and keeps strata
    p_alone: Callable[[Any], PValue] | None = None  # the same p-value without the interval, where that is cheaper
    one_sided: str = ""  # the formula of a one-sided claim, where it is another one

    def can_judge(self, measure: Measure) -> bool:
        """Whether the measure is made of what the test counts."""
        named = not self.only or measure.name in self.only
        return measure.decomposition in self.judges and measure.takes in self.takes and named

    def answer(self, question: Question[Any]) -> Finding:
        """Run the test, or refuse with a reason."""
        self._check(question)
        return self.function(question)

    def p_value(self, question: Question[Any]) -> tuple[PValue, float]:
        """Return the p-value of ``answer``, and what is above 0 when it speaks for B, without more than they need."""
        self._check(question)
        if self.p_alone is not None:
            return self.p_alone(question), question.gain
        finding = self.function(question)
        return finding.p, question.gain if finding.lead is None else finding.lead

    def _check(self, question: Question[Any]) -> None:
        if not self.can_judge(question.measure):
            raise self.refusal(question.measure)
        if question.method not in ("auto", *self.methods):
            elsewhere = _offering("methods", question.method, question.measure)
            raise UnknownNameError(f"method of {self.name}", question.method, ("auto", *self.methods), elsewhere)
        if question.interval not in ("auto", *self.intervals):
            elsewhere = _offering("intervals", question.interval, question.measure)
            raise UnknownNameError(f"interval of {self.name}", question.interval, ("auto", *self.intervals), elsewhere)

    def refusal(self, measure: Measure) -> NotApplicableError:
        """Say why the measure cannot be judged, and what can judge it."""
        others = [test.name for test in REGISTRY.values() if test.can_judge(measure)]
        if measure.takes not in self.takes or self.only:
            judged = [m.name for m in MEASURES.values() if self.can_judge(m)]
            return NotApplicableError(
                f"{measure.label} is a measure of {measure.takes}, and the {self.label} judges "
                f"{' and '.join(self.takes)}{' by ' + ', '.join(self.only) if self.only else ''} only.",
                "one of " + ", ".join(judged),
                "use " + setting("test", *others),
            )
        return NotApplicableError(
            f"{measure.label} is not {WHAT_IT_SUMS[self.judges]}, so the {self.label} cannot be applied to it "
            f"(it is {WHAT_IT_IS[measure.decomposition]}).",
            f"a measure with the decomposition {' or '.join(repr(d) for d in self.judges)}: "
            + ", ".join(m.name for m in MEASURES.values() if self.can_judge(m)),
            "use " + setting("test", *others),
        )


def _offering(what: Literal["methods", "intervals"], name: object, measure: Measure) -> str:
    """Say which tests of the measure have the method or interval that another one lacks; nothing if none has."""
    if name == DIRICHLET and measure.takes != "decisions":
        return ""
    found = [test.name for test in REGISTRY.values() if name in getattr(test, what) and test.can_judge(measure)]
    return "use " + setting("test", *found) if found else ""


WHAT_IT_IS = {
    "items": "a mean over test items",
    "classes": "a weighted sum of per-class error rates",
    "none": "a bizarre measure in the sense of keller2004",
}
WHAT_IT_SUMS = {
    ("items",): "a sum over test items",
    ("items", "classes"): "a sum over test items, of all or of each class",
}
REGISTRY: dict[str, Test] = {}
BY_VALUES = "the models' values are swapped item by item, or group by group"


def test(
    *,
    label: str,
    question: str,
    null_hypothesis: str,
    judges: tuple[Decomposition, ...],
    methods: tuple[str, ...],
    intervals: tuple[str, ...],
    formula: str,
    source: str,
    assumes: str,
    draws: Literal["nothing", "replicates"] = "nothing",
    takes: tuple[str, ...] = ("decisions",),
    only: tuple[str, ...] = (),
    whole_units: tuple[str, ...] = (),
    p_alone: Callable[[Any], PValue] | None = None,
    one_sided: str = "",
) -> Callable[[Callable[[Any], Finding]], Callable[[Any], Finding]]:
    """Register a function ``Question → Finding`` as a test under its own name; the first method is the default."""

    def register(function: Callable[[Any], Finding]) -> Callable[[Any], Finding]:
        REGISTRY[function.__name__] = Test(
            function.__name__,
            label,
            question,
            null_hypothesis,
            judges,
            methods,
            intervals,
            formula,
            source,
            assumes,
            function,
            draws,
            takes,
            only,
            whole_units,
            p_alone,
            one_sided,
        )
        return function

    return register


# by the measure's name, by what it takes, or by its decomposition, whichever comes first
AUTO: dict[str, tuple[str, str]] = {
    "auc": ("delong", "DeLong's test knows the covariance of two areas on the same items"),
    "scores": ("permutation", "the models' ranks are swapped item by item"),
    "losses": ("permutation", BY_VALUES),
    "values": ("permutation", BY_VALUES),
    "items": (
        "mcnemar",
        "the measure is a mean over test items, and mid-p McNemar keeps its level in practice, with the best power",
    ),
    "classes": ("paired_proportion", "the measure is a weighted sum of the classes' error rates"),
    "none": (
        "permutation",
        "the measure is no sum over items or classes, so decisions are swapped and recounted",
    ),
}
# DeLong rejects too often with fewer of a class, at a level of 5 %: 18.6 % of the time at 2, 8.2 % at 5, 6.9 % at 10,
# but 4.6 % at 20 positives (1,000 test sets; docs/scorecard.md, which `make study` measures anew)
FEWEST_FOR_DELONG = 20


def choose(name: str, question: Question[Any]) -> tuple[Test, str]:
    """Return the test by name, or for "auto" the one that ``AUTO`` has for the measure, and why."""
    measure = question.measure
    if name == "auto":
        chosen, why = next(AUTO[key] for key in (measure.name, measure.takes, measure.decomposition) if key in AUTO)
        if chosen == "delong" and min(n for _, n in question.class_sizes) < FEWEST_FOR_DELONG:
            chosen, why = "permutation", f"a class has fewer than {FEWEST_FOR_DELONG} items, too few for DeLong"
        if question.sampling is not None and not (chosen == "delong" and question.sample.enough_groups_for_delong):
            chosen, why = "permutation", WHOLE_UNITS[question.sampling.unit]
        return REGISTRY[chosen], f"chosen automatically: {why}"
    if not isinstance(name, str) or name not in REGISTRY:
        raise UnknownNameError("test", name, ("auto", *REGISTRY))
    return REGISTRY[name], "asked for"


WHOLE_UNITS = {
    "item": "the strata are kept by the bootstrap, which gives this test its interval",
    "document": "a document with all its labels is swapped whole",
    "group": "items of one group are not independent, so whole groups are swapped",
}


def refuse_undefined(question: Question[Any]) -> None:
    """Raise when a class without any item leaves the measure of decisions without a value for A or B."""
    sample, measure, joint = question.sample, question.measure, question.sample.joint_outcomes
    if joint is None:
        return
    truths = sample.confusions[0].truths
    if measure.decomposition == "none" and measure.any_number_of_classes and joint.k > 2:
        return  # an average over many classes bears one that is only ever predicted: it counts by the convention
    if joint.k == 1 and measure.decomposition == "classes":
        raise UndefinedError(
            f"{measure.label} has no value here: there is one class only.",
            "items of two classes or more",
            "accuracy and error_rate still work on this data",
        )
    if truths.all() or not any(measure.evaluate(c).undefined for c in sample.confusions):
        return
    missing = [str(x) for x, n in zip(joint.labels, truths.tolist(), strict=True) if n == 0]
    works = [
        m.name
        for m in MEASURES.values()
        if m.takes == "decisions"
        and (m.any_number_of_classes or joint.k == 2)
        and not any(m.evaluate(c).undefined for c in sample.confusions)
    ]
    which = " or ".join(called("class", label) for label in missing)
    raise UndefinedError(
        f"{measure.label} has no value here: no item truly is of {which}.",
        "items of every class",
        "these measures still work on this data: " + ", ".join(works),
    )
