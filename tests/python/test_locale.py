"""The code set of the database when no locale is given: text is right from the first statement on, and nothing waits for it."""

from __future__ import annotations

import pytest

import informix_db

TEXT = "中文 größe 😀"


async def connect(face):
    """To a UTF-8 database, without a locale."""
    return await face.connect(database="testdb_utf8")


async def test_properties_of_a_fresh_connection(face):
    assert (await connect(face)).encoding == "utf-8"
    assert (await face.connect()).encoding == "iso-8859-1"
    assert (await face.connect(database=None)).encoding == "iso-8859-1"


def test_the_locale_of_a_fresh_connection(connect):
    # As the catalog has it: by the number of the code set.
    assert connect(database="testdb_utf8").client_locale == "en_US.57372"
    assert connect().client_locale == "en_US.8859-1"


async def literal(cur, name):
    await cur.execute(f"INSERT INTO {name} VALUES ('{TEXT}')")


async def parameter(cur, name):
    await cur.execute(f"INSERT INTO {name} VALUES (?)", (TEXT,))


async def many(cur, name):
    await cur.executemany(f"INSERT INTO {name} VALUES (?)", [(TEXT,)])


@pytest.mark.parametrize("insert", [literal, parameter, many])
async def test_the_first_text_of_a_connection(face, insert):
    maker = (await connect(face)).cursor()
    name = f"first_{insert.__name__}_{face.name}"
    await maker.execute(f"CREATE TABLE {name} (a LVARCHAR(100))")
    try:
        await insert((await connect(face)).cursor(), name)
        cur = (await connect(face)).cursor()
        await cur.execute(f"SELECT a FROM {name}")
        assert await cur.fetchall() == [(TEXT,)]
        cur = (await connect(face)).cursor()
        await cur.execute(f"SELECT a FROM {name} WHERE a = ?", (TEXT,))
        assert await cur.fetchall() == [(TEXT,)]
    finally:
        await maker.execute(f"DROP TABLE {name}")


async def test_the_first_column_name_of_a_connection(face):
    cur = (await connect(face)).cursor()
    await cur.execute("SELECT FIRST 1 tabid größe FROM systables")
    assert cur.description[0][0] == "größe"


async def test_text_that_does_not_fit_the_first_statement(face):
    cur = (await face.connect()).cursor()
    with pytest.raises(informix_db.DataError):
        await cur.execute("SELECT tabid FROM systables WHERE tabname = ?", (TEXT,))
    with pytest.raises(informix_db.DataError):
        await (await face.connect()).cursor().execute(f"SELECT tabid FROM systables WHERE tabname = '{TEXT}'")
    await cur.execute("SELECT tabid FROM systables WHERE tabid = 1")
    assert await cur.fetchall() == [(1,)]


async def test_another_database(face):
    db = await face.connect()
    cur = db.cursor()
    for database, text, encoding in [("testdb_utf8", TEXT, "utf-8"), ("testdb", "größe", "iso-8859-1")]:
        await cur.execute(f"DATABASE {database}")
        await cur.execute("CREATE TEMP TABLE other (a LVARCHAR(100))")
        await cur.execute("INSERT INTO other VALUES (?)", (text,))
        await cur.execute("SELECT a FROM other")
        assert await cur.fetchall() == [(text,)]
        assert db.encoding == encoding


def test_nothing_waits_for_it(connect):
    connection = connect(database="testdb_utf8")
    assert connection.round_trips()[2] == 3
    connection.cursor().execute("CREATE TEMP TABLE w (a INTEGER)")
    assert connection.round_trips()[2] == 4
    connection = connect(database="testdb_utf8")
    cursor = connection.cursor()
    cursor.execute("SELECT FIRST 1 tabname FROM systables WHERE tabid = 1")
    assert cursor.fetchall() == [("systables",)]
    assert connection.round_trips()[2] == 5


async def test_asyncio_knows_it_without_another_wait(server):
    async with await informix_db.aio.connect(**server.connect_args(database="testdb_utf8")) as connection:
        assert connection.encoding == "utf-8"
        assert connection._core.round_trips()[2] == 3


def test_a_closed_connection_cannot_tell(connect):
    connection = connect(database="testdb_utf8")
    connection.close()
    with pytest.raises(informix_db.InterfaceError):
        connection.encoding  # noqa: B018
    connection = connect(database="testdb_utf8")
    assert connection.encoding == "utf-8"
    connection.close()
    assert connection.encoding == "utf-8"
