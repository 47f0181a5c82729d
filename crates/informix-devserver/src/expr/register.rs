//! The functions made known to a SQLite connection.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value as SqliteValue;

use super::args::{Args, Scalar};
use super::env::SharedFacts;
use super::fault::raise;
use super::{aggregate, functions, runtime};

/// Registers every function that expression texts may call. Once per connection, before its first statement.
///
/// # Errors
/// SQLite's own, when it refuses one.
pub fn register(connection: &Connection, facts: &SharedFacts) -> rusqlite::Result<()> {
    let tables = std::iter::once(runtime::SCALARS).chain(functions::scalars());
    for scalar in tables.flatten() {
        scalar_function(connection, scalar, facts.clone())?;
    }
    aggregate::register(connection)
}

fn scalar_function(
    connection: &Connection,
    scalar: &'static Scalar,
    facts: SharedFacts,
) -> rusqlite::Result<()> {
    // Harmless in views, triggers and CHECK constraints, whatever SQLite is told to trust.
    let mut flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    if scalar.deterministic {
        flags |= FunctionFlags::SQLITE_DETERMINISTIC;
    }
    connection.create_scalar_function(scalar.name, scalar.arity, flags, move |context| {
        let args = Args {
            context,
            facts: facts.as_ref(),
        };
        if scalar.strict && args.any_null() {
            return Ok(SqliteValue::Null);
        }
        (scalar.body)(&args).map_err(raise)
    })
}
