//! Arithmetic, comparisons, patterns, choices.

use super::*;

#[test]
fn number_arithmetic() {
    use BinaryOp::{Add, Divide, Multiply, Subtract};
    let db = connection(false);
    let ty = |e: TypedExpr, t: ColumnType| cast(e, &t).expect("cast");
    let money = |t: &str| ty(n(t), ColumnType::money(16, 2));
    let big = |t: &str| ty(n(t), ColumnType::bigint());
    let float = |t: &str| ty(n(t), ColumnType::float());
    check(
        &db,
        vec![
            (binary(Add, n("1"), n("2")), "integer 3"),
            (binary(Add, n("2147483647"), n("1")), "-1215"),
            (binary(Subtract, n("-2147483647"), n("1")), "-1215"),
            (binary(Multiply, n("65536"), n("65536")), "-1215"),
            (binary(Add, big("9223372036854775807"), n("1")), "-1284"),
            (binary(Multiply, big("3000000000"), n("2")), "bigint 6000000000"),
            (binary(Divide, n("7"), n("2")), "decimal(32) 3.5"),
            (
                binary(Divide, n("1"), n("3")),
                "decimal(32) 0.33333333333333333333333333333333",
            ),
            (binary(Divide, n("1"), n("0")), "-1202"),
            (binary(Add, n("1.25"), n("2.5")), "decimal(4,2) 3.75"),
            (binary(Subtract, n("1.25"), n("2.5")), "decimal(4,2) -1.25"),
            (binary(Multiply, n("1.25"), n("2.5")), "decimal(5,3) 3.125"),
            (binary(Divide, n("1.25"), n("2.5")), "decimal(32) 0.5"),
            (binary(Add, n("1.25"), n("3")), "decimal(13,2) 4.25"),
            (binary(Add, money("10.50"), n("1")), "money(17,2) 11.50"),
            (binary(Divide, money("10.50"), n("2")), "decimal(32) 5.25"),
            (binary(Multiply, float("1.5"), n("2")), "float 3"),
            (binary(Divide, float("1.5"), n("0")), "-1202"),
            (binary(Add, float("0.1"), n("0.2")), "decimal(17) 0.3"),
            (binary(Add, s("5"), n("3")), "decimal(32) 8"),
            (binary(Add, s("five"), n("3")), "-1213"),
            (binary(Add, literal::null(), n("3")), "integer NULL"),
            (unary(UnaryOp::Minus, opaque(n("2.50"))), "decimal(3,2) -2.50"),
            (unary(UnaryOp::Minus, s("x")), "-1213"),
            (unary(UnaryOp::Minus, date("05/06/2024")), "-1260 at prepare"),
            (binary(Add, literal::boolean(true), n("1")), "-9634 at prepare"),
        ],
    );
}

