"""Rows that another connection has locked, through the peer driver."""

import threading

import informix_db
import pytest


@pytest.fixture
def pair(connect):
    """A connection that commits by hand, the cursor of another one, and a table of the rows 1 and 2."""
    first, second = connect(autocommit=False), connect().cursor()
    second.execute("create table peer_locks (id int primary key, v int)")
    second.execute("insert into peer_locks values (1, 10)")
    second.execute("insert into peer_locks values (2, 20)")
    yield first, second
    first.rollback()
    second.execute("drop table peer_locks")


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ("update peer_locks set v = 12 where id = 1", 346),
        ("delete from peer_locks", 244),
        ("select v from peer_locks", 244),
        ("insert into peer_locks values (3, 31)", 271),
    ],
)
def test_conflicts(pair, second, code):
    connection, other = pair
    cursor = connection.cursor()
    cursor.execute("update peer_locks set v = 11 where id = 1")
    cursor.execute("insert into peer_locks values (3, 30)")
    with pytest.raises(informix_db.Error, match=str(code)):
        other.execute(second)
        other.fetchall()
    connection.rollback()
    other.execute(second)


@pytest.mark.parametrize(
    ("isolation", "rows"),
    [
        ("dirty read", [(11,), (20,), (30,)]),
        ("committed read last committed", [(10,), (20,)]),
    ],
)
def test_isolation(pair, isolation, rows):
    connection, other = pair
    cursor = connection.cursor()
    cursor.execute("update peer_locks set v = 11 where id = 1")
    cursor.execute("insert into peer_locks values (3, 30)")
    other.execute(f"set isolation to {isolation}")
    other.execute("select v from peer_locks order by id")
    assert other.fetchall() == rows


def test_waiting(pair):
    connection, other = pair
    connection.cursor().execute("update peer_locks set v = 11 where id = 1")
    other.execute("set lock mode to wait")
    waits = threading.Thread(target=other.execute, args=("update peer_locks set v = v + 5 where id = 1",))
    waits.start()
    connection.commit()
    waits.join()
    other.execute("select v from peer_locks where id = 1")
    assert other.fetchall() == [(16,)]
