//! What the catalog says of storage, modes and privileges.

use informix_devserver::engine::{CursorOptions, PlainRows, PrepareOptions, Session};
use informix_types::{ColumnType, RowForm, Value, row};

use crate::support::{Run, testdb};

/// Rows as texts, the contents of TEXT columns among them.
fn shown(session: &mut Session, sql: &str) -> Vec<String> {
    let prepared = session.prepare(sql, &PrepareOptions::default()).expect(sql);
    let cursor = session
        .open_cursor(&prepared, &[], CursorOptions::default())
        .expect(sql);
    let codec = *session.codec().expect("codec");
    let mut out = PlainRows::default();
    while !session
        .fetch(cursor, 32_000, RowForm::default(), &mut out)
        .expect(sql)
        .done
    {}
    let columns: Vec<ColumnType> = prepared.columns().iter().map(|c| c.ty.clone()).collect();
    let mut texts = Vec::new();
    for bytes in out.iter() {
        let cells = row::split(&columns, bytes, RowForm::default()).expect("row");
        let values: Vec<String> = columns
            .iter()
            .zip(cells)
            .map(
                |(ty, cell)| match row::decode_value(ty, &bytes[cell], &codec).expect("value") {
                    Value::Null => "NULL".to_owned(),
                    Value::SimpleLob(lob) => {
                        let contents = session.simple_blob(cursor, lob.id()).expect("contents");
                        String::from_utf8(contents.to_vec()).expect("text")
                    }
                    value => value.to_string(),
                },
            )
            .collect();
        texts.push(values.join("|"));
    }
    session.close_cursor(cursor).expect("close");
    texts
}

/// FRAGMENT BY clauses and the rows of `sysfragments` that they give: strategy, position, expression, dbspace, partition.
const SCHEMES: &[(&str, &[&str])] = &[
    (
        "FRAGMENT BY ROUND ROBIN IN d1, d2, d3",
        &["R|0|NULL|d1|d1", "R|1|NULL|d2|d2", "R|2|NULL|d3|d3"],
    ),
    (
        "PARTITION BY ROUND ROBIN PARTITION p1 IN d1, PARTITION p2 IN d1",
        &["R|0|NULL|d1|p1", "R|1|NULL|d1|p2"],
    ),
    (
        "FRAGMENT BY EXPRESSION a < 10 IN d1, (a >= 10) AND (a IN (11, 12)) IN d2, REMAINDER IN d3",
        &[
            "E|0|(a < 10 )|d1|d1",
            "E|1|((a >= 10) AND (a IN (11, 12)) )|d2|d2",
            "E|2|remainder|d3|d3",
        ],
    ),
    (
        "FRAGMENT BY EXPRESSION PARTITION az (s = 'AZ') IN d1, PARTITION rest REMAINDER IN d1",
        &["E|0|((s = 'AZ') )|d1|az", "E|1|remainder|d1|rest"],
    ),
    (
        "FRAGMENT BY LIST (s) PARTITION p0 VALUES ('A', 'B') IN d1, PARTITION p1 VALUES (NULL) IN d2, PARTITION p2 REMAINDER IN d3",
        &[
            "L|-3|s||",
            "L|0|VALUES ('A', 'B')|d1|p0",
            "L|1|VALUES (NULL)|d2|p1",
            "L|2|remainder|d3|p2",
        ],
    ),
    (
        "FRAGMENT BY RANGE (d) INTERVAL (1 UNITS DAY) STORE IN (d1, d2) PARTITION p0 VALUES < DATE('01/01/2018') IN d1, PARTITION p1 VALUES IS NULL IN d2",
        &[
            "N|-3|d||",
            "N|-2|1 UNITS DAY||",
            "N|-1|d1, d2||",
            "N|0|VALUES < DATE('01/01/2018')|d1|p0",
            "N|1|VALUES IS NULL|d2|p1",
        ],
    ),
    (
        "FRAGMENT BY RANGE (a) INTERVAL (100) ROLLING (3 FRAGMENTS) LIMIT TO 10 MB DETACH PARTITION p0 VALUES < 100 IN d1",
        &[
            "N|-3|a||",
            "N|-2|100||",
            "N|-4|ROLLING (3 FRAGMENTS) LIMIT TO 10 MB DETACH||",
            "N|0|VALUES < 100|d1|p0",
        ],
    ),
];

