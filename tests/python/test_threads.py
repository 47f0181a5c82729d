"""Threads, reentrancy, memory."""

from __future__ import annotations

import gc
import threading
import tracemalloc

import pytest

import informix_db

SLOW = "SELECT COUNT(*) FROM syscolumns a, syscolumns b, syscolumns c, syscolumns d"


def run(*functions):
    """Runs functions in threads; raises the first exception."""
    failures = []

    def guard(function):
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guard, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_threads_share_a_connection(connection):
    def work(number):
        def body():
            for _ in range(30):
                cursor = connection.cursor()
                cursor.execute("SELECT tabid + ? FROM systables WHERE tabid = 1", (number,))
                assert cursor.fetchall() == [(1 + number,)]
                cursor.close()

        return body

    run(*(work(number) for number in range(8)))


def test_threads_share_a_cursor(connection):
    """Every row is handed out once."""
    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE th (i INTEGER)")
    cursor.executemany("INSERT INTO th VALUES (?)", [(i,) for i in range(5000)])
    cursor.execute("SELECT i FROM th")
    read = []

    def work():
        while rows := cursor.fetchmany(7):
            read.extend(row[0] for row in rows)

    run(work, work, work)
    assert sorted(read) == list(range(5000))


def test_waiting_lets_other_threads_run(connect):
    """The interpreter is free while a statement runs on the server."""
    connection = connect()
    turns = 0
    done = threading.Event()
    failure = []

    def work():
        try:
            connection.cursor().execute(SLOW)
        except informix_db.Error as error:
            failure.append(error)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.01):
        turns += 1
        if turns == 10:
            assert connection.cancel()
    thread.join()
    assert turns >= 10
    assert failure and failure[0].sqlcode == -213
    cursor = connection.cursor()
    cursor.execute("SELECT tabid FROM systables WHERE tabid = 1")
    assert cursor.fetchone() == (1,)


def test_statement_timeout(connect):
    connection = connect()
    connection.set_statement_timeout(0.2)
    with pytest.raises(informix_db.OperationalError):
        connection.cursor().execute(SLOW)
    connection.set_statement_timeout(None)
    if not connection.closed:
        cursor = connection.cursor()
        cursor.execute("SELECT tabid FROM systables WHERE tabid = 1")
        assert cursor.fetchone() == (1,)


def test_reentrancy(connection):
    """A converter or a source of parameters that uses its own connection gets right answers or is refused; nothing hangs or breaks."""
    inner = connection.cursor()

    def nested():
        inner.execute("SELECT tabid FROM systables WHERE tabid = 1")
        assert inner.fetchall() == [(1,)]

    def convert(value):
        nested()
        return -value

    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE ree (i INTEGER)")

    def rows():
        for number in range(3):
            nested()
            yield (number,)

    connection.set_output_converter("integer", convert)
    for work in (
        lambda: cursor.execute("SELECT tabid::INTEGER FROM systables WHERE tabid < 4 ORDER BY 1") or cursor.fetchall(),
        lambda: cursor.executemany("INSERT INTO ree VALUES (?)", rows()),
    ):
        try:
            result = work()
        except informix_db.ProgrammingError:
            continue
        assert result in (None, [(-1,), (-2,), (-3,)])
    connection.set_output_converter("integer", None)
    cursor.execute("SELECT COUNT(*) FROM ree")
    assert cursor.fetchone() in ((0,), (3,))
    nested()


def test_parameters_that_change_while_they_are_read(connection):
    """A sequence that shrinks under the driver's hands."""

    class Shrinking(list):
        def __getitem__(self, index):
            self.clear()
            raise IndexError(index)

    class Liar:
        def __len__(self):
            return 2

        def __getitem__(self, index):
            if index == 0:
                return 1
            raise IndexError(index)

    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE sh (a INTEGER, b INTEGER)")
    for parameters in (Shrinking([1, 2]), Liar()):
        try:
            cursor.execute("INSERT INTO sh VALUES (?, ?)", parameters)
        except (informix_db.Error, IndexError, TypeError):
            pass
    cursor.execute("SELECT tabid FROM systables WHERE tabid = 1")
    assert cursor.fetchone() == (1,)


def resident():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * 4096


def test_streaming_needs_memory_for_a_buffer_only(connection):
    cursor = connection.cursor()
    cursor.execute("CREATE TEMP TABLE mem (i INTEGER, pad CHAR(2000))")
    cursor.executemany("INSERT INTO mem VALUES (?, 'x')", ((i,) for i in range(20000)))
    cursor.execute("SELECT i, pad FROM mem")
    cursor.fetchone()
    gc.collect()
    before = resident()
    highest = 0
    count = 1
    for _ in cursor:
        count += 1
        if count % 2000 == 0:
            highest = max(highest, resident() - before)
    assert count == 20000
    # The whole result is 40 MB.
    assert highest < 16 * 1024 * 1024


def test_repeated_work_does_not_grow(connection):
    def work():
        cursor = connection.cursor()
        cursor.execute("SELECT tabid, tabname, owner FROM systables WHERE tabid < ?", (20,))
        cursor.fetchall()
        with pytest.raises(informix_db.ProgrammingError):
            cursor.execute("SELECT x FROM nowhere")
        cursor.close()

    for _ in range(50):
        work()
    gc.collect()
    tracemalloc.start()
    try:
        first = tracemalloc.take_snapshot()
        for _ in range(300):
            work()
        gc.collect()
        grown = sum(one.size_diff for one in tracemalloc.take_snapshot().compare_to(first, "filename") if one.size_diff > 0)
    finally:
        tracemalloc.stop()
    assert grown < 300 * 100


def test_opening_and_closing_does_not_grow(server):
    import os

    def open_and_close():
        informix_db.connect(**server.connect_args()).close()

    for _ in range(5):
        open_and_close()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(30):
        open_and_close()
        informix_db.connect(**server.connect_args())  # left to the garbage collector
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before
