"""How the items of a comparison of decisions divide: what pictures and reports need of the joint counts."""

from __future__ import annotations

from dataclasses import dataclass

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix with the names of its classes: rows are the truth, columns the decisions."""

    labels: tuple[str, ...]
    cells: Matrix


@dataclass(frozen=True)
class ClassOutcomes:
    """The items of one true class: both models right, only A wrong, only B wrong, both wrong."""

    label: str
    both_right: int
    only_a_wrong: int
    only_b_wrong: int
    both_wrong: int


@dataclass(frozen=True)
class JointOutcomes:
    """Both models' confusion matrices on the same items (rows are the truth), and who is right in each true class."""

    labels: tuple[str, ...]
    confusion_a: Matrix
    confusion_b: Matrix
    classes: tuple[ClassOutcomes, ...]
