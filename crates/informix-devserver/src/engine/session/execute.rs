//! Running statements.

use informix_types::BoundValue;
use rusqlite::types::Value;

use super::super::config::{DatabaseMode, DatabaseSpec, default_locale};
use super::super::errors::Doing;
use super::super::kinds;
use super::super::locks::Whole;
use super::super::outcome::Outcome;
use super::prepare::Compiled;
use super::run::check_count;
use super::violations::Attempt;
use super::{Prepared, Session};
use crate::catalog::model::TableKind;
use crate::catalog::names::Place;
use crate::catalog::write::FIRST_USER_TABLE;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::{self, CreateDatabase, DatabaseLog, ObjectKind, SetStatement, StatementKind};
use crate::storage::LockWait;

impl Session {
    /// Runs a statement that returns no rows.
    ///
    /// # Errors
    /// -260 for a SELECT, -254 for a wrong number of parameters, and whatever the statement raises. A failing
    /// statement has changed nothing; the transaction stays open.
    pub fn execute(&mut self, prepared: &Prepared, parameters: &[BoundValue]) -> SqlResult<Outcome> {
        self.statement_begins();
        if prepared.opens_cursor() {
            return Err(SqlError::new(-260));
        }
        check_count(prepared, parameters)?;
        if !prepared.parts().is_empty() {
            return self.run_parts(prepared.parts(), parameters);
        }
        let compiled = self.refresh(prepared)?;
        let values = self.stored_parameters(prepared, parameters)?;
        let outcome = self.execute_compiled(prepared, &compiled, values);
        self.adopt();
        self.settle_locks();
        outcome
    }

    /// Runs what a statement was compiled to; `values` are in the stored forms that it wants.
    pub(crate) fn execute_compiled(
        &mut self,
        prepared: &Prepared,
        compiled: &Compiled,
        values: Vec<Value>,
    ) -> SqlResult<Outcome> {
        let outcome = match compiled {
            Compiled::Tree => self.run_tree(prepared.statement(), prepared.text())?,
            Compiled::Query { .. } => return Err(SqlError::new(-260)),
            Compiled::Program(program) => self.run_program(prepared, program, values)?,
            Compiled::Into(plan) => self.select_into(prepared, plan, &values)?,
            Compiled::Merge(plan) => self.merge(plan, &values)?,
            Compiled::Call(plan) => self.execute_call(plan, &values)?,
            Compiled::Instead(plan) => self.execute_instead(plan, &values)?,
            Compiled::InsertCall(call, types, program) => {
                self.insert_call(prepared, call, types, program, &values)?
            }
        };
        self.keep_sequences()?;
        self.facts.statement_ended(outcome.rows);
        Ok(outcome)
    }

    /// Runs a statement that needs no plan.
    pub(crate) fn run_tree(&mut self, statement: &StatementKind, text: &str) -> SqlResult<Outcome> {
        let mut outcome = Outcome::default();
        match statement {
            StatementKind::Begin => outcome.transaction = Some(self.begin()?),
            StatementKind::Commit => outcome.transaction = Some(self.commit()?),
            StatementKind::Rollback(None) => outcome.transaction = Some(self.rollback()?),
            StatementKind::Rollback(Some(to)) => {
                self.rollback_to_savepoint(to.name.as_ref().map(|n| n.name.as_str()))?;
            }
            StatementKind::Savepoint(savepoint) => self.savepoint(&savepoint.name.name, savepoint.unique)?,
            StatementKind::ReleaseSavepoint(name) => self.release_savepoint(&name.name)?,
            StatementKind::Database(open) => {
                outcome.database = Some(self.open_database(&open.name.name, open.exclusive)?);
            }
            StatementKind::CloseDatabase => self.close_database()?,
            StatementKind::CreateDatabase(create) => outcome.database = self.create_database(create)?,
            StatementKind::Drop(drop) if drop.kind == ObjectKind::Database => {
                self.require_no_transaction()?;
                match self.engine.drop_database(&drop.name.name.name) {
                    Err(error) if error.sqlcode == -329 && drop.if_exists => {}
                    result => result?,
                }
            }
            StatementKind::Rename(rename) if rename.kind == ObjectKind::Database => {
                self.require_no_transaction()?;
                self.engine
                    .rename_database(&rename.name.name.name, &rename.to.name)?;
            }
            StatementKind::Set(set) => {
                self.set(set)?;
                self.offer();
            }
            StatementKind::Empty => {}
            StatementKind::Truncate(truncate) => self.truncate(&truncate.table)?,
            StatementKind::LockTable(lock) => self.lock_table(lock)?,
            StatementKind::UnlockTable(table) => self.unlock_table(table)?,
            other => {
                if !self.define_statement(other, text)? {
                    return Err(SqlError::new(-999).because(format!("statement {}", kinds::number(other))));
                }
            }
        }
        Ok(outcome)
    }

