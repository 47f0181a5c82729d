"""Long-lived processes that are asked in turn: one JSON line there, one back."""

from __future__ import annotations

import json
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class WorkerError(RuntimeError):
    """A worker could not do what it was asked for, or ended."""


class Worker:
    """A process of its own. Its first line says what it is: `hello`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._command = command
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.hello: dict[str, Any] = self._answer()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer; WorkerError when it says "error"."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise WorkerError(f"{self._command[0]}: {dict(request)}:\n{answer['error']}")
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerError(f"{' '.join(self._command)} ended with code {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """Ends the process: its input ends."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(hello: Mapping[str, Any], handle: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """The worker's side: answers requests until the input ends. What else is printed goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr

    def say(answer: Mapping[str, Any]) -> None:
        out.write(json.dumps(answer) + "\n")
        out.flush()

    say(hello)
    for line in sys.stdin:
        try:
            answer = handle(json.loads(line))
        except Exception:
            answer = {"error": traceback.format_exc()}
        say(answer)
