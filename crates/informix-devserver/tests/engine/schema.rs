//! DDL: constraints with their errors, what the catalog says, ALTER, DROP, RENAME, views, synonyms, sequences.

use informix_types::Value;

use crate::support::{Run, engine, session, testdb};

#[test]
fn constraints_report_number_isam_and_token() {
    let mut s = testdb();
    s.run("CREATE TABLE p (id INT, code CHAR(3) UNIQUE, PRIMARY KEY (id))");
    s.run(
        "CREATE TABLE c (id INT PRIMARY KEY CONSTRAINT pk_c, pid INT REFERENCES p (id), n INT CHECK (n > 0),
           must CHAR(2) NOT NULL, self INT, FOREIGN KEY (self) REFERENCES c CONSTRAINT fk_self,
           CHECK (n < 100 OR must = 'ok') CONSTRAINT small)",
    );
    s.run("INSERT INTO p VALUES (1, 'a')");
    s.run("INSERT INTO c VALUES (1, 1, 5, 'x', NULL)");
    s.run("INSERT INTO c VALUES (2, 1, 500, 'ok', 1)");
    s.run("CREATE UNIQUE INDEX by_n ON c (n)");
    let names = s.texts("SELECT constrname FROM sysconstraints WHERE tabid >= 100 ORDER BY constrid");
    assert_eq!(
        names,
        [
            "u100_1", "u100_2", "pk_c", "r101_4", "fk_self", "c101_6", "small", "n101_8"
        ]
    );
    for (statement, code, isam, token) in [
        ("INSERT INTO p VALUES (1, 'b')", -268, -100, "informix.u100_2"),
        ("INSERT INTO p VALUES (2, 'a')", -268, -100, "informix.u100_1"),
        ("INSERT INTO p VALUES (NULL, 'c')", -703, 0, "id"),
        ("INSERT INTO c VALUES (3, 1, 6, NULL, NULL)", -391, 0, "must"),
        ("INSERT INTO c (id, pid) VALUES (3, 1)", -292, 0, "must"),
        (
            "INSERT INTO c VALUES (3, 9, 6, 'x', NULL)",
            -691,
            -111,
            "informix.r101_4",
        ),
        (
            "INSERT INTO c VALUES (3, 1, 6, 'x', 77)",
            -691,
            -111,
            "informix.fk_self",
        ),
        ("UPDATE c SET pid = 9", -691, -111, "informix.r101_4"),
        ("DELETE FROM p", -692, 0, "informix.r101_4"),
        ("UPDATE p SET id = 2", -692, 0, "informix.r101_4"),
        ("DELETE FROM c WHERE id = 1", -692, 0, "informix.fk_self"),
        (
            "INSERT INTO c VALUES (3, 1, 0, 'x', NULL)",
            -530,
            0,
            "informix.c101_6",
        ),
        (
            "INSERT INTO c VALUES (3, 1, 101, 'x', NULL)",
            -530,
            0,
            "informix.small",
        ),
        ("INSERT INTO c VALUES (3, 1, 5, 'x', NULL)", -239, -100, "c"),
        ("UPDATE c SET id = 1", -268, -100, "informix.pk_c"),
    ] {
        let error = s.fails(statement);
        assert_eq!(
            (error.sqlcode, error.isam, error.token.as_str()),
            (code, isam, token),
            "{statement}: {error}"
        );
    }
    // NULL breaks neither CHECK nor foreign key; in a unique index it may stand once.
    s.run("INSERT INTO c VALUES (4, NULL, NULL, 'x', NULL)");
    assert_eq!(
        s.fails("INSERT INTO c VALUES (5, NULL, NULL, 'x', NULL)").sqlcode,
        -239
    );
    // Deleting both ends of a reference to the table itself in one statement is fine.
    assert_eq!(s.run("DELETE FROM c").rows, 3);
    s.run("DELETE FROM p");
}

