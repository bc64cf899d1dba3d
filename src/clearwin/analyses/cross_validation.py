"""The verb ``cross_compare``: two scikit-learn learners on the same splits, tested with the right correction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearwin.analyses.compare import compare
from clearwin.analyses.folds import judge_folds
from clearwin.analyses.repeating import repeatable
from clearwin.analyses.splits import (
    MadeSplits,
    Split,
    design_of,
    items_of,
    make_splits,
    refuse_other_splits,
    refuse_unsound,
    refuse_with_dictionaries,
    splits_of,
)
from clearwin.data.folds import Design, FoldOptions, FoldSample, read_scores, score_over_folds
from clearwin.data.questions import Options, Question
from clearwin.data.reading import Reading, read_sample
from clearwin.errors import ClearwinError, DataError, NotApplicableError, OptionError, UnknownNameError
from clearwin.measures import Measure, find
from clearwin.measures.base import label_of
from clearwin.measures.naming import MeasureLike
from clearwin.numerics.alignment import matched_by_position
from clearwin.numerics.pvalues import Claim
from clearwin.results.caveats import Caveat, caveat
from clearwin.results.comparison import Comparison
from clearwin.results.folds import FoldComparison
from clearwin.significance import caveats
from clearwin.significance.base import refuse_undefined
from clearwin.streams import RngLike, Seed
from clearwin.workers import with_progress


@repeatable()
@matched_by_position()
def cross_compare(
    a: Any,
    b: Any,
    X: Any = None,
    y: Any = None,
    *,
    cv: Any = None,
    scoring: Any = None,
    measure: MeasureLike | None = None,
    positive: Any = None,
    groups: Any = None,
    params: dict[str, Any] | None = None,
    pool: bool = False,
    test: str = "auto",
    claim: Claim = "different",
    margin: float = 0.01,
    n_resamples: int = 10_000,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    names: tuple[str, str] | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> FoldComparison | Comparison:
    """Return which of two learners is better, trained on the same splits.

    The design is read off the splits.

    Parameters
    ----------
    a, b
        Two scikit-learn estimators (also pipelines and searches), or two dictionaries that ``cross_validate`` returned
        with ``return_indices=True``; those must be of the same splits.
    X, y, groups, params
        The data, groups for splitters that keep them together, and further arguments for ``fit``.
    cv
        A number of folds, any splitter of scikit-learn or list of splits, or rounds × folds: ``"5x2cv"``, ``"10x10"``.
    scoring, measure, positive
        A scorer of scikit-learn (name or function; more is better), or a clearwin measure of each fold's predictions
        (``"f1"``, ``"dcf(cost_fn=10)"``, ``"auc"``) with its positive class. If neither is given, the estimator's
        own ``score`` is used. If the dictionaries have several scorers, ``scoring`` names one.
    pool
        Put the predictions of all folds together and compare them item by item, as :func:`compare` does, by ``measure``
        (accuracy unless given), by whole ``groups`` where these are given. That is about these trained models, not
        about the learners, and the result says so.
    test, claim, margin, n_resamples, confidence_level, rng, names
        As in :func:`compare_folds`; with ``pool`` as in :func:`compare`.
    n_jobs, progress
        Workers, through joblib; a bar on the terminal unless ``progress`` is False.

    Examples
    --------
    >>> import clearwin as cw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> r = cw.cross_compare(DecisionTreeClassifier(max_depth=1), GaussianNB(), X, y, cv=10, measure="accuracy")
    >>> f"{r.name_b} {r.estimate_b:.4f}, {r.name_a} {r.estimate_a:.4f}: {r.test}, p = {r.p_value:.2g}"
    'GaussianNB 0.9533, DecisionTreeClassifier 0.6667: corrected_t, p = 2.2e-07'
    """
    called = learner_names(a, b) if names is None else names
    how: dict[str, Any] = {"claim": claim, "n_resamples": n_resamples, "confidence_level": confidence_level}
    options = FoldOptions.of("cross_compare", {"test": test, "names": called, "margin": margin, "rng": rng, **how})
    check_workers(n_jobs)
    options = options.with_seed_of(repr(None if y is None else np.asarray(y).tolist()))
    seed = options.seed
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        refuse_with_dictionaries(X=X, y=y, cv=cv, measure=measure, groups=groups, params=params, pool=pool or None)
        folds = _of_dictionaries(a, b, scoring)
    else:
        task = _task(a, b, X, y, measure, scoring, positive, params, pool)
        made = make_splits(cv, X, y, groups, classifier=is_classifier(a), seed=seed, pool=pool)
        splits = made.splits
        if pool:
            _refuse_pooling(design_of(splits, len(task.truth)))
        found = _train({"a": a, "b": b}, task, splits, n_jobs, progress)
        if pool:
            how |= {"test": test, "positive": positive, "groups": groups, "names": called}
            how["rng"] = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)  # the one that shuffled
            return _pool(task, made, found, **how)
        folds = _judged(task, made, found, _notes(made.note, task, positive))
    scores = read_scores("a", folds.a), read_scores("b", folds.b)
    sample = FoldSample(*scores, design_of(folds.splits, folds.items))
    question = Question(sample, score_over_folds(folds.label, folds.higher_is_better), options)
    return judge_folds(question, folds.doubts, folds.note, folds.drawn)


@dataclass(frozen=True, eq=False)
class _Task:
    """What learners are trained on, and what every fold yields: a score, or predictions."""

    X: Any
    y: Any
    truth: Any  # y as an array
    scoring: Any
    params: dict[str, Any] | None
    measure: Measure | None
    positive: Any


@dataclass(frozen=True, eq=False)
class _Folds:
    """The scores of two learners on the same splits of ``items`` items, and what is known about the scores."""

    a: list[float]
    b: list[float]
    splits: list[Split]
    items: int
    label: str
    higher_is_better: bool = True
    doubts: tuple[Caveat, ...] = ()
    note: str = ""
    drawn: bool = False


def _task(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    measure: MeasureLike | None,
    scoring: Any,
    positive: Any,
    params: dict[str, Any] | None,
    pool: bool,
) -> _Task:
    """Check everything that can be checked before anything is trained."""
    check_learners(a, b)
    if X is None or y is None:
        raise DataError("X or y is missing.", "the data to train and test on", "cross_compare(a, b, X, y)")
    if scoring is not None and (measure is not None or pool):
        raise OptionError(
            "Both a scorer and a measure or pool were given.", "one of them", "leave scoring out, or measure and pool"
        )
    check_scoring(scoring)
    if positive is not None and measure is None:
        raise OptionError("positive is for a clearwin measure.", "measure= with it", 'measure="f1"')
    chosen = find(measure) if measure is not None else find("accuracy") if pool else None
    refuse_without_predictions((a, b), chosen, scoring)
    truth = np.asarray(y)
    if chosen is not None:
        positive = positive_of(chosen, truth, positive)
        check_measure(chosen, truth, positive)
    return _Task(X, y, truth, scoring, params, chosen, positive)


def _train(
    learners: dict[str, Any], task: _Task, splits: list[Split], n_jobs: int | None, progress: bool | None
) -> tuple[list[Any], list[Any]]:
    """Train both learners on every split; return what was found in each fold, for A and for B."""
    import joblib

    jobs = [
        joblib.delayed(_one_fold)(*named, task, *numbered)
        for named in learners.items()
        for numbered in enumerate(splits, 1)
    ]
    try:
        workers = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:  # some backends hand back everything at the end
        workers = joblib.Parallel(n_jobs=n_jobs)
    done = workers(jobs)
    found = list(with_progress(done, len(jobs), "Training and testing", progress))
    return found[: len(splits)], found[len(splits) :]


def _one_fold(role: str, learner: Any, task: _Task, fold: int, split: Split) -> Any:
    """Return the score of one fold, or where a measure is to judge them the predictions."""
    from sklearn.model_selection import cross_validate

    kept = []

    measure = task.measure

    def keep(fitted: Any, X: Any, _: Any) -> float:
        """Take the place of a scorer, and keep the predictions."""
        assert measure is not None
        kept.append(predictions(fitted, X, measure, task.positive, fold))
        return 0.0

    scoring = task.scoring if measure is None else keep
    more = {} if task.params is None else {"params": task.params}
    try:
        result = cross_validate(learner, task.X, task.y, cv=[split], scoring=scoring, error_score="raise", **more)
    except Exception as error:
        error.add_note(f"clearwin: while {role}, {type(learner).__name__}, was trained and tested in fold {fold}")
        raise
    return kept[0] if kept else score_of(result)


def _notes(shuffled: str, task: _Task, given: Any) -> str:
    """Say how rounds were shuffled, and which class was taken as positive."""
    told = [shuffled] if shuffled else []
    if task.measure is not None and task.measure.needs_positive and task.positive is not None:
        told.append(f"the positive class is {task.positive}" + (" (inferred)" if given is None else ""))
    return "; ".join(told)


def _judged(task: _Task, made: MadeSplits, found: tuple[list[Any], list[Any]], note: str) -> _Folds:
    """Return the scores as they are, or the measure of every fold's predictions."""
    n, splits, doubts = len(task.truth), made.splits, made.doubts
    if task.measure is None:
        return _Folds(*found, splits, n, label_of_scoring(task.scoring), True, doubts, note, bool(made.note))
    truths = [task.truth[test] for _, test in splits]
    a, b, undefined = values_of_folds(task.measure, truths, *found, task.positive)
    if undefined:
        value = task.measure.settings.get("zero_division", 0.0)
        facts = {"undefined": undefined, "folds": len(splits), "measure": task.measure.label, "value": value}
        doubts += (caveat("undefined_folds", **facts),)
    return _Folds(a, b, splits, n, label_of(task.measure), task.measure.higher_is_better, doubts, note, bool(made.note))