const FRAGMENTS: &str =
    "SELECT strategy, evalpos, exprtext, dbspace, partition FROM sysfragments f, systables t
    WHERE t.tabid = f.tabid AND t.tabname = 't' AND fragtype = 'T'";

#[test]
fn schemes_are_shown() {
    let mut session = testdb();
    for (clause, expected) in SCHEMES {
        let sql = format!("CREATE TABLE t (a INT, s CHAR(2), d DATE) {clause} EXTENT SIZE 64 LOCK MODE ROW");
        session.run(&sql);
        assert_eq!(shown(&mut session, FRAGMENTS), *expected, "{clause}");
        let table = "SELECT partnum, fextsize, nextsize, locklevel FROM systables WHERE tabname = 't'";
        assert_eq!(session.one(table), "0|64|16|R", "{clause}");
        // Every fragment has a partition of its own.
        let numbers =
            "SELECT COUNT(DISTINCT partn) - COUNT(*) FROM sysfragments WHERE fragtype = 'T' AND evalpos >= 0";
        assert_eq!(session.one(numbers), "0", "{clause}");
        session.run("INSERT INTO t VALUES (10, 'AZ', TODAY)");
        assert_eq!(session.one("SELECT a FROM t"), "10");
        session.run("DROP TABLE t");
        assert_eq!(
            session.one("SELECT COUNT(*) FROM sysfragments WHERE fragtype = 'T'"),
            "0"
        );
    }
}

#[test]
fn schemes_that_do_not_fit_are_refused() {
    let mut session = testdb();
    for (clause, code) in [
        ("FRAGMENT BY ROUND ROBIN IN d1, d1", -858),
        ("FRAGMENT BY EXPRESSION nosuch < 10 IN d1", -217),
        ("FRAGMENT BY EXPRESSION IN d1", -773),
        ("FRAGMENT BY EXPRESSION REMAINDER IN d1, a < 1 IN d2", -871),
        ("FRAGMENT BY EXPRESSION REMAINDER IN d1, REMAINDER IN d2", -870),
        ("FRAGMENT BY EXPRESSION a < 10", -201),
        ("FRAGMENT BY EXPRESSION (a < 10 IN d1", -201),
        ("FRAGMENT BY EXPRESSION a < IN d1", -201),
        ("FRAGMENT BY LIST (nosuch) PARTITION p VALUES (1) IN d1", -217),
        ("FRAGMENT BY LIST (a) a < 5 IN d1", -201),
        ("FRAGMENT BY NOTHING (a)", -201),
    ] {
        let error = session.fails(&format!("CREATE TABLE t (a INT) {clause}"));
        assert_eq!(error.sqlcode, code, "{clause}: {error}");
    }
    assert_eq!(
        session.one("SELECT COUNT(*) FROM systables WHERE tabname = 't'"),
        "0"
    );
}

