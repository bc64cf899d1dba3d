"""Whatever ``data`` is becomes a table: a path, several paths, a frame, or a table that is open already."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from clearwin.data.logs import takes_logs
from clearwin.errors import OptionError, setting
from clearwin.reading.table import Table

if TYPE_CHECKING:
    from clearwin.counts import JointCounts

P = ParamSpec("P")
R = TypeVar("R")


def are_paths(data: Any) -> bool:
    """Whether data are a path, or several."""
    several = isinstance(data, list | tuple) and bool(data) and all(isinstance(one, str | os.PathLike) for one in data)
    return several or isinstance(data, str | os.PathLike)


@contextmanager
def opened(data: Any, id: str | None = None) -> Iterator[Table]:
    """Yield a table of paths, a frame, or a table itself, which stays open.

    A path is a file, a folder or a pattern of Parquet files, a database as ``duckdb://preds.db?table=preds``, or "-"
    for standard input. Several paths are those of the truth and of each model, joined by ``id``; the truth may also be
    in the file of a model.
    """
    if isinstance(data, Table):
        yield data
    elif are_paths(data):
        from clearwin.data.files.sources import open_files
        from clearwin.reading.file_table import FileTable

        with open_files() as home:
            table = FileTable(data if isinstance(data, list | tuple) else [data], id, home)
            try:
                yield table
            finally:
                table.close()
    else:
        from clearwin.reading.frame_table import FrameTable

        if id is not None:
            raise OptionError(
                "id joins files, and this is a frame.", "one frame", 'join_frames({"gold": …, "svm": …}, id="item")'
            )
        yield FrameTable(data)


def counts_in(data: Any, named: Sequence[Any]) -> JointCounts | None:
    """Return the joint counts that a file holds, if it is such a file; nothing in it can be named."""
    path = data[0] if isinstance(data, list | tuple) and len(data) == 1 else data
    if not isinstance(path, str | os.PathLike):
        return None
    from clearwin.data.files.predictions import is_counts_file

    is_named = any(one is not None for one in named)
    if not is_counts_file(path) and (os.fspath(path) != "-" or is_named):
        return None
    if is_named:
        first, *others = (setting(name, python=name) for name in OF_COLUMNS)
        expected = functools.reduce(lambda text, name: text + ", " + name, others, "neither " + first)
        what = f"{os.fspath(path)} holds counts, without columns or labels."
        raise OptionError(what, expected + " with a counts file")
    from clearwin.counts import JointCounts
    from clearwin.data.files.predictions import read_joint_counts

    return JointCounts(**read_joint_counts(path))


OF_COLUMNS = ("truth", "a", "b", "id", "groups", "strata", "order", "labels", "separator", "positive", "by")


def takes_data(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb take paths, frames, tables or logs as ``data``; the verb itself gets a table, or none."""
    of_table, of_logs = takes_table(verb), takes_logs(verb)

    @functools.wraps(verb)
    def asked(*args: P.args, **given: P.kwargs) -> R:
        are_logs = type(given.get("data")).__module__.startswith("clearwin.data.logs")
        return (of_logs if are_logs else of_table)(*args, **given)

    return asked


def takes_table(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb take paths, frames or tables as ``data``; the verb itself gets a table, or none."""

    @functools.wraps(verb)
    def opened_first(*args: P.args, **given: P.kwargs) -> R:
        data: Any = given.get("data")
        if data is None:
            return verb(*args, **given)
        counts = counts_in(data, [*args, *(given.get(name) for name in OF_COLUMNS)])
        if counts is not None:
            rest: Any = {name: value for name, value in given.items() if name not in ("data", *OF_COLUMNS)}
            return verb(counts, **rest)  # type: ignore[arg-type]
        id: Any = given.get("id")
        with opened(data, id) as table:
            return verb(*args, **{**given, "data": table})  # type: ignore[arg-type]

    return opened_first


def refuse_id_of_arrays(data: Any, id: Any) -> None:
    """Raise if items of arrays are to be joined by a column."""
    if data is None and id is not None:
        raise OptionError(
            "id is a column of files, and these are arrays.",
            "data with the names of its columns",
            setting("data", "preds.csv"),
        )
