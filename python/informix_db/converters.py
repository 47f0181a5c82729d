"""Classes for the SQL values that Python has no type for, and hooks for classes of your own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _core

__all__ = [
    "BlobLocator",
    "ClobLocator",
    "CollectionValue",
    "IntervalYM",
    "RowValue",
    "register_adapter",
    "register_converter",
]

LOCATOR_LENGTH = 72
"""Bytes of a smart large object's locator."""


@dataclass(frozen=True, order=True)
class IntervalYM:
    """An INTERVAL of years and months: a signed number of months."""

    months: int

    @property
    def years(self) -> int:
        """Whole years, with the sign of the interval."""
        return -(-self.months // 12) if self.months < 0 else self.months // 12

    @property
    def remainder_months(self) -> int:
        """Months beyond the whole years, with the sign of the interval."""
        return self.months - 12 * self.years

    def __str__(self) -> str:
        years, months = divmod(abs(self.months), 12)
        return f"{'-' if self.months < 0 else ''}{years}-{months:02d}"


def _check_locator(raw: bytes) -> None:
    if len(raw) != LOCATOR_LENGTH:
        raise ValueError(f"a locator has {LOCATOR_LENGTH} bytes, not {len(raw)}")


@dataclass(frozen=True)
class BlobLocator:
    """Stands for the contents of a BLOB, which `Cursor.read_blob_column` and `Connection.read_lob` fetch."""

    raw: bytes

    def __post_init__(self) -> None:
        _check_locator(self.raw)

    def __repr__(self) -> str:
        return f"BlobLocator(<{LOCATOR_LENGTH} bytes>)"


@dataclass(frozen=True)
class ClobLocator:
    """As `BlobLocator`, for a CLOB."""

    raw: bytes

    def __post_init__(self) -> None:
        _check_locator(self.raw)

    def __repr__(self) -> str:
        return f"ClobLocator(<{LOCATOR_LENGTH} bytes>)"


@dataclass(frozen=True)
class RowValue:
    """A value of a ROW type, as the server wrote it."""

    raw: bytes
    """Text of the value in the connection's code set: `ROW('Alice',30         )`."""
    schema: str
    """The type: `ROW(name varchar(50), age integer)`."""

    def __repr__(self) -> str:
        return f"RowValue(<{len(self.raw)} bytes>, schema={self.schema!r})"


@dataclass(frozen=True)
class CollectionValue:
    """A SET, MULTISET or LIST, as the server wrote it."""

    raw: bytes
    """Text of the value in the connection's code set: `SET{1,2}`."""
    kind: str
    """`set`, `multiset`, `list` or `collection`."""
    element_schema: str
    """The type of the elements."""

    def __repr__(self) -> str:
        return f"CollectionValue(<{len(self.raw)} bytes>, kind={self.kind!r}, element_schema={self.element_schema!r})"


_converters: dict[int | str, Callable[[Any], object]] = {}
_lock = threading.Lock()


def register_adapter(type: type, adapter: Callable[[Any], object] | None) -> None:
    """Makes instances of a class, and of its subclasses, usable as parameters.

    The adapter turns an instance into a value of a type that the driver knows, which is tried first. None removes it.
    `Connection.set_adapter` does the same for one connection.
    """
    _core.register_adapter(type, adapter)


def register_converter(type: int | str, converter: Callable[[Any], object] | None) -> None:
    """Sends values of an SQL type through a function when they are read, on connections made from now on.

    `type` is a number of `Cursor.description` or a name such as "decimal". NULL is never converted. None removes it.
    `Connection.set_output_converter` does the same for one connection.
    """
    with _lock:
        if converter is None:
            _converters.pop(type, None)
        else:
            _converters[type] = converter


def _apply_converters(connection: _core.Connection | _core.AsyncConnection) -> None:
    """Gives a new connection the registered converters."""
    if _converters:
        with _lock:
            registered = list(_converters.items())
        for type, converter in registered:
            connection.set_output_converter(type, converter)