#[test]
fn alter_fragment_changes_the_scheme() {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT, b INT)");
    let number = session.one("SELECT partnum FROM systables WHERE tabname = 't'");
    assert_eq!(session.fails("ALTER FRAGMENT ON TABLE t ADD d3").sqlcode, -780);
    let mut step = |sql: &str, expected: &[&str]| {
        session.run(sql);
        assert_eq!(shown(&mut session, FRAGMENTS), expected, "{sql}");
    };
    step(
        "ALTER FRAGMENT ON TABLE t INIT FRAGMENT BY ROUND ROBIN IN d1, d2",
        &["R|0|NULL|d1|d1", "R|1|NULL|d2|d2"],
    );
    step(
        "ALTER FRAGMENT ON TABLE t ADD d3",
        &["R|0|NULL|d1|d1", "R|1|NULL|d2|d2", "R|2|NULL|d3|d3"],
    );
    step(
        "ALTER FRAGMENT ON TABLE t DROP d2",
        &["R|0|NULL|d1|d1", "R|1|NULL|d3|d3"],
    );
    step(
        "ALTER FRAGMENT ONLINE ON TABLE t INIT FRAGMENT BY EXPRESSION a < 10 IN d1, REMAINDER IN d9",
        &["E|0|(a < 10 )|d1|d1", "E|1|remainder|d9|d9"],
    );
    step(
        "ALTER FRAGMENT ON TABLE t ADD PARTITION p2 a >= 10 AND a < 20 IN d2",
        &[
            "E|0|(a < 10 )|d1|d1",
            "E|1|(a >= 10 AND a < 20 )|d2|p2",
            "E|2|remainder|d9|d9",
        ],
    );
    step(
        "ALTER FRAGMENT ON TABLE t ADD a < 0 IN d0 BEFORE d1",
        &[
            "E|0|(a < 0 )|d0|d0",
            "E|1|(a < 10 )|d1|d1",
            "E|2|(a >= 10 AND a < 20 )|d2|p2",
            "E|3|remainder|d9|d9",
        ],
    );
    step(
        "ALTER FRAGMENT ON TABLE t MODIFY PARTITION p2 TO PARTITION p3 a >= 10 AND a < 30 IN d4, d0 TO a < -5 IN d0",
        &[
            "E|0|(a < -5 )|d0|d0",
            "E|1|(a < 10 )|d1|d1",
            "E|2|(a >= 10 AND a < 30 )|d4|p3",
            "E|3|remainder|d9|d9",
        ],
    );
    step(
        "ALTER FRAGMENT ON TABLE t DROP PARTITION p3",
        &[
            "E|0|(a < -5 )|d0|d0",
            "E|1|(a < 10 )|d1|d1",
            "E|2|remainder|d9|d9",
        ],
    );
    step("ALTER FRAGMENT ON TABLE t INIT IN rootdbs", &[]);
    assert_eq!(
        session.one("SELECT partnum FROM systables WHERE tabname = 't'"),
        number
    );
    session.run("ALTER FRAGMENT ON TABLE t INIT FRAGMENT BY EXPRESSION a < 1 IN d1");
    for (sql, code) in [
        ("ALTER FRAGMENT ON TABLE t DROP d1", -860),
        ("ALTER FRAGMENT ON TABLE t DROP nosuch", -775),
        ("ALTER FRAGMENT ON TABLE t ADD d2", -773),
        ("ALTER FRAGMENT ON TABLE t ADD a < 5 IN d1", -858),
        ("ALTER FRAGMENT ON TABLE nosuch ADD d2", -206),
        ("ALTER FRAGMENT ON INDEX nosuch INIT IN d2", -319),
        ("ALTER FRAGMENT ON TABLE t DETACH d1 old", -860),
        ("ALTER FRAGMENT ON TABLE t DETACH nosuch old", -775),
        ("ALTER FRAGMENT ON TABLE t DETACH d1 t", -310),
        ("ALTER FRAGMENT ON TABLE t ATTACH t, t2", -554),
        ("ALTER FRAGMENT ON TABLE t FORGET d1", -201),
    ] {
        assert_eq!(session.fails(sql).sqlcode, code, "{sql}");
    }
    session.run("CREATE TEMP TABLE tt (a INT) FRAGMENT BY ROUND ROBIN IN d1, d2");
    assert_eq!(session.fails("ALTER FRAGMENT ON TABLE tt ADD d3").sqlcode, -781);
}

/// FRAGMENT BY clause, the fragment that is detached, its rows of (1, 'A'), (2, 'B'), (3, NULL), (NULL, 'A').
const DETACHED: &[(&str, &str, &[&str])] = &[
    (
        "EXPRESSION a < 3 IN d1, a < 5 IN d2, REMAINDER IN d3",
        "d1",
        &["1", "2"],
    ),
    (
        "EXPRESSION a < 3 IN d1, a < 5 IN d2, REMAINDER IN d3",
        "d2",
        &["3"],
    ),
    (
        "EXPRESSION a < 3 IN d1, a < 5 IN d2, REMAINDER IN d3",
        "d3",
        &["NULL"],
    ),
    (
        "EXPRESSION a = 1 OR s = 'B' IN d1, s IN ('A', 'B') IN d2, REMAINDER IN d3",
        "d2",
        &["NULL"],
    ),
    (
        "LIST (s) PARTITION p1 VALUES ('A', 'C') IN d1, PARTITION p2 VALUES (NULL) IN d2, PARTITION p3 REMAINDER IN d3",
        "PARTITION p1",
        &["NULL", "1"],
    ),
    (
        "LIST (s) PARTITION p1 VALUES ('A', 'C') IN d1, PARTITION p2 VALUES (NULL) IN d2, PARTITION p3 REMAINDER IN d3",
        "p2",
        &["3"],
    ),
    (
        "LIST (s) PARTITION p1 VALUES ('A', 'C') IN d1, PARTITION p2 VALUES (NULL) IN d2, PARTITION p3 REMAINDER IN d3",
        "p3",
        &["2"],
    ),
    (
        "RANGE (a) INTERVAL (10) PARTITION p1 VALUES < 2 IN d1, PARTITION p2 VALUES < 9 IN d2, PARTITION p3 VALUES IS NULL IN d3",
        "p2",
        &["2", "3"],
    ),
    (
        "RANGE (a) INTERVAL (10) PARTITION p1 VALUES < 2 IN d1, PARTITION p2 VALUES < 9 IN d2, PARTITION p3 VALUES IS NULL IN d3",
        "p3",
        &["NULL"],
    ),
];

