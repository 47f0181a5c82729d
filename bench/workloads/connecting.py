"""Connections made and ended."""

from __future__ import annotations

from .operation import Operation, Session, workload


@workload
def connect_close(session: Session) -> Operation:
    """Connect with a database, and close."""
    return Operation(lambda: session.connect().close())
