"""executemany: the same bytes as execute, errors by row, transactions in pieces, large batches."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

import informix_db
from kinds import KINDS
from proxy import Proxy, shut


async def stored(cur, table):
    await cur.execute(f"SELECT i FROM {table} ORDER BY i")
    return [row[0] for row in await cur.fetchall()]


async def keyed(cur, table="k"):
    await cur.execute(f"CREATE TEMP TABLE {table} (i INTEGER PRIMARY KEY, t VARCHAR(40))")


# -- the bytes


class Recorder(Proxy):
    """Keeps what the client sends."""

    def __init__(self, port):
        self.sent = bytearray()
        super().__init__(port)

    def pump(self, source, target):
        try:
            is_client = target.getpeername() == self.target
            while data := source.recv(65536):
                if is_client:
                    self.sent += data
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            shut(one)


BIND, EOT = b"\x00\x05", b"\x00\x0c"


@pytest.mark.parametrize("kind", [*KINDS, None], ids=lambda kind: kind.sql if kind else "all in one")
def test_the_bytes_are_those_of_execute(server, connect, request, kind):
    """Each row between its BIND and its EXECUTE, whatever the column's type."""
    recorder = Recorder(server.port)
    request.addfinalizer(recorder.close)
    cur = connect(host="127.0.0.1", port=recorder.port).cursor()
    if kind is None:
        columns, rows = mixed()
    else:
        columns, rows = ["INTEGER", kind.sql], [(n, given) for n, (given, _) in enumerate([*kind.pairs(), (None, None)])]
    cur.execute("CREATE TEMP TABLE same (" + ", ".join(f"c{n} {sql}" for n, sql in enumerate(columns)) + ")")
    insert = "INSERT INTO same VALUES (" + ", ".join("?" for _ in columns) + ")"
    # Prepared from here on, so that both know the columns.
    cur.executemany(insert, rows[:1])
    singles = []
    for row in rows:
        recorder.sent.clear()
        cur.execute(insert, row)
        sent = bytes(recorder.sent)
        singles.append(sent[sent.index(BIND) : -len(EOT)])
    recorder.sent.clear()
    cur.executemany(insert, rows)
    assert b"".join(singles) in bytes(recorder.sent)
    assert bytes(recorder.sent).count(b"".join(singles)) == 1
    assert cur.batch_rowcounts == [1] * len(rows)


def mixed():
    """Rows in which each column has values of several Python types."""
    day = datetime.date(2024, 2, 29)
    columns = ["INTEGER", "DECIMAL(16,4)", "CHAR(30)", "VARCHAR(60)", "FLOAT", "DATE", "BOOLEAN", "LVARCHAR(300)", "MONEY(10,2)"]
    rows = [
        (1, Decimal("12.5"), "text", "", 1.5, day, True, "l", Decimal("1.25")),
        (Decimal(2), 3, None, "äöü", 2, None, False, "ä" * 100, 7),
        (None, None, 17, 2.5, None, "1999-12-31", None, None, None),
        ("4", "5.5", Decimal("-1E-3"), day, Decimal("2.50"), day, "t", 12, 1.5),
        (5.0, 2.25, datetime.datetime(2024, 1, 2, 3, 4, 5), "x" * 60, "3", day, True, "z" * 299, "2"),
    ]
    return columns, rows


async def test_types_may_change_within_a_column(cur):
    await cur.execute("CREATE TEMP TABLE mix (i INTEGER, d DECIMAL(16,4), t VARCHAR(30))")
    rows = [(0, 1, "a"), (1, Decimal("2.5"), 5), (2, None, None), (3, 1.5, Decimal("7.25")), (4, "3.25", datetime.date(2024, 5, 6))]
    await cur.executemany("INSERT INTO mix VALUES (?, ?, ?)", rows)
    await cur.execute("SELECT d, t FROM mix ORDER BY i")
    found = await cur.fetchall()
    assert [d for d, _ in found] == [Decimal(1), Decimal("2.5"), None, Decimal("1.5"), Decimal("3.25")]
    assert found[1][1] == "5" and found[2][1] is None


