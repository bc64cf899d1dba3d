"""A gate as JUnit XML: one case for each check, counted as those who read it count."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from clearwin.reports.junit import junit_xml
from tests.one_of_each import gate


@pytest.mark.parametrize("undecided", ["3", "fail"])
def test_what_is_undecided_is_skipped_or_a_failure(undecided: str) -> None:
    found = gate()
    checks = [replace(one, outcome="undecided", identical=False) for one in found.checks]
    suite = ElementTree.fromstring(junit_xml(replace(found, checks=tuple(checks)), undecided))
    counted = (suite.get("tests"), suite.get("failures"), suite.get("skipped"))
    assert counted == (("2", "2", "0") if undecided == "fail" else ("2", "0", "2"))
    assert len(list(suite.iter("failure"))) == int(suite.get("failures") or 0)


def test_names_that_cannot_be_seen_or_are_markup_do_no_harm() -> None:
    names = ("<b>&\x00", "]]>\u202e")
    text = junit_xml(gate(names=names))
    suite = ElementTree.fromstring(text)
    assert len(list(suite.iter("testcase"))) == 2
    assert "\u202e" not in text
