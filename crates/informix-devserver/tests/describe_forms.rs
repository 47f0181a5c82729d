//! What DESCRIBE says about every form of expression: type with its length, name, nullability.
//!
//! Each row names its evidence: "R" what clients proven on real servers saw, "D" the vendor's documentation as the public
//! dialect notes tell it, "?" unconfirmed (the server's own choice, kept stable by this test). It stands for type and
//! name; that everything but a column declared NOT NULL is described as nullable is unconfirmed throughout.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

#[path = "engine/support.rs"]
mod support;

use informix_devserver::engine::PrepareOptions;
use support::{Run, testdb};

/// The table under the expressions: `n…` columns are NOT NULL.
const TABLE: &str = "CREATE TABLE d (si SMALLINT, i INTEGER, ni INTEGER NOT NULL, bi BIGINT, i8 INT8, sf SMALLFLOAT, f FLOAT,
   dec82 DECIMAL(8,2), dec50 DECIMAL(5,0), decf DECIMAL(16), mon MONEY(10,2), da DATE, dt DATETIME YEAR TO SECOND,
   hm DATETIME HOUR TO MINUTE, iv INTERVAL DAY(3) TO SECOND, c CHAR(10), nc CHAR(4) NOT NULL, vc VARCHAR(20), nv NVARCHAR(30),
   lv LVARCHAR(500), b BOOLEAN, s SERIAL)";

/// (select list and what follows FROM d, type, name, nullable, evidence)
const FORMS: &[(&str, &str, &str, bool, &str)] = &[
    // Columns.
    ("i", "integer", "i", true, "R"),
    ("ni", "integer", "ni", false, "R"),
    ("nc", "char(4)", "nc", false, "R"),
    ("vc", "varchar(20)", "vc", true, "R"),
    ("s", "serial", "s", false, "R"),
    ("i AS Other", "integer", "other", true, "R"),
    ("d.vc label", "varchar(20)", "label", true, "R"),
    ("ROWID", "integer", "rowid", true, "D"),
    // Literals.
    ("1", "integer", "(constant)", true, "R"),
    ("-1", "integer", "(constant)", true, "?"),
    ("3000000000", "decimal(10,0)", "(constant)", true, "?"),
    ("1.25", "decimal(3,2)", "(constant)", true, "?"),
    ("1e3", "float", "(constant)", true, "?"),
    ("'abc'", "char(3)", "(constant)", true, "R"),
    ("NULL::INTEGER", "integer", "(expression)", true, "?"),
    (
        "DATETIME(07:08) HOUR TO MINUTE",
        "datetime hour to minute",
        "(constant)",
        true,
        "?",
    ),
    (
        "INTERVAL(3) DAY TO DAY",
        "interval day(2) to day",
        "(constant)",
        true,
        "?",
    ),
    ("TODAY", "date", "(expression)", true, "?"),
    (
        "CURRENT",
        "datetime year to fraction(3)",
        "(expression)",
        true,
        "D",
    ),
    (
        "CURRENT YEAR TO SECOND",
        "datetime year to second",
        "(expression)",
        true,
        "D",
    ),
    (
        "SYSDATE",
        "datetime year to fraction(5)",
        "(expression)",
        true,
        "D",
    ),
    ("USER", "char(32)", "(expression)", true, "?"),
    // Aggregates.
    ("COUNT(*)", "decimal(15,0)", "(count(*))", true, "R"),
    ("COUNT(i)", "decimal(15,0)", "(count)", true, "?"),
    ("COUNT(DISTINCT i)", "decimal(15,0)", "(count)", true, "?"),
    ("SUM(i)", "decimal(32,0)", "(sum)", true, "R"),
    ("SUM(dec82)", "decimal(32,2)", "(sum)", true, "?"),
    ("SUM(f)", "float", "(sum)", true, "?"),
    ("SUM(mon)", "money(32,2)", "(sum)", true, "?"),
    ("AVG(i)", "decimal(32)", "(avg)", true, "R"),
    ("AVG(f)", "float", "(avg)", true, "?"),
    ("MIN(vc)", "varchar(20)", "(min)", true, "?"),
    ("MAX(ni)", "integer", "(max)", true, "R"),
    ("MAX(da)", "date", "(max)", true, "?"),
    // Arithmetic.
    ("si + si", "integer", "(expression)", true, "?"),
    ("i + 1", "integer", "(expression)", true, "?"),
    ("i + bi", "bigint", "(expression)", true, "?"),
    ("i / 3", "decimal(32)", "(expression)", true, "D"),
    ("dec82 + dec50", "decimal(9,2)", "(expression)", true, "D"),
    ("dec82 * dec50", "decimal(13,2)", "(expression)", true, "D"),
    ("dec82 / dec50", "decimal(32)", "(expression)", true, "D"),
    ("dec82 + i", "decimal(13,2)", "(expression)", true, "?"),
    ("f * i", "float", "(expression)", true, "?"),
    ("mon * 2", "money(20,2)", "(expression)", true, "?"),
    ("-dec82", "decimal(8,2)", "(expression)", true, "?"),
    ("da - da", "integer", "(expression)", true, "D"),
    ("da + 1", "date", "(expression)", true, "D"),
    ("dt - dt", "interval day(8) to second", "(expression)", true, "?"),
    ("dt + iv", "datetime year to second", "(expression)", true, "D"),
    ("iv * 2", "interval day(9) to second", "(expression)", true, "?"),
    // Text.
    ("c || vc", "varchar(30)", "(expression)", true, "D"),
    ("c || 'x'", "char(11)", "(expression)", true, "?"),
    ("nv || c", "nvarchar(40)", "(expression)", true, "D"),
    ("UPPER(vc)", "varchar(20)", "(expression)", true, "?"),
    ("TRIM(c)", "varchar(10)", "(expression)", true, "?"),
    ("SUBSTR(vc, 2, 3)", "varchar(3)", "(expression)", true, "?"),
    ("vc[2,4]", "varchar(3)", "vc", true, "?"),
    ("LENGTH(vc)", "integer", "(expression)", true, "?"),
    ("TO_CHAR(i)", "nvarchar(255)", "(expression)", true, "?"),
    // Choice.
    (
        "CASE WHEN i = 1 THEN 'a' ELSE 'bcd' END",
        "char(3)",
        "(expression)",
        true,
        "?",
    ),
    ("CASE WHEN i = 1 THEN i END", "integer", "(expression)", true, "?"),
    (
        "CASE WHEN i = 1 THEN i ELSE 1.5 END",
        "decimal(11,1)",
        "(expression)",
        true,
        "?",
    ),
    ("NVL(i, 0)", "integer", "(expression)", true, "?"),
    ("NVL(vc, 'none')", "varchar(20)", "(expression)", true, "?"),
    (
        "DECODE(i, 1, 'one', 2, 'three')",
        "char(5)",
        "(expression)",
        true,
        "?",
    ),
    ("NULLIF(i, 1)", "integer", "(expression)", true, "?"),
    // Casts and dates.
    ("i::VARCHAR(12)", "varchar(12)", "(expression)", true, "?"),
    (
        "CAST(vc AS LVARCHAR)",
        "lvarchar(2048)",
        "(expression)",
        true,
        "?",
    ),
    (
        "da::DATETIME YEAR TO DAY",
        "datetime year to day",
        "(expression)",
        true,
        "?",
    ),
    (
        "EXTEND(da, YEAR TO HOUR)",
        "datetime year to hour",
        "(expression)",
        true,
        "D",
    ),
    ("YEAR(da)", "integer", "(expression)", true, "?"),
    ("MDY(1, 2, 2024)", "date", "(expression)", true, "D"),
    ("5 UNITS DAY", "interval day(9) to day", "(expression)", true, "?"),
    ("i = 1", "boolean", "(expression)", true, "?"),
    // Queries.
    ("(SELECT MAX(i) FROM d)", "integer", "(expression)", true, "?"),
    (
        "ROW_NUMBER() OVER (ORDER BY i)",
        "integer",
        "(expression)",
        true,
        "?",
    ),
];

