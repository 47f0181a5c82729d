"""Requests from an event loop."""

from __future__ import annotations

import asyncio
import inspect

from informix_db import aio

from .operation import Operation, Session, expect, workload


async def _ready(value):
    """The peer's `cursor()` is a coroutine, ours gives the cursor."""
    return await value if inspect.isawaitable(value) else value


async def _query(connection):
    cursor = await _ready(connection.cursor())
    await cursor.execute("SELECT 1 FROM systables WHERE tabid = 1")
    found = await cursor.fetchone()
    await cursor.close()
    return found


@workload
def asyncio_queries(session: Session, connections: int, queries: int) -> Operation:
    """One-row SELECTs on some connections at once, on one loop."""
    loop = asyncio.new_event_loop()

    async def connect():
        return await aio.connect(**session.arguments, autocommit=True)

    async def connect_all():
        return [await connect() for _ in range(connections)]

    opened = loop.run_until_complete(connect_all())

    async def work(connection):
        return [await _query(connection) for _ in range(queries)]

    async def work_all():
        return await asyncio.gather(*(work(connection) for connection in opened))

    def check(found):
        expect(found, [[(1,)] * queries] * connections)

    return Operation(lambda: loop.run_until_complete(work_all()), check, per=connections * queries)
