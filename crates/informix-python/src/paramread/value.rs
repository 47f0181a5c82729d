//! One object as a parameter.

use informix::{Date, DateTime, Decimal, Interval, LobKind, LobLocator, ValueRef};
use informix_types::datetime::Parts;
use informix_types::{Field, Qualifier};
use pyo3::PyTypeInfo;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyFloat, PyInt,
    PyMemoryView, PyString, PyTime, PyTimeAccess, PyTzInfoAccess,
};

use super::{Reader, Sink, global, unfit, unsupported};
use crate::rowbuild::decimal::read as decimal_in_place;
use crate::{errors, values};

fn is<T: PyTypeInfo>(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<T>()
}

/// Reads one parameter.
#[inline]
pub(crate) fn put(
    value: &Bound<'_, PyAny>,
    at: usize,
    reader: &Reader<'_>,
    sink: &mut impl Sink,
) -> PyResult<()> {
    if by_exact_type(value, at, sink)? {
        return Ok(());
    }
    put_other(value, at, reader, sink)
}

/// An object of a class that is none of the usual ones.
#[cold]
fn put_other(value: &Bound<'_, PyAny>, at: usize, reader: &Reader<'_>, sink: &mut impl Sink) -> PyResult<()> {
    if by_subclass(value, at, sink)? {
        return Ok(());
    }
    let py = value.py();
    let adapter = match reader.adapters.find(value)? {
        Some(adapter) => Some(adapter),
        None => global().find(value)?,
    };
    if let Some(adapter) = adapter {
        let adapted = adapter.bind(py).call1((value,))?;
        // One step: an adapter that gives an unsupported value is the mistake to report.
        if by_exact_type(&adapted, at, sink)? || by_subclass(&adapted, at, sink)? {
            return Ok(());
        }
        return Err(unsupported(&adapted, at));
    }
    if value.hasattr("__index__")? {
        let number = value.call_method0("__index__")?;
        return integer(&number, at, sink);
    }
    Err(unsupported(value, at))
}

/// Gives a value to the sink. What the sink refuses is told with the object's place and type.
#[inline]
fn give(object: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink, value: ValueRef<'_>) -> PyResult<()> {
    sink.put(value).map_err(|e| {
        let why = std::error::Error::source(&e).map_or_else(|| e.message(), ToString::to_string);
        unfit(object, at, &why)
    })
}

/// `false` when the object's class is none of those whose objects are parameters as they are.
fn by_exact_type(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<bool> {
    let py = value.py();
    if is::<PyInt>(value) {
        integer(value, at, sink)?;
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        string(text, at, sink)?;
    } else if let Ok(number) = value.cast_exact::<PyFloat>() {
        float(number, at, sink)?;
    } else if value.is_none() {
        give(value, at, sink, ValueRef::Null)?;
    } else if value.get_type_ptr() == values::decimal(py)?.as_type_ptr() {
        decimal(value, at, sink)?;
    } else if let Ok(date) = value.cast_exact::<PyDate>() {
        self::date(date, at, sink)?;
    } else if let Ok(time) = value.cast_exact::<PyDateTime>() {
        datetime(time, at, sink)?;
    } else if let Ok(flag) = value.cast_exact::<PyBool>() {
        give(value, at, sink, ValueRef::Boolean(flag.is_true()))?;
    } else if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        give(value, at, sink, ValueRef::Bytes(bytes.as_bytes()))?;
    } else if let Ok(span) = value.cast_exact::<PyDelta>() {
        timedelta(span, at, sink)?;
    } else if let Ok(time) = value.cast_exact::<PyTime>() {
        self::time(time, at, sink)?;
    } else if let Ok(bytes) = value.cast_exact::<PyByteArray>() {
        give(value, at, sink, ValueRef::Bytes(&bytes.to_vec()))?;
    } else {
        return of_our_classes(value, at, sink);
    }
    Ok(true)
}

