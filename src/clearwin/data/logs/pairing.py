"""From systems to one table: the same items of all of them, side by side, and what has to be said of it.

Items are paired by task, id and repeat. What must agree and does not is refused; what may differ is a caveat; items
that some run lacks are refused unless part of them will do.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from clearwin.data.logs.base import Answer, Run
from clearwin.data.logs.forms import REPEATED, MetricColumns, Wish, columns_of, is_number, metric_of, of_repeats
from clearwin.data.logs.opening import System, open_systems
from clearwin.errors import ClearwinError, DataError, OptionError, UnknownNameError, first_few, setting
from clearwin.measures import find
from clearwin.results.base import Caveat
from clearwin.text import counted

TOLERANCE = 1e-4  # between the tool's own value and ours: logs round


@dataclass(frozen=True)
class Runs:
    """Systems on the same items, as their logs have them; ``compare(data=runs)`` and the other verbs take it.

    ``columns`` has what each item belongs to, by name: task, item, repeat and, where a log knows it, more.
    """

    format: str
    rows: Mapping[str, Sequence[Answer]]
    columns: Mapping[str, Sequence[str]]
    metric: str | None
    partial: bool
    grouped_by: tuple[str, ...]
    higher_is_better: Mapping[str, bool]
    caveats: tuple[Caveat, ...] = ()
    reported: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What the systems are called."""
        return tuple(self.rows)

    @property
    def n(self) -> int:
        """How many answers each system has given."""
        return len(self.columns["item"])

    def __str__(self) -> str:
        items = len(set(self.columns["item"]))
        repeated = f", each answered {self.n / items:g} times and taken whole" if items < self.n else ""
        groups = "" if repeated or not self.grouped_by else f", in groups by {' and '.join(self.grouped_by)}"
        told = f"{self.format}: {' against '.join(self.names)} on {counted(items, 'item')}{repeated}{groups}"
        return "\n".join([told, *(f"Caveat: {caveat}" for caveat in self.caveats)])

    def column(self, name: str) -> Sequence[str]:
        """Return what each item belongs to."""
        if name not in self.columns:
            raise UnknownNameError("column of these logs", name, self.columns)
        return self.columns[name]

    def ask(self, verb: Callable[..., Any], **given: Any) -> Any:
        """Ask a verb about these runs: with their own measure, groups and names, unless others are given."""
        takes = inspect.signature(verb).parameters
        measure = given.pop("measure", None)
        runs = self._repeats_taken()
        wish = Wish(runs.metric, None if measure is None else find(measure), runs.higher_is_better)
        metric = metric_of(runs.rows, wish) if wish.names_metric else None
        runs = runs._with_numbers(metric)
        found = columns_of(runs.rows, wish)
        if "b" in takes:
            given = runs._two(found, given)
        elif "models" in takes:
            given["models"] = found.answers
        else:
            given = runs._one(found, given)
        groups = given.pop("groups", None) or runs.grouped_by
        chosen = [runs.column(name) for name in ([groups] if isinstance(groups, str) else groups)]
        chosen = [column for column in chosen if len(set(column)) < len(column)]  # an item alone is not a group
        if "models" in takes and len(chosen) > 1:
            text = f"Groups by {' and '.join(groups)} cross; the ranking takes those by {groups[0]} only."
            runs, chosen = replace(runs, caveats=(*runs.caveats, Caveat("groups_cross", text))), chosen[:1]
        if chosen and "groups" in takes:
            given["groups"] = chosen[0] if len(chosen) == 1 else chosen
        for role in ("strata", "by"):
            if isinstance(given.get(role), str):
                given[role] = _Named(runs.column(given[role]), given[role])
        result = verb(found.truth, measure=found.measure, **given)
        what = found.what or f"metric {self.metric or metric}"
        return runs._signed(result, what, metric if measure is None else None)

    def _two(self, found: MetricColumns, given: dict[str, Any]) -> dict[str, Any]:
        """Return the answers of two systems, those that are named or the only ones."""
        a, b = given.pop("a", None), given.pop("b", None)
        if a is None and b is None and len(self.names) == 2:
            a, b = self.names
        for role, name in (("a", a), ("b", b)):
            if name is None:
                raise OptionError(
                    f"There {'is 1 system' if len(self.names) == 1 else f'are {len(self.names)} systems'} in these "
                    f"logs: {first_few(self.names, len(self.names))}.",
                    "two of them",
                    setting("a", self.names[0]) + " " + setting("b", self.names[-1]) + ", or clearwin rank for all",
                )
            if name not in found.answers:
                raise UnknownNameError(f"system for {role}", name, self.names)
        return {"names": (a, b)} | given | {"a": found.answers[a], "b": found.answers[b]}

    def _one(self, found: MetricColumns, given: dict[str, Any]) -> dict[str, Any]:
        """Return the answers of one system: that which is named, or the only one."""
        name = given.pop("a", None)
        if name is None and len(self.names) == 1:
            (name,) = self.names
        if name not in found.answers:
            raise UnknownNameError("system", name, self.names, setting("a", self.names[0]))
        return {"name": name} | given | {"a": found.answers[name]}

    def _with_numbers(self, metric: str | None) -> Runs:
        """Return the runs without the items that have no number for the metric; raise unless part of them will do."""
        if metric is None:
            return self
        without = sorted(
            {
                place
                for rows in self.rows.values()
                for place, row in enumerate(rows)
                if not (is_number(value := row.metrics.get(metric)) or isinstance(value, list | tuple))
            }
        )
        if not without:
            return self
        examples = [self.columns["item"][place] for place in without]
        if not self.partial or len(without) == self.n:
            raise DataError(
                f"The metric {metric} is not a finite number for {len(without):,} of {self.n:,} items: "
                f"{first_few(examples, len(examples))}.",
                "a number for every item and run",
                setting("partial", True) + " to leave these items out of all runs, or another metric",
            )
        return self._without(set(without), f"{counted(len(without), 'item')} without a finite {metric} are left out.")

    def _without(self, places: set[int], why: str) -> Runs:
        kept = [place for place in range(self.n) if place not in places]
        return replace(
            self,
            rows={name: [rows[place] for place in kept] for name, rows in self.rows.items()},
            columns={name: [values[place] for place in kept] for name, values in self.columns.items()},
            caveats=(*self.caveats, Caveat("items_left_out", why)),
            reported={},
        )

    def _repeats_taken(self) -> Runs:
        """Return the runs with one row for each item if the metric is of repeats: pass@k, pass^k."""
        spelled = REPEATED.fullmatch(self.metric or "")
        if spelled is None:
            return self
        metric = metric_of(self.rows, Wish(spelled[3], None, {}))
        places: dict[str, list[int]] = {}
        for place, item in enumerate(self.columns["item"]):
            places.setdefault(item, []).append(place)
        taken = {}
        for name, rows in self.rows.items():
            values: dict[str, list[Any]] = {
                item: [rows[place].metrics.get(metric) for place in own] for item, own in places.items()
            }
            if not all(value in (0, 1) for own in values.values() for value in own):
                raise OptionError(
                    f"{self.metric} needs to know of every repeat whether it is right, and {metric} has other values.",
                    "a metric of 0 and 1",
                    setting("metric", f"pass@{spelled[2]}(NAME)"),
                )
            taken[name] = [
                Answer(item, {spelled[0]: of_repeats(str(self.metric), int(sum(own)), len(own))})
                for item, own in values.items()
            ]
        first = {name: [values[own[0]] for own in places.values()] for name, values in self.columns.items()}
        return replace(
            self,
            rows=taken,
            columns=first,
            grouped_by=(),
            higher_is_better={spelled[0]: True},
            reported={},
        )

    def _signed(self, result: Any, what: str, metric: str | None) -> Any:
        """Return the result with what has to be said of the logs, and how the numbers compare with the tool's own."""
        sliced = getattr(result, "slicing", None)
        doubts = [doubt for doubt in self.caveats if not (doubt.code == "tasks_pooled" and sliced)]
        if metric is not None:
            doubts += self._not_as_reported(result, metric)
        told: dict[str, Any] = {}
        if getattr(result, "look_up", None) is not None:
            told["look_up"] = functools.partial(_by_item, result.look_up, self.columns["item"])
        if hasattr(result, "origin"):
            told["origin"] = f"{self.format}, {what}"
        return replace(result, caveats=(*doubts, *result.caveats), **told)

    def _not_as_reported(self, result: Any, metric: str) -> list[Caveat]:
        ours = {
            getattr(result, "name_a", None): getattr(result, "estimate_a", None),
            getattr(result, "name_b", None): getattr(result, "estimate_b", None),
        } | {model.name: model.estimate for model in getattr(result, "models", ())}
        found = []
        for system, said in self.reported.items():
            value, estimate = said.get(metric), ours.get(system)
            if value is not None and estimate is not None and abs(value - estimate) > TOLERANCE:
                text = (
                    f"The tool reports {metric} = {value:.4g} for {system}, and from its samples it is {estimate:.4g}."
                )
                found.append(Caveat("not_as_reported", text))
        return found


