"""What intervals show against a margin: in the verdict, the text, the report, Markdown and on the command line."""

import math
from dataclasses import replace

import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from clearwin.numerics.intervals import Interval
from clearwin.plots import pictures
from clearwin.reports.html import as_html
from clearwin.words import words_about
from clearwin.words.margins import outcome_at_margin
from tests import one_of_each as results
from tests.tables import STRONG
from tests.two_models import two

KINDS = ["comparison", "folds", "per_class", "leaderboard", "unpaired"]


def against_margin(result, margin):
    return words_about(result, margin).margin_sentence()


def placed(low, high, *, higher=True, side="two-sided", level=0.95, kind="comparison"):
    found = getattr(results, kind)()
    return replace(found, interval=Interval(low, high, level, "wald", side), higher_is_better=higher)


CASES = [
    (-0.01, 0.01, "equivalent", "new and old are equivalent up to the margin (two one-sided tests at 2.5 % each)."),
    (
        -0.01,
        0.05,
        "not worse",
        "new is not worse than old by more than the margin, and equivalence is not shown (a one-sided test at 2.5 %).",
    ),
    (0.03, 0.05, "better", "new is better than old by more than the margin (a one-sided test at 2.5 %)."),
    (
        -0.05,
        0.01,
        "nothing",
        "neither that new is not worse than old by more than the margin nor that they are "
        "equivalent (two one-sided tests at 2.5 % each).",
    ),
    (-0.05, -0.03, "worse", "new is worse than old by more than the margin (a one-sided test at 2.5 %)."),
    (-0.05, 0.05, "nothing", "are equivalent (two one-sided tests at 2.5 % each)."),
    (
        -0.02,
        0.01,
        "nothing",
        "are equivalent (two one-sided tests at 2.5 % each).",
    ),  # the margin itself is not within it
    (-0.01, 0.02, "not worse", "equivalence is not shown (a one-sided test at 2.5 %)."),
    (-math.inf, math.inf, "nothing", "without bounds: it shows neither that"),
]


@pytest.mark.parametrize(("low", "high", "kind", "words"), CASES)
def test_what_an_interval_shows(low, high, kind, words):
    found = placed(low, high)
    assert outcome_at_margin(found.interval, True, 0.02) == kind
    assert words in against_margin(found, 0.02)
    assert found.verdict(margin=0.02) == f"{found.verdict()} {against_margin(found, 0.02)}"
    mirrored = placed(-high, -low, higher=False)  # of a cost a lower one is better
    assert outcome_at_margin(mirrored.interval, False, 0.02) == kind
    assert words in against_margin(mirrored, 0.02)


def test_the_level_is_that_of_the_interval():
    assert "The 90 % interval, -0.010 to +0.010, lies within the margin of ±0.02" in against_margin(
        placed(-0.01, 0.01, level=0.9), 0.02
    )
    assert "(two one-sided tests at 5 % each)" in against_margin(placed(-0.01, 0.01, level=0.9), 0.02)
    bound = against_margin(placed(-0.01, 1.0, side="lower"), 0.02)
    assert "The 95 % bound, at least -0.010, lies above -0.02: new is not worse than old" in bound
    assert "(a one-sided test at 5 %)" in bound


def test_more_than_better():
    """What lies beyond the margin is shown to be better, too."""
    found = cw.compare(STRONG, measure="accuracy")
    assert found.interval.low > 0.02
    assert found.verdict().startswith("B is better than A")
    assert "is better than A by more than the margin" in found.verdict(margin=0.02)


def test_folds_say_what_their_interval_is_of():
    a, b = [0.81, 0.79, 0.84, 0.80, 0.78, 0.82], [0.85, 0.80, 0.88, 0.84, 0.79, 0.83]
    wins = cw.compare_folds(a, b, design="independent", test="sign")
    assert "interval of the median difference" in wins.verdict(margin=0.01)
    posterior = cw.compare_folds(a, b, design="k-fold", test="bayes_t")
    assert "The 95 % credible interval, " in posterior.verdict(margin=0.5)
    assert "one-sided" not in posterior.verdict(margin=0.5)


