"""Tables in LaTeX: as many cells as columns in every row, nothing live in a name, numbers as the summary has them."""

import re
import shutil
import subprocess

import pytest

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
            assert commands <= known | {
                "toprule",
                "midrule",
                "bottomrule",
                "usepackage",
                "footnotesize",
                "setlength",
                "tabcolsep",
            }, line


def test_every_special_sign_is_escaped():
    assert text("\\{}~^&%$#_<>") == "".join(ESCAPES[sign] for sign in "\\{}~^&%$#_<>")
    assert text("-0.5 to +1, a-b, 2-1") == "$-$0.5 to +1, a-b, 2-1"


def test_the_numbers_are_those_of_the_record():
    joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    _, first, second = rows_of(cw.compare(joint, measure="accuracy", test="mcnemar", names=("a_1", "b&c")).to_latex())
    assert first.startswith(rf"a\_1 & {75 / 161:.3f} &")
    assert second == rf"b\&c & {65 / 161:.3f} & $-${10 / 161:.3f} & $-$0.124 to $-$0.005 & 0.0347 \\"


def test_a_small_p_value_is_a_power_of_ten_and_a_name_is_not():
    assert text("p = 2.70e-05, seed 1") == r"p = $2.70 \cdot 10^{-5}$, seed 1"
    assert text("1.00e-12") == r"$1.00 \cdot 10^{-12}$"
    assert text("p ≤ 1e-05") == r"p $\leq$ $1 \cdot 10^{-5}$"
    assert text("lr=3e-5") == "lr=3e-5"


def test_letters_that_pdflatex_lacks_are_named():
    joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    page = cw.compare(joint, measure="accuracy", test="mcnemar", names=("模型", "é")).to_latex()
    assert page.splitlines()[1].endswith("these letters: 型 模")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_pdflatex_compiles_every_kind(results, tmp_path):
    """One document with the table of every kind, and one with names made of special signs."""
    joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    names = ("a_1 & 50 % #2", r"{x}$~^\y <é> “q” ²")
    pages = [result.to_latex() for result in results.values()]
    pages.append(cw.compare(joint, measure="accuracy", test="mcnemar", names=names).to_latex())
    body = "\n\\clearpage\n".join(pages)
    document = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="latin-1", check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    too_wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", run.stdout)]
    assert max(too_wide, default=0.0) < 60.0, run.stdout
