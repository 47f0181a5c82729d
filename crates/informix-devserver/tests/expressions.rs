//! Expressions in statements, through a session and the row encoding.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

#[path = "engine/support.rs"]
mod support;

use informix_devserver::engine::{PrepareOptions, Session};
use informix_types::{Decimal, Interval, Qualifier, Value};
use support::{Run, testdb};

/// Type and value of an expression over one row.
fn show(session: &mut Session, expression: &str) -> String {
    let sql = format!("SELECT {expression} FROM systables WHERE tabid = 1");
    let prepared = match session.prepare(&sql, &PrepareOptions::default()) {
        Ok(prepared) => prepared,
        Err(error) => return error.sqlcode.to_string(),
    };
    let types: Vec<String> = prepared.columns().iter().map(|c| c.ty.to_string()).collect();
    match session.try_rows(&sql, &[]) {
        Ok(rows) => {
            let values: Vec<String> = rows
                .iter()
                .flatten()
                .map(|v| {
                    if v.is_null() {
                        "NULL".to_owned()
                    } else {
                        v.to_string()
                    }
                })
                .collect();
            format!("{} {}", types.join(","), values.join("|"))
        }
        Err(error) => error.sqlcode.to_string(),
    }
}

#[test]
fn expressions_reach_the_client() {
    let mut session = testdb();
    let cases = [
        ("1", "integer 1"),
        ("-1.5", "decimal(2,1) -1.5"),
        ("1/3", "decimal(32) 0.33333333333333333333333333333333"),
        (
            "2/3 + 0.5::FLOAT",
            "decimal(32) 1.1666666666666666666666666666667",
        ),
        ("0.1::FLOAT + 0.2", "decimal(17) 0.3"),
        ("1e3 * 2", "float 2000"),
        ("99999999999999999999999999999999 + 0.5", "-1226"),
        ("1::BIGINT + 1", "bigint 2"),
        ("1::INT8 + 1", "int8 2"),
        ("1::SMALLINT + 1::SMALLINT", "integer 2"),
        ("2147483647 + 1", "-1215"),
        ("10.50::MONEY(8,2) * 2", "money(18,2) 21.00"),
        ("'a' || 'b'", "char(2) ab"),
        ("'ab'::CHAR(5) || '|'", "char(6) ab   |"),
        ("CASE WHEN 1 = 1 THEN 'O' ELSE 'N/A' END", "char(3) O"),
        ("'t'::BOOLEAN", "boolean t"),
        ("MDY(5,6,2024)", "date 2024-05-06"),
        ("MDY(5,6,2024) - MDY(1,1,2024)", "integer 126"),
        ("MDY(5,6,2024) + 1 UNITS MONTH", "datetime year to day 2024-06-06"),
        (
            "DATETIME(2024-05-06 07:08:09.5) YEAR TO FRACTION(2)",
            "datetime year to fraction(2) 2024-05-06 07:08:09.50",
        ),
        (
            "DATETIME(07:08) HOUR TO MINUTE + INTERVAL(90) MINUTE TO MINUTE",
            "datetime hour to minute 08:38",
        ),
        (
            "DATETIME(2024-05-06 07:08) YEAR TO MINUTE - DATETIME(2024-05-05 08:08) YEAR TO MINUTE",
            "interval day(8) to minute 0 23:00",
        ),
        (
            "INTERVAL(-3 04:05:06) DAY TO SECOND",
            "interval day(2) to second -3 04:05:06",
        ),
        (
            "INTERVAL(1-06) YEAR TO MONTH * 3",
            "interval year(9) to month 4-06",
        ),
        ("5 UNITS HOUR", "interval hour(9) to hour 5"),
        ("NULL::DECIMAL(5,2)", "decimal(5,2) NULL"),
        ("NULL::INTERVAL DAY TO SECOND", "interval day(2) to second NULL"),
        ("''", "char(1) "),
        ("''::VARCHAR(5)", "varchar(5) "),
        (
            "ROUND(2.345, 2), TRUNC(-2.7)",
            "decimal(4,2),decimal(2,0) 2.35|-2",
        ),
        ("LENGTH('abc  '), OCTET_LENGTH('abc  ')", "integer,integer 3|5"),
        ("TO_CHAR(MDY(5,6,2024), '%d %B %Y')", "nvarchar(255) 06 May 2024"),
        (
            "TO_DATE('06.05.2024', '%d.%m.%Y')",
            "datetime year to fraction(5) 2024-05-06 00:00:00.00000",
        ),
        (
            "COUNT(*), SUM(tabid), AVG(tabid), MIN(tabname)",
            "decimal(15,0),decimal(32,0),decimal(32),varchar(128) 1|1|1|systables",
        ),
        ("NVL(NULL::VARCHAR(10), 'none')", "varchar(10) none"),
        ("DECODE(2, 1, 'one', 2, 'two')", "char(3) two"),
        ("'x'::INT", "-1213"),
        ("1/0", "-1202"),
        ("nosuch(1)", "-674"),
        ("40000::SMALLINT", "-1214"),
        ("1000::DECIMAL(3,0)", "-1226"),
        ("'2024-05-06 25:00'::DATETIME YEAR TO MINUTE", "-1263"),
        ("INTERVAL(1) DAY TO DAY + INTERVAL(1) MONTH TO MONTH", "-1266"),
        ("DATETIME(2024-01-31) YEAR TO DAY + 1 UNITS MONTH", "-1267"),
        ("TODAY = CURRENT::DATE", "boolean t"),
        ("CURRENT = CURRENT", "boolean t"),
        ("USER = 'informix'", "boolean t"),
    ];
    let mut wrong = Vec::new();
    for (expression, expected) in cases {
        let got = show(&mut session, expression);
        if got != expected {
            wrong.push(format!("{expression}: got {got:?}, want {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Columns of every type, and values as text that each must give back.
const COLUMNS: [(&str, &str, &[&str]); 19] = [
    ("a", "SMALLINT", &["-32767", "32767"]),
    ("b", "INTEGER", &["-2147483647", "0"]),
    ("c", "BIGINT", &["9223372036854775807"]),
    ("d", "INT8", &["-9223372036854775807"]),
    ("e", "DECIMAL(8,2)", &["-123456.78", "0.00"]),
    ("f", "DECIMAL(16)", &["1.234567890123456", "1E-100"]),
    ("g", "MONEY(16,2)", &["99.90"]),
    ("h", "FLOAT", &["-1.5"]),
    ("i", "SMALLFLOAT", &["0.25"]),
    ("j", "DATE", &["0001-01-01", "9999-12-31"]),
    (
        "k",
        "DATETIME YEAR TO FRACTION(5)",
        &["2024-02-29 23:59:59.99999"],
    ),
    ("l", "DATETIME HOUR TO MINUTE", &["00:05"]),
    (
        "m",
        "INTERVAL DAY(5) TO SECOND",
        &["-12345 23:59:59", "0 00:00:00"],
    ),
    ("n", "INTERVAL YEAR(4) TO MONTH", &["-1-06"]),
    ("o", "CHAR(6)", &["ab", ""]),
    ("p", "VARCHAR(20)", &["", "x "]),
    ("q", "NVARCHAR(20)", &["äöü"]),
    ("r", "LVARCHAR(300)", &["it's"]),
    ("s", "BOOLEAN", &["t", "f"]),
];

#[test]
fn every_column_type_by_parameter_and_literal() {
    let mut session = testdb();
    let columns: Vec<String> = COLUMNS
        .iter()
        .map(|(name, ty, _)| format!("{name} {ty}"))
        .collect();
    session.run(&format!("CREATE TEMP TABLE every_type ({})", columns.join(",")));
    for (name, ty, values) in COLUMNS {
        for text in values {
            let what = format!("{ty} {text:?}");
            // By parameter, as text; DATE texts are in the session's order.
            let bound = match name {
                "j" => format!("{}/{}/{}", &text[5..7], &text[8..10], &text[0..4]),
                _ => (*text).to_owned(),
            };
            session.run("DELETE FROM every_type");
            let insert = format!("INSERT INTO every_type ({name}) VALUES (?)");
            session
                .run_with(&insert, &[Value::Text(bound.clone())])
                .expect(&what);
            let stored = session.rows(&format!("SELECT {name} FROM every_type"));
            assert_eq!(stored[0][0].to_string(), *text, "{what}");
            // The value bound as what it is finds the row, and so does a literal.
            let found = |session: &mut Session, condition: &str, values: &[Value]| {
                let sql = format!("SELECT COUNT(*) FROM every_type WHERE {condition}");
                let rows = session
                    .try_rows(&sql, values)
                    .unwrap_or_else(|e| panic!("{what} {condition}: {e}"));
                rows[0][0].to_string()
            };
            let value = stored[0][0].clone();
            assert_eq!(
                found(&mut session, &format!("{name} = ?"), std::slice::from_ref(&value)),
                "1",
                "{what}"
            );
            let quoted = bound.replace('\'', "''");
            assert_eq!(
                found(&mut session, &format!("{name} = '{quoted}'"), &[]),
                "1",
                "{what}"
            );
            assert_eq!(
                found(
                    &mut session,
                    &format!("{name} IN (?, ?)"),
                    &[value.clone(), value.clone()]
                ),
                "1",
                "{what}"
            );
            assert_eq!(
                found(
                    &mut session,
                    &format!("{name} BETWEEN ? AND ?"),
                    &[value.clone(), value.clone()]
                ),
                "1",
                "{what}"
            );
            assert_eq!(
                found(
                    &mut session,
                    &format!("{name} <> ?"),
                    std::slice::from_ref(&value)
                ),
                "0",
                "{what}"
            );
            // Stored again from itself, through every kind of result column.
            session
                .run_with(
                    &format!("UPDATE every_type SET {name} = ?"),
                    std::slice::from_ref(&value),
                )
                .expect(&what);
            let again = session.rows(&format!(
                "SELECT NVL({name}, {name}), MAX({name}) FROM every_type GROUP BY 1"
            ));
            assert_eq!(again[0][0], value, "{what}");
            assert_eq!(again[0][1], value, "{what}");
        }
        session.run("DELETE FROM every_type");
        session
            .run_with(
                &format!("INSERT INTO every_type ({name}) VALUES (?)"),
                &[Value::Null],
            )
            .expect(name);
        assert_eq!(
            session.one(&format!("SELECT {name} FROM every_type WHERE {name} IS NULL")),
            "NULL"
        );
    }
}

#[test]
fn bound_values_are_not_cut_before_they_are_used() {
    let mut session = testdb();
    session.run("CREATE TEMP TABLE goods (id INT, price DECIMAL(8,2), qty INT, at DATETIME YEAR TO SECOND, span INTERVAL DAY TO SECOND)");
    session.run("INSERT INTO goods VALUES (1, 10, 3, DATETIME(2024-05-06 07:08:09) YEAR TO SECOND, INTERVAL(1 02:03:04) DAY TO SECOND)");
    let decimal = |text: &str| Value::Decimal(text.parse::<Decimal>().expect(text));
    let one = |session: &mut Session, sql: &str, values: &[Value]| {
        session
            .try_rows(sql, values)
            .unwrap_or_else(|e| panic!("{sql}: {e}"))[0][0]
            .to_string()
    };
    assert_eq!(
        one(&mut session, "SELECT price * ? FROM goods", &[decimal("0.195")]),
        "1.95"
    );
    assert_eq!(
        one(&mut session, "SELECT qty * ? FROM goods", &[Value::Float(1.5)]),
        "4.5"
    );
    assert_eq!(
        one(
            &mut session,
            "SELECT COUNT(*) FROM goods WHERE qty > ?",
            &[decimal("2.5")]
        ),
        "1"
    );
    assert_eq!(
        one(
            &mut session,
            "SELECT COUNT(*) FROM goods WHERE qty > ?",
            &[decimal("3.5")]
        ),
        "0"
    );
    assert_eq!(
        one(
            &mut session,
            "SELECT COUNT(*) FROM goods WHERE price = ?",
            &[decimal("10.001")]
        ),
        "0"
    );
    assert_eq!(
        one(
            &mut session,
            "SELECT COUNT(*) FROM goods WHERE id = ?",
            &[Value::Text("1".to_owned())]
        ),
        "1"
    );
    // A client's widest interval against a narrower column.
    let span =
        Interval::from_units(((26 * 60 + 3) * 60 + 4) * 100_000, Qualifier::DAY9_TO_FRACTION5).expect("span");
    assert_eq!(
        one(
            &mut session,
            "SELECT COUNT(*) FROM goods WHERE span = ?",
            &[Value::Interval(span)]
        ),
        "1"
    );
    assert_eq!(
        one(&mut session, "SELECT at + ? FROM goods", &[Value::Interval(span)]),
        "2024-05-07 09:11:13"
    );
    session
        .run_with("UPDATE goods SET qty = qty + ?", &[Value::Integer(2)])
        .expect("update");
    assert_eq!(session.one("SELECT qty FROM goods"), "5");
    let error = session
        .run_with("UPDATE goods SET qty = ?", &[Value::Text("many".to_owned())])
        .expect_err("no number");
    assert_eq!(error.sqlcode, -1213);
    let error = session
        .run_with("UPDATE goods SET price = ?", &[decimal("1234567")])
        .expect_err("too large");
    assert_eq!(error.sqlcode, -1226);
}
