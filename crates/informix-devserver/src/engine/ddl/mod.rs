//! Statements that change the schema. Catalog rows and SQLite's own objects change in one SQLite transaction.

mod alter;
mod attach;
mod columns;
mod create;
mod drop;
mod fragment;
mod grant;
mod index;
mod modes;
mod rename;
mod roles;
mod sequence;
mod statistics;
mod types;
mod view;

use std::rc::Rc;

use rusqlite::Connection;

use super::errors::{self, Doing};
use super::session::Session;
use crate::catalog::names::Place;
use crate::catalog::read::Reader;
use crate::catalog::write::Writer;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{ObjectKind, StatementKind};

/// Writer and reader of the place that a statement changes.
pub(crate) struct Definer<'a> {
    pub(crate) session: &'a Session,
    pub(crate) writer: Writer<'a>,
}

impl Definer<'_> {
    pub(crate) fn connection(&self) -> &Connection {
        self.writer.connection
    }

    pub(crate) fn place(&self) -> &Place {
        &self.writer.place
    }

    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader {
            connection: self.writer.connection,
            place: self.writer.place.clone(),
        }
    }
}

impl Session {
    /// Runs a statement that changes the schema; false when it is none.
    pub(crate) fn define_statement(&mut self, statement: &StatementKind, text: &str) -> SqlResult<bool> {
        match statement {
            StatementKind::CreateTable(create) => self.create_table(create, text)?,
            StatementKind::CreateIndex(create) => self.create_index(create, text)?,
            StatementKind::CreateView(create) => self.create_view(create, text)?,
            StatementKind::CreateSynonym(create) => self.create_synonym(create)?,
            StatementKind::CreateSequence(create) => self.create_sequence(create)?,
            StatementKind::CreateDistinctType(create) => self.create_distinct_type(create)?,
            StatementKind::CreateRowType(create) => self.create_row_type(create)?,
            StatementKind::AlterSequence(alter) => self.alter_sequence(alter)?,
            StatementKind::AlterTable(alter) => self.alter_table(alter, text)?,
            StatementKind::AlterIndex(alter) => self.alter_index(alter)?,
            StatementKind::AlterFragment(alter) => self.alter_fragment(alter, text)?,
            StatementKind::Drop(drop) if drop.kind != ObjectKind::Database => self.drop_object(drop)?,
            StatementKind::Rename(rename) if rename.kind != ObjectKind::Database => self.rename(rename)?,
            StatementKind::Grant(grant) => self.grant(grant)?,
            StatementKind::Revoke(grant) => self.revoke(grant)?,
            StatementKind::CreateTrigger(create) => self.create_trigger(create, text)?,
            StatementKind::CreateRoutine(create) => self.create_routine(create, text)?,
            StatementKind::CreateRole(role) => self.create_role(role)?,
            StatementKind::UpdateStatistics(what) => self.update_statistics(what)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Runs `work` so that either all of it happens or nothing, in the client's transaction or in one of its own.
    pub(crate) fn define(
        &mut self,
        place: &Place,
        work: impl FnOnce(&Definer<'_>) -> SqlResult<()>,
    ) -> SqlResult<()> {
        if matches!(place, Place::Attached(_)) {
            // A real server refuses it too: DDL is for the current database.
            return Err(SqlError::new(-999).because("DDL in another database"));
        }
        if *place != Place::Temp || self.inside_write() {
            self.refuse_inside("DDL")?;
        }
        if *place == Place::Main {
            self.disarm()?;
        }
        self.become_writer(place, Doing::Define)?;
        let began = self.before_write()?;
        let connection = Rc::clone(&self.require_database()?.connection);
        let run = |sql: &str| {
            connection
                .execute_batch(sql)
                .map_err(|e| errors::translate(&e, Doing::Define))
        };
        let own = connection.is_autocommit();
        run(if own { "BEGIN" } else { "SAVEPOINT \"define$\"" })?;
        let recorder = std::sync::Arc::clone(&self.require_database()?.calls.recorder);
        recorder.listen(!own);
        let inside = |session: &mut Self| session.define_inside(&connection, place.clone(), work);
        let result = if own || began {
            inside(self)
        } else {
            self.shielded(inside)
        };
        recorder.listen(false);
        let result = result.and_then(|()| if own { Ok(()) } else { self.lock_definitions() });
        recorder.forget_unlocked();
        let open = self.require_database()?;
        open.schema_touched();
        match result {
            Ok(()) => {
                let temporary = *place == Place::Temp;
                if own {
                    if !temporary {
                        open.database.schema_changed();
                    }
                    run("COMMIT")?;
                    if !temporary {
                        open.database.schema_changed();
                    }
                } else {
                    run("RELEASE \"define$\"")?;
                    if let Some(transaction) = &mut self.transaction {
                        transaction.schema_changed = true;
                    }
                }
                Ok(())
            }
            Err(error) => {
                if own {
                    let _ = connection.execute_batch("ROLLBACK");
                } else {
                    let _ = connection.execute_batch("ROLLBACK TO \"define$\"; RELEASE \"define$\"");
                }
                // Edits of sqlite_schema that were undone are still in SQLite's own memory.
                let _ = connection.execute_batch("PRAGMA writable_schema = RESET");
                if began {
                    self.write_failed(true);
                }
                Err(error)
            }
        }
    }

    fn define_inside(
        &self,
        connection: &Rc<Connection>,
        place: Place,
        work: impl FnOnce(&Definer<'_>) -> SqlResult<()>,
    ) -> SqlResult<()> {
        if place == Place::Main {
            // The write lock comes before anything is read: a snapshot could not be written from.
            connection
                .execute_batch("UPDATE main.\"$database\" SET mode = mode")
                .map_err(|e| errors::translate(&e, Doing::Define))?;
        }
        let definer = Definer {
            session: self,
            writer: Writer { connection, place },
        };
        work(&definer)
    }

    /// Where a statement creates something: the current database only.
    pub(crate) fn place_to_create(&self, name: &crate::sql::ast::ObjectName) -> SqlResult<Place> {
        self.place_of(name.database.as_ref().map(|d| d.name.as_str()))
    }

    /// The owner of what this session creates.
    pub(crate) fn owner_for(&self, name: &crate::sql::ast::ObjectName) -> String {
        match &name.owner {
            Some(owner) if !owner.quoted && self.require_database().is_ok_and(|o| o.mode().is_ansi()) => {
                owner.name.to_ascii_uppercase()
            }
            Some(owner) => owner.name.clone(),
            None => self.user().to_owned(),
        }
    }
}
