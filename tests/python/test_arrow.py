"""Arrow out: every type beside the tuples, ends and borders of results, consumers, errors. Runs blocking and on asyncio."""

from __future__ import annotations

import datetime
import gc
import resource
import subprocess
import sys
import threading
from decimal import Decimal

import duckdb
import polars
import pyarrow
import pytest

import informix_db
from kinds import KINDS

ROW = (1, "abc", 1.5, Decimal("12345.67"), datetime.date(2024, 5, 6))
FIVE = "i INTEGER, c CHAR(20), f FLOAT, d DECIMAL(16,2), t DATE"
# Values that have no place in Arrow's integers.
TOO_LARGE = {
    datetime.timedelta(days=999999999, seconds=86399): "INTERVAL DAY(9) TO FRACTION(5)",
    informix_db.IntervalYM(999999999 * 12 + 11): "INTERVAL YEAR(9) TO MONTH",
}


def rows(table):
    """The rows of what was fetched, by way of pyarrow: equal names of columns are no matter."""
    read = pyarrow.table(table)
    return list(zip(*(column.to_pylist() for column in read.columns))) if read.num_columns else []


def as_arrow(value, sql):
    """What pyarrow makes of a value that the tuples have."""
    if isinstance(value, Decimal) and sql.startswith("DECIMAL") and "," not in sql:
        return "text", value
    if isinstance(value, informix_db.IntervalYM):
        return pyarrow.MonthDayNano([value.months, 0, 0])
    return value


async def many(cur, count):
    """A temporary table of `count` rows, and its rows."""
    given = [(n, f"row {n}", n / 4, Decimal(n) / 100, datetime.date(2000, 1, 1) + datetime.timedelta(n % 9999)) for n in range(count)]
    await cur.execute(f"CREATE TEMP TABLE many ({FIVE})")
    await cur.executemany("INSERT INTO many VALUES (?, ?, ?, ?, ?)", given)
    return given


async def batches(cur, *arguments, **more):
    """The batches of either face."""
    if isinstance(cur, informix_db.aio.AsyncCursor):
        return [batch async for batch in cur.fetch_arrow_batches(*arguments, **more)]
    return list(await cur.fetch_arrow_batches(*arguments, **more))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.sql)
async def test_every_type_is_the_same_as_in_tuples(cur, table, kind):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (n INT, v {kind.sql})")
    values = [None, *(given for given, _ in kind.pairs()), None]
    await cur.executemany(f"INSERT INTO {name} VALUES (?, ?)", list(enumerate(values)))
    query = f"SELECT v FROM {name} ORDER BY n"
    await cur.execute(query)
    tuples = [row[0] for row in await cur.fetchall()]
    large = [n for n, value in enumerate(tuples) if TOO_LARGE.get(value) == kind.sql]
    if large:
        await cur.execute(query)
        with pytest.raises(informix_db.DataError, match=rf'row {large[0]}, column "v" \(interval.*out of range'):
            await cur.fetch_arrow_table()
        query = f"SELECT v FROM {name} WHERE n <> {large[0]} ORDER BY n"
        del tuples[large[0]]
    await cur.execute(query)
    arrow = rows(await cur.fetch_arrow_table())
    for (read,), value in zip(arrow, tuples, strict=True):
        expected = as_arrow(value, kind.sql)
        if type(expected) is tuple:
            assert isinstance(read, str) and Decimal(read) == value
        else:
            assert read == expected and type(read) is type(expected)


