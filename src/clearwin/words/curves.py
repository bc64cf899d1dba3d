"""From curves to words: a table of key points, and which curve lies above where."""

from __future__ import annotations

from clearwin.curves.dominance import Dominance, Stretch
from clearwin.measures import find
from clearwin.results.curves import ModelCurve, ScoreCurves
from clearwin.text import counted, percent
from clearwin.words.base import ResultWords
from clearwin.words.phrases import every_digit, interval_name, interval_text, name_list, number
from clearwin.words.summary import Block, FactRows, Grid, Sentences

TITLES = {"roc": "ROC curve", "det": "DET curve", "pr": "Precision–recall curve"}
KEY_POINTS = ("auc", "average_precision", "eer", "min_dcf", "break_even")
MOST_CROSSINGS = 5  # with more crossings, only their number and the longest stretches are given
LONGEST = 4
WORTH_TELLING = 0.01
SIDE_BY_SIDE = 3  # with more models than this, each gets a row of the table instead of a column
UNTESTED = "This describes these items only; `clearwin compare` tests whether a difference is luck."


class ScoreCurvesWords(ResultWords[ScoreCurves]):
    """The key points of curves, and which curve lies above where."""

    def headline(self) -> str:
        r, names = self.result, self._names()
        whose = " and ".join(names) if len(names) <= 2 else f"{len(names)} models"
        return f"{TITLES[r.kind]}{'s' if len(names) > 1 else ''} of {whose}"

    def opening(self) -> tuple[str, ...]:
        r = self.result
        inferred = ", inferred" if r.positive_inferred else ""
        positives = f"{r.positives:,} positive ({r.positive}{inferred})"
        return (f"{self.headline()}, {r.n:,} items: {positives}, {r.negatives:,} negative.",)

    def verdict(self) -> str:
        return " ".join([*self.opening(), *self._above()])

    def blocks(self) -> tuple[Block, ...]:
        r, seed = self.result, self.result.signature.seed
        bands, about_bands = r.models[0].bands, []
        if bands is not None:
            level = f"{bands.level * 100:.12g} %"
            replicates = f"from {bands.n_resamples:,} bootstrap replicates, seed {seed}"
            about_bands.append(Sentences(f"Bands: {level} at each point by itself, {replicates}."))
        return (
            self._side_by_side() if len(r.models) <= SIDE_BY_SIDE else self._one_below_the_other(),
            Sentences(self._cost()),
            *map(Sentences, self._above()),
            Sentences(f"The intervals of AUC and EER are those that `estimate` gives, with seed {seed}."),
            *about_bands,
        )

    def method(self) -> FactRows:
        measures = [find(name) for name in KEY_POINTS]
        return tuple((measure.label, f"{measure.formula} ({measure.source})") for measure in measures)

    def limits(self) -> tuple[str, ...]:
        return (
            "Curves describe. Whether one model is better than another takes a test (compare).",
            f"The thresholds were chosen on these {self.result.n:,} items, so costs at them look better than on new "
            "items.",
        )

    def paper(self) -> str:
        r = self.result
        areas = [
            f"{number(model.auc)} for {model.name} "
            f"({interval_name(model.auc_interval)} {interval_text(model.auc_interval)})"
            for model in r.models
        ]
        were = "area under the ROC curve was" if len(areas) == 1 else "areas under the ROC curves were"
        return (
            f"On {counted(r.n, 'item')} ({r.positives:,} positive), the {were} {name_list(areas)} "
            f"[{', '.join(self.seeded())}]."
        )

    def brief(self) -> str:
        areas = [f"{model.name} {number(model.auc)}" for model in self._best_first()]
        return f"AUC on {counted(self.result.n, 'item')}: {name_list(areas)}."

    def _names(self) -> list[str]:
        return [model.name for model in self.result.models]

    def _best_first(self) -> list[ModelCurve]:
        return sorted(self.result.models, key=lambda model: -model.auc)

    def _above(self) -> list[str]:
        """Say which of two curves lies above where."""
        if self.result.dominance is None:
            return []
        a, b, *_ = self._names()
        return [dominance_words(self.result.dominance, a, b), UNTESTED]

    def _side_by_side(self) -> Grid:
        """Return a column for each model."""
        columns = [_rows(model) for model in self.result.models]
        titles, values = [title for title, _ in columns[0]], [[value for _, value in column] for column in columns]
        return Grid(("", *self._names()), tuple(zip(titles, *values, strict=True)))

    def _one_below_the_other(self) -> Grid:
        """Return a row for each model, the best first."""
        interval = interval_name(self.result.models[0].auc_interval)
        rows = [
            (
                model.name,
                number(model.auc),
                interval_text(model.auc_interval),
                number(model.equal_error.eer),
                interval_text(model.eer_interval),
                number(model.average_precision),
                number(model.lowest_cost.cost),
            )
            for model in self._best_first()
        ]
        return Grid(("model", "AUC", interval, "EER", interval, "average precision", "lowest cost"), tuple(rows))

    def _cost(self) -> str:
        best = self.result.models[0].lowest_cost
        is_share_of_data = best.prior == self.result.positives / self.result.n
        share = f"{best.prior:.4g}" + (", the share of positive items" if is_share_of_data else "")
        return (
            f"Cost = {best.cost_fn:g} · prior · false negative rate + {best.cost_fp:g} · (1 − prior) · false positive "
            f"rate, with a prior of {share}."
        )


