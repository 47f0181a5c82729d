//! `informix_db._core`: the client as Python objects. `python/informix_db/_core.pyi` describes the interface.
//!
//! | module | what |
//! |---|---|
//! | `settings` | arguments of `connect` |
//! | `channel` | a session and the open results on it; everything that talks to the server, for both faces |
//! | `slot` | one thread at a time, without deadlock against the interpreter |
//! | `connection`, `cursor`, `lob` | the blocking face |
//! | `aio` | the asyncio face |
//! | `result` | rows at hand, and positions in them |
//! | `rowbuild` | cells to Python objects |
//! | `arrow` | cells to Arrow and back, without Python objects |
//! | `paramread` | Python objects to parameters |
//! | `markers` | `:1` and `:name` in statements |
//! | `errors` | exceptions |
//! | `tls` | the caller's `ssl.SSLContext` |

mod aio;
#[cfg(feature = "arrow")]
mod arrow;
mod channel;
mod common;
mod connection;
mod cursor;
mod errors;
mod fastpath;
mod lob;
mod markers;
mod paramread;
mod result;
mod rowbuild;
mod settings;
mod slot;
mod tls;
mod values;

use pyo3::prelude::*;

/// The core of the Python package `informix_db`.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::aio::{AsyncConnection, AsyncCursor};
    #[cfg(feature = "arrow")]
    #[pymodule_export]
    use super::arrow::{ArrowBatch, ArrowBatches, ArrowTable, AsyncArrowBatches};
    #[pymodule_export]
    use super::connection::Connection;
    #[pymodule_export]
    use super::cursor::Cursor;
    #[pymodule_export]
    use super::errors::{error_class, error_sqlstate, error_text, register_error_text};
    #[pymodule_export]
    use super::lob::Lob;
    #[pymodule_export]
    use super::markers::rewrite_placeholders;
    #[pymodule_export]
    use super::paramread::register_adapter;
    #[pymodule_export]
    use super::rowbuild::decimal::decimals_in_place;
    #[pymodule_export]
    use super::settings::parse_url;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::rowbuild::prepare(module.py())
    }
}
