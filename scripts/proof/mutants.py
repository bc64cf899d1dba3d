"""Small faults put into the source, one at a time, to see whether a test notices: `python -m proof.mutants`.

A mutant is one changed token: a comparison, an operator, a constant by one, `and` for `or`, a `not` left out, a result
that is None, a slice one further, `min` for `max`. They are drawn with a seed from the modules that compute, and each
is judged by the doctests of its module, the tests that mirror it and those that import it, in a copy of the tree. A
process that has everything but clearwin loaded is copied (fork) for each mutant. Compiled loops are mutated, too, and
run as plain Python.

Each file of tests runs once without a mutant, under coverage, which says which of its tests reach which line. Those
that reach the changed line come first; what they let live is judged by the whole file, for a value that is made once
may be looked at elsewhere. A file that never reaches the line is left out. What still lives is judged by some tests of
the verbs that reach the line.

What was judged is kept in `build/mutants/`, so that a run can be stopped and taken up again; `--again` judges survivors
anew, and the figure says how many were killed at first sight. A survivor that no test can kill is named in
`equivalents.json` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import hashlib
import importlib
import io
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import coverage
import pytest

from proof.record import ROOT, Row, write

ROOMS = ("counts.py", "numerics", "resampling", "significance", "measures", "data")
KERNELS = ("kernels.py", "influence_kernels.py", "value_kernels.py")
STATE = ROOT / "build" / "mutants"
EQUIVALENTS = Path(__file__).with_name("equivalents.json")
LIMIT = 60  # processor seconds for one test file, four times as many under coverage
SLOW, SLOW_PLAIN = 30.0, 5.0  # processor seconds of a test under coverage; of compiled loops that run as plain Python
LONGEST = 1800.0  # seconds of the clock for one that waits
MOST_BYTES = 6 << 30  # a mutant that asks for more fails
HOUSE = ("contracts", "counts", "errata", "identities", "reference", "streams", "traps")  # tests of everything
FEW = 8  # of the tests of a verb that reach a line, the quickest
LOADED = (
    *("numpy", "scipy.special", "scipy.stats", "pandas", "polars", "pyarrow.parquet", "duckdb", "narwhals", "numba"),
    *("joblib", "sklearn.metrics", "statsmodels.api", "flint", "pytest", "click.testing", "rich.console"),
)
COVERAGE = str(Path(coverage.__file__).parent)
ALIVE = ("survives", "undecided")
COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "**": "*", "//": "/", "%": "*"}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
WORDS = ("Caveat", "caveat", "setting", "measure", "test", "proportion", "Advice")  # calls that hold words, not numbers


@dataclass(frozen=True)
class Mutant:
    """A change of one place in one file."""

    file: str  # within src/clearwin
    line: int
    column: int  # bytes within the line
    start: int  # bytes of the file
    end: int
    before: str
    after: str
    text: str  # the line
    nth: int = 0  # among lines that are the same

    @property
    def id(self) -> str:
        """The same for the same change of the same line, wherever that has moved to."""
        told = [self.file, self.text.strip(), self.before, self.after, self.column, *([self.nth] if self.nth else [])]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before.strip()} → {self.after.strip()}: {self.text.strip()}"


# --- making them -----------------------------------------------------------------------------------------------


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a file."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found, seen = [], Counter[str]()
    for number, start, end, after in _changes(ast.parse(source), source, starts):
        text = lines[number - 1].decode().rstrip("\n")
        one = Mutant(file, number, start - starts[number - 1], start, end, source[start:end].decode(), after, text)
        found.append(replace(one, nth=seen[one.id]))
        seen[one.id] += 1
    return found


def _changes(tree: ast.Module, source: bytes, starts: list[int]) -> Iterator[tuple[int, int, int, str]]:
    """Yield (line, first byte, last byte, new text)."""

    def span(node: ast.AST) -> tuple[int, int]:
        return (
            starts[node.lineno - 1] + node.col_offset,  # type: ignore[attr-defined]
            starts[node.end_lineno - 1] + node.end_col_offset,  # type: ignore[attr-defined]
        )

    def between(left: ast.AST, right: ast.AST, known: dict[str, str]) -> Iterator[tuple[int, int, int, str]]:
        first, last = span(left)[1], span(right)[0]
        match = re.search(rb"[<>=!+\-*/%]+|\b(?:and|or)\b", source[first:last])
        if match and match[0].decode() in known:
            where = first + match.start()
            line = source[:where].count(b"\n") + 1
            yield line, where, first + match.end(), known[match[0].decode()]

    for node in _of_numbers(tree):
        if isinstance(node, ast.Compare):
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                yield from between(left, right, COMPARE)
        elif isinstance(node, ast.BinOp) and not _has_text(node):
            yield from between(node.left, node.right, ARITHMETIC)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from between(left, right, {"and": "or", "or": "and"})
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node.lineno, *span(node), source[slice(*span(node.operand))].decode()
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and type(node.value) is not bool:
            yield node.lineno, *span(node), repr(node.value + 1)
        elif isinstance(node, ast.Return) and node.value is not None and not _is_nothing(node.value):
            yield node.lineno, *span(node), "return None"
        elif isinstance(node, ast.Slice):
            for end in (node.lower, node.upper):
                if end is not None and not isinstance(end, ast.Constant):
                    yield end.lineno, *span(end), f"({source[slice(*span(end))].decode()}) + 1"
        elif isinstance(node, ast.Name) and node.id in NAMES:
            yield node.lineno, *span(node), NAMES[node.id]
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            last = span(node)[1]
            yield node.lineno, last - len(node.attr), last, NAMES[node.attr]


def _of_numbers(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk the tree without what is only said: raised errors, caveats, annotations, the facts in decorators."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(
                node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORDS:
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                continue
            yield node
            yield from _of_numbers(node)


def _has_text(node: ast.AST) -> bool:
    return any(
        isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in ast.walk(node)
    )


def _is_nothing(node: ast.AST) -> bool:
    """Whether it is None, or False, which None is as good as."""
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def all_mutants(root: Path = ROOT) -> list[Mutant]:
    """Return every mutant of the modules that compute, in the order of files and lines."""
    source = root / "src" / "clearwin"
    files = [file for room in ROOMS for file in sorted((source / room).rglob("*.py")) or [source / room]]
    return [m for file in files for m in mutants_of(str(file.relative_to(source)), file.read_bytes())]


# --- judging them ----------------------------------------------------------------------------------------------


def judges_of(file: str, root: Path) -> list[str]:
    """Return what judges a module: its doctests, the tests that mirror it, short ones of its name or that import it."""
    module = "clearwin." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    mirror = root / "tests" / Path(file).with_name(f"test_{Path(file).name}")
    package, _, name = module.rpartition(".")
    importing = re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import .*\b{name}\b")
    others = [
        one
        for one in (root / "tests").rglob("test_*.py")
        if one != mirror and (one.name == mirror.name or importing.search(one.read_text()))
    ]
    more = [root / "tests/measures/test_base.py"] if file.startswith("measures/") else []  # every measure's contracts
    others = [one for one in others if not {"web", "words", "plots", "scripts", "cli"} & {*one.parts}]
    order = [root / "src" / "clearwin" / file, mirror, *sorted(others, key=lambda one: one.stat().st_size)[:3], *more]
    return [str(one.relative_to(root)) for one in dict.fromkeys(order) if one.exists()]


def far_judges(root: Path) -> list[str]:
    """Return the tests of the verbs and of everything, which judge what those of the module let live."""
    house = [f"tests/test_{name}.py" for name in HOUSE]
    return [*house, *sorted(str(one.relative_to(root)) for one in (root / "tests/analyses").glob("test_*.py"))]


def copy_tree(place: Path) -> Path:
    """Copy what tests need into a folder of its own, with files so old that no mutant is as old."""
    shutil.rmtree(place, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc", "corpus")
    for name in ("src", "tests", "scripts", "docs", "examples"):
        shutil.copytree(ROOT / name, place / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, place / name)
    for file in (place / "src").rglob("*.py"):
        os.utime(file, (1e9, 1e9))
    return place


def judge(mutant: Mutant, tree: Path) -> tuple[str, str]:
    """Return "killed", "slow", "survives" or "undecided", and by which file; the tree is as before afterwards.

    A test that fails or is slow without a mutant, too, judges nothing, nor does a file that cannot be run. A mutant
    that only such a file might have seen is undecided.
    """
    plain, unseen = mutant.file.endswith(KERNELS), "survives"
    lines = lines_of((tree / "src" / "clearwin" / mutant.file).read_text(), mutant.line)
    near: list[tuple[str, list[str]]] = []
    whole: list[tuple[str, list[str]]] = []
    for tests in judges_of(mutant.file, tree):
        reached = reach_of(tests, tree, plain)
        if reached is None:
            unseen = "undecided"
            print(f"{tests} cannot be run, so it judges nothing", flush=True)
            continue
        out = reached.get(LEFT_OUT, {}).get("", [])
        found = dict.fromkeys(test for line in lines for test in reached.get(mutant.file, {}).get(str(line), []))
        if only := [test for test in found if test and test not in out]:
            near.append((tests, only))
        if found:
            whole.append((tests, [tests, *(f"--deselect={test}" for test in out)]))
    for tests, only in near + whole:
        with changed(mutant, tree):
            outcome = run_tests(only, tree, plain)
        if outcome != "passed":
            return ("slow" if outcome == "slow" else "killed"), tests
    far: list[str] = []
    for tests in [] if plain else far_judges(tree):
        reached = reach_of(tests, tree, plain) or {}
        out = reached.get(LEFT_OUT, {}).get("", [])
        found = dict.fromkeys(test for line in lines for test in reached.get(mutant.file, {}).get(str(line), []))
        far += [test for test in found if test and test not in out][:FEW]
    if far:
        with changed(mutant, tree):
            outcome = run_tests(far, tree, plain)
        if outcome != "passed":
            return ("slow" if outcome == "slow" else "killed"), "the tests of the verbs"
    return unseen, ""


def lines_of(source: str, line: int) -> range:
    """Return the lines of the statement that a line belongs to; of a loop or a condition, of its head.

    >>> lines_of("x = [\\n1,\\n2]\\nif x:\\n    y = 1", 2), lines_of("if x:\\n    y = 1", 1)
    (range(1, 4), range(1, 2))
    """
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            body = getattr(node, "body", None)
            end = body[0].lineno if body else (node.end_lineno or line) + 1
            if line < max(end, node.lineno + 1):
                found = range(node.lineno, max(end, node.lineno + 1))
    return found


# file of clearwin → line → the tests that reach it, quick ones first; "" where it is loaded
Reach = dict[str, dict[str, list[str]]]
LEFT_OUT = ""  # instead of a file: the tests that fail or are slow


def reach_of(tests: str, tree: Path, plain: bool) -> Reach | None:
    """Return which tests of a file reach which lines, without a mutant; None if it cannot be run, or is slow.

    That is kept until the source, what tests share, or this file of tests changes.
    """
    kept = STATE / "reach" / f"{_digest(tests, tree)}{'-plain' if plain else ''}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        place = kept.with_suffix(f".{os.getpid()}")
        run_tests([tests], tree, plain, place)
        if not place.exists():
            place.write_text("null")
        place.replace(kept)
    found: Reach | None = json.loads(kept.read_text())
    return found


def _digest(tests: str, tree: Path) -> str:
    shared = [one for one in sorted((tree / "tests").rglob("*.py")) if not one.name.startswith("test_")]
    told = hashlib.sha256(tests.encode())
    for file in [*sorted((tree / "src").rglob("*.py")), *shared, tree / tests]:
        told.update(file.read_bytes())
    return told.hexdigest()[:16]


class SlowError(BaseException):
    """A test takes longer than it may."""


class Contexts:
    """A plugin of pytest that says which test runs; what several tests share belongs to none of them."""

    def __init__(self, looked: Any, most: float) -> None:
        self.looked = looked
        self.most = most  # processor seconds of a test
        self.now = ""
        self.failed: set[str] = set()
        self.took: dict[str, float] = {"": 0.0}  # processor seconds of each test

    def _switch(self, name: str) -> None:
        self.looked.switch_context(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        """Name the test while it is set up, runs and is taken down."""
        self.now = item.nodeid
        self._switch(self.now)
        began = time.process_time()
        signal.signal(signal.SIGPROF, self._stop)
        signal.setitimer(signal.ITIMER_PROF, self.most)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.took[self.now] = time.process_time() - began
            self.now = ""
            self._switch("")

    def _stop(self, _: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename.startswith(COVERAGE):  # it may hold a lock, which would never be freed
                signal.setitimer(signal.ITIMER_PROF, 0.01)  # so a little later
                return
            frame = frame.f_back
        raise SlowError

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Remember what fails."""
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """A fixture of a module or a session is made in the first test that asks for it."""
        if fixturedef.scope == "function":
            return (yield)
        self._switch("")
        try:
            return (yield)
        finally:
            self._switch(self.now)


