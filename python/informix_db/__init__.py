"""Informix for Python: DB-API 2.0 (PEP 249) and asyncio, over the server's own protocol, without vendor software.

    import informix_db

    with informix_db.connect("db.example", 9088, user="me", password="secret", database="stores") as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT tabname FROM systables WHERE tabid < ?", (100,))
        for (name,) in cursor:
            print(name)

`informix_db.aio` is the same for asyncio.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from typing import Any

from ._capabilities import ServerCapabilities
from ._parameters import core_arguments
from .connections import Connection
from .converters import (
    BlobLocator,
    ClobLocator,
    CollectionValue,
    IntervalYM,
    RowValue,
    register_adapter,
    register_converter,
)
from .cursors import Cursor
from .exceptions import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
)
from .pool import ConnectionPool, PoolClosedError, PoolStats, PoolTimeoutError, create_pool
from .rows import Row, dict_factory, namedtuple_factory
from .typeobjects import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
)

apilevel = "2.0"
threadsafety = 2
"""Threads may share the module and connections."""
paramstyle = "numeric"
"""`:1`; `?` and `:name` work as well."""

try:
    __version__ = version("informix-rs")
except PackageNotFoundError:  # not installed: run from a source tree
    __version__ = "0.0.0+local"

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "BlobLocator",
    "ClobLocator",
    "CollectionValue",
    "Connection",
    "ConnectionPool",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "IntervalYM",
    "NotSupportedError",
    "OperationalError",
    "PoolClosedError",
    "PoolStats",
    "PoolTimeoutError",
    "ProgrammingError",
    "Row",
    "RowValue",
    "ServerCapabilities",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "__version__",
    "apilevel",
    "connect",
    "create_pool",
    "dict_factory",
    "namedtuple_factory",
    "paramstyle",
    "register_adapter",
    "register_converter",
    "threadsafety",
]


def connect(
    host: str | None = None,
    port: int | None = None,
    *,
    user: str | None = None,
    password: str | None = None,
    database: str | None = None,
    server: str | None = None,
    url: str | None = None,
    connect_timeout: float | None = None,
    read_timeout: float | None = None,
    statement_timeout: float | None = None,
    keepalive: bool = False,
    client_locale: str | None = None,
    db_locale: str | None = None,
    env: Mapping[str, str] | None = None,
    autocommit: bool = False,
    row_factory: Any = None,
    tls: bool | str | PathLike[str] | ssl.SSLContext = False,
    tls_server_hostname: str | None = None,
    decode_errors: str = "strict",
    **options: Any,
) -> Connection:
    """Opens a connection.

    Args:
        host: Name or address of the server's machine; or a URL (`informix://user:password@host:port/database?…`), JDBC
            URL or `key=value;…`, which may also be given as `url`. Arguments override what it says; what stays open is
            taken from the INFORMIX* variables.
        port: TCP port, 9088 by default.
        user: Login name.
        password: Its password.
        database: Opened after the login; None = login only.
        server: DBSERVERNAME of the server, "informix" by default.
        connect_timeout: Seconds for connecting and logging in.
        read_timeout: Seconds that the server may stay silent; the connection is broken afterwards.
        statement_timeout: Seconds for a statement, which is then cancelled.
        keepalive: TCP keepalive.
        client_locale: Such as "en_US.utf8"; by default the code set of the database is used.
        db_locale: Locale that the database must have.
        env: Further variables of the server session.
        autocommit: False: a transaction begins in front of the first statement.
        row_factory: See `informix_db.rows`.
        tls: True = encrypted, nothing verified; a path = PEM file of the authorities to trust; or an `ssl.SSLContext`.
        tls_server_hostname: Name that the server's certificate must have; `host` by default.
        decode_errors: "strict" raises DataError for text that is not valid in the code set, "replace" puts U+FFFD.
        options: Further parameters by name; `docs/python.md` lists them.
    """
    return Connection(
        **core_arguments(
            host,
            port,
            user=user,
            password=password,
            database=database,
            server=server,
            url=url,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            statement_timeout=statement_timeout,
            keepalive=keepalive,
            client_locale=client_locale,
            db_locale=db_locale,
            env=env,
            autocommit=autocommit,
            row_factory=row_factory,
            tls=tls,
            tls_server_hostname=tls_server_hostname,
            decode_errors=decode_errors,
            **options,
        )
    )
