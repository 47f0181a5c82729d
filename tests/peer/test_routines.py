"""Stored routines and triggers through the peer driver."""

import informix_db
import pytest


def test_function(cursor):
    cursor.execute("create function peer_double(n int) returning int; return n * 2; end function")
    try:
        cursor.execute("execute function peer_double(21)")
        assert cursor.fetchone() == (42,)
        cursor.execute("execute function peer_double(?)", (4,))
        assert cursor.fetchall() == [(8,)]
        cursor.execute("select peer_double(tabid) from systables where tabid < 3 order by 1")
        assert cursor.fetchall() == [(2,), (4,)]
    finally:
        cursor.execute("drop function peer_double")
    with pytest.raises(informix_db.Error, match="674"):
        cursor.execute("execute function peer_double(21)")


def test_rows(cursor):
    cursor.execute(
        "create procedure peer_rows(n int) returning int as i, varchar(20) as t; define i int;"
        " for i = 1 to n return i, 'row ' || i with resume; end for; end procedure"
    )
    try:
        cursor.execute("execute procedure peer_rows(?)", (300,))
        assert [column[0] for column in cursor.description] == ["i", "t"]
        rows = cursor.fetchall()
        assert len(rows) == 300
        assert rows[0] == (1, "row 1")
        assert rows[-1] == (300, "row 300")
    finally:
        cursor.execute("drop procedure peer_rows")


def test_statements_and_errors(cursor):
    cursor.execute("create table peer_t (a int primary key)")
    cursor.execute(
        "create procedure peer_fill(n int); define i int;"
        " if n < 0 then raise exception -746, 0, 'negative'; end if;"
        " for i = 1 to n insert into peer_t values (i); end for; end procedure"
    )
    try:
        cursor.execute("execute procedure peer_fill(10)")
        cursor.execute("select count(*) from peer_t")
        assert int(cursor.fetchone()[0]) == 10
        with pytest.raises(informix_db.IntegrityError):
            cursor.execute("execute procedure peer_fill(1)")
        with pytest.raises(informix_db.Error, match="746"):
            cursor.execute("execute procedure peer_fill(-1)")
    finally:
        cursor.execute("drop procedure peer_fill")
        cursor.execute("drop table peer_t")


def test_trigger(cursor):
    cursor.execute("create table peer_w (a int)")
    cursor.execute("create table peer_log (t varchar(40))")
    try:
        cursor.execute(
            "create trigger peer_tr insert on peer_w referencing new as n"
            " for each row (insert into peer_log values ('new ' || n.a))"
        )
        cursor.executemany("insert into peer_w values (?)", [(1,), (2,)])
        cursor.execute("select t from peer_log order by t")
        assert [row[0] for row in cursor.fetchall()] == ["new 1", "new 2"]
    finally:
        cursor.execute("drop table peer_w")
        cursor.execute("drop table peer_log")
