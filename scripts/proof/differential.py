"""Random data sets, and every number beside one of something nobody here wrote: `python -m proof.differential`.

A set is decisions, scores, values, folds or many p-values. Its measures and tests are held against scikit-learn, scipy,
statsmodels and brute force; then the same set comes in by another door (a frame, a file, counts, logs), with A and B
swapped, labels renamed, rows shuffled or other numbers of workers, and the answer must be the same to the last bit.
Which of these it is, is drawn for each set, as are measure and method.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import math
import multiprocessing
import os
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

import clearwin as cw
from clearwin.analyses.compare import compare_tally
from clearwin.data.files.predictions import read_joint_counts, scores_file, tally_file
from clearwin.errors import ClearwinError, NotApplicableError, UndefinedError
from clearwin.numerics.corrections import benjamini_hochberg, holm
from proof.record import Row, write

Array = NDArray[Any]
Check = tuple[str, Any, Any]  # what is compared, ours, theirs; numbers of other tools may differ by rounding
CLOSE = 1e-9
MANY = 100_000  # sets, if time allows
BLOCK = 50  # sets that a process compares before it tells
COLUMNS: dict[str, str | None] = {"truth": "truth", "a": "a", "b": "b"}


def differs(ours: Any, theirs: Any) -> bool:
    """Whether two numbers, or lists of them, differ by more than rounding explains."""
    return not np.allclose(ours, theirs, rtol=CLOSE, atol=1e-12, equal_nan=True)


# --- decisions -------------------------------------------------------------------------------------------------


def _rates(y: Array, p: Array) -> tuple[float, float]:
    tn, fp, fn, tp = metrics.confusion_matrix(y, p, labels=[0, 1]).ravel()
    return float(fn / (fn + tp)), float(fp / (fp + tn))


OF_TWO: dict[str, Callable[[Array, Array], float]] = {
    "accuracy": metrics.accuracy_score,
    "error_rate": metrics.zero_one_loss,
    "recall": lambda y, p: metrics.recall_score(y, p, zero_division=0),
    "precision": lambda y, p: metrics.precision_score(y, p, zero_division=0),
    "specificity": lambda y, p: metrics.recall_score(y, p, pos_label=0, zero_division=0),
    "f1": lambda y, p: metrics.f1_score(y, p, zero_division=0),
    "f_beta(beta=2)": lambda y, p: metrics.fbeta_score(y, p, beta=2, zero_division=0),
    "jaccard": lambda y, p: metrics.jaccard_score(y, p, zero_division=0),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "hter": lambda y, p: sum(_rates(y, p)) / 2,
    "dcf(cost_fn=10, cost_fp=1, prior=0.01)": lambda y, p: 0.1 * _rates(y, p)[0] + 0.99 * _rates(y, p)[1],
}
OF_MANY: dict[str, Callable[[Array, Array], float]] = {
    "accuracy": metrics.accuracy_score,
    "macro_f1": lambda y, p: metrics.f1_score(y, p, average="macro", zero_division=0),
    "macro_precision": lambda y, p: metrics.precision_score(y, p, average="macro", zero_division=0),
    "macro_recall": lambda y, p: metrics.recall_score(y, p, average="macro", zero_division=0),
    "weighted_f1": lambda y, p: metrics.f1_score(y, p, average="weighted", zero_division=0),
    "micro_f1": lambda y, p: metrics.f1_score(y, p, average="micro", zero_division=0),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
}


def decisions(rng: np.random.Generator) -> Iterator[Check]:
    """Compare decisions of two models: measures, McNemar's test, the permutation of every item, and all doors."""
    k = 2 if rng.random() < 0.7 else int(rng.integers(3, 6))
    n = int(rng.integers(5, 60))
    truth = rng.integers(0, k, n)
    truth[:k] = np.arange(k)
    a, b = (np.where(rng.random(n) < wrong, rng.integers(0, k, n), truth) for wrong in rng.uniform(0, 0.8, 2))
    known = OF_TWO if k == 2 else OF_MANY
    name = str(rng.choice(list(known)))
    few = int((a != b).sum()) <= 4  # so that all swaps can be gone over here, too; else a few are drawn
    how: dict[str, Any] = {"measure": name, "test": "permutation", "n_resamples": 19, "rng": 1}
    how["method"] = "exact" if few else "monte_carlo"
    try:
        r = cw.compare(truth, a, b, **how)
    except UndefinedError:
        return
    # a measure without a value is 0 here, and nan there where nothing is divided by nothing
    yield f"{name} against scikit-learn", r.estimate_a, np.nan_to_num(known[name](truth, a))
    yield f"{name} against scikit-learn", r.estimate_b, np.nan_to_num(known[name](truth, b))
    if few:
        yield f"permutation of {name} against brute force", r.p_value, _all_swaps(truth, a, b, r, known[name])
    if k == 2 and not {*a, *b} - {0, 1}:
        yield from _mcnemar(truth, a, b, rng)
    yield from _doors(r, truth, a, b, how, rng)


