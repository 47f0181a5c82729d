//! Built-in functions, aggregates, window functions.

use super::*;

fn f(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    call(name, arguments)
}

#[test]
fn strings() {
    let db = connection(false);
    let c10 = || opaque(cast(s("ab"), &ColumnType::char(10)).expect("cast"));
    let v10 = || opaque(cast(s("ab "), &ColumnType::varchar(10, 0)).expect("cast"));
    use crate::sql::ast::TrimSide::{Both, Leading, Trailing};
    check(
        &db,
        vec![
            (f("length", vec![c10()]), "integer 2"),
            (f("length", vec![v10()]), "integer 2"),
            (f("length", vec![s("ä")]), "integer 2"),
            (f("char_length", vec![s("ä")]), "integer 1"),
            (f("octet_length", vec![c10()]), "integer 10"),
            (f("octet_length", vec![v10()]), "integer 3"),
            (f("upper", vec![s("Straße")]), "char(7) STRASSE"),
            (f("lower", vec![c10()]), "char(10) ab"),
            (f("initcap", vec![s("john o'neill")]), "char(12) John O'Neill"),
            (trim(Both, None, s("  x ")), "varchar(4) x"),
            (trim(Leading, Some(s("0")), s("007")), "varchar(3) 7"),
            (trim(Trailing, Some(s("x")), s("axx")), "varchar(3) a"),
            (f("trim", vec![literal::null()]), "lvarchar(1) NULL"),
            (f("ltrim", vec![s("xyab"), s("yx")]), "varchar(4) ab"),
            (f("rtrim", vec![s("ab  ")]), "varchar(4) ab"),
            (f("lpad", vec![s("5"), n("3"), s("0")]), "varchar(3) 005"),
            (f("rpad", vec![s("abcdef"), n("3")]), "varchar(3) abc"),
            (f("substr", vec![s("hello"), n("2"), n("3")]), "varchar(3) ell"),
            (f("substr", vec![s("hello"), n("-3")]), "varchar(5) llo"),
            (f("substr", vec![s("hello"), n("0"), n("2")]), "varchar(2) he"),
            (substring(s("hello"), n("-1"), Some(n("4"))), "varchar(4) he"),
            (substring(s("hello"), n("3"), None), "varchar(5) llo"),
            (f("substrb", vec![s("aäb"), n("2"), n("2")]), "varchar(2) ä"),
            (
                f("substring_index", vec![s("a.b.c"), s("."), n("2")]),
                "varchar(5) a.b",
            ),
            (
                f("substring_index", vec![s("a.b.c"), s("."), n("-1")]),
                "varchar(5) c",
            ),
            (f("instr", vec![s("banana"), s("an")]), "integer 2"),
            (
                f("instr", vec![s("banana"), s("an"), n("1"), n("2")]),
                "integer 4",
            ),
            (f("instr", vec![s("banana"), s("an"), n("-1")]), "integer 4"),
            (f("charindex", vec![s("n"), s("banana"), n("4")]), "integer 5"),
            (f("replace", vec![s("a-b-c"), s("-"), s("+")]), "varchar(5) a+b+c"),
            (f("replace", vec![s("a-b"), s("-")]), "varchar(3) ab"),
            (f("reverse", vec![s("abc")]), "char(3) cba"),
            (f("left", vec![s("abc"), n("2")]), "varchar(3) ab"),
            (f("right", vec![s("abc"), n("2")]), "varchar(3) bc"),
            (f("space", vec![n("2")]), "varchar(255)   "),
            (f("ascii", vec![s("A")]), "integer 65"),
            (f("chr", vec![n("65")]), "varchar(1) A"),
            (f("concat", vec![s("a"), n("1")]), "varchar(12) a1"),
            (binary(BinaryOp::Concat, c10(), s("x")), "char(11) ab        x"),
            (binary(BinaryOp::Concat, s("a "), s("b")), "char(3) a b"),
            (binary(BinaryOp::Concat, v10(), s("x")), "varchar(11) ab x"),
            (binary(BinaryOp::Concat, s(""), s("x")), "char(1) x"),
            (
                binary(BinaryOp::Concat, s("x"), literal::null()),
                "varchar(1) NULL",
            ),
            (
                binary(BinaryOp::Concat, s("on "), date("05/06/2024")),
                "varchar(13) on 05/06/2024",
            ),
            (f("nosuch", vec![s("x")]), "-674 at prepare"),
            (f("upper", vec![]), "-674 at prepare"),
            (f("lpad", vec![s("x"), n("99999")]), "-881"),
            (subscript(s("hello"), 2, Some(4)), "char(3) ell"),
            (subscript(s("hello"), 4, None), "char(1) l"),
            (subscript(s("hello"), 2, Some(9)), "-306 at prepare"),
            (subscript(n("5"), 1, None), "-305 at prepare"),
        ],
    );
}

