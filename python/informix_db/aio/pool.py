"""The pool for asyncio."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any

from .._pool_state import Entry, Grant, PoolClosedError, PoolLimits, PoolState, PoolStats, connect_options, must_evict
from ..exceptions import Error
from .connection import AsyncConnection, connect

__all__ = ["AsyncConnectionPool", "create_pool"]

log = logging.getLogger("informix_db.pool")


class _Waiter:
    """A task that waits for a grant."""

    def __init__(self) -> None:
        self.future: asyncio.Future[Grant[AsyncConnection] | None] = asyncio.get_running_loop().create_future()

    def __call__(self, grant: Grant[AsyncConnection] | None) -> None:
        self.future.set_result(grant)


class AsyncConnectionPool:
    """Connections to one database, lent to tasks of one event loop. Made by `create_pool`.

    As `ConnectionPool`. A task that is cancelled, at whatever point, neither keeps a connection nor loses a slot.
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
    ) -> None:
        limits = PoolLimits(min_size, max_size, acquire_timeout, max_idle, max_lifetime, probe_after)
        self._state: PoolState[AsyncConnection] = PoolState(limits)
        self._connect_kwargs = connect_options(connect_kwargs)
        # Work that goes on when the task that began it is cancelled.
        self._tasks: set[asyncio.Task[None]] = set()

    async def _fill(self) -> None:
        """Opens the first connections."""
        try:
            for _ in range(self._state.limits.min_size):
                connection = await connect(**self._connect_kwargs)
                entry = self._state.adopt(connection, time.monotonic())
                self._state.size += 1
                self._state.idle.append(entry)
        except BaseException:
            await self.close()
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
        return self._state.stats()

    async def acquire(self, timeout: float | None = None) -> AsyncConnection:
        """Takes a connection; see `ConnectionPool.acquire`."""
        limit = self._state.limits.acquire_timeout if timeout is None else timeout
        started = time.monotonic()
        while True:
            self._state.check_open()
            dead: list[AsyncConnection] = []
            grant = self._state.take(time.monotonic(), dead)
            self._discard(dead)
            if grant is None:
                grant = await self._wait(started, limit)
            connection = await self._redeem(grant)
            if connection is not None:
                return connection

    async def _wait(self, started: float, limit: float | None) -> Grant[AsyncConnection]:
        waiter = _Waiter()
        self._state.waiters.append(waiter)
        remaining = None if limit is None else max(0.0, started + limit - time.monotonic())
        try:
            # `wait` never cancels the future: a grant can't be lost between two steps of the loop.
            await asyncio.wait([waiter.future], timeout=remaining)
        except BaseException:
            if waiter.future.done():
                self._pass_on(waiter.future.result())
            else:
                self._state.waiters.remove(waiter)
            raise
        self._state.waited += time.monotonic() - started
        if not waiter.future.done():
            self._state.waiters.remove(waiter)
            raise self._state.timed_out(limit)
        grant = waiter.future.result()
        if grant is None:
            raise PoolClosedError("the pool was closed")
        return grant

    def _pass_on(self, grant: Grant[AsyncConnection] | None) -> None:
        """What a cancelled task was granted goes to the next."""
        if grant is None:
            return
        if grant.entry is None:
            self._state.free_slot()
        else:
            dead: list[AsyncConnection] = []
            self._state.shelve(grant.entry, time.monotonic(), dead)
            self._discard(dead)

    async def _redeem(self, grant: Grant[AsyncConnection]) -> AsyncConnection | None:
        """The connection of a grant; None when it turned out to be dead: its slot is free then."""
        try:
            entry = grant.entry
            if entry is None:
                entry = self._state.adopt(await connect(**self._connect_kwargs), time.monotonic())
            elif grant.probe:
                await entry.connection.ping()
        except BaseException as error:
            self._state.free_slot()
            if grant.entry is not None:
                self._discard([grant.entry.connection])
                if isinstance(error, Error):
                    log.debug("an idle connection is dead: %s", error)
                    return None
            raise
        if self._state.closed:
            self._state.free_slot()
            self._discard([entry.connection])
            raise PoolClosedError("the pool was closed")
        return self._state.lend(entry)

    async def release(self, connection: AsyncConnection, *, broken: bool = False) -> None:
        """Gives a connection back. It is rolled back and reset; when that is not possible, or `broken`, it is closed.

        The work goes on to its end when the task is cancelled meanwhile.
        """
        entry = self._state.returned(connection)
        task = asyncio.get_running_loop().create_task(self._take_back(entry, broken))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)

    async def _take_back(self, entry: Entry[AsyncConnection], broken: bool) -> None:
        good = False
        try:
            good = not broken and not self._state.closed and await self._clean(entry.connection)
        finally:
            dead: list[AsyncConnection] = []
            if good:
                self._state.shelve(entry, time.monotonic(), dead)
            else:
                dead.append(entry.connection)
                self._state.free_slot()
            self._discard(dead)

    async def _clean(self, connection: AsyncConnection) -> bool:
        """Makes a connection as good as new."""
        if connection.closed:
            return False
        try:
            if not await connection._core.reset():
                return False
            connection.row_factory = self._connect_kwargs.get("row_factory")
            connection.autocommit = self._connect_kwargs.get("autocommit", False)
        except Error as error:
            log.warning("a connection that came back could not be reset and is closed: %s", error)
            return False
        return True

    @asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncIterator[AsyncConnection]:
        """Lends a connection for an `async with` block. What the block leaves open is rolled back."""
        connection = await self.acquire(timeout)
        try:
            yield connection
        except BaseException as error:
            await self.release(connection, broken=must_evict(error))
            raise
        else:
            await self.release(connection)

    async def close(self) -> None:
        """Closes the idle connections; those in use are closed when they come back."""
        self._discard(self._state.shut())
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _discard(self, connections: list[AsyncConnection]) -> None:
        for connection in connections:
            self._state.discarded += 1
            task = asyncio.get_running_loop().create_task(_close(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def __aenter__(self) -> AsyncConnectionPool:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return (
            f"<AsyncConnectionPool size={self.size} idle={self.idle_count} "
            f"max_size={self.max_size}{' closed' * self.closed}>"
        )


async def _close(connection: AsyncConnection) -> None:
    if connection._core.busy:
        connection.abort()
    with suppress(Error):
        await connection.close()


async def create_pool(
    *,
    min_size: int = 0,
    max_size: int = 10,
    acquire_timeout: float | None = 30.0,
    max_idle: float | None = 600.0,
    max_lifetime: float | None = 3600.0,
    probe_after: float | None = 60.0,
    **connect_kwargs: Any,
) -> AsyncConnectionPool:
    """Makes a pool and opens its first `min_size` connections. Further arguments are those of `connect`."""
    pool = AsyncConnectionPool(
        min_size=min_size,
        max_size=max_size,
        acquire_timeout=acquire_timeout,
        max_idle=max_idle,
        max_lifetime=max_lifetime,
        probe_after=probe_after,
        connect_kwargs=connect_kwargs,
    )
    await pool._fill()
    return pool
