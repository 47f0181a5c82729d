//! Circles of waiting, and many sessions in any order.

use std::sync::atomic::{AtomicU64, Ordering};

use informix_devserver::SqlError;
use informix_devserver::engine::{CursorOptions, PlainRows, PrepareOptions, Session};
use informix_types::RowForm;

use crate::support::{Run, pair, session, until_waiting};

/// Reads one row FOR UPDATE, and keeps it locked.
fn lock_row(session: &mut Session, id: i32) -> Result<(), SqlError> {
    let sql = format!("SELECT v FROM t WHERE id = {id} FOR UPDATE");
    let prepared = session.prepare(&sql, &PrepareOptions::default())?;
    let cursor = session.open_cursor(&prepared, &[], CursorOptions::default())?;
    session.fetch(cursor, 4096, RowForm::default(), &mut PlainRows::default())?;
    Ok(())
}

#[test]
fn two_rows_in_opposite_order() {
    let (engine, mut a, mut b) = pair();
    for s in [&mut a, &mut b] {
        s.run("SET LOCK MODE TO WAIT");
        s.run("SET ISOLATION TO COMMITTED READ RETAIN UPDATE LOCKS");
        s.run("BEGIN");
    }
    lock_row(&mut a, 1).expect("row 1");
    std::thread::scope(|scope| {
        let (locked, is_locked) = std::sync::mpsc::channel();
        let engine = &engine;
        let waits = scope.spawn(move || {
            let mut b = session(engine, "testdb");
            b.run("SET LOCK MODE TO WAIT");
            b.run("SET ISOLATION TO COMMITTED READ RETAIN UPDATE LOCKS");
            b.run("BEGIN");
            lock_row(&mut b, 2).expect("row 2");
            locked.send(()).expect("told");
            lock_row(&mut b, 1).expect("row 1, later");
            b.run("UPDATE t SET v = v + 1 WHERE id < 3");
            b.run("COMMIT");
        });
        is_locked.recv().expect("told");
        until_waiting(engine, 1);
        let error = lock_row(&mut a, 2).expect_err("a circle");
        assert_eq!((error.sqlcode, error.isam), (-244, -143));
        // The transaction is still there, and so is its lock.
        assert_eq!(engine.waiting_sessions(), 1);
        a.run("ROLLBACK");
        waits.join().expect("b");
    });
    assert_eq!(a.texts("SELECT v FROM t WHERE id < 3 ORDER BY id"), ["11", "21"]);
}

#[test]
fn rows_of_two_databases_in_opposite_order() {
    let (engine, mut a, _) = pair();
    a.run("CREATE DATABASE other WITH LOG");
    a.run("CREATE TABLE t (id INT, v INT)");
    a.run("INSERT INTO t VALUES (1, 10)");
    a.run("DATABASE testdb");
    a.run("SET LOCK MODE TO WAIT");
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    std::thread::scope(|scope| {
        let (written, is_written) = std::sync::mpsc::channel();
        let engine = &engine;
        let waits = scope.spawn(move || {
            let mut b = session(engine, "other");
            b.run("SET LOCK MODE TO WAIT");
            b.run("BEGIN");
            b.run("UPDATE t SET v = 12");
            written.send(()).expect("told");
            b.run("UPDATE testdb:t SET v = 12 WHERE id = 1");
            b.run("COMMIT");
        });
        is_written.recv().expect("told");
        until_waiting(engine, 1);
        let error = a.fails("UPDATE other:t SET v = 11");
        assert_eq!((error.sqlcode, error.isam), (-346, -143));
        a.run("ROLLBACK");
        waits.join().expect("b");
    });
    assert_eq!(a.one("SELECT v FROM t WHERE id = 1"), "12");
    assert_eq!(a.one("SELECT v FROM other:t"), "12");
}

#[test]
fn three_sessions_in_a_circle() {
    let (engine, mut a, _) = pair();
    let retain = "SET ISOLATION TO COMMITTED READ RETAIN UPDATE LOCKS";
    a.run("SET LOCK MODE TO WAIT");
    a.run(retain);
    a.run("BEGIN");
    lock_row(&mut a, 1).expect("row 1");
    std::thread::scope(|scope| {
        let engine = &engine;
        let mut others = Vec::new();
        for (waiting, (own, wanted)) in [(2, 1), (3, 2)].into_iter().enumerate() {
            others.push(scope.spawn(move || {
                let mut s = session(engine, "testdb");
                s.run("SET LOCK MODE TO WAIT");
                s.run(retain);
                s.run("BEGIN");
                lock_row(&mut s, own).expect("own row");
                let got = lock_row(&mut s, wanted);
                s.run("ROLLBACK");
                got
            }));
            until_waiting(engine, waiting + 1);
        }
        assert_eq!(lock_row(&mut a, 3).map_err(|e| e.isam), Err(-143));
        a.run("ROLLBACK");
        for other in others {
            other.join().expect("session").expect("its row");
        }
    });
}

