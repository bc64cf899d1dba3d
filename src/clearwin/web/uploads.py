"""Receiving a request: counted while it streams, kept under harmless names in the job's own folder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from clearwin.data.files.sources import BY_STANDARD_INPUT, kind_by_ending
from clearwin.errors import FileError, OptionError, UnknownNameError
from clearwin.web.folder import write_json
from clearwin.web.refusals import BusyError, Limits, TooLargeError, TooSlowError, size
from clearwin.web.settings import SETTINGS

# what is shipped: the file, and what it holds
EXAMPLES = {
    "eights": ("digits_eight.csv", "decisions: is this image an eight?"),
    "scores": ("digits_eight_scores.csv", "scores: how much does this image look like an eight?"),
    "digits": ("digits.csv", "ten classes: which digit is this?"),
}
# the sender of a form gets the error; logging it would let anyone flood the terminal
logging.getLogger("python_multipart").setLevel(logging.ERROR)
LONGEST_NAME = 100
MOST_FILES = 3
OF_LOGS = (".eval", ".json", ".txt", ".run", ".qrels", ".scores")  # endings of evaluation logs
WAITS = 20  # seconds between looks for a free place


class Upload:
    """One request that is being received."""

    def __init__(self) -> None:
        self.began, self.received = time.monotonic(), 0
        self.length: int | None = None  # bytes that the header has promised
        self.clock: asyncio.Timeout | None = None
        self.gave_way = False

    def is_slow(self, limits: Limits) -> bool:
        """Return whether it had enough time and sent too little.

        A request that has arrived completely is not slow, because then the server is.
        """
        if self.clock is None or self.received == self.length:
            return False
        seconds = time.monotonic() - self.began
        return seconds > limits.slow_seconds and self.received < limits.slow * seconds

    def give_way(self) -> None:
        """End it at the next step."""
        self.gave_way = True
        if self.clock is not None and not self.clock.expired():
            self.clock.reschedule(asyncio.get_running_loop().time())


class Uploads:
    """The requests that are being received, a few at a time. If all places are taken, a slow one gives way."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.now: set[Upload] = set()

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[Upload]:
        """Wait a moment for a place, and keep it as long as something is received."""
        for _ in range(WAITS):
            if self._make_room():
                break
            await asyncio.sleep(2 * self.limits.slow_seconds / WAITS)
        else:
            most = self.limits.receiving
            what = f"{most} requests are being received already."
            raise BusyError(what, f"at most {most} at the same time", "wait a few seconds and try again")
        upload = Upload()
        self.now.add(upload)
        try:
            yield upload
        finally:
            self.now.discard(upload)

    def _make_room(self) -> bool:
        if len(self.now) < self.limits.receiving:
            return True
        slow = [upload for upload in self.now if upload.is_slow(self.limits)]
        if slow:
            slowest = min(slow, key=lambda upload: upload.received / (time.monotonic() - upload.began))
            slowest.give_way()
            self.now.discard(slowest)
        return bool(slow)


async def receive(request: Request, folder: Path, limits: Limits, upload: Upload) -> None:
    """Write what was sent into the folder: its files under ``input``, and ``task.json`` or ``body.json``."""
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdecimal():
        upload.length = int(length)
        if upload.length > limits.upload:
            raise _too_large(limits)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    (folder / "input").mkdir()
    try:
        async with asyncio.timeout(limits.upload_seconds) as upload.clock:
            if kind == "application/json":
                await _receive_json(request, folder, limits, upload)
            elif kind == "multipart/form-data":
                await _receive_form(request, folder, limits, upload)
            else:
                raise OptionError(
                    f"The request is of type {kind or 'unknown'!r}.", "multipart/form-data or application/json"
                )
    except TimeoutError:
        what = f"The request was not complete after {limits.upload_seconds:g} seconds."
        if upload.gave_way:
            what = "The request came slowly while others waited to send theirs."
        raise TooSlowError(what, "a faster upload", "send it again") from None
    except ClientDisconnect:
        raise OptionError("The request was cut off.") from None


def _too_large(limits: Limits) -> TooLargeError:
    return TooLargeError(
        f"The request is larger than {size(limits.upload)}.",
        "less than that in one request",
        "leave out columns that are not needed, pack the files with gzip, or use the command, which has no such limit",
    )


async def _counted(request: Request, limits: Limits, upload: Upload) -> AsyncGenerator[bytes, None]:
    """Pass on the body, but never more than the limit, whatever the header said."""
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout(limits.idle_seconds):
                part = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            what = f"No part of the request arrived for {limits.idle_seconds:g} seconds."
            raise TooSlowError(what, "a faster upload", "send it again") from None
        upload.received += len(part)
        if upload.received > limits.upload:
            raise _too_large(limits)
        yield part


