//! chrono 0.4: `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `TimeDelta`. Fractions are cut to 10^-5 s.

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use super::clock::{self, NANOS_PER_UNIT};
use crate::date::Date;
use crate::datetime::{DateTime, Parts};
use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::qualifier::{Field, Qualifier};

impl TryFrom<NaiveDate> for Date {
    type Error = Error;

    fn try_from(date: NaiveDate) -> Result<Self> {
        Self::from_ymd(date.year(), date.month() as u8, date.day() as u8)
    }
}

impl From<Date> for NaiveDate {
    fn from(date: Date) -> Self {
        let (year, month, day) = date.ymd();
        // Every DATE is one of chrono's.
        Self::from_ymd_opt(year, u32::from(month), u32::from(day)).unwrap_or_default()
    }
}

fn time_parts(time: NaiveTime) -> Parts {
    Parts {
        hour: time.hour() as u8,
        minute: time.minute() as u8,
        second: time.second() as u8,
        // A leap second counts as the last unit of its second.
        fraction: time.nanosecond().min(999_999_999) / NANOS_PER_UNIT,
        ..Parts::default()
    }
}

fn naive_time(parts: &Parts) -> Result<NaiveTime> {
    NaiveTime::from_hms_nano_opt(
        u32::from(parts.hour),
        u32::from(parts.minute),
        u32::from(parts.second),
        parts.fraction * NANOS_PER_UNIT,
    )
    .ok_or_else(|| Error::range("time of day"))
}

/// DATETIME YEAR TO FRACTION(5).
impl TryFrom<NaiveDateTime> for DateTime {
    type Error = Error;

    fn try_from(value: NaiveDateTime) -> Result<Self> {
        let year = u16::try_from(value.year()).map_err(|_| Error::range("year"))?;
        let date = Parts {
            year,
            month: value.month() as u8,
            day: value.day() as u8,
            ..time_parts(value.time())
        };
        Self::new(Qualifier::YEAR_TO_FRACTION5, date)
    }
}

/// DATETIME HOUR TO FRACTION(5).
impl TryFrom<NaiveTime> for DateTime {
    type Error = Error;

    fn try_from(value: NaiveTime) -> Result<Self> {
        Self::new(clock::hour_to_fraction5()?, time_parts(value))
    }
}

/// A DATETIME that starts with YEAR; absent month and day become 1, an absent time midnight.
impl TryFrom<DateTime> for NaiveDateTime {
    type Error = Error;

    fn try_from(value: DateTime) -> Result<Self> {
        let parts = clock::parts(&value, Field::Year, "chrono::NaiveDateTime")?;
        let date = Date::from_ymd(i32::from(parts.year), parts.month, parts.day)?;
        Ok(NaiveDate::from(date).and_time(naive_time(&parts)?))
    }
}

/// A DATETIME that starts with HOUR.
impl TryFrom<DateTime> for NaiveTime {
    type Error = Error;

    fn try_from(value: DateTime) -> Result<Self> {
        naive_time(&clock::parts(&value, Field::Hour, "chrono::NaiveTime")?)
    }
}

/// An INTERVAL of days and smaller.
impl TryFrom<Interval> for TimeDelta {
    type Error = Error;

    fn try_from(value: Interval) -> Result<Self> {
        let units = clock::units(&value, "chrono::TimeDelta")?;
        let (seconds, rest) = (units.div_euclid(100_000), units.rem_euclid(100_000) as u32);
        Self::new(seconds, rest * NANOS_PER_UNIT).ok_or_else(|| Error::range("interval"))
    }
}

/// INTERVAL DAY(9) TO FRACTION(5).
impl TryFrom<TimeDelta> for Interval {
    type Error = Error;

    fn try_from(value: TimeDelta) -> Result<Self> {
        let nanos = i128::from(value.num_seconds()) * 1_000_000_000 + i128::from(value.subsec_nanos());
        clock::interval(nanos)
    }
}
