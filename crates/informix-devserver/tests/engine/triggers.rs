//! Triggers.

use informix_types::Value;

use crate::support::{Run, testdb};

#[test]
fn actions_run_in_order_for_every_row() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT, b VARCHAR(10), n SERIAL)");
    s.run("CREATE TABLE log (k SERIAL, what VARCHAR(60))");
    s.run(
        "CREATE TRIGGER ti INSERT ON t REFERENCING NEW AS n BEFORE (INSERT INTO log VALUES (0, 'before'))
           FOR EACH ROW WHEN (n.a > 1) (INSERT INTO log VALUES (0, 'row ' || n.a || ' of ' || (SELECT COUNT(*) FROM t)))
           AFTER (INSERT INTO log VALUES (0, 'after'))",
    );
    let outcome = s.run("INSERT INTO t VALUES (5, 'x', 0)");
    // What the client is told is about its own row.
    assert_eq!((outcome.rows, outcome.serial, outcome.rowid), (1, 1, 1));
    assert_eq!(
        s.texts("SELECT what FROM log ORDER BY k"),
        ["before", "row 5 of 1", "after"]
    );
    s.run("DELETE FROM log");
    assert_eq!(
        s.run("INSERT INTO t (a, b) SELECT tabid, 'y' FROM systables WHERE tabid < 4")
            .rows,
        3
    );
    assert_eq!(
        s.texts("SELECT what FROM log ORDER BY k"),
        ["before", "row 2 of 3", "row 3 of 4", "after"]
    );
    s.run("DELETE FROM log");
    // UPDATE OF counts the assigned columns, not the changed ones.
    s.run(
        "CREATE TRIGGER tu UPDATE OF b ON t REFERENCING OLD AS o NEW AS n
           FOR EACH ROW (INSERT INTO log VALUES (0, o.b || '>' || n.b || ' ' || o.a))",
    );
    assert_eq!(s.run("UPDATE t SET a = a + 10 WHERE a < 3").rows, 2);
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "0");
    assert_eq!(s.run("UPDATE t SET b = 'z' WHERE a > 10").rows, 2);
    assert_eq!(s.texts("SELECT what FROM log ORDER BY k"), ["y>z 11", "y>z 12"]);
    s.run("DELETE FROM log");
    s.run("CREATE TRIGGER td DELETE ON t REFERENCING OLD AS gone FOR EACH ROW (INSERT INTO log VALUES (0, 'no ' || gone.a)) AFTER (DELETE FROM log WHERE what = 'no 3')");
    assert_eq!(s.run("DELETE FROM t WHERE a < 6").rows, 2);
    assert_eq!(s.texts("SELECT what FROM log"), ["no 5"]);
    // Catalog.
    assert_eq!(
        s.texts("SELECT trigname, event, old, new FROM systriggers ORDER BY trigid"),
        ["ti|I|NULL|n", "tu|U|o|n", "td|D|gone|NULL"]
    );
    assert!(
        s.one("SELECT data FROM systrigbody WHERE datakey = 'A' AND trigid = 2 AND seqno = 1")
            .starts_with("FOR EACH ROW (INSERT")
    );
    s.run("DROP TRIGGER td");
    assert_eq!(s.fails("DROP TRIGGER td").sqlcode, -634);
    s.run("DROP TRIGGER IF EXISTS td");
    assert_eq!(s.run("DELETE FROM t").rows, 2);
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "1");
    s.run("DROP TABLE t");
    assert_eq!(s.one("SELECT COUNT(*) FROM systriggers"), "0");
    assert_eq!(s.one("SELECT COUNT(*) FROM systrigbody"), "0");
}

