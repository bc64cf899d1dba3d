"""The items on which two models differ: what people look at next.

For decisions, label sets and counts these are all items with different answers. Scores and values differ nearly
everywhere, so items are sorted by how far they move in the ranking, or by how far their values differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearwin.data.arrays import drop_missing, label_codes, read_sums
from clearwin.data.clusters import codes, columns_of_groups
from clearwin.data.label_sets import LabelSets, is_label_sets, read_label_sets, restricted
from clearwin.data.reading import Reading
from clearwin.data.scores import midranks, read_thresholds
from clearwin.measures import Measure
from clearwin.numerics.alignment import refuse_shuffled_indexes
from clearwin.numerics.arrays import Floats, Ints
from clearwin.reading.reading import fetched, labelled
from clearwin.reading.table import Table
from clearwin.results.comparison import Disagreement


def disagreements(
    data: Table | None, truth: Any, a: Any, b: Any, measure: Measure, how: Reading, thresholds: Any, ids: Any = None
) -> list[Disagreement]:
    """Return the items of arrays, or of the columns of a table, on which A and B differ.

    ``thresholds`` are those that made decisions of scores, if they did. An item is named by its id in ``ids``, by its
    label in a pandas index, or else by its position from 0.
    """
    refuse_shuffled_indexes({"truth": truth, "a": a, "b": b, "ids": ids})
    first_row = 0
    if data is not None:
        models = {"a": a, "b": b}
        differing = data.differing(truth, models, measure, how, ids)
        if differing is not None:
            return differing
        items = labelled(data, truth, models, measure, how, with_ids=True) if data.labels_are_text else None
        if items is not None:
            sets = items.sets if how.labels is None else restricted(items.sets, how.labels)
            return of_label_sets(sets, range(1, sets.n + 1) if items.ids is None else items.ids)
        first_row, ids = data.first_row, data.id if ids is None else ids
        truth, columns, how = fetched(data, truth, models, measure, how, ids=ids)
        a, b, ids = (columns[role] for role in ("a", "b", "ids"))
    if ids is None:
        ids = getattr(a, "index", None) if hasattr(a, "iloc") else None
    if ids is None and (first_row or how.missing == "drop"):
        ids = range(first_row, first_row + (len(a[0]) if isinstance(a, tuple) else len(_plain(a))))
    if how.missing == "drop":
        units = {"strata": how.strata, "order": how.order}
        groups = {f"groups {i}": column for i, column in enumerate(columns_of_groups(how.groups), 1)}
        kept, _ = drop_missing({"truth": truth, "a": a, "b": b, "ids": list(ids), **groups, **units})
        truth, a, b, ids = (kept[role] for role in ("truth", "a", "b", "ids"))
    if measure.takes == "sums":
        gold, *tables = read_sums(truth, {"a": a, "b": b})
        where = np.flatnonzero((tables[0] != tables[1]).any(axis=1))
        rows_a, rows_b = ([tuple(row) for row in table.tolist()] for table in tables)
        return _listed(where, _names(ids, gold.size), gold, rows_a, rows_b)
    if thresholds is not None:
        cuts = read_thresholds(thresholds, 2)
        scores = [np.asarray(x, dtype=np.float64) for x in (a, b)]
        above = [own >= cut for own, cut in zip(scores, cuts, strict=True)]
        return _listed(np.flatnonzero(above[0] != above[1]), _names(ids, above[0].size), truth, *scores)
    if measure.needs_numbers:
        return of_numbers(truth, a, b, ranked=bool(measure.scan), ids=ids)
    if how.separator is not None or is_label_sets(truth, a, b):
        return of_label_sets(read_label_sets(truth, a, b, separator=how.separator), ids)
    coded, _ = label_codes("a and b", [*_plain(a), *_plain(b)])
    first, second = np.split(coded, 2)
    return _listed(np.flatnonzero(first != second), _names(ids, first.size), truth, a, b)


def of_numbers(truth: Any, a: Any, b: Any, *, ranked: bool, ids: Any = None) -> list[Disagreement]:
    """Return the items by how far they move from A to B: their place in the ranking (0 to 1), or their value."""
    scores = [np.asarray(x, dtype=np.float64) for x in (a, b)]
    n = scores[0].size
    shift = (midranks(scores[1]) - midranks(scores[0])) / n if ranked else scores[1] - scores[0]
    where = np.argsort(-np.abs(shift), kind="stable")
    where = where[shift[where] != 0.0]
    return _listed(where, _names(ids, n), truth, scores[0], scores[1], shift)


def of_label_sets(sets: LabelSets, ids: Any = None) -> list[Disagreement]:
    """Return the documents to which the two models gave different labels."""
    given, who = sets.outcomes
    documents, label = np.divmod(given, len(sets.labels))
    where = np.unique(documents[(who >> 1 & 1) != (who & 1)])
    names, found = _names(ids, sets.n), []
    for document in where.tolist():
        start, end = np.searchsorted(documents, [document, document + 1])
        given_by = list(zip(label[start:end].tolist(), who[start:end].tolist(), strict=True))
        truth, a, b = (", ".join(str(sets.labels[i]) for i, by in given_by if by & bit) for bit in (4, 2, 1))
        found.append(Disagreement(names[document], truth, a, b))
    return found


def _names(ids: Any, n: int) -> Sequence[Any]:
    """Return a name for each item."""
    if ids is None:
        return range(n)
    place, names = codes(ids, "ids", n)
    return [names[i] for i in place.tolist()]


def _plain(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _listed(
    where: Ints, names: Sequence[Any], truth: Any, a: Any, b: Any, shift: Floats | None = None
) -> list[Disagreement]:
    truths, first, second = (_plain(column) for column in ([None] * len(names) if truth is None else truth, a, b))
    return [
        Disagreement(names[i], truths[i], first[i], second[i], None if shift is None else float(shift[i]))
        for i in where.tolist()
    ]
