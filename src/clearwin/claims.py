"""What is to be shown of B, in words: a claim has a side, which its p-value, null hypothesis and formula share."""

from __future__ import annotations

from clearwin.result import Claim

Rows = tuple[tuple[str, str], ...]


def with_side(null_hypothesis: str, claim: Claim, name_b: str) -> str:
    """Return the null hypothesis, and for a one-sided claim what counts against it.

    >>> with_side("A and B have the same F1", "better", "B")
    'A and B have the same F1; the claim is that B is better, so only what speaks for that counts'
    """
    if claim == "different":
        return null_hypothesis
    return f"{null_hypothesis}; the claim is that {name_b} is {claim}, so only what speaks for that counts"


def claim_row(claim: Claim) -> tuple[str, str]:
    """Say of how many sides the p-value is."""
    if claim == "different":
        return ("claim", "different, two-sided: differences in either direction count")
    return ("claim", f"{claim}, one-sided: only differences in that direction count")


def one_sided_row(claim: Claim, name_a: str, name_b: str) -> Rows:
    """Say what was claimed where that is not the usual "different".

    >>> one_sided_row("better", "svm", "rbf"), one_sided_row("different", "svm", "rbf")
    ((('claim', 'better, one-sided: that rbf is better than svm'),), ())
    """
    if claim == "different":
        return ()
    return (("claim", f"{claim}, one-sided: that {name_b} is {claim} than {name_a}"),)
