//! Sessions that follow one another in a database use the same SQLite connections: nothing of one may reach the next.

use std::sync::Arc;

use informix_devserver::engine::{
    Backing, CursorOptions, Engine, EngineConfig, PrepareOptions, Session, SessionOptions,
};

use crate::support::{Run, engine, session};

/// An engine whose `testdb` has tables with and without rows.
fn filled() -> Arc<Engine> {
    let engine = engine();
    let mut s = session(&engine, "testdb");
    s.run("CREATE TABLE parent (id INT PRIMARY KEY)");
    s.run("CREATE TABLE child (id INT REFERENCES parent (id) CONSTRAINT to_parent)");
    s.run("CREATE TABLE numbered (id SERIAL, v INT)");
    s.run("CREATE SEQUENCE q");
    engine
}

/// What a new session must find, whatever the ones before have done.
fn looks_new(engine: &Arc<Engine>, after: &str) {
    let mut options = SessionOptions::new("somebody");
    options.environment.push(("DBDATE".into(), "DMY4.".into()));
    let mut s = engine.session(options).expect("session");
    s.open_database("testdb", false).expect("database");
    assert_eq!(s.fails("SELECT * FROM tmp").sqlcode, -206, "{after}");
    assert_eq!(s.one("SELECT USER FROM systables WHERE tabid = 1"), "somebody");
    assert_eq!(
        s.one("SELECT DBINFO('sessionid') || '' FROM systables WHERE tabid = 1"),
        s.id().to_string(),
        "{after}"
    );
    let last = "SELECT DBINFO('sqlca.sqlerrd1') || '' FROM systables WHERE tabid = 1";
    assert_eq!(s.one(last), "0", "{after}");
    let date = "SELECT MDY(1, 2, 2003) || '' FROM systables WHERE tabid = 1";
    assert_eq!(s.one(date), "02.01.2003", "{after}");
    let current = s.fails("SELECT q.CURRVAL FROM systables WHERE tabid = 1");
    assert_eq!(current.sqlcode, -8315, "{after}");
    let orphan = s.fails("INSERT INTO child VALUES (99)");
    assert_eq!(orphan.sqlcode, -691, "{after}");
    assert_eq!(s.one("SELECT COUNT(*) FROM parent"), "0", "{after}");
    // Nobody holds a lock, and a temporary table of the same name is another one.
    s.run("BEGIN");
    s.run("LOCK TABLE numbered IN EXCLUSIVE MODE");
    s.run("CREATE TEMP TABLE tmp (other INT)");
    assert_eq!(s.one("SELECT COUNT(*) FROM tmp"), "0", "{after}");
}

/// What a session does before it ends.
type Way = fn(&mut Session);

#[test]
fn nothing_of_a_session_reaches_the_next() {
    let engine = filled();
    let ways: [(&str, Way); 11] = [
        ("nothing", |_| {}),
        ("a temporary table", |s| {
            s.run("CREATE TEMP TABLE tmp (a INT)");
            s.run("INSERT INTO tmp VALUES (1)");
        }),
        ("a temporary table, dropped", |s| {
            s.run("SELECT tabid FROM systables INTO TEMP tmp");
            s.run("DROP TABLE tmp");
        }),
        ("a temporary table, rolled back", |s| {
            s.run("BEGIN");
            s.run("CREATE TEMP TABLE tmp (a INT)");
            s.run("ROLLBACK");
        }),
        ("an open transaction", |s| {
            s.run("BEGIN");
            s.run("INSERT INTO parent VALUES (1)");
            s.run("CREATE TEMP TABLE tmp (a INT)");
        }),
        ("a table lock", |s| {
            s.run("BEGIN");
            s.run("LOCK TABLE numbered IN EXCLUSIVE MODE");
        }),
        ("deferred constraints", |s| {
            s.run("BEGIN");
            s.run("SET CONSTRAINTS ALL DEFERRED");
            s.run("INSERT INTO child VALUES (7)");
        }),
        ("serial and sequence values", |s| {
            s.run("INSERT INTO numbered VALUES (0, 1)");
            assert_eq!(s.rows("SELECT q.NEXTVAL FROM systables WHERE tabid = 1").len(), 1);
        }),
        ("other databases", |s| {
            assert_eq!(s.rows("SELECT * FROM sysmaster:sysdual").len(), 1);
            assert_eq!(
                s.rows("SELECT tabid FROM sysmaster:systables WHERE tabid = 1")
                    .len(),
                1
            );
        }),
        ("settings", |s| {
            s.run("SET ISOLATION TO REPEATABLE READ");
            s.run("SET LOCK MODE TO WAIT");
            s.run("SET ENVIRONMENT USELASTCOMMITTED 'ALL'");
        }),
        ("an interrupt", |s| s.interrupt().interrupt()),
    ];
    for (name, leave) in ways {
        let mut s = session(&engine, "testdb");
        leave(&mut s);
        drop(s);
        looks_new(&engine, name);
    }
}

