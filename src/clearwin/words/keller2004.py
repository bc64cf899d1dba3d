"""From the experiment to words: Table 3 in the paper's own form, what to make of it, and what it was done on."""

from __future__ import annotations

from collections import Counter

from clearwin.results.keller2004 import NAMES, PAPER, Experiment
from clearwin.results.study import ConfidenceRow
from clearwin.text import capital, one_line, percent
from clearwin.words.base import ResultWords, words_about
from clearwin.words.methods import measure_rows
from clearwin.words.phrases import name_list, number, repeat_row
from clearwin.words.summary import Block, FactRows, Facts, Grid, Sentences

HEADS = (("Bootstrap percentile", "Percentage on"), ("Test confidence", "D_true sub-sampling"))
METHOD = {
    "experiment": "two sets of one-against-the-others SVMs, linear (A) and Gaussian (B), trained and tuned on D_tr",
    "question": "Is the bootstrap's confidence in the better model on a small test set (D_te) right on other test sets "
    "of that size, drawn from a much larger one (D_true)?",
    "test confidence": "#{sign(d*) = sign(d)}/replicates, d* the difference on D_te drawn anew with replacement "
    "(keller2004 (13))",
    "sub-sampling": "share of the sets drawn from D_true on which the model that leads on D_te is ahead",
}


