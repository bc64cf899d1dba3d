"""HELM: a run folder with `per_instance_stats.json`, and `run_spec.json` beside it.

An instance can have several records (metrics of a judge come in one of their own), which are put together;
perturbations and train trials repeat an instance. Most statistics are book-keeping (tokens, seconds, reasons to finish)
and not a measure of quality; those are left out. Whether a request succeeded is not whether the answer is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clearwin.data.files.sources import read_json
from clearwin.data.logs.base import Answer, Format, LogFile, Run, text_of

NAME = "HELM per-instance statistics"
BOOK_KEEPING = re.compile(
    r"num_.*|finish_reason_.*|training_.*|inference_.*|batch_size|prompt_truncated|max_prob|logprob|"
    r"logprob_per_.*|bits_per_byte|perplexity|.*_cost"
)


def _is_statistics(file: LogFile) -> bool:
    found = file.document
    return (
        isinstance(found, list)
        and bool(found)
        and isinstance(found[0], dict)
        and {"instance_id", "stats"} <= {*found[0]}
    )


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    for file in files:
        model, task = _model_and_task(file)
        yield Run(format=NAME, file=file.name, model=model, task=task, rows=_rows(file.document), same_is="splits")


def _rows(records: list[dict[str, Any]]) -> list[Answer]:
    metrics: dict[tuple[str, str], dict[str, float]] = {}
    splits: dict[tuple[str, str], str] = {}
    for record in records:
        perturbation = record.get("perturbation")
        named = perturbation.get("name", text_of(perturbation)) if isinstance(perturbation, dict) else ""
        key = str(record["instance_id"]), f"trial {record.get('train_trial_index', 0)} {named}".strip()
        found = metrics.setdefault(key, {})
        for stat in record["stats"]:
            name = stat["name"]
            if stat.get("count") and not BOOK_KEEPING.fullmatch(name["name"]):
                found[name["name"]] = float(stat["sum"]) / stat["count"] if "sum" in stat else float(stat["mean"])
                splits[key] = str(name.get("split"))
    return [
        Answer(item, found, repeat=repeat, same=splits.get((item, repeat))) for (item, repeat), found in metrics.items()
    ]


def _model_and_task(file: LogFile) -> tuple[str, str]:
    """Return the model and the scenario, from the run's specification or the name of its folder."""
    folder = file.path.parent
    name = folder.name
    try:
        specification = read_json((folder / "run_spec.json").read_bytes())
        name = specification["name"]
        model = specification["adapter_spec"]["model"]
    except (OSError, ValueError, KeyError, TypeError):
        model = "".join(re.findall(r"model=([^,]+)", name)) or name
    return str(model), re.sub(r"[,:-]?model=[^,]+", "", name)


FORMAT = Format(NAME, _is_statistics, _read)