/// Two branches of a UNION: type, name and nullability of the result.
const UNIONS: &[(&str, &str, &str, &str, bool, &str)] = &[
    ("i", "ni", "integer", "i", true, "?"),
    ("si", "i", "integer", "si", true, "?"),
    ("c", "vc", "varchar(20)", "c", true, "?"),
    ("nc", "c", "char(10)", "nc", true, "?"),
    ("dec82", "dec50", "decimal(8,2)", "dec82", true, "?"),
    ("i", "dec82", "decimal(12,2)", "i", true, "?"),
    ("1", "2", "integer", "(constant)", true, "?"),
];

#[test]
fn every_form_is_described() {
    let mut session = testdb();
    session.run(TABLE);
    let mut wrong = Vec::new();
    let mut check = |sql: &str, expected: (&str, &str, bool)| {
        let got = match session.prepare(sql, &PrepareOptions::default()) {
            Ok(prepared) => match prepared.columns() {
                [one] => format!(
                    "{:?}, {:?}, {}",
                    one.ty.clone().nullable().to_string(),
                    one.name,
                    one.ty.is_nullable()
                ),
                other => format!("{} columns", other.len()),
            },
            Err(error) => error.to_string(),
        };
        let want = format!("{:?}, {:?}, {}", expected.0, expected.1, expected.2);
        if got != want {
            wrong.push(format!("{sql}: {got} and not {want}"));
        }
    };
    for (form, ty, name, nullable, _) in FORMS {
        check(&format!("SELECT {form} FROM d"), (ty, name, *nullable));
    }
    for (first, second, ty, name, nullable, _) in UNIONS {
        let sql = format!("SELECT {first} FROM d UNION SELECT {second} FROM d");
        check(&sql, (ty, name, *nullable));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_row_names_its_evidence() {
    let forms = FORMS.iter().map(|form| form.4);
    for evidence in forms.chain(UNIONS.iter().map(|union| union.5)) {
        assert!(["R", "D", "?"].contains(&evidence), "{evidence}");
    }
}
