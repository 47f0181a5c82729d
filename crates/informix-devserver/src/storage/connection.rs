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

/// The wait limit shared with SQLite's busy handler.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    limit_ms: Arc<AtomicI64>,
    grace: Duration,
}

impl Patience {
    /// SQLite has one writer per database, so that even NOT WAIT has to wait `grace` for a writer of other rows.
    pub(crate) fn new(grace: Duration) -> Self {
        let patience = Self {
            limit_ms: Arc::new(AtomicI64::new(0)),
            grace,
        };
        patience.set(LockWait::None);
        patience
    }

    pub(crate) fn set(&self, wait: LockWait) {
        let grace = i64::try_from(self.grace.as_millis()).unwrap_or(i64::MAX);
        let limit = match wait {
            LockWait::None => grace,
            LockWait::Seconds(n) => grace.max(i64::from(n).saturating_mul(1000)),
            LockWait::Forever => i64::MAX,
        };
        self.limit_ms.store(limit, Ordering::Relaxed);
    }

    fn exhausted(&self, since: Instant) -> bool {
        let waited = i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX);
        waited >= self.limit_ms.load(Ordering::Relaxed)
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
    connection.progress_handler(STEPS_PER_CHECK, Some(move || stop.check()))
}
