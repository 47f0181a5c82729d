"""Connections and cursors for asyncio: coroutines around the core's awaitables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

from .. import _core
from .._capabilities import ServerCapabilities
from .._parameters import core_arguments
from ..connections import capabilities_of
from ..converters import _apply_converters
from ..exceptions import InterfaceError

__all__ = ["AsyncConnection", "AsyncCursor", "connect"]

Parameters = Sequence[Any] | Mapping[str, Any]


class AsyncConnection:
    """One session with the server, on one event loop. Made by `connect`.

    Tasks may share it: their operations follow each other. `async with` closes it and neither commits nor rolls back.
    """

    def __init__(self, core: _core.AsyncConnection) -> None:
        self._core = core
        self._capabilities: ServerCapabilities | None = None
        _apply_converters(core)

    @classmethod
    async def connect(cls, *args: Any, **kwargs: Any) -> AsyncConnection:
        """Opens a connection; parameters as `informix_db.connect`."""
        return cls(await _core.AsyncConnection.connect(**core_arguments(*args, **kwargs)))

    @property
    def closed(self) -> bool:
        """Whether it was closed, or broke."""
        return self._core.closed

    @property
    def autocommit(self) -> bool:
        """Without it a transaction begins in front of the first statement."""
        return self._core.autocommit

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        self._core.autocommit = value

    @property
    def row_factory(self) -> Any:
        """For new cursors; see `informix_db.rows`."""
        return self._core.row_factory

    @row_factory.setter
    def row_factory(self, value: Any) -> None:
        self._core.row_factory = value

    @property
    def encoding(self) -> str:
        """Python name of the codec of the connection's locale."""
        return self._core.encoding

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, as far as the driver knows."""
        return self._core.in_transaction

    @property
    def database(self) -> str | None:
        """The open database."""
        return self._core.database

    @property
    def server_version_internal(self) -> str:
        """Version text of the login reply."""
        return self._core.server_version_internal

    @property
    def server_capabilities(self) -> ServerCapabilities:
        """What the server can do, from its login reply: no round trip."""
        if self._capabilities is None:
            self._capabilities = capabilities_of(self._core)
        return self._capabilities

    def cursor(self, *, scrollable: bool = False) -> AsyncCursor:
        """A new cursor, at once. `await connection.cursor()` gives the same, `async with` closes it at the end."""
        if self._core.closed:
            raise InterfaceError("the connection is closed")
        return AsyncCursor(self, self._core.cursor(scrollable=True) if scrollable else self._core.cursor())

    async def commit(self) -> None:
        """Commits; nothing happens when no transaction is open. Runs to its end even when the task is cancelled."""
        await self._core.commit()

    async def rollback(self) -> None:
        """As `commit`, rolling back."""
        await self._core.rollback()

    async def begin(self) -> None:
        """Begins a transaction, with autocommit too."""
        await self._core.begin()

    async def close(self) -> None:
        """Ends the session; uncommitted work is rolled back by the server."""
        await self._core.close()

    def abort(self) -> None:
        """Cuts the socket at once."""
        self._core.abort()

    def cancel(self) -> bool:
        """Cancels the running statement, which then fails with SQLCODE -213. False when none runs."""
        return self._core.cancel()

    async def ping(self) -> None:
        """One round trip."""
        await self._core.ping()

    def is_alive(self) -> bool:
        """Whether the socket is open and silent: nothing is sent."""
        return self._core.is_alive()

    async def server_version(self) -> str:
        """The public version text: one query at the first call."""
        version: str = await self._core.server_version()
        return version

    async def fast_path_call(self, signature: str, *params: object) -> list[Any]:
        """Calls a routine by the fast path: `function informix.ifx_lo_close(integer)`."""
        results: list[Any] = await self._core.fast_path_call(signature, *params)
        return results

    async def read_lob(self, locator: Any) -> bytes:
        """The whole contents of a BlobLocator or ClobLocator, as bytes."""
        contents: bytes = await self._core.read_lob(locator)
        return contents

    def set_output_converter(self, type: int | str, converter: Callable[[Any], object] | None) -> None:
        """See `informix_db.register_converter`; for this connection."""
        self._core.set_output_converter(type, converter)

    def set_adapter(self, type: type, adapter: Callable[[Any], object] | None) -> None:
        """See `informix_db.register_adapter`; for this connection."""
        self._core.set_adapter(type, adapter)

    async def __aenter__(self) -> AsyncConnection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncCursor:
    """Runs statements and hands their rows out. Made by `AsyncConnection.cursor`."""

    def __init__(self, connection: AsyncConnection, core: _core.AsyncCursor) -> None:
        self._connection = connection
        self._core = core

    def __await__(self) -> Generator[Any, None, AsyncCursor]:
        # For programs that write `await connection.cursor()`.
        yield from ()
        return self

    @property
    def connection(self) -> AsyncConnection:
        """The cursor's connection."""
        return self._connection

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """(name, SQLI type number, encoded length, encoded length, 0, 0, null_ok) per column."""
        return self._core.description

    @property
    def rowcount(self) -> int:
        """Rows of the last statement; -1 when not known."""
        return self._core.rowcount

    @property
    def rownumber(self) -> int | None:
        """Index of the row last handed out, from 0."""
        return self._core.rownumber

    @property
    def lastrowid(self) -> int | None:
        """SERIAL, SERIAL8 or BIGSERIAL value of the last INSERT."""
        return self._core.lastrowid

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._core.closed

    @property
    def arraysize(self) -> int:
        """Rows of a `fetchmany` without a number."""
        return self._core.arraysize

    @arraysize.setter
    def arraysize(self, value: int) -> None:
        self._core.arraysize = value

    @property
    def row_factory(self) -> Any:
        """See `informix_db.rows`."""
        return self._core.row_factory

    @row_factory.setter
    def row_factory(self, value: Any) -> None:
        self._core.row_factory = value

    @property
    def blob_files(self) -> dict[str, bytes]:
        """What the server wrote to client files (`lotofile(…, 'client')`): kept in memory."""
        return self._core.blob_files

    @property
    def virtual_files(self) -> dict[str, bytes]:
        """What the server may read as client files (`filetoblob(…, 'client')`)."""
        return self._core.virtual_files

    async def execute(self, operation: str, parameters: Parameters | None = None) -> None:
        """Runs a statement. `?`, `:1` and `:name` stand for parameters."""
        await self._core.execute(operation, parameters)

    @property
    def batch_errors(self) -> list[tuple[int, Exception]]:
        """What the last `executemany(…, on_error="continue")` could not execute: number of the row from 0, and its error."""
        return self._core.batch_errors

    @property
    def batch_rowcounts(self) -> list[int | None]:
        """Rows that each row of the last `executemany` has changed; None for one that failed, or of which it is not known."""
        return self._core.batch_rowcounts

    async def executemany(
        self,
        operation: str,
        seq_of_parameters: Iterable[Parameters],
        *,
        on_error: Literal["stop", "continue"] = "stop",
        commit_every: int | None = None,
    ) -> None:
        """Runs a statement once for each set of parameters, without waiting in between.

        `on_error="continue"` executes the other rows all the same (see `batch_errors`); `commit_every` commits after every so
        many rows.
        """
        await self._core.executemany(operation, seq_of_parameters, on_error=on_error, commit_every=commit_every)

    async def ingest(
        self,
        table: str,
        data: Any,
        *,
        columns: Sequence[str] | None = None,
        mode: Literal["append", "create"] = "append",
        commit_every: int | None = None,
    ) -> int:
        """Inserts Arrow data into a table; see `Cursor.ingest`. The loop waits while the data's stream gives a batch."""
        rows: int = await self._core.ingest(table, data, columns=columns, mode=mode, commit_every=commit_every)
        return rows

    async def callproc(self, procname: str, parameters: Sequence[Any] = ()) -> Sequence[Any]:
        """Calls a routine; its results are fetched like rows."""
        results: Sequence[Any] = await self._core.callproc(procname, parameters)
        return results

    async def fetchone(self) -> Any:
        """The next row; None at the end."""
        return await self._core.fetchone()

    async def fetchmany(self, size: int | None = None) -> list[Any]:
        """The next rows, `arraysize` when no number is given."""
        rows: list[Any] = await self._core.fetchmany(size)
        return rows

    async def fetchall(self) -> list[Any]:
        """The rest of the rows."""
        rows: list[Any] = await self._core.fetchall()
        return rows

    async def fetch_arrow_table(self, *, floating_decimal: str = "text") -> _core.ArrowTable:
        """The rows that are left as an Arrow table; see `Cursor.fetch_arrow_table`."""
        rows = self._core.fetch_arrow(1 << 20, floating_decimal=floating_decimal)
        while (table := await rows.table()) is None:
            pass
        done: _core.ArrowTable = table
        return done

    async def fetch_arrow_batches(
        self, rows: int = 65536, *, floating_decimal: str = "text"
    ) -> AsyncIterator[_core.ArrowBatch]:
        """The rows that are left in Arrow batches of at most `rows`, fetched while they are read."""
        batches = self._core.fetch_arrow(rows, floating_decimal=floating_decimal)
        while (batch := await batches.next()) is not None:
            yield batch

    async def scroll(self, value: int, mode: str = "relative") -> None:
        """Moves to another row, so that the next fetch gives the one after it."""
        await self._core.scroll(value, mode)

    async def fetch_first(self) -> Any:
        """The first row."""
        return await self._core.fetch_first()

    async def fetch_last(self) -> Any:
        """The last row."""
        return await self._core.fetch_last()

    async def fetch_prior(self) -> Any:
        """The row before the current one."""
        return await self._core.fetch_prior()

    async def fetch_absolute(self, n: int) -> Any:
        """The row of an index, from 0; negative ones count from the end."""
        return await self._core.fetch_absolute(n)

    async def fetch_relative(self, n: int) -> Any:
        """The row so many rows after the current one."""
        return await self._core.fetch_relative(n)

    async def read_blob_column(
        self, sql: str, params: Sequence[Any] = (), *, sentinel: str = "/tmp/_informix_db_blob"
    ) -> bytes | None:
        """Contents of a BLOB or CLOB column of the first row of `SELECT column FROM …`."""
        contents: bytes | None = await self._core.read_blob_column(sql, params, sentinel=sentinel)
        return contents

    async def write_blob_column(
        self,
        sql: str,
        blob_data: bytes,
        params: Sequence[Any] = (),
        *,
        sentinel: str = "/tmp/_informix_db_blob_in",
        clob: bool = False,
    ) -> None:
        """Runs an INSERT or UPDATE with the contents in place of `BLOB_PLACEHOLDER`."""
        await self._core.write_blob_column(sql, blob_data, params, sentinel=sentinel, clob=clob)

    async def close(self) -> None:
        """Ends the statement."""
        await self._core.close()

    def __aiter__(self) -> AsyncCursor:
        return self

    def __anext__(self) -> Awaitable[Any]:
        return self._core.__anext__()

    async def __aenter__(self) -> AsyncCursor:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def connect(*args: Any, **kwargs: Any) -> AsyncConnection:
    """Opens a connection; parameters as `informix_db.connect`."""
    return await AsyncConnection.connect(*args, **kwargs)
