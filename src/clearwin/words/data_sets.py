"""From many models on many data sets to words: a verdict, the average ranks, a table of pairs, what was tested."""

from __future__ import annotations

import math

from clearwin.results.data_sets import DataSetComparison, ModelPair
from clearwin.text import capital, counted, degrees_of_freedom, one_line, rounded
from clearwin.words.base import ResultWords
from clearwin.words.methods import correction_rows
from clearwin.words.phrases import (
    CORRECTED,
    FORMS,
    NO_EVIDENCE,
    direction,
    interval_name,
    interval_text,
    level,
    name_list,
    p_number,
    p_text,
    repeat_row,
    signed,
)
from clearwin.words.summary import Block, FactRows, Facts, Grid, Sentences

PAIR_COLUMNS = ("pair (A, B)", "B − A", "interval", "B better, equal, worse", "p", "corrected", "Nemenyi", "posterior")
MOST_GROUPS = 20  # groups of models that are listed; the others are counted
TESTS = {
    "all together": "Friedman's χ² = (k − 1) Σ (R_j − N(k + 1)/2)²/Σ (r_ij − (k + 1)/2)² among all ways to give out "
    "the ranks; F = (N − 1)χ²/(N(k − 1) − χ²) (Friedman 1937; Iman and Davenport 1980)",
    "critical difference": "q √(k(k + 1)/6N), q of the studentised range over √2 (Nemenyi 1963)",
    "pairs": "Wilcoxon's signed-rank test; the middle of the differences and its interval after Hodges and Lehmann "
    "(Wilcoxon 1945; Hodges and Lehmann 1963)",
}


