"""Which items are called positive: those whose score is at least the threshold, compared in the scores' own type.

A float32 score written 0.7 is a little below the float64 number 0.7, so the threshold is rounded to the type of the
scores before they are compared, as numpy does: ``np.float32(0.7) >= 0.7`` is True. Scores are kept as float64 all
the same, which holds every float32 and float16 and keeps their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clearwin.numerics.arrays import Floats

Type = np.dtype[Any]
FLOAT64 = np.dtype(np.float64)
# of columns that older versions of pandas hand to numpy as objects
NARROW = {"Float32": "float32", "float[pyarrow]": "float32", "halffloat[pyarrow]": "float16"}


def own_type(values: Any) -> Type:
    """Return the type that a threshold is rounded to: that of the scores if it is narrower than float64.

    >>> own_type(np.array([0.7], dtype=np.float32)), own_type([0.7]), own_type([1, 2])
    (dtype('float32'), dtype('float64'), dtype('float64'))
    """
    dtype = np.asarray(values).dtype
    if dtype.kind == "O":
        named = NARROW.get(str(getattr(values, "dtype", "")))
        dtype = np.dtype(named) if named else np.array(np.asarray(values).tolist()).dtype
    return dtype if dtype.kind == "f" and dtype.itemsize < FLOAT64.itemsize else FLOAT64


def in_type(thresholds: ArrayLike, kind: Type) -> Floats:
    """Return what thresholds are in a type; one that is too large for it is infinite.

    >>> bool(in_type(0.7, np.dtype(np.float32)) == 0.7)
    False
    """
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(thresholds, dtype=np.float64).astype(kind).astype(np.float64)


def called_positive(scores: Floats, threshold: float, kind: Type) -> NDArray[np.bool_]:
    """Return which of the scores, of this type, are at or above the threshold."""
    return np.asarray(scores >= in_type(threshold, kind))


def written(thresholds: NDArray[Any]) -> Floats:
    """Return thresholds as the shortest decimals that their type reads as the same numbers.

    So a threshold calls the same items positive in an array, and in a file to which that array was written.

    >>> float(np.float32(0.1)), float(written(np.array(0.1, dtype=np.float32)))
    (0.10000000149011612, 0.1)
    """
    thresholds = np.asarray(thresholds)
    return thresholds.astype(np.float64) if thresholds.dtype == FLOAT64 else thresholds.astype(str).astype(np.float64)
