//! Expressions, conditions, literals and type names.

use super::{Ident, ObjectName, Query, Span};

/// An expression or condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `NULL`.
    Null,
    /// A number as written: `1`, `2.50`, `1e3`. A sign is a [`UnaryOp`].
    Number(String),
    /// The value of a string literal, doubled quotes undone.
    String(String),
    /// `?`, numbered from 0 over the whole text.
    Parameter(usize),
    /// A column, a field of a row column, a sequence value, or an SPL variable: a dotted path.
    Column(Box<ColumnRef>),
    /// `DATETIME (text) q TO q`.
    DateTime(String, Qualifier),
    /// `INTERVAL (text) q TO q`.
    Interval(String, Qualifier),
    /// `expr UNITS field`.
    Units(Box<Expr>, DateTimeField),
    /// `CURRENT [q TO q]`.
    Current(Option<Qualifier>),
    /// `TODAY`, `USER` and their kind.
    Special(SpecialValue),
    /// `-x`, `+x`, `NOT x`.
    Unary(UnaryOp, Box<Expr>),
    /// Arithmetic, `||` and comparisons.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Two or more conditions joined by AND.
    And(Vec<Expr>),
    /// Two or more conditions joined by OR.
    Or(Vec<Expr>),
    /// `x [NOT] BETWEEN low AND high`.
    Between {
        /// NOT BETWEEN.
        negated: bool,
        /// Tested value.
        value: Box<Expr>,
        /// Lower bound.
        low: Box<Expr>,
        /// Upper bound.
        high: Box<Expr>,
    },
    /// `x [NOT] IN (a, b, …)`; one element may be a collection expression.
    InList {
        /// NOT IN.
        negated: bool,
        /// Tested value.
        value: Box<Expr>,
        /// Candidates.
        list: Vec<Expr>,
    },
    /// `x [NOT] IN (SELECT …)`.
    InQuery {
        /// NOT IN.
        negated: bool,
        /// Tested value.
        value: Box<Expr>,
        /// Candidates.
        query: Box<Query>,
    },
    /// `x [NOT] IN collection` without parentheses.
    InCollection {
        /// NOT IN.
        negated: bool,
        /// Tested value.
        value: Box<Expr>,
        /// A column or literal of a collection type.
        collection: Box<Expr>,
    },
    /// `x IS [NOT] NULL`.
    IsNull {
        /// IS NOT NULL.
        negated: bool,
        /// Tested value.
        value: Box<Expr>,
    },
    /// `[NOT] LIKE` and `[NOT] MATCHES`.
    Match(Box<Match>),
    /// `EXISTS (SELECT …)`.
    Exists(Box<Query>),
    /// `x op ANY|SOME|ALL (SELECT …)`.
    Quantified {
        /// The comparison.
        op: BinaryOp,
        /// ALL; else ANY or SOME.
        all: bool,
        /// Left side.
        value: Box<Expr>,
        /// Right side.
        query: Box<Query>,
    },
    /// `f(…)`, aggregates and window functions included.
    Function(Box<FunctionCall>),
    /// `expr::type`, `CAST(expr AS type)`.
    Cast(Box<Expr>, Box<DataType>),
    /// `CASE … END`.
    Case(Box<Case>),
    /// `col[first]`, `col[first,last]`: 1-based character positions.
    Subscript {
        /// The character value.
        value: Box<Expr>,
        /// First position.
        first: u32,
        /// Last position; without it one character.
        last: Option<u32>,
    },
    /// `(SELECT …)` as a value.
    Subquery(Box<Query>),
    /// `EXTEND(expr [, q TO q])`.
    Extend(Box<Expr>, Option<Qualifier>),
    /// `TRIM([LEADING|TRAILING|BOTH] [chars] FROM source)`, `TRIM(source)`.
    Trim {
        /// Which side.
        side: TrimSide,
        /// What to remove; without it blanks.
        chars: Option<Box<Expr>>,
        /// The text.
        source: Box<Expr>,
    },
    /// `SUBSTRING(source FROM start [FOR length])`.
    Substring {
        /// The text.
        source: Box<Expr>,
        /// First position, from 1.
        start: Box<Expr>,
        /// Number of characters.
        length: Option<Box<Expr>>,
    },
    /// `SET{…}`, `MULTISET{…}`, `LIST{…}`.
    Collection(CollectionKind, Vec<Expr>),
    /// `MULTISET(SELECT …)` and its kind: the rows of a query as a collection.
    CollectionQuery(CollectionKind, Box<Query>),
    /// `ROW(…)`.
    Row(Vec<Expr>),
    /// `expr.field` where `expr` is not a plain path.
    Field(Box<Expr>, Ident),
    /// `PRIOR expr`: of the row before in a hierarchy.
    Prior(Box<Expr>),
    /// `CONNECT_BY_ROOT expr`: of the first row in a hierarchy.
    ConnectByRoot(Box<Expr>),
    /// `CURRENT OF` is no expression; `DEFAULT` in VALUES is not Informix. `expr AS label` inside a call (`c = 'x'`).
    NamedArgument(Ident, Box<Expr>),
}

/// A dotted path; resolution decides what each part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnRef {
    /// `db:` before the path.
    pub database: Option<Ident>,
    /// `db@server:` before the path.
    pub server: Option<Ident>,
    /// One to five parts: `col`, `t.col`, `owner.t.col`, `t.rowcol.field`. Never empty.
    pub parts: Vec<Ident>,
}

