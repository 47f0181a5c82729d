"""Every column type with values: extremes, NULL, odd and even lengths. Shared by the tests of values."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from informix_db import IntervalYM


@dataclass(frozen=True)
class Kind:
    """A column type and what is stored in it. A pair (given, read) where what comes back differs."""

    sql: str
    code: int
    values: tuple[Any, ...]

    def pairs(self):
        """(given, read back) for each value."""
        return [value if isinstance(value, tuple) else (value, value) for value in self.values]


D = Decimal
DT = datetime.datetime
TD = datetime.timedelta
LATIN = "äöüßÄÖÜ"

KINDS = [
    Kind("SMALLINT", 1, (0, 1, -1, 32767, -32767)),
    Kind("INTEGER", 2, (0, 1, -1, 2147483647, -2147483647)),
    Kind("BIGINT", 52, (0, -1, 9223372036854775807, -9223372036854775807)),
    Kind("INT8", 17, (0, -1, 9223372036854775807, -9223372036854775807, 4294967296)),
    Kind("FLOAT", 3, (0.0, -1.5, 1e300, -1e-300, 3.141592653589793)),
    Kind("SMALLFLOAT", 4, (0.0, -1.5, 1024.25)),
    Kind("DECIMAL(10,4)", 5, (D("1234.5678"), D("-0.0001"), D("0.5000"), D("0.0000"), (1, D("1.0000")), (2.5, D("2.5000")))),
    Kind("DECIMAL(5,2)", 5, (D("999.99"), D("-999.99"), D("0.01"))),
    Kind("DECIMAL(32,0)", 5, (D("9" * 32), D("-" + "9" * 32), D(0))),
    Kind("DECIMAL(32,32)", 5, (D("0." + "9" * 32), D("-0." + "0" * 31 + "1"))),
    Kind("DECIMAL(16)", 5, (D("1E-130"), D("1E+120"), D("123.45"), D("-1234567890.123456"))),
    Kind("DECIMAL(15)", 5, (D("1E-130"), D("123.45"), D("-99999.9999"))),
    Kind("DECIMAL(32)", 5, (D("12345678901234567890.123456789012"), D("-1E-100"))),
    Kind("DECIMAL(5)", 5, (D("123.45"), D("-0.00012345"))),
    Kind("MONEY(12,2)", 8, (D("9.99"), D("-9999999999.99"), D("0.00"))),
    Kind("CHAR(1)", 0, ("a", (" ", ""), ("", ""))),
    Kind("CHAR(20)", 0, ("text", "x" * 20, ("", ""), ("pad  ", "pad"), LATIN)),
    Kind("CHAR(7)", 0, ("seven77", "odd")),
    Kind("NCHAR(8)", 15, ("text", LATIN)),
    Kind("VARCHAR(255)", 13, ("", "a", "ab", "x" * 254, "y" * 255, " keeps ", LATIN)),
    Kind("NVARCHAR(40)", 16, ("", "odd", "even", LATIN)),
    Kind("LVARCHAR(3000)", 40, ("", "a", "ab", "x" * 255, "y" * 256, "z" * 2047, "w" * 3000, LATIN)),
    Kind("BOOLEAN", 41, (True, False)),
    Kind(
        "DATE",
        7,
        tuple(datetime.date(*day) for day in ((1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (9999, 12, 31), (1, 1, 1), (2024, 2, 29))),
    ),
    Kind("DATETIME YEAR TO SECOND", 10, (DT(1, 1, 1, 0, 0, 1), DT(99, 5, 6, 7, 8, 9), DT(2024, 2, 29, 23, 59, 59), DT(9999, 12, 31))),
    Kind(
        "DATETIME YEAR TO FRACTION(5)",
        10,
        (
            DT(2018, 9, 8, 21, 0, 30, 10),
            DT(2018, 9, 8, 21, 0, 30, 999990),
            (DT(2018, 9, 8, 21, 0, 30, 123456), DT(2018, 9, 8, 21, 0, 30, 123450)),
            DT(1970, 1, 1),
        ),
    ),
    Kind("DATETIME YEAR TO FRACTION(3)", 10, ((DT(2018, 9, 8, 21, 0, 30, 123456), DT(2018, 9, 8, 21, 0, 30, 123000)),)),
    Kind("DATETIME YEAR TO MINUTE", 10, ((DT(2018, 9, 8, 21, 7, 30), DT(2018, 9, 8, 21, 7)),)),
    Kind("DATETIME YEAR TO DAY", 10, (datetime.date(2018, 9, 8), datetime.date(1, 1, 1))),
    Kind("DATETIME HOUR TO SECOND", 10, (datetime.time(0, 0, 0), datetime.time(0, 0, 9), datetime.time(0, 59, 1), datetime.time(23, 59, 59))),
    Kind("DATETIME HOUR TO MINUTE", 10, (datetime.time(0, 5), datetime.time(13, 0))),
    Kind("DATETIME HOUR TO FRACTION(5)", 10, (datetime.time(0, 0, 0, 10), datetime.time(12, 30, 0, 999990))),
    Kind("INTERVAL DAY(9) TO FRACTION(5)", 14, (TD(0), TD(days=999999999, seconds=86399), -TD(days=3, hours=1), TD(microseconds=10), -TD(microseconds=99990))),
    Kind("INTERVAL HOUR(3) TO SECOND", 14, (TD(hours=999, minutes=59, seconds=59), -TD(seconds=1), TD(0))),
    Kind("INTERVAL YEAR(9) TO MONTH", 14, (IntervalYM(0), IntervalYM(63), IntervalYM(-1), IntervalYM(999999999 * 12 + 11))),
    Kind("INTERVAL MONTH(4) TO MONTH", 14, (IntervalYM(9999), IntervalYM(-13))),
    Kind("BYTE", 11, (b"\x00\xff", b"a", b"", bytes(range(256)) * 20)),
    Kind("TEXT", 12, ("x", "", "ab", "z" * 4097, LATIN)),
]

BY_NAME = {kind.sql: kind for kind in KINDS}