#[test]
fn detached_rows_are_a_table_of_their_own() {
    let mut session = testdb();
    session.run("CREATE TABLE fired (n INT)");
    for (clause, fragment, expected) in DETACHED {
        session.run(&format!(
            "CREATE TABLE t (k SERIAL NOT NULL, a INT, s CHAR(2)) FRAGMENT BY {clause}"
        ));
        session.run("CREATE TRIGGER tr DELETE ON t FOR EACH ROW (INSERT INTO fired VALUES (1))");
        for row in ["1, 'A'", "2, 'B'", "3, NULL", "NULL, 'A'"] {
            session.run(&format!("INSERT INTO t (a, s) VALUES ({row})"));
        }
        let fragments = shown(&mut session, FRAGMENTS).len();
        session.run(&format!("ALTER FRAGMENT ON TABLE t DETACH {fragment} old"));
        assert_eq!(
            session.texts("SELECT a FROM old ORDER BY a"),
            *expected,
            "{clause}: {fragment}"
        );
        let left = session.one("SELECT COUNT(*) FROM t");
        assert_eq!(left, (4 - expected.len()).to_string(), "{clause}: {fragment}");
        assert_eq!(shown(&mut session, FRAGMENTS).len(), fragments - 1);
        let plain =
            "SELECT coltype FROM syscolumns c, systables t WHERE t.tabid = c.tabid AND tabname = 'old'";
        assert_eq!(session.texts(plain), ["258", "2", "0"]);
        session.run("DROP TABLE t");
        session.run("DROP TABLE old");
    }
    assert_eq!(session.one("SELECT COUNT(*) FROM fired"), "0");
    // Nothing happens when others refer to the table.
    session.run("CREATE TABLE p (a INT PRIMARY KEY) FRAGMENT BY EXPRESSION a < 3 IN d1, REMAINDER IN d2");
    session.run("CREATE TABLE c (a INT REFERENCES p)");
    session.run("INSERT INTO p VALUES (1)");
    assert_eq!(
        session.fails("ALTER FRAGMENT ON TABLE p DETACH d1 old").sqlcode,
        -784
    );
    assert_eq!(session.one("SELECT COUNT(*) FROM p"), "1");
}

