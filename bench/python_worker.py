"""The worker of a Python driver: runs in the environment of the driver that it measures."""

from __future__ import annotations

import gc
import importlib.metadata
import json
import sys
import time
from collections.abc import Mapping
from typing import Any

from harness.workers import serve
from workloads import WORKLOADS, Operation, Session, Unsupported
from workloads.fill import fill, remove

DISTRIBUTIONS = ("informix-rs", "informix-driver")


def hello() -> dict[str, Any]:
    """The driver's name and version."""
    for name in DISTRIBUTIONS:
        try:
            return {"driver": name, "version": importlib.metadata.version(name), "python": sys.version.split()[0]}
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"driver": "unknown", "version": "unknown", "python": sys.version.split()[0]}


class Driver:
    """Sessions and operations that stay from request to request."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.operations: dict[str, Operation] = {}

    def session(self, place: Mapping[str, Any]) -> Session:
        """The session of a place."""
        return self.sessions.setdefault(json.dumps(place), Session(dict(place)))

    def handle(self, request: dict[str, Any]) -> Mapping[str, Any]:
        """{"fill" or "remove": [sizes], "place"} or {"workload", "arguments", "place", "repeat"}: the figures of each run."""
        session = self.session(request["place"])
        if "fill" in request:
            fill(session, request["fill"])
            return {}
        if "remove" in request:
            remove(session, request["remove"])
            return {}
        key = json.dumps([request["workload"], request["arguments"], request["place"]])
        try:
            if key not in self.operations:
                self.operations[key] = WORKLOADS[request["workload"]](session, **request["arguments"])
            return {"figures": timed(self.operations[key], request["repeat"])}
        except Unsupported as reason:
            return {"unsupported": str(reason)}


def timed(operation: Operation, repeat: int) -> list[float]:
    """Runs it so often, and returns the seconds (or what it measures) of each run."""
    figures = []
    gc.collect()
    for _ in range(repeat):
        operation.before()
        begin = time.perf_counter()
        result = operation.run()
        seconds = time.perf_counter() - begin
        operation.check(result)
        figures.append(operation.measure(result) if operation.measure else seconds / operation.per)
        del result
        operation.after()
    return figures


if __name__ == "__main__":
    serve(hello(), Driver().handle)
