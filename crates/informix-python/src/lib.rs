//! `informix_db._core`.
use pyo3::prelude::*;

/// The core of the Python package `informix_db`.
#[pymodule]
mod _core {}