#[test]
fn indexes_have_their_fragments() {
    let mut session = testdb();
    let index_rows = |name: &str| {
        format!(
            "SELECT strategy, evalpos, exprtext, dbspace, partition FROM sysfragments WHERE fragtype = 'I' AND indexname = '{name}'"
        )
    };
    session.run("CREATE TABLE t (a INT PRIMARY KEY, b INT)");
    session.run("CREATE INDEX i1 ON t (b)");
    session.run("CREATE INDEX i2 ON t (b, a) IN d5");
    session.run("CREATE INDEX i3 ON t (a, b) FRAGMENT BY EXPRESSION a < 10 IN d1, REMAINDER IN d2");
    assert_eq!(
        shown(&mut session, &index_rows("i1")),
        ["I|0|NULL|rootdbs|rootdbs"]
    );
    assert_eq!(shown(&mut session, &index_rows("i2")), ["I|0|NULL|d5|d5"]);
    assert_eq!(
        shown(&mut session, &index_rows("i3")),
        ["E|0|(a < 10 )|d1|d1", "E|1|remainder|d2|d2"]
    );
    // What public tools join: every index has a fragment.
    let without = "SELECT COUNT(*) FROM sysindices i WHERE tabid >= 100 AND NOT EXISTS
        (SELECT 1 FROM sysfragments f WHERE f.tabid = i.tabid AND f.indexname = i.idxname AND f.fragtype = 'I')";
    assert_eq!(session.one(without), "0");
    // Indexes without a scheme of their own go with the table.
    session.run("ALTER FRAGMENT ON TABLE t INIT FRAGMENT BY ROUND ROBIN IN d1, d2");
    assert_eq!(
        shown(&mut session, &index_rows("i1")),
        ["T|0|NULL|d1|d1", "T|1|NULL|d2|d2"]
    );
    assert_eq!(shown(&mut session, &index_rows("i2")), ["I|0|NULL|d5|d5"]);
    session.run("RENAME INDEX i3 TO i9");
    assert_eq!(shown(&mut session, &index_rows("i3")).len(), 0);
    assert_eq!(shown(&mut session, &index_rows("i9")).len(), 2);
    // An index that a change of its column builds again keeps its storage.
    session.run("ALTER TABLE t MODIFY b BIGINT");
    assert_eq!(shown(&mut session, &index_rows("i2")), ["I|0|NULL|d5|d5"]);
    session.run("ALTER FRAGMENT ON INDEX i9 INIT IN d7");
    assert_eq!(shown(&mut session, &index_rows("i9")), ["I|0|NULL|d7|d7"]);
    session.run("DROP INDEX i9");
    assert_eq!(shown(&mut session, &index_rows("i9")).len(), 0);
    session.run("DROP TABLE t");
    assert_eq!(session.one("SELECT COUNT(*) FROM sysfragments"), "0");
}

#[test]
fn dbspaces_are_told_by_partition_numbers() {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT) IN d8");
    session.run("CREATE TABLE u (a INT)");
    let spaces =
        "SELECT tabname, DBINFO('dbspace', partnum) FROM systables WHERE tabname IN ('t', 'u') ORDER BY 1";
    assert_eq!(session.texts(spaces), ["t|d8", "u|rootdbs"]);
    session.run("ALTER FRAGMENT ON TABLE u INIT IN d9");
    assert_eq!(session.texts(spaces), ["t|d8", "u|d9"]);
    session.run("ALTER FRAGMENT ON TABLE t INIT FRAGMENT BY ROUND ROBIN IN d1, d2");
    let fragments = "SELECT DBINFO('dbspace', partn) FROM sysfragments WHERE fragtype = 'T' ORDER BY evalpos";
    assert_eq!(session.texts(fragments), ["d1", "d2"]);
    let names = "SELECT COUNT(*) FROM sysmaster:systabnames n, sysfragments f WHERE n.partnum = f.partn AND tabname = 't'";
    assert_eq!(session.one(names), "2");
}

#[test]
fn statistics_are_kept() {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT, b VARCHAR(10), c LVARCHAR(100))");
    session.run("CREATE INDEX i ON t (b)");
    for n in 0..6 {
        session.run(&format!("INSERT INTO t VALUES ({n}, 'b{}', 'c')", n % 2));
    }
    let keys = "SELECT nunique, nrows FROM sysindices WHERE idxname = 'i'";
    let rows = "SELECT nrows, ustlowts IS NULL FROM systables WHERE tabname = 't'";
    let columns = "SELECT colno, mode, resolution, confidence, rowssmpld, constr_time > TODAY - 1 FROM sysdistrib ORDER BY 1";
    session.run("UPDATE STATISTICS MEDIUM FOR TABLE t (a) RESOLUTION 2 0.9 DISTRIBUTIONS ONLY");
    assert_eq!(session.texts(columns), ["1|M|2|0.9|6|t"]);
    assert_eq!(session.one(rows), "0|t");
    session.run("UPDATE STATISTICS HIGH FOR TABLE t");
    assert_eq!(session.texts(columns), ["1|H|0.5|1|6|t", "2|H|0.5|1|6|t"]);
    assert_eq!(session.one(rows), "6|f");
    assert_eq!(session.one(keys), "2|6");
    session.run("UPDATE STATISTICS LOW FOR TABLE t");
    assert_eq!(session.texts(columns).len(), 2);
    session.run("UPDATE STATISTICS FOR TABLE ONLY (t) (b) DROP DISTRIBUTIONS");
    assert_eq!(session.texts(columns).len(), 1);
    session.run("DROP TABLE t");
    assert_eq!(session.texts(columns).len(), 0);
    assert_eq!(session.fails("UPDATE STATISTICS FOR TABLE t").sqlcode, -206);
}

