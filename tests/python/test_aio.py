"""What only asyncio has: cancellation at every point, no threads, other event loops."""

from __future__ import annotations

import asyncio
import random
import threading

import pytest

import informix_db
from informix_db import aio

SLOW = "SELECT COUNT(*) FROM syscolumns a, syscolumns b, syscolumns c, syscolumns d"


@pytest.fixture
async def db(server):
    async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
        yield connection


async def works(connection):
    async with connection.cursor() as cursor:
        await cursor.execute("SELECT tabid FROM systables WHERE tabid = ?", (1,))
        return await cursor.fetchall() == [(1,)]


async def cancel_after(steps, coroutine):
    """Runs a coroutine and cancels it after so many steps of the loop. Whether it was cancelled."""
    task = asyncio.ensure_future(coroutine)
    for _ in range(steps):
        if task.done():
            break
        await asyncio.sleep(0)
    cancelled = not task.done()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return True
    return cancelled and task.cancelled()


async def statement(connection):
    cursor = connection.cursor()
    await cursor.execute("SELECT tabid FROM systables WHERE tabid > ? ORDER BY tabid", (0,))
    await cursor.fetchone()
    await cursor.fetchall()
    await cursor.close()


async def insertion(connection):
    cursor = connection.cursor()
    await cursor.executemany("INSERT INTO c VALUES (?)", [(i,) for i in range(500)])


async def change(connection):
    await connection.begin()
    cursor = connection.cursor()
    await cursor.execute("INSERT INTO c VALUES (1)")
    await connection.commit()


@pytest.mark.parametrize("operation", [statement, insertion, change], ids=lambda one: one.__name__)
async def test_cancelled_at_every_point(server, operation):
    """However far the operation came, the connection works afterwards, or says that it is closed."""
    for steps in range(60):
        async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
            await connection.cursor().execute("CREATE TEMP TABLE c (i INTEGER)")
            cancelled = await cancel_after(steps, operation(connection))
            if not connection.closed:
                if connection.in_transaction:
                    await connection.rollback()
                assert await works(connection), f"after {steps} steps"
        if not cancelled:
            return
        await asyncio.sleep(0)
    # Everything up to 60 steps of the loop was tried.


async def test_cancelled_while_connecting(server):
    """No socket stays behind: the server ends every session that was begun."""
    for steps in range(40):
        if not await cancel_after(steps, open_and_close(server)):
            break
    async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
        assert await works(connection)


async def open_and_close(server):
    connection = await aio.connect(**server.connect_args())
    await connection.close()


async def test_a_slow_statement_is_ended(db):
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(db.cursor().execute(SLOW), 0.2)
    if not db.closed:
        assert await asyncio.wait_for(works(db), 20)


async def test_cancelled_acquires_leak_nothing(server):
    """Acquires that are cancelled at random points leave every slot free."""
    chance = random.Random(35)
    pool = await aio.create_pool(**server.connect_args(autocommit=True), max_size=3)

    async def borrow():
        async with pool.connection() as connection:
            await connection.cursor().execute("SELECT tabid FROM systables WHERE tabid = 1")

    for _ in range(100):
        await cancel_after(chance.randrange(25), borrow())
    taken = [await pool.acquire(10) for _ in range(3)]
    for connection in taken:
        assert await works(connection)
        await pool.release(connection)
    assert (pool.size, pool.stats().in_use, pool.stats().waiting) == (3, 0, 0)
    await pool.close()


async def test_cancelled_waiters_pass_their_turn_on(server):
    pool = await aio.create_pool(**server.connect_args(autocommit=True), max_size=1)
    taken = await pool.acquire()
    first = asyncio.create_task(pool.acquire())
    second = asyncio.create_task(pool.acquire())
    while pool.stats().waiting < 2:
        await asyncio.sleep(0)
    # The grant and the cancellation reach the first waiter in the same step of the loop.
    await pool.release(taken)
    first.cancel()
    await asyncio.wait([first])
    if not first.cancelled():
        await pool.release(first.result())
    connection = await asyncio.wait_for(second, 10)
    await pool.release(connection)
    assert (pool.size, pool.idle_count) == (1, 1)
    await pool.close()


