"""The record of a comparison carries its joint outcomes."""

from __future__ import annotations

from clearwin.plots import pictures
from tests.plots.made import CLASSES, GUESSES


def test_the_record_carries_the_joint_outcomes(made):
    joint = made["three classes"].joint
    assert joint.labels == ("0", "1", "2")
    for cells, guess in ((joint.confusion_a, GUESSES[0]), (joint.confusion_b, GUESSES[1])):
        for i in range(3):
            for j in range(3):
                assert cells[i][j] == ((i == CLASSES) & (guess == j)).sum()
    right_a, right_b = (guess == CLASSES for guess in GUESSES[:2])
    for i, one in enumerate(joint.classes):
        here = i == CLASSES
        assert one.both_right == (here & right_a & right_b).sum()
        assert one.only_a_wrong == (here & ~right_a & right_b).sum()
        assert one.only_b_wrong == (here & right_a & ~right_b).sum()
        assert one.both_wrong == (here & ~right_a & ~right_b).sum()
    found = made["three classes"].to_dict()["joint"]
    assert found["confusion_a"] == [list(row) for row in joint.confusion_a]
    assert made["estimate"].to_dict()["confusion"]["labels"] == ["0", "1"]
    # too many classes, and data without classes
    for key in ("classes of one item each", "scores", "values", "label sets", "whole label sets"):
        assert made[key].joint is None
    assert "mosaic" in [picture.name for picture in pictures(made["label sets"])]
    assert [picture.name for picture in pictures(made["scores"])] == ["null", "interval"]
