//! Values into the stored form and back.

use informix_types::{Decimal, Interval, Value};
use rusqlite::types::ValueRef;

use super::*;

fn facts() -> Fixed {
    Fixed { ansi: false }
}

fn value(text: &str, ty: &ColumnType) -> Value {
    let db = connection(false);
    let expr = cast(s(text), ty).expect(text);
    let stored: SqliteValue = db
        .query_row(&format!("SELECT {}", expr.sql), [], |row| row.get(0))
        .expect(text);
    storage::read((&stored).into(), ty).expect(text)
}

#[test]
fn every_type_goes_there_and_back() {
    let types: Vec<(ColumnType, &[&str])> = vec![
        (ColumnType::smallint(), &["-32767", "0", "32767"]),
        (ColumnType::integer(), &["-2147483647", "2147483647"]),
        (
            ColumnType::bigint(),
            &["-9223372036854775807", "9223372036854775807"],
        ),
        (ColumnType::int8(), &["-1", "9223372036854775807"]),
        (ColumnType::float(), &["-1.5", "0", "1e308"]),
        (ColumnType::smallfloat(), &["-1.5", "3e38"]),
        (
            ColumnType::decimal(32, None),
            &["1e-130", "-1e125", "0", "12345.678"],
        ),
        (
            ColumnType::decimal(32, Some(2)),
            &["999999999999999999999999999999.99", "-0.01"],
        ),
        (ColumnType::money(16, 2), &["-12.50"]),
        (ColumnType::date(), &["01/01/0001", "12/31/9999", "12/31/1899"]),
        (
            ColumnType::datetime(q("year to fraction(5)")),
            &["0001-01-01 00:00:00.00000", "9999-12-31 23:59:59.99999"],
        ),
        (ColumnType::datetime(q("hour to minute")), &["00:05", "23:59"]),
        (
            ColumnType::interval(q("day(9) to fraction(5)")),
            &["-999999999 23:59:59.99999", "0 00:00:00.00000"],
        ),
        (
            ColumnType::interval(q("year(9) to month")),
            &["-999999999-11", "0-00"],
        ),
        (ColumnType::char(5), &["", "ab"]),
        (ColumnType::varchar(5, 0), &["", "ab "]),
        (ColumnType::lvarchar(50), &["ä€"]),
        (ColumnType::boolean(), &["t", "f"]),
    ];
    for (ty, texts) in types {
        for text in texts {
            let before = value(text, &ty);
            let stored = storage::store(&before, &ty, &facts()).expect(text);
            let after = storage::read((&stored).into(), &ty).expect(text);
            assert_eq!(before, after, "{ty} {text}");
        }
        assert_eq!(
            storage::store(&Value::Null, &ty, &facts()),
            Ok(SqliteValue::Null),
            "{ty}"
        );
        assert_eq!(storage::read(ValueRef::Null, &ty), Ok(Value::Null), "{ty}");
    }
}

#[test]
fn byte_order_is_value_order() {
    let sorted = |ty: &ColumnType, texts: &[&str]| {
        let stored: Vec<Vec<u8>> = texts
            .iter()
            .map(
                |text| match storage::store(&value(text, ty), ty, &facts()).expect(text) {
                    SqliteValue::Blob(bytes) => bytes,
                    other => panic!("{other:?}"),
                },
            )
            .collect();
        for pair in stored.windows(2) {
            assert!(pair[0] < pair[1], "{ty}: {pair:?}");
        }
    };
    sorted(
        &ColumnType::decimal(32, None),
        &[
            "-1e125", "-100", "-99.99", "-1.5", "-1.005", "-1", "-0.01", "0", "1e-100", "0.99", "1", "1.5",
            "99", "100",
        ],
    );
    sorted(
        &ColumnType::datetime(q("year to second")),
        &[
            "0001-01-01 00:00:00",
            "1999-12-31 23:59:59",
            "2000-01-01 00:00:00",
        ],
    );
    sorted(
        &ColumnType::interval(q("day(3) to second")),
        &[
            "-100 00:00:00",
            "-99 00:00:01",
            "0 00:00:00",
            "0 00:01:00",
            "10 00:00:00",
        ],
    );
}

