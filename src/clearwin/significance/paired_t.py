"""The paired t test: is the mean difference large against its standard error?"""

from __future__ import annotations

from clearwin.data.questions import Question
from clearwin.data.values import ValueSample
from clearwin.errors import NotApplicableError
from clearwin.numerics import pvalues
from clearwin.numerics.intervals import student
from clearwin.resampling.of_values import robust_error
from clearwin.significance.base import Finding, instead, test
from clearwin.text import counted, degrees_of_freedom


@test(
    label="paired t test",
    question="Is the mean difference of the items' values 0 in the population that they come from?",
    null_hypothesis="{a} and {b} have the same {measure} in the population that the items were drawn from",
    judges=("items",),
    methods=("student",),
    intervals=("t",),
    formula="t = d̄/se on G* − 1 degrees of freedom, G* = N²/Σ n_g² (strata: Σ (G*_h − 1)); by groups d̄ = Σ s_g/N, "
    "se² = (G − 1)/G · Σ ((s_g − n_g·d̄)/(N − n_g))², in each stratum about its own mean",
    source="Student 1908; by groups the jackknife form: Bell and McCaffrey 2002; degrees: Carter et al. 2017",
    assumes="independent items (or groups), differences not far from normal or many of them",
    takes=("losses", "values"),
    whole_units=("losses", "values"),
)
def paired_t(question: Question[ValueSample]) -> Finding:
    """Return the paired t test of a mean or a sum of per-item values; by groups in its cluster-robust form.

    Question: is the mean difference 0 in the population that the items, or groups of items, come from?

    Null hypothesis: both models have the same mean there.

    Formula: t = d̄/se. A unit is an item, or a group of n_g items whose differences add up to s_g: d̄ = Σ s_g/N and
    se² = (G − 1)/G · Σ ((s_g − n_g·d̄)/(N − n_g))², the jackknife's, within every stratum about its own mean. There are
    G* − 1 degrees of freedom with G* = N²/Σ n_g², the effective number of groups (with strata the sum of G*_h − 1).
    With groups of one size se is the usual cluster-robust one and G* = G; with one item to a group it is s/√n.

    Without G* and the jackknife's form one large group among many makes the test reject true null hypotheses most of
    the time (`make study` prints how often, seed 69).

    Source: Student 1908; Bell and McCaffrey 2002; Carter, Schnepel and Steigerwald 2017.

    Do not use it for a handful of units with extreme values; permutation needs no normal distribution.

    The data are Student's own (1908): hours of sleep gained by ten patients with two drugs; he gives t = 4.06.

    >>> import clearwin as cw
    >>> dextro = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    >>> laevo = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    >>> r = cw.compare(None, dextro, laevo, measure="mean", test="paired_t")
    >>> print(f"t = {r.statistic:.2f}, p = {r.p_value:.6f}, {r.interval.low:.4f} to {r.interval.high:.4f}")
    t = 4.06, p = 0.002833, 0.7001 to 2.4599
    """
    units, difference = question.sample.units, question.difference
    error, degrees = robust_error(question)
    if error == 0.0 and units.differences.any():
        each = difference / question.sample.factor(question.measure)
        raise NotApplicableError(
            f"Every item or group has the same difference, {each:g}, so t would be infinite.",
            "differences that vary",
            instead(question, "permutation"),
        )
    t = 0.0 if error == 0.0 else difference / error
    p = pvalues.of_student(question.measure.sign * t, degrees, question.claim) if error else pvalues.from_log(0.0)
    why = f"{counted(units.counts.size, question.sample.noun)}, {degrees_of_freedom(degrees)}"
    return Finding("student", t, p, student(difference, error, degrees, question.coverage), why)
