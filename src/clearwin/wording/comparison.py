"""The table that goes with a verdict, and the whole story of a result on one test set."""

from __future__ import annotations

from typing import Any

from clearwin.numerics.intervals import DRAWN
from clearwin.results.base import MeasureRecord, Record
from clearwin.results.chance import AgainstChance, ClassRecall
from clearwin.results.comparison import ClassDifference, Comparison, Estimate, PerClass
from clearwin.results.leaderboard import Areas
from clearwin.text import called, counted, degrees_of_freedom, percent
from clearwin.wording import methods
from clearwin.wording.base import Facts, Story
from clearwin.wording.verdict import (
    every_digit,
    few,
    headline,
    interval_name,
    interval_text,
    judged_at,
    level_row,
    number,
    one_sided_row,
    p_number,
    p_text,
    sentence,
    signed,
)

LONGEST_LABEL = 24
Told = Comparison | Estimate | AgainstChance | Areas | PerClass


def story(result: Told, alpha: float = 0.05) -> Story:
    """Return what the result tells, in parts; the verdict is at the level ``alpha``."""
    level = "" if isinstance(result, Estimate) else judged_at(alpha)
    p = f" ({p_text(result)}{level})" if isinstance(result, Comparison | AgainstChance | Areas) else level
    return Story(
        opening=(f"{headline(result, alpha)}{p}.",),
        verdict=sentence(result, alpha),
        blocks=(Facts(tuple(rows(result, alpha))),),
        null_hypothesis="" if isinstance(result, Estimate) else result.null_hypothesis,
        caveats=tuple(map(str, result.caveats)),
        method=_method(result),
        call=_call(result),
    )


def _method(result: Told) -> methods.Rows:
    """Say how the result was found."""
    if isinstance(result, AgainstChance):
        return methods.chance_rows(result.method)
    if isinstance(result, Areas):
        return methods.area_rows(result.degrees)
    measure = methods.measure_rows(result.measure, result.measure_label)
    if isinstance(result, Estimate):
        return (*measure, methods.interval_row(result.interval.method))
    test = methods.named_test_rows(result.test, result.test_label, result.claim)
    if isinstance(result, PerClass):
        return (*test, *methods.correction_rows(result.correction, len(result.classes)), *measure)
    return (*test, ("form of the test", result.method), methods.interval_row(result.interval.method), *measure)


def _call(result: Told) -> str:
    """Write the call in Python that gives the same; the data stand under the names of the parameters."""
    signature = result.signature
    drawn: dict[str, Any] = {"confidence_level": signature.confidence_level, "rng": signature.seed}
    if isinstance(result, AgainstChance):
        drawn["n_resamples"] = signature.n_resamples if result.method == "monte_carlo" else None
        named = {"labels": result.labels, "name": result.name}
        return methods.call("against_chance", "matrix", method=result.method, **drawn, **named)
    if isinstance(result, Areas):
        return methods.call("compare_areas", "truth, scores", confidence_level=signature.confidence_level)
    if isinstance(result, Comparison) and result.test == "delong_unpaired":
        level = {"confidence_level": signature.confidence_level, "names": (result.name_a, result.name_b)}
        return methods.call("compare_unpaired", "truth_a, a, truth_b, b", claim=result.claim, **level)
    measure, drawn = methods.spelled(result.measure), {"n_resamples": signature.n_resamples, **drawn}
    if isinstance(result, Estimate):
        further = {"interval": result.interval.method, **_from_the_data(result)}
        return methods.call("estimate", "truth, a", measure=measure, **further, **drawn, name=result.name)
    names = (result.name_a, result.name_b)
    asked: dict[str, Any] = {"measure": measure, "test": result.test, "claim": result.claim}
    if isinstance(result, PerClass):
        asked["correction"] = result.correction
        return methods.call("compare_classes", "truth, a, b", **asked, **drawn, names=names)
    asked |= {"method": result.method, "interval": result.interval.method, "threshold": result.thresholds}
    return methods.call("compare", "truth, a, b", **asked, **_from_the_data(result), **drawn, names=names)


