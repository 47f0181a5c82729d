//! What public tools read from the catalog (informix-sql.md 13 to 15), with the answers that they need.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

#[path = "engine/support.rs"]
mod support;

use informix_devserver::engine::Session;
use support::{Run, testdb};

const SCHEMA: &[&str] = &[
    "CREATE TABLE parent (id SERIAL NOT NULL PRIMARY KEY CONSTRAINT pk_parent, code CHAR(5) NOT NULL,
       name VARCHAR(40,10) DEFAULT 'no name', pay DECIMAL(8,2) DEFAULT 1.50, born DATE DEFAULT TODAY,
       at_ DATETIME YEAR TO FRACTION(3), note LVARCHAR(500), flag BOOLEAN, CHECK (pay > 0) CONSTRAINT ck_pay)",
    "CREATE UNIQUE INDEX ix_code ON parent (code)",
    "CREATE TABLE child (a INTEGER, b INTEGER, parent_id INTEGER,
       FOREIGN KEY (parent_id) REFERENCES parent (id) ON DELETE CASCADE CONSTRAINT fk_parent)",
    "CREATE INDEX ix_ab ON child (a, b DESC)",
    "CREATE VIEW rich (id, name) AS SELECT id, name FROM parent WHERE pay > 100",
    "CREATE SYNONYM folks FOR parent",
    "CREATE SEQUENCE numbers START WITH 5 INCREMENT BY 5 MAXVALUE 100 MINVALUE 5",
    "CREATE FUNCTION twice(a INTEGER) RETURNING INTEGER; RETURN a * 2; END FUNCTION",
    "CREATE PROCEDURE nothing() DEFINE x INTEGER; LET x = 1; END PROCEDURE",
    "CREATE TABLE points (p ROW(x INTEGER, y DECIMAL(6,1)), names SET(VARCHAR(9) NOT NULL))",
    "CREATE TRIGGER tr_child INSERT ON child REFERENCING NEW AS n FOR EACH ROW (UPDATE parent SET note = 'x' WHERE id = n.parent_id)",
    "GRANT SELECT, INSERT ON child TO reader",
    "GRANT SELECT ON child TO admin WITH GRANT OPTION",
];

