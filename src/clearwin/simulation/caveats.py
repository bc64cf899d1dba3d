"""What must be said beside the numbers of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clearwin.errors import first_few
from clearwin.numerics.pvalues import least_by_swaps
from clearwin.results.base import Caveat
from clearwin.results.study import CoverageRow, PowerRow, SizeRow, Study

# with so many sets or more a test that errs twice as often as it says at 0.05 is caught four times in five at least: of
# 700 sets 63 are the fewest beyond the tolerated 6 % (P(X ≥ 63) < 0.00135 for Bin(700, 0.06)), and P(X ≥ 63) = 0.83 for
# Bin(700, 0.1); that is 0.80 or more from 682 sets on, but 0.20 for 200
FEW_SETS = 700
FAR_OFF = 0.8  # a set's real size against that asked for, or the other way round
# whose p-value is never below what coins could show: all units that differ speak for one side
BY_COINS = (
    "permutation/exact",
    "permutation/monte_carlo",
    "bootstrap/multinomial",
    "mcnemar/exact",
    "mcnemar/mid-p",
    "sign/exact",
    "wilcoxon/exact",
    "paired_proportion/mover",
)
BY_DRAWING = {"permutation/monte_carlo": 1.0, "bootstrap/multinomial": 2.0}  # p is never below so many in B + 1


def doubts(study: Study, asked_size: int | None) -> tuple[Caveat, ...]:
    """Return the caveats of a study that is put together."""
    found = (*_left_out(study), *_refused(study), *_few_sets(study), *_whole_groups(study, asked_size))
    return (*found, *_beyond_the_data(study), *_blind(study))


def _left_out(study: Study) -> Iterator[Caveat]:
    several = len(study.confidence) > 1
    for gone in study.left_out:
        where = f", category set {gone.category_set}" if several else ""
        yield Caveat("left_out", f"Left out{where}: {gone.what}: {gone.why}.")


def _refused(study: Study) -> Iterator[Caveat]:
    if study.refusals:
        tables: list[Sequence[CoverageRow | SizeRow | PowerRow]] = [study.coverage, study.size, study.power]
        most = max(row.refused for rows in tables for row in rows)
        reasons = [f"“{why}”" for why in study.refusals]
        yield Caveat(
            "refused_sets",
            f"Refused: on up to {most:,} of {study.n_sets:,} sets of one size a test gave no answer: "
            f"{first_few(reasons, len(reasons))} Such a set finds nothing, and it has no interval: coverage and "
            "calibration are of the others.",
        )


def _few_sets(study: Study) -> Iterator[Caveat]:
    if study.n_sets < FEW_SETS:
        yield Caveat(
            "few_sets",
            f"Few sets: {study.n_sets:,} sets show gross faults only; a test that is not caught here may still be "
            "wrong. Draw 1,000.",
        )


def _whole_groups(study: Study, asked_size: int | None) -> Iterator[Caveat]:
    if study.unit != "group" or asked_size is None or FAR_OFF <= asked_size / study.test_size <= 1 / FAR_OFF:
        return
    yield Caveat(
        "whole_groups",
        f"Sets of {asked_size:,} items were asked for. Groups are drawn whole, two at least, and have "
        f"{study.items_per_unit:,.4g} items on average, so a set has {study.units:,} groups and about "
        f"{study.test_size:,} items.",
    )


def _beyond_the_data(study: Study) -> Iterator[Caveat]:
    beyond = [f"{size:,}" for size in study.sizes if size > study.n]
    if beyond:
        yield Caveat(
            "beyond_the_data",
            f"Beyond the data: sets of {', '.join(beyond)} items are larger than the large set of {study.n:,}, so its "
            "items come several times in each. Power there is that of new items only if the large set has all kinds of "
            "items in the right shares.",
        )


def _blind(study: Study) -> Iterator[Caveat]:
    """Say at which levels nothing can be found, once for each reason."""
    told: dict[tuple[str, float], list[str]] = {}
    for test in study.tests:
        p, why = smallest_p(study, test.name)
        if any(p > alpha for alpha in study.alphas):
            told.setdefault((why, p), []).append(test.name)
    for (why, p), tests in told.items():
        levels = ", ".join(f"{alpha:g}" for alpha in study.alphas if p > alpha)
        what = "replicates" if why.endswith("replicates") else f"{study.unit}s"
        yield Caveat(
            f"few_{what}",
            f"Few {what}: with {why} no p-value of {' or '.join(tests)} is below {p:g}, so nothing can be found at "
            f"{levels}.",
        )


def smallest_p(study: Study, test: str) -> tuple[float, str]:
    """Return what the test's p-value cannot be below on sets of the test size, and what is too few for less.

    It is the least of all that ran; 0 where one of them can be as small as it likes, or nothing ran.
    """
    ran = next(one.ran for one in study.tests if one.name == test)
    return min((_smallest(study, what) for what in ran), default=(0.0, ""))


def _smallest(study: Study, ran: str) -> tuple[float, str]:
    units = f"{study.units:,} {study.unit}{'s' * (study.units != 1)} in a set"
    coins = least_by_swaps(study.units) if ran in BY_COINS else 0.0
    if ran == "mcnemar/mid-p":
        coins /= 2.0  # what was seen counts half
    replicates = study.signature.settings["n_resamples"]
    drawn = min(1.0, BY_DRAWING.get(ran, 0.0) / (replicates + 1))
    return (coins, units) if coins >= drawn else (drawn, f"{replicates:,} replicates")