#[test]
fn cascades_and_deferred_constraints() {
    let mut s = testdb();
    s.run("CREATE TABLE p (id INT PRIMARY KEY)");
    s.run("CREATE TABLE c (pid INT REFERENCES p ON DELETE CASCADE)");
    s.run("INSERT INTO p VALUES (1)");
    s.run("INSERT INTO c VALUES (1)");
    s.run("DELETE FROM p");
    assert_eq!(s.one("SELECT COUNT(*) FROM c"), "0");
    s.run("BEGIN");
    s.run("SET CONSTRAINTS ALL DEFERRED");
    s.run("INSERT INTO c VALUES (7)");
    s.run("INSERT INTO p VALUES (7)");
    s.run("COMMIT");
    s.run("BEGIN");
    s.run("SET CONSTRAINTS ALL DEFERRED");
    s.run("INSERT INTO c VALUES (8)");
    assert_eq!(s.fails("COMMIT").sqlcode, -691);
    assert!(!s.in_transaction());
    assert_eq!(s.texts("SELECT pid FROM c"), ["7"]);
}

#[test]
fn what_create_table_refuses() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a) CONSTRAINT pk)");
    for (statement, code) in [
        ("CREATE TABLE t (a INT)", -310),
        ("CREATE TABLE x (a INT, a CHAR(1))", -328),
        ("CREATE TABLE x (a INT, PRIMARY KEY (b))", -217),
        ("CREATE TABLE x (a INT PRIMARY KEY, b INT PRIMARY KEY)", -704),
        ("CREATE TABLE x (a INT REFERENCES nowhere)", -206),
        ("CREATE TABLE x (a INT REFERENCES t (b))", -297),
        ("CREATE TABLE x (a CHAR(5) REFERENCES t)", -356),
        (
            "CREATE TABLE x (a INT, b INT, FOREIGN KEY (a, b) REFERENCES t)",
            -536,
        ),
        ("CREATE TABLE x (a INT, PRIMARY KEY (a) CONSTRAINT pk)", -625),
        ("CREATE TABLE x (a CHAR(30000), b CHAR(30000))", -499),
        ("CREATE TABLE x (a INT DEFAULT 'abc')", -591),
        ("CREATE TABLE x (a INT DEFAULT NULL NOT NULL)", -592),
        ("CREATE TABLE x (a SERIAL DEFAULT 5)", -593),
        ("CREATE TABLE x (a BYTE DEFAULT 'x')", -594),
        ("CREATE TABLE x (a BYTE PRIMARY KEY)", -610),
        ("CREATE TABLE x (a nosuchtype)", -9628),
        ("CREATE TEMP TABLE x (a INT REFERENCES t)", -548),
        ("CREATE INDEX i ON nowhere (a)", -206),
        ("CREATE INDEX i ON t (nowhere)", -217),
        ("DROP TABLE nowhere", -206),
        ("DROP INDEX nowhere", -319),
        ("DROP VIEW t", -394),
        ("DROP TABLE systables", -511),
        ("UPDATE systables SET tabname = 'x'", -511),
        ("ALTER TABLE t DROP (nowhere)", -217),
        ("ALTER TABLE t DROP CONSTRAINT nowhere", -623),
        ("CREATE VIEW t AS SELECT a FROM t", -310),
        ("CREATE VIEW v AS SELECT COUNT(*) FROM t", -383),
    ] {
        let error = s.fails(statement);
        assert_eq!(error.sqlcode, code, "{statement}: {error}");
    }
    assert_eq!(s.one("SELECT COUNT(*) FROM systables WHERE tabid > 100"), "0");
    s.run("CREATE TABLE IF NOT EXISTS t (z INT)");
    s.run("DROP TABLE IF EXISTS nowhere");
    s.run("CREATE TEMP TABLE t (z INT)");
    assert_eq!(s.fails("CREATE TEMP TABLE t (z INT)").sqlcode, -958);
    assert_eq!(s.texts("SELECT z FROM t").len(), 0);
}

