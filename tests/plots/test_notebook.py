"""What plot() returns shows itself in a notebook."""

import struct

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import clearwin as cw
from tests.one_of_each import MAKERS


@pytest.mark.parametrize("name", sorted(set(MAKERS) - {"experiment", "study"}))
def test_axes_show_their_figure(name):
    """IPython asks the last value of a cell for _repr_png_, which returns bytes, or bytes and how to show them."""
    ax = MAKERS[name]().plot()
    assert isinstance(ax, Axes)
    png, shown = ax._repr_png_()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width > 1.9 * shown["width"]
    assert shown["width"] / shown["height"] == pytest.approx(width / height, abs=0.02)


def test_axes_that_were_given_stay_what_they_are():
    ax = Figure().add_subplot()
    assert cw.compare([1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 0], measure="f1").plot(ax) is ax
