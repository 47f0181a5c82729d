//! Sessions inside of a session: SQLite calls a stored function in the middle of a statement, and what the function runs
//! uses the same connection. The statement holds the session meanwhile, so a second one is made of what they share.

use std::rc::Rc;
use std::sync::Arc;

use super::{Session, Transaction, cursor};
use crate::engine::Facts;
use crate::error::{SqlError, SqlResult};
use crate::routine::{self, Host};

/// What identifies a session among those of its thread.
pub(crate) fn key_of(facts: &Facts) -> usize {
    std::ptr::from_ref(facts).addr()
}

impl Session {
    fn key(&self) -> usize {
        key_of(&self.facts)
    }

    /// Lets functions find the session: after it entered a database, and when its settings changed.
    pub(crate) fn offer(&self) {
        if self.nested {
            return;
        }
        let Some(open) = &self.open else { return };
        routine::offer(
            self.key(),
            Rc::new(Host {
                engine: Arc::clone(&self.engine),
                id: self.id,
                options: self.options.clone(),
                interrupt: self.interrupt.clone(),
                patience: self.patience.clone(),
                settings: self.settings.clone(),
                open: open.clone(),
                facts: Arc::clone(&self.facts),
                locks: Arc::clone(&self.locks),
            }),
        );
    }

    /// The opposite of [`Self::offer`].
    pub(super) fn withdraw(&self) {
        routine::withdraw(self.key());
    }

    /// A session inside of the one that `host` was offered by.
    pub(crate) fn inside(host: &Host) -> Self {
        let in_transaction = host.open.routines.in_transaction.get();
        Self {
            engine: Arc::clone(&host.engine),
            id: host.id,
            settings: host.settings.clone(),
            options: host.options.clone(),
            interrupt: host.interrupt.clone(),
            patience: host.patience.clone(),
            cursors: cursor::Cursors::default(),
            transaction: in_transaction
                .then(|| Transaction::inside(!host.open.connection.is_autocommit(), false)),
            open: Some(host.open.clone()),
            facts: Arc::clone(&host.facts),
            locks: Arc::clone(&host.locks),
            is_attended: true,
            prepared: Vec::new(),
            nested: true,
            foreach: Vec::new(),
            branch: None,
            scanned: None,
        }
    }

    /// Before a statement: what sessions inside of it have to know.
    pub(crate) fn announce(&self) {
        if let Some(open) = &self.open {
            open.routines.in_transaction.set(self.transaction.is_some());
        }
    }

    /// After a statement: a session inside of it may have begun SQLite's transaction.
    pub(crate) fn adopt(&mut self) {
        let Some(open) = &self.open else { return };
        if open.connection.is_autocommit() {
            if let Some(transaction) = &mut self.transaction
                && transaction.notice_loss()
            {
                self.locks.release_changes();
            }
            return;
        }
        match &mut self.transaction {
            Some(transaction) => transaction.has_started(),
            None if open.mode().is_ansi() => {
                self.transaction = Some(Transaction::inside(true, true));
            }
            None => {}
        }
    }

    /// Whether the statement around this session is writing: SQLite takes no savepoints then.
    pub(crate) fn inside_write(&self) -> bool {
        self.nested
            && self
                .open
                .as_ref()
                .is_some_and(|open| open.routines.writing.get() > 0)
    }

    /// Runs a statement of SQLite's that writes; `noted` when the changed rows have to be known in any case.
    pub(crate) fn while_writing<R>(&self, noted: bool, work: impl FnOnce() -> R) -> R {
        let Some(open) = &self.open else { return work() };
        let writing = &open.routines.writing;
        writing.set(writing.get() + 1);
        open.calls.recorder.listen(noted || self.records_rows());
        let done = work();
        writing.set(writing.get().saturating_sub(1));
        open.calls
            .recorder
            .listen(writing.get() > 0 && self.records_rows());
        done
    }

    /// What changes transactions or the schema must not run inside of another statement.
    ///
    /// # Errors
    /// -675.
    pub(crate) fn refuse_inside(&self, what: &str) -> SqlResult<()> {
        let firing = self.open.as_ref().is_some_and(|open| open.routines.is_firing());
        if self.nested || firing {
            Err(SqlError::new(-675).because(format!("{what} in a routine that a statement on rows calls")))
        } else {
            Ok(())
        }
    }
}
