"""What clearwin must make of an input, from readers that nobody here wrote: Python's csv and json, and pyarrow.

`problem(case)` returns what is wrong, or "". Nothing is wrong where clearwin refuses in words, or where it has the same
rows, ids and labels as the other reader. Whatever else it raises is a finding, as is a warning that nobody catches.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import gzip
import io
import json
import os
import re
import tempfile
import unicodedata
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from clearwin.data.files.guessing import look
from clearwin.data.files.predictions import disagreements_file, read_joint_counts, scores_file, tally_file
from clearwin.data.matrices import read_matrix
from clearwin.errors import ClearwinError
from proof.inputs import Case

ROLES = ("truth", "a", "b")
COLUMNS: dict[str, str | None] = {role: role for role in ROLES}
EXIT_CODES = (0, 1, 2, 3)


class WrongError(Exception):
    """Clearwin has read something else than there is."""


def problem(case: Case) -> str:
    """Return what is wrong with what clearwin makes of a case; nothing of most."""
    with _written(case), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            ORACLES[case.target](case)
        except ClearwinError as error:
            if not error.what.strip():
                return "a refusal without words"
        except WrongError as error:
            return f"wrong: {error}"
        except Exception as error:
            return f"{type(error).__name__} in {_place(error)}: {str(error)[:200]}"
    return ""


def accepted(case: Case) -> bool:
    """Whether clearwin takes the case: a fuzzer all of whose inputs are refused tests nothing."""
    with _written(case):
        try:
            ORACLES[case.target](case)
        except Exception:
            return False
    return True


def _place(error: BaseException) -> str:
    """Return the last line of clearwin's own that the error came through."""
    places, trace = ["outside"], error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if f"{os.sep}clearwin{os.sep}" in file:
            places.append(f"{Path(file).name} {trace.tb_frame.f_code.co_name}")
        trace = trace.tb_next
    return places[-1]


