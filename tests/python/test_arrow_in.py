"""Arrow in: `executemany` and `ingest` with Arrow data. Runs blocking and on asyncio."""

from __future__ import annotations

import datetime
from decimal import Decimal

import polars
import pyarrow
import pytest

import informix_db

D = Decimal
DT = datetime.datetime
T = datetime.time
TD = datetime.timedelta
NOON = DT(2024, 2, 29, 12, 30, 15)
VIEW = ["short", "a text that is longer than the twelve bytes of a view", None]

# Arrow type, values, SQL type, what is read back when it is something else.
KINDS = [
    ("int8", [1, -128, None], "SMALLINT", None),
    ("int16", [1, -32767, None], "SMALLINT", None),
    ("int32", [1, -2147483647, None], "INTEGER", None),
    ("int64", [1, -9223372036854775807, None], "BIGINT", None),
    ("uint8", [0, 255, None], "SMALLINT", None),
    ("uint16", [0, 65535, None], "INTEGER", None),
    ("uint32", [0, 4294967295, None], "BIGINT", None),
    ("uint64", [0, 18446744073709551615, None], "DECIMAL(20,0)", [D(0), D(18446744073709551615), None]),
    ("halffloat", [1.5, -2.0, None], "SMALLFLOAT", None),
    ("float", [1.5, -2.25, None], "SMALLFLOAT", None),
    ("double", [1e300, -1 / 3, None], "FLOAT", None),
    (pyarrow.decimal128(38, 4), [D("1.5000"), D("-9999999999.9999"), None], "DECIMAL(32,4)", None),
    (pyarrow.decimal256(60, 4), [D("1.5000"), D("-9999999999.9999"), None], "DECIMAL(32,4)", None),
    (pyarrow.decimal128(5, -2), [D("1200"), D("-100"), None], "DECIMAL(9,0)", None),
    ("string", ["", "text", None], "VARCHAR(20)", None),
    ("large_string", ["", "text", None], "LVARCHAR(200)", None),
    ("string_view", VIEW, "VARCHAR(99)", None),
    ("binary", [b"\x00\xff", b"", None], "BYTE", None),
    ("large_binary", [b"\x00\xff", b"x" * 9999, None], "BYTE", None),
    ("binary_view", [b"\x00\xff", b"x" * 99, None], "BYTE", None),
    (pyarrow.binary(3), [b"abc", b"\x00\x01\x02", None], "BYTE", None),
    ("bool", [True, False, None], "BOOLEAN", None),
    ("date32", [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None], "DATE", None),
    ("date64", [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29), None], "DATE", None),
    (pyarrow.timestamp("s"), [NOON, DT(1, 1, 1), None], "DATETIME YEAR TO SECOND", None),
    (pyarrow.timestamp("ms"), [NOON + TD(milliseconds=1), DT(1969, 12, 31, 23, 59, 59, 999000), None], "DATETIME YEAR TO FRACTION(3)", None),
    (pyarrow.timestamp("us"), [NOON + TD(microseconds=15), DT(9999, 12, 31), None], "DATETIME YEAR TO FRACTION(5)", [NOON + TD(microseconds=10), DT(9999, 12, 31), None]),
    (pyarrow.timestamp("ns"), [NOON, DT(1900, 1, 1), None], "DATETIME YEAR TO FRACTION(5)", None),
    (pyarrow.time32("s"), [T(0), T(23, 59, 59), None], "DATETIME HOUR TO SECOND", None),
    (pyarrow.time32("ms"), [T(0), T(23, 59, 59, 999000), None], "DATETIME HOUR TO FRACTION(3)", None),
    (pyarrow.time64("us"), [T(0), T(23, 59, 59, 999990), None], "DATETIME HOUR TO FRACTION(5)", None),
    (pyarrow.time64("ns"), [T(0), T(23, 59, 59, 999990), None], "DATETIME HOUR TO FRACTION(5)", None),
    (pyarrow.duration("s"), [TD(days=99999), -TD(seconds=1), None], "INTERVAL DAY(9) TO SECOND", None),
    (pyarrow.duration("ms"), [TD(milliseconds=1), -TD(milliseconds=1), None], "INTERVAL DAY(9) TO FRACTION(3)", None),
    (pyarrow.duration("us"), [TD(microseconds=10), -TD(microseconds=10), None], "INTERVAL DAY(9) TO FRACTION(5)", None),
    (pyarrow.duration("ns"), [TD(seconds=1), -TD(microseconds=10), None], "INTERVAL DAY(9) TO FRACTION(5)", None),
    (pyarrow.month_day_nano_interval(), [pyarrow.MonthDayNano([14, 0, 0]), pyarrow.MonthDayNano([-1, 0, 0]), None], "INTERVAL YEAR(9) TO MONTH", [informix_db.IntervalYM(14), informix_db.IntervalYM(-1), None]),
    (pyarrow.month_day_nano_interval(), [pyarrow.MonthDayNano([0, 1, 10**9]), pyarrow.MonthDayNano([0, 0, -(10**9)]), None], "INTERVAL DAY(9) TO SECOND", [TD(days=1, seconds=1), -TD(seconds=1), None]),
    (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), ["a", "b", "a", None], "VARCHAR(9)", None),
    (pyarrow.dictionary(pyarrow.uint32(), pyarrow.int64()), [7, 8, 7, None], "BIGINT", None),
    (pyarrow.null(), [None, None], "INTEGER", None),
    ("string", ["x", "ä" * 3000, None], "TEXT", None),
]  # fmt: skip