/// Query, rows with `|` between the columns.
const ANSWERS: &[(&str, &[&str])] = &[
    // Django: lists of tables, columns by position.
    (
        "SELECT tabname, tabtype FROM systables WHERE tabid >= 100 AND tabtype IN ('T', 'V', 'S', 'Q') ORDER BY tabname",
        &["child|T", "folks|S", "numbers|Q", "parent|T", "points|T", "rich|V"],
    ),
    (
        "SELECT c.* FROM syscolumns c JOIN systables t ON c.tabid = t.tabid WHERE t.tabname = 'child' AND c.colno = 1",
        &["a|101|1|2|4|NULL|NULL|0|0|0"],
    ),
    // Django and JDBC: foreign keys.
    (
        "SELECT st.tabname, sc.colname, rt.tabname, rc.colname, c.constrname, ref.delrule, ref.updrule
           FROM systables st, systables rt, syscolumns sc, syscolumns rc, sysindexes si, sysindexes ri, sysconstraints c,
                sysconstraints rcon, sysreferences ref
          WHERE c.constrtype = 'R' AND c.constrid = ref.constrid AND ref.primary = rcon.constrid AND rt.tabid = ref.ptabid
            AND st.tabid = c.tabid AND si.idxname = c.idxname AND ri.idxname = rcon.idxname AND sc.tabid = st.tabid
            AND rc.tabid = rt.tabid AND ABS(si.part1) = sc.colno AND si.part2 = 0 AND ABS(ri.part1) = rc.colno",
        &["child|parent_id|parent|id|fk_parent|C|R"],
    ),
    ("SELECT idxname, indexkeys::LVARCHAR FROM sysindices WHERE idxname LIKE 'ix%' ORDER BY 1", &["ix_ab|1 [1], -2 [1]", "ix_code|2 [1]"]),
    // SQLAlchemy: columns with their defaults by an old outer join.
    (
        "SELECT t1.colname, MOD(t1.coltype, 256), t1.collength, TRIM(t3.default), t3.type
           FROM \"informix\".syscolumns t1, \"informix\".systables t2, OUTER \"informix\".sysdefaults t3
          WHERE t1.tabid = t2.tabid AND t2.tabname = 'parent' AND t2.owner = 'informix' AND t3.tabid = t2.tabid
            AND t3.colno = t1.colno ORDER BY t1.colno",
        &[
            "id|6|4|NULL|NULL", "code|0|5|NULL|NULL", "name|13|2600|no name|L", "pay|5|2050|AAAAAA 1.50|L", "born|7|4||T",
            "at_|10|4365|NULL|NULL", "note|43|500|NULL|NULL", "flag|41|1|NULL|NULL",
        ],
    ),
    (
        "SELECT COUNT(*) FROM sysviews v, systables t WHERE t.tabid = v.tabid AND t.tabname = 'rich' AND v.seqno = 0
            AND LOWER(v.viewtext) MATCHES 'create view*rich*'",
        &["1"],
    ),
    // Yii2: the keyword as a quoted column, no rows whose column is NOT NULL.
    ("SELECT COUNT(*) FROM sysreferences WHERE sysreferences.'primary' > 0", &["1"]),
    (
        "SELECT syscolumns.colname FROM systables INNER JOIN syscolumns ON syscolumns.tabid = systables.tabid
          WHERE systables.tabname = 'parent' AND NOT (coltype > 255) ORDER BY syscolumns.colno",
        &["name", "pay", "born", "at_", "note", "flag"],
    ),
    // Tabularis: type names of extended types.
    (
        "SELECT c.colname, x.name FROM syscolumns c LEFT OUTER JOIN sysxtdtypes x ON x.extended_id = c.extended_id
           JOIN systables t ON t.tabid = c.tabid WHERE t.tabname = 'parent' AND c.extended_id > 0 ORDER BY c.colno",
        &["note|lvarchar", "flag|boolean"],
    ),
    // Hibernate: sequences.
    (
        "SELECT t.tabname, s.start_val, s.min_val, s.max_val, s.inc_val, s.cycle, s.order FROM syssequences s
           JOIN systables t ON t.tabid = s.tabid WHERE t.tabtype = 'Q'",
        &["numbers|5|5|100|5|0|0"],
    ),
    // Constraints of a table, as Liquibase and wbjdbc read them.
    (
        "SELECT c.constrname, c.constrtype FROM sysconstraints c JOIN systables t ON t.tabid = c.tabid
          WHERE t.tabname IN ('parent', 'child') AND c.constrtype IN ('P', 'R', 'C', 'U') ORDER BY 1",
        &["ck_pay|C", "fk_parent|R", "pk_parent|P"],
    ),
    (
        "SELECT TRIM(k.checktext) FROM syschecks k JOIN sysconstraints c ON c.constrid = k.constrid
          WHERE k.type = 'T' AND c.constrname = 'ck_pay' ORDER BY k.seqno",
        &["(pay > 0)"],
    ),
    (
        "SELECT d.colno FROM syscoldepend d JOIN sysconstraints c ON c.constrid = d.constrid WHERE c.constrname = 'ck_pay'",
        &["4"],
    ),
    // DBeaver: routines.
    (
        "SELECT procname, isproc, numargs, langid FROM informix.sysprocedures WHERE procname IN ('twice', 'nothing')
          ORDER BY procname",
        &["nothing|t|0|2", "twice|f|1|2"],
    ),
    (
        "SELECT COUNT(*) FROM sysprocbody b JOIN sysprocedures p ON p.procid = b.procid
          WHERE b.datakey = 'T' AND p.procname = 'twice' AND b.data LIKE 'CREATE FUNCTION twice%'",
        &["1"],
    ),
    // Synonyms lead to their tables.
    (
        "SELECT t.tabname, b.tabname FROM syssyntable s JOIN systables t ON t.tabid = s.tabid JOIN systables b
           ON b.tabid = s.btabid",
        &["folks|parent"],
    ),
    // Privileges; a capital letter is one that may be passed on.
    (
        "SELECT TRIM(a.grantee), a.tabauth FROM systabauth a JOIN systables t ON t.tabid = a.tabid WHERE t.tabname = 'child'
          ORDER BY 1",
        &["admin|S--------", "public|su-idx---", "reader|s--i-----"],
    ),
    // Unnamed row and collection types.
    (
        "SELECT c.colname, x.mode, x.type FROM sysxtdtypes x JOIN syscolumns c ON c.extended_id = x.extended_id
          WHERE c.colname IN ('p', 'names') ORDER BY 1",
        &["names|C|19", "p|R|22"],
    ),
    // Pools: is the connection alive?
    ("SELECT FIRST 1 tabid FROM informix.systables", &["1"]),
    ("SELECT DBINFO('version', 'full') FROM systables WHERE tabid = 1", &["IBM Informix Dynamic Server Version 14.10.FC7W1"]),
    // SQLAlchemy: what an INSERT has made.
    ("SELECT dbinfo('sqlca.sqlerrd1'), dbinfo('bigserial') FROM sysmaster:\"informix\".sysdual", &["0|0"]),
    ("SELECT TRIM(CURRENT_USER) FROM systables WHERE tabid = 1", &["informix"]),
    // Yii2: rows out of nothing.
    (
        "SELECT 1, 'x' FROM TABLE(set{1}) UNION ALL SELECT '2'::INTEGER, 'y' FROM TABLE(set{1}) ORDER BY 1",
        &["1|x", "2|y"],
    ),
    // Tabularis.
    (
        "SELECT TRIM(t.tabname), NVL(d.default, '') FROM systables t LEFT JOIN sysdefaults d ON d.tabid = t.tabid AND d.colno = 3
          WHERE t.tabid >= 100 AND t.tabtype = 'T' ORDER BY 1",
        &["child|", "parent|no name", "points|"],
    ),
    // Hibernate: a page of distinct rows, a query without a table of its own.
    ("SELECT SKIP 1 FIRST 2 DISTINCT tabid FROM systables ORDER BY tabid", &["2", "3"]),
    ("SELECT (SELECT 1 FROM systables WHERE tabid = 1) + 1 FROM sysmaster:sysdual", &["2"]),
    // DBeaver: triggers with their text.
    (
        "SELECT t.trigname, t.event, b.tabname FROM systriggers t JOIN systables b ON b.tabid = t.tabid
          WHERE EXISTS (SELECT 1 FROM systrigbody y WHERE y.trigid = t.trigid AND y.datakey = 'A' AND y.data LIKE '%UPDATE parent%')",
        &["tr_child|I|child"],
    ),
    // wbjdbc: the index behind each constraint.
    (
        "SELECT c.constrname, i.part1, i.part2, i.part8 FROM sysconstraints c JOIN sysindexes i ON i.idxname = c.idxname
          ORDER BY 1",
        &["fk_parent|3|0|0", "pk_parent|1|0|0"],
    ),
    // Debezium: position in the log, conversions of its offsets.
    ("SELECT uniqid, used AS logpage FROM sysmaster:syslogs WHERE is_current = 1", &["1|1"]),
    ("SELECT MIN(uniqid) FROM sysmaster:syslogs", &["1"]),
    (
        "SELECT DATETIME(2024-01-02 03:04:05) YEAR TO SECOND, DATE('01/02/2024') FROM sysmaster:sysdual",
        &["2024-01-02 03:04:05|2024-01-02"],
    ),
    // JDBC: the locale of the database.
    ("SELECT FIRST 1 site FROM informix.systables WHERE tabname = ' GL_COLLATE'", &["en_US.819"]),
    // The server.
    ("SELECT cf_effective FROM sysmaster:sysconfig WHERE cf_name = 'DBSERVERNAME'", &["informix"]),
    ("SELECT is_logging, is_buff_log, is_ansi FROM sysmaster:sysdatabases WHERE name = 'testdb'", &["1|0|0"]),
    ("SELECT dbs_collate FROM sysmaster:sysdbslocale WHERE dbs_dbsname = 'testdb'", &["en_US.819"]),
    ("SELECT dbinfo('dbname') FROM systables WHERE tabid = 1", &["testdb"]),
    ("SELECT env_value FROM sysmaster:sysenv WHERE env_name = 'INFORMIXSERVER'", &["informix"]),
    ("SELECT COUNT(*) FROM sysmaster:syslogs WHERE is_current = 1", &["1"]),
    ("SELECT COUNT(*) FROM sysmaster:systabnames WHERE dbsname = 'testdb' AND tabname = 'parent'", &["1"]),
    ("SELECT name FROM sysmaster:sysdbspaces WHERE dbsnum = 1", &["rootdbs"]),
    ("SELECT COUNT(*) FROM sysmaster:syssessions WHERE sid = dbinfo('sessionid')", &["1"]),
    ("SELECT 1 FROM sysmaster:sysdual", &["1"]),
    ("SELECT username, usertype FROM sysusers WHERE username = 'informix'", &["informix|D"]),
];

