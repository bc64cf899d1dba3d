"""Small logs in the layouts that the tools write, made by hand: what the tests need, and nothing from real files."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

TIME = "2026-01-16T20-57-28.313639"


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_json(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def lm_eval_line(doc: int, metrics: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return a line of samples as the harness writes it since 2025."""
    return {
        "doc_id": doc,
        "doc": {"question": f"question {doc}"},
        "target": f"target {doc}",
        "arguments": {"gen_args_0": {"arg_0": "prompt"}},
        "resps": [["answer"]],
        "filtered_resps": ["answer"],
        "filter": "none",
        "metrics": list(metrics),
        "doc_hash": f"d{doc}",
        "prompt_hash": f"p{doc}",
        "target_hash": f"t{doc}",
        **metrics,
        **other,
    }


def lm_eval_run(
    folder: Path,
    lines: list[dict[str, Any]],
    *,
    task: str = "quiz",
    model: str | None = None,
    time: str = TIME,
    said: dict[str, Any] | None = None,
    results: bool = True,
) -> Path:
    """Write samples and the results beside them, and return the folder."""
    write_lines(folder / f"samples_{task}_{time}.jsonl", lines)
    if results:
        documents = len({line["doc_id"] for line in lines})
        found = {
            "results": {task: {"alias": task}},
            "configs": {},
            "n-shot": {task: 0},
            "n-samples": {task: {"original": documents, "effective": documents}},
            "higher_is_better": {task: {}},
            "versions": {task: 1.0},
            "lm_eval_version": "0.4.9",
            "model_name": model or folder.name,
        }
        write_json(folder / f"results_{time}.json", found | (said or {}))
    return folder


def inspect_sample(
    item: Any, value: Any, *, epoch: int = 1, target: str = "A", scorer: str = "choice"
) -> dict[str, Any]:
    return {
        "id": item,
        "epoch": epoch,
        "input": "?",
        "target": target,
        "scores": {} if value is None else {scorer: {"value": value, "answer": "A"}},
    }


def inspect_header(model: str, **other: Any) -> dict[str, Any]:
    about = {
        "task": "arc",
        "task_id": model,
        "task_version": 0,
        "created": "2026-01-01",
        "model": model,
        "packages": {"inspect_ai": "0.3.150"},
    }
    return {"version": 2, "status": "success", "eval": about | other.pop("eval", {}), "results": {}, **other}


def inspect_json(path: Path, samples: list[dict[str, Any]], **other: Any) -> Path:
    return write_json(path, {**inspect_header(path.stem, **other), "samples": samples})


def inspect_eval(path: Path, samples: list[dict[str, Any]], **other: Any) -> Path:
    """Write a .eval log as Inspect did until it took zstd: entries are deflated."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("_journal/start.json", "{}")
        log.writestr("summaries.json", json.dumps(samples))
        log.writestr("header.json", json.dumps(inspect_header(path.stem, **other)))
    return path


def helm_record(item: str, stats: dict[str, float], *, split: str = "test", **other: Any) -> dict[str, Any]:
    return {
        "instance_id": item,
        "train_trial_index": 0,
        "stats": [
            {"name": {"name": name, "split": split}, "count": 1, "sum": value, "mean": value}
            for name, value in stats.items()
        ],
        **other,
    }


def helm_run(root: Path, model: str, records: list[dict[str, Any]]) -> Path:
    folder = root / f"bbq:subject=all,model={model}"
    write_json(folder / "per_instance_stats.json", records)
    write_json(folder / "run_spec.json", {"name": folder.name, "adapter_spec": {"model": f"org/{model}"}})
    return folder


def swe_ids(n: int) -> list[str]:
    """Return n instances of three repositories."""
    return [f"{('django', 'sympy', 'flask')[i % 3]}__{i}" for i in range(n)]


def swe_report(path: Path, resolved: list[str], submitted: list[str], total: list[str], **other: Any) -> Path:
    report = {
        "total_instances": len(total),
        "submitted_ids": submitted,
        "resolved_ids": resolved,
        "unresolved_ids": [i for i in submitted if i not in resolved],
        "incomplete_ids": [i for i in total if i not in submitted],
        "schema_version": 2,
    }
    return write_json(path, report | other)


def promptfoo_answer(test: int, prompt: int, success: bool, variables: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "vars": variables,
        "success": success,
        "score": float(success),
        "namedScores": {},
        "gradingResult": {},
        "provider": {"id": "openai:gpt", "label": ""},
        **other,
    }


def promptfoo_output(path: Path, answers: list[dict[str, Any]], version: int = 3) -> Path:
    return write_json(path, {"results": {"version": version, "results": answers, "stats": {}}, "config": {}})


def quiz_runs(folder: Path) -> None:
    """Write the two runs of the README: the tuned model is right more often, and finds fewer of the positive items."""
    # by (gold, base): what the tuned model answers
    tuned = {
        (1, 1): "1" * 70 + "0" * 50,
        (1, 0): "1" * 5 + "0" * 25,
        (0, 1): "1" * 30 + "0" * 60,
        (0, 0): "1" * 5 + "0" * 55,
    }
    items = [(gold, base, int(answer)) for (gold, base), answers in tuned.items() for answer in answers]
    for place, name in ((1, "base"), (2, "tuned")):
        lines = [
            lm_eval_line(i, {"acc": float(item[0] == item[place]), "f1": [item[0], item[place]]})
            for i, item in enumerate(items)
        ]
        lm_eval_run(folder / "runs" / name, lines)
