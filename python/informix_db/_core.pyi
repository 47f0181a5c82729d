"""The extension module (crate `informix-python`): connections, cursors and values in Rust.

What it takes from the Python side, imported at first use:

* `informix_db.exceptions`: the DB-API classes by their PEP 249 names, and `ParameterTypeError` for values of a type that cannot
  be sent (NotImplementedError when it is missing). Each is called with the message alone; the
  attributes `sqlcode`, `isamcode`, `sqlstate`, `offset`, `near` are set on the instance afterwards.
* `informix_db.converters`: `IntervalYM(months)`, `BlobLocator(raw)`, `ClobLocator(raw)`, `RowValue(raw, schema)`,
  `CollectionValue(raw, kind, element_schema)`. Instances are recognised as parameters by their exact class: `.months`
  and `.raw` are read.
* `informix_db.rows`: `row_maker(factory, names: tuple[str, ...]) -> Callable[[tuple], object] | None`, called once per
  executed statement when `row_factory` is not None. The maker gets each row's tuple.

Threads: every object may be used from any thread. Operations of one connection follow each other; waiting happens
detached from the interpreter. A converter or an iterator of parameters may use other cursors of the connection; using the very
cursor that it is called by raises ProgrammingError.
"""

import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, final

from typing_extensions import disjoint_base

__all__ = [
    "ArrowBatch",
    "ArrowBatches",
    "ArrowTable",
    "AsyncArrowBatches",
    "AsyncConnection",
    "AsyncCursor",
    "Connection",
    "Cursor",
    "Lob",
    "__version__",
    "decimals_in_place",
    "error_class",
    "error_sqlstate",
    "error_text",
    "parse_url",
    "register_adapter",
    "register_error_text",
    "rewrite_placeholders",
]

__version__: str
"""Version of the crate, which is that of the distribution."""

def error_text(code: int) -> str | None:
    """Own-words text of an SQL or ISAM code; None for codes that nobody knows. `{}` stands for the object's name."""

def error_class(sqlcode: int, isamcode: int = 0) -> str:
    """Name of the DB-API class for a code: "ProgrammingError", …"""

def error_sqlstate(sqlcode: int, isamcode: int = 0) -> str:
    """SQLSTATE for a code, five characters."""

def register_error_text(code: int, text: str) -> None:
    """Replaces the text of a code in every later exception."""

def rewrite_placeholders(operation: str) -> tuple[str, list[int | str] | None]:
    """Statement text with `?` in place of `:1` and `:name`, and what each marker stands for.

    None for a text that has `?` markers alone (or no marker); otherwise the number (from 1) or the name of the parameter of each
    marker in order. Strings, quoted identifiers, the three kinds of comments, `::` casts and `a:b` qualified names
    (`database:table`) are left alone. Mixing `?` with the other kinds raises ProgrammingError.
    """

def register_adapter(type: type, adapter: Callable[[Any], object] | None) -> None:
    """Makes instances of a class (and of its subclasses) usable as parameters everywhere: the adapter turns one into a
    value of a supported type. Supported types are tried first; None removes."""

def decimals_in_place(allowed: bool | None = None) -> bool:
    """Whether `Decimal` objects are filled in place, which a self-test at import decides. False turns to the portable way, for
    tests of it; True turns back where the self-test passes."""

def parse_url(url: str) -> dict[str, Any]:
    """The parameters in a URL, JDBC URL or DSN as keyword arguments of `Connection` (password included)."""

