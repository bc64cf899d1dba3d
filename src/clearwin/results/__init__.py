"""Frozen records: every reader starts here."""
