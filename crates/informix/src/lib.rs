//! Client for IBM/HCL Informix databases: SQLI, the servers' own protocol, without any vendor software.
//!
//! ```
//! use informix::{Decimal, Result, Value, blocking};
//!
//! fn main() -> Result<()> {
//!     let url = "informix://informix:in4mix@localhost:9088/testdb?client_locale=en_US.utf8";
//!     # // The example runs against the embedded server.
//!     # let server = informix_devserver::DevServer::start().unwrap();
//!     # let url = &server.url();
//!     // What the text leaves open comes from INFORMIXSERVER, INFORMIXSQLHOSTS, CLIENT_LOCALE, ….
//!     let db = blocking::connect(url)?;
//!
//!     db.execute("create temp table items (id serial, name varchar(40), price decimal(8,2))", ())?;
//!
//!     // A transaction: committed when the closure returns Ok, rolled back otherwise.
//!     db.transaction(|tx| {
//!         let price: Decimal = "19.90".parse()?;
//!         let id = tx.execute("insert into items values (0, ?, ?)", ("lamp", price))?.last_serial();
//!         println!("stored as {id:?}");
//!         // Many rows travel in few messages.
//!         tx.execute_batch("insert into items values (0, ?, ?)", (1..1000).map(|n| (format!("item {n}"), n)))?;
//!         Ok(())
//!     })?;
//!
//!     // Rows are fetched while they are read.
//!     for row in db.query("select id, name, price from items where price > ?", (10,))? {
//!         let row = row?;
//!         let name: String = row.get("name")?;
//!         let price: Option<Decimal> = row.get(2)?;
//!         println!("{}: {name} {price:?}", row.get::<i32>(0)?);
//!     }
//!
//!     // Any type, without knowing it before.
//!     let values: Vec<Value> = db.query_one("select count(*), max(price) from items", ())?.values()?;
//!     println!("{values:?}");
//!
//!     if let Err(error) = db.execute("select * from nosuch", ()) {
//!         // table nosuch is not in the database (SQLCODE -206, ISAM -111, at byte 15)
//!         println!("{error}; SQLSTATE {}, {}", error.sqlstate(), error.class().name());
//!     }
//!     db.close()
//! }
//! ```
//!
//! # Faces
//!
//! [`blocking`] does real blocking I/O on std sockets and has no runtime. [`aio`] is the same API for tokio; its futures may
//! be dropped at any point. Both are laid out from one source over one session core.
//!
//! # Round trips
//!
//! | operation | waits for the server |
//! |---|---|
//! | connect with a database | 3, also with [`Config::discover_locale`]; 2 with [`Config::pipeline_connect`], where finding the locale costs one more |
//! | statement without rows, with or without parameters | 1 |
//! | SELECT: first, again | 2, 1 |
//! | each further fetch buffer (32 KiB growing to 1 MiB) | 1, and the next one is on its way while this one is read |
//! | BEGIN, CLOSE, RELEASE, rollback of a dropped transaction | 0: they ride on the next request |
//! | batch of rows: first, again | 2, 1, windowed |
//! | taking a connection from a pool | 0 |
//!
//! # Features
//!
//! `tokio` (default): the `aio` face. `tls` (default): TLS by rustls. `chrono-04`, `time-03`, `jiff-1`, `bigdecimal-04`,
//! `rust_decimal-1`, `uuid-1`, `serde-1`: conversions of [`types`].

/// The examples of the repository's README are compiled.
#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[macro_use]
mod face;

#[cfg(feature = "tokio")]
pub mod aio;
pub mod blocking;
pub mod config;
pub mod error;
mod foreign;
mod param;
pub mod pool;
mod row;
mod session;
pub mod transport;

pub use config::{Config, Isolation, LockMode, Password};
pub use error::{Error, Result};
pub use informix_types as types;
pub use informix_types::{Date, DateTime, Decimal, Interval, LobLocator, SimpleLob, Value, ValueRef};
pub use param::{Parameter, Params, RowEncoder, TextLob, ToSql};
pub use row::{Column, ColumnIndex, Columns, FromSql, RawRows, RawValue, Row, RowRef};
#[doc(hidden)]
pub use session::driver;
pub use session::{
    BatchOptions, BatchOutcome, BatchRows, CancelHandle, LobKind, Outcome, QueryOptions, ScrollTo, ServerInfo,
};
