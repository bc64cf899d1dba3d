"""Words and pictures as terminal text, HTML, Markdown and CSV."""
