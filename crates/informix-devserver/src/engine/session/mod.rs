//! One connection's state, from login to EXIT.

mod cursor;
mod execute;
mod prepare;
mod settings;
mod transaction;

use std::rc::Rc;
use std::sync::Arc;

use informix_types::TextCodec;
use rusqlite::Connection;

pub use cursor::{CursorId, CursorOptions};
pub use prepare::{PrepareOptions, Prepared};
pub(crate) use settings::Settings;
pub(crate) use transaction::Transaction;

use super::config::{DatabaseMode, SessionOptions};
use super::databases::DatabaseInfo;
use super::outcome::DatabaseFlags;
use super::server::{Database, Engine};
use crate::error::{SqlError, SqlResult};
use crate::lobs::SessionLobs;
use crate::storage::{Interrupt, Patience};

/// A session: what one client connection has open. It stays on the thread that made it; only its [`Interrupt`] may be
/// used from others. Dropping it rolls back, drops its temporary tables and releases everything.
pub struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) id: i32,
    pub(crate) options: SessionOptions,
    pub(crate) interrupt: Interrupt,
    pub(crate) patience: Patience,
    pub(crate) settings: Settings,
    pub(crate) cursors: cursor::Cursors,
    pub(crate) transaction: Option<Transaction>,
    pub(crate) open: Option<OpenDatabase>,
    pub(crate) lobs: Arc<SessionLobs>,
}

/// The current database of a session.
pub(crate) struct OpenDatabase {
    pub(crate) database: Arc<Database>,
    pub(crate) connection: Rc<Connection>,
    pub(crate) codec: TextCodec,
}

impl OpenDatabase {
    pub(crate) fn mode(&self) -> DatabaseMode {
        self.database.info.mode
    }
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, id: i32, options: SessionOptions) -> Self {
        let patience = engine.patience();
        Self {
            engine,
            id,
            settings: Settings::new(&options),
            options,
            interrupt: Interrupt::new(),
            patience,
            cursors: cursor::Cursors::default(),
            transaction: None,
            open: None,
            lobs: Arc::default(),
        }
    }

    /// The session's number, as DBINFO('sessionid') tells it.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.id
    }

    /// The engine it belongs to.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Who it is.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.options.user
    }

    /// The handle with which others end the running statement.
    #[must_use]
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The smart large objects of the session.
    pub(crate) fn lobs(&self) -> &Arc<SessionLobs> {
        &self.lobs
    }

    /// What is known about the current database.
    #[must_use]
    pub fn database(&self) -> Option<&DatabaseInfo> {
        self.open.as_ref().map(|open| &open.database.info)
    }

    /// The code set in which text of the current database travels.
    #[must_use]
    pub fn codec(&self) -> Option<&TextCodec> {
        self.open.as_ref().map(|open| &open.codec)
    }

    /// Makes a database the current one (DBOPEN, DATABASE).
    ///
    /// # Errors
    /// -329 unknown, -377 with a transaction open, -425 when another session holds it exclusively.
    pub fn open_database(&mut self, name: &str, exclusive: bool) -> SqlResult<DatabaseFlags> {
        self.leave_for_another_database()?;
        let database = self.engine.enter_database(name, exclusive)?;
        let opened = self.engine.storage.connect(name, &self.patience, &self.interrupt);
        let connection = match opened.and_then(|connection| self.equip(connection, &database)) {
            Ok(connection) => connection,
            Err(error) => {
                Engine::leave_database(&database);
                return Err(SqlError::new(-329)
                    .isam(-101)
                    .token(name)
                    .because(error.to_string()));
            }
        };
        let flags = database.info.flags();
        let codec = database.info.codec();
        self.settings.entered(database.info.mode);
        self.lobs.set_database(Some(self.engine.storage.lobs_path(name)));
        self.open = Some(OpenDatabase {
            database,
            connection: Rc::new(connection),
            codec,
        });
        Ok(flags)
    }

    /// Gives up the current database (DBCLOSE, CLOSE DATABASE).
    ///
    /// # Errors
    /// -377 with a transaction open, -349 without a database.
    pub fn close_database(&mut self) -> SqlResult<()> {
        if self.open.is_none() {
            return Err(SqlError::new(-349));
        }
        self.leave_for_another_database()
    }

    fn leave_for_another_database(&mut self) -> SqlResult<()> {
        if self.transaction.as_ref().is_some_and(|t| !t.is_implicit()) {
            return Err(SqlError::new(-377));
        }
        self.abandon();
        Ok(())
    }

    /// Lets go of the current database; what is not committed is lost.
    fn abandon(&mut self) {
        self.cursors.clear();
        self.transaction = None;
        self.lobs.set_database(None);
        if let Some(open) = self.open.take() {
            Engine::leave_database(&open.database);
        }
    }

    /// Functions, limits and tables that every connection needs.
    fn equip(&self, connection: Connection, database: &Arc<Database>) -> rusqlite::Result<Connection> {
        let _ = database;
        Ok(connection)
    }

    pub(crate) fn require_database(&self) -> SqlResult<&OpenDatabase> {
        self.open.as_ref().ok_or_else(|| SqlError::new(-349))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abandon();
        self.engine.lock().sessions.remove(&self.id);
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("user", &self.options.user)
            .field("database", &self.database().map(|d| &d.name))
            .finish_non_exhaustive()
    }
}
