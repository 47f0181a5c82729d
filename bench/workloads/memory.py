"""Bytes instead of seconds."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from pathlib import Path

from .fetching import text
from .operation import Operation, Session, Unsupported, expect, workload

HERE = Path(__file__).resolve()


def resident(field: str) -> int:
    """Bytes that the kernel counts for this process: VmRSS now, VmHWM at most so far."""
    if not Path("/proc/self/status").exists():
        raise Unsupported("memory is measured on Linux only")
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise Unsupported(f"no {field} on this system")


def growth(session: Session, rows: int) -> dict[str, int]:
    """Reads all rows one by one, and tells how many came and how far the process grew above what it had before."""
    connection = session.connection
    cursor = connection.cursor()
    cursor.execute(text(1000))
    cursor.fetchall()
    before = resident("VmRSS")
    cursor.execute(text(rows))
    count = sum(1 for _ in cursor)
    return {"rows": count, "bytes": max(resident("VmHWM") - before, 0)}


async def growth_aio(session: Session, rows: int) -> dict[str, int]:
    """The same on asyncio."""
    aio = importlib.import_module("informix_db.aio")
    async with await aio.connect(**session.arguments) as connection:
        cursor = connection.cursor()
        await cursor.execute(text(1000))
        await cursor.fetchall()
        before = resident("VmRSS")
        await cursor.execute(text(rows))
        count = 0
        async for _ in cursor:
            count += 1
        return {"rows": count, "bytes": max(resident("VmHWM") - before, 0)}


def measured(session: Session, rows: int, face: str = "blocking") -> dict[str, int]:
    """`growth` of either face in a process of its own."""
    program = "import sys; from workloads import memory; memory.main(*sys.argv[1:])"
    command = [sys.executable, "-B", "-c", program, json.dumps(session.arguments), str(rows), face]
    done = subprocess.run(command, cwd=HERE.parents[1], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


@workload
def memory_streamed(session: Session, rows: int) -> Operation:
    """How far a process of its own grows while it reads all rows one by one."""
    resident("VmHWM")
    return Operation(
        lambda: measured(session, rows),
        lambda found: expect(found["rows"], rows),
        measure=lambda found: found["bytes"],
    )


def main(arguments: str, rows: str, face: str) -> None:
    """What the process does."""
    session = Session(json.loads(arguments))
    found = asyncio.run(growth_aio(session, int(rows))) if face == "asyncio" else growth(session, int(rows))
    print(json.dumps(found))
