//! Capsules of the Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>). A capsule that nobody consumes releases what it holds.

// Taking a structure out of a foreign capsule is a promise of its maker that no compiler can check.
#![allow(unsafe_code)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray};
use informix_arrow::arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
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

/// Batches from elsewhere, with their schema.
pub(crate) struct Batches {
    pub(super) schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

fn unreadable(py: Python<'_>, e: &ArrowError) -> PyErr {
    errors::raise(py, "DataError", &format!("the Arrow data cannot be read: {e}"))
}

/// What an object with `__arrow_c_stream__` or `__arrow_c_array__` gives; `None` for one that has neither.
pub(super) fn import(data: &Bound<'_, PyAny>) -> PyResult<Option<Batches>> {
    let py = data.py();
    if data.hasattr("__arrow_c_stream__")? {
        let capsule = data
            .call_method0("__arrow_c_stream__")?
            .cast_into::<PyCapsule>()?;
        let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: a capsule of that name points to a stream of the C interface (checked above), which is ours alone while we are
        // attached and hold the capsule. It is moved out; what stays behind is marked as released.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(|e| unreadable(py, &e))?;
        return Ok(Some(Batches {
            schema: reader.schema(),
            batches: Box::new(reader),
        }));
    }
    if !data.hasattr("__arrow_c_array__")? {
        return Ok(None);
    }
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
        data.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: as for a stream: capsules of these names point to structures of the C interface, and the array is that of the
    // schema, since one call gave both. Both are moved out.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.cast().as_ptr());
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        from_ffi(array, &schema)
    };
    let data = data.map_err(|e| unreadable(py, &e))?;
    if !matches!(data.data_type(), DataType::Struct(_)) || data.null_count() > 0 {
        let text =
            "the Arrow data is no record batch: its array has to be a struct of columns without NULL rows";
        return Err(errors::raise(py, "DataError", text));
    }
    let batch = RecordBatch::from(StructArray::from(data));
    Ok(Some(Batches {
        schema: batch.schema(),
        batches: Box::new(std::iter::once(Ok(batch))),
    }))
}
