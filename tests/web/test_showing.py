"""What a finished job leaves for the page: words, pictures and the points of the slider."""

from __future__ import annotations

import html
from pathlib import Path

import numpy as np
import pytest

import clearwin as cw
from clearwin.data.scores import scored_items
from clearwin.errors import FileError, UnknownNameError
from clearwin.reports.html import as_html
from clearwin.web.jobs import Job
from clearwin.web.refusals import TooLargeError, in_words
from clearwin.web.showing import operating_points, write_answer
from tests.web.asking import EIGHTS, SHIPPED, asking, form, words_of


def test_the_verdict_is_shown_at_the_level_asked_for(compared):
    text = html.unescape(compared["shown"].text)
    # the README's example has p = 0.0408 of 10,000 draws; here there are 500, and either is above 1 %
    assert "No clear evidence that gaussian differs from linear in F1" in text
    assert 'data-thresholds="true"' in text
    for drawn in (compared["pictures/1.svg"].text, compared["report.html"].text):
        assert "shown at 0.01" in drawn
        assert "shown at 0.05" not in drawn


def test_the_slider_has_exact_counts(compared):
    """Every stop against the slow obvious way: count the decisions of the file."""
    points = compared["thresholds"].json()
    lines = [line.split(",") for line in (SHIPPED / "digits_eight_scores.csv").read_text().splitlines()[1:]]
    eight = np.array([line[1] == "eight" for line in lines])
    assert (points["positives"], points["negatives"]) == (eight.sum(), (~eight).sum())
    assert len(points["thresholds"]) <= 2002
    assert [points["thresholds"][place] for place in points["start"]] == [0.0, 0.0]  # as the comparison was
    for place, model in enumerate(points["models"], 2):
        scores = np.array([float(line[place]) for line in lines])
        assert (model["tp"][0], model["fp"][0]) == (0, 0)
        for i in range(1, len(points["thresholds"]), 97):
            accepted = scores >= points["thresholds"][i]
            assert (model["tp"][i], model["fp"][i]) == ((accepted & eight).sum(), (accepted & ~eight).sum())


def test_many_scores_are_thinned_and_still_exact():
    rng = np.random.default_rng(5)
    truth, scores = rng.integers(0, 2, 30_000), [rng.normal(size=30_000), 100 * rng.normal(size=30_000)]
    points = operating_points(scored_items(truth, *scores), ("a", "b"))
    assert 1_900 < len(points["thresholds"]) <= 2_001
    for model, column in zip(points["models"], scores, strict=True):
        for i in (1, 700, 1_500, len(points["thresholds"]) - 1):
            assert model["tp"][i] == int(((column >= points["thresholds"][i]) & (truth == 1)).sum())
        assert model["tp"][-1] <= truth.sum()


def test_the_slider_counts_float32_scores_as_numpy_does():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 300)
    scores = [(rng.integers(0, 11, 300) / 10).astype(kind) for kind in (np.float32, np.float64)]
    points = operating_points(scored_items(truth, *scores), ("a", "b"), (0.7, 0.3))
    assert points["thresholds"][1:] == [i / 10 for i in range(10, -1, -1)]
    assert [points["thresholds"][place] for place in points["start"]] == [0.7, 0.3]
    for model, column in zip(points["models"], scores, strict=True):
        assert model["tp"][1:] == [int(((column >= t) & (truth == 1)).sum()) for t in points["thresholds"][1:]]


def test_words_are_cut_to_what_anyone_would_read(shared):
    body = {"columns": {"truth": [1], "a" * 100_000: [1]}, "seed": 1}
    answer = shared(lambda client: client.post("/api/compare", json=body))
    assert len(words_of(answer, 422)) < 6_100
    body = {"columns": {f"{'a' * 900}{i}": [1] for i in range(90)}, "truth": "b" * 900}
    assert "b" * 200 in words_of(shared(lambda client: client.post("/api/compare", json=body)), 422)
    assert in_words(FileError("x" * 10_000, "y" * 10_000), {})["expected"] == "y" * 1_999 + "…"
    job = Job("compare", Path("nowhere"))
    job.end("refused", 422, {"what": "x" * 10_000, "expected": "", "next": "y"})
    assert job.error == {"what": "x" * 1_999 + "…", "expected": "", "next": "y"}
    error = UnknownNameError("column", "x" * 10_000, ["y" * 3_000] * 3_000)
    assert max(map(len, (error.what, error.expected, error.next))) <= 2_000


def test_an_answer_that_would_be_too_large(monkeypatch, tmp_path):
    monkeypatch.setattr("clearwin.web.showing.MOST_WRITTEN", 1_000)
    (tmp_path / "body.json").write_text("x" * 5_000)
    result = cw.compare(["x", "y"], ["x", "x"], ["x", "y"], measure="accuracy", rng=1)
    with pytest.raises(TooLargeError, match="at most 1 KiB"):
        write_answer(tmp_path, result, "clearwin compare p.csv", None, [], lambda _: None)
    assert [path.name for path in tmp_path.iterdir()] == ["body.json"]


def test_pictures_are_drawn_once_for_page_and_report(monkeypatch, tmp_path):
    from clearwin.plots import picture_svg, pictures

    drawn = []

    def draw(picture, narrow=False):
        drawn.append((picture.name, narrow))
        return picture_svg(picture, narrow=narrow)

    monkeypatch.setattr("clearwin.plots.picture_svg", draw)
    result = cw.compare(["x", "y"], ["x", "x"], ["x", "y"], measure="accuracy", rng=1)
    write_answer(tmp_path, result, "clearwin compare p.csv", None, [], lambda _: None)
    wanted = [(one.name, narrow) for one in pictures(result) for narrow in (False, True) if one.narrow or not narrow]
    assert drawn == wanted
    assert ("interval", True) in wanted
    assert (tmp_path / "report.html").read_text() == as_html(result, command="clearwin compare p.csv")


def test_a_result_that_was_waited_for_has_no_pictures_and_is_not_kept():
    async def work(client, app):
        left = []
        forget = app.state.pool.forget
        app.state.pool.forget = lambda job: (left.extend(path.name for path in job.folder.iterdir()), forget(job))
        answer = await client.post("/api/compare", files=form({**EIGHTS, "example": "eights"}))
        return (
            answer.status_code,
            [name for name in left if name.endswith((".svg", ".html"))],
            dict(app.state.pool.jobs),
        )

    assert asking(work, in_process=True) == (200, [], {})
