"""What must be said beside the numbers of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clearwin.result import Caveat
from clearwin.study_record import CoverageRow, PowerRow, SizeRow, Study

FEW_SETS = 200  # with fewer even a test that errs twice as often as it says at 0.05 mostly goes unnoticed
FAR_OFF = 0.8  # a set's real size against that asked for, or the other way round
BY_SWAPS = ("permutation", "bootstrap", "sign_test")  # whose p-value is never below what coins could show


def doubts(study: Study, asked_size: int | None) -> tuple[Caveat, ...]:
    """Return the caveats of a study that is put together."""
    return (*_left_out(study), *_refused(study), *_few_sets(study), *_groups(study, asked_size))


def _left_out(study: Study) -> Iterator[Caveat]:
    several = len(study.confidence) > 1
    for gone in study.left_out:
        where = f", category set {gone.category_set}" if several else ""
        yield Caveat("left_out", f"Left out{where}: {gone.what}: {gone.why}.")


def _refused(study: Study) -> Iterator[Caveat]:
    if study.refusals:
        tables: list[Sequence[CoverageRow | SizeRow | PowerRow]] = [study.coverage, study.size, study.power]
        most = max(row.refused for rows in tables for row in rows)
        yield Caveat(
            "refused_sets",
            f"Refused: on up to {most:,} of {study.n_sets:,} sets of one size a test gave no answer "
            f"({'; '.join(why.rstrip('.') for why in study.refusals)}). Such a set finds nothing and covers nothing.",
        )


def _few_sets(study: Study) -> Iterator[Caveat]:
    if study.n_sets < FEW_SETS:
        yield Caveat(
            "few_sets",
            f"Few sets: {study.n_sets:,} sets show gross faults only; a test that is not caught here may still be "
            "wrong. Draw 1,000.",
        )


def _groups(study: Study, asked_size: int | None) -> Iterator[Caveat]:
    if study.unit != "group":
        return
    if asked_size is not None and not FAR_OFF <= asked_size / study.test_size <= 1 / FAR_OFF:
        yield Caveat(
            "whole_groups",
            f"Sets of {asked_size:,} items were asked for. Groups are drawn whole, two at least, and have "
            f"{study.items_per_unit:,.4g} items on average, so a set has {study.units:,} groups and about "
            f"{study.test_size:,} items.",
        )
    blind = [f"{alpha:g}" for alpha in study.alphas if smallest_p(study.units) > alpha]
    if blind and any(by_swaps(study, test.name) for test in study.tests):
        yield Caveat(
            "few_groups",
            f"Few groups: with {study.units:,} groups in a set no p-value by swapping or drawing groups is below "
            f"2^(1−{study.units}) = {smallest_p(study.units):g}, so nothing can be found at {', '.join(blind)}.",
        )


def smallest_p(groups: int) -> float:
    """Return what swapping so many groups can show at best, two-sided.

    >>> smallest_p(2), smallest_p(6)
    (0.5, 0.03125)
    """
    return 2.0 ** (1 - groups)


def by_swaps(study: Study, test: str) -> bool:
    """Whether the test's p-value on these sets comes from swapping or drawing units."""
    ran = next(one.ran for one in study.tests if one.name == test)
    return bool(ran) and all(name.split("/")[0] in BY_SWAPS for name in ran)
