"""Faults that users of other clients met in public, as inputs of our own. The ids are those of the list in docs/python.md.

Types and lengths are covered by `test_values.py`, several cursors and wrong parameters by `test_statements.py`, cancelled
acquires by `test_aio.py`; here is what is left, whole kinds at a time.
"""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal

import pytest

import informix_db


async def one(cur, sql, parameters=None):
    await cur.execute(sql, parameters)
    return await cur.fetchall()


async def test_s01_intervals_are_values(cur):
    await cur.execute("CREATE TEMP TABLE iv (a INTERVAL HOUR(3) TO SECOND, b INTERVAL YEAR TO MONTH)")
    await cur.execute("INSERT INTO iv VALUES (INTERVAL(100:00:01) HOUR(3) TO SECOND, INTERVAL(5-03) YEAR TO MONTH)")
    await cur.execute("INSERT INTO iv VALUES (NULL, NULL)")
    expected = [(datetime.timedelta(hours=100, seconds=1), informix_db.IntervalYM(63)), (None, None)]
    assert await one(cur, "SELECT a, b FROM iv") == expected


async def test_s02_big_numbers(cur):
    await cur.execute("CREATE TEMP TABLE bn (a BIGSERIAL, b BIGINT)")
    for value in (9223372036854775807, -1, None):
        await cur.execute("INSERT INTO bn VALUES (0, ?)", (value,))
    assert await one(cur, "SELECT a, b FROM bn ORDER BY a") == [(1, 9223372036854775807), (2, -1), (3, None)]
    assert [column[1] for column in cur.description] == [53, 52]
    assert all(column[1] == informix_db.NUMBER for column in cur.description)


@pytest.mark.parametrize("value", ["1234.5678", "-0.0001", "0.5000"])
async def test_s03_decimals_keep_their_scale(cur, value):
    await cur.execute("CREATE TEMP TABLE ds (a DECIMAL(10,4))")
    await cur.execute("INSERT INTO ds VALUES (?)", (Decimal(value),))
    ((read,),) = await one(cur, "SELECT a FROM ds")
    assert str(read) == value


async def test_s04_dates_are_dates(cur):
    await cur.execute("CREATE TEMP TABLE da (a DATE)")
    await cur.execute("INSERT INTO da VALUES (NULL)")
    assert await one(cur, "SELECT a FROM da") == [(None,)]


@pytest.mark.parametrize(
    "qualifier, kept",
    [
        ("YEAR TO FRACTION(5)", datetime.datetime(2018, 9, 8, 21, 0, 30, 123450)),
        ("YEAR TO FRACTION(3)", datetime.datetime(2018, 9, 8, 21, 0, 30, 123000)),
        ("YEAR TO SECOND", datetime.datetime(2018, 9, 8, 21, 0, 30)),
        ("YEAR TO MINUTE", datetime.datetime(2018, 9, 8, 21, 0)),
        ("YEAR TO HOUR", datetime.datetime(2018, 9, 8, 21)),
    ],
)
async def test_s05_microseconds_are_fitted_to_the_column(cur, qualifier, kept):
    await cur.execute(f"CREATE TEMP TABLE mi (a DATETIME {qualifier})")
    await cur.execute("INSERT INTO mi VALUES (?)", (datetime.datetime(2018, 9, 8, 21, 0, 30, 123456),))
    assert await one(cur, "SELECT a FROM mi") == [(kept,)]


@pytest.mark.parametrize(
    "qualifier, text, kind",
    [
        ("HOUR TO MINUTE", "10:30", datetime.time),
        ("HOUR TO FRACTION(2)", "00:00:01.50", datetime.time),
        ("YEAR TO FRACTION(3)", "2018-09-08 21:00:30.123", datetime.datetime),
        ("YEAR TO DAY", "2018-09-08", datetime.date),
        ("MONTH TO DAY", "09-08", None),
        ("FRACTION TO FRACTION(2)", ".25", None),
        ("YEAR TO MONTH", "2018-09", None),
        ("DAY TO SECOND", "08 21:00:30", None),
    ],
)
async def test_s07_partial_datetimes(cur, qualifier, text, kind):
    """Each comes as a value that goes back in."""
    await cur.execute(f"CREATE TEMP TABLE pd (a DATETIME {qualifier}, n INTEGER)")
    await cur.execute(f"INSERT INTO pd VALUES (DATETIME({text}) {qualifier}, 7)")
    ((value, tail),) = await one(cur, "SELECT a, n FROM pd")
    assert tail == 7 and value is not None
    if kind:
        assert type(value) is kind
        assert await one(cur, "SELECT n FROM pd WHERE a = ?", (value,)) == [(7,)]


