//! Stored routines and triggers (`informix-sql.md` 11).
//!
//! | module | what |
//! |---|---|
//! | [`code`] | a routine's tree with a place for each of its variables |
//! | [`store`] | `sysprocedures` and its kind: CREATE, DROP |
//! | [`load`] | from the catalog back to a tree; which routine a call means |
//! | [`shared`] | what a session remembers of routines |
//! | [`frame`] | one running routine: variables, handlers, rows returned so far |
//! | [`scope`] | a frame's names as the analysis sees them |
//! | [`evaluate`] | expressions |
//! | [`run`] | statements of the language, exceptions |
//! | [`loops`] | FOR, WHILE, FOREACH, CASE |
//! | [`statement`] | SQL statements in a body |
//! | [`dynamic`] | PREPARE and cursors |
//! | [`composite`] | variables of ROW and collection types |
//! | [`call`] | calling: arguments, depth, results |
//! | [`trigger`] | triggers |
//! | [`inside`] | functions in expressions: SQLite calls back |
//!
//! | runs | refused |
//! |---|---|
//! | CREATE, DROP of procedures and functions; several of a name by the number and types of their parameters; defaults, named arguments | other languages: -554; routines of other databases: -999 |
//! | EXECUTE, CALL, `{call}`; rows with WITH RESUME; INSERT … EXECUTE; functions in expressions | OUT and INOUT from a client: -9752, then as the Java driver asks for them (`wire/session/outputs.rs`) |
//! | DEFINE (LIKE, GLOBAL), LET, IF, CASE, FOR, WHILE, LOOP, FOREACH with WHERE CURRENT OF, RETURN, RAISE, ON EXCEPTION, blocks, labels and GOTO | SYSTEM: -668; DATABASE: -675 |
//! | every SQL statement with variables; EXECUTE IMMEDIATE, PREPARE and cursors, SQLCODE; TRACE (shown nowhere); BEGIN, COMMIT, ROLLBACK | transactions and DDL (but temporary tables) in a function that a statement on rows calls, and in triggers: -675 |
//! | triggers INSERT, UPDATE, UPDATE OF, DELETE with BEFORE, FOR EACH ROW, AFTER, WHEN, EXECUTE … INTO; INSTEAD OF on views | SELECT triggers, triggers on temporary tables or seen from another database: -999; changes of the triggering table: -747; more than 16 levels: -748 |
//!
//! A routine runs to its end when it is called, also one that returns rows one by one (WITH RESUME): its rows are kept and
//! fetched from memory, an error behind the last of them comes with the fetch that reaches it.

mod call;
mod code;
mod composite;
mod dynamic;
mod evaluate;
mod frame;
mod inside;
mod load;
mod loops;
mod run;
mod scope;
mod shared;
mod statement;
mod store;
mod trigger;

pub(crate) use call::Returned;
pub(crate) use frame::ForeachCursor;
pub(crate) use inside::{FUNCTION, Host, offer, withdraw};
pub(crate) use shared::Shared;
pub(crate) use trigger::{InsteadPlan, forget_triggers};

/// Registers the functions through which SQLite calls back. Once per connection.
pub(crate) fn register(
    connection: &rusqlite::Connection,
    caller: &std::sync::Arc<crate::engine::Caller>,
) -> rusqlite::Result<()> {
    inside::register(connection, caller)?;
    trigger::register(connection, caller)
}