#[test]
fn bound_values() {
    let decimal = |t: &str| Value::Decimal(t.parse::<Decimal>().expect(t));
    let store = |v: Value, ty: ColumnType| storage::store(&v, &ty, &facts()).map_err(|e| e.sqlcode);
    let text = |t: &str| Value::Text(t.to_owned());
    assert_eq!(store(text("x"), ColumnType::integer()), Err(-1213));
    assert_eq!(
        store(text("12"), ColumnType::integer()),
        Ok(SqliteValue::Integer(12))
    );
    assert_eq!(
        store(Value::BigInt(-2_147_483_648), ColumnType::integer()),
        Err(-1215)
    );
    assert_eq!(
        store(decimal("1.5"), ColumnType::integer()),
        Ok(SqliteValue::Integer(1))
    );
    assert_eq!(
        store(decimal("1000"), ColumnType::decimal(3, Some(0))),
        Err(-1226)
    );
    assert_eq!(
        store(Value::Boolean(true), ColumnType::smallint()),
        Ok(SqliteValue::Integer(1))
    );
    assert_eq!(
        store(Value::SmallInt(1), ColumnType::boolean()),
        Ok(SqliteValue::Integer(1))
    );
    assert_eq!(store(Value::SmallInt(2), ColumnType::boolean()), Err(-9634));
    assert_eq!(
        store(text("t"), ColumnType::boolean()),
        Ok(SqliteValue::Integer(1))
    );
    assert_eq!(
        store(text("ab   "), ColumnType::char(3)),
        Ok(SqliteValue::Text("ab".to_owned()))
    );
    assert_eq!(
        store(text("abcdef"), ColumnType::varchar(3, 0)),
        Ok(SqliteValue::Text("abc".to_owned()))
    );
    assert_eq!(
        store(Value::Integer(5), ColumnType::char(3)),
        Ok(SqliteValue::Text("5".to_owned()))
    );
    assert_eq!(
        store(Value::Bytes(vec![1, 2]), ColumnType::byte()),
        Ok(SqliteValue::Blob(vec![1, 2]))
    );
    assert_eq!(
        store(text("hi"), ColumnType::text()),
        Ok(SqliteValue::Blob(b"hi".to_vec()))
    );
    assert_eq!(
        store(Value::Integer(5), ColumnType::interval(q("day to day"))),
        Err(-1260)
    );
    // The clients bind the widest intervals and timestamps whatever the column is.
    let wide = Interval::from_units(5 * 86_400 * 100_000, Qualifier::DAY9_TO_FRACTION5).expect("interval");
    let narrow = ColumnType::interval(q("day to day"));
    let stored = store(Value::Interval(wide), narrow.clone()).expect("fits");
    assert_eq!(
        storage::read((&stored).into(), &narrow)
            .expect("value")
            .to_string(),
        "5"
    );
    assert_eq!(
        store(Value::Interval(wide), ColumnType::interval(q("minute to minute"))),
        Err(-1265)
    );
}

#[test]
fn compared_values_are_not_cut() {
    let bind = |v: Value, ty: ColumnType| {
        storage::bind(&v, &ty, ParameterUse::Compare, &facts()).map_err(|e| e.sqlcode)
    };
    assert_eq!(
        bind(Value::Float(1.5), ColumnType::integer()),
        Ok(SqliteValue::Real(1.5))
    );
    assert_eq!(
        bind(Value::Float(2.0), ColumnType::integer()),
        Ok(SqliteValue::Integer(2))
    );
    assert_eq!(
        bind(Value::Text("7".to_owned()), ColumnType::smallint()),
        Ok(SqliteValue::Integer(7))
    );
    assert_eq!(
        bind(Value::Text("abcdef".to_owned()), ColumnType::char(3)),
        Ok(SqliteValue::Text("abcdef".to_owned()))
    );
    assert_eq!(
        bind(
            Value::Decimal("1.005".parse().expect("d")),
            ColumnType::decimal(5, Some(2))
        ),
        Ok(SqliteValue::Blob(vec![0xc1, 1, 0, 50]))
    );
    assert_eq!(
        bind(Value::Text("x".to_owned()), ColumnType::integer()),
        Err(-1213)
    );
}
