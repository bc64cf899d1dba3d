"""The main verb: is B better than A on this test set?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clearwin.analyses.judging import judge
from clearwin.counts import JointCounts
from clearwin.data.arrays import Tally, columns_of_frame, tally_frame
from clearwin.data.reading import (
    OF_COUNTS,
    Asked,
    ask_arrays,
    ask_decisions,
    refuse_labels,
    refuse_other_data,
    refuse_two_strata,
)
from clearwin.data.samples import About, Question
from clearwin.data.scores import ScoredItems, ScoreQuestion, scored_items
from clearwin.data.thresholds import best_thresholds, decide, read_thresholds
from clearwin.data.values import OF_ITEMS, check_truth, read_values
from clearwin.errors import DataError, OptionError
from clearwin.execution import RngLike
from clearwin.measures import Measure, find
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.pvalues import Claim
from clearwin.results.base import Caveat
from clearwin.results.comparison import Comparison
from clearwin.significance.options import Settings


def compare(
    truth: Any,
    a: Any,
    b: Any,
    *,
    measure: MeasureLike = "f1",
    test: str = "auto",
    method: str = "auto",
    interval: str = "auto",
    claim: Claim = "different",
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    labels: Any = None,
    separator: str | None = None,
    threshold: Any = None,
    dev: tuple[Any, Any, Any] | None = None,
    stratified: bool = False,
    rank_infinite: bool = False,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Compare the decisions, scores or per-item values ``a`` and ``b`` of two models on the same items.

    Parameters
    ----------
    truth, a, b
        The true label and the two decisions (or scores) for each item: arrays, lists or series, matched by position.
        For values that need no truth (``measure="mean"``: grades, losses, a sentence's BLEU) ``truth`` is None.
    measure
        A name, with options where it has some (``"dcf(cost_fn=10, cost_fp=1, prior=0.01)"``), a record from
        :func:`measures`, or any function on counts or on (truth, prediction).
    test, method, interval
        ``"auto"``, or names that :func:`tests` lists. ``method`` is the form inside the test.
    claim
        What is to be shown: B is ``"different"`` from A, ``"better"`` or ``"worse"``.
    positive
        The positive class. Inferred only for 0/1, False/True and −1/1.
    groups, strata
        For each item what it belongs to: items of one group (an author, the repeated runs of one question) are not
        independent, so whole groups are drawn and swapped. Replicates keep the sizes of the strata. Several columns of
        groups may be given if they are nested.
    labels, separator
        The classes or labels to average over, where that is not all of them. Items with several labels are given as
        arrays (items × labels) of 0 and 1, dense or sparse, as frames, or as collections; or as texts such as "3,17"
        with ``separator=","``.
    threshold, dev
        Make decisions of scores for a measure of decisions: an item is positive when its score is at least the
        threshold (one number, or one for each model). ``dev=(truth, a, b)`` chooses each model's best threshold on
        a development set, ``threshold="best"`` on the items themselves, which gets a caveat.
    stratified, rank_infinite
        For measures of scores: resample class by class; take infinite scores as the highest or lowest.
    n_resamples, confidence_level, rng
        Replicates, level of the interval, and seed (int, SeedSequence or Generator).
    names
        What to call the two in the verdict.

    Examples
    --------
    >>> import clearwin as cw
    >>> truth = [1] * 60 + [0] * 140
    >>> a = [1] * 43 + [0] * 17 + [1] * 9 + [0] * 131
    >>> b = [1] * 55 + [0] * 5 + [1] * 3 + [0] * 137
    >>> r = cw.compare(truth, a, b, measure="f1", rng=7)
    >>> print(r.verdict())
    B is better than A in F1: 0.9322 against 0.7679, a difference of +0.1643 (95 % interval +0.0937 to +0.2457, p =
    7.63e-06). Tested against the null hypothesis: A and B are interchangeable: swapping their answers on any item
    would be as likely as what was seen (the statistic is the difference in F1).
    """
    settings = Settings(test, method, interval, claim, n_resamples, confidence_level, rng, names)
    chosen = find(measure)
    for role, values in (("a", a), ("b", b)):
        if values is None:
            raise DataError(f"{role} is None.", "the answers of two models", "estimate(truth, a) for one model alone")
    check_truth(chosen, truth)
    if chosen.takes not in OF_COUNTS or threshold is not None or dev is not None:
        refuse_labels(labels, separator)
    if chosen.takes in OF_ITEMS:
        read = read_values(
            chosen,
            truth,
            a,
            b,
            positive=positive,
            stratified=stratified,
            rank_infinite=rank_infinite,
            groups=groups,
            strata=strata,
            threshold=threshold,
            dev=dev,
        )
        return judge(read.ask(*settings.for_question()), read.about, settings)
    if chosen.takes in OF_COUNTS and threshold is None and dev is None:
        if stratified or rank_infinite:
            raise OptionError("stratified and rank_infinite are for scores.", "a measure of scores, or a threshold")
        return answer(ask_arrays(truth, a, b, chosen, positive, groups, strata, labels, separator), settings)
    items = scored_items(truth, a, b, positive=positive, rank_infinite=rank_infinite, groups=groups, strata=strata)
    if dev is not None and (not isinstance(dev, tuple | list) or len(dev) != 3):
        raise OptionError("dev is not a development set.", "three arrays", "dev=(truth, scores_a, scores_b)")
    chosen_on = None if dev is None else scored_items(*dev, positive=positive, rank_infinite=rank_infinite)
    return compare_scores(items, chosen, settings, threshold=threshold, dev=chosen_on, stratified=stratified)


