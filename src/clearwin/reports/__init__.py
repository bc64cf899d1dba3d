"""Words and pictures → HTML, Markdown, LaTeX, CSV, and the terminal."""

from clearwin.reports.csv import csv_table
from clearwin.reports.html import as_fragment, as_html, as_markdown
from clearwin.reports.latex import as_latex

__all__ = ["as_fragment", "as_html", "as_latex", "as_markdown", "csv_table"]
