"""From many models on many data sets to words: a verdict, the average ranks, a table of pairs, what was tested."""

from __future__ import annotations

import math

from clearwin.results.data_sets import DataSetComparison, ModelPair
from clearwin.text import degrees_of_freedom, one_line, rounded
from clearwin.words.base import FactRows, Facts, Grid, Summary, Words, words_of
from clearwin.words.methods import data_set_rows
from clearwin.words.phrases import (
    CORRECTED,
    NO_EVIDENCE,
    direction,
    few,
    interval_name,
    interval_text,
    level,
    p_number,
    p_text,
    repeat_row,
    signed,
)

PAIR_COLUMNS = ("pair (A, B)", "B − A", "interval", "B better, equal, worse", "p", "corrected", "Nemenyi", "posterior")
MOST_GROUPS = 20  # that are named


@words_of.register
def _(record: DataSetComparison) -> Summary:
    ranked = Grid(("model", "average rank"), tuple((name, f"{rank:.3f}") for name, rank in ranking(record)))
    pairs = Grid(PAIR_COLUMNS, tuple(map(_pair_cells, record.pairs)))
    how = "Pairs were compared" if len(record.pairs) > 1 else "The pair was compared"
    tests = f"{how} by Wilcoxon's signed-rank test ({_tests(record)})."
    opening = (_headline(record), _pair_headline(record), tests)
    return Summary(
        opening=opening,
        verdict=" ".join([*opening, f"The null hypothesis is that {record.null_hypothesis}."]),
        blocks=(ranked, Facts(_rows(record)), pairs, Words(_legend(record))),
        method=data_set_rows(record.correction, len(record.pairs)),
    )


def _headline(record: DataSetComparison) -> str:
    """Say whether all models together were shown to differ."""
    models, over = f"{len(record.names)} models", f"over {record.n:,} data sets"
    found = (
        f"The {models} differ {over}" if record.decision == "different" else f"{NO_EVIDENCE} the {models} differ {over}"
    )
    by = "Iman and Davenport's F" if record.permutation_method == "F" else "Friedman's test"
    return f"{found} ({by}, {p_text(record.permutation)})."


def _pair_headline(record: DataSetComparison) -> str:
    """Say what Wilcoxon's test shows, after the correction, about the best model or about each against the baseline."""
    if record.baseline is not None:
        beaten, ahead, open_ones = _came_off(record, record.baseline)
        found = (("Better than", ahead), ("Worse than", beaten), ("Not told apart from", open_ones))
        return " ".join(f"{words} {record.baseline}: {few(names)}." for words, names in found if names)
    best, rank = ranking(record)[0]
    beaten, ahead, open_ones = _came_off(record, best)
    shared = [name for name, other in ranking(record) if other == rank]
    start = f"{best} has the best average rank, {rank:.3f}, and"
    if len(shared) > 1:
        start = f"{few(shared)} share the best average rank, {rank:.3f}, and {best}"
    found = (("is better than", beaten), ("is worse than", ahead), ("is not told apart from", open_ones))
    told = " and ".join(f"{words} {few(names)}" for words, names in found if names)
    others = [_finding(pair) for pair in record.pairs if best not in (pair.name_a, pair.name_b)]
    also = [" than ".join(pair) for pair in others if pair is not None]
    return f"{start} {told}.{f' Also better: {few(also)}.' if also else ''}"


def _came_off(record: DataSetComparison, one: str) -> tuple[list[str], list[str], list[str]]:
    """Return whom a model is shown to be better than, who is shown to be better than it, and the others."""
    beaten: list[str] = []
    ahead: list[str] = []
    open_ones: list[str] = []
    for pair in record.pairs:
        if one in (pair.name_a, pair.name_b):
            found = _finding(pair)
            others = open_ones if found is None else beaten if found[0] == one else ahead
            others.append(pair.name_b if one == pair.name_a else pair.name_a)
    return beaten, ahead, open_ones


def _finding(pair: ModelPair) -> tuple[str, str] | None:
    """Return who is better than whom if Wilcoxon's test shows it."""
    if pair.decision == "not shown":
        return None
    return (pair.name_b, pair.name_a) if pair.decision == "better" else (pair.name_a, pair.name_b)


