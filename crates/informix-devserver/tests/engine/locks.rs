//! Two and more sessions on the same rows: who waits, who fails, with what number.

use crate::support::{Run, pair, session, until_waiting};

#[test]
fn the_same_row_fails_at_once() {
    let (_engine, mut a, mut b) = pair();
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
    let (engine, mut a, _b) = pair();
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut b = session(&engine, "testdb");
            b.run("UPDATE t SET v = 21 WHERE id = 2");
            b.run("INSERT INTO t VALUES (6, 60)");
        });
        until_waiting(&engine, 1);
        a.run("UPDATE t SET v = 12 WHERE id = 1");
        a.run("COMMIT");
        other.join().expect("b");
    });
    assert_eq!(
        a.texts("SELECT v FROM t ORDER BY id"),
        ["12", "21", "30", "40", "50", "60"]
    );
}

#[test]
fn the_wait_for_a_writer_ends_when_it_comes_to_want_the_row() {
    let (engine, mut a, _b) = pair();
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

#[test]
fn keys_that_somebody_has_inserted_or_deleted() {
    let (engine, mut a, mut b) = pair();
    a.run("CREATE TABLE k (c CHAR(10), n INT, id SERIAL, UNIQUE (c, n))");
    a.run("INSERT INTO k (c, n) VALUES ('old', 1)");
    // What the first session does, what the second one inserts, whether they meet.
    let cases = [
        (
            "INSERT INTO t VALUES (6, 60)",
            "INSERT INTO t VALUES (6, 61)",
            true,
        ),
        (
            "INSERT INTO t (v, id) VALUES (60, 6)",
            "INSERT INTO t SELECT 6, 61 FROM systables WHERE tabid = 1",
            false,
        ),
        ("DELETE FROM t WHERE id = 5", "INSERT INTO t VALUES (5, 51)", true),
        (
            "UPDATE t SET id = 7 WHERE id = 5",
            "INSERT INTO t VALUES (7, 51)",
            true,
        ),
        (
            "UPDATE t SET id = 7 WHERE id = 5",
            "INSERT INTO t VALUES (5, 51)",
            true,
        ),
        (
            "INSERT INTO k (c, n) VALUES ('new', 1)",
            "INSERT INTO k (c, n) VALUES ('new  ', 1)",
            true,
        ),
        (
            "DELETE FROM k WHERE c = 'old'",
            "INSERT INTO k (n, c) VALUES (1, 'old')",
            true,
        ),
        (
            "INSERT INTO k (c, n) VALUES ('new', 1)",
            "INSERT INTO k (c, n) VALUES ('new', 2)",
            false,
        ),
    ];
    for (first, second, meet) in cases {
        a.run("BEGIN");
        a.run(first);
        if meet {
            let error = b.fails(second);
            assert_eq!((error.sqlcode, error.isam), (-271, -107), "{first}; {second}");
            a.run("ROLLBACK");
        } else {
            std::thread::scope(|scope| {
                let waits = scope.spawn(|| {
                    let mut b = session(&engine, "testdb");
                    b.run("BEGIN");
                    let done = b.run_with(second, &[]).map(|o| o.rows).map_err(|e| e.sqlcode);
                    b.run("ROLLBACK");
                    done
                });
                until_waiting(&engine, 1);
                a.run("ROLLBACK");
                assert_eq!(waits.join().expect("b"), Ok(1), "{first}; {second}");
            });
        }
    }
    // One that waits finds out what became of it.
    for (end, expected) in [("COMMIT", Err(-268)), ("ROLLBACK", Ok(1))] {
        a.run("BEGIN");
        a.run("INSERT INTO t VALUES (6, 60)");
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| {
                let mut b = session(&engine, "testdb");
                b.run("SET LOCK MODE TO WAIT");
                b.run_with("INSERT INTO t VALUES (6, 61)", &[])
                    .map(|o| o.rows)
                    .map_err(|e| e.sqlcode)
            });
            until_waiting(&engine, 1);
            a.run(end);
            assert_eq!(waits.join().expect("b"), expected, "{end}");
        });
        a.run("DELETE FROM t WHERE id = 6");
    }
}

