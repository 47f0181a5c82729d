//! Stopping a running statement: a flag that other threads may set, and a question asked from inside SQLite.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use crate::error::SqlError;

/// SQLite function without arguments: true, or an error when the statement that writes shall end. SQLite undoes only
/// the statement then, while a progress handler that says "stop" makes it undo the whole transaction.
pub(crate) const ALIVE: &str = "ifx_alive";

thread_local! {
    /// The interrupt of the shielded work on this thread.
    static SHIELDED: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// Ends a shield, also when the work panics.
struct Unshield(Option<Interrupt>);

impl Drop for Unshield {
    fn drop(&mut self) {
        SHIELDED.set(self.0.take());
    }
}

/// Registers [`ALIVE`]. Once per connection.
pub(crate) fn register_alive(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function(ALIVE, 0, FunctionFlags::SQLITE_UTF8, |_| {
        let ended = SHIELDED.with_borrow(|shielded| shielded.as_ref().is_some_and(Interrupt::is_raised));
        if ended {
            Err(crate::expr::raise(SqlError::new(-213)))
        } else {
            Ok(true)
        }
    })
}

/// The outside world's answer to "shall this statement end?", asked now and then while SQLite runs.
pub type InterruptPoll = Box<dyn FnMut() -> bool + Send>;

/// How often the outside is asked: a system call per question is then invisible in the profile.
const POLL_EVERY: Duration = Duration::from_millis(2);

struct Shared {
    raised: AtomicBool,
    poll: Mutex<Poll>,
}

struct Poll {
    ask: Option<InterruptPoll>,
    last: Option<Instant>,
}

/// Thread-safe handle that ends the statement which a session runs (error -213); the session goes on.
#[derive(Clone)]
pub struct Interrupt(Arc<Shared>);

impl Interrupt {
    pub(crate) fn new() -> Self {
        let poll = Mutex::new(Poll {
            ask: None,
            last: None,
        });
        Self(Arc::new(Shared {
            raised: AtomicBool::new(false),
            poll,
        }))
    }

    /// Ends the running statement; without one, the next statement.
    pub fn interrupt(&self) {
        self.0.raised.store(true, Ordering::Relaxed);
    }

    /// Forgets an interrupt that came when nothing ran.
    pub fn clear(&self) {
        self.0.raised.store(false, Ordering::Relaxed);
    }

    /// Whether somebody asked for the end of the statement, without forgetting it.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Relaxed)
    }

    /// Installs the question asked while statements run (the wire side looks for the urgent byte there).
    pub fn set_poll(&self, ask: Option<InterruptPoll>) {
        self.0.poll.lock().unwrap_or_else(PoisonError::into_inner).ask = ask;
    }

    /// Runs work that SQLite's progress handler must not stop: a write in a transaction that has other work in it.
    /// [`ALIVE`] stops it.
    pub(crate) fn shield<R>(&self, work: impl FnOnce() -> R) -> R {
        let _unshield = Unshield(SHIELDED.replace(Some(self.clone())));
        work()
    }

    /// Called from SQLite's progress handler: whether SQLite shall stop by itself.
    pub(super) fn stops_sqlite(&self) -> bool {
        self.check() && SHIELDED.with_borrow(Option::is_none)
    }

    /// Called from SQLite's progress and busy handlers.
    pub(crate) fn check(&self) -> bool {
        if self.is_raised() {
            return true;
        }
        let mut poll = self.0.poll.lock().unwrap_or_else(PoisonError::into_inner);
        if poll.ask.is_none() {
            return false;
        }
        let now = Instant::now();
        if poll
            .last
            .is_some_and(|last| now.duration_since(last) < POLL_EVERY)
        {
            return false;
        }
        poll.last = Some(now);
        let stop = poll.ask.as_mut().is_some_and(|ask| ask());
        if stop {
            self.interrupt();
        }
        stop
    }
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt")
            .field("raised", &self.is_raised())
            .finish()
    }
}
