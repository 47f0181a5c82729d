//! Casts and stores: every pair of types, extremes, error numbers.

use super::*;

fn to(expr: TypedExpr, ty: ColumnType) -> SqlResult<TypedExpr> {
    cast(expr, &ty)
}

#[test]
fn from_text() {
    let db = connection(false);
    let t = |text: &str| opaque(s(text));
    let d52 = || ColumnType::decimal(5, Some(2));
    check(
        &db,
        vec![
            (to(t("42"), ColumnType::integer()), "integer 42"),
            (to(t(" -7.9 "), ColumnType::integer()), "integer -7"),
            (to(t("notanumber"), ColumnType::integer()), "-1213"),
            (to(t(""), ColumnType::integer()), "-1213"),
            (to(t("32768"), ColumnType::smallint()), "-1214"),
            (to(t("-32768"), ColumnType::smallint()), "-1214"),
            (to(t("2147483648"), ColumnType::integer()), "-1215"),
            (
                to(t("9223372036854775807"), ColumnType::bigint()),
                "bigint 9223372036854775807",
            ),
            (to(t("9223372036854775808"), ColumnType::int8()), "-1284"),
            (to(t("1e3"), ColumnType::float()), "float 1000"),
            (to(t("1e39"), ColumnType::smallfloat()), "-1222"),
            (to(t("1e999"), ColumnType::float()), "-1223"),
            (to(t("123.455"), d52()), "decimal(5,2) 123.46"),
            (to(t("999.995"), d52()), "-1226"),
            (
                to(t("0.12345"), ColumnType::decimal(2, None)),
                "decimal(2) 0.1235",
            ),
            (to(t("$1,234.5"), ColumnType::money(8, 2)), "money(8,2) 1234.50"),
            (to(t("05/06/2024"), ColumnType::date()), "date 2024-05-06"),
            (to(t("13/06/2024"), ColumnType::date()), "-1205"),
            (to(t("02/30/2024"), ColumnType::date()), "-1206"),
            (to(t("x"), ColumnType::date()), "-1218"),
            (
                to(t("2024-05-06 07:08"), ColumnType::datetime(q("year to minute"))),
                "datetime year to minute 2024-05-06 07:08",
            ),
            (
                to(
                    t("2024-05-06 07:08:09"),
                    ColumnType::datetime(q("year to minute")),
                ),
                "-1264",
            ),
            (
                to(t("20245-05-06"), ColumnType::datetime(q("year to day"))),
                "-1261",
            ),
            (
                to(t("x024-05-06"), ColumnType::datetime(q("year to day"))),
                "-1262",
            ),
            (
                to(t("2024-13-06"), ColumnType::datetime(q("year to day"))),
                "-1263",
            ),
            (
                to(t("2024-02-30"), ColumnType::datetime(q("year to day"))),
                "-1263",
            ),
            (
                to(t("3 04:05"), ColumnType::interval(q("day to minute"))),
                "interval day(2) to minute 3 04:05",
            ),
            (
                to(t("-1-06"), ColumnType::interval(q("year to month"))),
                "interval year(4) to month -1-06",
            ),
            (
                to(t("123 04:05"), ColumnType::interval(q("day to minute"))),
                "-1261",
            ),
            (to(t("1--06"), ColumnType::interval(q("year to month"))), "-1270"),
            (
                to(t("3 25:05"), ColumnType::interval(q("day to minute"))),
                "-1263",
            ),
            (
                to(t("5 7"), ColumnType::interval(q("second to fraction(2)"))),
                "-1271",
            ),
            (to(t("t"), ColumnType::boolean()), "boolean t"),
            (to(t("maybe"), ColumnType::boolean()), "-9648"),
            (to(t("abcdef"), ColumnType::char(3)), "char(3) abc"),
            (to(t("aäb"), ColumnType::varchar(2, 0)), "varchar(2) a"),
            (to(t("abc"), ColumnType::text()), "-617 at prepare"),
        ],
    );
}

