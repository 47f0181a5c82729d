//! Single values: text, limits, arithmetic, and what must be refused.

use std::str::FromStr;

use informix_types::row::{decode_value, encode_null, encode_value, split};
use informix_types::{
    ColumnType, Date, DateTime, Decimal, Error, Interval, LobKind, LobLocator, Qualifier, RowForm, SimpleLob,
    TextCodec, TypeCode, Value, bind,
};

fn decimal(text: &str) -> Decimal {
    Decimal::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn qualifier(text: &str) -> Qualifier {
    Qualifier::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn decimal_is_24_bytes_and_copy() {
    assert_eq!(size_of::<Decimal>(), 24);
    assert!(size_of::<Value>() <= 32);
}

#[test]
fn decimal_text() {
    let cases = [
        ("0", "0"),
        ("-0", "0"),
        ("0.00", "0.00"),
        (" +1.50 ", "1.50"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1000"),
        ("1E-3", "0.001"),
        ("-1.5e-7", "-0.00000015"),
        ("1E+125", "1E+125"),
        ("-1e-130", "-1E-130"),
        ("1.5E-100", "1.5E-100"),
        (
            "99999999999999999999999999999999",
            "99999999999999999999999999999999",
        ),
        (
            "0.00000000000000000000000000000001",
            "0.00000000000000000000000000000001",
        ),
        (
            "1000000000000000000000000000000000000000000",
            "1.0000000000000000000000000000000E+42",
        ),
        ("000000000000000000000000000000000000000000001.10", "1.10"),
    ];
    for (text, shown) in cases {
        assert_eq!(decimal(text).to_string(), shown, "{text}");
    }
    assert_eq!(
        format!("[{:>8}] [{:<8}]", decimal("-1.5"), decimal("2")),
        "[    -1.5] [2       ]"
    );
    for bad in [
        "",
        ".",
        "-",
        "1.2.3",
        "1e",
        "1e+",
        "1e1234567",
        "0x1",
        "1 2",
        "NaN",
        "inf",
        "１",
    ] {
        assert!(
            matches!(Decimal::from_str(bad), Err(Error::Syntax { .. })),
            "{bad}"
        );
    }
    for (long, digits) in [
        ("123456789012345678901234567890123", 33),
        ("1234567890123456789012345678901234567890", 39),
    ] {
        assert_eq!(
            Decimal::from_str(long),
            Err(Error::TooManyDigits { digits, max: 32 })
        );
    }
    for wide in ["1E126", "9E-131", "1E99999"] {
        assert!(
            matches!(Decimal::from_str(wide), Err(Error::OutOfRange { .. })),
            "{wide}"
        );
    }
    let rounded =
        Decimal::parse_rounded("0.12345678901234567890123456789012500").map(|value| value.to_string());
    assert_eq!(rounded.as_deref(), Ok("0.12345678901234567890123456789013"));
    assert_eq!(Decimal::parse_rounded("1E-140"), Ok(Decimal::ZERO));
}

#[test]
fn decimals_compare_by_value() {
    let ascending = [
        "-1E125", "-12", "-1.5", "-1E-130", "0", "1E-130", "0.999", "1", "1.0001", "10", "1E125",
    ]
    .map(decimal);
    for (index, left) in ascending.iter().enumerate() {
        for (other, right) in ascending.iter().enumerate() {
            assert_eq!(left.cmp(right), index.cmp(&other), "{left} {right}");
        }
    }
    assert_eq!(decimal("1.50"), decimal("1.5"));
    assert_eq!(decimal("0.00"), decimal("0"));
    assert_eq!(decimal("1E3"), decimal("1000.000"));
}

#[test]
fn decimal_rounding_is_half_away_from_zero() {
    let cases = [
        ("1.005", 5, Some(2), Ok("1.01")),
        ("-1.005", 5, Some(2), Ok("-1.01")),
        ("1.0049", 5, Some(2), Ok("1.00")),
        ("999.995", 5, Some(2), Err(())),
        ("999.994", 5, Some(2), Ok("999.99")),
        ("1000", 5, Some(2), Err(())),
        ("0.9", 1, Some(0), Ok("1")),
        ("9.5", 1, Some(0), Err(())),
        ("0", 2, Some(2), Ok("0.00")),
        ("0.5", 2, Some(2), Ok("0.50")),
        ("1", 2, Some(2), Err(())),
        ("123456", 3, None, Ok("123000")),
        ("123.56", 4, None, Ok("123.6")),
        ("99999", 4, None, Ok("100000")),
        ("1E-120", 32, Some(32), Ok("0.00000000000000000000000000000000")),
    ];
    for (text, precision, scale, result) in cases {
        let fitted = decimal(text).fit(precision, scale).map(|value| value.to_string());
        assert_eq!(
            fitted.as_deref().map_err(|_| ()),
            result,
            "{text} ({precision},{scale:?})"
        );
    }
}

#[test]
fn decimal_numbers() {
    assert_eq!(decimal("1.5").to_i64(), None);
    assert_eq!(decimal("-15.00").to_i64(), Some(-15));
    assert_eq!(decimal("1E18").to_i64(), Some(1_000_000_000_000_000_000));
    assert_eq!(decimal("1E19").to_i64(), None);
    assert_eq!(decimal("1E19").to_i128(), Some(10_000_000_000_000_000_000));
    assert_eq!(decimal("1E60").to_i128(), None);
    assert_eq!(decimal("0E-60").to_i128(), Some(0));
    assert_eq!(decimal("-1.9").trunc_to_i128(), Some(-1));
    assert_eq!(decimal("1E-50").trunc_to_i128(), Some(0));
    assert_eq!(decimal("0.1").to_f64(), 0.1);
    assert_eq!(decimal("-1E125").to_f64(), -1e125);
    assert_eq!(
        Decimal::from_f64(0.1).map(|value| value.to_string()).as_deref(),
        Ok("0.1")
    );
    assert_eq!(
        Decimal::from_f32(0.1).map(|value| value.to_string()).as_deref(),
        Ok("0.1")
    );
    assert!(Decimal::from_f64(f64::NAN).is_err() && Decimal::from_f64(1e300).is_err());
    assert_eq!(Decimal::from(i64::MIN).to_string(), "-9223372036854775808");
    assert_eq!(
        Decimal::try_from(i128::MAX),
        Err(Error::TooManyDigits { digits: 39, max: 32 })
    );
}

#[test]
fn every_day_of_the_calendar() {
    let (mut year, mut month, mut day) = (1, 1u8, 1u8);
    for days in Date::MIN.days()..=Date::MAX.days() {
        let date = Date::from_days(days).expect("in range");
        assert_eq!(date.ymd(), (year, month, day));
        day += 1;
        if Date::from_ymd(year, month, day).is_err() {
            (month, day) = (month + 1, 1);
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }
    assert_eq!((year, month, day), (10_000, 1, 1));
    assert!(Date::from_days(Date::MAX.days() + 1).is_err() && Date::from_days(i32::MIN).is_err());
}

#[test]
fn date_arithmetic() {
    let date = |text| Date::from_str(text).expect("date");
    assert_eq!(date("2024-05-06").weekday(), 1);
    assert_eq!(Date::EPOCH.weekday(), 0);
    assert_eq!(date("2024-01-31").add_months(1), None);
    assert_eq!(date("2024-01-29").add_months(1), Some(date("2024-02-29")));
    assert_eq!(date("2024-01-15").add_months(-13), Some(date("2022-12-15")));
    assert_eq!(date("9999-12-31").add_months(1), None);
    assert!(date("9999-12-31").add_days(1).is_err() && date("0001-01-01").add_days(i64::MIN).is_err());
    for bad in [
        "2023-02-29",
        "2024-13-01",
        "2024-00-01",
        "0000-01-01",
        "10000-01-01",
        "2024-1",
        "2024/01/01",
        "",
        "-1-1-1",
    ] {
        assert!(Date::from_str(bad).is_err(), "{bad}");
    }
}

#[test]
fn datetime_text_and_limits() {
    let shown = |text: &str, q: &str| DateTime::parse(text, qualifier(q)).map(|value| value.to_string());
    for (text, q, result) in [
        (
            "2024-05-06 07:08:09.12345",
            "year to fraction(5)",
            "2024-05-06 07:08:09.12345",
        ),
        (
            "2024-05-06 07:08:09.1",
            "year to fraction(3)",
            "2024-05-06 07:08:09.100",
        ),
        (
            "2024-05-06 07:08:09.98765",
            "year to fraction(2)",
            "2024-05-06 07:08:09.98",
        ),
        ("1-2", "year to month", "0001-02"),
        ("7:8", "hour to minute", "07:08"),
        (".5", "fraction to fraction(2)", ".50"),
        ("0.5", "fraction to fraction(2)", ".50"),
        ("02-29", "month to day", "02-29"),
        ("31", "day to day", "31"),
    ] {
        assert_eq!(shown(text, q).as_deref(), Ok(result), "{text}");
    }
    for (text, q) in [
        ("2023-02-29", "year to day"),
        ("0000", "year to year"),
        ("24:00", "hour to minute"),
        ("00:60", "hour to minute"),
        ("2024-05-06 07:08", "year to second"),
        ("2024-05-06 07:08:09", "year to minute"),
        ("2024-05-06T07:08:09", "year to second"),
        ("2024-05-06 07:08:09.", "year to fraction(3)"),
        ("02-30", "month to day"),
        ("-1", "day to day"),
        ("001", "day to day"),
    ] {
        assert!(shown(text, q).is_err(), "{text}");
    }
    assert!(DateTime::new(qualifier("day(3) to second"), Default::default()).is_err());
}

#[test]
fn datetime_extend_and_arithmetic() {
    let now = DateTime::parse("2024-05-06 07:08:09.12345", Qualifier::YEAR_TO_FRACTION5).expect("valid");
    let at = |text: &str, q: &str| DateTime::parse(text, qualifier(q)).expect("valid");
    let extend = |value: DateTime, q: &str| value.extend(qualifier(q), &now).map(|value| value.to_string());
    assert_eq!(
        extend(at("10:20", "hour to minute"), "year to second").as_deref(),
        Ok("2024-05-06 10:20:00")
    );
    assert_eq!(
        extend(at("2020", "year to year"), "year to minute").as_deref(),
        Ok("2020-01-01 00:00")
    );
    assert_eq!(extend(now, "month to day").as_deref(), Ok("05-06"));
    assert!(now.extend(qualifier("day to day"), &now).is_ok());
    assert!(
        extend(at("31", "day to day"), "year to day").is_ok(),
        "May has 31 days"
    );

    let span = |text: &str, q: &str| Interval::parse(text, qualifier(q)).expect("valid");
    let add = |value: &DateTime, interval: &Interval| value.checked_add(interval).map(|sum| sum.to_string());
    assert_eq!(
        add(&now, &span("1-01", "year to month")).as_deref(),
        Ok("2025-06-06 07:08:09.12345")
    );
    assert_eq!(
        add(&now, &span("-0-05", "year to month")).as_deref(),
        Ok("2023-12-06 07:08:09.12345")
    );
    assert_eq!(
        add(&now, &span("30 20:00", "day to minute")).as_deref(),
        Ok("2024-06-06 03:08:09.12345")
    );
    assert_eq!(
        add(&at("2024-01-31", "year to day"), &span("1", "month to month")).ok(),
        None
    );
    assert_eq!(
        add(&at("23:00", "hour to minute"), &span("0:59", "hour to minute")).as_deref(),
        Ok("23:59")
    );
    assert!(add(&at("23:00", "hour to minute"), &span("1:00", "hour to minute")).is_err());
    assert!(add(&at("05-06", "month to day"), &span("1", "day to day")).is_err());
    assert!(add(&at("9999-12-31", "year to day"), &span("1", "day to day")).is_err());
    assert_eq!(
        now.units_since(&at("2024-05-05", "year to day")),
        Some(11_208_912_345)
    );
    assert_eq!(at("10:00", "hour to minute").units_since(&now), None);
}

#[test]
fn interval_text_and_limits() {
    let shown = |text: &str, q: &str| Interval::parse(text, qualifier(q)).map(|value| value.to_string());
    for (text, q, result) in [
        ("  3 04:05:06", "day(2) to second", "3 04:05:06"),
        ("-1-6", "year(4) to month", "-1-06"),
        ("- 1-06", "year(4) to month", "-1-06"),
        ("+99", "hour to hour", "99"),
        ("-.00001", "fraction to fraction(5)", "-.00001"),
        ("0.5", "second(2) to fraction(1)", "0.5"),
        ("-0 00:00", "day(2) to minute", "0 00:00"),
        (
            "999999999 23:59:59.99999",
            "day(9) to fraction(5)",
            "999999999 23:59:59.99999",
        ),
        ("999999999-11", "year(9) to month", "999999999-11"),
    ] {
        assert_eq!(shown(text, q).as_deref(), Ok(result), "{text}");
    }
    for (text, q) in [
        ("100 00:00", "day(2) to minute"),
        ("1 24:00", "day(2) to minute"),
        ("1-12", "year(4) to month"),
        ("1 -1:00", "day(2) to minute"),
        ("--1", "day to day"),
        ("1000000000", "day(9) to day"),
        ("", "day to day"),
    ] {
        assert!(shown(text, q).is_err(), "{text}");
    }
    for bad in [
        "year to day",
        "month(2) to second",
        "day(10) to day",
        "day(0) to day",
        "second to fraction(6)",
        "day to month",
        "day",
    ] {
        assert!(
            bad.parse::<Qualifier>().is_err() || !qualifier(bad).is_interval(),
            "{bad}"
        );
    }
    let day = Interval::parse("1", qualifier("day to day")).expect("valid");
    let hours = Interval::parse("24", qualifier("hour to hour")).expect("valid");
    assert_eq!(day.cmp_value(&hours), Some(std::cmp::Ordering::Equal));
    assert_eq!(
        day.checked_add(&hours).map(|sum| sum.to_string()).as_deref(),
        Ok("2")
    );
    assert!(
        day.checked_add(&Interval::from_months(1, Qualifier::YEAR4_TO_MONTH).expect("valid"))
            .is_err()
    );
    assert!(Interval::from_months(i64::MAX, Qualifier::YEAR9_TO_MONTH).is_err());
    assert!(Interval::from_units(i64::MIN, Qualifier::DAY9_TO_FRACTION5).is_err());
    assert_eq!(hours.to_qualifier(qualifier("day to day")), Ok(day));
}

/// NULL of every type is its own pattern in a row and is not the empty or zero value.
#[test]
fn null_of_every_type() {
    let codec = TextCodec::UTF8;
    let cases: &[(ColumnType, &str)] = &[
        (ColumnType::smallint(), "8000"),
        (ColumnType::integer(), "80000000"),
        (ColumnType::serial().nullable(), "80000000"),
        (ColumnType::bigint(), "8000000000000000"),
        (ColumnType::bigserial(), "8000000000000000"),
        (ColumnType::int8(), "00000000000000000000"),
        (ColumnType::serial8(), "00000000000000000000"),
        (ColumnType::float(), "ffffffffffffffff"),
        (ColumnType::smallfloat(), "ffffffff"),
        (ColumnType::decimal(8, Some(4)), "0000000000"),
        (ColumnType::decimal(16, None), "00000000000000000000"),
        (ColumnType::money(16, 2), "000000000000000000"),
        (ColumnType::date(), "80000000"),
        (
            ColumnType::datetime(Qualifier::YEAR_TO_SECOND),
            "0000000000000000",
        ),
        (
            ColumnType::interval(qualifier("day(3) to fraction(5)")),
            "000000000000000000",
        ),
        (ColumnType::char(3), "002020"),
        (ColumnType::nchar(1), "00"),
        (ColumnType::varchar(20, 0), "0100"),
        (ColumnType::nvarchar(20, 5), "0100"),
        (ColumnType::lvarchar(100), "0100000000"),
        (ColumnType::boolean(), "0100000000"),
        (ColumnType::blob(), "0100000000"),
        (ColumnType::clob(), "0100000000"),
        (
            ColumnType::composite(TypeCode::Row, "ROW(a integer)"),
            "0100000000",
        ),
    ];
    for (column, bytes) in cases {
        for form in [
            RowForm::default(),
            RowForm {
                binary: true,
                ..RowForm::default()
            },
        ] {
            let mut cell = Vec::new();
            encode_null(column, form, &mut cell).expect("has a NULL");
            assert_eq!(&hex::encode(&cell), bytes, "{column}");
            assert_eq!(decode_value(column, &cell, &codec), Ok(Value::Null), "{column}");
        }
        let mut bound = Vec::new();
        bind::encode(&Value::Null, Some(column), &codec, &mut bound).expect("binds");
        assert_eq!(
            bind::decode(&bound, 100, &codec).map(|(bound, _)| bound.value),
            Ok(Value::Null),
            "{column}"
        );
    }
    for column in [ColumnType::byte(), ColumnType::text()] {
        let mut cell = Vec::new();
        encode_null(&column, RowForm::default(), &mut cell).expect("has a NULL");
        assert_eq!((cell.len(), cell[39]), (56, 1));
        assert_eq!(decode_value(&column, &cell, &codec), Ok(Value::Null));
        let empty = SimpleLob::with_id(1, 0);
        assert_eq!(&empty.as_bytes()[12..16], [0xff; 4], "an empty value ends at -1");
        let value = decode_value(&column, empty.as_bytes(), &codec);
        assert_eq!(value, Ok(Value::SimpleLob(Box::new(empty))));
    }
    for column in [
        ColumnType::char(3),
        ColumnType::varchar(9, 0),
        ColumnType::lvarchar(9),
    ] {
        let mut cell = Vec::new();
        encode_value(
            &column,
            &Value::Text(String::new()),
            RowForm::default(),
            &codec,
            &mut cell,
        )
        .expect("encodes");
        assert_eq!(
            decode_value(&column, &cell, &codec),
            Ok(Value::Text(String::new())),
            "{column}"
        );
    }
}

#[test]
fn padded_varchar() {
    let (column, codec) = (ColumnType::varchar(5, 0), TextCodec::UTF8);
    let form = RowForm {
        padded_varchar: true,
        binary: false,
    };
    for (value, bytes) in [
        (Value::Text("ab".to_owned()), "026162000000"),
        (Value::Null, "010000000000"),
    ] {
        let mut cell = Vec::new();
        encode_value(&column, &value, form, &codec, &mut cell).expect("encodes");
        assert_eq!(hex::encode(&cell), bytes);
        assert_eq!(
            split(std::slice::from_ref(&column), &cell, form).map(|cells| cells.len()),
            Ok(1)
        );
        assert_eq!(decode_value(&column, &cell, &codec), Ok(value));
    }
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let refused = |column: ColumnType, value: Value| {
        let result = encode_value(
            &column,
            &value,
            RowForm::default(),
            &TextCodec::UTF8,
            &mut Vec::new(),
        );
        assert!(result.is_err(), "{column} {value:?}");
    };
    refused(ColumnType::smallint(), Value::Integer(32_768));
    refused(ColumnType::smallint(), Value::SmallInt(i16::MIN));
    refused(ColumnType::integer(), Value::Integer(i32::MIN));
    refused(ColumnType::bigint(), Value::BigInt(i64::MIN));
    refused(ColumnType::int8(), Value::Int8(i64::MIN));
    refused(ColumnType::integer(), Value::Text("1".to_owned()));
    refused(ColumnType::integer(), Value::Decimal(decimal("1.5")));
    refused(ColumnType::decimal(5, Some(2)), Value::Integer(1000));
    refused(ColumnType::decimal(5, Some(2)), Value::Float(f64::INFINITY));
    refused(ColumnType::char(3), Value::Text("abcd".to_owned()));
    refused(ColumnType::char(3), Value::Text("\0ab".to_owned()));
    refused(ColumnType::varchar(3, 0), Value::Text("éé".to_owned()));
    refused(ColumnType::varchar(3, 0), Value::Text("\0".to_owned()));
    refused(ColumnType::date(), Value::Integer(1));
    refused(ColumnType::boolean(), Value::Integer(1));
    refused(
        ColumnType::blob(),
        Value::LobLocator(Box::new(LobLocator::new(LobKind::Clob, [0; 72]))),
    );
    refused(ColumnType::byte(), Value::Bytes(vec![1]));
    refused(
        ColumnType::datetime(Qualifier::YEAR_TO_SECOND),
        Value::DateTime(DateTime::parse("07:08", qualifier("hour to minute")).expect("valid")),
    );
    let mut cell = Vec::new();
    let blanks = Value::Text("ab  ".to_owned());
    encode_value(
        &ColumnType::char(2),
        &blanks,
        RowForm::default(),
        &TextCodec::UTF8,
        &mut cell,
    )
    .expect("fits");
    assert_eq!(cell, b"ab");
}

#[test]
fn null_patterns_are_bound_in_a_wider_type() {
    let bound = |value: &Value| {
        let mut bytes = Vec::new();
        bind::encode(value, None, &TextCodec::UTF8, &mut bytes).expect("binds");
        bind::decode(&bytes, 100, &TextCodec::UTF8)
            .expect("decodes")
            .0
            .value
    };
    assert_eq!(bound(&Value::SmallInt(i16::MIN)), Value::Integer(-32_768));
    assert_eq!(bound(&Value::Integer(i32::MIN)), Value::BigInt(-2_147_483_648));
    assert_eq!(
        bound(&Value::BigInt(i64::MIN)),
        Value::Decimal(Decimal::from(i64::MIN))
    );
    let all_ones = bound(&Value::Float(f64::from_bits(u64::MAX)));
    assert!(matches!(all_ones, Value::Float(value) if value.is_nan()));
}

#[test]
fn long_texts_are_bound_with_a_long_length() {
    let codec = TextCodec::UTF8;
    for (length, code) in [
        (32_767, TypeCode::Char),
        (32_768, TypeCode::LVarChar),
        (70_000, TypeCode::LVarChar),
    ] {
        let mut bytes = Vec::new();
        bind::encode(&Value::Text("x".repeat(length)), None, &codec, &mut bytes).expect("binds");
        let (bound, used) = bind::decode(&bytes, 1 << 20, &codec).expect("decodes");
        assert_eq!((bound.column.code, used), (code, bytes.len()));
        assert_eq!(bound.value.as_str().map(str::len), Some(length));
        assert!(matches!(
            bind::decode(&bytes, 100, &codec),
            Err(Error::Length { limit: 100, .. })
        ));
    }
}

#[test]
fn bad_parameter_blocks() {
    let codec = TextCodec::UTF8;
    let decode =
        |hex: &str| bind::decode(&hex::decode(hex).expect("hex"), 1000, &codec).map(|(bound, _)| bound.value);
    assert_eq!(decode("00190000000000000000"), Err(Error::UnknownType(25)));
    assert!(
        matches!(decode("000200010000"), Err(Error::Malformed { .. })),
        "indicator 1"
    );
    assert!(
        matches!(decode("002b000000000000000080000000"), Err(Error::Length { length, .. }) if length < 0)
    );
    assert!(matches!(
        decode("002b00000000000000007fffffff"),
        Err(Error::Length { .. })
    ));
    assert!(
        matches!(decode("000a0000ffff0001c000"), Err(Error::Qualifier(_))),
        "no such qualifier"
    );
    assert!(
        matches!(decode("0005000000000003c1ff0100"), Err(Error::Malformed { .. })),
        "pair above 99"
    );
    assert_eq!(
        decode("000200000a0080000000"),
        Ok(Value::Null),
        "the peer binds -2^31 so"
    );
}

#[test]
fn row_errors_name_the_shape_and_the_difference() {
    let columns = [
        ColumnType::integer(),
        ColumnType::varchar(10, 0),
        ColumnType::lvarchar(20),
    ];
    let message = |payload: &[u8]| {
        split(&columns, payload, RowForm::default())
            .expect_err("too short")
            .to_string()
    };
    assert_eq!(
        message(&[0, 0, 0, 1, 3, b'a']),
        "row of 6 bytes does not match its columns (integer, varchar(10), lvarchar(20)): column 2 lacks 2 bytes"
    );
    assert!(message(&[0, 0, 0, 1, 0, 0, 0x80, 0, 0, 0]).ends_with("column 3 has a negative length"));
    assert!(message(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7]).ends_with("1 bytes are left over"));
    let unknown = split(&[ColumnType::new(TypeCode::Unknown, 4)], &[], RowForm::default());
    assert_eq!(unknown, Err(Error::UnknownType(49).in_column(1, "unknown")));
}

#[test]
fn bad_cells() {
    let bad = |column: ColumnType, cell: &str| {
        let value = decode_value(&column, &hex::decode(cell).expect("hex"), &TextCodec::UTF8);
        assert!(value.is_err(), "{column} {cell}: {value:?}");
    };
    bad(ColumnType::integer(), "0000");
    bad(ColumnType::int8(), "0001ffffffffffffffff");
    bad(ColumnType::date(), "7fffffff");
    bad(ColumnType::decimal(8, Some(4)), "c201ff2d00");
    bad(ColumnType::decimal(8, Some(4)), "3d624c6500");
    bad(ColumnType::datetime(Qualifier::YEAR_TO_DAY), "c7141a0d01");
    bad(ColumnType::datetime(Qualifier::YEAR_TO_DAY), "387f627e62");
    bad(ColumnType::datetime(qualifier("hour to minute")), "c4010203");
    bad(ColumnType::interval(qualifier("day(2) to hour")), "c40163");
    bad(ColumnType::boolean(), "000000000178");
    bad(ColumnType::boolean(), "020000000101");
    bad(ColumnType::lvarchar(9), "000000000261");
    bad(ColumnType::blob(), "000000000100");
    bad(ColumnType::varchar(9, 0), "0361");
    bad(ColumnType::varchar(9, 0), "01ff");
    bad(ColumnType::byte(), "00");
}
