"""Results of many rows."""

from __future__ import annotations

import importlib.util

import informix_db

from .data import NAMES, Expected, row
from .data import rows as first_rows
from .operation import Operation, Session, Unsupported, expect, workload


def text(rows: int) -> str:
    """The query for a table's five columns."""
    return f"SELECT {', '.join(NAMES)} FROM bench_{rows}"


@workload
def fetch_tuples(session: Session, rows: int) -> Operation:
    """All rows into a list of tuples."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute(text(rows))
        found = cursor.fetchall()
        cursor.close()
        return found

    return Operation(run, Expected(rows).check)


@workload
def fetch_streamed(session: Session, rows: int) -> Operation:
    """All rows, one after the other, none kept."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute(text(rows))
        total = 0
        for one in cursor:
            total += one[0]
        cursor.close()
        return total

    return Operation(run, lambda total: expect(total, rows * (rows - 1) // 2))


@workload
def fetch_many(session: Session, rows: int) -> Operation:
    """All rows in lists of 1 000, none kept."""
    connection = session.connection

    def run():
        cursor = connection.cursor()
        cursor.execute(text(rows))
        total = 0
        while found := cursor.fetchmany(1000):
            total += len(found)
        cursor.close()
        return total, found

    return Operation(run, lambda total: expect(total, (rows, [])))


@workload
def fetch_rows(session: Session, rows: int) -> Operation:
    """All rows into a list of `Row` objects."""
    connection = session.connect(row_factory=informix_db.Row)

    def run():
        cursor = connection.cursor()
        cursor.execute(text(rows))
        found = cursor.fetchall()
        cursor.close()
        return found

    def check(found):
        expect(len(found), rows)
        expect((found[-1].id, found[-1].name, found[-1]["amount"]), tuple(row(rows - 1)[i] for i in (0, 1, 3)))

    return Operation(run, check)


@workload
def fetch_column(session: Session, rows: int, column: str) -> Operation:
    """One column of all rows into a list of tuples."""
    connection = session.connection
    place = NAMES.index(column)

    def run():
        cursor = connection.cursor()
        cursor.execute(f"SELECT {column} FROM bench_{rows}")
        found = cursor.fetchall()
        cursor.close()
        return found

    def check(found):
        expect(len(found), rows)
        expect(found[-1], (row(rows - 1)[place],))

    return Operation(run, check)


@workload
def fetch_arrow(session: Session, rows: int) -> Operation:
    """All rows into an Arrow table."""
    connection = session.connection
    if not hasattr(connection.cursor(), "fetch_arrow_table"):
        raise Unsupported("no fetch_arrow_table")

    def run():
        cursor = connection.cursor()
        cursor.execute(text(rows))
        found = cursor.fetch_arrow_table()
        cursor.close()
        return found

    checked = False

    def check(found):
        nonlocal checked
        expect((found.num_rows, found.num_columns), (rows, len(NAMES)))
        # The values once, and where a reader of the format is installed.
        if not checked and importlib.util.find_spec("pyarrow"):
            expect([tuple(one.values()) for one in found.to_pyarrow().to_pylist()], first_rows(rows))
        checked = True

    return Operation(run, check)
