//! What readers get while others have changed rows, and what readers keep others from changing.

use informix_devserver::engine::{CursorId, CursorOptions, Fetched, PlainRows, PrepareOptions, Session};
use informix_devserver::{SqlError, SqlResult};
use informix_types::RowForm;

use crate::support::{Run, pair, session, until_waiting};

/// What the second session's query gives: rows, or SQLCODE and ISAM code.
fn outcome(session: &mut Session, sql: &str) -> Result<Vec<String>, (i32, i32)> {
    match session.try_rows(sql, &[]) {
        Ok(rows) => Ok(rows
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join("|"))
            .collect()),
        Err(error) => Err((error.sqlcode, error.isam)),
    }
}

#[test]
fn readers_by_isolation() {
    let locked = || Err((-244, -107));
    let rows = |rows: &[&str]| Ok(rows.iter().map(|r| (*r).to_owned()).collect());
    // What the first session does, what the second one reads, and what it gets: dirty, committed, last committed.
    let cases = [
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT v FROM t WHERE id = 1",
            rows(&["99"]),
            locked(),
            rows(&["10"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT v FROM t WHERE id = 2",
            rows(&["20"]),
            rows(&["20"]),
            rows(&["20"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT COUNT(*) FROM t",
            rows(&["5"]),
            locked(),
            rows(&["5"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT id FROM t WHERE v = 99",
            rows(&["1"]),
            locked(),
            rows(&[]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT id FROM t WHERE v = 10",
            rows(&[]),
            locked(),
            rows(&["1"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT SUM(v) FROM t WHERE id > 1",
            rows(&["140"]),
            rows(&["140"]),
            rows(&["140"]),
        ),
        (
            "INSERT INTO t VALUES (6, 60)",
            "SELECT v FROM t WHERE id = 6",
            rows(&["60"]),
            locked(),
            rows(&[]),
        ),
        (
            "INSERT INTO t VALUES (6, 60)",
            "SELECT MAX(id) FROM t",
            rows(&["6"]),
            locked(),
            rows(&["5"]),
        ),
        (
            "INSERT INTO t VALUES (6, 60)",
            "SELECT v FROM t WHERE id = 1",
            rows(&["10"]),
            rows(&["10"]),
            rows(&["10"]),
        ),
        (
            "DELETE FROM t WHERE id = 5",
            "SELECT COUNT(*) FROM t",
            rows(&["4"]),
            locked(),
            rows(&["5"]),
        ),
        (
            "DELETE FROM t WHERE id = 5",
            "SELECT id FROM t WHERE id > 3 OR v = 10",
            rows(&["1", "4"]),
            locked(),
            rows(&["1", "4", "5"]),
        ),
        (
            "DELETE FROM t",
            "SELECT COUNT(*) FROM t",
            rows(&["0"]),
            locked(),
            rows(&["5"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT a.id, b.v FROM t a, t b WHERE a.id = b.id AND a.id < 3",
            rows(&["1|99", "2|20"]),
            locked(),
            rows(&["1|10", "2|20"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT a.id, b.v FROM t a LEFT JOIN t b ON a.id = b.id - 4 WHERE a.id > 1",
            rows(&["2|", "3|", "4|", "5|"]),
            rows(&["2|", "3|", "4|", "5|"]),
            rows(&["2|", "3|", "4|", "5|"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.v = 99) ORDER BY id DESC",
            rows(&["5", "4", "3", "2", "1"]),
            locked(),
            rows(&[]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT w FROM view_t WHERE w > 45",
            rows(&["50", "99"]),
            locked(),
            rows(&["50"]),
        ),
        (
            "UPDATE t SET v = 99 WHERE id = 1",
            "SELECT id FROM t WHERE id = 1 UNION SELECT 7 FROM systables WHERE tabid = 1",
            rows(&["1", "7"]),
            locked(),
            rows(&["1", "7"]),
        ),
    ];
    let (_engine, mut a, mut b) = pair();
    a.run("CREATE VIEW view_t (w) AS SELECT v FROM t");
    for (first, query, dirty, committed, last) in cases {
        a.run("BEGIN");
        a.run(first);
        for (isolation, expected) in [
            ("SET ISOLATION TO DIRTY READ", &dirty),
            ("SET ISOLATION TO COMMITTED READ", &committed),
            ("SET ISOLATION TO COMMITTED READ LAST COMMITTED", &last),
            ("SET ENVIRONMENT USELASTCOMMITTED 'COMMITTED READ'", &last),
            ("SET ENVIRONMENT USELASTCOMMITTED 'NONE'", &committed),
            ("SET ISOLATION TO CURSOR STABILITY", &committed),
            ("SET ISOLATION TO REPEATABLE READ", &committed),
        ] {
            if isolation.contains("'COMMITTED READ'") {
                b.run("SET ISOLATION TO COMMITTED READ");
            }
            b.run(isolation);
            let mut got = outcome(&mut b, query);
            if !query.contains("ORDER") {
                let _ = got.as_mut().map(|rows| rows.sort());
            }
            assert_eq!(got, *expected, "{first}; {isolation}: {query}");
        }
        let own = outcome(&mut a, query).map(|mut rows| {
            if !query.contains("ORDER") {
                rows.sort();
            }
            rows
        });
        assert_eq!(own, dirty, "{first}; {query} of the session itself");
        a.run("ROLLBACK");
    }
}

/// An open cursor FOR UPDATE.
fn for_update(session: &mut Session, sql: &str) -> CursorId {
    let prepared = session.prepare(sql, &PrepareOptions::default()).expect("prepare");
    let options = CursorOptions {
        name: "c".to_owned(),
        ..CursorOptions::default()
    };
    session.open_cursor(&prepared, &[], options).expect("open")
}

fn fetch(session: &mut Session, cursor: CursorId) -> SqlResult<Fetched> {
    session.fetch(cursor, 4096, RowForm::default(), &mut PlainRows::default())
}

fn codes(error: &SqlError) -> (i32, i32) {
    (error.sqlcode, error.isam)
}

#[test]
fn a_cursor_for_update_locks_its_row() {
    let (_engine, mut a, mut b) = pair();
    for (isolation, kept) in [
        ("SET ISOLATION TO COMMITTED READ", false),
        ("SET ISOLATION TO COMMITTED READ RETAIN UPDATE LOCKS", true),
        ("SET ISOLATION TO REPEATABLE READ", true),
    ] {
        a.run(isolation);
        a.run("BEGIN");
        let cursor = for_update(&mut a, "SELECT v FROM t WHERE id < 4 ORDER BY id FOR UPDATE");
        // Open, but nothing fetched.
        b.run("UPDATE t SET v = v WHERE id = 1");
        assert_eq!(fetch(&mut a, cursor).map(|f| f.rows), Ok(1));
        assert_eq!(
            codes(&b.fails("UPDATE t SET v = 0 WHERE id = 1")),
            (-346, -107),
            "{isolation}"
        );
        assert_eq!(codes(&b.fails("DELETE FROM t")), (-244, -107));
        let other = for_update(&mut b, "SELECT v FROM t WHERE id = 1 FOR UPDATE");
        assert_eq!(fetch(&mut b, other).map_err(|e| codes(&e)), Err((-244, -107)));
        b.close_cursor(other).expect("close");
        // It can be read, and other rows can be changed.
        assert_eq!(b.one("SELECT v FROM t WHERE id = 1"), "10");
        b.run("UPDATE t SET v = v WHERE id = 2");
        assert_eq!(fetch(&mut a, cursor).map(|f| f.rows), Ok(1));
        if kept {
            assert_eq!(
                codes(&b.fails("UPDATE t SET v = 0 WHERE id = 1")),
                (-346, -107),
                "{isolation}"
            );
        } else {
            b.run("UPDATE t SET v = v WHERE id = 1");
        }
        a.run("UPDATE t SET v = 21 WHERE CURRENT OF c");
        assert_eq!(fetch(&mut a, cursor).map(|f| f.rows), Ok(1));
        a.close_cursor(cursor).expect("close");
        // Changed, so locked until the end.
        assert_eq!(codes(&b.fails("UPDATE t SET v = 0 WHERE id = 2")), (-346, -107));
        assert_eq!(outcome(&mut b, "SELECT v FROM t WHERE id = 2"), Err((-244, -107)));
        a.run("ROLLBACK");
        b.run("UPDATE t SET v = v");
    }
}

#[test]
fn a_row_is_fetched_for_update_as_it_is_then() {
    let (engine, mut a, mut b) = pair();
    a.run("BEGIN");
    let cursor = for_update(&mut a, "SELECT v FROM t WHERE v < 40 ORDER BY id FOR UPDATE");
    b.run("UPDATE t SET v = 99 WHERE id = 1");
    b.run("DELETE FROM t WHERE id = 2");
    b.run("UPDATE t SET v = 31 WHERE id = 3");
    // The first does not match any more, the second is gone.
    let mut rows = PlainRows::default();
    let fetched = a
        .fetch(cursor, 4096, RowForm::default(), &mut rows)
        .expect("fetch");
    assert_eq!(fetched.rows, 1);
    assert_eq!(rows.iter().collect::<Vec<_>>(), [31_i32.to_be_bytes()]);
    assert!(fetch(&mut a, cursor).expect("fetch").done);
    a.run("COMMIT");
    // One that waits for the row sees what the other one has made of it.
    b.run("BEGIN");
    b.run("UPDATE t SET v = 32 WHERE id = 3");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut c = session(&engine, "testdb");
            c.run("SET LOCK MODE TO WAIT");
            c.run("BEGIN");
            let cursor = for_update(&mut c, "SELECT v FROM t WHERE id = 3 FOR UPDATE");
            let mut rows = PlainRows::default();
            c.fetch(cursor, 4096, RowForm::default(), &mut rows)
                .expect("fetch");
            c.run("COMMIT");
            rows.iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
        });
        until_waiting(&engine, 1);
        b.run("COMMIT");
        assert_eq!(waits.join().expect("c"), [32_i32.to_be_bytes()]);
    });
}

#[test]
fn readers_that_keep_others_from_changing() {
    let (_engine, mut a, mut b) = pair();
    // Level of the reader; whether its rows are free after CLOSE, and after the end of its transaction.
    for (isolation, after_close) in [
        ("SET ISOLATION TO DIRTY READ", true),
        ("SET ISOLATION TO COMMITTED READ", true),
        ("SET ISOLATION TO COMMITTED READ LAST COMMITTED", true),
        ("SET ISOLATION TO CURSOR STABILITY", true),
        ("SET ISOLATION TO REPEATABLE READ", false),
    ] {
        a.run(isolation);
        a.run("BEGIN");
        assert_eq!(a.texts("SELECT v FROM t WHERE id < 3 ORDER BY id"), ["10", "20"]);
        // The same twice is no conflict with oneself.
        assert_eq!(a.texts("SELECT v FROM t WHERE id < 3 ORDER BY id"), ["10", "20"]);
        let changes = [
            ("UPDATE t SET v = v WHERE id = 1", -346),
            ("DELETE FROM t WHERE id = 2", -244),
            ("UPDATE t SET v = v", -346),
        ];
        for (change, code) in changes {
            b.run("BEGIN");
            if after_close {
                b.run(change);
            } else {
                assert_eq!(codes(&b.fails(change)), (code, -107), "{isolation}: {change}");
            }
            b.run("ROLLBACK");
        }
        // Rows that it has not read are free, and its own locks are no obstacle to itself.
        b.run("UPDATE t SET v = v WHERE id = 3");
        assert_eq!(b.one("SELECT v FROM t WHERE id = 1"), "10");
        a.run("UPDATE t SET v = v WHERE id = 1");
        a.run("COMMIT");
        b.run("UPDATE t SET v = v");
    }
    // SET TRANSACTION counts for one transaction.
    a.run("SET ISOLATION TO COMMITTED READ");
    a.run("BEGIN");
    a.run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    assert_eq!(a.one("SELECT v FROM t WHERE id = 1"), "10");
    assert_eq!(b.fails("UPDATE t SET v = v WHERE id = 1").isam, -107);
    a.run("COMMIT");
    a.run("BEGIN");
    assert_eq!(a.one("SELECT v FROM t WHERE id = 1"), "10");
    b.run("UPDATE t SET v = v WHERE id = 1");
    a.run("COMMIT");
}

#[test]
fn the_rows_of_an_open_cursor_are_stable() {
    let (_engine, mut a, mut b) = pair();
    a.run("SET ISOLATION TO CURSOR STABILITY");
    let cursor = for_update(&mut a, "SELECT v FROM t WHERE id = 1");
    assert_eq!(fetch(&mut a, cursor).map(|f| f.rows), Ok(1));
    assert_eq!(codes(&b.fails("UPDATE t SET v = 0 WHERE id = 1")), (-346, -107));
    a.close_cursor(cursor).expect("close");
    b.run("UPDATE t SET v = 0 WHERE id = 1");
}

#[test]
fn a_reader_waits_for_the_commit() {
    let (engine, mut a, _b) = pair();
    for (end, expected) in [("COMMIT", ["11", "60"]), ("ROLLBACK", ["11", "60"])] {
        a.run("BEGIN");
        if end == "COMMIT" {
            a.run("UPDATE t SET v = 11 WHERE id = 1");
            a.run("INSERT INTO t VALUES (6, 60)");
        } else {
            a.run("UPDATE t SET v = 12 WHERE id = 1");
            a.run("DELETE FROM t WHERE id = 6");
        }
        std::thread::scope(|scope| {
            let reads = scope.spawn(|| {
                let mut b = session(&engine, "testdb");
                b.run("SET LOCK MODE TO WAIT");
                b.texts("SELECT v FROM t WHERE id IN (1, 6) ORDER BY id")
            });
            until_waiting(&engine, 1);
            a.run(end);
            assert_eq!(reads.join().expect("b"), expected);
        });
    }
}

#[test]
fn a_savepoint_takes_the_rows_back_for_others_too() {
    let (_engine, mut a, mut b) = pair();
    b.run("SET ISOLATION TO DIRTY READ");
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    a.run("SAVEPOINT s");
    a.run("UPDATE t SET v = 12 WHERE id = 1");
    a.run("DELETE FROM t WHERE id = 2");
    assert_eq!(b.texts("SELECT v FROM t WHERE id < 4 ORDER BY id"), ["12", "30"]);
    a.run("ROLLBACK TO SAVEPOINT s");
    assert_eq!(
        b.texts("SELECT v FROM t WHERE id < 4 ORDER BY id"),
        ["11", "20", "30"]
    );
    a.run("ROLLBACK");
    assert_eq!(
        b.texts("SELECT v FROM t WHERE id < 4 ORDER BY id"),
        ["10", "20", "30"]
    );
}

#[test]
fn rows_that_change_often_are_seen_as_they_are_now() {
    let (_engine, mut a, mut b) = pair();
    b.run("SET ISOLATION TO DIRTY READ");
    a.run("BEGIN");
    // More changes than the rows that others may see at most.
    for _ in 0..2_001 {
        a.run("UPDATE t SET v = v + 1");
    }
    assert_eq!(
        b.texts("SELECT v FROM t ORDER BY id"),
        ["2011", "2021", "2031", "2041", "2051"]
    );
    a.run("ROLLBACK");
}

#[test]
fn whole_tables() {
    let (_engine, mut a, mut b) = pair();
    assert_eq!(a.fails("LOCK TABLE t IN SHARE MODE").sqlcode, -524);
    // Mode of the first session; statement of the second one; its codes.
    let cases = [
        ("SHARE", "SELECT COUNT(*) FROM t", None),
        ("SHARE", "UPDATE t SET v = v WHERE id = 1", Some((-346, -113))),
        ("SHARE", "INSERT INTO t VALUES (6, 60)", Some((-271, -113))),
        ("SHARE", "LOCK TABLE t IN SHARE MODE", None),
        ("SHARE", "LOCK TABLE t IN EXCLUSIVE MODE", Some((-289, -113))),
        ("EXCLUSIVE", "SELECT COUNT(*) FROM t", Some((-244, -113))),
        ("EXCLUSIVE", "DELETE FROM t", Some((-244, -113))),
        ("EXCLUSIVE", "LOCK TABLE t IN SHARE MODE", Some((-289, -113))),
        ("EXCLUSIVE", "SELECT COUNT(*) FROM systables", None),
    ];
    for (mode, second, expected) in cases {
        a.run("BEGIN");
        a.run(&format!("LOCK TABLE t IN {mode} MODE"));
        assert_eq!(a.fails("UNLOCK TABLE t").sqlcode, -327);
        b.run("BEGIN");
        let got = if second.starts_with("SELECT") {
            outcome(&mut b, second).err()
        } else {
            b.run_with(second, &[]).err().map(|e| codes(&e))
        };
        assert_eq!(got, expected, "{mode}: {second}");
        b.run("ROLLBACK");
        a.run("ROLLBACK");
    }
    // Rows that somebody has changed or read for update are in the way of both.
    for first in ["UPDATE t SET v = v WHERE id = 1", "FOR UPDATE"] {
        a.run("BEGIN");
        if first == "FOR UPDATE" {
            let cursor = for_update(&mut a, "SELECT v FROM t FOR UPDATE");
            assert_eq!(fetch(&mut a, cursor).map(|f| f.rows), Ok(1));
        } else {
            a.run(first);
        }
        b.run("BEGIN");
        for mode in ["SHARE", "EXCLUSIVE"] {
            assert_eq!(
                codes(&b.fails(&format!("LOCK TABLE t IN {mode} MODE"))),
                (-289, -113),
                "{first}"
            );
        }
        b.run("ROLLBACK");
        a.run("ROLLBACK");
    }
    // Without a log there is no transaction to end it.
    a.run("CREATE DATABASE plain");
    a.run("CREATE TABLE t (n INT)");
    a.run("LOCK TABLE t IN EXCLUSIVE MODE");
    b.run("DATABASE plain");
    assert_eq!(codes(&b.fails("INSERT INTO t VALUES (1)")), (-271, -113));
    a.run("INSERT INTO t VALUES (1)");
    assert_eq!(b.fails("UNLOCK TABLE t").sqlcode, -288);
    a.run("UNLOCK TABLE t");
    b.run("INSERT INTO t VALUES (1)");
    assert_eq!(b.one("SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn an_ansi_database_reads_repeatably() {
    let (engine, mut a, _) = pair();
    a.run("CREATE DATABASE strict WITH LOG MODE ANSI");
    a.run("CREATE TABLE t (n INT)");
    a.run("INSERT INTO t VALUES (1)");
    a.run("COMMIT");
    let mut b = session(&engine, "strict");
    assert_eq!(b.one("SELECT n FROM t"), "1");
    assert_eq!(codes(&a.fails("UPDATE t SET n = 2")), (-346, -113));
    b.run("COMMIT");
    a.run("UPDATE t SET n = 2");
    assert_eq!(outcome(&mut b, "SELECT n FROM t"), Err((-244, -113)));
    a.run("COMMIT");
    assert_eq!(b.one("SELECT n FROM t"), "2");
}

#[test]
fn fields_of_row_types_are_known_while_others_have_changed_rows() {
    let (_engine, mut a, mut b) = pair();
    a.run("CREATE ROW TYPE address_t (street VARCHAR(20), zip CHAR(5))");
    a.run("CREATE TABLE people (id INT PRIMARY KEY, home address_t)");
    for n in 1..=2 {
        a.run(&format!(
            "INSERT INTO people VALUES ({n}, ROW('Road {n}', '1234{n}')::address_t)"
        ));
    }
    let query = "SELECT home.zip FROM people WHERE id = 2";
    let before = outcome(&mut b, query);
    assert_eq!(before, Ok(vec!["12342".to_owned()]));
    a.run("BEGIN WORK");
    a.run("UPDATE people SET home = ROW('Lane', '99999')::address_t WHERE id = 1");
    for level in ["DIRTY READ", "COMMITTED READ", "COMMITTED READ LAST COMMITTED"] {
        b.run(&format!("SET ISOLATION TO {level}"));
        assert_eq!(outcome(&mut b, query), before, "{level}");
    }
}

/// However many rows a transaction has changed, others see them as they are.
#[test]
fn all_changed_rows_of_a_transaction_are_seen() {
    let (_engine, mut a, mut b) = pair();
    a.run("CREATE TABLE big (id INT, v INT, c CHAR(10))");
    a.run("INSERT INTO big VALUES (1, 1, 'x')");
    let mut rows = 1;
    while rows < 12_000 {
        a.run(&format!("INSERT INTO big SELECT id + {rows}, v, c FROM big"));
        rows *= 2;
    }
    let all = "SELECT COUNT(*), SUM(id), SUM(v), MIN(c), MAX(c) FROM big";
    let committed = a.one(all);
    b.run("SET ISOLATION TO DIRTY READ");
    for end in ["ROLLBACK", "COMMIT"] {
        a.run("BEGIN");
        for change in [
            "UPDATE big SET v = v + id WHERE MOD(id, 2) = 0",
            "DELETE FROM big WHERE MOD(id, 3) = 0",
            "SAVEPOINT s",
            "INSERT INTO big SELECT id + 100000, v, 'new' FROM big",
            "UPDATE big SET v = v + 1, c = NULL WHERE id > 100050",
            "ROLLBACK TO SAVEPOINT s",
            "INSERT INTO big VALUES (0, 0, 'a')",
            "DELETE FROM big WHERE id > 10",
        ] {
            a.run(change);
            for query in [
                all,
                "SELECT COUNT(*) FROM big WHERE MOD(id, 3) = 0",
                "SELECT SUM(v) FROM big WHERE id = 4",
            ] {
                assert_eq!(b.one(query), a.one(query), "{change}: {query}");
            }
            b.run("SET ISOLATION TO COMMITTED READ LAST COMMITTED");
            assert_eq!(b.one(all), committed, "{change}");
            b.run("SET ISOLATION TO COMMITTED READ");
            assert_eq!(codes(&b.fails(all)), (-244, -107), "{change}");
            b.run("SET ISOLATION TO DIRTY READ");
        }
        a.run(end);
        assert_eq!(b.one(all), a.one(all));
    }
}

/// What is read from end to end under Repeatable Read stays as it is; what is found through an index, row by row.
#[test]
fn repeatable_scans_keep_new_rows_away() {
    let (engine, mut a, mut b) = pair();
    a.run("SET ISOLATION TO REPEATABLE READ");
    let changes = [
        "INSERT INTO t VALUES (6, 60)",
        "UPDATE t SET v = 99 WHERE id = 5",
        "DELETE FROM t WHERE id = 5",
    ];
    for (query, locked) in [
        ("SELECT COUNT(*) FROM t WHERE v > 10", true),
        ("SELECT SUM(v) FROM t", true),
        ("SELECT a.v FROM t a, t b WHERE a.id = 1 AND b.v = 50", true),
        ("SELECT v FROM t WHERE id = 1", false),
        ("SELECT v FROM t WHERE id IN (1, 2)", false),
    ] {
        a.run("BEGIN");
        let before = a.texts(query);
        for change in changes {
            b.run("BEGIN");
            if locked {
                let error = b.fails(change);
                assert_eq!(error.isam, -113, "{query}: {change}");
            } else {
                b.run(change);
            }
            b.run("ROLLBACK");
        }
        assert_eq!(a.texts(query), before);
        a.run("COMMIT");
        b.run("INSERT INTO t VALUES (6, 60)");
        b.run("DELETE FROM t WHERE id = 6");
    }
    // The other way round: a row on the way is locked.
    b.run("BEGIN");
    b.run("UPDATE t SET v = 1 WHERE id = 5");
    a.run("BEGIN");
    assert_eq!(
        codes(&a.fails("SELECT COUNT(*) FROM t WHERE v = 20")),
        (-244, -113)
    );
    assert_eq!(a.one("SELECT v FROM t WHERE id = 2"), "20");
    // A reader who waits gets the whole table, and keeps it.
    a.run("SET LOCK MODE TO WAIT");
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut c = session(&engine, "testdb");
            c.run("SET ISOLATION TO REPEATABLE READ");
            c.run("SET LOCK MODE TO WAIT");
            c.run("BEGIN");
            let seen = c.one("SELECT SUM(v) FROM t");
            let still = c.one("SELECT SUM(v) FROM t");
            c.run("COMMIT");
            (seen, still)
        });
        until_waiting(&engine, 1);
        b.run("COMMIT");
        assert_eq!(
            reader.join().expect("reader"),
            ("101".to_owned(), "101".to_owned())
        );
    });
    a.run("COMMIT");
}
