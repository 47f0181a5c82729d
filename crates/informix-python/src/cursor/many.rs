//! Rows of `executemany`. A list or tuple is read as a whole first, so that a mistake in it is reported before anything is
//! sent; an iterator is read piece by piece, with the connection free in between: it may itself read from there.

use informix::{BatchOutcome, Parameter, Result};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};

use super::core::Core;
use crate::channel::NO_ROWS_IN_BATCH;
use crate::errors;
use crate::markers::{self, Key};
use crate::paramread::{self, Reader};

/// Rows of an iterator that are sent together.
const PIECE: usize = 4096;

/// See the module.
pub(crate) struct Many<'py> {
    pub(crate) sql: String,
    keys: Option<Vec<Key>>,
    iterator: Bound<'py, PyIterator>,
    piece: usize,
    width: Option<usize>,
    /// Rows read so far.
    read: usize,
    total: Option<usize>,
    affected: u64,
}

impl<'py> Many<'py> {
    pub(crate) fn new(operation: &str, rows: &Bound<'py, PyAny>) -> PyResult<Self> {
        let markers = markers::rewrite(rows.py(), operation)?;
        let whole = rows.is_instance_of::<PyList>() || rows.is_instance_of::<PyTuple>();
        Ok(Self {
            sql: markers.sql.into_owned(),
            total: rows.len().ok(),
            keys: markers.keys,
            iterator: rows.try_iter()?,
            piece: if whole { usize::MAX } else { PIECE },
            width: None,
            read: 0,
            affected: 0,
        })
    }

    /// Reads every row at once.
    pub(crate) fn whole(&mut self) {
        self.piece = usize::MAX;
    }

    /// The next rows; none at the end.
    pub(crate) fn next(&mut self, reader: &Reader<'_>) -> PyResult<Vec<Vec<Parameter>>> {
        let mut rows = Vec::with_capacity(self.total.unwrap_or(0).min(self.piece).min(1 << 20));
        while rows.len() < self.piece {
            let Some(row) = self.iterator.next() else { break };
            rows.push(self.row(&row?, reader)?);
        }
        Ok(rows)
    }

    fn row(&mut self, row: &Bound<'_, PyAny>, reader: &Reader<'_>) -> PyResult<Vec<Parameter>> {
        let py = row.py();
        let values = paramread::read_all(row, self.keys.as_deref(), reader)
            .map_err(|e| in_row(py, e, self.read, self.total))?;
        let width = *self.width.get_or_insert(values.len());
        if width != values.len() {
            return Err(errors::programming(
                py,
                &format!(
                    "parameter set {} has {} values, those before it have {width}",
                    self.read,
                    values.len()
                ),
            ));
        }
        self.read += 1;
        Ok(values)
    }

    /// Takes in what a piece did. `first` is the number of its first row.
    pub(crate) fn done(
        &mut self,
        py: Python<'_>,
        core: &Core,
        first: usize,
        done: Result<BatchOutcome>,
    ) -> PyResult<()> {
        match done {
            Ok(outcome) => {
                self.affected += outcome.rows_affected();
                core.executed_many(&outcome, self.affected);
                Ok(())
            }
            Err(e) => Err(failed(py, &e, first, self.total)),
        }
    }

    pub(crate) fn total(&self) -> Option<usize> {
        self.total
    }
}

/// The exception for an error of a piece that began with row `first`.
pub(crate) fn failed(py: Python<'_>, e: &informix::Error, first: usize, total: Option<usize>) -> PyErr {
    if e.message() == NO_ROWS_IN_BATCH {
        return errors::raise(py, "NotSupportedError", NO_ROWS_IN_BATCH);
    }
    errors::in_batch(py, e, first, total)
}

/// The exception for a value that cannot be sent, with the row's number in front. Others stay as they are.
fn in_row(py: Python<'_>, e: PyErr, row: usize, total: Option<usize>) -> PyErr {
    let ours = errors::class(py, "DatabaseError").is_ok_and(|class| e.is_instance(py, &class));
    if !ours && !e.is_instance_of::<pyo3::exceptions::PyNotImplementedError>(py) {
        return e;
    }
    let place = match total {
        Some(total) => format!("{row}/{total}"),
        None => row.to_string(),
    };
    let text = format!("executemany row {place}: {}", e.value(py));
    // Only its text changes.
    match e.value(py).setattr("args", (text,)) {
        Ok(()) => e,
        Err(other) => other,
    }
}
