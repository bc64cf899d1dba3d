"""Several files: what joins them, and where of two, one of each model, the truth is: in A's, and B's has to agree."""

from __future__ import annotations

from typing import Any

from clearwin.data.files.columns import name_of, read_columns
from clearwin.data.files.sources import Table, open_source, open_table, workshop
from clearwin.errors import DataError, OptionError
from clearwin.web.columns import as_label


def truth_in_a(asked: dict[str, Any]) -> bool:
    """Whether two files were sent with a truth: then A's file stands for the truth, too."""
    from clearwin.measures import find

    return len(asked["files"]) == 2 and bool(asked["truth"]) and find(asked["measure"]).takes != "values"


def refuse_incomplete(asked: dict[str, Any]) -> None:
    """Raise where of several files it is not said what joins them, or in which column the truth is."""
    from clearwin.measures import find

    measure, sent = find(asked["measure"]), len(asked["files"])
    if sent < 2 or measure.takes == "sums":
        return  # what reads counts says itself that it takes one file
    if measure.takes != "values" and sent == 2 and not asked["truth"]:
        raise OptionError(
            "There are two files, and it is not said which column is the truth.",
            "a column with the true labels in A's file, or a third file with the truth",
            "choose the column with --truth, or a measure of values, such as --measure mean",
        )
    if measure.takes == "values" and sent == 3:
        raise OptionError(
            f"There are three files, and {measure.label} takes no truth.",
            "the two files of A and B",
            "leave the file with the truth out, or choose another --measure",
        )
    if not asked["id_column"]:
        raise OptionError(
            f"It is not said which column joins the {sent} files.",
            "a column with the items' ids, of the same name in every file",
            "choose the column with --id",
        )


def refuse_other_truth(asked: dict[str, Any]) -> None:
    """Raise where the file of B has another truth for an item than that of A."""
    _, a, b = asked["files"]
    truth, key = asked["truth"], asked["id_column"]
    if not key or "*" in truth:
        return  # without an id it is refused anyway; a pattern of columns is not compared
    ours, theirs = (_truths(file, truth, key) for file in (a, b))
    for item in ours.keys() & theirs.keys():
        if ours[item] != theirs[item]:
            differing = sum(theirs.get(other, value) != value for other, value in ours.items())
            raise DataError(
                f"The truths of {a} and {b} differ for {differing:,} items: {item} is {ours[item]!r} and "
                f"{theirs[item]!r}.",
                f"the same {truth} in both files",
                "correct one of them, or send the truth as a file of its own",
            )


def _truths(file: str, truth: str, key: str) -> dict[str, str | None]:
    """Return id → truth, or nothing where the file has no such columns."""
    with workshop() as (db, scratch):
        table: Table = open_table(db, open_source(file, scratch))
        texts = [table.texts.get(column, "error()") for column in (truth, key)]
        if any(text.startswith("error(") for text in texts):  # no such column, or one of lists
            return {}
        roles = {"id": key, "truth": truth}
        rows = read_columns(db, table, roles, f"SELECT {name_of('id')}, {name_of('truth')} FROM items")
    return {item: as_label(table, value) for item, value in rows}
