//! Cells to Python objects. One plan per statement, made when it is described; rows are filled without any form in
//! between. Objects are built by the C API directly, since their allocation is nearly all of the cost.

#![allow(unsafe_code)]

pub(crate) mod decimal;

use std::collections::HashMap;
use std::sync::Arc;

use informix::driver::Batch;
use informix::{Column, Columns};
use informix_types::row::{Cell, CellType};
use informix_types::{DateTime, Field, Interval, LobKind, TextCodec, TypeCode};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDelta, PyList, PyString, PyTime};

use crate::{errors, values};

/// Functions that values of a type go through, by SQLI type number.
pub(crate) type Converters = HashMap<u16, Py<PyAny>>;

struct ColumnPlan {
    cell: CellType,
    column: Column,
    converter: Option<Py<PyAny>>,
}

/// How the rows of one result become Python objects.
pub(crate) struct Plan {
    columns: Vec<ColumnPlan>,
    codec: TextCodec,
    /// Rows hold nothing that could be part of a cycle: the garbage collector need not look at them.
    atomic: bool,
    /// Turns a tuple into what the row factory wants.
    maker: Option<Py<PyAny>>,
}

/// An owned object, not yet in a tuple.
type Owned<'py> = Bound<'py, PyAny>;

/// Gets ready at import.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    decimal::prepare(py)
}

/// A `Decimal` object.
pub(crate) fn decimal_object<'py>(
    py: Python<'py>,
    value: &informix_types::Decimal,
) -> PyResult<Bound<'py, PyAny>> {
    decimal::build(py, value)
}

fn bad_cell(py: Python<'_>, column: &Column, why: &str) -> PyErr {
    errors::raise(
        py,
        "DataError",
        &format!(
            "column {:?} ({}): {why}",
            column.name(),
            column.column_type().sql_name()
        ),
    )
}

impl Plan {
    /// Makes the plan of a result.
    pub(crate) fn new(
        py: Python<'_>,
        columns: &Arc<Columns>,
        codec: TextCodec,
        converters: &Converters,
        factory: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let mut list = Vec::with_capacity(columns.len());
        let mut atomic = true;
        for column in columns.iter() {
            let ty = column.column_type();
            let cell = CellType::new(ty).map_err(|e| bad_cell(py, column, &e.to_string()))?;
            let converter = converters.get(&(ty.code.wire() & 0xff)).map(|c| c.clone_ref(py));
            atomic &= converter.is_none() && !matches!(cell, CellType::Composite);
            list.push(ColumnPlan {
                cell,
                column: column.clone(),
                converter,
            });
        }
        let maker = values::row_maker(py, factory, columns.iter().map(Column::name).collect())?;
        Ok(Self {
            columns: list,
            codec,
            atomic,
            maker,
        })
    }

    /// Fills a list with rows `from` to `to` of a batch.
    pub(crate) fn append(
        &self,
        py: Python<'_>,
        batch: &Batch,
        from: usize,
        to: usize,
        list: &Bound<'_, PyList>,
    ) -> PyResult<()> {
        for row in from..to {
            list.append(self.row(py, batch, row)?)?;
        }
        Ok(())
    }

    /// One row.
    pub(crate) fn row<'py>(&self, py: Python<'py>, batch: &Batch, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let tuple = self.tuple(py, batch, row)?;
        match &self.maker {
            None => Ok(tuple),
            Some(maker) => maker.bind(py).call1((tuple,)),
        }
    }

    fn tuple<'py>(&self, py: Python<'py>, batch: &Batch, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let width = self.columns.len();
        // SAFETY: PyTuple_New gives an owned tuple or NULL with an exception set, which is what
        // from_owned_ptr_or_err takes. Its items are NULL until they are set below; dropping it then is allowed.
        let tuple = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyTuple_New(width as ffi::Py_ssize_t))? };
        for (index, plan) in self.columns.iter().enumerate() {
            let item = plan.build(py, batch, row, index, self.codec)?;
            // SAFETY: the tuple is exactly `width` long and nobody else has seen it; each item is set once, and its
            // reference is given to the tuple.
            unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), index as ffi::Py_ssize_t, item.into_ptr()) };
        }
        if self.atomic && width > 0 {
            // SAFETY: a tuple from PyTuple_New is tracked; CPython itself untracks tuples of atomic items when it finds
            // them. The empty tuple is shared and left alone.
            unsafe { ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast()) };
        }
        Ok(tuple)
    }
}

