//! What an embedded server is made of: storage, databases, users, names.

use std::path::PathBuf;
use std::str::FromStr;
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

impl FromStr for DatabaseSpec {
    type Err = DatabaseSpecError;

    /// `NAME[:MODE][:LOCALE]`: the mode is `unlogged`, `logged` (when missing), `buffered` or `ansi`.
    fn from_str(text: &str) -> Result<Self, DatabaseSpecError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().trim();
        if name.is_empty() {
            return Err(DatabaseSpecError::Name);
        }
        let mut spec = Self {
            name: name.to_owned(),
            mode: DatabaseMode::default(),
            locale: default_locale(),
        };
        let mut next = parts.next();
        if let Some(mode) = next.and_then(mode_of) {
            spec.mode = mode;
            next = parts.next();
        }
        match next {
            // A locale has a point, so anything else was meant as a mode.
            Some(word) if !word.contains('.') => return Err(DatabaseSpecError::Mode(word.to_owned())),
            Some(locale) => spec.locale = locale.parse()?,
            None => {}
        }
        match parts.next() {
            Some(rest) => Err(DatabaseSpecError::TooMuch(rest.to_owned())),
            None => Ok(spec),
        }
    }
}

fn mode_of(word: &str) -> Option<DatabaseMode> {
    match word {
        "unlogged" => Some(DatabaseMode::Unlogged),
        "logged" => Some(DatabaseMode::Logged),
        "buffered" => Some(DatabaseMode::Buffered),
        "ansi" => Some(DatabaseMode::Ansi),
        _ => None,
    }
}

/// Why a text names no database to be made.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseSpecError {
    /// Nothing in front of the first colon.
    #[error("the name of the database is missing: NAME[:MODE][:LOCALE]")]
    Name,
    /// Neither a mode nor a locale.
    #[error("{0:?} is neither a mode (unlogged, logged, buffered, ansi) nor a locale such as de_DE.8859-1")]
    Mode(String),
    /// A locale that is not known.
    #[error(transparent)]
    Locale(#[from] informix_types::Error),
    /// More than three parts.
    #[error("{0:?} is one part too many: NAME[:MODE][:LOCALE]")]
    TooMuch(String),
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

/// A question that every client has to answer after its login, as a listener with `pamauth=challenge` asks it.
#[derive(Clone, PartialEq, Eq)]
pub struct Challenge {
    /// The text of the question.
    pub prompt: String,
    /// What has to be answered.
    pub answer: String,
    /// Whether the client may show what is typed.
    pub echo: bool,
}

impl std::fmt::Debug for Challenge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Challenge")
            .field("prompt", &self.prompt)
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
    /// Questions of the login, in their order. With any, passwords are not looked at, as on real servers under Linux (D).
    pub challenges: Vec<Challenge>,
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
            challenges: Vec::new(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, DatabaseMode, String) {
        let spec: DatabaseSpec = text.parse().unwrap();
        (spec.name, spec.mode, spec.locale.to_string())
    }

    #[test]
    fn databases_are_named_with_mode_and_locale() {
        let locale = default_locale().to_string();
        assert_eq!(
            parsed("shop"),
            ("shop".into(), DatabaseMode::Logged, locale.clone())
        );
        for (word, mode) in [
            ("unlogged", DatabaseMode::Unlogged),
            ("logged", DatabaseMode::Logged),
            ("buffered", DatabaseMode::Buffered),
            ("ansi", DatabaseMode::Ansi),
        ] {
            assert_eq!(
                parsed(&format!("shop:{word}")),
                ("shop".into(), mode, locale.clone())
            );
            let both = parsed(&format!("shop:{word}:de_DE.8859-1"));
            assert_eq!(both, ("shop".into(), mode, "de_DE.8859-1".into()));
        }
        assert_eq!(
            parsed("shop:de_DE.8859-1"),
            ("shop".into(), DatabaseMode::Logged, "de_DE.8859-1".into())
        );
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("", "name"),
            (":ansi", "name"),
            ("shop:anzi", "\"anzi\""),
            ("shop:", "\"\""),
            ("shop:ansi:dede", "\"dede\""),
            ("shop:de.x", "de.x"),
            ("shop:ansi:de_DE.utf8:more", "\"more\""),
        ] {
            let error = text.parse::<DatabaseSpec>().unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