#[test]
fn time_arithmetic() {
    use BinaryOp::{Add, Divide, Multiply, Subtract};
    let db = connection(false);
    let day = || date("01/31/2024");
    check(
        &db,
        vec![
            (binary(Add, day(), n("1")), "date 2024-02-01"),
            (binary(Add, n("1"), day()), "date 2024-02-01"),
            (binary(Subtract, day(), n("31")), "date 2023-12-31"),
            (binary(Subtract, date("12/31/9999"), n("-1")), "-1267"),
            (binary(Subtract, date("03/01/2024"), day()), "integer 30"),
            (
                binary(Add, day(), units(n("1"), Field::Day).expect("u")),
                "datetime year to day 2024-02-01",
            ),
            (
                binary(Add, day(), units(n("1"), Field::Month).expect("u")),
                "-1267",
            ),
            (
                binary(Add, day(), units(n("1"), Field::Hour).expect("u")),
                "-1266 at prepare",
            ),
            (
                binary(Add, dt("2000-08-01", "year to day"), iv("3-05", "year to month")),
                "datetime year to day 2004-01-01",
            ),
            (
                binary(
                    Subtract,
                    extend(dt("2008-08-01", "year to day"), Some(q("year to minute"))).expect("extend"),
                    iv("720", "minute(3) to minute"),
                ),
                "datetime year to minute 2008-07-31 12:00",
            ),
            (
                binary(
                    Subtract,
                    dt("2003-09-30 12:30", "year to minute"),
                    dt("2003-08-01 11", "year to hour"),
                ),
                "interval day(8) to minute 60 01:30",
            ),
            (
                binary(
                    Subtract,
                    dt("2024-05", "year to month"),
                    dt("2023-11", "year to month"),
                ),
                "interval year(4) to month 0-06",
            ),
            (
                binary(Add, dt("23:00", "hour to minute"), iv("2:00", "hour to minute")),
                "-1267",
            ),
            (
                binary(Add, dt("21:00", "hour to minute"), iv("2:00", "hour to minute")),
                "datetime hour to minute 23:00",
            ),
            (
                binary(
                    Add,
                    iv("3 04:05", "day to minute"),
                    iv("20:00:01", "hour to second"),
                ),
                "interval day(3) to second 4 00:05:01",
            ),
            (
                binary(Add, iv("3", "day to day"), iv("1", "month to month")),
                "-1266 at prepare",
            ),
            (
                binary(Multiply, iv("1:30", "hour to minute"), n("2.5")),
                "interval hour(9) to minute 3:45",
            ),
            (
                binary(Multiply, n("2"), iv("1-06", "year to month")),
                "interval year(9) to month 3-00",
            ),
            (
                binary(Divide, iv("3", "day to day"), n("2")),
                "interval day(9) to day 1",
            ),
            (binary(Divide, iv("3", "day to day"), n("0")), "-1202"),
            (
                unary(UnaryOp::Minus, opaque(iv("3 04", "day to hour"))),
                "interval day(2) to hour -3 04",
            ),
            (
                units(opaque(n("90")), Field::Minute),
                "interval minute(9) to minute 90",
            ),
            (units(s("x"), Field::Minute), "-1213"),
            (binary(Multiply, day(), n("2")), "-1260 at prepare"),
        ],
    );
}

#[test]
fn comparisons() {
    use BinaryOp::{Equal, Greater, Less, LessEqual, NotEqual};
    let db = connection(false);
    let yes = "boolean t";
    let no = "boolean f";
    let typed = |text: &str, ty: ColumnType| opaque(cast(s(text), &ty).expect("cast"));
    let stamp = || opaque(dt("2024-05-06 00:00:00", "year to second"));
    check(
        &db,
        vec![
            (compare(Equal, n("1"), n("1.0")), yes),
            (compare(Less, opaque(n("1")), n("1.5")), yes),
            (compare(Equal, opaque(n("1.50")), opaque(n("1.5"))), yes),
            (compare(Greater, opaque(n("-1.5")), opaque(n("-2"))), yes),
            (compare(Equal, typed("0.1", ColumnType::float()), n("0.1")), yes),
            (
                compare(Equal, opaque(n("0.1")), typed("0.1", ColumnType::float())),
                yes,
            ),
            (compare(Equal, s("ab"), s("ab   ")), yes),
            (compare(Less, s("ab"), s("B")), no),
            (compare(Equal, opaque(n("5")), s("5")), yes),
            (compare(Equal, opaque(n("5")), s("5.5")), no),
            (compare(Equal, opaque(n("5")), s("five")), "-1213"),
            (compare(Equal, opaque(date("05/06/2024")), s("05/06/2024")), yes),
            (compare(Equal, opaque(date("05/06/2024")), s("hello")), "-1218"),
            (compare(Equal, opaque(date("05/06/2024")), stamp()), yes),
            (compare(Less, stamp(), s("2024-05-06 00:00:01")), yes),
            (compare(Equal, stamp(), s("2024-05-06")), "-1263"),
            (
                compare(Equal, stamp(), opaque(dt("2024-05-06", "year to day"))),
                yes,
            ),
            (
                compare(Greater, stamp(), opaque(dt("2024-05", "year to month"))),
                yes,
            ),
            (
                compare(
                    Equal,
                    opaque(iv("24", "hour(3) to hour")),
                    opaque(iv("1", "day to day")),
                ),
                yes,
            ),
            (
                compare(
                    Less,
                    opaque(iv("-1", "day to day")),
                    opaque(iv("0:30", "hour to minute")),
                ),
                yes,
            ),
            (
                compare(Equal, iv("1", "day to day"), iv("1", "month to month")),
                "-1266 at prepare",
            ),
            (compare(Equal, literal::boolean(true), s("t")), yes),
            (compare(NotEqual, literal::boolean(true), s("maybe")), "-9648"),
            (compare(Equal, literal::boolean(true), n("1")), "-9634 at prepare"),
            (compare(Equal, literal::null(), n("1")), "boolean NULL"),
            (compare(Equal, date("01/01/1900"), n("1")), yes),
            (between(opaque(n("5")), n("1"), n("9.5"), false), yes),
            (between(s("m"), s("a"), s("l"), true), yes),
            (
                in_list(opaque(n("5")), vec![n("1"), n("5.0"), s("7")], false),
                yes,
            ),
            (in_list(opaque(n("5")), vec![n("1.5"), n("7")], true), yes),
            (in_list(opaque(s("x ")), vec![s("y"), s("x")], false), yes),
            (
                in_query(
                    opaque(n("5")),
                    "SELECT x'c105'",
                    &ColumnType::decimal(5, Some(0)),
                    false,
                ),
                yes,
            ),
            (
                quantified(
                    LessEqual,
                    true,
                    n("1"),
                    "SELECT 1 UNION SELECT 2",
                    &ColumnType::integer(),
                ),
                yes,
            ),
            (
                quantified(
                    Greater,
                    false,
                    n("1"),
                    "SELECT 1 UNION SELECT NULL",
                    &ColumnType::integer(),
                ),
                "boolean NULL",
            ),
            (
                quantified(Greater, true, n("1"), "SELECT 1 WHERE 0", &ColumnType::integer()),
                yes,
            ),
            (Ok(is_null(literal::null(), false)), yes),
            (not(compare(Equal, n("1"), n("2")).expect("cmp")), yes),
            (and(vec![literal::boolean(true), literal::null()]), "boolean NULL"),
            (or(vec![literal::boolean(true), literal::null()]), yes),
            (not(n("1")), "-201 at prepare"),
        ],
    );
}

