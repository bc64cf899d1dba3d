"""Results that the tests of several folders look at, made once, and when Python looks for cycles."""

import gc

import pytest

# by default Python would look through all modules and all tests again and again: a fifth of the time of all tests
gc.set_threshold(20_000, 20, 20)


# whoever of the workers takes one of these last would still be busy when the others have nothing left to do
LONGEST = ("web/test_browser.py", "reports/test_html.py", "analyses/test_rank.py", "web/test_jobs.py")


# whose fixtures are results of every kind, which take seconds to make: one worker makes them, and once
TOGETHER = {"/plots/": "pictures", "/reports/": "results", "/results/": "results", "/keller2004/": "keller2004"}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give whole files to a worker, and those that look at the same results to the same one."""
    from xdist.scheduler import LoadFileScheduling

    class BySharedResults(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return next((name for folder, name in TOGETHER.items() if folder in file), file)

    return BySharedResults(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONGEST))


def pytest_collection_finish():
    gc.freeze()


def pytest_unconfigure():
    gc.unfreeze()


@pytest.fixture(scope="session")
def results():
    """One result of every kind."""
    from tests.one_of_each import MAKERS

    return {kind: make() for kind, make in MAKERS.items()}


@pytest.fixture(scope="session")
def hostile_results():
    """Results of models whose names try to be more than text."""
    from tests.one_of_each import MAKERS
    from tests.reports.pages import TURNS

    return [(kind, pair, MAKERS[kind](names=pair)) for kind, pair in TURNS]


@pytest.fixture(scope="session")
def made():
    """Results of every kind that has pictures."""
    from tests.plots.made import MADE

    return {key: make("old", "new") for key, make in MADE.items()}


@pytest.fixture(scope="session")
def small():
    """The experiment of keller2004 on few texts."""
    from clearwin.simulation.keller2004 import experiment
    from tests.simulation.keller2004.texts import WORK, made_up

    return experiment.run(made_up(600), train_size=120, test_size=100, n_resamples=500, n_sets=100, rng=4, **WORK)


@pytest.fixture(scope="session")
def shipped():
    """The corpus that scikit-learn ships."""
    from clearwin.simulation.keller2004.corpora import documentation

    return documentation()
