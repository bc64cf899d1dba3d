"""From many models on many data sets to words: a verdict, the average ranks, a table of pairs, what was tested."""

from __future__ import annotations

import math

from clearwin.results.data_sets import DataSetComparison, ModelPair, RankTest
from clearwin.text import one_line, rounded
from clearwin.wording.base import Facts, Story, Table, Words
from clearwin.wording.methods import call, data_set_rows
from clearwin.wording.verdict import SMALLEST_SHOWN, check_alpha, few, interval_name, interval_text, p_number, signed

PAIR_COLUMNS = ("pair (A, B)", "B − A", "interval", "B better, equal, worse", "p", "corrected", "Nemenyi", "posterior")
MOST_GROUPS = 20  # that are named
NOT_SHOWN = "not shown to be different from"


def sentence(record: DataSetComparison, alpha: float) -> str:
    """Say what was shown at the level ``alpha``, after how many tests, and against which null hypothesis."""
    check_alpha(alpha)
    return (
        f"{headline(record, alpha)} {_pair_headline(record, alpha)} {_count_words(record)} Tested against the null "
        f"hypothesis: {record.null_hypothesis}."
    )


def headline(record: DataSetComparison, alpha: float) -> str:
    """Say whether all models together were shown to differ."""
    words = "are not all alike" if record.p_value <= alpha else "are not shown to be different"
    by = "Iman and Davenport's F" if record.permutation_method == "F" else "Friedman's test"
    return f"The {len(record.names)} models {words} over {record.n:,} data sets ({by}, {_p(record.permutation)})."


def _pair_headline(record: DataSetComparison, alpha: float) -> str:
    """Say how the best model, or each against the baseline, came off in Wilcoxon's test after the correction."""
    rank = dict(zip(record.names, record.mean_ranks, strict=True))
    if record.baseline is not None:
        return _baseline_headline(record, alpha)
    best = min(record.names, key=lambda name: rank[name])
    beaten: list[str] = []
    ahead: list[str] = []
    open_ones: list[str] = []
    for pair in record.pairs:
        if best in (pair.name_a, pair.name_b):
            other = pair.name_b if best == pair.name_a else pair.name_a
            won = _gain(pair) > 0 if best == pair.name_b else _gain(pair) < 0
            (open_ones if not _shown(pair, alpha) else beaten if won else ahead).append(one_line(other))
    shared = [name for name in record.names if rank[name] == rank[best]]
    start = f"{one_line(best)} has the best average rank, {rank[best]:.3f}"
    if len(shared) > 1:
        together = few([one_line(name) for name in shared])
        start = f"{together} share the best average rank, {rank[best]:.3f}; {one_line(best)}"
    told = [
        f"{words} {few(names)}"
        for words, names in (("is better than", beaten), ("is worse than", ahead), (f"is {NOT_SHOWN}", open_ones))
        if names
    ]
    return f"{start}{': it' if len(shared) == 1 else ''} {' and '.join(told)}.{_others_shown(record, best, alpha)}"


def _others_shown(record: DataSetComparison, best: str, alpha: float) -> str:
    """Tell the findings among the other models."""
    found = []
    for pair in record.pairs:
        if best not in (pair.name_a, pair.name_b) and _shown(pair, alpha):
            ordered = (pair.name_b, pair.name_a) if _gain(pair) > 0 else (pair.name_a, pair.name_b)
            found.append(" than ".join(map(one_line, ordered)))
    return f" Also better: {few(found)}." if found else ""


def _baseline_headline(record: DataSetComparison, alpha: float) -> str:
    better: list[str] = []
    worse: list[str] = []
    open_ones: list[str] = []
    for pair in record.pairs:
        won = _gain(pair) > 0
        (open_ones if not _shown(pair, alpha) else better if won else worse).append(one_line(pair.name_b))
    baseline = one_line(str(record.baseline))
    told = [
        f"{words} {baseline}: {few(names)}"
        for words, names in (("better than", better), ("worse than", worse), (NOT_SHOWN, open_ones))
        if names
    ]
    text = "; ".join(told)
    return f"{text[0].upper()}{text[1:]}."


def _gain(pair: ModelPair) -> float:
    """Return W⁺ above its middle: which way Wilcoxon's test points, whatever the middle of the differences."""
    ranked = pair.a_better + pair.b_better
    return pair.statistic - ranked * (ranked + 1) / 4.0


def _shown(pair: ModelPair, alpha: float) -> bool:
    return pair.adjusted_p <= alpha and _gain(pair) != 0.0


def _count_words(record: DataSetComparison) -> str:
    m = len(record.pairs)
    if m == 1:
        return "Besides the test of all together the pair by Wilcoxon's signed-rank test: 1 test, nothing to correct."
    return (
        f"Besides the test of all together pairs by Wilcoxon's signed-rank test: {m} tests, corrected by "
        f"{record.correction}."
    )


