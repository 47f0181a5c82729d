"""Every type, with NULL, at every place in a row, through parameters and back."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from kinds import KINDS

import informix_db

# Neighbours of odd and even length: a cell that was read with a wrong length shifts what follows.
SHAPES = [
    ("first", ["X", "INTEGER", "VARCHAR(10)"], lambda value: [value, 7, "tail"]),
    ("last", ["INTEGER", "CHAR(3)", "X"], lambda value: [7, "odd", value]),
    ("middle", ["VARCHAR(9)", "X", "SMALLINT", "LVARCHAR(50)"], lambda value: ["odd", value, -7, "even"]),
    ("twice", ["X", "X", "INTEGER"], lambda value: [value, value, -1]),
    ("between nulls", ["BIGINT", "X", "VARCHAR(5)"], lambda value: [None, value, None]),
]


def same(read, expected):
    """Equality that also compares the types."""
    return type(read) is type(expected) and read == expected


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape[0])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.sql)
async def test_round_trip(cur, kind, shape):
    _, columns, fill = shape
    columns = [kind.sql if column == "X" else column for column in columns]
    await cur.execute(
        "CREATE TEMP TABLE v (k INTEGER, " + ", ".join(f"c{n} {column}" for n, column in enumerate(columns)) + ")"
    )
    pairs = [*kind.pairs(), (None, None)]
    marks = ", ".join("?" for _ in columns)
    for number, (given, _) in enumerate(pairs):
        await cur.execute(f"INSERT INTO v VALUES (?, {marks})", [number, *fill(given)])
    await cur.execute("SELECT * FROM v ORDER BY k")
    rows = await cur.fetchall()
    assert len(rows) == len(pairs)
    for row, (given, read) in zip(rows, pairs):
        expected = fill(read)
        assert all(same(one, other) for one, other in zip(row[1:], expected)), f"{given!r} came back as {row[1:]!r}"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.sql)
async def test_executemany_gives_the_same(cur, kind):
    pairs = [*kind.pairs(), (None, None)]
    await cur.execute(f"CREATE TEMP TABLE m (k INTEGER, x {kind.sql})")
    await cur.executemany("INSERT INTO m VALUES (?, ?)", [(n, given) for n, (given, _) in enumerate(pairs)])
    assert cur.rowcount == len(pairs)
    await cur.execute("SELECT x FROM m ORDER BY k")
    rows = await cur.fetchall()
    assert all(same(row[0], read) for row, (_, read) in zip(rows, pairs)), rows


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.sql)
async def test_description(cur, kind):
    await cur.execute(f"CREATE TEMP TABLE d (x {kind.sql}, y {kind.sql} NOT NULL)")
    await cur.execute("SELECT x, y FROM d")
    (x, y) = cur.description
    assert (x[0], x[1]) == ("x", kind.code)
    assert bool(x[6]) is True and bool(y[6]) is False


@pytest.mark.parametrize(
    "sql, lowest",
    [("SMALLINT", -32768), ("INTEGER", -2147483648), ("BIGINT", -9223372036854775808), ("INT8", -9223372036854775808)],
)
async def test_the_bit_pattern_of_null_is_never_sent_as_a_number(cur, sql, lowest):
    """The lowest number of a type stands for NULL on the wire: storing it must fail, not store NULL."""
    await cur.execute(f"CREATE TEMP TABLE low (x {sql})")
    with pytest.raises(informix_db.Error):
        await cur.execute("INSERT INTO low VALUES (?)", (lowest,))
    await cur.execute("SELECT COUNT(*) FROM low WHERE x IS NULL")
    assert await cur.fetchone() == (0,)


async def test_the_lowest_integer_fits_a_wider_column(cur):
    await cur.execute("CREATE TEMP TABLE wide (x BIGINT, y DECIMAL(20,0))")
    await cur.execute("INSERT INTO wide VALUES (?, ?)", (-2147483648, -9223372036854775808))
    await cur.execute("SELECT * FROM wide")
    assert await cur.fetchone() == (-2147483648, Decimal(-9223372036854775808))


async def test_null_and_empty_are_kept_apart(cur):
    await cur.execute("CREATE TEMP TABLE e (k INTEGER, a VARCHAR(5), b LVARCHAR(5), c CHAR(5), d TEXT, e BYTE)")
    await cur.execute("INSERT INTO e VALUES (1, ?, ?, ?, ?, ?)", ("", "", "", "", b""))
    await cur.execute("INSERT INTO e VALUES (2, ?, ?, ?, ?, ?)", (None,) * 5)
    await cur.execute("SELECT a, b, c, d, e FROM e ORDER BY k")
    assert await cur.fetchall() == [("", "", "", "", b""), (None,) * 5]


async def test_serial_types(cur):
    await cur.execute("CREATE TEMP TABLE s (a SERIAL, b INTEGER)")
    await cur.execute("INSERT INTO s VALUES (0, 1)")
    assert cur.lastrowid == 1
    await cur.execute("INSERT INTO s VALUES (?, ?)", (0, 2))
    assert cur.lastrowid == 2
    for name in ("SERIAL8", "BIGSERIAL"):
        await cur.execute(f"CREATE TEMP TABLE s_{name} (a {name}(5000000000), b INTEGER)")
        await cur.execute(f"INSERT INTO s_{name} VALUES (0, 1)")
        assert cur.lastrowid == 5000000000


async def test_numbers_of_python_subclasses(cur):
    import enum

    class Colour(enum.IntEnum):
        RED = 3

    class Name(str):
        pass

    await cur.execute("CREATE TEMP TABLE sub (a INTEGER, b VARCHAR(10))")
    await cur.execute("INSERT INTO sub VALUES (?, ?)", (Colour.RED, Name("n")))
    await cur.execute("SELECT * FROM sub")
    assert await cur.fetchone() == (3, "n")


async def test_bytes_like_parameters(cur):
    await cur.execute("CREATE TEMP TABLE bl (k INTEGER, x BYTE)")
    for number, data in enumerate((b"\x00a", bytearray(b"\x00b"), memoryview(b"\x00c"))):
        await cur.execute("INSERT INTO bl VALUES (?, ?)", (number, data))
    await cur.execute("SELECT x FROM bl ORDER BY k")
    assert await cur.fetchall() == [(b"\x00a",), (b"\x00b",), (b"\x00c",)]


async def test_time_of_day_as_a_parameter(cur):
    await cur.execute("CREATE TEMP TABLE tod (x DATETIME HOUR TO SECOND)")
    await cur.execute("INSERT INTO tod VALUES (?)", (datetime.time(0, 1, 2),))
    await cur.execute("SELECT x FROM tod WHERE x = ?", (datetime.time(0, 1, 2),))
    assert await cur.fetchone() == (datetime.time(0, 1, 2),)


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, [1], 1j, 10**40, float("nan"), "\N{SNOWMAN}"], ids=lambda value: type(value).__name__
)
async def test_what_cannot_be_sent_is_refused_before_anything_is_sent(db, cur, value):
    await cur.execute("CREATE TEMP TABLE r (a INTEGER, b VARCHAR(50))")
    before = None if not hasattr(db, "wrapped") else db.wrapped.round_trips()
    with pytest.raises((informix_db.Error, NotImplementedError)) as error:
        await cur.execute("INSERT INTO r VALUES (?, ?)", (1, value))
    if before is not None and not isinstance(value, float):
        assert db.wrapped.round_trips()[0] == before[0], "bytes were sent"
        assert "2" in str(error.value), "the position is not named"
    await cur.execute("SELECT COUNT(*) FROM r")
    assert await cur.fetchone() == (0,)


async def test_composite_types(cur):
    await cur.execute("CREATE TEMP TABLE c (k INTEGER, s SET(INTEGER NOT NULL), l LIST(INTEGER NOT NULL), tail INTEGER)")
    await cur.execute("INSERT INTO c VALUES (1, SET{1,2}, LIST{3,4}, 9)")
    await cur.execute("INSERT INTO c VALUES (2, NULL, NULL, 9)")
    await cur.execute("SELECT s, l, tail FROM c ORDER BY k")
    (full, empty) = await cur.fetchall()
    assert isinstance(full[0], informix_db.CollectionValue) and full[0].kind == "set"
    assert isinstance(full[1], informix_db.CollectionValue) and full[1].kind == "list"
    assert full[2] == 9 and empty == (None, None, 9)
