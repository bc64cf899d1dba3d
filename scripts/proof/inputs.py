"""Inputs for the fuzzer: files of every kind that clearwin reads, made from a seed, most of them damaged.

Every input begins as a sound file with labels that are hard to read (quotes, line breaks, NA, 01, nothing at all) and
is then changed none to several times: in its bytes, its lines, its fields, or, if it is JSON, in its values. A `Case`
keeps what an oracle has to know of it besides the bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from tests.data.logs import made

Json = Any
DELIMITERS = {",": "csv", ";": "csv", "|": "csv", "\t": "tsv"}
NOTHING = ["", " ", "NA", "null", "None", "nan", "inf", "-inf", "true", "True", "\\N"]
NUMBERS = [
    "01",
    "1",
    "1.0",
    "1e5",
    "-0",
    "+1",
    "0x1f",
    "1_000",
    "9" * 40,
    "12345678901234567890",
    "1e400",
    "0.1" + "0" * 20,
]
MARKS = [
    "a,b",
    "a;b",
    "a\tb",
    "a|b",
    'say "yes"',
    '"',
    '""',
    "'",
    "\\",
    "=1+1",
    "#",
    "# x",
    "{}",
    "[1]",
    " cat",
    "cat ",
]
BREAKS = ["two\nlines", "two\r\nlines", "cr\rhere", "\u2028", "\x85", "\x00", "\x1b[31m", "\ufeffbom"]
LETTERS = ["é", "e\u0301", "日本", "🙂", "x" * 999, "x" * 1001, "y" * 70_000]
ODD_TEXTS = [*NOTHING, *NUMBERS, *MARKS, *BREAKS, *LETTERS]
OF_CSV = [b",", b";", b"\t", b"|", b'"', b'""', b'"""', b"'", b"\n", b"\r", b"\r\n", b"\n\n", b"#", b" ", b"Q0"]
OF_JSON = [
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"null",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"9" * 5000,
]
DEEP = [b"[" * 3000, b'{"a":' * 1500, b"[" * 100_000]
OF_BYTES = [
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\x1a",
    b"\x1f\x8b",
    b"PAR1",
    b"PK\x03\x04",
]
TOKENS = [*OF_CSV, *OF_JSON, *DEEP, *OF_BYTES]
ODD_NUMBERS = [0, -1, 1, 1.0, 0.5, 2**63, 10**400, -(2**63), float("nan"), float("inf"), 1e-320]
ODD_VALUES: list[Json] = [*ODD_NUMBERS, None, True, False, "", "1", "C", "x" * 2000, "\x00", "\ud800", [], [0, 1], [[]]]
ODD_VALUES += [[1], [None], ["x", "x"], {}, {"value": 1}, {"a": {"b": []}}]


@dataclass(frozen=True)
class Case:
    """One input: what it is for, the files it consists of, the words of a command, and whether it was damaged."""

    target: str
    files: dict[str, bytes]
    words: tuple[str, ...] = ()
    sound: bool = False
    about: dict[str, str] = field(default_factory=dict)


# what is asked of a file: of each one thing, chosen by its number, so that more files can be tried
DOORS = {"labels": 5, "items": 3, "scores": 1, "columns": 2}
COMPARED = 0.1  # the share of logs that are compared, too, which takes longer than reading them


def make_case(target: str, rng: random.Random) -> Case:
    """Return an input for a target; the same for the same state of the generator."""
    case = MAKERS[target](rng)
    if target in ("csv", "tsv", "jsonl", "parquet"):
        (door,) = rng.choices(list(DOORS), list(DOORS.values()))
        return replace(case, about={**case.about, "door": door})
    if target == "logs" and rng.random() > COMPARED:
        return replace(case, about={**case.about, "door": "items"})
    return case


# --- tables ----------------------------------------------------------------------------------------------------


def _labels(rng: random.Random) -> list[str]:
    """Return a few labels, often plain ones, now and then one that is hard to read."""
    plain: list[str] = rng.choice([["cat", "dog"], ["0", "1"], ["a", "b", "c"], ["yes", "no"]])
    odd = rng.sample(ODD_TEXTS, rng.choice([0, 0, 0, 1, 1, 2, 3]))
    return [*plain, *odd]


