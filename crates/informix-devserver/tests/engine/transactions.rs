//! Transactions, savepoints, two sessions, database modes.

use informix_devserver::engine::{CursorOptions, DatabaseMode, PlainRows, PrepareOptions};
use informix_types::RowForm;

use crate::support::{Run, engine, session, testdb};

#[test]
fn commit_and_rollback() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (n INT)");
    b.run("SET ISOLATION TO COMMITTED READ LAST COMMITTED");
    a.run("BEGIN WORK");
    assert_eq!(a.fails("BEGIN").sqlcode, -535);
    a.run("INSERT INTO t VALUES (1)");
    assert_eq!(b.one("SELECT COUNT(*) FROM t"), "0");
    a.run("COMMIT WORK");
    assert_eq!(b.one("SELECT COUNT(*) FROM t"), "1");
    a.run("BEGIN");
    a.run("DELETE FROM t");
    a.run("ROLLBACK");
    assert_eq!(b.one("SELECT COUNT(*) FROM t"), "1");
    for statement in ["COMMIT", "ROLLBACK WORK", "SAVEPOINT s"] {
        assert_eq!(a.fails(statement).sqlcode, -255, "{statement}");
    }
    assert!(!a.in_transaction());
}

#[test]
fn reads_in_a_transaction_see_what_others_commit() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (n INT)");
    a.run("BEGIN");
    assert_eq!(a.one("SELECT COUNT(*) FROM t"), "0");
    b.run("INSERT INTO t VALUES (1)");
    assert_eq!(a.one("SELECT COUNT(*) FROM t"), "1");
    // And writing after that is no conflict.
    a.run("INSERT INTO t VALUES (2)");
    a.run("COMMIT");
    assert_eq!(b.one("SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn an_open_cursor_is_no_obstacle_to_writing() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (n INT)");
    for n in 0..100 {
        a.run(&format!("INSERT INTO t VALUES ({n})"));
    }
    let prepared = a
        .prepare("SELECT n FROM t", &PrepareOptions::default())
        .expect("prepare");
    let cursor = a
        .open_cursor(&prepared, &[], CursorOptions::default())
        .expect("open");
    a.fetch(cursor, 4, RowForm::default(), &mut PlainRows::default())
        .expect("fetch");
    b.run("INSERT INTO t VALUES (100)");
    a.run("INSERT INTO t VALUES (101)");
    let mut out = PlainRows::default();
    while !a
        .fetch(cursor, 4096, RowForm::default(), &mut out)
        .expect("fetch")
        .done
    {}
    assert_eq!(out.ends.len(), 99);
}

#[test]
fn writers_wait_for_one_another_and_then_give_up() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (n INT)");
    a.run("BEGIN");
    a.run("INSERT INTO t VALUES (1)");
    let error = b.fails("INSERT INTO t VALUES (2)");
    assert_eq!(
        (error.sqlcode, error.isam, error.token.as_str()),
        (-271, -107, "t")
    );
    assert_eq!(b.fails("UPDATE t SET n = 3").isam, -107);
    b.run("BEGIN");
    assert_eq!(b.fails("DELETE FROM t").isam, -107);
    a.run("COMMIT");
    // The failure has not ended b's transaction, nor tied it to an old state.
    b.run("INSERT INTO t VALUES (2)");
    b.run("COMMIT");
    assert_eq!(a.one("SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn a_session_that_ends_leaves_nothing_behind() {
    let engine = engine();
    let mut a = session(&engine, "testdb");
    let mut b = session(&engine, "testdb");
    a.run("CREATE TABLE t (n INT)");
    a.run("BEGIN");
    a.run("INSERT INTO t VALUES (1)");
    a.run("CREATE TEMP TABLE mine (n INT)");
    let prepared = a
        .prepare("SELECT n FROM t", &PrepareOptions::default())
        .expect("prepare");
    drop(a);
    b.run("INSERT INTO t VALUES (2)");
    assert_eq!(b.texts("SELECT n FROM t"), ["2"]);
    assert_eq!(b.fails("SELECT * FROM mine").sqlcode, -206);
    // A statement of the dead session holds no file open.
    b.run("CLOSE DATABASE");
    b.run("DROP DATABASE testdb");
    drop(prepared);
    assert_eq!(b.fails("DATABASE testdb").sqlcode, -329);
}

#[test]
fn savepoints() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT)");
    s.run("BEGIN");
    // Set before anything is written.
    s.run("SAVEPOINT one");
    s.run("INSERT INTO t VALUES (1)");
    s.run("SAVEPOINT two UNIQUE");
    s.run("INSERT INTO t VALUES (2)");
    assert_eq!(s.fails("SAVEPOINT two").sqlcode, -32027);
    s.run("ROLLBACK TO SAVEPOINT two");
    assert_eq!(s.texts("SELECT n FROM t"), ["1"]);
    s.run("INSERT INTO t VALUES (3)");
    s.run("ROLLBACK WORK TO SAVEPOINT");
    s.run("RELEASE SAVEPOINT two");
    assert_eq!(s.fails("ROLLBACK TO SAVEPOINT two").sqlcode, -32026);
    s.run("ROLLBACK TO SAVEPOINT one");
    assert_eq!(s.one("SELECT COUNT(*) FROM t"), "0");
    s.run("INSERT INTO t VALUES (4)");
    s.run("COMMIT");
    assert_eq!(s.texts("SELECT n FROM t"), ["4"]);
}