def _all_swaps(truth: Array, a: Array, b: Array, r: Any, measure: Callable[[Array, Array], float]) -> float:
    """Return the share of all swaps that come as far as was seen."""
    apart = np.flatnonzero(a != b)
    values = []
    for swaps in itertools.product((False, True), repeat=len(apart)):
        one = a.copy()
        chosen = apart[list(swaps)]
        one[chosen] = b[chosen]
        values.append(np.nan_to_num(measure(truth, one)))
    # where A has the answers of one swap, B has those of the opposite, which comes as far from the end
    far = sum(abs(two - one) >= abs(r.difference) - 1e-9 for one, two in zip(values, reversed(values), strict=True))
    return float(far / len(values))


def _mcnemar(truth: Array, a: Array, b: Array, rng: np.random.Generator) -> Iterator[Check]:
    wins, losses = int(((a != truth) & (b == truth)).sum()), int(((a == truth) & (b != truth)).sum())
    method = str(rng.choice(["exact", "mid-p", "asymptotic", "corrected"]))
    ours = cw.compare(truth, a, b, measure="accuracy", test="mcnemar", method=method).p_value
    exact = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    table = [[0, wins], [losses, 0]]
    if method == "exact":
        yield "exact McNemar against scipy", ours, exact
        yield "exact McNemar against statsmodels", ours, mcnemar(table, exact=True).pvalue if wins + losses else 1.0
    elif method == "mid-p":
        yield (
            "mid-p McNemar against scipy",
            ours,
            min(1.0, exact - stats.binom.pmf(wins, wins + losses, 0.5)) if (wins != losses) else 1.0,
        )
    elif wins + losses and (method == "asymptotic" or wins != losses):
        theirs = mcnemar(table, exact=False, correction=method == "corrected").pvalue
        yield f"{method} McNemar against statsmodels", ours, theirs


# --- doors -----------------------------------------------------------------------------------------------------


def _same(what: str, one: Any, other: Any) -> Iterator[Check]:
    """Compare two answers to the last bit: the difference of what must be the same is taken as 0 or 1."""
    for name in ("estimate_a", "estimate_b", "p_value"):
        yield f"{name} {what}", 0.0 if getattr(one, name) == getattr(other, name) else 1.0, 0.0


def _doors(
    first: Any, truth: Array, a: Array, b: Array, how: dict[str, Any], rng: np.random.Generator
) -> Iterator[Check]:
    k = int(truth.max()) + 1
    columns = {"truth": truth, "a": a, "b": b}
    door = str(rng.choice([*DOORS, "swapped", "renamed", "shuffled", "workers"]))
    if door in DOORS:
        if door == "counts" and k > 2:
            return
        yield from _same(f"by {door}", first, DOORS[door](columns, how))
    elif door == "swapped":
        back = cw.compare(truth, b, a, **how)
        yield "difference of swapped models", back.difference, -first.difference
        if first.method == "exact":
            yield "p of swapped models", back.p_value, first.p_value
    elif door == "renamed":
        names = np.array(["v", "w", "x", "y", "z"])[:k]  # in the same order
        renamed = cw.compare(names[truth], names[a], names[b], **how, positive="w" if k == 2 else None)
        yield from _same("of renamed labels", first, renamed)
    elif door == "shuffled":
        order = rng.permutation(len(truth))
        yield from _same("of shuffled rows", first, cw.compare(truth[order], a[order], b[order], **how))
    else:
        drawn: dict[str, Any] = {
            "measure": how["measure"],
            "test": "bootstrap",
            "n_resamples": 4_100,
            "rng": 1,
        }  # three blocks
        answers = []
        for workers in (1, 2, 4):
            with joblib.parallel_config(backend="threading", n_jobs=workers):
                answers.append(cw.compare(truth, a, b, **drawn))
        yield from _same("by 2 workers", answers[0], answers[1])
        yield from _same("by 4 workers", answers[0], answers[2])


