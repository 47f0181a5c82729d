"""Values that come again may be the same objects; they are always the right ones. Runs blocking and on asyncio."""

from __future__ import annotations

import datetime
from decimal import Decimal

ROWS = 4000
"""More than a column of ever new values is watched for (`rowbuild/memo.rs`)."""
COLUMNS = "i INT, d DATE, n DECIMAL(16,2), c CHAR(20), v VARCHAR(30)"
# At the edges of what a key holds: 15 bytes, and text that differs in its length alone.
TEXTS = ("", "a", "ab", "x" * 15, "x" * 16, "x" * 14 + "é", "y" * 20)


def few(i):
    day = datetime.date(1, 1, 1) + datetime.timedelta(i % 11 * 331_000)
    number = Decimal((-1) ** i * (i % 13) * 7919).scaleb(-2)
    text = TEXTS[i % len(TEXTS)]
    return (i, day, number, text or " ", text or None)


def many(i):
    # Days that fall on the same places of the largest table, in turns.
    day = datetime.date(1950, 1, 1) + datetime.timedelta(i % 3 * 16_384 + i % 7)
    return (i, day, Decimal(i).scaleb(-2), f"c{i}", f"v{i}" * 3)


def none(i):
    return (i, None, None, None, None)


def row(i):
    return (few, many, none)[i % 3 if i < ROWS // 2 else 1](i)


def shown(values):
    """As they come back: CHAR without its blanks."""
    i, day, number, text, short = values
    return (i, day, number, text and text.rstrip(" "), short)


async def test_values_are_right(cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} ({COLUMNS})")
    rows = [row(i) for i in range(ROWS)]
    await cur.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", rows)
    expected = [shown(values) for values in rows]
    await cur.execute(f"SELECT * FROM {name} ORDER BY i")
    assert await cur.fetchall() == expected
    # The same one by one, and turned round, so that other values come first.
    await cur.execute(f"SELECT * FROM {name} ORDER BY i DESC")
    assert [one async for one in cur] == expected[::-1]


async def test_values_that_repeat_are_shared(cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} ({COLUMNS})")
    await cur.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", [few(i % 77) for i in range(600)])
    await cur.execute(f"SELECT d, n FROM {name}")
    found = await cur.fetchall()
    for column in range(2):
        values = [one[column] for one in found]
        # But for the first ones, before the column was known to repeat.
        assert len({id(value) for value in values}) < len(values) // 2


async def test_converters_see_every_value(db, cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (d DATE)")
    day = datetime.date(2026, 11, 30)
    await cur.executemany(f"INSERT INTO {name} VALUES (?)", [(day,)] * 300)
    seen = []
    db.set_output_converter("DATE", lambda value: seen.append(value) or len(seen))
    await cur.execute(f"SELECT d FROM {name}")
    assert await cur.fetchall() == [(n + 1,) for n in range(300)]
    assert seen == [day] * 300
