"""What all tables have in common."""

from clearwin.data.reading import Reading
from clearwin.reading.table import extra_columns


def test_columns_of_units_have_their_roles():
    assert extra_columns(Reading()) == {}
    assert extra_columns(Reading(groups="author"), "task") == {"group": "author", "slice": "task"}
    several = extra_columns(Reading(groups=["annotator", "document"], strata="year"))
    assert several == {"group": "annotator", "second group": "document", "stratum": "year"}
