//! Python objects to parameters. The exact type is tried first, then subclasses, then registered adapters; what cannot be
//! sent is refused here, before anything is sent, with its position and type.

use std::sync::{Mutex, OnceLock, PoisonError};

use informix::Parameter;
use informix_types::datetime::Parts;
use informix_types::{
    Date, DateTime, Decimal, Field, Interval, LobKind, LobLocator, Qualifier, TextCodec, Value,
};
use pyo3::PyTypeInfo;
use pyo3::buffer::PyBuffer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyDict, PyFloat,
    PyInt, PyList, PyMapping, PyMemoryView, PyString, PyTime, PyTimeAccess, PyTuple, PyType, PyTzInfoAccess,
};

use crate::markers::Key;
use crate::{errors, values};

/// Adapters by class.
#[derive(Default)]
pub(crate) struct Adapters(Mutex<Vec<(Py<PyType>, Py<PyAny>)>>);

/// What parameters are read with.
pub(crate) struct Reader<'a> {
    /// Those of the connection.
    pub(crate) adapters: &'a Adapters,
    /// The code set that text must fit.
    pub(crate) codec: TextCodec,
}

fn global() -> &'static Adapters {
    static GLOBAL: OnceLock<Adapters> = OnceLock::new();
    GLOBAL.get_or_init(Adapters::default)
}

/// Registers an adapter for every connection.
#[pyfunction]
pub(crate) fn register_adapter(r#type: &Bound<'_, PyType>, adapter: Option<Py<PyAny>>) {
    global().set(r#type, adapter);
}

impl Adapters {
    /// Sets or removes the adapter of a class.
    pub(crate) fn set(&self, class: &Bound<'_, PyType>, adapter: Option<Py<PyAny>>) {
        let mut old = Vec::new();
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in std::mem::take(&mut *list) {
            if entry.0.bind(class.py()).is(class) {
                old.push(entry);
            } else {
                list.push(entry);
            }
        }
        if let Some(adapter) = adapter {
            list.push((class.clone().unbind(), adapter));
        }
        // Objects are let go of outside the lock: that may run Python code.
        drop(list);
        drop(old);
    }

    /// For the garbage collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(list) = self.0.try_lock() {
            for (class, adapter) in list.iter() {
                visit.call(class)?;
                visit.call(adapter)?;
            }
        }
        Ok(())
    }

    /// Removes all.
    pub(crate) fn clear(&self) {
        let old = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(old);
    }

    fn find(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let py = value.py();
        let list: Vec<_> = {
            let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            list.iter()
                .map(|(c, a)| (c.clone_ref(py), a.clone_ref(py)))
                .collect()
        };
        // The last registered class wins, as the more special one is usually named later.
        for (class, adapter) in list.into_iter().rev() {
            if value.is_instance(class.bind(py))? {
                return Ok(Some(adapter));
            }
        }
        Ok(None)
    }
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    value
        .get_type()
        .qualname()
        .map_or_else(|_| "object".to_owned(), |n| n.to_string())
}

/// A value that has no counterpart.
fn unfit(value: &Bound<'_, PyAny>, at: usize, why: &str) -> PyErr {
    let py = value.py();
    errors::raise(
        py,
        "DataError",
        &format!("parameter {} ({}): {why}", at + 1, type_name(value)),
    )
}

/// A value of a type that cannot be a parameter: NotImplementedError, as with the peer, which the Python side may make a DB-API
/// class too (`ParameterTypeError`).
fn unsupported(value: &Bound<'_, PyAny>, at: usize) -> PyErr {
    let py = value.py();
    let text = format!(
        "parameter {}: values of type {} cannot be sent; register an adapter for the type",
        at + 1,
        type_name(value)
    );
    match errors::class(py, "ParameterTypeError").and_then(|class| class.call1((&text,))) {
        Ok(instance) => PyErr::from_value(instance),
        Err(_) => pyo3::exceptions::PyNotImplementedError::new_err(text),
    }
}

fn is<T: PyTypeInfo>(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<T>()
}