/// Every operator, ANY and ALL, against sets with and without NULL: as the comparisons one by one, joined by OR or AND.
#[test]
fn quantified_comparisons_are_three_valued() {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let db = connection(false);
    let sets: [&[Option<i32>]; 9] = [
        &[],
        &[Some(1)],
        &[Some(2), Some(2)],
        &[Some(1), Some(2)],
        &[Some(1), Some(3)],
        &[None],
        &[Some(1), None],
        &[Some(2), None],
        &[Some(3), None, Some(1)],
    ];
    let mut rows = Vec::new();
    for op in [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual] {
        for (all, value, set) in [false, true].iter().flat_map(|all| {
            [Some(1), Some(2), Some(3), None]
                .into_iter()
                .flat_map(move |value| sets.into_iter().map(move |set| (*all, value, set)))
        }) {
            let holds = |item: Option<i32>| {
                let (a, b) = (value?, item?);
                Some(match op {
                    Equal => a == b,
                    NotEqual => a != b,
                    Less => a < b,
                    LessEqual => a <= b,
                    Greater => a > b,
                    _ => a >= b,
                })
            };
            // What decides (false for ALL, true for ANY), else unknown, else the other.
            let each: Vec<_> = set.iter().map(|item| holds(*item)).collect();
            let expected = if each.contains(&Some(!all)) {
                Some(!all)
            } else if each.contains(&None) {
                None
            } else {
                Some(all)
            };
            let number = |n: Option<i32>| n.map_or_else(|| "NULL".to_owned(), |n| n.to_string());
            let items: Vec<_> = set.iter().map(|n| format!("SELECT {} x", number(*n))).collect();
            let query = if items.is_empty() {
                "SELECT 1 WHERE 0".to_owned()
            } else {
                items.join(" UNION ALL ")
            };
            let left = TypedExpr::column(number(value), ColumnType::integer());
            rows.push((
                quantified(op, all, left, &query, &ColumnType::integer()),
                match expected {
                    None => "boolean NULL",
                    Some(true) => "boolean t",
                    Some(false) => "boolean f",
                },
            ));
        }
    }
    check(&db, rows);
}