def _threshold(threshold: float) -> str:
    """Write a threshold; above every score means that nothing is accepted.

    >>> _threshold(0.25), _threshold(1 / 3), _threshold(float("inf"))
    ('0.25', '0.3333333333333333', 'above every score')
    """
    ends = {
        float("inf"): "above every score",
        float("-inf"): "below every score",
    }  # of scores of which lower ones mean the positive class
    return ends.get(threshold) or every_digit(threshold)


def _rows(model: ModelCurve) -> list[tuple[str, str]]:
    """Return the key points of one model with their names."""
    equal, best = model.equal_error, model.lowest_cost
    return [
        ("AUC", number(model.auc)),
        (f"  {interval_name(model.auc_interval)}", interval_text(model.auc_interval)),
        ("average precision", number(model.average_precision)),
        ("EER", number(equal.eer)),
        (f"  {interval_name(model.eer_interval)}", interval_text(model.eer_interval)),
        ("  at threshold", _threshold(equal.threshold)),
        ("lowest cost", number(best.cost)),
        ("  at threshold", _threshold(best.threshold)),
        ("  false negatives", f"{best.fn:,} ({number(best.fnr)})"),
        ("  false positives", f"{best.fp:,} ({number(best.fpr)})"),
        ("break-even point", number(model.break_even)),
        *((f"recall at {100 * at.fpr:g} % false positives", number(at.tpr)) for at in model.recall_at),
    ]


def dominance_words(dominance: Dominance, a: str, b: str) -> str:
    """Say which ROC curve lies above where.

    >>> dominance_words(Dominance("neither", (Stretch(0.0, 0.25, "b"), Stretch(0.25, 1.0, "a"))), "old", "new")
    'The ROC curves cross at a false positive rate of 0.25: new lies above from 0 to 0.25, old from 0.25 to 1.'
    """
    names = {"a": a, "b": b}
    if dominance.overall == "equal":
        return "The two ROC curves are the same."
    if dominance.overall != "neither":
        lower = a if dominance.overall == "b" else b
        return f"{names[dominance.overall]} dominates: its ROC curve is nowhere below that of {lower}."
    crossed = dominance.crossings
    if len(crossed) == 1:
        start = f"The ROC curves cross at a false positive rate of {_rate(crossed[0])}"
    elif len(crossed) <= MOST_CROSSINGS:
        rates = f"{', '.join(map(_rate, crossed[:-1]))} and {_rate(crossed[-1])}"
        start = f"The ROC curves cross {len(crossed)} times, at false positive rates of {rates}"
    else:
        rates = f"{_rate(crossed[0])} and {_rate(crossed[-1])}"
        start = f"The ROC curves cross {len(crossed)} times, at false positive rates between {rates}"
    return f"{start}: {_stretches_text(dominance.stretches, names, all_of_them=len(crossed) <= MOST_CROSSINGS)}."


def _stretches_text(stretches: tuple[Stretch, ...], names: dict[str, str], *, all_of_them: bool) -> str:
    above = [stretch for stretch in stretches if stretch.above != "equal"]
    listed = above
    if not all_of_them:
        long = [stretch for stretch in above if stretch.fpr_to - stretch.fpr_from >= WORTH_TELLING]
        longest = sorted(long, key=lambda stretch: stretch.fpr_from - stretch.fpr_to)[:LONGEST]
        listed = sorted(longest, key=lambda stretch: stretch.fpr_from)
    verbs = [" lies above", *([""] * (len(listed) - 1))]
    pieces = zip(listed, verbs, strict=False)
    text = ", ".join(f"{names[s.above]}{verb} from {_rate(s.fpr_from)} to {_rate(s.fpr_to)}" for s, verb in pieces)
    if all_of_them:
        return text
    shares = {who: sum(s.fpr_to - s.fpr_from for s in above if s.above == who) for who in ("a", "b")}
    spread = " and ".join(f"{names[who]} over {percent(share)} %" for who, share in shares.items())
    start = f"{text}, and in shorter stretches; in total" if listed else "each lies above in short stretches, in total"
    return f"{start} {spread} of the axis"


def _rate(rate: float) -> str:
    return f"{rate:.3g}"
