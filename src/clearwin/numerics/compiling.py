"""How kernels are compiled: by numba, without the GIL, and kept on the disk where there is a place for them.

Compiling takes seconds, so numba keeps what it compiled beside the source or in the user's folder for caches. Where it
can write to neither, as in a read-only installation, or where the disk is full, every process compiles for itself.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from numba import njit
from numba.core.caching import FunctionCache

UNREADABLE = (OSError, EOFError, pickle.UnpicklingError)  # what numba raises where a file of the cache is broken


class Cache(FunctionCache):
    """Numba's cache of one kernel, whose failures cost time and never the answer."""

    def load_overload(self, *given: Any) -> Any:
        """Return what was compiled before; None if that cannot be read."""
        with suppress(*UNREADABLE):
            return super().load_overload(*given)  # type: ignore[no-untyped-call]
        return None

    def save_overload(self, *given: Any) -> None:
        """Keep what was compiled, where there is room."""
        with suppress(*UNREADABLE):
            super().save_overload(*given)  # type: ignore[no-untyped-call]


def compiled(*, inline: Literal["never", "always"] = "never") -> Callable[[Callable[..., Any]], Any]:
    """Return the decorator that makes a kernel of a function."""

    def decorate(function: Callable[..., Any]) -> Any:
        kernel: Any = njit(nogil=True, inline=inline)(function)
        with suppress(RuntimeError):  # no folder can be written
            kernel._cache = Cache(function)  # type: ignore[no-untyped-call]
        return kernel

    return decorate
