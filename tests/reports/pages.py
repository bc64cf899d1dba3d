"""Pages as a browser reads them, and names that try to be more than text."""

import pytest

from clearwin.text import one_line
from tests.hostile import NAMES
from tests.one_of_each import MAKERS

every_kind = pytest.mark.parametrize("kind", MAKERS)


def spaced(text):
    return " ".join(one_line(text).split())


PAIRS = [(NAMES[i], NAMES[(i + 1) % len(NAMES)]) for i in range(0, len(NAMES), 2)]
# each pair of names goes through one kind of result, in turn
TURNS = [(list(MAKERS)[i % len(MAKERS)], pair) for i, pair in enumerate(PAIRS)]
