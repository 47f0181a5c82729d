"""Arrow out: types, places, ends and errors."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow

ROW = (1, "abc", 1.5, Decimal("12345.67"), datetime.date(2024, 5, 6))


def test_five_types_and_null(cursor):
    cursor.execute("CREATE TEMP TABLE five (i INTEGER, c CHAR(20), f FLOAT, d DECIMAL(16,2), t DATE)")
    cursor.executemany("INSERT INTO five VALUES (?, ?, ?, ?, ?)", [ROW, (None,) * 5])
    cursor.execute("SELECT * FROM five")
    table = cursor.fetch_arrow_table()
    assert (table.num_rows, table.num_columns, table.column_names) == (2, 5, ["i", "c", "f", "d", "t"])
    assert table.schema.splitlines()[3] == "d: Decimal128(16, 2) (decimal(16,2))"
    read = pyarrow.table(table)
    assert [tuple(row.values()) for row in read.to_pylist()] == [ROW, (None,) * 5]
    assert read.schema.field("d").type == pyarrow.decimal128(16, 2)
    assert read.schema.field("d").metadata == {b"informix.type": b"decimal(16,2)"}
