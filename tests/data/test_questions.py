"""Options of a question: what is none is explained."""

import pytest

import clearwin as cw
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
