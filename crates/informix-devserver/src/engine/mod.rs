//! The SQL engine under the wire side: databases, sessions, statements, cursors, transactions.
//!
//! ```text
//! Engine            shared by all connections: storage, databases, users, counters
//!  └ Session        one per connection: current database, transaction, temporary tables, cursors
//!     ├ Prepared    a statement: kind, described columns and parameters, plan
//!     └ CursorId    an open cursor of the session
//! ```
//! A statement goes text -> `sql` (tree) -> `analyze` (names, types, SQLite text) -> here (run, errors, rows).
//! Transactions: an Informix transaction is state of the session. The SQLite transaction begins at the first write in
//! it, so that reads before see every commit (committed read).
//!
//! Locks (`locks`) are those of a real server, row by row, on top of SQLite's one writer per database: a session that
//! has written keeps others from writing other rows of the same database until its transaction ends; they wait as SET
//! LOCK MODE says, but at least [`EngineConfig::writer_grace`], and then fail with ISAM -107.

mod caller;
mod config;
mod databases;
pub(crate) mod ddl;
pub(crate) mod errors;
mod facts;
mod idle;
mod kinds;
pub(crate) mod locks;
mod outcome;
mod program;
mod rows;
mod sequence;
mod serial;
mod server;
mod session;
mod sysmaster;
mod wanted;
mod xa;

pub(crate) use caller::Caller;
pub use config::{
    Backing, Challenge, DatabaseMode, DatabaseSpec, DatabaseSpecError, EngineConfig, SessionOptions, User,
    default_locale,
};
pub use databases::DatabaseInfo;
pub(crate) use databases::today;
pub(crate) use facts::Facts;
pub use outcome::{
    ColumnDescription, DatabaseFlags, Fetched, Outcome, PlainRows, RowSink, Scroll, TransactionEvent,
};
pub(crate) use program::Program;
pub use server::Engine;
pub(crate) use server::{SYSMASTER, same_bytes};
pub(crate) use session::{Callable, OpenDatabase, Settings, Task, bind};
pub use session::{CursorId, CursorOptions, PrepareOptions, Prepared, Session};
pub(crate) use sysmaster::is_live;

pub use xa::{BranchId, XaFailure, XaResult, XaVote, flags as xa_flags};

pub use crate::storage::{Interrupt, InterruptPoll, LockWait};