    /// TRUNCATE: all rows at once. Foreign keys of others that lead here forbid it while there are rows in them.
    fn truncate(&mut self, name: &ast::ObjectName) -> SqlResult<()> {
        let table = self
            .resolve_table(name)?
            .ok_or_else(|| crate::analyze::unknown_table(name))?;
        if table.kind != TableKind::Base || (table.place != Place::Temp && table.tabid < FIRST_USER_TABLE) {
            return Err(SqlError::new(-511).token(&table.name));
        }
        let sql = format!("DELETE FROM {}", table.sqlite_name());
        self.become_writer(&table.place, Doing::Delete)?;
        self.lock_whole(&table, Whole::Exclusive)?;
        let began = self.before_write()?;
        let open = self.require_database()?;
        let connection = std::rc::Rc::clone(&open.connection);
        // TRUNCATE fires no triggers.
        let empty = |session: &mut Self| session.silently(|_| Ok(connection.execute(&sql, [])));
        let ran = if began {
            empty(self)?
        } else {
            self.shielded(empty)?
        };
        let result = ran.map(drop).map_err(|e| {
            let attempt = Attempt {
                sql: &sql,
                parameters: &[],
                table: &table,
                doing: Doing::Delete,
                given: &[],
            };
            self.write_error(&e, &attempt)
        });
        if result.is_err() && began {
            self.write_failed(true);
        }
        if self.transaction.is_none()
            && let Some(key) = self.lock_key(&table)?
        {
            self.locks.release_whole(&key);
        }
        result
    }

    /// LOCK TABLE: until the end of the transaction; in a database without a log until UNLOCK TABLE.
    fn lock_table(&mut self, lock: &ast::LockTable) -> SqlResult<()> {
        let name = &lock.table;
        let table = self
            .resolve_table(name)?
            .ok_or_else(|| crate::analyze::unknown_table(name))?;
        if matches!(table.kind, TableKind::View { .. }) {
            return Err(SqlError::new(-504).token(&table.name));
        }
        let mode = self.require_database()?.mode();
        if mode.is_logged() && self.transaction.is_none() && !mode.is_ansi() {
            return Err(SqlError::new(-524).token(&table.name));
        }
        let whole = if lock.exclusive {
            Whole::Exclusive
        } else {
            Whole::Share
        };
        self.begin_implicit()?;
        self.lock_whole(&table, whole).map_err(|error| {
            if error.sqlcode == -213 {
                error
            } else {
                SqlError::new(-289).isam(error.isam).token(&table.name)
            }
        })
    }

    fn unlock_table(&mut self, name: &ast::ObjectName) -> SqlResult<()> {
        let table = self
            .resolve_table(name)?
            .ok_or_else(|| crate::analyze::unknown_table(name))?;
        if self.transaction.is_some() {
            return Err(SqlError::new(-327).token(&table.name));
        }
        let unlocked = self
            .lock_key(&table)?
            .is_none_or(|key| self.locks.release_whole(&key));
        if unlocked {
            Ok(())
        } else {
            Err(SqlError::new(-288).token(&table.name))
        }
    }

