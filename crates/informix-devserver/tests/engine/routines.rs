//! Stored routines.

use informix_types::Value;

use crate::support::{Run, engine, session, testdb};

/// Body parts of a procedure (definitions, statements, RETURN included) and the rows that it gives.
const BODIES: &[(&str, &str, &[&str])] = &[
    ("RETURNING INT", "RETURN 1 + 1;", &["2"]),
    ("RETURNING INT AS a, VARCHAR(10) AS b", "RETURN 1, 'x';", &["1|x"]),
    (
        "RETURNING INT",
        "DEFINE i INT; LET i = 5; LET i = i * 2; RETURN i;",
        &["10"],
    ),
    (
        "RETURNING INT, INT",
        "DEFINE a, b INT; LET a, b = 1, 2; LET a, b = b, a; RETURN a, b;",
        &["2|1"],
    ),
    (
        "RETURNING INT, INT",
        "DEFINE a, b INT; LET a, b = (SELECT tabid, tabid + 1 FROM systables WHERE tabid = 1); RETURN a, b;",
        &["1|2"],
    ),
    // Assignments convert as columns do.
    (
        "RETURNING DECIMAL(5,1)",
        "DEFINE d DECIMAL(5,1); LET d = 1.26; RETURN d;",
        &["1.3"],
    ),
    (
        "RETURNING CHAR(3)",
        "DEFINE c CHAR(3); LET c = 'abcdef'; RETURN c;",
        &["abc"],
    ),
    (
        "RETURNING DATE",
        "DEFINE d DATE; LET d = '02/29/2024'; RETURN d + 1;",
        &["2024-03-01"],
    ),
    (
        "RETURNING INT",
        "DEFINE s LIKE systables.tabname; LET s = '12'; RETURN s;",
        &["12"],
    ),
    // Branches.
    (
        "RETURNING INT",
        "IF 1 = 2 THEN RETURN 1; ELIF 1 = 1 THEN RETURN 2; ELSE RETURN 3; END IF;",
        &["2"],
    ),
    (
        "RETURNING INT",
        "IF NULL::INT = 2 THEN RETURN 1; ELSE RETURN 3; END IF;",
        &["3"],
    ),
    (
        "RETURNING VARCHAR(5)",
        "DEFINE x INT; LET x = 2; CASE x WHEN 1 THEN RETURN 'a'; WHEN 2 THEN RETURN 'b'; ELSE RETURN 'c'; END CASE;",
        &["b"],
    ),
    (
        "RETURNING VARCHAR(5)",
        "DEFINE x INT; LET x = 2; CASE WHEN x > 5 THEN RETURN 'a'; ELSE RETURN 'c'; END CASE;",
        &["c"],
    ),
    // Loops.
    (
        "RETURNING INT",
        "DEFINE i INT; FOR i = 1 TO 3 RETURN i WITH RESUME; END FOR;",
        &["1", "2", "3"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; FOR i = 5 TO 1 STEP -2 RETURN i WITH RESUME; END FOR;",
        &["5", "3", "1"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; FOR i = 3 TO 1 RETURN i WITH RESUME; END FOR;",
        &["3", "2", "1"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; FOR i IN (7, 1 TO 2, 9) RETURN i WITH RESUME; END FOR;",
        &["7", "1", "2", "9"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; FOR i = 1 TO 5 IF i = 2 THEN CONTINUE FOR; END IF; IF i = 4 THEN EXIT FOR; END IF; RETURN i WITH RESUME; END FOR;",
        &["1", "3"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; LET i = 0; WHILE i < 3 LET i = i + 1; END WHILE; RETURN i;",
        &["3"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; LET i = 0; LOOP LET i = i + 1; EXIT WHEN i > 4; END LOOP; RETURN i;",
        &["5"],
    ),
    (
        "RETURNING INT",
        "DEFINE i, j INT; <<outer>> FOR i = 1 TO 3 LOOP FOR j = 1 TO 3 LOOP IF j = 2 THEN EXIT outer; END IF; RETURN i * 10 + j WITH RESUME; END LOOP; END LOOP outer;",
        &["11"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; FOREACH SELECT tabid INTO i FROM systables WHERE tabid < 4 ORDER BY tabid RETURN i WITH RESUME; END FOREACH;",
        &["1", "2", "3"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; FOREACH c FOR SELECT tabid INTO i FROM systables WHERE tabid < 9 ORDER BY tabid IF i = 3 THEN EXIT FOREACH; END IF; RETURN i WITH RESUME; END FOREACH;",
        &["1", "2"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; SELECT tabid INTO i FROM systables WHERE tabname = 'syscolumns'; RETURN i;",
        &["2"],
    ),
    (
        "RETURNING INT",
        "DEFINE i INT; LET i = 1; SELECT tabid INTO i FROM systables WHERE tabid = -1; RETURN i;",
        &["NULL"],
    ),
    // Blocks have names of their own.
    (
        "RETURNING INT, INT",
        "DEFINE a, b INT; LET a, b = 1, 2; BEGIN DEFINE a INT; LET a = 9; LET b = a; END; RETURN a, b;",
        &["1|9"],
    ),
    // Exceptions.
    (
        "RETURNING INT",
        "ON EXCEPTION IN (-1202) RETURN -1; END EXCEPTION; DEFINE z INT; LET z = 0; LET z = 1 / z; RETURN z;",
        &["-1"],
    ),
    (
        "RETURNING INT",
        "DEFINE z INT; ON EXCEPTION LET z = 7; END EXCEPTION WITH RESUME; LET z = 0; LET z = 1 / z; RETURN z;",
        &["7"],
    ),
    (
        "RETURNING INT, INT, VARCHAR(40)",
        "DEFINE e, i INT; DEFINE t VARCHAR(40); ON EXCEPTION SET e, i, t RETURN e, i, t; END EXCEPTION; RAISE EXCEPTION -746, -11, 'a|b c';",
        &["-746|-11|a|b c"],
    ),
    (
        "RETURNING INT",
        "DEFINE n INT; LET n = 0; BEGIN ON EXCEPTION LET n = n + 1; END EXCEPTION; RAISE EXCEPTION -746, 0, 'x'; LET n = 99; END; LET n = n + 10; RETURN n;",
        &["11"],
    ),
    (
        "RETURNING INT",
        "DEFINE i, n INT; LET n = 0; FOR i = 1 TO 3 ON EXCEPTION LET n = n + 1; END EXCEPTION; RAISE EXCEPTION -746; LET n = 99; END FOR; RETURN n;",
        &["3"],
    ),
    (
        "RETURNING INT",
        "ON EXCEPTION RETURN 1; END EXCEPTION; ON EXCEPTION IN (-746) RETURN 2; END EXCEPTION; RAISE EXCEPTION -746;",
        &["2"],
    ),
    (
        "RETURNING INT",
        "ON EXCEPTION RETURN 1; END EXCEPTION; BEGIN ON EXCEPTION IN (-746) RAISE EXCEPTION -747; END EXCEPTION; RAISE EXCEPTION -746; END;",
        &["1"],
    ),
];

#[test]
fn bodies() {
    let mut s = testdb();
    for (returning, body, rows) in BODIES {
        s.run(&format!("CREATE PROCEDURE p() {returning}; {body} END PROCEDURE"));
        assert_eq!(s.texts("EXECUTE PROCEDURE p()"), *rows, "{body}");
        s.run("DROP PROCEDURE p");
    }
}

#[test]
fn calls_and_overloads() {
    let mut s = testdb();
    s.run("CREATE FUNCTION f(n INT) RETURNING INT; RETURN n * 2; END FUNCTION");
    s.run("CREATE FUNCTION f(n INT, m INT DEFAULT 100) RETURNING INT AS total; RETURN n + m; END FUNCTION");
    assert_eq!(s.one("EXECUTE FUNCTION f(21)"), "42");
    assert_eq!(s.one("EXECUTE FUNCTION f(21, 1)"), "22");
    assert_eq!(
        s.try_rows("EXECUTE FUNCTION f(?)", &[Value::Integer(4)])
            .expect("rows"),
        [[Value::Integer(8)]]
    );
    assert_eq!(s.one("CALL f('7')"), "14");
    let prepared = s
        .prepare("EXECUTE FUNCTION f(?, ?)", &Default::default())
        .expect("prepare");
    assert_eq!(prepared.kind(), 56);
    assert!(prepared.opens_cursor());
    assert_eq!(prepared.columns().first().map(|c| c.name.as_str()), Some("total"));
    assert_eq!(prepared.parameters().len(), 2);
    s.run("CREATE PROCEDURE q(a INT, b VARCHAR(9) DEFAULT 'z') RETURNING VARCHAR(20); RETURN b || a; END PROCEDURE");
    assert_eq!(s.one("EXECUTE PROCEDURE q(1)"), "z1");
    assert_eq!(s.one("EXECUTE PROCEDURE q(b = 'k', a = 2)"), "k2");
    assert_eq!(s.fails("EXECUTE PROCEDURE nowhere(1)").sqlcode, -674);
    assert_eq!(s.fails("EXECUTE PROCEDURE q()").sqlcode, -674);
    assert_eq!(s.fails("SELECT nowhere(1) FROM systables").sqlcode, -674);
    assert_eq!(
        s.fails("CREATE FUNCTION f(x INT) RETURNING INT; RETURN 1; END FUNCTION")
            .sqlcode,
        -673
    );
    s.run("CREATE FUNCTION IF NOT EXISTS f(x INT) RETURNING INT; RETURN 1; END FUNCTION");
    assert_eq!(s.fails("DROP FUNCTION f").sqlcode, -9700);
    s.run("DROP FUNCTION f(INT)");
    assert_eq!(s.one("EXECUTE FUNCTION f(21)"), "121");
    s.run("DROP FUNCTION f");
    assert_eq!(s.fails("DROP FUNCTION f").sqlcode, -674);
    s.run("DROP FUNCTION IF EXISTS f");
}

#[test]
fn functions_in_expressions() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT, d DECIMAL(8,2))");
    for a in 1..=3 {
        s.run(&format!("INSERT INTO t VALUES ({a}, {a}.5)"));
    }
    s.run("CREATE FUNCTION twice(n DECIMAL(8,2)) RETURNING DECIMAL(10,2); RETURN n * 2; END FUNCTION");
    s.run("CREATE FUNCTION total(most INT) RETURNING INT; DEFINE n INT; SELECT SUM(a) INTO n FROM t WHERE a <= most; RETURN n; END FUNCTION");
    assert_eq!(
        s.texts("SELECT a, twice(d) FROM t ORDER BY a"),
        ["1|3.00", "2|5.00", "3|7.00"]
    );
    assert_eq!(
        s.texts("SELECT a FROM t WHERE total(a) > 2 ORDER BY 1"),
        ["2", "3"]
    );
    assert_eq!(
        s.texts("SELECT twice(total(3)) FROM systables WHERE tabid = 1"),
        ["12.00"]
    );
    s.run("UPDATE t SET d = twice(d) WHERE a = total(1)");
    assert_eq!(s.one("SELECT d FROM t WHERE a = 1"), "3.00");
    s.run("INSERT INTO t VALUES (total(2), twice(1))");
    assert_eq!(s.one("SELECT d FROM t WHERE a = 3 AND d < 3"), "2.00");
    // Recursion, bounded.
    s.run("CREATE FUNCTION fact(n INT) RETURNING BIGINT; IF n < 2 THEN RETURN 1; END IF; RETURN n * fact(n - 1); END FUNCTION");
    assert_eq!(s.one("EXECUTE FUNCTION fact(15)"), "1307674368000");
    s.run("CREATE FUNCTION forever(n INT) RETURNING INT; RETURN forever(n + 1); END FUNCTION");
    assert_eq!(s.fails("EXECUTE FUNCTION forever(1)").sqlcode, -666);
    // What a function may not give to an expression.
    s.run("CREATE FUNCTION two() RETURNING INT; RETURN 1 WITH RESUME; RETURN 2; END FUNCTION");
    assert_eq!(
        s.fails("SELECT two() FROM systables WHERE tabid = 1").sqlcode,
        -686
    );
    s.run("CREATE FUNCTION raises() RETURNING INT; RAISE EXCEPTION -746, 0, 'no|way'; END FUNCTION");
    let error = s.fails("SELECT raises() FROM systables WHERE tabid = 1");
    assert_eq!((error.sqlcode, error.token.as_str()), (-746, "no|way"));
    // A function that writes, inside a transaction that is rolled back.
    s.run("CREATE TABLE log (n SERIAL, a INT)");
    s.run(
        "CREATE FUNCTION noted(x INT) RETURNING INT; INSERT INTO log VALUES (0, x); RETURN x; END FUNCTION",
    );
    s.run("BEGIN WORK");
    assert_eq!(
        s.texts("SELECT noted(a) FROM t WHERE a < 3 ORDER BY a"),
        ["1", "2"]
    );
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "2");
    s.run("INSERT INTO t VALUES (noted(50), 0)");
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "3");
    s.run("ROLLBACK WORK");
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "0");
    s.run("INSERT INTO t VALUES (noted(60), 0)");
    assert_eq!(s.one("SELECT a FROM log"), "60");
}

#[test]
fn statements_inside() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20))");
    s.run("CREATE PROCEDURE fill(n INT); DEFINE i INT; FOR i = 1 TO n INSERT INTO t VALUES (i, 'row ' || i); END FOR; END PROCEDURE");
    assert!(
        !s.prepare("EXECUTE PROCEDURE fill(?)", &Default::default())
            .expect("p")
            .opens_cursor()
    );
    s.run_with("EXECUTE PROCEDURE fill(?)", &[Value::Integer(5)])
        .expect("fill");
    assert_eq!(
        s.texts("SELECT b FROM t WHERE a > 3 ORDER BY a"),
        ["row 4", "row 5"]
    );
    // Errors of statements are those of the statements.
    let error = s.fails("EXECUTE PROCEDURE fill(1)");
    assert_eq!((error.sqlcode, error.isam), (-268, -100));
    // WHERE CURRENT OF.
    s.run(
        "CREATE PROCEDURE thin() RETURNING INT; DEFINE x, n INT; LET n = 0;
             FOREACH c FOR SELECT a INTO x FROM t
               IF MOD(x, 2) = 0 THEN DELETE FROM t WHERE CURRENT OF c; LET n = n + 1;
               ELSE UPDATE t SET b = 'odd' WHERE CURRENT OF c; END IF;
             END FOREACH; RETURN n; END PROCEDURE",
    );
    assert_eq!(s.one("EXECUTE PROCEDURE thin()"), "2");
    assert_eq!(
        s.texts("SELECT a, b FROM t ORDER BY a"),
        ["1|odd", "3|odd", "5|odd"]
    );
    // Calls in calls, rows of rows, OUT values.
    s.run("CREATE PROCEDURE rows(n INT) RETURNING INT, VARCHAR(9); DEFINE i INT; FOR i = 1 TO n RETURN i, 'r' || i WITH RESUME; END FOR; END PROCEDURE");
    assert_eq!(s.texts("EXECUTE PROCEDURE rows(2)"), ["1|r1", "2|r2"]);
    assert!(s.texts("EXECUTE PROCEDURE rows(NULL)").is_empty());
    s.run(
        "CREATE PROCEDURE outs(n INT, OUT o INT, INOUT i INT); LET o = n + 1; LET i = i + n; END PROCEDURE",
    );
    s.run(
        "CREATE PROCEDURE uses() RETURNING INT, INT, INT; DEFINE s, x, y INT; DEFINE v VARCHAR(9); LET s = 0;
             FOREACH EXECUTE PROCEDURE rows(3) INTO x, v LET s = s + x; END FOREACH;
             LET y = 10; CALL outs(5, x, y); RETURN s, x, y; END PROCEDURE",
    );
    assert_eq!(s.one("EXECUTE PROCEDURE uses()"), "6|6|15");
    assert_eq!(s.fails("EXECUTE PROCEDURE outs(1, 2, 3)").sqlcode, -999);
    s.run("CREATE PROCEDURE one() RETURNING INT, VARCHAR(9); DEFINE a INT; DEFINE b VARCHAR(9); EXECUTE PROCEDURE rows(1) INTO a, b; RETURN a, b; END PROCEDURE");
    assert_eq!(s.one("EXECUTE PROCEDURE one()"), "1|r1");
    s.run("CREATE PROCEDURE lets() RETURNING INT, VARCHAR(9); DEFINE a INT; DEFINE b VARCHAR(9); LET a, b = rows(1); RETURN a, b; END PROCEDURE");
    assert_eq!(s.one("EXECUTE PROCEDURE lets()"), "1|r1");
    // INSERT … EXECUTE.
    s.run("CREATE TABLE u (k CHAR(4), v VARCHAR(20) NOT NULL)");
    assert_eq!(s.run("INSERT INTO u EXECUTE PROCEDURE rows(3)").rows, 3);
    assert_eq!(s.texts("SELECT k, v FROM u ORDER BY 1"), ["1|r1", "2|r2", "3|r3"]);
    assert_eq!(s.fails("INSERT INTO t EXECUTE PROCEDURE rows(2)").sqlcode, -268);
    assert_eq!(s.one("SELECT COUNT(*) FROM t"), "3");
    // Temporary tables, dynamic statements.
    s.run("CREATE PROCEDURE temporary() RETURNING INT; DEFINE n INT; CREATE TEMP TABLE w (x INT); INSERT INTO w VALUES (4);
             EXECUTE IMMEDIATE 'INSERT INTO w VALUES (' || 5 || ')'; SELECT SUM(x) INTO n FROM w; DROP TABLE w; RETURN n; END PROCEDURE");
    assert_eq!(s.one("EXECUTE PROCEDURE temporary()"), "9");
    assert_eq!(s.one("EXECUTE PROCEDURE temporary()"), "9");
    // Global variables live as long as the session.
    s.run("CREATE PROCEDURE count() RETURNING INT; DEFINE GLOBAL g INT DEFAULT 1; LET g = g + 1; RETURN g; END PROCEDURE");
    assert_eq!(s.one("EXECUTE PROCEDURE count()"), "2");
    assert_eq!(s.one("EXECUTE PROCEDURE count()"), "3");
}

#[test]
fn transactions_inside() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT)");
    s.run("CREATE PROCEDURE p(keep INT); BEGIN WORK; INSERT INTO t VALUES (keep); IF keep = 1 THEN COMMIT WORK; ELSE ROLLBACK WORK; END IF; END PROCEDURE");
    s.run("EXECUTE PROCEDURE p(1)");
    s.run("EXECUTE PROCEDURE p(2)");
    assert_eq!(s.texts("SELECT a FROM t"), ["1"]);
    assert!(!s.in_transaction());
    s.run("CREATE PROCEDURE opens(); BEGIN WORK; INSERT INTO t VALUES (9); END PROCEDURE");
    let outcome = s.run("EXECUTE PROCEDURE opens()");
    assert!(outcome.transaction.is_some() && s.in_transaction());
    assert_eq!(s.fails("EXECUTE PROCEDURE p(1)").sqlcode, -535);
    s.run("ROLLBACK WORK");
    assert_eq!(s.texts("SELECT a FROM t"), ["1"]);
    // A function of an expression can't end the transaction of its statement.
    s.run("CREATE FUNCTION ends() RETURNING INT; COMMIT WORK; RETURN 1; END FUNCTION");
    assert_eq!(
        s.fails("SELECT ends() FROM systables WHERE tabid = 1").sqlcode,
        -675
    );
    // A created routine goes with its transaction.
    s.run("BEGIN WORK");
    s.run("CREATE PROCEDURE gone() RETURNING INT; RETURN 1; END PROCEDURE");
    assert_eq!(s.one("EXECUTE PROCEDURE gone()"), "1");
    s.run("ROLLBACK WORK");
    assert_eq!(s.fails("EXECUTE PROCEDURE gone()").sqlcode, -674);
}

