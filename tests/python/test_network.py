"""A network that fails: silent servers, lines that are cut. Nothing hangs, nothing dead is used again."""

from __future__ import annotations

import asyncio
import time

import pytest
from proxy import Proxy

import informix_db
from informix_db import aio

QUERY = "SELECT tabid FROM systables WHERE tabid = 1"


@pytest.fixture
def line(server):
    """A line to the server that can be frozen and cut."""
    one = Proxy(server.port)
    yield one
    one.close()


async def test_a_cut_line(face, line):
    db = await face.connect(port=line.port)
    cur = db.cursor()
    await cur.execute(QUERY)
    line.cut()
    with pytest.raises(informix_db.OperationalError) as caught:
        await cur.execute(QUERY)
        await cur.execute(QUERY)
    assert caught.value.is_disconnect
    assert db.closed
    with pytest.raises(informix_db.Error):
        await cur.execute(QUERY)


async def test_a_line_that_is_cut_in_the_middle_of_rows(face, line):
    db = await face.connect(port=line.port, fetch_buffer=4096, max_fetch_buffer=4096)
    cur = db.cursor()
    await cur.execute("SELECT a.tabid FROM systables a, systables b, systables c")
    await cur.fetchone()
    line.cut()
    # InterfaceError where the loop has seen the end already.
    with pytest.raises((informix_db.OperationalError, informix_db.InterfaceError)):
        await cur.fetchall()
    assert db.closed


async def test_a_silent_server(face, line):
    db = await face.connect(port=line.port, read_timeout=0.5)
    cur = db.cursor()
    await cur.execute(QUERY)
    line.frozen.set()
    started = time.monotonic()
    with pytest.raises(informix_db.OperationalError):
        await cur.execute(QUERY)
    assert time.monotonic() - started < 10
    assert db.closed


async def test_a_server_that_is_silent_from_the_start(face, line):
    line.frozen.set()
    started = time.monotonic()
    with pytest.raises(informix_db.OperationalError):
        await face.connect(port=line.port, connect_timeout=0.5)
    assert time.monotonic() - started < 10


async def test_closing_does_not_wait_for_a_silent_server(face, line):
    db = await face.connect(port=line.port)
    await db.cursor().execute(QUERY)
    line.frozen.set()
    started = time.monotonic()
    await db.close()
    assert time.monotonic() - started < 5
    assert db.closed


async def test_cancelling_while_the_server_is_silent(server, line):
    """The cancelled statement's answer never comes: the connection is given up within a bound."""
    db = await aio.connect(**server.connect_args(port=line.port, autocommit=True))
    line.frozen.set()
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(db.cursor().execute(QUERY), 0.2)
    started = time.monotonic()
    with pytest.raises(informix_db.Error):
        await asyncio.wait_for(db.cursor().execute(QUERY), 20)
    assert db.closed
    assert time.monotonic() - started < 20
    await db.close()


async def test_a_pool_recovers_from_a_silent_server(server, line):
    pool = await aio.create_pool(**server.connect_args(port=line.port, autocommit=True), max_size=1)
    async with pool.connection() as db:
        await db.cursor().execute(QUERY)
    line.frozen.set()

    async def work():
        async with pool.connection() as db:
            await db.cursor().execute(QUERY)

    with pytest.raises((asyncio.TimeoutError, informix_db.Error)):
        await asyncio.wait_for(work(), 0.2)
    line.frozen.clear()
    line.cut()
    async with pool.connection(20) as db:
        cur = db.cursor()
        await cur.execute(QUERY)
        assert await cur.fetchall() == [(1,)]
    await pool.close()


def test_the_blocking_pool_recovers_from_a_cut_line(server, line):
    with informix_db.create_pool(**server.connect_args(port=line.port, autocommit=True), min_size=2, max_size=2) as pool:
        line.cut()
        for _ in range(3):
            with pool.connection() as db:
                cur = db.cursor()
                cur.execute(QUERY)
                assert cur.fetchall() == [(1,)]