def _refuse_pooling(design: Design) -> None:
    if design.name != "k-fold":
        raise OptionError(
            f"The folds cannot be pooled: they are {design}.",
            "one round of k-fold cross-validation, which tests every item once",
            "cv=10, or leave pool out",
        )


def _pool(task: _Task, made: MadeSplits, found: tuple[list[Any], list[Any]], **how: Any) -> Comparison:
    """Compare the out-of-fold predictions item by item."""
    assert task.measure is not None  # _task
    splits = made.splits
    order = np.argsort(np.concatenate([test for _, test in splits]))
    pooled = [np.concatenate(parts)[order] for parts in found]
    result = compare(task.truth, *pooled, measure=task.measure, **how)
    units = "items" if how["groups"] is None else "groups"
    as_pooled = caveat("pooled", folds=len(splits), units=units, ranked=bool(task.measure.scan))
    why = "; ".join(part for part in (result.why, made.note) if part)
    doubts = (*result.caveats, *made.doubts, as_pooled)
    return replace(result, why=why, caveats=doubts)


def _of_dictionaries(a: Any, b: Any, scoring: Any) -> _Folds:
    """Take the scores from two dictionaries of cross_validate, of the same splits."""
    if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
        raise DataError("One of a and b is a dictionary, and the other is not.", "two estimators, or two dictionaries")
    key = f"test_{scoring}" if isinstance(scoring, str) else "test_score"
    for name, result in (("a", a), ("b", b)):
        if key not in result:
            known = [str(k).removeprefix("test_") for k in result if str(k).startswith("test_")]
            raise DataError(
                f"The dictionary {name} has no {key!r}.",
                f"what cross_validate returned; it has scores of {', '.join(known) or 'nothing'}",
                f"scoring={known[0]!r}" if known else "cross_validate(…, return_indices=True)",
            )
    splits = splits_of("a", a, key)
    refuse_other_splits(splits, splits_of("b", b, key))
    items = items_of(splits)
    refuse_unsound(splits, items)
    return _Folds(list(a[key]), list(b[key]), splits, items, scoring if isinstance(scoring, str) else "score")


