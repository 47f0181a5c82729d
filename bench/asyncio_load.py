"""Many connections on one event loop: requests per second, CPU per request, latency.

    python bench/asyncio_load.py --connections 32 --seconds 3

Runs in the environment of the driver that is measured: both `informix_db` packages have the same interface here. One task per connection
repeats `execute` and `fetchone`. The result is one line of JSON. The server is given by IFX_BENCH_HOST, IFX_BENCH_PORT,
IFX_BENCH_USER, IFX_BENCH_PASSWORD, IFX_BENCH_DATABASE and IFX_BENCH_SERVER.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import time
from typing import Any

from informix_db import aio

SQL = "SELECT FIRST 1 tabname, owner, tabid FROM systables WHERE tabid = 1"


def target() -> dict[str, Any]:
    """Where to connect to."""
    env = os.environ.get
    return {
        "host": env("IFX_BENCH_HOST", "127.0.0.1"),
        "port": int(env("IFX_BENCH_PORT", "9088")),
        "user": env("IFX_BENCH_USER", "informix"),
        "password": env("IFX_BENCH_PASSWORD", "in4mix"),
        "database": env("IFX_BENCH_DATABASE", "sysmaster"),
        "server": env("IFX_BENCH_SERVER", "informix"),
    }


class Load:
    """Tasks that repeat a request until a moment."""

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.end = 0.0
        self.times: list[float] = []

    async def repeat(self, connection: Any) -> None:
        """The work of one connection."""
        cursor = await connection.cursor()
        now = time.perf_counter
        start = now()
        while start < self.end:
            await cursor.execute(self.sql)
            row = await cursor.fetchone()
            assert row is not None
            stop = now()
            self.times.append(stop - start)
            start = stop
        await cursor.close()


async def measure(connections: int, seconds: float, sql: str) -> dict[str, Any]:
    """Connects, warms up, measures."""
    opened = []
    for _ in range(connections):
        opened.append(await aio.connect(**target(), autocommit=True))
    load = Load(sql)
    load.end = time.perf_counter() + min(seconds, 0.5)
    await asyncio.gather(*(load.repeat(c) for c in opened))
    load.times.clear()
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    load.end = start + seconds
    await asyncio.gather(*(load.repeat(c) for c in opened))
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    await asyncio.gather(*(c.close() for c in opened))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    times = sorted(load.times)
    n = len(times)
    return {
        "connections": connections,
        "requests": n,
        "requests_per_second": n / wall,
        "cpu_us_per_request": cpu / n * 1e6,
        "p50_us": times[n // 2] * 1e6,
        "p99_us": times[min(n - 1, n * 99 // 100)] * 1e6,
    }


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--sql", default=SQL)
    parser.add_argument("--uvloop", action="store_true", help="on uvloop, when it is installed")
    arguments = parser.parse_args()
    work = measure(arguments.connections, arguments.seconds, arguments.sql)
    if arguments.uvloop:
        import uvloop

        result = uvloop.run(work)
    else:
        result = asyncio.run(work)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