def _by_file(columns: dict[str, Array], how: dict[str, Any], ending: str) -> Any:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        file, frame = Path(folder, f"p{ending}"), pd.DataFrame(columns)
        if ending == ".parquet":
            frame.to_parquet(file)
        elif ending == ".jsonl":
            frame.to_json(file, orient="records", lines=True)
        else:
            frame.to_csv(file, index=False, sep="\t" if ending == ".tsv" else ",")
        return compare_tally(tally_file(file, COLUMNS).counts, **how)


def _by_frame(columns: dict[str, Array], how: dict[str, Any], kind: str) -> Any:
    names: dict[str, Any] = {"truth": "truth", "a": "a", "b": "b"}
    if kind == "pandas":
        import pandas as pd

        return cw.compare(data=pd.DataFrame(columns), **names, **how)
    if kind == "polars":
        import polars as pl

        return cw.compare(data=pl.DataFrame(columns), **names, **how)
    import pyarrow as pa

    table = pa.table(columns)
    if kind == "arrow":
        return cw.compare(data=table, **names, **how)
    import duckdb

    with duckdb.connect() as db:
        return cw.compare(data=db.from_arrow(table), **names, **how)


def _by_counts(columns: dict[str, Array], how: dict[str, Any]) -> Any:
    cells = Counter(zip(*(column.tolist() for column in columns.values()), strict=True))
    events = itertools.product((1, 0), (1, 0), (1, 0))  # keller2004, table 1: B is the first to change, then A
    found = {f"e{i}": cells[truth, a, b] for i, (truth, b, a) in enumerate(events, 1)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "counts.json")
        file.write_text(json.dumps(found))
        return cw.compare(cw.JointCounts(**read_joint_counts(file)), **how)


