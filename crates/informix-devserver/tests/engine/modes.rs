//! Views WITH CHECK OPTION, and object modes: SET CONSTRAINTS, INDEXES, TRIGGERS.

use crate::support::{Run, engine, session, testdb};

#[test]
fn a_view_with_check_option_keeps_rows_that_it_shows() {
    let mut s = testdb();
    s.run("CREATE TABLE t (id SERIAL, a INT, c CHAR(5) DEFAULT 'x', d DECIMAL(5,2))");
    s.run("CREATE VIEW v (key, amount, price) AS SELECT id, a, d FROM t WHERE a > 10 AND c = 'x' WITH CHECK OPTION");
    s.run("CREATE VIEW free (key, amount) AS SELECT id, a FROM t WHERE a > 10");
    for transaction in [false, true] {
        if transaction {
            s.run("BEGIN");
            s.run("INSERT INTO t (a) VALUES (0)");
        }
        let before = s.one("SELECT COUNT(*), SUM(a) FROM t");
        s.run("INSERT INTO v (amount, price) VALUES (11, 1.5)");
        for (statement, wrong) in [
            ("INSERT INTO v (amount) VALUES (10)", -385),
            ("INSERT INTO v (amount) VALUES (NULL)", -385),
            ("INSERT INTO v (price) VALUES (1)", -385),
            ("INSERT INTO v (amount) SELECT a - 1 FROM t WHERE a = 11", -385),
            ("UPDATE v SET amount = amount - 1", -385),
            ("UPDATE v SET amount = NULL WHERE price = 1.5", -385),
        ] {
            let error = s.fails(statement);
            assert_eq!((error.sqlcode, error.token.as_str()), (wrong, "v"), "{statement}");
        }
        // The base table and a view without the option take them.
        s.run("UPDATE free SET amount = 5 WHERE amount = 11");
        s.run("UPDATE t SET a = 12 WHERE a = 5");
        assert_eq!(s.run("UPDATE v SET amount = amount + 1, price = 2").rows, 1);
        // Rows that it does not show are not its business.
        assert_eq!(s.run("UPDATE v SET amount = 1 WHERE amount < 5").rows, 0);
        assert_eq!(s.one("SELECT amount, price FROM v"), "13|2.00");
        assert_eq!(s.run("INSERT INTO v (amount) SELECT amount + 1 FROM v").rows, 1);
        assert_eq!(s.run("DELETE FROM v").rows, 2);
        assert_eq!(s.one("SELECT COUNT(*), SUM(a) FROM t"), before);
        if transaction {
            s.run("COMMIT");
        }
    }
}

#[test]
fn triggers_that_are_disabled_do_not_fire() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT)");
    s.run("CREATE TABLE log (who CHAR(4))");
    s.run("CREATE TRIGGER one INSERT ON t FOR EACH ROW (INSERT INTO log VALUES ('one'))");
    s.run("CREATE TRIGGER two INSERT ON t AFTER (INSERT INTO log VALUES ('two'))");
    let fired = |s: &mut informix_devserver::engine::Session| {
        s.run("DELETE FROM log");
        s.run("INSERT INTO t VALUES (1)");
        s.texts("SELECT TRIM(who) FROM log ORDER BY 1").join(" ")
    };
    assert_eq!(fired(&mut s), "one two");
    for (mode, expected) in [
        ("SET TRIGGERS one DISABLED", "two"),
        ("SET TRIGGERS one, two DISABLED", ""),
        ("SET TRIGGERS two ENABLED", "two"),
        ("SET TRIGGERS FOR t ENABLED", "one two"),
        ("SET CONSTRAINTS, INDEXES, TRIGGERS FOR t DISABLED", ""),
        ("SET TRIGGERS FOR t ENABLED", "one two"),
    ] {
        s.run(mode);
        assert_eq!(fired(&mut s), expected, "{mode}");
        let states =
            s.texts("SELECT TRIM(name) FROM sysobjstate WHERE objtype = 'T' AND state = 'E' ORDER BY 1");
        assert_eq!(states.join(" "), expected, "{mode}");
    }
    s.run("BEGIN");
    s.run("SET TRIGGERS FOR t DISABLED");
    assert_eq!(fired(&mut s), "");
    s.run("ROLLBACK");
    assert_eq!(fired(&mut s), "one two");
    assert_eq!(s.fails("SET TRIGGERS three DISABLED").sqlcode, -634);
    assert_eq!(s.fails("SET TRIGGERS one FILTERING").sqlcode, -999);
}

