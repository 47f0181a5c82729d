//! One connection's state, from login to EXIT.

mod batch;
mod cursor;
mod definitions;
mod execute;
mod guarded;
mod images;
mod late_keys;
mod locking;
mod nested;
mod outputs;
mod prepare;
mod run;
mod scans;
mod settings;
mod target;
mod transaction;
mod update_cursor;
mod view;
mod violations;
mod xa;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use informix_types::TextCodec;
use rusqlite::Connection;

pub use cursor::{CursorId, CursorOptions};
pub(crate) use nested::key_of;
pub(crate) use outputs::Callable;
pub(crate) use prepare::Compiled as Task;
pub use prepare::{PrepareOptions, Prepared};
pub(crate) use run::bind;
pub(crate) use settings::Settings;
pub(crate) use target::KnownTarget;
pub(crate) use transaction::Transaction;

use super::config::{DatabaseMode, SessionOptions};
use super::databases::DatabaseInfo;
use super::facts::Facts;
use super::idle::{Calls, Wired};
use super::locks::Holder;
use super::outcome::DatabaseFlags;
use super::server::{Database, Engine};
use super::xa::BranchId;
use crate::catalog::schema::Schema;
use crate::error::{SqlError, SqlResult};
use crate::lobs::SessionLobs;
use crate::routine::Shared;
use crate::storage::{Interrupt, Patience, watch};

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
    pub(crate) facts: Arc<Facts>,
    pub(crate) locks: Arc<Holder>,
    /// It can be woken to show its changes.
    is_attended: bool,
    /// Statements that may hold one of SQLite's.
    prepared: Vec<Weak<prepare::Inner>>,
    /// It runs inside of a statement of another one, whose connection and transaction it uses.
    pub(crate) nested: bool,
    /// FOREACH cursors of the routines that run, for WHERE CURRENT OF.
    pub(crate) foreach: Vec<crate::routine::ForeachCursor>,
    /// The branch of a distributed transaction that it works on.
    branch: Option<BranchId>,
    /// The last branch that a scan of the prepared ones has told.
    scanned: Option<BranchId>,
}

/// The current database of a session. Clones share everything: they are for sessions inside of this one.
#[derive(Clone)]
pub(crate) struct OpenDatabase {
    pub(crate) database: Arc<Database>,
    pub(crate) connection: Rc<Connection>,
    /// What the connection calls.
    pub(crate) calls: Calls,
    pub(crate) codec: TextCodec,
    pub(crate) schema: Rc<Schema>,
    pub(crate) attached: Rc<RefCell<Vec<Arc<Database>>>>,
    /// Changes of the schema that only this session sees: uncommitted ones and those of temporary tables.
    pub(crate) local_changes: Rc<Cell<u64>>,
    /// What routines and triggers keep.
    pub(crate) routines: Rc<Shared>,
    /// The database as locks know it.
    pub(crate) lock_name: Arc<str>,
}

impl OpenDatabase {
    fn new(database: Arc<Database>, wired: Wired) -> Self {
        Self {
            codec: database.info.codec(),
            lock_name: Arc::clone(&database.lock_name),
            database,
            connection: Rc::new(wired.connection),
            calls: wired.calls,
            schema: Rc::default(),
            attached: Rc::default(),
            local_changes: Rc::default(),
            routines: Rc::default(),
        }
    }

    pub(crate) fn mode(&self) -> DatabaseMode {
        self.database.info.mode
    }

    /// Closes the connection or leaves it to the next session, and counts this one out: in this order, as databases
    /// without users may be dropped.
    fn leave(self) {
        self.calls.caller.clear();
        // A connection that something still refers to closes with that.
        if let Ok(connection) = Rc::try_unwrap(self.connection) {
            self.database.idle.keep(Wired {
                connection,
                calls: self.calls,
            });
        }
        Engine::leave_database(&self.database);
        for database in self.attached.borrow().iter() {
            Engine::leave_database(database);
        }
    }