def _by_logs(columns: dict[str, Array], how: dict[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        for model in ("a", "b"):
            pairs = zip(columns["truth"].tolist(), columns[model].tolist(), strict=True)
            lines = [
                {"doc_id": i, "resps": [], "metrics": ["f1"], "target": str(gold), "f1": [gold, answer]}
                for i, (gold, answer) in enumerate(pairs)
            ]
            file = Path(folder, model, "samples_quiz_2026-01-16T20-57-28.313639.jsonl")
            file.parent.mkdir()
            file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return cw.compare(data=cw.logs.read(Path(folder, "a"), Path(folder, "b"), metric="f1"), **how)


DOORS: dict[str, Callable[[dict[str, Array], dict[str, Any]], Any]] = {
    "lists": lambda columns, how: cw.compare(*(column.tolist() for column in columns.values()), **how),
    "pandas": lambda columns, how: _by_frame(columns, how, "pandas"),
    "polars": lambda columns, how: _by_frame(columns, how, "polars"),
    "arrow": lambda columns, how: _by_frame(columns, how, "arrow"),
    "duckdb": lambda columns, how: _by_frame(columns, how, "duckdb"),
    "CSV": lambda columns, how: _by_file(columns, how, ".csv"),
    "TSV": lambda columns, how: _by_file(columns, how, ".tsv"),
    "Parquet": lambda columns, how: _by_file(columns, how, ".parquet"),
    "JSONL": lambda columns, how: _by_file(columns, how, ".jsonl"),
    "counts": _by_counts,
    "logs": _by_logs,
}


# --- scores ----------------------------------------------------------------------------------------------------


OF_CHANCES = {"brier": metrics.brier_score_loss, "log_loss": metrics.log_loss}


def scores(rng: np.random.Generator) -> Iterator[Check]:
    """Compare scores of two models: the measures, DeLong's test by all pairs of items, other doors."""
    n = int(rng.integers(6, 60))
    truth = rng.integers(0, 2, n)
    truth[:4] = (0, 0, 1, 1)
    digits = int(rng.choice([0, 1, 15]))  # few digits make ties
    a, b = (np.round(truth * rng.uniform(-0.5, 2) + rng.normal(size=n), digits) for _ in "ab")
    try:
        r = cw.compare(truth, a, b, measure="auc", test="delong")
    except NotApplicableError:
        return
    yield "AUC against scikit-learn", r.estimate_a, metrics.roc_auc_score(truth, a)
    yield "AUC against scikit-learn", r.estimate_b, metrics.roc_auc_score(truth, b)
    yield "DeLong's p against all pairs", r.p_value, _delong(truth, a, b)
    value = cw.estimate(truth, a, measure="average_precision", interval="percentile", n_resamples=2, rng=1).estimate
    yield "average precision against scikit-learn", value, metrics.average_precision_score(truth, a)
    chance = 1 / (1 + np.exp(-a))
    name = str(rng.choice(list(OF_CHANCES)))
    value = cw.estimate(truth, chance, measure=name, interval="percentile", n_resamples=2, rng=1).estimate
    yield f"{name} against scikit-learn", value, OF_CHANCES[name](truth, chance)
    order = rng.permutation(n)
    yield from _same(
        "of shuffled scores", r, cw.compare(truth[order], a[order], b[order], measure="auc", test="delong")
    )
    back = cw.compare(truth, b, a, measure="auc", test="delong")
    yield "difference of swapped scores", back.difference, -r.difference
    yield "p of swapped scores", back.p_value, r.p_value
    if rng.random() < 0.2:
        yield from _same("of scores by CSV", r, _scores_by_file(truth, a, b))


def _scores_by_file(truth: Array, a: Array, b: Array) -> Any:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "p.csv")
        pd.DataFrame({"truth": truth, "a": a, "b": b}).to_csv(file, index=False)
        found = scores_file(file, COLUMNS)
    return cw.compare(found.truth, *found.scores, measure="auc", test="delong", positive="1")


def _delong(truth: Array, a: Array, b: Array) -> float:
    """Return DeLong's two-sided p from the comparison of every positive with every negative (1988, equation 5)."""
    beats = []
    for scored in (a, b):
        above = scored[truth == 1][:, None] - scored[truth == 0][None, :]
        beats.append((above > 0) + 0.5 * (above == 0))
    won = beats[1] - beats[0]
    m, n = won.shape
    variance = np.var(won.mean(axis=1), ddof=1) / m + np.var(won.mean(axis=0), ddof=1) / n
    if won.mean() == 0:
        return 1.0
    return float(2 * stats.norm.sf(abs(won.mean()) / math.sqrt(variance)))


# --- values, folds, many p-values ------------------------------------------------------------------------------


def values(rng: np.random.Generator) -> Iterator[Check]:
    """Compare per-item values: Student's t, Wilcoxon's signed ranks and the sign test."""
    n = int(rng.integers(4, 40))
    ties = rng.random() < 0.5
    a, b = (rng.integers(0, 6, n).astype(float) if ties else rng.normal(size=n) for _ in "ab")
    d = b - a
    if not d.any() or np.ptp(d) == 0:
        return
    how: dict[str, Any] = {"measure": "mean", "n_resamples": 2, "rng": 1}
    yield "paired t against scipy", cw.compare(None, a, b, test="paired_t", **how).p_value, stats.ttest_rel(b, a).pvalue
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    sign = cw.compare(None, a, b, test="sign", **how).p_value
    yield "sign test against scipy", sign, stats.binomtest(wins, wins + losses).pvalue
    methods: dict[str, dict[str, Any]] = {
        "asymptotic": {"zero_method": "wilcox", "correction": False},
        "corrected": {"zero_method": "wilcox", "correction": True},
        "pratt": {"zero_method": "pratt", "correction": False},
        "pratt-corrected": {"zero_method": "pratt", "correction": True},
    }
    method = str(rng.choice([*methods, "exact"]))
    ours = cw.compare(None, a, b, test="wilcoxon", method=method, **how).p_value
    if method != "exact":
        yield f"{method} Wilcoxon against scipy", ours, stats.wilcoxon(d, method="asymptotic", **methods[method]).pvalue
    elif n <= 12:
        yield "exact Wilcoxon against brute force", ours, _all_signs(d)


def _all_signs(d: Array) -> float:
    """Return Wilcoxon's exact two-sided p over all signs of the ranks."""
    ranks = stats.rankdata(np.abs(d[d != 0]))
    seen = ranks[d[d != 0] > 0].sum()
    sums = np.array([ranks[list(signs)].sum() for signs in itertools.product((False, True), repeat=len(ranks))])
    return float(min(1.0, 2 * min((sums >= seen - 1e-9).mean(), (sums <= seen + 1e-9).mean())))


def folds(rng: np.random.Generator) -> Iterator[Check]:
    """Compare scores over folds: Nadeau and Bengio's corrected t (2003, equation 8) by its formula."""
    k, ratio = int(rng.integers(3, 20)), float(rng.uniform(0.05, 1))
    a, b = rng.uniform(0.5, 1, k), rng.uniform(0.5, 1, k)
    how: dict[str, Any] = {"design": "resampled", "test": "corrected_t", "test_train_ratio": ratio, "rng": 1}
    d = b - a
    t = d.mean() / math.sqrt((1 / k + ratio) * d.var(ddof=1))
    yield "corrected t by its formula", cw.compare_folds(a, b, **how).p_value, 2 * stats.t.sf(abs(t), k - 1)


def many(rng: np.random.Generator) -> Iterator[Check]:
    """Correct many p-values as statsmodels does."""
    p = rng.uniform(0, 1, int(rng.integers(1, 30))) ** int(rng.integers(1, 6))
    yield "Holm against statsmodels", holm(p.tolist()), multipletests(p, method="holm")[1]
    yield "Benjamini-Hochberg against statsmodels", benjamini_hochberg(p.tolist()), multipletests(p, method="fdr_bh")[1]


KINDS: dict[str, tuple[Callable[[np.random.Generator], Iterator[Check]], float]] = {
    "decisions": (decisions, 0.5),
    "scores": (scores, 0.2),
    "values": (values, 0.19),
    "folds": (folds, 0.1),
    "p-values": (many, 0.01),
}


def differences(seed: int, number: int) -> tuple[str, list[str], int]:
    """Return the kind of the set of this number, what differs, and how many comparisons there were."""
    rng = np.random.default_rng([seed, number])
    kind = str(rng.choice(list(KINDS), p=[share for _, share in KINDS.values()]))
    wrong, checks = [], 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the others: a score without a positive, an approximation of few items
            for what, ours, theirs in KINDS[kind][0](rng):
                checks += 1
                if differs(ours, theirs):
                    wrong.append(f"{what}: {ours!r} and {theirs!r}")
    except ClearwinError as error:
        wrong.append(f"refused: {error.what}")
    return kind, wrong, checks


def some(seed: int, numbers: range, until: float) -> tuple[Counter[str], list[str], int, float]:
    """Compare the sets of these numbers until the time is over.

    Returns how many there were of each kind, what differs, the number of comparisons and the processor seconds.
    """
    gc.freeze()  # statsmodels collects garbage for every correction, among all that is loaded
    sets, wrong, checks, began = Counter[str](), list[str](), 0, time.process_time()
    with sklearn.config_context(skip_parameter_validation=True):  # their arguments are ours
        for number in numbers:
            if time.time() > until:
                break
            kind, found, more = differences(seed, number)
            sets[kind] += 1
            checks += more
            wrong += [f"{number} {kind}: {text}" for text in found]
    return sets, wrong, checks, time.process_time() - began


def main() -> None:
    """Compare sets until there were enough or the time is over, and write the figures down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--count", type=int, default=MANY)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the number of the first set")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dry", action="store_true", help="write nothing down")
    asked = parser.parse_args()
    began, until, end = time.monotonic(), time.time() + asked.seconds, asked.start + asked.count
    blocks = [range(first, min(first + BLOCK, end)) for first in range(asked.start, end, BLOCK)]
    sets, checks, wrong, work = Counter[str](), 0, 0, 0.0
    with multiprocessing.get_context("spawn").Pool(asked.workers) as pool:
        for kinds, found, more, took in pool.imap(partial(some, asked.seed, until=until), blocks):
            sets += kinds
            checks += more
            wrong += len(found)
            work += took
            for text in found:
                print(text, flush=True)
    seconds, tried = time.monotonic() - began, sum(sets.values())
    speed = tried / max(work, 1e-9)
    rate = f"{speed:.0f} sets a second of one core: {MANY:,} take {MANY / max(speed, 1e-9) / 60:.0f} minutes of it"
    print(f"{tried:,} sets, {checks:,} comparisons, {wrong} differences, {seconds:.0f} s, {rate}: {dict(sets)}")
    if not asked.dry:
        told = ", ".join(f"{count:,} of {kind}" for kind, count in sorted(sets.items()))
        what = f"random data sets ({told}), {checks:,} comparisons with scikit-learn, scipy, statsmodels, brute force "
        what += f"and, of decisions, by one of {len(DOORS) + 4} other doors each ({rate})"
        band = f"0 differences; a long run has {MANY:,}"
        write("differential", [Row(what, tried, f"{wrong} differences", band, wrong == 0, asked.seed, seconds)])


if __name__ == "__main__":
    main()
