//! One reader per column, chosen by its Arrow type.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use informix::types::lob::LOCATOR_LEN;
use informix::types::{Field, LobKind, LobLocator, Qualifier, datetime};
use informix::{Date, DateTime, Decimal, Interval, Result, RowEncoder, ValueRef};

use super::has;
use crate::column::UNIX_DAYS;

/// Writes the value of a row.
pub(super) type Cell = Box<dyn Fn(usize, &mut RowEncoder<'_>) -> Result<()> + Send>;

/// A value, or why it cannot be sent.
type Made<'a> = std::result::Result<ValueRef<'a>, String>;

/// Units of 10^-5 s, in which Informix counts, in a second and in a day.
const UNITS_PER_SECOND: i64 = 100_000;
const UNITS_PER_DAY: i64 = 86_400 * UNITS_PER_SECOND;
const MILLIS_PER_DAY: i64 = 86_400_000;

fn text(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// Why values of a type cannot be sent.
pub(super) fn not_sent(data_type: &DataType) -> String {
    format!("values of Arrow type {data_type} cannot be sent")
}

/// The reader of a column.
pub(super) fn reader(array: &ArrayRef) -> std::result::Result<Cell, String> {
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, row| row.null()),
        DataType::Boolean => {
            let array = array.as_boolean().clone();
            Box::new(move |at, row| match has(&array, at) {
                true => row.value(ValueRef::Boolean(array.value(at))),
                false => row.null(),
            })
        }
        DataType::Int8 => number::<Int8Type>(array, |v| Ok(ValueRef::SmallInt(v.into()))),
        DataType::Int16 => number::<Int16Type>(array, |v| Ok(ValueRef::SmallInt(v))),
        DataType::Int32 => number::<Int32Type>(array, |v| Ok(ValueRef::Integer(v))),
        DataType::Int64 => number::<Int64Type>(array, |v| Ok(ValueRef::BigInt(v))),
        DataType::UInt8 => number::<UInt8Type>(array, |v| Ok(ValueRef::SmallInt(v.into()))),
        DataType::UInt16 => number::<UInt16Type>(array, |v| Ok(ValueRef::Integer(v.into()))),
        DataType::UInt32 => number::<UInt32Type>(array, |v| Ok(ValueRef::BigInt(v.into()))),
        DataType::UInt64 => number::<UInt64Type>(array, |v| {
            Ok(i64::try_from(v).map_or_else(|_| ValueRef::Decimal(v.into()), ValueRef::BigInt))
        }),
        DataType::Float16 => number::<Float16Type>(array, |v| Ok(ValueRef::SmallFloat(v.to_f32()))),
        DataType::Float32 => number::<Float32Type>(array, |v| Ok(ValueRef::SmallFloat(v))),
        DataType::Float64 => number::<Float64Type>(array, |v| Ok(ValueRef::Float(v))),
        DataType::Decimal32(_, scale) => {
            let scale = *scale;
            number::<Decimal32Type>(array, move |v| decimal(v.into(), scale))
        }
        DataType::Decimal64(_, scale) => {
            let scale = *scale;
            number::<Decimal64Type>(array, move |v| decimal(v.into(), scale))
        }
        DataType::Decimal128(_, scale) => {
            let scale = *scale;
            number::<Decimal128Type>(array, move |v| decimal(v, scale))
        }
        DataType::Decimal256(_, scale) => {
            let scale = *scale;
            number::<Decimal256Type>(array, move |v| match v.to_i128() {
                Some(v) => decimal(v, scale),
                None => Err(format!("{v} units of 10^-{scale} have more than 32 digits")),
            })
        }
        DataType::Utf8 => {
            let array = array.as_string::<i32>().clone();
            Box::new(move |at, row| match has(&array, at) {
                true => row.value(ValueRef::Text(array.value(at))),
                false => row.null(),
            })
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>().clone();
            Box::new(move |at, row| match has(&array, at) {
                true => row.value(ValueRef::Text(array.value(at))),
                false => row.null(),
            })
        }
        DataType::Utf8View => {
            let array = array.as_string_view().clone();
            Box::new(move |at, row| match has(&array, at) {
                true => row.value(ValueRef::Text(array.value(at))),
                false => row.null(),
            })
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>().clone();
            Box::new(move |at, row| bytes(has(&array, at).then(|| array.value(at)), row))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>().clone();
            Box::new(move |at, row| bytes(has(&array, at).then(|| array.value(at)), row))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view().clone();
            Box::new(move |at, row| bytes(has(&array, at).then(|| array.value(at)), row))
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary().clone();
            Box::new(move |at, row| bytes(has(&array, at).then(|| array.value(at)), row))
        }
        DataType::Dictionary(key, _) => match key.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(array)?,
            DataType::Int16 => dictionary::<Int16Type>(array)?,
            DataType::Int32 => dictionary::<Int32Type>(array)?,
            DataType::Int64 => dictionary::<Int64Type>(array)?,
            DataType::UInt8 => dictionary::<UInt8Type>(array)?,
            DataType::UInt16 => dictionary::<UInt16Type>(array)?,
            DataType::UInt32 => dictionary::<UInt32Type>(array)?,
            DataType::UInt64 => dictionary::<UInt64Type>(array)?,
            _ => return Err(not_sent(array.data_type())),
        },
        _ => return temporal(array),
    })
}

