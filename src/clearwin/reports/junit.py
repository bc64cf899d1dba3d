"""A gate as JUnit XML, which every continuous-integration service shows: one test case for each check."""

from __future__ import annotations

from xml.etree import ElementTree

from clearwin.results.gate import Gate
from clearwin.text import printable
from clearwin.words.gate import GateWords


def junit_xml(result: Gate, undecided: str = "3") -> str:
    """Return the checks as test cases with unique names.

    The text of a failure is the verdict, because some services show nothing else. An undecided check is skipped, or a
    failure if ``undecided`` is "fail".
    """
    failing = {"fail"} | ({"undecided"} if undecided == "fail" else set())
    cases = result.checks
    suite = ElementTree.Element(
        "testsuite",
        name="clearwin gate",
        tests=str(len(cases)),
        failures=str(sum(check.outcome in failing for check in cases)),
        skipped=str(sum(check.outcome not in {"pass", *failing} for check in cases)),
        errors="0",
    )
    for check in cases:
        case = ElementTree.SubElement(
            suite, "testcase", classname="clearwin.gate", name=printable(check.name), time="0"
        )
        text = printable(GateWords(result).check_sentence(check))
        if check.outcome in failing:
            ElementTree.SubElement(case, "failure", message=text).text = f"{text}\n\n{printable(result.verdict())}"
        elif check.outcome != "pass":
            ElementTree.SubElement(case, "skipped", message=text)
        ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
