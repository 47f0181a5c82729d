"""One embedded server for the whole run, and two faces of the driver: tests written once run blocking and on asyncio."""

from __future__ import annotations

import inspect
import itertools

import pytest

import informix_db
from informix_db import aio
from informix_db.devserver import DevServer


@pytest.fixture(scope="session")
def server():
    """The embedded server."""
    with DevServer() as started:
        utf8 = started.connect_args(database=None, env={"DB_LOCALE": "en_US.utf8", "CLIENT_LOCALE": "en_US.utf8"})
        with informix_db.connect(**utf8) as connection:
            connection.cursor().execute("CREATE DATABASE testdb_utf8 WITH LOG")
        yield started


@pytest.fixture
def connect(server):
    """Opens blocking connections that are closed after the test. Autocommit, unless the test says otherwise."""
    opened = []

    def open_one(**more):
        arguments = server.connect_args(autocommit=True, connect_timeout=10, read_timeout=30)
        opened.append(informix_db.connect(**{**arguments, **more}))
        return opened[-1]

    yield open_one
    for connection in opened:
        connection.close()


@pytest.fixture
def connection(connect):
    """A blocking connection with autocommit."""
    return connect()


@pytest.fixture
def cursor(connection):
    """A cursor of it."""
    return connection.cursor()


_numbers = itertools.count(1)


@pytest.fixture
def table(server):
    """Names of permanent tables that are dropped after the test."""
    names = []

    def name():
        names.append(f"t_{next(_numbers)}")
        return names[-1]

    yield name
    with informix_db.connect(**server.connect_args(autocommit=True)) as connection:
        for one in names:
            connection.cursor().execute(f"DROP TABLE IF EXISTS {one}")


class Blocking:
    """Makes a blocking object look like its asyncio twin: methods become coroutines."""

    # Methods that give their result at once in asyncio too.
    PLAIN = {"cursor", "is_alive", "abort", "set_output_converter", "set_adapter"}

    def __init__(self, wrapped):
        self.__dict__["wrapped"] = wrapped

    def __getattr__(self, name):
        value = getattr(self.wrapped, name)
        if not inspect.isroutine(value):
            return value
        if name in self.PLAIN:
            return lambda *args, **kwargs: blocking(value(*args, **kwargs))

        async def method(*args, **kwargs):
            return blocking(value(*args, **kwargs))

        return method

    def __setattr__(self, name, value):
        setattr(self.wrapped, name, value)

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return next(self.wrapped)
        except StopIteration:
            raise StopAsyncIteration from None

    async def __aenter__(self):
        self.wrapped.__enter__()
        return self

    async def __aexit__(self, *exception):
        self.wrapped.__exit__(*exception)


def blocking(value):
    """Wraps connections and cursors, and nothing else."""
    return Blocking(value) if isinstance(value, (informix_db.Connection, informix_db.Cursor)) else value


class Face:
    """`connect` of one of the two faces, as a coroutine."""

    def __init__(self, name, server):
        self.name = name
        self.server = server
        self.opened = []

    async def connect(self, **more):
        arguments = {**self.server.connect_args(autocommit=True, connect_timeout=10, read_timeout=30), **more}
        if self.name == "blocking":
            connection = Blocking(informix_db.connect(**arguments))
        else:
            connection = await aio.connect(**arguments)
        self.opened.append(connection)
        return connection


@pytest.fixture(params=["blocking", "asyncio"])
async def face(request, server):
    """Both faces, one after the other."""
    one = Face(request.param, server)
    yield one
    for connection in one.opened:
        await connection.close()


@pytest.fixture
async def db(face):
    """A connection of each face."""
    return await face.connect()


@pytest.fixture
async def cur(db):
    """A cursor of each face."""
    return db.cursor()
