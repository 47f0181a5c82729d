"""The DB-API exceptions, with what the server said about an error as attributes."""

from __future__ import annotations

__all__ = [
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Warning",
]


class Warning(Exception):  # noqa: A001 (the name is PEP 249's)
    """Base of warnings; the driver raises none."""


class Error(Exception):
    """Base of every exception of the driver.

    The attributes are set on the instance where they are known, and travel with it through pickle.
    """

    sqlcode: int | None = None
    """The server's SQLCODE (negative); None for errors that the driver found itself."""
    isamcode: int | None = None
    """The ISAM code or operating system error that tells why; 0 when there is none."""
    sqlstate: str | None = None
    """Five characters, derived from the codes."""
    offset: int | None = None
    """Position in the statement text, from 1, in bytes of the connection's code set; 0 or None when it means nothing."""
    near: str | None = None
    """The name or text that the server gave with the error: a table, column, constraint, …"""
    row: int | None = None
    """Number of the row of parameters, from 0, that `executemany` stopped at."""
    committed_rows: int | None = None
    """How many rows a failed `executemany` with `commit_every` has committed: go on with those behind them."""
    is_disconnect: bool = False
    """Whether the connection is gone."""
    is_retryable: bool = False
    """Whether the same work can succeed when it is tried again: lock conflicts, deadlocks, lost connections."""


class InterfaceError(Error):
    """The driver was used wrongly: a closed connection or cursor."""


class DatabaseError(Error):
    """Base of errors that concern the database."""


class DataError(DatabaseError):
    """A value does not fit: conversion, range, division by zero, text outside of the code set."""


class OperationalError(DatabaseError):
    """Not the program's fault: login, network, locks, resources."""


class IntegrityError(DatabaseError):
    """A constraint was violated: unique, primary or foreign key, NOT NULL, CHECK."""


class InternalError(DatabaseError):
    """The server reports that something is wrong inside of it."""


class ProgrammingError(DatabaseError):
    """Wrong SQL, unknown objects, wrong number of parameters."""


class NotSupportedError(DatabaseError):
    """The server, this database or the driver cannot do it."""


class ParameterTypeError(ProgrammingError, NotImplementedError):
    """A parameter is of a type that cannot be sent. (NotImplementedError is what the peer driver raises.)"""
