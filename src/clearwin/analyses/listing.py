"""What there is: every measure and every test, by name."""

from __future__ import annotations

from clearwin.measures import REGISTRY as MEASURES
from clearwin.measures import Measure
from clearwin.significance import REGISTRY as TESTS
from clearwin.significance import Test


def measures() -> dict[str, Measure]:
    """Return every registered measure: name → record.

    >>> import clearwin as cw
    >>> cw.measures()["f1"].decomposition
    'none'
    """
    return dict(MEASURES)


def tests() -> dict[str, Test]:
    """Return every registered test: name → record.

    >>> import clearwin as cw
    >>> cw.tests()["mcnemar"].judges
    ('items',)
    """
    return dict(TESTS)