/// Reads one parameter.
pub(crate) fn read(value: &Bound<'_, PyAny>, at: usize, reader: &Reader<'_>) -> PyResult<Parameter> {
    if let Some(parameter) = by_exact_type(value, at, reader)? {
        return Ok(parameter);
    }
    if let Some(parameter) = by_subclass(value, at, reader)? {
        return Ok(parameter);
    }
    let py = value.py();
    let adapter = match reader.adapters.find(value)? {
        Some(adapter) => Some(adapter),
        None => global().find(value)?,
    };
    if let Some(adapter) = adapter {
        let adapted = adapter.bind(py).call1((value,))?;
        // One step: an adapter that gives an unsupported value is the mistake to report.
        return match by_exact_type(&adapted, at, reader)? {
            Some(parameter) => Ok(parameter),
            None => by_subclass(&adapted, at, reader)?.ok_or_else(|| unsupported(&adapted, at)),
        };
    }
    if value.hasattr("__index__")? {
        let number = value.call_method0("__index__")?;
        return integer(&number, at);
    }
    Err(unsupported(value, at))
}

fn by_exact_type(value: &Bound<'_, PyAny>, at: usize, reader: &Reader<'_>) -> PyResult<Option<Parameter>> {
    Ok(Some(if is::<PyInt>(value) {
        integer(value, at)?
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        Parameter::Value(Value::Text(string(text, at, reader)?))
    } else if value.is_none() {
        Parameter::Value(Value::Null)
    } else if let Ok(number) = value.cast_exact::<PyFloat>() {
        float(number, at)?
    } else if let Ok(date) = value.cast_exact::<PyDate>() {
        self::date(date, at)?
    } else if let Ok(time) = value.cast_exact::<PyDateTime>() {
        datetime(time, at)?
    } else if value.get_type().is(values::decimal(value.py())?) {
        decimal(value, at)?
    } else if let Ok(flag) = value.cast_exact::<PyBool>() {
        Parameter::Value(Value::Boolean(flag.is_true()))
    } else if let Ok(bytes) = value.cast_exact::<PyBytes>() {
        Parameter::Byte(bytes.as_bytes().to_vec())
    } else if let Ok(span) = value.cast_exact::<PyDelta>() {
        timedelta(span, at)?
    } else if let Ok(time) = value.cast_exact::<PyTime>() {
        self::time(time, at)?
    } else if let Ok(bytes) = value.cast_exact::<PyByteArray>() {
        Parameter::Byte(bytes.to_vec())
    } else {
        return of_our_classes(value, at);
    }))
}

