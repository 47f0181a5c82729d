//! How tables and indexes are spread over dbspaces: FRAGMENT BY and ALTER FRAGMENT.

use super::{Expr, Ident, ObjectName, Span};

/// `FRAGMENT BY …`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragmentation {
    /// What decides where a row goes.
    pub strategy: FragmentStrategy,
    /// The fragments in order.
    pub fragments: Vec<Fragment>,
    /// From BY to the last fragment.
    pub span: Span,
}

/// Distribution schemes.
#[derive(Debug, Clone, PartialEq)]
pub enum FragmentStrategy {
    /// ROUND ROBIN.
    RoundRobin,
    /// EXPRESSION.
    Expression,
    /// LIST (key).
    List(Box<Expr>),
    /// RANGE (key) [INTERVAL (size)] [ROLLING …] [STORE IN (spaces)].
    Range(Box<RangeInterval>),
}

/// What RANGE says beside its fragments.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeInterval {
    /// The key.
    pub key: Expr,
    /// INTERVAL: the size of fragments that the server adds.
    pub size: Option<Expr>,
    /// ROLLING … up to DETACH or DISCARD.
    pub rolling: Option<Rolling>,
    /// STORE IN: the spaces (or functions that name one) for fragments that the server adds.
    pub spaces: Vec<Ident>,
}

/// The purge policy of a rolling window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rolling {
    /// Most fragments that the server has added.
    pub fragments: i64,
    /// The whole clause.
    pub span: Span,
}

/// One fragment.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    /// PARTITION name.
    pub name: Option<Ident>,
    /// Which rows it takes.
    pub rows: FragmentRows,
    /// IN dbspace.
    pub dbspace: Ident,
    /// The whole fragment.
    pub span: Span,
}

/// The rows of a fragment.
#[derive(Debug, Clone, PartialEq)]
pub enum FragmentRows {
    /// Not said, as in ROUND ROBIN.
    Any,
    /// Those that meet the condition.
    Where(Box<Expr>),
    /// `VALUES (…)`, `VALUES < …`, `VALUES IS NULL`.
    Values(Span),
    /// REMAINDER.
    Remainder,
}

/// `ALTER FRAGMENT [ONLINE] ON TABLE|INDEX name …`.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterFragment {
    /// ON INDEX; else ON TABLE.
    pub index: bool,
    /// Of what.
    pub name: ObjectName,
    /// What is to change.
    pub action: FragmentAction,
}

/// Changes of a distribution scheme.
#[derive(Debug, Clone, PartialEq)]
pub enum FragmentAction {
    /// INIT FRAGMENT BY ….
    Init(Fragmentation),
    /// `INIT [PARTITION p] [IN dbspace]`: no longer fragmented.
    Gather(Option<Ident>),
    /// ADD, perhaps BEFORE (false) or AFTER (true) another one.
    Add(Fragment, Option<(bool, Ident)>),
    /// DROP.
    Drop(Ident),
    /// DETACH fragment table.
    Detach(Ident, ObjectName),
    /// MODIFY name TO fragment, ….
    Modify(Vec<(Ident, Fragment)>),
}