#[test]
fn the_catalog_describes_tables() {
    let mut s = testdb();
    s.run(
        "CREATE TABLE \"informix\".t (id SERIAL NOT NULL PRIMARY KEY, v VARCHAR(255,200) DEFAULT 'x y', d DECIMAL(8,2) DEFAULT 5,
           b BOOLEAN, l LVARCHAR(300), n NCHAR(4) NOT NULL, dt DATETIME YEAR TO SECOND DEFAULT CURRENT YEAR TO SECOND,
           u CHAR(8) DEFAULT USER, i INT DEFAULT NULL, set_ SET(INT NOT NULL)) LOCK MODE ROW",
    );
    s.run("CREATE UNIQUE INDEX i1 ON t (v, d DESC)");
    assert_eq!(
        s.texts(
            "SELECT colname, coltype, collength, extended_id FROM syscolumns WHERE tabid = 100 ORDER BY colno"
        ),
        [
            "id|262|4|0",
            "v|13|-14081|0",
            "d|5|2050|0",
            "b|41|1|5",
            "l|43|300|1",
            "n|271|4|0",
            "dt|10|3594|0",
            "u|0|8|0",
            "i|2|4|0",
            "set_|19|0|2048"
        ]
    );
    assert_eq!(
        s.texts("SELECT colno, type, default FROM sysdefaults WHERE tabid = 100 ORDER BY colno"),
        ["2|L|x y", "3|L|AAAABQ 5", "7|C|", "8|U|", "9|N|"]
    );
    assert_eq!(
        s.texts("SELECT idxname, idxtype, part1, part2, part3 FROM sysindexes WHERE tabid = 100 ORDER BY 1"),
        [" 100_1|U|1|0|0", "i1|U|2|-3|0"]
    );
    assert_eq!(
        s.one("SELECT indexkeys FROM sysindices WHERE idxname = 'i1'"),
        "2 [1], -3 [1]"
    );
    assert_eq!(
        s.one("SELECT owner, locklevel, ncols, nindexes, tabtype FROM systables WHERE tabid = 100"),
        "informix|R|10|2|T"
    );
    assert_eq!(
        s.one("SELECT tabname FROM systables t WHERE tabname = 't' AND owner = 'informix'"),
        "t"
    );
    s.run("INSERT INTO t (n) VALUES ('a')");
    assert_eq!(s.one("SELECT id, v, d, u, i FROM t"), "1|x y|5.00|informix|NULL");
    s.run("UPDATE STATISTICS FOR TABLE t");
    assert_eq!(s.one("SELECT nrows FROM systables WHERE tabid = 100"), "1");
    // LVARCHAR is described to clients in its own code.
    s.run("DROP TABLE t");
    for table in [
        "systables",
        "syscolumns",
        "sysindexes",
        "sysindices",
        "sysconstraints",
        "sysdefaults",
    ] {
        assert_eq!(
            s.one(&format!("SELECT COUNT(*) FROM {table} WHERE tabid >= 100")),
            "0",
            "{table}"
        );
    }
}

