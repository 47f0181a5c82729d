//! The one error of the SQL engine: what SQ_ERR carries.

use std::fmt;

/// An Informix error as a server reports it: numbers, place and the object it is about.
/// The text belongs to the client (`sqli-protocol`: message texts live in the client).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// SQLCODE, negative.
    pub sqlcode: i32,
    /// ISAM code, negative or 0.
    pub isam: i32,
    /// 1-based byte position in the statement text, 0 when there is none.
    pub offset: u32,
    /// The parameter of the message: table, column or constraint name.
    pub token: String,
    /// Why, in our own words: for logs and tests, never sent.
    pub detail: String,
}

/// Result of engine operations.
pub type SqlResult<T> = Result<T, SqlError>;

impl SqlError {
    /// An error with nothing but its number.
    #[must_use]
    pub fn new(sqlcode: i32) -> Self {
        Self {
            sqlcode,
            isam: 0,
            offset: 0,
            token: String::new(),
            detail: String::new(),
        }
    }

    /// With the ISAM code.
    #[must_use]
    pub fn isam(mut self, isam: i32) -> Self {
        self.isam = isam;
        self
    }

    /// At a 0-based byte position of the statement text.
    #[must_use]
    pub fn at(mut self, position: usize) -> Self {
        self.offset = u32::try_from(position + 1).unwrap_or(u32::MAX);
        self
    }

    /// About the named object.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = token.into();
        self
    }

    /// With an explanation for logs.
    #[must_use]
    pub fn because(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sqlcode)?;
        if self.isam != 0 {
            write!(f, " (ISAM {})", self.isam)?;
        }
        if !self.token.is_empty() {
            write!(f, " [{}]", self.token)?;
        }
        if self.offset != 0 {
            write!(f, " at {}", self.offset)?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for SqlError {}
