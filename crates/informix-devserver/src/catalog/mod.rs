//! The system catalog: real SQLite tables with Informix's columns in every database, and what is read back from them.

pub(crate) mod bootstrap;
pub(crate) mod coltype;
pub(crate) mod fragments;
mod keys;
pub(crate) mod model;
pub(crate) mod names;
pub(crate) mod read;
mod rewrite;
pub(crate) mod schema;
pub(crate) mod temporary;
pub(crate) mod types;
pub(crate) mod write;
