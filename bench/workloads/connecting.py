"""Connections made and ended."""

from __future__ import annotations

from .operation import Operation, Session, workload


@workload
def connect_close(session: Session) -> Operation:
    """Connect with a database, and close."""
    return Operation(lambda: session.connect().close())


@workload
def connect_close_locale(session: Session) -> Operation:
    """The same with the locale given, so that nobody has to ask the database for it."""
    return Operation(lambda: session.connect(client_locale="en_US.8859-1").close())