async def _receive_json(request: Request, folder: Path, limits: Limits, upload: Upload) -> None:
    # read by the job, not here: it has a memory limit
    with (folder / "body.json").open("wb") as file:
        async for part in _counted(request, limits, upload):
            file.write(part)


async def _receive_form(request: Request, folder: Path, limits: Limits, upload: Upload) -> None:
    charset = parse_options_header(request.headers["content-type"])[1].get(b"charset", b"utf-8")
    if charset.lower() not in (b"utf-8", b"utf8"):
        raise OptionError("The form is not in UTF-8.", "charset=utf-8, or none")
    parser = MultiPartParser(request.headers, _counted(request, limits, upload), max_files=MOST_FILES, max_fields=50)
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError) as error:
        what = f"The form cannot be read: {getattr(error, 'message', 'it has no boundary')}"
        raise OptionError(what, f"at most {MOST_FILES} files and the settings") from None
    try:
        await asyncio.to_thread(_keep, form, folder)
    finally:
        await form.close()


def _keep(form: FormData, folder: Path) -> None:
    chosen: list[str] = []
    names: list[str] = []
    renamed: list[dict[str, str]] = []  # the command would not find them under the names that they have here
    settings: dict[str, Any] = {}
    for field, value in form.multi_items():
        if isinstance(value, UploadFile):
            if field != "files":
                raise UnknownNameError("field for files", field, ["files"])
            sent = as_chosen(value.filename or "")
            names.append(harmless(sent, names))
            if names[-1] != sent:
                renamed.append({"was": sent, "now": names[-1], "again": "yes" if sent in chosen else ""})
            chosen.append(sent)
            with (folder / "input" / names[-1]).open("wb") as file:
                shutil.copyfileobj(value.file, file)
        elif field not in settings:
            settings[field] = value
        elif field in SETTINGS and SETTINGS[field].reads.several:
            settings[field] = [*(settings[field] if isinstance(settings[field], list) else [settings[field]]), value]
        else:
            raise OptionError(f"{field} was given twice.", "each setting once")
    example = settings.pop("example", "")
    if example and names:
        raise OptionError("Both files and an example were given.", "one or the other")
    if example:
        names = [_copy_example(str(example), folder / "input")]
    write_json(folder / "task.json", {"files": names, "settings": settings, "renamed": renamed})


def _copy_example(name: str, folder: Path) -> str:
    if name not in EXAMPLES:
        raise UnknownNameError("example", name, EXAMPLES)
    file, _ = EXAMPLES[name]
    (folder / file).write_bytes((files("clearwin.data") / "shipped" / file).read_bytes())
    return file


def as_chosen(name: str) -> str:
    """Return a file's name on the client: browsers send double quotes as %22 (HTML, multipart).

    A name with a real %22 is sent in the same way and looks the same here.

    >>> as_chosen("my %22best%22 model.csv"), as_chosen("100%.csv")
    ('my "best" model.csv', '100%.csv')
    """
    return name.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")


def _refuse_unknown_ending(name: str) -> None:
    if Path(name.lower()).suffix in OF_LOGS:
        return
    try:
        kind_by_ending(Path(name))
    except FileError as error:
        raise FileError(error.what, error.expected, error.next.removesuffix(BY_STANDARD_INPUT)) from None


def harmless(name: str, taken: list[str]) -> str:
    """Return a name that stays in its folder, is not hidden, keeps its format and is still free.

    >>> harmless("C:\\\\data\\\\../../etc/my preds.csv", [])
    'my preds.csv'
    >>> harmless("preds.csv", ["preds.csv"])
    'preds-2.csv'
    """
    name = name.replace("\\", "/").rpartition("/")[2]
    name = "".join(c if c.isprintable() else "_" for c in name).strip().lstrip(".")
    _refuse_unknown_ending(name)
    stem, dot, ending = name.partition(".")
    while dot and Path(ending.lower().removesuffix(".gz")).suffix:  # a.b.csv.gz: the ending is csv.gz
        more, dot, ending = ending.partition(".")
        stem += dot + more
    stem = stem.encode()[:LONGEST_NAME].decode(errors="ignore")
    name, number = f"{stem}.{ending}", 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}.{ending}"
    if not stem:
        raise FileError("A file has no name.", "a name such as preds.csv")
    return name
