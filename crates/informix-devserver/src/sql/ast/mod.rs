//! Abstract syntax of the Informix dialect.
//!
//! The tree says what was written, nothing about what it means: names are unresolved, types are spelled.
//! Every node that an error can point at carries a [`Span`]; text that must be kept as written (views, check
//! constraints, routine bodies) is read back with [`Span::text`] from the statement text.

// Trees of statements are small and short-lived; boxing rare variants would only clutter every match.
#![allow(clippy::large_enum_variant)]

mod ddl;
mod dml;
mod expr;
mod fragment;
mod query;
mod routine;
mod session;

pub use ddl::*;
pub use dml::*;
pub use expr::*;
pub use fragment::*;
pub use query::*;
pub use routine::*;
pub use session::*;

/// Half-open byte range of the statement text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The written text; empty when the span does not belong to `source`.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// An identifier as the server sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// Folded to lower case unless it was quoted.
    pub name: String,
    /// Written between quotes (`"Name"`, `'owner'`).
    pub quoted: bool,
    /// Where it stands.
    pub span: Span,
}

/// `[database[@server]:][owner.]name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectName {
    /// Database before the colon.
    pub database: Option<Ident>,
    /// Server after `@`.
    pub server: Option<Ident>,
    /// Owner before the point.
    pub owner: Option<Ident>,
    /// The object itself.
    pub name: Ident,
    /// The whole name.
    pub span: Span,
}

/// One statement of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// From its first token to its last (without `;`).
    pub span: Span,
    /// Number of the first `?` marker of this statement within the whole text, from 0.
    pub first_parameter: usize,
    /// How many markers this statement has.
    pub parameters: usize,
}

impl Statement {
    /// The statement of a blank text.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            kind: StatementKind::Empty,
            span: Span::new(0, 0),
            first_parameter: 0,
            parameters: 0,
        }
    }
}

/// The statements of the dialect.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `SELECT …`, also in parentheses, with set operations, `WITH`, `INTO TEMP`.
    Select(Box<Query>),
    /// `INSERT INTO …`.
    Insert(Box<Insert>),
    /// `UPDATE … SET …`.
    Update(Box<Update>),
    /// `DELETE FROM …`.
    Delete(Box<Delete>),
    /// `MERGE INTO …`.
    Merge(Box<Merge>),
    /// `TRUNCATE [TABLE] t`.
    Truncate(Truncate),
    /// `CREATE [TEMP|RAW|STANDARD|EXTERNAL] TABLE`.
    CreateTable(Box<CreateTable>),
    /// `CREATE INDEX`.
    CreateIndex(Box<CreateIndex>),
    /// `CREATE VIEW`.
    CreateView(Box<CreateView>),
    /// `CREATE SYNONYM`.
    CreateSynonym(CreateSynonym),
    /// `CREATE SEQUENCE`.
    CreateSequence(CreateSequence),
    /// `CREATE DATABASE`.
    CreateDatabase(CreateDatabase),
    /// `CREATE ROW TYPE`.
    CreateRowType(CreateRowType),
    /// `CREATE DISTINCT TYPE`.
    CreateDistinctType(CreateDistinctType),
    /// `CREATE ROLE`.
    CreateRole(CreateRole),
    /// `CREATE PROCEDURE` / `CREATE FUNCTION`.
    CreateRoutine(Box<CreateRoutine>),
    /// `CREATE TRIGGER`.
    CreateTrigger(Box<CreateTrigger>),
    /// `ALTER TABLE`.
    AlterTable(Box<AlterTable>),
    /// `ALTER INDEX i TO CLUSTER` and the like.
    AlterIndex(AlterIndex),
    /// `ALTER FRAGMENT`.
    AlterFragment(Box<AlterFragment>),
    /// `ALTER SEQUENCE`.
    AlterSequence(AlterSequence),
    /// `DROP TABLE|VIEW|INDEX|…`.
    Drop(DropObject),
    /// `RENAME TABLE|COLUMN|INDEX|…`.
    Rename(Rename),
    /// `GRANT`.
    Grant(Grant),
    /// `REVOKE`.
    Revoke(Grant),
    /// `SET …`.
    Set(SetStatement),
    /// `BEGIN [WORK]`.
    Begin,
    /// `COMMIT [WORK]`.
    Commit,
    /// `ROLLBACK [WORK] [TO SAVEPOINT [s]]`.
    Rollback(Option<RollbackTo>),
    /// `SAVEPOINT s [UNIQUE]`.
    Savepoint(Savepoint),
    /// `RELEASE SAVEPOINT s`.
    ReleaseSavepoint(Ident),
    /// `DATABASE d [EXCLUSIVE]`.
    Database(OpenDatabase),
    /// `CLOSE DATABASE`.
    CloseDatabase,
    /// `LOCK TABLE t IN SHARE|EXCLUSIVE MODE`.
    LockTable(LockTable),
    /// `UNLOCK TABLE t`.
    UnlockTable(ObjectName),
    /// `UPDATE STATISTICS …`.
    UpdateStatistics(UpdateStatistics),
    /// `EXECUTE PROCEDURE|FUNCTION f(…)`, `CALL f(…)`.
    Execute(Box<ExecuteRoutine>),
    /// `EXECUTE IMMEDIATE expr`, only inside routines.
    ExecuteImmediate(Expr),
    /// A text without a statement: blank, only comments.
    Empty,
}
