"""The lines of the table: which workload, against what, how often, and what it should reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    percentiles: bool = False
    """The runs are enough to speak of their 99th percentile."""

    @property
    def name(self) -> str:
        """Unique; what BENCH_ONLY looks in."""
        return f"{self.title} @ {self.place}"


def _sizes(title: str, workload: str, sizes: Iterable[int], **more: Any) -> list[Line]:
    return [
        Line(title.format(short(size)), workload, {"rows": size}, repeat=max(1, 5_000 // size), **more)
        for size in sizes
    ]


COLUMNS = (("id", "INTEGER"), ("name", "CHAR(20)"), ("ratio", "FLOAT"), ("amount", "DECIMAL(16,2)"), ("since", "DATE"))


def _distant(place: str) -> list[Line]:
    """The lines behind a delay. Its length, not the processor's mood, decides there: few runs are enough."""
    return [
        Line("SELECT one row", "select_one", {}, place, repeat=3),
        Line("SELECT of a new text", "select_first_time", {}, place, repeat=3),
        Line("INSERT one row, autocommit", "insert_one", {}, place, repeat=3),
        Line("connect and close", "connect_close", {}, place, repeat=3),
        Line("SELECT 10k rows into tuples", "fetch_tuples", {"rows": 10_000}, place),
        Line("executemany 1k rows, one transaction", "insert_many", {"rows": 1_000}, place),
        Line("executemany 10k rows, one transaction", "insert_many", {"rows": 10_000}, place),
        Line("pool: acquire, query, release", "pool_query", {}, place, repeat=3, drivers=PYTHON),
    ]


def short(count: int) -> str:
    """1k for 1000."""
    return f"{count // 1000}k" if count % 1000 == 0 else str(count)


def lines() -> list[Line]:
    """All of them, in the order of the table."""
    return [
        # Small queries.
        Line("SELECT one row", "select_one", repeat=1000, target=4.0, percentiles=True),
        Line("SELECT one row by parameter", "select_one_parameter", repeat=200),
        Line("SELECT of a new text", "select_first_time", repeat=200),
        Line("SELECT FIRST 10 of systables", "select_systables", repeat=100, target=4.0),
        Line("SELECT 500 of 1k rows", "select_half", repeat=10),
        Line("connect and close", "connect_close", repeat=20, target=1.5),
        # Many rows.
        *_sizes("SELECT {} rows into tuples", "fetch_tuples", (1_000, 10_000, 100_000), target=8.0, target_jdbc=1.5),
        *_sizes("SELECT {} rows, streamed", "fetch_streamed", (100_000,)),
        *_sizes("SELECT {} rows, fetchmany(1000)", "fetch_many", (100_000,), drivers=PYTHON),
        *_sizes("SELECT {} rows into Row objects", "fetch_rows", (10_000,), drivers=PYTHON),
        Line(
            "SELECT 100k rows into Arrow", "fetch_arrow", {"rows": 100_000}, drivers=("ours",),
            target=25.0, against="SELECT 100k rows into tuples",
        ),
        # Rows in.
        *_sizes("executemany {} rows, one transaction", "insert_many", (1_000, 10_000, 100_000), target_jdbc=1.5),
        Line("executemany 1k rows, autocommit", "insert_many_autocommit", {"rows": 1_000}),
        Line("INSERT one row, autocommit", "insert_one", repeat=50),
        # Pools and event loops.
        Line("pool: acquire and release", "pool_acquire", repeat=200, drivers=PYTHON),
        Line("pool: acquire, query, release", "pool_query", repeat=200, drivers=PYTHON, target=5.0),
        Line("pool: 8 threads, per query", "pool_threads", {"threads": 8, "queries": 25}, drivers=PYTHON),
        Line("asyncio: 1 connection, per query", "asyncio_queries", {"connections": 1, "queries": 100}, drivers=PYTHON),
        Line(
            "asyncio: 32 connections, per query", "asyncio_queries", {"connections": 32, "queries": 10},
            drivers=PYTHON, target=4.0,
        ),
        Line("memory while 200k rows are streamed", "memory_streamed", {"rows": 200_000}, REPLAY, drivers=PYTHON, unit="B"),
        # The driver alone.
        Line("SELECT one row", "select_one", {}, REPLAY, repeat=200),
        Line("connect and close", "connect_close", {}, REPLAY, repeat=10),
        *_sizes("SELECT {} rows into tuples", "fetch_tuples", (1_000, 100_000), place=REPLAY),
        *_sizes("SELECT {} rows, streamed", "fetch_streamed", (100_000,), place=REPLAY),
        Line(
            "SELECT 100k rows into Arrow", "fetch_arrow", {"rows": 100_000}, REPLAY, drivers=("ours",),
            target=25.0, against="SELECT 100k rows into tuples",
        ),
        *[
            Line(f"SELECT 10k × {kind}", "fetch_column", {"rows": 10_000, "column": column}, REPLAY, drivers=PYTHON)
            for column, kind in COLUMNS
        ],
        *_sizes(
            "executemany {} rows, one transaction", "insert_many", (1_000, 10_000, 100_000),
            place=REPLAY, target=10.0, target_jdbc=1.5,
        ),
        # What users on a network feel.
        *[line for place in (NEAR, FAR) for line in _distant(place)],
    ]


def chosen(only: Iterable[str]) -> list[Line]:
    """The lines whose names have one of these parts; all for no parts."""
    parts = [part.lower() for part in only]
    return [line for line in lines() if not parts or any(part in line.name.lower() for part in parts)]
