//! Every operator and function with every combination of types: a value, NULL, or an Informix error; never an error of SQLite's.

use super::*;
use crate::sql::ast::TrimSide;

/// One value of every type, and NULL.
fn samples() -> Vec<TypedExpr> {
    let typed = |text: &str, ty: ColumnType| cast(s(text), &ty).expect(text);
    let blob = |ty: ColumnType| TypedExpr::column("x'414243'", ty);
    vec![
        typed("7", ColumnType::smallint()),
        n("2147483647"),
        typed("7", ColumnType::serial()),
        typed("-9223372036854775807", ColumnType::bigint()),
        typed("9223372036854775807", ColumnType::int8()),
        typed("1.5e300", ColumnType::float()),
        typed("-0.25", ColumnType::smallfloat()),
        typed("99999999999999999999999999999999", ColumnType::decimal(32, None)),
        typed("0", ColumnType::decimal(5, Some(2))),
        typed("-12.50", ColumnType::money(16, 2)),
        date("12/31/9999"),
        date("01/01/0001"),
        dt("2024-02-29 23:59:59.99999", "year to fraction(5)"),
        dt("02-29", "month to day"),
        dt("23:59", "hour to minute"),
        iv("-999999999 23:59:59.99999", "day(9) to fraction(5)"),
        iv("11", "month to month"),
        iv("0", "second to second"),
        s(""),
        s("5"),
        typed("2024-02-29", ColumnType::varchar(20, 0)),
        typed("ab", ColumnType::nchar(10)),
        typed("ä", ColumnType::nvarchar(10, 0)),
        typed("x", ColumnType::lvarchar(100)),
        literal::boolean(true),
        blob(ColumnType::byte()),
        blob(ColumnType::text()),
        blob(ColumnType::blob()),
        blob(ColumnType::clob()),
        TypedExpr::column(
            "'SET{1}'",
            ColumnType::composite(informix_types::TypeCode::Set, "SET(INTEGER NOT NULL)"),
        ),
        literal::null(),
    ]
}

/// Each sample as a constant, as a column, and as a NULL of its type.
fn operands() -> Vec<TypedExpr> {
    let mut all = Vec::new();
    for sample in samples() {
        all.push(TypedExpr::column("(SELECT NULL)", sample.ty.clone()));
        all.push(opaque(sample.clone()));
        all.push(sample);
    }
    all
}

/// Runs an expression; the message of an error that is not Informix's.
fn broken(db: &Connection, what: &str, expr: SqlResult<TypedExpr>) -> Option<String> {
    let expr = expr.ok()?;
    let sql = format!("SELECT {}", expr.sql);
    let value: rusqlite::Result<SqliteValue> = db.query_row(&sql, [], |row| row.get(0));
    match value {
        Ok(value) => match storage::read((&value).into(), &expr.ty) {
            Ok(_) => None,
            // A descriptor of three bytes is no LOB.
            Err(_) if expr.kind().is_large_object() => None,
            Err(error) => Some(format!("{what} {sql}: {error}")),
        },
        Err(error) if sqlite_error(&error).is_some() => None,
        Err(error) => Some(format!("{what} {sql}: {error}")),
    }
}

fn none_broken(found: Vec<String>) {
    let shown: Vec<&str> = found.iter().map(String::as_str).take(20).collect();
    assert!(found.is_empty(), "{} broken:\n{}", found.len(), shown.join("\n"));
}

#[test]
fn operators_on_all_types() {
    use BinaryOp::{Add, Concat, Divide, Equal, Less, Multiply, Subtract};
    let db = connection(false);
    let operands = operands();
    let mut found = Vec::new();
    for left in &operands {
        for op in [UnaryOp::Minus, UnaryOp::Plus, UnaryOp::Not] {
            found.extend(broken(&db, "unary", unary(op, left.clone())));
        }
        found.extend(broken(&db, "is null", Ok(is_null(left.clone(), true))));
        for right in &operands {
            for op in [Add, Subtract, Multiply, Divide, Concat, Equal, Less] {
                found.extend(broken(&db, "binary", binary(op, left.clone(), right.clone())));
            }
        }
    }
    none_broken(found);
}