/// Bodies that fail, and their numbers.
const FAILING: &[(&str, i32)] = &[
    ("RETURNING INT; RETURN 1, 2;", -655),
    ("; LET x = 1;", -667),
    ("RETURNING INT; DEFINE x INT; RETURN x;", -696),
    ("RETURNING INT; DEFINE x, y INT; LET x, y = 1; RETURN x;", -661),
    ("; DEFINE x INT; DEFINE x INT;", -669),
    ("; SELECT tabid FROM systables;", -659),
    (
        "RETURNING INT; DEFINE x INT; SELECT tabid INTO x FROM systables; RETURN x;",
        -284,
    ),
    (
        "RETURNING INT; DEFINE x, y INT; SELECT tabid INTO x, y FROM systables WHERE tabid = 1; RETURN x;",
        -661,
    ),
    ("; SYSTEM 'ls';", -668),
    ("; RAISE EXCEPTION -746, 0, 'text';", -746),
    ("; INSERT INTO nowhere VALUES (1);", -206),
    ("; DEFINE d DATE; LET d = 'hello';", -1218),
    ("; DEFINE i SMALLINT; LET i = 99999;", -1214),
    ("; DEFINE x INT; LET x = 1 / 0;", -1202),
];

#[test]
fn numbers_of_failures() {
    let mut s = testdb();
    for (rest, code) in FAILING {
        s.run(&format!("CREATE PROCEDURE p() {rest} END PROCEDURE"));
        assert_eq!(s.fails("EXECUTE PROCEDURE p()").sqlcode, *code, "{rest}");
        s.run("DROP PROCEDURE p");
    }
    // Rows before the error come first.
    s.run("CREATE PROCEDURE p() RETURNING INT; RETURN 1 WITH RESUME; RAISE EXCEPTION -746; END PROCEDURE");
    assert_eq!(s.fails("EXECUTE PROCEDURE p()").sqlcode, -746);
}

