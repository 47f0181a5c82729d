//! Conversions to other crates' types; each part needs its feature.
#![cfg(all(
    feature = "bigdecimal-04",
    feature = "chrono-04",
    feature = "jiff-1",
    feature = "rust_decimal-1",
    feature = "serde-1",
    feature = "time-03",
    feature = "uuid-1"
))]

use std::str::FromStr;

use informix_types::{Date, DateTime, Decimal, Interval, Qualifier, Value};

fn date_time(text: &str, qualifier: &str) -> DateTime {
    DateTime::parse(text, qualifier.parse().expect("qualifier")).expect("datetime")
}

fn interval(text: &str, qualifier: &str) -> Interval {
    Interval::parse(text, qualifier.parse().expect("qualifier")).expect("interval")
}

/// Dates, moments and times go to the foreign type and back, and print alike.
macro_rules! clock {
    ($test:ident, $date:ty, $moment:ty, $time:ty, $span:ty) => {
        #[test]
        fn $test() {
            for text in ["0001-01-01", "1899-12-31", "2000-02-29", "9999-12-31"] {
                let date = Date::from_str(text).expect("date");
                let foreign = <$date>::try_from(date).expect("converts");
                assert_eq!(foreign.to_string(), text);
                assert_eq!(Date::try_from(foreign), Ok(date));
            }
            let moment = date_time("2024-05-06 07:08:09.12345", "year to fraction(5)");
            let foreign = <$moment>::try_from(moment).expect("converts");
            assert!(foreign.to_string().contains("7:08:09.12345"), "{foreign}");
            assert_eq!(DateTime::try_from(foreign), Ok(moment));
            let month = <$moment>::try_from(date_time("2024-05", "year to month")).expect("converts");
            assert_eq!(
                DateTime::try_from(month),
                Ok(date_time("2024-05-01 00:00:00.0", "year to fraction(5)"))
            );
            let time = date_time("23:59:59.99999", "hour to fraction(5)");
            assert_eq!(
                DateTime::try_from(<$time>::try_from(time).expect("converts")),
                Ok(time)
            );
            assert!(<$time>::try_from(moment).is_err() && <$moment>::try_from(time).is_err());

            for text in [
                "999999999 23:59:59.99999",
                "-999999999 23:59:59.99999",
                "-0 00:00:00.00001",
                "0 00:00:00.0",
            ] {
                let span = interval(text, "day(9) to fraction(5)");
                assert_eq!(
                    Interval::try_from(<$span>::try_from(span).expect("converts")),
                    Ok(span),
                    "{text}"
                );
            }
            assert!(<$span>::try_from(interval("1-06", "year(4) to month")).is_err());
        }
    };
}

clock!(
    chrono_types,
    chrono::NaiveDate,
    chrono::NaiveDateTime,
    chrono::NaiveTime,
    chrono::TimeDelta
);
clock!(
    time_types,
    time::Date,
    time::PrimitiveDateTime,
    time::Time,
    time::Duration
);
clock!(
    jiff_types,
    jiff::civil::Date,
    jiff::civil::DateTime,
    jiff::civil::Time,
    jiff::SignedDuration
);

#[test]
fn years_outside_1_to_9999_are_refused() {
    assert!(Date::try_from(chrono::NaiveDate::from_ymd_opt(10_000, 1, 1).expect("date")).is_err());
    assert!(Date::try_from(chrono::NaiveDate::from_ymd_opt(0, 1, 1).expect("date")).is_err());
    assert!(Date::try_from(jiff::civil::date(-1, 1, 1)).is_err());
}

#[test]
fn jiff_spans() {
    use jiff::{Span, ToSpan};
    let day_time = interval("-3 04:05:06.12345", "day(3) to fraction(5)");
    let span = Span::try_from(day_time).expect("converts");
    assert_eq!(span.to_string(), "-P3DT4H5M6.12345S");
    assert_eq!(
        Interval::try_from(span).map(|back| back.units()),
        Ok(day_time.units())
    );
    let months = interval("5-03", "year(4) to month");
    assert_eq!(
        Span::try_from(months).map(|span| span.to_string()),
        Ok("P5Y3M".to_owned())
    );
    assert_eq!(
        Interval::try_from(5.years().months(3)).map(|back| back.months()),
        Ok(Some(63))
    );
    assert!(Interval::try_from(1.month().days(1)).is_err());
}