fn of_our_classes(value: &Bound<'_, PyAny>, at: usize) -> PyResult<Option<Parameter>> {
    let py = value.py();
    let class = value.get_type();
    if class.is(values::interval_ym(py)?) {
        let months: i64 = value.getattr("months")?.extract()?;
        let interval = Interval::from_months(months, Qualifier::YEAR9_TO_MONTH)
            .map_err(|e| unfit(value, at, &e.to_string()))?;
        return Ok(Some(Parameter::Value(Value::Interval(interval))));
    }
    let kind = if class.is(values::blob_locator(py)?) {
        LobKind::Blob
    } else if class.is(values::clob_locator(py)?) {
        LobKind::Clob
    } else {
        return Ok(None);
    };
    locator(value, kind)
        .map(|l| Some(Parameter::Value(Value::LobLocator(Box::new(l)))))
        .map_err(|e| unfit(value, at, &e))
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

fn by_subclass(value: &Bound<'_, PyAny>, at: usize, reader: &Reader<'_>) -> PyResult<Option<Parameter>> {
    let py = value.py();
    Ok(Some(if value.is_instance(values::enumeration(py)?)? {
        let inner = value.getattr("value")?;
        match by_exact_type(&inner, at, reader)? {
            Some(parameter) => parameter,
            None => return by_subclass_of_builtin(&inner, at, reader),
        }
    } else if value.is_instance(values::uuid(py)?)? {
        Parameter::Value(Value::Text(value.str()?.extract()?))
    } else {
        return by_subclass_of_builtin(value, at, reader);
    }))
}

fn by_subclass_of_builtin(
    value: &Bound<'_, PyAny>,
    at: usize,
    reader: &Reader<'_>,
) -> PyResult<Option<Parameter>> {
    let py = value.py();
    Ok(Some(if value.is_instance_of::<PyInt>() {
        integer(value, at)?
    } else if let Ok(text) = value.cast::<PyString>() {
        Parameter::Value(Value::Text(string(text, at, reader)?))
    } else if let Ok(number) = value.cast::<PyFloat>() {
        float(number, at)?
    } else if let Ok(time) = value.cast::<PyDateTime>() {
        datetime(time, at)?
    } else if let Ok(date) = value.cast::<PyDate>() {
        self::date(date, at)?
    } else if value.is_instance(values::decimal(py)?)? {
        decimal(value, at)?
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        Parameter::Byte(bytes.as_bytes().to_vec())
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        Parameter::Byte(bytes.to_vec())
    } else if value.is_instance_of::<PyMemoryView>() {
        let buffer =
            PyBuffer::<u8>::get(value).map_err(|_| unfit(value, at, "the memoryview does not hold bytes"))?;
        Parameter::Byte(buffer.to_vec(py)?)
    } else if let Ok(span) = value.cast::<PyDelta>() {
        timedelta(span, at)?
    } else if let Ok(time) = value.cast::<PyTime>() {
        self::time(time, at)?
    } else {
        return Ok(None);
    }))
}

fn integer(value: &Bound<'_, PyAny>, at: usize) -> PyResult<Parameter> {
    if let Ok(number) = value.extract::<i64>() {
        return Ok(Parameter::from(match i32::try_from(number) {
            Ok(small) => Value::Integer(small),
            Err(_) => Value::BigInt(number),
        }));
    }
    let wide = value
        .extract::<i128>()
        .ok()
        .and_then(|n| Decimal::new(n < 0, n.unsigned_abs(), 0).ok());
    match wide {
        Some(number) => Ok(Parameter::Value(Value::Decimal(number))),
        None => Err(unfit(
            value,
            at,
            "the integer has more than the 32 digits of a DECIMAL",
        )),
    }
}

/// Informix has neither infinities nor NaN: its NULL is one.
fn float(number: &Bound<'_, PyFloat>, at: usize) -> PyResult<Parameter> {
    let value = number.value();
    if value.is_finite() {
        Ok(Parameter::Value(Value::Float(value)))
    } else {
        Err(unfit(
            number,
            at,
            &format!("{value} is no number that Informix has"),
        ))
    }
}

fn string(text: &Bound<'_, PyString>, at: usize, reader: &Reader<'_>) -> PyResult<String> {
    let content = match text.to_cow() {
        Ok(content) => content,
        Err(e) => return Err(unfit(text, at, &e.to_string())),
    };
    if !content.is_ascii()
        && let Err(e) = reader.codec.encode(&content)
    {
        return Err(unfit(text, at, &e.to_string()));
    }
    Ok(content.into_owned())
}

fn decimal(value: &Bound<'_, PyAny>, at: usize) -> PyResult<Parameter> {
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
    Ok(Parameter::Value(Value::Decimal(number)))
}

fn date(value: &Bound<'_, PyDate>, at: usize) -> PyResult<Parameter> {
    Date::from_ymd(value.get_year(), value.get_month(), value.get_day())
        .map(|d| Parameter::Value(Value::Date(d)))
        .map_err(|e| unfit(value, at, &e.to_string()))
}

fn end_of(microsecond: u32) -> Field {
    if microsecond == 0 {
        Field::Second
    } else {
        Field::Fraction(5)
    }
}

fn made(value: &Bound<'_, PyAny>, at: usize, start: Field, end: Field, parts: Parts) -> PyResult<Parameter> {
    Qualifier::datetime(start, end)
        .and_then(|qualifier| DateTime::new(qualifier, parts))
        .map(|d| Parameter::Value(Value::DateTime(d)))
        .map_err(|e| unfit(value, at, &e.to_string()))
}

/// YEAR TO SECOND, or YEAR TO FRACTION(5): the sixth digit of a microsecond has no place in Informix and is cut off.
fn datetime(value: &Bound<'_, PyDateTime>, at: usize) -> PyResult<Parameter> {
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
    made(value, at, Field::Year, end_of(value.get_microsecond()), parts)
}

fn time(value: &Bound<'_, PyTime>, at: usize) -> PyResult<Parameter> {
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
    made(value, at, Field::Hour, end_of(value.get_microsecond()), parts)
}

/// DAY(9) TO FRACTION(5).
fn timedelta(value: &Bound<'_, PyDelta>, at: usize) -> PyResult<Parameter> {
    let seconds = i64::from(value.get_days()) * 86_400 + i64::from(value.get_seconds());
    let micros = i128::from(seconds) * 1_000_000 + i128::from(value.get_microseconds());
    let units = i64::try_from(micros / 10).map_err(|_| unfit(value, at, "the span is too long"))?;
    Interval::from_units(units, Qualifier::DAY9_TO_FRACTION5)
        .map(|i| Parameter::Value(Value::Interval(i)))
        .map_err(|e| unfit(value, at, &e.to_string()))
}

/// The values of one execution as a sequence of objects.
enum Row<'py> {
    List(Vec<Bound<'py, PyAny>>),
    Map(Bound<'py, PyMapping>),
}

fn row<'py>(values: &Bound<'py, PyAny>) -> PyResult<Row<'py>> {
    if let Ok(tuple) = values.cast::<PyTuple>() {
        return Ok(Row::List(tuple.iter().collect()));
    }
    if let Ok(list) = values.cast::<PyList>() {
        return Ok(Row::List(list.iter().collect()));
    }
    if let Ok(map) = values.cast::<PyDict>() {
        return Ok(Row::Map(map.clone().into_mapping()));
    }
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() {
        return Err(errors::programming(
            values.py(),
            "parameters must be a sequence of values or a mapping, not one string",
        ));
    }
    if let Ok(map) = values.cast::<PyMapping>() {
        return Ok(Row::Map(map.clone()));
    }
    match values.try_iter() {
        Ok(iterator) => Ok(Row::List(iterator.collect::<PyResult<_>>()?)),
        Err(_) => Err(errors::programming(
            values.py(),
            &format!(
                "parameters must be a sequence of values or a mapping, not {}",
                type_name(values)
            ),
        )),
    }
}

