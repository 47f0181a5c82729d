"""Statements, parameters and results, on both faces."""

from __future__ import annotations

import pytest

import informix_db
from informix_db import exceptions


async def test_before_anything_ran(cur):
    assert (cur.description, cur.rowcount, cur.rownumber, cur.arraysize, cur.closed) == (None, -1, None, 1, False)
    assert cur.lastrowid is None
    assert await cur.fetchone() is None
    assert await cur.fetchmany(3) == []
    assert await cur.fetchall() == []


async def test_rows_in_every_way(cur):
    await cur.execute("CREATE TEMP TABLE n (i INTEGER)")
    await cur.executemany("INSERT INTO n VALUES (?)", [(i,) for i in range(10)])
    await cur.execute("SELECT i FROM n ORDER BY i")
    assert await cur.fetchone() == (0,)
    assert cur.rownumber == 0
    assert await cur.fetchmany(2) == [(1,), (2,)]
    assert await cur.fetchmany() == [(3,)]
    cur.arraysize = 2
    assert await cur.fetchmany() == [(4,), (5,)]
    assert [row async for row in cur] == [(6,), (7,), (8,), (9,)]
    assert await cur.fetchone() is None
    assert await cur.fetchmany(5) == []
    assert await cur.fetchall() == []


async def test_rowcount(cur):
    await cur.execute("CREATE TEMP TABLE rc (i INTEGER)")
    await cur.execute("INSERT INTO rc VALUES (1)")
    assert cur.rowcount == 1
    await cur.executemany("INSERT INTO rc VALUES (?)", [(2,), (3,), (4,)])
    assert cur.rowcount == 3
    await cur.execute("UPDATE rc SET i = i + 1")
    assert cur.rowcount == 4
    await cur.execute("UPDATE rc SET i = 0 WHERE i > 100")
    assert cur.rowcount == 0
    await cur.execute("DELETE FROM rc WHERE i > ?", (3,))
    assert cur.rowcount == 2
    await cur.executemany("INSERT INTO rc VALUES (?)", [])
    assert cur.rowcount == 0


@pytest.mark.parametrize(
    "values, parameters",
    [
        ("?, ?, ?", (1, 2, 3)),
        (":1, :2, :3", (1, 2, 3)),
        (":3, :2, :1", (3, 2, 1)),
        (":a, :b, :c", {"a": 1, "b": 2, "c": 3, "unused": 4}),
        (" ?,/* :9 ? */ ?, -- ?\n ?", (1, 2, 3)),
    ],
)
async def test_kinds_of_markers(cur, values, parameters):
    await cur.execute("CREATE TEMP TABLE p (a INTEGER, b INTEGER, c INTEGER)")
    await cur.execute(f"INSERT INTO p VALUES ({values})", parameters)
    await cur.execute("SELECT * FROM p")
    assert await cur.fetchall() == [(1, 2, 3)]


async def test_a_number_used_twice_is_one_parameter(cur):
    await cur.execute("CREATE TEMP TABLE two (a INTEGER, b INTEGER)")
    await cur.execute("INSERT INTO two VALUES (:1, :1)", (5,))
    await cur.execute("SELECT * FROM two WHERE a = :x AND b = :x", {"x": 5})
    assert await cur.fetchall() == [(5, 5)]


@pytest.mark.parametrize(
    "sql, parameters, expected",
    [
        ("SELECT 'http://host:8080/:1', :1::INT FROM systables WHERE tabid = 1", (7,), [("http://host:8080/:1", 7)]),
        ("SELECT ?::VARCHAR(16) FROM systables WHERE tabid = 1", ("x",), [("x",)]),
        ("SELECT tabid FROM systables WHERE tabid = ? { :1 ? ' }", (1,), [(1,)]),
        ("SELECT 'it''s ?', tabid FROM systables WHERE tabid = :1", (1,), [("it's ?", 1)]),
    ],
)
async def test_markers_in_text_and_comments_are_left_alone(cur, sql, parameters, expected):
    await cur.execute(sql, parameters)
    assert await cur.fetchall() == expected