@pytest.mark.parametrize("in_place", [True, False])
async def test_decimals_by_layout_and_by_text(cur, in_place):
    samples = [Decimal(t) for t in ("0", "-0.00", "1", "-1.5", "1E+5", "1E-130", "9" * 32, "-" + "9" * 19, "1" + "0" * 19, "12345678901234567890.12")]
    informix_db._core.decimals_in_place(in_place)
    try:
        await cur.execute("CREATE TEMP TABLE dec (i INTEGER, d DECIMAL(32))")
        await cur.executemany("INSERT INTO dec VALUES (?, ?)", list(enumerate(samples)))
        for wrong in (Decimal("NaN"), Decimal("Infinity"), Decimal("-sNaN"), Decimal("9" * 33), Decimal("1E+200")):
            with pytest.raises(informix_db.DataError, match=r"executemany row 1/2: parameter 2 \(Decimal\)"):
                await cur.executemany("INSERT INTO dec VALUES (?, ?)", [(1, 1), (2, wrong)])
    finally:
        informix_db._core.decimals_in_place(True)
    await cur.execute("SELECT d FROM dec ORDER BY i")
    assert [row[0] for row in await cur.fetchall()] == samples


# -- errors by row


async def test_a_mistake_in_a_list_is_told_before_anything_is_sent(cur):
    await keyed(cur)
    for bad, said in (
        ((5, object()), r"row 5000/5001: parameter 2: values of type object"),
        ((2**200, "x"), r"row 5000/5001: parameter 1 \(int\)"),
        ((5, float("nan")), r"row 5000/5001: parameter 2 \(float\)"),
    ):
        rows = [*((i, "x") for i in range(5000)), bad]
        for kind in (list, tuple):
            with pytest.raises((informix_db.Error, NotImplementedError), match=said) as error:
                await cur.executemany("INSERT INTO k VALUES (?, ?)", kind(rows))
            assert error.value.row == 5000
    assert await stored(cur, "k") == []


@pytest.mark.parametrize("wrong", [0, 1, 511, 512, 1023, 1999], ids=str)
@pytest.mark.parametrize("in_transaction", [False, True], ids=["autocommit", "transaction"])
async def test_stop_at_the_first_error(db, cur, wrong, in_transaction):
    await keyed(cur)
    await cur.execute("INSERT INTO k VALUES (?, 'there')", (5000,))
    rows = [(i, "x") for i in range(2000)]
    rows[wrong] = (5000, "twice")
    if in_transaction:
        await db.begin()
    with pytest.raises(informix_db.IntegrityError, match=f"executemany row {wrong}/2000: ") as error:
        await cur.executemany("INSERT INTO k VALUES (?, ?)", rows)
    assert error.value.row == wrong and error.value.sqlcode == -268
    assert error.value.committed_rows is None
    found = await stored(cur, "k")
    # All in front of it are in; outside of a transaction nothing behind it is.
    assert found[:wrong] == list(range(wrong))
    if in_transaction:
        await db.rollback()
        assert await stored(cur, "k") == [5000]
    else:
        assert found == [*range(wrong), 5000]


@pytest.mark.parametrize("wrong", [(0,), (1999,), (3, 4, 700, 1998), tuple(range(0, 2000, 7))], ids=lambda w: f"{len(w)} wrong")
@pytest.mark.parametrize("in_transaction", [False, True], ids=["autocommit", "transaction"])
@pytest.mark.parametrize("source", [list, iter], ids=["list", "iterator"])
async def test_continue_behind_errors(db, cur, wrong, in_transaction, source):
    await keyed(cur)
    await cur.execute("INSERT INTO k VALUES (?, 'there')", (5000,))
    rows = [(5000, "twice") if i in wrong else (i, "x") for i in range(2000)]
    if in_transaction:
        await db.begin()
    await cur.executemany("INSERT INTO k VALUES (?, ?)", source(rows), on_error="continue")
    assert cur.rowcount == 2000 - len(wrong)
    assert [row for row, _ in cur.batch_errors] == list(wrong)
    assert all(isinstance(e, informix_db.IntegrityError) and e.row == row for row, e in cur.batch_errors)
    assert cur.batch_errors[0][1] is cur.batch_errors[0][1]
    assert cur.batch_rowcounts == [None if i in wrong else 1 for i in range(2000)]
    if in_transaction:
        await db.commit()
    assert await stored(cur, "k") == [*(i for i in range(2000) if i not in wrong), 5000]