@contextlib.contextmanager
def changed(mutant: Mutant, tree: Path) -> Iterator[None]:
    """Put the mutant into the tree, and take it out again."""
    file = tree / "src" / "clearwin" / mutant.file
    original = file.read_bytes()
    file.write_bytes(original[: mutant.start] + mutant.after.encode() + original[mutant.end :])
    try:
        yield
    finally:
        file.write_bytes(original)
        os.utime(file, (1e9, 1e9))


def run_tests(tests: list[str], tree: Path, plain: bool, reach: Path | None = None) -> str:
    """Run tests in a copy of this process: "passed", "failed" or "slow".

    No test at all is passed, too. With ``reach`` all of them run, and it is written there which reaches which lines.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _run_here(tests, tree, plain, reach)
        finally:
            os._exit(code)
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return "passed" if code in (0, 5) else "slow" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "failed"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "slow"


def _run_here(tests: list[str], tree: Path, plain: bool, reach: Path | None) -> int:
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT * (4 if reach else 1),) * 2)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    os.chdir(tree)
    sys.dont_write_bytecode = True
    sys.path[:] = [
        str(tree / "src"),
        str(tree),
        str(tree / "scripts"),
        *(one for one in sys.path if Path(one or ".").resolve() not in (ROOT, ROOT / "src", ROOT / "scripts")),
    ]
    for name in [name for name in sys.modules if name.split(".")[0] in ("clearwin", "proof", "tests")]:
        del sys.modules[name]
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={tree}"]
    if plain:
        importlib.import_module("numba").config.DISABLE_JIT = True
        words += ["-W", "ignore:overflow encountered in scalar:RuntimeWarning"]  # compiled words wrap around silently
    words += ["-o", "python_functions=test_*"]  # not our decorator `test`, in a module whose doctests are asked for
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if reach is None:
            return int(pytest.main([*words, "-x", *tests]))
        source = tree / "src" / "clearwin"
        looked = coverage.Coverage(data_file=None, source=[str(source)], config_file=False)
        looked.start()
        contexts = Contexts(looked, SLOW_PLAIN if plain else SLOW)
        code = int(pytest.main([*words, *tests], plugins=[contexts]))
        looked.stop()
    if code not in (0, 1, 5):  # interrupted, or not collected
        return code
    found: Reach = {LEFT_OUT: {"": sorted(contexts.failed)}}
    data = looked.get_data()
    for file in data.measured_files():
        by_line = data.contexts_by_lineno(file)
        found[Path(file).relative_to(source).as_posix()] = {
            str(line): sorted(names, key=lambda name: contexts.took[name]) for line, names in by_line.items()
        }
    reach.write_text(json.dumps(found))
    return code


def main() -> None:
    """Judge as many mutants as time allows, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="judge survivors anew")
    parser.add_argument("--only", default="", help="files whose name contains this")
    asked = parser.parse_args()
    os.environ["NUMBA_CACHE_DIR"] = str(STATE / "numba")
    every = [one for one in all_mutants() if asked.only in one.file]
    every.sort(key=lambda one: random.Random(f"{asked.seed}/{one.id}").random())  # a change moves no other mutant
    STATE.mkdir(parents=True, exist_ok=True)
    state = STATE / "judged.json"
    judged: dict[str, dict[str, str]] = json.loads(state.read_text()) if state.exists() else {}
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # else each copy of this process would go over all of that again
    alive = [one for one in every if asked.again and judged.get(one.id, {}).get("outcome") in ALIVE]
    known = sum(one.id in judged for one in every)
    new = [one for one in every if one.id not in judged][: max(0, asked.count - known)]
    until = time.monotonic() + asked.seconds
    work = 0.0
    with multiprocessing.get_context("fork").Pool(asked.workers, _own_tree) as pool:
        for mutant, outcome, by, took in pool.imap_unordered(partial(_judged, until=until), [*alive, *new]):
            if not outcome:  # the time is over
                continue
            first = judged.get(mutant.id, {}).get("first", outcome)
            facts = {k: str(v) for k, v in asdict(mutant).items()}
            judged[mutant.id] = {**facts, "outcome": outcome, "by": by, "first": first, "took": f"{took:.1f}"}
            state.write_text(json.dumps(judged, indent=1, ensure_ascii=False))
            work += took
            print(f"{outcome} {took:.1f} s {mutant}" + (f" [{by}]" if by else ""), flush=True)
    print(f"{work:,.0f} processor seconds", flush=True)
    tell(every, judged, asked.seed)


