"""Measures the drivers side by side and prints one table. `make bench`, `make compare`; docs/performance.md tells more."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import report
from harness import Place, Settings, Worker, interleaved, machine, percentile, settings, started, write_json
from lines import DELAYS, REPLAY, SERVER, Line, chosen

HERE = Path(__file__).resolve().parent
Figures = Mapping[str, float]


@dataclass
class Stage:
    """What has been started."""

    places: dict[str, Place]
    workers: dict[str, Worker]

    def task(self, line: Line, driver: str) -> Callable[[], Figures | None]:
        """One round of a line with a driver: its figures, or None when the driver lacks what it needs."""
        request = {
            "workload": line.workload,
            "arguments": dict(line.arguments),
            "place": self.places[line.place].arguments(),
            "repeat": line.repeat,
        }

        def run() -> Figures | None:
            answer = self.workers[driver].ask(request)
            figures = answer.get("figures")
            if figures is None:
                return None
            return {"median": percentile(figures, 0.5), "p90": percentile(figures, 0.9), "p99": percentile(figures, 0.99)}

        return run


@contextlib.contextmanager
def stage(wanted: Settings, lines: Sequence[Line]) -> Iterator[Stage]:
    """Starts what the lines need, and fills the tables."""
    used = {line.place for line in lines}
    with contextlib.ExitStack() as stack:
        server = wanted.real or stack.enter_context(started([wanted.ifx, "serve", "--port", "0"]))
        places = {SERVER: server}
        if REPLAY in used:
            places[REPLAY] = stack.enter_context(started([wanted.tool, "replay"]))
        for place, delay in DELAYS.items():
            if place in used:
                command = [wanted.tool, "relay", "--target", f"{server.host}:{server.port}", "--delay-ms", str(delay)]
                places[place] = stack.enter_context(started(command, server))
        workers = {}
        commands = {"ours": wanted.python_ours, "peer": wanted.python_peer}
        for driver in wanted.drivers:
            if driver in commands:
                workers[driver] = stack.enter_context(Worker([commands[driver], "-B", str(HERE / "python_worker.py")]))
        sizes = {int(line.arguments["rows"]) for line in lines if line.workload.startswith("fetch") and line.place != REPLAY}
        tables = sorted(sizes | {1000})
        workers["ours"].ask({"place": server.arguments(), "fill": tables})
        yield Stage(places, workers)
        if wanted.real:
            workers["ours"].ask({"place": server.arguments(), "remove": tables})


def measure(wanted: Settings, lines: Sequence[Line]) -> dict[str, Any]:
    """Runs everything and returns what is written as JSON."""
    begin = time.monotonic()
    with stage(wanted, lines) as ready:
        tasks = {
            (line.name, driver): ready.task(line, driver)
            for line in lines
            for driver in line.drivers
            if driver in ready.workers
        }

        def say(done: int, all: int) -> None:
            print(f"round {done} of {all}, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)

        figures = interleaved(tasks, wanted.rounds, say=say)
        drivers = {name: worker.hello for name, worker in ready.workers.items()}
    return {
        "machine": machine(),
        "drivers": drivers,
        "server": "embedded" if wanted.real is None else f"{wanted.real.host}:{wanted.real.port}",
        "rounds": wanted.rounds,
        "seconds": time.monotonic() - begin,
        "lines": [report.results(line, figures) for line in lines],
    }


def main() -> int:
    """Measures, prints, writes."""
    wanted = settings()
    lines = chosen(wanted.only)
    if not lines:
        print("BENCH_ONLY chooses no line", file=sys.stderr)
        return 2
    result = measure(wanted, lines)
    write_json(wanted.out / "results.json", result)
    print(report.text(result))
    print(f"written: {wanted.out / 'results.json'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