#[test]
fn catalog_of_routines() {
    let mut s = testdb();
    let long = format!(
        "CREATE PROCEDURE p(a INT, b VARCHAR(20)) RETURNING INT AS x, CHAR(3) AS y; -- {}\n RETURN 1, 'ab'; END PROCEDURE DOCUMENT 'what it does'",
        "x ".repeat(300)
    );
    s.run(&long);
    let id = s.one("SELECT procid FROM sysprocedures WHERE procname = 'p'");
    assert_eq!(
        s.one("SELECT owner, isproc, numargs, mode, paramtypes FROM sysprocedures WHERE procname = 'p'"),
        "informix|t|2|O|integer,varchar"
    );
    let pieces = s.rows(&format!(
        "SELECT data FROM sysprocbody WHERE procid = {id} AND datakey = 'T' ORDER BY seqno"
    ));
    assert_eq!(pieces.len(), long.len().div_ceil(256));
    let text: String = pieces
        .iter()
        .flatten()
        .map(|piece| format!("{:256}", piece.to_string()))
        .collect();
    assert_eq!(text.trim_end(), long);
    assert_eq!(s.texts(&format!("SELECT paramid, paramname, paramtype, paramattr FROM sysproccolumns WHERE procid = {id} ORDER BY 1")), ["0|x|2|3", "1|y|0|3", "2|a|2|1", "3|b|13|1"]);
    s.run("DROP PROCEDURE p");
    for table in ["sysprocedures", "sysprocbody", "sysproccolumns", "sysprocauth"] {
        assert_eq!(
            s.one(&format!("SELECT COUNT(*) FROM {table} WHERE procid = {id}")),
            "0",
            "{table}"
        );
    }
}