#[test]
fn alter_table() {
    let mut s = testdb();
    s.run("CREATE TABLE p (id INT PRIMARY KEY)");
    s.run("CREATE TABLE t (a INT, b CHAR(5), c INT REFERENCES p)");
    s.run("CREATE INDEX by_b ON t (b, a)");
    s.run("INSERT INTO t VALUES (1, '12', NULL)");
    s.run("INSERT INTO t VALUES (2, '7', NULL)");
    s.run("ALTER TABLE t ADD (d DATE BEFORE b, e VARCHAR(10) DEFAULT 'new' NOT NULL)");
    assert_eq!(
        s.texts("SELECT * FROM t ORDER BY a"),
        ["1|NULL|12|NULL|new", "2|NULL|7|NULL|new"]
    );
    assert_eq!(
        s.one("SELECT part1, part2 FROM sysindexes WHERE idxname = 'by_b'"),
        "3|1"
    );
    assert_eq!(s.fails("INSERT INTO t (a, e) VALUES (1, NULL)").sqlcode, -391);
    s.run("ALTER TABLE t MODIFY (b INT)");
    assert_eq!(s.one("SELECT SUM(b) FROM t"), "19");
    s.run("ALTER TABLE t MODIFY (a BIGINT NOT NULL)");
    assert_eq!(
        s.one("SELECT coltype FROM syscolumns WHERE colname = 'a' AND tabid = 101"),
        "308"
    );
    assert_eq!(s.fails("ALTER TABLE t MODIFY (d DATE NOT NULL)").sqlcode, -386);
    assert_eq!(s.fails("ALTER TABLE t ADD (f INT NOT NULL)").sqlcode, -269);
    s.run("ALTER TABLE t ADD CONSTRAINT PRIMARY KEY (a) CONSTRAINT pk_t");
    assert_eq!(s.fails("INSERT INTO t (a) VALUES (1)").token, "informix.pk_t");
    assert_eq!(
        s.fails("ALTER TABLE t ADD CONSTRAINT UNIQUE (e) CONSTRAINT u_e")
            .sqlcode,
        -371
    );
    assert_eq!(
        s.fails("ALTER TABLE t ADD CONSTRAINT CHECK (a > 1)").sqlcode,
        -530
    );
    s.run("ALTER TABLE t ADD CONSTRAINT CHECK (a > 0) CONSTRAINT c_a");
    assert_eq!(s.fails("UPDATE t SET a = -1 WHERE a = 1").token, "informix.c_a");
    s.run("UPDATE t SET c = NULL");
    s.run("ALTER TABLE t ADD (g INT)");
    s.run("UPDATE t SET g = 99");
    assert_eq!(
        s.fails("ALTER TABLE t ADD CONSTRAINT FOREIGN KEY (g) REFERENCES p")
            .sqlcode,
        -525
    );
    s.run("ALTER TABLE t DROP CONSTRAINT c_a");
    s.run("UPDATE t SET a = -1 WHERE a = 1");
    s.run("ALTER TABLE t DROP (b, g)");
    assert_eq!(
        s.texts("SELECT * FROM t ORDER BY a"),
        ["-1|NULL|NULL|new", "2|NULL|NULL|new"]
    );
    assert_eq!(
        s.one("SELECT COUNT(*) FROM sysindexes WHERE idxname = 'by_b'"),
        "0"
    );
    assert_eq!(
        s.fails("INSERT INTO t (a, c, e) VALUES (3, 5, 'x')").sqlcode,
        -691
    );
    s.run("ALTER TABLE t LOCK MODE (ROW)");
    assert_eq!(s.one("SELECT locklevel FROM systables WHERE tabname = 't'"), "R");
    assert_eq!(s.fails("ALTER TABLE p DROP (id)").sqlcode, -370);
    // SQLite agrees that all is well.
    s.run("INSERT INTO p VALUES (5)");
    s.run("INSERT INTO t (a, c, e) VALUES (3, 5, 'x')");
    s.run("DROP TABLE p");
    s.run("INSERT INTO t (a, c, e) VALUES (4, 6, 'x')");
}

#[test]
fn renames() {
    let mut s = testdb();
    s.run("CREATE TABLE p (id INT PRIMARY KEY)");
    s.run("CREATE TABLE t (a INT REFERENCES p CONSTRAINT fk, b INT)");
    s.run("CREATE INDEX i ON t (b)");
    s.run("RENAME TABLE p TO parent");
    s.run("RENAME COLUMN parent.id TO key");
    s.run("RENAME INDEX i TO j");
    s.run("RENAME CONSTRAINT fk TO fk2");
    s.run("INSERT INTO parent (key) VALUES (1)");
    s.run("INSERT INTO t VALUES (1, 1)");
    assert_eq!(s.fails("INSERT INTO t VALUES (2, 1)").token, "informix.fk2");
    assert_eq!(s.fails("SELECT * FROM p").sqlcode, -206);
    assert_eq!(s.fails("SELECT id FROM parent").sqlcode, -217);
    assert_eq!(s.fails("RENAME TABLE t TO parent").sqlcode, -310);
    s.run("DROP INDEX j");
}

