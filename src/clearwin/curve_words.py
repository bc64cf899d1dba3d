"""From curves to words: a table of key points, and which curve lies above where."""

from __future__ import annotations

import textwrap

from clearwin.curve import ModelCurve, ScoreCurves
from clearwin.curves.pairs import Dominance, Stretch
from clearwin.verdict import WIDTH, number, printable

TITLES = {"roc": "ROC curve", "det": "DET curve", "pr": "Precision–recall curve"}
MOST_CROSSINGS = 5  # more than these are counted, and the longest stretches told
LONGEST = 4
WORTH_TELLING = 0.01


def as_text(record: ScoreCurves) -> str:
    """Write the curves for a person: table, dominance, bands, caveats."""
    names = [one_line(model.name) for model in record.models]
    title = f"{TITLES[record.kind]}{'s' if len(names) > 1 else ''} of {' and '.join(names)}"
    inferred = ", inferred" if record.positive_inferred else ""
    sizes = f"{record.n:,} items: {record.positives:,} positive ({one_line(record.positive)}{inferred}), "
    parts = [_wrapped(f"{title}, {sizes}{record.negatives:,} negative."), "", *_table(record, names), ""]
    parts.append(_wrapped(_cost_words(record)))
    if record.dominance is not None:
        parts.append(_wrapped(dominance_words(record.dominance, names[0], names[1])))
        parts.append(_wrapped("This tells of these items only; `clearwin compare` tests whether a difference is luck."))
    if (found := record.models[0].bands) is not None:
        level = f"{found.level * 100:.12g} %"
        text = f"Bands: {level} at each point by itself, from {found.n_resamples:,} bootstrap replicates, seed "
        parts.append(_wrapped(f"{text}{record.signature.seed}."))
    parts += [_wrapped(one_line(str(caveat)), "Caveat: ") for caveat in record.caveats]
    return printable("\n".join(parts))


def one_line(text: str) -> str:
    """Return a name or label as it can stand inside a line.

    >>> one_line("two\\nlines\\x1b[2J")
    'two lines�[2J'
    """
    return printable(" ".join(text.splitlines()))


def threshold_text(threshold: float) -> str:
    """Write a threshold; the one above every score accepts nothing.

    >>> threshold_text(0.25), threshold_text(float("inf"))
    ('0.25', 'above every score')
    """
    return "above every score" if threshold == float("inf") else f"{threshold:.6g}"


def rows(model: ModelCurve) -> list[tuple[str, str]]:
    """Return the key points of one model: what is called what."""
    equal, best = model.equal_error, model.lowest_cost
    return [
        ("AUC", number(model.auc)),
        ("average precision", number(model.average_precision)),
        ("EER", number(equal.eer)),
        ("  at threshold", threshold_text(equal.threshold)),
        ("lowest cost", number(best.cost)),
        ("  at threshold", threshold_text(best.threshold)),
        ("  false negatives", f"{best.fn:,} ({number(best.fnr)})"),
        ("  false positives", f"{best.fp:,} ({number(best.fpr)})"),
        ("break-even point", number(model.break_even)),
        *((f"recall at {100 * at.fpr:g} % false positives", number(at.tpr)) for at in model.recall_at),
    ]


def _table(record: ScoreCurves, names: list[str]) -> list[str]:
    columns = [rows(model) for model in record.models]
    titles = ["", *(title for title, _ in columns[0])]
    cells = [[name, *(value for _, value in column)] for name, column in zip(names, columns, strict=True)]
    widths = [max(map(len, column)) for column in cells]
    lead = max(map(len, titles))
    lines = zip(titles, *cells, strict=True)
    return [
        f"  {title:<{lead}}  {'  '.join(f'{v:<{w}}' for v, w in zip(values, widths, strict=True))}".rstrip()
        for title, *values in lines
    ]


def _cost_words(record: ScoreCurves) -> str:
    best = record.models[0].lowest_cost
    own = best.prior == record.positives / record.n
    share = f"{best.prior:.4g}" + (", the share of positive items" if own else "")
    return (
        f"Cost = {best.cost_fn:g} · prior · false negative rate + {best.cost_fp:g} · (1 − prior) · false positive rate"
        f", with a prior of {share}."
    )


def dominance_words(found: Dominance, a: str, b: str) -> str:
    """Say which ROC curve lies above where.

    >>> dominance_words(Dominance("neither", (Stretch(0.0, 0.25, "b"), Stretch(0.25, 1.0, "a"))), "old", "new")
    'The ROC curves cross at a false positive rate of 0.25: new lies above from 0 to 0.25, old from 0.25 to 1.'
    """
    names = {"a": a, "b": b}
    if found.overall == "equal":
        return "The two ROC curves are the same."
    if found.overall != "neither":
        other = a if found.overall == "b" else b
        return f"{names[found.overall]} dominates: its ROC curve is nowhere below that of {other}."
    crossed = found.crossings
    if len(crossed) == 1:
        start = f"The ROC curves cross at a false positive rate of {_rate(crossed[0])}"
    elif len(crossed) <= MOST_CROSSINGS:
        rates = f"{', '.join(map(_rate, crossed[:-1]))} and {_rate(crossed[-1])}"
        start = f"The ROC curves cross {len(crossed)} times, at false positive rates of {rates}"
    else:
        rates = f"{_rate(crossed[0])} and {_rate(crossed[-1])}"
        start = f"The ROC curves cross {len(crossed)} times, at false positive rates between {rates}"
    return f"{start}: {_where(found.stretches, names, all_of_them=len(crossed) <= MOST_CROSSINGS)}."


def _where(stretches: tuple[Stretch, ...], names: dict[str, str], *, all_of_them: bool) -> str:
    above = [stretch for stretch in stretches if stretch.above != "equal"]
    told = above
    if not all_of_them:
        long = [stretch for stretch in above if stretch.fpr_to - stretch.fpr_from >= WORTH_TELLING]
        longest = sorted(long, key=lambda stretch: stretch.fpr_from - stretch.fpr_to)[:LONGEST]
        told = sorted(longest, key=lambda stretch: stretch.fpr_from)
    verbs = [" lies above", *([""] * (len(told) - 1))]
    pieces = zip(told, verbs, strict=False)
    text = ", ".join(f"{names[s.above]}{verb} from {_rate(s.fpr_from)} to {_rate(s.fpr_to)}" for s, verb in pieces)
    if all_of_them:
        return text
    shares = {who: sum(s.fpr_to - s.fpr_from for s in above if s.above == who) for who in ("a", "b")}
    spread = " and ".join(f"{names[who]} over {100 * share:.1f} %" for who, share in shares.items())
    start = f"{text}, and shorter stretches; in all" if told else "each lies above in short stretches, in all"
    return f"{start} {spread} of the axis"


def _rate(rate: float) -> str:
    return f"{rate:.3g}"


def _wrapped(text: str, lead: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
