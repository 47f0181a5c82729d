//! Values of every type in and out, SERIAL, cursors.

use crate::support::{Run, testdb};

#[test]
fn first_steps() {
    let mut s = testdb();
    s.run("CREATE TABLE t (id SERIAL PRIMARY KEY, name VARCHAR(20), n INT DEFAULT 7)");
    let outcome = s.run("INSERT INTO t (name) VALUES ('one')");
    assert_eq!((outcome.rows, outcome.serial), (1, 1));
    s.run("INSERT INTO t VALUES (0, 'two', 5)");
    assert_eq!(
        s.texts("SELECT id, name, n FROM t ORDER BY id"),
        ["1|one|7", "2|two|5"]
    );
    assert_eq!(s.one("SELECT COUNT(*) FROM systables WHERE tabname = 't'"), "1");
    assert_eq!(s.one("SELECT tabid FROM systables WHERE tabname = 't'"), "100");
}
