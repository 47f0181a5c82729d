//! Showing others what stands in rows that this session has changed and not committed, and seeing the same of theirs.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::errors::Doing;
use super::super::locks::{Images, TableKey, Wake};
use super::Session;
use super::locking::ended;
use crate::catalog::names;
use crate::error::SqlResult;

impl Session {
    /// [`Self::attend`] will be called whenever the session waits for its client. Without that it shows its changes
    /// after every statement, whether somebody asks or not, which makes long transactions slow.
    pub fn will_attend(&mut self) {
        self.is_attended = true;
    }

    /// What to do when others ask while the session waits: to make it call [`Self::attend`].
    pub fn wake_by(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.locks.attention.set_wake(Some(Box::new(wake)));
    }

    /// Whether others may ask: it has changes in an open transaction.
    #[must_use]
    pub fn may_be_asked(&self) -> bool {
        self.locks.has_changes()
    }

    /// Answers those who have asked. To be called between statements.
    pub fn attend(&mut self) {
        if self.locks.attention.is_asked() {
            self.show_changes();
        }
    }

    /// Shows what stands in all rows that it has changed.
    pub(super) fn show_changes(&self) {
        if !self.locks.has_changes() {
            return;
        }
        let Some(open) = &self.open else { return };
        self.locks.attention.answer();
        for stale in self.locks.stale_changes() {
            let schema = if stale.key.database == open.lock_name {
                "main".to_owned()
            } else {
                format!("d${}", stale.key.database)
            };
            let read = || read_rows(&open.connection, &schema, &stale.key, &stale.ranges);
            // What can't be read is locked all the same.
            let rows = self.interrupt.shield(read).unwrap_or_default();
            let changed = stale.ranges;
            self.locks
                .publish(&stale.key, stale.version, Images { changed, rows });
        }
    }

    /// What others have changed in a table.
    pub(super) fn others_changes(&self, key: &TableKey) -> SqlResult<Vec<Arc<Images>>> {
        // Two sessions may ask each other.
        self.show_changes();
        self.locks
            .others_changes(key, &self.waiting())
            .map_err(|ending| ended(ending, Doing::Read))
    }

    /// Gives the way to wake the session to the locks that it has now.
    pub(super) fn move_attention(&self, wake: Option<Wake>) {
        self.locks.attention.set_wake(wake);
    }
}

/// The rows of ranges of rowids that are there.
fn read_rows(
    connection: &Connection,
    schema: &str,
    key: &TableKey,
    ranges: &[(i64, i64)],
) -> rusqlite::Result<Vec<(i64, Box<[Value]>)>> {
    let mut statement = connection.prepare(&format!(
        "SELECT rowid, * FROM {}.{} WHERE rowid BETWEEN ? AND ?",
        names::quote(schema),
        names::quote(&key.table)
    ))?;
    let width = statement.column_count();
    let mut rows = Vec::new();
    for range in ranges {
        let mut found = statement.query(*range)?;
        while let Some(row) = found.next()? {
            let values = (1..width).map(|at| row.get(at)).collect::<Result<_, _>>()?;
            rows.push((row.get(0)?, values));
        }
    }
    Ok(rows)
}
