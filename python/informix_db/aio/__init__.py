"""The driver for asyncio: the same names with `await`.

    connection = await informix_db.aio.connect(…)
    async with connection.cursor() as cursor:
        await cursor.execute("SELECT tabname FROM systables")
        async for row in cursor: …

The socket is watched by the event loop itself; no thread works for a connection. When a task is cancelled while it waits,
the statement is ended on the server and the connection stays usable.
"""

from __future__ import annotations

from .connection import AsyncConnection, AsyncCursor, connect
from .pool import AsyncConnectionPool, create_pool

__all__ = ["AsyncConnection", "AsyncConnectionPool", "AsyncCursor", "connect", "create_pool"]
