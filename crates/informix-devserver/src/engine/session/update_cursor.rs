//! Cursors FOR UPDATE: which rows there are is found at OPEN; each row is locked and then read when it is fetched, so
//! that what the client sees stays true until it moves on.

use std::collections::HashSet;
use std::rc::Rc;

use rusqlite::types::Value;

use super::super::errors::{self, Doing};
use super::super::locks::{Claim, TableKey};
use super::super::rows::RowStore;
use super::cursor::CursorId;
use super::guarded::ReadsTable;
use super::{Prepared, Session, bind};
use crate::analyze::{ROWID, TableInfo};
use crate::error::SqlResult;
use crate::sql::ast::IsolationLevel;

/// The rows of a FOR UPDATE query.
pub(super) struct Locking {
    /// The table, unless it is locked by nobody (temporary, or in a database without a log).
    key: Option<TableKey>,
    rowids: Vec<i64>,
    next: usize,
    /// SQLite text of the query for the row of one rowid, which is the last parameter.
    sql: String,
    values: Vec<Value>,
    /// The row locked last, when the lock goes with the next one.
    claimed: Option<i64>,
    /// The row fetched.
    pub(super) row: RowStore,
}

impl Locking {
    /// Its locks are gone.
    pub(super) fn transaction_ended(&mut self) {
        self.claimed = None;
    }
}

impl Session {
    /// Finds the rows of a FOR UPDATE query.
    pub(super) fn find_rows(
        &mut self,
        prepared: &Prepared,
        sql: &str,
        table: &Rc<TableInfo>,
        tables: &[ReadsTable],
        values: Vec<Value>,
    ) -> SqlResult<Locking> {
        let logged = self.require_database()?.mode().is_logged();
        let key = ReadsTable::of(table).filter(|_| logged).map(|t| t.key);
        let visible = prepared.columns().len();
        let store = match self.gather_rowids(prepared, tables, &values)? {
            Some(rows) => rows,
            None => self.plain_rows(prepared, sql, &values)?,
        };
        let mut rowids = Vec::with_capacity(store.len());
        // Both versions of a row that somebody has changed.
        let mut known = HashSet::with_capacity(store.len());
        for row in 0..store.len() {
            store.read(row, |column, value| {
                if column == visible
                    && let Ok(rowid) = value.as_i64()
                    && known.insert(rowid)
                {
                    rowids.push(rowid);
                }
                Ok(())
            })?;
        }
        Ok(Locking {
            key,
            rowids,
            next: 0,
            sql: format!(
                "SELECT * FROM ({sql}) WHERE \"{ROWID}\" = ?{}",
                prepared.parameters().len() + 1
            ),
            values,
            claimed: None,
            row: RowStore::new(prepared.sqlite_columns()),
        })
    }

    fn plain_rows(&mut self, prepared: &Prepared, sql: &str, values: &[Value]) -> SqlResult<RowStore> {
        let mut statement = self.sqlite_statement(prepared, sql, Doing::Read)?;
        bind(&mut statement, values)?;
        let mut store = RowStore::new(prepared.sqlite_columns());
        let mut rows = statement.into_rows();
        let stepped = loop {
            match rows.advance(|row| store.push(row)) {
                Ok(Some(pushed)) => pushed?,
                Ok(None) => break Ok(store),
                Err(error) => break Err(errors::translate(&error, Doing::Read)),
            }
        };
        prepared.give_back(rows.into_statement());
        stepped
    }

    /// Goes to the next row of a FOR UPDATE cursor, and locks it.
    pub(super) fn lock_next(&mut self, id: CursorId) -> SqlResult<()> {
        if self.cursors.locking(id).is_none() {
            return Ok(());
        }
        let waiting = self.waiting();
        let keep = self.settings.retain_update_locks
            || (self.isolation() == IsolationLevel::RepeatableRead && self.transaction.is_some());
        loop {
            let Some(locking) = self.cursors.locking(id) else {
                return Ok(());
            };
            let columns = locking.row.columns();
            locking.row = RowStore::new(columns);
            let claimed = locking.claimed.take().filter(|_| !keep);
            let key = locking.key.clone();
            let rowid = locking.rowids.get(locking.next).copied();
            if let (Some(key), Some(row)) = (&key, claimed) {
                self.locks.release_claim(key, row);
            }
            let Some(rowid) = rowid else { return Ok(()) };
            if let Some(key) = &key {
                while let Err(conflict) = self.locks.claim(key, rowid, Claim::Update) {
                    self.wait_for(&conflict, &waiting, Doing::Read)?;
                }
            }
            let store = self.read_locked(id, rowid)?;
            let Some(locking) = self.cursors.locking(id) else {
                return Ok(());
            };
            locking.next += 1;
            locking.claimed = Some(rowid);
            // Otherwise it is gone, or not what the query asks for any more.
            if store.len() > 0 {
                locking.row = store;
                return Ok(());
            }
        }
    }

    fn read_locked(&mut self, id: CursorId, rowid: i64) -> SqlResult<RowStore> {
        // A query that still runs would show its old state.
        self.cursors.drain()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        let Some(locking) = self.cursors.locking(id) else {
            return Ok(RowStore::default());
        };
        let failed = |e: rusqlite::Error| errors::translate(&e, Doing::Read);
        let mut statement = connection.prepare_cached(&locking.sql).map_err(failed)?;
        let last = Value::Integer(rowid);
        let values = locking.values.iter().chain(std::iter::once(&last));
        let mut rows = statement
            .query(rusqlite::params_from_iter(values))
            .map_err(failed)?;
        let mut store = RowStore::new(locking.row.columns());
        while let Some(row) = rows.next().map_err(failed)? {
            store.push(row)?;
        }
        Ok(store)
    }

    /// What closing the cursor gives up.
    pub(super) fn release_cursor(&self, locking: &Locking) {
        let keep = self.settings.retain_update_locks
            || (self.isolation() == IsolationLevel::RepeatableRead && self.transaction.is_some());
        if let (Some(key), Some(row), false) = (&locking.key, locking.claimed, keep) {
            self.locks.release_claim(key, row);
        }
    }
}
