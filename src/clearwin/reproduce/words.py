"""From the experiment to words: what it was done on, Table 3 in the paper's own form, and what to make of it."""

from __future__ import annotations

import textwrap
from collections import Counter

from clearwin.curve_words import one_line
from clearwin.reproduce.record import PAPER, Experiment, TableRow
from clearwin.verdict import WIDTH, few, number

HEADS = (("", "Bootstrap percentile", "Percentage on"), ("", "Test confidence", "D_true sub-sampling"))


def as_text(found: Experiment) -> str:
    """Write the experiment for a person: corpus, models, Table 3, the values behind it, caveats."""
    title = f"keller2004, section 5, on {one_line(found.corpus)}"
    parts = [title, "", *_facts(found), "", *_table(found), "", *_values(found), ""]
    parts.append(_wrapped(_reading(found)))
    parts += [_wrapped(f"Caveat: {caveat}") for caveat in found.caveats]
    for name, study in found.studies.items():
        parts += ["", f"What Table 3 cannot show, over {name}:", "", str(study)]
    return "\n".join(parts)


def _facts(found: Experiment) -> list[str]:
    sizes = found.sizes
    documents = f"D_tr {sizes['train']:,}, D_te {sizes['test']:,}, D_true {sizes['true']:,}"
    ratio = sizes["true"] / sizes["test"]
    each = len(next(iter(found.sets.values())))
    rows = [
        ("corpus", f"{one_line(found.origin)}: {sum(sizes.values()):,} documents, {found.n_categories:,} categories"),
        ("documents", f"{documents}, which is {ratio:.3g} times D_te (the paper: 7,982, 7,909 and 790,900)"),
        ("terms", f"{found.n_terms:,}, {_terms(found)}"),
        *((name, few([one_line(category) for category in members], 30)) for name, members in found.sets.items()),
        ("model A", f"linear SVMs, one for each category; {_chosen(found, 'a')}"),
        ("model B", f"Gaussian SVMs, one for each category; {_chosen(found, 'b')}"),
        ("measure", f"{found.measure_label} over the {each} categories of a set"),
        ("drawn", f"{found.n_resamples:,} bootstrap replicates on D_te; {found.n_sets:,} sets of {sizes['test']:,} "
                  "documents from D_true, with replacement"),
        ("repeat with", f"seed {found.seed}, clearwin {found.version}"),
    ]  # fmt: skip
    width = max(len(name) for name, _ in rows)
    return [_wrapped(text, f"  {name.ljust(width)}  ") for name, text in rows]


def _terms(found: Experiment) -> str:
    if found.tfidf_by_corpus:
        return "tf-idf as the corpus came"
    return "those of D_tr: stop words left out, plurals taken off (Harman's S stemmer), weighted by tf-idf"


def _chosen(found: Experiment, role: str) -> str:
    """Tell what cross-validation chose, and for how many categories: C = 10 (12), C = 1 (9)."""
    often = Counter(
        ", ".join(f"{key} = {value:g}" for key, value in chosen.items()) for chosen in found.settings[role].values()
    )
    return "chosen: " + "; ".join(f"{settings} ({count})" for settings, count in often.most_common())


def _table(found: Experiment) -> list[str]:
    """Write Table 3 as it is printed, with what is printed there beside it."""
    lines = [("", "here", "", "in the paper, on RCV1", "")]
    lines += [(*head, *head[1:]) for head in HEADS]
    name = symbol(found)
    for row in found.rows:
        leader, confidence, percentage = PAPER[row.name]
        there = (_confidence(leader, confidence, "F1"), _percent(percentage))
        here = (_confidence(row.leader, row.confidence, name), _percent(row.percentage) if row.leader else "none")
        lines.append((f"Experiment over {row.name}", *here, *there))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return [f"Table 3: Confidence on |{name}_B − {name}_A| > 0", "", *(f"  {line}" for line in text)]


def symbol(found: Experiment) -> str:
    """Write F1 for any average of F1, as the paper does; other measures by their label."""
    return "F1" if "f1" in found.measure else one_line(found.measure_label)


def _confidence(leader: str | None, confidence: float, name: str) -> str:
    if leader is None:
        return f"{_percent(confidence)} (neither ahead)"
    ahead, behind = ("B", "A") if leader == "b" else ("A", "B")
    return f"{_percent(confidence)} ({name}*_{ahead} > {name}*_{behind})"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}%"


def _values(found: Experiment) -> list[str]:
    """Write the values behind the table, which the paper does not print."""
    name = symbol(found)
    head = ("", *(f"{name}_{model} on D_{part}" for part in ("te", "true") for model in "AB"))
    lines = [head, *((f"over {row.name}", *_numbers(row)) for row in found.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return ["  " + "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]


def _numbers(row: TableRow) -> list[str]:
    return [number(value) for value in (row.test_a, row.test_b, row.true_a, row.true_b)]


def _reading(found: Experiment) -> str:
    """Compare the two columns in the words of the paper's own reading."""
    over = [row.name for row in found.rows if row.leader and row.confidence > row.percentage]
    under = [row.name for row in found.rows if row.leader and row.confidence < row.percentage]
    told = [
        f"over {' and '.join(names)} the bootstrap on D_te is {word} than the sets from D_true"
        for names, word in ((over, "more confident"), (under, "less confident"))
        if names
    ]
    wrong = [row.name for row in found.rows if row.leader and row.percentage < 0.5]
    if wrong:
        told.append(f"over {' and '.join(wrong)} the model that leads on D_te loses on most sets from D_true")
    text = "; ".join(told) or "The two columns agree"
    return (
        f"{text[0].upper()}{text[1:]}. The paper's three sets are of other documents and categories, so that its rows "
        "are not to be matched one by one; there, too, the two columns differ by up to 15 points."
    )


def _wrapped(text: str, lead: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=lead, subsequent_indent=" " * (len(lead) or 2), break_long_words=False
    )
