"""Value classes, and adapters and converters of the program's own."""

from __future__ import annotations

import fractions
from decimal import Decimal

import pytest

import informix_db


@pytest.mark.parametrize(
    "months, text, years, rest",
    [(63, "5-03", 5, 3), (-1, "-0-01", 0, -1), (0, "0-00", 0, 0), (-25, "-2-01", -2, -1), (12, "1-00", 1, 0)],
)
def test_interval_of_years_and_months(months, text, years, rest):
    value = informix_db.IntervalYM(months)
    assert (str(value), value.years, value.remainder_months) == (text, years, rest)
    assert value < informix_db.IntervalYM(months + 1)


@pytest.mark.parametrize("kind", [informix_db.BlobLocator, informix_db.ClobLocator])
def test_locators(kind):
    assert kind(bytes(72)) == kind(bytes(72)) and "00" not in repr(kind(bytes(72)))
    with pytest.raises(ValueError, match="72 bytes"):
        kind(b"short")


class Money:
    def __init__(self, cents):
        self.cents = cents


class Special(Money):
    pass


async def test_adapters(face):
    db = await face.connect()
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE ad (u VARCHAR(36), m DECIMAL(10,2))")
    identity = fractions.Fraction(1, 3)
    db.set_adapter(fractions.Fraction, str)
    db.set_adapter(Money, lambda money: Decimal(money.cents) / 100)
    await cur.execute("INSERT INTO ad VALUES (?, ?)", (identity, Special(150)))
    await cur.executemany("INSERT INTO ad VALUES (?, ?)", [(identity, Money(1))])
    await cur.execute("SELECT * FROM ad ORDER BY m")
    assert await cur.fetchall() == [(str(identity), Decimal("0.01")), (str(identity), Decimal("1.50"))]
    db.set_adapter(fractions.Fraction, None)
    with pytest.raises((informix_db.Error, NotImplementedError)):
        await cur.execute("INSERT INTO ad VALUES (?, ?)", (identity, 1))


async def test_converters(face):
    db = await face.connect()
    db.set_output_converter("decimal", float)
    db.set_output_converter(0, str.upper)
    cur = db.cursor()
    await cur.execute("CREATE TEMP TABLE co (d DECIMAL(8,2), c CHAR(5), i INTEGER)")
    await cur.execute("INSERT INTO co VALUES (1.5, 'abc', 3)")
    await cur.execute("INSERT INTO co VALUES (NULL, NULL, NULL)")
    await cur.execute("SELECT * FROM co")
    rows = await cur.fetchall()
    assert rows == [(1.5, "ABC", 3), (None, None, None)] and type(rows[0][0]) is float
    db.set_output_converter("decimal", None)
    await cur.execute("SELECT d FROM co WHERE d IS NOT NULL")
    assert await cur.fetchone() == (Decimal("1.50"),)


async def test_registered_for_all(face):
    informix_db.register_converter("smallint", lambda number: ("small", number))
    informix_db.register_adapter(Money, lambda money: money.cents)
    try:
        cur = (await face.connect()).cursor()
        await cur.execute("CREATE TEMP TABLE re (s SMALLINT)")
        await cur.execute("INSERT INTO re VALUES (?)", (Money(7),))
        await cur.execute("SELECT s FROM re")
        assert await cur.fetchone() == (("small", 7),)
    finally:
        informix_db.register_converter("smallint", None)
        informix_db.register_adapter(Money, None)


async def test_a_converter_that_fails(face):
    """Its exception reaches the program, and the connection stays good."""
    db = await face.connect()
    db.set_output_converter("integer", lambda number: 1 // 0)
    cur = db.cursor()
    await cur.execute("SELECT tabid::INTEGER FROM systables WHERE tabid < 5")
    with pytest.raises(ZeroDivisionError):
        await cur.fetchall()
    db.set_output_converter("integer", None)
    await cur.execute("SELECT tabid FROM systables WHERE tabid = 1")
    assert await cur.fetchall() == [(1,)]
