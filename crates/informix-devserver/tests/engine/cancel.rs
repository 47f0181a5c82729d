//! Statements that are cancelled in the middle: they leave nothing, and the transaction around them goes on.

use informix_devserver::engine::Session;

use super::support::{Run, pair, testdb};

/// Rows of the table `t`; `n` runs from 1.
const ROWS: usize = 2000;

/// Says "stop" from the question number `after` on.
fn stop_after(session: &Session, after: usize) {
    let mut asked = 0;
    session.interrupt().set_poll(Some(Box::new(move || {
        asked += 1;
        asked > after
    })));
}

fn go_on(session: &Session) {
    session.interrupt().set_poll(None);
    session.interrupt().clear();
}

/// A table of numbers, one to change, and things that make statements slow.
fn prepared() -> Session {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT, v INT, c CHAR(20))");
    s.run("CREATE TABLE other (n INT, v INT, c CHAR(20))");
    s.run("CREATE INDEX other_n ON other (n)");
    s.run("CREATE TABLE log (n INT)");
    s.run("INSERT INTO t VALUES (1, 0, 'first')");
    let mut rows = 1;
    while rows < ROWS {
        s.run(&format!(
            "INSERT INTO t SELECT n + {rows}, v, c FROM t WHERE n + {rows} <= {ROWS}"
        ));
        rows *= 2;
    }
    s.run("INSERT INTO other SELECT * FROM t");
    s.run("CREATE PROCEDURE note(n INT) INSERT INTO log VALUES (n); END PROCEDURE");
    s.run(
        "CREATE FUNCTION slow(n INT) RETURNING INT; DEFINE i INT; INSERT INTO log VALUES (n); RETURN n; END FUNCTION",
    );
    s
}

/// What the statements may change, as one text.
fn state(s: &mut Session) -> String {
    let tables = ["t", "other", "log"].map(|table| {
        let columns = if table == "log" {
            "COUNT(*), SUM(n)"
        } else {
            "COUNT(*), SUM(n), SUM(v)"
        };
        s.one(&format!("SELECT {columns} FROM {table}"))
    });
    tables.join(" ")
}

/// Runs a statement with a cancel at ever later moments, until it comes to its end. Each time the transaction goes on
/// with what it did before.
fn cancel_everywhere(s: &mut Session, statement: &str) {
    let mut cancelled = 0;
    for after in std::iter::successors(Some(0), |after| Some(after + 1 + after / 2)) {
        s.run("BEGIN WORK");
        s.run("UPDATE t SET v = v + 1 WHERE n = 1");
        s.run("SAVEPOINT before");
        s.run("INSERT INTO log VALUES (-1)");
        let before = state(s);
        stop_after(s, after);
        let ran = s.run_with(statement, &[]);
        go_on(s);
        match ran {
            Ok(_) => {
                s.run("ROLLBACK WORK");
                break;
            }
            Err(error) => assert_eq!(error.sqlcode, -213, "{statement}: {error}"),
        }
        cancelled += 1;
        assert!(s.in_transaction(), "{statement}");
        assert_eq!(state(s), before, "{statement}, cancel number {after}");
        match cancelled % 3 {
            0 => {
                // The transaction goes on and commits.
                s.run("INSERT INTO log VALUES (7)");
                s.run("COMMIT WORK");
                assert_eq!(s.one("SELECT COUNT(*) FROM log WHERE n = 7"), "1");
                s.run("DELETE FROM log");
            }
            1 => {
                s.run("ROLLBACK TO SAVEPOINT before");
                assert_eq!(s.one("SELECT COUNT(*) FROM log"), "0");
                s.run("COMMIT WORK");
            }
            _ => {
                s.run("ROLLBACK WORK");
                assert_eq!(s.one("SELECT COUNT(*) FROM log"), "0");
            }
        }
    }
    assert!(cancelled > 0, "never cancelled: {statement}");
}

#[test]
fn a_cancelled_statement_is_undone_and_nothing_else() {
    let mut s = prepared();
    for statement in [
        "UPDATE t SET v = v + 1",
        "UPDATE t SET v = v + 1, c = n || 'x' WHERE n > 5",
        "UPDATE other SET v = (SELECT COUNT(*) FROM t WHERE t.n = other.n) WHERE n < 200",
        "DELETE FROM other",
        "DELETE FROM other WHERE n IN (SELECT a.n FROM t a, t b WHERE a.n = b.n + 1)",
        "INSERT INTO other SELECT * FROM t",
        "INSERT INTO other SELECT n + 1, v, c FROM other",
        "INSERT INTO other (n) VALUES ((SELECT COUNT(*) FROM t a, t b WHERE a.v + b.v = 1 AND b.n < 300))",
        "MERGE INTO other USING t ON other.n = t.n WHEN MATCHED THEN UPDATE SET v = t.v + 5 \
         WHEN NOT MATCHED THEN INSERT VALUES (t.n, t.v, t.c)",
        "SELECT a.n, b.v FROM t a, t b WHERE b.n < 20 INTO TEMP many",
    ] {
        cancel_everywhere(&mut s, statement);
    }
}

