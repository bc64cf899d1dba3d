"""Distributions, p-values, intervals, corrections, compiled loops: numbers in, numbers out."""
