//! What dropped values leave behind for the server: closes, releases and rollbacks that ride on the next request.

use std::sync::{Arc, Mutex, PoisonError};

/// One thing to tell the server when something is sent to it anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Close the cursor of a statement.
    Close(i16),
    /// Free a statement.
    Release(i16),
    /// Roll the transaction back, if it is still the one with that number.
    Rollback(u64),
    /// Commit the transaction, if it is still the one with that number.
    Commit(u64),
}

/// The list, shared between a session and everything that was opened on it.
#[derive(Debug, Default)]
pub(crate) struct Chores(Mutex<Vec<Chore>>);

impl Chores {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn add(&self, chore: Chore) {
        // A list of plain numbers is right whatever a panicking thread did with it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(chore);
    }

    pub(crate) fn take(&self) -> Vec<Chore> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn extend(&self, chores: impl IntoIterator<Item = Chore>) {
        for chore in chores {
            self.add(chore);
        }
    }

    /// Whether the end of a transaction waits.
    pub(crate) fn has_ending(&self) -> bool {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.iter()
            .any(|chore| matches!(chore, Chore::Rollback(_) | Chore::Commit(_)))
    }
}
