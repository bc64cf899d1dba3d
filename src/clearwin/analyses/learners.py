"""Two learners and their predictions: what they are called, and a clearwin measure of them, fold by fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.errors import ClearwinError, DataError, NotApplicableError, OptionError, UnknownNameError
from clearwin.execution import Seed
from clearwin.measures import Measure, find
from clearwin.significance.base import refuse_undefined


def fold_values(measure: Measure, truth: Any, a: Any, b: Any, positive: Any) -> tuple[float, float, bool]:
    """Return the measure of A's and of B's predictions, and whether 0/0 had to be given a value."""
    read = read_sample(truth, {"a": a, "b": b}, measure, Reading(positive=positive, whole=False))
    question = Question(*read, Options(n_resamples=1, seed=Seed(0)))
    refuse_undefined(question)
    a_value, b_value = question.estimates
    counted = question.sample.counts(question.measure)
    return a_value, b_value, any(bool(question.measure.evaluate(c).undefined) for c in counted)


def check_measure(measure: Measure, truth: Any, positive: Any) -> None:
    """Raise before anything is trained when the measure cannot judge this truth."""
    if measure.takes in ("values", "sums"):
        raise OptionError(
            f"{measure.label} is a measure of {measure.takes}, which learners do not predict.",
            "a measure of decisions or scores",
            'measure="f1"',
        )
    pretended = truth if not measure.needs_scores else np.full(len(truth), 0.5)
    fold_values(measure, truth, pretended, pretended, positive)


def positive_of(measure: Measure, truth: Any, positive: Any) -> Any:
    """Return the positive class: the one given, or the larger of 0/1, False/True, −1/1, whatever a fold may hold.

    None is inferred for a measure that treats all classes alike, so that a fold may lack one.
    """
    found = np.asarray(truth)
    if positive is not None or found.ndim != 1 or found.dtype.kind not in "biuf":
        return positive
    if not measure.needs_positive and not measure.needs_scores:
        return None
    classes = np.unique(found).tolist()
    return classes[1] if classes in ([0, 1], [-1, 1]) else None


def values_of_folds(
    measure: Measure, truths: list[Any], a: list[Any], b: list[Any], positive: Any
) -> tuple[list[float], list[float], int]:
    """Return the measure of every fold for A and B, and in how many folds 0/0 was given a value."""
    values_a, values_b, undefined = [], [], 0
    classes = np.unique(np.concatenate([np.ravel(truth) for truth in truths])) if measure.takes != "losses" else ()
    for fold, (truth, one, other) in enumerate(zip(truths, a, b, strict=True), 1):
        try:
            value_a, value_b, was_undefined = fold_values(measure, truth, one, other, positive)
        except ClearwinError as error:
            lacking = len(np.unique(truth)) < len(classes)
            next_step = "fewer folds, or folds that keep the classes' shares: cv=StratifiedKFold(…)"
            raise DataError(
                f"In fold {fold}: {error.what}", error.expected, next_step if lacking else error.next
            ) from error
        values_a.append(value_a)
        values_b.append(value_b)
        undefined += was_undefined
    return values_a, values_b, undefined


def predictions(estimator: Any, X: Any, measure: Measure, positive: Any, fold: int) -> Any:
    """Return what the measure judges: decisions, numbers, probabilities or scores of the positive class.

    Where the training items of the fold had none of that class, there is no score of it.
    """
    if not measure.needs_scores:
        return estimator.predict(X)
    classes = list(getattr(estimator, "classes_", []))
    if not classes:  # a regressor
        return estimator.predict(X)
    if len(classes) != 2 and positive is None:
        raise OptionError(f"{measure.label} takes two classes.", "positive= for one class against the others")
    # check_measure has told numbers from texts; dates are named by their texts
    places = [i for i, known in enumerate(classes) if known == positive or str(known) == str(positive)]
    if positive is not None and not places:
        who = type(estimator).__name__
        raise DataError(
            f"In fold {fold} no training item is of class {positive}, so {who} has no score of it.",
            "training items of the positive class in every fold",
            "fewer folds, or folds that keep the classes' shares: cv=StratifiedKFold(…)",
        )
    place = 1 if positive is None else places[0]
    if measure.takes == "scores" and len(classes) == 2 and hasattr(estimator, "decision_function"):
        found = estimator.decision_function(X)
        return found if place == 1 else -found
    if not hasattr(estimator, "predict_proba"):
        raise OptionError(
            f"{type(estimator).__name__} predicts no probabilities, which {measure.label} needs.",
            "a learner with predict_proba",
            'measure="f1" for decisions, or CalibratedClassifierCV around the learner',
        )
    return estimator.predict_proba(X)[:, place]


def learner_names(a: Any, b: Any) -> tuple[str, str]:
    """Return what two learners are called, by their classes where these differ."""
    called = _called(a), _called(b)
    return called if called[0] != called[1] and not isinstance(a, Mapping) else ("A", "B")


def _called(learner: Any) -> str:
    """Return the class of a learner: of a pipeline that of its last step, of a search what it searches."""
    steps = getattr(learner, "steps", None)
    if steps:
        return _called(steps[-1][1])
    inside = getattr(learner, "estimator", None)
    return type(learner).__name__ + (f"({_called(inside)})" if inside is not None else "")


def is_classifier(learner: Any) -> bool:
    """Whether scikit-learn takes this for a classifier."""
    try:
        from sklearn import base
    except ImportError:
        raise OptionError(
            "scikit-learn is not installed.", "scikit-learn 1.5 or later", "pip install 'clearwin[sklearn]'"
        ) from None
    return bool(base.is_classifier(learner))


def check_learners(a: Any, b: Any) -> None:
    """Raise unless both can be trained."""
    for name, learner in (("a", a), ("b", b)):
        if isinstance(learner, type) or not hasattr(learner, "fit"):
            raise DataError(
                f"{name} is {learner!r}.",
                "a scikit-learn estimator, or what cross_validate returned",
                "cross_compare(LogisticRegression(), DecisionTreeClassifier(), X, y)",
            )


def refuse_without_predictions(learners: tuple[Any, Any], measure: Measure | None, scoring: Any) -> None:
    """Raise when a learner predicts nothing that could be scored; a scorer of the user's own may do without."""
    if measure is None and callable(scoring):
        return
    enough = ["predict"]
    if measure is None and scoring is None:
        enough = ["score"]
    elif measure is None or measure.needs_scores:
        enough += ["predict_proba", "decision_function"]
    for learner in learners:
        if not any(hasattr(learner, method) for method in enough):
            raise NotApplicableError(
                f"{_called(learner)} has no {' or '.join(enough)}, so nothing of it can be scored.",
                "learners that predict",
                "a classifier or a regressor such as LogisticRegression()",
            )