impl ColumnPlan {
    fn build<'py>(
        &self,
        py: Python<'py>,
        batch: &Batch,
        row: usize,
        index: usize,
        codec: TextCodec,
    ) -> PyResult<Owned<'py>> {
        let Some(bytes) = batch.cell(row, index) else {
            return Err(bad_cell(py, &self.column, "the row has no such cell"));
        };
        let cell = match self.cell.decode(bytes) {
            Ok(cell) => cell,
            Err(e) => return Err(bad_cell(py, &self.column, &e.to_string())),
        };
        let value = match cell {
            Cell::Null => return Ok(py.None().into_bound(py)),
            Cell::Integer(v) => long(py, i64::from(v))?,
            Cell::SmallInt(v) => long(py, i64::from(v))?,
            Cell::BigInt(v) | Cell::Int8(v) => long(py, v)?,
            Cell::Float(v) => float(py, v)?,
            Cell::SmallFloat(v) => float(py, f64::from(v))?,
            Cell::Char(bytes) => {
                let end = bytes.iter().rposition(|b| *b != b' ').map_or(0, |last| last + 1);
                self.text(py, bytes.get(..end).unwrap_or_default(), codec)?
            }
            Cell::Text(bytes) if matches!(self.cell, CellType::Composite) => self.composite(py, bytes)?,
            Cell::Text(bytes) => self.text(py, bytes, codec)?,
            Cell::Decimal(v) => decimal::build(py, &v)?,
            Cell::Date(v) => {
                let (year, month, day) = v.ymd();
                PyDate::new(py, year, month, day)?.into_any()
            }
            Cell::DateTime(v) => datetime(py, &v)?,
            Cell::Interval(v) => interval(py, &v)?,
            Cell::Boolean(v) => pyo3::types::PyBool::new(py, v).to_owned().into_any(),
            Cell::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
            Cell::SimpleLob(descriptor) => match batch.contents(row, index) {
                Some(contents) if self.column.column_type().code == TypeCode::Text => {
                    self.text(py, contents, codec)?
                }
                Some(contents) => PyBytes::new(py, contents).into_any(),
                None if descriptor.is_null() => return Ok(py.None().into_bound(py)),
                None => {
                    return Err(bad_cell(
                        py,
                        &self.column,
                        "the contents were not read with the row",
                    ));
                }
            },
            Cell::LobLocator(locator) => {
                let class = match locator.kind() {
                    LobKind::Blob => values::blob_locator(py)?,
                    LobKind::Clob => values::clob_locator(py)?,
                };
                class.call1((PyBytes::new(py, locator.as_bytes()),))?
            }
        };
        match &self.converter {
            None => Ok(value),
            Some(converter) => converter.bind(py).call1((value,)),
        }
    }

    fn text<'py>(&self, py: Python<'py>, bytes: &[u8], codec: TextCodec) -> PyResult<Owned<'py>> {
        if bytes.is_ascii() {
            return ascii(py, bytes);
        }
        match codec.decode(bytes) {
            Ok(text) => Ok(PyString::new(py, &text).into_any()),
            Err(e) => Err(bad_cell(py, &self.column, &e.to_string())),
        }
    }

    fn composite<'py>(&self, py: Python<'py>, raw: &[u8]) -> PyResult<Owned<'py>> {
        let ty = self.column.column_type();
        let raw = PyBytes::new(py, raw);
        let kind = match ty.code {
            TypeCode::Row => return values::row_value(py)?.call1((raw, &ty.extended_name)),
            TypeCode::Set => "set",
            TypeCode::MultiSet => "multiset",
            TypeCode::List => "list",
            _ => "collection",
        };
        values::collection_value(py)?.call1((raw, kind, &ty.extended_name))
    }
}