/// Values that are written as a bare word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpecialValue {
    /// `TODAY`.
    Today,
    /// `SYSDATE`.
    Sysdate,
    /// `USER`, `CURRENT_USER`.
    User,
    /// `SITENAME`, `DBSERVERNAME`.
    ServerName,
    /// `CURRENT_ROLE`.
    CurrentRole,
    /// `DEFAULT_ROLE`.
    DefaultRole,
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`.
    Minus,
    /// `+`.
    Plus,
    /// `NOT`.
    Not,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `||`.
    Concat,
    /// `=`, `==`.
    Equal,
    /// `<>`, `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
}

impl BinaryOp {
    /// Comparison, as against arithmetic and `||`.
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal | Self::NotEqual | Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual
        )
    }
}

/// `LIKE` and `MATCHES`.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Which pattern language.
    pub kind: MatchKind,
    /// NOT LIKE, NOT MATCHES.
    pub negated: bool,
    /// The text.
    pub value: Expr,
    /// The pattern.
    pub pattern: Expr,
    /// `ESCAPE 'c'`; without it `\`.
    pub escape: Option<Expr>,
}

/// Pattern languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// `%` and `_`.
    Like,
    /// `*`, `?`, `[a-z]`, `[^…]`.
    Matches,
}

/// A call of a function, aggregate or window function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// Name as written; built-in functions are plain lower-case names.
    pub name: ObjectName,
    /// `f(*)`.
    pub star: bool,
    /// `f(DISTINCT x)`, `f(UNIQUE x)`.
    pub distinct: bool,
    /// Arguments, some perhaps [`ExprKind::NamedArgument`].
    pub args: Vec<Expr>,
    /// `OVER (…)`.
    pub over: Option<Window>,
    /// `RESPECT NULLS` is false, `IGNORE NULLS` is true.
    pub ignore_nulls: bool,
}

/// `OVER (PARTITION BY … ORDER BY … ROWS|RANGE …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<super::OrderItem>,
    /// Frame.
    pub frame: Option<WindowFrame>,
    /// The parenthesised text.
    pub span: Span,
}

/// A window frame.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowFrame {
    /// ROWS; else RANGE.
    pub rows: bool,
    /// First bound.
    pub start: FrameBound,
    /// Second bound of BETWEEN.
    pub end: Option<FrameBound>,
}

/// A bound of a window frame.
#[derive(Debug, Clone, PartialEq)]
pub enum FrameBound {
    /// UNBOUNDED PRECEDING.
    UnboundedPreceding,
    /// n PRECEDING.
    Preceding(Box<Expr>),
    /// CURRENT ROW.
    CurrentRow,
    /// n FOLLOWING.
    Following(Box<Expr>),
    /// UNBOUNDED FOLLOWING.
    UnboundedFollowing,
}

/// `CASE [operand] WHEN … THEN … [ELSE …] END`.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Compared with each WHEN; without it each WHEN is a condition.
    pub operand: Option<Expr>,
    /// (WHEN, THEN) pairs, at least one.
    pub branches: Vec<(Expr, Expr)>,
    /// ELSE.
    pub otherwise: Option<Expr>,
}

/// Which end TRIM works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrimSide {
    /// BOTH, the default.
    Both,
    /// LEADING.
    Leading,
    /// TRAILING.
    Trailing,
}

/// Kinds of collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectionKind {
    /// Unordered, no duplicates.
    Set,
    /// Unordered, duplicates.
    Multiset,
    /// Ordered.
    List,
}

/// Fields of DATETIME and INTERVAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DateTimeField {
    /// YEAR.
    Year,
    /// MONTH.
    Month,
    /// DAY.
    Day,
    /// HOUR.
    Hour,
    /// MINUTE.
    Minute,
    /// SECOND.
    Second,
    /// FRACTION.
    Fraction,
}

/// `first[(precision)] TO last[(scale)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Qualifier {
    /// First field.
    pub first: DateTimeField,
    /// Digits of the first field, as written after it (`DAY(3)`, `FRACTION(2)`).
    pub precision: Option<u8>,
    /// Last field.
    pub last: DateTimeField,
    /// Digits of a last field FRACTION, as written.
    pub scale: Option<u8>,
    /// Where it stands.
    pub span: Span,
}

/// A type as spelled.
#[derive(Debug, Clone, PartialEq)]
pub struct DataType {
    /// What was spelled.
    pub kind: DataTypeKind,
    /// Where it stands.
    pub span: Span,
}

/// Spellings of a type.
#[derive(Debug, Clone, PartialEq)]
pub enum DataTypeKind {
    /// A word with optional numbers: `INT`, `CHAR(10)`, `DECIMAL(8,2)`, `SERIAL(100)`, `joe.my_type`.
    /// Two-word names are joined: `double precision`, `character varying`.
    Named {
        /// The name, built-in names in lower case.
        name: ObjectName,
        /// Numbers between the parentheses.
        args: Vec<i64>,
    },
    /// `DATETIME q TO q`.
    DateTime(Qualifier),
    /// `INTERVAL q TO q`.
    Interval(Qualifier),
    /// `SET(t NOT NULL)` and its kind.
    Collection(CollectionKind, Box<DataType>),
    /// `ROW(a int, b char(3))`.
    Row(Vec<RowField>),
    /// `LIKE table.column`, only in SPL.
    Like(ObjectName, Ident),
    /// `REFERENCES BYTE|TEXT`, only in SPL.
    References(ObjectName),
}

/// A field of a row type.
#[derive(Debug, Clone, PartialEq)]
pub struct RowField {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: DataType,
    /// NOT NULL.
    pub not_null: bool,
}
