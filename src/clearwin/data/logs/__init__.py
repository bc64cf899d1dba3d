"""Evaluation logs in, the same items of all systems side by side out: ``read`` and what it returns, ``Runs``.

``describe`` says what is in them.
"""

from clearwin.data.logs.pairing import describe, read
from clearwin.data.logs.runs import Runs

__all__ = ["Runs", "describe", "read"]
