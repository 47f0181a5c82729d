//! Rows of Informix as Apache Arrow record batches.

mod builder;
mod column;
mod options;

pub use arrow_array;
pub use arrow_schema;
pub use builder::BatchBuilder;
pub use options::{DEFAULT_ROWS, FloatingDecimal, Options};
