"""Crashes: runs that are killed, disks that fill up, two runs at once, folders that cannot be written or go away.

Every run is the command itself in a copy of this process, because starting it anew takes longer than the run. What
happens to it, it may end in two ways only: with the bytes of the run that nobody disturbed, or with a refusal in words
(exit code 2). Whatever was finished, counted or written before stays. ``python -m proof.crashes --count 200 --seed 1``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from proof import record

ASKED = ("--truth", "y", "--a", "svm", "--b", "rbf", "--seed", "1")
SETS = ("--test-size", "100", "--sizes", "100", "--sets", "40", "--test", "permutation", "--n-resamples", "99")
KEPT = ("--keep", "blocks", "--json", "study.json")
STUDY = ("study", "big.csv", *ASKED, *SETS, *KEPT)
FEW_SETS = ("--test-size", "20", "--sizes", "20", "--sets", "2", "--test", "permutation", "--n-resamples", "19")
SMALL = ("study", "big.csv", *ASKED, *FEW_SETS, *KEPT)  # whose blocks are short
RANK = ("rank", "big.csv", "--truth", "y", "--models", "svm,rbf,knn", "--seed", "1", "--json", "rank.json", "--force")
GATE = ("gate", "big.csv", *ASKED, "--margin", "0.2", "--ledger", "uses")
OLD = b"somebody's old file"


@dataclass(frozen=True)
class Ended:
    """How a run has ended: its exit code, negative for a signal, and what it said."""

    code: int
    out: str
    err: str

    @property
    def refused(self) -> bool:
        """Whether it was refused in words: what is wrong and what was expected."""
        return self.code == 2 and "error: " in self.err and "expected: " in self.err and "Traceback" not in self.err


def nothing() -> None:
    """Prepare nothing."""


class Run:
    """The command in a copy of this process, standing in a folder; ``prepare`` is called in the copy first."""

    def __init__(self, words: tuple[str, ...], folder: Path, prepare: Callable[[], None] = nothing) -> None:
        self.read, write = zip(*(os.pipe() for _ in range(2)), strict=True)
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _be_the_command(words, folder, write, prepare)
        for end in write:
            os.close(end)

    def kill_after(self, seconds: float) -> None:
        """Send the signal that nobody can refuse, unless it has ended by then."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return
            time.sleep(0.002)
        os.kill(self.pid, signal.SIGKILL)

    def ended(self) -> Ended:
        """Wait for the end of it."""
        said = []
        for end in self.read:  # a pipe takes 64 KiB before anyone has to read, more than a run says
            with os.fdopen(end, "rb") as pipe:
                said.append(pipe.read().decode(errors="replace"))
        return Ended(os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), *said)


def _be_the_command(words: tuple[str, ...], folder: Path, out: tuple[int, ...], prepare: Callable[[], None]) -> None:
    """Run the command, and never come back."""
    code = 70  # what is not an exit of the command
    try:
        for end, standard in zip(out, (1, 2), strict=True):
            os.dup2(end, standard)
        os.chdir(folder)
        prepare()
        from clearwin.cli import main

        main(list(words))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def be_warm() -> None:
    """Load here what every copy needs, without a thread and without a file."""
    import clearwin.cli.gate
    import clearwin.cli.rank
    import clearwin.cli.study
    import clearwin.data.files.predictions
    import clearwin.simulation.study  # noqa: F401
    from clearwin import compare, rank, study

    truth, *models = answers(60)
    named = dict(zip(("svm", "rbf", "knn"), models, strict=True))
    compare(truth, models[0], models[1], measure="f1", n_resamples=99, rng=1)
    rank(truth, named, measure="f1", n_resamples=99, rng=1)
    asked = {"tests": ["permutation"], "test_size": 20, "n_sets": 2, "sizes": [20], "n_resamples": 19, "rng": 1}
    study(truth, models[0], models[1], **asked)  # type: ignore[arg-type]


def answers(n: int) -> list[list[int]]:
    """Return a truth and the answers of three models, always the same."""
    draw = random.Random(2004)
    truth = [int(draw.random() < 0.4) for _ in range(n)]
    return [truth, *([y ^ int(draw.random() < rate) for y in truth] for rate in (0.25, 0.20, 0.22))]


