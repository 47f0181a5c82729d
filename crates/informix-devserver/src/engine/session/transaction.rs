//! Transactions and savepoints.
//!
//! An Informix transaction is session state. SQLite's own transaction begins with the first write in it; savepoints set
//! before that are made up for then. Open cursors are drained into memory before anything is written or ended: a
//! snapshot of the write-ahead log that is older than another session's commit could not be written from.

use super::super::errors::{self, Doing};
use super::super::outcome::TransactionEvent;
use super::Session;
use crate::error::{SqlError, SqlResult};

/// An open transaction.
#[derive(Debug, Default)]
pub(crate) struct Transaction {
    /// Nobody asked for it: ANSI database.
    implicit: bool,
    /// SQLite's transaction has begun.
    started: bool,
    /// SQLite gave it up by itself (a full disk): only its end is left.
    lost: bool,
    /// Names, oldest first; the SQLite savepoint is named by the position.
    savepoints: Vec<Savepoint>,
    /// The schema was changed in it.
    pub(crate) schema_changed: bool,
}

#[derive(Debug)]
struct Savepoint {
    name: String,
    unique: bool,
}

impl Transaction {
    /// The transaction of the session around.
    pub(super) fn inside(started: bool, implicit: bool) -> Self {
        Self {
            started,
            implicit,
            ..Self::default()
        }
    }

    /// SQLite's transaction was begun by a session inside.
    pub(super) fn has_started(&mut self) {
        self.started = true;
    }

    /// SQLite has no transaction open any more; whether that is news.
    pub(super) fn notice_loss(&mut self) -> bool {
        let news = std::mem::take(&mut self.started);
        self.lost |= news;
        news
    }

    pub(crate) fn is_implicit(&self) -> bool {
        self.implicit
    }

    pub(crate) fn has_written(&self) -> bool {
        self.started
    }
}

fn savepoint_sql(verb: &str, position: usize) -> String {
    format!("{verb} \"savepoint${position}\"")
}

