"""SWE-bench: reports of a run (`<model>.<run_id>.json`) or of single instances, and `results.json` of the experiments.

The item is the instance, its group the repository. What is not resolved has failed, also where nothing was submitted:
the data set is the denominator, not what was submitted. A run that submitted few instances is a partial one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clearwin.data.logs.base import Answer, Format, LogFile, Run
from clearwin.errors import FileError, first_few

NAME = "SWE-bench report"
MOSTLY = 0.9  # a run that submitted a smaller share is a partial one
INFRASTRUCTURE = ("infra_failure_ids", "ambiguous_failure_ids")
LISTS = ("no_generation", "generated", "with_logs", "no_logs", "no_apply", "applied", "test_errored", "test_timeout")


def _is_instances(found: Any) -> bool:
    """Whether it has reports of single instances: {id: {"resolved": …}}."""
    return (
        isinstance(found, dict)
        and bool(found)
        and all("__" in key and isinstance(one, dict) and "resolved" in one for key, one in found.items())
    )


def _is_report(file: LogFile) -> bool:
    found = file.document
    if not isinstance(found, dict):
        return False
    listed = isinstance(found.get("resolved"), list) and any(isinstance(found.get(name), list) for name in LISTS)
    return isinstance(found.get("resolved_ids"), list) or listed or _is_instances(found)


def _is_data_set(file: LogFile) -> bool:
    return bool(_data_set(file.document))


def _data_set(found: Any) -> list[str]:
    """Return the ids of a data set: a list of them, of its instances, or what is called instance_ids."""
    listed = found.get("instance_ids", []) if isinstance(found, dict) else found
    if not isinstance(listed, list):
        return []
    ids: list[Any] = [one.get("instance_id") if isinstance(one, dict) else one for one in listed]
    return ids if ids and all(isinstance(one, str) and "__" in one for one in ids) else []


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    data_set = [one for file in companions for one in _data_set(file.document)]
    single: dict[str, dict[str, bool]] = {}
    for file in files:
        found = file.document
        if _is_instances(found):
            resolved = {key: bool(one["resolved"]) for key, one in found.items()}
            single.setdefault(file.path.parent.parent.name, {}).update(resolved)
        else:
            yield _of_report(file, found, data_set)
    for model, resolved in single.items():
        where = f"{len(resolved):,} reports of {model}"
        yield _run(where, model, data_set or resolved, [i for i, right in resolved.items() if right], resolved, {})


def _of_report(file: LogFile, found: dict[str, Any], data_set: list[str]) -> Run:
    if "resolved_ids" in found:
        submitted = found.get("submitted_ids", [])
        known = {i for name, ids in found.items() if name.endswith("_ids") and isinstance(ids, list) for i in ids}
        if not data_set and len(known) < found.get("total_instances", 0):
            raise _no_data_set(file.name, f"names {len(known):,} of {found['total_instances']:,} instances")
        dropped = {i: "failed because of the infrastructure" for name in INFRASTRUCTURE for i in found.get(name, [])}
        return _run(file.name, file.path.stem, data_set or sorted(known), found["resolved_ids"], submitted, dropped)
    listed = {i for name in (*LISTS, "resolved") for i in found.get(name, [])}
    if not data_set and "generated" not in found:
        raise _no_data_set(file.name, "does not list the instances that were not resolved")
    submitted = data_set or listed  # what has no patch was tried, too
    return _run(file.name, file.path.parent.name, data_set or sorted(listed), found["resolved"], submitted, {})


def _no_data_set(name: str, why: str) -> FileError:
    return FileError(
        f"{name} {why}.",
        "the ids of the data set, because an instance that is not in a report counts as failed",
        "name a JSON file with the list of instance ids besides the reports",
    )


def _run(
    name: str,
    model: str,
    ids: Iterable[str],
    resolved: Iterable[str],
    submitted: Iterable[str],
    dropped: dict[str, str],
) -> Run:
    right, tried, everything = set(resolved), set(submitted), list(dict.fromkeys(ids))
    strange = right - set(everything)
    if strange:
        raise FileError(
            f"{name} has resolved instances that are not in the data set: {first_few(sorted(strange), len(strange))}.",
            "the ids of the data set that was run",
        )
    partial = len(tried & set(everything)) < MOSTLY * len(everything)
    left_out = dict(dropped)
    if partial:
        left_out |= {i: "was not submitted" for i in everything if i not in tried}
    absent = 0 if partial else len(set(everything) - tried)
    return Run(
        format=NAME,
        file=name,
        model=model,
        task="SWE-bench",
        rows=[
            Answer(i, {"resolved": float(i in right)}, groups={"repository": i.partition("__")[0]})
            for i in everything
            if i not in left_out
        ],
        doubts=(f"{absent:,} instances that {model} did not submit count as failed.",) if absent else (),
        left_out=left_out,
        grouped_by=("repository",),
    )


FORMAT = Format(NAME, _is_report, _read, _is_data_set)
