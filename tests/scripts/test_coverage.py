"""The shares of readers that tests reach become rows, and one below the band is named."""

from __future__ import annotations

from proof.coverage import READERS, rows


def test_a_reader_that_is_not_reached_is_named():
    sound, low = rows({"files/sources.py": (97.2, 700), "logs/trec.py": (93.44, 120)}, 60.0)
    assert (sound.tried, sound.figure, sound.met) == (820, "93.4 % to 97.2 %", False)
    assert (low.what, low.figure, low.tried) == ("lines and branches of data/logs/trec.py", "93.4 %", 120)


def test_a_share_is_not_rounded_into_the_band():
    (every,) = rows({"a.py": (95.0, 10), "b.py": (100.0, 10)}, 1.0)
    assert every.met
    assert not rows({"a.py": (94.99, 10)}, 1.0)[0].met


def test_the_readers_are_there():
    assert (READERS / "files" / "sources.py").exists()
