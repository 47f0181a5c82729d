//! How statements lock, wait and let go.
//!
//! A statement that changes rows first becomes the writer of its database ([`crate::engine::locks`]), then runs, and
//! then locks the rows that SQLite says it has changed. When somebody has claimed one of them, the statement is undone
//! and waits, or fails, as SET LOCK MODE says.

use std::rc::Rc;
use std::sync::Arc;

use rusqlite::types::Value;

use super::super::errors::{self, Doing};
use super::super::locks::{Conflict, Ending, Refusal, TableKey, Waiting, Whole};
use super::super::wanted::RowsWanted;
use super::Session;
use super::guarded::ReadsTable;
use crate::analyze::TableInfo;
use crate::catalog::model::Table;
use crate::catalog::names::{self, Place};
use crate::error::{SqlError, SqlResult};

/// The rows that a statement means to change, before it does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) rows: &'a RowsWanted,
    pub(super) info: &'a Rc<TableInfo>,
    pub(super) table: &'a Table,
    pub(super) parameters: &'a [Value],
}

impl Session {
    /// A table as locks know it; None for a temporary one.
    pub(crate) fn lock_key(&self, table: &Table) -> SqlResult<Option<TableKey>> {
        let Some(database) = self.lock_database(&table.place)? else {
            return Ok(None);
        };
        Ok(Some(TableKey {
            database,
            table: Arc::from(table.physical()),
        }))
    }

    pub(super) fn lock_database(&self, place: &Place) -> SqlResult<Option<Arc<str>>> {
        Ok(match place {
            Place::Temp => None,
            Place::Main => Some(Arc::clone(&self.require_database()?.lock_name)),
            Place::Attached(name) => Some(Arc::from(names::physical(name))),
        })
    }

    /// The patience of a statement that begins.
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting::new(&self.patience, &self.interrupt)
    }

    /// Becomes the writer of a place's database, as what is not about rows needs it.
    ///
    /// # Errors
    /// A lock conflict when somebody else has written and does not come to an end.
    pub(crate) fn become_writer(&self, place: &Place, doing: Doing) -> SqlResult<()> {
        let Some(database) = self.lock_database(place)? else {
            return Ok(());
        };
        match self.locks.become_writer(&database, &self.waiting(), || {
            self.show_changes();
            Ok::<_, SqlError>(None)
        }) {
            Ok(()) | Err(Refusal::Rows(_)) => Ok(()),
            Err(Refusal::Ended(ending)) => Err(ended(ending, doing)),
            Err(Refusal::Failed(error)) => Err(error),
        }
    }

    /// Becomes the writer for a statement that changes rows of a table, and announces that.
    pub(super) fn claim_table(
        &self,
        key: &TableKey,
        wanted: Option<Wanted<'_>>,
        waiting: &Waiting,
        doing: Doing,
    ) -> SqlResult<()> {
        loop {
            let wants = || {
                // Who waits cannot answer questions.
                self.show_changes();
                self.conflict_of(key, wanted)
            };
            let conflict = match self.locks.become_writer(&key.database, waiting, wants) {
                Ok(()) if self.records_rows() => match self.locks.enter(key) {
                    Ok(()) => return Ok(()),
                    Err(conflict) => conflict,
                },
                Ok(()) => return Ok(()),
                Err(Refusal::Rows(conflict)) => conflict,
                Err(Refusal::Ended(ending)) => return Err(ended(ending, doing)),
                Err(Refusal::Failed(error)) => return Err(error),
            };
            self.wait_for(&conflict, waiting, doing)?;
        }
    }

    /// Locks a whole table.
    ///
    /// # Errors
    /// A lock conflict.
    pub(super) fn lock_whole(&self, table: &Table, whole: Whole) -> SqlResult<()> {
        let Some(key) = self.lock_key(table)? else {
            return Ok(());
        };
        let waiting = self.waiting();
        while let Err(conflict) = self.locks.take_whole(&key, whole) {
            self.show_changes();
            self.locks
                .wait(&conflict, &waiting)
                .map_err(|ending| ended(ending, Doing::Read))?;
        }
        Ok(())
    }

    /// Waits for others' locks, without keeping others from writing when nothing is written yet.
    pub(super) fn wait_for(&self, conflict: &Conflict, waiting: &Waiting, doing: Doing) -> SqlResult<()> {
        if !self.nested && self.require_database()?.connection.is_autocommit() {
            self.locks.release_changes();
        }
        self.show_changes();
        self.locks
            .wait(conflict, waiting)
            .map_err(|ending| ended(ending, doing))
    }

    /// Who has locked rows that a statement wants.
    fn conflict_of(&self, key: &TableKey, wanted: Option<Wanted<'_>>) -> SqlResult<Option<Conflict>> {
        let Some(wanted) = wanted.filter(|_| self.locks.is_changed_by_others(key)) else {
            return Ok(None);
        };
        let Some(table) = ReadsTable::of(wanted.info) else {
            return Ok(None);
        };
        let rows = self.rows_wanted(
            &table,
            |source| wanted.rows.sql(wanted.table, source),
            wanted.parameters,
        )?;
        Ok(self.locks.change_conflict(key, &rows).err())
    }

    /// Whether changed rows have to be known: others may come to want them, or have claimed them.
    pub(super) fn records_rows(&self) -> bool {
        let Some(open) = &self.open else { return false };
        open.mode().is_logged() && (!open.connection.is_autocommit() || self.transaction.is_some())
            || !self.locks.is_alone()
    }

    /// Locks what the last statement of SQLite's has changed.
    pub(super) fn lock_touched(&self) -> SqlResult<Result<(), Conflict>> {
        Ok(self.require_database()?.calls.recorder.each(|table| {
            self.locks.take_changed(&table.key, table.unlocked())?;
            table.set_locked();
            Ok(())
        }))
    }

    /// The last statement of SQLite's was undone.
    pub(super) fn forget_touched(&self) {
        if let Some(open) = &self.open {
            open.calls.recorder.forget_unlocked();
        }
    }

    /// The end of a statement: outside of a transaction its locks go, inside others get to see what it did if they ask.
    pub(crate) fn settle_locks(&mut self) {
        if self.nested || !self.locks.is_writing() {
            return;
        }
        let Some(open) = &self.open else { return };
        open.calls.recorder.forget();
        if open.connection.is_autocommit() {
            self.locks.release_changes();
        } else if self.locks.attention.is_asked() || !self.is_attended {
            self.show_changes();
        }
    }
}

/// The error of a statement that waited in vain.
pub(super) fn ended(ending: Ending, doing: Doing) -> SqlError {
    match ending {
        Ending::Locked(isam) => errors::lock_conflict(doing).isam(isam),
        Ending::Interrupted => SqlError::new(-213),
    }
}