async def test_s08_booleans_between_other_columns(cur):
    await cur.execute("CREATE TEMP TABLE bo (c CHAR(3), b BOOLEAN, i INTEGER)")
    for value in (True, False, None):
        await cur.execute("INSERT INTO bo VALUES ('abc', ?, 5)", (value,))
    await cur.execute("INSERT INTO bo VALUES ('abc', 't', 5)")
    rows = await one(cur, "SELECT * FROM bo")
    assert rows == [("abc", True, 5), ("abc", False, 5), ("abc", None, 5), ("abc", True, 5)]
    assert await one(cur, "SELECT COUNT(*) FROM bo WHERE b = ?", (True,)) == [(2,)]


@pytest.mark.parametrize("encoding, locale", [("utf-8", "en_US.utf8"), ("iso-8859-1", "en_US.8859-1")])
async def test_s13_text_of_more_bytes_than_characters(face, encoding, locale):
    db = await face.connect(client_locale=locale, database="testdb_utf8" if locale.endswith("utf8") else "testdb")
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE um (a VARCHAR(40), b CHAR(40), c INTEGER)")
    await cur.execute("INSERT INTO um VALUES (?, ?, 1)", ("äöüßÄÖÜ", "äöüßÄÖÜ"))
    await cur.execute("INSERT INTO um VALUES ('äöü', 'ßÄÖÜ', 2)")
    assert await one(cur, "SELECT * FROM um ORDER BY c") == [("äöüßÄÖÜ", "äöüßÄÖÜ", 1), ("äöü", "ßÄÖÜ", 2)]


async def test_s12_the_locale_of_the_database_is_found(face):
    """Without any locale given, text of every script goes into a UTF-8 database and back."""
    db = await face.connect(database="testdb_utf8")
    assert db.encoding.replace("-", "").lower() == "utf8"
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE sc (a LVARCHAR(200))")
    text = "中文 日本語 кириллица 😀"
    await cur.execute("INSERT INTO sc VALUES (?)", (text,))
    assert await one(cur, f"SELECT a FROM sc WHERE a = '{text}'") == [(text,)]


async def test_s15_many_text_values(cur):
    sizes = [0, 1, 4095, 4096, 4097, 100_000]
    await cur.execute("CREATE TEMP TABLE tx (i INTEGER, t TEXT, b BYTE, tail INTEGER)")
    for number, size in enumerate(sizes):
        await cur.execute("INSERT INTO tx VALUES (?, ?, ?, 9)", (number, "t" * size, b"\x00" * size))
    await cur.execute("INSERT INTO tx VALUES (99, NULL, NULL, 9)")
    await cur.execute("SELECT t, b, tail FROM tx ORDER BY i")
    rows = [row async for row in cur]
    assert [(len(t), len(b)) for t, b, _ in rows[:-1]] == [(size, size) for size in sizes]
    assert rows[-1] == (None, None, 9)


async def test_s16_s17_large_objects_are_exact(cur, table):
    name = table()
    data = b"\x00\xff" + bytes(range(256)) * 500
    await cur.execute(f"CREATE TABLE {name} (i INTEGER, b BLOB, c CLOB)")
    await cur.write_blob_column(f"INSERT INTO {name} VALUES (1, BLOB_PLACEHOLDER, NULL)", data)
    await cur.write_blob_column(f"UPDATE {name} SET c = BLOB_PLACEHOLDER", b"text", clob=True)
    assert await cur.read_blob_column(f"SELECT b FROM {name}") == data
    assert await cur.read_blob_column(f"SELECT c FROM {name} WHERE i = ?", (1,)) == b"text"
    assert await cur.read_blob_column(f"SELECT c FROM {name} WHERE i = ?", (2,)) is None