    /// What is remembered of the schema may be wrong from now on.
    pub(crate) fn schema_touched(&self) {
        self.local_changes.set(self.local_changes.get() + 1);
    }
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, id: i32, options: SessionOptions) -> Self {
        let patience = engine.patience();
        let facts = Arc::new(Facts::new(&engine, id, &options));
        Self {
            locks: Holder::new(&engine.locks, id),
            is_attended: false,
            engine,
            id,
            settings: Settings::new(&options),
            options,
            interrupt: Interrupt::new(),
            patience,
            cursors: cursor::Cursors::default(),
            transaction: None,
            open: None,
            facts,
            prepared: Vec::new(),
            nested: false,
            foreach: Vec::new(),
            branch: None,
            scanned: None,
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
    pub(crate) fn lobs(&self) -> &SessionLobs {
        &self.facts.lobs
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
        let open = match self
            .check_locale(&database.info)
            .and_then(|()| self.connect(&database))
        {
            Ok(open) => open,
            Err(error) => {
                Engine::leave_database(&database);
                return Err(error.token(name));
            }
        };
        let flags = database.info.flags();
        self.facts.entered(&database.info);
        self.settings.entered(database.info.mode);
        let storage = &self.engine.storage;
        self.facts
            .lobs
            .set_database(Some((storage.lobs_path(name), storage.durability())));
        self.engine.set_session_database(self.id, Some(name.to_owned()));
        self.open = Some(open);
        self.offer();
        Ok(flags)
    }

    /// A client that names a DB_LOCALE must name the database's (`locales.md` 5, D); every locale may read sysmaster.
    fn check_locale(&self, info: &DatabaseInfo) -> SqlResult<()> {
        match &self.options.db_locale {
            Some(locale) if *locale != info.locale && info.name != "sysmaster" => Err(SqlError::new(-23197)
                .because(format!(
                    "the database has {}, the client asks for {locale}",
                    info.locale
                ))),
            _ => Ok(()),
        }
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

    /// Rolls back and releases everything, as at the end of the session.
    pub fn leave(&mut self) {
        self.abandon();
        self.engine.branches.session_ended(self.id);
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
        self.facts.lobs.set_database(None);
        self.withdraw();
        // Statements outlive the database in the wire side's table; what they hold of SQLite must not.
        for prepared in self.prepared.drain(..).filter_map(|p| p.upgrade()) {
            prepared.let_go();
        }
        self.facts.left();
        self.facts.serials.forget_temporary();
        if let Some(open) = self.open.take() {
            open.routines.clear();
            if !open.connection.is_autocommit() {
                // Fails only when SQLite has rolled back by itself.
                let _ = open.connection.execute_batch("ROLLBACK");
            }
            self.locks.release_all();
            self.engine.set_session_database(self.id, None);
            open.leave();
        }
    }

    /// Remembers a statement for [`Self::abandon`].
    fn track(&mut self, prepared: &Prepared) {
        if self.prepared.len() == self.prepared.capacity() {
            self.prepared.retain(|p| p.strong_count() > 0);
        }
        self.prepared.push(prepared.downgrade());
    }

    /// A connection for the session.
    fn connect(&self, database: &Arc<Database>) -> SqlResult<OpenDatabase> {
        let failed = |e: rusqlite::Error| SqlError::new(-329).isam(-101).because(e.to_string());
        let wired = match database.idle.take() {
            Some(idle) => idle,
            None => {
                let storage = &self.engine.storage;
                let made = storage.connect(&database.info.name, &self.patience, &self.interrupt);
                Wired::new(made.map_err(failed)?, &database.lock_name)?
            }
        };
        self.use_connection(database, wired)
    }

    /// Makes a connection work for this session.
    fn use_connection(&self, database: &Arc<Database>, mut wired: Wired) -> SqlResult<OpenDatabase> {
        watch(&mut wired.connection, &self.patience, &self.interrupt)
            .map_err(|e| SqlError::new(-329).isam(-101).because(e.to_string()))?;
        wired.calls.caller.set(&self.facts);
        Ok(OpenDatabase::new(Arc::clone(database), wired))
    }

    pub(crate) fn require_database(&self) -> SqlResult<&OpenDatabase> {
        self.open.as_ref().ok_or_else(|| SqlError::new(-349))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.nested {
            return;
        }
        self.leave();
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
