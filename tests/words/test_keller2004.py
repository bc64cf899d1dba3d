"""The experiment in words: the paper's own table beside ours, and the study when asked for."""

from clearwin.plots import pictures
from clearwin.reports.html import as_html
from clearwin.results.keller2004 import PAPER
from clearwin.simulation.keller2004 import experiment as keller2004
from tests.simulation.keller2004.texts import WORK, made_up


def test_the_papers_own_table_is_shown_beside_ours(small):
    """The printed rows of keller2004, Table 3."""
    text = str(small)
    assert PAPER == {"X": ("gaussian", 0.956, 0.924), "Y": ("gaussian", 0.542, 0.691), "Z": ("linear", 0.965, 0.825)}
    lines = {line.split()[2]: line for line in text.splitlines() if line.startswith("  Experiment over")}
    assert lines["X"].endswith("95.6% (F1*_B > F1*_A)  92.4%")
    assert lines["Y"].endswith("54.2% (F1*_B > F1*_A)  69.1%")
    assert lines["Z"].endswith("96.5% (F1*_A > F1*_B)  82.5%")
    for row in small.table:
        ahead, behind = ("A", "B") if row.leader == "linear" else ("B", "A")
        here = f"{100 * row.confidence:.1f}% (F1*_{ahead} > F1*_{behind})"
        assert here in lines[row.category_set]
        assert f"{100 * row.value:.1f}%" in lines[row.category_set].split("F1*")[2]
    assert "Table 3: Confidence on |F1_B − F1_A| > 0" in text
    assert "made up: 600 documents, 6 categories" in text
    assert "D_tr 120, D_te 100, D_true 380" in text
    assert "do not calibrate each other" in text


def test_the_study_is_part_of_the_story_and_of_the_report():
    found = keller2004.run(made_up(400), train_size=80, test_size=60, n_sets=20, rng=1, study=True, **WORK)
    told, alone = found.summary(), found.study.summary()
    assert set(alone.blocks[1:]) < set(told.blocks)  # its first block is Table 3 again
    assert set(alone.caveats) <= set(told.caveats)
    assert "study=True" in told.call
    names = [picture.name for picture in pictures(found)]
    assert names[:4] == ["figure_x", "figure_y", "figure_z", "confidence"]
    assert {"study_power", "study_calibration", "study_coverage", "study_size"} <= set(names)
    assert len(set(names)) == len(names)
    page = as_html(found)
    assert len(page.encode()) < 500_000
    for part in ("What Table 3 cannot show", "Coverage of the interval", "in the paper, on RCV1 Test confidence"):
        assert part.replace("RCV1 Test", "RCV1 Bootstrap percentile Test") in page