@disjoint_base
class Connection:
    """One session, blocking. Connects when it is made."""

    def __new__(
        cls,
        host: str | None = None,
        port: int = 9088,
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
        on_challenge: Callable[[str, bool], str] | None = None,
        **options: object,
    ) -> Connection:
        """Connects.

        `url` (URL, JDBC URL or `key=value;…`) is read first, the other arguments override it; INFORMIX* variables fill
        what is still open. Without `client_locale` the locale of the database is taken (one more connect when it has
        another code set than en_US.8859-1). `tls`: True = encrypted, nothing verified (as the peer driver does); a path = PEM file
        of the authorities to trust, chain and host name verified; an SSLContext = its own rules. `on_challenge` answers the
        questions of a PAM listener, given prompt and whether the answer may be shown; by default the password does. `options` are the
        further parameters of the Rust client by name: `fetch_buffer`, `max_fetch_buffer`, `statement_cache`,
        `isolation`, `lock_wait`, `pipeline_connect`, `application`, `delimident`, `tls_cert`, `tls_key`, `tls_verify`, ….
        """

    closed: bool
    """Whether it was closed, or broke. Read-only."""
    autocommit: bool
    """Without it a transaction begins in front of the first statement (BEGIN rides on it). Setting it to True with an open
    transaction raises ProgrammingError."""
    row_factory: Any
    """For new cursors."""
    encoding: str
    """Python name of the codec of the connection's locale. Read-only."""
    client_locale: str
    """The client locale in use. Read-only."""
    in_transaction: bool
    """Whether a transaction is open, as far as the driver knows. Read-only."""
    is_logged: bool
    """Whether the database has transactions. Read-only."""
    is_ansi: bool
    """Whether the database is an ANSI one. Read-only."""
    database: str | None
    """The open database. Read-only."""
    server_name: str
    """DBSERVERNAME from the login reply. Read-only."""
    server_version_internal: str
    """Version text of the login reply. Read-only."""
    server_version: str
    """The public version text: one query at first use, then kept; the login text when that fails. Read-only."""
    capability_mask: bytes
    """The server's answer to SQ_PROTOCOLS. Read-only."""
    login_reply: tuple[int, int, int, str, str, str]
    """cap_1, cap_2, cap_3, version, serial number, application name of the login reply. Read-only."""
    last_error: BaseException | None
    """The last exception that an operation of the connection raised. Read-only."""
    buffer_bytes: int
    """Memory held for what is sent and received; 0 while a request runs. Read-only."""
    thread_busy: bool
    """Whether an operation is running now. Read-only."""

    def cursor(self, *, scrollable: bool = False) -> Cursor: ...
    def commit(self) -> None:
        """Commits; nothing happens when no transaction is open. Rows that open cursors have not fetched yet are read into
        memory first."""
    def rollback(self) -> None:
        """As `commit`, rolling back."""
    def begin(self) -> None:
        """Begins a transaction, with autocommit too."""
    def savepoint(self, name: str) -> None: ...
    def release_savepoint(self, name: str) -> None: ...
    def rollback_to_savepoint(self, name: str) -> None: ...
    def close(self) -> None:
        """Ends the session; again and again if you like. While another thread works in it, that thread is given half a
        second, then the socket is cut."""
    def abort(self) -> None:
        """Cuts the socket at once: for a connection that must not be used again."""
    def cancel(self) -> bool:
        """From another thread: cancels the running statement, which then fails with SQLCODE -213. False when none runs.
        Over TLS the connection is closed."""
    def ping(self) -> None:
        """One round trip."""
    def is_alive(self) -> bool:
        """Whether the socket is open and silent: nothing is sent."""
    def reset(self) -> bool:
        """For a pool: rolls back, restores modes. False when the session cannot be made as good as new."""
    def execute_immediate(self, operation: str) -> int:
        """Runs a statement as it is, without BEGIN in front, and gives the number of rows."""
    def fast_path_call(self, signature: str, *params: object) -> list[Any]:
        """Calls a routine by the fast path: `function informix.ifx_lo_close(integer)`. Results of fixed width."""
    def read_lob(self, locator: Any) -> bytes:
        """The whole contents of a BlobLocator or ClobLocator, as bytes."""
    def open_lob(self, locator: Any) -> Lob:
        """Opens a locator for reading."""
    def create_lob(self, column: str, *, clob: bool = False) -> Lob:
        """A new large object for `table.column`, open for writing."""
    def set_output_converter(self, type: int | str, converter: Callable[[Any], object] | None) -> None:
        """Values of an SQL type (its SQLI number or name: 5, "decimal") go through a function, in cursors executed from
        now on. NULL is not converted."""
    def set_adapter(self, type: type, adapter: Callable[[Any], object] | None) -> None:
        """As `register_adapter`, for this connection alone."""
    def set_statement_timeout(self, seconds: float | None) -> None: ...
    def round_trips(self) -> tuple[int, int, int]:
        """Bytes sent, bytes received, times the connection waited for the server."""
    def __enter__(self) -> Connection: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes; no commit, no rollback."""

@disjoint_base
class Cursor:
    """Runs statements and hands their rows out. `__new__` as `connection.cursor()`."""

    def __new__(cls, connection: Connection, *, scrollable: bool = False) -> Cursor: ...

    connection: Connection
    arraysize: int
    row_factory: Any
    description: list[tuple[Any, ...]] | None
    """(name, SQLI type number, encoded length, encoded length, 0, 0, null_ok) per column. Read-only."""
    rowcount: int
    rownumber: int | None
    """0-based index of the row last handed out."""
    lastrowid: int | None
    """SERIAL, SERIAL8 or BIGSERIAL value of the last INSERT."""
    rowid: int | None
    """ROWID of the last row that a statement touched."""
    statement_type: int | None
    """SQLI statement type of the last statement: 2 SELECT, 4 UPDATE, 5 DELETE, 6 INSERT, …; None when it was not described."""
    closed: bool
    scrollable: bool
    batch_errors: list[tuple[int, Exception]]
    """What `executemany(…, on_error="continue")` could not execute: number of the row from 0, and its error."""
    batch_rowcounts: list[int | None]
    """Rows that each row of the last `executemany` has changed; None for one that failed, or of which it is not known."""
    blob_files: dict[str, bytes]
    """What the server wrote to client files (`lotofile(…, 'client')`): kept in memory, never on disk."""
    virtual_files: dict[str, bytes]
    """What the server may read as client files (`filetoblob(…, 'client')`). No file of the machine is ever read."""

    def execute(self, operation: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> None: ...
    def executemany(
        self,
        operation: str,
        seq_of_parameters: Iterable[Sequence[Any] | Mapping[str, Any]],
        *,
        on_error: Literal["stop", "continue"] = "stop",
        commit_every: int | None = None,
    ) -> None:
        """Also takes Arrow data: an object with `__arrow_c_stream__` or `__arrow_c_array__`, one column per marker."""

    def ingest(
        self,
        table: str,
        data: Any,
        *,
        columns: Sequence[str] | None = None,
        mode: Literal["append", "create"] = "append",
        commit_every: int | None = None,
    ) -> int:
        """Inserts Arrow data into a table, columns by name, or by the names given. `mode="create"` makes the table first. Gives
        the number of rows."""

    def callproc(self, procname: str, parameters: Sequence[Any] | None = None) -> Sequence[Any]: ...
    def fetchone(self) -> Any: ...
    def fetchmany(self, size: int | None = None) -> list[Any]: ...
    def fetchall(self) -> list[Any]: ...
    def fetch_arrow_table(self, *, floating_decimal: str = "text") -> ArrowTable:
        """The rows that are left, by column, made without Python objects. `floating_decimal` says what becomes of DECIMAL(p)
        without a scale: "text", "float64" or "decimal(p,s)"."""

    def fetch_arrow_batches(self, rows: int = 65536, *, floating_decimal: str = "text") -> ArrowBatches:
        """The rows that are left in batches of at most `rows`, fetched while they are read."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow PyCapsule interface: the rows that are left as a stream."""

    def __arrow_c_schema__(self) -> Any: ...
    def nextset(self) -> None: ...
    def setinputsizes(self, sizes: Any) -> None: ...
    def setoutputsize(self, size: int, column: int | None = None) -> None: ...
    def scroll(self, value: int, mode: str = "relative") -> None: ...
    def fetch_first(self) -> Any: ...
    def fetch_last(self) -> Any: ...
    def fetch_prior(self) -> Any: ...
    def fetch_absolute(self, n: int) -> Any: ...
    def fetch_relative(self, n: int) -> Any: ...
    def read_blob_column(
        self, select_blob_sql: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, sentinel: str = "/tmp/_informix_db_blob"
    ) -> bytes | None: ...
    def write_blob_column(
        self,
        sql: str,
        blob_data: bytes,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        sentinel: str = "/tmp/_informix_db_blob_in",
        clob: bool = False,
    ) -> None: ...
    def close(self) -> None: ...
    def __iter__(self) -> Cursor: ...
    def __next__(self) -> Any: ...
    def __enter__(self) -> Cursor: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...

