"""What is measured with a Python driver. The same code runs with ours and with the peer.

Each workload is a function of a `Session` and arguments that gives an `Operation`. To add one: write it in the module of its kind,
decorate it with `@workload`, and name it in a line of `bench/lines.py`.
"""

from __future__ import annotations

from . import aio, connecting, fetching, inserting, memory, pools, selecting  # noqa: F401 - they register themselves
from .operation import WORKLOADS, Operation, Session, Unsupported

__all__ = ["WORKLOADS", "Operation", "Session", "Unsupported"]