def _from_the_data(result: MeasureRecord) -> dict[str, Any]:
    """Return what was read off further columns, under their names, and the classes if they were named."""
    found: dict[str, Any] = {"positive": None if result.positive_inferred else result.positive, "labels": result.labels}
    if result.sampling is not None and result.sampling.unit == "group":
        found["groups"] = methods.Name("groups")
    if result.sampling is not None and result.sampling.strata:
        found["strata"] = methods.Name("strata")
    return found


def rows(result: Record, alpha: float = 0.05) -> list[tuple[str, str]]:
    """Return the table that goes with the verdict at the level ``alpha``: what is called what."""
    table: list[tuple[str, str]] = []
    if isinstance(result, AgainstChance):
        return _chance_rows(result, alpha)
    if isinstance(result, Areas):
        return _area_rows(result, alpha)
    if isinstance(result, PerClass):
        return _class_rows(result, alpha)
    if isinstance(result, Comparison):
        direction = _direction(result)
        table += [
            *_measure_row(result.measure_label),
            (_of(result.measure_label, result.name_a), number(result.estimate_a)),
            (_of(result.measure_label, result.name_b), f"{number(result.estimate_b)}  ({direction})"),
            ("difference", f"{signed(result.difference)}  ({result.name_b} − {result.name_a})"),
            (interval_name(result.interval), f"{interval_text(result.interval, signed)}  ({result.interval.method})"),
            *one_sided_row(result.claim, result.name_a, result.name_b),
            ("p-value", _p_with_error(result)),
            *level_row(alpha),
            ("test", f"{result.test_label}, {result.method}"),
            ("why this test", result.why),
            *_extra_rows(result),
        ]
    if isinstance(result, Estimate):
        table += [
            *_measure_row(result.measure_label),
            (_of(result.measure_label, result.name), f"{number(result.estimate)}  ({_direction(result)})"),
            (interval_name(result.interval), f"{interval_text(result.interval)}  ({result.interval.method})"),
        ]
    table.append(("items", f"{result.n:,}" + _split(result)))
    if isinstance(result, MeasureRecord):
        table += _sampling_rows(result)
    if isinstance(result, MeasureRecord) and result.positive is not None:
        table.append(("positive class", result.positive + ("  (inferred)" if result.positive_inferred else "")))
    table.append(("repeat with", _repeat(result)))
    return table


def _sampling_rows(result: MeasureRecord) -> list[tuple[str, str]]:
    """Say what was drawn whole, what was held fixed, and which labels count."""
    found = []
    sampling = result.sampling
    if sampling is not None and sampling.unit == "group":
        sizes = f"{sampling.smallest:,}" + (f" to {sampling.largest:,}" if sampling.largest > sampling.smallest else "")
        effect = "" if sampling.design_effect is None else f"; design effect {sampling.design_effect:.2f}"
        found.append(("groups", f"{sampling.n_units:,} of {sizes} items{effect}"))
    if sampling is not None and sampling.strata:
        named = [f"{name} {n:,}" for name, n in sampling.strata.items()]
        found.append(("strata", f"{len(named)}, sizes held fixed: {few(named)}"))
    if result.labels is not None:
        found.append(("labels", few(result.labels)))
    return found


def _measure_row(label: str) -> list[tuple[str, str]]:
    """A long label would push the whole table to the right: it gets a row of its own."""
    return [("measure", label)] if len(label) > LONGEST_LABEL else []


def _of(label: str, name: str) -> str:
    return f"of {name}" if len(label) > LONGEST_LABEL else f"{label} of {name}"


def _repeat(result: Record) -> str:
    sampled = result.p_error is not None if isinstance(result, AgainstChance) else result.interval.method in DRAWN
    return (f"seed {result.signature.seed}, " if sampled else "") + f"clearwin {result.signature.version}"


def _direction(result: MeasureRecord) -> str:
    return "higher is better" if result.higher_is_better else "lower is better"


