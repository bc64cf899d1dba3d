"""Every class in words: the p-values of the sentence are those of the record."""

from tests.one_of_each import per_class


def test_classes_have_their_corrected_p_values():
    found = per_class()
    shown = [one for one in found.classes if one.decision != "not shown"]
    told = found.verdict(style="paper")
    assert f"for {len(shown)} of 3 classes" in told
    assert all(f"corrected p = {one.adjusted_p:#.3g}" in told for one in shown)