#[test]
fn patterns() {
    let db = connection(false);
    let char10 = || opaque(cast(s("abc"), &ColumnType::char(10)).expect("cast"));
    let fits =
        |kind, value, pattern, escape: Option<&str>| matches(kind, false, value, pattern, escape.map(s));
    check(
        &db,
        vec![
            (fits(MatchKind::Like, char10(), s("abc"), None), "boolean t"),
            (fits(MatchKind::Like, char10(), s("a%c"), None), "boolean t"),
            (fits(MatchKind::Like, s("50%"), s("50!%"), Some("!")), "boolean t"),
            (
                fits(MatchKind::Matches, s("Abc"), s("[A-C]b?"), None),
                "boolean t",
            ),
            (fits(MatchKind::Matches, s("abc"), s("A*"), None), "boolean f"),
            (fits(MatchKind::Like, n("1"), s("1"), None), "-219 at prepare"),
            (
                fits(MatchKind::Like, literal::null(), s("1"), None),
                "boolean NULL",
            ),
        ],
    );
}

/// The range that helps an index changes no answer.
#[test]
fn patterns_on_a_column() {
    let db = connection(false);
    db.execute_batch(
        "CREATE TABLE p (v TEXT COLLATE RTRIM);
         INSERT INTO p VALUES ('ab'), ('ab  '), ('abc'), ('ac'), ('a'), ('AB'), ('ab' || char(9)), (NULL), ('äb'), ('')",
    )
    .expect("table");
    let column = |ty: ColumnType| TypedExpr::column("v", ty);
    for ty in [ColumnType::char(10), ColumnType::varchar(10, 0)] {
        for (kind, pattern) in [
            (MatchKind::Like, "ab%"),
            (MatchKind::Like, "ab"),
            (MatchKind::Like, "ab %"),
            (MatchKind::Like, "ä%"),
            (MatchKind::Matches, "a[bc]*"),
            (MatchKind::Matches, "?b"),
            (MatchKind::Like, ""),
        ] {
            let count = |value: TypedExpr| -> i64 {
                let fits = matches(kind, false, value, s(pattern), None).expect(pattern);
                let sql = format!("SELECT count(*) FROM p WHERE {}", fits.sql);
                db.query_row(&sql, [], |row| row.get(0)).expect(pattern)
            };
            let with_range = count(column(ty.clone()));
            let without = count(TypedExpr::column("(v || '')", ty.clone()));
            assert_eq!(with_range, without, "{ty} {pattern}");
        }
    }
}

#[test]
fn choices() {
    let db = connection(false);
    let yes = || literal::boolean(true);
    let no = || literal::boolean(false);
    check(
        &db,
        vec![
            (
                case(None, vec![(no(), n("1")), (yes(), n("2.5"))], None),
                "decimal(11,1) 2.5",
            ),
            (case(None, vec![(no(), s("O"))], Some(s("N/A"))), "char(3) N/A"),
            (case(Some(n("1")), vec![(n("1"), s("one"))], None), "char(3) one"),
            (
                case(None, vec![(yes(), s("x")), (no(), n("1"))], None),
                "-800 at prepare",
            ),
            (
                case(None, vec![(yes(), literal::null())], Some(date("05/06/2024"))),
                "date NULL",
            ),
            (
                decode(vec![n("3"), n("1"), s("a"), n("3"), s("b"), s("z")]),
                "char(1) b",
            ),
            (
                decode(vec![literal::null(), literal::null(), s("a")]),
                "char(1) a",
            ),
            (coalesce(vec![literal::null(), n("5")]), "integer 5"),
            (coalesce(vec![opaque(n("5")), s("7")]), "integer 5"),
            (
                coalesce(vec![literal::null(), literal::null()]),
                "-201 at prepare",
            ),
            (nvl2(n("1"), s("set"), s("null")), "char(4) set"),
            (
                call("greatest", vec![n("1"), n("2.5"), n("2")]),
                "decimal(11,1) 2.5",
            ),
            (call("least", vec![s("b"), s("a "), s("a")]), "char(2) a"),
            (call("least", vec![n("1"), literal::null()]), "integer NULL"),
            (call("greatest", vec![n("7")]), "integer 7"),
            (nullif(n("1"), n("1")), "integer NULL"),
            (nullif(s("a"), s("b")), "char(1) a"),
        ],
    );
}
