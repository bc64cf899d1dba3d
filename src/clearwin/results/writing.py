"""Every file that a user asks for is written here: whole or not at all, with an error that says why not.

A file that grows by lines, such as the finished blocks of a study or the uses of a test set, is a :class:`LineFile`.
"""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
import time
import unicodedata
from io import FileIO
from pathlib import Path
from types import TracebackType

from clearwin.errors import FileError

NO_ROOM = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG}
NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def refuse_unwritable(path: str | os.PathLike[str]) -> None:
    """Raise, before any work is done, if no file can be written there."""
    place = _place(path)
    if place.is_dir():
        raise _refusal(path, errno.EISDIR)
    if not place.parent.is_dir():
        raise _refusal(path, errno.ENOTDIR if place.parent.exists() else errno.ENOENT)
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise _refusal(path, errno.EACCES)


def same_file(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Return whether two paths lead to one file, however spelled or linked; neither has to exist yet."""
    try:
        return Path(a).samefile(b)
    except OSError:
        first, second = (Path(os.path.realpath(path)) for path in (a, b))
    if first == second:
        return True
    if first.exists() or second.exists() or not (first.parent.is_dir() and second.parent.is_dir()):
        return False
    if _folded(first.name) != _folded(second.name) or not first.parent.samefile(second.parent):
        return False
    return first.name == second.name or _ignores_case(first.parent)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _ignores_case(folder: Path) -> bool:
    """Try it, because nothing else tells whether a folder's file system ignores case."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".clearwin-") as probe:
            name = Path(probe.name).name
            return (folder / name.upper()).exists()
    except OSError:
        return False  # nothing can be written in this folder, which refuse_unwritable reports


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file in UTF-8, replacing any old one, and return its path."""
    return write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], content: bytes) -> Path:
    """Write a file, replacing any old one, and return its path; a failure leaves the old file unchanged."""
    refuse_unwritable(path)
    place = _place(path)
    # A device or a pipe cannot be replaced, and without write permission a folder takes no new file.
    in_place = place.exists() and not (place.is_file() and os.access(place.parent, os.W_OK))
    try:
        if in_place:
            place.write_bytes(content)
        else:
            _exchange(place, content)
    except OSError as error:
        raise _refusal(path, error.errno, error.strerror) from None
    return Path(path)


def _place(path: str | os.PathLike[str]) -> Path:
    """Return the target of a path: a link stays, and the file that it points to is written."""
    if os.fspath(path) == "":
        raise FileError("The name of the file to write is empty.", "a file name")
    given_path = Path(path)  # a pipe behind /dev/stdout has no real path
    return given_path if given_path.exists() and not given_path.is_file() else Path(os.path.realpath(path))


def _exchange(place: Path, content: bytes) -> None:
    """Write a new file beside the old one and put it in its place, with the permissions of the old one."""
    fresh = place.with_name(f".clearwin-{secrets.token_hex(8)}")
    try:
        with fresh.open("xb") as file:  # a new file has the permissions of the umask
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or a power failure after the exchange could leave an empty file
        if place.exists():
            fresh.chmod(place.stat().st_mode & 0o7777)
        fresh.replace(place)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


class LineFile:
    """A file of lines that one run at a time adds to, each forced to disk before anyone relies on it.

    ``found`` are its lines. A last line that was ``cut_off`` is removed when the next is added; until then nothing
    changes, unless the file is begun ``anew``. The system unlocks the file however the run ends. ``patience`` is how
    many seconds to wait for another run, and ``instead`` what to type if that was not enough.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "lines"
    ...     _ = path.write_bytes(b"whole\\ncut o")
    ...     with LineFile(path) as file:
    ...         file.add(b"next")
    ...     file.found, path.read_bytes()
    ([b'whole'], b'whole\\nnext\\n')
    """

    def __init__(
        self, path: str | os.PathLike[str], *, anew: bool = False, patience: float = 0.0, instead: str = "wait for it"
    ) -> None:
        self.path = Path(path)
        is_new = not self.path.exists()
        try:
            self.file = self._opened(patience, instead)
            if is_new:
                _force_folder(self.path.absolute().parent)
            if anew:
                self.file.truncate(0)
            *self.found, self.cut_off = self.file.readall().split(b"\n")
        except OSError as error:
            raise _refusal(path, error.errno, error.strerror) from None

    def _opened(self, patience: float, instead: str) -> FileIO:
        """Return the file, locked and at its beginning; one that was removed meanwhile is created again."""
        while True:
            # Appending keeps what is there until the file is locked; unbuffered, closing it writes nothing.
            file = self.path.open("a+b", buffering=0)
            try:
                _lock(file.fileno(), self.path, patience, instead)
                if self.path.exists() and os.path.samestat(os.fstat(file.fileno()), self.path.stat()):
                    file.seek(0)
                    return file
            except BaseException:
                file.close()
                raise
            file.close()

    def add(self, line: bytes) -> None:
        """Write one line and force it to disk; an OSError is for the caller, who knows what the line was."""
        if self.cut_off:
            self.file.truncate(self.file.seek(0, os.SEEK_END) - len(self.cut_off))
            self.cut_off = b""
        unwritten = line + b"\n"
        while unwritten:
            unwritten = unwritten[self.file.write(unwritten) :]
        os.fsync(self.file.fileno())

    def __enter__(self) -> LineFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Unlock the file."""
        self.file.close()


def _lock(file: int, path: Path, patience: float, instead: str) -> None:
    try:
        import fcntl
    except ImportError:
        return  # without file locks, nothing keeps two runs apart
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise FileError(
                    f"{path} is in use by another run.", "one run at a time for one file", instead
                ) from None
            time.sleep(0.05)
        except OSError:
            return  # this file system has no locks
        else:
            return


def _force_folder(folder: Path) -> None:
    """Sync a folder, so that a new file in it survives a power failure."""
    if os.name != "posix":
        return  # only POSIX can open a folder
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError:
        pass  # this file system cannot sync folders
    finally:
        os.close(opened)


def _refusal(path: str | os.PathLike[str], code: int | None, words: str | None = None) -> FileError:
    name, folder = os.fspath(path), Path(path).parent
    if code == errno.EISDIR:
        return FileError(f"{name} is a folder.", "a file", "name a file in it")
    why = words or os.strerror(code or 0)
    expected, next_step = "a file in a folder that exists", ""
    if code in (errno.ENOENT, errno.ENOTDIR):
        why = f"there is no folder {folder}"
        next_step = f"make the folder, or another name, such as {Path(path).name}"
    elif code in NOT_ALLOWED:
        expected, next_step = "a file that you may write", f"look at the permissions of {folder.absolute()}"
    elif code in NO_ROOM:
        why, expected = "there is no room for it", "room on the disk"
        next_step = "make room, or write it to another disk"
    return FileError(f"{name} cannot be written: {why}.", expected, next_step)