def answer(asked: Asked, settings: Settings) -> Comparison:
    """Ask with the settings, and judge."""
    return judge(asked.ask(*settings.for_question()), asked.about, settings)


def compare_scores(
    items: ScoredItems,
    measure: Measure,
    settings: Settings,
    *,
    threshold: Any = None,
    dev: ScoredItems | None = None,
    stratified: bool = False,
) -> Comparison:
    """Compare scores that were checked already, by a measure of scores or by one of decisions at thresholds."""
    about = About(items.positive, items.inferred, items.against_others)
    if measure.takes == "scores":
        if threshold is not None or dev is not None:
            raise OptionError(
                f"{measure.label} is a measure of scores and takes no threshold.",
                "a measure of decisions with a threshold, or none",
                'measure="f1", threshold=0.5',
            )
        refuse_two_strata(stratified, items.grouping)
        return judge(ScoreQuestion(items, measure, *settings.for_question(), stratified), about, settings)
    if stratified:
        raise OptionError(
            "stratified is for measures of scores.", "no stratified with a threshold", "take a measure such as auc"
        )
    thresholds, doubts = _thresholds(items, measure, threshold, dev)
    about = replace(about, thresholds=thresholds, caveats=doubts)
    tally, extra = decide(items, thresholds)
    return answer(ask_decisions(tally, measure, positive=items.positive, extra=extra, about=about), settings)


def _thresholds(
    items: ScoredItems, measure: Measure, threshold: Any, dev: ScoredItems | None
) -> tuple[tuple[float, ...], tuple[Caveat, ...]]:
    if dev is not None:
        if threshold is not None:
            raise OptionError("A threshold was given and a development set, too.", "one of them")
        return best_thresholds(dev, measure), ()
    if isinstance(threshold, str) and threshold == "best":
        text = "Each model's threshold was chosen on the same items that it is judged on, which flatters both."
        return best_thresholds(items, measure), (Caveat("threshold_on_test", text, "choose it on a development set"),)
    return read_thresholds(threshold, len(items.scores)), ()


