"""Fuzz every reader, the functions, the command and the page: `python -m proof.fuzz --seconds 60 --seed 1`.

Inputs are numbered; the number and the seed make the input, so any finding can be made again. They are read in child
processes that may take 2 GB more than an idle one; an input on which one dies, or that takes more than ten seconds of
processor time, is a finding like a traceback or a lost row, and the child is begun anew. What is found is made smaller
and kept in `tests/corpus/`, which `make test` replays.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from proof.inputs import MAKERS, Case, make_case
from proof.oracles import close_page, problem
from proof.record import ROOT, Row, write

CORPUS = ROOT / "tests" / "corpus"
MANY = 1_000_000
MOST_SECONDS = 10.0
MOST_BYTES = 2 << 30
PATIENCE = 60.0  # processor seconds after which an input hangs, more than loading everything takes
LONGEST = 1800.0  # seconds of the clock after which it hangs without work, on a machine that others use, too
TARGETS = tuple(MAKERS)
# cheap readers come more often than the command and the page, which read by them and take a hundred times as long
WEIGHTS = {
    "csv": 120,
    "tsv": 40,
    "jsonl": 80,
    "parquet": 80,
    "arrow": 40,
    "counts": 80,
    "matrix": 120,
    "logs": 160,
    "command": 4,
    "page": 1,
    "calls": 40,
}


def case_of(seed: int, number: int, targets: tuple[str, ...] = TARGETS) -> Case:
    """Return the input of this number."""
    rng = random.Random(f"{seed}/{number}")
    (target,) = rng.choices(targets, [WEIGHTS[name] for name in targets])
    return make_case(target, rng)


def judged(case: Case) -> str:
    """Return what is wrong with a case, which may be the time that it takes."""
    began = time.process_time()
    found = problem(case)
    took = time.process_time() - began
    return found or (f"slow: {took:.0f} s" if took > MOST_SECONDS else "")


# --- the child -------------------------------------------------------------------------------------------------


def _work(numbers: range, told: Any, seed: int, targets: tuple[str, ...], until: float) -> None:
    """Judge input after input until the time is over; say which one is next, and what is wrong."""
    if Path("/dev/shm").is_dir():
        tempfile.tempdir = "/dev/shm"  # folders of a few small files: the disk would be most of the work
    limit = _size() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    began = time.process_time()
    for number in numbers:
        if time.monotonic() > until:
            break
        told.send((number, None, None))
        case = case_of(seed, number, targets)
        told.send((number, case.target, judged(case)))
    close_page()
    told.send((-1, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time() - began))


def _size() -> int:
    """Return how much address space this process has, with everything loaded that the inputs need."""
    for warm in TARGETS:  # pages, threads and compiled code are there before anything is limited
        problem(make_case(warm, random.Random(1)))
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


# --- the parent ------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What came of a run."""

    tried: Counter[str] = field(default_factory=Counter)
    findings: dict[int, str] = field(default_factory=dict)
    peak: int = 0  # bytes
    work: float = 0.0  # processor seconds of the children that ended by themselves


@dataclass
class Child:
    """A process that judges some of the inputs, and the one that it has told of last."""

    process: Any
    told: Any
    numbers: range  # those that it has still to judge, as it was begun
    last: int
    heard: float  # when it last told anything
    used: float = 0.0  # processor seconds that it had used by then

    def hangs(self) -> bool:
        """Whether it has worked for too long on one input, or waits for something."""
        return self._work() - self.used > PATIENCE or time.monotonic() - self.heard > LONGEST

    def tells(self) -> None:
        """Remember that it has told something."""
        self.heard, self.used = time.monotonic(), self._work()

    def _work(self) -> float:
        try:
            told = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            return self.used
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def fuzz(
    seed: int, seconds: float, count: int, targets: tuple[str, ...] = TARGETS, start: int = 0, workers: int = 1
) -> Tally:
    """Judge inputs until the time is over or there were enough, in children that are begun anew when they die."""
    tally, until = Tally(), time.monotonic() + seconds
    context = multiprocessing.get_context("spawn")

    def begun(numbers: range) -> Child:
        told, child_told = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(numbers, child_told, seed, targets, until))
        process.start()
        child_told.close()
        return Child(process, told, numbers, numbers.start, time.monotonic())

    shares = [range(start + i, start + count, workers) for i in range(workers)]
    children = [begun(numbers) for numbers in shares if numbers]
    while children:
        ready = wait([child.told for child in children], timeout=1.0)
        for child in list(children):
            dead = child.told not in ready and child.hangs()
            if child.told in ready:
                try:
                    ended = _heard(child, tally)
                except EOFError:
                    ended, dead = False, True
                if ended:
                    children.remove(child)
                    child.process.join()
            if dead:
                child.process.kill()
                child.process.join()
                target = case_of(seed, child.last, targets).target
                tally.findings[child.last] = f"the process dies with {child.process.exitcode}, or hangs"
                print(f"{child.last} {target}: {tally.findings[child.last]}", flush=True)
                children.remove(child)
                left = range(child.last + workers, child.numbers.stop, workers)
                children += [begun(left)] if left and time.monotonic() < until else []
    return tally


