"""Errors of the server: class, numbers, text; and what they carry."""

from __future__ import annotations

import pickle

import pytest

import informix_db

SETUP = [
    "CREATE TEMP TABLE parent (id INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE e (a INTEGER NOT NULL, b INTEGER, c SMALLINT, d CHAR(5))",
    "CREATE UNIQUE INDEX e_b ON e (b)",
    "INSERT INTO e VALUES (1, 1, 1, 'x')",
    "INSERT INTO parent VALUES (1)",
]

CASES = [
    ("SELEKT 1 FROM systables", informix_db.ProgrammingError, -201, "42000"),
    ("SELECT * FROM no_such_table", informix_db.ProgrammingError, -206, None),
    ("SELECT no_such_column FROM systables", informix_db.ProgrammingError, -217, None),
    ("INSERT INTO parent VALUES (1)", informix_db.IntegrityError, -268, "23000"),
    ("INSERT INTO e VALUES (1, 1, 1, 'y')", informix_db.IntegrityError, -239, "23000"),
    ("INSERT INTO e VALUES (NULL, 2, 1, 'y')", informix_db.IntegrityError, -391, "23000"),
    ("INSERT INTO e VALUES ('abc', 2, 1, 'y')", informix_db.DataError, -1213, None),
    ("SELECT a / 0 FROM e", informix_db.DataError, -1202, None),
    ("SELECT no_such_function(1) FROM systables", informix_db.ProgrammingError, -674, None),
    ("DATABASE no_such_database", informix_db.NotSupportedError, -329, None),
    ("COMMIT WORK", informix_db.OperationalError, -255, None),
]


@pytest.mark.parametrize("sql, kind, code, state", CASES, ids=[str(case[2]) for case in CASES])
async def test_class_and_numbers(cur, sql, kind, code, state):
    for statement in SETUP:
        await cur.execute(statement)
    with pytest.raises(informix_db.Error) as caught:
        await cur.execute(sql)
        await cur.fetchall()
    error = caught.value
    assert (error.sqlcode, type(error)) == (code, kind)
    assert f"[{code}]" in str(error) and len(str(error)) > 20
    assert len(error.sqlstate) == 5
    if state:
        assert error.sqlstate == state
    assert error.is_disconnect is False
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.sqlcode, copy.near, type(copy)) == (str(error), code, error.near, kind)
    if code == -329:  # the database that was open is closed
        await cur.execute("DATABASE testdb")
    await cur.execute("SELECT tabid FROM systables WHERE tabid = 1")
    assert await cur.fetchone() == (1,)


async def test_foreign_key_and_check(cur, table):
    parent, child = table(), table()
    await cur.execute(f"CREATE TABLE {parent} (id INTEGER PRIMARY KEY)")
    await cur.execute(f"CREATE TABLE {child} (id INTEGER REFERENCES {parent}, n INTEGER CHECK (n > 0))")
    await cur.execute(f"INSERT INTO {parent} VALUES (1)")
    await cur.execute(f"INSERT INTO {child} VALUES (1, 1)")
    for code, sql in (
        (-691, f"INSERT INTO {child} VALUES (2, 1)"),
        (-692, f"DELETE FROM {parent}"),
        (-530, f"INSERT INTO {child} VALUES (1, 0)"),
    ):
        with pytest.raises(informix_db.IntegrityError) as caught:
            await cur.execute(sql)
        assert caught.value.sqlcode == code
        assert isinstance(caught.value, informix_db.DatabaseError)
    await cur.execute(f"DROP TABLE {child}")


async def test_offset_and_name(cur):
    with pytest.raises(informix_db.ProgrammingError) as caught:
        await cur.execute("SELECT tabid FRMO systables")
    assert caught.value.offset
    with pytest.raises(informix_db.ProgrammingError) as caught:
        await cur.execute("SELECT * FROM no_such_table_xyz")
    assert caught.value.near == "no_such_table_xyz"


async def test_wrong_password(face):
    with pytest.raises(informix_db.OperationalError) as caught:
        await face.connect(password="hunter2")
    assert "hunter2" not in str(caught.value)


async def test_nobody_listens(face):
    with pytest.raises(informix_db.OperationalError, match="cannot connect"):
        await face.connect(port=1)


async def test_unknown_database(face):
    with pytest.raises(informix_db.DatabaseError) as caught:
        await face.connect(database="no_such_database")
    assert caught.value.sqlcode == -329


async def test_a_lost_connection_is_told(db):
    """The server's end is cut off under the connection."""
    cur = db.cursor()
    await cur.execute("SELECT tabid FROM systables WHERE tabid = 1")
    db.abort()
    with pytest.raises(informix_db.Error):
        await cur.execute("SELECT tabid FROM systables WHERE tabid = 1")
    assert db.closed


def test_exceptions_can_be_made_by_hand():
    error = informix_db.OperationalError("text")
    assert (error.sqlcode, error.is_retryable, error.is_disconnect) == (None, False, False)
    assert issubclass(informix_db.PoolTimeoutError, informix_db.OperationalError)
    assert issubclass(informix_db.PoolClosedError, informix_db.InterfaceError)