#[test]
fn schemes_roll_back() {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT) FRAGMENT BY ROUND ROBIN IN d1, d2");
    session.run("BEGIN WORK");
    session.run("ALTER FRAGMENT ON TABLE t DROP d2");
    session.run("CREATE INDEX i ON t (a) IN d3");
    session.run("ROLLBACK WORK");
    assert_eq!(
        shown(&mut session, FRAGMENTS),
        ["R|0|NULL|d1|d1", "R|1|NULL|d2|d2"]
    );
    assert_eq!(
        session.one("SELECT COUNT(*) FROM sysfragments WHERE fragtype = 'I'"),
        "0"
    );
}

#[test]
fn sizes_and_kinds_of_tables_are_shown() {
    let mut session = testdb();
    session.run("CREATE RAW TABLE t (a INT) EXTENT SIZE 40 NEXT SIZE 80");
    let shown = "SELECT fextsize, nextsize, flags FROM systables WHERE tabname = 't'";
    assert_eq!(session.one(shown), "40|80|16");
    session.run("ALTER TABLE t MODIFY NEXT SIZE 96");
    session.run("ALTER TABLE t MODIFY EXTENT SIZE 32, TYPE (STANDARD)");
    assert_eq!(session.one(shown), "32|96|0");
    session.run("ALTER TABLE t ADD ROWIDS");
    assert_eq!(session.one(shown), "32|96|1");
    session.run("ALTER TABLE t DROP ROWIDS");
    assert_eq!(session.one(shown), "32|96|0");
}

#[test]
fn objects_have_their_state() {
    let mut session = testdb();
    session.run(
        "CREATE TABLE t (a INT PRIMARY KEY CONSTRAINT pk, b INT NOT NULL CONSTRAINT nn,
           CHECK (b > 0) CONSTRAINT ck DISABLED)",
    );
    session.run("CREATE INDEX i1 ON t (b)");
    session.run("CREATE INDEX i2 ON t (b, a) DISABLED");
    session.run("CREATE TRIGGER tr DELETE ON t AFTER (DELETE FROM t WHERE a = 0)");
    let states = "SELECT objtype, name, state FROM sysobjstate ORDER BY objtype, name";
    assert_eq!(
        session.texts(states),
        ["C|ck|D", "C|nn|E", "C|pk|E", "I|i1|E", "I|i2|D", "T|tr|E"]
    );
    session.run("RENAME INDEX i2 TO i3");
    session.run("RENAME CONSTRAINT ck TO ck2");
    session.run("DROP INDEX i1");
    session.run("ALTER TABLE t DROP CONSTRAINT nn");
    assert_eq!(session.texts(states), ["C|ck2|D", "C|pk|E", "I|i3|D", "T|tr|E"]);
    session.run("DROP TABLE t");
    assert_eq!(session.texts(states).len(), 0);
}

#[test]
fn views_say_on_what_they_stand() {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT)");
    session.run("CREATE VIEW v AS SELECT a FROM t");
    let depend = "SELECT b.tabname, btype, d.tabname, dtype FROM sysdepend, systables b, systables d
        WHERE b.tabid = btabid AND d.tabid = dtabid";
    assert_eq!(session.texts(depend), ["t|T|v|V"]);
}

