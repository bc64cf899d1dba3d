"""What is to be shown of B, in words: a claim has a side, which its p-value, null hypothesis and formula share."""

from __future__ import annotations

from clearwin.numerics.pvalues import Claim


def with_side(null_hypothesis: str, claim: Claim, name_b: str) -> str:
    """Return the null hypothesis, and for a one-sided claim what counts against it.

    >>> with_side("A and B have the same F1", "better", "B")
    'A and B have the same F1; the claim is that B is better, so only what speaks for that counts'
    """
    if claim == "different":
        return null_hypothesis
    return f"{null_hypothesis}; the claim is that {name_b} is {claim}, so only what speaks for that counts"
