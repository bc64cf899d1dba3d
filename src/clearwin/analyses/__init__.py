"""One verb per file."""
