//! jiff 1: `civil::Date`, `civil::Time`, `civil::DateTime`, `SignedDuration`, `Span`. Fractions are cut to 10^-5 s.

use jiff::{SignedDuration, Span, civil};

use super::clock::{self, NANOS_PER_UNIT};
use crate::date::Date;
use crate::datetime::{DateTime, Parts};
use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::qualifier::{Field, Qualifier};

impl TryFrom<civil::Date> for Date {
    type Error = Error;

    fn try_from(date: civil::Date) -> Result<Self> {
        Self::from_ymd(i32::from(date.year()), date.month() as u8, date.day() as u8)
    }
}

impl TryFrom<Date> for civil::Date {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self> {
        let (year, month, day) = date.ymd();
        Self::new(year as i16, month as i8, day as i8).map_err(|_| Error::range("date"))
    }
}

fn time_parts(time: civil::Time) -> Parts {
    Parts {
        hour: time.hour() as u8,
        minute: time.minute() as u8,
        second: time.second() as u8,
        fraction: time.subsec_nanosecond() as u32 / NANOS_PER_UNIT,
        ..Parts::default()
    }
}

fn time(parts: &Parts) -> Result<civil::Time> {
    let nanos = (parts.fraction * NANOS_PER_UNIT) as i32;
    civil::Time::new(parts.hour as i8, parts.minute as i8, parts.second as i8, nanos)
        .map_err(|_| Error::range("time of day"))
}

/// DATETIME YEAR TO FRACTION(5).
impl TryFrom<civil::DateTime> for DateTime {
    type Error = Error;

    fn try_from(value: civil::DateTime) -> Result<Self> {
        let year = u16::try_from(value.year()).map_err(|_| Error::range("year"))?;
        let parts = Parts {
            year,
            month: value.month() as u8,
            day: value.day() as u8,
            ..time_parts(value.time())
        };
        Self::new(Qualifier::YEAR_TO_FRACTION5, parts)
    }
}

/// DATETIME HOUR TO FRACTION(5).
impl TryFrom<civil::Time> for DateTime {
    type Error = Error;

    fn try_from(value: civil::Time) -> Result<Self> {
        Self::new(clock::hour_to_fraction5()?, time_parts(value))
    }
}

/// A DATETIME that starts with YEAR; absent month and day become 1, an absent time midnight.
impl TryFrom<DateTime> for civil::DateTime {
    type Error = Error;

    fn try_from(value: DateTime) -> Result<Self> {
        let parts = clock::parts(&value, Field::Year, "jiff::civil::DateTime")?;
        let date = civil::Date::try_from(Date::from_ymd(i32::from(parts.year), parts.month, parts.day)?)?;
        Ok(Self::from_parts(date, time(&parts)?))
    }
}

/// A DATETIME that starts with HOUR.
impl TryFrom<DateTime> for civil::Time {
    type Error = Error;

    fn try_from(value: DateTime) -> Result<Self> {
        time(&clock::parts(&value, Field::Hour, "jiff::civil::Time")?)
    }
}

/// An INTERVAL of days and smaller.
impl TryFrom<Interval> for SignedDuration {
    type Error = Error;

    fn try_from(value: Interval) -> Result<Self> {
        let units = clock::units(&value, "jiff::SignedDuration")?;
        Ok(Self::new(
            units / 100_000,
            (units % 100_000) as i32 * NANOS_PER_UNIT as i32,
        ))
    }
}

/// INTERVAL DAY(9) TO FRACTION(5).
impl TryFrom<SignedDuration> for Interval {
    type Error = Error;

    fn try_from(value: SignedDuration) -> Result<Self> {
        clock::interval(value.as_nanos())
    }
}

/// Years and months, or days, hours, minutes, seconds and microseconds: the fields of the INTERVAL.
impl TryFrom<Interval> for Span {
    type Error = Error;

    fn try_from(value: Interval) -> Result<Self> {
        let out_of_range = |_| Error::range("interval as jiff::Span");
        if let Some(months) = value.months() {
            return Self::new()
                .try_years(months / 12)
                .and_then(|span| span.try_months(months % 12))
                .map_err(out_of_range);
        }
        let units = clock::units(&value, "jiff::Span")?;
        let seconds = units / 100_000;
        Self::new()
            .try_days(seconds / 86_400)
            .and_then(|span| span.try_hours(seconds / 3_600 % 24))
            .and_then(|span| span.try_minutes(seconds / 60 % 60))
            .and_then(|span| span.try_seconds(seconds % 60))
            .and_then(|span| span.try_microseconds(units % 100_000 * 10))
            .map_err(out_of_range)
    }
}

/// INTERVAL YEAR(9) TO MONTH of a span of years and months, DAY(9) TO FRACTION(5) of one of weeks and smaller; a day has 24 hours.
impl TryFrom<Span> for Interval {
    type Error = Error;

    fn try_from(span: Span) -> Result<Self> {
        let months = i64::from(span.get_years()) * 12 + i64::from(span.get_months());
        let days = i64::from(span.get_weeks()) * 7 + i64::from(span.get_days());
        let seconds = i128::from(days) * 86_400
            + i128::from(span.get_hours()) * 3_600
            + i128::from(span.get_minutes()) * 60
            + i128::from(span.get_seconds());
        let nanos = seconds * 1_000_000_000
            + i128::from(span.get_milliseconds()) * 1_000_000
            + i128::from(span.get_microseconds()) * 1_000
            + i128::from(span.get_nanoseconds());
        match (months, nanos) {
            (0, nanos) => clock::interval(nanos),
            (months, 0) => Self::from_months(months, Qualifier::YEAR9_TO_MONTH),
            _ => Err(Error::Conversion {
                from: "span of months and days",
                to: "INTERVAL".to_owned(),
            }),
        }
    }
}
