//! Accept, reject, places of errors, shapes of trees.

use super::ast::{ExprKind, InsertSource, QueryTerm, SelectItem, SplKind, StatementKind, TableRefKind};
use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> SqlResult<Statement> {
    parse_statement(text, &ParseOptions::default())
}

fn delimited(text: &str) -> SqlResult<Statement> {
    parse_statement(text, &ParseOptions { delimident: true })
}

fn select_items(text: &str) -> Vec<SelectItem> {
    let statement = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let StatementKind::Select(query) = statement.kind else {
        panic!("{text}: not a query")
    };
    let QueryTerm::Select(select) = query.first else {
        panic!("{text}: not a block")
    };
    select.items
}

fn first_expr(sql: &str) -> ExprKind {
    match select_items(&format!("SELECT {sql} FROM t")).remove(0) {
        SelectItem::Expr { expr, .. } => expr.kind,
        other => panic!("{sql}: {other:?}"),
    }
}

const ACCEPTED: &[&str] = &[
    // lexical
    "",
    "  -- nothing\n",
    "/* x */ SELECT 1 FROM t",
    "-- x\nSELECT 1 FROM t",
    "{ x } SELECT 1 FROM t;",
    "SELECT {+ ORDERED } a FROM t\0\0",
    "SELECT 'it''s', \"a \"\"b\"\"\" FROM t ; ; ",
    "SELECT 'a\\' FROM t",
    "SELECT r.primary, d.type, d.default, primary, type, default, owner FROM r",
    "SELECT r.'primary' FROM sysreferences r",
    "SELECT a FROM \"informix\".systables, 'joe'.t, sysmaster:\"informix\".sysdual, stores@ol_prod:joe.orders o",
    "SELECT NVL(default,'') FROM sysdefaults",
    "SELECT ?::INT, ?::VARCHAR(16), NULL::CHAR(5) FROM t",
    "SELECT col[2,5], col[3], t.col[1,1] FROM t WHERE col[1] = 'x'",
    "SELECT 1, 1.5, .5, 1., 1e3, 1.5e-3, -2, - 2.5, +3 FROM t",
    // queries
    "SELECT SKIP 5 FIRST 10 DISTINCT a, b FROM t",
    "SELECT SKIP ? FIRST ? a FROM t",
    "SELECT SKIP n LIMIT m a FROM t",
    "SELECT first, skip, limit FROM t",
    "SELECT first FROM t",
    "SELECT FIRST 1 first FROM t LIMIT 5",
    "SELECT UNIQUE a FROM t",
    "SELECT unique FROM t",
    "SELECT ALL a FROM t",
    "SELECT * FROM t, u WHERE t.a = u.a",
    "SELECT t.*, informix.u.*, db:joe.v.* FROM t, u, v",
    "SELECT a x, b AS y FROM t",
    "SELECT a FROM t ORDER BY 1 DESC NULLS LAST, b ASC NULLS FIRST",
    "SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(*) > 1 ORDER BY 2",
    "SELECT a FROM t JOIN u ON t.a = u.a LEFT OUTER JOIN v ON v.a = u.a CROSS JOIN w",
    "SELECT a FROM (t JOIN u ON t.a = u.a) RIGHT JOIN v ON v.a = u.a FULL OUTER JOIN x ON x.a = 1",
    "SELECT a FROM t, OUTER u WHERE t.a = u.a",
    "SELECT a FROM t, OUTER (u, OUTER v), OUTER (w x, y)",
    "SELECT t1.a FROM \"informix\".syscolumns t1, \"informix\".systables t2, OUTER \"informix\".sysdefaults t3",
    "SELECT a FROM (SELECT b FROM t) AS x(a)",
    "SELECT a FROM ((SELECT b FROM t) UNION (SELECT c FROM u)) x",
    "SELECT 1 FROM TABLE(SET{1})",
    "SELECT 1 FROM TABLE(set{1}) UNION ALL SELECT 2 FROM TABLE(set{1})",
    "SELECT * FROM TABLE(MULTISET(SELECT a FROM t)) x",
    "SELECT * FROM TABLE(FUNCTION f(1, 'x')) x(a, b)",
    "SELECT a FROM t UNION SELECT b FROM u INTERSECT SELECT c FROM v MINUS SELECT d FROM w EXCEPT SELECT e FROM x",
    "(SELECT a FROM t)",
    "(SELECT a FROM t) UNION (SELECT b FROM u) ORDER BY 1",
    "((SELECT a FROM t) UNION ALL SELECT b FROM u)",
    "WITH c(a) AS (SELECT b FROM t), d AS (SELECT 1 FROM c) SELECT * FROM c, d",
    "WITH RECURSIVE r(n) AS (SELECT 1 FROM t UNION ALL SELECT n+1 FROM r WHERE n < 5) SELECT n FROM r",
    "SELECT a FROM t FOR UPDATE",
    "SELECT a FROM t FOR UPDATE OF a, b",
    "SELECT a FROM t FOR READ ONLY",
    "SELECT a FROM t INTO TEMP x WITH NO LOG",
    "SELECT a FROM t WHERE b IN (1, ?, 'x') AND c NOT IN (SELECT d FROM u) OR NOT EXISTS (SELECT 1 FROM v)",
    "SELECT a FROM t WHERE a IN ((SELECT b FROM u)) AND c IN d",
    "SELECT a FROM t WHERE a = ANY (SELECT b FROM u) AND a >= ALL (SELECT b FROM u) AND a = SOME (SELECT b FROM u)",
    "SELECT a FROM t WHERE a BETWEEN 1 AND 2 AND b NOT BETWEEN ? AND ?",
    "SELECT a FROM t WHERE a LIKE 'x%' ESCAPE '!' AND b NOT LIKE ? AND c MATCHES '[a-z]*' AND d NOT MATCHES \"x\"",
    "SELECT a FROM t WHERE a IS NULL AND b IS NOT NULL AND ROW(c, d) = ROW(1, 2) AND NOT (a > 255)",
    "SELECT a FROM t WHERE (SELECT MAX(b) FROM u) > ((SELECT 1 FROM v) + 1)",
    "SELECT CASE WHEN a = 1 THEN 'x' ELSE NULL END, CASE a WHEN 1 THEN 2 END lbl FROM t",
    "SELECT SUM(DISTINCT a), COUNT(UNIQUE b), MAX(ALL c), COUNT(*) FROM t",
    "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC), SUM(x) OVER (ORDER BY y ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
    "SELECT LAG(a, 1, 0) OVER (ORDER BY b), FIRST_VALUE(c IGNORE NULLS) OVER (ORDER BY d ROWS 2 PRECEDING) FROM t",
    "SELECT CURRENT, CURRENT YEAR TO SECOND, TODAY, SYSDATE, USER, CURRENT_USER, SITENAME, DBSERVERNAME FROM t",
    "SELECT CURRENT YEAR TO FRACTION(3), current - 1 units day FROM t",
    "SELECT DATETIME (2024-05-06 07:08:09.123) YEAR TO FRACTION(3), DATETIME(07:08) HOUR TO MINUTE FROM t",
    "SELECT INTERVAL (3 04:05) DAY TO MINUTE, INTERVAL (-1-06) YEAR TO MONTH, INTERVAL (125) HOUR(3) TO HOUR FROM t",
    "SELECT DATETIME(a) YEAR TO DAY, INTERVAL(?) DAY(3) TO SECOND FROM t",
    "SELECT EXTEND(a, YEAR TO DAY), EXTEND(b), 3 UNITS DAY, (a + 1) UNITS MONTH, TODAY - 30 UNITS DAY FROM t",
    "SELECT a::DATETIME YEAR TO SECOND, b::INTERVAL DAY(5) TO FRACTION(2), CAST(c AS DECIMAL(8,2)), d::double precision x FROM t",
    "SELECT TRIM(a), TRIM(LEADING FROM a), TRIM(BOTH 'x' FROM a), TRIM('x' FROM a), SUBSTRING(a FROM 1 FOR 2), SUBSTRING(a, 1) FROM t",
    "SELECT SET{1,2}, LIST{'a'}, MULTISET{}, ROW(1,'a')::ROW(a INT, b CHAR(1)), 'SET{1}'::SET(INT NOT NULL) FROM t",
    "SELECT s.NEXTVAL, joe.s.CURRVAL FROM t",
    "SELECT DBINFO('version','full') FROM systables WHERE tabid = 1",
    "SELECT informix.f(a), db:joe.t.a, LEFT(a,2), RIGHT(a,2), YEAR(a), DAY(b), DATE('x'), MOD(a,2) FROM t",
    "SELECT a FROM t WHERE a=1or b=2and c='x'union select 1 from u",
    "SELECT a||b||'c' FROM t WHERE a || b = 'x'",
    "SELECT minus, intersect FROM t",
    "SELECT datetime, interval, row, set, list, day, user_name FROM t",
    "SELECT (a.b).c FROM t",
    // rows
    "INSERT INTO t VALUES (1, ?, NULL, 'x', CURRENT, s.NEXTVAL)",
    "INSERT INTO db:joe.t (a, b) VALUES (?, ?)",
    "INSERT INTO t (a) SELECT b FROM u UNION ALL SELECT c FROM v",
    "INSERT INTO t SELECT * FROM u",
    "INSERT INTO t (SELECT * FROM u)",
    "INSERT INTO t(a) EXECUTE FUNCTION f(1)",
    "UPDATE t SET a = 1, b = ? WHERE c = 2",
    "UPDATE t SET (a, b) = (1, 2)",
    "UPDATE t SET (a, b) = ((SELECT c, d FROM u WHERE u.k = t.k))",
    "UPDATE t SET * = (1, 2)",
    "UPDATE t SET a = 1 WHERE CURRENT OF c1",
    "UPDATE t SET {comment} a = 1",
    "UPDATE t x SET x.a = 1 WHERE x.b = 2",
    "DELETE FROM t",
    "DELETE t WHERE a = 1",
    "DELETE FROM t WHERE CURRENT OF c1",
    "MERGE INTO t AS a USING s b ON (a.k = b.k) WHEN MATCHED THEN UPDATE SET a.v = b.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (b.k, b.v)",
    "MERGE INTO t USING (SELECT 1 k FROM u) s ON t.k = s.k WHEN MATCHED THEN DELETE",
    "TRUNCATE t",
    "TRUNCATE TABLE t DROP STORAGE",
    // schema
    "CREATE TABLE t (a INT)",
    "CREATE TABLE IF NOT EXISTS joe.t (a SERIAL(100) NOT NULL PRIMARY KEY, b VARCHAR(10,2) DEFAULT 'x' NOT NULL UNIQUE CONSTRAINT u1, c DECIMAL(8,2) CHECK (c > 0 AND c < 10) CONSTRAINT ck)",
    "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b) CONSTRAINT pk, UNIQUE (b), FOREIGN KEY (b) REFERENCES p (x) ON DELETE CASCADE CONSTRAINT fk DISABLED, CHECK (a > b))",
    "CREATE TABLE t (a DATETIME YEAR TO SECOND DEFAULT CURRENT YEAR TO SECOND, b DATE DEFAULT TODAY, c INT DEFAULT -1, d CHAR(8) DEFAULT USER, e INT DEFAULT NULL)",
    "CREATE TABLE t (a BYTE IN TABLE, b TEXT IN blobspace1, c BLOB, d SET(INT NOT NULL), e ROW(x INT, y CHAR(3)))",
    "CREATE RAW TABLE t (a INT) WITH ROWIDS IN dbs1 EXTENT SIZE 16 NEXT SIZE 16 LOCK MODE ROW",
    "CREATE TABLE t (a INT) FRAGMENT BY EXPRESSION a < 10 IN d1, a >= 10 IN d2 EXTENT SIZE 16",
    "CREATE TABLE t (a BLOB) PUT a IN (sbs) LOCK MODE PAGE",
    "CREATE TEMP TABLE t (a INT, b LVARCHAR) WITH NO LOG",
    "CREATE TABLE t AS SELECT a FROM u",
    "CREATE TABLE t (unique INT, primary CHAR(2), check INT, constraint INT)",
    "CREATE UNIQUE INDEX i ON t (a, b DESC, f(c)) USING btree IN dbs FILLFACTOR 90 ONLINE",
    "CREATE CLUSTER INDEX IF NOT EXISTS i ON joe.t (a ASC) DISABLED",
    "CREATE VIEW v (a, b) AS SELECT c, d FROM t WITH CHECK OPTION",
    "CREATE PRIVATE SYNONYM s FOR db:joe.t",
    "CREATE SYNONYM s FOR t",
    "CREATE SEQUENCE s INCREMENT BY 2 START WITH -5 MAXVALUE 9223372036854775807 NOMINVALUE CYCLE CACHE 10 NOORDER",
    "CREATE DATABASE d IN rootdbs WITH LOG MODE ANSI",
    "CREATE DATABASE d WITH BUFFERED LOG NLSCASE INSENSITIVE",
    "CREATE ROW TYPE r (a INT, b VARCHAR(10) NOT NULL)",
    "CREATE DISTINCT TYPE d AS INTEGER",
    "CREATE ROLE r",
    "ALTER TABLE t ADD (a INT BEFORE b, c CHAR(2) DEFAULT 'x' NOT NULL), DROP (d, e), MODIFY (f DECIMAL(10,2))",
    "ALTER TABLE t ADD a INT",
    "ALTER TABLE t ADD CONSTRAINT PRIMARY KEY (a) CONSTRAINT pk",
    "ALTER TABLE t ADD CONSTRAINT (UNIQUE (a) CONSTRAINT u, FOREIGN KEY (b) REFERENCES p)",
    "ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (a)",
    "ALTER TABLE t DROP CONSTRAINT pk",
    "ALTER TABLE t LOCK MODE (ROW)",
    "ALTER TABLE t TYPE (RAW)",
    "ALTER TABLE t ADD ROWIDS",
    "ALTER INDEX i TO CLUSTER",
    "ALTER SEQUENCE s RESTART WITH 1",
    "DROP TABLE IF EXISTS joe.t CASCADE",
    "DROP FUNCTION f(INT, VARCHAR(10))",
    "DROP ROW TYPE r RESTRICT",
    "DROP DATABASE d",
    "RENAME COLUMN joe.t.a TO b",
    "RENAME TABLE t TO u",
    "RENAME DATABASE d TO e",
    "GRANT SELECT (a, b), UPDATE ON t TO joe, 'Sue' WITH GRANT OPTION AS informix",
    "GRANT CONNECT TO PUBLIC",
    "GRANT ALL PRIVILEGES ON t TO ROLE r",
    "GRANT EXECUTE ON PROCEDURE p(INT) TO public",
    "REVOKE ALL ON t FROM joe CASCADE",
    // session
    "SET ISOLATION TO COMMITTED READ LAST COMMITTED RETAIN UPDATE LOCKS",
    "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY",
    "SET LOCK MODE TO WAIT 7",
    "SET CONSTRAINTS ALL DEFERRED",
    "SET CONSTRAINTS a, b IMMEDIATE",
    "SET CONSTRAINTS, INDEXES FOR t DISABLED",
    "SET EXPLAIN FILE TO 'x'",
    "SET PDQPRIORITY 10",
    "SET OPTIMIZATION LOW",
    "SET ENVIRONMENT optcompind '1'",
    "SET ROLE none",
    "SET COLLATION 'en_us.819'",
    "SET ENCRYPTION PASSWORD 'x' WITH HINT 'y'",
    "BEGIN",
    "BEGIN WORK WITHOUT REPLICATION",
    "COMMIT WORK",
    "ROLLBACK WORK TO SAVEPOINT s",
    "ROLLBACK TO SAVEPOINT",
    "SAVEPOINT s UNIQUE",
    "RELEASE SAVEPOINT s",
    "DATABASE d EXCLUSIVE",
    "DATABASE 'd@s'",
    "CLOSE DATABASE",
    "LOCK TABLE t IN SHARE MODE",
    "UNLOCK TABLE t",
    "UPDATE STATISTICS",
    "UPDATE STATISTICS HIGH FOR TABLE t (a, b) RESOLUTION 1 DISTRIBUTIONS ONLY FORCE",
    "EXECUTE PROCEDURE joe.p(1, c = 'x', ?)",
    "EXECUTE FUNCTION f()",
    "CALL p()",
    // routines
    "CREATE PROCEDURE p() END PROCEDURE",
    "CREATE TRIGGER g UPDATE OF a ON t REFERENCING OLD AS o NEW AS n FOR EACH ROW WHEN (n.a > o.a) (INSERT INTO l VALUES (o.a, n.a), EXECUTE PROCEDURE p(n.a) INTO a)",
    "CREATE TRIGGER g INSTEAD OF DELETE ON v REFERENCING OLD o FOR EACH ROW (DELETE FROM t WHERE a = o.a)",
    "CREATE TRIGGER g INSERT ON t BEFORE (EXECUTE PROCEDURE p()) AFTER (UPDATE c SET n = n + 1) DISABLED",
];