    /// Writes how far sequences have come.
    pub(crate) fn keep_sequences(&mut self) -> SqlResult<()> {
        if !self.facts.sequences.has_moved() {
            return Ok(());
        }
        self.become_writer(&Place::Main, Doing::Update)?;
        let began = self.before_write()?;
        let open = self.require_database()?;
        let keep = || {
            self.facts
                .sequences
                .keep(&open.connection, &open.database.info.name)
        };
        let kept = self.interrupt.shield(keep);
        if kept.is_err() && began {
            self.write_failed(true);
        }
        kept
    }

    /// After ALTER SEQUENCE: the next use reads it again.
    pub(crate) fn forget_sequence(&mut self, tabid: i32) -> SqlResult<()> {
        self.require_database()?.database.sequences().remove(&tabid);
        Ok(())
    }

    fn require_no_transaction(&self) -> SqlResult<()> {
        if self.transaction.as_ref().is_some_and(|t| !t.is_implicit()) {
            return Err(SqlError::new(-377));
        }
        Ok(())
    }

    /// CREATE DATABASE; the new database becomes the current one.
    fn create_database(&mut self, create: &CreateDatabase) -> SqlResult<Option<super::super::DatabaseFlags>> {
        self.require_no_transaction()?;
        let name = create.name.name.clone();
        if create.if_not_exists && self.engine.database(&name).is_some() {
            return Ok(None);
        }
        let mode = match create.log {
            DatabaseLog::None => DatabaseMode::Unlogged,
            DatabaseLog::Log => DatabaseMode::Logged,
            DatabaseLog::Buffered => DatabaseMode::Buffered,
            DatabaseLog::Ansi => DatabaseMode::Ansi,
        };
        let locale = self.options.db_locale.clone().unwrap_or_else(default_locale);
        let owner = self.options.user.clone();
        self.engine.create_database(
            &DatabaseSpec {
                name: name.clone(),
                mode,
                locale,
            },
            &owner,
        )?;
        self.open_database(&name, false).map(Some)
    }

    fn set(&mut self, set: &SetStatement) -> SqlResult<()> {
        match set {
            SetStatement::Isolation {
                level,
                retain_update_locks,
            } => {
                // An unlogged database reads dirty whatever is asked for.
                self.require_database()?;
                self.settings.isolation = *level;
                self.settings.retain_update_locks = *retain_update_locks;
            }
            SetStatement::Transaction { level, read_only } => {
                if self
                    .transaction
                    .as_ref()
                    .is_some_and(super::Transaction::has_written)
                {
                    return Err(SqlError::new(-876));
                }
                if level.is_some() {
                    self.settings.transaction_level = *level;
                }
                if let Some(read_only) = read_only {
                    self.settings.read_only = *read_only;
                }
            }
            SetStatement::LockMode(wait) => self.patience.set(match wait {
                ast::LockWait::NotWait => LockWait::None,
                ast::LockWait::Wait => LockWait::Forever,
                ast::LockWait::Seconds(n) => LockWait::Seconds(*n),
            }),
            SetStatement::ObjectMode {
                kinds,
                names,
                for_table,
                mode,
                ..
            } => self.set_object_mode(kinds, names, for_table.as_ref(), *mode)?,
            SetStatement::Environment { name, value } => self.settings.set_environment(name, value),
            SetStatement::Role(role) => {
                let none = !role.quoted && role.name == "none";
                self.facts
                    .set_role(if none { None } else { Some(role.name.clone()) });
            }
            SetStatement::SessionAuthorization(user) => {
                self.options.user.clone_from(&user.name);
                self.facts.set_user(&user.name);
            }
            // Nothing here depends on them.
            SetStatement::Explain
            | SetStatement::Log { .. }
            | SetStatement::PdqPriority
            | SetStatement::Optimization
            | SetStatement::Collation(_)
            | SetStatement::DebugFile
            | SetStatement::DataSkip
            | SetStatement::EncryptionPassword
            | SetStatement::StatementCache
            | SetStatement::Other(_) => {}
        }
        Ok(())
    }
}
