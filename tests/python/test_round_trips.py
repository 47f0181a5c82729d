"""How often the connection waits for the server: a tested property of each operation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import informix_db


@pytest.fixture
def trips(connect):
    """Counts the times a function waited for the server."""
    connection = connect()
    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE rt (id SERIAL, n INTEGER)")

    def count(work):
        before = connection.round_trips()[2]
        work(connection, cursor)
        return connection.round_trips()[2] - before

    return count


def select(connection, cursor):
    cursor.execute("SELECT tabid, tabname FROM systables WHERE tabid < ?", (10,))
    assert len(cursor.fetchall()) == 9


def insert(connection, cursor):
    cursor.execute("INSERT INTO rt VALUES (0, ?)", (1,))
    assert cursor.lastrowid


def many(connection, cursor):
    cursor.executemany("INSERT INTO rt VALUES (0, ?)", [(i,) for i in range(200)])


def implicit(connection, cursor):
    connection.autocommit = False
    cursor.execute("INSERT INTO rt VALUES (0, 5)")
    connection.rollback()
    connection.autocommit = True


@pytest.mark.parametrize(
    "work, budget",
    [
        (lambda connection, cursor: cursor.execute("UPDATE rt SET n = 2"), (1, 1, 1)),
        # It is prepared when it comes again.
        (insert, (1, 2, 1)),
        (select, (2, 1, 1)),
        (many, (2, 1, 1)),
        # A statement with BEGIN riding on it, and the rollback.
        (implicit, (2, 2, 2)),
        (lambda connection, cursor: connection.ping(), (1, 1, 1)),
        (lambda connection, cursor: connection.is_alive(), (0, 0, 0)),
        (lambda connection, cursor: connection.commit(), (0, 0, 0)),
    ],
    ids=["without parameters", "insert", "select", "executemany", "implicit begin", "ping", "is_alive", "commit of nothing"],
)
def test_budget(trips, work, budget):
    """The first, second and third time."""
    for most in budget:
        assert trips(work) <= most


@pytest.mark.parametrize("variables", [{"IFX_BUFFERED_READER": "0"}, {"IFX_BUFFERED_READER": "1", "IFX_MAX_READ_BYTES": "65536"}])
def test_read_paths(variables):
    """The short run of the wheel, with the read paths that variables select."""
    smoke = Path(__file__).with_name("smoke.py")
    done = subprocess.run(
        [sys.executable, smoke], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_largest_value(server, monkeypatch):
    """IFX_MAX_READ_BYTES is read when a connection is made."""

    def fetch():
        with informix_db.connect(**server.connect_args(autocommit=True)) as connection:
            cursor = connection.cursor()
            cursor.execute("CREATE TEMP TABLE large (t LVARCHAR(30000))")
            cursor.execute("INSERT INTO large VALUES (?)", ("x" * 30_000,))
            cursor.execute("SELECT t FROM large")
            return len(cursor.fetchone()[0])

    assert fetch() == 30_000
    monkeypatch.setenv("IFX_MAX_READ_BYTES", "20000")
    with pytest.raises(informix_db.Error):
        fetch()