_tree: list[Path] = []  # of this process


def _own_tree() -> None:
    """Give a process of the pool a copy of the tree."""
    _tree.append(copy_tree(STATE / f"tree-{multiprocessing.current_process()._identity[0]}"))


def _judged(mutant: Mutant, until: float) -> tuple[Mutant, str, str, float]:
    """Return a mutant with its outcome, by which file, and the processor seconds; no outcome after the time is over."""
    if time.monotonic() > until:
        return mutant, "", "", 0.0
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome, by = judge(mutant, _tree[0])
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return mutant, outcome, by, ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


def tell(every: list[Mutant], judged: dict[str, dict[str, str]], seed: int) -> None:
    """Print the rate of killed mutants and write it down, with every survivor; its time is that of one core."""
    reasons: dict[str, str] = json.loads(EQUIVALENTS.read_text()) if EQUIVALENTS.exists() else {}
    outcomes = Counter(judged[one.id]["outcome"] for one in every if one.id in judged)
    done = [one for one in every if judged.get(one.id, {"outcome": "undecided"})["outcome"] != "undecided"]
    alive = [one for one in done if judged[one.id]["outcome"] == "survives"]
    same = [one for one in alive if one.id in reasons]
    counted = len(done) - len(same)
    killed = counted - (len(alive) - len(same))
    rate = killed / counted if counted else 0.0
    print(f"{len(done)} mutants decided: {dict(outcomes)}, {len(same)} of the survivors equivalent; {rate:.1%} killed")
    what = f"mutants in {', '.join(ROOMS)}, judged by the tests that mirror or import the module, then the verbs'"
    at_first = sum(judged[one.id]["first"] not in ALIVE for one in done)
    work = sum(float(judged[one.id]["took"]) for one in done)
    each = work / max(len(done), 1)
    figure = f"{killed} of {counted} killed ({rate:.1%}), in {each:.0f} seconds of one core each"
    if at_first < killed:
        figure += f"; {at_first} ({at_first / counted:.1%}) before tests were written for those that survived, "
        figure += "which is nearer to what other mutants would show"
    rows = [Row(what, len(done), figure, "≥ 95 % killed; a long run has 400", rate >= 0.95, seed, work)]
    for one in alive:
        reason = reasons.get(one.id)
        rows.append(
            Row(str(one), 1, "survives", f"equivalent: {reason}" if reason else "killed", bool(reason), seed, 0.0)
        )
    write("mutants", rows)


if __name__ == "__main__":
    main()