#[test]
fn a_function_is_created_called_and_dropped() {
    let mut s = testdb();
    s.run("CREATE FUNCTION double(n INT) RETURNING INT; RETURN n * 2; END FUNCTION");
    assert_eq!(s.one("EXECUTE FUNCTION double(21)"), "42");
    assert_eq!(
        s.try_rows("EXECUTE FUNCTION double(?)", &[Value::Integer(4)]),
        Ok(vec![vec![Value::Integer(8)]])
    );
    assert_eq!(
        s.one("SELECT procname, isproc, numargs FROM sysprocedures WHERE procname = 'double'"),
        "double|f|1"
    );
    assert!(
        s.one("SELECT data FROM sysprocbody WHERE datakey = 'T'")
            .starts_with("CREATE FUNCTION double")
    );
    assert_eq!(
        s.fails("CREATE FUNCTION double(a INT) RETURNING INT; RETURN 1; END FUNCTION")
            .sqlcode,
        -673
    );
    assert_eq!(s.fails("EXECUTE FUNCTION double(1, 2)").sqlcode, -674);
    s.run("DROP FUNCTION double");
    assert_eq!(s.fails("EXECUTE FUNCTION double(21)").sqlcode, -674);
    assert_eq!(s.fails("DROP FUNCTION double").sqlcode, -674);
    s.run("DROP FUNCTION IF EXISTS double");
}

