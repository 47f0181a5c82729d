"""The peer driver's other faces: asyncio, pools under threads, scroll cursors, large objects; text of every length between numbers."""

import asyncio
import threading

import informix_db
import pytest
from informix_db import aio


@pytest.fixture
def settings(port):
    """Arguments of the peer's pools and asyncio connections."""
    return {
        "host": "127.0.0.1", "port": port, "user": "informix", "password": "in4mix", "database": "testdb", "server": "informix",
        "autocommit": True, "read_timeout": 30,
    }


@pytest.mark.parametrize("kind", ["char(41)", "varchar(41)", "nchar(41)", "nvarchar(41)", "lvarchar(41)"])
@pytest.mark.parametrize("first", [True, False])
def test_text_of_every_length(cursor, kind, first):
    columns = f"t {kind}, a integer, s smallint" if first else f"s smallint, t {kind}, a integer"
    cursor.execute(f"create temp table lengths ({columns})")
    texts = [("x" * length)[:length] for length in range(42)] + [None]
    place = "(?, ?, ?)"
    rows = [(text, n, -n) if first else (-n, text, n) for n, text in enumerate(texts)]
    cursor.executemany(f"insert into lengths values {place}", rows)
    cursor.execute("select t, a, s from lengths order by a")
    for n, (text, row) in enumerate(zip(texts, cursor.fetchall(), strict=True)):
        got = row[0].rstrip() if row[0] is not None else None
        assert (got, row[1], row[2]) == (text, n, -n)


def test_scroll_cursor(connect):
    connection = connect()
    plain = connection.cursor()
    plain.execute("create temp table scrolled (a integer, b varchar(20))")
    plain.executemany("insert into scrolled values (?, ?)", [(n, "r" * (n % 20)) for n in range(1, 301)])
    cursor = connection.cursor(scrollable=True)
    cursor.execute("select a, b from scrolled order by a")
    for number in (300, 1, 150, 299, 2):
        assert cursor.fetch_absolute(number - 1) == (number, "r" * (number % 20))
    assert cursor.fetch_last()[0] == 300
    assert cursor.fetch_prior()[0] == 299
    assert cursor.fetch_first()[0] == 1
    assert [row[0] for row in cursor.fetchmany(5)] == [2, 3, 4, 5, 6]
    cursor.close()
    plain.execute("select count(*) from scrolled")
    assert int(plain.fetchone()[0]) == 300


@pytest.mark.parametrize("size", [0, 1, 31999, 32000, 32001, 300_000])
def test_smart_large_objects(connect, size):
    connection = connect(autocommit=False)
    cursor = connection.cursor()
    cursor.execute("create table peer_lob (id integer, b blob, c clob)")
    try:
        data = bytes(n * 7 % 251 for n in range(size))
        letters = bytes(97 + n % 26 for n in range(size))
        cursor.write_blob_column("insert into peer_lob values (1, BLOB_PLACEHOLDER, null)", data)
        cursor.write_blob_column("update peer_lob set c = BLOB_PLACEHOLDER where id = 1", letters, clob=True)
        assert cursor.read_blob_column("select b from peer_lob where id = ?", (1,)) == data
        assert cursor.read_blob_column("select c from peer_lob where id = ?", (1,)) == letters
        connection.commit()
    finally:
        connection.rollback()
        cursor.execute("drop table peer_lob")
        connection.commit()


def test_pool_under_threads(settings):
    with informix_db.create_pool(**settings, min_size=1, max_size=4) as pool:
        with pool.connection() as connection:
            connection.cursor().execute("create table peer_pool (worker integer, n integer)")
        wrong = []

        def work(worker):
            try:
                for n in range(10):
                    with pool.connection() as connection:
                        cursor = connection.cursor()
                        cursor.execute("insert into peer_pool values (?, ?)", (worker, n))
                        cursor.execute("select count(*) from peer_pool where worker = ?", (worker,))
                        assert int(cursor.fetchone()[0]) == n + 1
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with pool.connection() as connection:
            cursor = connection.cursor()
            cursor.execute("select count(*) from peer_pool")
            counted = int(cursor.fetchone()[0])
            cursor.execute("drop table peer_pool")
        assert (wrong, counted) == ([], 120)


def test_asyncio(settings):
    async def work(pool, n):
        async with pool.connection() as connection:
            cursor = await connection.cursor()
            await cursor.execute("insert into peer_aio values (?, ?)", (n, f"row {n}"))
            await cursor.execute("select t from peer_aio where n = ?", (n,))
            return [row async for row in cursor]

    async def main():
        connection = await aio.connect(**settings)
        cursor = await connection.cursor()
        await cursor.execute("create table peer_aio (n integer, t varchar(20))")
        try:
            pool = await aio.create_pool(**settings, min_size=1, max_size=3)
            async with pool:
                results = await asyncio.gather(*(work(pool, n) for n in range(20)))
            assert results == [[(f"row {n}",)] for n in range(20)]
            with pytest.raises(informix_db.ProgrammingError):
                await cursor.execute("select nothing from peer_aio")
            await cursor.execute("select count(*) from peer_aio")
            assert int((await cursor.fetchone())[0]) == 20
        finally:
            await cursor.execute("drop table peer_aio")
            await connection.close()

    asyncio.run(main())
