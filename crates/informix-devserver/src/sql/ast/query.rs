//! Queries.

use super::{DataType, Expr, Ident, ObjectName, Span};

/// A whole query: set operations with what may follow them.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// `WITH …`.
    pub with: Option<With>,
    /// First operand.
    pub first: QueryTerm,
    /// Further operands, combined from left to right.
    pub rest: Vec<SetTerm>,
    /// ORDER BY.
    pub order_by: Vec<OrderItem>,
    /// `LIMIT n` at the end.
    pub limit: Option<Expr>,
    /// `FOR UPDATE`, `FOR READ ONLY`.
    pub lock: Option<ForClause>,
    /// `INTO TEMP t`.
    pub into: Option<IntoTable>,
    /// The whole query.
    pub span: Span,
}

/// An operand of a set operation.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryTerm {
    /// `SELECT …`.
    Select(Box<Select>),
    /// `(query)`.
    Nested(Box<Query>),
}

/// `UNION ALL operand` and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct SetTerm {
    /// The operation.
    pub op: SetOp,
    /// Duplicates stay.
    pub all: bool,
    /// Right operand.
    pub term: QueryTerm,
    /// The operator word.
    pub span: Span,
}

/// Set operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetOp {
    /// UNION.
    Union,
    /// INTERSECT.
    Intersect,
    /// MINUS, EXCEPT.
    Minus,
}

/// `WITH [RECURSIVE] name [(columns)] AS (query), …`.
#[derive(Debug, Clone, PartialEq)]
pub struct With {
    /// RECURSIVE.
    pub recursive: bool,
    /// The named queries.
    pub tables: Vec<CommonTable>,
    /// The word WITH.
    pub span: Span,
}

/// One named query of WITH.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonTable {
    /// Its name.
    pub name: Ident,
    /// Column names.
    pub columns: Vec<Ident>,
    /// The query.
    pub query: Box<Query>,
}

/// One SELECT block.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// `SKIP n`.
    pub skip: Option<Expr>,
    /// `FIRST n` or `LIMIT n` before the list.
    pub first: Option<Expr>,
    /// DISTINCT, UNIQUE.
    pub distinct: bool,
    /// The select list.
    pub items: Vec<SelectItem>,
    /// `INTO v, w` of SPL.
    pub into_variables: Vec<Ident>,
    /// FROM; empty when there is none.
    pub from: Vec<TableRef>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// START WITH … CONNECT BY.
    pub hierarchy: Option<Box<Hierarchy>>,
    /// GROUP BY.
    pub group_by: Vec<Expr>,
    /// HAVING.
    pub having: Option<Expr>,
    /// From SELECT to the last clause of the block.
    pub span: Span,
}

/// `[START WITH condition] CONNECT BY [NOCYCLE] condition`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    /// Which rows come first; without it all.
    pub start: Option<Expr>,
    /// What leads from a row, `PRIOR …`, to those below it.
    pub connect: Expr,
    /// NOCYCLE.
    pub nocycle: bool,
    /// ORDER SIBLINGS BY.
    pub siblings: Vec<OrderItem>,
    /// Where it stands.
    pub span: Span,
}

/// An item of the select list.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectItem {
    /// `*`.
    Wildcard(Span),
    /// `t.*`, `owner.t.*`.
    TableWildcard(ObjectName),
    /// `expr [AS] label`.
    Expr {
        /// The expression.
        expr: Expr,
        /// Its label.
        label: Option<Ident>,
    },
}

/// An item of the FROM list.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRef {
    /// What it is.
    pub kind: TableRefKind,
    /// Where it stands.
    pub span: Span,
}

/// Items of the FROM list.
#[derive(Debug, Clone, PartialEq)]
pub enum TableRefKind {
    /// A table, view or synonym.
    Table {
        /// Its name.
        name: ObjectName,
        /// Its alias.
        alias: Option<Alias>,
        /// `ONLY (t)`.
        only: bool,
    },
    /// `LATERAL (SELECT …) [alias [(columns)]]`: sees the tables before it.
    Lateral {
        /// The query.
        query: Box<Query>,
        /// The alias.
        alias: Option<Alias>,
    },
    /// `(SELECT …) alias(columns)`; also `TABLE(MULTISET(SELECT …))`.
    Subquery {
        /// The query.
        query: Box<Query>,
        /// Its alias.
        alias: Option<Alias>,
    },
    /// `TABLE(SET{…})`, `TABLE(?)`, `TABLE(column)`.
    Collection {
        /// The collection.
        value: Box<Expr>,
        /// Its alias.
        alias: Option<Alias>,
    },
    /// `TABLE(FUNCTION f(…))`, `TABLE(PROCEDURE p(…))`.
    Function {
        /// The call.
        call: Box<Expr>,
        /// Its alias.
        alias: Option<Alias>,
    },
    /// `left JOIN right ON condition`.
    Join {
        /// Kind of join.
        kind: JoinKind,
        /// Left side.
        left: Box<TableRef>,
        /// Right side.
        right: Box<TableRef>,
        /// ON.
        on: Option<Box<Expr>>,
    },
    /// `OUTER t`, `OUTER (a, b, OUTER c)`.
    Outer(Vec<TableRef>),
    /// `(a JOIN b ON …)`.
    Nested(Box<TableRef>),
}

/// `[AS] name [(columns)]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    /// The name.
    pub name: Ident,
    /// Names of the columns.
    pub columns: Vec<Ident>,
}

/// Kinds of ANSI join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// JOIN, INNER JOIN.
    Inner,
    /// LEFT OUTER JOIN.
    Left,
    /// RIGHT OUTER JOIN.
    Right,
    /// FULL OUTER JOIN.
    Full,
    /// CROSS JOIN.
    Cross,
}

/// An item of ORDER BY.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderItem {
    /// A column, label, ordinal or expression.
    pub expr: Expr,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST is true, NULLS LAST is false.
    pub nulls_first: Option<bool>,
}

/// What follows FOR.
#[derive(Debug, Clone, PartialEq)]
pub enum ForClause {
    /// `FOR UPDATE [OF columns]`.
    Update(Vec<Ident>),
    /// `FOR READ ONLY`.
    ReadOnly,
}

/// `INTO TEMP t [WITH NO LOG]` and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct IntoTable {
    /// What kind of table.
    pub kind: IntoKind,
    /// Its name.
    pub name: ObjectName,
    /// WITH NO LOG.
    pub no_log: bool,
}

/// Kinds of table that a query fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntoKind {
    /// TEMP, SCRATCH.
    Temp,
    /// STANDARD.
    Standard,
    /// RAW.
    Raw,
    /// EXTERNAL.
    External,
}

/// `WHERE CURRENT OF cursor` or a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// A condition.
    Condition(Expr),
    /// The current row of a cursor.
    CurrentOf(Ident),
}

/// A typed name, as in `DEFINE v INT` and parameter lists.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedName {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: DataType,
}
