//! What an embedded server is made of: storage, databases, users, names.

use std::path::PathBuf;
use std::time::Duration;

use informix_types::Locale;

/// Where the data live.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Backing {
    /// As long as the server.
    #[default]
    Memory,
    /// In a directory, through restarts and crashes.
    Directory(PathBuf),
}

/// Logging of a database, which decides its transactions (informix-sql.md 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DatabaseMode {
    /// No transactions: BEGIN gives -256.
    Unlogged,
    /// Each statement commits by itself until BEGIN WORK.
    #[default]
    Logged,
    /// As logged.
    Buffered,
    /// Always in a transaction.
    Ansi,
}

impl DatabaseMode {
    /// Whether there are transactions.
    #[must_use]
    pub const fn is_logged(self) -> bool {
        !matches!(self, Self::Unlogged)
    }

    /// Whether transactions begin by themselves and over-long values are errors.
    #[must_use]
    pub const fn is_ansi(self) -> bool {
        matches!(self, Self::Ansi)
    }
}

/// A database to be there when the server starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSpec {
    /// Its name.
    pub name: String,
    /// Its logging.
    pub mode: DatabaseMode,
    /// Its locale, which fixes the code set of its text on the wire.
    pub locale: Locale,
}

/// A user who may connect.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// Login name.
    pub name: String,
    /// Password.
    pub password: String,
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Configuration of an [`Engine`](super::Engine).
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Where the data live.
    pub backing: Backing,
    /// DBSERVERNAME; a client that names another one is refused with -761.
    pub server_name: String,
    /// Host name for DBINFO('dbhostname').
    pub host_name: String,
    /// Version as in `14.10.FC7W1`.
    pub version: String,
    /// Who may connect.
    pub users: Vec<User>,
    /// Databases made when they are missing; `sysmaster` is always there.
    pub databases: Vec<DatabaseSpec>,
    /// How long even SET LOCK MODE TO NOT WAIT waits for another writer of the same database: SQLite has one writer
    /// per database, a real server locks rows.
    pub writer_grace: Duration,
}

impl Default for EngineConfig {
    /// User `informix`, password `in4mix`, server `informix`, memory, a logged `testdb`.
    fn default() -> Self {
        Self {
            backing: Backing::Memory,
            server_name: "informix".to_owned(),
            host_name: "localhost".to_owned(),
            version: "14.10.FC7W1".to_owned(),
            users: vec![User {
                name: "informix".to_owned(),
                password: "in4mix".to_owned(),
            }],
            databases: vec![DatabaseSpec {
                name: "testdb".to_owned(),
                mode: DatabaseMode::Logged,
                locale: default_locale(),
            }],
            writer_grace: Duration::from_secs(5),
        }
    }
}

/// Locale of databases that nobody gave another one: `en_US.8859-1`.
#[must_use]
pub fn default_locale() -> Locale {
    Locale::default()
}

/// Who opens a session, and the part of the client's environment that the server honours.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Login name.
    pub user: String,
    /// DELIMIDENT: `"x"` is an identifier.
    pub delimident: bool,
    /// DB_LOCALE, as the client sent it.
    pub db_locale: Option<Locale>,
    /// CLIENT_LOCALE, as the client sent it.
    pub client_locale: Option<Locale>,
    /// DBDATE, DBCENTURY, GL_DATE, … as sent.
    pub environment: Vec<(String, String)>,
    /// Client's host name.
    pub host: String,
    /// Client's program.
    pub program: String,
    /// Client's process id.
    pub pid: i32,
    /// Client's terminal.
    pub tty: String,
}

impl SessionOptions {
    /// Options of a session of `user`.
    #[must_use]
    pub fn new(user: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            ..Self::default()
        }
    }
}
