"""Pictures of studies: they hold the rows with their errors, and lines differ without colour."""

import numpy as np

import clearwin as cw
from clearwin.plots import pictures
from tests.simulation.asked import FEW


def test_colours_go_with_tests_in_every_picture():
    rng = np.random.default_rng(2)
    truth = rng.random((300, 4)) < 0.4
    a, b = (truth ^ (rng.random((300, 4)) < rate) for rate in (0.1, 0.05))
    s = cw.study(
        truth,
        a,
        b,
        measure="macro_f1",
        tests=["permutation", "bootstrap"],
        category_sets={"Y": [2, 3], "X": [0, 1]},
        **{**FEW, "sizes": [50, 100]},
    )
    colours = {}
    for kind in ("power", "calibration", "coverage"):
        ax = s.plot(kind=kind)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        colours[kind] = {label: line.lines[0].get_color() for label, line in zip(labels, ax.containers, strict=False)}
        assert ("as stated" in labels) == (kind == "coverage")
    assert list(colours["power"]) == ["permutation, Y", "bootstrap, Y", "permutation, X", "bootstrap, X"]
    assert colours["calibration"] == colours["power"]
    assert colours["coverage"] == colours["power"]
    assert "need not be as large" in next(p.alt for p in pictures(s) if p.name == "calibration")
