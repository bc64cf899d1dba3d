"""What an accelerator does for the bootstrap: the same values as the compiled loops, and how much sooner.

    python scripts/bench_device.py [DEVICE ...]

Devices are named as `device=` takes them: by default cuda by every library that is installed. Every line says what was
asked and how long the whole call took, with reading and sorting, and how long drawing and scanning took of it. The
processor of the same machine is the last contender. Without a device there is nothing to measure, and it says so.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from typing import Any

import numpy as np

import clearwin as cw
from clearwin.data.scores import Ranking
from clearwin.numerics import cuda_kernels, kernels
from clearwin.numerics.devices import LIBRARIES, Device, device
from clearwin.resampling import bootstrap
from clearwin.resampling.of_scores import blocks_of, totals_of

OPTIONS = {"PARTIAL_AUC": (0.1,), "MIN_DCF": (1.0, 2.0)}
SCANS = ("AUC", "PARTIAL_AUC", "AVERAGE_PRECISION", "EER", "MIN_DCF", "BREAK_EVEN")


def scored(n: int) -> tuple[Any, Any, Any]:
    """Return the truth (three items in ten positive) and the scores of two models, without ties."""
    rng = np.random.default_rng(2004)
    truth = (rng.random(n) < 0.3).astype(np.int8)
    return truth, truth + rng.normal(size=n), 1.1 * truth + rng.normal(size=n)


def check_kernels(place: Device, *, n: int = 50_000, replicates: int = 64) -> None:
    """Compare what the CUDA kernels draw with what was asked for, and their scans with the compiled loops'."""
    assert place.kernels is not None
    draw, scan = place.kernels
    for digits in (12, 3):
        truth, scores, _ = scored(n)
        ranking = Ranking.of(np.round(scores, digits), truth != 0)
        first, sizes, strata = blocks_of([n])
        totals = totals_of(np.random.RandomState(3), sizes, strata, [n], replicates)
        weights = place.put(np.zeros((replicates, n), dtype=np.uint8))
        where = (place.put(first), place.put(sizes), place.put(totals), np.int32(sizes.size))
        draw((sizes.size, replicates), (256,), (weights, np.int64(n), *where, np.uint32(5), np.uint32(9)))
        drawn = place.fetch(weights)
        in_blocks = np.add.reduceat(drawn.astype(np.int64), first, axis=1)
        assert (in_blocks == totals).all(), "the kernel drew another number of items than it was asked for"
        print(f"  drawn: none of {(drawn == 0).mean():.5f} of the items (e⁻¹ = {np.exp(-1):.5f})")
        entries = place.put(
            cuda_kernels.entries_of(ranking.order.astype(np.int64), ranking.positive != 0, ranking.last)
        )
        for name in SCANS:
            options, which = OPTIONS.get(name, ()), getattr(kernels, name)
            found = place.put(np.empty(replicates))
            each = (place.put(np.ones(1)), np.int32(0))
            asked = (np.int32(which), *(np.float64(x) for x in (*options, 0.0, 0.0)[:2]))
            scan((replicates,), (1024,), (weights, np.int64(n), entries, np.int32(len(entries)), *each, *asked, found))
            known = np.array(options, dtype=np.float64)
            loops = [
                kernels.scan(which, w[ranking.order], ranking.positive, ranking.last, known)
                for w in drawn.astype(np.int64)
            ]
            furthest = np.abs(place.fetch(found) - loops).max()
            distinct = int(ranking.last.sum())
            print(f"  {name} of {distinct:,} distinct scores: at most {furthest:.1e} from the compiled loop")


def check_inputs(place: Device) -> None:
    """Compare what is read from arrays on the device with what is read from the same arrays here."""
    data = scored(10_000)
    there = [place.put(column) for column in data]
    if "torch" in place.name:
        there[1].requires_grad_()
    how: dict[str, Any] = {"measure": "auc", "test": "delong", "rng": 1}
    assert cw.compare(*there, **how).signature == cw.compare(*data, **how).signature
    print(f"  arrays on the device are read as they are here: {type(there[1]).__module__}.{type(there[1]).__name__}")