#[test]
fn conversions_between_all_types() {
    for ansi in [false, true] {
        let db = connection(ansi);
        let mut found = Vec::new();
        for from in operands() {
            for to in samples() {
                if to.kind() == Kind::Null {
                    continue;
                }
                let result = cast(from.clone(), &to.ty);
                if let Ok(result) = &result {
                    assert_eq!(result.ty.clone().nullable(), to.ty.clone().nullable());
                }
                found.extend(broken(&db, "cast", result));
                found.extend(broken(&db, "assign", assign(from.clone(), &to.ty)));
            }
        }
        none_broken(found);
    }
}

#[test]
fn choices_on_all_types() {
    let db = connection(false);
    let operands = operands();
    let mut found = Vec::new();
    for left in &operands {
        for right in &samples() {
            let (l, r) = (left.clone(), right.clone());
            let branches = vec![(literal::boolean(true), l.clone())];
            found.extend(broken(&db, "case", case(None, branches, Some(r.clone()))));
            found.extend(broken(&db, "least", call("least", vec![l.clone(), r.clone()])));
            found.extend(broken(&db, "nvl", coalesce(vec![l.clone(), r.clone()])));
            found.extend(broken(&db, "nullif", nullif(l.clone(), r.clone())));
            found.extend(broken(
                &db,
                "in",
                in_list(l.clone(), vec![r.clone(), n("1")], true),
            ));
            found.extend(broken(
                &db,
                "between",
                between(l.clone(), r.clone(), l.clone(), false),
            ));
            let query = format!("SELECT {}", r.sql);
            found.extend(broken(
                &db,
                "any",
                quantified(BinaryOp::Less, false, l.clone(), &query, &r.ty),
            ));
            found.extend(broken(&db, "in query", in_query(l.clone(), &query, &r.ty, false)));
            let fits = matches(MatchKind::Like, false, l.clone(), r.clone(), None);
            found.extend(broken(&db, "like", fits));
            // What unify says is what both sides convert to.
            if let Some(ty) = unify(&l.ty, &r.ty) {
                found.extend(broken(&db, "unify", cast(l.clone(), &ty)));
            }
        }
    }
    none_broken(found);
}

#[test]
fn functions_on_all_types() {
    let db = connection(false);
    let one = [
        "length",
        "char_length",
        "octet_length",
        "ascii",
        "upper",
        "initcap",
        "reverse",
        "trim",
        "ltrim",
        "space",
        "chr",
        "abs",
        "round",
        "trunc",
        "ceil",
        "floor",
        "sign",
        "sqrt",
        "exp",
        "ln",
        "log10",
        "sin",
        "acosh",
        "bitnot",
        "hex",
        "to_number",
        "year",
        "month",
        "day",
        "weekday",
        "quarter",
        "date",
        "last_day",
        "to_char",
        "to_date",
        "to_dsinterval",
        "to_yminterval",
        "coalesce",
        "extend",
    ];
    let two = [
        "ltrim",
        "lpad",
        "rpad",
        "substr",
        "substrb",
        "substring",
        "instr",
        "charindex",
        "replace",
        "concat",
        "left",
        "right",
        "mod",
        "round",
        "trunc",
        "pow",
        "root",
        "atan2",
        "bitand",
        "bitor",
        "bitxor",
        "add_months",
        "next_day",
        "months_between",
        "to_char",
        "to_date",
        "numtodsinterval",
        "numtoyminterval",
        "nvl",
    ];
    let operands = operands();
    let mut found = Vec::new();
    for first in &operands {
        for name in one {
            found.extend(broken(&db, name, call(name, vec![first.clone()])));
        }
        found.extend(broken(
            &db,
            "extend",
            extend(first.clone(), Some(q("day to second"))),
        ));
        found.extend(broken(&db, "units", units(first.clone(), Field::Hour)));
        found.extend(broken(&db, "subscript", subscript(first.clone(), 1, Some(1))));
        for name in ["count", "sum", "avg", "min", "max", "range", "stdev", "variance"] {
            for distinct in [false, true] {
                found.extend(broken(&db, name, aggregate(name, distinct, Some(first.clone()))));
            }
        }
        for name in [
            "sum",
            "avg",
            "min",
            "count",
            "lag",
            "lead",
            "first_value",
            "ratio_to_report",
            "ntile",
        ] {
            found.extend(broken(
                &db,
                name,
                window(name, false, vec![first.clone()], "ORDER BY 1"),
            ));
        }
        for second in &samples() {
            let (l, r) = (first.clone(), second.clone());
            for name in two {
                found.extend(broken(&db, name, call(name, vec![l.clone(), r.clone()])));
            }
            found.extend(broken(
                &db,
                "trim",
                trim(TrimSide::Both, Some(l.clone()), r.clone()),
            ));
            let decoded = call("decode", vec![l.clone(), r.clone(), l.clone(), r.clone()]);
            found.extend(broken(&db, "decode", decoded));
        }
    }
    none_broken(found);
}

