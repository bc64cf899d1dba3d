"""Detection cost and half total error rate: written out in fractions, and costs that cannot be any."""

from fractions import Fraction

import pytest

from clearwin.counts import ConfusionMatrix
from clearwin.errors import OptionError
from clearwin.measures import find

COUNTS = ConfusionMatrix.of_two_classes(tp=37, fn=13, fp=4, tn=196)
MISSED, FALSE_ALARMS = Fraction(13, 50), Fraction(4, 200)


@pytest.mark.parametrize(("cost_fn", "cost_fp", "prior"), [(10, 1, "0.01"), (1, 1, "0.5"), (0, 3, "0.2"), (5, 0, "1")])
def test_dcf_is_keller2004_7(cost_fn, cost_fp, prior):
    share = Fraction(prior)
    by_hand = cost_fn * share * MISSED + cost_fp * (1 - share) * FALSE_ALARMS
    found = find(f"dcf(cost_fn={cost_fn}, cost_fp={cost_fp}, prior={prior})").evaluate(COUNTS)
    assert found.values == pytest.approx(float(by_hand), rel=1e-15)


def test_hter_is_the_mean_of_both_error_rates():
    assert find("hter").evaluate(COUNTS).values == pytest.approx(float((MISSED + FALSE_ALARMS) / 2), rel=1e-15)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [("cost_fn=-1", "cost_fn is -1"), ("cost_fn=0, cost_fp=0", "both costs are 0"), ("prior=1.5", "prior is 1.5")],
)
def test_costs_that_cannot_be_any_are_refused(options, wrong):
    with pytest.raises(OptionError, match=wrong):
        find(f"dcf({options})")
