//! Two and more sessions on the same rows: who waits, who fails, with what number.

use std::sync::Arc;

use informix_devserver::engine::{Engine, EngineConfig, Session};

use crate::support::{Run, engine, session};

/// A table of the rows 1 to 5 with `v` 10 to 50, and two sessions.
fn pair() -> (Arc<Engine>, Session, Session) {
    let engine = engine();
    let (mut a, b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    for n in 1..=5 {
        a.run(&format!("INSERT INTO t VALUES ({n}, {})", n * 10));
    }
    (engine, a, b)
}

/// An engine where nobody fails because SQLite has one writer.
fn patient() -> Arc<Engine> {
    let config = EngineConfig {
        writer_grace: std::time::Duration::from_secs(60),
        ..EngineConfig::default()
    };
    Engine::open(config).expect("engine")
}

fn until_waiting(engine: &Engine, sessions: usize) {
    while engine.waiting_sessions() < sessions {
        std::thread::yield_now();
    }
}

#[test]
fn the_same_row_fails_at_once() {
    let engine = patient();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    for n in 1..=5 {
        a.run(&format!("INSERT INTO t VALUES ({n}, {})", n * 10));
    }
    for first in [
        "UPDATE t SET v = 11 WHERE id = 1",
        "DELETE FROM t WHERE id = 1",
        "DELETE FROM t",
        "UPDATE t SET v = v + 1",
    ] {
        for (second, code) in [
            ("UPDATE t SET v = 12 WHERE id = 1", -346),
            ("UPDATE t SET v = 12", -346),
            ("UPDATE t SET v = 12 WHERE v = 10", -346),
            ("DELETE FROM t WHERE id < 3", -244),
        ] {
            for begin in [false, true] {
                a.run("BEGIN");
                a.run(first);
                if begin {
                    b.run("BEGIN");
                }
                let error = b.fails(second);
                assert_eq!((error.sqlcode, error.isam), (code, -107), "{first}, {second}");
                if begin {
                    b.run("ROLLBACK");
                }
                a.run("ROLLBACK");
                b.run(second);
                b.run("DELETE FROM t");
                for n in 1..=5 {
                    b.run(&format!("INSERT INTO t VALUES ({n}, {})", n * 10));
                }
            }
        }
    }
}

#[test]
fn different_rows_wait_for_the_writer() {
    let engine = patient();
    let mut a = session(&engine, "testdb");
    a.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    a.run("INSERT INTO t VALUES (1, 10)");
    a.run("INSERT INTO t VALUES (2, 20)");
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut b = session(&engine, "testdb");
            b.run("UPDATE t SET v = 21 WHERE id = 2");
            b.run("INSERT INTO t VALUES (3, 30)");
        });
        until_waiting(&engine, 1);
        a.run("UPDATE t SET v = 12 WHERE id = 1");
        a.run("COMMIT");
        other.join().expect("b");
    });
    assert_eq!(a.texts("SELECT v FROM t ORDER BY id"), ["12", "21", "30"]);
}

#[test]
fn the_wait_for_a_writer_ends_when_it_comes_to_want_the_row() {
    let engine = patient();
    let mut a = session(&engine, "testdb");
    a.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    a.run("INSERT INTO t VALUES (1, 10)");
    a.run("INSERT INTO t VALUES (2, 20)");
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| session(&engine, "testdb").fails("UPDATE t SET v = 21 WHERE id = 2"));
        until_waiting(&engine, 1);
        a.run("UPDATE t SET v = 22 WHERE id = 2");
        let error = other.join().expect("b");
        assert_eq!((error.sqlcode, error.isam), (-346, -107));
    });
    a.run("COMMIT");
}

#[test]
fn waiting_as_set_lock_mode_says() {
    let (engine, mut a, mut b) = pair();
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    b.run("SET LOCK MODE TO WAIT 1");
    let error = b.fails("UPDATE t SET v = v + 5 WHERE id = 1");
    assert_eq!((error.sqlcode, error.isam), (-346, -154));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut b = session(&engine, "testdb");
            b.run("SET LOCK MODE TO WAIT");
            b.run("UPDATE t SET v = v + 5 WHERE id = 1");
        });
        until_waiting(&engine, 1);
        a.run("COMMIT");
        other.join().expect("b");
    });
    assert_eq!(a.one("SELECT v FROM t WHERE id = 1"), "16");
}

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
            ("SET ISOLATION TO CURSOR STABILITY", &committed),
            ("SET ISOLATION TO REPEATABLE READ", &committed),
        ] {
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