#[test]
fn to_text() {
    let db = connection(false);
    let lv = || ColumnType::lvarchar(100);
    let typed = |text: &str, ty: ColumnType| opaque(cast(s(text), &ty).expect("cast"));
    check(
        &db,
        vec![
            (to(opaque(n("-5")), lv()), "lvarchar(100) -5"),
            (to(opaque(n("12345")), ColumnType::char(3)), "-1207"),
            (to(opaque(n("1.50")), lv()), "lvarchar(100) 1.50"),
            (
                to(typed("1.5", ColumnType::decimal(16, None)), lv()),
                "lvarchar(100) 1.5",
            ),
            (
                to(typed("1e100", ColumnType::decimal(16, None)), lv()),
                "lvarchar(100) 1e100",
            ),
            (
                to(typed("2.5", ColumnType::money(8, 2)), lv()),
                "lvarchar(100) 2.50",
            ),
            (to(typed("1", ColumnType::float()), lv()), "lvarchar(100) 1.0"),
            (
                to(typed("0.1", ColumnType::smallfloat()), lv()),
                "lvarchar(100) 0.1",
            ),
            (to(opaque(date("05/06/2024")), lv()), "lvarchar(100) 05/06/2024"),
            (
                to(opaque(dt("2026-08-31 12:30:15.12", "year to fraction(5)")), lv()),
                "lvarchar(100) 2026-08-31 12:30:15.12000",
            ),
            (
                to(opaque(dt("07:08", "hour to minute")), ColumnType::char(3)),
                "-1273",
            ),
            (
                to(opaque(iv("-3 04", "day to hour")), lv()),
                "lvarchar(100) -3 04",
            ),
            (
                to(opaque(iv(".12345", "fraction to fraction(5)")), lv()),
                "lvarchar(100) .12345",
            ),
            (
                to(opaque(literal::boolean(true)), ColumnType::char(1)),
                "char(1) t",
            ),
        ],
    );
}

#[test]
fn between_other_types() {
    let db = connection(false);
    let stamp = || opaque(dt("2024-05-06 07:08:09", "year to second"));
    check(
        &db,
        vec![
            (to(opaque(n("1.9")), ColumnType::integer()), "integer 1"),
            (to(opaque(n("-1.9")), ColumnType::smallint()), "smallint -1"),
            (to(opaque(n("40000")), ColumnType::smallint()), "-1214"),
            (to(opaque(n("40000")), ColumnType::decimal(4, Some(0))), "-1226"),
            (to(opaque(n("40000")), ColumnType::float()), "float 40000"),
            (to(opaque(n("45417")), ColumnType::date()), "date 2024-05-06"),
            (to(opaque(n("3000000")), ColumnType::date()), "-1210"),
            (
                to(opaque(date("05/06/2024")), ColumnType::integer()),
                "integer 45417",
            ),
            (
                to(
                    opaque(date("05/06/2024")),
                    ColumnType::datetime(q("year to minute")),
                ),
                "datetime year to minute 2024-05-06 00:00",
            ),
            (to(stamp(), ColumnType::date()), "date 2024-05-06"),
            (
                to(stamp(), ColumnType::datetime(q("hour to minute"))),
                "datetime hour to minute 07:08",
            ),
            (
                to(stamp(), ColumnType::datetime(q("year to fraction(3)"))),
                "datetime year to fraction(3) 2024-05-06 07:08:09.000",
            ),
            (
                to(opaque(dt("07:08", "hour to minute")), ColumnType::date()),
                "date 2024-05-06",
            ),
            (to(stamp(), ColumnType::integer()), "-1260 at prepare"),
            (
                to(opaque(n("1")), ColumnType::interval(q("day to day"))),
                "-1260 at prepare",
            ),
            (
                to(
                    opaque(iv("36", "hour to hour")),
                    ColumnType::interval(q("day to minute")),
                ),
                "interval day(2) to minute 1 12:00",
            ),
            (
                to(
                    opaque(iv("99", "day to day")),
                    ColumnType::interval(q("hour to hour")),
                ),
                "-1265",
            ),
            (
                to(
                    opaque(iv("1", "day to day")),
                    ColumnType::interval(q("month to month")),
                ),
                "-1266 at prepare",
            ),
            (to(opaque(n("1")), ColumnType::boolean()), "-9634 at prepare"),
            (to(literal::null(), ColumnType::integer()), "integer NULL"),
            (
                to(literal::null(), ColumnType::interval(q("day to day"))),
                "interval day(2) to day NULL",
            ),
        ],
    );
}