@pytest.mark.parametrize(
    "sql, parameters",
    [
        ("INSERT INTO w VALUES (?, ?)", (1,)),
        ("INSERT INTO w VALUES (?, ?)", (1, 2, 3)),
        ("INSERT INTO w VALUES (:1, :3)", (1, 2)),
        ("INSERT INTO w VALUES (:a, :b)", {"a": 1}),
        ("INSERT INTO w VALUES (?, ?)", ()),
    ],
)
async def test_wrong_number_of_parameters(cur, sql, parameters):
    await cur.execute("CREATE TEMP TABLE w (a INTEGER, b INTEGER)")
    with pytest.raises(informix_db.ProgrammingError):
        await cur.execute(sql, parameters)
    await cur.execute("SELECT COUNT(*) FROM w")
    assert await cur.fetchone() == (0,)


async def test_several_cursors_at_once(db):
    """Half-read results of one connection do not disturb each other."""
    setup = db.cursor()
    await setup.execute("CREATE TEMP TABLE many (i INTEGER, pad CHAR(200))")
    await setup.executemany("INSERT INTO many VALUES (?, 'x')", [(i,) for i in range(2000)])
    cursors = [db.cursor() for _ in range(5)]
    for number, one in enumerate(cursors):
        await one.execute("SELECT i FROM many WHERE i >= ? ORDER BY i", (number,))
    read = [[] for _ in cursors]
    for _ in range(400):
        for one, rows in zip(cursors, read):
            rows.append((await one.fetchone())[0])
    await setup.execute("UPDATE many SET pad = 'y' WHERE i = 0")
    for one, rows in zip(cursors, read):
        rows += [row[0] for row in await one.fetchall()]
    assert [rows == list(range(number, 2000)) for number, rows in enumerate(read)] == [True] * 5


async def test_results_larger_than_the_fetch_buffer(cur):
    await cur.execute("CREATE TEMP TABLE big (i INTEGER, pad CHAR(3000))")
    await cur.executemany("INSERT INTO big VALUES (?, ?)", [(i, "p" * 3000) for i in range(300)])
    await cur.execute("SELECT i, pad FROM big ORDER BY i")
    assert [(row[0], len(row[1])) for row in await cur.fetchall()] == [(i, 3000) for i in range(300)]


async def test_rows_about_as_large_as_the_fetch_buffer(face):
    db = await face.connect(fetch_buffer=4096, max_fetch_buffer=4096)
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE wide (a LVARCHAR(30000), i INTEGER)")
    sizes = [1, 4095, 4096, 4097, 8192, 29999, 30000, 0]
    await cur.executemany("INSERT INTO wide VALUES (?, ?)", [("a" * size, i) for i, size in enumerate(sizes)])
    await cur.execute("SELECT a FROM wide ORDER BY i")
    assert [len(a) for (a,) in await cur.fetchall()] == sizes


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 1024, 1025])
async def test_result_sizes(cur, count):
    await cur.execute("CREATE TEMP TABLE size (i INTEGER)")
    await cur.executemany("INSERT INTO size VALUES (?)", [(i,) for i in range(count)])
    await cur.execute("SELECT i FROM size ORDER BY i")
    assert await cur.fetchall() == [(i,) for i in range(count)]


async def test_executemany_names_the_failing_row(db, cur):
    await cur.execute("CREATE TEMP TABLE u (i INTEGER PRIMARY KEY)")
    with pytest.raises(informix_db.IntegrityError, match="executemany row 3/6") as error:
        await cur.executemany("INSERT INTO u VALUES (?)", [(1,), (2,), (3,), (1,), (5,), (6,)])
    assert error.value.sqlcode == -268
    await cur.execute("SELECT COUNT(*) FROM u")
    assert (await cur.fetchone())[0] >= 3


async def test_executemany_takes_any_iterable(cur):
    await cur.execute("CREATE TEMP TABLE g (i INTEGER, t VARCHAR(10))")
    await cur.executemany("INSERT INTO g VALUES (?, ?)", ((i, None if i % 3 else "x" * (i % 10)) for i in range(1000)))
    assert cur.rowcount == 1000
    await cur.executemany("INSERT INTO g VALUES (:i, :t)", [{"i": 1, "t": "a"}, {"t": "b", "i": 2}])
    assert cur.rowcount == 2


