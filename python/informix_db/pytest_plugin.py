"""Fixtures for pytest, found by it when the package is installed.

`informix_server` is an embedded server for the whole run, `informix_connection` a connection to its logged database that is
rolled back and closed after the test.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .connections import Connection
from .devserver import DevServer

__all__ = ["informix_connection", "informix_server"]


@pytest.fixture(scope="session")
def informix_server() -> Iterator[DevServer]:
    """The embedded server of this run."""
    with DevServer() as server:
        yield server


@pytest.fixture
def informix_connection(informix_server: DevServer) -> Iterator[Connection]:
    """A connection of its own for a test."""
    from . import connect

    connection = connect(**informix_server.connect_args())
    try:
        yield connection
    finally:
        connection.close()
