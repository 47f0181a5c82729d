//! The one error type of the client. It is opaque and answers questions.

pub mod catalogue;

use std::fmt;
use std::io;

/// Result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed. Boxed, so that results stay small.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    sqlcode: i32,
    isam: i32,
    offset: u32,
    token: String,
    /// What was being done, or what exactly is wrong: ours, with no secrets in it.
    context: String,
    /// Index of the failing row of a batch.
    row: Option<usize>,
    /// Rows of a failed batch that are committed.
    committed: Option<usize>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Where an error comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A connection parameter is missing or malformed.
    Config,
    /// Name resolution, TCP connect or login did not get through.
    Connect,
    /// The server refused the login (password, server name, database, locale).
    Login,
    /// TLS: certificate or handshake.
    Tls,
    /// The server answered a request with an error.
    Server,
    /// The bytes of the server make no sense; the connection is closed.
    Protocol,
    /// The connection broke, or was already closed.
    Disconnected,
    /// A time limit passed.
    Timeout,
    /// The statement was cancelled.
    Cancelled,
    /// A value does not fit the type asked for, or cannot be sent.
    Conversion,
    /// The caller asked for something impossible (wrong parameter count, unknown column …).
    Usage,
    /// The pool could not give a connection.
    Pool,
}

impl Error {
    pub(crate) fn new(kind: Kind, sqlcode: i32, context: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            sqlcode,
            isam: 0,
            offset: 0,
            token: String::new(),
            context: context.into(),
            row: None,
            committed: None,
            source: None,
        }))
    }

    pub(crate) fn config(context: impl Into<String>) -> Self {
        Self::new(Kind::Config, -1804, context)
    }

    pub(crate) fn usage(context: impl Into<String>) -> Self {
        Self::new(Kind::Usage, 0, context)
    }

    pub(crate) fn conversion(context: impl Into<String>) -> Self {
        Self::new(Kind::Conversion, -415, context)
    }

    pub(crate) fn protocol(context: impl Into<String>) -> Self {
        Self::new(Kind::Protocol, -408, context)
    }

    pub(crate) fn closed(context: impl Into<String>) -> Self {
        Self::new(Kind::Disconnected, -25582, context)
    }

    pub(crate) fn timeout(sqlcode: i32, context: impl Into<String>) -> Self {
        Self::new(Kind::Timeout, sqlcode, context)
    }

    /// An I/O failure on an established connection.
    pub(crate) fn io(error: io::Error, doing: &str) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                Self::timeout(-25587, format!("{doing}: no bytes within the time limit"))
            }
            _ => Self::closed(doing.to_owned()).with_source(error),
        }
    }

    /// An error that the server reported.
    pub(crate) fn server(sqlcode: i32, isam: i32, offset: u32, token: impl Into<String>) -> Self {
        let kind = if sqlcode == -213 {
            Kind::Cancelled
        } else {
            Kind::Server
        };
        let mut error = Self::new(kind, sqlcode, String::new());
        error.0.isam = isam;
        error.0.offset = offset;
        error.0.token = token.into();
        error
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn with_row(mut self, row: usize) -> Self {
        self.0.row = Some(row);
        self
    }

    pub(crate) fn with_committed(mut self, rows: usize) -> Self {
        self.0.committed = Some(rows);
        self
    }

    /// Names the parameter that an error is about.
    pub(crate) fn with_parameter(self, index: usize) -> Self {
        let context = format!("parameter {}: {}", index + 1, self.message());
        self.with_context(context)
    }

    pub(crate) fn with_kind(mut self, kind: Kind) -> Self {
        self.0.kind = kind;
        self
    }

    pub(crate) fn with_context(mut self, context: impl Into<String>) -> Self {
        self.0.context = context.into();
        self
    }

    /// The same failure for a second reader (a broken connection tells every later caller why).
    pub(crate) fn repeat(&self) -> Self {
        let mut error = Self::new(self.0.kind, self.0.sqlcode, self.0.context.clone());
        error.0.isam = self.0.isam;
        error.0.offset = self.0.offset;
        error.0.token.clone_from(&self.0.token);
        error.0.row = self.0.row;
        error.0.committed = self.0.committed;
        error.0.source = self.0.source.as_ref().map(|s| s.to_string().into());
        error
    }

    /// Where the error comes from.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// SQLCODE, negative. Client-side failures carry the code that Informix clients use for them
    /// (-908 connect failed, -25582 connection lost, -408 unexpected message …); 0 where there is none.
    #[must_use]
    pub fn sqlcode(&self) -> i32 {
        self.0.sqlcode
    }

    /// ISAM code (or the network's errno), 0 when there is none.
    #[must_use]
    pub fn isam_code(&self) -> i32 {
        self.0.isam
    }

    /// SQLSTATE, five characters, chosen from SQLCODE and ISAM code.
    #[must_use]
    pub fn sqlstate(&self) -> &'static str {
        match (self.0.sqlcode, self.0.kind) {
            (0, Kind::Usage | Kind::Pool) => "HY000",
            (0, Kind::Conversion) => "22000",
            (code, _) => catalogue::sqlstate(code, self.0.isam),
        }
    }

    /// DB-API class.
    #[must_use]
    pub fn class(&self) -> catalogue::Class {
        match (self.0.sqlcode, self.0.kind) {
            (_, Kind::Timeout | Kind::Pool) => catalogue::Class::Operational,
            (_, Kind::Usage | Kind::Config) => catalogue::Class::Programming,
            (_, Kind::Conversion) => catalogue::Class::Data,
            (code, _) => catalogue::class(code, self.0.isam),
        }
    }

    /// 1-based byte position in the statement text, as the server counts it.
    #[must_use]
    pub fn offset(&self) -> Option<u32> {
        (self.0.offset > 0).then_some(self.0.offset)
    }

    /// The object the error is about: table, column, constraint; empty when the server named none.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.0.token
    }

    /// 0-based index of the failing row of a batch.
    #[must_use]
    pub fn row(&self) -> Option<usize> {
        self.0.row
    }

    /// How many rows of a failed batch are committed, when it had transactions of its own
    /// ([`BatchOptions::commit_every`](crate::BatchOptions::commit_every)): take it up again behind those. When the connection was
    /// lost while a commit was under way, the rows of that transaction may be in too.
    #[must_use]
    pub fn committed_rows(&self) -> Option<usize> {
        self.0.committed
    }

    /// What happened in our own words, without the numbers.
    #[must_use]
    pub fn message(&self) -> String {
        let inner = &*self.0;
        let known = catalogue::entry(inner.sqlcode).map(|e| e.message(&inner.token));
        match (inner.kind, known) {
            (Kind::Server | Kind::Cancelled | Kind::Login, Some(text)) if inner.context.is_empty() => text,
            (Kind::Server | Kind::Cancelled | Kind::Login, Some(text)) => {
                format!("{text}; {}", inner.context)
            }
            (Kind::Server, None) if inner.context.is_empty() => match inner.token.as_str() {
                "" => "server error".to_owned(),
                token => format!("server error ({token})"),
            },
            _ => inner.context.clone(),
        }
    }

    /// The connection is gone; a new one is needed.
    #[must_use]
    pub fn is_disconnect(&self) -> bool {
        match self.0.kind {
            Kind::Disconnected | Kind::Protocol => true,
            Kind::Timeout => self.0.sqlcode == -25587,
            // Over TLS a cancel closes the connection.
            Kind::Cancelled => self.0.sqlcode != -213,
            Kind::Server => catalogue::is_disconnect(self.0.sqlcode),
            _ => false,
        }
    }

    /// The same statement (or the same connect) may succeed when tried again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            Kind::Server => catalogue::is_retryable(self.0.sqlcode, self.0.isam),
            Kind::Connect | Kind::Pool => true,
            // Limits of a connect and of a pool.
            Kind::Timeout => matches!(self.0.sqlcode, 0 | -908 | -27001),
            _ => false,
        }
    }

    /// A time limit passed: connect, read, statement or pool.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.kind == Kind::Timeout
    }

    /// The statement was cancelled (SQLCODE -213), and not by a time limit.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.kind == Kind::Cancelled
    }

    /// A unique, foreign key, check or NOT NULL constraint was violated.
    #[must_use]
    pub fn is_constraint_violation(&self) -> bool {
        self.0.kind == Kind::Server && self.class() == catalogue::Class::Integrity
    }
}

