"""The blocking pool."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from ._pool_state import (
    Grant,
    PoolClosedError,
    PoolLimits,
    PoolState,
    PoolStats,
    PoolTimeoutError,
    connect_options,
    must_evict,
)
from .connections import Connection
from .exceptions import Error

__all__ = ["ConnectionPool", "PoolClosedError", "PoolStats", "PoolTimeoutError", "create_pool"]

log = logging.getLogger("informix_db.pool")


class _Waiter:
    """A thread that waits for a grant."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.grant: Grant[Connection] | None = None

    def __call__(self, grant: Grant[Connection] | None) -> None:
        self.grant = grant
        self.ready.set()


class ConnectionPool:
    """Connections to one database, lent to threads.

    Handing out costs no round trip: an idle connection's socket is looked at, and only after `probe_after` seconds is the
    server asked. A connection that comes back is rolled back and reset.
    """

    def __init__(
        self,
        *,
        min_size: int = 0,
        max_size: int = 10,
        acquire_timeout: float | None = 30.0,
        connect_kwargs: dict[str, Any] | None = None,
        max_idle: float | None = 600.0,
        max_lifetime: float | None = 3600.0,
        probe_after: float | None = 60.0,
        connection_factory: Callable[..., Connection] = Connection,
    ) -> None:
        limits = PoolLimits(min_size, max_size, acquire_timeout, max_idle, max_lifetime, probe_after)
        self._state: PoolState[Connection] = PoolState(limits)
        self._lock = threading.Lock()
        self._connect_kwargs = connect_options(connect_kwargs)
        self._connect = connection_factory
        try:
            for _ in range(min_size):
                now = time.monotonic()
                entry = self._state.adopt(self._connect(**self._connect_kwargs), now)
                self._state.size += 1
                self._state.idle.append(entry)
        except BaseException:
            self.close()
            raise

    @property
    def min_size(self) -> int:
        """So many connections stay open when they are idle."""
        return self._state.limits.min_size

    @property
    def max_size(self) -> int:
        """So many connections may exist."""
        return self._state.limits.max_size

    @property
    def size(self) -> int:
        """Connections that exist or are being opened."""
        return self._state.size

    @property
    def idle_count(self) -> int:
        """Connections that wait to be taken."""
        return len(self._state.idle)

    @property
    def closed(self) -> bool:
        """Whether the pool was closed."""
        return self._state.closed

    def stats(self) -> PoolStats:
        """The pool's numbers."""
        with self._lock:
            return self._state.stats()

    def acquire(self, timeout: float | None = None) -> Connection:
        """Takes a connection: the one used last, a new one while there are fewer than `max_size`, else the next that
        comes back. PoolTimeoutError after `timeout` seconds (default: the pool's `acquire_timeout`)."""
        limit = self._state.limits.acquire_timeout if timeout is None else timeout
        started = time.monotonic()
        while True:
            dead: list[Connection] = []
            waiter: _Waiter | None = None
            with self._lock:
                self._state.check_open()
                grant = self._state.take(time.monotonic(), dead)
                if grant is None:
                    waiter = _Waiter()
                    self._state.waiters.append(waiter)
            self._discard(dead)
            if waiter is not None:
                grant = self._wait(waiter, started, limit)
            assert grant is not None
            connection = self._redeem(grant)
            if connection is not None:
                return connection

    def _wait(self, waiter: _Waiter, started: float, limit: float | None) -> Grant[Connection]:
        try:
            waiter.ready.wait(None if limit is None else max(0.0, started + limit - time.monotonic()))
        except BaseException:
            self._withdraw(waiter)
            raise
        with self._lock:
            self._state.waited += time.monotonic() - started
            if not waiter.ready.is_set():
                self._state.waiters.remove(waiter)
                raise self._state.timed_out(limit)
            if waiter.grant is None:
                raise PoolClosedError("the pool was closed")
            return waiter.grant

    def _withdraw(self, waiter: _Waiter) -> None:
        """A wait was interrupted by an exception (Ctrl-C): what was granted meanwhile goes to the next."""
        dead: list[Connection] = []
        with self._lock:
            if not waiter.ready.is_set():
                self._state.waiters.remove(waiter)
            elif waiter.grant is not None:
                if waiter.grant.entry is None:
                    self._state.free_slot()
                else:
                    self._state.shelve(waiter.grant.entry, time.monotonic(), dead)
        self._discard(dead)

    def _redeem(self, grant: Grant[Connection]) -> Connection | None:
        """The connection of a grant; None when it turned out to be dead: its slot is free then."""
        try:
            if grant.entry is None:
                connection = self._connect(**self._connect_kwargs)
            else:
                connection = grant.entry.connection
                if grant.probe:
                    connection.ping()
        except BaseException as error:
            with self._lock:
                self._state.free_slot()
            if grant.entry is not None:
                self._discard([grant.entry.connection])
                if isinstance(error, Error):
                    log.debug("an idle connection is dead: %s", error)
                    return None
            raise
        with self._lock:
            entry = grant.entry or self._state.adopt(connection, time.monotonic())
            if not self._state.closed:
                return self._state.lend(entry)
            self._state.free_slot()
        self._discard([connection])
        raise PoolClosedError("the pool was closed")

    def release(self, connection: Connection, *, broken: bool = False) -> None:
        """Gives a connection back. It is rolled back and reset; when that is not possible, or `broken`, it is closed."""
        with self._lock:
            entry = self._state.returned(connection)
        dead: list[Connection] = []
        try:
            good = not broken and not self._state.closed and self._clean(connection)
        except BaseException:
            good = False
            raise
        finally:
            with self._lock:
                if good:
                    self._state.shelve(entry, time.monotonic(), dead)
                else:
                    dead.append(connection)
                    self._state.free_slot()
            self._discard(dead)

    def _clean(self, connection: Connection) -> bool:
        """Makes a connection as good as new."""
        if connection.closed:
            return False
        if connection.thread_busy:
            log.warning("a connection came back while a thread still works in it; it is closed")
            return False
        try:
            if not connection.reset():
                return False
            connection.row_factory = self._connect_kwargs.get("row_factory")
            connection.autocommit = self._connect_kwargs.get("autocommit", False)
        except Error as error:
            log.warning("a connection that came back could not be reset and is closed: %s", error)
            return False
        return True

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection]:
        """Lends a connection for a `with` block. Nothing is committed: what the block leaves open is rolled back."""
        connection = self.acquire(timeout)
        try:
            yield connection
        except BaseException as error:
            self.release(connection, broken=must_evict(error))
            raise
        else:
            self.release(connection)

    def close(self) -> None:
        """Closes the idle connections; those in use are closed when they come back."""
        with self._lock:
            dead = self._state.shut()
        self._discard(dead)

    def _discard(self, connections: list[Connection]) -> None:
        for connection in connections:
            with self._lock:
                self._state.discarded += 1
            with suppress(Error):
                if connection.thread_busy:
                    connection.abort()
                else:
                    connection.close()

    def __enter__(self) -> ConnectionPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ConnectionPool size={self.size} idle={self.idle_count} max_size={self.max_size}{' closed' * self.closed}>"

    @property
    def _idle(self) -> list[Connection]:
        return [entry.connection for entry in self._state.idle]


def create_pool(
    *,
    host: str | None = None,
    port: int | None = None,
    user: str | None = None,
    password: str | None = None,
    database: str | None = None,
    server: str | None = None,
    min_size: int = 0,
    max_size: int = 10,
    acquire_timeout: float | None = 30.0,
    max_idle: float | None = 600.0,
    max_lifetime: float | None = 3600.0,
    probe_after: float | None = 60.0,
    **connect_kwargs: Any,
) -> ConnectionPool:
    """Makes a pool and opens its first `min_size` connections. Further arguments are those of `connect`."""
    from . import connect

    return ConnectionPool(
        min_size=min_size,
        max_size=max_size,
        acquire_timeout=acquire_timeout,
        max_idle=max_idle,
        max_lifetime=max_lifetime,
        probe_after=probe_after,
        connection_factory=connect,
        connect_kwargs=dict(
            connect_kwargs, host=host, port=port, user=user, password=password, database=database, server=server
        ),
    )
