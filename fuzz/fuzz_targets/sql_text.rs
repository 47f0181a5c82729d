//! Any text as a statement: split, parsed with and without DELIMIDENT, and prepared in a session that has tables.
//!
//! Nothing is executed: a text may ask for a join that never ends.
#![no_main]

use informix_devserver::engine::{Engine, EngineConfig, PrepareOptions, Session, SessionOptions};
use informix_devserver::sql::{ParseOptions, parse_statements, split_script};
use libfuzzer_sys::fuzz_target;

const SCHEMA: [&str; 3] = [
    "CREATE TABLE t (a INTEGER, b VARCHAR(20), c DECIMAL(10,2), d DATE, e DATETIME YEAR TO SECOND, f BOOLEAN, id SERIAL)",
    "CREATE TABLE u (a INTEGER, g INTERVAL DAY TO SECOND, h CHAR(5), i TEXT, j FLOAT)",
    "CREATE VIEW v (a, n) AS SELECT a, COUNT(*) FROM t GROUP BY a",
];

fn session() -> Session {
    let engine = Engine::open(EngineConfig::default()).expect("an engine in memory");
    let mut session = engine
        .session(SessionOptions::new("informix"))
        .expect("a session");
    session.open_database("testdb", false).expect("testdb");
    for text in SCHEMA {
        let prepared = session
            .prepare(text, &PrepareOptions::default())
            .expect("a schema statement");
        session.execute(&prepared, &[]).expect("a schema statement");
    }
    session
}

thread_local! {
    static SESSION: std::cell::RefCell<Session> = std::cell::RefCell::new(session());
}

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    for delimident in [false, true] {
        let _ = parse_statements(&text, &ParseOptions { delimident });
    }
    let _ = split_script(&text);
    SESSION.with_borrow_mut(|session| {
        let _ = session.prepare(&text, &PrepareOptions::default());
    });
});
