//! Client for IBM/HCL Informix databases.

#[macro_use]
mod face;

#[cfg(feature = "tokio")]
pub mod aio;
pub mod blocking;
pub mod config;
pub mod error;
mod param;
pub mod pool;
mod row;
mod session;
pub mod transport;

pub use config::{Config, Isolation, LockMode, Password};
pub use error::{Error, Result};
pub use informix_types as types;
pub use informix_types::{Date, DateTime, Decimal, Interval, LobLocator, SimpleLob, Value};
pub use param::{Parameter, Params, TextLob, ToSql};
pub use row::{Column, ColumnIndex, Columns, FromSql, RawValue, Row, RowRef};
pub use session::{
    BatchOptions, BatchOutcome, CancelHandle, LobKind, Outcome, QueryOptions, ScrollTo, ServerInfo,
};
