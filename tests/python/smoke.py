"""One short run for each interpreter: the wheel loads and works. Needs nothing but the package, and IFX."""

import asyncio
import datetime
import sys
from decimal import Decimal

import informix_db
from informix_db import aio
from informix_db.devserver import DevServer

ROW = (1, "text", 1.5, Decimal("2.50"), datetime.date(2024, 2, 29), None, True)


def blocking(server):
    with informix_db.connect(**server.connect_args(row_factory=informix_db.Row)) as connection:
        cursor = connection.cursor()
        cursor.execute(
            "CREATE TEMP TABLE s (a INTEGER, b VARCHAR(20), c FLOAT, d DECIMAL(8,2), e DATE, f CHAR(3), g BOOLEAN)"
        )
        cursor.executemany("INSERT INTO s VALUES (?, ?, ?, ?, ?, ?, ?)", [ROW] * 1000)
        cursor.execute("SELECT * FROM s")
        rows = cursor.fetchall()
        assert rows == [ROW] * 1000 and rows[0].b == "text"
        try:
            cursor.execute("SELECT x FROM nowhere")
        except informix_db.ProgrammingError as error:
            assert error.sqlcode == -206
        connection.rollback()


async def asynchronous(server):
    async with await aio.create_pool(**server.connect_args(), min_size=1) as pool, pool.connection() as connection:
        cursor = connection.cursor()
        await cursor.execute("SELECT tabid FROM systables WHERE tabid <= ? ORDER BY tabid", (3,))
        assert [row async for row in cursor] == [(1,), (2,), (3,)]


with DevServer() as started:
    blocking(started)
    asyncio.run(asynchronous(started))
print(f"smoke: {sys.implementation.name} {sys.version.split()[0]}, informix_db {informix_db.__version__}: ok")
