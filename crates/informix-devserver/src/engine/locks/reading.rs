//! The check of rows that a query reads, called by SQLite row by row.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use super::{Claim, Conflict, Holder, TableKey};
use crate::analyze::ROW_CHECK;
use crate::error::SqlError;

/// What the check of one connection knows while a query runs.
#[derive(Default)]
pub(crate) struct ReadCheck(Mutex<Option<Reading>>);

/// A query that reads tables which others change, or that claims what it reads.
pub(crate) struct Reading {
    pub(crate) holder: Arc<Holder>,
    pub(crate) tables: Vec<ReadTable>,
    /// How rows are locked for others.
    pub(crate) claim: Option<Claim>,
    /// Rows claimed: number of the table, rowid.
    pub(crate) claimed: Vec<(usize, i64)>,
    /// Why it ended.
    pub(crate) conflict: Option<Conflict>,
}

/// A table of the query.
pub(crate) struct ReadTable {
    pub(crate) key: TableKey,
    /// Rows that stand in the query's overlay: others had changed them when it began.
    pub(crate) overlaid: HashSet<i64>,
}

impl ReadCheck {
    /// Registers the check with a connection.
    pub(crate) fn attach(connection: &Connection) -> rusqlite::Result<Arc<Self>> {
        let check = Arc::new(Self::default());
        let asked = Arc::clone(&check);
        connection.create_scalar_function(ROW_CHECK, 2, FunctionFlags::SQLITE_UTF8, move |context| {
            let number: i64 = context.get(0)?;
            // The missing side of an outer join.
            let Some(row) = context.get::<Option<i64>>(1)? else {
                return Ok(true);
            };
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            if asked
                .lock()
                .as_mut()
                .is_none_or(|reading| reading.admits(number, row))
            {
                Ok(true)
            } else {
                Err(crate::expr::raise(SqlError::new(-244).isam(-107)))
            }
        })?;
        Ok(check)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Reading>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A query begins.
    pub(crate) fn begin(&self, reading: Reading) {
        *self.lock() = Some(reading);
    }

    /// It has ended.
    pub(crate) fn end(&self) -> Option<Reading> {
        self.lock().take()
    }
}

impl Reading {
    fn admits(&mut self, number: usize, row: i64) -> bool {
        let Some(table) = self.tables.get(number) else {
            return true;
        };
        let mut found = match self.claim {
            Some(claim) => self.holder.claim(&table.key, row, claim),
            None => self.holder.read_conflict(&table.key, row),
        };
        if found.is_ok() {
            if self.claim.is_some() {
                self.claimed.push((number, row));
            }
            if table.overlaid.contains(&row) {
                // Whoever had changed it has come to its end meanwhile: the query has to begin again.
                found = Err(Conflict::over());
            }
        }
        self.conflict = found.err();
        self.conflict.is_none()
    }
}
