"""Bytes instead of seconds."""

from __future__ import annotations

from pathlib import Path

from .operation import Operation, Session, Unsupported, expect, workload
from .fetching import text


def resident(field: str) -> int:
    """Bytes that the kernel counts for this process: VmRSS now, VmHWM at most so far."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise Unsupported(f"no {field} on this system")


@workload
def memory_streamed(session: Session, rows: int) -> Operation:
    """How far the process grows while it reads all rows one by one."""
    connection = session.connection
    if not Path("/proc/self/clear_refs").exists():
        raise Unsupported("peak of memory can be measured on Linux only")

    def run():
        # The peak begins anew here (proc(5)).
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        before = resident("VmRSS")
        cursor = connection.cursor()
        cursor.execute(text(rows))
        count = sum(1 for _ in cursor)
        cursor.close()
        return count, resident("VmHWM") - before

    return Operation(run, lambda found: expect(found[0], rows), measure=lambda found: found[1])
