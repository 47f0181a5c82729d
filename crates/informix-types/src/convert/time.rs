//! time 0.3: `Date`, `Time`, `PrimitiveDateTime`, `Duration`. Fractions are cut to 10^-5 s.

use time::{Duration, Month, PrimitiveDateTime, Time};

use super::clock::{self, NANOS_PER_UNIT};
use crate::date::Date;
use crate::datetime::{DateTime, Parts};
use crate::error::{Error, Result};
use crate::interval::Interval;
use crate::qualifier::{Field, Qualifier};

impl TryFrom<time::Date> for Date {
    type Error = Error;

    fn try_from(date: time::Date) -> Result<Self> {
        Self::from_ymd(date.year(), u8::from(date.month()), date.day())
    }
}

impl TryFrom<Date> for time::Date {
    type Error = Error;

    fn try_from(date: Date) -> Result<Self> {
        let (year, month, day) = date.ymd();
        Month::try_from(month)
            .and_then(|month| Self::from_calendar_date(year, month, day))
            .map_err(|_| Error::range("date"))
    }
}

fn time_parts(time: Time) -> Parts {
    Parts {
        hour: time.hour(),
        minute: time.minute(),
        second: time.second(),
        fraction: time.nanosecond() / NANOS_PER_UNIT,
        ..Parts::default()
    }
}

fn time(parts: &Parts) -> Result<Time> {
    Time::from_hms_nano(
        parts.hour,
        parts.minute,
        parts.second,
        parts.fraction * NANOS_PER_UNIT,
    )
    .map_err(|_| Error::range("time of day"))
}

/// DATETIME YEAR TO FRACTION(5).
impl TryFrom<PrimitiveDateTime> for DateTime {
    type Error = Error;

    fn try_from(value: PrimitiveDateTime) -> Result<Self> {
        let year = u16::try_from(value.year()).map_err(|_| Error::range("year"))?;
        let parts = Parts {
            year,
            month: u8::from(value.month()),
            day: value.day(),
            ..time_parts(value.time())
        };
        Self::new(Qualifier::YEAR_TO_FRACTION5, parts)
    }
}

/// DATETIME HOUR TO FRACTION(5).
impl TryFrom<Time> for DateTime {
    type Error = Error;

    fn try_from(value: Time) -> Result<Self> {
        Self::new(clock::hour_to_fraction5()?, time_parts(value))
    }
}

/// A DATETIME that starts with YEAR; absent month and day become 1, an absent time midnight.
impl TryFrom<DateTime> for PrimitiveDateTime {
    type Error = Error;

    fn try_from(value: DateTime) -> Result<Self> {
        let parts = clock::parts(&value, Field::Year, "time::PrimitiveDateTime")?;
        let date = Date::from_ymd(i32::from(parts.year), parts.month, parts.day)?;
        Ok(Self::new(date.try_into()?, time(&parts)?))
    }
}

/// A DATETIME that starts with HOUR.
impl TryFrom<DateTime> for Time {
    type Error = Error;

    fn try_from(value: DateTime) -> Result<Self> {
        time(&clock::parts(&value, Field::Hour, "time::Time")?)
    }
}

/// An INTERVAL of days and smaller.
impl TryFrom<Interval> for Duration {
    type Error = Error;

    fn try_from(value: Interval) -> Result<Self> {
        let units = clock::units(&value, "time::Duration")?;
        Ok(Self::new(
            units / 100_000,
            (units % 100_000) as i32 * NANOS_PER_UNIT as i32,
        ))
    }
}

/// INTERVAL DAY(9) TO FRACTION(5).
impl TryFrom<Duration> for Interval {
    type Error = Error;

    fn try_from(value: Duration) -> Result<Self> {
        clock::interval(value.whole_nanoseconds())
    }
}