def fold_values(measure: Measure, truth: Any, a: Any, b: Any, positive: Any) -> tuple[float, float, bool]:
    """Return the measure of A's and of B's predictions, and whether 0/0 was set by convention."""
    read = read_sample(truth, {"a": a, "b": b}, measure, Reading(positive=positive, whole=False))
    question = Question(*read, Options(n_resamples=1, seed=Seed(0)))
    refuse_undefined(question)
    a_value, b_value = question.estimates
    return a_value, b_value, bool(caveats.undefined_for(question, ("A", "B")))


def check_measure(measure: Measure, truth: Any, positive: Any) -> None:
    """Raise before anything is trained when the measure cannot judge this truth."""
    if not measure.kind.predicted:
        raise OptionError(
            f"{measure.label} judges numbers or counts of every item, which learners do not predict.",
            "a measure of decisions or scores",
            'measure="f1"',
        )
    pretended = truth if not measure.needs_scores else np.full(len(truth), 0.5)
    fold_values(measure, truth, pretended, pretended, positive)


def positive_of(measure: Measure, truth: Any, positive: Any) -> Any:
    """Return the positive class: the one given, or the larger of 0/1, False/True, −1/1, whatever a fold contains.

    For a measure that treats all classes alike none is inferred, so a fold may lack one.
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
    """Return the measure of every fold for A and B, and the number of folds with 0/0 set by convention."""
    values_a, values_b, undefined = [], [], 0
    classes = np.unique(np.concatenate([np.ravel(truth) for truth in truths])) if not measure.any_truth else ()
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
            f"In fold {fold} no training item is of class {positive}, so {who} cannot score it.",
            "training items of the positive class in every fold",
            "fewer folds, or folds that keep the classes' shares: cv=StratifiedKFold(…)",
        )
    place = 1 if positive is None else places[0]
    if measure.scan and len(classes) == 2 and hasattr(estimator, "decision_function"):
        found = estimator.decision_function(X)
        return found if place == 1 else -found
    if not hasattr(estimator, "predict_proba"):
        raise OptionError(
            f"{type(estimator).__name__} does not predict probabilities, which {measure.label} needs.",
            "a learner with predict_proba",
            'measure="f1" for decisions, or CalibratedClassifierCV around the learner',
        )
    return estimator.predict_proba(X)[:, place]


def learner_names(a: Any, b: Any) -> tuple[str, str]:
    """Return names for two learners: their classes where these differ."""
    called = _called(a), _called(b)
    return called if called[0] != called[1] and not isinstance(a, Mapping) else ("A", "B")


def _called(learner: Any) -> str:
    """Return the class of a learner: for a pipeline its last step's, for a search what it searches."""
    steps = getattr(learner, "steps", None)
    if steps:
        return _called(steps[-1][1])
    inside = getattr(learner, "estimator", None)
    return type(learner).__name__ + (f"({_called(inside)})" if inside is not None else "")


def is_classifier(learner: Any) -> bool:
    """Return whether scikit-learn takes this for a classifier."""
    try:
        from sklearn import base
    except ImportError:
        raise OptionError(
            "scikit-learn is not installed.", "scikit-learn 1.5 or later", "pip install 'scikit-learn>=1.5'"
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
    """Raise when a learner predicts nothing that could be scored; a user's own scorer may need no predictions."""
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
                f"{_called(learner)} has no {' or '.join(enough)}, so it cannot be scored.",
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