def _heard(child: Child, tally: Tally) -> bool:
    """Write down what a child tells, and return whether it has ended."""
    number, target, found = child.told.recv()
    child.tells()
    if number == -1:
        tally.peak = max(tally.peak, 1024 * int(target))
        tally.work += found
        return True
    child.last = number
    if target is not None:
        tally.tried[target] += 1
        if found:
            tally.findings[number] = found
            print(f"{number} {target}: {found}", flush=True)
    return False


# --- the corpus ------------------------------------------------------------------------------------------------


def gist(found: str) -> str:
    """Return a finding without what differs from input to input, so that one fault is kept once.

    >>> gist("KeyError in rank.py _read: 'truth'"), gist("wrong: 3 rows of labels, and there are 2")
    ('KeyError in rank.py _read', 'wrong:  rows of labels, and there are ')
    """
    kind, _, what = found.partition(":")
    if kind == "wrong":
        kind += ":" + what.partition(":")[0]
    return "".join(letter for letter in kind if not letter.isdigit())


def smaller(case: Case, wrong: Callable[[Case], str], tries: int = 150) -> Case:
    """Return a case with the same fault and fewer bytes: pieces are left out as long as the fault stays."""
    fault = gist(wrong(case))
    for name in case.files:
        for parts in (2, 4, 8, 16, 32, 64):
            place = 0
            while place < parts and tries > 0:
                content = case.files[name]
                step = max(1, len(content) // parts)
                less = content[: place * step] + content[(place + 1) * step :]
                without = replace(case, files={**case.files, name: less})
                tries -= 1
                if less != content and gist(wrong(without)) == fault:
                    case = without
                else:
                    place += 1
    return case


def keep(case: Case, found: str, folder: Path = CORPUS) -> Path:
    """Write a case into the corpus, bytes as Latin-1 so that texts can be read, under the hash of what it is."""
    files = {name: content.decode("latin-1") for name, content in case.files.items()}
    kept = {**asdict(case), "files": files, "found": found}
    digest = hashlib.sha256(json.dumps([case.target, files, case.words]).encode()).hexdigest()[:10]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.target}-{digest}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return path


def corpus(folder: Path = CORPUS) -> Iterator[tuple[str, Case]]:
    """Yield the name and the case of everything that was found so far."""
    for path in sorted(folder.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        files = {name: text.encode("latin-1") for name, text in kept["files"].items()}
        yield path.stem, Case(kept["target"], files, tuple(kept["words"]), kept["sound"], kept["about"])


def main() -> None:
    """Replay the corpus, fuzz, keep what is new, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=7200.0)
    parser.add_argument("--count", type=int, default=MANY)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the number of the first input")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=TARGETS)
    parser.add_argument("--dry", action="store_true", help="neither keep findings nor write figures")
    asked = parser.parse_args()
    began = time.monotonic()
    old = {name: judged(case) for name, case in corpus()}
    for name, found in old.items():
        if found:
            print(f"corpus {name}: {found}", flush=True)
    tally = fuzz(asked.seed, asked.seconds, asked.count, tuple(asked.only), asked.start, asked.workers)
    new: dict[str, int] = {}
    for number, found in tally.findings.items():
        new.setdefault(gist(found), number)
    for number in new.values():
        case = case_of(asked.seed, number, tuple(asked.only))
        dies = "process dies" in tally.findings[number]  # and would take us with it
        if not asked.dry:
            print("kept", keep(case if dies else smaller(case, judged), tally.findings[number]).name)
    seconds, tried = time.monotonic() - began, sum(tally.tried.values())
    print(f"{tried:,} inputs in {seconds:.0f} s, {len(tally.findings)} findings, {len(new)} of them different")
    print(", ".join(f"{name} {count:,}" for name, count in sorted(tally.tried.items())))
    print(f"{tried / max(tally.work, 1e-9):.0f} inputs a second of one core")
    print(f"peak {tally.peak / 2**20:,.0f} MiB; corpus {len(old)} cases, {sum(map(bool, old.values()))} wrong")
    if not asked.dry:
        write("fuzz", rows(tally, old, asked.seed, seconds))


def rows(tally: Tally, old: dict[str, str], seed: int, seconds: float) -> list[Row]:
    """Return the figures."""
    by_target = ", ".join(f"{name} {count:,}" for name, count in sorted(tally.tried.items()))
    wrong = sum(map(bool, old.values()))
    peak = f"{tally.peak / 2**20:,.0f} MiB"
    tried, findings = sum(tally.tried.values()), len(tally.findings)
    rate = tried / max(tally.work, 1e-9)
    speed = f" ({rate:.0f} a second of one core: {MANY:,} take {MANY / max(rate, 1e-9) / 3600:.1f} hours of it)"
    told = f"fuzzed inputs ({by_target}): tracebacks, warnings, lost rows, ids or labels, over 10 s, deaths"
    return [
        Row(told, tried, f"{findings}{speed}", f"0; a long run has {MANY:,}", findings == 0, seed, seconds),
        Row(
            "memory of the process that reads fuzzed inputs",
            tried,
            peak,
            "under 2 GB",
            tally.peak < MOST_BYTES,
            seed,
            seconds,
        ),
        Row(
            "inputs that were wrong once (tests/corpus)",
            len(old),
            f"{wrong} wrong",
            "0 wrong",
            wrong == 0,
            seed,
            seconds,
        ),
    ]


if __name__ == "__main__":
    main()
