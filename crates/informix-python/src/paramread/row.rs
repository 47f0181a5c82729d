//! The objects of one execution: a sequence, or a mapping by the names of the markers.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString, PyTuple};

use super::{Reader, Sink, put, type_name};
use crate::errors;
use crate::markers::Key;

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
    sink: &mut impl Sink,
) -> PyResult<()> {
    let py = values.py();
    if keys.is_none()
        && let Ok(tuple) = values.cast::<PyTuple>()
    {
        return tuple
            .iter_borrowed()
            .enumerate()
            .try_for_each(|(at, value)| put(&value, at, reader, sink));
    }
    if keys.is_none()
        && let Ok(list) = values.cast::<PyList>()
    {
        return list
            .iter()
            .enumerate()
            .try_for_each(|(at, value)| put(&value, at, reader, sink));
    }
    match (row(values)?, keys) {
        (Row::List(list), None) => list
            .iter()
            .enumerate()
            .try_for_each(|(at, value)| put(value, at, reader, sink)),
        (Row::List(list), Some(keys)) => by_number(py, &list, keys, reader, sink),
        (Row::Map(map), Some(keys)) => keys.iter().enumerate().try_for_each(|(at, key)| {
            let name = match key {
                Key::Name(name) => name.clone(),
                Key::Number(number) => number.to_string(),
            };
            let value = map
                .get_item(&name)
                .map_err(|_| errors::programming(py, &format!("no value for the marker :{name}")))?;
            put(&value, at, reader, sink)
        }),
        (Row::Map(map), None) if map.is_empty()? => Ok(()),
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
    sink: &mut impl Sink,
) -> PyResult<()> {
    // A mistake in the number is told before one in a value.
    let mut chosen = Vec::with_capacity(keys.len());
    let mut highest = 0;
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
        chosen.push((index.unwrap_or(at), value));
    }
    if list.len() > highest {
        return Err(errors::programming(
            py,
            &format!("{} values were given, the markers use {highest}", list.len()),
        ));
    }
    chosen
        .into_iter()
        .try_for_each(|(at, value)| put(value, at, reader, sink))
}
