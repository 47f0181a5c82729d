//! DATE, DATETIME and INTERVAL: text, limits and arithmetic.

use std::str::FromStr;

use informix_types::{Date, DateTime, Interval, Qualifier};

fn qualifier(text: &str) -> Qualifier {
    Qualifier::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
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
