//! Classes of the Python side that values are made of.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

macro_rules! classes {
    ($($(#[$doc:meta])* $function:ident = $module:literal . $name:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $function(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
            static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            CLASS.import(py, $module, $name)
        }
    )*};
}

classes! {
    /// INTERVAL YEAR TO MONTH.
    interval_ym = "informix_db.converters"."IntervalYM";
    /// BLOB.
    blob_locator = "informix_db.converters"."BlobLocator";
    /// CLOB.
    clob_locator = "informix_db.converters"."ClobLocator";
    /// ROW.
    row_value = "informix_db.converters"."RowValue";
    /// SET, MULTISET, LIST.
    collection_value = "informix_db.converters"."CollectionValue";
    /// `decimal.Decimal`.
    decimal = "decimal"."Decimal";
    /// `enum.Enum`.
    enumeration = "enum"."Enum";
    /// `uuid.UUID`.
    uuid = "uuid"."UUID";
}

/// What turns tuples into the rows of a factory: `informix_db.rows.row_maker`.
pub(crate) fn row_maker(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    names: Vec<&str>,
) -> PyResult<Option<Py<PyAny>>> {
    if factory.is_none() {
        return Ok(None);
    }
    let names = pyo3::types::PyTuple::new(py, names)?;
    let maker = py
        .import("informix_db.rows")?
        .call_method1("row_maker", (factory, names))?;
    Ok(Some(maker.unbind()).filter(|m| !m.is_none(py)))
}
