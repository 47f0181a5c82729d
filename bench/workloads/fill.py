"""The tables that are read."""

from __future__ import annotations

from collections.abc import Sequence

from .data import COLUMNS, rows
from .operation import Session


def fill(session: Session, sizes: Sequence[int]) -> None:
    """Makes `bench_N` with N rows for each size, anew."""
    remove(session, sizes)
    connection = session.connect(autocommit=False)
    cursor = connection.cursor()
    for size in sizes:
        cursor.execute(f"CREATE TABLE bench_{size} ({COLUMNS})")
        cursor.execute(f"CREATE UNIQUE INDEX ix_bench_{size} ON bench_{size} (id)")
        cursor.executemany(f"INSERT INTO bench_{size} VALUES (?, ?, ?, ?, ?)", rows(size))
        connection.commit()
    connection.close()


def remove(session: Session, sizes: Sequence[int]) -> None:
    """Drops them."""
    cursor = session.connection.cursor()
    for size in sizes:
        cursor.execute(f"DROP TABLE IF EXISTS bench_{size}")
