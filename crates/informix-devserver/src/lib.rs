//! A development server that speaks SQLI on SQLite.

pub mod analyze;
pub mod error;
pub mod expr;
pub mod fault;
pub mod sql;
mod stack;

pub use error::{SqlError, SqlResult};

mod catalog;
pub mod engine;
mod storage;

mod load;
mod lobs;
mod routine;
mod server;
mod wire;

pub use engine::DatabaseMode;
pub use load::LoadError;
pub use server::{Builder, DevServer, StartError, Storage};
#[cfg(feature = "tls")]
pub use wire::tls::TlsIdentity;
