"""What every benchmark here shares. No driver is imported: this part runs in any interpreter.

| module | offers |
|---|---|
| `places` | `Place` (where a server listens, and who logs in), `settings()` (what the environment says), `started(...)` and `running(...)` (a program that says "listening on HOST:PORT", as a context manager: its place, or the `Program`) |
| `summary` | `Summary.of(values)`: median, quartiles, count; `percentile(values, share)` |
| `workers` | `Worker(command)`: a long-lived process that takes one JSON line and answers with one; `serve(handle)`: its other end |
| `processors` | `sharing_one(pids)`: a block in which processes share one processor |
| `rounds` | `interleaved(tasks, rounds, warm_up)`: every task once per round, in an order that turns from round to round |
| `results` | `machine()`: what a figure must be read with; `write_json`, `read_json` |

A benchmark of its own needs about this much:

    from harness import Summary, interleaved, settings, started, write_json

    with started([settings().ifx, "serve", "--port", "0"]) as place:
        times = interleaved({"ours": lambda: run_ours(place), "peer": lambda: run_peer(place)}, rounds=10)
    write_json(settings().out / "mine.json", {name: Summary.of(values).as_dict() for name, values in times.items()})
"""

from .places import ROOT, Place, Program, Settings, running, settings, started
from .processors import sharing_one
from .results import machine, read_json, write_json
from .rounds import interleaved
from .summary import Summary, percentile
from .workers import Worker, WorkerError, serve

__all__ = [
    "ROOT",
    "Place",
    "Program",
    "Settings",
    "Summary",
    "Worker",
    "WorkerError",
    "interleaved",
    "machine",
    "percentile",
    "read_json",
    "running",
    "serve",
    "settings",
    "sharing_one",
    "started",
    "write_json",
]
