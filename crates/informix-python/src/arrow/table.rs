//! What was fetched.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use informix_arrow::arrow_schema::{Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::capsule;

/// `name: Int32 not null (serial)`, one line per column.
fn schema_text(schema: &Schema) -> String {
    let mut text = String::new();
    for field in schema.fields() {
        let null = if field.is_nullable() { "" } else { " not null" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{}: {}{null}", field.name(), field.data_type());
        if let Some(ty) = field.metadata().get("informix.type") {
            let _ = write!(text, " ({ty})");
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

fn names(schema: &Schema) -> Vec<&str> {
    schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect()
}

/// Some rows, by column.
#[pyclass(frozen, module = "informix_db._core")]
pub(crate) struct ArrowBatch {
    batch: RecordBatch,
}

impl ArrowBatch {
    pub(super) fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

#[pymethods]
impl ArrowBatch {
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    #[getter]
    fn num_columns(&self) -> usize {
        self.batch.num_columns()
    }

    #[getter]
    fn column_names(&self) -> Vec<&str> {
        names(self.batch.schema_ref())
    }

    #[getter]
    fn schema(&self) -> String {
        schema_text(self.batch.schema_ref())
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.batch.get_array_memory_size()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!(
            "<ArrowBatch: {} rows\n{}>",
            self.batch.num_rows(),
            schema_text(self.batch.schema_ref())
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, self.batch.schema_ref())
    }

    /// The requested schema is a wish, and the batch is made already.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        capsule::array(py, &self.batch)
    }
}

/// All rows of a result, by column.
#[pyclass(frozen, module = "informix_db._core")]
pub(crate) struct ArrowTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ArrowTable {
    /// A table of batches whose schemas are those of the builder that made them, the last being given.
    pub(super) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        // Only nullability differs, and the last is the widest.
        let widen = |batch: RecordBatch| batch.clone().with_schema(Arc::clone(&schema)).unwrap_or(batch);
        let batches = batches.into_iter().map(widen).collect();
        Self { schema, batches }
    }

    fn convert<'py>(slf: &Bound<'py, Self>, module: &str, function: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(module)?.call_method1(function, (slf,))
    }
}

#[pymethods]
impl ArrowTable {
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    #[getter]
    fn column_names(&self) -> Vec<&str> {
        names(&self.schema)
    }

    #[getter]
    fn schema(&self) -> String {
        schema_text(&self.schema)
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.batches.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    fn to_batches(&self) -> Vec<ArrowBatch> {
        self.batches.iter().cloned().map(ArrowBatch::new).collect()
    }

    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::convert(slf, "pyarrow", "table")
    }

    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::convert(slf, "polars", "DataFrame")
    }

    /// By way of pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pandas")
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    fn __repr__(&self) -> String {
        format!(
            "<ArrowTable: {} rows\n{}>",
            self.num_rows(),
            schema_text(&self.schema)
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.schema)
    }

    /// The requested schema is a wish, and the table is made already.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        capsule::stream(py, Box::new(reader))
    }
}