async def test_no_threads(server):
    before = threading.active_count()
    connections = [await aio.connect(**server.connect_args(autocommit=True)) for _ in range(5)]
    assert all(await asyncio.gather(*(works(one) for one in connections)))
    assert threading.active_count() == before
    for one in connections:
        await one.close()


async def test_connections_wait_side_by_side(server):
    """A slow statement on one connection does not hold the others up."""
    slow = await aio.connect(**server.connect_args(autocommit=True))
    quick = await aio.connect(**server.connect_args(autocommit=True))
    running = asyncio.create_task(slow.cursor().execute(SLOW))
    await asyncio.sleep(0.05)
    assert not running.done()
    assert await asyncio.wait_for(works(quick), 10)
    assert not running.done()
    running.cancel()
    await asyncio.wait([running])
    await slow.close()
    await quick.close()


async def test_tasks_share_a_connection(db):
    """Operations of several tasks follow each other."""

    async def one(number):
        cursor = db.cursor()
        for _ in range(10):
            await cursor.execute("SELECT tabid + ? FROM systables WHERE tabid = 1", (number,))
            assert await cursor.fetchall() == [(1 + number,)]

    await asyncio.gather(*(one(number) for number in range(8)))


async def test_awaited_and_plain_cursors(db):
    cursor = await db.cursor()
    assert isinstance(cursor, aio.AsyncCursor)
    assert isinstance(db.cursor(), aio.AsyncCursor)


async def test_coroutines_are_coroutines(db):
    """`create_task` takes nothing else."""
    cursor = db.cursor()
    await asyncio.create_task(cursor.execute("SELECT tabid FROM systables WHERE tabid = 1"))
    assert await asyncio.create_task(cursor.fetchone()) == (1,)
    await asyncio.create_task(db.commit())


async def test_large_results_leave_the_loop_running(db):
    """While rows stream in, other tasks get their turn."""
    cursor = db.cursor()
    await cursor.execute("CREATE TEMP TABLE l (i INTEGER, pad CHAR(500))")
    await cursor.executemany("INSERT INTO l VALUES (?, 'x')", [(i,) for i in range(5000)])
    turns = 0

    async def count():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counter = asyncio.create_task(count())
    await cursor.execute("SELECT * FROM l")
    rows = await cursor.fetchall()
    counter.cancel()
    assert len(rows) == 5000
    assert turns > 10


def test_uvloop(server):
    uvloop = pytest.importorskip("uvloop")

    async def main():
        async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
            cursor = connection.cursor()
            await cursor.execute("CREATE TEMP TABLE u (i INTEGER, pad CHAR(500))")
            await cursor.executemany("INSERT INTO u VALUES (?, 'x')", [(i,) for i in range(1000)])
            await cursor.execute("SELECT i FROM u ORDER BY i")
            assert [row[0] async for row in cursor] == list(range(1000))
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(connection.cursor().execute(SLOW), 0.2)
            return connection.closed or await works(connection)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(main())


def test_one_connection_per_loop_run(server):
    """Loops come and go; connections of each work."""

    async def main():
        async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
            return await works(connection)

    assert asyncio.run(main()) and asyncio.run(main())


async def test_abandoned_rows(db):
    """A cursor that goes away in the middle of its rows leaves the connection good."""
    for _ in range(20):
        cursor = db.cursor()
        await cursor.execute("SELECT a.tabid FROM systables a, systables b")
        await cursor.fetchone()
        del cursor
    assert await works(db)


async def test_lob_columns(server, table):
    name = table()
    async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
        cursor = connection.cursor()
        await cursor.execute(f"CREATE TABLE {name} (i INTEGER, b BLOB)")
        await cursor.write_blob_column(f"INSERT INTO {name} VALUES (?, BLOB_PLACEHOLDER)", b"\x00data", (1,))
        assert await cursor.read_blob_column(f"SELECT b FROM {name} WHERE i = ?", (1,)) == b"\x00data"
        await cursor.execute(f"SELECT b FROM {name}")
        (locator,) = await cursor.fetchone()
        assert isinstance(locator, informix_db.BlobLocator)
        assert await connection.read_lob(locator) == b"\x00data"
