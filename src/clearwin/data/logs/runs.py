"""Systems on the same items, as their logs have them, and how verbs are asked about them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearwin.data.logs.base import Answer
from clearwin.data.logs.forms import REPEATED, MetricColumns, Wish, columns_of, is_number, metric_of, of_repeats
from clearwin.errors import DataError, OptionError, UnknownNameError, first_few, setting
from clearwin.measures import find
from clearwin.results.caveats import Caveat, caveat
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
            runs, chosen = replace(runs, caveats=(*runs.caveats, caveat("groups_cross", groups=groups))), chosen[:1]
        if chosen and "groups" in takes:
            given["groups"] = chosen[0] if len(chosen) == 1 else chosen
        for role in ("strata", "order", "by"):
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
        tasks = self._tasks_without(metric)
        if tasks and not self.partial:
            raise self._lacks_metric(metric, tasks)
        examples = [self.columns["item"][place] for place in without]
        if not self.partial or len(without) == self.n:
            raise DataError(
                f"The metric {metric} is not a finite number for {len(without):,} of {self.n:,} items: "
                f"{first_few(examples, len(examples))}.",
                "a number for every item and run",
                setting("partial", True) + " to leave these items out of all runs, or another metric",
            )
        return self._without(
            set(without), caveat("items_left_out", "metric", without=len(without), metric=metric, tasks=tasks)
        )

    def _metrics_of_tasks(self) -> dict[str, set[str]]:
        """Return the metrics that all runs have for some item of each task."""
        of_tasks: dict[str, list[set[str]]] = {}
        for number, rows in enumerate(self.rows.values()):
            for task, row in zip(self.columns["task"], rows, strict=True):
                own = of_tasks.setdefault(task, [set() for _ in self.rows])
                own[number] |= row.metrics.keys()
        return {task: set.intersection(*own) for task, own in of_tasks.items()}

    def _tasks_without(self, metric: str) -> list[str]:
        """Return the tasks that lack a metric in some run."""
        return [task for task, metrics in self._metrics_of_tasks().items() if metric not in metrics]

    def _lacks_metric(self, metric: str, tasks: Sequence[str]) -> DataError:
        """Say which tasks lack a metric: an answer about the rest would not be about what was named."""
        metrics = self._metrics_of_tasks()
        told = [f"{task} (it has {', '.join(sorted(metrics[task])) or 'none that all runs have'})" for task in tasks]
        others = [task for task in metrics if task not in tasks]
        everywhere = sorted(set.intersection(*metrics.values()))
        items = sum(task in tasks for task in self.columns["task"])
        next_step = f"name only the logs of the tasks that have {metric} ({first_few(others, len(others))}), or "
        next_step += setting("partial", True) + " to leave the other tasks out"
        if everywhere:
            next_step = "use " + setting("metric", *everywhere) + ", which every task has; " + next_step
        return DataError(
            f"{len(tasks):,} of {counted(len(metrics), 'task')} {'has' if len(tasks) == 1 else 'have'} no metric "
            f"{metric}, with {items:,} of {self.n:,} items: {first_few(told, len(told))}.",
            "a metric that every task has, or the tasks that have it",
            next_step,
        )

    def _without(self, places: set[int], why: Caveat) -> Runs:
        kept = [place for place in range(self.n) if place not in places]
        return replace(
            self,
            rows={name: [rows[place] for place in kept] for name, rows in self.rows.items()},
            columns={name: [values[place] for place in kept] for name, values in self.columns.items()},
            caveats=(*self.caveats, why),
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
                    f"{self.metric} needs to know whether each repeat is right, and {metric} has other values.",
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
            within = self._within_items(metric)
            spread = "" if within is None else f"; {100 * within:.0f} % of the variance lies between repeats of an item"
            told["origin"] = f"{self.format}, {what}{spread}"
        return replace(result, caveats=(*doubts, *result.caveats), **told)

    def _within_items(self, metric: str | None) -> float | None:
        """Return the share of the variance within items, of all systems together; None without repeats or numbers.

        Items with k repeats of variance w, whose means have the variance m: w/(w + max(0, m − w/k)), a one-way analysis
        of variance.
        """
        _, item, times = np.unique(np.asarray(self.columns["item"]), return_inverse=True, return_counts=True)
        if times.max() < 2:
            return None
        within, between = [], []
        for rows in self.rows.values():
            values: list[Any] = [row.metrics.get(str(metric)) for row in rows]
            if not all(map(is_number, values)):
                return None
            numbers = np.array(values, dtype=np.float64)
            means = np.bincount(item, numbers) / times
            spread = np.bincount(item, (numbers - means[item]) ** 2)[times > 1] / (times[times > 1] - 1)
            within.append(spread.mean())
            between.append(
                max(0.0, means.var(ddof=1) - spread.mean() * np.mean(1.0 / times)) if times.size > 1 else 0.0
            )
        total = float(np.mean(within) + np.mean(between))
        return float(np.mean(within)) / total if total > 0.0 else None

    def _not_as_reported(self, result: Any, metric: str) -> list[Caveat]:
        ours = {
            getattr(result, "name_a", None): getattr(result, "estimate_a", None),
            getattr(result, "name_b", None): getattr(result, "estimate_b", None),
        } | {model.name: model.estimate for model in getattr(result, "models", ())}
        found = []
        for system, said in self.reported.items():
            value, estimate = said.get(metric), ours.get(system)
            if value is not None and estimate is not None and abs(value - estimate) > TOLERANCE:
                found.append(caveat("not_as_reported", metric=metric, reported=value, system=system, estimate=estimate))
        return found


def _by_item(look_up: Callable[..., Any], items: Sequence[str], ids: Any = None) -> Any:
    """Look up the items on which models differ, by the ids of the log unless others are given."""
    return look_up(items if ids is None else ids)


class _Named(list[str]):
    """A column with its name."""

    def __init__(self, values: Sequence[str], name: str) -> None:
        super().__init__(values)
        self.name = name
