"""Curves in words: the table of points, and where two curves cross."""

from __future__ import annotations

import clearwin as cw
from clearwin.curves.dominance import Dominance, Stretch
from clearwin.words.curves import dominance_words
from tests.two_scores import spaced


def test_the_table_in_words():
    text = spaced(cw.curve([1, 0, 1, 0], [0.9, 0.5, 0.4, 0.1], [0.9, 0.2, 0.8, 0.3], names=("old", "new"), rng=1))
    assert text.startswith("ROC curves of old and new, 4 items: 2 positive (1, inferred), 2 negative.")
    # by hand: old has one pair of four the wrong way round; between 0.9 and 0.4 one error of each kind meets
    for row in (
        "old new AUC 0.7500 1.0000",
        "average precision 0.8333 1.0000",
        "EER 0.5000 0.0000 95 % interval",
        "at threshold 0.5 0.8 lowest cost",
        "lowest cost 0.2500 0.0000 at threshold 0.9 0.8",
        "false negatives 1 (0.5000) 0 (0.0000) false positives 0 (0.0000) 0 (0.0000)",
        "break-even point 0.5000 1.0000",
        "recall at 1 % false positives 0.5000 1.0000",
        "new dominates: its ROC curve is nowhere below that of old.",
        "The smaller class has 2 items",
    ):
        assert row in text, row


def test_where_they_cross_in_words():
    same = dominance_words(Dominance("equal", (Stretch(0, 1, "equal"),)), "a", "b")
    assert same == "The two ROC curves are the same."
    three = tuple(Stretch(i / 4, (i + 1) / 4, "ab"[i % 2]) for i in range(4))
    assert dominance_words(Dominance("neither", three), "{}", "$") == (
        "The ROC curves cross 3 times, at false positive rates of 0.25, 0.5 and 0.75: {} lies above from 0 to 0.25, "
        "$ from 0.25 to 0.5, {} from 0.5 to 0.75, $ from 0.75 to 1."
    )
    many = tuple(Stretch(i / 20, (i + 1) / 20, "ab"[i % 2]) for i in range(20))
    words = dominance_words(Dominance("neither", many), "x", "y")
    assert "cross 19 times, at false positive rates between 0.05 and 0.95" in words
    assert words.endswith("in total x over 50.0 % and y over 50.0 % of the axis.")
    assert words.count(" from ") == 4
    tiny = (Stretch(0, 0.9, "a"), *(Stretch(0.9 + i / 1000, 0.901 + i / 1000, "ba"[i % 2]) for i in range(100)))
    words = dominance_words(Dominance("neither", tiny), "x", "y")
    assert "x lies above from 0 to 0.9, and in shorter stretches; in total x over 95.0 % and y over 5.0 %" in words
    words = dominance_words(Dominance("neither", tiny[1:]), "x", "y")
    assert words.endswith("in short stretches, in total x over 5.0 % and y over 5.0 % of the axis.")
