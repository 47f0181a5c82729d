//! Batch by batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use informix_arrow::arrow_schema::{ArrowError, SchemaRef};
use informix_arrow::{BatchBuilder, Options};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::table::ArrowBatch;
use super::{another_statement, blocking, capsule};
use crate::cursor::Cursor;
use crate::errors;
use crate::slot::Slot;

struct State {
    builder: BatchBuilder,
    /// Number of the result that the rows are of.
    id: u64,
    ended: bool,
}

/// The rows of a cursor that are left, for an iterator and for C streams, which share them.
struct Source {
    cursor: Py<Cursor>,
    schema: SchemaRef,
    state: Slot<State>,
}

impl Source {
    /// The next batch. After the end and after an error there is none.
    fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let Some(mut state) = self.state.acquire(py, "the stream")? else {
            return Ok(None);
        };
        if state.ended {
            return Ok(None);
        }
        let next = self.next_of(py, &mut state);
        state.ended = !matches!(next, Ok(Some(_)));
        next
    }

    fn next_of(&self, py: Python<'_>, state: &mut State) -> PyResult<Option<RecordBatch>> {
        let cursor = self.cursor.get();
        let mut work = cursor.core.acquire(py)?;
        if work.id != state.id {
            return Err(another_statement(py));
        }
        blocking::next(py, cursor, &mut work, &mut state.builder)
    }
}

/// The rows that are left as an iterator of `ArrowBatch`.
#[pyclass(frozen, module = "informix_db._core")]
pub(crate) struct ArrowBatches {
    source: Arc<Source>,
}

impl ArrowBatches {
    pub(crate) fn new(cursor: &Bound<'_, Cursor>, options: &Options) -> PyResult<Self> {
        let py = cursor.py();
        let core = &cursor.get().core;
        let work = core.acquire(py)?;
        let builder = super::builder(py, core, &work, options)?;
        Ok(Self {
            source: Arc::new(Source {
                cursor: cursor.clone().unbind(),
                schema: Arc::clone(builder.schema()),
                state: Slot::new(State {
                    builder,
                    id: work.id,
                    ended: false,
                }),
            }),
        })
    }

    pub(crate) fn schema_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.source.schema)
    }

    pub(crate) fn stream<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::stream(py, Box::new(Stream(Arc::clone(&self.source))))
    }
}

#[pymethods]
impl ArrowBatches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ArrowBatch>> {
        Ok(self.source.next(py)?.map(ArrowBatch::new))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.schema_capsule(py)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        self.stream(py, requested_schema)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.source.cursor)
    }
}

/// A C stream. Its consumer calls from any thread, attached to the interpreter or not.
struct Stream(Arc<Source>);

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = Python::try_attach(|py| self.0.next(py).map_err(|e| failed(py, &e)));
        let next = next.unwrap_or_else(|| {
            let gone = std::io::Error::other("the interpreter has ended");
            Err(ArrowError::IoError(gone.to_string(), gone))
        });
        match next.transpose()? {
            Ok(batch) if batch.schema_ref() == &self.0.schema => Some(Ok(batch)),
            Ok(_) => Some(Err(ArrowError::InvalidArgumentError(
                "a column that is described as NOT NULL has a NULL: use fetch_arrow_table or fetch_arrow_batches"
                    .to_owned(),
            ))),
            Err(e) => Some(Err(e)),
        }
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0.schema)
    }
}

/// An exception as an error of Arrow: its class and text.
fn failed(py: Python<'_>, e: &PyErr) -> ArrowError {
    let text = e.to_string();
    let of_data = errors::class(py, "DataError").is_ok_and(|class| e.is_instance(py, &class));
    if of_data {
        ArrowError::InvalidArgumentError(text)
    } else {
        ArrowError::IoError(text.clone(), std::io::Error::other(text))
    }
}