/// Whether no values are given: None, or an empty sequence.
pub(crate) fn is_nothing(values: &Bound<'_, PyAny>) -> bool {
    values.is_none() || values.len().is_ok_and(|n| n == 0)
}

/// Reads the parameters of one execution in the order of the markers.
pub(crate) fn read_all(
    values: &Bound<'_, PyAny>,
    keys: Option<&[Key]>,
    reader: &Reader<'_>,
) -> PyResult<Vec<Parameter>> {
    let py = values.py();
    match (row(values)?, keys) {
        (Row::List(list), None) => list
            .iter()
            .enumerate()
            .map(|(at, v)| read(v, at, reader))
            .collect(),
        (Row::List(list), Some(keys)) => by_number(py, &list, keys, reader),
        (Row::Map(map), Some(keys)) => keys
            .iter()
            .enumerate()
            .map(|(at, key)| {
                let name = match key {
                    Key::Name(name) => name.clone(),
                    Key::Number(number) => number.to_string(),
                };
                let value = map
                    .get_item(&name)
                    .map_err(|_| errors::programming(py, &format!("no value for the marker :{name}")))?;
                read(&value, at, reader)
            })
            .collect(),
        (Row::Map(map), None) if map.is_empty()? => Ok(Vec::new()),
        (Row::Map(_), None) => Err(errors::raise(
            py,
            "NotSupportedError",
            "a mapping needs :name markers; ? and :1 take positional values",
        )),
    }
}

fn by_number(
    py: Python<'_>,
    list: &[Bound<'_, PyAny>],
    keys: &[Key],
    reader: &Reader<'_>,
) -> PyResult<Vec<Parameter>> {
    let mut highest = 0;
    let mut parameters = Vec::with_capacity(keys.len());
    for (at, key) in keys.iter().enumerate() {
        let index = match key {
            Key::Number(number) => {
                highest = highest.max(*number);
                number.checked_sub(1)
            }
            // Names filled by position, in order of appearance.
            Key::Name(_) => {
                highest = keys.len();
                Some(at)
            }
        };
        let value = index.and_then(|i| list.get(i)).ok_or_else(|| {
            let marker = match key {
                Key::Number(number) => number.to_string(),
                Key::Name(name) => name.clone(),
            };
            errors::programming(
                py,
                &format!(
                    "marker :{marker} has no value among the {} that were given",
                    list.len()
                ),
            )
        })?;
        parameters.push(read(value, index.unwrap_or(at), reader)?);
    }
    if list.len() > highest {
        return Err(errors::programming(
            py,
            &format!("{} values were given, the markers use {highest}", list.len()),
        ));
    }
    Ok(parameters)
}