#[test]
fn decimals() {
    for text in [
        "0.00",
        "-1.50",
        "79228162514264337593543950335",
        "0.0000000000000000000000000001",
        "100",
    ] {
        let value = Decimal::from_str(text).expect("decimal");
        let rust = rust_decimal::Decimal::try_from(value).expect("fits");
        assert_eq!(rust.to_string(), text);
        assert_eq!(Decimal::from(rust).to_string(), text);
    }
    for text in ["1E+125", "12345678901234567890123456789012", "1E-100"] {
        let value = Decimal::from_str(text).expect("decimal");
        assert!(rust_decimal::Decimal::try_from(value).is_err(), "{text}");
        let big = bigdecimal::BigDecimal::from(value);
        assert_eq!(Decimal::try_from(&big), Ok(value));
    }
    // The scale survives.
    let big = bigdecimal::BigDecimal::from(Decimal::from_str("-1.50").expect("decimal"));
    assert_eq!(big.to_string(), "-1.50");
    let zeros = bigdecimal::BigDecimal::from_str(&format!("1{}", "0".repeat(60))).expect("number");
    assert_eq!(Decimal::try_from(zeros), Decimal::from_str("1E60"));
    let long = bigdecimal::BigDecimal::from_str(&"7".repeat(33)).expect("number");
    assert!(Decimal::try_from(long).is_err());
}

#[test]
fn uuids() {
    let uuid = uuid::Uuid::from_u128(0x1234_5678_9abc_def0_1234_5678_9abc_def0);
    let value = Value::from(uuid);
    assert_eq!(value.as_str(), Some("12345678-9abc-def0-1234-56789abcdef0"));
    assert_eq!(uuid::Uuid::try_from(&value), Ok(uuid));
    assert_eq!(
        uuid::Uuid::try_from(&Value::Bytes(uuid.as_bytes().to_vec())),
        Ok(uuid)
    );
    assert!(uuid::Uuid::try_from(&Value::Null).is_err());
    assert!(uuid::Uuid::try_from(&Value::Text("x".to_owned())).is_err());
}

#[test]
fn serde_texts() {
    let decimal: Decimal = serde_json::from_str("\"123.4500\"").expect("reads");
    assert_eq!(serde_json::to_string(&decimal).expect("writes"), "\"123.4500\"");
    let date: Date = serde_json::from_str("\"2024-05-06\"").expect("reads");
    assert_eq!(serde_json::to_string(&date).expect("writes"), "\"2024-05-06\"");
    for text in [
        "2024",
        "2024-05",
        "2024-05-06 07:08",
        "2024-05-06 07:08:09.123",
        "07:08:09",
        "07:08:09.5",
    ] {
        let value: DateTime = serde_json::from_str(&format!("\"{text}\"")).expect("reads");
        assert_eq!(
            serde_json::to_string(&value).expect("writes"),
            format!("\"{text}\"")
        );
    }
    for text in ["3 04:05:06", "-1-06", "-0 00:00:00.5", "12"] {
        let value: Interval = serde_json::from_str(&format!("\"{text}\"")).expect("reads");
        assert_eq!(
            serde_json::to_string(&value).expect("writes"),
            format!("\"{text}\"")
        );
    }
    for text in ["07:08", "x", "2024-13", "2024-05-06 07:08:09.123456"] {
        assert!(
            serde_json::from_str::<DateTime>(&format!("\"{text}\"")).is_err(),
            "{text}"
        );
    }
    let values = [
        Value::Null,
        Value::Integer(1),
        Value::Decimal(decimal),
        Value::Boolean(true),
        "x".into(),
    ];
    assert_eq!(
        serde_json::to_string(&values).expect("writes"),
        r#"[null,1,"123.4500",true,"x"]"#
    );
    assert_eq!(Qualifier::from_str("year to day"), Ok(Qualifier::YEAR_TO_DAY));
}