@contextlib.contextmanager
def _written(case: Case) -> Iterator[None]:
    """Stand in a folder that holds the files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True) as folder:
        for name, content in case.files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


# --- tables ----------------------------------------------------------------------------------------------------

Texts = dict[str, list[Any]]  # column → the text of every row, None where there is none


def check_table(case: Case, texts: Texts | None) -> None:
    """Compare what was asked of a file with what another reader found, which is None if that finds the file broken.

    An input that does not say what is asked is asked everything.
    """
    (file,) = case.files
    door = case.about.get("door", "")
    if door in ("", "columns"):
        look([file])  # may refuse, as the rest may
    if door in ("", "labels", "items", "scores"):
        DOORS[door if door and _can_answer(door, texts) else "labels"](file, texts)
    if door == "":
        for further in ("items", "scores"):
            if _can_answer(further, texts):
                DOORS[further](file, texts)


def _can_answer(door: str, texts: Texts | None) -> bool:
    """Whether there are ids for all items, or scores."""
    if door == "scores":
        return texts is not None and "score_a" in texts and "score_b" in texts
    return door == "labels" or (
        texts is not None and "id" in texts and not any(same_text(text, None) for text in texts["id"])
    )


def _rows(texts: Texts | None) -> list[tuple[Any, ...]]:
    """Return the labels of every item, of a file that was read."""
    if texts is None:
        raise WrongError("it is read, and the other reader finds it broken")
    if any(same_text(text, None) for role in ROLES for text in texts[role]):
        raise WrongError("an item without a label is read")
    return list(zip(*(map(_composed, texts[role]) for role in ROLES), strict=True))


def _composed(text: Any) -> Any:
    """Return a label as Unicode compares it: accents in one piece."""
    return unicodedata.normalize("NFC", text) if isinstance(text, str) else text


def _check_labels(file: str, texts: Texts | None) -> None:
    found = tally_file(file, COLUMNS)
    _compare(Counter(_rows(texts)), found.counts, "labels")


def _check_items(file: str, texts: Texts | None) -> None:
    told = [(one.item, one.truth, one.a, one.b) for one in disagreements_file(file, COLUMNS, id_column="id")]
    rows, ids = _rows(texts), (texts or {})["id"]
    differing = [(item, *row) for item, row in zip(ids, rows, strict=True) if row[1] != row[2]]
    if len(set(ids)) < len(rows):
        raise WrongError("an id that comes twice is read")
    _compare(Counter(differing), Counter(told), "items on which the models differ")
    if differing != told:
        raise WrongError("the order of the items differs")


def _check_scores(file: str, texts: Texts | None) -> None:
    found = scores_file(file, {"truth": "truth", "a": "score_a", "b": "score_b"})
    known = texts or {}
    for role, scores in zip(("score_a", "score_b"), found.scores, strict=True):
        if None in known[role]:
            raise WrongError("an item without a score is read")
        if [float(text) for text in known[role]] != scores.tolist():
            raise WrongError("other scores")
    if found.truth != list(map(_composed, known["truth"])):
        raise WrongError("other labels beside the scores")


DOORS: dict[str, Callable[[str, Texts | None], None]] = {
    "labels": _check_labels,
    "items": _check_items,
    "scores": _check_scores,
}


def _compare(theirs: Counter[Any], ours: Any, what: str) -> None:
    if sum(theirs.values()) != sum(ours.values()):
        raise WrongError(f"{sum(ours.values())} rows of {what}, and there are {sum(theirs.values())}")
    if theirs != Counter(ours):
        lost, added = Counter(theirs), Counter(ours)
        lost.subtract(ours)
        added.subtract(theirs)
        raise WrongError(f"{what}: {(+lost).most_common(1)} became {(+added).most_common(1)}"[:300])


def same_text(text: Any, other: Any) -> bool:
    """Whether two texts are the same, where nothing and the empty text are."""
    return (text or None) == (other or None)


def _bytes_of(content: bytes) -> bytes | None:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


def _of_csv(case: Case) -> None:
    (content,) = case.files.values()
    check_table(case, _csv_texts(content, case.about["delimiter"]))


def _csv_texts(content: bytes, delimiter: str) -> Texts | None:
    plain = _bytes_of(content)
    if plain is None:
        return None
    wide = plain.startswith((b"\xff\xfe", b"\xfe\xff"))
    usual = csv.field_size_limit(2**31 - 1)
    try:  # bytes that are not UTF-8 become what no label can be; in a column that is not read they are harmless
        text = io.StringIO(plain.decode("utf-16") if wide else plain.decode("utf-8-sig", "surrogateescape"), newline="")
        header, *rows = [row for row in csv.reader(text, delimiter=delimiter, strict=True) if row]
    except (UnicodeDecodeError, csv.Error, ValueError):
        return None
    finally:
        csv.field_size_limit(usual)
    if any(len(row) != len(header) for row in rows) or len(set(header)) < len(header):
        return None
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def _of_jsonl(case: Case) -> None:
    (content,) = case.files.values()
    check_table(case, _jsonl_texts(content))


def _jsonl_texts(content: bytes) -> Texts | None:
    plain = _bytes_of(content)
    if plain is None:
        return None
    encoding = "utf-16" if plain.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        lines = [line for line in plain.decode(encoding).split("\n") if line.strip()]
        rows = [
            # our engine takes a form feed behind an object for a blank, and loses nothing by that
            json.loads(line.strip("\v\f\r"), parse_float=_float_text, parse_int=str, object_pairs_hook=_once)
            for line in lines
        ]
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(row, dict) for row in rows):
        return None
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [json_text(row.get(name)) for row in rows] for name in names}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)


def _float_text(text: str) -> str:
    """Return what a number is called as a label: 1 for 1.0; what may lie beyond any float stays as it is written."""
    if re.search(r"[eE][-+]?[0-9]{3}", text):
        return text
    value = float(text)
    return str(int(value)) if value == value and abs(value) < 2**53 and value.is_integer() else repr(value)


def json_text(value: Any) -> Any:
    """Return a value of JSON as a label; what is nested stays as it is, for it must not be read at all."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):  # NaN and the infinities, which parse_float does not see
        return None if value != value else str(value)
    return value


