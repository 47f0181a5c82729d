//! Capsules of the Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>). A capsule that nobody consumes releases what it holds.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray};
use informix_arrow::arrow_schema::{ArrowError, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors;

fn refused(py: Python<'_>, e: &ArrowError) -> PyErr {
    errors::raise(py, "NotSupportedError", &format!("Arrow: {e}"))
}

/// A schema, as a struct type.
pub(super) fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|e| refused(py, &e))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A batch: its schema and its columns, as a struct array.
pub(super) fn array<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let columns = StructArray::from(batch.clone());
    let array = FFI_ArrowArray::new(&columns.to_data());
    let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
    Ok((schema(py, batch.schema_ref())?, array))
}

/// A stream of batches.
pub(super) fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}
