//! One SQLite connection of one session: settings, waiting for the writer, interruption.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::{Durability, Interrupt};

/// Virtual-machine steps between two looks at the interrupt flag: some tens of microseconds.
const STEPS_PER_CHECK: i32 = 2000;

/// How long a session waits for another one's uncommitted work (SET LOCK MODE).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockWait {
    /// NOT WAIT, the default of a session.
    #[default]
    None,
    /// WAIT n, in seconds.
    Seconds(u32),
    /// WAIT without a limit.
    Forever,
}

/// SET LOCK MODE of a session, shared with SQLite's busy handler.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    /// Seconds; negative without a limit.
    seconds: Arc<AtomicI64>,
    grace: Duration,
}

impl Patience {
    /// SQLite has one writer per database, so that even NOT WAIT has to wait `grace` for a writer of other rows.
    pub(crate) fn new(grace: Duration) -> Self {
        Self {
            seconds: Arc::new(AtomicI64::new(0)),
            grace,
        }
    }

    pub(crate) fn set(&self, wait: LockWait) {
        let seconds = match wait {
            LockWait::None => 0,
            LockWait::Seconds(n) => i64::from(n),
            LockWait::Forever => -1,
        };
        self.seconds.store(seconds, Ordering::Relaxed);
    }

    pub(crate) fn mode(&self) -> LockWait {
        match self.seconds.load(Ordering::Relaxed) {
            0 => LockWait::None,
            n => u32::try_from(n).map_or(LockWait::Forever, LockWait::Seconds),
        }
    }

    pub(crate) fn grace(&self) -> Duration {
        self.grace
    }

    /// How long to wait for a row that somebody has locked; None without end.
    pub(crate) fn for_rows(&self) -> Option<Duration> {
        match self.mode() {
            LockWait::None => Some(Duration::ZERO),
            LockWait::Seconds(n) => Some(Duration::from_secs(u64::from(n))),
            LockWait::Forever => None,
        }
    }

    /// How long to wait for a writer of other rows; None without end.
    pub(crate) fn for_writer(&self) -> Option<Duration> {
        self.for_rows().map(|limit| limit.max(self.grace))
    }

    fn exhausted(&self, since: Instant) -> bool {
        self.for_writer().is_some_and(|limit| since.elapsed() >= limit)
    }
}

/// Opens a database file with the settings that all sessions share.
pub(crate) fn connect(
    path: &Path,
    durability: Durability,
    patience: &Patience,
    interrupt: &Interrupt,
) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    watch(&mut connection, patience, interrupt)?;
    let synchronous = durability.synchronous();
    // A quoted string must never silently stand for a missing column.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous}; PRAGMA temp_store = MEMORY;
         PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA case_sensitive_like = ON;"
    ))?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Makes a session's patience and interrupt those of the connection.
pub(crate) fn watch(
    connection: &mut Connection,
    patience: &Patience,
    interrupt: &Interrupt,
) -> rusqlite::Result<()> {
    let (stop, patience) = (interrupt.clone(), patience.clone());
    let mut since = Instant::now();
    connection.busy_handler(Some(move |count| {
        if count == 0 {
            since = Instant::now();
        }
        if stop.check() || patience.exhausted(since) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(if count < 10 { 1 } else { 5 }));
        true
    }))?;
    let stop = interrupt.clone();
    connection.progress_handler(STEPS_PER_CHECK, Some(move || stop.stops_sqlite()))
}