#[test]
fn views_and_synonyms() {
    let engine = engine();
    let mut s = session(&engine, "testdb");
    s.run("CREATE TABLE t (a INT NOT NULL, b CHAR(5))");
    s.run("INSERT INTO t VALUES (1, 'x')");
    s.run("CREATE VIEW v (n, m) AS SELECT a + 1, b FROM t WHERE a > 0");
    s.run("CREATE VIEW w AS SELECT n FROM v");
    s.run("CREATE SYNONYM s FOR t");
    assert_eq!(s.texts("SELECT n, m FROM v"), ["2|x"]);
    assert_eq!(s.texts("SELECT n FROM w"), ["2"]);
    assert_eq!(s.texts("SELECT a FROM s"), ["1"]);
    s.run("INSERT INTO s VALUES (5, 'y')");
    assert_eq!(
        s.texts("SELECT tabname, tabtype FROM systables WHERE tabid > 100 ORDER BY 1"),
        ["s|S", "v|V", "w|V"]
    );
    let text: String = s
        .rows("SELECT viewtext FROM sysviews ORDER BY tabid, seqno")
        .iter()
        .map(|r| r[0].to_string())
        .collect();
    assert!(
        text.starts_with("create view \"informix\".v (n,m) as SELECT a + 1, b FROM t"),
        "{text}"
    );
    let mut other = session(&engine, "sysmaster");
    assert_eq!(other.texts("SELECT n FROM testdb:v ORDER BY n"), ["2", "6"]);
    // Views go with their table.
    s.run("DROP TABLE t");
    assert_eq!(
        s.one("SELECT COUNT(*) FROM systables WHERE tabtype = 'V' AND tabid > 100"),
        "0"
    );
}

#[test]
fn sequences() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE SEQUENCE s START WITH 10 INCREMENT BY 5 MAXVALUE 25");
    assert_eq!(
        a.fails("SELECT s.CURRVAL FROM systables WHERE tabid = 1").sqlcode,
        -8315
    );
    assert_eq!(a.one("SELECT s.NEXTVAL FROM systables WHERE tabid = 1"), "10");
    assert_eq!(b.one("SELECT s.NEXTVAL FROM systables WHERE tabid = 1"), "15");
    assert_eq!(a.one("SELECT s.CURRVAL FROM systables WHERE tabid = 1"), "10");
    a.run("CREATE TABLE t (n INT)");
    a.run("INSERT INTO t VALUES (s.NEXTVAL)");
    assert_eq!(a.one("SELECT n FROM t"), "20");
    a.run("INSERT INTO t VALUES (s.NEXTVAL)");
    assert!(a.run_with("INSERT INTO t VALUES (s.NEXTVAL)", &[]).is_err());
    a.run("ALTER SEQUENCE s RESTART WITH 11 NOMAXVALUE");
    assert_eq!(b.one("SELECT s.NEXTVAL FROM systables WHERE tabid = 1"), "11");
    a.run("DROP SEQUENCE s");
    assert!(a.fails("SELECT s.NEXTVAL FROM systables WHERE tabid = 1").sqlcode < 0);
}

#[test]
fn sysmaster_shows_the_server() {
    let mut s = testdb();
    assert_eq!(
        s.texts("SELECT name, is_logging FROM sysmaster:sysdatabases ORDER BY name"),
        ["sysmaster|1", "testdb|1"]
    );
    assert_eq!(
        s.one("SELECT dbs_collate FROM sysmaster:sysdbslocale WHERE dbs_dbsname = 'testdb'"),
        "en_US.819"
    );
    assert_eq!(s.one("SELECT COUNT(*) FROM sysmaster:\"informix\".sysdual"), "1");
    s.run("CREATE TABLE mine (n INT)");
    assert_eq!(
        s.one("SELECT tabname FROM sysmaster:systabnames WHERE dbsname = 'testdb' AND tabname = 'mine'"),
        "mine"
    );
    assert_eq!(
        s.one("SELECT username FROM sysmaster:syssessions WHERE sid = dbinfo('sessionid')"),
        "informix"
    );
    assert_eq!(
        s.one("SELECT env_value FROM sysmaster:sysenv WHERE env_name = 'INFORMIXSERVER'"),
        "informix"
    );
    s.run("DATABASE sysmaster");
    assert_eq!(
        s.one("SELECT name FROM sysdatabases WHERE name = 'testdb'"),
        "testdb"
    );
    assert_eq!(s.rows("SELECT FIRST 100 tabid FROM systables").len(), 100);
    s.run("CREATE TABLE here (n INT)");
    s.run("INSERT INTO here VALUES (1)");
    assert_eq!(s.rows("SELECT n FROM here"), [[Value::Integer(1)]]);
}

