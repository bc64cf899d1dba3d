"""A pandas index in another order is refused in every setting of every verb, also in one that is added later."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clearwin as cw
from clearwin.errors import DataError
from clearwin.numerics.alignment import OF_OTHER_ITEMS, matched_by_position

N = 40
RNG = np.random.default_rng(3)
TRUTH, A, B = (pd.Series(RNG.integers(0, 2, N)) for _ in range(3))
GROUPS = pd.Series(np.arange(N) // 4)
SHUFFLED = "same index in a different order"
# these take no column: a file's rows are joined by an id, curves are made from points, and lists have no data
WITHOUT_COLUMNS = {"custom_measure", "join_frames", "list_measures", "list_tests"}
OF_CURVES = ("multiclass_auc", "operating_points")


def shuffled(column: Any) -> Any:
    return column.sample(frac=1, random_state=1)


def verbs() -> dict[str, Callable[..., Any]]:
    found = {name: getattr(cw, name) for name in cw.__all__ if inspect.isfunction(getattr(cw, name))}
    curves = {name: getattr(cw.curves, name) for name in OF_CURVES}
    return {name: verb for name, verb in (found | curves).items() if name not in WITHOUT_COLUMNS}


def settings() -> Iterator[tuple[str, str]]:
    """Yield every setting of every verb, but for the first, with which the others are compared."""
    for name, verb in verbs().items():
        first, *others = [p.name for p in inspect.signature(verb).parameters.values() if p.kind != p.VAR_KEYWORD]
        yield from ((name, other) for other in others)
        if not others:
            yield name, first


@pytest.mark.parametrize(("name", "setting"), list(settings()))
def test_every_setting_of_every_verb_refuses_a_shuffled_index(name: str, setting: str) -> None:
    verb = verbs()[name]
    first = next(iter(inspect.signature(verb).parameters))
    if name == "compare_unpaired" and setting in ("truth_b", "b"):
        first = {"truth_b": "b", "b": "truth_b"}[setting]
    for column in (shuffled(A), [B.to_numpy(), shuffled(A)], (shuffled(A), None), {"svm": shuffled(A)}):
        given = {setting: (TRUTH, column)} if setting in OF_OTHER_ITEMS else {first: TRUTH, setting: column}
        required = inspect.signature(verb).parameters.values()
        rest = {p.name: None for p in required if p.default is p.empty and p.kind != p.VAR_KEYWORD}
        with pytest.raises(DataError, match=SHUFFLED):
            verb(**{**rest, **given})


def test_other_items_and_other_labels_are_matched_by_position() -> None:
    result = cw.compare(TRUTH, A, B, measure="accuracy", dev=None, groups=GROUPS.set_axis(range(100, 100 + N)), rng=1)
    assert result.sampling.n_units == N // 4
    both = cw.compare_unpaired(TRUTH, A * 0.5 + B, shuffled(TRUTH), shuffled(A * 0.3 + B))
    assert both.n == 2 * N


@pytest.mark.parametrize(
    "how",
    [
        {"by": shuffled(GROUPS)},
        {"groups": [shuffled(GROUPS), GROUPS % 3]},
        {"groups": [GROUPS, shuffled(GROUPS % 3)]},
        {"strata": shuffled(GROUPS % 2)},
        {"dev": (TRUTH, A * 0.5, shuffled(B * 0.5))},
    ],
)
def test_columns_that_were_accepted_in_silence(how: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=SHUFFLED):
        cw.compare(TRUTH, A * 0.5, B * 0.5, measure="accuracy", **how)


def test_sums_in_another_order_are_refused() -> None:
    spans = pd.DataFrame({"hits": A, "found": A + B})
    with pytest.raises(DataError, match=SHUFFLED):
        cw.compare(A + B + 1, (A, A + B), (B, shuffled(A + B)), measure="f1_of_sums")
    with pytest.raises(DataError, match=SHUFFLED):
        cw.compare(A + B + 1, spans, shuffled(spans), measure="f1_of_sums")


def test_ids_of_disagreements_in_another_order_are_refused() -> None:
    result = cw.compare(TRUTH, A, B, measure="accuracy")
    ids = pd.Series([f"item {i}" for i in range(N)])
    with pytest.raises(DataError, match=SHUFFLED):
        result.disagreements(ids=shuffled(ids))
    assert result.disagreements(ids=ids)


def test_what_the_message_advises_works() -> None:
    other = shuffled(A)
    with pytest.raises(DataError) as caught:
        cw.compare(TRUTH, A, B, measure="accuracy", groups=[GROUPS, other])
    assert caught.value.next == "groups[1] = groups[1].loc[truth.index]"
    assert other.loc[TRUTH.index].equals(A)
    twice = pd.Series(range(4), index=[0, 0, 1, 1])
    with pytest.raises(DataError, match="reset_index"):
        cw.compare(twice, twice, twice[::-1], measure="accuracy")


def test_two_columns_that_differ_from_each_other_alone() -> None:
    @matched_by_position()
    def verb(*, truth: Any, a: Any, b: Any) -> str:
        return "done"

    with pytest.raises(DataError, match=f"Series a and b have the {SHUFFLED}"):
        verb(truth=TRUTH.set_axis(range(7, 7 + N)), a=A, b=shuffled(B))
    assert verb(truth=TRUTH, a=[[1, 2]] * 5_000, b="b") == "done"
