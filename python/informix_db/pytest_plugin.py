"""Fixtures for pytest, found by it when the package is installed.

`informix_server` is an embedded server for the whole run, `informix_connection` a connection to its logged database that is
rolled back and closed after the test, and `informix_server_factory` starts servers of a test's own:

    def test_retry(informix_server_factory):
        server = informix_server_factory(load=["schema.sql"], faults=["commit#1 close"])

In the settings of pytest `informix_load` names .sql scripts and dbexport directories that the run's server loads first
(relative to the file of the settings), and `informix_faults` has its fault rules, one a line (docs/devserver.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from .connections import Connection
from .devserver import DevServer

__all__ = ["informix_connection", "informix_server", "informix_server_factory"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of the run's server."""
    parser.addini("informix_load", "scripts and dbexport directories that informix_server loads first", type="paths", default=[])
    parser.addini("informix_faults", "fault rules of informix_server, one a line", type="linelist", default=[])


@pytest.fixture(scope="session")
def informix_server(pytestconfig: pytest.Config) -> Iterator[DevServer]:
    """The embedded server of this run."""
    load, faults = pytestconfig.getini("informix_load"), pytestconfig.getini("informix_faults")
    with DevServer(load=load, faults=faults) as server:
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


@pytest.fixture
def informix_server_factory() -> Iterator[Callable[..., DevServer]]:
    """Starts servers with the arguments of `DevServer`; they are stopped after the test."""
    with ExitStack() as servers:
        yield lambda **arguments: servers.enter_context(DevServer(**arguments))
