"""Devices by name, and arrays that lie on one."""

import importlib.util

import numpy as np
import pytest

import clearwin as cw
from clearwin.numerics import devices

INSTALLED = [name for name in devices.LIBRARIES if importlib.util.find_spec(name)]


class Elsewhere:
    """An array on CUDA device 0, as CuPy's says of itself."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack_device__(self):
        return (2, 0)

    def __array__(self, *_):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self):
        return self.values


def test_arrays_on_a_device_are_read():
    truth, a, b = [0, 1] * 20, [0, 1] * 18 + [1, 1] * 2, [0, 1] * 15 + [1, 0] * 5
    here = cw.compare(truth, a, b, rng=1)
    there = cw.compare(*(Elsewhere(column) for column in (truth, a, b)), rng=1)
    assert (here.p_value, here.signature) == (there.p_value, there.signature)


def test_tensors_are_read_with_a_gradient_and_in_any_type():
    torch = pytest.importorskip("torch", reason="no torch: pip install torch")
    truth, scores = np.array([0, 1] * 20), np.linspace(-2, 2, 40)
    other = scores[::-1].copy()
    here = cw.compare(truth, scores, other, measure="auc", test="delong", rng=1)
    there = cw.compare(*map(torch.tensor, (truth, scores, other)), measure="auc", test="delong", rng=1)
    assert here.signature == there.signature
    learnt = torch.tensor(scores, requires_grad=True)
    assert cw.compare(truth, learnt, other, measure="auc", test="delong", rng=1).signature == here.signature
    narrow = torch.tensor(scores).to(torch.bfloat16)  # numpy has no such type; a float holds every such number
    wide = cw.compare(truth, narrow.float().numpy(), other, measure="auc", test="delong", rng=1)
    assert cw.compare(truth, narrow, other, measure="auc", test="delong", rng=1).signature == wide.signature


def test_arrays_of_the_processor_stay_as_they_are():
    for values in ([0, 1], np.arange(3), None):
        assert devices.on_host(values) is values


@pytest.mark.parametrize("name", ["gpu", "cuda:", "CUDA", 0, None, "numpy:cuda"])
def test_unknown_devices_are_refused(name):
    with pytest.raises(cw.errors.OptionError, match='Next: device="cuda"'):
        cw.compare([0, 1] * 9, [0, 1] * 9, [1, 0] * 9, test="bootstrap", device=name)


@pytest.mark.skipif(bool(INSTALLED), reason="CuPy or torch is installed")
def test_without_a_library_its_name_is_the_next_thing_to_type():
    with pytest.raises(cw.errors.OptionError, match="neither CuPy nor torch is installed"):
        devices.device("cuda")


@pytest.mark.parametrize("name", ["numpy", *(["torch:cpu"] if "torch" in INSTALLED else [])])
def test_the_same_key_gives_the_same_numbers(name):
    place = devices.device(name)
    first, again, other = (place.fetch(place.uniform(key, (2, 500))) for key in (7, 7, 8))
    assert (first == again).all()
    assert (first != other).any()
    assert 0.0 <= first.min() < 0.02 < 0.98 < first.max() < 1.0