def _of_parquet(case: Case) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not case.sound:  # what a damaged page holds is anybody's guess
        (file,) = case.files
        if case.about.get("door") in (None, "columns"):
            look([file])
        if case.about.get("door") != "columns":
            tally_file(file, COLUMNS)
        return
    (content,) = case.files.values()
    table: Any = pq.read_table(pa.BufferReader(content))
    check_table(case, {name: [arrow_text(value) for value in table[name].to_pylist()] for name in table.column_names})


def arrow_text(value: Any) -> Any:
    """Return a value of a table as a label."""
    if value is None or isinstance(value, str | list | dict):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode()
    return str(int(value))  # the tables have whole numbers only


def _of_arrow(case: Case) -> None:
    """Compare a frame: as many items, as many right ones, and the same items on which the models differ."""
    import pyarrow as pa

    (content,) = case.files.values()
    table: Any = pa.ipc.open_file(pa.BufferReader(content)).read_all()
    rows = table.to_pylist()
    if case.about["frame"] == "pandas":
        table = table.to_pandas()
    elif case.about["frame"] == "polars":
        import polars as pl

        table = pl.from_arrow(table)
    r = cw.compare(data=table, truth="truth", a="a", b="b", measure="accuracy", test="mcnemar")
    if r.signature.n != len(rows):
        raise WrongError(f"{r.signature.n} items, and there are {len(rows)}")
    for name, estimate in (("a", r.estimate_a), ("b", r.estimate_b)):
        right = sum(row["truth"] == row[name] for row in rows)  # True is 1, as in Python
        if abs(estimate - right / len(rows)) > 1e-12:
            raise WrongError(f"accuracy {estimate} of {name}, and {right} of {len(rows)} are right")


# --- counts, matrices and logs ---------------------------------------------------------------------------------


def _of_counts(case: Case) -> None:
    (file,) = case.files
    found = read_joint_counts(file)
    (content,) = case.files.values()
    if found != json.loads(content.decode("utf-8-sig")):
        raise WrongError("other counts")
    cw.compare(cw.JointCounts(**found), test="mcnemar", measure="accuracy")


def _of_matrix(case: Case) -> None:
    (file,) = case.files
    found = read_matrix(file)
    (content,) = case.files.values()
    text = content.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=_first(text).count)))
    k = len(found.labels)
    cells = [[int(float(cell)) for cell in row[-k:]] for row in [row for row in rows if any(row)][-k:]]
    if found.cells.tolist() != cells:
        raise WrongError("other counts")


def _first(text: str) -> str:
    return re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]


def _of_logs(case: Case) -> None:
    kind = case.about["kind"]
    runs = cw.logs.read(*sorted({f"{Path(name).parent}" if "/" in name else name for name in case.files}))
    cw.logs.describe(*case.files)
    ids = [_items_of(kind, content) for name, content in case.files.items() if name != "qrels"]
    if kind == "trec":
        ids = [_items_of("trec", case.files["qrels"])]
    tasks, items = runs.columns["task"], runs.columns["item"]
    if len(set(tasks)) > 1:  # then items are called by task and id
        items = [item.removeprefix(f"{task} ") for task, item in zip(tasks, items, strict=True)]
    for found in ids:
        if found != set(items):
            raise WrongError(f"items {sorted(found ^ set(items))[:3]} were lost or added")
    if case.about.get("door") == "items":
        return
    with contextlib.suppress(ClearwinError):
        measure: dict[str, Any] = {"measure": "auc"} if kind == "score_file" else {}
        cw.compare(data=runs, n_resamples=20, rng=1, **measure)


