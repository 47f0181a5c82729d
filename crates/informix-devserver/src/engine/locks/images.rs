//! What stands in rows that are changed and not committed.
//!
//! Only the connection that has changed them can read them, so its session does that when somebody asks: at the end of
//! its statement, or, while its client is silent, because it is woken. As long as nobody asks, a change costs nothing here.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::types::Value;

/// Rows of a table that one holder has changed.
#[derive(Debug, Default)]
pub(crate) struct Images {
    /// First and last rowid of the ranges that were changed.
    pub(crate) changed: Vec<(i64, i64)>,
    /// The rows of them that are there now, with their columns in order; the others are deleted.
    pub(crate) rows: Vec<(i64, Box<[Value]>)>,
}

/// Gets a session's attention while it waits for its client.
pub(crate) type Wake = Box<dyn Fn() + Send + Sync>;

/// How others ask a session to show its changes.
#[derive(Default)]
pub(crate) struct Attention {
    asked: AtomicBool,
    wake: Mutex<Option<Wake>>,
}

impl Attention {
    /// Asks; the session is woken once until it has answered.
    pub(super) fn ask(&self) {
        if !self.asked.swap(true, Ordering::SeqCst)
            && let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner)
        {
            wake();
        }
    }

    /// Whether somebody has asked since the last answer.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// The answer comes now: who asks from here on asks again.
    pub(crate) fn answer(&self) {
        self.asked.store(false, Ordering::SeqCst);
    }

    /// The session can be woken so; without, it shows every change at once.
    pub(crate) fn set_wake(&self, wake: Option<Wake>) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = wake;
    }

    /// Takes the way to wake a session away from this holder.
    pub(crate) fn take_wake(&self) -> Option<Wake> {
        self.wake.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Attention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attention")
            .field("asked", &self.is_asked())
            .finish_non_exhaustive()
    }
}
