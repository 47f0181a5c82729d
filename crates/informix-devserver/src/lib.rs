//! A development server that speaks SQLI on SQLite.

pub mod error;

pub use error::{SqlError, SqlResult};