def _by_item(look_up: Callable[..., Any], items: Sequence[str], ids: Any = None) -> Any:
    """Look up the items on which models differ, by the ids of the log unless others are given."""
    return look_up(items if ids is None else ids)


class _Named(list[str]):
    """A column with its name."""

    def __init__(self, values: Sequence[str], name: str) -> None:
        super().__init__(values)
        self.name = name


P = ParamSpec("P")
R = TypeVar("R")


def takes_logs(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb take runs as ``data``: then they say the truth, the answers, the groups and the measure."""

    @functools.wraps(verb)
    def asked(*args: P.args, **given: P.kwargs) -> R:
        data = given.get("data")
        if not isinstance(data, Runs):
            return verb(*args, **given)
        if args:
            raise OptionError("Logs were given, and arrays, too.", "one of them", "compare(data=runs)")
        found: R = data.ask(verb, **{name: value for name, value in given.items() if name != "data"})
        return found

    return asked


def read(*paths: Any, metric: str | None = None, filter: str | None = None, partial: bool = False) -> Runs:
    """Read evaluation logs: files, folders or patterns, of lm-evaluation-harness, Inspect, HELM, SWE-bench and others.

    Parameters
    ----------
    paths
        Where the logs of each system are. Their format is found by their content. What belongs to them (judgements of
        TREC topics, the ids of a data set) may be named among them.
    metric
        The metric of the log to judge by; needed where there are several. Of repeated items also "pass@2" (some of
        two repeats is right) and "pass^2" (both are), of TREC runs "ndcg@10", "ap", "rr", "p@5", "recall@100".
    filter
        Of several readings of the same answers the one to take: a filter of lm-evaluation-harness.
    partial
        Take the items that all runs have, where some lack a few; by default that is refused.

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
    systems = open_systems([str(path) for path in paths], None if metric is None else metric)
    systems = [_of_variant(system, filter) for system in systems]
    return _paired(systems, metric, partial)


def _of_variant(system: System, wanted: str | None) -> System:
    variants = system.variants
    if wanted is not None and wanted not in variants:
        raise UnknownNameError(f"filter in the log of {system.name}", wanted, variants)
    if wanted is None and len(variants) > 1:
        raise OptionError(
            f"The log of {system.name} has {len(variants)} filters: {', '.join(variants)}.",
            "one of them",
            setting("filter", variants[0]),
        )
    chosen = wanted if wanted is not None else variants[0]
    return System(system.name, {place: run for place, run in system.runs.items() if place[1] == chosen})


AnswerKey = tuple[str, str, str]  # task, item, repeat


def _paired(systems: Sequence[System], metric: str | None, partial: bool) -> Runs:
    """Put the same items side by side."""
    doubts = _left_out(systems, partial)
    tables = {system.name: _table(system) for system in systems}
    shared, more = _shared(tables, partial)
    rows = {name: [table[key] for key in shared] for name, table in tables.items()}
    runs = [run for system in systems for run in system.runs.values()]
    doubts += more + _agreement(rows, runs[0].same_is)
    doubts += [Caveat("of_the_log", text) for text in dict.fromkeys(t for run in runs for t in run.doubts)]
    doubts += _versions(systems)
    tasks = sorted({key[0] for key in shared})
    if len(tasks) > 1:
        text = f"{len(tasks)} tasks are taken together, and every item weighs the same. Use " + setting("by", "task")
        text += " to see each task, and " + setting("groups", "task") + " if they stand for other tasks, too."
        doubts.append(Caveat("tasks_pooled", text))
    columns = _columns(shared, next(iter(rows.values())))
    repeated = max(Counter(columns["item"]).values()) > 1
    whole = not doubts or not any(doubt.code == "items_left_out" for doubt in doubts)
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


def describe(*paths: Any, metric: str | None = None, filter: str | None = None, partial: bool = False) -> str:
    """Say what is in logs: format, systems, tasks, items, metrics and groups, and what would be paired, or why not."""
    systems = open_systems([str(path) for path in paths], metric)
    told = [f"{next(iter(systems[0].runs.values())).format}"]
    for system in systems:
        told += [f"{system.name}", *(_described(run) for run in system.runs.values())]
    try:
        paired = _paired([_of_variant(system, filter) for system in systems], metric, partial)
    except ClearwinError as error:
        # added up, so that the command spells the setting in its own way
        return "\n".join([*told, f"Not paired: {error.what}"]) + "\nNext: " + error.next
    return "\n".join([*told, "Paired: " + str(paired).partition(": ")[2]])


def _described(run: Run) -> str:
    repeats = len({row.repeat for row in run.rows})
    facts = {
        "task": run.task + (f", filter {run.variant}" if run.variant else ""),
        "file": run.file,
        "items": f"{len({row.item for row in run.rows}):,}"
        + (f" of {run.expected:,}" if run.is_cut else "")
        + (f", {repeats} repeats" if repeats > 1 else "")
        + (f", {len(run.left_out):,} more cannot be judged" if run.left_out else ""),
        "metrics": ", ".join(run.metrics),
        "groups": ", ".join(run.rows[0].groups) if run.rows else "",
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
            told = f"{items:,} of the {said:,} answers that its results tell of ({tasks})"
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
        doubts.append(Caveat("items_left_out", what))
    return doubts


def _table(system: System) -> dict[AnswerKey, Answer]:
    found: dict[AnswerKey, Answer] = {}
    for (task, _), run in system.runs.items():
        for row in run.rows:
            key = task, row.item, row.repeat
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
    return shared, [Caveat("items_left_out", f"Compared on the {len(shared):,} answers that all runs have. {what}")]


def _agreement(rows: Mapping[str, Sequence[Answer]], same_is: str) -> list[Caveat]:
    """Raise where the targets differ between runs, and doubt where the prompts do."""
    (first, own), *others = rows.items()
    prompts = 0
    for name, other in others:
        differ = [a.item for a, b in zip(own, other, strict=True) if None not in (a.same, b.same) and a.same != b.same]
        if differ:
            raise DataError(
                f"The {same_is} of {len(differ):,} items differ between {first} and {name}: "
                f"{first_few(differ, len(differ))}.",
                "runs on the same data",
                "run both on the same version of the data",
            )
        prompts = max(prompts, sum(a.alike != b.alike for a, b in zip(own, other, strict=True)))
    if not prompts:
        return []
    text = f"The prompts differ on {prompts:,} of {len(own):,} items (examples or template), so that is compared, too."
    return [Caveat("prompts_differ", text)]


def _versions(systems: Sequence[System]) -> list[Caveat]:
    """Doubt runs by different versions of the tool or the task: what a score means may have changed."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for system in systems:
        for (task, _), run in system.runs.items():
            for name, value in run.facts.items():
                found.setdefault((task, name), {})[system.name] = value
    doubts = []
    for (task, name), values in found.items():
        if len(set(values.values())) > 1:
            told = ", ".join(f"{value} ({system})" for system, value in values.items())
            doubts.append(Caveat("versions_differ", f"The runs of {task} differ in {name}: {told}."))
    return doubts


def _columns(keys: Sequence[AnswerKey], rows: Sequence[Answer]) -> dict[str, list[str]]:
    several = len({task for task, _, _ in keys}) > 1
    found = {
        "task": [task for task, _, _ in keys],
        "item": [f"{task} {item}" if several else item for task, item, _ in keys],
        "repeat": [repeat for _, _, repeat in keys],
    }
    return found | {name: [row.groups.get(name, "") for row in rows] for name in rows[0].groups}