/// The reader of a column of dates, times and spans.
fn temporal(array: &ArrayRef) -> std::result::Result<Cell, String> {
    let seconds = |v: i64| v.checked_mul(UNITS_PER_SECOND);
    let millis = |v: i64| v.checked_mul(100);
    // Informix has five digits: what lies below is cut off, as from every DATETIME parameter.
    let micros = |v: i64| Some(v.div_euclid(10));
    let nanos = |v: i64| Some(v.div_euclid(10_000));
    Ok(match array.data_type() {
        DataType::Date32 => number::<Date32Type>(array, |v| date(v.into())),
        DataType::Date64 => number::<Date64Type>(array, |v| date(v.div_euclid(MILLIS_PER_DAY))),
        DataType::Timestamp(_, Some(zone)) => {
            return Err(format!(
                "Informix has no time zones: convert the timestamps (of zone {zone}) to ones without"
            ));
        }
        DataType::Timestamp(TimeUnit::Second, None) => {
            number::<TimestampSecondType>(array, move |v| timestamp(seconds(v), false))
        }
        DataType::Timestamp(TimeUnit::Millisecond, None) => {
            number::<TimestampMillisecondType>(array, move |v| timestamp(millis(v), true))
        }
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            number::<TimestampMicrosecondType>(array, move |v| timestamp(micros(v), true))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, None) => {
            number::<TimestampNanosecondType>(array, move |v| timestamp(nanos(v), true))
        }
        DataType::Time32(TimeUnit::Second) => {
            number::<Time32SecondType>(array, move |v| time(seconds(v.into()), false))
        }
        DataType::Time32(TimeUnit::Millisecond) => {
            number::<Time32MillisecondType>(array, move |v| time(millis(v.into()), true))
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            number::<Time64MicrosecondType>(array, move |v| time(micros(v), true))
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            number::<Time64NanosecondType>(array, move |v| time(nanos(v), true))
        }
        DataType::Duration(TimeUnit::Second) => {
            number::<DurationSecondType>(array, move |v| span(seconds(v)))
        }
        DataType::Duration(TimeUnit::Millisecond) => {
            number::<DurationMillisecondType>(array, move |v| span(millis(v)))
        }
        // Towards zero, as Informix cuts intervals.
        DataType::Duration(TimeUnit::Microsecond) => {
            number::<DurationMicrosecondType>(array, |v| span(Some(v / 10)))
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            number::<DurationNanosecondType>(array, |v| span(Some(v / 10_000)))
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            number::<IntervalYearMonthType>(array, |v| months(v.into()))
        }
        DataType::Interval(IntervalUnit::DayTime) => number::<IntervalDayTimeType>(array, |v| {
            let millis = i64::from(v.days) * MILLIS_PER_DAY + i64::from(v.milliseconds);
            span(millis.checked_mul(100))
        }),
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            number::<IntervalMonthDayNanoType>(array, |v| match (v.months, v.days, v.nanoseconds) {
                (count, 0, 0) if count != 0 => months(count.into()),
                (0, days, nanos) => span(Some(i64::from(days) * UNITS_PER_DAY + nanos / 10_000)),
                _ => Err("an interval has months, or days and seconds: not both".to_owned()),
            })
        }
        other => return Err(not_sent(other)),
    })
}