@dataclass
class Tried:
    """What was tried under one heading, and the ways in which it went wrong."""

    what: str
    tried: int = 0
    seen: Counter[str] = None  # type: ignore[assignment]
    wrong: list[str] = None  # type: ignore[assignment]
    began: float = 0.0

    def __post_init__(self) -> None:
        self.seen, self.wrong, self.began = Counter(), [], time.monotonic()

    def note(self, what: str, holds: bool, otherwise: str = "") -> None:
        """Count one attempt that came out so; where that must not be, keep the reason."""
        self.tried += 1
        self.seen[what] += 1
        self.expect(holds, f"{what}: {otherwise}")

    def expect(self, holds: bool, otherwise: str) -> None:
        """Keep the reason where something does not hold."""
        if not holds:
            self.wrong.append(otherwise)
            print(f"  {self.what}: {otherwise}", file=sys.stderr)

    def row(self, seed: int) -> record.Row:
        """Return the line of the table."""
        seen = ", ".join(f"{count:,} {what}" for what, count in sorted(self.seen.items()))
        figure = f"{len(self.wrong)} lost or wrong ({seen})"
        seconds = time.monotonic() - self.began
        return record.Row(self.what, self.tried, figure, "0 lost or wrong", not self.wrong, seed, seconds)


class Attack:
    """A folder with data, and what the runs there answer when nobody disturbs them."""

    def __init__(self, folder: Path, seed: int, count: int) -> None:
        self.root, self.draw, self.numbers = folder, random.Random(seed), iter(range(10**9))
        self.count, self.step = count, max(1, 200 // count)
        rows = zip(*answers(400), strict=True)
        self.csv = "y,svm,rbf,knn\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        self.answer: dict[str, bytes] = {}
        self.seconds: dict[str, float] = {}
        for words, name in ((STUDY, "study.json"), (RANK, "rank.json"), (GATE, "uses")):
            for _ in range(2):  # the second time kernels are compiled, and it takes what it takes
                here, began = self.fresh(), time.monotonic()
                found = Run(words, here).ended()
                self.seconds[words[0]] = time.monotonic() - began
                assert found.code == 0, found.err
                self.answer[words[0]] = (here / name).read_bytes()

    def fresh(self) -> Path:
        """Return a new folder with the data."""
        here = self.root / str(next(self.numbers))
        here.mkdir()
        (here / "big.csv").write_text(self.csv)
        return here

    def moment(self, verb: str) -> float:
        """Return a moment of a run, at random."""
        return self.draw.uniform(0.0, 1.1 * self.seconds[verb])

    # --- kill -9 ----------------------------------------------------------------------------------------------------

    def kills(self) -> Iterator[Tried]:
        """Kill studies, rankings and gates at random moments until each kind has had its share."""
        share = -(-self.count // 3)
        yield self._kill_studies(share)
        yield self._kill_rankings(share)
        yield self._kill_gates(share)

    def _kill_studies(self, count: int) -> Tried:
        """Kill a study and let it go on, again and again, until it ends: the answer is the same."""
        tried = Tried("kill -9 of a study, resumed from its finished blocks")
        while tried.seen["killed"] < count:
            here = self.fresh()
            while not (here / "study.json").exists():
                blocks = here / "blocks"
                before = whole_lines(blocks)
                run = Run((*STUDY, "--resume") if before else STUDY, here)
                run.kill_after(self.moment("study"))
                end = run.ended()
                kept = whole_lines(blocks)
                if end.code == -signal.SIGKILL:
                    tried.note("killed", kept[: len(before)] == before or (here / "study.json").exists(), "blocks lost")
                else:
                    tried.expect(end.code == 0, f"exit {end.code}: {end.err}")
                    break
            tried.expect((here / "study.json").read_bytes() == self.answer["study"], "another answer")
        return tried

    def _kill_rankings(self, count: int) -> Tried:
        """Kill a ranking that writes over an old file: that is whole, old or new, and asking again gives the same."""
        tried = Tried("kill -9 of a ranking that writes over an old file")
        while tried.seen["killed"] < count:
            here = self.fresh()
            file = here / "rank.json"
            file.write_bytes(OLD)
            run = Run(RANK, here)
            run.kill_after(self.moment("rank"))
            if run.ended().code == -signal.SIGKILL:
                tried.note("killed", file.read_bytes() in (OLD, self.answer["rank"]), "half a file")
        tried.expect(Run(RANK, here).ended().code == 0, "asking again was refused")
        tried.expect(file.read_bytes() == self.answer["rank"], "another answer")
        return tried

    def _kill_gates(self, count: int) -> Tried:
        """Kill gates that count their uses: each verdict that was seen is counted, and numbers have no gap."""
        tried, here, shown = Tried("kill -9 of a gate that counts its uses"), self.fresh(), 0
        while tried.seen["killed"] < count:
            run = Run(GATE, here)
            run.kill_after(self.moment("gate"))
            end = run.ended()
            shown += bool(end.out)
            uses = [json.loads(line)["use"] for line in whole_lines(here / "uses")]
            right = shown <= len(uses) and uses == list(range(1, len(uses) + 1))
            if end.code == -signal.SIGKILL:
                tried.note("killed", right, f"{shown} verdicts seen, {uses} counted")
            if len(uses) >= 20:  # the level is spent, and each use takes longer
                here, shown = self.fresh(), 0
        return tried

    # --- records that were cut off -----------------------------------------------------------------------------------

    def cuts(self) -> Iterator[Tried]:
        """Cut the last record at every byte, or at some where little is asked, and go on."""
        tried = Tried("the last finished block of a study, cut at every byte")
        whole, answer = self._blocks(SMALL)
        head = whole[: whole.rstrip(b"\n").rfind(b"\n") + 1]
        for cut in range(len(head), len(whole), self.step):
            here = self.fresh()
            (here / "blocks").write_bytes(whole[:cut])
            end = Run((*SMALL, "--resume"), here).ended()
            same = end.code == 0 and (here / "study.json").read_bytes() == answer
            tried.note("same answer", same, f"byte {cut}: exit {end.code}: {end.err}")
            shutil.rmtree(here)
        yield tried
        tried, line = Tried("the last use of a ledger, cut at every byte"), self.answer["gate"]
        for cut in range(0, len(line), self.step):
            here = self.fresh()
            (here / "uses").write_bytes(line + line[:cut])
            end = Run(GATE, here).ended()
            uses = [json.loads(one)["use"] for one in whole_lines(here / "uses")]
            tried.note("counted on", (end.code, uses) == (0, [1, 2]), f"byte {cut}: {end.code} {uses} {end.err}")
            shutil.rmtree(here)
        yield tried

    def _blocks(self, words: tuple[str, ...]) -> tuple[bytes, bytes]:
        """Return the finished blocks of a whole study, and its answer."""

        def keep_them() -> None:
            from clearwin.simulation import checkpoints

            checkpoints.forget = lambda path: None

        here = self.fresh()
        end = Run(words, here, keep_them).ended()
        assert end.code == 0, end.err
        return (here / "blocks").read_bytes(), (here / "study.json").read_bytes()

    # --- full disks -------------------------------------------------------------------------------------------------

    def full_disks(self) -> Iterator[Tried]:
        """Let no file grow beyond a limit, at every write and in the middle of it; then there is room again."""
        blocks, _ = self._blocks(STUDY)
        ends = [at + 1 for at, byte in enumerate(blocks) if byte == ord("\n")]
        tried = Tried("a disk that is full at every write of a study, and has room again")
        for limit in sorted({at for end in ends for at in (end, end - 30)} - {ends[-1]})[:: self.step]:
            here = self.fresh()
            end = Run(STUDY, here, lambda limit=limit: full_disk(limit)).ended()  # type: ignore[misc]
            kept = whole_lines(here / "blocks")
            tried.note("refused", end.refused, f"limit {limit}: exit {end.code}: {end.err}")
            tried.expect(len(kept) == sum(at <= limit for at in ends), f"limit {limit}: blocks lost")
            again = Run((*STUDY, "--resume", "--force") if kept else (*STUDY, "--force"), here).ended()
            tried.expect(again.code == 0, f"limit {limit}: going on: {again.err}")
            tried.expect((here / "study.json").read_bytes() == self.answer["study"], f"limit {limit}: another answer")
            shutil.rmtree(here)
        yield tried
        tried = Tried("a disk that is full while a file is written over or a use is counted")
        use, whole = self.answer["gate"], len(self.answer["rank"])
        limits = {"rank": range(0, whole, 80 * self.step), "gate": range(len(use), 2 * len(use), 4 * self.step)}
        for words, name, old in ((RANK, "rank.json", OLD), (GATE, "uses", use)):
            for limit in limits[words[0]]:
                here = self.fresh()
                (here / name).write_bytes(old)
                end = Run(words, here, lambda limit=limit: full_disk(limit)).ended()  # type: ignore[misc]
                tried.note("refused", end.refused, f"{name}, limit {limit}: exit {end.code}: {end.err}")
                now = (here / name).read_bytes()
                counted = now[: now.rfind(b"\n") + 1]
                tried.expect((counted if words is GATE else now) == old, f"{name}: not as it was")
                tried.expect(not end.out or words is RANK, f"{name}: a verdict was shown that is not counted")
                tried.expect(not list(here.glob(".clearwin-*")), f"{name}: a part of a file is left")
                tried.expect(Run(words, here).ended().code == 0, f"{name}, limit {limit}: not with room, either")
                shutil.rmtree(here)
        yield tried

    # --- two at once, and between write and rename ------------------------------------------------------------------

    def together(self) -> Iterator[Tried]:
        """Start two studies on one file of blocks, and four gates on one ledger."""
        tried = Tried("two studies at once on one file of finished blocks")
        for _ in range(-(-self.count // 20)):
            here = self.fresh()
            mine = [(*STUDY[:-1], f"{name}.json") for name in "ab"]
            for name, end in zip("ab", [run.ended() for run in [Run(words, here) for words in mine]], strict=True):
                file = here / f"{name}.json"
                same = end.code == 0 and file.read_bytes() == self.answer["study"]
                told = "in use by another run" in end.err or "has finished blocks" in end.err
                tried.note("same answer" if same else "refused", same or (end.refused and told), end.err)
            tried.expect(any((here / f"{name}.json").exists() for name in "ab"), "neither was answered")
        yield tried
        tried = Tried("four gates at once on one ledger")
        for _ in range(-(-self.count // 20)):
            here = self.fresh()
            ends = [run.ended() for run in [Run(GATE, here) for _ in range(4)]]
            uses = [json.loads(line)["use"] for line in whole_lines(here / "uses")]
            for end in ends:
                tried.note("counted", end.code == 0, end.err)
            tried.expect(uses == [1, 2, 3, 4], f"counted {uses}")
        yield tried

    def between(self) -> Iterator[Tried]:
        """Kill a run before and after each step of writing: forcing to disk, exchanging the file."""
        tried = Tried("kill -9 before and after every fsync and rename")
        for words, name in ((RANK, "rank.json"), (GATE, "uses"), (STUDY, "study.json")):
            for number in range(2 if words is not STUDY else 6):
                for when in ("before", "after"):
                    here = self.fresh()
                    old = self.answer["gate"] if words is GATE else OLD
                    if words is not STUDY:
                        (here / name).write_bytes(old)
                    end = Run(words, here, lambda n=number, w=when: die_at(n, w)).ended()  # type: ignore[misc]
                    step = f"{words[0]}, {when} step {number}"
                    tried.note("killed" if end.code < 0 else "ended", end.code in (-signal.SIGKILL, 0), f"{step} {end}")
                    if words is RANK:
                        tried.expect((here / name).read_bytes() in (old, self.answer["rank"]), f"{step}: half a file")
                    again = (*STUDY, "--resume") if words is STUDY and whole_lines(here / "blocks") else words
                    if not (words is STUDY and (here / name).exists()):
                        tried.expect(Run(again, here).ended().code == 0, f"{step}: asking again was refused")
                    if words is GATE:
                        uses = [json.loads(line)["use"] for line in whole_lines(here / "uses")]
                        tried.expect(uses == list(range(1, len(uses) + 1)), f"{step}: uses {uses}")
                    else:
                        tried.expect((here / name).read_bytes() == self.answer[words[0]], f"{step}: another answer")
        yield tried

    # --- folders ----------------------------------------------------------------------------------------------------

    def folders(self) -> Iterator[Tried]:
        """Write into folders that are closed, are a file, are not there, or go away while the run goes on."""
        tried = Tried("folders that are read-only, a file, missing, or removed while the run goes on")
        for words in (STUDY, RANK, GATE):
            for at, place in ((words.index(option) + 1, option) for option in words if option in PLACES):
                for kind in ("closed", "file", "missing", "removed"):
                    here = self.fresh()
                    folder = here / "there"
                    if kind == "file":
                        folder.write_bytes(OLD)
                    elif kind != "missing":
                        folder.mkdir(mode=0o555 if kind == "closed" else 0o755)
                    moved = (*words[:at], f"there/{words[at]}", *words[at + 1 :])
                    run = Run(moved, here, without_privilege)
                    if kind == "removed":
                        time.sleep(self.moment(words[0]) / 2)
                        shutil.rmtree(folder, ignore_errors=True)
                    end = run.ended()
                    fine = end.refused or (kind == "removed" and end.code == 0)
                    what = "refused" if end.refused else "ended"
                    tried.note(what, fine, f"{words[0]} {place} in a folder that is {kind}: exit {end.code}: {end.err}")
                    tried.expect(kind != "file" or folder.read_bytes() == OLD, "a file was written over")
        for words in (STUDY, RANK, GATE):
            here = self.fresh()
            end = Run(words, here, lambda here=here: shutil.rmtree(here)).ended()  # type: ignore[misc]
            tried.note("refused", end.refused, f"{words[0]} in a folder that is gone: exit {end.code}: {end.err}")
        yield tried


ATTACKS = ("kills", "cuts", "full_disks", "together", "between", "folders")
PLACES = ("--keep", "--json", "--ledger")


def whole_lines(file: Path) -> list[bytes]:
    """Return the lines of a file that end with a line break; none where there is no file."""
    return file.read_bytes().split(b"\n")[:-1] if file.exists() else []


def full_disk(limit: int) -> None:
    """Let no file grow beyond so many bytes: the next byte gets the error that a full disk gives."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


def without_privilege() -> None:
    """Give up what root may do beyond the permissions of a file, so that a closed folder is closed for us, too."""
    if os.geteuid() == 0:
        version_3, me = 0x20080522, 0
        assert ctypes.CDLL(None).capset(struct.pack("Ii", version_3, me), bytes(24)) == 0


def die_at(number: int, when: str) -> None:
    """Kill this process before or after the so-many-th fsync or rename."""
    left = [number]

    def deadly(name: str, owner: object) -> None:
        done = getattr(owner, name)

        def step(*given: object) -> object:
            now = left[0] == 0
            left[0] -= 1
            if now and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            found = done(*given)
            if now:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        setattr(owner, name, step)

    deadly("fsync", os)
    deadly("replace", Path)


def main() -> int:
    """Attack, write the figures and print them; 1 where something was lost or wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="kills; the other attacks follow from it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=record.FOLDER, help="the folder of the figures")
    parser.add_argument("--only", choices=ATTACKS, action="append", help="one kind of attack, or several")
    asked = parser.parse_args()
    be_warm()
    rows = []
    with tempfile.TemporaryDirectory(prefix="clearwin-crashes-") as folder:
        attack = Attack(Path(folder), asked.seed, asked.count)
        for name in asked.only or ATTACKS:
            for tried in getattr(attack, name)():
                rows.append(tried.row(asked.seed))
                print(f"{rows[-1].what}: {rows[-1].tried}, {rows[-1].figure}, {rows[-1].seconds:.0f} s", flush=True)
    record.write("crashes", rows, asked.into)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