class ExperimentWords(ResultWords[Experiment]):
    """Table 3 in the paper's own form, what to make of it, and what it was done on."""

    def __init__(self, result: Experiment, margin: float | None = None) -> None:
        super().__init__(result, margin)
        self.caveats += () if result.study is None else result.study.caveats

    def headline(self) -> str:
        return f"keller2004, section 5, on {self.result.corpus}"

    def opening(self) -> tuple[str, ...]:
        sizes = self.result.sizes
        models = (
            f"A has linear SVMs and B Gaussian SVMs, both trained on {sizes['train']:,} documents (D_tr). D_te has "
            f"{sizes['test']:,} others, and D_true has {sizes['true']:,}."
        )
        return (self.headline(), models)

    def verdict(self) -> str:
        """Compare the two columns in the words of the paper's own reading."""
        rows = [(row.category_set, row.confidence, row.value) for row in self.result.table]
        both = [(name, stated, won) for name, stated, won in rows if stated is not None and won is not None]
        over = [name for name, stated, won in both if stated > won]
        under = [name for name, stated, won in both if stated < won]
        wrong = [name for name, _, won in both if won < 0.5]
        more = f"over {_together(over)} the bootstrap on D_te is more confident than the sets from D_true"
        who, than = ("it", "") if over else ("the bootstrap on D_te", " than the sets from D_true")
        less = f"over {_together(under)} {who} is less confident{than}"
        last = f" Over {_together(wrong)} the leader on D_te loses on most sets from D_true." if wrong else ""
        differ = [more] * bool(over) + [less] * bool(under)
        return f"{capital(', and '.join(differ) or 'The two columns agree')}.{last}"

    def blocks(self) -> tuple[Block, ...]:
        """Return Table 3, the values behind it, what it was done on, the study."""
        blocks = (self._table3(), self._values(), Sentences(f"{self.verdict()} {self._reading()}"), Facts(self._rows()))
        if self.result.study is None:
            return blocks
        study = words_about(self.result.study)
        first, *further = study.opening()
        _, *tables = study.blocks()  # The first table is Table 3 again.
        return (*blocks, *map(Sentences, (f"What Table 3 cannot show: {first}", *further)), *tables)

    def method(self) -> FactRows:
        r = self.result
        if r.study is not None:
            return (*METHOD.items(), *words_about(r.study).method())
        source = ("source", "keller2004 section 5, Table 3 and Figure 1")
        return (*METHOD.items(), source, *measure_rows(r.measure, r.measure_label))

    def paper(self) -> str:
        r, sizes = self.result, self.result.sizes
        rows = [f"over {row.category_set} {_share(row.confidence)} against {_share(row.value)}" for row in r.table]
        return (
            f"In the experiment of keller2004 section 5 on {r.corpus} ({sizes['train']:,} documents for training, "
            f"{sizes['test']:,} for the test), the bootstrap's confidence in the leader by {r.measure_label}, against "
            f"how often it led on {r.n_sets:,} sets from {sizes['true']:,} other documents, was {', '.join(rows)} "
            f"({r.n_resamples:,} replicates, {', '.join(self.seeded())})."
        )

    def brief(self) -> str:
        return f"{self.headline()}: {self.verdict()}"

    def table(self) -> Grid:
        head = ("set", "leader", "confidence", "right", "leader in the paper", "confidence", "right")
        rows = []
        for row in self.result.table:
            leader, confidence, right = PAPER[row.category_set]
            row_here = (row.leader or "none", _share(row.confidence), _share(row.value))
            rows.append((row.category_set, *row_here, leader, _share(confidence), _share(right)))
        return Grid(head, tuple(rows))

    def _table3(self) -> Grid:
        """Write Table 3 as it is printed, with what is printed there beside it."""
        name, lines = symbol(self.result), []
        for row in self.result.table:
            leader, confidence, percentage = PAPER[row.category_set]
            paper = (_confidence(leader, confidence, "F1"), _percent(percentage))
            computed = (_confidence(row.leader, row.confidence, name), _percent(row.value))
            lines.append((f"Experiment over {row.category_set}", *computed, *paper))
        over = (("", "here", "", "in the paper, on RCV1", ""), ("", *HEADS[0], *HEADS[0]))
        title = f"Table 3: Confidence on |{name}_B − {name}_A| > 0"
        return Grid(("", *HEADS[1], *HEADS[1]), tuple(lines), title, over=over)

    def _values(self) -> Grid:
        """Return the values behind the table, which the paper does not print."""
        name = symbol(self.result)
        head = ("", *(f"{name}_{model} on D_{part}" for part in ("te", "true") for model in "AB"))
        return Grid(head, tuple((f"over {row.category_set}", *_numbers(row)) for row in self.result.table))

    def _reading(self) -> str:
        """Say why the paper's rows do not correspond to ours."""
        return (
            f"Two sets from D_true share {_percent(self.result.table[0].overlap)} of their documents (the paper: less "
            "than 1%). The paper's three sets are of other documents and categories, so do not match its rows with "
            "these one by one. Its two columns differ by up to 15 points."
        )

    def _rows(self) -> FactRows:
        r, sizes = self.result, self.result.sizes
        documents = f"D_tr {sizes['train']:,}, D_te {sizes['test']:,}, D_true {sizes['true']:,}"
        ratio = sizes["true"] / sizes["test"]
        per_set = len(next(iter(r.sets.values())))
        terms = "those of D_tr, without stop words, stemmed (Harman's S stemmer) and weighted by tf-idf"
        return (
            ("corpus", f"{r.origin}: {sum(sizes.values()):,} documents, {r.n_categories:,} categories"),
            ("documents", f"{documents}, which is {ratio:.3g} times D_te (the paper: 7,982, 7,909 and 790,900)"),
            ("terms", f"{r.n_terms:,}, {'tf-idf as the corpus came' if r.tfidf_by_corpus else terms}"),
            *((name, name_list(members, 30)) for name, members in r.sets.items()),
            ("model A", f"linear SVMs, one for each category; {self._chosen('a')}"),
            ("model B", f"Gaussian SVMs, one for each category; {self._chosen('b')}"),
            ("measure", f"{r.measure_label} over the {per_set} categories of a set"),
            (
                "drawn",
                f"{r.n_resamples:,} bootstrap replicates on D_te; {r.n_sets:,} sets of {sizes['test']:,} documents "
                "from D_true, with replacement",
            ),
            repeat_row(r.signature),
        )

    def _chosen(self, role: str) -> str:
        """Say what cross-validation chose, and for how many categories: C = 10 (12), C = 1 (9)."""
        categories = self.result.settings[role].values()
        often = Counter(", ".join(f"{key} = {value:g}" for key, value in chosen.items()) for chosen in categories)
        return "chosen: " + "; ".join(f"{settings} ({count})" for settings, count in often.most_common())


def symbol(experiment: Experiment) -> str:
    """Write F1 for any average of F1, as the paper does; other measures by their label."""
    return "F1" if "F1" in experiment.measure_label else one_line(experiment.measure_label)


def _confidence(leader: str | None, confidence: float | None, name: str) -> str:
    if leader is None:
        return "neither is ahead"
    ahead, behind = ("A", "B") if leader == NAMES[0] else ("B", "A")
    return f"{_percent(confidence)} ({name}*_{ahead} > {name}*_{behind})"


def _percent(fraction: float | None) -> str:
    return "none" if fraction is None else f"{percent(fraction)}%"


def _share(fraction: float | None) -> str:
    return "undefined" if fraction is None else f"{percent(fraction)} %"


def _numbers(row: ConfidenceRow) -> list[str]:
    values = (row.estimate_a, row.estimate_b, row.true_a, row.true_b)
    return ["none" if value is None else number(value) for value in values]


def _together(names: list[str]) -> str:
    *others, last = names or [""]
    return f"{', '.join(others)} and {last}" if others else last