fn of_our_classes(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<bool> {
    let py = value.py();
    let class = value.get_type();
    if class.is(values::interval_ym(py)?) {
        let months: i64 = value.getattr("months")?.extract()?;
        let interval = Interval::from_months(months, Qualifier::YEAR9_TO_MONTH)
            .map_err(|e| unfit(value, at, &e.to_string()))?;
        give(value, at, sink, ValueRef::Interval(interval))?;
        return Ok(true);
    }
    let kind = if class.is(values::blob_locator(py)?) {
        LobKind::Blob
    } else if class.is(values::clob_locator(py)?) {
        LobKind::Clob
    } else {
        return Ok(false);
    };
    let locator = locator(value, kind).map_err(|e| unfit(value, at, &e))?;
    give(value, at, sink, ValueRef::LobLocator(&locator)).map(|()| true)
}

fn locator(value: &Bound<'_, PyAny>, kind: LobKind) -> Result<LobLocator, String> {
    let raw: Vec<u8> = value
        .getattr("raw")
        .and_then(|raw| raw.extract())
        .map_err(|e| e.to_string())?;
    LobLocator::from_body(kind, &raw).map_err(|e| e.to_string())
}

/// The locator in a BlobLocator or ClobLocator.
pub(crate) fn any_locator(value: &Bound<'_, PyAny>) -> PyResult<LobLocator> {
    let py = value.py();
    let kind = if value.is_instance(values::clob_locator(py)?)? {
        LobKind::Clob
    } else if value.is_instance(values::blob_locator(py)?)? {
        LobKind::Blob
    } else {
        return Err(errors::interface(py, "a BlobLocator or ClobLocator is needed"));
    };
    locator(value, kind).map_err(|e| errors::raise(py, "DataError", &e))
}

fn by_subclass(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<bool> {
    let py = value.py();
    if value.is_instance(values::enumeration(py)?)? {
        let inner = value.getattr("value")?;
        return Ok(by_exact_type(&inner, at, sink)? || by_subclass_of_builtin(&inner, at, sink)?);
    }
    if value.is_instance(values::uuid(py)?)? {
        string(&value.str()?, at, sink)?;
        return Ok(true);
    }
    by_subclass_of_builtin(value, at, sink)
}

fn by_subclass_of_builtin(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<bool> {
    let py = value.py();
    if value.is_instance_of::<PyInt>() {
        integer(value, at, sink)?;
    } else if let Ok(text) = value.cast::<PyString>() {
        string(text, at, sink)?;
    } else if let Ok(number) = value.cast::<PyFloat>() {
        float(number, at, sink)?;
    } else if let Ok(time) = value.cast::<PyDateTime>() {
        datetime(time, at, sink)?;
    } else if let Ok(date) = value.cast::<PyDate>() {
        self::date(date, at, sink)?;
    } else if value.is_instance(values::decimal(py)?)? {
        decimal_by_text(value, at, sink)?;
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        give(value, at, sink, ValueRef::Bytes(bytes.as_bytes()))?;
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        give(value, at, sink, ValueRef::Bytes(&bytes.to_vec()))?;
    } else if value.is_instance_of::<PyMemoryView>() {
        let buffer =
            PyBuffer::<u8>::get(value).map_err(|_| unfit(value, at, "the memoryview does not hold bytes"))?;
        give(value, at, sink, ValueRef::Bytes(&buffer.to_vec(py)?))?;
    } else if let Ok(span) = value.cast::<PyDelta>() {
        timedelta(span, at, sink)?;
    } else if let Ok(time) = value.cast::<PyTime>() {
        self::time(time, at, sink)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn integer(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    if let Ok(number) = value.extract::<i64>() {
        let number = match i32::try_from(number) {
            Ok(small) => ValueRef::Integer(small),
            Err(_) => ValueRef::BigInt(number),
        };
        return give(value, at, sink, number);
    }
    let wide = value
        .extract::<i128>()
        .ok()
        .and_then(|n| Decimal::new(n < 0, n.unsigned_abs(), 0).ok());
    match wide {
        Some(number) => give(value, at, sink, ValueRef::Decimal(number)),
        None => Err(unfit(
            value,
            at,
            "the integer has more than the 32 digits of a DECIMAL",
        )),
    }
}

/// Informix has neither infinities nor NaN: its NULL is one.
fn float(number: &Bound<'_, PyFloat>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    let value = number.value();
    if value.is_finite() {
        give(number, at, sink, ValueRef::Float(value))
    } else {
        Err(unfit(
            number,
            at,
            &format!("{value} is no number that Informix has"),
        ))
    }
}

fn string(text: &Bound<'_, PyString>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    match text.to_cow() {
        Ok(content) => give(text, at, sink, ValueRef::Text(&content)),
        Err(e) => Err(unfit(text, at, &e.to_string())),
    }
}

fn decimal(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    let known = decimal_in_place(value).and_then(|(n, c, e)| Decimal::new(n, c, e).ok());
    match known {
        Some(number) => give(value, at, sink, ValueRef::Decimal(number)),
        None => decimal_by_text(value, at, sink),
    }
}

fn decimal_by_text(value: &Bound<'_, PyAny>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    let text = value.str()?;
    let text = text.to_cow()?;
    let number: Decimal = text.parse().map_err(|e: informix_types::Error| {
        let finite = !text.contains("NaN") && !text.contains("Inf");
        unfit(
            value,
            at,
            &if finite {
                e.to_string()
            } else {
                format!("{text} is no number")
            },
        )
    })?;
    give(value, at, sink, ValueRef::Decimal(number))
}

fn date(value: &Bound<'_, PyDate>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    let day = Date::from_ymd(value.get_year(), value.get_month(), value.get_day())
        .map_err(|e| unfit(value, at, &e.to_string()))?;
    give(value, at, sink, ValueRef::Date(day))
}

fn end_of(microsecond: u32) -> Field {
    if microsecond == 0 {
        Field::Second
    } else {
        Field::Fraction(5)
    }
}

fn made(
    value: &Bound<'_, PyAny>,
    at: usize,
    sink: &mut impl Sink,
    (start, end): (Field, Field),
    parts: Parts,
) -> PyResult<()> {
    let made = Qualifier::datetime(start, end)
        .and_then(|qualifier| DateTime::new(qualifier, parts))
        .map_err(|e| unfit(value, at, &e.to_string()))?;
    give(value, at, sink, ValueRef::DateTime(made))
}

/// YEAR TO SECOND, or YEAR TO FRACTION(5): the sixth digit of a microsecond has no place in Informix and is cut off.
fn datetime(value: &Bound<'_, PyDateTime>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    if value.get_tzinfo().is_some() {
        return Err(unfit(
            value,
            at,
            "Informix has no time zones: convert to a naive datetime first",
        ));
    }
    let parts = Parts {
        year: u16::try_from(value.get_year()).unwrap_or(0),
        month: value.get_month(),
        day: value.get_day(),
        hour: value.get_hour(),
        minute: value.get_minute(),
        second: value.get_second(),
        fraction: value.get_microsecond() / 10,
    };
    let fields = (Field::Year, end_of(value.get_microsecond()));
    made(value, at, sink, fields, parts)
}

fn time(value: &Bound<'_, PyTime>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    if value.get_tzinfo().is_some() {
        return Err(unfit(
            value,
            at,
            "Informix has no time zones: convert to a naive time first",
        ));
    }
    let parts = Parts {
        hour: value.get_hour(),
        minute: value.get_minute(),
        second: value.get_second(),
        fraction: value.get_microsecond() / 10,
        ..Parts::default()
    };
    let fields = (Field::Hour, end_of(value.get_microsecond()));
    made(value, at, sink, fields, parts)
}

/// DAY(9) TO FRACTION(5).
fn timedelta(value: &Bound<'_, PyDelta>, at: usize, sink: &mut impl Sink) -> PyResult<()> {
    let seconds = i64::from(value.get_days()) * 86_400 + i64::from(value.get_seconds());
    let micros = i128::from(seconds) * 1_000_000 + i128::from(value.get_microseconds());
    let units = i64::try_from(micros / 10).map_err(|_| unfit(value, at, "the span is too long"))?;
    let interval = Interval::from_units(units, Qualifier::DAY9_TO_FRACTION5)
        .map_err(|e| unfit(value, at, &e.to_string()))?;
    give(value, at, sink, ValueRef::Interval(interval))
}
