"""Options of a question: what is none is explained."""

import pytest

import clearwin as cw
from clearwin.data.questions import Options, Question, refuse_crossed
from clearwin.data.reading import Reading, read_sample
from clearwin.measures import find
from tests.tables import ORDINARY


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"n_resamples": -5}, "n_resamples is -5"),
        ({"n_resamples": 1.5}, "n_resamples is 1.5"),
        ({"n_resamples": True}, "n_resamples is True"),
        ({"n_resamples": "many"}, "n_resamples is 'many'"),
        ({"confidence_level": 0}, "confidence_level is 0"),
        ({"confidence_level": 1}, "confidence_level is 1"),
        ({"confidence_level": 95}, "confidence_level is 95"),
        ({"confidence_level": float("nan")}, "confidence_level is nan"),
        ({"confidence_level": "high"}, "confidence_level is 'high'"),
        ({"claim": "greater"}, "no claim named 'greater'"),
        ({"test": "mcnemer"}, "did you mean 'mcnemar'"),
        ({"test": None}, "no test named None"),
        ({"names": ("same", "same")}, "names is"),
        ({"rng": -1}, "rng is -1"),
    ],
)
def test_bad_settings_are_explained(settings, message):
    with pytest.raises(cw.errors.OptionError) as raised:
        cw.compare(ORDINARY, **{"measure": "accuracy", **settings})
    assert message in str(raised.value)


@pytest.mark.parametrize("level", [0, 1, -0.1, 2, float("nan"), "5%"])
def test_a_bad_level_is_explained(level):
    with pytest.raises(cw.errors.OptionError, match="confidence_level is"):
        cw.compare(ORDINARY, measure="accuracy", confidence_level=level)


def test_alpha_is_called_confidence_level():
    with pytest.raises(TypeError, match="'alpha'; did you mean 'confidence_level'"):
        cw.compare_by_class([0, 1], [0, 1], [1, 1], alpha=0.01)


def test_an_unknown_setting_names_the_verb_and_the_nearest_word():
    with pytest.raises(
        TypeError, match=r"compare_by_class\(\) got an unexpected keyword argument 'n_resample'; did you mean"
    ):
        cw.compare_by_class([0, 1], [0, 1], [1, 1], n_resample=10)


@pytest.mark.parametrize(
    ("claim", "margin", "message"),
    [
        ("different", 0.01, "A margin was given, and the claim is that the models are different"),
        ("not_worse", None, "There is no margin"),
        ("not_worse", True, "margin is True"),
        ("not_worse", -0.1, "margin is -0.1"),
        ("equivalent", float("inf"), "margin is inf"),
        ("equivalent", "5", "margin is '5'"),
        ("equivalent", "x%", "margin is 'x%'"),
        ("equivalent", "100%", "margin is '100%'"),
    ],
)
def test_a_margin_that_is_none_is_explained(claim, margin, message):
    with pytest.raises(cw.errors.OptionError) as raised:
        Options(claim=claim, margin=margin)
    assert message in str(raised.value)


def test_margins_are_numbers_or_shares_and_ask_for_other_intervals():
    """Equivalence is two one-sided tests, so that 95 % become an interval of 90 % (Schuirmann 1987)."""
    plain, share = Options(claim="equivalent", margin=0.02), Options(claim="not_worse", margin=" 5 %")
    assert (plain.claimed_margin, plain.relative) == (0.02, False)
    assert (share.claimed_margin, share.relative) == (0.05, True)
    sample, measure = read_sample([0, 1, 1], {"a": [0, 1, 0], "b": [0, 1, 1]}, find("accuracy"), Reading())
    asked = Question(sample, measure, plain)
    assert asked.coverage.level == 0.90
    nearly = Question(sample, measure, Options(claim="equivalent", margin=0.02, confidence_level=0.95 + 1e-13))
    assert nearly.coverage.level == 0.90  # told to twelve decimals: what is beyond them is the noise of floats
    assert (asked.coverage.lowest, asked.coverage.highest) == (-1.0, 1.0)
    of_share = Question(sample, measure, share).coverage
    assert (of_share.lowest, of_share.highest, of_share.side) == (-1.0, float("inf"), "lower")
    assert asked.ungrouped().sample.n == 3
    with pytest.raises(cw.errors.OptionError, match=r"a level above 0\.5"):
        Options(claim="better", confidence_level=0.5)


def test_crossed_groups_are_refused_by_what_draws_whole_groups():
    answers = {"a": [0, 1, 0, 1] * 3, "b": [0, 1, 1, 1] * 3}
    how = Reading(groups=[[0, 0, 1, 1] * 3, [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5]])
    sample, measure = read_sample([0, 1, 1, 0] * 3, answers, find("accuracy"), how)
    with pytest.raises(cw.errors.NotApplicableError, match="the bootstrap draws or swaps whole groups"):
        refuse_crossed(Question(sample, measure, Options()), "the bootstrap", "another test")
    plain, measure = read_sample([0, 1, 1, 0] * 3, answers, find("accuracy"), Reading())
    refuse_crossed(Question(plain, measure, Options()), "the bootstrap", "another test")