#[test]
fn statements_of_spl() {
    let mut s = testdb();
    s.run("CREATE TABLE log (n INT, t VARCHAR(20))");
    for (body, wanted) in [
        (
            "DEFINE a, b INT; LET a, b = 1, 2; LET a, b = b, a; RETURN a * 10 + b;",
            vec!["21"],
        ),
        (
            "DEFINE i, sum INT; LET sum = 0; FOR i = 1 TO 10 LET sum = sum + i; END FOR; RETURN sum;",
            vec!["55"],
        ),
        (
            "DEFINE i INT; FOR i = 6 TO 1 STEP -2 RETURN i WITH RESUME; END FOR;",
            vec!["6", "4", "2"],
        ),
        (
            "DEFINE i INT; FOR i IN (3, 1) RETURN i WITH RESUME; END FOR;",
            vec!["3", "1"],
        ),
        (
            "DEFINE i INT; LET i = 0; WHILE i < 100 LET i = i + 1; IF i = 3 THEN CONTINUE WHILE; END IF;
               IF i > 5 THEN EXIT WHILE; END IF; RETURN i WITH RESUME; END WHILE;",
            vec!["1", "2", "4", "5"],
        ),
        (
            "IF 1 > 2 THEN RETURN 1; ELIF 2 > 1 THEN RETURN 2; ELSE RETURN 3; END IF;",
            vec!["2"],
        ),
        (
            "DEFINE c INT; SELECT COUNT(*) INTO c FROM systables WHERE tabid < 4; RETURN c;",
            vec!["3"],
        ),
        (
            "DEFINE n INT; FOREACH SELECT tabid INTO n FROM systables WHERE tabid < 4 ORDER BY tabid DESC
               RETURN n WITH RESUME; END FOREACH;",
            vec!["3", "2", "1"],
        ),
        (
            "DEFINE e INT; ON EXCEPTION SET e RETURN e; END EXCEPTION; INSERT INTO nowhere VALUES (1); RETURN 0;",
            vec!["-206"],
        ),
        (
            "ON EXCEPTION IN (-746) END EXCEPTION WITH RESUME; RAISE EXCEPTION -746, 0, 'no'; RETURN 7;",
            vec!["7"],
        ),
        (
            "DEFINE v VARCHAR(3); LET v = 'abcdef'; RETURN LENGTH(v);",
            vec!["3"],
        ),
        (
            "INSERT INTO log VALUES (5, 'x'); UPDATE log SET n = n + 1; DELETE FROM log WHERE n = 6; RETURN 1;",
            vec!["1"],
        ),
    ] {
        s.run(&format!("CREATE FUNCTION f() RETURNING INT; {body} END FUNCTION"));
        assert_eq!(s.texts("EXECUTE FUNCTION f()"), wanted, "{body}");
        s.run("DROP FUNCTION f");
    }
    assert_eq!(s.one("SELECT COUNT(*) FROM log"), "0");
}

