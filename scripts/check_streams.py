"""The same seed gives the same numbers with every numpy: ask the same questions with several, and compare every bit.

`python scripts/check_streams.py` makes an environment for each version of numpy, installs this checkout in it, asks
questions that draw in every way there is, and compares all numbers of all answers. A version that no Python here can
install is told and left out; `--python` names more Pythons, `--numpy` other versions.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
VERSIONS = ("2.2.6", "2.4.6", "2.5.4")
PYTHONS = tuple(f"python3.{minor}" for minor in range(11, 15))
WITH = ("numpy", "scipy", "numba")


def questions() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ask for what is drawn in every way there is; the data are not drawn by numpy."""
    import numpy as np

    import clearwin as cw
    from clearwin.significance.chance import Margins, monte_carlo
    from clearwin.streams import Seed, Stream

    rng = random.Random(2004)

    def uniform(n: int) -> Any:
        return np.array([rng.random() for _ in range(n)])

    def classes(n: int, k: int) -> list[Any]:
        truth = (uniform(n) * k).astype(int)
        return [truth, *(np.where(uniform(n) < wrong, (uniform(n) * k).astype(int), truth) for wrong in (0.3, 0.25))]

    few, many, twenty = classes(60, 2), classes(20_000, 2), classes(3_000, 20)
    scores = [np.round(many[0] + 4 * uniform(20_000), 3) for _ in "ab"]
    values = [uniform(2_000), uniform(2_000) ** 2]
    groups, strata = np.arange(3_000) // 15, np.arange(3_000) % 3
    labels = [uniform(30_000).reshape(-1, 30) < share for share in (0.1, 0.12, 0.11)]
    huge = cw.JointCounts(**{f"e{i}": 10**12 // i for i in range(1, 9)})
    how: dict[str, Any] = {"n_resamples": 1_000, "rng": 7}
    sampled = {**how, "test": "permutation", "method": "monte_carlo"}
    drawn = {**how, "test": "bootstrap"}

    for name, data in (("few", few), ("many", many)):
        yield f"F1, {name} items: bootstrap", partial(cw.compare, *data, measure="f1", **drawn)
        yield f"F1, {name} items: BCa", partial(cw.compare, *data, measure="f1", interval="bca", **drawn)
        yield f"F1, {name} items: permutation, Dirichlet", partial(cw.compare, *data, measure="f1", **sampled)
        yield f"F1, {name} items: estimate", partial(cw.estimate, *data[:2], measure="f1", **how)
    yield "F1, counts of 10¹²: bootstrap", partial(cw.compare, huge, measure="f1", **drawn)
    yield "F1, counts of 10¹²: permutation", partial(cw.compare, huge, measure="f1", **sampled)
    yield "macro F1, 20 classes: bootstrap", partial(cw.compare, *twenty, measure="macro_f1", **drawn)
    yield "macro F1, 20 classes: permutation", partial(cw.compare, *twenty, measure="macro_f1", **sampled)
    yield "groups: bootstrap", partial(cw.compare, *twenty, measure="macro_f1", groups=groups, **drawn)
    yield "groups: permutation", partial(cw.compare, *twenty, measure="macro_f1", groups=groups, **sampled)
    yield "strata: bootstrap", partial(cw.compare, *twenty, measure="macro_f1", strata=strata, **drawn)
    yield "label sets: bootstrap", partial(cw.compare, *labels, measure="micro_f1", **drawn)
    yield "label sets: permutation", partial(cw.compare, *labels, measure="micro_f1", **sampled)
    for measure in ("auc", "average_precision"):
        yield f"{measure}: bootstrap", partial(cw.compare, many[0], *scores, measure=measure, **drawn)
        yield f"{measure}: permutation", partial(cw.compare, many[0], *scores, measure=measure, **sampled)
    for measure in ("mean", "trimmed_mean"):
        yield f"{measure}: bootstrap", partial(cw.compare, None, *values, measure=measure, **drawn)
        yield f"{measure}: permutation", partial(cw.compare, None, *values, measure=measure, **sampled)
    yield "ROC bands", partial(cw.curve, many[0][:5_000], scores[0][:5_000], bands=True, n_resamples=200, rng=7)
    yield "rank: F1", partial(cw.rank, few[0], {"a": few[1], "b": few[2], "c": few[0]}, measure="f1", **how)
    yield "rank: AUC", partial(cw.rank, many[0], {"a": scores[0], "b": scores[1]}, measure="auc", **how)
    yield "rank: mean", partial(cw.rank, None, {"a": values[0], "b": values[1]}, measure="mean", **how)
    yield "chance: tables", partial(monte_carlo, Margins((40, 50, 60, 50), (45, 55, 50, 50), 60), 5_000, Seed(7))
    for each in (3, 60):
        margins = Margins((each,) * 40, (each,) * 40, 2 * each)
        yield f"chance: {40 * each} items shuffled", partial(monte_carlo, margins, 5_000, Seed(7))
    folds = [0.5 + uniform(40) / 10, 0.52 + uniform(40) / 10]
    for test in ("permutation", "partition"):
        yield f"folds: {test}", partial(cw.compare_folds, *folds, test=test, **how)
    table = {f"m{j}": uniform(30) for j in range(6)}
    yield "data sets: Friedman, signed ranks", partial(cw.rank_data_sets, table, **how)
    study: dict[str, Any] = {"n_sets": 40, "n_resamples": 199, "tests": ["bootstrap"], "rng": 7}
    yield "study: F1", partial(cw.study, *many, measure="f1", test_size=300, sizes=[3_000], **study)
    yield "study: groups", partial(cw.study, *twenty, measure="accuracy", groups=groups, test_size=300, **study)
    yield "study: AUC", partial(cw.study, many[0], *scores, measure="auc", test_size=200, sizes=[200], **study)
    yield (
        "a Generator for a seed",
        partial(cw.compare, *few, measure="f1", rng=np.random.default_rng(7), test="bootstrap"),
    )
    yield "plain draws", lambda: [_hex(method(Stream(np.random.PCG64(7)))) for method in _methods()]


def _methods() -> list[Callable[[Any], Any]]:
    import numpy as np

    n = np.arange(1, 20_000)
    return [
        lambda s: s.binomial(n, 0.3),
        lambda s: s.randint(0, 10**6, 5_000),
        lambda s: s.standard_gamma(n / 3),
        lambda s: s.standard_exponential(5_000),
        lambda s: s.hypergeometric(n, 5_000, 1 + n // 3),
        lambda s: s.permutation(5_000),
        lambda s: s.random(5_000),
    ]


def _hex(array: Any) -> str:
    import hashlib

    return hashlib.sha256(array.tobytes()).hexdigest()


def answers() -> dict[str, Any]:
    """Answer all questions in this environment."""
    import importlib.metadata as installed

    found: dict[str, Any] = {name: installed.version(name) for name in WITH}
    asked = {name: _numbers(ask()) for name, ask in questions()}
    return {"versions": {**found, "python": sys.version.split()[0]}, "answers": asked}


def _numbers(result: Any) -> list[Any]:
    """Return everything in an answer, in order."""
    if hasattr(result, "to_json"):
        return list(_leaves(json.loads(result.to_json())))
    return [*result] if isinstance(result, list) else [result.value, getattr(result, "error", None)]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name in sorted(value):
            yield from _leaves(value[name])
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def ask_with(numpy: str, pythons: list[str], folder: Path) -> dict[str, Any] | None:
    """Install this checkout with one numpy, by the first Python that can, and ask there."""
    for number, python in enumerate(pythons):
        home = folder / f"{numpy}-{number}"
        bin_ = home / "bin" / "python"
        pip = [str(bin_), "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        if _fails([python, "-m", "venv", str(home)]) or _fails([*pip, f"numpy=={numpy}"]):
            continue
        subprocess.run([*pip, "--no-binary", "clearwin", f"numpy=={numpy}", str(ROOT)], check=True)
        command = [str(bin_), str(Path(__file__).resolve()), "--answer"]
        found: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        return found
    return None


def _fails(command: list[str]) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0


def compared(found: dict[str, dict[str, Any]]) -> int:
    """Print a table of all questions, and return how many had another answer somewhere."""
    for numpy, one in found.items():
        print(f"numpy {numpy}: " + ", ".join(f"{name} {version}" for name, version in one["versions"].items()))
    first, *others = (one["answers"] for one in found.values())
    differing = 0
    for name, expected in first.items():
        seen = [one[name] for one in others]
        same = all(each == expected for each in seen)  # JSON carries a float to its last bit
        differing += not same
        print(f"{name:45} {len(expected):6,} values  {'the same' if same else _first_of(expected, seen)}")
    return differing


def _first_of(expected: list[Any], seen: list[list[Any]]) -> str:
    pairs = [(x, y) for each in seen for x, y in zip_longest(expected, each) if x != y]
    return f"DIFFERENT: {len(pairs)} values, first {pairs[0][0]} and {pairs[0][1]}"


def main() -> None:
    """Make the environments, ask, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--numpy", nargs="+", default=VERSIONS, metavar="VERSION")
    parser.add_argument("--python", nargs="+", default=[], metavar="PROGRAM", help="Pythons to try, besides this one")
    parser.add_argument(
        "--answer", action="store_true", help="answer here, as JSON; what the environments are asked for"
    )
    given = parser.parse_args()
    if given.answer:
        print(json.dumps(answers()))
        return
    pythons = [sys.executable, *given.python, *filter(None, map(shutil.which, PYTHONS))]
    with tempfile.TemporaryDirectory() as folder:
        tried = {numpy: ask_with(numpy, pythons, Path(folder)) for numpy in given.numpy}
    found = {numpy: one for numpy, one in tried.items() if one is not None}
    for numpy in tried.keys() - found.keys():
        print(f"numpy {numpy}: no Python here can install it; name one with --python")
    if len(found) < 2:
        sys.exit("Nothing to compare with.")
    differing = compared(found)
    sys.exit(f"{differing} of the answers differ." if differing else 0)


if __name__ == "__main__":
    main()