def compare_frame(
    frame: Any,
    *,
    truth: str | None = None,
    a: str,
    b: str,
    measure: MeasureLike = "f1",
    positive: Any = None,
    groups: str | list[str] | None = None,
    strata: str | None = None,
    labels: Any = None,
    threshold: Any = None,
    stratified: bool = False,
    rank_infinite: bool = False,
    **settings: Any,
) -> Comparison:
    """Compare two columns of a frame: pandas, polars, pyarrow, DuckDB, Dask, Spark, eager or lazy.

    Decisions are counted by one group-by on the frame's own engine; of scores and values the columns are fetched.
    ``settings`` are those of :func:`compare` but for ``dev``; ``groups`` and ``strata`` are columns, too. The columns
    name the models unless ``names`` says otherwise.

    >>> import clearwin as cw, polars as pl
    >>> frame = pl.LazyFrame({"y": [1, 1, 0, 0], "svm": [1, 0, 0, 1], "rbf": [1, 1, 0, 0]})
    >>> cw.compare_frame(frame, truth="y", a="svm", b="rbf", measure="accuracy").difference
    0.5
    """
    settings.setdefault("names", (a, b) if a != b else ("A", "B"))
    chosen, asked = find(measure), Settings.of("compare_frame", settings)
    check_truth(chosen, truth)
    for role, column in (("groups", groups), ("strata", strata)):
        if not (column is None or isinstance(column, str) or (role == "groups" and isinstance(column, list))):
            raise OptionError(f"{role} is a {type(column).__name__}.", "the name of a column", f'{role}="author"')
    if chosen.takes in ("label sets", "sums"):
        raise OptionError(
            f"{chosen.label} is a measure of {chosen.takes}, and compare_frame takes one column for each model.",
            "a measure of decisions, scores or values",
            "compare(frame[…], frame[…], frame[…]) with the columns of truth, A and B",
        )
    if chosen.takes != "decisions" or threshold is not None:
        refuse_labels(labels, None)
    if chosen.takes in OF_ITEMS:
        found = _columns(frame, {"truth": truth, "a": a, "b": b, "strata": strata}, groups)
        read = read_values(
            chosen,
            found.pop("truth", None),
            found.pop("a"),
            found.pop("b"),
            positive=positive,
            threshold=threshold,
            stratified=stratified,
            rank_infinite=rank_infinite,
            **found,
        )
        return judge(read.ask(*asked.for_question()), read.about, asked)
    assert truth is not None  # check_truth
    if chosen.takes == "decisions" and threshold is None:
        if stratified or rank_infinite:
            raise OptionError("stratified and rank_infinite are for scores.", "a measure of scores, or a threshold")
        extra = {role: column for role, column in (("group", groups), ("stratum", strata)) if column is not None}
        tally = tally_frame(frame, truth=truth, a=a, b=b, **{role: _one(column) for role, column in extra.items()})
        question = ask_decisions(tally, chosen, positive=positive, labels=labels, extra=tuple(extra), models=(a, b))
        return answer(question, asked)
    found = _columns(frame, {"truth": truth, "a": a, "b": b, "strata": strata}, groups)
    columns = [found.pop(role) for role in ("truth", "a", "b")]
    items = scored_items(*columns, positive=positive, rank_infinite=rank_infinite, **found)
    return compare_scores(items, chosen, asked, threshold=threshold, stratified=stratified)


def _one(column: str | list[str]) -> str:
    """Return the one column of groups that a group-by of decisions takes."""
    if isinstance(column, str):
        return column
    if len(column) != 1:
        raise OptionError(
            f"{len(column)} columns of groups were given.",
            "one; of nested groups the coarser one, and crossed groups cannot be taken into account",
            f"groups={column[0]!r}" if column else "",
        )
    return column[0]


def _columns(frame: Any, roles: dict[str, str | None], groups: str | list[str] | None) -> dict[str, Any]:
    """Fetch the columns that were named; several columns of groups come as a list of them."""
    named = {role: column for role, column in roles.items() if column is not None}
    of_groups = [] if groups is None else [groups] if isinstance(groups, str) else list(groups)
    wanted = {**named, **{f"groups {i}": column for i, column in enumerate(of_groups)}}
    fetched = dict(zip(wanted, columns_of_frame(frame, **wanted), strict=True))
    found = {role: fetched[role] for role in named}
    if of_groups:
        found["groups"] = [fetched[f"groups {i}"] for i in range(len(of_groups))]
    return found


def compare_tally(
    tally: Tally,
    *,
    measure: MeasureLike = "f1",
    positive: Any = None,
    labels: Any = None,
    extra: tuple[str, ...] = (),
    **settings: Any,
) -> Comparison:
    """Compare from a tally of (truth, a, b) label combinations, as files give it; ``extra`` as group and stratum."""
    how = Settings.of("compare_tally", settings)
    asked = ask_decisions(tally, find(measure), positive=positive, labels=labels, extra=extra, models=how.names)
    return answer(asked, how)


def compare_counts(joint: JointCounts, *, measure: MeasureLike = "f1", **settings: Any) -> Comparison:
    """Compare from the counts of the joint outcomes alone (keller2004, Table 1).

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> round(cw.compare_counts(joint, measure="accuracy").p_value, 5)
    0.03469
    """
    if not isinstance(joint, JointCounts):
        raise DataError(
            f"compare_counts was given a {type(joint).__name__}.",
            "a JointCounts",
            "compare_counts(JointCounts(e1=…, …, e8=…)), or compare(truth, a, b) for arrays",
        )
    chosen, asked = find(measure), Settings.of("compare_counts", settings)
    refuse_other_data(chosen)
    positive = joint.labels[1] if joint.k == 2 else None
    return judge(Question(joint, chosen, *asked.for_question()), About(positive, inferred=False), asked)