/// `sysmaster:syslocks` shows who has locked what, and who waits for it.
#[test]
fn locks_are_shown() {
    let (engine, mut a, mut b) = pair();
    let locks = |s: &mut informix_devserver::engine::Session| {
        s.texts(
            "SELECT TRIM(tabname), rowidlk, TRIM(type), owner, waiter FROM sysmaster:syslocks \
              WHERE dbsname = 'testdb' ORDER BY tabname, owner, rowidlk",
        )
    };
    let first = a.id();
    assert!(locks(&mut a).is_empty());
    a.run("BEGIN");
    a.run("UPDATE t SET v = 0 WHERE id IN (2, 3)");
    a.run("CREATE TEMP TABLE own (n INT)");
    a.run("INSERT INTO own VALUES (1)");
    let own = [
        format!("t|0|IX|{first}|NULL"),
        format!("t|2|X|{first}|NULL"),
        format!("t|3|X|{first}|NULL"),
    ];
    assert_eq!(locks(&mut b), own);
    std::thread::scope(|scope| {
        let (tell, told) = std::sync::mpsc::channel();
        let engine = &engine;
        let waiting = scope.spawn(move || {
            let mut c = session(engine, "testdb");
            tell.send(c.id()).expect("main thread");
            c.run("SET LOCK MODE TO WAIT");
            c.run("UPDATE t SET v = 1 WHERE id = 3");
        });
        until_waiting(engine, 1);
        let second = told.recv().expect("session");
        assert_eq!(locks(&mut b)[2], format!("t|3|X|{first}|{second}"));
        // Everybody has a lock on the database.
        assert_eq!(
            b.one("SELECT COUNT(DISTINCT owner) FROM sysmaster:syslocks WHERE tabname = 'sysdatabases' AND type = 'S'"),
            "3"
        );
        a.run("COMMIT");
        waiting.join().expect("waiting");
    });
    a.run("BEGIN");
    a.run("LOCK TABLE t IN SHARE MODE");
    assert_eq!(locks(&mut b), [format!("t|0|S|{first}|NULL")]);
    a.run("UPDATE t SET v = 0 WHERE id = 1");
    assert_eq!(
        locks(&mut b),
        [format!("t|0|SIX|{first}|NULL"), format!("t|1|X|{first}|NULL")]
    );
    a.run("ROLLBACK");
    a.run("BEGIN");
    a.run("SET ISOLATION TO REPEATABLE READ");
    a.one("SELECT v FROM t WHERE id = 4");
    assert_eq!(
        locks(&mut b),
        [format!("t|0|IS|{first}|NULL"), format!("t|4|S|{first}|NULL")]
    );
    a.run("COMMIT");
    assert!(locks(&mut b).is_empty());
}

/// Who names a table that somebody else is about to define cannot read the catalog.
#[test]
fn definitions_are_locked_until_the_end_of_the_transaction() {
    let (engine, mut a, mut b) = pair();
    a.run("CREATE TABLE u (n INT)");
    a.run("CREATE TABLE gone (n INT)");
    let prepared = b
        .prepare("SELECT v FROM t WHERE id = 1", &Default::default())
        .expect("prepare");
    for end in ["ROLLBACK", "COMMIT"] {
        a.run("BEGIN");
        a.run("CREATE TABLE made (n INT)");
        a.run("ALTER TABLE t ADD (w INT)");
        a.run("DROP TABLE gone");
        for isolation in ["COMMITTED READ", "DIRTY READ"] {
            b.run(&format!("SET ISOLATION TO {isolation}"));
            for statement in [
                "SELECT n FROM made",
                "SELECT v FROM t WHERE id = 1",
                "SELECT n FROM gone",
                "INSERT INTO made VALUES (1)",
                "UPDATE t SET v = 1",
                "DELETE FROM gone",
                "DROP TABLE t",
            ] {
                let error = b.fails(statement);
                assert_eq!((error.sqlcode, error.isam), (-211, -107), "{statement}");
                assert_eq!(error.token, "systables");
            }
        }
        // Nobody has touched these.
        assert_eq!(b.one("SELECT COUNT(*) FROM u"), "0");
        assert_eq!(b.fails("SELECT n FROM nowhere").sqlcode, -206);
        b.run("SET ISOLATION TO COMMITTED READ");
        let error = b
            .open_cursor(&prepared, &[], Default::default())
            .expect_err("locked");
        assert_eq!((error.sqlcode, error.isam), (-244, -113));
        // What waits goes on with what is there then.
        std::thread::scope(|scope| {
            let engine = &engine;
            let waiting = scope.spawn(move || {
                let mut c = session(engine, "testdb");
                c.run("SET LOCK MODE TO WAIT");
                c.run_with("SELECT n FROM made INTO TEMP copy", &[])
                    .map_err(|e| e.sqlcode)
            });
            until_waiting(engine, 1);
            a.run(end);
            let rows = waiting.join().expect("waiting").map(|outcome| outcome.rows);
            assert_eq!(rows, if end == "COMMIT" { Ok(0) } else { Err(-206) });
        });
        assert_eq!(b.one("SELECT v FROM t WHERE id = 1"), "10");
    }
    assert_eq!(b.fails("SELECT n FROM gone").sqlcode, -206);
    assert_eq!(b.one("SELECT COUNT(w) FROM t"), "0");
}