async def test_continue_behind_rows_that_cannot_be_sent(cur):
    await keyed(cur)
    rows = [(0, "x"), (1, object()), (2, "x"), (2, "twice"), (3,), (4, "x"), (5, "字"), (6, "x"), (7, float("inf"))]
    await cur.executemany("INSERT INTO k VALUES (?, ?)", rows, on_error="continue")
    errors = cur.batch_errors
    assert [row for row, _ in errors] == [1, 3, 4, 6, 8]
    assert [type(e) for _, e in errors][1:] == [
        informix_db.IntegrityError, informix_db.ProgrammingError, informix_db.DataError, informix_db.DataError,
    ]
    assert all(f"executemany row {row}/9" in str(e) or row == 4 for row, e in errors)
    assert cur.batch_rowcounts == [1, None, 1, None, None, 1, None, 1, None]
    assert await stored(cur, "k") == [0, 2, 4, 6]
    await cur.executemany("INSERT INTO k VALUES (?, ?)", [(9, "x")])
    assert cur.batch_errors == []


async def test_counts_of_updates(cur):
    await keyed(cur)
    await cur.executemany("INSERT INTO k VALUES (?, ?)", [(i, str(i % 3)) for i in range(9)])
    await cur.executemany("UPDATE k SET t = 'z' WHERE t = ?", [("0",), ("7",), ("1",)])
    assert (cur.rowcount, cur.batch_rowcounts) == (6, [3, 0, 3])
    await cur.execute("DELETE FROM k")
    assert (cur.batch_rowcounts, cur.batch_errors) == ([], [])


async def test_wrong_options(cur):
    for options in ({"on_error": "ignore"}, {"commit_every": 0}, {"commit_every": -1}):
        with pytest.raises(informix_db.ProgrammingError, match=next(iter(options))):
            await cur.executemany("INSERT INTO k VALUES (?, ?)", [(1, "x")], **options)


# -- transactions in pieces


@pytest.fixture(params=[False, True], ids=["autocommit off", "autocommit"])
async def pieces(face, request):
    """A connection and a table that others see."""
    db = await face.connect(autocommit=request.param)
    cur = db.cursor()
    await cur.execute("CREATE TABLE pieces (i INTEGER PRIMARY KEY, t VARCHAR(40))")
    await db.commit()
    yield db, cur
    await db.rollback()
    await cur.execute("DROP TABLE pieces")
    await db.commit()


@pytest.mark.parametrize("source", [list, iter], ids=["list", "iterator"])
@pytest.mark.parametrize("every", [1, 7, 999, 1000, 1001, 5000])
async def test_commit_every(pieces, connect, source, every):
    db, cur = pieces
    await cur.executemany("INSERT INTO pieces VALUES (?, ?)", source([(i, "x") for i in range(1000)]), commit_every=every)
    assert cur.rowcount == 1000
    other = connect().cursor()
    other.execute("SELECT COUNT(*) FROM pieces")
    assert other.fetchone() == (1000,)
    assert not db.in_transaction


@pytest.mark.parametrize("wrong, every, committed", [(0, 100, 0), (99, 100, 0), (100, 100, 100), (555, 100, 500), (999, 100, 900), (999, 7, 994), (5, 5000, 0)])
async def test_commit_every_with_an_error(pieces, wrong, every, committed):
    db, cur = pieces
    rows = [(i, "x") for i in range(1000)]
    good, rows[wrong] = rows[wrong], (None, "x")
    with pytest.raises(informix_db.Error, match=f"executemany row {wrong}/1000") as error:
        await cur.executemany("INSERT INTO pieces VALUES (?, ?)", rows, commit_every=every)
    assert (error.value.row, error.value.committed_rows) == (wrong, committed)
    assert not db.in_transaction
    assert await stored(cur, "pieces") == list(range(committed))
    await db.rollback()
    # It is taken up again where it stopped.
    rows[wrong] = good
    await cur.executemany("INSERT INTO pieces VALUES (?, ?)", rows[error.value.committed_rows :], commit_every=every)
    assert await stored(cur, "pieces") == list(range(1000))
    await db.rollback()


