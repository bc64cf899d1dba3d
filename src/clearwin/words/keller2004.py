"""From the experiment to words: Table 3 in the paper's own form, what to make of it, and what it was done on."""

from __future__ import annotations

from collections import Counter

from clearwin.results.keller2004 import NAMES, PAPER, Experiment
from clearwin.results.study import ConfidenceRow
from clearwin.text import capital, one_line, percent
from clearwin.words.base import Block, Facts, Grid, Summary, Words, read_words_about, words_of
from clearwin.words.methods import experiment_rows
from clearwin.words.phrases import few, number, repeat_row

HEADS = (("Bootstrap percentile", "Percentage on"), ("Test confidence", "D_true sub-sampling"))


@words_of.register
def _(found: Experiment) -> Summary:
    """Table 3, the values behind it, what it was done on, the study."""
    blocks: list[Block] = [_table(found), _values(found), Words(f"{told(found)} {_reading(found)}"), _facts(found)]
    doubts: tuple[str, ...] = ()
    if found.study is not None:
        read_words_about(found.study)
        more = words_of(found.study)
        title = f"What Table 3 cannot show: {more.opening[0]}"
        blocks += [*map(Words, (title, *more.opening[1:])), *more.blocks[1:]]  # the first is Table 3 again
        doubts = tuple(map(str, found.study.caveats))
    return Summary(
        opening=(f"keller2004, section 5, on {found.corpus}", _models(found)),
        verdict=told(found),
        blocks=tuple(blocks),
        caveats=doubts,
        method=experiment_rows(found.measure, found.measure_label, found.study is not None),
    )


def _models(found: Experiment) -> str:
    sizes = found.sizes
    return (
        f"A has linear SVMs and B Gaussian SVMs, both trained on {sizes['train']:,} documents (D_tr). D_te has "
        f"{sizes['test']:,} others, and D_true has {sizes['true']:,}."
    )


def _facts(found: Experiment) -> Facts:
    sizes = found.sizes
    documents = f"D_tr {sizes['train']:,}, D_te {sizes['test']:,}, D_true {sizes['true']:,}"
    ratio = sizes["true"] / sizes["test"]
    each = len(next(iter(found.sets.values())))
    rows = [
        ("corpus", f"{found.origin}: {sum(sizes.values()):,} documents, {found.n_categories:,} categories"),
        ("documents", f"{documents}, which is {ratio:.3g} times D_te (the paper: 7,982, 7,909 and 790,900)"),
        ("terms", f"{found.n_terms:,}, {_terms(found)}"),
        *((name, few(members, 30)) for name, members in found.sets.items()),
        ("model A", f"linear SVMs, one for each category; {_chosen(found, 'a')}"),
        ("model B", f"Gaussian SVMs, one for each category; {_chosen(found, 'b')}"),
        ("measure", f"{found.measure_label} over the {each} categories of a set"),
        (
            "drawn",
            f"{found.n_resamples:,} bootstrap replicates on D_te; {found.n_sets:,} sets of {sizes['test']:,} "
            "documents from D_true, with replacement",
        ),
        repeat_row(found.signature),
    ]
    return Facts(tuple(rows))


def _terms(found: Experiment) -> str:
    if found.tfidf_by_corpus:
        return "tf-idf as the corpus came"
    return "those of D_tr, without stop words, stemmed (Harman's S stemmer) and weighted by tf-idf"


def _chosen(found: Experiment, role: str) -> str:
    """Say what cross-validation chose, and for how many categories: C = 10 (12), C = 1 (9)."""
    often = Counter(
        ", ".join(f"{key} = {value:g}" for key, value in chosen.items()) for chosen in found.settings[role].values()
    )
    return "chosen: " + "; ".join(f"{settings} ({count})" for settings, count in often.most_common())


def _table(found: Experiment) -> Grid:
    """Write Table 3 as it is printed, with what is printed there beside it."""
    name, lines = symbol(found), []
    for row in found.table:
        leader, confidence, percentage = PAPER[row.category_set]
        there = (_confidence(leader, confidence, "F1"), _percent(percentage))
        here = (_confidence(row.leader, row.confidence, name), _percent(row.value))
        lines.append((f"Experiment over {row.category_set}", *here, *there))
    over = (("", "here", "", "in the paper, on RCV1", ""), ("", *HEADS[0], *HEADS[0]))
    title = f"Table 3: Confidence on |{name}_B − {name}_A| > 0"
    return Grid(("", *HEADS[1], *HEADS[1]), tuple(lines), title, over=over)


def symbol(found: Experiment) -> str:
    """Write F1 for any average of F1, as the paper does; other measures by their label."""
    return "F1" if "f1" in found.measure else one_line(found.measure_label)


def _confidence(leader: str | None, confidence: float | None, name: str) -> str:
    if leader is None:
        return "neither is ahead"
    ahead, behind = ("A", "B") if leader == NAMES[0] else ("B", "A")
    return f"{_percent(confidence)} ({name}*_{ahead} > {name}*_{behind})"


def _percent(fraction: float | None) -> str:
    return "none" if fraction is None else f"{percent(fraction)}%"


def _values(found: Experiment) -> Grid:
    """Return the values behind the table, which the paper does not print."""
    name = symbol(found)
    head = ("", *(f"{name}_{model} on D_{part}" for part in ("te", "true") for model in "AB"))
    return Grid(head, tuple((f"over {row.category_set}", *_numbers(row)) for row in found.table))


def _numbers(row: ConfidenceRow) -> list[str]:
    values = (row.estimate_a, row.estimate_b, row.true_a, row.true_b)
    return ["none" if value is None else number(value) for value in values]


def told(found: Experiment) -> str:
    """Compare the two columns in the words of the paper's own reading."""
    rows = [(row.category_set, row.confidence, row.value) for row in found.table]
    both = [(name, stated, seen) for name, stated, seen in rows if stated is not None and seen is not None]
    over = [name for name, stated, seen in both if stated > seen]
    under = [name for name, stated, seen in both if stated < seen]
    wrong = [name for name, _, seen in both if seen < 0.5]
    more = [f"over {_together(over)} the bootstrap on D_te is more confident than the sets from D_true"] if over else []
    who = "it" if over else "the bootstrap on D_te"
    less = (
        [f"over {_together(under)} {who} is less confident{'' if over else ' than the sets from D_true'}"]
        if under
        else []
    )
    last = f" Over {_together(wrong)} the leader on D_te loses on most sets from D_true." if wrong else ""
    return f"{capital(', and '.join([*more, *less]) or 'The two columns agree')}.{last}"


def _reading(found: Experiment) -> str:
    """Say why the paper's rows do not correspond to ours."""
    return (
        f"Two sets from D_true share {_percent(found.table[0].overlap)} of their "
        "documents (the paper: less than 1%). The paper's three sets are of other documents and categories, so do not "
        "match its rows with these one by one. Its two columns differ by up to 15 points."
    )


def _together(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