#[test]
fn queries_that_tools_send() {
    let mut s = testdb();
    s.run("CREATE TABLE p (id SERIAL PRIMARY KEY, name VARCHAR(30))");
    s.run("CREATE TABLE c (id INT, pid INT REFERENCES p CONSTRAINT fk_p)");
    let keys = s.texts(
        "SELECT pt.tabname, pc.colname, ft.tabname, fc.colname, r.updrule, r.delrule, fk.constrname
           FROM testdb:informix.systables pt, testdb:informix.syscolumns pc, testdb:informix.sysindexes pi,
                testdb:informix.sysconstraints pk, testdb:informix.systables ft, testdb:informix.syscolumns fc,
                testdb:informix.sysindexes fi, testdb:informix.sysconstraints fk, testdb:informix.sysreferences r
          WHERE pt.tabid = pc.tabid AND pc.tabid = pi.tabid AND pt.tabid = pk.tabid AND pk.constrid = r.primary
            AND r.constrid = fk.constrid AND pi.idxname = pk.idxname AND fi.idxname = fk.idxname
            AND ft.tabid = fc.tabid AND fc.tabid = fi.tabid AND ft.tabid = fk.tabid
            AND pc.colno = ABS(pi.part1) AND fc.colno = ABS(fi.part1)",
    );
    assert_eq!(keys, ["p|id|c|pid|R|R|fk_p"]);
    assert_eq!(
        s.one("select FIRST 1 site from informix.systables where tabname = ' GL_COLLATE'"),
        "en_US.819"
    );
    assert_eq!(
        s.one("SELECT DBINFO('version','full') FROM systables WHERE tabid = 1"),
        "IBM Informix Dynamic Server Version 14.10.FC7W1"
    );
    assert_eq!(
        s.one("SELECT DBINFO('dbname') FROM systables WHERE tabid = 1"),
        "testdb"
    );
    s.run("MERGE INTO p USING c ON (p.id = c.pid) WHEN NOT MATCHED THEN INSERT (name) VALUES ('none')");
    s.run("INSERT INTO c VALUES (1, NULL)");
    assert_eq!(
        s.run("MERGE INTO p USING c ON (p.id = c.pid) WHEN NOT MATCHED THEN INSERT (name) VALUES ('merged')")
            .rows,
        1
    );
    s.run("UPDATE c SET pid = 1");
    assert_eq!(
        s.run("MERGE INTO p USING c ON (p.id = c.pid) WHEN MATCHED THEN UPDATE SET name = 'again'")
            .rows,
        1
    );
    assert_eq!(s.texts("SELECT id, name FROM p"), ["1|again"]);
    assert_eq!(s.run("SELECT id, name FROM p INTO TEMP copy").rows, 1);
    assert_eq!(s.texts("SELECT * FROM copy"), ["1|again"]);
    assert_eq!(s.fails("SELECT id FROM p INTO TEMP copy").sqlcode, -958);
    s.run("CREATE TABLE kept AS SELECT id, name FROM copy");
    assert_eq!(s.texts("SELECT * FROM kept"), ["1|again"]);
}

