//! Cells to Python objects. One plan per statement, made when it is described; rows are filled without any form in
//! between. Objects are built by the C API directly, since their allocation is nearly all of the cost.

#![allow(unsafe_code)]

mod cells;
pub(crate) mod decimal;
mod memo;

use std::collections::HashMap;

use informix::driver::Batch;
use informix::{Column, Columns};
use informix_types::{TextCodec, TypeCode};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use self::cells::{ColumnPlan, Place};
use crate::{errors, values};

/// Functions that values of a type go through, by SQLI type number.
pub(crate) type Converters = HashMap<u16, Py<PyAny>>;

/// How the rows of one result become Python objects.
pub(crate) struct Plan {
    columns: Vec<ColumnPlan>,
    /// Rows hold nothing that could be part of a cycle: the garbage collector need not look at them.
    atomic: bool,
    /// Turns a tuple into what the row factory wants.
    maker: Option<Py<PyAny>>,
}

/// Gets ready at import.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    decimal::prepare(py)
}

/// A `Decimal` object.
pub(crate) fn decimal_object<'py>(
    py: Python<'py>,
    value: &informix_types::Decimal,
) -> PyResult<Bound<'py, PyAny>> {
    decimal::build(py, value).ok_or_else(|| PyErr::fetch(py))
}

impl Plan {
    /// Makes the plan of a result.
    pub(crate) fn new(
        py: Python<'_>,
        columns: &Columns,
        codec: TextCodec,
        converters: &Converters,
        factory: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let mut list = Vec::with_capacity(columns.len());
        for column in columns {
            let code = column.column_type().code.wire() & 0xff;
            let converter = converters.get(&code).map(|c| c.clone_ref(py));
            list.push(ColumnPlan::new(py, column, codec, converter)?);
        }
        Ok(Self {
            atomic: !list.is_empty() && list.iter().all(ColumnPlan::is_atomic),
            columns: list,
            maker: values::row_maker(py, factory, columns.iter().map(Column::name).collect())?,
        })
    }

    /// Fills a list with rows `from` to `to` of a batch.
    pub(crate) fn append(
        &mut self,
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
    pub(crate) fn row<'py>(
        &mut self,
        py: Python<'py>,
        batch: &Batch,
        row: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tuple = self.tuple(py, batch, row).ok_or_else(|| PyErr::fetch(py))?;
        match &self.maker {
            None => Ok(tuple),
            Some(maker) => maker.bind(py).call1((tuple,)),
        }
    }

    /// A row as a tuple; nothing with an exception set.
    fn tuple<'py>(&mut self, py: Python<'py>, batch: &Batch, row: usize) -> Option<Bound<'py, PyAny>> {
        let width = self.columns.len();
        // SAFETY: PyTuple_New gives an owned tuple, or NULL with an exception set. Its items are NULL until they are set
        // below; dropping it then is allowed.
        let tuple = unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyTuple_New(width as ffi::Py_ssize_t))? };
        let (payload, ends) = batch.row(row).unwrap_or_default();
        let mut place = Place {
            cell: &[],
            batch,
            row,
            index: 0,
        };
        let mut start = 0;
        for plan in &mut self.columns {
            let end = ends.get(place.index).map_or(0, |end| *end as usize);
            let Some(cell) = payload.get(start..end) else {
                return plan.fail(py, "the row has no such cell");
            };
            place.cell = cell;
            let item = (plan.fill)(plan, py, &place)?;
            // SAFETY: the tuple is exactly `width` long and nobody else has seen it; each item is set once, and its
            // reference is given to the tuple.
            unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), place.index as ffi::Py_ssize_t, item.into_ptr()) };
            start = end;
            place.index += 1;
        }
        if self.atomic {
            // SAFETY: a tuple from PyTuple_New is tracked; CPython itself untracks tuples of atomic items when it finds
            // them. The empty tuple is shared and left alone.
            unsafe { ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast()) };
        }
        Some(tuple)
    }
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