async def test_commit_every_with_an_iterator_that_fails(pieces):
    _, cur = pieces

    def rows():
        yield from ((i, "x") for i in range(40_000))
        raise KeyError("no more")

    with pytest.raises(KeyError) as error:
        await cur.executemany("INSERT INTO pieces VALUES (?, ?)", rows(), commit_every=1000)
    done = error.value.committed_rows
    assert 0 < done <= 40_000 and done % 1000 == 0
    await cur.execute("SELECT COUNT(*) FROM pieces")
    assert await cur.fetchone() == (done,)


async def test_commit_every_and_continue(pieces):
    db, cur = pieces
    rows = [(0 if i % 10 == 3 else i, "x") for i in range(1000)]
    await cur.executemany("INSERT INTO pieces VALUES (?, ?)", rows, commit_every=64, on_error="continue")
    assert [row for row, _ in cur.batch_errors] == list(range(3, 1000, 10))
    assert not db.in_transaction
    assert await stored(cur, "pieces") == [i for i in range(1000) if i % 10 != 3]


async def test_commit_every_is_refused_in_a_transaction(pieces):
    db, cur = pieces
    await db.begin()
    await cur.execute("INSERT INTO pieces VALUES (77, 'mine')")
    with pytest.raises(informix_db.ProgrammingError, match="no transaction is open"):
        await cur.executemany("INSERT INTO pieces VALUES (?, ?)", [(1, "x")], commit_every=10)
    # The caller's work is as it was.
    await db.rollback()
    assert await stored(cur, "pieces") == []


# -- many and large rows


@pytest.mark.parametrize("count, text", [(100_000, "x"), (300, "y" * 32_000)], ids=["tiny", "32 KB"])
@pytest.mark.parametrize("on_error", ["stop", "continue"])
async def test_large_batches_end(db, cur, count, text, on_error):
    await cur.execute("CREATE TEMP TABLE large (i INTEGER PRIMARY KEY, t LVARCHAR(32000))")
    await db.begin()
    rows = ((i, text) for i in range(count)) if on_error == "stop" else [(i, text) for i in range(count)]
    await cur.executemany("INSERT INTO large VALUES (?, ?)", rows, on_error=on_error)
    assert cur.rowcount == count
    # The error is in the very last row.
    with pytest.raises(informix_db.IntegrityError, match=f"executemany row {count - 1}/{count}"):
        await cur.executemany("INSERT INTO large VALUES (?, ?)", [*((i + count, "x") for i in range(count - 1)), (0, "x")])
    await db.rollback()
    await cur.execute("SELECT COUNT(*) FROM large")
    assert await cur.fetchone() == (0,)


@pytest.mark.parametrize("on_error", ["stop", "continue"])
async def test_contents_of_byte_and_text(cur, on_error):
    await cur.execute("CREATE TEMP TABLE lobs (i INTEGER, b BYTE, t TEXT)")
    rows = [(i, bytes([i % 251]) * (i * 97), None if i % 5 == 0 else "ä" * (i * 31)) for i in range(400)]
    await cur.executemany("INSERT INTO lobs VALUES (?, ?, ?)", rows, on_error=on_error)
    await cur.execute("SELECT i, b, t FROM lobs ORDER BY i")
    assert await cur.fetchall() == rows


def test_an_iterator_may_use_the_connection(connect):
    connection = connect()
    cur, inner = connection.cursor(), connection.cursor()
    cur.execute("CREATE TEMP TABLE src (i INTEGER)")
    cur.execute("CREATE TEMP TABLE dst (i INTEGER)")
    cur.executemany("INSERT INTO src VALUES (?)", [(i,) for i in range(50_000)])
    inner.execute("SELECT i FROM src ORDER BY i")
    cur.executemany("INSERT INTO dst VALUES (?)", inner)
    inner.execute("SELECT i FROM dst ORDER BY i")
    assert inner.fetchall() == [(i,) for i in range(50_000)]