/// A column of values of one width.
fn number<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    make: impl Fn(T::Native) -> Made<'static> + Send + 'static,
) -> Cell {
    let array = array.as_primitive::<T>().clone();
    Box::new(move |at, row| match array.values().get(at) {
        Some(value) if array.is_valid(at) => match make(*value) {
            Ok(value) => row.value(value),
            Err(why) => Err(informix::driver::error(informix::error::Kind::Conversion, 0, why)),
        },
        _ => row.null(),
    })
}

/// A column of places in a list of values.
fn dictionary<K: ArrowDictionaryKeyType>(array: &ArrayRef) -> std::result::Result<Cell, String> {
    let array = array.as_dictionary::<K>();
    let (keys, values) = (array.keys().clone(), reader(array.values())?);
    Ok(Box::new(move |at, row| match keys.values().get(at) {
        Some(key) if keys.is_valid(at) => values(key.as_usize(), row),
        _ => row.null(),
    }))
}

/// Bytes; 72 of them for a BLOB or CLOB are a locator.
fn bytes(value: Option<&[u8]>, row: &mut RowEncoder<'_>) -> Result<()> {
    let Some(value) = value else { return row.null() };
    let kind = match row.target() {
        Some(target) if target.is_blob() => Some(LobKind::Blob),
        Some(target) if target.is_clob() => Some(LobKind::Clob),
        _ => None,
    };
    match (kind, <[u8; LOCATOR_LEN]>::try_from(value)) {
        (Some(kind), Ok(raw)) => row.value(ValueRef::LobLocator(&LobLocator::new(kind, raw))),
        _ => row.value(ValueRef::Bytes(value)),
    }
}

fn decimal(units: i128, scale: i8) -> Made<'static> {
    Decimal::new(units < 0, units.unsigned_abs(), -i32::from(scale))
        .map(ValueRef::Decimal)
        .map_err(text)
}

/// Days since 1970-01-01.
fn day(days: i64) -> std::result::Result<Date, String> {
    let days = days.saturating_add(i64::from(UNIX_DAYS));
    i32::try_from(days)
        .map_err(text)
        .and_then(|days| Date::from_days(days).map_err(text))
}

fn date(days: i64) -> Made<'static> {
    day(days).map(ValueRef::Date)
}

fn too_large() -> String {
    "the value is out of Informix's range".to_owned()
}

/// YEAR TO SECOND, or YEAR TO FRACTION(5), from units of 10^-5 s since 1970.
fn timestamp(units: Option<i64>, has_fraction: bool) -> Made<'static> {
    let units = units.ok_or_else(too_large)?;
    let date = day(units.div_euclid(UNITS_PER_DAY))?;
    let value = DateTime::from_date_and_units(date, units.rem_euclid(UNITS_PER_DAY)).map_err(text)?;
    let value = match has_fraction {
        true => value,
        false => DateTime::new(Qualifier::YEAR_TO_SECOND, value.parts()).map_err(text)?,
    };
    Ok(ValueRef::DateTime(value))
}

/// HOUR TO SECOND, or HOUR TO FRACTION(5).
fn time(units: Option<i64>, has_fraction: bool) -> Made<'static> {
    let units = units
        .filter(|units| (0..UNITS_PER_DAY).contains(units))
        .ok_or_else(too_large)?;
    let seconds = units / UNITS_PER_SECOND;
    let parts = datetime::Parts {
        hour: (seconds / 3600) as u8,
        minute: (seconds / 60 % 60) as u8,
        second: (seconds % 60) as u8,
        fraction: (units % UNITS_PER_SECOND) as u32,
        ..datetime::Parts::default()
    };
    let qualifier = match has_fraction {
        true => Qualifier::datetime(Field::Hour, Field::Fraction(5)).map_err(text)?,
        false => Qualifier::HOUR_TO_SECOND,
    };
    DateTime::new(qualifier, parts)
        .map(ValueRef::DateTime)
        .map_err(text)
}

fn span(units: Option<i64>) -> Made<'static> {
    let units = units.ok_or_else(too_large)?;
    Interval::from_units(units, Qualifier::DAY9_TO_FRACTION5)
        .map(ValueRef::Interval)
        .map_err(text)
}

fn months(months: i64) -> Made<'static> {
    Interval::from_months(months, Qualifier::YEAR9_TO_MONTH)
        .map(ValueRef::Interval)
        .map_err(text)
}
