"""An idle connection holds little memory, whatever it has done before. Runs blocking and on asyncio."""

from __future__ import annotations

# Bytes that buffers may hold while nothing goes on.
IDLE = 12 << 10


def held(db):
    connection = getattr(db, "wrapped", db)
    return getattr(connection, "_core", connection).buffer_bytes


async def test_buffers_are_released(db, cur, table):
    assert 0 < held(db) <= IDLE
    name = table()
    await cur.execute(f"CREATE TABLE {name} (a INT, b CHAR(300))")
    await cur.executemany(f"INSERT INTO {name} VALUES (?, ?)", [(n, "b" * 300) for n in range(9000)])
    assert held(db) <= IDLE
    await cur.execute(f"SELECT * FROM {name}")
    for _ in range(3):
        assert len(await cur.fetchmany(1000)) == 1000
    assert held(db) > 4 * IDLE
    assert len(await cur.fetchall()) == 6000
    assert held(db) <= IDLE
    await cur.execute(f"SELECT * FROM {name}")
    assert len(await cur.fetchall()) == 9000
    assert held(db) <= IDLE
