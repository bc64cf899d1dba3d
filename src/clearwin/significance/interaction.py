"""Does the difference vary between slices of a test set? Welch's test of several means with unequal variances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from clearwin.data.questions import Question
from clearwin.errors import NotApplicableError
from clearwin.numerics.pvalues import of_f
from clearwin.results.comparison import Interaction
from clearwin.significance.studentised import p_value_function


def interaction(questions: Iterable[Question[Any]]) -> Interaction | None:
    """Test whether two models differ by the same amount in every slice; None if fewer than two slices vary.

    Null hypothesis: the difference d = b − a is the same in all slices, whatever it is. Each slice has its difference,
    standard error and degrees of freedom from the studentised test. With weights w = 1/se² and their mean difference m,

        F = Σ w (d − m)²/(k − 1) / (1 + 2 (k − 2)/(k² − 1) · Σ (1 − w/Σw)²/f)

    is compared with the F distribution with k − 1 and (k² − 1)/(3 Σ (1 − w/Σw)²/f) degrees of freedom.

    Source: Welch, Biometrika 38 (1951).
    """
    found = []
    for question in questions:
        try:
            found.append(p_value_function(question))
        except NotApplicableError:  # nothing varies in this slice
            continue
    k = len(found)
    if k < 2:
        return None
    differences = np.array([one.observed for one in found])
    weights = np.array([one.error for one in found]) ** -2.0
    degrees = np.array([one.degrees for one in found])
    shares = weights / weights.sum()
    lost = float(((1.0 - shares) ** 2 / degrees).sum())
    apart = differences - float(shares @ differences)
    statistic = float(weights @ apart**2) / (k - 1) / (1.0 + 2.0 * (k - 2) / (k * k - 1) * lost)
    below = (k * k - 1) / (3.0 * lost)
    p = of_f(statistic, k - 1, below)
    return Interaction(k, statistic, (float(k - 1), below), p.value, p.log10)