#[test]
fn stores() {
    for ansi in [false, true] {
        let db = connection(ansi);
        let store = |expr: TypedExpr, ty: ColumnType| assign(expr, &ty);
        let long = |short| if ansi { "-1279" } else { short };
        check(
            &db,
            vec![
                (
                    store(s("abcdef"), ColumnType::varchar(3, 0)),
                    long("varchar(3) abc"),
                ),
                (
                    store(opaque(s("abcdef")), ColumnType::char(3)),
                    long("char(3) abc"),
                ),
                (store(s("abc   "), ColumnType::char(3)), "char(3) abc"),
                (store(s("ab  "), ColumnType::varchar(10, 0)), "varchar(10) ab  "),
                (store(s("ab  "), ColumnType::char(10)), "char(10) ab"),
                (store(opaque(s("ab  ")), ColumnType::char(10)), "char(10) ab"),
                (store(s(""), ColumnType::varchar(10, 0)), "varchar(10) "),
                (
                    store(n("1.005"), ColumnType::decimal(5, Some(2))),
                    "decimal(5,2) 1.01",
                ),
                (store(n("1234.5"), ColumnType::decimal(5, Some(2))), "-1226"),
                (store(s("12"), ColumnType::integer()), "integer 12"),
                (store(s("x"), ColumnType::integer()), "-1213"),
                (store(n("5"), ColumnType::varchar(10, 0)), "varchar(10) 5"),
                (store(n("5"), ColumnType::smallfloat()), "smallfloat 5"),
                (
                    store(current(None), ColumnType::datetime(q("year to day"))),
                    "datetime year to day 2024-05-06",
                ),
                (
                    store(literal::null(), ColumnType::datetime(q("year to day"))),
                    "datetime year to day NULL",
                ),
                (store(s("t"), ColumnType::boolean()), "boolean t"),
                (store(s("x"), ColumnType::byte()), "-617 at prepare"),
            ],
        );
    }
}

#[test]
fn parameters_get_their_types() {
    let p = || TypedExpr::parameter(0);
    let types = |expr: SqlResult<TypedExpr>| {
        let expr = expr.expect("typed");
        expr.parameters
            .iter()
            .map(|p| (p.index, p.ty.to_string(), p.usage))
            .collect::<Vec<_>>()
    };
    let col = TypedExpr::column("c", ColumnType::decimal(8, Some(2)));
    assert_eq!(
        types(compare(BinaryOp::Equal, col.clone(), p())),
        vec![(0, "decimal(8,2)".to_owned(), ParameterUse::Compare)]
    );
    assert_eq!(
        types(cast(p(), &ColumnType::integer())),
        vec![(0, "integer".to_owned(), ParameterUse::Cast)]
    );
    assert_eq!(
        types(assign(p(), &ColumnType::varchar(8, 0))),
        vec![(0, "varchar(8)".to_owned(), ParameterUse::Store)]
    );
    assert_eq!(
        types(binary(BinaryOp::Add, col, p())),
        vec![(0, "decimal(32)".to_owned(), ParameterUse::Cast)]
    );
    assert_eq!(
        types(coalesce(vec![p(), n("5")])),
        vec![(0, "integer".to_owned(), ParameterUse::Cast)]
    );
    assert_eq!(
        types(in_list(p(), vec![s("a"), s("b")], false))
            .first()
            .map(|t| t.1.clone()),
        Some("char(1)".to_owned())
    );
    assert_eq!(types(Ok(is_null(p(), false))).len(), 1);
    assert!(p().is_untyped_parameter());
}