def _items_of(kind: str, content: bytes) -> set[str]:
    """Return the ids of the items in a log, by the plainest way to look for them."""
    content = _bytes_of(content) or b""
    if kind in ("lm_eval", "every_eval_ever"):
        key = "doc_id" if kind == "lm_eval" else "sample_id"
        lines = content.decode("utf-8", "replace").split("\n")
        return {_key(json.loads(line)[key]) for line in lines if line.strip()}
    if kind == "trec":
        return {line.split()[0] for line in content.decode("utf-8", "replace").splitlines() if line.strip()}
    if kind == "score_file":
        seen: Counter[str] = Counter()
        for line in content.decode("utf-8", "replace").splitlines():
            if line.strip():
                seen[" ".join(line.split()[:-1])] += 1
        return {trial if i == 1 else f"{trial} #{i}" for trial, count in seen.items() for i in range(1, count + 1)}
    if kind == "inspect_zip":
        import zipfile

        found = json.loads(zipfile.ZipFile(io.BytesIO(content)).read("summaries.json"))
        return {_key(sample.get("id")) for sample in found}
    found = json.loads(content)
    if kind == "inspect":
        return {_key(sample.get("id")) for sample in found["samples"]}
    if kind == "helm":
        return {str(record["instance_id"]) for record in found}
    if kind == "promptfoo":
        return {_key(one.get("vars") or {"testIdx": one["testIdx"]}) for one in found["results"]["results"]}
    return {i for name, ids in found.items() if name.endswith("_ids") and isinstance(ids, list) for i in ids}


def _key(value: Any) -> str:
    return (
        str(value)
        if isinstance(value, str) or type(value) is int
        else json.dumps(value, sort_keys=True, ensure_ascii=False)
    )


# --- the command and the page ----------------------------------------------------------------------------------


def _of_command(case: Case) -> None:
    answer = CliRunner().invoke(main, list(case.words), catch_exceptions=False)
    if answer.exit_code not in EXIT_CODES:
        raise WrongError(f"the command ends with {answer.exit_code}")
    if "Traceback" in answer.output:
        raise WrongError("a traceback is printed")
    if answer.exit_code == 2:
        raise ClearwinError(answer.stderr)


def _of_call(case: Case) -> None:
    from proof.calls import called

    found = called(case.words)
    if not str(found).strip():
        raise WrongError("the result says nothing")
    json.loads(found.to_json())


class Page:
    """A page whose jobs are done in this process; opened once, for it takes longer than most inputs."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.stack = contextlib.AsyncExitStack()
        self.client = self.runner.run(self._open())

    async def _open(self) -> Any:
        import httpx

        from clearwin.web.app import make_app
        from clearwin.web.refusals import Limits

        app = make_app(Limits())
        await self.stack.enter_async_context(app.router.lifespan_context(app))
        app.state.pool.processes = InThisProcess()
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", timeout=60)
        return await self.stack.enter_async_context(client)

    def ask(self, path: str, files: list[Any]) -> Any:
        """Send files and fields, and return the answer."""
        return self.runner.run(self.client.post(path, files=files))

    def close(self) -> None:
        """Leave nothing behind."""
        self.runner.run(self.stack.aclose())
        self.runner.close()


class InThisProcess:
    """Does the jobs here, without limits: those of the fuzzer hold."""

    async def run(self, id: str, verb: str, folder: Path, seconds: float) -> int:
        """Do a job."""
        from clearwin.web import worker

        (folder / "scratch").mkdir()
        limited = worker._limit_myself
        worker._limit_myself = lambda limits: None
        try:
            worker.work(verb, folder)
        finally:
            worker._limit_myself = limited
        return 0

    async def warm_up(self) -> None:
        """Nothing has to be loaded."""

    async def close(self) -> None:
        """No process is left."""


_page: list[Page] = []


def close_page() -> None:
    """Close the page, if one was opened."""
    while _page:
        _page.pop().close()


def _of_page(case: Case) -> None:
    if not _page:
        _page.append(Page())
    path, *fields = case.words
    sent: list[Any] = [("files", (name, content)) for name, content in case.files.items()]
    sent += [(name, (None, value)) for name, _, value in (one.partition("=") for one in fields)]
    answer = _page[0].ask(path, sent)
    if answer.status_code >= 500:
        raise WrongError(f"the page answers {answer.status_code}: {answer.text[:200]}")
    if answer.status_code >= 400 and not answer.json()["error"]["what"].strip():
        raise WrongError("the page refuses without words")


ORACLES: dict[str, Callable[[Case], None]] = {
    "csv": _of_csv,
    "tsv": _of_csv,
    "jsonl": _of_jsonl,
    "parquet": _of_parquet,
    "arrow": _of_arrow,
    "counts": _of_counts,
    "matrix": _of_matrix,
    "logs": _of_logs,
    "command": _of_command,
    "calls": _of_call,
    "page": _of_page,
}