#[test]
fn procedures_as_actions() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT, total DECIMAL(8,2), stamp VARCHAR(20))");
    s.run("CREATE TABLE seen (a INT)");
    s.run("CREATE PROCEDURE stamped(a INT) RETURNING DECIMAL(8,2), VARCHAR(20); INSERT INTO seen VALUES (a); RETURN a * 1.5, 'row ' || a; END PROCEDURE");
    s.run("CREATE PROCEDURE refuse_negative(a INT); IF a < 0 THEN RAISE EXCEPTION -746, 0, 'negative'; END IF; END PROCEDURE");
    s.run(
        "CREATE TRIGGER ti INSERT ON t REFERENCING NEW AS n FOR EACH ROW (EXECUTE PROCEDURE refuse_negative(n.a),
           EXECUTE PROCEDURE stamped(n.a) INTO total, stamp)",
    );
    s.run("CREATE TRIGGER tu UPDATE OF a ON t REFERENCING NEW AS n OLD AS o FOR EACH ROW WHEN (n.a <> o.a) (EXECUTE PROCEDURE refuse_negative(n.a), EXECUTE PROCEDURE stamped(n.a) INTO total, stamp)");
    s.run("INSERT INTO t (a) VALUES (3)");
    s.run("INSERT INTO t (a) SELECT tabid + 10 FROM systables WHERE tabid < 3");
    assert_eq!(
        s.texts("SELECT a, total, stamp FROM t ORDER BY a"),
        ["3|4.50|row 3", "11|16.50|row 11", "12|18.00|row 12"]
    );
    assert_eq!(s.run("UPDATE t SET a = a + 1").rows, 3);
    assert_eq!(
        s.texts("SELECT a, total, stamp FROM t ORDER BY a"),
        ["4|6.00|row 4", "12|18.00|row 12", "13|19.50|row 13"]
    );
    // A failing action undoes the statement and what other actions did, not the transaction.
    for explicit in [false, true] {
        if explicit {
            s.run("BEGIN WORK");
            s.run("INSERT INTO t (a) VALUES (50)");
        }
        let before = s.one("SELECT COUNT(*) FROM seen");
        let error = s.fails("INSERT INTO t (a) SELECT CASE WHEN tabid = 3 THEN -1 ELSE tabid END FROM systables WHERE tabid < 4");
        assert_eq!((error.sqlcode, error.token.as_str()), (-746, "negative"));
        assert_eq!(s.one("SELECT COUNT(*) FROM seen"), before);
        assert_eq!(s.fails("UPDATE t SET a = a - 12").sqlcode, -746);
        assert_eq!(s.one("SELECT COUNT(*) FROM t WHERE a < 3"), "0");
        if explicit {
            s.run("COMMIT WORK");
        }
    }
    assert_eq!(s.one("SELECT total FROM t WHERE a = 50"), "75.00");
    // A rollback takes SQLite's triggers along; they come back.
    s.run("BEGIN WORK");
    s.run("INSERT INTO t (a) VALUES (60)");
    s.run("ROLLBACK WORK");
    s.run("INSERT INTO t (a) VALUES (61)");
    assert_eq!(s.one("SELECT total FROM t WHERE a > 59"), "91.50");
    // DDL on the table, and a trigger in a transaction that is undone.
    s.run("ALTER TABLE t ADD (extra INT DEFAULT 7)");
    s.run("INSERT INTO t (a) VALUES (70)");
    assert_eq!(s.one("SELECT total, extra FROM t WHERE a = 70"), "105.00|7");
    s.run("BEGIN WORK");
    s.run("DROP TRIGGER ti");
    s.run("INSERT INTO t (a) VALUES (80)");
    assert_eq!(s.one("SELECT total FROM t WHERE a = 80"), "NULL");
    s.run("ROLLBACK WORK");
    s.run("INSERT INTO t (a) VALUES (81)");
    assert_eq!(s.one("SELECT total FROM t WHERE a > 79"), "121.50");
    // TRUNCATE fires nothing.
    s.run("CREATE TRIGGER td DELETE ON t FOR EACH ROW (EXECUTE PROCEDURE refuse_negative(-1))");
    assert_eq!(s.fails("DELETE FROM t").sqlcode, -746);
    s.run("TRUNCATE TABLE t");
}

#[test]
fn triggers_fire_triggers() {
    let mut s = testdb();
    s.run("CREATE TABLE a (n INT)");
    s.run("CREATE TABLE b (n INT)");
    s.run("CREATE TABLE c (n INT, k SERIAL)");
    s.run("CREATE TRIGGER ta INSERT ON a REFERENCING NEW AS x FOR EACH ROW (INSERT INTO b VALUES (x.n + 1))");
    s.run("CREATE TRIGGER tb INSERT ON b REFERENCING NEW AS x FOR EACH ROW (INSERT INTO c VALUES (x.n + 1, 0), INSERT INTO c VALUES (x.n + 2, 0))");
    s.run("INSERT INTO a VALUES (1)");
    assert_eq!(s.texts("SELECT n FROM c ORDER BY n"), ["3", "4"]);
    // The table of the statement may not be changed by its own triggers.
    s.run("CREATE TRIGGER tc INSERT ON c REFERENCING NEW AS x FOR EACH ROW (INSERT INTO a VALUES (x.n))");
    assert_eq!(s.fails("INSERT INTO a VALUES (2)").sqlcode, -747);
    for table in ["a", "b"] {
        assert_eq!(s.one(&format!("SELECT COUNT(*) FROM {table}")), "1");
    }
    // A chain that is too long.
    for n in 0..40 {
        s.run(&format!("CREATE TABLE chain{n} (x INT)"));
    }
    for n in 0..39 {
        s.run(&format!("CREATE TRIGGER tr{n} INSERT ON chain{n} REFERENCING NEW AS n FOR EACH ROW (INSERT INTO chain{} VALUES (n.x))", n + 1));
    }
    assert_eq!(s.fails("INSERT INTO chain0 VALUES (1)").sqlcode, -748);
    s.run("INSERT INTO chain30 VALUES (1)");
    assert_eq!(s.one("SELECT x FROM chain39"), "1");
    assert_eq!(s.one("SELECT COUNT(*) FROM chain0"), "0");
    // Cascades of foreign keys fire the triggers of the child.
    s.run("CREATE TABLE p (id INT PRIMARY KEY)");
    s.run("CREATE TABLE q (id INT REFERENCES p ON DELETE CASCADE)");
    s.run("CREATE TABLE gone (id INT)");
    s.run("CREATE TRIGGER tq DELETE ON q REFERENCING OLD AS o FOR EACH ROW (INSERT INTO gone VALUES (o.id))");
    s.run("INSERT INTO p VALUES (1)");
    s.run("INSERT INTO q VALUES (1)");
    s.run("DELETE FROM p");
    assert_eq!(s.texts("SELECT id FROM gone"), ["1"]);
}