#[test]
fn endless_loops_are_interrupted() {
    let mut s = testdb();
    s.run("CREATE PROCEDURE spin(); DEFINE i INT; ON EXCEPTION END EXCEPTION WITH RESUME; LET i = 0; WHILE 1 = 1 LET i = 1 - i; END WHILE; END PROCEDURE");
    s.run("CREATE FUNCTION spins() RETURNING INT; WHILE 1 = 1 END WHILE; RETURN 1; END FUNCTION");
    for sql in [
        "EXECUTE PROCEDURE spin()",
        "EXECUTE FUNCTION spins()",
        "SELECT spins() FROM systables",
    ] {
        let mut polls = 0;
        s.interrupt().set_poll(Some(Box::new(move || {
            polls += 1;
            polls > 5
        })));
        assert_eq!(s.fails(sql).sqlcode, -213, "{sql}");
        s.interrupt().set_poll(None);
        s.interrupt().clear();
    }
    assert_eq!(s.one("SELECT COUNT(*) FROM systables WHERE tabid = 1"), "1");
}

#[test]
fn sessions_share_what_is_committed() {
    let engine = engine();
    let (mut a, mut b) = (session(&engine, "testdb"), session(&engine, "testdb"));
    a.run("CREATE TABLE t (a INT, b INT)");
    b.run("SET ISOLATION TO COMMITTED READ LAST COMMITTED");
    a.run("CREATE FUNCTION f(n INT) RETURNING INT; RETURN n + 1; END FUNCTION");
    a.run("CREATE TRIGGER g INSERT ON t REFERENCING NEW AS n FOR EACH ROW (EXECUTE FUNCTION f(n.a) INTO b)");
    assert_eq!(b.one("EXECUTE FUNCTION f(1)"), "2");
    b.run("INSERT INTO t (a) VALUES (5)");
    assert_eq!(a.one("SELECT a, b FROM t"), "5|6");
    // A statement that was prepared before finds the routine that there is now.
    let prepared = b
        .prepare("INSERT INTO t (a) VALUES (f(10))", &Default::default())
        .expect("prepare");
    a.run("DROP FUNCTION f");
    assert_eq!(b.execute(&prepared, &[]).map_err(|e| e.sqlcode), Err(-674));
    a.run("CREATE FUNCTION f(n INT) RETURNING INT; RETURN n * 2; END FUNCTION");
    assert_eq!(b.execute(&prepared, &[]).map(|o| o.rows), Ok(1));
    assert_eq!(b.one("SELECT a, b FROM t WHERE a > 5"), "20|40");
    // Two sessions of one thread keep their own transactions.
    a.run("CREATE FUNCTION put(n INT) RETURNING INT; INSERT INTO t (a) VALUES (n); RETURN n; END FUNCTION");
    a.run("BEGIN WORK");
    assert_eq!(a.one("SELECT put(100) FROM systables WHERE tabid = 1"), "100");
    assert_eq!(b.one("SELECT COUNT(*) FROM t WHERE a = 100"), "0");
    a.run("COMMIT WORK");
    assert_eq!(b.one("SELECT b FROM t WHERE a = 100"), "200");
    // Rows of a routine while others change.
    drop(a);
    assert_eq!(b.one("EXECUTE FUNCTION f(4)"), "8");
}