#[test]
fn numbers() {
    let db = connection(false);
    check(
        &db,
        vec![
            (f("abs", vec![n("-5")]), "integer 5"),
            (f("abs", vec![n("-5.50")]), "decimal(3,2) 5.50"),
            (f("mod", vec![n("-17"), n("5")]), "integer -2"),
            (f("mod", vec![n("17.9"), n("5.9")]), "bigint 2"),
            (f("mod", vec![n("1"), n("0")]), "-1202"),
            (f("round", vec![n("2.345"), n("2")]), "decimal(4,2) 2.35"),
            (f("round", vec![n("-2.5")]), "decimal(2,0) -3"),
            (f("round", vec![n("155"), n("-1")]), "decimal(11,0) 160"),
            (f("trunc", vec![n("2.99")]), "decimal(2,0) 2"),
            (f("ceil", vec![n("-2.5")]), "decimal(32) -2"),
            (f("floor", vec![n("-2.5")]), "decimal(32) -3"),
            (f("sign", vec![n("-2.5")]), "integer -1"),
            (f("pow", vec![n("2"), n("10")]), "float 1024"),
            (f("sqrt", vec![n("2.25")]), "float 1.5"),
            (f("sqrt", vec![n("-1")]), "-647"),
            (f("ln", vec![n("0")]), "-647"),
            (f("root", vec![n("-27"), n("3")]), "float -3"),
            (f("exp", vec![n("0")]), "float 1"),
            (f("log10", vec![n("1000")]), "float 3"),
            (f("bitand", vec![n("12"), n("10")]), "integer 8"),
            (f("bitor", vec![n("12"), n("10")]), "integer 14"),
            (f("bitxor", vec![n("12"), n("10")]), "integer 6"),
            (f("bitnot", vec![n("0")]), "integer -1"),
            (f("hex", vec![n("255")]), "varchar(10) 0x000000FF"),
            (f("hex", vec![n("-1")]), "varchar(10) 0xFFFFFFFF"),
            (f("to_number", vec![s("$1,234.50")]), "decimal(32) 1234.5"),
            (f("to_number", vec![s("x")]), "-1213"),
            (f("sqrt", vec![literal::null()]), "float NULL"),
            (f("sqrt", vec![date("05/06/2024")]), "-674 at prepare"),
        ],
    );
}