fn long(py: Python<'_>, value: i64) -> PyResult<Owned<'_>> {
    // SAFETY: gives an owned object, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyLong_FromLongLong(value)) }
}

fn float(py: Python<'_>, value: f64) -> PyResult<Owned<'_>> {
    // SAFETY: gives an owned object, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyFloat_FromDouble(value)) }
}

/// A string of ASCII bytes: checked by the caller, copied without a second look.
fn ascii<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Owned<'py>> {
    debug_assert!(bytes.is_ascii());
    // SAFETY: gives an owned string, or NULL with an exception set.
    let text =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_New(bytes.len() as ffi::Py_ssize_t, 127))? };
    if !bytes.is_empty() {
        // SAFETY: a string made for a largest character of 127 has room for one byte per character, is not shared yet, and
        // the bytes are ASCII. (The empty string is shared, and nothing is written to it.)
        unsafe {
            let data = ffi::PyUnicode_DATA(text.as_ptr()).cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        }
    }
    Ok(text)
}

/// `date`, `time` or `datetime`, by the qualifier; fields that it does not have are 1 (year, month, day) or 0.
fn datetime<'py>(py: Python<'py>, value: &DateTime) -> PyResult<Owned<'py>> {
    let qualifier = value.qualifier();
    let parts = value.parts();
    let micros = parts.fraction * 10;
    let or_one = |field: Field, v: u16| if qualifier.contains(field) { v } else { 1 };
    if !(qualifier.contains(Field::Year)
        || qualifier.contains(Field::Month)
        || qualifier.contains(Field::Day))
    {
        return Ok(PyTime::new(py, parts.hour, parts.minute, parts.second, micros, None)?.into_any());
    }
    let year = i32::from(or_one(Field::Year, parts.year));
    let month = or_one(Field::Month, u16::from(parts.month)) as u8;
    let day = or_one(Field::Day, u16::from(parts.day)) as u8;
    if !qualifier.contains(Field::Hour) {
        return Ok(PyDate::new(py, year, month, day)?.into_any());
    }
    let value = PyDateTime::new(
        py,
        year,
        month,
        day,
        parts.hour,
        parts.minute,
        parts.second,
        micros,
        None,
    )?;
    Ok(value.into_any())
}

fn interval<'py>(py: Python<'py>, value: &Interval) -> PyResult<Owned<'py>> {
    if let Some(months) = value.months() {
        return values::interval_ym(py)?.call1((months,));
    }
    let micros = i128::from(value.units().unwrap_or(0)) * 10;
    let day = 86_400_000_000;
    let (days, rest) = (micros.div_euclid(day), micros.rem_euclid(day));
    let days = i32::try_from(days).unwrap_or(i32::MAX);
    let delta = PyDelta::new(
        py,
        days,
        (rest / 1_000_000) as i32,
        (rest % 1_000_000) as i32,
        false,
    )?;
    Ok(delta.into_any())
}

/// `description` in the form of the peer driver: name, type number, encoded length twice, 0, 0, whether NULL is possible.
pub(crate) fn description<'py>(py: Python<'py>, columns: &Columns) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for column in columns.iter() {
        let ty = column.column_type();
        let entry = (
            column.name(),
            ty.code.wire() & 0xff,
            ty.encoded_length,
            ty.encoded_length,
            0,
            0,
            ty.is_nullable(),
        );
        list.append(entry)?;
    }
    Ok(list)
}

/// The number of an SQL type given by number or name.
pub(crate) fn type_number(ty: &Bound<'_, PyAny>) -> PyResult<u16> {
    if let Ok(number) = ty.extract::<u16>() {
        return Ok(number & 0xff);
    }
    let name: String = ty.extract()?;
    TypeCode::ALL
        .iter()
        .find(|code| code.name().eq_ignore_ascii_case(&name))
        .map(|code| code.wire() & 0xff)
        .ok_or_else(|| errors::programming(ty.py(), &format!("there is no SQL type {name:?}")))
}