#[test]
fn a_circle_that_somebody_leaves_is_none() {
    // b has read a row for update; a, which has written, wants that row with a limit; b wants to write another row.
    let (engine, mut a, _) = pair();
    a.run("SET LOCK MODE TO WAIT 1");
    a.run("BEGIN");
    a.run("UPDATE t SET v = 11 WHERE id = 1");
    std::thread::scope(|scope| {
        let engine = &engine;
        let (locked, is_locked) = std::sync::mpsc::channel();
        let writes = scope.spawn(move || {
            let mut b = session(engine, "testdb");
            b.run("SET LOCK MODE TO WAIT");
            b.run("SET ISOLATION TO COMMITTED READ RETAIN UPDATE LOCKS");
            b.run("BEGIN");
            lock_row(&mut b, 2).expect("row 2");
            locked.send(()).expect("told");
            // Other rows than a's: only SQLite makes it wait.
            b.run("UPDATE t SET v = 31 WHERE id = 3");
            b.run("COMMIT");
        });
        is_locked.recv().expect("told");
        until_waiting(engine, 1);
        let error = a.fails("UPDATE t SET v = 22 WHERE id = 2");
        assert_eq!((error.sqlcode, error.isam), (-346, -154));
        a.run("COMMIT");
        writes.join().expect("b");
    });
    assert_eq!(
        a.texts("SELECT v FROM t WHERE id < 4 ORDER BY id"),
        ["11", "20", "31"]
    );
}

/// A generator of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn transfers_in_any_order_lose_nothing() {
    const SESSIONS: u64 = 4;
    const TRANSFERS: u64 = 12;
    for run in 0..20 {
        let (engine, mut all, _) = pair();
        let given_up = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for who in 0..SESSIONS {
                let (engine, given_up) = (&engine, &given_up);
                scope.spawn(move || {
                    let mut s = session(engine, "testdb");
                    let mut numbers = Numbers(run * 1000 + who);
                    if !(who + run).is_multiple_of(3) {
                        s.run("SET LOCK MODE TO WAIT");
                    }
                    let isolation = [
                        "COMMITTED READ",
                        "REPEATABLE READ",
                        "CURSOR STABILITY",
                        "COMMITTED READ RETAIN UPDATE LOCKS",
                    ];
                    let isolation = isolation[usize::try_from(numbers.below(4)).unwrap_or(0)];
                    s.run(&format!("SET ISOLATION TO {isolation}"));
                    let mut done = 0;
                    while done < TRANSFERS {
                        let (from, to) = (numbers.below(5) + 1, numbers.below(5) + 1);
                        let way = numbers.below(3);
                        s.run("BEGIN");
                        match transfer(&mut s, from, to, way) {
                            Ok(()) => {
                                s.run("COMMIT");
                                done += 1;
                            }
                            Err(error) => {
                                assert!([-107, -143].contains(&error.isam), "{error}");
                                given_up.fetch_add(1, Ordering::Relaxed);
                                s.run("ROLLBACK");
                                std::thread::yield_now();
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(all.one("SELECT SUM(v) FROM t"), "150", "run {run}");
        assert_eq!(engine.waiting_sessions(), 0);
        // Nothing is locked any more.
        all.run("BEGIN");
        all.run("LOCK TABLE t IN EXCLUSIVE MODE");
        all.run("COMMIT");
    }
}

/// Moves 1 by reading, computing here, and writing: what is read must not change meanwhile.
fn transfer(s: &mut Session, from: u64, to: u64, way: u64) -> Result<(), SqlError> {
    for (id, change) in [(from, -1), (to, 1)] {
        match way {
            0 => {
                s.run_with(&format!("UPDATE t SET v = v + {change} WHERE id = {id}"), &[])?;
            }
            1 => {
                let sql = format!("SELECT v FROM t WHERE id = {id} FOR UPDATE");
                let prepared = s.prepare(&sql, &PrepareOptions::default())?;
                let options = CursorOptions {
                    name: "c".to_owned(),
                    ..CursorOptions::default()
                };
                let cursor = s.open_cursor(&prepared, &[], options)?;
                let mut rows = PlainRows::default();
                let fetched = s.fetch(cursor, 4096, RowForm::default(), &mut rows);
                let changed = fetched.and_then(|_| {
                    let row: [u8; 4] = rows.iter().next().and_then(|r| r.try_into().ok()).expect("a row");
                    let v = i32::from_be_bytes(row) + change;
                    s.run_with(&format!("UPDATE t SET v = {v} WHERE CURRENT OF c"), &[])
                });
                s.close_cursor(cursor)?;
                changed?;
            }
            // Others may take it from under a reader below Repeatable Read, so the row is taken first.
            _ => {
                s.run_with(&format!("UPDATE t SET v = v WHERE id = {id}"), &[])?;
                let v: i32 = s.try_rows(&format!("SELECT v FROM t WHERE id = {id}"), &[])?[0][0]
                    .to_string()
                    .parse()
                    .expect("a number");
                s.run_with(&format!("UPDATE t SET v = {} WHERE id = {id}", v + change), &[])?;
            }
        }
    }
    Ok(())
}