#[test]
fn a_session_gone_in_the_middle_of_a_query_holds_up_nobody() {
    let engine = filled();
    let mut s = session(&engine, "testdb");
    let sql = "SELECT tabname FROM systables";
    let held = s.prepare(sql, &PrepareOptions::default()).expect("prepared");
    let cursor = s.open_cursor(&held, &[], CursorOptions::default());
    assert!(cursor.is_ok());
    drop(s);
    looks_new(&engine, "an open cursor");
    drop(held);
    looks_new(&engine, "a statement that outlived its session");
}

#[test]
fn a_schema_that_changed_meanwhile_is_seen() {
    let engine = filled();
    let (mut a, b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    drop(b);
    a.run("ALTER TABLE numbered ADD (w INT DEFAULT 5)");
    a.run("CREATE TABLE later (a INT)");
    a.run("INSERT INTO numbered VALUES (0, 1, 2)");
    // The connection that `b` had read the schema before that.
    let mut b = session(&engine, "testdb");
    assert_eq!(b.texts("SELECT v, w FROM numbered"), ["1|2"]);
    assert_eq!(b.texts("SELECT * FROM later"), Vec::<String>::new());
    a.run("DROP TABLE later");
    drop(a);
    assert_eq!(b.fails("SELECT * FROM later").sqlcode, -206);
}

#[test]
fn databases_are_dropped_and_renamed_behind_sessions_that_ended() {
    let directory = tempfile::tempdir().expect("directory");
    let open = || {
        let backing = Backing::Directory(directory.path().to_owned());
        Engine::open(EngineConfig {
            backing,
            ..EngineConfig::default()
        })
        .expect("engine")
    };
    let engine = open();
    let mut other = session(&engine, "sysmaster");
    for round in ["first", "second"] {
        session(&engine, "sysmaster").run("CREATE DATABASE d WITH LOG");
        let mut s = session(&engine, "d");
        assert_eq!(s.fails("SELECT * FROM t").sqlcode, -206, "{round}");
        s.run("CREATE TABLE t (a INT)");
        s.run("INSERT INTO t VALUES (1)");
        drop(s);
        if round == "first" {
            other.run("DROP DATABASE d");
        }
    }
    other.run("RENAME DATABASE d TO e");
    let mut s = session(&engine, "e");
    s.run("INSERT INTO t VALUES (2)");
    let name = "SELECT DBINFO('dbname') FROM systables WHERE tabid = 1";
    assert_eq!(s.one(name), "e");
    drop((s, other));
    // Idle connections do not keep the engine, nor the lock of its directory.
    let gone = Arc::downgrade(&engine);
    drop(engine);
    assert!(gone.upgrade().is_none());
    let engine = open();
    assert_eq!(engine.database_names(), ["e", "sysmaster", "testdb"]);
    assert_eq!(
        session(&engine, "e").texts("SELECT a FROM t ORDER BY a"),
        ["1", "2"]
    );
}