#[test]
fn times() {
    let db = connection(false);
    let day = || date("01/31/2024");
    let at = || opaque(dt("2024-05-06 17:08:09", "year to second"));
    check(
        &db,
        vec![
            (f("year", vec![day()]), "integer 2024"),
            (f("month", vec![at()]), "integer 5"),
            (f("day", vec![day()]), "integer 31"),
            (f("weekday", vec![date("05/06/2024")]), "integer 1"),
            (f("quarter", vec![at()]), "integer 2"),
            (
                f("year", vec![opaque(dt("07:08", "hour to minute"))]),
                "integer 2024",
            ),
            (f("year", vec![s("12/31/1999")]), "integer 1999"),
            (f("mdy", vec![n("2"), n("29"), n("2024")]), "date 2024-02-29"),
            (f("mdy", vec![n("2"), n("30"), n("2024")]), "-1206"),
            (f("mdy", vec![n("13"), n("1"), n("2024")]), "-1205"),
            (f("date", vec![s("5/6/24")]), "date 2024-05-06"),
            (f("date", vec![n("1")]), "date 1900-01-01"),
            (f("date", vec![at()]), "date 2024-05-06"),
            (f("add_months", vec![day(), n("1")]), "date 2024-02-29"),
            (
                f("add_months", vec![date("02/29/2024"), n("1")]),
                "date 2024-03-31",
            ),
            (
                f("add_months", vec![at(), n("-5")]),
                "datetime year to second 2023-12-06 17:08:09",
            ),
            (f("last_day", vec![date("02/01/2023")]), "date 2023-02-28"),
            (
                f("next_day", vec![date("05/06/2024"), s("Monday")]),
                "date 2024-05-13",
            ),
            (
                f("next_day", vec![date("05/06/2024"), s("SUN")]),
                "date 2024-05-12",
            ),
            (
                f("months_between", vec![date("03/31/2024"), date("02/29/2024")]),
                "decimal(32) 1",
            ),
            (
                f("months_between", vec![date("02/16/2024"), day()]),
                "decimal(32) 0.51612903225806451612903225806452",
            ),
            (
                f("to_char", vec![at(), s("%A %d.%m.%Y %H:%M")]),
                "nvarchar(255) Monday 06.05.2024 17:08",
            ),
            (
                f("to_char", vec![n("1234.5"), s("#,###.&&")]),
                "nvarchar(255) 1,234.50",
            ),
            (f("to_char", vec![at()]), "nvarchar(255) 2024-05-06 17:08:09"),
            (
                f("to_date", vec![s("2024-05-06"), s("%Y-%m-%d")]),
                "datetime year to fraction(5) 2024-05-06 00:00:00.00000",
            ),
            (f("to_date", vec![s("x"), s("%Y")]), "-1277"),
            (
                f("trunc", vec![at(), s("MONTH")]),
                "datetime year to second 2024-05-01 00:00:00",
            ),
            (f("round", vec![date("07/16/2024"), s("YEAR")]), "date 2025-01-01"),
            (
                f("round", vec![at()]),
                "datetime year to second 2024-05-07 00:00:00",
            ),
            (
                f("to_yminterval", vec![s("1-06")]),
                "interval year(9) to month 1-06",
            ),
            (
                f("to_dsinterval", vec![s("3 04:05:06")]),
                "interval day(9) to fraction(5) 3 04:05:06.00000",
            ),
            (
                f("numtodsinterval", vec![n("90"), s("MINUTE")]),
                "interval day(9) to fraction(5) 0 01:30:00.00000",
            ),
            (
                extend(day(), Some(q("year to hour"))),
                "datetime year to hour 2024-01-31 00",
            ),
            (
                extend(opaque(dt("07:08", "hour to minute")), None),
                "datetime year to fraction(3) 2024-05-06 07:08:00.000",
            ),
            (extend(s("x"), None), "-1234 at prepare"),
            (
                Ok(current(None)),
                "datetime year to fraction(3) 2024-05-06 07:08:09.123",
            ),
            (
                Ok(current(Some(q("hour to second")))),
                "datetime hour to second 07:08:09",
            ),
            (
                Ok(special(crate::sql::ast::SpecialValue::Today)),
                "date 2024-05-06",
            ),
            (
                Ok(special(crate::sql::ast::SpecialValue::Sysdate)),
                "datetime year to fraction(5) 2024-05-06 07:08:09.12345",
            ),
            (Ok(special(crate::sql::ast::SpecialValue::User)), "char(32) joe"),
            (
                Ok(special(crate::sql::ast::SpecialValue::ServerName)),
                "char(128) ol_test",
            ),
            (f("dbinfo", vec![s("utc_current")]), "integer 1714979289"),
            (
                f("dbinfo", vec![s("utc_to_datetime"), n("0")]),
                "datetime year to second 1970-01-01 00:00:00",
            ),
            (f("dbinfo", vec![s("nonsense")]), "-728 at prepare"),
            (f("dbinfo", vec![n("1")]), "-726 at prepare"),
            (f("dbinfo", vec![s("sessionid")]), "-728"),
            (session_call(), "-674"),
        ],
    );
}

