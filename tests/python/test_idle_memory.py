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
    most = 0
    for _ in range(10):
        assert len(await cur.fetchmany(300)) == 300
        # Little at the end of a block, whose memory is the rows' then.
        most = max(most, held(db))
    assert most > 4 * IDLE
    assert len(await cur.fetchall()) == 6000
    assert held(db) <= IDLE
    await cur.execute(f"SELECT * FROM {name}")
    assert len(await cur.fetchall()) == 9000
    assert held(db) <= IDLE
