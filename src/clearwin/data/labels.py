"""From a tally of labels to joint counts: which class is positive, which labels are the same, which are none.

Labels are compared as they are given, but for accents in one piece or two, which are the same in Unicode. A model that
says "Churn " for "churn" would be wrong on every such item: likely typos raise an error, and other labels that never
occur in the truth become a caveat.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.counts import JointCounts
from clearwin.data.arrays import Label, Tally, is_missing
from clearwin.errors import DataError, UnknownNameError, first_few, setting
from clearwin.text import bare, composed, counted, one_line, without_unseen

OTHERS = "(others)"
WRONG, RIGHT = DECISIONS = ("wrong", "right")  # what right/wrong columns hold, whose truth is always "right"
ROLES = ("truth", "a", "b")
WHOLE = re.compile(r"[-+]?\d{1,1000}")  # Python reads no more digits than a few thousand
NUMBER = re.compile(r"([-+]?)0*(\d+)(?:[.,](\d*?)0*)?")
FEWEST_ITEMS = 10  # on fewer, no right answer at all is nothing strange
RULE = "the spelling of the truth, because labels are compared exactly as given"
NEXT = "spell them alike; if they are different classes, give one of them another name"
LabelsSaid = Mapping[str, Mapping[Label, int]]  # model → label → how many items it says it of


@dataclass(frozen=True)
class Strange:
    """The labels of one model that the truth never has, the most frequent first, and the items that got them."""

    labels: tuple[Label, ...]
    items: int


@dataclass(frozen=True)
class LabelledCounts:
    """Joint counts, and what was decided about the classes on the way."""

    joint: JointCounts
    positive: Label | None
    inferred: bool
    against_others: tuple[Label, ...] = ()
    places: tuple[int, ...] = ()  # of each key of the tally, which joint outcome it is
    strange: tuple[Strange, ...] = ()  # each model's labels that the truth never has


def label_counts(
    tally: Tally,
    *,
    positive: Any = None,
    needs_positive: bool,
    any_number_of_classes: bool,
    measure: str,
    models: Sequence[str] = ROLES[1:],
    whole: bool = False,
) -> LabelledCounts:
    """Turn a tally of (truth, a, b) into joint counts over the classes the measure works on.

    The positive class is inferred only for 0/1, False/True and −1/1 (also as text). Naming it on data with more than
    two classes judges it against the others, as keller2004 section 4 does, whatever the measure. In ``whole`` data
    misspelt labels are refused, and ``models`` is what to call those who say them; a part may lack any class.
    """
    keys = plain_keys(tally)
    tally = _added_up(keys, tally.values())
    answers = answers_of_tally(tally, models)
    if whole:
        refuse_misspelt(*answers)
    labels = in_order({label for key in tally for label in key})
    found = _decide(tally, labels, positive, needs_positive, any_number_of_classes, measure)
    return replace(found, places=_places(keys, found.joint), strange=strange_labels(*answers))


def in_order(labels: Iterable[Any]) -> list[Any]:
    """Sort labels: whole numbers by their value, also as texts; other texts by their letters, behind all numbers.

    >>> in_order([11, 2, -1]), in_order({"11", "2", "-1"}), in_order(["b", "11", "2"])
    ([-1, 2, 11], ['-1', '2', '11'], ['11', '2', 'b'])
    """
    known = list(labels)
    if all(isinstance(label, str) and WHOLE.fullmatch(label) for label in known):
        return sorted(known, key=lambda text: (int(text), text))
    return sorted(known, key=lambda label: (isinstance(label, str), label))


def _decide(
    tally: Tally, labels: list[Label], positive: Any, needs_positive: bool, any_number_of_classes: bool, measure: str
) -> LabelledCounts:
    named = positive is not None
    inferred = None if named else infer_positive(labels)
    if named:
        positive = _find_label(positive, labels)
    elif inferred is not None:
        _, positive = inferred
    others = tuple(label for label in labels if label != positive)
    if named and len(labels) > 2:
        return _against_others(tally, labels, positive, others)
    if any_number_of_classes and (not needs_positive or len(labels) > 2):
        if named and others:
            labels = [*others, positive]
        return LabelledCounts(_joint(tally, labels), positive if len(labels) <= 2 else None, inferred is not None)
    if len(labels) > 2:
        raise _more_than_two_classes(labels, measure)
    if positive is None and needs_positive:
        raise DataError(
            f"Which class is positive? The labels are {' and '.join(repr(x) for x in labels)}, and {measure} depends "
            "on it.",
            "the positive class by name; it is inferred only for 0/1, False/True and -1/1",
            setting("positive", labels[-1]) + ", or a measure that does not depend on it, such as accuracy or mcc",
        )
    if inferred is not None:
        labels = list(inferred)
    elif positive is not None:
        labels = [others[0] if others else _unused_label(labels), positive]
    elif len(labels) == 1:
        labels = [_unused_label(labels), *labels]
    return LabelledCounts(_joint(tally, labels), positive, inferred is not None)


def _against_others(tally: Tally, labels: list[Label], positive: Label, others: tuple[Label, ...]) -> LabelledCounts:
    """Fold all other classes into one."""
    rest = _unused_label(labels)
    folded: dict[tuple[Label, ...], int] = {}
    for key, count in tally.items():
        to = tuple(label if label == positive else rest for label in key)
        folded[to] = folded.get(to, 0) + count
    return LabelledCounts(_joint(folded, [rest, positive]), positive, False, others)


def infer_positive(labels: list[Label]) -> tuple[Label, Label] | None:
    """Return (negative, positive) when the labels leave no doubt.

    >>> infer_positive([-1, 1]), infer_positive(["0", "1"]), infer_positive(["ham", "spam"])
    ((-1, 1), ('0', '1'), None)
    """
    if all(isinstance(x, bool) for x in labels):
        return False, True
    pairs: tuple[tuple[Label, Label], ...] = (
        (0, 1),
        (-1, 1),
        ("0", "1"),
        ("-1", "1"),
        ("false", "true"),
        ("False", "True"),
        ("FALSE", "TRUE"),
    )
    return next((pair for pair in pairs if set(labels) <= set(pair)), None)


def _places(keys: list[tuple[Label, ...]], joint: JointCounts) -> tuple[int, ...]:
    """Return which joint outcome each key is; labels that were folded into the others count as these."""
    position = {label: i for i, label in enumerate(joint.labels)}
    outcome = {found: i for i, found in enumerate(joint.outcomes)}
    coded = [tuple(position.get(label, 0) for label in key) for key in keys]
    return tuple(outcome[key[0], key[1], key[-1]] for key in coded)


def plain_labels(tally: Tally) -> Tally:
    """Give equal labels one spelling and add up what is then the same."""
    return _added_up(plain_keys(tally), tally.values())


def _added_up(keys: list[tuple[Label, ...]], counts: Iterable[int]) -> Tally:
    clean: dict[tuple[Label, ...], int] = {}
    for key, count in zip(keys, counts, strict=True):
        clean[key] = clean.get(key, 0) + count
    return clean


def plain_keys(tally: Tally) -> list[tuple[Label, ...]]:
    """Give equal labels one spelling: 1.0 and np.int64(1) are 1, bools beside numbers are 0 and 1, é is one piece."""
    # True, 1 and 1.0 are one key to Python, so this goes over positions and never looks labels up
    keys = [tuple(plain_label(label, role) for role, label in zip(ROLES, key, strict=False)) for key in tally]
    kinds = {type(label) for key in keys for label in key}
    if str in kinds and len(kinds) > 1:
        texts = sorted({repr(x) for key in keys for x in key if isinstance(x, str)})
        numbers = sorted({repr(x) for key in keys for x in key if not isinstance(x, str)})
        raise DataError(
            f"Some labels are texts ({first_few(texts, len(texts))}) and some are not "
            f"({first_few(numbers, len(numbers))}).",
            "the same kind of label in truth and predictions",
            "convert one of them, for instance with .astype(str)",
        )
    if int in kinds:
        keys = [tuple(int(label) if isinstance(label, bool) else label for label in key) for key in keys]
    return keys


def plain_label(label: Any, role: str) -> Label:
    """Return a label as a bool, an int or a text."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float | Decimal):
        if not math.isfinite(value) or value != int(value):
            raise DataError(
                f"{role} holds {value}, which looks like a score.",
                "decisions: whole numbers, bools or texts",
                "turn scores into decisions first, for instance scores >= 0.5",
            )
        return int(value)
    return value if isinstance(value, bool | int) else composed(str(value))