#[test]
fn delimited_names_keep_their_case() {
    let engine = engine();
    let options = informix_devserver::engine::SessionOptions {
        delimident: true,
        ..informix_devserver::engine::SessionOptions::new("informix")
    };
    let mut s = engine.session(options).expect("session");
    s.open_database("testdb", false).expect("open");
    s.run("CREATE TABLE \"Order\" (\"Key\" INT, \"a b\" INT UNIQUE)");
    s.run("CREATE TABLE order_ (key INT)");
    s.run("CREATE TABLE \"order\" (key INT)");
    s.run("INSERT INTO \"Order\" VALUES (1, 2)");
    assert_eq!(s.texts("SELECT \"Key\", \"a b\" FROM \"Order\""), ["1|2"]);
    assert_eq!(s.texts("SELECT key FROM \"order\"").len(), 0);
    assert_eq!(s.fails("INSERT INTO \"Order\" VALUES (1, 2)").sqlcode, -268);
}

#[test]
fn keys_are_checked_when_an_update_ends() {
    let mut s = testdb();
    s.run("CREATE TABLE t (k INT PRIMARY KEY, u VARCHAR(5) UNIQUE, i INT)");
    for n in 1..=4 {
        s.run(&format!("INSERT INTO t VALUES ({n}, 'u{n}', {n})"));
    }
    for in_transaction in [false, true] {
        if in_transaction {
            s.run("BEGIN");
            s.run("INSERT INTO t VALUES (100, NULL, 100)");
        }
        assert!(s.run("UPDATE t SET k = k + 1 WHERE k < 50").rows == 4);
        assert!(s.run("UPDATE t SET u = 'u' || (5 - i) WHERE i < 50").rows == 4);
        assert_eq!(s.fails("UPDATE t SET k = 7").sqlcode, -268);
        assert_eq!(s.fails("UPDATE t SET u = 'same '").token, "informix.u100_2");
        assert_eq!(s.fails("INSERT INTO t VALUES (3, 'x', 0)").sqlcode, -268);
        if in_transaction {
            s.run("COMMIT");
        }
    }
    assert_eq!(
        s.texts("SELECT k, u FROM t ORDER BY k"),
        ["3|u4", "4|u3", "5|u2", "6|u1", "100|NULL"]
    );
    // An index without a constraint is checked row by row.
    s.run("CREATE UNIQUE INDEX by_i ON t (i)");
    assert_eq!(s.fails("UPDATE t SET i = i + 1").sqlcode, -239);
    // A key that others refer to stays as it was.
    s.run("CREATE TABLE c (k INT REFERENCES t (k))");
    s.run("INSERT INTO c VALUES (3)");
    assert_eq!(s.fails("UPDATE t SET k = k + 1").sqlcode, -268);
    assert_eq!(s.one("SELECT MIN(k) FROM t"), "3");
}

#[test]
fn deleting_a_parent_of_the_same_table_names_the_parents_side() {
    let mut s = testdb();
    s.run("CREATE TABLE t (id INT PRIMARY KEY, up INT REFERENCES t (id) CONSTRAINT fk)");
    s.run("INSERT INTO t VALUES (1, 1)");
    s.run("INSERT INTO t VALUES (2, 1)");
    assert_eq!(s.fails("INSERT INTO t VALUES (3, 9)").sqlcode, -691);
    let error = s.fails("DELETE FROM t WHERE id = 1");
    assert_eq!(
        (error.sqlcode, error.isam, error.token.as_str()),
        (-692, 0, "informix.fk")
    );
    assert_eq!(s.run("DELETE FROM t").rows, 2);
}

#[test]
fn composite_keys_with_null_ignore_trailing_blanks() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT, b VARCHAR(5))");
    s.run("CREATE UNIQUE INDEX by_both ON t (a, b)");
    s.run("INSERT INTO t VALUES (NULL, 'x')");
    assert_eq!(s.fails("INSERT INTO t VALUES (NULL, 'x  ')").sqlcode, -239);
    s.run("INSERT INTO t VALUES (NULL, 'y')");
    s.run("INSERT INTO t VALUES (0, 'x')");
}
