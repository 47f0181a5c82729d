//! DATETIME and INTERVAL, whose Arrow type follows from their qualifier.

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, DurationMicrosecondType, DurationMillisecondType, DurationSecondType,
    IntervalMonthDayNanoType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use informix::types::{self, Date, DateTime, Field, Interval, Qualifier};

use super::fixed::Fixed;
use super::text::Formatted;
use super::{ColumnBuilder, Read, UNIX_DAYS, boxed, unfit};

/// Units of 10^-5 s, in which Informix counts, in a second.
const UNITS_PER_SECOND: i64 = 100_000;
const UNITS_PER_DAY: i64 = 86_400 * UNITS_PER_SECOND;

/// The coarsest unit that keeps every digit of a fraction.
fn unit(qualifier: Qualifier) -> TimeUnit {
    match qualifier.fraction_digits() {
        0 => TimeUnit::Second,
        1..=3 => TimeUnit::Millisecond,
        _ => TimeUnit::Microsecond,
    }
}

/// Units of 10^-5 s in another unit; exact, since the digits below it are zero. `None`: too large.
fn convert(units: i64, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Second => Some(units / UNITS_PER_SECOND),
        TimeUnit::Millisecond => Some(units / 100),
        TimeUnit::Microsecond => units.checked_mul(10),
        TimeUnit::Nanosecond => units.checked_mul(10_000),
    }
}

/// A column whose values are numbers of the qualifier's unit.
fn counted<T: ArrowPrimitiveType + 'static>(
    data_type: DataType,
    read: impl Fn(&[u8]) -> Read<T::Native> + Send + 'static,
) -> Box<dyn ColumnBuilder> {
    boxed(Fixed::<T, _>::new(data_type, read))
}

/// Days since 1970-01-01; fields that the qualifier lacks are the first of their kind.
fn days(value: &DateTime) -> types::Result<i32> {
    let parts = value.parts();
    let date = Date::from_ymd(i32::from(parts.year), parts.month.max(1), parts.day.max(1))?;
    Ok(date.days() - UNIX_DAYS)
}

/// DATETIME.
pub(super) fn datetime(qualifier: Qualifier) -> Box<dyn ColumnBuilder> {
    let read = move |cell: &[u8]| DateTime::from_packed_bytes(cell, qualifier);
    let unit = unit(qualifier);
    let has_year = qualifier.contains(Field::Year);
    let has_hour = !matches!(qualifier.end(), Field::Year | Field::Month | Field::Day);
    if has_year && !has_hour {
        return counted::<Date32Type>(DataType::Date32, move |cell| {
            read(cell)?.map(|value| days(&value)).transpose()
        });
    }
    if has_year {
        let count = move |cell: &[u8]| match read(cell)? {
            Some(value) => {
                let units = i64::from(days(&value)?) * UNITS_PER_DAY + value.time_units();
                convert(units, unit)
                    .map(Some)
                    .ok_or_else(|| unfit(format!("datetime {value}")))
            }
            None => Ok(None),
        };
        let data_type = DataType::Timestamp(unit, None);
        return match unit {
            TimeUnit::Second => counted::<TimestampSecondType>(data_type, count),
            TimeUnit::Millisecond => counted::<TimestampMillisecondType>(data_type, count),
            _ => counted::<TimestampMicrosecondType>(data_type, count),
        };
    }
    if matches!(qualifier.start(), Field::Month | Field::Day) {
        // MONTH TO …, DAY TO …: no date without a year.
        return boxed(Formatted::new(read));
    }
    let count = move |cell: &[u8]| Ok(read(cell)?.and_then(|value| convert(value.time_units(), unit)));
    let count32 = move |cell: &[u8]| Ok(count(cell)?.map(|count| count as i32));
    match unit {
        TimeUnit::Second => counted::<Time32SecondType>(DataType::Time32(unit), count32),
        TimeUnit::Millisecond => counted::<Time32MillisecondType>(DataType::Time32(unit), count32),
        _ => counted::<Time64MicrosecondType>(DataType::Time64(TimeUnit::Microsecond), count),
    }
}

/// INTERVAL.
pub(super) fn interval(qualifier: Qualifier) -> Box<dyn ColumnBuilder> {
    let read = move |cell: &[u8]| Interval::from_packed_bytes(cell, qualifier);
    let refused = move |value: Interval| unfit(format!("interval {value} {}", qualifier.interval_name()));
    if qualifier.is_year_month() {
        // Not Interval(YearMonth), from which pyarrow makes no Python values.
        let data_type = DataType::Interval(IntervalUnit::MonthDayNano);
        return counted::<IntervalMonthDayNanoType>(data_type, move |cell| match read(cell)? {
            Some(value) => match value.months().map(i32::try_from) {
                Some(Ok(months)) => Ok(Some(IntervalMonthDayNanoType::make_value(months, 0, 0))),
                _ => Err(refused(value)),
            },
            None => Ok(None),
        });
    }
    let unit = unit(qualifier);
    let count = move |cell: &[u8]| match read(cell)? {
        Some(value) => match value.units().and_then(|units| convert(units, unit)) {
            Some(count) => Ok(Some(count)),
            None => Err(refused(value)),
        },
        None => Ok(None),
    };
    let data_type = DataType::Duration(unit);
    match unit {
        TimeUnit::Second => counted::<DurationSecondType>(data_type, count),
        TimeUnit::Millisecond => counted::<DurationMillisecondType>(data_type, count),
        _ => counted::<DurationMicrosecondType>(data_type, count),
    }
}