def test_an_interval_that_holds_nothing():
    differences = [0.2, 0.201, -0.2, -0.201, 0.2, 0.201, -0.2, -0.2, 0.2, 0.2]  # the rounds contradict each other
    found = cw.compare_folds([0.5] * 10, [0.5 + d for d in differences], design="5x2", test="5x2cv_f")
    assert against_margin(found, 0.02) == (
        "There is no 95 % interval to compare with the margin of ±0.02, because the test rejects every difference."
    )


def test_of_many_every_one_is_told():
    found = results.per_class()
    places = [Interval(-0.01, 0.01, 0.95, "x"), Interval(-0.01, 0.9, 0.95, "x"), Interval(-0.9, 0.9, 0.95, "x")]
    classes = tuple(replace(one, interval=place) for one, place in zip(found.classes, places, strict=True))
    first, second, third = (one.label for one in classes)
    assert against_margin(replace(found, classes=classes), 0.02) == (
        "Against a margin of ±0.02, by each 95 % interval alone (2.5 % on a side, not corrected for 3 of them): "
        f"equivalent up to the margin: class {first}; not worse by more than the margin: class {second}; neither is "
        f"shown: class {third}."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_report_and_markdown_tell_it_and_draw_it_first(kind, tmp_path):
    found = getattr(results, kind)()
    words = against_margin(found, 0.02)
    page = found.to_html(tmp_path / "r.html", margin=0.02).read_text(encoding="utf-8")
    assert words in page
    assert words in found.to_markdown(margin=0.02)
    assert words not in found.to_markdown()
    first = pictures(found, margin=0.02)[0]
    assert "margin" in first.title or kind == "folds"
    assert page.index(f"<figcaption>{first.title}") < page.index("</figure>")


@pytest.mark.parametrize("margin", [0, -0.01, math.nan, math.inf, True, "0.02"])
def test_margins_that_are_none(margin, tmp_path):
    found = results.comparison()
    for use in (
        lambda: found.verdict(margin=margin),
        lambda: found.to_markdown(margin=margin),
        lambda: found.to_html(tmp_path / "r.html", margin=margin),
        lambda: found.plot(margin=margin),
    ):
        with pytest.raises(cw.errors.OptionError, match="margin is "):
            use()
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("kind", ["estimate", "against_chance", "curves", "data_sets"])
def test_results_without_differences_have_none(kind):
    with pytest.raises(cw.errors.OptionError, match="no differences to compare with a margin"):
        as_html(getattr(results, kind)(), margin=0.1)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["y,a,b", *(f"{i % 2},{(i + (i % 5 == 0)) % 2},{(i + (i % 9 == 0)) % 2}" for i in range(90))]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    (tmp_path / "f.csv").write_text("a,b\n0.8,0.82\n0.79,0.80\n0.81,0.83\n0.8,0.81\n0.78,0.8\n")
    return tmp_path


COMMANDS = {
    "compare": ["p.csv", "--truth", "y", "--a", "a", "--b", "b", "--seed", "1"],
    "rank": ["p.csv", "--truth", "y", "--models", "a,b", "--seed", "1", "--n-resamples", "200"],
    "folds": ["f.csv", "--a", "a", "--b", "b", "--design", "k-fold"],
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_on_the_command_line(verb, file):
    words = [verb, *COMMANDS[verb], "--margin", "0.3", "--html", "r.html", "--plot", "r.svg"]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    text = " ".join(found.stdout.split())
    assert "margin of ±0.3" in text
    page = (file / "r.html").read_text(encoding="utf-8")
    assert "margin of ±0.3" in page
    assert "--margin 0.3" in page
    assert "±0.3" in (file / "r.svg").read_text(encoding="utf-8") or verb == "folds"
    markdown = CliRunner().invoke(main, [verb, *COMMANDS[verb], "--margin", "0.3", "--markdown"]).stdout
    assert "margin of ±0.3" in markdown


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_wrong_margin_is_refused_before_any_work(verb, file):
    words = [verb, "no such file.csv", *COMMANDS[verb][1:], "--margin=-1"]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 2
    assert "margin is -1.0" in found.stderr
    assert "next: --margin 0.01" in found.stderr


def test_the_terminal_tells_it(capsys):
    from clearwin.reports import terminal

    found = results.comparison()
    terminal.show(found.summary(margin=0.02))
    assert "reaches beyond the margin of ±0.02" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("kind", ["comparison", "per_class", "leaderboard", "unpaired"])
def test_a_margin_that_no_difference_can_reach_is_refused(kind):
    found = getattr(results, kind)()
    for hold in (against_margin, lambda r, m: r.verdict(margin=m), lambda r, m: pictures(r, margin=m)):
        with pytest.raises(
            cw.errors.OptionError, match=r"margin is 2, and no two values of \w+ are more than 1 apart"
        ) as error:
            hold(found, 2)
        assert error.value.expected == "the largest difference that does not matter, less than 1"
        assert error.value.next == "margin=0.02, if hundredths were meant"
    with pytest.raises(cw.errors.OptionError, match="margin is 500") as error:
        against_margin(found, 500)
    assert error.value.next == "margin=0.01"
    assert against_margin(found, 0.99)


def test_how_far_values_are_apart_depends_on_the_measure():
    assert "margin of ±1.5" in against_margin(results.comparison(measure="mcc"), 1.5)
    own = cw.custom_measure(lambda c: 100.0 * c.tp / c.n, name="hits in a hundred")
    assert "margin of ±2" in against_margin(results.comparison(measure=own), 2)
    assert "margin of ±2" in against_margin(results.folds(), 2)  # scores of any kind
    values = cw.compare(None, [3.0, 4.0, 5.5] * 9, [4.0, 3.5, 6.0] * 9, measure="mean", rng=1)
    assert "margin of ±2" in against_margin(values, 2)


@pytest.mark.parametrize("verb", ["compare", "rank"])
def test_such_a_margin_is_refused_before_any_work(verb):
    found = CliRunner().invoke(main, [verb, "no such file.csv", *COMMANDS[verb][1:], "--margin", "2"])
    assert found.exit_code == 2
    assert "margin is 2.0, and no two values of f1 are more than 1 apart." in found.stderr
    assert "next: --margin 0.02, if hundredths were meant" in found.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_the_call_that_repeats_a_report_gives_its_verdict(kind):
    found = getattr(results, kind)()
    told_with = found.summary(margin=0.02)
    assert told_with.call.endswith(".verdict(margin=0.02)")
    repeated = eval(told_with.call, {"cw": cw, **results.data_of(kind)})
    assert repeated == told_with.verdict == found.verdict(margin=0.02)
    assert ".verdict(" not in found.summary().call
    assert told_with.call.replace("'", "&#39;") in as_html(found, margin=0.02, drawn=[])


def test_numbers_have_one_kind_of_minus_sign():
    """A true minus sign is not read by spreadsheets, so that of expressions stays out of numbers."""
    import re

    from tests.one_of_each import MAKERS

    for kind in ("comparison", "per_class", "folds", "gate", "leaderboard"):
        result = MAKERS[kind]()
        told = str(result) + (result.verdict(margin=0.001) if result.has_differences else result.verdict())
        assert not re.search("\u2212[0-9]", told)


def test_a_margin_is_told_in_every_style():
    r = cw.compare(*two(200), measure="accuracy", test="mcnemar")
    for style in cw.words.STYLES:
        assert "margin of ±0.5" in r.verdict(margin=0.5, style=style)