#[test]
fn privileges_are_shown() {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT, b INT, c INT) FRAGMENT BY EXPRESSION a < 1 IN d1, REMAINDER IN d2");
    session.run("REVOKE ALL ON t FROM PUBLIC");
    let tables = "SELECT TRIM(grantee), tabauth FROM systabauth a, systables t WHERE t.tabid = a.tabid AND tabname = 't'
        ORDER BY 1";
    let columns = "SELECT TRIM(grantee), colno, colauth FROM syscolauth ORDER BY 1, 2";
    assert_eq!(session.texts(tables).len(), 0);
    session.run("GRANT SELECT (a, b), UPDATE (b) ON t TO ann");
    assert_eq!(session.texts(tables), ["ann|--*------"]);
    assert_eq!(session.texts(columns), ["ann|1|s--", "ann|2|su-"]);
    session.run("GRANT SELECT, DELETE ON t TO ann WITH GRANT OPTION");
    session.run("GRANT REFERENCES (c) ON t TO bob WITH GRANT OPTION");
    assert_eq!(session.texts(tables), ["ann|S-*-D----", "bob|--*------"]);
    session.run("REVOKE SELECT ON t FROM ann");
    assert_eq!(session.texts(columns), ["ann|2|-u-", "bob|3|--R"]);
    assert_eq!(session.texts(tables), ["ann|--*-D----", "bob|--*------"]);
    session.run("REVOKE UPDATE (b), DELETE ON t FROM ann");
    session.run("REVOKE ALL ON t FROM bob");
    assert_eq!(session.texts(tables).len(), 0);
    assert_eq!(session.texts(columns).len(), 0);
    assert_eq!(session.fails("GRANT SELECT (nosuch) ON t TO ann").sqlcode, -217);

    session.run("GRANT FRAGMENT UPDATE, INSERT ON t (d1) TO ann");
    session.run("GRANT FRAGMENT ALL ON t (d1, d2) TO bob WITH GRANT OPTION");
    let fragments = "SELECT TRIM(grantee), fragment, fragauth FROM sysfragauth ORDER BY 1, 2";
    assert_eq!(
        session.texts(fragments),
        ["ann|d1|-ui---", "bob|d1|-UID--", "bob|d2|-UID--"]
    );
    session.run("REVOKE FRAGMENT ALL ON t (d1) FROM ann");
    assert_eq!(session.texts(fragments).len(), 2);
    assert_eq!(session.fails("GRANT FRAGMENT ALL ON t (d9) TO bob").sqlcode, -775);

    session.run("CREATE FUNCTION f(a INT) RETURNING INT; RETURN a; END FUNCTION");
    let routines =
        "SELECT TRIM(grantee), procauth FROM sysprocauth a, sysprocedures p WHERE p.procid = a.procid
        AND procname = 'f' ORDER BY 1";
    assert_eq!(session.texts(routines), ["public|e"]);
    session.run("REVOKE EXECUTE ON FUNCTION f(INT) FROM PUBLIC");
    session.run("GRANT EXECUTE ON f TO ann WITH GRANT OPTION");
    assert_eq!(session.texts(routines), ["ann|E"]);
    assert_eq!(
        session.fails("GRANT EXECUTE ON FUNCTION nosuch TO ann").sqlcode,
        -674
    );
    session.run("DROP FUNCTION f");
    assert_eq!(
        session.one("SELECT COUNT(*) FROM sysprocauth WHERE grantee = 'ann'"),
        "0"
    );
    session.run("GRANT USAGE ON LANGUAGE SPL TO ann");
    assert_eq!(
        session.texts("SELECT TRIM(grantee), langauth FROM syslangauth"),
        ["ann|u"]
    );
}

#[test]
fn roles_and_database_privileges_are_shown() {
    let mut session = testdb();
    let users = "SELECT TRIM(username), usertype, TRIM(defrole) FROM sysusers WHERE username IN ('ann', 'r1') ORDER BY 1";
    let roles = "SELECT TRIM(rolename), TRIM(grantee), is_grantable FROM sysroleauth ORDER BY 2";
    session.run("CREATE ROLE r1");
    session.run("GRANT r1 TO bob WITH GRANT OPTION");
    session.run("GRANT DEFAULT ROLE r1 TO ann");
    assert_eq!(session.texts(roles), ["r1|ann|N", "r1|bob|Y"]);
    assert_eq!(session.texts(users), ["ann|U|r1", "r1|G|"]);
    session.run("GRANT DBA TO ann");
    // The highest privilege counts.
    session.run("GRANT CONNECT TO ann");
    session.run("REVOKE DEFAULT ROLE FROM ann");
    assert_eq!(session.texts(users), ["ann|D|", "r1|G|"]);
    session.run("REVOKE DBA FROM ann");
    assert_eq!(session.texts(users), ["ann|C|", "r1|G|"]);
    session.run("REVOKE CONNECT FROM ann");
    assert_eq!(session.texts(users), ["r1|G|"]);
    assert_eq!(session.fails("GRANT nosuch TO ann").sqlcode, -19804);
    session.run("DROP ROLE r1");
    assert_eq!(session.texts(roles).len(), 0);
}
