"""Many connections on one asyncio loop, ours and the peer's: requests per second and CPU of busy ones, memory of idle ones.

    make bench-connections

Runs `asyncio_load.py` and `idle_memory.py` in the environment of each driver, in turns, against the embedded server or, with IFX_HOST, a real one.
Clients run on one processor and the embedded server on another, where there are two. Memory is measured for ours alone: the peer does not get through
with the server that answers idle connections. BENCH_SMALL=1 does little, to see whether everything works.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness import Place, Settings, interleaved, machine, percentile, running, settings, write_json

HERE = Path(__file__).resolve().parent
QUERY = "SELECT FIRST 3 tabname, tabid FROM systables"


def processors() -> tuple[set[int], set[int]]:
    """For the clients, and for the server."""
    if not hasattr(os, "sched_getaffinity"):
        return set(), set()
    all = sorted(os.sched_getaffinity(0))
    return {all[0]}, set(all[1:] or all)


class Measurement:
    """The two scripts in the environments of the two drivers."""

    def __init__(self, wanted: Settings, place: Place) -> None:
        self.pythons = {"ours": wanted.python_ours, "peer": wanted.python_peer}
        self.environment = {**os.environ, **{f"IFX_BENCH_{k.upper()}": str(v) for k, v in place.arguments().items()}}
        self.processor, _ = processors()

    def ask(self, driver: str, script: str, *arguments: str) -> dict[str, Any]:
        """The last line that a script prints."""

        def pin() -> None:
            if self.processor:
                os.sched_setaffinity(0, self.processor)

        command = [self.pythons[driver], "-B", str(HERE / script), *arguments]
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, text=True, check=True, preexec_fn=pin)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def load(self, driver: str, connections: int, seconds: float) -> dict[str, Any]:
        """Requests of busy connections."""
        return self.ask(driver, "asyncio_load.py", "--connections", str(connections), "--seconds", str(seconds))

    def idle(self, driver: str, connections: int, query: str | None) -> dict[str, Any]:
        """Memory of idle connections."""
        return self.ask(driver, "idle_memory.py", str(connections), *(["--query", query] if query else []))


def measure(wanted: Settings) -> dict[str, Any]:
    """All figures."""
    drivers = [driver for driver in wanted.drivers if driver != "jdbc"]
    loads = [(4, 0.2)] if wanted.small else [(32, 2.0), (1000, 2.0)]
    idles = [(20, None)] if wanted.small else [(1000, None), (1000, QUERY), (10_000, None)]
    with contextlib.ExitStack() as stack:
        place = wanted.real
        if place is None:
            program = stack.enter_context(running([wanted.ifx, "serve", "--port", "0"]))
            place = program.place
            if processors()[1]:
                os.sched_setaffinity(program.pid, processors()[1])
        measurement = Measurement(wanted, place)
        rounds = 1 if wanted.small else min(wanted.rounds, 3)
        busy = interleaved(
            {
                (count, driver): lambda driver=driver, count=count, seconds=seconds: measurement.load(driver, count, seconds)
                for count, seconds in loads
                for driver in drivers
            },
            rounds,
            warm_up=0,
        )
        idle = [
            {"connections": count, "query": query is not None, driver: measurement.idle(driver, count, query)["bytes_per_connection"]}
            for count, query in idles
            for driver in drivers
            if driver == "ours"
        ]
    figures = ["requests_per_second", "cpu_us_per_request", "p50_us", "p99_us"]
    return {
        "machine": machine(),
        "rounds": rounds,
        "busy": [
            {
                "connections": count,
                **{driver: {key: percentile([one[key] for one in busy[count, driver]], 0.5) for key in figures} for driver in drivers},
            }
            for count, _ in loads
        ],
        "idle": idle,
    }


def markdown(result: Mapping[str, Any]) -> str:
    """Two tables."""
    lines = [
        "| busy connections | driver | requests per second | ratio | CPU per request | median | 99th percentile |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in result["busy"]:
        for driver in ("ours", "peer"):
            if one := line.get(driver):
                ratio = f"{line['ours']['requests_per_second'] / one['requests_per_second']:.1f}" if driver == "peer" else ""
                lines.append(
                    f"| {line['connections']} | {driver} | {one['requests_per_second']:.0f} | {ratio} | {one['cpu_us_per_request']:.0f} µs "
                    f"| {one['p50_us'] / 1000:.2f} ms | {one['p99_us'] / 1000:.2f} ms |"
                )
    lines += ["", "| idle connections | driver | client memory for each |", "|---|---|---|"]
    for line in result["idle"]:
        driver = "ours" if "ours" in line else "peer"
        after = ", after a query each" if line["query"] else ""
        lines.append(f"| {line['connections']}{after} | {driver} | {line[driver] / 1000:.1f} kB |")
    return "\n".join(lines)


def main() -> int:
    """Measures, prints, writes."""
    wanted = settings()
    result = measure(wanted)
    write_json(wanted.out / "connections.json", result)
    print(markdown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