#[test]
fn tools_get_their_answers() {
    let mut session = testdb();
    for sql in SCHEMA {
        session.run(sql);
    }
    let wrong: Vec<String> = ANSWERS
        .iter()
        .filter_map(|(sql, expected)| match session.try_rows(sql, &[]) {
            Err(error) => Some(format!("{error}: {sql}")),
            Ok(_) => {
                let got = session.texts(sql);
                (got != *expected).then(|| format!("{got:?} and not {expected:?}: {sql}"))
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Columns in their order, as far as section 13 tells it; the rest of a table may be longer.
const COLUMNS: &[(&str, &str)] = &[
    (
        "systables",
        "tabname owner partnum tabid rowsize ncols nindexes nrows created version tabtype locklevel npused fextsize nextsize flags site dbname type_xid am_id",
    ),
    (
        "syscolumns",
        "colname tabid colno coltype collength colmin colmax extended_id seclabelid colattr",
    ),
    (
        "sysindexes",
        "idxname owner tabid idxtype clustered part1 part2 part3 part4 part5 part6 part7 part8 part9 part10 part11 part12 part13 part14 part15 part16 levels leaves nunique clust",
    ),
    (
        "sysindices",
        "idxname owner tabid idxtype clustered levels leaves nunique clust nrows indexkeys amid amparam collation pagesize",
    ),
    (
        "sysconstraints",
        "constrid constrname owner tabid constrtype idxname collation",
    ),
    (
        "sysreferences",
        "constrid primary ptabid updrule delrule matchtype pendant",
    ),
    ("syschecks", "constrid type seqno checktext"),
    ("syscoldepend", "constrid tabid colno"),
    ("sysdefaults", "tabid colno type default class"),
    ("sysviews", "tabid seqno viewtext"),
    (
        "systriggers",
        "trigid trigname owner tabid event old new mode collation",
    ),
    ("systrigbody", "trigid datakey seqno data"),
    (
        "sysprocedures",
        "procname owner procid mode retsize symsize datasize codesize numargs isproc specificname externalname paramstyle langid paramtypes variant client",
    ),
    ("sysprocbody", "procid datakey seqno data"),
    (
        "sysproccolumns",
        "procid paramid paramname paramtype paramlen paramxid paramattr",
    ),
    (
        "syssequences",
        "seqid tabid start_val inc_val max_val min_val cycle restart_val cache order",
    ),
    ("syssyntable", "tabid servername dbname owner tabname btabid"),
    ("sysusers", "username usertype priority password defrole"),
    ("systabauth", "grantor grantee tabid tabauth"),
    ("syscolauth", "grantor grantee tabid colno colauth"),
    ("sysprocauth", "grantor grantee procid procauth"),
    (
        "sysxtdtypes",
        "extended_id domain mode owner name type source maxlen length byvalue cannothash align locator",
    ),
    (
        "sysattrtypes",
        "extended_id seqno levelno parent_no fieldname fieldno type length xtd_type_id",
    ),
    (
        "sysfragments",
        "fragtype tabid indexname colno partn strategy location servername evalpos exprtext",
    ),
];

fn columns(session: &mut Session, table: &str) -> String {
    let sql = format!(
        "SELECT colname FROM syscolumns c, systables t WHERE t.tabid = c.tabid AND t.tabname = '{table}' ORDER BY colno"
    );
    session.texts(&sql).join(" ")
}

#[test]
fn catalog_tables_have_their_columns_in_order() {
    let mut session = testdb();
    for (table, expected) in COLUMNS {
        let got = columns(&mut session, table);
        assert!(got.starts_with(expected), "{table}: {got}");
    }
    for table in [
        "sysdistrib",
        "sysdepend",
        "sysblobs",
        "syscolattribs",
        "syscasts",
        "sysopclasses",
        "sysams",
        "sysroleauth",
        "sysobjstate",
        "syslangauth",
        "sysroutinelangs",
    ] {
        assert!(!columns(&mut session, table).is_empty(), "{table}");
    }
    for table in [
        "sysdatabases",
        "sysdbslocale",
        "systabnames",
        "sysdual",
        "syssessions",
        "sysenv",
        "sysconfig",
        "sysdbspaces",
        "syssesprof",
        "syslocks",
        "sysenvses",
        "sysprofile",
        "syschunks",
        "syslogs",
        "sysshmvals",
        "flags_text",
    ] {
        session.rows(&format!("SELECT FIRST 1 * FROM sysmaster:{table}"));
    }
}
