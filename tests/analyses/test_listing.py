"""Lists of measures and tests print as tables."""

import clearwin as cw


def test_lists_print_as_tables():
    text = repr(cw.list_measures())
    assert text.splitlines()[0].split() == ["measure", "label", "takes", "better", "sum", "over"]
    assert len(text.splitlines()) == len(cw.list_measures()) + 1
    assert "corrected_t" in repr(cw.list_tests("folds"))
    assert "corrected_t" not in repr(cw.list_tests())