def _p(test: RankTest) -> str:
    if test.log10_p < SMALLEST_SHOWN:
        return f"p < 1e-300, log10 p = {test.log10_p:.1f}"
    return f"p = {p_number(test.p_value)}"


def rows(record: DataSetComparison) -> list[tuple[str, str]]:
    """Return the table of what holds for all models: what is called what."""
    f, chi2 = record.iman_davenport, record.friedman
    corrected = "" if record.tie_correction == 1.0 else "; corrected for ties"
    statistic = "∞" if math.isinf(f.statistic) else f"{f.statistic:.4g}"
    how = {
        "exact": "every way to give out the ranks counted",
        "F": "too many data sets to permute: by F",
        "monte_carlo": f"sampled, ± {record.permutation_error or 0.0:.2g}",
    }[record.permutation_method]
    return [
        ("Friedman", f"{_p(record.permutation)}  ({how})"),
        ("by χ²", f"χ² = {chi2.statistic:.4g} on {chi2.degrees[0]} degrees of freedom, {_p(chi2)}{corrected}"),
        ("by F", f"F = {statistic} on {f.degrees[0]:,} and {f.degrees[1]:,}, {_p(f)}  (Iman and Davenport)"),
        (
            "Nemenyi",
            f"critical difference of average ranks {record.critical_difference:.4g} at {record.alpha:g} "
            f"(q = {record.critical_value:.3f})",
        ),
        ("not told apart", not_told_apart(record) or "no two models: all differ by the critical difference or more"),
        ("scores", "higher is better" if record.higher_is_better else "lower is better"),
        ("repeat with", f"seed {record.signature.seed}, clearwin {record.signature.version}"),
    ]


def not_told_apart(record: DataSetComparison) -> str:
    """Write the groups of models between whose ranks lies less than the critical difference."""
    groups = [few([one_line(name) for name in group], 12) for group in record.groups]
    more = f"; and {len(groups) - MOST_GROUPS} groups more" if len(groups) > MOST_GROUPS else ""
    return "; ".join(groups[:MOST_GROUPS]) + more


def ranking(record: DataSetComparison) -> list[tuple[str, float]]:
    """Return the models with their average ranks, best first."""
    return sorted(zip(record.names, record.mean_ranks, strict=True), key=lambda item: item[1])


def pair_cells(pair: ModelPair) -> tuple[str, ...]:
    """Return what the table says of one pair, in the order of ``PAIR_COLUMNS``."""
    post = pair.posterior
    interval = "unbounded" if math.isinf(pair.interval.low) else interval_text(pair.interval, signed)
    return (
        f"{one_line(pair.name_a)}, {one_line(pair.name_b)}",
        signed(pair.difference),
        interval,
        f"{pair.b_better}, {pair.equal}, {pair.a_better}",
        p_number(pair.p_value),
        p_number(pair.adjusted_p),
        p_number(pair.nemenyi_p),
        ", ".join(rounded(share, 3) for share in (post.worse, post.equivalent, post.better)),
    )


def legend(record: DataSetComparison) -> str:
    """Say what stands in the table of pairs."""
    pairs = record.pairs
    methods = " and ".join(sorted({pair.method for pair in pairs}, reverse=True))
    m = len(pairs)
    tests = "1 test, nothing to correct" if m == 1 else f"{m} tests, corrected by {record.correction}"
    return (
        f"B − A is the Hodges–Lehmann middle of the differences with its {interval_name(pairs[0].interval)}, each by "
        f"itself. p is from Wilcoxon's signed-rank test ({methods}; {tests}). Nemenyi's p-values are corrected in "
        f"themselves. Posterior: that B is practically worse, equivalent (within ±{record.rope:g}), practically better "
        "by the Bayesian signed-rank test, with a prior of strength 1 at no difference; "
        f"{record.signature.n_resamples:,} draws, standard error at most {record.posterior_error:.2g}. These "
        "are no p-values."
    )


def story(record: DataSetComparison) -> Story:
    """Return what the comparison tells, in parts: ranks, tests of all together, pairs."""
    ranked = Table(("model", "average rank"), tuple((name, f"{rank:.3f}") for name, rank in ranking(record)))
    pairs = Table(PAIR_COLUMNS, tuple(map(pair_cells, record.pairs)))
    return Story(
        opening=(headline(record, record.alpha), _pair_headline(record, record.alpha)),
        verdict=sentence(record, record.alpha),
        blocks=(ranked, Facts(tuple(rows(record))), pairs, Words(legend(record))),
        null_hypothesis=record.null_hypothesis,
        caveats=tuple(map(str, record.caveats)),
        method=data_set_rows(record.correction, len(record.pairs)),
        call=_call(record),
    )


def _call(record: DataSetComparison) -> str:
    signature = record.signature
    return call(
        "compare_data_sets",
        "scores",
        higher_is_better=record.higher_is_better,
        baseline=record.baseline,
        correction=record.correction,
        rope=record.rope,
        confidence_level=signature.confidence_level,
        n_resamples=signature.n_resamples,
        alpha=record.alpha,
        rng=signature.seed,
    )