async def test_executemany_refuses_queries_and_uneven_sets(cur):
    with pytest.raises(informix_db.NotSupportedError, match="SELECT"):
        await cur.executemany("SELECT tabid FROM systables WHERE tabid = ?", [(1,), (2,)])
    await cur.execute("CREATE TEMP TABLE un (i INTEGER)")
    with pytest.raises(informix_db.ProgrammingError, match="parameter set"):
        await cur.executemany("INSERT INTO un VALUES (?)", [(1,), (2, 3)])


async def test_a_failed_statement_leaves_the_connection_good(cur):
    for _ in range(3):
        with pytest.raises(informix_db.ProgrammingError):
            await cur.execute("SELECT nothing FROM nowhere")
        await cur.execute("SELECT tabid FROM systables WHERE tabid = 1")
        assert await cur.fetchall() == [(1,)]


async def test_closed_objects_refuse(db):
    one = db.cursor()
    await one.close()
    assert one.closed
    await one.close()
    with pytest.raises(informix_db.InterfaceError):
        await one.execute("SELECT 1 FROM systables")
    with pytest.raises(informix_db.InterfaceError):
        await one.fetchone()
    other = db.cursor()
    await db.close()
    await db.close()
    assert db.closed
    with pytest.raises(informix_db.InterfaceError):
        db.cursor()
    with pytest.raises(informix_db.InterfaceError):
        await db.commit()
    with pytest.raises(informix_db.Error):
        await other.execute("SELECT 1 FROM systables")


async def test_context_managers_close(face):
    async with await face.connect() as db:
        async with db.cursor() as cur:
            await cur.execute("SELECT FIRST 1 tabid FROM systables")
        assert cur.closed
    assert db.closed


async def test_row_factories(face):
    db = await face.connect(row_factory=informix_db.Row)
    cur = db.cursor()
    await cur.execute("SELECT tabid AS a, 'x' AS b FROM systables WHERE tabid = 1")
    row = await cur.fetchone()
    assert (row.a, row["b"], row[0], row) == (1, "x", 1, (1, "x"))
    cur.row_factory = informix_db.dict_factory
    await cur.execute("SELECT tabid AS a, 'x' AS b FROM systables WHERE tabid = 1")
    assert [one async for one in cur] == [{"a": 1, "b": "x"}]
    cur.row_factory = informix_db.namedtuple_factory
    await cur.execute("SELECT tabid AS a, COUNT(*) FROM systables WHERE tabid = 1 GROUP BY 1")
    assert (await cur.fetchmany(1))[0].a == 1
    cur.row_factory = lambda names: lambda values: (names, values)
    await cur.execute("SELECT tabid AS a FROM systables WHERE tabid = 1")
    assert await cur.fetchall() == [(("a",), (1,))]
    assert type(row) is not tuple


async def test_queries_are_known_by_the_server_not_by_their_text(cur):
    for text in ("{c} -- d\n(SELECT tabid FROM systables WHERE tabid = 1)", "/* x */ SELECT tabid FROM systables WHERE tabid=1"):
        await cur.execute(text)
        assert await cur.fetchall() == [(1,)]


@pytest.mark.parametrize("what", ["SELECT FIRST 1 tabid FROM systables", "CREATE TEMP TABLE mm (i INTEGER)"])
async def test_description_is_of_the_last_statement(cur, what):
    await cur.execute(what)
    assert (cur.description is not None) == what.startswith("SELECT")


async def test_scrolling(db):
    for scrollable in (False, True):
        cur = db.cursor(scrollable=scrollable)
        await cur.execute("SELECT tabid FROM systables WHERE tabid <= 5 ORDER BY tabid")
        assert await cur.fetch_last() == (5,)
        assert await cur.fetch_first() == (1,)
        assert await cur.fetch_absolute(2) == (3,)
        assert await cur.fetch_relative(1) == (4,)
        assert await cur.fetch_prior() == (3,)
        assert await cur.fetch_absolute(-1) == (5,)
        assert await cur.fetch_absolute(99) is None
        await cur.scroll(1, "absolute")
        assert cur.rownumber is not None
        with pytest.raises(informix_db.ProgrammingError, match="scroll mode"):
            await cur.scroll(1, "sideways")
        with pytest.raises(IndexError):
            await cur.scroll(-99)
        await cur.close()


def test_the_exceptions_of_pep_249_are_on_the_connection(connection):
    for name in exceptions.__all__:
        assert getattr(connection, name) is getattr(informix_db, name)
