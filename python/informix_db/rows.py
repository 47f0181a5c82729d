"""Rows by name: `Row`, and factories for dicts and named tuples.

A row factory is given to `connect(row_factory=…)` or set on a connection or cursor. It is `Row` (or a subclass), or a
function that gets the tuple of column names, once per executed statement, and returns a function that turns each
row's tuple into what the fetch methods return.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, ClassVar

__all__ = ["Row", "RowFactory", "dict_factory", "make_row_class", "namedtuple_factory"]

RowFactory = Callable[[tuple[str, ...]], Callable[[tuple[Any, ...]], Any]]
"""A row factory that is not a class derived from `Row`."""


class Row(tuple[Any, ...]):
    """A tuple whose columns have names too: `row[0]`, `row["name"]`, `row.name`.

    When two columns have the same name, the first one is found by it. A column whose name is that of a method (`count`,
    `index`, `keys`, …) hides the method: `Row.keys(row)` still works.
    """

    __slots__ = ()
    # Private names, for a column may be called `_fields`.
    __names: ClassVar[tuple[str, ...]] = ()
    __positions: ClassVar[dict[str, int]] = {}
    __base: ClassVar[type[Row]]

    def __getitem__(self, key: Any) -> Any:
        if type(key) is str:
            try:
                key = self.__positions[key]
            except KeyError:
                raise KeyError(self.__unknown(key)) from None
        return tuple.__getitem__(self, key)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self.__unknown(name))

    def __unknown(self, name: str) -> str:
        return f"no column named {name!r}; this row has {list(self.__names)}"

    @property
    def _fields(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.__names

    def keys(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.__names

    def _asdict(self) -> dict[str, Any]:
        """The row as a dict. Of columns with the same name the last one stays."""
        return dict(zip(self.__names, self))

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}={value!r}" for name, value in zip(self.__names, self))
        return f"{self.__base.__name__}({columns})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The class exists at run time only: its base and the names are what is pickled.
        return _restore, (self.__base, self.__names, tuple(self))


Row._Row__base = Row  # type: ignore[attr-defined]

_RESERVED = frozenset(
    name for name in dir(Row) if not name.startswith("__") and not name.startswith("_Row")
)
"""What `Row` has besides the columns. A column of such a name hides it."""


def _restore(base: type[Row], names: tuple[str, ...], values: tuple[Any, ...]) -> Row:
    return _row_class(base, names)(values)


def _build(base: type[Row], names: tuple[str, ...]) -> type[Row]:
    positions: dict[str, int] = {}
    for position, name in enumerate(names):
        positions.setdefault(name, position)
    members: dict[str, Any] = {
        "__slots__": (),
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        "__doc__": base.__doc__,
        "_Row__names": names,
        "_Row__positions": positions,
        "_Row__base": base,
    }
    for name, position in positions.items():
        # A dunder belongs to the object protocol: such a column is found by `row["…"]` alone.
        if name.isidentifier() and not name.startswith(("__", "_Row__")):
            members[name] = property(itemgetter(position))
    return type(base.__name__, (base,), members)


@lru_cache(maxsize=256)
def make_row_class(names: tuple[str, ...]) -> type[Row]:
    """The class of rows with these column names: `make_row_class(("a", "b"))((1, 2)).b`. Kept for the last 256 shapes."""
    return _build(Row, names)


_subclasses = lru_cache(maxsize=256)(_build)


def _row_class(base: type[Row], names: tuple[str, ...]) -> type[Row]:
    return make_row_class(names) if base is Row else _subclasses(base, names)


def dict_factory(names: tuple[str, ...]) -> Callable[[tuple[Any, ...]], dict[str, Any]]:
    """Row factory for dicts. Of columns with the same name the last one stays."""

    def make(values: tuple[Any, ...]) -> dict[str, Any]:
        return dict(zip(names, values))

    return make


def namedtuple_factory(names: tuple[str, ...]) -> Callable[[tuple[Any, ...]], Any]:
    """Row factory for `collections.namedtuple`. Names that cannot be attributes, or come twice, become `_0`, `_1`, …"""
    make: Callable[[tuple[Any, ...]], Any] = _namedtuple_class(names)._make  # type: ignore[attr-defined]
    return make


@lru_cache(maxsize=256)
def _namedtuple_class(names: tuple[str, ...]) -> type[tuple[Any, ...]]:
    return namedtuple("Row", names, rename=True)


def row_maker(factory: Any, names: Sequence[str]) -> Callable[[tuple[Any, ...]], Any] | None:
    """What turns the tuples of one result into rows; None = the tuples stay. Called by the core once per statement."""
    if factory is None or factory is tuple:
        return None
    names = tuple(names)
    if isinstance(factory, type) and issubclass(factory, Row):
        return partial(tuple.__new__, _row_class(factory, names))
    maker: Callable[[tuple[Any, ...]], Any] = factory(names)
    return maker
