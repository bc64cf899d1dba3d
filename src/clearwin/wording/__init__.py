"""Results in words: verdicts and tables."""
