"""LabelsSaid that the truth never has: misspelt ones are refused, the others are counted, to be told of.

Labels are compared as they are given, so a model that says "Churn " for "churn" would be wrong on every such item.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearwin.data.arrays import Label, Tally
from clearwin.data.labels import infer_positive, plain_labels
from clearwin.errors import DataError, first_few, setting

NUMBER = re.compile(r"([-+]?)0*(\d+)(?:[.,](\d*?)0*)?")
FEWEST_ITEMS = 10  # on fewer, no right answer at all is nothing strange
RULE = "labels spelt as the truth has them: they are compared as they are given"
LabelsSaid = Mapping[str, Mapping[Label, int]]  # model → label → how many items it says it of


@dataclass(frozen=True)
class Strange:
    """The labels of one model that the truth never has, the most frequent first, and the items that got them."""

    labels: tuple[Label, ...]
    items: int


def answers_of_tally(tally: Tally, models: Sequence[str]) -> tuple[set[Label], LabelsSaid]:
    """Return the labels of the truth, and how often each model gives which label."""
    plain = plain_labels(tally)
    answers: dict[str, Counter[Label]] = {}
    for place, model in enumerate(models[: len(next(iter(plain))) - 1], 1):
        answers[model] = Counter()
        for key, count in plain.items():
            answers[model][key[place]] += count
    return {key[0] for key in plain}, answers


def strange_labels(truth: Collection[Label], answers: LabelsSaid) -> tuple[Strange, ...]:
    """Count each model's labels that the truth never has; none where 0/1 and the like tell what the classes are."""
    found = []
    for labels in answers.values():
        unknown = {label: count for label, count in labels.items() if label not in truth and count}
        found.append(Strange(tuple(sorted(unknown, key=lambda x: (-unknown[x], str(x)))), sum(unknown.values())))
    return () if _are_known(truth, answers) or not any(each.items for each in found) else tuple(found)


def strange_codes(labels: Sequence[Label], truth: NDArray[np.int64], *models: NDArray[np.int64]) -> tuple[Strange, ...]:
    """Do the same for label sets, which are codes: item · number of labels + label."""
    k, found = len(labels), []
    known = np.bincount(truth % k, minlength=k) > 0
    for codes in models:
        unknown = codes[~known[codes % k]]
        counts = np.bincount(unknown % k, minlength=k)
        order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i]]
        found.append(Strange(tuple(labels[i] for i in order), int(np.unique(unknown // k).size)))
    return tuple(found) if any(each.items for each in found) else ()


def refuse_misspelt(truth: Collection[Label], answers: LabelsSaid) -> None:
    """Raise when a model's labels are those of the truth in another spelling, or none of them is the truth's.

    A label that the truth lacks by the luck of the sample stays: it is told as a caveat. Where the truth itself tells
    "A" from "a", spelling has a meaning and nothing is taken for a misspelling.

    >>> refuse_misspelt({"churn", "stay"}, {"svm": {"Churn ": 3, "stay": 7}})
    Traceback (most recent call last):
    clearwin.errors.DataError: svm says 'Churn ' where the truth has 'churn', on 3 item(s).
    Expected: labels spelt as the truth has them: they are compared as they are given
    Next: spell them alike; if they are different classes, give one of them another name
    """
    if _are_known(truth, answers):
        return
    meant: dict[str, Label] = {_spelling(label): label for label in truth if isinstance(label, str)}
    tells_apart = len(meant) < sum(isinstance(label, str) for label in truth)
    for model, labels in answers.items():
        unknown = [label for label, count in labels.items() if count and label not in truth]
        twins = [label for label in unknown if isinstance(label, str) and _spelling(label) in meant]
        if twins and not tells_apart:
            told = first_few((f"{x!r} where the truth has {meant[_spelling(str(x))]!r}" for x in twins), len(twins))
            raise DataError(
                f"{model} says {told}, on {sum(labels[x] for x in twins):,} item(s).",
                RULE,
                "spell them alike; if they are different classes, give one of them another name",
            )
        # on a few items, or on items of one class, a model may well be always wrong
        enough = len(truth) > 1 and sum(labels.values()) >= FEWEST_ITEMS
        if enough and len(unknown) == sum(map(bool, labels.values())):
            raise _nothing_in_common(model, unknown, truth)


def _nothing_in_common(model: str, labels: list[Label], truth: Collection[Label]) -> DataError:
    numbers = all(not isinstance(x, str) or NUMBER.fullmatch(x.strip()) for x in labels)
    scores = f"; if {model} holds scores: " + setting("measure", "auc") + ", or " + setting("threshold", 0.5)
    own, true = (first_few(sorted(map(repr, some)), len(some)) for some in (labels, truth))
    return DataError(
        f"{model} never says a label of the truth: its labels are {own}, those of the truth {true}.",
        RULE,
        "give both the same labels" + (scores if numbers else ""),
    )


def _are_known(truth: Collection[Label], answers: LabelsSaid) -> bool:
    """Whether there are but 0/1, False/True or −1/1, which are classes even where the truth has one of them only."""
    said = {label for labels in answers.values() for label, count in labels.items() if count}
    return infer_positive([*truth, *said]) is not None


def _spelling(label: str) -> str:
    """Return what is left of a label without case, surrounding spaces and the format of numbers.

    >>> _spelling(" Spam") == _spelling("spam"), _spelling("1.0") == _spelling("01"), _spelling("-1") == _spelling("1")
    (True, True, False)
    """
    text = label.strip().casefold()
    number = NUMBER.fullmatch(text)
    return f"{number[1].strip('+')}{number[2]}.{number[3] or ''}" if number else text