def timed(what: str, where: str, ask: Any) -> None:
    """Print how long a call took, and how much of it drawing test sets."""
    drawing, inner = 0.0, bootstrap.draw

    def watched(question: Any) -> Any:
        nonlocal drawing
        begin = time.perf_counter()
        found = inner(question)
        drawing += time.perf_counter() - begin
        return found

    for module in list(sys.modules.values()):
        if getattr(module, "draw", None) is inner:
            module.draw = watched  # type: ignore[attr-defined]
    try:
        begin = time.perf_counter()
        ask()
        print(f"  {what:<58}{where:<12}{time.perf_counter() - begin:>8.2f} s, drawing {drawing:.2f} s", flush=True)
    finally:
        for module in list(sys.modules.values()):
            if getattr(module, "draw", None) is watched:
                module.draw = inner  # type: ignore[attr-defined]


def main(*asked: str) -> int:
    """Measure every device, and the processor."""
    names = list(asked) or [f"{name}:cuda" for name in LIBRARIES if importlib.util.find_spec(name)]
    if not names:
        print("neither CuPy nor torch is installed: there is nothing to measure")
        return 0
    print(f"numpy {np.__version__}, clearwin {cw.__version__}, {os.cpu_count()} cores")
    for name in names:
        place = device(name)
        print(f"{name}: {place.name}")
        check_inputs(place)
        if place.kernels is not None:
            check_kernels(place)
        cw.compare(*scored(10_000), measure="auc", test="bootstrap", n_resamples=100, rng=1, device=name)  # compiles
    cw.compare(*scored(10_000), measure="auc", test="bootstrap", n_resamples=100, rng=1)
    for n, replicates in ((10**5, 10**4), (10**6, 10**4), (10**7, 10**4)):
        data = scored(n)
        for measure in ("auc", "eer"):
            for where in [*names, "cpu"]:
                if n * replicates > 10**10 and where != "cupy:cuda":
                    continue  # minutes
                settings: dict[str, Any] = {"measure": measure, "n_resamples": replicates, "rng": 1, "device": where}
                what = f"{measure} of two models, {n:,} items, {replicates:,} replicates"
                timed(what, where, lambda s=settings, d=data: cw.compare(*d, test="bootstrap", **s))
    truth, a, _ = scored(100_000)
    models = {f"m{i}": a + np.random.default_rng(i).normal(0, 0.5, a.size) for i in range(20)}
    for where in [*names, "cpu"]:
        asked_of = {"measure": "auc", "n_resamples": 10_000, "rng": 1, "device": where}
        timed(
            "rank, AUC of 20 models, 100,000 items, 10,000 replicates",
            where,
            lambda s=asked_of: cw.rank(truth, models, **s),
        )
    stream = np.random.RandomState(1)
    labels = stream.random_sample((100_000, 50)) < 0.1
    said = [np.where(stream.random_sample(labels.shape) < p, ~labels, labels) for p in (0.03, 0.029)]
    for where in [*names, "cpu"]:
        settings = {"measure": "macro_f1", "n_resamples": 1_000, "rng": 1, "device": where}
        what = "macro F1, 100,000 items of 50 labels, 1,000 replicates"
        timed(what, where, lambda s=settings: cw.compare(labels, *said, test="bootstrap", **s))
    population = scored(500_000)
    sizes = {"test_size": 20_000, "n_sets": 50, "sizes": ()}
    for where in [*names, "cpu"]:
        settings = {"measure": "auc", "tests": ["bootstrap"], "n_resamples": 1_000, "rng": 1, "device": where, **sizes}
        what = "study, AUC, 50 sets of 20,000 items, 1,000 replicates each"
        timed(what, where, lambda s=settings: cw.study(*population, progress=False, **s))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
