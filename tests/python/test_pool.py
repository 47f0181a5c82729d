"""Pools, blocking and asyncio: one table of behaviour for both."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

import informix_db
from informix_db import aio


class Pools:
    """A pool of one face, with coroutines as methods."""

    def __init__(self, name, server):
        self.name = name
        self.arguments = server.connect_args()
        self.made = []

    async def make(self, **more):
        arguments = {**self.arguments, **more}
        if self.name == "asyncio":
            pool = await aio.create_pool(**arguments)
        else:
            pool = BlockingPool(informix_db.create_pool(**arguments))
        self.made.append(pool)
        return pool

    async def run(self, connection, sql, *parameters):
        cursor = connection.cursor()
        if self.name == "asyncio":
            await cursor.execute(sql, parameters or None)
            return await cursor.fetchall()
        cursor.execute(sql, parameters or None)
        return cursor.fetchall()

    async def break_connection(self, connection):
        connection.abort()


class BlockingPool:
    """The blocking pool with coroutines; waiting happens in a thread."""

    def __init__(self, pool):
        self.pool = pool

    def __getattr__(self, name):
        return getattr(self.pool, name)

    async def acquire(self, timeout=None):
        return await asyncio.to_thread(self.pool.acquire, timeout)

    async def release(self, connection, *, broken=False):
        self.pool.release(connection, broken=broken)

    async def close(self):
        self.pool.close()

    def connection(self, timeout=None):
        return AsyncContext(self.pool.connection(timeout))


class AsyncContext:
    def __init__(self, context):
        self.context = context

    async def __aenter__(self):
        return self.context.__enter__()

    async def __aexit__(self, *exception):
        return self.context.__exit__(*exception)


@pytest.fixture(params=["blocking", "asyncio"])
async def pools(request, server):
    one = Pools(request.param, server)
    yield one
    for pool in one.made:
        await pool.close()


async def test_sizes(pools):
    pool = await pools.make(min_size=2, max_size=3)
    assert (pool.min_size, pool.max_size, pool.size, pool.idle_count) == (2, 3, 2, 2)
    taken = [await pool.acquire() for _ in range(3)]
    assert (pool.size, pool.idle_count) == (3, 0)
    for connection in taken:
        await pool.release(connection)
    assert (pool.size, pool.idle_count) == (3, 3)
    stats = pool.stats()
    assert (stats.opened, stats.acquired, stats.in_use, stats.idle, stats.waiting) == (3, 3, 0, 3, 0)


@pytest.mark.parametrize("sizes", [(-1, 1), (0, 0), (3, 2)])
async def test_impossible_sizes(pools, sizes):
    with pytest.raises(ValueError):
        await pools.make(min_size=sizes[0], max_size=sizes[1])


async def test_the_last_used_connection_comes_first(pools):
    pool = await pools.make(max_size=3)
    first, second = await pool.acquire(), await pool.acquire()
    await pool.release(second)
    await pool.release(first)
    assert await pool.acquire() is first
    await pool.release(first)


async def test_timeout(pools):
    pool = await pools.make(max_size=1)
    taken = await pool.acquire()
    with pytest.raises(informix_db.PoolTimeoutError, match="max_size=1"):
        await pool.acquire(0.05)
    await pool.release(taken)
    assert pool.stats().timeouts == 1
    await pool.release(await pool.acquire(0.05))


async def test_waiters_are_served_in_turn(pools):
    pool = await pools.make(max_size=1)
    taken = await pool.acquire()
    order = []

    async def wait(number):
        connection = await pool.acquire()
        order.append(number)
        await pool.release(connection)

    tasks = []
    for number in range(5):
        tasks.append(asyncio.create_task(wait(number)))
        while pool.stats().waiting <= number:
            await asyncio.sleep(0)
    await pool.release(taken)
    await asyncio.gather(*tasks)
    assert order == list(range(5))
    assert pool.size == 1 and pool.idle_count == 1


async def test_what_a_borrower_leaves_open_is_rolled_back(pools, table):
    name = table()
    pool = await pools.make(max_size=1)
    async with pool.connection() as connection:
        await pools.run(connection, f"CREATE TABLE {name} (i INTEGER)")
        await (connection.commit() if pools.name == "asyncio" else asyncio.to_thread(connection.commit))
    async with pool.connection() as connection:
        await pools.run(connection, f"INSERT INTO {name} VALUES (1)")
        before = connection
    async with pool.connection() as connection:
        assert connection is before
        assert not connection.in_transaction
        assert await pools.run(connection, f"SELECT COUNT(*) FROM {name}") == [(0,)]


async def test_what_a_borrower_set_is_set_back(pools):
    pool = await pools.make(max_size=1)
    async with pool.connection() as connection:
        connection.row_factory = informix_db.Row
        connection.autocommit = True
    async with pool.connection() as connection:
        assert connection.row_factory is None and connection.autocommit is False


async def test_errors_in_the_block(pools):
    pool = await pools.make(max_size=1)
    for error, kept in (
        (ValueError("of the program"), 1),
        (informix_db.OperationalError("of the driver"), 0),
        (informix_db.IntegrityError("of the server"), 1),
    ):
        with pytest.raises(type(error)):
            async with pool.connection():
                raise error
        assert pool.size == kept
        await pool.release(await pool.acquire())


async def test_a_lock_conflict_does_not_cost_the_connection(pools):
    pool = await pools.make(max_size=1)
    error = informix_db.OperationalError("locked")
    error.sqlcode = -244
    with pytest.raises(informix_db.OperationalError):
        async with pool.connection():
            raise error
    assert pool.size == 1


async def test_broken_connections_leave(pools):
    pool = await pools.make(max_size=1)
    connection = await pool.acquire()
    await pool.release(connection, broken=True)
    assert (pool.size, pool.idle_count) == (0, 0)
    connection = await pool.acquire()
    await pools.break_connection(connection)
    await pool.release(connection)
    assert pool.size == 0
    await pool.release(await pool.acquire())


async def test_dead_idle_connections_are_replaced(pools):
    pool = await pools.make(min_size=2, max_size=2)
    for entry in pool._state.idle:
        await pools.break_connection(entry.connection)
    async with pool.connection() as connection:
        assert await pools.run(connection, "SELECT tabid FROM systables WHERE tabid = 1") == [(1,)]
    assert pool.size == 1


async def test_taking_a_connection_costs_no_round_trip(pools):
    pool = await pools.make(max_size=1, autocommit=True)
    connection = await pool.acquire()
    await pools.run(connection, "SELECT tabid FROM systables WHERE tabid = 1")
    core = getattr(connection, "_core", connection)
    await pool.release(connection)
    before = core.round_trips()
    assert await pool.acquire() is connection
    assert core.round_trips() == before
    await pool.release(connection)


async def test_long_idle_connections_are_probed(pools):
    pool = await pools.make(max_size=1, probe_after=0)
    connection = await pool.acquire()
    core = getattr(connection, "_core", connection)
    await pool.release(connection)
    before = core.round_trips()
    assert await pool.acquire() is connection
    assert core.round_trips()[2] == before[2] + 1
    await pool.release(connection)


async def test_old_connections_are_replaced(pools):
    pool = await pools.make(max_size=1, max_lifetime=0)
    first = await pool.acquire()
    await pool.release(first)
    assert pool.size == 0
    second = await pool.acquire()
    assert second is not first
    await pool.release(second)


async def test_idle_connections_beyond_the_minimum_are_closed(pools):
    pool = await pools.make(min_size=1, max_size=3, max_idle=0)
    taken = [await pool.acquire() for _ in range(3)]
    for connection in taken:
        await pool.release(connection)
    connection = await pool.acquire()
    await pool.release(connection)
    assert pool.size == 1


async def test_a_connection_cannot_come_back_twice(pools):
    pool = await pools.make(max_size=1)
    connection = await pool.acquire()
    await pool.release(connection)
    with pytest.raises(informix_db.InterfaceError):
        await pool.release(connection)
    assert (pool.size, pool.idle_count) == (1, 1)


async def test_close(pools):
    pool = await pools.make(min_size=1, max_size=2)
    taken = await pool.acquire()
    await pool.close()
    await pool.close()
    with pytest.raises(informix_db.PoolClosedError):
        await pool.acquire()
    await pool.release(taken)
    assert pool.size == 0
    while not taken.closed:
        await asyncio.sleep(0)


async def test_closing_wakes_who_waits(pools):
    pool = await pools.make(max_size=1)
    taken = await pool.acquire()
    waiting = asyncio.create_task(pool.acquire())
    while not pool.stats().waiting:
        await asyncio.sleep(0)
    await pool.close()
    with pytest.raises(informix_db.PoolClosedError):
        await waiting
    await pool.release(taken)


async def test_the_first_connections_fail(pools):
    with pytest.raises(informix_db.OperationalError):
        await pools.make(min_size=1, password="wrong")


async def test_a_failed_connect_frees_the_slot(pools):
    pool = await pools.make(max_size=1, password="wrong")
    for _ in range(3):
        with pytest.raises(informix_db.OperationalError):
            await pool.acquire(1)
    assert pool.size == 0


def test_many_threads(server):
    with informix_db.create_pool(**server.connect_args(autocommit=True), max_size=3) as pool:
        failures = []

        def work():
            try:
                for _ in range(10):
                    with pool.connection(20) as connection:
                        cursor = connection.cursor()
                        cursor.execute("SELECT tabid FROM systables WHERE tabid = ?", (1,))
                        assert cursor.fetchall() == [(1,)]
            except BaseException as error:  # told to the main thread
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert pool.size <= 3 and pool.stats().in_use == 0


def test_a_connection_that_is_still_worked_in_is_not_handed_on(server, table):
    with informix_db.create_pool(**server.connect_args(), max_size=1) as pool:
        connection = pool.acquire()
        started = threading.Event()

        def work():
            cursor = connection.cursor()
            started.set()
            try:
                cursor.execute("SELECT COUNT(*) FROM syscolumns a, syscolumns b, syscolumns c, syscolumns d")
                cursor.fetchall()
            except informix_db.Error:
                pass

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        deadline = time.monotonic() + 10
        while not connection.thread_busy and time.monotonic() < deadline:
            time.sleep(0.001)
        pool.release(connection)
        assert pool.size == 0
        thread.join()
