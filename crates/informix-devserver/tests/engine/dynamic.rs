//! Routines: dynamic SQL, SQLCODE, GOTO, CASE without a branch that fits, several routines of a name.

use crate::support::{Run, testdb};
use informix_devserver::engine::Session;

fn with_rows() -> Session {
    let mut session = testdb();
    session.run("CREATE TABLE t (a INT, b VARCHAR(10))");
    for n in 1..=4 {
        session.run(&format!("INSERT INTO t VALUES ({n}, 'row {n}')"));
    }
    session
}

/// Statements of a procedure without parameters that returns one VARCHAR, and what it returns or raises.
type Case = (&'static str, Result<&'static [&'static str], i32>);

const BODIES: &[Case] = &[
    (
        "DEFINE n INT; DEFINE s VARCHAR(100); LET s = '';
         PREPARE p FROM 'SELECT a FROM t WHERE a > ? ORDER BY a';
         DECLARE c CURSOR FOR p; OPEN c USING 2;
         FETCH c INTO n;
         WHILE SQLCODE <> 100 LET s = s || n || ' '; FETCH c INTO n; END WHILE;
         CLOSE c; FREE c; FREE p; RETURN s || SQLCODE;",
        Ok(&["3 4 100"]),
    ),
    // The text is put together when it runs; a cursor may be opened again with other values.
    (
        "DEFINE n, m INT; DEFINE t, s VARCHAR(100); LET t = 't'; LET s = '';
         PREPARE p FROM 'SELECT COUNT(*), MAX(a) FROM ' || t || ' WHERE a <= ? AND b LIKE ?';
         DECLARE c CURSOR FOR p;
         FOR n IN (1, 3) OPEN c USING n, 'row%'; FETCH NEXT c INTO n, m; CLOSE c; LET s = s || n || '/' || m || ' '; END FOR;
         FREE p; OPEN c USING 4, '%'; FETCH c INTO n, m; RETURN s || n;",
        Ok(&["1/1 3/3 4"]),
    ),
    // Rows of a function.
    (
        "DEFINE n INT; DEFINE s VARCHAR(50); LET s = '';
         PREPARE p FROM 'EXECUTE FUNCTION counting(?)'; DECLARE c CURSOR FOR p; OPEN c USING 3;
         LOOP FETCH c INTO n; EXIT WHEN SQLCODE = 100; LET s = s || n; END LOOP;
         RETURN s;",
        Ok(&["123"]),
    ),
    // The error behind a function's rows comes with the FETCH that reaches it.
    (
        "DEFINE n, e INT; DEFINE s VARCHAR(50); LET s = '';
         BEGIN ON EXCEPTION SET e LET s = s || ' error ' || e || ' ' || SQLCODE; END EXCEPTION
           PREPARE p FROM 'EXECUTE FUNCTION failing()'; DECLARE c CURSOR FOR p; OPEN c;
           FETCH c INTO n; LET s = s || n; FETCH c INTO n; LET s = s || n;
         END
         RETURN s;",
        Ok(&["1 error -746 -746"]),
    ),
    // SQLCODE tells about static statements too.
    (
        "DEFINE n INT; DEFINE s VARCHAR(50);
         SELECT a INTO n FROM t WHERE a = 99; LET s = SQLCODE; SELECT a INTO n FROM t WHERE a = 1; RETURN s || ' ' || SQLCODE;",
        Ok(&["100 0"]),
    ),
    // A variable of that name is a variable.
    ("DEFINE sqlcode INT; LET sqlcode = 7; RETURN sqlcode;", Ok(&["7"])),
    ("DEFINE n INT; OPEN nosuch;", Err(-26055)),
    ("DECLARE c CURSOR FOR nosuch;", Err(-26055)),
    ("DEFINE n INT; PREPARE p FROM 'SELECT a FROM t'; DECLARE c CURSOR FOR p; FETCH c INTO n;", Err(-26053)),
    ("PREPARE p FROM 'SELECT a FROM t'; DECLARE c CURSOR FOR p; CLOSE c;", Err(-26053)),
    ("PREPARE p FROM 'SELECT a FROM t'; DECLARE c CURSOR FOR p; OPEN c; OPEN c;", Err(-26052)),
    ("PREPARE p FROM 'SELECT a FROM t'; DECLARE c CURSOR FOR p; OPEN c; FREE c;", Err(-26054)),
    ("PREPARE p FROM 'SELECT a FROM t'; DECLARE c CURSOR FOR p; OPEN c; PREPARE p FROM 'SELECT b FROM t';", Err(-26057)),
    ("PREPARE p FROM 'SELECT a FROM t'; DECLARE p CURSOR FOR p;", Err(-26057)),
    ("PREPARE p FROM 'EXECUTE FUNCTION counting(1)'; DECLARE c CURSOR WITH HOLD FOR p;", Err(-26056)),
    ("PREPARE p FROM NULL::VARCHAR(10);", Err(-26051)),
    ("PREPARE p FROM 'DELETE FROM t; DELETE FROM t';", Err(-26058)),
    ("EXECUTE IMMEDIATE 'DELETE FROM t; DELETE FROM t';", Err(-26058)),
    ("EXECUTE IMMEDIATE NULL::VARCHAR(10);", Err(-26051)),
    ("EXECUTE IMMEDIATE 'SELECT a FROM t';", Err(-675)),
    ("PREPARE p FROM 'DELETE FROM t'; DECLARE c CURSOR FOR p;", Err(-363)),
    ("PREPARE p FROM 'SELEC';", Err(-201)),
    ("PREPARE p FROM 'SELECT a FROM nosuch';", Err(-206)),
    ("PREPARE p FROM 'SELECT a FROM t WHERE a = ?'; DECLARE c CURSOR FOR p; OPEN c;", Err(-254)),
    ("DEFINE n INT; PREPARE p FROM 'SELECT a, b FROM t'; DECLARE c CURSOR FOR p; OPEN c; FETCH c INTO n;", Err(-661)),
    // GOTO: back, forward and out of a loop.
    (
        "DEFINE n INT; LET n = 0; <<again>> LET n = n + 1; IF n < 5 THEN GOTO again; END IF; RETURN n;",
        Ok(&["5"]),
    ),
    (
        "DEFINE n INT; FOR n = 1 TO 100 IF n = 7 THEN GOTO done; END IF; END FOR; RETURN 'never'; <<done>> RETURN n;",
        Ok(&["7"]),
    ),
    // CASE.
    ("CASE 3 WHEN 1 THEN RETURN 'a'; WHEN 2 THEN RETURN 'b'; END CASE;", Err(-26062)),
    ("CASE 3 WHEN 1 THEN RETURN 'a'; ELSE RETURN 'z'; END CASE;", Ok(&["z"])),
    // TRACE is evaluated and shown nowhere.
    ("TRACE ON; TRACE 'x' || 1; TRACE OFF; RETURN 'on';", Ok(&["on"])),
    ("TRACE 1 / 0; RETURN 'on';", Err(-1202)),
];

#[test]
fn bodies() {
    let mut session = with_rows();
    session.run("CREATE FUNCTION counting(n INT) RETURNING INT; DEFINE i INT; FOR i = 1 TO n RETURN i WITH RESUME; END FOR; END FUNCTION");
    session.run("CREATE FUNCTION failing() RETURNING INT; RETURN 1 WITH RESUME; RAISE EXCEPTION -746, 0, 'no'; END FUNCTION");
    for (body, expected) in BODIES {
        session.run(&format!(
            "CREATE PROCEDURE p() RETURNING VARCHAR(100); {body} END PROCEDURE"
        ));
        match expected {
            Ok(rows) => assert_eq!(session.texts("EXECUTE PROCEDURE p()"), *rows, "{body}"),
            Err(code) => assert_eq!(session.fails("EXECUTE PROCEDURE p()").sqlcode, *code, "{body}"),
        }
        session.run("DROP PROCEDURE p");
    }
}

#[test]
fn statements_that_change_are_run_at_once() {
    let mut session = with_rows();
    session.run("CREATE PROCEDURE p(what VARCHAR(30)) EXECUTE IMMEDIATE what; END PROCEDURE");
    session.run("EXECUTE PROCEDURE p('DELETE FROM t WHERE a > 2')");
    session.run("EXECUTE PROCEDURE p('CREATE TABLE made (x INT)')");
    assert_eq!(session.one("SELECT COUNT(*) FROM t"), "2");
    assert_eq!(session.one("SELECT COUNT(*) FROM made"), "0");
}

#[test]
fn the_end_of_a_transaction_closes_cursors_without_hold() {
    let mut session = with_rows();
    for (hold, expected) in [("", Err(-26053)), ("WITH HOLD", Ok("2"))] {
        session.run(&format!(
            "CREATE PROCEDURE p() RETURNING INT; DEFINE n INT;
               PREPARE s FROM 'SELECT a FROM t ORDER BY a'; DECLARE c CURSOR {hold} FOR s;
               BEGIN WORK; OPEN c; FETCH c INTO n; COMMIT WORK; FETCH c INTO n; RETURN n; END PROCEDURE"
        ));
        match expected {
            Ok(row) => assert_eq!(session.one("EXECUTE PROCEDURE p()"), row),
            Err(code) => assert_eq!(session.fails("EXECUTE PROCEDURE p()").sqlcode, code),
        }
        session.run("DROP PROCEDURE p");
    }
}

#[test]
fn goto_needs_a_label_that_it_can_reach() {
    let mut session = testdb();
    for body in [
        "GOTO nowhere;",
        "GOTO inside; IF 1 = 1 THEN <<inside>> LET n = 1; END IF;",
        "CASE 1 END CASE;",
    ] {
        let sql = format!("CREATE PROCEDURE p() DEFINE n INT; {body} END PROCEDURE");
        assert_eq!(session.fails(&sql).sqlcode, -201, "{body}");
    }
}

#[test]
fn routines_of_a_name_differ_in_their_types() {
    let mut session = with_rows();
    for (types, name) in [
        ("INT", "int"),
        ("VARCHAR(20)", "text"),
        ("DATE", "date"),
        ("INT, INT", "two"),
    ] {
        let parameters: Vec<String> = types
            .split(", ")
            .enumerate()
            .map(|(n, ty)| format!("p{n} {ty}"))
            .collect();
        session.run(&format!(
            "CREATE FUNCTION f({}) RETURNING VARCHAR(10); RETURN '{name}'; END FUNCTION",
            parameters.join(", ")
        ));
    }
    for (arguments, expected) in [
        ("1", "int"),
        ("1::SMALLINT", "int"),
        ("1.5", "int"),
        ("'x'", "text"),
        ("TODAY", "date"),
        ("1, 2", "two"),
    ] {
        assert_eq!(
            session.one(&format!("EXECUTE FUNCTION f({arguments})")),
            expected,
            "{arguments}"
        );
        let sql = format!("SELECT f({arguments}) FROM t WHERE a = 1");
        assert_eq!(session.one(&sql), expected, "{arguments}");
    }
    assert_eq!(session.one("SELECT f(b) FROM t WHERE a = 1"), "text");
    // Nothing tells which one is meant.
    assert_eq!(session.fails("EXECUTE FUNCTION f(NULL)").sqlcode, -9700);
    assert_eq!(session.fails("DROP FUNCTION f").sqlcode, -9700);
    session.run("DROP FUNCTION f(INT)");
    assert_eq!(
        session
            .fails("CREATE FUNCTION f(d DATE) RETURNING INT; RETURN 1; END FUNCTION")
            .sqlcode,
        -673
    );
    session.run("CREATE FUNCTION IF NOT EXISTS f(d DATE) RETURNING INT; RETURN 1; END FUNCTION");
    session.run("CREATE OR REPLACE FUNCTION f(d DATE) RETURNING VARCHAR(10); RETURN 'newer'; END FUNCTION");
    assert_eq!(session.one("EXECUTE FUNCTION f(TODAY)"), "newer");
    assert_eq!(session.one("EXECUTE FUNCTION f('x')"), "text");
}
