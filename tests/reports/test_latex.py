"""Tables in LaTeX: as many cells as columns in every row, nothing live in a name, numbers as the summary has them."""

import re

import clearwin as cw
from clearwin.reports.latex import ESCAPES, text
from tests.reports.pages import every_kind

UNESCAPED = re.compile(r"(?<!\\)[&%#_]")


def rows_of(page):
    body = page.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    return [line for line in body.splitlines() if line.endswith(r"\\")]


@every_kind
def test_every_kind_has_a_table_with_even_rows(results, kind):
    page = results[kind].to_latex()
    columns = len(re.search(r"\\begin\{tabular\}\{(l?r*)\}", page)[1])
    for row in rows_of(page):
        assert len(re.findall(r"(?<!\\)&", row)) == columns - 1
        assert not UNESCAPED.search(re.sub(r"(?<!\\)&", "", row))
    assert page.count("{") - page.count(r"\{") == page.count("}") - page.count(r"\}")
    assert [page.count(rf"\{end}{{table}}") for end in ("begin", "end")] == [1, 1]


def test_no_name_is_a_command(hostile_results):
    for _, _, result in hostile_results:
        for line in result.to_latex().splitlines():
            commands = set(re.findall(r"(?<!\\)\\([a-zA-Z]+)", line))
            known = {*re.findall(r"\\([a-zA-Z]+)", "".join(ESCAPES.values())), "begin", "end", "centering", "caption"}
            assert commands <= known | {"toprule", "midrule", "bottomrule", "usepackage"}, line


def test_every_special_sign_is_escaped():
    assert text("\\{}~^&%$#_<>") == "".join(ESCAPES[sign] for sign in "\\{}~^&%$#_<>")
    assert text("-0.5 to +1, a-b, 2-1") == "$-$0.5 to +1, a-b, 2-1"


def test_the_numbers_are_those_of_the_record():
    joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    _, first, second = rows_of(cw.compare(joint, measure="accuracy", test="mcnemar", names=("a_1", "b&c")).to_latex())
    assert first.startswith(rf"a\_1 & {75 / 161:.3f} &")
    assert second == rf"b\&c & {65 / 161:.3f} & $-${10 / 161:.3f} & $-$0.124 to $-$0.005 & 0.0347 \\"
