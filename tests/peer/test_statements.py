"""Statements, transactions, cursors and errors as the peer driver sends them."""

import threading

import informix_db
import pytest


def count(cursor, table):
    cursor.execute(f"select count(*) from {table}")
    return int(cursor.fetchone()[0])


def test_row_counts(cursor):
    cursor.execute("create temp table rc (a integer, b varchar(20)) with no log")
    cursor.executemany("insert into rc values (?, ?)", [(i, f"row {i}") for i in range(100)])
    assert cursor.rowcount == 100
    cursor.execute("update rc set b = ? where a < ?", ("small", 10))
    assert cursor.rowcount == 10
    cursor.execute("delete from rc where a >= :1", (50,))
    assert cursor.rowcount == 50
    assert count(cursor, "rc") == 50


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 1025, 5000])
def test_fetch_sizes(cursor, rows):
    cursor.execute("create temp table fs (a integer, b char(50), c varchar(30)) with no log")
    cursor.executemany("insert into fs values (?, ?, ?)", [(i, f"b{i}", "c" * (i % 30)) for i in range(rows)])
    cursor.execute("select * from fs order by a")
    fetched = cursor.fetchall()
    assert [row[0] for row in fetched] == list(range(rows))
    assert all(row[1].rstrip() == f"b{i}" and len(row[2]) == i % 30 for i, row in enumerate(fetched))


def test_transactions(connect):
    a, b = connect(autocommit=False), connect()
    one, two = a.cursor(), b.cursor()
    one.execute("create table judge_peer_tx (a integer)")
    a.commit()
    try:
        one.execute("insert into judge_peer_tx values (1)")
        a.rollback()
        assert count(one, "judge_peer_tx") == 0
        one.execute("insert into judge_peer_tx values (1)")
        a.commit()
        assert count(two, "judge_peer_tx") == 1
    finally:
        a.rollback()
        one.execute("drop table judge_peer_tx")
        a.commit()


def test_transaction_by_sql(connect):
    connection = connect()
    cursor = connection.cursor()
    cursor.execute("create temp table ts (a integer)")
    cursor.execute("begin work")
    cursor.execute("insert into ts values (1)")
    connection.rollback()
    assert count(cursor, "ts") == 0


def test_scroll_cursor(connect):
    cursor = connect().cursor(scrollable=True)
    cursor.execute("select tabid from systables where tabid <= 20 order by tabid")
    assert cursor.fetch_first()[0] == 1
    assert cursor.fetch_last()[0] == 20
    assert cursor.fetch_prior()[0] == 19
    assert cursor.fetch_absolute(4)[0] == 5
    assert cursor.fetch_relative(3)[0] == 8
    assert cursor.fetch_absolute(500) is None
    cursor.close()


ERRORS = [
    ("selec 1", informix_db.ProgrammingError, -201),
    ("select * from no_such_table_xyz", informix_db.ProgrammingError, -206),
    ("select no_such_column from systables", informix_db.ProgrammingError, -217),
    ("select 1/0 from systables", informix_db.Error, -1202),
    ("select 'x'::integer from systables", informix_db.Error, -1213),
    ("select nosuchfunction(1) from systables", informix_db.Error, -674),
    ("insert into judge_peer_e values (1, 1)", informix_db.IntegrityError, -268),
    ("insert into judge_peer_e values (2, null)", informix_db.IntegrityError, -391),
]


@pytest.mark.parametrize("sql, kind, code", ERRORS, ids=[str(code) for _, _, code in ERRORS])
def test_error_then_usable(cursor, sql, kind, code):
    cursor.execute("create table judge_peer_e (a integer primary key, b integer not null)")
    try:
        cursor.execute("insert into judge_peer_e values (1, 1)")
        with pytest.raises(kind) as caught:
            cursor.execute(sql)
            cursor.fetchall()
        assert caught.value.sqlcode == code
        cursor.execute("select 5 from systables where tabid = 1")
        assert cursor.fetchone()[0] == 5
    finally:
        cursor.execute("drop table judge_peer_e")


def test_error_names_what_it_is_about(cursor):
    with pytest.raises(informix_db.ProgrammingError) as caught:
        cursor.execute("select * from no_such_table_xyz")
    assert caught.value.near == "no_such_table_xyz"
    assert caught.value.isamcode == -111
    with pytest.raises(informix_db.ProgrammingError) as caught:
        cursor.execute("select tabid frm systables")
    assert caught.value.offset > 1


def test_duplicate_in_the_middle_of_a_batch(cursor):
    cursor.execute("create temp table du (a integer primary key) with no log")
    with pytest.raises(informix_db.IntegrityError):
        cursor.executemany("insert into du values (?)", [(i if i != 60 else 5,) for i in range(100)])
    cursor.execute("select count(*) from du where a < 60")
    assert int(cursor.fetchone()[0]) == 60


@pytest.mark.parametrize("change", [{"password": "wrong"}, {"user": "nobody"}, {"server": "other"}])
def test_login_refused(connect, change):
    with pytest.raises(informix_db.OperationalError):
        connect(**change)


def test_unknown_database(connect):
    with pytest.raises(informix_db.Error) as caught:
        connect(database="nosuchdb")
    assert caught.value.sqlcode == -329


def test_unicode_locale(connect):
    cursor = connect(client_locale="en_US.utf8").cursor()
    cursor.execute("create temp table un (a integer, b varchar(40), c lvarchar(100), d integer) with no log")
    cursor.execute("insert into un values (?, ?, ?, ?)", (1, "äöü é", "ñ", 2))
    cursor.execute("select * from un")
    assert tuple(cursor.fetchone()) == (1, "äöü é", "ñ", 2)


def test_many_threads(connect):
    wrong = []

    def work(number):
        cursor = connect().cursor()
        for i in range(20):
            cursor.execute(f"select {number} + {i} from systables where tabid = 1")
            if int(cursor.fetchone()[0]) != number + i:
                wrong.append((number, i))

    threads = [threading.Thread(target=work, args=(n * 1000,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pool(port):
    pool = informix_db.create_pool(
        host="127.0.0.1", port=port, user="informix", password="in4mix", database="testdb", max_size=2
    )
    with pool.connection() as connection:
        cursor = connection.cursor()
        cursor.execute("select 1 from systables where tabid = 1")
        assert cursor.fetchone()[0] == 1
    pool.close()
