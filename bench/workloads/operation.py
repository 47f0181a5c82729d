"""What a workload is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import informix_db


class Unsupported(Exception):
    """The driver does not have what the workload needs."""


def nothing(*_: object) -> None:
    """Does nothing."""


@dataclass
class Operation:
    """Something that is done again and again, and timed.

    `run` alone is timed. A wrong answer must not pass for a fast one: `check` gets each result of `run` and raises.
    """

    run: Callable[[], Any]
    check: Callable[[Any], None] = nothing
    before: Callable[[], None] = nothing
    after: Callable[[], None] = nothing
    per: int = 1
    """How many things one run does: its time is divided by this."""
    measure: Callable[[Any], float] | None = None
    """Takes a figure other than the time out of the result, such as bytes."""


@dataclass
class Session:
    """A place, and a connection to it that is opened at first use."""

    arguments: dict[str, Any]
    _connection: Any = field(default=None, repr=False)

    @property
    def connection(self) -> Any:
        """The connection of this place, with autocommit."""
        if self._connection is None:
            self._connection = self.connect()
        return self._connection

    def connect(self, **more: Any) -> Any:
        """A new connection, with autocommit unless told otherwise."""
        return informix_db.connect(**{**self.arguments, "autocommit": True, **more})


WORKLOADS: dict[str, Callable[..., Operation]] = {}


def workload(function: Callable[..., Operation]) -> Callable[..., Operation]:
    """Makes a function known by its name."""
    WORKLOADS[function.__name__] = function
    return function


def expect(found: object, wanted: object) -> None:
    """ValueError when they differ."""
    if found != wanted:
        raise ValueError(f"wrong answer: {str(found)[:200]} instead of {str(wanted)[:200]}")