class DataSetComparisonWords(ResultWords[DataSetComparison]):
    """A verdict on all models, the average ranks, and a table of pairs."""

    def headline(self) -> str:
        """Say whether all models together were shown to differ."""
        r = self.result
        differ = f"the {len(r.names)} models differ over {r.n:,} data sets"
        return capital(differ) if r.decision == "different" else f"{NO_EVIDENCE} {differ}"

    def opening(self) -> tuple[str, ...]:
        r = self.result
        by = "Iman and Davenport's F" if r.permutation_method == "F" else "Friedman's test"
        compared = "Pairs were compared" if len(r.pairs) > 1 else "The pair was compared"
        return (
            f"{self.headline()} ({by}, {p_text(r.permutation)}).",
            self._against_baseline(r.baseline) if r.baseline is not None else self._best_model(),
            f"{compared} by Wilcoxon's signed-rank test ({self._tests()}).",
        )

    def blocks(self) -> tuple[Block, ...]:
        r = self.result
        ranked = Grid(("model", "average rank"), tuple((name, f"{rank:.3f}") for name, rank in ranking(r)))
        pairs = Grid(PAIR_COLUMNS, tuple(map(_pair_cells, r.pairs)))
        return (ranked, Facts(self._rows()), pairs, Sentences(self._legend()))

    def method(self) -> FactRows:
        return (
            *TESTS.items(),
            *correction_rows(self.result.correction, len(self.result.pairs)),
            ("posterior", "Bayesian signed-rank test (Benavoli and others 2014, 2017)"),
            ("assumes", "independent data sets; for the pairs, differences that are symmetric about their middle"),
            ("source", "Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006"),
        )

    def limits(self) -> tuple[str, ...]:
        return (
            f"It treats the {self.result.n:,} data sets as a sample of all that matter. Similar ones among them count "
            "too much.",
            "A better average rank does not say by how much a model is better, or on which data set.",
        )

    def paper(self) -> str:
        r = self.result
        pairs = sum(pair.decision != "not shown" for pair in r.pairs)
        differed = "differed" if r.decision == "different" else "did not differ significantly"
        forms, wilcoxon = {pair.method for pair in r.pairs}, "Wilcoxon signed-rank test"
        return (
            f"Over {r.n:,} data sets, the ranks of {len(r.names):,} models {differed} ({self._statistic()}), and "
            f"{pairs:,} of {counted(len(r.pairs), 'pair')} differed "
            f"({FORMS[forms.pop()].format(test=wilcoxon) if len(forms) == 1 else wilcoxon}, "
            f"{CORRECTED[r.correction]} correction, {self.software()})."
        )

    def _against_baseline(self, baseline: str) -> str:
        """Say what Wilcoxon's test shows, after the correction, about each model against the baseline."""
        beaten, ahead, open_ones = self._pairs_of_model(baseline)
        words = (("Better than", ahead), ("Worse than", beaten), ("Not told apart from", open_ones))
        return " ".join(f"{comparison} {baseline}: {name_list(names)}." for comparison, names in words if names)

    def _best_model(self) -> str:
        """Say what Wilcoxon's test shows, after the correction, about the best model."""
        ranks = ranking(self.result)
        best, rank = ranks[0]
        beaten, ahead, open_ones = self._pairs_of_model(best)
        shared = [name for name, other_rank in ranks if other_rank == rank]
        start = f"{best} has the best average rank, {rank:.3f}, and"
        if len(shared) > 1:
            start = f"{name_list(shared)} share the best average rank, {rank:.3f}, and {best}"
        words = (("is better than", beaten), ("is worse than", ahead), ("is not told apart from", open_ones))
        comparisons = " and ".join(f"{comparison} {name_list(names)}" for comparison, names in words if names)
        others = [_finding(pair) for pair in self.result.pairs if best not in (pair.name_a, pair.name_b)]
        also = [" than ".join(pair) for pair in others if pair is not None]
        return f"{start} {comparisons}.{f' Also better: {name_list(also)}.' if also else ''}"

    def _pairs_of_model(self, model: str) -> tuple[list[str], list[str], list[str]]:
        """Return the models that this one beats, those that beat it, and all others."""
        beaten: list[str] = []
        ahead: list[str] = []
        open_ones: list[str] = []
        for pair in self.result.pairs:
            if model in (pair.name_a, pair.name_b):
                finding = _finding(pair)
                others = open_ones if finding is None else beaten if finding[0] == model else ahead
                others.append(pair.name_b if model == pair.name_a else pair.name_a)
        return beaten, ahead, open_ones

    def _tests(self) -> str:
        m, corrected = len(self.result.pairs), CORRECTED[self.result.correction].replace(" and ", "–")
        return "1 test, nothing to correct" if m == 1 else f"{m} tests, {corrected}-corrected"

    def _statistic(self) -> str:
        """Give the statistic of all ranks together with the test that the p-value is of, which χ² alone is not."""
        r, p = self.result, p_text(self.result.permutation)
        if r.permutation_method == "F":
            f = r.iman_davenport
            return f"Iman and Davenport's F = {f.statistic:.3g} on {degrees_of_freedom(*f.degrees)}, {p}"
        permutation = "exact" if r.permutation_method == "exact" else "sampled"
        return f"Friedman's χ² = {r.friedman.statistic:.3g}, {permutation} permutation test, {p}"

    def _rows(self) -> FactRows:
        """Return the rows about all models together."""
        r = self.result
        f, chi2 = r.iman_davenport, r.friedman
        corrected = "" if r.tie_correction == 1.0 else "; corrected for ties"
        statistic = "∞" if math.isinf(f.statistic) else f"{f.statistic:.4g}"
        method = {
            "exact": "every way to give out the ranks counted",
            "F": "too many data sets to permute: by F",
            "monte_carlo": f"sampled, ± {r.permutation_error or 0.0:.2g}",
        }[r.permutation_method]
        apart = f"critical difference of average ranks {r.critical_difference:.4g} at {level(r):g}"
        return (
            ("Friedman", f"{p_text(r.permutation)}  ({method})"),
            ("by χ²", f"χ² = {chi2.statistic:.4g} on {degrees_of_freedom(*chi2.degrees)}, {p_text(chi2)}{corrected}"),
            ("by F", f"F = {statistic} on {f.degrees[0]:,} and {f.degrees[1]:,}, {p_text(f)}  (Iman and Davenport)"),
            ("not told apart", f"{indistinct_groups(r.groups)}  ({pairs_judged_by(r)})"),
            ("Nemenyi", f"{apart} (q = {r.critical_value:.3f})"),
            ("not told apart", f"{indistinct_groups(r.nemenyi_groups)}  (Nemenyi's test)"),
            ("scores", direction(r.higher_is_better)),
            repeat_row(r.signature),
        )

    def _legend(self) -> str:
        """Explain the table of pairs."""
        r = self.result
        methods = " and ".join(sorted({pair.method for pair in r.pairs}, reverse=True))
        return (
            f"B − A is the Hodges–Lehmann estimate of the middle difference, with its own "
            f"{interval_name(r.pairs[0].interval)}. p comes from Wilcoxon's signed-rank test ({methods}; "
            f"{self._tests()}). Nemenyi's p-values need no further correction. The posterior gives the probabilities "
            f"that B is practically worse, equivalent (within ±{r.margin:g}) and practically better, by the Bayesian "
            f"signed-rank test with a prior of strength 1 at no difference ({r.signature.n_resamples:,} draws, "
            f"standard error at most {r.posterior_error:.2g}). They are not p-values."
        )


def _finding(pair: ModelPair) -> tuple[str, str] | None:
    """Return who is better than whom if Wilcoxon's test shows it."""
    if pair.decision == "not shown":
        return None
    return (pair.name_b, pair.name_a) if pair.decision == "better" else (pair.name_a, pair.name_b)


def indistinct_groups(groups: tuple[tuple[str, ...], ...]) -> str:
    """Write the groups of models that do not differ significantly.

    >>> indistinct_groups((("a", "b"), ("b", "c"))), indistinct_groups(())
    ('a, b; b, c', 'none')
    """
    listed = [name_list([one_line(name) for name in group], 12) for group in groups]
    more = f"; and {len(listed) - MOST_GROUPS} more groups" if len(listed) > MOST_GROUPS else ""
    return "; ".join(listed[:MOST_GROUPS]) + more or "none"


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