def check_scoring(scoring: Any) -> None:
    """Raise unless this is one scorer that scikit-learn knows, or a function."""
    if scoring is None or callable(scoring):
        return
    if not isinstance(scoring, str):
        raise OptionError(f"scoring is {scoring!r}.", "one scorer", 'scoring="f1"')
    from sklearn.metrics import get_scorer_names

    known = get_scorer_names()
    if scoring in known:
        return
    try:
        find(scoring)
    except ClearwinError:
        raise UnknownNameError("scorer of scikit-learn", scoring, known) from None
    raise UnknownNameError("scorer of scikit-learn", scoring, known, f'measure="{scoring}", a measure of clearwin')


def check_workers(n_jobs: Any) -> None:
    """Raise unless joblib can take this as a number of workers."""
    whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise OptionError(f"n_jobs is {n_jobs!r}.", "a number of workers, or -1 for every processor", "n_jobs=4")


def score_of(result: Mapping[str, Any]) -> float:
    """Return the score of a fold from what cross_validate returned."""
    if "test_score" not in result:
        several = [key.removeprefix("test_") for key in result if key.startswith("test_")]
        what = f"The scorer returned several scores: {', '.join(several) or 'none'}."
        raise OptionError(what, "one number", f"a function that returns {several[0]} alone" if several else "")
    return float(result["test_score"][0])


def label_of_scoring(scoring: Any) -> str:
    """Return what scores of this scorer are called."""
    if scoring is None:
        return "score"
    return scoring if isinstance(scoring, str) else str(getattr(scoring, "__name__", "score"))
