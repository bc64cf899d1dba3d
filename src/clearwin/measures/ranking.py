"""Measures of how scores rank the items: AUC, partial AUC, average precision, EER, minimum DCF, break-even point."""

from __future__ import annotations

from clearwin.errors import OptionError
from clearwin.measures.base import rank_measure
from clearwin.measures.detection_cost import check_costs

ONE_CLASS = "a class has no item"


@rank_measure(
    label="AUC",
    scan="AUC",
    is_area=True,
    whole_ranking=True,
    formula="P(score of a positive > of a negative) + P(equal)/2",
    source="lecture-measures, ROC curves; Mann and Whitney 1947",
    undefined_when=ONE_CLASS,
)
def auc() -> tuple[float, ...]:
    """Area under the ROC curve, ties by midrank."""
    return ()


def _check_max_fpr(max_fpr: float) -> None:
    if not 0 < max_fpr <= 1:
        raise OptionError(
            f"partial_auc: max_fpr is {max_fpr!r}.", "a rate above 0 and at most 1", "partial_auc(max_fpr=0.1)"
        )


@rank_measure(
    label="partial AUC",
    scan="PARTIAL_AUC",
    formula="(1 + (A − least)/(most − least))/2, A = area for fpr ≤ max_fpr",
    source="McClish 1989, as in scikit-learn's roc_auc_score",
    undefined_when=ONE_CLASS,
    check=_check_max_fpr,
)
def partial_auc(*, max_fpr: float = 0.1) -> tuple[float, ...]:
    """Area under the ROC curve up to a false positive rate, standardised: chance is 1/2."""
    return (max_fpr,)


@rank_measure(
    label="average precision",
    scan="AVERAGE_PRECISION",
    mean_over_positives=True,
    whole_ranking=True,
    formula="Σ (recall_i − recall_{i−1}) · precision_i",
    source="as in scikit-learn's average_precision_score",
    undefined_when=ONE_CLASS,
    aliases=("auprc",),
)
def average_precision() -> tuple[float, ...]:
    """Mean precision over the thresholds at which recall grows; no interpolation."""
    return ()


@rank_measure(
    label="EER",
    scan="EER",
    at_one_threshold=True,
    higher_is_better=False,
    formula="false acceptance where it equals false rejection",
    source="the ROC polyline, straight across ties, on fpr = 1 − tpr",
    undefined_when=ONE_CLASS,
)
def eer() -> tuple[float, ...]:
    """Equal error rate, at a threshold chosen afresh in every replicate."""
    return ()


@rank_measure(
    label="minimum DCF",
    scan="MIN_DCF",
    at_one_threshold=True,
    higher_is_better=False,
    formula="min over thresholds of cost_fn · prior · fnr + cost_fp · (1 − prior) · fpr",
    source="keller2004 (7) at the best threshold",
    undefined_when=ONE_CLASS,
    check=check_costs,
    range=lambda cost_fn, cost_fp, prior: (0.0, min(cost_fn * prior, cost_fp * (1 - prior))),
)
def min_dcf(*, cost_fn: float = 1.0, cost_fp: float = 1.0, prior: float = 0.5) -> tuple[float, ...]:
    """Detection cost at the threshold that makes it lowest, chosen afresh in every replicate."""
    return cost_fn * prior, cost_fp * (1 - prior)


@rank_measure(
    label="break-even point",
    scan="BREAK_EVEN",
    at_one_threshold=True,
    formula="precision where it equals recall",
    source="lecture-measures, Precision vs. Recall",
    undefined_when=ONE_CLASS,
)
def break_even() -> tuple[float, ...]:
    """Precision and recall where they are equal."""
    return ()