def _table(rng: random.Random) -> dict[str, list[str]]:
    n = rng.choice([1, 2, 5, 12, 30, 30, 80])
    labels = _labels(rng)
    weights = [20] * 2 + [1] * (len(labels) - 2)
    ids = [f"item {i}" for i in range(n)] if rng.random() < 0.7 else [str(i) for i in range(n)]
    if rng.random() < 0.1:
        ids[rng.randrange(n)] = rng.choice(ODD_TEXTS)
    columns = {"id": ids, **{name: rng.choices(labels, weights, k=n) for name in ("truth", "a", "b")}}
    if rng.random() < 0.5:
        columns |= {name: [repr(rng.gauss(0, 1)) for _ in range(n)] for name in ("score_a", "score_b")}
    if rng.random() < 0.2:
        columns["text"] = [rng.choice(ODD_TEXTS) for _ in range(n)]
    names = list(columns)
    if rng.random() < 0.3:
        rng.shuffle(names)
    return {name: columns[name] for name in names}


def _csv(rng: random.Random) -> Case:
    delimiter = rng.choice([*",,,,;|\t\t"])
    columns = _table(rng)
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator=rng.choice(["\n", "\n", "\n", "\r\n", "\r"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    encoding = rng.choice([*["utf-8"] * 6, "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
    content = text.getvalue().encode(encoding, "replace")
    content, sound = _damaged(content, rng)
    sound = sound and encoding.startswith("utf-8")
    content, packing = _packed(content, rng)
    name = f"p.{DELIMITERS[delimiter]}{packing}"
    return Case(DELIMITERS[delimiter], {name: content}, sound=sound, about={"delimiter": delimiter})


def _tsv(rng: random.Random) -> Case:
    case = _csv(rng)
    while case.target != "tsv":
        case = _csv(rng)
    return case


def _jsonl(rng: random.Random) -> Case:
    columns = _table(rng)
    ascii, spaces = rng.random() < 0.5, rng.choice([(",", ":"), (", ", ": "), (" , ", "\t:  ")])
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    typed: list[Json] = [{key: _as_json(key, text, rng) for key, text in row.items()} for row in rows]
    changed = rng.random() < 0.4
    for _ in range(rng.choice([1, 1, 2, 4]) if changed else 0):
        typed = change_value(typed, rng)
    try:
        rows_left = typed if isinstance(typed, list) else [typed]
        lines = [json.dumps(row, ensure_ascii=ascii, separators=spaces) for row in rows_left]
    except (RecursionError, ValueError):
        lines = ["{}"]
    content = rng.choice(["\n", "\n", "\r\n"]).join([*lines, ""]).encode("utf-8", "surrogatepass")
    content, sound = _damaged(content, rng)
    content, packing = _packed(content, rng)
    return Case("jsonl", {f"p.jsonl{packing}": content}, sound=sound and not changed)


def _as_json(key: str, text: str, rng: random.Random) -> Json:
    """Write labels that are numbers as numbers, now and then."""
    if key in ("truth", "a", "b") and text.isascii() and text.isdigit() and rng.random() < 0.5:
        return rng.choice([int(text), float(text), text]) if len(text) < 20 else int(text)
    return float(text) if key.startswith("score") else text


def _packed(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    if rng.random() > 0.1:
        return content, ""
    packed = gzip.compress(content, mtime=0)
    if rng.random() < 0.4:
        packed, _ = _damaged(packed, rng)
    return packed, ".gz"


# --- Parquet and Arrow -----------------------------------------------------------------------------------------


def arrow_table(rng: random.Random) -> Any:
    """Return a pyarrow table with labels of many types."""
    import pyarrow as pa

    n = rng.choice([1, 3, 20, 60])
    types: list[Callable[[int], Any]] = [
        lambda k: pa.array([rng.choice(["cat", "dog", *ODD_TEXTS[:12]]) for _ in range(k)]),
        lambda k: pa.array([rng.choice(["cat", "dog"]) for _ in range(k)], pa.large_string()),
        lambda k: pa.array([rng.choice(["cat", "dog"]) for _ in range(k)]).dictionary_encode(),
        lambda k: pa.array([rng.randrange(3) for _ in range(k)], rng.choice([pa.int8(), pa.int64(), pa.uint32()])),
        lambda k: pa.array([float(rng.randrange(3)) for _ in range(k)], rng.choice([pa.float32(), pa.float64()])),
        lambda k: pa.array([rng.random() < 0.5 for _ in range(k)]),
        lambda k: pa.array([Decimal(rng.randrange(3)) for _ in range(k)], pa.decimal128(10, 2)),
        lambda k: pa.array([rng.choice([b"x", b"y"]) for _ in range(k)], pa.binary()),
        lambda k: pa.array([rng.choice([2**60, 2**60 + 1]) for _ in range(k)], pa.int64()),
        lambda k: pa.array([[1]] * k),
        lambda k: pa.array([{"x": 1}] * k),
        lambda k: pa.nulls(k),
    ]
    weights = [8, 3, 3, 5, 3, 3, 2, 1, 1, 1, 1, 1]
    (kind,) = rng.choices(types, weights)
    columns = {"id": pa.array([f"item {i}" for i in range(n)])}
    for name in ("truth", "a", "b"):
        made_column = (kind if rng.random() < 0.9 else rng.choice(types))(n)
        if rng.random() < 0.08:
            import pyarrow.compute as pc

            mask = pa.array([rng.random() < 0.3 for _ in range(n)])
            made_column = pc.if_else(mask, pa.scalar(None, made_column.type), made_column)
        columns[name] = made_column
    names = list(columns)
    rng.shuffle(names)
    return pa.table({name: columns[name] for name in names})


def _parquet(rng: random.Random) -> Case:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    table = arrow_table(rng)
    pq.write_table(
        table,
        buffer,
        compression=rng.choice(["none", "snappy", "gzip", "zstd"]),
        row_group_size=rng.choice([None, 7]),
        use_dictionary=rng.random() < 0.5,
    )
    content, sound = _damaged(buffer.getvalue(), rng)
    return Case("parquet", {"p.parquet": content}, sound=sound)


def _arrow(rng: random.Random) -> Case:
    import pyarrow as pa

    sink = io.BytesIO()
    table = arrow_table(rng)
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return Case(
        "arrow", {"p.arrow": sink.getvalue()}, sound=True, about={"frame": rng.choice(["arrow", "pandas", "polars"])}
    )


# --- counts and matrices ---------------------------------------------------------------------------------------


def _counts(rng: random.Random) -> Case:
    found: Json = {f"e{i}": rng.randrange(50) for i in range(1, 9)}
    for _ in range(rng.choice([0, 1, 1, 2])):
        found = change_value(found, rng)
    content, _ = _damaged(_dumped(found), rng)
    return Case("counts", {"counts.json": content})


def _matrix(rng: random.Random) -> Case:
    k = rng.choice([2, 2, 3, 5])
    labels = rng.sample([*ODD_TEXTS[2:40], "cat", "dog", "cow", "x", "y"], k)
    header, beside = rng.random() < 0.5, rng.random() < 0.5
    rows: list[list[str]] = [[str(rng.randrange(20)) for _ in range(k)] for _ in range(k)]
    if rng.random() < 0.2:
        rows[rng.randrange(k)][rng.randrange(k)] = rng.choice(ODD_TEXTS)
    rows = [[label, *row] for label, row in zip(labels, rows, strict=True)] if beside else rows
    rows = [[*([""] if beside else []), *labels], *rows] if header else rows
    text = io.StringIO(newline="")
    delimiter = rng.choice(",;\t")
    csv.writer(text, delimiter=delimiter, lineterminator=rng.choice(["\n", "\r\n"])).writerows(rows)
    content, sound = _damaged(text.getvalue().encode("utf-8", "replace"), rng)
    return Case("matrix", {"m.csv": content}, sound=sound)


# --- evaluation logs -------------------------------------------------------------------------------------------


def _dumped(found: Json) -> bytes:
    """Write JSON as tools do; what is nested too deeply to be written becomes nothing."""
    try:
        return json.dumps(found).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError):
        return b"{}"


def _lm_eval(n: int, side: int) -> dict[str, Json]:
    lines = [made.lm_eval_line(i, {"acc": float((i + side) % 2)}) for i in range(n)]
    return {f"{side}/samples_quiz_{made.TIME}.jsonl": lines}


def _inspect_json(n: int, side: int) -> dict[str, Json]:
    samples = [made.inspect_sample(i, "CI"[(i + side) % 2]) for i in range(n)]
    return {f"{side}.json": {**made.inspect_header(f"m{side}"), "samples": samples}}


def _inspect_zip(n: int, side: int) -> dict[str, Json]:
    samples = [made.inspect_sample(i, "CI"[(i + side) % 2]) for i in range(n)]
    return {f"{side}.eval": {"header": made.inspect_header(f"m{side}"), "summaries": samples}}


def _helm(n: int, side: int) -> dict[str, Json]:
    records = [made.helm_record(f"id{i}", {"exact_match": float((i + side) % 2)}) for i in range(n)]
    return {f"quiz:model=m{side}/per_instance_stats.json": records}


def _swebench(n: int, side: int) -> dict[str, Json]:
    ids = made.swe_ids(n)
    report = {
        "total_instances": n,
        "submitted_ids": ids,
        "resolved_ids": ids[side::2],
        "unresolved_ids": ids[1 - side :: 2],
    }
    return {f"m{side}.run.json": report}


def _every_eval(n: int, side: int) -> dict[str, Json]:
    lines = [
        {
            "schema_version": "0.2.1",
            "model_id": f"m{side}",
            "evaluation_name": "gsm8k",
            "sample_id": f"g{i}",
            "sample_hash": f"h{i}",
            "input": {"raw": "?", "reference": ["4"]},
            "evaluation": {"score": float((i + side) % 2), "is_correct": bool((i + side) % 2)},
        }
        for i in range(n)
    ]
    return {f"{side}_samples.jsonl": lines}


def _promptfoo(n: int, side: int) -> dict[str, Json]:
    answers = [made.promptfoo_answer(i, 0, bool((i + side) % 2), {"x": i}, provider=f"m{side}") for i in range(n)]
    return {f"{side}.json": {"results": {"version": 3, "results": answers, "stats": {}}, "config": {}}}


LOGS: dict[str, Callable[[int, int], dict[str, Json]]] = {
    "lm_eval": _lm_eval,
    "inspect": _inspect_json,
    "inspect_zip": _inspect_zip,
    "helm": _helm,
    "swebench": _swebench,
    "every_eval_ever": _every_eval,
    "promptfoo": _promptfoo,
}


def _log(rng: random.Random) -> Case:
    kind = rng.choice([*LOGS, "trec", "score_file"])
    n = rng.choice([1, 4, 9])
    both: dict[str, Json] = {}
    for side in (0, 1):
        both |= _of_lines(kind, n, side) if kind not in LOGS else LOGS[kind](n, side)
    changes = rng.choice([0, 1, 1, 2, 4])
    files, alike, start = {}, rng.random() < 0.6, rng.random()
    for name, content in both.items():
        own = random.Random(start) if alike else rng  # the same changes in both logs, so that their items still pair
        for _ in range(0 if isinstance(content, bytes) else changes):
            content = change_value(content, own)
        files[name] = _as_written(kind, content)
    sound = changes == 0
    if rng.random() < 0.1:
        files = {name: gzip.compress(content, mtime=0) for name, content in files.items()}
        sound = False
    if rng.random() < 0.3:
        name = rng.choice(list(files))
        files[name], unchanged = _damaged(files[name], rng)
        sound = sound and unchanged
    return Case("logs", files, sound=sound and kind in LOGS, about={"kind": kind})


def _of_lines(kind: str, n: int, side: int) -> dict[str, Json]:
    if kind == "trec":
        judged = "".join(f"{i} 0 d{k} {k % 2}\n" for i in range(n) for k in range(4)).encode()
        run = "".join(f"{i} Q0 d{k} {k} {(k * (side + 2)) % 4}.5 m{side}\n" for i in range(n) for k in range(4))
        return {f"run{side}": run.encode(), "qrels": judged}
    trials = [(c, r) for c in range(3) for r in range(3)]
    return {f"scores{side}": "".join(f"s{c} s{r} s{r}/1 {c - r + side}.25\n" for c, r in trials).encode()}


def _as_written(kind: str, content: Json) -> bytes:
    if isinstance(content, bytes):
        return content
    if kind in ("lm_eval", "every_eval_ever") and isinstance(content, list):
        return b"".join(_dumped(line) + b"\n" for line in content)
    if kind == "inspect_zip" and isinstance(content, dict):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as log:
            for name, part in content.items():
                entry = zipfile.ZipInfo(f"{name}.json".replace("\x00", ""))
                log.writestr(entry, _dumped(part))
        return packed.getvalue()
    return _dumped(content)


# --- the command and the page ----------------------------------------------------------------------------------


def _plain(rng: random.Random) -> Case:
    """Return a file with nothing wrong in it, so that the options are what is tried."""
    truth = [rng.randrange(2) for _ in range(40)]
    rows = [
        [
            i,
            y,
            *(y ^ int(rng.random() < wrong) for wrong in (0.3, 0.2)),
            *(y + rng.gauss(0, 1) for _ in "ab"),
            f"t{i % 9}",
        ]
        for i, y in enumerate(truth)
    ]
    lines: list[list[Any]] = [["id", "truth", "a", "b", "score_a", "score_b", "text"], *rows]
    return Case("csv", {"p.csv": "".join(",".join(map(str, line)) + "\n" for line in lines).encode()}, sound=True)


def _command(rng: random.Random) -> Case:
    from proof.commands import CONFIG, random_config, random_words

    table = rng.choice([*[_plain] * 8, _csv, _csv, _csv, _jsonl, _parquet, _counts, _matrix, _log])(rng)
    words = random_words(table, rng)
    return Case("command", table.files | ({CONFIG: random_config(rng)} if CONFIG in words else {}), words)


def _page(rng: random.Random) -> Case:
    from proof.commands import random_fields

    table = rng.choice([*[_plain] * 5, _csv, _csv, _jsonl, _parquet, _counts])(rng)
    return Case("page", table.files, random_fields(rng))


def _call(rng: random.Random) -> Case:
    from proof.calls import random_call

    return Case("calls", {}, random_call(rng))


MAKERS: dict[str, Callable[[random.Random], Case]] = {
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "arrow": _arrow,
    "counts": _counts,
    "matrix": _matrix,
    "logs": _log,
    "command": _command,
    "page": _page,
    "calls": _call,
}


# --- damage ----------------------------------------------------------------------------------------------------


def change_value(found: Json, rng: random.Random) -> Json:
    """Return JSON with one value replaced, removed, doubled or put under another key, somewhere inside."""
    if not isinstance(found, dict | list) or not found or rng.random() < 0.05:
        return rng.choice(ODD_VALUES)
    if isinstance(found, list):
        place = rng.randrange(len(found))
        how = rng.random()
        if how < 0.1:
            return [*found[:place], *found[place + 1 :]]
        if how < 0.2:
            return [*found[:place], found[place], *found[place:]]
        return [*found[:place], change_value(found[place], rng), *found[place + 1 :]]
    key = rng.choice(list(found))
    how = rng.random()
    if how < 0.15:
        return {other: value for other, value in found.items() if other != key}
    if how < 0.25:
        return {rng.choice([f"{key}x", "", "id", key.upper()]) if k == key else k: value for k, value in found.items()}
    return {k: change_value(value, rng) if k == key else value for k, value in found.items()}


def _damaged(content: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """Return the bytes after none to six changes, and whether there was none."""
    changes = rng.choice([0, 0, 0, 1, 1, 2, 3, 6])
    for _ in range(changes):
        content = rng.choice(DAMAGES)(content, rng)
    return content, changes == 0


def _flip(content: bytes, rng: random.Random) -> bytes:
    if not content:
        return content
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(TOKENS) + content[place:]


def _remove(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + content[place + rng.choice([1, 1, 3, 20]) :]


def _truncate(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _of_rows(
    change: Callable[[list[bytes], int, random.Random], list[bytes]],
) -> Callable[[bytes, random.Random], bytes]:
    def changed(content: bytes, rng: random.Random) -> bytes:
        lines = content.splitlines(keepends=True)
        return b"".join(change(lines, rng.randrange(len(lines)), rng)) if lines else content

    return changed


def _without_field(lines: list[bytes], place: int, rng: random.Random) -> list[bytes]:
    mark = rng.choice([b",", b";", b"\t", b"|", b'"'])
    return [*lines[:place], lines[place].replace(mark, b"", 1), *lines[place + 1 :]]


DAMAGES: list[Callable[[bytes, random.Random], bytes]] = [
    _flip,
    _insert,
    _insert,
    _insert,
    _remove,
    _truncate,
    _of_rows(lambda lines, place, rng: [*lines[:place], lines[place], *lines[place:]]),
    _of_rows(lambda lines, place, rng: [*lines[:place], *lines[place + 1 :]]),
    _of_rows(lambda lines, place, rng: [*lines[:place], rng.choice([b"\n", b"\r\n", b"\r"]), *lines[place:]]),
    _of_rows(lambda lines, place, rng: rng.sample(lines, len(lines))),
    _of_rows(_without_field),
]