#[test]
fn databases_of_every_mode() {
    let engine = engine();
    let mut s = session(&engine, "testdb");
    for (name, log) in [
        ("plain", ""),
        ("ansi", "WITH LOG MODE ANSI"),
        ("logged", "WITH BUFFERED LOG"),
    ] {
        s.run(&format!("CREATE DATABASE {name} {log}"));
        s.run("CREATE TABLE t (a INT, b INT)");
        s.run("CREATE TABLE u (a INT PRIMARY KEY)");
        s.run("CREATE PROCEDURE put(n INT); INSERT INTO u VALUES (n); END PROCEDURE");
        s.run(
            "CREATE FUNCTION f(n INT) RETURNING INT; INSERT INTO u VALUES (n + 50); RETURN n; END FUNCTION",
        );
        s.run("CREATE TRIGGER g INSERT ON t REFERENCING NEW AS n FOR EACH ROW (EXECUTE PROCEDURE put(n.a))");
        if log.contains("ANSI") {
            s.run("COMMIT WORK");
        }
        s.run("EXECUTE PROCEDURE put(1)");
        s.run("INSERT INTO t VALUES (2, f(2))");
        assert_eq!(
            s.fails("INSERT INTO t SELECT tabid, 0 FROM systables WHERE tabid IN (1, 3)")
                .sqlcode,
            -268
        );
        assert_eq!(s.one("SELECT f(3) FROM systables WHERE tabid = 1"), "3");
        assert_eq!(
            s.texts("SELECT a FROM u ORDER BY 1"),
            ["1", "2", "52", "53"],
            "{name}"
        );
        assert_eq!(s.one("SELECT COUNT(*) FROM t"), "1", "{name}");
        if log.contains("ANSI") {
            s.run("ROLLBACK WORK");
            assert_eq!(s.one("SELECT COUNT(*) FROM u"), "0");
            s.run("COMMIT WORK");
        }
        s.run("CLOSE DATABASE");
    }
}

