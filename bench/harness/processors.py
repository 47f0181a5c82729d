"""On which processors processes run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except FileNotFoundError:
        return []


def _place(pids: Iterable[int], processors: set[int]) -> None:
    for pid in pids:
        for thread in _threads(pid):
            # A thread may have ended since.
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, processors)


@contextlib.contextmanager
def sharing_one(pids: Iterable[int]) -> Iterator[None]:
    """All threads of these processes run on one processor inside of the block. Nothing happens where that can't be had (it is
    Linux that can)."""
    pids = list(pids)
    if not Path("/proc/self/task").exists() or not hasattr(os, "sched_setaffinity"):
        yield
        return
    all = os.sched_getaffinity(0)
    _place(pids, {min(all)})
    try:
        yield
    finally:
        _place(pids, all)
