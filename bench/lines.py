"""The lines of the table: which workload, against what, how often, and what it should reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

SERVER = "server"
"""The embedded server, or the real one."""
REPLAY = "replay"
"""Answers from memory: what is left is the driver."""
NEAR = "1 ms"
"""The server behind a line that adds 1 ms to each round trip."""
FAR = "20 ms"
DELAYS = {NEAR: 1.0, FAR: 20.0}
"""Milliseconds of a round trip."""

ALL = ("ours", "peer", "jdbc")
PYTHON = ("ours", "peer")


@dataclass(frozen=True)
class Line:
    """One line: a workload at a place."""

    title: str
    workload: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    place: str = SERVER
    repeat: int = 1
    """Runs per round; the round's figure is their median."""
    drivers: tuple[str, ...] = ALL
    unit: str = "s"
    """"s" or "B"."""
    target: float | None = None
    """How many times faster than the peer it shall be."""
    target_jdbc: float | None = None
    against: str | None = None
    """Title of the line whose figure of the peer is the measure, when it is not this one's."""
    together: bool = False
    """Client and server share a processor while this runs. One waits while the other works, and so the wake-up of a processor that
    sleeps, which takes longer than the work itself, is no part of the figure."""
    trips: int | None = None
    """Round trips that the design allows (behind a delay)."""

    @property
    def name(self) -> str:
        """Unique; what BENCH_ONLY looks in."""
        return f"{self.title} @ {self.place}"


def _quick(title: str, workload: str, repeat: int, **more: Any) -> Line:
    return Line(title, workload, repeat=repeat, together=True, **more)


def _sizes(title: str, workload: str, sizes: Iterable[int], **more: Any) -> list[Line]:
    return [
        Line(title.format(short(size)), workload, {"rows": size}, repeat=max(1, 5_000 // size), **more)
        for size in sizes
    ]


def short(count: int) -> str:
    """1k for 1000."""
    return f"{count // 1000}k" if count % 1000 == 0 else str(count)


def lines() -> list[Line]:
    """All of them, in the order of the table."""
    return [*_small_queries(), *_many_rows(), *_rows_in(), *_pools_and_loops(), *_driver_alone(), *_distant()]


def _small_queries() -> list[Line]:
    return [
        _quick(ONE, "select_one", 1000, target=4.0),
        _quick("SELECT one row by parameter", "select_one_parameter", 200),
        _quick("SELECT of a new text", "select_first_time", 100),
        _quick("SELECT FIRST 10 of systables", "select_systables", 100, target=4.0),
        _quick("SELECT 500 of 1k rows", "select_half", 10),
        _quick("connect and close", "connect_close", 20, target=1.5),
    ]


ONE = "SELECT one row"
TUPLES = "SELECT {} rows into tuples"
MANY = "executemany {} rows, one transaction"


def _many_rows() -> list[Line]:
    return [
        *_sizes(TUPLES, "fetch_tuples", (1_000, 10_000, 100_000), target=8.0, target_jdbc=1.5),
        *_sizes("SELECT {} rows, streamed", "fetch_streamed", (100_000,)),
        *_sizes("SELECT {} rows, fetchmany(1000)", "fetch_many", (10_000,), drivers=PYTHON),
        *_sizes("SELECT {} rows into Row objects", "fetch_rows", (10_000,), drivers=PYTHON),
        _arrow(SERVER),
    ]


def _arrow(place: str) -> Line:
    against = TUPLES.format("100k")
    return Line(
        "SELECT 100k rows into Arrow", "fetch_arrow", {"rows": 100_000}, place, drivers=("ours",), target=25.0, against=against
    )


def _rows_in() -> list[Line]:
    return [
        *_sizes(MANY, "insert_many", (1_000, 10_000, 100_000), target_jdbc=1.5),
        Line("executemany 1k rows, autocommit", "insert_many_autocommit", {"rows": 1_000}),
        _quick("INSERT one row, autocommit", "insert_one", 50),
    ]


def _pools_and_loops() -> list[Line]:
    return [
        _quick("pool: acquire and release", "pool_acquire", 200, drivers=PYTHON),
        _quick("pool: acquire, query, release", "pool_query", 200, drivers=PYTHON, target=5.0),
        Line("pool: 8 threads, per query", "pool_threads", {"threads": 8, "queries": 25}, drivers=PYTHON),
        _quick(
            "asyncio: 1 connection, per query", "asyncio_queries", 1, arguments={"connections": 1, "queries": 100}, drivers=PYTHON
        ),
        Line(
            "asyncio: 32 connections, per query", "asyncio_queries", {"connections": 32, "queries": 10},
            drivers=PYTHON, target=4.0,
        ),
    ]


COLUMNS = (("id", "INTEGER"), ("name", "CHAR(20)"), ("ratio", "FLOAT"), ("amount", "DECIMAL(16,2)"), ("since", "DATE"))


def _driver_alone() -> list[Line]:
    return [
        _quick(ONE, "select_one", 200, place=REPLAY),
        _quick("connect and close", "connect_close", 10, place=REPLAY),
        *_sizes(TUPLES, "fetch_tuples", (1_000, 100_000), place=REPLAY),
        _arrow(REPLAY),
        *[
            Line(f"SELECT 10k × {kind}", "fetch_column", {"rows": 10_000, "column": column}, REPLAY, drivers=PYTHON)
            for column, kind in COLUMNS
        ],
        *_sizes(MANY, "insert_many", (1_000, 10_000, 100_000), place=REPLAY, target=10.0, target_jdbc=1.5),
        Line("memory while 200k rows are streamed", "memory_streamed", {"rows": 200_000}, REPLAY, drivers=PYTHON, unit="B"),
    ]


def _distant() -> list[Line]:
    """The lines behind a delay. The longer it is, the less the mood of the processor matters: few runs are enough.

    Of the trips of connecting, four are the protocol's, one the socket's, and one the end of the session; one of `executemany` is COMMIT.
    """
    near = [
        Line(ONE, "select_one", repeat=3, trips=1),
        Line("SELECT of a new text", "select_first_time", repeat=3, trips=2),
        Line("INSERT one row, autocommit", "insert_one", repeat=3, trips=1),
        Line("connect and close", "connect_close", repeat=3, trips=6),
        Line(TUPLES.format("10k"), "fetch_tuples", {"rows": 10_000}),
        Line(MANY.format("1k"), "insert_many", {"rows": 1_000}, trips=2),
        Line(MANY.format("10k"), "insert_many", {"rows": 10_000}, trips=2),
        Line("pool: acquire, query, release", "pool_query", repeat=3, drivers=PYTHON, trips=1),
    ]
    return [*(replace(line, place=NEAR) for line in near), *(replace(line, place=FAR, repeat=1) for line in near)]


def chosen(only: Iterable[str]) -> list[Line]:
    """The lines whose names have one of these parts; all for no parts."""
    parts = [part.lower() for part in only]
    return [line for line in lines() if not parts or any(part in line.name.lower() for part in parts)]


SMALL = {"rows": 1000, "queries": 2, "connections": 4, "threads": 2}


def small(line: Line) -> Line:
    """The same workload with little to do: to see whether it works."""
    arguments = {
        name: min(value, SMALL[name]) if name in SMALL else value for name, value in line.arguments.items()
    }
    return replace(line, arguments=arguments, repeat=min(line.repeat, 2))
