"""PEP 249's type objects and constructors.

A type object equals the type codes (SQLI numbers) in `Cursor.description` that belong to it.
"""

from __future__ import annotations

import datetime
import time
from typing import Any, final

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Date",
    "DateFromTicks",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
]


@final
class DBAPIType:
    """A group of SQL types."""

    __slots__ = ("_codes", "_name")

    def __init__(self, name: str, *codes: int) -> None:
        self._name = name
        self._codes = frozenset(codes)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return other in self._codes
        if isinstance(other, DBAPIType):
            return self._codes == other._codes
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._codes)

    def __repr__(self) -> str:
        return f"informix_db.{self._name}"

    @property
    def codes(self) -> frozenset[int]:
        """The type codes of the group."""
        return self._codes


# CHAR, TEXT, VARCHAR, NCHAR, NVARCHAR, LVARCHAR (in results as a type of variable length, 40)
STRING = DBAPIType("STRING", 0, 12, 13, 15, 16, 40, 43)
# BYTE, and the types of fixed length: BLOB and CLOB as locators, but BOOLEAN too
BINARY = DBAPIType("BINARY", 11, 41)
# SMALLINT, INTEGER, FLOAT, SMALLFLOAT, DECIMAL, SERIAL, MONEY, INT8, SERIAL8, BOOLEAN, BIGINT, BIGSERIAL
NUMBER = DBAPIType("NUMBER", 1, 2, 3, 4, 5, 6, 8, 17, 18, 45, 52, 53)
# DATE, DATETIME, INTERVAL
DATETIME = DBAPIType("DATETIME", 7, 10, 14)
# SERIAL, SERIAL8, BIGSERIAL: what `Cursor.lastrowid` gives
ROWID = DBAPIType("ROWID", 6, 18, 53)

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime


def DateFromTicks(ticks: float) -> datetime.date:
    """Local date of a time in seconds since the epoch."""
    return datetime.date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> datetime.time:
    """Local time of day of a time in seconds since the epoch."""
    return datetime.time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    """Local date and time of a time in seconds since the epoch."""
    return datetime.datetime(*time.localtime(ticks)[:6])


def Binary(data: Any) -> bytes:
    """A value for BYTE, TEXT or BLOB, from anything that has bytes. Text is encoded as UTF-8."""
    return data.encode() if isinstance(data, str) else bytes(data)
