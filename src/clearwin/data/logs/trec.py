"""TREC: a run (topic Q0 document rank score tag) with judgements (topic 0 document relevance), as trec_eval reads them.

The rank in the file does not count: documents are sorted by score as a 32-bit number, ties by the document's name,
backwards. Documents without a judgement are not relevant. A topic with judgements that a run does not answer counts 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from clearwin.data.logs.base import Answer, Format, LogFile, Run
from clearwin.errors import DataError, FileError, UnknownNameError, setting
from clearwin.text import as_number, composed

NAME = "TREC run"
SHOWN = ("ap", "rr", "ndcg", "ndcg@10", "p@10", "recall@100")  # what is offered; any cut-off may be asked for
METRIC = re.compile(r"(ap|rr|ndcg|p|recall)(?:@(\d+))?")
SPELLED = {"map": "ap", "mrr": "rr", "recip_rank": "rr", "precision": "p", "r": "recall"}
Judged = dict[str, dict[str, int]]  # topic → document → relevance


def _numbers(texts: Sequence[str]) -> bool:
    numbers = [as_number(text) for text in texts]
    return all(number is not None and math.isfinite(number) for number in numbers)


def _is_run(file: LogFile) -> bool:
    rows = file.columns
    return (
        bool(rows)
        and all(len(row) == 6 and row[1].upper() == "Q0" for row in rows)
        and all(_numbers(row[3:5]) for row in rows)
    )


def _is_judgements(file: LogFile) -> bool:
    """Whether it has four columns, the last an integer; the second one is 0, Q0 or the number of an iteration."""
    return bool(file.columns) and all(
        len(row) == 4 and re.fullmatch("[0-9]+|Q0", row[1]) and re.fullmatch("-?[0-9]{1,2}", row[3])
        for row in file.columns
    )


def _read(files: list[LogFile], companions: list[LogFile], metric: str | None) -> Iterator[Run]:
    if len(companions) != 1:
        raise FileError(
            f"{files[0].name} is a TREC run, and {len(companions)} files of judgements (qrels) were named.",
            "one, with the lines: topic 0 document relevance",
            f"clearwin compare {' '.join(file.name for file in files)} qrels.txt " + setting("metric", "ndcg@10"),
        )
    judged = _judgements(companions[0])
    wanted = SHOWN if metric is None else (_checked(metric),)
    for file in files:
        answers, tag = _ranked(file)
        rows, unanswered = [], 0
        for topic, relevance in judged.items():
            unanswered += topic not in answers
            gains = [relevance.get(document, 0) for document in answers.get(topic, [])]
            ideal = sorted((gain for gain in relevance.values() if gain > 0), reverse=True)
            rows.append(Answer(topic, {metric or name: value(name, gains, ideal) for name in wanted}))
        told = f"{tag} answers none of {len(judged):,} topics" if unanswered == len(judged) else ""
        if told:
            raise DataError(f"{told} of {companions[0].name}.", "judgements of the topics of the run")
        doubts = (
            (f"{unanswered:,} of {len(judged):,} topics that {tag} does not answer count 0.",) if unanswered else ()
        )
        yield Run(
            format=NAME,
            file=file.name,
            model=tag,
            task="TREC",
            rows=rows,
            higher_is_better=dict.fromkeys([metric, *wanted] if metric else wanted, True),
            doubts=doubts,
        )


def _checked(metric: str) -> str:
    name, at, cut = metric.lower().partition("@")
    name = SPELLED.get(name, name)
    found = f"{name}{at}{cut}"
    known = METRIC.fullmatch(found)
    if known is None or (name in ("p", "recall") and not cut) or (cut and int(cut) == 0):
        raise UnknownNameError("metric of TREC runs", metric, SHOWN)
    return found


def value(name: str, gains: Sequence[int], ideal: Sequence[int]) -> float:
    """Return a topic's value, from the relevance of the documents in the order of the run and in the best order.

    AP = Σ over relevant documents of precision at their rank / number of relevant ones; RR = 1/rank of the first;
    nDCG = Σ gain/log2(rank + 1) over that of the best order; P@k and recall@k count relevant ones among the first k.
    A topic without relevant documents has the value 0, as in trec_eval.

    >>> value("ap", [1, 0, 2], [2, 1]), value("ndcg", [0, 1], [1]) == 1 / math.log2(3)
    (0.8333333333333333, True)
    """
    kind, _, cut = name.partition("@")
    first = gains[: int(cut)] if cut else gains
    hits = [rank for rank, gain in enumerate(first, 1) if gain > 0]
    if not ideal:
        return 0.0
    if kind == "ap":
        return sum(place / rank for place, rank in enumerate(hits, 1)) / len(ideal)
    if kind == "rr":
        return 1 / hits[0] if hits else 0.0
    if kind == "ndcg":
        return _discounted(first) / _discounted(ideal[: int(cut)] if cut else ideal)
    return len(hits) / (int(cut) if kind == "p" else len(ideal))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain > 0)


def _judgements(file: LogFile) -> Judged:
    found: Judged = {}
    for number, line in file.lines():
        fields = line.split()
        if len(fields) != 4 or not re.fullmatch("-?[0-9]+", fields[3]):
            raise FileError(f"{file.name}, line {number} is {line.strip()!r}.", "topic 0 document relevance")
        found.setdefault(composed(fields[0]), {})[composed(fields[2])] = int(fields[3])
    return found


def _ranked(file: LogFile) -> tuple[dict[str, list[str]], str]:
    """Return the documents of every topic in the order that trec_eval gives them, and the tag of the run."""
    found: dict[str, dict[str, float]] = {}
    tag = file.path.name
    for number, line in file.lines():
        fields = line.split()
        if len(fields) != 6:
            raise FileError(
                f"{file.name}, line {number} has {len(fields)} columns.", "topic Q0 document rank score tag"
            )
        topic, _, document, _, score, tag = map(composed, fields)
        if not _numbers([score]):
            raise FileError(f"{file.name}, line {number}: the score is {score!r}.", "a number")
        if document in found.setdefault(topic, {}):
            raise FileError(f"{file.name}, line {number}: {document} occurs twice in topic {topic}.", "each once")
        found[topic][document] = float(score)
    return {topic: _in_order(scores) for topic, scores in found.items()}, tag


def _in_order(scores: dict[str, float]) -> list[str]:
    documents = sorted(scores, reverse=True)
    as_stored = np.array([scores[document] for document in documents], dtype=np.float32)
    return [documents[i] for i in np.argsort(-as_stored, kind="stable")]


FORMAT = Format(NAME, _is_run, _read, _is_judgements)
