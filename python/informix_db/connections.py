"""The connection: `_core.Connection` and what PEP 249 and existing programs expect beside it."""

from __future__ import annotations

from typing import Any

from . import _core, exceptions
from ._capabilities import ServerCapabilities
from .converters import _apply_converters
from .cursors import Cursor

__all__ = ["Connection"]


class Connection(_core.Connection):
    """One session with the server. Made by `informix_db.connect`, whose parameters it has.

    Threads may share it: its operations follow each other. It works as a context manager, which closes it and neither
    commits nor rolls back.
    """

    Warning = exceptions.Warning
    Error = exceptions.Error
    InterfaceError = exceptions.InterfaceError
    DatabaseError = exceptions.DatabaseError
    DataError = exceptions.DataError
    OperationalError = exceptions.OperationalError
    IntegrityError = exceptions.IntegrityError
    InternalError = exceptions.InternalError
    ProgrammingError = exceptions.ProgrammingError
    NotSupportedError = exceptions.NotSupportedError

    _capabilities: ServerCapabilities | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Connected by __new__.
        _apply_converters(self)

    def cursor(self, *, scrollable: bool = False) -> Cursor:
        """A new cursor. With `scrollable` its rows stay on the server, which moves in them."""
        return Cursor(self, scrollable=scrollable)

    @property
    def server_capabilities(self) -> ServerCapabilities:
        """What the server can do, from its login reply: no round trip."""
        if self._capabilities is None:
            self._capabilities = capabilities_of(self)
        return self._capabilities

    @property
    def _in_transaction(self) -> bool:
        return self.in_transaction


def capabilities_of(connection: _core.Connection | _core.AsyncConnection) -> ServerCapabilities:
    """Reads what the server answered when a connection was made."""
    cap_1, cap_2, cap_3, version, serial_number, application = connection.login_reply
    return ServerCapabilities.from_wire(
        connection.capability_mask,
        cap_1=cap_1,
        cap_2=cap_2,
        cap_3=cap_3,
        server_version=version,
        serial_number=serial_number,
        applid_name=application,
    )