async def test_types_of_the_schema(cur):
    types = {
        "SERIAL": "int32", "SMALLINT": "int16", "INT8": "int64", "BIGINT": "int64", "SMALLFLOAT": "float",
        "FLOAT": "double", "DECIMAL(32,5)": "decimal128(32, 5)", "MONEY(8,2)": "decimal128(8, 2)", "DECIMAL(9)": "string",
        "CHAR(3)": "string", "LVARCHAR(9)": "string", "BOOLEAN": "bool", "DATE": "date32[day]",
        "DATETIME YEAR TO MONTH": "date32[day]", "DATETIME YEAR TO HOUR": "timestamp[s]",
        "DATETIME YEAR TO FRACTION(1)": "timestamp[ms]", "DATETIME YEAR TO FRACTION(4)": "timestamp[us]",
        "DATETIME MINUTE TO SECOND": "time32[s]", "DATETIME HOUR TO FRACTION(2)": "time32[ms]",
        "DATETIME HOUR TO FRACTION(5)": "time64[us]", "DATETIME MONTH TO DAY": "string", "DATETIME DAY TO HOUR": "string",
        "INTERVAL DAY TO HOUR": "duration[s]", "INTERVAL SECOND TO FRACTION(3)": "duration[ms]",
        "INTERVAL DAY TO FRACTION(5)": "duration[us]", "INTERVAL YEAR TO MONTH": "month_day_nano_interval",
        "BYTE": "binary", "TEXT": "string", "BLOB": "fixed_size_binary[72]", "CLOB": "fixed_size_binary[72]",
        "SET(INTEGER NOT NULL)": "string", "ROW(a INTEGER, b CHAR(3))": "string",
    }  # fmt: skip
    columns = ", ".join(f"c{n} {sql}" for n, sql in enumerate(types))
    await cur.execute(f"CREATE TEMP TABLE types ({columns})")
    await cur.execute("SELECT * FROM types")
    fetched = await cur.fetch_arrow_table()
    schema = pyarrow.schema(fetched)
    assert dict(zip(types, map(str, schema.types), strict=True)) == types
    assert fetched.num_rows == 0 and schema.field(0).metadata == {b"informix.type": b"serial"}
    assert [field.nullable for field in schema] == [False] + [True] * (len(types) - 1)
    assert fetched.schema.splitlines()[0] == "c0: Int32 not null (serial)"


async def test_odd_datetimes(cur):
    await cur.execute("SELECT '2024-05'::DATETIME YEAR TO MONTH, '05-06'::DATETIME MONTH TO DAY, "
                      "'2024-05-06 07'::DATETIME YEAR TO HOUR, '06 07:08'::DATETIME DAY TO MINUTE, "
                      "'08:09.5'::DATETIME MINUTE TO FRACTION(1) FROM systables WHERE tabid = 1")  # fmt: skip
    [row] = rows(await cur.fetch_arrow_table())
    assert row == (datetime.date(2024, 5, 1), "05-06", datetime.datetime(2024, 5, 6, 7), "06 07:08", datetime.time(0, 8, 9, 500000))


async def test_composites_and_locators(cur, table):
    name = table()
    await cur.execute(f"CREATE TABLE {name} (s SET(INTEGER NOT NULL), r ROW(a INTEGER, b CHAR(3)), b BLOB)")
    await cur.execute(f"INSERT INTO {name} VALUES (SET{{1, 2}}, ROW(1, 'x'), NULL)")
    await cur.execute(f"SELECT * FROM {name}")
    [(of_set, of_row, _)] = await cur.fetchall()
    await cur.execute(f"SELECT * FROM {name}")
    assert rows(await cur.fetch_arrow_table()) == [(of_set.raw.decode(), of_row.raw.decode(), None)]


@pytest.mark.parametrize("place", range(5))
async def test_null_in_each_column(cur, place):
    holed = tuple(None if n == place else value for n, value in enumerate(ROW))
    given = [ROW, holed, ROW, *[holed] * 300, ROW]
    await cur.execute(f"CREATE TEMP TABLE holes ({FIVE})")
    await cur.executemany("INSERT INTO holes VALUES (?, ?, ?, ?, ?)", given)
    await cur.execute("SELECT * FROM holes")
    assert rows(await cur.fetch_arrow_table()) == given


