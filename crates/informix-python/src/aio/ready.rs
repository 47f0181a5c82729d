//! An awaitable whose result is there already: awaiting it does not go through the loop.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

/// See the module.
#[pyclass(frozen, module = "informix_db._core")]
pub(crate) struct Ready(Mutex<Option<PyResult<Py<PyAny>>>>);

impl Ready {
    /// An awaitable that gives a result.
    pub(crate) fn awaitable(py: Python<'_>, result: PyResult<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, Self(Mutex::new(Some(result))))?.into_any())
    }
}

#[pymethods]
impl Ready {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<()> {
        let result = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match result {
            // In a tuple, so that a value that is a tuple stays whole.
            Some(Ok(value)) => Err(PyStopIteration::new_err((value,))),
            Some(Err(e)) => Err(e),
            None => Err(PyStopIteration::new_err((py.None(),))),
        }
    }
}
