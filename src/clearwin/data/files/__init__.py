"""Prediction files: where they are, how each format is read, and which columns are wanted."""