async def test_s18_no_row_is_lost(cur):
    await cur.execute("CREATE TEMP TABLE lost (i INTEGER, c CHAR(200))")
    await cur.executemany("INSERT INTO lost VALUES (?, 'x')", ((i,) for i in range(5000)))
    assert [row[0] for row in await one(cur, "SELECT i, c FROM lost ORDER BY i")] == list(range(5000))


async def test_s19_after_a_failed_batch(face):
    db = await face.connect(autocommit=False)
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE fb (i INTEGER PRIMARY KEY)")
    with pytest.raises(informix_db.IntegrityError):
        await cur.executemany("INSERT INTO fb VALUES (?)", [(1,), (1,), (2,)])
    assert db.in_transaction
    assert await one(cur, "SELECT tabid FROM systables WHERE tabid = 1") == [(1,)]
    await db.rollback()
    assert not db.in_transaction


@pytest.mark.parametrize(
    "sql, parameters",
    [
        ("SELECT FIRST 1 ? FROM systables", (1,)),
        ("SELECT NULL FROM systables WHERE tabid = 1", None),
        ("SELECT DISTINCT SKIP 2 FIRST 3 tabid FROM systables", None),
        ("SELECT tabid FROM systables OFFSET 2", None),
    ],
)
async def test_s20_to_s23_what_the_server_refuses(cur, sql, parameters):
    with pytest.raises(informix_db.ProgrammingError) as caught:
        await cur.execute(sql, parameters)
    assert caught.value.sqlcode == -201


async def test_s20_to_s23_what_works(cur):
    assert await one(cur, "SELECT FIRST 1 ?::INT FROM systables", (5,)) == [(5,)]
    assert await one(cur, "SELECT NULL::INT FROM systables WHERE tabid = 1") == [(None,)]
    assert len(await one(cur, "SELECT SKIP 1 FIRST 2 DISTINCT tabid FROM systables WHERE tabid < 5")) == 2


async def test_s34_results_of_routines(cur):
    name = "fr_add"
    await cur.execute(f"DROP FUNCTION IF EXISTS {name}")
    await cur.execute(f"CREATE FUNCTION {name}(a INT, b INT) RETURNING INT; RETURN a + b; END FUNCTION")
    try:
        assert await one(cur, f"EXECUTE FUNCTION {name}(?, ?)", (1, 2)) == [(3,)]
        assert await cur.callproc(name, (20, 22)) == (20, 22)
        assert await cur.fetchall() == [(42,)]
    finally:
        await cur.execute(f"DROP FUNCTION {name}")


async def test_s37_batches_of_mixed_lengths(cur):
    await cur.execute("CREATE TEMP TABLE ml (i INTEGER, t VARCHAR(255))")
    texts = [None if i % 7 == 0 else ("ä" if i % 2 else "x") * (i % 256) for i in range(1000)]
    await cur.executemany("INSERT INTO ml VALUES (?, ?)", list(enumerate(texts)))
    assert [row[1] for row in await one(cur, "SELECT i, t FROM ml ORDER BY i")] == texts
    with pytest.raises(informix_db.Error, match="executemany row 500/1000"):
        await cur.executemany("INSERT INTO ml VALUES (?, ?)", [(i, object() if i == 500 else "x") for i in range(1000)])


async def test_s38_floating_and_fixed_decimals(cur):
    await cur.execute("CREATE TEMP TABLE ff (a DECIMAL(8), b DECIMAL(8,0))")
    await cur.execute("INSERT INTO ff VALUES (?, ?)", (Decimal("1.25"), Decimal("7")))
    assert await one(cur, "SELECT a, b FROM ff") == [(Decimal("1.25"), Decimal(7))]


@pytest.mark.parametrize("lengths", list(itertools.product([0, 1, 2, 255, 256, 2047], [None, 3])))
async def test_s09_lvarchar_lengths(cur, lengths):
    size, other = lengths
    await cur.execute("CREATE TEMP TABLE lv (a LVARCHAR(2048), i INTEGER, b LVARCHAR(10), j INTEGER)")
    values = ("x" * size, 1, None if other is None else "y" * other, 2)
    await cur.execute("INSERT INTO lv VALUES (?, ?, ?, ?)", values)
    assert await one(cur, "SELECT * FROM lv") == [values]
