//! Stored routines: what they are in the catalog, what they do.

use informix_types::Value;

use crate::support::{Run, testdb};

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
fn procedures_are_all_or_nothing() {
    let mut s = testdb();
    s.run("CREATE TABLE t (n INT PRIMARY KEY)");
    s.run("CREATE PROCEDURE add(a INT, b INT DEFAULT 100) INSERT INTO t VALUES (a); INSERT INTO t VALUES (b); END PROCEDURE");
    s.run("EXECUTE PROCEDURE add(1)");
    assert_eq!(s.texts("SELECT n FROM t ORDER BY n"), ["1", "100"]);
    for begin in [false, true] {
        if begin {
            s.run("BEGIN");
            s.run("INSERT INTO t VALUES (50)");
        }
        assert_eq!(s.fails("EXECUTE PROCEDURE add(2)").sqlcode, -268);
        assert_eq!(s.fails("CALL add(3, 1)").sqlcode, -268);
        assert_eq!(s.one("SELECT COUNT(*) FROM t WHERE n IN (2, 3)"), "0");
        if begin {
            s.run("COMMIT");
        }
    }
    assert_eq!(s.one("SELECT COUNT(*) FROM t"), "3");
    s.run("CREATE PROCEDURE twice(a INT) CALL add(a, a + 1); EXECUTE PROCEDURE add(b = a + 3, a = a + 2); END PROCEDURE");
    s.run("EXECUTE PROCEDURE twice(10)");
    assert_eq!(
        s.texts("SELECT n FROM t WHERE n BETWEEN 10 AND 20 ORDER BY n"),
        ["10", "11", "12", "13"]
    );
    s.run("CREATE PROCEDURE endless() EXECUTE PROCEDURE endless(); END PROCEDURE");
    assert_eq!(s.fails("EXECUTE PROCEDURE endless()").sqlcode, -677);
    let error = s.fails("CREATE PROCEDURE sys() SYSTEM 'ls'; END PROCEDURE");
    assert_eq!(error.sqlcode, -999);
    s.run("CREATE FUNCTION two() RETURNING INT AS a, CHAR(3) AS b; RETURN 1, 'xyz'; END FUNCTION");
    s.run("CREATE FUNCTION user_of_two() RETURNING CHAR(5); DEFINE a INT; DEFINE b CHAR(3); LET a, b = two(); RETURN a || b; END FUNCTION");
    assert_eq!(s.one("EXECUTE FUNCTION two()"), "1|xyz");
    assert_eq!(s.one("EXECUTE FUNCTION user_of_two()"), "1xyz");
}
