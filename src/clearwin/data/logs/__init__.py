"""Evaluation logs in, the same items of all systems side by side out: ``read`` and what it returns, ``Runs``.

``describe`` says what is in them, and ``contents`` returns that as JSON has it.
"""

from clearwin.data.logs.pairing import contents, describe, read
from clearwin.data.logs.runs import Runs

__all__ = ["Runs", "contents", "describe", "read"]