def _tests(record: DataSetComparison) -> str:
    m = len(record.pairs)
    return (
        "1 test, nothing to correct"
        if m == 1
        else f"{m} tests, {CORRECTED[record.correction].replace(' and ', '–')}-corrected"
    )


def _rows(record: DataSetComparison) -> FactRows:
    """Return the rows about all models together."""
    f, chi2 = record.iman_davenport, record.friedman
    corrected = "" if record.tie_correction == 1.0 else "; corrected for ties"
    statistic = "∞" if math.isinf(f.statistic) else f"{f.statistic:.4g}"
    how = {
        "exact": "every way to give out the ranks counted",
        "F": "too many data sets to permute: by F",
        "monte_carlo": f"sampled, ± {record.permutation_error or 0.0:.2g}",
    }[record.permutation_method]
    apart = f"critical difference of average ranks {record.critical_difference:.4g} at {level(record):g}"
    return (
        ("Friedman", f"{p_text(record.permutation)}  ({how})"),
        ("by χ²", f"χ² = {chi2.statistic:.4g} on {degrees_of_freedom(*chi2.degrees)}, {p_text(chi2)}{corrected}"),
        ("by F", f"F = {statistic} on {f.degrees[0]:,} and {f.degrees[1]:,}, {p_text(f)}  (Iman and Davenport)"),
        ("not told apart", f"{not_told_apart(record.groups)}  ({pairs_judged_by(record)})"),
        ("Nemenyi", f"{apart} (q = {record.critical_value:.3f})"),
        ("not told apart", f"{not_told_apart(record.nemenyi_groups)}  (Nemenyi's test)"),
        ("scores", direction(record.higher_is_better)),
        repeat_row(record.signature),
    )


def not_told_apart(groups: tuple[tuple[str, ...], ...]) -> str:
    """Write the groups of models that are not told apart.

    >>> not_told_apart((("a", "b"), ("b", "c"))), not_told_apart(())
    ('a, b; b, c', 'none')
    """
    told = [few([one_line(name) for name in group], 12) for group in groups]
    more = f"; and {len(told) - MOST_GROUPS} more groups" if len(told) > MOST_GROUPS else ""
    return "; ".join(told[:MOST_GROUPS]) + more or "none"


def pairs_judged_by(record: DataSetComparison) -> str:
    """Name the test behind the verdict on pairs."""
    corrected = f", corrected by {CORRECTED[record.correction]}" if len(record.pairs) > 1 else ""
    against = "" if record.baseline is None else f" against {one_line(record.baseline)}"
    return f"Wilcoxon's test{against}{corrected}"


def ranking(record: DataSetComparison) -> list[tuple[str, float]]:
    """Return the models with their average ranks, best first."""
    return sorted(zip(record.names, record.mean_ranks, strict=True), key=lambda item: item[1])


def _pair_cells(pair: ModelPair) -> tuple[str, ...]:
    """Return one pair's row of the table, in the order of ``PAIR_COLUMNS``."""
    post = pair.posterior
    interval = "unbounded" if math.isinf(pair.interval.low) else interval_text(pair.interval, signed)
    return (
        f"{pair.name_a}, {pair.name_b}",
        signed(pair.difference),
        interval,
        f"{pair.b_better}, {pair.equal}, {pair.a_better}",
        p_number(pair.p_value),
        p_number(pair.adjusted_p),
        p_number(pair.nemenyi_p),
        ", ".join(rounded(share, 3) for share in (post.worse, post.equivalent, post.better)),
    )


def _legend(record: DataSetComparison) -> str:
    """Explain the table of pairs."""
    methods = " and ".join(sorted({pair.method for pair in record.pairs}, reverse=True))
    return (
        f"B − A is the Hodges–Lehmann estimate of the middle difference, with its own "
        f"{interval_name(record.pairs[0].interval)}. p comes from Wilcoxon's signed-rank test ({methods}; "
        f"{_tests(record)}). Nemenyi's p-values need no further correction. The posterior gives the probabilities that "
        f"B is practically worse, equivalent (within ±{record.margin:g}) and practically better, by the Bayesian "
        f"signed-rank test with a prior of strength 1 at no difference ({record.signature.n_resamples:,} draws, "
        f"standard error at most {record.posterior_error:.2g}). They are not p-values."
    )
