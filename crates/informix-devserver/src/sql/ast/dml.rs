//! Statements that change rows.

use super::{Alias, ExecuteRoutine, Expr, Filter, Ident, ObjectName, Query, Span, TableRef};

/// `INSERT INTO t [(columns)] source`.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// The table.
    pub table: ObjectName,
    /// Named columns; empty means all in order.
    pub columns: Vec<Ident>,
    /// What is inserted.
    pub source: InsertSource,
}

/// What an INSERT inserts.
#[derive(Debug, Clone, PartialEq)]
pub enum InsertSource {
    /// `VALUES (…)` with the span of the parenthesised list.
    Values(Vec<Expr>, Span),
    /// `SELECT …`.
    Query(Box<Query>),
    /// `EXECUTE FUNCTION f(…)`.
    Routine(Box<ExecuteRoutine>),
}

/// `UPDATE t SET …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The table.
    pub table: ObjectName,
    /// Its alias.
    pub alias: Option<Alias>,
    /// The assignments.
    pub assignments: Vec<Assignment>,
    /// WHERE.
    pub filter: Option<Filter>,
}

/// A part of SET.
#[derive(Debug, Clone, PartialEq)]
pub enum Assignment {
    /// `column = expr`.
    One(Ident, Expr),
    /// `(a, b) = (x, y)` or `* = (…)`; no columns means `*`. A value may be a subquery with several columns.
    Many(Vec<Ident>, Vec<Expr>),
}

/// `DELETE FROM t …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// The table.
    pub table: ObjectName,
    /// Its alias.
    pub alias: Option<Alias>,
    /// WHERE.
    pub filter: Option<Filter>,
}

/// `MERGE INTO t USING s ON (…) WHEN …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    /// The table.
    pub target: ObjectName,
    /// Its alias.
    pub alias: Option<Alias>,
    /// The source.
    pub source: TableRef,
    /// ON.
    pub on: Expr,
    /// WHEN MATCHED THEN.
    pub matched: Option<MergeMatched>,
    /// WHEN NOT MATCHED THEN INSERT.
    pub not_matched: Option<MergeInsert>,
}

/// What MERGE does with a matching row.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeMatched {
    /// UPDATE SET.
    Update(Vec<Assignment>),
    /// DELETE.
    Delete,
}

/// What MERGE does with a row of the source that matches none.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeInsert {
    /// Named columns; empty means all in order.
    pub columns: Vec<Ident>,
    /// VALUES.
    pub values: Vec<Expr>,
    /// The parenthesised values.
    pub span: Span,
}

/// `TRUNCATE [TABLE] t`.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncate {
    /// The table.
    pub table: ObjectName,
}
