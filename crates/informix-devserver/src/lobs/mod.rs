//! Smart large objects (BLOB, CLOB): where their bytes are, what a session has open, and copies from and to client files.
//!
//! A row holds a 72-byte locator; the bytes live beside the database in a file of their own ([`store`]), because an object is
//! written before the row that will name it, often inside the very statement that inserts the row. So an object is not
//! part of the transaction: after a rollback it is garbage that no row names.

mod session;
mod store;

pub(crate) use session::{ClientFiles, SessionLobs, Whence};
pub(crate) use store::Locator;

use crate::error::SqlError;

/// The number of every failure of a smart-large-object function.
const FAILED: i32 = -9810;

fn failed(why: impl Into<String>) -> SqlError {
    SqlError::new(FAILED).because(why)
}