#[test]
fn what_is_no_trigger() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT)");
    s.run("CREATE VIEW v AS SELECT a FROM t");
    for (sql, code) in [
        (
            "CREATE TRIGGER g INSERT ON nowhere FOR EACH ROW (DELETE FROM t)",
            -206,
        ),
        (
            "CREATE TRIGGER g UPDATE OF z ON t FOR EACH ROW (DELETE FROM t)",
            -217,
        ),
        ("CREATE TRIGGER g SELECT ON t BEFORE (DELETE FROM t)", -999),
        ("CREATE TRIGGER g INSERT ON v BEFORE (DELETE FROM t)", -999),
        (
            "CREATE TRIGGER g INSERT ON t BEFORE (CREATE TABLE u (a INT))",
            -201,
        ),
        (
            "CREATE TRIGGER g INSERT ON systables BEFORE (DELETE FROM t)",
            -999,
        ),
    ] {
        assert_eq!(s.fails(sql).sqlcode, code, "{sql}");
    }
    s.run("CREATE TRIGGER g INSERT ON t BEFORE (DELETE FROM t WHERE a = 1)");
    assert_eq!(
        s.fails("CREATE TRIGGER g DELETE ON t BEFORE (INSERT INTO t VALUES (1))")
            .sqlcode,
        -743
    );
    assert_eq!(s.fails("INSERT INTO t VALUES (1)").sqlcode, -747);
    s.run("DROP TRIGGER g");
    s.run("CREATE TRIGGER g INSERT ON t REFERENCING NEW AS n FOR EACH ROW (DELETE FROM t) DISABLED");
    s.run("INSERT INTO t VALUES (1)");
    s.run("DROP TRIGGER g");
    s.run("CREATE PROCEDURE c(); COMMIT WORK; END PROCEDURE");
    s.run("CREATE TRIGGER g INSERT ON t AFTER (EXECUTE PROCEDURE c())");
    s.run("BEGIN WORK");
    assert_eq!(s.fails("INSERT INTO t VALUES (1)").sqlcode, -675);
    s.run("COMMIT WORK");
    assert_eq!(s.one("SELECT COUNT(*) FROM t"), "1");
}

#[test]
fn views_with_triggers() {
    let mut s = testdb();
    s.run("CREATE TABLE person (id INT, name VARCHAR(20))");
    s.run("CREATE TABLE pay (id INT, amount DECIMAL(8,2))");
    // A join can't be changed by itself.
    s.run("CREATE VIEW both (id, name, amount) AS SELECT p.id, p.name, q.amount FROM person p, pay q WHERE p.id = q.id");
    assert!(s.run_with("INSERT INTO both VALUES (1, 'ann', 2)", &[]).is_err());
    s.run(
        "CREATE TRIGGER bi INSTEAD OF INSERT ON both REFERENCING NEW AS n FOR EACH ROW
           (INSERT INTO person VALUES (n.id, n.name), INSERT INTO pay VALUES (n.id, n.amount))",
    );
    s.run(
        "CREATE TRIGGER bu INSTEAD OF UPDATE ON both REFERENCING OLD AS o NEW AS n FOR EACH ROW
           (UPDATE person SET name = n.name WHERE id = o.id, UPDATE pay SET amount = n.amount WHERE id = o.id)",
    );
    s.run("CREATE TRIGGER bd INSTEAD OF DELETE ON both REFERENCING OLD AS o FOR EACH ROW (DELETE FROM pay WHERE id = o.id)");
    assert_eq!(s.run("INSERT INTO both VALUES (1, 'ann', 2.555)").rows, 1);
    let values = [Value::Integer(2), Value::Text("bob".into()), Value::Integer(7)];
    assert_eq!(
        s.run_with("INSERT INTO both VALUES (?, ?, ?)", &values)
            .map(|o| o.rows),
        Ok(1)
    );
    s.run("INSERT INTO both (id, amount) SELECT tabid + 10, tabid FROM systables WHERE tabid < 3");
    assert_eq!(
        s.texts("SELECT * FROM both ORDER BY id"),
        ["1|ann|2.56", "2|bob|7.00", "11|NULL|1.00", "12|NULL|2.00"]
    );
    let values = [Value::Integer(2)];
    assert_eq!(
        s.run_with(
            "UPDATE both SET amount = amount * 2, name = UPPER(name) WHERE id <= ?",
            &values
        )
        .map(|o| o.rows),
        Ok(2)
    );
    assert_eq!(s.run("DELETE FROM both b WHERE b.id > 10").rows, 2);
    assert_eq!(
        s.texts("SELECT * FROM both ORDER BY id"),
        ["1|ANN|5.12", "2|BOB|14.00"]
    );
    assert_eq!(s.one("SELECT COUNT(*) FROM person"), "4");
    assert_eq!(s.one("SELECT event FROM systriggers WHERE trigname = 'bu'"), "u");
    s.run("DROP VIEW both");
    assert_eq!(s.one("SELECT COUNT(*) FROM systriggers"), "0");
}