#[test]
fn a_failing_statement_changes_nothing() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT UNIQUE)");
    s.run("CREATE TABLE source (n INT, c CHAR(10))");
    for n in [1, 2, 3, 2] {
        s.run(&format!("INSERT INTO source VALUES ({n}, '{n}')"));
    }
    s.run("INSERT INTO source VALUES (9, 'nine')");
    for begin in [false, true] {
        if begin {
            s.run("BEGIN");
            s.run("INSERT INTO t VALUES (100)");
        }
        let before = s.texts("SELECT n FROM t");
        assert_eq!(s.fails("INSERT INTO t SELECT n FROM source").sqlcode, -268);
        // An error of a function in the middle of the rows.
        assert_eq!(
            s.fails("INSERT INTO t SELECT c::INT + 10 FROM source WHERE n <> 2")
                .sqlcode,
            -1213
        );
        assert_eq!(s.fails("UPDATE source SET n = c::INT + 1").sqlcode, -1213);
        assert_eq!(s.texts("SELECT n FROM t"), before);
        assert_eq!(s.one("SELECT SUM(n) FROM source"), "17");
        if begin {
            s.run("COMMIT");
            assert_eq!(s.texts("SELECT n FROM t"), ["100"]);
        }
    }
}

#[test]
fn ddl_rolls_back() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE kept (n INT, m INT)");
    a.run("BEGIN");
    a.run("CREATE TABLE gone (n INT PRIMARY KEY)");
    a.run("INSERT INTO gone VALUES (1)");
    a.run("ALTER TABLE kept ADD (x INT DEFAULT 5)");
    a.run("ALTER TABLE kept ADD CONSTRAINT CHECK (n > 0) CONSTRAINT positive");
    a.run("DROP TABLE gone");
    a.run("CREATE TABLE gone (other CHAR(3))");
    a.run("CREATE TEMP TABLE tmp (n INT)");
    assert_eq!(a.fails("INSERT INTO kept VALUES (-1, 1, 1)").sqlcode, -530);
    a.run("ROLLBACK");
    for s in [&mut a, &mut b] {
        assert_eq!(s.fails("SELECT * FROM gone").sqlcode, -206);
        assert_eq!(s.one("SELECT ncols FROM systables WHERE tabname = 'kept'"), "2");
    }
    assert_eq!(a.fails("SELECT * FROM tmp").sqlcode, -206);
    a.run("INSERT INTO kept VALUES (-1, 1)");
    assert_eq!(b.texts("SELECT * FROM kept"), ["-1|1"]);
}

#[test]
fn a_prepared_statement_follows_the_schema() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (n INT)");
    let insert = a
        .prepare("INSERT INTO t VALUES (1)", &PrepareOptions::default())
        .expect("prepare");
    let select = a
        .prepare("SELECT * FROM t", &PrepareOptions::default())
        .expect("prepare");
    a.execute(&insert, &[]).expect("first");
    b.run("CREATE INDEX i ON t (n)");
    a.execute(&insert, &[]).expect("second");
    b.run("ALTER TABLE t ADD (m INT)");
    assert_eq!(a.execute(&insert, &[]).map_err(|e| e.sqlcode), Err(-236));
    assert_eq!(
        a.open_cursor(&select, &[], CursorOptions::default())
            .map_err(|e| e.sqlcode),
        Err(-710)
    );
    b.run("DROP TABLE t");
    assert_eq!(a.execute(&insert, &[]).map_err(|e| e.sqlcode), Err(-206));
}

