//! From SQLite's rows to the wire's.

mod encode;
mod store;

pub(crate) use encode::{Blobs, ColumnEncoder, RowContext};
pub(crate) use store::RowStore;