def arrow(kind, values):
    """An array, also of the types that pyarrow has no constructor by name for."""
    if kind == "halffloat":
        return pyarrow.array(values, pyarrow.float32()).cast(pyarrow.float16())
    return pyarrow.array(values, kind)


@pytest.mark.parametrize(("kind", "values", "sql", "read"), KINDS, ids=lambda value: str(value)[:24])
async def test_every_type(cur, table, kind, values, sql, read):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (n INTEGER, v {sql})")
    data = pyarrow.table({"n": list(range(len(values))), "v": arrow(kind, values)})
    await cur.executemany(f"INSERT INTO {name} VALUES (?, ?)", data)
    assert cur.rowcount == len(values)
    await cur.execute(f"SELECT v FROM {name} ORDER BY n")
    back = [row[0] for row in await cur.fetchall()]
    assert back == (values if read is None else read)
    # A record batch of it, by name, into a table made for it.
    made = table()
    batch = data.slice(1).combine_chunks().to_batches()[0]
    if kind == pyarrow.null():
        with pytest.raises(informix_db.ProgrammingError, match='column "v": no SQL type'):
            await cur.ingest(made, batch, mode="create")
        return
    if sql.startswith("INTERVAL DAY") and not pyarrow.types.is_duration(kind):
        # A table is made for months.
        await cur.execute(f"CREATE TABLE {made} (n INTEGER, v {sql})")
        assert await cur.ingest(made, batch) == len(values) - 1
    else:
        assert await cur.ingest(made, batch, mode="create") == len(values) - 1
    await cur.execute(f"SELECT v FROM {made} ORDER BY n")
    assert [row[0] for row in await cur.fetchall()][-1] is None
    await cur.execute(f"SELECT COUNT(*) FROM {made}")
    assert await cur.fetchone() == (len(values) - 1,)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pyarrow.array([[1]]), 'column "v": values of Arrow type List'),
        (pyarrow.array([{"a": 1}]), 'column "v": values of Arrow type Struct'),
        (pyarrow.array([NOON], pyarrow.timestamp("s", "UTC")), 'column "v": Informix has no time zones'),
    ],
)
async def test_types_that_cannot_be_sent_are_refused_before_anything_is_sent(db, cur, table, array, message):
    counters = getattr(db, "_core", None) or db.wrapped
    before = counters.round_trips()
    with pytest.raises(informix_db.NotSupportedError, match=message):
        await cur.executemany("INSERT INTO nowhere VALUES (?)", pyarrow.table({"v": array}))
    with pytest.raises(informix_db.NotSupportedError, match=message):
        await cur.ingest("nowhere", pyarrow.table({"v": array}), mode="create")
    assert counters.round_trips() == before


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pyarrow.array([1, 10**40], pyarrow.decimal256(50, 0)), "more than 32 digits"),
        (pyarrow.array([1, 10**32 + 1], pyarrow.decimal128(38, 0)), "33 significant digits"),
        (pyarrow.array([0, 4_000_000], pyarrow.date32()), "out of range"),
        (pyarrow.array([pyarrow.MonthDayNano([1, 0, 0]), pyarrow.MonthDayNano([1, 1, 0])]), "not both"),
        (pyarrow.array(["a", "\u4e2d"]), "does not exist in code set"),
    ],
)
async def test_values_that_cannot_be_sent(cur, table, array, message):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (v LVARCHAR(99))")
    with pytest.raises(informix_db.DataError, match=rf'executemany row 1: .*column "v".*{message}'):
        await cur.executemany(f"INSERT INTO {name} VALUES (?)", pyarrow.table({"v": array}))


