"""The bootstrap percentile test: draw test sets like this one, and see how often B wins."""

from __future__ import annotations

from typing import Any

from clearwin.data.questions import Question
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import DRAWN
from clearwin.resampling.bootstrap import confidence, confidence_in_a, draw, interval_of
from clearwin.results.base import Distribution
from clearwin.significance.base import Finding, test
from clearwin.significance.caveats import of_replicates


@test(
    label="bootstrap percentile test",
    question="Is the difference 0 in the population that the items come from?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the items were drawn from",
    judges=("items", "classes", "none"),
    methods=("multinomial",),
    intervals=DRAWN,
    formula="p = 2 min(#{d* ≤ 0} + 1, #{d* ≥ 0} + 1)/(B + 1); confidence (13) = #{B better in d*}/#{d* not 0/0}",
    one_sided="p = (#{g* ≤ 0} + 1)/(B + 1), g* = d* with the sign for which above 0 favours the claim; confidence (13) "
    "= #{B better in d*}/#{d* not 0/0}",
    source="keller2004 section 4, (12) to (14); Efron and Tibshirani 1993",
    assumes="independent items, enough of them to stand for the population",
    draws="replicates",
    takes=("decisions", "label sets", "sums", "scores", "losses", "values"),
    whole_units=("decisions", "label sets", "sums", "scores", "losses", "values"),
    draws_test_sets=True,
    takes_bins=True,
)
def bootstrap(question: Question[Any]) -> Finding:
    """Test the difference by the bootstrap, with percentile, centred, basic, BCa or studentised intervals.

    Null hypothesis: the difference is 0 in the population that the items come from; models with equal F1 but unequal
    precision and recall satisfy it.

    keller2004 (13) reports the fraction of replicates in which B is better: that is ``confidence``, of the replicates
    in which the measure is not 0/0 for either model (of an average over classes: of all). The p-value counts replicates
    at 0 on both sides, adds 1 and doubles, so that p ≤ alpha exactly when the (1 − alpha) percentile interval leaves
    out 0. ``interval="centred"`` is (14) and Figure 1: symmetric about the replicates' mean.

    For per-item values and losses, whole units (items, or groups of them) are drawn, stratum by stratum. Their means
    and sums can have ``interval="studentised"``: t* = (d* − d)/se* with the standard error of every replicate.

    With n units on which the models differ, p is never below 2 · (1/2)^n, the smallest p-value that swapping them could
    give. Otherwise a handful of units that all favour one model would make every replicate agree.

    >>> import clearwin as cw
    >>> joint = cw.JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
    >>> r = cw.compare(joint, measure="f1", test="bootstrap", rng=1)
    >>> print(f"{r.difference:+.4f}, confidence {r.confidence:.3f}, p = {r.p_value:.3f}")
    +0.0770, confidence 0.973, p = 0.054
    """
    drawn = draw(question)
    gains = question.measure.sign * drawn.differences
    n_differing_units = question.sample.n_differing_units(question.measure)
    p = pvalues.no_less_than_coins(pvalues.of_bootstrap(gains, question.claim), n_differing_units, question.claim)
    interval = interval_of(question, drawn)
    return Finding(
        "multinomial",
        question.difference,
        p,
        interval,
        confidence=confidence(question, drawn),
        confidence_in_a=confidence_in_a(question, drawn),
        distribution=Distribution("bootstrap", drawn.differences),
        undefined_replicates=drawn.undefined,
        caveats=of_replicates(question, drawn, interval),
    )
