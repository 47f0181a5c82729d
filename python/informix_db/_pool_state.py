"""What the blocking and the asyncio pool have in common: which connections there are and who gets the next one.

Nothing here waits or does I/O. The blocking pool calls it under its lock, the asyncio pool on its loop.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from .exceptions import InterfaceError, OperationalError

__all__ = ["Grant", "PoolClosedError", "PoolLimits", "PoolState", "PoolStats", "PoolTimeoutError", "must_evict"]


class PoolClosedError(InterfaceError):
    """The pool was closed."""


class PoolTimeoutError(OperationalError):
    """No connection became free in time."""


class Pooled(Protocol):
    """What the pool asks of an idle connection."""

    @property
    def closed(self) -> bool: ...
    def is_alive(self) -> bool: ...


C = TypeVar("C", bound=Pooled)


@dataclass(frozen=True)
class PoolLimits:
    """The settings of a pool. Times are in seconds; None = no limit."""

    min_size: int = 0
    max_size: int = 10
    acquire_timeout: float | None = 30.0
    max_idle: float | None = 600.0
    """Idle connections beyond `min_size` are closed after this time."""
    max_lifetime: float | None = 3600.0
    """Connections of this age are closed instead of being handed out again."""
    probe_after: float | None = 60.0
    """A connection that was idle for longer is asked for a sign of life before it is handed out; all others are only looked at."""

    def __post_init__(self) -> None:
        if self.min_size < 0:
            raise ValueError(f"min_size must be 0 or more, not {self.min_size}")
        if self.max_size < 1:
            raise ValueError(f"max_size must be 1 or more, not {self.max_size}")
        if self.min_size > self.max_size:
            raise ValueError(f"min_size={self.min_size} is more than max_size={self.max_size}")
        for name in ("acquire_timeout", "max_idle", "max_lifetime", "probe_after"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ValueError(f"{name} must be 0 or more, not {value}")


@dataclass(frozen=True)
class PoolStats:
    """A pool's numbers at one moment, and since it was made."""

    size: int
    """Connections that exist or are being opened."""
    idle: int
    in_use: int
    waiting: int
    """Callers that wait for a connection."""
    opened: int
    closed: int
    acquired: int
    timeouts: int
    waited: float
    """Seconds that callers waited, all together."""


@dataclass
class Entry(Generic[C]):
    """A connection of the pool."""

    connection: C
    born: float
    idle_since: float


@dataclass
class Grant(Generic[C]):
    """The right to a connection: one that is there, or the slot for a new one."""

    entry: Entry[C] | None
    probe: bool = False
    """Whether the connection was idle for so long that it must be asked for a sign of life."""


@dataclass
class PoolState(Generic[C]):
    """The books of a pool."""

    limits: PoolLimits
    size: int = 0
    closed: bool = False
    idle: list[Entry[C]] = field(default_factory=list)
    in_use: dict[int, Entry[C]] = field(default_factory=dict)
    waiters: deque[Callable[[Grant[C] | None], None]] = field(default_factory=deque)
    """Called once with a grant, or None when the pool closes. First come, first served."""
    opened: int = 0
    discarded: int = 0
    acquired: int = 0
    timeouts: int = 0
    waited: float = 0.0

    def check_open(self) -> None:
        """Raises when the pool was closed."""
        if self.closed:
            raise PoolClosedError("the pool is closed")

    def take(self, now: float, dead: list[C]) -> Grant[C] | None:
        """The most recently used connection that is good, else a slot, else None: the caller must wait.

        Connections that are not good any more leave the pool and are appended to `dead`.
        """
        limits = self.limits
        while self.idle:
            entry = self.idle.pop()
            if _older(now, entry.born, limits.max_lifetime) or entry.connection.closed or not entry.connection.is_alive():
                self.size -= 1
                dead.append(entry.connection)
                continue
            self.reap(now, dead)
            return Grant(entry, probe=_older(now, entry.idle_since, limits.probe_after))
        if self.size < limits.max_size:
            self.size += 1
            return Grant(None)
        return None

    def lend(self, entry: Entry[C]) -> C:
        """Books a connection as being in use."""
        self.in_use[id(entry.connection)] = entry
        self.acquired += 1
        return entry.connection

    def adopt(self, connection: C, now: float) -> Entry[C]:
        """Takes in a connection that was opened for a slot."""
        self.opened += 1
        return Entry(connection, now, now)

    def returned(self, connection: C) -> Entry[C]:
        """Books a connection as not being in use any more."""
        entry = self.in_use.pop(id(connection), None)
        if entry is None:
            raise InterfaceError("the connection was not taken from this pool, or was given back already")
        return entry

    def shelve(self, entry: Entry[C], now: float, dead: list[C]) -> None:
        """Gives a good connection to who waits longest, or puts it among the idle ones."""
        if self.closed or _older(now, entry.born, self.limits.max_lifetime):
            dead.append(entry.connection)
            self.free_slot()
            return
        entry.idle_since = now
        if self.waiters:
            self.waiters.popleft()(Grant(entry))
        else:
            self.idle.append(entry)
            self.reap(now, dead)

    def free_slot(self) -> None:
        """A connection has left the pool: who waits longest may open another."""
        self.size -= 1
        if self.waiters and not self.closed and self.size < self.limits.max_size:
            self.size += 1
            self.waiters.popleft()(Grant(None))

    def reap(self, now: float, dead: list[C]) -> None:
        """Takes out what was idle for too long, oldest first, down to `min_size`."""
        while self.idle and self.size > self.limits.min_size:
            if not _older(now, self.idle[0].idle_since, self.limits.max_idle):
                break
            dead.append(self.idle.pop(0).connection)
            self.size -= 1

    def shut(self) -> list[C]:
        """Closes the books. Gives the idle connections; those in use leave when they come back."""
        self.closed = True
        dead = [entry.connection for entry in self.idle]
        self.idle.clear()
        self.size -= len(dead)
        while self.waiters:
            self.waiters.popleft()(None)
        return dead

    def timed_out(self, timeout: float | None) -> PoolTimeoutError:
        """Counts and makes the error."""
        self.timeouts += 1
        return PoolTimeoutError(
            f"no connection became free within {timeout} s (max_size={self.limits.max_size}, "
            f"{len(self.in_use)} in use, {len(self.waiters)} others waiting)"
        )

    def stats(self) -> PoolStats:
        """The numbers of now."""
        return PoolStats(
            size=self.size,
            idle=len(self.idle),
            in_use=len(self.in_use),
            waiting=len(self.waiters),
            opened=self.opened,
            closed=self.discarded,
            acquired=self.acquired,
            timeouts=self.timeouts,
            waited=self.waited,
        )


def _older(now: float, since: float, limit: float | None) -> bool:
    return now - since > (math.inf if limit is None else limit)


def must_evict(error: BaseException) -> bool:
    """Whether a connection is not to be used again after an error that left the block it was lent for.

    What the server answered with a code leaves the session good; what the driver found itself may have broken it.
    """
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    return error.is_disconnect or error.sqlcode is None


def connect_options(options: dict[str, Any] | None) -> dict[str, Any]:
    """Arguments of `connect` without those that were left open."""
    return {name: value for name, value in (options or {}).items() if value is not None}