def _chance_rows(result: AgainstChance, alpha: float) -> list[tuple[str, str]]:
    share = f"{number(result.efficiency)}  ({result.right:,} of {result.n:,})"
    kappa = "undefined: chance is always right" if result.kappa is None else number(result.kappa)
    table = [
        ("right", share),
        (interval_name(result.interval), f"{interval_text(result.interval)}  ({result.interval.method})"),
        ("right by chance", number(result.expected_efficiency)),
        ("Cohen's kappa", kappa),
        ("p-value", _p_with_error(result)),
        *level_row(alpha),
        ("method", {"exact": "exact", "monte_carlo": "Monte-Carlo", "chi2": "chi-square, halved"}[result.method]),
        ("why this method", result.why),
    ]
    table += [(f"recall of {recall.label}", _recall_text(recall)) for recall in result.recalls]
    table.append(("repeat with", _repeat(result)))
    return table


def _area_rows(result: Areas, alpha: float) -> list[tuple[str, str]]:
    table = [
        (f"AUC of {name}", f"{number(area)}  ({interval_name(interval)} {interval_text(interval)})")
        for name, area, interval in zip(result.names, result.areas, result.intervals, strict=True)
    ]
    return [
        *table,
        ("DeLong's χ²", f"{result.statistic:.4g} on {degrees_of_freedom(result.degrees)}"),
        ("p-value", p_text(result).removeprefix("p = ").removeprefix("p ")),
        *level_row(alpha),
        ("items", f"{result.n:,}"),
        ("repeat with", f"clearwin {result.signature.version}"),
    ]


def _class_rows(result: PerClass, alpha: float) -> list[tuple[str, str]]:
    table = [(called(result.kind, one.label), _class_text(one)) for one in result.classes]
    return [
        *table,
        *one_sided_row(result.claim, result.name_a, result.name_b),
        *level_row(alpha),
        ("test", f"{result.test_label}; {counted(len(table), 'test')}, p corrected by {result.correction}"),
        ("items", f"{result.n:,}"),
        ("repeat with", _repeat(result)),
    ]


def _class_text(one: ClassDifference) -> str:
    return (
        f"{number(one.estimate_a)} → {number(one.estimate_b)}  {signed(one.difference)} "
        f"({interval_text(one.interval, signed)})  p = {p_number(one.p_value)}, corrected {p_number(one.adjusted_p)}  "
        f"({counted(one.n, 'item')})"
    )


def _recall_text(recall: ClassRecall) -> str:
    if recall.recall is None or recall.interval is None:
        return "undefined: the class never occurs"
    return f"{number(recall.recall)}  ({recall.right:,} of {recall.n:,}; {interval_text(recall.interval)})"


def _p_with_error(result: Comparison | AgainstChance) -> str:
    text = p_text(result).removeprefix("p = ").removeprefix("p ")
    if isinstance(result, AgainstChance) and result.p_bound is not None:
        return f"{text}  (certain to a relative error of {result.p_bound:.1e})"
    return text if result.p_error is None else f"{text} ± {result.p_error:.2g}  (sampled)"


def _extra_rows(result: Comparison) -> list[tuple[str, str]]:
    extra = []
    if result.thresholds is not None:
        extra.append(("thresholds", ", ".join(map(every_digit, result.thresholds))))
    if result.error_reduction is not None:
        reduction = result.error_reduction
        relative = (
            f"{percent(reduction.relative, sign='+')}% relative"
            if reduction.relative is not None
            else f"relative undefined: {result.name_a} makes no error"
        )
        extra.append(("error reduction", f"{reduction.absolute * 100:+.2f} points absolute, {relative}"))
    if result.confidence is not None:
        text = f"{result.name_b} is better in {percent(result.confidence)}% of the bootstrap replicates"
        extra.append(("confidence", f"{text} (keller2004 (13), not a p-value)"))
    return extra


def _split(result: Record) -> str:
    if not isinstance(result, Comparison):
        return ""
    o = result.outcomes
    if "positives" in o:
        return f": {o['positives']:,} positive, {o['negatives']:,} negative"
    if "equal" in o:
        higher = f"{result.name_b} higher {o['b_higher']:,}, {result.name_a} higher {o['a_higher']:,}"
        return f": {higher}, equal {o['equal']:,}"
    return (
        f": both right {o['both_right']:,}, only {result.name_a} wrong {o['only_a_wrong']:,}, "
        f"only {result.name_b} wrong {o['only_b_wrong']:,}, both wrong {o['both_wrong']:,}"
    )