def _unused_label(labels: list[Label]) -> str:
    """Return a name for the other classes that is none of the labels."""
    name = OTHERS
    while name in labels:
        name = f"({name})"
    return name


def _find_label(wanted: Any, labels: list[Label]) -> Label:
    if np.ndim(wanted) == 0 and not is_missing(wanted):
        # whoever names 1.0 means the label 1, whoever names a date means the text it became
        plain = wanted if isinstance(wanted, float) else plain_label(wanted, "positive")
        for label in labels:
            if label == plain and isinstance(label, str) == isinstance(plain, str):
                return label
    kinds = "texts" if isinstance(labels[0], str) else "numbers"
    alike = next((label for label in labels if str(label) == str(wanted)), None)
    hint = f"the labels are {kinds}: " + setting("positive", alike) if alike is not None else ""
    raise UnknownNameError("class", wanted, [str(label) for label in labels], hint)


def _more_than_two_classes(labels: list[Label], measure: str) -> DataError:
    return DataError(
        f"{measure} is a measure of two classes, and there are {len(labels)} labels: "
        f"{first_few((repr(x) for x in labels), len(labels))}.",
        "two classes, or the name of one class to judge against the others",
        setting("positive", labels[0]) + ", or a measure for any number of classes, such as accuracy or macro_f1",
    )


