"""What a result does not show follows from the result: its units, its kind, and what it left open."""

import numpy as np

import clearwin as cw
from tests.one_of_each import comparison, folds
from tests.reports.pages import every_kind
from tests.two_models import two


@every_kind
def test_every_kind_has_two_or_three_lines(results, kind):
    found = results[kind].summary().limits
    assert 2 <= len(found) <= 3
    assert len(set(found)) == len(found)
    assert all(line.endswith(".") for line in found)


def test_lines_depend_on_the_result():
    y, a, b = two(200)
    how = {"measure": "accuracy", "rng": 1, "n_resamples": 99}
    alone = cw.compare(y, a, b, **how).summary().limits
    grouped = cw.compare(y, a, b, groups=[i // 4 for i in range(200)], **how).summary().limits
    assert "items drawn like these 200" in alone[0]
    assert "groups drawn like these 50" in grouped[0]
    open_question = comparison()
    assert open_question.decision == "not shown"
    assert any("not show that the models are equally good" in line for line in open_question.summary().limits)
    assert "learners" in folds().summary().limits[0]
    assert not any("learners" in line for line in alone)


def test_what_is_assumed_of_folds_is_said_where_it_matters():
    stream = np.random.default_rng(3)
    told = {}
    for design, shape in (("10x10", (10, 10)), ("k-fold", 10), ("independent", 10)):
        a, b = 0.8 + 0.05 * stream.normal(size=(2, *np.atleast_1d(shape)))
        told[design] = " ".join(cw.compare_folds(a, b, design=design).summary().limits)
    assert all("correlate by 0.10, which no data can show" in told[design] for design in ("10x10", "k-fold"))
    assert "1-nearest neighbour" in told["10x10"]
    assert "1-nearest neighbour" not in told["k-fold"]
    assert "correlate" not in told["independent"]
