//! The catalog queries of the recorded conversations against a real session.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

#[path = "engine/support.rs"]
mod support;

use informix_devserver::engine::{CursorOptions, PrepareOptions, Session};
use informix_types::Value;
use support::{Run, bound, testdb};

/// Functions of the vendor's catalog that only its Java driver calls.
const DRIVER_FUNCTIONS: [&str; 2] = ["get_data_type", "schema_coltypename"];

#[test]
fn catalog_queries_run() {
    let mut session = testdb();
    let mut refused = Vec::new();
    let mut ran = 0;
    for line in include_str!("../testdata/captured-statements.txt")
        .lines()
        .skip(1)
    {
        let text = line
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\\", "\\");
        let catalog = text.trim_start().to_ascii_lowercase().starts_with("select") && text.contains("sys");
        if !catalog || text.contains("nosuch") || DRIVER_FUNCTIONS.iter().any(|f| text.contains(f)) {
            continue;
        }
        let result = session
            .prepare(&text, &PrepareOptions::default())
            .and_then(|prepared| session.open_cursor(&prepared, &[], CursorOptions::default()));
        match result {
            Ok(_) => ran += 1,
            Err(error) => refused.push(format!("{error}: {text}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(ran > 30, "{ran}");
}

/// What public tools ask (informix-sql.md 15), in their own shapes.
const TOOLS: &[&str] = &[
    "SELECT 1 FROM systables WHERE tabid = 1",
    "SELECT FIRST 1 tabid FROM systables",
    "SELECT 1 FROM sysmaster:sysdual",
    "SELECT 1 FROM sysmaster:\"informix\".sysdual",
    "SELECT 1 FROM informix.systables WHERE tabid = 1",
    "SELECT DBINFO('version','full') FROM systables WHERE tabid = 1",
    "SELECT tabname, tabtype FROM systables",
    "SELECT c.* FROM syscolumns c JOIN systables t ON c.tabid = t.tabid WHERE t.tabname = 'x'",
    "SELECT st.tabname, sc.colname, rt.tabname, rc.colname FROM systables st, systables rt, syscolumns sc, syscolumns rc, \
     sysindexes si, sysindexes ri, sysconstraints c, sysconstraints rcon, sysreferences ref \
     WHERE c.constrtype = 'R' AND c.constrid = ref.constrid AND ref.primary = rcon.constrid AND rt.tabid = ref.ptabid \
     AND st.tabid = c.tabid AND si.idxname = c.idxname AND ri.idxname = rcon.idxname AND sc.tabid = st.tabid \
     AND rc.tabid = rt.tabid AND ABS(si.part1) = sc.colno AND si.part2 = 0 AND ABS(ri.part1) = rc.colno",
    "SELECT indexkeys::LVARCHAR FROM sysindices WHERE tabid > 99",
    "SELECT t1.colname, t1.coltype, t1.collength, t3.default, t1.colno, t3.type, t2.tabid \
     FROM \"informix\".syscolumns t1, \"informix\".systables t2, OUTER \"informix\".sysdefaults t3 \
     WHERE t1.tabid = t2.tabid AND t2.tabname = 'x' AND t3.tabid = t2.tabid AND t3.colno = t1.colno ORDER BY t1.colno",
    "SELECT dbinfo('sqlca.sqlerrd1'), dbinfo('bigserial') FROM sysmaster:\"informix\".sysdual",
    "SELECT is_logging FROM sysmaster:sysdatabases WHERE name = 'testdb'",
    "SELECT viewtext FROM sysviews WHERE tabid = 1 ORDER BY seqno",
    "SELECT CURRENT_USER FROM systables WHERE tabid = 1",
    "SELECT syscolumns.colname, syscolumns.colmin, syscolumns.colno, NOT_EXPR.d FROM systables \
     INNER JOIN syscolumns ON syscolumns.tabid = systables.tabid \
     LEFT JOIN (SELECT tabid, colno, default d FROM sysdefaults) NOT_EXPR ON NOT_EXPR.tabid = syscolumns.tabid \
     AND NOT_EXPR.colno = syscolumns.colno WHERE NOT (coltype > 255) ORDER BY syscolumns.colno",
    "SELECT sysreferences.'primary' FROM sysreferences",
    "SELECT TRIM(tabname) FROM systables WHERE tabid >= 100 AND tabtype = 'T' ORDER BY tabname",
    "SELECT c.colname, x.name, NVL(d.default, '') FROM syscolumns c LEFT OUTER JOIN sysxtdtypes x \
     ON x.extended_id = c.extended_id LEFT JOIN sysdefaults d ON d.tabid = c.tabid AND d.colno = c.colno",
    "SELECT TRIM(name) FROM sysmaster:sysdatabases ORDER BY name",
    "SELECT t.tabname, s.start_val, s.inc_val, s.max_val, s.min_val FROM syssequences s \
     JOIN systables t ON t.tabid = s.tabid WHERE t.tabtype = 'Q'",
    "SELECT (SELECT 1 FROM systables WHERE tabid = 1) FROM systables WHERE tabid = 1",
    "SELECT dbinfo('dbname') FROM systables WHERE tabid = 1",
    "SELECT uniqid, used AS logpage FROM sysmaster:syslogs WHERE is_current = 1",
    "SELECT MIN(uniqid) FROM sysmaster:syslogs",
    "SELECT sysdate FROM sysmaster:sysdual",
    "SELECT env_value FROM sysmaster:sysenv WHERE env_name = 'INFORMIXSERVER'",
    "SELECT SKIP 1 FIRST 1 tabid FROM systables ORDER BY tabid",
    "SELECT constrname, constrtype, idxname, constrid FROM sysconstraints WHERE tabid = 100",
    "SELECT checktext FROM syschecks WHERE type = 'T' ORDER BY constrid, seqno",
    "SELECT procname, owner, numargs, isproc, procid FROM sysprocedures",
    "SELECT data FROM sysprocbody WHERE procid = 1 AND datakey = 'T' ORDER BY seqno",
    "SELECT COUNT(*) FROM systables",
];

#[test]
fn tool_queries_run() {
    let mut session = testdb();
    let mut refused = Vec::new();
    for text in TOOLS {
        let result = session
            .prepare(text, &PrepareOptions::default())
            .and_then(|prepared| session.open_cursor(&prepared, &[], CursorOptions::default()));
        if let Err(error) = result {
            refused.push(format!("{error}: {text}"));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn several_statements_in_one_text() {
    let mut session = testdb();
    session.run("CREATE TABLE sink (a INT, b VARCHAR(10))");
    let text = "insert into sink values (?,?);insert into sink values (?,?);delete from sink where a = ?;";
    let prepared = session.prepare(text, &PrepareOptions::default()).unwrap();
    assert_eq!(
        (
            prepared.kind(),
            prepared.columns().len(),
            prepared.parameters().len()
        ),
        (6, 0, 5)
    );
    let values = [1, 10, 2, 20, 1].map(|n| bound(Value::Integer(n)));
    let outcome = session.execute(&prepared, &values).unwrap();
    assert_eq!(outcome.rows, 3);
    assert_eq!(session.texts("SELECT a, b FROM sink"), ["2|20"]);
    let refused =
        |session: &mut Session, text: &str| session.prepare(text, &PrepareOptions::default()).err().unwrap();
    let error = refused(&mut session, "delete from sink; select a from sink");
    assert_eq!((error.sqlcode, error.offset), (-555, 19));
    let error = refused(&mut session, "delete from sink; delete from nosuch");
    assert_eq!(
        (error.sqlcode, error.offset, error.token.as_str()),
        (-206, 31, "nosuch")
    );
    // The first statement stays done when the second fails.
    assert_eq!(
        session
            .fails("insert into sink values (3, 'x'); insert into sink values ('x', 'y')")
            .sqlcode,
        -1213
    );
    assert_eq!(session.texts("SELECT a FROM sink ORDER BY a"), ["2", "3"]);
}
