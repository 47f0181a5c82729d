//! Locks of DDL in a transaction: the tables that it has made, changed or dropped, and their rows of `systables`.
//!
//! Who names such a table cannot read the catalog: -211 with the ISAM code of the lock, also under Dirty Read (IBM technote
//! 1659749); the table itself is locked as by LOCK TABLE IN EXCLUSIVE MODE, for statements prepared before.

use std::sync::Arc;

use rusqlite::OptionalExtension;

use super::super::errors::{self, Doing};
use super::super::locks::{Conflict, TableKey, Whole};
use super::Session;
use crate::catalog::model::Table;
use crate::catalog::names::{self, Place};
use crate::error::{SqlError, SqlResult};

/// The catalog table with a row for each table.
const SYSTABLES: &str = "systables";

impl Session {
    /// Locks what the DDL statement that ends has changed, until the end of the transaction.
    pub(crate) fn lock_definitions(&self) -> SqlResult<()> {
        let open = self.require_database()?;
        let mut tables = Vec::new();
        open.calls.recorder.each(|table| {
            if *table.key.table == *SYSTABLES && table.key.database == open.lock_name {
                for row in table.unlocked() {
                    let name = open
                        .connection
                        .prepare_cached("SELECT tabname FROM main.systables WHERE rowid = ?")
                        .and_then(|mut s| s.query_row([row], |row| row.get::<_, String>(0)).optional());
                    tables.extend(name.map_err(|e| errors::translate(&e, Doing::Define))?);
                }
                // The writer of the database finds nobody in its way here.
                let _ = self.locks.take_changed(&table.key, table.unlocked());
                table.set_locked();
            }
            Ok::<_, SqlError>(())
        })?;
        open.calls.recorder.forget_unlocked();
        for name in tables {
            let key = TableKey {
                database: Arc::clone(&open.lock_name),
                table: Arc::from(names::physical(&name)),
            };
            // Readers that have locked rows of it keep them: they read what is committed.
            let _ = self.locks.take_whole(&key, Whole::Exclusive);
        }
        Ok(())
    }

    /// Waits until nobody else has changed the definition of a table in a transaction; `found` is what is committed.
    /// Gives whether it had to: it may be another one then.
    pub(super) fn require_definition(
        &self,
        place: &Place,
        name: &str,
        found: Option<&Table>,
    ) -> SqlResult<bool> {
        if self.locks.is_alone() {
            return Ok(false);
        }
        let Some(database) = self.lock_database(place)? else {
            return Ok(false);
        };
        let waiting = self.waiting();
        let mut waited = false;
        while let Err(conflict) = self.definition_conflict(place, &database, name, found)? {
            self.wait_for(&conflict, &waiting, Doing::Read).map_err(|error| {
                if error.sqlcode == -213 {
                    error
                } else {
                    SqlError::new(-211).isam(error.isam).token(SYSTABLES)
                }
            })?;
            waited = true;
        }
        Ok(waited)
    }

    fn definition_conflict(
        &self,
        place: &Place,
        database: &Arc<str>,
        name: &str,
        found: Option<&Table>,
    ) -> SqlResult<Result<(), Conflict>> {
        let catalog = TableKey {
            database: Arc::clone(database),
            table: Arc::from(SYSTABLES),
        };
        if !self.locks.is_changed_by_others(&catalog) {
            return Ok(Ok(()));
        }
        let Some(table) = found else {
            // Perhaps one that is not committed yet. A row of the catalog is what is locked, not a table.
            let table = TableKey {
                database: Arc::clone(database),
                table: Arc::from(names::physical(name)),
            };
            return Ok(self.locks.whole_conflict(&table).map_err(|c| c.of(false)));
        };
        let sql = format!("SELECT rowid FROM {} WHERE tabid = ?", place.catalog(SYSTABLES));
        let row = self
            .require_database()?
            .connection
            .prepare_cached(&sql)
            .and_then(|mut s| s.query_row([table.tabid], |row| row.get(0)).optional())
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        Ok(row.map_or(Ok(()), |row| self.locks.read_conflict(&catalog, row)))
    }
}
