"""Arrays on an accelerator: CuPy's or torch's, behind the few calls that drawing test sets needs.

What numpy, CuPy and torch call alike is called on ``arrays``, the library itself; what they do not is a method here.
Random numbers come from the library's own generator, seeded for each block of replicates: the same device, library and
seed give the same bits again. Another device draws other test sets from the same distribution.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.errors import OptionError, setting
from clearwin.numerics.arrays import Floats
from clearwin.numerics.cuda_kernels import compiled
from clearwin.streams import Purpose, Seed

HOSTS = (1, 3)  # DLPack's numbers of the processor's memory, and of that which a CUDA device reads, too
LIBRARIES = ("cupy", "torch")  # the first one that is installed


class Device(ABC):
    """Where arrays lie, and the library that computes there."""

    name: str
    arrays: Any
    kernels: tuple[Any, Any] | None = None  # that draw and scan, where the library compiles them

    @abstractmethod
    def put(self, values: NDArray[Any]) -> Any:
        """Copy an array to the device."""

    @abstractmethod
    def fetch(self, values: Any) -> NDArray[Any]:
        """Copy an array back."""

    @abstractmethod
    def uniform(self, key: int, shape: tuple[int, ...]) -> Any:
        """Return numbers between 0 and 1 of 53 random bits, the same for the same key."""

    @abstractmethod
    def floats(self, values: Any) -> Any:
        """Return the values as floats of 64 bits."""

    @abstractmethod
    def whole(self, values: Any) -> Any:
        """Return the values rounded down, as integers of 64 bits."""


class Host(Device):
    """The processor, by numpy: for trying what runs on a device where there is none."""

    name, arrays = "numpy", np

    def put(self, values: NDArray[Any]) -> Any:
        """Return the array itself."""
        return np.asarray(values)

    def fetch(self, values: Any) -> NDArray[Any]:
        """Return the array itself."""
        return np.asarray(values)

    def uniform(self, key: int, shape: tuple[int, ...]) -> Floats:
        """Return random numbers of a stream that the key seeds."""
        return np.asarray(Seed(key).stream(Purpose.PROCESSOR_AS_DEVICE, 0).random_sample(shape))

    def floats(self, values: Any) -> Floats:
        """Return the values as floats of 64 bits."""
        return np.asarray(values, dtype=np.float64)

    def whole(self, values: Any) -> NDArray[np.int64]:
        """Return the values rounded down."""
        return np.asarray(values).astype(np.int64)


class CuPy(Device):
    """A CUDA device, by CuPy."""

    def __init__(self, place: str) -> None:
        cupy = importlib.import_module("cupy")
        self.arrays, self._number = cupy, int(place.partition(":")[2] or 0)
        n_devices = cupy.cuda.runtime.getDeviceCount()
        if self._number >= n_devices:
            raise OptionError(
                f"There is no CUDA device {self._number}.", f"one of {n_devices}", setting("device", "cuda")
            )
        cupy.cuda.Device(self._number).use()
        self.kernels = compiled(cupy)
        self.name = f"cupy, {cupy.cuda.runtime.getDeviceProperties(self._number)['name'].decode()}"

    def put(self, values: NDArray[Any]) -> Any:
        """Copy an array to the device."""
        return self.arrays.asarray(values)

    def fetch(self, values: Any) -> NDArray[Any]:
        """Copy an array back."""
        return np.asarray(values.get())

    def uniform(self, key: int, shape: tuple[int, ...]) -> Any:
        """Return numbers of CuPy's Philox generator."""
        random = self.arrays.random
        return random.Generator(random.Philox4x3210(key)).random(shape)

    def floats(self, values: Any) -> Any:
        """Return the values as floats of 64 bits."""
        return values.astype(self.arrays.float64)

    def whole(self, values: Any) -> Any:
        """Return the values rounded down."""
        return values.astype(self.arrays.int64)


class Torch(Device):
    """Any device that torch knows: "cuda", "cuda:1", or "cpu"."""

    def __init__(self, place: str) -> None:
        torch = importlib.import_module("torch")
        self.arrays, self._place = torch, torch.device(place)
        named = torch.cuda.get_device_name(self._place) if self._place.type == "cuda" else "processor"
        self.name = f"torch, {named}"

    def put(self, values: NDArray[Any]) -> Any:
        """Copy an array to the device."""
        return self.arrays.from_numpy(np.ascontiguousarray(values)).to(self._place)

    def fetch(self, values: Any) -> NDArray[Any]:
        """Copy an array back."""
        return np.asarray(values.cpu().numpy())

    def uniform(self, key: int, shape: tuple[int, ...]) -> Any:
        """Return numbers of torch's own generator."""
        generator = self.arrays.Generator(self._place).manual_seed(key)
        return self.arrays.rand(shape, generator=generator, dtype=self.arrays.float64, device=self._place)

    def floats(self, values: Any) -> Any:
        """Return the values as floats of 64 bits."""
        return values.to(self.arrays.float64)

    def whole(self, values: Any) -> Any:
        """Return the values rounded down."""
        return values.to(self.arrays.int64)


def on_host(values: Any) -> Any:
    """Return a tensor of torch, or an array that lies on an accelerator, as numpy's own; anything else as it is.

    >>> on_host([0, 1])
    [0, 1]
    """
    if hasattr(type(values), "detach"):  # torch's: with a gradient, or of bfloat16, numpy would not take them
        there = values.detach().cpu()
        return np.asarray((there.float() if "bfloat16" in str(there.dtype) else there).numpy())
    where = getattr(values, "__dlpack_device__", None)
    if where is None or where()[0] in HOSTS:
        return values
    if hasattr(values, "get"):  # CuPy's own way, because not every version of it copies by DLPack
        return np.asarray(values.get())
    return np.from_dlpack(values, device="cpu", copy=True)


def check_device(name: object) -> None:
    """Raise unless it names a device that may be there."""
    if not isinstance(name, str) or not re.fullmatch(
        r"cpu|numpy|cuda(:\d+)?|cupy(:cuda(:\d+)?)?|torch(:\w+(:\d+)?)?", name
    ):
        raise OptionError(
            f"device is {name!r}.", '"cpu", "cuda", or "cuda:1" for the second', setting("device", "cuda")
        )


def device(named: str) -> Device:
    """Return the device of a name: "cuda" or "cuda:1" by the library that is installed, "torch:cpu", "cupy:cuda"."""
    library, _, place = named.partition(":")
    if library == "numpy":
        return Host()
    if library == "cuda":
        installed = [name for name in LIBRARIES if importlib.util.find_spec(name)]
        if not installed:
            raise OptionError(
                f"device is {named!r}, and neither CuPy nor torch is installed.",
                "one of them, built for the CUDA of this machine",
                "pip install cupy-cuda13x",
            )
        library, place = installed[0], named
    makers = {"cupy": CuPy, "torch": Torch}
    try:
        return makers[library](place or "cuda")
    except OptionError:
        raise
    except Exception as reason:  # whatever a driver that is missing or too old makes these libraries raise
        raise OptionError(
            f"device is {named!r}, and {library} cannot use it: {reason}",
            "a device that works; nvidia-smi lists them",
            setting("device", "cpu"),
        ) from None
