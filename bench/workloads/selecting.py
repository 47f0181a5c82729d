"""Small queries on a connection that is open."""

from __future__ import annotations

from .data import row
from .operation import Operation, Session, expect, workload


@workload
def select_one(session: Session) -> Operation:
    """One row by a text that comes again and again."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute("SELECT 1 FROM systables WHERE tabid = 1")
        found = cursor.fetchone()
        cursor.close()
        return found

    return Operation(run, lambda found: expect(found, (1,)))


@workload
def select_one_parameter(session: Session) -> Operation:
    """One row of 1 000 by its key as a parameter."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute("SELECT id, name, ratio, amount, since FROM bench_1000 WHERE id = ?", (321,))
        found = cursor.fetchall()
        cursor.close()
        return found

    return Operation(run, lambda found: expect(found, [row(321)]))


@workload
def select_first_time(session: Session) -> Operation:
    """One row by a text that the connection has not seen."""
    connection = session.connection
    number = 0

    def run():
        nonlocal number
        number += 1
        cursor = connection.cursor()
        cursor.execute(f"SELECT {number} FROM systables WHERE tabid = 1")
        found = cursor.fetchone()
        cursor.close()
        return found

    return Operation(run, lambda found: expect(found, (number,)))


@workload
def select_systables(session: Session) -> Operation:
    """The first ten tables of the catalog."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute("SELECT FIRST 10 tabname, owner, tabid, ncols FROM systables")
        found = cursor.fetchall()
        cursor.close()
        return found

    def check(found):
        expect(len(found), 10)
        expect(found[0][:3], ("systables", "informix", 1))

    return Operation(run, check)


@workload
def select_half(session: Session) -> Operation:
    """500 rows of 1 000, by a parameter."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute("SELECT id, name FROM bench_1000 WHERE id >= ?", (500,))
        found = cursor.fetchall()
        cursor.close()
        return found

    wanted = [row(i)[:2] for i in range(500, 1000)]
    return Operation(run, lambda found: expect(found, wanted))
