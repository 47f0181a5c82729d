//! Interrupting a running statement from another thread or task.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::transport::Interrupter;

/// What a session and its cancel handles share.
#[derive(Debug)]
pub(crate) struct CancelState {
    interrupter: Option<Interrupter>,
    /// A request is being waited for: only then an interrupt has a meaning.
    running: AtomicBool,
    /// A handle has interrupted by closing.
    closed: AtomicBool,
    /// When the server was asked to stop, until it is known to have read that.
    asked: Mutex<Option<Instant>>,
}

/// A second urgent byte on top of an unread one would push the first into the stream, where the server reads it as part
/// of a message. After this time the first one has been read.
const ASK_AGAIN: Duration = Duration::from_millis(200);

impl CancelState {
    pub(crate) fn new(interrupter: Option<Interrupter>) -> Arc<Self> {
        Arc::new(Self {
            interrupter,
            running: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            asked: Mutex::new(None),
        })
    }

    pub(crate) fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::SeqCst);
    }

    pub(crate) fn was_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Whether the server can be asked to stop without closing the connection.
    pub(crate) fn can_ask(&self) -> bool {
        self.interrupter.as_ref().is_some_and(Interrupter::can_ask)
    }

    /// Whether the server was asked to stop and has not shown that it read that.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }

    /// The server has read the urgent byte.
    pub(crate) fn was_read(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Asks the server to stop what it does, or closes the connection (TLS).
    pub(crate) fn interrupt(&self) -> Result<()> {
        let Some(interrupter) = &self.interrupter else {
            return Err(Error::usage("this connection cannot be interrupted"));
        };
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_some_and(|at| at.elapsed() < ASK_AGAIN) {
            return Ok(());
        }
        if !interrupter.can_ask() {
            // First the reason, then the deed: the waiting call asks for it.
            self.closed.store(true, Ordering::SeqCst);
        } else {
            *asked = Some(Instant::now());
        }
        interrupter
            .interrupt()
            .map_err(|e| Error::io(e, "interrupting the server"))
    }
}

/// Cancels the statement that a connection is running. Cheap to clone, usable from any thread or task.
#[derive(Debug, Clone)]
pub struct CancelHandle(pub(crate) Arc<CancelState>);

impl CancelHandle {
    /// Cancels. The waiting call then fails with SQLCODE -213 and the session goes on; over TLS, where the server
    /// cannot be asked, the connection is closed. Does nothing, and returns `false`, when no statement is running.
    ///
    /// # Errors
    /// When the socket refuses.
    pub fn cancel(&self) -> Result<bool> {
        if !self.0.running.load(Ordering::SeqCst) {
            return Ok(false);
        }
        self.0.interrupt().map(|()| true)
    }
}
