"""Transactions: implicit, explicit, written as SQL."""

from __future__ import annotations

import pytest

import informix_db


async def count(db, name):
    cur = db.cursor()
    await cur.execute(f"SELECT COUNT(*) FROM {name}")
    return (await cur.fetchone())[0]


@pytest.fixture
async def name(face, table):
    """A permanent table."""
    db = await face.connect()
    one = table()
    await db.cursor().execute(f"CREATE TABLE {one} (i INTEGER)")
    return one


async def test_implicit_begin(face, name):
    db, other = await face.connect(autocommit=False), await face.connect()
    cur = db.cursor()
    assert not db.in_transaction
    await cur.execute(f"INSERT INTO {name} VALUES (1)")
    assert db.in_transaction
    await db.rollback()
    assert not db.in_transaction and await count(other, name) == 0
    await cur.execute(f"INSERT INTO {name} VALUES (1)")
    await db.commit()
    assert await count(other, name) == 1
    await db.commit()
    await db.rollback()


async def test_closing_rolls_back(face, name):
    db = await face.connect(autocommit=False)
    await db.cursor().execute(f"INSERT INTO {name} VALUES (1)")
    await db.close()
    assert await count(await face.connect(), name) == 0


async def test_autocommit(face, name):
    db = await face.connect(autocommit=True)
    await db.cursor().execute(f"INSERT INTO {name} VALUES (1)")
    assert not db.in_transaction
    await db.rollback()
    assert await count(db, name) == 1


async def test_sql_begin(face, name):
    """BEGIN WORK written as a statement is known to commit() and rollback()."""
    db = await face.connect(autocommit=True)
    cur = db.cursor()
    await cur.execute("BEGIN WORK")
    assert db.in_transaction
    await cur.execute(f"INSERT INTO {name} VALUES (1)")
    await db.rollback()
    assert await count(db, name) == 0
    await cur.execute("BEGIN WORK")
    await cur.execute(f"INSERT INTO {name} VALUES (1)")
    await cur.execute("COMMIT WORK")
    assert not db.in_transaction and await count(db, name) == 1


async def test_a_failing_statement_keeps_the_transaction(face, name):
    db = await face.connect(autocommit=False)
    cur = db.cursor()
    await cur.execute(f"INSERT INTO {name} VALUES (1)")
    with pytest.raises(informix_db.Error):
        await cur.execute(f"INSERT INTO {name} VALUES ('abc')")
    assert db.in_transaction
    await db.commit()
    assert await count(db, name) == 1
    await db.rollback()


async def test_autocommit_can_be_switched(face, name):
    db = await face.connect(autocommit=False)
    await db.cursor().execute(f"INSERT INTO {name} VALUES (1)")
    with pytest.raises(informix_db.ProgrammingError):
        db.autocommit = True
    await db.commit()
    db.autocommit = True
    await db.cursor().execute(f"INSERT INTO {name} VALUES (2)")
    assert not db.in_transaction and await count(db, name) == 2


async def test_half_read_results_outlive_the_transaction(face, name):
    db = await face.connect(autocommit=False)
    cur, other = db.cursor(), db.cursor()
    await cur.executemany(f"INSERT INTO {name} VALUES (?)", [(i,) for i in range(3000)])
    await db.commit()
    await cur.execute(f"SELECT i FROM {name} ORDER BY i")
    assert await cur.fetchone() == (0,)
    await other.execute(f"DELETE FROM {name} WHERE i > 2990")
    await db.commit()
    assert len(await cur.fetchall()) == 2999


def test_savepoints(connect, table):
    connection = connect(autocommit=False)
    name = table()
    cursor = connection.cursor()
    cursor.execute(f"CREATE TABLE {name} (i INTEGER)")
    cursor.execute(f"INSERT INTO {name} VALUES (1)")
    connection.savepoint("one")
    cursor.execute(f"INSERT INTO {name} VALUES (2)")
    connection.rollback_to_savepoint("one")
    connection.release_savepoint("one")
    connection.commit()
    cursor.execute(f"SELECT i FROM {name}")
    assert cursor.fetchall() == [(1,)]
    connection.commit()
