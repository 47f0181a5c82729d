"""What the core gives to asyncio is a future in its sense, though none of its class: contexts, callbacks, cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import inspect

import pytest

import informix_db
from informix_db import aio

mark = contextvars.ContextVar("mark", default="none")


@pytest.fixture
async def db(server):
    async with await aio.connect(**server.connect_args(autocommit=True)) as connection:
        yield connection


def request(db):
    """A future that is not ready: one round trip."""
    return db._core.ping()


async def test_is_a_future_of_this_loop(db):
    future = request(db)
    assert asyncio.isfuture(future)
    assert inspect.isawaitable(future)
    assert asyncio.ensure_future(future) is future
    assert future.get_loop() is asyncio.get_running_loop()
    assert not future.done()
    await future
    assert future.done()
    assert not future.cancelled()


async def test_asyncio_takes_it(db):
    assert await asyncio.gather(request(db), request(db)) == [None, None]
    done, pending = await asyncio.wait([request(db), request(db)])
    assert len(done) == 2
    assert not pending
    assert await asyncio.wait_for(request(db), 30) is None
    assert await asyncio.shield(request(db)) is None


async def test_methods_are_coroutines(db):
    cursor = db.cursor()
    assert inspect.iscoroutinefunction(cursor.execute)
    task = asyncio.create_task(cursor.execute("SELECT FIRST 1 tabid FROM systables"))
    await task
    assert len(await cursor.fetchall()) == 1


async def test_a_task_goes_on_in_its_own_context(db):
    async def work(name):
        mark.set(name)
        cursor = db.cursor()
        for _ in range(5):
            await cursor.execute("SELECT FIRST 1 tabid FROM systables")
            assert mark.get() == name
            assert asyncio.current_task().get_name() == name

    await asyncio.gather(*(asyncio.create_task(work(f"w{i}"), name=f"w{i}") for i in range(8)))
    assert mark.get() == "none"


async def test_callbacks(db):
    called = []
    context = contextvars.copy_context()
    context.run(mark.set, "mine")
    future = request(db)
    future.add_done_callback(lambda f: called.append((f is future, mark.get())), context=context)
    future.add_done_callback(called.append)
    assert future.remove_done_callback(called.append) == 1
    await future
    assert called == [(True, "mine")]
    late = asyncio.Event()
    future.add_done_callback(lambda _: late.set())
    assert not late.is_set()
    await late.wait()


async def test_a_callback_that_fails_harms_nobody(db):
    loop, reported = asyncio.get_running_loop(), []
    loop.set_exception_handler(lambda _, context: reported.append(context["exception"]))
    future = request(db)
    future.add_done_callback(lambda _: 1 / 0)
    await future
    await db.ping()
    assert [type(e) for e in reported] == [ZeroDivisionError]


async def test_cancelled(db):
    future = request(db)
    assert future.cancel("enough")
    assert future.cancelled()
    assert future.done()
    assert not future.cancel()
    for _ in range(2):
        with pytest.raises(asyncio.CancelledError, match="enough"):
            future.result()
    await db.ping()


async def test_queued_and_cancelled(db):
    first, second, third = request(db), request(db), request(db)
    second.cancel()
    await asyncio.gather(first, third)
    with pytest.raises(asyncio.CancelledError):
        await second
    assert not db._core.busy


async def test_error(db):
    future = db.cursor()._core.execute("SELECT * FROM no_such_table_at_all")
    await asyncio.wait([future])
    assert isinstance(future.exception(), informix_db.ProgrammingError)
    with pytest.raises(informix_db.ProgrammingError):
        await future


async def test_not_ready_yet(db):
    future = request(db)
    with pytest.raises(RuntimeError):
        future.result()
    await future
