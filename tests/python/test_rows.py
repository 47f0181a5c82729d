"""Row classes and factories."""

from __future__ import annotations

import copy
import pickle

import pytest

from informix_db import Row, dict_factory, namedtuple_factory
from informix_db.rows import make_row_class, row_maker


class Custom(Row):
    """A subclass of the program's own."""

    def total(self):
        return sum(self)


def test_access():
    row = make_row_class(("a", "b"))((1, 2))
    assert (row[0], row["b"], row.a, row[-1], row[0:1], row.keys(), row._fields) == (1, 2, 1, 2, (1,), ("a", "b"), ("a", "b"))
    assert row == (1, 2) and hash(row) == hash((1, 2)) and isinstance(row, tuple)
    with pytest.raises(KeyError, match="no column named 'c'"):
        row["c"]
    with pytest.raises(AttributeError, match="this row has"):
        row.c  # noqa: B018


def test_columns_hide_methods():
    row = make_row_class(("count", "keys", "_fields", "class"))((1, 2, 3, 4))
    assert (row.count, row.keys, row._fields, getattr(row, "class")) == (1, 2, 3, 4)
    assert Row.keys(row) == ("count", "keys", "_fields", "class")


def test_copies():
    row = make_row_class(("a", "a"))((1, [2]))
    for twin in (pickle.loads(pickle.dumps(row)), copy.copy(row), copy.deepcopy(row)):
        assert twin == row and twin.a == 1 and type(twin) is type(row)
    assert row._asdict() == {"a": [2]}


def test_subclasses():
    make = row_maker(Custom, ("x", "y"))
    row = make((1, 2))
    assert row.total() == 3 and row.y == 2 and repr(row) == "Custom(x=1, y=2)"
    twin = pickle.loads(pickle.dumps(row))
    assert twin.total() == 3 and isinstance(twin, Custom)


def test_factories():
    assert row_maker(None, ("a",)) is None
    assert row_maker(dict_factory, ("a", "b", "a"))((1, 2, 3)) == {"a": 3, "b": 2}
    row = row_maker(namedtuple_factory, ("a", "(count(*))", "a"))((1, 2, 3))
    assert (row.a, row._1, row._2) == (1, 2, 3)
