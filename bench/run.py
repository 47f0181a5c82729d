"""Measures the drivers side by side and prints one table: `make bench`, `make compare`. `--docs` puts the results of the last run
into docs/performance.md. The environment says the rest (`harness/places.py`)."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import connections
import plot
import report
import transport
from harness import ROOT, Place, Program, Settings, Worker, interleaved, machine, percentile, read_json, running, settings
from harness import sharing_one, write_json
from lines import DELAYS, REPLAY, SERVER, Line, chosen, small

HERE = Path(__file__).resolve().parent
DOCS = ROOT / "docs/performance.md"
# What each block of the page is made of, and how.
BLOCKS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "bench": ("results.json", report.markdown),
    "connections": ("connections.json", connections.markdown),
    "transport": ("transport.json", transport.markdown),
}
Figures = Mapping[str, float]


@dataclass
class Stage:
    """What has been started."""

    places: dict[str, Place]
    programs: list[Program]
    workers: dict[str, Worker]
    speed: dict[str, float] | None = None
    """Of the replay server by itself."""

    def task(self, line: Line, driver: str) -> Callable[[], Figures | None]:
        """One round of a line with a driver: its figures, or None when the driver lacks what it needs."""
        worker = self.workers[driver]
        request = {
            "workload": line.workload,
            "arguments": dict(line.arguments),
            "place": self.places[line.place].arguments(),
            "repeat": line.repeat,
        }

        def run() -> Figures | None:
            pids = [worker.pid, *(program.pid for program in self.programs)] if line.together else []
            with sharing_one(pids):
                figures = worker.ask(request).get("figures")
            return figures and {"median": percentile(figures, 0.5), "p99": percentile(figures, 0.99)}

        return run


def python(wanted: Settings, driver: str) -> list[str]:
    """The command of a Python driver's worker."""
    interpreter = {"ours": wanted.python_ours, "peer": wanted.python_peer}[driver]
    return [interpreter, "-B", str(HERE / "python_worker.py")]


def jdbc(wanted: Settings) -> list[str] | None:
    """The command of the JDBC driver's worker, which is compiled here; None, and a word, without Java or the driver."""
    jars = [*wanted.jars.rglob("jdbc-4*.jar"), *wanted.jars.rglob("bson-*.jar")]
    if not shutil.which("javac") or not jars:
        missing = "javac" if jars else f"the JDBC driver in {wanted.jars} (make bench gets it)"
        print(f"SKIPPED: JDBC is not measured, because {missing} is missing", file=sys.stderr)
        return None
    wanted.classes.mkdir(parents=True, exist_ok=True)
    path = ":".join(map(str, jars))
    sources = sorted(map(str, (HERE / "java").glob("*.java")))
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-d", str(wanted.classes), "-cp", path, *sources], check=True)
    return ["java", "-cp", f"{wanted.classes}:{path}", "Worker"]


@contextlib.contextmanager
def stage(wanted: Settings, lines: Sequence[Line]) -> Iterator[Stage]:
    """Starts what the lines need, and fills the tables."""
    used = {line.place for line in lines}
    with contextlib.ExitStack() as stack:
        ready = Stage({}, [], {})

        def start(place: str, command: list[str], base: Place | None = None) -> None:
            program = stack.enter_context(running(command, base))
            ready.programs.append(program)
            ready.places[place] = program.place

        if wanted.real:
            ready.places[SERVER] = wanted.real
        else:
            start(SERVER, [wanted.ifx, "serve", "--port", "0"])
        server = ready.places[SERVER]
        if REPLAY in used:
            start(REPLAY, [wanted.tool, "replay"])
            address = f"{ready.places[REPLAY].host}:{ready.places[REPLAY].port}"
            done = subprocess.run([wanted.tool, "probe", address], check=True, stdout=subprocess.PIPE)
            ready.speed = json.loads(done.stdout)
        for place, delay in DELAYS.items():
            if place in used:
                target = f"{server.host}:{server.port}"
                start(place, [wanted.tool, "relay", "--target", target, "--delay-ms", str(delay)], server)
        for driver in wanted.drivers:
            command = jdbc(wanted) if driver == "jdbc" else python(wanted, driver)
            if command:
                ready.workers[driver] = stack.enter_context(Worker(command))
        sizes = {line.arguments["rows"] for line in lines if line.workload.startswith("fetch") and line.place != REPLAY}
        tables = sorted(sizes | {1000})
        ready.workers["ours"].ask({"place": server.arguments(), "fill": tables})
        yield ready
        if wanted.real:
            ready.workers["ours"].ask({"place": server.arguments(), "remove": tables})


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
        speed = ready.speed
    return {
        "machine": machine(),
        "drivers": drivers,
        "server": "embedded" if wanted.real is None else f"{wanted.real.host}:{wanted.real.port}",
        "replay": speed,
        "rounds": wanted.rounds,
        "seconds": time.monotonic() - begin,
        "date": time.strftime("%Y-%m-%d"),
        "lines": [report.results(line, figures) for line in lines],
    }


def update_docs(out: Path, docs: Path = DOCS) -> None:
    """Puts what was measured between the marks of the page; blocks without results stay as they are."""
    page = docs.read_text(encoding="utf-8")
    for name, (file, markdown) in BLOCKS.items():
        if not (out / file).exists():
            continue
        head, begin, rest = page.partition(f"<!-- {name}: begin -->")
        _, end, tail = rest.partition(f"<!-- {name}: end -->")
        if not begin or not end:
            raise ValueError(f"{docs} lacks the marks of {name}")
        page = f"{head}{begin}\n\n{markdown(read_json(out / file))}\n\n{end}{tail}"
    docs.write_text(page, encoding="utf-8")


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help="put the last results into docs/performance.md; measures nothing")
    docs = parser.parse_args().docs
    wanted = settings()
    file = wanted.out / "results.json"
    if docs:
        update_docs(wanted.out)
        return 0
    lines = [small(line) if wanted.small else line for line in chosen(wanted.only)]
    if not lines or "ours" not in wanted.drivers:
        print("nothing to measure: BENCH_ONLY chooses no line, or BENCH_DRIVERS lacks ours", file=sys.stderr)
        return 2
    result = measure(wanted, lines)
    write_json(file, result)
    (wanted.out / "ratios.svg").write_text(plot.svg(result), encoding="utf-8")
    print(report.text(result))
    print(f"written: {file}, {wanted.out / 'ratios.svg'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