/// Not a measurement, only a guard against statements that are compiled for every turn.
#[test]
fn loops_are_compiled_once() {
    let mut s = testdb();
    s.run("CREATE TABLE t (a INT)");
    s.run("CREATE PROCEDURE p(n INT) RETURNING INT; DEFINE i, x INT; LET x = 0; FOR i = 1 TO n LET x = x + i; IF MOD(i, 10) = 0 THEN INSERT INTO t VALUES (i); END IF; END FOR; RETURN x; END PROCEDURE");
    let started = std::time::Instant::now();
    s.run("BEGIN WORK");
    assert_eq!(s.one("EXECUTE PROCEDURE p(20000)"), "200010000");
    s.run("COMMIT WORK");
    println!("20000 turns: {:?}", started.elapsed());
    assert_eq!(s.one("SELECT COUNT(*) FROM t"), "2000");
}

#[test]
fn lengths_and_qualifiers_are_no_part_of_a_signature() {
    let mut s = testdb();
    s.run(
        "CREATE FUNCTION f(a CHAR(15), b DECIMAL(8,2), c DATETIME YEAR TO DAY, d LVARCHAR(500), e INTERVAL DAY TO SECOND)
           RETURNING INT; RETURN 1; END FUNCTION",
    );
    assert_eq!(
        s.one("SELECT paramtypes FROM sysprocedures WHERE procname = 'f'"),
        "char,decimal,datetime,lvarchar,interval"
    );
    let again = s.fails(
        "CREATE FUNCTION f(a CHAR(3), b DECIMAL(4), c DATETIME HOUR TO SECOND, d LVARCHAR, e INTERVAL YEAR TO MONTH)
           RETURNING INT; RETURN 2; END FUNCTION",
    );
    assert_eq!(again.sqlcode, -673);
    s.run("GRANT EXECUTE ON FUNCTION f (char, decimal, datetime year to day, lvarchar, interval day to second) TO kim");
    s.run("GRANT EXECUTE ON FUNCTION f (char,decimal,datetime,lvarchar,interval) TO ann AS informix");
    assert_eq!(s.fails("GRANT EXECUTE ON FUNCTION f (char) TO kim").sqlcode, -674);
    s.run("DROP FUNCTION f (char,decimal,datetime,lvarchar,interval)");
    assert_eq!(
        s.one("SELECT COUNT(*) FROM sysprocedures WHERE procname = 'f'"),
        "0"
    );
}
