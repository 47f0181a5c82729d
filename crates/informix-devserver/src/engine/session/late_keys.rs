//! Keys are checked when an UPDATE ends, not row by row: `UPDATE t SET k = k + 1` is good although rows collide on the way.
//!
//! That is how enabled constraints of logged tables behave; a unique index without a constraint is checked row by row
//! there (vendor documentation on unique constraints and unique indexes). SQLite checks every index row by row, so an
//! UPDATE that failed on a constraint runs once more without the constraints' indexes, which are then made again.

use rusqlite::Connection;

use super::super::errors::{self, Doing, Violation};
use super::Session;
use super::violations::Attempt;
use crate::catalog::names;

/// The indexes that an UPDATE does without.
pub(crate) struct LateKeys {
    drop: String,
    create: String,
}

impl LateKeys {
    /// Runs the UPDATE; gives the number of its rows.
    pub(crate) fn run(&self, connection: &Connection, attempt: &Attempt<'_>) -> rusqlite::Result<usize> {
        connection.execute_batch(&self.drop)?;
        let rows = connection.execute(attempt.sql, rusqlite::params_from_iter(attempt.parameters))?;
        connection.execute_batch(&self.create)?;
        Ok(rows)
    }
}

impl Session {
    /// What to do without after this failure; None when a second attempt makes no sense.
    pub(crate) fn late_keys(&self, error: &rusqlite::Error, attempt: &Attempt<'_>) -> Option<LateKeys> {
        let unique = matches!(
            errors::violation(error),
            Some(Violation::UniqueColumns(_) | Violation::UniqueIndex(_))
        );
        if !unique || attempt.doing != Doing::Update || self.inside_write() {
            return None;
        }
        let table = attempt.table;
        let schema = table.place.schema();
        let keys = table.constraints.iter().filter(|c| c.kind.is_key());
        let indexes: Vec<_> = keys
            .filter_map(|key| table.indexes.iter().find(|index| index.name == key.index))
            .collect();
        let drop = indexes
            .iter()
            .flat_map(|index| [names::index(&index.name), names::null_index(&index.name)])
            .map(|physical| format!("DROP INDEX IF EXISTS {schema}.{};", names::quote(&physical)))
            .collect();
        let create: Vec<String> = indexes.iter().flat_map(|index| table.index_sql(index)).collect();
        (!indexes.is_empty()).then(|| LateKeys {
            drop,
            create: create.join(";"),
        })
    }
}