impl From<informix_types::Error> for Error {
    fn from(error: informix_types::Error) -> Self {
        Self::conversion("a value is not valid").with_source(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        let inner = &*self.0;
        if let Some(source) = &inner.source {
            write!(f, ": {source}")?;
        }
        if inner.sqlcode != 0 {
            write!(f, " (SQLCODE {}", inner.sqlcode)?;
            if inner.isam != 0 {
                write!(f, ", ISAM {}", inner.isam)?;
            }
            if inner.offset != 0 {
                write!(f, ", at byte {}", inner.offset)?;
            }
            f.write_str(")")?;
        }
        if let Some(row) = inner.row {
            write!(f, " in row {row} of the batch")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|s| s as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_error_tells_everything() {
        let error = Error::server(-206, -111, 15, "nosuch");
        assert_eq!(
            error.to_string(),
            "table nosuch is not in the database (SQLCODE -206, ISAM -111, at byte 15)"
        );
        assert_eq!(
            (error.sqlcode(), error.isam_code(), error.offset()),
            (-206, -111, Some(15))
        );
        assert_eq!(
            (error.sqlstate(), error.class().name()),
            ("42S02", "ProgrammingError")
        );
        assert!(!error.is_disconnect() && !error.is_retryable() && !error.is_cancelled());
        assert!(Error::server(-213, 0, 0, "").is_cancelled());
        assert!(Error::server(-268, -100, 0, "u1").is_constraint_violation());
    }

    #[test]
    fn unknown_codes_keep_their_token() {
        assert_eq!(
            Error::server(-30999, 0, 0, "x").to_string(),
            "server error (x) (SQLCODE -30999)"
        );
    }

    #[test]
    fn io_errors_are_sorted_into_timeouts_and_losses() {
        let late = Error::io(io::ErrorKind::TimedOut.into(), "reading the reply");
        assert!(late.is_timeout() && late.is_disconnect());
        let lost = Error::io(io::ErrorKind::ConnectionReset.into(), "reading the reply");
        assert!(!lost.is_timeout() && lost.is_disconnect());
        assert_eq!(lost.sqlcode(), -25582);
    }
}
