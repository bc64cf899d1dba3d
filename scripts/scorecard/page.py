"""From the data file to docs/scorecard.md."""
from __future__ import annotations
from scorecard.rows import DOCS, Section
PAGE = DOCS / "scorecard.md"
def text(sections: dict[str, Section]) -> str:
    """Return the page."""
    return ""
