"""Starts one embedded server for the whole run and hands out connections to it."""

import os
import subprocess

import informix_db
import pytest


@pytest.fixture(scope="session")
def port():
    """The port of a server started for this run."""
    process = subprocess.Popen(
        [os.environ["IFX"], "serve", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        first = process.stdout.readline().strip()
        start = "listening on 127.0.0.1:"
        assert first.startswith(start), f"unexpected first line of ifx serve: {first!r}"
        yield int(first.removeprefix(start))
    finally:
        process.terminate()
        assert process.wait(timeout=10) == 0, "SIGTERM must end the server cleanly"


@pytest.fixture
def connect(port):
    """Opens connections that are closed after the test."""
    opened = []

    def open_one(**more):
        settings = dict(
            user="informix",
            password="in4mix",
            database="testdb",
            server="informix",
            autocommit=True,
            connect_timeout=10,
            read_timeout=20,
        )
        settings.update(more)
        connection = informix_db.connect("127.0.0.1", port, **settings)
        opened.append(connection)
        return connection

    yield open_one
    for connection in opened:
        connection.close()


@pytest.fixture
def cursor(connect):
    """A cursor of an autocommit connection to the logged database."""
    return connect().cursor()