#[test]
fn accepts_the_dialect() {
    let mut refused = Vec::new();
    for text in ACCEPTED {
        if let Err(error) = parse(text) {
            refused.push(format!("{text}\n  {error}"));
        }
        // The same text read with DELIMIDENT must at least not panic.
        let _ = delimited(text);
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn rejects_with_number_and_place() {
    let cases: &[(&str, i32, u32)] = &[
        ("selct 1", -201, 1),
        ("  selct 1", -201, 3),
        ("SELECT FROM t", -201, 8),
        ("SELECT a FRM t", -201, 14),
        ("SELECT a FROM", -201, 14),
        ("SELECT a FROM t WHERE", -201, 22),
        ("SELECT a FROM t WHERE a =", -201, 26),
        ("SELECT a FROM t WHERE a = )", -201, 27),
        ("SELECT a, FROM t", -201, 11),
        ("SELECT a FROM t GROUP a", -201, 17),
        ("SELECT :1 FROM t", -201, 8),
        ("SELECT a FROM t LIMIT 1 OFFSET 2", -201, 25),
        ("SELECT 'a\\'b' FROM t", -282, 13),
        ("SELECT 'abc", -282, 8),
        ("SELECT \"abc", -282, 8),
        ("SELECT 1 { abc", -283, 10),
        ("SELECT 1 /* abc", -943, 10),
        ("SELECT # FROM t", -202, 8),
        ("INSERT INTO t VALUES (1), (2)", -201, 25),
        ("INSERT INTO t (a, b VALUES (1)", -201, 21),
        ("INSERT t VALUES (1)", -201, 8),
        ("UPDATE t SET", -201, 13),
        ("UPDATE t SET a", -201, 15),
        ("DELETE FROM", -201, 12),
        ("DELETE FROM WHERE a = 1", -201, 13),
        ("CREATE TABLE t", -201, 15),
        ("CREATE TABLE t (a)", -201, 18),
        ("CREATE TABLE t (a INT NOT NULL DEFAULT 1)", -201, 32),
        ("CREATE TABLE t (a INT,)", -201, 23),
        ("CREATE TABLE t (a INT DEFAULT b + 1)", -591, 31),
        ("CREATE VIEW v AS SELECT a FROM t WHERE b = ?", -546, 18),
        ("CREATE OPAQUE TYPE t (INTERNALLENGTH = 4)", -554, 1),
        ("SELECT INTERVAL (1) DAY TO YEAR FROM t", -1268, 21),
        ("CREATE TABLE t (a INTERVAL YEAR TO DAY)", -1266, 19),
        ("SELECT a[0] FROM t", -306, 8),
        ("SELECT a FROM t; SELECT b FROM t", -555, 1),
        ("DELETE FROM t; SELECT b FROM t", -555, 16),
        ("DELETE FROM t; DROP DATABASE d", -555, 16),
        ("DELETE FROM t; DELETE FROM u", -201, 14),
        ("SET ISOLATION TO SOMETHING", -201, 18),
        ("BEGIN WORK PLEASE", -201, 12),
        ("SELECT 1 FROM t UNION", -201, 22),
        ("SELECT CASE END FROM t", -201, 13),
        ("CREATE PROCEDURE p() LET a = 1;", -201, 32),
        ("CREATE FUNCTION f() END FUNCTION", -201, 21),
    ];
    for (text, code, offset) in cases {
        match parse(text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(e) => assert_eq!((e.sqlcode, e.offset), (*code, *offset), "{text}: {e}"),
        }
    }
}

#[test]
fn captured_statements_parse() {
    let mut count = 0;
    for line in include_str!("../../testdata/captured-statements.txt")
        .lines()
        .skip(1)
    {
        let text = line
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\\", "\\");
        let wrong = text.starts_with("selc") || text.starts_with("selec 1");
        let result = parse_statements(&text, &ParseOptions::default());
        assert_eq!(result.is_err(), wrong, "{text}: {:?}", result.err());
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let texts = [
        format!("SELECT {}1{} FROM t", "(".repeat(100_000), ")".repeat(100_000)),
        format!("SELECT {} 1 FROM t", "- ".repeat(100_000)),
        format!("SELECT a FROM t WHERE {} a = 1", "NOT ".repeat(100_000)),
        format!("SELECT 1{} FROM t", "+1".repeat(100_000)),
        format!("SELECT a{} FROM t", "::INT".repeat(100_000)),
        format!("{}SELECT 1 FROM t{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("SELECT a FROM {}t{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("SELECT {} FROM t", "f(".repeat(100_000)),
        format!("SELECT {} FROM t", "case when ".repeat(100_000)),
        format!("SELECT a FROM t, {} t", "outer (".repeat(100_000)),
        format!("CREATE TABLE t (a {}", "SET(".repeat(100_000)),
        format!("CREATE PROCEDURE p() {}", "IF 1 = 1 THEN ".repeat(100_000)),
        format!("SELECT a FROM t{}", " JOIN t ON 1=1".repeat(100_000)),
        format!("SELECT (SELECT {}", "(SELECT ".repeat(100_000)),
        format!(
            "SELECT {}1{} FROM t",
            "(".repeat(290),
            format!("{})", "+1".repeat(200)).repeat(290)
        ),
    ];
    for text in &texts {
        let error = parse(text).err().map(|e| e.sqlcode);
        assert_eq!(error, Some(-201), "{}", &text[..60]);
    }
    // What is allowed must fit on the small stack of a session thread.
    let deep = format!("SELECT {}1{} FROM t", "(".repeat(290), ")".repeat(290));
    let blocks = "(SELECT a FROM (t JOIN u ON f(CASE WHEN ".repeat(60);
    let join = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || (parse(&deep).is_ok(), parse(&blocks).is_ok()));
    assert_eq!(join.unwrap().join().unwrap(), (true, false));
    // Long lists are no nesting.
    let columns: Vec<String> = (0..2000)
        .map(|i| format!("c{i} DECIMAL(8,2) CHECK (c{i} > (1 + 2))"))
        .collect();
    assert!(parse(&format!("CREATE TABLE t ({})", columns.join(", "))).is_ok());
    let items = vec!["f((a + 1) * 2)"; 2000].join(", ");
    assert!(parse(&format!("SELECT {items} FROM t WHERE a IN ({items})")).is_ok());
    let many = vec!["a"; 10_000].join(" || ");
    assert!(parse(&format!("SELECT {many} FROM t")).is_ok());
    let many = vec!["a = 1"; 10_000].join(" OR ");
    assert!(parse(&format!("SELECT a FROM t WHERE {many}")).is_ok());
    let values = vec!["SELECT 1 FROM t"; 2000].join(" UNION ALL ");
    assert!(parse(&values).is_ok());
}

#[test]
fn names_fold_and_quotes_keep() {
    let items = select_items("SELECT Config_Key, t.\"Primary\", 'x' Label FROM T");
    let SelectItem::Expr { expr, .. } = &items[0] else {
        panic!()
    };
    let ExprKind::Column(column) = &expr.kind else {
        panic!()
    };
    assert_eq!(column.parts[0].name, "config_key");
    let SelectItem::Expr { expr, .. } = &items[1] else {
        panic!()
    };
    let ExprKind::Column(column) = &expr.kind else {
        panic!()
    };
    assert_eq!(
        (column.parts[1].name.as_str(), column.parts[1].quoted),
        ("Primary", true)
    );
    let SelectItem::Expr {
        label: Some(label), ..
    } = &items[2]
    else {
        panic!()
    };
    assert_eq!(label.name, "label");

    assert!(delimited("SELECT \"Col\" FROM \"Tab\"").is_ok());
    assert!(parse("SELECT \"Col\" FROM \"Tab\"").is_err());
    assert_eq!(first_expr("\"a\"\"b\""), ExprKind::String("a\"b".to_owned()));
    assert_eq!(first_expr("'it''s'"), ExprKind::String("it's".to_owned()));
    assert_eq!(first_expr("'a\\n'"), ExprKind::String("a\\n".to_owned()));
}

#[test]
fn precedence() {
    let text = |kind: &ExprKind| match kind {
        ExprKind::Binary(op, ..) => format!("{op:?}"),
        ExprKind::Unary(op, _) => format!("{op:?}"),
        ExprKind::And(_) => "And".to_owned(),
        ExprKind::Or(_) => "Or".to_owned(),
        ExprKind::Cast(..) => "Cast".to_owned(),
        ExprKind::Units(..) => "Units".to_owned(),
        other => format!("{other:?}"),
    };
    for (sql, top) in [
        ("1 + 2 * 3", "Add"),
        ("1 * 2 + 3", "Add"),
        ("1 - 2 - 3", "Subtract"),
        ("a || 1 + 2", "Concat"),
        ("a = 1 AND b = 2 OR c = 3", "Or"),
        ("NOT a = 1 AND b = 2", "And"),
        ("NOT a = 1", "Not"),
        ("-a::INT", "Minus"),
        ("a + b::INT", "Add"),
        ("1 + 2 UNITS DAY", "Add"),
        ("a + 1 = b * 2", "Equal"),
    ] {
        assert_eq!(text(&first_expr(sql)), top, "{sql}");
    }
}

#[test]
fn markers_are_numbered_through_the_text() {
    let all = parse_statements(
        "insert into t values (?,?);insert into t values (?);",
        &ParseOptions::default(),
    );
    let all = all.unwrap();
    let counts: Vec<_> = all.iter().map(|s| (s.first_parameter, s.parameters)).collect();
    assert_eq!(counts, [(0, 2), (2, 1)]);
    // A `?` in a string, comment or delimited identifier is none.
    let one = delimited("SELECT '?', \"?\" /* ? */ FROM t -- ?\n WHERE a = ? { ? }").unwrap();
    assert_eq!(one.parameters, 1);
}

#[test]
fn spans_give_the_text_back() {
    let text = "  CREATE VIEW v AS SELECT a FROM t WHERE a > 1 ;";
    let statement = parse(text).unwrap();
    assert_eq!(
        statement.span.text(text),
        "CREATE VIEW v AS SELECT a FROM t WHERE a > 1"
    );
    let StatementKind::CreateView(view) = statement.kind else {
        panic!()
    };
    assert_eq!(view.query.span.text(text), "SELECT a FROM t WHERE a > 1");

    let text = "CREATE TABLE t (a INT CHECK ( (a > 0) OR a IS NULL ))";
    let StatementKind::CreateTable(table) = parse(text).unwrap().kind else {
        panic!()
    };
    let ast::ColumnConstraintKind::Check(check) = &table.columns[0].constraints[0].kind else {
        panic!()
    };
    assert_eq!(check.span.text(text), "(a > 0) OR a IS NULL");
}

#[test]
fn collections_and_comments_share_the_brace() {
    assert!(matches!(first_expr("SET{1,2}"), ExprKind::Collection(_, items) if items.len() == 2));
    assert!(matches!(first_expr("f(SET {1,2})"), ExprKind::Function(_)));
    let StatementKind::Update(update) = parse("UPDATE t SET {x} a = 1").unwrap().kind else {
        panic!()
    };
    assert_eq!(update.assignments.len(), 1);
    let StatementKind::Select(query) = parse("SELECT 1 FROM TABLE(SET{1})").unwrap().kind else {
        panic!()
    };
    let QueryTerm::Select(select) = query.first else {
        panic!()
    };
    assert!(matches!(select.from[0].kind, TableRefKind::Collection { .. }));
}

const ROUTINE: &str =
    "CREATE DBA PROCEDURE IF NOT EXISTS p (a INT DEFAULT 0, OUT b CHAR(10), INOUT c DATE, d LIKE t.col)
  RETURNING INT AS x, VARCHAR(20) AS y;
  DEFINE v, w INT;  DEFINE GLOBAL g INT DEFAULT 1;  DEFINE z LIKE t.col; DEFINE bl REFERENCES BYTE;
  ON EXCEPTION IN (-206, -958) SET e, isam, txt LET v = 1; END EXCEPTION WITH RESUME;
  LET v = a + 1;
  LET v, w = (SELECT a, b FROM t WHERE k = 1);
  IF v > 1 THEN LET v = 2; ELIF v = 0 THEN LET v = 3; ELSE RAISE EXCEPTION -746, 0, 'no; way'; END IF;
  CASE v WHEN 1 THEN LET w = 1; ELSE LET w = 2; END CASE;
  FOR i = 1 TO 10 STEP 2 IF i = 3 THEN CONTINUE FOR; END IF; END FOR;
  FOR i IN (1, 3, 5 TO 9) EXIT FOR; END FOR;
  WHILE v < 10 LET v = v + 1; END WHILE;
  <<outer_loop>> LOOP EXIT outer_loop WHEN v > 20; LET v = v + 1; END LOOP outer_loop;
  FOREACH c1 WITH HOLD FOR SELECT a INTO v FROM t UPDATE t SET a = 1 WHERE CURRENT OF c1; END FOREACH;
  FOREACH EXECUTE PROCEDURE q(1) INTO v RETURN v, 'x' WITH RESUME; END FOREACH;
  CALL q(1) RETURNING v;  EXECUTE PROCEDURE r(v) INTO v;
  SELECT COUNT(*) INTO v FROM t;
  BEGIN INSERT INTO t VALUES (v); END
  BEGIN WORK; COMMIT WORK;
  SYSTEM 'ls'; TRACE ON;
  RETURN v, 'x';
END PROCEDURE DOCUMENT 'one', 'two' WITH LISTING IN 'file'";

#[test]
fn routines() {
    let statement = parse(ROUTINE).unwrap_or_else(|e| panic!("{e} {}", &ROUTINE[e.offset as usize - 1..]));
    let StatementKind::CreateRoutine(routine) = statement.kind else {
        panic!()
    };
    assert_eq!(
        (
            routine.parameters.len(),
            routine.returns.len(),
            routine.documents.len()
        ),
        (4, 2, 2)
    );
    let ast::RoutineBody { block, span } = routine.body;
    assert_eq!(block.len(), 24);
    assert!(matches!(block[0].kind, SplKind::Define { .. }));
    assert!(span.text(ROUTINE).starts_with("DEFINE v") && span.text(ROUTINE).ends_with("RETURN v, 'x';"));
}

#[test]
fn scripts_split_outside_bodies() {
    let script = format!("-- a;b\nSELECT ';' FROM t; ;\n{ROUTINE};\n{{ ; }} INSERT INTO t VALUES (1)");
    let pieces = split_script(&script).unwrap();
    let starts: Vec<_> = pieces
        .iter()
        .map(|p| p.text.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(starts, ["SELECT", "CREATE", "INSERT"]);
    assert_eq!(pieces[1].text, ROUTINE);
    for piece in &pieces {
        parse(piece.text).unwrap();
    }
    let external = "CREATE FUNCTION f() RETURNS INT EXTERNAL NAME 'x' LANGUAGE C; SELECT 1 FROM t";
    assert_eq!(split_script(external).unwrap().len(), 2);
    assert_eq!(split_script("SELECT 'x").unwrap_err().sqlcode, -282);
}

#[test]
fn insert_forms() {
    let source = |text: &str| match parse(text).unwrap().kind {
        StatementKind::Insert(insert) => (insert.columns.len(), insert.source),
        other => panic!("{other:?}"),
    };
    assert!(
        matches!(source("INSERT INTO t (a, b) VALUES (1, 2)"), (2, InsertSource::Values(v, _)) if v.len() == 2)
    );
    assert!(matches!(
        source("INSERT INTO t (SELECT a FROM u)"),
        (0, InsertSource::Query(_))
    ));
    assert!(matches!(
        source("INSERT INTO t (a) EXECUTE FUNCTION f()"),
        (1, InsertSource::Routine(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn never_panics_on_any_text(text in "\\PC{0,80}") {
        let _ = parse_statements(&text, &ParseOptions::default());
        let _ = split_script(&text);
    }

    /// Words and punctuation of the language in any order reach deeper than random text.
    #[test]
    fn never_panics_on_any_words(words in proptest::collection::vec(0usize..WORDS.len(), 0..40), delimident: bool) {
        let text = words.iter().map(|i| WORDS[*i]).collect::<Vec<_>>().join(" ");
        let result = parse_statements(&text, &ParseOptions { delimident });
        if let Err(error) = result {
            prop_assert!(error.sqlcode < 0 && error.offset as usize <= text.len() + 1);
        }
    }

    /// Cutting a good statement anywhere gives an error or a statement, at a place inside.
    #[test]
    fn truncated_statements(which in 0usize..ACCEPTED.len(), cut in 0usize..200) {
        let text = ACCEPTED[which];
        let end = text.char_indices().map(|(i, _)| i).take_while(|i| *i <= cut).last().unwrap_or(0);
        if let Err(error) = parse(&text[..end]) {
            prop_assert!(error.offset as usize <= end + 1);
        }
    }
}

const WORDS: &[&str] = &[
    "select",
    "from",
    "where",
    "a",
    "t",
    "(",
    ")",
    ",",
    ".",
    "=",
    "1",
    "'x'",
    "\"y\"",
    "?",
    "::",
    "int",
    "and",
    "or",
    "not",
    "in",
    "between",
    "is",
    "null",
    "case",
    "when",
    "then",
    "else",
    "end",
    "union",
    "all",
    "order",
    "by",
    "group",
    "having",
    "join",
    "on",
    "outer",
    "left",
    "into",
    "temp",
    "insert",
    "values",
    "update",
    "set",
    "delete",
    "create",
    "table",
    "[",
    "]",
    "{",
    "}",
    "*",
    "-",
    "units",
    "day",
    "to",
    "datetime",
    "interval",
    "year",
    "exists",
    "count",
    "over",
    "first",
    "skip",
    "distinct",
    "with",
    "as",
    "procedure",
    "if",
    "for",
    "foreach",
    "let",
    "return",
    ";",
    "begin",
    "trim",
    "extend",
    "cast",
    "row",
    "multiset",
    "function",
    "merge",
    "using",
    "primary",
    "key",
    "char",
    ":",
    "@",
    "||",
];
