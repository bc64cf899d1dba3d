"""The main verb: is B better than A on this test set?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, cast

from clearwin.analyses.judging import judge
from clearwin.analyses.repeating import repeatable
from clearwin.counts import JointCounts
from clearwin.data.arrays import SIDES, Tally, drop_missing, names_of
from clearwin.data.clusters import columns_of_groups
from clearwin.data.preferences import Battles, refuse_other_battles
from clearwin.data.questions import Options, Question, two_names
from clearwin.data.reading import Read, Reading, decisions_in_groups, refuse_other_data, with_doubts
from clearwin.data.samples import DecisionSample, ReadingNotes
from clearwin.data.scores import models_with_lower_positive
from clearwin.errors import DataError, OptionError
from clearwin.measures import Measure, find
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.pvalues import AnyClaim
from clearwin.reading.opening import refuse_id_of_arrays, takes_data
from clearwin.reading.reading import read_data
from clearwin.reading.table import Table
from clearwin.results.caveats import Caveat
from clearwin.results.comparison import Comparison, Disagreement
from clearwin.streams import RngLike, Seed


@repeatable()
@matched_by_position()
@takes_data
def compare(
    truth: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    data: Any = None,
    id: str | None = None,
    measure: MeasureLike = "f1",
    test: str = "auto",
    method: str = "auto",
    interval: str = "auto",
    claim: AnyClaim = "different",
    margin: float | str | None = None,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
    order: Any = None,
    labels: Any = None,
    separator: str | None = None,
    threshold: Any = None,
    dev: tuple[Any, Any, Any] | None = None,
    rank_infinite: bool = False,
    lower_is_positive: Any = False,
    missing: str = "refuse",
    bins: Any = "auto",
    memory_limit: Any = "2GB",
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] | None = None,
    by: Any = None,
    correction: str = "holm",
    device: str = "cpu",
) -> Comparison:
    """Return whether model B is better than A on the same items.

    ``a`` and ``b`` are decisions, scores or per-item values.

    Parameters
    ----------
    truth, a, b
        The true label and the two decisions (or scores) for each item: arrays, lists or series, matched by position.
        For values that need no truth (``measure="mean"``: grades, losses, a sentence's BLEU) ``truth`` is None. A
        :class:`JointCounts` in place of all three holds the counts of the joint outcomes (keller2004, Table 1). For
        preferences (``measure="win_rate"``) ``truth`` says who won each battle, ``a`` and ``b`` what it calls the two,
        and ``strata`` who was shown first.
    data
        A file of predictions ("preds.csv"; CSV, TSV, JSON, JSONL or Parquet, a folder or pattern of Parquet files, a
        database as "duckdb://preds.db?table=preds") or a frame (pandas, polars, pyarrow, DuckDB, Dask, Spark, eager or
        lazy), whose columns ``truth``, ``a``, ``b``, ``groups`` and ``strata`` then name. Decisions are counted where
        the rows are. Several files, those of the truth and of both models, are joined by the column ``id``.
    id
        The column of files with the items' ids.
    measure
        A name, with options where it has some (``"dcf(cost_fn=10, cost_fp=1, prior=0.01)"``), a record from
        :func:`list_measures`, or any function on counts or on (truth, prediction).
    test, method, interval
        ``"auto"``, or names that :func:`list_tests` lists. ``method`` is the form inside the test.
    claim, margin
        What you want to show: B is ``"different"`` from A, ``"better"`` or ``"worse"``. With a ``margin``, the largest
        difference that does not matter: B is ``"not_worse"`` by the margin or more (non-inferiority), or both are
        ``"equivalent"`` within it (two one-sided tests). A text such as ``"5%"`` is a share of A's value, which is also
        estimated; the difference and its interval are then b/a − 1.
    positive
        The positive class. Inferred only for 0/1, False/True and −1/1.
    groups, strata
        What each item belongs to. Items of one group (an author, the repeated runs of one question) are not
        independent, so whole groups are drawn and swapped. Replicates keep the sizes of the strata; ``strata=truth``
        draws class by class. Several columns of groups may be given if they are nested.
    order
        When each item was seen: numbers, dates or times, in any order. Neighbours in time may resemble each other, so
        the standard error allows for that (Newey and West 1987); items of one time are taken together, and so are
        groups that lie within one. Without it, rows in memory that resemble those before them get a caveat.
    labels, separator
        The classes or labels to average over, where that is not all of them. Items with several labels are given as
        arrays (items × labels) of 0 and 1, dense or sparse, as frames, or as collections; or as texts such as "3,17"
        with ``separator=","``.
    threshold, dev
        Turn scores into decisions for a measure of decisions: an item is positive when its score is at least the
        threshold (one number, or one for each model). ``dev=(truth, a, b)`` chooses each model's best threshold on a
        development set, ``threshold="best"`` on the items themselves, which gets a caveat.
    rank_infinite, lower_is_positive
        For scores: rank infinite ones highest or lowest; lower scores mean the positive class, as with distances
        (True, or the names of the models for which that holds). An item is then positive when its score is at most the
        threshold.
    missing
        What to do with items whose truth, answer, group or stratum is missing: "refuse" them, or "drop" them with a
        caveat that says how many.
    bins, memory_limit
        For scores of a frame, by a measure of scores: "auto" takes exact scores where they fit into the memory limit
        ("2GB", or bytes) and counts them on the frame's engine, in about a million bins, where they do not; a number of
        bins always does so, and None never. A caveat says how far off bins may be.
    n_resamples, confidence_level, rng
        Replicates, level of the interval, and seed (int, SeedSequence or Generator).
    names
        What the verdict calls the two: by default the names of the columns or series, or A and B.
    by, correction
        The slice of each item (a task, a language), or the name of that column of ``data``. The models are then also
        compared in every slice (``r.slices``), with p-values corrected for the number of slices ("holm" or
        "benjamini-hochberg"), and ``r.slicing.interaction`` tests whether the difference varies between them.
    device
        Where test sets are drawn: "cpu", or "cuda" by CuPy or torch, whichever is installed, for tests and intervals of
        the bootstrap. The same device gives the same bits again; another device draws other test sets.

    Examples
    --------
    >>> import clearwin as cw
    >>> truth = [1] * 60 + [0] * 140
    >>> a = [1] * 43 + [0] * 17 + [1] * 9 + [0] * 131
    >>> b = [1] * 55 + [0] * 5 + [1] * 3 + [0] * 137
    >>> r = cw.compare(truth, a, b, measure="f1", rng=7)
    >>> print(r.verdict())
    B is better than A in F1 by 16.4 points (0.932 against 0.768, p = 0.000200). Differences beyond +9.0 to +24.3
    points are ruled out (95 % interval), and chance alone would go this far in about 2 of 10,000 test sets. Count on at
    least 9.0 points; the rest could be luck. The null hypothesis is that A and B have the same F1 in the population
    that the items were drawn from.
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
    if names is None and not chosen.of_winners:
        names = names_of(a, b) if data is None else data.names(truth, {"a": a, "b": b}, how)
    options = Options(
        test=test,
        method=method,
        interval=interval,
        claim=claim,
        margin=cast(Any, margin),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=Seed.of(rng),
        names=_sides(a, b, names) if chosen.of_winners else two_names(names),
        device=device,
    )
    lower = models_with_lower_positive(lower_is_positive, dict(zip("ab", options.names, strict=True)))
    how = replace(how, lower_is_positive=lower)
    if isinstance(truth, JointCounts):
        besides = {"a": a, "b": b, "data": data, "by": by, **vars(how), "lower_is_positive": lower_is_positive}
        refuse_besides_counts(besides)
        return answer(counts_of(truth, chosen), options)
    if chosen.of_winners:
        return _compare_winners(data, truth, (a, b), chosen, how, by, options)
    for role, values in (("a", a), ("b", b)):
        if values is None and (data is None or not data.labels_are_text):
            raise DataError(f"{role} is None.", "the answers of two models", "estimate(truth, a) for one model alone")
    models = {"a": a, "b": b}
    if by is not None:
        from clearwin.analyses.slices import compare_slices

        found = compare_slices(data, truth, models, by, chosen, how, options, correction)
    else:
        found = answer(read_data(data, truth, models, chosen, how), options)
    return replace(found, look_up=partial(_look_up, data, truth, a, b, chosen, how, found.thresholds))


def _sides(a: Any, b: Any, names: Any) -> tuple[str, str]:
    """Return the models' names in battles: those given, or those in the column of winners."""
    for name, label in (("a", a), ("b", b)):
        if isinstance(label, Iterable) and not isinstance(label, str):
            raise DataError(
                f"{name} holds values, and a win rate asks only for the winners.",
                f"what the column of winners calls the model {name.upper()}",
                "compare(winner, 'old', 'new', measure='win_rate')",
            )
    if names is not None:
        return two_names(names)
    return ("A", "B") if a is None or b is None else two_names((a, b))


def _compare_winners(
    data: Table | None, winner: Any, labels: tuple[Any, Any], measure: Measure, how: Reading, by: Any, options: Options
) -> Comparison:
    """Compare two models by who won each of their battles; strata say who was shown first."""
    if by is not None or how.labels is not None or how.positive is not None or how.order is not None:
        raise OptionError(
            "Battles have neither slices nor classes, and no order in time.",
            "the winners, who was shown first, and groups of battles",
        )
    if winner is None:
        raise DataError(
            "The winners were not given.", "the winner of each battle", "compare(winner, measure='win_rate')"
        )
    groups, first = how.groups, how.strata
    if data is not None:
        sides = {side: side for side in SIDES} if {*SIDES} <= {*data.known()} else {}
        found = data.fetched({"truth": winner, **sides}, how)
        if sides:
            refuse_other_battles(found["truth"], *(found[side] for side in SIDES))
        winner, first, groups = found["truth"], found.get("strata"), found.get("groups")
    several = [] if groups is None else columns_of_groups(groups)
    together = {f"groups {i}": column for i, column in enumerate(several)}
    columns: dict[str, Any] = {"winner": winner, "strata": first, **together}
    doubts: tuple[Caveat, ...] = ()
    if how.missing == "drop":
        columns, doubts = drop_missing(columns)
    called = options.names[0], options.names[-1]
    called = called if None in labels else labels
    battles = Battles(columns["winner"], called, columns["strata"], [columns[name] for name in together] or None)
    return answer((battles.sample(doubts), measure), options)


def _look_up(table: Table | None, *asked: Any) -> list[Disagreement]:
    from clearwin.analyses.disagreements import disagreements

    if table is None:
        return disagreements(None, *asked)
    with table.again() as opened:
        return disagreements(opened, *asked)


def answer(read: Read, options: Options) -> Comparison:
    """Judge what was read."""
    return judge(Question(*read, options))


def counts_of(joint: JointCounts, measure: Measure) -> Read:
    """Take the counts of the joint outcomes."""
    refuse_other_data(measure)
    return DecisionSample(joint, ReadingNotes(joint.labels[1] if joint.k == 2 else None)), measure


def refuse_besides_counts(given: dict[str, Any]) -> None:
    """Raise if anything was given besides the counts of the joint outcomes."""
    for name, value in given.items():
        if (
            value is not None
            and value is not False
            and name not in ("whole", "missing", "bins", "memory_limit", "columns")
        ):
            raise OptionError(
                f"Both the counts of the joint outcomes and {name} were given.",
                "the counts alone, which hold everything that the measure needs",
                "compare(JointCounts(e1=…, …, e8=…))",
            )


def compare_tally(
    tally: Tally,
    *,
    measure: MeasureLike = "f1",
    positive: Any = None,
    labels: Any = None,
    extra: tuple[str, ...] = (),
    doubts: tuple[Caveat, ...] = (),
    **options: Any,
) -> Comparison:
    """Compare from a tally of (truth, a, b) label combinations, as read from files; ``extra`` as group and stratum.

    ``doubts`` arose when the data were read.
    """
    how = Options.of("compare_tally", options)
    asked = {"positive": positive, "labels": labels, "extra": extra, "models": how.names}
    read = with_doubts(decisions_in_groups(tally, find(measure), **asked), doubts)
    return answer(read, how)