#[test]
fn comparisons_use_an_index() {
    let db = connection(false);
    let columns = [
        (
            "i",
            ColumnType::integer(),
            vec![n("5"), n("5.0"), s("5"), n("5.5")],
        ),
        (
            "d",
            ColumnType::decimal(8, Some(2)),
            vec![n("5"), n("5.5"), s("5.5")],
        ),
        ("f", ColumnType::float(), vec![n("5"), n("5.5"), s("5.5")]),
        ("c", ColumnType::char(10), vec![s("x"), s("x  ")]),
        ("v", ColumnType::varchar(10, 0), vec![s("x")]),
        (
            "t",
            ColumnType::datetime(q("year to second")),
            vec![
                s("2024-05-06 07:08:09"),
                dt("2024-05-06", "year to day"),
                current(None),
            ],
        ),
        (
            "a",
            ColumnType::date(),
            vec![s("05/06/2024"), special(crate::sql::ast::SpecialValue::Today)],
        ),
        ("b", ColumnType::boolean(), vec![s("t")]),
    ];
    let list: Vec<String> = columns
        .iter()
        .map(|(name, ty, _)| format!("{name} {}", storage::declaration(ty)))
        .collect();
    db.execute_batch(&format!("CREATE TABLE x ({})", list.join(",")))
        .expect("table");
    for (name, _, _) in &columns {
        db.execute_batch(&format!("CREATE INDEX x_{name} ON x ({name})"))
            .expect("index");
    }
    for (name, ty, _) in columns.iter().filter(|(_, ty, _)| ty.is_character()) {
        let column = TypedExpr::column(*name, ty.clone());
        for (kind, pattern) in [(MatchKind::Like, "ab%"), (MatchKind::Matches, "ab[c-d]")] {
            let fits = matches(kind, false, column.clone(), s(pattern), None).expect("pattern");
            assert!(
                plan(&db, &fits.sql).contains(&format!("x_{name}")),
                "{}",
                fits.sql
            );
        }
    }
    for (name, ty, others) in columns {
        for other in others {
            let column = TypedExpr::column(name, ty.clone());
            let condition = compare(BinaryOp::Equal, column.clone(), other).expect(name);
            let listed = in_list(
                column,
                vec![TypedExpr::parameter(0), TypedExpr::parameter(1)],
                false,
            )
            .expect(name);
            for sql in [condition.sql, listed.sql] {
                let plan = plan(&db, &sql);
                assert!(plan.contains(&format!("x_{name}")), "{sql}: {plan}");
            }
        }
    }
}

/// SQLite's plan for a condition on table x.
fn plan(db: &Connection, condition: &str) -> String {
    let sql = format!("EXPLAIN QUERY PLAN SELECT 1 FROM x WHERE {condition}");
    let mut statement = db.prepare(&sql).expect("plan");
    let mut rows = statement.raw_query();
    let row = rows.next().expect("plan").expect("row");
    row.get(3).expect("text")
}
