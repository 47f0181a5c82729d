//! Repeatable Read and rows that are not there yet: a query that goes through a whole table locks it for changes by others
//! until the end of the transaction, as a real server does, and fails (ISAM -113) when somebody has a row of it locked for
//! a change (comp.databases.informix, "ISAM 113 error", by IBM's list of messages). What is found through
//! an index is locked row by row; rows that come later are not kept out there, as they would be by a real server's locks on
//! ranges of keys.

use super::super::errors::{self, Doing};
use super::super::locks::{TableKey, Whole};
use super::Session;
use super::guarded::ReadsTable;
use crate::error::SqlResult;
use crate::sql::ast::IsolationLevel;

impl Session {
    /// Locks the tables that a query is going to read from end to end, under Repeatable Read and in a transaction.
    pub(super) fn lock_scanned(&mut self, sql: &str, tables: &[ReadsTable]) -> SqlResult<()> {
        let logged = self.require_database()?.mode().is_logged();
        if tables.is_empty() || !logged || self.isolation() != IsolationLevel::RepeatableRead {
            return Ok(());
        }
        self.begin_implicit()?;
        if self.transaction.is_none() {
            return Ok(());
        }
        let waiting = self.waiting();
        for key in self.scanned(sql, tables)? {
            while let Err(conflict) = self.locks.take_whole(&key, Whole::Share) {
                self.wait_for(&conflict, &waiting, Doing::Read)?;
            }
        }
        Ok(())
    }

    /// The tables that SQLite goes through from end to end.
    fn scanned(&self, sql: &str, tables: &[ReadsTable]) -> SqlResult<Vec<TableKey>> {
        let connection = &self.require_database()?.connection;
        let steps: Vec<String> = connection
            .prepare_cached(&format!("EXPLAIN QUERY PLAN {sql}"))
            .and_then(|mut plan| plan.query_map([], |row| row.get(3))?.collect())
            .map_err(|e| errors::translate(&e, Doing::Read))?;
        let scanned: Vec<&str> = steps
            .iter()
            .filter_map(|step| step.strip_prefix("SCAN ")?.split(' ').next())
            .collect();
        let is_scanned = |table: &&ReadsTable| {
            let name = format!("{} AS ", table.info.sqlite_name);
            let mut aliases = sql.match_indices(&name).filter_map(|(at, found)| {
                let rest = sql.get(at + found.len()..)?;
                rest.split(|c: char| !c.is_ascii_alphanumeric()).next()
            });
            aliases.any(|alias| scanned.contains(&alias))
        };
        Ok(tables
            .iter()
            .filter(is_scanned)
            .map(|table| table.key.clone())
            .collect())
    }
}
