"""From systems to one table: the same items of all of them, side by side, and what there is to say about it.

Items are paired by task, id and repeat. What must agree and does not is refused; what may differ is a caveat; items
that some run lacks are refused unless part of them will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from clearwin.data.logs.base import Answer, Run
from clearwin.data.logs.opening import System, open_systems
from clearwin.data.logs.runs import Runs
from clearwin.errors import ClearwinError, DataError, OptionError, UnknownNameError, first_few, setting
from clearwin.results.caveats import Caveat, caveat
from clearwin.text import composed, counted


def read(
    *paths: Any,
    metric: str | None = None,
    filter: str | None = None,
    partial: bool = False,
    systems: Sequence[str] | None = None,
) -> Runs:
    """Read evaluation logs: files, folders or patterns, of lm-evaluation-harness, Inspect, HELM, SWE-bench and others.

    Parameters
    ----------
    paths
        Where the logs of each system are. Their format is found by their content. What belongs to them (judgements of
        TREC topics, the ids of a data set) may be named among them.
    metric
        The metric of the log to judge by; needed where there are several. For repeated items also "pass@2" (at least
        one of two repeats is right) and "pass^2" (both are), for TREC runs "ndcg@10", "ap", "rr", "p@5", "recall@100".
    filter
        Which of several readings of the same answers to use: a filter of lm-evaluation-harness.
    partial
        Use the items that all runs have, where some lack a few; by default that is refused.
    systems
        The names of the systems to use, where the paths have more.

    Examples
    --------
    >>> import clearwin as cw, json, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, resolved in {"old": 7, "new": 9}.items():
    ...     ids = [f"django__django-{i}" for i in range(20)]
    ...     report = {"total_instances": 20, "submitted_ids": ids, "resolved_ids": ids[:resolved]}
    ...     _ = (folder / f"{name}.json").write_text(json.dumps(report))
    >>> runs = cw.logs.read(folder / "old.json", folder / "new.json")
    >>> cw.compare(data=runs, groups="item", test="mcnemar", method="exact").p_value
    0.5
    """
    found = {system.name: system for system in open_systems([str(path) for path in paths], metric)}
    for name in systems or ():
        if name not in found:
            raise UnknownNameError("system", name, found)
    chosen = found.values() if systems is None else [found[name] for name in systems]
    return _paired([_filtered(system, filter) for system in chosen], metric, partial)


def _filtered(system: System, wanted: str | None) -> System:
    """Return the system with one filter for each task: the one that is wanted, or the only one that the task has."""
    by_task: dict[str, dict[str, Run]] = {}
    for (task, variant), run in system.runs.items():
        by_task.setdefault(task, {})[variant] = run
    if wanted is not None and not any(wanted in own for own in by_task.values()):
        raise UnknownNameError(f"filter in the log of {system.name}", wanted, {v for _, v in system.runs})
    chosen = {}
    for task, own in by_task.items():
        if len(own) > 1 and wanted not in own:
            raise OptionError(
                f"The log of {task} by {system.name} has {len(own)} filters: {', '.join(sorted(own))}.",
                "one of them",
                setting("filter", min(own)),
            )
        variant = wanted if wanted in own and wanted is not None else next(iter(own))
        chosen[task, variant] = own[variant]
    return System(system.name, chosen)


AnswerKey = tuple[str, str, str]  # task, item, repeat


def _paired(systems: Sequence[System], metric: str | None, partial: bool) -> Runs:
    """Put the same items side by side."""
    incomplete = _left_out(systems, partial)
    tables = {system.name: _table(system) for system in systems}
    shared, not_shared = _shared(tables, partial)
    rows = {name: [table[key] for key in shared] for name, table in tables.items()}
    runs = [run for system in systems for run in system.runs.values()]
    doubts = incomplete + not_shared + _agreement(rows, runs[0].same_is)
    doubts += [caveat("of_the_log", text=text) for text in dict.fromkeys(t for run in runs for t in run.doubts)]
    doubts += _versions(systems)
    tasks = sorted({key[0] for key in shared})
    if len(tasks) > 1:
        doubts.append(caveat("tasks_pooled", tasks=len(tasks)))
    columns = _columns(shared, next(iter(rows.values())))
    repeated = max(Counter(columns["item"]).values()) > 1
    whole = not incomplete and not not_shared
    return Runs(
        format=runs[0].format,
        rows=rows,
        columns=columns,
        metric=metric,
        partial=partial,
        grouped_by=("item",) if repeated else runs[0].grouped_by,
        higher_is_better={name: up for run in runs for name, up in run.higher_is_better.items()},
        caveats=tuple(doubts),
        reported={s.name: next(iter(s.runs.values())).reported for s in systems} if len(tasks) == 1 and whole else {},
    )


def contents(
    *paths: Any, metric: str | None = None, filter: str | None = None, partial: bool = False
) -> dict[str, Any]:
    """Return what is in logs, as JSON has it: format, systems with their runs, and what would be paired, or why not."""
    systems = open_systems([str(path) for path in paths], metric)
    found: dict[str, Any] = {
        "format": next(iter(systems[0].runs.values())).format,
        "systems": [{"name": system.name, "runs": [_facts(run) for run in system.runs.values()]} for system in systems],
    }
    try:
        paired = _paired([_filtered(system, filter) for system in systems], metric, partial)
    except ClearwinError as error:
        return found | {"paired": None, "error": {"what": error.what, "expected": error.expected, "next": error.next}}
    items = len(set(paired.columns["item"]))
    told = {"systems": list(paired.names), "items": items, "answers": paired.n, "groups": list(paired.grouped_by)}
    told |= {"caveats": [str(caveat) for caveat in paired.caveats], "words": str(paired).partition(": ")[2]}
    return found | {"paired": told, "error": None}


def describe(*paths: Any, metric: str | None = None, filter: str | None = None, partial: bool = False) -> str:
    """Say what is in logs: format, systems, tasks, items, metrics and groups, and what would be paired, or why not."""
    found = contents(*paths, metric=metric, filter=filter, partial=partial)
    told = [found["format"]]
    for system in found["systems"]:
        told += [system["name"], *(_described(run) for run in system["runs"])]
    if found["error"] is not None:
        # added up, so that the command spells the setting in its own way
        why: str = "\n".join([*told, f"Not paired: {found['error']['what']}"]) + "\nNext: " + found["error"]["next"]
        return why
    return "\n".join([*told, "Paired: " + found["paired"]["words"]])


def _facts(run: Run) -> dict[str, Any]:
    return {
        "task": run.task,
        "filter": run.variant or None,
        "file": run.file,
        "items": len({row.item for row in run.rows}),
        "expected": run.expected if run.is_cut else None,
        "repeats": len({row.repeat for row in run.rows}),
        "kinds": dict(run.kinds),
        "not_judged": len(run.left_out),
        "metrics": run.metrics,
        "groups": list(run.rows[0].groups) if run.rows else [],
    }


def _described(run: dict[str, Any]) -> str:
    facts = {
        "task": run["task"] + (f", filter {run['filter']}" if run["filter"] else ""),
        "file": run["file"],
        "items": f"{run['items']:,}"
        + (f" of {run['expected']:,}" if run["expected"] else "")
        + (f", {run['repeats']} repeats" if run["repeats"] > 1 else "")
        + (f", {run['not_judged']:,} more cannot be judged" if run["not_judged"] else "")
        + (f" ({', '.join(f'{count:,} {kind}' for kind, count in run['kinds'].items())})" if run["kinds"] else ""),
        "metrics": ", ".join(run["metrics"]),
        "groups": ", ".join(run["groups"]),
    }
    return "\n".join(f"  {name:8} {value}" for name, value in facts.items() if value)


def _left_out(systems: Sequence[System], partial: bool) -> list[Caveat]:
    """Raise where a log is not complete, unless part of the items will do."""
    doubts = []
    for system in systems:
        short = [run for run in system.runs.values() if run.is_cut]
        left_out = {item: why for run in system.runs.values() for item, why in run.left_out.items()}
        if short:
            items, said = sum(len(run.rows) for run in short), sum(run.expected or 0 for run in short)
            tasks = first_few([run.task for run in short], len(short))
            told = f"{items:,} of the {said:,} answers that its results report ({tasks})"
            what = f"The samples of {system.name} have {told}."
        elif left_out:
            item, why = next(iter(left_out.items()))
            what = f"{counted(len(left_out), 'item')} of {system.name} cannot be judged: {item} {why}."
        else:
            continue
        if not partial:
            raise DataError(
                what, "a complete run", setting("partial", True) + " to compare on the items that all runs have"
            )
        doubts.append(caveat("items_left_out", what=what))
    return doubts


def _table(system: System) -> dict[AnswerKey, Answer]:
    found: dict[AnswerKey, Answer] = {}
    for (task, _), run in system.runs.items():
        for row in run.rows:
            key = task, composed(row.item), row.repeat
            if key in found:
                raise DataError(
                    f"{run.file} has the item {row.item} of {task} twice.", "every item once in each repeat"
                )
            found[key] = row
    return found


def _shared(tables: Mapping[str, Mapping[AnswerKey, Answer]], partial: bool) -> tuple[list[AnswerKey], list[Caveat]]:
    """Return the keys of the items that all systems have, in the order of the first."""
    first = next(iter(tables.values()))
    shared = [key for key in first if all(key in table for table in tables.values())]
    everything = {key for table in tables.values() for key in table}
    if not shared:
        sizes = ", ".join(f"{name} {len(table):,}" for name, table in tables.items())
        raise DataError(
            f"The runs have no item in common ({sizes}).", "runs on the same items", "clearwin inspect PATH"
        )
    missing = len(everything) - len(shared)
    if not missing:
        return shared, []
    sizes = ", ".join(f"{name} {len(table):,}" for name, table in tables.items())
    where = [" ".join(key).strip() for key in sorted(everything - set(shared))]
    what = f"{missing:,} answers are not in all runs ({sizes}): {first_few(where, missing)}."
    if not partial:
        raise DataError(
            what,
            "runs on the same items",
            setting("partial", True) + f" to compare on the {len(shared):,} that all have",
        )
    return shared, [caveat("items_left_out", "shared", shared=len(shared), what=what)]


def _agreement(rows: Mapping[str, Sequence[Answer]], same_is: str) -> list[Caveat]:
    """Raise where the targets differ between runs, and doubt where the prompts do."""
    (first, own), *others = rows.items()
    prompts = 0
    for name, other in others:
        pairs = zip(own, other, strict=True)
        differ = [a.item for a, b in pairs if None not in (a.same, b.same) and composed(a.same) != composed(b.same)]
        if differ:
            raise DataError(
                f"The {same_is} of {len(differ):,} items differ between {first} and {name}: "
                f"{first_few(differ, len(differ))}.",
                "runs on the same data",
                "run both on the same version of the data",
            )
        prompts = max(prompts, sum(a.alike != b.alike for a, b in zip(own, other, strict=True)))
    return [caveat("prompts_differ", differ=prompts, n=len(own))] if prompts else []


def _versions(systems: Sequence[System]) -> list[Caveat]:
    """Doubt runs by different versions of the tool or the task: what a score means might have changed."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for system in systems:
        for (task, _), run in system.runs.items():
            for name, value in run.facts.items():
                found.setdefault((task, name), {})[system.name] = value
    doubts = []
    for (task, name), values in found.items():
        if len(set(values.values())) > 1:
            doubts.append(caveat("versions_differ", task=task, name=name, values=values))
    return doubts


def _columns(keys: Sequence[AnswerKey], rows: Sequence[Answer]) -> dict[str, list[str]]:
    several = len({task for task, _, _ in keys}) > 1
    found = {
        "task": [task for task, _, _ in keys],
        "item": [f"{task} {item}" if several else item for task, item, _ in keys],
        "repeat": [repeat for _, _, repeat in keys],
    }
    return found | {name: [row.groups.get(name, "") for row in rows] for name in rows[0].groups}