fn session_call() -> SqlResult<TypedExpr> {
    crate::expr::functions::session_function("f", vec![n("1"), s("x")], &ColumnType::integer())
}

/// An aggregate over the rows of a VALUES list in the stored form.
fn over(db: &Connection, name: &str, distinct: bool, values: &[TypedExpr], ty: &ColumnType) -> String {
    let argument = TypedExpr::column("v", ty.clone());
    let expr = match aggregate(name, distinct, Some(argument)) {
        Ok(expr) => expr,
        Err(error) => return error.sqlcode.to_string(),
    };
    let rows: Vec<String> = values.iter().map(|v| format!("({})", v.sql)).collect();
    let source = if rows.is_empty() {
        "SELECT NULL WHERE 0".to_owned()
    } else {
        format!("VALUES {}", rows.join(","))
    };
    let sql = format!("(WITH t(v) AS ({source}) SELECT {} FROM t)", expr.sql);
    show(db, Ok(TypedExpr::column(sql, expr.ty)))
}

#[test]
fn aggregates() {
    let db = connection(false);
    let decimals: Vec<TypedExpr> = ["1.50", "2.25", "2.25"]
        .iter()
        .map(|t| assign(n(t), &ColumnType::decimal(5, Some(2))).expect("d"))
        .collect();
    let d = ColumnType::decimal(5, Some(2));
    let ints = [n("1"), n("2"), literal::null()];
    let i = ColumnType::integer();
    let floats = [
        cast(n("1"), &ColumnType::float()).expect("f"),
        cast(n("2"), &ColumnType::float()).expect("f"),
    ];
    let fl = ColumnType::float();
    let spans = [iv("1:30", "hour to minute"), iv("0:45", "hour to minute")];
    let span = ColumnType::interval(q("hour to minute"));
    let texts = [s("b"), s("a"), s("a ")];
    let c = ColumnType::char(2);
    let days = [date("05/06/2024"), date("01/31/2024")];
    let dy = ColumnType::date();
    let b = ColumnType::bigint();
    let bigs = [
        cast(n("9223372036854775807"), &b).expect("b"),
        cast(n("9223372036854775807"), &b).expect("b"),
    ];
    let cases: Vec<(String, &str)> = vec![
        (over(&db, "count", false, &ints, &i), "decimal(15,0) 2"),
        (over(&db, "count", true, &texts, &c), "decimal(15,0) 2"),
        (over(&db, "sum", false, &ints, &i), "decimal(32,0) 3"),
        (over(&db, "avg", false, &ints, &i), "decimal(32) 1.5"),
        (over(&db, "sum", false, &decimals, &d), "decimal(32,2) 6.00"),
        (over(&db, "sum", true, &decimals, &d), "decimal(32,2) 3.75"),
        (over(&db, "avg", false, &decimals, &d), "decimal(32) 2"),
        (over(&db, "min", false, &decimals, &d), "decimal(5,2) 1.50"),
        (over(&db, "max", false, &decimals, &d), "decimal(5,2) 2.25"),
        (over(&db, "range", false, &decimals, &d), "decimal(6,2) 0.75"),
        (over(&db, "variance", false, &ints, &i), "decimal(32) 0.5"),
        (over(&db, "variance", false, &ints[..1], &i), "decimal(32) 0"),
        (
            over(&db, "stdev", false, &ints, &i),
            "decimal(32) 0.7071067811865476",
        ),
        (
            over(&db, "stdev", false, &floats, &fl),
            "float 0.7071067811865476",
        ),
        (over(&db, "sum", false, &floats, &fl), "float 3"),
        (over(&db, "avg", false, &floats, &fl), "float 1.5"),
        (
            over(&db, "sum", false, &spans, &span),
            "interval hour(9) to minute 2:15",
        ),
        (
            over(&db, "avg", false, &spans, &span),
            "interval hour(9) to minute 1:07",
        ),
        (over(&db, "min", false, &texts, &c), "char(2) a"),
        (over(&db, "max", false, &days, &dy), "date 2024-05-06"),
        (over(&db, "range", false, &days, &dy), "integer 96"),
        (over(&db, "sum", false, &[], &i), "decimal(32,0) NULL"),
        (over(&db, "sum", false, &[], &d), "decimal(32,2) NULL"),
        (over(&db, "count", false, &[], &d), "decimal(15,0) 0"),
        (
            over(&db, "sum", false, &bigs, &b),
            "decimal(32,0) 18446744073709551614",
        ),
        (over(&db, "sum", false, &days, &dy), "-1260"),
        (over(&db, "sum", false, &[s("x")], &c), "-1213"),
        (over(&db, "median", false, &ints, &i), "-674"),
    ];
    for (got, expected) in cases {
        assert_eq!(got, expected);
    }
}

