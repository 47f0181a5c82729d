//! The asyncio face: Rust owns a non-blocking socket, the loop tells when it is ready.

mod connection;
mod cursor;
mod ready;
mod request;
mod runner;
mod scroll;

pub(crate) use connection::AsyncConnection;
pub(crate) use cursor::AsyncCursor;
#[cfg(feature = "arrow")]
pub(crate) use ready::Ready;