def _joint(tally: Tally, labels: list[Label]) -> JointCounts:
    position = {label: i for i, label in enumerate(labels)}
    outcomes: dict[tuple[int, int, int], int] = {}
    for (truth, *decisions), count in tally.items():
        # a single classifier is compared with itself
        outcomes[position[truth], position[decisions[0]], position[decisions[-1]]] = count
    return JointCounts.of_outcomes(tuple(labels), outcomes)


# --- labels that the truth never has ----------------------------------------------------------------------------


def answers_of_tally(tally: Tally, models: Sequence[str]) -> tuple[set[Label], LabelsSaid]:
    """Return the labels of the truth, and how often each model gives which label; they have one spelling already."""
    answers: dict[str, Counter[Label]] = {}
    for place, model in enumerate(models[: len(next(iter(tally))) - 1], 1):
        answers[model] = Counter()
        for key, count in tally.items():
            answers[model][key[place]] += count
    return {key[0] for key in tally}, answers


def strange_labels(truth: Collection[Label], answers: LabelsSaid) -> tuple[Strange, ...]:
    """Count each model's labels that the truth never has; none where 0/1 and the like tell what the classes are."""
    found = []
    for labels in answers.values():
        unknown = {label: count for label, count in labels.items() if label not in truth and count}
        found.append(Strange(tuple(sorted(unknown, key=lambda x: (-unknown[x], str(x)))), sum(unknown.values())))
    return () if _are_known(truth, answers) or not any(each.items for each in found) else tuple(found)


