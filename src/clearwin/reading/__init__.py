"""Whatever holds answers → a table → a sample: verbs ask a table, and never learn who made it."""
