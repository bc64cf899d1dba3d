"""In which classes does B differ from A? Each class against the others, with p-values corrected for their number."""

from __future__ import annotations

from typing import Any

from clearwin.compare import compare_tally
from clearwin.corrections import adjust
from clearwin.data import Tally, tally_arrays
from clearwin.errors import DataError, OptionError
from clearwin.judging import MeasureLike
from clearwin.labels import plain_labels
from clearwin.measures import find
from clearwin.result import ClassDifference, PerClass


def compare_classes(
    truth: Any, a: Any, b: Any, *, measure: MeasureLike = "f1", correction: str = "holm", **settings: Any
) -> PerClass:
    """Compare two classifiers in every class, one against the others.

    Every class gets its estimates, difference and interval, a p-value and one adjusted for the number of classes
    (``correction``: "holm", the default, or "benjamini-hochberg"). ``settings`` are those of :func:`compare`.

    >>> import clearwin as cw
    >>> truth = ["cat", "dog", "eel"] * 30
    >>> a = ["cat", "dog", "dog"] * 30
    >>> r = cw.compare_classes(truth, a, truth, rng=1)
    >>> [(c.label, round(c.difference, 3), c.adjusted_p < 0.05) for c in r.classes]
    [('cat', 0.0, False), ('dog', 0.333, True), ('eel', 1.0, True)]
    """
    return classes_of_tally(tally_arrays(truth=truth, a=a, b=b), measure=measure, correction=correction, **settings)


def classes_of_tally(
    tally: Tally, *, measure: MeasureLike = "f1", correction: str = "holm", **settings: Any
) -> PerClass:
    """Compare in every class that occurs in the truth, from a tally of (truth, a, b) label combinations."""
    chosen = find(measure)
    tally = plain_labels(tally)
    labels = sorted({key[0] for key in tally}, key=lambda label: (isinstance(label, str), label))
    if len(labels) < 2:
        raise DataError("All items are of one class.", "items of two classes or more")
    if chosen.any_number_of_classes and not chosen.needs_positive and chosen.decomposition != "items":
        raise OptionError(
            f"{chosen.label} is a measure of all classes together.",
            "a measure of one class against the others",
            'measure="f1", or "recall"',
        )
    found = [compare_tally(tally, measure=chosen, positive=label, **settings) for label in labels]
    adjusted = adjust([r.p_value for r in found], correction)
    classes = tuple(
        ClassDifference(
            str(label), sum(n for key, n in tally.items() if key[0] == label), r.estimate_a, r.estimate_b, r.difference,
            r.interval, r.p_value, p,
        )
        for label, r, p in zip(labels, found, adjusted, strict=True)
    )  # fmt: skip
    first = found[0]
    # what is doubtful in one class is told with that class
    doubts = tuple(
        type(c)(c.code, f"Class {label}: {c.text}", c.source)
        for label, r in zip(labels, found, strict=True)
        for c in r.caveats
        if c.code != "against_others"
    )
    return PerClass(
        n=first.n, interval=first.interval, caveats=doubts, signature=first.signature, name_a=first.name_a,
        name_b=first.name_b, measure=first.measure, measure_label=first.measure_label,
        higher_is_better=first.higher_is_better, test=first.test, test_label=first.test_label, claim=first.claim,
        correction=correction,
        null_hypothesis=first.null_hypothesis, classes=classes,
    )  # fmt: skip