def strange_codes(
    labels: Sequence[Label],
    truth: NDArray[np.int64],
    *models: NDArray[np.int64],
    times: NDArray[np.int64] | None = None,
) -> tuple[Strange, ...]:
    """Do the same for label sets, which are codes: item · number of labels + label; ``times`` items of each."""
    k, found = len(labels), []
    known = np.bincount(truth % k, minlength=k) > 0
    for codes in models:
        unknown = codes[~known[codes % k]]
        items = np.unique(unknown // k)
        counts = np.bincount(unknown % k, None if times is None else times[unknown // k], minlength=k)
        order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i]]
        size = items.size if times is None else times[items].sum()
        found.append(Strange(tuple(labels[i] for i in order), int(size)))
    return tuple(found) if any(each.items for each in found) else ()


def refuse_misspelt(truth: Collection[Label], answers: LabelsSaid) -> None:
    """Raise when a model's labels are those of the truth in another spelling, or none of them is the truth's.

    A label that the truth lacks by the luck of the sample stays and becomes a caveat. Where the truth itself tells
    "A" from "a", spelling has a meaning and nothing is taken for a misspelling, but for what nobody can see: labels
    that differ in characters without width only are one label.

    >>> refuse_misspelt({"churn", "stay"}, {"svm": {"Churn ": 3, "stay": 7}})
    Traceback (most recent call last):
    clearwin.errors.DataError: svm predicts 'Churn ' where the truth has 'churn', on 3 items.
    Expected: the spelling of the truth, because labels are compared exactly as given
    Next: spell them alike; if they are different classes, give one of them another name
    """
    if _are_known(truth, answers):
        return
    _refuse_unseen(truth)
    texts = [label for label in truth if isinstance(label, str)]
    tells_apart = len(set(map(_spelling, texts))) < len(texts)
    spelling = without_unseen if tells_apart else _spelling
    meant = {spelling(label): label for label in texts}
    for model, labels in answers.items():
        unknown = [label for label, count in labels.items() if count and label not in truth]
        twins = [label for label in unknown if isinstance(label, str) and spelling(label) in meant]
        if twins:
            told = (f"{_shown(x)} where the truth has {_shown(meant[spelling(str(x))])}" for x in twins)
            raise DataError(
                f"{model} predicts {first_few(told, len(twins))}, on {counted(sum(labels[x] for x in twins), 'item')}.",
                RULE,
                NEXT,
            )
        # on a few items, or on items of one class, a model may well be always wrong
        enough = len(truth) > 1 and sum(labels.values()) >= FEWEST_ITEMS
        if enough and len(unknown) == sum(map(bool, labels.values())):
            raise _nothing_in_common(model, unknown, truth)


def _refuse_unseen(truth: Collection[Label]) -> None:
    """Raise where two labels of the truth differ in characters without width only."""
    seen: dict[str, str] = {}
    for label in sorted(label for label in truth if isinstance(label, str)):
        twin = seen.setdefault(without_unseen(label), label)
        if twin != label:
            raise DataError(
                f"The truth has the labels {_shown(twin)} and {_shown(label)}, which look alike.",
                "labels that can be told apart",
                NEXT,
            )


def _shown(label: Label) -> str:
    """Write a label between quotes, with escapes for what nobody can see."""
    return one_line(repr(label))


def _nothing_in_common(model: str, labels: list[Label], truth: Collection[Label]) -> DataError:
    numbers = all(not isinstance(x, str) or NUMBER.fullmatch(x.strip()) for x in labels)
    scores = f"; if {model} holds scores: " + setting("measure", "auc") + ", or " + setting("threshold", 0.5)
    own, true = (first_few(sorted(map(repr, some)), len(some)) for some in (labels, truth))
    return DataError(
        f"{model} never predicts a label of the truth: its labels are {own}, and those of the truth are {true}.",
        RULE,
        "give both the same labels" + (scores if numbers else ""),
    )


def _are_known(truth: Collection[Label], answers: LabelsSaid) -> bool:
    """Whether there are only 0/1, False/True, −1/1 or wrong/right, which are classes even if the truth has just one."""
    said = {label for labels in answers.values() for label, count in labels.items() if count}
    return {*truth, *said} <= {*DECISIONS} or infer_positive([*truth, *said]) is not None


def _spelling(label: str) -> str:
    """Return what is left of a label without case, surrounding spaces, wide or unseen characters and number formats.

    >>> _spelling(" Spam") == _spelling("spam"), _spelling("1.0") == _spelling("01"), _spelling("-1") == _spelling("1")
    (True, True, False)
    """
    text = bare(label)
    number = NUMBER.fullmatch(text)
    return f"{number[1].strip('+')}{number[2]}.{number[3] or ''}" if number else text
