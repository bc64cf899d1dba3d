"""A result as a table in LaTeX: rules by booktabs, every name escaped, the sentence for a paper as its caption."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clearwin.text import one_line
from clearwin.words import words_about
from clearwin.words.summary import WARNING

if TYPE_CHECKING:
    from clearwin.results.base import Result

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
    # Characters that the usual fonts of pdflatex lack.
    "−": "$-$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "·": r"$\cdot$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "∞": r"$\infty$",
    "–": "--",
    "“": "``",
    "”": "''",
}
SIGNS = re.compile("|".join(map(re.escape, ESCAPES)))
# a p-value such as 2.70e-05 after its sign (=, ≤ and < are escaped by then) or alone in a cell; not one inside a name
POWER = re.compile(r"(?:(?<=[=$}] )|^)(\d\.?\d*)e-0*(\d+)(?=[,;)]|$)")
NEGATIVE = re.compile(r"(?<![\w.-])-(?=\d)")
LAST_LATIN = 0x17F  # pdflatex prints letters up to here without more packages
WIDE = 5  # a table with more columns is set in a smaller size
UNICODE = "% compile with lualatex and a font that has these letters: "


def text(words: str) -> str:
    r"""Return a text in which nothing is a command.

    >>> print(text(r"50 % of a_b \input{x} & -0.5, p = 2.70e-05"))
    50 \% of a\_b \textbackslash{}input\{x\} \& $-$0.5, p = $2.70 \cdot 10^{-5}$
    """
    escaped = SIGNS.sub(lambda sign: ESCAPES[sign[0]], NEGATIVE.sub("−", one_line(words)))
    return POWER.sub(r"$\1 \\cdot 10^{-\2}$", escaped)


def as_latex(result: Result, *, margin: float | None = None) -> str:
    r"""Return the table with its caption; it needs ``\usepackage{booktabs}``.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=59, e2=6, e3=16, e4=80, e5=0, e6=0, e7=0, e8=0)
    >>> r = cw.compare(joint, measure="accuracy", test="mcnemar", names=("svm", "rbf"))
    >>> print("\n".join(r.to_latex().splitlines()[4:11]))
    \begin{tabular}{lrrrr}
    \toprule
    model & accuracy & difference & 95 \% interval & p \\
    \midrule
    svm & 0.466 &  &  &  \\
    rbf & 0.404 & $-$0.062 & $-$0.124 to $-$0.005 & 0.0347 \\
    \bottomrule
    """
    words = words_about(result, margin)
    table, caption = words.table(), text(words.sentence("paper"))
    body = [_row(table.titles), r"\midrule", *map(_row, table.rows)]
    foreign = sorted({letter for letter in "".join([caption, *body]) if ord(letter) > LAST_LATIN})
    lines = [
        *(f"% {WARNING}{one_line(warning)}" for warning in words.summary().warnings),
        "% \\usepackage{booktabs}",
        *([UNICODE + " ".join(foreign)] if foreign else []),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        *([r"\footnotesize\setlength{\tabcolsep}{4pt}"] if len(table.head) > WIDE else []),
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: tuple[str, ...]) -> str:
    return rf"{' & '.join(map(text, cells))} \\"