@pytest.mark.parametrize("count", [0, 1, 7, 20_000])
async def test_any_number_of_rows_in_any_batches(cur, count):
    given = await many(cur, count)
    for size in (1_000_000, 9_999, 1, 3):
        if size < 9 and count > 9:
            continue
        await cur.execute("SELECT * FROM many")
        read = await batches(cur, size)
        assert all(batch.num_rows == len(batch) == size for batch in read[:-1]) and len(read) == -(-count // size)
        assert [row for batch in read for row in rows(pyarrow.record_batch(batch))] == given
        assert cur.rowcount == count


async def test_it_goes_on_behind_rows_that_were_fetched(cur):
    given = await many(cur, 5_000)
    await cur.execute("SELECT * FROM many")
    assert await cur.fetchone() == given[0]
    assert await cur.fetchmany(1500) == given[1:1501]
    if not isinstance(cur, informix_db.aio.AsyncCursor):
        assert rows(next(cur.wrapped.fetch_arrow_batches(100))) == given[1501:1601]
        assert await cur.fetchone() == given[1601]
    else:
        assert [await cur.fetchone() for _ in range(101)] == given[1501:1602]
    assert rows(await cur.fetch_arrow_table()) == given[1602:]
    assert cur.rownumber == 5_000
    end = await cur.fetch_arrow_table()
    assert (end.num_rows, end.column_names) == (0, ["i", "c", "f", "d", "t"])
    assert await cur.fetchone() is None and await batches(cur) == []


async def test_scroll_cursors(db, cur):
    given = await many(cur, 20)
    scrolling = db.cursor(scrollable=True)
    await scrolling.execute("SELECT * FROM many ORDER BY i")
    assert await scrolling.fetch_absolute(4) == given[4]
    assert [len(batch) for batch in await batches(scrolling, 10)] == [10, 5]
    await scrolling.scroll(18, "absolute")
    assert rows(await scrolling.fetch_arrow_table()) == given[18:]


async def test_no_columns_of_equal_names_are_lost(cur):
    await cur.execute("SELECT tabid, tabid, tabname AS tabid FROM systables WHERE tabid = 1")
    fetched = await cur.fetch_arrow_table()
    assert fetched.column_names == ["tabid"] * 3 and rows(fetched) == [(1, 1, "systables")]


async def test_an_outer_join_is_nullable(cur):
    await cur.execute("CREATE TEMP TABLE a (i INTEGER NOT NULL)")
    await cur.execute("CREATE TEMP TABLE b (i INTEGER NOT NULL)")
    await cur.execute("INSERT INTO a VALUES (1)")
    await cur.execute("SELECT a.i, b.i FROM a LEFT JOIN b ON a.i = b.i")
    fetched = await cur.fetch_arrow_table()
    assert rows(fetched) == [(1, None)]
    assert [field.nullable for field in pyarrow.schema(fetched)] == [False, True]


FLOATING = ["1.5", "-1234567890.123456", "1E+20", "0", "0.00001"]


@pytest.mark.parametrize(
    ("option", "kind", "make"),
    [
        ("text", "string", lambda text: format(Decimal(text), "f")),
        ("float64", "double", float),
        ("decimal(38,8)", "decimal128(38, 8)", Decimal),
        ("decimal(76,40)", "decimal256(76, 40)", Decimal),
    ],
)
async def test_floating_decimals(cur, option, kind, make):
    await cur.execute("CREATE TEMP TABLE floating (n INT, d DECIMAL(20))")
    await cur.executemany("INSERT INTO floating VALUES (?, ?)", [(n, Decimal(text)) for n, text in enumerate(FLOATING)])
    await cur.execute("SELECT d FROM floating ORDER BY n")
    read = pyarrow.table(await cur.fetch_arrow_table(floating_decimal=option))
    assert str(read.schema.field(0).type) == kind
    assert read.column(0).to_pylist() == [make(text) for text in FLOATING]
    await cur.execute("SELECT d FROM floating ORDER BY n")
    assert str(pyarrow.record_batch((await batches(cur, floating_decimal=option))[0]).schema.field(0).type) == kind


@pytest.mark.parametrize("option", ["decimal(38,4)", "decimal(20,8)", "decimal(76,4)"])
async def test_floating_decimals_that_do_not_fit(cur, option):
    await cur.execute("CREATE TEMP TABLE floating (n INT, d DECIMAL(20))")
    await cur.executemany("INSERT INTO floating VALUES (?, ?)", [(n, Decimal(text)) for n, text in enumerate(FLOATING)])
    await cur.execute("SELECT d FROM floating ORDER BY n")
    with pytest.raises(informix_db.DataError, match=r'row [124], column "d" \(decimal\(20\)\): .* is out of range'):
        await cur.fetch_arrow_table(floating_decimal=option)


@pytest.mark.parametrize("option", ["", "double", "decimal", "decimal(77,1)", "decimal(5,6)", "decimal(0,0)"])
async def test_options_that_do_not_exist(cur, option):
    await cur.execute("SELECT tabid FROM systables")
    with pytest.raises(informix_db.ProgrammingError, match="floating decimals become"):
        await cur.fetch_arrow_table(floating_decimal=option)


async def test_without_a_result(db, cur):
    with pytest.raises(informix_db.ProgrammingError, match="there is no result"):
        await cur.fetch_arrow_table()
    await cur.execute("CREATE TEMP TABLE nothing (i INT)")
    with pytest.raises(informix_db.ProgrammingError, match="there is no result"):
        await batches(cur)
    with pytest.raises(informix_db.ProgrammingError, match="at least one row"):
        await batches(cur, 0)
    await cur.close()
    with pytest.raises(informix_db.InterfaceError, match="closed"):
        await cur.fetch_arrow_table()
    other = db.cursor()
    await other.execute("SELECT tabid FROM systables")
    await db.close()
    with pytest.raises(informix_db.InterfaceError, match="closed"):
        await other.fetch_arrow_table()


async def test_an_error_of_the_server_in_the_middle(cur):
    await many(cur, 20_000)
    await cur.execute("SELECT 10 / (15000 - i) FROM many")
    with pytest.raises(informix_db.DatabaseError) as failed:
        while (await cur.fetch_arrow_table()).num_rows:
            pass
    assert failed.value.sqlcode == -1202
    await cur.execute("SELECT COUNT(*) FROM many")
    assert (await cur.fetchone())[0] == 20_000


# What follows is of the blocking cursor alone: it is a C stream itself.


def test_consumers_read_the_cursor(cursor):
    cursor.execute(f"CREATE TEMP TABLE five ({FIVE})")
    cursor.executemany("INSERT INTO five VALUES (?, ?, ?, ?, ?)", [ROW, (None,) * 5])
    given = [ROW, (None,) * 5]

    def fresh():
        cursor.execute("SELECT * FROM five")
        return cursor

    assert rows(fresh()) == given
    assert pyarrow.RecordBatchReader.from_stream(fresh()).read_all().num_rows == 2
    assert polars.DataFrame(fresh()).rows() == given
    assert polars.DataFrame(fresh().fetch_arrow_table()).rows() == given
    result = fresh()  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("SELECT * FROM result").fetchall() == given
    made = fresh().fetch_arrow_table()
    assert made.to_polars().rows() == given and made.to_pyarrow().num_rows == len(made) == 2
    assert [batch.num_rows for batch in made.to_batches()] == [2] and made.nbytes > 0
    assert rows(fresh().fetch_arrow_batches(1)) == given
    assert pyarrow.schema(fresh()).names == ["i", "c", "f", "d", "t"]


def test_no_consumer_has_to_be_there(server, cursor):
    program = (
        "import sys; sys.modules.update(pyarrow=None, polars=None, duckdb=None)\n"
        "import informix_db\n"
        f"c = informix_db.connect(**{server.connect_args()!r}).cursor()\n"
        "c.execute('SELECT tabid, tabname FROM systables')\n"
        "t = c.fetch_arrow_table()\n"
        "assert t.num_rows > 9 and len(t.__arrow_c_stream__.__name__) and t.to_batches()[0].__arrow_c_array__()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_streams_share_the_rows(cursor):
    cursor.execute("SELECT tabid FROM systables")
    total = len(cursor.fetchall())
    cursor.execute("SELECT tabid FROM systables")
    stream = cursor.fetch_arrow_batches(3)
    first = next(stream)
    rest = pyarrow.table(stream)
    assert first.num_rows == 3 and rest.num_rows == total - 3 and list(stream) == []


def test_a_stream_of_an_earlier_statement(cursor):
    cursor.execute("SELECT tabid FROM systables")
    stream, reader = cursor.fetch_arrow_batches(), pyarrow.RecordBatchReader.from_stream(cursor)
    cursor.execute("SELECT tabname FROM systables")
    with pytest.raises(informix_db.ProgrammingError, match="another statement"):
        next(stream)
    with pytest.raises(OSError, match="ProgrammingError: the cursor has executed another statement"):
        reader.read_all()
    assert len(cursor.fetchall()) > 9


def test_a_capsule_is_consumed_once(cursor):
    cursor.execute("SELECT tabid FROM systables")
    capsule = cursor.__arrow_c_stream__()
    assert pyarrow.RecordBatchReader._import_from_c_capsule(capsule).read_all().num_rows > 9
    with pytest.raises(pyarrow.ArrowInvalid, match="released"):
        pyarrow.RecordBatchReader._import_from_c_capsule(capsule)


def test_a_stream_in_another_thread(cursor):
    cursor.execute("SELECT tabid FROM systables")
    capsule, read = cursor.__arrow_c_stream__(), []
    thread = threading.Thread(target=lambda: read.append(pyarrow.RecordBatchReader._import_from_c_capsule(capsule).read_all()))
    thread.start()
    thread.join()
    assert read[0].num_rows > 9


@pytest.mark.parametrize("how", ["cursor", "connection", "abort"])
def test_a_stream_of_what_is_closed(connect, how):
    connection = connect()
    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE big (i INTEGER, c CHAR(200))")
    cursor.executemany("INSERT INTO big VALUES (?, ?)", [(n, "x") for n in range(30_000)])
    cursor.execute("SELECT * FROM big")
    reader = pyarrow.RecordBatchReader.from_stream(cursor.fetch_arrow_batches(100))
    kept = reader.read_next_batch()
    {"cursor": cursor.close, "connection": connection.close, "abort": connection.abort}[how]()
    with pytest.raises(OSError, match="Error: "):
        reader.read_all()
    # What was handed over is no longer the connection's.
    assert kept.column(0).to_pylist() == list(range(100))


def test_an_error_comes_through_a_stream(cursor):
    cursor.execute("CREATE TEMP TABLE spans (d INTERVAL YEAR(9) TO MONTH)")
    cursor.execute("INSERT INTO spans VALUES (?)", (informix_db.IntervalYM(999999999 * 12),))
    cursor.execute("SELECT d FROM spans")
    with pytest.raises(pyarrow.ArrowInvalid, match='DataError: row 0, column "d"'):
        pyarrow.table(cursor)
    assert cursor.fetchone() is None


def test_what_is_dropped_leaves_nothing_behind(cursor):
    cursor.execute("CREATE TEMP TABLE big (i INTEGER, c CHAR(200))")
    cursor.executemany("INSERT INTO big VALUES (?, ?)", [(n, "x" * 200) for n in range(5_000)])

    def once():
        cursor.execute("SELECT * FROM big")
        capsule, stream = cursor.__arrow_c_stream__(), cursor.fetch_arrow_batches(100)
        next(stream)
        table = cursor.fetch_arrow_table()
        unread = table.__arrow_c_stream__(), table.to_batches()[0].__arrow_c_array__(), table.__arrow_c_schema__()
        assert pyarrow.table(table).num_rows == 4_900
        del capsule, stream, unread

    def memory():
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    for _ in range(20):
        once()
    before = memory()
    for _ in range(100):
        once()
    # One round holds 2 MB.
    assert memory() - before < 20_000_000
