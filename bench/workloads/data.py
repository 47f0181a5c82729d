"""The rows of the tables `bench_N`: row `i` is the same in each, and the replay server has them too
(`crates/informix-bench/src/replay/rows.rs`)."""

from __future__ import annotations

import datetime
from decimal import Decimal

COLUMNS = "id INTEGER, name CHAR(20), ratio FLOAT, amount DECIMAL(16,2), since DATE"
NAMES = ("id", "name", "ratio", "amount", "since")
REPEAT = 100_000
"""The replay server's larger tables repeat the first rows."""

Row = tuple[int, str, float, Decimal, datetime.date]
_FIRST_DAY = datetime.date(2000, 1, 1).toordinal()


def row(i: int) -> Row:
    """Row `i`, from 0."""
    i %= REPEAT
    return (
        i,
        f"name {i}",
        i * 0.5 + 0.25,
        Decimal(i * 7919 + 1).scaleb(-2),
        datetime.date.fromordinal(_FIRST_DAY + i % 10_000),
    )


def rows(count: int) -> list[Row]:
    """The first rows."""
    return [row(i) for i in range(count)]


def digest(found: list[tuple[object, ...]]) -> int:
    """A number that says whether two lists of rows are the same, so that the expected one need not stay in memory, where the garbage
    collector would walk it during each measurement."""
    return hash(tuple(map(tuple, found)))


class Expected:
    """What a fetch of the first `count` rows must give."""

    def __init__(self, count: int) -> None:
        self.count = count
        wanted = rows(count)
        self.digest = digest(wanted)
        self.types = [type(value) for value in wanted[0]]

    def check(self, found: list[tuple[object, ...]]) -> None:
        """ValueError for anything else."""
        if len(found) != self.count:
            raise ValueError(f"{len(found)} rows instead of {self.count}")
        if [type(value) for value in found[0]] != self.types:
            raise ValueError(f"types of {found[0]!r}")
        if digest(found) != self.digest:
            wrong = next(pair for pair in zip(found, rows(self.count)) if tuple(pair[0]) != pair[1])
            raise ValueError(f"wrong row: {wrong[0]!r} instead of {wrong[1]!r}")
