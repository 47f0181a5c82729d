//! Plans against a catalog in memory, run on SQLite.

mod catalog;
mod changes;
mod errors;
mod queries;
mod random;
