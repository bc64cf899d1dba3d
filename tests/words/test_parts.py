"""Every class and every slice in words: each row counted here by hand, and where B is better or worse."""

from dataclasses import replace

import numpy as np
import pytest

import clearwin as cw
from clearwin.words.parts import shown_in_parts, table_of_parts
from tests.one_of_each import per_class
from tests.two_models import two


def test_a_row_has_the_values_in_its_slice():
    y, a, b = map(np.asarray, two(300))
    by = np.array(["x", "y", "z"])[np.arange(300) % 3]
    found = cw.compare(y, a, b, measure="accuracy", by=by, rng=1)
    table = table_of_parts(found, found.slices, "slice", "holm")
    assert table.head == ("slice", "items", "A", "B", "difference", "95 % interval", "p", "p, holm")
    for row in table.rows:
        here = by == row[0]
        right_a, right_b = (a[here] == y[here]).mean(), (b[here] == y[here]).mean()
        assert row[1:4] == ("100", f"{right_a:.3f}", f"{right_b:.3f}")
        assert float(row[4]) == pytest.approx(right_b - right_a, abs=5e-4)


@pytest.mark.parametrize(
    ("decisions", "words"),
    [
        (("better", "worse", "not shown"), "new is better than old in class old and worse than old in class new"),
        (("better", "better", "equivalent"), "new is better than old in classes old, new and equivalent to old in"),
        (("not shown",) * 3, "No clear evidence that new differs from old in any class"),
    ],
)
def test_parts_are_named_by_what_is_shown(decisions, words):
    found = per_class()
    parts = [replace(part, decision=shown) for part, shown in zip(found.classes, decisions, strict=True)]
    assert [part.label for part in parts] == ["new", "old", "third"]
    parts[:2] = parts[1::-1]
    parts = [replace(part, decision=shown) for part, shown in zip(parts, decisions, strict=True)]
    assert shown_in_parts(found, parts, "class").startswith(words)