@final
class ArrowBatch:
    """Some rows by column, for whatever reads the Arrow PyCapsule interface."""

    num_rows: int
    num_columns: int
    column_names: list[str]
    schema: str
    """One line per column: name, Arrow type, Informix type."""
    nbytes: int

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

@final
class ArrowTable:
    """All rows of a result by column, for whatever reads the Arrow PyCapsule interface."""

    num_rows: int
    num_columns: int
    column_names: list[str]
    schema: str
    """One line per column: name, Arrow type, Informix type."""
    nbytes: int

    def to_batches(self) -> list[ArrowBatch]: ...
    def to_pyarrow(self) -> Any:
        """`pyarrow.table(self)`."""

    def to_polars(self) -> Any:
        """`polars.DataFrame(self)`."""

    def to_pandas(self) -> Any:
        """By way of pyarrow."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@final
class ArrowBatches:
    """An iterator of batches that is also an Arrow stream: whoever reads first gets the next rows."""

    def __iter__(self) -> ArrowBatches: ...
    def __next__(self) -> ArrowBatch: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@final
class AsyncArrowBatches:
    """The rows of an `AsyncCursor` that are left."""

    def next(self) -> Awaitable[ArrowBatch | None]:
        """The next batch, None at the end."""

    def table(self) -> Awaitable[ArrowTable | None]:
        """All rows that are left; None when it has to be asked again."""

@final
class Lob:
    """A BLOB or CLOB open on the server, as a binary file."""

    closed: bool
    locator: Any
    """BlobLocator or ClobLocator: the parameter for the column."""

    def read(self, size: int = -1) -> bytes: ...
    def write(self, data: bytes | bytearray | memoryview) -> int: ...
    def seek(self, offset: int, whence: int = 0) -> int: ...
    def tell(self) -> int: ...
    def size(self) -> int: ...
    def readable(self) -> bool: ...
    def writable(self) -> bool: ...
    def seekable(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self) -> Lob: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...

@final
class AsyncConnection:
    """One session on a running event loop that has `add_reader` (asyncio's selector loops, uvloop). No thread, but one for
    host names that are no IP addresses while connecting.

    Every method that waits gives an awaitable: a future in the sense of `asyncio.isfuture`, or an object that is ready at once.
    Requests are queued and follow each other. When the task that awaits one is cancelled, the result is dropped, and what the
    server still does is ended (interrupted after a short grace) and read away before the next request starts. Rows of a fetch that was cancelled are there for the next fetch. A commit or rollback always runs to its end.
    """

    @staticmethod
    def connect(*args: Any, **kwargs: Any) -> Awaitable[AsyncConnection]:
        """Parameters as `Connection`. Must be called with the loop running."""

    closed: bool
    autocommit: bool
    row_factory: Any
    encoding: str
    client_locale: str
    in_transaction: bool
    is_logged: bool
    is_ansi: bool
    database: str | None
    server_name: str
    server_version_internal: str
    capability_mask: bytes
    login_reply: tuple[int, int, int, str, str, str]
    last_error: BaseException | None
    busy: bool
    """Whether a request is running or queued. Read-only."""
    buffer_bytes: int
    """Memory held for what is sent and received; 0 while a request runs. Read-only."""

    def cursor(self, *, scrollable: bool = False) -> AsyncCursor: ...
    def commit(self) -> Awaitable[None]: ...
    def rollback(self) -> Awaitable[None]: ...
    def begin(self) -> Awaitable[None]: ...
    def close(self) -> Awaitable[None]: ...
    def abort(self) -> None: ...
    def cancel(self) -> bool: ...
    def ping(self) -> Awaitable[None]: ...
    def is_alive(self) -> bool: ...
    def reset(self) -> Awaitable[bool]: ...
    def execute_immediate(self, operation: str) -> Awaitable[int]: ...
    def server_version(self) -> Awaitable[str]: ...
    def fast_path_call(self, signature: str, *params: object) -> Awaitable[list[Any]]: ...
    def read_lob(self, locator: Any) -> Awaitable[bytes]: ...
    def set_output_converter(self, type: int | str, converter: Callable[[Any], object] | None) -> None: ...
    def set_adapter(self, type: type, adapter: Callable[[Any], object] | None) -> None: ...
    def set_statement_timeout(self, seconds: float | None) -> None: ...
    def round_trips(self) -> tuple[int, int, int]: ...

@final
class AsyncCursor:
    """As `Cursor`; what waits gives an awaitable. One request of a cursor at a time."""

    connection: AsyncConnection
    arraysize: int
    row_factory: Any
    description: list[tuple[Any, ...]] | None
    rowcount: int
    rownumber: int | None
    lastrowid: int | None
    rowid: int | None
    statement_type: int | None
    closed: bool
    scrollable: bool
    batch_errors: list[tuple[int, Exception]]
    batch_rowcounts: list[int | None]
    blob_files: dict[str, bytes]
    virtual_files: dict[str, bytes]

    def execute(
        self, operation: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None
    ) -> Awaitable[None]: ...
    def executemany(
        self,
        operation: str,
        seq_of_parameters: Iterable[Sequence[Any] | Mapping[str, Any]],
        *,
        on_error: Literal["stop", "continue"] = "stop",
        commit_every: int | None = None,
    ) -> Awaitable[None]: ...
    def ingest(
        self,
        table: str,
        data: Any,
        *,
        columns: Sequence[str] | None = None,
        mode: Literal["append", "create"] = "append",
        commit_every: int | None = None,
    ) -> Awaitable[int]: ...
    def callproc(self, procname: str, parameters: Sequence[Any] | None = None) -> Awaitable[Sequence[Any]]: ...
    def fetchone(self) -> Awaitable[Any]: ...
    def fetchmany(self, size: int | None = None) -> Awaitable[list[Any]]: ...
    def fetchall(self) -> Awaitable[list[Any]]: ...
    def fetch_arrow(self, rows: int = 65536, *, floating_decimal: str = "text") -> AsyncArrowBatches: ...
    def read_blob_column(
        self, select_blob_sql: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, sentinel: str = "/tmp/_informix_db_blob"
    ) -> Awaitable[bytes | None]: ...
    def write_blob_column(
        self,
        sql: str,
        blob_data: bytes,
        params: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        sentinel: str = "/tmp/_informix_db_blob_in",
        clob: bool = False,
    ) -> Awaitable[None]: ...
    def scroll(self, value: int, mode: str = "relative") -> Awaitable[None]: ...
    def fetch_first(self) -> Awaitable[Any]: ...
    def fetch_last(self) -> Awaitable[Any]: ...
    def fetch_prior(self) -> Awaitable[Any]: ...
    def fetch_absolute(self, n: int) -> Awaitable[Any]: ...
    def fetch_relative(self, n: int) -> Awaitable[Any]: ...
    def close(self) -> Awaitable[None]: ...
    def __aiter__(self) -> AsyncCursor: ...
    def __anext__(self) -> Awaitable[Any]: ...
