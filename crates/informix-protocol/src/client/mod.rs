//! The client's side: groups of requests out, events in.
//!
//! [`ClientMachine`] owns the whole state of a connection, so that nothing is lost when a caller stops waiting: it
//! knows which groups are in flight and can drain the replies of those that nobody wants any more.

mod completions;
mod event;
mod file;
mod group;
mod machine;
mod rows;

pub use event::{Event, FileAnswer, SubmitError};
pub use group::{GroupBuilder, GroupId};
pub use machine::ClientMachine;
pub use rows::RowBatch;
