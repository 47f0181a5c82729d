"""Memory of idle connections on one event loop, in the client.

    python bench/idle_memory.py 1000 10000

Runs in the environment of the driver that is measured, against `idle_server.py`, which learns the conversation from the server of
IFX_BENCH_HOST and IFX_BENCH_PORT (see `asyncio_load.py`). Prints one line of JSON per number of connections: resident bytes per
connection, after a first connection that has loaded everything.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from asyncio_load import target

from informix_db import aio


def resident() -> int:
    """Bytes of this process in memory that are its own."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["RssAnon"].split()[0]) * 1024


async def measure(port: int, counts: list[int], query: str | None) -> None:
    """Opens connections up to each number."""
    arguments: dict[str, Any] = {**target(), "host": "127.0.0.1", "port": port, "autocommit": True}

    async def one() -> Any:
        connection = await aio.connect(**arguments)
        if query:
            cursor = await connection.cursor()
            await cursor.execute(query)
            await cursor.fetchall()
            await cursor.close()
        return connection

    first = await one()
    await asyncio.sleep(1.5)
    warm = [await one() for _ in range(20)]
    gc.collect()
    before = resident()
    opened: list[Any] = []
    for count in counts:
        while len(opened) < count:
            opened += await asyncio.gather(*(one() for _ in range(min(100, count - len(opened)))))
        gc.collect()
        per = (resident() - before) / count
        print(json.dumps({"connections": count, "bytes_per_connection": per, "query": bool(query)}), flush=True)
    await asyncio.gather(*(c.close() for c in [first, *warm, *opened]))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=int, nargs="+")
    parser.add_argument("--query", help="each connection runs this once and reads all of it")
    arguments = parser.parse_args()
    server = target()
    command = [sys.executable, str(Path(__file__).with_name("idle_server.py")), server["host"], str(server["port"])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        asyncio.run(measure(int(process.stdout.readline()), arguments.counts, arguments.query))
        process.stdin.close()


if __name__ == "__main__":
    main()