#[test]
fn loops_without_rows_are_cancelled_at_once() {
    let mut s = prepared();
    // None of them would ever end.
    for statement in [
        "UPDATE t SET v = 1 WHERE n = (SELECT COUNT(*) FROM t a, t b, t c, t d WHERE a.v + b.v + c.v + d.v = 99)",
        "DELETE FROM t WHERE EXISTS (SELECT 1 FROM t a, t b, t c, t d WHERE a.n + b.n + c.n + d.n < 0)",
        "INSERT INTO other SELECT a.n, b.n, c.c FROM t a, t b, t c, t d WHERE a.n + b.n + c.n + d.n < 0",
        "INSERT INTO other (n) WITH RECURSIVE r (n) AS (SELECT 1 FROM t WHERE n = 1 UNION ALL SELECT n FROM r) SELECT n FROM r WHERE n = 2",
        "MERGE INTO other USING (SELECT a.n FROM t a, t b, t c) x ON other.n + x.n = 0 WHEN MATCHED THEN DELETE",
        "SELECT a.n, b.v FROM t a, t b, t c WHERE a.n + b.n + c.n < 0 INTO TEMP many",
    ] {
        s.run("BEGIN WORK");
        s.run("INSERT INTO log VALUES (5)");
        stop_after(&s, 2);
        assert_eq!(s.fails(statement).sqlcode, -213, "{statement}");
        go_on(&s);
        s.run("COMMIT WORK");
        assert_eq!(s.one("SELECT COUNT(*) FROM log"), "1", "{statement}");
        s.run("DELETE FROM log");
    }
}

#[test]
fn triggers_and_routines_of_a_cancelled_statement_are_undone_with_it() {
    let mut s = prepared();
    s.run(
        "CREATE TRIGGER noted UPDATE ON other REFERENCING OLD AS o BEFORE (INSERT INTO log VALUES (-5)) \
         FOR EACH ROW (INSERT INTO log VALUES (o.n)) AFTER (INSERT INTO log VALUES (-6))",
    );
    s.run(
        "CREATE TRIGGER gone DELETE ON other REFERENCING OLD AS o FOR EACH ROW (EXECUTE PROCEDURE note(o.n))",
    );
    for statement in [
        "UPDATE other SET v = v + 1 WHERE n < 600",
        "DELETE FROM other WHERE n < 600",
        "INSERT INTO other (n) SELECT slow(n) FROM t WHERE n < 400",
        "UPDATE t SET v = slow(n) WHERE n < 400",
    ] {
        cancel_everywhere(&mut s, statement);
    }
}

#[test]
fn a_failing_statement_is_undone_and_nothing_else() {
    let mut s = prepared();
    s.run("CREATE TABLE keyed (n INT PRIMARY KEY, d INT CHECK (d <> 1900))");
    s.run("CREATE PROCEDURE fail_at(n INT) IF n = 1500 THEN RAISE EXCEPTION -746, 0, 'no'; END IF; INSERT INTO log VALUES (n); END PROCEDURE");
    s.run("CREATE FUNCTION fail_after(n INT) RETURNING INT; INSERT INTO log VALUES (n); RAISE EXCEPTION -746, 0, 'no'; RETURN n; END FUNCTION");
    s.run("CREATE TRIGGER failing DELETE ON other REFERENCING OLD AS o FOR EACH ROW (EXECUTE PROCEDURE fail_at(o.n))");
    for (statement, code) in [
        ("INSERT INTO keyed SELECT n, n FROM t", -530),
        ("INSERT INTO keyed SELECT MOD(n, 1900), 0 FROM t", -268),
        ("UPDATE t SET v = 1 / (n - 1900)", -1202),
        ("UPDATE t SET n = n + 1, v = 10 / (1900 - n) WHERE n > 10", -1202),
        ("DELETE FROM other", -746),
        ("INSERT INTO t (n) VALUES (fail_after(1))", -746),
        ("INSERT INTO t (n) SELECT fail_after(n) FROM other", -746),
    ] {
        s.run("BEGIN WORK");
        s.run("INSERT INTO log VALUES (7)");
        let before = state(&mut s);
        assert_eq!(s.fails(statement).sqlcode, code, "{statement}");
        assert_eq!(state(&mut s), before, "{statement}");
        assert_eq!(s.one("SELECT COUNT(*) FROM keyed"), "0", "{statement}");
        s.run("INSERT INTO log VALUES (8)");
        s.run("COMMIT WORK");
        assert_eq!(s.one("SELECT COUNT(*), SUM(n) FROM log"), "2|15", "{statement}");
        s.run("DELETE FROM log");
    }
}

#[test]
fn a_wait_for_a_lock_is_cancelled_without_the_transaction() {
    let (_engine, mut a, mut b) = pair();
    a.run("BEGIN");
    a.run("UPDATE t SET v = 0 WHERE id = 1");
    b.run("SET LOCK MODE TO WAIT");
    b.run("BEGIN");
    b.run("SAVEPOINT before");
    stop_after(&b, 3);
    assert_eq!(b.fails("UPDATE t SET v = 1").sqlcode, -213);
    go_on(&b);
    a.run("COMMIT");
    b.run("UPDATE t SET v = 2 WHERE id = 2");
    b.run("COMMIT");
    assert_eq!(a.one("SELECT SUM(v) FROM t WHERE id < 3"), "2");
}
