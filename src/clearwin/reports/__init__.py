"""Words and pictures → HTML, Markdown, CSV, and the terminal."""

from clearwin.reports.csv import csv_table
from clearwin.reports.html import as_fragment, as_html, as_markdown

__all__ = ["as_fragment", "as_html", "as_markdown", "csv_table"]
