//! What all sessions of a server share.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::config::{Backing, DatabaseMode, DatabaseSpec, EngineConfig, SessionOptions, default_locale};
use super::databases::{self, DatabaseInfo};
use super::idle::IdleConnections;
use super::locks::Locks;
use super::sequence::Sequence;
use super::session::Session;
use super::xa::Branches;
use crate::catalog::names;
use crate::error::SqlResult;
use crate::storage::{Patience, Storage};

/// Name of the database that is always there.
pub(crate) const SYSMASTER: &str = "sysmaster";

/// An embedded server's engine. Cheap to share: connections hold it in an `Arc`.
pub struct Engine {
    pub(crate) config: EngineConfig,
    state: Mutex<State>,
    /// Behind the state, as the databases' idle connections close before their directory goes.
    pub(crate) storage: Storage,
    next_session: AtomicI64,
    started: i64,
    pub(crate) branches: Branches,
    pub(crate) locks: Arc<Locks>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) databases: BTreeMap<String, Arc<Database>>,
    pub(crate) sessions: BTreeMap<i32, SessionInfo>,
}

/// A database and what its sessions share beyond its file.
pub(crate) struct Database {
    pub(crate) info: DatabaseInfo,
    /// Its name as locks and SQLite's hooks know it (`names::physical`).
    pub(crate) lock_name: Arc<str>,
    /// Grows with every change of the schema: plans made before are made again.
    generation: AtomicU64,
    /// Next serial values by table and kind. They are not part of any transaction.
    serials: Mutex<HashMap<(i32, SerialKind), i64>>,
    /// Sequences in use, by table number. They are not part of any transaction either.
    sequences: Mutex<HashMap<i32, Sequence>>,
    /// Sessions that have it as current database.
    users: Mutex<DatabaseUsers>,
    /// Connections for sessions to come.
    pub(crate) idle: IdleConnections,
}

#[derive(Default)]
pub(crate) struct DatabaseUsers {
    pub(crate) count: usize,
    pub(crate) exclusive: bool,
}

/// The counters that a table can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SerialKind {
    Serial,
    Serial8,
    BigSerial,
}

/// A row of `sysmaster:syssessions`.
#[derive(Debug, Clone)]
pub(crate) struct SessionInfo {
    pub(crate) user: String,
    pub(crate) host: String,
    pub(crate) program: String,
    pub(crate) tty: String,
    pub(crate) pid: i32,
    pub(crate) connected: i64,
    /// The current database.
    pub(crate) database: Option<String>,
}

impl Engine {
    /// Opens the storage and makes `sysmaster` and the configured databases where they are missing.
    ///
    /// # Errors
    /// -330 when a directory or file can't be made or read.
    pub fn open(config: EngineConfig) -> SqlResult<Arc<Self>> {
        let storage = match &config.backing {
            Backing::Memory => Storage::memory()?,
            Backing::Directory(path) => Storage::directory(path)?,
        };
        let mut state = State::default();
        for name in storage.list()? {
            let info = databases::read_info(&storage, &name)?;
            state.databases.insert(name, Arc::new(Database::new(info)));
        }
        let engine = Arc::new(Self {
            config,
            storage,
            state: Mutex::new(state),
            next_session: AtomicI64::new(0),
            started: unix_now(),
            branches: Branches::default(),
            locks: Arc::default(),
        });
        let sysmaster = DatabaseSpec {
            name: SYSMASTER.to_owned(),
            mode: DatabaseMode::Logged,
            locale: default_locale(),
        };
        for spec in std::iter::once(&sysmaster).chain(&engine.config.databases) {
            if engine.database(&spec.name).is_none() {
                engine.create_database(spec, "informix")?;
            }
        }
        Ok(engine)
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// Whether the pair may connect: the user alone where the login asks questions. Takes the same time for a wrong user
    /// and a wrong password.
    #[must_use]
    pub fn authenticate(&self, user: &str, password: &str) -> bool {
        let asked = !self.config.challenges.is_empty();
        let mut good = false;
        for known in &self.config.users {
            let same = same_bytes(known.password.as_bytes(), password.as_bytes());
            good |= (known.name == user) & (same | asked);
        }
        good
    }

    /// Names of the databases, `sysmaster` among them.
    #[must_use]
    pub fn database_names(&self) -> Vec<String> {
        self.lock().databases.keys().cloned().collect()
    }

    /// The current database of each session that has one.
    pub(crate) fn session_databases(&self) -> Vec<(i32, String)> {
        let state = self.lock();
        let open = state
            .sessions
            .iter()
            .filter_map(|(sid, session)| Some((*sid, session.database.clone()?)));
        open.collect()
    }

    pub(crate) fn set_session_database(&self, sid: i32, database: Option<String>) {
        if let Some(session) = self.lock().sessions.get_mut(&sid) {
            session.database = database;
        }
    }

    /// What is known about a database.
    #[must_use]
    pub fn database_info(&self, name: &str) -> Option<DatabaseInfo> {
        self.database(name).map(|d| d.info.clone())
    }

    /// Starts a session without a current database. It belongs to the thread that made it.
    ///
    /// # Errors
    /// None today; the type leaves room for a limit of connections.
    pub fn session(self: &Arc<Self>, options: SessionOptions) -> SqlResult<Session> {
        let id =
            i32::try_from(self.next_session.fetch_add(1, Ordering::Relaxed) % 1_000_000_000).unwrap_or(0) + 1;
        let info = SessionInfo {
            user: options.user.clone(),
            host: options.host.clone(),
            program: options.program.clone(),
            tty: options.tty.clone(),
            pid: options.pid,
            connected: unix_now(),
            database: None,
        };
        self.lock().sessions.insert(id, info);
        Ok(Session::new(Arc::clone(self), id, options))
    }

    /// Full text of DBINFO('version','full').
    #[must_use]
    pub fn version_text(&self) -> String {
        format!("IBM Informix Dynamic Server Version {}", self.config.version)
    }

    /// Rolls back the branches of distributed transactions that nobody has ended. They hold the engine: without this
    /// call it is not freed.
    pub fn drop_branches(&self) {
        self.branches.clear();
    }

    /// Number of sessions that wait for a lock of another one, or for it to end its work in a database.
    #[must_use]
    pub fn waiting_sessions(&self) -> usize {
        self.locks.waiting()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn database(&self, name: &str) -> Option<Arc<Database>> {
        self.lock().databases.get(name).cloned()
    }

    pub(crate) fn started(&self) -> i64 {
        self.started
    }

    pub(crate) fn patience(&self) -> Patience {
        Patience::new(self.config.writer_grace)
    }
}

impl Database {
    pub(crate) fn new(info: DatabaseInfo) -> Self {
        Self {
            lock_name: Arc::from(names::physical(&info.name)),
            info,
            generation: AtomicU64::new(1),
            serials: Mutex::default(),
            sequences: Mutex::default(),
            users: Mutex::default(),
            idle: IdleConnections::default(),
        }
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(crate) fn schema_changed(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn serials(&self) -> MutexGuard<'_, HashMap<(i32, SerialKind), i64>> {
        self.serials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn sequences(&self) -> MutexGuard<'_, HashMap<i32, Sequence>> {
        self.sequences.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn users(&self) -> MutexGuard<'_, DatabaseUsers> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Seconds since 1970.
pub(crate) fn unix_now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(i64::MAX))
}

/// Takes the same time wherever they differ.
pub(crate) fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    let mut difference = a.len() ^ b.len();
    for (i, byte) in a.iter().enumerate() {
        difference |= usize::from(byte ^ b.get(i).copied().unwrap_or(0));
    }
    difference == 0
}
