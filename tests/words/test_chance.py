"""A classifier against chance in words: what was counted, and what cannot be said."""

import clearwin as cw


def test_the_headline_counts_the_right_ones_and_what_chance_gets():
    found = cw.against_chance([[9, 7, 3], [15, 17, 13], [3, 7, 28]], method="chi2", name="svm")
    headline = found.summary().headline
    assert headline.startswith("svm is better than chance: 54 of 102 right (52.9 %)")
    assert f"{100 * found.expected_efficiency:.1f} %" in headline
    assert found.null_hypothesis in found.verdict()


def test_what_was_not_shown_is_never_called_chance():
    told = cw.against_chance([[5, 5], [5, 5]], method="exact").summary().headline
    assert "No clear evidence that the classifier is better than chance" in told


def test_an_undefined_recall_and_kappa_are_told_as_such():
    absent = str(cw.against_chance([[8, 2, 0], [3, 9, 1], [0, 0, 0]], method="chi2"))
    assert "undefined: the class never occurs" in absent
