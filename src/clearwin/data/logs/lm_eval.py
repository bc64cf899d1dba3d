"""lm-evaluation-harness: `samples_<task>_<time>.jsonl` with the results of the same time beside them.

One line is one document of one filter. A metric is a number, or what its aggregation needs: `f1` and `mcc` carry
[gold, predicted], `micro_f1` two sets of labels, F1 of spans two texts. Documents are numbered from 0 in every task and
may occur twice, so `doc_id` is the item and the hashes only check: of the target it must agree, of the prompt it may
differ (another number of examples, another template).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clearwin.data.logs.base import Answer, Format, LogFile, Run, required, text_of
from clearwin.errors import first_few
from clearwin.text import counted

NAME = "lm-evaluation-harness samples"
TIME = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}(?:\.\d+)?)")
# what a line has besides its metrics; logs of 2024 do not list them
NOT_METRICS = {
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
}


OF_PAIRS = ("f1", "mcc", "micro_f1", "macro_f1", "matthews_correlation")


def _is_samples(file: LogFile) -> bool:
    found = file.first_object
    return "doc_id" in found and ("resps" in found or "filtered_resps" in found)


def _is_results(file: LogFile) -> bool:
    found = file.document
    return isinstance(found, dict) and "results" in found and "configs" in found and "n-shot" in found


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    here = {(file.path.parent, _task_of(file)) for file in files}
    for file in files:
        results, task = _results_of(file, companions), _task_of(file)
        absent = [name for name in results.get("n-samples", {}) if (file.path.parent, name) not in here]
        by_filter: dict[str, list[Answer]] = {}
        answered: dict[str, int] = {}
        for number, line in file.objects():
            name = str(line.get("filter", "none"))
            by_filter.setdefault(name, []).extend(_repeats(line, _row(line, f"{file.name}, line {number}")))
            answered[name] = max(answered.get(name, 1), _times_answered(line))
        for name, rows in by_filter.items():
            run = _run(file, task, name, rows, results)
            yield replace(run, doubts=_without_samples(file, absent) + _taken_together(run, answered[name]))


def _times_answered(line: dict[str, Any]) -> int:
    """Return how often a document was answered; choices are one request each, and a text is one."""
    requests = line.get("resps")
    once = isinstance(requests, list) and len(requests) == 1 and isinstance(requests[0], list)
    return max(len(requests[0]), 1) if once and isinstance(requests, list) else 1


def _repeats(line: dict[str, Any], row: Answer) -> list[Answer]:
    """Return an answer for each repeat where the metrics say of each whether it is right; else the one that there is.

    A metric of two numbers may be [gold, predicted], so of two repeats F1 and the like are left as they are.
    """
    times = _times_answered(line)
    of_each = {
        name: value
        for name, value in row.metrics.items()
        if times > 1
        and isinstance(value, list)
        and len(value) == times
        and all(one in (0, 1) for one in value)
        and not (times == 2 and name in OF_PAIRS)
    }
    if not of_each:
        return [row]
    return [
        replace(row, metrics={name: float(value[place]) for name, value in of_each.items()}, repeat=str(place))
        for place in range(times)
    ]


def _taken_together(run: Run, times: int) -> tuple[str, ...]:
    if times < 2 or any(row.repeat for row in run.rows):
        return ()
    made = "" if run.variant == "none" else f", as the filter {run.variant} made it"
    return (
        f"Each document of {run.task} was answered {times} times, and the log has one value for all of them{made}.",
    )


def _without_samples(file: LogFile, tasks: list[str]) -> tuple[str, ...]:
    if not tasks:
        return ()
    without = f"{counted(len(tasks), 'task')} without samples ({first_few(tasks, len(tasks))})"
    return (f"The results in {file.path.parent.name} include {without}.",)


def _row(line: dict[str, Any], where: str) -> Answer:
    listed = line.get("metrics")
    names = listed if isinstance(listed, list) else [name for name in line if name not in NOT_METRICS]
    prompt, target, said = line.get("prompt_hash"), line.get("target_hash"), line.get("target")
    if isinstance(said, list):  # labels, or answers that are all right: in no order
        said = sorted(map(text_of, said))
    return Answer(
        item=text_of(required(line, "doc_id", where)),
        metrics={name: line[name] for name in names if name in line and not isinstance(line[name], str)},
        groups={} if prompt is None else {"prompt": str(prompt)},
        same=text_of(said) if target is None else str(target),
        alike=None if prompt is None else str(prompt),
        choices=_log_likelihoods(line.get("filtered_resps")),
        truth=line.get("target"),
    )


def _log_likelihoods(answers: Any) -> tuple[float, ...]:
    """Return the log-likelihood of every choice, where the task has choices: [["-0.98", "False"], …]."""
    if not isinstance(answers, list) or len(answers) < 2:
        return ()
    try:
        return tuple(float(value) for value, greedy in answers if str(greedy) in ("True", "False"))
    except (TypeError, ValueError):
        return ()


def _results_of(file: LogFile, companions: list[LogFile]) -> dict[str, Any]:
    """Return the results that were written with these samples: beside them, with the same time in their name."""
    time = TIME.findall(file.path.name)
    for other in companions:
        if other.path.parent == file.path.parent and time and TIME.findall(other.path.name)[-1:] == time[-1:]:
            return dict(other.document)
    return {}


def _task_of(file: LogFile) -> str:
    """Return the task, which only the name of the file tells."""
    inside = re.sub(r"\.jsonl?(\.gz)?$", "", file.path.name.removeprefix("samples_"))
    return TIME.sub("", inside).strip("_")


def _run(file: LogFile, task: str, name: str, rows: list[Answer], results: dict[str, Any]) -> Run:
    said = results.get("results", {}).get(task, {})
    config = results.get("config") or {}
    facts = {"harness": results.get("lm_eval_version"), "task version": results.get("versions", {}).get(task)}
    ends, effective = f",{name}", results.get("n-samples", {}).get(task, {}).get("effective")
    repeats = len({row.repeat for row in rows})
    return Run(
        format=NAME,
        file=file.name,
        model=str(results.get("model_name") or _model_among(config.get("model_args")) or file.path.parent.name),
        task=task,
        rows=rows,
        variant=name,
        time=(TIME.findall(file.path.name) or [""])[-1],
        expected=None if effective is None else effective * repeats,
        reported={
            key.removesuffix(ends): value
            for key, value in said.items()
            if key.endswith(ends) and isinstance(value, int | float)
        },
        higher_is_better=results.get("higher_is_better", {}).get(task, {}),
        facts={key: str(value) for key, value in facts.items() if value is not None},
        setting=str(file.path.parent),
        rerun_of=str(file.path.parent),
    )


def _model_among(arguments: Any) -> Any:
    """Return the model among the arguments, "pretrained=org/model,dtype=auto" or a dictionary; None if it is not."""
    parts = (part.split("=", 1) for part in str(arguments).split(",") if "=" in part)
    found = arguments if isinstance(arguments, dict) else dict(parts)
    return found.get("pretrained") or found.get("model")


# --- F1 of spans ------------------------------------------------------------------------------------------------

PUNCTUATION = re.compile(r"[!-/:-@\[\]^_`{|}~•]+")
ARTICLES = re.compile(r"\b(a|an|the)\b")
WIDE_GAPS = re.compile(r"\s{3,}|\t")


def count_spans(gold: Any, predicted: Any) -> tuple[int, int, int]:
    """Return how many spans there are, how many of them were found, and how many were predicted.

    Spans are "TYPE: words", with $ or $$, ", " or ". " between them, and are compared as the harness's tasks of named
    entities do: without case, punctuation and articles, each gold span found once.

    >>> count_spans("DATE: kawuononi $$ LOC: Kenya", ["loc: kenya $ loc: Kenya $ per: Onyango"])
    (2, 1, 3)
    """
    left, found = _spans(gold), 0
    true, answers = len(left), _spans(predicted)
    for span in answers:
        if span in left:
            left.remove(span)
            found += 1
    return true, found, len(answers)


def _spans(text: Any) -> list[tuple[str, str]]:
    joined = " ".join(part.strip() for part in text) if isinstance(text, list) else str(text)
    # a part is stripped before it is split, so that "Kenya." at its end keeps the full stop, as in the tool
    between = (part for outer in joined.split("$") for part in re.split(r"\. |, ", outer.strip()))
    pairs = (part.strip().split(": ") for part in between)
    return [(_plain(pair[0]), _plain(pair[1])) for pair in pairs if len(pair) == 2]


def _plain(text: str) -> str:
    bare = ARTICLES.sub(" ", PUNCTUATION.sub(" ", text.strip()))
    return re.sub(r"\s+", " ", WIDE_GAPS.sub("", bare)).lower()


def right_choice(row: Answer) -> int | None:
    """Return which choice is right: the target says its place, its letter, or the metrics tell it.

    >>> row = Answer("0", {"acc": 0.0}, choices=(-1.0, -2.0), truth="B")
    >>> right_choice(row)
    1
    """
    for value in row.metrics.values():
        if isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value):
            return int(value[0])
    if type(row.truth) is int or (isinstance(row.truth, str) and re.fullmatch(r"\s*[0-9]+\s*", row.truth)):
        return int(row.truth)
    if isinstance(row.truth, str) and re.fullmatch(r"\s*\(?[A-Z]\)?\s*", row.truth):
        return ord(row.truth.strip().strip("()")) - ord("A")
    return None


FORMAT = Format(NAME, _is_samples, _read, _is_results)
