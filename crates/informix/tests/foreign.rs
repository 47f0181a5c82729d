//! Values of other crates go in and come out. Run with the features, e.g. `--all-features`.

#![cfg(all(
    feature = "bigdecimal-04",
    feature = "chrono-04",
    feature = "jiff-1",
    feature = "rust_decimal-1",
    feature = "time-03",
    feature = "uuid-1"
))]

use std::fmt::Debug;

use informix::blocking::Connection;
use informix::{FromSql, ToSql};

fn round_trip<T>(c: &Connection, ty: &str, value: &T)
where
    T: for<'a> FromSql<'a> + ToSql + Clone + PartialEq + Debug,
{
    c.execute(&format!("create temp table f (v {ty})"), ()).unwrap();
    c.execute("insert into f values (?)", (value,)).unwrap();
    c.execute("insert into f values (?)", (None::<T>,)).unwrap();
    let rows = c.query_all("select v from f", ()).unwrap();
    assert_eq!(rows[0].get::<T>(0).unwrap(), *value, "{ty}");
    assert_eq!(rows[1].get::<Option<T>>(0).unwrap(), None, "{ty}");
    c.execute("drop table f", ()).unwrap();
}

#[test]
fn foreign_values() {
    let server = informix_devserver::DevServer::start().unwrap();
    let c = Connection::connect(server.url().parse().unwrap()).unwrap();
    round_trip(
        &c,
        "decimal(12,4)",
        &"123.4500".parse::<bigdecimal::BigDecimal>().unwrap(),
    );
    round_trip(
        &c,
        "decimal(12,4)",
        &"-99.9999".parse::<rust_decimal::Decimal>().unwrap(),
    );

    let day = chrono::NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    round_trip(&c, "date", &day);
    round_trip(
        &c,
        "datetime year to fraction(5)",
        &day.and_hms_micro_opt(12, 34, 56, 123_450).unwrap(),
    );
    round_trip(
        &c,
        "datetime hour to fraction(5)",
        &chrono::NaiveTime::from_hms_opt(23, 59, 1).unwrap(),
    );
    round_trip(
        &c,
        "interval day(5) to fraction(5)",
        &chrono::TimeDelta::milliseconds(-123_456_789),
    );

    let day = jiff::civil::date(2024, 2, 29);
    round_trip(&c, "date", &day);
    round_trip(
        &c,
        "datetime year to fraction(5)",
        &day.at(12, 34, 56, 123_450_000),
    );
    round_trip(
        &c,
        "datetime hour to fraction(5)",
        &jiff::civil::time(23, 59, 1, 0),
    );
    round_trip(
        &c,
        "interval day(5) to fraction(5)",
        &jiff::SignedDuration::from_millis(123_456_789),
    );

    let day = time::Date::from_calendar_date(2024, time::Month::February, 29).unwrap();
    round_trip(&c, "date", &day);
    let noon = time::Time::from_hms(12, 34, 56).unwrap();
    round_trip(
        &c,
        "datetime year to fraction(5)",
        &time::PrimitiveDateTime::new(day, noon),
    );
    round_trip(&c, "datetime hour to fraction(5)", &noon);
    round_trip(
        &c,
        "interval day(5) to fraction(5)",
        &time::Duration::milliseconds(123_456_789),
    );

    let id = uuid::Uuid::from_u128(0x1234_5678_9abc_def0_1234_5678_9abc_def0);
    round_trip(&c, "char(36)", &id);
    round_trip(&c, "varchar(40)", &id);
}
