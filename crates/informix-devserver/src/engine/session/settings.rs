//! What SET statements and the login leave in a session.

use super::super::config::{DatabaseMode, SessionOptions};
use crate::sql::ast::{IsolationLevel, TransactionLevel};

/// Settings of a session.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) delimident: bool,
    pub(crate) isolation: IsolationLevel,
    /// RETAIN UPDATE LOCKS: rows of FOR UPDATE cursors stay locked until the end of the transaction.
    pub(crate) retain_update_locks: bool,
    /// SET TRANSACTION's level, for the current transaction only.
    pub(crate) transaction_level: Option<TransactionLevel>,
    pub(crate) read_only: bool,
    /// SET CONSTRAINTS … DEFERRED, until the end of the transaction.
    pub(crate) constraints_deferred: bool,
    /// SET ENVIRONMENT.
    pub(crate) environment: Vec<(String, String)>,
}

impl Settings {
    pub(crate) fn new(options: &SessionOptions) -> Self {
        Self {
            delimident: options.delimident,
            isolation: IsolationLevel::CommittedRead,
            retain_update_locks: false,
            transaction_level: None,
            read_only: false,
            constraints_deferred: false,
            environment: Vec::new(),
        }
    }

    /// The default isolation of a database (informix-sql.md 2).
    pub(crate) fn entered(&mut self, mode: DatabaseMode) {
        self.isolation = match mode {
            DatabaseMode::Unlogged => IsolationLevel::DirtyRead,
            DatabaseMode::Logged | DatabaseMode::Buffered => IsolationLevel::CommittedRead,
            DatabaseMode::Ansi => IsolationLevel::RepeatableRead,
        };
        self.transaction_ended();
    }

    /// What lasts only for a transaction goes with it.
    pub(crate) fn transaction_ended(&mut self) {
        self.transaction_level = None;
        self.read_only = false;
        self.constraints_deferred = false;
    }

    /// SET ENVIRONMENT USELASTCOMMITTED: which levels read what was committed last instead of waiting.
    pub(crate) fn uses_last_committed(&self, level: IsolationLevel) -> bool {
        let known = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("uselastcommitted");
        let Some((_, value)) = self.environment.iter().find(known) else {
            return false;
        };
        match value.trim().to_ascii_lowercase().as_str() {
            "all" => matches!(level, IsolationLevel::DirtyRead | IsolationLevel::CommittedRead),
            "committed read" => level == IsolationLevel::CommittedRead,
            "dirty read" => level == IsolationLevel::DirtyRead,
            _ => false,
        }
    }

    pub(crate) fn set_environment(&mut self, name: &str, value: &str) {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
    }
}
