"""What the words about all kinds of results share: a closed set for verdicts, claims, levels.

"Not shown to be different", never "equal"; never "the probability that B is better". Every verdict names the null
hypothesis that was tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearwin.errors import OptionError, setting
from clearwin.numerics.pvalues import Claim
from clearwin.results.base import Result, Signature
from clearwin.wording.base import FactRows

if TYPE_CHECKING:
    from clearwin.results.study import StudySignature

# claim → (shown, not shown); {b} and {a} are the models
WORDS = {
    "different": ("is {direction} than", "is not shown to be different from"),
    "better": ("is better than", "is not shown to be better than"),
    "worse": ("is worse than", "is not shown to be worse than"),
}
# of tests that do not look at the measure: who wins more items, whose gains have the higher ranks
OTHER_WORDS = {
    "wins": {
        "different": ("wins {more} items than", "is not shown to win more or fewer items than"),
        "better": ("wins more items than", "is not shown to win more items than"),
        "worse": ("wins fewer items than", "is not shown to win fewer items than"),
    },
    "ranks": {
        "different": ("tends to be {direction} than", "is not shown to tend to be better or worse than"),
        "better": ("tends to be better than", "is not shown to tend to be better than"),
        "worse": ("tends to be worse than", "is not shown to tend to be worse than"),
    },
}
USUAL_LEVEL = 0.05  # of a verdict; any other is told


def check_alpha(alpha: float) -> None:
    """Raise unless it can be the level of a verdict."""
    if not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise OptionError(f"alpha is {alpha!r}.", "a number between 0 and 1, both excluded", setting("alpha", 0.05))


def level_of(result: Result, alpha: float | None) -> float:
    """Return the level to judge a result at: the one asked for, or the usual one; some results have had theirs."""
    own: float | None = getattr(result, "alpha", None)
    if own is None or alpha is not None:
        check_alpha(USUAL_LEVEL if alpha is None else alpha)
    if own is not None and alpha not in (None, own):
        raise OptionError(
            f"alpha is {alpha!r}, and this {type(result).__name__} has been judged at {own:g}.",
            "that level, or none",
            "give " + setting("alpha", alpha) + " to the call that makes it",
        )
    return own if own is not None else USUAL_LEVEL if alpha is None else alpha


def judged_at(alpha: float) -> str:
    """Say the level of a verdict, to go on with after its p-value, unless it is the usual one.

    >>> judged_at(0.01), judged_at(0.05)
    (', judged at 0.01', '')
    """
    return "" if alpha == USUAL_LEVEL else f", judged at {alpha:g}"


def level_row(alpha: float) -> FactRows:
    """Return the row that has the level of a verdict, unless it is the usual one."""
    return () if alpha == USUAL_LEVEL else (("level of the verdict", f"{alpha:g}"),)


def one_sided_row(claim: Claim, name_a: str, name_b: str) -> FactRows:
    """Say what was claimed where that is not the usual "different".

    >>> one_sided_row("better", "svm", "rbf"), one_sided_row("different", "svm", "rbf")
    ((('claim', 'better, one-sided: that rbf is better than svm'),), ())
    """
    if claim == "different":
        return ()
    return (("claim", f"{claim}, one-sided: that {name_b} is {claim} than {name_a}"),)


def repeat_row(signature: Signature | StudySignature, *, drawn: bool = True) -> tuple[str, str]:
    """Say what gives the same numbers again; the seed only where something was drawn."""
    return ("repeat with", (f"seed {signature.seed}, " if drawn else "") + f"clearwin {signature.version}")


def direction(higher_is_better: bool) -> str:
    """Say which way is better."""
    return "higher is better" if higher_is_better else "lower is better"


def gain(difference: float, higher_is_better: bool) -> float:
    """Return how much better the second of two is."""
    return difference if higher_is_better else -difference


def verdict_words(judged: str, claim: Claim, significant: bool, lead: float) -> str:
    """Say what was shown of B: who is better, who wins more items, or whose gains have the higher ranks."""
    shown, not_shown = OTHER_WORDS.get(judged, WORDS)[claim]
    if not significant or lead == 0.0:
        return not_shown
    return shown.format(direction="better" if lead > 0 else "worse", more="more" if lead > 0 else "fewer")
