"""Connections taken from a pool and given back."""

from __future__ import annotations

import threading

import informix_db

from .operation import Operation, Session, expect, workload


def _pool(session: Session, size: int):
    return informix_db.create_pool(**session.arguments, autocommit=True, min_size=size, max_size=size)


def _query(pool):
    with pool.connection() as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT 1 FROM systables WHERE tabid = 1")
        found = cursor.fetchone()
        cursor.close()
    return found


@workload
def pool_acquire(session: Session) -> Operation:
    """Take a connection and give it back."""
    pool = _pool(session, 1)

    def run():
        with pool.connection() as connection:
            return connection

    return Operation(run, lambda connection: expect(connection.closed, False))


@workload
def pool_query(session: Session) -> Operation:
    """Take a connection, ask for one row, give it back."""
    pool = _pool(session, 1)
    return Operation(lambda: _query(pool), lambda found: expect(found, (1,)))


@workload
def pool_threads(session: Session, threads: int, queries: int) -> Operation:
    """The same from several threads at once, with a connection for each."""
    pool = _pool(session, threads)

    def run():
        found = []

        def work():
            for _ in range(queries):
                found.append(_query(pool))

        running = [threading.Thread(target=work) for _ in range(threads)]
        for one in running:
            one.start()
        for one in running:
            one.join()
        return found

    return Operation(run, lambda found: expect(found, [(1,)] * (threads * queries)), per=threads * queries)