#[test]
fn database_modes() {
    let engine = engine();
    let mut s = engine
        .session(informix_devserver::engine::SessionOptions::new("joe"))
        .expect("session");
    assert_eq!(s.fails("SELECT 1 FROM systables").sqlcode, -349);
    assert_eq!(
        s.open_database("nowhere", false)
            .map_err(|e| (e.sqlcode, e.isam, e.token)),
        Err((-329, -111, "nowhere".into()))
    );
    let made = s.run("CREATE DATABASE plain");
    assert_eq!(made.database.map(|d| d.warnings()), Some(0x14));
    for statement in ["BEGIN", "COMMIT", "ROLLBACK"] {
        assert_eq!(s.fails(statement).sqlcode, -256, "{statement}");
    }
    s.run("CREATE TABLE t (n INT)");
    s.run("INSERT INTO t VALUES (1)");
    assert_eq!(
        s.run("CREATE DATABASE logged WITH LOG")
            .database
            .map(|d| d.warnings()),
        Some(0x15)
    );
    assert_eq!(s.one("SELECT n FROM plain:t"), "1");
    s.run("BEGIN");
    assert_eq!(s.fails("DATABASE plain").sqlcode, -377);
    s.run("ROLLBACK");
    assert_eq!(s.fails("CREATE DATABASE logged").sqlcode, -330);
    assert_eq!(
        s.run("CREATE DATABASE strict WITH LOG MODE ANSI")
            .database
            .map(|d| d.warnings()),
        Some(0x17)
    );
    s.run("CREATE TABLE a (c CHAR(3))");
    assert_eq!(s.fails("INSERT INTO a VALUES ('long')").sqlcode, -1279);
    s.run("INSERT INTO a VALUES ('abc')");
    assert!(s.in_transaction());
    s.run("ROLLBACK");
    assert_eq!(s.fails("INSERT INTO a VALUES ('abc')").sqlcode, -206);
    assert_eq!(s.fails("DROP DATABASE strict").sqlcode, -359);
    s.run("CLOSE DATABASE");
    s.run("DROP DATABASE strict");
    assert_eq!(
        engine.database_names(),
        ["logged", "plain", "sysmaster", "testdb"]
    );
    assert_eq!(
        engine.database_info("plain").map(|i| i.mode),
        Some(DatabaseMode::Unlogged)
    );
}

#[test]
fn held_cursors_survive_a_commit() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT)");
    for n in 0..10 {
        s.run(&format!("INSERT INTO t VALUES ({n})"));
    }
    let prepared = s
        .prepare("SELECT n FROM t", &PrepareOptions::default())
        .expect("prepare");
    s.run("BEGIN");
    let held = CursorOptions {
        hold: true,
        ..CursorOptions::default()
    };
    let held = s.open_cursor(&prepared, &[], held).expect("open");
    let plain = s
        .open_cursor(&prepared, &[], CursorOptions::default())
        .expect("open");
    s.run("DELETE FROM t WHERE n > 4");
    s.run("COMMIT");
    assert!(s.is_cursor_open(held));
    assert!(!s.is_cursor_open(plain));
    let mut out = PlainRows::default();
    while !s
        .fetch(held, 4096, RowForm::default(), &mut out)
        .expect("fetch")
        .done
    {}
    assert_eq!(out.ends.len(), 10);
}

#[test]
fn a_running_statement_can_be_interrupted() {
    let mut s = testdb();
    let mut asked = 0;
    s.interrupt().set_poll(Some(Box::new(move || {
        asked += 1;
        asked > 2
    })));
    let error = s.fails("SELECT COUNT(*) FROM systables a, systables b, systables c, systables d");
    assert_eq!(error.sqlcode, -213);
    s.interrupt().set_poll(None);
    assert_eq!(s.one("SELECT COUNT(*) FROM systables WHERE tabid = 1"), "1");
}

#[test]
fn many_sessions_at_once() {
    const SESSIONS: usize = 16;
    const ROWS: usize = 20;
    let config = informix_devserver::engine::EngineConfig::default();
    let engine = informix_devserver::engine::Engine::open(config).expect("engine");
    session(&engine, "testdb").run("CREATE TABLE t (id SERIAL PRIMARY KEY, who INT, n INT)");
    std::thread::scope(|scope| {
        for who in 0..SESSIONS {
            let engine = &engine;
            scope.spawn(move || {
                let mut s = session(engine, "testdb");
                s.run("SET LOCK MODE TO WAIT");
                for n in 0..ROWS {
                    // Half of them in transactions of two statements that read in between.
                    if who % 2 == 0 {
                        s.run("BEGIN");
                        s.run(&format!("INSERT INTO t (who, n) VALUES ({who}, {n})"));
                        s.one(&format!("SELECT COUNT(*) FROM t WHERE who = {who}"));
                        s.run(&format!(
                            "UPDATE t SET n = n + 1000 WHERE who = {who} AND n = {n}"
                        ));
                        s.run("COMMIT");
                    } else {
                        s.one("SELECT COUNT(*) FROM t");
                        s.run(&format!("INSERT INTO t (who, n) VALUES ({who}, {})", n + 1000));
                    }
                }
            });
        }
    });
    let mut s = session(&engine, "testdb");
    let all = (SESSIONS * ROWS).to_string();
    assert_eq!(
        s.one("SELECT COUNT(DISTINCT id), COUNT(*) FROM t WHERE n >= 1000"),
        format!("{all}|{all}")
    );
}

