//! The public API, written once as macros and laid out twice: [`crate::blocking`] without, [`crate::aio`] with `async`.
//!
//! Each macro takes the words `[async]` or `[]`, and three macros of the face: `$wait!(future)` gives the result of a
//! session's future, `$own!(call)` that of another function of the face, `$lock!(mutex)` the guard of the session. So the
//! two faces cannot drift apart.

#[macro_use]
mod connection;
#[macro_use]
mod lob;
#[macro_use]
mod pool;
#[macro_use]
mod rows;
#[macro_use]
mod statement;
#[macro_use]
mod transaction;
