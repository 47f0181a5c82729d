//! SQLite connections and what they call, and those that no session uses: the next session that opens the database need not make
//! its own, whose settings, functions, temporary catalog and reading of the schema are most of the cost of DBOPEN.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::caller::Caller;
use super::locks::{ReadCheck, Recorder};
use super::{sequence, serial};
use crate::catalog::temporary;
use crate::error::{SqlError, SqlResult};
use crate::expr::SharedFacts;
use crate::{analyze, expr, routine};

/// How many a database keeps; each may hold a page cache of some megabytes.
const MOST: usize = 8;

/// A connection with everything of ours that it calls. It serves one session after the other.
pub(crate) struct Wired {
    pub(crate) connection: Connection,
    pub(crate) calls: Calls,
}

/// What a connection calls, and what is known of it.
#[derive(Clone)]
pub(crate) struct Calls {
    /// Whom the functions ask.
    pub(crate) caller: Arc<Caller>,
    /// The rows that the connection changes.
    pub(crate) recorder: Arc<Recorder>,
    /// The check of rows that the connection reads.
    pub(crate) read_check: Arc<ReadCheck>,
    /// [`temporary::version`] of the connection without temporary objects.
    pristine: i64,
}

impl Wired {
    /// Makes the tables and functions that every session needs on a new connection, whose own database has the SQLite name
    /// `database` (`names::physical`).
    pub(crate) fn new(mut connection: Connection, database: &Arc<str>) -> SqlResult<Self> {
        temporary::create(&connection)?;
        let failed = |e: rusqlite::Error| SqlError::new(-329).isam(-101).because(e.to_string());
        let calls = Calls::attach(&mut connection, database).map_err(failed)?;
        Ok(Self { connection, calls })
    }
}

impl Calls {
    fn attach(connection: &mut Connection, database: &Arc<str>) -> rusqlite::Result<Self> {
        let caller = Arc::<Caller>::default();
        let facts: SharedFacts = Arc::clone(&caller) as SharedFacts;
        expr::register(connection, &facts)?;
        analyze::register(connection)?;
        serial::register(connection, &caller)?;
        routine::register(connection, &caller)?;
        sequence::register(connection, &caller)?;
        Ok(Self {
            caller,
            recorder: Recorder::attach(connection, Arc::clone(database))?,
            read_check: ReadCheck::attach(connection)?,
            pristine: temporary::version(connection)?,
        })
    }
}

/// The idle connections of one database.
#[derive(Default)]
pub(crate) struct IdleConnections(Mutex<Vec<Wired>>);

impl IdleConnections {
    /// The one used last. Its handlers and its caller are still to be those of the new session.
    pub(crate) fn take(&self) -> Option<Wired> {
        self.lock().pop()
    }

    /// Keeps a connection when nothing of its session is left in it; closes it otherwise.
    pub(crate) fn keep(&self, mut used: Wired) {
        if !std::thread::panicking() && is_clean(&used) && disarm(&mut used).is_ok() {
            let mut kept = self.lock();
            if kept.len() < MOST {
                kept.push(used);
            }
        }
    }

    /// Closes all, before their file goes away.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Wired>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No transaction, no running statement, nothing attached, nothing temporary.
fn is_clean(used: &Wired) -> bool {
    let connection = &used.connection;
    // Numbers 0 and 1 are the database itself and its temporary one.
    connection.is_autocommit()
        && !connection.is_busy()
        && connection.db_name(2).is_err()
        && temporary::version(connection).is_ok_and(|version| version == used.calls.pristine)
}

/// Takes away what belongs to the old session: its handlers (they reach its socket), the rows that it touched, and a switch
/// that a failed change of the schema may have left. That of deferred keys goes with each SQLite transaction.
fn disarm(used: &mut Wired) -> rusqlite::Result<()> {
    let Calls {
        recorder, read_check, ..
    } = &used.calls;
    recorder.listen(false);
    recorder.forget();
    read_check.end();
    let connection = &mut used.connection;
    connection.busy_handler(None::<fn(i32) -> bool>)?;
    connection.progress_handler(0, None::<fn() -> bool>)?;
    // Not by PRAGMA, which makes SQLite prepare the connection's statements again.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, EngineConfig, Session, SessionOptions};

    fn session(engine: &Arc<Engine>) -> Result<Session, Box<dyn std::error::Error>> {
        let mut session = engine.session(SessionOptions::new("informix"))?;
        session.open_database("testdb", false)?;
        Ok(session)
    }

    #[test]
    fn only_clean_connections_are_kept_and_not_too_many() -> Result<(), Box<dyn std::error::Error>> {
        let engine = Engine::open(EngineConfig::default())?;
        let idle = || engine.database("testdb").map_or(0, |d| d.idle.lock().len());
        drop(session(&engine)?);
        assert_eq!(idle(), 1);
        let used = session(&engine)?;
        assert_eq!(idle(), 0, "it is taken again");
        drop(used);
        for dirt in [
            "CREATE TEMP TABLE ours (a)",
            "CREATE TEMP TABLE ours (a); DROP TABLE temp.ours",
            "ATTACH ':memory:' AS other",
        ] {
            let dirty = session(&engine)?;
            dirty.require_database()?.connection.execute_batch(dirt)?;
            drop(dirty);
            assert_eq!(idle(), 0, "{dirt}");
            drop(session(&engine)?);
            assert_eq!(idle(), 1, "after {dirt}");
        }
        let many = (0..MOST + 2)
            .map(|_| session(&engine))
            .collect::<Result<Vec<_>, _>>()?;
        drop(many);
        assert_eq!(idle(), MOST);
        Ok(())
    }
}