#[test]
fn other_databases_inside_a_transaction() {
    let engine = engine();
    let mut s = session(&engine, "testdb");
    s.run("CREATE DATABASE other WITH LOG");
    s.run("CREATE TABLE o (id SERIAL, n INT)");
    s.run("DATABASE testdb");
    s.run("CREATE TABLE t (n INT)");
    s.run("BEGIN");
    s.run("INSERT INTO t VALUES (1)");
    assert_eq!(s.one("SELECT COUNT(*) FROM sysmaster:sysdatabases"), "3");
    assert_eq!(s.run("INSERT INTO other:o (n) SELECT n FROM t").serial, 1);
    s.run("ROLLBACK");
    assert_eq!(s.one("SELECT COUNT(*) FROM other:o"), "0");
    assert_eq!(s.run("INSERT INTO other:o (n) VALUES (5)").serial, 2);
    assert_eq!(s.one("SELECT n FROM other:\"informix\".o"), "5");
    let mut b = engine
        .session(informix_devserver::engine::SessionOptions::new("b"))
        .expect("session");
    assert_eq!(b.fails("DROP DATABASE other").sqlcode, -359);
    drop(s);
    b.run("DROP DATABASE other");
}

#[test]
fn an_error_in_a_cursor_belongs_to_its_fetch() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT)");
    for n in [1, 2, 0, 4] {
        s.run(&format!("INSERT INTO t VALUES ({n})"));
    }
    let prepared = s
        .prepare("SELECT 10 / n FROM t", &PrepareOptions::default())
        .expect("prepare");
    let cursor = s
        .open_cursor(&prepared, &[], CursorOptions::default())
        .expect("open");
    let mut out = PlainRows::default();
    s.fetch(cursor, 1, RowForm::default(), &mut out).expect("first");
    // Writing takes the rest of the cursor into memory; what fails there is not the INSERT.
    assert_eq!(s.run("INSERT INTO t VALUES (5)").rows, 1);
    let mut failed = None;
    for _ in 0..5 {
        match s.fetch(cursor, 1, RowForm::default(), &mut out) {
            Ok(fetched) if fetched.done => break,
            Ok(_) => {}
            Err(error) => {
                failed = Some(error.sqlcode);
                break;
            }
        }
    }
    assert_eq!((out.ends.len(), failed), (2, Some(-1202)));
}

#[test]
fn more_databases_than_sqlite_attaches_and_names_that_it_has_itself() {
    let engine = engine();
    let mut s = session(&engine, "testdb");
    let mut names: Vec<String> = (0..12).map(|n| format!("other{n}")).collect();
    names.extend(["main".to_owned(), "temp".to_owned()]);
    for name in &names {
        s.run(&format!("CREATE DATABASE {name} WITH LOG"));
        s.run("CREATE TABLE who (n VARCHAR(20))");
        s.run(&format!("INSERT INTO who VALUES ('{name}')"));
    }
    s.run("DATABASE testdb");
    s.run("CREATE TABLE who (n VARCHAR(20))");
    s.run("INSERT INTO who VALUES ('testdb')");
    let first = s
        .prepare("SELECT n FROM other0:who", &PrepareOptions::default())
        .expect("prepare");
    for round in 0..2 {
        for name in &names {
            assert_eq!(s.one(&format!("SELECT n FROM {name}:who")), *name, "{round}");
            s.run(&format!("INSERT INTO {name}:who VALUES ('more')"));
            s.run(&format!("DELETE FROM {name}:who WHERE n = 'more'"));
            assert_eq!(
                s.one(&format!(
                    "SELECT FIRST 1 n FROM testdb:who x WHERE EXISTS (SELECT 1 FROM {name}:who)"
                )),
                "testdb"
            );
        }
        // Prepared before its database was let go of.
        let cursor = s
            .open_cursor(&first, &[], CursorOptions::default())
            .expect("open");
        let mut out = PlainRows::default();
        s.fetch(cursor, 4096, RowForm::default(), &mut out)
            .expect("fetch");
        assert_eq!(out.ends.len(), 1);
        s.close_cursor(cursor).expect("close");
    }
    s.run("DROP DATABASE other1");
}
