"""every_eval_ever: `<uuid>_samples.jsonl`, the common schema to which other logs are converted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clearwin.data.logs.base import Answer, Format, LogFile, Run, required, text_of, without_copy

NAME = "every_eval_ever samples"


def _is_samples(file: LogFile) -> bool:
    return {"schema_version", "evaluation_name", "sample_id", "evaluation"} <= {*file.first_object}


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    for file in files:
        found: dict[tuple[str, str], list[Answer]] = {}
        errors: dict[tuple[str, str], dict[str, str]] = {}
        seen: dict[tuple[str, str, str], int] = {}
        for number, line in file.objects():
            model, task = str(line.get("model_id", file.path.stem)), str(line["evaluation_name"])
            item = text_of(required(line, "sample_id", f"{file.name}, line {number}"))
            repeat = seen[model, task, item] = seen.get((model, task, item), 0) + 1
            if line.get("error"):
                errors.setdefault((model, task), {})[item] = "ended with an error"
            else:
                found.setdefault((model, task), []).append(_row(line, item, repeat))
        for (model, task), rows in found.items():
            yield Run(
                format=NAME,
                file=file.name,
                model=model,
                task=task,
                rows=without_copy(rows, "score", "is_correct"),
                same_is="questions or references",
                left_out=errors.get((model, task), {}),
            )


def _row(line: dict[str, Any], item: str, repeat: int) -> Answer:
    """Return the line as a row; the hash is of the question and its answer, so it must agree."""
    judged = line.get("evaluation") or {}
    metrics = {name: float(judged[name]) for name in ("score", "is_correct") if judged.get(name) is not None}
    told = line.get("sample_hash")
    reference = (line.get("input") or {}).get("reference")
    return Answer(item, metrics, repeat=str(repeat), same=str(told) if told is not None else text_of(reference))


FORMAT = Format(NAME, _is_samples, _read)
