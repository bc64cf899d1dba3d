"""promptfoo, version 3: `output.json`. Providers and prompts are the systems, and all of them are in one file.

The item is its variables, because the number of a test is not stable between files; the same variables once more are a
repeat. A test that ended with an error is not one that failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clearwin.data.logs.base import Answer, Format, LogFile, Run, text_of, without_answers, without_copy
from clearwin.errors import FileError

NAME = "promptfoo results"
ERROR = 2  # failureReason: 0 is none, 1 an assertion


def _is_results(file: LogFile) -> bool:
    found = file.document
    inside = found.get("results") if isinstance(found, dict) else None
    return isinstance(inside, dict) and isinstance(inside.get("results"), list) and "stats" in inside


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    for file in files:
        found = file.document["results"]
        if found.get("version", 0) < 3:
            raise FileError(
                f"{file.name} is of version {found.get('version')} of promptfoo's results, which do not say which "
                "system and which test an answer belongs to.",
                "version 3",
                "promptfoo eval -o output.json with a version of promptfoo from 2024 on",
            )
        if not found["results"]:
            raise without_answers([file])
        yield from _runs(file, found["results"])


def _runs(file: LogFile, results: list[dict[str, Any]]) -> Iterator[Run]:
    by_system: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for result in sorted(results, key=lambda one: one["testIdx"]):
        by_system.setdefault((_provider(result), result["promptIdx"]), []).append(result)
    providers = [provider for provider, _ in by_system]
    prompts = {prompt for _, prompt in by_system}
    for (provider, prompt), answers in by_system.items():
        alone = providers.count(provider) == 1 or len(prompts) == 1
        model = provider if alone else f"{provider} prompt {prompt + 1}"
        yield _run(file, model, answers)


def _provider(result: dict[str, Any]) -> str:
    provider = result.get("provider")
    if not isinstance(provider, dict):
        return str(provider)
    return str(provider.get("label") or provider.get("id"))


def _run(file: LogFile, model: str, answers: list[dict[str, Any]]) -> Run:
    seen: dict[str, int] = {}
    rows, errors = [], {}
    for answer in answers:
        item = text_of(answer.get("vars") or {"testIdx": answer["testIdx"]})
        repeat = seen[item] = seen.get(item, 0) + 1
        if answer.get("failureReason") == ERROR or (answer.get("error") and not answer.get("gradingResult")):
            errors[item] = "ended with an error"
            continue
        scores = {"success": float(bool(answer["success"])), "score": float(answer["score"])}
        named = {f"{name}": float(value) for name, value in (answer.get("namedScores") or {}).items()}
        rows.append(Answer(item, scores | named, repeat=str(repeat)))
    return Run(
        format=NAME,
        file=file.name,
        model=model,
        task="promptfoo",
        rows=without_copy(rows, "score", "success"),
        left_out=errors,
    )


FORMAT = Format(NAME, _is_results, _read)
