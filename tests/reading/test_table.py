"""What all tables have in common."""

from clearwin.reading.table import extra_columns


def test_columns_of_units_have_their_roles():
    assert extra_columns(None, None) == {}
    assert extra_columns("author", None, "task") == {"group": "author", "slice": "task"}
    several = extra_columns(["annotator", "document"], "year")
    assert several == {"group": "annotator", "second group": "document", "stratum": "year"}