#[test]
fn select_triggers_fire_for_rows_of_the_result() {
    let mut s = testdb();
    s.run("CREATE TABLE t (id INT PRIMARY KEY, a INT, b CHAR(5))");
    s.run("CREATE TABLE u (id INT, c INT)");
    s.run("CREATE TABLE log (who CHAR(3), id INT)");
    for n in 1..=5 {
        s.run(&format!("INSERT INTO t VALUES ({n}, {}, 'b{n}')", n * 10));
        s.run(&format!("INSERT INTO u VALUES ({n}, {n})"));
    }
    s.run("CREATE TRIGGER all_t SELECT ON t REFERENCING OLD AS o FOR EACH ROW (INSERT INTO log VALUES ('all', o.id))");
    s.run(
        "CREATE TRIGGER a_t SELECT OF a ON t REFERENCING OLD AS o \
         FOR EACH ROW WHEN (o.a > 20) (INSERT INTO log VALUES ('a', o.id))",
    );
    s.run("CREATE PROCEDURE look() DEFINE x INT; SELECT a INTO x FROM t WHERE id = 3; END PROCEDURE");
    let mut fired = |query: &str| {
        s.run("DELETE FROM log");
        if query.starts_with("EXECUTE") || query.starts_with("INSERT") || query.contains("INTO TEMP") {
            s.run(query);
        } else {
            s.rows(query);
        }
        s.texts("SELECT TRIM(who) || id FROM log ORDER BY 1").join(" ")
    };
    for (query, expected) in [
        ("SELECT b FROM t WHERE id < 3", "all1 all2"),
        ("SELECT a FROM t WHERE id IN (2, 3)", "a3 all2 all3"),
        ("SELECT * FROM t WHERE id = 4", "a4 all4"),
        ("SELECT a + 1, b FROM t WHERE id = 5 ORDER BY b", "a5 all5"),
        ("SELECT u.c FROM t, u WHERE t.id = u.id", ""),
        (
            "SELECT u.c, t.b FROM u LEFT JOIN t ON t.id = u.id AND t.id = 2 WHERE u.id < 4",
            "all2",
        ),
        ("SELECT x.a FROM t x, u WHERE x.id = u.id AND u.c = 3", "a3 all3"),
        // A column in WHERE only is no selected column.
        ("SELECT id FROM u WHERE id IN (SELECT id FROM t WHERE a > 10)", ""),
        ("SELECT DISTINCT a FROM t", ""),
        ("SELECT MAX(a) FROM t", ""),
        ("SELECT a, COUNT(*) FROM t GROUP BY a", ""),
        ("SELECT a FROM t UNION SELECT c FROM u", ""),
        ("INSERT INTO u SELECT id, a FROM t", ""),
        ("SELECT id, a FROM t INTO TEMP copied", ""),
        ("EXECUTE PROCEDURE look()", "a3 all3"),
    ] {
        assert_eq!(fired(query), expected, "{query}");
    }
    s.run("SET TRIGGERS all_t DISABLED");
    s.run("DELETE FROM log");
    s.rows("SELECT a FROM t WHERE id = 3");
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "1");
    // What it does is undone with the transaction, and a failure in it is one of the query.
    s.run("BEGIN");
    s.rows("SELECT a FROM t");
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "4");
    s.run("ROLLBACK");
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "1");
    s.run("CREATE TRIGGER bad SELECT ON u REFERENCING OLD AS o FOR EACH ROW (DELETE FROM u WHERE id = o.id)");
    assert_eq!(s.fails("SELECT c FROM u").sqlcode, -747);
    let refused = "CREATE TRIGGER g SELECT ON t BEFORE (DELETE FROM log)";
    assert_eq!(s.fails(refused).sqlcode, -999);
}
