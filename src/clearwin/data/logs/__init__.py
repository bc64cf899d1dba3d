"""Evaluation logs in, the same items of all systems side by side out: ``read`` and what it returns, ``Runs``."""

from clearwin.data.logs.pairing import Runs, read

__all__ = ["Runs", "read"]