async def test_markers_by_number_and_name(cur):
    await cur.execute("CREATE TEMP TABLE t (a INTEGER, b VARCHAR(9))")
    data = pyarrow.table({"b": ["x", "y"], "a": [1, 2]})
    await cur.executemany("INSERT INTO t VALUES (:a, :b)", data)
    await cur.executemany("INSERT INTO t VALUES (:2, :1)", data)
    await cur.execute("SELECT * FROM t")
    assert await cur.fetchall() == [(1, "x"), (2, "y")] * 2
    with pytest.raises(informix_db.ProgrammingError, match="no column for"):
        await cur.executemany("INSERT INTO t VALUES (:a, :c)", data)
    with pytest.raises(informix_db.ProgrammingError):
        await cur.executemany("INSERT INTO t VALUES (?)", data)
    with pytest.raises(informix_db.NotSupportedError, match="without rows"):
        await cur.executemany("SELECT * FROM t WHERE a = ? AND b = ?", data.select(["a", "b"]))


async def test_ingest_names_columns(cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (id SERIAL, a INTEGER, b VARCHAR(9))")
    frame = polars.DataFrame({"b": ["x", None], "a": [1, 2]})
    assert await cur.ingest(name, frame) == cur.rowcount == 2
    assert await cur.ingest(name, frame.rename({"a": "no name"}), columns=["b", "a"]) == 2
    await cur.execute(f"SELECT a, b FROM {name} ORDER BY id")
    assert await cur.fetchall() == [(1, "x"), (2, None)] * 2
    for bad in ({"columns": ["b"]}, {"columns": ["b", "a); DROP TABLE x; --"]}, {"mode": "replace"}):
        with pytest.raises(informix_db.ProgrammingError):
            await cur.ingest(name, frame, **bad)
    with pytest.raises(informix_db.ProgrammingError, match="no name of a table"):
        await cur.ingest("t; DROP TABLE x", frame)
    with pytest.raises(informix_db.ProgrammingError, match="takes Arrow data"):
        await cur.ingest(name, [(1, "x")])
    with pytest.raises(informix_db.ProgrammingError) as missing:
        await cur.ingest(name, frame.rename({"a": "c"}))
    assert missing.value.sqlcode == -217
    with pytest.raises(informix_db.DatabaseError) as there:
        await cur.ingest(name, frame, mode="create")
    assert there.value.sqlcode == -310


async def test_errors_of_the_server_name_the_row(cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (a INTEGER PRIMARY KEY)")
    data = pyarrow.table({"a": pyarrow.chunked_array([[1, 2, 3], [4, 2]])})
    with pytest.raises(informix_db.IntegrityError, match="executemany row 4") as failed:
        await cur.executemany(f"INSERT INTO {name} VALUES (?)", data)
    assert failed.value.sqlcode in (-268, -239)


async def test_it_can_go_on_behind_an_error(cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (a DECIMAL(32,0) PRIMARY KEY)")
    values = [1, 2, 10**40, 2, 3]
    data = pyarrow.table({"a": pyarrow.array(values, pyarrow.decimal256(50, 0))})
    await cur.executemany(f"INSERT INTO {name} VALUES (?)", data, on_error="continue")
    assert [(row, type(e)) for row, e in cur.batch_errors] == [(2, informix_db.DataError), (3, informix_db.IntegrityError)]
    assert cur.rowcount == 3


async def test_rows_are_committed_in_between(cur, table):
    name = table()
    data = pyarrow.table({"a": pyarrow.array([*range(25), 10**40], pyarrow.decimal256(50, 0))})
    await cur.execute(f"CREATE TABLE {name} (a DECIMAL(32,0))")
    with pytest.raises(informix_db.DataError, match="row 25"):
        await cur.ingest(name, data, commit_every=10)
    assert await cur.ingest(name, data.slice(0, 25), commit_every=10) == 25
    await cur.execute(f"SELECT COUNT(*) FROM {name}")
    assert (await cur.fetchone())[0] in (25, 45)


async def test_a_transaction_is_begun(face, table):
    db = await face.connect(autocommit=False)
    cur, name = db.cursor(), table()
    await cur.execute(f"CREATE TABLE {name} (a BIGINT)")
    await db.commit()
    await cur.ingest(name, pyarrow.table({"a": [1, 2]}))
    assert db.in_transaction
    await db.rollback()
    await cur.execute(f"SELECT COUNT(*) FROM {name}")
    assert await cur.fetchone() == (0,)


async def test_many_rows_and_none(cur, table):
    name = table()
    count = 30_000
    data = pyarrow.table({"n": range(count), "c": [f"row {n}" if n % 3 else None for n in range(count)]})
    assert await cur.ingest(name, data, mode="create") == count
    await cur.execute(f"SELECT * FROM {name} ORDER BY n")
    fetched = await cur.fetch_arrow_table()
    assert pyarrow.table(fetched).to_pydict() == data.to_pydict()
    assert await cur.ingest(name, data.slice(0, 0)) == 0
    await cur.executemany(f"INSERT INTO {name} VALUES (?, ?)", data.slice(0, 0))
    assert cur.rowcount == 0
    # What was fetched goes back, with its types.
    copy = table()
    assert await cur.ingest(copy, fetched, mode="create") == count
    await cur.execute(f"SELECT * FROM {copy} WHERE n < 2 ORDER BY n")
    again = pyarrow.table(await cur.fetch_arrow_table())
    assert again.to_pylist() == [{"n": 0, "c": None}, {"n": 1, "c": "row 1"}]
    assert again.schema.field("c").metadata == {b"informix.type": b"lvarchar(2048)"}


def test_from_one_connection_into_another_and_into_itself(connect, table):
    here, there = connect(), connect()
    reading, writing, name = here.cursor(), there.cursor(), table()
    writing.execute(f"CREATE TABLE {name} (a INTEGER, b VARCHAR(128))")
    reading.execute("SELECT tabid, tabname FROM systables")
    total = writing.ingest(name, reading.fetch_arrow_batches(7), columns=["a", "b"])
    reading.execute("SELECT tabid, tabname FROM systables")
    assert len(reading.fetchall()) >= total > 20
    # The rows come from the connection that they go to.
    reading = there.cursor()
    reading.execute(f"SELECT a, b FROM {name}")
    assert writing.ingest(name, reading) == total
    reading.execute("SELECT tabid, tabname FROM systables WHERE tabid < 3")
    writing.executemany(f"INSERT INTO {name} VALUES (?, ?)", reading)
    assert writing.rowcount == 2


def test_a_broken_stream(cursor):
    def batches():
        yield pyarrow.record_batch({"a": [1]})
        raise ValueError("broken on purpose")

    cursor.execute("CREATE TEMP TABLE t (a INTEGER)")
    schema = pyarrow.schema({"a": pyarrow.int64()})
    with pytest.raises(informix_db.DataError, match="cannot be read: .*broken on purpose"):
        cursor.ingest("t", pyarrow.RecordBatchReader.from_batches(schema, batches()))
    used = pyarrow.RecordBatchReader.from_batches(schema, []).__arrow_c_stream__()

    class Used:
        def __arrow_c_stream__(self, requested_schema=None):
            return used

    assert cursor.ingest("t", Used()) == 0
    with pytest.raises(informix_db.DataError, match="released"):
        cursor.ingest("t", Used())


def test_an_array_that_is_no_record_batch(cursor):
    with pytest.raises(informix_db.DataError, match="no record batch"):
        cursor.ingest("t", pyarrow.array([1]))