impl Session {
    /// Whether a transaction is open that the client has to end.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    fn require_log(&self) -> SqlResult<()> {
        if self.require_database()?.mode().is_logged() {
            Ok(())
        } else {
            Err(SqlError::new(-256))
        }
    }

    /// A branch of a distributed transaction is ended by XA messages only.
    fn require_no_branch(&self) -> SqlResult<()> {
        match &self.branch {
            None => Ok(()),
            Some(_) => Err(SqlError::new(-701)),
        }
    }

    /// After some failures (a full disk) SQLite has undone the whole transaction. Nothing may run as if the earlier work
    /// were there, or outside of a transaction, until the client has ended it.
    ///
    /// # Errors
    /// -959, as servers report a transaction that they rolled back.
    pub(crate) fn refuse_lost(&self) -> SqlResult<()> {
        match &self.transaction {
            Some(transaction) if transaction.lost => {
                Err(SqlError::new(-959).because("the transaction was rolled back when a statement failed"))
            }
            _ => Ok(()),
        }
    }

    /// BEGIN WORK.
    ///
    /// # Errors
    /// -535 inside a transaction, -701 in a branch of a distributed one, -256 in a database without a log, -349 without a database.
    pub fn begin(&mut self) -> SqlResult<TransactionEvent> {
        self.refuse_inside("BEGIN WORK")?;
        self.require_log()?;
        self.require_no_branch()?;
        if self.transaction.is_some() {
            return Err(SqlError::new(-535));
        }
        self.transaction = Some(Transaction::default());
        Ok(TransactionEvent::Begun)
    }

    /// COMMIT WORK. Cursors without HOLD are closed.
    ///
    /// # Errors
    /// -255 outside a transaction, -256 without a log; -959 for one that SQLite gave up; -691 or -692 when a deferred
    /// constraint does not hold and other codes when the data can't be written, after which the transaction is rolled
    /// back.
    pub fn commit(&mut self) -> SqlResult<TransactionEvent> {
        self.refuse_inside("COMMIT WORK")?;
        self.adopt();
        self.require_log()?;
        self.require_no_branch()?;
        let ansi = self.require_database()?.mode().is_ansi();
        self.prepare_end_of_transaction()?;
        let Some(transaction) = self.transaction.take() else {
            return if ansi {
                Ok(TransactionEvent::Committed)
            } else {
                Err(SqlError::new(-255))
            };
        };
        if transaction.lost {
            self.transaction = Some(transaction);
            let refused = self.refuse_lost();
            self.rollback()?;
            return refused.map(|()| TransactionEvent::RolledBack);
        }
        let open = self.require_database()?;
        if transaction.schema_changed {
            // Before and after: nobody may keep for long what it read between the two.
            open.database.schema_changed();
        }
        if transaction.started
            && let Err(error) = open.connection.execute_batch("COMMIT")
        {
            let failure = self.commit_failure(&error);
            self.transaction = Some(transaction);
            self.rollback()?;
            return Err(failure);
        }
        if transaction.schema_changed {
            self.require_database()?.database.schema_changed();
        }
        self.locks.release_all();
        self.settings.transaction_ended();
        Ok(TransactionEvent::Committed)
    }

    fn commit_failure(&self, error: &rusqlite::Error) -> SqlError {
        match errors::violation(error) {
            Some(_) => SqlError::new(-691).because("a deferred constraint does not hold"),
            None => errors::translate(error, Doing::Commit),
        }
    }

    /// ROLLBACK WORK. Cursors without HOLD are closed.
    ///
    /// # Errors
    /// -255 outside a transaction, -256 without a log.
    pub fn rollback(&mut self) -> SqlResult<TransactionEvent> {
        self.refuse_inside("ROLLBACK WORK")?;
        self.adopt();
        self.require_log()?;
        self.require_no_branch()?;
        let ansi = self.require_database()?.mode().is_ansi();
        self.prepare_end_of_transaction()?;
        let Some(transaction) = self.transaction.take() else {
            return if ansi {
                Ok(TransactionEvent::RolledBack)
            } else {
                Err(SqlError::new(-255))
            };
        };
        let open = self.require_database()?;
        if transaction.started && !open.connection.is_autocommit() {
            open.connection
                .execute_batch("ROLLBACK")
                .map_err(|e| SqlError::new(-241).because(e.to_string()))?;
        }
        self.locks.release_all();
        if transaction.schema_changed {
            self.schema_rolled_back()?;
        }
        self.settings.transaction_ended();
        Ok(TransactionEvent::RolledBack)
    }

    /// After a rollback of DDL: what SQLite and we remember of the schema is wrong.
    fn schema_rolled_back(&mut self) -> SqlResult<()> {
        let open = self.require_database()?;
        // RESET makes the connection read the schema again, which edits of sqlite_schema need.
        open.connection
            .execute_batch("PRAGMA writable_schema = RESET")
            .map_err(|e| errors::translate(&e, Doing::Define))?;
        open.schema_touched();
        Ok(())
    }

    pub(super) fn prepare_end_of_transaction(&mut self) -> SqlResult<()> {
        self.cursors.end_of_transaction();
        self.cursors.drain()
    }

    /// To be called before every write: begins what has to begin, drains cursors.
    /// Gives whether SQLite's transaction began by this call, for [`Self::write_failed`].
    pub(crate) fn before_write(&mut self) -> SqlResult<bool> {
        self.adopt();
        self.refuse_lost()?;
        self.cursors.drain()?;
        let open = self.open.as_ref().ok_or_else(|| SqlError::new(-349))?;
        if self.transaction.is_none() && open.mode().is_ansi() {
            self.transaction = Some(Transaction {
                implicit: true,
                ..Transaction::default()
            });
        }
        if self.settings.read_only {
            return Err(SqlError::new(-878));
        }
        let Some(transaction) = &mut self.transaction else {
            return Ok(false);
        };
        if transaction.started {
            return Ok(false);
        }
        // Deferred: the first statement in it is the write itself and takes the lock with a fresh snapshot, and only
        // that of the file it writes to.
        let run = |sql: &str| {
            open.connection
                .execute_batch(sql)
                .map_err(|e| errors::translate(&e, Doing::Commit))
        };
        run("BEGIN")?;
        for position in 0..transaction.savepoints.len() {
            run(&savepoint_sql("SAVEPOINT", position))?;
        }
        if self.settings.constraints_deferred {
            run("PRAGMA defer_foreign_keys = ON")?;
        }
        transaction.started = true;
        Ok(true)
    }

    /// Runs a write that must not end the transaction around it when it is interrupted.
    pub(crate) fn shielded<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let alone = self
            .open
            .as_ref()
            .is_none_or(|open| open.connection.is_autocommit());
        if alone {
            return work(self);
        }
        let interrupt = self.interrupt.clone();
        interrupt.shield(|| work(self))
    }

    /// The write after [`Self::before_write`] did not happen: an SQLite transaction begun for it ends again, so that
    /// later reads are not tied to its snapshot.
    pub(crate) fn write_failed(&mut self, began: bool) {
        let Some(open) = &self.open else { return };
        let lost = open.connection.is_autocommit();
        let Some(transaction) = &mut self.transaction else {
            return;
        };
        if began && !lost {
            // Fails only when SQLite has rolled back by itself.
            let _ = open.connection.execute_batch("ROLLBACK");
        }
        if began || lost {
            transaction.started = false;
            self.locks.release_changes();
        }
    }

    /// SET CONSTRAINTS ALL DEFERRED or IMMEDIATE, for the rest of the transaction.
    pub(crate) fn defer_constraints(&mut self, deferred: bool) -> SqlResult<()> {
        self.settings.constraints_deferred = deferred;
        let open = self.require_database()?;
        if self.transaction.as_ref().is_some_and(Transaction::has_written) {
            let switch = if deferred { "ON" } else { "OFF" };
            open.connection
                .execute_batch(&format!("PRAGMA defer_foreign_keys = {switch}"))
                .map_err(|e| errors::translate(&e, Doing::Commit))?;
        }
        Ok(())
    }

    /// SAVEPOINT name `[UNIQUE]`.
    ///
    /// # Errors
    /// -255 outside a transaction, -32027 when a UNIQUE savepoint of that name is set or this one shall be unique and
    /// the name is in use.
    pub fn savepoint(&mut self, name: &str, unique: bool) -> SqlResult<()> {
        self.refuse_inside("SAVEPOINT")?;
        self.adopt();
        self.require_log()?;
        self.refuse_lost()?;
        self.begin_implicit()?;
        self.cursors.drain()?;
        let open = self.open.as_ref().ok_or_else(|| SqlError::new(-349))?;
        let transaction = self.transaction.as_mut().ok_or_else(|| SqlError::new(-255))?;
        if let Some(known) = transaction.savepoints.iter().rfind(|s| s.name == name)
            && (known.unique || unique)
        {
            return Err(SqlError::new(-32027).token(name));
        }
        if transaction.started {
            let sql = savepoint_sql("SAVEPOINT", transaction.savepoints.len());
            open.connection
                .execute_batch(&sql)
                .map_err(|e| SqlError::new(-26074).token(name).because(e.to_string()))?;
        }
        transaction.savepoints.push(Savepoint {
            name: name.to_owned(),
            unique,
        });
        Ok(())
    }

    /// RELEASE SAVEPOINT name: it and the later ones are forgotten.
    ///
    /// # Errors
    /// -255 outside a transaction, -32026 for an unknown name.
    pub fn release_savepoint(&mut self, name: &str) -> SqlResult<()> {
        self.refuse_inside("RELEASE SAVEPOINT")?;
        self.adopt();
        self.require_log()?;
        self.refuse_lost()?;
        self.cursors.drain()?;
        let open = self.open.as_ref().ok_or_else(|| SqlError::new(-349))?;
        let transaction = self.transaction.as_mut().ok_or_else(|| SqlError::new(-255))?;
        let position = find(transaction, Some(name))?;
        if transaction.started {
            open.connection
                .execute_batch(&savepoint_sql("RELEASE", position))
                .map_err(|e| SqlError::new(-26075).token(name).because(e.to_string()))?;
        }
        transaction.savepoints.truncate(position);
        Ok(())
    }

    /// ROLLBACK WORK TO SAVEPOINT: without a name to the latest. The savepoint stays.
    ///
    /// # Errors
    /// -255 outside a transaction, -32026 for an unknown name.
    pub fn rollback_to_savepoint(&mut self, name: Option<&str>) -> SqlResult<()> {
        self.refuse_inside("ROLLBACK TO SAVEPOINT")?;
        self.adopt();
        self.require_log()?;
        self.refuse_lost()?;
        self.cursors.drain()?;
        let open = self.open.as_ref().ok_or_else(|| SqlError::new(-349))?;
        let transaction = self.transaction.as_mut().ok_or_else(|| SqlError::new(-255))?;
        let position = find(transaction, name)?;
        let schema_changed = transaction.schema_changed;
        if transaction.started {
            open.connection
                .execute_batch(&savepoint_sql("ROLLBACK TO", position))
                .map_err(|e| {
                    SqlError::new(-26076)
                        .token(name.unwrap_or_default())
                        .because(e.to_string())
                })?;
        }
        transaction.savepoints.truncate(position + 1);
        if schema_changed {
            self.schema_rolled_back()?;
        }
        // The rows are what they were there.
        self.locks.outdate();
        if !self.is_attended {
            self.show_changes();
        }
        Ok(())
    }

    /// In an ANSI database every statement stands in a transaction.
    pub(super) fn begin_implicit(&mut self) -> SqlResult<()> {
        if self.transaction.is_none() && self.require_database()?.mode().is_ansi() {
            self.transaction = Some(Transaction {
                implicit: true,
                ..Transaction::default()
            });
        }
        Ok(())
    }
}

fn find(transaction: &Transaction, name: Option<&str>) -> SqlResult<usize> {
    let found = match name {
        Some(name) => transaction.savepoints.iter().rposition(|s| s.name == name),
        None => transaction.savepoints.len().checked_sub(1),
    };
    found.ok_or_else(|| SqlError::new(-32026).token(name.unwrap_or_default()))
}