#[test]
fn windows() {
    let db = connection(false);
    let v = || TypedExpr::column("v", ColumnType::integer());
    let run = |expr: SqlResult<TypedExpr>| {
        let expr = expr.expect("window");
        let sql = format!(
            "(WITH t(v) AS (VALUES (1),(2),(4)), u AS (SELECT v, {} AS w FROM t) SELECT w FROM u WHERE v = 2)",
            expr.sql
        );
        show(&db, Ok(TypedExpr::column(sql, expr.ty)))
    };
    assert_eq!(
        run(window("row_number", false, vec![], "ORDER BY v")),
        "integer 2"
    );
    assert_eq!(
        run(window("sum", false, vec![v()], "ORDER BY v")),
        "decimal(32,0) 3"
    );
    assert_eq!(
        run(window("avg", false, vec![v()], "ORDER BY v ROWS 1 PRECEDING")),
        "decimal(32) 1.5"
    );
    assert_eq!(
        run(window("lag", false, vec![v(), n("1"), n("0")], "ORDER BY v")),
        "integer 1"
    );
    assert_eq!(run(window("lead", false, vec![v()], "ORDER BY v")), "integer 4");
    assert_eq!(run(window("count", false, vec![], "")), "decimal(15,0) 3");
    assert_eq!(
        run(window("ratio_to_report", false, vec![v()], "")),
        "decimal(32) 0.28571428571428571428571428571429"
    );
    assert_eq!(
        window("sum", true, vec![v()], "").map_err(|e| e.sqlcode).err(),
        Some(-554)
    );
    assert!(window("upper", false, vec![v()], "").is_err());
}

/// `informix-sql.md` 3: only IS NULL, LENGTH and subscripts.
#[test]
fn large_objects_in_expressions() {
    let db = connection(false);
    let body = || TypedExpr::column("(SELECT x'414243')", ColumnType::text());
    let pic = || TypedExpr::column("(SELECT x'00ff')", ColumnType::byte());
    check(
        &db,
        vec![
            (f("length", vec![body()]), "integer 3"),
            (f("octet_length", vec![pic()]), "integer 2"),
            (Ok(is_null(pic(), true)), "boolean t"),
            (subscript(pic(), 2, Some(2)), "byte ff"),
            (binary(BinaryOp::Concat, body(), s("x")), "-615 at prepare"),
            (f("upper", vec![body()]), "-615 at prepare"),
            (compare(BinaryOp::Equal, body(), s("ABC")), "-615 at prepare"),
            (
                matches(MatchKind::Like, false, body(), s("A%"), None),
                "-219 at prepare",
            ),
            (aggregate("max", false, Some(body())), "-615 at prepare"),
            (aggregate("count", false, Some(body())), "decimal(15,0) 1"),
            (cast(body(), &ColumnType::lvarchar(100)), "-9634 at prepare"),
            (assign(pic(), &ColumnType::byte()), "byte 00ff"),
            (coalesce(vec![literal::null(), pic()]), "byte 00ff"),
        ],
    );
}
