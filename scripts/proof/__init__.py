"""Attacks on clearwin that every change has to meet: each is `python -m proof.<name>` and writes down what it found.

An attack is bounded (`--seconds`, `--count`), has a seed (`--seed`), and leaves its figures in
`docs/reliability/<name>.json` by `record.py`, the only place that knows how they are kept.
"""