#[test]
fn constraints_that_are_disabled_hold_nothing() {
    let engine = engine();
    let mut s = session(&engine, "testdb");
    s.run("CREATE TABLE parent (id INT PRIMARY KEY CONSTRAINT pk)");
    s.run(
        "CREATE TABLE t (a INT UNIQUE CONSTRAINT un, b INT CHECK (b > 0) CONSTRAINT ch, \
         c INT NOT NULL CONSTRAINT nn, d INT REFERENCES parent CONSTRAINT fk)",
    );
    s.run("INSERT INTO t VALUES (1, 1, 1, NULL)");
    for (name, statement, code, enabling, repair) in [
        (
            "un",
            "INSERT INTO t VALUES (1, 2, 2, NULL)",
            -268,
            -371,
            "DELETE FROM t WHERE b = 2",
        ),
        (
            "ch",
            "INSERT INTO t VALUES (2, 0, 2, NULL)",
            -530,
            -530,
            "UPDATE t SET b = 5 WHERE b = 0",
        ),
        (
            "nn",
            "INSERT INTO t VALUES (3, 3, NULL, NULL)",
            -391,
            -386,
            "DELETE FROM t WHERE c IS NULL",
        ),
        (
            "fk",
            "INSERT INTO t VALUES (4, 4, 4, 7)",
            -691,
            -525,
            "INSERT INTO parent VALUES (7)",
        ),
    ] {
        let state = |s: &mut informix_devserver::engine::Session| {
            s.one(&format!(
                "SELECT COUNT(*) FROM sysobjstate WHERE objtype = 'C' AND name = '{name}' AND state = 'D'"
            ))
        };
        assert_eq!(s.fails(statement).sqlcode, code, "{name}");
        s.run(&format!("SET CONSTRAINTS {name} DISABLED"));
        assert_eq!(state(&mut s), "1");
        s.run(statement);
        // Others see the same.
        let mut other = session(&engine, "testdb");
        assert_eq!(
            other.one("SELECT COUNT(*) FROM sysobjstate WHERE state = 'D' AND objtype = 'C'"),
            "1"
        );
        assert_eq!(
            s.fails(&format!("SET CONSTRAINTS {name} ENABLED")).sqlcode,
            enabling,
            "{name}"
        );
        s.run(repair);
        s.run(&format!("SET CONSTRAINTS {name} ENABLED"));
        assert_eq!(state(&mut s), "0");
        let again = statement.replace("(4, 4, 4, 7)", "(5, 4, 4, 8)");
        assert_eq!(s.fails(&again).sqlcode, code, "{name}");
        assert_eq!(other.fails(&again).sqlcode, code, "{name}");
    }
    // A key that others lead to cannot be switched; their own constraint can.
    assert_eq!(s.fails("SET CONSTRAINTS pk DISABLED").sqlcode, -999);
    s.run("SET CONSTRAINTS fk DISABLED");
    s.run("SET CONSTRAINTS pk DISABLED");
    s.run("INSERT INTO parent VALUES (7)");
    assert_eq!(s.fails("SET CONSTRAINTS pk ENABLED").sqlcode, -371);
    assert_eq!(s.fails("SET CONSTRAINTS nosuch DISABLED").sqlcode, -623);
    // What is disabled stays so when the table changes.
    s.run("SET CONSTRAINTS ch DISABLED");
    s.run("ALTER TABLE t ADD (e INT)");
    s.run("INSERT INTO t VALUES (9, -9, 9, 9, 9)");
    assert_eq!(s.one("SELECT COUNT(*) FROM t WHERE b < 0"), "1");
}

#[test]
fn indexes_that_are_disabled_keep_nothing_unique() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT, b INT)");
    s.run("CREATE UNIQUE INDEX ix ON t (a)");
    s.run("CREATE UNIQUE INDEX late ON t (b) DISABLED");
    s.run("INSERT INTO t VALUES (1, 1)");
    s.run("INSERT INTO t VALUES (2, 1)");
    assert_eq!(s.fails("INSERT INTO t VALUES (1, 3)").sqlcode, -239);
    assert_eq!(s.fails("SET INDEXES late ENABLED").sqlcode, -371);
    s.run("SET INDEXES ix DISABLED");
    s.run("INSERT INTO t VALUES (1, 3)");
    assert_eq!(s.fails("SET INDEXES FOR t ENABLED").sqlcode, -371);
    s.run("DELETE FROM t WHERE b <> 3");
    s.run("SET INDEXES FOR t ENABLED");
    assert_eq!(s.fails("INSERT INTO t VALUES (1, 4)").sqlcode, -239);
    assert_eq!(s.fails("INSERT INTO t VALUES (4, 3)").sqlcode, -239);
    assert_eq!(s.fails("SET INDEXES nosuch DISABLED").sqlcode, -319);
    s.run("DROP INDEX ix");
    assert_eq!(
        s.one("SELECT COUNT(*) FROM sysobjstate WHERE objtype = 'I' AND name = 'ix'"),
        "0"
    );
}

#[test]
fn constraints_can_be_deferred_by_name() {
    let mut s = testdb();
    s.run("CREATE TABLE parent (id INT PRIMARY KEY)");
    s.run("CREATE TABLE child (id INT REFERENCES parent CONSTRAINT fk)");
    s.run("BEGIN");
    s.run("SET CONSTRAINTS fk DEFERRED");
    s.run("INSERT INTO child VALUES (1)");
    s.run("INSERT INTO parent VALUES (1)");
    s.run("COMMIT");
    s.run("BEGIN");
    assert_eq!(s.fails("INSERT INTO child VALUES (2)").sqlcode, -691);
    assert_eq!(s.fails("SET CONSTRAINTS nosuch DEFERRED").sqlcode, -623);
    s.run("ROLLBACK");
    assert_eq!(s.fails("SET TRIGGERS t DEFERRED").sqlcode, -201);
}
