//! Connections to a database that no session uses: the next one that opens the database need not make its own, whose
//! settings, temporary catalog and reading of the schema are most of the cost of DBOPEN.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::catalog::temporary;

/// How many a database keeps; each may hold a page cache of some megabytes.
const MOST: usize = 8;

/// A connection that no session uses.
pub(crate) struct Idle {
    pub(crate) connection: Connection,
    /// [`temporary::version`] of a connection without temporary objects.
    pub(crate) pristine: i64,
}

/// The idle connections of one database.
#[derive(Default)]
pub(crate) struct IdleConnections(Mutex<Vec<Idle>>);

impl IdleConnections {
    /// The one used last. Handlers and functions are still to be made those of the new session.
    pub(crate) fn take(&self) -> Option<Idle> {
        self.lock().pop()
    }

    /// Keeps a connection when nothing of its session is left in it; closes it otherwise.
    pub(crate) fn keep(&self, mut idle: Idle) {
        if !std::thread::panicking() && is_clean(&idle) && disarm(&mut idle.connection).is_ok() {
            let mut kept = self.lock();
            if kept.len() < MOST {
                kept.push(idle);
            }
        }
    }

    /// Closes all, before their file goes away.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No transaction, no running statement, nothing attached, nothing temporary.
fn is_clean(idle: &Idle) -> bool {
    let connection = &idle.connection;
    // Numbers 0 and 1 are the database itself and its temporary one.
    connection.is_autocommit()
        && !connection.is_busy()
        && connection.db_name(2).is_err()
        && temporary::version(connection).is_ok_and(|version| version == idle.pristine)
}

/// Takes away what may belong to the old session: its handlers (they reach its socket), and switches of transactions.
fn disarm(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_handler(None::<fn(i32) -> bool>)?;
    connection.progress_handler(0, None::<fn() -> bool>)?;
    connection.execute_batch("PRAGMA defer_foreign_keys = OFF; PRAGMA writable_schema = OFF;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, EngineConfig, Session, SessionOptions};

    fn session(engine: &std::sync::Arc<Engine>) -> Result<Session, Box<dyn std::error::Error>> {
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
