"""Rows sent to the server."""

from __future__ import annotations

import itertools
import os

from .data import COLUMNS, row
from .data import rows as first_rows
from .operation import Operation, Session, expect, workload

_numbers = itertools.count(1)


class Table:
    """An empty table of the five columns, for one operation. Emptied behind each run."""

    def __init__(self, session: Session) -> None:
        self.name = f"bench_in_{os.getpid()}_{next(_numbers)}"
        self.admin = session.connection
        self.do(f"CREATE TABLE {self.name} ({COLUMNS})")

    def do(self, text: str) -> list[tuple[object, ...]]:
        """Runs a statement; the rows of a query."""
        cursor = self.admin.cursor()
        cursor.execute(text)
        found = cursor.fetchall() if text.startswith("SELECT") else []
        cursor.close()
        return found

    def insert_text(self) -> str:
        """INSERT with five markers."""
        return f"INSERT INTO {self.name} VALUES (?, ?, ?, ?, ?)"

    def check(self, count: int) -> None:
        """Looks whether the rows are there, and at the last one. The replay server compares rows while they come, counts them, and
        answers this as if it had kept them."""
        expect(self.do(f"SELECT COUNT(*) FROM {self.name}"), [(count,)])
        expect(self.do(f"SELECT * FROM {self.name} WHERE id = {count - 1}"), [row(count - 1)])

    def empty(self) -> None:
        """Removes the rows."""
        self.do(f"DELETE FROM {self.name}")


def _many(session: Session, rows: int, *, autocommit: bool) -> Operation:
    connection = session.connect(autocommit=autocommit)
    table = Table(session)
    parameters = first_rows(rows)

    def run():
        cursor = connection.cursor()
        cursor.executemany(table.insert_text(), parameters)
        if not autocommit:
            connection.commit()
        count = cursor.rowcount
        cursor.close()
        return count

    def check(count):
        expect(count, rows)
        table.check(rows)

    return Operation(run, check, after=table.empty)


@workload
def insert_many(session: Session, rows: int) -> Operation:
    """`executemany` and COMMIT."""
    return _many(session, rows, autocommit=False)


@workload
def insert_many_autocommit(session: Session, rows: int) -> Operation:
    """`executemany`, each row a transaction."""
    return _many(session, rows, autocommit=True)


@workload
def insert_one(session: Session) -> Operation:
    """One INSERT with parameters and autocommit, its text known to the connection."""
    connection = session.connection
    table = Table(session)

    def run():
        cursor = connection.cursor()
        cursor.execute(table.insert_text(), row(0))
        count = cursor.rowcount
        cursor.close()
        return count

    def check(count):
        expect(count, 1)
        table.check(1)

    return Operation(run, check, after=table.empty)
